"""A service that answers absurdly costs its own connection, and nothing else (D85)."""

import asyncio
import gzip
import json
import resource
import zlib
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
from starlette.responses import Response

from oddsdesk.client import Client, MalformedAnswerError, OfflineError, RateLimitedError
from oddsdesk.client.errors import ServiceError
from oddsdesk.client.quota import read_quota
from oddsdesk.client.whole_lists import MOST_PAGES
from oddsdesk.network.http import LARGEST
from tests.kit.small_service import KEY, NOW, SmallService, listing

HOUR_MS = 3_600_000
MIB = 1024 * 1024
Running = tuple[SmallService, str]
Answering = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


@asynccontextmanager
async def raw_service(
    head: bytes, pieces: Callable[[], AsyncIterator[bytes]]
) -> AsyncIterator[str]:
    """Answer every request with these bytes, for as long as somebody takes them."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n")
            async for piece in pieces():
                writer.write(piece)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def packed(body: bytes) -> Response:
    return Response(body, headers={"Content-Encoding": "gzip"})


def bomb(mib: int) -> bytes:
    """Blanks, which may stand before any JSON."""
    packing = zlib.compressobj(9, wbits=31)
    pieces = [packing.compress(b" " * MIB) for _ in range(mib)]
    return b"".join([*pieces, packing.flush()])


def largest_rss_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def test_a_packed_answer_is_read(small_service: Running) -> None:
    service, url = small_service
    service.answers.append(packed(gzip.compress(json.dumps(listing()).encode())))
    async with Client(url, KEY) as client:
        assert list(await client.sports()) == []
    assert service.asked[0].headers["accept-encoding"] == "identity"  # it is on this machine


async def test_a_small_answer_that_unpacks_to_very_much_is_refused(small_service: Running) -> None:
    service, url = small_service
    body = bomb(300)
    assert len(body) < 310_000
    service.answers.append(packed(body))
    before = largest_rss_mib()
    async with Client(url, KEY) as client:
        with pytest.raises(MalformedAnswerError, match="more than 32 MiB at once"):
            await client.sports()
    assert largest_rss_mib() - before < 100


async def test_what_unpacks_to_the_bound_leaves_the_loop_to_others(small_service: Running) -> None:
    service, url = small_service
    service.answers.append(packed(bomb(300)))
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async with Client(url, KEY) as client, asyncio.TaskGroup() as group:
        counting = group.create_task(count())
        with pytest.raises(MalformedAnswerError):
            await client.sports()
        counting.cancel()
    assert turns > LARGEST / MIB


async def test_an_answer_without_end_is_given_up_at_the_bound() -> None:
    sent = 0

    async def blanks() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            yield b" " * 65_536
            sent += 65_536

    async with raw_service(b"Connection: close", blanks) as url, Client(url, KEY) as client:
        with pytest.raises(MalformedAnswerError, match="more than 32 MiB at once"):
            await client.sports()
    assert sent < LARGEST + 16 * MIB


@pytest.mark.parametrize("encoding", ["br", "deflate", "zstd", "gzip, gzip"])
async def test_an_answer_packed_as_nobody_asked_for_is_refused(
    small_service: Running, encoding: str
) -> None:
    service, url = small_service
    service.answers.append(Response(b"{}", headers={"Content-Encoding": encoding}))
    async with Client(url, KEY) as client:
        with pytest.raises(MalformedAnswerError, match="which was not requested"):
            await client.sports()


async def test_an_answer_that_is_not_packed_as_it_says_is_refused(small_service: Running) -> None:
    service, url = small_service
    service.answers.append(packed(b"{}"))
    async with Client(url, KEY) as client:
        with pytest.raises(MalformedAnswerError, match="not compressed as stated"):
            await client.sports()


async def test_a_packed_answer_that_is_cut_short_broke_off(small_service: Running) -> None:
    service, url = small_service
    service.answers.append(packed(gzip.compress(json.dumps(listing()).encode())[:-9]))
    async with Client(url, KEY) as client:
        with pytest.raises(OfflineError, match="cut off"):
            await client.sports()


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 2\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(40_000)) + b"X: y",
        b"Content-Length: 2\r\nX: " + b"y" * 1_000_000,
        b"Content-Length: 99999999999999999999999999",
        b"Content-Length: -5",
        b"Content-Length: 2\r\nContent-Length: 3",
        b"Transfer-Encoding: chunked",
        b"X: \xff\xfe\x00",
        b"Location: http://[::1\r\nContent-Length: 2",
    ],
)
async def test_absurd_headers_are_an_error_of_the_service(head: bytes) -> None:
    async def body() -> AsyncIterator[bytes]:
        yield b"{}"

    async with raw_service(head, body) as url, Client(url, KEY) as client:
        with pytest.raises(ServiceError):
            await client.sports()


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000,
        b'{"data": [], "meta": {"a": ' + b"[" * 200_000,
        b'{"data": ' + b'{"a":' * 200_000,
        b'{"data": [], "meta": {"rate_limit_remaining": ' + b"9" * 5_000 + b"}}",
        b'{"data": [], "meta": {"rate_limit_remaining": NaN}}',
        b'{"data": [], "meta": {"rate_limit_remaining": 1e999}}',
        b'{"data": [{"name": "\\ud800"}]}',
    ],
    ids=[
        "nested",
        "nested next to data",
        "nested objects",
        "5,000 digits",
        "NaN",
        "1e999",
        "surrogate",
    ],
)
async def test_absurd_json_is_no_answer(small_service: Running, body: bytes) -> None:
    service, url = small_service
    service.answers.append(Response(body))
    async with Client(url, KEY) as client:
        with pytest.raises(MalformedAnswerError, match="answered something unexpected"):
            await client.sports()


async def test_an_error_that_is_nested_absurdly_is_told_by_its_status(
    small_service: Running,
) -> None:
    service, url = small_service
    service.answers.append(Response(b'{"error": {"x":' + b"[" * 200_000, 502))
    async with Client(url, KEY) as client:
        with pytest.raises(ServiceError, match="status 502 and no reason"):
            await client.sports()


async def test_a_message_as_long_as_a_book_is_shortened_and_of_one_line(
    small_service: Running,
) -> None:
    service, url = small_service
    said = {"error": {"code": "c" * 5_000, "message": "a\nb\x1b[2J\u202e" + "y" * 70_000}}
    service.say(said, 400)
    async with Client(url, KEY) as client:
        with pytest.raises(ServiceError) as caught:
            await client.sports()
    assert caught.value.message == "a b [2J " + "y" * 491 + "…"
    assert len(caught.value.code) == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"X-RateLimit-Reset": str(NOW)},
        {"X-RateLimit-Reset": "999999999999999"},
        {"Retry-After": "999999999999999"},
    ],
)
async def test_a_wait_beyond_any_window_is_cut_to_25_hours(
    small_service: Running, headers: dict[str, str]
) -> None:
    service, url = small_service
    service.say({}, 429, headers)
    async with Client(url, KEY, clock=lambda: NOW) as client:
        with pytest.raises(RateLimitedError) as caught:
            await client.games()
    assert caught.value.retry_at_ms == NOW + 25 * HOUR_MS


@pytest.mark.parametrize(
    "text",
    ["-1", "NaN", "inf", "1e9", "9" * 5_000, "٣", "+5", "0x10", "Wed, 21 Oct 2026 07:28:00 GMT"],
)
async def test_a_wait_that_is_no_number_is_a_minute(small_service: Running, text: str) -> None:
    service, url = small_service
    headers = {"X-RateLimit-Reset": text, "Retry-After": text}
    answer = Response(b"{}", 429)
    answer.raw_headers += [(k.encode(), v.encode()) for k, v in headers.items()]
    service.answers.append(answer)
    async with Client(url, KEY, clock=lambda: NOW) as client:
        with pytest.raises(RateLimitedError) as caught:
            await client.games()
    assert caught.value.retry_at_ms == NOW + 60_000


def test_a_reset_in_milliseconds_is_cut_to_25_hours() -> None:
    headers = {"x-ratelimit-remaining": "7", "x-ratelimit-reset": str(NOW)}
    quota = read_quota(headers, NOW)
    assert quota is not None
    assert quota.resets_at_ms == NOW + 25 * HOUR_MS


async def test_cursors_that_go_round_are_seen_at_once(small_service: Running) -> None:
    service, url = small_service
    for cursor in ("a", "b", "a", "b"):
        service.say(listing(next_cursor=cursor))
    async with Client(url, KEY) as client:
        with pytest.raises(MalformedAnswerError, match="repeats a page"):
            assert [game async for game in client.all_games()] == []
    assert len(service.asked) == 3


async def test_a_list_without_end_is_given_up_after_200_pages(small_service: Running) -> None:
    service, url = small_service
    for number in range(MOST_PAGES + 1):
        service.say(listing(next_cursor=str(number)))
    async with Client(url, KEY) as client:
        with pytest.raises(MalformedAnswerError, match="does not end after 200 pages"):
            assert [game async for game in client.all_games()] == []
    assert len(service.asked) == MOST_PAGES == 200


async def test_an_item_with_a_name_that_is_too_long_is_left_out_with_a_line(
    small_service: Running, caplog: pytest.LogCaptureFixture
) -> None:
    service, url = small_service
    sports = [
        {"name": name, "competition_codes": codes, "event_count": 1}
        for name, codes in [("Football", ["EPL"]), ("x" * 70_000, []), ("Tennis", ["y" * 201])]
    ]
    service.say(listing(*sports))
    async with Client(url, KEY) as client:
        assert [sport.name for sport in await client.sports()] == ["Football"]
        service.say(listing(*sports))
        assert len(await client.sports()) == 1
    assert caplog.text.count("not read") == 1
    assert "/api/sports: not read: 2 rows, the first: " in caplog.text
    assert "x" * 300 not in caplog.text


async def test_what_cannot_be_shown_is_a_blank_in_every_name(small_service: Running) -> None:
    service, url = small_service
    name = 'a\nb\x00c\x85d\u202ee\u2066f\u2028g\\n\u00e9\U0001f600"h'
    for ascii_only in (True, False):
        body = json.dumps(listing({"name": name, "competition_codes": [], "event_count": 1}))
        if not ascii_only:
            body = json.dumps(json.loads(body), ensure_ascii=False)
        service.answers.append(Response(body.encode()))
    async with Client(url, KEY) as client:
        names = [(await client.sports())[0].name for _ in range(2)]
    assert names == ['a b c d e f g\\n\u00e9\U0001f600"h'] * 2


async def test_cookies_of_a_service_are_not_kept(small_service: Running) -> None:
    service, url = small_service
    for _ in range(2):
        service.say(listing(), headers={"Set-Cookie": "a=" + "b" * 3_000})
    async with Client(url, KEY) as client:
        await client.sports()
        await client.sports()
    assert "cookie" not in service.asked[1].headers
