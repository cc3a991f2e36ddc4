"""Quotas: fixed windows per key, said on every response, never one too many (D17, D18)."""

import asyncio
import contextlib
from typing import Any

import httpx
import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.contract.times import format_ms
from tests.kit.running_service import RunningService

HOUR_S = 3_600
DAY_S = 86_400


def limits(answer: httpx.Response) -> tuple[int, int]:
    return int(answer.headers["x-ratelimit-remaining"]), int(answer.headers["x-ratelimit-reset"])


@pytest.mark.parametrize(
    ("plan", "requests", "window_s"),
    [
        (Plan.FREE, 200, DAY_S),
        (Plan.PRO, 5_500, HOUR_S),
        (Plan.PRO_RT, 5_500, HOUR_S),
        (Plan.PRO_LIVE, 5_500, HOUR_S),
    ],
)
def test_a_plan_gives_its_requests_in_its_window(
    module_service: Any, plan: Plan, requests: int, window_s: int
) -> None:
    """service.md, Limits; D18: the UTC day for Free, the UTC clock hour for the others."""
    answer = module_service.get("/api/sports", module_service.key(plan))
    now_s = module_service.now // 1000
    assert limits(answer) == (requests - 1, now_s - now_s % window_s + window_s)


BEFORE_THE_GATE = [
    (400, {"headers": {"Host": "evil.example"}}),
    (400, {"headers": {"Origin": "https://evil.example"}}),
    (413, {"content": b"x" * 70_000}),
    (431, {"headers": {"X-Large": "a" * 20_000}}),
]


@pytest.mark.parametrize(("status", "request_"), BEFORE_THE_GATE)
def test_what_is_refused_before_it_is_judged_has_the_headers_and_costs_nothing(
    service: Any, status: int, request_: dict[str, Any]
) -> None:
    """D17; service.md, Limits: response headers on every response."""
    key = service.key(Plan.PRO)
    left = limits(service.get("/api/odds", key))
    known = {**request_, "headers": {"X-Api-Key": key, **request_.get("headers", {})}}
    answer = service.http.request("GET", "/api/odds", **known)
    assert answer.status_code == status
    assert set(answer.json()) == {"error"}
    assert limits(answer) == left
    unknown = service.http.request("GET", "/api/odds", **request_)
    assert limits(unknown) == (0, service.now // 1000)


@pytest.mark.parametrize(
    "path",
    ["/api/sports", "/api/bookmakers", "/api/events", "/api/odds", "/api/games", "/api/value-bets"],
)
def test_the_headers_say_what_meta_says(module_service: Any, path: str) -> None:
    """service.md, Limits: meta.rate_limit_remaining carries the same count as the header."""
    answer = module_service.get(path, module_service.key())
    assert answer.json()["meta"]["rate_limit_remaining"] == limits(answer)[0]


def test_every_response_to_a_known_key_has_the_headers(service: Any) -> None:
    """D17: errors included, and a refused request counts."""
    key = service.key(Plan.PRO)
    answers = [
        service.get("/api/odds", key, limit=0),
        service.get("/api/odds/live", key),
        service.get("/api/events/none", key),
        service.get("/api/none", key),
        service.http.post("/api/odds", headers={"X-Api-Key": key}),
    ]
    assert [answer.status_code for answer in answers] == [400, 403, 404, 404, 405]
    assert [limits(answer)[0] for answer in answers] == [5499, 5498, 5497, 5496, 5495]


def test_the_request_after_the_last_is_refused_until_the_reset(service: Any) -> None:
    """service.md, Limits; D17: 429 carries Retry-After and does not count."""
    key = service.key(Plan.FREE)
    last = [service.get("/api/sports", key) for _ in range(200)][-1]
    assert last.status_code == 200
    assert limits(last)[0] == 0
    for _ in range(2):
        refused = service.get("/api/sports", key)
        assert refused.status_code == 429
        assert refused.json()["error"]["code"] == "rate_limit_exceeded"
        assert limits(refused) == limits(last)
        wait_s, again_ms = limits(last)[1] - service.now // 1000, limits(last)[1] * 1000
        assert int(refused.headers["retry-after"]) == wait_s
        said = f"used up; retry in {wait_s} s, at {format_ms(again_ms)}."
        message = refused.json()["error"]["message"]
        assert message == f"The 200 requests a day of the Free plan are {said}"
    service.now = limits(last)[1] * 1000 - 1
    assert service.get("/api/sports", key).status_code == 429
    service.now += 1
    assert limits(service.get("/api/sports", key))[0] == 199


def test_keys_of_one_account_count_apart(service: Any) -> None:
    """service.md, Limits: limits are per API key."""
    first, second = (service.key(Plan.PRO, account="one") for _ in range(2))
    service.get("/api/sports", first)
    assert limits(service.get("/api/sports", second))[0] == 5499


def test_a_rotated_key_goes_on_where_the_old_one_was(service: Any) -> None:
    """D43."""
    key = service.key(Plan.PRO)
    service.get("/api/sports", key)
    rotated = service.access.keys.rotate(key).secret
    assert limits(service.get("/api/sports", rotated))[0] == 5498


@pytest.mark.slow
async def test_fifty_at_once_never_get_one_too_many(service: Any) -> None:
    """Issue 3, item 2."""
    key = service.key(Plan.FREE)
    async with httpx.AsyncClient(
        base_url=service.url, headers={"X-Api-Key": key}, limits=httpx.Limits(max_connections=50)
    ) as client:
        # As many tasks as connections: httpx looks through all that wait, for each that ends.
        left = iter(range(260))

        async def ask() -> list[httpx.Response]:
            return [await client.get("/api/sports") for _ in left]

        answers = [
            each for some in await asyncio.gather(*(ask() for _ in range(50))) for each in some
        ]
    good = [answer for answer in answers if answer.status_code == 200]
    assert sorted(limits(answer)[0] for answer in good) == list(range(200))
    assert {answer.status_code for answer in answers} == {200, 429}


def test_health_costs_nothing(service: Any) -> None:
    """D15: no key, no quota."""
    key = service.key()
    for _ in range(3):
        assert limits(service.get("/api/health", key))[0] == 5500
    assert "x-ratelimit-remaining" not in service.http.get("/api/health").headers


def test_counts_are_there_after_a_restart(service: Any) -> None:
    """D18."""
    key = service.key()
    service.get("/api/sports", key)
    service.close()
    with contextlib.closing(RunningService(service.database)) as again:
        assert limits(again.get("/api/sports", key))[0] == 5498
