"""Errors of a live feed's source, by what the feed does about them."""

import logging
from collections.abc import Sequence

from oddsdesk.feeds.errors import FeedError

_log = logging.getLogger(__name__)


class SourceError(FeedError):
    """A reading failed; it is retried soon. Prices stay."""


class NotAskedError(SourceError):
    """There was no connection to the source."""


class ShapeError(SourceError):
    """The answer has another shape than expected; the message names the field."""


class KeyRefusedError(SourceError):
    """The key is missing or refused; retried in ten minutes."""


class MissingKeyError(KeyRefusedError):
    """There is no key at all."""


class OutOfCreditsError(SourceError):
    """The credits are used up."""


class TooFastError(SourceError):
    """The source asks for fewer requests; retried in ``wait_s`` seconds."""

    def __init__(self, message: str, wait_s: float) -> None:
        super().__init__(message)
        self.wait_s = wait_s


def pass_over(name: str, problems: Sequence[str], *, is_empty: bool) -> None:
    """Log how much of an answer is unreadable.

    Raises:
        ShapeError: nothing else was in it, so the source has changed its format.
    """
    if problems and is_empty:
        raise ShapeError(problems[0])
    if problems:
        _log.info("%s: %d things cannot be read: %s", name, len(problems), problems[0])
