"""Market types: one table with everything about each, in the contract's order.

To add a type, add an entry here and a name in the feeds that have it. Pricing, settlement and the
desk derive what to do from its form and from what a draw means for it.
"""

from collections.abc import Callable, Mapping
from enum import Enum, auto
from types import MappingProxyType
from typing import Final, NamedTuple

from oddsdesk.contract.texts import folded


class Form(Enum):
    """How selections are written, and so what they bet on."""

    WINNER = auto()
    """``Arsenal``, or ``Draw``."""
    HANDICAP = auto()
    """``Arsenal -1.5``."""
    OVER_UNDER = auto()
    """``Over 2.5``."""
    TEAM_OVER_UNDER = auto()
    """``Home Over 1.5``."""
    PLAYER_OVER_UNDER = auto()
    """``Messi shots Over 2.5``."""
    DOUBLE_CHANCE = auto()
    """``1X``; the sides overlap."""
    YES_NO = auto()
    """``Yes``."""
    QUESTION = auto()
    """``Both teams score Yes``."""


class Draw(Enum):
    """What a draw is to a market."""

    """What a draw means for a market."""
    NOTHING = auto()
    """Its bets are not on the winner of the game."""
    MAY_BE_SIDE = auto()
    """A separate selection in games that can be drawn."""
    SIDE = auto()
    """Always a separate selection."""
    RETURNED = auto()
    """Stakes are returned; for a handicap at line 0."""


class MarketType(NamedTuple):
    """The properties of a market type."""

    title: str
    """Its name for people."""
    form: Form
    draw: Draw = Draw.NOTHING
    by_score: bool = False
    """Whether the score of the game settles it: goals or points."""
    names: str = ""
    """Other names that bookmakers and trackers use, separated by commas."""


MARKETS: Final[Mapping[str, MarketType]] = MappingProxyType(
    {
        "moneyline": MarketType(
            "Match result",
            Form.WINNER,
            Draw.MAY_BE_SIDE,
            by_score=True,
            names="1x2, h2h, match odds, match winner, money line, full time result, result",
        ),
        "spread": MarketType(
            "Handicap",
            Form.HANDICAP,
            Draw.RETURNED,
            by_score=True,
            names="spreads, point spread, asian handicap, run line, puck line",
        ),
        "total": MarketType(
            "Total",
            Form.OVER_UNDER,
            by_score=True,
            names="totals, over/under, goals over/under, total goals, total points, über/unter",
        ),
        "btts": MarketType(
            "Both teams to score",
            Form.YES_NO,
            by_score=True,
            names="both to score, beide teams treffen",
        ),
        "double_chance": MarketType("Double chance", Form.DOUBLE_CHANCE, by_score=True),
        "draw_no_bet": MarketType(
            "Draw no bet", Form.WINNER, Draw.RETURNED, by_score=True, names="dnb"
        ),
        "3way_handicap": MarketType(
            "3-way handicap", Form.HANDICAP, Draw.SIDE, by_score=True, names="european handicap"
        ),
        "total_games": MarketType("Total games", Form.OVER_UNDER),
        "games_handicap": MarketType("Games handicap", Form.HANDICAP),
        "team_total": MarketType(
            "Team total", Form.TEAM_OVER_UNDER, by_score=True, names="team totals"
        ),
        "player_prop": MarketType("Player prop", Form.PLAYER_OVER_UNDER, names="player props"),
        "yes_no": MarketType("Yes or no", Form.QUESTION),
    }
)

MARKET_TYPES: Final = tuple(MARKETS)
MARKET_RANK: Final = {market_type: rank for rank, market_type in enumerate(MARKET_TYPES)}


def types_with(has: Callable[[MarketType], bool]) -> frozenset[str]:
    """Return the market types for which something holds."""
    return frozenset(name for name, market in MARKETS.items() if has(market))


def types_of(*forms: Form) -> frozenset[str]:
    """Return the market types of some forms."""
    return types_with(lambda market: market.form in forms)


def form_of(market_type: str) -> Form | None:
    """Return the form of a market type; None for an unknown one."""
    market = MARKETS.get(market_type)
    return None if market is None else market.form


SCORE_MARKETS: Final = types_with(lambda market: market.by_score)
"""Market types that the score of the game settles."""
TOTALS: Final = types_of(Form.OVER_UNDER, Form.TEAM_OVER_UNDER, Form.PLAYER_OVER_UNDER)
"""Market types whose lines are a number to be passed."""
HANDICAPS: Final = types_with(
    lambda market: market.form is Form.HANDICAP and market.draw is not Draw.SIDE
)
"""Market types of two sides whose lines are the home team's handicap."""
LINE_MARKETS: Final = TOTALS | types_of(Form.HANDICAP)
"""Market types whose rows may hold several lines."""
DRAW_RETURNS: Final = types_with(lambda market: market.draw is Draw.RETURNED)
"""Market types whose stakes may come back where the game is drawn."""
DRAW_VOIDS: Final = DRAW_RETURNS & types_of(Form.WINNER)
"""Those whose stakes come back then whatever the line, as they have none."""


def market_title(market_type: str) -> str:
    """Return the name people read; an unknown type is its own title."""
    market = MARKETS.get(market_type)
    return market_type if market is None else market.title


def market_named(text: str) -> str:
    """Return the market type that people call so; an unknown name as it is."""
    return _NAMED.get(folded(text), text)


_NAMED: Final = {
    folded(name): market_type
    for market_type, market in MARKETS.items()
    for name in (*market.names.split(", "), market.title, market_type)
    if name
}
"""Market types by what they are called, folded."""
