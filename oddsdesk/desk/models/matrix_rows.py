"""The rows of the matrix: a section row, then its selections; and how to get from old to new."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher

import msgspec

from oddsdesk.board.matrix import MatrixLine, Section, SectionKey
from oddsdesk.desk.widgets.cells import Cell

RowName = tuple[SectionKey, str | None]
"""What a row keeps its place by; None is the section row itself."""


class Row(msgspec.Struct):
    """One row and what it looks like, as far as that was asked for."""

    section: Section
    line: MatrixLine | None
    """None for the section row."""
    cells: list[Cell | None] = msgspec.field(default_factory=list)
    _judged_by: tuple[object, ...] = ()

    @property
    def name(self) -> RowName:
        """What the row is known by while rows come and go."""
        return self.section.key, None if self.line is None else self.line.selection

    def forget(self, width: int) -> None:
        """Have every cell made anew when it is asked for."""
        self.cells = [None] * width

    def refigure(self, width: int) -> bool:
        """Have cells made anew if what they are judged by differs; prices are told one by one.

        Returns whether it does; it never does for a section row.
        """
        line = self.line
        if line is None:
            return False
        judged_by = (
            line.best_bookmakers,
            line.fair,
            line.value_from,
            line.suspicious_above,
            frozenset(self.section.other_bets),
            self.section.reference is not None and self.section.reference.is_live,
        )
        if judged_by == self._judged_by:
            return False
        self._judged_by = judged_by
        self.forget(width)
        return True


class Step(msgspec.Struct, frozen=True):
    """Old rows ``first``..``last`` (the last left out) give way to new ones."""

    first: int
    last: int
    rows: Sequence[Row]


def rows_of(sections: Iterable[Section], is_folded: Callable[[SectionKey], bool]) -> list[Row]:
    """Return the rows of sections, those of folded ones left out."""
    rows = []
    for section in sections:
        rows.append(Row(section, None))
        if not is_folded(section.key):
            rows.extend(Row(section, line) for line in section.lines)
    return rows


def steps_between(old: Sequence[Row], new: Sequence[Row]) -> Iterator[Step]:
    """Yield what turns the old rows into the new, from the end so that places stay right."""
    before, after = [row.name for row in old], [row.name for row in new]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, first, last, new_first, new_last in reversed(matcher.get_opcodes()):
        if tag != "equal":
            yield Step(first, last, new[new_first:new_last])
