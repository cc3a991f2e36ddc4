"""Odds and fixtures are joined, with the limits as liquidity."""

import json
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.files import expand, read_file
from oddsdesk.feeds.imported import Imported, SourceFile
from oddsdesk.feeds.pinnacle import convert

SEEN = parse_ms("2025-03-31T04:35:48.740Z")
PERIOD = {
    "number": 0,
    "status": 1,
    "maxSpread": 900.0,
    "maxMoneyline": 800.0,
    "maxTotal": 450.0,
    "maxTeamTotal": 150.0,
    "moneyline": {"home": 2.5, "draw": 3.2, "away": 3.0},
    "spreads": [
        {"hdp": 0.0, "home": 1.8, "away": 2.1},
        {"hdp": -0.5, "home": 2.5, "away": 1.5, "max": 600},
    ],
    "totals": [{"points": 2.25, "over": 1.9, "under": 1.9}],
    "teamTotal": {"home": {"points": 1.5, "over": 2.6, "under": 1.5}, "away": None},
}
FIXTURE = {"id": 1, "starts": "2025-04-05T11:30:00Z", "home": "Leeds", "away": "Luton"}


def odds(*periods: dict[str, Any], ident: int = 1) -> SourceFile:
    leagues = [{"id": 1977, "events": [{"id": ident, "periods": periods}]}]
    return SourceFile(
        "odds.json", json.dumps({"sportId": 29, "last": SEEN, "leagues": leagues}).encode()
    )


def fixtures(**changes: Any) -> SourceFile:
    leagues = [{"id": 1977, "name": "England - Championship", "events": [FIXTURE | changes]}]
    return SourceFile("fixtures.json", json.dumps({"sportId": 29, "league": leagues}).encode())


def imported(period: dict[str, Any], **changes: Any) -> Imported:
    return convert([odds(period), fixtures(**changes)])


def test_a_period_becomes_a_quote_a_market_with_its_limit() -> None:
    result = imported(PERIOD)
    assert (result.problems, result.skipped) == ([], {})
    found = {quote.market_type: (quote.odds, quote.liquidity) for quote in result.quotes}
    assert found == {
        "moneyline": ({"Leeds": 2.5, "Draw": 3.2, "Luton": 3.0}, 800.0),
        "spread": ({"Leeds -0.5": 2.5, "Luton +0.5": 1.5, "Leeds +0": 1.8, "Luton +0": 2.1}, 900.0),
        "total": ({"Over 2.25": 1.9, "Under 2.25": 1.9}, 450.0),
        "team_total": ({"Home Over 1.5": 2.6, "Home Under 1.5": 1.5}, 150.0),
    }
    quote = result.quotes[0]
    assert (quote.bookmaker, quote.match_name, quote.competition) == (
        "Pinnacle",
        "Leeds vs Luton",
        "EFL",
    )
    assert (quote.scraped_at, quote.match_date) == (SEEN, parse_ms("2025-04-05T11:30:00Z"))


def test_without_a_limit_of_the_period_the_least_of_its_lines_counts() -> None:
    spreads = {quote.market_type: quote for quote in imported(PERIOD | {"maxSpread": None}).quotes}
    assert spreads["spread"].liquidity == 600


def test_the_files_may_come_in_either_order() -> None:
    assert convert([fixtures(), odds(PERIOD)]).quotes == convert([odds(PERIOD), fixtures()]).quotes


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"resultingUnit": "Corners"}, "corners"),
        ({"resultingUnit": "Bookings"}, "bookings"),
        ({"home": "Home Teams (6 Games)"}, "several games"),
        ({"id": 2}, "no fixture"),
    ],
)
def test_what_is_not_the_game_is_counted(changes: dict[str, Any], reason: str) -> None:
    result = imported(PERIOD, **changes)
    assert (result.quotes, result.skipped) == ([], {reason: 11})


@pytest.mark.parametrize(
    ("changes", "reason"), [({"number": 6}, "period 6"), ({"status": 2}, "suspended")]
)
def test_periods_that_cannot_be_bet_are_counted(changes: dict[str, Any], reason: str) -> None:
    result = imported(PERIOD | changes)
    assert (result.quotes, result.skipped) == ([], {reason: 11})


def test_in_play_handicaps_are_of_the_rest_of_the_game_and_left_out() -> None:
    result = imported(PERIOD, liveStatus=1)
    assert {quote.market_type for quote in result.quotes} == {"moneyline", "total", "team_total"}
    assert all(quote.is_live for quote in result.quotes)
    assert result.skipped == {"handicap of the rest of the game": 4}


def test_american_prices_are_read() -> None:
    result = imported({"number": 0, "moneyline": {"home": -110, "away": 120}})
    assert result.quotes[0].odds == {"Leeds": 1.9091, "Luton": 2.2}
    assert result.american == ["odds.json"]


@pytest.mark.parametrize(
    ("price", "is_unread", "skipped"),
    [
        (None, False, {}),
        (0, False, {"not offered": 1}),
        (1.0, False, {"not offered": 1}),
        (0.5, True, {"impossible price": 1}),
    ],
)
def test_a_price_that_cannot_be_costs_only_itself(
    price: float | None, is_unread: bool, skipped: dict[str, int]
) -> None:
    total = {"points": 2.5, "over": 1.9, "under": price}
    moneyline = {"home": price, "draw": 3.2, "away": 3.0}
    of_total = imported({"number": 0, "totals": [total]})
    of_result = imported({"number": 0, "moneyline": moneyline})
    for result, odds_, lost in (
        (of_total, {"Over 2.5": 1.9}, "Under 2.5"),
        (of_result, {"Draw": 3.2, "Luton": 3.0}, "Leeds"),
    ):
        (quote,) = result.quotes
        assert (quote.odds, list(quote.unread or ())) == (odds_, [lost] if is_unread else [])
        assert (result.problems, result.skipped) == ([], skipped)


def test_a_period_that_makes_no_sense_is_named_and_the_rest_is_kept() -> None:
    broken = {"number": 0, "moneyline": {"home": "2.5", "away": 3.0}}
    result = convert([odds(broken, PERIOD | {"number": 1}), fixtures()])
    assert len(result.quotes) == 4
    assert result.skipped == {"broken period": 2}
    assert result.problems[0].startswith("odds.json: event 1: moneyline, home: expected a number")


def test_files_that_lack_their_other_half_or_are_something_else_are_named() -> None:
    assert "add the fixtures file" in convert([odds(PERIOD)]).problems[0]
    assert "add the odds file" in convert([fixtures()]).problems[0]
    assert convert([SourceFile("x.json", b"[]")]).problems[0].startswith("x.json: expected Pinn")


def test_real_odds_are_read_whole(shared_data: Path) -> None:
    files = expand(str(shared_data / "pinnacle"))
    result = convert([SourceFile(path.name, read_file(path)) for path in files])
    assert (result.problems, result.skipped, result.kept) == ([], {}, 726)
    assert len({quote.match_name for quote in result.quotes}) == 11
    assert all(quote.liquidity for quote in result.quotes)


def test_a_league_without_a_code_is_football() -> None:
    leagues = [{"id": 1977, "name": "FIFA - World Cup", "events": [FIXTURE]}]
    cup = json.dumps({"sportId": 29, "league": leagues}).encode()
    result = convert([odds(PERIOD), SourceFile("fixtures.json", cup)])
    assert {(quote.competition, quote.sport) for quote in result.quotes} == {
        ("FIFA - World Cup", "Football")
    }
