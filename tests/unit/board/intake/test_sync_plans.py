"""What a plan leaves out, and a service that lets nobody in or hangs."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

import oddsdesk.board.intake.sync as sync_module
from oddsdesk.base.clock import system_clock
from oddsdesk.board.model.notices import Link
from oddsdesk.client.quota import Quota
from oddsdesk.contract.access import Plan
from oddsdesk.network.http import HttpClient, Reply
from tests.kit.board import GAME, REFERENCE
from tests.kit.board_service import key_of, quote, record, service
from tests.kit.promises import in_time
from tests.kit.syncing import DRAW, QUICK, odds, syncing
from tests.kit.waiting import until, until_told


async def test_who_does_not_want_to_wait_is_let_in_as_soon_as_the_key_may(tmp_path: Path) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.FREE)) as (board, sync),
    ):
        await until_told(board, lambda: board.connection.link is Link.REFUSED)
        assert "choose it" in board.connection.advice
        key_of(server, Plan.FREE, "Betfair")
        sync.read_all_again()
        await until_told(board, lambda: board.connection.link is Link.LIVE)


async def test_a_plan_without_stream_is_polled_and_says_so(tmp_path: Path) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO), QUICK) as (board, sync),
    ):
        sync.subscribe_game(GAME)
        await until_told(
            board, lambda: board.connection.link is Link.POLLING and odds(board) == 3.5
        )
        await record(server, quote("Betfair", {"Arsenal": 2.06, "Draw": 3.9, "Chelsea": 4.1}))
        await until_told(board, lambda: odds(board) == 3.9)
        await until_told(board, lambda: board.connection.has_live is False)
        assert board.connection.has_stream is False
        assert board.connection.upgrade_url


async def test_a_service_that_hangs_is_lost_to_a_plan_without_stream_before_it_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing but a sign of life is due for minutes here, and a request is given up after 15 s."""
    goes_on, send = asyncio.Event(), HttpClient.send_request

    async def hang(self: HttpClient, *asked: Any, **how: Any) -> Reply:
        await goes_on.wait()
        return await send(self, *asked, **how)

    monkeypatch.setattr(sync_module, "_TICK_S", 0.01)
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO)) as (board, sync),
    ):
        sync.subscribe_game(GAME)
        await until_told(board, lambda: odds(board) == 3.5)
        await until_told(board, lambda: board.connection.link is Link.POLLING)
        monkeypatch.setattr(HttpClient, "send_request", hang)
        await until_told(board, lambda: board.connection.link is Link.WAITING)
        assert board.connection.is_lost
        assert board.connection.reason == f"{server.url[7:]} is silent"
        goes_on.set()
        await until_told(board, lambda: not board.connection.is_lost)


async def test_that_requests_are_used_up_is_said_though_nothing_is_due_to_be_read(
    tmp_path: Path,
) -> None:
    """Health tells it, which no quota counts: all else was due in a day."""
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO)) as (board, sync),
    ):
        sync.subscribe_game(GAME)
        await until_told(board, lambda: odds(board) == 3.5)
        await until_told(board, lambda: board.connection.link is Link.POLLING)

        def is_lost() -> bool:
            """What answers under way tell of the quota comes between."""
            now = system_clock()
            sync._client._requests.quota = Quota(0, now + 600_000, now)
            return board.connection.is_lost

        async with asyncio.timeout(in_time(5)):
            await until(is_lost)
        assert board.connection.code == "rate_limit_exceeded"


async def test_what_is_in_play_of_a_game_is_asked_for_since_its_picture_does_not_tell(
    tmp_path: Path,
) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE)) as (board, sync),
    ):
        playing = msgspec.structs.replace(
            quote("Betfair"), is_live=True, match_date=system_clock() - 60_000
        )
        await record(server, playing)
        sync.subscribe_game(GAME)
        reference = DRAW._replace(bookmaker=REFERENCE)

        def heard() -> tuple[bool | None, ...]:
            prices = [board.price(GAME, key) for key in (DRAW, reference)]
            return tuple(None if price is None else price.is_live for price in prices)

        await until_told(board, lambda: heard() == (True, False))


async def test_a_plan_without_value_bets_says_so_and_streams(tmp_path: Path) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.FREE, "Betfair")) as (board, sync),
    ):
        sync.subscribe_game(GAME)
        await until_told(board, lambda: odds(board) == 3.5)
        await until_told(board, lambda: board.connection.has_value_bets is False)
        await until_told(board, lambda: board.connection.link is Link.LIVE)


async def test_an_unknown_key_is_refused_in_words(tmp_path: Path) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, "oddsdesk_live_" + "0" * 32) as (board, _),
    ):
        await until_told(board, lambda: board.connection.link is Link.REFUSED)
        assert board.connection.reason
        assert not board.games
