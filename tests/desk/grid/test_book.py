"""Sorting the odds grid: as a naive sort has it, unknown last, equal rows as they stood."""

from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.board.model.basis import Freshness
from oddsdesk.desk.grid.arrays import EntryArrays
from oddsdesk.desk.grid.book import Entries, Numbers
from oddsdesk.desk.grid.entries import Shape
from oddsdesk.desk.grid.filter import CompiledFilter, GridFilter
from oddsdesk.desk.ui.table.live_model import in_order

OPEN = CompiledFilter(GridFilter(), Shape.SELECTIONS, 0, lambda *_: Freshness.FRESH)
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
    arrays, held, order = EntryArrays(entries), [], Numbers("i")

    def arranged_after(new):
        nonlocal order
        stood = [entries[number] for number in order]
        came = [Row(key) for key in new]
        for row in came:
            entries.add_entry(row)
        held.extend(came)
        order = arrays.sorted_numbers(order, held, OPEN, [(_key_of, descending)])
        stayed = [row for row in stood if row in held]
        assert [entries[number] for number in order] == naive(stayed + came, descending)
        assert entries.count_present == len(held)
        entries.free_numbers(order)

    arranged_after(keys[0])
    for place, row in enumerate(list(held)):
        if place in leaving:
            entries.drop_entry(row)
            held.remove(row)
        elif place in changing:
            row.key = keys[1][place]
            entries.note_change(row)
    arranged_after(keys[1])
    arranged_after(keys[2])


TITLE = ~0


@given(
    keys=keys.flatmap(lambda each: st.tuples(st.just(each), st.permutations(each))),
    titles=st.sets(st.integers(0, 30)),
    descending=st.tuples(st.booleans(), st.booleans()),
)
def test_a_row_is_out_of_order_where_a_neighbour_and_it_would_change_places(
    keys, titles, descending
):
    entries = Entries()
    rows = [Row(pair) for pair in zip(*keys, strict=True)]
    for row in rows:
        entries.add_entry(row)
    shown = []
    for number, row in enumerate(rows):
        shown += [None, row] if number in titles else [row]
    places = Numbers("i", [place for place, row in enumerate(shown) if row is not None])
    numbers = Numbers("i", [TITLE if row is None else row.number for row in shown])
    sorted_by = [(lambda row: row.key[0], descending[0]), (lambda row: row.key[1], descending[1])]
    marks = bytearray(b"\1" * len(rows))
    moved = Numbers("i", 2 * [*range(len(rows))])
    EntryArrays(entries).mark_astray(marks, moved, numbers, places, OPEN, sorted_by)

    def stays(place):
        pair = shown[place : place + 2]
        if place < 0 or len(pair) < 2 or None in pair:
            return True
        for key, is_descending in reversed(sorted_by):
            pair = in_order(pair, key, descending=is_descending)
        return pair == shown[place : place + 2]

    assert list(marks) == [not (stays(place - 1) and stays(place)) for place in places]
