"""Reads results: scores of listed games in play, and how the games of bets ended.

Only services of this program have results. Whether one has is asked without cost, once per
connection. Nothing is asked while no listed game is in play and no bet is due.
"""

import logging
from collections.abc import Iterable, Iterator
from typing import Final

from oddsdesk.base.clock import Clock
from oddsdesk.base.polling import Reading
from oddsdesk.board.board import Board
from oddsdesk.board.intake.quote_readings import AHEAD_MS
from oddsdesk.board.model.results import HeldResult
from oddsdesk.client.client import RESULTS_PATH, Client
from oddsdesk.contract.results import (
    SOUGHT_EARLIER_MS,
    SOUGHT_LATER_MS,
    BadResultError,
    ResultRow,
    of_row,
)
from oddsdesk.contract.times import HOUR_MS, format_ms

RESULTS: Final = "results"
"""The name of the job in ``Poller`` and ``Budget``."""
_WEIGHT: Final = 0.1
_CHANGES: Final = 3.0
"""Changes of the score or status of a game per hour."""
_SECONDS: Final = 20.0
_PLAYED_MS: Final = 5 * HOUR_MS
"""How long after the kick-off a listed game may be in play, or just over."""
_RECENT_MS: Final = 36 * HOUR_MS
"""How long after the kick-off an open bet's result may come at any moment."""
_SELDOM_MS: Final = HOUR_MS
"""How often results of earlier games are read, and those of games that may have been moved."""
_CORRECTED_MS: Final = 6 * HOUR_MS
"""The same for bets that are settled: their results may be corrected."""
_NEAR_MS: Final = 13 * HOUR_MS
"""Some sources know only the day of a game, and give noon UTC."""
_LIMIT: Final = 500
_MOST_PAGES: Final = 40
"""Most requests of one reading; the rest is read the next time."""
_MOST_LOGGED: Final = 20

Span = tuple[int, int]

_log = logging.getLogger(__name__)


class ResultReader:
    """Reads results into a board, as far as something depends on them."""

    def __init__(self, client: Client, board: Board, clock: Clock) -> None:
        self._client = client
        self._board = board
        self._clock = clock
        self._is_offered: bool | None = None
        """Whether the service has results; None until that is asked."""
        self._read_at: dict[int, int] = {}
        """When results around a bet's kick-off were last read, by kick-off."""
        self._pages = 1
        """How many requests the last reading took."""
        self._unread: set[str] = set()
        """Games with results that make no sense; each of the first is logged once."""

    def reading(self) -> Reading:
        """Return what reading results takes."""
        return Reading(self._pages, _WEIGHT, _CHANGES, 3_600 / _SECONDS)

    @property
    def is_due(self) -> bool:
        """Whether anything depends on the results of games that have begun."""
        return self._is_offered is not False and any(True for _ in self._due())

    async def read_results(self) -> None:
        """Read what is due, unless the service has no results."""
        if not await self._has_results():
            return
        now, pages = self._clock(), 0
        for since, until in _joined(list(self._due())):
            used, read_until = await self._read_span(since, until, _MOST_PAGES - pages)
            pages += used
            there = [each for each in self._board.result_kick_offs if since <= each <= until]
            read = [each for each in there if each <= min(now, read_until)]
            self._read_at.update(dict.fromkeys(read or [min(there)] if there else [], now))
            if pages >= _MOST_PAGES:
                break
        self._pages = max(1, pages)

    async def _has_results(self) -> bool:
        if self._is_offered is None:
            self._is_offered = await self._client.offers(RESULTS_PATH)
        return self._is_offered

    async def _read_span(self, since: int, until: int, most: int) -> tuple[int, int]:
        """Read the results of a span; return the number of requests, and up to which kick-off.

        That is before ``until`` if there are more results than ``most`` requests answer.
        """
        cursor: str | None = None
        read_until = since
        for page in range(1, most + 1):
            found = await self._client.results(
                since=format_ms(since), until=format_ms(until), limit=_LIMIT, cursor=cursor
            )
            results = list(self._readable(found))
            self._board.take_results(results)
            read_until = max((each.result.kick_off for each in results), default=read_until)
            cursor = found.next_cursor
            if cursor is None:
                return page, until
        return most, read_until

    def _readable(self, rows: Iterable[ResultRow]) -> Iterator[HeldResult]:
        now = self._clock() + AHEAD_MS
        for row in rows:
            try:
                result, before = of_row(row, now)
            except BadResultError as error:
                if row.match_name not in self._unread and len(self._unread) < _MOST_LOGGED:
                    self._unread.add(row.match_name)
                    _log.warning("result of %s not read: %s", row.match_name, error)
                continue
            yield HeldResult(row.game_id, result, before)

    def _due(self) -> Iterator[Span]:
        """Yield the spans of kick-offs whose results are due: of bets, of games in play."""
        now = self._clock()
        for kick_off, is_open in self._board.result_kick_offs.items():
            if self._is_due_seldom(kick_off, now):
                yield kick_off - SOUGHT_EARLIER_MS, min(now, kick_off + SOUGHT_LATER_MS) + HOUR_MS
            elif is_open and now - _RECENT_MS < kick_off <= now:
                yield kick_off - _NEAR_MS, min(now, kick_off + _NEAR_MS) + HOUR_MS
        for game in self._board.games.values():
            if game.kick_off is not None and 0 <= now - game.kick_off <= _PLAYED_MS:
                yield game.kick_off - HOUR_MS, game.kick_off + HOUR_MS

    def _is_due_seldom(self, kick_off: int, now: int) -> bool:
        read_at = self._read_at.get(kick_off)
        every = _SELDOM_MS if self._board.result_kick_offs.get(kick_off) else _CORRECTED_MS
        return kick_off <= now and (read_at is None or abs(now - read_at) >= every)


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Return spans, those that overlap as one: the latest first."""
    joined: list[Span] = []
    for since, until in sorted(spans):
        if joined and since <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(until, joined[-1][1])
        else:
            joined.append((since, until))
    return joined[::-1]
