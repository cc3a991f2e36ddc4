"""`oddsdesk scorecard --weights`: from a recorded log to the consensus that uses the weights."""

import json
import math
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from oddsdesk.base.clock import system_clock
from oddsdesk.cli.main import main
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult
from oddsdesk.contract.times import MINUTE_MS, parse_ms
from oddsdesk.ledger.own_tables import known_weights, save_weights, weights_file
from oddsdesk.store.store import open_store

DAY_MS = 24 * 60 * MINUTE_MS
SEASONS = tuple(parse_ms(f"{year}-08-15T15:00:00Z") for year in (2021, 2022, 2023))
PER_SEASON = 150
NOISE = {"Pinnacle": 0.01, "Alpha": 0.6, "Beta": 0.6, "Gamma": 0.6}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three seasons in which the sharp book knows the chances, and the others err at random."""
    path = tmp_path_factory.mktemp("log") / "seasons.db"
    random, store = Random(3), open_store(path)
    for number in range(len(SEASONS) * PER_SEASON):
        begins = SEASONS[number // PER_SEASON] + number % PER_SEASON * DAY_MS
        quotes, result = game(number, begins, random)
        store.record(quotes).result(10)
        store.record_results([result]).result(10)
    store.close()
    return path


def game(number: int, begins: int, random: Random) -> tuple[list[Quote], GameResult]:
    chance = 1 / (1 + math.exp(-random.gauss(0, 0.8)))
    teams = f"Home {number}", f"Away {number}"
    goals = (1, 0) if random.random() < chance else (0, 0)
    said = list[Quote]()
    for name, noise in NOISE.items():
        over = 1 / (1 + math.exp(-(math.log(chance / (1 - chance)) + random.gauss(0, noise))))
        odds = {"Over 0.5": price(over), "Under 0.5": price(1 - over)}
        said.append(
            Quote(
                bookmaker=name,
                match_name=" vs ".join(teams),
                competition="EPL",
                market_type="total",
                period=0,
                odds=odds,
                scraped_at=begins - MINUTE_MS,
                match_date=begins,
            )
        )
    return said, GameResult("EPL", " vs ".join(teams), begins, *goals)


def price(chance: float) -> float:
    return max(round(0.97 / chance, 4), 1.01)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


def test_a_sharp_book_gets_the_weight_and_the_consensus_uses_it(log: Path) -> None:
    done = run("scorecard", "--weights", "--database", log, "--save", "--json")
    assert done.exit_code == 0, done.output
    (market,) = json.loads(done.stdout)
    assert (market["sport"], market["market_type"], market["period"]) == ("Football", "total", 0)
    assert market["games"] == sum(fold["games"] for fold in market["folds"])
    assert [fold["name"] for fold in market["folds"]] == ["2021/22", "2022/23", "2023/24"]
    assert max(market["weights"], key=market["weights"].get) == "Pinnacle"
    assert market["is_better"]
    assert market["gain_vs_equal_low"] > 0
    assert "saved in" in done.stderr
    weights, problems = known_weights()
    assert not problems
    assert weights.weights_of("Football", "total", 0, market["method"]) is not None


def test_the_table_has_weights_losses_and_the_verdict(log: Path) -> None:
    done = run("scorecard", "--weights", "--database", log, "--market", "total")
    for said in ("Pinnacle", "equal weights", "gain over Pinnacle alone", "left out in turn"):
        assert said in done.output
    assert not weights_file().exists(), "nothing is saved unless asked"


def test_other_sports_and_markets_are_left_out(log: Path) -> None:
    done = run("scorecard", "--weights", "--database", log, "--sport", "Tennis", "--save")
    assert done.exit_code == 0
    assert "no game has a result and closing lines of three bookmakers" in done.output


@pytest.mark.parametrize("option", [("--save",), ("--sport", "Football"), ("--market", "total")])
def test_options_of_weights_need_it(option: tuple[str, ...]) -> None:
    done = run("scorecard", *option)
    assert done.exit_code == 2
    assert "need --weights" in done.output


def test_a_consensus_is_not_compared_with_itself(log: Path) -> None:
    done = run("scorecard", "--weights", "--database", log, "--reference", "consensus")
    assert done.exit_code == 2
    assert "name one with --reference" in done.output


def test_bets_by_learned_weights_say_where_there_are_none(tmp_path: Path) -> None:
    now, path = system_clock(), tmp_path / "now.db"
    store = open_store(path)
    quotes, _ = game(1, now + DAY_MS, Random(1))
    store.record([replace(quote, scraped_at=now - 1000) for quote in quotes]).result(10)
    store.close()
    done = run("bets", "--database", path, "--reference", "Consensus (Learned)")
    assert done.exit_code == 0, done.output
    assert "sharp book: Consensus (learned)" in done.output
    assert "no learned weights are better than equal ones" in done.output


def test_saving_keeps_the_weights_of_other_markets(log: Path) -> None:
    run("scorecard", "--weights", "--database", log, "--save")
    (saved,) = known_weights().weights.markets
    other = replace(saved, period=1)
    save_weights([other])
    assert known_weights().weights.markets == (saved, other)


@pytest.mark.parametrize("text", ["{", "[1]", '[{"sport": "Football"}]'])
def test_a_damaged_file_is_reported_and_leaves_equal_weights(text: str) -> None:
    weights_file().parent.mkdir(parents=True, exist_ok=True)
    weights_file().write_text(text)
    weights, problems = known_weights()
    assert not weights.markets
    (problem,) = problems
    assert str(weights_file()) in problem
    assert "scorecard --weights --save" in problem
