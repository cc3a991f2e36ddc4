"""WS /api/stream: what is sent, to whom (service.md Events; D19, D20, D24, D32, D41)."""

import asyncio

import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.contract.identity import game_id
from oddsdesk.store.store import open_store
from tests.kit.live_service import LiveService
from tests.kit.promises import in_time

GAME = game_id("EPL", "Arsenal - Chelsea")


@pytest.fixture
def live(every_live: LiveService) -> LiveService:
    return every_live


async def test_one_message_is_one_selection_with_every_field(live, listening):
    """Events, Delivery rules 1 and 2; Message fields."""
    client = await live.stream()
    await live.record(live.quote())
    messages = [await listening.message(client) for _ in range(3)]
    await client.close()
    assert [message["selection"] for message in messages] == ["Arsenal", "Draw", "Chelsea"]
    assert messages[0] == {
        "bookmaker": "Betfair",
        "match_name": "Arsenal - Chelsea",
        "competition": "EPL",
        "sport": "Football",
        "market_type": "moneyline",
        "selection": "Arsenal",
        "odds": 2.1,
        "period": 0,
        "is_live": False,
        "scraped_at": "2026-11-20T18:00:00.000Z",
    }


@pytest.mark.parametrize("liquidity", [None, 5000.0])
async def test_reference_messages_carry_liquidity_others_never(live, listening, liquidity):
    """Delivery rule 2; D32, D41."""
    client = await live.stream()
    await live.record(
        live.quote(bookmaker="Pinnacle", liquidity=liquidity),
        live.quote(bookmaker="Betfair", liquidity=77.0),
    )
    messages = [await listening.message(client) for _ in range(6)]
    await client.close()
    assert [message["liquidity"] for message in messages[:3]] == [liquidity] * 3
    assert all("liquidity" not in message for message in messages[3:])


async def test_only_new_or_different_odds_are_told(live, listening):
    """D41: other fields changing alone, and withdrawals, send none."""
    await live.record(live.quote())
    client = await live.stream()
    live.now += 1000
    await live.record(live.quote())
    await live.record(live.quote(is_live=True, url="https://example.com/"))
    await live.record(live.quote(odds={"Arsenal": 2.1, "Draw": 3.4}, is_live=True))
    await live.record(live.quote(odds={}, is_live=True))
    await live.record(live.quote(odds={"Arsenal": 2.2}, is_live=True))
    message = await listening.message(client)
    rest = await listening.all_before_pong(client)
    await client.close()
    assert (message["selection"], message["odds"], rest) == ("Arsenal", 2.2, [])


async def test_what_was_before_the_connection_is_not_told(live, listening):
    await live.record(live.quote())
    client = await live.stream()
    await live.record(live.quote(odds={"Arsenal": 2.2, "Draw": 3.4, "Chelsea": 3.6}))
    assert (await listening.message(client))["odds"] == 2.2
    await client.close()


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, {"A", "B", "C", "D"}),
        ({"sport": "football"}, {"A", "B"}),
        ({"sport": "TENNIS"}, {"C"}),
        ({"sport": "Curling"}, set()),
        ({"competition": "EPL"}, {"A", "B"}),
        ({"competition": "epl"}, set()),
        ({"bookmaker": "Betfair"}, {"A", "C", "D"}),
        ({"bookmaker": "betfair"}, set()),
        ({"game_id": GAME}, {"A", "B"}),
        ({"game_id": GAME.replace("-", "").upper()}, {"A", "B"}),
        ({"sport": "Football", "bookmaker": "Betfair"}, {"A"}),
        ({"game_id": GAME, "competition": "NBA"}, set()),
        ({"unknown": "x"}, {"A", "B", "C", "D"}),
    ],
)
async def test_filters_combine(live, listening, filters, expected):
    """WS {ws_url}/api/stream, Query parameters; D38."""
    client = await live.stream(**filters)
    everything = await live.stream()
    await live.record(
        live.quote(odds={"A": 2.0}),
        live.quote(odds={"B": 2.0}, bookmaker="Bwin"),
        live.quote(odds={"C": 2.0}, match_name="X - Y", competition="ATP"),
        live.quote(odds={"D": 2.0}, match_name="V - W", competition="Liga 7"),
    )
    for _ in range(4):
        await listening.message(everything)
    messages = await listening.all_before_pong(client)
    await asyncio.gather(client.close(), everything.close())
    assert {message["selection"] for message in messages} == expected


@pytest.mark.parametrize(
    ("plan", "bookmaker", "expected"),
    [
        (Plan.PRO_LIVE, None, {"A", "B", "C", "D"}),
        (Plan.PRO_RT, None, {"A", "B"}),
        (Plan.FREE, "Bwin", {"B"}),
    ],
)
async def test_plans_see_their_part(live, listening, plan, bookmaker, expected):
    """D19: Free hears of its bookmaker only; D20: in-play goes to Pro+ Live only."""
    client = await live.stream(live.key(plan, bookmaker))
    everything = await live.stream()
    await live.record(
        live.quote(odds={"A": 2.0}),
        live.quote(odds={"B": 2.0}, bookmaker="Bwin"),
        live.quote(odds={"C": 2.0}, is_live=True, period=1),
        live.quote(odds={"D": 2.0}, bookmaker="Bwin", is_live=True, period=1),
    )
    for _ in range(4):
        await listening.message(everything)
    messages = await listening.all_before_pong(client)
    await asyncio.gather(client.close(), everything.close())
    assert {message["selection"] for message in messages} == expected


async def test_another_program_recording_is_heard_within_a_second(live, listening):
    """command-line.md: a running server sees an ingest and streams it within a second."""
    client = await live.stream()
    other = open_store(live.database, clock=lambda: live.now)
    try:
        await asyncio.wrap_future(other.record([live.quote()]))
        async with asyncio.timeout(in_time(1)):
            message = await listening.message(client)
    finally:
        await asyncio.to_thread(other.close)
    assert message["selection"] == "Arsenal"
    await client.close()


async def test_nothing_is_lost_or_out_of_order_in_a_flood(live, listening):
    clients = [await live.stream() for _ in range(3)]
    for batch in range(20):
        await live.record(*(live.quote(odds={f"{batch}.{n}": 2.0}, period=n) for n in range(100)))
    expected = [f"{batch}.{n}" for batch in range(20) for n in range(100)]
    for client in clients:
        heard = [(await listening.message(client))["selection"] for _ in expected]
        assert heard == expected
        await client.close()
