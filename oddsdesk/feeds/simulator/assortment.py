"""Which markets and lines a bookmaker has."""

from types import MappingProxyType
from typing import Final

import msgspec

from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.feeds.simulator.fixtures import BookmakerProfile, Offer
from oddsdesk.feeds.simulator.groups import Group, MarketKey


class Assortment(msgspec.Struct, frozen=True):
    """Markets, how many lines around the main one, whether parts of games and Asian lines."""

    market_types: frozenset[str]
    widest_rank: int
    widest_live_rank: int
    last_period: int
    asian: bool = False
    variant: str = "overtime"

    def has(self, key: MarketKey) -> bool:
        """Whether the bookmaker prices this market."""
        return (
            key.market_type in self.market_types
            and key.period <= self.last_period
            and key.variant in ("", self.variant)
        )

    def lines(self, groups: tuple[Group, ...], live: bool) -> list[Group]:
        """Return those of a market's line groups that the bookmaker prices."""
        widest = self.widest_live_rank if live else self.widest_rank
        return [
            group for group in groups if group.rank <= widest and (self.asian or not group.asian)
        ]


_ALL: Final = frozenset(MARKET_TYPES)
_CORE: Final = frozenset({"moneyline", "spread", "total", "total_games", "games_handicap"})
_POPULAR: Final = _CORE | {"btts", "double_chance", "draw_no_bet", "team_total"}

REFERENCE: Final = Assortment(_ALL, 2, 2, 4, asian=True)

_OFFERS: Final = MappingProxyType(
    {
        Offer.FULL: (_ALL, 1, 1, 4, False),
        Offer.POPULAR: (_POPULAR, 1, 0, 1, False),
        Offer.CORE: (_CORE, 0, 0, 0, False),
        Offer.ASIAN: (_CORE, 2, 1, 1, True),
        Offer.EXCHANGE: (_CORE | {"btts", "draw_no_bet"}, 1, 0, 1, False),
        Offer.PREDICTION: (frozenset({"moneyline", "btts", "yes_no"}), 0, 0, 0, False),
    }
)


def assortment(profile: BookmakerProfile) -> Assortment:
    """Return what a bookmaker of this profile prices."""
    types, rank, live_rank, last_period, asian = _OFFERS[profile.offer]
    variant = "regulation" if profile.regulation else "overtime"
    return Assortment(types, rank, live_rank, last_period, asian, variant)
