"""A log to bet on."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.kit.replays import Log


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    held = Log(tmp_path / "odds.db")
    with closing(held.store):
        yield held
