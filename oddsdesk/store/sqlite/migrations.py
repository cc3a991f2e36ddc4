"""Migrating a database to its schema: named steps, each applied once, by sqlite-utils."""

import contextlib
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from sqlite_utils import Database

_TABLE = "_sqlite_migrations"
HALF_MADE: Final = "half made by oddsdesk migrate"
"""A step of unfinished copies, which older versions treat as from a newer oddsdesk."""


class Step(msgspec.Struct, frozen=True):
    """One migration: its statements run in order, then ``work``, in one transaction.

    ``work`` is what SQL cannot do; it opens no transaction.
    """

    name: str
    statements: tuple[str, ...]
    work: Callable[[sqlite3.Connection], None] | None = None


class Schema(msgspec.Struct, frozen=True):
    """The schema of a kind of file; new steps are only added at the end."""

    name: str
    steps: tuple[Step, ...]


def applied_steps(connection: sqlite3.Connection, schema: Schema) -> set[str] | None:
    """Return the names of a file's steps, None if it never had any."""
    if not _has_steps(connection):
        return None
    query = f"SELECT name FROM {_TABLE} WHERE migration_set = ?"  # noqa: S608 - a constant
    return {name for (name,) in connection.execute(query, (schema.name,)).fetchall()} or None


def migrated_sets(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the schemas in a file: one, or none."""
    if not _has_steps(connection):
        return []
    query = f"SELECT DISTINCT migration_set FROM {_TABLE}"  # noqa: S608 - a constant
    return [str(name) for (name,) in connection.execute(query).fetchall()]


def mark_half_made(connection: sqlite3.Connection, schema: Schema) -> None:
    """Mark a file as an unfinished copy; inside the caller's transaction."""
    query = f"INSERT INTO {_TABLE} (migration_set, name) VALUES (?, ?)"  # noqa: S608 - a constant
    connection.execute(query, (schema.name, HALF_MADE))


def unmark_half_made(connection: sqlite3.Connection, schema: Schema) -> None:
    """Remove the mark; inside the caller's transaction."""
    query = f"DELETE FROM {_TABLE} WHERE migration_set = ? AND name = ?"  # noqa: S608 - a constant
    connection.execute(query, (schema.name, HALF_MADE))


def _has_steps(connection: sqlite3.Connection) -> bool:
    query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return bool(connection.execute(query, (_TABLE,)).fetchall())


def migrate(
    connection: sqlite3.Connection, schema: Schema, before_changes: Callable[[], None]
) -> None:
    """Apply the missing steps in one transaction that keeps other writers out.

    A file with steps has data: ``before_changes`` is called first, while nobody can write.
    """
    with without_arrays():
        # Paid by a fresh or outdated file only, not by every start.
        from sqlite_utils import Database, Migrations  # noqa: PLC0415

    migrations = Migrations(schema.name)
    for step in schema.steps:
        migrations(name=step.name)(_migration(step))
    connection.execute("BEGIN IMMEDIATE")
    try:
        done = applied_steps(connection, schema)
        if done and done >= {step.name for step in schema.steps}:
            connection.execute("ROLLBACK")  # another process has just done it
            return
        if done:
            before_changes()
        migrations.apply(Database(connection, execute_plugins=False))
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


class _Hiding:
    """Hides some modules on one thread only: others may load them at the same time."""

    def __init__(self, *names: str) -> None:
        self._names = names
        self._thread = threading.get_ident()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        """Leave all but the hidden modules to the other finders.

        Raises:
            ModuleNotFoundError: the module is hidden.
        """
        if fullname in self._names and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"{fullname} is hidden", name=fullname)


@contextlib.contextmanager
def without_arrays() -> Iterator[None]:
    """Hide numpy and pandas, which are not needed here, while sqlite-utils is loaded.

    WORKAROUND sqlite-utils: it loads them if they are installed, to know their types: 0.1 and 0.7 s
    of a first start.
    """
    hiding = _Hiding("numpy", "pandas")
    sys.meta_path.insert(0, hiding)
    try:
        yield
    finally:
        sys.meta_path.remove(hiding)


def _migration(step: Step) -> Callable[["Database"], None]:
    def apply(db: "Database") -> None:
        for statement in step.statements:
            db.conn.execute(statement)
        if step.work is not None:
            step.work(db.conn)

    return apply
