"""What an older desk kept among its settings goes into the database it served."""

import re
from pathlib import Path

import pytest

from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
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
    await made.close_connection()
    del old


async def test_it_is_handed_to_the_first_database_and_to_no_other(layout, manager, tmp_path):
    layout.keep_word(KEEP_DAYS_KEY, "14")
    await manager.open_first(_session(tmp_path / "first.db"))
    await until(lambda: layout.get_word(KEEP_DAYS_KEY, "") == "")
    await manager.close_connection()
    await manager.open_first(_session(tmp_path / "second.db"))
    await manager.close_connection()
    assert (_kept(tmp_path / "first.db"), _kept(tmp_path / "second.db")) == (14, None)


async def test_what_a_database_says_itself_stands(layout, manager, tmp_path):
    layout.keep_word(KEEP_DAYS_KEY, "14")
    store = open_store(tmp_path / "odds.db")
    store.keep_log(365).result(10)
    store.close()
    session = _session(tmp_path / "odds.db")
    await manager.open_first(session)
    assert not await session.local.keep_days_unless_set(14)
    assert (await session.local.database()).keep_days == 365
    assert layout.get_word(KEEP_DAYS_KEY, "") == "14"


async def test_what_makes_no_sense_is_forgotten(layout, manager, tmp_path, caplog):
    layout.keep_word(KEEP_DAYS_KEY, "0")
    await manager.open_first(_session(tmp_path / "odds.db"))
    await until(lambda: layout.get_word(KEEP_DAYS_KEY, "") == "")
    await manager.close_connection()
    assert _kept(tmp_path / "odds.db") is None
    assert re.search(rf"setting {KEEP_DAYS_KEY}: .+; ignored", caplog.text)
