"""Prices that stand out on purpose: a few real value bets, near misses and wild outliers."""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from oddsdesk.feeds.simulator.game import View
from oddsdesk.feeds.simulator.groups import Group, MarketKey
from oddsdesk.feeds.simulator.listing import Listing, Slip
from oddsdesk.feeds.simulator.prices import Pricer, reference_margin
from oddsdesk.feeds.simulator.sports import MINUTE_MS

_FLOOR = 1.01
_LEAST_EDGE = 1.013
_MOST_EDGE = 1.055
_NEAR_MISS = (1.001, 1.008)
_OUTLIER = (1.18, 1.45)
_LEAST_PAYOUT = 0.992
_VALUE_SHARE = 0.55
_NEAR_SHARE = 0.8
_UNVALUED = frozenset({"player_prop", "double_chance"})
_ATTEMPTS = 6


class _Candidate(NamedTuple):
    key: MarketKey
    group: Group
    place: int

    @property
    def chance(self) -> float:
        return self.group.probabilities[self.place]


def find_slip(listing: Listing, pricer: Pricer, now_ms: int, random: Random) -> Slip | None:
    """Return a price of a listing to set apart, None if none fits this time."""
    view = listing.game.view(now_ms)
    candidates = [c for c in _candidates(listing, view) if 0.15 <= c.chance <= 0.75]
    if not candidates:
        return None
    until_ms = now_ms + round(random.uniform(2, 7) * MINUTE_MS)
    for _ in range(_ATTEMPTS):
        candidate = random.choice(candidates)
        price = pricer.set_price(_target(candidate, view.live, random))
        if price > listing.offers[candidate.key][candidate.group.selections[candidate.place]]:
            return Slip(candidate.key, candidate.group.selections[candidate.place], price, until_ms)
    return None


def _candidates(listing: Listing, view: View) -> Iterator[_Candidate]:
    for key, groups in view.markets.items():
        odds = listing.offers.get(key)
        if odds is None or key.market_type in _UNVALUED:
            continue
        for group in groups:
            if all(selection in odds for selection in group.selections):
                yield from (_Candidate(key, group, i) for i in range(len(group.selections)))


def _target(candidate: _Candidate, live: bool, random: Random) -> float:
    """Return the price aimed at, by the contract's rules and the reference's margin."""
    fair = 1 / candidate.chance
    draw = random.random()
    if draw < _VALUE_SHARE:
        margin = reference_margin(candidate.key, live)
        others = 1 - candidate.chance + margin * (1 - 1 / len(candidate.group.selections))
        most = min(1 / (_LEAST_PAYOUT - others), fair * _FLOOR * _MOST_EDGE)
        return random.uniform(min(fair * _FLOOR * _LEAST_EDGE, most), most)
    edges = _NEAR_MISS if draw < _NEAR_SHARE else _OUTLIER
    return fair * _FLOOR * random.uniform(*edges)
