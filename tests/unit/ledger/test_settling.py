"""Which bets settle by the results of their games, and why others do not."""

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsdesk.contract.results import (
    GameResult,
    GameStatus,
    PeriodScore,
    SelectionResult,
    with_abandoned,
)
from oddsdesk.contract.times import parse_ms
from oddsdesk.ledger.bets import BadBetError, PlacedBet, settled
from oddsdesk.ledger.open_bets import wanted_kick_offs
from oddsdesk.ledger.settling import Settled, ToCheck, settle_by_results, wanted_spans
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.pricing.selections import Result
from oddsdesk.pricing.settlement_rules import SettlementRules, read_rules

HOUR = 3_600_000
DAY = 24 * HOUR
KICK_OFF = parse_ms("2026-10-10T14:00:00Z")
NOW = KICK_OFF + 10 * DAY
BET = PlacedBet(
    *("id", "Arsenal vs Chelsea", "EPL", "Football", "moneyline", 0, "Arsenal"),
    *("Bet365", 2.0, 10.0, KICK_OFF - DAY),
    kick_off=KICK_OFF,
    ident=1,
)
RESULT = GameResult(
    "EPL", "Arsenal vs Chelsea", KICK_OFF, 2, 1, overtime=False, source="football-data"
)
TENNIS = msgspec.structs.replace(
    BET, match_name="Ruud vs Sinner", competition="ATP", sport="Tennis", selection="Ruud"
)
MATCH = msgspec.structs.replace(
    RESULT, match_name="Ruud vs Sinner", competition="ATP", sport="Tennis", source="scores"
)
NO_RULES = SettlementRules((), shipped_profiles())


def changed(of: GameResult = RESULT, **fields: object) -> GameResult:
    return msgspec.structs.replace(of, **fields)


def bet(of: PlacedBet = BET, **fields: object) -> PlacedBet:
    return msgspec.structs.replace(of, **fields)


def rules(*lines: str) -> SettlementRules:
    """Lines of bookmaker, sport, postponed_hours, retirement and overtime."""
    text = "\n".join(["bookmaker,sport,postponed_hours,retirement,overtime", *lines])
    return SettlementRules(read_rules(text).rules, shipped_profiles())


def settle(
    bets: PlacedBet | Sequence[PlacedBet],
    *results: GameResult,
    by: SettlementRules = NO_RULES,
    now: int = NOW,
) -> Settled:
    held = [bets] if isinstance(bets, PlacedBet) else bets
    return settle_by_results(held, results, by, now)


def nothing(of_no_bet: int) -> Settled:
    """Return what is found if no bet settles and none is in doubt."""
    return Settled([], [], of_no_bet, [], [], [], by_leg=[], certain=[])


def ended(
    of: PlacedBet, *results: GameResult, by: SettlementRules = NO_RULES, now: int = NOW
) -> tuple[str, str]:
    """Return the result of a bet that settles, and by what."""
    found = settle(of, *results, by=by, now=now)
    assert found.to_look_at == []
    (one,) = found.bets
    assert one.result is not None
    assert one.settled_at == now
    return one.result.value, one.settled_by


def listed(
    of: PlacedBet, *results: GameResult, by: SettlementRules = NO_RULES, now: int = NOW
) -> ToCheck:
    """Return why a bet is listed and does not settle."""
    found = settle(of, *results, by=by, now=now)
    assert (found.bets, found.corrections, found.without_result) == ([], [], [])
    (one,) = found.to_check
    return one


def test_a_final_score_settles_and_says_by_which_source() -> None:
    assert ended(BET, RESULT) == ("won", "football-data 2-1")
    assert ended(bet(selection="Draw"), RESULT) == ("lost", "football-data 2-1")
    half = changed(periods=(PeriodScore(1, 0, 1), PeriodScore(2, 2, 0)))
    in_half = bet(selection="Chelsea", period=1)
    assert ended(in_half, half) == ("won", "football-data 2-1 (0-1, 2-0)")


def test_a_source_that_names_only_the_sport_names_no_competition() -> None:
    said = changed(competition="Soccer", source="betfair")
    assert ended(BET, said) == ("won", "betfair 2-1")
    assert ended(bet(competition="Soccer"), RESULT) == ("won", "football-data 2-1")


@pytest.mark.parametrize("status", [GameStatus.SCHEDULED, GameStatus.IN_PLAY, GameStatus.UNKNOWN])
def test_a_game_that_is_not_over_settles_nothing(status: GameStatus) -> None:
    found = settle(bet(kick_off=NOW - HOUR), changed(kick_off=NOW - HOUR, status=status))
    assert found == nothing(0)


def test_a_bet_whose_game_should_be_over_without_a_result_is_counted() -> None:
    other = changed(match_name="Leeds vs Everton")
    assert settle([BET, bet(kick_off=NOW)], other).without_result == [BET]


def test_a_result_of_a_game_that_has_not_begun_is_a_mistake() -> None:
    assert settle(BET, RESULT, now=KICK_OFF - 13 * HOUR).bets == []


@pytest.mark.parametrize(("sport", "minutes"), [("Football", 90), ("Tennis", 30), ("Other", 60)])
def test_a_final_score_counts_once_the_game_can_have_ended(sport: str, minutes: int) -> None:
    of_sport = bet(sport=sport, competition="Cup")
    final = changed(sport=sport, competition="Cup")
    begins = KICK_OFF + 2 * HOUR
    for one, said in (
        (bet(of_sport, kick_off=begins), final),
        (of_sport, changed(final, kick_off=begins)),
    ):
        ends = begins + minutes * HOUR // 60
        before = settle(one, said, now=ends - 1)
        assert (before.bets, before.to_check) == ([], [])
        assert len(settle(one, said, now=ends).bets) == 1
        early = listed(one, changed(said, reported_at=ends - 1))
        assert early.why.endswith("before it can have ended")
        assert early.proposed is Result.WON
        assert len(settle(one, changed(said, reported_at=ends)).bets) == 1


def test_a_bet_settles_by_nothing_before_its_own_kick_off() -> None:
    own = changed(
        home=None,
        away=None,
        status=GameStatus.UNKNOWN,
        bookmaker="Bet365",
        selections=(SelectionResult("moneyline", 0, "Arsenal", "won"),),
        kick_off=KICK_OFF - HOUR,
    )
    assert settle(BET, own, now=KICK_OFF - 1).bets == []
    assert len(settle(BET, own, now=KICK_OFF).bets) == 1


def test_an_early_report_does_not_make_a_postponed_game_void() -> None:
    off = changed(home=None, away=None, status=GameStatus.POSTPONED, source="scores")
    early = changed(reported_at=KICK_OFF + HOUR)
    found = listed(BET, off, early, by=rules("Bet365,Football,48,,"))
    assert "before it can have ended" in found.why


def test_a_game_that_had_begun_when_the_bet_was_placed_is_another() -> None:
    earlier = changed(kick_off=KICK_OFF - 2 * HOUR)
    late = bet(placed_at=KICK_OFF - HOUR)
    found = listed(late, earlier)
    assert found.why.endswith("had begun when the bet was placed")
    assert not found.is_its_game
    assert ended(late, RESULT)[0] == "won"
    in_play = bet(placed_at=KICK_OFF + HOUR // 2)
    assert ended(in_play, RESULT)[0] == "won"


def test_a_bet_on_an_unknown_sport_settles_by_its_competition_alone() -> None:
    unknown = bet(sport="", competition="", market_type="total", selection="Over 160.5")
    found = listed(unknown, RESULT)
    assert found.why.endswith("it is not known which sport the bet is on")
    assert ended(bet(sport="", competition="Premier League"), RESULT)[0] == "won"
    unclear = changed(sport="Other", competition="")
    assert listed(BET, unclear).why == (
        "Arsenal v Chelsea (football-data 2-1) may be another game: it is not known which sport "
        "the bet is on"
    )


def test_a_date_that_two_games_may_have_settles_neither() -> None:
    """Evenings in America: the second date at the venue is the first in UTC."""
    evening = KICK_OFF + 11 * HOUR
    one = bet(sport="Basketball", competition="NBA", kick_off=evening)
    other = bet(one, kick_off=evening + DAY, ident=2)
    dated = changed(
        sport="Basketball", competition="NBA", kick_off=KICK_OFF + 22 * HOUR, has_time=False
    )
    waits = rules("Bet365,Basketball,48,,included")
    assert len(settle([other], dated, by=waits).bets) == 1
    found = settle([one, other], dated, by=waits)
    assert found.bets == []
    assert found.to_look_at[1].endswith(
        "you have bets on two games that may have been on that date; it would then be won"
    )


def test_what_the_user_settled_is_left_alone() -> None:
    lost = settled(BET, Result.LOST, 5)
    assert settle(lost, RESULT) == nothing(1)


def test_the_game_has_to_be_the_bets() -> None:
    women = changed(match_name="Arsenal Women vs Chelsea Women")
    assert listed(BET, women).check_text == (
        "bet 1, Arsenal, Arsenal v Chelsea: Arsenal Women v Chelsea Women (football-data 2-1) is "
        "of another team of these clubs"
    )
    found = listed(bet(competition="FA WSL"), RESULT)
    assert found.check_text == (
        "bet 1, Arsenal, Arsenal v Chelsea: Arsenal v Chelsea (football-data 2-1) is in EPL, not "
        "in FA WSL; it would then be won"
    )
    accepted = found.accepted(7)
    assert (accepted.result, accepted.settled_by) == (Result.WON, "football-data 2-1")
    undated = listed(bet(kick_off=None), RESULT)
    assert undated.why.endswith("may be another game: the bet has no kick-off")


def test_a_bet_on_the_next_game_of_the_teams_is_not_listed_before_that_is_over() -> None:
    """Yesterday's game of a series, or of a cup, says nothing about it."""
    tomorrow = bet(sport="Baseball", competition="MLB", kick_off=NOW + 20 * HOUR)
    yesterday = changed(sport="Baseball", competition="MLB", kick_off=NOW - 4 * HOUR)
    assert settle(tomorrow, yesterday) == nothing(0)
    cup = bet(competition="FA Cup", kick_off=NOW - HOUR)
    assert settle(cup, changed(kick_off=NOW - 4 * HOUR)).to_look_at == []
    assert len(settle(cup, changed(kick_off=NOW - 4 * HOUR), now=NOW + 2 * HOUR).to_check) == 1


def test_without_a_competition_games_of_two_sources_have_to_be_one() -> None:
    unnamed = bet(competition="")
    assert ended(unnamed, RESULT, changed(source="scores"))[0] == "won"
    other = changed(competition="FA Cup", kick_off=KICK_OFF + HOUR, source="scores")
    assert listed(unnamed, RESULT, other).why == (
        "Arsenal v Chelsea (football-data 2-1) is one of two games of these teams around that time"
    )
    first = changed(sport="Baseball", competition="MLB", kick_off=KICK_OFF - 2 * HOUR)
    second = changed(first, kick_off=KICK_OFF + 2 * HOUR, source="scores")
    of_two = listed(bet(sport="Baseball", competition="MLB"), first, second)
    assert of_two.why.endswith("is one of two games of these teams around that time")


def test_a_moved_game_settles_within_the_known_waiting_time() -> None:
    moved = changed(kick_off=KICK_OFF + 30 * HOUR)
    waits = rules("Bet365,Football,48,,")
    assert ended(BET, moved, by=waits) == ("won", "football-data 2-1")
    unknown = listed(BET, moved)
    assert unknown.why == (
        "Arsenal v Chelsea (football-data 2-1) is 30 hours later than the bet says; how long bets "
        "at Bet365 wait for it is not known"
    )
    assert (unknown.proposed, unknown.by) == (Result.WON, "football-data 2-1")
    too_late = listed(BET, moved, by=rules("Bet365,Football,24,,"))
    assert too_late.why.endswith("bets at Bet365 wait 24 hours for it")
    assert (too_late.proposed, too_late.by) == (Result.VOID, "football-data moved")
    of_round = listed(BET, moved, by=rules("Bet365,Football,round,,"))
    assert of_round.why.endswith("bets at Bet365 wait for it within the same round")
    half = changed(moved, periods=(PeriodScore(1, 0, 1), PeriodScore(2, 2, 0)))
    assert listed(bet(selection="Draw", period=1), half).proposed is Result.LOST
    day_alone = changed(kick_off=KICK_OFF + 46 * HOUR, has_time=False)
    assert listed(BET, day_alone, by=waits).proposed is Result.VOID


def test_the_next_game_of_a_series_is_not_the_bets_game() -> None:
    moved = changed(sport="Baseball", competition="MLB", kick_off=KICK_OFF + DAY)
    of_series = bet(sport="Baseball", competition="MLB")
    waits = rules("Bet365,,48,,included")
    found = listed(of_series, moved, by=waits)
    assert found.why.endswith("is 24 hours later than the bet says")
    once = changed(moved, sport="Rugby", competition="RUGBY")
    won = ended(bet(sport="Rugby", competition="RUGBY"), once, by=waits)
    assert won == ("won", "football-data 2-1")


@pytest.mark.parametrize(
    "status", [GameStatus.POSTPONED, GameStatus.CANCELLED, GameStatus.ABANDONED]
)
def test_a_game_that_was_not_played_is_void_once_the_known_waiting_time_is_over(
    status: GameStatus,
) -> None:
    off = changed(home=None, away=None, status=status)
    waits = rules("Bet365,Football,48,,")
    over = KICK_OFF + 48 * HOUR
    assert ended(BET, off, by=waits, now=over + 1) == ("void", f"football-data {status.value}")
    waiting = listed(BET, off, by=waits, now=over)
    assert waiting.why == f"football-data {status.value}; bets at Bet365 wait 48 hours for it"
    assert waiting.proposed is None
    unknown = listed(BET, off)
    assert unknown.why.endswith("how long bets at Bet365 wait for it is not known")
    assert unknown.proposed is Result.VOID


@pytest.mark.parametrize(
    ("market_type", "selection", "is_void"),
    [
        ("moneyline", "Arsenal", True),
        ("spread", "Chelsea +0.5", True),
        ("total", "Over 1.5", False),
        ("total", "Under 1.5", False),
        ("total", "Over 3.5", True),
        ("total", "Under 3.5", True),
        ("total", "Over 2", False),
        ("btts", "Yes", False),
        ("btts", "No", False),
        ("player_prop", "Saka shots Over 1.5", False),
    ],
)
def test_a_bet_that_an_abandoned_game_may_have_decided_is_listed(
    market_type: str, selection: str, is_void: bool
) -> None:
    off = changed(home=1, away=1, status=GameStatus.ABANDONED)
    waits = rules("Bet365,Football,48,,")
    found = settle(bet(market_type=market_type, selection=selection), off, by=waits)
    if is_void:
        assert [(each.result, each.settled_by) for each in found.bets] == [
            (Result.VOID, "football-data abandoned at 1-1")
        ]
    else:
        assert [each.why for each in found.to_check] == [
            "football-data abandoned at 1-1; the bet may have been decided before"
        ]


def test_of_two_reasons_for_no_result_abandoned_goes_first() -> None:
    off = changed(home=None, away=None, status=GameStatus.CANCELLED, source="scores")
    abandoned = changed(home=1, away=1, status=GameStatus.ABANDONED)
    over = bet(market_type="total", selection="Over 1.5")
    found = listed(over, off, abandoned, by=rules("Bet365,Football,48,,"))
    assert found.why == "football-data abandoned at 1-1; the bet may have been decided before"


def test_a_game_played_after_it_was_called_off_counts() -> None:
    off = changed(home=None, away=None, status=GameStatus.POSTPONED, source="betfair")
    evening = changed(kick_off=KICK_OFF + 5 * HOUR)
    assert ended(BET, off, evening) == ("won", "football-data 2-1")
    abandoned = changed(off, home=0, away=1, status=GameStatus.ABANDONED)
    replayed = listed(BET, abandoned, evening)
    assert replayed.why == "football-data says 2-1 and betfair says abandoned at 0-1"
    found = listed(BET, off, RESULT)
    assert found.why == "football-data says 2-1 and betfair says postponed"
    assert (found.proposed, found.is_contrary) == (None, True)


def test_a_score_after_its_source_reported_abandoned_is_listed() -> None:
    abandoned = changed(home=1, away=0, status=GameStatus.ABANDONED)
    found = listed(BET, *with_abandoned(RESULT, [changed(home=0), abandoned]))
    assert found.why == "football-data says 2-1 and football-data says abandoned at 1-0"
    assert with_abandoned(RESULT, [changed(home=0)]) == [RESULT]
    assert with_abandoned(abandoned, [abandoned]) == [abandoned]


def test_a_postponed_game_that_was_played_later_says_both() -> None:
    off = changed(home=None, away=None, status=GameStatus.POSTPONED)
    later = changed(kick_off=KICK_OFF + 48 * HOUR)
    found = listed(BET, off, later)
    assert found.why == (
        "football-data postponed; Arsenal v Chelsea (football-data 2-1) is 48 hours later than the "
        "bet says; how long bets at Bet365 wait for it is not known"
    )
    assert (found.proposed, found.by) == (Result.WON, "football-data 2-1")
    assert ended(BET, off, later, by=rules("Bet365,Football,48,,"))[0] == "won"
    assert ended(BET, off, later, by=rules("Bet365,Football,36,,"))[0] == "void"
    of_series = [changed(each, sport="Baseball", competition="MLB") for each in (off, later)]
    next_day = listed(bet(sport="Baseball", competition="MLB"), *of_series)
    assert (next_day.by, next_day.proposed) == ("football-data postponed", Result.VOID)


def test_sources_that_contradict_each_other_leave_the_bet_open() -> None:
    found = listed(BET, RESULT, changed(home=3, source="the-odds-api"))
    assert found.why == "football-data says 2-1 and the-odds-api says 3-1"
    assert found.is_contrary
    with pytest.raises(BadBetError, match="not known how it ended"):
        found.accepted(NOW)


def test_a_source_that_says_more_settles_what_another_leaves_open() -> None:
    cup = bet(competition="FA Cup", selection="Draw")
    vague = changed(competition="FA Cup", overtime=None, source="the-odds-api")
    exact = changed(competition="FA Cup", away=2, home=2)
    why = "the-odds-api 2-1: it is not known whether the score includes extra time"
    assert (listed(cup, vague).why, listed(cup, vague).proposed) == (why, Result.LOST)
    after = listed(cup, changed(vague, overtime=True))
    assert after.why.startswith("the-odds-api 2-1 after extra time: it is not known whether")
    assert after.proposed is None
    assert listed(cup, vague, exact).is_contrary
    drawn = changed(exact, home=1, away=1)
    assert ended(cup, vague, drawn) == ("won", "football-data 1-1")


def test_overtime_counts_by_the_rule_of_the_bookmaker() -> None:
    hoops = bet(sport="Basketball", competition="NBA")
    game = changed(sport="Basketball", competition="NBA", home=98, away=95, overtime=True)
    assert ended(hoops, game, by=rules("Bet365,Basketball,,,included")) == (
        *("won", "football-data 98-95 after overtime"),
    )
    assert ended(hoops, game, by=rules("Bet365,Basketball,,,excluded"))[0] == "void"
    assert "it is not known whether overtime counts at the bookmaker" in listed(hoops, game).why


def test_the_closing_line_shows_whether_a_draw_was_a_third_selection() -> None:
    ice = bet(sport="Hockey", competition="NHL")
    game = changed(sport="Hockey", competition="NHL", overtime=True)
    included = rules("Bet365,Hockey,,,included")
    assert listed(ice, game, by=included).why == (
        "football-data 2-1 after overtime: it is not known whether a draw was a third selection"
    )
    two_way = bet(ice, close=ClosingLine(2.0, 2.1, "shin", line=(1.9, 1.95)))
    assert ended(two_way, game, by=included)[0] == "won"
    three_way = bet(ice, close=ClosingLine(2.0, 2.1, "shin", line=(2.5, 4.0, 2.6)))
    assert ended(three_way, game, by=included)[0] == "lost"


@pytest.mark.parametrize(
    ("rule", "sets", "winner", "result"),
    [
        ("", (1, 0), "Ruud", "the rule of Bet365 is not known"),
        ("match_completed", (1, 0), "Ruud", "void"),
        ("first_set", (0, 0), "Ruud", "void"),
        ("first_set", (1, 0), "Ruud", "won"),
        ("first_set", (1, 0), "Sinner", "lost"),
        ("first_set", (1, 0), "", "it is not known which player went on to the next round"),
        ("first_set", None, "Ruud", "it is not known whether a set was completed"),
        ("first_ball", (0, 0), "Sinner", "lost"),
        ("advances", (0, 0), "Ruud", "won"),
    ],
)
def test_a_retirement_settles_by_the_rule(
    rule: str, sets: tuple[int, int] | None, winner: str, result: str
) -> None:
    home, away = sets or (None, None)
    told = (SelectionResult("moneyline", 0, winner, "won"),) if winner else ()
    gave_up = changed(MATCH, home=home, away=away, status=GameStatus.RETIRED, selections=told)
    found = settle(TENNIS, gave_up, by=rules(f"Bet365,Tennis,,{rule},"))
    if result in ("won", "lost", "void"):
        assert [each.result for each in found.bets] == [Result(result)]
    else:
        assert [each.why.partition(": ")[2] for each in found.to_check] == [result]


def test_other_markets_of_a_match_that_was_given_up_are_listed() -> None:
    gave_up = changed(MATCH, home=1, away=1, status=GameStatus.RETIRED)
    over = bet(TENNIS, market_type="total", selection="Over 2.5")
    assert listed(over, gave_up, by=rules("Bet365,Tennis,,first_set,")).why == (
        "scores retired at 1-1: what that means for this market is not known"
    )


def own(*selections: SelectionResult, bookmaker: str = "Bet365", **fields: object) -> GameResult:
    told = {"home": None, "away": None, "source": "bookie", "bookmaker": bookmaker, **fields}
    return changed(RESULT, selections=selections, **told)


def test_the_bookmakers_own_result_comes_before_scores() -> None:
    won = own(SelectionResult("moneyline", 0, "Arsenal", "won"), status=GameStatus.UNKNOWN)
    assert ended(BET, RESULT, won) == ("won", "bookie's own result")
    prop = bet(market_type="player_prop", selection="Saka shots Over 1.5")
    half = own(SelectionResult("player_prop", 0, "saka shots Over 1.5", "won"))
    assert ended(prop, RESULT, half) == ("won", "bookie's own result")
    level = own(SelectionResult("draw_no_bet", 0, "Arsenal", "void"))
    assert ended(bet(market_type="spread", selection="Arsenal 0"), level)[0] == "void"
    assert listed(prop, RESULT).why.startswith("football-data 2-1: no score settles it, only")


def test_views_of_one_exchange_share_their_own_results() -> None:
    lost = SelectionResult("moneyline", 0, "Arsenal", "lost")
    result = own(lost, bookmaker="Betfair Exchange UK")
    assert ended(bet(bookmaker="betfair_ex_eu"), result)[0] == "lost"
    why = listed(bet(sport="Darts"), changed(result, sport="Darts")).why
    assert why == "bookie says lost, but Bet365 has reported nothing itself"
    why = listed(bet(sport="Darts", bookmaker=""), changed(result, sport="Darts")).why
    assert why == "bookie says lost, but the bet's bookmaker has reported nothing itself"


def test_a_source_with_the_teams_the_other_way_round_may_contradict_another() -> None:
    turned = changed(match_name="Chelsea vs Arsenal", source="second")
    for selection in ("Arsenal", "Chelsea"):
        found = listed(bet(selection=selection), RESULT, turned)
        assert found.why == "football-data says 2-1 and second says 1-2"
        assert found.proposed is None
    agreed = changed(turned, home=1, away=2)
    assert ended(BET, RESULT, agreed) == ("won", "football-data 2-1")


@pytest.mark.parametrize("bookmaker", ["Betfair Exchange UK", "Bet365"])
@pytest.mark.parametrize("selection", ["Over 2.5", "Under 2.5", "Over 3.5"])
def test_a_selection_that_a_score_denies_makes_its_market_doubtful(
    bookmaker: str, selection: str
) -> None:
    told = own(SelectionResult("total", 0, "Over 2.5", "lost"), bookmaker="Betfair Exchange UK")
    total = bet(market_type="total", selection=selection, bookmaker=bookmaker)
    found = listed(total, RESULT, told)
    assert found.why == "bookie says Over 2.5 lost, but football-data 2-1"
    assert (found.proposed, found.is_contrary) == (None, True)
    assert ended(BET, RESULT, told)[0] == "won"


@pytest.mark.parametrize(
    ("market_type", "one", "other", "result"),
    [
        ("total", "Over 2.5", "Under 2.5", "lost"),
        ("total", "Over 2.5", "Under 2.5", "won"),
        ("spread", "Arsenal -1.5", "Chelsea +1.5", "lost"),
        ("moneyline", "Arsenal", "Chelsea", "won"),
        ("btts", "Yes", "No", "lost"),
    ],
)
def test_two_selections_that_exclude_each_other_settle_nothing(
    market_type: str, one: str, other: str, result: str
) -> None:
    told = [SelectionResult(market_type, 0, each, result) for each in (one, other)]
    for selection in (one, other):
        for bookmaker in ("Bet365", "Kalshi"):
            wanted = bet(market_type=market_type, selection=selection, bookmaker=bookmaker)
            found = listed(wanted, own(*told))
            assert found.why == f"bookie says {one} {result} and {other} {result}"


def test_results_of_another_bookmaker_settle_only_what_means_the_same_without_a_score() -> None:
    told = own(SelectionResult("moneyline", 0, "Arsenal", "lost"), bookmaker="Kalshi")
    assert ended(BET, told) == ("lost", "bookie's own result")
    hoops = bet(sport="Basketball", competition="NBA")
    found = listed(hoops, changed(told, sport="Basketball", competition="NBA"))
    assert (found.why, found.proposed) == (
        *("bookie says lost, but Bet365 has reported nothing itself", Result.LOST),
    )
    void = own(SelectionResult("moneyline", 0, "Arsenal", "void"), bookmaker="Kalshi")
    assert listed(BET, void).proposed is Result.VOID
    won = changed(own(SelectionResult("moneyline", 0, "Arsenal", "won"), bookmaker="Polymarket"))
    assert listed(BET, told, changed(won, source="other")).why == (
        "bookie says lost and other says won"
    )
    assert settle(bet(selection="Draw"), told).without_result != []


def test_a_dead_heat_is_listed_with_the_amount() -> None:
    tied = own(SelectionResult("moneyline", 0, "Arsenal", "won", 0.5))
    found = listed(BET, tied)
    assert found.why == (
        "bookie says won in a dead heat: 0.5 of the stake counts as won, which pays 10.00"
    )
    assert found.proposed is None


def test_a_bookmaker_that_contradicts_itself_settles_nothing() -> None:
    one = own(SelectionResult("moneyline", 0, "Arsenal", "won"))
    other = own(SelectionResult("moneyline", 0, "Arsenal", "lost"), source="second")
    assert listed(BET, one, other).why == "Bet365 itself says both won and lost"
    third = changed(one, source="third")
    assert listed(BET, one, other, third).why == "Bet365 itself says both won and lost"
    tied = own(SelectionResult("moneyline", 0, "Arsenal", "won", 0.5), source="second")
    assert listed(BET, one, tied).why == "Bet365 itself says both won and won in a dead heat"


def test_a_half_result_of_a_whole_line_is_listed() -> None:
    odd = own(SelectionResult("moneyline", 0, "Arsenal", "half_won"))
    assert "half results are for quarter lines" in listed(BET, odd).why


def test_a_handicap_placed_in_play_is_listed() -> None:
    in_play = bet(market_type="spread", selection="Arsenal -1", placed_at=KICK_OFF + HOUR)
    found = listed(in_play, RESULT)
    assert found.why == (
        "football-data 2-1: placed in play, so its handicap may count from the score at that time"
    )
    assert found.proposed is Result.VOID
    assert ended(bet(in_play, market_type="total", selection="Over 2.5"), RESULT)[0] == "won"


def test_a_simulated_result_settles_practice_alone() -> None:
    made_up = changed(simulated=True)
    assert settle(BET, made_up).without_result == [BET]
    assert ended(bet(practice=True), made_up)[0] == "won"


def test_the_same_result_does_not_settle_a_bet_again_that_the_user_opened() -> None:
    opened = settled(settle(BET, RESULT).bets[0], None, NOW)
    found = listed(opened, RESULT)
    assert found.why == "you undid this: won by football-data 2-1"
    assert found.proposed is Result.WON
    assert ended(opened, changed(home=0)) == ("lost", "football-data 0-1")


def corrections(of: PlacedBet, *results: GameResult) -> list[str]:
    found = settle(of, *results)
    assert (found.bets, found.to_check) == ([], [])
    assert found.to_look_at == [each.check_text for each in found.corrections]
    return [each.check_text.partition("Chelsea: ")[2] for each in found.corrections]


def test_a_result_that_changes_after_the_settlement_is_offered() -> None:
    by_draw = settle(BET, changed(home=1)).bets[0]
    assert by_draw.result is Result.LOST
    assert corrections(by_draw, changed(home=1)) == []
    assert corrections(by_draw, changed(home=0)) == []
    assert corrections(by_draw, RESULT) == [
        "settled lost by football-data 1-1; now football-data 2-1; it would then be won"
    ]
    (again,) = settle(by_draw, RESULT).corrections
    won = again.accepted(NOW + 1)
    assert (won.result, won.settled_by) == (Result.WON, "football-data 2-1")
    assert corrections(won, RESULT) == []


def test_a_bookmaker_that_changes_its_own_result_is_a_correction() -> None:
    lost = own(SelectionResult("moneyline", 0, "Arsenal", "lost"))
    won = own(SelectionResult("moneyline", 0, "Arsenal", "won"))
    assert corrections(settle(BET, lost).bets[0], won) == [
        "settled lost by bookie's own result; now bookie's own result; it would then be won"
    ]


def test_a_later_void_and_a_source_that_differs_are_corrections() -> None:
    won = settle(BET, RESULT).bets[0]
    off = changed(home=None, away=None, status=GameStatus.CANCELLED)
    assert corrections(won, off) == [
        "settled won by football-data 2-1; now football-data cancelled; how long bets at Bet365 "
        "wait for it is not known; it would then be void"
    ]
    assert corrections(won, RESULT, changed(home=1, source="scores")) == [
        "settled won by football-data 2-1; now football-data says 2-1 and scores says 1-1"
    ]
    assert corrections(won, changed(competition="FA WSL", home=0)) == []
    assert corrections(settled(won, Result.WON, NOW), off) == []


def test_results_are_wanted_around_open_bets_and_recent_settlements() -> None:
    old = bet(kick_off=KICK_OFF - 300 * DAY)
    by_hand = settled(bet(kick_off=KICK_OFF - 900 * DAY), Result.WON, NOW)
    long_ago = settled(bet(kick_off=KICK_OFF - 800 * DAY), Result.WON, NOW - 31 * DAY, "x 2-1")
    recent = settled(bet(kick_off=KICK_OFF - 600 * DAY), Result.WON, NOW - 29 * DAY, "x 2-1")
    spans = wanted_spans([BET, old, by_hand, long_ago, recent], NOW)
    assert spans == [
        (KICK_OFF - 604 * DAY, KICK_OFF - 538 * DAY),
        (KICK_OFF - 304 * DAY, KICK_OFF - 238 * DAY),
        (KICK_OFF - 4 * DAY, NOW + 12 * HOUR),
    ]
    assert wanted_spans([by_hand, bet(kick_off=NOW + 90 * DAY)], NOW) == []


def test_results_are_wanted_for_open_bets_and_for_those_settled_lately() -> None:
    lately = settled(bet(kick_off=NOW - 5 * DAY), Result.WON, NOW - DAY, "football-data 2-1")
    long_ago = bet(lately, settled_at=NOW - 40 * DAY, kick_off=NOW - 41 * DAY)
    by_hand = bet(lately, settled_by="", kick_off=NOW - 2 * DAY)
    undated = bet(kick_off=None)
    assert wanted_kick_offs([BET, lately, long_ago, by_hand, undated], NOW) == {
        KICK_OFF: True,
        NOW - 5 * DAY: False,
        BET.placed_at: False,
    }


@st.composite
def reports(draw: st.DrawFn) -> list[GameResult]:
    """What three sources say about games of these clubs, in any order."""
    found = []
    for source in ("first", "second", "third"):
        if not draw(st.booleans()):
            continue
        is_women = draw(st.sampled_from([False, False, False, True]))
        is_off = draw(st.sampled_from([False, False, True]))
        home, away = draw(st.tuples(st.integers(0, 1), st.integers(0, 1)))
        competition = draw(st.sampled_from(["EPL", "EPL", "EPL", "E0", "FA WSL"]))
        found.append(
            GameResult(
                competition,
                "Arsenal Women vs Chelsea Women" if is_women else "Arsenal vs Chelsea",
                KICK_OFF + HOUR * draw(st.sampled_from([0, 0, 0, 1, 30])),
                None if is_off else home,
                None if is_off else away,
                status=GameStatus.POSTPONED if is_off else GameStatus.FINAL,
                overtime=None if competition == "EPL" and draw(st.booleans()) else False,
                source=source,
            )
        )
    return draw(st.permutations(found))


def expected(results: Sequence[GameResult]) -> Result | None:
    """How the bet on Arsenal ends, found without the code under test."""
    its = [
        each
        for each in results
        if "Women" not in each.match_name
        and each.competition in ("EPL", "E0")
        and each.kick_off - KICK_OFF <= HOUR
    ]
    played = [each for each in its if each.home is not None and each.away is not None]
    off = [each for each in its if each.home is None]
    scores = {(each.home, each.away) for each in played}
    if len(scores) != 1:
        return None
    latest = max(each.kick_off for each in played)
    if any(each.kick_off >= latest for each in off):
        return None
    ((home, away),) = scores
    return Result.WON if (home or 0) > (away or 0) else Result.LOST


@settings(max_examples=400)
@given(reports())
def test_a_bet_settles_exactly_where_all_reports_of_its_game_agree(
    results: list[GameResult],
) -> None:
    found = settle(BET, *results)
    assert [each.result for each in found.bets] == [
        each for each in [expected(results)] if each is not None
    ]
    assert len(found.bets) + len(found.to_check) + len(found.without_result) == 1
    if found.bets:
        assert settle(found.bets, *results).to_look_at == []
        assert settle(found.bets, *results).bets == []
    else:
        assert (found.to_check == []) == (results == [])
