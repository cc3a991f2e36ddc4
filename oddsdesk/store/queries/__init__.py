"""The resources of the contract as queries, one module each: what no engine changes of them.

``since`` is the oldest ``scraped_at`` that still counts, in milliseconds, inclusive (D16).
"""
