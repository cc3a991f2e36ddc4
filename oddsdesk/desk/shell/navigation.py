"""Getting around the desk: actions, palette, layouts, favourites, put together once."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from oddsdesk.board.board import Board
from oddsdesk.clock import Clock
from oddsdesk.desk.navigator.favourites import Favourites
from oddsdesk.desk.navigator.panel import Navigator
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell import destinations
from oddsdesk.desk.shell.bug_report import BugReports
from oddsdesk.desk.shell.commands import Commands
from oddsdesk.desk.shell.desk_reference import ReferenceButton, ReferenceChoice
from oddsdesk.desk.shell.layouts import LayoutButton, Layouts
from oddsdesk.desk.shell.messages import ConnectionTrouble
from oddsdesk.desk.shell.odds_format import OddsFormat
from oddsdesk.desk.shell.open_games import OpenGames, open_again
from oddsdesk.desk.shell.palette import Palette
from oddsdesk.desk.shell.palette_entries import Recent
from oddsdesk.desk.shell.tabs import GameTabs, game_title
from oddsdesk.desk.shell.top_bar import FormatButton, TopBar
from oddsdesk.desk.shell.window import MainWindow
from oddsdesk.desk.ui.actions import Actions
from oddsdesk.desk.ui.theme.theme import Theme

_REOPEN_MS = 400
"""The game in front is read first."""
_KEEP_MS = 1_000
_TELL_MS = 10_000
"""By then a service has listed its games."""
_OF_NOW = "Bets and targets are for now: Ctrl+Shift+J goes back there."
_NAMED = 2
"""So many games that are gone are named."""


class Navigation(QObject):
    """Owns actions, palette, layouts and favourites, and remembers the open games."""

    def __init__(
        self,
        window: MainWindow,
        board: Board,
        theme: Theme,
        layout: Layout,
        preferences: Preferences,
        clock: Clock,
        wall: Clock,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._board = board
        self._theme = theme
        self._layout = layout
        self._clock = clock
        self.odds_format = OddsFormat(preferences)
        self.reference = ReferenceChoice(board, preferences)
        self.favourites = Favourites(layout, wall)
        self.actions = Actions(window)
        self.bugs = BugReports()
        self.open_games = OpenGames(layout, wall)
        self._keeping = QTimer(self, singleShot=True, interval=_KEEP_MS)
        self._reopening = QTimer(self, singleShot=True, interval=_REOPEN_MS)
        self._telling = QTimer(self, singleShot=True, interval=_TELL_MS)
        self._layouts = Layouts(layout)
        self._trouble = ConnectionTrouble(window.messages, board, clock)
        self.commands = Commands(
            window, self.actions, theme, preferences, self.favourites, self.bugs
        )
        self.bugs.install()

    def offer(
        self,
        top_bar: TopBar,
        navigator: Navigator,
        games: GameTabs,
        grid: Callable[[], QWidget],
        open_game: Callable[[str], object],
    ) -> None:
        """Put palette, formats and layouts into the top bar, and actions into the menu."""
        layout_button = LayoutButton(self._window, self._layouts, self.actions)
        palette = self.palette = Palette(
            self._theme,
            Recent(self._layout),
            self._window,
            (
                destinations.game_entries(self._board, self._clock, open_game),
                destinations.panel_entries(self._window),
                destinations.layout_entries(self._layouts, layout_button),
                destinations.action_entries(self.actions),
                destinations.format_entries(self.odds_format),
                destinations.place_entries(self._window),
                self.reference.entries,
            ),
        )
        self.actions.bind("go.palette", palette.open)
        self.commands.bind_games(games, navigator, grid)
        self.commands.fill_menu(top_bar)
        top_bar.add_control(palette, stretch=3)
        top_bar.add_control(ReferenceButton(self.reference))
        top_bar.add_control(FormatButton(self.odds_format))
        top_bar.add_control(layout_button)

    def refuse_what_is_of_now(self, *, is_past: bool) -> None:
        """Grey what is about prices of now while one looks back, and let it be done again."""
        for action in self.actions.offered():
            if not action.is_of_now:
                continue
            if is_past:
                tell = partial(self._window.messages.say, _OF_NOW, passes=True)
                self.actions.refuse(action.ident, _OF_NOW, tell)
            else:
                self.actions.allow(action.ident)

    def keep_open(self, games: GameTabs) -> None:
        """Keep which games are open whenever one is opened or closed, and open those behind."""
        self._keeping.timeout.connect(lambda: self.open_games.keep(games))
        self._telling.timeout.connect(self._tell_gone)
        self._reopening.timeout.connect(lambda: self.reopen_behind(games))
        for changed in (games.game_opened, games.game_closed):
            changed.connect(lambda _game_id: self._keeping.start())

    def tell_gone_soon(self) -> None:
        """Say of games that were open and are not here that they are gone, once each."""
        self._telling.start()

    def _tell_gone(self) -> None:
        connection = self._board.connection
        if connection.as_of_ms is None and connection.is_heard and self._board.games:
            gone = self.open_games.gone(self._board.games)
            if gone:
                self._window.messages.say(gone_text(gone), passes=True)
                self._keeping.start()

    def reopen_front(self, games: GameTabs) -> bool:
        """Open the game that was in front the last time, the others soon; whether it is here."""
        first = self.open_games.returning(self._board.games, most=1)
        open_again(first, games, self._title, in_front=True)
        self._reopening.start()
        return bool(first)

    def reopen_behind(self, games: GameTabs) -> None:
        """Open the other games of the last time that are here now, unless that is to be soon."""
        if self._reopening.isActive():
            return
        here = self.open_games.returning(self._board.games)
        open_again(here, games, self._title)
        if here:
            games.order_tabs(self.open_games.order)

    def leave(self, games: GameTabs) -> None:
        """Keep what is open, and close it."""
        self._telling.stop()
        self.open_games.leave(games)
        self.favourites.keep()

    def close(self) -> None:
        """Stop listening to the board and to errors."""
        self._trouble.close_panel()
        self.reference.close_panel()
        self.bugs.uninstall()

    def _title(self, game_id: str) -> str:
        return game_title(self._board.games[game_id].match_name)


def gone_text(titles: Sequence[str]) -> str:
    """Say of games whose tabs do not open again that they are listed no longer."""
    if len(titles) == 1:
        return f"{titles[0]} is no longer listed, so its tab did not open again."
    others = [f"{len(titles) - 1} other games"] if len(titles) > _NAMED else titles[1:]
    games = " and ".join([titles[0], *others])
    return f"{games} are no longer listed, so their tabs did not open again."
