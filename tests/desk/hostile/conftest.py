"""A desk on a real server whose names all look like markup, and a trap that markup springs."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.hostile_desk import HostileDesk, Opened, Trap


@pytest.fixture
def trap() -> Iterator[Trap]:
    """A trap at a short path."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    made = Trap(folder)
    yield made
    made.close()
    shutil.rmtree(folder)


@pytest.fixture
def opened(qapp: QApplication, theme: Theme, tmp_path: Path, trap: Trap) -> Opened:
    """Opens the desk with prices in every panel, and closes it.

    Within the test: what a timer of the desk starts needs a loop that runs.
    """

    @asynccontextmanager
    async def open_desk() -> AsyncIterator[HostileDesk]:
        made = HostileDesk(theme, tmp_path, trap)
        try:
            await made.open()
            await made.fill()
            yield made
        finally:
            await made.close()

    return open_desk
