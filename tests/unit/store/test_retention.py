"""What goes, what stays, and that nobody notices."""

from collections.abc import Callable
from pathlib import Path

from oddsdesk.contract.quotes import Quote
from oddsdesk.store import retention
from oddsdesk.store.settling import settle_value_bets
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, FoundValueBet, Sight

DAY = 24 * 3_600_000
MakeQuote = Callable[..., Quote]


def count(store: Store, table: str) -> int:
    query = f"SELECT count(*) FROM {table}"
    return store.write(lambda c: c.execute(query).fetchall()[0][0]).result(10)


def test_the_log_goes_by_age_in_slices_and_its_numbers_go_on(
    store: Store, quote: MakeQuote, now: int, monkeypatch
) -> None:
    monkeypatch.setattr(retention, "SLICE", 4)
    for number in range(10):
        store.record([quote(odds={"PSG": 2.0 + number}, scraped_at=now + number)]).result(10)
    assert retention.prune(store, now + DAY - 1, DAY) == 0
    assert retention.prune(store, now + DAY + 1, DAY) == 10
    assert store.reader().changes_after(0, 100) == []
    assert store.reader().last_seq() == 10
    store.record([quote(odds={"PSG": 9.0}, scraped_at=now + 20)]).result(10)
    assert [change.seq for change in store.reader().changes_after(10, 5)] == [11]


def test_when_it_was_recorded_goes_with_the_log(tmp_path: Path, quote: MakeQuote, now: int) -> None:
    times = iter((now, now + 5 * DAY, now + 5 * DAY + 50_000))
    store = open_store(tmp_path / "times.db", clock=lambda: next(times))
    for number in range(3):
        store.record([quote(odds={"PSG": 2.0 + number}, scraped_at=now + number)]).result(10)
    assert store.reader().log_began() == now
    retention.prune(store, now + 6 * DAY, 3 * DAY)
    assert store.reader().log_began() == now + 5 * DAY
    retention.prune(store, now + 8 * DAY + 20_000, 3 * DAY)
    assert store.reader().log_began() == now + 5 * DAY + 20_000
    retention.prune(store, now + 9 * DAY, 3 * DAY)
    assert store.reader().log_began() is None
    store.close()


def test_what_stands_of_a_game_is_kept_as_the_log_keeps_it(
    store: Store, quote: MakeQuote, now: int
) -> None:
    """Finding F2.4, D71: opening the desk removed the present rows of imported seasons."""
    past = [quote(name, match_date=now - 400 * DAY, scraped_at=now - 400 * DAY) for name in "AB"]
    store.record(past).result(10)
    store.record([quote(), quote("Unibet", odds={}, scraped_at=now - 2 * DAY)]).result(10)
    retention.prune(store, now, keep_log_ms=30 * DAY)
    assert (count(store, "quote"), count(store, "coverage"), count(store, "game")) == (4, 3, 2)
    assert len(store.reader().changes_after(0, 100)) == 9


def test_games_that_are_over_leave_the_indexes_of_lists_and_come_back_with_a_price(
    store: Store, quote: MakeQuote, now: int
) -> None:
    store.record([quote(competition="EPL", scraped_at=now - 2 * DAY)]).result(10)
    assert count(store, "game WHERE recent") == 1
    store.record([quote()]).result(10)
    retention.prune(store, now)
    assert count(store, "game WHERE recent") == 1
    store.record([quote(competition="EPL", scraped_at=now)]).result(10)
    assert count(store, "game WHERE recent") == 2


def test_a_clock_that_was_ahead_hides_no_game(store: Store, quote: MakeQuote, now: int) -> None:
    store.record([quote(competition="EPL", scraped_at=now + 40 * DAY)]).result(10)
    store.record([quote()]).result(10)
    retention.prune(store, now)
    names = [game.competition for game in store.reader().games(now, Filters(), Sight(), 5).items]
    assert names == ["EPL", "LIG1"]


def test_a_forgotten_game_goes_after_its_log(store: Store, quote: MakeQuote, now: int) -> None:
    store.record([quote()]).result(10)
    bet = FoundValueBet("Bet365", "PSG", 1.5, {"PSG": 1.4}, 1.4, 1.45, 3.0, 1.02)
    store.write(lambda c: settle_value_bets(c, 1, "moneyline", 0, [bet], now)).result(10)
    retention.prune(store, now + 2 * DAY, keep_log_ms=10 * DAY)
    assert (count(store, "quote"), count(store, "game")) == (1, 1)
    assert len(store.reader().changes_after(0, 10)) == 3
    retention.prune(store, now + 11 * DAY, keep_log_ms=10 * DAY)
    tables = ("game", "price_change", "quote", "coverage", "value_bet")
    assert [count(store, table) for table in tables] == [0, 0, 0, 0, 0]


def test_a_game_that_is_still_priced_outlives_its_log(
    store: Store, quote: MakeQuote, now: int
) -> None:
    store.record([quote()]).result(10)
    store.record([quote(scraped_at=now + 11 * DAY)]).result(10)
    retention.prune(store, now + 11 * DAY, keep_log_ms=10 * DAY)
    assert (count(store, "price_change"), count(store, "quote"), count(store, "game")) == (0, 1, 1)


def test_a_withdrawn_quote_fends_off_older_ones(store: Store, quote: MakeQuote, now: int) -> None:
    store.record([quote(), quote(odds={}, scraped_at=now + 5)]).result(10)
    retention.prune(store, now + DAY + 6)
    assert store.record([quote(scraped_at=now + 4)]).result(10).skipped == 1
