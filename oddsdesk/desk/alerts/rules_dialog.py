"""The rules of alerts: a list with a form each, and the file that `oddsdesk watch` reads, too."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase, QKeyEvent, QTextCursor
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QHBoxLayout,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QTabWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.board.alerts.rule_fields import KINDS
from oddsdesk.board.alerts.rules import (
    Policy,
    Rule,
    RulesFileError,
    check_presets,
    decode_rules,
)
from oddsdesk.board.alerts.rules_text import (
    RuleEntry,
    policy_of,
    rule_entries,
    with_changed_rule,
    with_enabled,
    with_policy,
    with_rule,
    without_rule,
)
from oddsdesk.desk.alerts.channels_page import ChannelsPage
from oddsdesk.desk.alerts.rule_form import KnownNames, RuleForm, values_of
from oddsdesk.desk.alerts.rule_words import channels_text, policy_text, watched_text
from oddsdesk.desk.ui.controls.form_dialog import FormDialog, note, plain_table, with_buttons
from oddsdesk.desk.ui.controls.message_bar import sentence
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.controls.scaling import resize_scaled
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import STEP
from oddsdesk.private_files import OWNER_ONLY, make_own_folder
from oddsdesk.whole_files import whole_file

EXAMPLE: Final = """\
# What to tell of, where to, and when not. `oddsdesk watch --rules FILE` reads the same.
quiet = ["23:00", "07:00"]     # by the local clock; leave it out for none
most_per_hour = 20

[[rules]]
kind = "value"
preset = "Before kick-off"
least_ev = 2

[[rules]]
kind = "arbitrage"
least = 1

[[rules]]
kind = "kick-off"              # of a game on which you have a bet
minutes = 10

[[rules]]
kind = "connection"
seconds = 30

# [[rules]]
# kind = "target"
# game = "Everton vs Liverpool"
# market = "moneyline"
# selection = "Everton"
# odds = 3.4

# [[rules]]
# kind = "steam"
# groups = 3
# points = 2
# minutes = 5

# [[channels]]                 # oddsdesk watch --set-channel phone
# name = "phone"
# kind = "ntfy"
"""
_SAID: Final = (
    "T on a price adds a target here. oddsdesk watch tells by the same rules, without a window."
)
_PROPOSED: Final = "No rules are kept yet. These are a start: change them as you like, and save."
_AS_TEXT: Final = (
    "The file as it is. A rule is a [[rules]] with a kind: value, target, arbitrage, steam, "
    "kick-off or connection."
)
_SIZE: Final = (820, 520)
_WIDTHS: Final = {"On": 44, "Name": 130, "Channels": 120, "Looks for": 0}
_TEXT_PAGE: Final = 2
_ENTRY: Final = Qt.ItemDataRole.UserRole


class RulesDialog(FormDialog):
    """Shows the rules, or an example where there are none; what makes no sense is not saved."""

    saved = Signal()
    address_given = Signal(object, str)
    """A ``ChannelSetting`` and its address, to be kept and answered."""

    def __init__(self, path: Path, theme: Theme, names: KnownNames, parent: QWidget) -> None:
        super().__init__(theme, "Rules of alerts", parent)
        resize_scaled(self, theme, *_SIZE)
        self._path, self._names = path, names
        self.text = QPlainTextEdit(tabChangesFocus=True)
        self.text.setAccessibleName("Rules as text")
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        fixed.setPointSizeF(theme.fonts.body.pointSizeF())
        self.text.setFont(fixed)
        self.list = plain_table(theme, "Rules", _WIDTHS)
        self.add = QPushButton("&Add")
        self.edit = QPushButton("&Edit…")
        self.duplicate = QPushButton("&Duplicate…")
        self.remove = QPushButton("&Remove")
        self.channels = ChannelsPage(theme)
        self.limits = QPushButton("&Quiet hours, limits…")
        self.held = Label(wordWrap=True)
        self.pages = QTabWidget(documentMode=True)
        self.problem = Label(wordWrap=True)
        self.problem.setProperty("variant", "down")
        self._lay_out()
        self._fault = ""
        """Why the file cannot be read, and so is not written over."""
        self._kept: str | None = None
        try:
            self._kept = self._read()
            self.text.setPlainText(EXAMPLE if self._kept is None else self._kept)
        except (OSError, UnicodeDecodeError) as error:
            self._fault = f"{path} cannot be read: {getattr(error, 'strerror', error)}"
        self._connect()
        self._check()
        self.begin()
        self._show_current()

    def values(self) -> object:
        """Return what the file would say, to be compared."""
        return self.text.toPlainText()

    def _lay_out(self) -> None:
        kinds = QMenu(self.add)
        for kind, (title, said) in KINDS.items():
            action = kinds.addAction(f"&{title}…")
            action.setToolTip(said)
            action.triggered.connect(partial(self._ask, kind, {}, None))
        kinds.setToolTipsVisible(True)
        self.add.setMenu(kinds)
        self.said = note(_SAID, self.theme)
        rules, text = QWidget(), QWidget()
        column, below = QVBoxLayout(rules), QVBoxLayout(text)
        for each in (column, below):
            each.setContentsMargins(0, STEP, 0, 0)
        buttons = (self.add, self.edit, self.duplicate, self.remove)
        column.addLayout(with_buttons(self.list, *buttons), 1)
        held = QHBoxLayout()
        held.addWidget(self.held, 1)
        held.addWidget(self.limits)
        column.addLayout(held)
        column.addWidget(self.said)
        below.addWidget(self.text, 1)
        below.addWidget(note(_AS_TEXT, self.theme))
        self.pages.addTab(rules, "R&ules")
        self.pages.addTab(self.channels, "C&hannels")
        self.pages.addTab(text, "As &text")
        self.below.addWidget(self.pages, 1)
        self.below.addWidget(self.problem)
        self._column.setStretchFactor(self.below, 1)
        self.save = self.buttons.addButton("&Save", QDialogButtonBox.ButtonRole.AcceptRole)
        self.save.setProperty("variant", "primary")
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.close_form()
        self.list.setFocus()

    def _connect(self) -> None:
        self.channels.change_requested.connect(self._change)
        self.channels.address_given.connect(self.address_given)
        self.text.textChanged.connect(self._check)
        self.list.itemChanged.connect(self._on_list_item_changed)
        self.list.currentItemChanged.connect(self._show_current)
        self.list.itemActivated.connect(self._edit)
        self.edit.clicked.connect(self._edit)
        self.duplicate.clicked.connect(self._duplicate)
        self.remove.clicked.connect(self._remove)
        self.limits.clicked.connect(self._ask_limits)
        self.buttons.accepted.connect(self._save)
        self.buttons.rejected.connect(self.reject)

    def _read(self) -> str | None:
        """Return what the file says; None where there is none."""
        try:
            return self._path.read_text("utf-8")
        except FileNotFoundError:
            return None

    def _check(self) -> None:
        text, problem = self.text.toPlainText(), self._fault
        self.trouble.hide()
        try:
            check_presets(decode_rules(text.encode()), self._names.presets)
        except RulesFileError as error:
            problem = problem or str(error)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.save.setEnabled(not problem)
        self._show_rules(text)
        self._show_policy(text)
        self.channels.show_text(text)

    def _show_rules(self, text: str) -> None:
        try:
            entries = rule_entries(text)
        except RulesFileError:
            entries = []
        self.list.blockSignals(True)
        while self.list.topLevelItemCount() > len(entries):
            self.list.takeTopLevelItem(len(entries))
        for place, entry in enumerate(entries):
            item = self.list.topLevelItem(place)
            if item is None:
                item = QTreeWidgetItem(self.list)
            _fill(item, entry)
        self.list.blockSignals(False)
        self._go_to(max(self._place(), 0))
        self._show_current()

    def _show_policy(self, text: str) -> None:
        try:
            said = policy_text(policy_of(text))
        except RulesFileError:
            said = ""
        self.held.setText(said)
        self.limits.setEnabled(bool(said))

    def _go_to(self, place: int) -> None:
        item = self.list.topLevelItem(place)
        if item is not None:
            self.list.setCurrentItem(item)

    def _show_current(self) -> None:
        entry = self._entry()
        for button in (self.edit, self.duplicate, self.remove):
            button.setEnabled(entry is not None)
        self.duplicate.setEnabled(entry is not None and entry.rule is not None)
        is_new = self._kept is None and not self._fault and not self.is_changed()
        self.said.setText(_PROPOSED if is_new else _SAID)

    def _place(self) -> int:
        item = self.list.currentItem()
        return -1 if item is None else self.list.indexOfTopLevelItem(item)

    def _entry(self) -> RuleEntry | None:
        item = self.list.currentItem()
        return None if item is None else item.data(0, _ENTRY)

    def _ask(self, kind: type[Rule], values: Mapping[str, Any], place: int | None) -> None:
        """Ask for a rule: a new one, or what the one at a place shall be."""
        form = RuleForm(self.theme, kind, values, self._names, self.channels.names(), self)
        form.chosen.connect(lambda rule: self._take(rule, place))
        form.open()

    def _ask_limits(self) -> None:
        values = values_of(policy_of(self.text.toPlainText()))
        form = RuleForm(self.theme, Policy, values, self._names, (), self)
        form.chosen.connect(lambda policy: self._change(lambda text: with_policy(text, policy)))
        form.open()

    def answer_address(self, name: str, problem: str) -> None:
        """Tell who asked for a channel what became of its address."""
        self.channels.answer_address(name, problem)

    def _take(self, rule: Rule, place: int | None) -> None:
        if place is not None:
            self._change(lambda text: with_changed_rule(text, place, rule))
        elif self._change(lambda text: with_rule(text, rule)):
            self._go_to(self.list.topLevelItemCount() - 1)

    def _edit(self) -> None:
        entry, place = self._entry(), self._place()
        if entry is None:
            return
        if entry.rule is None:  # it has no form
            self.pages.setCurrentIndex(_TEXT_PAGE)
            self.text.setFocus()
        else:
            self._ask(type(entry.rule), values_of(entry.rule), place)

    def _duplicate(self) -> None:
        entry = self._entry()
        if entry is not None and entry.rule is not None:
            self._ask(type(entry.rule), values_of(entry.rule), None)

    def _remove(self) -> None:
        if (place := self._place()) >= 0:
            self._change(lambda text: without_rule(text, place))
            self.list.setFocus()

    def _change(self, change: Callable[[str], str]) -> bool:
        """Change the text, to be undone there; say why where that cannot be."""
        try:
            text = change(self.text.toPlainText())
        except RulesFileError as error:
            self._check()
            self.say_trouble(sentence(f"The rules were not changed: {error}"))
            return False
        cursor = QTextCursor(self.text.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        return True

    def _on_list_item_changed(self, item: QTreeWidgetItem) -> None:
        place = self.list.indexOfTopLevelItem(item)
        is_on = item.checkState(0) is Qt.CheckState.Checked
        self._change(lambda text: with_enabled(text, place, enabled=is_on))

    def _save(self) -> None:
        try:
            if self._read() != self._kept:
                name = self._path.name
                self.say_trouble(f"{name} was changed elsewhere meanwhile. Open the rules anew.")
                return
            make_own_folder(self._path.parent)
            with whole_file(self._path, OWNER_ONLY) as file:
                file.write(self.text.toPlainText().encode())
        except (OSError, UnicodeDecodeError) as error:
            self.say_trouble(f"The rules are not kept: {getattr(error, 'strerror', error)}")
            return
        self.begin()
        self.saved.emit()
        self.accept()

    # Qt's virtuals

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if self.list.hasFocus() and event.key() == Qt.Key.Key_Delete:
            self._remove()
        elif not (self.list.hasFocus() and is_enter):  # which edits, and does not save
            super().keyPressEvent(event)


def _fill(item: QTreeWidgetItem, entry: RuleEntry) -> None:
    """Show a rule; an item stays, since one may be what is just being ticked."""
    rule = entry.rule
    said = ("", entry.problem) if rule is None else (channels_text(rule), watched_text(rule))
    item.setData(0, _ENTRY, entry)
    for column, text in enumerate((entry.title, *said), start=1):
        item.setText(column, text)
        item.setToolTip(column, text)
    flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
    if rule is None:
        item.setFlags(flags)
        item.setData(0, Qt.ItemDataRole.CheckStateRole, None)
        item.setToolTip(0, "This version does not know it")
        return
    item.setFlags(flags | Qt.ItemFlag.ItemIsUserCheckable)
    item.setCheckState(0, Qt.CheckState.Checked if rule.enabled else Qt.CheckState.Unchecked)
    item.setToolTip(0, "On: it is looked for" if rule.enabled else "Off: it is kept only")
