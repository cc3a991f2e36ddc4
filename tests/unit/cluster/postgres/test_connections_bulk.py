"""Texts of many values are read by PostgreSQL as the values that they were made of."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oddsdesk.cluster.postgres.connections import array, lines
from tests.kit.postgres import Postgres

SAFE = settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
texts = st.one_of(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    st.sampled_from(
        ["", "NULL", "null", '"', "\\", r"\N", r"\.", "\t", "\n", "\r\n", "{a,b}", " "]
    ),
)
numbers = st.floats(allow_nan=False)
whole = st.integers(-(2**63), 2**63 - 1)


def columns(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    same = st.builds(lambda value, count: [value] * count, st.none() | values, st.integers(2, 4))
    return st.one_of(st.lists(values), st.lists(st.none() | values), same)


rows = st.tuples(
    st.none() | texts, st.none() | whole, st.none() | numbers, st.none() | st.booleans()
)


@pytest.fixture(scope="module")
def connection(postgres: Postgres) -> Iterator[Any]:
    with closing(postgres.connect(postgres.url())) as connection:
        connection.execute(
            "CREATE TEMP TABLE row (n serial, a text, b bigint, c double precision, d boolean)"
        )
        yield connection


@SAFE
@given(texts=columns(texts), whole=columns(whole), numbers=columns(numbers))
def test_arrays(connection: Any, texts: list[Any], whole: list[Any], numbers: list[Any]) -> None:
    truth = [None if each is None else each > 0 for each in whole]
    asked = [array(texts), array(whole), array(numbers), array(truth)]
    query = "SELECT %s::text[], %s::bigint[], %s::double precision[], %s::boolean[]"
    assert connection.execute(query, asked).fetchall() == [(texts, whole, numbers, truth)]


@SAFE
@given(
    rows=st.lists(rows, min_size=1)
    | st.builds(lambda row, count: [row] * count, rows, st.integers(2, 4))
)
def test_lines_of_copy(connection: Any, rows: list[tuple[Any, ...]]) -> None:
    connection.execute("TRUNCATE row")
    with connection.cursor().copy("COPY row (a, b, c, d) FROM STDIN") as copy:
        copy.write(lines(zip(*rows, strict=True)))
    assert connection.execute("SELECT a, b, c, d FROM row ORDER BY n").fetchall() == rows


@pytest.mark.parametrize("column", [["a\0b"], [None, "\0"]])
def test_what_postgresql_cannot_store_is_refused(column: list[Any]) -> None:
    for made in (array, lambda column: lines([column])):
        with pytest.raises(ValueError, match="NUL"):
            made(column)
