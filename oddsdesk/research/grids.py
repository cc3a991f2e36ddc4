"""Grids of backtests: lists of settings to combine, and the best of all combinations."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.devig import METHODS
from oddsdesk.research.backtest_summary import Summary, clv_ratio, yield_ratio
from oddsdesk.research.intervals import Ends
from oddsdesk.research.question import SettingsError, Strategy, rules_named

Value: TypeAlias = str | float
Combination: TypeAlias = Mapping[str, Value]
"""A value for each axis of a grid."""

MOST_COMBINATIONS: Final = 1_000
AND: Final = "+"
"""Between several rules of one value, since commas are between values."""


def grid_of(text: str) -> list[Combination]:
    """Return all combinations of the lists in a text, in its order.

    The text is like ``method=power,shin;reference=Pinnacle,consensus;least-ev=0,1,2``. Several
    rules in one value are joined by ``AND``.

    Raises:
        SettingsError: it makes no sense.
    """
    axes: dict[str, list[Value]] = {}
    for part in filter(None, (each.strip() for each in text.split(";"))):
        name, equals, listed = part.partition("=")
        axis = name.strip().casefold().replace("_", "-")
        if axis not in _READERS:
            raise SettingsError(f"{name.strip()!r} is not an axis: use {', '.join(_READERS)}")
        if not equals or not listed.strip():
            raise SettingsError(f"{axis} has no values: give some, as in {axis}=A,B")
        if axis in axes:
            raise SettingsError(f"{axis} is given twice: put all its values in one list")
        axes[axis] = _values(axis, listed)
    if not axes:
        raise SettingsError("the grid is empty: give lists, as in method=power,shin;least-ev=0,1")
    combined = itertools.product(*axes.values())
    found: list[Combination] = [dict(zip(axes, values, strict=True)) for values in combined]
    if len(found) > MOST_COMBINATIONS:
        raise SettingsError(
            f"{num(len(found)):,} combinations are too many; {num(MOST_COMBINATIONS):,} are"
            " allowed:"
            " shorten the lists"
        )
    return found


def _values(axis: str, listed: str) -> list[Value]:
    found: list[Value] = []
    for word in listed.split(","):
        if not word.strip():
            raise SettingsError(f"{axis} has an empty value: {listed!r}")
        value = _READERS[axis](word.strip())
        if _folded(value) in map(_folded, found):
            raise SettingsError(f"{axis} has {word.strip()!r} twice")
        found.append(value)
    return found


def _folded(value: Value) -> Value:
    return value.casefold() if isinstance(value, str) else value


def _method(word: str) -> str:
    name = word.casefold().replace(" ", "_").replace("-", "_")
    if name not in METHODS:
        raise SettingsError(f"unknown method {word!r}: use {', '.join(METHODS)}")
    return name


def _least_ev(word: str) -> float:
    try:
        least = float(word.removesuffix("%").strip())
    except ValueError:
        raise SettingsError(f"least-ev is a number of percent, not {word!r}") from None
    rules_named(least_ev=least)
    return least


def _rules(word: str) -> str:
    rules_named(word.split(AND))
    return word


def _alpha(word: str) -> float:
    try:
        alpha = float(word)
    except ValueError:
        alpha = math.nan
    if not 0 <= alpha < 1:
        raise SettingsError(f"alpha is a number from 0 to below 1, not {word!r}")
    return alpha


_READERS: Final[Mapping[str, Callable[[str], Value]]] = {
    "method": _method,
    "reference": str,
    "least-ev": _least_ev,
    "rules": _rules,
    "alpha": _alpha,
}
AXES: Final = tuple(_READERS)
AXES_OF: Final[Mapping[Strategy, frozenset[str]]] = {
    "value": frozenset({"method", "reference", "least-ev", "rules"}),
    "best-vs-mean": frozenset({"alpha", "rules"}),
}
"""What a strategy depends on; with ``best-vs-mean`` only the price age of the rules."""


class Winner(NamedTuple):
    """The combination with the highest yield or CLV, among those of at least ten games."""

    place: int
    figure: float
    ends: Ends
    """The 95 % interval, whose lower end is corrected for having chosen the highest."""


class Bests(NamedTuple):
    """The combinations with the best yield and the best CLV; None if all have too few games."""

    by_yield: Winner | None = None
    by_clv: Winner | None = None


def bests_of(bets: Sequence[Sequence[PlacedBet]], found: Sequence[Summary]) -> Bests:
    """Return the best combinations, by the bets and the summary of each."""
    from oddsdesk.research.resampling import best_of  # noqa: PLC0415 - numpy, not at start

    games = [[bet.game_id for bet in each] for each in bets]
    yields = [(each.yield_pct, each.yield_range) for each in found]
    clvs = [(each.clv_pct, each.clv_range) for each in found]
    return Bests(
        _winner(best_of(list(zip(games, map(yield_ratio, bets), strict=True))), yields),
        _winner(best_of(list(zip(games, map(clv_ratio, bets), strict=True))), clvs),
    )


def best_lines(best: Bests, names: Sequence[str]) -> Iterator[str]:
    """Yield which combinations are best, and how sure that is; ``names`` has all combinations."""
    count = len(names)
    for figure, winner in (("yield", best.by_yield), ("CLV", best.by_clv)):
        if winner is None:
            yield N_(f"best {figure} of {count}: unknown, as none has ten games with a {figure}")
            continue
        low, high = winner.ends
        best_name = names[winner.place]
        yield N_(
            f"best {figure} of {count}: {best_name}, {num(winner.figure):+.2f} %, corrected 95 %"
            f" interval {num(low):+.2f} to {num(high):+.2f}"
        )
    if any(best):
        yield N_(
            f"The best of {count} is partly lucky. Its corrected interval allows for that: only if"
            " all of it is above 0 is there an edge that luck in choosing does not explain."
        )


def _winner(
    best: tuple[int, float] | None, figures: Sequence[tuple[float | None, Ends]]
) -> Winner | None:
    if best is None:
        return None
    place, low = best
    figure, (own_low, high) = figures[place]
    assert figure is not None
    lower = low if own_low is None else min(low, own_low)
    return Winner(place, figure, (lower, high))
