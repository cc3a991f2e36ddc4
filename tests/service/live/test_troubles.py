"""Health says the truth within a second, and what died is restarted within two (D82)."""

import asyncio
import contextlib
import errno
import json
import logging
import os
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from oddsdesk.cluster import server as server_next_to_others
from oddsdesk.contract.quotes import MOST_ODDS
from oddsdesk.contract.times import format_ms
from oddsdesk.feeds.replay import Replay
from oddsdesk.server import valuation as valuation_module
from oddsdesk.server.edge.listener import Acceptor
from oddsdesk.server.run import duties, files
from oddsdesk.server.run.runner import serving
from oddsdesk.server.settings import ALL_ROLES, ANSWERING, Settings
from oddsdesk.server.stream.hub import Hub
from oddsdesk.server.valuation import KnownReferences, Valuation
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.lock import lock_database
from tests.kit.disks import refuse_writes
from tests.kit.program import as_owner
from tests.kit.promises import in_time

TOLD_S = 1.0
ANEW_S = 2.0


async def _health(live):
    answer = await live.http.get("/api/health")
    assert answer.status_code == 200
    return answer.json()


async def _until(live, status: str, limit_s: float, reason: str = ""):
    async with asyncio.timeout(in_time(limit_s)):
        while True:
            health = await _health(live)
            if health["status"] == status and any(reason in each for each in health["reasons"]):
                return health
            if health["status"] == status and not reason:
                return health
            await asyncio.sleep(0.02)


def _failing_once(monkeypatch, kind, name):
    """Let a method fail the first time; returns what is set when it has failed."""
    working, failed = getattr(kind, name), asyncio.Event()

    def fail(self, *arguments):
        if failed.is_set():
            return working(self, *arguments)
        failed.set()
        raise RuntimeError("by the test")

    monkeypatch.setattr(kind, name, fail)
    return failed


# Jobs


async def test_the_hub_is_begun_again_and_loses_no_message(live, listening, monkeypatch):
    """D82: it goes on behind the last change that it read."""
    client = await live.stream()
    failed = _failing_once(monkeypatch, Hub, "_send")
    await live.record(live.quote())
    await failed.wait()
    health = await _until(live, "degraded", TOLD_S, "the stream failed; restarting")
    assert health["database"] == "ok"
    began = time.monotonic()
    heard = [await listening.message(client) for _ in range(3)]
    assert time.monotonic() - began < in_time(ANEW_S)
    assert [each["odds"] for each in heard] == [2.1, 3.4, 3.6]
    assert await listening.all_before_pong(client) == []
    await client.close()


async def test_who_may_have_missed_something_of_the_hub_is_closed(live, listening, monkeypatch):
    """D82: 4008, read the present state again; who comes later misses nothing."""
    first = await live.stream()
    failed = _failing_once(monkeypatch, Hub, "_hand_out")
    await live.record(live.quote())
    await failed.wait()
    assert await listening.close_code(first) == 4008
    second = await live.stream()
    await live.record(live.quote(odds={"Arsenal": 2.2, "Draw": 3.4, "Chelsea": 3.6}))
    assert (await listening.message(second))["odds"] == 2.2
    await second.close()


async def test_taking_over_as_leader_is_restarted_and_reported(live):
    """D82, of a process by itself as of a worker: nobody else would do it."""

    async def die() -> None:
        raise RuntimeError("by the test")

    live.server._jobs.start_job("take over", die)
    line = "taking over as leader failed; restarting"
    await _until(live, "degraded", TOLD_S, line)


@pytest.mark.parametrize(
    ("job", "words"), [("_go_to_the_end", "the valuation"), ("_go_round", "revaluing all games")]
)
async def test_the_valuation_is_restarted(live, monkeypatch, job, words):
    """D82."""
    monkeypatch.setattr(valuation_module, "ROUND_S", 0.05)
    await live.stop()
    failed = _failing_once(monkeypatch, Valuation, job)
    await live.start()
    await asyncio.wait_for(failed.wait(), 30)
    await _until(live, "degraded", TOLD_S, f"{words} failed; restarting")
    await live.record(live.quote(bookmaker="Pinnacle"), live.quote(odds={"Arsenal": 2.25}))
    await _bets(live, [2.25])


async def test_http_itself_is_begun_again_at_the_same_address(live, monkeypatch):
    """D82."""
    failed = _failing_once(monkeypatch, Acceptor, "_take_next")
    with contextlib.suppress(httpx.HTTPError):  # its connection may end with what takes it
        await live.http.get("/api/health")
    await asyncio.wait_for(failed.wait(), 30)
    health = await _until(live, "degraded", ANEW_S, "the HTTP server failed; restarting")
    assert health["database"] == "ok"


async def test_a_feed_that_fails_is_begun_again_and_says_why(live, monkeypatch, tmp_path):
    """D82: at once in the list of feeds, by number in health."""
    file = _recording(tmp_path, live.now, 5)
    working, calls = Replay.batches, []

    async def batches(self, clock):
        calls.append(None)
        if len(calls) == 1:
            raise RuntimeError("by the test")
        async for batch in working(self, clock):
            yield batch

    monkeypatch.setattr(Replay, "batches", batches)
    (number,) = await live.server.running_feeds.open_feeds([f"replay:{file}"], 60)
    await live.server.running_feeds.start_feed(number)
    health = await _until(live, "degraded", TOLD_S, "feed 1 failed; restarting")
    assert "ndjson" not in str(health)
    (state,) = live.server.running_feeds.states()
    assert (state.is_running, "RuntimeError: by the test" in state.problem) == (True, True)
    async with asyncio.timeout(in_time(ANEW_S)):
        while live.store.reader().last_seq() < 15:
            await asyncio.sleep(0.02)
    await live.server.running_feeds.stop_feed(number)
    assert [each.is_running for each in live.server.running_feeds.states()] == [False]
    assert (await _health(live))["status"] == "ok"


# Rows and markets that make no sense


async def test_a_row_with_an_absurd_time_stops_neither_stream_nor_lists(live, listening):
    """F5.2: whatever program wrote it."""
    client = await live.stream()
    await live.record(live.quote(), live.quote(bookmaker="Pinnacle"))
    for _ in range(6):
        await listening.message(client)
    for absurd in (2**62, -(2**62), 10**14, -(10**14)):
        await asyncio.wrap_future(
            live.store.run_on_writer(lambda c, ms=absurd: _make_absurd(c, ms))
        )
        heard = await listening.message(client)
        assert heard["scraped_at"][:4] in ("0001", "9999", "5138", "-119")
        key = live.key()
        for path in ("odds", "games", "events", "bookmakers", "sports", "value-bets"):
            answer = await live.http.get(f"/api/{path}", headers={"X-Api-Key": key})
            assert answer.status_code == 200, answer.text
        game = (await live.get("/api/games", key))[:1]
        for each in game:
            await live.get(f"/api/games/{each['game_id']}", key)
        assert (await _health(live))["status"] == "ok"
    await live.record(live.quote(bookmaker="Bwin", scraped_at=live.now))
    assert (await listening.message(client))["bookmaker"] == "Bwin"
    await client.close()


def _make_absurd(connection, ms: int) -> None:
    connection.execute("UPDATE quote SET scraped_at = ? WHERE bookmaker = 'Betfair'", (ms,))
    connection.execute("UPDATE coverage SET newest = ? WHERE bookmaker = 'Betfair'", (ms,))
    connection.execute("UPDATE source SET newest = ? WHERE bookmaker = 'Betfair'", (ms,))
    connection.execute("UPDATE game SET match_date = ?, last_scraped_at = ?", (ms, max(ms, 1)))
    connection.execute(
        "INSERT INTO price_change (game, bookmaker, market_type, period, selection, odds, is_live,"
        " scraped_at, liquidity, recorded_at) SELECT game, bookmaker, market_type, period,"
        " 'Arsenal', 2.5, 0, ?, NULL, ? FROM quote WHERE bookmaker = 'Betfair' LIMIT 1",
        (ms, ms),
    )


async def _bets(live, odds: list[float]) -> None:
    key = live.key()
    async with asyncio.timeout(30):
        while [bet["odds"] for bet in await live.get("/api/value-bets", key)] != odds:
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("method", ["shin", "power", "probit", "goto"])
async def test_a_quote_at_the_ends_of_floating_point_stops_no_valuation(live, method):
    """F5.2: `serve --devig shin` and 1.5 / the most that is taken / 1.0000000000000002."""
    await live.stop()
    live.devig_method = method
    await live.start()
    absurd = {"Arsenal": 1.5, "Draw": MOST_ODDS, "Chelsea": 1.0000000000000002}
    other = {"match_name": "Leeds - Everton"}
    await live.record(live.quote(bookmaker="Pinnacle", odds=absurd), live.quote(odds=absurd))
    fair = {"Leeds": 2.1, "Draw": 3.4, "Everton": 3.6}
    await live.record(live.quote(bookmaker="Pinnacle", odds=fair, **other))
    await live.record(live.quote(odds={"Leeds": 2.25}, **other))
    await _bets(live, [2.25])
    assert (await _health(live))["status"] == "ok"


async def test_a_market_that_fails_stops_no_other_and_is_told(live, monkeypatch, caplog):
    """F5.2, D82: logged once."""
    working = KnownReferences.market_of

    def of(self, place, market, odds):
        if market.match_name == "Arsenal - Chelsea":
            raise RuntimeError("by the test")
        return working(self, place, market, odds)

    monkeypatch.setattr(KnownReferences, "market_of", of)
    other = {"match_name": "Leeds - Everton"}
    fair = {"Leeds": 2.1, "Draw": 3.4, "Everton": 3.6}
    await live.record(live.quote(bookmaker="Pinnacle"), live.quote())
    await live.record(live.quote(bookmaker="Pinnacle", odds=fair, **other))
    await live.record(live.quote(odds={"Leeds": 2.25}, **other))
    await _bets(live, [2.25])
    await _until(live, "degraded", TOLD_S, "1 markets cannot be valued")
    assert caplog.text.count("and perhaps more, cannot be valued") == 1
    monkeypatch.setattr(KnownReferences, "market_of", working)
    await live.record(live.quote(odds={"Arsenal": 2.0, "Draw": 3.4, "Chelsea": 3.6}))
    await _until(live, "ok", TOLD_S)


async def test_quotes_that_a_feed_lost_are_told(live, monkeypatch, tmp_path):
    """D82: those that cannot be recorded for an error of their own; all others are."""
    working = live.store.record

    def record(quotes, *arguments, **named):
        if any(quote.match_name.startswith("Arsenal 3 ") for quote in quotes):
            raise RuntimeError("by the test")
        return working(quotes, *arguments, **named)

    monkeypatch.setattr(live.store, "record", record)
    (number,) = await live.server.running_feeds.open_feeds(
        [f"replay:{_recording(tmp_path, live.now, 5)}"], 1e6
    )
    await live.server.running_feeds.start_feed(number)
    await _until(live, "degraded", TOLD_S, f"feed {number}: 1 quotes were lost")
    async with asyncio.timeout(30):
        while live.store.reader().last_seq() < 12:
            await asyncio.sleep(0.05)
    assert (await live.http.get("/api/ready")).status_code == 200, "recording goes on"


# Others


async def test_who_only_answers_tells_that_nobody_else_values_and_records(live):
    """D82: with `--roles` split over commands, and the other one dead."""
    await live.stop()
    live.options = {"roles": ANSWERING}
    lock = lock_database(live.database)
    await live.start()
    await _until(live, "ok", TOLD_S)
    lock.release_lock()
    await _until(live, "degraded", TOLD_S, "nobody runs valuation, upkeep, feeds")
    assert (await live.http.get("/api/ready")).status_code == 200, "what is stored is answered"
    lock = lock_database(live.database)
    await _until(live, "ok", TOLD_S)
    lock.release_lock()


# Disk and file


def _recording(folder: Path, now: int, quotes: int) -> Path:
    file = folder / "recording.ndjson"
    lines = [
        {
            "bookmaker": "Betfair", "match_name": f"Arsenal {number} - Chelsea",
            "competition": "EPL", "market_type": "moneyline", "period": 0,
            "odds": {f"Arsenal {number}": 2.1, "Draw": 3.4, "Chelsea": 3.6},
            "scraped_at": format_ms(now + number), "url": f"https://example.org/{'a' * 2_000}",
        }
        for number in range(quotes)
    ]  # fmt: skip
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 32 MB of its own; where none can be made the test is skipped."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(folder)]
    try:
        made = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        made = False
    if not made:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


async def test_a_full_disk_is_told_at_once_and_loses_no_quote(live, small_disk, tmp_path):
    """D82, F5.3: on a disk that is really full, with a feed that goes on."""
    await live.stop()
    live.database = small_disk / "odds.db"
    await live.start()
    key = live.key()
    ballast = small_disk / "ballast"
    free = os.statvfs(small_disk)
    ballast.write_bytes(bytes(free.f_bavail * free.f_frsize - 300_000))
    (number,) = await live.server.running_feeds.open_feeds(
        [f"replay:{_recording(tmp_path, live.now, 400)}"], 1e6
    )
    await live.server.running_feeds.start_feed(number)
    health = await _until(live, "degraded", 5, " quotes wait, the disk is full")
    assert health["database"] == "the disk is full"
    assert "odds cannot be recorded: the disk is full" in health["reasons"]
    assert str(small_disk) not in str(health)
    ready = await live.http.get("/api/ready")
    assert (ready.status_code, ready.json()["status"]) == (503, "not ready")
    assert (await live.http.get("/api/odds", headers={"X-Api-Key": key})).status_code == 200
    ballast.unlink()
    await _until(live, "ok", 5)
    assert (await live.http.get("/api/ready")).json() == {"status": "ready", "reasons": []}
    async with asyncio.timeout(30):
        while live.store.reader().last_seq() < 1_200:
            await asyncio.sleep(0.05)
    assert [each.problem for each in live.server.running_feeds.states()] == [""]
    await live.stop()


async def test_a_full_disk_is_told_where_only_others_record(live, small_disk):
    """D82: with nothing to record itself, the server says what `ingest` meets at the same time."""
    await live.stop()
    live.database = small_disk / "odds.db"
    await live.start()
    assert (await _health(live))["status"] == "ok"
    free = os.statvfs(small_disk)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(free.f_bavail * free.f_frsize))
    health = await _health(live)
    assert (health["status"], health["database"]) == ("degraded", "the disk is full")
    assert (await live.http.get("/api/ready")).status_code == 503
    ballast.unlink()
    assert (await _health(live))["status"] == "ok"
    await live.stop()


async def test_room_on_a_disk_that_was_full_is_told_though_nobody_records_any_more(
    live, small_disk, tmp_path
):
    """D82: within a second, as that it is full."""
    await live.stop()
    live.database = small_disk / "odds.db"
    await live.start()
    await live.record(live.quote())
    free = os.statvfs(small_disk)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(free.f_bavail * free.f_frsize))
    await _until(live, "degraded", 1.5, "odds cannot be recorded: the disk is full")
    lines = _recording(tmp_path, live.now, 400).read_bytes()
    assert (
        await live.http.post("/ingest", content=lines, headers=as_owner(live.database))
    ).status_code == 503
    assert "recording what is posted: the disk is full" in (await _health(live))["reasons"]
    ballast.unlink()
    assert (await live.http.get("/api/ready")).status_code == 200
    await _until(live, "ok", 1.5)
    await live.stop()


async def test_a_database_that_is_moved_away_takes_nothing_and_is_told(live, tmp_path):
    """What went into a deleted file was acknowledged and gone at the stop."""
    line = {
        "bookmaker": "A", "match_name": "A - B", "competition": "EPL", "market_type": "moneyline",
        "period": 0, "odds": {"A": 2.1, "Draw": 3.4, "B": 3.6}, "scraped_at": format_ms(live.now),
    }  # fmt: skip
    (number,) = await live.server.running_feeds.open_feeds(
        [f"replay:{_recording(tmp_path, live.now, 3)}"], 1e6
    )
    assert (await _health(live))["status"] == "ok"
    owner = as_owner(live.database)
    away = live.database.rename(tmp_path / "away.db")
    answer = await live.http.post("/ingest", content=json.dumps(line), headers=owner)
    assert answer.status_code == 503, answer.text
    await live.server.running_feeds.start_feed(number)
    health = await _until(live, "degraded", 5, "quotes wait, the database file was moved")
    assert "recording what is posted: the database file was moved or deleted" in health["reasons"]
    assert health["database"] == "the database file was moved or deleted"
    assert (
        "odds cannot be recorded: the database file was moved or deleted; put it back, or stop"
        " the server, restore a backup and restart"
    ) in health["reasons"]
    assert str(tmp_path) not in str(health)
    assert (await live.http.get("/api/ready")).status_code == 503
    away.rename(live.database)
    answer = await live.http.post("/ingest", content=json.dumps(line), headers=owner)
    assert (answer.status_code, answer.json()["accepted"]) == (200, 1)
    assert not any("posted" in each for each in (await _health(live))["reasons"])
    async with asyncio.timeout(in_time(30)):
        while live.store.reader().last_seq() < 12:
            await asyncio.sleep(0.05)
    assert (await live.http.get("/api/ready")).json() == {"status": "ready", "reasons": []}
    assert [each.problem for each in live.server.running_feeds.states()] == [""]


@pytest.mark.parametrize(
    ("refused_by", "reason"),
    [
        (errno.EROFS, "the file system is read-only"),
        (errno.EDQUOT, "the disk quota is full"),
        (errno.EIO, "the disk reports an error"),
    ],
)
async def test_a_disk_that_refuses_is_reported_though_nothing_is_recorded(
    live, monkeypatch, refused_by, reason
):
    """D82: like a full disk; it is over when the disk takes a write again."""
    await live.record(live.quote())
    refuse_writes(monkeypatch, refused_by)
    health = await _until(live, "degraded", TOLD_S, f"odds cannot be recorded: {reason}")
    assert health["database"] == reason
    assert str(live.database) not in str(health)
    ready = await live.http.get("/api/ready")
    assert (ready.status_code, ready.json()["reasons"]) == (
        503,
        [f"odds cannot be recorded: {reason}"],
    )
    monkeypatch.undo()
    await _until(live, "ok", TOLD_S)
    assert (await live.http.get("/api/ready")).status_code == 200


async def test_lost_rights_are_reported_while_open_files_are_still_written(live, monkeypatch):
    """The database is open already; others, and the next start, cannot record."""
    refuse_writes(monkeypatch, errno.EACCES)
    health = await _until(live, "degraded", TOLD_S, "only this server can record")
    assert health["database"] == "ok"
    assert (await live.http.get("/api/ready")).status_code == 200
    await live.record(live.quote())
    monkeypatch.undo()
    await _until(live, "ok", TOLD_S)


@pytest.mark.parametrize(("roles", "status"), [(ALL_ROLES, 503), (ANSWERING, 200)])
async def test_a_server_of_a_database_that_can_only_be_read_says_so(
    live, monkeypatch, tmp_path, roles, status
):
    """A server that only answers is ready; one that should record or value is not."""
    await live.stop()
    for module in files, duties, server_next_to_others:
        monkeypatch.setattr(module, "can_write", lambda _: False)
    live.options = {"roles": roles, "access": tmp_path / "keys.db"}
    await live.start()
    line = "nothing is recorded or valued: the database is read-only"
    health = await _until(live, "degraded", TOLD_S, line)
    assert health["database"] == "the database is read-only"
    assert (await live.http.get("/api/ready")).status_code == status
    monkeypatch.setattr(duties, "can_write", lambda _: True)
    await _until(live, "degraded", TOLD_S, "it is writable now: restart the server")


async def test_a_lock_that_another_program_keeps_is_told_though_nothing_is_recorded(
    live, monkeypatch
):
    """D82: with nothing to record or to save, nobody here meets it."""
    monkeypatch.setattr(duties, "LOOK_S", 0.05)
    await live.stop()
    await live.start()
    other = sqlite3.connect(live.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    health = await _until(live, "degraded", 5, "locked by another program")
    assert health["database"] == "the database is locked by another program"
    assert (await live.http.get("/api/ready")).status_code == 503
    other.execute("ROLLBACK")
    other.close()
    await _until(live, "ok", 5)


async def test_a_refused_recording_is_told_at_once(live):
    """D82: of whatever program's doing."""
    await asyncio.wrap_future(live.store.run_on_writer(_limit_pages))
    link = f"https://example.org/{'a' * 2_000}"
    quotes = [live.quote(match_name=f"A{number} - B", url=link) for number in range(500)]
    with pytest.raises(StoreUnavailableError):
        await live.record(*quotes)
    health = await _health(live)
    assert (health["status"], health["database"]) == ("degraded", "the disk is full")
    await asyncio.wrap_future(live.store.run_on_writer(_free_pages))
    await live.record(*quotes)
    assert (await _health(live))["status"] == "ok"


async def test_a_damaged_file_is_told_at_once(live):
    """D82, F5.3: also where the page that health reads is whole."""
    link = f"https://example.org/{'a' * 2_000}"
    await live.record(*(live.quote(match_name=f"A{number} - B", url=link) for number in range(500)))
    root, size = live.store.reader()._select(
        "SELECT rootpage, (SELECT page_size FROM pragma_page_size)"
        " FROM sqlite_master WHERE name = 'quote'"
    )[0]
    await live.stop()
    await live.start()
    with live.database.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    answer = await live.http.get("/api/odds", headers={"X-Api-Key": live.key()})
    assert answer.status_code == 503, answer.text
    health = await _health(live)
    assert (health["status"], health["database"]) == ("degraded", "the database is damaged")


def _limit_pages(connection) -> None:
    pages = connection.execute("PRAGMA page_count").fetchall()[0][0]
    connection.execute(f"PRAGMA max_page_count = {pages + 2}").fetchall()


def _free_pages(connection) -> None:
    connection.execute("PRAGMA max_page_count = 1000000").fetchall()


async def test_a_server_without_odds_and_feed_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    caplog.set_level("INFO", duties.__name__)
    for feeds, count in (("none",), 1), (("simulator",), 0), (("none",), 0):
        caplog.clear()
        async with serving(Settings(tmp_path / "odds.db", port=0, feeds=feeds)) as server:
            told = [
                each for each in caplog.records if ("the database has no odds") in each.getMessage()
            ]
            async with asyncio.timeout(in_time(30)):
                while feeds == ("simulator",) and server.store.reader().last_scraped_at() is None:
                    await asyncio.sleep(0.05)
        assert len(told) == count


async def test_a_mistyped_reference_is_told_at_the_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    """Before a price could show it: nothing would ever be value."""
    caplog.set_level(logging.WARNING, "oddsdesk")
    async with serving(Settings(tmp_path / "odds.db", port=0, reference="Pinacle")):
        (told,) = [each.getMessage() for each in caplog.records if each.name == duties.__name__]
    assert told.endswith("nothing can be valued; did you mean Pinnacle?")
