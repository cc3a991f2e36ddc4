"""SharpAPI's rows become quotes, every price kept or counted by why it was not."""

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import Imported, SourceFile
from oddsdesk.feeds.sharpapi import bookmaker_named, competition_named, convert

ROW = {
    "sportsbook": "pinnacle",
    "sport": "soccer",
    "league": "england_-_premier_league",
    "home_team": "Arsenal",
    "away_team": "Chelsea",
    "event_start_time": "2026-07-15T19:00Z",
    "is_live": False,
    "timestamp": "2026-07-13T01:45:33.468979719Z",
}
TEAMS = (("home", "Arsenal"), ("draw", "Draw"), ("away", "Chelsea"))


def american(decimal: float) -> int:
    return round((decimal - 1) * 100 if decimal >= 2 else -100 / (decimal - 1))


def row(market: str, side: str, text: str, price: float, **more: Any) -> dict[str, Any]:
    odds = {"odds_decimal": price, "odds_american": american(price)}
    return ROW | {"market_type": market, "selection_type": side, "selection": text} | odds | more


def moneyline(*prices: float, market: str = "moneyline", **more: Any) -> list[dict[str, Any]]:
    sides = zip(TEAMS, prices, strict=False)
    return [row(market, side, text, price, **more) for (side, text), price in sides]


def imported(*rows: Any) -> Imported:
    return convert(SourceFile("odds.json", json.dumps({"data": rows}).encode()))


def only(*rows: dict[str, Any]) -> Quote:
    result = imported(*rows)
    assert (result.problems, result.skipped) == ([], {})
    (quote,) = result.quotes
    return quote


def test_rows_of_a_market_become_a_quote() -> None:
    quote = only(*moneyline(2.1, 3.4, 3.8))
    assert list(quote.odds.items()) == [("Arsenal", 2.1), ("Draw", 3.4), ("Chelsea", 3.8)]
    assert (quote.bookmaker, quote.match_name) == ("Pinnacle", "Arsenal vs Chelsea")
    assert (quote.competition, quote.is_live) == ("EPL", False)
    assert quote.match_date == parse_ms("2026-07-15T19:00Z")
    assert quote.scraped_at == parse_ms("2026-07-13T01:45:33.469Z")


@pytest.mark.parametrize(
    ("market", "sides", "more", "expected"),
    [
        (
            "point_spread",
            (("home", "Arsenal", -0.25), ("away", "Chelsea", 0.25)),
            {},
            ("spread", 0, ["Arsenal -0.25", "Chelsea +0.25"]),
        ),
        (
            "asian_total_goals",
            (("over", "Over", 2.25), ("under", "Under", 2.25)),
            {},
            ("total", 0, ["Over 2.25", "Under 2.25"]),
        ),
        (
            "1st_half_team_total_goals",
            (("home_over", "Arsenal Over", 0.5), ("away_under", "Chelsea Under", 0.5)),
            {},
            ("team_total", 1, ["Home Over 0.5", "Away Under 0.5"]),
        ),
        (
            "both_teams_to_score",
            (("yes", "Yes", None), ("no", "No", None)),
            {},
            ("btts", 0, ["Yes", "No"]),
        ),
        (
            "2nd_half_draw_no_bet",
            (("home", "ARSENAL", None), ("away", "chelsea", None)),
            {},
            ("draw_no_bet", 2, ["Arsenal", "Chelsea"]),
        ),
        (
            "3rd_quarter_total_points",
            (("over", "over", 50.5), ("under", "under", 50.5)),
            {"sport": "basketball", "league": "nba"},
            ("total", 3, ["Over 50.5", "Under 50.5"]),
        ),
        (
            "player_shots_on_target",
            (("over", "Bukayo Saka", 1.5), ("under", "Bukayo Saka", 1.5)),
            {},
            (
                "player_prop",
                0,
                ["Bukayo Saka shots on target Over 1.5", "Bukayo Saka shots on target Under 1.5"],
            ),
        ),
    ],
)
def test_every_market_has_its_selections(
    market: str,
    sides: tuple[tuple[str, str, float | None], ...],
    more: dict[str, Any],
    expected: tuple[str, int, list[str]],
) -> None:
    quote = only(*(row(market, side, text, 1.9, line=line, **more) for side, text, line in sides))
    assert (quote.market_type, quote.period, list(quote.odds)) == expected


@pytest.mark.parametrize(
    "texts", [("home_draw", "away_draw", "home_away"), ("home", "away", "other")]
)
def test_double_chance_is_read_by_side_or_by_text(texts: tuple[str, ...]) -> None:
    chances = (("Arsenal / Draw", 1.3), ("Tie or Chelsea", 1.75), ("Chelsea / Arsenal", 1.28))
    quote = only(*(row("double_chance", *each) for each in _with_sides(texts, chances)))
    assert quote.odds == {"1X": 1.3, "X2": 1.75, "12": 1.28}


def _with_sides(
    sides: tuple[str, ...], chances: tuple[tuple[str, float], ...]
) -> list[tuple[str, str, float]]:
    return [(side, text, price) for side, (text, price) in zip(sides, chances, strict=True)]


@pytest.mark.parametrize(
    ("rows", "reason", "skipped"),
    [
        (moneyline(2.1, 3.4, 3.8, market="to_qualify"), "to_qualify", 3),
        (moneyline(2.1, 3.4, 3.8, market="1st_5_innings_moneyline"), "1st_5_innings_moneyline", 3),
        (moneyline(2.1, 3.4, 3.8, market="3rd_half_moneyline"), "3rd_half_moneyline", 3),
        (moneyline(2.1, 3.4, 3.8, away_team=""), "outright", 3),
        (moneyline(2.1, 3.4, 3.8, away_team="arsenal"), "outright", 3),
        (moneyline(2.1, 3.4), "one side missing", 2),
        (moneyline(1.645, 3.27, 2.35), "prices of two markets in one", 3),
        (
            [
                row("team_total_goals", "away_over", "Chelsea Over", price, line=line)
                for line, price in ((2.5, 7.0), (3.5, 1.645))
            ],
            "prices of two markets in one",
            2,
        ),
        (
            [
                row("point_spread", "home", "Arsenal", price, line=line)
                for line, price in ((-0.5, 2.1), (0.5, 3.5))
            ],
            "prices of two markets in one",
            2,
        ),
        ([row("total_goals", "over", "Over", 1.9)], "unknown outcome", 1),
        ([row("total_goals", "home", "Arsenal &", 1.9, line=1.5)], "unknown outcome", 1),
        ([row("moneyline", "home", "Arsenal No", 1.5)], "unknown outcome", 1),
        ([row("moneyline", "home", "Chelsea", 1.5)], "unknown outcome", 1),
        ([row("player_goals", "over", "Saka", 46.0, line=0.5)], "one side missing", 1),
        ([row("player_prop", "other", "Anytime Goalscorer", 2.0)], "player_prop", 1),
    ],
)
def test_what_has_no_place_or_no_clear_meaning_is_counted(
    rows: list[dict[str, Any]], reason: str, skipped: int
) -> None:
    result = imported(*rows)
    assert (result.kept, result.skipped, result.problems) == (0, {reason: skipped}, [])


@pytest.mark.parametrize(
    ("fields", "skipped"),
    [
        ({"odds_decimal": 0.5}, "impossible price"),
        ({"odds_decimal": "inf"}, "impossible price"),
        ({"odds_decimal": 3.0}, "decimal and American odds differ"),
        ({"odds_decimal": 1, "odds_american": None}, "not offered"),
        ({"is_active": False}, "suspended"),
    ],
)
def test_a_price_that_cannot_be_costs_only_itself(fields: dict[str, Any], skipped: str) -> None:
    over, under = (row("total_goals", side, side, 1.9, line=2.5) for side in ("over", "under"))
    result = imported(over, under | fields)
    assert (result.kept, result.skipped, result.problems) == (1, {skipped: 1}, [])


def test_american_odds_alone_are_made_decimal() -> None:
    sides = moneyline(2.0, 3.4, 3.9, odds_decimal=None)
    assert only(*sides).odds == {"Arsenal": 2.0, "Draw": 3.4, "Chelsea": 3.9}


def test_of_two_prices_of_one_line_the_first_is_taken() -> None:
    both = [
        row(name, "over", "Over", 1.9, line=2.5) for name in ("total_goals", "asian_total_goals")
    ]
    result = imported(both[0], both[1] | {"odds_decimal": 1.91})
    assert (result.quotes[0].odds, result.skipped) == ({"Over 2.5": 1.9}, {"duplicate": 1})


def test_two_prices_of_one_selection_cost_the_market() -> None:
    over, under = (row("total_goals", side, side, 1.9, line=2.5) for side in ("over", "under"))
    result = imported(over, under, over | {"odds_decimal": 2.4, "odds_american": 140}, under)
    assert result.quotes == []
    assert result.skipped == {
        "duplicate": 2,
        "two prices for one selection": 1,
        "prices of two markets in one": 1,
    }


def test_a_prediction_market_does_not_say_when_the_game_begins() -> None:
    game = {"sport": "baseball", "league": "mlb", "sportsbook": "polymarket"}
    sides = [row("moneyline", side, text, 1.95, **game) for side, text in (TEAMS[0], TEAMS[2])]
    quote = only(*sides)
    assert (quote.bookmaker, quote.match_date, quote.competition) == ("Polymarket", None, "MLB")


def test_a_broken_row_is_named_and_costs_only_itself() -> None:
    result = imported(
        *moneyline(2.1, 3.4, 3.8),
        row("total_goals", "over", "Over", 1.9, line="two"),
        row("total_goals", "over", "Over", 1.9, line=2.5, timestamp="soon"),
        7,
    )
    assert (result.kept, result.skipped) == (3, {"broken row": 2})
    assert [problem.partition(":")[2][:7] for problem in result.problems] == [
        " row 4:",
        " row 5:",
        " row 6:",
    ]


def test_many_broken_rows_are_not_all_named() -> None:
    result = imported(*(7 for _ in range(50)), *moneyline(2.1, 3.4, 3.8))
    assert len(result.problems) == 21
    assert result.problems[-1] == "odds.json: and 30 more broken rows"


def test_a_limit_and_a_link_are_kept_where_they_make_sense() -> None:
    sides = moneyline(2.1, 3.4, 3.8, max_bet=500, deep_link="https://book.example/e/1")
    quote = only(sides[0], sides[1] | {"max_bet": 250}, sides[2])
    assert (quote.liquidity, quote.url) == (250, "https://book.example/e/1")
    unsafe = only(*moneyline(2.1, 3.4, 3.8, max_bet=-1, deep_link="javascript:alert(1)"))
    assert (unsafe.liquidity, unsafe.url) == (None, None)


def test_other_shapes_of_the_same_answer_are_read() -> None:
    sides = moneyline(2.1, 3.4, 3.8)
    expected = only(*sides)
    nested = [
        {name: value for name, value in each.items() if not name.startswith("odds_")}
        | {"odds": {"american": each["odds_american"], "decimal": each["odds_decimal"]}}
        for each in sides
    ]
    own = ("sportsbook", "market_type", "selection", "selection_type", "timestamp", "odds_decimal")
    grouped = {
        "event_name": "Arsenal vs Chelsea",
        "sport": "soccer",
        "league": "england_-_premier_league",
        "start_time": ROW["event_start_time"],
        "odds": [{name: each[name] for name in own} for each in sides],
    }
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(sides[0]))
    writer.writeheader()
    writer.writerows(sides)
    for data in (json.dumps(nested), json.dumps({"data": [grouped]}), stream.getvalue()):
        if data.startswith("["):
            nested_rows = json.dumps({"data": nested}).encode()
            assert convert(SourceFile("x", nested_rows)).quotes == [expected]
        else:
            assert convert(SourceFile("x", data.encode())).quotes == [expected]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"Div,Date,HomeTeam\nE0,1/1/26,A\n", "this lacks market_type"),
        (b'{"error": {"code": "unauthorized", "message": "no key"}}', "answered an error: no key"),
        (b'{"a": 1}', "this holds none"),
        (b'[{"bookmakers": []}]', "none of these has them"),
        (b"\0\0", "neither text"),
    ],
)
def test_other_files_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(FeedError, match=reason):
        convert(SourceFile("other", data))


def test_bookmakers_and_leagues_have_the_names_of_other_sources() -> None:
    names = ("hardrock", "thescorebet", "unibet_se", "bwin", "fliff")
    assert [bookmaker_named(name) for name in names] == [
        *("Hard Rock Bet", "theScore Bet", "Unibet SE", "bwin", "Fliff")
    ]
    leagues = ("fifa_-_world_cup", "uefa_-_champions_league", "chile_-_primera_division")
    assert [competition_named(league, "Football") for league in leagues] == [
        *("soccer_fifa_world_cup", "UCL", "Chile - Primera Division")
    ]
    assert competition_named("wta", "Tennis") == "TENNIS"


@pytest.mark.parametrize(
    ("name", "rows", "kept"),
    [("worldcup_2026_odds_snapshot", 6132, 1140), ("mlb_odds_snapshot", 3673, 2)],
)
def test_every_price_of_the_real_files_comes_out(
    name: str, rows: int, kept: int, shared_data: Path
) -> None:
    data = gzip.decompress((shared_data / "sharpapi" / f"{name}.csv.gz").read_bytes())
    result = convert(SourceFile(name, data))
    assert (result.kept + result.skipped.total(), result.problems) == (rows, [])
    assert result.kept == kept
