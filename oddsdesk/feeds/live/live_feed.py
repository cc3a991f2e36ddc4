"""The base of every live feed: a feed with a state (D65)."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from oddsdesk.clock import Clock
from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.live.status import Status
from oddsdesk.store.origins import Origin

if TYPE_CHECKING:
    from oddsdesk.feeds.live.guide import SourceGuide

BATCH_QUOTES: Final = 500
"""Quotes recorded at a time, so that other feeds are recorded between."""


class LiveFeed(ABC):
    """A source of odds that are offered now. It runs for as long as its batches are asked for.

    The next batch is requested once the last one is recorded, so that a feed with more quotes
    than the database can take waits, and slows no other.
    """

    may_share: ClassVar[bool] = True
    """Whether the terms of the source let others have its prices (D66)."""
    guide: "ClassVar[type[SourceGuide] | None]" = None
    """Tells people what to choose from the source and what that costs; None: it is typed."""
    simulated: ClassVar[bool] = False
    recorded_at: ClassVar[int | None] = None
    is_over: ClassVar[bool] = False

    def __init__(self, name: str) -> None:
        self.name = name
        self.status = Status(name)
        self.keep: Callable[[bytes], None] = lambda _: None
        """Keeps what the feed wants to know when it runs next, in the same database."""
        self.secret_file: Path | None = None
        """The file of the owner's secret, for a program that posts to the server it runs for."""
        self.sharing: Callable[[], int] = lambda: 1
        """Counts the feeds that run here on the same account of the source, this one among them."""

    @property
    def origin(self) -> Origin | None:
        """Which source it tells the prices of; None where that is the user's own program."""
        return Origin(self.name, self.may_share)

    @property
    def account(self) -> str | None:
        """What stands for the key that pays, without being it; None where nobody pays."""
        return None

    def recall(self, kept: bytes) -> None:  # noqa: B027 - most keep nothing
        """Take what it kept when it last ran; called before its first batch is requested."""

    @abstractmethod
    def batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield quotes as they come; trouble of the source is shown in ``status``, not raised."""


def cut(quotes: Sequence[Quote]) -> Iterator[list[Quote]]:
    """Yield quotes in batches that are recorded at once."""
    for start in range(0, len(quotes), BATCH_QUOTES):
        yield list(quotes[start : start + BATCH_QUOTES])
