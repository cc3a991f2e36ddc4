"""``as_of``: games as they stood at a moment; ours, beyond the contract (D71)."""

from typing import Any

import pytest
from msgspec.structs import replace

from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import format_ms

HOUR = 3_600_000
MINUTE = 60_000


@pytest.fixture
def moved(service: Any) -> Any:
    """A price that moved an hour before now."""
    service.quote()
    service.now += HOUR
    service.quote(odds={"Arsenal": 2.3, "Draw": 3.4, "Chelsea": 3.6})
    service.now += HOUR
    return service


def odds_of_arsenal(service: Any, key: str, **asked: Any) -> float:
    listed = service.data("/api/games", key, **asked)
    matrix = service.data(f"/api/games/{listed[0]['game_id']}", key, **asked)
    return matrix["markets"][0]["selections"][0]["books"]["Betfair"]["odds"]


def test_games_are_answered_as_they_stood(moved: Any) -> None:
    """D71."""
    key = moved.key()
    assert moved.data("/api/games", key) == []
    before = format_ms(moved.now - 90 * MINUTE)
    assert odds_of_arsenal(moved, key, as_of=before) == 2.1
    assert odds_of_arsenal(moved, key, as_of=format_ms(moved.now)) == 2.3
    assert odds_of_arsenal(moved, key, as_of="2026-11-20T20:30:00+01:00") == 2.3
    assert moved.data("/api/games", key, as_of="2026-11-20T17:59:59Z") == []
    listed = moved.data("/api/games", key, as_of=before)
    path = f"/api/games/{listed[0]['game_id']}"
    assert moved.get(path, key, as_of="2026-11-20T17:59:59Z").status_code == 404


def test_a_moment_says_what_of_it_nobody_offered(moved: Any) -> None:
    """D71, D72: as health says it of now."""
    at = format_ms(moved.now - 90 * MINUTE)

    def told(at: str = at) -> tuple[bool, bool, bool]:
        meta = moved.get("/api/games", moved.key(), as_of=at).json()["meta"]
        return meta["simulated"], meta["mixed"], meta["shifted"]

    assert told() == (False, False, False)
    assert "simulated" not in moved.get("/api/games", moved.key()).json()["meta"]
    old = replace(moved.quote(), odds={"Arsenal": 2.4, "Draw": 3.4, "Chelsea": 3.6})
    moved.store.record([old], shifted=True).result(timeout=10)
    assert told() == (False, False, True)
    assert told("2026-11-20T17:59:59Z") == (False, False, False), "of nothing nothing is said"


def test_a_moment_of_simulated_and_of_real_games_says_that_it_is_mixed(service: Any) -> None:
    """A real archive may tell of moments at which there was a simulation here."""
    at, odds = service.now, {"Yes": 2.0, "No": 1.8}
    made_up = Quote("Kestrel", "Made vs Up", "EPL", "btts", 0, odds, at, match_date=at + HOUR)
    service.store.record([made_up], simulated=True).result(timeout=10)
    service.now += MINUTE
    service.quote(scraped_at=at - MINUTE)
    meta = service.get("/api/games", service.key(), as_of=format_ms(at)).json()["meta"]
    assert (meta["count"], meta["simulated"], meta["mixed"]) == (2, True, True)


def test_one_bookmaker_in_the_path_is_one_in_the_query(moved: Any) -> None:
    """service.md, GET /api/odds/{bookmaker}: equivalent, whatever moment is asked."""
    moved.quote(bookmaker="Harbour", odds={"Arsenal": 2.9, "Draw": 3.4, "Chelsea": 3.6})
    key = moved.key()
    for ago, odds in ((0, [2.3]), (90, [2.1]), (121, [])):
        at = format_ms(moved.now - ago * MINUTE)
        by_path = moved.data("/api/odds/Betfair", key, as_of=at)
        assert by_path == moved.data("/api/odds", key, bookmaker="Betfair", as_of=at)
        assert [row["odds"]["Arsenal"] for row in by_path] == odds
    refused = moved.get("/api/odds/Betfair", moved.key(Plan.FREE, "Betfair"), as_of=at)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "bookmaker_forbidden")


@pytest.mark.parametrize("text", ["2026-11-20T18:00:00Z", "x", ""])
def test_a_moment_is_refused_where_the_answer_would_be_of_now(moved: Any, text: str) -> None:
    """Ignored, prices of now would be taken for those of then."""
    paths = moved.http.get("/openapi.json").json()["paths"]
    takes = {
        path: "as_of" in [each["name"] for each in operations["get"]["parameters"]]
        for path, operations in paths.items()
        if "parameters" in operations.get("get", {})
    }
    last = "/api/games/{game_id}"
    told = {"/api/odds", "/api/odds/{bookmaker}", "/api/games", last}
    assert {path for path in takes if takes[path]} == told
    others = [path for path in takes if path not in told]
    assert {"/api/events", "/api/odds/live", "/api/value-bets", "/api/sports"} <= set(others)
    for path in others:
        answer = moved.get(path, moved.key(), as_of=text)
        assert answer.status_code == 400, path
        error = answer.json()["error"]
        assert (error["code"], error["message"]) == (
            "bad_request",
            "as_of: not supported here; use /api/odds or /api/games for past odds",
        )
        assert len(error["message"].encode()) <= 120, "the stream closes with it"


@pytest.mark.parametrize("path", ["/api/games", "/api/games/00000000-0000-0000-0000-000000000000"])
@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-11-20T18:00:00", "2026-11-20T20:00:00.001Z"]
)
def test_a_moment_has_an_offset_and_is_not_to_come(moved: Any, path: str, text: str) -> None:
    """D2, D10."""
    answer = moved.get(path, moved.key(), as_of=text)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")
    assert answer.json()["error"]["message"].startswith("as_of: expected ")


@pytest.mark.parametrize("path", ["/api/games", "/api/games/00000000-0000-0000-0000-000000000000"])
def test_the_past_is_for_plans_that_see_every_bookmaker(moved: Any, path: str) -> None:
    """D39: a bad moment first, then rights, then whether it is there."""
    free = moved.key(Plan.FREE, "Betfair")
    answer = moved.get(path, free, as_of=format_ms(moved.now))
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "bookmaker_forbidden")
    assert moved.get(path, free, as_of="x").status_code == 400


def test_the_past_in_play_is_for_plans_that_see_it(service: Any) -> None:
    """D20."""
    service.quote(is_live=True)
    at = format_ms(service.now)
    assert service.data("/api/games", service.key(Plan.PRO), as_of=at) == []
    assert service.data("/api/games", service.key(Plan.PRO_LIVE), as_of=at) != []
