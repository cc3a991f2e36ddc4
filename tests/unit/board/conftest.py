"""An empty board."""

import pytest

from tests.kit.board import Desk


@pytest.fixture
def desk() -> Desk:
    """An empty board at ``NOW``."""
    return Desk()
