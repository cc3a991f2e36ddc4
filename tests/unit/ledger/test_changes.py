"""What becomes of bets: results, cash-outs, edits, closing lines, and all that taken back."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.bets import (
    BadBetError,
    BetState,
    PlacedBet,
    cashed_out,
    check_bet,
    settled,
    was_undone,
)
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.open_bets import placed_in, to_follow
from oddsdesk.ledger.reporting import Grouping, split_report, whole_report
from oddsdesk.ledger.schema import LedgerError
from oddsdesk.pricing.closing import CloseBy, ClosingLine
from oddsdesk.pricing.selections import Result
from tests.unit.ledger.test_ledger import BET, VERSION_1

CLOSE = ClosingLine(2.9, 2.95, "shin", 1_795_000_600_000)
REPLACE = msgspec.structs.replace


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with closing(Ledger(tmp_path / "ledger.db")) as ledger:
        yield ledger


def test_a_settled_bet_is_there_after_a_restart_with_every_field(tmp_path: Path) -> None:
    with closing(Ledger(tmp_path / "ledger.db")) as ledger:
        placed = ledger.record_bet(REPLACE(BET, account="second", note="by hand", preset="Mine"))
        ended = settled(placed, Result.VOID, 5)
        ledger.change_bet([ended], "settled")
        assert placed.ident is not None
        assert ledger.write_closes({placed.ident: CLOSE}) == 1
    with closing(Ledger(tmp_path / "ledger.db")) as again:
        assert again.read_bets() == [REPLACE(ended, close=CLOSE)]


BY = "football-data 2-1"


def test_a_bet_whose_automatic_settlement_is_undone_remembers_it(ledger: Ledger) -> None:
    placed, other = ledger.record_bet(BET), ledger.record_bet(BET)
    lost = settled(placed, Result.LOST, 5, BY)
    assert (lost.settled_by, lost.undone) == (BY, "")
    ledger.change_bet([lost, settled(other, Result.WON, 5)], "settled")
    change = ledger.last_change()
    assert change is not None
    assert ledger.undo_change() == ("settled", 2)
    undone, by_hand = ledger.read_bets()
    assert by_hand == other
    assert undone == REPLACE(placed, undone="lost by football-data 2-1")
    assert was_undone(undone, Result.LOST)
    assert not was_undone(undone, Result.WON)
    assert ledger.redo(change)
    assert ledger.read_bets()[0] == lost


def test_a_result_by_hand_replaces_how_a_bet_settled_by_itself() -> None:
    lost = settled(BET, Result.LOST, 5, BY)
    won = settled(lost, Result.WON, 6)
    assert (won.settled_by, won.undone) == ("", "")
    opened = settled(lost, None, 6)
    assert (opened.result, opened.settled_by) == (None, "")
    assert opened.undone == "lost by football-data 2-1"
    assert settled(opened, Result.LOST, 7).undone == ""
    assert settled(settled(BET, Result.WON, 5), None, 6).undone == ""


def test_undoing_an_earlier_change_too_does_not_settle_the_bet_again(ledger: Ledger) -> None:
    placed = ledger.record_bet(BET)
    ledger.edit(placed, REPLACE(placed, note="checked"))
    (edited,) = ledger.read_bets()
    assert len(ledger.settle_open([settled(edited, Result.LOST, 5, BY)])) == 1
    assert [ledger.undo_change(), ledger.undo_change()] == [("settled", 1), ("edited", 1)]
    assert ledger.read_bets() == [REPLACE(placed, undone=f"lost by {BY}")]
    assert ledger.settle_open([settled(placed, Result.LOST, 6, BY)]) == []


def test_an_undone_settlement_is_forgotten_where_the_bet_becomes_another(ledger: Ledger) -> None:
    placed = ledger.record_bet(REPLACE(BET, undone="lost by football-data 2-1"))
    ledger.edit(placed, REPLACE(placed, note="checked"))
    assert ledger.read_bets()[0].undone == placed.undone
    ledger.edit(placed, REPLACE(placed, selection="Draw"))
    assert ledger.read_bets()[0].undone == ""


def test_only_bets_that_are_open_as_they_were_read_settle_by_themselves(
    ledger: Ledger, tmp_path: Path
) -> None:
    placed = [ledger.record_bet(BET) for _ in range(6)]
    ended = [settled(bet, Result.LOST, 5, BY) for bet in placed]
    with closing(Ledger(tmp_path / "ledger.db")) as other:
        other.change_bet([settled(placed[1], Result.WON, 4)], "settled")
        other.edit(placed[2], REPLACE(placed[2], selection="Draw"))
        other.delete_bets(placed[3].ident or 0)
        other.change_bet([REPLACE(placed[4], undone="lost by scores 0-1")], "undone")
        other.write_closes({placed[5].ident or 0: CLOSE})
    meanwhile = ledger.read_bets()
    done = [ended[0], REPLACE(ended[5], close=CLOSE)]
    assert ledger.settle_open(ended) == done
    assert ledger.read_bets() == [done[0], *meanwhile[1:-1], done[1]]
    assert ledger.undo_change() == ("settled", 2)
    assert ledger.settle_open([]) == []


def test_an_edit_changes_what_was_edited_and_is_undone_alone(ledger: Ledger) -> None:
    placed = ledger.record_bet(BET)
    lost = settled(placed, Result.LOST, 5)
    ledger.change_bet([lost], "settled")
    ledger.edit(placed, REPLACE(placed, note="late", stake=7.0))
    assert ledger.read_bets() == [REPLACE(lost, note="late", stake=7.0)]
    assert ledger.undo_change() == ("edited", 1)
    assert ledger.read_bets() == [lost]


def test_the_closing_line_of_an_outcome_is_none_of_another_that_the_bet_was_on(
    ledger: Ledger,
) -> None:
    placed = ledger.record_bet(BET)
    assert placed.ident is not None
    ledger.write_closes({placed.ident: CLOSE})
    ledger.edit(placed, REPLACE(placed, selection="Draw"))
    assert ledger.read_bets() == [REPLACE(placed, selection="Draw")]
    other = REPLACE(CLOSE, fair_odds=3.4)
    ledger.write_closes({placed.ident: other})
    change = ledger.last_change()
    assert change is not None
    ledger.undo_change()
    assert ledger.read_bets() == [REPLACE(placed, close=CLOSE)]
    assert ledger.redo(change)
    assert ledger.read_bets() == [REPLACE(placed, selection="Draw", close=other)]


def test_an_edit_that_makes_no_sense_by_now_is_refused(ledger: Ledger) -> None:
    placed = ledger.record_bet(BET)
    assert placed.ident is not None
    ledger.change_bet([cashed_out(placed, placed.stake, 1.0, 5)], "cashed out")
    before = ledger.read_bets()
    with pytest.raises(LedgerError, match="was changed meanwhile"):
        ledger.edit(placed, REPLACE(placed, stake=placed.stake / 2))
    assert ledger.read_bets() == before
    ledger.delete_bets(placed.ident)
    with pytest.raises(LedgerError, match="was deleted meanwhile"):
        ledger.edit(placed, REPLACE(placed, note="late"))


def test_a_full_disk_is_named_and_the_ledger_goes_on(ledger: Ledger) -> None:
    act = ledger._connection.execute
    ledger.record_bet(BET)
    (pages,) = act("PRAGMA page_count").fetchone()
    act(f"PRAGMA max_page_count = {pages}").fetchall()
    with pytest.raises(LedgerError, match="the disk is full; nothing was recorded"):
        ledger.record_bet(REPLACE(BET, note="x" * 100_000))
    act("PRAGMA max_page_count = 1000000").fetchall()
    ledger.record_bet(BET)
    assert len(ledger.read_bets()) == 2


@pytest.mark.parametrize("change", ["edited", "settled", "deleted"])
def test_what_was_changed_since_is_not_taken_back(ledger: Ledger, change: str) -> None:
    """An Undo that stands next to the value bets may be minutes old."""
    placed = ledger.record_bet(BET)
    assert placed.ident is not None
    if change == "deleted":
        ledger.delete_bets(placed.ident)
    else:
        now = REPLACE(placed, odds=2.5) if change == "edited" else settled(placed, Result.LOST, 5)
        ledger.change_bet([now], change)
    before = ledger.read_bets()
    assert not ledger.take_back_unchanged(placed)
    assert ledger.read_bets() == before


def test_a_bet_whose_closing_line_came_is_taken_back_and_can_be_put_back(ledger: Ledger) -> None:
    placed = ledger.record_bet(BET)
    assert placed.ident is not None
    ledger.write_closes({placed.ident: CLOSE})
    assert ledger.take_back_unchanged(placed)
    assert ledger.read_bets() == []
    assert ledger.undo_change() == ("removed", 1)
    assert ledger.read_bets() == [REPLACE(placed, close=CLOSE)]


def test_changes_are_taken_back_one_by_one(ledger: Ledger) -> None:
    first, second = ledger.place_all([BET, REPLACE(BET, odds=2.5)], "imported")
    ledger.change_bet([REPLACE(first, note="edited")], "edited")
    ledger.change_bet([settled(bet, Result.WON, 5) for bet in ledger.read_bets()], "settled")
    assert first.ident is not None
    ledger.delete_bets(first.ident)
    assert [bet.ident for bet in ledger.read_bets()] == [2]

    undone = []
    states = []
    while (last := ledger.undo_change()) is not None:
        undone.append(last)
        states.append([(bet.ident, bet.result, bet.note) for bet in ledger.read_bets()])
    assert undone == [("deleted", 1), ("settled", 2), ("edited", 1), ("imported", 2)]
    assert states == [
        [(1, Result.WON, "edited"), (2, Result.WON, "")],
        [(1, None, "edited"), (2, None, "")],
        [(1, None, ""), (2, None, "")],
        [],
    ]
    assert second.ident == 2
    ledger.close()


def test_what_was_undone_is_done_again_with_number_and_closing_line(ledger: Ledger) -> None:
    placed = ledger.record_bet(BET)
    assert placed.ident is not None
    ledger.write_closes({placed.ident: CLOSE})
    ledger.change_bet([settled(placed, Result.WON, 5)], "settled")
    before = ledger.read_bets()
    changes = []
    while (change := ledger.last_change()) is not None:
        assert not change.is_earlier
        assert ledger.undo_change(change) == (change.what, 1)
        assert ledger.undo_change(change) is None
        changes.append(change)
    assert ledger.read_bets() == []
    settling, placing = changes
    assert not ledger.redo(settling)  # the bet is not there
    assert ledger.redo(placing)
    assert not ledger.redo(placing)
    assert ledger.redo(settling)
    assert ledger.read_bets() == before
    assert ledger.undo_change() == ("settled", 1)
    assert ledger.undo_change() == ("placed", 1)


def test_a_change_before_the_ledger_was_opened_is_an_earlier_one(tmp_path: Path) -> None:
    with closing(Ledger(tmp_path / "ledger.db")) as ledger:
        ledger.record_bet(BET)
    with closing(Ledger(tmp_path / "ledger.db")) as again:
        again.record_bet(BET)
        found = []
        while (change := again.last_change()) is not None:
            found.append(change.is_earlier)
            again.undo_change()
    assert found == [False, True]


def test_a_closing_line_is_no_change_to_undo_and_stays_through_one(ledger: Ledger) -> None:
    bet = ledger.record_bet(BET)
    assert bet.ident is not None
    ledger.change_bet([settled(bet, Result.WON, 5)], "settled")
    ledger.write_closes({bet.ident: CLOSE})
    ledger.change_bet([REPLACE(bet, note="without a close")], "edited")
    assert ledger.read_bets()[0].close == CLOSE
    ledger.undo_change()
    ledger.undo_change()
    assert ledger.read_bets() == [REPLACE(bet, close=CLOSE)]
    ledger.close()


def test_no_close_gives_way_to_a_close_and_a_close_to_nothing(ledger: Ledger) -> None:
    bet = ledger.record_bet(BET)
    assert bet.ident is not None
    none, other = ClosingLine(why="the line moved"), REPLACE(CLOSE, odds=9.0)
    assert [
        ledger.write_closes({bet.ident: each}) for each in (none, none, CLOSE, none, other)
    ] == [*(1, 0, 1), *(0, 0)]
    assert ledger.read_bets()[0].close == CLOSE
    assert ledger.write_closes({99: CLOSE}) == 0
    ledger.close()


def test_a_bet_that_is_gone_is_not_changed_and_not_noted(ledger: Ledger) -> None:
    bet = ledger.record_bet(BET)
    assert bet.ident is not None
    ledger.delete_bets(bet.ident)
    ledger.change_bet([settled(bet, Result.WON, 5)], "settled")
    assert ledger.read_bets() == []
    assert ledger.undo_change() == ("deleted", 1)
    ledger.close()


def test_a_change_is_made_whole_or_not_at_all(ledger: Ledger) -> None:
    bets = ledger.place_all([BET, BET], "imported")
    with pytest.raises(LedgerError):
        ledger.change_bet([REPLACE(bets[0], note="new"), REPLACE(bets[1], odds=0.5)], "edited")
    assert ledger.read_bets() == bets
    assert ledger.undo_change() == ("imported", 2)
    ledger.close()


def test_a_ledger_of_the_first_version_has_bets_that_can_be_settled(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript(VERSION_1)
    with closing(Ledger(path)) as ledger:
        (old,) = ledger.read_bets()
        assert (old.result, old.close, old.account, old.cashed_stake) == (None, None, "", 0.0)
        ledger.change_bet([settled(old, Result.WON, 5)], "settled")
        assert ledger.read_bets()[0].profit == pytest.approx(13.6 * 2.05)


def test_a_part_of_a_bet_is_cashed_out_and_the_rest_goes_on() -> None:
    bet = REPLACE(BET, stake=10.0, net_odds=3.0, ident=1)
    part = cashed_out(bet, 4.0, 6.0, 5)
    assert (part.result, part.open_stake, part.profit) == (None, 6.0, None)
    won, lost = (settled(part, result, 6) for result in (Result.WON, Result.LOST))
    assert (won.profit, lost.profit) == (pytest.approx(6 * 2 + 2), pytest.approx(-6 + 2))
    whole = cashed_out(part, 6.0, 5.0, 7)
    assert (whole.result, whole.profit) == (Result.CASHED_OUT, pytest.approx(11.0 - 10.0))
    assert (whole.open_stake, whole.settled_at) == (0.0, 7)
    assert settled(part, None, 8) == part
    assert settled(whole, None, 8) == bet, "nobody knows which part was the last"
    with pytest.raises(BadBetError):
        settled(whole, Result.WON, 8)


@pytest.mark.parametrize(("stake", "back"), [(0.0, 1.0), (10.5, 1.0), (5.0, -1.0)])
def test_a_cash_out_is_of_what_is_open(stake: float, back: float) -> None:
    with pytest.raises(BadBetError, match="up to 10"):
        cashed_out(REPLACE(BET, stake=10.0), stake, back, 5)
    with pytest.raises(BadBetError, match="already settled as won"):
        cashed_out(settled(BET, Result.WON, 5), 1.0, 1.0, 6)


@pytest.mark.parametrize(
    "changed",
    [{"odds": 1.0}, {"odds": float("inf")}, {"stake": 0.0}, {"stake": -1.0}, {"net_odds": 0.9}],
)
def test_a_bet_that_cannot_be_is_refused_in_words(changed: dict[str, float]) -> None:
    with pytest.raises(BadBetError, match=r"expected|return less"):
        check_bet(REPLACE(BET, **changed))


def test_a_settled_bet_is_at_risk_no_longer() -> None:
    now = BET.placed_at
    part = cashed_out(BET, 3.6, 3.0, now)
    assert placed_in([BET], now).total == 13.6
    assert placed_in([part], now).total == pytest.approx(10.0)
    assert placed_in([settled(BET, Result.LOST, now)], now).total == 0


def test_a_bet_wants_a_result_some_time_after_its_kick_off() -> None:
    over = (BET.kick_off or 0) + 151 * MINUTE_MS
    assert BET.state(BET.placed_at) is BetState.OPEN
    assert BET.state(over) is BetState.TO_SETTLE
    assert settled(BET, Result.VOID, over).state(over) is BetState.SETTLED


def test_a_bet_without_a_kick_off_is_open_for_a_week() -> None:
    bet: PlacedBet = REPLACE(BET, kick_off=None)
    week = bet.placed_at + 7 * 24 * 60 * MINUTE_MS
    for now, state, total in ((week, BetState.OPEN, 13.6), (week + 1, BetState.TO_SETTLE, 0)):
        assert bet.state(now) is state
        assert placed_in([bet], now).total == total


def test_practice_counts_with_simulated_odds_alone() -> None:
    practice: PlacedBet = REPLACE(BET, practice=True, stake=5.0, ident=2)
    bets, now = [REPLACE(BET, ident=1), practice], BET.placed_at
    assert placed_in(bets, now).total == 13.6
    assert placed_in(bets, now, simulated=True).total == 5.0
    assert placed_in(bets, now, simulated=None).total == 13.6
    assert [each.ident for each in to_follow(bets, CloseBy())] == [1]
    ended = [settled(bet, Result.LOST, now) for bet in bets]
    found = whole_report(ended)
    assert (found.bets, found.staked) == (1, 13.6)
    assert {of: each.bets for of, each in split_report(ended, Grouping.SPORT).items()} == {
        "Football": 1
    }


def test_what_was_expected_and_the_closing_line_value_are_of_net_odds() -> None:
    bet: PlacedBet = REPLACE(BET, close=CLOSE, per="staked")
    assert bet.ev == pytest.approx((2.9475 / 2.8507 - 1) * 100)
    assert bet.expected == pytest.approx(13.6 * (2.9475 / 2.8507 - 1))
    assert bet.floored_expected == pytest.approx(13.6 * 0.0593)
    assert bet.clv_pct == pytest.approx((2.9475 / 2.95 - 1) * 100)
    assert BET.clv_pct is None
    assert REPLACE(BET, close=ClosingLine(why="none")).clv_pct is None


def test_an_ev_of_a_decided_unit_promises_nothing_of_what_came_back() -> None:
    line = {"market_type": "spread", "selection": "Sevilla -0.25"}
    bet: PlacedBet = REPLACE(BET, per="decided", **line)
    assert bet.expected is None
    promised = {
        result: settled(bet, result, bet.placed_at).as_settled()
        for result in (Result.WON, Result.LOST, Result.HALF_LOST, Result.VOID)
    }
    assert {result: round(each.expected, 6) for result, each in promised.items() if each} == {
        Result.WON: 0.461809,
        Result.LOST: 0.461809,
        Result.HALF_LOST: 0.230905,
        Result.VOID: 0.0,
    }
    with pytest.raises(BadBetError, match="per 'stake': expected staked or decided"):
        check_bet(REPLACE(BET, per="stake"))


@pytest.mark.parametrize(
    ("market_type", "selection", "per"),
    [
        ("moneyline", "Leeds", "staked"),
        ("total", "Over 2.5", "staked"),
        ("total", "Over 2.25", "decided"),
        ("spread", "Leeds -1", "decided"),
        ("draw_no_bet", "Leeds", "decided"),
    ],
)
def test_a_close_of_an_older_ledger_is_per_decided_unit_where_its_line_can_push(
    tmp_path: Path, market_type: str, selection: str, per: str
) -> None:
    """It has no share that is decided, no reference and no line; what it lacks may come later."""
    path = tmp_path / "ledger.db"
    bet = REPLACE(BET, market_type=market_type, selection=selection, match_name="Leeds - Wolves")
    with closing(Ledger(path)) as held:
        held.record_bet(bet)
    old = '{"odds":1.9,"fair_odds":2.0,"method":"shin","at":null,"why":"","moved_to":""}'
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE placed_bet SET close = ?", (old,))
        connection.commit()
    with closing(Ledger(path)) as held:
        (found,) = held.read_bets()
        assert (found.clv_per, found.close and found.close.reference) == (per, "")
        assert found.clv_pct == pytest.approx((found.net / 2.0 - 1) * 100)
    none = '{"odds":null,"fair_odds":null,"method":"","at":null,"why":"no","moved_to":""}'
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE placed_bet SET close = ?", (none,))
        connection.commit()
    with closing(Ledger(path)) as held:
        close = ClosingLine(1.9, 2.0, "shin", reference="Pinnacle", decided=0.75, line=(1.9, 2.1))
        assert held.write_closes({1: close}) == 1, "a record without the newer fields gives way"
        (found,) = held.read_bets()
        assert (found.close, found.clv_per) == (close, "staked")
        assert found.clv_pct == pytest.approx((found.net / 2.0 - 1) * 75)
