"""What counts of an age while prices come in, and while they do not."""

import asyncio
import math
from pathlib import Path

import msgspec
import pytest

from oddsdesk.base.clock import system_clock
from oddsdesk.base.tasks import returned
from oddsdesk.board.board import Board
from oddsdesk.board.intake import sync as sync_module
from oddsdesk.board.intake.sync import Sync
from oddsdesk.board.model.notices import Link
from oddsdesk.client.client import Client
from oddsdesk.contract.access import Plan
from oddsdesk.contract.times import WINDOW_MS
from tests.kit.board import GAME, MONEYLINE
from tests.kit.board_service import CALM, key_of, quote, record, service
from tests.kit.syncing import odds, syncing
from tests.kit.waiting import until, until_told


@pytest.mark.parametrize("wrong_by_ms", [-300_000, 300_000])
async def test_beside_a_wrong_clock_no_price_is_known_to_stand(
    tmp_path: Path, wrong_by_ms: int
) -> None:
    """Of prices of the future age is not known: they counted as read just now."""

    def wrong() -> int:
        return system_clock() + wrong_by_ms

    board = Board(wrong)
    async with (
        service(tmp_path) as server,
        Client(server.url, key_of(server, Plan.PRO_LIVE), clock=wrong) as client,
    ):
        sync = Sync(client, board, wrong, pace=CALM)
        sync.subscribe_game(GAME)
        sync.start_reading()
        await until_told(board, lambda: odds(board) == 3.5)
        await until_told(board, lambda: board.connection.is_lost and board.connection.is_heard)
        assert abs(board.connection.clock_ahead_ms - wrong_by_ms) < 5_000
        said = board.connection.why_lost
        assert said.startswith("the clocks of this computer and the service are ")
        assert said.endswith(" 5 min apart")
        await sync.stop_reading()


@pytest.mark.parametrize(
    ("plan", "patience_ms"), [(Plan.PRO_LIVE, range(90_000, 100_000)), (Plan.PRO, range(1))]
)
async def test_the_desk_s_own_turns_make_nothing_old_while_the_stream_is_up(
    tmp_path: Path, plan: Plan, patience_ms: range
) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, plan)) as (board, sync),
    ):
        board.scrape_interval.be_patient(-1)
        for want_rows in (False, True):
            sync.want_rows(want_rows)
            sync.subscribe_game(GAME)
            async with asyncio.timeout(15):
                while board.scrape_interval.patience_ms not in patience_ms:
                    await asyncio.sleep(0.02)


async def test_what_nothing_reads_any_more_is_as_old_as_it_is(tmp_path: Path) -> None:
    """Its requests used up, a stream goes on, which tells of no price that is withdrawn."""
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE)) as (board, sync),
    ):
        sync.want_rows(True)
        patience = board.scrape_interval
        await until_told(board, lambda: board.connection.link is Link.LIVE)
        await until(lambda: patience.patience_ms > 0)
        sync.budget.block(system_clock() + 3_600_000)
        await until(lambda: patience.patience_ms == 0)
        assert board.connection.link is Link.LIVE


async def test_where_no_price_comes_in_all_of_an_age_counts(tmp_path: Path) -> None:
    """Nobody looked whether a price moved: prices were staked past the limit of their age."""
    pace = msgspec.structs.replace(CALM, rows_s=60.0)
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE), pace) as (board, _),
    ):
        await until(lambda: board.scrape_interval.patience_ms > 0)
        silent = msgspec.structs.replace(board.connection, silent_since_ms=1)
        board.set_connection(silent)
        await until(lambda: board.scrape_interval.patience_ms == 0)


async def test_all_of_an_age_counts_where_nothing_is_left_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reads rest while nothing is new: stakes stood longer, as if a read were due."""
    monkeypatch.setattr(sync_module, "_QUIET_AFTER_MS", 100)
    pace = msgspec.structs.replace(CALM, rows_s=0.3, health_s=0.1)
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE), pace) as (board, _),
    ):
        await until_told(board, lambda: board.connection.link is Link.LIVE)
        board.scrape_interval.be_patient(60_000)
        await until(lambda: board.scrape_interval.patience_ms == 0)
        assert board.connection.silent_since_ms is None


async def test_the_oldest_price_is_looked_for_again_after_each_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reads rest no longer than until the first price is too old to be listed."""
    monkeypatch.setattr(sync_module, "_QUIET_AFTER_MS", 100)
    pace = msgspec.structs.replace(CALM, rows_s=0.3, health_s=0.1)
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE), pace) as (board, sync),
    ):

        def first_unlisted_ms() -> float:
            quiet = sync._quiet_now()
            return math.inf if quiet is None else quiet.first_unlisted_ms

        sync.subscribe_game(GAME)
        sync.want_rows(True)
        await until(lambda: first_unlisted_ms() < math.inf)
        before = first_unlisted_ms()
        assert before == returned(board.finding_oldest()) + WINDOW_MS
        await record(server, *map(quote, MONEYLINE))
        await until(lambda: math.inf > first_unlisted_ms() != before)
        assert first_unlisted_ms() == returned(board.finding_oldest()) + WINDOW_MS


async def test_the_first_price_after_a_silence_is_heard_of_at_once(tmp_path: Path) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE), CALM) as (board, _),
    ):
        await until(lambda: board.connection.link is Link.LIVE)
        await until(lambda: board.connection.newest_ms is not None)
        board.set_connection(msgspec.structs.replace(board.connection, silent_since_ms=1))
        await record(server, quote("Betfair", {"Arsenal": 2.06, "Draw": 3.9, "Chelsea": 4.1}))
        await until_told(board, lambda: board.connection.silent_since_ms is None)
