"""Lists, counts and stakes once some legs are placed."""

from fractions import Fraction
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.board.opportunities.offers import LegsToPlace
from oddsdesk.desk.export.files import table_of
from oddsdesk.desk.opportunities.panel import OpportunitiesPanel
from oddsdesk.desk.records import Records
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.value_bets.actions import LegPlacer
from tests.kit.opportunities_panel import (
    TITLES,
    asked,
    kinds_listed,
    left_pct,
    look,
    place,
    place_leg,
    shown,
    tell,
    tell_of_another,
)
from tests.kit.quoted_game import REFERENCE


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
    qtbot.waitUntil(lambda: len(list(records.placed_bets())) == 1)
    for bookmaker in ("Bovada", "Matchbook", "Betsson", REFERENCE):
        quoted.tell(bookmaker, "total", "Under 2.5", 1.50)
    quoted.board.set_connection(Connection(link=Link.LIVE))
    tell(panel, quoted, qtbot)
    rows = {row["Selection"]: row for row in shown(panel)}
    assert rows["Over 2.5"]["Kind"] == "Low hold"
    back = Fraction(67) * Fraction("1.5")
    worst = min(back, 48 * Fraction("2.1")) / (48 + 67) - 1
    assert rows["Over 2.5"]["Guaranteed"] == f"−{-float(worst) * 100:.1f} %"
    assert (rows["Over 2.5"]["Stake"], rows["Under 2.5"]["Stake"]) == ("✓ 48", "67")
    assert panel._facts.accessibleName().startswith("1 half placed, 1 now at a loss")
    panel.take_back_requested.emit(next(iter(records.placed_bets())))
    qtbot.waitUntil(lambda: not list(records.placed_bets()))
    look(panel, qtbot)
    assert shown(panel) == []


def test_legs_that_are_placed_are_marked_and_the_rest_is_staked_beside_them(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """40 at 2.10 pay 84; at a net 1.98 42 pay 83.16 of 82 staked, 43 pay 85.14 of 83: at worst
    1.41 % against 1.20 %."""
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    panel._place()
    asked(panel).stake.setText("40")
    with qtbot.waitSignal(records.bets_changed):
        place(panel, qtbot)
    panel.model.sort_now()
    stakes = [panel.model.cell(row, TITLES.index("Stake")) for row in (0, 1)]
    assert [(cell.text, cell.note) for cell in stakes] == [("✓ 40", ""), ("42", "open")]
    assert "1 arb · 0 middles · 0 low holds · still to place: Under 2.5, stake 42" in (
        panel._facts.accessibleName()
    )
    tip = panel.model.tip(0, 0)
    assert "Placed 40.00 at Betsson, 2.10" in tip
    assert "Still to place: Under 2.5, stake 42\nGuaranteed return then +1.41 %" in tip
    assert " % if every leg stands: +1.16 on 82 staked" in tip
    panel._place_all()
    only = asked(panel)
    assert (only.bookmaker.currentText(), only.stake.text()) == ("Matchbook", "42")
    with qtbot.waitSignal(records.bets_changed):
        place(panel, qtbot)
    panel.model.sort_now()
    assert [row["Stake"] for row in shown(panel)] == ["✓ 40", "✓ 42"]
    assert "open" not in panel._facts.accessibleName()


def test_a_leg_that_is_placed_keeps_the_bookmaker_and_odds_of_its_bet(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """It had those that are best by now, as if the bet were there."""
    tell(panel, quoted, qtbot)
    place_leg(panel, records, qtbot, 0, stake="40", odds="2.12")
    quoted.tell("Bovada", "total", "Over 2.5", 2.14)
    look(panel, qtbot)
    over, under = shown(panel)
    assert panel.model.entry(0).leg.bookmaker == "Bovada"
    assert (over["Odds"], over["Bookmaker"], over["Stake"]) == ("2.12", "Betsson", "✓ 40")
    assert (over["Seen"], over["Warning vs sharp book"]) == ("", "")
    assert (under["Odds"], under["Bookmaker"]) == ("1.98", "Matchbook")
    tip = panel.model.tip(0, 0)
    assert tip.startswith("Over 2.5 at Betsson: 2.12\n")
    assert "\nBest price now: 2.14 at Bovada" in tip
    table = table_of(panel.model)
    at = [[column.key for column in table.columns].index(key) for key in ("bookmaker", "odds")]
    assert [table.rows[0][place] for place in at] == ["Betsson", 2.12]


def test_where_what_is_placed_can_only_be_completed_to_a_loss_the_row_says_so(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """40 at 1.60 pay 64; 32 at a net 1.98 pay 63.36 of 72 staked, 12 % less; 33 leave 64 of 73."""
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    panel._place()
    asked(panel).stake.setText("40")
    asked(panel).odds.setText("1.6")
    with qtbot.waitSignal(records.bets_changed):
        place(panel, qtbot)
    panel.model.sort_now()
    assert [(row["Guaranteed"], row["Stake"]) for row in shown(panel)] == [
        ("−12.0 %", "✓ 40"),
        ("", "32"),
    ]
    assert panel.model.cell(0, TITLES.index("Guaranteed")).ink is not TextRole.VALUE
    said = "ow at a loss: Under 2.5, stake 32 would leave −12.00 % at worst"
    assert f" · n{said}" in panel._facts.accessibleName()
    assert f"N{said}" in panel.model.tip(0, 0)
    table = table_of(panel.model)
    at = [column.key for column in table.columns].index("worst")
    assert table.rows[0][at] == pytest.approx(63.36 - 72)


def test_an_arbitrage_that_what_is_placed_makes_lose_is_counted_and_listed_as_a_low_hold(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """40 at 1.60 pay 64, which no stake at a net 1.98 makes as much as all cost."""
    tell(panel, quoted, qtbot)
    place_leg(panel, records, qtbot, 0, stake="40", odds="1.6")
    said = "1 half placed, 1 now at a loss · 0 arbs · 0 middles · 1 low hold · "
    assert panel._facts.accessibleName().startswith(said)
    assert {row[0] for row in table_of(panel.model).rows} == {"low-hold"}
    assert "\nLow hold · " in panel.model.tip(0, 0)
    kinds = ("arbitrage", "low-hold", "middle")
    assert kinds_listed(panel) == {kind: ["Low hold"] for kind in kinds}


def test_a_low_hold_that_what_is_placed_makes_win_stays_among_the_arbitrages(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """48 at 2.10 pay 100.80, 51 at a net 1.98 pay 100.98 of 99: the leg that is left wins. The
    price of the first fell once it was bet on, and the row went from the list of arbitrages."""
    tell(panel, quoted, qtbot)
    panel.chips.choose_chip("arbitrage")
    place_leg(panel, records, qtbot, 0, stake="48", odds="2.1")
    tell(panel, quoted, qtbot, 2.00)
    assert panel.model.entry(0).found.total > 1
    assert [row["Selection"] for row in shown(panel)] == ["Over 2.5", "Under 2.5"]
    kinds = ("arbitrage", "low-hold", "middle")
    assert kinds_listed(panel) == {kind: ["Arbitrage"] for kind in kinds}


def test_what_is_open_is_told_whichever_kind_is_listed(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    place_leg(panel, records, qtbot, 0, stake="48", odds="2.1")
    panel.chips.choose_chip("middle")
    assert [row["Selection"] for row in shown(panel)] == ["Over 2.5", "Under 2.5"]
    assert panel._facts.accessibleName().endswith(" · still to place: Under 2.5, stake 51")


@pytest.mark.parametrize("kind", ["all", "arbitrage", "low-hold"])
def test_what_is_half_placed_is_on_top_whichever_kind_is_listed(
    panel: OpportunitiesPanel,
    legs: LegPlacer,
    records: Records,
    quoted: Any,
    qtbot: QtBot,
    kind: str,
) -> None:
    """It was counted, and not in the list: the leg that was placed had made it a low hold."""
    tell_of_another(quoted, 2.85)
    tell(panel, quoted, qtbot)
    place_leg(panel, records, qtbot, 0, stake="40", odds="1.6")
    panel.chips.choose_chip(kind)
    assert panel._facts.accessibleName().startswith("1 half placed, 1 now at a loss · 1 arb · ")
    top, *others = shown(panel)
    assert (top["Stake"], top["Kind"]) == ("✓ 40", "Low hold")
    assert "✓ 40" not in {row["Stake"] for row in others}
    panel.model.sort_by(TITLES.index("Margin"))
    panel.model.sort_by(TITLES.index("Margin"))
    assert shown(panel)[0]["Stake"] == "✓ 40", "however it is sorted"


@pytest.mark.parametrize(
    ("first", "second", "losing", "said"),
    [
        ("2.1", "2.85", 0, "2 half placed · 2 arbs · "),
        ("1.6", "2.85", 1, "2 half placed, 1 now at a loss · 1 arb · "),
        ("2.1", "2.2", 1, "2 half placed, 1 now at a loss · 1 arb · "),
        ("1.6", "2.2", 2, "2 half placed, 2 now at a loss · 0 arbs · "),
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
    assert facts._shown == "1 half placed"


def test_a_bet_that_several_would_complete_is_open_once_and_not_once_one_completes_it(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """A middle above 2.5 and below 3.5 has the arbitrage's first leg: two were "open on a side"."""
    for side, odds in (("Over", 1.5), ("Under", 1.9)):
        quoted.tell("Matchbook", "total", f"{side} 3.5", odds)
    tell(panel, quoted, qtbot)
    panel.chips.choose_chip("middle")
    assert [row["Selection"] for row in shown(panel)] == ["Over 2.5", "Under 3.5"]
    panel.chips.choose_chip("arbitrage")
    place_leg(panel, records, qtbot, 0, stake="48", odds="2.1")
    assert panel._facts.accessibleName().endswith(" · still to place: Under 2.5, stake 51")
    place_leg(panel, records, qtbot, 1, stake="51", odds="1.98")
    assert "open" not in panel._facts.accessibleName()


def test_what_is_left_of_three_legs_is_staked_beside_what_was_placed_before(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    """10 at 3.0 pay 30, which 30 at 2.10 exceed: 15 at 1.98 pay 29.70, nearly as much."""
    tell(panel, quoted, qtbot)
    wanted = LegsToPlace(panel.model.entry(0).found, (0,), (0, 1), ((10.0, 3.0),))
    legs.place_legs(wanted)
    first = asked(panel)
    assert first.stake.text() == "14"
    first.reject()
    legs.place_legs(wanted.after_leg(0, 30.0, 2.10)._replace(places=(1,)))
    assert asked(panel).stake.text() == "15"


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
    assert asked_rows[at]["Guaranteed"] == f"{worst:+.1f} %".replace("-", "−")
    assert two_goals == min(two_goals, fewer, more) > 0
