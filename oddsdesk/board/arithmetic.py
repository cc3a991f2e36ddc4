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
    total, found = said.overround, said.assessment
    if total is None:
        return
    fair = found.fair_odds
    if fair is None or found.ev_pct is None or said.reference_odds is None:
        if not said.voters:
            yield _sum(said, _fixed(total, 4))
        return
    shown = _figures(said, total, fair, said.reference_odds)
    if said.voters:
        yield from _pooled(said, fair, shown)
    else:
        yield _sum(said, shown.total)
        yield from _margin(said, shown, said.reference_odds)
    yield Step("Floor", f"{shown.fair} × {exact(said.floor)}", shown.final)
    if said.profile.charges and not said.is_reference:
        yield Step("Net", _net_formula(said), exact(said.net_odds))
    ev = f"{float(shown.ev):+.{len(shown.ev.partition('.')[2])}f} %"
    yield Step("EV", f"{exact(said.net_odds)} ÷ {shown.final} {_MINUS} 1", _signed(ev))
    yield from _push(said, shown.ev)


def _net_formula(said: Explanation) -> str:
    """How commission and tax come off; empty where a fee has no formula of one line."""
    profile, odds = said.profile, exact(said.odds)
    if profile.taker_fee:
        return ""
    kept = exact(round((1 - profile.commission) * 100, 6))
    net = f"1 + ({odds} {_MINUS} 1) × {kept} %"
    if not profile.tax:
        return net
    left = exact(round((1 - profile.tax) * 100, 6))
    return f"({net}) × {left} %" if profile.commission else f"{odds} × {left} %"


def _push(said: Explanation, ev: str) -> Iterator[Step]:
    """What comes back undecided on average lessens the EV of a unit staked (D53)."""
    found = said.assessment
    if found.per == "decided":
        yield Step("Push", "not known how often", "per decided unit")
    elif said.decided < 1 and found.ev_pct is not None:
        result = _fixed(found.ev_pct, _EV_DECIMALS)
        share = _enough(said.decided * 100, 2, lambda x: float(ev) * float(x) / 100, result)
        staked = _signed(f"{float(result):+.{_EV_DECIMALS}f} %")
        yield Step("Staked", _signed(f"{float(ev):+} % × {share} % decided"), staked)


def _sum(said: Explanation, total: str) -> Step:
    """The sum that S is; a value bet's own row holds S only, not the odds that it comes from."""
    parts = " + ".join(f"1/{exact(odds)}" for _, odds in said.quoted)
    return Step("S", "" if said.from_row else parts, total)


def _pooled(said: Explanation, fair: float, shown: _Figures) -> Iterator[Step]:
    """What the votes come to: who said what stands beside the steps (D60)."""
    chance = _enough(100 / fair, 4, lambda x: 100 / (float(x) or math.inf), shown.fair)
    count = said.votes
    yield Step("Chance", f"{count} vote{'' if count == 1 else 's'} together", f"{chance} %")
    yield Step("Fair", f"1 ÷ {chance} %", shown.fair)


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


def _figures(said: Explanation, total: float, fair: float, reference: float) -> _Figures:
    """Choose the decimals backwards: each figure has those that the next one needs."""
    floor, outcomes, net = said.floor, said.outcomes, said.net_odds
    final = fair * floor
    ev = _fixed(_ev(net, final), _EV_DECIMALS + (2 if said.decided < 1 else 0))
    shown_final = _enough(final, _price_decimals(final), lambda x: _ev(net, float(x)), ev)
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
