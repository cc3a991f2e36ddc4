"""The dialogs that describe an offer, and that work out a hedge."""

from collections.abc import Iterator
from datetime import datetime

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QLabel, QMainWindow
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from oddsdesk.desk.promotions.calculator import HedgeCalculator
from oddsdesk.desk.promotions.offer_dialog import OfferDialog
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.promotions import PromoKind, PromotedBet, Promotion
from tests.kit.promotions_panel import FREE
from tests.kit.quoted_game import NOW_MS


@pytest.fixture
def kept() -> list[Promotion]:
    return []


@pytest.fixture
def dialog(
    theme: Theme, window: QMainWindow, kept: list[Promotion], qtbot: QtBot
) -> Iterator[OfferDialog]:
    def keep(offer: Promotion) -> str:
        kept.append(offer)
        return ""

    made = OfferDialog(theme, None, ["Bovada", "Unibet"], [], keep, NOW_MS, window)
    window.show()
    with qtbot.waitExposed(made):
        made.show()
    yield made
    if isValid(made):
        made.mark_unchanged()
        made.close()


def choose(dialog: OfferDialog, kind: PromoKind) -> None:
    dialog.kind.setCurrentIndex(list(PromoKind).index(kind))


def trouble(dialog: OfferDialog) -> str:
    return dialog.trouble.message_text


def test_a_free_bet_is_described(dialog: OfferDialog, kept: list[Promotion]) -> None:
    dialog.bookmaker.setCurrentText("Bet365")
    dialog.amount.setText("25")
    dialog.odds.setText("2")
    dialog.until.setText("2026-04-19")
    assert dialog.reading.text() == (
        "Read as: Free bet 25, at Bet365, odds 2.00 or more, until Sun 23:59."
    )
    dialog._on_buttons_accepted()
    (offer,) = kept
    assert offer.until is not None
    assert datetime.fromtimestamp(offer.until / 1000).strftime("%d %H:%M") == "19 23:59"
    assert replace(offer, until=None) == Promotion(
        name="Free bet 25 Bet365",
        kind=PromoKind.FREE,
        bookmaker="Bet365",
        amount=25.0,
        least_odds=2.0,
    )


def test_only_the_fields_of_the_kind_are_shown(dialog: OfferDialog) -> None:
    fields = (dialog.boost, dialog.refund, dialog.retention, dialog.wagering)
    shown = {}
    for kind in PromoKind:
        choose(dialog, kind)
        shown[kind] = [field.isVisible() for field in fields]
    assert shown == {
        PromoKind.QUALIFY: [False] * 4,
        PromoKind.FREE: [False] * 4,
        PromoKind.FREE_RETURNED: [False] * 4,
        PromoKind.REFUND: [False, True, False, False],
        PromoKind.BOOST: [True, False, False, False],
        PromoKind.BONUS: [False, False, False, True],
    }
    choose(dialog, PromoKind.REFUND)
    dialog.refund_as.setCurrentIndex(1)
    assert dialog.retention.isVisible()


def test_a_boost_a_refund_and_a_bonus_keep_their_terms(
    dialog: OfferDialog, kept: list[Promotion]
) -> None:
    dialog.bookmaker.setCurrentText("Unibet")
    dialog.amount.setText("10")
    choose(dialog, PromoKind.BOOST)
    dialog.boost.setValue(30)
    assert dialog.offer().boost == pytest.approx(0.3)
    choose(dialog, PromoKind.REFUND)
    dialog.refund.setText("5")
    dialog.refund_as.setCurrentIndex(1)
    dialog.retention.setValue(80)
    found = dialog.offer()
    assert (found.boost, found.refund, found.refund_as_free, found.retention) == (0, 5, True, 0.8)
    choose(dialog, PromoKind.BONUS)
    dialog.wagering.setValue(6)
    dialog.most_stake.setText("20")
    dialog.markets.menu().actions()[0].trigger()
    found = dialog.offer()
    assert (found.wagering, found.most_stake, found.refund) == (6, 20, None)
    assert found.markets == ("moneyline",)


@pytest.mark.parametrize(
    ("field", "text", "problem"),
    [
        ("amount", "much", "Amount: "),
        ("odds", "0.5", "Minimum odds: "),
        ("until", "soon", "Until 'soon': "),
        ("until", "2026-04-15 23:00", "Until '2026-04-15 23:00': 15 Apr 2026 23:00 is in the past"),
        ("name", "a;b", "The name may not contain"),
    ],
)
def test_what_makes_no_sense_is_said_and_nothing_is_kept(
    dialog: OfferDialog, kept: list[Promotion], field: str, text: str, problem: str
) -> None:
    dialog.bookmaker.setCurrentText("Unibet")
    dialog.amount.setText("10")
    getattr(dialog, field).setText(text)
    dialog._on_buttons_accepted()
    assert trouble(dialog).startswith(problem)
    assert kept == []
    assert dialog.isVisible()


def test_an_offer_needs_a_bookmaker(dialog: OfferDialog, kept: list[Promotion]) -> None:
    dialog.amount.setText("10")
    dialog._on_buttons_accepted()
    assert trouble(dialog) == "Enter the bookmaker."
    assert kept == []


def test_editing_keeps_what_is_not_touched(theme: Theme, window: QMainWindow) -> None:
    offer = replace(FREE, until=NOW_MS + 1_234, least_odds=1.0 + 1 / 3, used_at=5)
    dialog = OfferDialog(theme, offer, [], [], lambda _: "", NOW_MS, window)
    assert dialog.offer() == offer
    assert not dialog.is_changed()
    dialog.close()


@pytest.mark.parametrize(
    ("bet", "back", "lay", "commission", "figures"),
    [
        (PromotedBet(PromoKind.FREE, 100, 5.0), 5.0, 5.5, 0.02, ["72.99", "328.47", "+71.53"]),
        (PromotedBet(PromoKind.QUALIFY, 50, 3.0), 3.0, 2.8, 0.0, ["53.57", "96.43", "+3.57"]),
        (PromotedBet(PromoKind.REFUND, 50, 3.0, 25), 3.0, 2.8, 0.0, ["44.64", "80.36", "+19.64"]),
    ],
)
def test_the_calculator_reckons_as_one_types(
    theme: Theme,
    window: QMainWindow,
    bet: PromotedBet,
    back: float,
    lay: float,
    commission: float,
    figures: list[str],
) -> None:
    calculator = HedgeCalculator(theme, bet, None, None, commission, window)
    assert [text for _, text, _ in calculator.figures.texts()] == ["–", "–", "–"]
    assert calculator.said.text() == "Enter the back odds."
    calculator.back.setText(f"{back:g}")
    assert calculator.said.text() == "Enter the lay odds."
    calculator.lay.setText(f"{lay:g}")
    assert [text for _, text, _ in calculator.figures.texts()] == figures
    calculator.lay.setText("1")
    assert calculator.said.text().startswith("Lay odds: ")
    calculator.close()


def test_the_calculator_says_what_each_result_leaves(theme: Theme, window: QMainWindow) -> None:
    bet = PromotedBet(PromoKind.BOOST, 10, 3.0, boost=0.5)
    calculator = HedgeCalculator(theme, bet, 3.0, 3.1, 0.02, window)
    assert calculator.said.text().startswith("+2.73 if the back bet wins, +2.73 if the lay wins.")
    assert not any("{" in label.text() for label in calculator.findChildren(QLabel))
    calculator.close()
