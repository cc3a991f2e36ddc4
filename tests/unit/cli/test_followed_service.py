"""A board that follows a service: the reference's name, the quota, and games for closing lines."""

import asyncio

import pytest
from msgspec.structs import replace

from oddsdesk.board.board import Board
from oddsdesk.board.connection import SnapshotProgress
from oddsdesk.cli.followed_service import FollowedService
from oddsdesk.clock import system_clock
from tests.kit.board import GAME, REFERENCE, matrix
from tests.kit.quota_service import QuotaClient, QuotaService
from tests.kit.waiting import until


def followed(limit: int) -> tuple[FollowedService, Board, QuotaService, list[str]]:
    service = QuotaService(system_clock, [matrix()], limit=limit, window_s=86_400)
    board, told = Board(system_clock), list[str]()
    client = QuotaClient(service, system_clock)
    return FollowedService(client, board, system_clock, told.append), board, service, told


async def test_the_reference_is_asked_of_a_game_where_no_row_tells_it() -> None:
    service, board, _, told = followed(500)
    await service.open()
    asking = asyncio.get_running_loop().create_task(service.find_reference())
    await until(lambda: board.reference == REFERENCE)
    assert told == ["prices come"]
    asking.cancel()
    await service.close()


async def test_a_quota_that_is_used_up_is_told_with_when_it_returns() -> None:
    service, _, _, told = followed(0)
    await service.open()
    await until(lambda: bool(told))
    assert "its requests return at" in told[0]
    assert told[0].startswith("no prices come: ")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await service.refused()
    await service.close()


async def test_clocks_that_are_apart_are_told_once_and_that_they_agree_again() -> None:
    service, board, _, told = followed(500)
    await service.open()
    await until(lambda: told == ["prices come"])
    for ahead_ms in (-300_000, -301_000, 0, 0):
        board.set_connection(replace(board.connection, clock_ahead_ms=ahead_ms))
    apart = "the clocks of this computer and of the service are 5 min apart"
    assert told[1:] == [f"{apart}: nothing of prices is alerted", "the clocks agree again"]
    await service.close()


async def test_what_could_not_be_read_is_told_once_and_that_it_is_read_again() -> None:
    service, board, _, told = followed(500)
    await service.open()
    await until(lambda: told == ["prices come"])
    for cut in (("MLB, Total",), ("MLB, Total",), (), ()):
        for done in (8, 9):
            board.set_snapshot_progress(SnapshotProgress(done, 9, 900, cut))
    assert told[1:] == [
        "not all prices could be read: MLB, Total",
        "all prices are read again",
    ]
    await service.close()


async def test_games_are_kept_current_as_long_as_they_are_wanted() -> None:
    service, _, counted, _ = followed(500)
    await service.open()
    service.follow_games(frozenset({GAME}))
    await until(lambda: any(path.endswith(GAME) for _, path in counted.answered))
    service.follow_games(frozenset())
    assert GAME not in service._sync._subscribed
    await service.close()
