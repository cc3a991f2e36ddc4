"""A season bet on, settled, closed, reported and gone through again, against a count of its own."""

import json
import statistics
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from oddsdesk.base.tasks import exhaust, returned
from oddsdesk.board.board import Board
from oddsdesk.board.valuation.bets import Bet, listing_bets
from oddsdesk.cli.backtest import backtest
from oddsdesk.cli.import_ import import_
from oddsdesk.cli.ledger import ledger
from oddsdesk.cli.scorecard import scorecard
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.resources import OddsRow
from oddsdesk.contract.times import format_ms
from oddsdesk.feeds.football_data import convert
from oddsdesk.feeds.imported import SourceFile
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.profiles import shipped_profiles
from tests import money_season

FOOTBALL_DATA = Path(__file__).parents[3] / "shared" / "data" / "football-data"


class Season:
    """A season in a ledger of its own: bets placed, settled and closed by the program."""

    def __init__(self, file: Path, folder: Path) -> None:
        self.file = file
        self.ledger = folder / "ledger.db"
        self.database = folder / "odds.db"

    def run(self, *arguments: str) -> Any:
        done = CliRunner().invoke(ledger, [*arguments, "--ledger", str(self.ledger), "--json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)


@pytest.fixture(scope="module", params=["E0_2425.csv", "F1_2425.csv"])
def season(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Season:
    if not FOOTBALL_DATA.is_dir():
        pytest.skip("the real input next to the project (../shared/data) is missing")
    made = Season(FOOTBALL_DATA / request.param, tmp_path_factory.mktemp("season"))
    with closing(Ledger(made.ledger)) as held:
        held.place_all(list(_placed(made.file)), "placed")
    arguments = ["football-data", str(made.file), "--database", str(made.database)]
    done = CliRunner().invoke(import_, arguments)
    assert done.exit_code == 0, done.output
    return made


@pytest.mark.slow
def test_a_season_is_placed_settled_closed_and_reported_as_by_the_second_count(
    season: Season,
) -> None:
    settled = season.run("settle", "--results", str(season.file))
    season.run("close", "--database", str(season.database))
    (report,) = season.run("report")
    listed = season.run("list")
    counted = list(money_season.bets_of(money_season.read(season.file)))

    assert settled["settled"] == len(counted) > 20
    mine = {_place(bet): bet for bet in listed}
    theirs = {(bet.game, bet.market, bet.side): bet for bet in counted}
    assert mine.keys() == theirs.keys()
    for place, bet in theirs.items():
        row = mine[place]
        assert row["bookmaker"] == bet.bookmaker, place
        assert row["net_odds"] == pytest.approx(bet.net), place
        assert row["ev_pct"] == pytest.approx(bet.expected * 100), place
        assert row["result"] == bet.result, place
        assert row["profit"] == pytest.approx(bet.profit), place
        clv = None if row["clv_pct"] is None else row["clv_pct"] / 100
        assert clv == (None if bet.clv is None else pytest.approx(bet.clv)), place
    total = money_season.summed([theirs[_place(bet)] for bet in listed])
    assert (report["bets"], report["clv_bets"]) == (total.bets, total.clv_bets)
    for name in ("profit", "yield_pct", "expected", "clv_pct", "z"):
        assert report[name] == pytest.approx(getattr(total, name)), name
    assert report["drawdown"] == pytest.approx(total.deepest)
    assert report["beaten_pct"] == pytest.approx(total.beaten / total.clv_bets * 100)


def test_handicaps_of_a_season_end_and_close_as_by_the_second_count(season: Season) -> None:
    """Quarter lines, lines that push, and lines that moved: few of those are value."""
    rows = [row for row in money_season.read(season.file) if row["B365AHH"] and row["PCAHH"]]
    rows = rows[: 60 if season.file.name.startswith("E0") else 20]
    wanted = {f"{row['HomeTeam']} vs {row['AwayTeam']}" for row in rows}
    other = Season(season.file, season.ledger.parent)
    other.ledger = season.ledger.with_name("handicaps.db")
    with closing(Ledger(other.ledger)) as held:
        held.place_all([bet for bet in _handicaps(season.file) if bet.match_name in wanted], "")
    other.run("settle", "--results", str(season.file))
    other.run("close", "--database", str(season.database))
    mine = {_place(bet): bet for bet in other.run("list")}

    assert {row["result"] for row in mine.values()} >= {"won", "lost", "void", "half_won"}
    assert {row["clv_per"] for row in mine.values()} == {"staked", "decided", ""}
    assert any(row["moved_to"] for row in mine.values())
    for row in rows:
        for side, column in enumerate(("B365AHH", "B365AHA")):
            bet = money_season.settled(row, "spread", side, "Bet365", float(row[column]), 0.0)
            found = mine[bet.game, "spread", side]
            assert (found["result"], found["profit"]) == (bet.result, pytest.approx(bet.profit))
            clv = None if bet.clv is None else pytest.approx(bet.clv * 100)
            assert (found["clv_pct"], found["clv_per"]) == (clv, bet.per), bet
            assert (found["no_close"] == "the line moved") == (bet.clv is None)


def _handicaps(file: Path) -> Iterator[PlacedBet]:
    for quote in convert(SourceFile(file.name, file.read_bytes())).quotes:
        is_early = quote.match_date is not None and quote.scraped_at < quote.match_date
        if is_early and (quote.bookmaker, quote.market_type) == ("Bet365", "spread"):
            for selection, odds in quote.odds.items():
                yield PlacedBet(
                    game_id(quote.competition, quote.match_name),
                    *(quote.match_name, quote.competition, "Football", "spread", 0, selection),
                    *("Bet365", odds, 1.0, quote.scraped_at, quote.match_date),
                )


def _place(bet: dict[str, Any]) -> tuple[str, str, int]:
    """Return game, market and side as the second count names them."""
    selection, (home, _) = bet["selection"], bet["match_name"].split(" vs ")
    match bet["market_type"]:
        case "moneyline":
            side = 1 if selection == "Draw" else 0 if selection == home else 2
        case "total":
            side = int(selection.startswith("Under"))
        case _:
            side = int(selection.rsplit(" ", 1)[0] != home)
    return bet["match_name"], bet["market_type"], side


def _placed(file: Path) -> Iterator[PlacedBet]:
    """Yield one unit on what was value at the prices before the close."""
    games: defaultdict[str, list[Quote]] = defaultdict(list)
    for quote in convert(SourceFile(file.name, file.read_bytes())).quotes:
        if quote.match_date is not None and quote.scraped_at < quote.match_date:
            games[quote.match_name].append(quote)
    for quotes in games.values():
        at = quotes[0].scraped_at
        for bet in _value(quotes, at):
            yield _bet(bet, at)


def _value(quotes: list[Quote], at: int) -> list[Bet]:
    board = Board(lambda: at, DEFAULT_METHOD)
    board.set_profiles(shipped_profiles())
    board.name_reference("Pinnacle")
    exhaust(board.merge_rows([_row(quote) for quote in quotes]))
    listed = returned(listing_bets(board.value_bets.values(), board.basis, StakePlan(), now_ms=at))
    return [bet for bet in listed if bet.price.is_value and bet.same_bet_as is None]


def _row(quote: Quote) -> OddsRow:
    assert quote.match_date is not None
    return OddsRow(
        bookmaker=quote.bookmaker,
        match_name=quote.match_name,
        competition=quote.competition,
        sport="Football",
        market_type=quote.market_type,
        period=quote.period,
        is_live=quote.is_live,
        odds=quote.odds,
        match_date=format_ms(quote.match_date),
        scraped_at=format_ms(quote.scraped_at),
        url=None,
        liquidity=None,
    )


def _bet(bet: Bet, at: int) -> PlacedBet:
    price, found = bet.price, bet.price.assessment
    game_id, market_type, period, selection, _ = price.key
    return PlacedBet(
        game_id=game_id,
        match_name=price.match_name,
        competition=price.competition,
        sport=price.sport,
        market_type=market_type,
        period=period,
        selection=selection,
        bookmaker=price.bookmaker,
        odds=found.odds,
        stake=1.0,
        placed_at=at,
        kick_off=price.kick_off,
        fair_odds=found.fair_odds,
        true_ev=found.ev_pct,
        method=DEFAULT_METHOD,
        net_odds=found.net_odds,
    )


EQUAL, PROPORTIONAL = money_season.EQUAL, money_season.PROPORTIONAL
PINNACLE, BET365 = money_season.REFERENCE, money_season.BET365


@pytest.mark.parametrize(
    ("judge", "method", "closed_by"),
    [
        (PINNACLE, EQUAL, (PINNACLE, EQUAL)),
        (PINNACLE, PROPORTIONAL, (PINNACLE, EQUAL)),
        (PINNACLE, PROPORTIONAL, (PINNACLE, PROPORTIONAL)),
        (BET365, PROPORTIONAL, (PINNACLE, EQUAL)),
        (BET365, EQUAL, (BET365, PROPORTIONAL)),
    ],
)
def test_a_backtest_of_a_season_is_the_second_count(
    season: Season, judge: dict[str, str], method: str, closed_by: tuple[dict[str, str], str]
) -> None:
    """By whatever reference and method bets are judged, they close by Pinnacle, unless told."""
    names = {id(PINNACLE): "Pinnacle", id(BET365): "Bet365"}
    asked = ["--reference", names[id(judge)], "--method", method]
    if closed_by != (PINNACLE, EQUAL):
        asked += ["--close-reference", names[id(closed_by[0])], "--close-method", closed_by[1]]
    arguments = ["--database", str(season.database), "--json", *asked]
    done = CliRunner().invoke(backtest, arguments)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["close_reference"], found["close_method"]) == (
        names[id(closed_by[0])],
        closed_by[1],
    )
    mine = {_place(row): row for row in found["rows"]}
    rows = money_season.read(season.file)
    counted = list(money_season.bets_of(rows, judge, method, closed_by))
    assert len(counted) > 10
    theirs = {(bet.game, bet.market, bet.side): bet for bet in counted}

    assert mine.keys() == theirs.keys()
    for place, bet in theirs.items():
        row = mine[place]
        assert (row["bookmaker"], row["result"]) == (bet.bookmaker, bet.result), place
        assert (row["net_odds"], row["profit"]) == pytest.approx((bet.net, bet.profit)), place
        assert row["ev_pct"] == pytest.approx(bet.expected * 100), place
        clv = None if row["clv_pct"] is None else row["clv_pct"] / 100
        assert clv == (None if bet.clv is None else pytest.approx(bet.clv)), place
        assert row["clv_per"] == bet.per, place
    total = money_season.summed(counted)
    assert (found["bets"], found["staked"], found["clv_bets"]) == (
        *(total.bets, total.bets),
        total.clv_bets,
    )
    for name in ("profit", "yield_pct", "clv_pct"):
        assert found[name] == pytest.approx(getattr(total, name)), name
        assert found[f"{name}_low"] < found[name] < found[f"{name}_high"], name


@pytest.mark.parametrize("closed_together", [False, True])
def test_a_backtest_by_the_consensus_is_the_second_count(
    season: Season, closed_together: bool
) -> None:
    """Of match results, the one market that enough bookmakers price."""
    asked = ["--database", str(season.database), "--reference", "consensus", "--json"]
    asked += ["--close-reference", "consensus"] * closed_together
    done = CliRunner().invoke(backtest, asked)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    mine = {_place(row): row for row in found["rows"]}
    rows = money_season.read(season.file)
    counted = list(money_season.by_all_of(rows, closed_together=closed_together))
    theirs = {(bet.game, bet.market, bet.side): bet for bet in counted}

    assert found["reference"] == "Consensus"
    assert len(counted) > 10
    assert mine.keys() == theirs.keys()
    for place, bet in theirs.items():
        row = mine[place]
        assert (row["bookmaker"], row["result"]) == (bet.bookmaker, bet.result), place
        assert (row["net_odds"], row["profit"]) == pytest.approx((bet.net, bet.profit)), place
        assert row["ev_pct"] == pytest.approx(bet.expected * 100), place
        clv = None if row["clv_pct"] is None else row["clv_pct"] / 100
        assert clv == (None if bet.clv is None else pytest.approx(bet.clv)), place
    total = money_season.summed(counted)
    assert (found["bets"], found["clv_bets"]) == (total.bets, total.clv_bets)
    for name in ("profit", "yield_pct", "clv_pct"):
        assert found[name] == pytest.approx(getattr(total, name)), name


@pytest.mark.parametrize("code", sorted(money_season.CODES))
def test_scorecards_of_a_season_are_the_second_count(
    cards: list[dict[str, Any]], season: Season, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hold, value bets and log loss of the match result, each bookmaker by itself."""
    name = money_season.CODES[code]
    monkeypatch.setattr(money_season, "CODES", {code: name})
    rows = money_season.read(season.file)
    (card,) = [card for card in cards if card["bookmaker"] == name]
    holds, losses = money_season.holds(rows, code), money_season.losses(rows, code)
    assert card["hold_pct"] == pytest.approx(statistics.median(holds))
    assert card["hold_pct_low"] <= card["hold_pct"] <= card["hold_pct_high"]
    assert card["hold_pct_count"] == len(holds) > 100
    assert card["log_loss"] == pytest.approx(statistics.fmean(losses))
    assert card["log_loss_count"] == len(losses)
    differences = money_season.losses_vs_reference(rows, code)
    middle, reach = (
        statistics.fmean(differences),
        1.96 * statistics.stdev(differences) / len(differences) ** 0.5,
    )
    assert card["log_loss_vs_reference_count"] == len(differences)
    assert card["log_loss_vs_reference"] == pytest.approx(middle)
    ends = (card["log_loss_vs_reference_low"], card["log_loss_vs_reference_high"])
    assert ends == pytest.approx((middle - reach, middle + reach), abs=reach / 50)
    assert sum(each["came_true_pct_count"] for each in card["calibration"]) == 3 * len(losses)
    value = [bet for bet in money_season.bets_of(rows) if bet.market == "moneyline"]
    clv = [bet.clv * 100 for bet in value if bet.clv is not None]
    assert (card["value_bets"], card["clv_pct_count"]) == (len(value), len(clv))
    assert card["clv_pct"] == (pytest.approx(statistics.fmean(clv)) if clv else None)


@pytest.fixture(scope="module")
def cards(season: Season) -> list[dict[str, Any]]:
    done = CliRunner().invoke(scorecard, ["--database", str(season.database), "--json"])
    assert done.exit_code == 0, done.output
    return [card for card in json.loads(done.stdout) if card["market_type"] == "moneyline"]


def test_coverage_is_the_second_count(tmp_path: Path) -> None:
    """Pinnacle left football-data in January 2026: what came after it is not value, nor none."""
    file = FOOTBALL_DATA / "E0_2526.csv"
    if not file.is_file():
        pytest.skip("the real input next to the project (../shared/data) is missing")
    database = tmp_path / "odds.db"
    arguments = ["football-data", str(file), "--database", str(database)]
    assert CliRunner().invoke(import_, arguments).exit_code == 0
    rows = money_season.read(file)
    days = {id(row): datetime.strptime(row["Date"], "%d/%m/%Y").date() for row in rows}
    priced = [days[id(row)] for row in rows if row["PSH"] or row["P>2.5"] or row["PAHH"]]
    closed = [row for row in rows if row["PSCH"] or row["PC>2.5"] or row["PCAHH"]]

    for command, asked in ((backtest, []), (scorecard, []), (backtest, ["--from", "2026-02-01"])):
        done = CliRunner().invoke(command, ["--database", str(database), "--json", *asked])
        told = json.loads(done.stdout)
        found = told["coverage"] if isinstance(told, dict) else told[0]["coverage"]
        late = [row for row in rows if not asked or days[id(row)] >= date(2026, 2, 1)]
        assert (found["games"], found["begun"], found["with_result"]) == (len(late),) * 3
        assert found["reference_games"] == (0 if asked else len(priced)) != len(late)
        assert found["with_close"] == (0 if asked else len(closed))
        assert found["reference_first_day"] == str(min(priced))
        assert found["reference_last_day"] == str(max(priced))
    assert len(rows) == 380
    assert told["notes"][0].endswith(f"it priced none after {max(priced)}")
