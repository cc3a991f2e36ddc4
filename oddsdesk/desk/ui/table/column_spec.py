"""The description of a column, the same for all tables."""

from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any, Generic, TypeVar

import msgspec

from oddsdesk.contract.times import format_ms
from oddsdesk.desk.ui.table.cells import Cell, Column, Header

R = TypeVar("R")
L = TypeVar("L")
Value = str | float | int | bool | None


class Kind(Enum):
    """What the values of a column are."""

    TEXT = "text"
    NUMBER = "number"
    TIME = "time"
    """Milliseconds; exported as ISO-8601 texts in UTC, as on the wire (D2)."""
    FLAG = "flag"


class ColumnSpec(msgspec.Struct, Generic[R, L], frozen=True):
    """One column of rows ``R``; ``L`` is what cells depend on beside the row, such as the time."""

    key: str
    """Its name in exports and saved layouts."""
    title: str
    """The header's title, unless ``header_now`` gives another."""
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
    header_now: Callable[[L], Header] | None = None
    """Returns the header where that changes: an age, a favourite."""
    width_now: Callable[[L], Column] | None = None
    """Returns the width where it depends on what is shown."""
    cell_tip: Callable[[R, L], str] = lambda _row, _context: ""
    """The tooltip of a cell, where those of a row differ by column."""
    in_short: Callable[[R], str] | None = None
    """What the column before it tells of it where it has no room."""
    is_usual: bool = True
    """Whether it is shown until the user chooses."""
    sample: Callable[[], str] | None = None
    """Returns the sample for the width where that depends on the odds format."""

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
        if descending is None:
            return Header(title, self.note, self.tip)
        mark = "▾" if descending else "▴"
        return Header(f"{title} {mark}", self.note, self.tip, is_marked=True)

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
