"""Plays a recording as if it happened now: re-timed, faster or slower, then kept fresh.

Every time is moved by one rule: the recording's first moment is the start, and what came
later comes later by its distance divided by the speed. Kick-offs follow the same rule, so
that a game goes in play when the recording says so, at any speed.
"""

import asyncio
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

import msgspec

from oddsdesk.clock import Clock
from oddsdesk.contract.identity import SAME_GAME_MS
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS, bounded_ms, format_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.importers import IMPORTERS
from oddsdesk.feeds.recording import Moment, read_recording
from oddsdesk.store.origins import Origin, origin_named

REPEAT_MS = 10_000
"""How often the last prices are yielded again after the end."""
TICK_MS = 100
"""Quotes that are due within one tick are yielded together."""
SPREAD_MS = 30_000
"""The games of one moment are spread over at most this long (see ``_steps``)."""
BATCH_QUOTES = 500
LONGEST_GAME_MS = 4 * 60 * MINUTE_MS
UNHEARD_MS = 10 * MINUTE_MS

Sleep = Callable[[float], Awaitable[None]]
"""Waits a number of seconds."""


def open_replay(place: str, speed: float) -> "Replay":
    """Return the replay of ``[FORMAT:]FILE``.

    Raises:
        FeedError: the files can't be used, or the speed is no number above 0.
    """
    if not (math.isfinite(speed) and speed > 0):
        raise FeedError(f"speed: expected a number above 0, got {speed}")
    title = Path(place.rpartition(":")[2]).name or place
    format_name, _, named = place.partition(":")
    origin = origin_named(format_name) if named and format_name in IMPORTERS else None
    return Replay(read_recording(place), title, speed, origin=origin)


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
    ) -> None:
        self.origin = origin
        self.name = f"replay of {title}" + (f" · {speed:g}x" if speed != 1 else "")
        self._moments = moments
        self._elapsed: Callable[[], int] = lambda: 0
        """How many milliseconds it has been played for."""
        self._speed = speed
        self._sleep = sleep

    @property
    def recorded_at(self) -> int:
        """The moment of the recording that is played now, in milliseconds; at its end the last."""
        first, last = self._moments[0].at, self._moments[-1].at
        return min(first + round(self._elapsed() * self._speed), last)

    @property
    def is_over(self) -> bool:
        """Whether the recording was played to its end."""
        return self.recorded_at == self._moments[-1].at

    async def batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield the quotes when they are due; after the last, all last prices again and again."""
        retiming = _Retiming(self._moments[0].at, clock(), self._speed)
        self._elapsed = lambda: max(0, clock() - retiming.start)
        standing = StandingQuotes()
        for offset, quotes in _batched(_steps(self._moments, self._speed)):
            await self._wait_until(retiming.start + offset, clock)
            for quote, _ in quotes:
                standing.hear(quote)
            yield [retiming.apply(quote, late) for quote, late in quotes]
        last = standing.at(self._moments[-1].at)
        due_ms = clock()
        while last:
            slices = math.ceil(len(last) / BATCH_QUOTES)
            for number in range(slices):
                await self._wait_until(due_ms + REPEAT_MS * (number + 1) // slices, clock)
                again = last[number * BATCH_QUOTES : (number + 1) * BATCH_QUOTES]
                yield [retiming.repeat(quote, clock()) for quote in again]
            due_ms = max(due_ms + REPEAT_MS, clock() - REPEAT_MS)

    async def _wait_until(self, due_ms: float, clock: Clock) -> None:
        if (wait := due_ms - clock()) > 0:
            await self._sleep(wait / 1000)


class StandingQuotes:
    """The last quote of each market; it grows with the replay, so that its end is no long job."""

    def __init__(self) -> None:
        self._games = _GameNames(0)
        self._last: dict[tuple[str, str, str, str, int], Quote] = {}
        self._heard: dict[tuple[str, str], int] = {}

    def hear(self, quote: Quote) -> None:
        """Take in a quote, as it was recorded."""
        game = (quote.competition, self._games.name(quote))
        self._heard[game] = max(quote.scraped_at, self._heard.get(game, 0))
        market = (quote.bookmaker, *game, quote.market_type, quote.period)
        if quote.unread and (before := self._last.get(market)) is not None:
            stays = {name: odds for name, odds in before.odds.items() if quote.stays(name)}
            quote = msgspec.structs.replace(quote, odds=stays | quote.odds, unread=None, gone=())
        self._last[market] = quote

    def at(self, end: int) -> list[Quote]:
        """Return what stands at the recording's end, in milliseconds.

        A game is over if it kicked off hours before the end and nobody quoted it any more.
        """
        return [quote for quote in self._last.values() if quote.odds and not self._over(quote, end)]

    def _over(self, quote: Quote, end: int) -> bool:
        kick_off = end if quote.match_date is None else quote.match_date
        if end - kick_off <= LONGEST_GAME_MS:
            return False
        return end - self._heard[quote.competition, self._games.name(quote)] > UNHEARD_MS


class _Retiming:
    """Moves times: ``first`` in the recording is ``start`` on the clock."""

    def __init__(self, first: int, start: int, speed: float) -> None:
        self.start = start
        self._first = first
        self._speed = speed
        self._games = _GameNames(start - first)

    def apply(self, quote: Quote, late: int = 0) -> Quote:
        """Return the quote in the time of the replay, said ``late`` milliseconds later."""
        return msgspec.structs.replace(
            quote,
            match_name=self._games.name(quote),
            match_date=None if quote.match_date is None else self._moved(quote.match_date),
            scraped_at=self._moved(quote.scraped_at) + late,
        )

    def repeat(self, quote: Quote, now_ms: int) -> Quote:
        """Return the quote as if it were scraped again now."""
        return msgspec.structs.replace(self.apply(quote), scraped_at=now_ms)

    def _moved(self, ms: int) -> int:
        return bounded_ms(self.start + round((ms - self._first) / self._speed))


class _GameNames:
    """Tells games of the same teams apart by the day, before speed moves their days together.

    The later game carries its date (D31), moved by ``shift_ms`` as at normal speed.
    """

    def __init__(self, shift_ms: int) -> None:
        self._shift_ms = shift_ms
        self._kick_offs: dict[tuple[str, str], list[int]] = {}

    def name(self, quote: Quote) -> str:
        """Return the name of the quote's game."""
        kick_off = quote.match_date
        if kick_off is None:
            return quote.match_name
        known = self._kick_offs.setdefault((quote.competition, quote.match_name), [kick_off])
        for number, other in enumerate(known):
            if abs(other - kick_off) <= SAME_GAME_MS:
                return self._dated(quote.match_name, other) if number else quote.match_name
        known.append(kick_off)
        return self._dated(quote.match_name, kick_off)

    def _dated(self, match_name: str, kick_off: int) -> str:
        return f"{match_name} ({format_ms(bounded_ms(kick_off + self._shift_ms))[:10]})"


class _Step(msgspec.Struct, frozen=True):
    """Quotes due at ``offset`` milliseconds after the start, ``late`` after their moment."""

    offset: int
    late: int
    quotes: Sequence[Quote]


def _steps(moments: Sequence[Moment], speed: float) -> Iterator[_Step]:
    """Spread each moment over the time until the next one, game by game.

    At 3600x snapshots six hours apart come every six seconds; yielded all at once they would
    make the desk flash and freeze by turns. A game is never torn apart: prices that were
    compared at one moment are heard at one moment. The first moment fills the desk at once.
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
    """Join the steps of a tick, and cut what is too much for one recording."""
    for _, together in groupby(steps, lambda step: step.offset // TICK_MS):
        said = list(together)
        due_ms = said[-1].offset
        quotes = [(quote, step.late) for step in said for quote in step.quotes]
        for start in range(0, len(quotes), BATCH_QUOTES):
            yield due_ms, quotes[start : start + BATCH_QUOTES]
