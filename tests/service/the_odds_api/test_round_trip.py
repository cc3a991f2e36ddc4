"""Answers of The Odds API come back from the database that imported them (D112)."""

import asyncio
import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from oddsdesk.base.clock import system_clock
from oddsdesk.cli.main import main
from oddsdesk.contract.times import MINUTE_MS, format_ms, parse_ms
from oddsdesk.feeds.imported import SourceFile
from oddsdesk.feeds.the_odds_api import convert
from oddsdesk.server.run.runner import Server, serving
from oddsdesk.server.settings import Settings
from oddsdesk.store.store import open_store
from oddsdesk.store.values import Filters, Visibility
from tests.kit.odds_api_answers import bookmaker, game, h2h, totals
from tests.kit.running_service import LIMIT_S, RunningService

SPORTS = [
    "aussierules_afl",
    "baseball_mlb",
    "basketball_nba",
    "icehockey_nhl",
    "rugbyleague_nrl",
    "soccer_efl_champ",
    "soccer_epl",
    "soccer_germany_bundesliga",
    "soccer_spain_la_liga",
    "soccer_uefa_europa_league",
    "soccer_usa_mls",
    "tennis_atp_munich",
]
TAKEN_AT = parse_ms("2026-04-16T19:01:00Z")
SPOT = ("commence_time", "home_team", "away_team")
NOT_OFFERED = 1.0
KEY = "canary0123456789abcdef"


def prices(games: list[dict[str, Any]]) -> dict[tuple[Any, ...], tuple[float, str]]:
    """Return price and time of each outcome of each market and bookmaker, by its names."""
    return {
        (*(each[name] for name in SPOT), book["key"], sold["key"], one["name"], one.get("point")): (
            one["price"],
            sold.get("last_update") or book["last_update"],
        )
        for each in games
        for book in each["bookmakers"]
        for sold in book["markets"]
        for one in sold["outcomes"]
    }


def lays_of(found: dict[tuple[Any, ...], Any]) -> set[tuple[Any, ...]]:
    return {key for key in found if key[4] == "h2h_lay"}


@pytest.mark.parametrize("sport", SPORTS)
def test_a_real_snapshot_comes_back(sport: str, shared_data: Path, tmp_path: Path) -> None:
    raw = gzip.decompress((shared_data / "the-odds-api" / f"{sport}.json.gz").read_bytes())
    imported = convert(SourceFile(sport, raw))
    said = prices(json.loads(raw))
    offered = {key: price for key, price in said.items() if price[0] != NOT_OFFERED}
    running = RunningService(tmp_path / "odds.db", serve_as="the-odds-api")
    try:
        running.now = TAKEN_AT
        running.record(*imported.quotes)
        asked = {"apiKey": "any", "regions": "us,us2,uk,eu,au", "markets": "h2h,spreads,totals"}
        now = running.http.get(f"/v4/sports/{sport}/odds", params=asked).json()
        running.now = parse_ms("2026-04-16T19:05:00Z")
        asked["date"] = format_ms(running.now)
        past = running.http.get(f"/v4/historical/sports/{sport}/odds", params=asked).json()
    finally:
        running.close()
    assert prices(now) == offered
    assert len(said) - len(offered) == (sport == "baseball_mlb"), "one is not offered"
    lays = lays_of(offered)
    assert prices(past["data"]) == {key: offered[key] for key in offered.keys() - lays}
    assert len(now) == len(json.loads(raw))
    heads = ("sport_key", "sport_title")
    said_heads = {tuple(each[name] for name in heads) for each in json.loads(raw)}
    assert {tuple(each[name] for name in heads) for each in now} == said_heads


def answer_of(now_ms: int) -> list[dict[str, Any]]:
    books = (
        bookmaker(now_ms, "Pinnacle", h2h(), totals()),
        bookmaker(now_ms, "DraftKings", h2h(2.1, 3.3, 3.6), totals(3.0)),
    )
    return [game(now_ms, *books), game(now_ms, *books, ident="g2", home="Leeds")]


def rows(server: Server) -> Counter[tuple[Any, ...]]:
    """Return every current price with its names and time."""
    page = server.store.reader().list_odds(system_clock(), Filters(), Visibility(), 500)
    return Counter(
        (row.match_name, row.bookmaker, row.market_type, bytes(row.odds), row.scraped_at)
        for row in page.items
    )


async def test_our_own_feed_reads_the_same_odds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ODDSDESK_THE_ODDS_API_KEY", KEY)
    seen = system_clock() // 1000 * 1000
    quotes = convert(SourceFile("answer", json.dumps(answer_of(seen)).encode())).quotes
    asked = "markets=h2h,totals&regions=us,eu&every=0.05"
    first = Settings(tmp_path / "first.db", port=0, serve_as="the-odds-api")
    async with serving(first) as source:
        source.store.record(quotes).result(LIMIT_S)
        feed = f"the-odds-api:soccer_epl?url={source.url}&{asked}"
        second = Settings(tmp_path / "second.db", port=0, feeds=(feed,))
        async with serving(second) as reading, asyncio.timeout(LIMIT_S):
            while len(rows(reading)) < len(quotes):
                await asyncio.sleep(0.02)
            assert rows(reading) == rows(source)
            (state,) = reading.running_feeds.states()
            assert (state.status.credits_left, state.status.credits_used) == (100_000, 0)


async def test_a_backfill_reads_the_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ODDSDESK_THE_ODDS_API_KEY", KEY)
    seen = (system_clock() - 30 * MINUTE_MS) // 1000 * 1000
    quotes = convert(SourceFile("answer", json.dumps(answer_of(seen)).encode())).quotes
    first = Settings(tmp_path / "first.db", port=0, serve_as="the-odds-api")
    second = tmp_path / "second.db"
    async with serving(first) as source:
        source.store.record(quotes).result(LIMIT_S)
        until = system_clock() - 10 * MINUTE_MS
        asked = ["--sport", "soccer_epl", "--from", format_ms(seen), "--to", format_ms(until)]
        more = ["--every", "10m", "--markets", "h2h,totals", "--regions", "us,eu", "--yes"]
        place = ["--url", source.url, "--database", str(second)]
        command = ["backfill", "the-odds-api", *asked, *more, *place]
        done = await asyncio.to_thread(CliRunner().invoke, main, command)
    assert done.exit_code == 0, done.output
    store = open_store(second)
    try:
        page = store.reader().odds_as_of(system_clock(), Filters(), Visibility(), 500)
        assert len(page.items) == len(quotes)
        assert {row.scraped_at for row in page.items} == {format_ms(seen)}
    finally:
        store.close()


def test_american_odds_of_a_real_answer_come_back(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "the-odds-api" / "other-shapes"
    raw = (folder / "odds_nba_h2h_spreads_american_2024-08-21.json").read_bytes()
    said = prices(json.loads(raw))
    running = RunningService(tmp_path / "odds.db", serve_as="the-odds-api")
    try:
        running.now = max(parse_ms(seen) for _, seen in said.values()) + MINUTE_MS
        running.record(*convert(SourceFile("nba", raw)).quotes)
        asked = {"apiKey": "any", "regions": "us,us2,uk,eu,au", "markets": "h2h,spreads"}
        found = running.http.get(
            "/v4/sports/basketball_nba/odds", params={**asked, "oddsFormat": "american"}
        )
    finally:
        running.close()
    assert prices(found.json()) == said
