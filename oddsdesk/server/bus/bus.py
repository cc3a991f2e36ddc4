"""The bus of one process: it tells what is recorded here, and keeps what others tell."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec

from oddsdesk.server.bus.connection import BusConnection
from oddsdesk.server.bus.letters import Heard, Letters, Told
from oddsdesk.server.reader_pool import ReaderPool
from oddsdesk.server.troubles import Trouble, job_troubles
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.tail import Grown, OnRecorded
from oddsdesk.store.values import Change
from oddsdesk.tasks import Jobs

CHUNK: Final = 256
"""Changes of a letter."""
MOST_TOLD: Final = 2_048
"""Of a recording with more changes it is told only that it was: each process reads them."""

Listen = Callable[[OnRecorded], Callable[[], None]]
"""Takes what is to be told of recordings here, on any thread; returns how to end that."""
ReadLog = Callable[[int, int, int], Sequence[Change]]
"""Reads the log behind a number, at most so many changes, of a shard; what some source forbids to
pass on is marked as left out, whatever may be told by this process."""

_WORDS: Final = {"bus": "the bus", "bus letters": "telling other processes what was recorded"}


class Bus:
    """``server.bus.tail.Announcements`` of a NATS server; ``start`` and ``stop`` on one loop.

    ``share`` is what this process may tell although its source forbids that; None: everything.
    """

    def __init__(
        self,
        url: str,
        secret: bytes,
        on_recorded: Listen,
        read_log: ReadLog,
        share: Sequence[str] | None,
    ) -> None:
        """Make it; nothing is connected before ``start``.

        Raises:
            BusError: the URL is none.
        """
        self._letters = Letters(secret)
        self._connection = BusConnection(url, self._letters.subject, self._receive)
        self._on_recorded = on_recorded
        self._read_log = read_log
        self._share = share
        self._reads = ReaderPool("bus", threads=1)
        self._jobs = Jobs()
        self._recorded: list[Grown] = []
        self._has_recorded = asyncio.Event()
        self._awake: set[asyncio.Event] = set()
        self.heard = Heard()

    @property
    def is_open(self) -> bool:
        """Whether the bus works, as far as is known."""
        return self._connection.is_open

    def start(self) -> None:
        """Connect, now or when it is possible, and tell what is recorded from now on."""
        self._jobs.start("bus", self._connection.run)
        self._jobs.start("bus letters", self._tell_all)

    async def stop(self) -> None:
        """End the connection."""
        await self._jobs.stop()
        self._reads.close()

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with it."""
        yield from self._connection.troubles()
        yield from job_troubles(self._jobs.faults, _WORDS)

    @contextlib.contextmanager
    def telling(self, wake: asyncio.Event) -> Iterator[None]:
        """Set an event whenever something was told, inside the block."""
        self._awake.add(wake)
        try:
            yield
        finally:
            self._awake.discard(wake)

    async def _tell_all(self) -> None:
        loop = asyncio.get_running_loop()

        def note(grown: Grown) -> None:
            loop.call_soon_threadsafe(self._note, grown)

        stop_noting = self._on_recorded(note)
        try:
            while True:
                await self._has_recorded.wait()
                self._has_recorded.clear()
                recorded, self._recorded = self._recorded, []
                for each in recorded:
                    with contextlib.suppress(StoreUnavailableError):  # whoever polls finds it
                        await self._tell(each)
        finally:
            stop_noting()

    def _note(self, grown: Grown) -> None:
        if self.is_open:  # else it is found by polls
            self._recorded.append(grown)
            self._has_recorded.set()

    async def _tell(self, grown: Grown) -> None:
        shard, first, last, known = grown
        if last - first >= MOST_TOLD:
            await self._pass_on(Told(shard, last))
            return
        if known:
            await self._pass_on(Told(shard, known[-1].seq, list(known)))
            return
        seq = first - 1
        while seq < last:
            changes = await self._reads.run(
                lambda: self._read_log(seq, min(CHUNK, last - seq), shard)  # noqa: B023 - awaited
            )
            if not changes:
                return  # pruned
            seq = changes[-1].seq
            await self._pass_on(Told(shard, seq, list(changes)))

    async def _pass_on(self, told: Told) -> None:
        self._take(told)
        await self._connection.tell(self._letters.write(told))

    def _receive(self, letter: bytes) -> bool:
        told = self._letters.read(letter)
        if told is not None:
            self._take(told)
        return told is not None

    def _take(self, told: Told) -> None:
        self.heard.take(self._as_may_be_told(told))
        for each in self._awake:
            each.set()

    def _as_may_be_told(self, told: Told) -> Told:
        """Return it as this process may pass it on; without changes where the database decides."""
        if not any(change.is_left_out for change in told.changes) or self._share == ():
            return told
        if self._share is not None:
            return Told(told.shard, told.last)
        replace = msgspec.structs.replace
        changes = [replace(change, is_left_out=False) for change in told.changes]
        return Told(told.shard, told.last, changes)
