"""Which hosts and origins are served, by what the server is bound to."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.server.edge.middleware import BehindProxy, HostGuard, Proxies
from oddsdesk.server.rest import Figures, no_limits
from oddsdesk.server.settings import PublicAddress, Settings, TlsFiles


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


async def test_which_names_are_served_is_told_to_the_log_only(
    caplog: pytest.LogCaptureFixture,
) -> None:
    guard = HostGuard(_passed, {"odds.example.org"}, no_limits)
    with caplog.at_level(logging.INFO, logger="oddsdesk.server.edge.middleware"):
        for _ in range(3):
            _, body = await answers(guard, host="evil.example")
    message = json.loads(body["body"])["error"]["message"]
    assert message.startswith("Host: this server does not answer to evil.example; use the")
    assert caplog.messages == [
        "refused a request for evil.example: this server's names are 127.0.0.1, ::1, localhost,"
        " odds.example.org (1 since the start)"
    ]


async def test_a_key_sent_as_host_is_neither_logged_nor_repeated(
    caplog: pytest.LogCaptureFixture,
) -> None:
    key = "oddsdesk_live_7e2a3c64" + "5b" * 12
    guard = HostGuard(_passed, {"odds.example.org"}, no_limits)
    with caplog.at_level(logging.INFO, logger="oddsdesk.server.edge.middleware"):
        _, body = await answers(guard, host=key.upper())
    assert "answer to ****;" in json.loads(body["body"])["error"]["message"]
    assert caplog.messages[0].startswith("refused a request for ****: ")


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
        for each in figures.request_samples()
        if each.name == "oddsdesk_requests_refused_total" and each.value
    }


SAID = {
    "host": "127.0.0.1:8766",
    "x-forwarded-for": "198.51.100.9, 203.0.113.7",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "odds.example.org",
}


async def heard(client: str | None, headers: list[tuple[str, str]], *proxies: str) -> Any:
    """Who asks, how, and for what name, after a proxy's words."""
    passed: dict[str, Any] = {}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        passed.update(scope)

    async def never(*_: Any) -> Any:
        raise AssertionError("nothing is sent or received")

    scope = {
        "type": "http",
        "scheme": "http",
        "client": None if client is None else (client, 5000),
        "headers": [(name.encode(), value.encode()) for name, value in headers],
    }
    await BehindProxy(app, Proxies(proxies))(scope, never, never)
    hosts = [value.decode() for name, value in passed["headers"] if name == b"host"]
    return passed["client"] and passed["client"][0], passed["scheme"], hosts


async def test_a_named_proxy_is_believed() -> None:
    expected = ("203.0.113.7", "https", ["odds.example.org"])
    assert await heard("127.0.0.1", [*SAID.items()], "127.0.0.1", "::1") == expected
    assert await heard("10.1.2.3", [*SAID.items()], "10.0.0.0/8") == expected


@pytest.mark.parametrize("client", ["192.0.2.1", "not an address", None])
async def test_nobody_else_is(client: str | None) -> None:
    found = await heard(client, [*SAID.items()], "127.0.0.1")
    assert found == (client, "http", ["127.0.0.1:8766"])


async def test_a_name_that_was_said_twice_is_not_believed() -> None:
    doubled = [*SAID.items(), ("x-forwarded-host", "evil.example")]
    assert (await heard("127.0.0.1", doubled, "127.0.0.1"))[2] == ["127.0.0.1:8766"]


KEY = "oddsdesk_live_0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("said", "client"),
    [
        (KEY, "unknown"),
        (f"fe80::1%{KEY}", "fe80::1"),
        ("203.0.113.7, forged\x1b[2J 200 GET", "unknown"),
        ("a" * 8_000, "unknown"),
        ("[2001:DB8:0::7]:443", "2001:db8::7"),
        ("203.0.113.7:5000", "203.0.113.7"),
        ("_hidden", "unknown"),
        ("", "127.0.0.1"),
    ],
)
async def test_a_client_is_an_address_whatever_a_proxy_passes_on(said: str, client: str) -> None:
    headers = [("x-forwarded-for", said)]
    assert (await heard("127.0.0.1", headers, "127.0.0.1"))[0] == client


def test_who_is_reached_by_others_tells_them_only_what_may_be_passed_on() -> None:
    database = Path("odds.db")
    assert Settings(database).shared_sources is None
    assert (
        Settings(database, public=PublicAddress(behind_proxy=("127.0.0.1",))).shared_sources == ()
    )
    assert (
        Settings(database, public=PublicAddress(base_url="https://odds.example.org")).shared_sources
        == ()
    )
    assert Settings(database, host="0.0.0.0", share=("kalshi",)).shared_sources == ("kalshi",)
    assert (
        Settings(database, public=PublicAddress(tls=TlsFiles(Path("a"), Path("b")))).shared_sources
        is None
    )


def test_its_names_are_those_that_it_was_given() -> None:
    settings = Settings(
        Path("odds.db"), public=PublicAddress(("odds.lan",), "https://odds.example.org:8443")
    )
    assert settings.host_names == {"127.0.0.1", "odds.lan", "odds.example.org"}
