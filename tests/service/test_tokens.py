"""POST /api/stream/token (D22, D23)."""

import re
from typing import Any

import httpx
import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.server.gate import LoopAccess
from oddsdesk.server.stream.endpoint import issue_token, open_connection, read_token
from oddsdesk.store.keys import Caller
from oddsdesk.store.quotas import Kind, Token, TokenSpentError

DAY_MS = 86_400_000


def ask(service: Any, key: str) -> httpx.Response:
    answer: httpx.Response = service.http.post("/api/stream/token", headers={"X-Api-Key": key})
    return answer


def whose(service: Any, token: str, now_ms: int | None = None) -> Caller | None:
    known: tuple[Caller, Token] | None = service.on_loop(
        lambda access: read_token(access, token, service.now if now_ms is None else now_ms)
    )
    return None if known is None else known[0]


def opens(service: Any, token: str) -> bool:
    async def opened(access: LoopAccess) -> bool:
        known = await read_token(access, token, service.now)
        assert known is not None
        return (await open_connection(access, *known, service.now)).allowed

    return bool(service.on_loop(opened))


@pytest.mark.parametrize("plan", [Plan.FREE, Plan.PRO_RT, Plan.PRO_LIVE])
def test_a_token_lives_300_seconds(service: Any, plan: Plan) -> None:
    """service.md, POST /api/stream/token."""
    key = service.key(plan, "Betfair")
    answer = ask(service, key)
    assert answer.status_code == 200
    assert list(answer.json()) == ["token", "expires_in"]
    assert answer.json()["expires_in"] == 300
    token = answer.json()["token"]
    assert re.fullmatch(r"[A-Za-z0-9_=-]+", token)
    assert whose(service, token, service.now + 299_999) == service.access.keys.caller(key)
    assert whose(service, token, service.now + 300_000) is None


def test_pro_has_no_stream(service: Any) -> None:
    """service.md, Authentication 8."""
    answer = ask(service, service.key(Plan.PRO))
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "websocket_not_on_plan"


def limits(answer: httpx.Response) -> tuple[int, int]:
    """Return what the rate-limit headers of an answer say: remaining, reset (s)."""
    headers = answer.headers
    return int(headers["x-ratelimit-remaining"]), int(headers["x-ratelimit-reset"])


def test_a_refused_token_costs_no_request(service: Any) -> None:
    """D22: the desk asks each minute whether the plan has the stream by now."""
    key = service.key(Plan.PRO)
    left = {ask(service, key).headers["x-ratelimit-remaining"] for _ in range(3)}
    assert len(left) == 1


def test_free_without_a_bookmaker_gets_no_token(service: Any) -> None:
    """D43."""
    answer = ask(service, service.key(Plan.FREE))
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "bookmaker_not_configured"


def test_a_token_costs_no_request(service: Any) -> None:
    """D22; service.md, Delivery rules 4."""
    key = service.key()
    left = [ask(service, key).headers["x-ratelimit-remaining"] for _ in range(3)]
    assert left == ["5500"] * 3


def test_a_used_up_quota_leaves_tokens(service: Any) -> None:
    """D22: the token endpoint does not consume the request quota."""
    key = service.key(Plan.FREE, "Betfair")
    for _ in range(201):
        last = service.get("/api/sports", key)
    assert last.status_code == 429
    assert ask(service, key).status_code == 200


def test_the_31st_token_of_a_day_is_refused_on_free(service: Any) -> None:
    """D22."""
    key = service.key(Plan.FREE, "Betfair")
    assert [ask(service, key).status_code for _ in range(31)] == [200] * 30 + [429]
    refused = ask(service, key)
    assert refused.json()["error"]["code"] == "rate_limit_exceeded"
    until_midnight = -(service.now // 1000) % 86_400
    assert int(refused.headers["retry-after"]) == until_midnight
    assert limits(refused) == (0, service.now // 1000 + until_midnight)
    assert limits(service.get("/api/sports", key))[0] == 199
    said = refused.json()["error"]["message"]
    assert said.startswith("The 30 stream tokens a day of the Free plan are used up; retry in")
    service.now += until_midnight * 1000
    assert ask(service, key).status_code == 200


def test_connections_count_where_tokens_do_not(service: Any) -> None:
    """D22: 30 connections a UTC day, counted when they open, even with yesterday's token."""
    caller = service.access.keys.caller(key := service.key(Plan.FREE, "Betfair"))
    tokens = [issue_token(service.access.secret, caller, service.now) for _ in range(31)]
    opened = [opens(service, token) for token in tokens]
    assert opened == [True] * 30 + [False]
    refused = ask(service, key)
    assert refused.status_code == 429
    assert "The 30 stream connections a day" in refused.json()["error"]["message"]
    until_midnight = -(service.now // 1000) % 86_400
    assert limits(refused) == (0, service.now // 1000 + until_midnight)
    assert int(refused.headers["retry-after"]) == until_midnight


def test_other_plans_open_as_many_as_they_like(service: Any) -> None:
    """service.md, Limits: unlimited."""
    key = service.key(Plan.PRO_RT)
    assert all(opens(service, ask(service, key).json()["token"]) for _ in range(50))


def test_a_token_opens_one_stream(service: Any) -> None:
    """D23; two tokens of the same moment are different."""
    key = service.key(Plan.FREE, "Betfair")
    first, second = (ask(service, key).json()["token"] for _ in range(2))
    assert first != second
    assert opens(service, first)
    for _ in range(2):
        with pytest.raises(TokenSpentError):
            opens(service, first)
    assert opens(service, second)
    caller = service.access.keys.caller(key)
    left = service.on_loop(
        lambda access: access.peek(caller.key_id, Kind.CONNECTIONS, 30, DAY_MS // 1000, service.now)
    )
    assert left.remaining == 28, "what was refused is not counted"


def test_a_token_ends_with_its_key(service: Any) -> None:
    """D23: a revoked or rotated key's tokens end at once."""
    for end in (service.access.keys.rotate, lambda key: service.access.keys.revoke(key, 0)):
        token = ask(service, key := service.key()).json()["token"]
        assert whose(service, token) is not None
        end(key)
        assert whose(service, token) is None


def test_a_changed_token_is_none(service: Any) -> None:
    """service.md, Connection rules: invalid token."""
    token = ask(service, service.key()).json()["token"]
    for place in range(len(token)):
        other = "A" if token[place] != "A" else "B"
        changed = token[:place] + other + token[place + 1 :]
        assert whose(service, changed) is None


@pytest.mark.parametrize("token", ["", "x", "é", "A" * 64, "_" * 64, "=" * 64, "A" * 100_000])
def test_a_made_up_token_is_none(service: Any, token: str) -> None:
    assert whose(service, token) is None


def test_a_token_signed_for_longer_than_any_that_is_issued_opens_nothing(service: Any) -> None:
    """Who has a copy of the access file can sign; years ahead is not believed."""
    caller = service.access.keys.caller(service.key())
    for ahead_ms in (1, 10 * 365 * DAY_MS):
        token = issue_token(service.access.secret, caller, service.now + ahead_ms)
        assert whose(service, token) is None
