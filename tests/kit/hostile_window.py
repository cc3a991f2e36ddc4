"""The desk's window on a service that misbehaves: the program's parts, put together as it does."""

import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final

from keyring.backends.fail import Keyring as NoKeyring
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
from oddsdesk.desk.connections.manager import ConnectionManager, RemoteSession, ServiceSession
from oddsdesk.desk.connections.profiles import KeyPlace, Profile, RemoteProfile, Secrets
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.loop import Garbage, run_on_qt
from oddsdesk.desk.ui.theme.theme import Scheme, Theme
from tests.kit.hostile_run import Heart, Log, Played, Watch, play
from tests.kit.hostile_service import GAME, KEY, HostileService, Misbehaviour

_BEAT_MS: Final = 5
_IDENT: Final = "hostile"


class WatchedDesk:
    """A desk that shows a game, the odds grid and all else, and a heart on the window's thread."""

    def __init__(self, theme: Theme, folder: Path) -> None:
        self.board = Board(system_clock)
        self.records = Records(folder / "ledger.db")
        layout = Layout(folder / "desk.ini")
        self.desk = Desk(self.board, theme, layout, Preferences(layout), self.records, system_clock)
        self._secrets = Secrets(folder, NoKeyring)
        self._secrets.keep_key(_IDENT, KeyPlace.SESSION, KEY)
        self.manager = ConnectionManager(self.board, system_clock, self._make_session)
        self.manager.left.connect(self.desk.reset_desk)
        self.desk.connect_reading(self.manager)
        self.heart = Heart()
        self._beats = QTimer(self.desk.window, interval=_BEAT_MS)
        self._beats.timeout.connect(self.heart.beat)

    async def open(self, url: str) -> None:
        """Show the window, connected to a service and with a game open."""
        window = self.desk.window
        if not window.isVisible():
            window.restore_window()
            window.show()
        profile = RemoteProfile(url, url, key_place=KeyPlace.SESSION, ident=_IDENT)
        if self.manager.session is None:
            await self.manager.open_first(self._make_session(profile))
        else:
            await self.manager.switch(profile)
        self.desk.open_game_in_new_tab(GAME)
        self.manager.want_rows(True)
        self._beats.start()

    async def play(self, service: HostileService, kind: Misbehaviour, log: Log) -> Played:
        """Play a misbehaviour against it."""
        await self.open(service.url(kind.slug))
        watch = Watch(self.board)
        try:
            return await play(service, kind, watch, log, self.heart)
        finally:
            watch.leave()

    async def close(self) -> None:
        """End all."""
        self._beats.stop()
        self.desk.window.hide()
        await self.manager.close_connection()
        self.desk.close_desk()
        self.records.close_records()
        self.desk.window.deleteLater()

    def _make_session(self, profile: Profile) -> ServiceSession:
        assert isinstance(profile, RemoteProfile)
        return RemoteSession(profile, self._secrets, asks_first=False)


@asynccontextmanager
async def watched_desk(theme: Theme, folder: Path) -> AsyncIterator[WatchedDesk]:
    """Have a desk while in it; what a timer of it starts needs a loop that runs."""
    made = WatchedDesk(theme, folder)
    try:
        yield made
    finally:
        await made.close()


@contextmanager
def told_of_slots(log: Log) -> Iterator[None]:
    """Take errors in slots and paint events, which Qt only prints, for logged ones."""
    before = sys.excepthook

    def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        log.errors.append(f"in a slot: {kind.__name__}: {error}")
        before(kind, error, trace)

    sys.excepthook = tell
    try:
        yield
    finally:
        sys.excepthook = before


def play_in_window(service: HostileService, kind: Misbehaviour, log: Log) -> tuple[Played, Heart]:
    """Play a misbehaviour against a desk of its own, in an application of its own."""
    app = QApplication([])
    Garbage(app).begin_collecting()
    theme = Theme(app, Scheme.DARK)

    async def run(folder: Path) -> tuple[Played, Heart]:
        async with watched_desk(theme, folder) as made:
            return await made.play(service, kind, log), made.heart

    with tempfile.TemporaryDirectory() as folder, told_of_slots(log):
        return run_on_qt(app, lambda: run(Path(folder)))
