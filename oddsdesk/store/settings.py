"""The settings of a database and other small data, inside the caller's transaction."""

from collections.abc import Collection, Iterable
from typing import Any, Final

from oddsdesk.contract.results import GameResult
from oddsdesk.store import databases
from oddsdesk.store.games import plain_name

_FEED: Final = "feed "
"""Prefix of a feed's text: its state between two runs."""
_READ: Final = "SELECT value FROM setting WHERE key = ?"
_PUT: Final = """
INSERT INTO setting (key, value) VALUES (?, ?)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
_PUT_FIRST: Final = "INSERT INTO setting (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING"
_TOLD: Final = "SELECT DISTINCT source FROM origin WHERE NOT may_share ORDER BY source"
_PUT_RESULT: Final = """
INSERT INTO result (competition, plain_name, kick_off, home, away, half_home, half_away)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (competition, plain_name, kick_off) DO UPDATE SET home = excluded.home,
    away = excluded.away, half_home = excluded.half_home, half_away = excluded.half_away
"""


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

    def put_results(self, results: Iterable[GameResult]) -> None:
        """Save final scores; a new one replaces the old."""
        rows = [
            (
                *(said.competition, plain_name(said.match_name), said.kick_off),
                *(said.home, said.away),
                *((said.periods[0].home, said.periods[0].away) if said.periods else (None, None)),
            )
            for said in results
            if said.home is not None
        ]
        self._many(_PUT_RESULT, rows)

    def sources_not_shared(self, share: Collection[str]) -> list[str]:
        """Return the sources whose terms forbid passing on, except ``share``."""
        return [name for (name,) in self._execute(_TOLD).fetchall() if name not in share]

    def _execute(self, statement: str, *values: Any) -> Any:
        return self._connection.execute(statement, values)

    def _many(self, statement: str, rows: Collection[tuple[Any, ...]]) -> None:
        self._connection.executemany(statement, rows)
