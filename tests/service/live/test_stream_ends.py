"""How a stream is refused, kept alive and ended (D22..D24, service.md Keepalive)."""

import asyncio
import contextlib
import json
import logging
import random

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from oddsdesk.contract.access import Plan
from oddsdesk.server.stream import endpoint as stream_module
from oddsdesk.server.stream.endpoint import issue_token
from oddsdesk.store.access import open_access
from tests.kit.promises import in_time


@pytest.mark.parametrize(
    "query", ["", "token=", "token=garbage", "token=%ff", "token=a&token=b", "token=" + "A" * 64]
)
async def test_without_a_valid_token_it_is_accepted_then_closed(live, listening, query):
    """Authentication 6; D24: accepted first, so that the client sees 4001."""
    assert await listening.close_code(await live.open(query)) == 4001


async def test_token_ends_after_300_seconds_and_serves_until_then(live, listening):
    """Limits; D23."""
    key = live.key()
    token, later = await live.token(key), await live.token(key)
    live.now += 299_999
    client = await live.open(token=token)
    assert await listening.all_before_pong(client) == []
    await client.close()
    live.now += 1
    assert await listening.close_code(await live.open(token=later)) == 4001


async def pong_or_code(client):
    try:
        await client.send("ping")
        return await client.recv()
    except ConnectionClosed:
        return client.close_code


async def test_a_token_opens_one_stream(live, listening):
    """D23: also where it is used twice at the same moment; a filter that is refused costs none."""
    token = await live.token(live.key())
    assert await listening.close_code(await live.open(f"token={token}&game_id=5")) == 4000
    clients = await asyncio.gather(*(live.open(token=token) for _ in range(5)))
    told = await asyncio.gather(*map(pong_or_code, clients))
    assert sorted(map(str, told)) == ["4001"] * 4 + ["pong"]
    again = await live.open(token=token)
    assert await listening.close_code(again) == 4001
    assert again.close_reason == "the token was already used; get a new one for each connection"
    for client in clients:
        await client.close()


async def test_token_dies_with_its_key(live, listening):
    """D23: a rotated key's tokens end at once."""
    key = live.key()
    token = await live.token(key)
    live.access.keys.rotate(key)
    assert await listening.close_code(await live.open(token=token)) == 4001


async def test_token_of_a_plan_that_lost_the_stream_opens_nothing(live, listening):
    key = live.key()
    token = await live.token(key)
    account = live.access.keys.all_keys()[-1].account
    live.access.keys.create(account, Plan.PRO, None, live.now)
    assert await listening.close_code(await live.open(token=token)) == 4001


@pytest.mark.parametrize("change", ["revoke", "rotate", "plan", "account plan", "removal"])
async def test_open_stream_ends_within_a_second_of_its_key(live, listening, change):
    """D23: 4001, also when another program changed the key."""
    key = live.key()
    client, bystander = await live.stream(key), await live.stream()
    other = open_access(live.database)
    account = next(each.account for each in other.keys.all_keys() if each.masked[-4:] == key[-4:])
    match change:
        case "revoke":
            other.keys.revoke(key, live.now)
        case "rotate":
            other.keys.rotate(key)
        case "plan":
            other.keys.create(account, Plan.PRO, None, live.now)
        case "account plan":
            other.keys.change_account(account, live.now, plan=Plan.PRO)
        case "removal":
            other.keys.remove_account(account, live.now)
    async with asyncio.timeout(in_time(1)):
        assert await listening.close_code(client) == 4001
    assert await listening.all_before_pong(bystander) == []
    await bystander.close()
    await asyncio.to_thread(other.close)


@pytest.mark.parametrize(
    "filters",
    [
        "game_id=5",
        "game_id={}".format("g" * 32),
        "game_id=",
        "sport=",
        "sport=a&sport=b",
        "as_of=2026-11-20T18:00:00Z",
    ],
)
async def test_bad_filter_closes_with_4000(live, listening, filters):
    """D24."""
    token = await live.token(live.key())
    assert await listening.close_code(await live.open(f"token={token}&{filters}")) == 4000


async def test_free_may_not_filter_by_another_bookmaker(live, listening):
    """D41."""
    key = live.key(Plan.FREE, "Bwin")
    assert await listening.close_code(await live.stream(key, bookmaker="Betfair")) == 4003
    client = await live.stream(key, bookmaker="Bwin")
    assert await listening.all_before_pong(client) == []
    await client.close()


async def test_free_has_30_connections_a_utc_day(live, listening):
    """D22: a connection that slips through closes with 4029."""
    key = live.key(Plan.FREE, "Bwin")
    caller = live.access.keys.caller(key)
    tokens = [issue_token(live.access.secret, caller, live.now) for _ in range(31)]
    for token in tokens[:30]:
        client = await live.open(token=token)
        assert await listening.all_before_pong(client) == []
        await client.close()
    client = await live.open(token=tokens[30])
    assert await listening.close_code(client) == 4029
    assert client.close_reason.startswith("The 30 stream connections a day of the Free plan")


async def test_ping_is_answered_and_other_text_ignored(live, listening):
    """Keepalive; D24."""
    client = await live.stream()
    for text in ("", "Ping", " ping", "pong", '{"type": "subscribe"}', "a" * 1024):
        await client.send(text)
    await client.send("ping")
    assert await client.recv() == "pong"
    await live.record(live.quote())
    assert (await listening.message(client))["selection"] == "Arsenal"
    await client.close()


@pytest.mark.parametrize(("frame", "code"), [(b"ping", 1003), (b"", 1003), ("a" * 1025, 1009)])
async def test_binary_and_large_frames_close(live, listening, frame, code):
    """D24."""
    client = await live.stream()
    await client.send(frame)
    assert await listening.close_code(client) == code


async def test_idle_is_without_text_pongs_do_not_count(live, listening, monkeypatch):
    """D24: close 1000."""
    monkeypatch.setattr(stream_module, "IDLE_LIMIT_S", 0.2)
    client = await live.stream()
    for _ in range(4):
        await asyncio.sleep(0.1)
        assert await listening.all_before_pong(client) == []
    with contextlib.suppress(ConnectionClosed):
        for _ in range(50):
            await client.ping()
            await asyncio.sleep(0.02)
    assert await listening.close_code(client) == 1000


async def test_subscriber_that_falls_behind_is_closed_others_are_not(live, listening):
    """D24: 4008, never a silent gap."""
    stuck, reading = await live.stream(), await live.stream()
    stuck.transport.pause_reading()
    long = "a" + "😀" * 190  # 761 bytes, three times in each message
    noted = 0
    while noted < 2_700:
        odds = [{f"{long} {noted + n}": 2.0} for n in range(100)]
        await live.record(
            *(
                live.quote(odds=each, period=n, match_name=f"{long} - x", bookmaker=long)
                for n, each in enumerate(odds)
            )
        )
        for n in range(100):
            message = await listening.message(reading)
            assert message["selection"] == f"{long} {noted + n}"
        noted += 100
    stuck.transport.resume_reading()
    heard = 0
    async with asyncio.timeout(30):
        with contextlib.suppress(ConnectionClosed):
            while await stuck.recv():
                heard += 1
    assert stuck.close_code == 4008
    assert 0 < heard < noted
    await reading.close()


async def test_server_going_down_says_so(live, listening):
    """D24: 1001."""
    clients = [await live.stream() for _ in range(3)]
    codes = asyncio.gather(*(listening.close_code(client) for client in clients))
    stuck = await live.stream()
    stuck.transport.pause_reading()
    async with asyncio.timeout(in_time(2)):
        await live.stop()
    assert await codes == [1001] * 3
    stuck.transport.abort()


async def test_page_of_another_origin_is_refused(live):
    """pitfalls: Host and Origin are checked on the stream too; Errors: the Error object."""
    token = await live.token(live.key())
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}):
        with pytest.raises(InvalidStatus) as refused:
            await live.open(token=token, headers=headers)
        assert refused.value.response.status_code == 400
        error = json.loads(refused.value.response.body)["error"]
        assert error["code"] == "bad_request"
        assert error["message"].startswith("Origin: ")


@pytest.mark.parametrize("path", ["/api/nothing", "/api/odds", "/api/stream/", "/"])
async def test_stream_at_another_path_is_not_found(live, path, caplog):
    """D12; Errors: the Error object, and no line in the log for what anyone can ask."""
    with pytest.raises(InvalidStatus) as refused:
        await connect(live.server.url.replace("http", "ws") + path)
    assert refused.value.response.status_code == 404
    assert json.loads(refused.value.response.body)["error"]["code"] == "not_found"
    assert not [each for each in caplog.records if each.levelname == "ERROR"]


async def test_no_log_line_holds_a_token(live, listening, caplog):
    """D23, D44."""
    caplog.set_level(logging.DEBUG)
    for name in ("uvicorn.access", "uvicorn.asgi", "oddsdesk"):
        caplog.set_level(logging.DEBUG, name)
    token = await live.token(live.key())
    client = await live.open(token=token)
    await client.send(b"binary")
    await listening.close_code(client)
    ours = [r for r in caplog.records if not r.name.startswith(("websockets.client", "httpcore"))]
    assert not [r for r in ours if token in r.getMessage()]


async def test_ten_thousand_random_frames_leave_the_service_well(live, listening):
    """Issue 3, Bad input."""
    generator = random.Random(11)
    bystander = await live.stream()
    key = live.key()
    for _ in range(20):
        client = await live.stream(key)
        frames = [generator.randbytes(generator.randrange(1, 40)) for _ in range(500)]
        # Straight onto the wire: what comes out is hardly ever a frame.
        client.transport.write(b"".join(frames))
        assert await listening.close_code(client) in (None, 1002, 1003, 1007, 1009)
    await live.record(live.quote())
    assert len([await listening.message(bystander) for _ in range(3)]) == 3
    await bystander.close()
