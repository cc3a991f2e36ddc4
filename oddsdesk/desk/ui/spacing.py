"""Space between and around widgets; vertical and horizontal layouts."""

from typing import TypeVar

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

HALF = 4
STEP = 8
GAP = 12
MARGIN = 16

ROW = 22
SECTION_ROW = 24
HEADER = 36
CONTROL = 26
"""Height of a line edit, a chip, a button."""
BAR = 44
"""Height of a panel's header line."""
STRIP = 26
"""Height of the status bar and of a message bar."""
RADIUS = 5
CELL_MARGIN = 8
"""From a cell's edge to its text, left and right."""
LEAD = 14
"""From a panel's left edge to its texts: titles and first columns stand in one line."""

L = TypeVar("L", bound=QBoxLayout)
Margins = tuple[int, int, int, int]


def vertical(
    parent: QWidget | None = None,
    *parts: QWidget | QLayout,
    margins: Margins = (0, 0, 0, 0),
    spacing: int | None = None,
) -> QVBoxLayout:
    """Return a layout of parts from top to bottom; without ``spacing`` the style's."""
    return _filled(QVBoxLayout(), parent, parts, margins, spacing)


def horizontal(
    parent: QWidget | None = None,
    *parts: QWidget | QLayout,
    margins: Margins = (0, 0, 0, 0),
    spacing: int | None = None,
) -> QHBoxLayout:
    """Return a layout of parts from left to right; without ``spacing`` the style's."""
    return _filled(QHBoxLayout(), parent, parts, margins, spacing)


def _filled(
    layout: L,
    parent: QWidget | None,
    parts: tuple[QWidget | QLayout, ...],
    margins: Margins,
    spacing: int | None,
) -> L:
    if parent is not None:
        parent.setLayout(layout)
    layout.setContentsMargins(*margins)
    if spacing is not None:
        layout.setSpacing(spacing)
    for part in parts:
        if isinstance(part, QLayout):
            layout.addLayout(part)
        else:
            layout.addWidget(part)
    return layout
