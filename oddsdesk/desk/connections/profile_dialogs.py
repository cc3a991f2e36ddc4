"""The dialogs of a connection: to a service, with a test, or to the built-in server."""

from typing import NamedTuple

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QFileDialog,
    QFrame,
    QGridLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QWidget,
)

from oddsdesk.base.numbers import hour_text, num
from oddsdesk.base.places import default_database
from oddsdesk.base.texts import _, ngettext, pgettext, translated
from oddsdesk.board.valuation.verdict_words import method_title
from oddsdesk.client.diagnosis import Diagnosis, Right
from oddsdesk.desk.connections.profiles import (
    EMBEDDED_NAME,
    SENDS_UNENCRYPTED,
    EmbeddedProfile,
    KeyPlace,
    RemoteProfile,
    encryption_warning,
    shown_name,
)
from oddsdesk.desk.ui.controls.feed_fields import AUTOMATIC, LIVE, REPLAY, FeedFields
from oddsdesk.desk.ui.controls.fields import ChoiceBox
from oddsdesk.desk.ui.controls.file_dialog import file_dialog
from oddsdesk.desk.ui.controls.form_dialog import FormDialog, note_label, side_by_side, with_note
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.formatting import local_time
from oddsdesk.desk.ui.spacing import GAP, HALF, STEP, vertical
from oddsdesk.desk.ui.theme.theme import SIZE, Theme, resize_scaled, scale_least_width
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.pricing.devig import METHODS

_ROWS = 4


class DiagnosisView(QWidget):
    """Shows the test result in a few lines with icons; hidden until there is one."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setProperty("variant", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(_("Test result"))
        grid = QGridLayout(self)
        grid.setContentsMargins(GAP, STEP, GAP, STEP)
        grid.setHorizontalSpacing(STEP)
        grid.setVerticalSpacing(HALF)
        grid.setColumnStretch(1, 1)
        self._icons = [Label() for _row in range(_ROWS)]
        self._texts = [Label(wordWrap=True) for _row in range(_ROWS)]
        for row, (icon, text) in enumerate(zip(self._icons, self._texts, strict=True)):
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(icon, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(text, row, 1)
        self._texts[0].setFont(theme.fonts.strong)
        self.hide()

    @property
    def diagnosis_text(self) -> str:
        """The text shown."""
        return "\n".join(label.text() for label in self._texts if not label.isHidden())

    def show_waiting(self, address: str) -> None:
        """Show that the test is running."""
        self._show([("loading", TextRole.NOTE, _("Testing {address}…").format(address=address))])

    def show_failure(self, text: str) -> None:
        """Show why the test failed and what to do."""
        self._show([("warning", TextRole.DOWN, text)])

    def show_diagnosis(self, diagnosis: Diagnosis) -> None:
        """Show the plan of the key and its rights."""
        lines = [("check", TextRole.UP, headline(diagnosis))]
        for right in diagnosis.rights:
            if right.problem:
                lines.append(("warning", TextRole.DOWN, translated(right.problem)))
            elif right.is_given:
                lines.append(("check", TextRole.UP, _right_text(right)))
            else:
                lines.append(
                    (
                        "lock",
                        TextRole.NOTE,
                        _("{right}: not in this plan").format(right=_right_text(right)),
                    )
                )
        self._show(lines)

    def _show(self, lines: list[tuple[str, TextRole, str]]) -> None:
        for place, (icon, text) in enumerate(zip(self._icons, self._texts, strict=True)):
            icon.setVisible(place < len(lines))
            text.setVisible(place < len(lines))
            if place < len(lines):
                name, ink, said = lines[place]
                icon.setPixmap(self._theme.pixmap(name, SIZE, self.devicePixelRatioF(), ink))
                text.setText(said)
        self.show()


def _right_text(right: Right) -> str:
    name = translated(right.name)
    return f"{name[0].upper()}{name[1:]}"


def headline(diagnosis: Diagnosis) -> str:
    """Return the plan and the requests left in one line."""
    plan = diagnosis.plan
    said = [
        _("Key accepted")
        if plan is None
        else _("Key accepted: plan {plan}").format(plan=plan.value)
    ]
    if (quota := diagnosis.quota) is not None:
        said.append(
            ngettext("{count:,} request left", "{count:,} requests left", quota.remaining).format(
                count=num(quota.remaining)
            )
        )
        if quota.resets_at_ms is not None:
            said.append(_("resets {time}").format(time=hour_text(local_time(quota.resets_at_ms))))
    return " · ".join(said)


_REMOTE_WIDTH, _REMOTE_HEIGHT = 580, 540
"""With room for every message, so that fields do not move while the user types."""
_PLACES = {
    KeyPlace.KEYRING: _("In the system keyring"),
    KeyPlace.SESSION: _("This session only"),
    KeyPlace.FILE: _("In an unencrypted file that only you can read"),
}
_NO_KEYRING = _(
    "This system has no usable keyring. Enter the key at each start, or keep it in the file."
)


class _Said(QScrollArea):
    """Messages about the fields in the remaining room; scrolls to the latest."""

    def __init__(self, *parts: QWidget) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page = QWidget()
        page.setProperty("variant", "window")
        column = vertical(page, spacing=STEP)
        for part in parts:
            column.addWidget(part)
        column.addStretch()
        self._last = parts[-1]
        self.setWidget(page)
        self.verticalScrollBar().rangeChanged.connect(self._on_range_changed)

    def _on_range_changed(self) -> None:
        if not self._last.isHidden():
            self.verticalScrollBar().setValue(self._last.y())

    # Qt's virtuals

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()


class Entered(NamedTuple):
    """The input; an empty key means the saved one."""

    profile: RemoteProfile
    key: str


class RemoteDialog(FormDialog):
    """Edits a remote profile; the owner saves and tests it."""

    test_requested = Signal()
    test_stopped = Signal()
    save_requested = Signal()

    def __init__(self, theme: Theme, profile: RemoteProfile, parent: QWidget) -> None:
        super().__init__(theme, _("Connection to a service"), parent)
        self.setMinimumWidth(_REMOTE_WIDTH)
        resize_scaled(self, theme, _REMOTE_WIDTH, _REMOTE_HEIGHT)
        self._profile = profile
        self._is_testing = False
        self.name = QLineEdit(profile.name)
        self.base_url = QLineEdit(profile.base_url, placeholderText="https://odds.example")
        self.auth_url = QLineEdit(profile.auth_url or "", placeholderText=_("Same address"))
        self.ws_url = QLineEdit(profile.ws_url or "", placeholderText=_("Same address, over wss"))
        self.key = QLineEdit(
            echoMode=QLineEdit.EchoMode.Password, placeholderText="oddsdesk_live_…"
        )
        self._reveal = QPushButton(pgettext("a key", "Show"), autoDefault=False)
        self._reveal.setCheckable(True)
        self._reveal.setAccessibleName(_("Show the key"))
        self._reveal.toggled.connect(self._on_reveal_toggled)
        self.place = ChoiceBox()
        for place, label in _PLACES.items():
            self.place.addItem(label, place)
        self.place.setCurrentIndex(self.place.findData(profile.key_place))
        self.keyring_note = note_label(_NO_KEYRING, theme)
        self.keyring_note.hide()
        self.unencrypted = note_label("", theme)
        self.sends_unencrypted = QCheckBox(SENDS_UNENCRYPTED)
        self.sends_unencrypted.setChecked(profile.sends_key_unencrypted)
        self.sends_unencrypted.toggled.connect(self._drop_result)
        self.diagnosis = DiagnosisView(theme)
        self._lay_out()
        for field in (self.base_url, self.auth_url, self.ws_url):
            field.textChanged.connect(self._show_unencrypted)
        for field in (self.base_url, self.auth_url, self.ws_url, self.key):
            field.textChanged.connect(self._drop_result)
        self._show_unencrypted()
        self.close_form()

    def values(self) -> Entered:
        """Return the input."""
        return Entered(
            RemoteProfile(
                self.name.text(),
                self.base_url.text().strip(),
                self.auth_url.text().strip() or None,
                self.ws_url.text().strip() or None,
                self.place.currentData(),
                self._profile.ident,
                self.sends_unencrypted.isChecked(),
            ),
            self.key.text().strip(),
        )

    def show_has_keyring(self, has_keyring: bool) -> None:
        """Remove the keyring from the choices if there is none, with a note."""
        if has_keyring:
            return
        was_unchanged = not self.is_changed()
        keyring = self.place.findData(KeyPlace.KEYRING)
        if self.place.currentIndex() == keyring:
            self.place.setCurrentIndex(self.place.findData(KeyPlace.SESSION))
        self.place.removeItem(keyring)
        self.keyring_note.show()
        if was_unchanged:
            self.mark_unchanged()

    def show_key_kept(self) -> None:
        """Show that a key is saved already."""
        self.key.setPlaceholderText(_("Saved; type to replace it"))

    def show_testing(self) -> None:
        """Show that the test is running."""
        self._is_testing = True
        self._test.setText(_("Stop test"))
        self.trouble.hide()
        self.diagnosis.show_waiting(self.base_url.text().strip())

    def show_diagnosis(self, diagnosis: Diagnosis) -> None:
        """Show what the key may do."""
        self._end_test()
        self.diagnosis.show_diagnosis(diagnosis)

    def show_failure(self, text: str) -> None:
        """Show why the service could not be tested."""
        self._end_test()
        self.diagnosis.show_failure(text)

    def show_stopped(self) -> None:
        """Show that the test was stopped."""
        self._end_test()
        self.diagnosis.hide()

    def field(self, name: str) -> QWidget | None:
        """Return the editor of a profile's field."""
        fields = {
            "name": self.name,
            "base_url": self.base_url,
            "auth_url": self.auth_url,
            "ws_url": self.ws_url,
            "key": self.key,
        }
        return fields.get(name)

    def _lay_out(self) -> None:
        self.add_row(_("&Name"), self.name)
        self.add_row(
            _("&Address"),
            self.base_url,
            _("The part before /api, for example https://odds.example."),
        )
        self.key.setAccessibleName(_("Key"))
        self.add_row(_("&Key"), side_by_side(self.key, self._reveal))
        self.place.setAccessibleName(_("Where to keep the key"))
        self.add_row(_("K&eep the key"), with_note(self.place, self.keyring_note))
        self.add_row(_("&Token address"), self.auth_url)
        self.add_row(_("&Stream address"), self.ws_url)
        said = _Said(self.unencrypted, self.sends_unencrypted, self.diagnosis)
        self.below.addWidget(said)
        self._column.setStretchFactor(self.below, 1)
        roles = QDialogButtonBox.ButtonRole
        self._test = self.buttons.addButton(pgettext("a button", "Test"), roles.ResetRole)
        self._test.setAutoDefault(False)
        self._test.clicked.connect(self._on_test_clicked)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        save = self.buttons.addButton(_("Save"), roles.AcceptRole)
        save.setProperty("variant", "primary")
        self.buttons.accepted.connect(self.save_requested)
        self.buttons.rejected.connect(self.reject)

    def _show_unencrypted(self) -> None:
        """Warn if others could read the key, before it is sent."""
        warning = encryption_warning(self.values().profile)
        self.unencrypted.setText(warning)
        self.unencrypted.setVisible(bool(warning))
        self.sends_unencrypted.setVisible(bool(warning))

    def _drop_result(self) -> None:
        """Clear the test result, as the input has changed."""
        if self._is_testing:
            self.test_stopped.emit()
        self.diagnosis.hide()

    def _end_test(self) -> None:
        self._is_testing = False
        self._test.setText(pgettext("a button", "Test"))

    def _on_test_clicked(self) -> None:
        (self.test_stopped if self._is_testing else self.test_requested).emit()

    def _on_reveal_toggled(self, shown: bool) -> None:
        modes = QLineEdit.EchoMode
        self.key.setEchoMode(modes.Normal if shown else modes.Password)
        self._reveal.setText(pgettext("a key", "Hide") if shown else pgettext("a key", "Show"))


_EMBEDDED_WIDTH = 600


class EmbeddedDialog(FormDialog):
    """Edits a profile of the built-in server; the owner saves it."""

    save_requested = Signal()

    def __init__(self, theme: Theme, profile: EmbeddedProfile, parent: QWidget) -> None:
        super().__init__(theme, _("Connection to the built-in server"), parent)
        scale_least_width(self, theme, _EMBEDDED_WIDTH)
        self._access = profile.access
        self._name = profile.name
        self.name = QLineEdit(shown_name(profile), readOnly=profile.name == EMBEDDED_NAME)
        self.database = QLineEdit(profile.database or "", placeholderText=str(default_database()))
        self.feed = FeedFields((AUTOMATIC, "none", "simulator", REPLAY, LIVE))
        self.feed.show_specs(profile.feeds, profile.speed)
        self.reference = QLineEdit(
            profile.reference or "", placeholderText=_("The database's; Pinnacle in a new one")
        )
        self.method = ChoiceBox()
        for method in METHODS:
            self.method.addItem(method_title(method), method)
        self.method.setCurrentIndex(self.method.findData(profile.devig_method))
        self._lay_out()
        self.close_form()

    def values(self) -> EmbeddedProfile:
        """Return the input."""
        return EmbeddedProfile(
            self._name if self.name.isReadOnly() else self.name.text(),
            self.database.text().strip() or None,
            self.feed.specs(),
            self.feed.speed.value(),
            self.reference.text().strip() or None,
            self.method.currentData(),
            access=self._access,
        )

    def field(self, name: str) -> QWidget | None:
        """Return the editor of a profile's field."""
        return {"name": self.name, "speed": self.feed.speed}.get(name)

    def _lay_out(self) -> None:
        self.add_row(_("&Name"), self.name)
        choose = QPushButton(_("Choose…"), autoDefault=False)
        choose.setAccessibleName(_("Choose a database"))
        choose.clicked.connect(self._on_choose_clicked)
        self.database.setAccessibleName(_("Database"))
        self.add_row(
            _("&Database"),
            side_by_side(self.database, choose),
            _("Created if missing. Use separate databases for simulated and real odds."),
        )
        self.add_row(pgettext("where odds come from", "&Odds from"), self.feed)
        self.add_row(
            _("Sharp &book"),
            self.reference,
            _("Fair odds come from this bookmaker, margin removed."),
        )
        self.add_row(
            _("De&vig method"),
            self.method,
            _("For the server's value bets and EV. Settings has the method for EV in this window."),
        )
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        save = self.buttons.addButton(_("Save"), QDialogButtonBox.ButtonRole.AcceptRole)
        save.setProperty("variant", "primary")
        self.buttons.accepted.connect(self.save_requested)
        self.buttons.rejected.connect(self.reject)

    def _on_choose_clicked(self) -> None:
        dialog = file_dialog(self, _("Database"))
        dialog.setNameFilters([_("Databases (*.db *.sqlite)"), _("All files (*)")])
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
        dialog.setLabelText(QFileDialog.DialogLabel.Accept, _("Use"))
        dialog.fileSelected.connect(self.database.setText)
        dialog.open()
