"""The settings of a backtest: which prices are bet on, when, and for how much."""

from typing import Final, Literal

import msgspec

from oddsdesk.ledger.presets import ValueFilter
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.derived import Bands
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.value import SERVICE_RULES, DerivedChoice, ListRules
from oddsdesk.research.past_game import Mine

Strategy = Literal["value", "best-vs-mean"]
"""``value``: what the desk's rules call value. ``best-vs-mean``: the best price of a match result
against the mean of all bookmakers (Kaunitz, Zhong and Kreiner, "Beating the bookies with their own
numbers", arXiv 1710.02824, 2017)."""
BetAt = Literal["any", "close"]
"""``any``: at any moment before the game. ``close``: at the last prices before it starts."""
StakingKind = Literal["flat", "proportional", "kelly"]
SERIES: Final = ("football-data",)
"""Series of statistics that can be bet on: the best and the mean price of many bookmakers."""


class Staking(msgspec.Struct, frozen=True, kw_only=True):
    """How much is staked on each bet; shares and caps are fractions of the running bankroll."""

    kind: StakingKind = "flat"
    """``flat``: one unit. ``proportional``: ``share``. ``kelly``: ``share`` of Kelly."""
    bankroll: float = 100.0
    """In units, at the beginning; it grows by the profit of games that are over."""
    share: float = 0.01
    outcome_cap: float = 0.02
    game_cap: float = 0.03
    total_cap: float = 0.25


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a backtest; times in milliseconds."""

    reference: str
    """A bookmaker, or ``CONSENSUS_TITLE`` for all bookmakers together."""
    method: str
    profiles: Profiles
    close: CloseBy
    """The closing line behind all CLV, whatever valued the bets; its sharp book by name."""
    mine: Mine = None
    since_ms: int | None = None
    """Bets are placed from this time on; earlier rows are read but not bet on."""
    until_ms: int | None = None
    """Rows known at this time or later are not read."""
    latency_ms: int = 0
    """Time from seeing a price to betting on it."""
    preset: str = ""
    filter: ValueFilter | None = None
    derived: DerivedChoice = "none"
    """Which kinds of derived prices judge lines that the reference does not price."""
    bands: Bands = msgspec.field(default_factory=dict)
    """The error bands of modelled prices by ``method``."""
    rules: ListRules = SERVICE_RULES
    """The rules that a value bet must pass."""
    strategy: Strategy = "value"
    at: BetAt = "any"
    alpha: float = 0.05
    """For ``best-vs-mean``: subtracted from 1/mean for the bookmakers' margin."""
    least_books: int = 3
    """For ``best-vs-mean``: how many bookmakers must price the selection."""
    series: str = ""
    """One of ``SERIES``: bet on its best prices instead of bookmakers' prices. Empty: do not."""
    staking: Staking = Staking()
