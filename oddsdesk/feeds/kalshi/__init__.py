"""Kalshi's markets of games as quotes."""

from oddsdesk.feeds.kalshi.reading import Reading, read_books, read_page

__all__ = ["Reading", "read_books", "read_page"]
