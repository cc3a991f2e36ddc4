"""The dialog that asks how to read a list of bets: its columns, odds, dates, decimals, units."""

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QScrollArea,
    QTreeWidgetItem,
    QWidget,
)

from oddsdesk.base.figures import FigureError, Habit, read_stake
from oddsdesk.base.market_words import selection_text, shown_game
from oddsdesk.base.numbers import num, typed_number, with_marks
from oddsdesk.base.spreadsheets import SheetError, SheetRow
from oddsdesk.base.text import as_written
from oddsdesk.base.texts import _, ngettext, pgettext, translated
from oddsdesk.contract.times import DAY_MS
from oddsdesk.desk.kind_fields import legs_text
from oddsdesk.desk.ui.controls.fields import ChoiceBox
from oddsdesk.desk.ui.controls.form_dialog import FormDialog, form_layout, note_label, plain_table
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.controls.messages import sentence
from oddsdesk.desk.ui.formatting import day_text, moment_text
from oddsdesk.desk.ui.spacing import GAP, STEP, horizontal, vertical
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bet_lists import columns_of
from oddsdesk.ledger.bet_tables import titles_of, tracker_of
from oddsdesk.ledger.columns import FIELDS, ListUnclearError, folded_title
from oddsdesk.ledger.presets import ListChoices
from oddsdesk.ledger.reading import NO_DATE, ImportedBets, read_rows
from oddsdesk.pricing.formats import (
    AMERICAN,
    DECIMAL,
    FRACTIONAL,
    HONG_KONG,
    IMPLIED,
    INDONESIAN,
    MALAY,
    STYLES,
    OddsFormatError,
    format_odds,
    parse_odds,
)

_WIDTH, _HEIGHT = 1_040, 620
_FIELDS_WIDTH: Final = 370
_MOST_ROWS: Final = 1_000
"""Rows that the preview reads; the import reads all."""
_MOST_BETS: Final = 8
_MOST_PROBLEMS: Final = 4
_FIRST_VALUES: Final = 3
_SUMMARY_LINES: Final = 2
_NONE: Final = "–"
_TITLES: Final = {
    "selection": _("Selection"),
    "stake": _("Stake"),
    "odds": _("Odds"),
    "result": _("Result"),
    "date": _("Date placed"),
    "kick-off": _("Kick-off"),
    "game": _("Game"),
    "competition": _("Competition"),
    "sport": _("Sport"),
    "market": _("Market"),
    "bookmaker": _("Bookmaker"),
    "profit": _("Profit"),
    "payout": _("Payout"),
    "commission": _("Commission"),
    "currency": _("Currency"),
    "account": _("Account"),
    "note": _("Note"),
    "kind": _("Kind"),
    "liability": _("Liability"),
    "odds-without-boost": _("Odds without boost"),
    "refund": _("Refund"),
    "place-terms": _("Place terms"),
    "places": _("Places"),
    "legs": _("Legs"),
}
_NAMES: Final = {key: name for name, key in FIELDS.items()}
_BET_COLUMNS: Final = {
    _("Selection"): 130,
    _("Kind"): 60,
    _("Odds"): 55,
    _("Stake"): 70,
    _("Result"): 70,
    _("Placed"): 95,
    _("Game"): 0,
}
_STYLE_TITLES: Final = {
    AMERICAN: _("American"),
    DECIMAL: _("Decimal"),
    FRACTIONAL: _("Fractional"),
    HONG_KONG: _("Hong kong"),
    MALAY: _("Malay"),
    INDONESIAN: _("Indonesian"),
    IMPLIED: _("Implied"),
}
_LONGEST_CHOICE: Final = 27


class ImportDialog(FormDialog):
    """Asks for what a list of bets does not show, and previews how it is read."""

    chosen = Signal(object)
    """The ``ListChoices``."""

    def __init__(
        self,
        theme: Theme,
        file: str,
        table: tuple[Sequence[str], Sequence[SheetRow]],
        earlier: ListChoices,
        now_ms: int,
        parent: QWidget,
        question: ListUnclearError | None = None,
    ) -> None:
        """Ask about a ``table``, its titles and rows; ``earlier`` is what was answered before."""
        super().__init__(theme, _("Import {file}").format(file=file), parent)
        self._titles, self._rows = list(table[0]), list(table[1])[:_MOST_ROWS]
        self._now_ms = now_ms
        self._sample = question.sample if question and question.about == "odds" else ""
        self._guess(earlier)
        self.fields = {key: self._column_box(key, earlier) for key in FIELDS.values()}
        self.styles, self.dates, self.decimals = (_short(ChoiceBox()) for _ in range(3))
        self.unit = QLineEdit(
            "" if earlier.unit is None else typed_number(earlier.unit), placeholderText="10"
        )
        self._fill_habits(earlier)
        self.columns = plain_table(
            theme,
            _("Columns of the file"),
            {_("Column"): 150, _("Read as"): 100, _("First values"): 0},
        )
        self.preview = plain_table(theme, _("First bets"), _BET_COLUMNS)
        self.summary = Label(wordWrap=True)
        self._lay_out()
        self._connect()
        self._read_again()

    def values(self) -> object:
        boxes = (*self.fields.values(), self.styles, self.dates, self.decimals)
        return [box.currentIndex() for box in boxes], self.unit.text()

    def choices(self) -> ListChoices:
        """Return what was chosen where it differs from what the titles say.

        Raises:
            FigureError: the value of a unit is no amount.
        """
        columns = {
            key: box.currentData()
            for key, box in self.fields.items()
            if key in self._unclear or box.currentData() != self._guessed[key]
        }
        unit = self.unit.text().strip()
        return ListChoices(
            columns=columns,
            odds=self.styles.currentData(),
            dates=self.dates.currentData(),
            decimals=self.decimals.currentData(),
            unit=read_stake(unit) if unit else None,
        )

    def _guess(self, earlier: ListChoices) -> None:
        """Find which title is read for each field by itself, and where that is unclear."""
        try:
            keys = columns_of(self._titles, self._rows, None, ListChoices(odds=DECIMAL)).keys
        except ListUnclearError:
            keys = titles_of(self._titles, tracker_of(self._titles), {}).keys
        by_key: dict[str, list[str]] = {key: [] for key in FIELDS.values()}
        for title, key in keys.items():
            by_key.get("odds" if key.startswith("odds") else key, []).append(title)
        several = {key for key, titles in by_key.items() if len(titles) > 1 and key != "note"}
        self._guessed = {
            key: titles[0] if titles and key not in several else ""
            for key, titles in by_key.items()
        }
        self._unclear = several | set(earlier.columns)

    def _column_box(self, key: str, earlier: ListChoices) -> ChoiceBox:
        box = _short(ChoiceBox())
        box.addItem(_NONE, "")
        for title in self._titles:
            values = ", ".join(self._first_values(title, 2))
            full = f"{title} ({values})" if values else title
            box.addItem(full if len(full) <= _LONGEST_CHOICE else _cut(title), title)
            box.setItemData(box.count() - 1, full, Qt.ItemDataRole.ToolTipRole)
        wanted = folded_title(earlier.columns.get(key, self._guessed[key]))
        named = [title for title in self._titles if folded_title(title) == wanted]
        box.setCurrentIndex(max(0, box.findData(named[0] if named else "")))
        return box

    def _first_values(self, title: str, most: int) -> list[str]:
        cells = (as_written(row.cells.get(title, "")) for row in self._rows)
        found = list(dict.fromkeys(filter(None, cells)))[:most]
        return [_cut(value) for value in found]

    def _fill_habits(self, earlier: ListChoices) -> None:
        shown = _("As the file shows")
        self.styles.addItem(shown, "")
        for style in sorted(STYLES, key=lambda each: each not in (AMERICAN, DECIMAL)):
            title = _STYLE_TITLES[style]
            worth = _worth(self._sample, style)
            if worth is not None:
                text = _("{style}: {sample} is {odds} decimal").format(
                    style=title, sample=self._sample, odds=f"{num(worth):.6g}"
                )
                self.styles.addItem(text, style)
            elif not self._sample:
                self.styles.addItem(title, style)
        for box, entries in (
            (
                self.dates,
                (
                    (_("Day first: 08/09 is 8 September"), Habit.DAY_FIRST),
                    (_("Month first: 08/09 is 9 August"), Habit.MONTH_FIRST),
                ),
            ),
            (
                self.decimals,
                ((_("Point: 1,500 is 1500"), Habit.POINT), (_("Comma: 1,500 is 1.5"), Habit.COMMA)),
            ),
        ):
            box.addItem(shown, None)
            for text, habit in entries:
                box.addItem(text, habit)
        for box, value in (
            (self.styles, earlier.odds),
            (self.dates, earlier.dates),
            (self.decimals, earlier.decimals),
        ):
            places = (place for place in range(box.count()) if box.itemData(place) == value)
            box.setCurrentIndex(next(places, 0))

    def _lay_out(self) -> None:
        theme = self.theme
        for name, key in FIELDS.items():
            self.add_row(_title(name), self.fields[key])
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = self.take_fields()
        area.setWidget(page)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.form.setContentsMargins(0, 0, STEP, 0)
        self.form.setVerticalSpacing(STEP)
        fields, self.form = self.form, form_layout()
        self.add_row(_("Odds format"), self.styles)
        self.add_row(_("Dates"), self.dates)
        self.add_row(_("Decimals"), self.decimals)
        self.add_row(_("Value of a unit"), self.unit)
        self.form.setContentsMargins(0, 0, STEP, 0)
        self.form.setVerticalSpacing(STEP)
        _align(fields, self.form)
        left = QWidget()
        needed = page.minimumSizeHint().width() + area.verticalScrollBar().sizeHint().width()
        left.setFixedWidth(max(theme.fonts.scaled(_FIELDS_WIDTH), needed))
        vertical(left, area, self.form, spacing=GAP)
        right = vertical(spacing=STEP)
        for title, part in (
            (_("Columns of the file"), self.columns),
            (_("First bets"), self.preview),
        ):
            right.addWidget(Label(title))
            right.addWidget(part, 1)
        middle = horizontal(spacing=GAP)
        middle.addWidget(left)
        middle.addLayout(right, 1)
        self.summary.setMinimumHeight(self.summary.fontMetrics().lineSpacing() * _SUMMARY_LINES)
        self.summary.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.below.addWidget(self.summary)
        self.below.addLayout(middle, 1)
        self.below.addWidget(
            note_label(_("Saved in your ledger for lists with the same column titles."), theme)
        )
        self._column.setStretchFactor(self.below, 1)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.read = self.buttons.addButton(_("Import"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.read.setProperty("variant", "primary")
        self.close_form()
        room = self.screen().availableGeometry()
        wanted = theme.fonts.scaled(_WIDTH), theme.fonts.scaled(_HEIGHT)
        self.resize(min(wanted[0], room.width() - 40), min(wanted[1], room.height() - 60))

    def _connect(self) -> None:
        for key, box in self.fields.items():
            box.currentIndexChanged.connect(lambda _, key=key: self._on_column_chosen(key))
        for box in (self.styles, self.dates, self.decimals):
            box.currentIndexChanged.connect(self._read_again)
        self.unit.textChanged.connect(self._read_again)
        self.buttons.accepted.connect(self._on_buttons_accepted)
        self.buttons.rejected.connect(self.reject)

    def _on_column_chosen(self, key: str) -> None:
        """Take a column from the field that had it, and read again."""
        title = self.fields[key].currentData()
        for other, box in self.fields.items():
            if title and other != key and box.currentData() == title:
                box.blockSignals(True)
                box.setCurrentIndex(0)
                box.blockSignals(False)
        self._read_again()

    def _read_again(self) -> None:
        """Show how the list is read with what is chosen."""
        self.preview.clear()
        problem, found = "", None
        try:
            choices = self.choices()
            found = read_rows(
                self._titles, self._rows, self._now_ms, choices.odds or None, choices=choices
            )
        except FigureError as error:
            problem = _("value of a unit: {error}").format(error=translated(str(error)))
        except SheetError as error:
            problem = translated(str(error))
        self.read.setEnabled(found is not None and bool(found.bets))
        self.summary.setProperty("variant", "down" if found is None else "")
        self.summary.style().polish(self.summary)
        chosen = {box.currentData(): key for key, box in self.fields.items()}
        self._show_columns(chosen if found is None else found.keys)
        if found is None:
            self.summary.setText(sentence(problem))
            return
        for bet in found.bets[:_MOST_BETS]:
            result = pgettext("bet", "open") if bet.result is None else translated(bet.result.words)
            placed = (moment_text if bet.placed_at % DAY_MS else day_text)(bet.placed_at, UTC)
            figures = (with_marks(format_odds(bet.odds)), f"{num(bet.stake):,.2f}", result, placed)
            kind = "" if bet.kind is BetKind.BACK else translated(bet.kind.words)
            item = QTreeWidgetItem(
                [selection_text(bet.selection), kind, *figures, shown_game(bet.match_name)]
            )
            item.setToolTip(0, legs_text(bet))
            self.preview.addTopLevelItem(item)
        self.summary.setText(_summary(found, len(self._rows)))

    def _show_columns(self, keys: Mapping[str, str]) -> None:
        self.columns.clear()
        for title in self._titles:
            values = " · ".join(self._first_values(title, _FIRST_VALUES))
            item = QTreeWidgetItem([title, _read_as(keys.get(title, "?")), values])
            self.columns.addTopLevelItem(item)

    def _on_buttons_accepted(self) -> None:
        self.chosen.emit(self.choices())
        self.mark_unchanged()
        self.accept()


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_CHOICE else f"{text[: _LONGEST_CHOICE - 1]}…"


def _align(*forms: QFormLayout) -> None:
    """Make the labels of several forms equally wide."""
    items = (
        form.itemAt(row, QFormLayout.ItemRole.LabelRole)
        for form in forms
        for row in range(form.rowCount())
    )
    labels = [label for item in items if item is not None and (label := item.widget()) is not None]
    width = max(label.sizeHint().width() for label in labels)
    for label in labels:
        label.setMinimumWidth(width)


def _short(box: ChoiceBox) -> ChoiceBox:
    """Return a box that may be narrower than its longest choice."""
    box.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(18)
    return box


def _read_as(key: str) -> str:
    """Return what a column is read as, in words; a dash for nothing."""
    if key.startswith("?"):
        return _NONE
    return _title(_NAMES.get("odds" if key.startswith("odds") else key, key))


def _title(name: str) -> str:
    return _TITLES.get(name, name.replace("_", " ").replace("-", " ").capitalize())


def _summary(found: ImportedBets, rows: int) -> str:
    """Return how many bets are read, what decided, and what is unreadable."""
    bets = len(found.bets)
    read = ngettext("{count} bet", "{count} bets", bets).format(count=bets)
    of = ngettext("{count} row", "{count} rows", rows).format(count=rows)
    parts = [_("{bets} of {rows}").format(bets=read, rows=of)]
    told = [found.read_as, *found.remarks, *([] if found.has_date else [NO_DATE])]
    parts += map(translated, told)
    text = sentence("; ".join(parts))
    if found.problems:
        more = len(found.problems) - _MOST_PROBLEMS
        listed = "; ".join(map(translated, found.problems[:_MOST_PROBLEMS]))
        listed += _("; and {count} more").format(count=more) if more > 0 else ""
        text += " " + _("Unreadable: {problems}.").format(problems=listed)
    if found.differing:
        text += " " + _("{count} profits differ: {bet}.").format(
            count=len(found.differing), bet=translated(found.differing[0])
        )
    return text


def _worth(sample: str, style: str) -> float | None:
    try:
        return parse_odds(sample, style) if sample else None
    except OddsFormatError:
        return None
