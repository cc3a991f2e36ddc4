"""Prices that may not be passed on are left out where other machines may ask (D66)."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.contract.identity import game_id
from oddsdesk.contract.times import format_ms
from oddsdesk.server.run.embedded import import_files
from oddsdesk.store.values import Origin
from tests.kit.live_service import NOW, LiveService

THE_ODDS_API = Origin("the-odds-api", may_share=False)
OWN = Origin("cornershop")
HERS, MIXED = "Leeds - Burnley", "Arsenal - Chelsea"
EVEN = {"Over 2.5": 2.05, "Under 2.5": 1.88}
VALUE = {"Over 2.5": 2.16, "Under 2.5": 1.75}
ANYWHERE = "0.0.0.0"
LISTS = ["odds", "odds/live", "bookmakers", "sports", "events", "games", "value-bets"]

Open = Callable[..., AbstractAsyncContextManager[LiveService]]


@pytest.fixture
def serve(tmp_path: Path) -> Open:
    """Serve one database, on one address after the other."""

    @asynccontextmanager
    async def opened(host: str, *share: str) -> AsyncIterator[LiveService]:
        service = LiveService(tmp_path / "odds.db", host, share)
        await service.start()
        try:
            yield service
        finally:
            await service.stop()

    return opened


async def record(live: LiveService) -> None:
    """Two games: of one The Odds API told what Unibet and the reference say, of the other all."""
    own = [live.quote(bookmaker="Betway"), live.quote(bookmaker="Betway", is_live=True, period=1)]
    told = [
        live.quote(bookmaker="Unibet"),
        live.quote(bookmaker="Unibet", match_name=HERS, competition="E1", odds={"Leeds": 1.9}),
        live.quote(bookmaker="Unibet", is_live=True, period=1),
        live.quote(bookmaker="Pinnacle", market_type="total", odds=EVEN),
    ]
    await live.record(*own, live.quote(bookmaker="Betway", market_type="total", odds=VALUE))
    await live.record(*told, origin=THE_ODDS_API)


async def everything(live: LiveService, **headers: str) -> dict[str, Any]:
    """All that a key of the largest plan is answered."""
    key = live.key()
    at = format_ms(NOW)
    paths = [f"/api/{name}" for name in LISTS]
    paths += ["/api/odds/Unibet", f"/api/games?as_of={at}"]
    for name, competition in ((MIXED, "EPL"), (HERS, "E1")):
        game = game_id(competition, name)
        paths += [f"/api/games/{game}", f"/api/games/{game}?as_of={at}", f"/api/events/{name}"]
    found = {}
    for path in paths:
        answer = await live.http.get(path, headers={"X-Api-Key": key, **headers})
        found[path] = answer.text if answer.status_code == 200 else answer.status_code
    return found


async def test_on_other_addresses_no_answer_holds_them(serve: Open, bets: Any) -> None:
    async with serve("127.0.0.1") as live:
        await record(live)
        await bets(live, 1)
        full = await everything(live)
        hidden = await everything(live, **{"X-Forwarded-For": "1.2.3.4"})
        assert await everything(live) == full
    assert all("Unibet" in str(full[f"/api/{path}"]) for path in ("odds", "bookmakers"))
    async with serve(ANYWHERE) as live:
        found = await everything(live)
        key = live.key()
        assert [row["bookmaker"] for row in await live.get("/api/odds", key)] == ["Betway"] * 3
        (game,) = await live.get("/api/games", key)
        assert (game["match_name"], game["bookmaker_count"]) == (MIXED, 1)
        assert await live.get("/api/sports", key) == [
            {"name": "Football", "competition_codes": ["EPL"], "event_count": 1}
        ]
    for path, text in found.items():
        assert not any(name in str(text) for name in ("Unibet", "Pinnacle", "Leeds")), path
    assert hidden == found
    assert found[f"/api/events/{HERS}"] == found[f"/api/games/{game_id('E1', HERS)}"] == 404


async def test_what_the_user_may_share_is_in_the_answers(serve: Open, bets: Any) -> None:
    async with serve("127.0.0.1") as live:
        await record(live)
        await bets(live, 1)
        full = await everything(live)
    async with serve(ANYWHERE, "the-odds-api") as live:
        assert await everything(live) == full


async def test_a_price_is_no_value_by_a_reference_that_is_left_out(serve: Open, bets: Any) -> None:
    async with serve("127.0.0.1") as live:
        await record(live)
        assert len(await bets(live, 1)) == 1
    async with serve(ANYWHERE) as live:
        assert await live.get("/api/value-bets", live.key()) == []
        await live.record(live.quote(bookmaker="Betway", market_type="total", odds=VALUE))
        assert await live.get("/api/value-bets", live.key()) == []


@pytest.fixture
def bets() -> Any:
    async def until(live: LiveService, expected: int) -> list[Any]:
        key = live.key()
        found: list[Any] = []
        while len(found) != expected:
            found = await live.get("/api/value-bets", key)
        return found

    return until


async def test_the_stream_is_silent_of_them_and_goes_on(serve: Open, listening: Any) -> None:
    async with serve(ANYWHERE) as live:
        client = await live.stream()
        await live.record(live.quote(bookmaker="Unibet"), origin=THE_ODDS_API)
        await live.record(live.quote(bookmaker="Betway"), origin=OWN)
        messages = [await listening.message(client) for _ in range(3)]
        await client.close()
    assert {message["bookmaker"] for message in messages} == {"Betway"}


PROXIES = {
    "X-Forwarded-For": "1.2.3.4",
    "X-Forwarded-Host": "odds.example.org",
    "X-Forwarded-Proto": "https",
    "Forwarded": "for=1.2.3.4",
    "Via": "1.1 proxy",
    "X-Real-IP": "1.2.3.4",
    "CF-Connecting-IP": "1.2.3.4",
}


@pytest.mark.parametrize("name", PROXIES)
async def test_a_proxy_that_the_server_does_not_know_gets_none(serve: Open, name: str) -> None:
    """It connects from this machine, but asks for others."""
    async with serve("127.0.0.1") as live:
        await record(live)
        headers = {"X-Api-Key": live.key(), name: PROXIES[name]}
        answer = await live.http.get("/api/odds", headers=headers)
        assert {row["bookmaker"] for row in answer.json()["data"]} == {"Betway"}


async def test_through_a_proxy_the_same_may_be_shared(serve: Open, bets: Any) -> None:
    async with serve("127.0.0.1", "the-odds-api") as live:
        await record(live)
        await bets(live, 1)
        assert await everything(live, Via="1.1 proxy") == await everything(live)


async def test_a_stream_through_a_proxy_is_silent_of_them(serve: Open, listening: Any) -> None:
    async with serve("127.0.0.1") as live:
        near = await live.stream()
        far = await live.open(token=await live.token(live.key()), headers={"Via": "1.1 proxy"})
        await live.record(live.quote(bookmaker="Unibet"), origin=THE_ODDS_API)
        await live.record(live.quote(bookmaker="Betway"), origin=OWN)
        assert {(await listening.message(near))["bookmaker"] for _ in range(6)} == {
            "Betway",
            "Unibet",
        }
        seen = [await listening.message(far) for _ in range(3)]
        await near.close()
        await far.close()
    assert {message["bookmaker"] for message in seen} == {"Betway"}


async def test_files_and_lines_of_that_source_are_its_prices_too(
    serve: Open, tmp_path: Path, shared_data: Path
) -> None:
    file = shared_data / "the-odds-api" / "tennis_atp_munich.json.gz"
    async with serve(ANYWHERE) as live:
        outcome = import_files(
            live.store, lambda: NOW, "the-odds-api", [str(file)], shift_to_now=True
        )
        assert outcome.quotes > 100
        await live.record(live.quote(event="the-odds-api:0123"), live.quote(bookmaker="Betway"))
        rows = await live.get("/api/odds", live.key())
        assert [row["bookmaker"] for row in rows] == ["Betway"]


async def test_what_is_left_out_is_said_at_the_start(
    serve: Open, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    async with serve("127.0.0.1") as live:
        await record(live)
    for host, share, lines in [
        ("127.0.0.1", (), 0),
        (ANYWHERE, (), 1),
        (ANYWHERE, ("the-odds-api",), 0),
    ]:
        caplog.clear()
        async with serve(host, *share):
            said = [each for each in caplog.messages if "the-odds-api" in each]
        assert len(said) == lines
        assert all("--share the-odds-api" in each for each in said)
