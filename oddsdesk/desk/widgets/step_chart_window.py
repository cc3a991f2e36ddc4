"""The part of time that a chart shows: whole, zoomed or moved."""

from typing import Final, NamedTuple

LEAST_MS: Final = 5_000
"""No closer than this."""


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
