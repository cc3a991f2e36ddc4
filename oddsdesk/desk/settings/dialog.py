"""The settings dialog, made from the declared settings; what is chosen holds at once."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QPushButton,
    QScrollArea,
    QSystemTrayIcon,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.desk.settings.declared import SECTIONS, TRAY, Section
from oddsdesk.desk.settings.kinds import Choice, Judge, Names, Setting, Toggle, Whole
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.ui.controls.choice_box import ChoiceBox
from oddsdesk.desk.ui.controls.form_dialog import note, with_note
from oddsdesk.desk.ui.controls.number_fields import WholeSpin
from oddsdesk.desk.ui.controls.plain import Label, literal
from oddsdesk.desk.ui.controls.scaling import inset, resize_scaled
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import GAP, HALF, MARGIN, STEP

_SIZE = (620, 640)
_LABELS = 210
_NO_TRAY: Final = (
    "This desktop has no tray now: the program ends with its window. What is set here stays."
)


class WholeField(WholeSpin):
    """A whole number; what is none, or outside its range, can be typed, and is refused in words."""

    def __init__(self, kind: Whole, theme: Theme) -> None:
        super().__init__()
        self._kind = kind
        self.setRange(kind.least, kind.most)
        self.setSingleStep(kind.step)
        self.fault = note("", theme)
        self.fault.setProperty("variant", "down")
        self.fault.hide()
        self.setSuffix(f" {kind.unit}" if kind.unit else "")
        self.valueChanged.connect(self.fault.hide)
        self.lineEdit().textEdited.connect(self.fault.hide)

    # Qt's virtuals

    def fixup(self, text: str) -> str:
        if typed := self.typed(text):
            stays = f"{self.value():,}"
            self.fault.setText(f"{typed}: expected {self._kind.expected()}; it stays {stays}.")
            self.fault.show()
        return super().fixup(text)


_Control = QComboBox | QCheckBox | WholeField | QPushButton


class SettingsDialog(QDialog):
    """Declared settings with their help, by section; all of them by default."""

    bookmakers_requested = Signal()
    """The user wants to choose among the bookmakers."""

    def __init__(
        self,
        theme: Theme,
        preferences: Preferences,
        parent: QWidget,
        sections: Sequence[Section] = SECTIONS,
        bookmakers: Iterable[str] = (),
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(sections[0].title if len(sections) == 1 else "Settings")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_scaled(self, theme, *_SIZE)
        self._theme = theme
        self._preferences = preferences
        self._bookmakers = sorted(bookmakers)
        self.controls: dict[str, _Control] = {}
        self._settings = {each.key: each for section in sections for each in section.settings}
        self._lay_out(sections)
        for setting in self._settings.values():
            self._show(setting)
        preferences.changed.connect(self._on_preferences_changed)

    def restore_defaults(self) -> None:
        """Set everything as at the first start."""
        for setting in self._settings.values():
            self._preferences.put(setting, setting.default)

    def _lay_out(self, shown: Sequence[Section]) -> None:
        page = QWidget()
        page.setProperty("variant", "window")
        sections = QVBoxLayout(page)
        sections.setContentsMargins(MARGIN, GAP, MARGIN, GAP)
        sections.setSpacing(MARGIN)
        for section in shown:
            sections.addLayout(self._section(section))
        sections.addStretch()
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(page)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        restore = buttons.addButton("Restore defaults", QDialogButtonBox.ButtonRole.ResetRole)
        restore.clicked.connect(self.restore_defaults)
        restore.setAutoDefault(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(scroll, 1)
        foot = QVBoxLayout()
        foot.setContentsMargins(MARGIN, STEP, MARGIN, GAP)
        foot.addWidget(buttons)
        column.addLayout(foot)

    def _section(self, section: Section) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(MARGIN)
        grid.setVerticalSpacing(HALF)
        grid.setColumnMinimumWidth(0, _LABELS)
        grid.setColumnStretch(1, 1)
        title = Label(section.title)
        title.setFont(self._theme.fonts.strong)
        grid.addWidget(title, 0, 0, 1, 2)
        for setting in section.settings:
            self._add(grid, grid.rowCount(), setting)
        return grid

    def _add(self, grid: QGridLayout, row: int, setting: Setting[Any]) -> None:
        control = self.controls[setting.key] = self._control(setting)
        lack = _lack_of(setting)
        explanation = f"{setting.help} {lack}".strip()
        control.setEnabled(not lack)
        control.setToolTip(lack)
        control.setAccessibleName(setting.label)
        control.setAccessibleDescription(explanation)
        explained = note(explanation, self._theme)
        if isinstance(control, QCheckBox):
            control.setText(setting.label)
            grid.addWidget(control, row, 0, 1, 2)
            grid.addWidget(explained, row + 1, 0, 1, 2)
        else:
            label = Label(setting.label)
            label.setBuddy(control)
            grid.addWidget(label, row, 0)
            field: QWidget = control
            if isinstance(control, WholeField):
                field = with_note(control, control.fault)
            grid.addWidget(field, row, 1)
            grid.addWidget(explained, row + 1, 1)
        grid.setRowMinimumHeight(row + 2, STEP)

    def _control(self, setting: Setting[Any]) -> _Control:
        put = self._preferences.put
        match setting.kind:
            case Choice(options=options):
                combo = ChoiceBox()
                for word, label in options:
                    combo.addItem(label, word)
                combo.activated.connect(lambda _index: put(setting, combo.currentData()))
                return combo
            case Judge(words=words):
                names = [(name, name) for name in self._bookmakers]
                combo = ChoiceBox()
                for word, label in [*words, *names]:
                    combo.addItem(label, word)
                combo.activated.connect(lambda _index: put(setting, combo.currentData()))
                return combo
            case Whole() as kind:
                spin = inset(WholeField(kind, self._theme))
                spin.valueChanged.connect(lambda value: put(setting, value))
                return spin
            case Toggle():
                check = QCheckBox()
                check.clicked.connect(lambda checked: put(setting, checked))
                return check
            case Names():
                button = QPushButton()
                button.setAutoDefault(False)
                button.clicked.connect(self.bookmakers_requested)
                return button
        raise TypeError(f"{setting.key}: no control shows {setting.kind!r}")

    def _show(self, setting: Setting[Any]) -> None:
        control, value = self.controls[setting.key], self._preferences.get(setting)
        if isinstance(control, QComboBox):
            if control.findData(value) < 0:  # a bookmaker that has no prices here
                control.addItem(literal(value), value)
            control.setCurrentIndex(control.findData(value))
        elif isinstance(control, WholeField):
            control.setValue(value)
        elif isinstance(control, QPushButton):
            control.setText(f"{len(value)} chosen…" if value else "All…")
        else:
            control.setChecked(value)

    def _on_preferences_changed(self, key: str) -> None:
        if key in self._settings:
            self._show(self._settings[key])


def _lack_of(setting: Setting[Any]) -> str:
    """Return why a setting would change nothing on this desktop; empty where it does."""
    has_no_tray = setting.key == TRAY.key and not QSystemTrayIcon.isSystemTrayAvailable()
    return _NO_TRAY if has_no_tray else ""


_HEAD = """# Settings

Open them with **Menu > Settings** (Ctrl+,). They take effect at once and are kept in
`desk.ini` in the configuration folder of the system (`~/.config/oddsdesk` on Linux), under
the names given here. A value that makes no sense is passed over: the default holds.
API keys are never kept there; see "Where keys are kept" below.

This page is made from the program: `python -m oddsdesk.desk.settings.dialog > docs/settings.md`.
"""
_FOOT = """
## What a database holds itself

Two settings belong to the data and not to the desk, and so are the same for every program that
serves a database:

- **for how long price history is kept**: everything, unless you choose otherwise in
  **Embedded server > Server** or with `oddsdesk serve --keep-days`. Ages are those of the
  prices, counted from the newest; history that was older already when it was imported stays. What
  goes is told in the log before it does. After more than a day, or a quarter of what is kept, in
  which nothing was recorded it goes a day later, and health says so: a clock may be wrong. A desk
  before that kept it as `server/keep_days` in `desk.ini`: what was chosen there is handed to the
  first database that says nothing itself;
- **the reference bookmaker**: Pinnacle, unless `--reference` or a connection names another; where
  no price of it is among those here, the list of value bets says so, and so do `serve`, `doctor`
  and `bets` of a name that may be misspelled.

`oddsdesk doctor` tells both.

## Where keys are kept

The key of a remote connection is kept, by your choice,

- in the **keyring of the system** (Secret Service, KWallet, macOS Keychain, Windows
  Credential Locker), which is the default where there is one;
- **for this session only**, in memory, which is the default where there is none: you are
  asked for it again at the next start;
- in a **file** that only your user can read (`keys.json`, mode 0600, not encrypted), only
  if you choose it.

Connections themselves, without keys, are kept in `connections.json` beside `desk.ini`.

A key goes to another machine encrypted only (`https`, `wss`). A connection to `http://` elsewhere
sends nothing until **Send the key unencrypted** is ticked in it, since whoever is on the way
there can read the key.
"""


def settings_page() -> str:
    """Return the page as Markdown."""
    parts = [_HEAD]
    for section in SECTIONS:
        parts.append(f"\n## {section.title}\n")
        parts += [_entry(setting) for setting in section.settings]
    return "".join([*parts, _FOOT])


def _entry(setting: Setting[Any]) -> str:
    return (
        f"\n**{setting.label}** (`{setting.key}`)  \n{setting.help}\n\n"
        f"- Values: {_values(setting)}\n- Default: {_default(setting)}\n"
    )


def _default(setting: Setting[Any]) -> str:
    word = setting.kind.write(setting.default)
    return f"`{word}`" if word else "empty"


def _values(setting: Setting[Any]) -> str:
    kind = setting.kind
    if isinstance(kind, Choice):
        return ", ".join(f"`{word}` ({label})" for word, label in kind.options)
    return "`true`, `false`" if isinstance(kind, Toggle) else kind.expected()


if __name__ == "__main__":
    sys.stdout.write(settings_page())
