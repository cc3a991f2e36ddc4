"""The rules of recording know no engine: on dicts they do what they do on SQLite."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oddsdesk.cluster.postgres.tables import PostgresTables
from oddsdesk.contract.quotes import Quote
from oddsdesk.store.errors import RealOddsError
from oddsdesk.store.names import BookmakerNames
from oddsdesk.store.recording import record_quotes
from oddsdesk.store.sqlite.tables import Tables
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Origin, Recorded
from tests.kit.dict_tables import DictTables
from tests.kit.postgres import Postgres
from tests.kit.store import NOW

MINUTE = 60_000
HOUR = 60 * MINUTE
DUMP = {
    "game": """
        SELECT id, game_id, competition, sport, match_name, plain_name, match_date, match_date_by,
            match_date_scraped_at, first_scraped_at, last_scraped_at, has_live, recent FROM game
    """,
    "quote": """
        SELECT game, bookmaker, market_type, period, is_live, scraped_at, selections, odds,
            liquidity, url, offers FROM quote
    """,
    "log": """
        SELECT seq, game, bookmaker, market_type, period, selection, odds, is_live, scraped_at,
            liquidity, recorded_at FROM price_change
    """,
    "closing_sighting": "SELECT game, bookmaker, market_type, period, scraped_at"
    " FROM closing_sighting",
    "coverage": "SELECT game, bookmaker, is_live, newest, oldest, selections FROM coverage",
    "source": "SELECT bookmaker, market_type, newest FROM source",
    "recorded": "SELECT since, until FROM recorded",
    "event": "SELECT event, game FROM event",
    "origin": "SELECT game, bookmaker, source, may_share FROM origin",
    "other_name": "SELECT competition, plain_name, game, match_name, crosswise FROM other_name",
    "setting": "SELECT key, value FROM setting WHERE key != 'reference'",
}
NAMES = [
    ("LIG1", "PSG - Lyon", ("PSG", "Draw", "Lyon")),
    ("LIG1", "psg - lyon", ("psg", "Draw", "lyon")),
    ("LIG1", "PSG - Lyon (2026-04-12)", ("PSG", "Draw", "Lyon")),
    ("Ligue 1", "Paris SG vs Olympique Lyonnais", ("Paris SG", "Draw", "Olympique Lyonnais")),
    ("Ligue 1", "Lyon - PSG", ("Lyon", "Draw", "PSG")),
    ("NBA", "Knicks - Nets", ("Knicks", "Nets")),
]
PRICES = st.sampled_from([1.5, 1.7, 2.0, 3.0, 6.0])
TIMES = st.integers(-4, 4).map(lambda steps: NOW + steps * 20_000) | st.sampled_from(
    [NOW - 30 * HOUR, NOW - 400 * HOUR, NOW + 20 * HOUR]
)
KICK_OFFS = st.sampled_from(
    [None, NOW + HOUR, NOW + 2 * HOUR, NOW + 9 * HOUR, NOW - 8 * HOUR, NOW + 30 * HOUR]
)


ORIGINS = st.sampled_from([None, Origin("b"), Origin("b", may_share=False)])


@st.composite
def quotes(draw: st.DrawFn) -> Quote:
    competition, match_name, selections = draw(st.sampled_from(NAMES))
    market_type = draw(st.sampled_from(["moneyline", "moneyline", "total"]))
    if market_type == "total":
        selections = ("Over 2.5", "Under 2.5")
    named = draw(st.sets(st.sampled_from(selections))) if draw(st.booleans()) else selections
    return Quote(
        bookmaker=draw(st.sampled_from(["Pinnacle", "Bet365", "bet365", "Unibet (UK)"])),
        match_name=match_name,
        competition=competition,
        market_type=market_type,
        period=0,
        odds={name: draw(PRICES) for name in sorted(named)},
        scraped_at=draw(TIMES),
        match_date=draw(KICK_OFFS),
        is_live=draw(st.booleans()),
        liquidity=draw(st.sampled_from([None, 50.0])),
        event=draw(st.sampled_from([None, None, "a:1", "a:2", "the-odds-api:1"])),
    )


batches = st.tuples(
    st.lists(quotes(), max_size=6),
    st.fixed_dictionaries({"simulated": st.booleans(), "origin": ORIGINS}),
    st.sampled_from([0, 20_000, 5 * MINUTE]),
)


@pytest.fixture(scope="module")
def one_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = open_store(tmp_path_factory.mktemp("seam") / "odds.db", "Pinnacle")
    yield store
    store.close()


def dump(connection: sqlite3.Connection) -> dict[str, list[tuple[Any, ...]]]:
    return {table: sorted(connection.execute(query).fetchall()) for table, query in DUMP.items()}


def record(tables: Tables, batch: list[Quote], **asked: Any) -> Recorded | None:
    """Record, but for simulated odds after real ones, which are refused."""
    try:
        return record_quotes(tables, batch, **asked)
    except RealOddsError:
        return None


@settings(
    max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(history=st.lists(batches, max_size=5))
def test_a_history_recorded_on_dicts_and_on_sqlite_is_the_same_row_by_row(
    one_store: Store, history: list[tuple[list[Quote], dict[str, Any], int]]
) -> None:
    tables, names = DictTables(), BookmakerNames("Pinnacle")

    def check(connection: sqlite3.Connection) -> None:
        now, sqlite_names = NOW, BookmakerNames("Pinnacle")
        for batch, said, pause in history:
            now += pause
            asked = {"reference": "Pinnacle", "now_ms": now, **said}
            one = record(tables, batch, bookmakers=names, **asked)
            other = record(Tables(connection), batch, bookmakers=sqlite_names, **asked)
            assert one == other
            assert tables.dump() == dump(connection)
        raise _EnoughError

    with pytest.raises(_EnoughError):  # and so the file is empty again
        one_store.run_on_writer(check).result(60)


@settings(
    max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(history=st.lists(batches, max_size=5))
def test_a_history_recorded_on_dicts_and_on_postgresql_is_the_same_row_by_row(
    postgres: Postgres, history: list[tuple[list[Quote], dict[str, Any], int]]
) -> None:
    tables, now = DictTables(), NOW
    names, other_names = BookmakerNames("Pinnacle"), BookmakerNames("Pinnacle")
    with closing(postgres.connect(postgres.url_with_tables())) as connection:
        for batch, said, pause in history:
            now += pause
            asked = {"reference": "Pinnacle", "now_ms": now, **said}
            one = record(tables, batch, bookmakers=names, **asked)
            with connection.transaction():
                recorded = PostgresTables(connection)
                other = record(recorded, batch, bookmakers=other_names, **asked)
            assert one == other
            assert tables.dump() == dump_of_postgresql(connection)


def dump_of_postgresql(connection: Any) -> dict[str, list[tuple[Any, ...]]]:
    found = {table: sorted(connection.execute(query).fetchall()) for table, query in DUMP.items()}
    return found | {"setting": [(key, int(value)) for key, value in found["setting"]]}


class Asked(DictTables):
    """Counts how often present prices are asked for."""

    times = 0

    def present_rows(self, pairs: Any) -> Any:
        self.times += 1
        return super().present_rows(pairs)


def test_nothing_is_asked_of_games_that_are_new() -> None:
    """Each question is a way to another machine and back, where the tables are there."""
    tables = Asked()
    told = [
        Quote(bookmaker, f"Home {number} - Away", "EPL", "btts", 0, {"Yes": 1.5}, NOW)
        for bookmaker in ("A", "B")
        for number in range(3)
    ]
    said = {"reference": "Pinnacle", "simulated": False, "bookmakers": BookmakerNames("Pinnacle")}
    assert record_quotes(tables, told, now_ms=NOW, **said).changes == 6
    assert tables.times <= 1
    tables.times = 0
    assert record_quotes(tables, told, now_ms=NOW, **said).changes == 0
    assert tables.times == 1


class _EnoughError(Exception):
    """Rolls the transaction back."""
