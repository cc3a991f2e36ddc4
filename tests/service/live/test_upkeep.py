"""What a server does besides answering: counts are saved, old changes forgotten."""

import asyncio
import contextlib
import threading
import time

import duckdb
import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.contract.times import format_ms
from oddsdesk.server.run import duties
from oddsdesk.server.run.duties import Pruning
from oddsdesk.store.access import open_access
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.quotas import Kind
from oddsdesk.store.sqlite.reader import SqliteReader

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


async def test_counts_survive_a_restart(live):
    """D18."""
    key = live.key(Plan.PRO)
    for _ in range(3):
        await live.get("/api/sports", key)
    await live.stop()
    await live.start()
    answer = await live.http.get("/api/sports", headers={"X-Api-Key": key})
    assert answer.headers["X-RateLimit-Remaining"] == "5496"


async def test_counts_are_saved_while_it_runs(live):
    """D18: at most the last second may be lost."""
    key = live.key(Plan.PRO)
    await live.get("/api/sports", key)
    with contextlib.closing(open_access(live.database)) as other:
        caller = other.keys.caller(key)
        assert caller is not None
        slot = (caller.key_id, Kind.REQUESTS, HOUR_MS // 1000)
        async with asyncio.timeout(10):
            while other.quotas.peek(*slot[:2], 5_500, slot[2], live.now).remaining != 5_499:
                await asyncio.sleep(0.05)
                other.quotas.learn([slot], live.now)


async def _record_for_a_month(live, kick_off):
    """Say the same again and again: a month without any price would be doubted (D76)."""
    for _ in range(6):
        await live.record(live.quote(match_date=kick_off))
        live.now += 5 * DAY_MS
    await live.record(live.quote(match_date=kick_off))
    live.now += DAY_MS


async def test_changes_older_than_the_retention_are_forgotten(live):
    await asyncio.wrap_future(live.store.keep_log(30))
    kick_off = live.now + 90 * DAY_MS
    await _record_for_a_month(live, kick_off)
    moved = {"Arsenal": 2.2, "Draw": 3.4, "Chelsea": 3.6}
    await live.record(live.quote(odds=moved, match_date=kick_off))
    await live.stop()
    await live.start()
    async with asyncio.timeout(30):
        while len(live.store.reader().changes_after(0, 10)) != 1:
            await asyncio.sleep(0.02)


async def test_history_that_only_the_clock_calls_old_stays_and_health_says_so(live):
    """D76: two starts with a clock that was a month ahead took everything."""
    await asyncio.wrap_future(live.store.keep_log(1))
    await live.record(live.quote())
    live.now += 30 * DAY_MS
    await live.record(live.quote(odds={"Arsenal": 2.2}))
    await live.stop()
    await live.start()
    async with asyncio.timeout(10):
        while "after 30.0 days without any" not in (await live.http.get("/api/health")).text:
            await asyncio.sleep(0.02)
    assert len(live.store.reader().changes_after(0, 10)) == 4


async def test_what_goes_is_in_the_archive(live, tmp_path):
    """And stays where it cannot be written there."""
    folder = tmp_path / "archive"
    folder.write_text("no folder")
    live.options["archive"] = folder
    await asyncio.wrap_future(live.store.keep_log(30))
    kick_off = live.now + 90 * DAY_MS
    await _record_for_a_month(live, kick_off)
    await live.record(live.quote(odds={"Arsenal": 2.2}, match_date=kick_off))
    await live.stop()
    await live.start()
    line = "price history cannot be archived; it stays in the database until it can"
    async with asyncio.timeout(10):
        while line not in (await live.http.get("/api/health")).json()["reasons"]:
            await asyncio.sleep(0.02)
    assert len(live.store.reader().changes_after(0, 10)) == 6
    await live.stop()
    folder.unlink()
    await live.start()
    async with asyncio.timeout(10):
        while len(live.store.reader().changes_after(0, 10)) != 3:
            await asyncio.sleep(0.02)
    (file,) = folder.glob("date=*/*.parquet")
    found = duckdb.sql(f"SELECT selection, odds FROM '{file}' ORDER BY seq").fetchall()
    assert found == [("Arsenal", 2.1), ("Draw", 3.4), ("Chelsea", 3.6)]
    assert line not in (await live.http.get("/api/health")).json()["reasons"]


async def test_everything_is_kept_where_nobody_said_otherwise(live):
    """F2.1: sixty days were gone after five seconds of a server."""
    kick_off = live.now + 90 * DAY_MS
    await live.record(live.quote(match_date=kick_off))
    live.now += 60 * DAY_MS
    moved = {"Arsenal": 2.2, "Draw": 3.4, "Chelsea": 3.6}
    await live.record(live.quote(odds=moved, match_date=kick_off))
    await live.stop()
    await live.start()
    await asyncio.to_thread(Pruning(live.store, lambda: live.now).round)
    assert len(live.store.reader().changes_after(0, 10)) == 4


async def test_database_that_refuses_for_a_while_ends_nothing(live, listening):
    """Issue 3, Errors: recovery without a restart."""
    client = await live.stream()
    await live.record(live.quote())
    for _ in range(3):
        await listening.message(client)
    await asyncio.wrap_future(live.store.run_on_writer(_limit_pages))
    live.now += 1
    huge = live.quote(bookmaker="Huge", odds={f"{'x' * 200}{n}": 2.0 for n in range(4000)})
    with pytest.raises(StoreUnavailableError):
        await asyncio.wrap_future(live.store.record([huge]))
    assert await listening.all_before_pong(client) == []
    await asyncio.wrap_future(live.store.run_on_writer(_free_pages))
    await live.record(live.quote(odds={"Arsenal": 2.3, "Draw": 3.4, "Chelsea": 3.6}))
    assert (await listening.message(client))["odds"] == 2.3
    await client.close()


async def test_refusals_before_the_gate_have_the_headers_of_the_whole_server(live):
    """D17; of a key that was heard of."""
    key = live.key(Plan.PRO)
    await live.get("/api/sports", key)
    headers = {"X-Api-Key": key, "X-Large": "a" * 20_000}
    answer = await live.http.get("/api/odds", headers=headers)
    assert answer.status_code == 431
    assert answer.headers["X-RateLimit-Remaining"] == "5499"


async def test_request_still_running_at_the_stop_is_told_so_without_a_traceback(
    live, monkeypatch, caplog
):
    """Errors: service_unavailable; issue 3, item 6: no traceback in any log line."""
    running = threading.Event()

    def slow(*_):
        running.set()
        time.sleep(1.5)  # longer than a stop waits for requests

    monkeypatch.setattr(SqliteReader, "list_odds", slow)
    headers = {"X-Api-Key": live.key()}
    asked = asyncio.get_running_loop().create_task(
        live.http.get("/api/odds", headers=headers), name="asked"
    )
    await asyncio.to_thread(running.wait, 5)
    await live.server.stop_server()
    answer = await asked
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "service_unavailable"
    assert answer.headers["X-RateLimit-Remaining"] == "5500"
    assert not [record for record in caplog.records if record.exc_info]


def _limit_pages(connection) -> None:
    pages = connection.execute("PRAGMA page_count").fetchall()[0][0]
    connection.execute(f"PRAGMA max_page_count = {pages}").fetchall()


def _free_pages(connection) -> None:
    connection.execute("PRAGMA max_page_count = 1000000").fetchall()


async def test_an_archive_that_cannot_be_written_is_told_before_there_is_anything_to_archive(
    live, tmp_path, caplog
):
    folder = tmp_path / "file" / "archive"
    folder.parent.write_text("no folder")
    live.options["archive"] = folder
    await live.stop()
    await live.start()
    async with asyncio.timeout(10):
        while "cannot be archived" not in (await live.http.get("/api/health")).text:
            await asyncio.sleep(0.02)
    (told,) = (each for each in caplog.messages if "cannot be archived" in each)
    assert "Not a directory" in told
    assert not live.store.reader().last_scraped_at()


async def test_prices_of_a_wrong_clock_are_reported_until_each_is_seen_again(
    every_live, monkeypatch
):
    """D84: the same prices, so the log still ends with changes of the future."""
    live = every_live
    monkeypatch.setattr(duties, "LOOK_AT_TIMES_S", 0.005)
    await live.stop()
    right, bookmakers = live.now, ("Betfair", "Bwin")
    live.now += 2 * DAY_MS
    await live.start()
    await live.record(*[live.quote(bookmaker=each) for each in bookmakers])
    live.now = right

    async def until_health(status: str, last: str | None, reasons: list[str]) -> None:
        asked = ("status", "last_scraped_at", "reasons")
        async with asyncio.timeout(30):
            while True:  # a probe may repeat what another found a second ago
                health = (await live.http.get("/api/health")).json()
                if [health[each] for each in asked] == [status, last, reasons]:
                    return

    told = [
        "some odds are from 48.0 hours in the future: they are hidden until their bookmaker quotes"
        " them again. If this machine's clock is wrong, set it; otherwise do nothing"
    ]
    await until_health("degraded", None, told)
    await live.record(live.quote(bookmaker="Betfair"))
    await until_health("degraded", format_ms(right), told)
    await live.record(live.quote(bookmaker="Bwin"))
    await until_health("ok", format_ms(right), [])


async def test_that_no_price_comes_in_any_more_is_logged_once_and_once_that_some_do(
    live, caplog, monkeypatch
):
    monkeypatch.setattr(duties, "LOOK_AT_TIMES_S", 0.005)
    await live.record(live.quote())
    last = live.now
    await live.stop()
    await live.start()
    async with asyncio.timeout(30):
        while "no odds since" not in caplog.text or live.now < last + HOUR_MS:
            live.now += 30_000
            await asyncio.sleep(0.02)
    await live.record(live.quote())
    async with asyncio.timeout(30):
        while "odds are coming in again" not in caplog.text:
            await asyncio.sleep(0.01)
    told = [each for each in caplog.messages if "no odds since " in each or "odds are" in each]
    assert told == [
        f"no odds since {format_ms(last)}: longer than usual",
        "odds are coming in again",
    ]
