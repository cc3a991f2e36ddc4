"""Positions in a log of one or several shards."""

from typing import Any

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.store.reader import log_end, read_after, read_between
from oddsdesk.store.store import Store
from oddsdesk.store.values import Change


def _change(shard: int, seq: int) -> Change:
    names = ("id", f"shard {shard}", "EPL", "Football", "Bwin", "yes_no")
    return Change(seq, 1, *names, 0, "Yes", 1.5, False, 0, None)


class _Shards:
    """A reader of a log with so many changes in each shard."""

    def __init__(self, *lengths: int) -> None:
        self.lengths = list(lengths)

    @property
    def shards(self) -> int:
        return len(self.lengths)

    def last_seq(self, shard: int = 0) -> int:
        return self.lengths[shard]

    def changes_after(self, seq: int, limit: int, shard: int = 0) -> list[Change]:
        end = min(self.lengths[shard], seq + limit)
        return [_change(shard, each) for each in range(seq + 1, end + 1)]


def _said(changes: Any) -> list[tuple[str, int]]:
    return [(each.match_name, each.seq) for each in changes]


def test_each_shard_is_read_on_from_where_it_was() -> None:
    reader: Any = _Shards(3, 0, 1)
    assert log_end(reader) == (3, 0, 1)
    first = read_after(reader, (2, 0, 0), 10)
    assert _said(first.changes) == [("shard 0", 3), ("shard 2", 1)]
    assert first.end == (3, 0, 1)
    reader.lengths = [3, 2, 1]
    second = read_after(reader, first.end, 10)
    assert _said(second.changes) == [("shard 1", 1), ("shard 1", 2)]
    assert read_after(reader, second.end, 10) == ([], (3, 2, 1))


def test_a_shard_with_much_to_tell_does_not_hold_up_the_others() -> None:
    reader: Any = _Shards(1_000, 5)
    found, position = read_after(reader, (0, 0), 3)
    assert _said(found) == [(f"shard {shard}", seq) for shard in (0, 1) for seq in (1, 2, 3)]
    heard = {shard: [] for shard in ("shard 0", "shard 1")}
    while found:
        for name, seq in _said(found):
            heard[name].append(seq)
        found, position = read_after(reader, position, 3)
    assert heard == {"shard 0": [*range(1, 1_001)], "shard 1": [*range(1, 6)]}


def test_what_lies_between_two_positions_is_read_of_each_shard() -> None:
    reader: Any = _Shards(9, 9, 9)
    found = read_between(reader, (2, 5, 7), (4, 5, 6))
    assert _said(found) == [("shard 0", 3), ("shard 0", 4)]


@pytest.mark.parametrize("behind", [0, 1, 2])
def test_a_file_is_a_log_of_one_shard(store: Store, quote: Any, behind: int) -> None:
    assert log_end(store.reader()) == (0,)
    said: list[Quote] = [quote(odds={"Yes": 1.5 + each}, market_type="yes_no") for each in (0, 1)]
    for each in said:
        store.record([each]).result()
    end = log_end(store.reader())
    assert end == (2,)
    found = read_after(store.reader(), (behind,), 10)
    assert [each.seq for each in found.changes] == [*range(behind + 1, 3)]
    assert found.end == end
