"""A form of a rule, or of what is held back: declared fields, what is wrong said below each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import NODEFAULT
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QCompleter,
    QDialogButtonBox,
    QFrame,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.board.alerts.rule_fields import KINDS, LIMITS, RuleField, fields_of
from oddsdesk.board.alerts.rules import EXPECTED_TIME, Policy, Rule, read_time
from oddsdesk.contract.markets import MARKET_TYPES, market_title
from oddsdesk.desk.ui.controls.choice_box import ChoiceBox
from oddsdesk.desk.ui.controls.form_dialog import FormDialog, note, side_by_side, with_note
from oddsdesk.desk.ui.controls.message_bar import sentence
from oddsdesk.desk.ui.controls.plain import Label, literal
from oddsdesk.desk.ui.formatting import odds_style, read_odds, typed_text
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import HALF, MARGIN
from oddsdesk.pricing.formats import DECIMAL, OddsFormatError

_WIDTH: Final = 520
_PARTS: Final = 10
_ANY: Final = "Any of my bookmakers"


class KnownNames(NamedTuple):
    """What fields of rules are chosen from."""

    presets: Sequence[str] = ()
    games: Sequence[str] = ()
    bookmakers: Sequence[str] = ()


class _Editor(NamedTuple):
    field: RuleField
    widget: QWidget
    read: Callable[[], Any]
    """Raises ``ValueError`` where what is typed makes no sense."""
    state: Callable[[], object]
    """What is typed, to be compared."""
    said: Label
    """Below it: what it means, or what is wrong."""


class RuleForm(FormDialog):
    """Filled in with a rule or a policy, or with what a kind has without being told."""

    chosen = Signal(object)
    """The ``Rule`` or ``Policy`` as it was typed."""

    def __init__(
        self,
        theme: Theme,
        kind: type[Rule] | type[Policy],
        values: Mapping[str, Any],
        names: KnownNames,
        channels: Sequence[str],
        parent: QWidget,
    ) -> None:
        """``values`` are those that differ from what a new rule has; ``channels`` there are."""
        title, said = LIMITS if issubclass(kind, Policy) else KINDS[kind]
        super().__init__(theme, title, parent)
        self._area = _Scrolled(self.take_fields())
        self.below.addWidget(self._area)
        self._column.setStretchFactor(self.below, 1)
        self._untitled = "" if issubclass(kind, Policy) else kind.kind_title()
        self._kind, self._values, self._names, self._channels = kind, values, names, channels
        self._editors: list[_Editor] = []
        self.form.addRow(note(said, theme))
        taken = {"c", "s"}  # Cancel and Save
        for field in fields_of(kind):
            self._add(field, with_mnemonic(field.title, taken))
        self._lay_out_buttons()
        room = self.screen().availableGeometry()
        width = min(theme.fonts.scaled(_WIDTH), room.width())
        self._area.fit(width)
        self.resize(width, min(self._column.totalSizeHint().height(), room.height()))
        first = self._editors[0].widget
        first.setFocus()
        if isinstance(first, QLineEdit):
            first.selectAll()

    def values(self) -> object:
        """Return what the fields say, to be compared."""
        return [editor.state() for editor in self._editors]

    def editor(self, name: str) -> QWidget:
        """Return the field of a name."""
        return next(each.widget for each in self._editors if each.field.name == name)

    def problems(self) -> dict[str, str]:
        """Return what is wrong, by field."""
        found = {each.field.name: _problem(each) for each in self._editors}
        return {name: text for name, text in found.items() if text}

    def _lay_out_buttons(self) -> None:
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.save = self.buttons.addButton("&Save", QDialogButtonBox.ButtonRole.AcceptRole)
        self.save.setProperty("variant", "primary")
        self.buttons.accepted.connect(self._on_buttons_accepted)
        self.buttons.rejected.connect(self.reject)
        self.close_form()

    def _add(self, field: RuleField, title: str) -> None:
        value = self._values.get(field.name, field.default)
        widget, read, state = self._made(field, "" if value is NODEFAULT else value)
        said = note(field.help, self.theme)
        self._editors.append(_Editor(field, widget, read, state, said))
        widget.setAccessibleName(field.title)
        widget.setAccessibleDescription(field.help)
        row = side_by_side(widget, Label(field.unit)) if field.unit else widget
        holder = with_note(row, said)
        holder.setFocusProxy(widget.focusProxy() or widget)
        if isinstance(widget, QCheckBox):
            widget.setText(title)
            self.form.addRow("", holder)
        else:
            has_field = not isinstance(widget, Label)
            self.add_row(title if has_field else field.title, holder)

    def _made(
        self, field: RuleField, value: Any
    ) -> tuple[QWidget, Callable[[], Any], Callable[[], object]]:
        match field.name:
            case "enabled":
                check = _tick(value)
                return check, check.isChecked, check.isChecked
            case "channels":
                return self._ticks(field, value)
            case "preset":
                return _choice(field, [(each, each) for each in self._names.presets], value)
            case "market":
                markets = [(each, market_title(each)) for each in MARKET_TYPES]
                return _choice(field, markets, value or MARKET_TYPES[0])
            case "period":
                parts = [(0, "Whole game"), *((part, f"Part {part}") for part in range(1, _PARTS))]
                return _choice(field, parts, value)
            case "quiet":
                return self._quiet(value)
            case "odds":
                return self._odds(field, value)
            case _:
                return self._line(field, value)

    def _line(
        self, field: RuleField, value: Any
    ) -> tuple[QWidget, Callable[[], Any], Callable[[], object]]:
        line = QLineEdit(f"{value:.12g}" if field.is_number else str(value))
        if field.name == "bookmaker":
            line.setPlaceholderText(_ANY)
            line.setCompleter(_completer(self._names.bookmakers, line))
        elif field.name == "game":
            line.setCompleter(_completer(self._names.games, line))
        elif field.name == "name":
            line.setPlaceholderText(self._untitled)
        line.textEdited.connect(lambda: self._check(field.name))
        return line, lambda: field.read(line.text()), line.text

    def _odds(
        self, field: RuleField, value: Any
    ) -> tuple[QWidget, Callable[[], Any], Callable[[], object]]:
        style = odds_style()
        filled = "" if value == "" else typed_text(value)
        line = QLineEdit(filled)
        if style != DECIMAL:
            line.setPlaceholderText(style.replace("_", " "))

        def read() -> Any:
            text = line.text().strip()
            if text and text == filled:  # it may be rounded as it is written
                return value
            if not text:
                return field.read(text)
            try:
                return field.check(read_odds(text))
            except OddsFormatError as error:
                raise ValueError(str(error)) from None

        line.textEdited.connect(lambda: self._check(field.name))
        return line, read, line.text

    def _quiet(
        self, value: tuple[str, str] | None
    ) -> tuple[QWidget, Callable[[], Any], Callable[[], object]]:
        begin, end = (QLineEdit(text) for text in value or ("", ""))
        for line, example, name in ((begin, "23:00", "from"), (end, "07:00", "until")):
            line.setPlaceholderText(example)
            line.setAccessibleName(f"Quiet {name}")
            line.textEdited.connect(lambda: self._check("quiet"))

        def typed() -> tuple[str, str]:
            return begin.text().strip(), end.text().strip()

        def read() -> tuple[str, str] | None:
            if not any(typed()):
                return None
            try:
                for text in typed():
                    read_time(text)
            except ValueError:
                raise ValueError(EXPECTED_TIME) from None
            return typed()

        return side_by_side(begin, Label("to"), end), read, typed

    def _ticks(
        self, field: RuleField, value: Sequence[str]
    ) -> tuple[QWidget, Callable[[], Any], Callable[[], object]]:
        names = list(dict.fromkeys((*self._channels, *value)))
        if not names:
            said = Label("None are set up in the file: alerts are shown here.", wordWrap=True)
            return said, lambda: (), lambda: ()
        ticks = [_tick(name in value, literal(name)) for name in names]
        for tick, name in zip(ticks, names, strict=True):
            tick.setAccessibleName(name)

        def ticked() -> tuple[str, ...]:
            return tuple(name for name, tick in zip(names, ticks, strict=True) if tick.isChecked())

        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(HALF)
        for tick in ticks:
            column.addWidget(tick)
        holder.setFocusProxy(ticks[0])
        return holder, ticked, ticked

    def _check(self, name: str) -> str:
        """Say below a field what is wrong with it now, else what it means; return the former."""
        editor = next(each for each in self._editors if each.field.name == name)
        problem = _problem(editor)
        said = problem or editor.field.help
        editor.said.setText(said)
        editor.said.setProperty("variant", "down" if problem else "note")
        editor.said.style().polish(editor.said)
        editor.widget.setAccessibleDescription(said)
        return problem

    def _on_buttons_accepted(self) -> None:
        wrong = [each for each in self._editors if self._check(each.field.name)]
        if wrong:
            wrong[0].widget.setFocus(Qt.FocusReason.OtherFocusReason)
            self._area.ensureWidgetVisible(wrong[0].said)
            return
        found = {each.field.name: each.read() for each in self._editors}
        self.chosen.emit(self._kind(**found))
        self.begin()
        self.accept()


class _Scrolled(QScrollArea):
    """Fields that scroll where the screen is too small for them."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(page)
        self._page = page
        self._wanted = QSize()

    def fit(self, width: int) -> None:
        """Ask for the room that the fields need at a width."""
        self.setMinimumWidth(self._page.minimumSizeHint().width())
        self._wanted = QSize(width, self._page.heightForWidth(width - 2 * MARGIN))
        self.updateGeometry()

    # Qt's virtuals

    def sizeHint(self) -> QSize:
        return self._wanted


def with_mnemonic(title: str, taken: set[str]) -> str:
    """Return a title with the first letter marked that is not taken, which is from then on."""
    for place, letter in enumerate(title):
        if letter.isalpha() and letter.casefold() not in taken:
            taken.add(letter.casefold())
            return f"{title[:place]}&{title[place:]}"
    return title


def values_of(rule: Rule | Policy) -> dict[str, Any]:
    """Return what a form of a rule is filled in with."""
    return msgspec.structs.asdict(rule)


def _problem(editor: _Editor) -> str:
    try:
        editor.read()
    except ValueError as error:
        return sentence(str(error))
    return ""


def _choice(
    field: RuleField, entries: Iterable[tuple[Any, str]], value: Any
) -> tuple[QWidget, Callable[[], Any], Callable[[], object]]:
    box = ChoiceBox()
    for each, text in entries:
        box.addItem(text, each)
    place = _place(box, value)
    if place < 0:
        box.addItem(str(value), value)
        place = box.count() - 1
    box.setCurrentIndex(place)
    return box, lambda: field.check(box.currentData()), box.currentData


def _place(box: QComboBox, value: Any) -> int:
    wanted = str(value).casefold()
    held = (str(box.itemData(row)).casefold() for row in range(box.count()))
    return next((row for row, each in enumerate(held) if each == wanted), -1)


def _tick(value: bool, text: str = "") -> QCheckBox:
    check = QCheckBox(text)
    check.setChecked(value)
    return check


def _completer(names: Sequence[str], parent: QWidget) -> QCompleter:
    completer = QCompleter(list(names), parent)
    completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
    completer.setFilterMode(Qt.MatchFlag.MatchContains)
    return completer
