"""`oddsdesk migrate`: moves a database from a file to PostgreSQL, or back."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.cli.options import access_option
from oddsdesk.cli.terminal import Progress
from oddsdesk.store.databases import DatabaseUrl, database_named, part_of_cluster
from oddsdesk.store.errors import StoreError

_HEADINGS: Final = (N_("TABLE"), N_("SOURCE"), N_("TARGET"), N_("EQUAL"))


@click.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@access_option
def migrate(source: str, target: str, access: Path | None) -> None:
    """Copy a database to PostgreSQL, or back.

    The keys are copied, too. One of FROM and TO is a file, the other is
    postgresql://USER@HOST/NAME. FROM is not changed and can be read meanwhile; writers are refused.
    TO must be empty. If the command is interrupted, run it again to continue. No server accepts TO
    until everything has been compared.

    \b
    Example:
      oddsdesk migrate odds.db postgresql://oddsdesk@db.example/odds
      oddsdesk migrate postgresql://oddsdesk@db.example/odds odds.db
    """
    here, there = database_named(source), database_named(target)
    if isinstance(here, DatabaseUrl) == isinstance(there, DatabaseUrl):
        raise click.UsageError(
            _(
                "one of FROM and TO must be a file and the other postgresql://...; to "
                "copy a file use oddsdesk backup, to copy a PostgreSQL database pg_dump"
            )
        )
    with _refusals(), part_of_cluster("moving")(here, there, access) as move:
        with Progress(_("rows copied")) as copying:
            move.copy(copying.count_done)
        with Progress(_("rows compared")) as comparing:
            moved = move.check(comparing.count_done)
    click.echo(_table(moved))
    if not all(each.is_equal for each in moved):
        raise click.ClickException(_("the copy differs from the original; run it again"))
    rows = sum(each.target_rows for each in moved)
    click.echo(
        _("all {rows:,} rows copied and compared; serve them with --database").format(
            rows=num(rows)
        )
    )


@contextmanager
def _refusals() -> Iterator[None]:
    """Report errors in one line; SIGTERM stops the command like Ctrl+C."""
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    except KeyboardInterrupt:
        raise click.ClickException(_("interrupted; run it again to continue")) from None
    except StoreError as error:
        raise click.ClickException(translated(str(error))) from error
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_number: int, _frame: Any) -> None:
    raise KeyboardInterrupt


def _table(moved: Sequence[Any]) -> str:
    rows = [
        tuple(map(translated, _HEADINGS)),
        *(
            (
                each.table,
                f"{num(each.source_rows):,}",
                f"{num(each.target_rows):,}",
                _("yes") if each.is_equal else _("NO"),
            )
            for each in moved
        ),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    return "\n".join(
        f"{name:<{widths[0]}}  {source:>{widths[1]}}  {target:>{widths[2]}}  {equal}"
        for name, source, target, equal in rows
    )
