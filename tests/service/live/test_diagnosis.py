"""The test of a connection: what a key may do, and what is wrong in plain words."""

import asyncio
import socket

import pytest

from oddsdesk.client.client import Client
from oddsdesk.client.diagnosis import Diagnosis, advice, diagnose, in_words
from oddsdesk.client.errors import AddressError, OfflineError, ServiceError
from oddsdesk.contract.access import Plan
from tests.kit.live_service import LIMIT_S, LiveService

WRONG = "oddsdesk_live_" + "0" * 32


async def _diagnosis(url: str, key: str, **addresses: str) -> Diagnosis:
    async with Client(url, key, **addresses) as client:
        return await diagnose(client)


async def _refusal(url: str, key: str = WRONG) -> tuple[str, str]:
    with pytest.raises(ServiceError) as refused:
        await _diagnosis(url, key)
    return refused.value.message, advice(refused.value)


@pytest.mark.parametrize("plan", list(Plan), ids=lambda plan: plan.value)
async def test_the_plan_is_told_from_what_the_key_may_do(live: LiveService, plan: Plan):
    key = live.key(plan, "Betfair" if plan is Plan.FREE else None)
    found = await _diagnosis(live.server.url, key)
    assert found.plan is plan
    assert [right.is_given for right in found.rights] == [
        plan.rights.value_bets,
        plan.rights.live,
        plan.rights.websocket,
    ]
    assert found.problems == ()
    assert found.quota is not None
    assert found.quota.remaining == plan.rights.requests - 4


async def test_a_wrong_key_is_told_from_a_wrong_address(live: LiveService):
    _, said = await _refusal(live.server.url)
    assert "Copy the key again" in said


def test_what_is_wrong_and_what_to_do_are_said_once() -> None:
    away = OfflineError("this machine cannot reach x.example: check the address and the network")
    said = in_words(away)
    assert said == "This machine cannot reach x.example: check the address and the network."
    key = in_words(AddressError("expected an API key", is_about_key=True))
    assert key == "Expected an API key. Copy the whole key, as the service shows it."


async def test_a_free_key_without_its_bookmaker_is_told_to_choose_one(live: LiveService):
    _, said = await _refusal(live.server.url, live.key(Plan.FREE))
    assert "choose it" in said


async def test_a_stream_that_nobody_serves_is_named_and_the_rest_is_told(live: LiveService):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nowhere = f"ws://127.0.0.1:{taken.getsockname()[1]}"
        found = await _diagnosis(live.server.url, live.key(), ws_url=nowhere)
    assert found.plan is None
    assert [right.is_given for right in found.rights] == [True, True, False]
    (problem,) = found.problems
    assert problem.startswith("stream: ")


async def test_an_address_where_nothing_answers(live: LiveService):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        message, said = await _refusal(f"http://127.0.0.1:{taken.getsockname()[1]}")
    assert "does not answer" in message
    assert "that the service is running" in said


async def test_https_where_only_http_is_spoken(live: LiveService):
    message, said = await _refusal(live.server.url.replace("http", "https"))
    assert "does it use https?" in message
    assert "Check the address and this computer's clock" in said


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n<html></html>",
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n",
    ],
    ids=["a page", "404", "a login"],
)
async def test_something_else_that_answers_is_no_odds_service(answer: bytes):
    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(reply, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        _, said = await _refusal(f"http://127.0.0.1:{port}")
    assert said.startswith("This is not an odds service")


async def test_a_service_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("oddsdesk.client.diagnosis.LIMIT_S", 0.2)

    gone = asyncio.Event()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        await writer.wait_closed()
        gone.set()

    async with await asyncio.start_server(hold, "127.0.0.1", 0) as server:
        message, _ = await _refusal(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        async with asyncio.timeout(LIMIT_S):
            await gone.wait()
    assert "too slowly" in message


async def test_a_key_is_in_no_text(live: LiveService):
    message, said = await _refusal(live.server.url)
    assert WRONG not in message + said
