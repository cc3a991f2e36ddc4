"""What an embedded server tells its owner of itself: the same for the server and the desk."""

from enum import StrEnum
from pathlib import Path

import msgspec

from oddsdesk.contract.plans import Plan
from oddsdesk.contract.times import format_ms


class DatabaseState(msgspec.Struct, frozen=True):
    """The odds file as it may be shown; ``size`` in bytes, its write-ahead log included."""

    path: Path
    size: int
    reference: str
    last_scraped_at: int | None
    """In milliseconds."""
    holds_real_odds: bool
    """Whether prices that are not made up were ever recorded."""
    is_read_only: bool
    keep_days: int
    """For how long the log of price changes is kept; 0: for ever."""


class FeedCondition(StrEnum):
    """How a feed is (D65)."""

    RUNNING = "running"
    WAITING = "waiting"
    """Its source wants to be left alone for a while, or has not answered yet."""
    OUT_OF_CREDITS = "out_of_credits"
    REFUSED = "refused"
    """There is no key, or the source does not take it."""
    FAILING = "failing"
    """Its last reading failed; it is tried again soon."""
    STOPPED = "stopped"


class FeedStatus(msgspec.Struct, frozen=True):
    """The state of a feed; times in milliseconds.

    ``reason`` is one line, empty while all is well. ``until`` is when it tries again, where that
    is known. Credits are what its source said last, which may be below zero.
    """

    state: FeedCondition = FeedCondition.RUNNING
    since: int | None = None
    until: int | None = None
    reason: str = ""
    credits_left: int | None = None
    credits_used: int | None = None
    read_at: int | None = None
    """The last good answer."""
    plan: str = ""
    """What it means to read how often, in words."""
    next_at: int | None = None
    """When it means to read odds next, where that is more than its own pace."""


class FeedState(msgspec.Struct, frozen=True):
    """A feed; ``problem`` says why it ended where nobody stopped it, or what is wrong."""

    number: int
    spec: str
    name: str
    speed: float
    simulated: bool
    is_running: bool
    problem: str
    recorded_at: int | None = None
    """The moment of a recording that a replay plays now, in milliseconds; None: it is of now."""
    status: FeedStatus = FeedStatus()
    is_over: bool = False
    """Whether a recording was played to its end: its last prices are told again and again."""


class FeedReport(msgspec.Struct, frozen=True):
    """A feed as ``oddsdesk feeds --json`` tells it; times as on the wire (D2)."""

    name: str
    state: FeedCondition
    since: str | None
    until: str | None
    reason: str
    credits_left: int | None
    credits_used: int | None
    read_at: str | None
    plan: str
    spec: str
    number: int

    @classmethod
    def of(cls, feed: FeedState) -> "FeedReport":
        """Return the report of a feed."""
        said = feed.status
        times = (said.since, said.until, said.read_at)
        since, until, read_at = (None if time is None else format_ms(time) for time in times)
        return cls(
            feed.name,
            said.state,
            since,
            until,
            said.reason,
            said.credits_left,
            said.credits_used,
            read_at,
            said.plan,
            feed.spec,
            feed.number,
        )


class ImportOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of files, in prices; ``skipped`` by reason, the commonest first."""

    kept: int
    skipped: dict[str, int]
    problems: list[str]
    """Each names a file, or a part of one, that made no sense."""
    quotes: int
    changes: int
    """Price changes that were recorded; what the database knew already is none."""
    notes: list[str]
    """What there is to know besides, each a sentence."""
    newest_ms: int | None
    """When the newest of the prices was scraped."""
    is_past: bool
    """Whether all prices are too old to be shown as offered now."""
    inferred_times: bool
    """Whether the files name no time of scrape, so that it follows from kick-offs."""


class Key(msgspec.Struct, frozen=True):
    """A key as it may be shown; times in milliseconds."""

    key_id: int
    account: str
    plan: Plan
    bookmaker: str | None
    masked: str
    created_at: int
    is_revoked: bool
    may_write: bool = False


def plan_in_words(plan: Plan, bookmaker: str | None) -> str:
    """Return a plan, with the chosen bookmaker where it sees one only."""
    if plan.rights.all_bookmakers or bookmaker is None:
        return plan.value
    return f"{plan.value} ({bookmaker})"


def bookmaker_in_words(plan: Plan, bookmaker: str | None) -> str:
    """Return which bookmakers an account sees; ``bookmaker`` is the one chosen for Free."""
    if not plan.rights.all_bookmakers:
        return bookmaker or "none"
    return "all" if bookmaker is None else f"all (on Free: {bookmaker})"


class AccountState(msgspec.Struct, frozen=True):
    """An account of an embedded server or a database of keys; times in milliseconds.

    What is left is the sum over its active keys, which are counted one by one; None: no limit.
    """

    name: str
    plan: Plan
    bookmaker: str | None
    """The one that Free sees; kept while the account is on another plan."""
    created_at: int
    key_ids: tuple[int, ...]
    """Its active keys, oldest first."""
    revoked_keys: int
    requests_left: int
    """In the present window of the plan: a day on Free, else an hour."""
    streams_left: int | None
    """Today; 0 where the plan has no stream."""
    tokens_left: int | None


class LogState(msgspec.Struct, frozen=True):
    """What the log of price changes covers; times in milliseconds."""

    began: int | None
    silences: list[tuple[int, int]]
    """Whiles in which nothing of any game was recorded."""
    lacks: str = ""
    """Why older moves than these are not told though they are kept; empty where nothing lacks."""


class LogMap(msgspec.Struct, frozen=True):
    """What the log has in a span of time, for a time line; times in milliseconds."""

    since: int
    until: int
    moves: list[int]
    """How many prices moved in each of its equal parts."""
    kick_offs: list[tuple[int, int]]
    """When games begin, and how many at a time."""
    silences: list[tuple[int, int]]
    """Whiles in which nothing of any game was recorded."""
