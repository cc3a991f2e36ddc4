"""The base of every live feed.

The log gets one line for each new kind of trouble since the feed last ran well, and one line when
it runs well again.
"""

import asyncio
import logging
import math
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar
from urllib.parse import parse_qsl, unquote

import msgspec

from oddsdesk.base.clock import Clock
from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.base.texts import N_
from oddsdesk.contract.administration import FeedCondition, FeedStatus
from oddsdesk.contract.results import Reported
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.feeds.errors import FeedError
from oddsdesk.network import BadAddressError, read_address
from oddsdesk.network.secrets import without_keys
from oddsdesk.store.values import Origin

if TYPE_CHECKING:
    from oddsdesk.feeds.live.guide import SourceGuide

BATCH_QUOTES: Final = 500
"""Quotes per recording, so that other feeds get their turn."""


class LiveFeed(ABC):
    """A source of current odds, which runs as long as its batches are requested.

    The next batch is requested once the last one is recorded, so that a feed with more quotes
    than the database can take waits and slows no other feed.
    """

    may_share: ClassVar[bool] = True
    """Whether the source's terms allow passing its prices on."""
    guide: "ClassVar[type[SourceGuide] | None]" = None
    """Lists the choices and costs of the source; None: the user types what to read."""
    simulated: ClassVar[bool] = False
    recorded_at: ClassVar[int | None] = None
    is_over: ClassVar[bool] = False

    def __init__(self, name: str) -> None:
        self.name = name
        self.status = Status(name)
        self.keep: Callable[[bytes], None] = lambda _: None
        """Storage for the next run, in the same database."""
        self.secret_file: Path | None = None
        """The file of the owner's secret, for a program that posts to this server."""
        self.sharing: Callable[[], int] = lambda: 1
        """Returns how many feeds here share the source's account, including this one."""

    @property
    def origin(self) -> Origin | None:
        """The source of its prices; None for the user's own program."""
        return Origin(self.name, self.may_share)

    @property
    def account(self) -> str | None:
        """Identifies the paying key without revealing it; None if nobody pays."""
        return None

    def recall(self, kept: bytes) -> None:  # noqa: B027 - most keep nothing
        """Restore what the last run stored; called before the first batch."""

    @abstractmethod
    def batches(self, clock: Clock) -> AsyncGenerator[Sequence[Reported], None]:
        """Yield quotes and results as they come.

        Trouble with the source goes to ``status``, not raised.
        """


T = TypeVar("T")


def cut(reported: Sequence[T]) -> Iterator[list[T]]:
    """Yield quotes and results in batches that are recorded at once."""
    for start in range(0, len(reported), BATCH_QUOTES):
        yield list(reported[start : start + BATCH_QUOTES])


LONGEST_REASON: Final = 300
PLAN_MS: Final = 60 * MINUTE_MS
FIRST_ANSWER: Final = N_("first answer not here yet")
STEADY_MS: Final = MINUTE_MS
"""A program or connection that lasts this long is well; others end at once."""
MOST_KINDS: Final = 20
"""Most kinds of trouble reported; beyond that, a text probably differs each time."""
_NUMBER: Final = r"\b(?:status|signal|code) \d+\b|\S*\d\S*"

_log = logging.getLogger(__name__)


class Status:
    """The state of one feed; ``now`` is a snapshot for readers.

    ``name`` is the feed's name in the log; a server adds the number, since several feeds may read
    one source.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.now = FeedStatus(FeedCondition.WAITING, reason=FIRST_ANSWER)
        self._told = _Told()
        self._asides: dict[str, _Told] = {}
        self._begun_ms = 0
        self._failing_since: int | None = None
        self._planned_at = -PLAN_MS

    def failing_since(self, now_ms: int) -> int | None:
        """Return since when every attempt fails, None if it does not.

        A restarted program counts as failing until it has lasted or sent something.
        """
        is_new = self.now.reason == FIRST_ANSWER and now_ms - self._begun_ms < STEADY_MS
        return self._failing_since if is_new or self.now.state is FeedCondition.FAILING else None

    def running(self, now_ms: int) -> None:
        """Record that all is well."""
        self._enter(FeedCondition.RUNNING, "", now_ms, None)
        self._note_well()

    def begun(self, now_ms: int) -> None:
        """Record that a program or connection was started and has sent nothing yet."""
        self._begun_ms = now_ms
        self._enter(FeedCondition.WAITING, FIRST_ANSWER, now_ms, None)

    def heard(self, now_ms: int) -> None:
        """Record that what was started sends something; it is well once that has lasted."""
        self.answered(now_ms)
        if self.now.state is not FeedCondition.RUNNING:
            self._enter(FeedCondition.RUNNING, "", now_ms, None)
        if now_ms - self._begun_ms >= STEADY_MS:
            self._note_well()

    def waiting(self, reason: str, now_ms: int, until: int) -> None:
        """Record that the source is not asked before a time."""
        self._enter(FeedCondition.WAITING, reason, now_ms, until)
        self._note_trouble()

    def out_of_credits(self, reason: str, now_ms: int, until: int) -> None:
        """Record that the credits are used up, and when they are checked again."""
        self._enter(FeedCondition.OUT_OF_CREDITS, reason, now_ms, until)
        self._note_trouble()

    def refused(self, reason: str, now_ms: int, until: int) -> None:
        """Record that the key is missing or refused, and when it is retried."""
        self._enter(FeedCondition.REFUSED, reason, now_ms, until)
        self._note_trouble()

    def failing(self, reason: str, now_ms: int, until: int) -> None:
        """Record that a reading failed, and when it is retried."""
        self._enter(FeedCondition.FAILING, reason, now_ms, until)
        self._note_trouble()

    def answered(self, now_ms: int) -> None:
        """Record that a good answer came."""
        self._replace(read_at=now_ms)
        if self.now.reason == FIRST_ANSWER:
            self._enter(FeedCondition.RUNNING, "", now_ms, None)

    def remark(self, reason: str, now_ms: int) -> None:
        """Record a problem although the feed is running."""
        since = self.now.since or now_ms
        line = _one_line(reason)
        self._failing_since = None
        self._replace(state=FeedCondition.RUNNING, reason=line, since=since, until=None)

    def is_new(self, trouble: str) -> bool:
        """Return whether this kind of trouble is new since all was last well."""
        return self._told.is_new(trouble)

    def words(self, line: str) -> None:
        """Log a program's output; if it keeps failing, only new lines."""
        if self._told.is_new(f"words: {line}") or not self._told.troubled:
            _log.info("%s: %s", self.name, line)

    def aside(self, about: str, line: str) -> None:
        """Log a trouble that is not the feed's own state, such as that of a helper stream."""
        told = self._asides.setdefault(about, _Told(troubled=True))
        if told.is_new(line):
            _log.info("%s: %s", self.name, _one_line(line))

    def aside_over(self, about: str, line: str, began_ms: int, now_ms: int) -> None:
        """Record that such a trouble is over."""
        if now_ms - began_ms >= STEADY_MS and self._asides.pop(about, None) is not None:
            _log.info("%s: %s", self.name, line)

    def credits(self, left: int | None, used: int | None) -> None:
        """Record what the source says about credits; the rest stays."""
        stated = {"credits_left": left, "credits_used": used}
        self._replace(**{name: value for name, value in stated.items() if value is not None})

    def plan(self, text: str, now_ms: int, next_at: int | None = None) -> None:
        """Record the plan in words and the next reading; logged once an hour at most."""
        is_known = text == self.now.plan
        self._replace(plan=text, next_at=next_at)
        if is_known or not text:
            return
        if now_ms - self._planned_at >= PLAN_MS:
            self._planned_at = now_ms
            _log.info("%s: %s", self.name, text)

    def _enter(self, state: FeedCondition, reason: str, now_ms: int, until: int | None) -> None:
        before = self.now
        since = before.since if before.state is state and before.since is not None else now_ms
        if state is FeedCondition.FAILING:
            self._failing_since = now_ms if (last := self._failing_since) is None else last
        elif reason != FIRST_ANSWER:
            self._failing_since = None
        self._replace(state=state, reason=_one_line(reason), since=since, until=until)

    def _note_trouble(self) -> None:
        text = f"{self.now.state.replace('_', ' ')}: {self.now.reason}"
        if self._told.is_new(text):
            _log.warning("%s: %s", self.name, text)
        self._told.troubled = True

    def _note_well(self) -> None:
        if self._told.troubled:
            _log.info("%s: running again", self.name)
            self._told = _Told()

    def _replace(self, **changes: object) -> None:
        self.now = msgspec.structs.replace(self.now, **changes)


class _Told(msgspec.Struct):
    """The troubles reported since all was last well."""

    troubled: bool = False
    kinds: set[str] = msgspec.field(default_factory=set)

    def is_new(self, line: str) -> bool:
        """Return whether this kind of line is new, and remember it."""
        kind = re.sub(_NUMBER, _without_counts, line)
        if kind in self.kinds:
            return False
        if len(self.kinds) >= MOST_KINDS:
            if self.troubled:
                return False
            self.kinds.clear()
        self.kinds.add(kind)
        return True


def _without_counts(found: re.Match[str]) -> str:
    """Remove counts and times; a status number stays, since it is a separate kind."""
    return found[0] if found[0].startswith(("status ", "signal ", "code ")) else "#"


def _one_line(text: str) -> str:
    return without_keys(" ".join(text.split()))[:LONGEST_REASON]


COMMON: Final = ("url", "every", "key-file")
"""Options that every adapter takes."""
LONGEST_EVERY_S: Final = 24 * 3600
_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class LiveSpec(msgspec.Struct, frozen=True):
    """A feed as requested, without its key.

    ``what`` are the parts to read, in the adapter's spelling; ``options`` its own options;
    ``every_s`` the least time between two readings of a part, None for the source's own.
    """

    text: str
    name: str
    what: tuple[str, ...]
    options: dict[str, str]
    url: str | None = None
    every_s: float | None = None
    key_file: Path | None = None

    def refuse_unknown(self, known: Collection[str]) -> None:
        """Refuse options that the adapter does not have, without showing their values."""
        for name in self.options:
            if name not in known:
                expected = ", ".join((*sorted(known), *COMMON))
                raise FeedError(f"feed {self.name}: no option {name!r}; options are {expected}")


def read_spec(text: str) -> LiveSpec:
    """Parse the text of a feed.

    Raises:
        FeedError: it does not have that form, or a common option makes no sense.
    """
    head, _, tail = text.partition("?")
    name, colon, what = head.partition(":")
    if not (colon and _NAME.fullmatch(name)):
        raise FeedError(f"feed {name[:40]!r}: expected NAME:WHAT?option=value&...")
    parts = tuple(unquote(part.strip()) for part in what.split(",") if part.strip())
    if not parts:
        raise FeedError(f"feed {name}: add what to read after the colon")
    options = _options(name, tail)
    url, every, key_file = (options.pop(common, None) for common in COMMON)
    return LiveSpec(
        text,
        name,
        tuple(dict.fromkeys(parts)),
        options,
        None if url is None else check_url(name, url),
        None if every is None else _seconds(name, every),
        None if key_file is None else Path(key_file).expanduser(),
    )


def _options(name: str, tail: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(tail, keep_blank_values=True, strict_parsing=bool(tail))
    except ValueError as error:
        raise FeedError(
            f"feed {name}: expected option=value&... after the question mark"
        ) from error
    options: dict[str, str] = {}
    for option, value in pairs:
        if option in options:
            raise FeedError(f"feed {name}: {option} is given twice")
        if not value:
            raise FeedError(f"feed {name}: {option} has no value")
        options[option] = value
    return options


def check_url(name: str, url: str) -> str:
    """Return the address of a source.

    Raises:
        FeedError: not an address.
    """
    try:
        return read_address("url", url, ("http", "https"))
    except BadAddressError as error:
        raise FeedError(f"feed {name}: {error}") from None


def _seconds(name: str, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= LONGEST_EVERY_S:
        raise FeedError(f"feed {name}: every: expected seconds, above 0 and at most a day")
    return seconds


async def merged(*sources: AsyncGenerator[T, None]) -> AsyncGenerator[T, None]:
    """Yield what the sources yield, as it comes, until the last of them ends.

    A source is asked for more only after its last item was taken, so that none can crowd out the
    others. An error of one ends all.
    """
    asked = {spawn("next batch", _next(source)): source for source in sources}
    try:
        while asked:
            done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                source = asked.pop(task)
                said = task.result()
                if said is not None:
                    yield said
                    asked[spawn("next batch", _next(source))] = source
    finally:
        await cancel_tasks(*asked)
        for source in sources:
            await source.aclose()


async def _next(source: AsyncGenerator[T, None]) -> T | None:
    """Return the next item of a source, None at its end."""
    return await anext(source, None)
