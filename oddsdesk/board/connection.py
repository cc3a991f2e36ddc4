"""The state of the connection, as the status bar and the panels show it."""

from enum import Enum
from typing import Final

import msgspec
from msgspec.structs import replace

from oddsdesk.tasks import JobFault


class Link(Enum):
    """How the board is kept current now."""

    CONNECTING = "connecting"
    LIVE = "live"
    """The stream is up."""
    POLLING = "polling"
    """The plan has no stream, or all its stream connections are taken: everything is polled."""
    WAITING = "waiting"
    """Lost; tries again at ``next_try_ms``."""
    REFUSED = "refused"
    """The service refuses the key, or this use of it: the user has to change something."""
    STOPPED = "stopped"
    PAST = "past"
    """The board shows a moment of the past, ``Connection.as_of_ms``, and does not change."""


_LOST: Final = frozenset({Link.CONNECTING, Link.WAITING, Link.REFUSED})
_APART_S: Final = 30
"""What an answer may take on its way counts as apart, too; prices in play are stale after 60 s."""
_MINUTE_S: Final = 60
LOST: Final = "not connected"
READ_AGAIN: Final = "prices are read again after a loss of the connection"


class Connection(msgspec.Struct, frozen=True):
    """What is known of the connection; times in milliseconds, None is unknown."""

    link: Link = Link.STOPPED
    reason: str | None = None
    """In plain words why it is waiting, refused or polling, or could not be had."""
    since_ms: int | None = None
    """Since when the link is what it is."""
    next_try_ms: int | None = None
    requests_left: int | None = None
    requests_limit: int | None = None
    """Requests in the whole window, as the service says, else by the plan (D18)."""
    resets_at_ms: int | None = None
    reading_plan: str = ""
    """What is read how often so that the requests last, for people; empty where none are counted.
    """
    lag_ms: int | None = None
    """From scrape to receipt: the median of the latest messages about prices that were scraped
    since the stream opened. Prices scraped before it say nothing about its delay."""
    messages_per_minute: int = 0
    has_stream: bool | None = None
    has_value_bets: bool | None = None
    has_live: bool | None = None
    upgrade_url: str | None = None
    """Where the plan can be changed, as the service said."""
    simulated: bool | None = None
    """Whether the service says that its odds are made up; of a moment, that some are."""
    is_mixed: bool = False
    """Whether, at a moment of the past, others are not."""
    shifted: bool = False
    """Whether it says that there may be old ones among them whose times were moved to now."""
    unpriced_reference: str = ""
    """Whom the service judges by, where it says that no price of it is here; else empty."""
    sources: tuple[str, ...] = ()
    """Whose odds the service shows, as far as it says."""
    code: str | None = None
    """The contract's error code for ``reason``, where the service gave one."""
    faults: tuple[JobFault, ...] = ()
    """The desk's own jobs that failed and are being restarted; what they read may be old."""
    service_troubles: tuple[str, ...] = ()
    """What the service says is wrong with itself while it answers, a line each."""
    as_of_ms: int | None = None
    """The moment of the past that the board shows; None is now."""
    nearest_ms: tuple[int, ...] = ()
    """Where no game is listed then: when prices moved before and after, as far as the log tells."""
    newest_ms: int | None = None
    """When the newest price of all that the service holds was scraped."""
    silent_since_ms: int | None = None
    """When that was, where it is longer ago than prices usually came; None: they come."""
    advice: str = ""
    """What to do about the reason, one sentence; empty where nothing needs to be done."""
    is_catching_up: bool = False
    """Whether the service was lost since prices were read: they may have moved unheard."""
    has_unread_prices: bool = False
    """Whether prices that the board is to hold were not read yet since it began to be filled: what
    it lacks may be offered."""
    clock_ahead_ms: int = 0
    """How far this computer's clock is ahead of the service's; 0 if they agree, or none says."""

    def with_pace_of(self, other: "Connection") -> "Connection":
        """Return this with the lag of another, and as many messages a minute."""
        return replace(self, lag_ms=other.lag_ms, messages_per_minute=other.messages_per_minute)

    @property
    def is_heard(self) -> bool:
        """Whether the service answers, or tells of moves."""
        return self.link not in _LOST

    @property
    def is_lost(self) -> bool:
        """Whether no price is known to stand still: what does not is neither staked nor told."""
        return bool(self.why_lost)

    @property
    def why_lost(self) -> str:
        """Why no price is known to stand still, for people; empty where they are."""
        if not self.is_heard:
            return LOST
        return READ_AGAIN if self.is_catching_up else self.clocks_text

    @property
    def clocks_text(self) -> str:
        """How far the two clocks are apart, for people: no age is known then; else empty."""
        apart_s = abs(self.clock_ahead_ms) // 1_000
        if apart_s < _APART_S:
            return ""
        span = f"{apart_s} s" if apart_s < 2 * _MINUTE_S else f"{round(apart_s / _MINUTE_S):,} min"
        return f"the clocks of this computer and of the service are {span} apart"

    @property
    def has_no_service(self) -> bool:
        """Whether none could be had, and none is being begun: nothing is read."""
        return self.link is Link.STOPPED and self.reason is not None


def not_offered(*, simulated: bool | None, shifted: bool, mixed: bool = False) -> str:
    """Say of odds that nobody offers them, in a line; empty where they may be the market's."""
    if simulated and mixed:
        return "simulated odds are among these: no bookmaker offers those"
    if simulated:
        return "these odds are simulated: no bookmaker offers them"
    if shifted:
        return "old odds are among these, their times moved to now: no bookmaker offers those now"
    return ""


class SnapshotProgress(msgspec.Struct, frozen=True):
    """How far reading all rows of the odds grid is."""

    slices_done: int = 0
    slices_total: int | None = None
    """None while it is not known."""
    rows: int = 0
    cut: tuple[str, ...] = ()
    """Slices that the service cut short without saying how to go on."""
    finished_at: int | None = None
    """When the last whole pass ended."""
    is_paused: bool = False
    """Whether the user stopped the reading; what was read stays."""
