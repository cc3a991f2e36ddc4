"""What a repaint covers: visible rows and columns, and what it found there."""

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


class Painted(msgspec.Struct):
    """What a repaint found: cells that flash still, and when age will change a look."""

    flashing: list[QRect] = msgspec.field(default_factory=list)
    due: int = NEVER
