"""`oddsdesk migrate`: a database from a file to PostgreSQL, or back."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final

import click

from oddsdesk.cli.options import access_option
from oddsdesk.cli.progress import Progress
from oddsdesk.server.settings import RUN_ONCE
from oddsdesk.store.access_paths import access_path
from oddsdesk.store.databases import DatabaseUrl, database_named, needing_postgresql
from oddsdesk.store.errors import StoreError
from oddsdesk.store.moving import Moved, Source, Target, check_tables, copy_tables
from oddsdesk.store.sqlite.moving import sqlite_source, sqlite_target

_HEADINGS: Final = ("TABLE", "SOURCE", "TARGET", "EQUAL")


@click.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@access_option
def migrate(source: str, target: str, access: Path | None) -> None:
    """Copy a database with its keys from a file to PostgreSQL, or back.

    One of FROM and TO is a file, the other postgresql://USER@HOST/NAME. FROM stays as it is, and
    may be read meanwhile; who would change it is refused. TO has to hold nothing. Killed, run it
    again: it goes on where it ended, and nobody serves TO until all of it is compared.

    \b
    Example:
      oddsdesk migrate odds.db postgresql://oddsdesk@db.example/odds
      oddsdesk migrate postgresql://oddsdesk@db.example/odds odds.db
    """
    if _is_url(source) == _is_url(target):
        raise click.UsageError(
            "one of FROM and TO is a file and the other postgresql://...; oddsdesk backup copies"
            " a file, pg_dump a database of PostgreSQL"
        )
    with _refusals(), _source(source, access) as here, _target(target, access) as there:
        with Progress("rows copied") as copying:
            found = copy_tables(here, there, copying.add)
        with Progress("rows compared") as comparing:
            moved = check_tables(there, here, found, comparing.add)
        is_equal = all(each.is_equal for each in moved)
        if is_equal:
            there.finish()
    click.echo(_table(moved))
    if not is_equal:
        raise click.ClickException("what was copied is not equal; run it again")
    rows = sum(each.target_rows for each in moved)
    click.echo(f"all {rows:,} rows are there and equal; serve them with --database")


def _source(name: str, access: Path | None) -> AbstractContextManager[Source]:
    if not _is_url(name):
        return sqlite_source(Path(name), access_path(Path(name), access))
    with needing_postgresql():
        from oddsdesk.store.postgres.moving import postgres_source  # noqa: PLC0415 - an extra
    return postgres_source(name, sorted(RUN_ONCE))


def _target(name: str, access: Path | None) -> AbstractContextManager[Target]:
    if not _is_url(name):
        return sqlite_target(Path(name), access_path(Path(name), access))
    with needing_postgresql():
        from oddsdesk.store.postgres.moving import postgres_target  # noqa: PLC0415 - an extra
    return postgres_target(name)


def _is_url(name: str) -> bool:
    return isinstance(database_named(name), DatabaseUrl)


@contextmanager
def _refusals() -> Iterator[None]:
    """Say in one line what went wrong; SIGTERM ends it as Ctrl+C does."""
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    except KeyboardInterrupt:
        raise click.ClickException("interrupted; run it again, and it goes on from there") from None
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_number: int, _frame: Any) -> None:
    raise KeyboardInterrupt


def _table(moved: Sequence[Moved]) -> str:
    rows = [
        _HEADINGS,
        *(
            (
                each.table,
                f"{each.source_rows:,}",
                f"{each.target_rows:,}",
                "yes" if each.is_equal else "NO",
            )
            for each in moved
        ),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    return "\n".join(
        f"{name:<{widths[0]}}  {source:>{widths[1]}}  {target:>{widths[2]}}  {equal}"
        for name, source, target, equal in rows
    )
