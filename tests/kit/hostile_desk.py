"""A desk on a real server whose names all look like markup, and a trap that markup springs."""

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import msgspec
from keyring.backends.fail import Keyring as NoKeyring

from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
from oddsdesk.board.model.notices import Link
from oddsdesk.contract.quotes import Quote, odds_row
from oddsdesk.desk.bookmakers.controller import BookmakersController
from oddsdesk.desk.connections.manager import ConnectionManager
from oddsdesk.desk.connections.profiles import EmbeddedProfile, Profiles, RemoteProfile, Secrets
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.app import Introduction, _price_log
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.connections import Connections, DeskDialogs
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.presets import Preset, ValueFilter
from tests.kit.connections import make_session
from tests.kit.waiting import until_told

REFERENCE = "Pinnacle"


_WATCH = """
import os, sys, time
trap, noted = sys.argv[1:]
while os.path.exists(trap):
    try:
        writing = os.open(trap, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        time.sleep(0.005)
        continue
    with open(noted, "a") as file:
        file.write("x")
    os.close(writing)
    time.sleep(0.005)
"""


class Trap:
    """A file that blocks its reader until it is released, so that reading is noticed.

    Another process watches: who waits for a file in Qt holds all threads of this one.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "t"
        self._noted = folder / "noted"
        os.mkfifo(self.path)
        self._watching = subprocess.Popen([sys.executable, "-c", _WATCH, self.path, self._noted])

    @property
    def times_read(self) -> int:
        """How often somebody has read it."""
        return self._noted.stat().st_size if self._noted.exists() else 0

    @property
    def markup(self) -> str:
        """What reads the file where it is taken for HTML; and a mnemonic where it is taken for one.

        It is as short as it can be, since names of connections have 60 characters.
        """
        return f'A&B <b>x</b><img src="{self.path}">'

    def close(self) -> None:
        """Stop watching."""
        self.path.unlink()
        self._watching.wait()


class HostileDesk:
    """The desk as the program puts it together, on an embedded server fed from a file."""

    def __init__(self, theme: Theme, folder: Path, trap: Trap) -> None:
        self.trap = trap
        self.board = Board(system_clock)
        self.layout = Layout(folder / "desk.ini")
        preferences = Preferences(self.layout)
        self.records = Records(folder / "ledger.db")
        self.desk = Desk(self.board, theme, self.layout, preferences, self.records, system_clock)
        profiles, secrets = Profiles(folder), Secrets(folder, NoKeyring)
        self.profile = EmbeddedProfile(
            trap.markup, str(folder / "odds.db"), (f"replay:{write_quotes(folder, trap)}",),
            reference=REFERENCE,
        )  # fmt: skip
        profiles.save_profile(self.profile)
        profiles.save_profile(RemoteProfile(f"2{trap.markup}", "https://odds.invalid", ident="2"))
        manager = self.manager = ConnectionManager(self.board, system_clock, make_session)
        manager.left.connect(self.desk.reset_desk)
        self.desk.connect_reading(manager)
        manager.entered.connect(lambda: self.desk.read_history(_price_log(manager), manager.client))
        window = self.desk.window
        self.dialogs = DeskDialogs(
            window, theme, preferences, profiles, secrets, manager, system_clock,
            self.desk.around.reference.bookmakers,
        )  # fmt: skip
        self.desk.offer_settings(self.dialogs.open_settings)
        self.bookmakers = BookmakersController(
            theme, preferences, window, self.board.bookmakers_with_prices
        )
        self.desk.offer_bookmakers(self.bookmakers)
        around = self.desk.around
        self.connections = Connections(
            window, self.desk.top_bar, self.desk.connections_menu, manager, profiles,
            self.dialogs, around.actions, around.palette,
        )  # fmt: skip
        self.desk.offer_server(self.connections.live_here)
        self.introduction = Introduction(
            theme, self.board, preferences, around.actions["server.import"]
        )
        window.put_notice(self.introduction)
        self.records.save_preset(Preset(trap.markup, ValueFilter()))

    async def open(self) -> None:
        self.desk.window.restore_window()
        self.desk.window.show()
        assert await self.connections.open_first(make_session(self.profile)) is None

    async def fill(self) -> None:
        """Wait for prices and open a game."""
        board = self.board
        await until_told(
            board,
            lambda: (
                board.connection.link is Link.LIVE
                and len(board.value_bets) > 3
                and bool(board.games)
            ),
        )
        game = next(iter(board.games))
        self.desk.open_game_in_new_tab(game)
        self.desk.around.favourites.toggle(game)
        await until_told(
            board, lambda: (m := board.matrix(game)) is not None and m.read_at is not None
        )

    async def close(self) -> None:
        self.desk.window.hide()
        await self.connections.end_connections()
        self.introduction.close_panel()
        self.desk.close_desk()
        self.records.close_records()
        self.desk.window.deleteLater()


def write_quotes(folder: Path, trap: Trap) -> Path:
    """Write quotes of now in which everything that may be a name is markup."""
    file = folder / trap.markup.replace("/", "_")
    mark, now = trap.markup, system_clock()
    books = (REFERENCE, f"1{mark}", f"2{mark}", f"3 {mark}")
    lines = []
    for game in range(3):
        home, away = f"{game} {mark}", f"Z{mark}"
        for place, bookmaker in enumerate(books):
            quote = Quote(
                bookmaker, f"{home} - {away}", ("EPL", mark, "NBA")[game], "moneyline", 0,
                {home: 2.0 + 0.1 * place, "Draw": 3.6, away: 4.0 + 0.1 * place},
                now, False, now + 3_600_000, f"https://b.example/{mark}",
            )  # fmt: skip
            lines.append(msgspec.json.encode(odds_row(quote)))
            props = msgspec.structs.replace(
                quote, market_type="player_prop", odds={f"{mark} Over 2.5": 1.8 + 0.1 * place}
            )
            lines.append(msgspec.json.encode(odds_row(props)))
    file.write_bytes(b"\n".join(lines))
    return file


Opened = Callable[[], AbstractAsyncContextManager[HostileDesk]]
