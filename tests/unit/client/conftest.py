"""A small service on a real socket that does what a test tells it to."""

from collections.abc import AsyncIterator

import pytest

from tests.kit.small_service import SmallService


@pytest.fixture
async def small_service() -> AsyncIterator[tuple[SmallService, str]]:
    """A small service and its address."""
    service = SmallService()
    url = await service.start()
    yield service, url
    await service.stop()
