"""Questions to a loop in another thread, and what becomes of them when it ends."""

import asyncio
import gc
import json
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from pathlib import Path

import msgspec
import pytest

from oddsdesk.contract.administration import ImportOutcome
from oddsdesk.contract.times import parse_ms
from oddsdesk.server.run import embedded as questions
from oddsdesk.server.run.embedded import LoopCalls, import_files
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.store import open_store
from tests.kit.watching import quote

LIMIT_S = 30


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop that runs in a thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join(LIMIT_S)
    loop.close()


async def _seven() -> int:
    return 7


async def _fail() -> int:
    raise LookupError("no such feed")


async def _until(event: threading.Event) -> int:
    await asyncio.to_thread(event.wait, LIMIT_S)
    return 7


def _end(loop: asyncio.AbstractEventLoop, asked: LoopCalls) -> Future[None]:
    return asyncio.run_coroutine_threadsafe(asked.end_calls(), loop)


def test_a_question_is_answered_or_fails_as_its_work_does(loop):
    asked = LoopCalls(loop)
    assert asked.run_on_loop(_seven()).result(LIMIT_S) == 7
    with pytest.raises(LookupError, match="no such feed"):
        asked.run_on_loop(_fail()).result(LIMIT_S)


def test_what_was_asked_before_the_end_is_answered_yet(loop):
    asked, event = LoopCalls(loop), threading.Event()
    answer = asked.run_on_loop(_until(event))
    ending = _end(loop, asked)
    event.set()
    ending.result(LIMIT_S)
    assert answer.result(LIMIT_S) == 7


def test_what_fails_while_the_end_waits_is_told_to_who_asked_and_to_no_log(loop, caplog):
    asked, event = LoopCalls(loop), threading.Event()

    async def fail_late() -> None:
        await asyncio.to_thread(event.wait, LIMIT_S)
        raise LookupError("broken off")

    answer = asked.run_on_loop(fail_late())
    ending = _end(loop, asked)
    event.set()
    ending.result(LIMIT_S)
    assert repr(answer.exception(LIMIT_S)) == "LookupError('broken off')"
    del answer, asked, ending
    gc.collect()  # what nobody took is told where it is thrown away
    assert not caplog.records


def test_what_takes_longer_than_the_end_waits_is_refused(loop, monkeypatch):
    monkeypatch.setattr(questions, "PATIENCE_S", 0.01)
    asked, event = LoopCalls(loop), threading.Event()
    answer = asked.run_on_loop(_until(event))
    _end(loop, asked).result(LIMIT_S)
    with pytest.raises(StoreUnavailableError, match="stopped"):
        answer.result(LIMIT_S)
    event.set()


def test_what_is_asked_while_the_loop_lets_its_threads_go_is_refused(loop):
    """There is no thread for it any more: asyncio says `Executor shutdown has been called`."""
    asked = LoopCalls(loop)
    _end(loop, asked).result(LIMIT_S)
    asyncio.run_coroutine_threadsafe(loop.shutdown_default_executor(), loop).result(LIMIT_S)
    with pytest.raises(StoreUnavailableError, match="stopped"):
        asked.run_on_loop(_until(threading.Event())).result(LIMIT_S)


def test_who_waits_no_more_ends_the_work(loop):
    asked, ended = LoopCalls(loop), threading.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    answer = asked.run_on_loop(work())
    asked.run_on_loop(_seven()).result(LIMIT_S)
    answer.cancel()
    assert ended.wait(LIMIT_S)
    with pytest.raises(CancelledError):
        answer.result(LIMIT_S)


NOW = parse_ms("2026-04-12T12:00:00Z")
COLUMNS = "Div,Date,Time,HomeTeam,AwayTeam"
HEADER = f"{COLUMNS},B365CH,B365CD,B365CA\n"


def season(path: Path, day: str) -> str:
    path.write_text(f"{HEADER}E0,{day},17:30,Leeds,Hull,2.0,3.5,3.8\n")
    return str(path)


def test_odds_that_are_read_as_american_are_noted(tmp_path: Path) -> None:
    file = tmp_path / "odds.json"
    kick_off, price = {"starts": "2026-04-13T12:00:00Z"}, {"moneyline": {"home": -110, "away": 120}}
    league = {"name": "L", "events": [{"id": 1, "home": "Leeds", "away": "Hull"} | kick_off]}
    fixtures = tmp_path / "fixtures.json"
    fixtures.write_text(json.dumps({"sportId": 29, "league": [league]}))
    events = [{"id": 1, "periods": [{"number": 0} | price]}]
    file.write_text(json.dumps({"sportId": 29, "last": NOW, "leagues": [{"events": events}]}))
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    places = [str(file), str(fixtures)]
    outcome = import_files(store, lambda: NOW, "pinnacle", places, shift_to_now=False)
    store.close()
    assert outcome.kept == 2
    [note] = outcome.notes
    assert note.startswith("read as American odds")


def test_what_an_older_file_adds_nothing_to_is_noted(tmp_path: Path) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    opening, closing = tmp_path / "opening.csv", tmp_path / "closing.csv"
    for path, closes in ((opening, ""), (closing, "C")):
        columns = ",".join(f"B365{closes}{outcome}" for outcome in "HDA")
        path.write_text(f"{COLUMNS},{columns}\nE0,16/08/2024,17:30,Leeds,Hull,2.0,3.5,3.8\n")
    outcomes = [
        import_files(store, lambda: NOW, "football-data", [str(path)], shift_to_now=False)
        for path in (closing, opening)
    ]
    store.close()
    assert [outcome.quotes for outcome in outcomes] == [1, 0]
    assert [outcome.notes for outcome in outcomes] == [
        [],
        [
            "quotes skipped, because newer ones of their markets are recorded: 1. History is not"
            " filled in later: record these in a new database first, then what"
            " `oddsdesk export quotes` writes from this one"
        ],
    ]
    assert [outcome.kept for outcome in outcomes] == [3, 0]
    assert [outcome.skipped for outcome in outcomes] == [{}, {"older than the recorded price": 3}]


@pytest.mark.parametrize("shift_to_now", [True, False])
def test_the_database_knows_whether_times_were_moved(tmp_path: Path, shift_to_now: bool) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    places = [season(tmp_path / "season.csv", "16/08/2024")]
    import_files(store, lambda: NOW, "football-data", places, shift_to_now=shift_to_now)
    assert store.reader().is_shifted(NOW) is shift_to_now
    store.close()


def test_shifted_times_and_real_ones_are_mixed_only_on_request(tmp_path: Path) -> None:
    first, second = (
        [season(tmp_path / f"{day[:2]}.csv", day)] for day in ("16/08/2024", "15/08/2024")
    )
    for shift_first in (True, False):
        store = open_store(tmp_path / f"{shift_first}.db", clock=lambda: NOW)

        def run(places: list[str], shift: bool, together: bool = False) -> ImportOutcome:
            return import_files(
                store,  # noqa: B023 - called in this round only
                lambda: NOW,
                "football-data",
                places,
                shift_to_now=shift,
                together=together,
            )

        assert run(first, shift_first).apart == ""
        refused = run(second, not shift_first)
        assert (refused.kept, refused.quotes, refused.skipped) == (0, 0, {})
        assert "the odds here" in refused.apart
        assert run(second, not shift_first, together=True).quotes == 1
        store.close()


def test_a_wrong_file_is_named_before_another_database_is_offered(tmp_path: Path) -> None:
    """The desk offered another database before the file had been read."""
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    whole = season(tmp_path / "season.csv", "16/08/2024")
    import_files(store, lambda: NOW, "football-data", [whole], shift_to_now=True)
    (tmp_path / "wrong.csv").write_text("Selection,Stake,Odds\nLeeds,10,2.0\n")
    wrong = str(tmp_path / "wrong.csv")
    alone, both = (
        import_files(store, lambda: NOW, "football-data", places, shift_to_now=False)
        for places in ([wrong], [whole, wrong])
    )
    store.close()
    assert alone.apart == ""
    assert "wrong.csv" in alone.problems[0]
    assert both.apart
    assert "wrong.csv" in both.problems[0]


def test_simulated_odds_keep_no_files_out(tmp_path: Path) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    made_up = quote("Harbour", {"Home": 2.0, "Away": 1.9})
    store.record([msgspec.structs.replace(made_up, scraped_at=NOW)], simulated=True).result()
    places = [season(tmp_path / "season.csv", "16/08/2024")]
    outcome = import_files(store, lambda: NOW, "football-data", places, shift_to_now=True)
    store.close()
    assert (outcome.apart, outcome.quotes) == ("", 1)


def test_files_that_come_later_are_moved_as_the_first_were(tmp_path: Path) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    first, earlier, later = (
        season(tmp_path / f"{day[:2]}.csv", day)
        for day in ("16/08/2024", "15/08/2024", "17/08/2024")
    )
    outcomes = [
        import_files(store, lambda: NOW, "football-data", [place], shift_to_now=True)
        for place in (first, earlier, later)
    ]
    query = "SELECT match_date FROM game ORDER BY match_date"
    dates = store.run_on_writer(lambda c: c.execute(query).fetchall()).result(10)
    store.close()
    assert dates == [(NOW - 86_400_000,), (NOW,)]
    assert [outcome.quotes for outcome in outcomes] == [1, 1, 0]
    assert [outcome.is_past for outcome in outcomes] == [False, True, False]
    assert "for Leeds vs Hull; all times were shifted" in outcomes[2].problems[0]
    assert [bool(outcome.apart) for outcome in outcomes] == [False, False, True]
