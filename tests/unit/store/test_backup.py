"""Copies: whole, readable, and nothing half-written left behind."""

from collections.abc import Callable
from pathlib import Path

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.store.backup import backup
from oddsdesk.store.errors import StoreError
from oddsdesk.store.store import Store, open_store


def test_a_copy_of_a_file_in_use_opens_and_holds_everything(
    store: Store, quote: Callable[..., Quote], tmp_path: Path
) -> None:
    store.record([quote()]).result(10)
    target = tmp_path / "copy.db"
    target.write_text("an older copy")
    backup(store.path, target)
    copy = open_store(target, read_only=True)
    assert len(copy.reader().changes_after(0, 10)) == 3
    copy.close()
    assert store.record([quote("Unibet")]).result(10).changes == 3


def test_a_copy_that_fails_leaves_the_older_one(tmp_path: Path) -> None:
    (tmp_path / "broken.db").write_text("no database" * 500)
    target = tmp_path / "copy.db"
    target.write_text("an older copy")
    with pytest.raises(StoreError, match="cannot be copied"):
        backup(tmp_path / "broken.db", target)
    assert target.read_text() == "an older copy"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.db", "copy.db"]
