"""Feeds are opened by name, and what they say is recorded."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path

import msgspec
import pytest

from oddsdesk.base.clock import Clock
from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, Reported
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds import feed as feed_module
from oddsdesk.feeds.feed import FeedError, Recorder, open_feed
from oddsdesk.feeds.replay import Moment, Replay
from oddsdesk.store.errors import Fault, StoreUnavailableError
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, Origin, Visibility

NOW = parse_ms("2026-11-20T18:30:00Z")
QUOTE = Quote("A", "Home vs Away", "NBA", "moneyline", 0, {"Home": 2.0, "Away": 1.9}, NOW)

LINK = f"https://example.org/{'a' * 100}"


class Said:
    """A feed that says what it was given."""

    name = "said"
    recorded_at = None
    is_over = False
    origin: Origin | None = None

    def __init__(self, *batches: Sequence[Reported], simulated: bool = False) -> None:
        self.simulated = simulated
        self._batches = batches

    async def batches(self, clock: Clock) -> AsyncGenerator[Sequence[Reported], None]:
        for batch in self._batches:
            yield batch


def test_none_is_no_feed() -> None:
    assert open_feed("none", reference="Pinnacle") is None


def test_the_simulator_says_that_it_is_one() -> None:
    feed = open_feed("simulator", reference="Pinnacle")
    assert feed is not None
    assert feed.simulated


def test_a_replay_is_opened_with_its_speed(shared_data: Path) -> None:
    place = shared_data / "football-data" / "E0_2425.csv"
    feed = open_feed(f"replay:football-data:{place}", reference="Pinnacle", speed=60)
    assert feed is not None
    assert (feed.name, feed.simulated) == ("replay of E0_2425.csv · 60x", False)


async def test_what_a_replay_says_is_recorded_as_old_prices_moved_to_now(tmp_path: Path) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    await Recorder(Said([QUOTE]), store, lambda: NOW).record_feed()
    assert not store.reader().is_shifted(NOW)
    replay = Replay([Moment(1, [QUOTE])], "morning", 1)
    recording = spawn("replay", Recorder(replay, store, lambda: NOW).record_feed())
    async with asyncio.timeout(30):
        while not store.reader().is_shifted(NOW):
            await asyncio.sleep(0)
    await cancel_tasks(recording)
    store.close()


@pytest.mark.parametrize("spec", ["", "simulators", "replay", "replay:"])
def test_other_names_are_refused_with_what_was_expected(spec: str) -> None:
    with pytest.raises(FeedError, match="expected none, simulator, replay:FILE"):
        open_feed(spec, reference="Pinnacle")


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("polimarket", "; did you mean polymarket?"),
        ("polimarket:epl", "no feed 'polimarket'; did you mean polymarket?"),
        ("Simulator", "; did you mean simulator?"),
        ("polymarket", "; polymarket must say what to read, after a colon (docs/feeds.md)"),
        ("exec:", "; exec must say what to read, after a colon (docs/feeds.md)"),
        ("simulator:EPL", "; simulator takes nothing after it"),
        ("replay:", "a live feed such as the-odds-api:soccer_epl"),
        ("foo", "a live feed such as the-odds-api:soccer_epl"),
    ],
)
def test_a_mistyped_name_is_told_with_what_may_be_meant(spec: str, told: str) -> None:
    with pytest.raises(FeedError) as refused:
        open_feed(spec, reference="Pinnacle")
    assert str(refused.value).endswith(told)


async def test_what_a_feed_says_is_recorded(tmp_path: Path) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    await Recorder(Said([QUOTE], simulated=True), store, lambda: NOW).record_feed()
    try:
        assert store.reader().last_seq() == 2
        assert store.reader().is_simulated(NOW)
    finally:
        store.close()


RESULT = GameResult("NBA", "Home vs Away", NOW - 3 * 3_600_000, 101, 99)


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[GameResult]]:
    """The results that the store is given, which it records as well."""
    results: list[GameResult] = []
    record = Store.record_results

    def heard_too(
        self: Store, said: Sequence[GameResult], origin: Origin | None = None
    ) -> Future[None]:
        results.extend(said)
        return record(self, said, origin)

    monkeypatch.setattr(Store, "record_results", heard_too)
    return results


@pytest.mark.parametrize("simulated", [True, False])
async def test_results_are_recorded_with_the_feed_as_their_source(
    tmp_path: Path, heard: list[GameResult], simulated: bool
) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    other = msgspec.structs.replace(RESULT, match_name="C vs D", source="scores")
    recorder = Recorder(Said([RESULT, QUOTE, other], simulated=simulated), store, lambda: NOW)
    await recorder.record_feed()
    store.close()
    assert [each.source for each in heard] == ["said", "scores"]
    assert {each.simulated for each in heard} == {simulated}
    assert (recorder.recorded, recorder.lost) == (3, 0)


async def test_a_feed_of_real_games_goes_on_after_a_made_up_result(
    tmp_path: Path, heard: list[GameResult]
) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    made_up = msgspec.structs.replace(RESULT, simulated=True)
    recorder = Recorder(Said([QUOTE], [made_up], [RESULT]), store, lambda: NOW)
    await recorder.record_feed()
    store.close()
    assert [each.simulated for each in heard] == [False]
    assert (recorder.recorded, recorder.lost, recorder.ended_by) == (2, 0, "")


async def test_a_result_carries_the_origin_of_its_feed(
    tmp_path: Path, heard: list[GameResult]
) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    feed = Said([RESULT])
    feed.origin = Origin("betfair")
    await Recorder(feed, store, lambda: NOW).record_feed()
    store.close()
    assert [each.source for each in heard] == ["betfair"]


async def test_results_that_the_database_refuses_are_kept_until_it_takes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, heard: list[GameResult]
) -> None:
    monkeypatch.setattr(feed_module, "RETRY_S", 0.01)
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    results = [
        msgspec.structs.replace(RESULT, match_name=f"Home {number} vs {'Away' * 40}")
        for number in range(1_200)
    ]
    await asyncio.wrap_future(store.run_on_writer(_limit_pages))
    recorder = Recorder(Said(results), store, lambda: NOW)
    running = asyncio.get_running_loop().create_task(recorder.record_feed())
    async with asyncio.timeout(30):
        while not recorder.waiting:
            await asyncio.sleep(0.005)
        assert recorder.fault is Fault.FULL
        await asyncio.wrap_future(store.run_on_writer(_free_pages))
        await running
    store.close()
    assert (recorder.waiting, recorder.lost, recorder.recorded) == (0, 0, 1_200)
    assert {each.match_name for each in heard} == {each.match_name for each in results}


@pytest.mark.parametrize(("simulated", "recorded"), [(True, 1), (False, 2)])
async def test_only_a_simulation_waits_before_it_goes_on(
    tmp_path: Path, simulated: bool, recorded: int
) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    waits, may_go_on = asyncio.Event(), asyncio.Event()

    async def before_more() -> None:
        waits.set()
        await may_go_on.wait()

    feed = Said(_quotes(0, 1), _quotes(1, 1), simulated=simulated)
    running = spawn("feed", Recorder(feed, store, lambda: NOW, before_more).record_feed())
    waiting = spawn("wait", waits.wait())
    await asyncio.wait([running, waiting], timeout=30, return_when=asyncio.FIRST_COMPLETED)
    assert store.reader().last_seq() == 2 * recorded
    assert running.done() is not simulated
    may_go_on.set()
    await running
    await cancel_tasks(waiting)
    assert store.reader().last_seq() == 2 * 2
    store.close()


async def test_what_was_made_up_is_withdrawn_when_it_ends(tmp_path: Path) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    simulation = Recorder(Said([QUOTE], simulated=True), store, lambda: NOW)
    await simulation.record_feed()
    await Recorder(Said(), store, lambda: NOW).withdraw_simulated()
    reader = store.reader()
    last = reader.last_seq()
    assert reader.is_simulated(NOW), "another feed's end is not a simulation's"
    await simulation.withdraw_simulated()
    withdrawn = reader.changes_after(last, 100)
    assert {(each.bookmaker, each.odds) for each in withdrawn} == {(QUOTE.bookmaker, None)}
    assert not reader.is_simulated(NOW)
    await simulation.withdraw_simulated()
    assert reader.last_seq() == withdrawn[-1].seq, "once is enough"
    store.close()


async def test_a_simulation_that_begins_takes_back_what_an_earlier_run_offered(
    tmp_path: Path,
) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    old, new = (msgspec.structs.replace(QUOTE, match_name=n) for n in ("A vs B", "C vs D"))
    await Recorder(Said([QUOTE, old], simulated=True), store, lambda: NOW).record_feed()
    reader, offered = store.reader(), {QUOTE.match_name, new.match_name}
    simulated: list[bool] = []
    store.on_commit(lambda: simulated.append(reader.is_simulated(NOW)))
    await Recorder(Said([QUOTE, new], simulated=True), store, lambda: NOW + 1).record_feed()
    standing = reader.standing_quotes(NOW, 60_000)
    assert {each.match_name for each in standing} == offered
    assert simulated, "and it is said to be simulated at any moment"
    assert all(simulated)
    real = msgspec.structs.replace(QUOTE, bookmaker="Bet365")
    await Recorder(Said([real]), store, lambda: NOW).record_feed()
    last = reader.last_seq()
    await Recorder(Said(simulated=True), store, lambda: NOW).record_feed()
    assert reader.last_seq() == last, "real odds are withdrawn by no simulation"
    store.close()


async def test_a_simulation_ends_by_itself_once_real_odds_are_recorded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    real = msgspec.structs.replace(QUOTE, bookmaker="Bet365", match_name="Nets vs Bulls")

    async def others_record() -> None:
        await Recorder(Said([real]), store, lambda: NOW).record_feed()

    made_up = Said([QUOTE], _quotes(0, 3), simulated=True)
    simulation = Recorder(made_up, store, lambda: NOW, others_record)
    await simulation.record_feed()
    assert "has real odds" in simulation.ended_by
    assert caplog.messages == [f"said ended: {simulation.ended_by}"]
    assert simulation.lost == 0
    odds = store.reader().list_odds(NOW, Filters(), Visibility(), 99).items
    assert {row.bookmaker for row in odds} == {"Bet365"}
    store.close()


def _quotes(first: int, count: int) -> list[Quote]:
    return [
        msgspec.structs.replace(QUOTE, match_name=f"Home {number} vs Away", url=LINK)
        for number in range(first, first + count)
    ]


async def test_a_batch_of_many_quotes_leaves_others_their_turn(tmp_path: Path) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    commits: list[bool] = []
    store.on_commit(lambda: commits.append(True))
    await Recorder(Said(_quotes(0, 1_200)), store, lambda: NOW).record_feed()
    assert store.reader().last_seq() == 2 * 1_200
    store.close()  # callbacks come after what a commit answers
    assert len(commits) == 3, "500 quotes each, at most"


async def test_what_the_database_refuses_is_kept_until_it_takes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(feed_module, "RETRY_S", 0.01)
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    feed = Said(_quotes(0, 10), _quotes(10, 1_000), _quotes(2_000, 10))
    recorder = Recorder(feed, store, lambda: NOW)
    await asyncio.wrap_future(store.run_on_writer(_limit_pages))
    running = asyncio.get_running_loop().create_task(recorder.record_feed())
    async with asyncio.timeout(30):
        while not recorder.waiting:
            await asyncio.sleep(0.005)
        assert recorder.fault is Fault.FULL
        assert store.recording_refusal() is not None
        await asyncio.wrap_future(store.run_on_writer(_free_pages))
        await running
    assert store.recording_refusal() is None
    assert (recorder.waiting, recorder.fault, recorder.lost) == (0, None, 0)
    assert store.reader().last_seq() == 2 * 1_020
    assert caplog.text.count("said is waiting, its quotes are kept") == 1
    store.close()


async def test_a_quote_that_cannot_be_recorded_costs_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    beyond = msgspec.structs.replace(QUOTE, scraped_at=2**70)
    recorder = Recorder(Said([*_quotes(0, 5), beyond, *_quotes(5, 5)]), store, lambda: NOW)
    await recorder.record_feed()
    assert recorder.lost == 1
    assert store.reader().last_seq() == 2 * 10
    assert caplog.text.count("said: a quote cannot be recorded") == 1
    store.close()


async def test_quotes_that_still_wait_when_a_feed_is_ended_are_told_as_lost(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    recorder = Recorder(Said(_quotes(0, 1_000)), store, lambda: NOW)
    await asyncio.wrap_future(store.run_on_writer(_limit_pages))
    running = asyncio.get_running_loop().create_task(recorder.record_feed())
    async with asyncio.timeout(30):
        while not recorder.waiting:
            await asyncio.sleep(0.005)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (recorder.waiting, recorder.lost) == (0, 1_000)
    assert "said ended: 1000 quotes are lost" in caplog.text
    store.close()


def _limit_pages(connection: sqlite3.Connection) -> None:
    pages = connection.execute("PRAGMA page_count").fetchall()[0][0]
    connection.execute(f"PRAGMA max_page_count = {pages + 2}").fetchall()


def _free_pages(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA max_page_count = 1000000").fetchall()


@pytest.mark.parametrize("refuses_many", [False, True])
async def test_a_simulation_that_waits_for_a_busy_database_loses_nothing_to_real_odds(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    refuses_many: bool,
) -> None:
    """An import of real odds keeps it waiting; then made-up ones are refused for good."""
    monkeypatch.setattr(feed_module, "RETRY_S", 0)
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    own = store.record
    busy = StoreUnavailableError("busy", Fault.FULL)
    refusals: list[Exception] = [ValueError("one is bad") if refuses_many else busy]

    def record(quotes: list[Quote], simulated: bool, *rest: object, **more: object) -> object:
        if refusals:
            own([msgspec.structs.replace(QUOTE, bookmaker="Bet365")]).result()
            refused: Future[None] = Future()
            refused.set_exception(refusals.pop())
            return refused
        return own(quotes, simulated, *rest, **more)

    monkeypatch.setattr(store, "record", record)
    simulation = Recorder(Said(_quotes(0, 70), simulated=True), store, lambda: NOW)
    await simulation.record_feed()
    assert "cannot take simulated" in simulation.ended_by
    assert simulation.lost == 0
    assert not [line for line in caplog.messages if "lost" in line]
    store.close()
