"""A real server on a real socket over a real store, at a time that the test sets.

Each test of this folder begins its docstring with the sentence group of the contract or
the decision that it holds (``D39``, ``service.md, Limits``).
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oddsdesk.store.databases import Database
from tests.kit.running_service import RunningService


@pytest.fixture
def service(database: Database) -> Iterator[RunningService]:
    """A server of the test's own."""
    running = RunningService(database)
    yield running
    running.close()


@pytest.fixture
def file_service(tmp_path: Path) -> Iterator[RunningService]:
    """A server on a file, for what only a file can suffer."""
    running = RunningService(tmp_path / "odds.db")
    yield running
    running.close()


@pytest.fixture
def smarkets_service(database: Database) -> Iterator[RunningService]:
    """A server whose reference bookmaker is Smarkets (D1)."""
    running = RunningService(database, reference="Smarkets")
    yield running
    running.close()


@pytest.fixture(scope="module")
def module_service(new_database: Callable[[], Database]) -> Iterator[RunningService]:
    """A server that the tests of a file share, where none depends on what is recorded."""
    running = RunningService(new_database())
    yield running
    running.close()
