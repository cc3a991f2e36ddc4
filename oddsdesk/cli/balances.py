"""`oddsdesk ledger accounts`: balances at bookmakers, movements of money and exchange rates."""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar

import click
import msgspec

from oddsdesk.base.clock import system_clock
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, pgettext, translated
from oddsdesk.cli.options import AmountType, RateType, json_option, ledger_option, moment
from oddsdesk.cli.own_records import open_ledger, own_profiles
from oddsdesk.cli.terminal import aligned, plain, print_counts
from oddsdesk.contract.times import format_minute
from oddsdesk.ledger.accounts import (
    BadMoneyError,
    Balance,
    MoneyBook,
    Movement,
    Rate,
    balance_before,
    balances,
    corrected,
    currency_code,
    total_in_main,
)

F = TypeVar("F", bound=Callable[..., Any])

_BALANCES: Final = (
    N_("BOOKMAKER"),
    N_("ACCOUNT"),
    N_("BALANCE"),
    N_("DEPOSITS"),
    N_("PROFIT"),
    N_("AT RISK"),
    N_("OPEN BETS"),
    N_("IN MAIN"),
)
_MOVEMENTS: Final = (
    N_("NUMBER"),
    N_("TIME"),
    N_("KIND"),
    N_("AMOUNT"),
    N_("BOOKMAKER"),
    N_("ACCOUNT"),
    N_("NOTE"),
)
_RATES: Final = (N_("1 UNIT OF"), N_("IS"), N_("SINCE"))
_RIGHT: Final = frozenset(
    {"BALANCE", "DEPOSITS", "PROFIT", "AT RISK", "OPEN BETS", "IN MAIN", "AMOUNT"}
)


@click.group(invoke_without_command=True)
@click.pass_context
@ledger_option()
@json_option
def accounts(context: click.Context, path: Path, as_json: bool) -> None:
    """Show the balance of each account at a bookmaker.

    A balance is deposits less withdrawals, plus the profit of settled bets, less the money at risk
    in open bets. Practice bets do not count. For a total, set your main currency and the rates of
    others: `oddsdesk ledger accounts rate --main EUR`.

    \b
    Example:
      oddsdesk ledger accounts
      oddsdesk ledger accounts deposit 100 --bookmaker Pinnacle --currency EUR
      oddsdesk ledger accounts rate USD 0.92
    """
    if context.invoked_subcommand is not None:
        return
    now_ms = system_clock()
    with open_ledger(path) as held:
        book, bets = held.money.read_book(), held.read_bets()
    found = balances(bets, book, own_profiles(), now_ms)
    total, missing = total_in_main(found) if book.main else (None, [])
    if as_json:
        told = {
            "main_currency": book.main or None,
            "total": total,
            "without_rate": missing,
            "accounts": [each.fields for each in found],
        }
        click.echo(json.dumps(told, indent=2))
        return
    click.echo(_table(found, book, total))
    if missing:
        click.echo(_missing_text(missing, book), err=True)


def _table(found: list[Balance], book: MoneyBook, total: float | None) -> str:
    if not found:
        return _("no bets, deposits or withdrawals yet")
    rows = [
        (
            plain(each.bookmaker),
            plain(each.account),
            plain(f"{num(each.balance):.2f} {each.currency}".rstrip()),
            f"{num(each.moved):+.2f}",
            f"{num(each.profit):+.2f}",
            f"{num(each.at_risk):.2f}",
            str(each.open_bets),
            "" if each.in_main is None else f"{num(each.in_main):.2f}",
        )
        for each in found
    ]
    lines = aligned(_BALANCES, rows, _RIGHT)
    return "\n".join([*lines, *([] if total is None else [_total_text(total, book)])])


def _total_text(total: float, book: MoneyBook) -> str:
    return _("total {amount:.2f} {currency}").format(amount=num(total), currency=book.main)


def _missing_text(missing: list[str], book: MoneyBook) -> str:
    names = ", ".join(missing)
    text = _(
        "no total: no exchange rate for {names}; give one: "
        "`oddsdesk ledger accounts rate {currency} RATE`, in {main} for 1 {currency}"
    )
    return text.format(names=names, currency=missing[0], main=book.main)


def _movement_options(command: F) -> F:
    for option in (
        click.option("--note", default="", metavar="TEXT", help=_("A note.")),
        click.option(
            "--at",
            callback=moment,
            metavar="TIME",
            help=_("A date, or a time with an offset. Default: now."),
        ),
        click.option("--account", default="", metavar="NAME", help=_("Your name for the account.")),
        click.option("--currency", metavar="CODE", help=_("Default: your main currency.")),
        click.option("--bookmaker", required=True, metavar="NAME", help=_("The bookmaker.")),
        ledger_option(is_made=True),
    ):
        command = option(command)
    return command


_AMOUNT: Final = AmountType(0, above=True, what=_("amount"))


@accounts.command()
@click.argument("amount", type=_AMOUNT)
@_movement_options
@json_option
def deposit(amount: float, as_json: bool, **options: Any) -> None:
    """Record money that you paid in.

    \b
    Example:
      oddsdesk ledger accounts deposit 250 --bookmaker Betfair --currency GBP --at 2026-11-02
    """
    _move("deposit", amount, as_json=as_json, **options)


@accounts.command()
@click.argument("amount", type=_AMOUNT)
@_movement_options
@json_option
def withdraw(amount: float, as_json: bool, **options: Any) -> None:
    """Record money that you took out.

    \b
    Example:
      oddsdesk ledger accounts withdraw 80 --bookmaker Betfair --currency GBP
    """
    _move("withdrawal", -amount, as_json=as_json, **options)


@accounts.command()
@click.argument("balance", type=AmountType(0, what=_("balance")))
@_movement_options
@json_option
def correct(balance: float, as_json: bool, **options: Any) -> None:
    """Record the difference to the BALANCE that the bookmaker shows.

    Use it for bonuses, fees, and bets from before you kept this ledger.

    \b
    Example:
      oddsdesk ledger accounts correct 512.30 --bookmaker Pinnacle
    """
    _move("correction", balance, as_json=as_json, is_balance=True, **options)


def _move(
    kind: str,
    amount: float,
    *,
    as_json: bool,
    path: Path,
    bookmaker: str,
    currency: str | None,
    account: str,
    at: int | None,
    note: str,
    is_balance: bool = False,
) -> None:
    now_ms, profiles = system_clock(), own_profiles()
    with _with_plain_errors(), open_ledger(path, is_made=True) as held:
        book = held.money.read_book()
        code = book.main if currency is None else currency_code(currency)
        name = profiles.profile_of(bookmaker).name
        made = Movement(at or now_ms, kind, amount, code, name, account.strip(), note)
        if is_balance:
            before = balance_before(made, held.read_bets(), book, profiles, now_ms)
            made = corrected(made, before)
        made = held.money.add_movement(made)
        book = held.money.read_book()
        after = balance_before(made, held.read_bets(), book, profiles, now_ms)
    told = {"number": made.ident, kind: f"{num(made.amount):+.2f}", "balance": f"{num(after):.2f}"}
    print_counts(told, as_json=as_json)


@accounts.command()
@ledger_option()
@json_option
def movements(path: Path, as_json: bool) -> None:
    """List deposits, withdrawals and corrections.

    \b
    Example:
      oddsdesk ledger accounts movements
    """
    with open_ledger(path) as held:
        found = held.money.read_book().movements
    if as_json:
        click.echo(json.dumps([msgspec.structs.asdict(each) for each in found], indent=2))
        return
    rows = [
        (
            str(each.ident),
            format_minute(each.at),
            translated(each.kind),
            plain(f"{num(each.amount):+.2f} {each.currency}".rstrip()),
            plain(each.bookmaker),
            plain(each.account),
            plain(each.note),
        )
        for each in found
    ]
    click.echo(
        "\n".join(aligned(_MOVEMENTS, rows, _RIGHT))
        if rows
        else _("no deposits, withdrawals or corrections yet")
    )


@accounts.command()
@ledger_option()
@click.argument("number", type=int)
def remove(path: Path, number: int) -> None:
    """Remove a deposit, withdrawal or correction by its NUMBER.

    \b
    Example:
      oddsdesk ledger accounts remove 3
    """
    with open_ledger(path) as held:
        if not held.money.remove_movement(number):
            text = _("no number {number} in `ledger accounts movements`")
            raise click.ClickException(text.format(number=number))
    click.echo(_("removed {number}").format(number=number))


@accounts.command()
@ledger_option(is_made=True)
@click.argument("currency", required=False)
@click.argument("rate", type=RateType(), required=False)
@click.option("--main", metavar="CODE", help=_("Set your main currency: that of your bankroll."))
@click.option(
    "--since",
    callback=moment,
    metavar="TIME",
    help=_("The rate applies from then on: a date, or a time with an offset. Default: now."),
)
@json_option
def rate(
    path: Path,
    currency: str | None,
    rate: float | None,
    main: str | None,
    since: int | None,
    as_json: bool,
) -> None:
    """Set or list exchange rates: what 1 unit of CURRENCY is worth in your main currency.

    Available amounts, caps, balances and the total of reports use them. A settled bet is converted
    at the last rate before its settlement.

    \b
    Example:
      oddsdesk ledger accounts rate --main EUR
      oddsdesk ledger accounts rate USD 0.92
      oddsdesk ledger accounts rate
    """
    if (currency is None) != (rate is None):
        raise click.UsageError(_("give a currency and its rate, such as USD 0.92"))
    with _with_plain_errors(), open_ledger(path, is_made=True) as held:
        if main is not None:
            held.money.choose_main(main)
        book = held.money.read_book()
        if currency is not None and rate is not None:
            if not book.main:
                raise click.UsageError(_("name your main currency first: --main EUR"))
            at_ms = system_clock() if since is None else since
            held.money.set_rate(Rate(currency, book.main, at_ms, rate))
        book = held.money.read_book()
    if as_json:
        rates = [msgspec.structs.asdict(each) for each in book.rates]
        click.echo(json.dumps({"main_currency": book.main or None, "rates": rates}, indent=2))
        return
    main_currency = book.main or pgettext("a currency", "none")
    click.echo(_("main currency: {currency}").format(currency=main_currency))
    rows = [
        (each.currency, f"{num(each.rate):g} {each.main}", format_minute(each.since))
        for each in book.rates
    ]
    if rows:
        click.echo("\n".join(aligned(_RATES, rows)))


@contextlib.contextmanager
def _with_plain_errors() -> Iterator[None]:
    try:
        yield
    except BadMoneyError as error:
        raise click.UsageError(translated(str(error))) from error
