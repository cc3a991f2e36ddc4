"""`oddsdesk accounts`: lists and removes accounts, changes their plan and bookmaker (D109)."""

import sys
import time
from pathlib import Path
from typing import Any

import click

from oddsdesk.cli.keys import (
    open_keys,
    recorded_bookmakers,
    warn_of_missing_bookmaker,
    warn_of_unknown_bookmaker,
)
from oddsdesk.cli.options import access_option, database_option
from oddsdesk.cli.tables import print_list
from oddsdesk.clock import system_clock
from oddsdesk.contract.administration import AccountState, bookmaker_in_words, plan_in_words
from oddsdesk.contract.plans import Plan
from oddsdesk.contract.times import format_ms
from oddsdesk.store.bookmaker_names import usual_spelling
from oddsdesk.store.databases import Database
from oddsdesk.store.keys import KNOWN_S

_HEADINGS = (
    "ACCOUNT",
    "PLAN",
    "BOOKMAKER",
    "KEYS",
    "REVOKED",
    "CREATED",
    "REQUESTS LEFT",
    "STREAMS LEFT",
    "TOKENS LEFT",
)


@click.group()
def accounts() -> None:
    """List and remove accounts, change their plan and bookmaker.

    Plan and bookmaker hold for every key of an account. A running server on the same database
    knows as soon as a command has ended. `oddsdesk keys create --account NAME` makes an account.

    \b
    Example:
      oddsdesk accounts list
      oddsdesk accounts plan anna Pro
    """


@accounts.command(name="list")
@database_option
@access_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array, an account an object.")
def list_(database: Database, access: Path | None, as_json: bool) -> None:
    """Show every account, with its keys and what is left of its quotas.

    What is left is the sum over the account's active keys: of requests in the present day (Free)
    or hour, of streams and stream tokens today.

    \b
    Example:
      oddsdesk accounts list
      oddsdesk accounts list --json
    """
    with open_keys(database, access) as opened:
        found = opened.keys.accounts(system_clock())
    print_list(found, _fields, _HEADINGS, _row, as_json=as_json)


@accounts.command()
@database_option
@access_option
@click.argument("name", metavar="NAME")
@click.argument(
    "plan",
    metavar="PLAN",
    type=click.Choice([plan.value for plan in Plan], case_sensitive=False),
)
def plan(database: Database, access: Path | None, name: str, plan: str) -> None:
    """Change the plan of an account: Free, Pro, "Pro+ RT" or "Pro+ Live".

    Its keys stay, and so do its counts: what was used of a day on Free counts again once the
    account is back on Free. Open streams end, and open again with the new rights.

    \b
    Example:
      oddsdesk accounts plan anna "Pro+ Live"
    """
    with open_keys(database, access) as opened:
        before, after = opened.keys.change_account(name, system_clock(), plan=Plan(plan))
    _tell_change(before, after)
    warn_of_missing_bookmaker(after.name, after.plan, after.bookmaker)


@accounts.command()
@database_option
@access_option
@click.argument("name", metavar="NAME")
@click.argument("bookmaker", metavar="BOOKMAKER", required=False)
@click.option("--none", "is_cleared", is_flag=True, help="Choose none: Free sees no odds then.")
def bookmaker(
    database: Database, access: Path | None, name: str, bookmaker: str | None, is_cleared: bool
) -> None:
    """Choose the one bookmaker that an account sees on Free.

    \b
    Example:
      oddsdesk accounts bookmaker anna "Betfair Exchange UK"
      oddsdesk accounts bookmaker anna --none
    """
    if (bookmaker is None) is not is_cleared:
        raise click.UsageError("give the name of one bookmaker, or --none to choose none")
    if bookmaker is not None:
        bookmaker = usual_spelling(bookmaker, recorded_bookmakers(database))
    with open_keys(database, access) as opened:
        before, after = opened.keys.change_account(name, system_clock(), bookmaker=bookmaker)
    _tell_change(before, after)
    if after.plan.rights.all_bookmakers:
        click.echo(
            f"note: account {after.name!r} is on {after.plan.value}, which sees all bookmakers;"
            " the choice counts only on Free",
            err=True,
        )
    warn_of_missing_bookmaker(after.name, after.plan, after.bookmaker)
    if after.bookmaker is not None:
        warn_of_unknown_bookmaker(database, after.bookmaker)


@accounts.command()
@database_option
@access_option
@click.argument("name", metavar="NAME")
@click.option("--yes", is_flag=True, help="Remove it without a question, as a script wants it.")
def remove(database: Database, access: Path | None, name: str, yes: bool) -> None:
    """Remove an account: its keys end at once, and its streams with them.

    The account, its keys and its counts are deleted and do not come back.

    \b
    Example:
      oddsdesk accounts remove anna
      oddsdesk accounts remove anna --yes
    """
    with open_keys(database, access) as opened:
        if not yes:
            _ask(opened.keys.account(name, system_clock()))
        removed = opened.keys.remove_account(name, system_clock())
    time.sleep(KNOWN_S)
    click.echo(f"removed account {removed.name!r} with {_keys_in_words(removed)}")


def _ask(account: AccountState) -> None:
    """Ask at a terminal whether an account is to go; end the command unless it is."""
    if not _is_asked_at_a_terminal():
        raise click.ClickException(
            "nothing was removed: there is no terminal to ask at; --yes removes the account without"
            " a question"
        )
    plan = plan_in_words(account.plan, account.bookmaker)
    text = f"Remove account {account.name!r} ({plan}) with {_keys_in_words(account)}?"
    click.confirm(text, abort=True)


def _is_asked_at_a_terminal() -> bool:
    return sys.stdin.isatty()


def _tell_change(before: AccountState, after: AccountState) -> None:
    time.sleep(KNOWN_S)  # servers know then: no later request is answered by the old rights
    if (before.plan, before.bookmaker) == (after.plan, after.bookmaker):
        click.echo(f"account {after.name!r} is on {_rights(after)} already; nothing was changed")
        return
    click.echo(
        f"account {after.name!r} was on {_rights(before)} and is on {_rights(after)} now, with"
        f" {_keys_in_words(after)}"
    )


def _rights(account: AccountState) -> str:
    """Return the plan with the chosen bookmaker, also where the plan sees all."""
    if account.bookmaker is None:
        return account.plan.value
    when = "on Free: " if account.plan.rights.all_bookmakers else ""
    return f"{account.plan.value} ({when}{account.bookmaker})"


def _keys_in_words(account: AccountState) -> str:
    if not account.key_ids:
        return "no active key"
    count = len(account.key_ids)
    ids = ", ".join(map(str, account.key_ids))
    return f"{count} active key{'s' if count > 1 else ''} (id {ids})"


def _fields(account: AccountState) -> dict[str, Any]:
    """Return an account as ``--json`` prints it."""
    return {
        "account": account.name,
        "plan": account.plan.value,
        "bookmaker": account.bookmaker,
        "active_keys": list(account.key_ids),
        "revoked_keys": account.revoked_keys,
        "created_at": format_ms(account.created_at),
        "requests_left": account.requests_left,
        "streams_left": account.streams_left,
        "tokens_left": account.tokens_left,
    }


def _row(account: AccountState) -> tuple[str, ...]:
    window = "today" if account.plan is Plan.FREE else "this hour"
    return (
        account.name,
        account.plan.value,
        bookmaker_in_words(account.plan, account.bookmaker),
        str(len(account.key_ids)),
        str(account.revoked_keys),
        format_ms(account.created_at),
        f"{account.requests_left:,} {window}",
        _left(account, account.streams_left),
        _left(account, account.tokens_left),
    )


def _left(account: AccountState, left: int | None) -> str:
    if not account.plan.rights.websocket:
        return "no stream"
    return "no limit" if left is None else f"{left:,} today"
