"""Sorting the odds grid: as a naive sort has it, unknown last, equal rows as they stood."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.board.freshness import Freshness
from oddsdesk.desk.grid.arrays import EntryArrays
from oddsdesk.desk.grid.entries import Shape
from oddsdesk.desk.grid.filter import CompiledFilter, GridFilter
from oddsdesk.desk.grid.numbered import Entries, Numbers
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


class Row:
    """A row of its own selection with something to sort by."""

    def __init__(self, key):
        self.key = key
        self.number = -1
        self.selection = self


def naive(rows, descending):
    known = sorted((row for row in rows if row.key is not None), key=_key_of, reverse=descending)
    return known + [row for row in rows if row.key is None]


def _key_of(row):
    return row.key


@given(
    keys=keys.flatmap(lambda each: st.tuples(*[st.permutations(each)] * 3)),
    leaving=st.sets(st.integers(0, 29)),
    changing=st.sets(st.integers(0, 29)),
    descending=st.booleans(),
)
def test_arrays_follow_rows_that_come_move_and_leave(keys, leaving, changing, descending):
    entries = Entries()
    arrays, held, order = EntryArrays(entries), [], Numbers("q")
    compiled = CompiledFilter(GridFilter(), Shape.SELECTIONS, 0, lambda *_: Freshness.FRESH)

    def arranged_after(new):
        nonlocal order
        stood = [entries[number] for number in order]
        came = [Row(key) for key in new]
        for row in came:
            entries.add(row)
        held.extend(came)
        order = arrays.order(order, held, compiled, [(_key_of, descending)])
        stayed = [row for row in stood if row in held]
        assert [entries[number] for number in order] == naive(stayed + came, descending)
        assert entries.count == len(held)
        entries.forget(order)

    arranged_after(keys[0])
    for place, row in enumerate(list(held)):
        if place in leaving:
            entries.leave(row)
            held.remove(row)
        elif place in changing:
            row.key = keys[1][place]
            entries.note(row)
    arranged_after(keys[1])
    arranged_after(keys[2])
