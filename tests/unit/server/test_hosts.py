"""Which hosts and origins are served, by what the server is bound to."""

import json
import logging
from typing import Any

import pytest

from oddsdesk.server.figures import Figures
from oddsdesk.server.hosts import HostGuard
from oddsdesk.server.limits import no_limits


async def passes(
    bound: set[str], kind: str = "http", figures: Figures | None = None, **headers: str
) -> Any:
    """Return True if the request goes through, else what is sent instead."""
    return (await answers(HostGuard(_passed, bound, no_limits, figures), kind, **headers))[0]


async def _passed(_scope: Any, _receive: Any, send: Any) -> None:
    await send(True)


async def answers(guard: HostGuard, kind: str = "http", **headers: str) -> list[Any]:
    """Return all that is sent."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("nothing is to be received")

    encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
    await guard({"type": kind, "headers": encoded}, receive, send)
    return sent


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


async def test_which_names_are_served_is_told_to_the_log_only(
    caplog: pytest.LogCaptureFixture,
) -> None:
    guard = HostGuard(_passed, {"odds.example.org"}, no_limits)
    with caplog.at_level(logging.INFO, logger="oddsdesk.server.hosts"):
        for _ in range(3):
            _, body = await answers(guard, host="evil.example")
    message = json.loads(body["body"])["error"]["message"]
    assert message.startswith("Host: this server does not answer to evil.example; use the")
    assert caplog.messages == [
        "a request for evil.example is refused: this server's names are 127.0.0.1, ::1, localhost,"
        " odds.example.org (1 since the start)"
    ]


async def test_a_key_sent_as_host_is_neither_logged_nor_repeated(
    caplog: pytest.LogCaptureFixture,
) -> None:
    key = "oddsdesk_live_7e2a3c64" + "5b" * 12
    guard = HostGuard(_passed, {"odds.example.org"}, no_limits)
    with caplog.at_level(logging.INFO, logger="oddsdesk.server.hosts"):
        _, body = await answers(guard, host=key.upper())
    assert "answer to ****;" in json.loads(body["body"])["error"]["message"]
    assert caplog.messages[0].startswith("a request for **** is refused")


async def test_what_is_refused_is_counted_by_why() -> None:
    figures = Figures()
    await passes(set(), "http", figures, host="evil.example")
    await passes(set(), "websocket", figures)
    await passes(set(), "http", figures, host="localhost", origin="null")
    await passes(set(), "http", figures, host="localhost")
    assert refused(figures) == {"host": 2, "origin": 1}


def refused(figures: Figures) -> dict[str, float]:
    return {
        each.labels["why"]: each.value
        for each in figures.samples()
        if each.name == "oddsdesk_requests_refused_total" and each.value
    }
