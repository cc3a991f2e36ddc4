"""One service mirrored by another: every list equal, its stream followed, cuts made good."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from oddsdesk.base.clock import system_clock
from oddsdesk.client.whole_lists import LIMIT
from oddsdesk.contract.access import Plan
from oddsdesk.contract.administration import FeedCondition
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, GameStatus
from oddsdesk.server.run.runner import Server, serving
from oddsdesk.server.settings import Settings
from tests.service.feeds.conftest import LIMIT_S, Serve, Served

GAMES = 150
BOOKMAKERS = ("Pinnacle", "Unibet", "Betway", "Bwin", "Ladbrokes", "Betsson", "Tipico", "Coral")
LISTS = ("/api/odds?limit=500", "/api/games", "/api/bookmakers", "/api/sports")
HOUR_MS = 3_600_000


def quote(game: int, bookmaker: str, **changes: Any) -> Quote:
    now = system_clock()
    home = f"Home {game}"
    made = Quote(
        bookmaker,
        f"{home} vs Away",
        ("EPL", "LIGA", "NBA")[game % 3],
        "moneyline",
        0,
        {home: 2.0 + game / 1000, "Away": 1.9},
        now,
        match_date=(now // HOUR_MS + 5) * HOUR_MS,
        url=f"https://{bookmaker.lower()}.example/{game}",
        liquidity=500.0,
    )
    return msgspec.structs.replace(made, **changes)


class Origin:
    """The service that is mirrored."""

    def __init__(self, server: Server, folder: Path, plan: Plan) -> None:
        self.server = server
        self.served = Served(server)
        key = server.access.keys.create("mirror", plan, None, system_clock())
        self.key_id = key.key.key_id
        self._file = folder / "key"
        self._file.write_text(key.secret)

    @property
    def spec(self) -> str:
        return f"mirror:{self.server.url}?key-file={self._file}"

    async def record(self, *quotes: Quote) -> None:
        await asyncio.wrap_future(self.server.store.record(quotes))


@contextlib.asynccontextmanager
async def origin(folder: Path, plan: Plan = Plan.PRO_LIVE) -> AsyncIterator[Origin]:
    async with serving(Settings(folder / "origin.db", port=0)) as server:
        yield Origin(server, folder, plan)


async def whole(served: Served, path: str) -> list[dict[str, Any]]:
    """All items of a list, without what counts requests."""
    rows = await served.odds(path)
    return sorted(rows, key=str)


async def equal(first: Served, second: Served) -> bool:
    for path in LISTS:  # the catalogue last, which is kept for a minute
        if await whole(first, path) != await whole(second, path):
            return False
    return True


async def until_equal(first: Served, second: Served) -> None:
    async with asyncio.timeout(LIMIT_S):
        while not await equal(first, second):
            await asyncio.sleep(0.1)


async def test_every_list_is_equal_and_stays_so_by_the_stream(serve: Serve, tmp_path: Path) -> None:
    quotes = [quote(game, name) for game in range(GAMES) for name in BOOKMAKERS]
    assert len(quotes) > 2 * LIMIT
    async with origin(tmp_path) as there:
        await there.record(*quotes)
        async with serve(there.spec) as here:
            await here.until(lambda: here.server.store.quotes_recorded == len(quotes))
            await until_equal(there.served, here)
            await there.record(quote(3, "Unibet", odds={"Home 3": 3.5, "Away": 1.4}))
            await until_equal(there.served, here)
            assert here.status().state is FeedCondition.RUNNING
            assert here.status().plan == "everything in 3 requests, every 5 minutes"


async def test_what_was_missed_while_the_stream_was_cut_is_read(
    serve: Serve, tmp_path: Path
) -> None:
    async with origin(tmp_path) as there:
        await there.record(*(quote(game, "Pinnacle") for game in range(10)))
        async with serve(there.spec) as here:
            await until_equal(there.served, here)
            for cut in range(3):
                there.server._answering.hub.close_streams()
                there.server._answering.hub._closed = False  # it goes on, with nobody who listens
                changed = quote(cut, "Pinnacle", odds={f"Home {cut}": 5.0, "Away": 1.2})
                await there.record(changed)
                await until_equal(there.served, here)


async def test_a_game_that_only_the_stream_tells_of_is_read(serve, tmp_path: Path) -> None:
    async with origin(tmp_path) as there:
        await there.record(quote(1, "Pinnacle"))
        async with serve(there.spec) as here:
            await until_equal(there.served, here)
            await there.record(quote(2, "Unibet"))
            await until_equal(there.served, here)


async def test_a_market_that_only_the_stream_tells_of_gets_what_the_stream_does_not_tell(
    serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oddsdesk.feeds.mirror.POLL_S", 0.5)
    async with origin(tmp_path) as there:
        await there.record(quote(1, "Pinnacle"))
        async with serve(there.spec) as here:
            await until_equal(there.served, here)
            await there.record(quote(1, "Unibet"))
            await until_equal(there.served, here)


async def test_a_plan_without_a_stream_is_read_again_and_again(
    serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oddsdesk.feeds.mirror.POLL_S", 0.2)
    async with origin(tmp_path, Plan.PRO) as there:
        await there.record(quote(1, "Pinnacle"))
        async with serve(there.spec) as here:
            await until_equal(there.served, here)
            await there.record(quote(1, "Pinnacle", odds={"Home 1": 4.0, "Away": 1.3}))
            await until_equal(there.served, here)


async def test_a_key_that_is_not_known_is_refused(serve, tmp_path: Path) -> None:
    async with origin(tmp_path) as there:
        there.server.access.keys.revoke(str(there.key_id), system_clock())
        async with serve(there.spec) as here:
            status = await here.state(FeedCondition.REFUSED)
            assert "key-file=" in status.reason


async def test_nobody_there_is_told(serve, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("oddsdesk_live_0123456789abcdef0123456789abcdef")
    async with serve(f"mirror:http://127.0.0.1:1?key-file={file}") as here:
        assert "does not answer" in (await here.state(FeedCondition.FAILING)).reason


async def test_results_are_mirrored_with_their_source(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oddsdesk.feeds.mirror.RESULTS_S", 0.2)
    began = system_clock() - 2 * HOUR_MS
    names = {"competition": "EPL", "match_name": "Home 0 vs Away", "kick_off": began}
    going = GameResult(home=1, away=0, status=GameStatus.IN_PLAY, source="a", **names)
    made_up = GameResult(home=9, away=9, source="b", simulated=True, **names)
    async with origin(tmp_path) as there:
        await asyncio.wrap_future(there.server.store.record_results([going, made_up]))
        await there.record(quote(0, "Pinnacle", match_date=began))
        async with serve(there.spec) as here:

            def mirrored() -> list[GameResult]:
                return [each.result for each in here.server.store.reader().results()]

            await here.until(lambda: mirrored() == [going])
            final = msgspec.structs.replace(going, home=2, status=GameStatus.FINAL)
            await asyncio.wrap_future(there.server.store.record_results([final]))
            await here.until(lambda: mirrored() == [final])
            assert here.status().state is FeedCondition.RUNNING
