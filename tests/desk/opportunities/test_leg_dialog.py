"""A leg that is asked for is staked by the odds of now, and says what is typed leaves."""

from fractions import Fraction
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.desk.opportunities.panel import OpportunitiesPanel
from oddsdesk.desk.records import Records
from oddsdesk.desk.value_bets.actions import LegPlacer
from tests.kit.opportunities_panel import asked, leg_of, look, move, place_then_ask, shown, tell


def test_a_leg_whose_price_moved_since_the_list_is_staked_by_the_odds_of_now(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    """47 at 2.07 pay 97.29, 49 at 1.98 pay 97.02: 96 staked, 1.02 left at worst."""
    tell(panel, quoted, qtbot)
    panel.list.stop_looking()
    panel.table.set_current(0)
    move(quoted, "Betsson", "Over 2.5", 2.07)
    panel._place()
    dialog = asked(panel)
    assert (dialog.odds.text(), dialog.stake.text()) == ("2.07", "47")
    assert dialog.warning.text() == (
        "Over 2.5 at Betsson: 2.07 now, 2.10 when you started.\n"
        "The arbitrage has changed: +1.06 % now if every leg stands, +1.82 % when you started."
    )
    look(panel, qtbot)
    assert [row["Stake"] for row in shown(panel)[:2]] == ["47", "49"]
    assert panel.model.entry(0).found.profit_pct == pytest.approx(1.02 / 96 * 100)


def test_of_a_leg_that_got_worse_is_told_who_offers_more_now(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    panel._place()
    dialog = asked(panel)
    quoted.tell("Bovada", "total", "Over 2.5", 2.05)
    move(quoted, "Betsson", "Over 2.5", 2.00)
    dialog._look_again()
    said = "Over 2.5 at Betsson: 2.00 now, 2.10 when you started; 2.05 at Bovada."
    assert said in dialog.warning.text().splitlines()
    quoted.tell("Bovada", "total", "Over 2.5", 1.95)
    dialog._look_again()
    assert said.replace("; 2.05 at Bovada", "") in dialog.warning.text().splitlines()


def test_a_leg_follows_the_price_of_the_other_one(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.list.stop_looking()
    panel.table.set_current(1)
    move(quoted, "Betsson", "Over 2.5", 2.30)
    panel._place()
    dialog = asked(panel)
    assert (dialog.bookmaker.currentText(), dialog.stake.text()) == ("Matchbook", "51")
    assert dialog.warning.text().startswith(
        "Over 2.5 at Betsson: 2.30 now, 2.10 when you started.\nThe arb"
    )
    look(panel, qtbot)
    assert [row["Stake"] for row in shown(panel)[:2]] == ["44", "51"]


def test_a_leg_of_what_is_none_any_more_says_so_and_has_no_stake(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.list.stop_looking()
    panel.table.set_current(0)
    move(quoted, "Betsson", "Over 2.5", 1.868)
    panel._place()
    dialog = asked(panel)
    assert (dialog.odds.text(), dialog.stake.text()) == ("1.868", "")
    assert not dialog.record.isEnabled()
    assert dialog.warning.text() == (
        "Over 2.5 at Betsson: 1.868 now, 2.10 when you started; 2.00 at Matchbook.\n"
        "These legs are no longer an arbitrage. Do not bet."
    )


def test_legs_that_lose_a_little_now_are_no_arbitrage_any_more(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.list.stop_looking()
    panel.table.set_current(0)
    move(quoted, "Betsson", "Over 2.5", 2.00)
    panel._place()
    assert "Now a low hold instead of an arbitrage: −" in asked(panel).warning.text()


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
        "Over 2.5 at Betsson: 2.30 now, 2.10 when you started.",
        "The arbitrage has changed: +6.29 % now if every leg stands, +1.82 % when you started.",
        "At current prices the stake is 44.",
    ]
    quoted.clock.now += 20 * MINUTE_MS
    dialog._look_again()
    said = dialog.warning.text()
    assert "Over 2.5 at Betsson: 2.30 now, 2.10 when you started; stale: not seen lately." in said
    assert "These legs are no longer an arbitrage. Do not bet." in said
    move(quoted, "Betsson", "Over 2.5", 2.10)
    move(quoted, "Matchbook", "Under 2.5", 1.98)
    dialog._look_again()
    assert dialog.warning.text() == "Warning: Pinnacle is stale."


def test_of_a_leg_after_the_first_is_told_what_is_left_by_now(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """48 at 2.10 pay 100.80; at 1.90 53 pay 100.70: 101 staked, 0.30 lost at worst."""
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    panel._place()
    second = place_then_ask(panel, records, qtbot, "Under 2.5")
    assert (second.stake.text(), second.warning.isHidden()) == ("51", True)
    assert (
        leg_of(second)
        == "Completes the legs you placed · worst case a gain of 1.82 % with this stake"
    )
    move(quoted, "Matchbook", "Under 2.5", 1.90)
    second._look_again()
    assert (
        leg_of(second)
        == "Completes the legs you placed · worst case a gain of 1.82 % with this stake"
    )
    second.stake.setText("53")
    second.odds.setText("1.90")
    assert (
        leg_of(second)
        == "Completes the legs you placed · worst case a loss of 0.30 % with this stake"
    )
    assert second.warning.text().splitlines() == [
        "Under 2.5 at Matchbook: 1.90 now, 1.98 when you started; 1.94 at Pinnacle.",
        "At current prices the stake is 53.",
    ]


@pytest.mark.parametrize(
    ("above", "below", "kind", "said"),
    [
        ("2.5", "3.5", "middle", "between the lines at least a gain of 99.80 %"),
        ("3", "3", "low-hold", "on a push no gain"),
        ("2.25", "2.25", "low-hold", "on a push a loss of 1.53 %"),
    ],
)
def test_of_the_last_of_two_legs_is_told_what_is_left_where_both_stand(
    panel: OpportunitiesPanel,
    legs: LegPlacer,
    records: Records,
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
    panel.chips.choose_chip(kind)
    row = [row["Selection"] for row in shown(panel)].index(f"Over {above}")
    panel.table.set_current(row)
    panel._place()
    asked(panel).stake.setText("48")
    second = place_then_ask(panel, records, qtbot, f"Under {below}")
    second.stake.setText("50")
    assert leg_of(second).endswith(f" · worst case a loss of 3.06 % with this stake, {said}")


@pytest.mark.parametrize("stake", [1, 30, 60, 88, 500])
@pytest.mark.parametrize("odds", ["1.33", "1.98", "5.5"])
def test_what_the_legs_leave_is_of_the_stake_and_odds_typed(
    panel: OpportunitiesPanel,
    legs: LegPlacer,
    records: Records,
    quoted: Any,
    qtbot: QtBot,
    stake: int,
    odds: str,
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    panel._place()
    second = place_then_ask(panel, records, qtbot, "Under 2.5")
    second.stake.setText(f"{stake}")
    second.odds.setText(odds)
    net = Fraction(odds)
    staked = 48 + stake
    worst = 100 * (min(48 * Fraction("2.1"), stake * net) - staked) / staked
    what = f"{'loss' if worst < 0 else 'gain'} of {abs(float(worst)):.2f} %"
    assert leg_of(second) == f"Completes the legs you placed · worst case a {what} with this stake"
    second.stake.setText("")
    assert leg_of(second) == "Completes the legs you placed"


def test_a_stake_beyond_the_sum_of_all_legs_is_doubted_and_what_completes_them_is_not(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """100 is divided: 48 and 51. With 48 at 2.10, the 51 becomes 53 at 1.90, 101 in all."""
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    panel._place()
    first = asked(panel)
    first.stake.setText("480")
    assert first.fault.text() == ("480 on this leg is above your limit of 100. Check the stake.")
    assert first.record.isEnabled()
    first.stake.setText("48")
    assert first.fault.text() == ""
    second = place_then_ask(panel, records, qtbot, "Under 2.5")
    move(quoted, "Matchbook", "Under 2.5", 1.90)
    second._look_again()
    second.stake.setText("53")
    assert second.fault.text() == ""
    second.stake.setText("54")
    assert second.fault.text().startswith("102 on the legs, including recorded bets, is above")
