"""What a step chart shows: lines, gaps, and what stands at a moment, as plain values."""

import math
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from oddsdesk.board.history import Gap, Point, PricePath, is_in_gap, odds_at, segments
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.ui.time_format import DAY_MS, HOUR_MS, MINUTE_MS, local_time

_TIME_STEPS: Final = (
    1_000, 2_000, 5_000, 10_000, 15_000, 30_000,
    MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS,
    HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS,
    DAY_MS, 2 * DAY_MS, 7 * DAY_MS, 14 * DAY_MS, 28 * DAY_MS,
)  # fmt: skip
_PRICE_STEPS: Final = (1.0, 2.0, 5.0, 10.0)
_LEAST_STEP: Final = 0.001
_FIGURE: Final = re.compile(r"[+−]?\d+(?:\.\d+)?")


class Tick(NamedTuple):
    """A time with a label on the time axis."""

    at: int
    text: str


def price_range(odds: list[float]) -> tuple[float, float]:
    """Return the ends of the price axis: a margin around the odds, both ends above 1."""
    low, high = min(odds), max(odds)
    air = max((high - low) * 0.08, high * 0.004)
    return max(low - air, (1 + low) / 2), high + air


def price_ticks(low: float, high: float, most: int) -> list[float]:
    """Return round prices within a range, about ``most``."""
    rough = (high - low) / max(1, most)
    scale = 10 ** math.floor(math.log10(rough))
    step = next(scale * nice for nice in _PRICE_STEPS if scale * nice >= rough * (1 - 1e-9))
    step = max(step, _LEAST_STEP)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 6) for number in range(first, last + 1)]


def even(texts: list[str]) -> list[str]:
    """Return numbers padded to the most decimals that any has, so that they align."""
    most = max((_decimals(text) for text in texts), default=0)
    if not most or not all(map(_FIGURE.fullmatch, texts)):
        return texts
    return [
        f"{text}{'' if _decimals(text) else '.'}{'0' * (most - _decimals(text))}" for text in texts
    ]


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def time_ticks(since_ms: int, until_ms: int, most: int, zone: tzinfo | None = None) -> list[Tick]:
    """Return round local times within a range, about ``most``.

    A time just after midnight names the day; steps of less than a minute show seconds.
    """
    rough = (until_ms - since_ms) / max(1, most)
    step = next((step for step in _TIME_STEPS if step >= rough), _TIME_STEPS[-1])
    moment = _rounded_up(local_time(since_ms, zone), step)
    ticks = []
    while (at := _milliseconds(moment, zone)) <= until_ms:
        if at >= since_ms:
            ticks.append(Tick(at, _text(moment, step)))
        moment += timedelta(milliseconds=step)
    return ticks


def _rounded_up(moment: datetime, step: int) -> datetime:
    """Return the next multiple of ``step`` seconds since midnight, in local time."""
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    since = (moment.replace(tzinfo=None) - midnight) / timedelta(milliseconds=1)
    return midnight + timedelta(milliseconds=math.ceil(since / step) * step)


def _milliseconds(moment: datetime, zone: tzinfo | None) -> int:
    placed = moment.astimezone() if zone is None else moment.replace(tzinfo=zone)
    return round(placed.astimezone(UTC).timestamp() * 1000)


def _text(moment: datetime, step: int) -> str:
    if step >= DAY_MS or (moment.hour, moment.minute, moment.second) == (0, 0, 0):
        return f"{moment.day} {moment:%b}"
    return f"{moment:%H:%M:%S}" if step < MINUTE_MS else f"{moment:%H:%M}"


LEAST_MS: Final = 5_000
"""The shortest window that one can zoom to."""


class Window(NamedTuple):
    """From ``since`` to ``until``, in milliseconds."""

    since: int
    until: int

    @property
    def span(self) -> int:
        """How long it is."""
        return self.until - self.since


def zoomed(window: Window, whole: Window, at_ms: int, factor: float) -> Window:
    """Return a window ``factor`` times as long around a moment that stays where it is."""
    span = round(min(max(window.span * factor, min(LEAST_MS, whole.span)), whole.span))
    share = (at_ms - window.since) / max(1, window.span)
    return within(Window(at_ms - round(share * span), at_ms - round(share * span) + span), whole)


def moved(window: Window, whole: Window, by_ms: int) -> Window:
    """Return a window of the same length, earlier or later as far as there is anything."""
    return within(Window(window.since + by_ms, window.until + by_ms), whole)


def within(window: Window, whole: Window) -> Window:
    """Return the window moved, and cut where it has to be, to lie in the whole."""
    span = min(window.span, whole.span)
    since = min(max(window.since, whole.since), whole.until - span)
    return Window(since, since + span)


class Stroke(Enum):
    """How a line is drawn; tells lines apart without colour."""

    STRONG = "strong"
    THIN = "thin"
    DOTTED = "dotted"
    DASHED = "dashed"


class Line(msgspec.Struct, frozen=True):
    """One price over time."""

    name: str
    path: PricePath
    ink: TextRole
    stroke: Stroke
    is_marked: bool = False
    """Whether opening, low and high are named."""
    text: Callable[[float], str] | None = None
    """How its odds are formatted; None: as the chart's others."""


class ChartData(msgspec.Struct, frozen=True):
    """All that is shown; ``whole`` is the time that can be shown."""

    lines: tuple[Line, ...]
    gaps: tuple[Gap, ...]
    whole: Window


class Reading(NamedTuple):
    """A line's odds at a time; None where not offered or not known."""

    line: Line
    odds: float | None


def readings(data: ChartData, at_ms: int) -> list[Reading]:
    """Return the odds of every line at a time."""
    is_unknown = is_in_gap(data.gaps, at_ms)
    return [Reading(line, None if is_unknown else odds_at(line.path, at_ms)) for line in data.lines]


def prices_within(data: ChartData, window: Window) -> tuple[float, float] | None:
    """Return the range of the price axis for a window; None where nothing is drawn."""
    odds = [
        span.odds
        for line in data.lines
        for run in segments(line.path, data.gaps, *window)
        for span in run
    ]
    return price_range(odds) if odds else None


def change_times(data: ChartData) -> list[int]:
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
