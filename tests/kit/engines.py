"""Stores of either engine for tests of what both promise, and rows of their tables."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.store import Store, open_store
from tests.kit.made_files import with_tables
from tests.kit.store import NOW

OpenStore = Callable[[], Store]


@contextmanager
def opening_stores(request: pytest.FixtureRequest, folder: Path) -> Iterator[OpenStore]:
    """Give what opens stores of the engine that is the request's parameter, each on its own."""
    server = request.getfixturevalue("postgres") if request.param == "postgres" else None
    opened: list[Store] = []
    urls: list[str] = []

    def new() -> Store:
        database: Any
        if server is None:
            database = with_tables(folder / f"odds{len(opened)}.db")
        else:
            urls.append(server.url_with_tables())
            database = DatabaseUrl(urls[-1])
        opened.append(open_store(database, clock=lambda: NOW))
        return opened[-1]

    yield new
    for store in opened:
        store.close()
    if server is not None:
        server.drop(*urls)


def rows(store: Any, query: str) -> list[tuple[Any, ...]]:
    """Return the rows that a query finds, which both engines understand."""
    found: list[tuple[Any, ...]] = store.run_on_writer(
        lambda c: c.execute(query).fetchall()
    ).result(10)
    return found
