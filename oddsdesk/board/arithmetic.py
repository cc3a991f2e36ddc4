"""The steps from the reference's prices to a price's EV, each of which can be done again.

Each figure has enough decimals that whoever repeats a step, with the figures as they are
shown, gets the result that is shown.
"""

import math
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from oddsdesk.board.explaining import Explanation
from oddsdesk.pricing.devig import DEFAULT_METHOD, PUBLISHED

_SHARING: Final = (DEFAULT_METHOD, "additive", PUBLISHED)
"""Methods that take an equal share of the margin from each outcome; ``published`` adds it."""
_MULTIPLICATIVE: Final = "multiplicative"
_EV_DECIMALS: Final = 2
_MOST_DECIMALS: Final = 12
_MINUS: Final = "−"


class Step(NamedTuple):
    """One step: what is worked out, how with the figures shown, and what comes of it."""

    name: str
    formula: str
    """Empty where it does not fit in a line: Shin's method is solved for, not worked out."""
    result: str


class _Figures(NamedTuple):
    """The figures of a chain as they are shown; None where the method has no such step."""

    total: str
    share: str | None
    probability: str | None
    fair: str
    final: str
    ev: str


def steps(said: Explanation) -> list[Step]:
    """Return the steps of an explanation; only the first where the price is not valued."""
    return list(_steps(said))


def fair_text(odds: float, fair: float, floor: float) -> str:
    """Return a fair price with enough decimals that the EV follows from them."""
    ev = _fixed(_ev(odds, fair * floor), _EV_DECIMALS)
    return _enough(fair, _price_decimals(fair), lambda text: _ev(odds, float(text) * floor), ev)


def exact(number: float) -> str:
    """Return a price or factor with all the decimals it has."""
    return f"{number:.10g}"


def _steps(said: Explanation) -> Iterator[Step]:
    verdict = said.verdict
    total = verdict.overround
    if total is None:
        return
    fair, final = verdict.fair_odds, verdict.fair_final
    if fair is None or final is None or verdict.ev_pct is None or verdict.reference_odds is None:
        yield _sum(said, _fixed(total, 4))
        return
    shown = _figures(said, total, fair, final, verdict.reference_odds)
    yield _sum(said, shown.total)
    yield from _margin(said, shown, verdict.reference_odds)
    yield Step("Floor", f"{shown.fair} × {exact(said.floor)}", shown.final)
    ev = _signed(f"{float(shown.ev):+.{_EV_DECIMALS}f} %")
    yield Step("EV", f"{exact(said.odds)} ÷ {shown.final} {_MINUS} 1", ev)


def _sum(said: Explanation, total: str) -> Step:
    """The sum that S is; a value bet's own row holds S only, not the odds that it comes from."""
    parts = " + ".join(f"1/{exact(odds)}" for _, odds in said.quoted)
    return Step("S", "" if said.from_row else parts, total)


def _margin(said: Explanation, shown: _Figures, reference: float) -> Iterator[Step]:
    """What the method does with the margin."""
    if shown.share is not None and shown.probability is not None:
        is_added, share = said.method == PUBLISHED, shown.share
        margin = f"1 {_MINUS} 1/{shown.total}" if is_added else f"{shown.total} {_MINUS} 1"
        yield Step("Margin", f"({margin}) ÷ {said.outcomes}", f"{share} pp")
        sign = "+" if is_added else _MINUS
        chance = f"{shown.probability} %"
        yield Step("Chance", f"1/{exact(reference)} {sign} {share} pp", chance)
        yield Step("Fair", f"1 ÷ {chance}", shown.fair)
    elif said.method == _MULTIPLICATIVE:
        yield Step("Fair", f"{exact(reference)} × {shown.total}", shown.fair)
    else:
        yield Step(f"Fair by {said.method.replace('_', ' ')}", "", shown.fair)


def _figures(
    said: Explanation, total: float, fair: float, final: float, reference: float
) -> _Figures:
    """Choose decimals from the last figure back: each has as many as the next one needs."""
    floor, outcomes = said.floor, said.outcomes
    ev = _fixed(_ev(said.odds, final), _EV_DECIMALS)
    shown_final = _enough(final, _price_decimals(final), lambda x: _ev(said.odds, float(x)), ev)
    shown_fair = _enough(fair, _price_decimals(fair), lambda x: float(x) * floor, shown_final)
    least = 4
    if said.method == _MULTIPLICATIVE:
        shown_total = _enough(total, least, lambda x: float(x) * reference, shown_fair)
    else:
        shown_total = _fixed(total, least)
    if said.method not in _SHARING or not outcomes:
        return _Figures(shown_total, None, None, shown_fair, shown_final, ev)
    is_added = said.method == PUBLISHED

    def share_of(total: float) -> float:
        return ((1 - 1 / total) if is_added else (total - 1)) / outcomes * 100

    sign = 1 if is_added else -1
    chance = _enough(100 / fair, least, lambda x: 100 / (float(x) or math.inf), shown_fair)
    share = _enough(share_of(total), least, lambda x: 100 / reference + sign * float(x), chance)
    shown_total = _enough(total, least, lambda x: share_of(float(x)), share)
    return _Figures(shown_total, _signed(share), chance, shown_fair, shown_final, ev)


def _enough(number: float, least: int, follows: Callable[[str], float], result: str) -> str:
    """A figure with the fewest decimals from which the next figure follows as it is shown."""
    decimals = len(result.partition(".")[2])
    for places in range(least, _MOST_DECIMALS):
        text = _fixed(number, places)
        if _fixed(follows(text), decimals) == result:
            return text
    return _fixed(number, _MOST_DECIMALS)


def _price_decimals(price: float) -> int:
    return 4 if price < 10 else 3 if price < 100 else 2


def _ev(odds: float, final: float) -> float:
    return (odds / final - 1) * 100


def _fixed(number: float, decimals: int) -> str:
    return f"{round(number, decimals) + 0.0:.{decimals}f}"


def _signed(text: str) -> str:
    return text.replace("-", _MINUS)
