"""Qt's event loop as asyncio's: what its tasks may do, and when."""

import asyncio
import signal
import socket
from typing import Any

import pytest
from PySide6.QtCore import QAbstractEventDispatcher, QTimer
from PySide6.QtWidgets import QApplication

from oddsdesk.desk.shell import loop as loop_module
from oddsdesk.desk.shell.loop import make_loop, run_on_qt


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


def test_callbacks_without_delay_share_a_timer_and_keep_their_order(qapp: QApplication) -> None:
    called: list[str] = []

    async def call() -> int:
        loop = asyncio.get_running_loop()
        loop.call_soon(lambda: loop.call_soon(called.append, "of the next turn"))
        for name in ("first", "second"):
            loop.call_soon(called.append, name)
        loop.call_soon(called.append, "cancelled").cancel()
        loop.call_later(0.0001, called.append, "third")
        timers = len(QAbstractEventDispatcher.instance().registeredTimers(loop._timer))  # type: ignore[attr-defined]
        while len(called) < 4:
            await asyncio.sleep(0)
        return timers

    assert run_on_qt(qapp, call) == 1
    assert called == ["first", "second", "third", "of the next turn"]


def test_what_is_cancelled_leaves_no_timer_with_qt(qapp: QApplication) -> None:
    """Every request sets half a dozen of limits."""

    async def count() -> list[int]:
        loop = asyncio.get_running_loop()
        asked, timers = QAbstractEventDispatcher.instance(), loop._timer  # type: ignore[attr-defined]
        handles = [loop.call_later(60, lambda: None) for _ in range(3)]
        counts = [len(asked.registeredTimers(timers))]
        for handle in handles:
            handle.cancel()
            handle.cancel()
        return [*counts, len(asked.registeredTimers(timers))]

    before, after = run_on_qt(qapp, count)
    assert before - after == 3


def test_what_was_called_may_be_cancelled_and_takes_no_timer_from_another(
    qapp: QApplication,
) -> None:
    """Qt gives the number of a timer that ended to the next one."""

    async def cancel_what_was_called() -> str:
        loop: Any = asyncio.get_running_loop()
        fired = loop.create_future()
        early = loop.call_later(0.001, lambda: None)
        await asyncio.sleep(0.02)
        late = loop.call_later(0.02, fired.set_result, "late")
        early.timer = late.timer
        early.cancel()
        async with asyncio.timeout(20):
            heard: str = await fired
        return heard

    assert run_on_qt(qapp, cancel_what_was_called) == "late"


def test_an_error_in_a_callback_is_reported_and_others_are_called(
    qapp: QApplication, caplog: pytest.LogCaptureFixture
) -> None:
    called: list[str] = []

    def fail() -> None:
        raise ValueError("of a callback")

    async def call() -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(fail)
        loop.call_soon(called.append, "after it")
        loop.call_later(0.001, fail)
        while caplog.text.count("ValueError: of a callback") < 2:
            await asyncio.sleep(0.001)

    run_on_qt(qapp, call)
    assert called == ["after it"]
    caplog.clear()


def test_what_waits_when_the_loop_is_stopped_waits_for_its_next_run(qapp: QApplication) -> None:
    called: list[str] = []
    with asyncio.Runner(loop_factory=lambda: make_loop(qapp)) as runner:
        loop = runner.get_loop()
        loop.call_soon(loop.stop)
        loop.call_soon(called.append, "late")
        loop.run_forever()
        qapp.processEvents()
        assert called == []
        runner.run(asyncio.sleep(0))
        assert called == ["late"]


def test_a_turn_leaves_time_for_what_else_qt_has_to_do(qapp: QApplication) -> None:
    async def go_on_until_fired() -> int:
        turns, fired = 0, list[bool]()
        QTimer.singleShot(0, lambda: fired.append(True))
        while not fired:
            turns += 1
            await asyncio.sleep(0)
        return turns

    assert run_on_qt(qapp, go_on_until_fired) < 100


def test_a_turn_that_takes_long_is_parted(qapp: QApplication, monkeypatch: Any) -> None:
    monkeypatch.setattr(loop_module, "_TURN_S", 0.0)  # whatever is called takes longer
    called: list[str] = []

    async def call() -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(lambda: QTimer.singleShot(0, lambda: called.append("of Qt")))
        for name in ("first", "second", "third"):
            loop.call_soon(called.append, name)
        while len(called) < 4:
            await asyncio.sleep(0)

    run_on_qt(qapp, call)
    assert [name for name in called if name != "of Qt"] == ["first", "second", "third"]
    assert called[-1] == "third"


def test_a_socket_is_read_while_somebody_asks_and_the_loop_runs(qapp: QApplication) -> None:
    heard: list[bytes] = []
    ours, theirs = socket.socketpair()

    async def read_until(count: int) -> None:
        loop = asyncio.get_running_loop()
        loop.add_reader(ours, lambda: heard.append(ours.recv(1)))
        while len(heard) < count:
            await asyncio.sleep(0)

    async def stop_reading() -> tuple[bool, bool]:
        loop = asyncio.get_running_loop()
        removed = loop.remove_reader(ours), loop.remove_reader(ours)
        theirs.send(b"d")
        await asyncio.sleep(0.01)
        return removed

    with ours, theirs, asyncio.Runner(loop_factory=lambda: make_loop(qapp)) as runner:
        theirs.send(b"ab")
        runner.run(read_until(2))
        theirs.send(b"c")
        qapp.processEvents()
        assert heard == [b"a", b"b"]
        runner.run(asyncio.sleep(0.01))
        assert heard == [b"a", b"b", b"c"]
        assert runner.run(stop_reading()) == (True, False)
        assert heard == [b"a", b"b", b"c"]
        runner.run(read_until(4))
        assert heard == [b"a", b"b", b"c", b"d"]


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="Windows has no such signals")
def test_a_signal_is_heard(qapp: QApplication) -> None:
    async def hear() -> None:
        loop, heard = asyncio.get_running_loop(), asyncio.Event()
        loop.add_signal_handler(signal.SIGUSR1, heard.set)
        loop._handle_signal(signal.SIGUSR1)  # type: ignore[attr-defined]  # what asyncio does with it
        await asyncio.wait_for(heard.wait(), 30)
        loop.remove_signal_handler(signal.SIGUSR1)

    run_on_qt(qapp, hear)
