"""Accounts: who holds keys, on which plan, and the bookmaker that Free has chosen (D43)."""

from typing import NamedTuple, Protocol

from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.plans import Plan


class BadAccountError(ValueError):
    """An account's or bookmaker's name that is not valid; the message says what was expected."""


class Account(NamedTuple):
    """An account by its id."""

    ident: int
    plan: Plan
    bookmaker: str | None


class AccountTables(Protocol):
    """What accounts need of an engine, inside a transaction."""

    def account(self, name: str) -> Account | None:
        """Return the account of a name."""
        ...

    def put_account(self, name: str, plan: Plan, bookmaker: str | None, now_ms: int) -> int:
        """Make an account, or change the one of that name; return its id."""
        ...


def ensure_account(
    tables: AccountTables,
    name: str,
    plan: Plan | None,
    bookmaker: str | None,
    now_ms: int,
) -> int:
    """Return the id of an account; a new name makes one (on Free unless a plan is given).

    A plan or bookmaker that is given replaces the account's; None leaves it.
    """
    name = _named("account", name)
    bookmaker = None if bookmaker is None else _named("bookmaker", bookmaker)
    known = tables.account(name)
    if known is not None:
        plan, bookmaker = plan or known.plan, bookmaker or known.bookmaker
    return tables.put_account(name, plan or Plan.FREE, bookmaker, now_ms)


def _named(field: str, text: str) -> str:
    folded = fold_name(text)
    if not folded or not folded.isprintable():
        raise BadAccountError(f"{field}: expected a name, got {text!r}")
    return folded
