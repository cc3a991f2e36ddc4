"""What may go wrong with the source of a live feed, by what the feed does then (D65)."""

import logging
from collections.abc import Sequence

from oddsdesk.feeds.errors import FeedError

_log = logging.getLogger(__name__)


class SourceError(FeedError):
    """A reading failed; it is tried again soon. Withdraws nothing."""


class NotAskedError(SourceError):
    """There was no connection with the source."""


class ShapeError(SourceError):
    """The source answered something of another shape; the message names the field."""


class KeyRefusedError(SourceError):
    """There is no key, or the source refuses it: tried again in ten minutes."""


class MissingKeyError(KeyRefusedError):
    """There is no key at all."""


class OutOfCreditsError(SourceError):
    """The credits are used up."""


class TooFastError(SourceError):
    """The source asks for fewer requests; tried again in ``wait_s`` seconds."""

    def __init__(self, message: str, wait_s: float) -> None:
        super().__init__(message)
        self.wait_s = wait_s


def pass_over(name: str, problems: Sequence[str], *, is_empty: bool) -> None:
    """Log how much of a source's answer cannot be read.

    Raises:
        ShapeError: nothing else was in it: the source has another shape now.
    """
    if problems and is_empty:
        raise ShapeError(problems[0])
    if problems:
        _log.info("%s: %d things cannot be read: %s", name, len(problems), problems[0])
