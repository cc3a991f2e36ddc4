"""Plans: what each may see, everywhere (D19..D21, D43)."""

from typing import Any

import pytest

from oddsdesk.contract.access import Plan

REFERENCE = "Pinnacle"
NEEDS_BOOKMAKER = ["/api/events", "/api/events/x", "/api/odds", "/api/odds/B", "/api/games"]


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


@pytest.fixture(scope="module")
def market(module_service: Any) -> Any:
    """A game that three bookmakers price, and one in play that two price."""
    for bookmaker in ("Betfair", "Unibet", REFERENCE):
        module_service.quote(bookmaker=bookmaker)
    for bookmaker in ("Unibet", REFERENCE):
        module_service.quote(bookmaker=bookmaker, match_name="PSG - Lyon", is_live=True)
    return module_service


@pytest.mark.parametrize("path", NEEDS_BOOKMAKER)
def test_free_without_a_bookmaker_is_not_configured(market: Any, path: str) -> None:
    """D43; service.md, Authentication 8."""
    assert code(market.get(path, market.key(Plan.FREE))) == (403, "bookmaker_not_configured")


def test_free_without_a_bookmaker_has_the_catalogue(service: Any) -> None:
    """D43: the catalogue answers."""
    key = service.key(Plan.FREE)
    assert service.get("/api/sports", key).status_code == 200
    assert service.get("/api/bookmakers", key).status_code == 200
    assert service.get("/api/bookmakers", key, is_live="true").status_code == 200


def test_the_catalogue_shows_everything_to_everyone(market: Any) -> None:
    """D19, D20: sports and bookmakers are catalogue data."""
    free, full = market.key(Plan.FREE, "Betfair"), market.key()
    for path in ("/api/sports", "/api/bookmakers"):
        assert market.data(path, free) == market.data(path, full)
    live = market.data("/api/bookmakers", free, is_live="true")
    assert [each["name"] for each in live] == [REFERENCE, "Unibet"]


@pytest.mark.parametrize("path", ["/api/events", "/api/odds", "/api/games"])
def test_free_may_not_name_another_bookmaker(market: Any, path: str) -> None:
    """service.md, Authentication 8; D19."""
    key = market.key(Plan.FREE, "Betfair")
    assert code(market.get(path, key, bookmaker="Unibet")) == (403, "bookmaker_forbidden")
    assert code(market.get(path, key, bookmaker="Nobody")) == (403, "bookmaker_forbidden")
    assert len(market.data(path, key, bookmaker="Betfair")) == 1


def test_free_may_not_name_another_bookmaker_in_a_path(market: Any) -> None:
    """D19: naming another in a parameter or path."""
    key = market.key(Plan.FREE, "Betfair")
    assert code(market.get("/api/odds/Unibet", key)) == (403, "bookmaker_forbidden")
    assert len(market.data("/api/odds/Betfair", key)) == 1
    game = market.data("/api/games", key)[0]["game_id"]
    for path in (f"/api/games/{game}", "/api/events/Arsenal%20-%20Chelsea"):
        assert code(market.get(path, key, bookmaker="Unibet")) == (403, "bookmaker_forbidden")
        assert market.get(path, key, bookmaker="Betfair").status_code == 200


def test_free_sees_its_bookmaker_only_in_lists_and_counts(market: Any) -> None:
    """D19, D33."""
    key = market.key(Plan.FREE, "Betfair")
    [event] = market.data("/api/events", key)
    [game] = market.data("/api/games", key)
    [row] = market.data("/api/odds", key)
    assert event["bookmaker_count"] == game["bookmaker_count"] == 1
    assert row["bookmaker"] == "Betfair"


def test_free_sees_its_bookmaker_only_in_details(market: Any) -> None:
    """D19: event details, value of summary, matrices; reference cells are null."""
    key = market.key(Plan.FREE, "Betfair")
    detail = market.data("/api/events/Arsenal%20-%20Chelsea", key)
    assert [group["bookmaker"] for group in detail["markets"]] == ["Betfair"]
    assert detail["reference"] == []
    assert detail["summary"]["bookmakers"] == ["Betfair"]
    matrix = market.data(f"/api/games/{market.data('/api/games', key)[0]['game_id']}", key)
    assert matrix["all_bookmakers"] == ["Betfair"]
    [shown] = matrix["markets"]
    assert shown["bookmakers"] == ["Betfair"]
    assert shown["reference_scraped_at"] is None
    for line in shown["selections"]:
        assert line["reference"] is None
        assert list(line["books"]) == ["Betfair"]


def test_free_may_choose_the_reference(market: Any) -> None:
    """D19: unless the reference is the chosen one."""
    key = market.key(Plan.FREE, REFERENCE)
    matrix = market.data(f"/api/games/{market.data('/api/games', key)[0]['game_id']}", key)
    assert [line["reference"]["odds"] for line in matrix["markets"][0]["selections"]]
    assert matrix["all_bookmakers"] == [REFERENCE]
    assert matrix["markets"][0]["bookmakers"] == []


def test_what_free_may_not_see_does_not_exist(service: Any) -> None:
    """D39: another bookmaker's event on Free is 404."""
    service.quote(bookmaker="Unibet")
    free, full = service.key(Plan.FREE, "Betfair"), service.key()
    game = service.data("/api/games", full)[0]["game_id"]
    for path in ("/api/events/Arsenal%20-%20Chelsea", f"/api/games/{game}"):
        assert service.get(path, full).status_code == 200
        assert code(service.get(path, free)) == (404, "not_found")


def test_a_chosen_bookmaker_can_change_while_the_server_runs(market: Any) -> None:
    """D25; issue 3, item 1: effective on a running server."""
    key = market.key(Plan.FREE, "Betfair", account="free")
    market.access.keys.create("free", None, "Unibet", market.now)
    assert [row["bookmaker"] for row in market.data("/api/odds", key)] == ["Unibet"]


@pytest.mark.parametrize("plan", [Plan.FREE, Plan.PRO, Plan.PRO_RT])
@pytest.mark.parametrize("path", ["/api/events", "/api/odds", "/api/games"])
def test_in_play_odds_need_the_live_plan(market: Any, plan: Plan, path: str) -> None:
    """D20; service.md, Authentication 8."""
    key = market.key(plan, "Unibet")
    assert code(market.get(path, key, is_live="true")) == (403, "live_not_on_plan")
    shown = {item["match_name"] for item in market.data(path, key)}
    assert shown == {item["match_name"] for item in market.data(path, key, is_live="false")}
    assert shown == {"Arsenal - Chelsea"}


@pytest.mark.parametrize("plan", [Plan.FREE, Plan.PRO, Plan.PRO_RT])
def test_live_odds_need_the_live_plan(market: Any, plan: Plan) -> None:
    """service.md, GET /api/odds/live."""
    assert code(market.get("/api/odds/live", market.key(plan))) == (403, "live_not_on_plan")
    assert code(market.get("/api/odds/B", market.key(plan), is_live="true")) == (
        403,
        "live_not_on_plan",
    )


def test_the_live_plan_sees_in_play_odds(market: Any) -> None:
    """service.md, GET /api/odds/live; D20."""
    key = market.key(Plan.PRO_LIVE)
    live = market.data("/api/odds/live", key)
    assert {row["match_name"] for row in live} == {"PSG - Lyon"}
    assert live == market.data("/api/odds", key, is_live="true")
    assert all(row["is_live"] for row in live)
    assert len(market.data("/api/odds", key)) == 5


def test_an_in_play_game_does_not_exist_below_the_live_plan(market: Any) -> None:
    """D39: an in-play game without live is 404."""
    live, pro = market.key(), market.key(Plan.PRO_RT)
    game = market.data("/api/games", live, is_live="true")[0]["game_id"]
    for path in ("/api/events/PSG%20-%20Lyon", f"/api/games/{game}"):
        assert market.get(path, live).status_code == 200
        assert code(market.get(path, pro)) == (404, "not_found")


def test_value_bets_need_pro(service: Any) -> None:
    """D21."""
    free = service.key(Plan.FREE, "Betfair")
    assert code(service.get("/api/value-bets", free)) == (403, "value_bets_not_on_plan")
    for plan in (Plan.PRO, Plan.PRO_RT, Plan.PRO_LIVE):
        assert service.get("/api/value-bets", service.key(plan)).status_code == 200


def test_a_revoked_or_rotated_key_is_unknown_from_the_next_request(service: Any) -> None:
    """service.md, Authentication 3 and 5."""
    first, second = service.key(), service.key()
    service.access.keys.revoke(first, service.now)
    service.access.keys.rotate(second)
    assert service.get("/api/sports", first).status_code == 401
    assert service.get("/api/sports", second).status_code == 401


@pytest.mark.parametrize("chosen", ["betvictor", "BetVictor", "Bet Victor"])
def test_free_sees_its_bookmaker_however_that_is_spelled(service: Any, chosen: str) -> None:
    """D70: the database's name is in the answers; the key's own may be asked for, too."""
    service.quote(bookmaker="Bet Victor")
    service.quote(bookmaker="Unibet")
    key = service.key(Plan.FREE, chosen)
    for asked in ({}, {"bookmaker": chosen}, {"bookmaker": "Bet Victor"}):
        assert [row["bookmaker"] for row in service.data("/api/odds", key, **asked)] == [
            "Bet Victor"
        ]
    assert len(service.data(f"/api/odds/{chosen}", key)) == 1
    assert code(service.get("/api/odds", key, bookmaker="Unibet")) == (403, "bookmaker_forbidden")


def test_a_filter_names_a_bookmaker_as_the_answers_do(service: Any) -> None:
    """service.md: bookmakers exactly; D70 changes names where they are recorded only."""
    service.quote(bookmaker="Bet Victor")
    key = service.key()
    assert service.data("/api/odds", key, bookmaker="betvictor") == []
    assert len(service.data("/api/odds", key, bookmaker="Bet Victor")) == 1
