"""What tests of the grid's model share: the grid of a quoted game, read by column."""

import pytest

from oddsdesk.desk.grid.model import GridModel
from tests.kit.grid import PRICES


@pytest.fixture
def model(quoted, qtbot):
    quoted.board.want_rows(True)
    made = GridModel(quoted.board, quoted.clock)
    quoted.board.want_rows(True)
    qtbot.waitUntil(lambda: made.total == PRICES)
    made.arrange()
    yield made
    made.close()
