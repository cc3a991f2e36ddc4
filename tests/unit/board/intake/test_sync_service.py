"""What a service says of itself: simulated or moved odds, and what is wrong with it."""

import asyncio
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

import oddsdesk.board.intake.sync as sync_module
from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
from oddsdesk.board.intake.sync import Sync
from oddsdesk.board.model.notices import GamesChanged, Link, Notice, PricesChanged
from oddsdesk.client.answers import GameAnswer
from oddsdesk.client.client import Client
from oddsdesk.contract.access import Plan
from oddsdesk.contract.resources import Health, Offer
from oddsdesk.server.run.runner import serving
from oddsdesk.server.settings import Settings
from oddsdesk.server.troubles import Trouble
from oddsdesk.store.store import open_store
from tests.kit.board import GAME, MONEYLINE, REFERENCE
from tests.kit.board_service import CALM, key_of, quote, service
from tests.kit.promises import in_time
from tests.kit.syncing import DRAW, odds, syncing
from tests.kit.waiting import until, until_told


def read_at(board: Board) -> int:
    matrix = board.matrix(GAME)
    return 0 if matrix is None else matrix.read_at or 0


def is_withdrawn(board: Board) -> bool:
    price = board.price(GAME, DRAW)
    return price is None or not price.is_offered


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


async def test_no_game_or_price_is_shown_before_it_is_known_that_it_is_simulated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine they stood there under real names, for seconds without the badge."""
    asked, may_answer = asyncio.Event(), asyncio.Event()
    settings = Settings(tmp_path / "odds.db", port=0, reference=REFERENCE)
    async with serving(settings) as server:
        made_up = [quote(name) for name in MONEYLINE]
        await asyncio.wrap_future(server.store.record(made_up, simulated=True))
        key = key_of(server, Plan.PRO_LIVE)
        async with Client(server.url, key) as client:
            own = client.health

            async def late() -> Health:
                asked.set()
                await may_answer.wait()
                return await own()

            monkeypatch.setattr(client, "health", late)
            read: list[str] = []
            game = client.game

            async def noted(game_id: str) -> GameAnswer:
                answer = await game(game_id)
                read.append(game_id)
                return answer

            monkeypatch.setattr(client, "game", noted)
            board = Board(system_clock)
            early: list[Notice] = []

            def note(notice: Notice) -> None:
                if not board.connection.simulated:
                    early.append(notice)

            board.subscribe(note, GamesChanged, PricesChanged)
            sync = Sync(client, board, system_clock, pace=CALM, randomness=lambda: 0.0)
            sync.subscribe_game(GAME)
            sync.start_reading()
            await asyncio.wait_for(asked.wait(), in_time(10))
            await until(lambda: read == [GAME])
            assert not board.games
            assert board.price(GAME, DRAW) is None
            may_answer.set()
            await until_told(board, lambda: bool(board.games))
            await until_told(board, lambda: odds(board) == 3.5)
            assert early == []
            await sync.stop_reading()


async def test_a_price_leads_to_its_bet_slip_and_one_without_to_its_game(tmp_path: Path) -> None:
    """The links were recorded, and nobody read them."""
    slips = {"Draw": Offer(link="https://slip.example/draw", bet_limit=50.0)}
    said = msgspec.structs.replace(
        quote("Betfair"), url="https://betfair.example/game", offers=slips
    )
    async with service(tmp_path, 0, said, quote(REFERENCE)) as server:
        key = key_of(server, Plan.PRO_LIVE)
        for reads_rows in (False, True):
            async with syncing(server.url, key) as (board, sync):
                if reads_rows:
                    sync.want_rows(True)
                else:
                    sync.subscribe_game(GAME)
                await until_told(board, lambda board=board: board.price(GAME, DRAW) is not None)
                draw, home = (
                    board.price(GAME, DRAW._replace(selection=name)) for name in ("Draw", "Arsenal")
                )
                assert draw is not None
                assert home is not None
                assert (draw.url, draw.depth) == ("https://slip.example/draw", None)
                assert home.url == "https://betfair.example/game"


async def test_games_of_a_simulation_that_begins_later_come_after_its_mark(tmp_path: Path) -> None:
    pace = msgspec.structs.replace(CALM, games_s=0.1)
    settings = Settings(tmp_path / "odds.db", port=0, reference=REFERENCE)
    async with (
        serving(settings) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE), pace) as (board, _),
    ):
        await until_told(board, lambda: board.connection.simulated is False)
        marked: list[bool | None] = []
        board.subscribe(lambda _: marked.append(board.connection.simulated), GamesChanged)
        made_up = [quote(name) for name in MONEYLINE]
        await asyncio.wrap_future(server.store.record(made_up, simulated=True))
        await until_told(board, lambda: len(board.games) == 1)
        assert marked == [True]


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
        sync.start_reading()
        await until_told(board, lambda: board.connection.simulated is False)
        await sync.stop_reading()


async def test_games_that_are_new_have_it_asked_whether_they_were_moved_to_now(
    tmp_path: Path,
) -> None:
    """Health is asked minutes later here, and a value bet would stand without the mark."""
    pace = msgspec.structs.replace(CALM, games_s=0.1)
    settings = Settings(tmp_path / "odds.db", port=0, reference=REFERENCE)
    async with serving(settings) as server:
        quotes = [quote(name) for name in MONEYLINE]
        await asyncio.wrap_future(server.store.record(quotes))
        async with syncing(server.url, key_of(server, Plan.PRO_LIVE), pace) as (board, _):
            await until_told(board, lambda: len(board.games) == 1)
            await until_told(board, lambda: board.connection.simulated is False)
            moved = [
                msgspec.structs.replace(each, match_name="Leeds vs Everton") for each in quotes
            ]
            await asyncio.wrap_future(server.store.record(moved, shifted=True))
            await until_told(board, lambda: board.connection.shifted)


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
        line = "no odds from the sharp book 'Sherp': nothing can be valued"
        (said,) = board.connection.service_troubles
        assert said.startswith(line)
        assert board.reference_name == "Sherp"
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
        server.troubles.report_trouble("a test", Trouble("the disk is full"))
        await until_told(board, lambda: board.connection.service_troubles == ("the disk is full",))
        server.troubles.over("a test")
        await until_told(board, lambda: board.connection.service_troubles == ())
