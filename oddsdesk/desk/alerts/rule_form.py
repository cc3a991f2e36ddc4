"""The form for an alert rule or for the limits, with an error below each field."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import NODEFAULT
from PySide6 import QtWidgets
from PySide6.QtCore import QSize, Qt, Signal

from oddsdesk.base.numbers import typed_number
from oddsdesk.base.texts import _, pgettext, translated
from oddsdesk.board.alerts import rules
from oddsdesk.contract.markets import MARKET_TYPES, market_title
from oddsdesk.desk.ui.controls.fields import ChoiceBox
from oddsdesk.desk.ui.controls.form_dialog import FormDialog, note_label, side_by_side, with_note
from oddsdesk.desk.ui.controls.labels import Label, literal
from oddsdesk.desk.ui.controls.messages import sentence
from oddsdesk.desk.ui.formatting import odds_style, read_odds, typed_text
from oddsdesk.desk.ui.spacing import HALF, MARGIN, vertical
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.formats import DECIMAL, OddsFormatError

_WIDTH: Final = 520
_PARTS: Final = 10
_ANY: Final = _("Any of my bookmakers")


class KnownNames(NamedTuple):
    """Names that the fields of rules offer."""

    presets: Sequence[str] = ()
    games: Sequence[str] = ()
    bookmakers: Sequence[str] = ()


class _Editor(NamedTuple):
    field: rules.RuleField
    widget: QtWidgets.QWidget
    read: Callable[[], Any]
    """Raises ``ValueError`` if the input is invalid."""
    state: Callable[[], object]
    """The input, for comparison."""
    said: Label
    """The help or error below the field."""


class RuleForm(FormDialog):
    """Edits a rule or policy, filled in with its values or the defaults."""

    chosen = Signal(object)
    """The ``Rule`` or ``Policy`` the user entered."""

    def __init__(
        self,
        theme: Theme,
        kind: type[rules.Rule] | type[rules.Policy],
        values: Mapping[str, Any],
        names: KnownNames,
        channels: Sequence[str],
        parent: QtWidgets.QWidget,
    ) -> None:
        """``values`` differ from the defaults; ``channels`` are the names on offer."""
        texts = rules.LIMITS if issubclass(kind, rules.Policy) else rules.KINDS[kind]
        title, said = map(translated, texts)
        super().__init__(theme, title, parent)
        self._area = _Scrolled(self.take_fields())
        self.below.addWidget(self._area)
        self._column.setStretchFactor(self.below, 1)
        self._untitled = "" if issubclass(kind, rules.Policy) else translated(kind.kind_title())
        self._kind, self._values, self._names, self._channels = kind, values, names, channels
        self._editors: list[_Editor] = []
        self.form.addRow(note_label(said, theme))
        taken = {"c", "s"}  # Cancel and Save
        for field in rules.fields_of(kind):
            self._add(field, with_mnemonic(translated(field.title), taken))
        self._lay_out_buttons()
        room = self.screen().availableGeometry()
        width = min(theme.fonts.scaled(_WIDTH), room.width())
        self._area.fit_fields(width)
        self.resize(width, min(self._column.totalSizeHint().height(), room.height()))
        first = self._editors[0].widget
        first.setFocus()
        if isinstance(first, QtWidgets.QLineEdit):
            first.selectAll()

    def values(self) -> object:
        return [editor.state() for editor in self._editors]

    def editor(self, name: str) -> QtWidgets.QWidget:
        """Return the editor of a field."""
        return next(each.widget for each in self._editors if each.field.name == name)

    def problems(self) -> dict[str, str]:
        """Return the errors by field name."""
        found = {each.field.name: _problem(each) for each in self._editors}
        return {name: text for name, text in found.items() if text}

    def _lay_out_buttons(self) -> None:
        self.save = self.close_with(_("&Save"), self._on_buttons_accepted)

    def _add(self, field: rules.RuleField, title: str) -> None:
        value = self._values.get(field.name, field.default)
        widget, read, state = self._made(field, "" if value is NODEFAULT else value)
        said = note_label(translated(field.help), self.theme)
        self._editors.append(_Editor(field, widget, read, state, said))
        widget.setAccessibleName(translated(field.title))
        widget.setAccessibleDescription(translated(field.help))
        row = side_by_side(widget, Label(translated(field.unit))) if field.unit else widget
        holder = with_note(row, said)
        holder.setFocusProxy(widget.focusProxy() or widget)
        if isinstance(widget, QtWidgets.QCheckBox):
            widget.setText(title)
            self.form.addRow("", holder)
        else:
            has_field = not isinstance(widget, Label)
            self.add_row(title if has_field else translated(field.title), holder)

    def _made(
        self, field: rules.RuleField, value: Any
    ) -> tuple[QtWidgets.QWidget, Callable[[], Any], Callable[[], object]]:
        match field.name:
            case "enabled" | "derived":
                check = _tick(value)
                return check, check.isChecked, check.isChecked
            case "channels":
                return self._ticks(field, value)
            case "preset":
                return _choice(
                    field, [(each, translated(each)) for each in self._names.presets], value
                )
            case "market":
                markets = [(each, translated(market_title(each))) for each in MARKET_TYPES]
                return _choice(field, markets, value or MARKET_TYPES[0])
            case "period":
                parts = [
                    (0, _("Full game")),
                    *((part, _("Part {number}").format(number=part)) for part in range(1, _PARTS)),
                ]
                return _choice(field, parts, value)
            case "quiet":
                return self._quiet(value)
            case "odds":
                return self._odds(field, value)
            case _:
                return self._line(field, value)

    def _line(
        self, field: rules.RuleField, value: Any
    ) -> tuple[QtWidgets.QWidget, Callable[[], Any], Callable[[], object]]:
        line = QtWidgets.QLineEdit(typed_number(value) if field.is_number else str(value))
        if field.name == "bookmaker":
            line.setPlaceholderText(_ANY)
            line.setCompleter(_completer(self._names.bookmakers, line))
        elif field.name == "game":
            line.setCompleter(_completer(self._names.games, line))
        elif field.name == "name":
            line.setPlaceholderText(self._untitled)
        line.textEdited.connect(lambda: self._check(field.name))
        return line, lambda: field.parse_value(line.text()), line.text

    def _odds(
        self, field: rules.RuleField, value: Any
    ) -> tuple[QtWidgets.QWidget, Callable[[], Any], Callable[[], object]]:
        style = odds_style()
        filled = "" if value == "" else typed_text(value)
        line = QtWidgets.QLineEdit(filled)
        if style != DECIMAL:
            line.setPlaceholderText(translated(style.replace("_", " ")))

        def read_field() -> Any:
            text = line.text().strip()
            if text and text == filled:  # the text may be rounded
                return value
            if not text:
                return field.parse_value(text)
            try:
                return field.check_value(read_odds(text))
            except OddsFormatError as error:
                raise ValueError(str(error)) from None

        line.textEdited.connect(lambda: self._check(field.name))
        return line, read_field, line.text

    def _quiet(
        self, value: tuple[str, str] | None
    ) -> tuple[QtWidgets.QWidget, Callable[[], Any], Callable[[], object]]:
        begin, end = (QtWidgets.QLineEdit(text) for text in value or ("", ""))
        for line, example, name in (
            (begin, "23:00", _("Quiet from")),
            (end, "07:00", _("Quiet until")),
        ):
            line.setPlaceholderText(example)
            line.setAccessibleName(name)
            line.textEdited.connect(lambda: self._check("quiet"))

        def typed() -> tuple[str, str]:
            return begin.text().strip(), end.text().strip()

        def read_quiet_hours() -> tuple[str, str] | None:
            if not any(typed()):
                return None
            try:
                for text in typed():
                    rules.read_time(text)
            except ValueError:
                raise ValueError(rules.EXPECTED_TIME) from None
            return typed()

        return (
            side_by_side(begin, Label(pgettext("between two times", "to")), end),
            read_quiet_hours,
            typed,
        )

    def _ticks(
        self, field: rules.RuleField, value: Sequence[str]
    ) -> tuple[QtWidgets.QWidget, Callable[[], Any], Callable[[], object]]:
        names = list(dict.fromkeys((*self._channels, *value)))
        if not names:
            said = Label(_("No channels yet. Alerts are shown in this window."), wordWrap=True)
            return said, lambda: (), lambda: ()
        ticks = [_tick(name in value, literal(name)) for name in names]
        for tick, name in zip(ticks, names, strict=True):
            tick.setAccessibleName(name)

        def ticked() -> tuple[str, ...]:
            return tuple(name for name, tick in zip(names, ticks, strict=True) if tick.isChecked())

        holder = QtWidgets.QWidget()
        column = vertical(holder, spacing=HALF)
        for tick in ticks:
            column.addWidget(tick)
        holder.setFocusProxy(ticks[0])
        return holder, ticked, ticked

    def _check(self, name: str) -> str:
        """Show a field's error below it, or its help; return the error."""
        editor = next(each for each in self._editors if each.field.name == name)
        problem = _problem(editor)
        said = problem or translated(editor.field.help)
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
        self.mark_unchanged()
        self.accept()


class _Scrolled(QtWidgets.QScrollArea):
    """Fields that scroll if the screen is too small."""

    def __init__(self, page: QtWidgets.QWidget) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(page)
        self._page = page
        self._wanted = QSize()

    def fit_fields(self, width: int) -> None:
        """Request the height that the fields need at a width."""
        self.setMinimumWidth(self._page.minimumSizeHint().width())
        self._wanted = QSize(width, self._page.heightForWidth(width - 2 * MARGIN))
        self.updateGeometry()

    # Qt's virtuals

    def sizeHint(self) -> QSize:
        return self._wanted


def with_mnemonic(title: str, taken: set[str]) -> str:
    """Return a title with its first free letter as mnemonic, and add that to ``taken``."""
    for place, letter in enumerate(title):
        if letter.isalpha() and letter.casefold() not in taken:
            taken.add(letter.casefold())
            return f"{title[:place]}&{title[place:]}"
    return title


def values_of(rule: rules.Rule | rules.Policy) -> dict[str, Any]:
    """Return the values to fill in a form with."""
    return msgspec.structs.asdict(rule)


def _problem(editor: _Editor) -> str:
    try:
        editor.read()
    except ValueError as error:
        return sentence(translated(str(error)))
    return ""


def _choice(
    field: rules.RuleField, entries: Iterable[tuple[Any, str]], value: Any
) -> tuple[QtWidgets.QWidget, Callable[[], Any], Callable[[], object]]:
    box = ChoiceBox()
    for each, text in entries:
        box.addItem(text, each)
    place = _place(box, value)
    if place < 0:
        box.addItem(translated(str(value)), value)
        place = box.count() - 1
    box.setCurrentIndex(place)
    return box, lambda: field.check_value(box.currentData()), box.currentData


def _place(box: QtWidgets.QComboBox, value: Any) -> int:
    wanted = str(value).casefold()
    held = (str(box.itemData(row)).casefold() for row in range(box.count()))
    return next((row for row, each in enumerate(held) if each == wanted), -1)


def _tick(value: bool, text: str = "") -> QtWidgets.QCheckBox:
    check = QtWidgets.QCheckBox(text)
    check.setChecked(value)
    return check


def _completer(names: Sequence[str], parent: QtWidgets.QWidget) -> QtWidgets.QCompleter:
    completer = QtWidgets.QCompleter(list(names), parent)
    completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
    completer.setFilterMode(Qt.MatchFlag.MatchContains)
    return completer
