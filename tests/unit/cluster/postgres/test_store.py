"""The store on PostgreSQL: recording, lost connections, several processes, what is too old."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from oddsdesk.cluster.postgres import connections, writer
from oddsdesk.cluster.postgres import store as store_module
from oddsdesk.cluster.postgres.connections import PreparingConnection
from oddsdesk.cluster.postgres.schema import STEPS
from oddsdesk.cluster.postgres.store import PostgresStore, open_postgres
from oddsdesk.cluster.postgres.tables import PostgresTables
from oddsdesk.contract.quotes import Quote
from oddsdesk.store import turns
from oddsdesk.store.databases import database_named
from oddsdesk.store.errors import Fault, RealOddsError, StoreError, StoreUnavailableError
from oddsdesk.store.reader import Grown
from oddsdesk.store.store import open_store
from oddsdesk.store.values import FoundValueBet, MarketKey
from tests.kit.postgres import Postgres, running_postgres
from tests.kit.store import NOW
from tests.kit.workers import until

LIMIT_S = 30
DAY = 24 * 3_600_000
MakeQuote = Callable[..., Quote]
PRICED = "SELECT bookmaker FROM quote WHERE odds IS NOT NULL"
WITHDRAWN = """
SELECT bookmaker, count(*), count(DISTINCT shard) FROM price_change WHERE odds IS NULL GROUP BY 1
"""
KILL_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE pid != pg_backend_pid() AND backend_type = 'client backend'
"""


def opened(url: str, **options: Any) -> PostgresStore:
    return open_postgres(url, clock=lambda: NOW, **options)


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.url()


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    with contextlib.closing(opened(url)) as store:
        yield store


def rows(store: PostgresStore, query: str) -> list[tuple[Any, ...]]:
    return store.run_on_writer(lambda connection: connection.execute(query).fetchall()).result(
        LIMIT_S
    )


def log(store: PostgresStore) -> list[tuple[Any, ...]]:
    return rows(store, "SELECT seq, selection, odds FROM price_change ORDER BY shard, seq")


def hold(store: PostgresStore) -> threading.Event:
    """Keep the writer busy until the event is set, so that what follows waits together."""
    go, busy = threading.Event(), threading.Event()

    def wait(_: object) -> None:
        busy.set()
        assert go.wait(LIMIT_S)

    store.run_on_writer(wait)
    assert busy.wait(LIMIT_S)
    return go


def lose_connections(postgres: Postgres, url: str) -> None:
    with contextlib.closing(postgres.connect(url)) as connection:
        connection.execute(KILL_OTHERS)


def test_what_is_recorded_is_there_once_its_future_is_done(
    store: PostgresStore, quote: MakeQuote
) -> None:
    recorded = store.record([quote(odds={"PSG": 1.5, "Lyon": 6.0})]).result(LIMIT_S)
    assert (recorded.quotes, recorded.changes, recorded.last_seq) == (1, 2, 2)
    assert log(store) == [(1, "PSG", 1.5), (2, "Lyon", 6.0)]
    assert store.quotes_recorded == 1


def test_who_listens_hears_when_the_log_grew_and_only_then(
    store: PostgresStore, quote: MakeQuote
) -> None:
    heard = threading.Semaphore(0)
    unsubscribe = store.on_commit(heard.release)
    store.record([quote()]).result(LIMIT_S)
    assert heard.acquire(timeout=LIMIT_S)
    store.record([quote()]).result(LIMIT_S)
    unsubscribe()
    store.record([quote(odds={"PSG": 9.0})]).result(LIMIT_S)
    rows(store, "SELECT 1")  # whose turn is after all callbacks
    assert not heard.acquire(blocking=False)


def test_what_a_transaction_recorded_is_told_once_with_its_changes(
    store: PostgresStore, quote: MakeQuote, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Grown] = []
    unsubscribe = store.on_recorded(told.append)
    go = hold(store)
    for bookmaker in ("A", "B"):
        store.record([quote(bookmaker, odds={"PSG": 2.0, "Lyon": 3.0})])
    go.set()
    until(lambda: told, LIMIT_S)
    assert [(each.shard, each.first, each.last) for each in told] == [(0, 1, 4)]
    assert [(each.seq, each.bookmaker, each.odds) for each in told[0].changes] == [
        (1, "A", 2.0),
        (2, "A", 3.0),
        (3, "B", 2.0),
        (4, "B", 3.0),
    ]
    monkeypatch.setattr(store_module, "FEW", 0)
    store.record([quote("A", odds={"PSG": 2.5, "Lyon": 3.0})])
    until(lambda: told[1:], LIMIT_S)
    unsubscribe()
    assert told[1:] == [Grown(0, 5, 5)]


def test_a_job_that_fails_leaves_those_it_shares_the_transaction_with(
    store: PostgresStore, quote: MakeQuote
) -> None:
    go = hold(store)
    first = store.record([quote("A", odds={"PSG": 2.0})])
    bad = store.run_on_writer(lambda connection: connection.execute("SELECT 1 / 0"))
    last = store.record([quote("B", odds={"PSG": 3.0})])
    go.set()
    assert first.result(LIMIT_S).last_seq == 1
    assert last.result(LIMIT_S).last_seq == 2
    with pytest.raises(Exception, match="division by zero"):
        bad.result(LIMIT_S)
    assert log(store) == [(1, "PSG", 2.0), (2, "PSG", 3.0)]


def test_a_lost_connection_is_made_again_for_the_next_recording(
    store: PostgresStore, postgres: Postgres, url: str, quote: MakeQuote
) -> None:
    store.record([quote(odds={"PSG": 2.0})]).result(LIMIT_S)
    lose_connections(postgres, url)
    assert store.record([quote(odds={"PSG": 3.0})]).result(LIMIT_S).last_seq == 2
    assert log(store) == [(1, "PSG", 2.0), (2, "PSG", 3.0)]


def test_what_was_not_committed_when_the_connection_is_lost_is_not_half_there(
    store: PostgresStore, postgres: Postgres, url: str, quote: MakeQuote
) -> None:
    def lose_it_halfway(connection: Any) -> None:
        connection.execute("INSERT INTO setting (key, value) VALUES ('half', '1')")
        lose_connections(postgres, url)
        connection.execute("SELECT 1")

    go = hold(store)
    waiting = [store.record([quote(odds={"PSG": 2.0})]), store.run_on_writer(lose_it_halfway)]
    go.set()
    for each in waiting:
        with pytest.raises(StoreUnavailableError) as refused:
            each.result(LIMIT_S)
        assert refused.value.fault is Fault.AWAY
    assert store.recording_refusal() is not None
    assert store.record([quote(odds={"PSG": 4.0})]).result(LIMIT_S).last_seq == 1
    assert store.recording_refusal() is None
    assert log(store) == [(1, "PSG", 4.0)]
    assert rows(store, "SELECT value FROM setting WHERE key = 'half'") == []


def test_a_server_that_is_away_refuses_at_once_and_is_found_again(
    quote: MakeQuote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "RETRY_S", (0.0,))
    with running_postgres() as server, contextlib.closing(opened(server.url())) as store:
        store.record([quote(odds={"PSG": 2.0})]).result(LIMIT_S)
        server.stop()
        for _ in range(3):
            with pytest.raises(StoreUnavailableError) as refused:
                store.record([quote(odds={"PSG": 3.0})]).result(LIMIT_S)
            assert refused.value.fault is Fault.AWAY
        server.start()
        assert store.record([quote(odds={"PSG": 4.0})]).result(LIMIT_S).last_seq == 2
        assert log(store) == [(1, "PSG", 2.0), (2, "PSG", 4.0)]


def test_a_refusal_ends_with_its_reason_though_nobody_records(
    store: PostgresStore, quote: MakeQuote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "REFUSAL_S", 3_600.0)
    read_only = "SET default_transaction_read_only = on"
    assert store.run_on_writer(lambda connection: connection.do(read_only)).result(LIMIT_S) == "SET"
    with pytest.raises(StoreUnavailableError, match="read-only"):
        store.record([quote()]).result(LIMIT_S)
    assert store.recording_refusal() is not None  # though the next connection may write
    until(lambda: store.recording_refusal() is None, LIMIT_S)
    assert log(store) == []


def test_a_database_that_is_read_only_is_found_though_nobody_records(store: PostgresStore) -> None:
    assert store.check_recording() is None
    read_only = "SET default_transaction_read_only = on"
    store.run_on_writer(lambda connection: connection.do(read_only)).result(LIMIT_S)
    assert store.check_recording() is Fault.READ_ONLY
    refusal = store.recording_refusal()
    assert refusal is not None
    assert refusal.fault is Fault.READ_ONLY
    until(lambda: store.recording_refusal() is None, LIMIT_S)


def test_a_server_that_is_away_is_not_asked_again_for_each_recording(
    quote: MakeQuote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "RETRY_S", (1_000.0,))
    with running_postgres() as server, contextlib.closing(opened(server.url())) as store:
        server.stop()
        for _ in range(2):
            with pytest.raises(StoreUnavailableError):
                store.record([quote()]).result(LIMIT_S)
        server.start()
        with pytest.raises(StoreUnavailableError):
            store.record([quote()]).result(LIMIT_S)


@pytest.mark.parametrize("shards", [1, 3])
def test_several_processes_record_without_a_gap_or_a_repeat(
    store: PostgresStore, url: str, quote: MakeQuote, shards: int
) -> None:
    for shard in range(1, shards):
        rows(store, f"INSERT INTO shard (shard) VALUES ({shard}) RETURNING shard")
    games = [f"Home {number} - Away" for number in range(5)]
    with contextlib.ExitStack() as stack:
        stores = [stack.enter_context(contextlib.closing(opened(url))) for _ in range(3)]
        recordings = [
            each.record([quote(f"Book {number}", match_name=game, odds={"PSG": price})])
            for price in (1.5, 1.6, 1.7)
            for number, each in enumerate(stores)
            for game in games
        ]
        assert sum(each.result(LIMIT_S).changes for each in recordings) == 45
    ends = rows(store, "SELECT shard, seq FROM shard")
    seqs = rows(store, "SELECT shard, array_agg(seq ORDER BY seq) FROM price_change GROUP BY shard")
    assert sum(seq for _, seq in ends) == 45
    assert all(numbers == list(range(1, dict(ends)[shard] + 1)) for shard, numbers in seqs)
    assert rows(store, "SELECT count(*), count(DISTINCT match_name) FROM game") == [(5, 5)]


def test_what_is_open_for_reading_only_refuses_to_record(
    store: PostgresStore, url: str, quote: MakeQuote
) -> None:
    with contextlib.closing(opened(url, read_only=True)) as other:
        assert other.is_read_only
        with pytest.raises(StoreUnavailableError, match="read-only"):
            other.record([quote()]).result(LIMIT_S)


def test_nothing_is_made_for_who_only_reads(url: str) -> None:
    with pytest.raises(StoreError, match="has no oddsdesk tables yet"):
        opened(url, read_only=True)


def test_a_newer_oddsdesk_that_changed_the_tables_is_noticed(
    store: PostgresStore, quote: MakeQuote
) -> None:
    rows(store, f"UPDATE oddsdesk_schema SET steps = {len(STEPS) + 1} RETURNING steps")
    with pytest.raises(StoreUnavailableError, match="newer oddsdesk"):
        store.record([quote()]).result(LIMIT_S)


def test_the_reference_is_remembered(url: str) -> None:
    for given, expected in [(None, "Pinnacle"), ("smarkets", "smarkets"), (None, "smarkets")]:
        with contextlib.closing(opened(url, reference=given)) as store:
            assert store.reference == expected


def test_small_things_are_kept(store: PostgresStore) -> None:
    assert store.kept_for_feed("a feed").result(LIMIT_S) is None
    store.keep_for_feed("a feed", b'{"seen": 1}').result(LIMIT_S)
    assert store.kept_for_feed("a feed").result(LIMIT_S) == b'{"seen": 1}'
    assert [store.agree_on_shift(ms).result(LIMIT_S) for ms in (5, 7)] == [5, 5]
    assert store.agree_on_shift(9, again=True).result(LIMIT_S) == 9
    assert [store.adopt_keep_days(days).result(LIMIT_S) for days in (3, 4)] == [True, False]
    store.keep_log(8).result(LIMIT_S)
    assert rows(store, "SELECT value FROM setting WHERE key = 'keep_days'") == [("8",)]


def test_sources_that_may_not_be_passed_on_are_told(
    store: PostgresStore, url: str, quote: MakeQuote
) -> None:
    store.record([quote(event="the-odds-api:1")]).result(LIMIT_S)
    assert store.sources_left_out() == []
    for share, left_out in [((), ["the-odds-api"]), (("the-odds-api",), [])]:
        with contextlib.closing(opened(url, share=share)) as other:
            assert other.sources_left_out() == left_out


@pytest.mark.parametrize("ends", ["by real odds", "by itself"])
def test_what_is_simulated_is_withdrawn_in_all_shards(
    store: PostgresStore, url: str, quote: MakeQuote, ends: str
) -> None:
    for shard in (1, 2):
        rows(store, f"INSERT INTO shard (shard) VALUES ({shard}) RETURNING shard")
    games = [f"Home {number} - Away" for number in range(9)]
    made_up = [quote("Kestrel", match_name=game, odds={"Draw": 2.0}) for game in games]
    with contextlib.closing(opened(url)) as other:
        other.record(made_up, simulated=True).result(LIMIT_S)
        if ends == "by itself":
            store.end_simulation().result(LIMIT_S)
        else:
            store.record([quote()]).result(LIMIT_S)
        standing = {bookmaker for (bookmaker,) in rows(store, PRICED)}
        assert standing == (set() if ends == "by itself" else {"Bet365"})
        assert rows(store, WITHDRAWN) == [("Kestrel", 9, 3)]
        if ends != "by itself":
            with pytest.raises(RealOddsError):
                other.record(made_up, simulated=True).result(LIMIT_S)


def found(odds: float, ev_pct: float = 1.0, bookmaker: str = "Bet365") -> FoundValueBet:
    return FoundValueBet(bookmaker, "PSG", odds, {"PSG": 1.9}, 1.9, 1.95, ev_pct, 97.0)


def test_value_bets_take_the_place_of_those_of_their_market(store: PostgresStore) -> None:
    stored = "SELECT game, bookmaker, odds, ev_pct, detected_at FROM value_bet ORDER BY 1, 2"
    one, other = MarketKey(1, "moneyline", 0), MarketKey(2, "moneyline", 0)
    store.replace_value_bets({one: [found(2.0), found(2.1, bookmaker="B")], other: []}, 10)
    store.replace_value_bets({other: [found(3.0)]}, 11)
    store.replace_value_bets({one: [found(2.0, ev_pct=2.0), found(2.2, bookmaker="C")]}, 12)
    assert rows(store, stored) == [
        (1, "Bet365", 2.0, 2.0, 10),
        (1, "C", 2.2, 1.0, 12),
        (2, "Bet365", 3.0, 1.0, 11),
    ]
    store.replace_value_bets({one: [], other: []}, 13).result(LIMIT_S)
    store.replace_value_bets({}, 13).result(LIMIT_S)
    assert rows(store, stored) == []


def test_the_log_goes_by_age_and_its_numbers_go_on(store: PostgresStore, quote: MakeQuote) -> None:
    for number, age in enumerate([0, 20, 10, 400]):
        name = f"PSG - Lyon {number}"
        odds = {"PSG": 2.0 + number}
        at = NOW - age * DAY
        store.record([quote(match_name=name, odds=odds, scraped_at=at)]).result(LIMIT_S)
    assert store.prune(NOW + 4_000 * DAY) == 0
    assert store.prune(NOW + 15 * DAY, keep_days=30) == 1
    assert [seq for seq, _, _ in log(store)] == [1, 3, 4]  # the last was old when it was recorded
    assert store.prune(NOW + 31 * DAY, keep_days=30) == 2
    assert store.record([quote(odds={"PSG": 9.0})]).result(LIMIT_S).last_seq == 5


def test_a_game_goes_with_all_that_was_said_of_it_once_the_log_has_nothing_of_it(
    store: PostgresStore, quote: MakeQuote
) -> None:
    store.record([quote(event="a:1", odds={"PSG": 2.0})]).result(LIMIT_S)
    market = MarketKey(1, "moneyline", 0)
    store.replace_value_bets({market: [found(2.0)]}, NOW).result(LIMIT_S)
    store.record([quote(match_name="New - Game", scraped_at=NOW + 4 * DAY)]).result(LIMIT_S)
    assert store.prune(NOW + 4 * DAY, keep_days=3) == 1
    assert rows(store, "SELECT match_name, recent FROM game") == [("New - Game", True)]
    for table in ("quote", "coverage", "event", "origin", "value_bet", "other_name"):
        assert rows(store, f"SELECT count(*) FROM {table} WHERE game = 1") == [(0,)]


def test_the_one_door_leads_to_it(url: str, quote: MakeQuote) -> None:
    store = open_store(database_named(url), "smarkets", clock=lambda: NOW)
    with contextlib.closing(store):
        assert (store.path, store.reference) == (None, "smarkets")
        assert store.shown.startswith("postgresql://postgres@")
        store.record([quote()]).result(LIMIT_S)
        assert [change.seq for change in store.reader().changes_after(0, 10)] == [1, 2, 3]
        assert store.reader() is store.reader()


SHORT_S = 0.05
LATER_S = 0.3
"""Longer than others wait for a lock in these tests."""
WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE wait_event_type = 'Lock' AND datname = current_database() AND usename = current_user
    AND query_start < clock_timestamp() - make_interval(secs => %s)
"""
LIMITS = "SELECT current_setting('lock_timeout'), current_setting('statement_timeout')"
TAKE_TURN = "SELECT FROM shard FOR UPDATE"
TAKE_SCHEMA = (
    "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' oddsdesk_schema', 0))"
)


def shorten_limits(store: PostgresStore) -> None:
    """Shorten the store's limits on statements and locks, but not on turns."""

    def shorten(connection: PreparingConnection) -> None:
        connection.limits_ms = ("50", "100")

    store.run_on_writer(shorten).result(LIMIT_S)


@pytest.fixture
def holder(postgres: Postgres, url: str) -> Iterator[PreparingConnection]:
    """Another program's session, in a transaction."""
    with contextlib.closing(postgres.connect(url)) as connection:
        connection.execute("SET deadlock_timeout = '60s'; SET lock_timeout = 0")
        connection.execute("SET statement_timeout = 0")
        connection.execute("BEGIN")
        yield connection


def until_waiting(postgres: Postgres, url: str, sessions: int = 1) -> None:
    """Wait until sessions have waited for locks longer than their statements may."""
    with contextlib.closing(postgres.connect(url)) as connection:
        until(lambda: connection.execute(WAITING, (LATER_S,)).fetchall() == [(sessions,)])


def test_a_recording_waits_for_its_turn_longer_than_for_other_locks(
    postgres: Postgres,
    store: PostgresStore,
    url: str,
    quote: MakeQuote,
    holder: PreparingConnection,
) -> None:
    limits: list[Any] = []

    def look(connection: PreparingConnection) -> None:
        PostgresTables(connection)
        limits.extend(connection.execute(LIMITS).fetchall())

    shorten_limits(store)
    holder.execute(TAKE_TURN)
    recorded = store.record([quote()])
    until_waiting(postgres, url)
    holder.execute("COMMIT")
    store.run_on_writer(look).result(LIMIT_S)
    assert recorded.result(LIMIT_S).quotes == 1
    assert limits == [("50ms", "100ms")]


def test_recordings_have_their_turns_in_the_order_in_which_they_came(
    postgres: Postgres,
    store: PostgresStore,
    url: str,
    quote: MakeQuote,
    holder: PreparingConnection,
) -> None:
    holder.execute(TAKE_TURN)
    with contextlib.ExitStack() as others:
        recorded = []
        for number in range(3):
            other = others.enter_context(contextlib.closing(opened(url)))
            recorded.append(other.record([quote(f"Book {number}")]))
            until_waiting(postgres, url, number + 1)
        holder.execute("COMMIT")
        assert [each.result(LIMIT_S).quotes for each in recorded] == [1, 1, 1]
    books = rows(store, "SELECT bookmaker FROM price_change GROUP BY 1 ORDER BY min(seq)")
    assert books == [("Book 0",), ("Book 1",), ("Book 2",)]


def test_one_of_several_processes_makes_the_tables_and_the_others_wait(
    postgres: Postgres, url: str, holder: PreparingConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = connections.ServerAddress.connect.__kwdefaults__
    monkeypatch.setitem(usual, "lock_s", SHORT_S)
    holder.execute(TAKE_SCHEMA)
    with ThreadPoolExecutor(3) as pool:
        opening = [pool.submit(opened, url) for _ in range(3)]
        until_waiting(postgres, url, 3)
        holder.execute("COMMIT")
        for each in opening:
            each.result(LIMIT_S).close()
    assert holder.execute("SELECT steps FROM oddsdesk_schema").fetchall() == [(len(STEPS),)]


def test_a_long_wait_for_a_turn_is_reported_until_it_ends(
    monkeypatch: pytest.MonkeyPatch,
    store: PostgresStore,
    quote: MakeQuote,
    holder: PreparingConnection,
) -> None:
    monkeypatch.setattr(store_module, "HELD_S", LATER_S)
    holder.execute(TAKE_TURN)
    recorded = store.record([quote()])
    told = until(store.recording_refusal)
    assert (told.fault, recorded.done()) == (Fault.LOCKED, False)
    holder.execute("COMMIT")
    assert recorded.result(LIMIT_S).changes == 3
    assert store.recording_refusal() is None


def test_a_lock_that_is_kept_too_long_is_refused(
    monkeypatch: pytest.MonkeyPatch, url: str, quote: MakeQuote, holder: PreparingConnection
) -> None:
    monkeypatch.setattr(store_module, "TURN_S", SHORT_S)
    with contextlib.closing(opened(url)) as store:
        holder.execute(TAKE_TURN)
        with pytest.raises(StoreUnavailableError, match="locked") as refused:
            store.record([quote()]).result(LIMIT_S)
        assert refused.value.fault is Fault.LOCKED
        holder.execute("ROLLBACK")
        assert store.record([quote()]).result(LIMIT_S).changes == 3


@pytest.mark.parametrize("how", ["stop_waiting", "close"])
def test_a_wait_without_limit_can_be_ended(
    how: str, monkeypatch: pytest.MonkeyPatch, url: str, postgres: Postgres, quote: MakeQuote
) -> None:
    monkeypatch.setattr(writer, "LOCK_S", SHORT_S)
    with (
        contextlib.closing(opened(url, waits=True)) as store,
        contextlib.closing(postgres.connect(url)) as other,
    ):
        other.execute("BEGIN")
        other.execute(TAKE_TURN)
        recorded = store.record([quote()])
        until_waiting(postgres, url)
        getattr(store, how)()
        with pytest.raises(StoreUnavailableError, match="locked"):
            recorded.result(LIMIT_S)


def test_a_transaction_is_repeated_after_a_deadlock(
    store: PostgresStore,
    quote: MakeQuote,
    holder: PreparingConnection,
    postgres: Postgres,
    url: str,
) -> None:
    tries: list[int] = []
    is_near = threading.Event()

    def work(connection: PreparingConnection) -> None:
        tries.append(
            connection.execute("UPDATE setting SET value = value || 'x' WHERE key = 'one'").rowcount
        )
        if len(tries) == 1:
            is_near.set()
        connection.execute("UPDATE setting SET value = value || 'x' WHERE key = 'two'")

    rows(store, "INSERT INTO setting VALUES ('one', ''), ('two', '') RETURNING 1")
    holder.execute("UPDATE setting SET value = 'h' WHERE key = 'two'")
    go = hold(store)
    done, recorded = store.run_on_writer(work), store.record([quote()])
    go.set()
    assert is_near.wait(LIMIT_S)
    holder.execute("UPDATE setting SET value = 'h' WHERE key = 'one'")
    holder.execute("COMMIT")
    done.result(LIMIT_S)
    assert recorded.result(LIMIT_S).changes == 3
    assert len(tries) == 2
    settings = rows(
        store, "SELECT key, value FROM setting WHERE key IN ('one', 'two') ORDER BY key"
    )
    assert settings == [("one", "hx"), ("two", "hx")]
    assert len(log(store)) == 3


@pytest.mark.parametrize("failures", [1, 9])
def test_a_row_that_another_makes_at_the_same_moment_is_found_by_the_next_try(
    store: PostgresStore, failures: int
) -> None:
    tries: list[int] = []

    def work(connection: PreparingConnection) -> None:
        tries.append(1)
        if len(tries) <= failures:
            connection.execute("INSERT INTO shard (shard) VALUES (0)")

    done = store.run_on_writer(work)
    if failures == 1:
        done.result(LIMIT_S)
        assert len(tries) == 2
    else:
        with pytest.raises(psycopg.errors.UniqueViolation):
            done.result(LIMIT_S)
        assert len(tries) == 3


def cut(connection: PreparingConnection, postgres: Postgres) -> None:
    """Have PostgreSQL end a connection."""
    with contextlib.closing(postgres.connect(postgres.server_url)) as other:
        other.execute("SELECT pg_terminate_backend(%s, 30000)", (connection.info.backend_pid,))


def test_a_connection_cut_in_mid_transaction_costs_neither_a_quote_nor_a_refusal(
    postgres: Postgres, store: PostgresStore, quote: MakeQuote
) -> None:
    tries: list[int] = []

    def work(connection: PreparingConnection) -> None:
        tries.append(1)
        connection.execute("INSERT INTO setting VALUES ('cut', '1')")
        if len(tries) == 1:
            cut(connection, postgres)

    go = hold(store)
    done, recorded = store.run_on_writer(work), store.record([quote()])
    go.set()
    done.result(LIMIT_S)
    assert recorded.result(LIMIT_S).changes == 3
    assert len(tries) == 2
    assert rows(store, "SELECT value FROM setting WHERE key = 'cut'") == [("1",)]
    assert len(log(store)) == 3


def test_a_recording_that_may_be_committed_is_not_repeated(
    postgres: Postgres, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    do = PreparingConnection.do
    tries: list[int] = []

    def do_and_cut(connection: PreparingConnection, command: str) -> str:
        done = do(connection, command)
        if command == "COMMIT" and tries:
            raise psycopg.OperationalError("the connection was lost")
        return done

    def work(connection: PreparingConnection) -> None:
        tries.append(1)
        connection.execute("INSERT INTO setting VALUES ('once', '1')")

    monkeypatch.setattr(PreparingConnection, "do", do_and_cut)
    with pytest.raises(StoreUnavailableError, match="lost"):
        store.run_on_writer(work).result(LIMIT_S)
    monkeypatch.undo()
    assert tries == [1]
    assert rows(store, "SELECT value FROM setting WHERE key = 'once'") == [("1",)]
