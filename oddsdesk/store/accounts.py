"""Accounts: plan, chosen bookmaker and keys (D43, D109)."""

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final, NamedTuple, Protocol

from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.plans import Plan
from oddsdesk.near_names import near_names

OWN_ACCOUNT: Final = "desk"
"""The account of the desk's own key, which the desk makes and replaces at each start."""


class BadAccountError(ValueError):
    """An account's or bookmaker's name that is not valid; the message says what was expected."""


class UnknownAccountError(LookupError):
    """There is no account of that name; the message names those that are nearly called so."""


class OwnAccountError(Exception):
    """The desk's own account cannot be changed or removed."""


class Kept(Enum):
    """Stands for a value that stays as it is."""

    KEPT = auto()


class Account(NamedTuple):
    """An account by its id."""

    ident: int
    plan: Plan
    bookmaker: str | None


class AccountRow(NamedTuple):
    """An account as it is stored; ``created_at`` in milliseconds."""

    ident: int
    name: str
    plan: Plan
    bookmaker: str | None
    created_at: int


class AccountTables(Protocol):
    """What accounts need of an engine, inside a transaction."""

    def account(self, name: str) -> Account | None:
        """Return the account of a name."""
        ...

    def put_account(self, name: str, plan: Plan, bookmaker: str | None, now_ms: int) -> int:
        """Make an account, or change the one of that name; return its id."""
        ...

    def accounts(self) -> Sequence[AccountRow]:
        """Return all accounts, oldest first."""
        ...

    def remove_account(self, account: int) -> None:
        """Delete an account, its keys, and the counts of every key that is gone."""
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


def change_account(
    tables: AccountTables,
    name: str,
    now_ms: int,
    *,
    plan: Plan | Kept = Kept.KEPT,
    bookmaker: str | Kept | None = Kept.KEPT,
) -> str:
    """Change the plan or the bookmaker of an account, whose keys stay; return its stored name.

    A bookmaker of None clears the choice.

    Raises:
        UnknownAccountError, OwnAccountError, BadAccountError: nothing is changed.
    """
    name, known = changeable(tables, name)
    if isinstance(bookmaker, str):
        bookmaker = _named("bookmaker", bookmaker)
    tables.put_account(
        name,
        known.plan if isinstance(plan, Kept) else plan,
        known.bookmaker if isinstance(bookmaker, Kept) else bookmaker,
        now_ms,
    )
    return name


def remove_account(tables: AccountTables, name: str) -> str:
    """Delete an account with its keys and their counts; return the name that it had.

    Raises:
        UnknownAccountError, OwnAccountError: nothing is changed.
    """
    name, known = changeable(tables, name)
    tables.remove_account(known.ident)
    return name


def changeable(tables: AccountTables, text: str) -> tuple[str, Account]:
    """Return the stored name of an account, and the account.

    Raises:
        UnknownAccountError, OwnAccountError: it cannot be changed or removed.
    """
    name = fold_name(text)
    known = tables.account(name)
    if known is None:
        near = near_names(name, [row.name for row in tables.accounts()])
        asked = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise UnknownAccountError(
            f"there is no account {name!r}{asked or '; see `oddsdesk accounts list`'}"
        )
    if name == OWN_ACCOUNT:
        raise OwnAccountError(
            f"account {name!r} holds the desk's own key, so its plan is fixed and it stays;"
            " give another account"
        )
    return name, known


def _named(field: str, text: str) -> str:
    folded = fold_name(text)
    if not folded or not folded.isprintable():
        raise BadAccountError(f"{field}: expected a name, got {text!r}")
    return folded
