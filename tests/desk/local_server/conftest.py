"""The dialog of an embedded server that runs."""

from collections.abc import AsyncIterator, Iterator

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from oddsdesk.base.clock import system_clock
from oddsdesk.desk.local_server.controller import ImportController, ServerController
from oddsdesk.desk.local_server.dialog import ServerDialog
from tests.kit.waiting import until


@pytest.fixture
async def imports(qapp) -> AsyncIterator[ImportController]:
    made = ImportController()
    yield made
    await made.stop_waiting()


@pytest.fixture
async def server(theme, window, session, imports) -> AsyncIterator[ServerDialog]:
    assert session.local is not None
    dialog = ServerDialog(theme, session.local.url, window)
    made = ServerController(dialog, session.local, system_clock)
    imports.show_in(dialog, session.local)
    await until(lambda: dialog.keys.list.topLevelItemCount() == 1)
    yield dialog
    await made.stop_waiting()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Stop timers when a test is over: pytest-qt goes on with Qt's events, and no loop runs then.

    A dialog that then asks its server makes a coroutine that nobody awaits.
    """
    try:
        return (yield)
    finally:
        for window in QApplication.topLevelWidgets():
            for timer in window.findChildren(QTimer):
                timer.stop()
