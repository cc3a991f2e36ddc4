"""What tests of the dialogs share: an embedded server that runs, and its dialog."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from oddsdesk.clock import system_clock
from oddsdesk.desk.connections.profiles import EmbeddedProfile, RemoteProfile
from oddsdesk.desk.connections.secrets import KeyPlace
from oddsdesk.desk.local_server.controller import ServerController
from oddsdesk.desk.local_server.dialog import ServerDialog
from oddsdesk.desk.local_server.import_controller import ImportController
from oddsdesk.desk.shell.embedding import EmbeddedSession

LIMIT_S = 10
REMOTE = RemoteProfile("Odds Co.", "http://127.0.0.1:9", key_place=KeyPlace.SESSION)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(LIMIT_S):
        while not holds():
            await asyncio.sleep(0.01)


@pytest.fixture
async def session(qapp, tmp_path: Path) -> AsyncIterator[EmbeddedSession]:
    profile = EmbeddedProfile("x", str(tmp_path / "odds.db"), ("none",))
    made = EmbeddedSession(profile, system_clock)
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
async def imports(qapp) -> AsyncIterator[ImportController]:
    made = ImportController()
    yield made
    await made.close()


@pytest.fixture
async def server(theme, window, session, imports) -> AsyncIterator[ServerDialog]:
    assert session.local is not None
    dialog = ServerDialog(theme, session.local.address, window)
    made = ServerController(dialog, session.local, system_clock)
    imports.show_in(dialog, session.local)
    await until(lambda: dialog.keys.list.topLevelItemCount() == 1)
    yield dialog
    await made.close()
