"""What bets on everything across bookmakers as they may be bet on: their legs, stakes and key."""

from typing import Final, NamedTuple

import msgspec

from oddsdesk.board.matrix import RowKey
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.depth import Depth, Ladder, net_paying, stakeable
from oddsdesk.pricing.opportunities import Between, Middle, OpportunityKind, Outlay

_RANK: Final = {kind: rank for rank, kind in enumerate(OpportunityKind)}


class OpportunityKey(NamedTuple):
    """What an opportunity is about, whoever offers it."""

    game_id: str
    market_type: str
    period: int
    groups: tuple[str, ...]
    """The line group, as ``LineGroup.key``; of a middle that of each leg."""
    sides: tuple[str, ...]
    """What each leg bets on."""


class OpportunityLeg(NamedTuple):
    """A leg as it may be bet on."""

    key: RowKey
    """Of its price; a bookmaker of None is the reference."""
    bookmaker: str
    odds: float
    net_odds: float
    stake: float
    seen_at: int
    """In milliseconds."""
    cautions: tuple[Caution, ...]
    """What speaks against the price beside the reference's; it is a leg all the same."""
    url: str | None
    same_at: tuple[str, ...] = ()
    """Who else offers as much net, and goes with the other legs."""
    most: float | None = None
    """The most that the bookmaker takes, as the user noted it."""
    depth: Depth | None = None
    """What is for sale (D104); None where nobody tells."""
    ladder: Ladder | None = None
    """The same at net odds."""

    @property
    def for_sale(self) -> tuple[float, str] | None:
        """The stake that the best odds take, and its currency; None where nobody tells."""
        if self.depth is None or self.ladder is None:
            return None
        is_there = bool(self.ladder) and self.depth.levels[0][1] > 0
        return self.ladder[0].most if is_there else 0.0, self.depth.currency

    @property
    def room(self) -> float | None:
        """The largest stake: by the bookmaker's limit and what is for sale; None for any."""
        if self.ladder is None:
            return self.most
        for_sale = stakeable(self.ladder)
        return for_sale if self.most is None else min(self.most, for_sale)

    def net_paying(self, paid: float) -> float:
        """Return the net odds of the stake that pays back an amount."""
        return net_paying(self.ladder, paid) if self.ladder else self.net_odds


class Opportunity(msgspec.Struct, frozen=True):
    """Legs that cover everything, with their stakes; amounts in the user's money."""

    key: OpportunityKey
    kind: OpportunityKind
    match_name: str
    competition: str
    sport: str
    kick_off: int | None
    in_play: bool
    line: float | None
    """That of the first leg; of handicaps the home team's."""
    legs: tuple[OpportunityLeg, ...]
    total: float
    """S: the sum of 1/net odds."""
    outlay: Outlay
    middle: Middle | None
    between: Between | None
    """Where both legs stand; None where one of them always loses."""
    due_at: float
    """When time alone may change it, in milliseconds."""

    def order(self) -> tuple[object, ...]:
        """Return what opportunities are sorted by: kind, then the least S."""
        key = self.key
        place = (self.competition, self.match_name, key.market_type, key.period, key.groups)
        return (_RANK[self.kind], self.total, *place, key.sides)

    @property
    def hold_pct(self) -> float:
        """The margin ``S - 1`` in percent; below 0 something is won with fine enough stakes.

        The name is that of D59's answer: where a table says hold, it is ``1 - 1/S``.
        """
        return (self.total - 1) * 100

    @property
    def eaten_pct(self) -> float:
        """What stakes in finer steps would win, where those in the user's win nothing; else 0."""
        if self.kind is not OpportunityKind.LOW_HOLD or self.total >= 1:
            return 0.0
        return (1 / self.total - 1) * 100

    @property
    def limited_by(self) -> str | None:
        """The bookmaker whose limit makes all stakes smaller; None for none."""
        place = self.outlay.limited_by
        return None if place is None else self.legs[place].bookmaker

    @property
    def profit_pct(self) -> float:
        """The worst outcome that decides after rounding, in percent of what is staked (D59)."""
        return self.outlay.worst_pct
