"""Files that a server cannot have: one line says why, before anything is opened."""

from pathlib import Path

import pytest

from oddsdesk.clock import system_clock
from oddsdesk.server import files
from oddsdesk.server.files import open_files
from oddsdesk.server.settings import Role, Settings
from oddsdesk.store.errors import StoreError
from oddsdesk.store.store import open_store


@pytest.mark.parametrize("roles", [frozenset(Role), frozenset({Role.API})])
def test_a_database_that_may_not_be_looked_for_is_told(
    closed_folder: Path, roles: frozenset[Role]
) -> None:
    database = closed_folder / "odds.db"
    with pytest.raises(StoreError) as caught:
        open_files(Settings(database, roles=roles), system_clock)
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
