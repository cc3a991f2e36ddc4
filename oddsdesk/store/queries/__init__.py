"""The contract's resources as queries, and the conversion of their rows.

``since`` is the oldest ``scraped_at`` that still counts, in milliseconds, inclusive.
"""
