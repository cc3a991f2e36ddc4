"""What has to hold in a database whatever happened to the process or the machine."""

import json
import sqlite3
from collections import defaultdict
from pathlib import Path
from typing import Any

_LAST = """
SELECT game, bookmaker, market_type, period, selection, odds, max(seq) FROM price_change
GROUP BY game, bookmaker, market_type, period, selection
"""
_SUMMED = """
SELECT game, bookmaker, is_live, max(scraped_at), min(scraped_at), sum(selections)
FROM quote WHERE selections > 0 GROUP BY game, bookmaker, is_live
"""
_COVERED = "SELECT game, bookmaker, is_live, newest, oldest, selections FROM coverage"
_EMPTY = {
    "a game is summed up wrongly": """
        SELECT id FROM game WHERE (last_scraped_at, has_live) IS NOT (
            SELECT coalesce(max(newest), 0), coalesce(max(is_live), 0)
            FROM coverage WHERE game = id)
    """,
    "a source is missing or too old": """
        SELECT q.bookmaker, q.market_type FROM quote q LEFT JOIN source s USING
            (bookmaker, market_type) WHERE q.selections > 0
        GROUP BY q.bookmaker, q.market_type
        HAVING max(s.newest) IS NULL OR max(q.scraped_at) > max(s.newest)
    """,
    "spans of recording overlap": """
        SELECT a.since FROM recorded a JOIN recorded b ON a.since < b.since AND b.since <= a.until
    """,
    "a span of recording ends before it begins": "SELECT since FROM recorded WHERE until < since",
    # Pruning cuts the spans first, so that nobody reads half of a round: what is older goes next.
    "a change since the first span lies outside every span of recording": """
        SELECT DISTINCT recorded_at FROM price_change
        WHERE recorded_at >= (SELECT coalesce(min(since), 0) FROM recorded) AND NOT EXISTS
            (SELECT 1 FROM recorded WHERE recorded_at BETWEEN since AND until)
    """,
    "a value bet has no quote": """
        SELECT game, bookmaker FROM value_bet v WHERE NOT EXISTS (SELECT 1 FROM quote q WHERE
            (q.game, q.bookmaker, q.market_type, q.period)
            = (v.game, v.bookmaker, v.market_type, v.period))
    """,
    "a quote or change has no game": """
        SELECT game FROM quote UNION SELECT game FROM price_change EXCEPT SELECT id FROM game
    """,
    "a quote's count of selections is wrong": """
        SELECT game FROM quote WHERE selections <>
            (SELECT count(*) FROM json_each(coalesce(quote.odds, '{}')))
    """,
}


def broken(path: Path, *, is_pruned: bool = False) -> list[str]:
    """Return what does not hold in an odds file; of a pruned one the log tells less."""
    connection = sqlite3.connect(path)
    try:
        found = [text for (text,) in connection.execute("PRAGMA integrity_check") if text != "ok"]
        if found:
            return found
        found += [what for what, query in _EMPTY.items() if connection.execute(query).fetchall()]
        if set(connection.execute(_SUMMED)) != set(connection.execute(_COVERED)):
            found.append("coverage is not the sum of the quotes")
        return found + _unlike_the_log(connection, is_pruned)
    finally:
        connection.close()


def _unlike_the_log(connection: sqlite3.Connection, is_pruned: bool) -> list[str]:
    """Compare each present quote with what the log says last of its selections."""
    logged: dict[tuple[Any, ...], dict[str, float]] = defaultdict(dict)
    for *market, selection, odds, _ in connection.execute(_LAST):
        said = logged[tuple(market)]
        if odds is not None:
            said[selection] = odds
    query = "SELECT game, bookmaker, market_type, period, odds FROM quote"
    present = {tuple(key): json.loads(odds or "{}") for *key, odds in connection.execute(query)}
    found = []
    for market, odds in present.items():
        said = logged.pop(market, {})
        if not said.items() <= odds.items() or (said != odds and not is_pruned):
            found.append(f"present state of {market} is not what the log says")
    if any(logged.values()):
        found.append("the log has prices that are not present")
    return found


def check_file(path: Path) -> list[str]:
    """Return what is wrong with a database of keys or bets."""
    connection = sqlite3.connect(path)
    try:
        return [text for (text,) in connection.execute("PRAGMA integrity_check") if text != "ok"]
    finally:
        connection.close()


def batches_in(path: Path, base_ms: int) -> dict[int, int]:
    """Return how many rows of the log there are of each batch."""
    connection = sqlite3.connect(path)
    try:
        query = "SELECT scraped_at - ?, count(*) FROM price_change GROUP BY scraped_at"
        return dict(connection.execute(query, (base_ms,)).fetchall())
    finally:
        connection.close()
