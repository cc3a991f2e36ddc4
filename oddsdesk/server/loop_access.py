"""Keys and counts for the event loop: from memory; what is not there is read on a thread."""

import asyncio
import contextlib
from concurrent.futures import Future
from typing import Final

from msgspec.structs import replace

from oddsdesk.clock import Clock, jumps_of
from oddsdesk.contract.plans import DAY_S
from oddsdesk.server.circuit import Circuit
from oddsdesk.server.reader_pool import ReaderPool
from oddsdesk.store.access import AccessStore
from oddsdesk.store.errors import StoreError
from oddsdesk.store.keys import KNOWN_S, Caller
from oddsdesk.store.quotas import Count, Kind, Token

RECHECK_S: Final = 0.25
"""How old the known keys may be before they are read again; they still hold meanwhile."""


class LoopAccess:
    """Asks an ``AccessStore`` on an event loop, which never waits for its database.

    What is a coroutine may wait, and raise ``StoreUnavailableError``; the rest tells what is known.
    ``circuit`` is that of the database. Whoever opened the store closes it. Times are those of
    ``clock``; where it jumps, nothing is counted anew for that (D84).
    """

    def __init__(self, store: AccessStore, clock: Clock) -> None:
        self._jumped = jumps_of(clock)
        self.circuit = Circuit()
        self.secret = store.secret
        self._keys, self._quotas = store.keys, store.quotas
        self._thread = ReaderPool("access", threads=1, circuit=self.circuit)
        self._reading: asyncio.Future[None] | None = None
        self._failure: BaseException | None = None

    @property
    def thread(self) -> ReaderPool:
        """The thread that asks the store."""
        return self._thread

    async def caller(self, secret: str) -> Caller | None:
        """Return the caller of an active key, None for any other text."""
        await self._be_recent()
        caller = self._keys.caller(secret)
        if caller is None:  # another process may have made it just now
            await self.refresh()
            caller = self._keys.caller(secret)
        return caller

    async def by_id(self, key_id: int) -> Caller | None:
        """Return who holds the active key of this id, as it was half a second ago or later."""
        await self._be_recent()
        return self._keys.by_id(key_id)

    def known_by_id(self, key_id: int) -> Caller | None:
        """Return who holds the active key of this id, as far as it is known."""
        return self._keys.by_id(key_id)

    def known_caller(self, secret: str) -> Caller | None:
        """Return the caller of a key, as far as it is known."""
        return self._keys.caller(secret)

    def is_unchanged(self, caller: Caller) -> bool:
        """Return whether a key is active and its rights are the same, as far as it is known."""
        return self._keys.present(caller) == caller

    async def refresh(self) -> None:
        """Read again what was changed until now; all who ask meanwhile wait for one reading."""
        self.circuit.check()
        if self._reading is not None:  # it may have looked before the change
            with contextlib.suppress(StoreError):
                await self._wait(self._reading)
            self.circuit.check()
        await self._wait(self._reading or self._read())

    def refresh_soon(self) -> None:
        """Begin to read again what was changed.

        Raises:
            StoreError: the last reading failed.
        """
        if self._reading is None:
            self._read()
        if self._failure is not None:
            raise self._failure

    async def peek(
        self, key_id: int, kind: Kind, allowance: int, window_s: int, now_ms: int
    ) -> Count:
        """Return where a key stands without counting."""
        jumped = self._jumped(now_ms)
        await self._know_count(key_id, kind, window_s, now_ms - jumped)
        count = self._quotas.peek(key_id, kind, allowance, window_s, now_ms - jumped)
        return _as_seen(count, jumped)

    def known_count(
        self, key_id: int, kind: Kind, allowance: int, window_s: int, now_ms: int
    ) -> Count | None:
        """Return the same, None where it is not known."""
        jumped = self._jumped(now_ms)
        if not self._quotas.knows(key_id, kind, window_s, now_ms - jumped):
            return None
        count = self._quotas.peek(key_id, kind, allowance, window_s, now_ms - jumped)
        return _as_seen(count, jumped)

    async def take(
        self, key_id: int, kind: Kind, allowance: int, window_s: int, now_ms: int
    ) -> Count:
        """Count one if the window has one left."""
        jumped = self._jumped(now_ms)
        slot = key_id, kind, allowance, window_s
        count = self._quotas.take(*slot, now_ms - jumped)
        if count is None:
            self.circuit.check()
            count = await self._counted(slot, self._quotas.take_exactly(*slot, now_ms - jumped))
        return _as_seen(count, jumped)

    async def spend_token(
        self, token: Token, key_id: int, connections: int | None, now_ms: int
    ) -> Count:
        """Use a stream token up, and count the connection of a plan that has so many a day.

        Raises:
            TokenSpentError: it was used before, here or by another process; nothing is counted.
        """
        self.circuit.check()
        jumped = self._jumped(now_ms)
        slot = key_id, Kind.CONNECTIONS, connections, DAY_S
        counting = self._quotas.take_exactly(*slot, now_ms - jumped, token)
        return _as_seen(await self._counted(slot, counting), jumped)

    def give_back(
        self, key_id: int, kind: Kind, allowance: int, window_s: int, taken: Count
    ) -> Count:
        """Undo one ``take``; nothing happens if its window is over."""
        count = self._quotas.give_back(key_id, kind, allowance, window_s, taken)
        return replace(count, jumped_s=taken.jumped_s)

    def flush(self) -> Future[None] | None:
        """Start adding the counts to the database, as ``Quotas.flush`` does."""
        return self._quotas.flush()

    def read_keys(self) -> None:
        """Read again what was changed; on any thread but the loop's.

        Raises:
            StoreUnavailableError: that is not possible now.
        """
        self._keys.refresh()

    def close(self) -> None:
        """End the thread, before the store is closed."""
        self._thread.close()

    async def _know_count(self, key_id: int, kind: Kind, window_s: int, now_ms: int) -> None:
        if not self._quotas.knows(key_id, kind, window_s, now_ms):
            slot = key_id, kind, window_s
            await self._thread.run(lambda: self._quotas.learn([slot], now_ms))

    async def _counted(
        self, slot: tuple[int, Kind, int | None, int], counting: Future[Count]
    ) -> Count:
        """Wait for what the database counts; what nobody waits for any more is given back."""
        try:
            return await self.circuit.wait(asyncio.wrap_future(counting))
        except (StoreError, asyncio.CancelledError):
            counting.add_done_callback(lambda done: self._undo(slot, done))
            raise

    def _undo(self, slot: tuple[int, Kind, int | None, int], done: Future[Count]) -> None:
        key_id, kind, allowance, window_s = slot
        if allowance is not None and done.exception() is None and done.result().allowed:
            self._quotas.give_back(key_id, kind, allowance, window_s, done.result())

    async def _wait(self, reading: asyncio.Future[None]) -> None:
        await self.circuit.wait(asyncio.shield(reading))

    async def _be_recent(self) -> None:
        age_s = self._keys.age_s
        if age_s > KNOWN_S:
            await self.refresh()
        elif age_s > RECHECK_S and self._reading is None:
            self._read()

    def _read(self) -> asyncio.Future[None]:
        reading = self._reading = self._thread.begin(self._keys.refresh)
        reading.add_done_callback(self._have_read)
        return reading

    def _have_read(self, reading: asyncio.Future[None]) -> None:
        self._reading = None
        self._failure = None if reading.cancelled() else reading.exception()


def _as_seen(count: Count, jumped_ms: int) -> Count:
    """Return a count whose reset can be told by the clock that people see."""
    return replace(count, jumped_s=jumped_ms // 1000) if jumped_ms else count
