"""The stored value bets follow prices and ages (D26..D30)."""

import asyncio
import contextlib
from typing import Any

import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.server import valuation
from oddsdesk.store.reader import log_end
from oddsdesk.store.store import open_store
from tests.kit.live_service import LiveService

MINUTE_MS = 60_000
FAIR = {"Over 2.5": 2.05, "Under 2.5": 1.88}
VALUE = {"Over 2.5": 2.15, "Under 2.5": 1.7}
ALMOST = {"Over 2.5": 2.13, "Under 2.5": 1.7}


@pytest.fixture
def live(every_live: LiveService) -> LiveService:
    return every_live


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
        async with asyncio.timeout(30):
            while len(found := await live.get("/api/value-bets", key)) != expected:
                await asyncio.sleep(0.02)
        return found

    return listed


async def test_bets_of_another_method_are_gone_when_a_server_begins_by_a_new_one(
    live, market, bets, monkeypatch
):
    """F5.10: nobody is told them until the valuation comes round to each."""
    await market("Pinnacle", FAIR)
    await market("Betfair", VALUE)
    await bets(1)
    await live.stop()
    monkeypatch.setattr(valuation, "ROUND_S", 3600.0)
    await live.start()
    [found] = await bets(1)  # of the same method they stay
    await live.stop()
    live.devig_method = "multiplicative"  # by Shin two prices are worth what they are by default
    await live.start()
    key = live.key()
    async with asyncio.timeout(120):  # one of the new method may be found at once
        while found in await live.get("/api/value-bets", key):
            await asyncio.sleep(0.02)


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
    """Only the log tells of anything: all of it, as a record may be quicker than its reader."""
    monkeypatch.setattr(valuation, "ROUND_S", 3600)
    monkeypatch.setattr(valuation, "log_end", lambda reader: (0,) * len(log_end(reader)))


async def test_change_in_the_log_is_valued_at_once(no_rounds, live, market, bets):
    await market("Pinnacle", FAIR)
    await market("Betfair", VALUE)
    async with asyncio.timeout(30):
        await bets(1)
    await market("Betfair", ALMOST)
    await market("Bwin", VALUE)
    async with asyncio.timeout(30):
        while [bet["bookmaker"] for bet in await bets(1)] != ["Bwin"]:
            await asyncio.sleep(0.02)


HOCKEY = {"competition": "NHL", "match_name": "Rangers vs Devils"}
GAME = {**HOCKEY, "market_type": "moneyline"}
OTHER_GAME = {**GAME, "match_name": "Bruins vs Sabres"}
TWO_WAY = {"Rangers": 1.80, "Devils": 2.08}
THREE_WAY = {"Rangers": 2.2, "Draw": 4.2, "Devils": 2.6}


async def never_listed(bets, *others: str) -> None:
    """Waits until these are listed: what else would be listed was valued with them."""
    found = await bets(len(others))
    assert {bet["bookmaker"] for bet in found} == set(others)


async def test_goals_with_and_without_overtime_are_never_compared(no_rounds, live, market, bets):
    """D49: all 3 hockey bets of the real moment were false."""
    three_way = live.quote(bookmaker="Regulation", odds=THREE_WAY, **GAME)
    two_way = [live.quote(bookmaker=each, odds=TWO_WAY, **GAME) for each in ("Pinnacle", "Whole")]
    await live.record(three_way, *two_way)
    await market("Pinnacle", FAIR, **HOCKEY)
    await market("Regulation", VALUE, **HOCKEY)
    await market("Whole", VALUE, **HOCKEY)
    await never_listed(bets, "Whole")


async def test_moneyline_that_changes_its_form_has_the_game_valued_again(
    no_rounds, live, market, bets
):
    await live.record(
        *(live.quote(bookmaker=each, odds=TWO_WAY, **GAME) for each in ("Pinnacle", "Book"))
    )
    await market("Pinnacle", FAIR, **HOCKEY)
    await market("Book", VALUE, **HOCKEY)
    await bets(1)
    live.now += 1
    await live.record(live.quote(bookmaker="Book", odds=THREE_WAY, **GAME))
    await bets(0)


async def test_who_has_no_moneyline_counts_as_it_usually_does(live, market, bets):
    """D49: by its moneylines of the competition; where none tells, it is compared."""
    regulation = live.quote(
        bookmaker="Regulation", odds={"Bruins": 2.2, "Draw": 4.2, "Sabres": 2.6}, **OTHER_GAME
    )
    await live.record(live.quote(bookmaker="Pinnacle", odds=TWO_WAY, **GAME), regulation)
    await market("Pinnacle", FAIR, **HOCKEY)
    await market("Regulation", VALUE, **HOCKEY)
    await market("Unknown", VALUE, **HOCKEY)
    await never_listed(bets, "Unknown")


async def test_draw_that_was_there_within_a_day_is_missed(live, bets):
    """D48: the bookmaker's moneyline is not two-way without it, nor are its goals with overtime."""
    prices = {"Rangers": 1.91, "Devils": 2.2}
    await live.record(live.quote(bookmaker="Pinnacle", odds=TWO_WAY, **GAME))
    await live.record(live.quote(bookmaker="Book", odds={**prices, "Draw": 21.0}, **GAME))
    live.now += MINUTE_MS
    goals = {**HOCKEY, "market_type": "total"}
    await live.record(
        live.quote(bookmaker="Pinnacle", odds=TWO_WAY, **GAME),
        *(live.quote(bookmaker=each, odds=prices, **GAME) for each in ("Book", "Two")),
        live.quote(bookmaker="Pinnacle", odds=FAIR, **goals),
        *(live.quote(bookmaker=each, odds=VALUE, **goals) for each in ("Book", "Two")),
    )
    await never_listed(bets, "Two", "Two")
    live.now += 24 * 60 * MINUTE_MS + 1
    await live.record(
        *(
            live.quote(bookmaker=each, odds=TWO_WAY if each == "Pinnacle" else prices, **GAME)
            for each in ("Pinnacle", "Book")
        )
    )
    assert [bet["bookmaker"] for bet in await bets(1)] == ["Book"]


async def test_draw_under_a_name_that_nobody_reads_is_no_two_way_price(no_rounds, live, bets):
    """D48: {"Storm": 1.91, "Uafgjort": 21, "Raiders": 2.2} against 1.80/2.08 gave +1.63 %."""
    game = {"competition": "RUGBY", "match_name": "Storm vs Raiders", "market_type": "moneyline"}
    two = {"Storm": 1.91, "Raiders": 2.2}
    await live.record(
        live.quote(bookmaker="Pinnacle", odds={"Storm": 1.80, "Raiders": 2.08}, **game),
        live.quote(bookmaker="Three", odds={**two, "Uafgjort": 21.0}, **game),
        live.quote(bookmaker="Two", odds=two, **game),
    )
    await never_listed(bets, "Two")


async def test_move_of_price_or_fair_price_detects_again(live, market, bets):
    """D29: detected_at is the latest detection."""
    await market("Pinnacle", FAIR)
    await market("Betfair", VALUE)
    await bets(1)

    async def detected_after(*recording: Any) -> str:
        live.now += MINUTE_MS
        await market(*recording)
        before = live.now
        async with asyncio.timeout(30):
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


async def test_bet_ends_with_its_ages_and_begins_again(live, market, bets):
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
    async with asyncio.timeout(30):
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
    async with asyncio.timeout(30):
        while await asyncio.wrap_future(live.store.run_on_writer(_stored)) != 1:
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
    async with asyncio.timeout(120):
        while len(await live.get("/api/value-bets?limit=500", key)) != 300:
            await asyncio.sleep(0.25)  # asking is work, too
