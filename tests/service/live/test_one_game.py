"""A server that runs takes up what was decided of its games in another process (D69)."""

import asyncio
from pathlib import Path

from click.testing import CliRunner

from oddsdesk.cli.games import games
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.times import parse_ms

FAIR = {"Over 2.5": 2.05, "Under 2.5": 1.88}
VALUE = {"Over 2.5": 2.15, "Under 2.5": 1.7}
OTHER_NAME = "Arsenal Gunners vs Chelsea Blues"


async def decided(database: Path, *arguments: str) -> None:
    command = [arguments[0], "--database", str(database), *arguments[1:]]
    result = await asyncio.to_thread(CliRunner().invoke, games, command)
    assert result.exit_code == 0, result.output


async def test_a_price_of_an_accepted_pair_is_valued_by_the_other_games_reference(live, tmp_path):
    start = parse_ms("2026-11-20T19:00:00.000Z")
    total = {"market_type": "total", "match_date": start}
    await live.record(
        live.quote(bookmaker="Pinnacle", odds=FAIR, **total),
        live.quote(bookmaker="Betfair", odds=VALUE, match_name=OTHER_NAME, **total),
    )
    key = live.key()
    database = tmp_path / "odds.db"
    await decided(database, "suggest")
    assert len(await live.get("/api/games", key)) == 2
    await decided(database, "accept", "1")
    async with asyncio.timeout(10):
        while not (bets := await live.get("/api/value-bets", key)):
            await asyncio.sleep(0.05)
    assert [(bet["bookmaker"], bet["match_name"]) for bet in bets] == [
        ("Betfair", "Arsenal - Chelsea")
    ]
    await decided(database, "undo", "1")
    async with asyncio.timeout(10):
        while await live.get("/api/value-bets", key):
            await asyncio.sleep(0.05)
    assert len(await live.get("/api/games", live.key())) == 2


async def test_the_id_of_a_merged_game_leads_to_the_one_game_until_that_is_undone(
    live, listening, tmp_path
):
    """D69: REST and the stream alike."""
    start = parse_ms("2026-11-20T19:00:00.000Z")
    own, old = (game_id("EPL", name) for name in ("Arsenal - Chelsea", OTHER_NAME))
    total = {"market_type": "total", "match_date": start}
    other = {"bookmaker": "Betfair", "match_name": OTHER_NAME, **total}
    await live.record(
        live.quote(bookmaker="Pinnacle", odds=FAIR, **total), live.quote(odds=VALUE, **other)
    )
    key = live.key()
    stream = await live.stream(key, game_id=old)
    await decided(tmp_path / "odds.db", "suggest")
    await decided(tmp_path / "odds.db", "accept", "1")
    matrix = await live.get(f"/api/games/{old}", key)
    assert matrix == await live.get(f"/api/games/{own}", key)
    assert (matrix["game_id"], matrix["all_bookmakers"]) == (own, ["Betfair", "Pinnacle"])
    live.now += 1_000
    moved = {**VALUE, "Over 2.5": 2.2}
    await live.record(live.quote(odds=moved, scraped_at=live.now, **other))
    message = await listening.message(stream)
    assert (message["match_name"], message["odds"]) == ("Arsenal - Chelsea", 2.2)
    await decided(tmp_path / "odds.db", "undo", "1")
    matrix = await live.get(f"/api/games/{old}", key)
    assert (matrix["game_id"], matrix["match_name"]) == (old, OTHER_NAME)
    live.now += 1_000
    await live.record(live.quote(odds=VALUE, scraped_at=live.now, **other))
    message = await listening.message(stream)
    assert message["match_name"] == OTHER_NAME
    await stream.close()
