"""`oddsdesk keys`: makes, lists, rotates and revokes API keys (D25)."""

import contextlib
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from oddsdesk.cli.options import access_option, database_option, made_database_option
from oddsdesk.cli.tables import print_list
from oddsdesk.clock import system_clock
from oddsdesk.contract.administration import Key, bookmaker_in_words, plan_in_words
from oddsdesk.contract.errors import ErrorCode
from oddsdesk.contract.plans import Plan
from oddsdesk.contract.times import format_ms
from oddsdesk.places import make_folder
from oddsdesk.store.access import AccessStore, open_access
from oddsdesk.store.access_paths import access_path, earlier_access_files, is_there
from oddsdesk.store.accounts import BadAccountError, OwnAccountError, UnknownAccountError
from oddsdesk.store.bookmaker_names import unknown_bookmaker, usual_spelling
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.keys import KNOWN_S, KeyLimitError, UnknownKeyError
from oddsdesk.store.lock import DatabaseInUseError, owner_of
from oddsdesk.store.sqlite.recognition import recognise, refused
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.store import open_store

DEFAULT_ACCOUNT = "default"

_HEADINGS = ("ID", "KEY", "ACCOUNT", "PLAN", "BOOKMAKER", "CREATED", "STATE", "MAY")


@click.group()
def keys() -> None:
    """Make, list, rotate and revoke API keys.

    A running server on the same database knows as soon as a command has ended.
    `oddsdesk accounts` changes a plan or a bookmaker and makes no key.

    \b
    Example:
      oddsdesk keys create --plan "Pro+ Live"
      oddsdesk keys list
    """


@keys.command()
@made_database_option
@access_option
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
@click.option("--write", is_flag=True, help="It may record odds, too: POST /ingest.")
def create(
    database: Database,
    access: Path | None,
    plan: str | None,
    account: str,
    bookmaker: str | None,
    write: bool,
) -> None:
    """Make a key and print it: the only time it is shown in full.

    \b
    Example:
      oddsdesk keys create --plan Free --account anna --bookmaker "Betfair Exchange UK"
      oddsdesk keys create --account scraper --write
    """
    if bookmaker is not None:
        bookmaker = usual_spelling(bookmaker, recorded_bookmakers(database))
    with open_keys(database, access, may_make=True) as opened:
        chosen = None if plan is None else Plan(plan)
        before = opened.keys.all()
        try:
            made = opened.keys.create(account, chosen, bookmaker, system_clock(), may_write=write)
        except KeyLimitError as error:
            raise KeyLimitError(f"{error}{_without_a_key(account, plan, bookmaker)}") from error
        try:
            click.echo(made.secret)
        except OSError:  # nobody has seen it, nor ever will
            opened.keys.revoke(made.secret, system_clock())
            raise
    _tell_of_other_keys(before, made.key)
    warn_of_missing_bookmaker(made.key.account, made.key.plan, made.key.bookmaker)
    if bookmaker is not None:
        warn_of_unknown_bookmaker(database, str(made.key.bookmaker))


def _without_a_key(account: str, plan: str | None, bookmaker: str | None) -> str:
    """Return how to change an account that can have no further key."""
    values = {"plan": plan, "bookmaker": bookmaker}
    commands = [
        f"`oddsdesk accounts {name} {shlex.quote(account)} {shlex.quote(value)}`"
        for name, value in values.items()
        if value is not None
    ]
    if not commands:
        return ""
    what = " and ".join(name for name, value in values.items() if value is not None)
    return f". {' and '.join(commands)} changes its {what} and makes no key"


@keys.command(name="list")
@database_option
@access_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array, a key an object.")
def list_(database: Database, access: Path | None, as_json: bool) -> None:
    """Show every key, masked, with its account and plan.

    \b
    Example:
      oddsdesk keys list
      oddsdesk keys list --json
    """
    with open_keys(database, access) as opened:
        found = opened.keys.all()
    print_list(found, _fields, _HEADINGS, _row, as_json=as_json)


@keys.command()
@database_option
@access_option
@click.argument("key", metavar="KEY|ID")
def rotate(database: Database, access: Path | None, key: str) -> None:
    """Give a key a new secret and print it; the old one stops working at once.

    \b
    Example:
      oddsdesk keys rotate 3
    """
    with open_keys(database, access) as opened:
        made = opened.keys.rotate(key)
    time.sleep(KNOWN_S)  # servers know then: the old one opens no request that comes later
    click.echo(made.secret)


@keys.command()
@database_option
@access_option
@click.argument("key", metavar="KEY|ID")
def revoke(database: Database, access: Path | None, key: str) -> None:
    """End a key for good.

    \b
    Example:
      oddsdesk keys revoke 3
    """
    with open_keys(database, access) as opened:
        revoked = opened.keys.revoke(key, system_clock())
    time.sleep(KNOWN_S)
    click.echo(f"revoked {revoked.masked} (account {revoked.account}, id {revoked.key_id})")


@contextlib.contextmanager
def open_keys(
    database: Database, named: Path | None, *, may_make: bool = False
) -> Iterator[AccessStore]:
    """Open the keys, and say in one line what went wrong with them or with the request."""
    try:
        with contextlib.closing(_opened(database, named, may_make=may_make)) as access:
            yield access
    except KeyLimitError as error:
        raise click.ClickException(f"{ErrorCode.KEY_LIMIT_REACHED.value}: {error}") from error
    except BadAccountError as error:
        raise click.UsageError(str(error)) from error
    except StoreUnavailableError as error:
        raise click.ClickException(_refusal(database, named, error)) from error
    except (UnknownKeyError, UnknownAccountError, OwnAccountError, StoreError) as error:
        raise click.ClickException(str(error)) from error


def _refusal(database: Database, named: Path | None, error: StoreUnavailableError) -> str:
    if isinstance(database, DatabaseUrl):
        return str(error)
    return str(refused(access_path(database, named), error))


def _opened(database: Database, named: Path | None, *, may_make: bool) -> AccessStore:
    if isinstance(database, DatabaseUrl):
        return open_access(database, named)
    path = access_path(database, named)
    _refuse_other_keys(database, path)
    if may_make:
        _make_usual_folder(database)
    elif not is_there(path):
        recognise(database, ODDS, look_for_damage=False)
        _tell_of_earlier(database, path)
        raise StoreError(f"{path}: there is no such file of keys; `keys create` makes it")
    access = open_access(database, named)
    _tell_of_earlier(database, path)
    return access


def _make_usual_folder(database: Path) -> None:
    """Make the folder of the database that nobody had to name; another one may be misspelt."""
    if click.get_current_context().get_parameter_source("database") is ParameterSource.DEFAULT:
        with contextlib.suppress(OSError):  # said of the file in it
            make_folder(database.parent)


def _refuse_other_keys(database: Path, path: Path) -> None:
    """Keep keys from where the server that runs on the database does not look."""
    try:
        owner = owner_of(database)
    except DatabaseInUseError:
        return
    if owner is not None and owner.access and Path(owner.access) != path.absolute():
        raise StoreError(
            f"{database}: is served with the keys in {owner.access}; say --access {owner.access}"
        )


def _tell_of_earlier(database: Path, path: Path) -> None:
    for earlier in earlier_access_files(database):
        if earlier != path.absolute():
            click.echo(
                f"note: keys that an older oddsdesk made for this database lie in {earlier};"
                f" use them with --access {earlier}",
                err=True,
            )


def _tell_of_other_keys(before: list[Key], made: Key) -> None:
    """Say which keys changed with their account, whoever uses them."""
    active = [key for key in before if key.account == made.account and not key.is_revoked]
    if not active:
        return
    was, now = (plan_in_words(key.plan, key.bookmaker) for key in (active[0], made))
    if was != now:
        ids = ", ".join(str(key.key_id) for key in active)
        click.echo(
            f"note: account {made.account!r} was on {was} and is on {now} now, with the keys it"
            f" had (id {ids}); a key of its own plan needs an --account of its own",
            err=True,
        )


def warn_of_missing_bookmaker(account: str, plan: Plan, bookmaker: str | None) -> None:
    """Warn where an account is on Free and its keys see no odds."""
    if plan is Plan.FREE and bookmaker is None:
        click.echo(
            f"warning: account {account!r} is on Free, which shows one bookmaker, and none is"
            " chosen, so its keys see no odds; choose it:"
            f" oddsdesk accounts bookmaker {shlex.quote(account)} NAME",
            err=True,
        )


def warn_of_unknown_bookmaker(database: Database, name: str) -> None:
    """Warn where no bookmaker is called so."""
    if warning := unknown_bookmaker(name, recorded_bookmakers(database)):
        click.echo(f"warning: {warning}", err=True)


def recorded_bookmakers(database: Database) -> list[str]:
    """Return whose prices a database has; none where there is no such database yet."""
    try:
        with contextlib.closing(open_store(database, read_only=True)) as store:
            return store.reader().recorded_bookmakers()
    except StoreError:
        return []


def _fields(key: Key) -> dict[str, Any]:
    """Return a key as ``--json`` prints it."""
    return {
        "id": key.key_id,
        "key": key.masked,
        "account": key.account,
        "plan": key.plan.value,
        "bookmaker": key.bookmaker,
        "created_at": format_ms(key.created_at),
        "revoked": key.is_revoked,
        "may_write": key.may_write,
    }


def _row(key: Key) -> tuple[str, ...]:
    return (
        str(key.key_id),
        key.masked,
        key.account,
        key.plan.value,
        bookmaker_in_words(key.plan, key.bookmaker),
        format_ms(key.created_at),
        "revoked" if key.is_revoked else "active",
        "read, write" if key.may_write else "read",
    )
