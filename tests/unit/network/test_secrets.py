"""A key that a service wants in the query stands in no log, error or bug report (D64)."""

import logging
import traceback
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from starlette.responses import RedirectResponse

from oddsdesk.cli.logs import LineFormatter
from oddsdesk.desk.shell.commands import error_text
from oddsdesk.network import NoWebSocketError, UnreachableError
from oddsdesk.network.http import HttpClient
from oddsdesk.network.secrets import REMOVED, body_without_keys, keep_secret, masked, without_keys
from oddsdesk.network.websocket import Pinging, open_websocket
from tests.kit.small_service import SmallService

KEY = "9f/secret+of the+query"
NAMES = ("", "oddsdesk", "httpx", "httpcore", "websockets", "asyncio")
PINGING = Pinging("ping", 30, 75)


@pytest.fixture(autouse=True)
def known_key() -> None:
    keep_secret(KEY)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("/api/odds/oddsdesk_live_7e2a", "/api/odds/****"),
        ("/api/odds/" + "7e2a" * 8, "/api/odds/****"),
        ("/api/stream/AAAAAAAAAAQAAAGi" + "x_-9" * 12, "/api/stream/****"),
        ("/api/stream?token=AAAAAAAAAAQAAAGi" + "x_-9" * 12 + "/", "/api/stream?token=****/"),
        ("/api/games/0b2f4a1c-55d2-3f0e-9c41-7a6b5c4d3e2f",) * 2,
    ],
)
def test_what_looks_like_a_key_or_token_of_a_server_is_not_shown(asked: str, shown: str) -> None:
    assert masked(asked) == shown


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """Everything that any library on the way out would log."""
    before = {name: logging.getLogger(name).level for name in NAMES}
    for name in NAMES:
        logging.getLogger(name).setLevel(logging.DEBUG)
    servers = [logging.getLogger(name) for name in ("uvicorn.error", "uvicorn.access")]
    for server in servers:
        server.disabled = True
    yield caplog
    for server in servers:
        server.disabled = False
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


@pytest.fixture
async def service() -> Iterator[tuple[SmallService, str]]:
    service = SmallService()
    url = await service.start()
    yield service, url
    await service.stop()


def _spellings() -> list[str]:
    return [KEY, "9f%2Fsecret%2Bof%20the%2Bquery", "9f%2Fsecret%2Bof+the%2Bquery"]


async def test_a_key_in_the_query_is_in_no_log_and_goes_nowhere_else(service, logged) -> None:
    heard, url = service
    heard.answers.append(RedirectResponse(f"{url}/elsewhere?apiKey={KEY}"))
    http = HttpClient({}, is_secure=False, is_local=True)
    reply = await http.send_request("GET", f"{url}/v4/sports", {"apiKey": KEY})
    await http.close_connections()
    assert (reply.status, len(heard.asked)) == (307, 1)
    assert heard.asked[0].query_params["apiKey"] == KEY
    assert "HTTP Request: GET" in logged.text, "the library's own line is heard"
    assert REMOVED in logged.text
    assert not [spelling for spelling in _spellings() if spelling in logged.text]


async def test_errors_name_the_host_and_not_the_query(service, logged) -> None:
    _, url = service
    http = HttpClient({}, is_secure=False, is_local=True)
    said = []
    for address in ("http://127.0.0.1:1", f"http://127.0.0.1:1/\x00{KEY}"):
        with pytest.raises(UnreachableError) as caught:
            await http.send_request("GET", address, {"apiKey": KEY})
        said.append("".join(traceback.format_exception(caught.value)))
    await http.close_connections()
    stream = url.replace("http", "ws")
    for address in (f"{stream}/nowhere?key={KEY}", f"ws://127.0.0.1:1/?key={KEY}"):
        with pytest.raises((UnreachableError, NoWebSocketError)) as refused:
            await open_websocket(address, PINGING)
        said.append("".join(traceback.format_exception(refused.value)))
    texts = "".join(said) + logged.text
    assert not [spelling for spelling in _spellings() if spelling in texts]


def test_neither_log_lines_nor_bug_reports_hold_a_key_of_a_traceback() -> None:
    try:
        raise ValueError(f"https://odds.example/v4/sports?apiKey={KEY}")
    except ValueError as error:
        record = logging.LogRecord("x", logging.ERROR, "", 0, "failed", (), None)
        record.exc_info = (type(error), error, error.__traceback__)
    assert KEY not in LineFormatter("%(message)s").format(record)
    assert "ValueError" in LineFormatter("%(message)s").format(record)
    assert KEY not in error_text(record)


def test_an_answer_that_repeats_a_key_is_shown_without_it() -> None:
    keep_secret(KEY)
    body = f"<html>no {KEY}, {quote(KEY, safe='')}</html>".encode()
    assert body_without_keys(body) == b"<html>no [removed], [removed]</html>"
    assert body_without_keys(b"[]") == b"[]"


def test_what_is_too_short_for_a_key_is_left_in_texts() -> None:
    keep_secret("odds")
    assert without_keys("the odds of oddsdesk") == "the odds of oddsdesk"
