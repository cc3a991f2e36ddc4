"""Running a query on whatever engine there is."""

import contextlib
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

from oddsdesk.store.queries.sql import Sql

Row = tuple[Any, ...]
Parameters = Mapping[str, Any]
NOTHING: Final[Parameters] = {}


class Select(Protocol):
    """Runs queries on one connection, each to its end."""

    @property
    def sql(self) -> Sql:
        """What the engine says in its own way."""
        ...

    def __call__(self, query: str, parameters: Parameters = NOTHING) -> list[Row]:
        """Return all rows of a query whose values are named ``:name``.

        Raises:
            StoreUnavailableError: the database cannot be read now, or is closed.
        """
        ...

    def listed(self, values: Iterable[str | int]) -> object:
        """Return the value of a parameter that holds a list (``ConditionsSql.is_one_of``)."""
        ...

    def together(self) -> contextlib.AbstractContextManager[None]:
        """Have the queries inside see one state of the database, where the engine can."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...
