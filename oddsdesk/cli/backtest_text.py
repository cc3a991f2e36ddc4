"""What `oddsdesk backtest` prints: one backtest, or a comparison of several."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Final

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, ngettext, translated
from oddsdesk.cli.bet_tables import reports_table
from oddsdesk.cli.terminal import aligned, room
from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.reporting import Grouping, close_by_text, split_report, whole_report
from oddsdesk.pricing.reports import Report
from oddsdesk.research.backtest_summary import (
    Summary,
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

_FIGURES: Final = (
    N_("BETS"),
    N_("RESULTS"),
    N_("PROFIT"),
    N_("YIELD %"),
    N_("CLV %"),
    N_("CLOSES"),
)
_HEADINGS: Final = {
    "alpha": N_("ALPHA"),
    "least-ev": N_("EV ≥"),
    "method": N_("METHOD"),
    "reference": N_("REFERENCE"),
    "rules": N_("RULES"),
}
_OF_LUCK: Final = ("STAKED", "EXPECTED", "Z", "LUCK")
_FEW_RUNS: Final = 3
"""Notes on single runs are printed for up to so many."""


def single(run: Run) -> Iterator[str]:
    """Yield the lines of one backtest."""
    bets, found, question = run.done.bets, run.summary, run.question
    yield from _asked([run])
    size = _("{bets} of one unit each")
    if question.staking.kind != "flat":
        size = _("{bets} for {units:,.2f} units")
    yield size.format(bets=count_text(found.bets), units=num(found.staked))
    if found.settled:
        rows = [("", "", whole_report(bets))]
        rows += [("", name, each) for name, each in split_report(bets, Grouping.BOOKMAKER).items()]
        yield from _narrowed(rows)
        yield ""
    yield from _figures(found)
    for kind, derived in by_kind(run.done).items():
        of_kind = "; ".join(_figures(summary(derived)))
        text = _("of these {bets} {kind}: {figures}")
        count = count_text(len(derived))
        yield text.format(bets=count, kind=translated(kind), figures=of_kind)
    yield from map(translated, notes(run.done, question, say=translated))
    yield from map(translated, covered_lines(run.done, question))


def count_text(count: int) -> str:
    """Return a number of bets in words."""
    return ngettext("{count:,} bet", "{count:,} bets", count).format(count=num(count))


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
    yield _("[..] is the 95 % interval, by drawing games again; ? means too few games")
    if len(runs) > 1:
        lines = best_lines(best, [_label(run, _axes(runs)) for run in runs])
        yield from map(translated, lines)
    yield ""
    yield from _shared_notes(runs)
    yield from map(translated, shared_coverage([(run.done, run.question) for run in runs]))


def _asked(runs: Sequence[Run]) -> Iterator[str]:
    """Yield what was asked, and what the log has."""
    question, done = runs[0].question, runs[0].done

    def among(several: str, value: Callable[[Run], Hashable]) -> str:
        """Return a value, or how many there are in a comparison."""
        values = list(dict.fromkeys(map(value, runs)))
        return str(values[0]) if len(values) == 1 else several.format(count=len(values))

    when = [_("at the close") if question.at == "close" else _("at any moment")]
    if question.preset:
        when.append(_("preset {name}").format(name=question.preset))
    if question.latency_ms:
        when.append(_("{count:,} ms late").format(count=num(question.latency_ms)))
    if question.strategy == "value":
        text = _("bets: value by {sharp}, {method}; {least_ev}; {rules}; {when}")
        if question.series:
            text = _(
                "bets: the best odds of {series}, value by {sharp}, {method}; {least_ev}; {rules}; "
                "{when}"
            )
        yield text.format(
            series=question.series,
            sharp=among(_("{count} sharp books"), lambda each: translated(each.question.reference)),
            method=among(_("{count} methods"), lambda each: method_text(each.question.method)),
            least_ev=among(_("{count} least EVs"), lambda each: _least_text(each.combination)),
            rules=among(_("{count} sets of rules"), lambda each: _rules_text(each.combination)),
            when=", ".join(when),
        )
    else:
        text = _(
            "bets: {strategy}, match results with (1/mean - alpha) x best odds above 1; {alpha}; "
            "mean of {judges}; {when}"
        )
        yield text.format(
            strategy=question.strategy,
            alpha=among(_("{count} alphas"), lambda each: f"alpha {num(each.question.alpha):g}"),
            judges=translated(question.judges),
            when=", ".join(when),
        )
    charged = _charges_text(runs)
    yield _("stakes: {stakes}").format(stakes=f"{_stakes_text(question)}{charged}")
    yield _("CLV: {close}").format(close=close_by_text(question.close))
    since, until = question.since_ms, question.until_ms
    line = _("log: {count:,} rows").format(count=num(done.asked))
    if since is not None or until is not None:
        line += f" {translated(in_span(since, until))}"
    if done.first_ms is not None:
        covered = _("it covers {first} to {last}")
        last = format_ms(done.last_ms)
        line += f"; {covered.format(first=format_ms(done.first_ms), last=last)}"
    yield line


def method_text(method: str) -> str:
    """Return what people read for a devig method."""
    return translated(method.replace("_", " "))


def _least_text(combination: Combination) -> str:
    least = least_ev_in(combination)
    if least is None:
        return _("the contract's least EV")
    return _("EV of {percent:g} % or more").format(percent=num(least))


def _rules_text(combination: Combination) -> str:
    rules = rules_in(combination)
    which = {"contract": _("all price rules of the contract"), "none": _("no price rules")}
    names = ", ".join(map(translated, rules.split(AND)))
    return which.get(rules.casefold(), _("only these price rules: {names}").format(names=names))


def _stakes_text(question: Question) -> str:
    by = question.staking
    if by.kind == "flat":
        return _("one unit on each bet")
    share, units = by.share * 100, by.bankroll
    if by.kind == "proportional":
        text = _("{percent:.10g} % of a running bankroll of {units:,.10g} units")
        return text.format(percent=num(share), units=num(units))
    text = _(
        "{percent:.10g} % Kelly of a running bankroll of {units:,.10g} units, at most "
        "{outcome:.10g} % on an outcome, {game:.10g} % on a game, {total:.10g} % on all open bets"
    )
    caps = {"outcome": by.outcome_cap, "game": by.game_cap, "total": by.total_cap}
    shown = {name: num(cap * 100) for name, cap in caps.items()}
    return text.format(percent=num(share), units=num(units), **shown)


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
                (profile.commission, _("{percent:.4g} % commission")),
                (profile.tax, _("{percent:.4g} % tax")),
                (profile.taker_fee, _("{percent:.4g} % taker fee rate")),
            )
            kept = _(" and ").join(
                what.format(percent=num(rate * 100)) for rate, what in rates if rate
            )
            words += _("; less {percents} at {bookmaker}").format(percents=kept, bookmaker=name)
    return words


def _figures(found: Summary) -> Iterator[str]:
    settled = count_text(found.settled)
    if found.settled * 2 < found.bets:
        text = _("{count:,} of {bets}")
        settled = text.format(count=num(found.settled), bets=count_text(found.bets))
    yield _figure(_("yield"), found.yield_pct, found.yield_range, settled)
    closed = count_text(found.clv_bets)
    yield _figure(_("CLV"), found.clv_pct, found.clv_range, closed)


def _figure(name: str, figure: float | None, ends: Ends, of: str) -> str:
    if figure is None:
        return _("{name}: unknown").format(name=name)
    low, high = ends
    text = _("{name}: {percent:+.2f} % over {bets}; too few games for a 95 % interval")
    if low is not None and high is not None:
        text = _("{name}: {percent:+.2f} % over {bets}; 95 % interval {low:+.2f} to {high:+.2f}")
    return text.format(name=name, percent=num(figure), bets=of, low=num(low), high=num(high))


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
    profit = "" if found.profit is None else f"{num(found.profit):+.2f}"
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
    reach = (
        "?" if low is None or high is None else f"[{num(low):+.{digits}f}..{num(high):+.{digits}f}]"
    )
    return f"{num(figure):+.{digits}f} {reach}"


def _axes(runs: Sequence[Run]) -> list[str]:
    """Return the axes whose values differ; the first one if none does."""
    first = runs[0].combination
    differ = [axis for axis in first if any(run.combination[axis] != first[axis] for run in runs)]
    return differ or list(first)[:1]


def _word(axis: str, value: object) -> str:
    if axis == "method":
        return method_text(str(value))
    return f"{num(value):g}" if isinstance(value, float) else str(value)


def _label(run: Run, axes: Sequence[str]) -> str:
    """Return what is special about a run among others that differ in these axes."""
    before = {
        "least-ev": _("least EV {value}"),
        "rules": _("rules {value}"),
        "alpha": _("alpha {value}"),
    }
    words = ((before.get(axis, "{value}"), _word(axis, run.combination[axis])) for axis in axes)
    return ", ".join(text.format(value=word) for text, word in words)


def _shared_notes(runs: Sequence[Run]) -> Iterator[str]:
    """Yield notes that hold for all runs once, and those of all runs with one value with it.

    Others are left to ``--json``, unless there are few runs.
    """
    by_run = [notes(run.done, run.question, say=translated) for run in runs]
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
        line = translated(line)
        if len(having) == len(runs):
            yield line
        elif common:
            yield f"{_label(having[0], common[:1])}: {line}"
        elif len(runs) <= _FEW_RUNS:
            yield from (f"{_label(run, axes)}: {line}" for run in having)
        else:
            left += 1
    if left:
        yield _("{count} notes on single combinations: see --json").format(count=left)
