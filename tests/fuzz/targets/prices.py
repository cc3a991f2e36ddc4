"""Devig: each method over whatever prices a quote may hold."""

import itertools
import math
import struct

import msgspec

from oddsdesk.contract.competitions import sport_of
from oddsdesk.contract.quotes import BadQuoteError, Quote, parse_quote
from oddsdesk.pricing.assessment import Market, Prices, value_bets, verdicts
from oddsdesk.pricing.devig import METHODS, PUBLISHED, DevigError, devig

NOW_MS = 1_790_000_000_000
NEAR = 1e-6
MOST = 24


def take_margin_out(data: bytes) -> None:
    """Take the margin out of prices, eight bytes each."""
    prices = [price for (price,) in struct.iter_unpack("<d", data[: len(data) // 8 * 8])]
    odds = [price for price in prices if 1 < price < math.inf][:MOST]
    for method in METHODS:
        _devig(method, odds)


def value(data: bytes) -> None:
    """Judge quotes of one market; the first is the reference's."""
    quotes = list(_quotes(data))
    if not quotes:
        return
    first = quotes[0]
    market = Market(first.market_type, first.match_name, sport_of(first.competition), first.period)
    reference, *books = [
        Prices(quote.bookmaker, quote.odds, quote.scraped_at, quote.is_live) for quote in quotes
    ]
    for method in METHODS:
        _devig(method, list(reference.odds.values())[:MOST])
        judged = list(verdicts(market, reference, books, NOW_MS, method))
        found = value_bets(market, reference, books, NOW_MS, method)
        assert [each for each in judged if each.verdict.is_value] == found


def _quotes(data: bytes) -> list[Quote]:
    try:
        raw = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []
    quotes = []
    for item in raw if isinstance(raw, list) else []:
        try:
            quotes.append(parse_quote(msgspec.json.encode(item), NOW_MS))
        except (BadQuoteError, RecursionError):
            continue
    return quotes


def _devig(method: str, odds: list[float]) -> None:
    try:
        fair = devig(method, odds)
    except DevigError:
        return
    assert len(fair.probabilities) == len(odds)
    assert all(0 < each < 1 for each in fair.probabilities)
    assert all(1 < each < math.inf for each in fair.fair_odds)
    if method != PUBLISHED:
        assert abs(math.fsum(fair.probabilities) - 1) < NEAR, (method, odds, fair)
    ranked = [each for _, each in sorted(zip(odds, fair.probabilities, strict=True))]
    assert all(b <= a * (1 + NEAR) for a, b in itertools.pairwise(ranked))
