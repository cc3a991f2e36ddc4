"""Imports files of other programs: every price is kept or counted as skipped."""

import logging
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.formats import OWN_FORMATS, FileFormat, file_formats, find_format
from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS, Quote
from oddsdesk.contract.results import GameResult, without_contradictions
from oddsdesk.contract.series import GameSeries, SeriesPoint, count_odds
from oddsdesk.contract.times import MINUTE_MS, bounded_ms, format_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.files import Readable, expand, parts_of, read_part, read_stream
from oddsdesk.feeds.imported import OVER, Imported, Importer, SourceFile

if TYPE_CHECKING:
    from oddsdesk.store.reader import Reader

STDIN: Final = "-"
AHEAD_OF_NOW: Final = N_("scraped in the future")
MOST_NAMED: Final = 3
"""How many games or files a message names."""
Progress = Callable[[int], object]
"""Called with the number of prices read since the last call."""

_log = logging.getLogger(__name__)


def load_importer(name: str) -> Importer:
    """Return the importer of a format.

    Raises:
        FeedError: no such format, or its package is broken.
    """
    found = find_format(name)
    if found is None:
        names = ", ".join(each.name for each in file_formats())
        raise FeedError(f"no format {name!r}; formats are {names}")
    try:
        importer = pkgutil.resolve_name(found.importer)
    except Exception as error:
        raise _broken(found, error) from error
    if not isinstance(importer, Importer):
        raise FeedError(f"format {name}: {found.importer} is not an Importer")
    importer = msgspec.structs.replace(importer, name=name)
    return importer if found in OWN_FORMATS else _of_others(found, importer)


def _of_others(found: FileFormat, importer: Importer) -> Importer:
    """Return an importer that turns errors of the package into problems."""

    def convert(files: Sequence[SourceFile]) -> Imported:
        imported = Imported()
        place = files[0].name if files else found.name
        try:
            said = importer.convert(files)
            without_quotes = msgspec.structs.replace(said, quotes=[], series=[])
            for result in said.results:
                msgspec.convert(msgspec.structs.asdict(result), GameResult)
            imported.merge(without_quotes)
            for quote in said.quotes:
                imported.keep_quote(quote, N_("broken market"), N_(f"{place}: {quote.match_name}"))
            for each in msgspec.convert(msgspec.to_builtins(said.series), list[GameSeries]):
                imported.keep_series(each, N_("broken market"), N_(f"{place}: {each.match_name}"))
        except Exception as error:  # noqa: BLE001 - border: packages raise anything
            imported.problems.append(f"{place}: {_broken(found, error)}")
        return imported

    return msgspec.structs.replace(importer, convert=convert)


def _broken(found: FileFormat, error: Exception) -> FeedError:
    _log.info("format %s of %s", found.name, found.importer, exc_info=error)
    why = " ".join(str(error).split())
    return FeedError(f"format {found.name} ({found.importer}): {type(error).__name__}: {why}")


def read_files(
    format_name: str, places: Iterable[str], progress: Progress, stdin: Readable | None = None
) -> Imported:
    """Read and convert files, folders and patterns, oldest scrape first; ``-`` is ``stdin``.

    An unreadable file or a format that cannot be loaded is a problem; the other files are read.
    """
    imported = Imported()
    try:
        importer = load_importer(format_name)
    except FeedError as error:
        imported.problems.append(str(error))
        return imported
    for part in importer.convert_each(_readable(importer, places, stdin, imported.problems)):
        part.results, contrary = without_contradictions(part.results)
        part.problems += contrary
        imported.merge(part)
        progress(part.kept + part.skipped.total() + sum(count_odds(part.series).values()))
    imported.quotes.sort(key=attrgetter("scraped_at"))
    return imported


def _readable(
    importer: Importer, places: Iterable[str], stdin: Readable | None, problems: list[str]
) -> Iterator[SourceFile]:
    """Yield the files one at a time, since all together may not fit into memory."""
    for place in places:
        try:
            if place == STDIN and stdin is not None:
                yield from _unless_empty(SourceFile("stdin", read_stream(stdin, "stdin")), problems)
                continue
            paths = expand(place)
        except FeedError as error:
            problems.append(str(error))
            continue
        for path in paths:
            yield from source_files(importer, path, problems)


def source_files(importer: Importer, path: Path, problems: list[str]) -> Iterator[SourceFile]:
    """Yield a file, or those of a tar archive; unreadable ones become problems."""
    try:
        for part in parts_of(path):
            if importer.by_line:
                yield SourceFile(part.name, b"", part)
                continue
            try:
                yield from _unless_empty(SourceFile(part.name, read_part(part)), problems)
            except FeedError as error:
                problems.append(str(error))
    except FeedError as error:
        problems.append(str(error))


def _unless_empty(file: SourceFile, problems: list[str]) -> Iterator[SourceFile]:
    if file.data:
        yield file
    else:
        problems.append(f"{file.name}: the file is empty")


def shift_to(imported: Imported, now_ms: int) -> int:
    """Return how far the newest scrape is in the past, in milliseconds."""
    return now_ms - imported.quotes[-1].scraped_at if imported.quotes else 0


def leave_out_over(imported: Imported, now_ms: int) -> None:
    """Leave out games with a score and a kick-off in the future, before times are shifted.

    A game with a score is over, so the kick-off is wrong or belongs to another game.
    """
    latest = now_ms + CLOCK_TOLERANCE_MS
    scores = (each for each in imported.results if each.home is not None)
    over = [each for each in scores if each.kick_off > latest]
    if not over:
        return
    imported.results = [each for each in imported.results if each not in over]
    games = {(each.competition, each.match_name, each.kick_off) for each in over}
    kept = []
    for quote in imported.quotes:
        if (quote.competition, quote.match_name, quote.match_date) in games:
            imported.skipped[OVER] += quote.price_count
        else:
            kept.append(quote)
    imported.quotes = kept
    _leave_out_points(
        imported, OVER, lambda each, _: (each.competition, each.match_name, each.kick_off) in games
    )
    named = _named((each.match_name for each in over), "games")
    if len(over) == 1:
        told = N_(
            f"left out 1 game with a result and a future kick-off: {named}; correct their dates"
        )
    else:
        told = N_(
            f"left out {len(over)} games with a result and a future kick-off: {named}; correct"
            " their dates"
        )
    imported.problems.append(told)


def set_times(imported: Imported, now_ms: int, shift: int | None = None) -> None:
    """Shift all times by ``shift`` ms; without, only keep inferred scrapes out of the future."""
    latest = now_ms if imported.inferred_times and shift is None else None
    imported.quotes = [_moved(quote, shift or 0, latest) for quote in imported.quotes]
    imported.shifted = bool(shift)
    if shift:
        imported.results = [
            msgspec.structs.replace(
                each,
                kick_off=bounded_ms(each.kick_off + shift),
                reported_at=each.reported_at and bounded_ms(each.reported_at + shift),
            )
            for each in imported.results
        ]
    imported.series = [each.with_times(shift or 0, latest) for each in imported.series]


AHEAD: Final = N_("shifted as far as the odds here, some of these prices would be in the future")


def why_apart(reader: "Reader", *, shift_to_now: bool) -> str:
    """Return why files should be imported into another database; empty if they fit in this one.

    One database should have real times or shifted ones. Mixed, kick-offs of one game differ, and
    old prices stand among current ones.

    Args:
        reader: Reads the database.
        shift_to_now: Whether the times of these files are to be shifted.
    """
    is_shifted = abs(reader.shift_of_imports()) > MINUTE_MS
    if is_shifted and not shift_to_now:
        return N_("these files have their own times, but those of the odds here are shifted to now")
    if shift_to_now and not is_shifted and reader.holds_real_odds():
        return N_(
            "the times of these files are shifted to now, but the odds here have their own times"
        )
    return ""


def leave_out_future(imported: Imported, now_ms: int, remedy: str) -> bool:
    """Leave out quotes scraped in the future and return whether there were any.

    ``remedy`` says how to include them.
    """
    latest = now_ms + CLOCK_TOLERANCE_MS
    future = [quote for quote in imported.quotes if quote.scraped_at > latest]
    if future:
        imported.quotes = [quote for quote in imported.quotes if quote.scraped_at <= latest]
        imported.skipped[AHEAD_OF_NOW] += sum(quote.price_count for quote in future)
        latest_at = format_ms(future[-1].scraped_at)
        games = _named((quote.match_name for quote in future), "games")
        imported.problems.append(
            N_(
                f"{len(future)} quotes were scraped more than 5 minutes in the future, the latest"
                f" at {latest_at}, for {games}; {remedy}"
            )
        )
    _leave_out_points(imported, AHEAD_OF_NOW, lambda _, point: point.scraped_at > latest)
    return bool(future)


def _leave_out_points(
    imported: Imported, reason: str, is_left_out: Callable[[GameSeries, SeriesPoint], bool]
) -> None:
    """Leave out points of series and count their odds under a reason."""
    before = sum(count_odds(imported.series).values())
    kept = []
    for each in imported.series:
        points = tuple(point for point in each.points if not is_left_out(each, point))
        if points:
            kept.append(msgspec.structs.replace(each, points=points))
    imported.series = kept
    if left_out := before - sum(count_odds(kept).values()):
        imported.skipped[reason] += left_out


def leave_out_series(imported: Imported) -> None:
    """Count statistics as skipped, for a target that holds only prices of bookmakers."""
    for kind, odds in count_odds(imported.series).items():
        if odds:
            imported.skipped[N_(f"{kind} odds of many bookmakers")] += odds
    imported.series = []


def series_line(imported: Imported) -> str | None:
    """Return a line about the statistics of many bookmakers in the files; None without any."""
    if not imported.series:
        return None
    odds, games = count_odds(imported.series), len(imported.series)
    names = ", ".join(sorted({each.source for each in imported.series}))
    best, mean = odds["best"], odds["mean"]
    if games == 1:
        return N_(f"series {names}: {best} best and {mean} mean odds of many bookmakers, of 1 game")
    return N_(
        f"series {names}: {best} best and {mean} mean odds of many bookmakers, of {games} games"
    )


def american_line(imported: Imported) -> str | None:
    """Return a line about files read as American odds; None if all were decimal."""
    if not imported.american:
        return None
    files = _named(imported.american, "files")
    return N_(f"read as American odds (a price of -100 or less, or none below 100): {files}")


def _named(all_names: Iterable[str], kind: str) -> str:
    """Name the first few and count the rest."""
    names = list(dict.fromkeys(all_names))
    others = len(names) - MOST_NAMED
    shown = ", ".join(names[:MOST_NAMED])
    return N_(f"{shown} and {others} more {kind}") if others > 0 else shown


def _moved(quote: Quote, offset: int, latest: int | None) -> Quote:
    scraped_at = bounded_ms(quote.scraped_at + offset)
    return msgspec.structs.replace(
        quote,
        scraped_at=scraped_at if latest is None else min(scraped_at, latest),
        match_date=None if quote.match_date is None else bounded_ms(quote.match_date + offset),
    )
