"""A row of chips of which one is chosen."""

from collections.abc import Collection, Iterable, Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QButtonGroup, QFrame, QToolButton, QVBoxLayout, QWidget

from oddsdesk.base.texts import _, translated
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.controls.labels import Label, literal
from oddsdesk.desk.ui.controls.search_menu import SearchMenu
from oddsdesk.desk.ui.spacing import STEP
from oddsdesk.desk.ui.theme.theme import Theme


class ChipRow(QWidget):
    """Chips by key; one is always chosen while there are any. Tab and the arrow keys reach them."""

    chosen = Signal(str)
    """The key of a chip that the user chose."""

    def __init__(self, purpose: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(purpose)
        self._chips: dict[str, QToolButton] = {}
        self._group = QButtonGroup(self)
        self._line = spacing.horizontal(self, spacing=STEP - 2)

    @property
    def chosen_chip(self) -> str | None:
        """The key of the chosen chip, None where there are no chips."""
        return next((key for key, chip in self._chips.items() if chip.isChecked()), None)

    def show_chips(self, chips: Sequence[tuple[str, str]]) -> None:
        """Show these (key, text); the choice stays where its key does, else it is the first.

        Chips already shown are reused, so nothing moves under the pointer.
        """
        if [key for key, _ in chips] == list(self._chips):
            return
        current = self.chosen_chip
        for chip in self._chips.values():
            self._group.removeButton(chip)
            self._line.removeWidget(chip)
            chip.deleteLater()
        self._chips = {key: self._chip(key, text) for key, text in chips}
        wanted = self._chips.get(current or "") or next(iter(self._chips.values()), None)
        if wanted is not None:
            wanted.setChecked(True)

    def choose_chip(self, key: str) -> None:
        """Choose a chip as if it had been clicked."""
        self._chips[key].click()

    def choose_next(self) -> None:
        """Choose the chip after the chosen one, round the end."""
        keys = list(self._chips)
        if self.chosen_chip is not None:
            self.choose_chip(keys[(keys.index(self.chosen_chip) + 1) % len(keys)])

    def _chip(self, key: str, text: str) -> QToolButton:
        chip = QToolButton(self)
        chip.setText(literal(text))
        chip.setCheckable(True)
        chip.setProperty("variant", "chip")
        chip.setAccessibleName(text)
        chip.clicked.connect(lambda: self.chosen.emit(key))
        self._group.addButton(chip)
        self._line.addWidget(chip)
        return chip


class MenuButton(QToolButton):
    """Shows ``purpose: value ▾``, or the value alone where that says enough."""

    def __init__(self, purpose: str, *, tells_purpose: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._purpose = purpose
        self._tells_purpose = tells_purpose
        self.menu_shown = SearchMenu(self)
        """The menu; the button's owner fills it."""
        self.setMenu(self.menu_shown)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setProperty("variant", "plain")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.show_value("")

    def show_value(self, value: str) -> None:
        """Say what is chosen now."""
        shown = [self._purpose] if self._tells_purpose or not value else []
        self.setText(literal(": ".join([*shown, *([value] if value else [])]) + " ▾"))
        self.setAccessibleName(f"{self._purpose}: {value}" if value else self._purpose)


class ChoiceButton(MenuButton):
    """One choice among many by key, where chips would be cut; the first until another is chosen."""

    chosen = Signal(str)
    """The key of what the user chose."""

    def __init__(self, purpose: str, first: tuple[str, str]) -> None:
        """``first`` is the key and the text of what is always offered."""
        super().__init__(purpose, tells_purpose=True)
        self._offered: dict[str, str] = dict([first])
        self.chosen_key = first[0]
        self.menu_shown.aboutToShow.connect(self._fill)
        self.show_value(first[1])

    def offer(self, choices: Iterable[tuple[str, str]]) -> None:
        """Offer these (key, text) after the first; the choice stays where its key does."""
        first = next(iter(self._offered.items()))
        self._offered = dict([first, *choices])
        if self.chosen_key not in self._offered:
            self.chosen_key = first[0]
        self.show_value(self._offered[self.chosen_key])

    def choose(self, key: str) -> None:
        """Choose as if the user did."""
        self.chosen_key = key
        self.show_value(self._offered[key])
        self.chosen.emit(key)

    def choose_next(self) -> None:
        """Choose what comes after the present choice, round the end."""
        keys = list(self._offered)
        self.choose(keys[(keys.index(self.chosen_key) + 1) % len(keys)])

    def _fill(self) -> None:
        menu = self.menu_shown
        menu.clear()
        for key, text in self._offered.items():
            action = menu.addAction(literal(text), partial(self.choose, key))
            action.setCheckable(True)
            action.setChecked(key == self.chosen_key)
        menu.offer_search()


class Popup(QFrame):
    """A frame that stands below a widget until one clicks elsewhere or presses Escape."""

    def __init__(self, parent: QWidget, title: str) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("variant", "popup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(title)
        self.setWindowTitle(title)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(*[spacing.GAP] * 4)
        self.column.setSpacing(spacing.STEP)
        heading = Label(title, wordWrap=True)
        heading.setProperty("variant", "soft")
        self.column.addWidget(heading)

    def open_below(self, widget: QWidget) -> None:
        """Show it below a widget, within the screen."""
        self.adjustSize()
        corner = widget.mapToGlobal(QPoint(0, widget.height() + spacing.HALF))
        room = widget.screen().availableGeometry()
        corner.setX(max(room.left(), min(corner.x(), room.right() - self.width())))
        corner.setY(max(room.top(), min(corner.y(), room.bottom() - self.height())))
        self.move(corner)
        self.show()


class PresetButton(QToolButton):
    """Offers presets by name, the built-in ones first."""

    chosen = Signal(str)
    """The name of a preset."""
    edit_requested = Signal()
    deletion_requested = Signal()

    def __init__(self, theme: Theme, tip: str) -> None:
        super().__init__()
        self.setToolTip(tip)
        self.setProperty("variant", "plain")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFont(theme.fonts.strong)
        self.presets = SearchMenu(self)
        self.setMenu(self.presets)
        self._name = ""
        self.say_name(in_short=True)

    def show_presets(self, names: Iterable[str], current: str, built_in: Collection[str]) -> None:
        shown = {name: translated(name) if name in built_in else name for name in names}
        self._name = shown.get(current, current)
        self.setAccessibleName(_("Preset: {current}").format(current=self._name))
        menu = self.presets
        menu.clear()
        group = QActionGroup(menu)
        own = False
        for name, title in shown.items():
            if name not in built_in and not own:
                own = True
                menu.addSeparator()
            group.addAction(self._action(name, title, is_current=name == current))
        menu.addSeparator()
        edit = _("Edit preset…") if current not in built_in else _("Copy to new preset…")
        menu.addAction(edit, self.edit_requested.emit)
        delete = menu.addAction(_("Delete preset"), self.deletion_requested.emit)
        delete.setEnabled(current not in built_in)
        menu.offer_search()

    def say_name(self, *, in_short: bool) -> None:
        """Say which preset it is, or ``in_short`` its name alone."""
        self.setText(
            literal(
                f"{self._name} ▾" if in_short else _("Preset: {name} ▾").format(name=self._name)
            )
        )

    def _action(self, name: str, title: str, *, is_current: bool) -> QAction:
        action = self.presets.addAction(literal(title))
        action.setCheckable(True)
        action.setChecked(is_current)
        action.triggered.connect(lambda _checked=False: self.chosen.emit(name))
        return action
