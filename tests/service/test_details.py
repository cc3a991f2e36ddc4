"""Event details and game matrices: slugs, ids, shapes, filters (D5..D9, D33, D38)."""

from typing import Any
from urllib.parse import quote as quoted

import pytest

from oddsdesk.contract.access import Plan

REFERENCE = "Pinnacle"
AT = "2026-11-20T18:00:00.000Z"
NAMES = [
    "Arsenal - Chelsea",
    "Saint-Étienne - Nîmes",
    "A/B - C\\D",
    "100% - 50%25",
    "A&B + C - D?x=1#y",
    "A..B - ../C",
    "  - ".strip() + " 日本 - 한국",
    "A;B=C - 'D' \"E\"",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_slug_finds_its_event_as_returned_and_encoded_again(service: Any, name: str) -> None:
    """D5."""
    service.quote(match_name=name)
    key = service.key()
    [event] = service.data("/api/events", key)
    assert event["slug"] == quoted(event["match_name"], safe="")
    for slug in (event["slug"], quoted(event["slug"], safe="")):
        detail = service.data(f"/api/events/{slug}", key)
        assert detail["match_name"] == event["match_name"]
        assert detail["slug"] == event["slug"]


def test_a_name_that_looks_encoded_is_found_first_as_it_stands(service: Any) -> None:
    """D5."""
    service.quote(match_name="A%20B - C")
    service.quote(match_name="A B - C")
    key = service.key()
    assert service.data("/api/events/A%2520B%20-%20C", key)["match_name"] == "A%20B - C"
    assert service.data("/api/events/A%20B%20-%20C", key)["match_name"] == "A B - C"


def test_the_competition_with_the_most_bookmakers_answers(service: Any) -> None:
    """D5."""
    service.quote(competition="EFL")
    service.quote(competition="UCL")
    service.quote(competition="UCL", bookmaker="Unibet")
    detail = service.data("/api/events/Arsenal%20-%20Chelsea", service.key())
    assert detail["competition"] == "UCL"


@pytest.mark.parametrize("slug", ["None", "", "%2F", "..%2F..", "%FF%FE", "%00", "a" * 2000])
def test_an_unknown_slug_is_not_found(module_service: Any, slug: str) -> None:
    """D12; service.md: unknown slug in active data."""
    module_service.quote()
    answer = module_service.get(f"/api/events/{slug}", module_service.key())
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_an_event_detail_has_every_field(service: Any) -> None:
    """service.md, Event detail; D9: the reference stands apart."""
    service.quote(url="https://example.org/a")
    service.quote(bookmaker=REFERENCE, market_type="total", odds={"Over 2.5": 1.9, "Under 2.5": 2})
    answer = service.get("/api/events/Arsenal%20-%20Chelsea", service.key()).json()
    assert list(answer["meta"]) == ["rate_limit_remaining"]
    assert answer["data"] == {
        "match_name": "Arsenal - Chelsea",
        "competition": "EPL",
        "sport": "Football",
        "slug": "Arsenal%20-%20Chelsea",
        "match_date": "2026-11-20T19:00:00.000Z",
        "markets": [
            {
                "bookmaker": "Betfair",
                "market_type": "moneyline",
                "period": 0,
                "selections": [
                    {"selection": "Arsenal", "odds": 2.1},
                    {"selection": "Draw", "odds": 3.4},
                    {"selection": "Chelsea", "odds": 3.6},
                ],
                "scraped_at": AT,
                "url": "https://example.org/a",
            }
        ],
        "reference": [
            {
                "market_type": "total",
                "period": 0,
                "selections": [
                    {"selection": "Over 2.5", "odds": 1.9},
                    {"selection": "Under 2.5", "odds": 2.0},
                ],
                "scraped_at": AT,
            }
        ],
        "summary": {
            "bookmakers": ["Betfair", REFERENCE],
            "market_types": ["moneyline", "total"],
            "total_markets": 1,
        },
    }


@pytest.fixture
def several(service: Any) -> Any:
    """Two bookmakers and the reference, two market types, two periods."""
    for bookmaker in ("Unibet", "Betfair", REFERENCE):
        for period in (0, 1):
            service.quote(bookmaker=bookmaker, period=period)
            service.quote(
                bookmaker=bookmaker, period=period, market_type="btts", odds={"Yes": 1.8, "No": 2.0}
            )
    return service


def test_filters_narrow_an_event(several: Any) -> None:
    """D33: market_type and period narrow the reference too, bookmaker does not."""
    path, key = "/api/events/Arsenal%20-%20Chelsea", several.key()
    one = several.data(path, key, bookmaker="Betfair", market_type="btts", period=1)
    assert [group["bookmaker"] for group in one["markets"]] == ["Betfair"]
    assert [(group["market_type"], group["period"]) for group in one["reference"]] == [("btts", 1)]
    assert one["summary"] == {
        "bookmakers": ["Betfair", REFERENCE, "Unibet"],
        "market_types": ["btts"],
        "total_markets": 1,
    }
    assert len(several.data(path, key, bookmaker="Betfair")["reference"]) == 4


def test_a_matrix_has_every_field(service: Any) -> None:
    """service.md, Game matrix; D7, D9."""
    service.quote(odds={"Draw": 3.4, "Arsenal": 2.1}, url="https://example.org/a")
    service.quote(bookmaker=REFERENCE, odds={"Arsenal": 2.0, "Chelsea": 3.5}, liquidity=900.0)
    key = service.key()
    [game] = service.data("/api/games", key)
    answer = service.get(f"/api/games/{game['game_id']}", key).json()
    assert list(answer["meta"]) == ["rate_limit_remaining"]
    cell = {"odds": 2.1, "scraped_at": AT, "url": "https://example.org/a"}
    assert answer["data"] == {
        "game_id": game["game_id"],
        "match_name": "Arsenal - Chelsea",
        "competition": "EPL",
        "sport": "Football",
        "match_date": "2026-11-20T19:00:00.000Z",
        "is_live": False,
        "all_bookmakers": ["Betfair", REFERENCE],
        "markets": [
            {
                "market_type": "moneyline",
                "period": 0,
                "period_label": "Full Time",
                "bookmakers": ["Betfair"],
                "reference_scraped_at": AT,
                "selections": [
                    {
                        "selection": "Arsenal",
                        "reference": {"odds": 2.0, "liquidity": 900.0, "scraped_at": AT},
                        "books": {"Betfair": cell},
                    },
                    {
                        "selection": "Draw",
                        "reference": None,
                        "books": {"Betfair": {**cell, "odds": 3.4}},
                    },
                    {
                        "selection": "Chelsea",
                        "reference": {"odds": 3.5, "liquidity": 900.0, "scraped_at": AT},
                        "books": {"Betfair": None},
                    },
                ],
            }
        ],
    }


def test_a_matrix_of_one_bookmaker_keeps_the_reference(several: Any) -> None:
    """D9, D33."""
    key = several.key()
    path = f"/api/games/{several.data('/api/games', key)[0]['game_id']}"
    matrix = several.data(path, key, bookmaker="Betfair", market_type="moneyline", period=1)
    assert matrix["all_bookmakers"] == ["Betfair", REFERENCE, "Unibet"]
    [market] = matrix["markets"]
    assert (market["period_label"], market["bookmakers"]) == ("1st Half", ["Betfair"])
    for row in market["selections"]:
        assert row["reference"]["odds"] is not None
        assert list(row["books"]) == ["Betfair"]


def test_a_game_id_is_read_in_either_case_with_or_without_dashes(service: Any) -> None:
    """D38."""
    service.quote()
    key = service.key()
    game_id = service.data("/api/games", key)[0]["game_id"]
    for text in (game_id.upper(), game_id.replace("-", ""), game_id.replace("-", "").upper()):
        assert service.data(f"/api/games/{text}", key)["game_id"] == game_id


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "8548bd40-bf55-7646-9218-2b324858f5f5",
        "8548bd40bf55-7646-9218-2b324858f5f5",
        "{8548bd40-bf55-7646-9218-2b324858f5f5}",
        "8548bd40-bf55-7646-9218-2b324858f5f5/x",
        "",
        "٨" * 32,
    ],
)
def test_an_unknown_or_malformed_game_id_is_not_found(module_service: Any, text: str) -> None:
    """D12."""
    module_service.quote()
    answer = module_service.get(f"/api/games/{text}", module_service.key())
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_a_game_that_went_stale_is_not_found(service: Any) -> None:
    """D34: games and matrix 10 minutes."""
    service.quote()
    key = service.key()
    path = f"/api/games/{service.data('/api/games', key)[0]['game_id']}"
    service.now += 10 * 60_000
    assert service.get(path, key).status_code == 200
    service.now += 1
    assert service.get(path, key).status_code == 404


def test_the_reference_is_the_one_that_is_set(smarkets_service: Any) -> None:
    """D1."""
    for bookmaker in (REFERENCE, "Smarkets"):
        smarkets_service.quote(bookmaker=bookmaker, liquidity=5.0)
    detail = smarkets_service.data("/api/events/Arsenal%20-%20Chelsea", smarkets_service.key())
    assert [group["bookmaker"] for group in detail["markets"]] == [REFERENCE]
    assert len(detail["reference"]) == 1
    rows = smarkets_service.data("/api/odds", smarkets_service.key())
    assert {row["bookmaker"]: row["liquidity"] for row in rows} == {
        REFERENCE: None,
        "Smarkets": 5.0,
    }


@pytest.mark.parametrize(
    ("competition", "labels"),
    [
        ("EPL", ["Full Time", "1st Half", "2nd Half", "Period 3"]),
        ("NBA", ["Full Game", "1st Quarter", "2nd Quarter", "3rd Quarter", "4th Quarter"]),
        ("NHL", ["Full Game", "1st Period", "2nd Period", "3rd Period"]),
        ("ATP", ["Match", "1st Set", "2nd Set", "3rd Set", "4th Set"]),
        ("MLB", ["Full Game", "Period 1"]),
        ("NFL", ["Full Game", "1st Half", "Period 2"]),
        ("cricket_ipl", ["Full Time", "Period 1"]),
    ],
)
def test_a_period_is_called_as_in_its_sport(
    module_service: Any, competition: str, labels: list[str]
) -> None:
    """D8."""
    for period in range(len(labels)):
        module_service.quote(competition=competition, match_name="A - B", period=period)
    key = module_service.key()
    [game] = module_service.data("/api/games", key, competition=competition, limit=1)
    matrix = module_service.data(f"/api/games/{game['game_id']}", key)
    assert [market["period_label"] for market in matrix["markets"]] == labels


def test_what_stands_inside_an_answer_is_alphabetical(several: Any) -> None:
    """D35: bookmakers and market types, then period."""
    several.quote(bookmaker="10Bet", market_type="total", odds={"Over 2.5": 1.9, "Under 2.5": 1.9})
    key = several.key()
    detail = several.data("/api/events/Arsenal%20-%20Chelsea", key)
    for groups, names in (
        (detail["markets"], ("bookmaker", "market_type", "period")),
        (detail["reference"], ("market_type", "period")),
    ):
        keys = [tuple(group[name] for name in names) for group in groups]
        assert keys == sorted(keys)
    assert detail["summary"]["bookmakers"] == sorted(detail["summary"]["bookmakers"])
    matrix = several.data(f"/api/games/{several.data('/api/games', key)[0]['game_id']}", key)
    keys = [(market["market_type"], market["period"]) for market in matrix["markets"]]
    assert keys == sorted(keys)
    assert matrix["all_bookmakers"] == sorted(matrix["all_bookmakers"])


@pytest.mark.parametrize("path", ["/api/events", "/api/games"])
def test_a_game_is_live_if_a_bookmaker_the_caller_sees_has_it_live(service: Any, path: str) -> None:
    """D37."""
    service.quote(bookmaker="Unibet", is_live=True)
    service.quote(bookmaker="Betfair")
    service.quote(bookmaker="Betfair", match_name="Lens - Lille")
    full = service.key()
    names = {
        asked: [item["match_name"] for item in service.data(path, full, is_live=asked)]
        for asked in ("true", "false")
    }
    assert names == {"true": ["Arsenal - Chelsea"], "false": ["Lens - Lille"]}
    free = service.key(Plan.FREE, "Betfair")
    shown = {item["match_name"]: item["is_live"] for item in service.data(path, free)}
    assert shown == {"Arsenal - Chelsea": False, "Lens - Lille": False}
