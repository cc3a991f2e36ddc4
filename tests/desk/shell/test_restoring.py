"""A desk restores its own database: its server ends meanwhile, and starts again."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.base.places import default_ledger
from oddsdesk.base.tasks import spawn
from oddsdesk.contract.access import Plan
from oddsdesk.desk.connections.profiles import EmbeddedProfile
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.connections import Connections
from oddsdesk.desk.shell.embedding import restored
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.store.access import open_access
from oddsdesk.store.lock import owner_of
from oddsdesk.store.sqlite.backup import Contents, back_up
from oddsdesk.store.sqlite.restore import restore_database
from oddsdesk.store.store import open_store
from tests.kit.connections import make_session

LIMIT_S = 20
BET = PlacedBet("id", "A - B", "EPL", "Football", "moneyline", 0, "A", "Bet365", 2.1, 10.0, 1_000)


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """A backup of a database whose reference is Betfair, with one key and one bet."""
    database = tmp_path / "backed-up.db"
    open_store(database, "Betfair").close()
    with closing(open_access(database)) as access:
        access.keys.create("anna", Plan.PRO, None, 0)
    with closing(Ledger(tmp_path / "backed-up-ledger.db")) as ledger:
        ledger.record_bet(BET)
    contents = Contents(keys=True, ledger=tmp_path / "backed-up-ledger.db")
    back_up(database, tmp_path / "all.tar", contents)
    return tmp_path / "all.tar"


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(LIMIT_S):
        while not holds():
            await asyncio.sleep(0.01)


@pytest.fixture
async def connected(desk: tuple[Desk, Connections], tmp_path: Path) -> tuple[Any, Connections]:
    window, connections = desk
    profile = EmbeddedProfile("x", str(tmp_path / "odds.db"), ("none",))
    assert await connections.open_first(make_session(profile)) is None
    return window.window, connections


async def test_the_server_answers_from_the_backup_and_what_was_there_stays_next_to_it(
    connected: tuple[Any, Connections], backup: Path, tmp_path: Path
) -> None:
    window, connections = connected
    heard: list[None] = []
    connections.restored.connect(lambda: heard.append(None))
    connections.restore_backup(str(backup))
    await _until(lambda: "restored with its keys" in window.messages._bar.message_text)
    assert heard == [None]
    session = connections._manager.session
    assert session is not None
    assert session.local is not None
    assert (await session.local.database()).reference == "Betfair"
    assert {key.account for key in await session.local.api_keys()} == {"anna", "desk"}
    (kept,) = tmp_path.glob("odds-replaced-*Z.db")
    assert kept.name in window.messages._bar.message_text
    with closing(Ledger(default_ledger())) as ledger:
        assert [bet.stake for bet in ledger.read_bets()] == [10.0]


async def test_after_a_backup_that_is_none_the_old_database_is_served_again(
    connected: tuple[Any, Connections], tmp_path: Path
) -> None:
    window, connections = connected
    (tmp_path / "none.tar").write_text("not a backup" * 999)
    connections.restore_backup(str(tmp_path / "none.tar"))
    await _until(lambda: "nothing was changed" in window.messages._bar.message_text)
    session = connections._manager.session
    assert session is not None
    assert session.local is not None
    assert (await session.local.database()).reference == "Pinnacle"
    assert not list(tmp_path.glob("*replaced*"))


async def test_a_restore_that_nobody_waits_for_is_broken_off_before_anything_is_replaced(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def late(*given: Any, **named: Any) -> Any:
        go_on.wait(10)
        return restore_database(*given, **named)

    monkeypatch.setattr("oddsdesk.store.sqlite.restore.restore_database", late)
    work = spawn("restore", restored(backup, tmp_path / "new.db", None, lambda _count: None))
    await asyncio.sleep(0)
    work.cancel()
    for _ in range(5):  # until the wish to break off is noted
        await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert owner_of(tmp_path / "new.db") is None
    assert not (tmp_path / "new.db").exists()
    assert not list(tmp_path.glob(".new.db.*"))
