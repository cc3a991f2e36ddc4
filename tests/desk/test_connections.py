"""The connections' actions: in the palette and the menu alike, as far as they make sense."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from keyring.backends.fail import Keyring as NoKeyring

from oddsdesk.clock import system_clock
from oddsdesk.desk.connections.manager import ConnectionManager
from oddsdesk.desk.connections.profiles import EmbeddedProfile, Profile, Profiles
from oddsdesk.desk.connections.remote_dialog import RemoteDialog
from oddsdesk.desk.connections.secrets import Secrets
from oddsdesk.desk.connections.sessions import Session
from oddsdesk.desk.local_server.dialog import ServerDialog
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.connections import Connections
from oddsdesk.desk.shell.dialogs import DeskDialogs
from oddsdesk.desk.shell.embedding import EmbeddedSession
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets.records import Records

LIMIT_S = 10
OF_THE_SERVER = ("server.open", "server.import")


def make_session(profile: Profile) -> Session:
    assert isinstance(profile, EmbeddedProfile)
    return EmbeddedSession(profile, system_clock)


@pytest.fixture
async def desk(
    theme: Theme, quoted: Any, tmp_path: Path
) -> AsyncIterator[tuple[Desk, Connections]]:
    layout = Layout(tmp_path / "desk.ini")
    preferences, records = Preferences(layout), Records(tmp_path / "ledger.db")
    made = Desk(quoted.board, theme, layout, preferences, records, quoted.clock)
    profiles, secrets = Profiles(tmp_path), Secrets(tmp_path, NoKeyring)
    switchboard = ConnectionManager(quoted.board, system_clock, make_session)
    dialogs = DeskDialogs(
        made.window, theme, preferences, profiles, secrets, switchboard, system_clock
    )
    connections = Connections(
        made.window,
        made.top_bar,
        made.connections_menu,
        switchboard,
        profiles,
        dialogs,
        made.around.actions,
        made.around.palette,
    )
    yield made, connections
    await connections.close()
    made.close()
    records.close()
    made.window.deleteLater()


async def test_a_server_of_ones_own_can_be_opened_and_fed_once_there_is_one(
    desk: tuple[Desk, Connections], tmp_path: Path
) -> None:
    window, connections = desk
    actions = window.around.actions
    assert not any(actions[ident].isEnabled() for ident in OF_THE_SERVER)
    profile = EmbeddedProfile("x", str(tmp_path / "odds.db"), ("none",))
    assert await connections.open(make_session(profile)) is None
    assert all(actions[ident].isEnabled() for ident in OF_THE_SERVER)
    actions.trigger("server.import")
    dialog = window.window.findChild(ServerDialog)
    assert dialog is not None
    assert dialog.pages.currentWidget() is dialog.imports
    async with asyncio.timeout(LIMIT_S):
        while not dialog.backup.backup.isEnabled():
            await asyncio.sleep(0.01)
    dialog.reject()


async def test_menu_and_palette_have_the_same(desk: tuple[Desk, Connections]) -> None:
    window, _ = desk
    window.connections_menu.aboutToShow.emit()
    in_menu = {action.text() for action in window.connections_menu.actions() if action.text()}
    entries = [entry for offer in window.around.palette._providers for entry in offer()]
    in_palette = {entry.title.removeprefix("Connect to ") for entry in entries}
    assert in_menu - in_palette == {"Feeds, keys, backup…", "Import files…"}, "not enabled now"
    next(entry for entry in entries if entry.title == "New connection…").run()
    assert window.window.findChild(RemoteDialog) is not None
