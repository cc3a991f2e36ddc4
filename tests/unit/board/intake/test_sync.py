"""Keeping a board current from the real service over a real socket."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from oddsdesk.base.clock import system_clock
from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.board.board import Board
from oddsdesk.board.intake import sync
from oddsdesk.board.intake.sync import MessageQueue, Sync
from oddsdesk.board.model.matrix import CellKey
from oddsdesk.board.model.notices import GamesChanged, Link
from oddsdesk.client.answers import GameAnswer, Listing
from oddsdesk.client.client import Client
from oddsdesk.client.errors import OfflineError
from oddsdesk.client.stream import Lost, StateListener
from oddsdesk.contract.access import Plan
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import Health, PriceMessage, StreamToken, ValueBet
from tests.kit.board import GAME, NOW, REFERENCE, message
from tests.kit.board_service import CALM, key_of, quote, record, service
from tests.kit.syncing import odds, syncing
from tests.kit.waiting import until, until_told


async def test_games_matrix_and_changes_arrive(tmp_path: Path) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE)) as (board, sync),
    ):
        sync.subscribe_game(GAME)
        await until_told(board, lambda: odds(board) == 3.5)
        await until_told(board, lambda: board.connection.link is Link.LIVE)
        assert GAME in board.games
        assert board.reference_name == REFERENCE
        await record(server, quote("Betfair", {"Arsenal": 2.06, "Draw": 3.9, "Chelsea": 4.1}))
        await until_told(board, lambda: odds(board) == 3.9)
        await until_told(board, lambda: board.connection.has_live is True)
        await until(lambda: board.connection.messages_per_minute > 0)
        known = board.connection
        assert (known.has_stream, known.has_value_bets, known.simulated) == (True, True, False)
        assert known.requests_left is not None


class NotingClient(Client):
    """A client that notes what was asked, and when the prices of a game had come."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.noted: list[str] = []

    async def game(self, game_id: str, **filters: Any) -> GameAnswer:
        answer = await super().game(game_id, **filters)
        self.noted.append("prices read")
        return answer

    async def value_bets(self, **filters: Any) -> Listing[ValueBet]:
        self.noted.append("value bets asked")
        return await super().value_bets(**filters)


async def test_the_prices_of_a_game_opened_first_come_before_the_rest(tmp_path: Path) -> None:
    async with (
        service(tmp_path) as server,
        NotingClient(server.url, key_of(server, Plan.PRO_LIVE)) as client,
    ):
        board = Board(system_clock)
        sync = Sync(client, board, system_clock, pace=CALM, randomness=lambda: 0.0)
        board.subscribe(
            lambda notice: sync.subscribe_game(GAME) if isinstance(notice, GamesChanged) else None
        )
        sync.start_reading()
        await until_told(board, lambda: board.connection.link is Link.LIVE)
        await sync.stop_reading()
        assert client.noted[:2] == ["prices read", "value bets asked"]


async def test_a_game_that_comes_while_a_service_fills_up_is_listed_soon(tmp_path: Path) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE)) as (board, _),
    ):
        await until_told(board, lambda: board.connection.link is Link.LIVE)
        await record(server, quote("Betfair", {"Roma": 2.0, "Lazio": 3.5}, "Roma - Lazio"))
        await until_told(board, lambda: board.lists("EPL", "Roma - Lazio"))


async def test_it_is_quiet_while_neither_health_nor_stream_tells_of_anything_new(
    tmp_path: Path,
) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE)) as (board, sync),
    ):
        await until_told(board, lambda: board.connection.link is Link.LIVE)
        await until_told(board, lambda: board.connection.newest_ms is not None)
        before = sync._quiet_now()
        assert before is not None
        await record(server, quote("Betfair", {"Arsenal": 2.06, "Draw": 3.9, "Chelsea": 4.1}))
        await until(lambda: board.connection.messages_per_minute > 0)
        streamed = sync._quiet_now()
        assert streamed is not None
        assert streamed.since_ms > before.since_ms
        sync._note_newest((board.connection.newest_ms or 0) + 1)
        seen_again = sync._quiet_now()
        assert seen_again is not None
        assert seen_again.since_ms >= streamed.since_ms
    assert sync._quiet_now() is None


async def test_a_service_that_goes_away_is_waited_for_and_read_again(tmp_path: Path) -> None:
    async with service(tmp_path) as server:
        url, key = server.url, key_of(server, Plan.PRO_LIVE)
        running = syncing(url, key)
        board, sync = await running.__aenter__()
        sync.subscribe_game(GAME)
        await until_told(board, lambda: board.connection.link is Link.LIVE and odds(board) == 3.5)
    await until_told(board, lambda: board.connection.link is Link.WAITING)
    assert board.connection.reason
    assert board.connection.next_try_ms is not None
    assert odds(board) == 3.5
    async with service(tmp_path, port=int(url.rsplit(":", 1)[1])) as server:
        # what moved while nobody listened is no stream message any more
        await record(server, quote("Betfair", {"Arsenal": 2.06, "Draw": 3.2, "Chelsea": 4.1}))
        await until_told(board, lambda: odds(board) == 3.2 and board.connection.link is Link.LIVE)
        await running.__aexit__(None, None, None)
    assert board.connection.link is Link.STOPPED


@pytest.mark.parametrize("keeps_all", [False, True])
async def test_what_was_read_before_a_loss_does_not_count_until_it_is_read_again(
    tmp_path: Path, keeps_all: bool
) -> None:
    async with service(tmp_path) as server:
        url, key = server.url, key_of(server, Plan.PRO_RT)
        running = syncing(url, key)
        board, sync = await running.__aenter__()
        sync.want_rows(keeps_all)
        if not keeps_all:
            board.want_values = lambda _: None  # type: ignore[method-assign]
            sync.subscribe_game(GAME)
        await until_told(board, lambda: not board.connection.is_lost and odds(board) == 3.5)
    counted: list[float | None] = []
    board.subscribe(lambda _: None if board.connection.is_lost else counted.append(odds(board)))
    await until_told(board, lambda: board.connection.link is Link.WAITING)
    moved = quote("Betfair", {"Arsenal": 2.06, "Draw": 3.2, "Chelsea": 4.1})
    async with service(tmp_path, int(url.rsplit(":", 1)[1]), moved):
        await until_told(board, lambda: not board.connection.is_lost)
        await running.__aexit__(None, None, None)
    assert set(counted) == {3.2}


class ListeningClient(Client):
    """A client that counts the streams it was asked to open."""

    tokens = 0

    async def stream_token(self) -> StreamToken:
        self.tokens += 1
        return await super().stream_token()


async def test_after_a_sleep_all_is_read_and_the_stream_opened_anew(tmp_path: Path) -> None:
    slept_ms = 0
    clock = lambda: system_clock() + slept_ms  # noqa: E731
    board = Board(clock)
    async with (
        service(tmp_path) as server,
        ListeningClient(server.url, key_of(server, Plan.PRO_LIVE)) as client,
    ):
        sync = Sync(client, board, clock, pace=CALM, randomness=lambda: 0.0)
        sync.subscribe_game(GAME)
        sync.start_reading()
        await until_told(board, lambda: board.connection.link is Link.LIVE and odds(board) == 3.5)
        assert client.tokens == 1
        slept_ms = 3_600_000
        await until_told(board, lambda: client.tokens == 2 and board.connection.link is Link.LIVE)
        await sync.stop_reading()


async def test_a_clock_that_is_put_back_hides_nothing_that_is_seen_from_then_on(
    tmp_path: Path,
) -> None:
    """Of this machine, with its server: what was seen an hour ahead would be newer for an hour."""
    put_back_ms = 0
    clock = lambda: system_clock() - put_back_ms  # noqa: E731
    board = Board(clock)
    async with (
        service(tmp_path, clock=clock) as server,
        Client(server.url, key_of(server, Plan.PRO_LIVE)) as client,
    ):
        sync = Sync(client, board, clock, pace=CALM, randomness=lambda: 0.0)
        sync.subscribe_game(GAME)
        sync.start_reading()
        await until_told(board, lambda: board.connection.link is Link.LIVE and odds(board) == 3.5)
        put_back_ms = 3_600_000
        moved = quote("Betfair", {"Arsenal": 2.06, "Draw": 3.2, "Chelsea": 4.1})
        await record(server, replace(moved, scraped_at=clock()))
        await until_told(board, lambda: odds(board) == 3.2)
        await sync.stop_reading()


class WaitingClient(Client):
    """A client whose first stream, lost when it is told so, waits long; one health goes wrong."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.loses = asyncio.Event()
        self.streams = 0

    async def stream_together(
        self, gather_s: float, on_state: StateListener
    ) -> AsyncGenerator[list[PriceMessage], None]:
        self.streams += 1
        if self.streams == 1:
            await self.loses.wait()
            on_state(Lost("nothing answers", system_clock() + 26_000))
            await asyncio.Event().wait()
        async for messages in super().stream_together(gather_s, on_state):
            yield messages

    async def health(self) -> Health:
        if self.loses.is_set() and self.streams == 1:
            self.loses.clear()
            raise OfflineError("nothing answers")
        return await super().health()


async def test_a_request_that_is_answered_again_ends_the_waiting_of_the_stream(
    tmp_path: Path,
) -> None:
    async with (
        service(tmp_path) as server,
        WaitingClient(server.url, key_of(server, Plan.PRO_LIVE)) as client,
    ):
        board = Board(system_clock)
        sync = Sync(client, board, system_clock, pace=CALM, randomness=lambda: 0.0)
        sync.start_reading()
        await until_told(board, lambda: board.connection.simulated is not None)
        client.loses.set()
        await until_told(board, lambda: board.connection.link is Link.WAITING)
        await until_told(board, lambda: board.connection.link is Link.LIVE)
        assert (client.streams, board.connection.reason) == (2, None)
        await sync.stop_reading()


async def test_a_game_may_be_left_and_looked_at_again_at_once(tmp_path: Path) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE)) as (board, sync),
    ):
        sync.subscribe_game(GAME)
        sync.unsubscribe_game(GAME)
        sync.subscribe_game(GAME)
        await until_told(board, lambda: odds(board) == 3.5)


async def test_stopping_ends_every_task(tmp_path: Path) -> None:
    async with service(tmp_path) as server:
        before = asyncio.all_tasks()
        async with syncing(server.url, key_of(server, Plan.PRO_LIVE)) as (board, sync):
            sync.subscribe_game(GAME)
            sync.want_rows(True)
            await until_told(board, lambda: board.connection.link is Link.LIVE)
        left = {task.get_name() for task in asyncio.all_tasks() - before}
        assert not [name for name in left if name.startswith(("sync", "stream"))]


SEEN, UNSEEN = "A - B", "C - D"
DRAW = CellKey("moneyline", 0, "Draw", "Betfair")
TURNS = 100


class Queue:
    """A queue at work, and a loop whose time stands still until it is told."""

    def __init__(self) -> None:
        self.now = 100.0
        self.board = Board(lambda: NOW)
        self.board.keep_all_rows(True)
        self.board.in_grid = {game_id("EPL", SEEN)}
        self.queue = MessageQueue(self.board)

    async def later(self, seconds: float = 0.0) -> None:
        """Let everything be done that is due after so long."""
        self.now += seconds
        for _ in range(TURNS):
            await asyncio.sleep(0)

    async def put_many(self) -> None:
        """Have many messages taken in of a game that nobody sees."""
        self.queue.put_messages(
            [message("Draw", 2 + n / 1_000, match_name=UNSEEN) for n in range(300)]
        )
        await self.later()

    def move(self, odds: float) -> None:
        self.queue.put_messages([message("Draw", odds, match_name=name) for name in (UNSEEN, SEEN)])

    def odds(self) -> list[float | None]:
        prices = [self.board.price(game_id("EPL", name), DRAW) for name in (UNSEEN, SEEN)]
        return [price and price.odds for price in prices]


@pytest.fixture
async def held(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Queue]:
    made = Queue()
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: made.now)
    running = spawn("messages", made.queue.take_in_messages())
    yield made
    await cancel_tasks(running)


async def test_after_many_messages_those_of_games_out_of_sight_wait_for_more(held: Queue) -> None:
    await held.put_many()
    held.move(3.5)
    await held.later(0.2)
    assert held.odds() == [2.299, 3.5]
    held.move(3.6)
    await held.later(0.04)
    assert held.odds() == [2.299, 3.6]
    await held.later(0.02)
    assert held.odds() == [3.6, 3.6]


async def test_of_few_messages_none_waits(held: Queue) -> None:
    held.move(3.5)
    await held.later()
    assert held.odds() == [3.5, 3.5]
    held.move(3.6)
    await held.later(0.003)
    assert held.odds() == [3.6, 3.6]


async def test_where_there_is_no_room_for_more_none_waits(
    held: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    await held.put_many()
    monkeypatch.setattr(sync, "_FULL", 4)
    held.move(3.5)
    await held.later()
    assert held.odds() == [2.299, 3.5]
    held.move(3.6)
    held.move(3.7)
    held.move(3.8)
    await held.later()
    assert held.odds() == [3.8, 3.8]
    await asyncio.wait_for(held.queue.room(), 1)
