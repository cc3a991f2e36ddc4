"""A log is read once, and games are looked at only where something can be bet on."""

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from oddsdesk.cli.import_ import import_
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult
from oddsdesk.ledger.presets import ValueFilter
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.consensus import CONSENSUS_TITLE
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.pricing.value import own_rules
from oddsdesk.research.backtests import run_backtest, run_backtests
from oddsdesk.research.past_game import PastGame
from oddsdesk.research.question import Question, rules_named
from oddsdesk.research.recorded_log import RecordedLog
from oddsdesk.store.store import open_store

SEASON = Path(__file__).parents[4] / "shared" / "data" / "football-data" / "E0_2425.csv"
MINUTE = 60_000
HOUR = 60 * MINUTE
START = 1_700_000_000_000
TODAY = START + 100 * HOUR
LIMIT_S = 20
COMPETITIONS = ("EPL", "NBA", "ATP")
SHARP = ("Pinnacle", "Sharp")
BOOKMAKERS = (*SHARP, "Betfair Exchange UK", "Soft", "Other")
STEP = 3 * MINUTE
TURNS = 110
"""Of a game; it begins after 100."""


def markets(home: str, away: str, competition: str) -> list[tuple[str, dict[str, float]]]:
    """Chances of each line of a game, by market type."""
    draws = (
        {home: 0.4, "Draw": 0.28, away: 0.32} if competition == "EPL" else {home: 0.55, away: 0.45}
    )
    return [
        ("moneyline", draws),
        ("total", {"Over 2.5": 0.5, "Under 2.5": 0.5}),
        ("total", {"Over 3": 0.4, "Under 3": 0.6}),
        ("spread", {f"{home} -0.5": 0.5, f"{away} +0.5": 0.5}),
        ("draw_no_bet", {home: 0.56, away: 0.44}),
    ]


def quotes(seed: int, *, is_archive: bool) -> Iterator[tuple[int, Quote]]:
    """Yield when something was recorded and what: moves, withdrawals, late rows, prices in play."""
    chance = random.Random(seed)
    for number in range(7):
        competition = COMPETITIONS[number % 3]
        home, away = f"Home {number}", f"Away {number}"
        begin = START + number * 8 * HOUR
        kick_off = begin + 100 * STEP
        lines, opens = markets(home, away, competition), chance.choice((0, 10, 20))
        for turn in range(TURNS):
            at = begin + turn * STEP
            if turn == 105 and number == 3:
                kick_off += 20 * STEP  # put off, though it should have begun
            market_type, chances = chance.choice(lines)
            for side in chances:
                chances[side] *= chance.uniform(0.98, 1.02)
            whole = sum(chances.values())
            bookmaker = chance.choice(BOOKMAKERS)
            if bookmaker in SHARP and turn < opens:
                continue
            margin = 1.02 if bookmaker in SHARP else chance.uniform(0.98, 1.02)
            odds = {side: round(whole / each / margin, 2) for side, each in chances.items()}
            if chance.random() < 0.1:
                odds.pop(chance.choice(list(odds)))
            quote = Quote(
                bookmaker=bookmaker,
                match_name=f"{home} vs {away}",
                competition=competition,
                market_type=market_type,
                period=0,
                odds=odds,
                scraped_at=at,
                match_date=None if number == 5 else kick_off,
                is_live=turn > 102 and number % 2 == 0,
            )
            late = 0 if is_archive else chance.choice((0, 0, 2_000, 30 * MINUTE))
            yield (TODAY if is_archive else at + late), quote


@pytest.fixture(scope="module", params=[False, True], ids=["live", "archive"])
def log(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RecordedLog]:
    now = 0
    path = tmp_path_factory.mktemp("log") / "odds.db"
    with closing(open_store(path, clock=lambda: now)) as store:
        recorded = sorted(quotes(3, is_archive=request.param), key=lambda each: each[0])
        for now, quote in recorded:  # noqa: B007 - the clock reads it
            store.record([quote]).result(LIMIT_S)
        for number in range(5):
            game = COMPETITIONS[number % 3], f"Home {number} vs Away {number}"
            ended = GameResult(*game, START + (number * 8 + 5) * HOUR, number % 3, 1)
            store.record_results([ended]).result(LIMIT_S)
        yield RecordedLog(store.reader())


def question(**asked: Any) -> Question:
    usual = {
        "reference": "Pinnacle",
        "method": "multiplicative",
        "close": CloseBy("Pinnacle"),
        "profiles": shipped_profiles(),
    }
    return Question(**(usual | asked))


QUESTIONS: dict[str, dict[str, Any]] = {
    "usual": {},
    "another reference": {"reference": "Sharp", "method": "power"},
    "with a latency": {"latency_ms": 4 * MINUTE, "derived": "implied"},
    "of a span": {"since_ms": START + 9 * HOUR, "until_ms": START + 52 * HOUR},
    "no rules": {"rules": rules_named("none"), "method": "shin"},
    "consensus": {"reference": CONSENSUS_TITLE},
}


@pytest.mark.parametrize("asked", QUESTIONS.values(), ids=QUESTIONS)
def test_prices_that_nobody_can_bet_on_wait_and_nothing_differs(
    log: RecordedLog, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    lazy = run_backtest(log, question(**asked), TODAY)
    monkeypatch.setattr(PastGame, "may_have_value", lambda *_: True)
    assert run_backtest(log, question(**asked), TODAY) == lazy
    assert len(lazy.bets) >= 3


def test_many_questions_in_one_pass_have_the_answers_of_each_alone(log: RecordedLog) -> None:
    asked = [question(**each) for each in QUESTIONS.values()]
    asked += [
        question(method=method, reference=reference, rules=own_rules(min_ev=least))
        for method in ("multiplicative", "power")
        for reference in ("Pinnacle", "Sharp")
        for least in (2, -1, 1)
    ]
    asked.append(question(close=CloseBy("Sharp", "shin"), filter=ValueFilter(min_true_ev=2)))
    together = run_backtests(log, asked, TODAY)
    for each, found in zip(asked, together, strict=True):
        assert found == run_backtest(log, each, TODAY)
    assert len({len(each.bets) for each in together}) > 5


@pytest.mark.slow
@pytest.mark.every_season
def test_a_real_season_in_one_pass_has_the_answers_of_each_alone(tmp_path: Path) -> None:
    if not SEASON.is_file():
        pytest.skip("the real input next to the project (../shared/data) is missing")
    path = tmp_path / "season.db"
    arguments = ["football-data", str(SEASON), "--database", str(path)]
    assert CliRunner().invoke(import_, arguments).exit_code == 0
    asked = [
        question(method=method, reference=reference, rules=rules_named(least_ev=least))
        for method in ("multiplicative", "shin")
        for reference in ("Pinnacle", "Bet365")
        for least in (0, 1)
    ]
    with closing(open_store(path, read_only=True)) as store:
        log = RecordedLog(store.reader())
        together = run_backtests(log, asked, TODAY + 10_000 * HOUR)
        for each, found in zip(asked, together, strict=True):
            assert found == run_backtest(log, each, TODAY + 10_000 * HOUR)
    assert sum(len(each.bets) for each in together) > 500
