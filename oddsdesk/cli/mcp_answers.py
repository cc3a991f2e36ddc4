"""What the tools of `oddsdesk mcp` take and answer; their JSON schemas are made from these structs.

The descriptions are read by a language model, and by the person who reads its transcript.
"""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

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


class Answer(msgspec.Struct, kw_only=True):
    """What every answer has."""

    read_at: Annotated[
        str, Meta(description="The moment that the answer is about, UTC. Prices move: ask again.")
    ]
    notes: Annotated[
        list[str], Meta(description="What to know about the answer; nothing is missing if empty.")
    ]
    cut: Annotated[
        str, Meta(description="Empty if the list is whole; else how many rows there are.")
    ] = ""


class Priced(Answer, kw_only=True):
    """An answer that rests on prices."""

    sources: Annotated[
        list[str], Meta(description="Where the prices come from; empty if unknown.")
    ] = []
    simulated: Annotated[
        bool, Meta(description="Whether the prices are made up: nobody offers them.")
    ] = False
    shifted: Annotated[
        bool, Meta(description="Whether old prices are among them, with their times moved to now.")
    ] = False
    reference: Annotated[str, Meta(description="The sharp book that prices are judged by.")] = ""


class GameRow(msgspec.Struct):
    """A game; `match_date` is its kick-off in UTC, null if unknown."""

    game_id: str
    match_name: str
    competition: str
    sport: str
    match_date: str | None
    is_live: bool
    bookmaker_count: int
    last_scraped_at: str | None


class GamesAnswer(Answer, kw_only=True):
    """Games by kick-off."""

    games: list[GameRow]


class Cell(msgspec.Struct):
    """A bookmaker's price: decimal odds, and when it was last read there, UTC."""

    bookmaker: str
    odds: float
    scraped_at: str
    is_live: bool | None


class MatrixLine(msgspec.Struct):
    """A selection with its prices; odds are decimal, null if not known."""

    market_type: str
    period: int
    period_label: str
    line: str
    selection: str
    reference_odds: Annotated[float | None, Meta(description="The sharp book's own price.")]
    fair_odds: Annotated[float | None, Meta(description="Without the margin; null: not valued.")]
    derived: Annotated[
        str | None,
        Meta(description="implied or modelled: fair odds follow from other lines; else null."),
    ]
    value_from: Annotated[
        float | None, Meta(description="From these odds on, after commission, it is value.")
    ]
    suspicious_above: Annotated[
        float | None, Meta(description="Above these odds, after commission, probably an error.")
    ]
    best_net_odds: Annotated[
        float | None,
        Meta(description="The best price after commission, the sharp book's not among them."),
    ]
    best_bookmakers: list[str]
    prices: list[Cell]


class MatrixAnswer(Priced, kw_only=True):
    """A game's prices by selection; prices that are no longer offered are left out."""

    game_id: str
    match_name: str
    competition: str
    sport: str
    match_date: str | None
    is_live: bool
    bookmakers: list[str]
    selections: list[MatrixLine]


class BetRow(msgspec.Struct):
    """A value bet as `oddsdesk bets --json` has it; EV is in percent, stake in money."""

    game_id: str
    match_name: str
    competition: str
    market_type: str
    period: int
    selection: str
    bookmaker: str
    odds: float
    net_odds: Annotated[float, Meta(description="After commission and tax.")]
    fair_odds: float | None
    ev_pct: float | None
    per: Annotated[str, Meta(description="staked, or decided: then EV leaves out returned stakes.")]
    derived: str | None
    band_pct: Annotated[float | None, Meta(description="EV may be off by this either way.")]
    service_ev_pct: float | None
    cautions: Annotated[list[str], Meta(description="Warnings; a price with one has no stake.")]
    stake: float | None
    bound: Annotated[str | None, Meta(description="What limited the stake.")]
    same_bet_as: Annotated[str | None, Meta(description="The bookmaker that has the stake.")]
    same_bet_selection: str | None
    for_sale: (
        Annotated[float, Meta(description="What can be staked at value odds; absent if not known.")]
        | UnsetType
    ) = UNSET


class BetsAnswer(Priced, kw_only=True):
    """Value bets, best EV first."""

    bets: list[BetRow]


class Leg(msgspec.Struct):
    """A leg; the stake of a lay is its liability."""

    side: str
    bookmaker: str
    market_type: str
    line: float | None
    selection: str
    odds: float
    net_odds: float
    stake: float
    derived: str | None
    band_pct: float | None
    cautions: list[str]
    lay_odds: float | UnsetType = UNSET
    backers_stake: float | UnsetType = UNSET
    liability: float | UnsetType = UNSET
    for_sale: float | UnsetType = UNSET
    placed: Annotated[float, Meta(description="Already placed, by the ledger.")] | (
        UnsetType
    ) = UNSET


class OpportunityRow(msgspec.Struct):
    """A set of bets as `oddsdesk arbitrage --json` has it."""

    kind: str
    game_id: str
    match_name: str
    competition: str
    market_type: str | None
    period: int
    line: float | None
    profit_pct: Annotated[float, Meta(description="Of all stakes, in the worst decided outcome.")]
    push: float | None
    hold_pct: float
    derived: str | None
    band_pct: float | None
    legs: list[Leg]
    notes: Annotated[list[str], Meta(description="Where bookmakers' rules differ.")]
    limited_by: str | UnsetType = UNSET
    loss: float | UnsetType = UNSET
    hit: float | UnsetType = UNSET
    break_even_pct: float | UnsetType = UNSET
    chance_pct: float | UnsetType | None = UNSET


class OpportunitiesAnswer(Priced, kw_only=True):
    """Opportunities by kind, best first."""

    opportunities: list[OpportunityRow]


class RuleRow(msgspec.Struct):
    """A rule of a value bet: edges in percent, ages in milliseconds, other figures as ratios."""

    rule: str
    title: str
    holds: bool
    figure: float | None
    least: float | None
    most: float | None
    text: Annotated[str, Meta(description="The figure and its distance to the threshold.")]


class StepRow(msgspec.Struct):
    """A step of the arithmetic; the formula is empty if it does not fit in a line."""

    name: str
    formula: str
    result: str


class MethodRow(msgspec.Struct):
    """What a devig method says of the price; EV is in percent."""

    method: str
    fair_odds: float | None
    ev: float | None
    problem: str | None


class QuotedRow(msgspec.Struct):
    """A price of the sharp book."""

    selection: str
    odds: float


class PriceAnswer(Priced, kw_only=True):
    """A price; figures are rounded as in the list of value bets."""

    game_id: str
    match_name: str
    market_type: str
    period: int
    selection: str
    bookmaker: str
    odds: float
    net_odds: Annotated[float, Meta(description="After commission and tax.")]
    fair_odds: Annotated[float | None, Meta(description="null if the price is not valued.")]
    ev_pct: Annotated[
        float | None, Meta(description="Expected value in percent of what `per` names.")
    ]
    per: str
    derived: str | None
    band_pct: float | None
    service_ev_pct: float | None
    scraped_at: Annotated[
        str | None, Meta(description="When the price was last read at the bookmaker, UTC.")
    ]
    is_value: bool
    cautions: list[str]
    rules: list[RuleRow]


class ExplainAnswer(PriceAnswer, kw_only=True):
    """Why a price has the EV that it has."""

    method: str
    overround: Annotated[
        float | None, Meta(description="The sum of 1/odds of the sharp book: 1 plus its margin.")
    ]
    quoted: Annotated[list[QuotedRow], Meta(description="What the margin was removed from.")]
    steps: list[StepRow]
    methods: list[MethodRow]
    value_from: Annotated[float | None, Meta(description="In the bookmaker's own odds.")]
    value_up_to: float | None
    text: Annotated[str, Meta(description="The same in words, as the desk's Explain copies it.")]


class WhyNotAnswer(PriceAnswer, kw_only=True):
    """Why a price is not value."""

    reasons: Annotated[list[str], Meta(description="Empty if the price is value.")]
    changes: Annotated[
        list[str], Meta(description="What would have to change; empty if no change would do.")
    ]


class Move(msgspec.Struct):
    """The price is `odds` from `scraped_at` (UTC) on; null: no longer offered."""

    bookmaker: str
    market_type: str
    period: int
    selection: str
    odds: float | None
    scraped_at: str
    is_live: bool


class HistoryAnswer(Answer, kw_only=True):
    """Price moves by time."""

    moves: list[Move]
    next_cursor: Annotated[
        str | None, Meta(description="Pass it as cursor to read on; null at the end.")
    ]


class DevigRow(msgspec.Struct):
    """A method's answer in the order of the odds, or its error."""

    method: str
    probabilities: list[float] | UnsetType = UNSET
    fair_odds: list[float] | UnsetType = UNSET
    parameter: float | UnsetType | None = UNSET
    error: str | UnsetType = UNSET


class DevigAnswer(msgspec.Struct):
    """The odds in decimal, the sum of 1/odds, and each method's fair odds."""

    odds: list[float]
    overround: float
    methods: list[DevigRow]


class FairRow(msgspec.Struct):
    """A side's probability (0 to 1) and fair odds."""

    market_type: str
    selection: str
    probability: float
    fair_odds: float
    kind: Annotated[str, Meta(description="given, implied or modelled.")]
    band: Annotated[
        float | None, Meta(description="By how much the probability of a modelled line may be off.")
    ]
    why_no_band: str = ""


class FairAnswer(msgspec.Struct):
    """Fair odds of the usual lines."""

    prices: list[FairRow]
    cut: str
    fit: Annotated[dict[str, Any], Meta(description="What was fitted, as `oddsdesk fair` has it.")]
    notes: list[str]


class Research(Answer, kw_only=True):
    """Rows as the command's --json has them: each figure with its count and 95 % interval."""


class ScorecardAnswer(Research, kw_only=True):
    """One card for each bookmaker and kind of market; null means too little data."""

    cards: list[dict[str, Any]]


class BacktestAnswer(Research, kw_only=True):
    """One entry for each combination; `rows` holds the first of its bets."""

    backtests: list[dict[str, Any]]


class ReportAnswer(Answer, kw_only=True):
    """One row for each currency and group; `of` is null for all bets of a currency."""

    rows: list[dict[str, Any]]
