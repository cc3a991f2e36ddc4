"""Offers and the bets with them: what is used, what a refund earns, and how offers are named."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from pytestqt.qtbot import QtBot

from oddsdesk.desk.promotions.offer_dialog import OfferDialog
from oddsdesk.desk.promotions.offers import (
    Offers,
    is_refund_due,
    offer_text,
    refund_offer,
    terms_of,
    with_name,
)
from oddsdesk.desk.promotions.panel import PromotionsPanel
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.promotions import known_promotions, promotions_file, save_promotion
from oddsdesk.pricing.promotions import PromoKind, Promotion
from oddsdesk.pricing.selections import Result
from tests.kit.promotions_panel import FREE, bet_with
from tests.kit.quoted_game import NOW_MS

REFUND = Promotion(
    name="Refund",
    kind=PromoKind.REFUND,
    bookmaker="Bovada",
    amount=50.0,
    refund=25.0,
    refund_as_free=True,
)


@pytest.fixture
def offers(records: Records, layout: Layout, qtbot: QtBot) -> Iterator[Offers]:
    qtbot.waitUntil(lambda: records.has_read_bets)
    made = Offers(records, layout, lambda: NOW_MS)
    yield made
    made.stop_listening()


def used(name: str) -> bool:
    (offer,) = (each for each in known_promotions().promotions if each.name == name)
    return offer.used_at is not None


def place(records: Records, bet: PlacedBet, qtbot: QtBot) -> PlacedBet:
    kept: list[PlacedBet] = []
    records.place_bet(bet, kept.append)
    qtbot.waitUntil(lambda: bool(kept))
    return kept[0]


def settle(records: Records, bet: PlacedBet, qtbot: QtBot, result: Result = Result.LOST) -> None:
    settled = replace(bet, result=result, settled_at=NOW_MS)
    with qtbot.waitSignal(records.bets_changed):
        records.change_bets([settled], "settled")


def test_a_bet_with_an_offer_uses_it_and_taking_the_bet_back_does_too(
    offers: Offers, records: Records, qtbot: QtBot
) -> None:
    assert offers.save_offer(FREE) == ""
    bet = place(records, bet_with(FREE), qtbot)
    assert used("Free 25")
    assert offers.earned_with(FREE).open == 1
    records.take_back(bet)
    qtbot.waitUntil(lambda: not used("Free 25"))


def test_an_offer_that_the_user_marked_stays_so_whatever_other_bets_do(
    offers: Offers, records: Records, qtbot: QtBot
) -> None:
    offers.save_offer(FREE)
    offers.mark_offer("Free 25", is_used=True)
    bet = place(records, replace(bet_with(FREE), note=""), qtbot)
    with qtbot.waitSignal(records.bets_changed):
        records.take_back(bet)
    assert used("Free 25")


def test_a_bonus_is_used_once_all_of_its_wagering_is_staked(
    offers: Offers, records: Records, qtbot: QtBot
) -> None:
    bonus = replace(FREE, kind=PromoKind.BONUS, name="Bonus", wagering=2.0)
    offers.save_offer(bonus)
    place(records, bet_with(bonus), qtbot)
    place(records, replace(bet_with(bonus), bookmaker="Matchbook", stake=900.0), qtbot)
    assert not used("Bonus")
    place(records, bet_with(bonus), qtbot)
    assert used("Bonus")


def test_a_refund_that_is_a_free_bet_is_asked_about_until_it_is_answered(
    panel: PromotionsPanel, records: Records, qtbot: QtBot
) -> None:
    panel.offers.save_offer(REFUND)
    bet = bet_with(REFUND, refund=25.0, refund_as="free")
    settle(records, place(records, bet, qtbot), qtbot)
    assert panel.notes.message_text == (
        "Everton at Bovada lost: a free bet of 25.00 is due. Add it to your offers?"
    )
    panel.notes.action_requested.emit()
    (dialog,) = panel.findChildren(OfferDialog)
    assert dialog.reading.text().startswith("Read as: Free bet 25, at Bovada")
    dialog._on_buttons_accepted()
    (_, free) = known_promotions().promotions
    assert (free.name, free.kind, free.amount) == ("Free bet 25 Bovada", PromoKind.FREE, 25)
    assert panel.shown_offer == free
    with qtbot.assertNotEmitted(panel.offers.refund_due):
        panel.offers.ask_about_refunds()


def test_a_refund_is_asked_about_again_at_the_next_start(
    panel: PromotionsPanel,
    quoted: Any,
    theme: Theme,
    preferences: Preferences,
    layout: Layout,
    records: Records,
    qtbot: QtBot,
) -> None:
    bet = bet_with(REFUND, refund=25.0, refund_as="free")
    settle(records, place(records, bet, qtbot), qtbot)
    next_one = PromotionsPanel(quoted.board, theme, quoted.clock, preferences, layout, records)
    qtbot.addWidget(next_one)
    assert next_one.notes.message_text.startswith("Everton at Bovada lost: a free bet")
    next_one.close_panel()


def test_a_refund_is_told_elsewhere_while_the_panel_is_not_seen(
    panel: PromotionsPanel, records: Records, qtbot: QtBot
) -> None:
    bet = bet_with(REFUND, refund=25.0, refund_as="free")
    placed = place(records, bet, qtbot)
    panel.hide()
    with qtbot.waitSignal(panel.refund_noticed) as told:
        settle(records, placed, qtbot)
    assert told.args == ["Everton at Bovada lost: a free bet of 25.00 is due."]


def test_a_refund_that_is_turned_down_is_not_asked_about_again(
    panel: PromotionsPanel, records: Records, qtbot: QtBot
) -> None:
    bet = bet_with(REFUND, refund=25.0, refund_as="free")
    settle(records, place(records, bet, qtbot), qtbot)
    panel.notes._close.click()
    panel.offers._asked = None
    with qtbot.assertNotEmitted(panel.offers.refund_due):
        panel.offers.ask_about_refunds()
    assert known_promotions().promotions == []


def test_a_void_free_bet_is_asked_about_and_its_offer_can_be_used_again(
    panel: PromotionsPanel, records: Records, qtbot: QtBot
) -> None:
    panel.offers.save_offer(FREE)
    settle(records, place(records, bet_with(FREE), qtbot), qtbot, Result.VOID)
    assert used("Free 25")
    assert panel.notes.message_text == (
        "The free bet on Everton at Bovada was void: most bookmakers give it back."
    )
    panel.notes.action_requested.emit()
    assert not used("Free 25")
    with qtbot.assertNotEmitted(panel.offers.void_found):
        panel.offers.ask_about_refunds()
    again = place(records, bet_with(FREE), qtbot)
    assert used("Free 25")
    records.take_back(again)
    qtbot.waitUntil(lambda: not used("Free 25"))


def test_a_free_bet_that_lost_is_not_asked_about(
    panel: PromotionsPanel, records: Records, qtbot: QtBot
) -> None:
    panel.offers.save_offer(FREE)
    bet = place(records, bet_with(FREE), qtbot)
    with qtbot.assertNotEmitted(panel.offers.void_found):
        settle(records, bet, qtbot)
    assert used("Free 25")


@pytest.mark.parametrize(
    ("fields", "is_due"),
    [
        ({}, True),
        ({"refund_as": "money"}, False),
        ({"result": Result.WON}, False),
        ({"result": None}, False),
        ({"practice": True}, False),
    ],
)
def test_a_free_bet_is_due_for_a_lost_refund_bet_only(fields: Any, is_due: bool) -> None:
    lost = {"refund": 25.0, "refund_as": "free", "result": Result.LOST}
    assert is_refund_due(bet_with(REFUND, **(lost | fields))) is is_due


def test_a_refund_is_at_most_the_stake() -> None:
    bet = bet_with(REFUND, refund=25.0, refund_as="free", stake=10.0)
    assert refund_offer(bet, []).amount == 10


def test_names_tell_offers_apart() -> None:
    first = with_name(replace(FREE, name=""), [])
    assert first.name == "Free bet 25 Bovada"
    assert with_name(replace(FREE, name=""), [first]).name == "Free bet 25 Bovada (2)"


@pytest.mark.parametrize(
    ("offer", "text", "terms"),
    [
        (FREE, "Free bet 25", ["at Bovada"]),
        (
            replace(FREE, kind=PromoKind.BOOST, boost=0.5, amount=10.0, least_odds=2.0),
            "Boost 50 % on a stake of up to 10",
            ["at Bovada", "odds 2.00 or more"],
        ),
        (REFUND, "Refund 25 of 50", ["at Bovada", "refund as free bet, counted at 70 %"]),
        (
            replace(FREE, kind=PromoKind.BONUS, wagering=5.0, markets=("total",)),
            "Bonus 25, 5×",
            ["at Bovada", "125 to stake, 25 a bet", "Total"],
        ),
        (
            replace(FREE, kind=PromoKind.QUALIFY, currency="EUR"),
            "Qualifying bet 25 EUR",
            ["at Bovada"],
        ),
    ],
)
def test_an_offer_is_said_in_words(offer: Promotion, text: str, terms: list[str]) -> None:
    assert offer_text(offer) == text
    assert terms_of(offer, NOW_MS) == terms


def test_a_file_that_cannot_be_read_is_said_and_left_as_it_is(offers: Offers, qtbot: QtBot) -> None:
    save_promotion(FREE)
    path: Path = promotions_file()
    path.write_text("[{]")
    with qtbot.waitSignal(offers.failed) as failed:
        offers.read_again()
    assert "not a list of promotions" in failed.args[0]
    assert "correct it, or move the file away" in offers.save_offer(replace(FREE, name="New"))
    assert path.read_text() == "[{]"
