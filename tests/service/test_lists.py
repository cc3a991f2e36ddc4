"""The lists: shapes, freshness, order, cursors (D13, D14, D16)."""

import re
from typing import Any
from urllib.parse import quote

import pytest

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
MINUTE_MS = 60_000
REFERENCE = "Pinnacle"


def test_lists_carry_their_count(service: Any) -> None:
    """service.md, Response envelope; D33."""
    service.quote()
    key = service.key()
    for path in ("/api/bookmakers", "/api/events", "/api/odds", "/api/games", "/api/value-bets"):
        answer = service.get(path, key).json()
        assert list(answer) == ["data", "meta"]
        assert answer["meta"]["count"] == len(answer["data"])
        assert set(answer["meta"]) == {"rate_limit_remaining", "count"}


def test_sports_have_no_count(service: Any) -> None:
    """service.md, GET /api/sports."""
    service.quote()
    service.quote(competition="ATP", match_name="Sinner - Alcaraz", odds={"Sinner": 1.5})
    answer = service.get("/api/sports", service.key()).json()
    assert list(answer["meta"]) == ["rate_limit_remaining"]
    assert answer["data"] == [
        {"name": "Football", "competition_codes": ["EPL"], "event_count": 1},
        {"name": "Tennis", "competition_codes": ["ATP"], "event_count": 1},
    ]


def test_a_bookmaker_counts_its_lines(service: Any) -> None:
    """service.md, Bookmaker: one per selection; D9: the reference is one of them."""
    service.quote()
    service.quote(bookmaker=REFERENCE, is_live=True, odds={"Arsenal": 2.0, "Chelsea": 4.0})
    assert service.data("/api/bookmakers", service.key()) == [
        {
            "name": "Betfair",
            "odds_count": 3,
            "has_live": False,
            "last_scraped_at": "2026-11-20T18:00:00.000Z",
        },
        {
            "name": REFERENCE,
            "odds_count": 2,
            "has_live": True,
            "last_scraped_at": "2026-11-20T18:00:00.000Z",
        },
    ]


def test_an_odds_row_has_every_field(service: Any) -> None:
    """service.md, Odds row; D2."""
    service.quote(url="https://example.org/a", liquidity=500.0)
    assert service.data("/api/odds", service.key()) == [
        {
            "bookmaker": "Betfair",
            "match_name": "Arsenal - Chelsea",
            "competition": "EPL",
            "sport": "Football",
            "market_type": "moneyline",
            "period": 0,
            "is_live": False,
            "odds": {"Arsenal": 2.1, "Draw": 3.4, "Chelsea": 3.6},
            "match_date": "2026-11-20T19:00:00.000Z",
            "scraped_at": "2026-11-20T18:00:00.000Z",
            "url": "https://example.org/a",
            "liquidity": None,
        }
    ]


def test_a_sport_that_the_table_lacks_stands_next_to_the_contracts(service: Any) -> None:
    """D10, D4: ``sport`` is the contract's; what is played is named where it says nothing else."""
    cup = {"competition": "soccer_fifa_world_cup", "match_name": "Spain - Japan"}
    service.quote(**cup, odds={"Spain": 1.6, "Draw": 4.0, "Japan": 6.0})
    service.quote()
    key = service.key()
    said = {(row["sport"], row.get("source_sport")) for row in service.data("/api/odds", key)}
    assert said == {("Other", "Football"), ("Football", None)}
    for path in ("/api/events", "/api/games"):
        (named,) = service.data(path, key, sport="football")
        assert named["competition"] == "EPL"
        (other,) = service.data(path, key, sport="other")
        assert (other["sport"], other["source_sport"]) == ("Other", "Football")
    assert [each["name"] for each in service.data("/api/sports", key)] == ["Football", "Other"]


def test_the_reference_shows_its_liquidity(service: Any) -> None:
    """D32."""
    service.quote(bookmaker=REFERENCE, liquidity=500.0)
    assert service.data("/api/odds", service.key())[0]["liquidity"] == 500.0


def test_an_event_and_a_game_have_every_field(service: Any) -> None:
    """service.md, Event and Game; D5, D6."""
    service.quote(match_name="PSG - Lyon", competition="LIG1", match_date=None)
    key = service.key()
    assert service.data("/api/events", key) == [
        {
            "slug": "PSG%20-%20Lyon",
            "match_name": "PSG - Lyon",
            "competition": "LIG1",
            "sport": "Football",
            "match_date": None,
            "is_live": False,
            "bookmaker_count": 1,
        }
    ]
    assert service.data("/api/games", key) == [
        {
            "game_id": "8548bd40-bf55-7646-9218-2b324858f5f5",
            "match_name": "PSG - Lyon",
            "competition": "LIG1",
            "sport": "Football",
            "match_date": None,
            "is_live": False,
            "bookmaker_count": 1,
            "last_scraped_at": "2026-11-20T18:00:00.000Z",
        }
    ]


@pytest.mark.parametrize(
    ("path", "minutes"),
    [("/api/events", 10), ("/api/odds", 10), ("/api/games", 10), ("/api/odds/Betfair", 10)],
)
def test_a_row_is_fresh_up_to_the_end_of_the_window(service: Any, path: str, minutes: int) -> None:
    """D16: judged at the time of the request, window inclusive; D34."""
    service.quote()
    key = service.key()
    service.now += minutes * MINUTE_MS
    assert len(service.data(path, key)) == 1
    service.now += 1
    assert service.data(path, key) == []


def test_stale_minutes_widen_the_window_of_events(service: Any) -> None:
    """service.md, GET /api/events and /api/events/{id}."""
    service.quote()
    key = service.key()
    service.now += 20 * MINUTE_MS
    assert service.data("/api/events", key) == []
    assert len(service.data("/api/events", key, stale_minutes=20)) == 1
    detail = "/api/events/Arsenal%20-%20Chelsea"
    assert service.get(detail, key).status_code == 200
    assert service.get(detail, key, stale_minutes=19).status_code == 404
    service.now += 1
    assert service.get(detail, key).status_code == 404


@pytest.mark.parametrize("path", ["/api/sports", "/api/bookmakers"])
def test_the_catalogue_may_be_a_minute_old(service: Any, path: str) -> None:
    """D16; service.md: cached for 60 seconds."""
    service.quote()
    key = service.key()
    first = service.data(path, key)
    service.quote(competition="ATP", bookmaker="Unibet", match_name="Sinner - Alcaraz")
    service.now += MINUTE_MS - 1
    assert service.data(path, key) == first
    service.now += 1
    assert len(service.data(path, key)) == 2


def test_an_empty_catalogue_is_not_kept(service: Any) -> None:
    """D16: the first feed shows at once."""
    key = service.key()
    assert service.data("/api/sports", key) == []
    service.quote()
    assert len(service.data("/api/sports", key)) == 1


def test_bookmakers_are_filtered_by_live_odds(service: Any) -> None:
    """service.md, GET /api/bookmakers; D38: false gives those without."""
    service.quote(bookmaker="Live", is_live=True)
    service.quote(bookmaker="Early")
    key = service.key()

    def names(**asked: Any) -> list[str]:
        return [each["name"] for each in service.data("/api/bookmakers", key, **asked)]

    assert names() == ["Early", "Live"]
    assert names(is_live="true") == ["Live"]
    assert names(is_live="false") == ["Early"]


@pytest.mark.parametrize("path", ["/api/events", "/api/games", "/api/odds"])
def test_live_comes_first_then_the_kick_off_then_the_name(service: Any, path: str) -> None:
    """D13: null match_date last."""
    hour = 60 * MINUTE_MS
    service.quote(match_name="D - D2", match_date=None)
    service.quote(match_name="B - B2", match_date=service.now + hour)
    service.quote(match_name="A - A2", match_date=service.now + 2 * hour)
    service.quote(match_name="C - C2", match_date=service.now + hour)
    service.quote(match_name="E - E2", match_date=service.now + 3 * hour, is_live=True)
    names = [item["match_name"] for item in service.data(path, service.key())]
    assert names == ["E - E2", "B - B2", "C - C2", "A - A2", "D - D2"]


def test_odds_are_ordered_by_bookmaker_market_and_period(service: Any) -> None:
    """D13."""
    for bookmaker in ("Unibet", "Betfair"):
        for period in (1, 0):
            service.quote(bookmaker=bookmaker, period=period)
            service.quote(bookmaker=bookmaker, period=period, market_type="btts", odds={"Yes": 1.9})
    rows = service.data("/api/odds", service.key())
    keys = [(row["bookmaker"], row["market_type"], row["period"]) for row in rows]
    assert len(keys) == 8
    assert keys == sorted(keys)


@pytest.mark.parametrize("path", ["/api/events", "/api/games", "/api/odds", "/api/odds/Betfair"])
def test_a_cut_answer_goes_on_at_its_cursor(service: Any, path: str) -> None:
    """D14: next_cursor only where something was cut."""
    for number in range(7):
        service.quote(match_name=f"Team {number} - Other")
    key = service.key()
    whole = service.get(path, key).json()
    assert len(whole["data"]) == 7
    assert "next_cursor" not in whole["meta"]
    pages: list[Any] = []
    cursor: dict[str, str] = {}
    for _ in range(3):
        answer = service.get(path, key, limit=3, **cursor).json()
        pages.append(answer["data"])
        cursor = {"cursor": answer["meta"].get("next_cursor")}
    assert [len(page) for page in pages] == [3, 3, 1]
    assert cursor == {"cursor": None}
    assert [item for page in pages for item in page] == whole["data"]


def test_a_path_names_a_bookmaker_as_the_parameter_does(service: Any) -> None:
    """service.md, GET /api/odds/{bookmaker}; D12: unknown is empty."""
    for bookmaker in ("Bet/fair & Co+ 100%", "Çà", "live bets"):
        service.quote(bookmaker=bookmaker)
        key = service.key()

        by_path = service.data(f"/api/odds/{quote(bookmaker, safe='')}", key)
        assert by_path == service.data("/api/odds", key, bookmaker=bookmaker)
        assert len(by_path) == 1
    assert service.data("/api/odds/Nobody", service.key()) == []


def test_a_bookmaker_parameter_with_a_bookmaker_path_is_ignored(service: Any) -> None:
    """D10: it is not one of the path's parameters."""
    service.quote()
    assert len(service.data("/api/odds/Betfair", service.key(), bookmaker="Nobody")) == 1


@pytest.mark.parametrize("path", ["/api/odds", "/api/events", "/api/games"])
def test_what_comes_and_goes_between_pages_repeats_and_loses_nothing(
    service: Any, path: str
) -> None:
    """D14: a cursor names a place in the order, not a number of items."""
    names = [f"Team {number} - Other" for number in range(6)]
    for name in names:
        service.quote(match_name=name)
    key = service.key()
    first = service.get(path, key, limit=3).json()
    service.quote(match_name="Team 0a - Other")
    service.quote(match_name=names[2], odds={}, scraped_at=service.now + 1)
    service.quote(match_name=names[4], odds={}, scraped_at=service.now + 1)
    rest = service.get(path, key, limit=3, cursor=first["meta"]["next_cursor"]).json()
    shown = [item["match_name"] for item in first["data"] + rest["data"]]
    assert shown == [*names[:4], names[5]]


def test_a_sport_has_its_codes_in_order_and_counts_its_events(service: Any) -> None:
    """service.md, Sport: codes alphabetical; codes of no sport are Other."""
    for competition in ("UCL", "EPL", "LIGA-X"):
        service.quote(competition=competition)
    service.quote(competition="EPL", match_name="Leeds - Hull")
    assert service.data("/api/sports", service.key()) == [
        {"name": "Football", "competition_codes": ["EPL", "UCL"], "event_count": 3},
        {"name": "Other", "competition_codes": ["LIGA-X"], "event_count": 1},
    ]
