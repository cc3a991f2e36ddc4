"""What may go wrong with the source of a live feed, by what the feed does then (D65)."""

from oddsdesk.feeds.errors import FeedError


class SourceError(FeedError):
    """A reading failed; it is tried again soon. Withdraws nothing."""


class ShapeError(SourceError):
    """The source answered something of another shape; the message names the field."""


class KeyRefusedError(SourceError):
    """There is no key, or the source refuses it: tried again in ten minutes."""


class OutOfCreditsError(SourceError):
    """The credits are used up."""


class TooFastError(SourceError):
    """The source asks for fewer requests; tried again in ``wait_s`` seconds."""

    def __init__(self, message: str, wait_s: float) -> None:
        super().__init__(message)
        self.wait_s = wait_s
