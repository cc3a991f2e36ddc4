"""What each kind of bet pays, and that files and the ledger keep it."""

import io
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from oddsdesk.ledger.bet_kinds import BetKind, BetLeg, result_of_legs
from oddsdesk.ledger.bet_tables import write_csv
from oddsdesk.ledger.bets import BadBetError, PlacedBet, cashed_out, check_bet, settled
from oddsdesk.ledger.ledger import Ledger, merge_ledger
from oddsdesk.ledger.reading import read_bets
from oddsdesk.ledger.same_bets import compare_bets
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.selections import Result
from oddsdesk.pricing.stakes import net_lay_odds
from tests.unit.ledger.test_ledger import BET

NOW = 1_800_000_000_000
PLAIN = msgspec.structs.replace(
    BET, odds=5.0, net_odds=None, stake=10.0, market_type="", selection="Old Tom"
)
LEGS = (BetLeg(selection="A", odds=2.0), BetLeg(selection="B", odds=3.0))


def bet(kind: BetKind, **fields: object) -> PlacedBet:
    """Return a bet of 10 at 5.0."""
    return msgspec.structs.replace(PLAIN, kind=kind, **fields)


EACH_WAY = bet(BetKind.EACH_WAY, place_fraction=0.2, places=3)
REFUND = bet(BetKind.REFUND, refund=4.0, refund_as="money")
MULTIPLE = bet(BetKind.MULTIPLE, odds=6.0, legs=LEGS)
LAY = bet(BetKind.LAY, net_odds=net_lay_odds(5.0, 0.02))
EVERY_KIND = [
    bet(BetKind.BACK),
    LAY,
    bet(BetKind.FREE),
    bet(BetKind.FREE_RETURNED),
    bet(BetKind.BOOST, unboosted_odds=4.0),
    REFUND,
    EACH_WAY,
    MULTIPLE,
]


@pytest.mark.parametrize(
    ("placed", "result", "profit"),
    [
        (LAY, Result.WON, 9.8),
        (LAY, Result.LOST, -40.0),
        (LAY, Result.HALF_LOST, -20.0),
        (bet(BetKind.FREE), Result.WON, 40.0),
        (bet(BetKind.FREE), Result.LOST, 0.0),
        (bet(BetKind.FREE), Result.VOID, 0.0),
        (bet(BetKind.FREE_RETURNED), Result.WON, 50.0),
        (bet(BetKind.FREE_RETURNED), Result.LOST, 0.0),
        (bet(BetKind.BOOST), Result.WON, 40.0),
        (REFUND, Result.WON, 40.0),
        (REFUND, Result.LOST, -6.0),
        (msgspec.structs.replace(REFUND, refund=25.0), Result.LOST, 0.0),
        (msgspec.structs.replace(REFUND, refund_as="free"), Result.LOST, -10.0),
        (EACH_WAY, Result.WON, 20 + 4),
        (EACH_WAY, Result.PLACED, 4 - 5),
        (EACH_WAY, Result.LOST, -10.0),
        (EACH_WAY, Result.VOID, 0.0),
        (MULTIPLE, Result.WON, 50.0),
        (MULTIPLE, Result.LOST, -10.0),
        (MULTIPLE, Result.VOID, 0.0),
    ],
)
def test_each_kind_pays_as_its_terms_say(placed: PlacedBet, result: Result, profit: float) -> None:
    assert settled(placed, result, NOW).profit == pytest.approx(profit)


def test_a_void_leg_drops_out_and_a_half_result_halves_its_odds() -> None:
    def paid(*results: Result) -> float | None:
        legs = tuple(
            msgspec.structs.replace(leg, result=result)
            for leg, result in zip(LEGS, results, strict=True)
        )
        result = result_of_legs(legs)
        return settled(msgspec.structs.replace(MULTIPLE, legs=legs), result, NOW).profit

    assert paid(Result.WON, Result.VOID) == pytest.approx(10 * (2 - 1))
    assert paid(Result.HALF_WON, Result.WON) == pytest.approx(10 * (1.5 * 3 - 1))
    assert paid(Result.HALF_LOST, Result.WON) == pytest.approx(10 * (0.5 * 3 - 1))
    assert paid(Result.HALF_LOST, Result.VOID) == pytest.approx(-5)
    assert paid(Result.VOID, Result.VOID) == 0
    assert paid(Result.WON, Result.LOST) == -10


def test_rounded_odds_of_a_multiple_do_not_change_what_its_legs_pay() -> None:
    legs = (
        BetLeg(selection="A", odds=1.83, result=Result.WON),
        BetLeg(selection="B", odds=1.51, result=Result.VOID),
    )

    def paid(odds: float) -> float | None:
        return settled(bet(BetKind.MULTIPLE, odds=odds, legs=legs), Result.WON, NOW).profit

    assert paid(2.76) == pytest.approx(8.3)
    assert paid(3.0) == pytest.approx(10 * (3.0 / 1.51 - 1))


def test_a_free_bet_with_its_stake_returned_pays_what_its_legs_pay() -> None:
    legs = (
        BetLeg(selection="A", odds=2.0, result=Result.HALF_LOST),
        BetLeg(selection="B", odds=3.0, result=Result.VOID),
    )
    free = bet(BetKind.FREE_RETURNED, odds=6.0, legs=legs)
    assert settled(free, Result.WON, NOW).profit == pytest.approx(5)


def test_a_multiple_is_open_until_a_leg_lost_or_all_ended() -> None:
    won, open_leg = msgspec.structs.replace(LEGS[0], result=Result.WON), LEGS[1]
    assert result_of_legs((won, open_leg)) is None
    assert result_of_legs((msgspec.structs.replace(won, result=Result.LOST), open_leg)) is (
        Result.LOST
    )


def test_staked_is_the_money_at_risk() -> None:
    at_risk = {each.kind: (each.staked, each.open_stake, each.free_staked) for each in EVERY_KIND}
    assert at_risk.pop(BetKind.LAY) == (40, 40, 0)
    assert at_risk.pop(BetKind.FREE) == at_risk.pop(BetKind.FREE_RETURNED) == (0, 0, 10)
    assert set(at_risk.values()) == {(10, 10, 0)}


def test_a_free_bet_and_a_lay_are_cashed_out_by_their_size() -> None:
    assert cashed_out(bet(BetKind.FREE), 10, 6, NOW).profit == 6
    assert cashed_out(LAY, 40, 43, NOW).profit == 3
    part = settled(cashed_out(LAY, 16, 18, NOW), Result.WON, NOW)
    assert part.profit == pytest.approx(2 + 6 * 0.98)


@pytest.mark.parametrize("placed", EVERY_KIND, ids=lambda each: each.kind.value)
def test_the_ledger_and_files_keep_every_kind(tmp_path: Path, placed: PlacedBet) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    recorded = ledger.record_bet(placed)
    assert ledger.read_bets() == [recorded]
    written = io.BytesIO()
    write_csv([recorded], written)
    assert read_bets(written.getvalue(), NOW).bets == [placed]


@pytest.mark.parametrize("placed", EVERY_KIND, ids=lambda each: each.kind.value)
def test_changes_of_every_kind_are_undone_and_redone(tmp_path: Path, placed: PlacedBet) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    recorded = ledger.record_bet(placed)
    ended = settled(recorded, Result.LOST, NOW)
    ledger.change_bet([ended], "settled")
    change = ledger.last_change()
    assert change is not None
    ledger.undo_change()
    assert ledger.read_bets() == [recorded]
    assert ledger.redo(change)
    assert ledger.read_bets() == [ended]


def test_merging_adds_what_is_lacking_of_every_kind_once(tmp_path: Path) -> None:
    backup, path = tmp_path / "backup.db", tmp_path / "ledger.db"
    with closing(Ledger(backup)) as other:
        other.place_all(EVERY_KIND, "placed")
    with closing(Ledger(path)) as ledger:
        ledger.record_bet(EVERY_KIND[0])
    assert merge_ledger(backup, path)[0] == len(EVERY_KIND) - 1
    assert merge_ledger(backup, path)[0] == 0


def test_a_lay_in_a_list_is_another_bet_than_the_back_at_its_price() -> None:
    back = bet(BetKind.BACK)
    lay = msgspec.structs.replace(back, kind=BetKind.LAY, result=Result.WON)
    found = compare_bets([lay], [back], NOW)
    assert (found.fresh, found.settled, found.there) == ([lay], [], 0)
    other = msgspec.structs.replace(MULTIPLE, legs=(LEGS[0], BetLeg(selection="C", odds=3.0)))
    assert compare_bets([other], [MULTIPLE], NOW).fresh == [other]
    assert compare_bets([MULTIPLE, lay], [lay, MULTIPLE], NOW).there == 2


def test_a_lay_backs_another_outcome_than_it_names() -> None:
    key = PLAIN.bet_key
    assert bet(BetKind.FREE).backs(key)
    assert not bet(BetKind.LAY).backs(key)


def test_the_close_of_a_back_is_not_kept_for_a_lay(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    placed = ledger.record_bet(bet(BetKind.BACK))
    assert placed.ident is not None
    ledger.write_closes({placed.ident: ClosingLine(odds=4.0, fair_odds=4.2)})
    (held,) = ledger.read_bets()
    ledger.edit(held, msgspec.structs.replace(held, kind=BetKind.LAY))
    assert ledger.read_bets()[0].close is None


@pytest.mark.parametrize(
    "impossible",
    [
        bet(BetKind.EACH_WAY),
        bet(BetKind.REFUND),
        bet(BetKind.MULTIPLE, legs=LEGS[:1]),
        bet(BetKind.LAY, legs=LEGS),
        bet(BetKind.BACK, result=Result.PLACED),
        bet(BetKind.BOOST, unboosted_odds=1.0),
    ],
)
def test_impossible_bets_are_refused(impossible: PlacedBet) -> None:
    with pytest.raises(BadBetError):
        check_bet(impossible)
