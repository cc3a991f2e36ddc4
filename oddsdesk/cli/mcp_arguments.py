"""What the tools of `oddsdesk mcp` take; their JSON schemas are made from these structs.

The descriptions are read by a language model, and by the person who reads its transcript.
"""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from oddsdesk.pricing.devig import METHODS

MOST_ROWS: Final = 200
"""The cap of lists of games and bets."""
MOST_MOVES: Final = 1_000
_LONGEST: Final = 300

Text = Annotated[str, Meta(max_length=_LONGEST)]
Moment = Annotated[
    str,
    Meta(
        max_length=40,
        description="A time with its zone, such as 2026-11-30T18:00:00Z; a date is midnight UTC.",
    ),
]
Method = Annotated[
    str,
    Meta(
        pattern=f"^({'|'.join(METHODS)})$",
        description=f"Devig method: how margins are removed, one of {', '.join(METHODS)}. "
        "Default: the desk's setting.",
    ),
]
Reference = Annotated[
    str,
    Meta(
        max_length=_LONGEST,
        description="The sharp book whose prices, margin removed, are the fair odds: a bookmaker, "
        "an exchange, 'consensus' (all together) or 'consensus (learned)'. Default: the desk's "
        "setting, else the database's or the service's own.",
    ),
]
Limit = Annotated[
    int, Meta(ge=1, le=MOST_ROWS, description="The most rows to return, from 1 to 200.")
]
GameId = Annotated[
    str, Meta(min_length=1, max_length=100, description="The id of a game, from the tool games.")
]
MarketType = Annotated[
    str,
    Meta(max_length=60, description="A market type as in the matrix: moneyline, total, spread."),
]
Period = Annotated[
    int, Meta(ge=0, le=100, description="The part of the game; 0 is the whole game.")
]


class _Arguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments; unknown ones are refused."""


class GamesArguments(_Arguments, frozen=True):
    """Which games to list."""

    sport: Text | None = None
    competition: Annotated[str, Meta(max_length=_LONGEST, description="Its code, such as EPL.")] | (
        None
    ) = None
    team: (
        Annotated[
            str,
            Meta(max_length=_LONGEST, description="Part of the game's name; case does not matter."),
        ]
        | None
    ) = None
    at: Moment | None = None
    limit: Limit = 50


class MatrixArguments(_Arguments, frozen=True):
    """Which game, and how much of it."""

    game_id: GameId
    market_type: MarketType | None = None
    period: Period | None = None
    reference: Reference | None = None
    limit: Limit = 40


class AsOfArguments(MatrixArguments, frozen=True, kw_only=True):
    """Which game, and when."""

    at: Moment


class PriceArguments(_Arguments, frozen=True):
    """Which price: a selection at a bookmaker, as the matrix writes them."""

    game_id: GameId
    market_type: MarketType
    selection: Text
    bookmaker: Text
    period: Period = 0
    reference: Reference | None = None
    at: Moment | None = None


class BetsArguments(_Arguments, frozen=True):
    """Which value bets to list."""

    bankroll: (
        Annotated[
            float,
            Meta(gt=0, description="Stakes are a fraction of it. Default: the desk's setting."),
        ]
        | None
    ) = None
    preset: (
        Annotated[
            str,
            Meta(max_length=_LONGEST, description="List only what this preset of the desk lists."),
        ]
        | None
    ) = None
    everything: Annotated[
        bool,
        Meta(
            description="Also value before commission, and prices left out only for a warning: "
            "these have no stake."
        ),
    ] = False
    reference: Reference | None = None
    derived: (
        Annotated[
            Literal["all", "implied", "none"],
            Meta(
                description="Whether lines that the sharp book does not price are judged by fair "
                "odds derived from its other lines. Default: the desk's setting."
            ),
        ]
        | None
    ) = None
    limit: Limit = 50


class OpportunitiesArguments(_Arguments, frozen=True):
    """Which opportunities to list."""

    least: Annotated[
        float, Meta(ge=-100, le=1000, description="Minimum profit in percent in the worst outcome.")
    ] = 0.0
    kind: Literal["arbitrage", "middle", "low-hold"] | None = None
    lays: Annotated[bool, Meta(description="Whether a lay at an exchange can be a leg.")] = True
    reference: Reference | None = None
    limit: Limit = 25


class HistoryArguments(_Arguments, frozen=True):
    """Which moves to list."""

    game_id: GameId
    market_type: MarketType | None = None
    period: Period | None = None
    selection: Text | None = None
    bookmaker: Text | None = None
    since: Moment | None = None
    until: Moment | None = None
    limit: Annotated[
        int, Meta(ge=1, le=MOST_MOVES, description="The most moves to return, from 1 to 1000.")
    ] = 200
    cursor: (
        Annotated[
            str, Meta(max_length=500, description="next_cursor of an earlier answer, to read on.")
        ]
        | None
    ) = None


Odds = Annotated[
    str, Meta(max_length=20, description="Decimal (2.05), fractional (21/20) or American (+105).")
]


class DevigArguments(_Arguments, frozen=True):
    """The odds of one market."""

    odds: Annotated[
        list[Odds],
        Meta(min_length=2, max_length=100, description="The odds of all outcomes of a market."),
    ]


Words = Annotated[str, Meta(max_length=100)]


class FairArguments(_Arguments, frozen=True):
    """A sport, and either some odds of one bookmaker before kick-off, or expected goals."""

    sport: Text
    moneyline: (
        Annotated[
            str, Meta(max_length=100, description="Odds of home, draw and away: '2.05 3.5 3.7'.")
        ]
        | None
    ) = None
    totals: Annotated[
        list[Words], Meta(max_length=20, description="Line, over, under: '2.5 1.95 1.9'.")
    ] = []
    spreads: Annotated[
        list[Words],
        Meta(max_length=20, description="The home team's handicap, home, away: '-0.5 2.05 1.85'."),
    ] = []
    team_totals: Annotated[
        list[Words],
        Meta(max_length=20, description="Home or Away, line, over, under: 'Home 1.5 2.1 1.75'."),
    ] = []
    btts: (
        Annotated[
            str, Meta(max_length=100, description="Both teams to score, yes and no: '1.8 2.05'.")
        ]
        | None
    ) = None
    rates: (
        Annotated[
            list[float],
            Meta(
                min_length=2, max_length=2, description="Expected goals of both teams (football)."
            ),
        ]
        | None
    ) = None
    rho: (
        Annotated[float, Meta(description="With rates: below 0 makes 0-0 and 1-1 more likely.")]
        | None
    ) = None
    limit: Limit = 60
    method: Method | None = None


class ScorecardArguments(_Arguments, frozen=True):
    """Which part of the log, and how to judge it."""

    since: Moment | None = None
    until: Moment | None = None
    method: Method | None = None
    reference: Reference | None = None
    close_reference: Reference | None = None
    close_method: Method | None = None
    limit: Limit = 50


class BacktestArguments(_Arguments, frozen=True):
    """Which part of the log, and what to bet."""

    since: Moment | None = None
    until: Moment | None = None
    strategy: Annotated[
        Literal["value", "best-vs-mean"],
        Meta(description="value: what the desk's rules call value."),
    ] = "value"
    preset: Text | None = None
    method: Method | None = None
    reference: Reference | None = None
    close_reference: Reference | None = None
    close_method: Method | None = None
    derived: Literal["all", "implied", "none"] | None = None
    latency_ms: Annotated[
        int,
        Meta(ge=0, le=86_400_000, description="Milliseconds between seeing a price and betting."),
    ] = 0
    at: Annotated[
        Literal["any", "close"],
        Meta(description="Bet at any moment, or only at the last prices before the game starts."),
    ] = "any"
    least_ev: (
        Annotated[
            float, Meta(ge=-5, le=1000, description="Least EV of a bet in percent of its stake.")
        ]
        | None
    ) = None
    alpha: (
        Annotated[
            float, Meta(ge=0, lt=1, description="With best-vs-mean: allowance for the margin.")
        ]
        | None
    ) = None
    least_books: (
        Annotated[
            int, Meta(ge=1, le=1000, description="With best-vs-mean: how many must price the side.")
        ]
        | None
    ) = None
    series: Text | None = None
    rules: Annotated[
        str, Meta(max_length=_LONGEST, description="'contract', 'none', or names of price rules.")
    ] = "contract"
    staking: Literal["flat", "proportional", "kelly"] = "flat"
    share_pct: (
        Annotated[
            float, Meta(gt=0, le=100, description="Percent of the bankroll, or of full Kelly.")
        ]
        | None
    ) = None
    bankroll: Annotated[float, Meta(gt=0, description="Units at the start.")] | None = None
    grid: (
        Annotated[
            str,
            Meta(
                max_length=_LONGEST,
                description="Compare all combinations: 'method=power,shin;reference=Pinnacle'.",
            ),
        ]
        | None
    ) = None
    rows: Annotated[
        int, Meta(ge=0, le=MOST_ROWS, description="The most bets to list of each, from 0 to 200.")
    ] = 0


class ReportArguments(_Arguments, frozen=True):
    """How to split the report."""

    by: Text | None = None
    close_reference: Reference | None = None
    close_method: Method | None = None
