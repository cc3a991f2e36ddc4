"""Reads the user's own bets from an exchange or prediction market; it never places any."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import OTHER
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.feeds.live.errors import SourceError, TooFastError
from oddsdesk.feeds.live.source import Query, Source
from oddsdesk.pricing.selections import Result

if TYPE_CHECKING:
    from oddsdesk.network.http import Reply

MOST_PAGES: Final = 200
_MOST_TRIES: Final = 3
_LONGEST_WAIT_S: Final = 60.0
_CLOCK_APART_MS: Final = MINUTE_MS
SHORT: Final = N_("the rest of the list is missing")


class AccountBet(msgspec.Struct, frozen=True, kw_only=True):
    """A bet as the account reports it; fields as in the ledger's ``PlacedBet``.

    ``odds`` and ``stake`` of a lay are the backer's; ``net_odds`` are per unit of liability.
    """

    ident: str
    """Its number at the service."""
    is_lay: bool
    match_name: str
    market_type: str
    selection: str
    odds: float
    stake: float
    placed_at: int
    net_odds: float | None = None
    competition: str = ""
    sport: str = OTHER
    period: int = 0
    kick_off: int | None = None
    result: Result | None = None
    settled_at: int | None = None
    cashed_stake: float = 0.0
    cashed_back: float = 0.0


def named_bet(**names: Any) -> AccountBet:
    """Return an example of a bet that only says what it is on, to be completed by ``replace``."""
    example: dict[str, Any] = {"ident": "", "is_lay": False, "market_type": "other"}
    example |= {"odds": 2.0, "stake": 1.0, "placed_at": 0}
    return AccountBet(**example | names)


def is_since(bet: AccountBet, since_ms: int | None) -> bool:
    """Return whether a bet is open, or was placed or settled since a time."""
    if since_ms is None or bet.result is None:
        return True
    return max(bet.placed_at, bet.settled_at or 0) >= since_ms


class AccountBets(msgspec.Struct):
    """The bets of an account, and what could not be read or is unknown."""

    bookmaker: str
    bets: list[AccountBet] = msgspec.field(default_factory=list)
    currency: str = ""
    problems: list[str] = msgspec.field(default_factory=list)
    """What is missing: a request that failed, a bet that could not be read."""
    remarks: list[str] = msgspec.field(default_factory=list)
    """What is only partly known about bets that are in ``bets``."""


class AccountSource:
    """Requests to one service that only read; ``reads`` are the paths or methods allowed.

    Anything else is refused before it is sent.
    """

    def __init__(
        self,
        source: Source,
        reads: Iterable[str],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._source = source
        self._reads = frozenset(reads)
        self._sleep = sleep

    async def get(self, path: str, params: Query | None = None) -> bytes:
        """Return the response of a path.

        Raises:
            SourceError: it was refused, or the response is invalid.
        """
        self._check(path)
        return await self._patiently(lambda: self._source.get(path, params))

    async def call_method(self, path: str, method: str, params: Mapping[str, object]) -> bytes:
        """Return the response of a JSON-RPC method; errors as for ``get``."""
        self._check(method)
        body = {"jsonrpc": "2.0", "method": method, "params": params, "id": 1}
        return await self._patiently(lambda: self._source.post(path, body))

    async def close(self) -> None:
        """Close the connections."""
        await self._source.close()

    def _check(self, what: str) -> None:
        if what not in self._reads:
            raise SourceError(f"{what} is not an allowed read request")

    async def _patiently(self, ask: Callable[[], Awaitable[bytes]]) -> bytes:
        """Retry at most twice after a rate limit."""
        for _ in range(_MOST_TRIES - 1):
            try:
                return await ask()
            except TooFastError as error:
                if error.wait_s > _LONGEST_WAIT_S:
                    raise
                await self._sleep(error.wait_s)
        return await ask()


def clock_apart(reply: "Reply", now_ms: int) -> str:
    """Return how wrong this machine's clock is by a response's date; empty if it is right."""
    try:
        theirs = parsedate_to_datetime(reply.headers.get("date", ""))
        apart_ms = now_ms - round(theirs.timestamp() * 1000)
    except (ValueError, TypeError, OverflowError):
        return ""
    if abs(apart_ms) <= _CLOCK_APART_MS:
        return ""
    seconds = abs(apart_ms) // 1000
    if apart_ms > 0:
        return N_(f"this machine's clock is {seconds} s ahead; set it, and sync again")
    return N_(f"this machine's clock is {seconds} s behind; set it, and sync again")


class Trade(msgspec.Struct, frozen=True):
    """Shares of a market that were bought or sold; a share pays 1 if its side is right."""

    order: str
    """Trades of one order become one bet."""
    is_yes: bool
    """Whether it adds shares of Yes, or takes away shares of No."""
    shares: float
    price: float
    """The price of a Yes."""
    fee: float
    at_ms: int


class Lot(msgspec.Struct):
    """The shares that one order added to a position, and how many were sold since."""

    order: str
    is_yes: bool
    at_ms: int
    shares: float = 0.0
    cost: float = 0.0
    """With fees."""
    price_sum: float = 0.0
    """Price of the side that was bought, times shares."""
    sold: float = 0.0
    back: float = 0.0
    """Paid for the sold shares, after fees."""
    sold_at: int = 0

    @property
    def left(self) -> float:
        """Shares that are still held."""
        return self.shares - self.sold


_HAIR: Final = 1e-6
"""Fewer shares count as zero."""


def lots_of(trades: Iterable[Trade]) -> list[Lot]:
    """Return the lots of a position, first in, first out.

    A trade against the position reduces it, as a sale of its shares or as a purchase of the other
    side, since one share of each side pays a dollar. The rest opens a position there.
    """
    lots: list[Lot] = []
    for trade in sorted(trades, key=lambda each: each.at_ms):
        left = trade.shares
        for lot in lots:
            if left <= _HAIR:
                break
            if lot.is_yes == trade.is_yes or lot.left <= _HAIR:
                continue
            part = min(left, lot.left)
            price = trade.price if lot.is_yes else 1 - trade.price
            lot.sold += part
            lot.back += part * price - trade.fee * part / trade.shares
            lot.sold_at = trade.at_ms
            left -= part
        if left <= _HAIR:
            continue
        same = [each for each in lots if (each.order, each.is_yes) == (trade.order, trade.is_yes)]
        if not same:
            same = [Lot(trade.order, trade.is_yes, trade.at_ms)]
            lots += same
        price = trade.price if trade.is_yes else 1 - trade.price
        same[0].shares += left
        same[0].price_sum += left * price
        same[0].cost += left * price + trade.fee * left / trade.shares
    return lots


def bet_of_lot(
    lot: Lot, named: AccountBet, paid: float | None, settled_at: int | None
) -> AccountBet | None:
    """Return a lot as a bet; ``named`` provides names and kick-off.

    A Yes is a back and a No a lay of what ``named`` selects. ``paid`` is the payout of
    a Yes share, None while the market is open; other than 0 or 1 it is a cash-out at that price.
    Returns None for a price of 0 or 1, which has no odds.
    """
    price = lot.price_sum / lot.shares
    if not 0 < price < 1 or lot.cost <= 0:
        return None
    odds = 1 / price if lot.is_yes else 1 / (1 - price)
    if not odds > 1:
        return None
    stake = lot.cost if lot.is_yes else lot.cost / (odds - 1)
    size = stake if lot.is_yes else stake * (odds - 1)
    fields = {
        "ident": lot.order,
        "is_lay": not lot.is_yes,
        "odds": odds,
        "stake": stake,
        "net_odds": max(1.0, lot.shares / lot.cost),
        "placed_at": lot.at_ms,
    }
    cashed, back, ended = size * lot.sold / lot.shares, lot.back, None
    at_ms = settled_at
    if lot.left <= _HAIR * max(1.0, lot.shares):
        cashed, ended, at_ms = size, Result.CASHED_OUT, lot.sold_at
    elif paid is not None:
        worth = paid if lot.is_yes else 1 - paid
        if worth in (0, 1):
            ended = Result.WON if worth else Result.LOST
        else:
            cashed, back, ended = size, back + lot.left * worth, Result.CASHED_OUT
    fields |= {"cashed_stake": cashed, "cashed_back": max(0.0, back)}
    fields |= {"result": ended, "settled_at": at_ms if ended else None}
    return msgspec.structs.replace(named, **fields)
