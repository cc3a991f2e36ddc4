"""The alert rules dialog: rules, channels, and the file, which `oddsdesk watch` also reads."""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from PySide6 import QtWidgets
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase, QKeyEvent, QTextCursor

from oddsdesk.base.files import OWNER_ONLY, make_own_folder, whole_file
from oddsdesk.base.market_words import selection_text, shown_game
from oddsdesk.base.numbers import num
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import _, pgettext, translated
from oddsdesk.board.alerts import rules_text
from oddsdesk.board.alerts.channels import ChannelError, open_channel, variable_of
from oddsdesk.board.alerts.rules import (
    CHANNEL_KINDS,
    KINDS,
    ChannelSetting,
    ConnectionRule,
    KickOffRule,
    OpportunityRule,
    Policy,
    Rule,
    RulesFileError,
    SteamRule,
    TargetRule,
    ValueRule,
    decode_rules,
)
from oddsdesk.contract.markets import market_title
from oddsdesk.desk.alerts.rule_form import KnownNames, RuleForm, values_of
from oddsdesk.desk.ui.controls.fields import ChoiceBox
from oddsdesk.desk.ui.controls.form_dialog import FormDialog, note_label, plain_table, with_buttons
from oddsdesk.desk.ui.controls.labels import Label, literal_title
from oddsdesk.desk.ui.controls.messages import sentence
from oddsdesk.desk.ui.formatting import exact_odds_text
from oddsdesk.desk.ui.spacing import STEP, vertical
from oddsdesk.desk.ui.theme.theme import Theme, resize_scaled, scale_least_width

EXAMPLE: Final = """\
# Alert rules, quiet hours and channels. `oddsdesk watch --rules FILE` reads this file, too.
quiet = ["23:00", "07:00"]     # local time; leave it out for none
most_per_hour = 20

[[rules]]
kind = "value"
preset = "Before kick-off"
least_ev = 2

[[rules]]
kind = "arbitrage"
least = 1

[[rules]]
kind = "kick-off"              # of a game that you have bet on
minutes = 10

[[rules]]
kind = "connection"
seconds = 30

# [[rules]]
# kind = "target"
# game = "Everton v Liverpool"
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
_SAID: Final = _("To add a target, press T on a price. Disabled rules are kept.")
_PROPOSED: Final = _("No rules saved yet. Change these examples as you like, then save.")
_AS_TEXT: Final = _(
    "The rules file. Each [[rules]] has a kind: value, target, arbitrage, steam, "
    "kick-off or connection."
)
_SIZE: Final = (820, 520)
_WIDTHS: Final = {
    pgettext("column of ticks", "On"): 44,
    _("Name"): 130,
    _("Channels"): 120,
    _("Alerts on"): 0,
}
_TEXT_PAGE: Final = 2
_ENTRY: Final = Qt.ItemDataRole.UserRole


class RulesDialog(FormDialog):
    """Edits the rules file, or an example if there is none; invalid rules cannot be saved."""

    saved = Signal()
    address_given = Signal(object, str)
    """A ``ChannelSetting`` and its address, to be saved; ``answer_address`` reports the outcome."""

    def __init__(
        self, path: Path, theme: Theme, names: KnownNames, parent: QtWidgets.QWidget
    ) -> None:
        super().__init__(theme, _("Alert rules"), parent)
        resize_scaled(self, theme, *_SIZE)
        self._path, self._names = path, names
        self.text = QtWidgets.QPlainTextEdit(tabChangesFocus=True)
        self.text.setAccessibleName(_("Rules as text"))
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        fixed.setPointSizeF(theme.fonts.body.pointSizeF())
        self.text.setFont(fixed)
        self.list = plain_table(theme, _("Rules"), _WIDTHS)
        self.add = QtWidgets.QPushButton(_("&Add"))
        self.edit = QtWidgets.QPushButton(_("&Edit…"))
        self.duplicate = QtWidgets.QPushButton(_("&Duplicate…"))
        self.remove = QtWidgets.QPushButton(_("&Remove"))
        self.channels = ChannelsPage(theme)
        self.limits = QtWidgets.QPushButton(_("&Quiet hours, limits…"))
        self.held = Label(wordWrap=True)
        self.pages = QtWidgets.QTabWidget(documentMode=True)
        self.problem = Label(wordWrap=True)
        self.problem.setProperty("variant", "down")
        self._lay_out()
        self._fault = ""
        """Why the file cannot be read; it is not overwritten then."""
        self._kept: str | None = None
        try:
            self._kept = self._read()
            self.text.setPlainText(EXAMPLE if self._kept is None else self._kept)
        except (OSError, UnicodeDecodeError) as error:
            reason = translated(error_text(error))
            self._fault = _("{path} cannot be read: {reason}").format(path=path, reason=reason)
        self._connect()
        self._check()
        self.mark_unchanged()
        self._show_current()

    def values(self) -> object:
        """Return the text of the file, for comparison."""
        return self.text.toPlainText()

    def _lay_out(self) -> None:
        kinds = QtWidgets.QMenu(self.add)
        for kind, (title, said) in KINDS.items():
            action = kinds.addAction(f"&{translated(title)}…")
            action.setToolTip(translated(said))
            action.triggered.connect(partial(self._ask, kind, {}, None))
        kinds.setToolTipsVisible(True)
        self.add.setMenu(kinds)
        self.said = note_label(_SAID, self.theme)
        rules, text = QtWidgets.QWidget(), QtWidgets.QWidget()
        column, below = QtWidgets.QVBoxLayout(rules), QtWidgets.QVBoxLayout(text)
        for each in (column, below):
            each.setContentsMargins(0, STEP, 0, 0)
        buttons = (self.add, self.edit, self.duplicate, self.remove)
        column.addLayout(with_buttons(self.list, *buttons), 1)
        held = QtWidgets.QHBoxLayout()
        held.addWidget(self.held, 1)
        held.addWidget(self.limits)
        column.addLayout(held)
        column.addWidget(self.said)
        below.addWidget(self.text, 1)
        below.addWidget(note_label(_AS_TEXT, self.theme))
        self.pages.addTab(rules, _("R&ules"))
        self.pages.addTab(self.channels, _("C&hannels"))
        self.pages.addTab(text, _("As &text"))
        self.below.addWidget(self.pages, 1)
        self.below.addWidget(self.problem)
        self._column.setStretchFactor(self.below, 1)
        self.save = self.buttons.addButton(
            _("&Save"), QtWidgets.QDialogButtonBox.ButtonRole.AcceptRole
        )
        self.save.setProperty("variant", "primary")
        self.buttons.addButton(QtWidgets.QDialogButtonBox.StandardButton.Cancel)
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
        """Return the file's text, or None without a file."""
        try:
            return self._path.read_text("utf-8")
        except FileNotFoundError:
            return None

    def _check(self) -> None:
        text, problem = self.text.toPlainText(), self._fault
        self.trouble.hide()
        try:
            decode_rules(text.encode(), self._names.presets)
        except RulesFileError as error:
            problem = problem or translated(str(error))
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.save.setEnabled(not problem)
        self._show_rules(text)
        self._show_policy(text)
        self.channels.show_text(text)

    def _show_rules(self, text: str) -> None:
        try:
            entries = rules_text.rule_entries(text)
        except RulesFileError:
            entries = []
        self.list.blockSignals(True)
        while self.list.topLevelItemCount() > len(entries):
            self.list.takeTopLevelItem(len(entries))
        for place, entry in enumerate(entries):
            item = self.list.topLevelItem(place)
            if item is None:
                item = QtWidgets.QTreeWidgetItem(self.list)
            _fill(item, entry)
        self.list.blockSignals(False)
        self._go_to(max(self._place(), 0))
        self._show_current()

    def _show_policy(self, text: str) -> None:
        try:
            said = policy_text(rules_text.policy_of(text))
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

    def _entry(self) -> rules_text.RuleEntry | None:
        item = self.list.currentItem()
        return None if item is None else item.data(0, _ENTRY)

    def _ask(self, kind: type[Rule], values: Mapping[str, Any], place: int | None) -> None:
        """Open the form for a new rule, or for the rule at ``place``."""
        form = RuleForm(self.theme, kind, values, self._names, self.channels.channel_names(), self)
        form.chosen.connect(lambda rule: self._take(rule, place))
        form.open()

    def _ask_limits(self) -> None:
        values = values_of(rules_text.policy_of(self.text.toPlainText()))
        form = RuleForm(self.theme, Policy, values, self._names, (), self)
        form.chosen.connect(
            lambda policy: self._change(lambda text: rules_text.with_policy(text, policy))
        )
        form.open()

    def answer_address(self, name: str, problem: str) -> None:
        """Pass on whether a channel's address was saved."""
        self.channels.answer_address(name, problem)

    def _take(self, rule: Rule, place: int | None) -> None:
        if place is not None:
            self._change(lambda text: rules_text.with_changed_rule(text, place, rule))
        elif self._change(lambda text: rules_text.with_rule(text, rule)):
            self._go_to(self.list.topLevelItemCount() - 1)

    def _edit(self) -> None:
        entry, place = self._entry(), self._place()
        if entry is None:
            return
        if entry.rule is None:  # there is no form for it
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
            self._change(lambda text: rules_text.without_rule(text, place))
            self.list.setFocus()

    def _change(self, change: Callable[[str], str]) -> bool:
        """Change the text as one undoable step; return False and show the error if that fails."""
        try:
            text = change(self.text.toPlainText())
        except RulesFileError as error:
            self._check()
            self.say_trouble(
                sentence(
                    _("The rules were not changed: {error}").format(error=translated(str(error)))
                )
            )
            return False
        cursor = QTextCursor(self.text.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        return True

    def _on_list_item_changed(self, item: QtWidgets.QTreeWidgetItem) -> None:
        place = self.list.indexOfTopLevelItem(item)
        is_on = item.checkState(0) is Qt.CheckState.Checked
        self._change(lambda text: rules_text.with_enabled(text, place, enabled=is_on))

    def _save(self) -> None:
        try:
            if self._read() != self._kept:
                name = self._path.name
                self.say_trouble(
                    _("{name} was changed elsewhere. Close this window and open it again.").format(
                        name=name
                    )
                )
                return
            make_own_folder(self._path.parent)
            with whole_file(self._path, OWNER_ONLY) as file:
                file.write(self.text.toPlainText().encode())
        except (OSError, UnicodeDecodeError) as error:
            reason = translated(error_text(error))
            self.say_trouble(_("The rules could not be saved: {reason}").format(reason=reason))
            return
        self.mark_unchanged()
        self.saved.emit()
        self.accept()

    # Qt's virtuals

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if self.list.hasFocus() and event.key() == Qt.Key.Key_Delete:
            self._remove()
        elif not (self.list.hasFocus() and is_enter):  # Enter edits instead of saving
            super().keyPressEvent(event)


def _fill(item: QtWidgets.QTreeWidgetItem, entry: rules_text.RuleEntry) -> None:
    """Fill a row with a rule; rows are reused, as the user may be ticking one."""
    rule = entry.rule
    said = (
        ("", translated(entry.problem))
        if rule is None
        else (channels_text(rule), watched_text(rule))
    )
    item.setData(0, _ENTRY, entry)
    for column, text in enumerate((translated(entry.title), *said), start=1):
        item.setText(column, text)
        item.setToolTip(column, text)
    flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
    if rule is None:
        item.setFlags(flags)
        item.setData(0, Qt.ItemDataRole.CheckStateRole, None)
        item.setToolTip(0, _("This version does not support it"))
        return
    item.setFlags(flags | Qt.ItemFlag.ItemIsUserCheckable)
    item.setCheckState(0, Qt.CheckState.Checked if rule.enabled else Qt.CheckState.Unchecked)
    item.setToolTip(0, _("Enabled") if rule.enabled else _("Disabled"))


EVERYWHERE = _("Everywhere")


def watched_text(rule: Rule) -> str:
    """Return what a rule alerts on."""
    match rule:
        case ValueRule():
            return _("Value bets of “{preset}” with {ev:g} % EV or more").format(
                preset=translated(rule.preset), ev=num(rule.least_ev)
            )
        case TargetRule():
            where = rule.bookmaker or _("any of my bookmakers")
            market = translated(market_title(rule.market))
            if rule.period:
                market = _("{market}, part {number}").format(market=market, number=rule.period)
            odds = exact_odds_text(rule.odds)
            game = shown_game(rule.game)
            return _("{selection} reaches {odds} at {where} · {game} · {market}").format(
                selection=selection_text(rule.selection),
                odds=odds,
                where=where,
                game=game,
                market=market,
            )
        case OpportunityRule():
            return _("Arbitrage with {profit:g} % profit or more").format(profit=num(rule.least))
        case SteamRule():
            return _(
                "{groups} or more independent bookmakers move by {points:g} points "
                "within {minutes:g} min"
            ).format(groups=rule.groups, points=num(rule.points), minutes=num(rule.minutes))
        case KickOffRule():
            return _("{minutes:g} min before a game you have bet on").format(
                minutes=num(rule.minutes)
            )
        case ConnectionRule():
            return _("No prices for {seconds:g} s").format(seconds=num(rule.seconds))


def policy_text(policy: Policy) -> str:
    """Return the quiet hours and limits in one line."""
    quiet = (
        _("No quiet hours")
        if policy.quiet is None
        else _("Quiet from {begin} to {end}").format(begin=policy.quiet[0], end=policy.quiet[1])
    )
    return _(
        "{quiet} · at most {count} an hour · repeated after {minutes:g} min if {step:g} pp better"
    ).format(
        quiet=quiet,
        count=policy.most_per_hour,
        minutes=num(policy.cooldown_min),
        step=num(policy.step),
    )


def channels_text(rule: Rule) -> str:
    """Return the channels of a rule."""
    return ", ".join(rule.channels) or EVERYWHERE


_CHANNEL_WIDTHS: Final = {_("Name"): 200, _("Kind"): 0}
_ABOUT_CHANNELS: Final = _(
    "Alerts also go to these channels. A channel's address is saved in the system "
    "keyring at once, the rest with Save."
)
_CHANNEL: Final = Qt.ItemDataRole.UserRole


class ChannelsPage(QtWidgets.QWidget):
    """Lists the channels in the rules text and emits what the user asks for."""

    change_requested = Signal(object)
    """A function that takes the rules text and returns it changed."""
    address_given = Signal(object, str)
    """A ``ChannelSetting`` and its address, to be saved; ``answer_address`` reports the outcome."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.list = plain_table(theme, _("Channels"), _CHANNEL_WIDTHS)
        self.add = QtWidgets.QPushButton(_("A&dd…"))
        self.address = QtWidgets.QPushButton(_("&Address…"))
        self.remove = QtWidgets.QPushButton(_("&Remove"))
        column = vertical(self, margins=(0, STEP, 0, 0))
        column.addLayout(with_buttons(self.list, self.add, self.address, self.remove), 1)
        column.addWidget(note_label(_ABOUT_CHANNELS, theme))
        self.add.clicked.connect(lambda: self._ask(None))
        self.address.clicked.connect(lambda: self._ask(self._current()))
        self.list.itemActivated.connect(lambda: self._ask(self._current()))
        self.list.currentItemChanged.connect(self._show_current)
        self.remove.clicked.connect(self._remove)

    def show_text(self, text: str) -> None:
        """Show the channels in the rules text."""
        place = max(self._place(), 0)
        self.list.clear()
        for channel in rules_text.channels_of(text):
            item = QtWidgets.QTreeWidgetItem([channel.name, channel.kind])
            item.setData(0, _CHANNEL, channel)
            self.list.addTopLevelItem(item)
        current = self.list.topLevelItem(min(place, self.list.topLevelItemCount() - 1))
        if current is not None:
            self.list.setCurrentItem(current)
        self._show_current()

    def channel_names(self) -> list[str]:
        """Return the names of the channels."""
        items = map(self.list.topLevelItem, range(self.list.topLevelItemCount()))
        return [item.text(0) for item in items if item is not None]

    def answer_address(self, name: str, problem: str) -> None:
        """Pass on to the form whether a channel's address was saved."""
        for form in self.findChildren(ChannelForm):
            form.close_if_kept(name, problem)

    def _current(self) -> ChannelSetting | None:
        item = self.list.currentItem()
        return None if item is None else item.data(0, _CHANNEL)

    def _place(self) -> int:
        item = self.list.currentItem()
        return -1 if item is None else self.list.indexOfTopLevelItem(item)

    def _show_current(self) -> None:
        for button in (self.address, self.remove):
            button.setEnabled(self._current() is not None)

    def _ask(self, channel: ChannelSetting | None) -> None:
        form = ChannelForm(self._theme, self.channel_names(), channel, self)
        form.given.connect(self.address_given)
        if channel is None:
            form.kept.connect(self._add)
        form.open()

    def _add(self, channel: ChannelSetting) -> None:
        self.change_requested.emit(lambda text: rules_text.with_channel(text, channel))

    def _remove(self) -> None:
        if (place := self._place()) >= 0:
            self.change_requested.emit(lambda text: rules_text.without_channel(text, place))
            self.list.setFocus()

    # Qt's virtuals

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if self.list.hasFocus() and event.key() == Qt.Key.Key_Delete:
            self._remove()
        elif not (self.list.hasFocus() and is_enter):  # Enter asks for an address instead of saving
            super().keyPressEvent(event)


_WIDTH: Final = 520
_LONGEST_NAME: Final = 200
_ADDRESSES: Final = {
    "ntfy": _("https://ntfy.sh/topic, or https://:TOKEN@host/topic"),
    "webhook": _("https://host/path, which receives JSON"),
    "apprise": _("An Apprise address such as tgram://TOKEN/CHAT (needs oddsdesk[apprise])"),
}


class ChannelForm(FormDialog):
    """Edits a channel; stays open until its address has been saved."""

    given = Signal(object, str)
    """The ``ChannelSetting`` and its address, which is empty if an environment variable holds
    it."""
    kept = Signal(object)
    """The ``ChannelSetting`` whose address has been saved."""

    def __init__(
        self,
        theme: Theme,
        taken: Collection[str],
        channel: ChannelSetting | None,
        parent: QtWidgets.QWidget,
    ) -> None:
        """Ask for a new channel, or for a new address of ``channel``."""
        title = (
            _("Channel")
            if channel is None
            else _("Address of {channel}").format(channel=literal_title(channel.name))
        )
        super().__init__(theme, title, parent)
        scale_least_width(self, theme, _WIDTH)
        self._taken, self._channel = taken, channel
        self._asked: ChannelSetting | None = None
        self.name = QtWidgets.QLineEdit(
            "" if channel is None else channel.name, placeholderText="phone"
        )
        self.name.setMaxLength(_LONGEST_NAME)
        self.kind = ChoiceBox()
        self.kind.addItems(list(CHANNEL_KINDS))
        if channel is not None:
            self.kind.setCurrentText(channel.kind)
        for fixed in (self.name, self.kind):
            fixed.setEnabled(channel is None)
        self.address = QtWidgets.QLineEdit(echoMode=QtWidgets.QLineEdit.EchoMode.Password)
        self.said = note_label("", theme)
        self._lay_out()
        self.name.textChanged.connect(self._explain)
        self.kind.currentTextChanged.connect(self._explain)
        self._explain()
        (self.name if channel is None else self.address).setFocus()

    def values(self) -> object:
        return self.name.text(), self.kind.currentText(), self.address.text()

    def close_if_kept(self, name: str, problem: str) -> None:
        """Close if the address was saved, else show why not."""
        asked = self._asked
        if asked is None or asked.name != name:
            return
        self._asked = None
        self.save.setEnabled(True)
        if problem:
            self.say_trouble(sentence(translated(problem)), self.address)
            return
        self.mark_unchanged()
        self.kept.emit(asked)
        self.accept()

    def _lay_out(self) -> None:
        self.add_row(_("&Name"), self.name)
        self.add_row(_("&Kind"), self.kind)
        self.add_row(_("&Address"), self.address)
        self.form.addRow("", self.said)
        self.save = self.close_with(_("&Save"), self._on_buttons_accepted)

    def _explain(self) -> None:
        variable = variable_of(self.name.text().strip() or "name")
        self.said.setText(
            _(
                "{address}. It is saved in the system keyring. Leave it empty if the "
                "environment variable {variable} holds it."
            ).format(address=_ADDRESSES[self.kind.currentText()], variable=variable)
        )

    def _on_buttons_accepted(self) -> None:
        name, address = self.name.text().strip(), self.address.text().strip()
        if not name:
            self.say_trouble(_("A channel needs a name."), self.name)
            return
        if self._channel is None and name in self._taken:
            self.say_trouble(
                _("There is already a channel called {name}.").format(name=name), self.name
            )
            return
        if self._channel is not None and not address:
            self.say_trouble(_("Enter the new address."), self.address)
            return
        channel = ChannelSetting(name, self.kind.currentText())
        try:
            if address:
                open_channel(channel, address)
        except (ChannelError, ValueError) as error:
            said = (
                translated(str(error))
                if isinstance(error, ChannelError)
                else _("{name}: this address is not valid").format(name=name)
            )
            self.say_trouble(sentence(said), self.address)
            return
        self.trouble.hide()
        self._asked = channel
        self.save.setEnabled(False)
        self.given.emit(channel, address)
