"""Facts in lines: what it is at the left, its figures at the right, kept aligned."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QSizePolicy, QWidget

from oddsdesk.desk.theme.spacing import HALF, STEP
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.theme.tokens import Ink

_MARK, _TITLE, _NOTE, _FIGURE = range(4)
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
    """Shows facts; lines that stay are written over in place, so nothing flickers."""

    def __init__(self, theme: Theme, purpose: str) -> None:
        super().__init__()
        self.setAccessibleName(purpose)
        self._theme = theme
        self._facts: tuple[Fact, ...] = ()
        self._lines: list[tuple[QLabel, QLabel, QLabel, QLabel]] = []
        rule = QFrame()
        rule.setProperty("look", "rule")
        rule.setFixedHeight(1)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(STEP)
        self._grid.setVerticalSpacing(HALF)
        self._grid.setColumnStretch(_TITLE, 1)
        self._grid.addWidget(rule, 0, 0, 1, 4)
        self._grid.setRowMinimumHeight(0, STEP + 1)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What is shown."""
        return self._facts

    def show_facts(self, facts: Sequence[Fact]) -> None:
        """Show these lines; the list is hidden where there are none."""
        self._facts = tuple(facts)
        while len(self._lines) < len(facts):
            self._add_line()
        for place, line in enumerate(self._lines):
            for label in line:
                label.setVisible(place < len(facts))
        for line, fact in zip(self._lines, facts, strict=False):
            self._write(line, fact)
        self.setVisible(bool(facts))

    def _add_line(self) -> None:
        row = len(self._lines) + 1
        labels = (QLabel(), QLabel(), QLabel(), QLabel())
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for column, label in enumerate(labels):
            label.setTextFormat(Qt.TextFormat.PlainText)
            if column >= _NOTE:
                label.setAlignment(right)
            self._grid.addWidget(label, row, column)
        title = labels[_TITLE]
        title.setProperty("look", "soft")
        title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        labels[_NOTE].setProperty("look", "note")
        labels[_NOTE].setFont(self._theme.fonts.small)
        labels[_MARK].setFont(self._theme.fonts.strong)
        self._lines.append(labels)

    def _write(self, line: tuple[QLabel, QLabel, QLabel, QLabel], fact: Fact) -> None:
        mark, title, note, figure = line
        _say(mark, fact.mark)
        mark.setVisible(bool(fact.mark))
        give_ink(mark, fact.mark_ink)
        _say(title, fact.title)
        _say(note, fact.note)
        _say(figure, fact.figure)
        figure.setFont(self._theme.fonts.strong if fact.is_strong else self._theme.fonts.body)
        give_ink(figure, Ink.STRONG if fact.is_strong else Ink.SOFT)
        tip = fact.tip or f"{fact.title}: {fact.figure} {fact.note}".strip()
        title.setToolTip(tip)
        title.setAccessibleName(f"{fact.mark} {fact.title} {fact.figure} {fact.note}".strip())


def _say(label: QLabel, text: str) -> None:
    if label.text() != text:
        label.setText(text)


def give_ink(label: QLabel, ink: Ink) -> None:
    """Write a label in an ink, by its look in the style sheet."""
    look = _INK_LOOKS[ink]
    if label.property("look") != look:
        label.setProperty("look", look)
        label.style().unpolish(label)
        label.style().polish(label)
