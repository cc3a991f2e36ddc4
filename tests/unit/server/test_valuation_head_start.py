"""A server leaves the processor to who starts it: nothing is valued until that is done."""

import asyncio
import contextlib
from pathlib import Path

from oddsdesk.base.tasks import spawn
from oddsdesk.contract.quotes import Quote
from oddsdesk.server.settings import Settings
from oddsdesk.server.valuation import HeadStart, Valuation, Valuing
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, Visibility

NOW_MS = 1_763_661_600_000
LONG_S = 600.0


async def test_it_lasts_until_it_is_ended() -> None:
    head_start = HeadStart(LONG_S)
    waiting = spawn("waits", head_start.over())
    await asyncio.sleep(0)
    assert not waiting.done()
    head_start.end_head_start()
    await asyncio.wait_for(waiting, 30)


async def test_without_seconds_there_is_none() -> None:
    await asyncio.wait_for(HeadStart().over(), 30)


async def test_it_ends_by_itself_and_once() -> None:
    head_start = HeadStart(0.01)
    await asyncio.wait_for(head_start.over(), 30)
    await asyncio.wait_for(head_start.over(), 30)


async def test_prices_are_valued_once_it_is_over_those_of_before_too(tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    with contextlib.closing(open_store(path, "Pinnacle", clock=lambda: NOW_MS)) as store:
        settings = Settings(path, head_start_s=LONG_S)
        valuing = Valuing(
            Valuation(store, lambda: NOW_MS, settings.devig_method), settings.head_start_s
        )
        valuing.start_valuing()
        for bookmaker, odds in (("Pinnacle", (2.05, 1.88)), ("Betfair", (2.15, 1.7))):
            prices = dict(zip(("Over 2.5", "Under 2.5"), odds, strict=True))
            quote = Quote(bookmaker, "A - B", "EPL", "total", 0, prices, NOW_MS)
            await asyncio.wrap_future(store.record([quote]))
        assert listed(store) == []
        valuing.head_start.end_head_start()
        async with asyncio.timeout(30):
            while listed(store) != [2.15]:
                await asyncio.sleep(0.01)
        await valuing.stop_valuing()


def listed(store: Store) -> list[float]:
    page = store.reader().list_value_bets(NOW_MS, Filters(), Visibility(), 0, 20, 10)
    return [bet.odds for bet in page.items]
