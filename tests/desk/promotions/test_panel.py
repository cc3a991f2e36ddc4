"""The panel of promotions: offers, the ways to use one, and what is said where there is none."""

import math
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.desk.export.files import table_of
from oddsdesk.desk.promotions.calculator import HedgeCalculator
from oddsdesk.desk.promotions.offer_dialog import OfferDialog
from oddsdesk.desk.promotions.panel import UNHEDGED, PromotionsPanel, _earned_text
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import STAKE_STEP
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.ui.controls.messages import Placeholder
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.ledger.promotions import Earned, known_promotions, save_promotion
from oddsdesk.pricing.promotions import Promotion
from tests.kit.board import game
from tests.kit.promotions_panel import FREE, give, look, rows_of, shown
from tests.kit.quoted_game import NOW_MS


def test_open_bets_are_counted_in_words_that_fit() -> None:
    assert _earned_text(Earned(0, 0, 0.0)) == ""
    assert _earned_text(Earned(1, 1, 0.0)) == ", 1 bet open"
    assert _earned_text(Earned(2, 1, 3.5)) == ", profit +3.50, 1 bet open"
    assert _earned_text(Earned(2, 2, 0.0)) == ", 2 bets open"
    assert _earned_text(Earned(1, 0, 3.5)) == ", profit +3.50"


def said(placeholder: Placeholder) -> str:
    return placeholder._sentence.text()


def facts(panel: PromotionsPanel) -> str:
    return panel.header.facts.accessibleName()


def test_a_free_bet_is_listed_with_its_hedge_a_leg_a_row(
    panel: PromotionsPanel, quoted: Any, qtbot: QtBot
) -> None:
    """25 free at 3.20 pay 55: 16 on the draw at 3.40 and 23 on Liverpool at 2.40."""
    give(panel, FREE, qtbot)
    first, second, third, *_ = shown(panel.hedged)
    names = [row["Selection"] for row in (first, second, third)]
    assert names == ["Draw", "Everton", "Liverpool"]
    (best,) = {row.way for row in rows_of(panel.hedged)[:3]}
    stakes = [leg.stake for leg in best.legs]
    nets = [leg.net_odds for leg in best.legs]
    assert stakes[0] == 25
    left = [25 * (nets[0] - 1)] + [s * n for s, n in zip(stakes[1:], nets[1:], strict=True)]
    worst = min(each - sum(stakes[1:]) for each in left)
    assert best.locked == pytest.approx(worst)
    assert first["Locked in"] == f"+{worst:.2f}"
    assert first["Of offer"] == f"{4 * worst:.1f} %"
    assert (second["Locked in"], second["Of offer"]) == ("", "")
    assert first["Bookmaker"] == "Bovada"
    assert "if Everton wins" in panel.hedged.tip(0, 0)
    assert facts(panel).startswith("5 hedges · Free bet 25 · at Bovada")


def test_the_best_way_is_on_top_and_unhedged_ways_have_another_list(
    panel: PromotionsPanel, qtbot: QtBot
) -> None:
    give(panel, FREE, qtbot)
    locked = [row.way.locked or 0 for row in rows_of(panel.hedged) if row.is_first]
    assert locked == sorted(locked, reverse=True)
    panel.header.chips.choose_chip(UNHEDGED)
    assert panel._stack.currentWidget() is panel.unhedged_table
    (first, *_) = shown(panel.unhedged)
    row = rows_of(panel.unhedged)[0]
    assert first["EV"] == f"+{25 * (row.leg.net_odds - 1) * (row.way.chance or 0):.2f}"
    assert row.way.certainty is not None
    assert row.way.ev is not None
    assert 0 < row.way.certainty < row.way.ev
    assert "if it loses" in panel.unhedged.tip(0, 0)


def test_which_list_and_which_offer_are_shown_is_kept(
    panel: PromotionsPanel,
    theme: Theme,
    quoted: Any,
    preferences: Preferences,
    layout: Layout,
    records: Records,
    qtbot: QtBot,
) -> None:
    for name in ("A", "B"):
        give(panel, replace(FREE, name=name), qtbot)
    row = panel.offer_list.model.row_of_key(("B",))
    assert row is not None
    panel.offer_list.table.set_current(row)
    panel.header.chips.choose_chip(UNHEDGED)
    other = PromotionsPanel(quoted.board, theme, quoted.clock, preferences, layout, records)
    qtbot.addWidget(other)
    assert other.shown_offer is not None
    assert other.shown_offer.name == "B"
    assert other.header.chips.chosen_chip == UNHEDGED
    other.close_panel()


def test_ways_follow_the_prices(panel: PromotionsPanel, quoted: Any, qtbot: QtBot) -> None:
    give(panel, FREE, qtbot)
    before = max(row.way.locked or 0 for row in rows_of(panel.hedged))
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "moneyline", "Everton", 3.60)
    qtbot.waitUntil(lambda: max(row.way.locked or 0 for row in rows_of(panel.hedged)) > before)


def test_listed_ways_follow_their_prices_before_the_board_is_looked_at_again(
    panel: PromotionsPanel, quoted: Any, qtbot: QtBot
) -> None:
    give(panel, FREE, qtbot)
    before = max(row.way.locked or 0 for row in rows_of(panel.hedged))
    panel.list._rested_at = math.inf
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "moneyline", "Everton", 3.60)
    qtbot.waitUntil(lambda: max(row.way.locked or 0 for row in rows_of(panel.hedged)) > before)


def test_rows_stay_where_they_are_while_somebody_points_at_them(
    panel: PromotionsPanel, quoted: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    quoted.board.load_games([game(quoted.name)])
    give(panel, FREE, qtbot)
    monkeypatch.setattr(LiveTable, "is_pointed_at", True)
    before = [row.leg.key for row in rows_of(panel.hedged)]
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "total", "Under 2.5", 2.5)
    with qtbot.waitSignal(panel.list.changed):
        panel.list.look_again()
    assert [row.leg.key for row in rows_of(panel.hedged)][: len(before)] == before
    assert panel.hedged.rows_that_would_move
    panel._sort()
    assert not panel.hedged.rows_that_would_move


def test_other_stake_steps_change_the_stakes(
    panel: PromotionsPanel, preferences: Preferences, qtbot: QtBot
) -> None:
    give(panel, FREE, qtbot)
    assert all(row.stake == int(row.stake) for row in rows_of(panel.hedged) if not row.leg.is_lay)
    with qtbot.waitSignal(panel.list.changed):
        preferences.keep_setting(STAKE_STEP, "0.01")
    assert any(row.stake != int(row.stake) for row in rows_of(panel.hedged))


def test_without_offers_it_offers_to_add_one(panel: PromotionsPanel) -> None:
    assert said(panel.offer_list.placeholder) == "No offers yet."
    assert said(panel.placeholder) == "No offer chosen."
    panel.offer_list.placeholder.action_requested.emit()
    (dialog,) = panel.findChildren(OfferDialog)
    assert dialog.windowTitle() == "New offer"
    dialog.close()


def test_after_a_new_offer_the_keyboard_is_in_the_list_of_offers(
    panel: PromotionsPanel, quoted: Any, qtbot: QtBot
) -> None:
    panel.edit_offer(None)
    (dialog,) = panel.window().findChildren(OfferDialog)
    dialog.bookmaker.setCurrentText("Bovada")
    dialog.amount.setText("25")
    with qtbot.waitSignal(panel.list.changed):
        dialog._on_buttons_accepted()
    assert panel.window().focusWidget() is panel.offer_list.table.scrolling
    assert panel.offer_list.table.chosen_row() == 0
    qtbot.waitUntil(lambda: panel.table.chosen_row() == 0)
    way = panel.current_way()
    assert way is not None
    with qtbot.waitSignal(panel.place_requested) as asked:
        next(each for each in panel.actions() if each.text().startswith("Record all")).trigger()
    assert asked.args == [way.way]


def test_the_best_way_is_marked_once_the_panel_is_chosen(
    panel: PromotionsPanel, qtbot: QtBot
) -> None:
    give(panel, FREE, qtbot)
    assert panel.table.chosen_row() is None
    panel.setFocus(Qt.FocusReason.OtherFocusReason)  # as the palette does
    qtbot.waitUntil(lambda: panel.table.chosen_row() == 0)
    panel.table.set_current(2)
    panel.setFocus(Qt.FocusReason.OtherFocusReason)
    look(panel, qtbot)
    assert panel.table.chosen_row() != 0


def test_an_offer_is_edited_and_deleted_by_keys_and_deleting_is_undone(
    panel: PromotionsPanel, qtbot: QtBot
) -> None:
    give(panel, FREE, qtbot)
    panel.offer_list.table.scrolling.setFocus()
    QTest.keyClick(panel.offer_list.table.scrolling, Qt.Key.Key_E)
    (dialog,) = panel.findChildren(OfferDialog)
    dialog.amount.setText("50")
    dialog._on_buttons_accepted()
    assert [offer.amount for offer in known_promotions().promotions] == [50]
    QTest.keyClick(panel.offer_list.table.scrolling, Qt.Key.Key_Delete)
    assert known_promotions().promotions == []
    assert panel.notes.message_text == "Deleted: Free bet 50 at Bovada. Its bets stay."
    panel.notes.action_requested.emit()
    assert [offer.amount for offer in known_promotions().promotions] == [50]


def test_a_used_offer_is_quiet_and_lists_no_ways(panel: PromotionsPanel, qtbot: QtBot) -> None:
    give(panel, FREE, qtbot)
    give(panel, replace(FREE, name="Another", amount=10.0), qtbot)
    panel._toggle_used()
    assert panel.shown_offer is not None
    assert panel.shown_offer.name == "Free 25"
    model = panel.offer_list.model
    assert [model.cell(row, 1).text for row in (0, 1)] == ["", "used"]
    assert model.cell(1, 0).ink is TextRole.NOTE
    assert said(panel.placeholder).startswith("Used 16 Apr 2026")
    assert not rows_of(panel.hedged)
    panel.placeholder.action_requested.emit()
    assert panel.shown_offer.used_at is None
    look(panel, qtbot)
    assert rows_of(panel.hedged)


def test_an_offer_that_expires_lists_no_ways_any_more(
    panel: PromotionsPanel, quoted: Any, qtbot: QtBot
) -> None:
    until = quoted.kick_off + MINUTE_MS
    give(panel, replace(FREE, until=until), qtbot)
    assert rows_of(panel.hedged)
    quoted.clock.now = until + 1
    panel._on_idle_timeout()
    assert said(panel.placeholder).startswith("This offer expired ")
    assert panel.offer_list.model.cell(0, 1).text == "expired"


@pytest.mark.parametrize(
    ("offer", "sentence", "detail"),
    [
        (replace(FREE, bookmaker="Bovado"), "Bovado has no prices here.", "Prices are from Be"),
        (replace(FREE, least_odds=9.0), "No way to hedge", "Of 5 prices: 5 odds below the minimum"),
    ],
)
def test_why_an_offer_cannot_be_used_is_said(
    panel: PromotionsPanel, offer: Promotion, sentence: str, detail: str, qtbot: QtBot
) -> None:
    give(panel, offer, qtbot)
    assert said(panel.placeholder).startswith(sentence)
    assert panel.placeholder._detail.text().startswith(detail)


def test_nothing_is_listed_while_one_looks_back(
    panel: PromotionsPanel, quoted: Any, qtbot: QtBot
) -> None:
    give(panel, FREE, qtbot)
    quoted.board.set_connection(Connection(link=Link.PAST, as_of_ms=NOW_MS - 1))
    assert said(panel.placeholder) == "No promotions in the past view."
    assert not rows_of(panel.hedged)
    quoted.board.set_connection(Connection(link=Link.LIVE))
    look(panel, qtbot)
    assert rows_of(panel.hedged)


def test_without_a_connection_nothing_is_staked(
    panel: PromotionsPanel, quoted: Any, qtbot: QtBot
) -> None:
    give(panel, FREE, qtbot)
    quoted.board.set_connection(Connection(link=Link.WAITING, since_ms=NOW_MS))
    assert {row["Stake"] for row in shown(panel.hedged)} == {"–"}
    assert facts(panel).startswith("no stakes")


def test_old_prices_are_the_reason_where_all_are_old(
    panel: PromotionsPanel, quoted: Any, qtbot: QtBot
) -> None:
    give(panel, FREE, qtbot)
    quoted.clock.now += 10 * MINUTE_MS
    quoted.board.set_connection(Connection(link=Link.LIVE, newest_ms=NOW_MS))
    look(panel, qtbot)
    assert said(panel.placeholder) == "Prices are stale: no update for 10 min."


def test_another_programs_offer_appears_by_itself(panel: PromotionsPanel, qtbot: QtBot) -> None:
    save_promotion(FREE)
    qtbot.waitUntil(lambda: panel.offer_list.model.rowCount() == 1)


def test_the_ways_are_exported_a_leg_a_row(panel: PromotionsPanel, qtbot: QtBot) -> None:
    give(panel, FREE, qtbot)
    table = table_of(panel.hedged)
    keys = [column.key for column in table.columns]
    first = dict(zip(keys, table.rows[0], strict=True))
    assert (first["offer"], first["kind"], first["leg"]) == ("Free 25", "free", 1)
    assert (first["bookmaker"], first["stake"]) == ("Bovada", 25)
    assert dict(zip(keys, table.rows[1], strict=True))["kind"] == "back"


def test_the_calculator_starts_with_the_way_that_is_chosen(
    panel: PromotionsPanel, qtbot: QtBot
) -> None:
    give(panel, FREE, qtbot)
    panel.table.set_current(0)
    panel._calculate()
    (calculator,) = panel.findChildren(HedgeCalculator)
    assert calculator.isVisible()
    assert calculator.stake.text() == "25"
    assert calculator.back.text() == f"{rows_of(panel.hedged)[0].leg.odds:g}"
    calculator.close()


def test_offers_stand_above_where_the_panel_is_narrow_and_tall(panel: PromotionsPanel) -> None:
    assert panel.split.orientation() is Qt.Orientation.Horizontal
    panel.resize(420, 700)
    assert panel.split.orientation() is Qt.Orientation.Vertical
    where = panel.header.mapTo(panel, QPoint(0, 0))
    assert where.x() == 0
    assert where.y() > 0


def test_the_width_that_the_user_gave_to_offers_is_kept(
    panel: PromotionsPanel,
    theme: Theme,
    quoted: Any,
    preferences: Preferences,
    layout: Layout,
    records: Records,
    qtbot: QtBot,
) -> None:
    panel.split.moveSplitter(220, 1)
    qtbot.waitUntil(lambda: layout.get_word("promotions/offers_width", "") == "220")
    other = PromotionsPanel(quoted.board, theme, quoted.clock, preferences, layout, records)
    qtbot.addWidget(other)
    other.resize(1_118, 300)
    other.show()
    assert other.split.sizes()[0] == 220
    other.close_panel()
