"""Opportunities that are open on a side that has no price now, at the next start too."""

from pathlib import Path
from typing import Any

from pytestqt.qtbot import QtBot

from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.desk.export.files import table_of
from oddsdesk.desk.opportunities.panel import OpportunitiesPanel
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets.actions import LegPlacer
from tests.kit.opportunities_panel import TITLES, look, place_leg, shown, tell
from tests.kit.quoted_game import REFERENCE, QuotedGame

UNDERS = ("Bovada", "Matchbook", "Betsson", REFERENCE)


def be_open(panel: OpportunitiesPanel, records: Records, quoted: Any, qtbot: QtBot) -> None:
    """Place 48 at 2.10 on the over: with 51 at a net 1.98 on the under, both win."""
    tell(panel, quoted, qtbot)
    place_leg(panel, records, qtbot, 0, stake="48", odds="2.1")


def withdraw(quoted: QuotedGame, selection: str) -> None:
    """Let nobody offer a side any more."""
    quoted.clock.now += 1
    quoted._markets["total", 0].pop(selection)
    quoted.load()


def test_it_stays_where_there_is_no_price_on_the_other_side_and_says_on_what(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """It left the list, with the money on one side."""
    be_open(panel, records, quoted, qtbot)
    withdraw(quoted, "Under 2.5")
    look(panel, qtbot)
    over, under = shown(panel)
    assert (over["Selection"], over["Kind"], over["Stake"]) == ("Over 2.5", "Arbitrage", "✓ 48")
    assert (over["Guaranteed"], over["Margin"]) == ("–", "–")  # nobody knows
    assert (under["Selection"], under["Odds"], under["Bookmaker"]) == ("Under 2.5", "–", "")
    assert (under["Stake"], under["Seen"]) == ("–", "")
    assert under["Warning vs sharp book"] == "no reliable price"
    assert panel._facts.accessibleName() == (
        "1 half placed · 0 arbs · 0 middles · 0 low holds · no reliable price now for Under 2.5"
    )
    assert "No reliable price now for Under 2.5" in panel.model.tip(0, 0)
    assert panel.model.tip(1, 0).startswith("Under 2.5: no reliable price")
    table = table_of(panel.model)
    keys = [column.key for column in table.columns]
    told = dict(zip(keys, table.rows[1], strict=True))
    assert [told[key] for key in ("bookmaker", "odds", "hold_pct", "worst", "scraped_at")] == [
        None
    ] * 5
    quoted.tell("Bovada", "total", "Under 2.5", 1.50)
    look(panel, qtbot)
    over, under = shown(panel)
    assert (over["Kind"], over["Guaranteed"]) == (
        "Low hold",
        "−12.6 %",
    )  # 67 at 1.50 and 48 at 2.10
    assert (under["Odds"], under["Bookmaker"], under["Stake"]) == ("1.50", "Bovada", "67")


def test_where_there_are_old_prices_only_nothing_says_that_there_are_none(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    be_open(panel, records, quoted, qtbot)
    quoted.clock.now += 20 * MINUTE_MS
    look(panel, qtbot)
    said = [(row["Odds"], row["Warning vs sharp book"]) for row in shown(panel)]
    assert said == [("2.10", ""), ("–", "no reliable price")]


def test_where_only_what_is_placed_has_no_price_any_more_the_other_side_completes_it(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """Its own price of now is nothing to a bet that is placed."""
    be_open(panel, records, quoted, qtbot)
    withdraw(quoted, "Over 2.5")
    look(panel, qtbot)
    over, under = shown(panel)
    assert (over["Odds"], over["Stake"]) == ("2.10", "✓ 48")
    assert (under["Odds"], under["Bookmaker"], under["Stake"]) == ("1.98", "Matchbook", "51")
    assert (over["Kind"], over["Guaranteed"]) == ("Arbitrage", "+1.8 %")
    assert panel._facts.accessibleName().endswith(" · still to place: Under 2.5, stake 51")


def test_what_is_open_is_there_at_the_next_start_until_its_bet_is_closed(
    panel: OpportunitiesPanel,
    legs: LegPlacer,
    records: Records,
    theme: Theme,
    quoted: Any,
    preferences: Preferences,
    layout: Layout,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    be_open(panel, records, quoted, qtbot)
    withdraw(quoted, "Under 2.5")
    read_later = Records(tmp_path / "ledger.db")
    again = OpportunitiesPanel(quoted.board, theme, quoted.clock, preferences, layout, read_later)
    qtbot.addWidget(again)
    qtbot.waitUntil(lambda: read_later.has_read_bets)
    again.resize(1_118, 260)
    with qtbot.waitSignal(again.list.changed):
        again.show()
    assert [(row["Selection"], row["Stake"]) for row in shown(again)] == [
        ("Over 2.5", "✓ 48"),
        ("Under 2.5", "–"),
    ]
    (bet,) = read_later.placed_bets()
    with qtbot.waitSignal(read_later.bets_changed):
        read_later.take_back(bet)
    again.model.sort_now()
    assert shown(again) == []
    assert layout.get_word("opportunities/open", "") == "[]"
    again.close_panel()
    read_later.close_records()


def test_once_its_game_should_be_over_it_is_a_bet_that_waits_for_its_result(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    be_open(panel, records, quoted, qtbot)
    quoted.board.forget_game(quoted.id)
    look(panel, qtbot)
    assert [row["Warning vs sharp book"] for row in shown(panel)] == ["", "no reliable price"]
    (bet,) = records.placed_bets()
    assert bet.kick_off is not None
    quoted.clock.now = bet.kick_off + 151 * MINUTE_MS
    look(panel, qtbot)
    assert shown(panel) == []


def test_of_the_past_and_until_all_prices_are_looked_at_nobody_says_that_there_is_none(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    be_open(panel, records, quoted, qtbot)
    withdraw(quoted, "Under 2.5")
    look(panel, qtbot)
    quoted.board.set_connection(Connection(link=Link.LIVE, has_unread_prices=True))
    panel._show()
    panel.model.sort_now()
    assert shown(panel) == []
    quoted.board.set_connection(Connection(link=Link.LIVE))
    look(panel, qtbot)
    assert len(shown(panel)) == 2
    quoted.board.set_connection(Connection(link=Link.PAST, as_of_ms=quoted.clock.now))
    panel._show()
    panel.model.sort_now()
    assert shown(panel) == []


def test_what_has_no_worst_stands_on_top_and_is_sorted_by_no_figure_of_then(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    be_open(panel, records, quoted, qtbot)
    withdraw(quoted, "Under 2.5")
    for bookmaker, odds in (("Betsson", 2.6), ("Unibet", 1.65)):
        side = "Over 3.5" if bookmaker == "Betsson" else "Under 3.5"
        quoted.tell(bookmaker, "total", side, odds)
    look(panel, qtbot)
    panel.model.half_placed = ()  # else it is on top of any order
    for column, top in (("Guaranteed", "Over 2.5"), ("Margin", "Over 3.5")):
        for _ in range(2):
            panel.model.sort_by(TITLES.index(column))
            assert shown(panel)[0]["Selection"] == top


def test_a_last_leg_that_is_taken_back_leaves_it_open_again_at_once_whatever_it_costs(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """With both legs placed nothing kept it: with the second gone again, it was nowhere."""
    be_open(panel, records, quoted, qtbot)
    for bookmaker in UNDERS:
        quoted.tell(bookmaker, "total", "Under 2.5", 1.50)
    tell(panel, quoted, qtbot)
    under = [row["Selection"] for row in shown(panel)].index("Under 2.5")
    place_leg(panel, records, qtbot, under, stake="67", odds="1.5")
    look(panel, qtbot)
    look(panel, qtbot)
    assert shown(panel) == []
    with qtbot.waitSignal(records.bets_changed):
        legs.take_back(list(records.placed_bets())[-1])
    assert {row["Selection"]: row["Stake"] for row in shown(panel)} == {
        "Over 2.5": "✓ 48",
        "Under 2.5": "67",
    }
    assert panel._facts.accessibleName().startswith("1 half placed, 1 now at a loss · ")
