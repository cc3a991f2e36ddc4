"""The settings dialog, made from the declared settings; changes apply at once."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final

from PySide6 import QtWidgets
from PySide6.QtCore import Qt, Signal

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _
from oddsdesk.desk.settings import declared
from oddsdesk.desk.settings.numbers import chosen_style, example_text
from oddsdesk.desk.settings.saved_state import Preferences
from oddsdesk.desk.ui.controls.dialogs import Dialog
from oddsdesk.desk.ui.controls.fields import ChoiceBox, DecimalSpin, WholeSpin
from oddsdesk.desk.ui.controls.form_dialog import note_label, with_note
from oddsdesk.desk.ui.controls.labels import Label, literal
from oddsdesk.desk.ui.spacing import GAP, HALF, MARGIN, STEP, vertical
from oddsdesk.desk.ui.theme.theme import Theme, inset, resize_scaled

_SIZE = (620, 640)
_LABELS = 210
_NO_TRAY: Final = _("This desktop has no tray, so closing the window quits oddsdesk.")


class WholeField(WholeSpin):
    """A whole number; invalid input can be typed and is then refused with a message."""

    def __init__(self, kind: declared.Whole, theme: Theme) -> None:
        super().__init__()
        self._kind = kind
        self.setRange(kind.least, kind.most)
        self.setSingleStep(kind.step)
        self.fault = note_label("", theme)
        self.fault.setProperty("variant", "down")
        self.fault.hide()
        self.setSuffix(f" {kind.unit}" if kind.unit else "")
        self.valueChanged.connect(self.fault.hide)
        self.lineEdit().textEdited.connect(self.fault.hide)

    # Qt's virtuals

    def fixup(self, text: str) -> str:
        if typed := self.typed(text):
            stays = f"{num(self.value()):,}"
            self.fault.setText(
                _("{typed} is not valid: enter {expected}. It stays {stays}.").format(
                    typed=typed, expected=self._kind.expected(), stays=stays
                )
            )
            self.fault.show()
        return super().fixup(text)


_Control = (
    QtWidgets.QComboBox | QtWidgets.QCheckBox | WholeField | DecimalSpin | QtWidgets.QPushButton
)


class SettingsDialog(Dialog):
    """Shows settings with their help, by section; all of them by default."""

    bookmakers_requested = Signal()
    """The user wants to choose among the bookmakers."""

    def __init__(
        self,
        theme: Theme,
        preferences: Preferences,
        parent: QtWidgets.QWidget,
        sections: Sequence[declared.Section] = declared.SECTIONS,
        bookmakers: Iterable[str] = (),
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(sections[0].title if len(sections) == 1 else _("Settings"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_scaled(self, theme, *_SIZE)
        self._theme = theme
        self._preferences = preferences
        self._bookmakers = sorted(bookmakers)
        self.controls: dict[str, _Control] = {}
        self.example: Label | None = None
        """Shows how the chosen numbers and dates look."""
        self._settings = {each.key: each for section in sections for each in section.settings}
        self._lay_out(sections)
        for setting in self._settings.values():
            self._show(setting)
        preferences.changed.connect(self._on_preferences_changed)

    def restore_defaults(self) -> None:
        """Reset the settings shown to their defaults."""
        for setting in self._settings.values():
            self._preferences.keep_setting(setting, setting.default)

    def go_to_setting(self, key: str) -> None:
        """Bring a setting into sight, with the keyboard on it."""
        control = self.controls[key]
        self._scroll.ensureWidgetVisible(control)
        control.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _lay_out(self, shown: Sequence[declared.Section]) -> None:
        page = QtWidgets.QWidget()
        page.setProperty("variant", "window")
        sections = vertical(page, margins=(MARGIN, GAP, MARGIN, GAP), spacing=MARGIN)
        for section in shown:
            sections.addLayout(self._section(section))
        sections.addStretch()
        scroll = self._scroll = QtWidgets.QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        scroll.setWidget(page)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        buttons = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        restore = buttons.addButton(
            _("Restore defaults"), QtWidgets.QDialogButtonBox.ButtonRole.ResetRole
        )
        restore.clicked.connect(self.restore_defaults)
        restore.setAutoDefault(False)
        column = vertical(self)
        column.addWidget(scroll, 1)
        foot = vertical(None, buttons, margins=(MARGIN, STEP, MARGIN, GAP))
        column.addLayout(foot)

    def _section(self, section: declared.Section) -> QtWidgets.QGridLayout:
        grid = QtWidgets.QGridLayout()
        grid.setHorizontalSpacing(MARGIN)
        grid.setVerticalSpacing(HALF)
        grid.setColumnMinimumWidth(0, _LABELS)
        grid.setColumnStretch(1, 1)
        title = Label(section.title)
        title.setFont(self._theme.fonts.strong)
        grid.addWidget(title, 0, 0, 1, 2)
        for setting in section.settings:
            self._add(grid, grid.rowCount(), setting)
        if section is declared.NUMBERS:
            row = grid.rowCount() - 1
            grid.addWidget(Label(_("Example")), row, 0)
            style = chosen_style(self._preferences.get_setting)
            self.example = Label(example_text(style), wordWrap=True)
            grid.addWidget(self.example, row, 1)
            grid.setRowMinimumHeight(row + 1, STEP)
        return grid

    def _add(self, grid: QtWidgets.QGridLayout, row: int, setting: declared.Setting[Any]) -> None:
        control = self.controls[setting.key] = self._control(setting)
        lack = _lack_of(setting)
        explanation = f"{setting.help} {lack}".strip()
        control.setEnabled(not lack)
        control.setToolTip(lack)
        control.setAccessibleName(setting.label)
        control.setAccessibleDescription(explanation)
        explained = note_label(explanation, self._theme)
        if isinstance(control, QtWidgets.QCheckBox):
            control.setText(setting.label)
            grid.addWidget(control, row, 0, 1, 2)
            grid.addWidget(explained, row + 1, 0, 1, 2)
        else:
            label = Label(setting.label)
            label.setBuddy(control)
            grid.addWidget(label, row, 0)
            field: QtWidgets.QWidget = control
            if isinstance(control, WholeField):
                field = with_note(control, control.fault)
            grid.addWidget(field, row, 1)
            grid.addWidget(explained, row + 1, 1)
        grid.setRowMinimumHeight(row + 2, STEP)

    def _control(self, setting: declared.Setting[Any]) -> _Control:
        put = self._preferences.keep_setting
        match setting.kind:
            case declared.Choice(options=options):
                combo = ChoiceBox()
                for word, label in options:
                    combo.addItem(label, word)
                combo.activated.connect(lambda _index: put(setting, combo.currentData()))
                return combo
            case declared.Judge(words=words):
                names = [(name, name) for name in self._bookmakers]
                combo = ChoiceBox()
                for word, label in [*words, *names]:
                    combo.addItem(label, word)
                combo.activated.connect(lambda _index: put(setting, combo.currentData()))
                return combo
            case declared.Whole() as kind:
                spin = inset(WholeField(kind, self._theme))
                spin.valueChanged.connect(lambda value: put(setting, value))
                return spin
            case declared.Decimal() as kind:
                number = inset(
                    DecimalSpin(decimals=2, least=kind.least, most=kind.most, step=kind.step)
                )
                number.setSuffix(f" {kind.unit}" if kind.unit else "")
                number.valueChanged.connect(lambda value: put(setting, round(value, 2)))
                return number
            case declared.Toggle():
                check = QtWidgets.QCheckBox()
                check.clicked.connect(lambda checked: put(setting, checked))
                return check
            case declared.Names():
                button = QtWidgets.QPushButton()
                button.setAutoDefault(False)
                button.clicked.connect(self.bookmakers_requested)
                return button
        raise TypeError(f"{setting.key}: no control shows {setting.kind!r}")

    def _show(self, setting: declared.Setting[Any]) -> None:
        control, value = self.controls[setting.key], self._preferences.get_setting(setting)
        if isinstance(control, QtWidgets.QComboBox):
            if control.findData(value) < 0:  # a bookmaker without prices here
                control.addItem(literal(value), value)
            control.setCurrentIndex(control.findData(value))
        elif isinstance(control, (WholeField, DecimalSpin)):
            control.setValue(value)
        elif isinstance(control, QtWidgets.QPushButton):
            control.setText(_("{count} chosen…").format(count=len(value)) if value else _("All…"))
        else:
            control.setChecked(value)

    def _on_preferences_changed(self, key: str) -> None:
        if key in self._settings:
            self._show(self._settings[key])
        if self.example is not None and key in (each.key for each in declared.NUMBERS.settings):
            self.example.setText(example_text(chosen_style(self._preferences.get_setting)))


def _lack_of(setting: declared.Setting[Any]) -> str:
    """Return why a setting has no effect on this desktop; empty if it has."""
    has_no_tray = (
        setting.key == declared.TRAY.key and not QtWidgets.QSystemTrayIcon.isSystemTrayAvailable()
    )
    return _NO_TRAY if has_no_tray else ""


_HEAD = """# Settings

Open them with **Menu > Settings** (Ctrl+,). They take effect at once and are saved in `desk.ini` in
the system's configuration folder (`~/.config/oddsdesk` on Linux), under the names below. An invalid
value is ignored: the default is used. API keys are never saved there; see "Where keys are kept".

This page is generated: `python -m oddsdesk.desk.settings.dialog > docs/settings.md`.
"""
_FOOT = """
## Settings of a database

Two settings belong to the data, so every program that serves a database uses the same:

- **How long price history is kept**: forever, unless you choose otherwise in
  **Built-in server > Server** or with `oddsdesk serve --keep-days`.
  - Ages count from the newest prices. History that was already older when it was imported is kept.
  - The log reports what will be removed beforehand. After a gap of more than a day, or of a quarter
    of the time kept, removal waits for a day and health reports it: the clock may be wrong.
  - Older desks saved it as `server/keep_days` in `desk.ini`. That value goes to the first database
    without one.
- **The sharp book**: Pinnacle, unless `--reference` or a connection names another. If it prices
  nothing, the list of value bets shows it, and `serve`, `doctor` and `bets` suggest similar names.

`oddsdesk doctor` shows both.

## Where keys are kept

You choose where the key of a remote connection is kept:

| place | default |
| --- | --- |
| the **system's keyring** (KWallet, Keychain, ...) | if there is one |
| **this session only**, in memory: you enter it again at the next start | if there is no keyring |
| a **file** that only you can read (`keys.json`, mode 0600, not encrypted) | never |

Connections, without keys, are saved in `connections.json` in the folder of `desk.ini`.

A key is sent to another machine encrypted only (`https`, `wss`). To use `http://`, tick **Send the
key unencrypted** in the connection: anyone on the way can then read the key.
"""


def settings_page() -> str:
    """Return the page as Markdown."""
    parts = [_HEAD]
    for section in declared.SECTIONS:
        parts.append(f"\n## {section.title}\n")
        parts += [_entry(setting) for setting in section.settings]
    return "".join([*parts, _FOOT])


def _entry(setting: declared.Setting[Any]) -> str:
    return (
        f"\n**{setting.label}** (`{setting.key}`)  \n{setting.help}\n\n"
        f"- Values: {_values(setting)}\n- Default: {_default(setting)}\n"
    )


def _default(setting: declared.Setting[Any]) -> str:
    word = setting.kind.word_of(setting.default)
    return f"`{word}`" if word else "empty"


def _values(setting: declared.Setting[Any]) -> str:
    kind = setting.kind
    if isinstance(kind, declared.Choice):
        return ", ".join(f"`{word}` ({label})" for word, label in kind.options)
    return "`true`, `false`" if isinstance(kind, declared.Toggle) else kind.expected()


if __name__ == "__main__":
    sys.stdout.write(settings_page())
