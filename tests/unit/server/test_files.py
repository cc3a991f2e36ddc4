"""Files that a server cannot have: one line says why, before anything is opened."""

from pathlib import Path

import pytest

from oddsdesk.clock import system_clock
from oddsdesk.server.files import open_files
from oddsdesk.server.settings import Role, Settings
from oddsdesk.store.errors import StoreError


@pytest.mark.parametrize("roles", [frozenset(Role), frozenset({Role.API})])
def test_a_database_that_may_not_be_looked_for_is_told(
    closed_folder: Path, roles: frozenset[Role]
) -> None:
    database = closed_folder / "odds.db"
    with pytest.raises(StoreError) as caught:
        open_files(Settings(database, roles=roles), system_clock)
    assert str(caught.value) == f"{database}: cannot be opened: Permission denied"
