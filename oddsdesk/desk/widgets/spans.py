"""What a repaint covers: visible rows and columns, and what it found there."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from PySide6.QtCore import QRect

from oddsdesk.desk.theme.tokens import Ground
from oddsdesk.desk.widgets.cells import NEVER


class Lane(NamedTuple):
    """A visible column: where it is and how it is set."""

    column: int
    left: int
    width: int
    is_left: bool
    note_width: int
    """What the column keeps for notes right of its texts."""


class Band(NamedTuple):
    """A visible row: where it is and in what state."""

    row: int
    top: int
    height: int
    ground: Ground
    is_section: bool = False
    is_folded: bool = False
    is_hovered: bool = False


class Tile(NamedTuple):
    """A part of a table to be painted: the cells where bands and lanes cross."""

    bands: Sequence[Band]
    lanes: Sequence[Lane]


class Painted(msgspec.Struct):
    """What a repaint found: cells that flash still, and when age will change a look."""

    flashing: list[QRect] = msgspec.field(default_factory=list)
    due: int = NEVER

    def flash(self, left: int, top: int, width: int, height: int) -> None:
        """Note a cell that flashes; cells side by side are one block."""
        last = self.flashing[-1] if self.flashing else None
        if last is not None and (last.top(), last.right() + 1) == (top, left):
            last.setWidth(last.width() + width)
        else:
            self.flashing.append(QRect(left, top, width, height))
