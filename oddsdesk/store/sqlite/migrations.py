"""Bringing a database to its schema: named steps, each applied once."""

import sqlite3
from collections.abc import Callable
from typing import Final

import msgspec

_TABLE = "_sqlite_migrations"
_TABLE_OF_STEPS: Final = (
    f'CREATE TABLE IF NOT EXISTS "{_TABLE}" (\n   "id" INTEGER PRIMARY KEY,\n'
    '   "migration_set" TEXT,\n   "name" TEXT,\n   "applied_at" TEXT\n)',
    f'CREATE UNIQUE INDEX IF NOT EXISTS "idx_{_TABLE}_migration_set_name"\n'
    f'    ON "{_TABLE}" ("migration_set", "name")',
)
"""As sqlite-utils makes it, which older versions migrate with."""
HALF_MADE: Final = "half made by oddsdesk migrate"
"""A step of files that are being copied: older versions take it for one of a newer oddsdesk's."""


class Step(msgspec.Struct, frozen=True):
    """One migration: its statements run in order, then ``work``, in one transaction.

    ``work`` is what SQL cannot say; it opens no transaction of its own.
    """

    name: str
    statements: tuple[str, ...]
    work: Callable[[sqlite3.Connection], None] | None = None


class Schema(msgspec.Struct, frozen=True):
    """What a file of this kind holds; steps are only ever added at the end."""

    name: str
    steps: tuple[Step, ...]


def applied_steps(connection: sqlite3.Connection, schema: Schema) -> set[str] | None:
    """Return the names of the steps a file has, None for a file that never had any."""
    if not _has_steps(connection):
        return None
    query = f"SELECT name FROM {_TABLE} WHERE migration_set = ?"  # noqa: S608 - a constant
    return {name for (name,) in connection.execute(query, (schema.name,)).fetchall()} or None


def migrated_sets(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the schemas that a file has steps of: one, or none."""
    if not _has_steps(connection):
        return []
    query = f"SELECT DISTINCT migration_set FROM {_TABLE}"  # noqa: S608 - a constant
    return [str(name) for (name,) in connection.execute(query).fetchall()]


def mark_half_made(connection: sqlite3.Connection, schema: Schema) -> None:
    """Mark a file as one that is being copied; inside the caller's transaction."""
    query = f"INSERT INTO {_TABLE} (migration_set, name) VALUES (?, ?)"  # noqa: S608 - a constant
    connection.execute(query, (schema.name, HALF_MADE))


def unmark_half_made(connection: sqlite3.Connection, schema: Schema) -> None:
    """Take the mark away; inside the caller's transaction."""
    query = f"DELETE FROM {_TABLE} WHERE migration_set = ? AND name = ?"  # noqa: S608 - a constant
    connection.execute(query, (schema.name, HALF_MADE))


def _has_steps(connection: sqlite3.Connection) -> bool:
    query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return bool(connection.execute(query, (_TABLE,)).fetchall())


def migrate(
    connection: sqlite3.Connection, schema: Schema, before_changes: Callable[[], None]
) -> None:
    """Apply the missing steps in one transaction that keeps other writers out.

    A file that has steps already is its owner's: ``before_changes`` is called first, while
    nobody can write.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        applied = applied_steps(connection, schema)
        if applied:
            before_changes()
        for statement in _TABLE_OF_STEPS:
            connection.execute(statement)
        for step in schema.steps:
            if step.name not in (applied or ()):
                _apply(connection, schema, step)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _apply(connection: sqlite3.Connection, schema: Schema, step: Step) -> None:
    for statement in step.statements:
        connection.execute(statement)
    if step.work is not None:
        step.work(connection)
    connection.execute(
        f"INSERT INTO {_TABLE} (migration_set, name, applied_at)"  # noqa: S608 - a constant
        " VALUES (?, ?, strftime('%Y-%m-%d %H:%M:%f+00:00', 'now'))",
        (schema.name, step.name),
    )
