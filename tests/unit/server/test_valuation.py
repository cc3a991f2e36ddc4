import asyncio
import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from random import Random

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.server import valuation as valuation_module
from oddsdesk.server.troubles import Troubles
from oddsdesk.server.valuation import Valuation
from oddsdesk.slices import exhaust
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.sqlite.reader import SqliteReader
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, Visibility
from oddsdesk.tasks import stop

NOW = 1_763_661_600_000


@pytest.fixture
def store(tmp_path) -> Iterator[Store]:
    path = tmp_path / "odds.db"
    with contextlib.closing(open_store(path, "Pinnacle", clock=lambda: NOW)) as store:
        yield store


@pytest.fixture
async def valuation(store, monkeypatch):
    """Goes its rounds without a rest, and hears nothing of the log."""
    monkeypatch.setattr(valuation_module, "ROUND_S", 0.01)
    monkeypatch.setattr(valuation_module, "RETRY_S", 0.01)
    valuation = Valuation(store, lambda: NOW, DEFAULT_METHOD)
    task = asyncio.get_running_loop().create_task(valuation.rounds())
    yield valuation
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    valuation.close()


async def _record(store: Store, bookmaker: str, over: float, under: float) -> None:
    odds = {"Over 2.5": over, "Under 2.5": under}
    quote = Quote(bookmaker, "A - B", "EPL", "total", 0, odds, NOW)
    await asyncio.wrap_future(store.record([quote]))


async def _listed(store: Store, odds: list[float]) -> None:
    async with asyncio.timeout(30):
        while True:
            page = store.reader().value_bets(NOW, Filters(), Visibility(), 0, 20, 10)
            if [bet.odds for bet in page.items] == odds:
                return
            await asyncio.sleep(0.01)


async def test_what_the_database_refused_is_stored_by_a_later_round(
    store, valuation, monkeypatch, caplog
):
    await _record(store, "Pinnacle", 2.05, 1.88)
    await _record(store, "Betfair", 2.15, 1.7)
    await _listed(store, [2.15])
    working, refused = store.replace_value_bets, []

    def refuse_once(found, now_ms):
        if refused:
            return working(found, now_ms)
        refused.append(found)
        future: Future[None] = Future()
        future.set_exception(StoreUnavailableError("disk full"))
        return future

    monkeypatch.setattr(store, "replace_value_bets", refuse_once)
    await _record(store, "Betfair", 2.16, 1.7)
    await _listed(store, [2.16])
    assert refused
    assert " waits for the database: disk full" in caplog.text


async def test_after_a_refusal_a_round_is_brisk_so_that_it_is_told_no_longer(store, monkeypatch):
    monkeypatch.setattr(valuation_module, "ROUND_S", 0.01)
    monkeypatch.setattr(valuation_module, "RETRY_S", 0.01)
    monkeypatch.setattr(valuation_module, "REST", 1e12)  # any other round never ends
    await _record(store, "Pinnacle", 2.05, 1.88)
    working, was_told = SqliteReader.games_to_value, []

    def refuse_once(reader: SqliteReader, since: int):
        if was_told:
            return working(reader, since)
        was_told.append(True)
        raise StoreUnavailableError("away")

    monkeypatch.setattr(SqliteReader, "games_to_value", refuse_once)
    troubles = Troubles()
    valuation = Valuation(store, lambda: NOW, DEFAULT_METHOD, troubles)
    task = asyncio.get_running_loop().create_task(valuation.rounds())
    async with asyncio.timeout(30):
        while not troubles.now():
            await asyncio.sleep(0)
        while troubles.now():
            await asyncio.sleep(0.01)
    await stop(task)
    valuation.close()


async def test_rounds_that_find_nothing_new_write_nothing(store, valuation, monkeypatch):
    await _record(store, "Pinnacle", 2.05, 1.88)
    await _record(store, "Betfair", 2.15, 1.7)
    await _listed(store, [2.15])
    writes = []
    working = store.write
    monkeypatch.setattr(store, "write", lambda function: writes.append(1) or working(function))
    rounds = []
    found = SqliteReader.games_to_value

    def games_to_value(reader: SqliteReader, since: int):
        rounds.append(1)
        return found(reader, since)

    monkeypatch.setattr(SqliteReader, "games_to_value", games_to_value)
    async with asyncio.timeout(30):
        while len(rounds) < 4:
            await asyncio.sleep(0.01)
    assert writes == []


async def test_a_round_undoes_nothing_by_what_it_read_before_a_change(store):
    """All that is read at once is judged before the change can be."""
    valuation = Valuation(store, lambda: NOW, DEFAULT_METHOD)

    async def say(bookmaker: str, odds: dict[str, float]) -> None:
        quotes = [Quote(bookmaker, "A - B", "EPL", "total", period, odds, NOW) for period in (0, 1)]
        await asyncio.wrap_future(store.record(quotes))

    def looked_at(found: dict) -> Iterator[None]:
        return valuation._find_news(valuation._everything(), found)

    await say("Pinnacle", {"Over 2.5": 2.05, "Under 2.5": 1.88})
    found, newer = {}, {}
    steps = looked_at(found)
    next(steps)
    await say("Betfair", {"Over 2.5": 2.15, "Under 2.5": 1.7})
    exhaust(looked_at(newer))
    await valuation._store_news(newer)
    exhaust(steps)
    assert (len(newer), found) == (2, {})
    valuation.close()


def _bets_of(valuation: Valuation) -> dict:
    """What a valuation that remembers nothing finds in all markets."""
    found: dict = {}
    exhaust(valuation._find_news(valuation._everything(), found))
    return {place: bets for place, bets in found.items() if bets}


async def _follow(valuation: Valuation) -> None:
    await valuation._value(valuation._changed(), rest=0)


@pytest.mark.parametrize("seed", range(3))
async def test_bets_found_of_who_moved_are_those_of_the_whole_market(store, seed):
    """The reference's moves and draws, withdrawals and overtime among them, in any order."""
    random = Random(seed)
    valuation = Valuation(store, lambda: NOW, DEFAULT_METHOD)
    await valuation._go_to_the_end()
    levels = {
        "moneyline": {"A": 2.6, "Draw": 4.0, "B": 2.5},
        "total": {"Over 5.5": 2, "Under 5.5": 2},
    }
    seen = []
    for number in range(150):
        bookmaker = random.choice(("Pinnacle", "Betfair", "Bet365", "Unibet"))
        market = random.choice(list(levels))
        odds = {
            name: round(level * random.uniform(0.97, 1.07), 2)
            for name, level in levels[market].items()
            if name != "Draw" or random.random() < 0.8
        }
        odds = odds if random.random() < 0.95 else {}
        quote = Quote(bookmaker, "A - B", "NHL", market, 0, odds, NOW - 1000 + number)
        await asyncio.wrap_future(store.record([quote]))
        await _follow(valuation)
        if number == 20:
            await valuation._go_round(0)
        found = _bets_of(Valuation(store, lambda: NOW, DEFAULT_METHOD))
        assert valuation._stored == found
        seen.append(len(found))
    assert max(seen) == 2
    valuation.close()


async def test_only_who_moved_is_read_beside_the_reference(store, monkeypatch):
    valuation = Valuation(store, lambda: NOW, DEFAULT_METHOD)
    await _record(store, "Pinnacle", 2.05, 1.88)
    await _record(store, "Betfair", 2.15, 1.7)
    await valuation._go_round(0)
    await valuation._go_to_the_end()
    monkeypatch.setattr(SqliteReader, "market_prices", None)
    await _record(store, "Bet365", 2.16, 1.7)
    await _follow(valuation)
    await _listed(store, [2.16, 2.15])
    valuation.close()


async def test_after_a_refusal_bets_of_others_are_found_with_those_of_who_moves(store, monkeypatch):
    """What is stored is not known then: the next move has the whole market valued."""
    valuation = Valuation(store, lambda: NOW, DEFAULT_METHOD)
    await _record(store, "Pinnacle", 2.05, 1.88)
    await _record(store, "Unibet", 2.14, 1.7)
    await valuation._go_round(0)
    await valuation._go_to_the_end()
    refusal: Future[None] = Future()
    refusal.set_exception(StoreUnavailableError("disk full"))
    await _record(store, "Betfair", 2.15, 1.7)
    with monkeypatch.context() as patch:
        patch.setattr(store, "replace_value_bets", lambda _found, _now: refusal)
        with pytest.raises(StoreUnavailableError):
            await _follow(valuation)
    await _record(store, "Bet365", 2.16, 1.7)
    await _follow(valuation)
    await _listed(store, [2.16, 2.15, 2.14])
    valuation.close()


async def test_a_database_that_does_not_answer_holds_up_nobody_else(store, valuation, monkeypatch):
    asked, answering = threading.Event(), threading.Event()
    found = SqliteReader.games_to_value

    def games_to_value(reader: SqliteReader, since: int):
        asked.set()
        assert answering.wait(10)
        return found(reader, since)

    monkeypatch.setattr(SqliteReader, "games_to_value", games_to_value)
    assert await asyncio.to_thread(asked.wait, 5)  # the loop goes on
    await _record(store, "Pinnacle", 2.05, 1.88)
    await _record(store, "Betfair", 2.15, 1.7)
    answering.set()
    await _listed(store, [2.15])
