"""Bug reports: errors nobody foresaw, without the user's secrets."""

import logging
import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.desk.shell.commands import BugReports, without_secrets


@pytest.fixture
def bugs() -> Iterator[BugReports]:
    made = BugReports()
    made.install()
    yield made
    made.uninstall()


def test_an_error_of_a_thread_is_in_the_report(bugs: BugReports, qtbot: QtBot) -> None:
    def fail() -> None:
        raise ZeroDivisionError("in a thread")

    with qtbot.waitSignal(bugs.caught):
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
    assert "ZeroDivisionError: in a thread" in bugs.report_text()
    assert "PySide6" in bugs.report_text()


def test_an_error_that_was_foreseen_is_no_bug(bugs: BugReports) -> None:
    logging.getLogger("oddsdesk.test").error("the file is full")
    assert "No unexpected errors since the start." in bugs.report_text()


@pytest.mark.parametrize(
    "text",
    [
        "api_key=abcdef0123",
        "Authorization: Bearer abcdef0123",
        "ws://localhost/stream?token=abcdef0123&x=1",
        'File "/home/abcdef0123/project/oddsdesk/desk/app.py"',
        "https://abcdef0123:pw@example.org/",
        "X-Api-Key: abcdef0123",
        "cannot connect to https://abcdef0123.lan:8765/api/odds",
        "('wss://abcdef0123',)",
        "ws://[2001:db8::abcdef0123]:8765/",
        "https://user:pw@abcdef0123/",
    ],
)
def test_a_report_holds_no_secrets(text: str) -> None:
    assert "abcdef0123" not in without_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "http://127.0.0.1:8765/api/odds",
        "ws://localhost/",
        "http://[::1]:1/",
        "a://",
        "see docs: //",
    ],
)
def test_a_report_says_which_of_the_services_own_addresses(text: str) -> None:
    assert without_secrets(text) == text
