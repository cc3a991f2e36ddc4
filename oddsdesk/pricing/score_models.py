"""Models of how a game ends: what they are fitted to, what they return, which sport has one.

Each sport's model is a module that is imported when it is first used, as it may need numpy.
``shares_at`` returns what bets win at each score, without any model.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.markets import SCORE_MARKETS
from oddsdesk.pricing.selections import DRAW, Goals, result_at, share_of

MOST_GOALS: Final = 14
"""The most goals of a team in a score of football."""
SCORES: Final = tuple(
    Goals(home, away) for home in range(MOST_GOALS + 1) for away in range(MOST_GOALS + 1)
)


class Line(NamedTuple):
    """A side of a line that the reference prices."""

    market_type: str
    key: str
    """As ``LineGroup.key``."""
    side: str
    probability: float
    """The chance that a decided unit is won: 1 / fair odds."""


class Model(Protocol):
    """How a period of a game is likely to end, as fitted to the reference's lines."""

    @property
    def parameters(self) -> Mapping[str, float]:
        """The fitted figures, by their names for people: ``home rate``, ``rho``."""

    @property
    def misses(self) -> Sequence[tuple[Line, float]]:
        """The lines that it was fitted to, each with the model's probability minus the line's."""

    def probability(self, market_type: str, key: str, side: str) -> float | None:
        """Return how likely a decided unit is won; None if the model does not cover it."""

    def push(self, market_type: str, key: str) -> float | None:
        """Return how likely all or half of a stake comes back; None if not covered."""


class Fit(Protocol):
    """The function that fits a sport's model."""

    def __call__(
        self, lines: Sequence[Line], *, period: int = 0, start: Model | None = None
    ) -> Model | None:
        """Return the model nearest to all lines; None if there are too few.

        Args:
            lines: What the reference prices before kick-off, all sides of each line. Lines that the
                model does not know are left out.
            period: 0 for the whole game.
            start: The last model of the same game, to start the fit from.
        """


def tells_draw(lines: Iterable[Line]) -> bool:
    """Return whether lines of football depend on the draw, so that they show how likely it is.

    That is a match result, or two handicaps around 0 that are half a goal apart or more.
    """
    handicaps = set[float]()
    for line in lines:
        if line.side == DRAW and (line.key or "0") in {"0", "+0"}:
            return True
        if line.market_type == "draw_no_bet":
            handicaps.add(0.0)
        elif line.market_type == "spread" and abs(at := float(line.key)) <= 0.5:
            handicaps.add(at)
    return max(handicaps, default=0.0) - min(handicaps, default=0.0) >= 0.5


_FITS: Final = MappingProxyType(
    {
        FOOTBALL: ("score_grid", "fitted"),
        "Hockey": ("overtime_grids", "fitted_hockey"),
        "Baseball": ("overtime_grids", "fitted_baseball"),
        "Basketball": ("margins", "fitted_basketball"),
        "AmericanFootball": ("margins", "fitted_american_football"),
        "Tennis": ("tennis", "fitted"),
    }
)
"""By sport, the module and name of its ``Fit``."""


def has_model(sport: str) -> bool:
    """Return whether a sport has a model."""
    return sport in _FITS


def fitted_model(
    sport: str, lines: Sequence[Line], *, period: int = 0, start: Model | None = None
) -> Model | None:
    """Return the sport's model of a period, as ``Fit``; None where the sport has none."""
    if sport not in _FITS:
        return None
    module, name = _FITS[sport]
    fit: Fit = getattr(import_module(f"oddsdesk.pricing.{module}"), name)
    return fit(lines, period=period, start=start)


@lru_cache(maxsize=1 << 10)
def shares_at(market_type: str, key: str, side: str) -> tuple[float, ...] | None:
    """Return the share of the stake won at each of ``SCORES``; None if no score settles the bet."""
    results = [result_at(market_type, key, side, goals) for goals in SCORES]
    if market_type not in SCORE_MARKETS or None in results:
        return None
    return tuple(share_of(result) for result in results if result is not None)
