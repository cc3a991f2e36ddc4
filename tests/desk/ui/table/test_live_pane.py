"""Which cells an area of a pane reaches, and which of them it holds whole."""

from random import Random

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QRegion

from oddsdesk.desk.ui.table.live_pane import Edges, Place, reached

ROOM = 200


def some_edges(chance: Random) -> Edges:
    sized = [(number, chance.choice((0, 7, 20, 31))) for number in range(5, 15)]
    return Edges(-chance.randrange(5), sized, ROOM)


def spans(edges: Edges) -> dict[int, tuple[int, int]]:
    """From where to where each is in sight."""
    return {
        number: (max(0, start), min(ROOM, start + size))
        for number, (start, size) in edges.by_number().items()
    }


@pytest.mark.parametrize("seed", range(40))
def test_an_area_reaches_each_cell_that_it_meets_once(seed: int) -> None:
    chance = Random(seed)
    rows, columns = some_edges(chance), some_edges(chance)
    region = QRegion()
    for _ in range(chance.choice((1, 3, 9))):
        left, top = chance.randrange(ROOM - 1), chance.randrange(ROOM - 1)
        size = [chance.randrange(1, ROOM - start) for start in (left, top)]
        region += QRect(left, top, *size)
    cells = {
        (row, column): QRect(left, top, right - left, bottom - top)
        for row, (top, bottom) in spans(rows).items()
        for column, (left, right) in spans(columns).items()
    }
    cut = set[Place]()
    found = [
        (rows.numbers[row], columns.numbers[column])
        for row, runs in reached(region, rows, columns, cut)
        for first, last in runs
        for column in range(first, last)
    ]
    assert found == [place for place, rect in cells.items() if region.intersects(rect)]
    assert {p for p in found if not (QRegion(cells[p]) - region).isEmpty()} <= cut
