"""Saved connections: kept, checked, found by name, and never lost."""

import json
import stat
from pathlib import Path

import msgspec
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import KeyringLocked, PasswordDeleteError

from oddsdesk.desk.connections.profiles import (
    EMBEDDED_NAME,
    EmbeddedProfile,
    KeyPlace,
    ProfileError,
    Profiles,
    RemoteProfile,
    Secrets,
    SecretsError,
    UnknownProfileError,
    guest_of,
)

ODDS = RemoteProfile("Odds Co.", "https://odds.example/v1/", key_place=KeyPlace.SESSION)


def test_the_embedded_server_is_there_from_the_start_and_stays(tmp_path):
    profiles = Profiles(tmp_path)
    profiles.remove_profile(EMBEDDED_NAME)
    assert profiles.all_profiles() == (EmbeddedProfile(),)
    assert profiles.last == EmbeddedProfile()


def test_a_connection_is_found_at_the_next_start_case_aside(tmp_path):
    kept = Profiles(tmp_path).save_profile(ODDS)
    found = Profiles(tmp_path).find_profile("  odds  CO. ")
    assert found == kept
    assert isinstance(found, RemoteProfile)
    assert (found.base_url, found.auth_url, bool(found.ident)) == (
        "https://odds.example/v1",
        None,
        True,
    )


def test_the_one_used_last_is_remembered_through_renaming_and_removal(tmp_path):
    profiles = Profiles(tmp_path)
    kept = profiles.save_profile(ODDS)
    profiles.remember(kept)
    profiles.save_profile(RemoteProfile("Odds", "https://odds.example"), replaces=kept.name)
    assert Profiles(tmp_path).last.name == "Odds"
    profiles.remove_profile("Odds")
    assert Profiles(tmp_path).last.name == EMBEDDED_NAME


def test_a_guests_choice_is_kept_through_renaming_and_goes_with_its_connection(tmp_path):
    profiles = Profiles(tmp_path)
    own = EmbeddedProfile("mine", str(tmp_path / "odds.db"))
    profiles.save_profile(own)
    profiles.save_profile(ODDS)
    assert not profiles.joins(own)
    profiles.remember(profiles.find_profile("Odds Co."))
    profiles.remember(guest_of(own))
    again = Profiles(tmp_path)
    assert again.last == own
    assert again.joins(own)
    assert not again.joins(again.find_profile(EMBEDDED_NAME))
    again.remember(own)
    named = again.save_profile(msgspec.structs.replace(own, name="ours"), replaces="mine")
    assert Profiles(tmp_path).joins(named)
    again.remove_profile("ours")
    again.save_profile(named)
    assert not Profiles(tmp_path).joins(named)


def test_a_guest_of_a_database_of_this_time_only_is_not_remembered(tmp_path):
    profiles = Profiles(tmp_path)
    profiles.remember(guest_of(EmbeddedProfile(database=str(tmp_path / "other.db"))))
    assert Profiles(tmp_path).last == EmbeddedProfile()
    assert not Profiles(tmp_path).joins(EmbeddedProfile())


def test_renaming_keeps_what_the_key_is_kept_under(tmp_path):
    profiles = Profiles(tmp_path)
    kept = profiles.save_profile(ODDS)
    assert isinstance(kept, RemoteProfile)
    renamed = profiles.save_profile(
        RemoteProfile("B", kept.base_url, ident=kept.ident), replaces=kept.name
    )
    assert isinstance(renamed, RemoteProfile)
    assert renamed.ident == kept.ident
    assert [profile.name for profile in profiles.all_profiles()] == [EMBEDDED_NAME, "B"]


def test_the_old_name_of_the_built_in_server_still_means_it(tmp_path):
    changed = EmbeddedProfile(database=str(tmp_path / "odds.db"))
    file = tmp_path / "connections.json"
    file.write_text(
        json.dumps(
            {
                "last": "Embedded server",
                "joined": ["Embedded server"],
                "connections": [msgspec.to_builtins(ODDS), msgspec.to_builtins(changed)],
            }
        )
    )
    profiles = Profiles(tmp_path)
    assert profiles.last == profiles.find_profile("embedded server") == changed
    assert profiles.joins(changed)
    other = profiles.save_profile(EmbeddedProfile("Embedded server", str(tmp_path / "other.db")))
    assert profiles.find_profile("embedded server") == other
    profiles.remember(other)
    assert Profiles(tmp_path).last == other


def test_an_unknown_name_lists_the_known_ones(tmp_path):
    profiles = Profiles(tmp_path)
    profiles.save_profile(ODDS)
    with pytest.raises(UnknownProfileError) as unknown:
        profiles.find_profile("Odd")
    assert str(unknown.value) == (
        "no connection is called 'Odd'; there are 'Built-in server', 'Odds Co.'"
    )


@pytest.mark.parametrize(
    ("profile", "field"),
    [
        (RemoteProfile("", "https://odds.example"), "name"),
        (RemoteProfile("x" * 61, "https://odds.example"), "name"),
        (RemoteProfile("a\u0000b", "https://odds.example"), "name"),
        (RemoteProfile("a", "odds.example"), "base_url"),
        (RemoteProfile("a", "https://u:p@odds.example"), "base_url"),
        (RemoteProfile("a", "https://odds.example", "ftp://x"), "auth_url"),
        (RemoteProfile("a", "https://odds.example", None, "https://x"), "ws_url"),
        (RemoteProfile("built-in SERVER", "https://odds.example"), "name"),
        (EmbeddedProfile("a", devig_method="guess"), "devig_method"),
        (EmbeddedProfile("a", speed=float("nan")), "speed"),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_field_and_changes_nothing(tmp_path, profile, field):
    profiles = Profiles(tmp_path)
    with pytest.raises(ProfileError) as refused:
        profiles.save_profile(profile)
    assert refused.value.field == field
    assert profiles.all_profiles() == (EmbeddedProfile(),)


@pytest.mark.parametrize(
    "name",
    ["oddsdesk_live_" + "0" * 32, "Club ODDSDESK_LIVE_12", "0123456789abcdef" * 2, "eyJ-_+/=" * 4],
)
def test_what_looks_like_a_key_is_no_name_and_is_written_nowhere(tmp_path, name):
    profiles = Profiles(tmp_path)
    kept = profiles.save_profile(ODDS)
    with pytest.raises(ProfileError, match="looks like a key") as refused:
        profiles.save_profile(msgspec.structs.replace(kept, name=name), replaces=kept.name)
    assert refused.value.field == "name"
    assert name not in str(refused.value)
    assert name not in (tmp_path / "connections.json").read_text()


def test_the_name_of_a_machine_is_no_key(tmp_path):
    name = "odds-service.eu-west-1.compute.example.com"
    assert Profiles(tmp_path).save_profile(msgspec.structs.replace(ODDS, name=name)).name == name


def test_a_file_that_cannot_be_written_changes_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    profiles = Profiles(tmp_path / "file" / "folder")
    with pytest.raises(OSError, match=r"file"):
        profiles.save_profile(ODDS)
    assert profiles.all_profiles() == (EmbeddedProfile(),)


def test_an_unreadable_file_is_set_aside_and_told(tmp_path):
    (tmp_path / "connections.json").write_text("{")
    profiles = Profiles(tmp_path)
    assert len(profiles.problems) == 1
    assert profiles.all_profiles() == (EmbeddedProfile(),)
    profiles.save_profile(ODDS)
    assert (tmp_path / "connections.json.unreadable").read_text() == "{"


def test_a_connection_of_a_newer_version_stays_in_the_file(tmp_path):
    file = tmp_path / "connections.json"
    strange = {"type": "satellite", "name": "Sat"}
    kept = {"type": "remote", "name": "A", "base_url": "http://a.example"}
    file.write_text(json.dumps({"connections": [strange, kept]}))
    profiles = Profiles(tmp_path)
    assert [profile.name for profile in profiles.all_profiles()] == [EMBEDDED_NAME, "A"]
    assert "satellite" in profiles.problems[0]
    profiles.save_profile(ODDS)
    assert strange in json.loads(file.read_text())["connections"]


def test_the_file_is_for_its_owner_only(tmp_path: Path):
    Profiles(tmp_path).save_profile(ODDS)
    assert stat.S_IMODE((tmp_path / "connections.json").stat().st_mode) == 0o600


def test_a_name_that_is_taken_gets_a_number(tmp_path):
    profiles = Profiles(tmp_path)
    profiles.save_profile(ODDS)
    assert profiles.free_name("Odds Co.") == "Odds Co. 2"
    assert profiles.free_name("Other") == "Other"


KEY = "oddsdesk_live_0123456789abcdef0123456789abcdef"


class Memory(KeyringBackend):
    """A keyring that keeps what it is given; ``locked`` ones refuse."""

    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.is_locked = False

    def get_password(self, service: str, username: str) -> str | None:
        self._check()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._check()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._check()
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError(username)

    def _check(self) -> None:
        if self.is_locked:
            raise KeyringLocked("the collection is locked")


@pytest.fixture
def keyring() -> Memory:
    return Memory()


def _secrets(folder: Path, backend: KeyringBackend) -> Secrets:
    return Secrets(folder, lambda: backend)


def test_a_key_in_the_keyring_is_found_at_the_next_start_and_on_no_disk(tmp_path, keyring):
    _secrets(tmp_path, keyring).keep_key("a", KeyPlace.KEYRING, KEY)
    assert _secrets(tmp_path, keyring).get_key("a", KeyPlace.KEYRING) == KEY
    assert list(tmp_path.iterdir()) == []


def test_a_key_of_this_session_is_gone_at_the_next_start(tmp_path, keyring):
    secrets = _secrets(tmp_path, keyring)
    secrets.keep_key("a", KeyPlace.SESSION, KEY)
    assert secrets.get_key("a", KeyPlace.SESSION) == KEY
    assert _secrets(tmp_path, keyring).get_key("a", KeyPlace.SESSION) is None
    assert keyring.kept == {}
    assert list(tmp_path.iterdir()) == []


def test_a_key_in_a_file_is_for_its_owner_only(tmp_path):
    _secrets(tmp_path, NoKeyring()).keep_key("a", KeyPlace.FILE, KEY)
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert _secrets(tmp_path, NoKeyring()).get_key("a", KeyPlace.FILE) == KEY


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path):
    file = tmp_path / "keys.json"
    file.write_text(json.dumps({"a": KEY}))
    file.chmod(0o644)
    assert _secrets(tmp_path, NoKeyring()).get_key("a", KeyPlace.FILE) == KEY
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_key_that_moves_is_kept_in_one_place_only(tmp_path, keyring):
    secrets = _secrets(tmp_path, keyring)
    secrets.keep_key("a", KeyPlace.FILE, KEY)
    secrets.keep_key("a", KeyPlace.KEYRING, KEY)
    assert KEY not in (tmp_path / "keys.json").read_text()
    secrets.keep_key("a", KeyPlace.SESSION, KEY)
    assert keyring.kept == {}


def test_a_forgotten_key_is_nowhere(tmp_path, keyring):
    secrets = _secrets(tmp_path, keyring)
    for ident, place in (("a", KeyPlace.KEYRING), ("b", KeyPlace.FILE), ("c", KeyPlace.SESSION)):
        secrets.keep_key(ident, place, KEY)
        secrets.drop_key(ident)
        assert secrets.get_key(ident, place) is None


def test_without_a_keyring_it_says_so_and_keeps_the_key_for_this_session(tmp_path):
    secrets = _secrets(tmp_path, NoKeyring())
    assert not secrets.has_keyring()
    with pytest.raises(SecretsError, match="for this session only"):
        secrets.keep_key("a", KeyPlace.KEYRING, KEY)
    assert secrets.get_key("a", KeyPlace.KEYRING) == KEY


def test_a_locked_keyring_is_one_line_without_the_key(tmp_path, keyring):
    keyring.is_locked = True
    with pytest.raises(SecretsError, match="unlock it") as refused:
        _secrets(tmp_path, keyring).get_key("a", KeyPlace.KEYRING)
    assert "\n" not in str(refused.value)
    with pytest.raises(SecretsError) as refused:
        _secrets(tmp_path, keyring).keep_key("a", KeyPlace.KEYRING, KEY)
    assert KEY not in str(refused.value)


def test_a_damaged_file_is_named_and_left_as_it_is(tmp_path):
    file = tmp_path / "keys.json"
    file.write_text("{not json")
    with pytest.raises(SecretsError, match=r"keys\.json"):
        _secrets(tmp_path, NoKeyring()).keep_key("a", KeyPlace.FILE, KEY)
    assert file.read_text() == "{not json"
