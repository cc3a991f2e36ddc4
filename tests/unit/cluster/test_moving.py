"""A database is moved to PostgreSQL and back whole, whenever it is killed in between."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from oddsdesk.cluster import moving
from oddsdesk.cluster import moving as sqlite_moving
from oddsdesk.cluster.moving import TABLES, check_tables, copy_tables, sqlite_source, sqlite_target
from oddsdesk.cluster.postgres.connections import ServerAddress
from oddsdesk.cluster.postgres.leases import PostgresLease
from oddsdesk.cluster.postgres.moving import postgres_source, postgres_target
from oddsdesk.cluster.postgres.schema import check_current
from oddsdesk.contract.access import Plan
from oddsdesk.contract.identity import PairState
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, GameStatus, PeriodScore, SelectionResult
from oddsdesk.contract.series import GameSeries, SeriesPoint
from oddsdesk.store.access import open_access
from oddsdesk.store.databases import Database, DatabaseUrl, access_path
from oddsdesk.store.errors import HalfMadeError, StoreError
from oddsdesk.store.lock import lock_database
from oddsdesk.store.quotas import Kind, Token
from oddsdesk.store.sqlite.recognition import Condition
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, FoundValueBet, MarketKey, Origin, Visibility
from tests.kit.postgres import Postgres
from tests.kit.store import NOW, some_quotes

ONLY_IN_POSTGRES = {"access_version", "oddsdesk_schema", "shard"}
ONLY_THERE = {("game", "shard"), ("price_change", "shard")}
GENERATED = {("game", "kickoff")}
SQLITE_ONLY = {"_sqlite_migrations", "sqlite_sequence"}
LEFT_BEHIND = {"invitation", "owner_session", "sign_in"}
"""An owner signs in again, and is invited again, where a database was moved to."""


LEASES = ["upkeep"]


class KilledError(Exception):
    """In the place of a kill: what is not committed is lost."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a database with something in every table; return where."""
    path = tmp_path_factory.mktemp("made") / "odds.db"
    stars = {"match_name": "PSG Stars v Lyon Lions", "odds": {"PSG Stars": 1.5, "Lyon Lions": 6.1}}
    with closing(open_store(path, "Pinnacle", clock=lambda: NOW)) as store:
        store.record(some_quotes()).result(10)
        store.record([quote(event="a:1"), quote("Unibet", **stars)], origin=Origin("b")).result(10)
        pairs = store.find_pairs().result(10)
        (pair,) = [each for each in pairs if each.kept.match_name == "PSG - Lyon"]
        store.decide_pairs([pair.ident], PairState.ACCEPTED, NOW).result(10)
        week = NOW + 7 * 24 * 3_600_000
        store.record([quote(match_date=week), quote("Bwin", **stars, match_date=week)]).result(10)
        bet = FoundValueBet("Bet365", "PSG", 1.5, {"": 0.0}, 1.4, 1.45, 3.4, 0.97)
        store.replace_value_bets({MarketKey(1, "moneyline", 0): [bet]}, NOW).result(10)
        won = SelectionResult("moneyline", 0, "PSG", "won")
        score = GameResult("LIG1", "PSG - Lyon", NOW, 2, 1, (PeriodScore(1, 1, 1),), source="a")
        corrected = msgspec.structs.replace(score, home=3, overtime=False, selections=(won,))
        postponed = GameResult("", "A - B", NOW, status=GameStatus.POSTPONED, has_time=False)
        store.record_results([score, corrected, postponed]).result(10)
        best = SeriesPoint("moneyline", 0, "best", True, NOW, {"PSG": 1.9, "Draw": 4, "Lyon": 5})
        store.record_series([GameSeries("LIG1", "PSG - Lyon", NOW, (best,), source="a")]).result(10)
        store.keep_log(30).result(10)
        store.agree_on_shift(-5_000).result(10)
        store.keep_for_feed("simulator", b"123").result(10)
        store.record([quote(odds={"PSG": 1.7})]).result(10)
        store.record([quote(odds={"PSG": 1.8}, is_live=True)]).result(10)
    with closing(open_access(path)) as access:
        key = access.keys.create("ann", Plan.FREE, "Bet365", NOW).key
        access.keys.revoke(str(key.key_id), NOW)
        kept = access.keys.create("bob", None, None, NOW, may_write=True).key
        token = Token(b"used", NOW)
        access.quotas.take_exactly(kept.key_id, Kind.CONNECTIONS, 10, 60, NOW, token).result(10)
    with closing(sqlite3.connect(access_path(path))) as connection:
        connection.executescript(
            "INSERT INTO owner VALUES (1, 'hash', 1, 5), (2, 'other', 0, 6);"
            "INSERT INTO invitation VALUES (1, x'01', 0, 7);"
            "INSERT INTO owner_session VALUES (1, 1, x'02', 'Firefox', 8, 9);"
            "INSERT INTO sign_in VALUES (x'03', 1, 10, 11, 12);"
        )
    return path


@pytest.fixture
def full(made: Path, tmp_path: Path) -> Path:
    """Return where a database lies that has something in every table."""
    for file in (made, access_path(made)):
        shutil.copy(file, tmp_path)
    return tmp_path / made.name


def quote(bookmaker: str = "Bet365", **fields: Any) -> Quote:
    """Return a moneyline of PSG - Lyon in an hour, but for what is said."""
    odds = {"PSG": 1.5, "Draw": 4.0, "Lyon": 6.0}
    names = {"match_name": "PSG - Lyon", "competition": "LIG1"}
    times = {"scraped_at": NOW, "match_date": NOW + 3_600_000}
    market: dict[str, Any] = {"market_type": "moneyline", "period": 0, "odds": odds}
    return Quote(bookmaker=bookmaker, **(names | times | market | fields))


def dump(path: Path) -> dict[str, list[Any]]:
    """Return every row of both files with the type of each value, and what counters stand at."""
    found: dict[str, list[Any]] = {}
    for file in (path, access_path(path)):
        with closing(sqlite3.connect(file)) as connection:
            for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'"):
                if table == "_sqlite_migrations":
                    rows = connection.execute(f"SELECT migration_set, name FROM {table}").fetchall()
                else:
                    rows = connection.execute(f"SELECT * FROM {table}").fetchall()
                if table in LEFT_BEHIND:
                    continue
                typed = [tuple((type(each).__name__, each) for each in row) for row in rows]
                found[f"{file.name} {table}"] = (
                    typed if table == "same_team" else sorted(typed, key=repr)
                )
    return found


def to_postgres(path: Path, url: str, progress: Any = lambda _: None) -> list[Any]:
    with sqlite_source(path, access_path(path)) as source, postgres_target(url) as target:
        return finished(source, target, progress)


def to_sqlite(url: str, path: Path, progress: Any = lambda _: None) -> list[Any]:
    with postgres_source(url, LEASES) as source, sqlite_target(path, access_path(path)) as target:
        return finished(source, target, progress)


def finished(source: Any, target: Any, progress: Any) -> list[Any]:
    moved = check_tables(target, source, copy_tables(source, target, progress), progress)
    progress(0)
    if all(each.is_equal for each in moved):
        target.finish()
    return moved


@pytest.fixture
def back(tmp_path: Path) -> Path:
    """Return where a database comes back to: its files are named as those of ``full``."""
    folder = tmp_path / "back"
    folder.mkdir()
    return folder / "odds.db"


def test_every_table_has_something_in_it_and_is_equal_after_there_and_back(
    postgres: Postgres, full: Path, back: Path
) -> None:
    before = dump(full)
    assert all(before.values()), [name for name, rows in before.items() if not rows]
    url = postgres.url()
    for moved in (to_postgres(full, url), to_sqlite(url, back)):
        assert [each.table for each in moved] == [table.name for table in TABLES]
        assert all(each.is_equal and each.source_rows == each.target_rows for each in moved)
        assert all(each.source_rows for each in moved)
    assert dump(back) == before
    assert dump(full) == before
    with closing(sqlite3.connect(access_path(back))) as connection:
        for table in LEFT_BEHIND:
            assert not connection.execute(f"SELECT * FROM {table}").fetchall()


def test_all_columns_of_both_engines_are_moved(postgres: Postgres, full: Path) -> None:
    moved = {(table.name, column) for table in TABLES for column in table.columns}
    with closing(postgres.connect(postgres.url_with_tables())) as connection:
        there = connection.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " JOIN information_schema.tables USING (table_schema, table_name)"
            " WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
        ).fetchall()
    there = {pair for pair in there if pair[0] not in ONLY_IN_POSTGRES | LEFT_BEHIND}
    assert there - ONLY_THERE - GENERATED == moved
    here, unmoved = set(), SQLITE_ONLY | LEFT_BEHIND
    for file in (full, access_path(full)):
        with closing(sqlite3.connect(file)) as connection:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (table,) in tables.fetchall():
                columns = connection.execute(f"PRAGMA table_xinfo({table})").fetchall()
                here |= {(table, column[1]) for column in columns if table not in unmoved}
    assert here - GENERATED == moved - {("same_team", "id")}


def test_a_moved_database_has_the_indexes_of_a_new_one(
    postgres: Postgres, full: Path, back: Path
) -> None:
    url, fresh = postgres.url(), postgres.url_with_tables()
    to_postgres(full, url)
    to_sqlite(url, back)
    assert indexes_there(postgres, url) == indexes_there(postgres, fresh)
    assert indexes_here(back) == indexes_here(full)
    assert indexes_here(access_path(back)) == indexes_here(access_path(full))


def indexes_there(postgres: Postgres, url: str) -> list[Any]:
    with closing(postgres.connect(url)) as connection:
        query = (
            "SELECT replace(indexdef, current_schema(), '') FROM pg_indexes"
            " WHERE schemaname = current_schema() ORDER BY 1"
        )
        return connection.execute(query).fetchall()


def indexes_here(file: Path) -> list[Any]:
    with closing(sqlite3.connect(file)) as connection:
        query = "SELECT name, sql FROM sqlite_master ORDER BY name"
        return connection.execute(query).fetchall()


def test_tables_that_give_a_number_only_once_are_those_of_a_file(full: Path) -> None:
    counted = set()
    for file in (full, access_path(full)):
        with closing(sqlite3.connect(file)) as connection:
            query = "SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'"
            counted |= {name for (name,) in connection.execute(query)}
    moved = {table.name for table in TABLES if table.is_numbered and not table.reuses_numbers}
    assert moved == counted


def test_a_moved_database_answers_as_before(postgres: Postgres, full: Path, back: Path) -> None:
    url = postgres.url()
    to_postgres(full, url)
    to_sqlite(url, back)
    told: list[Any] = []
    databases: tuple[Database, ...] = (full, DatabaseUrl(url), back)
    for database in databases:
        with closing(open_store(database, read_only=True)) as store:
            reader = store.reader()
            everything = Visibility()
            told.append(
                (
                    store.reference,
                    reader.list_games(NOW, Filters(), everything, 100),
                    reader.list_odds(NOW, Filters(), everything, 100),
                    reader.list_value_bets(NOW, Filters(), everything, 0.0, 100.0, 100),
                    reader.merged_ids(),
                    reader.keep_days(),
                    reader.changes_after(0, 1_000),
                )
            )
    assert told[0] == told[1] == told[2]
    assert told[0][1].items


def test_a_pair_that_was_accepted_in_a_file_can_be_undone_in_postgres(
    postgres: Postgres, full: Path, back: Path
) -> None:
    url = postgres.url()
    to_postgres(full, url)
    with closing(open_store(DatabaseUrl(url), clock=lambda: NOW)) as store:
        undo(store)
    assert [each.table for each in to_sqlite(url, back) if not each.is_equal] == []
    with closing(open_store(full, clock=lambda: NOW)) as store:
        undo(store)
    assert dump(back) == dump(full)


def undo(store: Store) -> None:
    (pair,) = [each for each in store.find_pairs().result(10) if each.state is PairState.ACCEPTED]
    store.decide_pairs([pair.ident], PairState.SUGGESTED, NOW).result(10)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["there", "back"])
def test_who_is_killed_at_any_moment_goes_on_the_next_time(
    postgres: Postgres, full: Path, back: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(moving, "CHUNK", 7)
    url = postgres.url()
    if way == "back":
        to_postgres(full, url)
    target = postgres.url() if way == "there" else back

    def once(progress: Any) -> None:
        if way == "there":
            to_postgres(full, str(target), progress)
        else:
            to_sqlite(url, back, progress)

    for most in range(1, 40, 6):
        with pytest.raises(KilledError):
            once(killing(most))
        with pytest.raises(HalfMadeError, match="run oddsdesk migrate again"):
            serve(postgres, target)
    once(lambda _: None)
    if way == "there":
        to_sqlite(str(target), back)
    assert dump(back) == dump(full)


def serve(postgres: Postgres, target: Any) -> None:
    if isinstance(target, Path):
        open_store(target).close()
        return
    with closing(postgres.connect(target)) as connection:
        check_current(connection, "the tests'")


def test_a_source_that_changed_between_two_tries_is_copied_as_it_is_now(
    postgres: Postgres, full: Path, back: Path
) -> None:
    url = postgres.url()
    with pytest.raises(KilledError):
        to_postgres(full, url, killing(after=12))
    with closing(open_store(full, clock=lambda: NOW)) as store:
        store.record([quote(odds={"PSG": 1.9}, scraped_at=NOW + 5)]).result(10)
    assert all(each.is_equal for each in to_postgres(full, url))
    to_sqlite(url, back)
    assert dump(back) == dump(full)


def killing(after: int) -> Callable[[int], None]:
    steps = iter(range(after))

    def progress(_: int) -> None:
        if next(steps, None) is None:
            raise KilledError

    return progress


def test_a_target_that_holds_something_is_refused_and_unchanged(
    postgres: Postgres, full: Path, back: Path
) -> None:
    url, others = postgres.url_with_tables(), postgres.url()
    with closing(postgres.connect(others)) as connection:
        connection.execute("CREATE TABLE bookmarks (url text)")
    for where, said in ((url, "is not empty"), (others, "tables of another program")):
        with pytest.raises(StoreError, match=said):
            to_postgres(full, where)
    with closing(postgres.connect(url)) as connection:
        assert connection.execute("SELECT count(*) FROM game").fetchall() == [(0,)]
    to_postgres(full, moved := postgres.url())
    before = dump(full)
    with pytest.raises(StoreError, match="is not empty"):
        to_sqlite(moved, full)
    assert dump(full) == before
    access_path(back).write_bytes(access_path(full).read_bytes())
    with pytest.raises(StoreError, match=r"access\.db: is not empty"):
        to_sqlite(moved, back)
    assert not back.exists()


def test_what_somebody_else_makes_at_the_same_moment_is_not_replaced(
    postgres: Postgres, full: Path, back: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to_postgres(full, url := postgres.url())
    open_store(back).close()
    monkeypatch.setattr(sqlite_moving, "recognise", lambda *_: Condition.FRESH)  # a moment ago
    with pytest.raises(StoreError, match=r"odds\.db: is not empty"):
        to_sqlite(url, back)
    monkeypatch.undo()
    open_store(back).close()


def test_keys_that_were_put_next_to_a_half_made_file_are_never_replaced(
    postgres: Postgres, full: Path, back: Path
) -> None:
    to_postgres(full, url := postgres.url())
    with pytest.raises(KilledError):
        to_sqlite(url, back, killing(after=3))
    for ending in ("", "-wal", "-shm"):
        Path(f"{access_path(back)}{ending}").unlink(missing_ok=True)
    with closing(open_access(full.with_name("others.db"))) as access:
        access.keys.create("eve", None, None, NOW)
    access_path(full.with_name("others.db")).rename(access_path(back))
    with pytest.raises(StoreError, match="already holds other keys"):
        to_sqlite(url, back)
    with closing(sqlite3.connect(access_path(back))) as connection:
        assert connection.execute("SELECT name FROM account").fetchall() == [("eve",)]


def test_a_file_that_somebody_serves_is_not_moved(postgres: Postgres, full: Path) -> None:
    lock = lock_database(full)
    lock.announce_owner("http://127.0.0.1:1")
    with pytest.raises(StoreError, match="is in use by"):
        to_postgres(full, postgres.url())
    lock.release_lock()


@pytest.mark.parametrize(("change", "said"), [("+ 1", "newer oddsdesk"), ("- 1", "older oddsdesk")])
def test_a_database_of_another_version_is_not_moved(
    postgres: Postgres, full: Path, back: Path, change: str, said: str
) -> None:
    url = postgres.url()
    to_postgres(full, url)
    with closing(postgres.connect(url)) as connection:
        connection.execute(f"UPDATE oddsdesk_schema SET steps = steps {change}")
    with pytest.raises(StoreError, match=said):
        to_sqlite(url, back)
    with closing(sqlite3.connect(full)) as connection:
        if change == "+ 1":
            connection.execute(
                "INSERT INTO _sqlite_migrations (migration_set, name) VALUES ('odds', 'to come')"
            )
        else:
            connection.execute("DELETE FROM _sqlite_migrations WHERE name = 'said_of_joined_games'")
        connection.commit()
    target = postgres.url()
    with pytest.raises(StoreError, match=said):
        to_postgres(full, target)
    with closing(postgres.connect(target)) as connection:
        assert connection.execute(
            "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"
        ).fetchall() == [(0,)]


@pytest.mark.parametrize("odd", ["char(0)", "'word'"])
def test_what_does_not_fit_is_said_in_one_line_and_not_served(
    postgres: Postgres, full: Path, odd: str
) -> None:
    column = "scraped_at" if odd == "'word'" else "url"
    with closing(sqlite3.connect(full)) as connection:
        connection.execute(f"UPDATE quote SET {column} = {odd} WHERE bookmaker = 'A'")
        connection.commit()
    url = postgres.url()
    with pytest.raises(StoreError, match=r"^quote: a row of it does not fit [^\n]*$"):
        to_postgres(full, url)
    with pytest.raises(HalfMadeError):
        serve(postgres, url)


def test_what_another_version_began_is_not_finished(postgres: Postgres, full: Path) -> None:
    url = postgres.url()
    with pytest.raises(KilledError):
        to_postgres(full, url, killing(after=3))
    with closing(postgres.connect(url)) as connection:
        connection.execute("UPDATE oddsdesk_schema SET steps = steps - 1")
    with pytest.raises(StoreError, match="was started by another version of oddsdesk"):
        to_postgres(full, url)


def test_a_database_that_somebody_serves_is_not_moved(
    postgres: Postgres, full: Path, back: Path
) -> None:
    url = postgres.url()
    to_postgres(full, url)
    served = PostgresLease(url, [*LEASES, "feeds"])
    assert served.take_lease()
    with pytest.raises(StoreError, match="is in use by another oddsdesk"):
        to_sqlite(url, back)
    assert not back.exists()
    served.release_lease()
    to_sqlite(url, back)


def test_a_source_can_be_read_and_not_written_meanwhile(
    postgres: Postgres, full: Path, tmp_path: Path
) -> None:
    with sqlite_source(full, access_path(full)), closing(sqlite3.connect(full, timeout=0)) as other:
        assert other.execute("SELECT count(*) FROM game").fetchall() != [(0,)]
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("DELETE FROM game")
    to_postgres(full, url := postgres.url())
    address = ServerAddress(url)
    with postgres_source(url, LEASES), closing(postgres.connect(url)) as connection:
        assert connection.execute("SELECT count(*) FROM game").fetchall() != [(0,)]
        connection.execute("SET lock_timeout = 50")
        with pytest.raises(StoreError, match="locked"), address.refusals():
            connection.execute("UPDATE shard SET seq = 0")


def test_a_file_without_keys_is_moved_without_any(
    postgres: Postgres, tmp_path: Path, back: Path
) -> None:
    path = tmp_path / "alone.db"
    open_store(path).close()
    url = postgres.url()
    assert all(each.is_equal for each in to_postgres(path, url))
    to_sqlite(url, back)
    with closing(open_access(back)) as access:
        assert access.keys.all_keys() == []
