"""The state of a live feed, as it changes, and what of that the log tells.

A trouble of another kind than those since all was well is one line in the log, one of the same kind
is none, and being well again is one.
"""

import logging
import re
from typing import Final

import msgspec

from oddsdesk.contract.administration import FeedCondition, FeedStatus
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.network.secrets import without_keys

LONGEST_REASON: Final = 300
PLAN_MS: Final = 60 * MINUTE_MS
FIRST_ANSWER: Final = "first answer not here yet"
STEADY_MS: Final = MINUTE_MS
"""A program or connection that lasts for so long is well: others end again at once."""
MOST_KINDS: Final = 20
"""So many kinds of trouble are told; more of them come of a text that is another each time."""
_NUMBER: Final = r"\b(?:status|signal|code) \d+\b|\S*\d\S*"

_log = logging.getLogger(__name__)


class Status:
    """The state of one feed; ``now`` is a snapshot for others.

    ``name`` is what the log calls the feed: a server adds the number, since a source may be read by
    several.
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
        """Return since when each try fails, None where it is otherwise.

        What is ``begun`` anew counts as such a try until it has lasted, or says something.
        """
        is_new = self.now.reason == FIRST_ANSWER and now_ms - self._begun_ms < STEADY_MS
        return self._failing_since if is_new or self.now.state is FeedCondition.FAILING else None

    def running(self, now_ms: int) -> None:
        """Take in that all is well."""
        self._enter(FeedCondition.RUNNING, "", now_ms, None)
        self._note_well()

    def begun(self, now_ms: int) -> None:
        """Note that a program or connection is begun, of which nothing was heard yet."""
        self._begun_ms = now_ms
        self._enter(FeedCondition.WAITING, FIRST_ANSWER, now_ms, None)

    def heard(self, now_ms: int) -> None:
        """Take in that what was ``begun`` says something; it is well once that has lasted."""
        self.answered(now_ms)
        if self.now.state is not FeedCondition.RUNNING:
            self._enter(FeedCondition.RUNNING, "", now_ms, None)
        if now_ms - self._begun_ms >= STEADY_MS:
            self._note_well()

    def waiting(self, reason: str, now_ms: int, until: int) -> None:
        """Note that the source is not asked until then."""
        self._enter(FeedCondition.WAITING, reason, now_ms, until)
        self._note_trouble()

    def out_of_credits(self, reason: str, now_ms: int, until: int) -> None:
        """Note that the credits are used up; they are checked again then."""
        self._enter(FeedCondition.OUT_OF_CREDITS, reason, now_ms, until)
        self._note_trouble()

    def refused(self, reason: str, now_ms: int, until: int) -> None:
        """Take in that the key is missing or not taken; it is tried again then."""
        self._enter(FeedCondition.REFUSED, reason, now_ms, until)
        self._note_trouble()

    def failing(self, reason: str, now_ms: int, until: int) -> None:
        """Take in that a reading failed; it is tried again then."""
        self._enter(FeedCondition.FAILING, reason, now_ms, until)
        self._note_trouble()

    def answered(self, now_ms: int) -> None:
        """Take in that a good answer came."""
        self._replace(read_at=now_ms)
        if self.now.reason == FIRST_ANSWER:
            self._enter(FeedCondition.RUNNING, "", now_ms, None)

    def remark(self, reason: str, now_ms: int) -> None:
        """Note something that is wrong although the feed is running."""
        since = self.now.since or now_ms
        line = _one_line(reason)
        self._failing_since = None
        self._replace(state=FeedCondition.RUNNING, reason=line, since=since, until=None)

    def is_new(self, trouble: str) -> bool:
        """Return whether a trouble is of a kind that was not told since all was well."""
        return self._told.is_new(trouble)

    def words(self, line: str) -> None:
        """Log what a program says; where it ends badly time and again, only what is new."""
        if self._told.is_new(f"words: {line}") or not self._told.troubled:
            _log.info("%s: %s", self.name, line)

    def aside(self, about: str, line: str) -> None:
        """Log a trouble that is not the feed's own state, such as that of a stream which helps."""
        told = self._asides.setdefault(about, _Told(troubled=True))
        if told.is_new(line):
            _log.info("%s: %s", self.name, _one_line(line))

    def aside_over(self, about: str, line: str, began_ms: int, now_ms: int) -> None:
        """Take in that what was in trouble has been well since then."""
        if now_ms - began_ms >= STEADY_MS and self._asides.pop(about, None) is not None:
            _log.info("%s: %s", self.name, line)

    def credits(self, left: int | None, used: int | None) -> None:
        """Take in what the source says of credits; what it does not say stays."""
        stated = {"credits_left": left, "credits_used": used}
        self._replace(**{name: value for name, value in stated.items() if value is not None})

    def plan(self, text: str, now_ms: int, next_at: int | None = None) -> None:
        """Note how often is read, in words, and when next; logged once an hour at most."""
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
    """What was told since all was well."""

    troubled: bool = False
    kinds: set[str] = msgspec.field(default_factory=set)

    def is_new(self, line: str) -> bool:
        """Return whether a line is of a kind that was not told yet, and note that it is."""
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
    """Leave out counts and times; what a status says is a kind of its own."""
    return found[0] if found[0].startswith(("status ", "signal ", "code ")) else "#"


def _one_line(text: str) -> str:
    return without_keys(" ".join(text.split()))[:LONGEST_REASON]
