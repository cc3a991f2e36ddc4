"""Changing the connection: real servers, a real keyring of ours, one board."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import msgspec
import pytest
from keyring.backends.fail import Keyring as NoKeyring

from oddsdesk.base.clock import system_clock
from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.board.board import Board
from oddsdesk.board.model.notices import GamesChanged, Link, RowsChanged
from oddsdesk.contract.access import Plan
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.connections.manager import (
    ConnectionManager,
    MissingKeyError,
    RemoteSession,
    ServiceSession,
    SessionError,
    UnencryptedError,
)
from oddsdesk.desk.connections.profiles import (
    EmbeddedProfile,
    KeyPlace,
    Profile,
    RemoteProfile,
    Secrets,
)
from oddsdesk.desk.shell.embedding import EmbeddedSession
from tests.kit.waiting import until, until_told

GAME = "Arsenal - Chelsea"


def _record(file: Path, match_name: str) -> Path:
    """Write a file of one quote of now."""
    quote = {
        "bookmaker": "Betfair",
        "match_name": match_name,
        "competition": "EPL",
        "market_type": "moneyline",
        "period": 0,
        "odds": {"A": 2.1, "Draw": 3.4, "B": 3.6},
        "scraped_at": format_ms(system_clock()),
    }
    file.write_text(json.dumps(quote))
    return file


class Connecting:
    """A connection manager over profiles of the test's own folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.board = Board(system_clock)
        self.secrets = Secrets(folder, NoKeyring)
        self.manager = ConnectionManager(self.board, system_clock, self.make)

    def make(self, profile: Profile) -> ServiceSession:
        if isinstance(profile, RemoteProfile):
            return RemoteSession(profile, self.secrets, asks_first=True)
        return EmbeddedSession(profile, system_clock)

    def embedded(self, name: str, database: str, match_name: str) -> EmbeddedProfile:
        file = _record(self.folder / f"{name}.ndjson", match_name)
        return EmbeddedProfile(name, str(self.folder / database), (f"replay:{file}",))

    async def open(self, profile: Profile) -> None:
        await self.manager.open_first(self.make(profile))

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds of the board."""
        await until_told(self.board, holds)

    def games(self) -> set[str]:
        return {game.match_name for game in self.board.games.values()}


@pytest.fixture
async def connecting(qapp, tmp_path: Path) -> AsyncIterator[Connecting]:
    made = Connecting(tmp_path)
    yield made
    await made.manager.close_connection()


async def test_the_board_of_another_server_begins_empty_and_fills(connecting: Connecting):
    await connecting.open(connecting.embedded("one", "one.db", GAME))
    await connecting.until(lambda: connecting.games() == {GAME})
    notices: list[object] = []
    connecting.board.subscribe(notices.append)
    connecting.manager.want_rows(True)
    await connecting.until(lambda: any(connecting.board.row_keys()))
    await connecting.manager.switch(connecting.embedded("two", "two.db", "Lyon - Nice"))
    assert GamesChanged() in notices
    assert any(isinstance(each, RowsChanged) and each.removed for each in notices)
    await connecting.until(lambda: connecting.games() == {"Lyon - Nice"})
    await connecting.until(lambda: any(connecting.board.row_keys()))
    assert connecting.board.rows_wanted


async def test_a_service_elsewhere_is_reached_with_the_key_that_is_kept(connecting: Connecting):
    await connecting.open(connecting.embedded("one", "one.db", GAME))
    other = EmbeddedSession(connecting.embedded("two", "two.db", "Lyon - Nice"), system_clock)
    await other.start_session()
    assert other.local is not None
    key = await other.local.create_key("anna", Plan.PRO_RT, None)
    remote = RemoteProfile("there", other.local.url, key_place=KeyPlace.FILE, ident="there")
    connecting.secrets.keep_key("there", KeyPlace.FILE, key)
    await connecting.manager.switch(remote)
    await connecting.until(lambda: connecting.games() == {"Lyon - Nice"})
    session = connecting.manager.session
    assert session is not None
    assert (session.profile.name, session.local) == ("there", None)
    await connecting.manager.close_connection()
    await other.stop_session()


async def test_a_wrong_address_costs_nothing(connecting: Connecting):
    await connecting.open(connecting.embedded("one", "one.db", GAME))
    await connecting.until(lambda: connecting.games() == {GAME})
    await connecting.until(lambda: connecting.board.connection.link is Link.LIVE)
    connecting.secrets.keep_key("x", KeyPlace.SESSION, "key")
    wrong = RemoteProfile("x", "http://127.0.0.1:9", key_place=KeyPlace.SESSION, ident="x")
    with pytest.raises(SessionError, match=r"127\.0\.0\.1:9 does not answer"):
        await connecting.manager.switch(wrong)
    assert connecting.games() == {GAME}
    assert connecting.board.connection.link is Link.LIVE


async def test_a_first_connection_that_cannot_be_had_is_said_until_there_is_one(
    connecting: Connecting, tmp_path: Path
):
    missing = EmbeddedProfile("one", str(tmp_path / "one.db"), (f"replay:{tmp_path}/none.ndjson",))
    assert not connecting.board.connection.has_no_service
    with pytest.raises(SessionError):
        await connecting.open(missing)
    assert connecting.board.connection.has_no_service
    await connecting.manager.switch(connecting.embedded("two", "two.db", GAME))
    assert not connecting.board.connection.has_no_service


async def test_a_key_that_is_not_kept_here_is_asked_for(connecting: Connecting):
    absent = RemoteProfile("x", "http://127.0.0.1:9", key_place=KeyPlace.SESSION, ident="x")
    with pytest.raises(MissingKeyError, match="enter it"):
        await connecting.manager.switch(absent)


@pytest.mark.parametrize(
    ("profile", "is_refused"),
    [
        (RemoteProfile("x", "http://odds.invalid", ident="x"), True),
        (RemoteProfile("x", "https://odds.invalid", "http://odds.invalid", ident="x"), True),
        (RemoteProfile("x", "https://odds.invalid", None, "ws://odds.invalid", ident="x"), True),
        (RemoteProfile("x", "https://odds.invalid", ident="x"), False),
        (RemoteProfile("x", "http://[::1]:9", ident="x"), False),
        (RemoteProfile("x", "http://odds.invalid", ident="x", sends_key_unencrypted=True), False),
    ],
    ids=["base", "tokens", "stream", "https", "local", "allowed"],
)
async def test_a_key_goes_unencrypted_to_this_machine_only_unless_the_profile_lets_it(
    connecting: Connecting, profile: RemoteProfile, is_refused: bool
):
    """D85: what is refused has sent nothing, and says what to do."""
    connecting.secrets.keep_key("x", KeyPlace.SESSION, "key")
    profile = msgspec.structs.replace(profile, key_place=KeyPlace.SESSION)
    with pytest.raises(SessionError) as caught:
        await connecting.manager.switch(profile)
    assert isinstance(caught.value, UnencryptedError) == is_refused
    assert ("Send the key unencrypted" in str(caught.value)) == is_refused


async def test_two_servers_on_one_database_take_turns(connecting: Connecting):
    first = connecting.embedded("one", "same.db", GAME)
    await connecting.open(first)
    left: list[str] = []
    connecting.manager.left.connect(lambda: left.append("left"))
    await connecting.manager.switch(connecting.embedded("two", "same.db", "Lyon - Nice"))
    await connecting.until(lambda: "Lyon - Nice" in connecting.games())
    assert left == ["left"]


async def test_a_successor_on_the_same_database_that_fails_brings_the_old_one_back(
    connecting: Connecting, tmp_path: Path
):
    first = connecting.embedded("one", "same.db", GAME)
    await connecting.open(first)
    broken = EmbeddedProfile("two", first.database, (f"replay:{tmp_path}/none.ndjson",))
    with pytest.raises(SessionError, match="no such file"):
        await connecting.manager.switch(broken)
    session = connecting.manager.session
    assert session is not None
    assert session.profile == first
    await connecting.until(lambda: connecting.board.connection.link is Link.LIVE)


async def test_a_database_that_is_none_is_one_line_and_nothing_is_left_running(
    connecting: Connecting, tmp_path: Path
):
    (tmp_path / "letter.db").write_text("Dear bookmaker, " * 100)
    with pytest.raises(SessionError, match=r"letter\.db: is not a database"):
        await connecting.open(EmbeddedProfile("x", str(tmp_path / "letter.db")))
    assert connecting.manager.session is None


async def test_odds_are_simulated_until_the_database_holds_real_ones(
    connecting: Connecting, tmp_path: Path
):
    fresh = EmbeddedSession(EmbeddedProfile("x", str(tmp_path / "x.db")), system_clock)
    await fresh.start_session()
    assert fresh.local is not None
    assert [feed.simulated for feed in await fresh.local.feed_reports()] == [True]
    await fresh.stop_session()
    await connecting.open(connecting.embedded("one", "real.db", GAME))
    await connecting.until(lambda: connecting.games() == {GAME})
    await connecting.manager.close_connection()
    real = EmbeddedSession(EmbeddedProfile("x", str(tmp_path / "real.db")), system_clock)
    await real.start_session()
    assert real.local is not None
    assert await real.local.feed_reports() == []
    await real.stop_session()


async def test_a_start_that_is_given_up_leaves_no_server_running(tmp_path: Path, qapp):
    session = EmbeddedSession(EmbeddedProfile("x", str(tmp_path / "x.db")), system_clock)
    starting = spawn("start", session.start_session())
    await asyncio.sleep(0)
    await cancel_tasks(starting)
    await session.stop_session()
    await until(lambda: all(thread.name != "server" for thread in threading.enumerate()))
