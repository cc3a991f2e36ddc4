"""The whole server, stream and valuation included, on the loop of the test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from oddsdesk.store.databases import Database
from tests.kit.live_service import Listening, LiveService
from tests.kit.made_files import with_tables


@pytest.fixture
async def live(tmp_path: Path) -> AsyncIterator[LiveService]:
    service = LiveService(with_tables(tmp_path / "odds.db"))
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def every_live(database: Database) -> AsyncIterator[LiveService]:
    """A server on each engine in turn."""
    service = LiveService(database)
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
def listening() -> type[Listening]:
    return Listening
