"""Accounts: plan, chosen bookmaker and keys."""

from enum import Enum, auto
from typing import TYPE_CHECKING, Final, NamedTuple

from oddsdesk.base.text import near_names
from oddsdesk.base.texts import N_
from oddsdesk.contract.access import Plan
from oddsdesk.contract.identity import fold_name

if TYPE_CHECKING:
    from oddsdesk.store.sqlite.access_file import AccessTables

OWN_ACCOUNT: Final = "desk"
"""The account of the desk's own key, which the desk makes and replaces at each start."""
LONGEST_NAME: Final = 200
"""Characters of the name of an account or a bookmaker, as in the fields of the dashboard."""


class BadAccountError(ValueError):
    """An invalid account or bookmaker name; the message says what was expected."""


class UnknownAccountError(LookupError):
    """There is no account with that name; the message lists similar names."""


class OwnAccountError(Exception):
    """The desk's own account cannot be changed or removed."""


class LastOperatorError(Exception):
    """Without this owner nobody could manage the server in the dashboard."""


class Kept(Enum):
    """Marks a value that is not changed."""

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


def ensure_account(
    tables: "AccessTables", name: str, plan: Plan | None, bookmaker: str | None, now_ms: int
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
    tables: "AccessTables",
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


def remove_account(tables: "AccessTables", name: str, *, keeps_operator: bool = False) -> str:
    """Delete an account with its keys and their counts; return its stored name.

    ``keeps_operator``: refuse to remove the last operator.

    Raises:
        UnknownAccountError, OwnAccountError, LastOperatorError: nothing is changed.
    """
    name, known = changeable(tables, name)
    if keeps_operator:
        require_other_operator(tables, name, known)
    tables.remove_account(known.ident)
    return name


def require_other_operator(tables: "AccessTables", name: str, account: Account) -> None:
    """Refuse to take the role from the last operator.

    Operators that do this to each other at the same time wait for each other.

    Raises:
        LastOperatorError: there is no other.
    """
    if [ident for (ident,) in tables.rows(_LOCK_OPERATORS)] == [account.ident]:
        raise LastOperatorError(
            f"account {name!r} is the only operator; make another owner an operator first"
        )


def changeable(tables: "AccessTables", text: str) -> tuple[str, Account]:
    """Return the stored name of an account, and the account.

    Raises:
        UnknownAccountError, OwnAccountError: it cannot be changed or removed.
    """
    name = fold_name(text)
    known = tables.account(name) if name.isprintable() else None
    if known is None:
        near = near_names(name, [row.name for row in tables.accounts()])
        asked = "; " + N_(f"did you mean {' or '.join(map(repr, near))}?") if near else ""
        raise UnknownAccountError(
            f"there is no account {name!r}{asked or '; see `oddsdesk accounts list`'}"
        )
    if name == OWN_ACCOUNT:
        raise OwnAccountError(
            f"account {name!r} holds the desk's own key, so it cannot be changed;"
            " choose another account"
        )
    return name, known


_LOCK_OPERATORS: Final = """
UPDATE owner SET is_operator = is_operator WHERE is_operator RETURNING account_id
"""
"""Changes nothing but locks the rows in PostgreSQL, as SQLite's writer does."""


def _named(field: str, text: str) -> str:
    folded = fold_name(text)
    if not folded or not folded.isprintable():
        raise BadAccountError(f"{field}: expected a name, got {text!r}")
    if len(folded) > LONGEST_NAME:
        raise BadAccountError(f"{field}: expected a name of at most {LONGEST_NAME} characters")
    return folded
