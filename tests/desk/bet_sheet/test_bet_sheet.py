"""The sheet of several legs: what they leave, what is recorded, and what it says of mistakes."""

from collections.abc import Collection, Sequence

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from oddsdesk.desk.bet_sheet import BetSheet, SheetLeg, SheetOutcome, SheetStake, SheetView
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.selections import Result

EXCHANGE = Profile(name="Smarkets", group="Smarkets", commission=0.02)
NOBODY = Profile(name="Bet365", group="Bet365")
WON, LOST = Result.WON, Result.LOST


def bet(kind: BetKind, bookmaker: str, odds: float) -> PlacedBet:
    return PlacedBet(
        "game", "Arsenal - Chelsea", "Premier League", "football", "h2h", 0, "Arsenal",
        bookmaker, odds, 0.0, 1_000, kind=kind,
    )  # fmt: skip


class Matched:
    """A back or free bet and its lay: the lay pays as much as the other bet."""

    def __init__(self, kind: BetKind = BetKind.BACK, *, back: float = 5.0, lay: float = 5.5):
        self.back, self.lay = bet(kind, "Bet365", back), bet(BetKind.LAY, "Smarkets", lay)
        self.is_offered = True
        self.news: tuple[str, ...] = ()
        self.refund = 0.0
        self.asked: list[tuple[float, frozenset[int]]] = []

    def view(self) -> SheetView:
        legs = (
            SheetLeg(self.back, NOBODY.net, self.is_offered, limit=150, refund=self.refund),
            SheetLeg(self.lay, EXCHANGE.net_lay),
        )
        outcomes = (
            SheetOutcome("Arsenal wins", (WON, LOST)),
            SheetOutcome("Arsenal does not win", (LOST, WON)),
        )
        return SheetView("Record", "Arsenal v Chelsea", legs, outcomes, 100.0, self.news)

    def stakes(
        self, bets: Sequence[PlacedBet], total: float, fixed: Collection[int]
    ) -> Sequence[SheetStake]:
        self.asked.append((total, frozenset(fixed)))
        first, second = bets
        stake = first.stake if 0 in fixed else total
        won = stake * (first.odds - 1) + (0 if first.kind.is_free else stake)
        lay = won / (second.odds - EXCHANGE.commission)
        return [SheetStake(stake), SheetStake(second.stake if 1 in fixed else round(lay, 2))]


def sheet(source: Matched, qtbot: QtBot) -> BetSheet:
    made = BetSheet(source)
    qtbot.addWidget(made)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    return made


def test_a_free_bet_and_its_lay_leave_what_is_locked_in(qtbot: QtBot) -> None:
    """100 free at 5.0 win 400; 72.99 laid at 5.5 risk 328.455 and win 71.53 after 2 %."""
    made = sheet(Matched(BetKind.FREE), qtbot)
    free, lay = made.rows
    assert (free.stake.text(), lay.stake.text()) == ("100", "72.99")
    assert lay.box.text() == "Lay Arsenal"
    assert (free.money.text(), lay.money.text()) == ("free bet", "liability 328.45")
    assert made.profits(made.bets()) == pytest.approx([400 - 328.455, 72.99 * 0.98])
    assert made.profit.text() == (
        "Guaranteed +71.53 (+71.53 %), at best +71.55 (+71.55 %) of the free bet"
    )
    assert made.outcomes.text() == "Arsenal wins +71.55 · Arsenal does not win +71.53"


def test_the_ticked_legs_are_recorded_as_they_are_typed(qtbot: QtBot) -> None:
    made = sheet(Matched(), qtbot)
    back, lay = made.rows
    lay.odds.setText("5.4")
    lay.stake.setText("90.5")
    assert made.record.text() == "Record 2 legs"
    back.box.click()
    assert made.record.text() == "Record 1 leg"
    assert "once the unticked legs are placed" in made.profit.text()
    with qtbot.waitSignal(made.recorded) as told:
        qtbot.keyClick(lay.stake, Qt.Key.Key_Return)
    ((recorded,),) = told.args
    assert (recorded.kind, recorded.odds, recorded.stake) == (BetKind.LAY, 5.4, 90.5)
    assert recorded.net_odds == pytest.approx(1 + 0.98 / 4.4)
    assert recorded.liability == pytest.approx(90.5 * 4.4)
    assert not made.record.isEnabled(), "until it is known what became of it"
    made.close_or_report("the disk is full")
    assert "the disk is full" in made.fault.text()
    assert made.record.isEnabled()
    made.close_or_report("")
    assert made.isHidden()


def test_a_price_that_moved_or_went_is_marked_and_taken_on_request_alone(qtbot: QtBot) -> None:
    source = Matched(BetKind.FREE)
    made = sheet(source, qtbot)
    free, lay = made.rows
    source.lay = replace(source.lay, odds=5.8)
    source.is_offered = False
    made.look_again()
    assert (free.now.text(), lay.now.text()) == ("gone", "5.80 ▲")
    assert (lay.odds.text(), lay.stake.text()) == ("5.5", "72.99")
    qtbot.keyClick(made, Qt.Key.Key_F5)
    assert (lay.odds.text(), lay.stake.text(), lay.now.text()) == ("5.8", "69.2", "5.80")
    lay.odds.setText("5.6")
    made.update_stakes.click()
    assert lay.odds.text() == "5.6", "typed odds stay"
    assert lay.stake.text() == f"{round(400 / 5.58, 2):g}"


def test_another_total_divides_again_and_a_typed_stake_is_followed(qtbot: QtBot) -> None:
    source = Matched()
    made = sheet(source, qtbot)
    back, lay = made.rows
    made.total.clear()
    qtbot.keyClicks(made.total, "50")
    assert (back.stake.text(), lay.stake.text()) == ("50", f"{round(250 / 5.48, 2):g}")
    back.stake.clear()
    qtbot.keyClicks(back.stake, "40")
    assert lay.stake.text() == f"{round(250 / 5.48, 2):g}", "on request"
    made.update_stakes.click()
    assert source.asked[-1][1] == {0}
    assert (back.stake.text(), lay.stake.text()) == ("40", f"{round(200 / 5.48, 2):g}")
    staked = 40 + round(200 / 5.48, 2) * 4.5
    assert float(made.total.text()) == pytest.approx(staked)
    made.total.clear()
    qtbot.keyClicks(made.total, "60")
    assert source.asked[-1] == (60.0, frozenset()), "a total is divided among all legs"


def test_a_leg_that_is_recorded_counts_and_stays_as_it_is(qtbot: QtBot) -> None:
    source = Matched()
    view = source.view()
    placed = replace(source.back, stake=20.0, net_odds=5.0)
    source.view = lambda: view._replace(  # type: ignore[method-assign]
        legs=(SheetLeg(placed, lambda _: 5.0, is_recorded=True), view.legs[1])
    )
    made = sheet(source, qtbot)
    back, lay = made.rows
    assert (back.now.text(), back.stake.text(), back.stake.isEnabled()) == ("recorded", "20", False)
    assert lay.stake.text() == f"{round(100 / 5.48, 2):g}"
    assert made.record.text() == "Record 1 leg"


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("stake", "much", "Arsenal, stake: expected an amount above 0, such as 12.50."),
        ("odds", "often", "Arsenal, odds: "),
        ("odds", "1", "Arsenal, odds: "),
    ],
)
def test_what_makes_no_sense_is_said_and_nothing_is_recorded(
    qtbot: QtBot, field: str, text: str, said: str
) -> None:
    made = sheet(Matched(), qtbot)
    getattr(made.rows[0], field).setText(text)
    assert made.fault.text().startswith(said)
    assert not made.record.isEnabled()
    assert made.profit.text() == "Profit: unknown until every leg has odds and a stake."


def test_an_unticked_leg_may_be_empty_and_an_empty_stake_is_no_mistake(qtbot: QtBot) -> None:
    made = sheet(Matched(), qtbot)
    back, lay = made.rows
    lay.stake.clear()
    assert (made.fault.text(), made.record.isEnabled()) == ("", False)
    lay.box.click()
    assert made.record.isEnabled()
    assert made.profit.text().startswith("Profit: unknown")
    with qtbot.waitSignal(made.recorded) as told:
        made.record.click()
    assert [bet.kind for bet in told.args[0]] == [BetKind.BACK]
    assert back.is_chosen


def test_limits_and_caps_are_said_and_may_be_exceeded(qtbot: QtBot) -> None:
    made = BetSheet(
        Matched(),
        doubts=lambda bets: f"{len(bets)} above your cap." if bets[0].stake > 200 else "",
        why_lost=lambda: "not connected",
    )
    qtbot.addWidget(made)
    assert made.news.text() == "Not connected: this price may be out of date."
    made.rows[0].stake.setText("151")
    assert made.fault.text() == "Above your limit at Bet365: 150."
    made.rows[0].stake.setText("201")
    assert made.fault.text().endswith("2 above your cap.")
    assert made.record.isEnabled()


def test_a_refund_counts_with_what_it_is_worth(qtbot: QtBot) -> None:
    """50 at 3.0 with 25 back, laid at 2.8 without commission: 44.64 leave 19.64 either way."""
    source = Matched(BetKind.REFUND, back=3.0, lay=2.8)
    source.refund = 25.0
    made = sheet(source, qtbot)
    for row, stake in zip(made.rows, ("50", "44.64"), strict=True):
        row.stake.setText(stake)
    won, lost = made.profits(made.bets())
    assert won == pytest.approx(100 - 44.64 * 1.8)
    assert lost == pytest.approx(44.64 * 0.98 - 50 + 25)
