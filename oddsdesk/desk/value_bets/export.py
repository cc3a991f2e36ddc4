"""Value bets as a table on its way out."""

from collections.abc import Iterable
from typing import Final

from oddsdesk.desk.export.tables import GAME, SELECTION, ExportColumn, Row, Table, time_value
from oddsdesk.desk.ui.table.column_spec import Kind
from oddsdesk.desk.value_bets.model import BetRow, ValuesModel

_COLUMNS: Final = (
    *GAME,
    *SELECTION,
    ExportColumn("bookmaker", "At"),
    ExportColumn("odds", "Odds", Kind.NUMBER),
    ExportColumn("net_odds", "Net odds", Kind.NUMBER, 4),
    ExportColumn("fair_odds", "Fair", Kind.NUMBER, 4),
    ExportColumn("ev_pct", "EV net %", Kind.NUMBER, 2),
    ExportColumn("per", "EV per unit"),
    ExportColumn("service_ev_pct", "Service EV %", Kind.NUMBER, 2),
    ExportColumn("stake", "Stake", Kind.NUMBER, 2),
    ExportColumn("placed", "Placed", Kind.NUMBER, 2),
    ExportColumn("for_sale", "For sale", Kind.NUMBER, 2),
    ExportColumn("liquidity", "Limit", Kind.NUMBER, 0),
    ExportColumn("is_live", "In play", Kind.FLAG),
    ExportColumn("scraped_at", "Seen", Kind.TIME),
    ExportColumn("cautions", "Cautions"),
)


def table_of_values(model: ValuesModel) -> Table:
    """Return the list as it stands, without what is gone."""
    shown = (model.entry(row) for row in range(model.rowCount()) if not model.is_gone(row))
    return Table(_COLUMNS, list(_rows(shown)))


def _rows(bets: Iterable[BetRow]) -> Iterable[Row]:
    for bet in bets:
        price, found = bet.price, bet.price.assessment
        yield (
            price.key.game_id,
            price.match_name,
            price.competition,
            price.sport,
            time_value(price.kick_off),
            price.key.market_type,
            price.key.period,
            price.key.selection,
            price.bookmaker,
            found.odds,
            found.net_odds,
            found.fair_odds,
            found.ev_pct,
            found.per,
            bet.service_ev_pct,
            bet.bet.stake,
            sum(each.stake for each in bet.placed),
            price.for_sale,
            bet.liquidity,
            price.is_live,
            time_value(price.scraped_at),
            " ".join(caution.value for caution in found.cautions),
        )
