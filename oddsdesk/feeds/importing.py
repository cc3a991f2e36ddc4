"""Reading other people's files once: every price is kept, or counted by why it was not."""

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Final

import msgspec

from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS, Quote
from oddsdesk.contract.times import bounded_ms, format_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import OVER, Imported, SourceFile
from oddsdesk.feeds.importers import IMPORTERS
from oddsdesk.feeds.sources import Readable, expand, read_file, read_stream

STDIN: Final = "-"
MOST_NAMED: Final = 3
"""How many games, or files, a line names."""
Progress = Callable[[int], object]
"""Called with the prices that were read since it was called last."""


def read_files(
    format_name: str, places: Iterable[str], progress: Progress, stdin: Readable | None = None
) -> Imported:
    """Read and convert files, folders and patterns, oldest scrape first; ``-`` is ``stdin``.

    A file that can't be read is a problem, no more.
    """
    imported = Imported()
    files = _readable(places, stdin, imported.problems)
    for part in IMPORTERS[format_name].convert_each(files):
        imported.merge(part)
        progress(part.kept + part.skipped.total())
    imported.quotes.sort(key=attrgetter("scraped_at"))
    return imported


def _readable(
    places: Iterable[str], stdin: Readable | None, problems: list[str]
) -> Iterator[SourceFile]:
    """Yield the files one at a time: all together might not fit memory."""
    for place in places:
        try:
            if place == STDIN and stdin is not None:
                yield from _unless_empty("stdin", read_stream(stdin, "stdin"), problems)
                continue
            paths = expand(place)
        except FeedError as error:
            problems.append(str(error))
            continue
        for path in paths:
            try:
                yield from _unless_empty(str(path), read_file(path), problems)
            except FeedError as error:
                problems.append(str(error))


def _unless_empty(name: str, data: bytes, problems: list[str]) -> Iterator[SourceFile]:
    if data:
        yield SourceFile(name, data)
    else:
        problems.append(f"{name}: it is empty")


def shift_to(imported: Imported, now_ms: int) -> int:
    """Return by how much the newest scrape lies before now, in milliseconds."""
    return now_ms - imported.quotes[-1].scraped_at if imported.quotes else 0


def leave_out_over(imported: Imported, now_ms: int) -> None:
    """Leave out games that have a result and begin later than now, before times are moved.

    A game with a result is over, so that such a kick-off is a mistake or that of another game.
    """
    over = [each for each in imported.results if each.kick_off > now_ms + CLOCK_TOLERANCE_MS]
    if not over:
        return
    imported.results = [each for each in imported.results if each not in over]
    games = {(each.competition, each.match_name, each.kick_off) for each in over}
    kept = []
    for quote in imported.quotes:
        if (quote.competition, quote.match_name, quote.match_date) in games:
            imported.skipped[OVER] += len(quote.odds)
        else:
            kept.append(quote)
    imported.quotes = kept
    imported.problems.append(
        f"games with a result and a kick-off later than now are left out: {len(over)},"
        f" {_named((each.match_name for each in over), 'games')}; correct their dates"
    )


def set_times(imported: Imported, now_ms: int, shift: int | None = None) -> None:
    """Move all times by ``shift`` milliseconds; without, an inferred scrape is never after now."""
    latest = now_ms if imported.inferred_times and shift is None else None
    imported.quotes = [_moved(quote, shift or 0, latest) for quote in imported.quotes]
    imported.shifted = bool(shift)
    if shift:
        imported.results = [
            msgspec.structs.replace(each, kick_off=bounded_ms(each.kick_off + shift))
            for each in imported.results
        ]


def leave_out_future(imported: Imported, now_ms: int, remedy: str) -> None:
    """Leave out quotes that were scraped later than now (D42); ``remedy`` says how to take them."""
    latest = now_ms + CLOCK_TOLERANCE_MS
    future = [quote for quote in imported.quotes if quote.scraped_at > latest]
    if future:
        imported.quotes = [quote for quote in imported.quotes if quote.scraped_at <= latest]
        imported.skipped["scraped in the future"] += sum(len(quote.odds) for quote in future)
        imported.problems.append(
            f"{len(future)} quotes were scraped more than 5 minutes ahead of the clock, the "
            f"latest at {format_ms(future[-1].scraped_at)}, of"
            f" {_named((quote.match_name for quote in future), 'games')}; {remedy}"
        )


def american_line(imported: Imported) -> str | None:
    """Return a line on files whose odds were taken as American; None where all were decimal."""
    if not imported.american:
        return None
    files = _named(imported.american, "files")
    return f"odds are read as American (a price of -100 or less, or none below 100): {files}"


def _named(all_names: Iterable[str], kind: str) -> str:
    """Name the first, and say how many there are besides."""
    names = list(dict.fromkeys(all_names))
    others = len(names) - MOST_NAMED
    shown = ", ".join(names[:MOST_NAMED])
    return f"{shown} and {others} more {kind}" if others > 0 else shown


def _moved(quote: Quote, offset: int, latest: int | None) -> Quote:
    scraped_at = bounded_ms(quote.scraped_at + offset)
    return msgspec.structs.replace(
        quote,
        scraped_at=scraped_at if latest is None else min(scraped_at, latest),
        match_date=None if quote.match_date is None else bounded_ms(quote.match_date + offset),
    )
