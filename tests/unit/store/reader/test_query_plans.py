"""The plans behind the lists: no request walks a big table."""

import sqlite3
from pathlib import Path

import pytest

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.store.sqlite.database import open_reader
from oddsdesk.store.sqlite.reader import SqliteReader
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.sqlite.store import replace_value_bets
from oddsdesk.store.values import Filters, FoundValueBet, Visibility
from tests.kit.questions import ask_about_times, ask_everything
from tests.kit.store import NOW


class Traced:
    """Every statement that a reader runs, with its values written out."""

    def __init__(self, path: Path) -> None:
        self.statements: list[str] = []
        self._connection = open_reader(path, ODDS)
        self._connection.set_trace_callback(self.statements.append)
        self.reader = SqliteReader(self._connection, "Pinnacle")


def test_no_request_scans_a_big_table(filled_file) -> None:
    store, _ = filled_file
    bets = [
        FoundValueBet("A", name, 2.0, {name: 1.9}, 1.9, 1.95, 2.0, 1.02) for name in ("Yes", "No")
    ]
    store.run_on_writer(lambda c: replace_value_bets(c, 1, "total", 0, bets, NOW)).result(10)
    traced = Traced(store.path)
    ask_everything(traced.reader)
    ask_about_times(traced.reader)
    traced.reader.forgotten_games(NOW)
    connection = sqlite3.connect(store.path)
    aliases = {"quote", "q", "r", "b", "price_change"}
    for statement in set(traced.statements):
        if not statement.lstrip().startswith(("SELECT", "WITH")):
            continue
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
        scanned = {line.split()[1] for line in plan if line.startswith("SCAN")}
        log_tail = "FROM price_change c CROSS JOIN" in statement
        assert not scanned & (aliases | ({"c"} if log_tail else set())), (statement, plan)
        if "ORDER BY g.kickoff" in statement:
            assert "USE TEMP B-TREE FOR ORDER BY" not in plan, (statement, plan)
    traced.reader.close()
    connection.close()
    assert len(set(traced.statements)) > 100


@pytest.mark.parametrize(
    ("filters", "visibility"),
    [
        (Filters(market_type="yes_no"), Visibility()),
        (Filters(bookmaker="Nobody"), Visibility()),
        (Filters(), Visibility(bookmaker="Nobody")),
    ],
)
def test_what_nobody_prices_is_known_without_walking_the_games(
    filled_file, filters, visibility
) -> None:
    """Issue 3, Speed: flat at any number of quotes."""
    store, _ = filled_file
    traced = Traced(store.path)
    assert traced.reader.list_odds(NOW, filters, visibility, 100).items == []
    assert not [each for each in traced.statements if "FROM game" in each]
    assert not traced.reader.list_odds(
        NOW + 27 * 60 * MINUTE_MS, Filters(), Visibility(), 100
    ).items
    assert not [each for each in traced.statements if "FROM game" in each]
    traced.reader.close()
