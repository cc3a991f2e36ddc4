"""Sets up navigation: actions, palette, layouts, favourites and open games."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

import msgspec
from PySide6.QtCore import QByteArray, QObject, QTimer
from PySide6.QtWidgets import QWidget

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import competition_text, shown_game
from oddsdesk.base.texts import _, mid_sentence
from oddsdesk.board.board import Board
from oddsdesk.desk.connections.profiles import Profile, shown_name
from oddsdesk.desk.navigator.model import Favourites
from oddsdesk.desk.navigator.panel import Navigator
from oddsdesk.desk.settings.declared import SECTIONS
from oddsdesk.desk.settings.saved_state import Layout, Preferences, Saved
from oddsdesk.desk.shell.commands import BugReports, Commands
from oddsdesk.desk.shell.layouts import LayoutButton, Layouts
from oddsdesk.desk.shell.messages import ConnectionTrouble
from oddsdesk.desk.shell.palette import Entry, Kind, Palette, Provider, Recent
from oddsdesk.desk.shell.tabs import GameTabs
from oddsdesk.desk.shell.top_bar import (
    TITLES,
    FormatButton,
    OddsFormat,
    ReferenceButton,
    ReferenceChoice,
    TopBar,
)
from oddsdesk.desk.shell.window import PLACES, MainWindow
from oddsdesk.desk.ui.actions import Actions, keys_text
from oddsdesk.desk.ui.formatting import kick_off_text
from oddsdesk.desk.ui.theme.theme import Theme

_REOPEN_MS = 400
"""Delay before other games are reopened, so that the front one loads first."""
_KEEP_MS = 1_000
_TELL_MS = 10_000
"""Time after which a service has listed its games."""
_OF_NOW = _("You cannot do this in the past. Ctrl+Shift+J goes back to now.")
_NAMED = 2
"""The most delisted games that a message names."""


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

    def offer_actions(
        self,
        top_bar: TopBar,
        navigator: Navigator,
        games: GameTabs,
        grid: Callable[[], QWidget],
        open_game: Callable[[str], object],
    ) -> None:
        """Fill the top bar and the menu."""
        layout_button = LayoutButton(self._window, self._layouts, self.actions)
        palette = self.palette = Palette(
            self._theme,
            Recent(self._layout),
            self._window,
            (
                game_entries(self._board, self._clock, open_game),
                panel_entries(self._window),
                layout_entries(self._layouts, layout_button),
                action_entries(self.actions),
                format_entries(self.odds_format),
                place_entries(self._window),
                self.reference.entries,
            ),
        )
        self.actions.bind("go.palette", palette.open_palette)
        self.commands.bind_games(games, navigator, grid)
        self.commands.fill_menu(top_bar)
        top_bar.add_control(palette, stretch=3)
        top_bar.add_control(ReferenceButton(self.reference))
        top_bar.add_control(FormatButton(self.odds_format))
        top_bar.add_control(layout_button)

    def refuse_what_is_of_now(self, *, is_past: bool) -> None:
        """Disable the actions on current prices while the desk shows the past."""
        for action in self.actions.offered():
            if not action.is_of_now:
                continue
            if is_past:
                tell = partial(self._window.messages.show_message, _OF_NOW, passes=True)
                self.actions.refuse(action.ident, _OF_NOW, tell)
            else:
                self.actions.allow(action.ident)

    def keep_open(self, games: GameTabs) -> None:
        """Save the open games after each change, and reopen the remaining ones."""
        self._keeping.timeout.connect(lambda: self.open_games.keep_open(games))
        self._telling.timeout.connect(self._tell_gone)
        self._reopening.timeout.connect(lambda: self.reopen_behind(games))
        for changed in (games.game_opened, games.game_closed):
            changed.connect(lambda _game_id: self._keeping.start())

    def tell_gone_soon(self) -> None:
        """Report soon, once each, the games that are no longer listed."""
        self._telling.start()

    def _tell_gone(self) -> None:
        connection = self._board.connection
        if connection.as_of_ms is None and connection.is_heard and self._board.games:
            gone = self.open_games.gone(self._board.games)
            if gone:
                self._window.messages.show_message(gone_text(gone), passes=True)
                self._keeping.start()

    def reopen_front(self, games: GameTabs) -> bool:
        """Reopen the last front game, and the others soon; return whether it is listed."""
        first = self.open_games.returning(self._board.games, most=1)
        open_again(first, games, self._title, in_front=True)
        self._reopening.start()
        return bool(first)

    def reopen_behind(self, games: GameTabs) -> None:
        """Reopen the other games that are listed, unless that is scheduled."""
        if self._reopening.isActive():
            return
        here = self.open_games.returning(self._board.games)
        open_again(here, games, self._title)
        if here:
            games.order_tabs(self.open_games.order)

    def close_games(self, games: GameTabs) -> None:
        """Save the open games and close them."""
        self._telling.stop()
        self.open_games.close_games(games)
        self.favourites.keep_seen()

    def stop_navigation(self) -> None:
        """Stop listening to the board and to errors."""
        self._trouble.close_panel()
        self.reference.close_panel()
        self.bugs.uninstall()

    def _title(self, game_id: str) -> str:
        return shown_game(self._board.games[game_id].match_name)


def gone_text(titles: Sequence[str]) -> str:
    """Return the message about delisted games whose tabs were not reopened."""
    if len(titles) == 1:
        return _("{titles} is no longer listed. Its tab was not reopened.").format(titles=titles[0])
    others = (
        [_("{count} other games").format(count=len(titles) - 1)]
        if len(titles) > _NAMED
        else titles[1:]
    )
    games = _(" and ").join([titles[0], *others])
    return _("{games} are no longer listed. Their tabs were not reopened.").format(games=games)


def game_entries(board: Board, clock: Clock, open_game: Callable[[str], object]) -> Provider:
    """Offer all games of the service."""

    def entries() -> Iterator[Entry]:
        now_ms = clock()
        for game in board.games.values():
            when = "live" if game.is_live else kick_off_text(game.kick_off, now_ms)
            note = f"{competition_text(game.competition)} · {when}"
            game_id = game.game_id
            yield Entry(
                f"game {game_id}",
                Kind.GAME,
                shown_game(game.match_name),
                partial(open_game, game_id),
                note,
            )

    return entries


def action_entries(actions: Actions) -> Provider:
    """Offer all actions; unavailable ones are grey, with the reason."""
    return lambda: (
        Entry(
            f"action {action.ident}",
            Kind.ACTION,
            action.title,
            partial(actions.trigger, action.ident),
            note=why,
            keys=keys_text(action),
            is_grey=bool(why),
        )
        for action in actions.offered()
        if (why := actions.why_not(action.ident)) or actions[action.ident].isEnabled()
        if action.ident != "go.palette"
    )


def panel_entries(window: MainWindow) -> Provider:
    """Offer every panel."""
    return lambda: (
        Entry(
            f"panel {dock.objectName()}",
            Kind.PANEL,
            dock.windowTitle(),
            partial(window.show_panel, dock),
        )
        for dock in window.panels()
    )


def place_entries(window: MainWindow) -> Provider:
    """Offer to hide or move each panel."""

    def entries() -> Iterator[Entry]:
        for dock in window.panels():
            name, title = dock.objectName(), dock.windowTitle()
            if not dock.isHidden():
                yield Entry(
                    f"hide {name}", Kind.ACTION, _("{title}: hide").format(title=title), dock.hide
                )
            for where, area in PLACES:
                move = partial(window.move_panel, dock, area)
                title_there = f"{title}: {mid_sentence(where)}"
                yield Entry(f"move {name} {where}", Kind.ACTION, title_there, move)

    return entries


def connection_entries(
    profiles: Callable[[], Iterable[Profile]], connect_to: Callable[[Profile], object]
) -> Provider:
    """Offer all saved connections."""
    return lambda: (
        Entry(
            f"connection {profile.name}",
            Kind.CONNECTION,
            _("Connect to {name}").format(name=shown_name(profile)),
            partial(connect_to, profile),
        )
        for profile in profiles()
    )


def preset_entries(
    ident: str, title: str, names: Callable[[], Iterable[str]], choose: Callable[[str], object]
) -> Provider:
    """Offer all presets of the list called ``title``."""
    return lambda: (
        Entry(f"{ident} {name}", Kind.PRESET, f"{title}: {name}", partial(choose, name))
        for name in names()
    )


def layout_entries(layouts: Layouts, button: LayoutButton) -> Provider:
    """Offer every named layout."""
    return lambda: (
        Entry(f"layout {name}", Kind.LAYOUT, name, partial(button.take_layout, name))
        for name in layouts.layout_names
    )


def setting_entries(open_setting: Callable[[str], object]) -> Provider:
    """Offer each setting, which opens the settings there."""
    return lambda: (
        Entry(
            f"setting {setting.key}",
            Kind.SETTING,
            f"{section.title}: {setting.label}",
            partial(open_setting, setting.key),
        )
        for section in SECTIONS
        for setting in section.settings
    )


def format_entries(odds_format: OddsFormat) -> Provider:
    """Offer every odds format."""
    return lambda: (
        Entry(
            f"format {style}",
            Kind.FORMAT,
            _("{title} odds").format(title=title),
            partial(odds_format.choose_style, style),
        )
        for style, title in TITLES.items()
    )


_KEY: Final = "session/open"
_OLD_KEY: Final = "session/games"
"""An older format: ids only, the front game first."""
_MOST: Final = 8
"""The most games to reopen, as each has its prices read."""
_MOST_WAITING: Final = 24
RETURN_MS: Final = 120_000
"""Time for the board to fill, after which no tab is reopened."""


class OpenGame(msgspec.Struct, frozen=True):
    """A game that was open.

    Attributes:
        window: The geometry of its window, None for a tab.
        service: Its service, as games of other services can have the same id. None if unknown.
        title: Its title.
        is_told: Whether the user has been told that it is no longer listed.
    """

    game_id: str
    window: bytes | None = None
    service: str | None = None
    title: str = ""
    is_told: bool = False


class _Session(msgspec.Struct, frozen=True):
    games: list[OpenGame] = []
    current: str | None = None


class OpenGames:
    """Saves the open games, and reopens them once the board has them.

    A game that the board lacks, or of another service, stays saved until newer ones replace it.
    """

    def __init__(self, layout: Layout, clock: Clock) -> None:
        self._layout = layout
        self._clock = clock
        self._saved = Saved(layout, _KEY, _Session, _Session())
        kept = self._saved.get_value()
        if not kept.games:
            old = Saved(layout, _OLD_KEY, list[str], []).get_value()
            kept = _Session([OpenGame(game_id) for game_id in old], next(iter(old), None))
        self._waiting = list(kept.games)
        self._current = kept.current
        self.order: Sequence[str] = [game.game_id for game in kept.games]
        """The ids of the saved games in tab order."""
        self._stands_in: str | None = None
        """The game in front because the last one is not listed."""
        self._until = clock() + RETURN_MS
        self._service: str | None = None

    def enter(self, service: str) -> None:
        """Set the service whose games the board will hold."""
        self._service = service

    def returning(self, present: Collection[str], most: int = _MOST) -> list[OpenGame]:
        """Return the saved games that are listed now, the last front game first, each only once.

        The caller must open them: they are saved only while they wait or are open.
        """
        if self._clock() > self._until:
            return []
        ours = (game for game in self._waiting if game.service in (None, self._service))
        here = [game for game in ours if game.game_id in present]
        here = sorted(here, key=lambda game: game.game_id != self._current)[:most]
        self._waiting = [game for game in self._waiting if game not in here]
        return here

    def gone(self, present: Collection[str]) -> list[str]:
        """Return the titles of the saved games that are not listed, each only once."""
        ours = (None, self._service)
        gone = [
            game
            for game in self._waiting
            if game.service in ours
            and game.title
            and not game.is_told
            and game.game_id not in present
        ]
        self._waiting = [
            msgspec.structs.replace(game, is_told=True) if game in gone else game
            for game in self._waiting
        ]
        return [game.title for game in gone]

    def stand_in(self, game_id: str | None) -> None:
        """Note a front game that the user has not chosen."""
        is_waiting = any(game.game_id == self._current for game in self._waiting)
        self._stands_in = game_id if is_waiting else None

    def keep_open(self, games: GameTabs) -> None:
        """Save the open games and the front one, which is not a stand-in."""
        ids, ours = games.open_games, (None, self._service)
        kept = [
            OpenGame(game_id, _place(games, game_id), self._service, games.title_of_game(game_id))
            for game_id in ids
        ]
        waiting = [g for g in self._waiting if g.game_id not in ids or g.service not in ours]
        for game in waiting[:_MOST_WAITING]:
            kept.insert(self._place_among(kept, game), game)
        in_front = games.in_front()
        is_own = in_front is not None and in_front != self._stands_in
        self._saved.keep_value(_Session(kept, in_front if is_own else self._current))
        self._layout.remove_word(_OLD_KEY)

    def close_games(self, games: GameTabs) -> None:
        """Save all games and close them; they are reopened when the board has them again."""
        self.keep_open(games)
        kept = self._saved.get_value()
        self._waiting, self._current = list(kept.games), kept.current
        self.order = [game.game_id for game in kept.games]
        self._until = self._clock() + RETURN_MS
        games.close_all()

    def _place_among(self, kept: Sequence[OpenGame], game: OpenGame) -> int:
        """Return the position of an unlisted game: after the games it followed."""
        before = set(self.order[: self.order.index(game.game_id)])
        places = (place for place, each in enumerate(kept, 1) if each.game_id in before)
        return max(places, default=0)


def open_again(
    returning: Sequence[OpenGame],
    games: GameTabs,
    title_of: Callable[[str], str],
    *,
    in_front: bool = False,
) -> None:
    """Open games where they were."""
    for game in returning:
        games.open_in_new_tab(game.game_id, title_of(game.game_id), in_front=in_front)
        if game.window is not None:
            games.detach(game.game_id, QByteArray(game.window))


def _place(games: GameTabs, game_id: str) -> bytes | None:
    geometry = games.window_geometry(game_id)
    return None if geometry is None else bytes(geometry.data())
