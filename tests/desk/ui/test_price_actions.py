"""Links of a service that may be hostile: what is opened, and whose page the menu says it is."""

import pytest
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from oddsdesk.desk.ui.price_actions import NOWHERE, link_host, show_link


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://pinnacle.com/bet?id=1", "pinnacle.com"),
        ("HTTP://Pinnacle.COM:8080/", "pinnacle.com"),
        ("https://pinnacle.com@other.example/", "other.example"),
        ("https://pinnacle.com:80@other.example/", "other.example"),
        ("https://pinnacle。com/", "pinnacle.com"),
        ("https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com"),
        ("https://аррӏе.com/", "xn--80ak6aa92e.com"),
        ("https://pinnacle.com∕bet.other.example/", "pinnacle.xn--combet-re3c.other.example"),
        (f"https://pinnacle.com.{'a' * 60}.other.example/", f"…{'a' * 25}.other.example"),
    ],
)
def test_the_host_that_is_shown_is_the_one_that_is_opened(url: str, host: str) -> None:
    assert link_host(url) == host


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        "pinnacle.com",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "steam://run/1",
        "https:///bet",
        "http:pinnacle.com",
        "https://other.example\\@pinnacle.com/",
        "https://pinnacle.com\n.other.example/",
        "https://pinnacle.com/\nbet",
        "https://pinnacle\t.com/",
        "https://pinnacle.com%2f.other.example/",
        "https://pinnacle.com\u202e.other.example/",
        " https://pinnacle.com/",
    ],
)
def test_what_is_no_web_page_is_not_offered(url: str | None, qtbot: QtBot) -> None:
    action = QAction()
    show_link(action, url, "\tEnter")
    assert not link_host(url)
    assert not action.isEnabled()
    assert action.text() == f"{NOWHERE}\tEnter"
