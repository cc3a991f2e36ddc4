"""How prices moved: steps, gaps in what is known, and what a chart draws of both."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from operator import attrgetter
from typing import Final, NamedTuple

import msgspec


class Point(NamedTuple):
    """From ``at`` (milliseconds) on a price is this; None: it is not offered."""

    at: int
    odds: float | None


PricePath = Sequence[Point]
"""How one price moved, in order of time."""


class Why(Enum):
    """Why nothing is known of a span of time; the value is what people read."""

    STREAM_DOWN = "stream down"
    NOT_SUBSCRIBED = "game closed"
    ASLEEP = "computer asleep"
    NOT_RECORDED = "nothing recorded"


class Gap(NamedTuple):
    """A span of time of which nothing is known, in milliseconds; ``until`` None: until now."""

    since: int
    until: int | None
    why: Why


class Origin(Enum):
    """Where a history comes from."""

    LOG = "log"
    """The embedded server's log of price changes."""
    SERVICE = "service"
    """What the service tells of its own log (D75)."""
    SEEN = "seen"
    """What this desk heard of since it was started."""


class History(msgspec.Struct, frozen=True):
    """How every bookmaker's price of one selection moved; None is the reference."""

    origin: Origin
    paths: Mapping[str | None, PricePath] = msgspec.field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()
    since_ms: int | None = None
    """Since when moves are recorded, in milliseconds; None where none are of this game."""
    lacks: str = ""
    """Why older moves are not told though they are kept; empty where nothing lacks."""


class Span(NamedTuple):
    """Odds that stood from ``since`` to ``until``, in milliseconds."""

    since: int
    until: int
    odds: float


class Marks(NamedTuple):
    """The points of a path that a chart names."""

    opening: Point
    low: Point
    high: Point


_at: Final[Callable[[Point], int]] = attrgetter("at")


def tidy(points: Iterable[Point], known: Sequence[Point] = ()) -> list[Point]:
    """Return points by time; of several at one time the last holds, repeated odds are left out.

    ``known`` is a tidy path that they come to: what of it is before all of them stays as it is.
    """
    added = sorted(points, key=_at)
    place = bisect_left(known, added[0].at, key=_at) if added else len(known)
    path = list(known[:place])
    for point in sorted((*known[place:], *added), key=_at) if place < len(known) else added:
        if path and path[-1].at == point.at:
            path.pop()
        if (path[-1].odds if path else None) != point.odds:
            path.append(point)
    return path


def odds_at(path: PricePath, at_ms: int) -> float | None:
    """Return the odds that stood at a time, None where none were offered or known."""
    place = bisect_right(path, at_ms, key=lambda point: point.at)
    return path[place - 1].odds if place else None


def is_in_gap(gaps: Iterable[Gap], at_ms: int) -> bool:
    """Whether a time lies in one of the gaps."""
    return any(gap.since <= at_ms < (at_ms + 1 if gap.until is None else gap.until) for gap in gaps)


def segments(
    path: PricePath, gaps: Iterable[Gap], since_ms: int, until_ms: int
) -> list[list[Span]]:
    """Return the unbroken pieces of a path within a window, each a list of spans.

    A piece ends where the price is withdrawn and where a gap begins; a move within a gap is
    shown at its end.
    """
    found: list[list[Span]] = []
    edge = -1
    for window in _known(gaps, since_ms, until_ms):
        for span in _spans(path, *window):
            if found and span.since == edge:
                found[-1].append(span)
            else:
                found.append([span])
            edge = span.until
        edge = -1
    return found


def thin(path: PricePath, step_ms: int) -> list[Point]:
    """Return a path with at most four points for each ``step_ms``: first, lowest, highest, last.

    So the odds at the end of each step and the extremes within it are kept.
    """
    if step_ms < 2 or len(path) < 3:
        return list(path)
    kept: list[Point] = []
    step: list[Point] = []
    for point in path:
        if step and point.at // step_ms != step[0].at // step_ms:
            kept += _outline(step)
            step = []
        step.append(point)
    return kept + _outline(step)


def marks(path: PricePath, since_ms: int, until_ms: int) -> Marks | None:
    """Return a path's opening price, and its low and high within a window; None without prices."""
    opening = next((point for point in path if point.odds is not None), None)
    standing = odds_at(path, since_ms)
    seen = [] if standing is None else [(standing, since_ms)]
    seen += [
        (point.odds, point.at)
        for point in path
        if point.odds is not None and since_ms < point.at <= until_ms
    ]
    if opening is None or not seen:
        return None
    low = min(seen)
    high = max(seen, key=lambda pair: (pair[0], -pair[1]))
    return Marks(opening, Point(low[1], low[0]), Point(high[1], high[0]))


def without_known(gaps: Iterable[Gap], paths: Iterable[PricePath]) -> tuple[Gap, ...]:
    """Return the gaps in which no path has a point: prices imported later may lie within one."""
    held = list(paths)

    def is_empty(gap: Gap) -> bool:
        until = gap.since if gap.until is None else gap.until
        return all(
            bisect_right(path, gap.since, key=_at) == bisect_right(path, until - 1, key=_at)
            for path in held
        )

    return tuple(gap for gap in gaps if is_empty(gap))


def _known(gaps: Iterable[Gap], since_ms: int, until_ms: int) -> Iterable[tuple[int, int]]:
    """Yield the parts of a window of which something is known."""
    start = since_ms
    for gap in sorted(gaps, key=lambda gap: gap.since):
        if gap.since >= until_ms:
            break
        if gap.since > start:
            yield start, gap.since
        start = max(start, until_ms if gap.until is None else gap.until)
    if start < until_ms:
        yield start, until_ms


def _spans(path: PricePath, since_ms: int, until_ms: int) -> Iterable[Span]:
    place = max(0, bisect_right(path, since_ms, key=lambda point: point.at) - 1)
    while place < len(path) and path[place].at < until_ms:
        point = path[place]
        place += 1
        since = max(point.at, since_ms)
        until = min(path[place].at, until_ms) if place < len(path) else until_ms
        if point.odds is not None and since < until:
            yield Span(since, until, point.odds)


def _outline(step: list[Point]) -> list[Point]:
    if len(step) < 5:
        return step
    priced = [point for point in step if point.odds is not None]
    chosen = {0, len(step) - 1}
    if priced:
        by_odds = sorted(priced, key=lambda point: (point.odds or 0.0, point.at))
        chosen |= {step.index(by_odds[0]), step.index(by_odds[-1])}
    return [step[place] for place in sorted(chosen)]
