"""What the command palette leads to: games, panels, layouts, actions, odds formats."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from oddsdesk.board.board import Board
from oddsdesk.clock import Clock
from oddsdesk.contract.competition_titles import competition_title
from oddsdesk.desk.connections.profiles import Profile
from oddsdesk.desk.shell.layouts import LayoutButton, Layouts
from oddsdesk.desk.shell.odds_format import TITLES, OddsFormat
from oddsdesk.desk.shell.palette_entries import Entry, Kind, Provider
from oddsdesk.desk.shell.tabs import game_title
from oddsdesk.desk.shell.window import PLACES, MainWindow
from oddsdesk.desk.ui.actions import Actions, keys_text
from oddsdesk.desk.ui.time_format import kick_off_text


def game_entries(board: Board, clock: Clock, open_game: Callable[[str], object]) -> Provider:
    """Offer every game that the service has."""

    def entries() -> Iterator[Entry]:
        now_ms = clock()
        for game in board.games.values():
            when = "live" if game.is_live else kick_off_text(game.kick_off, now_ms)
            note = f"{competition_title(game.competition)} · {when}"
            game_id = game.game_id
            yield Entry(
                f"game {game_id}",
                Kind.GAME,
                game_title(game.match_name),
                partial(open_game, game_id),
                note,
            )

    return entries


def action_entries(actions: Actions) -> Provider:
    """Offer every action; one that cannot be carried out now is grey, with the reason."""
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
    """Offer to hide every panel that is shown, or to show it elsewhere."""

    def entries() -> Iterator[Entry]:
        for dock in window.panels():
            name, title = dock.objectName(), dock.windowTitle()
            if not dock.isHidden():
                yield Entry(f"hide {name}", Kind.ACTION, f"{title}: hide", dock.hide)
            for where, area in PLACES:
                move = partial(window.move_panel, dock, area)
                title_there = f"{title}: {where[0].lower()}{where[1:]}"
                yield Entry(f"move {name} {where}", Kind.ACTION, title_there, move)

    return entries


def connection_entries(
    profiles: Callable[[], Iterable[Profile]], connect_to: Callable[[Profile], object]
) -> Provider:
    """Offer to connect to every saved connection."""
    return lambda: (
        Entry(
            f"connection {profile.name}",
            Kind.CONNECTION,
            f"Connect to {profile.name}",
            partial(connect_to, profile),
        )
        for profile in profiles()
    )


def preset_entries(
    ident: str, title: str, names: Callable[[], Iterable[str]], choose: Callable[[str], object]
) -> Provider:
    """Offer every preset of a list, which ``title`` names."""
    return lambda: (
        Entry(
            f"{ident} {name}",
            Kind.PRESET,
            f"{title}: {name}",
            partial(choose, name),
        )
        for name in names()
    )


def layout_entries(layouts: Layouts, button: LayoutButton) -> Provider:
    """Offer every named layout."""
    return lambda: (
        Entry(f"layout {name}", Kind.LAYOUT, name, partial(button.take, name))
        for name in layouts.names
    )


def format_entries(odds_format: OddsFormat) -> Provider:
    """Offer every odds format."""
    return lambda: (
        Entry(
            f"format {style}",
            Kind.FORMAT,
            f"{title} odds",
            partial(odds_format.choose, style),
        )
        for style, title in TITLES.items()
    )
