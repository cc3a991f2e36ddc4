"""A board that follows a database: what its prices are, and what goes with the simulated ones."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, Link
from oddsdesk.cli.followed_database import FollowedDatabase
from oddsdesk.cli.watch import _tell_of_silence
from oddsdesk.clock import system_clock
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.store.store import open_store
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
    await followed.open()
    assert board.connection.simulated
    assert value_at(board) == {"Kestrel"}
    store.record([replace(sharp, scraped_at=sharp.scraped_at + 1)]).result(10)
    store.record([quote("Soft", {"A": 2.07})], shifted=True).result(10)
    await followed._read()
    assert board.connection.simulated is False
    assert board.connection.shifted
    assert value_at(board) == {"Soft"}
    await followed.close()
    store.close()


async def test_old_prices_that_others_record_are_known_at_the_next_look(
    tmp_path: Path, sharp: Quote
) -> None:
    path = tmp_path / "odds.db"
    store = open_store(path)
    store.record([sharp]).result(10)
    board = Board(system_clock)
    followed = FollowedDatabase(path, board, system_clock)
    await followed.open()
    assert not board.connection.shifted
    store.record([quote("Soft", {"A": 2.07})], shifted=True).result(10)
    await followed._read()
    assert board.connection.shifted
    await followed.close()
    store.close()


async def test_a_database_that_gets_no_price_any_more_is_told_once_and_once_that_it_does(
    tmp_path: Path, sharp: Quote, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odds.db"
    store = open_store(path)
    store.record([sharp]).result(10)
    now = sharp.scraped_at
    board = Board(lambda: now)
    _tell_of_silence(board)
    followed = FollowedDatabase(path, board, lambda: now)
    await followed.open()
    for _ in range(30):
        now += MINUTE_MS // 2
        await followed._read()
    store.record([replace(sharp, scraped_at=now)]).result(10)
    await followed._read()
    told = [line.partition(" ")[2] for line in capsys.readouterr().err.splitlines()]
    assert told == [
        f"no price of any game came in since {format_ms(sharp.scraped_at)}: longer than usual",
        "prices come in again",
    ]
    await followed.close()
    store.close()


def test_silence_is_no_news_while_a_service_is_lost(
    sharp: Quote, capsys: pytest.CaptureFixture[str]
) -> None:
    board = Board(system_clock)
    _tell_of_silence(board)
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
    await followed.open()
    assert value_at(board) == {"Soft"}
    now -= 60 * MINUTE_MS
    store.record([replace(sharp, scraped_at=now)]).result(10)
    await followed._read()
    assert value_at(board) == set()
    store.record([replace(soft, scraped_at=now, odds={"A": 2.06})]).result(10)
    await followed._read()
    assert [bet.scraped_at for bet in board.value_bets.values()] == [now]
    await followed.close()
    store.close()
