"""Garbage is collected on the window's thread, and nowhere else."""

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject

from oddsdesk.desk.shell.loop import INTERVAL_MS, Garbage


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
