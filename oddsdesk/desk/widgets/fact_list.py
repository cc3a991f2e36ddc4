"""Facts in lines: what it is at the left, its figures at the right, kept aligned."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from oddsdesk.desk.theme.spacing import HALF, STEP
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.theme.tokens import Ink
from oddsdesk.desk.widgets.elided_label import ElidedLabel
from oddsdesk.desk.widgets.plain import Label

_MARK, _TITLE, _NOTE, _FIGURE = range(4)
_MARK_GAP = 6
_INK_LOOKS = {
    Ink.STRONG: "",
    Ink.SOFT: "soft",
    Ink.NOTE: "note",
    Ink.VALUE: "value",
    Ink.UP: "up",
    Ink.DOWN: "down",
}


class Fact(NamedTuple):
    """One line."""

    title: str
    figure: str
    note: str = ""
    """Secondary, left of the figure."""
    mark: str = ""
    """A sign before the title, such as a tick."""
    mark_ink: Ink = Ink.UP
    is_strong: bool = True
    tip: str = ""


class FactList(QWidget):
    """Shows facts under a line; labels that stay are written over, so nothing flickers."""

    def __init__(self, theme: Theme, purpose: str) -> None:
        super().__init__()
        self.setAccessibleName(purpose)
        self._theme = theme
        self._facts: tuple[Fact, ...] = ()
        self._lines: list[_Line] = []
        rule = QFrame()
        rule.setProperty("look", "rule")
        rule.setFixedHeight(1)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(0)
        self._grid.setVerticalSpacing(HALF)
        self._grid.setColumnStretch(_TITLE, 1)
        self._grid.addWidget(rule, 0, 0, 1, _FIGURE + 1)
        self._grid.setRowMinimumHeight(0, STEP + 1)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What is shown."""
        return self._facts

    def show_facts(self, facts: Sequence[Fact]) -> None:
        """Show these lines; the list is hidden where there are none."""
        self._facts = tuple(facts)
        while len(self._lines) < len(facts):
            self._lines.append(_Line(self._theme, self._grid, len(self._lines) + 1))
        for place, line in enumerate(self._lines):
            line.show_fact(facts[place] if place < len(facts) else None)
        self.setVisible(bool(facts))


class _Line:
    """The labels of one fact."""

    def __init__(self, theme: Theme, grid: QGridLayout, row: int) -> None:
        self._theme = theme
        self._grid, self._row, self._span = grid, row, 1
        self.mark, self.title, self.note, self.figure = Label(), ElidedLabel(), Label(), Label()
        self.mark.setFont(theme.fonts.strong)
        self.mark.setContentsMargins(0, 0, _MARK_GAP, 0)
        self.note.setFont(theme.fonts.small)
        self.title.setProperty("look", "soft")
        self.note.setProperty("look", "note")
        for label in (self.note, self.figure):
            label.setContentsMargins(STEP, 0, 0, 0)
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for column, label in enumerate((self.mark, self.title, self.note, self.figure)):
            grid.addWidget(label, row, column)

    def show_fact(self, fact: Fact | None) -> None:
        """Write the labels over; None hides them."""
        if fact is None:
            for label in (self.mark, self.title, self.note, self.figure):
                label.hide()
            return
        for label, text in (
            (self.mark, fact.mark), (self.note, fact.note), (self.figure, fact.figure)
        ):  # fmt: skip
            if label.text() != text:
                label.setText(text)
            label.setVisible(bool(text))
        self._stretch_title(_span_of(fact))
        self.title.show_text(fact.title)
        self.title.show()
        give_ink(self.mark, fact.mark_ink)
        give_ink(self.figure, Ink.STRONG if fact.is_strong else Ink.SOFT)
        fonts = self._theme.fonts
        self.figure.setFont(fonts.strong if fact.is_strong else fonts.body)
        said = f"{fact.mark} {fact.title} {fact.note} {fact.figure}".strip()
        self.title.setAccessibleName(" ".join(said.split()))
        self.figure.setToolTip(fact.tip)
        if fact.tip:
            self.title.setToolTip(fact.tip)

    def _stretch_title(self, span: int) -> None:
        """Give the title the room of what stands in other lines only."""
        if span != self._span:
            self._span = span
            self._grid.removeWidget(self.title)
            self._grid.addWidget(self.title, self._row, _TITLE, 1, span)


def _span_of(fact: Fact) -> int:
    """Return how many columns of the grid the title may take."""
    if fact.note:
        return 1
    return _NOTE if fact.figure else _FIGURE


def give_ink(label: Label, ink: Ink) -> None:
    """Write a label in an ink, by its look in the style sheet."""
    look = _INK_LOOKS[ink]
    if label.property("look") != look:
        label.setProperty("look", look)
        label.style().unpolish(label)
        label.style().polish(label)
