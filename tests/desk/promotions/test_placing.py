"""All legs of a promotion are recorded on one sheet as what they are, and taken back as one."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.desk.opportunities.panel import OpportunitiesPanel
from oddsdesk.desk.promotions.panel import UNHEDGED, PromotionsPanel
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import STAKE_STEP
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets.panel import ValuesPanel
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.promotions import known_promotions
from oddsdesk.pricing.currencies import Rates
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.pricing.promotions import PromoKind, Promotion
from oddsdesk.pricing.selections import Result
from tests.kit.opportunities_panel import look as look_for_opportunities
from tests.kit.promotions_panel import (
    FREE,
    bet_with,
    fields,
    give,
    lay,
    record,
    rows_of,
    sheet_of,
    shown,
)
from tests.kit.quoted_game import NOW_MS

EVERTON = replace(FREE, least_odds=3.19, markets=("moneyline",))
"""Only Everton, at 3.20, and the draw, at 3.30, are long enough for it."""


@pytest.fixture(autouse=True)
def values(
    panel: PromotionsPanel,
    quoted: Any,
    theme: Theme,
    preferences: Preferences,
    layout: Layout,
    records: Records,
    qtbot: QtBot,
) -> Iterator[ValuesPanel]:
    """What records bets, connected as in the window; stakes are in hundredths."""
    preferences.keep_setting(STAKE_STEP, "0.01")
    values = ValuesPanel(quoted.board, theme, quoted.clock, preferences, layout, records)
    qtbot.addWidget(values)
    panel.place_requested.connect(values.promotion_placer_over(panel, panel.messages))
    yield values
    values.close_panel()


def ask(panel: PromotionsPanel, selection: str = "Everton") -> None:
    """Ask for all legs of the way whose promoted bet is on a selection."""
    model = panel._current_model()
    (row,) = (
        number
        for number, each in enumerate(rows_of(model))
        if each.is_first and each.leg.key.selection == selection
    )
    panel._current_table().set_current(row)
    panel._place()


def test_a_free_bet_is_laid_and_both_legs_are_recorded_as_what_they_are(
    panel: PromotionsPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    """25 free at 3.20 win 55; a lay of 16.66 at 3.30 loses 38.32 of it, and 16.67 more."""
    lay(quoted, "Everton", 3.25, 3.30)
    give(panel, EVERTON, qtbot)
    ask(panel)
    sheet = sheet_of(panel)
    assert fields(sheet) == [("Bovada", "3.2", "25"), ("Matchbook", "3.3", "16.66")]
    assert sheet.total.isHidden()
    assert sheet.outcomes.text() == "Everton wins +16.68 · Everton does not win +16.66"
    assert sheet.profit.text().startswith("Guaranteed +16.66 (+66.64 %), at best +16.68")
    free, laid = record(panel, records, qtbot)
    assert (free.kind, free.stake, free.odds) == (BetKind.FREE, 25, 3.2)
    assert (laid.kind, laid.stake, laid.odds) == (BetKind.LAY, 16.66, 3.3)
    assert laid.liability == pytest.approx(38.318)
    assert free.fair_odds is not None
    assert laid.fair_odds == pytest.approx(free.fair_odds / (free.fair_odds - 1))
    assert {bet.note for bet in (free, laid)} == {"promo: Free 25"}
    assert known_promotions().promotions[0].used_at is not None
    assert panel.offer_list._facts.accessibleName() == "0 open offers · 1 used or expired"
    ended = [replace(free, result=Result.LOST).profit, replace(laid, result=Result.WON).profit]
    assert ended == [0, pytest.approx(16.66)]


def test_a_lay_in_another_currency_without_a_rate_is_warned_of_and_recorded_in_it(
    panel: PromotionsPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    lay(quoted, "Everton", 3.25, 3.30, currency="GBP")
    give(panel, replace(EVERTON, currency="EUR"), qtbot)
    row = next(each for each in shown(panel.hedged) if each["Selection"] == "Lay Everton")
    assert row["Warning vs sharp book"] == "takes GBP, no exchange rate"
    ask(panel)
    sheet = sheet_of(panel)
    assert sheet.news.text().splitlines()[0] == (
        "Amounts are in EUR; Matchbook takes GBP and no exchange rate is set: "
        "the hedge is only right if 1 GBP is worth 1 EUR."
    )
    assert [leg.money.text() for leg in sheet.rows] == ["free bet, EUR", "liability 38.32 GBP"]
    assert sheet.profit.text().startswith("Guaranteed +16.66 EUR (")
    free, laid = record(panel, records, qtbot)
    assert (free.currency, laid.currency) == ("EUR", "GBP")


def test_a_lay_in_another_currency_is_staked_by_the_users_rate(
    panel: PromotionsPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    """16.67 EUR are 13.33 GBP."""
    quoted.board.set_rates(Rates("EUR", {"GBP": 1.25}))
    lay(quoted, "Everton", 3.25, 3.30, currency="GBP")
    give(panel, EVERTON, qtbot)
    ask(panel)
    sheet = sheet_of(panel)
    assert fields(sheet)[1] == ("Matchbook", "3.3", "13.33")
    assert sheet.profit.text().startswith("Guaranteed +16.66 EUR (")
    news = sheet.news.text()
    assert "Matchbook takes GBP: 1 GBP counts as 1.25 EUR (your rate)." in news
    sheet.rows[0].stake.clear()
    QTest.keyClicks(sheet.rows[0].stake, "50")
    assert fields(sheet)[1] == ("Matchbook", "3.3", "26.66")
    free, laid = record(panel, records, qtbot)
    assert (free.currency, laid.currency, laid.stake) == ("", "GBP", 26.66)


def test_undo_takes_all_legs_back_and_the_offer_can_be_used_again(
    panel: PromotionsPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    lay(quoted, "Everton", 3.25, 3.30)
    give(panel, EVERTON, qtbot)
    ask(panel)
    record(panel, records, qtbot)
    assert panel.messages.message_text == "Recorded 2 legs, 38.32 staked."
    panel.activateWindow()
    qtbot.waitUntil(panel.isActiveWindow)
    panel.offer_list.table.scrolling.setFocus()
    QTest.keyClick(
        panel.offer_list.table.scrolling, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier
    )
    qtbot.waitUntil(lambda: not list(records.placed_bets()))
    assert known_promotions().promotions[0].used_at is None
    qtbot.waitUntil(lambda: bool(rows_of(panel.hedged)))


def test_the_hedge_follows_odds_and_a_stake_that_are_typed(
    panel: PromotionsPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    lay(quoted, "Everton", 3.25, 3.30)
    give(panel, EVERTON, qtbot)
    ask(panel)
    sheet = sheet_of(panel)
    sheet.rows[0].odds.clear()
    QTest.keyClicks(sheet.rows[0].odds, "3.0")
    assert fields(sheet)[1] == ("Matchbook", "3.3", "15.15")
    sheet.rows[1].odds.clear()
    QTest.keyClicks(sheet.rows[1].odds, "3.4")
    assert fields(sheet)[1] == ("Matchbook", "3.4", "14.7")
    sheet.rows[0].stake.clear()
    QTest.keyClicks(sheet.rows[0].stake, "20")
    assert fields(sheet)[1] == ("Matchbook", "3.4", "11.76")
    sheet.rows[1].stake.clear()
    QTest.keyClicks(sheet.rows[1].stake, "12")
    sheet.update_stakes.click()
    assert fields(sheet) == [("Bovada", "3.0", "20"), ("Matchbook", "3.4", "12")]
    (free, laid) = record(panel, records, qtbot)
    assert (free.odds, free.stake, laid.odds, laid.stake) == (3.0, 20, 3.4, 12)


@pytest.mark.parametrize(
    ("offer", "kind", "odds", "terms"),
    [
        (
            replace(EVERTON, kind=PromoKind.BOOST, boost=0.5, amount=10.0),
            BetKind.BOOST,
            4.3,
            {"unboosted_odds": 3.2, "stake": 10.0, "refund": 0.0, "refund_as": ""},
        ),
        (
            replace(EVERTON, kind=PromoKind.REFUND, refund=20.0, refund_as_free=True),
            BetKind.REFUND,
            3.2,
            {"unboosted_odds": None, "stake": 25.0, "refund": 20.0, "refund_as": "free"},
        ),
        (
            replace(EVERTON, kind=PromoKind.REFUND),
            BetKind.REFUND,
            3.2,
            {"unboosted_odds": None, "stake": 25.0, "refund": 25.0, "refund_as": "money"},
        ),
        (
            replace(EVERTON, kind=PromoKind.QUALIFY, account="mine", currency="EUR"),
            BetKind.BACK,
            3.2,
            {"account": "mine", "currency": "EUR", "stake": 25.0},
        ),
        (
            replace(EVERTON, kind=PromoKind.FREE_RETURNED),
            BetKind.FREE_RETURNED,
            3.2,
            {"stake": 25.0},
        ),
    ],
)
def test_each_kind_is_recorded_with_its_terms_and_leaves_what_was_listed(
    panel: PromotionsPanel,
    quoted: Any,
    records: Records,
    qtbot: QtBot,
    offer: Promotion,
    kind: BetKind,
    odds: float,
    terms: dict[str, Any],
) -> None:
    lay(quoted, "Everton", 3.25, 3.30)
    give(panel, offer, qtbot)
    ask(panel)
    (row,) = (r for r in rows_of(panel.hedged) if r.is_first and r.leg.key.selection == "Everton")
    sheet = sheet_of(panel)
    assert min(sheet.profits(sheet.bets())) == pytest.approx(row.way.locked, abs=0.02)
    assert ("Includes a free bet worth" in sheet.profit.text()) is offer.refund_as_free
    promoted, laid = record(panel, records, qtbot)
    assert (promoted.kind, promoted.odds) == (kind, pytest.approx(odds))
    assert {name: getattr(promoted, name) for name in terms} == terms
    assert laid.kind is BetKind.LAY


def test_a_refund_follows_the_stake_that_is_typed(
    panel: PromotionsPanel, quoted: Any, qtbot: QtBot
) -> None:
    """20 at 3.20 win 44 or lose 20, of which 14 come back: a lay of 50 / 3.3."""
    lay(quoted, "Everton", 3.25, 3.30)
    give(panel, replace(EVERTON, kind=PromoKind.REFUND, refund_as_free=True), qtbot)
    ask(panel)
    sheet = sheet_of(panel)
    sheet.rows[0].stake.clear()
    QTest.keyClicks(sheet.rows[0].stake, "20")
    assert fields(sheet)[1] == ("Matchbook", "3.3", "15.15")
    assert sheet.profits(sheet.bets()) == pytest.approx([9.155, 9.15])


def test_what_is_a_free_bet_to_be_earned_is_said_of_the_profit(
    panel: PromotionsPanel, quoted: Any, qtbot: QtBot
) -> None:
    """20 at 3.20: of the 20 lost 14 count as a free bet; the lay of 15.15 wins 15.15."""
    lay(quoted, "Everton", 3.25, 3.30)
    offer = replace(EVERTON, kind=PromoKind.REFUND, refund_as_free=True, amount=20.0)
    give(panel, offer, qtbot)
    ask(panel)
    says = "Includes a free bet worth 14.00 if Everton loses; at worst -4.85 in cash"
    assert sheet_of(panel).profit.text().splitlines()[1].replace("−", "-") == says
    row = next(n for n, each in enumerate(rows_of(panel.hedged)) if each.leg.is_lay)
    assert says in panel.hedged.tip(row, 0).replace("−", "-").splitlines()


def test_without_a_lay_the_other_outcomes_are_backed(
    panel: PromotionsPanel, records: Records, qtbot: QtBot
) -> None:
    give(panel, EVERTON, qtbot)
    ask(panel)
    first, *others = record(panel, records, qtbot)
    assert first.kind is BetKind.FREE
    assert [(bet.kind, bet.selection) for bet in others] == [
        (BetKind.BACK, "Draw"),
        (BetKind.BACK, "Liverpool"),
    ]
    paid = [bet.stake * bet.net for bet in others]
    assert paid == pytest.approx([25 * 2.2] * 2, abs=0.05)


def test_an_unhedged_bet_is_recorded_alone(
    panel: PromotionsPanel, records: Records, qtbot: QtBot
) -> None:
    give(panel, EVERTON, qtbot)
    panel.header.chips.choose_chip(UNHEDGED)
    ask(panel)
    sheet = sheet_of(panel)
    assert sheet.outcomes.text() == "Everton wins +55.00 · Everton loses +0.00"
    (bet,) = record(panel, records, qtbot)
    assert (bet.kind, bet.stake, bet.leg) == (BetKind.FREE, 25, False)


def test_a_leg_that_is_unticked_is_not_recorded(
    panel: PromotionsPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    lay(quoted, "Everton", 3.25, 3.30)
    give(panel, EVERTON, qtbot)
    ask(panel)
    sheet_of(panel).rows[1].box.setChecked(False)
    assert [bet.kind for bet in record(panel, records, qtbot)] == [BetKind.FREE]


def test_a_price_that_moves_is_said_on_the_sheet(
    panel: PromotionsPanel, quoted: Any, qtbot: QtBot
) -> None:
    lay(quoted, "Everton", 3.25, 3.30)
    give(panel, EVERTON, qtbot)
    ask(panel)
    sheet = sheet_of(panel)
    lay(quoted, "Everton", 3.45, 3.50)
    sheet.look_again()
    assert sheet.news.text().splitlines()[:2] == [
        "Lay Everton at Matchbook: 3.50 now, 3.30 when you started.",
        "Locked in: +15.71 now, +16.66 when you started.",
    ]
    sheet.update_stakes.click()
    assert fields(sheet)[1] == ("Matchbook", "3.5", "15.71")
    sheet.reject()


def test_what_is_placed_with_an_offer_is_no_half_of_an_arbitrage(
    panel: PromotionsPanel,
    quoted: Any,
    theme: Theme,
    preferences: Preferences,
    layout: Layout,
    records: Records,
    qtbot: QtBot,
) -> None:
    give(panel, EVERTON, qtbot)
    ask(panel)
    placed: list[PlacedBet] = record(panel, records, qtbot)
    assert len(placed) == 3
    quoted.clock.now += 1
    quoted.tell("Unibet", "moneyline", "Everton", 3.90)
    list_ = OpportunitiesPanel(quoted.board, theme, quoted.clock, preferences, layout, records)
    qtbot.addWidget(list_)
    list_.show()
    look_for_opportunities(list_, qtbot)
    assert list_.model.rowCount()
    assert not list_.model.half_placed
    list_.close_panel()


def test_open_bets_count_against_a_bookmakers_limit_as_soon_as_they_are_recorded(
    panel: PromotionsPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    quoted.board.set_profiles(Profiles([Profile(name="Unibet", group="", limit=30.0)]))
    quoted.clock.now += 1
    quoted.tell("Unibet", "moneyline", "Liverpool", 2.60)
    give(panel, EVERTON, qtbot)

    def hedged_at() -> dict[str, str]:
        rows = rows_of(panel.hedged)
        way = next(row.way for row in rows if row.leg.key.selection == "Everton")
        return {leg.key.selection: leg.bookmaker for leg in way.legs}

    assert hedged_at()["Liverpool"] == "Unibet"
    placed = bet_with(
        EVERTON, kind=BetKind.BACK, bookmaker="Unibet", note="", selection="Liverpool",
        stake=20.0, odds=2.6, game_id=quoted.id, competition=quoted.competition,
        match_name=quoted.name,
    )  # fmt: skip
    records.place_bet(placed, lambda _: None)
    qtbot.waitUntil(lambda: bool(rows_of(panel.hedged)) and hedged_at()["Liverpool"] != "Unibet")
    records.take_back(next(records.placed_bets()))
    qtbot.waitUntil(lambda: hedged_at()["Liverpool"] == "Unibet")


def test_no_bet_is_recorded_on_a_price_of_the_past(
    panel: PromotionsPanel, quoted: Any, qtbot: QtBot
) -> None:
    give(panel, EVERTON, qtbot)
    way = rows_of(panel.hedged)[0].way
    quoted.board.set_connection(Connection(link=Link.PAST, as_of_ms=NOW_MS - 1))
    panel.place_requested.emit(way)
    assert panel.messages.message_text.startswith("This price is from the past.")


def test_after_recording_no_button_has_the_keyboard(
    panel: PromotionsPanel, records: Records, qtbot: QtBot
) -> None:
    """Enter, pressed once more, would mark the offer as not used."""
    give(panel, EVERTON, qtbot)
    panel.table.scrolling.setFocus()
    ask(panel)
    record(panel, records, qtbot)
    assert panel.window().focusWidget() is panel.offer_list.table.scrolling
