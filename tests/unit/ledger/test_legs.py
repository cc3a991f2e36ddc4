"""How lays, each-way bets and multiples settle and close."""

from pathlib import Path

import msgspec
import pytest

from oddsdesk.base.numbers import COMMA, Style, choose_numbers
from oddsdesk.contract.results import GameResult, SelectionResult
from oddsdesk.contract.times import parse_ms
from oddsdesk.ledger.bet_kinds import BetKind, BetLeg
from oddsdesk.ledger.bets import (
    BadBetError,
    HalfResultError,
    PlacedBet,
    cashed_out,
    recorded_text,
    settled,
)
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.legs import closed_by_legs, devigged_close, leg_settled, leg_text, parts_of
from oddsdesk.ledger.open_bets import to_follow, wanted_kick_offs
from oddsdesk.ledger.reporting import by_one_close
from oddsdesk.ledger.result_files import settle_by_file
from oddsdesk.ledger.settling import Settled, settle_by_results
from oddsdesk.pricing.closing import CloseBy, ClosingLine, devigged_by, other_side
from oddsdesk.pricing.devig import devig
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.pricing.selections import Result
from oddsdesk.pricing.settlement_rules import SettlementRules
from oddsdesk.pricing.stakes import net_lay_odds

HOUR = 3_600_000
DAY = 24 * HOUR
KICK_OFF = parse_ms("2026-10-10T14:00:00Z")
NOW = KICK_OFF + 10 * DAY
BACK = PlacedBet(
    *("id", "Arsenal vs Chelsea", "EPL", "Football", "moneyline", 0, "Arsenal"),
    *("Betfair", 3.0, 10.0, KICK_OFF - DAY),
    kick_off=KICK_OFF,
    ident=1,
)
LAY = msgspec.structs.replace(BACK, kind=BetKind.LAY, net_odds=net_lay_odds(3.0, 0.02))


def leg(match_name: str, selection: str, day: int = 0, **fields: object) -> BetLeg:
    """Return a leg at 2.0 on a game of the Premier League."""
    told = BetLeg(
        selection=selection,
        odds=2.0,
        game_id=match_name,
        match_name=match_name,
        competition="EPL",
        sport="Football",
        market_type="moneyline",
        kick_off=KICK_OFF + day * DAY,
    )
    return msgspec.structs.replace(told, **fields)


TREBLE = msgspec.structs.replace(
    BACK,
    kind=BetKind.MULTIPLE,
    game_id="",
    match_name="",
    market_type="",
    selection="Arsenal + Leeds + Over 2.5",
    bookmaker="Bet365",
    odds=8.0,
    kick_off=KICK_OFF + 2 * DAY,
    legs=(
        leg("Arsenal vs Chelsea", "Arsenal"),
        leg("Leeds vs Everton", "Leeds", 1),
        leg("Fulham vs Brighton", "Over 2.25", 2, market_type="total"),
    ),
)


def scored(match_name: str, home: int, away: int, day: int = 0) -> GameResult:
    """Return a final score."""
    start = KICK_OFF + day * DAY
    return GameResult("EPL", match_name, start, home, away, overtime=False, source="scores")


FIRST = scored("Arsenal vs Chelsea", 2, 1)
SECOND = scored("Leeds vs Everton", 1, 0, 1)
THIRD = scored("Fulham vs Brighton", 1, 1, 2)


def settle(bet: PlacedBet, *results: GameResult, now: int = NOW) -> Settled:
    rules = SettlementRules((), shipped_profiles())
    return settle_by_results([bet], results, rules, now)


def test_a_lay_settles_by_the_reversed_result() -> None:
    (lost,) = settle(LAY, FIRST).bets
    assert (lost.result, lost.settled_by, lost.profit) == (Result.LOST, "scores 2-1", -20)
    (won,) = settle(LAY, scored("Arsenal vs Chelsea", 0, 0)).bets
    assert won.result is Result.WON
    assert won.profit == pytest.approx(9.8)
    quarter = msgspec.structs.replace(LAY, market_type="total", selection="Over 2.75")
    (half,) = settle(quarter, FIRST).bets
    assert (half.result, half.profit) == (Result.HALF_LOST, -10)


def test_a_lay_settles_by_the_exchanges_own_report_of_the_selection() -> None:
    own = msgspec.structs.replace(
        FIRST,
        home=None,
        away=None,
        bookmaker="Betfair",
        source="betfair",
        selections=(SelectionResult("moneyline", 0, "Arsenal", "lost"),),
    )
    (won,) = settle(LAY, own).bets
    assert (won.result, won.settled_by) == (Result.WON, "betfair's own result")


def test_a_lay_that_would_now_end_otherwise_is_listed_with_its_own_result() -> None:
    (lost,) = settle(LAY, FIRST).bets
    assert settle(lost, FIRST).corrections == []
    (listed,) = settle(lost, scored("Arsenal vs Chelsea", 1, 1)).corrections
    assert listed.proposed is Result.WON
    assert listed.why == "settled lost by scores 2-1; now scores 1-1"


def test_a_dead_heat_says_what_comes_back_of_each_kind() -> None:
    """Of 10 at 3.0, a half counts as won: the backer gets 15, the layer 20 - 10 + 5."""
    heat = msgspec.structs.replace(
        FIRST,
        home=None,
        away=None,
        bookmaker="Betfair",
        source="betfair",
        selections=(SelectionResult("moneyline", 0, "Arsenal", "won", 0.5),),
    )

    def pays(bet: PlacedBet) -> str:
        (listed,) = settle(bet, heat).to_check
        return listed.why.rpartition("which pays ")[2]

    assert pays(BACK) == "15.00"
    assert pays(LAY) == "15.00"
    assert pays(msgspec.structs.replace(BACK, kind=BetKind.FREE)) == "10.00"
    favourite = msgspec.structs.replace(LAY, odds=1.5, net_odds=net_lay_odds(1.5, 0.02))
    assert pays(favourite) == f"{5 + 2.5 * 0.98:.2f}", "wins 5 and loses 2.5, of a liability of 5"


@pytest.mark.parametrize("kind", [BetKind.FREE, BetKind.FREE_RETURNED, BetKind.BOOST])
def test_free_and_boosted_bets_settle_as_backs(kind: BetKind) -> None:
    bet = msgspec.structs.replace(BACK, kind=kind)
    assert settle(bet, FIRST).bets[0].result is Result.WON


EACH_WAY = msgspec.structs.replace(BACK, kind=BetKind.EACH_WAY, place_fraction=0.2)


def test_an_each_way_bet_is_listed_and_settles_by_hand() -> None:
    words = "results do not give the places: settle it as won, placed or lost"
    for found, proposed in ((settle(EACH_WAY, FIRST), Result.WON), (settle(EACH_WAY), None)):
        assert (found.bets, found.without_result) == ([], [])
        (listed,) = found.to_check
        assert (listed.proposed, listed.why.endswith(words)) == (proposed, True)
    lost = settle(EACH_WAY, scored("Arsenal vs Chelsea", 0, 1)).to_check[0]
    assert lost.proposed is None, "it may be placed"
    assert settle(EACH_WAY, now=KICK_OFF + HOUR).to_check == []
    placed = settled(EACH_WAY, Result.PLACED, NOW)
    assert placed.profit == pytest.approx(5 * 2 * 0.2 - 5)
    by_file = settle_by_file(b"bet,result\n1,placed\n", [EACH_WAY], NOW)
    assert by_file.bets == [placed]


def test_legs_settle_as_their_games_end_and_a_lost_leg_decides_the_bet() -> None:
    found = settle(TREBLE, FIRST)
    assert (found.bets, found.to_check) == ([], [])
    (held,) = found.by_leg
    assert [each.result for each in held.legs] == [Result.WON, None, None]
    assert (held.result, held.legs[0].settled_by) == (None, "scores 2-1")
    assert [each.selection for each in found.without_result] == ["Leeds", "Over 2.25"]

    (lost,) = settle(held, scored("Leeds vs Everton", 0, 3, 1)).bets
    assert (lost.result, lost.profit) == (Result.LOST, -10)
    assert lost.settled_by == "leg 2, Leeds: scores 0-3"
    assert lost.legs[2].result is None


def test_a_bet_whose_legs_all_ended_pays_by_each_of_them() -> None:
    (won,) = settle(TREBLE, FIRST, SECOND, THIRD).bets
    assert [each.result for each in won.legs] == [Result.WON, Result.WON, Result.HALF_LOST]
    assert won.settled_by == "leg 1: scores 2-1; leg 2: scores 1-0; leg 3: scores 1-1"
    assert won.profit == pytest.approx(10 * (2 * 2 * 0.5 - 1))
    by_hand = leg_settled(TREBLE, 2, Result.VOID, NOW)
    (void,) = settle(by_hand, FIRST, scored("Fulham vs Brighton", 3, 1, 2)).bets
    assert void.profit == pytest.approx(10 * (2 * 2 - 1)), "a void leg drops out"
    assert void.settled_by == "leg 1: scores 2-1; leg 3: scores 3-1"


def test_a_free_bet_on_a_multiple_settles_leg_by_leg() -> None:
    free = msgspec.structs.replace(TREBLE, kind=BetKind.FREE)
    over = scored("Fulham vs Brighton", 3, 1, 2)
    assert settle(free, FIRST, SECOND, over).bets[0].profit == pytest.approx(70)
    (lost,) = settle(free, scored("Arsenal vs Chelsea", 0, 1)).bets
    assert (lost.result, lost.profit) == (Result.LOST, 0)


def test_a_leg_in_doubt_is_listed_with_the_leg_and_the_reason() -> None:
    other = msgspec.structs.replace(SECOND, source="other", home=0)
    (listed,) = settle(TREBLE, SECOND, other).to_check
    assert (listed.leg, listed.proposed) == (2, None)
    assert listed.why == "leg 2, Leeds: scores says 1-0 and other says 0-0"
    undated = msgspec.structs.replace(
        TREBLE, legs=(msgspec.structs.replace(TREBLE.legs[0], kick_off=None), *TREBLE.legs[1:])
    )
    (listed,) = settle(undated, FIRST).to_check
    assert listed.check_text == (
        "bet 1, Arsenal + Leeds + Over 2.5: leg 1, Arsenal: Arsenal v Chelsea (scores 2-1) may be"
        " another game: the bet has no kick-off; the leg would then be won"
    )
    accepted = listed.accepted(NOW)
    assert (accepted.legs[0].result, accepted.result) == (Result.WON, None)


def test_a_correction_of_a_leg_is_listed_and_opens_the_bet_again() -> None:
    (lost,) = settle(TREBLE, scored("Arsenal vs Chelsea", 0, 1)).bets
    found = settle(lost, FIRST)
    assert found.bets == []
    (listed,) = found.corrections
    assert (listed.leg, listed.proposed) == (1, Result.WON)
    assert listed.why == "leg 1, Arsenal: settled lost by scores 0-1; now scores 2-1"
    again = listed.accepted(NOW)
    assert (again.result, again.settled_by, again.legs[0].result) == (None, "", Result.WON)


def test_undo_restores_all_legs_and_the_same_result_settles_none_again(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    placed = ledger.record_bet(msgspec.structs.replace(TREBLE, ident=None))
    found = settle(placed, FIRST, scored("Leeds vs Everton", 0, 3, 1))
    assert ledger.settle_open(found.changed) == found.bets
    assert ledger.settle_open(found.changed) == [], "nothing settles twice"
    change = ledger.last_change()
    assert ledger.undo_change() == ("settled", 1)
    (back,) = ledger.read_bets()
    assert [each.result for each in back.legs] == [None] * 3
    assert [each.undone for each in back.legs] == ["won by scores 2-1", "lost by scores 0-3", ""]
    again = settle(back, FIRST, scored("Leeds vs Everton", 0, 3, 1))
    assert (again.bets, again.by_leg) == ([], [])
    assert [each.why for each in again.to_check] == [
        "leg 1, Arsenal: you undid this: won by scores 2-1",
        "leg 2, Leeds: you undid this: lost by scores 0-3",
    ]
    assert ledger.settle_open(found.changed) == [], "a look that began before the undo"
    (other,) = settle(back, scored("Arsenal vs Chelsea", 0, 0)).bets
    assert other.result is Result.LOST, "another result settles it"
    assert change is not None
    assert ledger.redo(change)
    assert ledger.read_bets() == found.bets


def test_a_leg_that_settled_alone_is_undone_alone(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    placed = ledger.record_bet(msgspec.structs.replace(TREBLE, ident=None))
    ledger.settle_open(settle(placed, FIRST).changed)
    (held,) = ledger.read_bets()
    assert held.legs[0].result is Result.WON
    ledger.settle_open(settle(held, SECOND).changed)
    ledger.undo_change()
    (back,) = ledger.read_bets()
    assert [each.result for each in back.legs] == [Result.WON, None, None]
    assert back.legs[1].undone == "won by scores 1-0"


def test_legs_settle_by_hand_and_decide_the_bet() -> None:
    one = leg_settled(TREBLE, 1, Result.WON, NOW)
    two = leg_settled(one, 2, Result.LOST, NOW)
    assert (two.result, two.settled_by, two.settled_at) == (Result.LOST, "", NOW)
    mended = leg_settled(two, 2, Result.WON, NOW)
    assert (mended.result, mended.settled_at) == (None, None)
    assert leg_settled(one, 1, None, NOW).legs[0].result is None
    whole = settled(TREBLE, Result.WON, NOW)
    assert leg_settled(whole, 2, Result.VOID, NOW).profit == pytest.approx(30)


def test_a_leg_that_cannot_end_so_is_refused() -> None:
    with pytest.raises(BadBetError, match="no leg 4: it has legs 1 to 3"):
        leg_settled(TREBLE, 4, Result.WON, NOW)
    with pytest.raises(BadBetError, match="no leg 1: it has no legs"):
        leg_settled(BACK, 1, Result.WON, NOW)
    with pytest.raises(HalfResultError):
        leg_settled(TREBLE, 1, Result.HALF_WON, NOW)
    with pytest.raises(BadBetError, match="a leg cannot be placed"):
        leg_settled(TREBLE, 1, Result.PLACED, NOW)
    with pytest.raises(BadBetError, match="was cashed out"):
        leg_settled(cashed_out(TREBLE, 10, 30, NOW), 1, Result.WON, NOW)
    with pytest.raises(BadBetError, match="by its legs the bet is lost, not won"):
        settled(leg_settled(TREBLE, 1, Result.LOST, NOW), Result.WON, NOW)
    with pytest.raises(HalfResultError):
        settled(TREBLE, Result.HALF_WON, NOW)


def test_a_bet_opened_again_opens_its_legs() -> None:
    (lost,) = settle(TREBLE, scored("Arsenal vs Chelsea", 0, 1)).bets
    opened = settled(lost, None, NOW)
    assert (opened.result, opened.legs[0].result) == (None, None)
    assert opened.legs[0].undone == "lost by scores 0-1"


def test_a_file_settles_legs_by_number() -> None:
    told = b'bet,result\n1.1,won\n"1,2",void\n1.4,won\n1.x,won\n'
    found = settle_by_file(told, [TREBLE], NOW)
    assert (found.bets, found.is_by_hand) == ([], True)
    assert [each.result for each in found.by_leg[0].legs] == [Result.WON, Result.VOID, None]
    assert found.problems == [
        "line 4: no bet 1.4",
        "line 5: bet '1.x': expected the number of a bet, or 12.2 for its second leg",
    ]
    (huge,) = settle_by_file(b"bet,result\n" + b"9" * 5_000 + b",won\n", [TREBLE], NOW).problems
    assert "expected the number of a bet" in huge
    ended = settle_by_file(told + b"1.3,won\n", [TREBLE], NOW)
    assert ended.bets[0].profit == pytest.approx(30)


def test_results_are_wanted_of_every_leg_that_is_open() -> None:
    days = [KICK_OFF + day * DAY for day in range(3)]
    assert wanted_kick_offs([TREBLE], NOW) == dict.fromkeys(days, True)
    (lost,) = settle(TREBLE, scored("Arsenal vs Chelsea", 0, 1)).bets
    assert wanted_kick_offs([lost], NOW) == {KICK_OFF: False}, "for corrections"
    assert wanted_kick_offs([lost], NOW + 31 * DAY) == {}


LINE = (3.0, 3.4, 2.5)
CLOSE = ClosingLine(3.0, 3.0 * sum(1 / each for each in LINE), "multiplicative", KICK_OFF - HOUR)
CLOSE = msgspec.structs.replace(CLOSE, decided=1.0, line=LINE, reference="Pinnacle")


def test_a_lay_closes_by_the_fair_close_of_the_other_side() -> None:
    assert CLOSE.fair_odds is not None
    closed = msgspec.structs.replace(LAY, close=other_side(CLOSE))
    # An independent sum: it loses 20 with the chance of Arsenal, else it wins 9.80.
    chance = 1 / CLOSE.fair_odds
    worth = ((1 - chance) * 9.8 - chance * 20) / 20
    assert closed.clv_pct == pytest.approx(100 * worth)
    assert closed.close is not None
    assert closed.close.fair_odds == pytest.approx(1 / (1 - chance))


def test_the_close_of_a_lay_is_devigged_by_its_own_line() -> None:
    lay = msgspec.structs.replace(LAY, close=other_side(CLOSE))
    other, own = devigged_close(lay, "power"), devigged_by(CLOSE, "power")
    assert other is not None
    assert own is not None
    assert other == other_side(own)
    assert own.fair_odds == pytest.approx(devig("power", LINE).fair_odds[0])
    (measured,) = by_one_close([lay], CloseBy("Pinnacle", "power"), is_method_fixed=True).bets
    assert measured.close == other


def closed_at(fair: float, **fields: object) -> ClosingLine:
    close = ClosingLine(1.9, fair, "multiplicative", KICK_OFF - HOUR, decided=1.0)
    return msgspec.structs.replace(close, **fields)


def with_closes(*closes: ClosingLine | None, bet: PlacedBet = TREBLE) -> PlacedBet:
    """Return a bet with closes of its legs, each seen at its kick-off."""
    legs = []
    for leg, close in zip(bet.legs, closes, strict=True):
        at = None if close is None or close.at is None else leg.kick_off
        close = None if close is None else msgspec.structs.replace(close, at=at)
        legs.append(msgspec.structs.replace(leg, close=close))
    return closed_by_legs(msgspec.structs.replace(bet, legs=tuple(legs)))


def test_a_multiple_closes_by_the_product_of_its_legs_once_all_have_closed() -> None:
    assert with_closes(closed_at(1.8), closed_at(2.0), None).close is None
    whole = with_closes(closed_at(1.8), closed_at(2.0), closed_at(2.1))
    assert whole.close is not None
    assert whole.close.fair_odds == pytest.approx(1.8 * 2.0 * 2.1)
    assert whole.close.odds == pytest.approx(1.9**3)
    assert whole.close.at == KICK_OFF + 2 * DAY
    assert whole.clv_pct == pytest.approx(100 * (8 / (1.8 * 2.0 * 2.1) - 1))
    moved = ClosingLine(why="the line moved")
    without = with_closes(closed_at(1.8), closed_at(2.0), moved).close
    assert without == ClosingLine(why="leg 3, Over 2.25: the line moved")


def test_the_void_leg_of_a_close_counts_at_the_odds_at_which_it_was_placed() -> None:
    whole = with_closes(closed_at(1.8), closed_at(2.0), closed_at(2.1))
    void = leg_settled(whole, 2, Result.VOID, NOW)
    assert void.clv_pct == pytest.approx(100 * (4 / (1.8 * 2.1) - 1))
    last = leg_settled(whole, 3, Result.VOID, NOW)
    assert last.clv_pct == pytest.approx(100 * (4 / (1.8 * 2.0) - 1)), "its day is no clue"
    never_closed = leg_settled(with_closes(closed_at(1.8), None, closed_at(2.1)), 2, Result.VOID, 1)
    assert never_closed.close == void.close


def test_a_push_in_a_leg_is_counted_in_the_close() -> None:
    """Each way it can end, weighed: win .4, push .2, lose .4 of the third leg."""
    push = closed_at(2.0, decided=0.8)
    whole = with_closes(closed_at(1.8), closed_at(2.5), push)
    worth = (1 / 1.8) * (1 / 2.5) * (0.4 * 8 + 0.2 * 4)
    assert whole.clv_pct == pytest.approx(100 * (worth - 1))


def test_legs_of_one_game_make_no_close() -> None:
    two = (TREBLE.legs[0], leg("Arsenal vs Chelsea", "Over 2.5", market_type="total"))
    bet = msgspec.structs.replace(TREBLE, legs=two)
    close = with_closes(closed_at(1.8), closed_at(2.0), bet=bet).close
    assert close == ClosingLine(why="legs of one game have no common close: they are related")


def test_the_closes_of_legs_are_devigged_together() -> None:
    both = msgspec.structs.replace(TREBLE, legs=TREBLE.legs[:2])
    bet = with_closes(CLOSE, CLOSE, bet=both)
    found = devigged_close(bet, "power")
    assert found is not None
    assert found.fair_odds == pytest.approx(devig("power", LINE).fair_odds[0] ** 2)
    assert (found.method, found.reference) == ("power", "Pinnacle")


def test_legs_are_followed_to_their_closes_and_each_way_bets_are_not() -> None:
    lay = msgspec.structs.replace(LAY, ident=2)
    each_way = msgspec.structs.replace(EACH_WAY, ident=3)
    closed = with_closes(closed_at(1.8), None, None)
    void = leg_settled(closed, 3, Result.VOID, NOW)
    followed = to_follow([TREBLE, lay, each_way], CloseBy())
    assert [(each.ident, each.is_lay) for each in followed] == [
        ((1, 1), False),
        ((1, 2), False),
        ((1, 3), False),
        (2, True),
    ]
    assert [each.ident for each in to_follow([closed], CloseBy())] == [(1, 2), (1, 3)]
    assert [each.ident for each in to_follow([void], CloseBy())] == [(1, 2)]


def test_closes_of_legs_are_written_and_outlive_a_change(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    placed = ledger.record_bet(msgspec.structs.replace(TREBLE, ident=None))
    why = ClosingLine(why="the line moved")
    assert ledger.write_closes({(1, 1): closed_at(1.8), (1, 2): why, (1, 9): why, (7, 1): why}) == 2
    (held,) = ledger.read_bets()
    assert held.close == ClosingLine(why="leg 2, Leeds: the line moved")
    assert ledger.write_closes({(1, 1): closed_at(9.9), (1, 2): closed_at(2.0)}) == 1
    assert ledger.write_closes({(1, 3): closed_at(2.1)}) == 1
    ledger.change_bet([leg_settled(placed, 1, Result.WON, NOW)], "settled")
    (held,) = ledger.read_bets()
    assert [each.close is not None for each in held.legs] == [True] * 3
    assert held.close is not None
    assert held.close.fair_odds == pytest.approx(1.8 * 2.0 * 2.1)
    ledger.undo_change()
    (back,) = ledger.read_bets()
    assert back.close == held.close
    assert ledger.close_again({(1, 1): None}) == 1
    assert ledger.read_bets()[0].close is None
    ledger.undo_change()
    assert ledger.read_bets()[0].close == held.close


def test_an_edited_leg_loses_its_close_and_the_others_stay(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.record_bet(msgspec.structs.replace(TREBLE, ident=None))
    ledger.write_closes({(1, each): closed_at(2.0) for each in (1, 2, 3)})
    (held,) = ledger.read_bets()
    other = msgspec.structs.replace(held.legs[1], selection="Everton")
    ledger.edit(held, msgspec.structs.replace(held, legs=(held.legs[0], other, held.legs[2])))
    (edited,) = ledger.read_bets()
    assert [each.close is None for each in edited.legs] == [False, True, False]
    assert edited.close is None


def test_a_leg_as_a_bet_is_of_the_same_bookmaker_and_time() -> None:
    parts = parts_of(TREBLE)
    assert [(part.leg, part.bet.selection) for part in parts] == [
        (1, "Arsenal"),
        (2, "Leeds"),
        (3, "Over 2.25"),
    ]
    told = parts[1].bet
    assert (told.bookmaker, told.placed_at, told.kick_off) == (
        "Bet365",
        TREBLE.placed_at,
        KICK_OFF + DAY,
    )


def test_kept_reasons_name_legs_with_the_chosen_decimal_mark() -> None:
    kept = f"{leg_text(2, 'Over 2.5')}: source"
    assert kept == "leg 2, Over 2.5: source"
    choose_numbers(Style(COMMA))
    assert recorded_text(kept) == "leg 2, Over 2,5: source"
