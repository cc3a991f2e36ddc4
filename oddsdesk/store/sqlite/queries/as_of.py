"""Games and their prices as they stood at a moment of the past (D71)."""

from typing import Final

from oddsdesk.store.queries.sql import AsOfSql

_LOG: Final = "price_change INDEXED BY price_change_selection"
_CELL: Final = ("game", "selection", "market_type", "period", "bookmaker")
"""What a price is of, in the order of that index."""
_TABLES: Final = ("asked", "selected", "typed", "timed", "cell")
"""Each knows one column more."""


def _cells(games: str) -> str:
    """Return the tables that lead to every ``cell`` of some games that the log ever priced.

    Each value of a column is looked for behind the one before: a few steps in the index for a cell,
    however often it moved. To read the log of the games took ten times as long, and grew with it.
    """
    tables = [f"asked (game) AS ({games})"]
    for place, (table, column) in enumerate(zip(_TABLES[1:], _CELL[1:], strict=True), 1):
        known, before = _CELL[:place], _TABLES[place - 1]
        held = ", ".join(f"k.{name}" for name in known)
        same = " AND ".join(f"{name} = k.{name}" for name in known)
        following = f"SELECT {held}, (SELECT min({column}) FROM {_LOG} WHERE {same}"
        tables.append(f"""
            {table} ({", ".join(_CELL[: place + 1])}) AS (
                {following}) FROM {before} k WHERE k.{known[-1]} IS NOT NULL
                UNION ALL
                {following} AND {column} > k.{column}) FROM {table} k WHERE k.{column} IS NOT NULL
            )
        """)
    return "WITH RECURSIVE " + ", ".join(tables)


_SAME_CELL: Final = " AND ".join(f"{name} = k.{name}" for name in _CELL)
_LAST: Final = f"""
FROM cell k CROSS JOIN price_change c ON c.seq = (
    SELECT seq FROM {_LOG} WHERE {_SAME_CELL} AND scraped_at <= :at
    ORDER BY scraped_at DESC, seq DESC LIMIT 1
)
"""
_ASKED: Final = "SELECT value FROM json_each(:games)"

SQL: Final = AsOfSql(
    seen=f"""
        SELECT game, bookmaker, market_type, period, is_live, scraped_at, odds, url,
            CASE bookmaker WHEN :reference THEN liquidity END
        FROM quote WHERE game IN ({_ASKED})
    """,
    ahead=f"""
        SELECT game, bookmaker, market_type, period, scraped_at
        FROM closing_sighting WHERE game IN ({_ASKED}) AND scraped_at <= :at
    """,
    last=f"""
        {_cells(_ASKED)}
        SELECT c.game, c.bookmaker, c.market_type, c.period, c.selection, c.odds, c.is_live,
            c.scraped_at, CASE c.bookmaker WHEN :reference THEN c.liquidity END, c.seq
        {_LAST}
    """,
    totals=f"""
        {_cells(f"{_ASKED} EXCEPT SELECT game FROM present")},
        present (game) AS (
            SELECT game FROM quote WHERE game IN ({_ASKED})
            GROUP BY game HAVING max(scraped_at) <= :at AND max(odds IS NOT NULL)
        )
        SELECT game, count(DISTINCT bookmaker), max(scraped_at), max(is_live),
            max(:bookmaker IS NULL OR bookmaker = :bookmaker)
        FROM (
            SELECT game, bookmaker, is_live, scraped_at FROM quote
            WHERE game IN present AND odds IS NOT NULL
            UNION ALL
            SELECT c.game, c.bookmaker, c.is_live, c.scraped_at {_LAST} WHERE c.odds IS NOT NULL
        ) stood WHERE {{visible}} GROUP BY game
    """,
    candidates="""
        SELECT g.id, g.game_id, g.match_name, g.competition, g.sport, g.match_date, g.kickoff
        FROM game g INDEXED BY game_past WHERE {wanted}
        ORDER BY g.kickoff, g.match_name, g.competition LIMIT :limit
    """,
    counts=f"""
        SELECT game, count(*) FROM quote WHERE game IN ({_ASKED}) GROUP BY game
    """,
)
