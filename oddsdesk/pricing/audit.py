"""Checking a service's value bets by its own figures: which formula and floor it used."""

import math
import sys
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Final, NamedTuple

from oddsdesk.pricing.devig import DEFAULT_METHOD, FROM_TOTAL, METHODS, PUBLISHED, DevigError, devig
from oddsdesk.pricing.value import safety_floor

_RATE_ROUNDING: Final = 0.56e-4
"""Half a unit in the last place of S on the wire; where 1/S is sent, up to a tenth more."""
_FAIR_ROUNDING: Final = 0.5e-4
_EV_ROUNDING: Final = 0.5e-2
_FLOAT_SLACK: Final = 1e-9
_ENOUGH: Final = 0.9
"""Share of the rows that a formula must explain; the rest may be computed from newer prices."""


class AuditedRow(NamedTuple):
    """The figures of a value bet as sent, rounded."""

    market_type: str
    odds: float
    reference_odds: float
    overround: float
    fair_odds: float
    ev_pct: float
    outcomes: tuple[int, ...]
    """The numbers of outcomes N that the line group may have (``selections.outcome_counts``)."""


class Hypothesis(NamedTuple):
    """One way in which a server may have computed its rows."""

    method: str
    floor_in_fair_odds: bool
    """``fair_odds`` is shown after the safety floor; the contract says before."""
    floor_in_ev: bool
    """``ev_pct`` is measured from the fair price after the floor, as the contract says."""


class Audit(NamedTuple):
    """What an audit found. ``fitting`` is empty where nothing explains the rows, and holds
    several hypotheses where the rows do not tell them apart, the contract's reading first."""

    rows: int
    explained: int
    """Rows that the fitting hypotheses explain."""
    fitting: tuple[Hypothesis, ...]
    sends_return_rate: bool = False
    """``payout_rate`` holds 1/S where the contract says S; figures are reckoned with S."""

    @property
    def is_published(self) -> bool:
        """The rows show the published formula, which adds margin, and nothing else."""
        return bool(self.fitting) and all(h.method == PUBLISHED for h in self.fitting)


def true_ev(
    market_type: str,
    odds: float,
    reference_odds: float,
    overround: float,
    outcomes: int,
    method: str = DEFAULT_METHOD,
) -> float:
    """Return the EV in percent after the safety floor, from a wire value bet's fields and N.

    Raises:
        DevigError: the method needs the odds of the other outcomes (more than two, and not
            ``margin_proportional``, ``multiplicative`` or ``published``), or has no fair
            price for these.
    """
    fair = fair_odds(method, reference_odds, overround, outcomes)
    return (odds / (fair * safety_floor(market_type)) - 1) * 100


def fair_odds(method: str, reference_odds: float, overround: float, outcomes: int) -> float:
    """Return the fair odds of one outcome from its odds, S and N.

    Raises:
        DevigError: as ``true_ev``.
    """
    if not 1 < reference_odds < math.inf or not 0 < overround < math.inf:
        raise DevigError(f"odds {reference_odds} under S = {overround} are no market")
    implied = 1 / reference_odds
    direct = FROM_TOTAL.get(method)
    if direct is not None:
        try:
            probability = direct(implied, overround, outcomes)
        except ArithmeticError as error:
            raise DevigError(f"S = {overround} is beyond floating point: {error}") from error
        if not sys.float_info.min <= probability < 1:
            raise DevigError(f"{method} gives odds {reference_odds} no fair price")
        return 1 / probability
    if outcomes != 2:
        raise DevigError(f"{method} needs the odds of all {outcomes} outcomes")
    other = overround - implied
    if not 0 < other < 1:
        raise DevigError(f"odds {reference_odds} leave no other outcome under S = {overround}")
    return devig(method, (reference_odds, 1 / other)).fair_odds[0]


_METHODS: Final = (
    DEFAULT_METHOD,
    PUBLISHED,
    "multiplicative",
    *(method for method in METHODS if method not in FROM_TOTAL),  # of two outcomes only
)
_FLOORS: Final = ((False, True), (False, False), (True, True), (True, False))
"""Whether the floor is in the fair odds, and in the EV; the contract's reading first."""
_HYPOTHESES: Final = tuple(
    Hypothesis(method, in_fair, in_ev) for method, (in_fair, in_ev) in product(_METHODS, _FLOORS)
)


def sends_return_rate(rates: Sequence[float]) -> bool:
    """Tell whether a server sends 1/S as ``payout_rate``: most of its rows lie below 1.

    S of a reference that values anything is 1 or more.
    """
    return 2 * sum(rate < 1 for rate in rates) > len(rates)


def audit(rows: Iterable[AuditedRow]) -> Audit:
    """Find out how a server computed the fair odds and EV of its value bets.

    ``overround`` of the rows is S: pass 1 / ``payout_rate`` where ``sends_return_rate``.

    A hypothesis explains a row when both figures follow from it within what rounding of
    ``overround``, ``fair_odds`` and ``ev_pct`` leaves open; it fits when it explains nine
    tenths of the rows, and no other explains more.
    """
    counts = dict.fromkeys(_HYPOTHESES, 0)
    judged = 0
    for row in rows:
        judged += 1
        for hypothesis in _explaining(row):
            counts[hypothesis] += 1
    best = max(counts.values())
    if not judged or best < _ENOUGH * judged:
        return Audit(judged, best, ())
    return Audit(judged, best, tuple(h for h in _HYPOTHESES if counts[h] == best))


def still_fits(found: Audit, rows: Sequence[AuditedRow]) -> bool:
    """Tell whether what an audit found explains other rows too; cheaper than another audit."""
    return bool(found.fitting) and all(
        sum(explains(hypothesis, row) for row in rows) >= _ENOUGH * len(rows)
        for hypothesis in found.fitting
    )


def exact_total(row: AuditedRow, served: Hypothesis, outcomes: int) -> float:
    """Return S as the row's fair odds have it, within what the rounding of S leaves open.

    For long odds the rounded fair odds tell S more exactly than the rounded S, for short odds less.
    """
    ends = row.overround - _RATE_ROUNDING, row.overround + _RATE_ROUNDING
    try:
        first, last = (fair_odds(served.method, row.reference_odds, end, outcomes) for end in ends)
    except DevigError:
        return row.overround
    if first == last:
        return row.overround
    share = (shown_fair(row, served) - first) / (last - first)
    return ends[0] + min(max(share, 0.0), 1.0) * (ends[1] - ends[0])


def shown_fair(row: AuditedRow, served: Hypothesis) -> float:
    """Return the row's fair odds before the safety floor."""
    floor = safety_floor(row.market_type) if served.floor_in_fair_odds else 1.0
    return row.fair_odds / floor


def explains(hypothesis: Hypothesis, row: AuditedRow) -> bool:
    """Tell whether a row's figures follow from a way to compute them."""
    spans = (_fair_span(hypothesis.method, row, outcomes) for outcomes in row.outcomes)
    return any(
        span is not None
        and _follows(row, span, in_fair=hypothesis.floor_in_fair_odds, in_ev=hypothesis.floor_in_ev)
        for span in spans
    )


def _explaining(row: AuditedRow) -> set[Hypothesis]:
    found = set()
    for method, outcomes in product(_METHODS, row.outcomes):
        span = _fair_span(method, row, outcomes)
        if span is not None:
            found |= {
                Hypothesis(method, in_fair, in_ev)
                for in_fair, in_ev in _FLOORS
                if _follows(row, span, in_fair=in_fair, in_ev=in_ev)
            }
    return found


def _fair_span(method: str, row: AuditedRow, outcomes: int) -> tuple[float, float] | None:
    """The least and greatest fair odds that the rounded S leaves open."""
    try:
        ends = [
            fair_odds(method, row.reference_odds, row.overround + shift, outcomes)
            for shift in (-_RATE_ROUNDING, _RATE_ROUNDING)
        ]
    except DevigError:
        return None
    return min(ends) - _FLOAT_SLACK, max(ends) + _FLOAT_SLACK


def _follows(row: AuditedRow, span: tuple[float, float], *, in_fair: bool, in_ev: bool) -> bool:
    """Whether the row's fair odds lie in the span and its EV follows from them."""
    floor = safety_floor(row.market_type)
    shown = floor if in_fair else 1.0
    # The shown fair odds narrow the span: the EV has to follow from the same price.
    least = max(span[0], (row.fair_odds - _FAIR_ROUNDING) / shown)
    most = min(span[1], (row.fair_odds + _FAIR_ROUNDING) / shown)
    if least > most:
        return False
    base = floor if in_ev else 1.0
    lowest = (row.odds / (most * base) - 1) * 100 - _EV_ROUNDING - _FLOAT_SLACK
    highest = (row.odds / (least * base) - 1) * 100 + _EV_ROUNDING + _FLOAT_SLACK
    return lowest <= row.ev_pct <= highest
