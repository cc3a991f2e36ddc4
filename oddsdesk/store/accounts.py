"""Accounts: who holds keys, on which plan, and the bookmaker that Free has chosen (D43)."""

import sqlite3

from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.plans import Plan


class BadAccountError(ValueError):
    """An account's or bookmaker's name that is not valid; the message says what was expected."""


def ensure_account(
    connection: sqlite3.Connection,
    name: str,
    plan: Plan | None,
    bookmaker: str | None,
    now_ms: int,
) -> int:
    """Return the id of an account; a new name makes one (on Free unless a plan is given).

    A plan or bookmaker that is given replaces the account's; None leaves it.
    """
    rows = connection.execute(
        """
        INSERT INTO account (name, plan, bookmaker, created_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (name) DO UPDATE SET
            plan = coalesce(?, plan), bookmaker = coalesce(excluded.bookmaker, bookmaker)
        RETURNING id
        """,
        (
            _named("account", name),
            (plan or Plan.FREE).value,
            None if bookmaker is None else _named("bookmaker", bookmaker),
            now_ms,
            None if plan is None else plan.value,
        ),
    ).fetchall()
    return int(rows[0][0])


def _named(field: str, text: str) -> str:
    folded = fold_name(text)
    if not folded or not folded.isprintable():
        raise BadAccountError(f"{field}: expected a name, got {text!r}")
    return folded
