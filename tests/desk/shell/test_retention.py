"""What an older desk kept among its settings goes into the database it served."""

from pathlib import Path

import pytest

from oddsdesk.board.board import Board
from oddsdesk.clock import system_clock
from oddsdesk.desk.connections.manager import ConnectionManager
from oddsdesk.desk.connections.profiles import EmbeddedProfile
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.app import KEEP_DAYS_KEY, OldRetention
from oddsdesk.desk.shell.embedding import EmbeddedSession
from oddsdesk.store.store import open_store
from tests.kit.waiting import until


def _session(path: Path) -> EmbeddedSession:
    return EmbeddedSession(EmbeddedProfile("x", str(path), ("none",)), system_clock)


def _kept(path: Path) -> int | None:
    store = open_store(path, read_only=True)
    days = store.reader().keep_days()
    store.close()
    return days


@pytest.fixture
def layout(tmp_path) -> Layout:
    return Layout(tmp_path / "desk.ini")


@pytest.fixture
async def manager(qapp, layout):
    made = ConnectionManager(Board(system_clock), system_clock, lambda profile: _session(profile))
    old = OldRetention(layout, made)
    yield made
    await made.close()
    del old


async def test_it_is_handed_to_the_first_database_and_to_no_other(layout, manager, tmp_path):
    layout.put(KEEP_DAYS_KEY, "14")
    await manager.open(_session(tmp_path / "first.db"))
    await until(lambda: layout.get(KEEP_DAYS_KEY, "") == "")
    await manager.close()
    await manager.open(_session(tmp_path / "second.db"))
    await manager.close()
    assert (_kept(tmp_path / "first.db"), _kept(tmp_path / "second.db")) == (14, None)


async def test_what_a_database_says_itself_stands(layout, manager, tmp_path):
    layout.put(KEEP_DAYS_KEY, "14")
    store = open_store(tmp_path / "odds.db")
    store.keep_log(365).result(10)
    store.close()
    session = _session(tmp_path / "odds.db")
    await manager.open(session)
    assert not await session.local.adopt_keep_days(14)
    assert (await session.local.database()).keep_days == 365
    assert layout.get(KEEP_DAYS_KEY, "") == "14"


async def test_what_makes_no_sense_is_forgotten(layout, manager, tmp_path, caplog):
    layout.put(KEEP_DAYS_KEY, "0")
    await manager.open(_session(tmp_path / "odds.db"))
    await until(lambda: layout.get(KEEP_DAYS_KEY, "") == "")
    await manager.close()
    assert _kept(tmp_path / "odds.db") is None
    assert "it is forgotten" in caplog.text
