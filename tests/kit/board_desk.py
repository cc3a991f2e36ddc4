"""What a desk holds of a service: its client's data layer and its board, on a loop of its own."""

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import httpx

from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
from oddsdesk.board.intake.sync import Sync
from oddsdesk.board.model.notices import ConnectionChanged, Link, Notice
from oddsdesk.client.client import Client

T = TypeVar("T")
LIMIT_S = 30
LOOK_S = 0.2
Odds = dict[tuple[str, str, int, str, str | None], float]
"""By game id, market type, period, selection and bookmaker, the reference being None."""


class BoardDesk:
    """Reads some games and all else that a desk reads, until it is closed.

    ``links`` are the states of its connection, each with when it began.
    """

    def __init__(self, url: str, key: str, other_key: str, game_ids: Sequence[str]) -> None:
        """``other_key`` is for who compares: it takes nothing of the desk's quota."""
        self._url, self._key, self._game_ids = url, key, game_ids
        self._other = {"X-Api-Key": other_key}
        self._board = Board(system_clock)
        self.links: list[tuple[float, Link]] = []
        self._loop = asyncio.new_event_loop()
        self._ending = asyncio.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def close(self) -> None:
        """Let go of the service."""
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join()

    def states_after(self, moment: float) -> list[tuple[Link, float]]:
        """Return its states since a moment, each with for how many seconds it lasted."""
        before = [link for at, link in self.links if at <= moment]
        later = [(at, link) for at, link in self.links if at > moment]
        told = [(moment, before[-1]), *later] if before else later
        ends = [*told, (time.monotonic(), Link.STOPPED)]
        return [(link, after - at) for (at, link), (after, _) in pairwise(ends)]

    def differing(self, limit_s: float) -> int:
        """Return how many prices of its games the service tells otherwise.

        Once its stream is up and none does, or after so many seconds.
        """
        deadline = time.monotonic() + limit_s
        while True:
            is_live = bool(self.links) and self.links[-1][1] is Link.LIVE
            count = self._count() if is_live else -1
            if not count or time.monotonic() > deadline:
                return abs(count)
            time.sleep(LOOK_S)

    def _count(self) -> int:
        try:
            held, told = self._ask(self._odds), self._told()
        except httpx.HTTPError:  # the service is away
            return -1
        return sum(held.get(key) != told.get(key) for key in held.keys() | told.keys())

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._keep_current())
        finally:
            self._loop.close()

    async def _keep_current(self) -> None:
        board = self._board
        async with Client(self._url, self._key, keeps_quota=True) as client:
            sync = Sync(client, board, system_clock)
            end_notices = board.subscribe(self._on_notice)
            for game_id in self._game_ids:
                sync.subscribe_game(game_id)
            sync.start_reading()
            await self._ending.wait()
            end_notices()
            await sync.stop_reading()

    def _on_notice(self, notice: Notice) -> None:
        link = self._board.connection.link
        if isinstance(notice, ConnectionChanged) and (not self.links or self.links[-1][1] != link):
            self.links.append((time.monotonic(), link))

    def _odds(self) -> Odds:
        found: Odds = {}
        for game_id in self._game_ids:
            matrix = self._board.matrix(game_id)
            for section in () if matrix is None else matrix.sections:
                market = (section.key.market_type, section.key.period)
                for row in section.rows:
                    for bookmaker, price in row.prices.items():
                        if price.is_offered:
                            found[game_id, *market, row.selection, bookmaker] = price.odds
        return found

    def _told(self) -> Odds:
        found: Odds = {}
        judge = self._board.desk_reference.bookmaker
        for game_id in self._game_ids:
            url = f"{self._url}/api/games/{game_id}"
            answer = httpx.get(url, headers=self._other, timeout=LIMIT_S).raise_for_status()
            matrix: dict[str, Any] = answer.json()["data"]
            for market in matrix["markets"]:
                named = (market["market_type"], market["period"])
                for row in market["selections"]:
                    cells = {judge: row["reference"], **row["books"]}
                    for bookmaker, cell in cells.items():
                        if cell is not None and cell["odds"] is not None:
                            found[game_id, *named, row["selection"], bookmaker] = cell["odds"]
        return found

    def _ask(self, read: Callable[[], T]) -> T:
        async def answer() -> T:
            return read()

        return asyncio.run_coroutine_threadsafe(answer(), self._loop).result(LIMIT_S)
