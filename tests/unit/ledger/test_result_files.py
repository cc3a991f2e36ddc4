"""Bets settled from files of results and scores."""

import msgspec
import pytest

from oddsdesk.base.spreadsheets import SheetError
from oddsdesk.contract.times import parse_ms
from oddsdesk.ledger.bets import HalfResultError, PlacedBet, settled
from oddsdesk.ledger.reading import read_bets
from oddsdesk.ledger.result_files import settle_by_file
from oddsdesk.pricing.selections import Result

NOW = 1_800_000_000_000
KICK_OFF = parse_ms("2024-08-16T19:00:00Z")
BET = PlacedBet(
    *("id", "Man United vs Fulham", "EPL", "Football", "moneyline", 0, "Man United"),
    *("Bet365", 1.6, 10.0, KICK_OFF - 1),
    kick_off=KICK_OFF,
    ident=1,
)
OVER = msgspec.structs.replace(BET, market_type="total", selection="Over 1", ident=2)
HALF = msgspec.structs.replace(BET, period=1, selection="Draw", ident=3)
SCORES = """Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG,FTR,HTHG,HTAG
E0,16/08/2024,20:00,Man United,Fulham,1,0,H,0,0
E0,17/08/2024,12:30,Ipswich,Liverpool,0,2,A,0,0
E0,25/05/2025,16:00,Fulham,Man City,,,,,
"""


def renamed(match_name: str, selection: str = "Draw", **changed: object) -> PlacedBet:
    fields = {"match_name": match_name, "selection": selection, **changed}
    return msgspec.structs.replace(BET, **fields)


def test_scores_of_football_data_settle_bets_of_the_same_teams_and_day() -> None:
    found = settle_by_file(SCORES.encode(), [BET, OVER, HALF], NOW)
    assert [(bet.ident, bet.result, bet.settled_at) for bet in found.bets] == [
        (1, Result.WON, NOW),
        (2, Result.VOID, NOW),
        (3, Result.WON, NOW),
    ]
    assert (found.problems, found.of_no_bet) == ([], 1)


def test_files_of_further_leagues_are_read() -> None:
    text = "Country,League,Season,Date,Time,Home,Away,HG,AG,Res\n" + (
        "Brazil,Serie A,2024,16/08/2024,20:00,Flamengo RJ,Botafogo RJ,0,0,D\n"
    )
    placed = renamed("CR Flamengo vs Botafogo", "CR Flamengo", competition="BRAS")
    (bet,) = settle_by_file(text.encode(), [placed, BET], NOW).bets
    assert bet.result is Result.LOST


def test_teams_of_a_file_are_found_under_the_names_that_the_bet_has() -> None:
    bets = [
        renamed("Manchester United - Fulham FC", "Manchester United", ident=1),
        renamed("fulham @ Manchester Utd", "Fulham", competition="soccer_epl", ident=2),
        renamed(
            "Ipswich Town v Liverpool FC",
            "Ipswich Town",
            competition="",
            ident=3,
            kick_off=parse_ms("2024-08-17T11:30:00Z"),
        ),
    ]
    found = settle_by_file(SCORES.encode(), bets, NOW)
    assert [(bet.ident, bet.result) for bet in found.bets] == [
        (1, Result.WON),
        (2, Result.LOST),
        (3, Result.LOST),
    ]
    assert (found.problems, found.of_no_bet) == ([], 0)


def to_look_at(text: str, *bets: PlacedBet) -> list[str]:
    """Return what is listed of bets of which a file settles none."""
    found = settle_by_file(text.encode(), bets, NOW)
    assert (found.bets, found.problems) == ([], [])
    return list(found.to_look_at)


def test_what_may_be_the_game_of_a_bet_settles_nothing_and_is_listed() -> None:
    bets = [
        renamed("Man United Newton Heath vs Fulham", competition="E0", ident=4),
        renamed("Fulham vs Man United", ident=5),
    ]
    assert to_look_at(SCORES, *bets) == [
        "bet 4, Draw, Man United Newton Heath v Fulham: "
        "Man United v Fulham (file 1-0) may be another game",
        "bet 5, Draw, Fulham v Man United: "
        "Man United v Fulham (file 1-0) has the teams the other way round",
    ]


def test_other_teams_settle_nothing_and_are_not_listed() -> None:
    found = settle_by_file(SCORES.encode(), [renamed("Man City vs Fulham")], NOW)
    assert (found.bets, found.to_look_at, found.of_no_bet) == ([], [], 2)


@pytest.mark.parametrize("competition", ["EFL", "FA WSL", "Friendly"])
def test_the_same_teams_in_another_competition_are_listed(competition: str) -> None:
    (line,) = to_look_at(SCORES, renamed(BET.match_name, "Man United", competition=competition))
    assert line == (
        "bet 1, Man United, Man United v Fulham: "
        f"Man United v Fulham (file 1-0) is in E0, not in {competition}; it would then be won"
    )


@pytest.mark.parametrize(
    ("home", "away"),
    [
        ("Man United Women", "Fulham Women"),
        ("Man United (W)", "Fulham (W)"),
        ("Man United Ladies", "Fulham"),
        ("Man United U-21", "Fulham U-21"),
        ("Man United Under 18", "Fulham Under 18"),
        ("Man United (R)", "Fulham (R)"),
        ("Man United B", "Fulham B"),
        ("Man United II", "Fulham II"),
        ("Man United Reserves", "Fulham Reserves"),
        ("Man United Feminines", "Fulham Feminines"),
    ],
)
def test_another_side_of_the_clubs_is_listed(home: str, away: str) -> None:
    """A bet on women, youth or reserves by a score of the first team, and the other way round."""
    (line,) = to_look_at(SCORES, renamed(f"{home} vs {away}", home))
    assert line.endswith("Man United v Fulham (file 1-0) is of another team of these clubs")
    text = SCORES.replace("Man United,Fulham", f"{home},{away}")
    (line,) = to_look_at(text, BET)
    assert line.endswith(f"{home} v {away} (file 1-0) is of another team of these clubs")


HOUR = 3_600_000


@pytest.mark.parametrize(
    ("hours", "direction"),
    [(-7, ""), (3.9, ""), (4.1, "earlier"), (-12.5, "later"), (-24, "later"), (-30.5, "later")],
)
def test_a_game_settles_within_twelve_hours_of_its_day_and_is_listed_else(
    hours: float, direction: str
) -> None:
    """It began at 19:00 UTC, 20:00 in England: 23:00 UTC is midnight there, the next day."""
    bet = msgspec.structs.replace(BET, kick_off=KICK_OFF + round(hours * HOUR))
    if not direction:
        assert [each.result for each in settle_by_file(SCORES.encode(), [bet], NOW).bets] == [
            Result.WON
        ]
        return
    (line,) = to_look_at(SCORES, bet)
    apart = f"{abs(hours):g} hours {direction} than the bet says"
    waits = "; how long bets at Bet365 wait for it is not known" if direction == "later" else ""
    assert line == (
        "bet 1, Man United, Man United v Fulham: "
        f"Man United v Fulham (file 1-0) is {apart}{waits}; it would then be won"
    )


@pytest.mark.parametrize(
    ("hours", "is_settled"), [(0, True), (-2, True), (2, True), (-2.1, False), (2.1, False)]
)
def test_without_a_competition_the_only_game_within_two_hours_settles(
    hours: float, is_settled: bool
) -> None:
    bet = renamed(BET.match_name, competition="", kick_off=KICK_OFF + round(hours * HOUR))
    found = settle_by_file(SCORES.encode(), [bet], NOW)
    assert (len(found.bets), len(found.to_look_at)) == (is_settled, not is_settled)


def test_a_bet_without_a_kick_off_is_settled_by_no_score() -> None:
    """Its teams and competition agree, and it was placed just before: the kick-off does not."""
    (line,) = to_look_at(SCORES, msgspec.structs.replace(BET, kick_off=None))
    assert line.endswith("may be another game: the bet has no kick-off; it would then be won")


def test_without_a_competition_two_games_within_three_hours_settle_nothing() -> None:
    text = SCORES + "FA WSL,16/08/2024,18:00,Man United,Fulham,0,3,A,0,0\n"
    (line,) = to_look_at(text, renamed(BET.match_name, competition=""))
    assert "is one of two games of these teams around that time" in line
    assert len(settle_by_file(text.encode(), [BET], NOW).bets) == 1


@pytest.mark.parametrize(
    ("hours", "competition", "is_settled"),
    [(0, "EPL", True), (-8, "EPL", True), (-24, "EPL", False), (24, "EPL", False), (0, "", False)],
)
def test_a_file_with_only_a_day_needs_the_day_of_the_kick_off(
    hours: int, competition: str, is_settled: bool
) -> None:
    text = SCORES.replace("Time,", "").replace("20:00,", "").replace("12:30,", "")
    text = text.replace("16:00,", "")
    bet = renamed(BET.match_name, competition=competition, kick_off=KICK_OFF + hours * HOUR)
    found = settle_by_file(text.encode(), [bet], NOW)
    assert (len(found.bets), len(found.to_look_at)) == (is_settled, not is_settled)


@pytest.mark.parametrize(
    ("competition", "hours", "is_settled"),
    [("EPL", 0, True), ("EPL", -2, True), ("EPL", -3, False), ("Regional League", 0, False)],
)
def test_a_file_without_competitions_settles_known_ones_by_the_hour(
    competition: str, hours: int, is_settled: bool
) -> None:
    text = "Date,Time,HomeTeam,AwayTeam,FTHG,FTAG\n16/08/2024,20:00,Man United,Fulham,1,0\n"
    bet = renamed(BET.match_name, competition=competition, kick_off=KICK_OFF + hours * HOUR)
    assert len(settle_by_file(text.encode(), [bet], NOW).bets) == is_settled
    by_day = text.replace("Time,", "").replace("20:00,", "")
    assert settle_by_file(by_day.encode(), [bet], NOW).bets == []


def test_without_a_competition_one_known_by_the_table_alone_settles() -> None:
    bet = renamed(BET.match_name, competition="")
    for competition, is_settled in (("E0", True), ("Regional League", False)):
        text = SCORES.replace("E0,", f"{competition},")
        assert len(settle_by_file(text.encode(), [bet], NOW).bets) == is_settled


def test_quarter_lines_settle_in_halves() -> None:
    """At 1-1: counted by hand, each half of the stake on one of the two lines around."""
    text = SCORES.replace("Man United,Fulham,1,0", "Man United,Fulham,1,1")
    lines = {
        ("total", "Over 2.25"): Result.HALF_LOST,
        ("total", "Over 2.75"): Result.LOST,
        ("total", "Over 1.75"): Result.HALF_WON,
        ("total", "Under 1.75"): Result.HALF_LOST,
        ("total", "Under 2.25"): Result.HALF_WON,
        ("spread", "Man United -0.25"): Result.HALF_LOST,
        ("spread", "Fulham +0.25"): Result.HALF_WON,
    }
    bets = [
        renamed(BET.match_name, selection, market_type=market, ident=number)
        for number, (market, selection) in enumerate(lines)
    ]
    found = settle_by_file(text.encode(), bets, NOW)
    assert [bet.result for bet in found.bets] == [*lines.values()]


def test_a_game_of_another_day_or_sport_settles_nothing() -> None:
    later = msgspec.structs.replace(BET, kick_off=KICK_OFF + 3 * 86_400_000)
    hockey = msgspec.structs.replace(BET, sport="Hockey")
    assert settle_by_file(SCORES.encode(), [later, hockey], NOW).bets == []


def test_a_game_that_was_put_off_settles_nothing_and_is_listed() -> None:
    day = 86_400_000
    waits = msgspec.structs.replace(BET, kick_off=KICK_OFF - 45 * day)
    (line,) = to_look_at(SCORES, waits)
    assert "Man United v Fulham (file 1-0) is 45 days later than the bet says" in line
    for other in (
        msgspec.structs.replace(waits, kick_off=KICK_OFF - 70 * day),
        msgspec.structs.replace(waits, match_name="Fulham vs Man United"),
        msgspec.structs.replace(waits, competition="EFL"),
        settled(waits, Result.VOID, NOW),
    ):
        found = settle_by_file(SCORES.encode(), [other], NOW)
        assert (found.bets, list(found.to_look_at), found.of_no_bet) == ([], [], 2)


def test_what_a_score_does_not_tell_is_named_and_the_rest_goes_on() -> None:
    prop = msgspec.structs.replace(BET, market_type="player_prop", selection="A Over 1.5", ident=7)
    found = settle_by_file(SCORES.encode(), [prop, BET], NOW)
    assert [bet.ident for bet in found.bets] == [1]
    assert found.to_look_at == [
        "bet 7, A Over 1.5, Man United v Fulham: file 1-0: "
        "no score settles it, only the bookmaker's own result"
    ]


def test_bets_that_have_a_result_keep_it() -> None:
    lost = settled(BET, Result.LOST, 5)
    assert settle_by_file(SCORES.encode(), [lost], NOW).bets == []
    found = settle_by_file(b"bet,result\n1,won\n", [lost], NOW)
    assert (found.bets, found.problems) == ([], ["line 2: bet 1 is already settled as lost"])


def test_results_by_number_settle_many_and_name_what_is_wrong() -> None:
    text = "bet,result,cashed_back\n1,won,\n2,cashed out,8.5\n3,open,\n9,lost,\n3,perhaps,\n"
    found = settle_by_file(text.encode(), [BET, OVER, HALF], NOW)
    assert [(bet.ident, bet.result) for bet in found.bets] == [
        (1, Result.WON),
        (2, Result.CASHED_OUT),
    ]
    assert found.bets[1].profit == pytest.approx(-1.5)
    assert found.problems == [
        "line 5: no bet 9",
        "line 6: result 'perhaps': expected won, lost, void, half won, half lost, cashed out "
        "or open",
    ]


def test_rows_that_make_no_sense_are_named() -> None:
    text = SCORES.replace("17/08/2024", "soon").replace("Man City,,", "Man City,two,1")
    assert settle_by_file(text.encode(), [BET], NOW).problems == [
        "line 3: expected a date such as 16/08/2024, got 'soon'",
        "line 4: expected a number such as 2 in FTHG, got 'two'",
    ]


def test_a_bad_half_time_score_loses_only_the_half() -> None:
    """Goals that pandas saved, 1.0, are goals."""
    scores = SCORES.replace("1,0,H,0,0", "1.0,0.0,H,{},0.0")
    found = settle_by_file(scores.format("0.0").encode(), [BET, OVER, HALF], NOW)
    assert ([bet.ident for bet in found.bets], found.problems) == ([1, 2, 3], [])
    found = settle_by_file(scores.format("0.5").encode(), [BET, OVER, HALF], NOW)
    assert [(bet.ident, bet.result) for bet in found.bets] == [(1, Result.WON), (2, Result.VOID)]
    assert found.problems == [
        "line 2: expected a number such as 2 in HTHG, got '0.5'; scores of periods are ignored"
    ]
    assert found.to_look_at == [
        "bet 3, Draw, Man United v Fulham: file 1-0: the score of period 1 is not known"
    ]
    found = settle_by_file(scores.format("2").encode(), [HALF], NOW)
    assert found.problems == [
        "line 2: 2-0 at half time is more than at the end; scores of periods are ignored"
    ]


@pytest.mark.parametrize(
    ("changes", "encoding"),
    [
        ({"16/08/2024": "2024-08-16 00:00:00"}, "utf-8"),
        ({"16/08/2024": "16.08.24", ",": ";"}, "utf-16"),
        ({"16/08/2024": "45520"}, "utf-8-sig"),
        ({"20:00": "0.833333333333333", ",1,0,": ",1.0,0.0,"}, "cp1252"),
        ({"HomeTeam": "HT", "AwayTeam": "AT"}, "utf-8"),
    ],
)
def test_a_file_settles_however_it_was_saved(changes: dict[str, str], encoding: str) -> None:
    text = SCORES
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    found = settle_by_file(text.encode(encoding), [BET, OVER], NOW)
    assert ([bet.ident for bet in found.bets], found.problems) == ([1, 2], [])


def test_a_row_with_more_cells_than_titles_settles_nothing() -> None:
    found = settle_by_file(SCORES.replace("United,Fulham,", "United,Ful,ham,").encode(), [BET], NOW)
    assert (found.bets, len(found.problems)) == ([], 1)
    assert "more cell" in found.problems[0]


def test_a_file_without_results_is_refused() -> None:
    with pytest.raises(SheetError, match="no results"):
        settle_by_file(b"Date,HomeTeam\n1,2\n", [BET], NOW)


@pytest.mark.parametrize(
    ("market_type", "selection", "is_taken"),
    [
        ("moneyline", "Man United", False),
        ("total", "Over 2.5", False),
        ("total", "Over 2", False),
        ("draw_no_bet", "Fulham", False),
        ("btts", "Yes", False),
        ("spread", "Fulham +0.5", False),
        ("total", "Over 2.25", True),
        ("spread", "Fulham -0.75", True),
        ("team_total", "Fulham Over 1.75", True),
        ("", "what nobody can read", True),
        ("spread", "Somebody -0.5,-1", True),
    ],
)
def test_only_quarter_lines_are_won_or_lost_by_half(
    market_type: str, selection: str, is_taken: bool
) -> None:
    """By hand, and from files of results and of bets: a line that is refused says why."""
    bet = renamed(BET.match_name, selection, market_type=market_type)
    message = "is won or lost in full: half results are for quarter lines"
    for result in (Result.HALF_WON, Result.HALF_LOST):
        if is_taken:
            assert settled(bet, result, NOW).result is result
        else:
            with pytest.raises(HalfResultError, match=message):
                settled(bet, result, NOW)
    found = settle_by_file(b"bet,result\n1,half won\n", [bet], NOW)
    assert [each.result for each in found.bets] == [Result.HALF_WON] * is_taken
    assert [message in each for each in found.problems] == [True] * (not is_taken)
    when = "2024-08-16T12:00:00Z"
    text = (
        "placed_at,match_name,market_type,selection,bookmaker,odds,stake,result\n"
        f'2024-08-16T12:00:00Z,{BET.match_name},{market_type},"{selection}",Bet365,2,10,half won\n'
        f"{when},{BET.match_name},total,Over 1.5,Bet365,2,10,won\n"
    )
    read = read_bets(text.encode(), NOW)
    assert len(read.bets) == 1 + is_taken
    assert [message in each for each in read.problems] == [True] * (not is_taken)


def test_a_file_that_contradicts_itself_settles_nothing_of_that_game() -> None:
    text = SCORES + "E0,16/08/2024,20:00,Man United,Fulham,0,1,A,0,0\n"
    found = settle_by_file(text.encode(), [BET], NOW)
    assert (found.bets, found.to_look_at) == ([], [])
    assert found.problems == [
        "Man United v Fulham, 2024-08-16: both 1-0 and 0-1, so neither counts; if these are two"
        " games, give the hour of each"
    ]
