"""Stores of either engine for tests of what both promise, and rows of their tables."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.store import Store, open_store
from tests.kit.store import NOW

OpenStore = Callable[[], Store]


@contextmanager
def opening_stores(request: pytest.FixtureRequest, folder: Path) -> Iterator[OpenStore]:
    """Give what opens stores of the engine that is the request's parameter, each on its own."""
    opened: list[Store] = []

    def new() -> Store:
        database: Any = folder / f"odds{len(opened)}.db"
        if request.param == "postgres":
            database = DatabaseUrl(request.getfixturevalue("postgres").url())
        opened.append(open_store(database, clock=lambda: NOW))
        return opened[-1]

    yield new
    for store in opened:
        store.close()


def rows(store: Any, query: str) -> list[tuple[Any, ...]]:
    """Return the rows that a query finds, which both engines understand."""
    found: list[tuple[Any, ...]] = store.write(lambda c: c.execute(query).fetchall()).result(10)
    return found
