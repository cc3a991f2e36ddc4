"""Adds, edits, tests and deletes saved connections, with their keys."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from oddsdesk.client.client import Client
from oddsdesk.client.diagnosis import diagnose, in_words
from oddsdesk.client.errors import ServiceError
from oddsdesk.desk.connections.profile_dialogs import EmbeddedDialog, RemoteDialog
from oddsdesk.desk.connections.profiles import (
    NAMED_LIKE_A_KEY,
    Profile,
    ProfileError,
    Profiles,
    RemoteProfile,
    check_profile,
    encryption_refusal,
)
from oddsdesk.desk.connections.secrets import KeyPlace, Secrets, SecretsError
from oddsdesk.desk.ui.background import in_background
from oddsdesk.desk.ui.controls.message_bar import sentence
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.tasks import spawn, stop

T = TypeVar("T")
_NO_KEY: Final = "Enter the key that the service gave you."


class ProfileController(QObject):
    """Opens the dialog of one connection, and saves and tests what was entered."""

    saved = Signal(object)
    """A connection as it is kept now."""
    message_ready = Signal(str)
    """One line for the window's message bar, since the dialog is closed."""

    def __init__(self, theme: Theme, profiles: Profiles, secrets: Secrets) -> None:
        super().__init__()
        self._theme = theme
        self._profiles = profiles
        self._secrets = secrets
        self._tasks: set[asyncio.Task[None]] = set()
        self._test: asyncio.Task[None] | None = None

    def edit(self, profile: Profile, parent: QWidget, replaces: str | None) -> None:
        """Show a connection; saving replaces the one named ``replaces``, or adds a new one."""
        if isinstance(profile, RemoteProfile):
            self._edit_remote(profile, parent, replaces)
            return
        dialog = EmbeddedDialog(self._theme, profile, parent)
        dialog.save_requested.connect(lambda: self._save_embedded(dialog, replaces))
        dialog.open()

    def ask_key(self, profile: RemoteProfile, parent: QWidget) -> None:
        """Show a connection whose key is wanted, the cursor where that is to be typed."""
        self._edit_remote(profile, parent, profile.name).key.setFocus()

    def delete(self, profile: Profile) -> None:
        """Drop a connection and its key."""
        try:
            self._profiles.remove(profile.name)
        except OSError as error:
            self.message_ready.emit(_unwritable(error))
            return
        if isinstance(profile, RemoteProfile):
            self._do(self._forget(profile))

    async def close(self) -> None:
        """Cancel what is under way."""
        await stop(*self._tasks)

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
            return  # saving or testing says why, where none is typed
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
            dialog.say_trouble(sentence(NAMED_LIKE_A_KEY), dialog.name)
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
        """Keep a key where it is wanted, the one that was kept if none was typed."""
        wanted = key or self._find_key(profile)
        if wanted is not None:
            self._secrets.put(profile.ident, profile.key_place, wanted)

    def _find_key(self, profile: RemoteProfile) -> str | None:
        """Return the kept key, wherever it is: its place may have been changed just now."""
        for place in (profile.key_place, *KeyPlace):
            try:
                found = self._secrets.get(profile.ident, place)
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
            return self._profiles.put(profile, replaces)
        except ProfileError as error:
            dialog.say_trouble(sentence(str(error)), dialog.field(error.field))
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
            dialog.show_failure(sentence(str(error)))
        except SecretsError as error:
            dialog.show_failure(sentence(str(error)))
        except ServiceError as error:
            dialog.show_failure(in_words(error))

    async def _forget(self, profile: RemoteProfile) -> None:
        try:
            await _elsewhere(lambda: self._secrets.forget(profile.ident))
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
    return await asyncio.wrap_future(in_background("keyring", work))


def _unwritable(error: OSError) -> str:
    return f"{error.filename}: cannot be written ({error.strerror}); nothing was changed."
