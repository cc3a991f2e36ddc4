"""Sizes of the 8-pixel grid, in device-independent pixels."""

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
