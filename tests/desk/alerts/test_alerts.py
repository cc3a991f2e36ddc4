"""Alerts at the desk: the rules' file, the list, notifications, and the window in the tray."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.board.alerts.channels import ChannelError, variable_of
from oddsdesk.board.alerts.gate import Alert, AlertEntry, Held
from oddsdesk.board.alerts.rules import ChannelSetting
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.desk.alerts import controller
from oddsdesk.desk.alerts.controller import AlertsController, Notifier
from oddsdesk.desk.alerts.model import COLUMNS
from oddsdesk.desk.alerts.panel import AlertsPanel
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.window import MainWindow
from oddsdesk.desk.ui.formatting import local_time
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.value_bets import OVER, be_value
from tests.kit.waiting import until
from tests.kit.webhook import webhook

TITLES = [column.title for column in COLUMNS]
VALUE = '[[rules]]\nkind = "value"\n'


@pytest.fixture
def records(tmp_path: Path, qtbot: QtBot) -> Iterator[Records]:
    made = Records(tmp_path / "ledger.db")
    with qtbot.waitSignal(made.bets_changed):
        pass
    yield made
    made.close_records()


@pytest.fixture
def alerts(
    quoted: Any, preferences: Preferences, records: Records, tmp_path: Path
) -> Iterator[AlertsController]:
    made = AlertsController(
        quoted.board, quoted.clock, preferences, records, tmp_path / "alerts.toml"
    )
    yield made
    made._end()


def tell_value(alerts: AlertsController, quoted: Any) -> None:
    alerts.path.write_text(VALUE, "utf-8")
    alerts.read_rules()
    be_value(quoted)
    alerts.look_for_alerts()


def test_what_the_rules_ask_for_is_told_and_listed(
    alerts: AlertsController, quoted: Any, theme: Theme, qtbot: QtBot
) -> None:
    panel = AlertsPanel(quoted.board, alerts, theme, quoted.clock)
    qtbot.addWidget(panel)
    told: list[AlertEntry] = []
    alerts.alerted.connect(told.extend)
    tell_value(alerts, quoted)
    assert [entry.alert.alert_title for entry in told] == ["+3.0 %: Over 2.5 2.06 at Matchbook"]
    shown = {title: panel.model.cell(0, column).text for column, title in enumerate(TITLES)}
    assert (shown["Rule"], shown["Status"]) == ("Value", "sent")
    with qtbot.waitSignal(panel.price_requested) as wanted:
        panel.table.opened.emit(panel.model.index(0, 0))
    assert wanted.args == [OVER]
    panel.close_panel()


def test_nothing_is_told_of_prices_while_not_connected_and_the_panel_says_so(
    alerts: AlertsController, quoted: Any, theme: Theme, qtbot: QtBot
) -> None:
    panel = AlertsPanel(quoted.board, alerts, theme, quoted.clock)
    qtbot.addWidget(panel)
    quoted.board.set_connection(Connection(link=Link.WAITING))
    tell_value(alerts, quoted)
    assert not alerts.gate.entries
    assert panel._facts.text().startswith("Not connected: no price alerts · 1 rule")
    quoted.board.set_connection(Connection(link=Link.LIVE))
    alerts.look_for_alerts()
    assert len(alerts.gate.entries) == 1
    assert panel._facts.text().startswith("1 rule")
    panel.close_panel()


def test_a_kick_off_alert_counts_practice_bets_only_at_simulated_odds(
    alerts: AlertsController, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    named = quoted.id, "Everton - Liverpool", "EPL", "Football", *OVER[1:]
    begins = quoted.clock.now + 60_000
    practice = PlacedBet(*named, 2.1, 5.0, 1, kick_off=begins, practice=True)
    with qtbot.waitSignal(records.bets_changed):
        records.place_bet(practice, lambda _: None)
    alerts.path.write_text('[[rules]]\nkind = "kick-off"\n', "utf-8")
    alerts.read_rules()
    alerts.look_for_alerts()
    assert not alerts.gate.entries
    quoted.board.set_connection(Connection(link=Link.LIVE, simulated=True))
    alerts.look_for_alerts()
    assert len(alerts.gate.entries) == 1


async def test_of_an_arbitrage_is_told_as_long_as_its_bookmakers_take_something(
    alerts: AlertsController, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    """Matchbook takes 4: they are placed, and the arbitrage with its price is none any more."""
    quoted.board.set_profiles(Profiles([Profile(name="Matchbook", group="Matchbook", limit=4)]))
    named = quoted.id, "Everton - Liverpool", "EPL", "Football", *OVER[1:]
    bet = PlacedBet(*named, 2.1, 4.0, quoted.clock.now, kick_off=quoted.clock.now + 60_000)
    with qtbot.waitSignal(records.bets_changed):
        records.place_bet(bet, lambda _: None)
    alerts.path.write_text('[[rules]]\nkind = "arbitrage"\nleast = 0.5\n', "utf-8")
    alerts.read_rules()
    quoted.tell("Bovada", "total", "Under 2.5", 2.1)
    be_value(quoted, 2.1)

    offered = alerts._service.opportunities
    assert offered is not None

    async def legs() -> list[str]:
        await alerts._service.find_opportunities()
        return [leg.bookmaker for each in offered.entries.values() for leg in each.legs]

    assert "Matchbook" not in await legs()
    quoted.board.set_profiles(Profiles([]))
    offered.look_at_all()
    assert "Matchbook" in await legs()
    await alerts.close_alerts()


PHONE = f"""[[channels]]
name = "phone"
kind = "webhook"

{VALUE}"""


async def test_what_is_told_before_a_channel_is_open_goes_there_and_nothing_twice_after_a_restart(
    alerts: AlertsController,
    quoted: Any,
    preferences: Preferences,
    records: Records,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with webhook() as (address, posted):
        monkeypatch.setenv(variable_of("phone"), address)
        alerts.path.write_text(PHONE, "utf-8")
        alerts.read_rules()
        be_value(quoted)
        alerts.look_for_alerts()
        await until(lambda: bool(posted))
        await until(lambda: "sent" in alerts.gate.entries[0].deliveries["phone"])
        await alerts.close_alerts()

        again = AlertsController(quoted.board, quoted.clock, preferences, records, alerts.path)
        again.read_rules()
        again.look_for_alerts()
        assert [entry.held for entry in again.gate.entries] == [None, Held.COOLDOWN]
        await again.close_alerts()
    assert len(posted) == 1


async def test_an_address_is_kept_on_a_thread_and_answered(
    alerts: AlertsController, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[str, str] = {}

    def keep_address(name: str, address: str) -> None:
        if name == "fax":
            raise ChannelError("this machine has no keyring")
        kept[name] = address

    monkeypatch.setattr(controller, "keep_address", keep_address)
    answered: list[tuple[str, str]] = []
    alerts.address_answered.connect(lambda *said: answered.append(said))
    for name, address in (("phone", "https://a.example/x"), ("fax", "y"), ("none", "")):
        alerts.keep_address(ChannelSetting(name, "ntfy"), address)
    await until(lambda: len(answered) == 3)
    assert dict(answered) == {"phone": "", "fax": "this machine has no keyring", "none": ""}
    assert kept == {"phone": "https://a.example/x"}


async def test_what_no_channel_had_taken_when_the_program_ended_goes_there_once_it_is_back(
    alerts: AlertsController,
    quoted: Any,
    preferences: Preferences,
    records: Records,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with webhook() as (address, posted):
        gone = address
    monkeypatch.setenv(variable_of("phone"), gone)
    alerts.path.write_text(PHONE, "utf-8")
    alerts.read_rules()
    be_value(quoted)
    alerts.look_for_alerts()
    await until(lambda: "not yet" in alerts.gate.entries[0].deliveries["phone"])
    await alerts.close_alerts()

    with webhook() as (address, posted):
        monkeypatch.setenv(variable_of("phone"), address)
        again = AlertsController(quoted.board, quoted.clock, preferences, records, alerts.path)
        again.read_rules()
        await until(lambda: bool(posted))
        await again.close_alerts()
    assert [each["title"] for each in posted] == ["+3.0 %: Over 2.5 2.06 at Matchbook"]


def test_without_rules_nothing_is_told_and_the_panel_offers_them(
    alerts: AlertsController, quoted: Any, theme: Theme, qtbot: QtBot
) -> None:
    alerts.read_rules()
    be_value(quoted)
    alerts.look_for_alerts()
    panel = AlertsPanel(quoted.board, alerts, theme, quoted.clock)
    qtbot.addWidget(panel)
    assert panel.model.rowCount() == 0
    assert panel.placeholder._state.sentence == "No alert rules yet."
    panel.close_panel()


def test_rules_that_make_no_sense_are_said_and_stop_nothing_else(
    alerts: AlertsController, qtbot: QtBot
) -> None:
    alerts.path.write_text('[[rules]]\nkind = "value"\npreset = "No such"', "utf-8")
    with qtbot.waitSignal(alerts.problem_found) as found:
        alerts.read_rules()
    assert found.args is not None
    assert "No such" in found.args[0]
    assert alerts.rule_count == 0


@pytest.mark.usefixtures("american_odds")
def test_list_and_notification_write_odds_as_the_desk_does_and_channels_decimal(
    alerts: AlertsController, quoted: Any, theme: Theme, qtbot: QtBot
) -> None:
    panel = AlertsPanel(quoted.board, alerts, theme, quoted.clock)
    qtbot.addWidget(panel)
    tell_value(alerts, quoted)
    (entry,) = alerts.gate.entries
    assert entry.alert.alert_title == "+3.0 %: Over 2.5 2.06 at Matchbook"
    written = "+3.0 %: Over 2.5 +106 at Matchbook"
    assert panel.model.cell(0, TITLES.index("Alert")).text == written
    assert panel.model.tip(0, 0).startswith(written)
    notifier = Notifier(QIcon(), panel)
    notifier._tray = tray = Tray()
    notifier.notify([entry])
    assert tray.shown[0][0] == written
    notifier.leave_tray()
    panel.close_panel()


class Tray(QSystemTrayIcon):
    """A tray that notes what it is told to show."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[tuple[str, str]] = []

    def showMessage(self, *said: Any) -> None:
        self.shown.append(said[:2])


def test_a_notification_holds_no_markup_and_a_click_shows_the_price(qtbot: QtBot) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    notifier = Notifier(QIcon(), owner)
    notifier._tray = tray = Tray()
    alert = Alert(("x",), "Value", "<b>A</b>", 'x <img src="/dev/zero"> & y', 3.0, OVER)
    notifier.notify([AlertEntry(alert, 0, None)])
    assert tray.shown == [("‹b›A‹/b›", 'x ‹img src="/dev/zero"› + y')]
    with qtbot.waitSignals([notifier.window_requested, notifier.price_requested]):
        notifier.show_told()
    notifier.leave_tray()


def test_alerts_of_one_look_are_one_notification_and_a_click_shows_the_list(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    notifier = Notifier(QIcon(), owner)
    notifier._tray = tray = Tray()
    sounds = list[None]()
    monkeypatch.setattr(QApplication, "beep", lambda: sounds.append(None))
    prices = list[RowKey]()
    notifier.price_requested.connect(prices.append)
    alerts = [
        AlertEntry(Alert((i,), "Value", f"A{i}", "x · y", 3.0, OVER), 0, None) for i in range(7)
    ]
    notifier.notify(alerts)
    assert tray.shown == [("7 alerts", "A0 · x\nA1 · x\nA2 · x\nA3 · x\nA4 · x\nand 2 more")]
    assert len(sounds) == 1
    with qtbot.waitSignal(notifier.list_requested):
        notifier.show_told()
    notifier.notify(alerts[:1])
    with qtbot.waitSignal(notifier.list_requested):
        notifier.show_told()  # that of before may be in sight, too
    notifier._in_sight.timeout.emit()
    notifier._in_sight.stop()
    notifier.notify(alerts[:1])
    assert tray.shown[-1] == ("A0", "x · y")
    notifier.show_told()
    assert prices == [OVER]
    notifier.leave_tray()


def test_that_the_hour_is_full_is_said_once_and_until_when(
    alerts: AlertsController, quoted: Any, theme: Theme, qtbot: QtBot
) -> None:
    panel = AlertsPanel(quoted.board, alerts, theme, quoted.clock)
    qtbot.addWidget(panel)
    said = list[str]()
    alerts.hour_filled.connect(said.append)
    alerts.path.write_text(f"most_per_hour = 1\n{VALUE}", "utf-8")
    alerts.read_rules()
    alerts.gate.decide_alert(Alert(("x",), "Value", "title", "text"))
    alerts.look_for_alerts()
    until = f"{local_time(quoted.clock.now + 3_600_000):%H:%M}"
    assert f"1 sent · 0 not sent · hourly limit until {until} ·" in panel._facts.text()
    assert said == [], "nothing is held back"
    be_value(quoted)
    alerts.look_for_alerts()
    rest = f"Until {until}, further alerts are only listed in Alerts."
    assert said == [f"Limit of 1 alert an hour reached. {rest}"]
    alerts.gate.decide_alert(Alert(("y",), "Value", "title", "text"))
    alerts.look_for_alerts()
    assert len(said) == 1
    quoted.clock.now += 3_600_000
    alerts.look_for_alerts()
    assert "hourly limit" not in panel._facts.text()
    panel.close_panel()


def test_a_window_that_goes_on_in_the_tray_is_hidden_comes_back_and_can_be_quit(
    theme: Theme, tmp_path: Path, qtbot: QtBot
) -> None:
    window = MainWindow(theme, Layout(tmp_path / "desk.ini"))
    qtbot.addWidget(window)
    closed: list[bool] = []
    window.closed.connect(lambda: closed.append(True))
    window.stays_running = lambda: True
    with qtbot.waitExposed(window):
        window.show()
    window.close()
    assert (window.isHidden(), closed) == (True, [])
    window.come_back()
    assert window.isVisible()
    window.close()
    window.quit()
    assert closed == [True]


def test_of_the_past_nothing_is_told_and_the_panel_says_so(
    alerts: AlertsController, quoted: Any, theme: Theme, qtbot: QtBot
) -> None:
    panel = AlertsPanel(quoted.board, alerts, theme, quoted.clock)
    qtbot.addWidget(panel)
    now = quoted.board.connection
    quoted.board.set_connection(Connection(link=Link.PAST, as_of_ms=quoted.clock.now))
    tell_value(alerts, quoted)
    assert not alerts.gate.entries
    assert panel._facts.text().startswith("No alerts in the past view")
    quoted.board.set_connection(now)
    alerts.look_for_alerts()
    assert panel._facts.text().startswith("1 rule · 1 sent")
    panel.close_panel()
