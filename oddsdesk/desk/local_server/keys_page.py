"""The built-in server's keys and accounts.

Keys are made and shown once, listed masked, rotated and revoked. Accounts change their plan and
bookmaker, and are removed.
"""

from PySide6 import QtWidgets
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication

from oddsdesk.base.numbers import date_text, hour_text
from oddsdesk.base.texts import _, ngettext, pgettext, translated
from oddsdesk.contract.access import Plan
from oddsdesk.contract.administration import Key, bookmaker_in_words
from oddsdesk.contract.identity import fold_name
from oddsdesk.desk.ui.controls.fields import ChoiceBox
from oddsdesk.desk.ui.controls.form_dialog import plain_table, with_buttons
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.controls.messages import MessageBar
from oddsdesk.desk.ui.formatting import local_time
from oddsdesk.desk.ui.spacing import GAP, MARGIN, STEP, horizontal, vertical
from oddsdesk.desk.ui.theme.theme import Theme

NOT_COPIED = _("You have not copied the new key. It will not be shown again.")


class NewKeyView(QtWidgets.QWidget):
    """Shows a new key once; hidden until there is one."""

    def __init__(self, theme: Theme, address: str) -> None:
        super().__init__()
        self.setProperty("variant", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._address = address
        self._copied = ""
        said = Label(_("Copy it now. It will not be shown again."))
        said.setProperty("variant", "value")
        said.setFont(theme.fonts.medium)
        self.key = QtWidgets.QLineEdit(readOnly=True)
        self.key.setAccessibleName(_("The new key"))
        self.command = QtWidgets.QLineEdit(readOnly=True)
        self.command.setAccessibleName(_("Example request with the key"))
        grid = QtWidgets.QGridLayout(self)
        grid.setContentsMargins(GAP, STEP, GAP, STEP)
        grid.setSpacing(STEP)
        grid.addWidget(said, 0, 0, 1, 3)
        for row, (label, field) in enumerate(
            ((_("Key"), self.key), (_("Try it"), self.command)), 1
        ):
            grid.addWidget(Label(label), row, 0)
            grid.addWidget(field, row, 1)
            copy = _copy_button(field)
            copy.clicked.connect(self._on_copy_clicked)
            grid.addWidget(copy, row, 2)
        self.hide()

    def show_key(self, secret: str) -> None:
        """Show a key in full."""
        self.key.setText(secret)
        self.command.setText(f'curl -H "X-Api-Key: {secret}" "{self._address}/api/games?limit=3"')
        self.command.setCursorPosition(0)
        self.show()
        self.select_key()

    def select_key(self) -> None:
        """Focus and select the key, ready to copy."""
        self.key.setFocus(Qt.FocusReason.OtherFocusReason)
        self.key.selectAll()

    @property
    def is_at_risk(self) -> bool:
        """Whether the key shown has not been copied."""
        secret = self.key.text()
        if not secret or secret in QGuiApplication.clipboard().text():
            return False
        return self._copied != secret

    def hide_key(self) -> None:
        """Hide and forget the key."""
        self.hide()
        self.key.clear()
        self.command.clear()

    def _on_copy_clicked(self) -> None:
        self._copied = self.key.text()


def _copy_button(field: QtWidgets.QLineEdit) -> QtWidgets.QPushButton:
    button = QtWidgets.QPushButton(_("Copy"), autoDefault=False)
    button.setAccessibleName(_("Copy: {field}").format(field=field.accessibleName()))

    def copy_key() -> None:
        QGuiApplication.clipboard().setText(field.text())
        button.setText(_("Copied"))

    button.clicked.connect(copy_key)
    field.textChanged.connect(lambda: button.setText(_("Copy")))
    return button


_WIDTHS = {
    _("Key"): 180,
    _("Account"): 85,
    _("Plan"): 70,
    _("Bookmaker"): 90,
    _("Created"): 95,
    _("State"): 100,
    _("Rights"): 0,
}


class KeysPage(QtWidgets.QWidget):
    """Lists the keys and emits what the user asks for."""

    make_requested = Signal()
    """The user wants a key: show the current keys, then call ``make_key``."""
    create_requested = Signal(str, object, object)
    """Account, plan and Free bookmaker; None leaves the account's value."""
    rotate_requested = Signal(int)
    revoke_requested = Signal(int)
    change_requested = Signal(str, object, str)
    """Account, plan, and the Free bookmaker or an empty text."""
    remove_requested = Signal(str)
    """An account."""
    refused = Signal(str)
    account_selected = Signal()
    """The account of the selected key has changed."""

    def __init__(self, theme: Theme, address: str) -> None:
        super().__init__()
        self.list = plain_table(theme, _("Keys"), _WIDTHS)
        self.list.currentItemChanged.connect(self._on_list_current_changed)
        self.rotate = QtWidgets.QPushButton(_("R&otate…"), autoDefault=False)
        self.rotate.clicked.connect(lambda: self._ask("Rotate"))
        self.revoke = QtWidgets.QPushButton(_("&Revoke…"), autoDefault=False)
        self.revoke.clicked.connect(lambda: self._ask("Revoke"))
        self._question = MessageBar(theme, self)
        self._question.action_requested.connect(self._on_question_action_requested)
        self._question.closed.connect(self._on_question_closed)
        self._asked = ""
        self._own_key_id = 0
        self._selected_account = ""
        self._known: set[int] = set()
        self._keys: list[Key] = []
        self._make_account_fields(theme)
        self.account = QtWidgets.QLineEdit("default")
        self.account.setAccessibleName(_("Account"))
        self.account.textChanged.connect(self._show_present_plan)
        self.plan = _plans(_("Plan of the new key's account"))
        self.plan.setCurrentIndex(self.plan.findData(Plan.PRO_LIVE))
        self.plan.currentIndexChanged.connect(self._on_plan_current_index_changed)
        self.bookmaker = QtWidgets.QLineEdit(placeholderText=_("Bookmaker on the Free plan"))
        self.bookmaker.setAccessibleName(_("Bookmaker on the Free plan"))
        self.bookmaker.textChanged.connect(self._on_bookmaker_text_changed)
        self._chose_plan = self._chose_bookmaker = False
        self._to_create: tuple[str, Plan | None, str | None] | None = None
        self.make = QtWidgets.QPushButton(_("&Create key"), autoDefault=False)
        self.make.clicked.connect(self._on_make_clicked)
        self.made = NewKeyView(theme, address)
        self._lay_out(theme)
        self._show_buttons()
        self._show_bookmaker()

    def show_keys(self, keys: list[Key], own_key_id: int) -> None:
        """List the keys, active ones first, and select a new one.

        ``own_key_id`` is the desk's own key, which cannot be revoked.
        """
        selected, known = self._key(), self._known
        self._own_key_id, self._keys = own_key_id, keys
        self._known = {key.key_id for key in keys}
        ordered = sorted(keys, key=lambda each: (each.is_revoked, -each.key_id))
        chosen = next((key.key_id for key in ordered if key.key_id not in known), None)
        if chosen is None and selected is not None:
            chosen = selected.key_id
        self.list.clear()
        for key in ordered:
            item = QtWidgets.QTreeWidgetItem(_texts(key, own_key_id))
            item.setData(0, Qt.ItemDataRole.UserRole, key)
            item.setToolTip(3, translated(bookmaker_in_words(key.plan, key.bookmaker)))
            self.list.addTopLevelItem(item)
            if key.key_id == chosen:
                self.list.setCurrentItem(item)
        self._show_buttons()
        self._show_present_plan()
        shown = self.made.key.text()
        if not any(shown.endswith(key.masked[-4:]) for key in keys if not key.is_revoked):
            self.made.hide_key()

    def chosen_plan(self) -> tuple[Plan, str | None]:
        """Return the plan and bookmaker (or None) chosen for the new key's account."""
        plan = self.plan.currentData()
        bookmaker = fold_name(self.bookmaker.text()) if plan is Plan.FREE else ""
        return plan, bookmaker or None

    def key_of(self, account: str) -> Key | None:
        """Return a key of an account, normalising its name; None if there is none."""
        name = fold_name(account)
        return next((key for key in self._keys if key.account == name), None)

    def make_key(self, warning: str = "") -> None:
        """Request the key described by the form.

        If this changes the plan or bookmaker of an existing account, ask first, as it affects all
        keys of the account. ``warning`` is why these would get no odds.
        """
        name, (plan, bookmaker) = fold_name(self.account.text()), self.chosen_plan()
        known = self.key_of(name)
        if known is not None and known.account == self._own_account():
            self.refused.emit(
                _("Account {account} belongs to this window. Enter another account.").format(
                    account=name
                )
            )
            self.account.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        if plan is Plan.FREE and not bookmaker:
            self.refused.emit(_("The Free plan includes one bookmaker. Enter its name."))
            self.bookmaker.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        if known is None:
            self.create_requested.emit(self.account.text(), plan, bookmaker)
            return
        new_plan = None if plan is known.plan else plan
        new_bookmaker = None if bookmaker == known.bookmaker else bookmaker
        if new_plan is None and new_bookmaker is None:
            self.create_requested.emit(known.account, None, None)
            return
        self._to_create = (known.account, new_plan, new_bookmaker)
        self._asked = "Create"
        then = _("Then {warning}.").format(warning=warning.rstrip(".?")) if warning else ""
        said = _(
            "Account {account} is on {plan}. Change it to {other_plan}? This affects all its keys "
            "({keys})."
        ).format(
            account=known.account,
            plan=_sees(known.plan, known.bookmaker),
            other_plan=_sees(plan, bookmaker),
            keys=self._active(known.account),
        )
        advice = _("For a key on another plan, use another account.")
        self._question.ask_question(
            " ".join(filter(None, (said, then, advice))),
            action=_("Change and create key"),
            is_grave=True,
        )

    def show_secret(self, secret: str) -> None:
        """Show a new key, which is only known at this time."""
        self._chose_plan = self._chose_bookmaker = False
        self._show_present_plan()
        self.made.show_key(secret)

    def _lay_out(self, theme: Theme) -> None:
        heading = Label(_("New key"))
        heading.setFont(theme.fonts.strong)
        fields = horizontal(spacing=STEP)
        for label, field in ((_("Account"), self.account), (_("Plan"), self.plan)):
            fields.addWidget(Label(label))
            fields.addWidget(field)
        fields.addWidget(self.bookmaker, 1)
        fields.addWidget(self.make)
        account = horizontal(spacing=STEP)
        account.addWidget(Label(_("Plan")))
        account.addWidget(self.account_plan)
        account.addWidget(Label(_("Free bookmaker")))
        account.addWidget(self.account_bookmaker, 1)
        account.addWidget(self.change)
        account.addWidget(self.remove)
        column = vertical(self, margins=(MARGIN, MARGIN, MARGIN, MARGIN), spacing=STEP)
        column.addLayout(with_buttons(self.list, self.rotate, self.revoke), 1)
        column.addWidget(self._question)
        column.addWidget(self.of_account)
        column.addLayout(account)
        column.addWidget(heading)
        column.addLayout(fields)
        column.addWidget(self.made)

    def _make_account_fields(self, theme: Theme) -> None:
        self.of_account = Label()
        self.of_account.setFont(theme.fonts.strong)
        self.account_plan = _plans(_("Plan of the selected account"))
        self.account_bookmaker = QtWidgets.QLineEdit(placeholderText=_("None"))
        self.account_bookmaker.setAccessibleName(_("Bookmaker of the selected account on Free"))
        self.change = QtWidgets.QPushButton(_("Chan&ge account"), autoDefault=False)
        self.change.clicked.connect(self._on_change_clicked)
        self.remove = QtWidgets.QPushButton(_("Remove &account…"), autoDefault=False)
        self.remove.clicked.connect(lambda: self._ask("Remove"))

    def _key(self) -> Key | None:
        item = self.list.currentItem()
        return None if item is None else item.data(0, Qt.ItemDataRole.UserRole)

    def _ask(self, what: str) -> None:
        key = self._key()
        if key is None:
            return
        self._asked = what
        if what == "Remove":
            action = _("Remove")
            text = _(
                "Remove account {account} ({keys})? Its keys and streams stop working, and its "
                "usage counts are deleted."
            ).format(account=key.account, keys=self._active(key.account))
        elif what == "Revoke":
            action = pgettext("a key", "Revoke")
            text = _("Revoke {key} of {account}? It will stop working.")
            text = text.format(key=key.masked, account=key.account)
        else:
            action = pgettext("a key", "Rotate")
            text = _("Rotate {key} of {account}? It will stop working. A new key replaces it.")
            text = text.format(key=key.masked, account=key.account)
            if self.made.is_at_risk:
                text = f"{text} {NOT_COPIED}"
        self._question.ask_question(text, action=action, is_grave=True)

    def _on_make_clicked(self) -> None:
        if not self.made.is_at_risk:
            self.make_requested.emit()
            return
        self._asked = "Make"
        self._question.ask_question(NOT_COPIED, action=_("Create another key"), is_grave=True)

    def _on_question_closed(self) -> None:
        if self._asked in ("Make", "Rotate") and self.made.is_at_risk:
            self.made.select_key()
        elif self._asked in ("Make", "Create"):
            self.make.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.list.setFocus()

    def _on_question_action_requested(self) -> None:
        self._question.hide()
        self.list.setFocus()
        if self._asked == "Create":
            if self._to_create is not None:
                self.create_requested.emit(*self._to_create)
            return
        if self._asked == "Make":
            self.make_requested.emit()
            return
        key = self._key()
        if key is None:
            return
        match self._asked:
            case "Rotate":
                self.rotate_requested.emit(key.key_id)
            case "Revoke":
                self.revoke_requested.emit(key.key_id)
            case "Remove":
                self.remove_requested.emit(key.account)

    def _on_list_current_changed(self) -> None:
        self._question.hide()
        self._show_buttons()
        key = self._key()
        if key is not None and key.account != self._selected_account:
            self._selected_account = key.account
            self.account_selected.emit()

    def _show_buttons(self) -> None:
        key = self._key()
        may_end = key is not None and not key.is_revoked and key.key_id != self._own_key_id
        self.rotate.setEnabled(may_end)
        self.revoke.setEnabled(may_end)
        self._show_account(key)

    def _show_account(self, key: Key | None) -> None:
        """Show plan and bookmaker of the selected account; the desk's own is read-only."""
        may_change = key is not None and key.account != self._own_account()
        for widget in (self.account_plan, self.account_bookmaker, self.change, self.remove):
            widget.setEnabled(may_change)
        if key is None:
            self.of_account.setText(_("Select a key to see its account"))
            return
        said = (
            self._active(key.account) if may_change else _("used by this window, cannot be changed")
        )
        self.of_account.setText(
            _("Account {account}: {said}").format(account=key.account, said=said)
        )
        self.account_plan.setCurrentIndex(self.account_plan.findData(key.plan))
        self.account_bookmaker.setText(key.bookmaker or "")

    def _active(self, account: str) -> str:
        count = sum(key.account == account and not key.is_revoked for key in self._keys)
        return ngettext("{count} active key", "{count} active keys", count).format(count=count)

    def _own_account(self) -> str | None:
        return next((key.account for key in self._keys if key.key_id == self._own_key_id), None)

    def _show_present_plan(self) -> None:
        """Show plan and bookmaker of the account entered, unless the user has chosen others."""
        if self._asked == "Create":
            self._question.hide()
        known = self.key_of(self.account.text())
        if not self._chose_plan:
            plan = Plan.PRO_LIVE if known is None else known.plan
            with QSignalBlocker(self.plan):
                self.plan.setCurrentIndex(self.plan.findData(plan))
        if not self._chose_bookmaker:
            with QSignalBlocker(self.bookmaker):
                self.bookmaker.setText("" if known is None else known.bookmaker or "")
        self._show_bookmaker()

    def _show_bookmaker(self) -> None:
        self.bookmaker.setVisible(self.plan.currentData() is Plan.FREE)

    def _on_plan_current_index_changed(self) -> None:
        self._chose_plan = True
        self._show_present_plan()

    def _on_bookmaker_text_changed(self) -> None:
        self._chose_bookmaker = True
        self._show_present_plan()

    def _on_change_clicked(self) -> None:
        key = self._key()
        if key is not None:
            bookmaker = self.account_bookmaker.text().strip()
            self.change_requested.emit(key.account, self.account_plan.currentData(), bookmaker)


def _plans(name: str) -> ChoiceBox:
    box = ChoiceBox()
    box.setAccessibleName(name)
    for plan in Plan:
        box.addItem(plan.value, plan)
    return box


def _sees(plan: Plan, bookmaker: str | None) -> str:
    """Return the name of a plan; for Free with the bookmaker."""
    return f"{plan.value} ({bookmaker or _('no bookmaker')})" if plan is Plan.FREE else plan.value


def _made_text(key: Key) -> str:
    made = local_time(key.created_at)
    return f"{date_text(made, year=False)} {hour_text(made)}"


def _texts(key: Key, own_key_id: int) -> list[str]:
    return [
        key.masked,
        key.account,
        key.plan.value,
        translated(
            bookmaker_in_words(key.plan, None if key.plan.rights.all_bookmakers else key.bookmaker)
        ),
        _made_text(key),
        _state(key, own_key_id),
        _("read, write") if key.may_write else pgettext("the right of a key", "read"),
    ]


def _state(key: Key, own_key_id: int) -> str:
    if key.is_revoked:
        return pgettext("a key", "Revoked")
    return _("This window") if key.key_id == own_key_id else pgettext("a key", "Active")
