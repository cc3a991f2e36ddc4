"""What tests of the reader share: quotes of twelve games, and the lists without an index."""

import contextlib
from collections.abc import Callable, Iterator

import pytest

from oddsdesk.store.databases import Database
from oddsdesk.store.store import Store, open_store
from tests.kit.store import NOW, Model, some_quotes

Filled = tuple[Store, Model]


@pytest.fixture(scope="module", params=[3, 4])
def filled(
    request: pytest.FixtureRequest, new_database: Callable[[], Database]
) -> Iterator[Filled]:
    """On each engine in turn."""
    with _filled(new_database(), request.param) as filled:
        yield filled


@pytest.fixture(scope="module", params=[3, 4])
def filled_file(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Filled]:
    with _filled(tmp_path_factory.mktemp("filled") / "odds.db", request.param) as filled:
        yield filled


@contextlib.contextmanager
def _filled(database: Database, seed: int) -> Iterator[Filled]:
    quotes = some_quotes(seed)
    with contextlib.closing(open_store(database, clock=lambda: NOW)) as store:
        store.record(quotes).result(10)
        yield store, Model(quotes)
