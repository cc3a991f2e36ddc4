"""Bets settled from files of results and scores."""

import msgspec
import pytest

from oddsdesk.contract.times import parse_ms
from oddsdesk.ledger.bets import PlacedBet, settled
from oddsdesk.ledger.settling import settle_by_file
from oddsdesk.pricing.results import Result
from oddsdesk.spreadsheets import SheetError

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
        renamed("Ipswich Town v Liverpool FC", "Ipswich Town", competition="", sport="", ident=3),
    ]
    found = settle_by_file(SCORES.encode(), bets, NOW)
    assert [(bet.ident, bet.result) for bet in found.bets] == [
        (1, Result.WON),
        (2, Result.LOST),
        (3, Result.LOST),
    ]
    assert (found.problems, found.of_no_bet) == ([], 0)


def test_what_may_be_the_game_of_a_bet_settles_nothing_and_is_told() -> None:
    bets = [
        renamed("Man United Newton Heath vs Fulham", competition="Friendly", ident=4),
        renamed("Fulham vs Man United", ident=5),
    ]
    found = settle_by_file(SCORES.encode(), bets, NOW)
    assert found.bets == []
    assert found.problems == [
        "line 2: Man United vs Fulham may be that of bet 4, Man United Newton Heath vs Fulham: "
        "settle it by hand",
        "line 2: Man United vs Fulham is that of bet 5, Fulham vs Man United, "
        "the other way round: settle it by hand",
    ]


def test_other_teams_and_other_competitions_settle_nothing_and_are_not_told() -> None:
    bets = [renamed("Man City vs Fulham"), renamed("Man United vs Fulham", competition="EFL")]
    found = settle_by_file(SCORES.encode(), bets, NOW)
    assert (found.bets, found.problems, found.of_no_bet) == ([], [], 2)


def test_a_game_of_another_day_or_sport_settles_nothing() -> None:
    later = msgspec.structs.replace(BET, kick_off=KICK_OFF + 3 * 86_400_000)
    hockey = msgspec.structs.replace(BET, sport="Hockey")
    assert settle_by_file(SCORES.encode(), [later, hockey], NOW).bets == []


def test_a_game_that_was_put_off_settles_nothing_and_is_told() -> None:
    day = 86_400_000
    waits = msgspec.structs.replace(BET, kick_off=KICK_OFF - 3 * day)
    found = settle_by_file(SCORES.encode(), [waits], NOW)
    assert (found.bets, found.of_no_bet) == ([], 1)
    assert found.problems == [
        "line 2: Man United vs Fulham was played 3 days later than bet 1 says: settle it by hand"
    ]
    for other in (
        msgspec.structs.replace(waits, kick_off=KICK_OFF - 70 * day),
        msgspec.structs.replace(waits, match_name="Fulham vs Man United"),
        msgspec.structs.replace(waits, competition="EFL"),
        settled(waits, Result.VOID, NOW),
    ):
        found = settle_by_file(SCORES.encode(), [other], NOW)
        assert (found.bets, found.problems, found.of_no_bet) == ([], [], 2)


def test_what_a_score_does_not_tell_is_named_and_the_rest_goes_on() -> None:
    prop = msgspec.structs.replace(BET, market_type="player_prop", selection="A Over 1.5", ident=7)
    found = settle_by_file(SCORES.encode(), [prop, BET], NOW)
    assert [bet.ident for bet in found.bets] == [1]
    assert found.problems == ["line 2: does not tell how bet 7 ended, A Over 1.5 (player_prop)"]


def test_bets_that_have_a_result_keep_it() -> None:
    lost = settled(BET, Result.LOST, 5)
    assert settle_by_file(SCORES.encode(), [lost], NOW).bets == []
    found = settle_by_file(b"bet,result\n1,won\n", [lost], NOW)
    assert (found.bets, found.problems) == ([], ["line 2: bet 1 has a result already: lost"])


def test_results_by_number_settle_many_and_name_what_is_wrong() -> None:
    text = "bet,result,cashed_back\n1,won,\n2,cashed out,8.5\n3,open,\n9,lost,\n3,perhaps,\n"
    found = settle_by_file(text.encode(), [BET, OVER, HALF], NOW)
    assert [(bet.ident, bet.result) for bet in found.bets] == [
        (1, Result.WON),
        (2, Result.CASHED_OUT),
    ]
    assert found.bets[1].profit == pytest.approx(-1.5)
    assert found.problems == [
        "line 5: there is no bet 9",
        "line 6: result 'perhaps': expected won, lost, void, half won, half lost, cashed out "
        "or open",
    ]


def test_rows_that_make_no_sense_are_named() -> None:
    text = SCORES.replace("17/08/2024", "soon").replace("Man City,,", "Man City,two,1")
    assert settle_by_file(text.encode(), [BET], NOW).problems == [
        "line 3: expected a date such as 16/08/2024, got 'soon'",
        "line 4: goals 'two': expected a number such as 12.50",
    ]


def test_a_file_without_results_is_refused() -> None:
    with pytest.raises(SheetError, match="has no results"):
        settle_by_file(b"Date,HomeTeam\n1,2\n", [BET], NOW)
