"""The panel of opportunities: legs below each other, their stakes, and marking them as placed."""

import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from oddsdesk.board.connection import Connection, Link
from oddsdesk.board.leg_offers import LegsToPlace
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.desk.opportunities.export import table_of_opportunities
from oddsdesk.desk.opportunities.model import COLUMNS
from oddsdesk.desk.opportunities.panel import OpportunitiesPanel
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import SPLIT_TOTAL
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.value_bets.legs import LegPlacer
from oddsdesk.desk.value_bets.panel import ValuesPanel
from oddsdesk.desk.value_bets.place_dialog import PlaceDialog
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.board import game
from tests.kit.quoted_game import REFERENCE

TITLES = [column.title for column in COLUMNS]


@pytest.fixture
def panel(
    theme: Theme, quoted: Any, preferences: Preferences, records: Records, qtbot: QtBot
) -> Iterator[OpportunitiesPanel]:
    quoted.board.set_connection(Connection(link=Link.LIVE))
    made = OpportunitiesPanel(quoted.board, theme, quoted.clock, preferences, records)
    qtbot.addWidget(made)
    made.resize(1_118, 260)
    with qtbot.waitSignal(made.list.changed):
        made.show()
    yield made
    made.close_panel()


def tell(panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot, over: float = 2.10) -> None:
    """Let Betsson offer more: with Matchbook's 1.98 an arbitrage."""
    quoted.clock.now += 1
    quoted.tell("Betsson", "total", "Over 2.5", over)
    look(panel, qtbot)


def look(panel: OpportunitiesPanel, qtbot: QtBot) -> None:
    """Have it look now, not after its rest."""
    panel.list.stop()
    with qtbot.waitSignal(panel.list.changed):
        panel.list.start()
    panel.model.sort_now()


def shown(panel: OpportunitiesPanel) -> list[dict[str, str]]:
    model = panel.model
    return [
        {title: model.cell(row, column).text for column, title in enumerate(TITLES)}
        for row in range(model.rowCount())
    ]


def test_legs_stand_below_each_other_with_their_stakes(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    first, second, *_ = shown(panel)
    assert (first["Kind"], first["Worst"], first["Margin"]) == ("Arbitrage", "+1.8 %", "−1.9 %")
    assert (first["Selection"], first["At"], first["Stake"]) == ("Over 2.5", "Betsson", "48")
    assert (second["Kind"], second["Worst"]) == ("", "")
    assert (second["Selection"], second["At"], second["Stake"]) == ("Under 2.5", "Matchbook", "51")
    tip = panel.model.tip(0, 0)
    assert "All legs: 99 staked, +1.80 in the worst case after rounding" in tip


def test_what_is_left_at_worst_is_rounded_once(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    """42 at 2.813 pay 118.146, which 58 at 2.04 exceed: 18.146 %."""
    quoted.tell("Matchbook", "total", "Under 2.5", 2.04)
    tell(panel, quoted, qtbot, 2.813)
    first, second, *_ = shown(panel)
    assert (first["Stake"], second["Stake"], first["Worst"]) == ("42", "58", "+18.1 %")


def test_an_arbitrage_whose_profit_the_steps_eat_is_a_low_hold_that_says_so(
    panel: OpportunitiesPanel, preferences: Preferences, quoted: Any, qtbot: QtBot
) -> None:
    """5 at 2.10 pay 10.50 and 5 at a net 1.98 pay 9.90."""
    preferences.put(SPLIT_TOTAL, 10)
    tell(panel, quoted, qtbot)
    said = [(row["Kind"], row["Worst"], row["Margin"]) for row in shown(panel)]
    place = said.index(("Low hold", "−1.0 %", "−1.9 %"))
    tip = panel.model.tip(place, 0)
    assert "eats the profit: a finer one or a larger total leaves up to +1.91 %" in tip


def test_odds_and_stakes_stay_where_large_text_leaves_no_room_and_the_tip_has_the_rest(
    panel: OpportunitiesPanel, quoted: Any, theme: Theme, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    theme.zoom(160)
    try:
        panel.resize(560, 400)
        pane = panel.table.scrolling
        qtbot.waitUntil(lambda: pane.viewport().width() == 560)
        assert pane.header.length() <= 560
        left = {title for at, title in enumerate(TITLES) if not pane.isColumnHidden(at)}
        assert left == {"Worst", "Selection", "Odds", "At", "Stake"}
        assert "Arbitrage · Everton v Liverpool · Total" in panel.model.tip(0, 0)
    finally:
        theme.zoom(100)


def test_odds_of_legs_look_as_old_as_in_the_matrix_and_the_worst_as_its_oldest_leg(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    odds, worst = TITLES.index("Odds"), TITLES.index("Worst")

    def inks() -> list[TextRole]:
        cells = (panel.model.cell(*place) for place in ((0, worst), (0, odds), (1, odds)))
        return [cell.ink for cell in cells]

    assert inks() == [TextRole.VALUE, TextRole.STRONG, TextRole.STRONG]
    quoted.clock.now += 100_000
    quoted.tell("Betsson", "total", "Over 2.5", 2.10)
    assert inks() == [TextRole.SOFT, TextRole.STRONG, TextRole.SOFT]
    quoted.clock.now += 300_000
    assert inks() == [TextRole.NOTE] * 3


def test_legs_that_are_too_good_say_so(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot, 2.60)
    assert shown(panel)[0]["Beside the reference"] == "too good: above the window"


def by_keyboard_alone(panel: OpportunitiesPanel) -> None:
    """Have the first cell current and no row marked, as Qt does where the keyboard comes."""
    no_row = QItemSelectionModel.SelectionFlag.NoUpdate
    panel.table.scrolling.selectionModel().setCurrentIndex(panel.model.index(0, 0), no_row)


def test_a_row_is_selected_by_who_chooses_it_and_not_by_the_keyboard_that_comes(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    """The list is filled again after a look at the past; its first price was explained then."""
    tell(panel, quoted, qtbot)
    seen = list[Any]()
    panel.price_selected.connect(seen.append)
    by_keyboard_alone(panel)
    assert seen == []
    panel.table.set_current(1)
    assert [key.bookmaker for key in seen] == ["Matchbook"]


def tell_of_another(quoted: Any, over: float) -> None:
    """Let Betsson and Matchbook offer a second pair, of 3.5."""
    quoted.clock.now += 1
    for bookmaker, pair in (("Betsson", (over, 1.30)), ("Matchbook", (2.50, 1.57))):
        for side, odds in zip(("Over", "Under"), pair, strict=True):
            quoted.tell(bookmaker, "total", f"{side} 3.5", odds)


def test_rows_hold_still_while_a_dialog_of_a_leg_is_open(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    """The next press went to another leg than the one that had stood there."""
    quoted.board.load_games([game(quoted.name)])
    tell(panel, quoted, qtbot)
    panel.table.set_current(1)
    panel._place()
    tell_of_another(quoted, 3.2)
    panel.list.stop()
    with qtbot.waitSignal(panel.list.changed):
        panel.list.start()
    panel._on_idle_timeout()
    before = [row["Selection"] for row in shown(panel)]
    assert before == ["Over 2.5", "Under 2.5", "Over 3.5", "Under 3.5"]
    asked(panel).reject()
    panel._on_idle_timeout()
    after = [row["Selection"] for row in shown(panel)]
    assert after == ["Over 3.5", "Under 3.5", "Over 2.5", "Under 2.5"]


def test_one_kind_can_be_listed(panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot) -> None:
    tell(panel, quoted, qtbot)
    assert [row["Kind"] for row in shown(panel)] == ["Arbitrage", ""]
    panel.chips.choose("middle")
    assert shown(panel) == []
    assert panel._state().sentence == "No middle now."


def test_stakes_follow_the_settings(
    panel: OpportunitiesPanel, preferences: Preferences, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    preferences.put(SPLIT_TOTAL, 1_000)
    look(panel, qtbot)
    assert [row["Stake"] for row in shown(panel)[:2]] == ["483", "512"]


def test_a_stake_above_what_the_bookmaker_takes_is_marked(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    quoted.board.set_profiles(Profiles([Profile(name="Betsson", group="", limit=20.0)]))
    tell(panel, quoted, qtbot)
    assert shown(panel)[0]["Stake"] == "48 > 20"


def test_an_opportunity_that_is_gone_goes(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    tell(panel, quoted, qtbot, 1.90)
    assert "Arbitrage" not in {row["Kind"] for row in shown(panel)}


def test_what_is_stale_goes_while_the_look_at_all_rests(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    """A look at thousands of markets rested for a minute and a half, and stale legs stood there."""
    tell(panel, quoted, qtbot)
    panel.list._rested_at = math.inf
    assert "Arbitrage" in {row["Kind"] for row in shown(panel)}
    quoted.clock.now += 20 * MINUTE_MS
    with qtbot.waitSignal(panel.list.changed, timeout=30_000):
        pass
    assert shown(panel) == []


def test_an_empty_panel_says_why(theme: Theme, quoted: Any, records: Records, qtbot: QtBot) -> None:
    quoted.board.clear()
    panel = OpportunitiesPanel(
        quoted.board, theme, quoted.clock, Preferences(Layout(Path("unused.ini"))), records
    )
    qtbot.addWidget(panel)
    assert panel._state().sentence == "Reading the prices…"
    quoted.board.set_connection(Connection(reason="it is served by another program"))
    assert panel._state().sentence == "Not connected."
    quoted.board.set_connection(Connection(link=Link.LIVE))
    assert panel._state().sentence == "Looking through the prices…"
    with qtbot.waitSignal(panel.list.changed):
        panel.show()
    assert panel._state().sentence == "No bets cover everything at 2 % or less now."
    panel.close_panel()


@pytest.mark.parametrize(
    ("connection", "sentence", "fact"),
    [
        (Connection(link=Link.WAITING), "Not connected.", "not connected"),
        (Connection(reason="it is served by another"), "Not connected.", "not connected"),
        (
            Connection(link=Link.REFUSED, code="unauthorized"),
            "The service does not know this key.",
            "not connected",
        ),
        (
            Connection(link=Link.LIVE, is_catching_up=True),
            "Prices are read again after a loss of the connection.",
            "prices are read again after a loss of the connection",
        ),
    ],
)
def test_opened_while_no_price_is_known_to_stand_it_says_why_and_counts_nothing(
    panel: OpportunitiesPanel,
    quoted: Any,
    qtbot: QtBot,
    connection: Connection,
    sentence: str,
    fact: str,
) -> None:
    quoted.board.clear()
    quoted.board.set_connection(connection)
    look(panel, qtbot)
    panel._show_counts()
    assert panel.placeholder._state.sentence == sentence
    assert panel._facts.accessibleName() == fact
    quoted.board.set_connection(Connection(link=Link.LIVE))
    panel._show_counts()
    assert panel._facts.accessibleName() == "0 arbitrage · 0 middle · 0 low hold"


def test_while_prices_are_read_that_is_said_and_not_that_there_are_none(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    """As on the return from the past: "0 arbitrage" stood there for as long as it took."""
    board = quoted.board
    board.clear()
    look(panel, qtbot)
    assert panel._facts.accessibleName() == ""
    board.set_connection(Connection(link=Link.LIVE, has_unread_prices=True))
    look(panel, qtbot)
    assert panel.placeholder._state.sentence == "Reading the prices…"
    assert panel._facts.accessibleName() == ""
    quoted.load()
    tell(panel, quoted, qtbot)
    assert panel._facts.accessibleName() == "still looking · 1 arbitrage · 0 middle · 0 low hold"
    panel.list._rested_at = math.inf
    board.set_connection(Connection(link=Link.LIVE))
    assert panel._facts.accessibleName().startswith("still looking")
    qtbot.waitUntil(lambda: panel.list.has_looked)  # without the rest
    assert panel._facts.accessibleName() == "1 arbitrage · 0 middle · 0 low hold"


def test_of_the_past_nothing_is_counted(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    quoted.board.set_connection(Connection(link=Link.PAST, as_of_ms=quoted.clock.now))
    assert panel._facts.accessibleName() == ""


def test_a_list_is_in_order_when_it_is_first_filled_below_a_pointer_that_chose_nothing(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worst stood on top for as long as the pointer rested where the rows came."""
    monkeypatch.setattr(panel.table, "underMouse", lambda: True)
    board = quoted.board
    board.load_games([game(quoted.name)])
    board.set_connection(Connection(link=Link.LIVE, has_unread_prices=True))

    def tops(over: float) -> str:
        tell_of_another(quoted, over)
        panel.list._rested_at = 0.0
        with qtbot.waitSignal(panel.list.changed):
            panel.list.stop()
            panel.list.start()
        return shown(panel)[0]["Selection"]

    tell(panel, quoted, qtbot)
    by_keyboard_alone(panel)
    assert tops(3.2) == "Over 3.5"
    board.set_connection(Connection(link=Link.LIVE))
    assert tops(1.7) == "Over 2.5"
    assert tops(3.2) == "Over 2.5"  # it is filled, and somebody is there
    panel.table.set_current(0)
    board.set_connection(Connection(link=Link.LIVE, has_unread_prices=True))
    assert tops(3.3) == "Over 2.5"


def test_what_the_first_look_has_found_is_listed_while_it_goes_on(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    listed, panel._listed, panel.list.has_looked = shown(panel), [], False  # as at the start
    panel._show()
    panel.model.sort_now()
    assert panel._state().sentence == "Looking through the prices…"
    panel._on_idle_timeout()
    panel.model.sort_now()
    assert shown(panel) == listed


def test_counts_are_of_what_is_listed(panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot) -> None:
    tell(panel, quoted, qtbot)
    before = panel._facts.accessibleName()
    assert before.startswith("1 arbitrage")
    panel.list.entries.clear()  # as while a look goes on
    panel._show_counts()
    assert panel._facts.accessibleName() == before


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    records = Records(tmp_path / "ledger.db")
    yield records
    records.close()


@pytest.fixture
def legs(
    panel: OpportunitiesPanel,
    quoted: Any,
    theme: Theme,
    preferences: Preferences,
    layout: Layout,
    records: Records,
    qtbot: QtBot,
) -> Iterator[LegPlacer]:
    """What asks for the legs that the panel wants to be placed, as the window connects them."""
    values = ValuesPanel(quoted.board, theme, quoted.clock, preferences, layout, records)
    qtbot.addWidget(values)
    legs = values.legs_beside(panel, panel.messages)
    panel.place_requested.connect(legs.place)
    panel.take_back_requested.connect(legs.take_back)
    yield legs
    values.close_panel()


def place(panel: OpportunitiesPanel, qtbot: QtBot) -> None:
    """Mark a leg as placed and wait until it is kept."""
    dialog = asked(panel)
    dialog.accept()
    qtbot.waitUntil(lambda: not (isValid(dialog) and dialog.isVisible()))


def asked(panel: OpportunitiesPanel) -> PlaceDialog:
    """The dialog that is open."""
    (dialog,) = (each for each in panel.findChildren(PlaceDialog) if each.isVisible())
    return dialog


def leg_of(dialog: PlaceDialog) -> str:
    """What the dialog says of the leg."""
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    (said,) = [text for text in texts if text.startswith("Leg ")]
    return said


def test_a_leg_that_got_less_is_followed_by_stakes_that_pay_as_much(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """48 at 1.6 pay 76.80; 39 at a net 1.98 pay 77.22: 87 staked, 76.80 come back at worst."""
    tell(panel, quoted, qtbot)
    panel.table.set_current(1)
    panel._place_all()
    assert leg_of(asked(panel)) == "Leg 1 of 2"
    asked(panel).odds.setText("1.6")
    place(panel, qtbot)
    second = asked(panel)
    assert (second.bookmaker.currentText(), second.stake.text()) == ("Matchbook", "39")
    assert leg_of(second) == "Leg 2 of 2 · at worst a loss of 11.72 % with this stake"
    second.reject()
    assert panel.messages.text == "1 of 2 legs placed: the others are open."
    qtbot.waitUntil(lambda: len(list(records.bets())) == 1)


def test_the_first_leg_tells_of_the_doubt_about_another_which_tells_it_once(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot, 2.60)
    first = panel.model.entry(0).found
    legs.place(LegsToPlace(first, (1, 0), (1, 0)))
    dialog = asked(panel)
    assert "Careful with Over 2.5 at Betsson: too good: above the window" in dialog.warning.text()
    place(panel, qtbot)
    dialog = asked(panel)
    assert dialog.warning.text().count("too good: above the window") == 1
    assert "Suspicious" not in dialog.fault.text()
    dialog.odds.setText("2.7")
    assert "Suspicious" in dialog.fault.text()


def test_a_placed_leg_is_confirmed_where_it_was_asked_for_and_its_undo_takes_it_back(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(1)
    panel._place()
    place(panel, qtbot)
    assert panel.messages.isVisible()
    assert panel.messages.text == "Placed 51.00 on Under 2.5 at Matchbook, 1.98."
    (undo,) = (each for each in panel.messages.findChildren(QPushButton) if each.isVisible())
    assert undo.text() == "Undo"
    with qtbot.waitSignal(records.bets_changed):
        undo.click()
    assert list(records.bets()) == []
    assert panel.messages.text == (
        "Taken back: 51.00 on Under 2.5 (Total, Everton v Liverpool), Matchbook, odds 1.98."
    )
    assert not undo.isVisible()


def test_of_a_leg_that_is_not_placed_its_keys_say_so(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(1)
    panel.activateWindow()
    panel.table.scrolling.setFocus()
    qtbot.waitUntil(panel.table.scrolling.hasFocus)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_P, Qt.KeyboardModifier.ShiftModifier)
    assert panel.messages.text == "This leg is not placed."
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert panel.messages.text.startswith("Nothing to undo here")


def test_what_is_open_stays_however_much_completing_it_costs_until_its_bet_is_taken_back(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """48 at 2.10 pay 100.80, as 67 at a net 1.50 do: 115 staked, 100.50 come back, -12.6 %.

    Over 2 % nothing told any more that the other side was open.
    """
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    panel._place()
    place(panel, qtbot)
    qtbot.waitUntil(lambda: len(list(records.bets())) == 1)
    for bookmaker in ("Bovada", "Matchbook", "Betsson", REFERENCE):
        quoted.tell(bookmaker, "total", "Under 2.5", 1.50)
    quoted.board.set_connection(Connection(link=Link.LIVE))
    tell(panel, quoted, qtbot)
    rows = {row["Selection"]: row for row in shown(panel)}
    assert rows["Over 2.5"]["Kind"] == "Low hold"
    back = Fraction(67) * Fraction("1.5")
    worst = min(back, 48 * Fraction("2.1")) / (48 + 67) - 1
    assert rows["Over 2.5"]["Worst"] == f"−{-float(worst) * 100:.1f} %"
    assert (rows["Over 2.5"]["Stake"], rows["Under 2.5"]["Stake"]) == ("✓ 48", "67")
    assert panel._facts.accessibleName().startswith("1 open on a side, 1 without profit")
    panel.take_back_requested.emit(next(iter(records.bets())))
    qtbot.waitUntil(lambda: not list(records.bets()))
    look(panel, qtbot)
    assert shown(panel) == []


def test_of_two_placed_legs_the_selected_one_is_taken_back_by_its_key(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(1)
    panel._place_all()
    for _ in range(2):
        place(panel, qtbot)
    qtbot.waitUntil(lambda: len(list(records.bets())) == 2)
    panel.table.set_current(0)
    panel.activateWindow()
    panel.table.scrolling.setFocus()
    qtbot.waitUntil(panel.table.scrolling.hasFocus)
    with qtbot.waitSignal(records.bets_changed):
        qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_P, Qt.KeyboardModifier.ShiftModifier)
    assert [bet.selection for bet in records.bets()] == ["Under 2.5"]
    assert panel.messages.text == (
        "Taken back: 48.00 on Over 2.5 (Total, Everton v Liverpool), Betsson, odds 2.10."
    )
    assert [row["Stake"] for row in shown(panel)] == ["48", "✓ 51"]


def test_the_menu_takes_back_only_what_is_placed_and_leaves_the_key_alone(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    (undo,) = (each for each in panel.menu.actions() if "back" in each.text())
    panel._show_menu(QPoint(0, 0))
    assert not undo.isEnabled()
    panel.menu.hide()
    assert undo.isEnabled(), "a leg may be placed before the key is pressed"


def test_what_cannot_be_kept_is_said_where_it_was_asked_for(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records
) -> None:
    records.failed.emit("Your records: the disk is full")
    assert panel.messages.text == "Your records: the disk is full"


def test_all_legs_are_marked_as_placed_one_after_the_other(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(1)
    panel._place_all()
    for bookmaker, stake in (("Betsson", "48"), ("Matchbook", "51")):
        assert (asked(panel).bookmaker.currentText(), asked(panel).stake.text()) == (
            bookmaker,
            stake,
        )
        place(panel, qtbot)
    qtbot.waitUntil(lambda: len(list(records.bets())) == 2)
    assert not any(each.isVisible() for each in panel.findChildren(PlaceDialog))
    assert not any(bet.practice for bet in records.bets())


def test_legs_of_simulated_prices_are_practice(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    quoted.board.set_connection(Connection(link=Link.LIVE, simulated=True))
    tell(panel, quoted, qtbot)
    panel.table.set_current(1)
    panel._place_all()
    for _ in range(2):
        assert asked(panel).warning.text().startswith("Simulated odds: this is kept as practice.")
        place(panel, qtbot)
    qtbot.waitUntil(lambda: len(list(records.bets())) == 2)
    assert all(bet.practice for bet in records.bets())


def test_nothing_is_staked_while_not_connected(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    for link, stakes in ((Link.WAITING, ["–", "–"]), (Link.LIVE, ["48", "51"])):
        quoted.board.set_connection(Connection(link=link))
        panel.model.sort_now()
        assert [row["Stake"] for row in shown(panel)] == stakes
        said = panel._facts.accessibleName()
        first = "no stakes · not connected" if link is Link.WAITING else "1 arbitrage"
        assert said.startswith(f"{first} · ")  # what stands last is cut first
        exported = [row[-7] for row in table_of_opportunities(panel.model).rows]
        assert exported == ([0.0, 0.0] if link is Link.WAITING else [48.0, 51.0])


def test_legs_that_were_read_again_after_a_loss_are_listed_once_they_are_looked_at(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.list.stop()
    quoted.board.set_connection(Connection(link=Link.LIVE, is_catching_up=True))
    panel.model.sort_now()
    assert [row["Stake"] for row in shown(panel)] == ["–", "–"]
    quoted.clock.now += 1
    quoted.tell("Betsson", "total", "Over 2.5", 2.09)
    quoted.board.set_connection(Connection(link=Link.LIVE))
    panel.model.sort_now()
    assert shown(panel) == []
    look(panel, qtbot)
    assert len(shown(panel)) == 2


@pytest.mark.parametrize("asks", ["_place", "_place_all"])
def test_a_leg_asked_for_while_not_connected_has_no_stake(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot, asks: str
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(1)
    quoted.board.set_connection(Connection(link=Link.WAITING))
    getattr(panel, asks)()
    assert asked(panel).stake.text() == ""
    assert not asked(panel).record.isEnabled()
    assert "Not connected" in asked(panel).warning.text()


def test_legs_left_when_the_connection_goes_have_no_stake(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(1)
    panel._place_all()
    quoted.board.set_connection(Connection(link=Link.WAITING))
    place(panel, qtbot)
    second = asked(panel)
    assert (second.bookmaker.currentText(), second.stake.text()) == ("Matchbook", "")


def test_legs_that_are_placed_are_marked_and_the_rest_is_staked_beside_them(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """40 at 2.10 pay 84; at a net 1.98 42 pay 83.16 of 82 staked, 43 pay 85.14 of 83: at worst
    1.41 % against 1.20 %."""
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    panel._place_all()
    asked(panel).stake.setText("40")
    with qtbot.waitSignal(records.bets_changed):
        place(panel, qtbot)
    asked(panel).reject()
    panel.model.sort_now()
    stakes = [panel.model.cell(row, TITLES.index("Stake")) for row in (0, 1)]
    assert [(cell.text, cell.note) for cell in stakes] == [("✓ 40", ""), ("42", "open")]
    assert "1 arbitrage · 0 middle · 0 low hold · open on Under 2.5, stake 42" in (
        panel._facts.accessibleName()
    )
    tip = panel.model.tip(0, 0)
    assert "Placed 40.00 at Betsson, 2.10" in tip
    assert "Open on Under 2.5, stake 42\nWith that +1.41 % of all stakes at worst" in tip
    panel._place_all()
    only = asked(panel)
    assert (only.bookmaker.currentText(), only.stake.text()) == ("Matchbook", "42")
    with qtbot.waitSignal(records.bets_changed):
        place(panel, qtbot)
    panel.model.sort_now()
    assert [row["Stake"] for row in shown(panel)] == ["✓ 40", "✓ 42"]
    assert "open" not in panel._facts.accessibleName()


def test_where_what_is_placed_can_only_be_completed_to_a_loss_the_row_says_so(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """40 at 1.60 pay 64; 32 at a net 1.98 pay 63.36 of 72 staked, 12 % less; 33 leave 64 of 73."""
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    panel._place_all()
    asked(panel).stake.setText("40")
    asked(panel).odds.setText("1.6")
    with qtbot.waitSignal(records.bets_changed):
        place(panel, qtbot)
    asked(panel).reject()
    panel.model.sort_now()
    assert [(row["Worst"], row["Stake"]) for row in shown(panel)] == [
        ("−12.0 %", "✓ 40"),
        ("", "32"),
    ]
    assert panel.model.cell(0, TITLES.index("Worst")).ink is not TextRole.VALUE
    said = "o profit beside what is placed: Under 2.5, stake 32 would leave −12.00 % at worst"
    assert f" · n{said}" in panel._facts.accessibleName()
    assert f"N{said}" in panel.model.tip(0, 0)
    table = table_of_opportunities(panel.model)
    at = [column.key for column in table.columns].index("worst")
    assert table.rows[0][at] == pytest.approx(63.36 - 72)


def place_leg(
    panel: OpportunitiesPanel, records: Records, qtbot: QtBot, row: int, *, stake: str, odds: str
) -> None:
    """Mark the leg in a row as placed, at a stake and odds of one's own."""
    panel.table.set_current(row)
    panel._place()
    asked(panel).stake.setText(stake)
    asked(panel).odds.setText(odds)
    with qtbot.waitSignal(records.bets_changed):
        place(panel, qtbot)
    panel.model.sort_now()


def kinds_listed(panel: OpportunitiesPanel) -> dict[str, list[str]]:
    """The kinds in the rows of the first legs, by the chip that lists them."""
    listed = {}
    for chip in ("arbitrage", "low-hold", "middle"):
        panel.chips.choose(chip)
        listed[chip] = [row["Kind"] for row in shown(panel) if row["Kind"]]
    return listed


def test_an_arbitrage_that_what_is_placed_makes_lose_is_counted_and_listed_as_a_low_hold(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """40 at 1.60 pay 64, which no stake at a net 1.98 makes as much as all cost."""
    tell(panel, quoted, qtbot)
    place_leg(panel, records, qtbot, 0, stake="40", odds="1.6")
    said = "1 open on a side, 1 without profit · 0 arbitrage · 0 middle · 1 low hold · "
    assert panel._facts.accessibleName().startswith(said)
    assert {row[0] for row in table_of_opportunities(panel.model).rows} == {"low-hold"}
    assert "\nLow hold · " in panel.model.tip(0, 0)
    assert kinds_listed(panel) == {"arbitrage": [], "low-hold": ["Low hold"], "middle": []}


def test_a_low_hold_that_what_is_placed_makes_win_stays_among_the_arbitrages(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """48 at 2.10 pay 100.80, 51 at a net 1.98 pay 100.98 of 99: the leg that is left wins. The
    price of the first fell once it was bet on, and the row went from the list of arbitrages."""
    tell(panel, quoted, qtbot)
    panel.chips.choose("arbitrage")
    place_leg(panel, records, qtbot, 0, stake="48", odds="2.1")
    tell(panel, quoted, qtbot, 2.00)
    assert panel.model.entry(0).found.total > 1
    assert [row["Selection"] for row in shown(panel)] == ["Over 2.5", "Under 2.5"]
    assert kinds_listed(panel) == {"arbitrage": ["Arbitrage"], "low-hold": [], "middle": []}


def test_what_is_open_is_told_whichever_kind_is_listed(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    place_leg(panel, records, qtbot, 0, stake="48", odds="2.1")
    panel.chips.choose("middle")
    assert shown(panel) == []
    assert panel._facts.accessibleName().endswith(" · open on Under 2.5, stake 51")


def left_pct(*legs: tuple[float, float]) -> float:
    """What stakes at net odds leave at worst, in percent of all: a fraction a leg, added up."""
    cost = sum(Fraction(str(stake)) for stake, _ in legs)
    gains = [Fraction(str(stake)) * Fraction(str(net)) - cost for stake, net in legs]
    return float(100 * sorted(gains)[0] / cost)


def test_opportunities_are_sorted_by_what_their_own_stakes_leave_at_worst(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """By the list's stakes the first is the better one; what was got on its first leg loses."""
    tell(panel, quoted, qtbot)
    tell_of_another(quoted, 2.85)
    look(panel, qtbot)
    first, second = ["Over 2.5", "Under 2.5"], ["Over 3.5", "Under 3.5"]
    assert [row["Stake"] for row in shown(panel)] == ["48", "51", "34", "62"]
    assert left_pct((48, 2.10), (51, 1.98)) > left_pct((34, 2.85), (62, 1.57)) > 0
    assert [row["Selection"] for row in shown(panel)] == first + second
    place_leg(panel, records, qtbot, 0, stake="40", odds="1.6")
    assert [row["Selection"] for row in shown(panel)] == second + first
    assert [row["Stake"] for row in shown(panel)] == ["34", "62", "✓ 40", "32"]
    told = [row["Worst"] for row in shown(panel) if row["Worst"]]
    placed = left_pct((40, 1.60), (32, 1.98))
    assert told == [f"{left_pct((34, 2.85), (62, 1.57)):+.1f} %", f"−{-placed:.1f} %"]
    panel.model.sort_by(TITLES.index("Worst"))
    assert [row["Selection"] for row in shown(panel)] == first + second, "the least on top"


@pytest.mark.parametrize(
    ("first", "second", "losing", "said"),
    [
        ("2.1", "2.85", 0, "2 open on a side · 2 arbitrage · "),
        ("1.6", "2.85", 1, "2 open on a side, 1 without profit · 1 arbitrage · "),
        ("2.1", "2.2", 1, "2 open on a side, 1 without profit · 1 arbitrage · "),
        ("1.6", "2.2", 2, "2 open on a side, 2 without profit · 0 arbitrage · "),
    ],
)
def test_those_are_counted_that_no_stake_completes_without_a_loss(
    panel: OpportunitiesPanel,
    legs: LegPlacer,
    records: Records,
    quoted: Any,
    qtbot: QtBot,
    first: str,
    second: str,
    losing: int,
    said: str,
) -> None:
    tell(panel, quoted, qtbot)
    tell_of_another(quoted, 2.85)
    look(panel, qtbot)
    best = []
    for selection, odds, other in (("Over 2.5", first, 1.98), ("Over 3.5", second, 1.57)):
        row = [row["Selection"] for row in shown(panel)].index(selection)
        place_leg(panel, records, qtbot, row, stake="40", odds=odds)
        best.append(max(left_pct((40, float(odds)), (n, other)) for n in range(1, 400)))
    assert sum(most < 0 for most in best) == losing
    assert panel._facts.accessibleName().startswith(said)


def test_that_something_is_open_stands_where_there_is_room_for_no_more(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """The button that sorts took the room of what stood last, and only that said it."""
    tell(panel, quoted, qtbot)
    place_leg(panel, records, qtbot, 0, stake="48", odds="2.1")
    facts = panel._facts
    facts.resize(facts.width_of_first(1) + 20, facts.height())
    assert facts._shown == "1 open on a side"


def test_a_bet_that_several_would_complete_is_open_once_and_not_once_one_completes_it(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """A middle above 2.5 and below 3.5 has the arbitrage's first leg: two were "open on a side"."""
    for side, odds in (("Over", 1.5), ("Under", 1.9)):
        quoted.tell("Matchbook", "total", f"{side} 3.5", odds)
    tell(panel, quoted, qtbot)
    panel.chips.choose("middle")
    assert [row["Selection"] for row in shown(panel)] == ["Over 2.5", "Under 3.5"]
    panel.chips.choose("arbitrage")
    place_leg(panel, records, qtbot, 0, stake="48", odds="2.1")
    assert panel._facts.accessibleName().endswith(" · open on Under 2.5, stake 51")
    place_leg(panel, records, qtbot, 1, stake="51", odds="1.98")
    assert "open" not in panel._facts.accessibleName()


def test_what_is_left_of_three_legs_is_staked_beside_what_was_placed_before(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    """10 at 3.0 pay 30, which 30 at 2.10 exceed: 15 at 1.98 pay 29.70, nearly as much."""
    tell(panel, quoted, qtbot)
    legs.place(LegsToPlace(panel.model.entry(0).found, (0, 1), (0, 1), ((10.0, 3.0),)))
    first = asked(panel)
    assert first.stake.text() == "14"
    first.stake.setText("30")
    place(panel, qtbot)
    assert asked(panel).stake.text() == "15"


def move(quoted: Any, bookmaker: str, selection: str, odds: float) -> None:
    """Let a price move that the list has not looked at again."""
    quoted.clock.now += 1
    quoted.tell(bookmaker, "total", selection, odds)


@pytest.mark.parametrize("asks", ["_place", "_place_all"])
def test_a_leg_whose_price_moved_since_the_list_is_staked_by_the_odds_of_now(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot, asks: str
) -> None:
    """47 at 2.07 pay 97.29, 49 at 1.98 pay 97.02: 96 staked, 1.02 left at worst."""
    tell(panel, quoted, qtbot)
    panel.list.stop()
    panel.table.set_current(0)
    move(quoted, "Betsson", "Over 2.5", 2.07)
    getattr(panel, asks)()
    dialog = asked(panel)
    assert (dialog.odds.text(), dialog.stake.text()) == ("2.07", "47")
    assert dialog.warning.text() == (
        "Over 2.5 at Betsson: 2.07 now, 2.10 listed when you began.\n"
        "The arbitrage has changed: +1.06 % at worst now, +1.82 % listed when you began."
    )
    look(panel, qtbot)
    assert [row["Stake"] for row in shown(panel)[:2]] == ["47", "49"]
    assert panel.model.entry(0).found.profit_pct == pytest.approx(1.02 / 96 * 100)


def test_a_leg_follows_the_price_of_the_other_one(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.list.stop()
    panel.table.set_current(1)
    move(quoted, "Betsson", "Over 2.5", 2.30)
    panel._place()
    dialog = asked(panel)
    assert (dialog.bookmaker.currentText(), dialog.stake.text()) == ("Matchbook", "51")
    assert dialog.warning.text().startswith(
        "Over 2.5 at Betsson: 2.30 now, 2.10 listed when you began.\nThe arb"
    )
    look(panel, qtbot)
    assert [row["Stake"] for row in shown(panel)[:2]] == ["44", "51"]


def test_a_leg_of_what_is_none_any_more_says_so_and_has_no_stake(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.list.stop()
    panel.table.set_current(0)
    move(quoted, "Betsson", "Over 2.5", 1.868)
    panel._place_all()
    dialog = asked(panel)
    assert (dialog.odds.text(), dialog.stake.text()) == ("1.868", "")
    assert not dialog.record.isEnabled()
    assert dialog.warning.text() == (
        "Over 2.5 at Betsson: 1.868 now, 2.10 listed when you began.\n"
        "These legs no longer make an arbitrage: stake nothing."
    )


def test_legs_that_lose_a_little_now_are_no_arbitrage_any_more(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.list.stop()
    panel.table.set_current(0)
    move(quoted, "Betsson", "Over 2.5", 2.00)
    panel._place_all()
    assert "No longer an arbitrage but a low hold: −" in asked(panel).warning.text()


def test_a_leg_keeps_its_fields_while_prices_move_and_says_what_they_are_worth_by_now(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    panel._place()
    dialog = asked(panel)
    dialog._look_again()
    assert (dialog.stake.text(), dialog.warning.isHidden()) == ("48", True)
    move(quoted, "Betsson", "Over 2.5", 2.30)
    dialog._look_again()
    assert (dialog.odds.text(), dialog.stake.text()) == ("2.1", "48")
    assert dialog.warning.text().splitlines()[:3] == [
        "Over 2.5 at Betsson: 2.30 now, 2.10 listed when you began.",
        "The arbitrage has changed: +6.29 % at worst now, +1.82 % listed when you began.",
        "At the prices now the stake is 44.",
    ]
    quoted.clock.now += 20 * MINUTE_MS
    dialog._look_again()
    said = dialog.warning.text()
    assert (
        "Over 2.5 at Betsson: 2.30 now, 2.10 listed when you began; stale: not seen lately." in said
    )
    assert "These legs no longer make an arbitrage: stake nothing." in said
    move(quoted, "Betsson", "Over 2.5", 2.10)
    move(quoted, "Matchbook", "Under 2.5", 1.98)
    dialog._look_again()
    assert dialog.warning.text() == "Careful: Pinnacle is stale."


def test_of_a_leg_after_the_first_is_told_what_is_left_by_now(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    """48 at 2.10 pay 100.80; at 1.90 53 pay 100.70: 101 staked, 0.30 lost at worst."""
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    panel._place_all()
    place(panel, qtbot)
    second = asked(panel)
    assert (second.stake.text(), second.warning.isHidden()) == ("51", True)
    assert leg_of(second) == "Leg 2 of 2 · at worst a gain of 1.82 % with this stake"
    move(quoted, "Matchbook", "Under 2.5", 1.90)
    second._look_again()
    assert leg_of(second) == "Leg 2 of 2 · at worst a gain of 1.82 % with this stake"
    second.stake.setText("53")
    second.odds.setText("1.90")
    assert leg_of(second) == "Leg 2 of 2 · at worst a loss of 0.30 % with this stake"
    assert second.warning.text().splitlines() == [
        "Under 2.5 at Matchbook: 1.90 now, 1.98 listed when you began.",
        "At the prices now the stake is 53.",
    ]


def test_worst_is_of_all_outcomes_a_push_among_them_and_sorted_by_that(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    """49 at 2.10 and 50 at 2.06 win 2.90 of 99 unless exactly six goals bring all back: it stood
    above a sure +1.82 %. Counted here goal by goal."""
    quoted.tell("Betsson", "total", "Over 6", 2.10)
    quoted.tell("Unibet", "total", "Under 6", 2.06)
    tell(panel, quoted, qtbot)
    panel.chips.choose("arbitrage")
    sure, _, pushes, other = shown(panel)
    assert (sure["Selection"], sure["Worst"]) == ("Over 2.5", "+1.8 %")
    assert (pushes["Selection"], pushes["Kind"]) == ("Over 6", "Arbitrage")
    over, under = float(pushes["Stake"]), float(other["Stake"])
    left = [
        (over * 1.10 if goals > 6 else -over if goals < 6 else 0)
        + (under * 1.06 if goals < 6 else -under if goals > 6 else 0)
        for goals in range(12)
    ]
    assert (min(left), pushes["Worst"]) == (0, "0.0 %")
    decided = min(left[:6] + left[7:])
    assert pushes["Middle, push"] == f"push +0.00, else +{decided:.2f}"
    assert f"All legs: {over + under:g} staked, +0.00 in the worst case" in panel.model.tip(2, 0)
    table = table_of_opportunities(panel.model)
    worst = [column.key for column in table.columns].index("worst")
    assert [round(row[worst], 2) for row in table.rows[:3]] == [1.80, 1.80, 0.0]


def test_worst_beside_a_placed_leg_counts_the_push_too(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    """Where 2 goals meet 2.25, over loses half of its stake and under wins half."""
    quoted.tell("Betsson", "total", "Over 2.25", 2.20)
    quoted.tell("Unibet", "total", "Under 2.25", 2.0)
    tell(panel, quoted, qtbot)
    panel.table.set_current([row["Selection"] for row in shown(panel)].index("Over 2.25"))
    panel._place()
    asked(panel).stake.setText("48")
    place(panel, qtbot)
    asked_rows = shown(panel)
    at = [row["Selection"] for row in asked_rows].index("Over 2.25")
    over, under = 48.0, float(asked_rows[at + 1]["Stake"])
    two_goals, fewer, more = -over / 2 + under / 2, under - over, over * 1.2 - under
    worst = min(two_goals, fewer, more) / (over + under) * 100
    assert asked_rows[at]["Worst"] == f"{worst:+.1f} %".replace("-", "−")
    assert two_goals == min(two_goals, fewer, more) > 0


@pytest.mark.parametrize(
    ("above", "below", "kind", "said"),
    [
        ("2.5", "3.5", "middle", "between the lines at worst a gain of 99.80 %"),
        ("3", "3", "low-hold", "on a push no gain"),
        ("2.25", "2.25", "low-hold", "on a push a loss of 1.53 %"),
    ],
)
def test_of_the_last_of_two_legs_is_told_what_is_left_where_both_stand(
    panel: OpportunitiesPanel,
    legs: LegPlacer,
    quoted: Any,
    qtbot: QtBot,
    above: str,
    below: str,
    kind: str,
    said: str,
) -> None:
    """100.80 and 95 come back of 98 between 2.5 and 3.5. Where 2 goals meet 2.25, over loses 24 of
    its 48, and under wins 22.50: 1.50 of 98 are lost."""
    for line in {above, below}:
        quoted.tell("Matchbook", "total", f"Over {line}", 1.2)
        quoted.tell("Betsson", "total", f"Under {line}", 1.1)
    quoted.tell("Betsson", "total", f"Over {above}", 2.10)
    quoted.tell("Matchbook", "total", f"Under {below}", 1.9)
    tell(panel, quoted, qtbot, 2.10 if above == "2.5" else 1.5)
    panel.chips.choose(kind)
    panel.table.set_current([row["Selection"] for row in shown(panel)].index(f"Over {above}"))
    panel._place_all()
    asked(panel).stake.setText("48")
    place(panel, qtbot)
    second = asked(panel)
    second.stake.setText("50")
    assert leg_of(second) == f"Leg 2 of 2 · at worst a loss of 3.06 % with this stake, {said}"


@pytest.mark.parametrize("stake", [1, 30, 60, 88, 500])
@pytest.mark.parametrize("odds", ["1.33", "1.98", "5.5"])
def test_what_the_legs_leave_is_of_the_stake_and_odds_typed(
    panel: OpportunitiesPanel,
    legs: LegPlacer,
    quoted: Any,
    qtbot: QtBot,
    stake: int,
    odds: str,
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    panel._place_all()
    place(panel, qtbot)
    second = asked(panel)
    second.stake.setText(f"{stake}")
    second.odds.setText(odds)
    net = Fraction(odds)
    staked = 48 + stake
    worst = 100 * (min(48 * Fraction("2.1"), stake * net) - staked) / staked
    what = f"{'loss' if worst < 0 else 'gain'} of {abs(float(worst)):.2f} %"
    assert leg_of(second) == f"Leg 2 of 2 · at worst a {what} with this stake"
    second.stake.setText("")
    assert leg_of(second) == "Leg 2 of 2"


def test_a_stake_beyond_the_sum_of_all_legs_is_doubted_and_what_completes_them_is_not(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    """100 are divided: 48 and 51; beside 48 at 2.10 what was 51 is 53 at 1.90, 101 in all."""
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    panel._place_all()
    first = asked(panel)
    first.stake.setText("480")
    assert first.fault.text() == (
        "480 on this leg: your plan stakes at most 100 on all legs. Is that what you bet?"
    )
    assert first.record.isEnabled()
    first.stake.setText("48")
    assert first.fault.text() == ""
    place(panel, qtbot)
    second = asked(panel)
    move(quoted, "Matchbook", "Under 2.5", 1.90)
    second._look_again()
    second.stake.setText("53")
    assert second.fault.text() == ""
    second.stake.setText("54")
    assert second.fault.text().startswith("102 on the legs with what is placed: your plan stakes")


def test_of_the_past_none_is_offered(panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot) -> None:
    quoted.board.set_connection(Connection(link=Link.PAST, as_of_ms=quoted.clock.now))
    tell(panel, quoted, qtbot)
    assert shown(panel) == []
    assert panel.placeholder._state.sentence == "Opportunities are shown for now only."


def test_no_leg_of_now_stays_under_the_pointer_in_the_past(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(panel, quoted, qtbot)
    assert shown(panel)
    monkeypatch.setattr(panel.table, "underMouse", lambda: True)
    quoted.board.set_connection(Connection(link=Link.PAST, as_of_ms=quoted.clock.now))
    panel._show()
    assert shown(panel) == []
