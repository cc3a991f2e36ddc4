"""A second window on a database uses the first one's server, with a key of its own (issue 5)."""

import asyncio
import fcntl
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from oddsdesk.base.clock import system_clock
from oddsdesk.base.tasks import spawn
from oddsdesk.board.history.sources import HistoryError, PriceLog
from oddsdesk.contract.quotes import Quote
from oddsdesk.desk.connections.manager import InUseError, RemoteSession, SessionError
from oddsdesk.desk.connections.profiles import EmbeddedProfile, RemoteProfile, Secrets
from oddsdesk.desk.research.log import AskedSpan
from oddsdesk.desk.shell import embedding
from oddsdesk.desk.shell.embedding import EmbeddedSession, GuestSession, database_here, service_of
from oddsdesk.desk.shell.log_research import DatabaseResearch
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.store.databases import access_path
from oddsdesk.store.lock import lock_path
from oddsdesk.store.store import open_store


@pytest.fixture
def profile(tmp_path: Path) -> EmbeddedProfile:
    return EmbeddedProfile(database=str(tmp_path / "odds.db"), feeds=("none",))


@pytest.fixture
async def first(profile: EmbeddedProfile):
    session = EmbeddedSession(profile, system_clock)
    client = await session.start_session()
    yield client
    await session.stop_session()


async def test_a_second_window_is_offered_the_running_server(first, profile):
    second = EmbeddedSession(profile, system_clock)
    with pytest.raises(InUseError, match="is in use by another oddsdesk") as refused:
        await second.start_session()
    await second.stop_session()
    guest = GuestSession(refused.value.guest, system_clock)
    client = await guest.start_session()
    await client.games(limit=1)
    await first.games(limit=1)
    await guest.stop_session()


async def test_the_guests_key_ends_with_it_and_the_owners_does_not(first, profile):
    for _ in range(7):
        guest = GuestSession(profile, system_clock)
        await (await guest.start_session()).games(limit=1)
        await guest.stop_session()
    await first.games(limit=1)


async def test_a_guest_goes_through_the_log_with_the_server(first, profile, tmp_path):
    odds = {"Pinnacle": {"A": 1.95, "B": 1.95}, "Soft": {"A": 2.02, "B": 1.8}}
    with closing(open_store(tmp_path / "odds.db")) as store:
        for bookmaker, prices in odds.items():
            quote = Quote(bookmaker, "A - B", "EPL", "moneyline", 0, prices, system_clock())
            store.record([quote]).result(10)
    guest = GuestSession(profile, system_clock)
    database = database_here(guest)
    assert database == tmp_path / "odds.db"
    await guest.start_session()
    research = DatabaseResearch(
        database, shipped_profiles(), None, DEFAULT_METHOD, CloseBy(), system_clock
    )
    scored = await research.scorecards(AskedSpan(None, None), lambda _rows: None)
    assert scored.bookmakers == {"Pinnacle", "Soft"}
    await first.games(limit=1)
    await guest.stop_session()


async def test_a_server_that_has_ended_meanwhile_is_one_line(profile):
    guest = GuestSession(profile, system_clock)
    with pytest.raises(SessionError, match="other server has stopped"):
        await guest.start_session()
    await guest.stop_session()


async def test_no_key_is_made_for_who_holds_a_crashed_servers_lock(profile, tmp_path):
    """Older versions left a lock that any user could hold, with the address of their own port."""
    lock = lock_path(tmp_path / "odds.db")
    lock.write_text('{"pid": 1, "url": "http://127.0.0.1:9"}')
    lock.chmod(0o644)
    with lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        guest = GuestSession(profile, system_clock)
        with pytest.raises(SessionError, match="another user may hold it"):
            await guest.start_session()
        second = EmbeddedSession(profile, system_clock)
        with pytest.raises(SessionError, match="another user may hold it") as refused:
            await second.start_session()
        assert not isinstance(refused.value, InUseError)
        await second.stop_session()
        await guest.stop_session()
    assert not access_path(tmp_path / "odds.db").exists()


async def test_a_guests_key_is_made_where_the_server_keeps_its_keys(profile, tmp_path):
    own = msgspec.structs.replace(profile, access=str(tmp_path / "keys.db"))
    first = EmbeddedSession(own, system_clock)
    await first.start_session()
    guest = GuestSession(profile, system_clock)
    await (await guest.start_session()).games(limit=1)
    await guest.stop_session()
    await first.stop_session()
    assert not access_path(tmp_path / "odds.db").exists()


DRAW = ("moneyline", 0, "Draw")


async def _ask(log: PriceLog) -> str:
    """Ask as a sparkline does; return why there is no answer."""
    try:
        await log.reference_history("game", [DRAW], 0)
        await log.log_state(0)
    except HistoryError as error:
        return str(error)
    return ""


async def test_who_asks_while_the_server_stops_is_answered_or_told_so(qapp, tmp_path: Path):
    session = EmbeddedSession(EmbeddedProfile("x", str(tmp_path / "x.db")), system_clock)
    await session.start_session()
    assert session.local is not None
    assert await _ask(session.local.log) == ""
    stopping = spawn("stop", session.stop_session())
    heard = set()
    while not stopping.done():
        heard |= set(await asyncio.gather(*(_ask(session.local.log) for _ in range(8))))
    assert heard <= {"", "the built-in server has stopped"}
    assert await _ask(session.local.log) == "the built-in server has stopped"


async def test_over_prices_that_are_there_the_simulation_goes_on_once_they_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    profile = EmbeddedProfile(database=str(tmp_path / "odds.db"))
    first = EmbeddedSession(profile, system_clock)
    await first.start_session()
    assert [feed.spec for feed in await first.local.feed_reports()] == ["simulator"]
    async with asyncio.timeout(30):
        while (await first.local.database()).last_scraped_at is None:
            await asyncio.sleep(0.01)
    await first.stop_session()
    monkeypatch.setattr(embedding, "HEAD_START_S", 600.0)
    second = EmbeddedSession(profile, system_clock)
    await second.start_session()
    assert await second.local.feed_reports() == []
    second.local.prices_are_shown()
    async with asyncio.timeout(30):
        while [feed.spec for feed in await second.local.feed_reports()] != ["simulator"]:
            await asyncio.sleep(0.01)
    await second.stop_session()


def test_a_service_is_told_from_others_by_its_database_or_ident_whatever_its_name(profile):
    secrets = Secrets(Path("unused"))
    guest, owner = GuestSession(profile, system_clock), EmbeddedSession(profile, system_clock)
    assert service_of(owner) == service_of(guest) == str(Path(profile.database or "").absolute())
    named = [
        RemoteProfile(name, "https://odds.example", ident=ident)
        for name, ident in (("Mine", "7f"), ("Ours", "7f"), ("Mine", "08"))
    ]
    first, renamed, other = (
        service_of(RemoteSession(each, secrets, asks_first=False)) for each in named
    )
    assert first == renamed != other
