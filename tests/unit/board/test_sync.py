"""Keeping a board current from the real service over a real socket."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

import oddsdesk.board.sync as sync_module
from oddsdesk.board.board import Board
from oddsdesk.board.connection import Link
from oddsdesk.board.matrix import CellKey
from oddsdesk.board.notices import GamesChanged
from oddsdesk.board.reading_plan import Pace
from oddsdesk.board.sync import Sync
from oddsdesk.client.answers import GameAnswer, Listing
from oddsdesk.client.client import Client
from oddsdesk.client.errors import OfflineError
from oddsdesk.client.quota import Quota
from oddsdesk.client.stream import Lost, StateListener
from oddsdesk.clock import Clock, system_clock
from oddsdesk.contract.plans import Plan
from oddsdesk.contract.resources import Health, PriceMessage, StreamToken, ValueBet
from oddsdesk.network.http import HttpClient, Reply
from oddsdesk.server.runner import Server, serving
from oddsdesk.server.settings import Settings
from oddsdesk.server.troubles import Trouble
from oddsdesk.store.store import open_store
from tests.kit.board import GAME, MONEYLINE, REFERENCE, row_key
from tests.kit.board_service import CALM, key_of, quote, record, service
from tests.kit.promises import in_time
from tests.kit.waiting import until, until_told

DRAW = CellKey("moneyline", 0, "Draw", "Betfair")
QUICK = Pace(games_s=0.1, matrix_s=0.1, value_bets_s=0.1, rows_s=0.2, health_s=0.1)


@asynccontextmanager
async def syncing(
    url: str, key: str, pace: Pace = CALM, clock: Clock = system_clock
) -> AsyncIterator[tuple[Board, Sync]]:
    """A board kept current, as the desk has it."""
    board = Board(clock)
    async with Client(url, key, keeps_quota=True) as client:
        sync = Sync(client, board, clock, pace=pace, randomness=lambda: 0.0)
        sync.start()
        try:
            yield board, sync
        finally:
            await sync.stop()


def read_at(board: Board) -> int:
    matrix = board.matrix(GAME)
    return 0 if matrix is None else matrix.read_at or 0


def is_withdrawn(board: Board) -> bool:
    price = board.price(GAME, DRAW)
    return price is None or not price.is_offered


def odds(board: Board, key: CellKey = DRAW) -> float | None:
    price = board.price(GAME, key)
    return None if price is None else price.odds


async def test_games_matrix_and_changes_arrive(tmp_path: Path) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE)) as (board, sync),
    ):
        sync.subscribe_game(GAME)
        await until_told(board, lambda: odds(board) == 3.5)
        await until_told(board, lambda: board.connection.link is Link.LIVE)
        assert GAME in board.games
        assert board.reference == REFERENCE
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
        sync.start()
        await until_told(board, lambda: board.connection.link is Link.LIVE)
        await sync.stop()
        assert client.noted[:2] == ["prices read", "value bets asked"]


async def test_a_game_that_comes_while_a_service_fills_up_is_listed_soon(tmp_path: Path) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE)) as (board, _),
    ):
        await until_told(board, lambda: board.connection.link is Link.LIVE)
        await record(server, quote("Betfair", {"Roma": 2.0, "Lazio": 3.5}, "Roma - Lazio"))
        await until_told(board, lambda: board.lists("EPL", "Roma - Lazio"))


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
    async with service(tmp_path, port=int(url.rsplit(":", 1)[1])) as server:
        await record(server, quote("Betfair", {"Arsenal": 2.06, "Draw": 3.2, "Chelsea": 4.1}))
        await until_told(board, lambda: not board.connection.is_lost)
        await running.__aexit__(None, None, None)
    assert set(counted) == {3.2}


async def test_who_does_not_want_to_wait_is_let_in_as_soon_as_the_key_may(tmp_path: Path) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.FREE)) as (board, sync),
    ):
        await until_told(board, lambda: board.connection.link is Link.REFUSED)
        assert "choose it" in board.connection.advice
        key_of(server, Plan.FREE, "Betfair")
        sync.refresh()
        await until_told(board, lambda: board.connection.link is Link.LIVE)


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
        sync.start()
        await until_told(board, lambda: board.connection.link is Link.LIVE and odds(board) == 3.5)
        assert client.tokens == 1
        slept_ms = 3_600_000
        await until_told(board, lambda: client.tokens == 2 and board.connection.link is Link.LIVE)
        await sync.stop()


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
        sync.start()
        await until_told(board, lambda: board.connection.simulated is not None)
        client.loses.set()
        await until_told(board, lambda: board.connection.link is Link.WAITING)
        await until_told(board, lambda: board.connection.link is Link.LIVE)
        assert (client.streams, board.connection.reason) == (2, None)
        await sync.stop()


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
    goes_on, send = asyncio.Event(), HttpClient.send

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
        monkeypatch.setattr(HttpClient, "send", hang)
        await until_told(board, lambda: board.connection.link is Link.WAITING)
        assert board.connection.is_lost
        assert board.connection.reason == f"nothing was heard from {server.url[7:]}"
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
        sync.start()
        await until_told(board, lambda: odds(board) == 3.5)
        await until_told(board, lambda: board.connection.is_lost and board.connection.is_heard)
        assert abs(board.connection.clock_ahead_ms - wrong_by_ms) < 5_000
        said = board.connection.why_lost
        assert said.startswith("the clocks of this computer and of the service are ")
        assert said.endswith(" 5 min apart")
        await sync.stop()


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
        reference = DRAW._replace(bookmaker=None)

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
            server, priced, quote("Unibet", {"Arsenal": 2.12, "Draw": 3.7, "Chelsea": 4.1})
        )
        best = row_key("Arsenal", "Unibet")
        await until_told(board, lambda: board.is_value(best))
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


@pytest.mark.parametrize("wanted", [True, False])
async def test_wishes_before_the_start_are_kept(tmp_path: Path, wanted: bool) -> None:
    async with service(tmp_path) as server:
        board = Board(system_clock)
        async with Client(server.url, key_of(server, Plan.PRO)) as client:
            sync = Sync(client, board, system_clock)
            sync.subscribe_game(GAME)
            sync.want_rows(wanted)
            sync.start()
            await until_told(board, lambda: odds(board) == 3.5)
            await until_told(
                board, lambda: board.snapshot_progress.finished_at is not None or not wanted
            )
            await sync.stop()


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


async def seen_again(server: Server, board: Board) -> bool:
    """Scrape the same prices again; tell whether the board comes to know within a second."""
    before = board.price(GAME, DRAW)
    assert before is not None
    await record(server, quote("Betfair"))

    def is_newer() -> bool:
        now = board.price(GAME, DRAW)
        return now is not None and now.scraped_at > before.scraped_at

    try:
        async with asyncio.timeout(1):
            await until_told(board, is_newer)
    except TimeoutError:
        return False
    return True


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


async def test_that_odds_are_simulated_is_known_with_the_first_of_them(tmp_path: Path) -> None:
    """Asked before the first price, a service cannot say it; a minute later is too late."""
    pace = msgspec.structs.replace(CALM, games_s=0.1)
    settings = Settings(tmp_path / "odds.db", port=0, reference=REFERENCE)
    async with (
        serving(settings) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE), pace) as (board, _),
    ):
        await until_told(board, lambda: board.connection.simulated is False)
        made_up = [quote(name) for name in MONEYLINE]
        await asyncio.wrap_future(server.store.record(made_up, simulated=True))
        await until_told(board, lambda: board.connection.simulated is True)


async def test_that_odds_are_simulated_does_not_wait_for_the_prices_of_the_game_in_front(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a slow start they stood there without a word, for as long as the rest was read."""
    monkeypatch.setattr(sync_module, "_FIRST_PRICES_S", 600.0)
    async with (
        service(tmp_path) as server,
        Client(server.url, key_of(server, Plan.PRO_LIVE)) as client,
    ):
        never = asyncio.Event()
        monkeypatch.setattr(client, "game", lambda _game: never.wait())
        board = Board(system_clock)
        sync = Sync(client, board, system_clock, pace=CALM, randomness=lambda: 0.0)
        sync.subscribe_game(GAME)
        sync.start()
        await until_told(board, lambda: board.connection.simulated is False)
        await sync.stop()


async def test_that_old_odds_were_moved_to_now_is_known(tmp_path: Path) -> None:
    pace = msgspec.structs.replace(CALM, health_s=0.1)
    settings = Settings(tmp_path / "odds.db", port=0, reference=REFERENCE)
    async with (
        serving(settings) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE), pace) as (board, _),
    ):
        await until_told(board, lambda: board.connection.simulated is False)
        assert not board.connection.shifted
        moved = [quote(name) for name in MONEYLINE]
        await asyncio.wrap_future(server.store.record(moved, shifted=True))
        await until_told(board, lambda: board.connection.shifted)


async def test_a_misspelled_reference_is_named_and_is_what_is_wrong_with_the_service(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pace = msgspec.structs.replace(CALM, health_s=0.1)
    settings = Settings(tmp_path / "odds.db", port=0, reference="Sherp")
    with closing(open_store(settings.database)) as store:
        store.record([quote(name) for name in MONEYLINE]).result(10)
    async with (
        serving(settings) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE), pace) as (board, _),
    ):
        await until_told(board, lambda: board.connection.unpriced_reference == "Sherp")
        line = "no price of 'Sherp', the reference, is here: nothing can be judged"
        (said,) = board.connection.service_troubles
        assert said.startswith(line)
        assert board.reference == "Sherp"
    assert said in caplog.messages


async def test_the_first_real_price_ends_what_is_simulated_at_once(tmp_path: Path) -> None:
    """The stream tells of no withdrawal; lists and health are read minutes later here."""
    settings = Settings(tmp_path / "odds.db", port=0, reference=REFERENCE)
    async with serving(settings) as server:
        made_up = [quote(name) for name in MONEYLINE]
        await asyncio.wrap_future(server.store.record(made_up, simulated=True))
        key, later_ms = key_of(server, Plan.PRO_LIVE), 0
        reading = syncing(server.url, key, clock=lambda: system_clock() + later_ms)
        async with reading as (board, sync):
            sync.subscribe_game(GAME)
            await until_told(board, lambda: odds(board) == 3.5)
            await until_told(board, lambda: board.connection.simulated is True)
            await until_told(board, lambda: board.connection.link is Link.LIVE)
            later_ms = 11_000  # the service is no longer one that just started
            real = [
                msgspec.structs.replace(each, match_name="Leeds vs Everton") for each in made_up
            ]
            await asyncio.wrap_future(server.store.record(real))
            async with asyncio.timeout(in_time(5)):
                await until_told(board, lambda: board.connection.simulated is False)
            assert odds(board) is None
            await until_told(board, lambda: len(board.games) == 1)


async def test_a_simulation_begun_anew_takes_back_what_is_held_of_the_one_before(
    tmp_path: Path,
) -> None:
    """The stream tells of no withdrawal; open games are read minutes later here."""
    settings = Settings(tmp_path / "odds.db", port=0, reference=REFERENCE)
    async with serving(settings) as server:
        made_up = [quote(name) for name in MONEYLINE]
        await asyncio.wrap_future(server.store.record(made_up, simulated=True))
        async with syncing(server.url, key_of(server, Plan.PRO_LIVE)) as (board, sync):
            sync.subscribe_game(GAME)
            await until_told(board, lambda: odds(board) == 3.5)
            await until_told(board, lambda: board.connection.simulated is True)
            await until_told(board, lambda: board.connection.link is Link.LIVE)
            await until(lambda: read_at(board) > (board.connection.since_ms or 0))
            await asyncio.wrap_future(server.store.end_simulation(another=True))
            others = [msgspec.structs.replace(each, match_name="Ajax vs PSV") for each in made_up]
            await asyncio.wrap_future(server.store.record(others, simulated=True))
            async with asyncio.timeout(in_time(5)):
                await until_told(board, lambda: is_withdrawn(board))
            assert board.connection.simulated


async def test_what_the_service_says_is_wrong_with_it_is_known_until_it_is_over(
    tmp_path: Path,
) -> None:
    pace = msgspec.structs.replace(CALM, health_s=0.1)
    settings = Settings(tmp_path / "odds.db", port=0, reference=REFERENCE)
    async with (
        serving(settings) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE), pace) as (board, _),
    ):
        server.troubles.say("a test", Trouble("the disk is full"))
        await until_told(board, lambda: board.connection.service_troubles == ("the disk is full",))
        server.troubles.over("a test")
        await until_told(board, lambda: board.connection.service_troubles == ())
