"""Qt's event loop as asyncio's: what its tasks may do, and when."""

import asyncio

from PySide6.QtCore import QAbstractEventDispatcher
from PySide6.QtWidgets import QApplication

from oddsdesk.desk.shell.loop import make_loop


def test_no_task_takes_a_step_while_the_loop_stands_still(qapp: QApplication) -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def note_loop() -> None:
        loops.append(asyncio.get_running_loop())

    with asyncio.Runner(loop_factory=lambda: make_loop(qapp)) as runner:
        loop = runner.get_loop()
        task = loop.create_task(note_loop())
        qapp.processEvents()
        assert loops == []
        loop.run_until_complete(task)
        assert loops == [loop]


def test_what_is_left_of_a_closed_loop_is_let_go(qapp: QApplication) -> None:
    loop = make_loop(qapp)
    called: list[str] = []
    loop.call_soon(called.append, "late")
    loop.close()
    qapp.processEvents()
    assert called == []


def test_a_closed_loop_leaves_no_timer_with_qt(qapp: QApplication) -> None:
    """The garbage collector may come by in another thread: no timer of Qt's may end there."""
    loop = make_loop(qapp)
    loop.call_later(60, lambda: None)
    timers = loop._timer  # type: ignore[attr-defined]
    asked = QAbstractEventDispatcher.instance()
    assert len(asked.registeredTimers(timers)) == 1
    loop.close()
    assert list(asked.registeredTimers(timers)) == []
