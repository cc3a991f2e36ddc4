"""The levels of a book: recorded, answered next to the contract's fields, streamed (D103, D104)."""

import asyncio
import contextlib
from typing import Any

import pytest

from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import Offer
from oddsdesk.store.store import open_store
from tests.kit.live_service import LiveService

GAME = game_id("EPL", "Arsenal - Chelsea")
ODDS = {"Arsenal": 2.1, "Draw": 3.4, "Chelsea": 3.6}
BOOK = {
    "Arsenal": Offer(back=((2.1, 4.5), (2.08, 30.0)), lay=((2.14, 9.0),), currency="GBP"),
    "Draw": Offer(link="https://betfair.example/draw"),
}
SAID = {"back": [[2.1, 4.5], [2.08, 30.0]], "lay": [[2.14, 9.0]], "currency": "GBP"}


def test_levels_stand_next_to_what_the_contract_answers(service: Any) -> None:
    service.quote(odds=ODDS, offers=BOOK)
    service.quote(bookmaker="Bet365", odds=ODDS, offers={"Draw": BOOK["Draw"]})
    key = service.key()
    plain, market = sorted(service.data("/api/odds", key), key=lambda row: row["bookmaker"])
    assert market["offers"]["Arsenal"] == SAID
    assert market["odds"] == ODDS
    assert plain["offers"] == {"Draw": {"link": "https://betfair.example/draw"}}
    [matrix] = service.data(f"/api/games/{GAME}", key)["markets"]
    cells = {row["selection"]: row["books"] for row in matrix["selections"]}
    assert cells["Arsenal"]["Betfair"]["offer"] == SAID
    assert "offer" not in cells["Arsenal"]["Bet365"]
    assert "offer" not in cells["Chelsea"]["Betfair"]


def test_levels_that_change_alone_are_answered_and_move_no_price(service: Any) -> None:
    service.quote(odds=ODDS, offers=BOOK)
    moves = service.store.reader().last_seq()
    service.now += 1000
    less = Offer(back=((2.1, 0.5),), currency="GBP")
    service.quote(odds=ODDS, offers={"Arsenal": less})
    [row] = service.data("/api/odds", service.key())
    assert row["offers"] == {"Arsenal": {"back": [[2.1, 0.5]], "currency": "GBP"}}
    assert row["scraped_at"] == "2026-11-20T18:00:01.000Z"
    assert service.store.reader().last_seq() == moves
    service.now += 1000
    service.quote(odds=ODDS)
    [row] = service.data("/api/odds", service.key())
    assert "offers" not in row


def test_a_command_reads_them_from_the_database(service: Any) -> None:
    service.quote(odds=ODDS, offers=BOOK)
    service.quote(bookmaker="Bet365", odds=ODDS)
    with contextlib.closing(open_store(service.database, read_only=True)) as store:
        first, second = store.reader().standing_quotes(service.now, 60_000)
    assert (first.bookmaker, first.offers) == ("Bet365", None)
    assert second.offers == BOOK


@pytest.fixture
def live(every_live: LiveService) -> LiveService:
    return every_live


async def test_a_streamed_price_holds_its_levels(live: LiveService, listening: Any) -> None:
    client = await live.stream()
    await live.record(live.quote(odds=ODDS, offers=BOOK))
    messages = [await listening.message(client) for _ in range(3)]
    await asyncio.sleep(0)
    moved = ODDS | {"Draw": 3.5}
    await live.record(live.quote(odds=moved, scraped_at=live.now + 1, offers=BOOK))
    draw = await listening.message(client)
    await client.close()
    assert [message.get("offer") for message in messages] == [SAID, None, None]
    assert (draw["selection"], "offer" in draw) == ("Draw", False)
