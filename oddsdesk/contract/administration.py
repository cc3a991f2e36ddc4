"""What a built-in server tells its owner about itself; shared by the server and the desk."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, quote, unquote

import msgspec

from oddsdesk.contract.access import Plan
from oddsdesk.contract.times import format_ms


class DatabaseState(msgspec.Struct, frozen=True):
    """The odds file, for display; ``size`` in bytes, including its write-ahead log."""

    path: Path
    size: int
    reference: str
    last_scraped_at: int | None
    """In milliseconds."""
    holds_real_odds: bool
    """Whether real prices were ever recorded."""
    is_read_only: bool
    keep_days: int
    """For how many days the log of price changes is kept; 0: forever."""


class FeedCondition(StrEnum):
    """The condition of a feed."""

    RUNNING = "running"
    WAITING = "waiting"
    """Its source asked for a pause, or has not answered yet."""
    OUT_OF_CREDITS = "out_of_credits"
    REFUSED = "refused"
    """The key is missing, or the source refuses it."""
    FAILING = "failing"
    """Its last reading failed; it will retry soon."""
    STOPPED = "stopped"


class FeedStatus(msgspec.Struct, frozen=True):
    """The state of a feed; times in milliseconds.

    ``reason`` is one line, empty while all is well. ``until`` is the time of the next attempt, if
    known. Credits are the source's last figures, which can be negative.
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
    """How often it plans to read, in words."""
    next_at: int | None = None
    """When it plans to read odds next, if that is later than its usual pace."""


class FeedState(msgspec.Struct, frozen=True):
    """A feed; ``problem`` says why it ended by itself, or what is wrong."""

    number: int
    spec: str
    name: str
    speed: float
    simulated: bool
    is_running: bool
    problem: str
    recorded_at: int | None = None
    """The moment of a recording that a replay is playing, in milliseconds; None: current odds."""
    status: FeedStatus = FeedStatus()
    is_over: bool = False
    """Whether a recording has played to its end and now repeats its last prices."""


class FeedReport(msgspec.Struct, frozen=True):
    """A feed in the form of ``oddsdesk feeds --json``; times as on the wire."""

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
    def from_state(cls, feed: FeedState) -> "FeedReport":
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
    """The result of an import, in prices; ``skipped`` by reason, the most frequent first."""

    kept: int
    skipped: dict[str, int]
    problems: list[str]
    """Each names a file, or an unreadable part of one."""
    quotes: int
    changes: int
    """Number of price changes recorded, without those that the database already had."""
    notes: list[str]
    """Further notes, each a sentence."""
    newest_ms: int | None
    """When the newest of the prices was scraped."""
    is_past: bool
    """Whether all prices are too old to count as current."""
    inferred_times: bool
    """Whether the files have no scrape times, so that they were inferred from kick-offs."""
    apart: str = ""
    """Why the files should go into another database; empty if they fit in this one. If nothing was
    ``kept`` or ``skipped``, nothing was recorded for that reason."""

    @classmethod
    def not_recorded(cls, apart: str, problems: list[str]) -> "ImportOutcome":
        """Return the result of an import that recorded nothing, as its prices should go
        elsewhere."""
        return cls(
            kept=0,
            skipped={},
            problems=problems,
            quotes=0,
            changes=0,
            notes=[],
            newest_ms=None,
            is_past=False,
            inferred_times=False,
            apart=apart,
        )


class Key(msgspec.Struct, frozen=True):
    """A key, for display; times in milliseconds."""

    key_id: int
    account: str
    plan: Plan
    bookmaker: str | None
    masked: str
    created_at: int
    is_revoked: bool
    may_write: bool = False


def plan_in_words(plan: Plan, bookmaker: str | None) -> str:
    """Return a plan, with the chosen bookmaker if it shows only one."""
    if plan.rights.all_bookmakers or bookmaker is None:
        return plan.value
    return f"{plan.value} ({bookmaker})"


def bookmaker_in_words(plan: Plan, bookmaker: str | None) -> str:
    """Return which bookmakers an account sees; ``bookmaker`` is the one chosen for Free."""
    if not plan.rights.all_bookmakers:
        return bookmaker or "none"
    return "all" if bookmaker is None else f"all (on Free: {bookmaker})"


class AccountState(msgspec.Struct, frozen=True):
    """An account of a built-in server or a database of keys; times in milliseconds.

    What is left is the sum over its active keys, which are counted separately; None: no limit.
    """

    name: str
    plan: Plan
    bookmaker: str | None
    """The bookmaker that Free shows; kept while the account is on another plan."""
    created_at: int
    key_ids: tuple[int, ...]
    """Its active keys, oldest first."""
    revoked_keys: int
    requests_left: int
    """In the current window of the plan: a day on Free, else an hour."""
    streams_left: int | None
    """Today; 0 if the plan has no stream."""
    tokens_left: int | None


class LogState(msgspec.Struct, frozen=True):
    """The span that the log of price changes covers; times in milliseconds."""

    began: int | None
    silences: list[tuple[int, int]]
    """Spans in which nothing of any game was recorded."""
    lacks: str = ""
    """Why kept older moves cannot be shown; empty if all can."""


class LogMap(msgspec.Struct, frozen=True):
    """The contents of the log in a span, for a time line; times in milliseconds."""

    since: int
    until: int
    moves: list[int]
    """Number of price moves in each of its equal parts."""
    kick_offs: list[tuple[int, int]]
    """Kick-offs, and the number of games at each."""
    silences: list[tuple[int, int]]
    """Spans in which nothing of any game was recorded."""


class LocalServerError(Exception):
    """The server refused; one line that says why and what to do."""


class SourceKeyError(LocalServerError):
    """A source of live odds refuses the key, or it is missing (``is_missing``)."""

    def __init__(self, message: str, *, is_missing: bool) -> None:
        super().__init__(message)
        self.is_missing = is_missing


_IN_PARTS: Final = ":/[]"
_IN_VALUES: Final = ":/,[]"


class SourceOption(msgspec.Struct, frozen=True):
    """An option of a source with several values to choose from."""

    name: str
    """As in a feed's text: ``regions``."""
    title: str
    values: tuple[tuple[str, str], ...]
    """Each as in a feed's text, and for people."""
    chosen: tuple[str, ...]
    """Those chosen by default."""


class LiveSource(msgspec.Struct, frozen=True):
    """A source of live odds, for people who choose one; every text is one line."""

    name: str
    """As in a feed's text: ``the-odds-api``."""
    title: str
    summary: str
    """What it offers."""
    costs: str
    key: str = ""
    """The name of its key; empty if it needs none."""
    key_url: str = ""
    """The page where people get a key."""
    parts: str = ""
    """What to type if the source has no list to choose from; empty if it has one."""
    options: tuple[SourceOption, ...] = ()


class Choice(msgspec.Struct, frozen=True):
    """One competition of a source."""

    name: str
    """As in a feed's text: ``soccer_epl``."""
    title: str
    group: str
    """The sport or the country, for people."""
    competition: str = ""
    """Our name of the competition; empty for those not in the contract's table."""


class Choices(msgspec.Struct, frozen=True):
    """All competitions of a source, known ones first, and its credits."""

    choices: tuple[Choice, ...]
    credits_left: int | None = None
    credits_used: int | None = None


class LivePlan(msgspec.Struct, frozen=True):
    """What a feed will do and cost, before anything is paid."""

    sentence: str
    games: dict[str, int] = {}
    """Current number of games, by part of the feed; only if that is free to find out."""
    credits_left: int | None = None
    credits_used: int | None = None
    intervals_s: dict[str, tuple[float, ...]] = {}
    """How often each part, or each of its games, is read, if parts differ."""


class WrittenFeed(msgspec.Struct, frozen=True):
    """A feed's text, split into its parts."""

    name: str = ""
    parts: tuple[str, ...] = ()
    options: dict[str, str] = {}


def feed_text(name: str, parts: Iterable[str], options: Mapping[str, str]) -> str:
    """Return a feed's text, ``NAME:WHAT?option=value&...``, without empty options.

    >>> feed_text("kalshi", ["KXEPLGAME"], {"url": "http://127.0.0.1:1", "every": ""})
    'kalshi:KXEPLGAME?url=http://127.0.0.1:1'
    """
    what = ",".join(quote(part, safe=_IN_PARTS) for part in parts)
    given = {option: value for option, value in options.items() if value}
    tail = "&".join(f"{option}={quote(value, safe=_IN_VALUES)}" for option, value in given.items())
    return f"{name}:{what}?{tail}" if tail else f"{name}:{what}"


def read_feed_text(text: str) -> WrittenFeed:
    """Take apart what ``feed_text`` wrote, or somebody typed; what is no option is left out.

    >>> read_feed_text("kalshi:KXEPLGAME?url=http://127.0.0.1:1").options
    {'url': 'http://127.0.0.1:1'}
    """
    head, _, tail = text.partition("?")
    name, _, what = head.partition(":")
    parts = tuple(unquote(part.strip()) for part in what.split(",") if part.strip())
    return WrittenFeed(name, parts, dict(parse_qsl(tail)))
