"""`oddsdesk keys`: creates, lists, rotates and revokes API keys."""

import contextlib
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from oddsdesk.base.clock import system_clock
from oddsdesk.base.places import make_folder
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.cli.options import access_option, database_option, made_database_option
from oddsdesk.cli.terminal import print_list
from oddsdesk.contract.access import ErrorCode, Plan
from oddsdesk.contract.administration import Key, bookmaker_in_words, plan_in_words
from oddsdesk.contract.times import format_ms
from oddsdesk.store.access import AccessStore, open_access
from oddsdesk.store.accounts import BadAccountError, OwnAccountError, UnknownAccountError
from oddsdesk.store.databases import (
    Database,
    DatabaseUrl,
    access_path,
    earlier_access_files,
    is_there,
)
from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.keys import KNOWN_S, KeyLimitError, UnknownKeyError
from oddsdesk.store.lock import DatabaseInUseError, owner_of
from oddsdesk.store.names import unknown_bookmaker, usual_spelling
from oddsdesk.store.sqlite.recognition import recognise, refusal_in_words
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.store import open_store

DEFAULT_ACCOUNT = "default"

_HEADINGS = (
    *(N_("ID"), N_("KEY"), N_("ACCOUNT"), N_("PLAN")),
    *(N_("BOOKMAKER"), N_("CREATED"), N_("STATE"), N_("MAY")),
)


_BOOKMAKERS = (N_("none"), N_("all"), N_("all (on Free: {bookmaker})"))
"""What ``bookmaker_in_words`` returns."""


@click.group()
def keys() -> None:
    """Create, list, rotate and revoke API keys.

    A running server on the same database has a change by the time the command ends. To change a
    plan or a bookmaker without a new key, use `oddsdesk accounts`.

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
    help=_("New plan of the account. Default: unchanged; Free for a new account."),
)
@click.option(
    "--account",
    default=DEFAULT_ACCOUNT,
    show_default=True,
    metavar="NAME",
    help=_("Owner of the key; created if it does not exist."),
)
@click.option("--bookmaker", metavar="NAME", help=_("The one bookmaker that the Free plan shows."))
@click.option("--write", is_flag=True, help=_("Let the key record odds, too (POST /ingest)."))
def create(
    database: Database,
    access: Path | None,
    plan: str | None,
    account: str,
    bookmaker: str | None,
    write: bool,
) -> None:
    """Create a key and print it in full, which happens only once.

    \b
    Example:
      oddsdesk keys create --plan Free --account anna --bookmaker "Betfair Exchange UK"
      oddsdesk keys create --account scraper --write
    """
    if bookmaker is not None:
        bookmaker = usual_spelling(bookmaker, recorded_bookmakers(database))
    with open_keys(database, access, may_make=True) as opened:
        chosen = None if plan is None else Plan(plan)
        before = opened.keys.all_keys()
        try:
            made = opened.keys.create(account, chosen, bookmaker, system_clock(), may_write=write)
        except KeyLimitError as error:
            raise KeyLimitError(_at_the_limit(error, account, plan, bookmaker)) from error
        try:
            click.echo(made.secret)
        except OSError:  # nobody saw the key, and nobody can
            opened.keys.revoke(made.secret, system_clock())
            raise
    _print_other_keys(before, made.key)
    warn_of_missing_bookmaker(made.key.account, made.key.plan, made.key.bookmaker)
    if bookmaker is not None:
        warn_of_unknown_bookmaker(database, str(made.key.bookmaker))


def _at_the_limit(
    error: KeyLimitError, account: str, plan: str | None, bookmaker: str | None
) -> str:
    """Return the error, and how to change an account that cannot have another key."""
    reason = translated(str(error))
    commands = {
        name: f"`oddsdesk accounts {name} {shlex.quote(account)} {shlex.quote(value)}`"
        for name, value in (("plan", plan), ("bookmaker", bookmaker))
        if value is not None
    }
    if len(commands) > 1:
        return _(
            "{reason}. To change its plan and bookmaker without a new key, use {command} and"
            " {other_command}"
        ).format(reason=reason, command=commands["plan"], other_command=commands["bookmaker"])
    if "plan" in commands:
        return _("{reason}. To change its plan without a new key, use {command}").format(
            reason=reason, command=commands["plan"]
        )
    if "bookmaker" in commands:
        return _("{reason}. To change its bookmaker without a new key, use {command}").format(
            reason=reason, command=commands["bookmaker"]
        )
    return reason


@keys.command(name="list")
@database_option
@access_option
@click.option(
    "--json", "as_json", is_flag=True, help=_("Print JSON: an array, one object per key.")
)
def list_(database: Database, access: Path | None, as_json: bool) -> None:
    """List every key, masked, with its account and plan.

    \b
    Example:
      oddsdesk keys list
      oddsdesk keys list --json
    """
    with open_keys(database, access) as opened:
        found = opened.keys.all_keys()
    print_list(found, _fields, _HEADINGS, _row, as_json=as_json)


@keys.command()
@database_option
@access_option
@click.argument("key", metavar="KEY|ID")
def rotate(database: Database, access: Path | None, key: str) -> None:
    """Replace a key's secret and print the new one.

    The old one stops working immediately.

    \b
    Example:
      oddsdesk keys rotate 3
    """
    with open_keys(database, access) as opened:
        made = opened.keys.rotate(key)
    time.sleep(KNOWN_S)  # by then no server accepts the old one
    click.echo(made.secret)


@keys.command()
@database_option
@access_option
@click.argument("key", metavar="KEY|ID")
def revoke(database: Database, access: Path | None, key: str) -> None:
    """Revoke a key permanently.

    \b
    Example:
      oddsdesk keys revoke 3
    """
    with open_keys(database, access) as opened:
        revoked = opened.keys.revoke(key, system_clock())
    time.sleep(KNOWN_S)
    click.echo(
        _("revoked {key} (account {account}, id {id})").format(
            key=revoked.masked, account=revoked.account, id=revoked.key_id
        )
    )


@contextlib.contextmanager
def open_keys(
    database: Database, named: Path | None, *, may_make: bool = False
) -> Iterator[AccessStore]:
    """Open the keys; report what goes wrong in one line."""
    try:
        with contextlib.closing(_opened(database, named, may_make=may_make)) as access:
            yield access
    except KeyLimitError as error:
        raise click.ClickException(
            f"{ErrorCode.KEY_LIMIT_REACHED.value}: {translated(str(error))}"
        ) from error
    except BadAccountError as error:
        raise click.UsageError(translated(str(error))) from error
    except StoreUnavailableError as error:
        raise click.ClickException(_refusal(database, named, error)) from error
    except (UnknownKeyError, UnknownAccountError, OwnAccountError, StoreError) as error:
        raise click.ClickException(translated(str(error))) from error


def _refusal(database: Database, named: Path | None, error: StoreUnavailableError) -> str:
    if isinstance(database, DatabaseUrl):
        return translated(str(error))
    return translated(str(refusal_in_words(access_path(database, named), error)))


def _opened(database: Database, named: Path | None, *, may_make: bool) -> AccessStore:
    if isinstance(database, DatabaseUrl):
        return open_access(database, named)
    path = access_path(database, named)
    _refuse_other_keys(database, path)
    if may_make:
        _make_usual_folder(database)
    elif not is_there(path):
        recognise(database, ODDS, look_for_damage=False)
        _print_earlier_database(database, path)
        raise StoreError(
            _("{path}: no key file; `oddsdesk keys create` makes one").format(path=path)
        )
    access = open_access(database, named)
    _print_earlier_database(database, path)
    return access


def _make_usual_folder(database: Path) -> None:
    """Create the folder of the default database; a folder named by the user may be misspelt."""
    if click.get_current_context().get_parameter_source("database") is ParameterSource.DEFAULT:
        with contextlib.suppress(OSError):  # opening the file in it reports the error
            make_folder(database.parent)


def _refuse_other_keys(database: Path, path: Path) -> None:
    """Refuse a key file that the server running on the database does not use."""
    try:
        owner = owner_of(database)
    except DatabaseInUseError:
        return
    if owner is not None and owner.access and Path(owner.access) != path.absolute():
        raise StoreError(
            _("{database}: the server uses the keys in {access}; give --access {access}").format(
                database=database, access=owner.access
            )
        )


def _print_earlier_database(database: Path, path: Path) -> None:
    for earlier in earlier_access_files(database):
        if earlier != path.absolute():
            click.echo(
                _(
                    "note: keys made for this database by an older oddsdesk are in "
                    "{earlier}; use them with --access {earlier}"
                ).format(earlier=earlier),
                err=True,
            )


def _print_other_keys(before: list[Key], made: Key) -> None:
    """Report which other keys of the account changed plan or bookmaker."""
    active = [key for key in before if key.account == made.account and not key.is_revoked]
    if not active:
        return
    was, now = (plan_in_words(key.plan, key.bookmaker) for key in (active[0], made))
    if was != now:
        text = _(
            "note: account {account!r} changed from {before} to {now}, also for its other keys"
            " (id {ids}); for a key on another plan, use a separate --account"
        ).format(
            account=made.account,
            before=was,
            now=now,
            ids=", ".join(str(key.key_id) for key in active),
        )
        click.echo(text, err=True)


def warn_of_missing_bookmaker(account: str, plan: Plan, bookmaker: str | None) -> None:
    """Warn if an account is on Free with no bookmaker, since its keys then see no odds."""
    if plan is Plan.FREE and bookmaker is None:
        click.echo(
            _(
                "warning: account {account!r} is on Free, which shows one bookmaker, but "
                "none is chosen, so its keys see no odds; choose one with oddsdesk "
                "accounts bookmaker {account_in_command} NAME"
            ).format(account=account, account_in_command=shlex.quote(account)),
            err=True,
        )


def warn_of_unknown_bookmaker(database: Database, name: str) -> None:
    """Warn if there is no bookmaker of that name."""
    if warning := unknown_bookmaker(name, recorded_bookmakers(database)):
        click.echo(_("warning: {warning}").format(warning=translated(warning)), err=True)


def recorded_bookmakers(database: Database) -> list[str]:
    """Return the bookmakers in a database; none if there is no database yet."""
    try:
        with contextlib.closing(open_store(database, read_only=True)) as store:
            return store.reader().recorded_bookmakers()
    except StoreError:
        return []


def _fields(key: Key) -> dict[str, Any]:
    """Return a key in the form that ``--json`` prints."""
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
        translated(bookmaker_in_words(key.plan, key.bookmaker)),
        format_ms(key.created_at),
        _("revoked") if key.is_revoked else _("active"),
        _("read, write") if key.may_write else _("read"),
    )
