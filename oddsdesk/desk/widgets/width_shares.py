"""How the columns of a table share its width: what each needs, likes and may take at most."""

from collections.abc import Sequence
from typing import NamedTuple


class WidthWish(NamedTuple):
    """What one column asks for, in pixels."""

    column: int
    least: int
    likes: int
    """What it takes before any column is stretched."""
    most: int | None
    """How far it is stretched; None: without end."""
    drops: int = 0
    """In which order columns give way where not all have room, 1 first; 0 stays."""


def share_width(wishes: Sequence[WidthWish], room: int) -> dict[int, int]:
    """Return the width of each column that has room, by column.

    The least important ones are dropped until the others have what they need. What is left
    goes to those who like more, then to those that stretch, and in the end to all alike.
    """
    kept = list(wishes)
    for wish in sorted((wish for wish in wishes if wish.drops), key=lambda wish: wish.drops):
        if sum(other.least for other in kept) <= room:
            break
        kept.remove(wish)
    widths = {wish.column: wish.least for wish in kept}
    spare = _grow(widths, {wish.column: wish.likes for wish in kept}, room - sum(widths.values()))
    capped = {wish.column: wish.most for wish in kept if wish.most is not None}
    spare = _grow(widths, capped, spare)
    endless = [wish.column for wish in kept if wish.most is None] or list(widths)
    for place, column in enumerate(endless):
        widths[column] += (spare + len(endless) - 1 - place) // len(endless) if spare > 0 else 0
    return widths


def _grow(widths: dict[int, int], limits: dict[int, int], spare: int) -> int:
    """Widen columns up to their limits, in proportion to what they want; return what is left."""
    wanted = {column: max(0, limit - widths[column]) for column, limit in limits.items()}
    total = sum(wanted.values())
    given = min(max(0, spare), total)
    left = given
    for column, more in wanted.items():
        share = given * more // total if total else 0
        widths[column] += share
        left -= share
    for column, more in wanted.items():
        dust = min(left, limits[column] - widths[column]) if more else 0
        widths[column] += dust
        left -= dust
    return spare - given
