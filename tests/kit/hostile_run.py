"""Playing misbehaviours of a service against a board that is kept current, and what came of it."""

import asyncio
import gc
import logging
import os
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from oddsdesk.base.clock import system_clock
from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.board.board import Board
from oddsdesk.board.intake.reading_plan import Pace
from oddsdesk.board.intake.sync import Sync
from oddsdesk.board.model.matrix import CellKey
from oddsdesk.board.model.notices import Link
from oddsdesk.client import Client
from oddsdesk.desk.shell.status_bar import link_text
from tests.kit.hostile_service import (
    BAD,
    FIRST_PRICE,
    GAME,
    GOOD_AGAIN,
    HOME,
    KEY,
    LAST_PRICE,
    SOFT,
    TOKEN,
    HostileService,
    Misbehaviour,
)

LONGEST_S: Final = 0.25
"""Of work in one piece, on the thread of the loop or the window (D85)."""
MOST_MIB: Final = 150
LEAST_S: Final = 1.0
"""A misbehaviour goes on for so long at least."""
RECOVERS_S: Final = 60.0
_PACE: Final = Pace(2.0, 2.0, 2.0, 2.0, 2.0)
_BEAT_S: Final = 0.005
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_PRICE: Final = CellKey("moneyline", 0, HOME, SOFT)
_REFERENCE: Final = CellKey("moneyline", 0, HOME, "Pinnacle")


class Log(logging.Handler):
    """Keeps all that is logged, but for what libraries say of each frame."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line, with its trace."""
        text = self.format(record)
        self.lines.append(text)
        if record.levelno >= logging.ERROR:
            self.errors.append(text)

    def __enter__(self) -> "Log":
        root = logging.getLogger()
        self._level = root.level
        root.addHandler(self)
        root.setLevel(logging.INFO)
        return self

    def __exit__(self, *_: object) -> None:
        root = logging.getLogger()
        root.removeHandler(self)
        root.setLevel(self._level)

    def secrets(self) -> list[str]:
        """Return the lines with a key or token."""
        return [line for line in self.lines if KEY in line or TOKEN in line]


class Heart:
    """Beats on a loop, and notes the longest time between two beats and the most memory."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget what was until now; as the desk, collect no garbage of long ago."""
        gc.collect()
        gc.freeze()
        self.worked_s = 0.0
        """Processor time of the thread."""
        self.waited_s = 0.0
        self.most_mib = self.first_mib = resident_mib()
        self._at = time.thread_time(), time.monotonic()

    def beat(self) -> None:
        """Be alive; call it again and again."""
        now = time.thread_time(), time.monotonic()
        self.worked_s = max(self.worked_s, now[0] - self._at[0])
        self.waited_s = max(self.waited_s, now[1] - self._at[1])
        self.most_mib = max(self.most_mib, resident_mib())
        self._at = time.thread_time(), time.monotonic()

    @property
    def grown_mib(self) -> float:
        """By how much memory grew at most."""
        return self.most_mib - self.first_mib

    async def on_loop(self) -> None:
        """Beat for ever."""
        while True:
            await asyncio.sleep(_BEAT_S)
            self.beat()


def resident_mib() -> float:
    """Return the memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE / 1024 / 1024


class Watch:
    """Notes what a board's connection says, and which jobs fail."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.said: list[str] = []
        self.faults: set[str] = set()
        self.leave = board.subscribe(lambda _: self.look())

    def look(self) -> None:
        """Note what is said now."""
        connection = self.board.connection
        text = link_text(connection, system_clock())
        if text not in self.said[-1:]:
            self.said.append(text)
        self.faults |= {f"{fault.job}: {fault.reason}" for fault in connection.faults}

    def shows(self, price: float) -> bool:
        """Say whether all is well, and the desk shows only what the service says now."""
        board, connection = self.board, self.board.connection
        if connection.link not in (Link.LIVE, Link.POLLING) or connection.faults:
            return False
        if connection.link is Link.LIVE and connection.reason:
            return False
        held, reference = board.price(GAME, _PRICE), board.price(GAME, _REFERENCE)
        if held is None or reference is None or set(board.games) != {GAME}:
            return False
        if (held.odds, reference.odds) != (price, 2.4) or not held.is_offered:
            return False
        others = [key for key in board.row_keys() if key.game_id != GAME]
        return not any(
            found is not None and found.is_offered
            for key in others
            if (found := board.price(key.game_id, CellKey(*key[1:]))) is not None
        )


class Played:
    """What came of one misbehaviour."""

    def __init__(self, kind: Misbehaviour, watch: Watch) -> None:
        self.kind = kind
        self.watch = watch
        self.was_asked = 0
        self.was_said = ""
        """The words that name it."""
        self.recovered_s: float | None = None

    def wrong(self) -> list[str]:
        """Return what should not have been."""
        found = [f"a job failed: {fault}" for fault in sorted(self.watch.faults)]
        if not self.was_asked:
            found.append("it was never met")
        if self.kind.says and not self.was_said:
            found.append(f"nobody said {self.kind.says!r}, but {self.watch.said[-6:]}")
        if self.recovered_s is None and not self.kind.waits:
            found.append(f"it did not recover: {self.watch.said[-1:]}")
        return found


async def play(
    service: HostileService,
    kind: Misbehaviour,
    watch: Watch,
    log: Log,
    heart: "Heart | None" = None,
) -> Played:
    """Misbehave until the desk has said so, behave again, and wait until it is well.

    The desk is connected to the case already.
    """
    played, slug = Played(kind, watch), kind.slug
    await _until(lambda: watch.shows(FIRST_PRICE), RECOVERS_S)
    if heart is not None:
        heart.begin()  # what a first request imports is nobody's misbehaviour
    lines, texts = len(log.lines), len(watch.said)
    await asyncio.to_thread(service.enter, slug, BAD)

    def is_said() -> bool:
        words = [*watch.said[texts:], *log.lines[lines:]]
        played.was_said = next((text for text in words if re.search(kind.says, text)), "")
        return bool(played.was_said)

    await asyncio.sleep(LEAST_S)
    if kind.says:
        await _until(is_said, kind.patience_s)
    ends = time.monotonic() + RECOVERS_S
    while not (asked := await asyncio.to_thread(service.asked, slug)) and time.monotonic() < ends:
        await asyncio.sleep(LEAST_S)
    played.was_asked = asked
    await asyncio.to_thread(service.enter, slug, GOOD_AGAIN)
    began = time.monotonic()
    if await _until(lambda: watch.shows(LAST_PRICE), 0.0 if kind.waits else RECOVERS_S):
        played.recovered_s = time.monotonic() - began
    return played


@asynccontextmanager
async def kept_board(url: str) -> AsyncIterator[Board]:
    """Keep a board current from a service, as the desk does, but oftener."""
    board = Board(system_clock)
    async with Client(url, KEY, keeps_quota=True) as client:
        sync = Sync(client, board, system_clock, pace=_PACE, randomness=lambda: 0.0)
        sync.subscribe_game(GAME)
        sync.want_rows(True)
        sync.start_reading()
        try:
            yield board
        finally:
            await sync.stop_reading()


async def play_headless(
    service: HostileService, kind: Misbehaviour, log: Log, heart: Heart | None = None
) -> Played:
    """Play against a board without a window."""
    async with kept_board(service.url(kind.slug)) as board:
        return await play(service, kind, Watch(board), log, heart)


@asynccontextmanager
async def beating() -> AsyncIterator[Heart]:
    """Have a heart beat on the running loop."""
    heart = Heart()
    task = spawn("heart", heart.on_loop())
    try:
        yield heart
    finally:
        await cancel_tasks(task)


async def _until(holds: Callable[[], bool], limit_s: float) -> bool:
    """Wait until something holds, no longer than that; say whether it does."""
    ends = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() >= ends:
            return False
        await asyncio.sleep(0.05)
    return True
