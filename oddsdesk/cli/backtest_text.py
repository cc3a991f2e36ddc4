"""What `oddsdesk backtest` prints: one backtest, or a comparison of several."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Final

from oddsdesk.cli.bet_tables import reports_table
from oddsdesk.cli.terminal import aligned, room
from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.reporting import Grouping, split_report, whole_report
from oddsdesk.pricing.reports import Report
from oddsdesk.research.backtest_summary import (
    Summary,
    bets_text,
    covered_lines,
    notes,
    shared_coverage,
    summary,
)
from oddsdesk.research.coverage import in_span
from oddsdesk.research.grids import AND, Bests, Combination, best_lines
from oddsdesk.research.intervals import Ends
from oddsdesk.research.question import Question
from oddsdesk.research.runs import Run, by_kind, least_ev_in, rules_in

_FIGURES: Final = ("BETS", "RESULTS", "PROFIT", "YIELD %", "CLV %", "CLOSES")
_HEADINGS: Final = {"least-ev": "EV ≥"}
_OF_LUCK: Final = ("STAKED", "EXPECTED", "Z", "LUCK")
_FEW_RUNS: Final = 3
"""Notes on single runs are printed for up to so many."""


def single(run: Run) -> Iterator[str]:
    """Yield the lines of one backtest."""
    bets, found, question = run.done.bets, run.summary, run.question
    yield from _asked([run])
    size = (
        "of one unit each" if question.staking.kind == "flat" else f"for {found.staked:,.2f} units"
    )
    yield f"{bets_text(found.bets)} {size}"
    if found.settled:
        rows = [("", "", whole_report(bets))]
        rows += [("", name, each) for name, each in split_report(bets, Grouping.BOOKMAKER).items()]
        yield from _narrowed(rows)
        yield ""
    yield from _figures(found)
    for kind, derived in by_kind(run.done).items():
        of_kind = "; ".join(_figures(summary(derived)))
        yield f"of these {bets_text(len(derived))} {kind}: {of_kind}"
    yield from notes(run.done, question)
    yield from covered_lines(run.done, question)


def _narrowed(rows: Sequence[tuple[str, str, Report]]) -> list[str]:
    """Return reports as a table, in a narrow terminal without the figures of luck."""
    whole, width = reports_table(rows).splitlines(), room()
    if width is None or max(map(len, whole)) <= width:
        return whole
    return reports_table(rows, _OF_LUCK).splitlines()


def comparison(runs: Sequence[Run], best: Bests) -> Iterator[str]:
    """Yield the lines of a comparison: a table, the best combinations, and notes."""
    yield from _asked(runs)
    yield ""
    yield from _table(runs)
    yield ""
    yield "[..] is the 95 % interval, by drawing games again; ? means too few games"
    if len(runs) > 1:
        yield from best_lines(best, [_label(run, _axes(runs)) for run in runs])
    yield ""
    yield from _shared_notes(runs)
    yield from shared_coverage([(run.done, run.question) for run in runs])


def _asked(runs: Sequence[Run]) -> Iterator[str]:
    """Yield what was asked, and what the log has."""
    question, done = runs[0].question, runs[0].done

    def among(name: str, value: Callable[[Run], Hashable]) -> str:
        """Return a value, or how many there are in a comparison."""
        values = list(dict.fromkeys(map(value, runs)))
        return str(values[0]) if len(values) == 1 else f"{len(values)} {name}"

    which = f", preset {question.preset}" if question.preset else ""
    late = f", {question.latency_ms:,} ms late" if question.latency_ms else ""
    at = "at the close" if question.at == "close" else "at any moment"
    if question.strategy == "value":
        how = among("methods", lambda each: each.question.method.replace("_", " "))
        sharp = among("sharp books", lambda each: each.question.reference)
        least = among("least EVs", lambda each: _least_text(each.combination))
        rules = among("sets of rules", lambda each: _rules_text(each.combination))
        on = f"the best odds of {question.series}, " if question.series else ""
        yield f"bets: {on}value by {sharp}, {how}; {least}; {rules}; {at}{which}{late}"
    else:
        alpha = among("alphas", lambda each: f"alpha {each.question.alpha:g}")
        yield (
            f"bets: {question.strategy}, match results with (1/mean - alpha) x best odds above 1;"
            f" {alpha}; mean of {question.judges}; {at}{which}{late}"
        )
    yield f"stakes: {_stakes_text(question)}{_charges_text(runs)}"
    yield f"CLV: {question.close.close_by_text}"
    since, until = question.since_ms, question.until_ms
    span = "" if since is None and until is None else f" {in_span(since, until)}"
    line = f"log: {done.asked:,} rows{span}"
    if done.first_ms is None:
        yield line
    else:
        yield f"{line}; it covers {format_ms(done.first_ms)} to {format_ms(done.last_ms)}"


def _least_text(combination: Combination) -> str:
    least = least_ev_in(combination)
    return "the contract's least EV" if least is None else f"EV of {least:g} % or more"


def _rules_text(combination: Combination) -> str:
    rules = rules_in(combination)
    which = {"contract": "all price rules of the contract", "none": "no price rules"}
    return which.get(rules.casefold(), f"only these price rules: {rules.replace(AND, ', ')}")


def _stakes_text(question: Question) -> str:
    by = question.staking
    if by.kind == "flat":
        return "one unit on each bet"
    start = f"of a running bankroll of {by.bankroll:,.10g} units"
    if by.kind == "proportional":
        return f"{by.share * 100:.10g} % {start}"
    caps = ", ".join(
        f"{cap * 100:.10g} % {on}"
        for cap, on in (
            (by.outcome_cap, "on an outcome"),
            (by.game_cap, "on a game"),
            (by.total_cap, "on all open bets"),
        )
    )
    return f"{by.share * 100:.10g} % Kelly {start}, at most {caps}"


def _charges_text(runs: Sequence[Run]) -> str:
    """Return what bookmakers of the bets keep of a win, as the end of a sentence."""
    charged = {
        bet.bookmaker: run.question.profiles.charging(bet.bookmaker)
        for run in runs
        for bet in run.done.bets
        if bet.net < bet.odds
    }
    words = ""
    for name, profile in sorted(charged.items()):
        if profile is not None:
            rates = (
                (profile.commission, "commission"),
                (profile.tax, "tax"),
                (profile.taker_fee, "taker fee rate"),
            )
            kept = " and ".join(f"{rate * 100:.4g} % {what}" for rate, what in rates if rate)
            words += f"; less {kept} at {name}"
    return words


def _figures(found: Summary) -> Iterator[str]:
    yield _figure("yield", found.yield_pct, found.yield_range, found.settled_text)
    yield _figure("CLV", found.clv_pct, found.clv_range, bets_text(found.clv_bets))


def _figure(name: str, figure: float | None, ends: Ends, of: str) -> str:
    if figure is None:
        return f"{name}: unknown"
    low, high = ends
    about = "too few games for a 95 % interval"
    if low is not None and high is not None:
        about = f"95 % interval {low:+.2f} to {high:+.2f}"
    return f"{name}: {figure:+.2f} % over {of}; {about}"


def _table(runs: Sequence[Run]) -> list[str]:
    """Return a table with a row for each run, narrow enough for the terminal if possible.

    A narrow one has the values of all axes but the last above the rows, and no CLOSES.
    """
    axes = _axes(runs)
    labels = [[_word(axis, run.combination[axis]) for axis in axes] for run in runs]
    whole = _rows(axes, labels, runs, _FIGURES)
    width = room()
    if width is None or max(map(len, whole)) <= width:
        return whole
    last = axes[-1:] if len(axes) > 1 else []
    narrow = _rows(last, [label[len(axes) - len(last) :] for label in labels], runs, _FIGURES[:-1])
    above, lines = "", [f"  {narrow[0]}"]
    for label, line in zip(labels, narrow[1:], strict=True):
        group = ", ".join(label[: len(axes) - len(last)])
        if group != above:
            lines.append(group)
        above = group
        lines.append(f"  {line}")
    return lines


def _rows(
    axes: Sequence[str],
    labels: Sequence[Sequence[str]],
    runs: Sequence[Run],
    figures: Sequence[str],
) -> list[str]:
    """Return aligned headings and rows, with the first of the figures."""
    rows = [[*label, *_row(run.summary)] for label, run in zip(labels, runs, strict=True)]
    count = len(axes) + len(figures)
    headings = [*(_HEADINGS.get(axis, axis.upper()) for axis in axes), *figures]
    return aligned(headings, [row[:count] for row in rows], {*figures, "EV ≥"})


def _row(found: Summary) -> list[str]:
    profit = "" if found.profit is None else f"{found.profit:+.2f}"
    return [
        str(found.bets),
        str(found.settled),
        profit,
        _with_ends(found.yield_pct, found.yield_range, 1),
        _with_ends(found.clv_pct, found.clv_range, 2),
        str(found.clv_bets),
    ]


def _with_ends(figure: float | None, ends: Ends, digits: int) -> str:
    if figure is None:
        return ""
    low, high = ends
    reach = "?" if low is None or high is None else f"[{low:+.{digits}f}..{high:+.{digits}f}]"
    return f"{figure:+.{digits}f} {reach}"


def _axes(runs: Sequence[Run]) -> list[str]:
    """Return the axes whose values differ; the first one if none does."""
    first = runs[0].combination
    differ = [axis for axis in first if any(run.combination[axis] != first[axis] for run in runs)]
    return differ or list(first)[:1]


def _word(axis: str, value: object) -> str:
    if axis == "method":
        return str(value).replace("_", " ")
    return f"{value:g}" if isinstance(value, float) else str(value)


def _label(run: Run, axes: Sequence[str]) -> str:
    """Return what is special about a run among others that differ in these axes."""
    before = {"least-ev": "least EV ", "rules": "rules ", "alpha": "alpha "}
    words = (f"{before.get(axis, '')}{_word(axis, run.combination[axis])}" for axis in axes)
    return ", ".join(words)


def _shared_notes(runs: Sequence[Run]) -> Iterator[str]:
    """Yield notes that hold for all runs once, and those of all runs with one value with it.

    Others are left to ``--json``, unless there are few runs.
    """
    by_run = [notes(run.done, run.question) for run in runs]
    axes, lines = _axes(runs), dict.fromkeys(line for each in by_run for line in each)
    left = 0
    for line in lines:
        having = [run for run, each in zip(runs, by_run, strict=True) if line in each]
        common = [
            axis
            for axis in axes
            if len({run.combination[axis] for run in having}) == 1
            and sum(run.combination[axis] == having[0].combination[axis] for run in runs)
            == len(having)
        ]
        if len(having) == len(runs):
            yield line
        elif common:
            yield f"{_label(having[0], common[:1])}: {line}"
        elif len(runs) <= _FEW_RUNS:
            yield from (f"{_label(run, axes)}: {line}" for run in having)
        else:
            left += 1
    if left:
        yield f"{left} notes on single combinations: see --json"
