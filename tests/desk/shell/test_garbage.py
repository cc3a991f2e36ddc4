"""Garbage is collected on the window's thread, and nowhere else."""

import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from oddsdesk.desk.connections.profiles import RemoteProfile
from oddsdesk.desk.shell import app
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.loop import INTERVAL_MS, Garbage
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ending import Ending


@pytest.fixture
def garbage(qapp) -> Iterator[Garbage]:
    owner = QObject()
    yield Garbage(owner)
    owner.deleteLater()
    gc.enable()


class Ring:
    def __init__(self, died: list[str]) -> None:
        self.me = self
        self.died = died

    def __del__(self) -> None:
        self.died.append(threading.current_thread().name)


def test_rings_made_on_another_thread_die_on_the_windows(garbage: Garbage, qtbot):
    died: list[str] = []

    def work() -> None:
        for _ in range(5_000):
            Ring(died)

    thread = threading.Thread(target=work, name="server")
    thread.start()
    thread.join()
    qtbot.wait(2 * INTERVAL_MS)
    assert died == []
    garbage.begin()
    qtbot.waitUntil(lambda: len(died) == 5_000, timeout=5_000)
    assert set(died) == {threading.main_thread().name}


async def test_the_program_collects_once_what_a_start_makes_was_painted(
    garbage: Garbage,
    theme: Theme,
    qapp: QApplication,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    collects: list[bool] = []

    async def until_painted(desk: Desk, *_more: Any) -> None:
        collects.append(garbage._timer.isActive())
        desk.first_paint.painted.emit()
        collects.append(garbage._timer.isActive())

    for folder in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(folder, str(tmp_path))
    monkeypatch.setattr(app, "Theme", lambda *_arguments, **_named: theme)
    monkeypatch.setattr(app, "_until_closed", until_painted)
    root = app.Root(app.Start(RemoteProfile("Club", "https://odds.example")))
    await app._run(qapp, root, Ending(), garbage)
    assert collects == [False, True]
