"""Which span of the log a time line shows, and what is said of it."""

from enum import Enum
from typing import Final, NamedTuple

from oddsdesk.contract.administration import LogMap
from oddsdesk.desk.ui.time_format import DAY_MS, HOUR_MS, local_time, moment_text

PARTS: Final = 240
"""Into how many parts a span is divided; each is a bar of the strip, a few pixels wide."""
_EDGE: Final = 0.04
"""How near the edge, as a share of the span, a moment may come before the span goes on."""
_LEAST_MS: Final = 60_000


class Zoom(Enum):
    """How much a time line shows; the value is in milliseconds, 0 for the whole log."""

    HOURS = 6 * HOUR_MS
    DAY = DAY_MS
    WEEK = 7 * DAY_MS
    MONTH = 30 * DAY_MS
    ALL = 0


ZOOM_TITLES: Final = {
    Zoom.HOURS: "6 hours",
    Zoom.DAY: "A day",
    Zoom.WEEK: "A week",
    Zoom.MONTH: "30 days",
    Zoom.ALL: "The whole log",
}


class Span(NamedTuple):
    """A span of time, in milliseconds."""

    since: int
    until: int

    @property
    def length(self) -> int:
        """How long it is; never 0."""
        return max(self.until - self.since, 1)

    def at(self, share: float) -> int:
        """Return the moment at a share of it, held within."""
        return round(self.since + min(max(share, 0.0), 1.0) * self.length)

    def share(self, at_ms: int) -> float:
        """Return how far along a moment lies; outside of 0 to 1 it is not within."""
        return (at_ms - self.since) / self.length

    def holds(self, at_ms: int) -> bool:
        """Whether a moment lies within, not at an edge."""
        return _EDGE <= self.share(at_ms) <= 1 - _EDGE


def span_around(at_ms: int, zoom: Zoom, ends: tuple[int, int] | None) -> Span:
    """Return the span to show around a moment: a day as the user's day, more with it in the middle.

    The whole log where ``ends`` are those of it.
    """
    if zoom is Zoom.ALL and ends is not None:
        first, last = min(ends[0], at_ms), max(ends[1], at_ms)
        air = max(round((last - first) * _EDGE * 1.2), _LEAST_MS)
        return Span(first - air, last + air)
    length = zoom.value or DAY_MS
    if zoom is Zoom.DAY:
        begin = local_time(at_ms).replace(hour=0, minute=0, second=0, microsecond=0)
        since = round(begin.timestamp() * 1000)
        span = Span(since, since + length)
        if span.holds(at_ms):
            return span
    return Span(at_ms - length // 2, at_ms + length // 2)


def gaps(log: LogMap) -> list[tuple[int, int]]:
    """Return the whiles of which nothing is known: silences but for what was imported into them."""
    found: list[tuple[int, int]] = []
    length = max(log.until - log.since, 1)
    for since, until in log.silences:
        begin = max(since, log.since)
        for number, moves in enumerate(log.moves):
            low = log.since + length * number // len(log.moves)
            high = log.since + length * (number + 1) // len(log.moves)
            if moves and low > since and high < until:
                if low > begin:
                    found.append((begin, low))
                begin = max(begin, high)
        if begin < min(until, log.until):
            found.append((begin, min(until, log.until)))
    return found


def described(log: LogMap, at_ms: int) -> str:
    """Return what there is at a moment of a time line, in a line for people."""
    if any(since <= at_ms < until for since, until in gaps(log)):
        return f"{moment_text(at_ms)} · nothing was recorded"
    length = max(log.until - log.since, 1)
    part = min(max((at_ms - log.since) * len(log.moves) // length, 0), len(log.moves) - 1)
    said = [moment_text(at_ms), _counted(log.moves[part], "move")]
    width = length // len(log.moves)
    games = sum(count for kick_off, count in log.kick_offs if abs(kick_off - at_ms) <= width)
    if games:
        said.append(_counted(games, "kick-off"))
    return " · ".join(said)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}" if count else f"no {noun}s"
