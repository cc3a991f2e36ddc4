"""A board kept as a database has it, which feeds of another process record into."""

import asyncio
import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import msgspec

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Link, SnapshotProgress
from oddsdesk.board.readings import AHEAD_MS
from oddsdesk.cli.bet_sources import DAY_MS, row_of
from oddsdesk.clock import Clock
from oddsdesk.contract.resources import OddsRow
from oddsdesk.contract.times import WINDOW_MS
from oddsdesk.silence import Arrivals
from oddsdesk.slices import in_slices
from oddsdesk.store.databases import Database
from oddsdesk.store.errors import StoreError
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import StandingQuote

_EVERY_S: Final = 1.0
_QuoteKey = tuple[str, str, int, str]


class _New(NamedTuple):
    """What is new in a database."""

    rows: list[OddsRow]
    draws: list[tuple[str, int, str]]
    reference: str
    """Whom it judges by; empty where nothing is new."""
    simulated: bool
    shifted: bool
    newest: int
    """When the newest price of all was scraped, 0 where there is none."""


class FollowedDatabase:
    """Reads what is new each second, on a thread of its own; writes nothing."""

    def __init__(self, database: Database, board: Board, clock: Clock) -> None:
        self._database = database
        self._board = board
        self._clock = clock
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="database")
        self._store: Store | None = None
        self._seen: dict[_QuoteKey, int] = {}
        """When each quote that is held was scraped."""
        self._newest: tuple[int | None, int] | None = None
        """Of the database: when its newest price was scraped, and where its log ends."""
        self._simulated = False
        self._arrivals = Arrivals()
        self._looked_at = 0

    async def open(self) -> None:
        """Open the database and read all that stands.

        Raises:
            StoreError: it is missing or damaged, or cannot be read now.
        """
        self._board.want_values(True)
        await self._read()

    async def run(self) -> None:
        """Keep the board current; a database in trouble is told as a lost connection."""
        while True:
            await asyncio.sleep(_EVERY_S)
            try:
                await self._read()
            except StoreError as error:
                self._connect(Link.WAITING, str(error))
            await in_slices(self._board.sweeping())

    async def close(self) -> None:
        """Let go of the database."""
        self._pool.submit(self._close)
        self._pool.shutdown(wait=False)

    async def _read(self) -> None:
        before, self._looked_at = self._looked_at, self._clock()
        if before - self._looked_at > AHEAD_MS:  # what was seen by then would hide what is seen now
            self._board.forget_prices()
            self._seen, self._newest = {}, None
        loop = asyncio.get_running_loop()
        new = await loop.run_in_executor(self._pool, self._new)
        held = self._board.connection
        self._arrivals.look(new.newest, self._clock())
        facts = msgspec.structs.replace(
            held,
            simulated=new.simulated,
            shifted=new.shifted,
            silent_since_ms=self._arrivals.silent_since(),
        )
        self._board.set_connection(facts)
        if new.reference:
            self._board.name_reference(new.reference)
        asked_at = self._clock()
        await in_slices(self._board.merge_rows(new.rows, asked_at))
        all_read = SnapshotProgress(1, 1, len(new.rows), finished_at=asked_at)
        self._board.set_snapshot_progress(all_read)
        for game, period, bookmaker in new.draws:
            self._board.miss_draw(game, period, bookmaker, asked_at)
        self._connect(Link.LIVE, None)

    def _new(self) -> "_New":
        """What was recorded since the last look; on the database's thread."""
        if self._store is None:
            self._store = open_store(self._database, read_only=True)
        reader, now = self._store.reader(), self._clock()
        simulated, shifted = reader.is_simulated(now), reader.is_shifted(now)
        if self._simulated and not simulated:  # the board lets go of all that it holds
            self._seen, self._newest = {}, None
        self._simulated = simulated
        is_first = self._newest is None
        newest = (reader.last_scraped_at(), reader.last_seq())
        scraped = newest[0] or 0
        if newest == self._newest:
            return _New([], [], "", simulated, shifted, scraped)
        age_ms = DAY_MS if is_first else WINDOW_MS
        rows = [row_of(quote) for quote in self._changed(reader.standing_quotes(now, age_ms))]
        draws = reader.priced_draws(now - age_ms) if is_first else ()
        self._newest = newest
        missed = [(game, period, name) for game, name, period in draws]
        return _New(rows, missed, self._store.reference, simulated, shifted, scraped)

    def _changed(self, quotes: list[StandingQuote]) -> Iterator[StandingQuote]:
        for quote in quotes:
            key = (quote.game_id, quote.market_type, quote.period, quote.bookmaker)
            if self._seen.get(key) != quote.scraped_at:
                self._seen[key] = quote.scraped_at
                yield quote

    def _close(self) -> None:
        if self._store is not None:
            with contextlib.suppress(StoreError):
                self._store.close()

    def _connect(self, link: Link, reason: str | None) -> None:
        held = self._board.connection
        since = held.since_ms if held.link is link else self._clock()
        changed = msgspec.structs.replace(held, link=link, reason=reason, since_ms=since)
        if changed != held:
            self._board.set_connection(changed)
