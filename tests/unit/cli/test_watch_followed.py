"""A board that follows a database: what its prices are, and what goes with the simulated ones."""

import asyncio
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
from oddsdesk.board.model.notices import Connection, Link, SnapshotProgress
from oddsdesk.cli.watch import FollowedDatabase, FollowedService, _report_silence
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.store.store import open_store
from tests.kit.board import GAME, REFERENCE, matrix
from tests.kit.quota_service import QuotaClient, QuotaService
from tests.kit.waiting import until
from tests.kit.watching import quote


@pytest.fixture
def sharp() -> Quote:
    """The reference's, scraped now, which is long after a run of all tests began."""
    return quote("Pinnacle", {"A": 1.95, "B": 1.95})


def value_at(board: Board) -> set[str | None]:
    return {key.bookmaker for key in board.value_bets}


async def test_the_board_knows_what_is_simulated_and_lets_go_of_it_with_the_first_real_price(
    tmp_path: Path, sharp: Quote
) -> None:
    path = tmp_path / "odds.db"
    store = open_store(path)
    store.record([sharp, quote("Kestrel", {"A": 2.07})], simulated=True).result(10)
    board = Board(system_clock)
    followed = FollowedDatabase(path, board, system_clock)
    await followed.open_followed()
    assert board.connection.simulated
    assert value_at(board) == {"Kestrel"}
    store.record([replace(sharp, scraped_at=sharp.scraped_at + 1)]).result(10)
    store.record([quote("Soft", {"A": 2.07})], shifted=True).result(10)
    await followed._read()
    assert board.connection.simulated is False
    assert board.connection.shifted
    assert value_at(board) == {"Soft"}
    await followed.close_followed()
    store.close()


async def test_old_prices_that_others_record_are_known_at_the_next_look(
    tmp_path: Path, sharp: Quote
) -> None:
    path = tmp_path / "odds.db"
    store = open_store(path)
    store.record([sharp]).result(10)
    board = Board(system_clock)
    followed = FollowedDatabase(path, board, system_clock)
    await followed.open_followed()
    assert not board.connection.shifted
    store.record([quote("Soft", {"A": 2.07})], shifted=True).result(10)
    await followed._read()
    assert board.connection.shifted
    await followed.close_followed()
    store.close()


async def test_a_database_that_gets_no_price_any_more_is_told_once_and_once_that_it_does(
    tmp_path: Path, sharp: Quote, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odds.db"
    store = open_store(path)
    store.record([sharp]).result(10)
    now = sharp.scraped_at
    board = Board(lambda: now)
    _report_silence(board)
    followed = FollowedDatabase(path, board, lambda: now)
    await followed.open_followed()
    for _ in range(30):
        now += MINUTE_MS // 2
        await followed._read()
    store.record([replace(sharp, scraped_at=now)]).result(10)
    await followed._read()
    told = [line.partition(" ")[2] for line in capsys.readouterr().err.splitlines()]
    assert told == [
        f"no odds since {format_ms(sharp.scraped_at)}: longer than usual",
        "odds are coming in again",
    ]
    await followed.close_followed()
    store.close()


def test_silence_is_no_news_while_a_service_is_lost(
    sharp: Quote, capsys: pytest.CaptureFixture[str]
) -> None:
    board = Board(system_clock)
    _report_silence(board)
    board.set_connection(Connection(link=Link.WAITING, silent_since_ms=sharp.scraped_at))
    assert not capsys.readouterr().err


async def test_a_clock_that_is_put_back_hides_nothing_that_is_seen_from_then_on(
    tmp_path: Path, sharp: Quote
) -> None:
    path, now = tmp_path / "odds.db", sharp.scraped_at
    store = open_store(path, clock=lambda: now)
    soft = replace(quote("Soft", {"A": 2.07}), scraped_at=now)
    store.record([sharp, soft]).result(10)
    board = Board(lambda: now)
    followed = FollowedDatabase(path, board, lambda: now)
    await followed.open_followed()
    assert value_at(board) == {"Soft"}
    now -= 60 * MINUTE_MS
    store.record([replace(sharp, scraped_at=now)]).result(10)
    await followed._read()
    assert value_at(board) == set()
    store.record([replace(soft, scraped_at=now, odds={"A": 2.06})]).result(10)
    await followed._read()
    assert [bet.scraped_at for bet in board.value_bets.values()] == [now]
    await followed.close_followed()
    store.close()


def followed(limit: int) -> tuple[FollowedService, Board, QuotaService, list[str]]:
    service = QuotaService(system_clock, [matrix()], limit=limit, window_s=86_400)
    board, told = Board(system_clock), list[str]()
    client = QuotaClient(service, system_clock)
    return FollowedService(client, board, system_clock, told.append), board, service, told


async def test_the_reference_is_asked_of_a_game_where_no_row_tells_it() -> None:
    service, board, _, told = followed(500)
    await service.open_followed()
    asking = asyncio.get_running_loop().create_task(service.find_reference())
    await until(lambda: board.reference_name == REFERENCE)
    assert told == ["prices arrive"]
    asking.cancel()
    await service.close_followed()


async def test_a_quota_that_is_used_up_is_told_with_when_it_returns() -> None:
    service, _, _, told = followed(0)
    await service.open_followed()
    await until(lambda: bool(told))
    assert re.fullmatch(r"no prices: No requests left until 2\S+Z\. Retrying\.", told[0])
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await service.wait_for_refusal()
    await service.close_followed()


async def test_clocks_that_are_apart_are_told_once_and_that_they_agree_again() -> None:
    service, board, _, told = followed(500)
    await service.open_followed()
    await until(lambda: told == ["prices arrive"])
    for ahead_ms in (-300_000, -301_000, 0, 0):
        board.set_connection(replace(board.connection, clock_ahead_ms=ahead_ms))
    apart = "the clocks of this computer and the service are 5 min apart"
    assert told[1:] == [f"{apart}: no alerts on prices", "the clocks agree again"]
    await service.close_followed()


async def test_what_could_not_be_read_is_told_once_and_that_it_is_read_again() -> None:
    service, board, _, told = followed(500)
    await service.open_followed()
    await until(lambda: told == ["prices arrive"])
    for cut in (("MLB, Total",), ("MLB, Total",), (), ()):
        for done in (8, 9):
            board.set_snapshot_progress(SnapshotProgress(done, 9, 900, cut))
    assert told[1:] == ["not all prices could be read: MLB, Total", "all prices are read again"]
    await service.close_followed()


async def test_games_are_kept_current_as_long_as_they_are_wanted() -> None:
    service, _, counted, _ = followed(500)
    await service.open_followed()
    service.follow_games(frozenset({GAME}))
    await until(lambda: any(path.endswith(GAME) for _, path in counted.answered))
    service.follow_games(frozenset())
    assert GAME not in service._sync._subscribed
    await service.close_followed()
