"""The whole desk over a quoted game, connected to nothing yet."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from keyring.backends.fail import Keyring as NoKeyring

from oddsdesk.base.clock import system_clock
from oddsdesk.desk.connections.manager import ConnectionManager
from oddsdesk.desk.connections.profiles import Profiles, Secrets
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.connections import Connections, DeskDialogs
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.connections import make_session


@pytest.fixture
async def desk(
    theme: Theme, quoted: Any, tmp_path: Path
) -> AsyncIterator[tuple[Desk, Connections]]:
    layout = Layout(tmp_path / "desk.ini")
    preferences, records = Preferences(layout), Records(tmp_path / "ledger.db")
    made = Desk(quoted.board, theme, layout, preferences, records, quoted.clock)
    profiles, secrets = Profiles(tmp_path), Secrets(tmp_path, NoKeyring)
    manager = ConnectionManager(quoted.board, system_clock, make_session)
    names = made.around.reference.bookmakers
    dialogs = DeskDialogs(
        made.window, theme, preferences, profiles, secrets, manager, system_clock, names
    )
    connections = Connections(
        made.window,
        made.top_bar,
        made.connections_menu,
        manager,
        profiles,
        dialogs,
        made.around.actions,
        made.around.palette,
    )
    yield made, connections
    await connections.end_connections()
    made.close_desk()
    records.close_records()
    made.window.deleteLater()
