"""The past played, stepped through and jumped in: a real server with a recorded day."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from oddsdesk.base.clock import MomentClock
from oddsdesk.board.board import Board
from oddsdesk.board.history.sources import LogSource
from oddsdesk.board.model.notices import Link
from oddsdesk.client.answers import GameAnswer
from oddsdesk.client.errors import ServiceError
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.desk.connections.manager import ConnectionManager, ServiceSession
from oddsdesk.desk.connections.profiles import EmbeddedProfile, Profile
from oddsdesk.desk.shell.embedding import EmbeddedSession
from oddsdesk.desk.shell.looking_back import LookingBack, PastOpener, TimeControl
from oddsdesk.desk.shell.status_bar import StatusBar
from oddsdesk.desk.timeline import TimeLine
from oddsdesk.desk.ui.actions import Actions
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.store.store import open_store
from tests.kit.waiting import until

MINUTE = 60_000
START = 1_723_896_000_000
"""2024-08-17T12:00:00Z."""
KICK_OFF = START + 60 * MINUTE
LEEDS = game_id("EPL", "Leeds vs Hull")
LATER = game_id("EPL", "Derby vs Stoke")
_SAID = (
    ("Leeds vs Hull", "Pinnacle", 0, {"Leeds": 2.0, "Draw": 3.5, "Hull": 4.0}),
    ("Leeds vs Hull", "Bet365", 0, {"Leeds": 2.0, "Draw": 3.5, "Hull": 4.0}),
    ("Leeds vs Hull", "Bet365", 10, {"Leeds": 2.2, "Draw": 3.5, "Hull": 4.0}),
    ("Leeds vs Hull", "Pinnacle", 20, {"Leeds": 2.4, "Draw": 3.5, "Hull": 4.0}),
    ("Leeds vs Hull", "Bet365", 30, {"Leeds": 2.3, "Hull": 4.0}),
    ("Derby vs Stoke", "Bet365", 40, {"Derby": 1.9, "Draw": 3.4, "Stoke": 4.4}),
)


class Looking:
    """The desk's parts that look back, on a database with a recorded day."""

    def __init__(self, database: Path) -> None:
        self.clock = MomentClock()
        self.board = Board(self.clock)
        self.manager = ConnectionManager(self.board, self.clock, self._make)
        self.past = LookingBack(self.manager, self.board, self.clock)
        self.said: list[str] = []
        self.past.said.connect(self.said.append)
        self.profile = EmbeddedProfile("past", str(database), ("none",))

    def _make(self, profile: Profile) -> ServiceSession:
        assert isinstance(profile, EmbeddedProfile)
        return EmbeddedSession(profile, self.clock.now)

    async def open(self) -> None:
        await self.manager.open_first(self._make(self.profile))

    async def stand_at(self, minute: float) -> None:
        at_ms = START + round(minute * MINUTE)
        self.past.go_to(at_ms)
        await until(lambda: self.board.connection.as_of_ms == at_ms and bool(self.board.games))

    def odds(self, bookmaker: str, selection: str = "Leeds") -> float | None:
        section = self.board.section(LEEDS, "moneyline", 0, selection)
        if section is None:
            return None
        price = section.selection_row(selection).prices.get(bookmaker)
        return price.odds if price is not None and price.is_offered else None


def record_the_day(database: Path) -> None:
    """Make a database that holds that day."""
    store = open_store(database)
    for match_name, bookmaker, minute, odds in _SAID:
        at = START + minute * MINUTE
        quote = Quote(bookmaker, match_name, "EPL", "moneyline", 0, odds, at, match_date=KICK_OFF)
        store.record([quote]).result(20)
    store.close()


@pytest.fixture
async def looking(tmp_path: Path) -> AsyncIterator[Looking]:
    record_the_day(tmp_path / "odds.db")
    looking = Looking(tmp_path / "odds.db")
    await looking.open()
    yield looking
    await looking.past.cancel_looking_back()
    await looking.manager.close_connection()


async def test_played_it_goes_on_by_what_moved_and_the_clock_with_it(looking: Looking) -> None:
    await looking.stand_at(9.9)
    looking.manager.subscribe_game(LEEDS)
    await until(lambda: looking.odds("Bet365") == 2.0)
    looking.past.choose_speed(100)
    looking.past.toggle()
    await until(lambda: looking.odds("Bet365") == 2.2)
    assert looking.past.is_playing
    assert looking.clock() == looking.board.connection.as_of_ms
    assert START + 10 * MINUTE <= looking.clock() < START + 40 * MINUTE
    looking.past.toggle()
    stood = looking.clock()
    assert not looking.past.is_playing
    price = looking.board.section(LEEDS, "moneyline", 0, "Leeds")
    assert price is not None
    assert price.selection_row("Leeds").prices["Bet365"].previous == 2.0
    assert looking.clock() == stood


async def test_the_time_line_is_made_when_the_past_is_shown_and_goes_with_it(
    looking: Looking, theme: Theme, qtbot: QtBot
) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    bar = StatusBar(looking.board, theme, looking.clock, "power")
    window.setStatusBar(bar)
    window.show()
    control = TimeControl(looking.past, theme, bar, Actions(window), lambda: None)
    looking.past.moved.emit()
    assert bar.findChild(TimeLine) is None
    await looking.stand_at(5)
    await until(lambda: bar.findChild(TimeLine) is not None)
    assert control.time_line.isVisible()
    control.time_line.now.click()
    await until(lambda: not control.time_line.isVisible())
    assert looking.board.connection.as_of_ms is None
    bar.close_panel()


async def test_going_back_forgets_what_came_later(looking: Looking) -> None:
    await looking.stand_at(45)
    looking.manager.subscribe_game(LEEDS)
    await until(lambda: looking.odds("Bet365") == 2.3)
    assert looking.odds("Bet365", "Draw") is None
    assert LATER in looking.board.games
    await looking.stand_at(5)
    await until(lambda: looking.odds("Bet365") == 2.0)
    assert (looking.odds("Bet365", "Draw"), looking.odds("Pinnacle")) == (3.5, 2.0)
    assert LATER not in looking.board.games


async def test_a_moment_that_could_not_be_read_is_read_before_a_step_goes_on(
    looking: Looking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the clock goes on over prices of another moment."""
    await looking.stand_at(45)
    looking.manager.subscribe_game(LEEDS)
    await until(lambda: looking.odds("Bet365") == 2.3)
    client = looking.manager.client
    assert client is not None

    async def refuse(*_asked: object, **_by_name: object) -> GameAnswer:
        raise ServiceError("overloaded", "too busy", 503)

    with monkeypatch.context() as patched:
        patched.setattr(client, "game", refuse)
        looking.past.go_to(START + 5 * MINUTE)
        await until(lambda: looking.board.connection.reason == "too busy")
        looking.past.toggle()
        await until(lambda: bool(looking.said))
    assert (looking.said, looking.past.is_playing) == (["too busy"], False)
    looking.past.toggle()
    await until(lambda: looking.odds("Bet365") == 2.0)
    assert looking.board.connection.link is Link.PAST


async def test_a_game_without_prices_then_has_none(looking: Looking) -> None:
    await looking.stand_at(45)
    looking.manager.want_rows(True)
    await until(lambda: looking.board.matrix(LATER) is not None)
    await looking.stand_at(5)
    await until(lambda: looking.board.matrix(LATER) is None)
    assert {key.game_id for key in looking.board.row_keys()} == {LEEDS}


async def test_steps_go_from_move_to_move_of_the_game_in_front(looking: Looking) -> None:
    looking.past.game_in_front = lambda: LEEDS
    await looking.stand_at(15)
    looking.manager.subscribe_game(LEEDS)
    await until(lambda: looking.odds("Bet365") == 2.2)
    for back, minute in ((False, 20), (False, 30), (True, 20), (True, 10), (True, 0)):
        looking.past.step(back=back)
        at_ms = START + minute * MINUTE
        await until(lambda at_ms=at_ms: looking.board.connection.as_of_ms == at_ms)
    assert looking.clock() == START


async def test_a_withdrawn_price_goes_when_it_went(looking: Looking) -> None:
    looking.past.game_in_front = lambda: LEEDS
    await looking.stand_at(25)
    looking.manager.subscribe_game(LEEDS)
    await until(lambda: looking.odds("Bet365", "Draw") == 3.5)
    looking.past.step(back=False)
    await until(lambda: looking.odds("Bet365", "Draw") is None)
    assert looking.odds("Bet365") == 2.3


async def test_jumps_lead_to_kick_off_largest_move_and_newest_price(looking: Looking) -> None:
    looking.past.game_in_front = lambda: LEEDS
    await looking.stand_at(5)
    for jump, at_ms in (
        (looking.past.go_to_kick_off, KICK_OFF),
        (looking.past.go_to_largest_move, START + 20 * MINUTE),
        (looking.past.go_to_newest, START + 40 * MINUTE),
    ):
        jump()
        await until(lambda at_ms=at_ms: looking.board.connection.as_of_ms == at_ms)


async def test_the_log_s_end_ends_it(looking: Looking) -> None:
    await looking.stand_at(39.9)
    looking.past.choose_speed(100)
    looking.past.toggle()
    await until(lambda: bool(looking.said))
    assert looking.board.connection.as_of_ms == START + 40 * MINUTE
    assert LATER in looking.board.games
    assert looking.said == ["The log ends here."]


async def test_history_tells_nothing_of_later(looking: Looking) -> None:
    await looking.stand_at(15)
    session = looking.manager.session
    assert session is not None
    assert session.local is not None
    source = LogSource(session.local.log, looking.board)
    found = await source.history_of(LEEDS, ("moneyline", 0, "Leeds"), 0)
    assert [point.odds for point in found.paths["Bet365"]] == [2.0, 2.2]


async def test_from_now_a_step_back_leads_to_the_last_move(looking: Looking) -> None:
    await until(lambda: looking.board.connection.link is Link.LIVE)
    looking.past.step(back=True)
    await until(lambda: looking.board.connection.as_of_ms == START + 40 * MINUTE)


async def test_back_to_now_ends_what_is_played(looking: Looking) -> None:
    await looking.stand_at(5)
    looking.past.toggle()
    looking.past.return_to_now()
    await until(lambda: looking.board.connection.link is Link.LIVE)
    assert (looking.clock.at, looking.past.is_playing) == (None, False)


async def test_where_nothing_is_offered_the_past_opens_by_itself_once(looking: Looking) -> None:
    opener = PastOpener(looking.past, looking.manager, looking.board, looking.clock.now)
    await looking.manager.switch(looking.profile)
    await until(lambda: looking.board.connection.as_of_ms == START + 40 * MINUTE)
    await until(lambda: len(looking.board.games) == 2)
    assert "There are only past prices" in looking.said[0]
    looking.past.return_to_now()
    await until(lambda: looking.board.connection.link is Link.LIVE)
    await until(lambda: looking.board.connection.newest_ms is not None)
    assert looking.clock.at is None
    opener.show_imported(START)
    await until(lambda: looking.board.connection.as_of_ms == START)
    opener.stop_opener()
