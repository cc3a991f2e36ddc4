"""The grid's model read by column."""

from oddsdesk.desk.grid.book import mark
from oddsdesk.desk.grid.columns import BY_KEY
from oddsdesk.desk.grid.filter import GridFilter, words_of

PRICES = 18
SELECTIONS = 6
SELECTION = BY_KEY["selection"]
BOOKMAKER = BY_KEY["bookmaker"]
ODDS = BY_KEY["odds"]


def shown(model, *columns):
    """The texts of some columns, row by row; of one column without tuples."""
    rows = [
        tuple(model.cell(row, column).text for column in columns) for row in range(model.rowCount())
    ]
    return [row[0] for row in rows] if len(columns) == 1 else rows


def take_in(model, qtbot):
    """Let the model take what the board told it of."""
    qtbot.waitUntil(lambda: not model.is_behind)


def marks_of(keys):
    """What is to be taken, of some keys."""
    marks = {}
    mark(marks, keys)
    return marks


def take_again(model):
    """Take every price that is held."""
    model.book.take_prices({one.key: list(one.prices) for one in model.book.selections()})


def words(text):
    return GridFilter(words=words_of(text))


def sorted_by(model, key, *, descending):
    model.sort_as(BY_KEY[key], descending)
