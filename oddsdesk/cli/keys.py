"""`oddsdesk keys`: makes, lists, rotates and revokes API keys (D25)."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import click

from oddsdesk.cli.options import database_option
from oddsdesk.clock import system_clock
from oddsdesk.contract.errors import ErrorCode
from oddsdesk.contract.plans import Plan
from oddsdesk.contract.times import format_ms
from oddsdesk.store.access import AccessStore, open_access
from oddsdesk.store.accounts import BadAccountError
from oddsdesk.store.errors import StoreError
from oddsdesk.store.keys import Key, KeyLimitError, UnknownKeyError

DEFAULT_ACCOUNT = "default"

_HEADINGS = ("ID", "KEY", "ACCOUNT", "PLAN", "BOOKMAKER", "CREATED", "STATE")


@click.group()
def keys() -> None:
    """Make, list, rotate and revoke API keys.

    A running server on the same database knows at once.

    \b
    Example:
      oddsdesk keys create --plan "Pro+ Live"
      oddsdesk keys list
    """


@keys.command()
@database_option
@click.option(
    "--plan",
    type=click.Choice([plan.value for plan in Plan], case_sensitive=False),
    help="The account's plan from now on; a new account without one is Free.",
)
@click.option(
    "--account",
    default=DEFAULT_ACCOUNT,
    show_default=True,
    metavar="NAME",
    help="Whose key it is; the account is made if it is unknown.",
)
@click.option("--bookmaker", metavar="NAME", help="The one bookmaker that the Free plan sees.")
def create(database: Path, plan: str | None, account: str, bookmaker: str | None) -> None:
    """Make a key and print it: the only time it is shown in full.

    \b
    Example:
      oddsdesk keys create --plan Free --account anna --bookmaker Betfair
    """
    with _open(database) as access:
        chosen = None if plan is None else Plan(plan)
        click.echo(access.keys.create(account, chosen, bookmaker, system_clock()).secret)


@keys.command(name="list")
@database_option
def list_(database: Path) -> None:
    """Show every key, masked, with its account and plan.

    \b
    Example:
      oddsdesk keys list
    """
    with _open(database) as access:
        rows = [_HEADINGS, *(_row(key) for key in access.keys.all())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


@keys.command()
@database_option
@click.argument("key", metavar="KEY|ID")
def rotate(database: Path, key: str) -> None:
    """Give a key a new secret and print it; the old one stops working at once.

    \b
    Example:
      oddsdesk keys rotate 3
    """
    with _open(database) as access:
        click.echo(access.keys.rotate(key).secret)


@keys.command()
@database_option
@click.argument("key", metavar="KEY|ID")
def revoke(database: Path, key: str) -> None:
    """End a key for good.

    \b
    Example:
      oddsdesk keys revoke 3
    """
    with _open(database) as access:
        revoked = access.keys.revoke(key, system_clock())
    click.echo(f"revoked {revoked.masked} (account {revoked.account}, id {revoked.key_id})")


@contextlib.contextmanager
def _open(database: Path) -> Iterator[AccessStore]:
    """Open the access file, and say in one line what went wrong with it or with the request."""
    try:
        access = open_access(database)
        with contextlib.closing(access):
            yield access
    except KeyLimitError as error:
        raise click.ClickException(f"{ErrorCode.KEY_LIMIT_REACHED.value}: {error}") from error
    except BadAccountError as error:
        raise click.UsageError(str(error)) from error
    except (UnknownKeyError, StoreError) as error:
        raise click.ClickException(str(error)) from error


def _row(key: Key) -> tuple[str, ...]:
    return (
        str(key.key_id),
        key.masked,
        key.account,
        key.plan.value,
        key.bookmaker or "-",
        format_ms(key.created_at),
        "revoked" if key.revoked else "active",
    )
