"""Requests and answers over a real socket."""

import asyncio
import socket
import ssl
from typing import Any

import pytest
from starlette.responses import Response

from oddsdesk.client import (
    AddressError,
    BadRequestError,
    Client,
    ForbiddenError,
    MalformedAnswerError,
    NotFoundError,
    OfflineError,
    Quota,
    RateLimitedError,
    ServiceError,
    ServiceUnavailableError,
    UnauthorizedError,
)
from oddsdesk.client.quota import read_quota
from tests.kit.small_service import KEY, NOW, SmallService, listing

Running = tuple[SmallService, str]

ROW = {
    "bookmaker": "Betfair",
    "match_name": "Arsenal - Chelsea",
    "competition": "EPL",
    "sport": "Football",
    "market_type": "moneyline",
    "period": 0,
    "is_live": False,
    "odds": {"Arsenal": 2.1, "Draw": 3.4, "Chelsea": 3.6},
    "match_date": None,
    "scraped_at": "2026-11-20T18:30:00.000Z",
    "url": None,
    "liquidity": None,
}


def error(code: str, **more: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": f"no: {code}", **more}}


async def test_rows_come_typed_and_go_into_a_data_frame_in_one_line(small_service: Running) -> None:
    service, url = small_service
    service.say(listing({**ROW, "a_field_of_tomorrow": 1}))
    async with Client(url, KEY) as client:
        rows = await client.odds(competition="EPL")
    assert rows[0].odds == {"Arsenal": 2.1, "Draw": 3.4, "Chelsea": 3.6}
    assert [row["selection"] for row in rows.to_dicts()] == ["Arsenal", "Draw", "Chelsea"]
    assert rows.next_cursor is None


async def test_a_request_carries_key_and_parameters_as_the_contract_writes_them(
    small_service: Running,
) -> None:
    service, url = small_service
    service.say(listing())
    async with Client(url + "/", KEY) as client:
        await client.odds(bookmaker="Bet & Win", is_live=True, limit=500, cursor="abc")
    asked = service.asked[0]
    assert asked.headers["x-api-key"] == KEY
    assert asked.url.path == "/api/odds"
    assert dict(asked.query_params) == {
        "bookmaker": "Bet & Win",
        "is_live": "true",
        "limit": "500",
        "cursor": "abc",
    }


async def test_a_slug_is_sent_as_it_was_returned(small_service: Running) -> None:
    service, url = small_service
    service.say(error("not_found"), 404)
    async with Client(url, KEY) as client:
        with pytest.raises(NotFoundError):
            await client.event("Bodø%2FGlimt%20-%20Molde%20100%25")
    assert service.asked[0].scope["raw_path"] == (
        b"/api/events/Bod%C3%B8%2FGlimt%20-%20Molde%20100%25"
    )


async def test_the_quota_of_the_latest_answer_is_visible(small_service: Running) -> None:
    service, url = small_service
    headers = {"X-RateLimit-Remaining": "5499", "X-RateLimit-Reset": "1795003600"}
    service.say(listing(), headers=headers)
    async with Client(url, KEY, clock=lambda: NOW) as client:
        assert client.quota is None
        await client.sports()
    assert client.quota == Quota(5499, 1_795_003_600_000, NOW)


def test_a_service_that_says_how_many_requests_there_are_is_heard() -> None:
    headers = {"x-ratelimit-remaining": "7", "x-ratelimit-limit": "9"}
    assert read_quota(headers, NOW) == Quota(7, None, NOW, limit=9)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "bad_request", BadRequestError),
        (401, "unauthorized", UnauthorizedError),
        (403, "live_not_on_plan", ForbiddenError),
        (404, "not_found", NotFoundError),
        (500, "internal_error", ServiceUnavailableError),
        (503, "service_unavailable", ServiceUnavailableError),
    ],
)
async def test_errors_are_told_apart_by_what_to_do(
    small_service: Running, status: int, code: str, kind: type[ServiceError]
) -> None:
    service, url = small_service
    service.say(error(code, upgrade_url="https://odds.example/plans"), status)
    async with Client(url, KEY) as client:
        with pytest.raises(ServiceError) as caught:
            await client.games()
    assert type(caught.value) is kind
    assert (caught.value.code, caught.value.status) == (code, status)
    assert caught.value.message == f"no: {code}"
    if kind is ForbiddenError:
        assert caught.value.upgrade_url == "https://odds.example/plans"


@pytest.mark.parametrize(
    ("headers", "retry_at_ms"),
    [
        ({"X-RateLimit-Reset": "1795000100"}, 1_795_000_100_000),
        ({"Retry-After": "7"}, NOW + 7_000),
        ({"Retry-After": "7", "X-RateLimit-Reset": "1795000100"}, NOW + 7_000),
        ({}, NOW + 60_000),
        ({"X-RateLimit-Reset": "soon"}, NOW + 60_000),
    ],
)
async def test_too_many_requests_say_when_to_ask_again(
    small_service: Running, headers: dict[str, str], retry_at_ms: int
) -> None:
    service, url = small_service
    service.say(error("rate_limit_exceeded"), 429, headers)
    async with Client(url, KEY, clock=lambda: NOW) as client:
        with pytest.raises(RateLimitedError) as caught:
            await client.games()
    assert caught.value.retry_at_ms == retry_at_ms


@pytest.mark.parametrize(
    "answer",
    [
        {"data": [{"name": 5}], "meta": {"rate_limit_remaining": 1}},
        {"odds": []},
        "welcome",
        {"data": [], "meta": {}},
    ],
)
async def test_an_answer_that_is_not_the_contract_names_what_was_expected(
    small_service: Running, answer: Any
) -> None:
    service, url = small_service
    service.say(answer)
    async with Client(url, KEY) as client:
        with pytest.raises(MalformedAnswerError, match="/api/sports answered something unexpected"):
            await client.sports()


@pytest.mark.parametrize(
    "body", ["<!DOCTYPE html><title>Welcome</title>", '{"data": [{"na', "", b"\xff\xfe"]
)
async def test_an_answer_that_is_no_json_is_told_in_few_words(
    small_service: Running, body: str | bytes
) -> None:
    service, url = small_service
    service.answers.append(Response(body))
    async with Client(url, KEY) as client:
        with pytest.raises(MalformedAnswerError) as caught:
            await client.sports()
    assert caught.value.message == "/api/sports answered something unexpected: no whole JSON"


async def test_an_error_without_the_error_object_still_has_a_plain_message(
    small_service: Running,
) -> None:
    service, url = small_service
    service.say(["<html>"], 502)
    async with Client(url, KEY) as client:
        with pytest.raises(ServiceUnavailableError, match="status 502 and no reason"):
            await client.games()


async def test_a_refused_connection_is_offline_in_plain_words() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    async with Client(f"http://127.0.0.1:{port}", KEY) as client:
        with pytest.raises(OfflineError, match=f"127.0.0.1:{port} does not answer"):
            await client.games()


async def test_a_service_that_hangs_up_in_mid_answer_is_offline() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, Client(f"http://127.0.0.1:{port}", KEY) as client:
        with pytest.raises(OfflineError, match="cut off before the answer was complete"):
            await client.games()


async def test_plain_http_behind_an_https_address_is_a_tls_failure_in_plain_words(
    small_service: Running,
) -> None:
    _, url = small_service
    async with Client(url.replace("http:", "https:"), KEY) as client:
        with pytest.raises(OfflineError, match="does it use https") as caught:
            await client.games()
    cause = caught.value.__cause__
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    assert isinstance(cause, ssl.SSLError)


@pytest.mark.parametrize("key", ["", "  ", "a\nb", "a b", "schlüssel"])
def test_a_key_that_cannot_be_one_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(AddressError) as caught:
        Client("http://127.0.0.1:1", key)
    assert key.strip() == "" or key not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "odds.example",
        "ftp://odds.example",
        "http://",
        "http://a:99999",
        "http://u:p@odds.example",
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(AddressError, match="base_url"):
        Client(url, KEY)


def test_the_stream_is_found_next_to_the_base_unless_given() -> None:
    assert Client("https://odds.example/v", KEY).addresses.stream == "wss://odds.example/v"
    given = Client("http://a", KEY, auth_url="https://b/", ws_url="wss://c/")
    assert given.addresses == ("http://a", "https://b", "wss://c")


def told(remaining: int, reset_s: int, date: str | None = None) -> dict[str, str]:
    headers = {"X-RateLimit-Remaining": str(remaining), "X-RateLimit-Reset": str(reset_s)}
    return headers if date is None else {**headers, "Date": date}


async def test_who_keeps_the_quota_asks_nothing_while_nothing_is_left(
    small_service: Running,
) -> None:
    service, url = small_service
    now, hour = [NOW], told(0, NOW // 1000 + 3_600)
    async with Client(url, KEY, clock=lambda: now[0], keeps_quota=True) as client:
        service.say(listing(), headers=hour)
        await client.games()
        with pytest.raises(RateLimitedError) as caught:
            await client.games()
        assert caught.value.retry_at_ms == NOW + 3_600_000
        assert len(service.asked) == 1
        now[0] += 3_600_000
        service.say(listing(), headers=told(5_499, NOW // 1000 + 7_200))
        await client.games()
    assert len(service.asked) == 2


async def test_requests_under_way_count_as_made(small_service: Running) -> None:
    service, url = small_service
    async with Client(url, KEY, clock=lambda: NOW, keeps_quota=True) as client:
        for left in (2, 1, 0):
            service.say(listing(), headers=told(left, NOW // 1000 + 3_600))
        await client.games()
        results = await asyncio.gather(*(client.games() for _ in range(5)), return_exceptions=True)
    assert sum(isinstance(result, RateLimitedError) for result in results) == 3
    assert len(service.asked) == 3


async def test_health_is_asked_where_nothing_is_left(small_service: Running) -> None:
    service, url = small_service
    async with Client(url, KEY, clock=lambda: NOW, keeps_quota=True) as client:
        service.say(listing(), headers=told(0, NOW // 1000 + 3_600))
        await client.games()
        service.say({"status": "ok", "version": "1", "database": "ok", "last_scraped_at": None})
        assert (await client.health()).status == "ok"


async def test_an_unknown_key_says_nothing_of_what_is_left(small_service: Running) -> None:
    service, url = small_service
    async with Client(url, KEY, clock=lambda: NOW, keeps_quota=True) as client:
        service.say(error("unauthorized"), 401, told(0, NOW // 1000))
        with pytest.raises(UnauthorizedError):
            await client.games()
        assert client.quota is None


@pytest.mark.parametrize(
    ("date", "resets_at_ms"),
    [
        (None, NOW + 10_900_000),
        ("Wed, 18 Nov 2026 11:06:40 GMT", NOW + 10_900_000),
        ("Wed, 18 Nov 2026 14:06:40 GMT", NOW + 100_000),
        ("no date", NOW + 10_900_000),
        ("Tue, 10 Nov 2026 00:00:00 +99999999999999", NOW + 10_900_000),
    ],
)
def test_a_service_whose_clock_is_ahead_is_understood_by_its_date(
    date: str | None, resets_at_ms: int
) -> None:
    headers = told(7, NOW // 1000 + 10_900, date)
    quota = read_quota({name.lower(): value for name, value in headers.items()}, NOW)
    assert quota is not None
    assert quota.resets_at_ms == resets_at_ms


def test_a_window_that_was_over_before_the_answer_has_an_end_that_nobody_knows() -> None:
    headers = {name.lower(): value for name, value in told(7, NOW // 1000 - 60).items()}
    assert read_quota(headers, NOW) == Quota(7, None, NOW)


HTTPS, WSS = "https://odds.example", "wss://odds.example"


@pytest.mark.parametrize(
    ("addresses", "named"),
    [
        ((HTTPS, None, None), ""),
        ((HTTPS, HTTPS, WSS), ""),
        (("http://127.0.0.1:8765", None, None), ""),
        (("http://localhost", None, "ws://[::1]:1"), ""),
        (("http://odds.example", HTTPS, WSS), "http://odds.example is not"),
        ((HTTPS, "http://odds.example", WSS), "http://odds.example is not"),
        ((HTTPS, None, "ws://odds.example"), "ws://odds.example is not"),
        (("http://192.168.1.7", None, None), "http://192.168.1.7 and ws://192.168.1.7 are not"),
    ],
)
def test_what_goes_unencrypted_to_another_machine_is_named(
    addresses: tuple[str, str | None, str | None], named: str
) -> None:
    base, auth, stream = addresses
    warning = Client(base, KEY, auth_url=auth, ws_url=stream).addresses.warning
    assert warning.startswith(f"{named} encrypted" if named else named)
    assert bool(warning) == bool(named)
    if stream and "ws://odds" in stream:
        assert "use its token" in warning
    elif named:
        assert "read the key" in warning
