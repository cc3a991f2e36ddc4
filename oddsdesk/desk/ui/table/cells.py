"""What a live table shows: cells, columns and headers as plain values."""

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

import msgspec
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPolygonF

from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole

Run = Sequence[tuple[float, float]]
"""Corners of a line, both coordinates 0..1: left to right, low to high."""


class Sparkline:
    """Unbroken runs of a path; keeps its shape for the size it was last drawn in."""

    __slots__ = ("_size", "_where", "segments", "shapes")

    def __init__(self, segments: Sequence[Run]) -> None:
        self.segments = segments
        self.shapes: list[QPolygonF] = []
        self._size = self._where = (-1, -1)

    def laid_in(self, left: int, top: int, width: int, height: int) -> list[QPolygonF]:
        """Return the lines in a rectangle."""
        if (width, height) != self._size:
            self._size, self._where = (width, height), (left, top)
            self.shapes = [
                QPolygonF(
                    [
                        QPointF(round(left + x * (width - 1)), round(top + (1 - y) * (height - 1)))
                        for x, y in run
                    ]
                )
                for run in self.segments
            ]
        elif (left, top) != self._where:
            by = QPointF(left - self._where[0], top - self._where[1])
            self._where = (left, top)
            for shape in self.shapes:
                shape.translate(by)
        return self.shapes


PRICE_ROLES: Final = (TextRole.STRONG, TextRole.SOFT, TextRole.NOTE, TextRole.NOTE)
"""How a price is written as it ages: fresh, ageing, stale, dead. The same in every table."""
NEVER = 1 << 62
"""Later than any time, in milliseconds."""
FLASH_MS = 500
FADE_MS = 1_000
FADE_STEPS = 12
REPAINT_MS = 2_000
"""After so many milliseconds a price's cell is made again, since its age may change it."""
ARROW_MS = 60_000
PALE_ARROW_MS = 10 * 60_000
"""How long the arrow of a move stays, full and then pale."""


SORT_MARKS: Final = " ▾▴²"
"""What stands behind a title that is sorted by."""


class Align(Enum):
    """Where a column's texts and its header stand."""

    LEFT = "left"
    RIGHT = "right"


class Cell(NamedTuple):
    """How one cell looks now; models make it anew when it changes. Times in milliseconds.

    ``note`` is a secondary text in small type: right of the text, in the width that the
    column keeps for it where it is aligned right.
    """

    text: str = ""
    ink: TextRole = TextRole.STRONG
    ground: SurfaceRole = SurfaceRole.PANEL
    note: str = ""
    is_strong: bool = False
    """Whether the text is set in semi-bold."""
    is_struck: bool = False
    arrow: int = 0
    """1 up, -1 down, 0 none."""
    arrow_is_pale: bool = False
    flash: int = 0
    """The move that flashes since ``flashes_from``: 1 up, -1 down, 0 none."""
    flashes_from: int = -NEVER
    """When the flash began: full for ``FLASH_MS``, then fading for ``FADE_MS``."""
    repaint_at_ms: int = NEVER
    """When the cell has to be asked for again, because age alone changes it."""
    sparkline: Sparkline | None = None
    """Drawn over the width of the cell, in the ink."""

    def looks_like(self, other: "Cell") -> bool:
        """Whether both are painted alike, whenever they have to be asked for again."""
        return self is other or (self[:10] == other[:10] and self.sparkline is other.sparkline)


EMPTY = Cell()


def aged(cell: Cell, freshness: int, now_ms: int) -> Cell:
    """Return a price's cell, or that of a figure made of it, as it looks at an age.

    ``freshness`` is a place in ``PRICE_ROLES``. What recedes for another reason stays as it is.
    """
    if freshness and cell.ink in (TextRole.STRONG, TextRole.VALUE):
        cell = cell._replace(ink=PRICE_ROLES[freshness], is_strong=False)
    return cell._replace(repaint_at_ms=min(cell.repaint_at_ms, now_ms + REPAINT_MS))


class Column(msgspec.Struct, frozen=True):
    """What never changes of a column: alignment, and samples that its width is taken from.

    The header's title widens a column up to ``most`` pixels; what is longer gives way to the
    header's code, or is elided, and stands whole in the tooltip.
    """

    sample: str
    align: Align = Align.RIGHT
    note_sample: str = ""
    has_arrow: bool = False
    hangs: bool = False
    """Whether a third decimal stands right of where texts end otherwise, in room kept for it."""
    most: int = 110
    stretches: bool = False
    """Whether it shares the width that is left; without such a column a table scrolls."""
    likes: str = ""
    """A longer sample: the width that it gets before any column is stretched."""
    widest: str = ""
    """A sample of the most that it is stretched to; empty: no limit."""
    drops: int = 0
    """The order in which columns are hidden in a table that is too narrow, 1 first; 0 never."""
    before_others: str = ""
    """A sample between ``narrow`` and its own: where not all have room, it gets that first."""
    narrow: str | None = None
    """What it is narrowed to where nothing is left to hide: a shorter sample, or with an empty one
    its own without the note; None: never."""


class ShrinkStep(msgspec.Struct, frozen=True):
    """One step of narrowing where the frozen columns take too much of a table."""

    column: int
    sample: str = ""
    """The column is narrowed to this text, without its note; empty: it is hidden."""


class Header(msgspec.Struct, frozen=True):
    """The two lines above a column."""

    title: str
    note: str = ""
    tip: str = ""
    is_marked: bool = False
    """Whether the title is set in the strong ink: sorted by, favourite."""
    code: str = ""
    """Stands in place of a title that has no room."""
    name: str = ""
    """What assistive programs read out, where that is not the title."""
