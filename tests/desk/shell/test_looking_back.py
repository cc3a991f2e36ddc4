"""Looking at games of a date and coming back: a real server with an imported past."""

from collections.abc import AsyncIterator, Callable
from datetime import date, datetime
from pathlib import Path

import pytest

from oddsdesk.base.clock import MomentClock
from oddsdesk.board.board import Board
from oddsdesk.board.model.basis import Freshness
from oddsdesk.board.model.notices import Link
from oddsdesk.client.errors import ServiceUnavailableError
from oddsdesk.contract.quotes import Quote
from oddsdesk.desk.connections.manager import ConnectionManager, ServiceSession
from oddsdesk.desk.connections.profiles import EmbeddedProfile, Profile
from oddsdesk.desk.grid.panel import reading_text
from oddsdesk.desk.grid.panel import state_without_rows as grid_state
from oddsdesk.desk.records import Records
from oddsdesk.desk.shell.app import fill_closes_from_log
from oddsdesk.desk.shell.closing_lines import ClosingLineWriter
from oddsdesk.desk.shell.embedding import EmbeddedSession
from oddsdesk.desk.shell.looking_back import LookingBack, end_of_day
from oddsdesk.desk.ui.formatting import local_time
from oddsdesk.desk.ui.states import state_without_rows, text_without_games
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.store.store import open_store
from tests.kit.waiting import until_told

LIMIT_S = 20
DAY = date(2024, 8, 17)
HOUR = 3_600_000


class Looking:
    """The desk's parts that look back, on a database with one game of the past."""

    def __init__(self, database: Path) -> None:
        self.clock = MomentClock()
        self.board = Board(self.clock)
        self.manager = ConnectionManager(self.board, self.clock, self._make)
        self.looking_back = LookingBack(self.manager, self.board, self.clock)
        self.profile = EmbeddedProfile("past", str(database), ("none",))

    def _make(self, profile: Profile) -> ServiceSession:
        assert isinstance(profile, EmbeddedProfile)
        return EmbeddedSession(profile, self.clock.now)

    async def open(self) -> None:
        await self.manager.open_first(self._make(self.profile))

    async def until(self, holds: Callable[[], bool]) -> None:
        await until_told(self.board, holds)


def record(path: Path, kick_off: int, *sightings: tuple[float, int]) -> None:
    """Record a game, with the prices of its first side and when they were seen."""
    store = open_store(path)
    for price, scraped_at in sightings:
        quote = Quote(
            "Bet365",
            "Leeds vs Hull",
            "EPL",
            "moneyline",
            0,
            {"Leeds": price, "Draw": 3.5, "Hull": 4.0},
            scraped_at,
            match_date=kick_off,
        )
        store.record([quote]).result(LIMIT_S)
    store.close()


@pytest.fixture
async def looking(tmp_path: Path) -> AsyncIterator[Looking]:
    kick_off = round(datetime(2024, 8, 17, 15).astimezone().timestamp() * 1000)
    record(tmp_path / "odds.db", kick_off, (2.0, kick_off - 20 * HOUR), (2.2, kick_off))
    looking = Looking(tmp_path / "odds.db")
    await looking.open()
    yield looking
    await looking.looking_back.cancel_looking_back()
    await looking.manager.close_connection()


async def test_games_of_a_date_are_shown_as_they_stood_at_its_end(looking: Looking) -> None:
    board = looking.board
    await looking.until(lambda: board.connection.newest_ms is not None)
    looking.looking_back.show_day(DAY)
    await looking.until(lambda: bool(board.games))
    (game,) = board.games
    assert board.connection.link is Link.PAST
    assert board.connection.as_of_ms == looking.clock() == end_of_day(DAY)
    looking.manager.subscribe_game(game)
    await looking.until(lambda: board.matrix(game) is not None)
    matrix = board.matrix(game)
    assert matrix is not None
    price = matrix.sections[0].rows[0].prices["Bet365"]
    assert (price.odds, board.freshness("Bet365", price)) == (2.2, Freshness.STALE)


async def test_a_moment_of_which_nobody_offered_the_odds_says_so(tmp_path: Path) -> None:
    noon = round(datetime(2024, 8, 17, 12).astimezone().timestamp() * 1000)
    clock = MomentClock()
    clock.at = noon
    store = open_store(tmp_path / "odds.db", clock=clock)
    odds = {"Yes": 2.0, "No": 1.8}
    made_up = Quote("Kestrel", "Leeds vs Hull", "EPL", "btts", 0, odds, noon, match_date=noon)
    store.record([made_up], simulated=True).result(LIMIT_S)
    clock.at = later = noon + 48 * HOUR
    real = Quote("Bet365", "Roma vs Lazio", "SEA", "btts", 0, odds, later, match_date=later)
    archived = Quote("Bet365", "Bari vs Lecce", "SEA", "btts", 0, odds, noon, match_date=noon)
    store.record([real, archived]).result(LIMIT_S)
    store.close()
    looking = Looking(tmp_path / "odds.db")
    await looking.open()
    looking.looking_back.show_day(DAY.replace(day=1))
    await looking.until(lambda: looking.board.connection.as_of_ms is not None)
    assert looking.board.connection.simulated is None
    for day, name, simulated in ((17, "Leeds vs Hull", True), (19, "Roma vs Lazio", None)):
        looking.looking_back.show_day(DAY.replace(day=day))
        board = looking.board
        await looking.until(
            lambda board=board, name=name: name in {g.match_name for g in board.games.values()}
        )
        assert board.connection.simulated is simulated
        assert board.connection.is_mixed is bool(simulated), "a game of an archive is next to it"
    await looking.looking_back.cancel_looking_back()
    await looking.manager.close_connection()


async def test_another_date_shows_what_stood_then(looking: Looking) -> None:
    board = looking.board
    looking.looking_back.show_day(DAY.replace(day=16))
    await looking.until(lambda: bool(board.games))
    looking.manager.want_rows(True)
    await looking.until(lambda: any(board.row_keys()))
    (game,) = board.games
    matrix = board.matrix(game)
    assert matrix is not None
    assert matrix.sections[0].rows[0].prices["Bet365"].odds == 2.0


async def test_while_all_prices_of_a_moment_are_read_it_is_told(looking: Looking) -> None:
    """Of a moment with many games the grid fills for seconds."""
    board, told = looking.board, list[tuple[str, bool]]()
    board.subscribe(
        lambda _: told.append((reading_text(board.snapshot_progress), any(board.row_keys())))
    )
    looking.looking_back.show_day(DAY)
    await looking.until(lambda: bool(board.games))
    looking.manager.want_rows(True)
    await looking.until(lambda: board.snapshot_progress.finished_at is not None)
    assert ("loading part 1", False) in told
    assert told[-1] == ("", True)


async def test_of_a_moment_without_prices_it_is_said_and_where_the_nearest_are(
    looking: Looking,
) -> None:
    """The odds grid read for ever."""
    board, first = looking.board, "16 Aug 2024 19:00 (Alt+Right)"
    looking.manager.want_rows(True)
    for day, nearest in ((1, first), (30, "17 Aug 2024 15:00 (Alt+Left)")):
        looking.looking_back.show_day(DAY.replace(day=day))
        await looking.until(
            lambda day=day: board.connection.as_of_ms == end_of_day(DAY.replace(day=day))
        )
        reading = text_without_games(board.connection, own_server=True)
        assert reading == "Loading the games of that moment…"
        await looking.until(
            lambda day=day: (
                board.connection.as_of_ms == end_of_day(DAY.replace(day=day))
                and board.snapshot_progress.finished_at is not None
            )
        )
        state = grid_state(board.connection, board.snapshot_progress, 0, looking.clock())
        assert state.sentence == "No prices are recorded for that moment."
        assert state.detail == f"Nearest prices: {nearest}."
        assert text_without_games(board.connection, own_server=True).endswith(state.detail)
    looking.looking_back.show_day(DAY)
    await looking.until(lambda: any(board.row_keys()))
    assert board.connection.nearest_ms == ()


async def test_of_a_game_without_prices_then_it_is_said(looking: Looking) -> None:
    """It seemed to be read for ever."""
    board = looking.board
    looking.looking_back.show_day(DAY)
    await looking.until(lambda: bool(board.games))
    (game,) = board.games
    looking.manager.subscribe_game(game)
    await looking.until(lambda: board.matrix(game) is not None)
    looking.looking_back.show_day(DAY.replace(day=1))
    await looking.until(lambda: board.is_gone(game))
    state = state_without_rows(None, board.connection, looking.clock(), is_gone=True)
    assert state.sentence == "No bookmaker had a price for this game then."
    looking.looking_back.show_day(DAY)
    await looking.until(lambda: board.matrix(game) is not None)
    assert not board.is_gone(game)


async def test_back_to_now_goes_on_as_before(looking: Looking) -> None:
    board = looking.board
    looking.looking_back.show_day(DAY)
    await looking.until(lambda: bool(board.games))
    looking.looking_back.return_to_now()
    await looking.until(lambda: board.connection.link is Link.LIVE)
    assert not board.games
    assert looking.clock.at is None
    assert board.connection.as_of_ms is None
    await looking.until(lambda: board.connection.newest_ms is not None)


async def test_at_now_the_way_back_and_the_games_of_today_say_that_this_is_now(
    looking: Looking,
) -> None:
    said: list[str] = []
    looking.looking_back.said.connect(said.append)
    looking.looking_back.return_to_now()
    looking.looking_back.show_day(datetime.fromtimestamp(looking.clock.now() / 1000).date())
    now = (
        "These are the current prices. Ctrl+J shows a past day, Alt+Left steps back one price move."
    )
    assert said == [now, now]
    looking.looking_back.show_day(DAY)
    await looking.until(lambda: bool(looking.board.games))
    looking.looking_back.return_to_now()
    await looking.until(lambda: looking.board.connection.link is Link.LIVE)
    assert said == [now, now], "there was a way back"


async def test_closing_lines_are_filled_in_from_the_log_after_a_look_back(
    looking: Looking, tmp_path: Path
) -> None:
    """Going back to now is no other connection: the log was let go of until the next start."""
    records = Records(tmp_path / "ledger.db")
    writer = ClosingLineWriter(looking.board, looking.clock, records, lambda _games: None, CloseBy)
    fill_closes_from_log(writer, looking.manager)
    await looking.manager.switch(looking.profile)
    looking.looking_back.show_day(DAY)
    await looking.until(lambda: bool(looking.board.games))
    looking.looking_back.return_to_now()
    await looking.until(lambda: looking.board.connection.link is Link.LIVE)
    assert writer._read_log is not None
    await writer.stop_writer()
    records.close_records()


async def test_today_is_now(looking: Looking) -> None:
    await looking.until(lambda: looking.board.connection.link is Link.LIVE)
    looking.looking_back.show_day(datetime.now().astimezone().date())
    assert looking.board.connection.link is Link.LIVE
    assert looking.clock.at is None


async def test_a_moment_that_cannot_be_read_shows_nothing_of_the_one_before(
    looking: Looking, monkeypatch: pytest.MonkeyPatch
) -> None:
    board, manager = looking.board, looking.manager
    manager.want_rows(True)
    looking.looking_back.show_day(DAY)
    await looking.until(lambda: bool(board.games))
    (game,) = board.games
    manager.subscribe_game(game)
    await looking.until(lambda: board.matrix(game) is not None and any(board.row_keys()))

    async def refused(*_: object, **__: object) -> None:
        raise ServiceUnavailableError("unavailable", "too slow")

    client = manager.client
    assert client is not None
    with monkeypatch.context() as patched:
        patched.setattr(client, "game", refused)
        looking.looking_back.show_day(DAY.replace(day=16))
        await looking.until(lambda: board.connection.reason is not None)
        await looking.until(lambda: not any(board.row_keys()))
    assert board.connection.link is Link.WAITING
    looking.looking_back.show_day(DAY.replace(day=16))
    await looking.until(lambda: any(board.row_keys()))
    matrix = board.matrix(game)
    assert matrix is not None
    assert matrix.sections[0].rows[0].prices["Bet365"].odds == 2.0
    assert board.connection.link is Link.PAST


async def test_another_connection_is_of_now(looking: Looking) -> None:
    looking.looking_back.show_day(DAY)
    await looking.until(lambda: bool(looking.board.games))
    await looking.manager.switch(looking.profile)
    await looking.until(lambda: looking.board.connection.link is Link.LIVE)
    assert looking.clock.at is None


async def test_the_newest_prices_are_shown_though_they_are_of_today(tmp_path: Path) -> None:
    now = round(datetime.now().timestamp() * 1000)
    seen = now - 2 * HOUR
    record(tmp_path / "odds.db", now + 20 * HOUR, (2.0, seen - HOUR), (2.2, seen))
    looking = Looking(tmp_path / "odds.db")
    await looking.open()
    board = looking.board
    await looking.until(lambda: board.connection.newest_ms is not None)
    assert not board.games
    looking.looking_back.show_day(local_time(seen).date())
    await looking.until(lambda: bool(board.games))
    assert board.connection.link is Link.PAST
    await looking.looking_back.cancel_looking_back()
    await looking.manager.close_connection()
