"""Sorting the odds grid: as a naive sort has it, unknown last, equal rows as they stood."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.desk.ui.table.row_order import in_order, stand_well

keys = st.one_of(
    st.lists(st.none() | st.floats(-5, 5), max_size=30),
    st.lists(st.none() | st.text("aB é", max_size=2), max_size=30),
    st.lists(st.none() | st.integers(0, 4), max_size=30),
    st.lists(st.none() | st.tuples(st.booleans(), st.integers(0, 2)), max_size=30),
)


@given(keys=keys, descending=st.booleans())
def test_order_is_that_of_a_naive_stable_sort_with_unknown_last(keys, descending):
    items = list(enumerate(keys))
    known = [item for item in items if item[1] is not None]
    unknown = [item for item in items if item[1] is None]
    naive = sorted(known, key=lambda item: item[1], reverse=descending) + unknown
    assert in_order(items, lambda item: item[1], descending=descending) == naive


@given(keys=keys, descending=st.booleans())
def test_rows_in_order_all_stand_well(keys, descending):
    ordered = in_order(keys, lambda key: key, descending=descending)
    pairs = pairwise(ordered)
    assert all(stand_well(*pair, descending=descending) for pair in pairs)


def test_a_row_out_of_order_does_not_stand_well():
    assert not stand_well(1.0, 2.0, descending=True)
    assert not stand_well(2.0, 1.0, descending=False)
    assert not stand_well(None, 1.0, descending=False)
    assert stand_well(1.0, None, descending=True)
