"""The store as a whole: its reference, other processes, one reader a thread, the odd answers."""

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.pricing.assessment import Prices
from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.sqlite.database import open_writer
from oddsdesk.store.sqlite.migrations import Schema
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import (
    Filters,
    FoundValueBet,
    MarketFilter,
    MarketKey,
    ValuedMarket,
    Visibility,
)

MakeQuote = Callable[..., Quote]


def test_the_reference_is_remembered(tmp_path: Path) -> None:
    for given, expected in [(None, "Pinnacle"), ("smarkets", "smarkets"), (None, "smarkets")]:
        store = open_store(tmp_path / "odds.db", given)
        assert store.reference == expected
        store.close()


def test_a_file_of_an_older_version_answers_as_before(
    tmp_path: Path, quote: MakeQuote, now: int
) -> None:
    """What recording has stored besides the quotes since then is made from them."""
    path = tmp_path / "odds.db"
    older = Schema(ODDS.name, ODDS.steps[:2])
    connection = open_writer(path, older, synchronous="NORMAL")
    connection.execute(
        "INSERT INTO game (game_id, competition, sport, match_name, has_live,"
        " last_scraped_at) VALUES ('x', 'EPL', 'Football', 'A - B', 0, ?)",
        (now,),
    )
    for bookmaker, selections in (("Bet365", 1), ("Unibet", 0)):
        connection.execute(
            "INSERT INTO quote VALUES (1, ?, 'total', 0, 0, ?, ?, ?, NULL, NULL)",
            (bookmaker, now, selections, '{"Over 2.5":2.0}' if selections else None),
        )
    connection.close()
    with contextlib.closing(open_store(path)) as store:
        for market_type, found in (("total", ["Bet365"]), ("btts", [])):
            page = store.reader().list_odds(now, Filters(market_type=market_type), Visibility(), 10)
            assert [row.bookmaker for row in page.items] == found


def test_when_an_older_version_recorded_is_read_from_its_log(tmp_path: Path, now: int) -> None:
    path, minute = tmp_path / "odds.db", 60_000
    connection = open_writer(path, Schema(ODDS.name, ODDS.steps[:3]), synchronous="NORMAL")
    connection.execute(
        "INSERT INTO game (game_id, competition, sport, match_name)"
        " VALUES ('x', 'EPL', 'Football', 'A - B')"
    )
    times = [now + step * minute for step in (0, 1, 2, 30, 31)]
    connection.executemany(
        "INSERT INTO price_change (game, bookmaker, market_type, period, selection, is_live,"
        " scraped_at, recorded_at) VALUES (1, 'Bet365', 'total', 0, 'Over 2.5', 0, ?, ?)",
        [(time, time) for time in times],
    )
    connection.close()
    with contextlib.closing(open_store(path)) as store:
        silent = store.reader().silences(0, times[-1], 10 * minute)
        assert (store.reader().log_began(), silent) == (now, [(times[2], times[3])])


def test_read_only_reads_and_refuses_to_record(tmp_path: Path, store: Store, quote: MakeQuote):
    store.record([quote()]).result(10)
    other = open_store(store.path, read_only=True)
    assert other.reader().last_seq() == 3
    with pytest.raises(StoreUnavailableError, match="read-only"):
        other.record([quote()]).result(10)
    other.close()
    with pytest.raises(StoreError, match="no such database"):
        open_store(tmp_path / "missing.db", read_only=True)


def test_another_writers_commit_is_noticed_by_data_version_and_read(
    store: Store, quote: MakeQuote
) -> None:
    reader = store.reader()
    before = reader.data_version()
    assert reader.data_version() == before
    other = open_store(store.path)
    other.record([quote()]).result(10)
    other.close()
    assert reader.data_version() != before
    assert len(reader.changes_after(0, 10)) == 3


def test_each_thread_has_a_reader_of_its_own(store: Store) -> None:
    readers = [store.reader()]
    thread = threading.Thread(target=lambda: readers.append(store.reader()))
    thread.start()
    thread.join(10)
    assert store.reader() is readers[0]
    assert readers[1] is not readers[0]


def test_the_event_with_the_most_bookmakers_answers_for_a_name(
    store: Store, quote: MakeQuote, now: int
) -> None:
    store.record([quote("A"), quote("A", competition="UCL"), quote("B", competition="UCL")]).result(
        10
    )
    detail = store.reader().event_detail("PSG - Lyon", now, Visibility(), stale_minutes=20)
    assert detail is not None
    assert detail.competition == "UCL"


def test_filters_of_a_detail_narrow_its_markets_and_not_who_covers_it(
    store: Store, quote: MakeQuote, now: int
) -> None:
    total = {"Over 2.5": 2.0, "Under 2.5": 1.8}
    store.record(
        [
            quote("A"),
            quote("B", market_type="total", odds=total),
            quote("Pinnacle", market_type="total", odds=total),
            quote("Pinnacle"),
        ]
    ).result(10)
    reader = store.reader()
    wanted = MarketFilter(bookmaker="A")
    detail = reader.event_detail("PSG - Lyon", now, Visibility(), wanted, stale_minutes=20)
    assert detail is not None
    assert [(m.bookmaker, m.market_type) for m in detail.markets] == [("A", "moneyline")]
    assert [r.market_type for r in detail.reference] == ["moneyline", "total"]
    assert detail.summary.bookmakers == ["A", "B", "Pinnacle"]
    assert detail.summary.total_markets == 1
    wanted = MarketFilter(market_type="total")
    totals = reader.event_detail("PSG - Lyon", now, Visibility(), wanted, stale_minutes=20)
    assert totals is not None
    assert totals.summary.market_types == ["total"]
    assert [r.market_type for r in totals.reference] == ["total"]
    matrix = reader.matrix(
        "8548bd40-bf55-7646-9218-2b324858f5f5",
        now,
        Visibility(),
        MarketFilter(bookmaker="A", market_type="total"),
    )
    assert matrix is not None
    assert [(m.bookmakers, m.reference_scraped_at is None) for m in matrix.markets] == [([], False)]
    free = reader.event_detail("PSG - Lyon", now, Visibility("A", live=False), stale_minutes=20)
    assert free is not None
    assert (free.reference, free.summary.bookmakers) == ([], ["A"])


def test_history_starts_with_the_price_that_stood(store: Store, quote: MakeQuote, now: int) -> None:
    for number, price in enumerate((1.5, 1.6, 1.7)):
        moved = quote(odds={"PSG": price}, scraped_at=now + number * 10)
        store.record([moved]).result(10)
    store.record([quote("Unibet", odds={}, scraped_at=now + 30)]).result(10)
    ident = "8548bd40-bf55-7646-9218-2b324858f5f5"
    points = store.reader().history(ident, "moneyline", 0, "PSG", now + 15)
    assert [(p.odds, p.scraped_at - now) for p in points] == [(1.6, 10), (1.7, 20)]
    assert store.reader().history(ident, "total", 0, "PSG", 0) == []


def test_prices_of_a_market_for_the_valuation(store: Store, quote: MakeQuote, now: int) -> None:
    odd = 'Bet "365"\\, é'
    said = [quote("Pinnacle"), quote(odd, is_live=True, scraped_at=now + 5), quote("Left", odds={})]
    store.record(said).result(10)
    odds = quote().odds
    expected = [Prices(odd, odds, now + 5, True), Prices("Pinnacle", odds, now, False)]
    reader = store.reader()
    assert reader.market_prices(1, "moneyline", 0) == expected
    assert list(reader.market_prices(1, "moneyline", 0)[0].odds) == ["PSG", "Draw", "Lyon"]
    assert reader.market_prices(1, "moneyline", 1) == []
    known, unknown = MarketKey(1, "moneyline", 0), MarketKey(1, "moneyline", 1)
    some = reader.prices_of({known: [odd, "Left", "nobody"], unknown: [odd]})
    assert some == {known: expected[:1], unknown: []}
    assert list(some[known][0].odds) == ["PSG", "Draw", "Lyon"]
    assert reader.markets_to_value(1) == [ValuedMarket("moneyline", 0, expected, False)]


def test_a_market_without_the_reference_is_valued_only_while_it_has_bets(
    store: Store, quote: MakeQuote, now: int
) -> None:
    store.record([quote("Bet365")]).result(10)
    assert store.reader().markets_to_value(1) == []
    bet = FoundValueBet("Bet365", "PSG", 2.0, {"PSG": 1.9}, 1.9, 1.95, 2.0, 1.02)
    store.replace_value_bets({MarketKey(1, "moneyline", 0): (bet,)}, now).result(10)
    assert store.reader().markets_to_value(1) == [ValuedMarket("moneyline", 0, [], True)]
