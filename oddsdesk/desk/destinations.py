"""What the command palette leads to: games, panels, layouts, actions, odds formats."""

from collections.abc import Callable, Iterator
from functools import partial

from oddsdesk.board.board import Board
from oddsdesk.clock import Clock
from oddsdesk.desk.actions.binding import Actions, keys_text
from oddsdesk.desk.layout_button import LayoutButton
from oddsdesk.desk.layouts import Layouts
from oddsdesk.desk.moments import kick_off_text
from oddsdesk.desk.odds_format import TITLES, OddsFormat
from oddsdesk.desk.palette.entries import Entry, Kind, Provider
from oddsdesk.desk.tabs import game_title
from oddsdesk.desk.window import MainWindow


def game_entries(board: Board, clock: Clock, open_game: Callable[[str], object]) -> Provider:
    """Offer every game that the service has."""

    def entries() -> Iterator[Entry]:
        now_ms = clock()
        for game in board.games.values():
            when = "live" if game.is_live else kick_off_text(game.kick_off, now_ms)
            note = f"{game.competition} · {when}"
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
    """Offer every action."""
    return lambda: (
        Entry(
            f"action {action.ident}",
            Kind.ACTION,
            action.title,
            actions[action.ident].trigger,
            keys=keys_text(action),
        )
        for action in actions.offered()
        if actions[action.ident].isEnabled() and action.ident != "go.palette"
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
