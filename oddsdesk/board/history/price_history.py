"""How prices of subscribed games moved since this desk was started, kept compactly."""

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import chain
from operator import attrgetter
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.texts import _
from oddsdesk.board.model.matrix import Move, Price, Section, SelectionRow, complete_group
from oddsdesk.board.model.notices import Link
from oddsdesk.pricing.value import reference_line


class Point(NamedTuple):
    """From ``at`` (milliseconds) on a price is this; None: it is not offered."""

    at: int
    odds: float | None


PricePath = Sequence[Point]
"""How one price moved, in order of time."""


class Why(Enum):
    """Why nothing is known of a span of time; the value is what people read."""

    STREAM_DOWN = _("stream down")
    NOT_SUBSCRIBED = _("game closed")
    ASLEEP = _("computer asleep")
    NOT_RECORDED = _("nothing recorded")


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
    """What the service reports from its own log."""
    SEEN = "seen"
    """What this desk heard of since it was started."""


class History(msgspec.Struct, frozen=True):
    """How every bookmaker's price of one selection moved."""

    origin: Origin
    paths: Mapping[str, PricePath] = msgspec.field(default_factory=dict)
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


MOST_FAIR_POINTS = 400
"""About one a pixel of the chart; more would cost time and not be seen."""


def fair_points(
    section: Section, paths: Mapping[str, PricePath], selection: str, method: str
) -> Iterator[Point]:
    """Yield how the fair odds of a selection moved.

    ``paths`` are the reference's prices by selection. A selection without a price at a time
    counts as not offered then; an incomplete line group has no fair odds.
    """
    for at in _times(paths):
        yield Point(at, _fair(section, paths, selection, at, method))


def _fair(
    section: Section, paths: Mapping[str, PricePath], selection: str, at: int, method: str
) -> float | None:
    odds = {row.selection: odds_at(paths.get(row.selection, ()), at) for row in section.rows}
    priced = {name: price for name, price in odds.items() if price is not None}
    if selection not in priced or len(priced) < 2:
        return None
    market_type = section.key.market_type
    group = complete_group(market_type, section.match_name, tuple(priced), section.sport)
    if group is None:
        return None
    prices = [priced[name] for name in group.selections]
    line = reference_line(market_type, group, prices, scraped_at=at, is_live=False, method=method)
    return line.prices[group.sides[group.selections.index(selection)]].fair_odds


def _times(paths: Mapping[str, PricePath]) -> list[int]:
    times = sorted({point.at for path in paths.values() for point in path})
    if len(times) <= MOST_FAIR_POINTS:
        return times
    step = (times[-1] - times[0]) // (MOST_FAIR_POINTS // 4) + 1
    return [point.at for point in thin([Point(at, 1.0) for at in times], step)]


MOST_HELD_POINTS: Final = 400_000
"""At 16 bytes each; when it is reached, the older half of every price's points is dropped."""
ASLEEP_MS: Final = 60_000
"""Two ticks further apart than this mean that the computer slept."""
_MOST_GAPS: Final = 200
_HEARING: Final = (Link.LIVE, Link.POLLING)

SelectionKey = tuple[str, int, str]
"""Market type, period, selection."""


class PriceHistory:
    """The moves of subscribed games; a price that never moved takes no memory."""

    def __init__(self, most_points: int = MOST_HELD_POINTS) -> None:
        self._tracks: dict[str, dict[SelectionKey, dict[str, array[float]]]] = {}
        self._most = most_points
        self._points = 0
        self._since: dict[str, int] = {}
        self._down: list[Gap] = []
        self._closed: dict[str, list[Gap]] = {}
        self._ticked_at: int | None = None

    def begin_game(self, game: str, now_ms: int) -> None:
        """Keep the moves of a game from now on."""
        gaps = self._closed.get(game)
        if gaps and gaps[-1].until is None:
            gaps[-1] = gaps[-1]._replace(until=now_ms)
        self._since.setdefault(game, now_ms)

    def pause(self, game: str, now_ms: int) -> None:
        """Note that a game's moves are not received from now on; those recorded stay."""
        gaps = self._closed.setdefault(game, [])
        if game in self._since and not (gaps and gaps[-1].until is None):
            gaps.append(Gap(now_ms, None, Why.NOT_SUBSCRIBED))

    def keep_moves(self, game: str, moves: Iterable[Move]) -> None:
        """Keep moves of a subscribed game."""
        tracks = self._tracks.setdefault(game, {})
        before = self._points
        for (market_type, period, bookmaker), selection, held, price in moves:
            track = tracks.get((market_type, period, selection), {}).get(bookmaker)
            if track is None:
                if held is None:
                    continue
                track = array("d", _step(held))
                tracks.setdefault((market_type, period, selection), {})[bookmaker] = track
                self._points += 1
            at, odds = _step(price)
            track.extend((max(at, track[-2]), odds))
            self._points += 1
        if self._points > self._most and self._points > before:
            self._forget_older()

    def connect(self, link: Link, now_ms: int) -> None:
        """Note that the link is something else from now on."""
        is_down = bool(self._down) and self._down[-1].until is None
        if link in _HEARING and is_down:
            self._down[-1] = self._down[-1]._replace(until=now_ms)
        elif link not in _HEARING and not is_down and self._since:
            self._down.append(Gap(now_ms, None, Why.STREAM_DOWN))
            del self._down[:-_MOST_GAPS]

    def note_time(self, now_ms: int) -> None:
        """Note that the desk is awake; call it every few seconds."""
        last, self._ticked_at = self._ticked_at, now_ms
        if last is None or now_ms - last < ASLEEP_MS or not self._since:
            return
        if self._down and self._down[-1].until is None:
            return
        self._down.append(Gap(last, now_ms, Why.ASLEEP))

    def since(self, game: str) -> int | None:
        """Return when a game was first subscribed, None where it never was."""
        return self._since.get(game)

    def gaps(self, game: str) -> tuple[Gap, ...]:
        """Return the spans in which no moves were received, by time."""
        return tuple(sorted((*self._down, *self._closed.get(game, ())), key=lambda gap: gap.since))

    def path(
        self, game: str, key: SelectionKey, bookmaker: str, price: Price | None, since_ms: int = 0
    ) -> PricePath:
        """Return how a price moved from a moment on; ``price`` is the board's present one."""
        track = self._tracks.get(game, {}).get(key, {}).get(bookmaker)
        if track is None:
            track = array("d", () if price is None else _step(price))
        places = range(len(track) // 2)
        first = bisect_left(places, since_ms, key=lambda place: int(track[2 * place]))
        return tidy(_points(track[2 * first :]))

    def seen_history(self, game: str, key: SelectionKey, held: SelectionRow | None) -> History:
        """Return how all prices of a selection moved; ``held`` is the board's present row."""
        names = dict.fromkeys(self._tracks.get(game, {}).get(key, {}))
        prices = {} if held is None else held.prices
        names |= dict.fromkeys(prices)
        paths = {name: self.path(game, key, name, prices.get(name)) for name in names}
        return History(
            Origin.SEEN,
            {name: path for name, path in paths.items() if path},
            self.gaps(game),
            self.since(game),
        )

    @property
    def point_count(self) -> int:
        """How many points are kept."""
        return self._points

    def _forget_older(self) -> None:
        self._points = 0
        for by_bookmaker in chain.from_iterable(
            tracks.values() for tracks in self._tracks.values()
        ):
            for bookmaker, track in list(by_bookmaker.items()):
                del track[: max(2, len(track) // 4 * 2)]
                self._points += len(track) // 2
                if not track:
                    del by_bookmaker[bookmaker]


def _step(price: Price) -> tuple[float, float]:
    """Return time and odds of what a price is now; odds are NaN where it is gone."""
    if price.withdrawn_at is not None:
        return float(price.withdrawn_at), math.nan
    return float(price.changed_at), price.odds


def _points(track: "array[float]") -> Iterator[Point]:
    for place in range(0, len(track), 2):
        odds = track[place + 1]
        yield Point(int(track[place]), None if math.isnan(odds) else odds)
