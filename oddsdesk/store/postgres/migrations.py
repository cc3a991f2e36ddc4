"""Making the tables in a PostgreSQL database, and bringing them up to date."""

from typing import Any, Final

from psycopg import Connection

from oddsdesk.store.errors import HalfMadeError, NotYetError, StoreError
from oddsdesk.store.postgres.prepared import PreparingConnection
from oddsdesk.store.postgres.schema import STEPS

NEWER: Final = "was written by a newer oddsdesk; update this one"
_ONE_AT_A_TIME: Final = """
SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' oddsdesk_schema', 0))
"""
_NOBODY_RECORDS: Final = "SELECT shard FROM shard ORDER BY shard FOR UPDATE"
_STEPS: Final = "SELECT steps FROM oddsdesk_schema"
_TABLES: Final = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
_MAKE: Final = "CREATE TABLE oddsdesk_schema (steps integer NOT NULL)"
_NONE_YET: Final = "INSERT INTO oddsdesk_schema (steps) VALUES (0)"
_DONE: Final = "UPDATE oddsdesk_schema SET steps = %s"
_TURN_SIGN: Final = "UPDATE oddsdesk_schema SET steps = -steps"
"""Below 0: the database is half made, as another one is being moved here."""


def steps_done(connection: Connection[Any], shown: str) -> int | None:
    """Return how many migrations a database has, None where it holds nothing.

    Raises:
        HalfMadeError: another database is being moved here.
        StoreError: it is another program's or a newer oddsdesk's, or has no schema.
    """
    ((schema,),) = connection.execute("SELECT current_schema()").fetchall()
    if schema is None:
        raise StoreError(f"{shown}: there is no schema for the tables; make one with CREATE SCHEMA")
    tables = {name for (name,) in connection.execute(_TABLES).fetchall()}
    if "oddsdesk_schema" not in tables:
        if tables:
            raise StoreError(
                f"{shown}: holds tables of another program;"
                " give oddsdesk a database or a schema of its own"
            )
        return None
    ((steps,),) = connection.execute(_STEPS).fetchall()
    if steps < 0:
        raise HalfMadeError(shown)
    if steps > len(STEPS):
        raise StoreError(f"{shown}: {NEWER}")
    return int(steps)


def bring_up_to_date(connection: PreparingConnection, shown: str) -> None:
    """Make the tables, or apply the steps that are missing, in one transaction.

    Of several processes that begin at once one does it; the others wait.

    Raises:
        StoreError: the database is another program's or a newer oddsdesk's.
    """
    if steps_done(connection, shown) == len(STEPS):
        return
    with connection.transaction():
        keep_others_out(connection)
        done = steps_done(connection, shown)
        if done is None:
            connection.execute(_MAKE)
            connection.execute(_NONE_YET)
        else:
            connection.take_turn((_NOBODY_RECORDS, ()))
        for step in STEPS[done or 0 :]:
            for statement in step:
                connection.execute(statement)
        connection.execute(_DONE, (len(STEPS),))


def check_current(connection: Connection[Any], shown: str) -> None:
    """Check that the tables are those of this version.

    Raises:
        NotYetError: there are none yet, or they are an older version's.
        StoreError: they are a newer version's, or another program's; one line.
    """
    done = steps_done(connection, shown)
    if done is None:
        raise NotYetError(f"{shown}: there is no oddsdesk database yet; who may write makes it")
    if done < len(STEPS):
        raise NotYetError(f"{shown}: was written by an older oddsdesk; who may write updates it")


def keep_others_out(connection: PreparingConnection) -> None:
    """Have nobody else make tables until the end of the caller's transaction."""
    connection.take_turn((_ONE_AT_A_TIME, ()))


def mark_half_made(connection: Connection[Any]) -> None:
    """Mark a database that is up to date as one that is being moved here."""
    connection.execute(_TURN_SIGN)


def is_half_made_here(connection: Connection[Any]) -> bool:
    """Say whether a database is half made with the tables of this version."""
    return connection.execute(_STEPS).fetchall() == [(-len(STEPS),)]


def unmark_half_made(connection: Connection[Any]) -> None:
    """Take the mark away."""
    connection.execute(_TURN_SIGN)
