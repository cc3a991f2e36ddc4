"""The user's bets at Kalshi: fills and settlements, with requests signed by the user's key."""

import base64
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from oddsdesk.base.clock import Clock
from oddsdesk.base.figures import TOO_MUCH
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import N_
from oddsdesk.contract.texts import shown
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.accounts import (
    MOST_PAGES,
    SHORT,
    AccountBet,
    AccountBets,
    AccountSource,
    Lot,
    Trade,
    bet_of_lot,
    is_since,
    lots_of,
    named_bet,
)
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.kalshi import BOOKMAKER, USD, named_question
from oddsdesk.feeds.live.errors import KeyRefusedError, SourceError
from oddsdesk.feeds.notation import read_as, read_json
from oddsdesk.network.secrets import keep_secret

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

_API: Final = "/trade-api/v2"
FILLS: Final = f"{_API}/portfolio/fills"
SETTLEMENTS: Final = f"{_API}/portfolio/settlements"
POSITIONS: Final = f"{_API}/portfolio/positions"
MARKETS: Final = f"{_API}/markets"
READS: Final = frozenset({FILLS, SETTLEMENTS, POSITIONS, MARKETS})
"""The only requests that are ever sent."""
_PAGE: Final = "200"
_NAMES_AT_ONCE: Final = 50


class Signature:
    """Signs requests with the RSA key of a file, as Kalshi requires: PSS with SHA-256.

    Raises:
        KeyRefusedError: the file cannot be read, or has no such key.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._key = _private_key(path)
        self._clock = clock

    def headers_of(self, key: str, method: str, path: str) -> dict[str, str]:
        """Return the headers of a request: key, time and signature."""
        from cryptography.hazmat.primitives import hashes  # noqa: PLC0415 - optional
        from cryptography.hazmat.primitives.asymmetric import padding  # noqa: PLC0415

        now = str(self._clock())
        pss = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=hashes.SHA256.digest_size)
        signed = self._key.sign(f"{now}{method}{path}".encode(), pss, hashes.SHA256())
        return {
            "KALSHI-ACCESS-KEY": key,
            "KALSHI-ACCESS-TIMESTAMP": now,
            "KALSHI-ACCESS-SIGNATURE": base64.b64encode(signed).decode(),
        }


def _private_key(path: Path) -> "RSAPrivateKey":
    try:
        from cryptography.hazmat.primitives.asymmetric import rsa  # noqa: PLC0415 - optional
        from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415
    except ImportError as error:
        raise KeyRefusedError(
            "signing needs the package cryptography: use the desk's download, or install it with"
            " pip install 'oddsdesk[kalshi]'"
        ) from error
    try:
        data = path.read_bytes()
    except OSError as error:
        raise KeyRefusedError(f"{path}: cannot be read: {error_text(error)}") from error
    keep_secret(data.decode("ascii", errors="replace").strip())
    try:
        key = load_pem_private_key(data, password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, rsa.RSAPrivateKey):
        raise KeyRefusedError(
            f"{path}: expected the private key that Kalshi gave you: an RSA key in PEM"
        )
    return key


class _Fill(msgspec.Struct, frozen=True):
    side: str
    action: str
    order_id: str
    created_time: str
    ticker: str = ""
    market_ticker: str = ""
    count: float | None = None
    count_fp: str | None = None
    yes_price: float | None = None
    yes_price_dollars: str | None = None
    yes_price_fixed: str | None = None
    fee_cost: str | float | None = None

    @property
    def shares(self) -> float:
        return _number("count", self.count_fp if self.count is None else self.count)

    @property
    def price(self) -> float:
        """The price of a Yes in dollars; older responses use cents."""
        dollars = self.yes_price_dollars or self.yes_price_fixed
        if dollars is not None:
            return _number("yes_price_dollars", dollars)
        cents = _number("yes_price", self.yes_price)
        return cents if 0 < cents < 1 else cents / 100


class _Settlement(msgspec.Struct, frozen=True):
    ticker: str
    market_result: str
    settled_time: str
    value: float | None = None
    """The payout of a Yes, in cents."""
    revenue: float | None = None
    """The payout of the whole position, in cents."""

    @property
    def paid(self) -> float:
        """The payout of a Yes, in dollars.

        Raises:
            FeedError: the response does not have it.
        """
        known = {"yes": 1.0, "no": 0.0}.get(self.market_result)
        if known is None and self.value is not None:
            known = self.value / 100
        if known is None or not 0 <= known <= 1:
            raise FeedError(f"settled as {shown(self.market_result)} at an unknown price")
        return known


class _Position(msgspec.Struct, frozen=True):
    ticker: str
    position: float | None = None
    position_fp: str | None = None

    @property
    def shares(self) -> float:
        """Contracts of Yes that are held; of No if negative."""
        said = self.position_fp if self.position is None else self.position
        try:
            return float(Decimal(str(said)))
        except InvalidOperation as error:
            raise FeedError(f"position: expected a number, got {shown(said)}") from error


class _Ended(msgspec.Struct, frozen=True):
    """How a market was settled: payout of a Yes, time, and payout of the position."""

    paid: float
    at_ms: int
    revenue: float | None

    def differs_from(self, lots: Sequence[Lot]) -> bool:
        """Return whether fills do not add up to the payout."""
        due = sum(lot.left * (self.paid if lot.is_yes else 1 - self.paid) for lot in lots)
        return self.revenue is not None and abs(due - self.revenue) > _DOLLARS_APART


_DOLLARS_APART: Final = 0.02
_SHARES_APART: Final = 0.011


async def read_kalshi(source: AccountSource, since_ms: int | None) -> AccountBets:
    """Return the bets of an account, one for each order that added to a position.

    All fills are read, also those before ``since_ms``: a sale means nothing without its
    purchase.

    Raises:
        SourceError: fills cannot be read to their end.
    """
    found = AccountBets(BOOKMAKER, currency=USD)
    trades, broken = await _trades(source, found)
    ended, positions, are_known = dict[str, _Ended](), dict[str, float](), True
    try:
        async for raw in _rows(source, SETTLEMENTS, "settlements"):
            _take_settlement(raw, ended, found)
        async for raw in _rows(source, POSITIONS, "market_positions"):
            read = read_as(_Position, raw)
            positions[read.ticker] = read.shares
    except FeedError as error:
        are_known = False
        found.problems.append(f"settlements and positions: {error}; {SHORT}")
    tickers = [ticker for ticker in trades if ticker not in broken]
    names = await _names(source, tickers, found)
    for ticker in broken & set(trades):
        found.problems.append(f"{ticker}: left out, as one of its fills cannot be read")
    for ticker in tickers:
        lots, end = lots_of(trades[ticker]), ended.get(ticker)
        held = sum(lot.left if lot.is_yes else -lot.left for lot in lots)
        is_other = abs(held - positions.get(ticker, 0.0)) > _SHARES_APART
        if end.differs_from(lots) if end is not None else are_known and is_other:
            found.problems.append(
                f"{names[ticker].match_name} ({ticker}): left out, as its fills do not add up to "
                "what Kalshi holds or paid; older ones may be missing"
            )
            continue
        for lot in lots:
            _add(found, lot, names[ticker], end, since_ms)
    return found


async def _trades(
    source: AccountSource, found: AccountBets
) -> tuple[Mapping[str, list[Trade]], set[str]]:
    """Return the fills by market, and the markets of fills that cannot be read."""
    trades, broken = defaultdict[str, list[Trade]](list), set[str]()
    async for raw in _rows(source, FILLS, "fills"):
        ticker = (
            raw.get("ticker") or raw.get("market_ticker") or "" if isinstance(raw, dict) else ""
        )
        try:
            fill = read_as(_Fill, raw)
            trades[ticker].append(_trade(fill, found))
        except (FeedError, ValueError) as error:
            broken.add(ticker)
            found.problems.append(f"fill of {ticker or 'a market'}: {error}")
    return trades, broken


def _take_settlement(raw: Any, ended: dict[str, _Ended], found: AccountBets) -> None:
    try:
        read = read_as(_Settlement, raw)
        revenue = None if read.revenue is None else read.revenue / 100
        ended[read.ticker] = _Ended(read.paid, parse_ms(read.settled_time), revenue)
    except (FeedError, ValueError) as error:
        ticker = raw.get("ticker", "?") if isinstance(raw, dict) else "?"
        found.problems.append(f"settlement of {ticker}: {error}")


def _add(
    found: AccountBets, lot: Lot, named: AccountBet, end: _Ended | None, since_ms: int | None
) -> None:
    paid, at_ms = (None, None) if end is None else (end.paid, end.at_ms)
    bet = bet_of_lot(lot, named, paid, at_ms)
    if bet is None:
        found.problems.append(f"order {lot.order}: its price has no odds")
    elif is_since(bet, since_ms):
        found.bets.append(bet)


def _trade(fill: _Fill, found: AccountBets) -> Trade:
    if fill.side not in ("yes", "no") or fill.action not in ("buy", "sell"):
        raise FeedError(f"{fill.action} {fill.side}: expected buy or sell, yes or no")
    shares, price = fill.shares, fill.price
    if not shares > 0 or not 0 < price < 1:
        raise FeedError(f"{shares:g} at {price:g}: expected contracts and dollars from 0 to 1")
    if fill.fee_cost is None:
        found.remarks.append(
            N_(f"order {fill.order_id}: Kalshi does not report its fee; counted as 0")
        )
    fee = 0.0 if fill.fee_cost is None else _number("fee_cost", fill.fee_cost)
    is_yes = (fill.side == "yes") == (fill.action == "buy")
    return Trade(fill.order_id, is_yes, shares, price, fee, parse_ms(fill.created_time))


async def _names(
    source: AccountSource, tickers: list[str], found: AccountBets
) -> Mapping[str, AccountBet]:
    """Return the selection of each market's Yes; only the ticker if Kalshi gives no name."""
    named = {ticker: named_bet(match_name=ticker, selection="Yes") for ticker in tickers}
    for start in range(0, len(tickers), _NAMES_AT_ONCE):
        some = tickers[start : start + _NAMES_AT_ONCE]
        try:
            page = read_json(
                await source.get(MARKETS, {"tickers": ",".join(some), "limit": "1000"}),
                N_("expected Kalshi's markets"),
                dict[str, Any],
            )
        except FeedError as error:
            found.problems.append(f"names of markets: {error}")
            continue
        for raw in page.get("markets") or ():
            ticker = raw.get("ticker") if isinstance(raw, dict) else None
            if ticker not in named:
                continue
            question = named_question(raw)
            if question is None:
                title = str(raw.get("title") or ticker)
                selection = str(raw.get("yes_sub_title") or "Yes")
                named[ticker] = msgspec.structs.replace(
                    named[ticker], match_name=title, selection=selection
                )
            else:
                named[ticker] = msgspec.structs.replace(named[ticker], **question)
    for ticker, bet in named.items():
        if bet.match_name == ticker:
            found.remarks.append(N_(f"{ticker}: Kalshi gives no name for it"))
    return named


async def _rows(source: AccountSource, path: str, rows: str) -> AsyncIterator[Any]:
    """Yield the rows of all pages of a list.

    Raises:
        SourceError: it cannot be read to its end.
    """
    cursor = ""
    for _ in range(MOST_PAGES):
        asked = {"limit": _PAGE} | ({"cursor": cursor} if cursor else {})
        page = read_json(
            await source.get(path, asked), N_(f"expected Kalshi's {rows}"), dict[str, Any]
        )
        if not isinstance(page.get(rows), list):
            raise SourceError(f"expected Kalshi's {rows}, got another answer")
        for raw in page[rows]:
            yield raw
        before, cursor = cursor, str(page.get("cursor") or "")
        if not cursor:
            return
        if cursor == before:
            raise SourceError(f"the list of {rows} breaks off")
    raise SourceError(f"more than {MOST_PAGES} pages of {rows}")


def _number(name: str, value: str | float | None) -> float:
    try:
        found = Decimal(str(value))
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite() or not 0 <= found < TOO_MUCH:
        raise FeedError(f"{name}: expected a number, got {shown(value)}")
    return float(found)
