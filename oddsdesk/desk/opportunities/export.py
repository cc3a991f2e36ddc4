"""Opportunities as a table on its way out: a leg a row."""

from collections.abc import Iterable
from typing import Final

from oddsdesk.desk.export.tables import GAME, SELECTION, ExportColumn, Row, Table, time_value
from oddsdesk.desk.opportunities.model import OpportunitiesModel
from oddsdesk.desk.opportunities.rows import LegRow
from oddsdesk.desk.ui.table.column_spec import Kind

_COLUMNS: Final = (
    ExportColumn("kind", "Kind"),
    ExportColumn("leg", "Leg", Kind.NUMBER),
    *GAME,
    *SELECTION,
    ExportColumn("bookmaker", "At"),
    ExportColumn("odds", "Odds", Kind.NUMBER),
    ExportColumn("net_odds", "Net odds", Kind.NUMBER, 4),
    ExportColumn("stake", "Stake", Kind.NUMBER, 2),
    ExportColumn("placed", "Placed", Kind.NUMBER, 2),
    ExportColumn("hold_pct", "Margin %", Kind.NUMBER, 2),
    ExportColumn("worst", "Worst case", Kind.NUMBER, 2),
    ExportColumn("is_live", "In play", Kind.FLAG),
    ExportColumn("scraped_at", "Seen", Kind.TIME),
    ExportColumn("cautions", "Cautions"),
)


def table_of_opportunities(model: OpportunitiesModel) -> Table:
    """Return the list as it stands, without what is gone."""
    shown = (model.entry(row) for row in range(model.rowCount()) if not model.is_gone(row))
    return Table(_COLUMNS, list(_rows(shown)))


def _rows(legs: Iterable[LegRow]) -> Iterable[Row]:
    for row in legs:
        found, leg = row.found, row.leg
        yield (
            row.kind.value,
            row.place + 1,
            leg.key.game_id,
            found.match_name,
            found.competition,
            found.sport,
            time_value(found.kick_off),
            leg.key.market_type,
            leg.key.period,
            leg.key.selection,
            leg.bookmaker if row.is_priced else None,
            leg.odds if row.is_priced else None,
            leg.net_odds if row.is_priced else None,
            row.stake,
            sum(bet.stake for bet in row.placed),
            found.hold_pct if row.unpriced is None else None,
            None if row.lacking else row.staked.worst_of_all,
            found.in_play,
            time_value(leg.seen_at if row.is_priced else None),
            " ".join(caution.value for caution in leg.cautions),
        )
