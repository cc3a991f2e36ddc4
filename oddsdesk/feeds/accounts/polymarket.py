"""The user's bets at Polymarket: the public trades and redemptions of a wallet."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from oddsdesk.base.figures import TOO_MUCH
from oddsdesk.base.texts import N_
from oddsdesk.contract.texts import shown
from oddsdesk.feeds.accounts import (
    SHORT,
    AccountBet,
    AccountBets,
    AccountSource,
    Trade,
    bet_of_lot,
    is_since,
    lots_of,
    named_bet,
)
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.errors import SourceError
from oddsdesk.feeds.notation import read_as, read_json
from oddsdesk.feeds.polymarket.games import BOOKMAKER, USD, Share, shares_of

DATA: Final = "https://data-api.polymarket.com"
ACTIVITY: Final = "/activity"
POSITIONS: Final = "/positions"
EVENTS: Final = "/events"
READS: Final = frozenset({ACTIVITY, POSITIONS, EVENTS})
"""The only requests that are ever sent."""
WALLET: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_PAGE: Final = 500
_MOST_ROWS: Final = 10_000
"""Polymarket lists at most this many rows."""
_EVENTS_AT_ONCE: Final = 20
_APART: Final = 1e-3
_SHARES: Final = 1e-4
"""Fewer shares count as zero: amounts are in millionths."""


class _Row(msgspec.Struct, frozen=True, rename="camel"):
    type: str
    timestamp: int
    condition_id: str
    size: float = 0.0
    usdc_size: float = 0.0
    price: float = 0.0
    asset: str = ""
    side: str = ""
    outcome: str = ""
    outcome_index: int = 0
    title: str = ""
    event_slug: str = ""
    transaction_hash: str = ""


class _Position(msgspec.Struct, frozen=True):
    asset: str
    size: float


async def read_polymarket(
    data: AccountSource, gamma: AccountSource, wallet: str, since_ms: int | None
) -> AccountBets:
    """Return the bets of a wallet, one for each transaction that bought shares.

    ``data`` and ``gamma`` are Polymarket's services of these names. All trades are read, also those
    before ``since_ms``: a sale means nothing without its purchase.

    Raises:
        SourceError: trades cannot be read to their end.
    """
    found = AccountBets(BOOKMAKER, currency=USD)
    markets = defaultdict[str, list[_Row]](list)
    broken = set[str]()
    sorted_by = {"sortBy": "TIMESTAMP", "sortDirection": "ASC"}
    for raw in await _rows(data, ACTIVITY, {"user": wallet} | sorted_by):
        try:
            row = read_as(_Row, raw)
        except FeedError as error:
            condition = str(raw.get("conditionId", "")) if isinstance(raw, dict) else ""
            broken.add(condition)
            found.problems.append(f"activity of {condition or 'a market'}: {error}")
            continue
        markets[row.condition_id].append(row)
    held = await _held(data, wallet, found)
    shares = await _shares(gamma, [row for rows in markets.values() for row in rows], found)
    for condition, rows in markets.items():
        title = next((row.title for row in rows if row.title), condition)
        others = {row.type for row in rows} - {"TRADE", "REDEEM", "REWARD", "MAKER_REBATE"}
        if condition in broken or others:
            why = (
                N_(f"has {', '.join(sorted(others)).lower()}")
                if others
                else N_("cannot be read whole")
            )
            found.problems.append(f"{title}: left out, as its activity {why}")
            continue
        try:
            found.bets += [
                bet for bet in _bets(rows, shares, held, found) if is_since(bet, since_ms)
            ]
        except FeedError as error:
            found.problems.append(f"{title}: left out: {error}")
    return found


async def _rows(data: AccountSource, path: str, params: Mapping[str, str]) -> list[Any]:
    rows: list[Any] = []
    while len(rows) < _MOST_ROWS:
        asked = {**params, "limit": str(_PAGE), "offset": str(len(rows))}
        page = read_json(
            await data.get(path, asked), N_(f"expected Polymarket's {path}"), list[Any]
        )
        if page and page == rows[-len(page) :]:
            raise SourceError(f"the list {path} breaks off")
        rows += page
        if len(page) < _PAGE:
            return rows
    raise SourceError(f"{path} has more than {_MOST_ROWS:,} rows, the most that Polymarket shows")


async def _held(data: AccountSource, wallet: str, found: AccountBets) -> Mapping[str, float] | None:
    """Return how many shares the wallet holds, by token; None if that is not known."""
    try:
        rows = await _rows(data, POSITIONS, {"user": wallet, "sizeThreshold": "0"})
        positions = [read_as(_Position, raw) for raw in rows]
    except FeedError as error:
        found.problems.append(f"positions: {error}; trades are not compared with them")
        return None
    return {each.asset: each.size for each in positions}


async def _shares(
    gamma: AccountSource, rows: Sequence[_Row], found: AccountBets
) -> Mapping[str, Share]:
    shares: dict[str, Share] = {}
    slugs = list(dict.fromkeys(row.event_slug for row in rows if row.event_slug))
    for start in range(0, len(slugs), _EVENTS_AT_ONCE):
        some = slugs[start : start + _EVENTS_AT_ONCE]
        try:
            shares |= shares_of(await gamma.get(EVENTS, {"slug": some}))
        except FeedError as error:
            found.problems.append(f"names and results of markets: {error}; {SHORT}")
    return shares


def _bets(
    rows: Sequence[_Row],
    shares: Mapping[str, Share],
    held: Mapping[str, float] | None,
    found: AccountBets,
) -> list[AccountBet]:
    trades = [row for row in rows if row.type == "TRADE"]
    redeemed = [row for row in rows if row.type == "REDEEM"]
    tokens = list(dict.fromkeys(row.asset for row in trades))
    made = []
    for token in tokens:
        of_token = [row for row in trades if row.asset == token]
        share = shares.get(token, Share({}, False, None, None))
        lots = lots_of([_trade(row, share) for row in of_token])
        if any(lot.is_yes == share.is_no for lot in lots):
            raise FeedError("more shares were sold than bought")
        left, there = sum(lot.left for lot in lots), (held or {}).get(token, 0.0)
        if held is not None and not redeemed and abs(left - there) > _APART * max(1.0, left):
            title, outcome = of_token[0].title, of_token[0].outcome
            remark = N_(
                f"{title}, {outcome}: the trades leave {left:.2f} shares, but the wallet holds"
                f" {there:.2f}: fees or transfers are not in the trades"
            )
            found.remarks.append(remark)
        paid, at_ms = share.paid, share.closed_at
        if redeemed and paid is None and len(tokens) == 1:
            paid, at_ms = _redeemed(redeemed), redeemed[-1].timestamp * 1000
        if redeemed:
            at_ms = at_ms or redeemed[-1].timestamp * 1000
        if not share.names:
            found.remarks.append(N_(f"{of_token[0].title or token}: not a known game"))
        first = of_token[0]
        unnamed = {
            "match_name": first.title or first.condition_id,
            "selection": first.outcome or first.asset,
        }
        named = named_bet(**unnamed | share.names)
        paid_yes = None if paid is None else 1 - paid if share.is_no else paid
        for lot in lots:
            bet = bet_of_lot(lot, named, paid_yes, at_ms)
            if bet is None:
                raise FeedError(f"the price of {lot.order} has no odds")
            made.append(bet)
    return made


def _trade(row: _Row, share: Share) -> Trade:
    if row.side not in ("BUY", "SELL"):
        raise FeedError(f"side {shown(row.side)}: expected BUY or SELL")
    price = row.usdc_size / row.size if row.size > 0 and row.usdc_size > 0 else row.price
    if not 0 < row.size < TOO_MUCH or not 0 < price < 1:
        raise FeedError(f"{row.size:g} shares at {price:g}: expected dollars from 0 to 1")
    ident = f"{row.transaction_hash} {row.condition_id[2:10]} {row.outcome_index}"
    is_yes = (row.side == "BUY") != share.is_no
    of_yes = 1 - price if share.is_no else price
    return Trade(ident, is_yes, row.size, of_yes, 0.0, row.timestamp * 1000)


def _redeemed(rows: Sequence[_Row]) -> float | None:
    """Return the payout of a share: 1, 0 or half; None for anything else."""
    size, paid = sum(row.size for row in rows), sum(row.usdc_size for row in rows)
    if size <= _SHARES:
        return None
    return next((each for each in (0.0, 0.5, 1.0) if abs(paid / size - each) < _SHARES), None)
