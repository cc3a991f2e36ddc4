"""Each answer repeats the id of its request, or gives it one; the access log has it."""

import logging
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from oddsdesk.contract.access import Plan
from tests.kit.live_service import LiveService

pytestmark = pytest.mark.one_engine

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"
NEW = re.compile("[0-9a-f]{32}")


@pytest.fixture
async def service(tmp_path: Path):
    made = LiveService(tmp_path / "odds.db")
    made.options = {"access_log": True, "quiet_probes": True}
    await made.start()
    yield made
    await made.stop()


async def asked(service: LiveService, headers: Any, path: str = "/api/odds") -> str:
    answer = await service.http.get(path, headers=headers)
    (found,) = answer.headers.get_list("x-request-id")
    return str(found)


@pytest.mark.parametrize("own", ["a", "01J9-ABC_def.x:/@+=", "x" * 128])
async def test_a_valid_id_is_repeated(service: LiveService, own: str) -> None:
    assert await asked(service, {"X-Request-Id": own, "traceparent": PARENT}) == own


@pytest.mark.parametrize("own", ["", "x" * 129, "a b", 'a"b', "-a", "a\tb", "ä", "a,b"])
async def test_an_invalid_id_is_replaced(service: LiveService, own: str) -> None:
    found = await asked(service, [("X-Request-Id", own.encode())])
    assert NEW.fullmatch(found)


async def test_an_id_that_comes_twice_is_replaced(service: LiveService) -> None:
    found = await asked(service, [("X-Request-Id", "a"), ("X-Request-Id", "a")])
    assert NEW.fullmatch(found)
    assert await asked(service, {}) != await asked(service, {})


@pytest.mark.parametrize(
    ("parent", "is_taken"),
    [
        (PARENT, True),
        (f"01-{TRACE}-00f067aa0ba902b7-00-more", True),
        (f"{PARENT}-more", False),
        (f"ff-{TRACE}-00f067aa0ba902b7-01", False),
        (f"00-{TRACE.upper()}-00f067aa0ba902b7-01", False),
        (f"00-{'0' * 32}-00f067aa0ba902b7-01", False),
        (f"00-{TRACE}-{'0' * 16}-01", False),
        (f"00-{TRACE}-00f067aa0ba902b7", False),
    ],
)
async def test_the_trace_of_a_valid_parent_is_the_id(
    service: LiveService, parent: str, is_taken: bool
) -> None:
    assert (await asked(service, {"traceparent": parent}) == TRACE) == is_taken


async def test_errors_and_handshakes_have_one(service: LiveService) -> None:
    key, own = {"X-Api-Key": service.key(Plan.FREE)}, {"X-Request-Id": "mine"}
    for path, headers in (
        ("/api/odds", {}),
        ("/api/value-bets", key),
        ("/nowhere", key),
        ("/api/health", {"Host": "evil.example"}),
        ("/docs", {}),
    ):
        assert await asked(service, {**headers, **own}, path) == "mine"
    stream = await service.open(token=await service.token(service.key()), headers=own)
    assert stream.response is not None
    assert stream.response.headers["X-Request-Id"] == "mine"
    await stream.close()


async def test_the_access_log_has_the_id_and_the_trace_and_no_key(
    service: LiveService, caplog: pytest.LogCaptureFixture
) -> None:
    key = service.key()
    await asked(service, {"X-Api-Key": key, "X-Request-Id": "mine", "traceparent": PARENT})
    await asked(service, {"X-Request-Id": key})
    new = await asked(service, {})
    await asked(service, {"traceparent": PARENT})
    told = [each.fields for each in caplog.records if each.name == "oddsdesk.access"]  # type: ignore[attr-defined]
    assert [(each["request"], each["trace"]) for each in told] == [
        ("mine", TRACE),
        ("****", None),
        (new, None),
        (TRACE, TRACE),
    ]
    assert f" mine {TRACE}" in caplog.text
    assert key not in caplog.text


async def test_probes_are_left_out_of_the_access_log_unless_something_is_wrong(
    service: LiveService, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    for path in ("/api/health", "/api/ready", "/metrics"):
        await service.http.get(path)
    await service.http.get("/docs")
    told = [each.fields["asked"] for each in caplog.records if each.name == "oddsdesk.access"]  # type: ignore[attr-defined]
    assert told == ["GET '/metrics'", "GET '/docs'"]  # the first is 401


async def test_the_log_of_a_bug_has_the_id(
    service: LiveService, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("oddsdesk.server.gate.RequestContext.require_key", broken)
    answer: httpx.Response = await service.http.get("/nowhere", headers={"X-Request-Id": "mine"})
    assert (answer.status_code, answer.headers["X-Request-Id"]) == (500, "mine")
    assert "GET '/nowhere' failed (request mine)" in caplog.text
