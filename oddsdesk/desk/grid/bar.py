"""The line above the odds grid: what it holds, how far it is read, and what can be done."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import msgspec
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from oddsdesk.base.figures import FigureError, read_number
from oddsdesk.base.numbers import num, typed_number
from oddsdesk.base.texts import _, ngettext, pgettext, translated
from oddsdesk.desk.export.files import FORMATS, FileFormat
from oddsdesk.desk.grid.entries import Shape
from oddsdesk.desk.grid.filter import (
    FRESHNESS_TEXTS,
    GridFilter,
    Range,
    chips,
    hours_text,
    seconds_text,
    without,
)
from oddsdesk.desk.settings.declared import DERIVED_KINDS
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.actions import shown_keys
from oddsdesk.desk.ui.controls.bars import ListBar
from oddsdesk.desk.ui.controls.buttons import ChipRow, MenuButton, Popup
from oddsdesk.desk.ui.controls.fields import FilterEdit, OddsEdit
from oddsdesk.desk.ui.controls.labels import ElidedLabel, Label, SteadyButton, literal
from oddsdesk.desk.ui.controls.messages import sentence
from oddsdesk.desk.ui.formatting import odds_style
from oddsdesk.desk.ui.theme.theme import SIZE, Theme, scale_height, scale_most_width
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.pricing.formats import OddsFormatError

_LEAST_FILTER_WIDTH, _FILTER_WIDTH = 110, 260
_NARROW_FILTER_WIDTH = 72
"""What it has where figures would be cut otherwise, however large texts are."""
_PROGRESS_WIDTH = 90
_PAUSE, _IN_SHORT = (
    (_("Pause updates"), _("Resume updates")),
    (pgettext("updates", "Pause"), pgettext("updates", "Resume")),
)
"""The button that pauses the updates, and the one that resumes them."""
_SHAPES = ((Shape.PRICES.value, _("Prices")), (Shape.SELECTIONS.value, _("Selections")))


class GridBar(ListBar):
    """Wishes and facts of the odds grid; it decides nothing."""

    shape_chosen = Signal(object)
    """A ``Shape``."""
    grouping_changed = Signal(bool)
    columns_requested = Signal()
    copy_requested = Signal()
    export_requested = Signal(object)
    """A ``FileFormat``."""
    arrange_requested = Signal()
    pause_requested = Signal(bool)
    """Reading shall be stopped (True) or go on."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._theme = theme
        self._misplaced, self._is_narrow = 0, False
        self._counted = "", "", ""
        # Where there is too little room the line is cut; it never widens the window.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.count = ElidedLabel()
        self.count.setFont(theme.fonts.strong)
        self.reading = ElidedLabel()
        self.reading.setProperty("variant", "note")
        self.progress = QProgressBar(textVisible=False)
        self.progress.setFixedSize(_PROGRESS_WIDTH, spacing.HALF)
        self.pause = self._button(_PAUSE[0], _("Stop loading new prices; those shown stay"))
        self.arrange = SteadyButton()
        self.arrange.setToolTip(_("Re-sort: add new prices, drop old ones (Shift+S)"))
        self.arrange.setAccessibleName(_("Re-sort"))
        self.shapes = ChipRow(_("Row type"))
        self.shapes.show_chips(_SHAPES)
        self.group = QToolButton()
        self.group.setCheckable(True)
        self.group.setText(_("By game"))
        self.group.setProperty("variant", "chip")
        self.group.setToolTip(_("Group rows by game"))
        self.views = MenuButton(_("View"), tells_purpose=True)
        self.views.setToolTip(_("Saved filters, columns and sorting"))
        self.columns = self._button("", _("Show, hide and move columns"))
        self.export = self._button("", _("Copy or export"))
        self.filter = FilterEdit(theme, _("Filter: team, market, bookmaker…"))
        scale_most_width(self.filter, theme, _FILTER_WIDTH)
        self._lay_out()
        self._connect()
        self._restyle()

    def show_reading(self, text: str, done: int, total: int | None, *, paused: bool) -> None:
        """Say how far the first reading is; ``total`` None is not known, 0 hides the progress."""
        self.reading.show_text(text)
        self.reading.setVisible(bool(text))
        self.progress.setVisible(total != 0 and not paused)
        self.progress.setRange(0, total or 0)
        self.progress.setValue(done)
        self.pause.setProperty("paused", paused)
        self.pause.setAccessibleName(_PAUSE[paused])
        self._say_pause(in_short=self.pause.text() in _IN_SHORT)
        self.pause.setToolTip(
            _("Load new prices again") if paused else _("Stop loading new prices; those shown stay")
        )

    def show_count(self, whole: str, rows: str, shown: str) -> None:
        """Say how many rows there are, of all and of what; ``rows`` and ``shown`` "
        "say it shorter."""
        if (whole, rows, shown) != self._counted:
            self._counted = whole, rows, shown
            self._fit()

    def show_misplaced(self, rows: int) -> None:
        """Say how many rows would move; they stay until asked to."""
        self._misplaced = rows
        is_other = self.arrange.isHidden() == (rows > 0)
        self.arrange.setVisible(rows > 0)
        if self._say_misplaced() or is_other:
            self._fit()

    def _say_pause(self, *, in_short: bool) -> None:
        texts = _IN_SHORT if in_short else _PAUSE
        self.pause.setText(texts[bool(self.pause.property("paused"))])

    def _say_misplaced(self) -> bool:
        rows = self._misplaced
        if self._is_narrow:
            return self.arrange.show_text(_("Sort {rows:,}").format(rows=num(rows)))
        return self.arrange.show_text(
            ngettext("{rows:,} change – re-sort", "{rows:,} changes – re-sort", rows).format(
                rows=num(rows)
            )
        )

    def _fit(self) -> None:
        """Say less where it is narrow, and leave out what is reached in other ways, too."""
        optional = (self.group, self.columns, self.export)
        shown = [part for part in self.bar_parts() if part not in optional and not part.isHidden()]
        room = self.width() - 2 * spacing.LEAD
        least = self._theme.fonts.scaled(_LEAST_FILTER_WIDTH)
        self.filter.setMinimumWidth(least)
        whole, rows, shown_ones = self._counted
        steps = (
            (False, whole, False),
            *((True, count, False) for count in (whole, rows, shown_ones)),
            (True, shown_ones, True),
        )
        for self._is_narrow, count, in_short in steps:
            self._say_misplaced()
            self._say_pause(in_short=in_short)
            self.count.show_text(count)
            left = room - sum(map(self._least_width, shown))
            if left >= (0 if self._is_narrow else sum(map(self._least_width, optional))):
                break
        given = min(max(0, -left), least - _NARROW_FILTER_WIDTH)
        self.filter.setMinimumWidth(least - given)
        left += given
        self.count.setMinimumWidth(self.count.sizeHint().width() if left >= 0 else 0)
        self.count.setAccessibleName(whole)
        for part in optional:
            left -= self._least_width(part)
            part.setVisible(left >= 0)

    def _least_width(self, part: QWidget) -> int:
        """The width that a part needs; labels may shrink to their minimum, figures not."""
        if part is self.count:
            return part.sizeHint().width() + spacing.STEP
        gives_way = isinstance(part, (ElidedLabel, FilterEdit))
        asks = part.minimumSizeHint() if gives_way else part.sizeHint()
        return max(asks.width(), part.minimumWidth()) + spacing.STEP

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(text or tip)
        button.setProperty("variant", "plain")
        button.setIconSize(QSize(SIZE, SIZE))
        return button

    def _lay_out(self) -> None:
        line = self.line
        facts = (self.count, self.reading, self.progress, self.pause)
        ways = (self.arrange, self.shapes, self.group, self.views)
        buttons = (*ways, self.columns, self.export, self.filter)
        for fact in facts:
            line.addWidget(fact)
        line.addStretch()
        for button in buttons:
            line.addWidget(button)

    def _connect(self) -> None:
        self.pause.clicked.connect(
            lambda: self.pause_requested.emit(not self.pause.property("paused"))
        )
        self.arrange.clicked.connect(self.arrange_requested)
        self.shapes.chosen.connect(lambda key: self.shape_chosen.emit(Shape(key)))
        self.group.toggled.connect(self.grouping_changed)
        self.columns.clicked.connect(self.columns_requested)
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.export.setMenu(self._export_menu())
        self._theme.changed.connect(self._restyle)

    def _export_menu(self) -> QMenu:
        menu = QMenu(self)
        copy = QAction(_("Copy as a table") + "\t" + shown_keys("Ctrl+C"), menu)
        copy.triggered.connect(lambda _checked=False: self.copy_requested.emit())
        menu.addAction(copy)
        menu.addSeparator()
        for file_format in FORMATS:
            self._add_format(menu, file_format)
        return menu

    def _add_format(self, menu: QMenu, file_format: FileFormat) -> None:
        action = QAction(
            _("Export as {format}…").format(format=translated(file_format.title)), menu
        )
        action.triggered.connect(lambda _checked=False: self.export_requested.emit(file_format))
        menu.addAction(action)

    def _restyle(self) -> None:
        self.columns.setIcon(self._theme.icon("columns", TextRole.SOFT))
        self.export.setIcon(self._theme.icon("export", TextRole.SOFT))
        self._fit()

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


_WIDTH, _HEIGHT = 260, 340
_SEARCHED_FROM = 9
_KEY = Qt.ItemDataRole.UserRole


class ChoicePopup(Popup):
    """A list to tick, searched by typing where it is long; each tick counts at once."""

    chosen_changed = Signal(object)
    """The keys that are ticked, a frozenset."""

    def __init__(
        self,
        parent: QWidget,
        theme: Theme,
        title: str,
        find: str,
        choices: Sequence[tuple[str, str]],
        chosen: Iterable[str],
    ) -> None:
        """``find`` says what is searched for. ``choices`` are (key,
        text); those that are chosen but
        not offered stay chosen."""
        super().__init__(parent, title)
        self._chosen = set(chosen)
        self.list = QListWidget()
        self.list.setAccessibleName(title)
        self.search = FilterEdit(theme, find)
        self.search.setVisible(len(choices) >= _SEARCHED_FROM)
        row = theme.fonts.row_height(spacing.SECTION_ROW)
        for key, text in choices:
            item = QListWidgetItem(text, self.list)
            item.setData(_KEY, key)
            item.setSizeHint(QSize(0, row))
            item.setFlags(
                Qt.ItemFlag.ItemIsEnabled
                | Qt.ItemFlag.ItemIsUserCheckable
                | Qt.ItemFlag.ItemIsSelectable
            )
            item.setCheckState(_state(key in self._chosen))
        self._clear = QPushButton(_("Clear"))
        for widget in (self.search, self.list, self._clear):
            self.column.addWidget(widget)
        self.setFixedWidth(theme.fonts.scaled(_WIDTH))
        most = theme.fonts.scaled(_HEIGHT)
        self.list.setFixedHeight(min(most, len(choices) * row + spacing.HALF))
        self.search.textChanged.connect(self._on_search_text_changed)
        self.search.lead_to(self.list)
        self.list.itemChanged.connect(self._on_list_item_changed)
        self._clear.clicked.connect(self._on_clear_clicked)
        (self.search if self.search.isVisibleTo(self) else self.list).setFocus()

    def _on_search_text_changed(self, text: str) -> None:
        words = text.casefold().split()
        for row in range(self.list.count()):
            item = self.list.item(row)
            item.setHidden(not all(word in item.text().casefold() for word in words))

    def _on_list_item_changed(self, item: QListWidgetItem) -> None:
        is_ticked = item.checkState() is Qt.CheckState.Checked
        (self._chosen.add if is_ticked else self._chosen.discard)(item.data(_KEY))
        self.chosen_changed.emit(frozenset(self._chosen))

    def _on_clear_clicked(self) -> None:
        self._chosen.clear()
        self.list.blockSignals(True)
        for row in range(self.list.count()):
            self.list.item(row).setCheckState(Qt.CheckState.Unchecked)
        self.list.blockSignals(False)
        self.chosen_changed.emit(frozenset())


class RangePopup(Popup):
    """From and to, either may be left empty; Enter takes them and closes."""

    range_chosen = Signal(object)
    """A ``Range``."""

    def __init__(self, parent: QWidget, theme: Theme, title: str, unit: str, chosen: Range) -> None:
        super().__init__(parent, title)
        self.least = self._edit(pgettext("least and most", "from"), chosen.least)
        self.most = self._edit(pgettext("least and most", "to"), chosen.most)
        line = spacing.horizontal(spacing=spacing.STEP)
        for widget in (
            self.least,
            Label(pgettext("between least and most", "to")),
            self.most,
            Label(unit),
        ):
            line.addWidget(widget)
        self._apply = QPushButton(_("Filter"))
        self.problem = Label(wordWrap=True)
        self.problem.setProperty("variant", "value")
        self.problem.hide()
        self.column.addLayout(line)
        self.column.addWidget(self.problem)
        self.column.addWidget(self._apply)
        self.setFixedWidth(theme.fonts.scaled(_WIDTH))
        self._apply.clicked.connect(self._take)
        self.least.setFocus()

    def _edit(self, purpose: str, figure: float | None) -> QLineEdit:
        edit = QLineEdit("" if figure is None else typed_number(figure))
        edit.setPlaceholderText(purpose)
        edit.setAccessibleName(purpose)
        edit.setMaxLength(9)
        return edit

    def _figure(self, edit: QLineEdit) -> float | None:
        """Return what was typed; None where nothing was.

        Raises:
            FigureError: it is no number.
        """
        text = edit.text().strip()
        return read_number(edit.accessibleName(), text.removesuffix("%")) if text else None

    def _take(self) -> None:
        try:
            least, most = self._figure(self.least), self._figure(self.most)
        except (FigureError, OddsFormatError) as error:
            self.problem.setText(sentence(translated(str(error))))
            self.problem.show()
            self.adjustSize()
            return
        if least is not None and most is not None and least > most:
            least, most = most, least
        self.range_chosen.emit(Range(least, most))
        self.close()

    # Qt's virtuals

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take()
        else:
            super().keyPressEvent(event)


class OddsRangePopup(RangePopup):
    """Typed in the style that the desk writes odds in; ranges are of decimal ones."""

    def __init__(self, parent: QWidget, theme: Theme, title: str, chosen: Range) -> None:
        super().__init__(parent, theme, title, "", chosen)

    def _edit(self, purpose: str, figure: float | None) -> QLineEdit:
        return OddsEdit(purpose, figure, purpose)

    def _figure(self, edit: QLineEdit) -> float | None:
        assert isinstance(edit, OddsEdit)
        return edit.decimal_odds()


def _state(is_ticked: bool) -> Qt.CheckState:
    return Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked


_GRID_FILTER_BAR_HEIGHT = spacing.CONTROL + 2 * (spacing.STEP - 2)
_SETS = (
    ("sports", _("Sport"), _("Find: sport")),
    ("competitions", _("Competition"), _("Find: competition")),
    ("markets", _("Market"), _("Find: market")),
    ("periods", _("Period"), _("Find: period")),
    ("bookmakers", _("Bookmaker"), _("Find: bookmaker")),
)
"""Facets of which several are ticked: their title, and what is said where one is looked for."""
_EDGES = (0.0, 1.0, 2.0, 3.0, 5.0)
_HOLDS = (2.0, 3.0, 5.0, 8.0)
_SPREADS = (0.0, 1.0, 2.0, 5.0)
_HOURS = (0.25, 1, 3, 12, 24, 72)
_AGES_S = (15, 30, 60, 300, 900)

Choices = Callable[[str], Iterable[tuple[str, str]]]
"""The (key, text) that a facet can be filtered by now."""


class GridFilterBar(QWidget):
    """Shows a filter as chips and lets it be changed; the free words are typed elsewhere."""

    filter_changed = Signal(object)
    """Another ``GridFilter`` is wished for, its words as they were."""
    cleared = Signal()
    """Nothing is to be filtered, words included."""

    def __init__(self, theme: Theme, choices: Choices) -> None:
        super().__init__()
        self.setProperty("variant", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        scale_height(self, theme, _GRID_FILTER_BAR_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._theme = theme
        self._choices = choices
        self._filter = GridFilter()
        self.popup: ChoicePopup | RangePopup | None = None
        self.button = QToolButton()
        self.button.setProperty("variant", "chip")
        self.button.setText(_("Filter"))
        self.button.setToolTip(_("Filter by sport, market, bookmaker, EV, odds, age and more"))
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.button.setMenu(self._menu())
        self._nothing = ElidedLabel()
        self._nothing.setProperty("variant", "note")
        self._clear = QToolButton()
        self._clear.setProperty("variant", "plain")
        self._clear.setText(_("Clear all"))
        self._clear.setToolTip(_("Remove all filters and the search words"))
        self._clear.clicked.connect(self.cleared)
        self.chips: dict[str, QToolButton] = {}
        self._line = spacing.horizontal(
            self, margins=(spacing.LEAD, 0, spacing.LEAD, 0), spacing=spacing.STEP - 2
        )
        for widget in (self.button, self._nothing, self._clear):
            self._line.addWidget(widget)
        self._line.addStretch()
        theme.changed.connect(self._restyle)
        self.show_filter(GridFilter())
        self.show_missing(0)

    def show_filter(self, chosen: GridFilter) -> None:
        """Show what is active."""
        self._filter = chosen
        wanted = dict(chips(chosen))
        for facet in [facet for facet in self.chips if facet not in wanted]:
            chip = self.chips.pop(facet)
            self._line.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        for facet, text in wanted.items():
            if facet not in self.chips:
                self.chips[facet] = self._chip(facet)
                self._line.insertWidget(len(self.chips), self.chips[facet])
            self.chips[facet].setText(literal(text))
            self.chips[facet].setAccessibleName(_("Remove filter: {text}").format(text=text))
            self.chips[facet].setToolTip(_("Remove filter: {text}").format(text=text))
        self._nothing.setVisible(chosen.shows_all)
        self._clear.setVisible(not chosen.shows_all)
        self._restyle()

    def show_missing(self, rows: int) -> None:
        """Say how many rows are not shown: a click shows what a filter hides, else they are new."""
        self._clear.setText(
            ngettext("{rows:,} hidden · Show all", "{rows:,} hidden · Show all", rows).format(
                rows=num(rows)
            )
            if rows
            else _("Clear all")
        )
        new = _("{rows:,} more after the next re-sort (Shift+S).").format(rows=num(rows))
        nothing = _("No filters. Filter by sport, bookmaker, EV, age…")
        self._nothing.show_text(new if rows else nothing)

    def _chip(self, facet: str) -> QToolButton:
        chip = QToolButton()
        chip.setProperty("variant", "chip")
        chip.setCheckable(True)
        chip.setChecked(True)
        chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        chip.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        chip.clicked.connect(lambda: self.filter_changed.emit(without(self._filter, facet)))
        return chip

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        for facet, title, find in _SETS:
            self._add(menu, f"{title}…", partial(self._choose, facet, title, find))
        menu.addSeparator()
        self._add_values(
            menu, _("In play"), "is_live", [(_("In play"), True), (_("Before kick-off"), False)]
        )
        edges = [
            (_("At least {figure:g} %").format(figure=num(edge)), Range(edge)) for edge in _EDGES
        ]
        self._add_ranges(menu, "ev", (_("EV"), _("EV"), "%"), edges)
        self._add(menu, _("Odds…"), self._type_odds)
        holds = [
            (_("At most {figure:g} %").format(figure=num(hold)), Range(None, hold))
            for hold in _HOLDS
        ]
        self._add_ranges(menu, "hold", (_("Hold"), _("Hold"), "%"), holds)
        spreads = [
            (_("At most {figure:g} %").format(figure=num(spread)), Range(None, spread))
            for spread in _SPREADS
        ]
        self._add_ranges(menu, "lay_spread", (_("Lay spread"), _("Lay spread"), "%"), spreads)
        starts = [
            (_("Within {time}").format(time=hours_text(hours)), Range(0, hours)) for hours in _HOURS
        ]
        self._add_ranges(menu, "kick_off", (_("Kick-off"), _("Hours to kick-off"), "h"), starts)
        ages = [
            (_("Within {time}").format(time=seconds_text(seconds)), seconds) for seconds in _AGES_S
        ]
        self._add_values(menu, _("Seen"), "seen_within_s", ages)
        levels = [(text, level) for level, text in FRESHNESS_TEXTS.items()]
        self._add_values(menu, _("Freshness"), "freshness", levels)
        kinds = [(title, kind) for kind, title in DERIVED_KINDS]
        self._add_values(menu, _("Derived fair odds"), "derived", kinds)
        return menu

    def _add_values(
        self, menu: QMenu, title: str, facet: str, values: Iterable[tuple[str, object]]
    ) -> None:
        submenu = menu.addMenu(title)
        for text, value in values:
            self._add(submenu, text, partial(self._set, facet, value))

    def _add_ranges(
        self, menu: QMenu, facet: str, words: tuple[str, str, str], offered: list[tuple[str, Range]]
    ) -> None:
        """Offer ranges, and to type one; ``words``: of the menu, of what is typed, its unit."""
        title, purpose, unit = words
        submenu = menu.addMenu(title)
        for text, chosen in offered:
            self._add(submenu, text, partial(self._set, facet, chosen))
        submenu.addSeparator()
        self._add(submenu, _("Range…"), partial(self._type, facet, purpose, unit))

    def _add(self, menu: QMenu, text: str, act: Callable[[], None]) -> None:
        action = QAction(text, menu)
        action.triggered.connect(lambda _checked=False: act())
        menu.addAction(action)

    def _set(self, facet: str, value: object) -> None:
        changes: dict[str, Any] = {facet: value}
        self.filter_changed.emit(msgspec.structs.replace(self._filter, **changes))

    def _choose(self, facet: str, title: str, find: str) -> None:
        chosen = getattr(self._filter, facet)
        offered = list(self._choices(facet))
        popup = ChoicePopup(self, self._theme, title, find, offered, chosen)
        popup.chosen_changed.connect(lambda keys: self._set(facet, keys))
        self._open(popup)

    def _type(self, facet: str, title: str, unit: str) -> None:
        popup = RangePopup(self, self._theme, title, unit, getattr(self._filter, facet))
        popup.range_chosen.connect(lambda chosen: self._set(facet, chosen))
        self._open(popup)

    def _type_odds(self) -> None:
        title = _("Odds, {style}").format(style=translated(odds_style().replace("_", " ")))
        popup = OddsRangePopup(self, self._theme, title, self._filter.odds)
        popup.range_chosen.connect(lambda chosen: self._set("odds", chosen))
        self._open(popup)

    def _open(self, popup: ChoicePopup | RangePopup) -> None:
        self.popup = popup
        popup.open_below(self.button)

    def _restyle(self) -> None:
        self.button.setIcon(self._theme.icon("filter", TextRole.SOFT))
        for chip in self.chips.values():
            chip.setIcon(self._theme.icon("close", TextRole.SOFT))
