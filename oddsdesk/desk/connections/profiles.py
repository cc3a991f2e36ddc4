"""Saved connections: the built-in server and remote services. Keys are kept elsewhere."""

import logging
import re
import threading
import unicodedata
import uuid
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from oddsdesk.base.clock import REPLAY_SPEEDS
from oddsdesk.base.files import whole_file
from oddsdesk.base.keyring import Keyring, KeyringError, system_keyring
from oddsdesk.base.numbers import num
from oddsdesk.base.places import make_folder
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.client.errors import AddressError
from oddsdesk.client.requests import read_addresses
from oddsdesk.pricing.devig import DEFAULT_METHOD, METHODS

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

OWNER_ONLY: Final = 0o600


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file that only its owner may read; on ``OSError`` the old one stays unchanged."""
    make_folder(path.parent)
    with whole_file(path, OWNER_ONLY, private=True) as file:
        file.write(content)


_KEYS_FILE: Final = "keys.json"


class KeyPlace(Enum):
    """Where a key is kept; the value is used in the connections file."""

    KEYRING = "keyring"
    SESSION = "session"
    FILE = "file"


class SecretsError(Exception):
    """A key cannot be saved or read; one line with what to do."""


class Secrets:
    """Keys by the ident of their connection. Methods may block, so not for the GUI thread."""

    def __init__(
        self, folder: Path, backend: Callable[[], "KeyringBackend"] = system_keyring
    ) -> None:
        self._path = folder / _KEYS_FILE
        self._keyring = Keyring(backend)
        self._session: dict[str, str] = {}
        self._lock = threading.Lock()

    def has_keyring(self) -> bool:
        """Return whether this machine has a usable keyring."""
        return self._keyring.is_there()

    def get_key(self, ident: str, place: KeyPlace) -> str | None:
        """Return a key, or None if there is none.

        Raises:
            SecretsError: The place cannot be read.
        """
        with self._lock:
            if (held := self._session.get(ident)) is not None:
                return held
            match place:
                case KeyPlace.KEYRING:
                    return self._from_keyring(ident)
                case KeyPlace.FILE:
                    return self._read_file().get(ident)
                case KeyPlace.SESSION:
                    return None

    def keep_key(self, ident: str, place: KeyPlace, key: str) -> None:
        """Save a key in one place and remove it from the others.

        Raises:
            SecretsError: It cannot be saved there; it is still kept for this session.
        """
        with self._lock:
            self._session[ident] = key
            if place is KeyPlace.KEYRING:
                self._to_keyring(ident, key)
            if place is KeyPlace.FILE:
                self._write_file({**self._read_file(), ident: key})
            self._forget_elsewhere(ident, place)

    def drop_key(self, ident: str) -> None:
        """Delete a key from every place."""
        with self._lock:
            self._session.pop(ident, None)
            self._forget_elsewhere(ident, KeyPlace.SESSION)

    def _forget_elsewhere(self, ident: str, place: KeyPlace) -> None:
        if place is not KeyPlace.FILE and self._path.exists():
            kept = self._read_file()
            if kept.pop(ident, None) is not None:
                self._write_file(kept)
        if place is not KeyPlace.KEYRING and self.has_keyring():
            try:
                self._keyring.drop_key(ident)
            except KeyringError as error:
                _log.warning("an old key could not be removed from the keyring: %s", error)

    def _from_keyring(self, ident: str) -> str | None:
        try:
            return self._keyring.get_key(ident)
        except KeyringError as error:
            raise SecretsError(
                _("the keyring cannot be read ({error}); unlock it or enter the key again").format(
                    error=error
                )
            ) from error

    def _to_keyring(self, ident: str, key: str) -> None:
        try:
            self._keyring.keep_key(ident, key)
        except KeyringError as error:
            raise SecretsError(
                _(
                    "the keyring did not accept the key ({error}); it is kept for this session only"
                ).format(error=error)
            ) from error

    def _read_file(self) -> dict[str, str]:
        try:
            if self._path.stat().st_mode & ~OWNER_ONLY & 0o077:
                self._path.chmod(OWNER_ONLY)
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, str])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise SecretsError(
                _("{path}: cannot be read ({reason}); repair or rename it").format(
                    path=self._path, reason=_said(error)
                )
            ) from error

    def _write_file(self, kept: dict[str, str]) -> None:
        try:
            write_whole(self._path, msgspec.json.encode(kept))
        except OSError as error:
            raise SecretsError(
                _(
                    "{path}: cannot be written ({reason}); the key is kept for this session only"
                ).format(path=self._path, reason=_said(error))
            ) from error


def _said(error: BaseException) -> str:
    return translated(" ".join(error_text(error).split())) or type(error).__name__


EMBEDDED_NAME: Final = N_("Built-in server")
_OLD_EMBEDDED_NAME: Final = "Embedded server"
"""Its name up to 0.1, which files and scripts may still hold."""
GUEST_NAME: Final = N_("Running server")
NAME_LIMIT: Final = 60
NAMED_LIKE_A_KEY: Final = N_("this looks like a key; enter it in Key, and a name here")
_LIKE_A_KEY: Final = re.compile(r"oddsdesk_live_|[\w+/=-]{32,}", re.IGNORECASE)
SENDS_UNENCRYPTED: Final = _("Send the key unencrypted")
"""A label of the dialog that messages quote."""

_FILE: Final = "connections.json"
_log = logging.getLogger(__name__)


class EmbeddedProfile(
    msgspec.Struct, frozen=True, tag="embedded", forbid_unknown_fields=True, omit_defaults=True
):
    """The built-in server.

    Attributes:
        database: None for the default one.
        feeds: Empty for simulated odds until there are real ones; ``("none",)`` for no feed.
        guest: Whether it uses the server that another process runs on the database. Never saved.
        access: The file of its keys, if it is not next to the database.
    """

    name: str = EMBEDDED_NAME
    database: str | None = None
    feeds: tuple[str, ...] = ()
    speed: float = 1.0
    reference: str | None = None
    devig_method: str = DEFAULT_METHOD
    guest: bool = False
    access: str | None = None


class RemoteProfile(msgspec.Struct, frozen=True, tag="remote", forbid_unknown_fields=True):
    """A connection to a service.

    Attributes:
        ident: The name its key is kept under; it stays when the connection is renamed.
        sends_key_unencrypted: Whether the user allows sending the key without encryption.
    """

    name: str
    base_url: str
    auth_url: str | None = None
    ws_url: str | None = None
    key_place: KeyPlace = KeyPlace.KEYRING
    ident: str = ""
    sends_key_unencrypted: bool = False


Profile = EmbeddedProfile | RemoteProfile


class ProfileError(Exception):
    """A connection cannot be saved; ``field`` is the invalid field."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class UnknownProfileError(LookupError):
    """There is no connection of this name; the message lists the known ones."""


class _File(msgspec.Struct):
    last: str = EMBEDDED_NAME
    joined: list[str] = []
    """Connections that use another process's server on their database, if one runs."""
    connections: list[msgspec.Raw] = []


class Profiles:
    """The saved connections; unreadable entries stay in the file and are reported."""

    def __init__(self, folder: Path) -> None:
        self.problems: list[str] = []
        """What could not be read, one line each."""
        self._path = folder / _FILE
        self._profiles: list[Profile] = [EmbeddedProfile()]
        self._unread: list[msgspec.Raw] = []
        self._last = EMBEDDED_NAME
        self._joined: list[str] = []
        self._load()

    def all_profiles(self) -> tuple[Profile, ...]:
        """Return all connections: built-in servers first, then by name."""
        ordered = sorted(self._profiles, key=_place)
        return tuple(ordered)

    def find_profile(self, name: str) -> Profile:
        """Return a connection by its name, ignoring case.

        Raises:
            UnknownProfileError: There is none; the message lists the known ones.
        """
        for wanted in (name, self._renamed(name)):
            for profile in self._profiles:
                if _folded(profile.name) == _folded(wanted):
                    return profile
        known = ", ".join(f"'{profile.name}'" for profile in self.all_profiles())
        raise UnknownProfileError(
            _("no connection is called {name!r}; there are {known}").format(name=name, known=known)
        )

    @property
    def last(self) -> Profile:
        """The connection used last; the built-in server if that no longer exists."""
        try:
            return self.find_profile(self._last)
        except UnknownProfileError:
            return self.find_profile(EMBEDDED_NAME)

    def remember(self, profile: Profile) -> None:
        """Save which connection was used last, and whether it used another process's server.

        Raises:
            OSError: The file cannot be written.
        """
        kept = next((each for each in self._profiles if _is_kept_as(profile, each)), None)
        if kept is None:
            return
        joined = list(self._joined)
        if profile != kept and kept.name not in joined:
            joined.append(kept.name)
        if (kept.name, joined) != (self._last, self._joined):
            self._last, self._joined = kept.name, joined
            self._save()

    def joins(self, profile: Profile) -> bool:
        """Return whether the user has chosen another process's server for this connection
        before."""
        return profile in self._profiles and profile.name in self._joined

    def save_profile(self, profile: Profile, replaces: str | None = None) -> Profile:
        """Add or replace a connection, and return it as saved.

        Raises:
            ProfileError: It is invalid, its name is taken, or its name looks like a key.
            OSError: The file cannot be written; nothing was changed.
        """
        checked = check_profile(profile)
        if isinstance(checked, RemoteProfile) and _LIKE_A_KEY.search(checked.name):
            raise ProfileError("name", NAMED_LIKE_A_KEY)
        others = [other for other in self._profiles if other.name != replaces]
        if any(_folded(other.name) == _folded(checked.name) for other in others):
            raise ProfileError(
                "name",
                N_("there is already a connection called {name!r}").format(name=checked.name),
            )
        before = self._profiles, self._last, self._joined
        self._profiles = [*others, checked]
        if replaces == self._last:
            self._last = checked.name
        self._joined = [checked.name if name == replaces else name for name in self._joined]
        self._save_or_restore(before)
        return checked

    def remove_profile(self, name: str) -> None:
        """Delete a connection, except the built-in server. On ``OSError`` nothing is changed."""
        before = self._profiles, self._last, self._joined
        self._profiles = [
            other for other in self._profiles if other.name != name or name == EMBEDDED_NAME
        ]
        if all(other.name != name for other in self._profiles):
            self._joined = [joined for joined in self._joined if joined != name]
        self._save_or_restore(before)

    def free_name(self, wanted: str) -> str:
        """Return a free name: ``Odds 2`` for a second ``Odds``."""
        taken = {_folded(profile.name) for profile in self._profiles}
        name, number = wanted, 2
        while _folded(name) in taken:
            name, number = f"{wanted} {number}", number + 1
        return name

    def _save_or_restore(self, before: tuple[list[Profile], str, list[str]]) -> None:
        try:
            self._save()
        except OSError:
            self._profiles, self._last, self._joined = before
            raise

    def _save(self) -> None:
        raw = [msgspec.Raw(msgspec.json.encode(profile)) for profile in self._profiles]
        content = msgspec.json.encode(_File(self._last, self._joined, [*raw, *self._unread]))
        write_whole(self._path, msgspec.json.format(content))

    def _load(self) -> None:
        try:
            file = msgspec.json.decode(self._path.read_bytes(), type=_File)
        except FileNotFoundError:
            return
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            self.problems.append(
                N_("{path}: cannot be read ({error}); it has been renamed").format(
                    path=self._path, error=" ".join(error_text(error).split())
                )
            )
            try:
                self._path.replace(self._path.with_name(f"{_FILE}.unreadable"))
            except OSError as error:
                _log.warning("%s cannot be renamed: %s", self._path, error)
            return
        self._read_all(file.connections)
        self._last = self._renamed(file.last)
        self._joined = [self._renamed(name) for name in file.joined]

    def _renamed(self, name: str) -> str:
        """Return the present name of the built-in server for its old one; else the name itself."""
        is_taken = any(_folded(each.name) == _folded(name) for each in self._profiles)
        is_old = _folded(name) == _folded(_OLD_EMBEDDED_NAME)
        return EMBEDDED_NAME if is_old and not is_taken else name

    def _read_all(self, connections: Iterable[msgspec.Raw]) -> None:
        for raw in connections:
            try:
                profile = check_profile(msgspec.json.decode(raw, type=Profile))
            except (msgspec.DecodeError, ProfileError) as error:
                self.problems.append(
                    N_("{path}: skipped a connection: {error}").format(path=self._path, error=error)
                )
                self._unread.append(raw)
                continue
            kept = [other for other in self._profiles if other.name != profile.name]
            self._profiles = [*kept, profile]


def shown_name(profile: Profile) -> str:
    """Return the name of a connection as people read it."""
    return translated(profile.name) if isinstance(profile, EmbeddedProfile) else profile.name


def guest_of(profile: EmbeddedProfile) -> EmbeddedProfile:
    """Return the profile that uses another process's server on the same database."""
    return msgspec.structs.replace(profile, name=GUEST_NAME, guest=True)


def check_profile(profile: Profile) -> Profile:
    """Return the connection with cleaned-up texts.

    Raises:
        ProfileError: A field is invalid; names it and what was expected.
    """
    name = " ".join(profile.name.split())
    if not name or not name.isprintable() or len(name) > NAME_LIMIT:
        raise ProfileError(
            "name", N_("expected a name of 1 to {most} characters").format(most=NAME_LIMIT)
        )
    if isinstance(profile, RemoteProfile):
        return _check_remote(profile, name)
    if profile.devig_method not in METHODS:
        raise ProfileError(
            "devig_method",
            N_("there is no devig method {method!r}").format(method=profile.devig_method),
        )
    if not REPLAY_SPEEDS[0] <= profile.speed <= REPLAY_SPEEDS[1]:
        raise ProfileError(
            "speed",
            N_("expected a speed from {least:g} to {most:,.0f}").format(
                least=num(REPLAY_SPEEDS[0]), most=num(REPLAY_SPEEDS[1])
            ),
        )
    return msgspec.structs.replace(profile, name=name)


def encryption_warning(profile: Profile) -> str:
    """Return a warning if others could read the key on its way; empty if not, or if invalid."""
    if not isinstance(profile, RemoteProfile):
        return ""
    try:
        return translated(
            read_addresses(profile.base_url, profile.auth_url, profile.ws_url).warning
        )
    except AddressError:
        return ""


def encryption_refusal(profile: RemoteProfile) -> str:
    """Return why a connection must not be made, in one line; empty if it may."""
    warning = "" if profile.sends_key_unencrypted else encryption_warning(profile)
    return (
        _("{warning} To allow it anyway, tick “{label}”.").format(
            warning=warning, label=SENDS_UNENCRYPTED
        )
        if warning
        else ""
    )


def _check_remote(profile: RemoteProfile, name: str) -> RemoteProfile:
    try:
        addresses = read_addresses(profile.base_url, profile.auth_url, profile.ws_url)
    except AddressError as error:
        field, _, said = error.message.partition(": ")
        raise ProfileError(field, said) from error
    return msgspec.structs.replace(
        profile,
        name=name,
        base_url=addresses.base,
        auth_url=None if profile.auth_url is None else addresses.auth,
        ws_url=None if profile.ws_url is None else addresses.stream,
        ident=profile.ident or uuid.uuid4().hex,
    )


def _is_kept_as(profile: Profile, kept: Profile) -> bool:
    return profile == kept or (isinstance(kept, EmbeddedProfile) and profile == guest_of(kept))


def _place(profile: Profile) -> tuple[bool, bool, str]:
    is_remote = isinstance(profile, RemoteProfile)
    return is_remote, profile.name != EMBEDDED_NAME, _folded(profile.name)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", " ".join(name.split())).casefold()
