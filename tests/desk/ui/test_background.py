"""Work on a thread of its own."""

import threading

import pytest

from oddsdesk.desk.ui.background import in_background

LIMIT_S = 5


def test_the_answer_and_the_error_come_through_the_future():
    assert in_background("answer", lambda: 42).result(LIMIT_S) == 42
    with pytest.raises(ZeroDivisionError):
        in_background("error", lambda: 1 // 0).result(LIMIT_S)


def test_a_thread_that_waits_does_not_hold_up_the_end_of_the_program():
    release = threading.Event()
    future = in_background("waits", lambda: release.wait(LIMIT_S))
    thread = next(each for each in threading.enumerate() if each.name == "waits")
    assert thread.daemon
    release.set()
    assert future.result(LIMIT_S)
    thread.join(LIMIT_S)
