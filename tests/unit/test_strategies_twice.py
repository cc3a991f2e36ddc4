"""Strategies over the seasons at hand, bet by bet, against a count that shares no code with us."""

import json
import re
from collections.abc import Iterable
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
    return json.loads(_run(backtest, "--database", database, "--json", *asked))


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


@pytest.mark.parametrize(("reference", "count"), [("Pinnacle", 489), ("Bet365", 113)])
def test_value_is_judged_by_one_book_and_closed_by_pinnacle(
    database: str, rows: list[dict[str, str]], reference: str, count: int
) -> None:
    found = _bet(database, "--reference", reference, "--method", "multiplicative")

    assert (found["close_reference"], found["close_method"]) == ("Pinnacle", "margin_proportional")
    assert found["bets"] == count
    check_bets(found, money_strategies.value_bets(rows, reference=reference))


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
