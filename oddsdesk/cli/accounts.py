"""`oddsdesk accounts`: lists and removes accounts, changes their rights, invites owners."""

import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from oddsdesk.base.clock import system_clock
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, ngettext, pgettext, translated
from oddsdesk.cli.keys import (
    open_keys,
    recorded_bookmakers,
    warn_of_missing_bookmaker,
    warn_of_unknown_bookmaker,
)
from oddsdesk.cli.options import access_option, database_option, made_database_option, read_base_url
from oddsdesk.cli.terminal import print_list
from oddsdesk.contract.access import Plan
from oddsdesk.contract.administration import AccountState, bookmaker_in_words, plan_in_words
from oddsdesk.contract.times import format_ms
from oddsdesk.server.dashboard import invitation_link
from oddsdesk.server.settings import DEFAULT_PORT, is_loopback
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.keys import KNOWN_S
from oddsdesk.store.lock import DatabaseInUseError, owner_of
from oddsdesk.store.names import usual_spelling
from oddsdesk.store.owners import NewInvite, SignInState

_HEADINGS = (
    N_("ACCOUNT"),
    N_("PLAN"),
    N_("BOOKMAKER"),
    N_("SIGN-IN"),
    N_("KEYS"),
    N_("REVOKED"),
    N_("CREATED"),
    N_("REQUESTS LEFT"),
    N_("STREAMS LEFT"),
    N_("TOKENS LEFT"),
)


@click.group()
def accounts() -> None:
    """List and remove accounts, change their rights, invite their owners.

    The plan and the bookmaker apply to every key of an account. A running server on the same
    database has the change by the time the command ends. To add an account, use
    `oddsdesk keys create --account NAME`, or invite its owner.

    \b
    Example:
      oddsdesk accounts list
      oddsdesk accounts plan anna Pro
      oddsdesk accounts invite anna
    """


@accounts.command(name="list")
@database_option
@access_option
@click.option("--json", "as_json", is_flag=True, help=_("Print a JSON array of accounts."))
def list_(database: Database, access: Path | None, as_json: bool) -> None:
    """List every account with its keys and remaining quotas, and who can sign in.

    The remaining quotas are summed over the account's active keys: requests today (Free) or this
    hour (other plans), streams and stream tokens today.

    \b
    Example:
      oddsdesk accounts list
      oddsdesk accounts list --json
    """
    with open_keys(database, access) as opened:
        now_ms = system_clock()
        states = opened.owners.states(now_ms)
        found = [(each, states[each.name]) for each in opened.keys.accounts(now_ms)]
    print_list(found, _fields, _HEADINGS, _row, as_json=as_json)


@accounts.command()
@database_option
@access_option
@click.argument("name", metavar="NAME")
@click.argument(
    "plan", metavar="PLAN", type=click.Choice([plan.value for plan in Plan], case_sensitive=False)
)
def plan(database: Database, access: Path | None, name: str, plan: str) -> None:
    """Change the plan of an account.

    The plans are Free, Pro, "Pro+ RT" and "Pro+ Live".

    Keys and counts stay: requests used on Free today still count if the account returns to Free.
    Open streams are closed; clients reconnect with the new rights.

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
@click.option(
    "--none", "is_cleared", is_flag=True, help=_("Clear the choice; Free then shows no odds.")
)
def bookmaker(
    database: Database, access: Path | None, name: str, bookmaker: str | None, is_cleared: bool
) -> None:
    """Choose the one bookmaker that an account sees on the Free plan.

    \b
    Example:
      oddsdesk accounts bookmaker anna "Betfair Exchange UK"
      oddsdesk accounts bookmaker anna --none
    """
    if (bookmaker is None) is not is_cleared:
        raise click.UsageError(_("give one BOOKMAKER, or --none to clear the choice"))
    if bookmaker is not None:
        bookmaker = usual_spelling(bookmaker, recorded_bookmakers(database))
    with open_keys(database, access) as opened:
        before, after = opened.keys.change_account(name, system_clock(), bookmaker=bookmaker)
    _tell_change(before, after)
    if after.plan.rights.all_bookmakers:
        click.echo(
            _(
                "note: account {name!r} is on {plan}, which shows all bookmakers; this "
                "choice only matters on Free"
            ).format(name=after.name, plan=after.plan.value),
            err=True,
        )
    warn_of_missing_bookmaker(after.name, after.plan, after.bookmaker)
    if after.bookmaker is not None:
        warn_of_unknown_bookmaker(database, after.bookmaker)


@accounts.command()
@made_database_option
@access_option
@click.argument("name", metavar="NAME")
@click.option(
    "--operator/--no-operator",
    default=None,
    help=_(
        "Let the owner manage the server and all accounts once the invitation is "
        "used; or end that right now. Default: unchanged."
    ),
)
@click.option(
    "--base-url",
    envvar="ODDSDESK_BASE_URL",
    callback=read_base_url,
    metavar="URL",
    help=_(
        "Public address of the server, such as https://odds.example.org. Default: "
        "that of the server that runs on this database, if it is known."
    ),
)
@click.option(
    "--plan",
    type=click.Choice([plan.value for plan in Plan], case_sensitive=False),
    help=_("New plan of the account. Default: unchanged; Free for a new account."),
)
def invite(
    database: Database,
    access: Path | None,
    name: str,
    operator: bool | None,
    base_url: str | None,
    plan: str | None,
) -> None:
    """Invite the owner of an account to the dashboard: print a link to set a password.

    Keep the link secret: anyone who has it can set the password and sign in. It works once, for 7
    days; a new one replaces it. Using it ends all sessions of the account, so it is also the way
    to replace a lost password. An account that does not exist is created.

    \b
    Example:
      oddsdesk accounts invite anna --base-url https://odds.example.org
      oddsdesk accounts invite me --operator
    """
    with open_keys(database, access, may_make=True) as opened:
        chosen = None if plan is None else Plan(plan)
        made = opened.owners.invite(name, system_clock(), operator=operator, plan=chosen)
        place = base_url or _running_at(database)
        try:
            click.echo(invitation_link(place, made.token))
        except OSError:  # nobody saw the link, and nobody can
            opened.owners.withdraw_invite(made.account)
            raise
    if plan is not None:
        time.sleep(KNOWN_S)
    _tell_invite(made, place, is_given=base_url is not None)


def _running_at(database: Database) -> str:
    """Return the address for links to the server on a database file, empty if none is known."""
    if isinstance(database, DatabaseUrl):
        return ""
    try:
        owner = owner_of(database)
    except DatabaseInUseError:
        return ""
    return "" if owner is None else owner.link_url


def _is_readable_on_the_way(place: str) -> bool:
    """Return whether an address leads to another machine without encryption."""
    parts = urlsplit(place)
    return parts.scheme == "http" and not is_loopback(parts.hostname or "")


def _tell_invite(invite: NewInvite, place: str, *, is_given: bool) -> None:
    lines = []
    if not place:
        text = _(
            "The server's public address is not known, so this is only the path. Put the address "
            "before it, or give it with --base-url, here or to `oddsdesk serve`."
        )
        lines.append(text)
    elif not is_given and is_loopback(urlsplit(place).hostname or ""):
        text = _(
            "This link opens on this machine only. For others, give the server's public address "
            "with --base-url."
        )
        lines.append(text)
    elif _is_readable_on_the_way(place):
        text = _(
            "This link begins with http://, so others in the network can read it when it is "
            "opened, and the dashboard does not open there. Run `oddsdesk serve` with --tls-cert "
            "and --tls-key or behind a proxy with TLS; or without --host, and open a tunnel: "
            "ssh -L {port}:127.0.0.1:{port} HOST (docs/dashboard.md)."
        )
        lines.append(text.format(port=urlsplit(place).port or DEFAULT_PORT))
    lines += [
        _(
            "Keep this link secret: anyone who has it can set the password of account {account!r}."
        ).format(account=invite.account),
        _("It works once, until {time}.").format(time=format_ms(invite.ends_at)),
    ]
    if invite.is_new:
        lines.append(
            _("There was no account {account!r}, so it was created.").format(account=invite.account)
        )
    if invite.makes_operator:
        lines.append(_("It makes the owner an operator, who manages the server and all accounts."))
    if invite.is_reset:
        lines.append(_("Until it is used, the current password still works."))
    click.echo("\n".join(lines), err=True)


@accounts.command(name="sign-out")
@database_option
@access_option
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--all", "is_all", is_flag=True, help=_("Sign out the owners of all accounts."))
def sign_out(database: Database, access: Path | None, name: str | None, is_all: bool) -> None:
    """End all dashboard sessions of an account, and its open invitation.

    The password stays. To replace it as well, use `oddsdesk accounts invite`.

    \b
    Example:
      oddsdesk accounts sign-out anna
    """
    if (name is None) is not is_all:
        raise click.UsageError(_("give one NAME, or --all"))
    with open_keys(database, access) as opened:
        ended = opened.owners.sign_out_all() if name is None else opened.owners.sign_out(name)
    if name is None:
        text = ngettext(
            "ended {count} session and any open invitation of all accounts",
            "ended {count} sessions and any open invitation of all accounts",
            ended,
        )
    else:
        text = ngettext(
            "ended {count} session and any open invitation of account {name!r}",
            "ended {count} sessions and any open invitation of account {name!r}",
            ended,
        )
    click.echo(text.format(count=ended, name=name))


@accounts.command()
@database_option
@access_option
@click.argument("name", metavar="NAME")
@click.option("--yes", is_flag=True, help=_("Do not ask for confirmation (for scripts)."))
def remove(database: Database, access: Path | None, name: str, yes: bool) -> None:
    """Remove an account: its keys, streams and sessions end immediately.

    The account, its keys and its usage counts are deleted permanently.

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
    text = _("removed account {name!r} with {keys}")
    click.echo(text.format(name=removed.name, keys=_keys_in_words(removed)))


def _ask(account: AccountState) -> None:
    """Ask for confirmation in the terminal; exit if the answer is no."""
    if not _is_asked_at_a_terminal():
        raise click.ClickException(
            _(
                "nothing was removed: no terminal to confirm in; use --yes to remove it "
                "without a question"
            )
        )
    plan = translated(plan_in_words(account.plan, account.bookmaker))
    text = _("Remove account {name!r} ({plan}) with {keys}?")
    filled = text.format(name=account.name, plan=plan, keys=_keys_in_words(account))
    click.confirm(filled, abort=True)


def _is_asked_at_a_terminal() -> bool:
    return sys.stdin.isatty()


def _tell_change(before: AccountState, after: AccountState) -> None:
    time.sleep(KNOWN_S)  # by then every server answers with the new rights
    if (before.plan, before.bookmaker) == (after.plan, after.bookmaker):
        text = _("account {name!r} is already on {plan}; nothing changed")
        click.echo(text.format(name=after.name, plan=_rights(after)))
        return
    text = _("account {name!r} was on {before} and is on {after} now, with {keys}")
    keys = _keys_in_words(after)
    click.echo(
        text.format(name=after.name, before=_rights(before), after=_rights(after), keys=keys)
    )


def _rights(account: AccountState) -> str:
    """Return the plan and the chosen bookmaker, even if the plan shows all bookmakers."""
    if account.bookmaker is None:
        return account.plan.value
    text = _("{plan} (on Free: {bookmaker})")
    if not account.plan.rights.all_bookmakers:
        text = "{plan} ({bookmaker})"
    return text.format(plan=account.plan.value, bookmaker=account.bookmaker)


def _keys_in_words(account: AccountState) -> str:
    if not account.key_ids:
        return _("no active key")
    count = len(account.key_ids)
    ids = ", ".join(map(str, account.key_ids))
    text = ngettext("{count} active key (id {ids})", "{count} active keys (id {ids})", count)
    return text.format(count=count, ids=ids)


def _fields(listed: tuple[AccountState, SignInState]) -> dict[str, Any]:
    """Return an account as ``--json`` prints it."""
    account, owner = listed
    until = owner.invited_until
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
        "can_sign_in": owner.has_password,
        "is_operator": owner.is_operator,
        "invited_until": None if until is None else format_ms(until),
        "sessions": owner.sessions,
    }


def _row(listed: tuple[AccountState, SignInState]) -> tuple[str, ...]:
    account, owner = listed
    text = _("{count:,} today") if account.plan is Plan.FREE else _("{count:,} this hour")
    return (
        account.name,
        account.plan.value,
        translated(bookmaker_in_words(account.plan, account.bookmaker)),
        _sign_in(owner),
        str(len(account.key_ids)),
        str(account.revoked_keys),
        format_ms(account.created_at),
        text.format(count=num(account.requests_left)),
        _left(account, account.streams_left),
        _left(account, account.tokens_left),
    )


def _sign_in(owner: SignInState) -> str:
    states = []
    if owner.has_password:
        states.append(_("operator") if owner.is_operator else pgettext("can sign in", "yes"))
    if owner.invited_until is not None:
        states.append(_("invited as operator") if owner.makes_operator else _("invited"))
    return ", ".join(states) or pgettext("can sign in", "no")


def _left(account: AccountState, left: int | None) -> str:
    if not account.plan.rights.websocket:
        return _("no streams")
    return _("no limit") if left is None else _("{count:,} today").format(count=num(left))
