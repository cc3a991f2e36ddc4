"""Following a log by looks on a thread of its own."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.cluster import tails as letters_module
from oddsdesk.cluster import tails as module
from oddsdesk.cluster.tails import (
    LONGEST,
    MOST_KEPT,
    QUICK_S,
    SLOW_S,
    STEADY_S,
    Inbox,
    Letters,
    PolledTail,
    Rhythm,
    ShardChanges,
)
from oddsdesk.contract.quotes import Quote
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Change


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with contextlib.closing(open_store(tmp_path / "odds.db", clock=lambda: 1000)) as store:
        yield store


def _nobody(_: Callable[[], None]) -> Callable[[], None]:
    return lambda: None


async def _record(store: Store, odds: float) -> None:
    quote = Quote("Bwin", "A - B", "EPL", "yes_no", 0, {"Yes": odds}, 1000)
    await asyncio.wrap_future(store.record([quote]))


async def test_what_this_process_records_is_heard_at_once(store: Store, monkeypatch) -> None:
    monkeypatch.setattr(module, "SLOW_S", 3600)
    tail = PolledTail(store)
    with contextlib.closing(tail), tail.listening():
        position = await tail.end()
        for odds in (1.5, 1.6):
            waiting = asyncio.get_running_loop().create_task(tail.next(position, 10))
            await asyncio.sleep(0)
            await _record(store, odds)
            async with asyncio.timeout(20):
                changes, position = await waiting
            assert [each.odds for each in changes] == [odds]


async def test_what_others_record_is_found_and_nothing_comes_twice(store: Store) -> None:
    tail = PolledTail(store, _nobody)
    with contextlib.closing(tail), tail.listening():
        position, received = await tail.end(), []
        expected = [1.5 + each / 10 for each in range(5)]
        async with asyncio.timeout(20):
            for odds in expected:
                await _record(store, odds)
                while len(received) == 0 or received[-1] != odds:
                    changes, position = await tail.next(position, 10)
                    received += [each.odds for each in changes]
        assert received == expected
        assert await tail.next(position, 10) == ([], position)


async def test_it_reads_on_a_thread_of_its_own(store: Store, monkeypatch) -> None:
    threads = set()
    reader = store.reader

    def noted():
        threads.add(threading.current_thread())
        return reader()

    monkeypatch.setattr(store, "reader", noted)
    tail = PolledTail(store)
    with contextlib.closing(tail), tail.listening():
        await tail.next(await tail.end(), 10)
        await tail.merged_ids()
    assert len(threads) == 1
    assert threading.current_thread() not in threads


def test_looks_are_quick_while_prices_move_and_rare_while_they_rest() -> None:
    rhythm = Rhythm()
    assert rhythm.pause_s(100.0) == SLOW_S
    rhythm.grew(101.0)
    assert [rhythm.pause_s(101.0 + each * QUICK_S) for each in range(100)] == [QUICK_S] * 100
    later = 101.0 + STEADY_S + QUICK_S
    pauses = [rhythm.pause_s(later + each) for each in range(6)]
    assert pauses == sorted(pauses)
    assert pauses[0] > QUICK_S
    assert pauses[-1] == SLOW_S
    rhythm.grew(later + 10)
    assert rhythm.pause_s(later + 10) == QUICK_S


SECRET = b"s" * 32


def change(seq: int, name: str = "A - B") -> Change:
    names = ("id", name, "EPL", "Football", "Bwin", "yes_no")
    return Change(seq, 1, *names, 0, "Yes", 1.5, False, 1_000, None)


def letter_of(shard: int, first: int, last: int) -> ShardChanges:
    return ShardChanges(shard, last, [change(seq) for seq in range(first, last + 1)])


def seqs(changes) -> list[int]:
    return [each.seq for each in changes]


def test_a_letter_is_read_as_it_was_written() -> None:
    sent = letter_of(2, 5, 9)
    assert Letters(SECRET).read_letter(Letters(SECRET).write_letter(sent)) == sent
    assert sent.first == 5


def test_another_database_is_told_elsewhere_and_not_believed() -> None:
    ours, theirs = Letters(SECRET), Letters(b"t" * 32)
    assert ours.subject != theirs.subject
    assert ours.subject == Letters(SECRET).subject
    assert ours.read_letter(theirs.write_letter(letter_of(0, 1, 2))) is None


@pytest.mark.parametrize("letter", [b"", b"hello", b"\0" * 32, bytes(LONGEST + 1)])
def test_what_is_no_letter_is_not_read(letter: bytes) -> None:
    assert Letters(SECRET).read_letter(letter) is None


@given(st.binary(max_size=200), st.integers(0, 400))
def test_a_letter_that_was_changed_anywhere_is_not_read(noise: bytes, at: int) -> None:
    letters = Letters(SECRET)
    letter = letters.write_letter(letter_of(0, 1, 2))
    at %= len(letter)
    changed = letter[:at] + noise + letter[at + len(noise) :]
    assert letters.read_letter(changed) == (letter_of(0, 1, 2) if changed == letter else None)


@pytest.mark.parametrize(
    "body",
    [
        [0, 2, []],
        [0, 2, [], "more"],
        [-1, 2, []],
        [0, 0, [msgspec.to_builtins(change(0))]],
        [0, 2, [msgspec.to_builtins(change(1))]],
        [0, 3, [msgspec.to_builtins(change(seq)) for seq in (1, 3)]],
        [0, "2", []],
        {"shard": 0},
    ],
)
def test_a_letter_of_another_form_is_not_read_even_if_signed(body: object) -> None:
    letters = Letters(SECRET)
    packed = msgspec.msgpack.encode(body)
    read = letters.read_letter(letters._sign(packed) + packed)
    assert read == (ShardChanges(0, 2) if body == [0, 2, []] else None)


def test_a_letter_that_would_be_too_long_only_says_how_far_the_log_goes() -> None:
    letters = Letters(SECRET)
    long = ShardChanges(0, 2, [change(seq, "x" * LONGEST) for seq in (1, 2)])
    letter = letters.write_letter(long)
    assert len(letter) < 100
    assert letters.read_letter(letter) == ShardChanges(0, 2)


def test_what_follows_is_handed_out_once_and_what_is_older_is_dropped() -> None:
    inbox = Inbox()
    for each in (
        letter_of(0, 1, 3),
        letter_of(0, 2, 5),
        letter_of(1, 1, 1),
        letter_of(0, 4, 5),
        letter_of(0, 6, 6),
    ):
        inbox.add_changes(each)
    found = inbox.behind((1, 0), 100)
    assert seqs(found.changes) == [2, 3, 4, 5, 6, 1]
    assert found.end == (6, 1)
    assert not inbox.has_gap(found.end)
    assert inbox.behind(found.end, 100) == ([], (6, 1))


def test_a_gap_is_told_and_nothing_behind_it_handed_out() -> None:
    inbox = Inbox()
    inbox.add_changes(letter_of(0, 1, 2))
    inbox.add_changes(letter_of(0, 4, 5))
    found = inbox.behind((0,), 100)
    assert seqs(found.changes) == [1, 2]
    assert inbox.has_gap(found.end)
    inbox.add_changes(letter_of(0, 6, 6))
    assert seqs(inbox.behind((3,), 100).changes) == [4, 5, 6], "once the gap was read elsewhere"


def test_that_the_log_grew_by_too_much_is_a_gap_until_that_was_read() -> None:
    inbox = Inbox()
    inbox.add_changes(ShardChanges(0, 5_000))
    assert inbox.behind((10,), 100).changes == []
    assert inbox.has_gap((10,))
    assert inbox.behind((5_000,), 100).changes == []
    assert not inbox.has_gap((5_000,))


def test_what_the_database_does_not_know_is_forgotten() -> None:
    inbox = Inbox()
    inbox.add_changes(letter_of(0, 900, 901))
    inbox.add_changes(letter_of(1, 1, 1))
    inbox.behind((10, 0), 0)
    inbox.forget_gaps((10, 0))
    assert not inbox.has_gap((10, 0))
    assert seqs(inbox.behind((10, 0), 100).changes) == [1]


def test_nothing_is_kept_for_ever_for_who_does_not_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letters_module, "MOST_KEPT", 10)
    assert MOST_KEPT > 10
    inbox = Inbox()
    for first in range(1, 100, 3):
        inbox.add_changes(letter_of(0, first, first + 2))
    inbox.behind((0,), 100)
    assert inbox.has_gap((0,)), "the database is asked for what was dropped"
    assert inbox._kept <= 10


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(1, 5)), max_size=20),
    st.randoms(use_true_random=False),
    st.integers(1, 4),
)
def test_however_letters_come_the_log_is_heard_in_order_without_gap_and_repeat(
    recordings: list[tuple[int, int]], chance, limit: int
) -> None:
    """Lost, doubled and out of order: with the database for gaps each change comes once."""
    log: dict[int, int] = {0: 0, 1: 0, 2: 0}
    letters: list[ShardChanges] = []
    for shard, count in recordings:
        letters.append(letter_of(shard, log[shard] + 1, log[shard] + count))
        log[shard] += count
    inbox, position, came = Inbox(), (0, 0, 0), {0: [], 1: [], 2: []}
    sent = [each for each in letters for _ in range(chance.choice((0, 1, 1, 2)))]
    chance.shuffle(sent)

    def note(batch) -> tuple[int, ...]:
        counts = [end - seq for end, seq in zip(batch.end, position, strict=True)]
        found = iter(batch.changes)
        for shard, count in enumerate(counts):
            came[shard] += [next(found).seq for _ in range(count)]
        assert next(found, None) is None
        return batch.end

    for letter in sent:
        inbox.add_changes(letter)
        position = note(inbox.behind(position, limit))
        if inbox.has_gap(position) and chance.random() < 0.5:
            end = tuple(min(log[shard], seq + limit) for shard, seq in enumerate(position))
            read = [change(seq) for s in came for seq in range(position[s] + 1, end[s] + 1)]
            position = note(letters_module.Batch(read, end))
    for shard, numbers in came.items():
        assert numbers == [*range(1, position[shard] + 1)]
