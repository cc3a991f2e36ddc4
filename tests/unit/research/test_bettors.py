"""What a backtest bets on: other rules than the contract's, the last prices, other strategies."""

from typing import Any

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.series import GameSeries, SeriesPoint
from oddsdesk.ledger.presets import ValueFilter
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.research.backtest_summary import notes
from oddsdesk.research.question import SettingsError, rules_named
from tests.kit.replays import (
    EVEN,
    HOUR,
    KICK_OFF,
    MINUTE,
    SOFT,
    START,
    Log,
    placed,
    question,
    reference,
    said,
)

WIDE = {"A": 1.8, "B": 1.8}
"""Fair at 2.00, with a margin of 11 %."""
CROSSED = {"A": 2.1, "B": 2.1}
"""Fair at 2.00, with a margin of -5 %."""


def bet_at(odds: float, **fields: Any) -> Quote:
    return said(SOFT, {"A": odds}, **fields)


@pytest.mark.parametrize(
    ("line", "odds", "rule"),
    [
        (EVEN, 2.12, "Book margin"),
        (EVEN, 2.5, "EV ≤"),
        (WIDE, 2.1, "Sharp margin"),
        (CROSSED, 2.1, "Sharp margin"),
    ],
)
def test_a_rule_that_is_off_lets_its_prices_be_bet_on(
    log: Log, line: dict[str, float], odds: float, rule: str
) -> None:
    log.archive(reference(line), bet_at(odds))
    assert log.backtest().bets == []
    (bet,) = log.backtest(rules=rules_named("none")).bets
    assert (bet.odds, bet.fair_odds, bet.cautions) == (odds, pytest.approx(2.0), ())
    assert log.backtest(rules=rules_named(rule)).bets == []


@pytest.mark.parametrize(("old", "rule"), [(0, "Price age"), (1, "Sharp price age")])
def test_old_prices_are_bet_on_without_the_rules_of_ages(log: Log, old: int, rule: str) -> None:
    """One of both was never seen again when the other moved hours later."""
    quotes = [
        (bet_at(2.09), reference(EVEN, START + HOUR)),
        (reference(EVEN), bet_at(2.09, at=START + HOUR)),
    ][old]
    log.live(*quotes)
    assert log.backtest().bets == []
    assert log.backtest(rules=rules_named(rule)).bets == []
    off = "Sharp price age" if rule == "Price age" else "Price age"
    names = f"Book margin, Sharp margin, EV <=, {off}"
    assert placed(log.backtest(rules=rules_named(names))) == [(SOFT, "A", 2.09, START + HOUR)]


def test_a_least_ev_below_zero_bets_on_what_loses_that_much_at_most(log: Log) -> None:
    log.archive(reference(EVEN), said(SOFT, {"A": 1.91, "B": 1.89}))
    assert log.backtest().bets == []
    (bet,) = log.backtest(rules=rules_named(least_ev=-5)).bets
    assert (bet.selection, bet.ev) == ("A", pytest.approx(-4.5))
    assert len(log.backtest(rules=rules_named("none", -5)).bets) == 1


def test_the_least_ev_of_a_line_that_pushes_is_per_unit_staked(log: Log) -> None:
    """Over 2 is fair at 2.00 of what is decided, and a third of the stakes comes back."""
    game = {"match_name": "C vs D", "competition": "EPL", "market_type": "total"}
    lines = {"Over 1.5": 1.46, "Under 1.5": 2.79, "Over 2": 1.95, "Under 2": 1.95}
    lines |= {"Over 2.5": 2.79, "Under 2.5": 1.46}
    log.archive(reference(lines, **game), said(SOFT, {"Over 2": 1.87}, **game))
    (bet,) = log.backtest(rules=rules_named("none", -5)).bets
    assert bet.ev is not None
    assert -5 < bet.ev < -4
    assert (1.87 / (bet.fair_odds or 0) - 1) * 100 < -5
    assert log.backtest(rules=rules_named("none", bet.ev + 0.01)).bets == []


@pytest.mark.parametrize("at", ["any", "close"])
def test_more_rules_and_a_higher_least_ev_bet_on_less(log: Log, at: str) -> None:
    """Each game has other odds at the bookmaker and another margin of the sharp book."""
    for number in range(60):
        game = {"match_name": f"C{number} vs D{number}", "match_date": KICK_OFF}
        sharp = 1.8 + number % 4 * 0.08
        odds = {f"C{number}": 1.8 + number * 0.015, f"D{number}": 1.9}
        line = {f"C{number}": sharp, f"D{number}": sharp}
        log.archive(reference(line, KICK_OFF - 1, **game), said(SOFT, odds, KICK_OFF - 1, **game))
    found = {}
    for names in ("contract", "Book margin", "none"):
        for least in (-5.0, -2.5, 0.0, 2.0, 5.0):
            bets = log.backtest(at=at, rules=rules_named(names, least)).bets
            assert all(bet.ev is not None and bet.ev >= least - 1e-9 for bet in bets)
            found[names, least] = {(bet.game_id, bet.selection) for bet in bets}
    for (names, least), bets in found.items():
        for (fewer, lower), more in found.items():
            if lower <= least and fewer in (names, "none"):
                assert bets <= more
    assert len(found["none", -5.0]) > len(found["none", 2.0]) > len(found["contract", 2.0]) > 0
    assert found["contract", -5.0] < found["Book margin", -5.0] < found["none", -5.0]


def at_close(log: Log, **asked: Any) -> list[tuple[str, str, float, int]]:
    return placed(log.backtest(at="close", **asked))


def test_at_the_close_bets_are_on_the_prices_of_kick_off(log: Log) -> None:
    log.archive(
        reference(EVEN),
        bet_at(2.09),
        reference({"A": 1.9, "B": 2.0}, KICK_OFF),
        said(SOFT, {"A": 1.85, "B": 2.1}, KICK_OFF),
        said("Late", {"A": 3.0}, KICK_OFF + MINUTE),
    )
    assert placed(log.backtest()) == [(SOFT, "A", 2.09, START)]
    done = log.backtest(at="close")
    assert placed(done) == [(SOFT, "B", 2.1, KICK_OFF)]
    (bet,) = done.bets
    assert bet.clv_pct == pytest.approx(bet.ev)
    assert any("their CLV is their EV" in line for line in notes(done, question(at="close")))


def test_the_closing_line_of_a_bet_at_the_close_may_be_another_sharp_books(log: Log) -> None:
    log.archive(
        reference(EVEN, KICK_OFF),
        bet_at(2.09, at=KICK_OFF),
        said("Other", {"A": 1.8, "B": 2.1}, KICK_OFF),
    )
    (bet,) = log.backtest(at="close", close=CloseBy("Other")).bets
    assert bet.close is not None
    assert (bet.close.reference, bet.close.at) == ("Other", KICK_OFF)
    assert bet.clv_pct is not None
    assert bet.ev is not None
    assert bet.clv_pct > bet.ev


def test_a_live_log_closes_with_what_was_last_seen_before_kick_off(log: Log) -> None:
    quotes = [reference(EVEN), bet_at(2.05), bet_at(2.09, at=KICK_OFF - 2 * MINUTE)]
    quotes += [reference({"A": 1.96, "B": 1.95}, KICK_OFF - MINUTE)]
    quotes += [bet_at(2.3, at=KICK_OFF + 2 * MINUTE, is_live=True)]
    log.live(*quotes)
    assert at_close(log) == [(SOFT, "A", 2.09, KICK_OFF)]


def test_a_game_that_starts_early_closes_before_its_first_price_in_play(log: Log) -> None:
    early = KICK_OFF - 5 * MINUTE
    log.live(
        reference(EVEN, early - 2 * MINUTE),
        bet_at(2.09, at=early - MINUTE),
        reference(EVEN, early, is_live=True),
        bet_at(2.3, at=early, is_live=True),
    )
    done = log.backtest(at="close")
    assert placed(done) == [(SOFT, "A", 2.09, early - MINUTE)]
    assert done.bets[0].clv_pct == pytest.approx(done.bets[0].ev)


def test_a_price_that_was_last_seen_long_before_is_bet_on_without_the_rule_of_its_age(
    log: Log,
) -> None:
    log.archive(reference(EVEN), bet_at(2.09), reference(EVEN, KICK_OFF))
    assert at_close(log) == []
    off = rules_named("Book margin, Sharp margin, EV <=, Sharp price age")
    assert at_close(log, rules=off) == [(SOFT, "A", 2.09, KICK_OFF)]


def test_the_consensus_may_value_and_close_bets_at_the_close(log: Log) -> None:
    log.archive(
        *(said(name, EVEN, KICK_OFF) for name in ("One", "Two", "Three", "Four")),
        bet_at(2.09, at=KICK_OFF),
    )
    by = {"reference": "consensus", "close": CloseBy("Consensus")}
    (bet,) = log.backtest(at="close", **by).bets
    assert (bet.bookmaker, bet.odds, bet.placed_at) == (SOFT, 2.09, KICK_OFF)
    assert bet.clv_pct == pytest.approx(bet.ev)


def test_a_span_and_a_preset_hold_at_the_close(log: Log) -> None:
    log.archive(reference(EVEN, KICK_OFF), bet_at(2.09, at=KICK_OFF))
    assert len(at_close(log, since_ms=KICK_OFF, until_ms=KICK_OFF + 1)) == 1
    assert at_close(log, since_ms=KICK_OFF + 1) == []
    assert at_close(log, until_ms=KICK_OFF) == []
    assert at_close(log, filter=ValueFilter(max_odds=2.0)) == []
    assert at_close(log, mine=lambda name: name != SOFT) == []


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"at": "close", "latency_ms": 1}, "Bets at the close cannot have a latency"),
        ({"series": "other"}, "No series is called “other”; known series: football-data"),
        ({"alpha": 1.0}, "Alpha is from 0 to below 1, not 1"),
        ({"least_books": 0}, "At least 1 bookmaker must price a bet, not 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused_in_words(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        question(**asked)


MATCH = {"match_name": "C vs D", "competition": "EPL"}
TOTAL = MATCH | {"market_type": "total"}


def three(bookmaker: str, home: float, draw: float, away: float, at: int = START) -> Quote:
    return said(bookmaker, {"C": home, "Draw": draw, "D": away}, at, **MATCH)


def against_mean(log: Log, **asked: Any) -> list[tuple[str, str, float, int]]:
    return placed(log.backtest(strategy="best-vs-mean", **asked))


def test_best_odds_are_bet_on_where_they_beat_the_mean_of_all(log: Log) -> None:
    """The means are 2.2, 3.4 and 3.9; with alpha 0.05 fair odds are 2.472, 4.096 and 4.845."""
    log.archive(
        three("One", 2.0, 3.0, 4.9), three("Two", 2.1, 3.1, 3.3), three("Three", 2.5, 4.1, 3.5)
    )
    done = log.backtest(strategy="best-vs-mean", least_books=3)
    assert placed(done) == [
        ("Three", "C", 2.5, START),
        ("One", "D", 4.9, START),
        ("Three", "Draw", 4.1, START),
    ]
    first = done.bets[0]
    assert first.fair_odds == pytest.approx(1 / (1 / 2.2 - 0.05))
    assert first.ev == pytest.approx((2.5 * (1 / 2.2 - 0.05) - 1) * 100)
    assert (first.method, first.reference, first.per) == (
        "best-vs-mean",
        "mean of all bookmakers",
        "staked",
    )
    assert against_mean(log, least_books=4) == []
    assert against_mean(log, alpha=0.06) == []


def test_commission_and_the_users_bookmakers_count_for_the_best_odds_only(log: Log) -> None:
    exchange = "Betfair Exchange UK"
    log.archive(
        three("One", 2.0, 3.0, 3.0), three(exchange, 2.6, 3.0, 3.0), three("Two", 2.0, 3, 3)
    )
    (bet,) = log.backtest(strategy="best-vs-mean", alpha=0.0).bets
    assert (bet.bookmaker, bet.odds) == (exchange, 2.6)
    assert bet.net_odds is not None
    assert bet.net_odds < 2.6
    assert bet.fair_odds == pytest.approx(2.2)
    assert against_mean(log, alpha=0.0, mine=lambda name: name != exchange) == []
    assert against_mean(log, alpha=0.0, filter=ValueFilter(max_odds=2.5)) == []
    assert len(against_mean(log, alpha=0.0, filter=ValueFilter(bookmakers=(exchange,)))) == 1


def test_a_side_is_bet_on_once_and_never_from_kick_off_on(log: Log) -> None:
    log.archive(
        *(three(name, 2.0, 3.0, 3.0) for name in ("One", "Two", "Three")),
        three("Three", 2.6, 3.0, 3.0, START + HOUR),
        three("Three", 2.7, 3.0, 3.0, START + 2 * HOUR),
        *(three(name, 2.0, 3.0, 3.0, KICK_OFF) for name in ("One", "Two")),
        three("Three", 2.8, 4.2, 3.0, KICK_OFF),
    )
    assert against_mean(log, rules=rules_named("none")) == [("Three", "C", 2.6, START + HOUR)]
    assert against_mean(log, at="close") == [
        ("Three", "C", 2.8, KICK_OFF),
        ("Three", "Draw", 4.2, KICK_OFF),
    ]


def test_a_price_that_was_not_seen_lately_counts_neither_for_the_mean_nor_as_the_best(
    log: Log,
) -> None:
    log.archive(
        three("Old", 3.0, 3.0, 3.0),
        *(three(name, 2.0, 3.0, 3.0, KICK_OFF) for name in ("One", "Two", "Three")),
    )
    assert against_mean(log, at="close", alpha=0.01) == []
    without = rules_named("none")
    assert against_mean(log, at="close", alpha=0.01, rules=without) == [("Old", "C", 3.0, KICK_OFF)]


def test_only_match_results_with_a_draw_are_bet_on(log: Log) -> None:
    log.archive(*(said(name, {"A": odds, "B": 2.0}) for name, odds in (("One", 2.0), ("Two", 3.0))))
    assert against_mean(log, alpha=0.0, least_books=1) == []


SERIES = "Best of many (football-data)"


def record_series(log: Log, *points: SeriesPoint) -> None:
    series = GameSeries("EPL", "C vs D", KICK_OFF, points, source="football-data")
    log.store.record_series([series]).result(10)


def result_odds(kind: Any, at: int, *odds: float) -> SeriesPoint:
    sides = dict(zip(("C", "Draw", "D"), odds, strict=True))
    return SeriesPoint("moneyline", 0, kind, at == KICK_OFF, at, sides)


def test_best_odds_of_a_series_are_bet_on_where_they_beat_its_mean(log: Log) -> None:
    log.archive(three("Pinnacle", 2.0, 3.4, 3.9), three("Pinnacle", 2.1, 3.4, 3.6, KICK_OFF))
    record_series(
        log,
        result_odds("best", START, 2.3, 3.5, 5.2),
        result_odds("mean", START, 2.2, 3.4, 4.0),
        result_odds("best", KICK_OFF, 2.6, 3.5, 4.0),
        result_odds("mean", KICK_OFF, 2.2, 3.4, 4.0),
    )
    series = {"series": "football-data", "least_books": 50, "mine": lambda _: False}
    assert against_mean(log, **series) == [(SERIES, "D", 5.2, START)]
    done = log.backtest(strategy="best-vs-mean", at="close", **series)
    assert placed(done) == [(SERIES, "C", 2.6, KICK_OFF)]
    (bet,) = done.bets
    assert (bet.net_odds, bet.reference) == (2.6, "mean of many (football-data)")
    assert bet.close is not None
    assert (bet.close.reference, bet.close.odds) == ("Pinnacle", 2.1)


def test_value_on_a_series_is_judged_by_the_sharp_book_and_the_rules(log: Log) -> None:
    """The series' line of less than 100 % is no warning: it is not one bookmaker's."""
    log.archive(
        three("Pinnacle", 2.0, 3.5, 3.9),
        three(SOFT, 2.2, 3.4, 3.9),
        three("Pinnacle", 2.0, 3.5, 3.9, KICK_OFF),
    )
    record_series(
        log, result_odds("best", START, 2.15, 4.6, 3.95), result_odds("best", KICK_OFF, 2.16, 3, 3)
    )
    done = log.backtest(series="football-data")
    assert placed(done) == [(SERIES, "C", 2.15, START)]
    assert done.bets[0].clv_pct == pytest.approx(done.bets[0].ev)
    assert done.coverage.refused
    both = log.backtest(series="football-data", rules=rules_named("none"))
    assert [bet.selection for bet in both.bets] == ["C", "Draw"]
    assert at_close(log, series="football-data") == [(SERIES, "C", 2.16, KICK_OFF)]
    assert at_close(log) == []


def test_a_series_has_no_say_in_the_consensus(log: Log) -> None:
    names = ("One", "Two", "Three", "Four")
    log.archive(*(three(name, 2.0, 3.5, 3.9) for name in names))
    by = {"reference": "consensus", "close": CloseBy("Consensus"), "rules": rules_named("none")}
    record_series(log, result_odds("best", START, 2.4, 3.0, 3.0))
    (bet,) = log.backtest(series="football-data", **by).bets
    (fair,) = {
        each.fair_odds
        for each in log.backtest(**by | {"rules": rules_named("none", -5)}).bets
        if each.selection == "C"
    }
    assert bet.fair_odds == pytest.approx(fair)


def series_notes(log: Log, **asked: Any) -> list[str]:
    named = {"strategy": "best-vs-mean", "series": "football-data"} | asked
    return notes(log.backtest(**named), question(**named))


def test_best_odds_above_every_recorded_bookmaker_are_counted(log: Log) -> None:
    """C is bet on at 2.6. The log has 2.1, 2.2 at an exchange, and 9.0 that is hours old."""
    log.archive(
        three("Old", 9.0, 3.4, 3.6),
        three("Pinnacle", 2.1, 3.4, 3.6, KICK_OFF),
        three("Betfair Exchange UK", 2.2, 3.4, 3.6, KICK_OFF),
    )
    record_series(
        log,
        result_odds("best", KICK_OFF, 2.6, 3.5, 4.0),
        result_odds("mean", KICK_OFF, 2.2, 3.4, 4.0),
    )
    done = log.backtest(strategy="best-vs-mean", series="football-data", at="close")
    (bet,) = done.bets
    assert bet.close is not None
    assert bet.close.fair_odds is not None
    fair = bet.close.fair_odds
    net = shipped_profiles().charging("Betfair Exchange UK")
    assert net is not None
    there = max(2.1, net.net(2.2)) / fair * 100 - 100
    line = (
        "1 of 1 best prices are above every bookmaker recorded here, by 18.2 % on average; at the"
        f" best recorded price, after commission, CLV is {there:+.2f} % instead of"
        f" {2.6 / fair * 100 - 100:+.2f} % over 1 bet"
    )
    assert line in series_notes(log, at="close")
    assert line in series_notes(log, at="close", rules=rules_named("none"))
    assert not any("recorded here" in each for each in notes(done, question()))


def test_best_odds_that_a_recorded_bookmaker_had_are_not_counted(log: Log) -> None:
    log.archive(three("Pinnacle", 2.1, 3.4, 3.6), three(SOFT, 2.6, 3.4, 3.5))
    record_series(
        log, result_odds("best", START, 2.6, 3.5, 4.0), result_odds("mean", START, 2.2, 3.4, 4.0)
    )
    assert "0 of 1 best prices are above every bookmaker recorded here; the CLV at the best" in (
        "\n".join(series_notes(log))
    )
    log.archive(three("Pinnacle", 2.1, 3.4, 3.6, KICK_OFF))
    (line,) = (each for each in series_notes(log) if "recorded here" in each)
    clv = log.backtest(strategy="best-vs-mean", series="football-data").bets[0].clv_pct
    assert line.endswith(f"CLV is {clv:+.2f} % instead of {clv:+.2f} % over 1 bet")


def test_best_odds_without_any_recorded_price_are_named(log: Log) -> None:
    log.archive(said("Pinnacle", {"Over 2.5": 1.9, "Under 2.5": 1.9}, **TOTAL))
    record_series(
        log, result_odds("best", START, 2.6, 3.5, 4.0), result_odds("mean", START, 2.2, 3.4, 4.0)
    )
    assert "no bookmaker's price was recorded for these bets: nothing shows who had the prices" in (
        series_notes(log)
    )
