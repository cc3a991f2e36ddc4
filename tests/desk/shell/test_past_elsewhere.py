"""The past of a service that is not the desk's own: what the wire tells of it (D71, D75)."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from starlette.responses import JSONResponse

from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
from oddsdesk.board.history.past import ServiceLog
from oddsdesk.board.history.sources import ServiceSource
from oddsdesk.board.model.notices import Link
from oddsdesk.client.client import Client
from oddsdesk.contract.access import Plan
from oddsdesk.desk.connections.manager import ServiceSession
from oddsdesk.desk.connections.profiles import EmbeddedProfile, Profile
from oddsdesk.desk.shell.embedding import EmbeddedSession
from tests.desk.shell.test_playing_the_past import (
    KICK_OFF,
    LATER,
    LEEDS,
    MINUTE,
    START,
    Looking,
    record_the_day,
)
from tests.kit.small_service import KEY, SmallService
from tests.kit.waiting import until

Open = Callable[[Plan], Awaitable[Looking]]


class ElsewhereSession(EmbeddedSession):
    """A server of which the desk knows only the address and a key."""

    plan = Plan.PRO

    async def start_session(self) -> Client:
        own = await super().start_session()
        assert self.local is not None
        bookmaker = "Bet365" if self.plan is Plan.FREE else None
        key = await self.local.create_key("analyst", self.plan, bookmaker)
        url = self.local.url
        self.local = None
        await own.close()
        self._client = Client(url, key)
        return self._client


class LookingElsewhere(Looking):
    plan = Plan.PRO

    def _make(self, profile: Profile) -> ServiceSession:
        assert isinstance(profile, EmbeddedProfile)
        session = ElsewhereSession(profile, self.clock.now)
        session.plan = self.plan
        return session


@pytest.fixture
async def open_elsewhere(tmp_path: Path) -> AsyncIterator[Open]:
    record_the_day(tmp_path / "odds.db")
    opened: list[Looking] = []

    async def open_it(plan: Plan) -> Looking:
        looking = LookingElsewhere(tmp_path / "odds.db")
        looking.plan = plan
        await looking.open()
        opened.append(looking)
        await until(lambda: looking.board.connection.link in (Link.LIVE, Link.POLLING))
        return looking

    yield open_it
    for looking in opened:
        await looking.past.cancel_looking_back()
        await looking.manager.close_connection()


async def test_the_past_is_shown_played_stepped_through_and_jumped_in(open_elsewhere: Open) -> None:
    looking = await open_elsewhere(Plan.PRO)
    past = looking.past
    past.game_in_front = lambda: LEEDS
    await looking.stand_at(9.9)
    looking.manager.subscribe_game(LEEDS)
    looking.manager.want_rows(True)
    await until(lambda: looking.odds("Bet365") == 2.0)
    past.choose_speed(100)
    past.toggle()
    await until(lambda: looking.odds("Bet365") == 2.2)
    past.toggle()
    await looking.stand_at(15)
    for back, minute in ((False, 20), (False, 30), (True, 20), (True, 10)):
        past.step(back=back)
        at_ms = START + minute * MINUTE
        await until(lambda at_ms=at_ms: looking.board.connection.as_of_ms == at_ms)
    for jump, at_ms in (
        (past.go_to_kick_off, KICK_OFF),
        (past.go_to_largest_move, START + 20 * MINUTE),
        (past.go_to_newest, START + 40 * MINUTE),
    ):
        jump()
        await until(lambda at_ms=at_ms: looking.board.connection.as_of_ms == at_ms)
    await until(lambda: LATER in {key.game_id for key in looking.board.row_keys()})
    past.game_in_front = lambda: None
    past.step(back=True)
    await until(lambda: bool(looking.said))
    assert looking.said[-1].startswith("This service has moves game by game")
    past.return_to_now()
    await until(lambda: looking.clock.at is None)


async def test_chart_and_time_line_show_what_the_service_tells_and_nothing_later(
    open_elsewhere: Open,
) -> None:
    looking = await open_elsewhere(Plan.PRO)
    looking.past.game_in_front = lambda: LEEDS
    await looking.stand_at(15)
    assert looking.manager.client is not None
    source = ServiceSource(looking.manager.client, looking.board)
    found = await source.history_of(LEEDS, ("moneyline", 0, "Leeds"), 0)
    assert [point.odds for point in found.paths["Bet365"]] == [2.0, 2.2]
    assert looking.past.log is not None
    line = await looking.past.log.map(START, START + 2 * 60 * MINUTE, 4)
    assert line.moves == [8, 2, 0, 0]
    assert line.kick_offs == [(KICK_OFF, 1)]


async def test_a_plan_without_the_past_is_told_in_one_line_and_now_stays(
    open_elsewhere: Open,
) -> None:
    looking = await open_elsewhere(Plan.FREE)
    looking.past.go_to(START + 15 * MINUTE)
    await until(lambda: bool(looking.said))
    assert looking.said[0].startswith("The past is not for this key's plan: ")
    assert "\n" not in looking.said[0]
    assert looking.board.connection.as_of_ms is None
    assert looking.board.connection.link in (Link.LIVE, Link.POLLING)


async def test_a_service_that_knows_no_past_is_not_taken_for_one() -> None:
    """It would answer with what is offered now."""
    service = SmallService()
    url = await service.start()
    described = {"paths": {"/api/games": {"get": {"parameters": [{"name": "sport"}]}}}}
    service.answers = [JSONResponse(described)]
    async with Client(url, KEY) as client:
        log = ServiceLog(client, Board(system_clock), system_clock, lambda: None)
        assert await log.why_not_shown(START) == "This service has no history."
    assert len(service.asked) == 1
    await service.stop()
