"""The settings of a database and other small data, inside the caller's transaction."""

from collections.abc import Collection, Sequence
from typing import Any, Final

from oddsdesk.store import databases, results, series

_FEED: Final = "feed "
"""Prefix of a feed's text: its state between two runs."""
_READ: Final = "SELECT value FROM setting WHERE key = ?"
_PUT: Final = """
INSERT INTO setting (key, value) VALUES (?, ?)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
_PUT_FIRST: Final = "INSERT INTO setting (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING"
_NOT_SHARED: Final = """
SELECT source FROM origin WHERE NOT may_share UNION SELECT source FROM result WHERE NOT may_share
ORDER BY source
"""
Row = tuple[Any, ...]


class _ByKickOff:
    """The statements for a table whose rows are found by competition and kick-off."""

    def __init__(self, table: str, key: Sequence[str], columns: Sequence[str]) -> None:
        of_row = ", ".join(columns)
        same = " AND ".join(f"{each} = ?" for each in key)
        near = "competition = ? AND kick_off BETWEEN ? AND ?"
        self.between = f"SELECT {of_row} FROM {table} WHERE {near}"  # noqa: S608 - ours
        self.drop = f"DELETE FROM {table} WHERE {same}"  # noqa: S608 - ours
        self.put = f"INSERT INTO {table} ({of_row}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - ours


_RESULT: Final = _ByKickOff("result", results.KEY, results.COLUMNS)
_SERIES: Final = _ByKickOff("game_series", series.KEY, series.COLUMNS)


class Settings:
    """Reads and writes on a connection; for SQLite, PostgreSQL overrides what differs."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def setting(self, key: str) -> Any | None:
        """Return a setting, None if never set."""
        found = self._execute(_READ, key).fetchall()
        return found[0][0] if found else None

    def number_setting(self, key: str) -> int | None:
        """Return a number setting, None if never set."""
        found = self.setting(key)
        return None if found is None else int(found)

    def put_setting(self, key: str, value: str | int) -> None:
        """Write one setting."""
        self._execute(_PUT, key, value)

    def put_first(self, key: str, value: str | int) -> bool:
        """Write a setting unless it was set before; return whether it was written."""
        return bool(self._execute(_PUT_FIRST, key, value).rowcount > 0)

    def stored_reference(self) -> str:
        """Return the last sharp book of the database."""
        return str(self.setting(databases.REFERENCE) or databases.DEFAULT_REFERENCE)

    def agree_on_shift(self, own_ms: int, *, again: bool) -> int:
        """Return by how much an import shifts its times; see ``Store.agree_on_shift``."""
        if again:
            self.put_setting(databases.SHIFT_TO_NOW, own_ms)
        else:
            self.put_first(databases.SHIFT_TO_NOW, own_ms)
        return self.number_setting(databases.SHIFT_TO_NOW) or 0

    def value_by(self, how: str) -> None:
        """Set how value bets are found from now on; those found otherwise are deleted."""
        before = self.setting(databases.VALUED_BY)
        if before not in (None, how):
            self._execute("DELETE FROM value_bet")
        if before != how:
            self.put_setting(databases.VALUED_BY, how)

    def keep_for_feed(self, spec: str, kept: bytes) -> None:
        """Save a feed's state for its next run."""
        self.put_setting(_FEED + spec, kept.decode())

    def kept_for_feed(self, spec: str) -> bytes | None:
        """Return a feed's saved state, None without one."""
        found = self.setting(_FEED + spec)
        return None if found is None else str(found).encode()

    def results_between(self, competition: str, first: int, last: int) -> list[Row]:
        """Return the rows of a competition's results by kick-off."""
        return self._rows(_RESULT.between, competition, first, last)

    def replace_results(self, gone: Collection[Row], new: Collection[Row]) -> None:
        """Delete results, given by their keys, and add rows."""
        self._many(_RESULT.drop, gone)
        self._many(_RESULT.put, new)

    def series_between(self, competition: str, first: int, last: int) -> list[Row]:
        """Return the rows of a competition's series by kick-off."""
        return self._rows(_SERIES.between, competition, first, last)

    def replace_series(self, gone: Collection[Row], new: Collection[Row]) -> None:
        """Delete series, given by their keys, and add rows."""
        self._many(_SERIES.drop, gone)
        self._many(_SERIES.put, new)

    def sources_not_shared(self, share: Collection[str]) -> list[str]:
        """Return the sources whose terms forbid passing on, except ``share``."""
        return [name for (name,) in self._execute(_NOT_SHARED).fetchall() if name not in share]

    def _rows(self, statement: str, *values: Any) -> list[Row]:
        rows: list[Row] = self._execute(statement, *values).fetchall()
        return rows

    def _execute(self, statement: str, *values: Any) -> Any:
        return self._connection.execute(statement, values)

    def _many(self, statement: str, rows: Collection[Row]) -> None:
        self._connection.executemany(statement, rows)
