"""Who may read on the way, what a form token is worth, and what is sealed for the next page."""

from typing import Any

import pytest

from oddsdesk.server.dashboard.visits import ONCE_S, Seal, Visit
from oddsdesk.server.local_callers import BELIEVED

SEAL = Seal(b"s" * 32)
NOW = 1_795_000_000_000


def visit(
    client: str = "127.0.0.1", scheme: str = "http", host: str = "127.0.0.1:8765", **headers: str
) -> Visit:
    found = [(b"host", host.encode())]
    found += [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope: dict[str, Any] = {
        "path": "/dashboard/keys",
        "scheme": scheme,
        "client": (client, 1234),
        "headers": found,
        "query_string": b"",
    }
    return Visit(scope, NOW)


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"host": "localhost"},
        {"client": "::1", "host": "[::1]:8765"},
        {"client": "::ffff:127.0.0.1"},
        {"client": "203.0.113.9", "scheme": "https", "host": "odds.example.org"},
        {"origin": "http://127.0.0.1:8765"},
    ],
)
def test_tls_and_this_machine_are_private(said: dict[str, str]) -> None:
    assert visit(**said).is_private


@pytest.mark.parametrize(
    "said",
    [
        {"client": "203.0.113.9"},
        {"client": "192.168.1.5", "host": "192.168.1.2:8765"},
        {"host": "odds.example.org"},
        {"x_forwarded_for": "203.0.113.9"},
        {"x_forwarded_proto": "https"},
        {"forwarded": "for=203.0.113.9;proto=https"},
        {"via": "1.1 proxy"},
        {"x_real_ip": "203.0.113.9"},
        {"client": "unknown"},
        {"client": "127.0.0.1.evil.example"},
    ],
)
def test_a_proxy_that_nobody_configured_and_other_machines_are_not(said: dict[str, str]) -> None:
    asked = visit(**said, cookie="oddsdesk_session=abc")
    assert not asked.is_private
    assert asked.cookie("session") == ""


def test_a_proxy_without_tls_is_not_private() -> None:
    asked = visit()
    asked.scope[BELIEVED] = True
    assert not Visit(asked.scope, NOW).is_private


def test_a_session_on_this_machine_needs_no_prefix() -> None:
    assert visit(cookie="a=b; oddsdesk_session=abc").cookie("session") == "abc"
    assert visit(cookie="__Host-oddsdesk_session=abc").cookie("session") == ""


def test_a_form_token_belongs_to_one_browser() -> None:
    token = SEAL.form_token("anna")
    assert SEAL.has_form_token("anna", token)
    assert not SEAL.has_form_token("bert", token)
    assert not SEAL.has_form_token("", SEAL.form_token(""))
    assert not Seal(b"t" * 32).has_form_token("anna", token)


def test_what_is_sealed_is_read_by_the_same_browser_soon() -> None:
    said = {"secret": "oddsdesk_live_" + "0123456789abcdef" * 2, "notice": "é"}
    sealed = SEAL.sealed(said, "anna", NOW)
    assert SEAL.opened(sealed, "anna", NOW + ONCE_S * 1_000) == said
    assert SEAL.opened(sealed, "anna", NOW + (ONCE_S + 1) * 1_000) == {}
    assert SEAL.opened(sealed, "bert", NOW) == {}
    assert Seal(b"t" * 32).opened(sealed, "anna", NOW) == {}
    assert sealed != SEAL.sealed(said, "anna", NOW)


def test_altered_texts_are_not_read() -> None:
    sealed = SEAL.sealed({"notice": "hello"}, "anna", NOW)
    for place in range(0, len(sealed), 5):
        letter = "B" if sealed[place] == "A" else "A"
        altered = sealed[:place] + letter + sealed[place + 1 :]
        assert SEAL.opened(altered, "anna", NOW) == {}
    for text in ("", "A", "é", "=", "A" * 10_000, sealed[:-1]):
        assert SEAL.opened(text, "anna", NOW) == {}
