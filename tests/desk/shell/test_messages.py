"""Messages: trouble stays until it ends or is closed, what passes does not hide it for good."""

import logging
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from oddsdesk.base.tasks import JobFault
from oddsdesk.base.texts import ENGLISH, use_language
from oddsdesk.board.alerts.gate import Alert, AlertEntry
from oddsdesk.board.board import Board
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.desk.bookmakers.controller import BookmakersController
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.connections import Connections
from oddsdesk.desk.shell.messages import ConnectionTrouble, MessageCenter, log_connection
from oddsdesk.desk.ui.controls.messages import MessageBar
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.own_tables import bookmakers_file


def test_trouble_shows_again_after_a_passing_message(
    theme: Theme, quoted: Any, qtbot: QtBot
) -> None:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    center = MessageCenter(bar)
    trouble = ConnectionTrouble(center, quoted.board, quoted.clock)
    quoted.board.set_connection(Connection(link=Link.WAITING, reason="The service is away"))
    assert "The service is away." in bar.message_text
    center.show_message("Copied", passes=True)
    assert bar.message_text == "Copied"
    center.clear_message()
    assert "The service is away." in bar.message_text
    retry = bar.findChild(QPushButton)
    assert retry.text() == "Try now"
    with qtbot.waitSignal(center.retry_requested):
        retry.click()
    assert not bar.isHidden()
    quoted.board.set_connection(Connection(link=Link.LIVE))
    assert bar.isHidden()
    trouble.close_panel()


def bar_and_center(theme: Theme, qtbot: QtBot) -> tuple[MessageBar, MessageCenter]:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    return bar, MessageCenter(bar)


@pytest.mark.parametrize("is_lost_first", [True, False])
def test_what_is_said_to_stay_gives_way_to_trouble_and_is_back_when_that_is_over(
    theme: Theme, qtbot: QtBot, *, is_lost_first: bool
) -> None:
    bar, center = bar_and_center(theme, qtbot)
    acted: list[str] = []
    steps = [
        lambda: center.show_trouble("Not connected."),
        lambda: center.show_message(
            "A bet begins", action="Show", act=lambda: acted.append("shown")
        ),
    ]
    for step in steps if is_lost_first else reversed(steps):
        step()
    assert bar.message_text == "A bet begins"
    assert center._passing.isActive()
    center._passing.timeout.emit()
    assert bar.message_text == "Not connected."
    with qtbot.waitSignal(center.retry_requested):
        bar.findChild(QPushButton).click()
    center.show_trouble("")
    assert bar.message_text == "A bet begins"
    assert not center._passing.isActive()
    bar.findChild(QPushButton).click()
    assert acted == ["shown"]
    assert bar.isHidden()


def test_trouble_closed_over_what_was_said_leaves_that(theme: Theme, qtbot: QtBot) -> None:
    bar, center = bar_and_center(theme, qtbot)
    center.show_trouble("Not connected.")
    center.show_message("A bet begins")
    center._passing.timeout.emit()
    bar.findChild(QToolButton).click()
    assert bar.message_text == "A bet begins"
    bar.findChild(QToolButton).click()
    assert bar.isHidden()


def test_closed_trouble_stays_closed_until_the_next(theme: Theme, qtbot: QtBot) -> None:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    center = MessageCenter(bar)
    center.show_trouble("Not connected. Next try in 8 s.")
    bar.findChild(QToolButton).click()
    center.show_trouble("Not connected. Next try in 7 s.")
    assert bar.isHidden()
    center.show_trouble("")
    center.show_trouble("Not connected.")
    assert not bar.isHidden()


def test_a_job_of_the_desk_that_died_is_told_until_it_is_well(
    theme: Theme, quoted: Any, qtbot: QtBot
) -> None:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    trouble = ConnectionTrouble(MessageCenter(bar), quoted.board, quoted.clock)
    faults = (JobFault("sync: matrix 6f1c", "KeyError: 'x'", 1), JobFault("sync: tick", "E", 1))
    quoted.board.set_connection(Connection(link=Link.LIVE, faults=faults))
    assert bar.message_text == (
        "2 background tasks failed, trying again: prices of a game (KeyError: 'x'); tick (E)."
    )
    quoted.board.set_connection(Connection(link=Link.LIVE))
    assert bar.isHidden()
    trouble.close_panel()


def test_what_the_service_says_is_wrong_with_it_is_told(
    theme: Theme, quoted: Any, qtbot: QtBot
) -> None:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    trouble = ConnectionTrouble(MessageCenter(bar), quoted.board, quoted.clock)
    said = ("odds cannot be recorded: the disk is full", "<b>feed 1</b>: 350 quotes wait")
    quoted.board.set_connection(Connection(link=Link.LIVE, service_troubles=said))
    assert bar.message_text == f"The service reports a problem: {said[0]}; {said[1]}."
    quoted.board.set_connection(Connection(link=Link.LIVE, clock_ahead_ms=-300_000))
    assert bar.message_text == (
        "The clocks of this computer and the service are 5 min apart, so the age of prices is "
        "unknown: no stakes and no alerts. Set the clock that is wrong."
    )
    quoted.board.set_connection(Connection(link=Link.LIVE))
    assert bar.isHidden()
    trouble.close_panel()


def test_warnings_wait_for_each_other_and_are_logged(
    theme: Theme, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    center = MessageCenter(bar)
    center.warn("bookmakers", "bookmakers.csv: not UTF-8 text")
    center.warn("alerts", "alerts.toml: cannot be read")
    center.warn("alerts", "alerts.toml: cannot be read")
    assert caplog.messages == ["bookmakers.csv: not UTF-8 text", "alerts.toml: cannot be read"]
    center.show_trouble("Not connected.")
    center.show_message("Connecting…")
    center.clear_message()
    shown = []
    while not bar.isHidden():
        shown.append(bar.message_text)
        bar.findChild(QToolButton).click()
    assert shown == [
        "Not connected.",
        "bookmakers.csv: not UTF-8 text",
        "alerts.toml: cannot be read",
    ]


def test_a_warning_is_shown_in_the_language_and_logged_in_english(
    theme: Theme, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    bar, center = bar_and_center(theme, qtbot)
    use_language("de")
    try:
        center.warn("bookmakers", "bookmakers.csv: not UTF-8 text; save it as CSV UTF-8")
    finally:
        use_language(ENGLISH)
    assert bar.message_text == "bookmakers.csv: kein UTF-8-Text; als CSV UTF-8 speichern"
    assert caplog.messages == ["bookmakers.csv: not UTF-8 text; save it as CSV UTF-8"]


def test_a_warning_goes_with_what_is_done_about_it_or_when_its_file_is_read_again(
    theme: Theme, qtbot: QtBot
) -> None:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    center = MessageCenter(bar)
    opened: list[str] = []
    center.warn("bookmakers", "line 2", action="Bookmakers…", act=lambda: opened.append("them"))
    center.warn("alerts", "no such preset")
    center.warn("settings", "cannot be read")
    bar.findChild(QPushButton).click()
    assert (opened, bar.message_text) == (["them"], "no such preset")
    center.withdraw_warnings("alerts")
    assert bar.message_text == "cannot be read"


async def test_each_file_of_the_users_that_is_not_read_is_told(
    desk: tuple[Desk, Connections], theme: Theme
) -> None:
    made, _ = desk
    file = bookmakers_file()
    file.parent.mkdir(parents=True)
    file.write_bytes(b"name,commission\nBetfair,\xff\n")
    made.alerting.controller.path.write_text("[[rules]", "utf-8")
    preferences = Preferences(Layout(file.with_name("desk.ini")))
    made.offer_bookmakers(BookmakersController(theme, preferences, made.window, tuple))
    made.alerting.controller.read_rules()
    bar = made.window.messages.parent()
    assert isinstance(bar, MessageBar)
    assert "bookmakers.csv: not UTF-8 text" in bar.message_text
    bar.findChild(QToolButton).click()
    assert "alerts.toml: " in bar.message_text
    made.alerting.controller.path.unlink()
    made.alerting.controller.read_rules()
    assert bar.isHidden()


async def test_the_line_of_a_loss_goes_once_prices_are_back_and_no_other_line_does(
    desk: tuple[Desk, Connections], quoted: Any
) -> None:
    made, _ = desk
    made.alerting.controller.path.write_text(
        '[[rules]]\nkind = "connection"\nseconds = 30\n', "utf-8"
    )
    made.alerting.controller.read_rules()
    bar = made.window.messages.parent()
    assert isinstance(bar, MessageBar)

    def lose_it() -> None:
        away = Connection(link=Link.WAITING, reason="it hangs", since_ms=quoted.clock.now)
        quoted.board.set_connection(away)
        quoted.clock.now += 3_600_000
        made.alerting.controller.look_for_alerts()
        assert bar.message_text == "Prices no longer come in · It hangs"

    def find_it() -> None:
        quoted.board.set_connection(Connection(link=Link.LIVE))
        made.alerting.controller.look_for_alerts()

    lose_it()
    find_it()
    assert bar.isHidden()
    lose_it()
    made.window.show_message("Restored")
    find_it()
    assert bar.message_text == "Restored"


async def test_settings_that_are_not_read_are_told(
    theme: Theme, quoted: Any, tmp_path: Path
) -> None:
    (tmp_path / "desk.ini").mkdir()
    layout, records = Layout(tmp_path / "desk.ini"), Records(tmp_path / "ledger.db")
    made = Desk(quoted.board, theme, layout, Preferences(layout), records, quoted.clock)
    bar = made.window.messages.parent()
    assert isinstance(bar, MessageBar)
    assert bar.message_text.endswith("desk.ini: cannot be read; default settings are used")
    made.close_desk()
    records.close_records()
    made.window.deleteLater()


NOW_MS = 1_776_340_800_000


def test_each_change_of_the_link_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    board = Board(lambda: NOW_MS)
    end = log_connection(board)
    live = Connection(Link.LIVE, simulated=True)
    lost = Connection(Link.WAITING, "No answer", NOW_MS - 2_000, NOW_MS + 4_000, simulated=True)
    none = Connection(reason="its file is no database")  # which is told where it is met
    for connection in (none, live, replace(live, messages_per_minute=7), lost, live):
        board.set_connection(connection)
    end()
    board.set_connection(lost)
    assert caplog.messages == [
        "connection: live",
        "these odds are simulated: no bookmaker offers them",
        "connection: waiting (No answer)",
        "connection: live",
    ]


def test_where_the_past_cannot_be_read_nothing_is_said_of_how_long(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Its clock stands: it would be 0 s for ever."""
    caplog.set_level(logging.INFO)
    board = Board(lambda: NOW_MS)
    end = log_connection(board)
    board.set_connection(Connection(Link.WAITING, "Too slow", NOW_MS, as_of_ms=NOW_MS))
    end()
    assert [line for line in caplog.messages if "Too slow" in line]
    assert not [line for line in caplog.messages if "Away" in line]


def test_what_was_said_of_now_is_not_said_of_the_past_and_is_back_after_it(
    theme: Theme, qtbot: QtBot
) -> None:
    bar, center = bar_and_center(theme, qtbot)
    for text, passes, is_back in (("Value: Leeds", False, True), ("Copied", True, False)):
        center.show_message(text, passes=passes)
        center.set_aside(but="the past")
        assert bar.isHidden()
        center.show_message("The log ends here.", passes=True, about="the past")
        center.bring_back()
        assert (not bar.isHidden(), bar.message_text == text) == (is_back, is_back)
    center.show_message("Shown as of then", passes=True, about="the past")
    center.set_aside(but="the past")
    assert bar.message_text == "Shown as of then"


def test_what_has_ended_meanwhile_is_not_brought_back(theme: Theme, qtbot: QtBot) -> None:
    bar, center = bar_and_center(theme, qtbot)
    center.show_message("Value: Leeds", about="leeds")
    center.set_aside(but="the past")
    center.withdraw("leeds")
    center.bring_back()
    assert bar.isHidden()


async def test_alerts_of_one_look_are_one_line_that_goes_once_all_are_over(
    desk: tuple[Desk, Connections],
) -> None:
    made, _ = desk
    bar, alerting = made.window.messages._bar, made.alerting
    alerts = [AlertEntry(Alert((i,), "Value", f"A{i}", "text"), 0, None) for i in range(3)]
    alerting.controller.alerted.emit(alerts)
    assert bar.message_text == "3 alerts. First: A0 · text"
    alerting.controller.ended.emit((0,))
    alerting.controller.ended.emit((1,))
    assert not bar.isHidden()
    bar.action_requested.emit()
    assert alerting.panel.made is not None
    assert alerting.panel.made.isVisibleTo(made.window)
    alerting.controller.alerted.emit(alerts[:1])
    alerting.controller.ended.emit((0,))
    assert bar.isHidden()
    alerting.controller.hour_filled.emit("20 alerts within an hour")
    assert bar.message_text == "20 alerts within an hour"


async def test_notices_of_the_past_end_with_it_and_those_of_now_wait_for_its_end(
    desk: tuple[Desk, Connections], quoted: Any
) -> None:
    made, _ = desk
    bar, board = made.window.messages._bar, quoted.board
    made.alerting._on_controller_alerted(
        [AlertEntry(Alert(("x",), "Value", "title", "text", 3.0), 0, None)]
    )
    said = bar.message_text
    made.reset_desk()
    board.set_connection(Connection(link=Link.PAST, as_of_ms=quoted.clock.now - 1))
    assert bar.isHidden()
    made._on_looking_back_said("The log ends here.")
    made.reset_desk()
    assert bar.message_text == said
    made.reset_desk()
    made.enter_service()
    assert bar.message_text == said
