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


def test_a_dead_quote_goes_and_a_fresh_one_of_the_same_game_stays(
    store: Store, quote: MakeQuote, now: int
) -> None:
    store.record([quote(scraped_at=now - 2 * DAY, is_live=True), quote("Unibet")]).result(10)
    bet = FoundValueBet("Bet365", "PSG", 1.5, {"PSG": 1.4}, 1.4, 1.45, 3.0, 1.02)
    store.write(lambda c: settle_value_bets(c, 1, "moneyline", 0, [bet], now)).result(10)
    retention.prune(store, now)
    assert (count(store, "quote"), count(store, "coverage"), count(store, "value_bet")) == (1, 1, 0)
    games = store.reader().games(now, Filters(), Sight(), 5).items
    assert [(game.bookmaker_count, game.is_live) for game in games] == [(1, False)]
    assert count(store, "game WHERE has_live") == 0


def test_a_forgotten_game_goes_after_its_log(store: Store, quote: MakeQuote, now: int) -> None:
    store.record([quote()]).result(10)
    retention.prune(store, now + 2 * DAY, keep_log_ms=10 * DAY)
    assert (count(store, "quote"), count(store, "game")) == (0, 1)
    assert len(store.reader().changes_after(0, 10)) == 3
    retention.prune(store, now + 11 * DAY, keep_log_ms=10 * DAY)
    assert (count(store, "game"), count(store, "price_change")) == (0, 0)


def test_a_withdrawn_quote_is_remembered_for_a_day(
    store: Store, quote: MakeQuote, now: int
) -> None:
    store.record([quote(), quote(odds={}, scraped_at=now + 5)]).result(10)
    retention.prune(store, now + DAY)
    assert store.record([quote(scraped_at=now + 4)]).result(10).skipped == 1
    retention.prune(store, now + DAY + 6)
    assert count(store, "quote") == 0
