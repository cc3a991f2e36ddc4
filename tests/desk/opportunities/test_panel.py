"""The panel of opportunities: legs below each other, their stakes, order and counts."""

import math
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.desk.export.files import table_of
from oddsdesk.desk.opportunities.panel import OpportunitiesPanel
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import SPLIT_TOTAL
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.ui.table import live_table
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.value_bets.actions import LegPlacer
from oddsdesk.ledger.own_tables import settlement_rules_file
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.board import game
from tests.kit.opportunities_panel import (
    TITLES,
    asked,
    by_keyboard_alone,
    left_pct,
    look,
    place_leg,
    shown,
    tell,
    tell_of_another,
)


def test_legs_stand_below_each_other_with_their_stakes(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    first, second, *_ = shown(panel)
    assert (first["Kind"], first["Guaranteed"], first["Margin"]) == (
        "Arbitrage",
        "+1.8 %",
        "−1.9 %",
    )
    assert (first["Selection"], first["Bookmaker"], first["Stake"]) == ("Over 2.5", "Betsson", "48")
    assert (second["Kind"], second["Guaranteed"]) == ("", "")
    assert (second["Selection"], second["Bookmaker"], second["Stake"]) == (
        "Under 2.5",
        "Matchbook",
        "51",
    )
    tip = panel.model.tip(0, 0)
    assert "All legs: 99 staked, guaranteed return +1.80 after rounding" in tip


def test_how_many_more_offer_as_much_net_stands_beside_who_is_named_and_the_tip_names_them(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    quoted.tell("Unibet", "total", "Over 2.5", 2.10)
    tell(panel, quoted, qtbot)
    cells = [panel.model.cell(row, TITLES.index("Bookmaker")) for row in (0, 1)]
    assert [(cell.text, cell.note) for cell in cells] == [("Betsson", "+1"), ("Matchbook", "")]
    assert "The same at Unibet" in panel.model.tip(0, 0).splitlines()


def test_what_is_left_at_worst_is_rounded_once(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    """42 at 2.813 pay 118.146, which 58 at 2.04 exceed: 18.146 %."""
    quoted.tell("Matchbook", "total", "Under 2.5", 2.04)
    tell(panel, quoted, qtbot, 2.813)
    first, second, *_ = shown(panel)
    assert (first["Stake"], second["Stake"], first["Guaranteed"]) == ("42", "58", "+18.1 %")


def test_an_arbitrage_whose_profit_the_steps_eat_is_a_low_hold_that_says_so(
    panel: OpportunitiesPanel, preferences: Preferences, quoted: Any, qtbot: QtBot
) -> None:
    """5 at 2.10 pay 10.50 and 5 at a net 1.98 pay 9.90."""
    preferences.keep_setting(SPLIT_TOTAL, 10)
    tell(panel, quoted, qtbot)
    said = [(row["Kind"], row["Guaranteed"], row["Margin"]) for row in shown(panel)]
    place = said.index(("Low hold", "−1.0 %", "−1.9 %"))
    tip = panel.model.tip(place, 0)
    assert "eats the profit: a smaller step or a larger total returns up to +1.91 %" in tip


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
        assert left == {"Guaranteed", "Selection", "Odds", "Bookmaker", "Stake"}
        assert "Arbitrage · Everton v Liverpool · Total" in panel.model.tip(0, 0)
    finally:
        theme.zoom(100)


def test_odds_of_legs_look_as_old_as_in_the_matrix_and_the_worst_as_its_oldest_leg(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    odds, worst = TITLES.index("Odds"), TITLES.index("Guaranteed")

    def inks() -> list[TextRole]:
        cells = (panel.model.cell(*place) for place in ((0, worst), (0, odds), (1, odds)))
        return [cell.ink for cell in cells]

    assert inks() == [TextRole.VALUE, TextRole.STRONG, TextRole.STRONG]
    quoted.clock.now += 100_000
    quoted.tell("Betsson", "total", "Over 2.5", 2.10)
    assert inks() == [TextRole.VALUE, TextRole.STRONG, TextRole.SOFT]
    quoted.clock.now += 300_000
    assert inks() == [TextRole.NOTE] * 3


def test_legs_that_are_too_good_say_so(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot, 2.60)
    assert shown(panel)[0]["Warning vs sharp book"] == "likely error, far above fair"


def test_legs_without_fair_odds_are_marked_as_not_checked(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    quoted.tell("Betsson", "total", "Over 9.5", 3.0)
    quoted.tell("Unibet", "total", "Under 9.5", 1.6)

    def warnings() -> list[str]:
        rows = shown(panel)
        return [row["Warning vs sharp book"] for row in rows if "9.5" in row["Selection"]]

    qtbot.waitUntil(lambda: warnings() == ["not checked", "not checked"])
    assert not any(
        row["Warning vs sharp book"] for row in shown(panel) if "2.5" in row["Selection"]
    )
    quoted.clock.now += 1
    quoted.tell("Unibet", "total", "Under 9.5", 1.9)
    qtbot.waitUntil(lambda: warnings()[-2:] == ["likely error, not checked"] * 2)
    assert "9.5" in shown(panel)[-1]["Selection"]  # it pays most, and is listed last


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


def test_rows_hold_still_while_a_dialog_of_a_leg_is_open(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    """The next press went to another leg than the one that had stood there."""
    quoted.board.load_games([game(quoted.name)])
    tell(panel, quoted, qtbot)
    panel.table.set_current(1)
    panel._place()
    tell_of_another(quoted, 3.2)
    panel.list.stop_looking()
    with qtbot.waitSignal(panel.list.changed):
        panel.list.start_looking()
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
    panel.chips.choose_chip("middle")
    assert shown(panel) == []
    assert panel._state().sentence == "No middles now."


def test_stakes_follow_the_settings(
    panel: OpportunitiesPanel, preferences: Preferences, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    preferences.keep_setting(SPLIT_TOTAL, 1_000)
    look(panel, qtbot)
    assert [row["Stake"] for row in shown(panel)[:2]] == ["483", "512"]


def test_all_stakes_are_smaller_where_one_bookmaker_takes_too_little(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    quoted.board.set_profiles(Profiles([Profile(name="Betsson", group="", limit=20.0)]))
    tell(panel, quoted, qtbot)
    (first, second) = shown(panel)[:2]
    assert [first["Stake"], second["Stake"]] == ["18", "19"]
    assert "All stakes are smaller, for the limit at Betsson" in panel.model.tip(0, 0)


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


def test_a_price_that_is_read_again_was_seen_then_before_the_list_looks_at_it_anew(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    """Right after a re-read the matrix said 6 s, and the same prices were "1 min" old here."""
    tell(panel, quoted, qtbot)
    panel.list.stop_looking()
    quoted.clock.now += MINUTE_MS
    assert [row["Seen"] for row in shown(panel)] == ["1 min", "1 min"]
    quoted.tell("Betsson", "total", "Over 2.5", 2.10)
    quoted.clock.now += 6_000
    assert [row["Seen"] for row in shown(panel)] == ["6 s", "1 min"]
    assert "Seen at 12:01:00" in panel.model.tip(0, 0)
    quoted.tell("Betsson", "total", "Over 2.5", 2.00)
    assert shown(panel)[0]["Seen"] == "1 min", "other odds are not what is listed"


def test_what_may_be_another_by_now_recedes_when_its_tab_comes_until_it_is_looked_at(
    panel: OpportunitiesPanel, quoted: Any, preferences: Preferences, qtbot: QtBot
) -> None:
    """Stakes of the total before stood there in full colour for 3 s."""
    tell(panel, quoted, qtbot)
    stake = TITLES.index("Stake")
    panel.hide()
    panel.show()
    assert panel.model.cell(0, stake).is_strong, "nothing has changed"
    with qtbot.waitSignal(panel.list.changed):
        pass
    panel.hide()
    preferences.keep_setting(SPLIT_TOTAL, 1_000)
    with qtbot.waitSignal(panel.list.changed):
        panel.show()
        cell = panel.model.cell(0, stake)
        assert (cell.text, cell.ink, cell.is_strong) == ("48", TextRole.NOTE, False)
    cell = panel.model.cell(0, stake)
    assert (cell.text, cell.is_strong) == ("483", True)


def test_an_empty_panel_says_why(
    theme: Theme, quoted: Any, layout: Layout, records: Records, qtbot: QtBot
) -> None:
    quoted.board.forget_service()
    panel = OpportunitiesPanel(
        quoted.board, theme, quoted.clock, Preferences(layout), layout, records
    )
    qtbot.addWidget(panel)
    assert panel._state().sentence == "Loading prices…"
    quoted.board.set_connection(Connection(reason="it is served by another program"))
    assert panel._state().sentence == "Not connected."
    quoted.board.set_connection(Connection(link=Link.LIVE))
    assert panel._state().sentence == "Searching…"
    with qtbot.waitSignal(panel.list.changed):
        panel.show()
    assert panel._state().sentence == "No arbs or low-hold bets now."
    panel.close_panel()


def test_where_no_price_came_in_until_all_are_stale_that_is_said_and_not_that_there_are_none(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    quoted.board.set_connection(Connection(link=Link.LIVE, newest_ms=quoted.clock.now))
    quoted.clock.now += 3 * MINUTE_MS
    panel._show_counts()
    assert panel._facts.accessibleName().startswith("1 arb")
    quoted.clock.now += MINUTE_MS
    look(panel, qtbot)
    panel._show_counts()
    assert shown(panel) == []
    assert panel.placeholder._state.sentence == "Prices are stale: no update for 4 min."
    said = "prices are stale: no update for 4 min · 0 arbs · 0 middles · 0 low holds"
    assert panel._facts.accessibleName() == said
    quoted.load()
    quoted.board.set_connection(Connection(link=Link.LIVE, newest_ms=quoted.clock.now))
    look(panel, qtbot)
    panel._show_counts()
    assert panel._facts.accessibleName() == "0 arbs · 0 middles · 1 low hold"


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
            "Prices are reloading after a lost connection.",
            "prices are reloading after a lost connection",
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
    quoted.board.forget_service()
    quoted.board.set_connection(connection)
    look(panel, qtbot)
    panel._show_counts()
    assert panel.placeholder._state.sentence == sentence
    assert panel._facts.accessibleName() == fact
    quoted.board.set_connection(Connection(link=Link.LIVE))
    panel._show_counts()
    assert panel._facts.accessibleName() == "0 arbs · 0 middles · 0 low holds"


def test_while_prices_are_read_that_is_said_and_not_that_there_are_none(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    """As on the return from the past: "0 arbs" stood there for as long as it took."""
    board = quoted.board
    board.forget_service()
    look(panel, qtbot)
    assert panel._facts.accessibleName() == ""
    board.set_connection(Connection(link=Link.LIVE, has_unread_prices=True))
    look(panel, qtbot)
    assert panel.placeholder._state.sentence == "Loading prices…"
    assert panel._facts.accessibleName() == ""
    quoted.load()
    tell(panel, quoted, qtbot)
    assert panel._facts.accessibleName() == "searching · 1 arb · 0 middles · 0 low holds"
    panel.list._rested_at = math.inf
    board.set_connection(Connection(link=Link.LIVE))
    assert panel._facts.accessibleName().startswith("searching")
    qtbot.waitUntil(lambda: panel.list.has_looked)  # without the rest
    assert panel._facts.accessibleName() == "1 arb · 0 middles · 0 low holds"


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
            panel.list.stop_looking()
            panel.list.start_looking()
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


def test_rows_that_are_gone_go_once_nobody_has_been_at_them_for_a_while(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list opened by its key keeps the keyboard, and filled up with struck rows."""
    quoted.board.load_games([game(quoted.name)])
    quoted.board.set_connection(Connection(link=Link.LIVE))
    tell_of_another(quoted, 3.2)
    tell(panel, quoted, qtbot)
    panel.table.scrolling.setFocus()
    qtbot.waitUntil(panel.table.scrolling.hasFocus)
    assert panel.table.is_pointed_at
    tell_of_another(quoted, 1.2)
    panel.list.stop_looking()
    with qtbot.waitSignal(panel.list.changed):
        panel.list.start_looking()
    panel._on_idle_timeout()
    assert any(panel.model.is_gone(row) for row in range(panel.model.rowCount()))
    monkeypatch.setattr(live_table, "REST_S", 0.0)
    assert not panel.table.is_pointed_at
    panel._on_idle_timeout()
    assert not any(panel.model.is_gone(row) for row in range(panel.model.rowCount()))
    assert panel.model.rows_that_would_move == 0
    monkeypatch.undo()
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Down)
    assert panel.table.is_pointed_at, "a key, and somebody is there again"


def look_again(panel: OpportunitiesPanel, qtbot: QtBot) -> None:
    """Let it look while somebody may be at the rows: they are not sorted by hand."""
    panel.list._rested_at = 0.0
    panel.list.stop_looking()
    with qtbot.waitSignal(panel.list.changed):
        panel.list.start_looking()


def test_a_list_is_sorted_by_itself_where_no_row_in_sight_is_alive(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that the pointer was at was struck out, and the real ones were below."""
    quoted.board.load_games([game(quoted.name)])
    quoted.board.set_connection(Connection(link=Link.LIVE))
    tell_of_another(quoted, 3.2)
    tell(panel, quoted, qtbot)
    monkeypatch.setattr(panel.table, "underMouse", lambda: True)
    tell_of_another(quoted, 1.2)
    look_again(panel, qtbot)
    panel._on_idle_timeout()
    assert [row["Selection"] for row in shown(panel)][:2] == ["Over 3.5", "Under 3.5"]
    monkeypatch.setattr(panel.table, "rows_in_view", lambda: range(2))
    panel._on_idle_timeout()
    assert [row["Selection"] for row in shown(panel)] == ["Over 2.5", "Under 2.5"]
    assert panel.model.rows_that_would_move == 0


def test_where_the_chosen_leg_is_gone_sorting_by_hand_chooses_no_other(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    """Another arb's leg was highlighted, while the Explain panel still showed the old one."""
    quoted.board.load_games([game(quoted.name)])
    tell_of_another(quoted, 3.2)
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    tell_of_another(quoted, 1.2)
    look_again(panel, qtbot)
    panel._sort()
    assert [row["Selection"] for row in shown(panel)] == ["Over 2.5", "Under 2.5"]
    assert not panel.table.has_choice
    assert panel.selected() is None


def test_a_chosen_leg_that_is_gone_stays_with_its_other_legs_and_in_no_others_group(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    quoted.board.load_games([game(quoted.name)])
    tell_of_another(quoted, 3.2)
    tell(panel, quoted, qtbot)
    assert [row["Selection"] for row in shown(panel)] == [
        "Over 3.5",
        "Under 3.5",
        "Over 2.5",
        "Under 2.5",
    ]
    panel.table.set_current(1)
    tell_of_another(quoted, 1.2)
    look_again(panel, qtbot)
    panel.model.tidy_up()
    listed = [row["Selection"] for row in shown(panel)]
    assert listed == ["Over 3.5", "Under 3.5", "Over 2.5", "Under 2.5"]
    assert [panel.model.is_gone(row) for row in range(4)] == [True, True, False, False]
    assert not panel.model.is_untidy


def test_what_the_first_look_has_found_is_listed_while_it_goes_on(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    listed, panel._listed, panel.list.has_looked = shown(panel), [], False  # as at the start
    panel._show()
    panel.model.sort_now()
    assert panel._state().sentence == "Searching…"
    panel._on_idle_timeout()
    panel.model.sort_now()
    assert shown(panel) == listed


def test_counts_are_of_what_is_listed(panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot) -> None:
    tell(panel, quoted, qtbot)
    before = panel._facts.accessibleName()
    assert before.startswith("1 arb")
    panel.list.entries.clear()  # as while a look goes on
    panel._show_counts()
    assert panel._facts.accessibleName() == before


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
    assert [row["Selection"] for row in shown(panel)] == first + second, "half placed: on top"
    assert [row["Stake"] for row in shown(panel)] == ["✓ 40", "32", "34", "62"]
    told = [row["Guaranteed"] for row in shown(panel) if row["Guaranteed"]]
    placed = left_pct((40, 1.60), (32, 1.98))
    assert told == [f"−{-placed:.1f} %", f"{left_pct((34, 2.85), (62, 1.57)):+.1f} %"]
    panel.model.half_placed = ()
    panel.model.sort_by(TITLES.index("Guaranteed"))
    assert [row["Selection"] for row in shown(panel)] == first + second, "the least on top"
    panel.model.sort_by(TITLES.index("Guaranteed"))
    assert [row["Selection"] for row in shown(panel)] == second + first


def test_worst_is_of_all_outcomes_a_push_among_them_and_sorted_by_that(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    """49 at 2.10 and 50 at 2.06 win 2.90 of 99 unless exactly six goals bring all back: it stood
    above a sure +1.82 %. Counted here goal by goal."""
    quoted.tell("Betsson", "total", "Over 6", 2.10)
    quoted.tell("Unibet", "total", "Under 6", 2.06)
    tell(panel, quoted, qtbot)
    panel.chips.choose_chip("arbitrage")
    sure, _, pushes, other = shown(panel)
    assert (sure["Selection"], sure["Guaranteed"]) == ("Over 2.5", "+1.8 %")
    assert (pushes["Selection"], pushes["Kind"]) == ("Over 6", "Arbitrage")
    over, under = float(pushes["Stake"]), float(other["Stake"])
    left = [
        (over * 1.10 if goals > 6 else -over if goals < 6 else 0)
        + (under * 1.06 if goals < 6 else -under if goals > 6 else 0)
        for goals in range(12)
    ]
    assert (min(left), pushes["Guaranteed"]) == (0, "0.0 %")
    decided = min(left[:6] + left[7:])
    assert pushes["Middle, push"] == f"push +0.00, else +{decided:.2f}"
    assert f"All legs: {over + under:g} staked, guaranteed return +0.00 after" in panel.model.tip(
        2, 0
    )
    table = table_of(panel.model)
    worst = [column.key for column in table.columns].index("worst")
    assert [round(row[worst], 2) for row in table.rows[:3]] == [1.80, 1.80, 0.0]


def test_of_the_past_none_is_offered(panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot) -> None:
    quoted.board.set_connection(Connection(link=Link.PAST, as_of_ms=quoted.clock.now))
    tell(panel, quoted, qtbot)
    assert shown(panel) == []
    assert panel.placeholder._state.sentence == "No opportunities in the past view."


def test_no_leg_of_now_stays_under_the_pointer_in_the_past(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(panel, quoted, qtbot)
    assert shown(panel)
    monkeypatch.setattr(panel.table, "underMouse", lambda: True)
    quoted.board.set_connection(Connection(link=Link.PAST, as_of_ms=quoted.clock.now))
    panel._show()
    assert shown(panel) == []


def test_a_middle_says_what_a_hit_wins_and_the_chance_it_needs(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    quoted.tell("Betsson", "total", "Over 3.5", 1.50)
    quoted.tell("Unibet", "total", "Under 3.5", 1.90)
    tell(panel, quoted, qtbot)
    panel.chips.choose_chip("middle")
    over, under = shown(panel)
    assert (over["Selection"], under["Selection"]) == ("Over 2.5", "Under 3.5")
    stakes = [float(each["Stake"]) for each in (over, under)]
    backs = [stake * float(each["Odds"]) for stake, each in zip(stakes, (over, under), strict=True)]
    hit, lost = sum(backs) - sum(stakes), sum(stakes) - min(backs)
    needs = f"needs {lost / (lost + hit) * 100:.1f} %"
    assert over["Middle, push"] == f"hit +{hit:.2f} · {needs}"


def test_rules_that_differ_are_marked_and_the_tip_says_which_leg_stands(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    """The user's own rules apply once the panel is shown again."""
    at = TITLES.index("Warning vs sharp book")
    tell(panel, quoted, qtbot)
    assert "Rules: " not in panel.model.tip(0, 0)
    path = settlement_rules_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("bookmaker,postponed_hours\nBetsson,12\nMatchbook,48\n", "utf-8")
    panel.hide()
    with qtbot.waitSignal(panel.list.changed):
        panel.show()
        quoted.tell("Betsson", "total", "Over 2.5", 2.11)
    look(panel, qtbot)
    said = "Rules: If the game begins 12 to 48 hours late: Over 2.5 at Betsson is void, Under 2.5"
    for row in (0, 1):
        assert f"{said} at Matchbook stands" in panel.model.tip(row, 0).splitlines()
    cells = [panel.model.cell(row, at) for row in (0, 1)]
    assert [cell.note for cell in cells] == ["rules differ", ""]
    first, *_ = table_of(panel.model).rows
    assert any("begins 12 to 48 hours late" in str(value) for value in first)
