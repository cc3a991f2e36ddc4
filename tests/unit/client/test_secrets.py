"""Keys and tokens stand in no text: not in logs of any logger at any level, nor in errors."""

import logging
import traceback
from collections.abc import Iterator

import pytest
from starlette.responses import JSONResponse, RedirectResponse
from starlette.websockets import WebSocket

from oddsdesk.client import AddressError, Client, OfflineError, ServiceError, SyncClient
from oddsdesk.client.stream import open_socket
from tests.kit.small_service import KEY, Listener, SmallService, says

Running = tuple[SmallService, str]
TOKEN = "token-1"


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """Everything that any library of the client would log, but for the small service's own."""
    names = ("", "oddsdesk", "oddsdesk.client", "httpx", "httpcore", "websockets", "asyncio")
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.DEBUG)
    server = logging.getLogger("uvicorn.error")
    server.disabled = True
    yield caplog
    server.disabled = False
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


def heard(error: BaseException) -> str:
    return "".join(traceback.format_exception(error)) + repr(error)


async def test_no_request_and_no_stream_logs_them(
    small_service: Running, logged: pytest.LogCaptureFixture
) -> None:
    service, url = small_service
    service.streams = [says(code=1011), says(2.0)]
    listener = Listener(url)
    service.say({"error": {"code": "unauthorized", "message": "who?"}}, 401)
    with pytest.raises(ServiceError) as caught:
        await listener.client.games()
    await listener.odds(1)
    assert "httpcore" in logged.text, "the loggers of the libraries are heard"
    texts = logged.text + heard(caught.value) + repr(listener.states) + repr(listener.client)
    assert KEY not in texts
    assert TOKEN not in texts


async def test_the_frames_are_logged_without_the_address(
    small_service: Running, logged: pytest.LogCaptureFixture
) -> None:
    service, url = small_service
    service.streams = [says(2.0)]
    addresses = Client(url, KEY).addresses
    async with await open_socket(addresses, {"token": TOKEN}) as socket:
        await socket.receive()
    assert "oddsdesk.network.frames" in logged.text
    assert TOKEN not in logged.text


async def test_a_stream_that_does_not_open_names_the_host_only(
    small_service: Running, logged: pytest.LogCaptureFixture
) -> None:
    service, url = small_service

    async def refuse(socket: WebSocket) -> None:
        raise AssertionError("never accepted")

    service.streams = [refuse]
    refused = Client(url, KEY, ws_url=url.replace("http", "ws") + "/nowhere").addresses
    nobody = Client(url, KEY, ws_url="ws://127.0.0.1:1").addresses
    no_tls = Client(url, KEY, ws_url=url.replace("http", "wss")).addresses
    for addresses in (refused, nobody, no_tls):
        with pytest.raises(ServiceError) as caught:
            await open_socket(addresses, {"token": TOKEN})
        assert TOKEN not in heard(caught.value) + logged.text


async def test_a_malformed_answer_with_a_token_is_not_shown(
    small_service: Running, logged: pytest.LogCaptureFixture
) -> None:
    service, url = small_service
    service.token_answers = [JSONResponse({"token": [TOKEN], "expires_in": 300})]
    async with Client(url, KEY) as client:
        with pytest.raises(ServiceError) as caught:
            await client.stream_token()
    assert TOKEN not in heard(caught.value) + logged.text


@pytest.mark.parametrize("ahead", [0, 470], ids=["whole", "where it is cut"])
async def test_a_service_that_repeats_the_key_does_not_get_it_shown(
    small_service: Running, logged: pytest.LogCaptureFixture, ahead: int
) -> None:
    """The desk, `watch` and `bets --url` show what it says."""
    service, url = small_service
    said = f"{'x' * ahead}{KEY} is unknown"
    link = f"https://odds.example/upgrade?key={KEY}"
    refused = {"code": f"no {KEY}", "message": said, "upgrade_url": link}
    service.say({"error": refused}, 403)
    async with Client(url, KEY) as client:
        with pytest.raises(ServiceError) as caught:
            await client.games()
    error = caught.value
    for text in (heard(error), error.code, error.message, error.upgrade_url or "", logged.text):
        assert KEY[14:20] not in text
    assert "[removed]" in error.message
    assert error.upgrade_url == "https://odds.example/upgrade?key=[removed]"


async def test_nobody_there_is_told_without_the_key(logged: pytest.LogCaptureFixture) -> None:
    async with Client("http://127.0.0.1:1", KEY) as client:
        with pytest.raises(OfflineError) as caught:
            await client.games()
    assert KEY not in heard(caught.value) + logged.text


@pytest.mark.parametrize("kind", [Client, SyncClient])
def test_a_key_in_the_place_of_the_address_is_not_shown(kind: type) -> None:
    for wrong in (KEY, f"odds.example/?key={KEY}", "ftp://user:hunter2@odds.example"):
        with pytest.raises(AddressError) as caught:
            kind(wrong, "http://127.0.0.1:1")
        assert KEY[14:] not in str(caught.value)
        assert "hunter2" not in str(caught.value)


def test_a_client_shows_no_key() -> None:
    for kind in (Client, SyncClient):
        assert KEY not in repr(kind("http://127.0.0.1:1", KEY))


async def test_a_key_in_the_place_of_a_name_is_not_sent(
    small_service: Running, logged: pytest.LogCaptureFixture
) -> None:
    """D44."""
    service, url = small_service
    async with Client(url, KEY) as client:
        for ask in (client.event(KEY), client.game(KEY), client.odds(bookmaker=f"A {KEY}")):
            with pytest.raises(AddressError) as caught:
                await ask
            assert KEY not in heard(caught.value)
    assert service.asked == []
    assert KEY not in logged.text


async def test_a_short_key_may_be_part_of_a_name(small_service: Running) -> None:
    service, url = small_service
    service.say({"data": [], "meta": {"rate_limit_remaining": 9, "count": 0}})
    async with Client(url, "key") as client:
        assert list(await client.odds(bookmaker="Whiskey")) == []


async def test_a_redirect_is_not_followed(small_service: Running) -> None:
    service, url = small_service
    service.answers.append(RedirectResponse(f"{url}/elsewhere"))
    async with Client(url, KEY) as client:
        with pytest.raises(ServiceError, match="redirects elsewhere"):
            await client.sports()
    assert len(service.asked) == 1
