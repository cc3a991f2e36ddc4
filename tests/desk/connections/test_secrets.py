"""Keys of remote services: keyring, session or file, and what happens where one fails."""

import json
import stat
from pathlib import Path

import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import KeyringLocked, PasswordDeleteError

from oddsdesk.desk.connections.secrets import KeyPlace, Secrets, SecretsError

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
    _secrets(tmp_path, keyring).put("a", KeyPlace.KEYRING, KEY)
    assert _secrets(tmp_path, keyring).get("a", KeyPlace.KEYRING) == KEY
    assert list(tmp_path.iterdir()) == []


def test_a_key_of_this_session_is_gone_at_the_next_start(tmp_path, keyring):
    secrets = _secrets(tmp_path, keyring)
    secrets.put("a", KeyPlace.SESSION, KEY)
    assert secrets.get("a", KeyPlace.SESSION) == KEY
    assert _secrets(tmp_path, keyring).get("a", KeyPlace.SESSION) is None
    assert keyring.kept == {}
    assert list(tmp_path.iterdir()) == []


def test_a_key_in_a_file_is_for_its_owner_only(tmp_path):
    _secrets(tmp_path, NoKeyring()).put("a", KeyPlace.FILE, KEY)
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert _secrets(tmp_path, NoKeyring()).get("a", KeyPlace.FILE) == KEY


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path):
    file = tmp_path / "keys.json"
    file.write_text(json.dumps({"a": KEY}))
    file.chmod(0o644)
    assert _secrets(tmp_path, NoKeyring()).get("a", KeyPlace.FILE) == KEY
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_key_that_moves_is_kept_in_one_place_only(tmp_path, keyring):
    secrets = _secrets(tmp_path, keyring)
    secrets.put("a", KeyPlace.FILE, KEY)
    secrets.put("a", KeyPlace.KEYRING, KEY)
    assert KEY not in (tmp_path / "keys.json").read_text()
    secrets.put("a", KeyPlace.SESSION, KEY)
    assert keyring.kept == {}


def test_a_forgotten_key_is_nowhere(tmp_path, keyring):
    secrets = _secrets(tmp_path, keyring)
    for ident, place in (("a", KeyPlace.KEYRING), ("b", KeyPlace.FILE), ("c", KeyPlace.SESSION)):
        secrets.put(ident, place, KEY)
        secrets.forget(ident)
        assert secrets.get(ident, place) is None


def test_without_a_keyring_it_says_so_and_keeps_the_key_for_this_session(tmp_path):
    secrets = _secrets(tmp_path, NoKeyring())
    assert not secrets.has_keyring()
    with pytest.raises(SecretsError, match="for this session only"):
        secrets.put("a", KeyPlace.KEYRING, KEY)
    assert secrets.get("a", KeyPlace.KEYRING) == KEY


def test_a_locked_keyring_is_one_line_without_the_key(tmp_path, keyring):
    keyring.is_locked = True
    with pytest.raises(SecretsError, match="unlock it") as refused:
        _secrets(tmp_path, keyring).get("a", KeyPlace.KEYRING)
    assert "\n" not in str(refused.value)
    with pytest.raises(SecretsError) as refused:
        _secrets(tmp_path, keyring).put("a", KeyPlace.KEYRING, KEY)
    assert KEY not in str(refused.value)


def test_a_damaged_file_is_named_and_left_as_it_is(tmp_path):
    file = tmp_path / "keys.json"
    file.write_text("{not json")
    with pytest.raises(SecretsError, match=r"keys\.json"):
        _secrets(tmp_path, NoKeyring()).put("a", KeyPlace.FILE, KEY)
    assert file.read_text() == "{not json"
