"""Everything that reads a service, against one that is exactly the contract."""

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import httpx
import msgspec
import pytest
from click.testing import CliRunner
from starlette.responses import JSONResponse

from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
from oddsdesk.board.intake.reading_plan import Pace
from oddsdesk.board.intake.sync import Sync
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.notices import Link
from oddsdesk.cli.arbitrage import arbitrage
from oddsdesk.cli.bets import bets
from oddsdesk.client.client import Client
from oddsdesk.client.whole_odds import WholeOdds
from oddsdesk.contract.access import Plan
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.server.run.runner import serving
from oddsdesk.server.settings import Settings
from oddsdesk.store.databases import Database
from tests.kit.plain_service import PlainService

pytestmark = [pytest.mark.one_engine, pytest.mark.slow]

LIMIT_S = 60
REFERENCE = "Pinnacle"
BOOKMAKERS = [REFERENCE, *(f"Book {number:02}" for number in range(1, 40))]
GAMES = {"MLB": 8, "EPL": 6, "NBA": 5}
ROW_FIELDS = {
    *("bookmaker", "match_name", "competition", "sport", "market_type", "period", "is_live"),
    *("odds", "match_date", "scraped_at", "url", "liquidity"),
}
PACE = Pace(games_s=60, matrix_s=60, value_bets_s=60, rows_s=60, health_s=60)


def quotes(
    now: int, games: dict[str, int] = GAMES, bookmakers: Sequence[str] = BOOKMAKERS
) -> list[Quote]:
    """Return 2,000 quotes, or more; of the first game of each competition one is value."""
    return [
        Quote(
            name,
            f"{code} Home {number} vs {code} Away {number}",
            code,
            kind,
            period,
            _odds(kind, f"{code} Home {number}", f"{code} Away {number}", place, number),
            now,
            is_live=number % 8 == 3,
            match_date=now + (number + 1) * 3_600_000,
            url=f"https://b.example/{code}/{number}/{place}/{kind}",
            liquidity=1_000.0 + place,
        )
        for code, count in games.items()
        for number in range(count)
        for place, name in enumerate(bookmakers)
        for kind in ("moneyline", "total", "spread")
        for period in ((0,) if games is GAMES else (0, 1))
        if (place + number) % 8 != 7
    ]


def _odds(kind: str, home: str, away: str, place: int, number: int) -> dict[str, float]:
    is_value = place == 5 and number == 0
    price, other = (2.14, 1.8) if is_value else (round(1.93 + place % 4 / 100, 2), 1.95)
    if kind == "total":
        return {"Over 7.5": price, "Under 7.5": other}
    if kind == "spread":
        return {f"{home} -1.5": price, f"{away} +1.5": other}
    return {home: price, away: other}


class Elsewhere:
    """A server and the plain service before it."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._settings = Settings(database, port=0, reference=REFERENCE)
        self._folder = folder

    async def __aenter__(self) -> Self:
        await self._start()
        self.plain = PlainService(self.server.url)
        await self.plain.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.plain.stop()
        await self._running.__aexit__(None, None, None)

    async def _start(self) -> None:
        self._running = serving(self._settings)
        self.server = await self._running.__aenter__()

    async def restart(self) -> None:
        """Stop the server and start it again, at another port behind the plain service."""
        await self._running.__aexit__(None, None, None)
        await self._start()
        self.plain.origin = self.server.url

    def key(self, plan: Plan, bookmaker: str | None = None) -> str:
        keys = self.server.access.keys
        return keys.create(f"{plan.value} {bookmaker}", plan, bookmaker, system_clock()).secret

    def key_file(self, plan: Plan, bookmaker: str | None = None) -> Path:
        path = self._folder / f"{plan.name}.key"
        path.write_text(self.key(plan, bookmaker))
        return path

    async def record(self, *quotes: Quote) -> None:
        await asyncio.wrap_future(self.server.store.record(quotes))

    async def source(self, key: str) -> dict[Any, dict[str, Any]]:
        """All rows that the server itself shows to a key."""
        return await rows_of(self.server.url, key)


async def rows_of(url: str, key: str) -> dict[Any, dict[str, Any]]:
    """All rows of our own server, page after page, as plain JSON: another way than the reader's."""
    async with Client(url, key) as client:
        rows, cursor = [], None
        while True:
            page = await client.odds(limit=500, cursor=cursor)
            rows += [msgspec.to_builtins(row) for row in page]
            if (cursor := page.next_cursor) is None:
                return {_key(row): row for row in rows}


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    names = ("competition", "match_name", "bookmaker", "market_type", "period")
    return tuple(row[name] for name in names)


def elsewhere(folder: Path, database: Database) -> Elsewhere:
    return Elsewhere(database, folder)


@pytest.mark.parametrize("plan", list(Plan))
async def test_every_plan_reads_all_that_it_may_see(
    database: Database, tmp_path: Path, plan: Plan
) -> None:
    """service.md, Limits: 500 rows an answer, no pages; the rows are the source's, each field."""
    async with elsewhere(tmp_path, database) as there:
        await there.record(*quotes(system_clock()))
        key = there.key(plan, "Book 07" if plan is Plan.FREE else None)
        expected = await there.source(key)
        async with Client(there.plain.url, key) as client:
            rows, unread = await client.odds_snapshot()
        assert unread == ()
        assert {_key(row): row for row in map(msgspec.to_builtins, rows)} == expected
        assert there.plain.requests <= 45
        hidden = there.plain.asked.keys() - {
            *("/api/odds", "/api/sports", "/api/bookmakers", "/api/games", "/api/games/…")
        }
        assert not hidden


async def test_the_plain_service_answers_the_contract_and_nothing_else(
    database: Database, tmp_path: Path
) -> None:
    """service.md, Endpoints: what all tests here rest on."""
    async with elsewhere(tmp_path, database) as there:
        await there.record(*quotes(system_clock())[:600])
        key = {"X-Api-Key": there.key(Plan.PRO_LIVE)}
        async with httpx.AsyncClient(base_url=there.plain.url, headers=key) as http:
            answer = await http.get("/api/odds?limit=500&cursor=1&as_of=2020-01-01T00:00:00Z")
            said = answer.json()
            assert len(said["data"]) == said["meta"]["count"] == 500
            assert said["meta"].keys() == {"rate_limit_remaining", "count"}
            assert answer.headers.keys() >= {"x-ratelimit-remaining", "x-ratelimit-reset"}
            assert not [name for name in answer.headers if "oddsdesk" in name or name == "date"]
            assert all(row.keys() == ROW_FIELDS for row in said["data"])
            for path in ("/openapi.json", "/docs", "/api/feeds", "/metrics", "/api/ready"):
                assert (await http.get(path)).status_code == 404
            game = (await http.get("/api/games")).json()["data"][0]["game_id"]
            assert (await http.get(f"/api/games/{game}/history")).status_code == 404
            assert "offer" not in (await http.get(f"/api/games/{game}")).text


MANY = {
    "MLB": 15,
    "NBA": 12,
    "NHL": 12,
    "EURO": 6,
    "EPL": 10,
    "LIG1": 9,
    "BUND": 9,
    "SERA": 10,
    "LIGA": 10,
    "MLS": 10,
}


async def test_65_bookmakers_are_read_whole_also_after_a_restart_with_markets_gone(
    tmp_path: Path,
) -> None:
    """service.md, Limits: 35,000 rows, 500 an answer."""
    now, names = system_clock(), [REFERENCE, *(f"Book {number:02}" for number in range(1, 65))]
    offered_first = quotes(now, MANY, names)
    assert len(offered_first) >= 35_000
    path = tmp_path / "odds.db"
    async with elsewhere(tmp_path, path) as there:
        await there.record(*offered_first)
        key = there.key(Plan.PRO_LIVE)
        before = await there.source(key)
        async with Client(there.plain.url, key) as client:
            reading = WholeOdds(client)
            assert await _pass(reading) == before
            assert there.plain.requests <= 300
            gone = [
                msgspec.structs.replace(each, odds={}, scraped_at=now + 1)
                for each in offered_first
                if (each.competition, each.market_type, each.period) == ("NBA", "total", 1)
                or each.bookmaker == "Book 11"
            ]
            await there.record(*gone)
            await there.restart()
            after = await there.source(key)
            there.plain.asked.clear()
            assert await _pass(reading) == after
            assert there.plain.requests <= 300
            assert reading.unread == ()
            lost = [row for name, row in before.items() if name not in after]
            assert len(lost) == len(gone)
            assert all(_was_read(reading, row) for row in lost)


async def _pass(reading: WholeOdds) -> dict[Any, dict[str, Any]]:
    rows = {}
    async with contextlib.aclosing(reading.read()) as slices:
        async for part in slices:
            rows |= {_key(row): row for row in map(msgspec.to_builtins, part.rows)}
    return rows


def _was_read(reading: WholeOdds, row: dict[str, Any]) -> bool:
    game = game_id(row["competition"], row["match_name"])
    names = reading.coverage.bookmakers_read(row["competition"], game, row["market_type"])
    return names is None or row["bookmaker"] in names


async def until(is_so: Any) -> None:
    async with asyncio.timeout(LIMIT_S):
        while not is_so():
            await asyncio.sleep(0.02)


def offered(board: Board) -> set[RowKey]:
    return {
        RowKey(game, section.key.market_type, section.key.period, row.selection, name)
        for game in board.held_games()
        if (matrix := board.matrix(game)) is not None
        for section in matrix.sections
        for row in section.rows
        for name, price in row.prices.items()
        if price.is_offered
    }


def expected_keys(rows: dict[Any, dict[str, Any]]) -> set[RowKey]:
    return {
        RowKey(
            game_id(row["competition"], row["match_name"]),
            row["market_type"],
            row["period"],
            selection,
            row["bookmaker"],
        )
        for row in rows.values()
        for selection in row["odds"]
    }


@pytest.mark.parametrize("plan", [Plan.PRO, Plan.PRO_LIVE])
async def test_a_desk_has_what_is_offered_also_after_a_restart_with_markets_gone(
    database: Database, tmp_path: Path, plan: Plan
) -> None:
    """service.md, Events: the stream tells of no removal, so a whole reading does."""
    async with elsewhere(tmp_path, database) as there:
        now = system_clock()
        await there.record(*quotes(now))
        key = there.key(plan)
        board = Board(system_clock)
        async with Client(there.plain.url, key, keeps_quota=True) as client:
            sync = Sync(client, board, system_clock, pace=PACE, randomness=lambda: 0.0)
            sync.want_rows(True)
            sync.start_reading()
            try:
                await until(lambda: board.snapshot_progress.finished_at is not None)
                assert board.snapshot_progress.cut == ()
                assert offered(board) == expected_keys(await there.source(key))
                gone = [
                    msgspec.structs.replace(each, odds={}, scraped_at=system_clock())
                    for each in quotes(now)
                    if (each.competition, each.market_type) == ("NBA", "total")
                    or each.match_name.startswith("MLB Home 2 ")
                    or each.bookmaker == "Book 11"
                ]
                await there.record(*gone)
                left = await there.source(key)
                await there.restart()
                sync.read_all_again()
                await until(lambda: offered(board) == expected_keys(left))
            finally:
                await sync.stop_reading()


async def test_a_price_in_a_slice_that_fails_is_not_withdrawn_and_the_desk_says_what_is_unread(
    database: Database, tmp_path: Path
) -> None:
    """service.md, Errors: 500 is safe to retry; what stays unread is no withdrawal."""
    async with elsewhere(tmp_path, database) as there:
        await there.record(*quotes(system_clock()))
        board = Board(system_clock)
        async with Client(there.plain.url, there.key(Plan.PRO_LIVE), keeps_quota=True) as client:
            sync = Sync(client, board, system_clock, pace=PACE, randomness=lambda: 0.0)
            sync.want_rows(True)
            sync.start_reading()
            try:
                await until(lambda: board.snapshot_progress.finished_at is not None)
                held = offered(board)

                asked_first: list[tuple[str, dict[str, str]]] = []

                def fail(path: str, asked: dict[str, str]) -> Any:
                    if path == "/api/odds":
                        asked_first.append((path, dict(asked)))
                    lost = (path, asked) == asked_first[0] if asked_first else False
                    said = {"error": {"code": "internal_error", "message": "trouble"}}
                    return JSONResponse(said, 500) if lost else None

                there.plain.failing = fail
                sync.read_all_again()
                await until(lambda: board.snapshot_progress.cut)
                assert offered(board) == held
            finally:
                await sync.stop_reading()


async def test_a_free_key_that_may_read_no_games_has_them_by_events_and_rows(
    database: Database, tmp_path: Path
) -> None:
    """service.md, Authentication 8 and 9: Free has events and odds; of games nothing is said."""
    async with elsewhere(tmp_path, database) as there:
        now = system_clock()
        await there.record(*quotes(now))
        key = there.key(Plan.FREE, "Book 07")
        forbidden = {"error": {"code": "plan_required", "message": "not on this plan"}}
        refused = Counter[str]()

        def refuse(path: str, _asked: dict[str, str]) -> Any:
            is_refused = path.startswith(("/api/games", "/api/value-bets"))
            refused[path] += is_refused
            return JSONResponse(forbidden, 403) if is_refused else None

        there.plain.failing = refuse
        board = Board(system_clock)
        async with Client(there.plain.url, key, keeps_quota=True) as client:
            sync = Sync(client, board, system_clock, pace=PACE, randomness=lambda: 0.0)
            game = game_id("MLB", "MLB Home 2 vs MLB Away 2")
            sync.subscribe_game(game)
            sync.start_reading()
            try:
                await until(lambda: board.connection.has_value_bets is False)
                sync.read_all_again()
                rows = await there.source(key)
                expected = {each for each in expected_keys(rows) if each.game_id == game}
                await until(lambda: expected and offered(board) == expected)
                names = {row["match_name"] for row in rows.values()}
                assert {each.match_name for each in board.games.values()} == names
                await there.record(
                    *(
                        msgspec.structs.replace(each, odds={}, scraped_at=system_clock())
                        for each in quotes(now)
                        if each.market_type == "total"
                    )
                )
                sync.read_all_again()
                left = {each for each in expected if each.market_type != "total"}
                await until(lambda: offered(board) == left)
                assert board.connection.link is Link.LIVE
                assert board.connection.reason is None
                assert sum(refused.values()) <= 5
            finally:
                await sync.stop_reading()


async def test_the_commands_say_the_same_of_the_service_and_of_the_database(tmp_path: Path) -> None:
    """service.md, Limits: `bets` and `arbitrage` have all rows, not the first 500."""
    database = tmp_path / "odds.db"
    async with elsewhere(tmp_path, database) as there:
        await there.record(*quotes(system_clock()))
        key = str(there.key_file(Plan.PRO_LIVE))
        for command, more in ((bets, ["--all"]), (arbitrage, [])):
            asked = ["--url", there.plain.url, "--key-file", key]
            of_service = await asyncio.to_thread(_run, command, [*more, *asked])
            of_database = await asyncio.to_thread(
                _run, command, [*more, "--database", str(database)]
            )
            assert of_service
            assert of_service == of_database


def _run(command: Any, options: list[str]) -> Any:
    result = CliRunner().invoke(command, [*options, "--json"])
    assert result.exit_code == 0, result.output
    return [{k: v for k, v in each.items() if k != "sources"} for each in json.loads(result.stdout)]


async def test_a_command_says_what_the_quota_left_unread(tmp_path: Path) -> None:
    """service.md, Limits: 429 amid the reading; on standard error, and with --json."""
    async with elsewhere(tmp_path, tmp_path / "odds.db") as there:
        await there.record(*quotes(system_clock()))
        key = str(there.key_file(Plan.PRO_LIVE))

        def refuse(_path: str, _asked: dict[str, str]) -> Any:
            said = {"error": {"code": "rate_limit_exceeded", "message": "used up"}}
            headers = {"X-RateLimit-Reset": str(system_clock() // 1000 + 3_000)}
            over = there.plain.requests >= 20
            return JSONResponse(said, 429, headers) if over else None

        there.plain.failing = refuse
        options = ["--url", there.plain.url, "--key-file", key, "--all"]
        told = await asyncio.to_thread(CliRunner().invoke, bets, [*options, "--json"])
        assert told.exit_code == 0
        assert "not all prices could be read: " in told.stderr
        for bet in json.loads(told.stdout):
            assert bet["unread"]


@pytest.mark.parametrize("plan", [Plan.PRO, Plan.PRO_LIVE])
async def test_a_mirror_has_every_row_and_withdraws_what_is_gone(
    tmp_path: Path, plan: Plan
) -> None:
    """service.md, Limits: rows of a mirror are the source's, each field; so after a gap."""
    async with elsewhere(tmp_path, tmp_path / "there.db") as there:
        now = system_clock()
        await there.record(*quotes(now))
        often = "" if plan is Plan.PRO_LIVE else "&every=1"  # its stream tells of the gap
        spec = f"mirror:{there.plain.url}?key-file={there.key_file(plan)}{often}"
        settings = Settings(tmp_path / "here.db", port=0, feeds=(spec,), reference=REFERENCE)
        async with serving(settings) as server:
            keys, other = server.access.keys, there.key(plan)
            own = keys.create("own", Plan.PRO_LIVE, None, system_clock()).secret
            await _until_equal(server.url, own, there, other)
            gone = [
                msgspec.structs.replace(each, odds={}, scraped_at=system_clock())
                for each in quotes(now)
                if (each.competition, each.market_type) == ("NBA", "total")
                or each.match_name.startswith("MLB Home 2 ")
            ]
            await there.record(*gone)
            await there.restart()
            await _until_equal(server.url, own, there, other)


async def _until_equal(here: str, own: str, there: Elsewhere, other: str) -> None:
    async with asyncio.timeout(LIMIT_S):
        while True:
            expected = await there.source(other)
            seen = await rows_of(here, own)
            if seen == expected:
                return
            await asyncio.sleep(0.3)


JOKIC = "Nikola Jokić points"


def respelled(bookmaker: str, selection: str) -> str:
    """A service: half of the bookmakers write no accents, one puts the surname first."""
    if bookmaker == "Book 03":
        return selection.replace(JOKIC, "Jokic, Nikola points")
    return selection.replace("ć", "c") if bookmaker[-1] in "02468" else selection


async def test_players_are_one_however_each_bookmaker_spells_them_in_answers_and_stream(
    tmp_path: Path,
) -> None:
    """service.md, Markets: a desk finds the same value bets as our own server."""
    database, now = tmp_path / "odds.db", system_clock()

    def prop(name: str, over: float, at: int) -> Quote:
        under = 1.66 if over > 2 else 1.89
        odds = {f"{JOKIC} Over 24.5": over, f"{JOKIC} Under 24.5": under}
        kick_off = now + 3_600_000
        return Quote(
            *(name, "NBA Home 0 vs NBA Away 0", "NBA", "player_prop", 0, odds, at),
            match_date=kick_off,
        )

    names = [REFERENCE, "Book 02", "Book 03", "Book 04", "Book 05"]
    async with elsewhere(tmp_path, database) as there:
        await there.record(*(prop(name, 1.95, now) for name in names))
        await there.record(prop("Book 02", 2.16, now + 1))
        there.plain.spells = respelled
        key = there.key(Plan.PRO_LIVE)
        told = await rows_of(there.plain.url, key)
        told_texts = {text for row in told.values() for text in row["odds"]}
        assert len(told_texts) == 6
        found = [
            await asyncio.to_thread(_run, bets, ["--all", *options])
            for options in (
                ["--url", there.plain.url, "--key-file", str(there.key_file(Plan.PRO_LIVE))],
                ["--database", str(database)],
            )
        ]
        for each in (*found[0], *found[1]):  # the first spelling that comes is kept
            assert each.pop("selection") in told_texts
        assert found[0] == found[1]
        assert [each["bookmaker"] for each in found[0]] == ["Book 02"]
        board = Board(system_clock)
        async with Client(there.plain.url, key, keeps_quota=True) as client:
            sync = Sync(client, board, system_clock, pace=PACE, randomness=lambda: 0.0)
            sync.want_rows(True)
            sync.subscribe_game(game_id("NBA", "NBA Home 0 vs NBA Away 0"))
            sync.start_reading()
            try:
                await until(lambda: board.snapshot_progress.finished_at is not None)
                selections = {each.selection for each in offered(board)}
                assert len(selections) == 2
                assert offered(board) == {
                    each._replace(selection=own)
                    for each in expected_keys(await there.source(key))
                    for own in selections
                    if own.endswith(each.selection.rpartition(" ")[2])
                    and each.selection.split()[-2] == own.split()[-2]
                }
                await until(lambda: board.connection.link is Link.LIVE)
                await there.record(prop("Book 03", 2.16, system_clock()))
                over = next(each for each in selections if "Over" in each)
                where = (game_id("NBA", "NBA Home 0 vs NBA Away 0"), "player_prop", 0, over)
                await until(
                    lambda: (
                        (row := board.row(*where)) is not None
                        and row.prices["Book 03"].odds == 2.16
                    )
                )
                await until(lambda: RowKey(*where, "Book 03") in board.value_bets)
                assert {each.selection for each in offered(board)} == selections
            finally:
                await sync.stop_reading()
