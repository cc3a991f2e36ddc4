"""Files with the tables of a database in them: a copy takes a third of making them."""

import tempfile
from functools import cache
from pathlib import Path

from oddsdesk.store.store import open_store


def with_tables(path: Path) -> Path:
    """Make the odds file of a new database there; return its path."""
    path.write_bytes(_tables())
    return path


@cache
def _tables() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "odds.db")
        open_store(path).close()
        return path.read_bytes()
