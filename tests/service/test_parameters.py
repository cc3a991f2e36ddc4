"""Parameters: what each endpoint takes, and 400 with the name for everything else (D10, D38)."""

import base64
from typing import Any

import pytest

pytestmark = pytest.mark.one_engine

LISTS = ["/api/events", "/api/odds", "/api/odds/live", "/api/odds/Betfair", "/api/games"]
MAXIMA = {
    "/api/events": 1000,
    "/api/odds": 500,
    "/api/odds/live": 500,
    "/api/odds/Betfair": 500,
    "/api/games": 500,
    "/api/value-bets": 500,
    "/api/results": 500,
}
NO_INTEGER = ["", "x", "1e3", "+5", "5.0", " 5", "٥", "0x5", "1_000", "NaN", "9" * 5000, "5%00"]


@pytest.fixture
def service(module_service: Any) -> Any:
    return module_service


def refused(service: Any, key: str, path: str, query: str) -> str:
    answer = service.http.get(f"{path}?{query}", headers={"X-Api-Key": key})
    assert answer.status_code == 400, (path, query, answer.text)
    error = answer.json()["error"]
    assert error["code"] == "bad_request"
    assert "upgrade_url" not in error
    return str(error["message"])


@pytest.mark.parametrize("path", MAXIMA)
def test_a_limit_lies_between_one_and_its_maximum(service: Any, path: str) -> None:
    """service.md, Limits; D10."""
    key, maximum = service.key(), MAXIMA[path]
    for good in (1, maximum):
        assert service.get(path, key, limit=good).status_code == 200
    for bad in (0, -1, maximum + 1):
        message = refused(service, key, path, f"limit={bad}")
        assert "limit" in message
        assert str(bad) in message
        assert f"from 1 to {maximum}" in message


@pytest.mark.parametrize("path", ["/api/events", "/api/events/x"])
def test_stale_minutes_lie_between_1_and_60(service: Any, path: str) -> None:
    """service.md, Limits: stale_minutes range."""
    key = service.key()
    for bad in ("0", "61", "x"):
        assert "from 1 to 60" in refused(service, key, path, f"stale_minutes={bad}")
    assert service.get(path, key, stale_minutes=60).status_code in (200, 404)


@pytest.mark.parametrize("path", ["/api/odds", "/api/odds/live", "/api/odds/Betfair"])
def test_the_odds_family_has_no_stale_minutes(service: Any, path: str) -> None:
    """D11."""
    assert service.get(path, service.key(), stale_minutes="x").status_code == 200


def test_what_is_no_plain_integer_is_refused(service: Any) -> None:
    """pitfalls.md, HTTP edge cases."""
    key = service.key()
    for text in NO_INTEGER:
        message = refused(service, key, "/api/odds", f"limit={text}")
        assert len(message) < 200


@pytest.mark.parametrize("path", [*LISTS, "/api/bookmakers"])
def test_booleans_are_exactly_true_and_false(service: Any, path: str) -> None:
    """D38."""
    key = service.key()
    for text in ("True", "TRUE", "1", "0", "yes", "", "true "):
        message = refused(service, key, path, f"is_live={text}")
        assert message.startswith("is_live: expected ")
    assert service.get(path, key, is_live="true").status_code == 200


@pytest.mark.parametrize("path", [path for path in LISTS if path != "/api/odds/live"])
def test_false_is_a_boolean_too(service: Any, path: str) -> None:
    """D38."""
    assert service.get(path, service.key(), is_live="false").status_code == 200


def test_live_odds_that_are_not_live_are_refused(service: Any) -> None:
    """D38: odds/live?is_live=false is 400."""
    message = refused(service, service.key(), "/api/odds/live", "is_live=false")
    assert message == "is_live: expected true, got 'false'"


@pytest.mark.parametrize(
    "path", ["/api/odds", "/api/odds/live", "/api/odds/B", "/api/events/x", "/api/games/x"]
)
def test_a_market_type_is_one_of_the_table(service: Any, path: str) -> None:
    """D10."""
    message = refused(service, service.key(), path, "market_type=Moneyline")
    assert "'Moneyline'" in message
    assert "moneyline, spread, total, btts" in message


@pytest.mark.parametrize("path", ["/api/events/x", "/api/games/x"])
def test_a_period_is_a_whole_number_of_0_or_more(service: Any, path: str) -> None:
    """D10."""
    key = service.key()
    for text in ("-1", "x", "1.5", ""):
        assert refused(service, key, path, f"period={text}").startswith("period: ")
    assert service.get(path, key, period=999).status_code == 404


@pytest.mark.parametrize("name", ["sport", "competition", "bookmaker", "cursor"])
def test_an_empty_value_is_refused(service: Any, name: str) -> None:
    """D10."""
    key = service.key()
    for path in ("/api/events", "/api/odds", "/api/games", "/api/value-bets"):
        assert refused(service, key, path, f"{name}=").startswith(f"{name}: ")
        assert refused(service, key, path, name).startswith(f"{name}: ")


def test_a_parameter_given_twice_is_refused(service: Any) -> None:
    """D10."""
    key = service.key()
    assert "2 times" in refused(service, key, "/api/odds", "sport=Tennis&sport=Tennis")
    assert "3 times" in refused(service, key, "/api/odds", "limit=1&limit=1&x=1&limit=2")


def test_bytes_that_are_no_text_are_refused(service: Any) -> None:
    """D10: a value of the wrong type."""
    assert refused(service, service.key(), "/api/odds", "sport=%ff").startswith("sport: ")


def test_too_many_parameters_are_refused(service: Any) -> None:
    assert "200" in refused(service, service.key(), "/api/odds", "&".join(["x=1"] * 500))


def test_unknown_parameters_are_ignored(service: Any) -> None:
    """D10."""
    key = service.key()
    answer = service.http.get("/api/odds?x=1&x=2&y=&%ff=%ff&LIMIT=x", headers={"X-Api-Key": key})
    assert answer.status_code == 200


def test_unknown_names_are_valid_and_match_nothing(service: Any) -> None:
    """D10."""
    service.quote()
    key = service.key()
    for path in ("/api/events", "/api/odds", "/api/games", "/api/value-bets"):
        for name in ("sport", "competition", "bookmaker"):
            answer = service.get(path, key, **{name: "Nobody"})
            assert (answer.status_code, answer.json()["data"]) == (200, [])
            assert answer.json()["meta"]["count"] == 0


@pytest.mark.parametrize("path", ["/api/events", "/api/odds", "/api/games"])
def test_sports_ignore_case_and_competitions_and_bookmakers_do_not(service: Any, path: str) -> None:
    """service.md, Endpoints."""
    service.quote()
    key = service.key()
    assert len(service.data(path, key, sport="fOOTBALL")) == 1
    assert service.data(path, key, competition="epl") == []
    assert service.data(path, key, bookmaker="betfair") == []
    assert len(service.data(path, key, competition="EPL", bookmaker="Betfair")) == 1


@pytest.mark.parametrize("name", ["min_ev", "max_ev"])
def test_an_edge_lies_between_0_and_20(service: Any, name: str) -> None:
    """D10."""
    key = service.key()
    for text in ("-1", "20.01", "NaN", "inf", "1e1", "", "x", "-0.001"):
        message = refused(service, key, "/api/value-bets", f"{name}={text}")
        assert message.startswith(f"{name}: expected a number from 0 to 20")
    assert service.get("/api/value-bets", key, min_ev=0, max_ev=20).status_code == 200
    assert service.get("/api/value-bets", key, min_ev="2.5", max_ev="2.5").status_code == 200


def test_the_least_edge_is_not_above_the_greatest(service: Any) -> None:
    """D10: min_ev <= max_ev."""
    key = service.key()
    assert "max_ev" in refused(service, key, "/api/value-bets", "min_ev=5&max_ev=4")
    assert "max_ev" in refused(service, key, "/api/value-bets", "max_ev=0.5")


@pytest.mark.parametrize("path", [*LISTS, "/api/value-bets"])
def test_a_cursor_that_no_answer_carried_is_refused(service: Any, path: str) -> None:
    """D14."""
    assert refused(service, service.key(), path, "cursor=nonsense").startswith("cursor: ")


@pytest.mark.parametrize("path", [*LISTS, "/api/value-bets"])
def test_a_nested_cursor_is_refused_and_counts(service: Any, path: str) -> None:
    """D14, D17: it was a bug of ours, which costs nothing."""
    key = service.key()
    nested = base64.urlsafe_b64encode(b"[" * 3_000).decode().rstrip("=")
    before = int(service.get(path, key).headers["x-ratelimit-remaining"])
    answer = service.get(path, key, cursor=nested)
    assert answer.status_code == 400
    assert int(answer.headers["x-ratelimit-remaining"]) == before - 1


def test_a_refused_request_counts(service: Any) -> None:
    """D17: 400 counts."""
    key = service.key()
    left = [
        int(service.get("/api/odds", key, limit=limit).headers["x-ratelimit-remaining"])
        for limit in ("x", "x", "1")
    ]
    assert left == [5499, 5498, 5497]
