"""A connection to a service elsewhere: typed, tested, saved, nothing lost."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from keyring.backends.fail import Keyring as NoKeyring
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QPushButton

from oddsdesk.client.diagnosis import Diagnosis, Right
from oddsdesk.contract.access import Plan
from oddsdesk.desk.connections.dialog import ProfileController
from oddsdesk.desk.connections.profile_dialogs import RemoteDialog
from oddsdesk.desk.connections.profiles import KeyPlace, Profiles, RemoteProfile, Secrets
from oddsdesk.desk.ui.spacing import HALF
from tests.kit.connections import REMOTE
from tests.kit.waiting import until


@pytest.fixture
async def work(theme, tmp_path: Path) -> AsyncIterator[ProfileController]:
    made = ProfileController(theme, Profiles(tmp_path), Secrets(tmp_path, NoKeyring))
    yield made
    await made.cancel_test()


def test_escape_keeps_what_was_typed_until_it_is_said_to_go(theme, window, qtbot):
    dialog = RemoteDialog(theme, REMOTE, window)
    dialog.open()
    qtbot.keyClicks(dialog.name, " 2")
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert dialog.name.text() == "Odds Co. 2"
    discard = next(b for b in dialog.findChildren(QPushButton) if b.text() == "Discard")
    with qtbot.waitSignal(dialog.rejected):
        qtbot.mouseClick(discard, Qt.MouseButton.LeftButton)


def test_escape_closes_at_once_where_nothing_was_typed(theme, window, qtbot):
    dialog = RemoteDialog(theme, REMOTE, window)
    dialog.open()
    with qtbot.waitSignal(dialog.rejected):
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_enter_saves(theme, window, qtbot):
    dialog = RemoteDialog(theme, REMOTE, window)
    dialog.open()
    with qtbot.waitSignal(dialog.save_requested):
        qtbot.keyClick(dialog.name, Qt.Key.Key_Return)


def test_the_key_is_hidden_until_it_is_asked_for(theme, window):
    dialog = RemoteDialog(theme, REMOTE, window)
    assert dialog.key.echoMode() is dialog.key.EchoMode.Password


def test_without_a_keyring_it_is_off_the_list_and_said(theme, window):
    keyring = RemoteProfile("a", "http://a.example", key_place=KeyPlace.KEYRING)
    dialog = RemoteDialog(theme, keyring, window)
    dialog.show_has_keyring(False)
    assert dialog.place.findData(KeyPlace.KEYRING) == -1
    assert dialog.values().profile.key_place is KeyPlace.SESSION
    assert not dialog.keyring_note.isHidden()
    assert not dialog.is_changed()


def test_who_else_could_read_the_key_is_said_while_the_address_is_typed(theme, window):
    dialog = RemoteDialog(theme, RemoteProfile("a", "https://a.example"), window)
    assert dialog.unencrypted.isHidden()
    dialog.base_url.setText("http://a.example")
    assert not dialog.unencrypted.isHidden()
    assert "http://a.example and ws://a.example are not encrypted" in dialog.unencrypted.text()
    dialog.base_url.setText("https://a.example")
    dialog.auth_url.setText("http://a.example")
    assert "http://a.example is not encrypted" in dialog.unencrypted.text()
    dialog.auth_url.setText("")
    dialog.ws_url.setText("ws://a.example")
    assert "ws://a.example is not encrypted" in dialog.unencrypted.text()
    assert not dialog.sends_unencrypted.isHidden()
    dialog.ws_url.setText("")
    assert dialog.unencrypted.isHidden()
    assert dialog.sends_unencrypted.isHidden()


EVERYTHING = Diagnosis(
    Plan.PRO_RT,
    (Right("value bets", True), Right("in-play odds", False), Right("stream", True)),
    None,
)
LONG = "This machine cannot reach no.such.host.example: check the address and the network. " * 3


@pytest.mark.parametrize("size", [100, 160])
def test_the_dialog_keeps_its_size_whatever_is_said_and_no_text_stands_over_a_field(
    theme, window, qtbot, size
):
    theme.zoom(size)
    dialog = RemoteDialog(theme, RemoteProfile("a", "https://a.example"), window)
    dialog.open()
    qtbot.waitExposed(dialog)
    dialog.show_has_keyring(False)
    first = dialog.size()
    for say in (
        lambda: qtbot.keyClicks(dialog.auth_url, "http://a.example"),
        dialog.show_testing,
        lambda: dialog.show_diagnosis(EVERYTHING),
        lambda: dialog.show_failure(LONG),
        lambda: dialog.say_trouble("The address has no name of a machine."),
        lambda: dialog.base_url.setText(f"https://{'long-' * 40}.example"),
    ):
        say()
        QApplication.sendPostedEvents()
        qtbot.wait(1)
        assert dialog.size() == first
        said = dialog.diagnosis.mapTo(dialog, QPoint()).y()
        assert dialog.diagnosis.isHidden() or said > dialog.ws_url.geometry().bottom()
    theme.zoom(100)


def test_what_was_found_by_a_test_is_in_sight_and_whole(theme, window, qtbot):
    dialog = RemoteDialog(theme, RemoteProfile("a", "http://a.example"), window)
    dialog.open()
    dialog.show_has_keyring(False)
    for say in (lambda: dialog.show_failure(LONG), lambda: dialog.show_diagnosis(EVERYTHING)):
        say()
        said = dialog.diagnosis
        qtbot.waitUntil(lambda said=said: said.height() >= said.heightForWidth(said.width()) > 0)
        qtbot.waitUntil(lambda said=said: said.visibleRegion().boundingRect() == said.rect())


def test_a_result_is_dropped_when_what_was_tested_is_edited(theme, window, qtbot):
    dialog = RemoteDialog(theme, REMOTE, window)
    for field in (dialog.base_url, dialog.key, dialog.auth_url, dialog.ws_url):
        dialog.show_failure("No.")
        field.setText(f"{field.text()}x")
        assert dialog.diagnosis.isHidden()
    dialog.show_testing()
    with qtbot.waitSignal(dialog.test_stopped):
        dialog.key.setText("other")
    dialog.show_failure("No.")
    dialog.name.setText("Another")
    assert not dialog.diagnosis.isHidden(), "the name was not tested"


def test_what_is_said_of_a_missing_keyring_stands_close_under_its_field(theme, window, qtbot):
    dialog = RemoteDialog(theme, REMOTE, window)
    dialog.show_has_keyring(False)
    dialog.open()
    qtbot.waitUntil(lambda: dialog.keyring_note.y() - dialog.place.geometry().bottom() == HALF + 1)


async def test_a_new_connection_is_tested_saved_and_its_key_kept(
    work, window, session, tmp_path, qtbot
):
    assert session.local is not None
    key = await session.local.create_key("anna", Plan.PRO, None)
    work.edit(RemoteProfile("There", session.local.url), window, None)
    (dialog,) = window.findChildren(RemoteDialog)
    qtbot.keyClicks(dialog.key, key)
    await until(lambda: dialog.place.findData(KeyPlace.KEYRING) == -1)
    dialog.place.setCurrentIndex(dialog.place.findData(KeyPlace.FILE))
    dialog.test_requested.emit()
    await until(lambda: "accepted" in dialog.diagnosis.diagnosis_text)
    assert "plan Pro ·" in dialog.diagnosis.diagnosis_text
    assert "In-play odds: not in this plan" in dialog.diagnosis.diagnosis_text
    saved: list[RemoteProfile] = []
    work.saved.connect(saved.append)
    dialog.save_requested.emit()
    await until(lambda: bool(saved))
    assert Profiles(tmp_path).find_profile("there") == saved[0]
    assert Secrets(tmp_path, NoKeyring).get_key(saved[0].ident, KeyPlace.FILE) == key


async def test_a_failed_test_says_what_to_do_and_loses_nothing(work, window, session, qtbot):
    assert session.local is not None
    work.edit(RemoteProfile("There", session.local.url), window, None)
    (dialog,) = window.findChildren(RemoteDialog)
    qtbot.keyClicks(dialog.key, "wrong")
    dialog.test_requested.emit()
    await until(lambda: "Copy the key again" in dialog.diagnosis.diagnosis_text)
    assert dialog.values().key == "wrong"
    assert dialog.diagnosis.diagnosis_text.startswith("The service does not know this key. Copy")
    assert "X-Api-Key" not in dialog.diagnosis.diagnosis_text
    dialog.key.clear()
    dialog.test_requested.emit()
    await until(lambda: dialog.diagnosis.diagnosis_text == "Enter your key for this service.")


async def test_a_key_is_said_to_be_kept_only_where_one_is(work, window):
    kept = work._profiles.save_profile(REMOTE)
    assert isinstance(kept, RemoteProfile)
    work._secrets.keep_key(kept.ident, KeyPlace.SESSION, "key")
    work.edit(kept, window, kept.name)
    (dialog,) = window.findChildren(RemoteDialog)
    await until(lambda: dialog.key.placeholderText() == "Saved; type to replace it")
    dialog.close()


async def test_a_key_that_is_kept_no_more_is_typed_at_once_and_into_its_field(
    work, window, tmp_path, qtbot
):
    kept = work._profiles.save_profile(REMOTE)
    assert isinstance(kept, RemoteProfile)
    work.ask_key(kept, window)
    (dialog,) = window.findChildren(RemoteDialog)
    qtbot.waitUntil(lambda: dialog.focusWidget() is dialog.key)
    await until(lambda: dialog.place.findData(KeyPlace.KEYRING) == -1)
    await until(lambda: not work._tasks)
    assert dialog.key.placeholderText() == "oddsdesk_live_…"
    qtbot.keyClicks(dialog.focusWidget(), "secret")
    dialog.save_requested.emit()
    await until(lambda: work._secrets.get_key(kept.ident, KeyPlace.SESSION) == "secret")
    assert Profiles(tmp_path).find_profile(REMOTE.name) == kept


async def test_a_key_in_the_field_of_the_name_is_refused(work, window, tmp_path, qtbot):
    work.edit(RemoteProfile("", "http://127.0.0.1:9"), window, None)
    (dialog,) = window.findChildren(RemoteDialog)
    qtbot.keyClicks(dialog.key, "secret")
    qtbot.keyClicks(dialog.name, "secret")
    dialog.save_requested.emit()
    await until(lambda: "This looks like a key" in dialog.trouble.message_text)
    assert not (tmp_path / "connections.json").exists()


async def test_no_key_is_sent_unencrypted_to_another_machine_unless_that_is_allowed(
    work, window, qtbot
):
    """D85: a test sends it, too."""
    work.edit(RemoteProfile("There", "http://odds.invalid"), window, None)
    (dialog,) = window.findChildren(RemoteDialog)
    qtbot.keyClicks(dialog.key, "key")
    dialog.test_requested.emit()
    await until(
        lambda: (
            "To allow it anyway, tick “Send the key unencrypted”" in dialog.diagnosis.diagnosis_text
        )
    )
    dialog.sends_unencrypted.setChecked(True)
    assert dialog.diagnosis.isHidden()
    assert dialog.values().profile.sends_key_unencrypted
    dialog.test_requested.emit()
    await until(lambda: "This machine cannot reach" in dialog.diagnosis.diagnosis_text)


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
    await until(lambda: "Expected an address" in dialog.trouble.message_text)
    assert len(Profiles(tmp_path).all_profiles()) == 1
