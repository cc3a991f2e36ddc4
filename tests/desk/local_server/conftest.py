"""The dialog of an embedded server that runs."""

from collections.abc import AsyncIterator

import pytest

from oddsdesk.clock import system_clock
from oddsdesk.desk.local_server.controller import ImportController, ServerController
from oddsdesk.desk.local_server.dialog import ServerDialog
from tests.kit.waiting import until


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
