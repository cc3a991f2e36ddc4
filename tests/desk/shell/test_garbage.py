"""Garbage is collected on the window's thread, and nowhere else."""

import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from oddsdesk.base.ending import Ending
from oddsdesk.desk.connections.profiles import RemoteProfile
from oddsdesk.desk.shell import app
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.loop import INTERVAL_MS, Garbage
from oddsdesk.desk.ui.theme.theme import Theme


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
    garbage.begin_collecting()
    qtbot.waitUntil(lambda: len(died) == 5_000, timeout=5_000)
    assert set(died) == {threading.main_thread().name}


def test_while_hardly_anything_is_made_it_looks_less_often(
    garbage: Garbage, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = 0
    monkeypatch.setattr(gc, "get_count", lambda: (made, 0, 0))
    rests = []
    for made in (0, 300, 400, 600, 701, 0):  # noqa: B007 - the counter tells it
        garbage.collect_young()
        rests.append(garbage._timer.interval())
    assert [each // INTERVAL_MS for each in rests] == [2, 4, 8, 8, 1, 2]


def test_while_the_window_is_hidden_it_looks_less_often_still(
    garbage: Garbage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc, "get_count", lambda: (0, 0, 0))
    garbage.follow_window(False)
    for _ in range(9):
        garbage.collect_young()
    assert garbage._timer.interval() == 64 * INTERVAL_MS
    garbage.follow_window(True)
    assert garbage._timer.interval() == INTERVAL_MS
    for _ in range(9):
        garbage.collect_young()
    assert garbage._timer.interval() == 8 * INTERVAL_MS


async def test_the_program_collects_once_what_a_start_makes_was_painted(
    garbage: Garbage,
    theme: Theme,
    qapp: QApplication,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    collects: list[bool] = []
    rests_ms: list[int] = []

    async def until_painted(desk: Desk, *_more: Any) -> None:
        collects.append(garbage._timer.isActive())
        desk.first_paint.painted.emit()
        collects.append(garbage._timer.isActive())
        desk.window.show()
        desk.window.hide()
        rests_ms.append(garbage._longest_ms)
        desk.window.show()
        rests_ms.append(garbage._longest_ms)

    for folder in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(folder, str(tmp_path))
    monkeypatch.setattr(app, "Theme", lambda *_arguments, **_named: theme)
    monkeypatch.setattr(app, "_until_closed", until_painted)
    root = app.Root(app.Start(RemoteProfile("Club", "https://odds.example")))
    await app._run(qapp, root, Ending(), garbage)
    assert collects == [False, True]
    assert rests_ms == [3_200, 400]
