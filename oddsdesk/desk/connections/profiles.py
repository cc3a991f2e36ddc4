"""Saved connections: the embedded server and remote services. Keys are not among it."""

import logging
import re
import unicodedata
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from oddsdesk.client.addresses import read_addresses
from oddsdesk.client.errors import AddressError
from oddsdesk.clock import REPLAY_SPEEDS
from oddsdesk.desk.connections.secrets import KeyPlace, write_whole
from oddsdesk.pricing.devig import DEFAULT_METHOD, METHODS

EMBEDDED_NAME: Final = "Embedded server"
GUEST_NAME: Final = "Running server"
NAME_LIMIT: Final = 60
NAMED_LIKE_A_KEY: Final = "this looks like a key, which belongs in the field Key: expected a name"
_LIKE_A_KEY: Final = re.compile(r"oddsdesk_live_|[\w+/=-]{32,}", re.IGNORECASE)
SENDS_UNENCRYPTED: Final = "Send the key unencrypted"
"""What a field of the dialog is called, and messages name."""

_FILE: Final = "connections.json"
_log = logging.getLogger(__name__)


class EmbeddedProfile(
    msgspec.Struct, frozen=True, tag="embedded", forbid_unknown_fields=True, omit_defaults=True
):
    """The server inside the desk; without a database it is the one of the platform's folder.

    ``access`` is the file of its keys where they do not lie beside the database.
    No feeds: simulated odds until the database holds real ones. ``("none",)`` is none. A
    guest uses the server that another process runs on the database; it is never saved.
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
    """A service elsewhere; ``ident`` is what its key is kept under, whatever its name becomes.

    ``sends_key_unencrypted``: the user lets it be read on the way to another machine (D85).
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
    """A connection that cannot be saved; ``field`` names what is wrong with it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class UnknownProfileError(LookupError):
    """No connection has that name; the message lists those there are."""


class _File(msgspec.Struct):
    last: str = EMBEDDED_NAME
    joined: list[str] = []
    """Of whose databases the server of another process is used, where one runs."""
    connections: list[msgspec.Raw] = []


class Profiles:
    """The connections in one file; entries that cannot be read stay in it, and are reported."""

    def __init__(self, folder: Path) -> None:
        self.problems: list[str] = []
        """What could not be read, each one line."""
        self._path = folder / _FILE
        self._profiles: list[Profile] = [EmbeddedProfile()]
        self._unread: list[msgspec.Raw] = []
        self._last = EMBEDDED_NAME
        self._joined: list[str] = []
        self._load()

    def all(self) -> tuple[Profile, ...]:
        """Return every connection, embedded ones first, then by name."""
        ordered = sorted(self._profiles, key=_place)
        return tuple(ordered)

    def find(self, name: str) -> Profile:
        """Return a connection by its name, case aside.

        Raises:
            UnknownProfileError: there is none; the message lists those there are.
        """
        for profile in self._profiles:
            if _folded(profile.name) == _folded(name):
                return profile
        known = ", ".join(f"'{profile.name}'" for profile in self.all())
        raise UnknownProfileError(f"no connection is called {name!r}; there are {known}")

    @property
    def last(self) -> Profile:
        """The connection used last; the embedded server where that is gone."""
        try:
            return self.find(self._last)
        except UnknownProfileError:
            return self.find(EMBEDDED_NAME)

    def remember(self, profile: Profile) -> None:
        """Keep which connection was used last, and that a guest's uses another's server.

        Raises:
            OSError: that cannot be written.
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
        """Say whether the user chose the server of another process for its database before."""
        return profile in self._profiles and profile.name in self._joined

    def put(self, profile: Profile, replaces: str | None = None) -> Profile:
        """Add a connection, or put it in the place of another, and return it as it is kept.

        Raises:
            ProfileError: it makes no sense, its name is taken, or may be a key.
            OSError: the file cannot be written; nothing is changed.
        """
        checked = check_profile(profile)
        if isinstance(checked, RemoteProfile) and _LIKE_A_KEY.search(checked.name):
            raise ProfileError("name", NAMED_LIKE_A_KEY)
        others = [other for other in self._profiles if other.name != replaces]
        if any(_folded(other.name) == _folded(checked.name) for other in others):
            raise ProfileError("name", f"another connection is called {checked.name!r} already")
        before = self._profiles, self._last, self._joined
        self._profiles = [*others, checked]
        if replaces == self._last:
            self._last = checked.name
        self._joined = [checked.name if name == replaces else name for name in self._joined]
        self._save_or_restore(before)
        return checked

    def remove(self, name: str) -> None:
        """Drop a connection; the embedded server stays. ``OSError``: nothing is changed."""
        before = self._profiles, self._last, self._joined
        self._profiles = [
            other for other in self._profiles if other.name != name or name == EMBEDDED_NAME
        ]
        if all(other.name != name for other in self._profiles):
            self._joined = [joined for joined in self._joined if joined != name]
        self._save_or_restore(before)

    def free_name(self, wanted: str) -> str:
        """Return a name that no connection has yet: ``Odds 2`` for a second ``Odds``."""
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
            self.problems.append(f"{self._path}: cannot be read ({error}); it is set aside")
            self._set_aside()
            return
        self._last, self._joined = file.last, file.joined
        self._read_all(file.connections)

    def _read_all(self, connections: Iterable[msgspec.Raw]) -> None:
        for raw in connections:
            try:
                profile = check_profile(msgspec.json.decode(raw, type=Profile))
            except (msgspec.DecodeError, ProfileError) as error:
                self.problems.append(f"{self._path}: a connection is passed over: {error}")
                self._unread.append(raw)
                continue
            kept = [other for other in self._profiles if other.name != profile.name]
            self._profiles = [*kept, profile]

    def _set_aside(self) -> None:
        try:
            self._path.replace(self._path.with_name(f"{_FILE}.unreadable"))
        except OSError as error:
            _log.warning("%s cannot be set aside: %s", self._path, error)


def guest_of(profile: EmbeddedProfile) -> EmbeddedProfile:
    """Return what uses the server that another process runs on a connection's database."""
    return msgspec.structs.replace(profile, name=GUEST_NAME, guest=True)


def check_profile(profile: Profile) -> Profile:
    """Return the connection with its texts in order.

    Raises:
        ProfileError: a field makes no sense; says which and what was expected.
    """
    name = " ".join(profile.name.split())
    if not name or not name.isprintable() or len(name) > NAME_LIMIT:
        raise ProfileError("name", f"expected a name of 1 to {NAME_LIMIT} characters")
    if isinstance(profile, RemoteProfile):
        return _check_remote(profile, name)
    if profile.devig_method not in METHODS:
        raise ProfileError("devig_method", f"there is no devig method {profile.devig_method!r}")
    if not REPLAY_SPEEDS[0] <= profile.speed <= REPLAY_SPEEDS[1]:
        raise ProfileError(
            "speed", f"expected a speed from {REPLAY_SPEEDS[0]:g} to {REPLAY_SPEEDS[1]:,.0f}"
        )
    return msgspec.structs.replace(profile, name=name)


def encryption_warning(profile: Profile) -> str:
    """Return who else could read the key of a connection; empty for nobody, or no address."""
    if not isinstance(profile, RemoteProfile):
        return ""
    try:
        return read_addresses(profile.base_url, profile.auth_url, profile.ws_url).warning
    except AddressError:
        return ""


def encryption_refusal(profile: RemoteProfile) -> str:
    """Return why a connection must not be made, one line; empty where it may."""
    warning = "" if profile.sends_key_unencrypted else encryption_warning(profile)
    return f"{warning} Else allow it with “{SENDS_UNENCRYPTED}”." if warning else ""


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
