"""docs/schema.md: its tables are the exports' columns, and its queries work as printed."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest
from click.testing import CliRunner

from oddsdesk.cli.main import main
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import format_ms
from oddsdesk.pricing.selections import Result
from oddsdesk.research.export import EXPORTS
from oddsdesk.store.databases import Database
from oddsdesk.store.store import open_store
from tests.kit.documented import DOCS, sections

KICK_OFF = 1_776_366_000_000
MINUTE = 60_000
PAGE = {section.title: section for section in sections("schema.md")}
GAME = "Arsenal - Chelsea"


def queries(title: str) -> list[str]:
    return re.findall(r"```sql\n(.*?)```", PAGE[title].text, re.DOTALL)


def quoted(bookmaker: str, minutes: float, *odds: float, is_live: bool = False) -> Quote:
    """A moneyline so many minutes before kick-off; without odds withdrawn."""
    prices = dict(zip(("Arsenal", "Draw", "Chelsea"), odds, strict=bool(odds)))
    at = KICK_OFF - round(minutes * MINUTE)
    return Quote(
        *(bookmaker, GAME, "EPL", "moneyline", 0, prices, at), is_live, match_date=KICK_OFF
    )


QUOTES = [
    quoted("Pinnacle", 90, 2.0, 3.5, 4.0),
    quoted("Bet365", 89, 1.9, 3.3, 3.8),
    quoted("Pinnacle", 30, 2.1, 3.5, 3.8),
    quoted("Bet365", 29.5, 2.0, 3.3, 3.6),
    quoted("Bet365", -5, 5.0, 3.3, 1.6, is_live=True),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a database and its export lie."""
    folder = tmp_path_factory.mktemp("schema")
    export_changes(folder, QUOTES)
    return folder


def export_changes(folder: Path, quotes: list[Quote]) -> None:
    with closing(open_store(folder / "odds.db")) as store:
        store.record(quotes).result(20)
    target = str(folder / "changes.parquet")
    made = CliRunner().invoke(
        main, ["export", "changes", "--database", str(folder / "odds.db"), target]
    )
    assert made.exit_code == 0, made.output


@pytest.mark.parametrize("name", EXPORTS)
def test_every_column_stands_with_its_type_and_meaning(name: str) -> None:
    assert PAGE[name.capitalize()].table("column") == [
        [column.name, column.kind.value, column.meaning] for column in EXPORTS[name]
    ]


def test_results_are_said_as_files_write_them() -> None:
    [said] = [column.meaning for column in EXPORTS["bets"] if column.name == "result"]
    assert set(re.split(", | or ", said)) == {"open", *(result.value for result in Result)}


def test_queries_for_duckdb_work_as_they_are_printed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    first, closes, holds = [duckdb.sql(query).fetchall() for query in queries("Parquet in DuckDB")]
    assert first == [("Pinnacle", 2, 2)]
    assert len(closes) == 6
    assert (GAME, "moneyline", 0, "Arsenal", "Bet365", 2.0) in [row[1:] for row in closes]
    [(lowest, games, hold), (highest, *_)] = holds
    assert (lowest, games, highest) == ("Pinnacle", 1, "Bet365")
    assert hold == pytest.approx(100 * (1 - 1 / (1 / 2.1 + 1 / 3.5 + 1 / 3.8)), abs=0.01)


def test_moves_of_one_moment_lead_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opening = [quoted(name, 90, 2.0, 3.5, 4.0) for name in ("Bet365", "Pinnacle")]
    tied = [quoted(name, 60, 2.1, 3.5, 4.0) for name in ("Bet365", "Pinnacle")]
    led = [quoted("Pinnacle", 40, 2.2, 3.5, 4.0), quoted("Bet365", 39.5, 2.2, 3.5, 4.0)]
    back = [quoted("Pinnacle", 20), quoted("Pinnacle", 19, 2.3, 3.5, 4.0)]
    export_changes(tmp_path, [*opening, *tied, *led, *back])
    monkeypatch.chdir(tmp_path)
    first = duckdb.sql(queries("Parquet in DuckDB")[0]).fetchall()
    assert first == [("Pinnacle", 1, 1)]


def test_a_withdrawn_price_closes_nothing_in_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = [quoted("Pinnacle", 90, 2.0, 3.5, 4.0), quoted("Bet365", 90, 1.9, 3.3, 3.8)]
    export_changes(tmp_path, [*both, quoted("Bet365", 20)])
    monkeypatch.chdir(tmp_path)
    _, closes, holds = [duckdb.sql(query).fetchall() for query in queries("Parquet in DuckDB")]
    assert [row[-2:] for row in closes] == [("Pinnacle", 2.0), ("Pinnacle", 4.0), ("Pinnacle", 3.5)]
    assert [row[:2] for row in holds] == [("Pinnacle", 1)]


GAME_COLUMNS = ["game_id", "match_name", "competition", "sport", "match_date"]
VIEWS = [
    "games",
    "current_prices",
    "price_changes",
    "selection_history",
    "closing_lines",
    "results",
    "series",
]


def documented_columns(view: str) -> list[str]:
    columns = [row[0] for row in PAGE[view].table("column")]
    if view in ("games", "results", "series"):
        return columns
    first = 3 if view == "price_changes" else 0
    return [*columns[:first], *GAME_COLUMNS, *columns[first:]]


@contextmanager
def reading(database: Database) -> Iterator[Callable[[str], Any]]:
    """What runs a query as somebody else would, and gives its columns and rows."""
    connect: Any
    if isinstance(database, Path):
        connect = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    else:
        connect = psycopg.connect(database.url)
    with closing(connect) as connection:

        def ask(query: str) -> tuple[list[str], list[Any]]:
            found = connection.execute(query)
            return [column[0] for column in found.description], found.fetchall()

        yield ask


def test_views_have_the_columns_of_the_page_and_its_queries_work(database: Database) -> None:
    with closing(open_store(database, "Pinnacle")) as store:
        store.record(QUOTES).result(20)
    with reading(database) as ask:
        assert [row[0] for row in PAGE["The database"].table("view")] == VIEWS
        for view in VIEWS:
            assert ask(f"SELECT * FROM {view}")[0] == documented_columns(view)
        best, moved, above, most = [ask(query)[1] for query in queries("Questions in SQLite")]
        assert best == [
            ("Arsenal", "Bet365", 5.0),
            ("Chelsea", "Pinnacle", 3.8),
            ("Draw", "Pinnacle", 3.5),
        ]
        assert [row[1:] for row in moved] == [(None, 2.0), (2.0, 2.1)]
        assert [(row[0], row[1]) for row in above] == [("Bet365", 3)]
        assert most == [("Bet365", 5), ("Pinnacle", 5)]
        closes = ask("SELECT bookmaker, odds FROM closing_lines WHERE selection = 'Arsenal'")[1]
        assert sorted(closes) == [("Bet365", 2.0), ("Pinnacle", 2.1)]
        [(kick_off, count)] = ask("SELECT match_date, bookmakers FROM games")[1]
        assert count == 2
        said = (
            kick_off if isinstance(kick_off, str) else format_ms(round(kick_off.timestamp() * 1000))
        )
        assert said == format_ms(KICK_OFF)


def test_queries_of_the_reference_work_where_no_server_ran(database: Database) -> None:
    with closing(open_store(database)) as store:
        store.record(QUOTES).result(20)
    with reading(database) as ask:
        above = ask(queries("Questions in SQLite")[2])[1]
    assert [(row[0], row[1]) for row in above] == [("Bet365", 3)]


def test_the_page_speaks_of_no_other_file() -> None:
    named = re.findall(r"FROM '([^']+)'", (DOCS / "schema.md").read_text())
    assert set(named) == {"changes.parquet"}
