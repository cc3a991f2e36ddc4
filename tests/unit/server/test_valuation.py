import asyncio
import contextlib
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import Future
from random import Random

import pytest

from oddsdesk.base.files import WriteWatch
from oddsdesk.base.tasks import cancel_tasks, exhaust
from oddsdesk.contract.competitions import sport_of
from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.files import expand, read_file
from oddsdesk.feeds.imported import SourceFile
from oddsdesk.feeds.importing import load_importer
from oddsdesk.pricing.assessment import Market, Prices, verdicts
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.value import MAX_AGE_MS
from oddsdesk.server import valuation as valuation_module
from oddsdesk.server.troubles import Troubles
from oddsdesk.server.valuation import AGES_TOGETHER_MS, KnownReferences, Valuation
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.sqlite.reader import SqliteReader
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, Visibility

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


async def _record(
    store: Store, bookmaker: str, over: float, under: float, at_ms: int = NOW
) -> None:
    odds = {"Over 2.5": over, "Under 2.5": under}
    quote = Quote(bookmaker, "A - B", "EPL", "total", 0, odds, at_ms)
    await asyncio.wrap_future(store.record([quote]))


async def _listed(store: Store, odds: list[float]) -> None:
    async with asyncio.timeout(30):
        while True:
            page = store.reader().list_value_bets(NOW, Filters(), Visibility(), 0, 20, 10)
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
    assert " is waiting for the database: disk full" in caplog.text


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
    await cancel_tasks(task)
    valuation.close()


async def test_rounds_that_find_nothing_new_write_nothing(store, valuation, monkeypatch):
    await _record(store, "Pinnacle", 2.05, 1.88)
    await _record(store, "Betfair", 2.15, 1.7)
    await _listed(store, [2.15])
    writes = []
    working = store.run_on_writer
    monkeypatch.setattr(
        store, "run_on_writer", lambda function: writes.append(1) or working(function)
    )
    rounds = []
    found = SqliteReader.games_to_value

    def games_to_value(reader: SqliteReader, since: int):
        rounds.append(1)
        return found(reader, since)

    monkeypatch.setattr(SqliteReader, "games_to_value", games_to_value)
    async with asyncio.timeout(30):
        while len(rounds) < 4:
            await _record(store, "Betfair", 2.15, 1.7, NOW + 1 + len(rounds))
            await asyncio.sleep(0.01)
    assert writes == []


async def test_while_nothing_is_recorded_a_round_values_what_ages_change(store, monkeypatch):
    await _record(store, "Pinnacle", 2.05, 1.88)
    await _record(store, "Betfair", 2.15, 1.7)
    now = NOW
    valuation = Valuation(store, lambda: now, DEFAULT_METHOD)
    rounds = []
    found = SqliteReader.games_to_value

    def games_to_value(reader: SqliteReader, since: int):
        rounds.append(now)
        return found(reader, since)

    monkeypatch.setattr(SqliteReader, "games_to_value", games_to_value)
    with contextlib.closing(valuation):
        for now in (NOW, NOW, NOW, NOW + MAX_AGE_MS - 1):  # noqa: B007 - the clock reads it
            await valuation._go_round(0)
        await _listed(store, [2.15])
        assert rounds == [NOW, NOW]  # its own writing counts as a recording
        now = NOW + MAX_AGE_MS + AGES_TOGETHER_MS
        await valuation._go_round(0)
        await _listed(store, [])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows dates writes late")
async def test_a_round_of_a_file_that_nobody_wrote_asks_it_nothing(store, monkeypatch):
    monkeypatch.setattr(WriteWatch, "SETTLE_S", 0)
    await _record(store, "Pinnacle", 2.05, 1.88)
    asked = []
    data_version = SqliteReader.data_version

    def counted(reader: SqliteReader):
        asked.append(reader)
        if len(asked) == 1:
            raise StoreUnavailableError("away")
        return data_version(reader)

    monkeypatch.setattr(SqliteReader, "data_version", counted)
    with contextlib.closing(Valuation(store, lambda: NOW, DEFAULT_METHOD)) as valuation:
        with pytest.raises(StoreUnavailableError):
            await valuation._go_round(0)
        for _ in range(4):
            await valuation._go_round(0)
        assert len(asked) > 1  # what was refused is asked again
        asked[1:] = []
        await valuation._go_round(0)
        assert len(asked) == 1
        await _record(store, "Betfair", 2.15, 1.7)
        await valuation._go_round(0)
        await _listed(store, [2.15])


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


async def test_only_prices_that_moved_are_read_with_the_reference(store, monkeypatch):
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


TOTALS = Market("total", "A - B", "Football")


def test_rounds_over_the_real_moment_find_what_judging_every_price_finds(shared_data):
    files = expand(str(shared_data / "the-odds-api" / "icehockey*"))
    read = load_importer("the-odds-api").convert([SourceFile(p.name, read_file(p)) for p in files])
    markets = defaultdict(list)
    for quote in read.quotes:
        market = Market(
            quote.market_type, quote.match_name, sport_of(quote.competition), quote.period
        )
        is_live = bool(quote.is_live)
        prices = Prices(quote.bookmaker, quote.odds, quote.scraped_at, is_live)
        markets[quote.competition, quote.match_date, market].append(prices)
    now = max(quote.scraped_at for quote in read.quotes)
    references, bets = KnownReferences("shin"), 0
    for _ in range(2):
        for place, prices in markets.items():
            by = next((each for each in prices if each.bookmaker == "Pinnacle"), None)
            if by is not None:
                judged = verdicts(place[2], by, prices, now, "shin")
                expected = [each for each in judged if each.verdict.is_value]
                known = references.market_of(place, place[2], by.odds)
                assert known.value_bets(by, prices, now) == expected
                bets += len(expected)
        references.forget_unasked()
    assert bets > 4


def test_a_reference_is_devigged_again_only_where_it_moved():
    references = KnownReferences("power")
    first = references.market_of(1, TOTALS, {"Over 2.5": 2.05, "Under 2.5": 1.88})
    assert references.market_of(1, TOTALS, {"Over 2.5": 2.05, "Under 2.5": 1.88}) is first
    assert references.market_of(2, TOTALS, {"Over 2.5": 2.05, "Under 2.5": 1.88}) is not first
    moved = references.market_of(1, TOTALS, {"Over 2.5": 2.0, "Under 2.5": 1.92})
    assert moved.odds == {"Over 2.5": 2.0, "Under 2.5": 1.92}


def test_what_a_whole_round_did_not_ask_for_is_forgotten():
    references, odds = KnownReferences("power"), {"Over 2.5": 2.05, "Under 2.5": 1.88}
    first, other = references.market_of(1, TOTALS, odds), references.market_of(2, TOTALS, odds)
    references.forget_unasked()
    assert references.market_of(1, TOTALS, odds) is first
    references.forget_unasked()
    assert references.market_of(1, TOTALS, odds) is first
    assert references.market_of(2, TOTALS, odds) is not other
