"""What goes, what stays, and that nobody notices."""

import logging
from collections.abc import Callable
from pathlib import Path

from oddsdesk.contract.quotes import Quote
from oddsdesk.store import retention as aged_log
from oddsdesk.store.sqlite import retention
from oddsdesk.store.sqlite.reader import SqliteReader
from oddsdesk.store.sqlite.store import replace_value_bets
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, FoundValueBet, Visibility

DAY = 24 * 3_600_000
MakeQuote = Callable[..., Quote]


def count(store: Store, table: str) -> int:
    query = f"SELECT count(*) FROM {table}"
    return store.run_on_writer(lambda c: c.execute(query).fetchall()[0][0]).result(10)


def test_the_log_goes_by_age_in_slices_and_its_numbers_go_on(
    store: Store, quote: MakeQuote, now: int, monkeypatch
) -> None:
    monkeypatch.setattr(retention, "SLICE", 4)
    monkeypatch.setattr(aged_log, "BLOCK", 3)
    for number in range(10):
        store.record([quote(odds={"PSG": 2.0 + number}, scraped_at=now + number)]).result(10)
    assert store.prune(now + DAY, keep_days=1) == 0
    assert store.prune(now + DAY + 10, keep_days=1) == 10
    assert store.reader().changes_after(0, 100) == []
    assert store.reader().last_seq() == 10
    store.record([quote(odds={"PSG": 9.0}, scraped_at=now + 20)]).result(10)
    assert [change.seq for change in store.reader().changes_after(10, 5)] == [11]


def moves(store: Store) -> list[float | None]:
    """The odds of all changes that are left, in the order of recording."""
    return [change.odds for change in store.reader().changes_after(0, 1_000)]


def recorded_later(store: Store, quote: MakeQuote, ages: list[int], now: int) -> None:
    """Record prices of these ages, in days, of games of their own."""
    for number, age in enumerate(ages):
        name = f"PSG - Lyon {number}"
        store.record(
            [quote(match_name=name, odds={"PSG": 2.0 + number}, scraped_at=now - age * DAY)]
        ).result(10)


def test_everything_is_kept_where_nobody_said_otherwise(
    store: Store, quote: MakeQuote, now: int
) -> None:
    recorded_later(store, quote, [0, 5], now)
    assert store.reader().keep_days() is None
    assert store.prune(now + 4_000 * DAY) == 0
    assert len(moves(store)) == 2


def test_prices_go_by_their_own_time_not_by_the_day_they_were_recorded(
    store: Store, quote: MakeQuote, now: int
) -> None:
    recorded_later(store, quote, [0, 20, 10, 29], now)
    assert store.prune(now + 2 * DAY, keep_days=30) == 1
    assert moves(store) == [2.0, 3.0, 4.0]
    assert store.prune(now + 15 * DAY, keep_days=30) == 1
    assert moves(store) == [2.0, 4.0]
    assert store.prune(now + 31 * DAY, keep_days=30) == 2


def test_imported_history_that_was_older_already_stays(
    store: Store, quote: MakeQuote, now: int
) -> None:
    recorded_later(store, quote, [400, 31, 1], now)
    assert store.prune(now + 1_000 * DAY, keep_days=30) == 1
    assert moves(store) == [2.0, 3.0]


def test_what_goes_is_told_before_it_does(store: Store, quote: MakeQuote, now: int, caplog) -> None:
    recorded_later(store, quote, [2, 1, 0], now)
    with caplog.at_level(logging.WARNING):
        store.prune(now + 2 * DAY, keep_days=3)
    assert caplog.messages == [
        "price history goes, as it is kept for 3 days: 1 price changes of 1 games, "
        "2026-04-10T13:20:00.000Z to 2026-04-10T13:20:00.000Z"
    ]


def test_no_block_of_the_log_is_read_again_before_it_is_due(
    store: Store, quote: MakeQuote, now: int, monkeypatch
) -> None:
    monkeypatch.setattr(aged_log, "BLOCK", 2)
    recorded_later(store, quote, [400, 400, 6, 5, 4, 3, 2, 1], now)
    read: list[int] = []
    oldest = SqliteReader.oldest_aged
    monkeypatch.setattr(
        SqliteReader, "oldest_aged", lambda *asked: (read.append(asked[1]), oldest(*asked))[1]
    )
    assert store.prune(now, 10) == 0
    assert read == [0, 2, 4, 6, 8]
    read.clear()
    assert store.prune(now + DAY, 10) == 0
    assert read == [8]
    read.clear()
    assert store.prune(now + 6 * DAY, 10) == 2
    assert store.prune(now + 6 * DAY, 10) == 0
    assert read == [8, 2, 4, 8]
    assert moves(store)[:3] == [2.0, 3.0, 6.0]


def test_a_slice_of_the_log_is_found_without_reading_the_rest(store: Store) -> None:
    rows = store.run_on_writer(
        lambda c: c.execute(
            f"EXPLAIN QUERY PLAN {retention._DROP_LOG}",
            {"first": 1, "last": 9, "keep": 1, "before": 1, "slice": 1},
        ).fetchall()
    ).result(10)
    assert [row[3] for row in rows if "SCAN" in row[3]] == []


def test_when_it_was_recorded_goes_with_the_log(tmp_path: Path, quote: MakeQuote, now: int) -> None:
    times = iter((now, now + 5 * DAY, now + 5 * DAY + 50_000))
    store = open_store(tmp_path / "times.db", clock=lambda: next(times))
    for number in range(3):
        store.record([quote(odds={"PSG": 2.0 + number}, scraped_at=now + number)]).result(10)
    assert store.reader().log_began() == now
    store.prune(now + 6 * DAY, keep_days=3)
    assert store.reader().log_began() == now + 5 * DAY
    store.prune(now + 8 * DAY + 20_000, keep_days=3)
    assert store.reader().log_began() == now + 5 * DAY + 20_000
    store.prune(now + 9 * DAY, keep_days=3)
    assert store.reader().log_began() is None
    store.close()


def test_what_stands_of_a_game_is_kept_as_the_log_keeps_it(
    store: Store, quote: MakeQuote, now: int
) -> None:
    """Finding F2.4, D71: opening the desk removed the present rows of imported seasons."""
    past = [quote(name, match_date=now - 400 * DAY, scraped_at=now - 400 * DAY) for name in "AB"]
    store.record(past).result(10)
    store.record([quote(), quote("Unibet", odds={}, scraped_at=now - 2 * DAY)]).result(10)
    store.prune(now, keep_days=30)
    assert (count(store, "quote"), count(store, "coverage"), count(store, "game")) == (4, 3, 2)
    assert len(store.reader().changes_after(0, 100)) == 9


def test_games_that_are_over_leave_the_indexes_of_lists_and_come_back_with_a_price(
    store: Store, quote: MakeQuote, now: int
) -> None:
    store.record([quote(competition="EPL", scraped_at=now - 2 * DAY)]).result(10)
    assert count(store, "game WHERE recent") == 1
    store.record([quote()]).result(10)
    store.prune(now)
    assert count(store, "game WHERE recent") == 1
    store.record([quote(competition="EPL", scraped_at=now)]).result(10)
    assert count(store, "game WHERE recent") == 2


def test_a_clock_that_was_ahead_hides_no_game(store: Store, quote: MakeQuote, now: int) -> None:
    store.record([quote(competition="EPL", scraped_at=now + 40 * DAY)]).result(10)
    store.record([quote()]).result(10)
    store.prune(now)
    names = [
        game.competition
        for game in store.reader().list_games(now, Filters(), Visibility(), 5).items
    ]
    assert names == ["LIG1"]


def test_a_forgotten_game_goes_after_its_log(store: Store, quote: MakeQuote, now: int) -> None:
    store.record([quote(event="source:1")]).result(10)
    bet = FoundValueBet("Bet365", "PSG", 1.5, {"PSG": 1.4}, 1.4, 1.45, 3.0, 1.02)
    store.run_on_writer(lambda c: replace_value_bets(c, 1, "moneyline", 0, [bet], now)).result(10)
    store.prune(now + 2 * DAY, keep_days=10)
    assert (count(store, "quote"), count(store, "game")) == (1, 1)
    assert len(store.reader().changes_after(0, 10)) == 3
    store.prune(now + 11 * DAY, keep_days=10)
    tables = ("game", "price_change", "quote", "coverage", "value_bet", "event")
    assert [count(store, table) for table in tables] == [0] * len(tables)


def test_a_game_that_is_still_priced_outlives_its_log(
    store: Store, quote: MakeQuote, now: int
) -> None:
    store.record([quote()]).result(10)
    store.record([quote(scraped_at=now + 11 * DAY)]).result(10)
    store.prune(now + 11 * DAY, keep_days=10)
    assert (count(store, "price_change"), count(store, "quote"), count(store, "game")) == (0, 1, 1)


def test_a_withdrawn_quote_fends_off_older_ones(store: Store, quote: MakeQuote, now: int) -> None:
    store.record([quote(), quote(odds={}, scraped_at=now + 5)]).result(10)
    store.prune(now + DAY + 6)
    assert store.record([quote(scraped_at=now + 4)]).result(10).skipped == 1
