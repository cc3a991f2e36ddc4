"""The list of saved connections: connect, add, edit, copy and delete."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

import msgspec
from PySide6.QtCore import QObject, Qt, Signal, SignalInstance
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QMenu, QPushButton, QTreeWidgetItem, QWidget

from oddsdesk.base.system_errors import error_text
from oddsdesk.base.tasks import cancel_tasks, in_daemon_thread, spawn
from oddsdesk.base.texts import _, translated
from oddsdesk.client.client import Client
from oddsdesk.client.diagnosis import diagnose, in_words
from oddsdesk.client.errors import ServiceError
from oddsdesk.desk.connections.profile_dialogs import EmbeddedDialog, RemoteDialog
from oddsdesk.desk.connections.profiles import (
    EMBEDDED_NAME,
    NAMED_LIKE_A_KEY,
    KeyPlace,
    Profile,
    ProfileError,
    Profiles,
    RemoteProfile,
    Secrets,
    SecretsError,
    check_profile,
    encryption_refusal,
    shown_name,
)
from oddsdesk.desk.ui.controls.dialogs import Dialog
from oddsdesk.desk.ui.controls.form_dialog import plain_table, with_buttons
from oddsdesk.desk.ui.controls.messages import MessageBar, sentence
from oddsdesk.desk.ui.spacing import GAP, MARGIN, vertical
from oddsdesk.desk.ui.theme.theme import SIZE, Theme, resize_scaled
from oddsdesk.desk.ui.theme.tokens import TextRole

_SIZE = (720, 380)
_NAME_WIDTH = 190


class ConnectionsDialog(Dialog):
    """Lists the connections and emits what the user asks for."""

    connect_requested = Signal(object)
    edit_requested = Signal(object)
    copy_requested = Signal(object)
    delete_requested = Signal(object)
    add_remote_requested = Signal()
    add_embedded_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Connections"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_scaled(self, theme, *_SIZE)
        self._present = ""
        self.list = plain_table(theme, _("Connections"), {_("Name"): _NAME_WIDTH, _("Address"): 0})
        self.list.currentItemChanged.connect(self._on_list_current_changed)
        self.list.itemDoubleClicked.connect(lambda: self._wish(self.edit_requested))
        room = QPixmap(SIZE, SIZE)
        room.fill(Qt.GlobalColor.transparent)
        self._no_mark = QIcon(room)
        self._question = MessageBar(theme, self)
        self._question.action_requested.connect(self._on_question_action_requested)
        self._question.closed.connect(self.list.setFocus)
        self._theme = theme
        self._buttons = {
            "Connect": self._button(_("&Connect"), lambda: self._wish(self.connect_requested)),
            "Edit": self._button(_("&Edit…"), lambda: self._wish(self.edit_requested)),
            "Copy": self._button(_("D&uplicate"), lambda: self._wish(self.copy_requested)),
            "Delete": self._button(_("&Delete"), self._ask_to_delete),
        }
        self._lay_out()

    @property
    def current_profile(self) -> Profile | None:
        item = self.list.currentItem()
        return None if item is None else item.data(0, Qt.ItemDataRole.UserRole)

    def show_profiles(self, profiles: tuple[Profile, ...], present: str) -> None:
        """List the connections; ``present`` is the name of the one in use."""
        selected = self.current_profile
        wanted = present if selected is None else selected.name
        self._present = present
        self.list.clear()
        for profile in profiles:
            item = QTreeWidgetItem([shown_name(profile), where(profile)])
            item.setData(0, Qt.ItemDataRole.UserRole, profile)
            item.setIcon(0, self._no_mark)
            if profile.name == present:
                item.setIcon(0, self._theme.icon("check", TextRole.UP))
                item.setToolTip(0, _("In use"))
            self.list.addTopLevelItem(item)
            if profile.name == wanted:
                self.list.setCurrentItem(item)
        self._show_buttons()

    def _lay_out(self) -> None:
        add = QMenu(self)
        add.addAction(_("To a service…")).triggered.connect(self.add_remote_requested)
        add.addAction(_("To the built-in server…")).triggered.connect(self.add_embedded_requested)
        new = QPushButton(_("&New"), autoDefault=False)
        new.setMenu(add)
        close = self._button(_("Close"), self.reject)
        row = with_buttons(self.list, *self._buttons.values(), new, last=close)
        row.setSpacing(GAP)
        vertical(self, row, self._question, margins=(MARGIN, MARGIN, MARGIN, MARGIN))
        self._buttons["Connect"].setDefault(True)

    def _button(self, title: str, act: object) -> QPushButton:
        button = QPushButton(title, autoDefault=False)
        button.clicked.connect(act)
        return button

    def _wish(self, signal: SignalInstance) -> None:
        if self.current_profile is not None:
            signal.emit(self.current_profile)

    def _ask_to_delete(self) -> None:
        profile = self.current_profile
        if profile is not None:
            text = _("Delete {name} and its key?").format(name=shown_name(profile))
            self._question.ask_question(text, action=_("Delete"))

    def _on_question_action_requested(self) -> None:
        self._question.hide()
        self.list.setFocus()
        self._wish(self.delete_requested)

    def _on_list_current_changed(self) -> None:
        self._question.hide()
        self._show_buttons()

    def _show_buttons(self) -> None:
        profile = self.current_profile
        for button in self._buttons.values():
            button.setEnabled(profile is not None)
        if profile is not None:
            is_in_use = profile.name == self._present
            self._buttons["Connect"].setEnabled(not is_in_use)
            self._buttons["Delete"].setEnabled(not is_in_use and profile.name != EMBEDDED_NAME)


def where(profile: Profile) -> str:
    """Return the address of a connection, or its database and feeds."""
    if isinstance(profile, RemoteProfile):
        return profile.base_url
    feeds = ", ".join(profile.feeds) or _("simulated until real odds arrive")
    database = profile.database or _("default database")
    return f"{database} · {feeds}"


T = TypeVar("T")
_NO_KEY: Final = _("Enter your key for this service.")


class ProfileController(QObject):
    """Opens the dialog of a connection, and saves and tests the input."""

    saved = Signal(object)
    """The connection as saved."""
    message_ready = Signal(str)
    """A line for the window's message bar, as the dialog is closed."""

    def __init__(self, theme: Theme, profiles: Profiles, secrets: Secrets) -> None:
        super().__init__()
        self._theme = theme
        self._profiles = profiles
        self._secrets = secrets
        self._tasks: set[asyncio.Task[None]] = set()
        self._test: asyncio.Task[None] | None = None

    def edit(self, profile: Profile, parent: QWidget, replaces: str | None) -> None:
        """Open a connection; saving replaces the one named ``replaces``, or adds a new one."""
        if isinstance(profile, RemoteProfile):
            self._edit_remote(profile, parent, replaces)
            return
        dialog = EmbeddedDialog(self._theme, profile, parent)
        dialog.save_requested.connect(lambda: self._save_embedded(dialog, replaces))
        dialog.open()

    def ask_key(self, profile: RemoteProfile, parent: QWidget) -> None:
        """Open a connection with the cursor in the key field."""
        self._edit_remote(profile, parent, profile.name).key.setFocus()

    def delete_profile(self, profile: Profile) -> None:
        """Delete a connection and its key."""
        try:
            self._profiles.remove_profile(profile.name)
        except OSError as error:
            self.message_ready.emit(_unwritable(error))
            return
        if isinstance(profile, RemoteProfile):
            self._do(self._forget(profile))

    async def cancel_test(self) -> None:
        """Cancel all running tasks."""
        await cancel_tasks(*self._tasks)

    def _edit_remote(
        self, profile: RemoteProfile, parent: QWidget, replaces: str | None
    ) -> RemoteDialog:
        dialog = RemoteDialog(self._theme, profile, parent)
        dialog.save_requested.connect(lambda: self._do(self._save_remote(dialog, replaces)))
        dialog.test_requested.connect(lambda: self._start_test(dialog))
        dialog.test_stopped.connect(lambda: self._stop_test(dialog))
        looking = self._do(self._look_for_key(dialog, profile))
        dialog.finished.connect(lambda: looking.cancel())
        dialog.finished.connect(lambda: self._stop_test(None))
        dialog.open()
        return dialog

    async def _look_for_key(self, dialog: RemoteDialog, profile: RemoteProfile) -> None:
        dialog.show_has_keyring(await _elsewhere(self._secrets.has_keyring))
        if not profile.ident:
            return
        try:
            kept = await _elsewhere(lambda: self._find_key(profile))
        except SecretsError:
            return  # saving or testing shows the error
        if kept is not None:
            dialog.show_key_kept()

    def _save_embedded(self, dialog: EmbeddedDialog, replaces: str | None) -> None:
        if trouble := dialog.feed.trouble():
            dialog.say_trouble(trouble, dialog.feed.path)
            return
        kept = self._put(dialog, dialog.values(), replaces)
        if kept is not None:
            dialog.accept()
            self.saved.emit(kept)

    async def _save_remote(self, dialog: RemoteDialog, replaces: str | None) -> None:
        entered = dialog.values()
        if not entered.key and replaces is None:
            dialog.say_trouble(_NO_KEY, dialog.key)
            return
        if entered.key and entered.key == entered.profile.name.strip():
            dialog.say_trouble(sentence(translated(NAMED_LIKE_A_KEY)), dialog.name)
            return
        kept = self._put(dialog, entered.profile, replaces)
        if kept is None:
            return
        assert isinstance(kept, RemoteProfile)
        dialog.accept()
        try:
            await _elsewhere(lambda: self._keep_key(kept, entered.key))
        except SecretsError as error:
            self.message_ready.emit(f"{kept.name}: {error}")
        self.saved.emit(kept)

    def _keep_key(self, profile: RemoteProfile, key: str) -> None:
        """Save the key in the chosen place; if none was entered, move the saved one there."""
        wanted = key or self._find_key(profile)
        if wanted is not None:
            self._secrets.keep_key(profile.ident, profile.key_place, wanted)

    def _find_key(self, profile: RemoteProfile) -> str | None:
        """Return the saved key from any place, as the user may just have changed the place."""
        for place in (profile.key_place, *KeyPlace):
            try:
                found = self._secrets.get_key(profile.ident, place)
            except SecretsError:
                if place is profile.key_place:
                    raise
                continue
            if found is not None:
                return found
        return None

    def _put(
        self, dialog: RemoteDialog | EmbeddedDialog, profile: Profile, replaces: str | None
    ) -> Profile | None:
        try:
            return self._profiles.save_profile(profile, replaces)
        except ProfileError as error:
            dialog.say_trouble(sentence(translated(str(error))), dialog.field(error.field))
        except OSError as error:
            dialog.say_trouble(_unwritable(error))
        return None

    def _start_test(self, dialog: RemoteDialog) -> None:
        dialog.show_testing()
        self._test = self._do(self._try(dialog))

    def _stop_test(self, dialog: RemoteDialog | None) -> None:
        if self._test is not None:
            self._test.cancel()
            self._test = None
        if dialog is not None:
            dialog.show_stopped()

    async def _try(self, dialog: RemoteDialog) -> None:
        entered = dialog.values()
        named = msgspec.structs.replace(entered.profile, name=entered.profile.name or "test")
        try:
            checked = check_profile(named)
            assert isinstance(checked, RemoteProfile)
            if refusal := encryption_refusal(checked):
                dialog.show_failure(refusal)
                return
            kept = None if entered.key else await _elsewhere(lambda: self._find_key(checked))
            key = entered.key or kept
            if not key:
                dialog.show_failure(_NO_KEY)
                return
            async with _client(checked, key) as client:
                dialog.show_diagnosis(await diagnose(client))
        except ProfileError as error:
            dialog.show_failure(sentence(translated(str(error))))
        except SecretsError as error:
            dialog.show_failure(sentence(str(error)))
        except ServiceError as error:
            dialog.show_failure(translated(in_words(error)))

    async def _forget(self, profile: RemoteProfile) -> None:
        try:
            await _elsewhere(lambda: self._secrets.drop_key(profile.ident))
        except SecretsError as error:
            self.message_ready.emit(f"{profile.name}: {error}")

    def _do(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = spawn("connections", work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _client(profile: RemoteProfile, key: str) -> Client:
    return Client(profile.base_url, key, auth_url=profile.auth_url, ws_url=profile.ws_url)


async def _elsewhere(work: Callable[[], T]) -> T:
    return await in_daemon_thread("keyring", work)


def _unwritable(error: OSError) -> str:
    return _("{path} cannot be written ({reason}). Nothing was changed.").format(
        path=error.filename, reason=translated(error_text(error))
    )
