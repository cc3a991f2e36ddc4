"""The panel of promotions in tests: the offers it is given, and what it lists."""

from typing import Any

from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from oddsdesk.contract.resources import Offer, PriceMessage
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.bet_sheet import BetSheet
from oddsdesk.desk.promotions.model import WayRow
from oddsdesk.desk.promotions.panel import PromotionsPanel
from oddsdesk.desk.records import Records
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.promotions import promo_note
from oddsdesk.pricing.promotions import PromoKind, Promotion
from tests.kit.quoted_game import NOW_MS

FREE = Promotion(name="Free 25", kind=PromoKind.FREE, bookmaker="Bovada", amount=25.0)


def give(panel: PromotionsPanel, offer: Promotion, qtbot: QtBot) -> None:
    """Store an offer and wait until the ways to use it are listed."""
    assert panel.offers.save_offer(offer) == ""
    look(panel, qtbot)


def look(panel: PromotionsPanel, qtbot: QtBot) -> None:
    """Have it look at the whole board now."""
    with qtbot.waitSignal(panel.list.changed):
        panel.list.look_again()
    panel.hedged.sort_now()
    panel.unhedged.sort_now()


def shown(model: Any) -> list[dict[str, str]]:
    """What the rows say, by the titles of the columns."""
    titles = [column.title for column in model.columns]
    return [
        {title: model.cell(row, column).text for column, title in enumerate(titles)}
        for row in range(model.rowCount())
    ]


def rows_of(model: Any) -> list[WayRow]:
    """The rows from top to bottom."""
    return [model.entry(row) for row in range(model.rowCount())]


def bet_with(offer: Promotion, **fields: Any) -> PlacedBet:
    """A bet on Everton that belongs to an offer."""
    values = {
        "kind": BetKind(offer.kind.bet_kind),
        "bookmaker": offer.bookmaker,
        "note": promo_note(offer.name),
        "stake": offer.amount,
        "odds": 3.2,
        "placed_at": NOW_MS,
        "game_id": "g",
        "match_name": "Everton - Liverpool",
        "competition": "EPL",
        "sport": "Football",
        "market_type": "moneyline",
        "period": 0,
        "selection": "Everton",
    }
    return PlacedBet(**(values | fields))


def lay(
    quoted: Any,
    selection: str,
    back: float,
    odds: float,
    most: float = 500.0,
    currency: str | None = None,
) -> None:
    """Let Matchbook tell what can be backed and laid of a result."""
    quoted.clock.now += 1
    lays = ((odds, most), (round(odds + 0.2, 2), 900.0))
    offer = Offer(back=((back, 500.0),), lay=lays, currency=currency)
    quoted.board.apply_all(
        [
            PriceMessage(
                "Matchbook", quoted.name, quoted.competition, "Football", "moneyline", selection,
                back, 0, False, format_ms(quoted.clock.now), offer=offer,
            )
        ]
    )  # fmt: skip


def sheet_of(panel: PromotionsPanel) -> BetSheet:
    """The sheet that is open."""
    (sheet,) = (each for each in panel.findChildren(BetSheet) if each.isVisible())
    return sheet


def fields(sheet: BetSheet) -> list[tuple[str, str, str]]:
    """What the sheet has for each leg: bookmaker, odds, stake."""
    return [(row.leg.bet.bookmaker, row.odds.text(), row.stake.text()) for row in sheet.rows]


def record(panel: PromotionsPanel, records: Records, qtbot: QtBot) -> list[PlacedBet]:
    """Record what stands on the sheet; return all bets, oldest first."""
    sheet = sheet_of(panel)
    sheet.accept()
    qtbot.waitUntil(lambda: not (isValid(sheet) and sheet.isVisible()))
    return sorted(records.placed_bets(), key=lambda bet: bet.ident or 0)
