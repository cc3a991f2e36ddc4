"""The owner's secret: made once, private, and owned by the database's owner."""

import errno
import logging
import os
import threading
from pathlib import Path

import pytest

from oddsdesk.network.secrets import without_keys
from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.owner_secret import OwnerSecret, owner_secret_of
from tests.kit.users import NOBODY, as_nobody

READ = """
import sys
from pathlib import Path
from oddsdesk.store.owner_secret import OwnerSecret
own = OwnerSecret(Path(sys.argv[1]))
own.make()
print(own.read_secret())
"""


@pytest.fixture
def own(tmp_path: Path) -> OwnerSecret:
    database = tmp_path / "odds.db"
    database.touch()
    return OwnerSecret(database)


def made(own: OwnerSecret) -> str:
    own.make()
    secret = own.read_secret()
    assert secret is not None
    return secret


def test_it_is_made_once_and_private(own: OwnerSecret) -> None:
    assert own.read_secret() is None
    secret = made(own)
    assert own.path.name == "odds.db.secret"
    assert own.path.read_text() == f"X-Oddsdesk-Secret: {secret}\n"
    assert own.path.stat().st_mode & 0o777 == 0o600
    assert made(own) == secret
    assert secret not in without_keys(f"a line with {secret} in it")


def test_only_the_secret_or_its_whole_line_matches(own: OwnerSecret) -> None:
    assert not own.matches(b"")
    secret = made(own).encode()
    assert own.matches(secret)
    assert own.matches(b"X-Oddsdesk-Secret: " + secret)
    for wrong in (b"", b"X-Oddsdesk-Secret: ", secret[:-1], secret + b"0", secret.upper(), b"\xff"):
        assert not own.matches(wrong)


def test_one_that_is_removed_or_replaced_ends_at_once(own: OwnerSecret) -> None:
    first = made(own)
    own.remove_secret()
    own.remove_secret()
    assert not own.matches(first.encode())
    second = made(own)
    assert second != first
    assert own.matches(second.encode())
    assert not own.matches(first.encode())


@pytest.mark.parametrize(
    "content", [b"", b"X-Oddsdesk-Secret: \n", b"X-Oddsdesk-Secret: 00", b"x" * 9_999, b"\n"]
)
def test_a_damaged_file_opens_nothing_and_is_made_again(own: OwnerSecret, content: bytes) -> None:
    own.path.write_bytes(content)
    own.path.chmod(0o600)
    for said in (b"", content.strip(), b"00"):
        assert not own.matches(said)
    assert len(made(own)) == 64
    assert own.path.stat().st_size == len("X-Oddsdesk-Secret: ") + 65


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_one_that_others_could_read_is_not_accepted_and_is_replaced(
    own: OwnerSecret, caplog: pytest.LogCaptureFixture
) -> None:
    secret = made(own)
    own.path.chmod(0o640)
    assert not own.matches(secret.encode())
    assert "other users can read its file" in own.fault()
    assert made(own) != secret
    assert own.fault() == ""
    assert "other users could read it; made a new secret" in caplog.text
    assert own.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name != "posix", reason="links")
@pytest.mark.parametrize("kind", ["symbolic", "hard", "folder"])
def test_a_link_in_its_place_is_not_followed(
    own: OwnerSecret, kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    line = f"X-Oddsdesk-Secret: {'0' * 64}\n"
    planted = tmp_path / "planted"
    planted.write_text(line)
    planted.chmod(0o600)
    if kind == "folder":
        own.path.mkdir()
    elif kind == "symbolic":
        own.path.symlink_to(planted)
    else:
        own.path.hardlink_to(planted)
    with caplog.at_level(logging.WARNING):
        own.make()
    (record,) = caplog.records
    assert "cannot save the owner's secret" in record.getMessage()
    assert not own.matches(b"0" * 64)
    assert planted.read_text() == line


def test_the_file_of_another_user_is_not_accepted(
    open_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own = OwnerSecret(open_folder / "odds.db")
    (open_folder / "odds.db").touch()
    own.path.write_text(f"X-Oddsdesk-Secret: {'0' * 64}\n")
    own.path.chmod(0o600)
    os.chown(own.path, NOBODY, NOBODY)
    own.make()
    assert "belongs to nobody" in caplog.text
    assert not own.matches(b"0" * 64)


def test_one_on_a_read_only_disk_still_opens(
    own: OwnerSecret, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    secret = made(own)
    really_open = os.open

    def read_only(path: Path, flags: int, *rest: int) -> int:
        if flags & (os.O_RDWR | os.O_WRONLY | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return really_open(path, flags, *rest)

    monkeypatch.setattr(os, "open", read_only)
    assert own.matches(secret.encode())
    own.make()
    assert own.read_secret() == secret
    assert caplog.text == ""


def test_one_that_even_its_owner_may_not_write_is_read_and_kept(open_folder: Path) -> None:
    database = open_folder / "odds.db"
    database.touch()
    own = OwnerSecret(database)
    secret = made(own)
    own.path.chmod(0o400)
    for each in (database, own.path):
        os.chown(each, NOBODY, NOBODY)
    out, err = as_nobody("-c", READ, str(database)).communicate(timeout=60)
    assert (out, err) == (f"{secret}\n", "")
    assert own.path.stat().st_mode & 0o777 == 0o400


def test_what_root_makes_is_usable_by_the_databases_owner(open_folder: Path) -> None:
    database = open_folder / "odds.db"
    database.touch()
    os.chown(database, NOBODY, NOBODY)
    secret = made(OwnerSecret(database))
    out, err = as_nobody("-c", READ, str(database)).communicate(timeout=60)
    assert (out, err) == (f"{secret}\n", "")


def test_processes_that_make_it_together_share_one_secret(own: OwnerSecret) -> None:
    makers = [threading.Thread(target=own.make) for _ in range(8)]
    for each in makers:
        each.start()
    for each in makers:
        each.join()
    secret = own.read_secret()
    assert secret is not None
    assert made(own) == secret


def test_a_database_behind_a_url_has_none() -> None:
    assert owner_secret_of(DatabaseUrl("postgresql://localhost/odds")) is None
