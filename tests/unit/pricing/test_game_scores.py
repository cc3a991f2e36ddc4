"""Which score counts for a bet, in every sport, and that no bet ends by one that may not."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsdesk.contract.results import REGULAR_PERIODS, GameResult, PeriodScore
from oddsdesk.contract.times import parse_ms
from oddsdesk.pricing.game_scores import Decision, result_as_stated, result_of

pytestmark = pytest.mark.unit
NAME = "Leeds - Wolves"
MARCH = parse_ms("2026-03-10T20:00:00Z")
AUTUMN = parse_ms("2026-10-10T14:00:00Z")
MAY = parse_ms("2026-05-24T14:00:00Z")


def game(
    home: int | None,
    away: int | None,
    *periods: tuple[int, int],
    overtime: bool | None = None,
    competition: str = "FA Cup",
    kick_off: int = AUTUMN,
) -> GameResult:
    by_period = tuple(PeriodScore(number, *each) for number, each in enumerate(periods, 1))
    return GameResult(competition, NAME, kick_off, home, away, by_period, overtime=overtime)


def decided(
    sport: str,
    market_type: str,
    selection: str,
    *games: GameResult,
    period: int = 0,
    overtime: bool | None = None,
    ways: int | None = None,
) -> str:
    """Return the result, or why there is none."""
    found = result_of(
        *(market_type, period, NAME, selection, games), sport=sport, overtime=overtime, ways=ways
    )
    assert (found.result is None) == bool(found.why)
    return found.why if found.result is None else found.result.value


def test_football_counts_ninety_minutes() -> None:
    after_extra_time = game(2, 1, (0, 0), (1, 1), (1, 0), overtime=True)
    assert decided("Football", "moneyline", "Draw", after_extra_time) == "won"
    assert decided("Football", "total", "Under 2.5", after_extra_time) == "won"
    assert decided("Football", "total", "Under 0.5", after_extra_time, period=1) == "won"
    assert decided("Football", "moneyline", "Leeds", game(2, 1, overtime=False)) == "won"


def test_football_after_extra_time_without_periods_settles_nothing() -> None:
    """Not even what any score before it would settle: Unders would settle only if they won."""
    scored = game(1, 0, overtime=True)
    why = "it is not known whether the score includes extra time"
    for market_type, selection in (
        ("total", "Under 1.5"),
        ("total", "Over 1.5"),
        ("double_chance", "1X"),
        ("moneyline", "Leeds"),
    ):
        assert decided("Football", market_type, selection, scored) == why


@pytest.mark.parametrize(
    ("competition", "kick_off", "is_known"),
    [
        ("EPL", AUTUMN, True),
        ("EPL", MAY, True),
        ("BUND", AUTUMN, True),
        ("BUND", MAY, False),
        ("UCL", AUTUMN, True),
        ("UCL", MARCH, False),
        ("soccer_norway_eliteserien", MAY, True),
        ("soccer_norway_eliteserien", AUTUMN, False),
        ("soccer_fifa_world_cup", AUTUMN, False),
        ("", AUTUMN, False),
    ],
)
def test_a_league_has_no_extra_time_outside_its_play_offs(
    competition: str, kick_off: int, is_known: bool
) -> None:
    scored = game(2, 1, competition=competition, kick_off=kick_off)
    assert (decided("Football", "moneyline", "Leeds", scored) == "won") is is_known


def test_overtime_counts_by_the_bookmakers_rule() -> None:
    scored = game(98, 95, (20, 20), (20, 20), (20, 20), (30, 30), (8, 5), overtime=True)
    for overtime, team, total in ((True, "won", "won"), (False, "void", "lost")):
        assert decided("Basketball", "moneyline", "Leeds", scored, overtime=overtime) == team
        assert decided("Basketball", "total", "Over 180.5", scored, overtime=overtime) == total
    why = "it is not known whether overtime counts at the bookmaker"
    assert decided("Basketball", "moneyline", "Leeds", scored) == why
    assert decided("Basketball", "total", "Over 170.5", scored) == why


def test_overtime_that_may_be_in_a_score_leaves_open_what_it_would_change() -> None:
    scored = game(98, 95)
    assert decided("Basketball", "moneyline", "Leeds", scored, overtime=True) == "won"
    assert decided("Basketball", "total", "Over 190.5", scored, overtime=True) == "won"
    why = "it is not known whether the score includes overtime"
    assert decided("Basketball", "moneyline", "Leeds", scored, overtime=False) == why
    why = "it is not known whether overtime counts at the bookmaker"
    assert decided("Basketball", "moneyline", "Leeds", scored) == why
    assert decided("Basketball", "total", "Under 200.5", scored) == why
    assert decided("Basketball", "total", "Over 200.5", scored) == why
    none_played = game(98, 95, overtime=False)
    assert decided("Basketball", "moneyline", "Leeds", none_played) == "won"


def test_a_drawn_score_may_have_an_overtime_behind_it() -> None:
    why = "it is not known whether an overtime followed 90-90"
    assert decided("Basketball", "moneyline", "Leeds", game(90, 90), overtime=True) == why
    tied = game(20, 20, overtime=True)
    assert decided("AmericanFootball", "moneyline", "Leeds", tied, overtime=True) == "void"


def test_the_match_result_of_hockey_may_have_a_draw() -> None:
    scored = game(3, 2, (1, 1), (1, 0), (0, 1), (1, 0), overtime=True)
    why = "it is not known whether a draw was a third selection"
    assert decided("Hockey", "moneyline", "Leeds", scored, overtime=True) == why
    why = "it is not known whether overtime counts at the bookmaker"
    assert decided("Hockey", "moneyline", "Leeds", scored) == why
    assert decided("Hockey", "moneyline", "Leeds", scored, overtime=True, ways=2) == "won"
    assert decided("Hockey", "moneyline", "Leeds", scored, overtime=True, ways=3) == "lost"
    assert decided("Hockey", "moneyline", "Wolves", scored, overtime=True) == (
        "it is not known whether a draw was a third selection"
    )
    assert decided("Hockey", "moneyline", "Draw", scored, overtime=True) == "won"
    assert decided("Hockey", "total", "Over 4.5", scored, overtime=True) == "won"
    assert decided("Hockey", "total", "Over 4.5", scored, overtime=False) == "lost"


def test_runs_of_baseball_need_all_innings() -> None:
    innings = [(0, 0)] * 7 + [(2, 1), (0, 1)]
    assert decided("Baseball", "total", "Over 2.5", game(2, 2, *innings), overtime=False) == "won"
    short = game(2, 1, *innings[:8])
    why = "the game ended after 8 innings, which voids bets on runs"
    assert decided("Baseball", "total", "Over 2.5", short, overtime=True) == why
    assert decided("Baseball", "moneyline", "Leeds", short, overtime=True) == "won"
    why = "the game may have ended early, which voids bets on runs"
    assert decided("Baseball", "spread", "Leeds +1.5", game(2, 1), overtime=True) == why


def test_a_period_that_may_be_a_half_or_a_quarter_settles_where_both_agree() -> None:
    scored = game(80, 70, (20, 10), (10, 21), (20, 19), (30, 20), overtime=False)
    assert decided("Basketball", "moneyline", "Leeds", scored, period=1) == (
        "its period may be a half or a quarter"
    )
    assert decided("Basketball", "moneyline", "Leeds", scored, period=4) == "won"
    assert decided("Basketball", "total", "Over 25.5", scored, period=1) == "won"
    thirds = game(3, 2, (2, 0), (1, 1), (0, 1), overtime=False)
    assert decided("Hockey", "total", "Over 1.5", thirds, period=1) == "won"
    assert decided("Hockey", "total", "Over 0.5", game(1, 0), period=1) == (
        "the score of period 1 is not known"
    )


def test_the_last_period_may_include_overtime() -> None:
    scored = game(11, 10, (2, 2), (2, 2), (2, 2), (4, 4), (1, 0), overtime=True)
    why = "it is not known whether the last period includes overtime"
    assert decided("Basketball", "total", "Over 8.5", scored, period=4) == why
    assert decided("Basketball", "total", "Over 7.5", scored, period=4) == why


def test_tennis_counts_sets_and_games() -> None:
    scored = game(2, 1, (6, 4), (6, 7), (6, 3))
    for market_type, selection, result in (
        ("moneyline", "Leeds", "won"),
        ("total", "Over 2.5", "won"),
        ("spread", "Leeds -1.5", "lost"),
        ("total_games", "Over 31.5", "won"),
        ("total_games", "Under 32", "void"),
        ("games_handicap", "Wolves +3.5", "lost"),
        ("games_handicap", "Wolves +4", "void"),
    ):
        assert decided("Tennis", market_type, selection, scored) == result
    assert decided("Tennis", "moneyline", "Wolves", scored, period=2) == "won"
    assert decided("Tennis", "total", "Over 12.5", scored, period=2) == "won"


def test_tennis_that_does_not_add_up_or_counts_something_else_settles_nothing() -> None:
    assert decided("Tennis", "moneyline", "Leeds", game(2, 0, (6, 4), (4, 6))) == (
        "its sets do not add up to 2-0"
    )
    assert decided("Tennis", "moneyline", "Leeds", game(1, 0)) == "its sets do not add up to 1-0"
    assert decided("Tennis", "total_games", "Over 9.5", game(2, 0)) == (
        "the games of the sets are not known"
    )
    assert decided("Tennis", "total", "Over 22.5", game(2, 0)) == (
        "its line is too large to count sets"
    )


def test_a_super_tie_break_counts_as_one_game() -> None:
    scored = game(2, 1, (6, 4), (4, 6), (10, 8))
    why = "it is not known whether its last set, a tie-break, counts as one game"
    assert decided("Tennis", "total_games", "Over 25.5", scored) == why
    assert decided("Tennis", "total_games", "Over 20.5", scored) == "won"


def test_sources_that_agree_in_one_score_settle_by_it() -> None:
    vague, exact = game(2, 1), game(1, 1, overtime=False)
    assert decided("Football", "moneyline", "Draw", vague, exact) == "won"


def test_sources_that_differ_settle_nothing_even_if_both_scores_give_the_same() -> None:
    one, other = game(2, 1, overtime=False), game(3, 1, overtime=False)
    found = result_of("moneyline", 0, NAME, "Leeds", [one, other], sport="Football")
    assert found == Decision(None, "the sources contradict each other", is_conflict=True)


@pytest.mark.parametrize(
    ("sport", "market_type", "selection", "why"),
    [
        ("Football", "moneyline", "Leeds", "no score is known"),
        ("Football", "player_prop", "Messi shots Over 2.5", "no score settles it, only the "),
        ("Football", "yes_no", "Overtime Yes", "no score settles it, only the bookmaker's own"),
        ("Football", "total_games", "Over 2.5", "total games is a market of tennis"),
        ("Football", "", "Somebody", "choose the market of this bet (E)"),
        ("Football", "moneyline", "Somebody", "'Somebody' is not a selection that a score"),
        ("Other", "total", "Over 2.5", "what a score of Other counts is not known"),
    ],
)
def test_what_no_score_settles_says_why(
    sport: str, market_type: str, selection: str, why: str
) -> None:
    assert decided(sport, market_type, selection, game(None, None)).startswith(why)


def test_a_period_without_a_meaning_and_periods_that_do_not_add_up() -> None:
    assert decided("Other", "moneyline", "Leeds", game(2, 1), period=1) == (
        "the periods of Other are not known"
    )
    scored = game(1, 0, (1, 0), (1, 0), overtime=False)
    assert decided("Football", "moneyline", "Leeds", scored) == "its periods do not add up to 1-0"
    assert decided("Football", "total", "Over 2.3", game(2, 1, overtime=False)) == (
        "'Over 2.3' has no result by a score"
    )


@pytest.mark.parametrize(
    ("sport", "scored"),
    [
        ("Football", game(3, 2, (1, 0), (0, 1), overtime=False)),
        ("Football", game(3, 1, (1, 0), (1, 1), (1, 0), overtime=False)),
        ("Hockey", game(3, 2, (1, 1), (1, 0), (0, 1), (1, 0), overtime=False)),
        ("Hockey", game(5, 2, (1, 0), (0, 1), (0, 1), overtime=True)),
        ("Hockey", game(5, 2, overtime=True)),
        ("Basketball", game(110, 105, (25, 25), (25, 25), (25, 25), (25, 25), overtime=False)),
        ("Basketball", game(110, 105, (25, 20), (25, 25), (25, 25), (25, 25))),
        ("Tennis", game(2, 0, (6, 4), (3, 0))),
        ("Tennis", game(2, 0, (6, 5), (6, 4))),
        ("Tennis", game(2, 0, (5, 2), (6, 4))),
        ("Tennis", game(2, 0, (9, 7), (8, 1))),
        ("Tennis", game(2, 0, (60, 4), (6, 4))),
        ("Tennis", game(2, 1, (6, 4), (6, 4), (4, 6))),
        ("Tennis", game(2, 0, (6, 4), (1, 0))),
    ],
)
def test_a_score_that_contradicts_itself_settles_nothing(sport: str, scored: GameResult) -> None:
    for market_type, selection in (
        ("moneyline", "Leeds"),
        ("total", "Under 3.5"),
        ("total", "Over 0.5"),
        ("spread", "Leeds +1.5"),
    ):
        for period in (0, 1):
            for overtime in (True, False):
                found = result_of(
                    *(market_type, period, NAME, selection, [scored]),
                    sport=sport,
                    overtime=overtime,
                )
                assert found.result is None
        assert result_as_stated(market_type, NAME, selection, scored, sport=sport) is None


@pytest.mark.parametrize(
    "sets",
    [
        [(6, 0), (7, 5)],
        [(6, 4), (6, 7), (7, 6)],
        [(6, 4), (4, 6), (9, 7)],
        [(6, 4), (4, 6), (13, 12)],
        [(6, 4), (4, 6), (10, 3)],
        [(6, 4), (4, 6), (13, 11)],
        [(6, 4), (4, 6), (1, 0)],
        [(6, 4), (4, 6), (6, 4), (4, 6), (70, 68)],
    ],
)
def test_complete_tennis_matches_settle(sets: list[tuple[int, int]]) -> None:
    won = sum(home > away for home, away in sets)
    assert decided("Tennis", "moneyline", "Leeds", game(won, len(sets) - won, *sets)) == "won"


def test_a_last_set_of_one_game_may_be_any_tie_break() -> None:
    scored = game(2, 1, (6, 4), (4, 6), (1, 0))
    assert decided("Tennis", "total_games", "Over 20.5", scored) == "won"
    why = "it is not known whether its last set, a tie-break, counts as one game"
    assert decided("Tennis", "total_games", "Under 45.5", scored) == why
    assert decided("Tennis", "total_games", "Over 21.5", scored) == why
    assert decided("Tennis", "total_games", "Under 9.5", scored, period=3) == why


def test_periods_that_may_be_halves_settle_nothing() -> None:
    halves = game(80, 70, (40, 30), (40, 40), overtime=False)
    for sport in ("Basketball", "AmericanFootball"):
        for period in (1, 2):
            assert decided(sport, "total", "Over 9.5", halves, period=period) == (
                "its score may be by halves or by quarters"
            )


@pytest.mark.parametrize(
    ("sport", "market_type", "selection", "scored", "offered"),
    [
        ("Football", "moneyline", "Wolves", game(2, 1), "lost"),
        ("Basketball", "total", "Over 180.5", game(98, 95), "won"),
        ("Tennis", "total_games", "Over 2.5", game(2, 1), None),
        ("Tennis", "total", "Over 2.5", game(2, 1), "won"),
        ("Tennis", "total", "Over 21.5", game(2, 1, (6, 4), (3, 6), (7, 6)), None),
        ("Tennis", "team_total", "Home Over 15.5", game(2, 0), None),
        ("Tennis", "spread", "Leeds -3.5", game(2, 0), None),
        ("AmericanFootball", "total", "Over 40.5", game(20, 20), "lost"),
        ("AmericanFootball", "moneyline", "Leeds", game(20, 20), None),
        ("AmericanFootball", "moneyline", "Leeds", game(20, 20, overtime=True), "void"),
        ("Basketball", "total", "Over 150.5", game(80, 80), None),
        ("Basketball", "moneyline", "Leeds", game(80, 80), None),
        ("Baseball", "total", "Over 8.5", game(3, 1, (1, 0), (2, 1)), None),
    ],
)
def test_the_stated_score_gives_the_result_to_offer(
    sport: str, market_type: str, selection: str, scored: GameResult, offered: str | None
) -> None:
    found = result_as_stated(market_type, NAME, selection, scored, sport=sport)
    assert (None if found is None else found.value) == offered


def truth(market_type: str, selection: str, home: int, away: int, *, two_way: bool) -> str:
    """The result of a bet, worked out without the code under test."""
    if market_type == "moneyline":
        if home == away and selection != "Draw":
            return "void" if two_way else "lost"
        winner = "Leeds" if home > away else "Wolves" if away > home else "Draw"
        return "won" if selection == winner else "lost"
    word, line = selection.split()
    ahead = home + away - float(line) if word in ("Over", "Under") else home - away + float(line)
    ahead = -ahead if word == "Under" else ahead
    if ahead == 0:
        return "void"
    half = abs(ahead) == 0.25
    return ("half_" if half else "") + ("won" if ahead > 0 else "lost")


def added_up(periods: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(home for home, _ in periods), sum(away for _, away in periods)


@st.composite
def played(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]], tuple[int, int] | None]:
    """A sport, its regular periods, and an overtime that followed a draw."""
    sport = draw(st.sampled_from(["AmericanFootball", "Basketball", "Football", "Hockey"]))
    goals = st.integers(0, 3)
    periods = draw(st.lists(st.tuples(goals, goals), min_size=4, max_size=4))
    periods = periods[: REGULAR_PERIODS[sport]]
    home, away = added_up(periods)
    if sport != "Football" and home != away:
        return sport, periods, None
    return sport, periods, draw(st.sampled_from([None, (0, 0), (1, 0), (0, 1), (2, 1)]))


MARKETS = st.sampled_from(
    [("moneyline", each) for each in ("Leeds", "Wolves", "Draw")]
    + [("total", f"{side} {line}") for side in ("Over", "Under") for line in (3, 4.5, 5.25, 6.75)]
    + [("spread", f"Leeds {line}") for line in ("-1.5", "0", "+0.25", "+1", "-0.75")]
)


@settings(max_examples=300)
@given(
    played(),
    MARKETS,
    st.booleans(),
    st.sampled_from([None, True, False]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([2, 3]),
)
def test_no_bet_gets_a_result_that_what_was_played_does_not_give(
    ended: tuple[str, list[tuple[int, int]], tuple[int, int] | None],
    market: tuple[str, str],
    counts: bool,
    rule_known: bool | None,
    has_periods: bool,
    says: bool,
    ways: int,
) -> None:
    """The source leaves out what it likes, but says nothing wrong."""
    sport, periods, extra = ended
    all_periods: Sequence[tuple[int, int]] = [*periods, extra] if extra else periods
    stated = added_up(all_periods)
    regular = added_up(periods)
    scored = game(
        *stated,
        *(all_periods if has_periods else ()),
        overtime=(extra is not None) if says else None,
    )
    is_draw = market[1] == "Draw"
    three_way = sport == "Football" or is_draw or (sport == "Hockey" and ways == 3)
    found = result_of(
        *(market[0], 0, NAME, market[1], [scored]),
        sport=sport,
        overtime=None if rule_known is None else counts,
        ways=ways if rule_known or sport != "Hockey" else None,
    )
    is_regular = sport == "Football" or (market[0] == "moneyline" and three_way)
    counted = regular if is_regular or not counts else stated
    right = truth(*market, *counted, two_way=not three_way)
    if sport in ("AmericanFootball", "Basketball") and ways == 3 and not is_draw:
        return  # a third selection that these sports do not have
    assert found.result is None or found.result.value == right
    is_ended = extra is not None or sport == "Football" or regular[0] != regular[1]
    if has_periods and rule_known and is_ended:
        assert found.result is not None
