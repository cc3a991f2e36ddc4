"""The desk with its window and dialogs, connected to an embedded server."""

from pathlib import Path

from keyring.backends.fail import Keyring as NoKeyring

from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
from oddsdesk.board.model.notices import Link
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


class WholeDesk:
    """A window with all dialogs and connections, and the server that brings its odds."""

    def __init__(self, theme: Theme, folder: Path, profile: EmbeddedProfile) -> None:
        """Make the desk; ``profile`` is its server. A preset gets the same name."""
        self.board = Board(system_clock)
        self.layout = Layout(folder / "desk.ini")
        preferences = Preferences(self.layout)
        self.records = Records(folder / "ledger.db")
        self.desk = Desk(self.board, theme, self.layout, preferences, self.records, system_clock)
        profiles, secrets = Profiles(folder), Secrets(folder, NoKeyring)
        self.profile = profile
        profiles.save_profile(profile)
        profiles.save_profile(RemoteProfile(f"2{profile.name}", "https://odds.invalid", ident="2"))
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
        self.records.save_preset(Preset(profile.name, ValueFilter()))

    async def open(self) -> None:
        """Show the window and connect it."""
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
        """End all."""
        self.desk.window.hide()
        await self.connections.end_connections()
        self.introduction.close_panel()
        self.desk.close_desk()
        self.records.close_records()
        self.desk.window.deleteLater()
