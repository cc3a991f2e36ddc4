"""Reading and writing the settings of a PostgreSQL database: texts, by their keys."""

from typing import Any, Final

from psycopg import Connection

from oddsdesk.store.settings import DEFAULT_REFERENCE, REFERENCE, SHIFT_TO_NOW

_FEED: Final = "feed "
"""Before the text of a feed: what it keeps between two runs."""
_READ: Final = "SELECT value FROM setting WHERE key = %s"
_PUT: Final = """
INSERT INTO setting (key, value) VALUES (%s, %s)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
_PUT_FIRST: Final = "INSERT INTO setting (key, value) VALUES (%s, %s) ON CONFLICT DO NOTHING"


def setting(connection: Connection[Any], key: str) -> str | None:
    """Return a setting, None where it was never set."""
    rows = connection.execute(_READ, (key,)).fetchall()
    return str(rows[0][0]) if rows else None


def number_setting(connection: Connection[Any], key: str) -> int | None:
    """Return a setting that is a number, None where it was never set."""
    found = setting(connection, key)
    return None if found is None else int(found)


def put_setting(connection: Connection[Any], key: str, value: str | int) -> None:
    """Write one setting."""
    connection.execute(_PUT, (key, str(value)))


def put_first(connection: Connection[Any], key: str, value: str | int) -> bool:
    """Write one setting unless it was set before; return whether it was done."""
    return connection.execute(_PUT_FIRST, (key, str(value))).rowcount > 0


def keep_for_feed(connection: Connection[Any], spec: str, kept: bytes) -> None:
    """Keep what a feed wants to know when it runs next."""
    put_setting(connection, _FEED + spec, kept.decode())


def kept_for_feed(connection: Connection[Any], spec: str) -> bytes | None:
    """Return what a feed kept, None where it never did."""
    found = setting(connection, _FEED + spec)
    return None if found is None else found.encode()


def agree_on_shift(connection: Connection[Any], own_ms: int, *, again: bool) -> int:
    """Return by how much an import moves its times; see ``Store.agree_on_shift``."""
    if again:
        put_setting(connection, SHIFT_TO_NOW, own_ms)
        return own_ms
    put_first(connection, SHIFT_TO_NOW, own_ms)
    return number_setting(connection, SHIFT_TO_NOW) or 0


def stored_reference(connection: Connection[Any]) -> str:
    """Return the name of the reference bookmaker that this database was last served with."""
    return setting(connection, REFERENCE) or DEFAULT_REFERENCE
