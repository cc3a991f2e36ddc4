"""The event loop never waits for a database: all that asks one does so on another thread."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from oddsdesk.contract.access import Plan

WAYS = [
    ("GET", "/api/odds"),
    ("GET", "/api/odds?limit=nonsense"),
    ("POST", "/api/odds"),
    ("GET", "/api/sports"),
    ("GET", "/api/games"),
    ("GET", "/api/value-bets"),
    ("GET", "/api/nowhere"),
    ("GET", "/api/health"),
    ("POST", "/api/health"),
    ("GET", "/api/ready"),
    ("POST", "/api/stream/token"),
    ("POST", "/ingest"),
    ("GET", "/docs"),
]


@pytest.fixture
def read_on_a_loop(service: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was read on a thread that runs an event loop."""
    found: list[str] = []

    def noting(name: str, ask: Callable[..., Any]) -> Callable[..., Any]:
        def asked(*said: Any) -> Any:
            if asyncio._get_running_loop() is not None:
                found.append(name)
            return ask(*said)

        return asked

    for name in ("read_with", "write_with", "version"):
        monkeypatch.setattr(
            service.access._file, name, noting(name, getattr(service.access._file, name))
        )
    monkeypatch.setattr(service.store, "reader", noting("reader", service.store.reader))
    return found


@pytest.mark.parametrize("plan", [None, Plan.FREE, Plan.PRO_LIVE])
def test_no_request_reads_on_the_loop(
    service: Any, read_on_a_loop: list[str], plan: Plan | None
) -> None:
    """scale.md: nothing reads the store on the event loop."""
    service.quote()
    headers = {} if plan is None else {"X-Api-Key": service.key(plan, "Betfair")}
    for unknown in ({}, {"X-Api-Key": "nonsense"}, headers):
        for method, path in WAYS:
            service.http.request(method, path, headers=unknown)
            service.now += 2_000
    assert read_on_a_loop == []
