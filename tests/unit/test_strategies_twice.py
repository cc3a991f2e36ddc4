"""Strategies over the seasons at hand, bet by bet, against a count that shares no code with us."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from oddsdesk.cli.backtest import backtest
from oddsdesk.cli.export import export
from oddsdesk.cli.import_ import import_
from tests import money_season, money_strategies
from tests.money_strategies import Placed

FOOTBALL_DATA = Path(__file__).parents[3] / "shared" / "data" / "football-data"
FILES = [*sorted(FOOTBALL_DATA.glob("[A-Z]*_*.csv")), *sorted(FOOTBALL_DATA.glob("*/E0_*.csv"))]
_DATED = re.compile(r" \(\d{4}-\d\d-\d\d\)$")
pytestmark = pytest.mark.slow
LONG = pytest.mark.every_season


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    if len(FILES) < 10:
        pytest.skip("the real input next to the project (../shared/data) is missing")
    made = str(tmp_path_factory.mktemp("seasons") / "odds.db")
    _run(import_, "football-data", *map(str, FILES), "--database", made)
    return made


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return [row for file in FILES for row in money_season.read(file)]


def _run(command: Any, *arguments: str) -> str:
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def _bet(database: str, *asked: str) -> Any:
    """Bet, on what the sharp book prices itself."""
    arguments = ["--database", database, "--json", *asked]
    if "best-vs-mean" not in asked:
        arguments += ["--derived", "none"]
    return json.loads(_run(backtest, *arguments))


def _key(row: dict[str, Any]) -> tuple[str, str, str, str, int]:
    """Return competition, day, game, market and side of a bet, as the second count names them."""
    game = _DATED.sub("", row["match_name"])
    home = game.split(" vs ")[0]
    selection, market = row["selection"], row["market_type"]
    name = selection if market == "moneyline" else selection.rsplit(" ", 1)[0]
    side = {home: 0, "Over": 0, "Draw": 1}.get(name, 2 if market == "moneyline" else 1)
    return row["competition"], row["match_date"][:10], game, market, side


def check_bets(found: dict[str, Any], counted: Iterable[Placed]) -> None:
    """Check that the bets are the same, one by one, and so are their sums."""
    placed = list(counted)
    mine = {_key(row): row for row in found["rows"]}
    theirs = {each.key: each for each in placed}
    assert len(placed) == len(theirs)
    assert len(found["rows"]) == len(mine)
    assert mine.keys() == theirs.keys()
    for key, each in theirs.items():
        row, bet = mine[key], each.bet
        assert (row["bookmaker"], row["result"]) == (bet.bookmaker, bet.result), key
        assert (row["net_odds"], row["profit"]) == pytest.approx((bet.net, bet.profit)), key
        assert row["fair_odds"] == pytest.approx(each.fair), key
        clv = None if row["clv_pct"] is None else row["clv_pct"] / 100
        assert clv == (None if bet.clv is None else pytest.approx(bet.clv)), key
        assert row["placed_at"][:19] == each.placed.strftime("%Y-%m-%dT%H:%M:%S"), key
        assert row["match_date"][:19] == each.kick_off.strftime("%Y-%m-%dT%H:%M:%S"), key
    total = money_strategies.totals(placed)
    assert (found["bets"], found["clv_bets"]) == (total.bets, total.clv_bets)
    for name in ("profit", "yield_pct", "clv_pct"):
        assert found[name] == pytest.approx(getattr(total, name)), name
    if total.bets > 100:
        for name, ends in (("yield_pct", total.yield_range), ("clv_pct", total.clv_range)):
            assert ends is not None
            reach = ends[1] - ends[0]
            own = found[f"{name}_low"], found[f"{name}_high"]
            assert own == pytest.approx(ends, abs=reach / 10), name


@pytest.mark.parametrize(
    ("reference", "count"), [("Pinnacle", 489), pytest.param("Bet365", 113, marks=LONG)]
)
def test_value_is_judged_by_one_book_and_closed_by_pinnacle(
    database: str, rows: list[dict[str, str]], reference: str, count: int
) -> None:
    found = _bet(database, "--reference", reference, "--method", "multiplicative")

    assert (found["close_reference"], found["close_method"]) == ("Pinnacle", "margin_proportional")
    assert found["bets"] == count
    check_bets(found, money_strategies.value_bets(rows, reference=reference))


GRID = "method=multiplicative,margin_proportional;reference=Pinnacle,Bet365;least-ev=0,2"


@LONG
def test_each_combination_of_a_grid_is_the_second_count(
    database: str, rows: list[dict[str, str]]
) -> None:
    found = _bet(database, "--grid", GRID)

    assert [run["comparisons"] for run in found] == [8] * 8
    for run in found:
        counted = money_strategies.value_bets(
            rows, reference=run["reference"], method=run["method"], least_ev=run["least_ev"]
        )
        check_bets(run, counted)
    single = _bet(database, "--method", "multiplicative", "--least-ev", "2")
    (same,) = (run for run in found if _setting(run) == ("multiplicative", "Pinnacle", 2))
    assert single["rows"] == same["rows"]
    assert {name: single[name] for name in FIGURES} == {name: same[name] for name in FIGURES}


FIGURES = [
    f"{name}{end}"
    for name in ("profit", "yield_pct", "clv_pct", "clv_bets")
    for end in ("", "_low", "_high")
]


def _setting(run: dict[str, Any]) -> tuple[str, str, float]:
    return run["method"], run["reference"], run["least_ev"]


@LONG
@pytest.mark.parametrize("least_ev", [pytest.param(-5, marks=LONG), 0])
def test_value_without_the_contracts_rules(
    database: str, rows: list[dict[str, str]], least_ev: float
) -> None:
    asked = ["--method", "multiplicative", "--rules", "none", "--least-ev", str(least_ev)]
    counted = money_strategies.value_bets(rows, rules=frozenset(), least_ev=least_ev)
    check_bets(_bet(database, *asked), counted)


@LONG
@pytest.mark.parametrize(
    ("names", "rules"),
    [
        ("Book margin", {"payout"}),
        ("Sharp margin", {"overround"}),
        ("EV ≤", {"max_edge", "edge_cap", "ratio"}),
        ("Price age,Sharp price age", {"age"}),
    ],
)
def test_value_with_one_of_the_contracts_rules(
    database: str, rows: list[dict[str, str]], names: str, rules: set[str]
) -> None:
    found = _bet(database, "--method", "multiplicative", "--rules", names)
    check_bets(found, money_strategies.value_bets(rows, rules=frozenset(rules)))


@LONG
@pytest.mark.parametrize("least_ev", [None, pytest.param(-2, marks=LONG)])
def test_value_at_the_close(
    database: str, rows: list[dict[str, str]], least_ev: float | None
) -> None:
    asked = ["--method", "multiplicative", "--at", "close"]
    rules = money_strategies.RULES
    if least_ev is not None:
        asked += ["--rules", "none", "--least-ev", str(least_ev)]
        rules = frozenset()
    counted = money_strategies.value_bets(rows, rules=rules, least_ev=least_ev, close=True)
    check_bets(_bet(database, *asked), counted)


@LONG
@pytest.mark.parametrize("close", [True, pytest.param(False, marks=LONG)])
def test_value_of_the_best_odds_of_many(
    database: str, rows: list[dict[str, str]], close: bool
) -> None:
    asked = ["--series", "football-data", "--rules", "none", "--least-ev", "0"]
    found = _bet(database, *asked, "--at", "close" if close else "any")
    counted = money_strategies.value_bets(
        rows, method=money_season.EQUAL, rules=frozenset(), least_ev=0, close=close, series=True
    )
    check_bets(found, counted)


@pytest.mark.parametrize("close", [True, pytest.param(False, marks=LONG)])
@pytest.mark.parametrize("alpha", [0.05, 0.034])
def test_the_best_against_the_mean_of_many_bookmakers(
    database: str, rows: list[dict[str, str]], alpha: float, close: bool
) -> None:
    """Kaunitz, Zhong and Kreiner (2017), over football-data's Max and Avg."""
    asked = ["--strategy", "best-vs-mean", "--series", "football-data", "--alpha", str(alpha)]
    found = _bet(database, *asked, "--at", "close" if close else "any")
    check_bets(found, money_strategies.series_bets(rows, alpha, close=close))


@LONG
@pytest.mark.parametrize(
    ("alpha", "least_books", "close"), [(0.034, 3, False), (0.034, 3, True), (0.01, 6, True)]
)
def test_the_best_against_the_mean_of_the_bookmakers(
    database: str, rows: list[dict[str, str]], alpha: float, least_books: int, close: bool
) -> None:
    asked = ["--strategy", "best-vs-mean", "--alpha", str(alpha), "--least-books", str(least_books)]
    found = _bet(database, *asked, "--at", "close" if close else "any")
    counted = money_strategies.best_vs_mean(rows, alpha, least_books=least_books, close=close)
    check_bets(found, counted)


@LONG
def test_stakes_by_a_share_of_the_running_bankroll(
    database: str, rows: list[dict[str, str]]
) -> None:
    asked = ["--method", "multiplicative", "--staking", "proportional"]
    found = _bet(database, *asked, "--share", "2", "--bankroll", "50")
    placed = sorted(
        money_strategies.value_bets(rows), key=lambda each: (each.placed, each.bet.game)
    )
    stakes = dict(
        zip(
            (each.key for each in placed),
            money_strategies.proportional(placed, 0.02, 50),
            strict=True,
        )
    )
    assert {_key(row): row["stake"] for row in found["rows"]} == pytest.approx(stakes)
    profit = sum(stakes[each.key] * each.bet.profit for each in placed)
    assert found["profit"] == pytest.approx(profit)
    assert found["bankroll"]["end"] == pytest.approx(50 + profit)


@LONG
def test_kelly_stakes_of_games_with_one_bet(database: str, rows: list[dict[str, str]]) -> None:
    """By the plain formula, from what the bankroll was when each was placed."""
    asked = ["--method", "multiplicative", "--staking", "kelly", "--share", "25"]
    found = _bet(database, *asked, "--bankroll", "100")["rows"]
    counted = {each.key: each for each in money_strategies.value_bets(rows)}
    games = Counter(row["game_id"] for row in found)
    over = timedelta(hours=2)
    checked = 0
    for row in found:
        each = counted[_key(row)]
        if games[row["game_id"]] > 1 or each.bet.market == "spread":
            continue
        ended = (one for one in found if counted[_key(one)].kick_off + over <= each.placed)
        bankroll = 100 + sum(one["profit"] for one in ended)
        kelly = (each.bet.net / each.fair - 1) / (each.bet.net - 1)
        share = min(kelly / 4, 0.02)
        assert row["stake"] == pytest.approx(math.floor(share * bankroll * 100 + 1e-7) / 100)
        checked += 1
    assert checked > 400


def test_results_of_games_with_half_time_goals_as_fractions(database: str) -> None:
    """pandas saves goals as 0.0 if a column has gaps."""
    games = _exported("results", database)
    season = [
        game
        for game in games
        if game["competition"] == "BUND" and "2024-08" <= game["kick_off"][:7] <= "2025-05"
    ]
    assert len(season) == 306


def test_away_teams_of_two_seasons_as_an_analyst_counts_them(database: str) -> None:
    """Bet365's odds on away teams from 2.5 to 4.0, and how many of these won."""
    scores = {game["game_id"]: game for game in _exported("results", database)}
    away = [
        scores[row["game_id"]]
        for row in _exported("changes", database)
        if (row["bookmaker"], row["competition"]) == ("Bet365", "EPL")
        and "2020-04-01" <= row["match_date"][:10] <= "2022-06-01"
        and row["selection"] == _DATED.sub("", row["match_name"]).split(" vs ")[1]
        and 2.5 <= row["odds"] <= 4.0
    ]
    assert len(away) == 260
    assert sum(game["away"] > game["home"] for game in away) == 93


def _exported(what: str, database: str) -> list[dict[str, Any]]:
    printed = _run(export, what, "-", "--database", database)
    return [json.loads(line) for line in printed.splitlines()]
