"""What tests of the grid's model share: the grid of a quoted game, read by column."""

import pytest

from oddsdesk.desk.grid.columns import BY_KEY
from oddsdesk.desk.grid.filter import GridFilter, words_of
from oddsdesk.desk.grid.model import GridModel

PRICES = 18
SELECTIONS = 6
SELECTION = BY_KEY["selection"]
BOOKMAKER = BY_KEY["bookmaker"]
ODDS = BY_KEY["odds"]


@pytest.fixture
def model(quoted, qtbot):
    quoted.board.want_rows(True)
    made = GridModel(quoted.board, quoted.clock)
    quoted.board.want_rows(True)
    qtbot.waitUntil(lambda: made.total == PRICES)
    made.arrange()
    yield made
    made.close()


def shown(model, *columns):
    """The texts of some columns, row by row; of one column without tuples."""
    rows = [
        tuple(model.cell(row, column).text for column in columns) for row in range(model.rowCount())
    ]
    return [row[0] for row in rows] if len(columns) == 1 else rows


def take_in(model, qtbot):
    """Let the model take what the board told it of."""
    qtbot.waitUntil(lambda: not model._waiting)


def words(text):
    return GridFilter(words=words_of(text))


def sorted_by(model, key, *, descending):
    model.sort_as(BY_KEY[key], descending)
