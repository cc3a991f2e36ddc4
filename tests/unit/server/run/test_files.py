"""Files that a server cannot have: one line says why, before anything is opened."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from oddsdesk.base.clock import system_clock
from oddsdesk.base.places import earlier_access
from oddsdesk.cluster.server import open_first
from oddsdesk.server.run import files
from oddsdesk.server.run.files import open_files, open_key_store
from oddsdesk.server.settings import Role, Settings
from oddsdesk.store.access import open_access
from oddsdesk.store.databases import access_path
from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import DatabaseInUseError, lock_database
from oddsdesk.store.store import open_store
from tests.kit.users import as_nobody


@pytest.mark.parametrize(
    ("opening", "roles"), [(open_files, frozenset(Role)), (open_first, frozenset({Role.API}))]
)
def test_a_database_that_may_not_be_looked_for_is_told(
    closed_folder: Path, opening: Callable[..., object], roles: frozenset[Role]
) -> None:
    database = closed_folder / "odds.db"
    with pytest.raises(StoreError) as caught:
        opening(Settings(database, roles=roles), system_clock)
    assert str(caught.value) == f"{database}: cannot be opened: Permission denied"


def test_what_cannot_be_served_is_not_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    database = tmp_path / "odds.db"
    open_store(database).close()

    def refuse(*_: object) -> None:
        raise StoreError("the keys belong to another user")

    monkeypatch.setattr(files, "can_write", lambda _: False)
    monkeypatch.setattr(files, "open_key_store", refuse)
    with pytest.raises(StoreError):
        open_files(Settings(database), system_clock)
    assert caplog.messages == []


SERVE_READ_ONLY = """
import sys, urllib.request
from pathlib import Path
from oddsdesk.server.settings import Settings
from oddsdesk.server.run.embedded import EmbeddedServer
server = EmbeddedServer(Settings(Path(sys.argv[1]), port=0, lasting_keys=False))
url = server.start_server()
asked = urllib.request.Request(f"{url}/api/odds", headers={"X-Api-Key": server.key})
print(urllib.request.urlopen(asked, timeout=10).status)
server.stop_server()
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "odds.db"
    open_store(path).close()
    return path


def test_a_served_database_has_its_keys_next_to_it(database: Path) -> None:
    with ExitStack() as opened:
        lock = lock_database(database)
        opened.callback(lock.release_lock)
        _, path = open_key_store(database, Settings(database), lock, opened)
        assert path == access_path(database)


def test_one_server_at_a_time_uses_a_file_that_is_named(database: Path, tmp_path: Path) -> None:
    settings = Settings(database, access=tmp_path / "keys.db")
    with ExitStack() as opened:
        open_key_store(database, settings, None, opened)
        with pytest.raises(DatabaseInUseError, match=r"keys\.db is in use by another oddsdesk"):
            open_key_store(database, settings, None, ExitStack())
    assert not (tmp_path / "keys.db.lock").exists()


def test_keys_of_a_desk_that_may_only_read_end_with_it(database: Path) -> None:
    with ExitStack() as opened:
        access, path = open_key_store(
            database, Settings(database, lasting_keys=False), None, opened
        )
        access.keys.create("desk", None, None, 0)
        assert path.exists()
        assert database.parent not in path.parents
    assert not path.parent.exists()
    assert [each.name for each in database.parent.iterdir()] == ["odds.db"]


def test_a_desk_opens_what_its_user_may_only_read(open_folder: Path) -> None:
    database = open_folder / "odds.db"
    open_store(database).close()
    open_folder.chmod(0o755)
    asked = as_nobody("-c", SERVE_READ_ONLY, str(database))
    out, err = asked.communicate(timeout=60)
    assert (asked.returncode, out) == (0, "200\n"), err
    assert [each.name for each in open_folder.iterdir()] == ["odds.db"]


def test_keys_that_an_older_version_made_are_told(
    database: Path, caplog: pytest.LogCaptureFixture
) -> None:
    earlier = earlier_access(database)
    assert earlier is not None
    earlier.parent.mkdir(parents=True)
    open_access(database, earlier).close()
    with ExitStack() as opened:
        open_key_store(database, Settings(database), None, opened)
        (line,) = caplog.messages
        assert f"--access {earlier}" in line
    caplog.clear()
    with ExitStack() as opened:
        open_key_store(database, Settings(database, access=earlier), None, opened)
    assert caplog.messages == []
