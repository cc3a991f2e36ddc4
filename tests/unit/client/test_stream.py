"""The stream: one connection after the other, each with a fresh token."""

import asyncio
import json
import re
from contextlib import aclosing, suppress
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from oddsdesk.client import (
    BadRequestError,
    Connected,
    Connecting,
    ForbiddenError,
    Lost,
    OfflineError,
    ServiceError,
    UnauthorizedError,
    stream,
)
from oddsdesk.client import stream as opening
from oddsdesk.network import ClosedError
from tests.kit.small_service import MESSAGE, Listener, SmallService, says

NOW = 1_795_000_000_000
Running = tuple[SmallService, str]


async def test_changes_go_on_over_a_lost_connection_with_a_fresh_token(
    small_service: Running,
) -> None:
    service, url = small_service
    service.streams = [says(3.4, 3.5), says(3.6)]
    listener = Listener(url, competition="EPL")
    assert await listener.odds(3) == [3.4, 3.5, 3.6]
    assert service.opened == [
        {"token": "token-1", "competition": "EPL"},
        {"token": "token-2", "competition": "EPL"},
    ]
    lost = Lost("the service is shutting down or restarting", NOW + 1000)
    assert listener.states == [Connecting(), Connected(), lost, Connecting(), Connected()]


async def test_tries_are_spaced_from_1_to_30_seconds(small_service: Running) -> None:
    service, url = small_service
    service.streams = [says(code=1012) for _ in range(7)] + [says(2.0)]
    listener = Listener(url)
    await listener.odds(1)
    assert listener.slept == [1, 2, 4, 8, 16, 30, 30]


async def test_after_a_steady_connection_the_waits_begin_again(small_service: Running) -> None:
    service, url = small_service
    service.streams = [says(code=1012), says(code=1012), says(1.5), says(1.6)]
    listener = Listener(url)
    changes = listener.changes()
    async with asyncio.timeout(20), listener.client, aclosing(changes):
        await anext(changes)
        listener.now += 10_000
        await anext(changes)
    assert listener.slept == [1, 2, 1]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (1000, "this program was silent"),
        (1013, "cannot read its database"),
        (4001, "token"),
        (4008, "fell behind"),
        (4777, "code 4777"),
    ],
)
async def test_a_close_that_can_be_waited_out_is_named_and_tried_again(
    small_service: Running, code: int, reason: str
) -> None:
    service, url = small_service
    service.streams = [says(code=code), says(2.0)]
    listener = Listener(url)
    await listener.odds(1)
    assert isinstance(listener.states[2], Lost)
    assert reason in listener.states[2].reason


async def test_used_up_connections_wait_until_the_next_utc_day(small_service: Running) -> None:
    service, url = small_service
    service.streams = [says(code=4029), says(2.0)]
    listener = Listener(url)
    await listener.odds(1)
    midnight = (NOW // 86_400_000 + 1) * 86_400_000
    assert listener.slept == [(midnight - NOW) / 1000]


@pytest.mark.parametrize(("code", "kind"), [(4000, BadRequestError), (4003, ForbiddenError)])
async def test_a_filter_that_will_never_do_ends_the_stream(
    small_service: Running, code: int, kind: type[ServiceError]
) -> None:
    service, url = small_service
    service.streams = [says(code=code)]
    with pytest.raises(kind):
        await Listener(url).odds(1)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [(401, "unauthorized", UnauthorizedError), (403, "websocket_not_on_plan", ForbiddenError)],
)
async def test_a_key_that_may_not_stream_ends_it(
    small_service: Running, status: int, code: str, kind: type[ServiceError]
) -> None:
    service, url = small_service
    service.token_answers = [JSONResponse({"error": {"code": code, "message": "no"}}, status)]
    with pytest.raises(kind):
        await Listener(url).odds(1)


@pytest.mark.parametrize(
    "frame",
    [
        '{"odds": "high"}',
        b"\xff\xfe",
        "",
        "[" * 60_000,
        '{"a":' * 12_000,
        '{"odds": ' + "9" * 5_000 + "}",
        '{"odds": NaN}',
        json.dumps({**MESSAGE, "match_name": "x" * 70_000}),
        json.dumps({**MESSAGE, "bookmaker": "x" * 201}),
    ],
    ids=["shape", "bytes", "empty", "nested", "objects", "digits", "NaN", "70 KB name", "201"],
)
async def test_a_frame_that_is_no_price_change_is_passed_over_and_named(
    small_service: Running, caplog: pytest.LogCaptureFixture, frame: str | bytes
) -> None:
    service, url = small_service

    async def odd(socket: WebSocket) -> None:
        await socket.send_text("pong")
        await (socket.send_text if isinstance(frame, str) else socket.send_bytes)(frame)  # type: ignore[arg-type]
        await says(2.0)(socket)

    service.streams = [odd]
    listener = Listener(url)
    assert await listener.odds(1) == [2.0]
    assert listener.states == [Connecting(), Connected()]
    assert caplog.text.count("no price changes (1)") == 1


SAID = json.dumps(MESSAGE)


@pytest.mark.parametrize(
    "odd",
    [
        [SAID[:-1], "}"],
        [SAID[:40], SAID[40:]],
        [SAID * 2],
        [f"{SAID}\n{SAID}"],
        [f'{SAID[:-1]}, "x": "\\u001', '"}'],
    ],
    ids=["two halves", "halves of a name", "two in one", "two lines", "halves of an escape"],
)
async def test_each_frame_is_read_by_itself_though_it_came_with_others(
    small_service: Running, caplog: pytest.LogCaptureFixture, odd: list[str]
) -> None:
    service, url = small_service

    async def speak(socket: WebSocket) -> None:
        for text in [SAID, *odd]:
            await socket.send_text(text)
        await says(2.0)(socket)

    service.streams = [speak]
    assert await Listener(url).odds(2) == [3.4, 2.0]
    assert "messages that are no price changes (1)" in caplog.text


@pytest.mark.parametrize(
    ("read", "rests"),
    [
        pytest.param([(0.050, 0), (0.015, 0)], [], id="waited for"),
        pytest.param([(0.004, 0), (0.0, 0)], [0.011, 0.015], id="came soon"),
        pytest.param([(0.004, 0.008), (0.0, 0.02)], [0.003], id="taken in meanwhile"),
        pytest.param([(0.0, 0, "more"), (0.0, 0)], [0.015], id="more was there"),
    ],
)
async def test_a_connection_is_read_on_a_beat_where_changes_come_sooner(
    read: list[tuple[Any, ...]], rests: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, rested = 0.0, list[float]()
    monkeypatch.setattr(stream, "time", SimpleNamespace(monotonic=lambda: now))

    class Socket:
        """Each time it waits and is read for some seconds, and maybe has more then."""

        taken = 0.0
        has_more = False

        async def receive_all(self) -> list[bytes]:
            nonlocal now
            if not read:
                raise ClosedError(None)
            waited, self.taken, *more = read.pop(0)
            self.has_more = bool(more)
            now += waited
            return [SAID.encode()]

        def rest(self, seconds: float) -> None:
            nonlocal now
            rested.append(seconds)
            now += seconds

    socket: Any = Socket()
    with suppress(OfflineError):
        async for messages in stream._batches(socket, lambda: NOW, gather_s=0.015):
            assert [each.odds for each in messages] == [3.4]
            now += socket.taken
    assert rested == pytest.approx(rests)


async def test_frames_passed_over_are_counted_and_told_once_a_minute(
    small_service: Running, caplog: pytest.LogCaptureFixture
) -> None:
    service, url = small_service

    async def odd(socket: WebSocket) -> None:
        for _ in range(2):
            for _ in range(500):
                await socket.send_text("{}")
            await socket.send_text(json.dumps(MESSAGE))
            await later.wait()

    later = asyncio.Event()
    service.streams = [odd]
    listener = Listener(url)
    changes = listener.changes()
    async with asyncio.timeout(20), listener.client, aclosing(changes):
        await anext(changes)
        listener.now += 60_000
        later.set()
        await anext(changes)
    noted = [r.getMessage() for r in caplog.records if "no price changes" in r.getMessage()]
    assert [text.partition("no price changes ")[2].partition(":")[0] for text in noted] == [
        "(1)",
        "(500)",
    ]


@pytest.mark.parametrize("frame", ["{}", "pong", ""], ids=["unknown", "pong", "empty"])
async def test_a_flood_of_frames_that_are_no_price_change_ends_the_connection(
    small_service: Running, frame: str
) -> None:
    """D85: the window would lose its thread."""
    service, url = small_service

    async def flood(socket: WebSocket) -> None:
        for _ in range(501):
            await socket.send_text(frame)
        await socket.receive()

    service.streams = [flood, says(2.0)]
    listener = Listener(url)
    assert await listener.odds(1) == [2.0]
    assert isinstance(listener.states[2], Lost)
    assert "floods the stream with other messages" in listener.states[2].reason


async def test_a_frame_larger_than_any_price_change_is_not_read(
    small_service: Running, caplog: pytest.LogCaptureFixture
) -> None:
    service, url = small_service

    async def large(socket: WebSocket) -> None:
        await socket.send_text(json.dumps(MESSAGE) + " " * 65_536)
        await says(2.0)(socket)

    service.streams = [large]
    assert await Listener(url).odds(1) == [2.0]
    assert "no price changes (1): a frame of 65," in caplog.text


async def test_a_frame_of_over_a_megabyte_ends_the_connection_with_its_reason(
    small_service: Running,
) -> None:
    service, url = small_service

    async def large(socket: WebSocket) -> None:
        await socket.send_text(" " * 1_100_000)
        await socket.receive()

    service.streams = [large, says(2.0)]
    listener = Listener(url)
    assert await listener.odds(1) == [2.0]
    assert isinstance(listener.states[2], Lost)
    assert "more than a megabyte" in listener.states[2].reason


async def test_the_stream_follows_no_redirect(small_service: Running) -> None:
    service, url = small_service
    elsewhere = SmallService()
    elsewhere.streams = [says(2.0)]
    target = await elsewhere.start()
    service.stream_answers.append(
        Response(status_code=302, headers={"Location": f"{target}/api/stream"})
    )
    service.streams = [says(3.4)]
    listener = Listener(url)
    assert await listener.odds(1) == [3.4]
    await elsewhere.stop()
    assert elsewhere.opened == []
    assert isinstance(listener.states[1], Lost)
    assert "redirects elsewhere" in listener.states[1].reason


async def test_it_says_ping_again_and_again(
    small_service: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oddsdesk.client.stream.PING_EVERY_S", 0.01)
    service, url = small_service
    heard: list[Any] = []

    async def listen(socket: WebSocket) -> None:
        heard.extend([await socket.receive_text(), await socket.receive_text()])
        await says(2.0)(socket)

    service.streams = [listen]
    await Listener(url).odds(1)
    assert heard == ["ping", "ping"]


async def test_a_service_that_hangs_is_lost_within_seconds_and_one_that_answers_pings_is_not(
    small_service: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert opening.SILENCE_S <= 10
    monkeypatch.setattr(opening, "PING_EVERY_S", opening.PING_EVERY_S / 20)
    monkeypatch.setattr(opening, "SILENCE_S", opening.SILENCE_S / 20)
    service, url = small_service

    async def says_nothing_but_pong(socket: WebSocket) -> None:
        for _ in range(6):
            assert await socket.receive_text() == "ping"
            await socket.send_text("pong")
        await says(2.0)(socket)

    async def hangs(socket: WebSocket) -> None:
        with suppress(WebSocketDisconnect):
            while True:
                await socket.receive_text()

    service.streams = [says_nothing_but_pong, hangs, says(2.1)]
    listener = Listener(url)
    assert await listener.odds(2) == [2.0, 2.1]
    reasons = [state.reason for state in listener.states if isinstance(state, Lost)]
    assert "shutting down" in reasons[0]
    assert re.fullmatch(r"127\.0\.0\.1:\d+ is silent", reasons[1])


async def test_it_finds_a_service_again_that_was_away() -> None:
    first, second = SmallService(), SmallService()
    url = await first.start()
    port = int(url.rsplit(":", 1)[1])
    gone = asyncio.Event()

    async def until_gone(socket: WebSocket) -> None:
        await says_and_stays(socket)
        await gone.wait()

    async def says_and_stays(socket: WebSocket) -> None:
        await socket.send_text(json.dumps(MESSAGE))

    first.streams, second.streams = [until_gone], [says(3.9)]
    listener = Listener(url)
    changes = listener.changes()
    async with asyncio.timeout(20), listener.client, aclosing(changes):
        assert (await anext(changes)).odds == 3.4
        gone.set()
        await first.stop()
        second.listen_at(port)
        await second.start()
        assert (await anext(changes)).odds == 3.9
    await second.stop()
