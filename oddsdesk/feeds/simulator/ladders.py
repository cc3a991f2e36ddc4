"""Price ladders: to what a bookmaker rounds its decimal odds."""

import math
from types import MappingProxyType
from typing import Final

_LOWEST: Final = 1.01
_HAIR: Final = 2e-4
"""Relative error that four decimals leave: what is on the ladder already stays there."""
_EXCHANGE: Final = ((2, 0.01), (3, 0.02), (4, 0.05), (6, 0.1), (10, 0.2), (20, 0.5), (1e9, 1.0))


def _floor(raw: float, step: float) -> float:
    """Round down, as bookmakers do, but not for an error of floating point."""
    return round(math.floor(raw / step + 1e-6) * step, 3)


def thousandths(raw: float) -> float:
    """Three decimals below 3, two above: the reference's own ladder."""
    return max(round(raw, 3 if raw < 3 else 2), 1.001)


def _cents(raw: float) -> float:
    step = 0.01 if raw < 6 else 0.1 if raw < 15 else 0.5
    return max(_floor(raw, step), _LOWEST)


def _twentieths(raw: float) -> float:
    step = 0.01 if raw < 1.2 else 0.05 if raw < 5 else 0.25
    return max(_floor(raw, step), _LOWEST)


def _american(raw: float) -> float:
    """Whole American odds in steps of 1 below 200 and of 5 above."""
    line = (raw - 1) * 100 if raw >= 2 else 100 / max(raw - 1, 0.001)
    step = 1 if line < 200 else 5
    if raw >= 2:
        return round(1 + _floor(line, step) / 100, 4)
    return max(round(1 + 100 / (math.ceil(line * (1 - _HAIR) / step) * step), 4), _LOWEST)


def _exchange(raw: float) -> float:
    step = next(step for limit, step in _EXCHANGE if raw < limit)
    return max(round(round(raw / step) * step, 2), _LOWEST)


def _probability(raw: float) -> float:
    """Whole cents a share that pays one dollar."""
    cents = min(max(math.ceil(100 / raw * (1 - _HAIR)), 1), 99)
    return round(100 / cents, 4)


LADDERS: Final = MappingProxyType(
    {
        "thousandths": thousandths,
        "cents": _cents,
        "twentieths": _twentieths,
        "american": _american,
        "exchange": _exchange,
        "probability": _probability,
    }
)
