"""A backtest bets as a desk would have: on what was known then, once, at net prices."""

import math
from collections.abc import Sequence
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, GameStatus, PeriodScore
from oddsdesk.ledger.bet_tables import write_csv
from oddsdesk.ledger.log_closes import closes_from_log
from oddsdesk.ledger.presets import ValueFilter
from oddsdesk.ledger.reading import read_bets
from oddsdesk.ledger.reporting import whole_report
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.derived import Band, BandKey
from oddsdesk.pricing.devig import DEFAULT_METHOD, devig
from oddsdesk.pricing.selections import Result
from oddsdesk.research.backtest_summary import notes, summary
from oddsdesk.research.backtests import run_backtest
from oddsdesk.research.coverage import coverage_lines
from oddsdesk.research.question import rules_named
from oddsdesk.research.recorded_log import RecordedLog, open_judged
from oddsdesk.store.reader import ReaderPast
from tests.kit.replays import (
    EVEN,
    HOUR,
    KICK_OFF,
    LONGER,
    MINUTE,
    SOFT,
    START,
    TODAY,
    Log,
    placed,
    question,
    reference,
    said,
)


def test_one_unit_is_bet_on_the_best_net_price_when_it_is_value(log: Log) -> None:
    log.archive(
        reference(EVEN),
        said(SOFT, {"A": 2.0}),
        said(SOFT, {"A": 2.09}, START + HOUR),
        said("Betfair Exchange UK", {"A": 2.12}, START + HOUR),
        reference(LONGER, KICK_OFF - MINUTE),
    )
    done = log.backtest()
    assert placed(done) == [(SOFT, "A", 2.09, START + HOUR)]
    assert done.bets[0].true_ev == pytest.approx((2.09 / 2.02 - 1) * 100)
    assert done.bets[0].clv_pct == pytest.approx((2.09 / 2.26471 - 1) * 100, abs=0.01)


@pytest.mark.parametrize("last_seen", [30 * MINUTE, 31 * MINUTE])
def test_a_reference_that_never_moved_closes_where_it_was_seen_until_play_began(
    log: Log, last_seen: int
) -> None:
    log.live(reference(EVEN), said(SOFT, {"A": 2.09}), reference(EVEN, KICK_OFF - last_seen))
    log.live(reference(LONGER, KICK_OFF + MINUTE, is_live=True))
    (bet,) = log.backtest().bets
    expected = None if last_seen > 30 * MINUTE else pytest.approx((2.09 / 2 - 1) * 100)
    assert bet.clv_pct == expected


def test_a_price_that_only_an_earlier_reference_would_make_value_is_not_bet_on(log: Log) -> None:
    """The trap: 2.09 is value by the line of an hour before, and by no line that stood with it."""
    log.archive(
        reference(EVEN),
        said(SOFT, {"A": 1.9}),
        said(SOFT, {"A": 2.09}, START + HOUR),
        reference(LONGER, START + HOUR),
        said(SOFT, {"A": 1.9}, START + 2 * HOUR),
        reference(EVEN, START + 2 * HOUR),
    )
    assert placed(log.backtest()) == []


def test_a_price_that_was_recorded_late_is_not_bet_on_at_its_own_time(log: Log) -> None:
    """It is value by a line that came an hour after it was scraped, and before it was recorded."""
    late = said(SOFT, {"A": 2.09}, START + MINUTE)
    log.archive(reference(LONGER), reference(EVEN, START + HOUR))
    log.archive(late)
    assert placed(log.backtest()) == []
    log.archive(said(SOFT, {"A": 2.08}, START + HOUR))
    assert placed(log.backtest()) == [(SOFT, "A", 2.08, START + HOUR)]


def test_a_live_log_goes_by_when_its_rows_were_recorded(log: Log) -> None:
    log.live(reference(EVEN), reference(EVEN | {"B": 1.96}, START + 40 * MINUTE))
    log.now = START + 41 * MINUTE
    log.store.record([said(SOFT, {"A": 2.09}, START + MINUTE)]).result(10)
    assert placed(log.backtest()) == []
    log.live(said(SOFT, {"A": 2.08}, START + 42 * MINUTE))
    assert placed(log.backtest()) == [(SOFT, "A", 2.08, START + 42 * MINUTE)]


def test_nothing_is_bet_on_at_the_moment_at_which_a_game_begins(log: Log) -> None:
    log.archive(reference(EVEN), said(SOFT, {"A": 2.0}))
    log.archive(reference(EVEN, KICK_OFF), said(SOFT, {"A": 2.09}, KICK_OFF))
    assert placed(log.backtest()) == []


def test_an_outcome_is_bet_on_once(log: Log) -> None:
    log.archive(
        reference(EVEN),
        said(SOFT, {"A": 2.07}),
        said("Other", {"A": 2.09}, START + HOUR),
        said("Third", {"B": 2.09}, START + HOUR),
        reference(EVEN, START + HOUR),
    )
    assert [bet[:2] for bet in placed(log.backtest())] == [(SOFT, "A"), ("Third", "B")]


def test_a_bookmaker_below_100_percent_is_not_bet_at(log: Log) -> None:
    log.archive(reference(EVEN), said(SOFT, {"A": 2.07, "B": 2.06}))
    log.archive(said("Other", {"A": 2.07, "B": 1.9}, START + HOUR), reference(EVEN, START + HOUR))
    assert [bet[:2] for bet in placed(log.backtest())] == [("Other", "A")]


def test_after_a_latency_the_price_that_stands_then_is_bet_where_it_still_is_value(
    log: Log,
) -> None:
    log.archive(
        reference(EVEN),
        said(SOFT, {"A": 2.09}),
        said("Other", {"B": 2.09}),
        said(SOFT, {"A": 2.06}, START + 2_000),
        said("Other", {"B": 1.9}, START + 2_000),
        reference(LONGER, KICK_OFF),
    )
    done = log.backtest(latency_ms=5_000)
    assert placed(done) == [(SOFT, "A", 2.06, START + 5_000)]
    assert done.missed == 1
    assert len(log.backtest().bets) == 2


def test_a_game_that_begins_within_the_latency_is_missed(log: Log) -> None:
    log.archive(reference(EVEN, KICK_OFF - MINUTE), said(SOFT, {"A": 2.09}, KICK_OFF - MINUTE))
    log.archive(reference(LONGER, KICK_OFF))
    assert placed(log.backtest(latency_ms=MINUTE)) == []
    assert len(log.backtest(latency_ms=MINUTE - 1).bets) == 1


def test_a_line_that_stands_counts_as_seen_as_long_as_it_is_read(log: Log) -> None:
    """The log holds moves only; when the reference was last seen stands in the present state."""
    log.archive(reference(EVEN), reference(EVEN, START + 5 * HOUR))
    log.archive(said(SOFT, {"A": 2.09}, START + 5 * HOUR))
    assert len(log.backtest().bets) == 1
    log.archive(said("Other", {"B": 2.09}, START + 5 * HOUR + 10 * MINUTE))
    assert len(log.backtest().bets) == 1, "the reference was not seen for ten minutes"


def test_a_bookmaker_that_is_silent_while_others_are_recorded_is_not_bet_at(log: Log) -> None:
    """Its price stood when the reference moved; nobody knows whether it was read meanwhile."""
    later = START + 40 * MINUTE
    log.live(said(SOFT, {"A": 2.09}), reference(LONGER), reference(EVEN, later))
    log.live(said(SOFT, {"A": 2.09}, later + HOUR))
    assert placed(log.backtest()) == []


def test_only_the_span_that_is_asked_for_is_bet_on_with_what_was_known_before(log: Log) -> None:
    log.archive(
        reference(EVEN),
        said(SOFT, {"A": 2.09}),
        said(SOFT, {"A": 2.08}, START + HOUR),
        said(SOFT, {"A": 2.07}, START + 2 * HOUR),
        reference(EVEN, START + 2 * HOUR),
    )
    inside = {"since_ms": START + HOUR, "until_ms": START + 2 * HOUR}
    assert placed(log.backtest(**inside)) == [(SOFT, "A", 2.08, START + HOUR)]
    asked = {"since_ms": START - 2 * HOUR, "until_ms": START}
    empty = log.backtest(**asked)
    assert (empty.rows, empty.bets) == (0, [])
    assert notes(empty, question(**asked)) == [
        "nothing was recorded from 2023-11-14T20:13:20.000Z to 2023-11-14T22:13:20.000Z;"
        " the log covers 2023-11-14T22:13:20.000Z to 2023-11-15T00:13:20.000Z"
    ]
    after = {"since_ms": START + 3 * HOUR}
    late = log.backtest(**after)
    assert (late.asked, notes(late, question(**after))[0][:20]) == (0, "nothing was recorded")


def test_a_reference_without_prices_is_told_with_who_has_some(log: Log) -> None:
    log.archive(said(SOFT, EVEN), said("Other", EVEN))
    assert notes(log.backtest(), question()) == [
        "no price of the sharp book 'Pinnacle' was recorded; bookmakers here: Other, Soft"
    ]
    assert notes(log.backtest(reference="Othr"), question(reference="Othr")) == [
        "no price of the sharp book 'Othr' was recorded (did you mean Other?);"
        " bookmakers here: Other, Soft"
    ]


def test_a_preset_says_what_is_bet_on(log: Log) -> None:
    log.archive(reference(EVEN), said(SOFT, {"A": 2.09}), said("Other", {"A": 2.095}))
    log.archive(said("Third", {"B": 2.06}))
    only = ValueFilter(bookmakers=(SOFT,))
    assert placed(log.backtest(filter=only)) == [(SOFT, "A", 2.09, START)]
    assert [bet.odds for bet in log.backtest(filter=ValueFilter(min_true_ev=4)).bets] == [2.095]


def test_two_archives_one_after_the_other_are_each_gone_through_in_their_own_time(log: Log) -> None:
    for name in ("C vs D", "A vs B"):
        home, away = name.split(" vs ")
        game = {"match_name": name}
        even = {home: 1.95, away: 1.95}
        log.archive(reference(even, **game), said(SOFT, {home: 2.09}, **game))
        log.archive(reference({home: 2.1, away: 1.82}, KICK_OFF, **game))
    done = log.backtest()
    assert [bet.match_name for bet in done.bets] == ["A vs B", "C vs D"]
    assert all(bet.clv_pct is not None for bet in done.bets)


def test_prices_in_play_are_as_old_as_their_last_move_and_have_no_close(log: Log) -> None:
    live, at = {"is_live": True}, KICK_OFF + 20 * MINUTE
    log.archive(reference(EVEN, at, **live), said(SOFT, {"A": 2.09}, at + 30_000, **live))
    log.archive(said("Other", {"B": 2.09}, at + 2 * MINUTE, **live))
    (bet,) = log.backtest().bets
    assert (bet.bookmaker, bet.clv_pct, bet.close and bet.close.why) == (
        *(SOFT, None),
        "placed in play",
    )


def test_results_that_are_known_give_profit_and_others_are_said_to_be_missing(log: Log) -> None:
    names = {"competition": "EPL", "market_type": "total"}
    for game in ("A vs B", "C vs D"):
        fields = names | {"match_name": game}
        log.archive(
            reference({"Over 2.5": 1.95, "Under 2.5": 1.95}, **fields),
            said(SOFT, {"Over 2.5": 2.09}, **fields),
        )
    nothing = log.backtest()
    assert summary(nothing.bets).yield_pct is None
    assert notes(nothing, question())[0].startswith("no results: import them")
    log.store.record_results([GameResult("EPL", "A vs B", KICK_OFF, 2, 1)]).result(10)
    done = log.backtest()
    found = summary(done.bets)
    assert (found.bets, found.settled, found.profit) == (2, 1, pytest.approx(1.09))
    assert notes(done, question())[0] == "1 of 2 bets have no result; the yield leaves them out"
    assert found.settled_text == "1 bet"
    few = replace(found, bets=133)
    assert few.settled_text == "1 of 133 bets"
    assert replace(few, settled=67).settled_text == "67 bets"


NBA = {"competition": "NBA", "match_name": "A vs B"}
LATER = ("Other", {"C": 2.0, "D": 1.9}, KICK_OFF + MINUTE)
"""A row after kick-off, of another game, so that the log covers it."""
ANOTHER = {"competition": "NBA", "match_name": "C vs D", "match_date": KICK_OFF + 24 * HOUR}


def test_results_of_any_sport_and_source_settle_bets(log: Log) -> None:
    over = {"market_type": "total", **NBA}
    log.archive(
        reference(EVEN, **NBA),
        said(SOFT, {"A": 2.09}, **NBA),
        reference({"Over 210.5": 1.95, "Under 210.5": 1.95}, **over),
        said(SOFT, {"Over 210.5": 2.09}, **over),
        said(*LATER, **ANOTHER),
    )
    quarters = tuple(PeriodScore(number, 26, 25) for number in range(1, 5))
    fields = {**NBA, "kick_off": KICK_OFF, "sport": "Basketball", "periods": quarters}
    results = [GameResult(home=104, away=100, source=source, **fields) for source in ("x", "y")]
    log.store.record_results(results).result(10)
    done = log.backtest()
    assert {bet.selection: bet.result for bet in done.bets} == {
        "A": Result.WON,
        "Over 210.5": Result.LOST,
    }
    assert {bet.settled_at for bet in done.bets} == {KICK_OFF}
    assert (done.coverage.with_result, done.coverage.contrary) == (1, 0)


@pytest.mark.parametrize("score", [90, 120])
def test_a_score_that_may_include_overtime_gives_no_result_won_or_lost(
    log: Log, score: int
) -> None:
    """Else Unders would count only if they won."""
    game = {"market_type": "total", **NBA}
    log.archive(
        reference({"Over 200.5": 1.95, "Under 200.5": 1.95}, **game),
        said(SOFT, {"Under 200.5": 2.09}, **game),
    )
    told = GameResult("NBA", "A vs B", KICK_OFF, score, 100, sport="Basketball")
    log.store.record_results([told]).result(10)
    done = log.backtest()
    assert summary(done.bets).settled == 0
    assert notes(done, question())[:2] == [
        "1 of 1 bets have no result; the yield leaves them out",
        "1 of these: it is not known whether overtime counts at the bookmaker",
    ]


def test_the_result_of_another_season_is_of_another_game(log: Log) -> None:
    log.archive(reference(EVEN, **NBA), said(SOFT, {"A": 2.09}, **NBA), said(*LATER, **ANOTHER))
    seasons = ((KICK_OFF, 104), (KICK_OFF - 300 * 24 * HOUR, 90))
    results = [
        GameResult("NBA", "A vs B", kick_off, home, 100, sport="Basketball")
        for kick_off, home in seasons
    ]
    log.store.record_results(results).result(10)
    coverage = log.backtest().coverage
    assert (coverage.with_result, coverage.contrary) == (1, 0)


def test_a_game_whose_sources_contradict_each_other_has_no_result(log: Log) -> None:
    quotes = (reference(EVEN, **NBA), said(SOFT, {"A": 2.09}, **NBA), said(*LATER, **ANOTHER))
    log.archive(*quotes)
    fields = {**NBA, "kick_off": KICK_OFF, "sport": "Basketball"}
    results = [
        GameResult(home=home, away=100, source=source, **fields)
        for source, home in (("x", 104), ("y", 105))
    ]
    log.store.record_results(results).result(10)
    done = log.backtest()
    assert [bet.result for bet in done.bets] == [None]
    assert (done.coverage.with_result, done.coverage.contrary) == (0, 1)
    told = list(coverage_lines(done.coverage, "Pinnacle", CloseBy("Pinnacle")))
    assert "sources contradict each other on 1 game, which counts as without a result" in told
    off = replace(results[1], home=None, away=None, status=GameStatus.CANCELLED)
    log.store.record_results([off]).result(10)
    assert log.backtest().coverage.contrary == 1


@pytest.mark.parametrize(("won", "is_told"), [(0, False), (1, True)])
def test_a_yield_has_no_interval_if_all_bets_lost(log: Log, won: int, is_told: bool) -> None:
    """Two bets on each of twelve games: every resample yields -100 %, which is no interval."""
    for number in range(12):
        for market in ("total", "team_total"):
            said_of = {"match_name": f"A{number} vs B", "competition": "EPL"}
            name = "Over 2.5" if market == "total" else f"A{number} Over 1.5"
            odds = {name: 1.95, name.replace("Over", "Under"): 1.95}
            log.archive(
                reference(odds, market_type=market, **said_of),
                said(SOFT, {name: 2.09}, market_type=market, **said_of),
            )
    bets = [
        replace(bet, result=Result.WON if number < won else Result.LOST)
        for number, bet in enumerate(log.backtest().bets)
    ]
    found = summary(bets[:-3])  # games of one bet and of two: their profits differ, not their yield
    assert len(bets) == 24
    assert (None not in found.yield_range, None not in found.profit_range) == (is_told, is_told)


def test_bets_of_one_moment_stand_by_name_in_whatever_order_a_file_has_them(tmp_path: Path) -> None:
    """Two are won and two lost: the drawdown tells which came first."""
    found = []
    for name, letters in (("one", "CADB"), ("other", "BDAC")):
        log = Log(tmp_path / f"{name}.db")
        for letter in letters:
            fields = {"competition": "EPL", "market_type": "total", "match_name": f"{letter} vs Z"}
            log.archive(
                reference({"Over 2.5": 1.95, "Under 2.5": 1.95}, **fields),
                said(SOFT, {"Over 2.5": 2.09}, **fields),
            )
            goals = 4 if letter in "AC" else 0
            result = GameResult("EPL", f"{letter} vs Z", KICK_OFF, goals, 0)
            log.store.record_results([result]).result(10)
        bets = log.backtest().bets
        found.append([(bet.match_name[0], bet.ident, bet.profit) for bet in bets])
        assert whole_report(bets).drawdown.depth == pytest.approx(-1)
        log.store.close()
    assert found[0] == found[1]
    assert [letter for letter, *_ in found[0]] == list("ABCD")


def test_the_published_formula_is_said_to_judge_its_own_bets_too_well(log: Log) -> None:
    """Of two even sides at 1.95 it makes 1.90 fair: 1.945 is value, and beats its own close."""
    lately = KICK_OFF - 10 * MINUTE
    log.archive(reference(EVEN, lately), said(SOFT, {"A": 1.945, "B": 1.8}, lately))
    caution = (
        "the published formula adds the sharp book's margin instead of removing it, and"
        " overstates: EV"
    )
    asked: dict[str, Any] = {"method": "published"}
    done = log.backtest(**asked)
    (bet,) = done.bets
    assert bet.clv_pct == pytest.approx((1.945 / 2 - 1) * 100)
    assert caution in notes(done, question(**asked))
    asked |= {"close": CloseBy("Pinnacle", "published")}
    done = log.backtest(**asked)
    assert done.bets[0].clv_pct == pytest.approx(2.18, abs=0.01)
    assert f"{caution} and CLV" in notes(done, question(**asked))
    log.archive(said("Other", {"A": 2.09, "B": 1.7}, lately))
    usual = log.backtest()
    assert usual.bets
    assert caution not in notes(usual, question())


@pytest.mark.parametrize(
    ("unmoved", "moved", "told"),
    [(2, 2, True), (1, 0, True), (1, 9, True), (1, 10, False), (0, 2, False)],
)
def test_closes_that_never_moved_are_told_where_they_are_many(
    log: Log, unmoved: int, moved: int, told: bool
) -> None:
    """A tenth of all and more; what the others say without them stands next to it."""
    lately = KICK_OFF - 10 * MINUTE
    for number in range(unmoved + moved):
        game = {"match_name": f"A vs B{number}"}
        even = {"A": 1.95, f"B{number}": 1.95}
        log.archive(reference(even, lately, **game), said(SOFT, {"A": 2.09}, lately, **game))
        if number >= unmoved:
            log.archive(reference({"A": 2.0, f"B{number}": 1.9}, lately + MINUTE, **game))
    done = log.backtest()
    assert summary(done.bets).clv_bets == unmoved + moved
    found = [each for each in notes(done, question()) if "the bets were valued with" in each]
    fair = 1 / (1 / 2.0 - (1 / 2.0 + 1 / 1.9 - 1) / 2)
    rest = f"without them CLV is {(2.09 / fair - 1) * 100:+.2f} %"
    said_of = f"{unmoved} of {unmoved + moved} closing lines are the same odds that the bets were"
    others = rest if moved else "there are no others"
    text = f"{said_of} valued with: their CLV repeats their EV; {others}"
    assert found == ([text] if told else [])


def test_gaps_of_a_live_log_are_told(log: Log) -> None:
    log.live(reference(EVEN), reference(LONGER, START + 3 * HOUR))
    done = log.backtest()
    assert done.gaps == [(START, START + 3 * HOUR)]
    assert "gaps of 3.0 h in total" in notes(done, question())[-1]


def test_another_bookmaker_may_be_the_reference(log: Log) -> None:
    log.archive(said(SOFT, EVEN), reference({"A": 2.09}))
    assert placed(log.backtest()) == []
    assert placed(log.backtest(reference=SOFT)) == [("Pinnacle", "A", 2.09, START)]


def test_a_close_is_read_from_the_log_though_all_was_withdrawn_when_the_game_began(
    log: Log,
) -> None:
    ending = KICK_OFF - 10 * MINUTE
    log.live(reference(EVEN), said(SOFT, {"A": 2.09}), reference(LONGER, ending))
    log.live(reference({}, ending + MINUTE), said(SOFT, {}, ending + MINUTE))
    (bet,) = log.backtest().bets
    assert bet.clv_pct == pytest.approx((2.09 / 2.26471 - 1) * 100, abs=0.01)


@pytest.mark.parametrize("judge", ["Pinnacle", SOFT])
@pytest.mark.parametrize(
    ("closer", "clv"), [("", 2.09 / 2.26471), ("pinnacle", 2.09 / 2.26471), (SOFT, 2.09 / 2.0)]
)
def test_bets_close_by_one_reference_whoever_judged_them_also_those_of_an_imported_file(
    log: Log, judge: str, closer: str, clv: float
) -> None:
    log.live(said(judge, EVEN), said("Other", {"A": 2.09}))
    ending = KICK_OFF - 10 * MINUTE
    log.live(reference(LONGER, ending), said(SOFT, EVEN, ending + MINUTE))
    store, name, by = open_judged(log.path, judge, CloseBy(closer))
    with closing(store):
        done = run_backtest(RecordedLog(store.reader()), question(reference=name, close=by), TODAY)
    file = BytesIO()
    write_csv(done.bets, file)
    (bet,) = read_bets(file.getvalue(), TODAY).bets
    assert (bet.reference, bet.clv_pct) == (judge, pytest.approx((clv - 1) * 100, abs=0.01))
    reopened = replace(bet, ident=1, close=None)
    past = ReaderPast(log.store.reader(), log.store.reference)
    assert closes_from_log(past, [reopened], TODAY, by).found == {1: bet.close}
    assert (by.reference, bet.close and bet.close.reference) == (closer.title() or "Pinnacle",) * 2


VOTERS = ("One", "Two", "Three")
BY_ALL = {"reference": "Consensus"}


def votes(odds: dict[str, float], at: int = START, names: Sequence[str] = VOTERS) -> list[Quote]:
    return [said(name, odds, at) for name in names]


def test_by_the_consensus_a_price_is_judged_by_what_all_others_say_together(log: Log) -> None:
    log.archive(*votes(EVEN), said(SOFT, {"A": 2.09, "B": 1.7}))
    done = log.backtest(**BY_ALL)
    assert placed(done) == [(SOFT, "A", 2.09, START)]
    (bet,) = done.bets
    assert (bet.reference, bet.fair_odds) == ("Consensus", pytest.approx(2.0))
    assert bet.true_ev == pytest.approx((2.09 / 2.02 - 1) * 100)


def test_skins_of_one_operator_are_one_vote_and_two_votes_no_consensus(log: Log) -> None:
    skins = ("One", "Paddy Power", "Betfair Sportsbook")
    log.archive(*votes(EVEN, names=skins), said(SOFT, {"A": 2.09, "B": 1.7}))
    assert placed(log.backtest(**BY_ALL)) == []
    log.archive(said("Two", EVEN))
    assert [bet[0] for bet in placed(log.backtest(**BY_ALL))] == [SOFT]


def test_a_sharp_book_alone_is_said_never_to_be_bet_on(log: Log) -> None:
    line = "Pinnacle is the only bookmaker here, and the sharp book's own prices are never bet on"
    log.archive(reference(EVEN))
    assert line in notes(log.backtest(), question())
    log.archive(said(SOFT, {"A": 1.9}))
    assert line not in notes(log.backtest(), question())


def test_too_few_bookmakers_for_a_consensus_are_told(log: Log) -> None:
    log.archive(*votes(EVEN))
    assert notes(log.backtest(**BY_ALL), question(**BY_ALL)) == [
        "a consensus needs three other bookmakers; bookmakers here: One, Three, Two"
    ]


def test_whoever_went_silent_has_no_vote_where_there_are_enough_others(log: Log) -> None:
    """With Late's opinion 2.12 is fair; forty minutes on nobody knows whether it still is."""
    late, later = said("Late", {"A": 2.04, "B": 1.695}), START + 40 * MINUTE
    usual = {"A": 1.95, "B": 1.8}
    log.live(late, *votes(usual), said(SOFT, {"A": 2.135, "B": 1.7}, START + MINUTE))
    assert placed(log.backtest(**BY_ALL)) == []
    log.live(*votes(usual | {"B": 1.81}, later), said(SOFT, {"A": 2.136, "B": 1.7}, later + MINUTE))
    assert placed(log.backtest(**BY_ALL)) == [(SOFT, "A", 2.136, later + MINUTE)]


def test_a_backtest_learns_from_its_log_who_has_one_supplier(log: Log) -> None:
    """Copy says what One says in 30 games; in the next one the two are one vote."""
    for number in range(31):
        begins = START + number * 24 * 60 * MINUTE
        game = {"match_name": f"A{number} vs B{number}", "match_date": begins + 60 * MINUTE}
        names = {f"A{number}": 1.95 + 0.001 * number, f"B{number}": 1.9}
        log.live(*[said(name, names, begins, **game) for name in ("One", "Copy")])
        other = {f"A{number}": 1.96, f"B{number}": 1.91}
        soft = {f"A{number}": 2.13, f"B{number}": 1.7}
        log.live(said("Two", other, begins, **game), said(SOFT, soft, begins, **game))
    bets = [bet for bet in log.backtest(**BY_ALL).bets if bet.bookmaker == SOFT]
    assert len(bets) == 30


def test_a_consensus_closes_as_it_was_last_before_the_game(log: Log) -> None:
    """All withdraw five minutes before it begins; ten minutes before they said something else."""
    ending = KICK_OFF - 10 * MINUTE
    log.live(*votes(EVEN), said(SOFT, {"A": 2.09, "B": 1.7}))
    log.live(*votes({"A": 1.8, "B": 2.1}, ending), said(SOFT, {}, ending))
    log.live(*votes({}, ending + 5 * MINUTE))
    log.live(said(SOFT, EVEN, KICK_OFF + HOUR, match_name="C vs D"))
    (bet,) = log.backtest(**BY_ALL, close=CloseBy("Consensus")).bets
    fair = 1 / (1 / 1.8 - (1 / 1.8 + 1 / 2.1 - 1) / 2)
    assert bet.clv_pct == pytest.approx((2.09 / fair - 1) * 100)


def test_of_snapshots_with_hours_between_no_consensus_closes_and_why_is_told(log: Log) -> None:
    log.archive(*votes(EVEN), said(SOFT, {"A": 2.09, "B": 1.7}))
    log.archive(*votes({"A": 1.8, "B": 2.1}, KICK_OFF + HOUR))
    done = log.backtest(**BY_ALL, close=CloseBy("Consensus"))
    assert [bet.clv_pct for bet in done.bets] == [None]
    why = "last seen more than 30 minutes before the game"
    assert f"1 of 1 bets have no closing line: {why}" in notes(done, question(**BY_ALL))


def test_prices_refused_though_their_edge_is_large_enough_are_counted_once(log: Log) -> None:
    log.archive(
        reference(EVEN),
        said(SOFT, {"A": 2.3, "B": 1.6}),
        said(SOFT, {"A": 2.31, "B": 1.6}, START + HOUR),
        reference(EVEN, START + HOUR),
        said("Other", {"A": 2.09}, START + HOUR),
        said("Third", {"B": 2.4}, START + HOUR),
    )
    done = log.backtest()
    assert [bet.bookmaker for bet in done.bets] == ["Other"]
    assert done.coverage.refused == {Caution.ABOVE_WINDOW: 2}
    told = list(coverage_lines(done.coverage, "Pinnacle", CloseBy("Pinnacle")))
    assert told[-1] == "prices with enough EV that were refused: likely error, far above fair (2)"


def test_a_line_that_did_not_move_is_told_by_whatever_method_it_closes(log: Log) -> None:
    """Judged in proportion, closed with equal shares: other fair odds of the same prices."""
    lately = KICK_OFF - 10 * MINUTE
    log.archive(reference({"A": 2.2, "B": 1.75}, lately), said(SOFT, {"A": 2.36}, lately))
    asked = {"method": "multiplicative"}
    done = log.backtest(**asked)
    (bet,) = done.bets
    assert bet.close is not None
    assert bet.close.fair_odds != pytest.approx(bet.fair_odds)
    assert any("1 of 1 closing lines are" in line for line in notes(done, question(**asked)))


FOOTBALL = {"match_name": "Leeds vs Hull", "competition": "EFL"}
THREE_WAY = {"Leeds": 2.05, "Draw": 3.5, "Hull": 3.7}
"""X2 is fair at 1.9; value from 1.94."""


def double_chance(log: Log, *last: dict[str, float]) -> None:
    log.archive(
        reference(THREE_WAY, **FOOTBALL),
        said(
            SOFT, {"1X": 1.2, "X2": 2.02, "12": 1.2}, **FOOTBALL | {"market_type": "double_chance"}
        ),
        *(reference(odds, KICK_OFF - MINUTE, **FOOTBALL) for odds in last),
    )


def test_an_implied_price_is_bet_on_and_closes_by_the_lines_that_imply_it(log: Log) -> None:
    double_chance(log, {"Leeds": 2.25, "Draw": 3.4, "Hull": 3.3})
    assert placed(log.backtest()) == [], "the reference prices no double chance"
    done = log.backtest(derived="implied")
    assert placed(done) == [(SOFT, "X2", 2.02, START)]
    (bet,) = done.bets
    assert done.derived[bet.ident] == ("implied", None, True)
    assert bet.derived == "implied"
    by_side = devig(DEFAULT_METHOD, [2.25, 3.4, 3.3]).fair_odds
    fair = 1 / (1 / by_side[1] + 1 / by_side[2])
    assert bet.close is not None
    assert (bet.close.fair_odds, bet.close.odds) == (pytest.approx(fair), None)
    assert (bet.close.reference, bet.close.decided) == ("Pinnacle", 1)
    assert bet.clv_pct == pytest.approx((2.02 / fair - 1) * 100)


def test_lines_last_seen_long_before_the_game_imply_no_close(log: Log) -> None:
    double_chance(log)
    (bet,) = log.backtest(derived="implied").bets
    assert bet.clv_pct is None


def test_a_close_by_another_method_is_not_implied(log: Log) -> None:
    double_chance(log, THREE_WAY)
    (bet,) = log.backtest(derived="implied", close=CloseBy("Pinnacle", "shin")).bets
    assert bet.clv_pct is None


def test_a_modelled_price_is_bet_on_at_the_low_end_of_its_band(log: Log) -> None:
    total = {"market_type": "total"}
    log.archive(
        reference(THREE_WAY, **FOOTBALL),
        reference({"Over 2.5": 1.95, "Under 2.5": 1.95}, **FOOTBALL | total),
        said(SOFT, {"Over 3.5": 3.75, "Under 3.5": 1.25}, **FOOTBALL | total),
    )
    keys = [BandKey("Football", *rest) for rest in (("total", "1"), ("moneyline", "none"))]
    keys.append(BandKey("Football", "total", "none"))
    narrow, wide = ({key: Band(error, 30) for key in keys} for error in (0.005, 0.02))
    done = log.backtest(derived="all", bands=narrow)
    (bet,) = done.bets
    kind, band_pct, has_implied_close = done.derived[bet.ident]
    assert (bet.selection, kind, has_implied_close) == ("Over 3.5", "modelled", False)
    assert band_pct == pytest.approx(3.75 * 0.005 * 100)
    assert bet.clv_pct is None, "the model that picked the bet would judge it"
    assert log.backtest(derived="all", bands=wide).bets == []
    assert log.backtest(derived="implied", bands=narrow).bets == []


def test_a_clv_whose_sign_depends_on_the_method_says_so(log: Log) -> None:
    """Odds of 8.00 and 1.10: fair at 10.08 by ``goto``, at 9.26 by the close's own method, and at
    8.27 by ``multiplicative``."""
    log.archive(
        reference({"A": 7.0, "B": 1.13}),
        said(SOFT, {"A": 8.7}),
        reference({"A": 8.0, "B": 1.10}, KICK_OFF),
    )
    done = log.backtest(rules=rules_named("none", 0), method="multiplicative")
    (bet,) = done.bets
    total = 1 / 8 + 1 / 1.1
    high = (8.7 / (8 * total) - 1) * 100
    assert bet.clv_pct == pytest.approx((8.7 * (1 / 8 - (total - 1) / 2) - 1) * 100)
    assert bet.clv_pct < 0 < high
    errors = math.sqrt(1 - 1 / 8), math.sqrt(1 - 1 / 1.1)
    low = (8.7 * (1 / 8 - (total - 1) * errors[0] / sum(errors)) - 1) * 100
    line = (
        f"CLV is {low:+.2f} % (goto) to {high:+.2f} % (multiplicative),"
        " depending on how the margin is removed from the close: its sign is not certain"
    )
    assert line in notes(done, question())


def test_a_clv_of_one_sign_by_every_method_has_no_such_note(log: Log) -> None:
    log.archive(reference(EVEN), said(SOFT, {"A": 2.09}), reference(EVEN, KICK_OFF))
    done = log.backtest()
    assert len(done.bets) == 1
    assert not any("its sign" in line for line in notes(done, question()))
