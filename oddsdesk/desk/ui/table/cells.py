"""What a live table shows: cells, columns and headers as plain values."""

from collections.abc import Callable, Sequence
from enum import Enum, IntEnum
from functools import cache
from typing import Any, Final, Generic, NamedTuple, TypeVar

import msgspec
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPolygonF

from oddsdesk.base.texts import translated
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.desk.ui.formatting import age_text
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
"""After this many milliseconds a price's cell is made again, as its age may change it."""
_REPAINTS_MS: Final = (REPAINT_MS, REPAINT_MS, 10_000, NEVER)
"""The same by freshness: what is stale recedes once more, minutes later, what is dead never."""
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
    """How one cell looks now; models rebuild it when it changes. Times in milliseconds.

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


def repaint_at(freshness: int, now_ms: int) -> int:
    """Return when the cell of a price is made again, by its place in ``PRICE_ROLES``."""
    return now_ms + _REPAINTS_MS[freshness]


def aged(cell: Cell, freshness: int, now_ms: int, *, is_figure: bool = False) -> Cell:
    """Return the cell of a price, or of a figure made from it, in the ink for its age.

    ``freshness`` is an index into ``PRICE_ROLES``. Cells that are dim for another reason do not
    change. A figure gets dim once the price is stale; until then it is value, and staked.
    """
    if freshness > is_figure and cell.ink in (TextRole.STRONG, TextRole.VALUE):
        cell = cell._replace(ink=PRICE_ROLES[freshness], is_strong=False)
    return cell._replace(repaint_at_ms=min(cell.repaint_at_ms, repaint_at(freshness, now_ms)))


def age_cell(seen_at: int, now_ms: int) -> Cell:
    """Return how long ago a price was seen; rebuilt when that text changes."""
    age = max(0, now_ms - seen_at)
    until = 1_000 - age % 1_000 if age < MINUTE_MS else REPAINT_MS  # it may be seen again
    return Cell(age_text(age), TextRole.NOTE, repaint_at_ms=now_ms + until)


class Column(msgspec.Struct, frozen=True):
    """What never changes of a column: alignment, and samples that its width is taken from.

    The header's title widens a column up to ``most`` pixels; what is longer gives way to the
    header's code, or is elided, and stands whole in the tooltip. 0: the title without its note.
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
    """Replaces a title that has no room."""
    name: str = ""
    """What assistive programs read out, where that is not the title."""


R = TypeVar("R")
L = TypeVar("L")
Value = str | float | int | bool | None


class Priority(IntEnum):
    """How long a column stays in a table that is too narrow; of equals the rightmost goes first."""

    EXTRA = 1
    USEFUL = 2
    IMPORTANT = 3
    ESSENTIAL = 4
    """Never hidden."""


class Kind(Enum):
    """What the values of a column are."""

    TEXT = "text"
    NUMBER = "number"
    TIME = "time"
    """Milliseconds; exported as ISO-8601 texts in UTC, as on the wire."""
    FLAG = "flag"


class Exported(msgspec.Struct, Generic[R], frozen=True):
    """One figure that a column exports."""

    key: str
    """Its name for programs, unit included."""
    title: str
    """Its name for people."""
    value: Callable[[R], Value]
    """Returns what is exported of a row, times in milliseconds."""
    kind: Kind = Kind.TEXT
    decimals: int | None = None
    """How a workbook shows its figures; None: with two to four decimals."""


class ColumnSpec(msgspec.Struct, Generic[R, L], frozen=True):
    """One column of rows ``R``; ``L`` is what else cells depend on, such as the time."""

    key: str
    """Its name in exports and saved layouts."""
    title: str
    """The header's title in English, as exported files have it; marked with ``N_``. ``header_now``
    may give another."""
    width: Column
    """Its alignment, and the samples that its width is taken from."""
    cell: Callable[[R, L], Cell]
    value: Callable[[R], Any] = lambda _row: None
    """What it exports and, without ``order``, what it is sorted by."""
    kind: Kind = Kind.TEXT
    decimals: int | None = None
    """Decimals of an exported figure that is computed; None exports it as received."""
    order: Callable[[R], Any] | None = None
    order_up: Callable[[R], Any] | None = None
    """The same for ascending order, where that is not the reverse."""
    descending_first: bool = False
    """Whether the first click on the header puts the highest on top."""
    tip: str = ""
    """The header's tooltip."""
    note: str = ""
    """The header's second line."""
    short_title: str = ""
    """Replaces a title that has no room."""
    header_now: Callable[[L], Header] | None = None
    """Returns the header where that changes: an age, a favourite."""
    width_now: Callable[[L], Column] | None = None
    """Returns the width where it depends on what is shown."""
    cell_tip: Callable[[R, L], str] = lambda _row, _context: ""
    """The tooltip of a cell, where those of a row differ by column."""
    in_short: Callable[[R], str] | None = None
    """What the column to the left shows of it if it has no room itself."""
    is_usual: bool = True
    """Whether it is shown until the user chooses."""
    priority: Priority = Priority.ESSENTIAL
    exports: tuple[Exported[R], ...] | None = None
    """What it exports where that is not its ``value`` alone."""
    sample: Callable[[], str] | None = None
    """Returns the sample for the width where that depends on the odds format."""

    @property
    def exported(self) -> tuple[Exported[R], ...]:
        """The figures that it exports."""
        if self.exports is not None:
            return self.exports
        return (Exported(self.key, self.title, self.export_value, self.kind, self.decimals),)

    @property
    def sized(self) -> Column:
        """The column, as wide as it has to be now."""
        return self.width if self.sample is None else _sized(self.width, self.sample())

    def sort_key(self, *, descending: bool) -> Callable[[R], Any]:
        """Return what rows are sorted by; None stands last."""
        if not descending and self.order_up is not None:
            return self.order_up
        return self.order or self.value

    def header(self, title: str, descending: bool | None) -> Header:
        """Return what stands above it by that title; ``descending`` None: not sorted by it."""
        title, short_title = translated(title), translated(self.short_title)
        if descending is None:
            return Header(title, self.note, self.tip, code=short_title)
        mark = "▾" if descending else "▴"
        code = f"{short_title} {mark}" if short_title else ""
        return Header(f"{title} {mark}", self.note, self.tip, is_marked=True, code=code)

    def export_value(self, row: R) -> Value:
        """Return what it exports of a row: times as on the wire, figures rounded."""
        value = self.value(row)
        if value is None:
            return None
        if self.kind is Kind.TIME:
            return format_ms(value)
        exported: Value = value if self.decimals is None else round(value, self.decimals)
        return exported


@cache
def _sized(column: Column, sample: str) -> Column:
    return msgspec.structs.replace(column, sample=sample)
