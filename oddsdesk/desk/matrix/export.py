"""A game's matrix as a table on its way out: a selection a row, a bookmaker a column."""

from collections.abc import Iterable, Sequence
from typing import Final

from oddsdesk.board.matrix import Matrix, SelectionRow
from oddsdesk.desk.export.tables import GAME, SELECTION, ExportColumn, Row, Table, time_value
from oddsdesk.desk.ui.table.column_spec import Kind

_FIXED: Final = (
    *GAME,
    *SELECTION,
    ExportColumn("reference_odds", "Reference", Kind.NUMBER),
    ExportColumn("reference_scraped_at", "Reference seen", Kind.TIME),
    ExportColumn("liquidity", "Limit", Kind.NUMBER, 0),
    ExportColumn("fair_odds", "Fair", Kind.NUMBER, 4),
    ExportColumn("value_from", "Value from", Kind.NUMBER, 4),
    ExportColumn("suspicious_above", "Suspicious above", Kind.NUMBER, 4),
    ExportColumn("best_net_odds", "Best of all net", Kind.NUMBER, 4),
    ExportColumn("best_at", "Best of all at"),
    ExportColumn("best_of_mine_net_odds", "Best of mine net", Kind.NUMBER, 4),
    ExportColumn("best_of_mine_at", "Best of mine at"),
    ExportColumn("doubted_odds", "Doubted", Kind.NUMBER),
    ExportColumn("doubted_at", "Doubted at"),
    ExportColumn("doubted_because", "Doubted because"),
)


def table_of_matrix(matrix: Matrix | None, bookmakers: Sequence[str]) -> Table:
    """Return every market of a game that is held, and the prices offered now."""
    columns = (*_FIXED, *(ExportColumn(name, name, Kind.NUMBER) for name in bookmakers))
    return Table(columns, [] if matrix is None else list(_rows(matrix, bookmakers)))


def _rows(matrix: Matrix, bookmakers: Sequence[str]) -> Iterable[Row]:
    game = (
        matrix.game_id,
        matrix.match_name,
        matrix.competition,
        matrix.sport,
        time_value(matrix.kick_off),
    )
    for section in matrix.sections:
        for row in section.rows:
            market = (section.key.market_type, section.key.period, row.selection)
            yield (*game, *market, *_figures(row), *(_odds(row, name) for name in bookmakers))


def _figures(row: SelectionRow) -> Row:
    reference, best = row.reference, row.offer.found()
    doubted = best.doubted
    is_offered = reference is not None and reference.is_offered
    return (
        reference.odds if reference is not None and is_offered else None,
        time_value(reference.scraped_at) if reference is not None and is_offered else None,
        row.liquidity,
        row.fair,
        row.value_from,
        row.suspicious_above,
        best.of_all.net,
        ", ".join(best.of_all.bookmakers),
        best.mine.net,
        ", ".join(best.mine.bookmakers),
        *((None, "", "") if doubted is None else (doubted.odds, doubted[0], doubted.caution.value)),
    )


def _odds(row: SelectionRow, bookmaker: str) -> float | None:
    price = row.prices.get(bookmaker)
    return price.odds if price is not None and price.is_offered else None
