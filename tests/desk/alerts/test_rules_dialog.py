"""The rules of alerts in a list with a form each, and as text; one file, its comments kept."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.board.alerts.rules import (
    KINDS,
    ChannelSetting,
    ConnectionRule,
    OpportunityRule,
    Rule,
    SteamRule,
    TargetRule,
    ValueRule,
    fields_of,
    read_rules,
)
from oddsdesk.desk.alerts.rule_form import KnownNames, RuleForm
from oddsdesk.desk.alerts.rules_dialog import ChannelForm, RulesDialog
from oddsdesk.desk.ui.formatting import choose_style
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.formats import AMERICAN, DECIMAL
from tests.desk.shell.test_text_size import cut

NAMES = KnownNames(["All value bets", "Before kick-off"], ["Everton - Liverpool"], ["Matchbook"])
TEXT = """\
# Mine.
step = 1

[[rules]]
kind = "value"
least_ev = 2   # not less

# Later.
[[rules]]
kind = "steam"
channels = ["phone"]

[[channels]]
name = "phone"
kind = "ntfy"
"""
Opened = Callable[[], RulesDialog]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings" / "alerts.toml"


@pytest.fixture
def opened(path: Path, theme: Theme, qtbot: QtBot) -> Iterator[Opened]:
    owner = QWidget()
    qtbot.addWidget(owner)

    def made() -> RulesDialog:
        dialog = RulesDialog(path, theme, NAMES, owner)
        with qtbot.waitExposed(dialog):
            dialog.open()
        return dialog

    yield made
    theme.zoom(100)


def keep(path: Path, text: str = TEXT) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")


def rows(dialog: RulesDialog) -> list[tuple[bool, str, str, str]]:
    items = [dialog.list.topLevelItem(row) for row in range(dialog.list.topLevelItemCount())]
    return [
        (item.checkState(0) is Qt.CheckState.Checked, item.text(1), item.text(2), item.text(3))
        for item in items
        if item is not None
    ]


def form_of(dialog: RulesDialog) -> RuleForm:
    return dialog.findChildren(RuleForm)[-1]


def add(dialog: RulesDialog, kind: type[Rule]) -> RuleForm:
    dialog.add.menu().actions()[list(KINDS).index(kind)].trigger()
    return form_of(dialog)


def put(form: RuleForm, name: str, text: str) -> None:
    field = form.editor(name)
    assert isinstance(field, QLineEdit)
    field.setText(text)
    field.textEdited.emit(text)


def test_rules_are_listed_with_what_they_look_for(opened: Opened, path: Path) -> None:
    keep(path)
    assert rows(opened()) == [
        (True, "Value", "Everywhere", "Value bets of “All value bets” with 2 % EV or more"),
        (True, "Steam", "phone", "3 or more independent bookmakers move by 2 points within 5 min"),
    ]


def test_a_new_user_is_offered_a_start_that_is_kept_when_saved(
    opened: Opened, path: Path, qtbot: QtBot
) -> None:
    dialog = opened()
    assert dialog.said.text().startswith("No rules saved yet")
    assert [row[1] for row in rows(dialog)] == ["Value", "Arbitrage", "Kick off", "Connection"]
    dialog.reject()
    assert not path.exists()
    dialog = opened()
    with qtbot.waitSignal(dialog.saved):
        dialog.save.click()
    assert len(read_rules(path).rules) == 4


def test_the_keyboard_switches_edits_and_removes(opened: Opened, path: Path, qtbot: QtBot) -> None:
    keep(path)
    dialog = opened()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Space)
    assert rows(dialog)[0][0] is False
    qtbot.keyClick(dialog.list, Qt.Key.Key_Return)
    form = form_of(dialog)
    assert dialog.isVisible()
    put(form, "least_ev", "3.5")
    qtbot.keyClick(form.editor("least_ev"), Qt.Key.Key_Return)
    qtbot.keyClick(dialog.list, Qt.Key.Key_Down)
    qtbot.keyClick(dialog.list, Qt.Key.Key_Delete)
    with qtbot.waitSignal(dialog.saved):
        dialog.save.click()
    assert path.read_text("utf-8") == (
        TEXT.replace("2   # not less", "3.5   # not less\nenabled = false").replace(
            '[[rules]]\nkind = "steam"\nchannels = ["phone"]\n\n', ""
        )
    )


def test_a_rule_of_each_kind_is_added_by_its_form(opened: Opened, path: Path, qtbot: QtBot) -> None:
    keep(path)
    dialog = opened()
    for kind in KINDS:
        form = add(dialog, kind)
        if kind is TargetRule:
            put(form, "game", "Everton - Liverpool")
            put(form, "selection", "Draw")
            put(form, "odds", "3.4")
        form.save.click()
        assert rows(dialog)[-1][0] is True
        assert dialog.list.currentItem() is dialog.list.topLevelItem(len(rows(dialog)) - 1)
    target = TargetRule(game="Everton - Liverpool", market="moneyline", selection="Draw", odds=3.4)
    wanted = [target if kind is TargetRule else kind() for kind in KINDS]
    with qtbot.waitSignal(dialog.saved):
        dialog.save.click()
    assert list(read_rules(path).rules[2:]) == wanted
    assert path.read_text("utf-8").startswith(TEXT)


def test_what_is_wrong_is_said_below_its_field_and_nothing_is_taken(
    opened: Opened, path: Path, qtbot: QtBot
) -> None:
    keep(path)
    dialog = opened()
    form = add(dialog, SteamRule)
    put(form, "groups", "0")
    put(form, "minutes", "200")
    said = {label.text() for label in form.findChildren(QLabel)}
    assert "Expected a whole number from 1 to 100." in said
    assert "Expected a number above 0 and up to 120." in said
    form.save.click()
    assert form.isVisible()
    assert form.focusWidget() is form.editor("groups")
    assert form.editor("groups").accessibleDescription() == "Expected a whole number from 1 to 100."
    put(form, "groups", "4")
    put(form, "minutes", "2.5")
    assert form.problems() == {}
    form.save.click()
    assert "4 or more independent bookmakers move by 2 points within 2.5 min" in rows(dialog)[-1]
    form = add(dialog, TargetRule)
    form.save.click()
    assert set(form.problems()) == {"game", "selection", "odds"}


def test_a_duplicate_is_a_new_rule(opened: Opened, path: Path) -> None:
    keep(path)
    dialog = opened()
    dialog.duplicate.click()
    form = form_of(dialog)
    put(form, "name", "More")
    form.save.click()
    assert [row[1] for row in rows(dialog)] == ["Value", "Steam", "More"]
    assert "least_ev = 2   # not less" in dialog.text.toPlainText()


def test_a_form_says_what_the_rule_says(opened: Opened, path: Path) -> None:
    rule = TargetRule(
        *(),
        name="Goals",
        channels=("phone",),
        enabled=False,
        game="A - B",
        market="own_market",
        selection="Over 2.5",
        odds=2.0512345678,
        period=11,
        bookmaker="Bob's",
    )
    keep(path)
    dialog = opened()
    dialog._take(rule, None)
    dialog.edit.click()
    form = form_of(dialog)
    assert not form.is_changed()
    market = form.editor("market")
    assert isinstance(market, QComboBox)
    assert market.currentText() == "own_market"
    ticks = {tick.text(): tick.isChecked() for tick in form.findChildren(QCheckBox)}
    assert ticks == {"phone": True, "En&abled": False}
    before = dialog.text.toPlainText()
    form.save.click()
    assert dialog.text.toPlainText() == before


def test_a_target_is_typed_as_odds_are_written(opened: Opened, path: Path) -> None:
    keep(path)
    choose_style(AMERICAN)
    try:
        dialog = opened()
        form = add(dialog, TargetRule)
        for name, text in (("game", "A - B"), ("selection", "A"), ("odds", "+120")):
            put(form, name, text)
        form.save.click()
        dialog.edit.click()
        odds = form_of(dialog).editor("odds")
        assert isinstance(odds, QLineEdit)
        assert odds.text() == "+120"
    finally:
        choose_style(DECIMAL)
    assert "odds = 2.2\n" in dialog.text.toPlainText()


def test_quiet_hours_and_limits_have_a_form(opened: Opened, path: Path) -> None:
    keep(path)
    dialog = opened()
    assert dialog.held.text() == (
        "No quiet hours · at most 20 an hour · repeated after 10 min if 1 pp better"
    )
    dialog.limits.click()
    form = form_of(dialog)
    begin, end = form.editor("quiet").findChildren(QLineEdit)
    begin.setText("23:00")
    put(form, "most_per_hour", "0")
    form.save.click()
    assert form.problems() == {
        "quiet": "Expected a time of day such as 23:00.",
        "most_per_hour": "Expected a whole number from 1 to 10,000.",
    }
    assert form.focusWidget() is begin
    end.setText("07:00")
    put(form, "most_per_hour", "5")
    form.save.click()
    assert dialog.text.toPlainText() == TEXT.replace(
        "step = 1\n", 'step = 1\nquiet = ["23:00", "07:00"]\nmost_per_hour = 5\n'
    )
    assert dialog.held.text().startswith("Quiet from 23:00 to 07:00 · at most 5 an hour")


def test_a_preset_that_is_gone_is_said_before_it_silences_everything(
    opened: Opened, path: Path
) -> None:
    keep(path, TEXT.replace("least_ev", 'preset = "Mine"\nleast_ev'))
    dialog = opened()
    assert dialog.problem.text() == "there is no preset 'Mine'"
    assert not dialog.save.isEnabled()
    dialog.list.topLevelItem(0).setCheckState(0, Qt.CheckState.Unchecked)
    assert dialog.save.isEnabled()


def test_a_channel_is_added_once_its_address_is_kept(
    opened: Opened, path: Path, qtbot: QtBot
) -> None:
    keep(path)
    dialog = opened()
    dialog.pages.setCurrentIndex(1)
    dialog.channels.add.click()
    form = dialog.findChildren(ChannelForm)[-1]
    assert form.address.echoMode() is QLineEdit.EchoMode.Password
    for name, address, said in (
        ("", "", "A channel needs a name."),
        ("phone", "", "There is already a channel called phone."),
        ("mail", "http://odds.example/secret", "Mail: use https, as the address contains a key."),
        ("mail", "https://odds.example", "Mail: expected an address with a topic"),
    ):
        form.name.setText(name)
        form.address.setText(address)
        form.save.click()
        assert form.trouble.message_text.startswith(said)
    form.address.setText("https://odds.example/topic")
    with qtbot.waitSignal(dialog.address_given) as given:
        form.save.click()
    channel = ChannelSetting("mail", "ntfy")
    assert given.args == [channel, "https://odds.example/topic"]
    dialog.answer_address("mail", "this machine has no keyring")
    assert form.trouble.message_text == "This machine has no keyring."
    assert "mail" not in dialog.text.toPlainText()
    form.save.click()
    dialog.answer_address("mail", "")
    assert dialog.text.toPlainText() == f'{TEXT}\n[[channels]]\nname = "mail"\nkind = "ntfy"\n'
    assert "odds.example" not in dialog.text.toPlainText()
    ticks = [tick.text() for tick in add(dialog, SteamRule).findChildren(QCheckBox)]
    assert ticks[:2] == ["phone", "mail"]


def test_an_address_is_changed_and_a_channel_in_use_stays(
    opened: Opened, path: Path, qtbot: QtBot
) -> None:
    keep(path)
    dialog = opened()
    dialog.pages.setCurrentIndex(1)
    dialog.channels.remove.click()
    assert dialog.trouble.message_text == (
        "The rules were not changed: the rule 'Steam' uses this channel; remove it from the "
        "rule first."
    )
    dialog.channels.address.click()
    form = dialog.findChildren(ChannelForm)[-1]
    assert (form.name.text(), form.name.isEnabled()) == ("phone", False)
    form.save.click()
    assert form.trouble.message_text == "Enter the new address."
    form.address.setText("https://odds.example/new")
    with qtbot.waitSignal(dialog.address_given) as given:
        form.save.click()
    assert given.args == [ChannelSetting("phone", "ntfy"), "https://odds.example/new"]
    dialog.answer_address("phone", "")
    assert dialog.text.toPlainText() == TEXT


def test_text_and_list_are_one(opened: Opened, path: Path) -> None:
    keep(path)
    dialog = opened()
    dialog.text.setPlainText('[[rules]]\nkind = "fax"\n\n[[rules]]\nkind = "connection"')
    assert not dialog.save.isEnabled()
    assert "fax" in dialog.problem.text()
    assert [row[1] for row in rows(dialog)] == ["fax", "Connection"]
    assert "fax" in rows(dialog)[0][3]
    dialog.edit.click()
    assert dialog.pages.currentWidget().isAncestorOf(dialog.text)
    dialog.remove.click()
    assert dialog.save.isEnabled()
    assert dialog.text.toPlainText() == '[[rules]]\nkind = "connection"'
    dialog.text.undo()
    assert "fax" in dialog.text.toPlainText()


def test_rules_that_only_their_user_can_change_are_left_and_said(
    opened: Opened, path: Path
) -> None:
    text = 'rules = [{kind = "connection"}]\n'
    keep(path, text)
    dialog = opened()
    dialog.list.topLevelItem(0).setCheckState(0, Qt.CheckState.Unchecked)
    assert "only be edited as text" in dialog.trouble.message_text
    assert rows(dialog)[0][0] is True
    assert dialog.text.toPlainText() == text


def test_what_was_changed_is_not_thrown_away_unasked(
    opened: Opened, path: Path, qtbot: QtBot
) -> None:
    keep(path)
    dialog = opened()
    dialog.remove.click()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert dialog._question.message_text == "Discard what you typed?"


def test_a_file_that_was_changed_meanwhile_is_not_written_over(opened: Opened, path: Path) -> None:
    keep(path)
    dialog = opened()
    dialog.remove.click()
    keep(path, "# from elsewhere\n")
    dialog.save.click()
    assert "changed elsewhere" in dialog.trouble.message_text
    assert path.read_text("utf-8") == "# from elsewhere\n"


def test_a_file_that_cannot_be_read_is_not_written_over(opened: Opened, path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"\xff")
    dialog = opened()
    assert "cannot be read" in dialog.problem.text()
    dialog.text.setPlainText("step = 1")
    assert not dialog.save.isEnabled()


@pytest.mark.parametrize("kind", list(KINDS))
def test_each_field_has_a_letter_of_its_own_and_tab_goes_through_them_in_order(
    kind: type[Rule], opened: Opened, path: Path, qtbot: QtBot
) -> None:
    keep(path)
    form = add(opened(), kind)
    titles = [label.text() for label in form.findChildren(QLabel) if label.buddy() is not None]
    titles += [tick.text() for tick in form.findChildren(QCheckBox) if "&" in tick.text()]
    letters = [title[title.index("&") + 1].casefold() for title in titles] + ["s"]
    assert len(letters) == len(set(letters)) == len(fields_of(kind)) + 1
    editors = [form.editor(field.name) for field in fields_of(kind)]
    passed: list[QWidget] = []
    for editor in editors:
        there = form.focusWidget()
        assert there is not None
        assert there in (editor, editor.focusProxy())
        passed.append(there)
        qtbot.keyClick(there, Qt.Key.Key_Tab)
    assert form.focusWidget() is form.save


def test_tab_goes_from_the_list_through_what_can_be_done_to_the_end(
    opened: Opened, path: Path, qtbot: QtBot
) -> None:
    keep(path)
    dialog = opened()
    wanted = [dialog.list, dialog.add, dialog.edit, dialog.duplicate, dialog.remove]
    for part in (*wanted, dialog.limits, dialog.save):
        assert dialog.focusWidget() is part
        qtbot.keyClick(part, Qt.Key.Key_Tab)


@pytest.mark.parametrize("percent", [80, 160])
def test_nothing_is_cut_at_any_size_of_text(
    percent: int, opened: Opened, path: Path, theme: Theme, qtbot: QtBot
) -> None:
    keep(path)
    theme.zoom(percent)
    dialog = opened()
    screen = dialog.screen().availableGeometry()
    assert screen.width() <= 1_280
    assert cut(dialog) == []
    dialog.pages.setCurrentIndex(1)
    dialog.channels.add.click()
    channel = dialog.findChildren(ChannelForm)[-1]
    qtbot.waitUntil(lambda: cut(dialog) == cut(channel) == [])
    assert (channel.width(), channel.height()) <= (screen.width(), screen.height())
    dialog.pages.setCurrentIndex(0)
    for kind in (TargetRule, ValueRule, OpportunityRule, ConnectionRule, None):
        if kind is None:
            dialog.limits.click()
        form = form_of(dialog) if kind is None else add(dialog, kind)
        with qtbot.waitExposed(form):
            form.show()
        form.save.click() if kind is TargetRule else None
        assert (form.width(), form.height()) <= (screen.width(), screen.height())
        qtbot.waitUntil(lambda form=form: cut(form) == [])
