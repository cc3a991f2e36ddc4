"""Plays a recording as if it happened now, at any speed, and keeps it fresh at the end.

Every time is moved by one rule: the recording's first moment is now, and later moments follow at
their distance divided by the speed. Kick-offs follow the same rule, so games go in play at the
right moment. Results come when they were reported.
"""

import asyncio
import logging
import math
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path

import msgspec

from oddsdesk.base.clock import Clock
from oddsdesk.base.file_kinds import QUOTES, wrong_kind
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import N_
from oddsdesk.contract.formats import FileFormat, file_formats, find_format
from oddsdesk.contract.identity import SAME_GAME_MS
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import STARTED, GameResult, Reported, with_source
from oddsdesk.contract.times import MINUTE_MS, bounded_ms, format_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.files import FilePart, expand
from oddsdesk.feeds.imported import Imported, Importer, SourceFile
from oddsdesk.feeds.importing import load_importer, source_files
from oddsdesk.feeds.ndjson import BadLine, read_lines
from oddsdesk.store.values import Origin, origin_named

ROUND_MS = MINUTE_MS
"""Snapshots whose newest quotes are this close belong to one round of requests."""
_ANY_TIME = 1 << 60

_log = logging.getLogger(__name__)


class Moment(msgspec.Struct, frozen=True):
    """Quotes of one moment, in the order of ``scraped_at``."""

    at: int
    quotes: Sequence[Quote]


class Recording(msgspec.Struct, frozen=True):
    """The moments of prices, and results with the times at which they are due, oldest first."""

    moments: Sequence[Moment]
    results: Sequence[tuple[int, GameResult]] = ()


def read_recording(place: str) -> Recording:
    """Return the moments of a recording.

    Args:
        place: ``FILE`` of NDJSON, or ``FORMAT:FILE``; FILE may be a folder or a
            pattern. A snapshot counts as one moment, the time of its newest quote.

    Raises:
        FeedError: no such file, no quote in it, or its format cannot be loaded.
    """
    file_format, named = _split(place)
    importer = None if file_format is None else load_importer(file_format.name)
    paths = _expand(named)
    moments, results = _lines_of(paths) if importer is None else _imported(paths, importer)
    if not moments:
        own = QUOTES if file_format is None else file_format.name
        files = (SourceFile(str(path), b"", FilePart(path, str(path))) for path in paths)
        others = (wrong_kind(file.name, file.head(), own) for file in files)
        raise FeedError(next(filter(None, others), N_(f"{place}: no quotes to replay")))
    dated = sorted(((_due(each), each) for each in results), key=itemgetter(0))
    return Recording(moments, dated)


def _due(result: GameResult) -> int:
    """Return when a result was reported; if its source does not say, when it must have been."""
    if result.reported_at or result.status not in STARTED:
        return result.reported_at or result.kick_off
    return result.kick_off + (LONGEST_GAME_MS if result.has_time else _REST_OF_DAY_MS)


def _split(place: str) -> tuple[FileFormat | None, str]:
    """Return the format in a place, None if it names none, and the files."""
    name, named, files = place.partition(":")
    found = find_format(name) if named else None
    return (None, place) if found is None else (found, files)


def _expand(place: str) -> list[Path]:
    try:
        return expand(place)
    except FeedError as error:
        formats = ", ".join(each.name for each in file_formats())
        raise FeedError(f"{error} (formats that can precede it: {formats})") from error


def _lines_of(paths: Iterable[Path]) -> tuple[list[Moment], list[GameResult]]:
    quotes: list[Quote] = []
    results: list[GameResult] = []
    for path in paths:
        bad: list[BadLine] = []
        try:
            with path.open("rb") as stream:
                for item in read_lines(stream, lambda: _ANY_TIME):
                    if isinstance(item, Quote):
                        quotes.append(item)
                    elif isinstance(item, GameResult):
                        results.append(item)
                    else:
                        bad.append(item)
        except OSError as error:
            raise FeedError(f"cannot read {path}: {error_text(error)}") from error
        if bad:
            _log.warning(
                "%s: %d bad lines left out; line %d: %s",
                path.name,
                len(bad),
                bad[0].number,
                bad[0].reason,
            )
    return _by_scrape(quotes), results


def _imported(paths: Iterable[Path], importer: Importer) -> tuple[list[Moment], list[GameResult]]:
    problems: list[str] = []
    files = (file for path in paths for file in source_files(importer, path, problems))
    converted = [_warned(imported) for imported in importer.convert_each(files)]
    if problems:
        raise FeedError(problems[0])
    results = [result for each in converted for result in each.results]
    if importer.snapshots:
        return list(_rounds([each.quotes for each in converted if each.quotes])), results
    return _by_scrape([quote for each in converted for quote in each.quotes]), results


def _warned(imported: Imported) -> Imported:
    for problem in imported.problems:
        _log.warning("%s", problem)
    return imported


def _by_scrape(quotes: list[Quote]) -> list[Moment]:
    quotes.sort(key=attrgetter("scraped_at"))
    return [Moment(at, list(group)) for at, group in groupby(quotes, attrgetter("scraped_at"))]


def _rounds(snapshots: Iterable[list[Quote]]) -> Iterator[Moment]:
    """Merge the snapshots of each round of requests into one moment."""
    dated = sorted(((_newest(quotes), quotes) for quotes in snapshots), key=lambda pair: pair[0])
    together: list[Quote] = []
    began: int | None = None
    for newest, quotes in dated:
        if began is not None and newest - began > ROUND_MS:
            yield _moment(together)
            together, began = [], None
        began = newest if began is None else began
        together = together + quotes
    if together:
        yield _moment(together)


def _moment(quotes: list[Quote]) -> Moment:
    return Moment(_newest(quotes), sorted(quotes, key=attrgetter("scraped_at")))


def _newest(quotes: list[Quote]) -> int:
    return max(quote.scraped_at for quote in quotes)


REPEAT_MS = 10_000
"""How often the last prices are repeated after the end."""
TICK_MS = 100
"""Quotes due within one tick are yielded together."""
SPREAD_MS = 30_000
"""The longest time over which the games of a moment are spread (see ``_steps``)."""
BATCH_QUOTES = 500
LONGEST_GAME_MS = 4 * 60 * MINUTE_MS
_REST_OF_DAY_MS = 18 * 60 * MINUTE_MS
"""From noon UTC to the end of the last game of a day."""
_SOURCE = "replay"
"""The source of results that have none."""
UNHEARD_MS = 10 * MINUTE_MS

Sleep = Callable[[float], Awaitable[None]]
"""Waits a number of seconds."""


def open_replay(place: str, speed: float) -> "Replay":
    """Return the replay of ``[FORMAT:]FILE``.

    Raises:
        FeedError: the files cannot be used, or the speed is not above 0.
    """
    if not (math.isfinite(speed) and speed > 0):
        raise FeedError(f"speed: expected a number above 0, got {speed}")
    title = Path(place.rpartition(":")[2]).name or place
    file_format, _ = _split(place)
    origin = None if file_format is None else origin_named(file_format.name)
    recording = read_recording(place)
    return Replay(recording.moments, title, speed, origin=origin, results=recording.results)


class Replay:
    """A feed that plays the moments of a recording."""

    simulated = False

    def __init__(
        self,
        moments: Sequence[Moment],
        title: str,
        speed: float,
        sleep: Sleep = asyncio.sleep,
        *,
        origin: Origin | None = None,
        results: Sequence[tuple[int, GameResult]] = (),
    ) -> None:
        self.origin = origin
        self._results = results
        self.name = N_(f"replay of {title}") + (f" · {speed:g}x" if speed != 1 else "")
        self._moments = moments
        self._elapsed: Callable[[], int] = lambda: 0
        """For how many milliseconds it has been playing."""
        self._speed = speed
        self._sleep = sleep

    @property
    def recorded_at(self) -> int:
        """The moment of the recording that is playing, in milliseconds; the last at its end."""
        first, last = self._moments[0].at, self._moments[-1].at
        return min(first + round(self._elapsed() * self._speed), last)

    @property
    def is_over(self) -> bool:
        """Whether the recording has played to its end."""
        return self.recorded_at == self._moments[-1].at

    async def batches(self, clock: Clock) -> AsyncGenerator[list[Reported], None]:
        """Yield quotes and results when due; after the end, repeat the last prices."""
        retiming = _Retiming(self._moments[0].at, clock(), self._speed)
        self._elapsed = lambda: max(0, clock() - retiming.start)
        standing = StandingQuotes()
        waiting = deque(self._results)
        for offset, quotes in _batched(_steps(self._moments, self._speed)):
            while waiting and (due_ms := retiming.due(waiting[0][0])) < retiming.start + offset:
                await self._wait_until(due_ms, clock)
                yield self._due_results(waiting, retiming, clock())
            await self._wait_until(retiming.start + offset, clock)
            for quote, _ in quotes:
                standing.hear(quote)
            yield [retiming.apply(quote, late) for quote, late in quotes]
        last = standing.at(self._moments[-1].at)
        due_ms = clock()
        while last or waiting:
            slices = max(math.ceil(len(last) / BATCH_QUOTES), 1)
            for number in range(slices):
                await self._wait_until(due_ms + REPEAT_MS * (number + 1) // slices, clock)
                again = last[number * BATCH_QUOTES : (number + 1) * BATCH_QUOTES]
                results = self._due_results(waiting, retiming, clock())
                if again or results:
                    yield [*(retiming.repeat(quote, clock()) for quote in again), *results]
            due_ms = max(due_ms + REPEAT_MS, clock() - REPEAT_MS)

    def _due_results(
        self, waiting: deque[tuple[int, GameResult]], retiming: "_Retiming", now_ms: int
    ) -> list[Reported]:
        """Take the results out that are due, in replay time."""
        found: list[Reported] = []
        while waiting and retiming.due(waiting[0][0]) <= now_ms:
            result = retiming.apply_to_result(waiting.popleft()[1])
            found.append(with_source(result, _SOURCE) if self.origin is None else result)
        return found

    async def _wait_until(self, due_ms: float, clock: Clock) -> None:
        if (wait := due_ms - clock()) > 0:
            await self._sleep(wait / 1000)


class StandingQuotes:
    """The last quote of each market; grows with the replay, so the end is quick."""

    def __init__(self) -> None:
        self._games = _GameNames(0)
        self._last: dict[tuple[str, str, str, str, int], Quote] = {}
        self._heard: dict[tuple[str, str], int] = {}

    def hear(self, quote: Quote) -> None:
        """Add a quote as it was recorded."""
        game = (quote.competition, self._games.game_name(quote))
        self._heard[game] = max(quote.scraped_at, self._heard.get(game, 0))
        market = (quote.bookmaker, *game, quote.market_type, quote.period)
        if quote.unread and (before := self._last.get(market)) is not None:
            stays = {name: odds for name, odds in before.odds.items() if quote.stays(name)}
            quote = msgspec.structs.replace(quote, odds=stays | quote.odds, unread=None, gone=())
        self._last[market] = quote

    def at(self, end: int) -> list[Quote]:
        """Return the current quotes at the recording's end, in milliseconds.

        A game is over if it kicked off hours before the end and has no later quote.
        """
        return [quote for quote in self._last.values() if quote.odds and not self._over(quote, end)]

    def _over(self, quote: Quote, end: int) -> bool:
        kick_off = end if quote.match_date is None else quote.match_date
        if end - kick_off <= LONGEST_GAME_MS:
            return False
        return end - self._heard[quote.competition, self._games.game_name(quote)] > UNHEARD_MS


class _Retiming:
    """Moves times: ``first`` of the recording becomes ``start`` on the clock."""

    def __init__(self, first: int, start: int, speed: float) -> None:
        self.start = start
        self._first = first
        self._speed = speed
        self._games = _GameNames(start - first)

    def apply(self, quote: Quote, late: int = 0) -> Quote:
        """Return the quote in replay time, ``late`` milliseconds later."""
        return msgspec.structs.replace(
            quote,
            match_name=self._games.game_name(quote),
            match_date=None if quote.match_date is None else self._moved(quote.match_date),
            scraped_at=self._moved(quote.scraped_at) + late,
        )

    def repeat(self, quote: Quote, now_ms: int) -> Quote:
        """Return the quote as if it was scraped now."""
        return msgspec.structs.replace(self.apply(quote), scraped_at=now_ms)

    def apply_to_result(self, result: GameResult) -> GameResult:
        """Return a result in replay time."""
        reported_at = result.reported_at
        return msgspec.structs.replace(
            result,
            match_name=self._games.name_of(result.competition, result.match_name, result.kick_off),
            kick_off=self._moved(result.kick_off),
            reported_at=self._moved(reported_at) if reported_at else 0,
        )

    def due(self, ms: int) -> int:
        """Return when something of the recording is due; what is older than it, at its start."""
        return max(self._moved(ms), self.start)

    def _moved(self, ms: int) -> int:
        return bounded_ms(self.start + round((ms - self._first) / self._speed))


class _GameNames:
    """Adds the date to one of two games of the same teams, before speed moves them together.

    The later game carries its date, moved by ``shift_ms`` as at normal speed.
    """

    def __init__(self, shift_ms: int) -> None:
        self._shift_ms = shift_ms
        self._kick_offs: dict[tuple[str, str], list[int]] = {}

    def game_name(self, quote: Quote) -> str:
        """Return the name of the quote's game."""
        kick_off = quote.match_date
        if kick_off is None:
            return quote.match_name
        return self.name_of(quote.competition, quote.match_name, kick_off)

    def name_of(self, competition: str, match_name: str, kick_off: int) -> str:
        """Return the name of a game."""
        known = self._kick_offs.setdefault((competition, match_name), [kick_off])
        for number, other in enumerate(known):
            if abs(other - kick_off) <= SAME_GAME_MS:
                return self._dated(match_name, other) if number else match_name
        known.append(kick_off)
        return self._dated(match_name, kick_off)

    def _dated(self, match_name: str, kick_off: int) -> str:
        return f"{match_name} ({format_ms(bounded_ms(kick_off + self._shift_ms))[:10]})"


class _Step(msgspec.Struct, frozen=True):
    """Quotes due ``offset`` milliseconds after the start, ``late`` after their moment."""

    offset: int
    late: int
    quotes: Sequence[Quote]


def _steps(moments: Sequence[Moment], speed: float) -> Iterator[_Step]:
    """Spread each moment over the time until the next one, game by game.

    At 3600x, snapshots that are six hours apart come every six seconds; all at once they would make
    the desk freeze repeatedly. A game is never split: prices that were compared at one moment come
    at one moment. The first moment comes at once.
    """
    span = 0
    for number, moment in enumerate(moments):
        offset = round((moment.at - moments[0].at) / speed)
        if number + 1 < len(moments):
            span = round((moments[number + 1].at - moment.at) / speed)
        if number == 0 or span < TICK_MS:
            yield _Step(offset, 0, moment.quotes)
            continue
        games = list(_by_game(moment.quotes))
        for place, quotes in enumerate(games):
            late = min(span, SPREAD_MS) * place // len(games)
            yield _Step(offset + late, late, quotes)


def _by_game(quotes: Sequence[Quote]) -> Iterator[list[Quote]]:
    games: dict[tuple[str, str], list[Quote]] = {}
    for quote in quotes:
        games.setdefault((quote.competition, quote.match_name), []).append(quote)
    yield from games.values()


def _batched(steps: Iterator[_Step]) -> Iterator[tuple[int, list[tuple[Quote, int]]]]:
    """Join the steps of a tick, and split what is too much for one recording."""
    for _, together in groupby(steps, lambda step: step.offset // TICK_MS):
        said = list(together)
        due_ms = said[-1].offset
        quotes = [(quote, step.late) for step in said for quote in step.quotes]
        for start in range(0, len(quotes), BATCH_QUOTES):
            yield due_ms, quotes[start : start + BATCH_QUOTES]
