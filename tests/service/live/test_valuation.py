"""The stored value bets follow prices and ages (D26..D30)."""

import asyncio
import contextlib
from typing import Any

import pytest

from oddsdesk.contract.plans import Plan
from oddsdesk.server import valuation
from oddsdesk.store.store import open_store

MINUTE_MS = 60_000
FAIR = {"Over 2.5": 2.05, "Under 2.5": 1.88}
VALUE = {"Over 2.5": 2.15, "Under 2.5": 1.7}
ALMOST = {"Over 2.5": 2.13, "Under 2.5": 1.7}


@pytest.fixture
def market(live):
    """Records what a bookmaker says of one market now."""

    async def record(bookmaker: str, odds: dict[str, float], **changed: Any) -> None:
        quote = live.quote(bookmaker=bookmaker, market_type="total", odds=odds, **changed)
        await live.record(quote)

    return record


@pytest.fixture
def bets(live):
    """Waits until as many value bets are listed as expected, and returns them."""
    key = live.key()

    async def listed(expected: int, key: str = key) -> list[dict[str, Any]]:
        async with asyncio.timeout(5):
            while len(found := await live.get("/api/value-bets", key)) != expected:
                await asyncio.sleep(0.02)
        return found

    return listed


async def test_price_above_fair_is_found_with_every_figure(live, market, bets):
    """D26, D26a, D28; product.md: 2.05 against 1.88 is value from 2.1344 to 2.1830."""
    await market("Pinnacle", FAIR, liquidity=5000.0)
    await market("Betfair", VALUE)
    await market("Bwin", ALMOST)
    (bet,) = await bets(1)
    assert bet == {
        "match_name": "Arsenal - Chelsea",
        "selection": "Over 2.5",
        "bookmaker": "Betfair",
        "market_type": "total",
        "period": 0,
        "odds": 2.15,
        "reference_odds": 2.05,
        "fair_odds": 2.0923,
        "ev_pct": 1.74,
        "payout_rate": 1.0197,
        "liquidity": 5000.0,
        "competition": "EPL",
        "sport": "Football",
        "detected_at": "2026-11-20T18:00:00.000Z",
        "match_date": None,
    }


@pytest.fixture
def no_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first round on, at the start, only the log tells of anything."""
    monkeypatch.setattr(valuation, "ROUND_S", 3600)


async def test_change_in_the_log_is_valued_at_once(no_rounds, live, market, bets):
    await market("Pinnacle", FAIR)
    await market("Betfair", VALUE)
    async with asyncio.timeout(1):
        await bets(1)
    await market("Betfair", ALMOST)
    await market("Bwin", VALUE)
    async with asyncio.timeout(1):
        while [bet["bookmaker"] for bet in await bets(1)] != ["Bwin"]:
            await asyncio.sleep(0.02)


async def test_move_of_price_or_fair_price_detects_again(live, market, bets):
    """D29: detected_at is the latest detection."""
    await market("Pinnacle", FAIR)
    await market("Betfair", VALUE)
    await bets(1)

    async def detected_after(*recording: Any) -> str:
        live.now += MINUTE_MS
        await market(*recording)
        before = live.now
        async with asyncio.timeout(5):
            while True:
                (bet,) = await bets(1)
                if bet["detected_at"][14:16] == f"{before // MINUTE_MS % 60:02}":
                    return bet["detected_at"]
                await asyncio.sleep(0.02)

    assert await detected_after("Betfair", {**VALUE, "Over 2.5": 2.16}) > ""
    assert await detected_after("Pinnacle", {**FAIR, "Under 2.5": 1.885}) > ""


async def test_other_moves_do_not_detect_again(live, market, bets):
    await market("Pinnacle", FAIR)
    await market("Betfair", VALUE)
    (before,) = await bets(1)
    live.now += MINUTE_MS
    await market("Pinnacle", FAIR)
    await market("Betfair", {**VALUE, "Under 2.5": 1.71})
    await market("Bwin", VALUE)
    after = await bets(2)
    assert [bet for bet in after if bet["bookmaker"] == "Betfair"] == [before]


async def test_bet_goes_when_the_rules_cease_to_hold(live, market, bets):
    await market("Pinnacle", FAIR)
    await market("Betfair", VALUE)
    await bets(1)
    await market("Betfair", ALMOST)
    await bets(0)
    await market("Betfair", VALUE)
    await bets(1)
    await market("Pinnacle", {"Over 2.5": 2.2, "Under 2.5": 1.75})
    await bets(0)


@pytest.mark.parametrize("stale", ["Pinnacle", "Betfair"])
async def test_price_said_again_unchanged_is_value_again(live, market, bets, stale):
    """D29: no change is in the log when an old price is confirmed, and yet the rules hold."""
    fresh = "Betfair" if stale == "Pinnacle" else "Pinnacle"
    odds = {"Pinnacle": FAIR, "Betfair": VALUE}
    await market(stale, odds[stale])
    live.now += 15 * MINUTE_MS + 1
    await market(fresh, odds[fresh])
    await bets(0)
    live.now += MINUTE_MS
    await market(stale, odds[stale])
    (bet,) = await bets(1)
    assert bet["detected_at"] == "2026-11-20T18:16:00.001Z"


async def test_bet_ends_with_its_ages_and_begins_anew(live, market, bets):
    """D29: at 15 minutes it holds, a millisecond later it does not."""
    await market("Pinnacle", FAIR)
    await market("Betfair", VALUE)
    await bets(1)
    live.now += 15 * MINUTE_MS
    await bets(1)
    live.now += 1
    await bets(0)


async def test_bet_is_listed_for_30_minutes_after_its_detection(live, market, bets):
    await market("Pinnacle", FAIR)
    await market("Betfair", VALUE)
    await bets(1)
    for _ in range(3):
        live.now += 10 * MINUTE_MS
        await market("Pinnacle", FAIR)
        await market("Betfair", VALUE)
    await bets(1)
    live.now += 1
    await bets(0)


async def test_in_play_is_valued_against_in_play_only(live, market, bets):
    """D30: and listed for Pro+ Live only."""
    await market("Pinnacle", FAIR)
    await market("Betfair", VALUE, is_live=True)
    await market("Bwin", VALUE)
    assert [bet["bookmaker"] for bet in await bets(1)] == ["Bwin"]
    await market("Pinnacle", FAIR, is_live=True)
    async with asyncio.timeout(5):
        while [bet["bookmaker"] for bet in await bets(1)] != ["Betfair"]:
            await asyncio.sleep(0.02)
    assert await live.get("/api/value-bets", live.key(Plan.PRO_RT)) == []


async def test_restart_keeps_what_holds_and_drops_what_does_not(live, market, bets):
    """A bet keeps its time of detection; one that ceased to hold meanwhile is gone."""
    await market("Pinnacle", FAIR)
    await market("Betfair", VALUE)
    await market("Bwin", VALUE, period=1)
    await market("Pinnacle", FAIR, period=1)
    before = await bets(2)
    await live.stop()
    live.now += MINUTE_MS
    with contextlib.closing(open_store(live.database, clock=lambda: live.now)) as store:
        gone = live.quote(bookmaker="Bwin", market_type="total", odds=ALMOST, period=1)
        await asyncio.wrap_future(store.record([gone]))
    await live.start()
    assert await bets(1) == [bet for bet in before if bet["bookmaker"] == "Betfair"]
    async with asyncio.timeout(5):
        while await asyncio.wrap_future(live.store.write(_stored)) != 1:
            await asyncio.sleep(0.02)


def _stored(connection: Any) -> int:
    count: int = connection.execute("SELECT count(*) FROM value_bet").fetchall()[0][0]
    return count


async def test_every_market_of_a_large_picture_is_valued(live, bets):
    quotes = [
        live.quote(bookmaker=name, match_name=f"A{n} - B{n}", market_type="total", odds=odds)
        for n in range(300)
        for name, odds in (("Pinnacle", FAIR), ("Betfair", VALUE))
    ]
    await live.record(*quotes)
    key = live.key()
    async with asyncio.timeout(5):
        while len(await live.get("/api/value-bets?limit=500", key)) != 300:
            await asyncio.sleep(0.02)
