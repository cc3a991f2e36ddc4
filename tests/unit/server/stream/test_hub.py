import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from oddsdesk.contract.access import Plan
from oddsdesk.contract.competitions import sport_of
from oddsdesk.contract.quotes import Quote
from oddsdesk.server.gate import LoopAccess
from oddsdesk.server.stream import hub as hub_module
from oddsdesk.server.stream.hub import (
    Hub,
    Interest,
    Subscriber,
    Subscribers,
    price_frame,
    text_frame,
)
from oddsdesk.server.stream.log_tail import LogTail
from oddsdesk.store.access import open_access
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.keys import Caller
from oddsdesk.store.store import open_store
from oddsdesk.store.values import Change


class _Channel:
    """Keeps what it is given; takes ``room`` bytes."""

    def __init__(self, room: int = 1 << 30) -> None:
        self.room = room
        self.taken: list[bytes] = []
        self.closed: list[int] = []
        self.heard = asyncio.Event()
        self.backlog = 0

    def offer_frames(self, frames: bytes) -> bool:
        if len(frames) > self.room:
            return False
        self.room -= len(frames)
        self.taken.append(frames)
        self.heard.set()
        return True

    def close(self, code: int, reason: str) -> None:
        assert len(reason.encode()) <= 123
        self.closed.append(code)
        self.heard.set()


@pytest.fixture
def store(tmp_path: Path):
    store = open_store(tmp_path / "odds.db", "Pinnacle", clock=lambda: 1000)
    yield store
    store.close()


@pytest.fixture
def access(tmp_path: Path):
    access = open_access(tmp_path / "odds.db")
    yield access
    access.close()


@pytest.fixture
async def hub(store, access):
    asked = LoopAccess(access, lambda: 0)
    hub = Hub(LogTail(store), asked, "Pinnacle")
    task = asyncio.get_running_loop().create_task(hub.tail_log())
    yield hub
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    asked.end_thread()


@pytest.fixture
def caller(access):
    secret = access.keys.create("a", Plan.PRO_LIVE, None, 0).secret
    caller = access.keys.caller(secret)
    assert caller is not None
    return caller


async def _subscribe(hub: Hub, subscriber: Subscriber) -> None:
    await hub.subscribe(subscriber, await hub.position())


async def _record(store, *odds: float) -> None:
    quotes = [
        Quote("Bwin", "A - B", "EPL", "yes_no", number, {"Yes": price}, 1000)
        for number, price in enumerate(odds)
    ]
    await asyncio.wrap_future(store.record(quotes))


async def _heard(channel: _Channel) -> None:
    async with asyncio.timeout(30):
        await channel.heard.wait()
    channel.heard.clear()


def _odds(frames: bytes) -> list[float]:
    return [
        json.loads("{" + part[: part.index(b"}") + 1].decode())["odds"]
        for part in frames.split(b"{")[1:]
    ]


async def test_equal_interests_are_served_the_very_same_bytes(hub, store, caller):
    channels = [_Channel() for _ in range(5)]
    for channel in channels:
        await _subscribe(hub, Subscriber(channel, Interest(), caller))
    await _record(store, 1.5, 2.5)
    await _heard(channels[-1])
    first = channels[0].taken[0]
    assert _odds(first) == [1.5, 2.5]
    assert all(channel.taken[0] is first for channel in channels)


async def test_one_without_room_is_closed_with_4008_and_others_go_on(hub, store, caller):
    full, free = _Channel(room=10), _Channel()
    await _subscribe(hub, Subscriber(full, Interest(), caller))
    await _subscribe(hub, Subscriber(free, Interest(), caller))
    await _record(store, 1.5)
    await _heard(full)
    await _heard(free)
    assert full.closed == [4008]
    assert full.taken == []
    assert free.closed == []


async def test_of_a_key_with_too_much_unread_the_slowest_stream_ends(hub, store, access, caller):
    """However little each of them may have: nine hundred would hold gigabytes."""
    other = access.keys.caller(access.keys.create("b", Plan.PRO_LIVE, None, 0).secret)
    waits = hub_module.KEY_BACKLOG // 2
    channels = []
    for whose, backlog in ((caller, waits), (caller, waits + 2), (caller, 0), (other, waits + 1)):
        channels.append(_Channel())
        channels[-1].backlog = backlog
        await _subscribe(hub, Subscriber(channels[-1], Interest(), whose))
    await _record(store, 1.5)
    await _heard(channels[1])
    async with asyncio.timeout(30):
        while not channels[1].closed:
            await asyncio.sleep(0)
    await _record(store, 1.6)
    async with asyncio.timeout(30):
        while len(channels[0].taken) < 2:
            await asyncio.sleep(0)
    assert [each.closed for each in channels] == [[], [4008], [], []]
    assert len(channels[1].taken) == 1


async def test_nothing_is_sent_after_unsubscribing(hub, store, caller):
    gone, there = _Channel(), _Channel()
    subscriber = Subscriber(gone, Interest(), caller)
    await _subscribe(hub, subscriber)
    await _subscribe(hub, Subscriber(there, Interest(), caller))
    hub.unsubscribe(subscriber)
    await _record(store, 1.5)
    await _heard(there)
    assert gone.taken == []


async def test_first_subscriber_starts_at_the_end_of_the_log(hub, store, caller):
    await _record(store, 1.5)
    channel = _Channel()
    await _subscribe(hub, Subscriber(channel, Interest(), caller))
    await _record(store, 1.6)
    await _heard(channel)
    assert _odds(b"".join(channel.taken)) == [1.6]


async def test_who_comes_after_all_have_left_hears_nothing_of_the_time_between(hub, store, caller):
    gone, channel = _Channel(), _Channel()
    subscriber = Subscriber(gone, Interest(), caller)
    await _subscribe(hub, subscriber)
    hub.unsubscribe(subscriber)
    await _record(store, 1.5)
    await _subscribe(hub, Subscriber(channel, Interest(), caller))
    await _record(store, 1.6)
    await _heard(channel)
    assert _odds(b"".join(channel.taken)) == [1.6]
    assert gone.taken == []


async def test_who_is_let_in_late_hears_what_others_heard_meanwhile_and_nothing_twice(
    hub, store, caller
):
    """Between the answer to a client and its place among the others keys are looked up."""
    first, late, elsewhere = _Channel(), _Channel(), _Channel()
    await _subscribe(hub, Subscriber(first, Interest(), caller))
    await _record(store, 1.5)
    await _heard(first)
    position = await hub.position()
    for odds in (1.6, 1.7):
        await _record(store, odds)
        await _heard(first)
    await hub.subscribe(Subscriber(late, Interest(), caller), position)
    await hub.subscribe(Subscriber(elsewhere, Interest(sport="Tennis"), caller), position)
    await _record(store, 1.8)
    await _heard(first)
    assert _odds(b"".join(late.taken)) == [1.6, 1.7, 1.8]
    assert elsewhere.taken == []


async def test_while_nobody_listens_the_database_is_not_asked(hub, store, caller, monkeypatch):
    reader, asked = store.reader(), []
    working = reader.changes_after

    def changes_after(seq: int, limit: int, shard: int):
        asked.append(seq)
        return working(seq, limit, shard)

    monkeypatch.setattr(reader, "changes_after", changes_after)
    for odds in (1.5, 1.6):
        await _record(store, odds)
        await asyncio.wrap_future(store.run_on_writer(lambda _: None))  # after the news of it
        await asyncio.sleep(0)
    assert asked == []
    channel = _Channel()
    await _subscribe(hub, Subscriber(channel, Interest(), caller))
    await _record(store, 1.7)
    await _heard(channel)
    assert asked


async def test_whoever_comes_while_it_goes_down_is_told_so(hub, caller):
    early, opening, late = _Channel(), _Channel(), _Channel()
    await _subscribe(hub, Subscriber(early, Interest(), caller))
    with hub.opening(opening):  # its token is being looked up
        hub.close_streams()
    await _subscribe(hub, Subscriber(late, Interest(), caller))
    assert early.closed == opening.closed == late.closed == [1001]


async def test_changes_wait_while_the_database_refuses(hub, store, caller, monkeypatch, caplog):
    monkeypatch.setattr(hub_module, "RETRY_S", 0.05)
    channel = _Channel()
    await _subscribe(hub, Subscriber(channel, Interest(), caller))
    reader = store.reader()
    working = reader.changes_after

    def refuse(seq: int, limit: int, shard: int):
        monkeypatch.setattr(reader, "changes_after", working)
        raise StoreUnavailableError("disk I/O error")

    monkeypatch.setattr(reader, "changes_after", refuse)
    await _record(store, 1.5)
    await _heard(channel)
    assert _odds(channel.taken[0]) == [1.5]
    assert "the stream is waiting for the database" in caplog.text


async def test_a_change_that_cannot_be_told_costs_only_itself(
    hub, store, caller, monkeypatch, caplog
):
    working = hub_module.price_frame

    def price_frame(change, reference):
        if change.odds == 3.0:
            raise OverflowError("by the test")
        return working(change, reference)

    monkeypatch.setattr(hub_module, "price_frame", price_frame)
    channel = _Channel()
    await _subscribe(hub, Subscriber(channel, Interest(), caller))
    await _record(store, 2.0, 3.0, 4.0)
    await _heard(channel)
    assert _odds(b"".join(channel.taken)) == [2.0, 4.0]
    await _record(store, 2.5, 3.5)
    await _heard(channel)
    assert _odds(b"".join(channel.taken)) == [2.0, 4.0, 2.5, 3.5]
    assert caplog.text.count("cannot be streamed") == 1


_caller = Caller(1, 1, Plan.PRO_LIVE, None, 0)
_few = st.sampled_from("abc")
_old_ids = st.sampled_from("xy")
_interests = st.builds(
    Interest, *[st.none() | _few] * 3, st.none() | _few | _old_ids, st.booleans()
)


def _change(sport: str, competition: str, bookmaker: str, game_id: str, is_live: bool) -> Change:
    return Change(
        seq=1,
        game=1,
        bookmaker=bookmaker,
        match_name="A - B",
        competition=competition,
        sport=sport,
        market_type="1X2",
        selection="A",
        odds=2.0,
        period=0,
        is_live=is_live,
        scraped_at=0,
        liquidity=None,
        game_id=game_id,
    )


def _meets(change: Change, interest: Interest, merged: dict[str, list[str]]) -> bool:
    """The rule said plainly (D22): every filter that is set equals the change's value.

    Or, for a game, an id that leads to it (D69).
    """
    said = (sport_of(change.competition), change.competition, change.bookmaker)
    filters = (interest.sport, interest.competition, interest.bookmaker)
    met = all(wanted in (None, value) for wanted, value in zip(filters, said, strict=True))
    games = (None, change.game_id, *merged.get(change.game_id, []))
    return met and interest.game_id in games and (interest.live or not change.is_live)


@given(
    st.lists(_interests, max_size=12),
    st.lists(st.integers(0, 11), max_size=12),
    st.builds(_change, _few, _few, _few, _few, st.booleans()),
    st.dictionaries(_few, st.lists(_old_ids, unique=True, max_size=2), max_size=2),
)
def test_a_change_finds_exactly_the_interests_of_those_who_stayed(
    interests, leaving, change, merged
):
    everyone = [Subscriber(None, interest, _caller) for interest in interests]
    subscribers = Subscribers()
    for each in everyone:
        subscribers.add_subscriber(each)
    gone = {everyone[number] for number in leaving if number < len(everyone)}
    for each in gone:
        subscribers.discard(each)
        subscribers.discard(each)
    stayed = [each for each in everyone if each not in gone]

    found = [
        each
        for met in subscribers.interests_in(change, merged)
        for each in subscribers.subscribers_of(met)
    ]

    assert len(found) == len(set(found))
    assert set(found) == {each for each in stayed if _meets(change, each.interest, merged)}
    assert set(subscribers) == set(stayed)
    assert bool(subscribers) == bool(stayed)


def _change_of_frames(**changed) -> Change:
    fields = {
        "seq": 7,
        "game": 1,
        "game_id": "g",
        "match_name": "PSG - Lyon",
        "competition": "LIG1",
        "sport": "Football",
        "bookmaker": "Bwin",
        "market_type": "btts",
        "period": 1,
        "selection": "Yes",
        "odds": 1.87,
        "is_live": True,
        "scraped_at": 1_763_661_600_123,
        "liquidity": None,
    }
    return Change(**{**fields, **changed})


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536])
def test_frame_is_what_the_reference_implementation_writes(size):
    payload = b"a" * size
    assert text_frame(payload) == Frame(Opcode.TEXT, payload).serialize(mask=False)


@given(st.binary(max_size=300))
def test_frames_hold_their_payload_at_the_end(payload):
    frame = text_frame(payload)
    assert frame[-len(payload) :] == payload if payload else len(frame) == 2


def test_withdrawal_has_no_frame():
    assert price_frame(_change_of_frames(odds=None), "Pinnacle") is None


@pytest.mark.parametrize("liquidity", [None, 250.5])
def test_liquidity_stands_on_the_reference_only(liquidity):
    theirs = price_frame(_change_of_frames(liquidity=liquidity), "Pinnacle")
    ours = price_frame(_change_of_frames(liquidity=liquidity, bookmaker="Pinnacle"), "Pinnacle")
    assert theirs is not None
    assert ours is not None
    assert "liquidity" not in _payload(theirs)
    assert _payload(ours)["liquidity"] == liquidity


def _payload(frame: bytes) -> dict:
    return json.loads(frame[frame.index(b"{") :])
