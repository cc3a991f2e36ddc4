"""`bets` and `arbitrage` on a real moment, against counts that share no code with them."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import product
from math import exp, factorial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

import oddsdesk.cli.arbitrage as arbitrage_command
import oddsdesk.cli.bets as command
from oddsdesk.base.clock import system_clock
from oddsdesk.base.places import resource_path
from oddsdesk.board.board import Board
from oddsdesk.board.valuation.judging import AssessedPrice, assessed_price
from oddsdesk.cli.bet_sources import moment_of_database
from oddsdesk.cli.import_ import import_
from oddsdesk.cli.ingest import ingest
from oddsdesk.contract.times import format_ms
from tests import money_quotes
from tests.money_count import count_bets
from tests.money_opportunities import WINNER, count
from tests.money_rows import Moment, Row

EXCHANGE = "Betfair Exchange UK"
SHARED = Path(__file__).parents[3] / "shared" / "data" / "the-odds-api"


class RealMoment(NamedTuple):
    database: Path
    lines: list[str]


@pytest.fixture(scope="module")
def moment(tmp_path_factory: pytest.TempPathFactory) -> RealMoment:
    if not SHARED.is_dir():
        pytest.skip("the real input next to the project (../shared/data) is missing")
    folder = tmp_path_factory.mktemp("bets")
    files = [str(file) for file in sorted(SHARED.glob("*.json.gz"))]
    for target in (["--to", "quotes.ndjson"], ["--database", "odds.db"]):
        arguments = ["the-odds-api", *files, target[0], str(folder / target[1])]
        result = CliRunner().invoke(import_, arguments)
        assert result.exit_code == 0, result.output
    return RealMoment(folder / "odds.db", (folder / "quotes.ndjson").read_text().splitlines())


@pytest.fixture
def pinned(moment: RealMoment, monkeypatch: pytest.MonkeyPatch) -> Iterator[RealMoment]:
    """The moment, with the clock at its newest price."""
    times = (json.loads(line)["scraped_at"] for line in moment.lines)
    newest = max(datetime.fromisoformat(time) for time in times).astimezone(UTC)
    for module in (command, arbitrage_command):
        monkeypatch.setattr(module, "system_clock", lambda: round(newest.timestamp() * 1000))
    return moment


@pytest.mark.slow
@pytest.mark.parametrize(("bankroll", "everything"), [("1000", True), ("12345", False)])
def test_the_list_is_that_of_the_second_count_row_by_row(
    pinned: RealMoment, bankroll: str, everything: bool
) -> None:
    listed = _listed(pinned.database, bankroll, *(["--all"] if everything else []))
    counted = _counted(pinned.lines, float(bankroll), everything=everything)

    assert len(listed) == (358 if everything else 39)
    assert [_exact(row) for row in listed] == [_exact(row) for row in counted]
    for mine, theirs in zip(listed, counted, strict=True):
        for name in ("ev_pct", "service_ev_pct"):
            assert mine[name] == pytest.approx(theirs[name], abs=0.01)


def test_every_price_that_can_be_reckoned_is_judged_as_by_the_second_count(
    pinned: RealMoment,
) -> None:
    now_ms = command.system_clock()
    board = command.board_of(moment_of_database(pinned.database, now_ms), now_ms, derived="none")
    mine = {_place(price): price for price in _reckoned(board)}
    lines = resource_path("bookmakers.csv").read_text("utf-8").splitlines()
    counted = Moment(money_quotes.read_quotes(pinned.lines), money_quotes.read_profiles(lines))
    rows = list(counted.rows())

    assert len(mine) == len(rows) == 22_881
    for row in rows:
        price = mine[_counted_place(row)]
        found = price.assessment
        assert found.ev_pct == pytest.approx(row.ev_pct, abs=1e-6), row.shown()
        assert tuple(each.value for each in found.cautions) == row.cautions, row.shown()
        assert found.per == row.per, row.shown()
        assert found.is_value_but_for_cautions == row.keeps_rules, row.shown()
        assert price.is_in_contract == row.in_contract, row.shown()


def test_prices_are_judged_by_an_exchange_as_by_the_second_count(pinned: RealMoment) -> None:
    listed = _listed(pinned.database, "1000", "--all", "--reference", EXCHANGE)
    lines = resource_path("bookmakers.csv").read_text("utf-8").splitlines()
    counted = [row.shown() for row in count_bets(pinned.lines, lines, 1_000, EXCHANGE)]

    assert len(listed) == 303
    assert {row["reference"] for row in listed} == {EXCHANGE}
    assert [_judged(row) for row in listed] == [_judged(row) for row in counted]


def test_the_opportunities_are_those_of_the_second_count(pinned: RealMoment) -> None:
    mine, theirs = _opportunities(pinned)

    assert Counter(each[0] for each in mine.elements()) == {
        "arbitrage": 41,  # 16 more below S = 1 win nothing in steps of 1
        "middle": 2,
        "low-hold": 398,
    }
    assert mine == theirs


def test_middles_of_all_lines_are_those_of_the_second_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half, whole and quarter lines, before the game and of a sport without draws."""
    now = system_clock()
    monkeypatch.setattr(arbitrage_command, "system_clock", lambda: now)
    moment = RealMoment(tmp_path / "odds.db", list(_made_up_lines(Random(5), now)))
    quotes = tmp_path / "quotes.ndjson"
    quotes.write_text("\n".join(moment.lines), "utf-8")
    result = CliRunner().invoke(ingest, [str(quotes), "--database", str(moment.database)])
    assert result.exit_code == 0, result.output
    mine, theirs = _opportunities(moment)

    costly = [each for each in mine if each[0] == "middle" and each[5] > 2]
    assert len(costly) > 20
    assert mine == theirs


def test_covers_across_markets_are_those_of_the_second_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Football before the game and in play, and a sport with overtime."""
    now = system_clock()
    monkeypatch.setattr(arbitrage_command, "system_clock", lambda: now)
    moment = RealMoment(tmp_path / "odds.db", list(_made_up_winners(Random(7), now)))
    quotes = tmp_path / "quotes.ndjson"
    quotes.write_text("\n".join(moment.lines), "utf-8")
    result = CliRunner().invoke(ingest, [str(quotes), "--database", str(moment.database)])
    assert result.exit_code == 0, result.output
    mine, theirs = _opportunities(moment)

    kinds = Counter(each[0] for each in mine)
    assert min(kinds[kind] for kind in ("arbitrage", "middle", "low-hold")) > 20
    assert mine == theirs


def _made_up_winners(chance: Random, now: int) -> Iterator[str]:
    """Every market that the margin decides, from rates of goals, each bookmaker with some lines."""
    for game in range(45):
        home, away = f"A{game}", f"B{game}"
        sport, competition, live = (
            *(("Football", "EPL"), ("Football", "EPL"), ("Hockey", "NHL"))[game % 3],
            game % 3 == 1,
        )
        rates = chance.uniform(0.8, 2.2), chance.uniform(0.8, 2.2)
        goals = [[exp(-rate) * rate**n / factorial(n) for n in range(11)] for rate in rates]
        margins = defaultdict[int, float](float)
        for one, other in product(range(11), range(11)):
            margins[one - other] += goals[0][one] * goals[1][other]
        for bookmaker, market_type in product(("Pinnacle", "One", "Two", "Three"), WINNER):
            payout = 0.97 if bookmaker == "Pinnacle" else chance.uniform(0.93, 0.995)
            odds = {}
            for line in _lines_of(market_type, home, away):
                if bookmaker == "Pinnacle" or chance.random() < 0.6:
                    for text, wins in line.items():
                        won, lost = (
                            sum(p * max(0, sign * wins(m)) for m, p in margins.items())
                            for sign in (1, -1)
                        )
                        moved = 1 if bookmaker == "Pinnacle" else chance.uniform(0.97, 1.04)
                        odds[text] = max(1.03, round(payout * (won + lost) / won * moved, 2))
            if odds:
                yield json.dumps(
                    {
                        "bookmaker": bookmaker,
                        "match_name": f"{home} vs {away}",
                        "competition": competition,
                        "sport": sport,
                        "market_type": market_type,
                        "period": 0,
                        "is_live": live,
                        "odds": odds,
                        "match_date": format_ms(now + (-600_000 if live else 36_000_000)),
                        "scraped_at": format_ms(now),
                    }
                )


def _lines_of(
    market_type: str, home: str, away: str
) -> Iterator[dict[str, Callable[[int], float]]]:
    """Yield the selections of each line, with what a unit wins at a margin."""
    if market_type == "moneyline":
        yield {home: lambda m: _sign(m > 0), "Draw": lambda m: _sign(m == 0)} | {
            away: lambda m: _sign(m < 0)
        }
    elif market_type == "double_chance":
        yield {"1X": lambda m: _sign(m >= 0), "X2": lambda m: _sign(m <= 0)} | {
            "12": lambda m: _sign(m != 0)
        }
    elif market_type == "draw_no_bet":
        yield {home: lambda m: (m > 0) - (m < 0), away: lambda m: (m < 0) - (m > 0)}
    elif market_type == "3way_handicap":
        for line in (-1, 0, 1):
            yield {
                f"{home} {line:+d}": lambda m, line=line: _sign(m + line > 0),
                f"Draw {line:+d}": lambda m, line=line: _sign(m + line == 0),
                f"{away} {-line:+d}": lambda m, line=line: _sign(m + line < 0),
            }
    else:
        for quarters in range(-6, 7):
            yield {
                f"{home} {quarters / 4:+g}": lambda m, at=quarters: _beyond(4 * m + at),
                f"{away} {-quarters / 4:+g}": lambda m, at=quarters: _beyond(-4 * m - at),
            }


def _sign(is_won: bool) -> float:
    return 1 if is_won else -1


def _beyond(quarters: int) -> float:
    return max(-1.0, min(1.0, quarters / 2))


def _made_up_lines(chance: Random, now: int) -> Iterator[str]:
    """Totals and handicaps of many games, each bookmaker at lines of its own."""
    for game in range(60):
        is_total, home, away = bool(game % 2), f"A{game}", f"B{game}"
        for bookmaker in ("Pinnacle", "One", "Two", "Three"):
            is_reference, odds = bookmaker == "Pinnacle", {}
            for quarters in range(-8, 9, 2 if is_reference else 1):
                if not is_reference and chance.random() > 0.3:
                    continue
                line, payout = quarters / 4, 0.96 if is_reference else chance.uniform(0.83, 1.02)
                passed = 1 / (1 + exp(line * 0.7))
                names = (f"{home} {-line:+g}", f"{away} {line:+g}")
                if is_total:
                    names = (f"Over {line + 2.5:g}", f"Under {line + 2.5:g}")
                prices = (payout / passed, payout / (1 - passed))
                odds |= {name: round(price, 2) for name, price in zip(names, prices, strict=True)}
            if odds:
                yield json.dumps(
                    {
                        "bookmaker": bookmaker,
                        "match_name": f"{home} vs {away}",
                        "competition": "EPL" if is_total else "NHL",
                        "sport": "Football" if is_total else "Hockey",
                        "market_type": "total" if is_total else "spread",
                        "period": 0,
                        "odds": odds,
                        "match_date": format_ms(now + 36_000_000),
                        "scraped_at": format_ms(now),
                    }
                )


def _opportunities(moment: RealMoment) -> tuple[Counter[Any], Counter[Any]]:
    """Those of the command and those of the second count."""
    arguments = ["--database", str(moment.database), "--json"]
    result = CliRunner().invoke(arbitrage_command.arbitrage, arguments)
    assert result.exit_code == 0, result.output
    mine = Counter(_row(row) for row in json.loads(result.stdout))
    lines = resource_path("bookmakers.csv").read_text("utf-8").splitlines()
    theirs = Counter(
        (
            each.kind,
            *each.market[0],
            "winner" if each.market[1] in WINNER else each.market[1],
            each.market[2],
            round((each.total - 1) * 100, 2),
            each.stakes,
        )
        for each in count(moment.lines, lines)
    )
    return mine, theirs


def _row(row: dict[str, Any]) -> tuple[Any, ...]:
    """An opportunity of the command; of equal odds in several markets any may be its leg."""
    kind, competition, match, market, period, hold = (
        row[name]
        for name in ("kind", "competition", "match_name", "market_type", "period", "hold_pct")
    )
    markets = {leg["market_type"] for leg in row["legs"]}
    assert market == (markets.pop() if len(markets) == 1 else None)
    stakes = tuple(leg["stake"] for leg in row["legs"])
    market = "winner" if market is None or market in WINNER else market
    return kind, competition, match, market, period, hold, stakes


def _reckoned(board: Board) -> Iterator[AssessedPrice]:
    """Every bookmaker's price whose outcome has fair odds."""
    for key in board.row_keys():
        matrix, section = board.matrix(key.game_id), board.section(*key[:4])
        assert matrix is not None
        assert section is not None
        if key.bookmaker != matrix.reference and section.selection_row(key.selection).fair:
            by = board.judge_of(matrix)
            yield assessed_price(by, matrix, section, key.selection, key.bookmaker)


def _place(price: AssessedPrice) -> tuple[object, ...]:
    _, market_type, period, selection, bookmaker = price.key
    game = (price.competition, price.match_name)
    return (game, market_type, period, selection, bookmaker)


def _counted_place(row: Row) -> tuple[object, ...]:
    quote = row.quote
    return (quote.game, quote.market_type, quote.period, row.selection, quote.bookmaker)


def _listed(database: Path, bankroll: str, *options: str) -> list[dict[str, Any]]:
    arguments = ["--database", str(database), "--bankroll", bankroll, "--json", *options]
    arguments += ["--derived", "none"]  # the second count knows the sharp book's own lines only
    result = CliRunner().invoke(command.bets, arguments)
    assert result.exit_code == 0, result.output
    rows: list[dict[str, Any]] = json.loads(result.stdout)
    return rows


def _counted(lines: list[str], bankroll: float, *, everything: bool) -> list[dict[str, Any]]:
    profiles = resource_path("bookmakers.csv").read_text("utf-8").splitlines()
    rows: list[Row] = count_bets(lines, profiles, bankroll)
    return [row.shown() for row in rows if everything or row.listed]


def _judged(row: dict[str, Any]) -> dict[str, Any]:
    """What is said of the price itself: where both sides are value, caps may be shared out so or
    so."""
    return {name: value for name, value in _exact(row).items() if name not in ("stake", "bound")}


def _exact(row: dict[str, Any]) -> dict[str, Any]:
    """What is the same to the last digit: all but what is not counted, and EVs."""
    apart = ("game_id", "sources", "reference", "ev_pct", "service_ev_pct")
    return {name: value for name, value in row.items() if name not in apart}
