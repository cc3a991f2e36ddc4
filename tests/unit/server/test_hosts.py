"""Which hosts and origins are served, by what the server is bound to."""

from typing import Any

import pytest

from oddsdesk.server.hosts import HostGuard
from oddsdesk.server.limits import no_limits


async def passes(bound: set[str], kind: str = "http", **headers: str) -> Any:
    """Return True if the request goes through, else what is sent instead."""
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        sent.append(True)

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("nothing is to be received")

    encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
    await HostGuard(app, bound, no_limits)({"type": kind, "headers": encoded}, receive, send)
    return sent[0]


@pytest.mark.parametrize(
    ("bound", "host", "served"),
    [
        ({"127.0.0.1"}, "localhost:80", True),
        ({"127.0.0.1"}, "192.168.0.7", False),
        ({"127.0.0.1"}, "localhost:80<b>", False),
        ({"127.0.0.1"}, "me@localhost", False),
        ({"127.0.0.1"}, "localhost/x", False),
        ({"192.168.0.7"}, "192.168.0.7:8765", True),
        ({"192.168.0.7"}, "192.168.0.8", False),
        ({"odds.lan"}, "ODDS.lan", True),
        ({"0.0.0.0"}, "192.168.0.7", True),
        ({"0.0.0.0"}, "0.0.0.0", True),
        ({"0.0.0.0"}, "evil.example", False),
        ({"::"}, "[fe80::1]:8765", True),
        ({"::"}, "evil.example", False),
        ({"0.0.0.0", "odds.lan"}, "odds.lan", True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["http", "websocket"])
async def test_a_host_is_served_where_the_server_is(
    bound: set[str], host: str, served: bool, kind: str
) -> None:
    assert (await passes(bound, kind, host=host) is True) is served


async def test_a_request_without_a_host_is_refused() -> None:
    assert (await passes({"0.0.0.0"}))["status"] == 400


async def test_a_stream_from_another_page_is_refused_before_it_opens() -> None:
    refused = await passes(set(), "websocket", host="localhost", origin="https://evil.example")
    assert (refused["type"], refused["status"]) == ("websocket.http.response.start", 400)


async def test_the_page_of_a_served_host_may_ask() -> None:
    assert await passes({"::"}, host="10.0.0.1:80", origin="http://10.0.0.1:80") is True
    assert await passes({"::"}, host="10.0.0.1:80", origin="http://10.0.0.2") is not True


async def test_what_is_no_request_passes() -> None:
    assert await passes(set(), "lifespan") is True
