"""EV and Kelly of lines that can push, against enumeration that shares no code."""

import math
import random
from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from oddsdesk.contract.competitions import FOOTBALL, SPORTS
from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.contract.results import GameResult, PeriodScore
from oddsdesk.pricing.game_scores import result_of
from oddsdesk.pricing.selections import (
    Result,
    Settlement,
    bet_named,
    clv_pct,
    decided_share,
    line_groups,
    number_hit,
    order_selections,
    outcome_counts,
    profit_of,
    push_probability,
    read_selection,
    settlement,
)

GAME = "Arsenal vs Chelsea"
TEXTS = (
    ["Arsenal", "Draw", "Chelsea", "Yes", "No", "1X", "X2", "12", "Home", "field", "x 2.5 ?"]
    + [f"{team} {line}" for team in ("Arsenal", "Chelsea", "Draw") for line in ("-1.5", "+1.5")]
    + [f"{team} {line}" for team in ("Arsenal", "Chelsea") for line in ("+0", "-0", "0.25")]
    + [f"{side} {line}" for side in ("Over", "Under") for line in ("2.5", "10.5", "2.50")]
    + [f"Home {side} 1.5" for side in ("Over", "Under")]
    + [f"{p} shots {side} 1.5" for p in ("Saka", "Palmer") for side in ("Over", "Under")]
)
markets = st.sampled_from([*MARKET_TYPES, "unheard_of"])
rows = st.lists(st.sampled_from(TEXTS) | st.text(max_size=12), unique=True, max_size=14)


def complete_keys(market_type: str, selections: list[str], sport: str = "Football") -> list[str]:
    return [g.key for g in line_groups(market_type, GAME, selections, sport) if g.complete]


@given(markets, rows)
def test_ordering_is_an_idempotent_permutation(market_type: str, selections: list[str]) -> None:
    ordered = order_selections(market_type, GAME, selections)
    assert sorted(ordered) == sorted(selections)
    assert order_selections(market_type, GAME, ordered) == ordered


@given(markets, rows.flatmap(lambda row: st.tuples(st.just(row), st.permutations(row))))
def test_order_and_groups_do_not_depend_on_the_order_given(
    market_type: str, pair: tuple[list[str], list[str]]
) -> None:
    row, shuffled = pair
    assert order_selections(market_type, GAME, row) == order_selections(market_type, GAME, shuffled)
    assert line_groups(market_type, GAME, row, "Football") == line_groups(
        market_type, GAME, shuffled, "Football"
    )


@given(markets, rows, st.sampled_from(SPORTS))
def test_groups_partition_the_selections_under_unique_keys(
    market_type: str, selections: list[str], sport: str
) -> None:
    groups = line_groups(market_type, GAME, selections, sport)
    members = [text for group in groups for text in group.selections]
    assert members == order_selections(market_type, GAME, selections)
    assert len({group.key for group in groups}) == len(groups)
    for group in groups:
        assert not group.complete or len(set(group.sides)) == len(group.selections) >= 2


@pytest.mark.parametrize(
    ("market_type", "expected"),
    [
        ("moneyline", ["Arsenal", "Draw", "Chelsea"]),
        ("spread", ["Arsenal -1.5", "Chelsea +1.5", "Arsenal -1", "Chelsea +1", "Arsenal +0.25"]),
        ("3way_handicap", ["Arsenal -1", "Draw -1", "Chelsea +1", "Arsenal +1", "Draw +1"]),
        ("total", ["Over 2.5", "Under 2.5", "Over 3", "Under 3", "Over 10.5"]),
        ("team_total", ["Home Over 0.5", "Home Under 0.5", "Home Over 1.5", "Away Over 0.5"]),
        ("player_prop", ["Palmer shots Over 0.5", "Palmer shots Over 1.5", "Saka shots Over 0.5"]),
        ("btts", ["Yes", "No"]),
        ("yes_no", ["Yes", "No", "Own goal Yes", "Own goal No", "Overtime Yes?"]),
        ("double_chance", ["1X", "X2", "12", "what is this"]),
    ],
)
def test_selections_stand_in_the_fields_order(market_type: str, expected: list[str]) -> None:
    assert order_selections(market_type, GAME, sorted(expected)) == expected


def test_each_line_is_a_group_with_its_sides() -> None:
    row = ["Chelsea +1.5", "Arsenal -0.5", "Arsenal -1.5"]
    first, second = line_groups("spread", GAME, row, "Football")
    assert (first.key, first.line, first.complete) == ("-1.5", -1.5, True)
    assert first.selections == ("Arsenal -1.5", "Chelsea +1.5")
    assert first.sides == ("home", "away")
    assert (second.key, second.complete) == ("-0.5", False)


def test_football_needs_its_draw_and_others_may_have_one() -> None:
    two, three = ["Arsenal", "Chelsea"], ["Arsenal", "Draw", "Chelsea"]
    assert complete_keys("moneyline", two, "Football") == []
    assert complete_keys("moneyline", three, "Football") == [""]
    assert complete_keys("moneyline", two, "Hockey") == [""]
    assert complete_keys("moneyline", three, "Hockey") == [""]
    assert complete_keys("moneyline", ["Arsenal", "Draw"], "Hockey") == []


def test_two_teams_beside_an_unknown_outcome_are_not_surely_all() -> None:
    assert complete_keys("moneyline", ["Arsenal", "Chelsea", "Regulation tie"], "Hockey") == []
    assert complete_keys("moneyline", ["Arsenal", "Chelsea", "Draw", "?"], "Hockey") == [""]


def test_the_draw_of_a_handicap_carries_the_home_line() -> None:
    assert complete_keys("3way_handicap", ["Arsenal -1", "Draw -1", "Chelsea +1"]) == ["-1"]
    assert complete_keys("3way_handicap", ["Arsenal -1", "Draw +1", "Chelsea +1"]) == []


def test_double_chance_overlaps_and_is_never_complete() -> None:
    assert complete_keys("double_chance", ["1X", "X2", "12"]) == []


def test_each_question_is_a_group_and_one_that_is_not_told_is_not_complete() -> None:
    """Two bookmakers that say Yes and No may have been asked different questions."""
    both = ["Overtime Yes", "Overtime No", "Own goal Yes", "Own goal No"]
    assert complete_keys("yes_no", both) == ["Overtime", "Own goal"]
    assert complete_keys("yes_no", ["Overtime Yes", "Own goal No"]) == []
    assert complete_keys("yes_no", ["Yes", "No"]) == []
    assert complete_keys("btts", ["Yes", "No"]) == [""]


def test_one_side_written_twice_is_not_complete() -> None:
    assert complete_keys("spread", ["Arsenal +0", "Chelsea -0"]) == ["0"]
    assert complete_keys("spread", ["Arsenal +0", "Arsenal 0", "Chelsea -0"]) == []


def test_unread_text_is_kept_in_a_group_of_its_own() -> None:
    groups = line_groups("total", GAME, ["Odd", "Over 2.5", "Under 2.5"], "Football")
    assert [(g.key, g.selections, g.complete) for g in groups] == [
        ("2.5", ("Over 2.5", "Under 2.5"), True),
        ("Odd ?", ("Odd",), False),
    ]


@pytest.mark.parametrize(
    ("market_type", "sport", "counts"),
    [
        ("moneyline", "Football", (3,)),
        ("moneyline", "Hockey", (2, 3)),
        ("3way_handicap", "Football", (3,)),
        ("total", "Football", (2,)),
        ("double_chance", "Football", ()),
    ],
)
def test_possible_numbers_of_outcomes(
    market_type: str, sport: str, counts: tuple[int, ...]
) -> None:
    assert outcome_counts(market_type, sport) == counts


GAME_OF_OUTCOMES = "FC Schalke 04 vs 1. FC Köln"


def side_and_key(
    market_type: str, text: str, game: str = GAME_OF_OUTCOMES
) -> tuple[str, str] | None:
    outcome = read_selection(market_type, game, text)
    return None if outcome is None else (outcome.side, outcome.key)


@pytest.mark.parametrize(
    ("market_type", "text", "expected"),
    [
        ("moneyline", "FC Schalke 04", ("home", "")),
        ("moneyline", "Draw", ("draw", "")),
        ("moneyline", "Tie", ("draw", "")),
        ("moneyline", "1. FC Köln", ("away", "")),
        ("draw_no_bet", "1. fc köln", ("away", "")),
        ("spread", "FC Schalke 04 -1.5", ("home", "-1.5")),
        ("spread", "1. FC Köln +1.5", ("away", "-1.5")),
        ("spread", "1. FC Köln -0.25", ("away", "+0.25")),
        ("games_handicap", "FC Schalke 04 +3.5", ("home", "+3.5")),
        ("3way_handicap", "FC Schalke 04 -1", ("home", "-1")),
        ("3way_handicap", "Draw -1", ("draw", "-1")),
        ("3way_handicap", "1. FC Köln +1", ("away", "-1")),
        ("total", "Over 2.5", ("over", "2.5")),
        ("total", "Under 2.50", ("under", "2.5")),
        ("total", "Under 1234.125", ("under", "1234.125")),
        ("total_games", "Over 22", ("over", "22")),
        ("total", "over 2.25", ("over", "2.25")),
        ("team_total", "Home Over 1.5", ("over", "Home 1.5")),
        ("team_total", "Away Under 0.5", ("under", "Away 0.5")),
        ("team_total", "FC Schalke 04 Over 1.5", ("over", "Home 1.5")),
        ("team_total", "1. FC Köln Under 1.5", ("under", "Away 1.5")),
        ("player_prop", "Messi shots Over 2.5", ("over", "Messi shots 2.5")),
        ("player_prop", "Shai G.-A. points Under 30.5", ("under", "Shai G.-A. points 30.5")),
        ("btts", "Yes", ("yes", "")),
        ("yes_no", "No", ("no", "")),
        ("yes_no", "Overtime Yes", ("yes", "Overtime")),
        ("yes_no", "Will Köln win to nil? no", ("no", "Will Köln win to nil?")),
        ("double_chance", "1X", ("1X", "")),
        ("double_chance", "12", ("12", "")),
    ],
)
def test_a_selection_of_every_market_type_is_read(
    market_type: str, text: str, expected: tuple[str, str]
) -> None:
    assert side_and_key(market_type, text) == expected


@pytest.mark.parametrize("zero", ["0", "+0", "-0", "0.0", "+0.00"])
def test_every_spelling_of_the_zero_line_is_the_same_line(zero: str) -> None:
    assert side_and_key("spread", f"FC Schalke 04 {zero}") == ("home", "0")
    assert side_and_key("spread", f"1. FC Köln {zero}") == ("away", "0")


@pytest.mark.parametrize(
    ("market_type", "text"),
    [
        ("moneyline", "Bayern"),
        ("moneyline", "FC Schalke"),
        ("draw_no_bet", "Draw"),
        ("spread", "FC Schalke 04"),
        ("spread", "FC Schalke 04 1.5"),
        ("spread", "FC Schalke 04 +1,5"),
        ("spread", "FC Schalke 04 +1٣"),
        ("spread", "Draw +1"),
        ("3way_handicap", "Draw"),
        ("total", "Over"),
        ("total", "Over 2,5"),
        ("total", "Over -2.5"),
        ("total", "Over 1e3"),
        ("total", "Over 02.5"),
        ("total", "Goals Over 2.5"),
        ("total", "Over 2.5 "),
        ("total", "Over 99999.5"),
        ("team_total", "Over 1.5"),
        ("team_total", "Bayern Over 1.5"),
        ("player_prop", "Over 1.5"),
        ("btts", "Both"),
        ("double_chance", "X1"),
        ("correct_score", "1-0"),
    ],
)
def test_text_that_fits_no_form_is_not_guessed(market_type: str, text: str) -> None:
    assert side_and_key(market_type, text) is None


@pytest.mark.parametrize("market_type", MARKET_TYPES)
def test_every_market_type_has_a_reader(market_type: str) -> None:
    texts = ["FC Schalke 04", "FC Schalke 04 -1", "Over 2.5", "Home Over 2.5", "Yes", "1X"]
    assert any(side_and_key(market_type, text) is not None for text in texts)


def test_a_team_named_like_a_line_is_told_from_the_line() -> None:
    game = "Mainz vs Mainz 05"
    assert side_and_key("spread", "Mainz 05 -1", game) == ("away", "+1")
    assert side_and_key("spread", "Mainz 05", game) is None
    assert side_and_key("moneyline", "Mainz 05", game) == ("away", "")


def test_home_comes_second_in_an_american_name() -> None:
    assert side_and_key("moneyline", "Boston Celtics", "Miami Heat @ Boston Celtics") == (
        "home",
        "",
    )


@pytest.mark.parametrize("game", ["Super Bowl winner", "Ajax vs Ajax"])
def test_no_side_is_given_where_teams_cannot_be_told(game: str) -> None:
    assert side_and_key("moneyline", "Ajax", game) is None
    assert side_and_key("total", "Over 2.5", game) == ("over", "2.5")


@pytest.mark.parametrize(
    "word",
    [
        "Draw",
        "Tie",
        "X",
        "Unentschieden",
        "Remis",
        "Empate",
        "Nul",
        "Match nul",
        "Pareggio",
        "Gelijkspel",
        "Draw/Tie",
    ],
)
def test_a_draw_is_read_in_the_common_languages(word: str) -> None:
    for text in (word, word.upper(), word.lower()):
        outcome = read_selection("moneyline", "Storm vs Raiders", text)
        assert outcome is not None
        assert outcome.side == "draw"


def named(sport: str, market_type: str, text: str, *, in_play: bool = False) -> tuple[str, ...]:
    outcome = read_selection(market_type, GAME_OF_OUTCOMES, text)
    assert outcome is not None
    return bet_named(sport, in_play, market_type, outcome.key, outcome.side)


WAYS = [
    *[("moneyline", text) for text in ("FC Schalke 04", "Draw", "1. FC Köln")],
    *[("double_chance", text) for text in ("1X", "X2", "12")],
    *[("draw_no_bet", text) for text in ("FC Schalke 04", "1. FC Köln")],
    *[
        ("spread", f"{team} {quarters / 4:+g}")
        for team in ("FC Schalke 04", "1. FC Köln")
        for quarters in range(-8, 9)
    ],
    *[
        ("3way_handicap", f"{team} {goals:+d}")
        for team in ("FC Schalke 04", "Draw", "1. FC Köln")
        for goals in range(-2, 3)
    ],
]


def returned(market_type: str, text: str, margin: int) -> float:
    """What a unit at odds of 2 pays back of a bet, by how many goals the home team won."""
    words, _, last = text.rpartition(" ")
    match market_type, text:
        case "double_chance", _:
            return 2.0 * {"1X": margin >= 0, "X2": margin <= 0, "12": margin != 0}[text]
        case (("moneyline" | "draw_no_bet"), "FC Schalke 04"):
            own = margin
        case (("moneyline" | "draw_no_bet"), "1. FC Köln"):
            own = -margin
        case "moneyline", "Draw":
            return 2.0 * (margin == 0)
        case "3way_handicap", _ if words == "Draw":
            return 2.0 * (margin + int(last) == 0)
        case "3way_handicap", _:
            return 2.0 * ((margin if words == "FC Schalke 04" else -margin) + int(last) > 0)
        case _:
            parts = [
                (margin if words == "FC Schalke 04" else -margin) + half
                for half in {math.floor(float(last) * 2) / 2, math.ceil(float(last) * 2) / 2}
            ]
            return sum(1.0 + (part > 0) - (part < 0) for part in parts) / len(parts)
    if own == 0:
        return 1.0 if market_type == "draw_no_bet" else 0.0
    return 2.0 * (own > 0)


def test_bets_of_football_have_one_name_just_where_every_score_pays_them_alike() -> None:
    pays = {way: tuple(returned(*way, margin) for margin in range(-6, 7)) for way in WAYS}
    for one, other in combinations(WAYS, 2):
        is_one = named("Football", *one) == named("Football", *other)
        assert is_one == (pays[one] == pays[other]), (one, other)


def test_bets_keep_their_own_name_where_overtime_or_the_score_so_far_may_part_them() -> None:
    level = "FC Schalke 04 -0.5"
    assert named("Hockey", "spread", level) == ("spread", "-0.5", "home")
    assert named("Football", "spread", level, in_play=True) == ("spread", "-0.5", "home")
    assert bet_named("Football", False, "spread", "Both -0.5 ?", "") == (
        "spread",
        "Both -0.5 ?",
        "",
    )


LINES = 12_500


def poisson(mean: float) -> list[float]:
    weights = [math.exp(-mean) * mean**k / math.factorial(k) for k in range(40)]
    return [weight / math.fsum(weights) for weight in weights]


def result(line: float, number: int, odds: float, *, over: bool) -> float:
    """What a unit gains: half on each of a quarter line's neighbours, each half by itself."""
    halves = (line - 0.25, line + 0.25) if (line * 2) % 1 else (line, line)
    gain = 0.0
    for half in halves:
        if number == half:
            continue
        won = (number > half) == over
        gain += (odds - 1) / 2 if won else -1 / 2
    return gain


def best_share(growth: Callable[[float], float]) -> float:
    """Find the highest point of a concave function on [0, 1) by thirds."""
    least, most = 0.0, 1 - 1e-9
    for _ in range(120):
        one, other = least + (most - least) / 3, most - (most - least) / 3
        if growth(one) < growth(other):
            least = one
        else:
            most = other
    return (least + most) / 2


def drawn_lines() -> list[tuple[list[float], float, bool, float]]:
    """Lines of a fixed seed: a distribution, a line of it, a side, net odds near its fair price."""
    source = random.Random(20_260_417)
    return [
        (
            poisson(source.uniform(0.6, 6.0)),
            source.randrange(2, 24) / 4,
            source.random() < 0.5,
            source.uniform(0.9, 1.3),
        )
        for _ in range(LINES)
    ]


def test_ev_and_kelly_equal_enumeration() -> None:
    compared = 0
    for chances, line, over, factor in drawn_lines():
        fair = fair_odds(chances, line, over=over)
        if not 1.02 < fair < 50:
            continue
        odds = max(1.01, 1 + (fair - 1) * factor)
        above = {k + 0.5: math.fsum(chances[k + 1 :]) for k in range(39)} | {-0.5: 1.0}
        hit = number_hit(line)
        push = 0.0 if hit is None else push_probability(above, hit)
        assert push is not None
        made = settlement(1 / fair, push, line, is_above=over)
        results = [(chance, result(line, k, odds, over=over)) for k, chance in enumerate(chances)]
        gain = math.fsum(chance * each for chance, each in results)
        assert made.gain(odds) == pytest.approx(gain, abs=1e-9)
        assert math.fsum(astuple(made)) == pytest.approx(1)
        assert made.gain(odds) == pytest.approx(made.decided * (odds / fair - 1), abs=1e-9)
        if compared % 20 == 0 and gain > 0:

            def growth(share: float, results: list[tuple[float, float]] = results) -> float:
                return math.fsum(chance * math.log1p(share * each) for chance, each in results)

            assert made.kelly(odds) == pytest.approx(best_share(growth), abs=1e-5)
            assert made.growth(0.01, odds) == pytest.approx(growth(0.01), abs=1e-12)
        compared += 1
    assert compared > 10_000


def fair_odds(chances: list[float], line: float, *, over: bool) -> float:
    """The odds at which the bet gains nothing, from what it wins at odds of 2 and what it loses."""
    results = [(chance, result(line, k, 2.0, over=over)) for k, chance in enumerate(chances)]
    won = math.fsum(chance * each for chance, each in results if each > 0)
    lost = -math.fsum(chance * each for chance, each in results if each < 0)
    return 1 + lost / won if won else math.inf


def test_draw_no_bet_pays_per_unit_staked() -> None:
    """4.03 % of a decided unit, with 26 % of draws, is 2.98 % of a unit staked."""
    made = settlement(0.5, 0.26, None, is_above=True)
    assert made.gain(2 * 1.0403) == pytest.approx(0.0298, abs=5e-5)


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (2.5, None),
        (2.0, 2),
        (2.25, 2),
        (2.75, 3),
        (-0.25, 0),
        (0.25, 0),
        (-0.75, -1),
        (-1.25, -1),
        (0.0, 0),
    ],
)
def test_a_quarter_line_is_hit_at_its_whole_neighbour(line: float, number: int | None) -> None:
    assert number_hit(line) == number


def test_a_push_is_not_known_where_a_neighbour_is_missing_or_contradicts() -> None:
    assert push_probability({1.5: 0.7, 2.5: 0.45}, 2) == pytest.approx(0.25)
    assert push_probability({1.5: 0.7}, 2) is None
    assert push_probability({1.5: 0.4, 2.5: 0.45}, 2) is None


def test_without_gain_nothing_is_staked() -> None:
    assert settlement(0.5, 0.1, 2.0, is_above=True).kelly(1.9) == 0.0
    assert Settlement(0.0, 0.0, 0.0, 0.0, 1.0).kelly(3.0) == 0.0


NAME = "Leeds - Wolves"


def ended(market_type: str, selection: str, home: int, away: int, period: int = 0) -> str | None:
    halves = (PeriodScore(1, 1, 0), PeriodScore(2, home - 1, away))
    game = GameResult("EPL", NAME, 0, home, away, halves)
    result = result_of(market_type, period, NAME, selection, [game], sport=FOOTBALL).result
    return None if result is None else result.value


@pytest.mark.parametrize(
    ("market_type", "selection", "score", "result"),
    [
        ("moneyline", "Leeds", (2, 1), "won"),
        ("moneyline", "Leeds", (1, 1), "lost"),
        ("moneyline", "Draw", (1, 1), "won"),
        ("draw_no_bet", "Wolves", (1, 1), "void"),
        ("draw_no_bet", "Wolves", (1, 2), "won"),
        ("double_chance", "1X", (1, 1), "won"),
        ("double_chance", "12", (1, 1), "lost"),
        ("btts", "Yes", (1, 0), "lost"),
        ("btts", "No", (1, 0), "won"),
        ("total", "Over 2.5", (2, 1), "won"),
        ("total", "Over 3", (2, 1), "void"),
        ("total", "Under 3", (2, 2), "lost"),
        ("total", "Over 2.75", (2, 1), "half_won"),
        ("total", "Under 2.75", (2, 1), "half_lost"),
        ("total", "Over 3.25", (2, 1), "half_lost"),
        ("total", "Under 3.25", (2, 1), "half_won"),
        ("spread", "Leeds -0.75", (2, 1), "half_won"),
        ("spread", "Wolves +0.75", (2, 1), "half_lost"),
        ("spread", "Leeds -1", (2, 1), "void"),
        ("spread", "Wolves +1.25", (2, 1), "half_won"),
        ("spread", "Wolves 0", (2, 1), "lost"),
        ("3way_handicap", "Leeds -1", (2, 1), "lost"),
        ("3way_handicap", "Draw -1", (2, 1), "won"),
        ("3way_handicap", "Wolves +1", (2, 1), "lost"),
        ("team_total", "Wolves Over 0.5", (2, 1), "won"),
        ("team_total", "Leeds Under 2", (2, 1), "void"),
    ],
)
def test_a_score_decides(
    market_type: str, selection: str, score: tuple[int, int], result: str
) -> None:
    assert ended(market_type, selection, *score) == result


def test_halves_are_settled_by_their_own_goals() -> None:
    assert ended("moneyline", "Leeds", 1, 2, period=1) == "won"
    assert ended("moneyline", "Wolves", 1, 2, period=2) == "won"
    assert ended("total", "Over 1.5", 1, 2, period=2) == "won"


def test_what_a_score_does_not_tell_has_no_result() -> None:
    assert ended("player_prop", "Messi shots Over 2.5", 2, 1) is None
    assert ended("moneyline", "Somebody else", 2, 1) is None
    assert ended("moneyline", "Leeds", 2, 1, period=3) is None
    without_halves = [GameResult("EPL", NAME, 0, 2, 1)]
    found = result_of("moneyline", 1, NAME, "Leeds", without_halves, sport=FOOTBALL)
    assert found.result is None


@pytest.mark.parametrize(
    ("result", "profit", "decided"),
    [
        (Result.WON, 8.0, 1.0),
        (Result.HALF_WON, 4.0, 0.5),
        (Result.VOID, 0.0, 0.0),
        (Result.HALF_LOST, -5.0, 0.5),
        (Result.LOST, -10.0, 1.0),
    ],
)
def test_a_result_earns(result: Result, profit: float, decided: float) -> None:
    assert profit_of(result, 10.0, 1.8) == pytest.approx(profit)
    assert decided_share(result) == decided


def test_the_closing_line_value_is_net_odds_over_the_fair_close() -> None:
    assert clv_pct(2.1, 2.0) == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("market_type", "selection"),
    [("spread", "Leeds -1.8"), ("total", "Over 1.9"), ("team_total", "Leeds Over 1.6")],
)
def test_a_line_that_no_bet_is_on_settles_nothing(market_type: str, selection: str) -> None:
    assert ended(market_type, selection, 2, 0) is None
