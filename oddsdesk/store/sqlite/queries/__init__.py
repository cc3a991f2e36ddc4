"""The resources of the contract as SQL queries, one module each.

``since`` is the oldest ``scraped_at`` that still counts, in milliseconds, inclusive (D16).
"""
