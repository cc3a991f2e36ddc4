"""Which sports and bookmakers there are."""

from typing import Final

from oddsdesk.store.queries.sql import CatalogueSql

SQL: Final = CatalogueSql(
    sports="""
        SELECT sport, competition, count(*) FROM game
        WHERE recent AND last_scraped_at >= :since AND {told}
        GROUP BY sport, competition ORDER BY sport, competition
    """,
    # Where all quotes of a pair are fresh its sum holds; only mixed pairs are counted one by one.
    bookmakers="""
        SELECT c.bookmaker, bool_or(c.is_live), max(c.newest), sum(
            CASE WHEN c.oldest >= :since THEN c.selections ELSE (
                SELECT sum(q.selections) FROM quote q
                WHERE q.game = c.game AND q.bookmaker = c.bookmaker AND q.is_live = c.is_live
                    AND q.scraped_at >= :since
            ) END
        )::bigint
        FROM game g JOIN coverage c ON c.game = g.id
        WHERE g.recent AND g.last_scraped_at >= :since AND c.newest >= :since AND {told}
        GROUP BY c.bookmaker ORDER BY c.bookmaker
    """,
)
