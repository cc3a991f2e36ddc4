"""A board that follows a database: what its prices are, and what goes with the simulated ones."""

from pathlib import Path

from msgspec.structs import replace

from oddsdesk.board.board import Board
from oddsdesk.cli.followed_database import FollowedDatabase
from oddsdesk.clock import system_clock
from oddsdesk.store.store import open_store
from tests.kit.watching import quote

SHARP = quote("Pinnacle", {"A": 1.95, "B": 1.95})


def value_at(board: Board) -> set[str | None]:
    return {key.bookmaker for key in board.value_bets}


async def test_the_board_knows_what_is_simulated_and_lets_go_of_it_with_the_first_real_price(
    tmp_path: Path,
) -> None:
    path = tmp_path / "odds.db"
    store = open_store(path)
    store.record([SHARP, quote("Kestrel", {"A": 2.07})], simulated=True).result(10)
    board = Board(system_clock)
    followed = FollowedDatabase(path, board, system_clock)
    await followed.open()
    assert board.connection.simulated
    assert value_at(board) == {"Kestrel"}
    store.record([replace(SHARP, scraped_at=SHARP.scraped_at + 1)]).result(10)
    store.record([quote("Soft", {"A": 2.07})], shifted=True).result(10)
    await followed._read()
    assert board.connection.simulated is False
    assert board.connection.shifted
    assert value_at(board) == {"Soft"}
    await followed.close()
    store.close()


async def test_old_prices_that_others_record_are_known_at_the_next_look(tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    store = open_store(path)
    store.record([SHARP]).result(10)
    board = Board(system_clock)
    followed = FollowedDatabase(path, board, system_clock)
    await followed.open()
    assert not board.connection.shifted
    store.record([quote("Soft", {"A": 2.07})], shifted=True).result(10)
    await followed._read()
    assert board.connection.shifted
    await followed.close()
    store.close()
