"""The questions of the contract as SQL, one module a resource.

``since`` is the oldest ``scraped_at`` that still counts, in milliseconds, inclusive (D16).
"""
