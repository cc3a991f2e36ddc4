"""Single values of the whole database."""

from typing import Final

from oddsdesk.store.queries.sql import ReaderSql

SQL: Final = ReaderSql(
    last_scraped_at="SELECT max(last_scraped_at) FROM game INDEXED BY game_order WHERE recent",
    newest_price="""
        SELECT max(coalesce((SELECT max(last_scraped_at) FROM game), 0),
            coalesce((SELECT scraped_at FROM price_change ORDER BY seq DESC LIMIT 1), 0))
    """,
    sources="""
        SELECT key FROM setting WHERE key >= 'source ' AND key < 'source!' AND value >= :since
    """,
)
