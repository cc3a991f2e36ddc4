"""What the tools of `oddsdesk mcp` answer; their JSON schemas are made from these structs.

The fields are those of the commands' JSON. The descriptions are read by a language model, and by
the person who reads its transcript.
"""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType


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


class CoverageRow(msgspec.Struct):
    """What the log holds; `refused` counts prices with enough EV by what speaks against them."""

    games: int
    reference_games: int
    reference_first_day: str | None
    reference_last_day: str | None
    begun: int
    with_result: int
    with_result_pct: float | None
    contradictory: int
    with_close: int
    with_close_pct: float | None
    with_series: int | None
    refused: dict[str, int]


class BinRow(msgspec.Struct):
    """Of the outcomes that were given this chance, how many came true, in percent."""

    given_pct: float
    came_true_pct: float | None
    came_true_pct_count: int
    came_true_pct_low: float | None
    came_true_pct_high: float | None


class CardRow(msgspec.Struct):
    """A bookmaker in a kind of market; each figure has its count and its 95 % interval.

    Hold, best and tied are in percent, ages and lags in seconds; null means too little data.
    """

    bookmaker: str
    sport: str
    market_type: str
    period: int
    is_reference: bool
    hold_pct: float | None
    hold_pct_count: int
    hold_pct_low: float | None
    hold_pct_high: float | None
    best_pct: float | None
    best_pct_count: int
    best_pct_low: float | None
    best_pct_high: float | None
    clv_pct: float | None
    clv_pct_count: int
    clv_pct_low: float | None
    clv_pct_high: float | None
    age_s: float | None
    age_s_count: int
    age_s_low: float | None
    age_s_high: float | None
    lag_s: float | None
    lag_s_count: int
    lag_s_low: float | None
    lag_s_high: float | None
    tied_pct: float | None
    tied_pct_count: int
    tied_pct_low: float | None
    tied_pct_high: float | None
    log_loss: float | None
    log_loss_count: int
    log_loss_low: float | None
    log_loss_high: float | None
    log_loss_vs_reference: float | None
    log_loss_vs_reference_count: int
    log_loss_vs_reference_low: float | None
    log_loss_vs_reference_high: float | None
    value_bets: int
    calibration: list[BinRow]
    reference: str
    close_reference: str
    close_method: str
    coverage: CoverageRow


class ScorecardAnswer(Answer, kw_only=True):
    """One card for each bookmaker and kind of market."""

    cards: list[CardRow]


class SummaryRow(msgspec.Struct, kw_only=True):
    """Figures of bets with their 95 % intervals; profit and stakes in units, or in the bankroll's.

    `clv_bets` counts the bets with a closing line.
    """

    bets: int
    staked: float
    settled: int
    profit: float | None
    profit_low: float | None
    profit_high: float | None
    yield_pct: float | None
    yield_pct_low: float | None
    yield_pct_high: float | None
    clv_pct: float | None
    clv_pct_low: float | None
    clv_pct_high: float | None
    clv_bets: float | None
    clv_bets_low: float | None
    clv_bets_high: float | None


class BankrollRow(msgspec.Struct):
    """How the bankroll grew; `refused` counts bets without a stake by the limit."""

    start: float
    end: float
    growth_pct: float | None
    growth_per_bet_pct: float | None
    drawdown: float
    drawdown_pct: float | None
    largest_stake: float | None
    refused: dict[str, int]
    returned: float


class TestedBet(msgspec.Struct):
    """A bet of a backtest; `fair_close` is the closing line without its margin."""

    game_id: str
    match_name: str
    competition: str
    market_type: str
    period: int
    selection: str
    bookmaker: str
    odds: float
    net_odds: float | None
    fair_odds: float | None
    net_ev_pct: Annotated[
        float | None, Meta(description="EV: net_odds over fair_odds, minus 1, in percent.")
    ]
    ev_pct: Annotated[
        float | None, Meta(description="The same after the service's safety margin of 1 %.")
    ]
    per: str
    stake: float
    placed_at: str
    match_date: str | None
    result: str | None
    profit: float | None
    fair_close: float | None
    clv_pct: float | None
    clv_per: str | None
    no_close: str
    derived: str | None
    band_pct: float | None
    implied_close: bool


class BacktestRow(SummaryRow, kw_only=True):
    """A backtest with its settings; `rows` holds the first of its bets."""

    strategy: str
    reference: str | None
    method: str | None
    least_ev: float | None
    alpha: float | None
    least_books: int | None
    at: str
    series: str | None
    rules: str
    close_reference: str
    close_method: str
    staking: str
    share: Annotated[float | None, Meta(description="In percent.")]
    bankroll: BankrollRow | None
    coverage: CoverageRow
    notes: list[str]
    derived: Annotated[
        dict[str, SummaryRow], Meta(description="Bets on derived fair odds, by how derived.")
    ]
    rows: list[TestedBet]
    comparisons: (
        Annotated[
            int,
            Meta(description="How many were compared: the best of many owes something to luck."),
        ]
        | UnsetType
    ) = UNSET
    best_yield_pct: bool | UnsetType = UNSET
    yield_pct_corrected_low: float | UnsetType | None = UNSET
    yield_pct_corrected_high: float | UnsetType | None = UNSET
    best_clv_pct: bool | UnsetType = UNSET
    clv_pct_corrected_low: float | UnsetType | None = UNSET
    clv_pct_corrected_high: float | UnsetType | None = UNSET


class BacktestAnswer(Answer, kw_only=True):
    """One entry for each combination of settings."""

    backtests: list[BacktestRow]


class ReportRow(msgspec.Struct):
    """Settled bets of a currency or group; `of` is null for all of a currency.

    `chance` is how often a bettor without an edge would do as well, `bad_chance` as badly.
    """

    currency: str
    of: str | None
    bets: int
    staked: float
    free_staked: float
    profit: float
    yield_pct: float | None
    expected: float
    expected_bets: int
    clv_pct: float | None
    clv_bets: int
    clv_bets_per_decided: int
    beaten_pct: float | None
    drawdown: float
    drawdown_bets: int
    z: float | None
    chance: float | None
    bad_chance: float | None
    outcomes: int
    chance_is_exact: bool
    close_reference: str
    close_method: str
    closes_left_out: int


class ReportAnswer(Answer, kw_only=True):
    """One row for each currency and group."""

    rows: list[ReportRow]
