"""The dialogs: settings, connections and the embedded server, over real parts."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from keyring.backends.fail import Keyring as NoKeyring
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QPushButton, QSpinBox, QTreeWidgetItem, QWidget

from oddsdesk.clock import system_clock
from oddsdesk.contract.plans import Plan
from oddsdesk.desk.dialogs.connections_dialog import ConnectionsDialog
from oddsdesk.desk.dialogs.embedded_dialog import EmbeddedDialog
from oddsdesk.desk.dialogs.feed_fields import AUTOMATIC, FORMATS, REPLAY, FeedFields
from oddsdesk.desk.dialogs.import_page import ImportPage
from oddsdesk.desk.dialogs.profile_work import ProfileWork
from oddsdesk.desk.dialogs.remote_dialog import RemoteDialog
from oddsdesk.desk.dialogs.server_dialog import ServerDialog
from oddsdesk.desk.dialogs.server_work import ServerWork
from oddsdesk.desk.dialogs.settings_dialog import SettingsDialog
from oddsdesk.desk.embedding import EmbeddedSession
from oddsdesk.desk.layout import Layout
from oddsdesk.desk.profiles import EmbeddedProfile, Profiles, RemoteProfile
from oddsdesk.desk.secrets import KeyPlace, Secrets
from oddsdesk.desk.settings.declared import KEEP_DAYS, SCHEME, SECTIONS
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.feeds.importers import IMPORTERS

LIMIT_S = 10
REMOTE = RemoteProfile("Odds Co.", "http://127.0.0.1:9", key_place=KeyPlace.SESSION)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(LIMIT_S):
        while not holds():
            await asyncio.sleep(0.01)


@pytest.fixture
def preferences(qapp, tmp_path: Path) -> Preferences:
    return Preferences(Layout(tmp_path / "desk.ini"))


@pytest.fixture
def window(qtbot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


@pytest.fixture
async def session(qapp, tmp_path: Path) -> AsyncIterator[EmbeddedSession]:
    profile = EmbeddedProfile("x", str(tmp_path / "odds.db"), ("none",))
    made = EmbeddedSession(profile, 30, system_clock)
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
async def work(theme, tmp_path: Path) -> AsyncIterator[ProfileWork]:
    made = ProfileWork(theme, Profiles(tmp_path), Secrets(tmp_path, NoKeyring))
    yield made
    await made.close()


# Settings


def test_every_declared_setting_is_in_the_dialog_with_its_name_and_help(theme, preferences, window):
    dialog = SettingsDialog(theme, preferences, window)
    for setting in (each for section in SECTIONS for each in section.settings):
        control = dialog.controls[setting.key]
        assert control.accessibleName() == setting.label
        assert control.accessibleDescription() == setting.help


def test_what_is_chosen_holds_at_once_and_defaults_come_back(theme, preferences, window):
    dialog = SettingsDialog(theme, preferences, window)
    scheme, days = dialog.controls[SCHEME.key], dialog.controls[KEEP_DAYS.key]
    assert isinstance(scheme, QComboBox)
    assert isinstance(days, QSpinBox)
    scheme.setCurrentIndex(scheme.findData("light"))
    scheme.activated.emit(scheme.currentIndex())
    days.setValue(7)
    assert (preferences.get(SCHEME), preferences.get(KEEP_DAYS)) == ("light", 7)
    dialog.restore_defaults()
    assert (preferences.get(SCHEME), preferences.get(KEEP_DAYS)) == ("system", 30)
    assert (scheme.currentData(), days.value()) == ("system", 30)


def test_a_setting_changed_elsewhere_is_shown(theme, preferences, window):
    dialog = SettingsDialog(theme, preferences, window)
    toggles = {key: box for key, box in dialog.controls.items() if isinstance(box, QCheckBox)}
    setting = next(s for section in SECTIONS for s in section.settings if s.key in toggles)
    preferences.put(setting, not setting.default)
    assert toggles[setting.key].isChecked() is not setting.default


# A service elsewhere


def test_escape_keeps_what_was_typed_until_it_is_said_to_go(theme, window, qtbot):
    dialog = RemoteDialog(theme, REMOTE, window, has_key=True)
    dialog.open()
    qtbot.keyClicks(dialog.name, " 2")
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert dialog.name.text() == "Odds Co. 2"
    discard = next(b for b in dialog.findChildren(QPushButton) if b.text() == "Discard")
    with qtbot.waitSignal(dialog.rejected):
        qtbot.mouseClick(discard, Qt.MouseButton.LeftButton)


def test_escape_closes_at_once_where_nothing_was_typed(theme, window, qtbot):
    dialog = RemoteDialog(theme, REMOTE, window, has_key=True)
    dialog.open()
    with qtbot.waitSignal(dialog.rejected):
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_enter_saves(theme, window, qtbot):
    dialog = RemoteDialog(theme, REMOTE, window, has_key=True)
    dialog.open()
    with qtbot.waitSignal(dialog.save_requested):
        qtbot.keyClick(dialog.name, Qt.Key.Key_Return)


def test_the_key_is_hidden_until_it_is_asked_for(theme, window):
    dialog = RemoteDialog(theme, REMOTE, window, has_key=False)
    assert dialog.key.echoMode() is dialog.key.EchoMode.Password


def test_without_a_keyring_it_is_off_the_list_and_said(theme, window):
    keyring = RemoteProfile("a", "http://a.example", key_place=KeyPlace.KEYRING)
    dialog = RemoteDialog(theme, keyring, window, has_key=False)
    dialog.show_has_keyring(False)
    assert dialog.place.findData(KeyPlace.KEYRING) == -1
    assert dialog.values().profile.key_place is KeyPlace.SESSION
    assert not dialog.keyring_note.isHidden()
    assert not dialog.is_changed()


async def test_a_new_connection_is_tested_saved_and_its_key_kept(
    work, window, session, tmp_path, qtbot
):
    assert session.local is not None
    key = await session.local.create_key("anna", Plan.PRO, None)
    work.edit(RemoteProfile("There", session.local.address), window, None)
    (dialog,) = window.findChildren(RemoteDialog)
    qtbot.keyClicks(dialog.key, key)
    await until(lambda: dialog.place.findData(KeyPlace.KEYRING) == -1)
    dialog.place.setCurrentIndex(dialog.place.findData(KeyPlace.FILE))
    dialog.test_requested.emit()
    await until(lambda: "accepted" in dialog.diagnosis.text)
    assert "plan Pro ·" in dialog.diagnosis.text
    assert "In-play odds: not in this plan" in dialog.diagnosis.text
    saved: list[RemoteProfile] = []
    work.saved.connect(saved.append)
    dialog.save_requested.emit()
    await until(lambda: bool(saved))
    assert Profiles(tmp_path).find("there") == saved[0]
    assert Secrets(tmp_path, NoKeyring).get(saved[0].ident, KeyPlace.FILE) == key


async def test_a_failed_test_says_what_to_do_and_loses_nothing(work, window, session, qtbot):
    assert session.local is not None
    work.edit(RemoteProfile("There", session.local.address), window, None)
    (dialog,) = window.findChildren(RemoteDialog)
    qtbot.keyClicks(dialog.key, "wrong")
    dialog.test_requested.emit()
    await until(lambda: "Copy the key again" in dialog.diagnosis.text)
    assert dialog.values().key == "wrong"


async def test_a_test_can_be_stopped(work, window, qtbot):
    never = await asyncio.start_server(lambda _reader, writer: writer.close(), "127.0.0.1", 0)
    address = f"http://127.0.0.1:{never.sockets[0].getsockname()[1]}"
    work.edit(RemoteProfile("There", address), window, None)
    (dialog,) = window.findChildren(RemoteDialog)
    dialog.show()
    qtbot.keyClicks(dialog.key, "key")
    dialog.test_requested.emit()
    dialog.test_stopped.emit()
    assert dialog.diagnosis.isHidden()
    never.close()
    await never.wait_closed()


async def test_what_makes_no_sense_is_said_at_its_field_and_nothing_is_saved(
    work, window, tmp_path, qtbot
):
    work.edit(RemoteProfile("There", "odds.example"), window, None)
    (dialog,) = window.findChildren(RemoteDialog)
    qtbot.keyClicks(dialog.key, "key")
    dialog.save_requested.emit()
    await until(lambda: "Expected an address" in dialog.trouble.text)
    assert len(Profiles(tmp_path).all()) == 1


# The embedded server's connection


def test_an_embedded_profile_comes_out_as_it_went_in(theme, window):
    for profile in (
        EmbeddedProfile("a"),
        EmbeddedProfile("a", "/x/odds.db", ("none",), 1.0, "Pinnacle", "power"),
        EmbeddedProfile("a", None, ("replay:the-odds-api:/x/*.json.gz",), 60.0),
        EmbeddedProfile("a", None, ("replay:/x/y.ndjson",), 2.5),
        EmbeddedProfile("a", None, ("simulator", "replay:/x"), 1.0),
    ):
        dialog = EmbeddedDialog(theme, profile, window)
        assert dialog.values() == profile
        assert not dialog.is_changed()


def test_every_importer_can_be_replayed():
    assert {word for word, _ in FORMATS if word} == set(IMPORTERS)


def test_a_replay_without_a_file_is_said(qtbot):
    fields = FeedFields((AUTOMATIC, REPLAY))
    qtbot.addWidget(fields)
    assert fields.trouble() == ""
    fields.kind.setCurrentIndex(fields.kind.findData(REPLAY))
    assert "file" in fields.trouble()


# The list


def test_the_connection_in_use_and_the_first_one_cannot_be_deleted(theme, window):
    dialog = ConnectionsDialog(theme, window)
    dialog.show_profiles((EmbeddedProfile(), REMOTE), "Odds Co.")
    delete = next(b for b in dialog.findChildren(QPushButton) if b.text() == "&Delete")
    assert dialog.current == REMOTE
    assert not delete.isEnabled()
    dialog.show_profiles((EmbeddedProfile(), REMOTE), "Embedded server")
    assert delete.isEnabled()
    dialog.list.setCurrentItem(dialog.list.topLevelItem(0))
    assert not delete.isEnabled()


def test_the_row_where_the_keyboard_is_can_be_seen(theme, window, qtbot):
    dialog = ConnectionsDialog(theme, window)
    with qtbot.waitActive(dialog):
        dialog.show()
    dialog.findChildren(QPushButton)[0].setFocus()
    dialog.list.addTopLevelItem(QTreeWidgetItem(["Odds Co.", "there"]))
    dialog.list.setFocus(Qt.FocusReason.TabFocusReason)
    assert dialog.list.currentItem() is not None
    assert dialog.list.selectedItems() == [dialog.list.currentItem()]


# The embedded server


@pytest.fixture
async def server(theme, preferences, window, session) -> AsyncIterator[ServerDialog]:
    assert session.local is not None
    dialog = ServerDialog(theme, session.local.address, 30, window)
    made = ServerWork(dialog, session.local, preferences, system_clock)
    await until(lambda: dialog.keys.list.topLevelItemCount() == 1)
    yield dialog
    await made.close()


async def test_a_key_is_made_and_shown_once_rotated_and_revoked(server, qtbot):
    page = server.keys
    page.account.setText("anna")
    page.make.click()
    await until(lambda: page.list.topLevelItemCount() == 2)
    first = page.made.key.text()
    assert first in page.made.command.text()
    shown = [page.list.topLevelItem(row).text(0) for row in range(2)]
    assert all(first not in text for text in shown)
    assert page.list.currentItem() is page.list.topLevelItem(0)
    page.rotate.click()
    page._question.action_requested.emit()
    await until(lambda: page.made.key.text() != first)
    page.revoke.click()
    page._question.action_requested.emit()
    await until(lambda: page.list.topLevelItem(1).text(5) == "Revoked")
    assert page.made.isHidden()
    assert page.made.key.text() == ""


async def test_the_key_that_the_desk_itself_uses_can_be_neither_rotated_nor_revoked(server):
    page = server.keys
    own = page.list.topLevelItem(0)
    assert (page.list.currentItem(), own.text(5)) == (own, "This desk's")
    assert not page.rotate.isEnabled()
    assert not page.revoke.isEnabled()
    page.make.click()
    await until(lambda: page.list.topLevelItemCount() == 2)
    assert page.revoke.isEnabled()


async def test_a_copied_key_is_said_to_be_until_there_is_another(server, qapp):
    page = server.keys
    page.show_secret("oddsdesk_live_" + "a" * 32)
    copy = next(b for b in page.made.findChildren(QPushButton) if "new key" in b.accessibleName())
    copy.click()
    assert qapp.clipboard().text() == page.made.key.text()
    assert copy.text() == "Copied"
    page.show_secret("oddsdesk_live_" + "b" * 32)
    assert copy.text() == "Copy"


async def test_the_free_plan_needs_its_bookmaker(server):
    page = server.keys
    page.plan.setCurrentIndex(page.plan.findData(Plan.FREE))
    page.make.click()
    assert "one bookmaker" in server.message.text
    page.bookmaker.setText("Betfair")
    page.make.click()
    await until(lambda: page.list.topLevelItemCount() == 2)
    assert page.list.topLevelItem(0).text(3) == "Betfair"


async def test_the_sixth_key_is_refused_in_words(server):
    for count in range(2, 7):
        server.keys.make.click()
        await until(lambda: server.keys.list.topLevelItemCount() == count)  # noqa: B023
    server.keys.make.click()
    await until(lambda: "revoke one first" in server.message.text)


async def test_a_feed_is_added_stopped_and_started(server):
    page = server.feeds
    page.fields.kind.setCurrentIndex(page.fields.kind.findData("simulator"))
    page.add.click()
    await until(lambda: page.list.topLevelItemCount() == 1)
    assert page.list.topLevelItem(0).text(2) == "Running"
    page.stop.click()
    await until(lambda: page.list.topLevelItem(0).text(2) == "Stopped")
    page.start.click()
    await until(lambda: page.list.topLevelItem(0).text(2) == "Running")


async def test_a_feed_that_cannot_be_opened_is_said(server):
    server.feeds.fields.path.setText("/nowhere/at/all.ndjson")
    server.feeds.add.click()
    await until(lambda: "no such file" in server.message.text)


async def test_the_database_is_shown_and_backed_up(server, tmp_path):
    await until(lambda: server.server.backup.isEnabled())
    assert server.server.database.text() == str(tmp_path / "odds.db")
    server.server.backup_requested.emit(str(tmp_path / "copy.db"))
    await until(lambda: "copied to" in server.message.text)
    assert (tmp_path / "copy.db").stat().st_size > 0


async def test_retention_is_the_setting(server, preferences):
    server.server.days.setValue(7)
    assert preferences.get(KEEP_DAYS) == 7


FIXTURES_CSV = (
    "Div,Date,Time,HomeTeam,AwayTeam,PSH,PSD,PSA,B365H,B365D,B365A\n"
    "E0,16/08/2025,15:00,Aston Villa,Newcastle,2.1,3.5,3.6,2.05,3.4,3.5\n"
    "E0,17/08/2025,15:00,Arsenal,Chelsea,1.9,3.5,0.5,1.85,3.4,4.2\n"
)


async def test_files_are_imported_once_and_every_price_is_accounted_for(server, tmp_path):
    (tmp_path / "E0.csv").write_text(FIXTURES_CSV)
    (tmp_path / "torn.csv").write_text("no,such,columns\n1,2,3\n")
    page = server.imports
    page.format.setCurrentIndex(page.format.findData("football-data"))
    page.take([str(tmp_path / "E0.csv"), str(tmp_path / "torn.csv")])
    assert not page.choose.isEnabled()
    assert page.state.text() == "Importing 2 files…"
    await until(page.choose.isEnabled)
    assert page.state.text().startswith("12 prices read: ")
    assert "price changes recorded" in page.state.text()
    said = page.outcome.toPlainText()
    assert "torn.csv" in said
    assert "Skipped" in said
    assert "inferred from the kick-offs" in said
    first = page.state.text()
    page.take([str(tmp_path / "E0.csv")])
    await until(page.choose.isEnabled)
    assert page.state.text().endswith(" 0 price changes recorded."), f"again after {first}"


async def test_a_format_that_does_not_fit_finds_no_price(server, tmp_path):
    (tmp_path / "E0.csv").write_text(FIXTURES_CSV)
    page = server.imports
    page.format.setCurrentIndex(page.format.findData("the-odds-api"))
    page.take([str(tmp_path / "E0.csv")])
    await until(page.choose.isEnabled)
    assert page.state.text() == "No price was found."
    assert "E0.csv" in page.outcome.toPlainText()


async def test_what_the_server_refuses_to_import_is_said_and_files_are_taken_again(
    server, session, tmp_path
):
    await session.stop()
    server.imports.take([str(tmp_path / "E0.csv")])
    await until(lambda: "has stopped" in server.message.text)
    assert server.imports.choose.isEnabled()


def test_every_format_of_the_command_can_be_imported(theme, qtbot):
    page = ImportPage(theme)
    qtbot.addWidget(page)
    offered = {page.format.itemData(row) for row in range(page.format.count())}
    assert offered == set(IMPORTERS)
