"""The status bar: what is left, what the layout costs, how many are favourites."""

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QLabel, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.base.tasks import JobFault, exhaust
from oddsdesk.board.board import Board
from oddsdesk.board.model.notices import Connection, Link, SnapshotProgress
from oddsdesk.desk.shell.status_bar import (
    StatusBar,
    lag_text,
    link_ink,
    link_text,
    reading_text,
    requests_text,
)
from oddsdesk.desk.ui.formatting import local_time
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from tests.kit.board import game

NOW_MS = 1_776_340_800_000
HOUR_MS = 3_600_000
LIMIT_MS = 30_000


PLAN = (
    "Prices of 12 competitions every 14 minutes, of open games every 20 seconds; "
    "value bets every 47 seconds, the list of games every 5 minutes"
)
COUNTED = Connection(
    requests_left=5_412, requests_limit=5_500, reading_plan=PLAN, resets_at_ms=NOW_MS + HOUR_MS
)


def test_a_server_without_a_feed_is_not_live() -> None:
    live = Connection(link=Link.LIVE, has_feeds=True, newest_ms=NOW_MS - 720_000)
    assert link_text(live, NOW_MS) == link_text(replace(live, has_feeds=None), NOW_MS)
    assert link_text(live, NOW_MS).startswith("Live")
    without = replace(live, has_feeds=False)
    assert link_text(without, NOW_MS) == "No feed running · newest price 12 min old"
    assert link_text(replace(without, newest_ms=None), NOW_MS) == "No feed running"
    assert link_ink(without) is TextRole.VALUE
    posted = replace(without, messages_per_minute=7, since_ms=NOW_MS)
    assert link_text(posted, NOW_MS) == "Live", "another program brings prices"
    assert link_ink(posted) is link_ink(live)


def test_how_often_what_is_read_is_in_sight(theme: Theme, qtbot: QtBot) -> None:
    board = Board(lambda: NOW_MS)
    board.set_connection(COUNTED)
    bar = StatusBar(board, theme, lambda: NOW_MS, "power")
    qtbot.addWidget(bar)
    bar.resize(1_600, bar.height())
    bar.show()
    prices = "prices of 12 competitions every 14 minutes, of open games every 20 seconds"

    def label() -> QLabel | None:
        return next((each for each in bar.findChildren(QLabel) if prices in each.text()), None)

    qtbot.waitUntil(lambda: label() is not None)
    shown = label()
    assert shown is not None
    assert shown.text().startswith("5,412 of 5,500 requests left · resets ")
    below = f"\n{PLAN}.\nYour plan allows 5,500 requests an hour."
    qtbot.waitUntil(lambda: shown.toolTip() == shown.text() + below)
    board.set_connection(Connection())
    qtbot.waitUntil(lambda: shown.text() == "")
    assert shown.toolTip() == ""
    bar.close_panel()


def test_prices_and_value_bets_that_are_not_read_are_told_while_there_are(
    theme: Theme, qtbot: QtBot
) -> None:
    board = Board(lambda: NOW_MS)
    bar = StatusBar(board, theme, lambda: NOW_MS, "power")
    qtbot.addWidget(bar)
    bar.resize(1_600, bar.height())
    bar.show()

    def told() -> dict[str, str]:
        labels = [each for each in bar.findChildren(QLabel) if each.isVisible()]
        return {each.text(): each.toolTip() for each in labels if "not all" in each.text()}

    board.set_snapshot_progress(SnapshotProgress(9, 9, 900, ("MLB, Total",), NOW_MS))
    tip = "Not all prices could be read: MLB, Total."
    qtbot.waitUntil(
        lambda: told().get("not all prices loaded", "").startswith(tip), timeout=LIMIT_MS
    )
    exhaust(board.merge_value_bets([], is_cut=True))
    text = "not all prices loaded · not all value bets loaded"
    qtbot.waitUntil(lambda: text in told(), timeout=LIMIT_MS)
    board.set_snapshot_progress(SnapshotProgress(9, 9, 900, (), NOW_MS))
    exhaust(board.merge_value_bets([]))
    qtbot.waitUntil(lambda: not told(), timeout=LIMIT_MS)
    bar.close_panel()


def test_games_that_are_not_read_are_told_while_there_are(theme: Theme, qtbot: QtBot) -> None:
    board = Board(lambda: NOW_MS)
    bar = StatusBar(board, theme, lambda: NOW_MS, "power")
    qtbot.addWidget(bar)
    bar.resize(1_600, bar.height())
    bar.show()

    def is_told() -> bool:
        labels = [each for each in bar.findChildren(QLabel) if each.isVisible()]
        tips = [each.toolTip() for each in labels if each.text() == "only 2 games loaded"]
        return bool(tips) and tips[0].startswith("The service has more than 2 games.")

    games = [game("A - B"), game("C - D")]
    board.load_games(games, is_cut=True)
    qtbot.waitUntil(is_told, timeout=LIMIT_MS)
    board.load_games(games)
    assert not is_told()
    board.load_games(games, is_cut=True)
    qtbot.waitUntil(is_told, timeout=LIMIT_MS)
    board.forget_service()
    assert not is_told()
    bar.close_panel()


def test_the_time_is_whole_whatever_else_is_cut(theme: Theme, qtbot: QtBot) -> None:
    board = Board(lambda: NOW_MS)
    board.set_connection(Connection(Link.PAST, as_of_ms=NOW_MS))
    bar = StatusBar(board, theme, lambda: NOW_MS, "margin_proportional")
    qtbot.addWidget(bar)
    line = QWidget()
    line.setMinimumWidth(300)
    bar.put_time_line(line)
    bar.resize(480, bar.height())
    bar.show()
    time = f"{local_time(NOW_MS):%H:%M:%S}"
    qtbot.waitUntil(lambda: "…" in bar._method.text())
    assert bar._time.text() == time


def test_the_state_is_read_before_what_is_left_of_requests(theme: Theme, qtbot: QtBot) -> None:
    """It read "Li…", next to a whole line about requests."""
    board = Board(lambda: NOW_MS)
    board.set_connection(replace(COUNTED, link=Link.LIVE, lag_ms=300))
    theme.zoom(160)
    try:
        bar = StatusBar(board, theme, lambda: NOW_MS, "margin_proportional")
        qtbot.addWidget(bar)
        bar.resize(420, bar.height())
        bar.show()
        qtbot.waitUntil(lambda: "…" in bar._requests.text())
        assert bar._link.text().startswith("Live")
    finally:
        theme.zoom(100)


@pytest.mark.parametrize(
    ("limit", "allowed"),
    [(5_500, "allows 5,500 requests an hour."), (200, "allows 200 requests a day."), (1_000, "")],
)
def test_what_the_plan_allows_stands_below(limit: int, allowed: str) -> None:
    text = reading_text(replace(COUNTED, requests_limit=limit), NOW_MS)
    assert text.startswith(f"{PLAN}.")
    assert allowed in text
    assert text.count("allows") == bool(allowed)


@pytest.mark.parametrize(
    ("link", "goes_on"), [(Link.LIVE, "Streamed prices continue."), (Link.POLLING, "")]
)
def test_without_requests_it_says_until_when_and_what_goes_on(link: Link, goes_on: str) -> None:
    connection = replace(COUNTED, requests_left=0, link=link)
    said = reading_text(connection, NOW_MS)
    first = "No requests left for 1 h. Nothing is loaded until the limit resets."
    assert said.startswith(f"{first}\n{goes_on}".strip())
    assert "every" not in requests_text(connection)


@pytest.mark.parametrize(
    ("limit", "said"), [(5_500, "5,412 of 5,500 requests left"), (None, "5,412 requests left")]
)
def test_requests_left_are_told_of_how_many(limit: int | None, said: str) -> None:
    assert requests_text(Connection(requests_left=5_412, requests_limit=limit)) == said


@pytest.mark.parametrize(
    ("lag_ms", "said"), [(140, "lag 140 ms"), (2_140, "lag 2.1 s"), (83_000, "lag 1 min")]
)
def test_the_lag_is_told_with_what_it_is_of(lag_ms: int, said: str) -> None:
    connection = Connection(link=Link.LIVE, lag_ms=lag_ms, messages_per_minute=1_204)
    assert link_text(connection, NOW_MS) == f"Live · {said} · 1,204 changes a minute"
    assert said.removeprefix("lag ") + " after they were scraped" in lag_text(connection)
    assert lag_text(Connection(link=Link.LIVE)) == ""


def test_the_time_changes_when_a_second_begins(theme: Theme, qtbot: QtBot) -> None:
    """It was up to a second late, for as long as the desk ran."""
    now = [NOW_MS + 930]
    bar = StatusBar(Board(lambda: NOW_MS), theme, lambda: now[0], "power")
    qtbot.addWidget(bar)
    bar.show()
    assert bar._ticks.interval() == 70
    now[0] += 72
    bar._tick()
    assert bar._ticks.interval() == 998
    bar._tick()
    assert bar._ticks.interval() == 1_000, "a clock that stands is not asked a thousand times"
    bar.hide()
    assert not bar._ticks.isActive()
    bar.show()
    assert bar._ticks.isActive()
    bar.close_panel()


def test_first_prices_are_not_told_as_changes_a_minute() -> None:
    """It said 28,071 for a minute, where 3,000 a minute came from then on."""
    live = Connection(link=Link.LIVE, since_ms=NOW_MS, messages_per_minute=28_071)
    assert link_text(live, NOW_MS + 69_999) == "Live"
    calm = replace(live, messages_per_minute=3_000)
    assert link_text(calm, NOW_MS + 70_000) == "Live · 3,000 changes a minute"


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


@pytest.mark.parametrize(("in_ms", "said"), [(4_000, "next try in 4 s"), (0, "trying again")])
def test_a_try_that_is_due_is_not_told_as_one_to_come(in_ms: int, said: str) -> None:
    lost = Connection(link=Link.WAITING, reason="no answer", next_try_ms=NOW_MS + in_ms)
    assert link_text(lost, NOW_MS).endswith(said)


def test_a_job_that_died_never_hides_behind_a_live_link() -> None:
    faults = (JobFault("sync: games", "KeyError: 'x'", 1), JobFault("sync: messages", "E", 2))
    connection = Connection(link=Link.LIVE, messages_per_minute=7, faults=faults)
    assert link_text(connection, 0) == "Live · 7 changes a minute · failing: games, messages"
    assert link_ink(connection) is not link_ink(Connection(link=Link.LIVE))


def test_a_service_that_is_not_well_is_no_green_dot() -> None:
    connection = Connection(link=Link.LIVE, service_troubles=("feed 1 is out of credits",))
    assert link_ink(connection) is not link_ink(Connection(link=Link.LIVE))


def test_a_bad_answer_is_shown_as_failing_with_a_live_stream() -> None:
    connection = Connection(link=Link.LIVE, reason="games: the service repeats a page")
    said = "Live · 0 changes a minute · failing: games: the service repeats a page"
    assert link_text(connection, 0) == said
    assert link_ink(connection) is not link_ink(Connection(link=Link.LIVE))


@pytest.mark.parametrize(
    ("link", "said"),
    [
        (Link.LIVE, "Live · no new price for 3 min"),
        (Link.POLLING, "Polling · no new price for 3 min: your plan has no stream"),
        (Link.WAITING, "Disconnected: your plan has no stream"),
    ],
)
def test_a_service_that_has_no_new_price_is_not_well(link: Link, said: str) -> None:
    reason = None if link is Link.LIVE else "your plan has no stream"
    connection = Connection(link=link, reason=reason, silent_since_ms=NOW_MS - 208_000)
    assert link_text(connection, NOW_MS) == said
    assert link_ink(connection) is link_ink(Connection(link=Link.WAITING))
