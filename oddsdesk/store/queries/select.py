"""Running a query on any engine.

Queries are written for SQLite: ``INDEXED BY`` and ``CROSS JOIN`` fix the plans, as a file has no
table statistics, and ``IN (SELECT value FROM json_each(:names))`` takes a list. Another engine
replaces these texts (``cluster.postgres.reader``).
"""

import contextlib
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

Row = tuple[Any, ...]
Parameters = Mapping[str, Any]
NOTHING: Final[Parameters] = {}
WITH_LEVELS: Final = """CASE WHEN q.offers LIKE '%":[[%' THEN q.offers END"""
"""The offers of a quote ``q`` with levels of a book; else NULL."""
WITH_OFFERS: Final = (
    """CASE WHEN q.offers LIKE '%":[[%' OR q.offers LIKE '%"link":"%' THEN q.offers END"""
)
"""The same with levels, or links to bet slips."""
OF_SHARD: Final = ":shard = 0"
"""The condition that a move ``c`` is in a shard of the log; a file has only shard 0."""


class Select(Protocol):
    """Runs queries on one connection, each to its end."""

    def __call__(self, query: str, parameters: Parameters = NOTHING, **parts: str) -> list[Row]:
        """Return all rows of a query.

        Args:
            query: Its values are named ``:name``, its parts ``{name}``.
            parameters: The values.
            parts: Replacements of the parts; without any, the query is run unchanged.

        Raises:
            StoreUnavailableError: the database cannot be read now, or is closed.
        """

    def list_parameter(self, values: Iterable[str | int]) -> object:
        """Return the value of a parameter that holds a list."""

    def together(self) -> contextlib.AbstractContextManager[None]:
        """Run the queries inside on one state of the database, if the engine can."""

    def close(self) -> None:
        """Close the connection."""
