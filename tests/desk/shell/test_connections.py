"""The connections' actions: in the palette and the menu alike, as far as they make sense."""

import asyncio
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from keyring.backends.fail import Keyring as NoKeyring
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from oddsdesk.base.clock import system_clock
from oddsdesk.base.tasks import spawn
from oddsdesk.client.client import Client
from oddsdesk.contract.administration import FeedState
from oddsdesk.desk.connections.manager import InUseError, MissingKeyError, RemoteSession
from oddsdesk.desk.connections.profile_dialogs import RemoteDialog
from oddsdesk.desk.connections.profiles import (
    EMBEDDED_NAME,
    EmbeddedProfile,
    KeyPlace,
    RemoteProfile,
    Secrets,
)
from oddsdesk.desk.local_server.dialog import ServerDialog, WantedImport
from oddsdesk.desk.local_server.live_dialog import LiveDialog
from oddsdesk.desk.shell.app import _until_closed
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.connections import Connections, badge_of
from oddsdesk.desk.shell.embedding import EmbeddedSession
from oddsdesk.desk.ui.controls.messages import MessageBar
from tests.kit.connections import make_session
from tests.kit.small_service import KEY
from tests.kit.waiting import until

LIMIT_S = 10
OF_THE_SERVER = ("server.open", "server.import")


async def test_a_server_of_ones_own_can_be_opened_and_fed_once_there_is_one(
    desk: tuple[Desk, Connections], tmp_path: Path
) -> None:
    window, connections = desk
    actions = window.around.actions
    assert not any(actions[ident].isEnabled() for ident in OF_THE_SERVER)
    assert not connections.live_here.isEnabled()
    profile = EmbeddedProfile("x", str(tmp_path / "odds.db"), ("none",))
    assert await connections.open_first(make_session(profile)) is None
    assert all(actions[ident].isEnabled() for ident in OF_THE_SERVER)
    assert connections.live_here.isEnabled()
    actions.trigger("server.import")
    dialog = window.window.findChild(ServerDialog)
    assert dialog is not None
    assert dialog.pages.currentWidget() is dialog.imports
    dialog.imports.shift.setChecked(True)
    async with asyncio.timeout(LIMIT_S):
        while not dialog.backup.backup.isEnabled():
            await asyncio.sleep(0.01)
    dialog.reject()
    actions.trigger("server.import")
    reopened = connections._dialogs._server_dialog
    assert reopened is not None
    assert reopened is not dialog
    assert reopened.imports.shift.isChecked()
    async with asyncio.timeout(LIMIT_S):
        while not reopened.backup.backup.isEnabled():
            await asyncio.sleep(0.01)
    reopened.reject()


async def test_live_odds_are_kept_for_the_next_start_and_lead_to_all_feeds(
    desk: tuple[Desk, Connections], tmp_path: Path
) -> None:
    window, connections = desk
    profiles = connections._profiles
    assert isinstance(profiles.find_profile(EMBEDDED_NAME), EmbeddedProfile)
    own = EmbeddedProfile("mine", str(tmp_path / "odds.db"), ("simulator", "exec:x"))
    profiles.save_profile(own)
    assert await connections.open_first(make_session(own)) is None
    window.around.actions.trigger("server.live")
    dialog = window.window.findChild(LiveDialog)
    assert dialog is not None
    assert not dialog.at_start.isHidden()
    connections._dialogs._on_live_kept("kalshi:KXNBAGAME", ["exec:x"])
    assert profiles.find_profile("mine").feeds == ("kalshi:KXNBAGAME",)
    connections._dialogs._live_controller.ended.emit("kalshi:KXEPLGAME")
    assert profiles.find_profile("mine").feeds == ("kalshi:KXNBAGAME",)
    connections._dialogs._live_controller.ended.emit("kalshi:KXNBAGAME")
    assert profiles.find_profile("mine").feeds == (), "what was stopped is not begun again"
    dialog.feeds_requested.emit()
    server = window.window.findChild(ServerDialog)
    assert server is not None
    assert server.pages.currentWidget() is server.feeds
    async with asyncio.timeout(LIMIT_S):
        while not server.backup.backup.isEnabled():
            await asyncio.sleep(0.01)
    server.reject()


async def test_a_feed_that_is_stopped_or_removed_is_not_begun_by_the_next_start(
    desk: tuple[Desk, Connections], tmp_path: Path
) -> None:
    window, connections = desk
    profiles = connections._profiles
    script = tmp_path / "feed.sh"
    script.write_text("sleep 60")
    live = f"exec:sh {script}"
    own = profiles.save_profile(
        EmbeddedProfile("mine", str(tmp_path / "odds.db"), ("simulator", live))
    )
    assert await connections.open_first(make_session(own)) is None
    window.around.actions.trigger("server.open")
    server = window.window.findChild(ServerDialog)
    assert server is not None
    page = server.feeds

    async def select(spec: str, *, is_running: bool) -> None:
        def is_shown() -> bool:
            for row in range(page.list.topLevelItemCount()):
                item = page.list.topLevelItem(row)
                feed = item.data(0, Qt.ItemDataRole.UserRole)
                if (feed.spec, feed.is_running) == (spec, is_running):
                    page.list.setCurrentItem(item)
                    return True
            return False

        await until(is_shown)

    async def kept(*feeds: str) -> None:
        await until(lambda: profiles.find_profile("mine").feeds == feeds)

    await select(live, is_running=True)
    page.stop.click()
    await kept("simulator")
    await select(live, is_running=False)
    page.start.click()
    await kept("simulator", live)
    await select(live, is_running=True)
    page.stop.click()
    await select(live, is_running=False)
    page.remove.click()
    await kept("simulator")
    await select("simulator", is_running=True)
    page.stop.click()
    await select("simulator", is_running=False)
    assert profiles.find_profile("mine").feeds == ("simulator",)
    page.remove.click()
    await kept("none")
    await until(lambda: page.list.topLevelItemCount() == 0)
    server.reject()


async def test_what_an_import_brought_is_read_at_once_and_its_message_goes_by_itself(
    desk: tuple[Desk, Connections], monkeypatch: pytest.MonkeyPatch
) -> None:
    window, connections = desk
    read: list[bool] = []
    monkeypatch.setattr(connections._manager, "read_all_again", lambda: read.append(True))
    imports = connections._dialogs._imports()
    imports.done.emit("")
    bar, center = window.window.messages._bar, window.window.messages
    assert (read, bar.isVisible()) == ([True], False)
    imports.done.emit("Import: 12 prices read.")
    assert bar.message_text == "Import: 12 prices read."
    assert center._passing.isActive()
    center._passing.timeout.emit()
    assert bar.isHidden()


async def test_files_that_do_not_fit_are_imported_into_a_new_database(
    desk: tuple[Desk, Connections], tmp_path: Path
) -> None:
    _, connections = desk
    profile = EmbeddedProfile("x", str(tmp_path / "odds.db"), ("none",))
    assert await connections.open_first(make_session(profile)) is None
    file = tmp_path / "E0.csv"
    file.write_text(
        "Div,Date,Time,HomeTeam,AwayTeam,PSH,PSD,PSA\nE0,16/08/2025,15:00,Leeds,Hull,2,3,4\n"
    )
    connections._dialogs.open_import()
    first = connections._dialogs._server_dialog
    wanted = WantedImport("football-data", [str(file)], shift_to_now=False)
    odds = tmp_path / "odds.db"
    assert f"oddsdesk desk --local --database {odds}" in first.imports.about_apart.text()
    assert "at any time" not in first.imports.about_apart.text()
    taken = connections._profiles.save_profile(EmbeddedProfile("Taken"))
    first.imports.new_database_requested.emit(taken.name, wanted)
    await until(lambda: "already a connection called" in first.message.message_text)
    first.imports.new_database_requested.emit("Season", wanted)

    def is_done() -> bool:
        dialog = connections._dialogs._server_dialog
        return dialog is not None and dialog.imports.state.text().startswith("3 prices read: 3")

    await until(is_done)
    about = connections._dialogs._server_dialog.imports.about_apart.text()
    assert "change back in the connection menu at any time" in about
    session = connections._manager.session
    assert session.profile.name == "Season"
    assert (await session.local.database()).path == tmp_path / "Season.db"
    assert (await session.local.database()).holds_real_odds
    assert connections._profiles.find_profile("Season") == session.profile
    connections._dialogs._server_dialog.reject()


async def test_the_board_knows_whether_a_feed_runs_at_all(
    desk: tuple[Desk, Connections], tmp_path: Path
) -> None:
    _, connections = desk
    board = connections._top_bar._board
    profile = EmbeddedProfile("x", str(tmp_path / "odds.db"), ("simulator",))
    assert await connections.open_first(make_session(profile)) is None
    await until(lambda: board.connection.has_feeds is True)
    session = connections._manager.session
    assert session is not None
    assert session.local is not None
    (feed,) = await session.local.feed_reports()
    await session.local.stop_feed(feed.number)
    connections._feeds_tick.timeout.emit()
    await until(lambda: board.connection.has_feeds is False)
    await connections._manager.read_now()
    assert board.connection.has_feeds is False, "after a look at the past, too"


async def test_a_database_of_this_time_only_keeps_no_live_odds(
    desk: tuple[Desk, Connections], tmp_path: Path
) -> None:
    window, connections = desk
    profile = EmbeddedProfile(EMBEDDED_NAME, str(tmp_path / "odds.db"), ("none",))
    assert await connections.open_first(make_session(profile)) is None
    window.around.actions.trigger("server.live")
    dialog = window.window.findChild(LiveDialog)
    assert dialog is not None
    assert dialog.at_start.isHidden()
    dialog.reject()


async def test_live_odds_say_what_they_need_where_there_is_no_server_of_ones_own(
    desk: tuple[Desk, Connections], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window, connections = desk
    window.around.actions.trigger("server.live")
    bar = window.window.messages._bar
    assert "need the built-in server" in bar.message_text
    remote = SimpleNamespace(local=None, profile=RemoteProfile("Club", "https://odds.example"))
    monkeypatch.setattr(connections._manager, "session", remote)
    wanted: list[str] = []
    monkeypatch.setattr(connections, "connect_to", lambda profile: wanted.append(profile.name))
    window.around.actions.trigger("server.live")
    assert "need the built-in server. You are connected to Club" in bar.message_text
    bar.action_requested.emit()
    assert wanted == [EMBEDDED_NAME]
    monkeypatch.undo()
    profile = EmbeddedProfile("x", str(tmp_path / "odds.db"), ("none",))
    assert await connections.open_first(make_session(profile)) is None
    dialog = window.window.findChild(LiveDialog)
    assert dialog is not None, "that is what the other server was for"
    assert dialog.isVisible()
    dialog.reject()


@pytest.mark.parametrize(
    ("keys", "ident", "said"),
    [
        (Qt.Key.Key_I, "server.import", "Imports need the built-in server"),
        (Qt.Key.Key_E, "server.open", "Feeds, keys and backups need the built-in server"),
    ],
)
async def test_what_a_service_elsewhere_has_not_is_grey_and_its_keys_say_why(
    desk: tuple[Desk, Connections],
    monkeypatch: pytest.MonkeyPatch,
    keys: Qt.Key,
    ident: str,
    said: str,
) -> None:
    window, connections = desk
    main, bar = window.window, window.window.messages._bar
    main.show()
    await until(main.isActiveWindow)
    remote = SimpleNamespace(local=None, profile=RemoteProfile("Club", "https://odds.example"))
    monkeypatch.setattr(connections._manager, "session", remote)
    wanted: list[str] = []
    monkeypatch.setattr(connections, "connect_to", lambda profile: wanted.append(profile.name))
    connections._manager.left.emit()
    connections._menu.aboutToShow.emit()
    assert connections._menu.toolTipsVisible()
    offered = window.around.actions[ident]
    assert offered in connections._menu.actions()
    assert not offered.isEnabled()
    assert offered.toolTip() == f"{said}. You are connected to Club."

    window.navigator.focus_filter()  # X11's text fields take Ctrl+E for themselves
    focused = QApplication.focusWidget()
    assert isinstance(focused, QLineEdit)
    QTest.keyClick(focused, keys, Qt.KeyboardModifier.ControlModifier)
    assert bar.message_text == f"{said}. You are connected to Club."
    bar.action_requested.emit()
    assert wanted == [EMBEDDED_NAME]
    monkeypatch.undo()


async def test_keys_that_said_why_not_work_once_there_is_a_server_of_ones_own(
    desk: tuple[Desk, Connections], tmp_path: Path
) -> None:
    window, connections = desk
    window.window.show()
    await until(window.window.isActiveWindow)
    QTest.keyClick(window.window, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert (
        "need the built-in server, which has not started yet"
        in window.window.messages._bar.message_text
    )
    profile = EmbeddedProfile("x", str(tmp_path / "odds.db"), ("none",))
    assert await connections.open_first(make_session(profile)) is None
    QTest.keyClick(window.window, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    dialog = window.window.findChild(ServerDialog)
    assert dialog is not None
    async with asyncio.timeout(LIMIT_S):
        while not dialog.backup.backup.isEnabled():
            await asyncio.sleep(0.01)
    dialog.reject()


async def test_a_running_server_that_was_chosen_is_used_at_the_next_start_too(
    desk: tuple[Desk, Connections], tmp_path: Path
) -> None:
    window, connections = desk
    profiles, manager = connections._profiles, connections._manager
    own = EmbeddedProfile("mine", str(tmp_path / "odds.db"), ("none",))
    profiles.save_profile(own)
    other = EmbeddedSession(own, system_clock)
    await other.start_session()
    error = await connections.open_first(make_session(own))
    assert isinstance(error, InUseError)
    connections.show_error(own, error)
    window.window.messages._bar.action_requested.emit()
    await until(lambda: manager.session is not None)
    assert profiles.last == own
    await manager.close_connection()

    assert await connections.open_first(make_session(own)) is None
    assert manager.session is not None
    assert manager.session.profile == error.guest
    connections.connect_to(own)
    await until(
        lambda: "You are still on Running server." in window.window.messages._bar.message_text
    )
    await manager.close_connection()
    await other.stop_session()

    assert await connections.open_first(make_session(own)) is None
    assert manager.session.profile == own
    assert profiles.joins(own)


async def test_who_is_asked_for_a_key_types_it_at_once(desk: tuple[Desk, Connections]) -> None:
    window, connections = desk
    kept = connections._profiles.save_profile(RemoteProfile("Club", "https://odds.example"))
    connections.show_error(kept, MissingKeyError("Club: no key is saved here; enter it"))
    window.window.messages._bar.action_requested.emit()
    dialog = window.window.findChild(RemoteDialog)
    assert dialog is not None
    assert dialog.focusWidget() is dialog.key
    dialog.reject()


async def test_a_start_with_a_connection_whose_key_is_nowhere_asks_for_it(
    desk: tuple[Desk, Connections], tmp_path: Path
) -> None:
    """A key of the session only is gone with it: the program ended with a line in the terminal."""
    window, connections = desk
    club = RemoteProfile("Club", "https://odds.example", key_place=KeyPlace.SESSION)
    kept = connections._profiles.save_profile(club)
    assert isinstance(kept, RemoteProfile)
    session = RemoteSession(kept, Secrets(tmp_path, NoKeyring), asks_first=False)
    root = SimpleNamespace(first=session, was_asked=True)
    ending = SimpleNamespace(
        limit=lambda: None, listen_on=lambda _loop: None, then=lambda _act: None
    )
    running = spawn("test: a run", _until_closed(window, connections, root, ending))  # type: ignore[arg-type]
    bar = window.window.messages._bar
    async with asyncio.timeout(LIMIT_S):
        await until(lambda: "Club: no key is saved here" in bar.message_text)
    assert not running.done()
    window.window.quit()
    assert await running is None


class Elsewhere:
    """A session of a service that does not answer."""

    local = None

    def __init__(self, profile: RemoteProfile) -> None:
        self.profile = profile

    async def start_session(self) -> Client:
        return Client(self.profile.base_url, KEY)

    async def stop_session(self) -> None:
        pass

    def excludes(self, other: object) -> bool:
        return False


async def test_what_ends_to_be_recorded_with_a_connection_is_told(
    desk: tuple[Desk, Connections], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, connections = desk
    bar, manager = window.window.messages._bar, connections._manager
    mine, other = (
        EmbeddedProfile(name, str(tmp_path / f"{name}.db"), ("none",)) for name in ("mine", "other")
    )
    assert await connections.open_first(make_session(mine)) is None
    live, made_up = feed(recorded_at=None), feed(recorded_at=None)
    made_up = msgspec.structs.replace(made_up, name="simulator", simulated=True)
    stopped = msgspec.structs.replace(live, name="stopped", is_running=False)

    async def feeds(_self: object) -> list[FeedState]:
        return [msgspec.structs.replace(live, name="Kalshi"), made_up, stopped, feed()]

    monkeypatch.setattr(type(manager.session.local), "feed_reports", feeds)
    manager._make_session = lambda profile: (
        Elsewhere(profile) if isinstance(profile, RemoteProfile) else make_session(profile)
    )
    connections.connect_to(RemoteProfile("Odds Co.", "http://odds.invalid"))
    await until(lambda: "mine has stopped recording: Kalshi." in bar.message_text)
    assert "not encrypted" in bar.message_text
    connections.connect_to(mine)
    await until(lambda: manager.session is not None and manager.session.profile == mine)
    connections.connect_to(other)
    await until(lambda: "mine has stopped recording: Kalshi." in bar.message_text)
    assert manager.session.profile == other
    monkeypatch.undo()
    bar.action_requested.emit()
    await until(lambda: manager.session is not None and manager.session.profile == mine)
    await until(lambda: bar.isHidden())


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_connection_that_is_not_encrypted_is_told(
    desk: tuple[Desk, Connections], scheme: str
) -> None:
    """F4.4: the key goes out with the first request."""
    window, connections = desk
    session = Elsewhere(RemoteProfile("Odds Co.", f"{scheme}://odds.invalid"))
    assert await connections.open_first(session) is None
    said = [
        bar.message_text for bar in window.window.findChildren(MessageBar) if not bar.isHidden()
    ]
    assert any("not encrypted" in text for text in said) == (scheme == "http")


async def test_menu_and_palette_have_the_same(desk: tuple[Desk, Connections]) -> None:
    window, _ = desk
    window.connections_menu.aboutToShow.emit()
    in_menu = {action.text() for action in window.connections_menu.actions() if action.text()}
    entries = [entry for offer in window.around.palette._providers for entry in offer()]
    is_grey = {entry.title.removeprefix("Connect to "): entry.is_grey for entry in entries}
    of_the_server = {"Feeds, keys, backup…", "Import files…"}
    assert in_menu <= is_grey.keys()
    assert {title for title in in_menu if is_grey[title]} == of_the_server, "not enabled now"
    next(entry for entry in entries if entry.title == "New connection…").run()
    assert window.window.findChild(RemoteDialog) is not None


RECORDED = round(datetime(2026, 4, 16, 12).timestamp() * 1000)


def feed(
    *, running: bool = True, recorded_at: int | None = RECORDED, speed: float = 1
) -> FeedState:
    return FeedState(1, "replay:x", "replay of x", speed, False, running, "", recorded_at)


def test_a_replay_is_named_with_the_moment_it_plays_and_its_speed() -> None:
    assert badge_of([feed()]) == "Replay · 16 Apr 2026 12:00 · 1×"
    assert badge_of([feed(running=False), feed(speed=2.5)]) == "Replay · 16 Apr 2026 12:00 · 2.5×"


def test_odds_of_this_moment_get_no_badge() -> None:
    assert badge_of([]) == ""
    assert badge_of([feed(running=False), feed(recorded_at=None)]) == ""
    assert badge_of([msgspec.structs.replace(feed(), is_over=True)]) == ""
