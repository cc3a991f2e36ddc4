"""The status bar: what is left, what the layout costs, how many are favourites."""

import pytest
from PySide6.QtWidgets import QLabel, QToolButton
from pytestqt.qtbot import QtBot

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, Link
from oddsdesk.desk.shell.status_bar import (
    StatusBar,
    cost_text,
    lag_text,
    link_ink,
    link_text,
    requests_text,
)
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.tasks import JobFault

NOW_MS = 1_776_340_800_000
HOUR_MS = 3_600_000


def test_the_quota_of_ones_own_server_is_not_told(theme: Theme, qtbot: QtBot) -> None:
    board = Board(lambda: NOW_MS)
    board.set_connection(Connection(requests_left=5_412, requests_limit=5_500))
    bar = StatusBar(board, theme, lambda: NOW_MS, "shin")
    qtbot.addWidget(bar)
    bar.resize(1_200, bar.height())
    bar.show()

    def tells() -> bool:
        return any("requests" in label.text() for label in bar.findChildren(QLabel))

    qtbot.waitUntil(tells)
    bar.show_quota(False)
    assert not tells()
    bar.close_panel()


@pytest.mark.parametrize(("left", "said"), [(5_412, "last until"), (20, "do not last")])
def test_the_cost_stands_beside_what_is_left(left: int, said: str) -> None:
    connection = Connection(requests_left=left, resets_at_ms=NOW_MS + HOUR_MS)
    text = cost_text(40.2, connection, NOW_MS)
    assert text.startswith("What is on show needs 41 requests an hour.")
    assert said in text


@pytest.mark.parametrize(
    ("limit", "allowed"),
    [
        (5_500, "needs 41 requests an hour, your plan allows 5,500 an hour."),
        (200, "needs 41 requests an hour, your plan allows 200 a day."),
        (1_000, "needs 41 requests an hour, your plan allows 1,000."),
    ],
)
def test_the_cost_stands_beside_what_the_plan_allows(limit: int, allowed: str) -> None:
    assert allowed in cost_text(40.2, Connection(requests_limit=limit), NOW_MS)


def test_the_cost_is_in_sight(theme: Theme, qtbot: QtBot) -> None:
    board = Board(lambda: NOW_MS)
    board.set_connection(Connection(requests_left=5_412, requests_limit=5_500))
    bar = StatusBar(board, theme, lambda: NOW_MS, "power")
    qtbot.addWidget(bar)
    bar.resize(1_200, bar.height())
    bar.show()
    bar.tell_cost(lambda: 40.2)
    board.set_connection(Connection(requests_left=5_411, requests_limit=5_500))
    said = "5,411 of 5,500 requests left · needs 41 an hour"
    qtbot.waitUntil(lambda: said in [label.text() for label in bar.findChildren(QLabel)])
    bar.resize(400, bar.height())
    assert any(said in label.toolTip() for label in bar.findChildren(QLabel))
    assert bar.width() == 400
    bar.close_panel()


@pytest.mark.parametrize(
    ("limit", "said"),
    [(5_500, "5,412 of 5,500 requests left"), (None, "5,412 requests left")],
)
def test_requests_left_are_told_of_how_many(limit: int | None, said: str) -> None:
    assert requests_text(Connection(requests_left=5_412, requests_limit=limit)) == said


@pytest.mark.parametrize(
    ("lag_ms", "said"), [(140, "lag 140 ms"), (2_140, "lag 2.1 s"), (83_000, "lag 1 min")]
)
def test_the_lag_is_told_with_what_it_is_of(lag_ms: int, said: str) -> None:
    connection = Connection(link=Link.LIVE, lag_ms=lag_ms, messages_per_minute=1_204)
    assert link_text(connection, NOW_MS) == f"Live · {said} · 1,204 changes a minute"
    assert said.removeprefix("lag ") + " after their scrape" in lag_text(connection)
    assert lag_text(Connection(link=Link.LIVE)) == ""


def test_favourites_are_counted_and_lead_to_their_list(theme: Theme, qtbot: QtBot) -> None:
    board = Board(lambda: NOW_MS)
    bar = StatusBar(board, theme, lambda: NOW_MS, "power")
    qtbot.addWidget(bar)
    button = bar.findChild(QToolButton)
    assert button is not None
    assert button.isHidden()
    bar.show_favourites(12)
    assert button.text() == "12 favourites"
    with qtbot.waitSignal(bar.favourites_requested):
        button.click()
    bar.close_panel()


def test_a_job_that_died_never_hides_behind_a_live_link() -> None:
    faults = (JobFault("sync: games", "KeyError: 'x'", 1), JobFault("sync: messages", "E", 2))
    connection = Connection(link=Link.LIVE, messages_per_minute=7, faults=faults)
    assert link_text(connection, 0) == "Live · 7 changes a minute · failing: games, messages"
    assert link_ink(connection) is not link_ink(Connection(link=Link.LIVE))


def test_an_answer_that_is_none_is_failing_beside_a_live_stream() -> None:
    connection = Connection(link=Link.LIVE, reason="games: the service repeats a page")
    said = "Live · 0 changes a minute · failing: games: the service repeats a page"
    assert link_text(connection, 0) == said
    assert link_ink(connection) is not link_ink(Connection(link=Link.LIVE))
