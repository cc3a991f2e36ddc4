"""The user's accounts at bookmakers: money moved, exchange rates, and balances."""

import math
import re
import sqlite3
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Protocol, TypeVar

import msgspec

from oddsdesk.base.figures import TOO_MUCH
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _
from oddsdesk.ledger.bets import PlacedBet, counted
from oddsdesk.pricing.currencies import Rates
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.selections import Result

T = TypeVar("T")

ACCOUNT_TABLES: Final = (
    """CREATE TABLE movement (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
        kind TEXT NOT NULL,
        amount REAL NOT NULL,
        currency TEXT NOT NULL,
        bookmaker TEXT NOT NULL,
        account TEXT NOT NULL,
        note TEXT NOT NULL
    ) STRICT""",
    # What a unit of a currency was worth in a main currency since a time.
    """CREATE TABLE exchange_rate (
        currency TEXT NOT NULL,
        main TEXT NOT NULL,
        since INTEGER NOT NULL,
        rate REAL NOT NULL CHECK (rate > 0),
        PRIMARY KEY (currency, main, since)
    ) STRICT""",
    "CREATE TABLE main_currency (id INTEGER PRIMARY KEY CHECK (id = 1), code TEXT NOT NULL) STRICT",
)
_CURRENCY: Final = re.compile(r"[A-Z][A-Z0-9]{2,7}", re.ASCII)
KINDS: Final = ("deposit", "withdrawal", "correction")
_MOVEMENTS: Final = (
    "SELECT at, kind, amount, currency, bookmaker, account, note, id FROM movement ORDER BY at, id"
)
_ADD_MOVEMENT: Final = (
    "INSERT INTO movement (at, kind, amount, currency, bookmaker, account, note) "
    "VALUES (:at, :kind, :amount, :currency, :bookmaker, :account, :note)"
)
_PUT_RATE: Final = "INSERT OR REPLACE INTO exchange_rate VALUES (?, ?, ?, ?)"
_RATES: Final = (
    "SELECT currency, main, since, rate FROM exchange_rate ORDER BY currency, main, since"
)
_PUT_MAIN: Final = "INSERT OR REPLACE INTO main_currency VALUES (1, ?)"


class BadMoneyError(ValueError):
    """An impossible movement, rate or currency; one line that says what was expected."""


class Movement(msgspec.Struct, frozen=True):
    """Money that came into an account, or left it, other than by a bet."""

    at: int
    """In milliseconds."""
    kind: str
    """One of ``KINDS``."""
    amount: float
    """Negative if it left."""
    currency: str
    """Empty for the user's own."""
    bookmaker: str
    account: str = ""
    note: str = ""
    ident: int | None = None


class Rate(msgspec.Struct, frozen=True):
    """What a unit of a currency was worth in a main currency, from a time on."""

    currency: str
    main: str
    since: int
    rate: float


class MoneyBook(msgspec.Struct, frozen=True):
    """All movements and rates, and the main currency; empty if the user named none."""

    main: str = ""
    movements: Sequence[Movement] = ()
    rates: Sequence[Rate] = ()

    def rates_at(self, at_ms: int) -> Rates:
        """Return the rates of a time: the last before it, else the first after it."""
        known = defaultdict[str, list[Rate]](list)
        for each in self.rates:
            if each.main == self.main:
                known[each.currency].append(each)
        return Rates(self.main, {name: _rate_at(rates, at_ms) for name, rates in known.items()})


def _rate_at(rates: Sequence[Rate], at_ms: int) -> float:
    return rates[max(0, bisect_right(rates, at_ms, key=lambda each: each.since) - 1)].rate


def currency_code(text: str) -> str:
    """Return a currency's code, in capital letters.

    Raises:
        BadMoneyError: it is not one.
    """
    code = text.strip().upper()
    if not _CURRENCY.fullmatch(code):
        raise BadMoneyError(_("currency {text!r}: expected a code such as EUR").format(text=text))
    return code


def check_movement(movement: Movement) -> Movement:
    """Return a movement if it is possible.

    Raises:
        BadMoneyError: it is not; says what was expected.
    """
    amount = movement.amount
    if not 0 < abs(amount) < TOO_MUCH:
        raise BadMoneyError(
            _("amount {amount:g}: expected one above 0 and below 1e12").format(amount=num(amount))
        )
    is_out = {"deposit": False, "withdrawal": True}.get(movement.kind, amount < 0)
    if movement.kind not in KINDS or is_out != (amount < 0):
        raise BadMoneyError(
            _("{kind} of {amount:g}: expected {kinds}").format(
                kind=movement.kind, amount=num(amount), kinds=", ".join(KINDS)
            )
        )
    if not movement.bookmaker.strip():
        raise BadMoneyError(_("enter a bookmaker"))
    if movement.currency:
        currency_code(movement.currency)
    return movement


def corrected(movement: Movement, before: float) -> Movement:
    """Return the correction that changes a balance from ``before`` to the movement's amount.

    Raises:
        BadMoneyError: that is already the balance.
    """
    amount = round(movement.amount - before, 6)
    if not amount:
        raise BadMoneyError(
            _("the balance is already {balance:.2f}").format(balance=num(movement.amount))
        )
    return check_movement(msgspec.structs.replace(movement, amount=amount))


def check_rate(rate: Rate) -> Rate:
    """Return a rate with its currencies' codes in capital letters.

    Raises:
        BadMoneyError: it is impossible; says what was expected.
    """
    codes = currency_code(rate.currency), currency_code(rate.main)
    if codes[0] == codes[1]:
        raise BadMoneyError(
            _("{currency} is the main currency: its rate is always 1").format(currency=codes[0])
        )
    if not (0 < rate.rate < TOO_MUCH and math.isfinite(rate.rate)):
        raise BadMoneyError(
            _("rate {rate:g}: expected an amount above 0").format(rate=num(rate.rate))
        )
    return Rate(*codes, rate.since, rate.rate)


class _File(Protocol):
    def __call__(self, act: Callable[[sqlite3.Connection], T], /) -> T: ...


class MoneyTables:
    """Movements and rates in the ledger's file; every method may raise ``LedgerError``."""

    def __init__(self, change: _File, run: _File) -> None:
        self._change = change
        self._run = run

    def read_book(self) -> MoneyBook:
        """Return everything."""

        def read(connection: sqlite3.Connection) -> MoneyBook:
            main = connection.execute("SELECT code FROM main_currency").fetchone()
            return MoneyBook(
                main[0] if main else "",
                [Movement(*row) for row in connection.execute(_MOVEMENTS)],
                [Rate(*row) for row in connection.execute(_RATES)],
            )

        return self._run(read)

    def add_movement(self, movement: Movement) -> Movement:
        """Record a movement and return it with its number.

        Raises:
            BadMoneyError: it is impossible.
        """
        values = msgspec.structs.asdict(check_movement(movement))

        def insert(connection: sqlite3.Connection) -> int | None:
            return connection.execute(_ADD_MOVEMENT, values).lastrowid

        return msgspec.structs.replace(movement, ident=self._change(insert))

    def remove_movement(self, ident: int) -> bool:
        """Delete a movement; return whether there was one."""

        def delete(connection: sqlite3.Connection) -> int:
            return connection.execute("DELETE FROM movement WHERE id = ?", (ident,)).rowcount

        return self._change(delete) > 0

    def choose_main(self, code: str) -> None:
        """Set the main currency; rates in the previous one stay stored."""
        values = (currency_code(code),)
        self._change(lambda c: c.execute(_PUT_MAIN, values))

    def set_rate(self, rate: Rate) -> None:
        """Record a rate; one of the same time is replaced.

        Raises:
            BadMoneyError: it is impossible.
        """
        checked = check_rate(rate)
        values = checked.currency, checked.main, checked.since, checked.rate
        self._change(lambda c: c.execute(_PUT_RATE, values))

    def add_missing(self, book: MoneyBook) -> None:
        """Add what is only in another ledger; the main currency of this one stays."""
        here = self.read_book()
        known = {msgspec.structs.replace(each, ident=None) for each in here.movements}
        fresh = [
            each
            for each in book.movements
            if msgspec.structs.replace(each, ident=None) not in known
        ]
        times = {(each.currency, each.main, each.since) for each in here.rates}
        rates = [x for x in book.rates if (x.currency, x.main, x.since) not in times]

        def insert(connection: sqlite3.Connection) -> None:
            connection.executemany(_ADD_MOVEMENT, [msgspec.structs.asdict(x) for x in fresh])
            connection.executemany(
                _PUT_RATE, [(x.currency, x.main, x.since, x.rate) for x in rates]
            )
            if book.main and not here.main:
                connection.execute(_PUT_MAIN, (book.main,))

        self._change(insert)


class Balance(msgspec.Struct, frozen=True):
    """The balance of an account, in its own currency."""

    bookmaker: str
    account: str
    currency: str
    """Empty for the user's own, if no main currency is named."""
    moved: float
    """Deposits and corrections, less withdrawals."""
    profit: float
    """Of settled bets, and of parts that were cashed out."""
    at_risk: float
    """Money in open bets: stakes, and liabilities of lay bets. Free bets have none."""
    open_bets: int
    in_main: float | None
    """``balance`` in the main currency; None without a rate."""

    @property
    def balance(self) -> float:
        """What the bookmaker should show as available."""
        return self.moved + self.profit - self.at_risk

    @property
    def fields(self) -> dict[str, Any]:
        """The figures by name, as ``--json`` has them."""
        return msgspec.structs.asdict(self) | {"balance": self.balance}


def balances(
    bets: Iterable[PlacedBet], book: MoneyBook, profiles: Profiles, now_ms: int
) -> list[Balance]:
    """Return the balance of each account by bookmaker, without practice bets.

    Names of one bookmaker are one. Amounts without a currency are in the main one.
    """
    rates = book.rates_at(now_ms)
    moved, earned = defaultdict[Any, float](float), defaultdict[Any, float](float)
    at_risk, count = defaultdict[Any, float](float), defaultdict[Any, int](int)
    for movement in book.movements:
        moved[_account_of(movement, book, profiles)] += movement.amount
    for bet in counted(bets):
        key = _account_of(bet, book, profiles)
        if bet.profit is not None:
            earned[key] += bet.profit
            continue
        earned[key] += bet.cash_out_profit
        at_risk[key] += bet.open_stake
        count[key] += 1
    found = []
    for key in sorted({*moved, *earned}, key=lambda each: tuple(map(str.casefold, each))):
        name, account, currency = key
        figures = moved[key], earned[key], at_risk[key], count[key]
        made = Balance(name, account, currency, *figures, None)
        in_main = rates.in_main(made.balance, made.currency) if book.main else None
        found.append(msgspec.structs.replace(made, in_main=in_main))
    return found


def _account_of(
    each: PlacedBet | Movement, book: MoneyBook, profiles: Profiles
) -> tuple[str, str, str]:
    """Return bookmaker, account and currency."""
    name = profiles.profile_of(each.bookmaker).name
    return name, each.account.strip(), each.currency or book.main


def balance_before(
    movement: Movement, bets: Iterable[PlacedBet], book: MoneyBook, profiles: Profiles, now_ms: int
) -> float:
    """Return the balance of a new movement's account; 0 for a new account."""
    key = _account_of(movement, book, profiles)
    found = balances(bets, book, profiles, now_ms)
    return next((x.balance for x in found if (x.bookmaker, x.account, x.currency) == key), 0.0)


def total_in_main(found: Iterable[Balance]) -> tuple[float | None, list[str]]:
    """Return the total in the main currency and the currencies whose rate is missing.

    With any of these the total is None. An empty account needs no rate.
    """
    total, missing = 0.0, dict[str, None]()
    for each in found:
        if each.in_main is not None:
            total += each.in_main
        elif each.balance or each.at_risk:
            missing[each.currency] = None
    return (None if missing else total), list(missing)


def in_main_currency(
    bets: Iterable[PlacedBet], book: MoneyBook, now_ms: int
) -> Iterator[PlacedBet]:
    """Yield bets with their amounts in the main currency, where rates are known.

    A settled bet is converted at the rate of its settlement, an open one at today's. Bets
    without a known rate are not converted.
    """
    if not book.main:
        yield from bets
        return
    at_times: dict[int, Rates] = {}
    for bet in bets:
        at_ms = now_ms if bet.settled_at is None else bet.settled_at
        if (rates := at_times.get(at_ms)) is None:
            rates = at_times[at_ms] = book.rates_at(at_ms)
        rate = rates.rate_of(bet.currency)
        if rate is None or bet.currency == book.main:
            yield bet
            continue
        converted = msgspec.structs.replace(
            bet,
            currency=book.main,
            stake=bet.stake * rate,
            refund=bet.refund * rate,
            cashed_stake=bet.cashed_stake * rate,
            cashed_back=bet.cashed_back * rate,
        )
        if bet.result is Result.CASHED_OUT:
            converted = msgspec.structs.replace(converted, cashed_stake=converted.size)
        yield converted
