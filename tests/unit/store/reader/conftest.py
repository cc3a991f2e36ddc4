"""What tests of the reader share: quotes of twelve games, and the lists without an index."""

from collections.abc import Iterator

import pytest

from oddsdesk.store.store import Store, open_store
from tests.kit.store import NOW, Model, some_quotes


@pytest.fixture(scope="module", params=[3, 4])
def filled(request: pytest.FixtureRequest, tmp_path_factory) -> Iterator[tuple[Store, Model]]:
    store = open_store(tmp_path_factory.mktemp("filled") / "odds.db", clock=lambda: NOW)
    quotes = some_quotes(request.param)
    store.record(quotes).result(10)
    yield store, Model(quotes)
    store.close()
