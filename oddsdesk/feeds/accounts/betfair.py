"""The user's bets at Betfair: settled and open orders, and recorded order streams."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from oddsdesk.base.figures import TOO_MUCH
from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import OTHER, named_sport, played_sport
from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.texts import shown
from oddsdesk.contract.times import format_ms, parse_ms
from oddsdesk.feeds.accounts import (
    MOST_PAGES,
    SHORT,
    AccountBet,
    AccountBets,
    AccountSource,
    is_since,
    named_bet,
)
from oddsdesk.feeds.betfair.books import (
    CatalogueMarket,
    CatalogueRunner,
    Description,
    Named,
    read_as,
    read_result,
)
from oddsdesk.feeds.betfair.catalogue import BOOKMAKER, competition_of_name, market_of, selection_of
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.errors import KeyRefusedError, SourceError
from oddsdesk.feeds.notation import read_json
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.selections import Result

BETTING: Final = "/exchange/betting/json-rpc/v1"
ACCOUNT: Final = "/exchange/account/json-rpc/v1"
_CLEARED: Final = "SportsAPING/v1.0/listClearedOrders"
_CURRENT: Final = "SportsAPING/v1.0/listCurrentOrders"
_CATALOGUE: Final = "SportsAPING/v1.0/listMarketCatalogue"
_DETAILS: Final = "AccountAPING/v1.0/getAccountDetails"
READS: Final = frozenset({BETTING, ACCOUNT, _CLEARED, _CURRENT, _CATALOGUE, _DETAILS})
"""The only requests that are ever sent."""
_PAGE: Final = 1_000
_MARKETS_AT_ONCE: Final = 100
_ABOUT: Final = (
    *("COMPETITION", "EVENT", "EVENT_TYPE", "MARKET_START_TIME"),
    *("MARKET_DESCRIPTION", "RUNNER_DESCRIPTION"),
)
_NUMBER: Final = re.compile(r"[0-9A-Za-z.:-]{0,40}", re.ASCII)
_CENT: Final = 0.011
"""Betfair rounds profits to cents."""


class ItemDescription(msgspec.Struct, frozen=True, rename="camel"):
    """What a settled bet was on, in Betfair's words."""

    event_type_desc: str = ""
    event_desc: str = ""
    market_desc: str = ""
    market_type: str = ""
    market_start_time: str | None = None
    runner_desc: str = ""


class ClearedOrder(msgspec.Struct, frozen=True, rename="camel"):
    """A settled bet or a part of it; by market only commission and profit."""

    market_id: str = ""
    selection_id: int = 0
    handicap: float = 0.0
    bet_id: str = ""
    event_type_id: str = ""
    event_id: str = ""
    placed_date: str = ""
    settled_date: str = ""
    last_matched_date: str = ""
    side: str = ""
    bet_outcome: str = ""
    price_requested: float = 0.0
    price_matched: float = 0.0
    price_reduced: bool = False
    size_settled: float = 0.0
    size_cancelled: float = 0.0
    profit: float = 0.0
    commission: float = 0.0
    item_description: ItemDescription | None = None


class CurrentOrder(msgspec.Struct, frozen=True, rename="camel"):
    """An order of an open market, matched or not."""

    bet_id: str
    market_id: str
    selection_id: int
    side: str
    status: str
    placed_date: str
    handicap: float = 0.0
    average_price_matched: float = 0.0
    size_matched: float = 0.0
    size_remaining: float = 0.0
    size_lapsed: float = 0.0
    size_cancelled: float = 0.0
    size_voided: float = 0.0


class _StreamOrder(msgspec.Struct, frozen=True):
    id: str
    side: str
    status: str
    pd: int
    avp: float = 0.0
    sm: float = 0.0
    sr: float = 0.0
    sl: float = 0.0
    sc: float = 0.0
    sv: float = 0.0


class _StreamRunner(msgspec.Struct, frozen=True, rename="camel"):
    id: int
    hc: float = 0.0
    full_image: bool = False
    uo: list[_StreamOrder] = []


class _StreamMarket(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    full_image: bool = False
    orc: list[_StreamRunner] = []


class _StreamMessage(msgspec.Struct, frozen=True):
    op: str
    oc: list[_StreamMarket] = []


class OrderStream:
    """Orders from the messages of Betfair's order stream."""

    def __init__(self) -> None:
        self._orders: dict[str, dict[tuple[int, float], dict[str, CurrentOrder]]] = {}

    def take_line(self, line: bytes) -> None:
        """Read a message; other kinds than orders are ignored.

        Raises:
            FeedError: it is not such a message; names the wrong field.
        """
        read: _StreamMessage = read_json(line, N_("expected a message of Betfair's order stream"),
                                         _StreamMessage, strict=False)  # fmt: skip
        for market in read.oc if read.op == "ocm" else ():
            if market.full_image:
                self._orders.pop(market.id, None)
            runners = self._orders.setdefault(market.id, {})
            for runner in market.orc:
                place = runner.id, runner.hc
                if runner.full_image:
                    runners.pop(place, None)
                held = runners.setdefault(place, {})
                held |= {order.id: _streamed(order, market.id, runner) for order in runner.uo}

    def orders(self) -> list[CurrentOrder]:
        """Return all orders as ``listCurrentOrders`` has them."""
        return [
            order
            for runners in self._orders.values()
            for orders in runners.values()
            for order in orders.values()
        ]


def _streamed(order: _StreamOrder, market_id: str, runner: _StreamRunner) -> CurrentOrder:
    return CurrentOrder(
        bet_id=order.id,
        market_id=market_id,
        selection_id=runner.id,
        handicap=runner.hc,
        side={"B": "BACK", "L": "LAY"}.get(order.side, order.side),
        status={"E": "EXECUTABLE", "EC": "EXECUTION_COMPLETE"}.get(order.status, order.status),
        placed_date=format_ms(order.pd),
        average_price_matched=order.avp,
        size_matched=order.sm,
        size_remaining=order.sr,
        size_lapsed=order.sl,
        size_cancelled=order.sc,
        size_voided=order.sv,
    )


class BetfairOrders:
    """Collects orders and their markets, and turns them into bets.

    ``profile`` has the commission to use if Betfair does not report it.
    """

    def __init__(self, profile: Profile) -> None:
        self.found = AccountBets(BOOKMAKER, currency=profile.currency)
        self._profile = profile
        self._cleared: dict[str, list[ClearedOrder]] = {}
        self._voided: dict[str, list[ClearedOrder]] = {}
        self._current: dict[str, CurrentOrder] = {}
        self._commission: dict[str, float] = {}
        self._markets: dict[str, CatalogueMarket] = {}
        self._won = defaultdict[str, float](float)
        """The winnings of winning bets, by market, before commission."""

    def take_file(self, data: bytes) -> None:
        """Read a recorded response with orders or markets, or an order stream.

        Raises:
            FeedError: it is none of these.
        """
        lines = [line for line in data.splitlines() if line.strip()]
        if lines and b'"op"' in lines[0]:
            stream = OrderStream()
            for number, line in enumerate(lines, start=1):
                try:
                    stream.take_line(line)
                except FeedError as error:
                    self.found.problems.append(f"line {number}: {error}")
            for order in stream.orders():
                try:
                    _check_numbers(order)
                except FeedError as error:
                    self.found.problems.append(str(error))
                else:
                    self._current[order.bet_id] = order
            return
        answer = _result_of(data)
        if isinstance(answer, list):
            self.take_markets(data)
        elif "clearedOrders" in answer:
            self.take_cleared(answer)
        elif "currentOrders" in answer:
            self.take_current(answer)
        else:
            raise FeedError("expected cleared orders, current orders or a catalogue of markets")
        if isinstance(answer, dict) and answer.get("moreAvailable"):
            self.found.problems.append(f"the answer is one page of several; {SHORT}")

    def take_cleared(self, answer: Mapping[str, Any], *, are_void: bool = False) -> int:
        """Add settled or void bets; return how many of them are new."""
        kept, fresh = self._voided if are_void else self._cleared, 0
        for order in self._read(ClearedOrder, answer, "clearedOrders"):
            if not order.bet_id:
                self.found.problems.append("a settled bet without a number")
                continue
            parts = kept.setdefault(order.bet_id, [])
            if order not in parts:
                parts.append(order)
                fresh += 1
        return fresh

    def take_commission(self, answer: Mapping[str, Any]) -> int:
        """Add settled markets with their commission; return how many of them are new."""
        rows = [row for row in self._read(ClearedOrder, answer, "clearedOrders") if row.market_id]
        fresh = {row.market_id: row.commission for row in rows}
        count = len(fresh.keys() - self._commission.keys())
        self._commission |= fresh
        return count

    def take_current(self, answer: Mapping[str, Any]) -> int:
        """Add orders of open markets; return how many of them are new."""
        orders = {
            order.bet_id: order for order in self._read(CurrentOrder, answer, "currentOrders")
        }
        count = len(orders.keys() - self._current.keys())
        self._current |= orders
        return count

    def take_markets(self, data: bytes) -> None:
        """Read a catalogue: the names of markets and runners."""
        for raw in read_result(data):
            try:
                market = read_as(CatalogueMarket, raw)
            except FeedError as error:
                self.found.problems.append(f"listMarketCatalogue: {error}")
                continue
            self._markets[market.market_id] = market

    def unnamed_markets(self) -> list[str]:
        """Return the markets of open orders."""
        return sorted({each.market_id for each in self._current.values() if each.size_matched > 0})

    def account_bets(self, since_ms: int | None = None) -> AccountBets:
        """Return the bets that were placed or settled since a time, with all that is unclear."""
        for parts in self._cleared.values():
            profit = math.fsum(each.profit for each in parts)
            self._won[parts[0].market_id] += max(0.0, profit)
        for ident, parts in self._cleared.items():
            self._add(ident, lambda parts=parts: self._settled(parts))  # type: ignore[misc]
        for ident, parts in self._voided.items():
            if ident not in self._cleared:
                self._add(ident, lambda parts=parts: self._void(parts))  # type: ignore[misc]
        for ident, order in self._current.items():
            if ident not in self._cleared and ident not in self._voided and order.size_matched > 0:
                self._add(ident, lambda order=order: self._open(order))  # type: ignore[misc]
        self.found.bets = [bet for bet in self.found.bets if is_since(bet, since_ms)]
        return self.found

    def _read(self, kind: Callable[..., Any], answer: Mapping[str, Any], name: str) -> list[Any]:
        rows = answer.get(name)
        if not isinstance(rows, list):
            self.found.problems.append(f"an answer without {name}")
            return []
        read = []
        for raw in rows:
            try:
                order = read_as(kind, raw)  # type: ignore[arg-type]
                _check_numbers(order)
            except FeedError as error:
                ident = raw.get("betId", "?") if isinstance(raw, dict) else "?"
                self.found.problems.append(f"bet {shown(ident)}: {error}")
            else:
                read.append(order)
        return read

    def _add(self, ident: str, make: Callable[[], AccountBet]) -> None:
        try:
            self.found.bets.append(make())
        except (FeedError, ValueError) as error:
            self.found.problems.append(f"bet {ident}: {error}")

    def _open(self, order: CurrentOrder) -> AccountBet:
        odds = order.average_price_matched
        return self._bet(order, None, odds, order.size_matched, parse_ms(order.placed_date))

    def _void(self, parts: Sequence[ClearedOrder]) -> AccountBet:
        first = parts[0]
        stake = math.fsum(each.size_settled or each.size_cancelled for each in parts)
        odds = first.price_matched or first.price_requested
        made = self._bet(first, first, odds, stake, parse_ms(first.placed_date))
        return msgspec.structs.replace(made, result=Result.VOID, settled_at=_ended_at(first))

    def _settled(self, parts: Sequence[ClearedOrder]) -> AccountBet:
        first = parts[0]
        stake = math.fsum(each.size_settled for each in parts)
        paid = math.fsum(each.size_settled * each.price_matched for each in parts)
        profit = math.fsum(each.profit for each in parts)
        odds = paid / stake if stake > 0 else 0.0
        made = self._bet(first, first, odds, stake, parse_ms(first.placed_date))
        if any(each.price_reduced for each in parts):
            self.found.remarks.append(
                N_(f"bet {first.bet_id}: a withdrawn runner reduced its odds; recorded at {odds:g}")
            )
        return self._ended(made, first, profit, self._commission_of(first, profit))

    def _commission_of(self, order: ClearedOrder, profit: float) -> float | None:
        """Return the bet's share of its market's commission; None if unknown.

        Commission is on the net winnings of a market, so its winning bets share it by profit.
        """
        if profit <= 0:
            return 0.0
        taken = self._commission.get(order.market_id)
        if taken is None:
            return None
        return taken * profit / self._won[order.market_id]

    def _ended(
        self, made: AccountBet, order: ClearedOrder, profit: float, taken: float | None
    ) -> AccountBet:
        size = made.stake * (made.odds - 1) if made.is_lay else made.stake
        gain = made.stake if made.is_lay else made.stake * (made.odds - 1)
        is_line = made.market_type == "spread"
        share, result = 1.0, Result.WON
        cashed = back = 0.0
        if abs(profit - gain) <= _CENT and order.bet_outcome != "LOST":
            pass
        elif abs(profit + size) <= _CENT:
            result = Result.LOST
        elif abs(profit) < _CENT / 2:
            result = Result.VOID
        elif is_line and abs(profit - gain / 2) <= _CENT:
            share, result = 0.5, Result.HALF_WON
        elif is_line and abs(profit + size / 2) <= _CENT:
            result = Result.HALF_LOST
        else:
            self.found.remarks.append(
                N_(
                    f"bet {made.ident}: paid {profit:+.2f} before commission, not {gain:+.2f} or "
                    f"{-size:+.2f}, as in a dead heat; recorded as paid"
                )
            )
            if profit < 0:
                cashed, back, result = size, max(0.0, size + profit), Result.CASHED_OUT
        net = made.net_odds
        if result in (Result.WON, Result.HALF_WON) and taken is not None:
            net = 1 + max(0.0, profit - taken) / (size * share)
        return msgspec.structs.replace(
            made,
            result=result,
            net_odds=net,
            settled_at=_ended_at(order),
            cashed_stake=cashed,
            cashed_back=back,
        )

    def _bet(
        self,
        order: ClearedOrder | CurrentOrder,
        cleared: ClearedOrder | None,
        odds: float,
        stake: float,
        placed_at: int,
    ) -> AccountBet:
        if order.side not in ("BACK", "LAY"):
            raise FeedError(f"side {shown(order.side)}: expected BACK or LAY")
        if not odds > 1 or not stake > 0:
            raise FeedError(f"matched {stake:g} at {odds:g}: expected an amount and odds above 1")
        is_lay = order.side == "LAY"
        net = self._profile.net_lay(odds) if is_lay else self._profile.net(odds)
        names = self._names(order, cleared)
        return msgspec.structs.replace(
            names,
            ident=order.bet_id,
            is_lay=is_lay,
            odds=odds,
            stake=stake,
            net_odds=net,
            placed_at=placed_at,
        )

    def _names(
        self, order: ClearedOrder | CurrentOrder, cleared: ClearedOrder | None
    ) -> AccountBet:
        """Return an example bet with the names of game, market and selection."""
        entry = self._markets.get(order.market_id)
        described = None if cleared is None else cleared.item_description
        if entry is None and cleared is not None and described is not None:
            entry = _described(cleared, described)
        if entry is None:
            self.found.remarks.append(
                N_(f"bet {order.bet_id}: Betfair does not name market {order.market_id}")
            )
            return named_bet(
                match_name=f"Betfair market {order.market_id}",
                selection=f"Runner {order.selection_id}",
            )
        market = market_of(entry)
        if not isinstance(market, str):
            text = selection_of(market, (order.selection_id, order.handicap))
            if text is not None:
                has_name = entry.competition is not None or market.competition == "TENNIS"
                competition = market.competition if has_name else ""
                return named_bet(
                    match_name=market.match_name,
                    market_type=market.market_type,
                    selection=text,
                    period=market.period,
                    competition=competition,
                    sport=played_sport(competition, market.sport),
                    kick_off=market.kick_off,
                )
        runners = {each.selection_id: each.runner_name for each in entry.runners}
        text = fold_name(runners.get(order.selection_id, f"Runner {order.selection_id}"))
        start = entry.market_start_time
        competition = "" if entry.competition is None else fold_name(entry.competition.name)
        return named_bet(
            match_name=fold_name(entry.event.name),
            market_type=entry.description.market_type.lower() or "other",
            selection=text,
            competition=competition_of_name(competition),
            sport=named_sport(entry.event_type.name) or OTHER,
            kick_off=None if start is None else parse_ms(start),
        )


def _check_numbers(order: ClearedOrder | CurrentOrder) -> None:
    """Refuse impossible amounts, and malformed numbers of bets and markets.

    Raises:
        FeedError: one is; names it.
    """
    for name, value in msgspec.structs.asdict(order).items():
        if isinstance(value, float) and not abs(value) < TOO_MUCH:
            raise FeedError(f"{name}: expected an amount below 1e12, got {value:g}")
    for name, text in (("betId", order.bet_id), ("marketId", order.market_id)):
        if not _NUMBER.fullmatch(text):
            raise FeedError(f"{name}: expected a number, got {shown(text)}")


def _ended_at(order: ClearedOrder) -> int:
    """Return when a bet was settled, as far as Betfair says: a void one may have no such time."""
    return parse_ms(order.settled_date or order.last_matched_date or order.placed_date)


def _described(order: ClearedOrder, words: ItemDescription) -> CatalogueMarket:
    return CatalogueMarket(
        market_id=order.market_id,
        description=Description(words.market_type),
        event=Named(words.event_desc, order.event_id),
        runners=[CatalogueRunner(order.selection_id, words.runner_desc)],
        event_type=Named(words.event_type_desc, order.event_type_id),
        market_start_time=words.market_start_time,
    )


def _result_of(data: bytes) -> Any:
    """Return the result of a response, with or without its JSON-RPC envelope.

    Raises:
        FeedError: it is an error, or not a valid response.
    """
    raw = read_json(data, N_("expected an answer of Betfair"))
    answer = raw.get("result", raw) if isinstance(raw, dict) and "error" not in raw else raw
    if isinstance(answer, dict) and "error" not in answer:
        return answer
    read_result(data)  # raises with Betfair's message
    return answer


async def read_betfair(
    source: AccountSource, orders: BetfairOrders, since_ms: int | None
) -> AccountBets:
    """Return the bets of an account.

    A list that is only read in part is a problem, but its first part counts.

    Raises:
        SourceError: nothing can be read, such as with a session that has expired.
    """
    try:
        details = _result_of(await source.call_method(ACCOUNT, _DETAILS, {}))
        orders.found.currency = str(details["currencyCode"])
    except KeyRefusedError:
        raise
    except (FeedError, LookupError, TypeError) as error:
        orders.found.problems.append(
            f"currency of the account: {error}; assumed {orders.found.currency}"
        )
    settled = {} if since_ms is None else {"settledDateRange": {"from": format_ms(since_ms)}}
    asked = {**settled, "includeItemDescription": True}
    lists: Iterable[tuple[str, str, dict[str, object], Callable[[Any], int]]] = (
        (N_("settled bets"), _CLEARED, asked | {"betStatus": "SETTLED"}, orders.take_cleared),
        (
            N_("void bets"),
            _CLEARED,
            asked | {"betStatus": "VOIDED"},
            lambda answer: orders.take_cleared(answer, are_void=True),
        ),
        (
            "commission",
            _CLEARED,
            settled | {"betStatus": "SETTLED", "groupBy": "MARKET"},
            orders.take_commission,
        ),
        (N_("open bets"), _CURRENT, {"orderProjection": "ALL"}, orders.take_current),
    )
    for title, method, params, take in lists:
        try:
            await _read_pages(source, method, params, take)
        except FeedError as error:
            orders.found.problems.append(f"{title}: {error}; {SHORT}")
    markets = orders.unnamed_markets()
    for start in range(0, len(markets), _MARKETS_AT_ONCE):
        some = markets[start : start + _MARKETS_AT_ONCE]
        params = {
            "filter": {"marketIds": some},
            "maxResults": len(some),
            "marketProjection": _ABOUT,
        }
        try:
            orders.take_markets(await source.call_method(BETTING, _CATALOGUE, params))
        except FeedError as error:
            orders.found.problems.append(f"names of markets: {error}")
    return orders.account_bets(since_ms)


async def _read_pages(
    source: AccountSource, method: str, params: Mapping[str, object], take: Callable[[Any], int]
) -> None:
    count, rows = 0, "currentOrders" if method == _CURRENT else "clearedOrders"
    for _ in range(MOST_PAGES):
        asked = {**params, "fromRecord": count, "recordCount": _PAGE}
        answer = _result_of(await source.call_method(BETTING, method, asked))
        fresh = take(answer)
        if not answer.get("moreAvailable"):
            return
        if not fresh:
            raise SourceError("says that there is more, but sends the same again")
        count += len(answer.get(rows) or ())
    raise SourceError(f"more than {MOST_PAGES} pages")
