"""Legs of multiples in lists: lines below, lines of their own, one cell."""

import pytest

from oddsdesk.ledger.reading import ImportedBets, read_bets
from oddsdesk.pricing.selections import Result

NOW = 1_800_000_000_000


def read(titles: str, *lines: str) -> ImportedBets:
    return read_bets("\n".join((titles, *lines)).encode(), NOW)


def legs(found: ImportedBets) -> list[list[str]]:
    return [[leg.selection for leg in bet.legs] for bet in found.bets]


OWN_LINES = "Date,Sport,Teams,Selection,Odds,Bet Type,Stake,Potential Payout,Status"


def test_legs_in_lines_of_their_own_are_one_bet() -> None:
    found = read(
        OWN_LINES,
        "1/20/2026,Hockey,A vs B,A,-110,parlay,100,364.46,won",
        "1/20/2026,Hockey,C vs D,D,-110,parlay,100,364.46,won",
        "1/21/2026,Hockey,E vs F,F,+100,single,50,100,lost",
        "1/22/2026,Hockey,G vs H,G + H,+264,parlay,10,36.40,lost",
        "1/23/2026,Hockey,I vs J,I or draw,-200,double chance,20,40,lost",
        "1/23/2026,Hockey,K vs L,K or draw,-200,double chance,20,40,lost",
    )
    assert [bet.selection for bet in found.bets] == [
        *("A + D", "F", "G + H", "I or draw", "K or draw")
    ]
    multiple, *others = found.bets
    assert (multiple.kind.value, multiple.stake, multiple.game_id) == ("multiple", 100, "")
    assert multiple.profit == pytest.approx(264.46)
    first, second = multiple.legs
    assert (first.match_name, second.match_name) == ("A vs B", "C vs D")
    assert (first.odds, first.result) == (pytest.approx(1 + 10 / 11), Result.WON)
    assert {bet.kind.value for bet in others} == {"back"}
    assert found.doubts == ["multiples without odds of their legs, recorded as one selection: 1"]


def test_two_multiples_of_one_day_and_stake_are_two_bets() -> None:
    line = "1/20/2026,Hockey,A vs B,{},{},parlay,10,60,lost"
    found = read(
        OWN_LINES,
        *(
            line.format(*leg)
            for leg in (("A", "+100"), ("B", "+200"), ("C", "+400"), ("D", "-500"))
        ),
    )
    assert legs(found) == [["A", "B"], ["C", "D"]]


def test_each_leg_has_its_own_result_if_they_differ() -> None:
    found = read(
        OWN_LINES,
        "1/20/2026,Hockey,A vs B,A,+100,parlay,10,60,won",
        "1/20/2026,Hockey,C vs D,D,+200,parlay,10,60,lost",
    )
    (bet,) = found.bets
    assert [leg.result for leg in bet.legs] == [Result.WON, Result.LOST]
    assert (bet.result, bet.profit) == (Result.LOST, -10)


BELOW = "Date;Selection;Odds;Stake;Result"


@pytest.mark.parametrize("odds", ["6.0", "6.05"])
def test_lines_below_a_bet_whose_odds_multiply_to_it_are_its_legs(odds: str) -> None:
    found = read(BELOW, f"2026-03-14;Double;{odds};10;Won", ";A;2.0;;Won", ";B;3.0;;Won")
    assert legs(found) == [["A", "B"]]
    assert found.bets[0].profit == pytest.approx(10 * (float(odds) - 1))


def test_lines_below_a_bet_with_other_odds_are_problems() -> None:
    found = read(BELOW, "2026-03-14;A;5.0;10;Won", ";B;2.0;;Won", ";C;3.0;;Won")
    assert found.problems == ["line 3: stake: missing", "line 4: stake: missing"]
    assert legs(found) == [[]]


def test_results_of_legs_decide_a_multiple_without_one() -> None:
    found = read(BELOW, "2026-03-14;Double;6.0;10;", ";A;2.0;;Won", ";B;3.0;;Lost")
    assert [bet.result for bet in found.bets] == [Result.LOST]


def test_a_void_leg_drops_out() -> None:
    found = read(BELOW, "2026-03-14;Double;6.0;10;Won", ";A;2.0;;Void", ";B;3.0;;Won")
    assert found.bets[0].profit == pytest.approx(20)


@pytest.mark.parametrize(
    "cell", ["A @ 2.0 + B @ 3.0", "A @2.0 | B @3.0", "A (2.0), B (3.0)", "A @ 2.0 / B @ 3.0"]
)
def test_legs_in_one_cell_have_their_odds(cell: str) -> None:
    found = read(BELOW, f"2026-03-14;{cell};6.0;10;Won")
    assert legs(found) == [["A", "B"]]


def test_a_leg_in_a_cell_may_name_its_game() -> None:
    found = read(BELOW, "2026-03-14;A v C: A @ 2.0 + B @ 3.0;6.0;10;Won")
    assert [(leg.selection, leg.match_name) for leg in found.bets[0].legs] == [
        ("A", "A v C"),
        ("B", ""),
    ]


@pytest.mark.parametrize("cell", ["A @ 2.0 + B @ 5.0", "A + B", "Over 2.5 (0-0), Yes (2)"])
def test_a_cell_that_holds_something_else_has_no_legs(cell: str) -> None:
    found = read(BELOW, f"2026-03-14;{cell};6.0;10;Won")
    assert (legs(found), [bet.kind.value for bet in found.bets]) == ([[]], ["back"])


@pytest.mark.parametrize("word", ["parlay", "Accumulator", "Acca", "Kombiwette", "Double", "SGP"])
def test_a_multiple_is_known_by_many_words(word: str) -> None:
    found = read("Date,Selection,Odds,Bet type,Stake,Result", f"2026-03-14,A + B,6.0,{word},10,Won")
    assert found.doubts == ["multiples without odds of their legs, recorded as one selection: 1"]


def test_lines_that_pay_by_their_own_odds_are_no_legs() -> None:
    found = read(
        OWN_LINES,
        "1/22/2026,Hockey,,G + H,+264,parlay,10,36.40,lost",
        "1/22/2026,Hockey,,I + J,+264,parlay,10,36.40,won",
    )
    assert [(bet.selection, bet.profit) for bet in found.bets] == [
        ("G + H", -10),
        ("I + J", pytest.approx(26.4)),
    ]
