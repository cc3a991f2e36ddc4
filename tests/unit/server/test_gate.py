"""What is logged of requests that the database refuses."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from oddsdesk.server.answers import Bare, Reply, encode
from oddsdesk.server.figures import Figures
from oddsdesk.server.gate import Gate, RequestContext, loggable
from oddsdesk.server.service import Service
from oddsdesk.server.troubles import Troubles
from oddsdesk.store.errors import StoreUnavailableError


class Recording(Gate):
    """Refuses for as long as the disk is full."""

    is_full = True

    async def reply(self, request: RequestContext) -> Reply:
        if self.is_full:
            raise StoreUnavailableError("the disk is full")
        return encode(Bare({}), 0)


def test_refusals_of_the_database_are_logged_once_and_counted_at_their_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    service = SimpleNamespace(clock=lambda: 0, troubles=Troubles(), figures=Figures(), base_url="")
    gate = Recording(cast(Service, service))
    scope = {"type": "http", "method": "POST", "path": "/ingest", "headers": []}

    async def send(_: Any) -> None:
        pass

    async def ask() -> None:
        await gate(dict(scope, scheme="http"), cast(Any, None), send)

    for _ in range(3):
        asyncio.run(ask())
    gate.is_full = False
    for _ in range(2):
        asyncio.run(ask())
    assert caplog.messages == [
        "POST '/ingest': the disk is full",
        "POST '/ingest': the database answers again; it refused 3 requests",
    ]


def test_a_path_in_the_log_is_masked_before_it_is_cut() -> None:
    key = "oddsdesk_live_0123456789abcdef0123456789abcdef"
    scope = {"method": "GET", "path": f"/{'a.' * 120}{key}\n{'/b' * 8_000}"}
    line = loggable(scope)
    assert "0123" not in line
    assert "\n" not in line
    assert len(line) < 300
