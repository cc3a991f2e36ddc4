"""Single values of the whole database."""

from typing import Final

from oddsdesk.store.queries.sql import ReaderSql

SQL: Final = ReaderSql(
    last_scraped_at="SELECT max(last_scraped_at) FROM game WHERE recent",
    newest_price="""
        SELECT greatest((SELECT max(last_scraped_at) FROM game), (
            SELECT max(last.scraped_at) FROM shard CROSS JOIN LATERAL (
                SELECT scraped_at FROM price_change
                WHERE price_change.shard = shard.shard ORDER BY seq DESC LIMIT 1
            ) last
        ), 0)
    """,
    sources="""
        SELECT key FROM setting WHERE
            CASE WHEN key >= 'source ' AND key < 'source!' THEN value::bigint >= :since END
    """,
)
