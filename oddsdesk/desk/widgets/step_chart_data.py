"""What a step chart shows: lines, gaps, and what stands at a moment, as plain values."""

from collections.abc import Callable, Iterable
from enum import Enum
from typing import NamedTuple

import msgspec

from oddsdesk.board.history import Gap, Path, Point, is_in_gap, odds_at, runs
from oddsdesk.desk.theme.tokens import Ink
from oddsdesk.desk.widgets.step_chart_axes import price_range
from oddsdesk.desk.widgets.step_chart_window import Window


class Stroke(Enum):
    """How a line is drawn; tells lines apart without colour."""

    STRONG = "strong"
    THIN = "thin"
    DOTTED = "dotted"
    DASHED = "dashed"


class Line(msgspec.Struct, frozen=True):
    """One price over time."""

    name: str
    path: Path
    ink: Ink
    stroke: Stroke
    is_marked: bool = False
    """Whether opening, low and high are named."""
    text: Callable[[float], str] | None = None
    """How its odds are written, where otherwise than the chart's."""


class ChartData(msgspec.Struct, frozen=True):
    """All that is shown; ``whole`` is the time that can be shown."""

    lines: tuple[Line, ...]
    gaps: tuple[Gap, ...]
    whole: Window


class Reading(NamedTuple):
    """What a line says at a moment; None where it is not offered or not known."""

    line: Line
    odds: float | None


def readings(data: ChartData, at_ms: int) -> list[Reading]:
    """Return what every line says at a moment."""
    is_unknown = is_in_gap(data.gaps, at_ms)
    return [Reading(line, None if is_unknown else odds_at(line.path, at_ms)) for line in data.lines]


def prices_within(data: ChartData, window: Window) -> tuple[float, float] | None:
    """Return the range of the price axis for a window; None where nothing is drawn."""
    odds = [
        span.odds
        for line in data.lines
        for run in runs(line.path, data.gaps, *window)
        for span in run
    ]
    return price_range(odds) if odds else None


def moments(data: ChartData) -> list[int]:
    """Return when any line moved, in order: where the arrow keys go."""
    times = {point.at for line in data.lines for point in line.path}
    return sorted(at for at in times if data.whole.since <= at <= data.whole.until)


def extended(path: Iterable[Point], at_ms: int, odds: float | None) -> list[Point]:
    """Return a path that goes on with a later price; the same one where nothing changed."""
    points = list(path)
    last = points[-1].odds if points else None
    if last == odds:
        return points
    return [*points, Point(max(at_ms, points[-1].at + 1 if points else at_ms), odds)]
