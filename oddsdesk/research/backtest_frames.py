"""Backtests as data frames: one row per bet, or one row per combination of settings.

``backtest`` and ``grid`` of ``oddsdesk.research``. They run as ``oddsdesk backtest`` does.
"""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from oddsdesk.base.texts import N_
from oddsdesk.ledger.own_tables import known_bands
from oddsdesk.ledger.presets import ValueFilter
from oddsdesk.pricing.derived import Bands
from oddsdesk.pricing.devig import DEFAULT_METHOD, METHODS
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.value import DerivedChoice
from oddsdesk.research import arguments
from oddsdesk.research.arguments import Moment, Names, Place
from oddsdesk.research.backtest_summary import covered_lines
from oddsdesk.research.data_frames import FrameWriter, pandas_module
from oddsdesk.research.export import Column, Kind, Row
from oddsdesk.research.grids import AND, AXES_OF, Combination
from oddsdesk.research.question import (
    SERIES,
    BetAt,
    SettingsError,
    Staking,
    StakingKind,
    Strategy,
    rules_named,
)
from oddsdesk.research.runs import Run, best_of, compared_fields, run_combinations, run_fields

if TYPE_CHECKING:
    from pandas import DataFrame

_KINDS: Final = (
    dict.fromkeys(("match_date", "placed_at"), Kind.TIME)
    | dict.fromkeys(("odds", "net_odds", "fair_odds", "fair_close", "stake"), Kind.NUMBER)
    | dict.fromkeys(("net_ev_pct", "ev_pct", "clv_pct", "band_pct", "profit"), Kind.NUMBER)
    | {"period": Kind.INTEGER, "implied_close": Kind.BOOLEAN}
)
BET_COLUMNS: Final = tuple(
    Column(name, _KINDS.get(name, Kind.TEXT), "")
    for name in (
        *("game_id", "match_name", "competition", "sport", "match_date", "market_type", "period"),
        *("selection", "bookmaker", "odds", "net_odds", "fair_odds", "net_ev_pct", "ev_pct"),
        *(
            "per",
            "stake",
            "placed_at",
            "result",
            "profit",
            "fair_close",
            "clv_pct",
            "clv_per",
            "no_close",
        ),
        *("derived", "band_pct", "implied_close"),
    )
)
_AXES: Final = ("method", "reference", "least_ev", "rules", "alpha")
_OF_ALL: Final = ("rows", "derived", "coverage", "bankroll", "notes", *_AXES)
_PROPORTIONAL_PCT: Final = 1.0


def backtest(
    database: Place = None,
    *,
    reference: str | None = None,
    method: str = DEFAULT_METHOD,
    close_reference: str | None = None,
    close_method: str = DEFAULT_METHOD,
    least_ev: float | None = None,
    rules: str | Sequence[str] = "contract",
    strategy: Strategy = "value",
    alpha: float = 0.05,
    least_books: int = 3,
    at: BetAt = "any",
    staking: StakingKind = "flat",
    share: float | None = None,
    bankroll: float | None = None,
    series: str | None = None,
    since: Moment = None,
    until: Moment = None,
    preset: str | ValueFilter | None = None,
    latency_ms: int = 0,
    derived: DerivedChoice = "all",
    bookmakers: Names = None,
    archive: str | Path | None = None,
) -> "DataFrame":
    """Bet on a recorded log, as ``oddsdesk backtest`` does.

    ``frame.attrs`` has the figures that the command prints, with its names in ``--json``: ``bets``,
    ``yield_pct``, ``clv_pct``, their intervals (``clv_pct_low``), ``bankroll``, ``coverage``,
    ``notes``. The notes end with what the log lacks.

    Args:
        database: The database.
        reference: The sharp book that judges prices: a bookmaker, ``consensus``, or
            ``consensus (learned)``. None: the database's.
        method: The devig method.
        close_reference: Whose closing lines give the CLV. None: the database's sharp book.
        close_method: How their margin is removed.
        least_ev: The least EV in percent, from -5 on. None: the contract's minimum.
        rules: ``contract``, ``none``, or the names of the contract's price rules that hold, as in
            Explain: ``"Book margin"``. Warnings of bad data always hold, such as a placeholder or a
            negative margin of the bookmaker.
        strategy: ``value``, or ``best-vs-mean``: the best price of a match result against the mean
            of all bookmakers.
        alpha: For ``best-vs-mean``: subtracted from 1/mean.
        least_books: For ``best-vs-mean``: how many bookmakers must price the selection.
        at: ``any`` moment before the game, or at the ``close``.
        staking: ``flat``, one unit a bet; ``proportional`` or ``kelly``, of a running bankroll.
        share: In percent: of the bankroll (proportional, 1 by default), or of Kelly (25).
        bankroll: In units, at the beginning; 100 by default.
        series: ``football-data``: bet on its best odds of many bookmakers.
        since: Bets are placed from this time on.
        until: Nothing recorded at this time or later is read.
        preset: The name of a preset, or a filter: bet only on what it lists.
        latency_ms: Milliseconds between seeing a price and betting on it.
        derived: Which derived fair odds judge lines that the sharp book does not price.
        bookmakers: Bet only at these. None: at all.
        archive: The folder of older rows. None: the one that the database names.

    Returns:
        One row per bet, in the order of placing, with the columns of the command's ``rows`` and
        ``sport``. Times are UTC. ``result``, ``profit`` and ``clv_pct`` are missing if unknown.

    Raises:
        ValueError: an argument makes no sense.
        ResearchError: the database cannot be read.
        ModuleNotFoundError: pandas is not installed.
    """
    (combination,) = _combinations(
        strategy, method, reference, least_ev, [_rules_text(rules)], alpha
    )
    asked = _asked(
        *(strategy, least_books, at, staking, share, bankroll, series),
        *(since, until, preset, latency_ms, derived, bookmakers),
    )
    close = (close_reference, close_method)
    (run,) = _runs(database, [combination], asked, close, archive)
    writer = FrameWriter(BET_COLUMNS)
    writer.write_rows(_bet_rows(run))
    return writer.frame(_attrs(run))


def grid(
    database: Place = None,
    *,
    method: str | Sequence[str] = DEFAULT_METHOD,
    reference: str | Sequence[str | None] | None = None,
    least_ev: float | Sequence[float | None] | None = None,
    rules: str | Sequence[str] = "contract",
    close_reference: str | None = None,
    close_method: str = DEFAULT_METHOD,
    strategy: Strategy = "value",
    alpha: float | Sequence[float] = 0.05,
    least_books: int = 3,
    at: BetAt = "any",
    staking: StakingKind = "flat",
    share: float | None = None,
    bankroll: float | None = None,
    series: str | None = None,
    since: Moment = None,
    until: Moment = None,
    preset: str | ValueFilter | None = None,
    latency_ms: int = 0,
    derived: DerivedChoice = "all",
    bookmakers: Names = None,
    archive: str | Path | None = None,
) -> "DataFrame":
    """Compare all combinations of settings in one pass, as ``oddsdesk backtest --grid`` does.

    ``method``, ``reference``, ``least_ev``, ``rules`` and ``alpha`` are one value or a list, if the
    strategy depends on them. Several rules of one value are joined by ``+``. The other arguments
    are those of ``backtest``.

    The best of many combinations owes something to luck. ``best_yield_pct`` and ``best_clv_pct``
    mark it; ``clv_pct_corrected_low`` and ``clv_pct_corrected_high`` allow for the choice.

    Returns:
        One row per combination: its settings, the figures of ``backtest`` with their intervals,
        ``comparisons`` (the number of combinations), the coverage, and ``notes``. ``frame.attrs``
        has ``close_reference``, ``close_method`` and ``comparisons``.

    Raises:
        ValueError, ResearchError, ModuleNotFoundError: as ``backtest``.
    """
    texts = [rules] if isinstance(rules, str) else [*rules]
    combinations = _combinations(strategy, method, reference, least_ev, texts, alpha)
    asked = _asked(
        *(strategy, least_books, at, staking, share, bankroll, series),
        *(since, until, preset, latency_ms, derived, bookmakers),
    )
    close = (close_reference, close_method)
    runs = _runs(database, combinations, asked, close, archive)
    best = best_of(runs)
    made = pandas_module().DataFrame(
        [_grid_row(run) | compared_fields(place, runs, best) for place, run in enumerate(runs)]
    )
    by = runs[0].question.close
    made.attrs |= {
        "close_reference": by.reference,
        "close_method": by.method,
        "comparisons": len(runs),
    }
    return made


def _combinations(
    strategy: Strategy,
    method: str | Sequence[str],
    reference: str | Sequence[str | None] | None,
    least_ev: float | Sequence[float | None] | None,
    rules: Sequence[str],
    alpha: float | Sequence[float],
) -> list[Combination]:
    arguments.one_of(strategy, get_args(Strategy), "strategy")
    axes: tuple[list[Any], ...] = (
        [method] if isinstance(method, str) else [*method],
        [reference] if reference is None or isinstance(reference, str) else [*reference],
        [least_ev] if least_ev is None or isinstance(least_ev, int | float) else [*least_ev],
        [*rules],
        [alpha] if isinstance(alpha, int | float) else [*alpha],
    )
    for name, values in zip(_AXES, axes, strict=True):
        if not values:
            raise SettingsError(f"{name} is an empty list: give at least one value")
        if len(set(values)) < len(values):
            raise SettingsError(f"{name} has a value twice: {values}")
        if len(values) > 1 and name.replace("_", "-") not in AXES_OF[strategy]:
            raise SettingsError(f"{name} has no effect with strategy {strategy}")
    return [_combination(*values) for values in itertools.product(*axes)]


def _combination(
    method: str, reference: str | None, least_ev: float | None, rules: str, alpha: float
) -> Combination:
    arguments.one_of(method, METHODS, "method")
    rules_named(rules.replace(AND, ","), least_ev)
    arguments.at_least(alpha, 0, "alpha")
    found: dict[str, str | float] = {"method": method, "rules": rules, "alpha": alpha}
    if reference is not None:
        found["reference"] = reference
    if least_ev is not None:
        found["least-ev"] = least_ev
    return found


def _rules_text(rules: str | Sequence[str]) -> str:
    return rules if isinstance(rules, str) else AND.join(rules) or "none"


def _asked(
    strategy: Strategy,
    least_books: int,
    at: BetAt,
    staking: StakingKind,
    share: float | None,
    bankroll: float | None,
    series: str | None,
    since: Moment,
    until: Moment,
    preset: str | ValueFilter | None,
    latency_ms: int,
    derived: DerivedChoice,
    bookmakers: Names,
) -> dict[str, Any]:
    """Return the fields of a ``Question`` that all combinations share."""
    pandas_module()
    begin, end = arguments.span_of(since, until)
    profiles = arguments.profiles_known()
    return {
        "profiles": profiles,
        "mine": None if bookmakers is None else profiles.among(arguments.names_of(bookmakers)),
        "since_ms": begin,
        "until_ms": end,
        "latency_ms": arguments.at_least(latency_ms, 0, "latency_ms"),
        "preset": preset if isinstance(preset, str) else "",
        "filter": arguments.filter_of(preset),
        "derived": arguments.one_of(derived, get_args(DerivedChoice), "derived"),
        "strategy": arguments.one_of(strategy, get_args(Strategy), "strategy"),
        "at": arguments.one_of(at, get_args(BetAt), "at"),
        "least_books": arguments.at_least(least_books, 1, "least_books"),
        "series": "" if series is None else arguments.one_of(series, SERIES, "series"),
        "staking": _staking(staking, share, bankroll),
    }


def _staking(kind: StakingKind, share: float | None, bankroll: float | None) -> Staking:
    """Return how bets are staked; limits are those that the desk begins with."""
    arguments.one_of(kind, get_args(StakingKind), "staking")
    if kind == "flat":
        for name, value in (("share", share), ("bankroll", bankroll)):
            if value is not None:
                raise SettingsError(f"{name} needs staking proportional or kelly")
        return Staking()
    plan = StakePlan()
    usual = plan.kelly_share * 100 if kind == "kelly" else _PROPORTIONAL_PCT
    percent = usual if share is None else share
    units = Staking().bankroll if bankroll is None else bankroll
    if not 0 < percent <= 100:
        raise SettingsError(f"share: expected a percentage above 0, at most 100, got {percent!r}")
    if not 0 < units < float("inf"):
        raise SettingsError(f"bankroll: expected a number above 0, got {units!r}")
    return Staking(
        kind=kind,
        share=percent / 100,
        bankroll=units,
        outcome_cap=plan.outcome_cap,
        game_cap=plan.game_cap,
        total_cap=plan.total_cap,
    )


def _runs(
    database: Place,
    combinations: Sequence[Combination],
    asked: dict[str, Any],
    close: tuple[str | None, str],
    archive: str | Path | None,
) -> list[Run]:
    by, folder = arguments.close_of(*close), arguments.folder_of(archive)
    with arguments.errors_in_words():
        place = arguments.database_of(database)
        return run_combinations(place, folder, by, combinations, asked, _bands_of)


def _bands_of(method: str) -> Bands:
    known = known_bands(method)
    for problem in known.problems:
        arguments.warn(problem)
    return known.bands


def _bet_rows(run: Run) -> list[Row]:
    """Return the bets in the order of ``BET_COLUMNS``."""
    rows = []
    for bet, fields in zip(run.done.bets, run_fields(run)["rows"], strict=True):
        times = {"match_date": bet.kick_off, "placed_at": bet.placed_at, "sport": bet.sport}
        cells = fields | times
        rows.append(tuple(cells[column.name] for column in BET_COLUMNS))
    return rows


def _attrs(run: Run) -> dict[str, Any]:
    """Return the figures in the form that ``--json`` prints, without the bets."""
    fields = run_fields(run)
    del fields["rows"]
    return fields | {"notes": _notes(run, fields)}


def _grid_row(run: Run) -> dict[str, Any]:
    """Return the figures of a combination, its settings first."""
    fields = run_fields(run)
    figures = {name: value for name, value in fields.items() if name not in _OF_ALL}
    of_bankroll = {f"bankroll_{name}": each for name, each in (fields["bankroll"] or {}).items()}
    settings = {name: fields[name] for name in _AXES}
    notes = {"notes": _notes(run, fields)}
    return {**settings, **figures, **of_bankroll, **fields["coverage"], **notes}


def _notes(run: Run, fields: dict[str, Any]) -> list[str]:
    """Return what judged the bets and what closes them, the notes, and what the log covers."""
    question, method = run.question, fields["method"]
    by = ", ".join(filter(None, (question.judged_by, (method or "").replace("_", " "))))
    head = N_(f"judged by {by}; CLV {question.close.close_by_text}")
    return [head, *fields["notes"], *covered_lines(run.done, question)]
