"""Which sports and bookmakers there are."""

from typing import Final

from oddsdesk.store.queries.sql import CatalogueSql

SQL: Final = CatalogueSql(
    sports="""
        SELECT competition, count(*) FROM game INDEXED BY game_competition
        WHERE recent AND last_scraped_at >= :since AND {told}
            AND CASE WHEN last_scraped_at <= :until THEN last_scraped_at ELSE (
                SELECT max({newest}) FROM coverage c WHERE c.game = game.id
            ) END >= :since
        GROUP BY competition
    """,
    # Where all quotes of a pair are fresh its sum holds; only mixed pairs are counted one by one.
    bookmakers="""
        SELECT c.bookmaker, max(c.is_live), max({newest}), sum(
            CASE WHEN c.oldest >= :since AND c.newest <= :until THEN c.selections ELSE (
                SELECT sum(q.selections) FROM quote q
                WHERE q.game = c.game AND q.bookmaker = c.bookmaker AND q.is_live = c.is_live
                    AND q.scraped_at BETWEEN :since AND :until
            ) END
        )
        FROM game g INDEXED BY game_order CROSS JOIN coverage c ON c.game = g.id
        WHERE g.recent AND g.last_scraped_at >= :since AND {fresh} AND {told}
        GROUP BY c.bookmaker ORDER BY c.bookmaker
    """,
)
