"""Columns that hold odds: as wide as the style of the desk needs."""

from functools import cache

import msgspec

from oddsdesk.desk.widgets.cells import Column


@cache
def sized(column: Column, sample: str) -> Column:
    """Return a column with another sample."""
    return msgspec.structs.replace(column, sample=sample)
