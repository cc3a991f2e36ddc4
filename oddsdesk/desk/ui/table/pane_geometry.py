"""Where the rows and columns of a pane lie, and which cells an area of it reaches."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from PySide6.QtGui import QRegion

Place = tuple[int, int]
"""Row and column."""


class Edges:
    """Rows or columns in sight, one beside the other, hidden ones left out."""

    def __init__(self, start: int, sized: Iterable[tuple[int, int]], room: int) -> None:
        """``sized`` has numbers and sizes; what is before 0 or from ``room`` on is out of sight."""
        shown = [each for each in sized if each[1]]
        self.numbers = [number for number, _ in shown]
        self.sizes = [size for _, size in shown]
        self.edges = list(accumulate(self.sizes, initial=start))
        """Where each begins and the one before it ends."""
        self._room = room

    def by_number(self) -> dict[int, tuple[int, int]]:
        """Return where each begins, and its size."""
        return dict(zip(self.numbers, zip(self.edges, self.sizes, strict=False), strict=False))

    def between(self, first: int, last: int) -> tuple[int, int, Sequence[int]]:
        """Return where what lies at pixels ``first`` to ``last`` begins and ends, and what is cut.

        By places in sight; the end is left out.
        """
        edges = self.edges
        begin, end = bisect_right(edges, first) - 1, bisect_left(edges, last + 1)
        if end == len(edges):  # beyond the last one
            end -= 1
        if begin >= end:
            return 0, 0, ()
        is_begun, is_left = max(0, edges[begin]) < first, min(self._room, edges[end]) > last + 1
        if not is_begun and not is_left:
            return begin, end, ()
        return begin, end, [begin] * is_begun + [end - 1] * is_left


Runs = list[tuple[int, int]]
"""Of places side by side: the first, and the one after the last."""


def reached(
    region: QRegion, rows: Edges, columns: Edges, cut: set[Place]
) -> Iterator[tuple[int, Runs]]:
    """Yield the places of the rows that a region reaches, each with its columns, every cell once.

    The cells that it does not hold whole are ``cut``.
    """
    found: dict[int, Runs] = {}
    for rect in region:  # type: ignore[attr-defined]  # it iterates; the stubs forget it
        left, top, right, bottom = rect.getCoords()
        begin, end, cut_columns = columns.between(left, right)
        above, below, cut_rows = rows.between(top, bottom)
        if begin == end:
            continue
        for row in range(above, below):
            found.setdefault(row, []).append((begin, end))
            for each in range(begin, end) if row in cut_rows else cut_columns:
                cut.add((rows.numbers[row], columns.numbers[each]))
    for row in sorted(found):
        yield row, _joined(sorted(found[row]))


def _joined(runs: Runs) -> Runs:
    """Return runs in order without what several of them hold, joined where they meet."""
    joined = runs[:1]
    for first, last in runs[1:]:
        if first <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return joined
