"""Summary of a backtest: figures with their intervals, and notes on them."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import Any, Final

import msgspec

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_
from oddsdesk.board.valuation.verdict_words import PER_DECIDED_TEXT
from oddsdesk.contract.times import HOUR_MS, format_ms
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.legs import devigged_close
from oddsdesk.pricing.consensus import LEARNED_TITLE
from oddsdesk.pricing.devig import METHODS, PUBLISHED
from oddsdesk.pricing.selections import clv_pct
from oddsdesk.research.backtests import Backtested
from oddsdesk.research.coverage import (
    Moment,
    day_of,
    games_lines,
    in_span,
    refused_line,
    why_no_close,
    why_nothing,
    why_unpriced,
)
from oddsdesk.research.intervals import Ends, Ratio
from oddsdesk.research.question import Question
from oddsdesk.research.staking import bankroll_lines

_MOST_GAPS: Final = 3
_MOST_UNMOVED: Final = 0.1
"""Share of closing lines; fewer hardly move the mean, compared with the interval of a season."""
_SAME: Final = 1e-9
"""Figures whose ratio differs by less count as equal."""
_NO_OTHER: Final = {"additive", PUBLISHED}
"""Methods that are another by name, or add margin."""
_OVERSTATED: Final = N_(
    "the published formula adds the sharp book's margin instead of removing it, and overstates: "
    "{figures}"
)


class Summary(msgspec.Struct, frozen=True):
    """Figures of bets; None if they cannot be computed."""

    bets: int
    staked: float
    settled: int
    profit: float | None
    profit_range: Ends
    yield_pct: float | None
    """Profit in percent of the stakes on bets with a result."""
    yield_range: Ends
    clv_pct: float | None
    clv_range: Ends
    clv_bets: int
    clv_bets_range: Ends

    @property
    def settled_text(self) -> str:
        """The bets that yield and profit cover; out of how many, if most have no result."""
        if self.settled * 2 < self.bets:
            return f"{num(self.settled):,} of {bets_text(self.bets)}"
        return bets_text(self.settled)


def bets_text(count: int) -> str:
    """Return a number of bets in words."""
    return f"{num(count):,} bet{'' if count == 1 else 's'}"


def summary(bets: Sequence[PlacedBet]) -> Summary:
    """Sum up bets, with intervals from drawing games with replacement.

    If all games ended alike, such as ten lost bets, yield and profit have no interval.
    """
    from oddsdesk.research.resampling import bootstrapped  # noqa: PLC0415 - numpy, not at start

    of_yield, of_clv = yield_ratio(bets), clv_ratio(bets)
    of_profit = Ratio([bet.profit for bet in bets])
    of_closes = Ratio([float(bet.clv_pct is not None) for bet in bets])
    ratios = [of_profit, of_yield, of_clv, of_closes]
    ranges = bootstrapped([bet.game_id for bet in bets], ratios)
    if _is_one_point(ranges[1]):
        ranges[:2] = [(None, None)] * 2
    return Summary(
        bets=len(bets),
        staked=math.fsum(bet.stake for bet in bets),
        settled=sum(bet.profit is not None for bet in bets),
        profit=of_profit.figure,
        profit_range=ranges[0],
        yield_pct=of_yield.figure,
        yield_range=ranges[1],
        clv_pct=of_clv.figure,
        clv_range=ranges[2],
        clv_bets=int(of_closes.figure or 0),
        clv_bets_range=ranges[3],
    )


def notes(
    done: Backtested,
    question: Question,
    moment: Moment = format_ms,
    day: Moment = day_of,
    say: Callable[[str], str] = str,
) -> list[str]:
    """Return the notes on a backtest, one line each.

    ``moment`` formats times, ``day`` formats days, and ``say`` translates reasons within a line.
    """
    lines = []
    when = in_span(question.since_ms, question.until_ms, moment)
    lacks, unpriced = _why_no_bets(done, question, when, moment, day)
    if lacks or unpriced:
        lines.append(lacks or unpriced)
    elif not done.bets:
        lines.append(N_(f"no price was value {when}"))
        if question.judged_by == question.reference and done.bookmakers == {question.reference}:
            lines.append(
                N_(
                    f"{question.reference} is the only bookmaker here, and the sharp book's own"
                    " prices are never bet on"
                )
            )
    elif not done.has_results and not done.unclear:
        lines.append(N_("no results: import them with the seasons of football-data.co.uk"))
    elif missing := sum(bet.result is None for bet in done.bets):
        lines.append(
            N_(f"{missing} of {len(done.bets)} bets have no result; the yield leaves them out")
        )
        counts = Counter(done.unclear.values()).most_common()
        lines += [N_(f"{count} of these: {why}") for why, count in counts]
    if done.bankroll is not None:
        lines += bankroll_lines(done.bankroll)
    if done.bets and question.reference == LEARNED_TITLE:
        lines.append(
            N_(
                "the learned weights may have been fitted to results of these games: not a fair"
                " test"
            )
        )
    if question.series and done.bets:
        lines.append(_above_recorded(done))
    by = question.close
    if not lacks and (unclosed := why_no_close(done, by)):
        lines.append(unclosed)
    if unsure := _sign_by_method(done.bets, by.method):
        lines.append(unsure)
    if without := [bet for bet in done.bets if bet.clv_pct is None]:
        why = _why(without, say)
        lines.append(N_(f"{len(without)} of {len(done.bets)} bets have no closing line: {why}"))
    if per_decided := sum(bet.clv_per == "decided" for bet in done.bets):
        lines.append(N_(f"CLV of {per_decided} of {len(done.bets)} bets is {PER_DECIDED_TEXT}"))
    if done.bets and question.at == "close" and question.strategy == "value":
        lines.append(
            N_(
                "bets are placed at the close: their CLV is their EV where the closing line valued"
                " them, by the same method"
            )
        )
    elif unmoved := _unmoved(done.bets):
        lines.append(unmoved)
    overstated = [
        name
        for name, method in (("EV", question.method), ("CLV", question.close.method))
        if method == PUBLISHED
    ]
    if done.bets and overstated:
        lines.append(_OVERSTATED.format(figures=" and ".join(overstated)))
    if done.missed:
        if done.missed == 1:
            lines.append(N_("1 price was no longer value after the latency"))
        else:
            lines.append(N_(f"{done.missed} prices were no longer value after the latency"))
    if done.removed:
        lines.append(done.removed)
    if done.gaps:
        lines.append(_gaps(done.gaps, moment))
    return lines


def _why_no_bets(
    done: Backtested, question: Question, when: str, moment: Moment, day: Moment
) -> tuple[str, str]:
    """Return why the log has nothing to judge by, and why no game of the span was judged."""
    if question.strategy == "value":
        lacks = why_nothing(done, question.reference, when, moment)
        unpriced = why_unpriced(done.coverage, question.reference, when, day)
        if question.series and not unpriced and not done.coverage.with_series:
            unpriced = N_(f"no game has odds of the series {question.series} {when}")
        return lacks, unpriced
    lacks = "" if done.asked else why_nothing(done, question.reference, when, moment)
    has_none = done.coverage.games and not done.coverage.priced
    return lacks, N_(f"{question.judges} priced no match result {when}") if has_none else ""


def covered_lines(done: Backtested, question: Question, day: Moment = day_of) -> Iterator[str]:
    """Yield what the log covers, and which prices were refused if there are rules, one line each.

    ``day`` formats days.
    """
    yield from games_lines(done.coverage, question.judges, question.close, day)
    if question.strategy == "value" and (
        refused := refused_line([done.coverage], question.reference)
    ):
        yield refused


def shared_coverage(
    runs: Sequence[tuple[Backtested, Question]], day: Moment = day_of
) -> Iterator[str]:
    """Yield what the log covers and which prices were refused for each sharp book, each line once.

    ``day`` formats days.
    """
    by_reference: dict[str, list[tuple[Backtested, Question]]] = {}
    for run in runs:
        by_reference.setdefault(run[1].judges, []).append(run)
    said: set[str] = set()
    for reference, judged in by_reference.items():
        done, question = judged[0]
        for line in games_lines(done.coverage, reference, question.close, day):
            if line not in said:
                yield line
            said.add(line)
        refused = refused_line([each.coverage for each, _ in judged], reference)
        if refused and question.strategy == "value":
            yield refused if len(by_reference) == 1 else f"{reference}: {refused}"


def as_fields(bet: PlacedBet) -> dict[str, Any]:
    """Return a bet in the form that ``--json`` prints."""
    return {
        "game_id": bet.game_id,
        "match_name": bet.match_name,
        "competition": bet.competition,
        "market_type": bet.market_type,
        "period": bet.period,
        "selection": bet.selection,
        "bookmaker": bet.bookmaker,
        "odds": bet.odds,
        "net_odds": bet.net_odds,
        "fair_odds": bet.fair_odds,
        "net_ev_pct": bet.ev,
        "ev_pct": bet.true_ev,
        "per": bet.per,
        "stake": bet.stake,
        "placed_at": format_ms(bet.placed_at),
        "match_date": None if bet.kick_off is None else format_ms(bet.kick_off),
        "result": None if bet.result is None else bet.result.value,
        "profit": bet.profit,
        "fair_close": None if bet.close is None else bet.close.fair_odds,
        "clv_pct": bet.clv_pct,
        "clv_per": bet.clv_per,
        "no_close": "" if bet.close is None else bet.close.why,
    }


def summary_fields(found: Summary) -> dict[str, Any]:
    """Return the figures in the form that ``--json`` prints."""
    fields: dict[str, Any] = {"bets": found.bets, "staked": found.staked, "settled": found.settled}
    for name, figure, ends in (
        ("profit", found.profit, found.profit_range),
        ("yield_pct", found.yield_pct, found.yield_range),
        ("clv_pct", found.clv_pct, found.clv_range),
        ("clv_bets", found.clv_bets, found.clv_bets_range),
    ):
        fields |= {name: figure, f"{name}_low": ends[0], f"{name}_high": ends[1]}
    return fields


def yield_ratio(bets: Sequence[PlacedBet]) -> Ratio:
    """Return the yield in percent, as a ratio."""
    profits = [None if bet.profit is None else bet.profit * 100 for bet in bets]
    return Ratio(profits, [bet.stake for bet in bets])


def clv_ratio(bets: Sequence[PlacedBet]) -> Ratio:
    """Return the mean CLV in percent, as a ratio; each bet counts once, whatever its stake."""
    return Ratio([bet.clv_pct for bet in bets], [1.0] * len(bets))


def _is_one_point(ends: Ends) -> bool:
    low, high = ends
    return low is not None and high is not None and math.isclose(low, high, rel_tol=_SAME)


def _why(bets: Sequence[PlacedBet], say: Callable[[str], str]) -> str:
    """Return why bets have no closing line, the most frequent reason first."""
    reasons = Counter(N_("game not started") if not bet.close else bet.close.why for bet in bets)
    if len(reasons) == 1:
        return say(next(iter(reasons)))
    return ", ".join(f"{say(why)} ({count})" for why, count in reasons.most_common())


def _above_recorded(done: Backtested) -> str:
    """Return how many of a series' prices no recorded bookmaker had, and the CLV at theirs."""
    known = [(bet, at) for bet in done.bets if (at := done.recorded.get(bet.ident)) is not None]
    if not known:
        return N_(
            "no bookmaker's price was recorded for these bets: nothing shows who had the prices"
        )
    above = [(bet.odds / at.odds - 1) * 100 for bet, at in known if bet.odds > at.odds]
    higher, all_known = f"{num(len(above)):,}", f"{num(len(known)):,}"
    line = N_(f"{higher} of {all_known} best prices are above every bookmaker recorded here")
    if above:
        percent = f"{num(fmean(above)):.1f}"
        line = N_(
            f"{higher} of {all_known} best prices are above every bookmaker recorded here, by"
            f" {percent} % on average"
        )
    if rest := len(done.bets) - len(known):
        line = N_(f"{line}; for {bets_text(rest)} none was recorded")
    closed = [
        (own, there)
        for bet, at in known
        if (own := bet.clv_pct) is not None
        and (there := msgspec.structs.replace(bet, net_odds=at.net_odds).clv_pct) is not None
    ]
    if not closed:
        return N_(f"{line}; the CLV at the best recorded price is unknown")
    own, there = map(fmean, zip(*closed, strict=True))
    return N_(
        f"{line}; at the best recorded price, after commission, CLV is {num(there):+.2f} %"
        f" instead of {num(own):+.2f} % over {bets_text(len(closed))}"
    )


def _sign_by_method(bets: Sequence[PlacedBet], method: str) -> str:
    """Return the range of the CLV over the methods of devigging the close, if its sign changes.

    Only bets count whose closing odds all methods can devig, so that all are of the same bets.
    """
    methods = [name for name in METHODS if name not in _NO_OTHER or name == method]
    closed = [bet for bet in bets if bet.clv_pct is not None]
    found = [[_clv_by(bet, name) for name in methods] for bet in closed]
    known = [each for each in found if None not in each]
    means = [math.fsum(filter(None, each)) / len(known) for each in zip(*known, strict=True)]
    if not means or not min(means) < 0 < max(means):
        return ""
    (low, lowest), *_, (high, highest) = sorted(zip(means, methods, strict=True))
    least, most = f"{num(low):+.2f} % ({_words(lowest)})", f"{num(high):+.2f} % ({_words(highest)})"
    if len(known) == len(closed):
        return N_(
            f"CLV is {least} to {most}, depending on how the margin is removed from the close: its"
            " sign is not certain"
        )
    return N_(
        f"CLV of {num(len(known)):,} of {bets_text(len(closed))} is {least} to {most}, depending on"
        " how the margin is removed from the close: its sign is not certain"
    )


def _clv_by(bet: PlacedBet, method: str) -> float | None:
    close = devigged_close(bet, method)
    if close is None or close.fair_odds is None:
        return None
    return clv_pct(bet.net, close.fair_odds, 1.0 if close.decided is None else close.decided)


def _words(method: str) -> str:
    return method.replace("_", " ")


def _unmoved(bets: Sequence[PlacedBet]) -> str:
    """Return a note if many bets closed at the odds they were valued with; empty if few did.

    The CLV of such a bet repeats its EV, which is above 0 because it was bet on.
    """
    closed = [(bet, clv) for bet in bets if (clv := bet.clv_pct) is not None]
    moved = [clv for bet, clv in closed if not _closed_as_judged(bet)]
    same = len(closed) - len(moved)
    if not closed or same < _MOST_UNMOVED * len(closed):
        return ""
    rest = (
        N_(f"without them CLV is {num(math.fsum(moved) / len(moved)):+.2f} %")
        if moved
        else N_("there are no others")
    )
    return N_(
        f"{same} of {len(closed)} closing lines are the same odds that the bets were valued with:"
        f" their CLV repeats their EV; {rest}"
    )


def _closed_as_judged(bet: PlacedBet) -> bool:
    """Return whether a bet's fair line stood until the close, whatever the devig method."""
    if bet.close is None or bet.fair_odds is None or bet.close.reference != bet.reference:
        return False
    close = devigged_close(bet, bet.method)
    if close is None or close.fair_odds is None:
        return False
    return math.isclose(close.fair_odds, bet.fair_odds, rel_tol=_SAME)


def _gaps(gaps: Sequence[tuple[int, int]], moment: Moment) -> str:
    longest = sorted(gaps, key=lambda gap: gap[0] - gap[1])[:_MOST_GAPS]
    hours = sum(until - since for since, until in gaps) / HOUR_MS
    named = ", ".join(f"{moment(since)} to {moment(until)}" for since, until in longest)
    if len(gaps) > len(longest):
        more = len(gaps) - len(longest)
        return N_(f"the log has gaps of {num(hours):.1f} h in total: {named} and {more} more")
    return N_(f"the log has gaps of {num(hours):.1f} h in total: {named}")
