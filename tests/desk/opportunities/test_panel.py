"""The panel of opportunities: legs below each other, their stakes, order and counts."""

import math
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.board.connection import Connection, Link
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.desk.opportunities.export import table_of_opportunities
from oddsdesk.desk.opportunities.panel import OpportunitiesPanel
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import SPLIT_TOTAL
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.value_bets.legs import LegPlacer
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
    assert (first["Kind"], first["Worst"], first["Margin"]) == ("Arbitrage", "+1.8 %", "−1.9 %")
    assert (first["Selection"], first["At"], first["Stake"]) == ("Over 2.5", "Betsson", "48")
    assert (second["Kind"], second["Worst"]) == ("", "")
    assert (second["Selection"], second["At"], second["Stake"]) == ("Under 2.5", "Matchbook", "51")
    tip = panel.model.tip(0, 0)
    assert "All legs: 99 staked, +1.80 in the worst case after rounding" in tip


def test_how_many_more_offer_as_much_net_stands_beside_who_is_named_and_the_tip_names_them(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    quoted.tell("Unibet", "total", "Over 2.5", 2.10)
    tell(panel, quoted, qtbot)
    cells = [panel.model.cell(row, TITLES.index("At")) for row in (0, 1)]
    assert [(cell.text, cell.note) for cell in cells] == [("Betsson", "+1"), ("Matchbook", "")]
    assert "The same at Unibet" in panel.model.tip(0, 0).splitlines()


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


def test_all_stakes_are_smaller_where_one_bookmaker_takes_too_little(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    quoted.board.set_profiles(Profiles([Profile(name="Betsson", group="", limit=20.0)]))
    tell(panel, quoted, qtbot)
    (first, second) = shown(panel)[:2]
    assert [first["Stake"], second["Stake"]] == ["18", "19"]
    assert "All stakes are smaller: Betsson takes no more" in panel.model.tip(0, 0)


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
    panel.list.stop()
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
    preferences.put(SPLIT_TOTAL, 1_000)
    with qtbot.waitSignal(panel.list.changed):
        panel.show()
        cell = panel.model.cell(0, stake)
        assert (cell.text, cell.ink, cell.is_strong) == ("48", TextRole.NOTE, False)
    cell = panel.model.cell(0, stake)
    assert (cell.text, cell.is_strong) == ("483", True)


def test_an_empty_panel_says_why(theme: Theme, quoted: Any, records: Records, qtbot: QtBot) -> None:
    quoted.board.clear()
    layout = Layout(Path("unused.ini"))
    panel = OpportunitiesPanel(
        quoted.board, theme, quoted.clock, Preferences(layout), layout, records
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


def test_where_no_price_came_in_until_all_are_stale_that_is_said_and_not_that_there_are_none(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    quoted.board.set_connection(Connection(link=Link.LIVE, newest_ms=quoted.clock.now))
    quoted.clock.now += 3 * MINUTE_MS
    panel._show_counts()
    assert panel._facts.accessibleName().startswith("1 arbitrage")
    quoted.clock.now += MINUTE_MS
    look(panel, qtbot)
    panel._show_counts()
    assert shown(panel) == []
    assert panel.placeholder._state.sentence == "Prices are stale: none for 4 min."
    said = "prices are stale: none for 4 min · 0 arbitrage · 0 middle · 0 low hold"
    assert panel._facts.accessibleName() == said
    quoted.load()
    quoted.board.set_connection(Connection(link=Link.LIVE, newest_ms=quoted.clock.now))
    look(panel, qtbot)
    panel._show_counts()
    assert panel._facts.accessibleName() == "0 arbitrage · 0 middle · 1 low hold"


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
