"""What a backfill remembers: no moment is requested twice, and no paid answer is lost."""

import asyncio
import zlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.feeds.imported import Imported
from oddsdesk.feeds.live.errors import ShapeError
from oddsdesk.feeds.live.live_feed import LiveSpec
from oddsdesk.feeds.the_odds_api.backfill import Backfill, History, Memory, UnansweredError
from tests.kit.odds_history import FIRST, HOUR_MS, KEY, OddsHistory, serve_history

few = st.integers(0, 40)


@given(st.lists(st.tuples(few, few).map(lambda span: (min(span), max(span)))))
def test_spans_cover_what_they_were_given(spans: list[tuple[int, int]]) -> None:
    memory = Memory()
    for span in spans:
        memory.cover(*span)
    expected = {at for first, last in spans for at in range(first, last + 1)}
    assert {at for at in range(-1, 42) if memory.covers(at)} == expected
    ends = [each for span in memory.covered for each in span]
    assert ends == sorted(ends)
    assert all(
        one[1] + 1 < other[0]
        for one, other in zip(memory.covered, memory.covered[1:], strict=False)
    )


def history_at(served: OddsHistory) -> History:
    options = {"markets": "h2h", "regions": "eu"}
    history = History(LiveSpec("soccer_epl", "the-odds-api", ("soccer_epl",), options, served.url))
    history.use_key(KEY)
    return history


def test_an_answer_that_could_not_be_recorded_is_recorded_by_the_next_run() -> None:
    stored, recorded = list[bytes](), list[Imported]()

    def fail(_: Imported) -> None:
        raise OSError("disk full")

    with serve_history(OddsHistory()) as served:
        first = Backfill(history_at(served), None, stored.append, fail)
        with pytest.raises(OSError, match="disk full"):
            asyncio.run(first.fetch([FIRST], None))
        again = Backfill(history_at(served), stored[-1], stored.append, recorded.append)
        assert (again.missing([FIRST]), again.was_cut_off) == ([], False)
    assert [each.kept for each in recorded] == [3]
    assert len(served.queries) == 1
    assert msgspec.json.decode(stored[-1], type=Memory).answer == b""


def test_an_answer_of_another_version_is_a_problem_and_no_dead_end() -> None:
    recorded = list[Imported]()
    stored = msgspec.json.encode(Memory(answer=zlib.compress(b'{"a": 1}')))
    with serve_history(OddsHistory()) as served:
        Backfill(history_at(served), stored, lambda _: None, recorded.append)
    assert recorded[0].problems[0].startswith("snapshot: expected a v4 odds answer")
    with serve_history(OddsHistory()) as served:
        assert Backfill(history_at(served), b"{", lambda _: None, recorded.append).missing([1]) == [
            1
        ]


def test_a_request_without_an_answer_counts_as_charged_and_is_not_repeated_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("oddsdesk.feeds.live.source.REQUEST_S", 0.2)
    stored = list[bytes]()
    with serve_history(OddsHistory()) as served:
        served.hold_at = 0
        first = Backfill(history_at(served), None, stored.append, lambda _: None)
        with pytest.raises(UnansweredError):
            asyncio.run(first.fetch([FIRST], None))
        served.go_on.set()
        assert (first.spent, served.queries) == (10, [])
        again = Backfill(history_at(served), stored[-1], stored.append, lambda _: None)
        assert (again.was_cut_off, again.missing([FIRST])) == (True, [FIRST])


def test_an_answer_that_is_no_snapshot_ends_the_run() -> None:
    stored = list[bytes]()
    with serve_history(OddsHistory()) as served:
        served.refusals = [(200, b"[]", {"x-requests-last": "10"})]
        backfill = Backfill(history_at(served), None, stored.append, lambda _: None)
        with pytest.raises(ShapeError, match="expected a snapshot of the history"):
            asyncio.run(backfill.fetch([FIRST, FIRST + HOUR_MS], None))
    assert (backfill.spent, len(served.queries)) == (10, 1)
