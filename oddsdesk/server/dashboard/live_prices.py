"""What a price is worth on the pages below ``LIVE``: its EV, its age and what speaks against it.

Lists, games and links all ask here, so none shows a bet that another does not.
"""

import math
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.contract import resources
from oddsdesk.contract.times import MINUTE_MS, WINDOW_MS, format_ms, parse_ms
from oddsdesk.pricing.assessment import (
    LONG_ODDS,
    Market,
    Prices,
    is_placeholder,
    line_doubts,
    reference_lines,
    usual_stale_after_ms,
)
from oddsdesk.pricing.profiles import Profiles, is_delayed, shipped_profiles
from oddsdesk.pricing.selections import LineGroup, line_groups
from oddsdesk.pricing.value import SERVICE_RULES, expected_value, is_comparable, suspicious_above
from oddsdesk.server.endpoints import lists
from oddsdesk.server.gate import Call
from oddsdesk.store.queries.game import decode_odds
from oddsdesk.store.values import DatedBet

_DOUBLE_CHANCES: Final = 3
ERROR: Final = "likely error"


class Age(NamedTuple):
    """How long ago a price was seen."""

    at: str
    """When, as on the wire."""
    text: str
    old_after_s: int
    is_old: bool


class ShownBet(NamedTuple):
    """A value bet whose two prices are current."""

    bet: resources.ValueBet
    net_odds: float
    """After the commission that the bookmaker usually takes."""
    ev: float
    """EV as people read it: net odds over fair odds, minus 1, in percent."""
    age: Age
    sharp_age: Age
    is_live: bool
    has_started: bool
    """Its kick-off has passed, but the price is not marked as in play."""

    @property
    def is_doubtful(self) -> bool:
        """Whether to check before betting: a price is old, delayed, or from before kick-off."""
        is_old = self.age.is_old or self.sharp_age.is_old
        return is_old or self.has_started or is_delayed(self.bet.bookmaker)


class _SharpLine(NamedTuple):
    """A line of the sharp book, and the net odds above which a price of a side is an error."""

    sides: tuple[str, ...]
    most: Mapping[str, float]


def age_of(seen_at: int, now_ms: int, *, in_play: bool) -> Age:
    """Return the age of a price.

    It is old from the age at which the desk calls a price stale whose bookmaker's rhythm it does
    not know.
    """
    age_ms, after_ms = max(0, now_ms - seen_at), usual_stale_after_ms(in_play)
    return Age(format_ms(seen_at), _span(age_ms), after_ms // 1_000, age_ms > after_ms)


def _span(ms: int) -> str:
    seconds = round(ms / 1_000)
    return f"{seconds} s" if seconds < 90 else f"{round(ms / MINUTE_MS)} min"


def odds_text(odds: float) -> str:
    """Return odds with two decimals, or more if they have more."""
    return f"{odds:.2f}" if round(odds, 2) == odds else f"{odds:.7g}"


@cache
def _profiles() -> Profiles:
    return shipped_profiles()


def net_of(bookmaker: str, odds: float) -> float:
    """Return odds after the commission that a bookmaker usually takes."""
    return _profiles().profile_of(bookmaker).net(odds)


def shown_bets(call: Call) -> Iterator[ShownBet]:
    """Yield the first page of what REST lists, as far as both prices are in a game's matrix, too.

    REST keeps the contract's 15 minutes for both. Left out are bets below the minimum EV after
    commission, and those whose own line pays more than it costs: it is an error, old, or a boost.
    """
    yield from _shown(lists.dated_bets(call, WINDOW_MS).items, call.now_ms)


def bets_of_game(
    call: Call, game: resources.GameMatrix
) -> dict[tuple[str, int, str, str], ShownBet]:
    """Return the bets of a game by market type, period, selection and bookmaker.

    There are none if the plan has none.
    """
    found: dict[tuple[str, int, str, str], ShownBet] = {}
    asked: dict[str, Any] = {**call.asked, "competition": game.competition}
    while call.caller.rights.value_bets:
        page = lists.dated_bets(msgspec.structs.replace(call, asked=asked), WINDOW_MS)
        for each in _shown(page.items, call.now_ms):
            if (bet := each.bet).match_name == game.match_name:
                found[bet.market_type, bet.period, bet.selection, bet.bookmaker] = each
        if page.next_cursor is None:
            break
        asked["cursor"] = page.next_cursor
    return found


def _shown(bets: list[DatedBet], now_ms: int) -> Iterator[ShownBet]:
    for bet, is_live, scraped_at, sharp_at, market_odds in bets:
        net = net_of(bet.bookmaker, bet.odds)
        ev = expected_value(net, bet.fair_odds)
        if net < bet.odds and ev < SERVICE_RULES.minimum_ev(bet.market_type):
            continue
        if _is_line_in_doubt(bet, market_odds):
            continue
        kick_off = None if bet.match_date is None else parse_ms(bet.match_date)
        has_started = not is_live and kick_off is not None and now_ms > kick_off
        in_play = is_live or has_started
        ages = [age_of(at, now_ms, in_play=in_play) for at in (scraped_at, sharp_at)]
        yield ShownBet(bet, net, ev, ages[0], ages[1], is_live, has_started)


@lru_cache(maxsize=1 << 10)
def _is_line_in_doubt(bet: resources.ValueBet, market_odds: str) -> bool:
    odds = decode_odds(market_odds)
    groups = line_groups(bet.market_type, bet.match_name, odds, bet.sport)
    return any(
        bet.selection in group.selections and _doubt_of_line(bet.market_type, group, odds)
        for group in groups
    )


def doubts_of(
    game: resources.GameMatrix, market: resources.MarketMatrix, method: str
) -> dict[tuple[str, str], str]:
    """Return what speaks against prices of a market, by selection and bookmaker.

    These are never the best, by the rules of the desk's best prices: far above fair, a bet on
    something else, a line that pays more than it costs, a placeholder.
    """
    found: dict[tuple[str, str], str] = {}
    kind, name, sport = market.market_type, game.match_name, game.sport
    sharp = {
        row.selection: row.reference.odds
        for row in market.selections
        if row.reference is not None and row.reference.odds is not None
    }
    lines = {
        key: _SharpLine(
            line.group.sides,
            {side: most for side in line.prices if (most := suspicious_above(line, side))},
        )
        for key, line in reference_lines(
            Market(kind, name, sport, market.period), Prices("", sharp, 0, is_live=False), method
        ).items()
        if line.prices
    }
    for bookmaker in market.bookmakers:
        odds = {
            row.selection: cell.odds
            for row in market.selections
            if (cell := row.books.get(bookmaker)) is not None and cell.odds is not None
        }
        for group in _groups(kind, name, tuple(odds), sport):
            if doubt := _doubt_of_line(kind, group, odds):
                found |= {(each, bookmaker): doubt for each in group.selections}
            found |= _against(lines.get(group.key), group, odds, bookmaker)
    return found | _placeholders(market)


_groups = lru_cache(maxsize=1 << 10)(line_groups)
"""Most bookmakers of a market have the same selections."""


def _doubt_of_line(market_type: str, group: LineGroup, odds: Mapping[str, float]) -> str:
    overlaps = market_type == "double_chance"
    is_whole = len(group.selections) == _DOUBLE_CHANCES if overlaps else group.complete
    is_any = market_type == "yes_no" and not group.key
    if len(group.selections) < 2 or not group.sides or is_any:
        return ""
    prices = [odds[each] for each in group.selections]
    return "margin below 0" if line_doubts(prices, is_complete=is_whole, overlaps=overlaps) else ""


def _against(
    line: _SharpLine | None, group: LineGroup, odds: Mapping[str, float], bookmaker: str
) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield what the sharp book's line says against a bookmaker's."""
    if line is None:
        return
    is_alike = is_comparable(line.sides, frozenset(group.sides))
    for selection, side in zip(group.selections, group.sides, strict=False):
        if not is_alike:
            yield (selection, bookmaker), "different market"
        elif net_of(bookmaker, odds[selection]) > line.most.get(side, math.inf):
            yield (selection, bookmaker), ERROR


def _placeholders(market: resources.MarketMatrix) -> dict[tuple[str, str], str]:
    found = {}
    for row in market.selections:
        prices = {
            name: cell.odds
            for name, cell in row.books.items()
            if cell is not None and cell.odds is not None
        }
        if max(prices.values(), default=0.0) < LONG_ODDS:
            continue
        operators = {name: _profiles().profile_of(name).group for name in prices}
        for name, odds in prices.items():
            others = [prices[each] for each in prices if operators[each] != operators[name]]
            if is_placeholder(odds, None, max(others, default=None)):
                found[row.selection, name] = "placeholder"
    return found


def best_of(prices: Mapping[str, tuple[float, bool]]) -> tuple[list[str], float]:
    """Return who offers the highest net odds, and these; old prices only if all are old.

    ``prices`` are net odds, and whether they are old, by bookmaker.
    """
    fresh = {name: net for name, (net, is_old) in prices.items() if not is_old}
    known = fresh or {name: net for name, (net, _) in prices.items()}
    best = max(known.values(), default=math.nan)
    return sorted(name for name, net in known.items() if net == best), best
