"""Reports of placed bets: which of them win and lose together, and what is said of luck."""

import msgspec
import pytest

from oddsdesk.ledger.bet_tables import BET_COLUMNS
from oddsdesk.ledger.bets import PlacedBet, settled
from oddsdesk.ledger.reporting import Grouping, by_one_close, luck_text, split_report, whole_report
from oddsdesk.pricing.closing import CloseBy, ClosingLine
from oddsdesk.pricing.selections import Result
from tests.unit.ledger.test_ledger import BET

REPLACE = msgspec.structs.replace
WON = settled(
    REPLACE(BET, game_id="g", match_name="A - B", market_type="spread", period=0, kick_off=2_000,
            placed_at=1_000, selection="A +0", odds=6.9, net_odds=6.9, stake=10.0),
    Result.WON,
    5_000,
)  # fmt: skip


@pytest.mark.parametrize(
    ("other", "outcomes"),
    [
        ({"bookmaker": "another"}, 1),
        ({"selection": "A 0"}, 1),
        ({"selection": "A -1.5"}, 1),
        ({"period": 1}, 2),
        ({"game_id": "h"}, 2),
    ],
)
def test_bets_on_one_outcome_of_a_game_belong_together(
    other: dict[str, object], outcomes: int
) -> None:
    found = whole_report([WON, REPLACE(WON, **other)])
    assert found.outcomes == outcomes
    assert found.chance == pytest.approx(6.9**-outcomes)


@pytest.mark.parametrize("spelled", ["A - B", "a v B", "A @ B", "B vs. A"])
def test_spellings_of_a_game_at_one_kick_off_are_one_game(spelled: str) -> None:
    """Two legs on it were two steps: a drawdown of -98.00 was told where it was -60.80."""
    named = REPLACE(WON, match_name="A vs B", kick_off=6_000_000, market_type="moneyline")
    lost = settled(
        REPLACE(named, game_id="typed", match_name=spelled, kick_off=6_030_000, selection="B",
                stake=40.0, result=None),
        Result.LOST,
        5_000,
    )  # fmt: skip
    assert whole_report([lost, named]).drawdown.depth == 0
    for other in ({"kick_off": 60_000_000}, {"competition": "another"}):
        assert whole_report([REPLACE(lost, **other), named]).drawdown.depth == -40.0


@pytest.mark.parametrize(
    ("one", "other", "is_one_draw"),
    [
        (("spread", "A +0"), ("spread", "B +0"), True),
        (("spread", "A +0"), ("draw_no_bet", "B"), True),
        (("moneyline", "A"), ("moneyline", "Draw"), True),
        (("spread", "A -0.5"), ("moneyline", "B"), True),
        (("total", "Over 2.5"), ("total", "Under 2.5"), True),
        (("total", "Over 2.5"), ("total", "Under 3.5"), True),
        (("spread", "A +0"), ("spread", "B +1.5"), True),
        (("double_chance", "A or Draw"), ("double_chance", "A or B"), False),
        (("yes_no", "Yes"), ("yes_no", "No"), False),
        (("total", "Over 2.5"), ("moneyline", "A"), False),
        (("btts", "Yes"), ("total", "Under 2.5"), False),
        (("total", "who knows"), ("total", "nobody does"), False),
    ],
)
def test_outcomes_that_one_number_decides_are_one_draw_and_others_are_independent(
    one: tuple[str, str], other: tuple[str, str], is_one_draw: bool
) -> None:
    bet = REPLACE(WON, market_type=one[0], selection=one[1], sport="Football")
    lost = settled(
        REPLACE(bet, market_type=other[0], selection=other[1], odds=2.0, net_odds=2.0, result=None),
        Result.LOST,
        5_000,
    )
    found = whole_report([bet, lost])
    assert found.outcomes == 2
    assert found.bad_chance == pytest.approx(1 if is_one_draw else 1 - 1 / 6.9 / 2)
    assert found.is_exact == is_one_draw


@pytest.mark.parametrize(("kick_off", "outcomes"), [(2_000, 1), (None, 2)])
def test_bets_without_an_id_belong_together_by_game_and_kick_off(
    kick_off: int | None, outcomes: int
) -> None:
    bet = REPLACE(WON, game_id="", kick_off=kick_off)
    assert whole_report([bet, REPLACE(bet, bookmaker="another")]).outcomes == outcomes


@pytest.mark.parametrize(("game", "depth"), [("g", -1.0), ("", -1.0), ("other", -5.0)])
def test_bets_on_one_game_are_one_step_of_the_profit(game: str, depth: float) -> None:
    """4 won and 5 lost on different lines of a game: its legs are decided together."""
    even = REPLACE(BET, game_id=game, odds=2.0, net_odds=2.0, kick_off=2_000)
    lost = settled(REPLACE(even, stake=5), Result.LOST, 3_000)
    other = REPLACE(lost, game_id=game, selection="Under 3.5", market_type="total", result=None)
    won = settled(REPLACE(other, odds=2.0, stake=4), Result.WON, 3_000)
    if game == "other":
        won = REPLACE(won, game_id="g")
    assert whole_report([lost, won]).drawdown.depth == pytest.approx(depth)


def on_games(results: str) -> list[PlacedBet]:
    """Bets on a game each, at 6.9: ``w`` won, ``l`` lost, ``v`` came back."""
    of = {"w": Result.WON, "l": Result.LOST, "v": Result.VOID}
    return [
        settled(REPLACE(WON, game_id=str(number), result=None), of[each], 5_000)
        for number, each in enumerate(results)
    ]


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ("", ""),
        ("v", ""),
        ("w", "one in 7 by chance"),
        ("l", "as expected by chance"),
        ("wwwwww", "hardly ever by chance"),
        ("l" * 20, "one in 23 as bad by chance"),
    ],
)
def test_luck_is_said_as_how_often_it_happens(results: str, said: str) -> None:
    """Twenty at 6.9 all lose with (5.9 / 6.9) ** 20, 4.4 %."""
    assert luck_text(whole_report(on_games(results))) == said


def test_a_bookmaker_that_files_spell_otherwise_is_one_in_the_report() -> None:
    spelt = ("Bet365", "bet365", "Bet365", "Corner Shop", "corner-shop", "bwin")
    bets = [REPLACE(WON, ident=at, bookmaker=name) for at, name in enumerate(spelt)]
    found = split_report(bets, Grouping.BOOKMAKER)
    assert {name: each.bets for name, each in found.items()} == {
        "Bet365": 3,
        "Corner Shop": 2,
        "bwin": 1,
    }
    assert sum(each.profit for each in found.values()) == pytest.approx(6 * 59)


def test_profits_are_written_without_the_dust_of_floats() -> None:
    """25 at 1.56 won 14: as floats 14.000000000000002."""
    bet = settled(REPLACE(BET, stake=25.0, odds=1.56, net_odds=1.56), Result.WON, 3_000)
    assert bet.profit == 14.000000000000002
    profit = next(column for column in BET_COLUMNS if column.key == "profit")
    assert profit.written(bet) == 14.0


def over(line: str, odds: float, game: str = "g", **changed: object) -> PlacedBet:
    """A bet on more goals than a line that won."""
    text = {"market_type": "total", "selection": f"Over {line}", "game_id": game, **changed}
    return REPLACE(WON, odds=odds, net_odds=odds, sport="Football", **text)


def test_four_overs_of_one_game_that_won_are_one_outcome_and_not_four() -> None:
    """At evens: one in two, where four games would be one in 16."""
    found = whole_report([over(f"{goals}.5", 2.0) for goals in range(1, 5)])
    assert (found.outcomes, found.chance, found.is_exact) == (1, pytest.approx(0.5), True)
    apart = whole_report([over("2.5", 2.0, game=str(number)) for number in range(4)])
    assert (apart.outcomes, apart.chance, apart.is_exact) == (4, pytest.approx(1 / 16), True)


def test_nested_overs_win_together_as_often_as_the_longest() -> None:
    found = whole_report([over("1.5", 1.25), over("2.5", 2.0), over("3.5", 4.0)])
    assert (found.outcomes, found.chance) == (1, pytest.approx(0.25))


def test_luck_of_different_markets_of_one_game_is_about_so() -> None:
    winner = REPLACE(over("2.5", 2.0), market_type="moneyline", selection="A")
    bets = [over("2.5", 4.0), winner]
    assert luck_text(whole_report(bets)) == "about one in 8 by chance"
    assert luck_text(whole_report([bets[0], REPLACE(winner, game_id="h")])) == (
        "one in 8 by chance"
    )
    assert luck_text(whole_report([bets[0], REPLACE(winner, game_id="", match_name="")])) == (
        "about one in 8 by chance"
    )


def test_three_games_of_a_series_under_one_id_are_three_outcomes_and_a_drawdown() -> None:
    day = 86_400_000
    series = [
        REPLACE(WON, sport="Baseball", market_type="moneyline", selection="A", result=None,
                odds=2.1, net_odds=2.1, stake=100.0, kick_off=at * day, placed_at=day, ident=at)
        for at in (1, 2, 3)
    ]  # fmt: skip
    results = (Result.WON, Result.LOST, Result.WON)
    bets = [settled(bet, each, 4 * day) for bet, each in zip(series, results, strict=True)]
    found = whole_report(bets)
    assert (found.outcomes, found.drawdown.depth) == (3, -100.0)
    same_game = [REPLACE(bet, kick_off=day) for bet in bets]
    assert whole_report(same_game).outcomes == 1


def closed(close: ClosingLine, **fields: object) -> PlacedBet:
    return settled(REPLACE(WON, result=None, close=close, **fields), Result.WON, 5_000)


OWN = ClosingLine(2.0, 2.1, "shin", reference="Pinnacle", decided=1.0, line=(2.0, 1.9))
OLD = ClosingLine(2.0, 2.2, "power")
"""Recorded before the line was kept: no other method can devig it."""


def test_a_report_has_closes_of_one_reference_by_one_method() -> None:
    bets = [
        closed(OWN),
        closed(OWN, reference="Soft"),
        closed(REPLACE(OWN, reference="Soft", fair_odds=9.0)),
        closed(OLD, reference="Pinnacle"),
        closed(OLD),
        closed(OLD, reference="Consensus"),
        closed(ClosingLine(why="the line moved")),
    ]
    found = by_one_close(bets, CloseBy("", "multiplicative"), is_method_fixed=True)
    fair = 2.0 * (1 / 2.0 + 1 / 1.9)
    kept = [bet.close.fair_odds if bet.close else 0 for bet in found.bets]
    assert kept == [pytest.approx(fair), pytest.approx(fair), None, None, None, None, None]
    assert (found.by, found.left_out) == (CloseBy("Pinnacle", "multiplicative"), 4)
    assert found.close_text == (
        "CLV vs the Pinnacle close, multiplicative;"
        " 4 closes of another sharp book or method left out"
    )
    report = whole_report(found.bets)
    assert (report.clv_bets, report.clv_pct) == (2, pytest.approx((6.9 / fair - 1) * 100))

    old = by_one_close(bets, CloseBy("", "power"), is_method_fixed=True)
    there = [bet.clv_pct is not None for bet in old.bets]
    assert there == [True, True, False, True, True, False, False]
    assert old.left_out == 2
    assert by_one_close(bets, CloseBy("soft", "shin")).left_out == 5
    assert by_one_close(bets, CloseBy("Nobody", "shin")).left_out == 6


def test_older_closes_are_measured_by_their_own_method_where_no_other_is_asked_for() -> None:
    """Else a new setting would leave a ledger of years without a closing line value."""
    found = by_one_close([closed(OLD), closed(OLD), closed(OWN)], CloseBy())
    assert (found.by.method, found.left_out) == ("power", 0)
    assert whole_report(found.bets).clv_bets == 3
    assert by_one_close([closed(OWN)], CloseBy()).by.method == CloseBy().method
    assert by_one_close([], CloseBy()).close_text == ""


def test_a_report_counts_closes_per_decided_unit() -> None:
    """WON is on a handicap of zero: an older close does not tell how often it pushes."""
    report = whole_report([closed(OLD), closed(OWN)])
    assert (report.clv_bets, report.clv_decided) == (2, 1)


def both_sides(
    one: tuple[str, str], other: tuple[str, str], game: int, **changed: object
) -> list[PlacedBet]:
    """Two bets of 100 at 2.10 on a game: one won, and one lost."""
    bet = REPLACE(WON, odds=2.1, net_odds=2.1, stake=100.0, sport="Football", result=None,
                  game_id=str(game), kick_off=2_000 + game)  # fmt: skip
    bet = REPLACE(bet, **changed)
    pair = [REPLACE(bet, market_type=kind, selection=said) for kind, said in (one, other)]
    ended = (Result.WON, Result.LOST) if game % 2 else (Result.LOST, Result.WON)
    return [settled(each, result, 5_000) for each, result in zip(pair, ended, strict=True)]


@pytest.mark.parametrize(
    ("one", "other", "changed"),
    [
        (("total", "Over 2.5"), ("total", "Under 2.5"), {}),
        (("total", "Over 3"), ("total", "Under 3"), {}),
        (("total", "Over 2.25"), ("total", "Under 2.25"), {}),
        (("total", "Over 3"), ("total", "Under 2.5"), {}),
        (("spread", "A -0.5"), ("spread", "B +0.5"), {}),
        (("spread", "A -1"), ("spread", "B +1"), {}),
        (("moneyline", "A"), ("double_chance", "X2"), {}),
        (("draw_no_bet", "A"), ("spread", "B +0"), {}),
        (("btts", "Yes"), ("btts", "No"), {}),
        (("moneyline", "A"), ("moneyline", "B"), {"sport": "Tennis"}),
        (("total", "Over 2.5"), ("total", "Under 2.5"), {"placed_at": 900_000}),
    ],
)
def test_both_sides_of_a_line_win_for_sure_what_their_odds_pay(
    one: tuple[str, str], other: tuple[str, str], changed: dict[str, object]
) -> None:
    """Fifteen games of 10 each: z was 0.87 and the chance 0.193, as if both sides could lose."""
    bets = [bet for game in range(15) for bet in both_sides(one, other, game, **changed)]
    found = whole_report(bets)
    assert found.profit == pytest.approx(150)
    assert (found.chance, found.bad_chance, found.z) == (pytest.approx(1), pytest.approx(1), None)
    assert found.is_exact


@pytest.mark.parametrize(
    ("one", "other", "sport"),
    [
        (("moneyline", "A"), ("moneyline", "B"), "Football"),
        (("total", "Over 3.5"), ("total", "Under 2.5"), "Football"),
        (("spread", "A -1.5"), ("spread", "B +0.5"), "Football"),
        (("total", "Over 4"), ("total", "Under 2"), "Football"),
        (("team_total", "A Over 1.5"), ("team_total", "B Under 1.5"), "Football"),
    ],
)
def test_sides_that_leave_a_gap_may_both_lose(
    one: tuple[str, str], other: tuple[str, str], sport: str
) -> None:
    found = whole_report(both_sides(one, other, 1, sport=sport))
    assert found.chance is not None
    assert found.chance < 0.96


def test_home_draw_and_away_at_odds_that_win_for_sure_are_no_luck() -> None:
    """Each at 3.3: whichever wins earns 30 of 300, in play as well."""
    for placed_at in (1_000, 900_000):
        bets = []
        for game in range(15):
            names = {"game_id": str(game), "market_type": "moneyline", "sport": "Football"}
            money = {"odds": 3.3, "net_odds": 3.3, "stake": 100.0}
            bet = REPLACE(WON, result=None, placed_at=placed_at, **names, **money)
            for place, said in enumerate(("A", "Draw", "B")):
                result = Result.WON if place == game % 3 else Result.LOST
                bets.append(settled(REPLACE(bet, selection=said), result, 5_000))
        found = whole_report(bets)
        assert (found.profit, found.chance) == (pytest.approx(450), pytest.approx(1))
        assert found.z is None


def test_a_middle_wins_at_least_one_side_and_both_as_often_as_the_odds_leave() -> None:
    """Over 2.5 and under 3.5 at 1.8: 10 / 9 together, so that 3 goals come one time in nine."""
    bets = [over("2.5", 1.8), REPLACE(over("2.5", 1.8), selection="Under 3.5")]
    found = whole_report(bets)
    assert (found.chance, found.is_exact) == (pytest.approx(1 / 9), True)
    lost = settled(REPLACE(bets[1], result=None), Result.LOST, 5_000)
    assert whole_report([bets[0], lost]).bad_chance == pytest.approx(8 / 9)


def test_no_line_is_over_where_a_lower_one_is_not() -> None:
    """Over 1.5 never wins alone of over 2.5 and under 2.5 that both lost."""
    bets = [over("1.5", 1.25), over("2.5", 2.1), REPLACE(over("2.5", 2.1), selection="Under 2.5")]
    lost = [settled(REPLACE(bet, result=None), Result.LOST, 5_000) for bet in bets[1:]]
    assert whole_report([bets[0], *lost]).bad_chance == 0
