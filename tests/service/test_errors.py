"""Errors: one Error object for everything, and which comes first."""

import contextlib
import http.client
import logging
from typing import Any

import httpx
import pytest

from oddsdesk.contract.access import Plan

pytestmark = pytest.mark.one_engine

KEY_IN_PATH = "oddsdesk_live_" + "0123456789abcdef" * 2


@pytest.fixture
def service(module_service: Any) -> Any:
    return module_service


def error_of(answer: httpx.Response) -> dict[str, Any]:
    body = answer.json()
    assert list(body) == ["error"]
    assert {"code", "message"} <= set(body["error"]) <= {"code", "message", "upgrade_url"}
    assert answer.headers["content-type"] == "application/json"
    return body["error"]


@pytest.mark.parametrize(
    "headers",
    [{}, {"X-Api-Key": ""}, {"X-Api-Key": "oddsdesk_live_" + "0" * 32}, {"X-Api-Key": "é"}],
)
def test_a_caller_without_a_valid_key_is_unknown(service: Any, headers: dict[str, str]) -> None:
    """service.md, Authentication 5."""
    answer = service.http.get(
        "/api/odds", headers={name: value.encode() for name, value in headers.items()}
    )
    assert answer.status_code == 401
    error = error_of(answer)
    assert error["code"] == "unauthorized"
    assert "upgrade_url" not in error


@pytest.mark.parametrize("blank", [" ", "\t", " \t "])
def test_blanks_around_a_key_are_no_part_of_it(service: Any, blank: str) -> None:
    """httpx sends none."""
    asked = {"X-Api-Key": blank + service.key() + blank}
    url = service.http.base_url
    with contextlib.closing(http.client.HTTPConnection(url.host, url.port)) as connection:
        connection.request("GET", "/api/odds", headers=asked)
        assert connection.getresponse().status == 200


def test_of_two_keys_neither_holds(service: Any) -> None:
    answer = service.http.get("/api/odds", headers=[("X-Api-Key", service.key())] * 2)
    assert answer.status_code == 401
    assert "sent twice" in error_of(answer)["message"]


def test_an_unknown_caller_has_nothing_left_and_may_ask_again_now(service: Any) -> None:
    """D17: on 401 the headers are 0 and now."""
    answer = service.http.get("/api/odds")
    assert answer.headers["x-ratelimit-remaining"] == "0"
    assert answer.headers["x-ratelimit-reset"] == str(service.now // 1000)


def test_who_asks_without_a_key_or_at_no_path_is_told_where_to_read(service: Any) -> None:
    """The address that a server prints as it starts, in a browser, is both."""
    assert "see /docs" in error_of(service.http.get("/"))["message"]
    assert "/docs lists all" in error_of(service.get("/", service.key()))["message"]
    assert service.http.get("/docs").status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/", "/api", "/api/", "/api/nothing", "/api/odds/", "/api/oddsx", "/API/odds", "/api/sports/"],
)
def test_an_unknown_path_is_not_found(service: Any, path: str) -> None:
    """D12."""
    answer = service.get(path, service.key())
    assert answer.status_code == 404
    assert error_of(answer)["code"] == "not_found"


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("POST", "/api/odds", "GET, HEAD"),
        ("DELETE", "/api/events/x", "GET, HEAD"),
        ("OPTIONS", "/api/sports", "GET, HEAD"),
        ("PUT", "/api/health", "GET, HEAD"),
        ("GET", "/api/stream/token", "POST"),
    ],
)
def test_a_wrong_method_says_which_are_allowed(
    service: Any, method: str, path: str, allow: str
) -> None:
    """D12: 405 method_not_allowed, with Allow."""
    answer = service.http.request(method, path, headers={"X-Api-Key": service.key()})
    assert answer.status_code == 405
    assert answer.headers["allow"] == allow
    assert error_of(answer)["code"] == "method_not_allowed"
    assert "x-ratelimit-remaining" in answer.headers


def test_a_head_request_gets_the_headers_of_a_get(service: Any) -> None:
    key = service.key()
    head = service.http.head("/api/odds", headers={"X-Api-Key": key})
    assert head.status_code == 200
    assert head.content == b""


def test_the_key_comes_before_path_and_method(service: Any) -> None:
    """D39."""
    assert service.http.get("/api/nothing").status_code == 401
    assert service.http.post("/api/odds").status_code == 401


def test_path_and_method_come_before_the_quota(service: Any) -> None:
    """D39."""
    key = service.key(Plan.FREE, "Betfair")
    for _ in range(200):
        service.get("/api/sports", key)
    assert service.get("/api/nothing", key).status_code == 404
    assert service.http.post("/api/odds", headers={"X-Api-Key": key}).status_code == 405
    assert service.get("/api/odds", key, limit="x").status_code == 429


def test_parameters_come_before_rights_and_rights_before_existence(service: Any) -> None:
    """D39."""
    key = service.key(Plan.FREE)
    assert service.get("/api/events/none", key, period="x").status_code == 400
    assert service.get("/api/events/none", key).status_code == 403
    assert service.get("/api/events/none", service.key()).status_code == 404
    assert service.get("/api/odds/live", key, is_live="false").status_code == 400
    assert service.get("/api/odds/live", key).status_code == 403
    assert service.get("/api/value-bets", key, cursor="nonsense").status_code == 400


def test_each_refusal_says_what_to_do(service: Any) -> None:
    """The caller has nothing but the answer."""
    free, live = service.key(Plan.FREE, "Betfair"), service.key()
    none = service.key(Plan.FREE, None)
    told = [
        (None, "/api/odds", {}, "The operator of this server issues keys."),
        (live, "/api/nothing", {}, "/docs lists all paths."),
        (live, "/api/odds?cursor=x", {}, "the next_cursor of an earlier answer of this list"),
        (live, "/api/events/none", {}, "/api/events lists those that do."),
        (live, f"/api/games/{'0' * 32}", {}, "/api/games lists those that do."),
        (live, f"/api/games/{'0' * 32}/history", {}, "/api/games lists games with active odds."),
        (live, "/api/odds", {"Host": "evil.example"}, "allow this name with --allow-host."),
        (live, "/api/odds", {"Origin": "https://evil.example"}, "call it from a program"),
        (free, "/api/odds?bookmaker=Bwin", {}, "use that one, or leave the parameter out."),
        (free, "/api/value-bets", {}, "they need Pro."),
        (none, "/api/odds", {}, "choose one at /dashboard/keys if this server has a dashboard"),
    ]
    for key, path, headers, advice in told:
        named = {} if key is None else {"X-Api-Key": key}
        answer = service.http.get(path, headers=named | headers)
        assert advice in error_of(answer)["message"], path


def test_every_403_says_where_to_upgrade(service: Any) -> None:
    """D21."""
    free, pro = service.key(Plan.FREE, "Betfair"), service.key(Plan.PRO)
    answers = [
        service.get("/api/value-bets", free),
        service.get("/api/odds", free, bookmaker="Other"),
        service.get("/api/odds", service.key(Plan.FREE)),
        service.get("/api/odds/live", pro),
        service.http.post("/api/stream/token", headers={"X-Api-Key": pro}),
    ]
    for answer in answers:
        assert answer.status_code == 403
        assert error_of(answer)["upgrade_url"].startswith(service.url)


def test_a_bug_is_a_500_that_tells_nothing_and_is_logged(
    service: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """service.md, Errors: internal_error; D44."""

    def broken() -> None:
        raise RuntimeError("a secret detail")

    monkeypatch.setattr(service.store, "reader", broken)
    key = service.key()
    answer = service.get(f"/api/odds/{KEY_IN_PATH}", key, token="secret")
    assert answer.status_code == 500
    assert error_of(answer)["code"] == "internal_error"
    assert "secret" not in answer.text
    [record] = caplog.records
    assert record.levelno == logging.ERROR
    assert key not in caplog.text
    assert KEY_IN_PATH not in caplog.text
    assert "token" not in record.getMessage()


def test_what_fails_on_our_side_does_not_count(
    service: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D17: 5xx do not count."""
    key = service.key()
    before = service.get("/api/odds", key).headers["x-ratelimit-remaining"]
    with monkeypatch.context() as patch:
        patch.setattr(service.store, "reader", lambda: None)
        failed = service.get("/api/odds", key)
    assert failed.status_code == 500
    assert failed.headers["x-ratelimit-remaining"] == before


def test_no_answer_may_be_shared_or_read_by_a_page(service: Any) -> None:
    """D16; issue 3, item 5: no CORS headers."""
    answer = service.get("/api/odds", service.key())
    assert answer.headers["cache-control"] == "private, no-cache"
    for refused in (service.get("/api/odds", "unknown"), service.http.get("/api/health")):
        assert refused.headers["cache-control"] == "no-store"
    assert not [name for name in answer.headers if name.startswith("access-control")]
