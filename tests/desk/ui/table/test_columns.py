"""What holds for the columns of every table."""

import re
from collections import Counter
from typing import Any

import pytest

from oddsdesk.desk.grid.columns import COLUMNS as GRID
from oddsdesk.desk.matrix import layout
from oddsdesk.desk.matrix.columns import FIXED
from oddsdesk.desk.value_bets.lists import COLUMNS as NEAR_MISSES
from oddsdesk.desk.value_bets.model import COLUMNS as VALUE_BETS

TABLES = {"grid": GRID, "value bets": VALUE_BETS, "near misses": NEAR_MISSES}
every_table = pytest.mark.parametrize("columns", [*TABLES.values(), FIXED], ids=[*TABLES, "matrix"])


@every_table
def test_titles_are_words_that_people_read(columns: tuple[Any, ...]) -> None:
    assert not [column.title for column in columns if re.search("[a-z][A-Z]|_", column.title)]


@every_table
@pytest.mark.parametrize("name", ["key", "title"])
def test_no_two_columns_have_the_same_name(columns: tuple[Any, ...], name: str) -> None:
    assert max(Counter(getattr(column, name) for column in columns).values()) == 1


@pytest.mark.parametrize("columns", TABLES.values(), ids=TABLES)
def test_each_table_says_how_long_ago_a_price_was_seen(columns: tuple[Any, ...]) -> None:
    assert "Seen" in [column.title for column in columns]


def test_the_columns_of_the_matrix_stand_where_its_layout_says() -> None:
    places = ("SELECTION", "REFERENCE", "FAIR", "WINDOW", "BEST", "PAST")
    assert [FIXED[getattr(layout, place)].key.upper() for place in places] == [*places]
    assert len(FIXED) == layout.FIRST_BOOKMAKER
