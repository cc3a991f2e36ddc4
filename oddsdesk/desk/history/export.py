"""The moves that a chart shows as a table on its way out."""

from typing import Final

from oddsdesk.board.games import GameEntry
from oddsdesk.board.history import History
from oddsdesk.board.matrix import RowKey
from oddsdesk.desk.export.tables import GAME, SELECTION, ExportColumn, Table, time_value
from oddsdesk.desk.ui.table.column_spec import Kind

_COLUMNS: Final = (
    *GAME,
    *SELECTION,
    ExportColumn("bookmaker", "Bookmaker"),
    ExportColumn("at", "From", Kind.TIME),
    ExportColumn("odds", "Odds", Kind.NUMBER),
)


def table_of_history(
    key: RowKey | None, game: GameEntry | None, history: History | None, reference: str
) -> Table:
    """Return every bookmaker's moves of a selection by time; without odds where withdrawn."""
    if key is None or history is None:
        return Table(_COLUMNS, [])
    known: tuple[str, str, str, str | None] = ("", "", "", None)
    if game is not None:
        known = (game.match_name, game.competition, game.sport, time_value(game.kick_off))
    moves = [
        (point.at, name or reference, point.odds)
        for name, path in history.paths.items()
        for point in path
    ]
    moves.sort(key=lambda move: move[:2])
    return Table(
        _COLUMNS,
        [(key.game_id, *known, *key[1:4], name, time_value(at), odds) for at, name, odds in moves],
    )
