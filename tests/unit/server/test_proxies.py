"""What proxies say of a request is believed of those that are named, and of nobody else."""

from pathlib import Path
from typing import Any

import pytest

from oddsdesk.server.proxies import BehindProxy, Proxies
from oddsdesk.server.settings import PublicAddress, Settings, TlsFiles

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
    assert Settings(database).told is None
    assert Settings(database, public=PublicAddress(behind_proxy=("127.0.0.1",))).told == ()
    assert Settings(database, public=PublicAddress(base_url="https://odds.example.org")).told == ()
    assert Settings(database, host="0.0.0.0", share=("kalshi",)).told == ("kalshi",)
    assert Settings(database, public=PublicAddress(tls=TlsFiles(Path("a"), Path("b")))).told is None


def test_its_names_are_those_that_it_was_given() -> None:
    settings = Settings(
        Path("odds.db"), public=PublicAddress(("odds.lan",), "https://odds.example.org:8443")
    )
    assert settings.names == {"127.0.0.1", "odds.lan", "odds.example.org"}
