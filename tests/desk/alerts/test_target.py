"""A target price asked for on a cell: it becomes a rule, is seen there, changed and removed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from oddsdesk.board.alerts.gate import AlertEntry
from oddsdesk.board.alerts.rules import TargetRule, read_rules
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.desk.alerts.controller import AlertsController
from oddsdesk.desk.alerts.panel import AlertsPanel, TargetDialog
from oddsdesk.desk.alerts.rules_dialog import RulesDialog
from oddsdesk.desk.ui.formatting import choose_style
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.formats import AMERICAN, DECIMAL
from tests.desk.alerts.test_alerts import alerts, records, tell_value
from tests.kit.value_bets import OVER

__all__ = ["alerts", "records"]
RULE = TargetRule(
    game="Everton - Liverpool",
    market="total",
    selection="Over 2.5",
    bookmaker="Matchbook",
    odds=2.2,
)


@pytest.fixture
def panel(
    alerts: AlertsController, quoted: Any, theme: Theme, qtbot: QtBot
) -> Iterator[AlertsPanel]:
    made = AlertsPanel(quoted.board, alerts, theme, quoted.clock)
    qtbot.addWidget(made)
    yield made
    made.close_panel()


def ask(panel: AlertsPanel) -> TargetDialog:
    panel.ask_target(OVER)
    return panel.findChildren(TargetDialog)[-1]


def test_a_target_is_a_rule_that_alerts_when_the_price_is_reached(
    panel: AlertsPanel, alerts: AlertsController, quoted: Any, qtbot: QtBot
) -> None:
    told: list[AlertEntry] = []
    alerts.alerted.connect(told.extend)
    dialog = ask(panel)
    worth, now = dialog.said.text().splitlines()
    assert worth.startswith("EV +2.")
    assert now == "2.00 is offered now."
    dialog.price.setText("2.2")
    with qtbot.waitSignal(panel.said) as said:
        dialog.save.click()
    assert said.args == ["Alert set: Over 2.5 at Matchbook, 2.20 or better.", True]
    assert read_rules(alerts.path).rules == (RULE,)
    assert panel._facts.accessibleName() == "1 rule · 0 sent · 0 not sent"
    alerts.look_for_alerts()
    assert told == []
    quoted.clock.now += 1
    quoted.tell("Matchbook", "total", "Over 2.5", 2.24)
    alerts.look_for_alerts()
    assert [entry.alert.alert_title for entry in told] == ["Over 2.5 2.24 at Matchbook"]
    assert told[0].alert.cell == OVER


def test_the_target_that_stands_is_shown_changed_and_removed(
    panel: AlertsPanel, alerts: AlertsController, qtbot: QtBot
) -> None:
    alerts.path.write_text("# mine\nstep = 1\n", "utf-8")
    alerts.set_target(RULE)
    dialog = ask(panel)
    assert (dialog.price.text(), dialog.save.text()) == ("2.2", "Change alert")
    dialog.place.setCurrentIndex(1)
    dialog.price.setText("2.4")
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    (rule,) = alerts.kept().rules
    assert isinstance(rule, TargetRule)
    assert (rule.odds, rule.bookmaker) == (2.4, "")
    dialog = ask(panel)
    assert dialog.place.currentText() == "Any of my bookmakers"
    with qtbot.waitSignal(panel.said) as said:
        dialog.remove.click()
    assert said.args == ["Alert removed: Over 2.5 at any of my bookmakers.", True]
    assert alerts.kept().rules == ()
    assert alerts.path.read_text("utf-8").startswith("# mine\nstep = 1\n")


def test_a_target_that_is_off_is_turned_on(panel: AlertsPanel, alerts: AlertsController) -> None:
    alerts.set_target(msgspec.structs.replace(RULE, enabled=False))
    dialog = ask(panel)
    assert (dialog.price.text(), dialog.save.text()) == ("2.2", "Turn on alert")
    dialog.save.click()
    assert alerts.kept().rules == (RULE,)


def test_no_target_is_asked_for_on_a_price_of_the_past(
    panel: AlertsPanel, quoted: Any, qtbot: QtBot
) -> None:
    quoted.board.set_connection(Connection(link=Link.PAST, as_of_ms=quoted.clock.now))
    with qtbot.waitSignal(panel.said) as said:
        panel.ask_target(OVER)
    assert said.args is not None
    assert said.args[0].startswith("You cannot set an alert on a past price")
    assert panel.findChildren(TargetDialog) == []


def test_a_price_that_is_reached_already_is_said_to_be(panel: AlertsPanel) -> None:
    dialog = ask(panel)
    dialog.price.setText("1.99")
    assert dialog.said.text().endswith("2.00 is offered now, so this alerts at once.")
    dialog.price.setText("two")
    assert "expected decimal odds" in dialog.said.text().casefold()
    assert not dialog.save.isEnabled()


def test_odds_are_typed_as_they_are_written(panel: AlertsPanel, alerts: AlertsController) -> None:
    choose_style(AMERICAN)
    try:
        dialog = ask(panel)
        dialog.price.setText("+120")
        dialog.save.click()
    finally:
        choose_style(DECIMAL)
    assert alerts.kept().rules == (RULE,)


def test_a_new_rule_repeats_no_earlier_alert(
    panel: AlertsPanel, alerts: AlertsController, quoted: Any
) -> None:
    told: list[AlertEntry] = []
    alerts.alerted.connect(told.extend)
    tell_value(alerts, quoted)
    alerts.set_target(RULE)
    alerts.look_for_alerts()
    assert len(told) == len(alerts.gate.entries) == 1


def test_rules_that_make_no_sense_are_not_overwritten(
    panel: AlertsPanel, alerts: AlertsController, qtbot: QtBot
) -> None:
    alerts.path.write_text("[[rules]]\nkind = 'fax'", "utf-8")
    with qtbot.waitSignal(panel.said) as said:
        panel.ask_target(OVER)
    assert said.args is not None
    assert said.args[0].startswith("The alert rules cannot be read")
    assert panel.findChildren(TargetDialog) == []


def test_a_file_that_cannot_be_written_is_said(
    panel: AlertsPanel, alerts: AlertsController, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "file").touch()
    alerts.path = tmp_path / "file" / "alerts.toml"
    dialog = ask(panel)
    with qtbot.waitSignal(panel.said) as said:
        dialog.save.click()
    assert said.args is not None
    assert said.args[0].startswith("The alert rules were not changed")


def test_an_answer_of_the_keyring_after_the_rules_were_closed_is_for_nobody(
    panel: AlertsPanel, alerts: AlertsController, qtbot: QtBot
) -> None:
    panel.edit_rules()
    (dialog,) = panel.findChildren(RulesDialog)
    alerts.address_answered.emit("phone", "")
    with qtbot.waitSignal(dialog.destroyed):
        dialog.reject()
    alerts.address_answered.emit("phone", "")
    assert panel.findChildren(RulesDialog) == []
