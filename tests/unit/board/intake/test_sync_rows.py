"""Rows of all games read for the odds grid and for value."""

from pathlib import Path

import msgspec
import pytest

from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
from oddsdesk.board.intake.sync import Sync
from oddsdesk.board.model.matrix import CellKey
from oddsdesk.client.client import Client
from oddsdesk.contract.access import Plan
from oddsdesk.server.run.runner import serving
from oddsdesk.server.settings import Settings
from tests.kit.board import GAME, REFERENCE, row_key
from tests.kit.board_service import key_of, quote, record, service
from tests.kit.syncing import QUICK, odds, syncing
from tests.kit.waiting import until_told


async def test_rows_of_all_games_are_gathered_and_kept_current(tmp_path: Path) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO), QUICK) as (board, sync),
    ):
        await record(
            server, quote("Betfair", {"Roma": 2.0, "Draw": 3.0, "Lazio": 3.5}, "Roma - Lazio")
        )
        sync.want_rows(True)
        await until_told(board, lambda: board.snapshot_progress.finished_at is not None)
        assert len(list(board.row_keys())) == 12
        assert (board.snapshot_progress.rows, board.snapshot_progress.cut) == (4, ())
        await record(server, quote("Betfair", {}, "Roma - Lazio"))
        keys = [key for key in board.row_keys() if key.game_id != GAME]
        cells = [CellKey(*key[1:]) for key in keys]
        gone = keys[0].game_id
        await until_told(
            board, lambda: not any(board.price(gone, cell).is_offered for cell in cells)
        )
        sync.want_rows(False)
        assert list(board.row_keys())
        sync.want_values(False)
        assert list(board.row_keys()) == []


async def test_rows_of_all_games_are_read_for_value_once_value_bets_could_be_read(
    tmp_path: Path,
) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO), QUICK) as (board, _),
    ):
        priced = msgspec.structs.replace(quote(REFERENCE), liquidity=500.0)  # tells who it is
        await record(
            server, priced, quote("Unibet", {"Arsenal": 2.12, "Draw": 3.7, "Chelsea": 3.8})
        )
        best = row_key("Arsenal", "Unibet")
        await until_told(board, lambda: board.is_value_bet(best))
        assert not board.rows_wanted


async def test_without_the_right_to_value_bets_rows_are_read_for_the_grid_alone(
    tmp_path: Path,
) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.FREE, "Betfair")) as (board, _),
    ):
        await until_told(board, lambda: board.connection.has_value_bets is False)
        assert not board.values_wanted
        assert list(board.row_keys()) == []


@pytest.mark.parametrize(("plan", "prices"), [(Plan.PRO, 9), (Plan.FREE, 0)])
async def test_that_prices_are_unread_is_known_until_all_that_are_kept_are_read(
    tmp_path: Path, plan: Plan, prices: int
) -> None:
    """Who looks among them would say that there are none."""
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, plan, "Betfair")) as (board, _),
    ):
        assert board.connection.has_unread_prices
        await until_told(board, lambda: not board.connection.has_unread_prices)
        assert len(list(board.row_keys())) == prices
        assert board.connection.has_value_bets is (plan is Plan.PRO)


@pytest.mark.parametrize("wanted", [True, False])
async def test_wishes_before_the_start_are_kept(tmp_path: Path, wanted: bool) -> None:
    async with service(tmp_path) as server:
        board = Board(system_clock)
        async with Client(server.url, key_of(server, Plan.PRO)) as client:
            sync = Sync(client, board, system_clock)
            sync.subscribe_game(GAME)
            sync.want_rows(wanted)
            sync.start_reading()
            await until_told(board, lambda: odds(board) == 3.5)
            await until_told(
                board, lambda: board.snapshot_progress.finished_at is not None or not wanted
            )
            await sync.stop_reading()


async def test_reading_all_rows_stops_and_goes_on(tmp_path: Path) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO), QUICK) as (board, sync),
    ):
        sync.pause_rows(True)
        sync.want_rows(True)
        games_read = len(board.games)
        assert board.snapshot_progress.is_paused
        await until_told(board, lambda: len(board.games) > games_read)
        assert board.snapshot_progress.slices_done == 0
        sync.pause_rows(False)
        await until_told(board, lambda: board.snapshot_progress.finished_at is not None)
        assert not board.snapshot_progress.is_paused
        assert list(board.row_keys())


async def test_a_service_without_prices_is_read_to_the_end(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "odds.db", port=0, reference=REFERENCE)
    async with (
        serving(settings) as server,
        syncing(server.url, key_of(server, Plan.PRO)) as (board, sync),
    ):
        sync.want_rows(True)
        await until_told(board, lambda: board.snapshot_progress.finished_at is not None)
        assert (board.snapshot_progress.rows, board.games) == (0, {})
