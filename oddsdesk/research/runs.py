"""Backtests of several combinations of settings, and their figures as programs read them."""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from oddsdesk.base.clock import system_clock
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.derived import Bands
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.research.backtest_summary import Summary, as_fields, notes, summary, summary_fields
from oddsdesk.research.backtests import Backtested, run_backtests
from oddsdesk.research.coverage import coverage_fields
from oddsdesk.research.grids import AND, Bests, Combination, bests_of
from oddsdesk.research.question import BEST_VS_MEAN, Question, rules_named
from oddsdesk.research.recorded_log import RecordedLog, open_judged
from oddsdesk.research.staking import bankroll_fields
from oddsdesk.research.walk import Progress
from oddsdesk.store.databases import Database


class Run(NamedTuple):
    """A backtest of one combination of settings."""

    combination: Combination
    question: Question
    done: Backtested
    summary: Summary


def least_ev_in(combination: Combination) -> float | None:
    """Return the least EV; None for the contract's."""
    least = combination.get("least-ev")
    return None if least is None else float(least)


def method_in(combination: Combination) -> str:
    """Return the devig method; a strategy without a sharp book has no use for any."""
    return str(combination.get("method", DEFAULT_METHOD))


def rules_in(combination: Combination) -> str:
    """Return which price rules hold."""
    return str(combination.get("rules", "contract"))


def run_combinations(
    database: Database,
    archive: Path | None,
    by: CloseBy,
    combinations: Sequence[Combination],
    asked: dict[str, Any],
    bands_of: Callable[[str], Bands],
    settle: Callable[[list[PlacedBet]], list[PlacedBet]] = lambda bets: bets,
    progress: Progress = lambda _: None,
) -> list[Run]:
    """Run the backtest with each combination, all against the same closing line.

    Args:
        database: The database.
        archive: The folder of older rows; None for the one that the database names.
        by: Whose closing lines, and the devig method; as ``open_judged``.
        combinations: The values of each; what one lacks has its default.
        asked: The fields of ``Question`` that all combinations share.
        bands_of: Returns the error bands of modelled prices by a devig method.
        settle: Adds results that the database does not have.
        progress: Called with the rows done; an exception ends the backtest.

    Raises:
        StoreError, ArchiveError, OSError: the log cannot be read.
        SettingsError: unknown rules, or a least EV out of range.
    """
    methods = {method_in(each) for each in combinations}
    bands = {method: bands_of(method) for method in methods}
    with contextlib.ExitStack() as stack:
        names = dict[object, str]()
        for said in dict.fromkeys(each.get("reference") for each in combinations):
            opened = open_judged(database, None if said is None else str(said), by)
            stack.callback(opened.store.close)
            names[said] = opened.reference
        log = RecordedLog(opened.store.reader(), archive)
        questions = [
            Question(
                reference=names[each.get("reference")],
                method=method_in(each),
                close=opened.close,
                bands=bands[method_in(each)],
                rules=rules_named(rules_in(each).replace(AND, ","), least_ev_in(each)),
                **asked | {name: each[name] for name in ("alpha",) if name in each},
            )
            for each in combinations
        ]
        found = run_backtests(log, questions, system_clock(), progress, settle)
    return [
        Run(each, question, done, summary(done.bets))
        for each, question, done in zip(combinations, questions, found, strict=True)
    ]


def by_kind(done: Backtested) -> dict[str, list[PlacedBet]]:
    """Return the bets on derived fair odds, by how these were derived."""
    found: dict[str, list[PlacedBet]] = {}
    for bet in done.bets:
        if mark := done.derived.get(bet.ident):
            found.setdefault(mark.kind, []).append(bet)
    return dict(sorted(found.items()))


def best_of(runs: Sequence[Run]) -> Bests:
    """Return the runs with the best yield and the best CLV."""
    return bests_of([run.done.bets for run in runs], [run.summary for run in runs])


def run_fields(run: Run, problems: Sequence[str] = ()) -> dict[str, Any]:
    """Return a backtest in the form that ``--json`` prints, with its bets.

    ``share`` is in percent, as it is asked for.
    """
    question, done, staking = run.question, run.done, run.question.staking
    is_mean, series = question.strategy == BEST_VS_MEAN, question.series
    return summary_fields(run.summary) | {
        "strategy": question.strategy,
        "reference": question.judged_by,
        "method": None if is_mean else question.method,
        "least_ev": least_ev_in(run.combination),
        "alpha": question.alpha if is_mean else None,
        "least_books": question.least_books if is_mean and not series else None,
        "at": question.at,
        "series": series or None,
        "rules": rules_in(run.combination),
        "close_reference": question.close.reference,
        "close_method": question.close.method,
        "staking": staking.kind,
        "share": None if staking.kind == "flat" else round(staking.share * 100, 10),
        "bankroll": bankroll_fields(done.bankroll),
        "coverage": coverage_fields(done.coverage),
        "notes": [*notes(done, question), *problems],
        "derived": {name: summary_fields(summary(bets)) for name, bets in by_kind(done).items()},
        "rows": [as_fields(bet) | _derived_fields(done, bet) for bet in done.bets],
    }


def compared_fields(place: int, runs: Sequence[Run], best: Bests) -> dict[str, Any]:
    """Return what a combination has on top: how many were compared, and whether it is the best."""
    fields: dict[str, Any] = {"comparisons": len(runs)}
    for name, winner in zip(("yield_pct", "clv_pct"), best, strict=True):
        is_best = winner is not None and winner.place == place
        low, high = winner.ends if winner is not None and is_best else (None, None)
        fields |= {
            f"best_{name}": is_best,
            f"{name}_corrected_low": low,
            f"{name}_corrected_high": high,
        }
    return fields


def _derived_fields(done: Backtested, bet: PlacedBet) -> dict[str, Any]:
    mark = done.derived.get(bet.ident)
    return {
        "derived": None if mark is None else mark.kind,
        "band_pct": None if mark is None else mark.band_pct,
        "implied_close": mark is not None and mark.has_implied_close,
    }
