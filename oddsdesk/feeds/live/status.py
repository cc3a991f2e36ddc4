"""The state of a live feed, as it changes; each change is one line in the log."""

import logging
from typing import Final

import msgspec

from oddsdesk.contract.administration import FeedCondition, FeedStatus
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.network.secrets import without_keys

LONGEST_REASON: Final = 300
PLAN_MS: Final = 60 * MINUTE_MS

_log = logging.getLogger(__name__)


class Status:
    """The state of one feed; ``now`` is a snapshot for others.

    ``name`` is what the log calls the feed: a server adds the number, since a source may be read by
    several.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.now = FeedStatus()
        self._planned_at = -PLAN_MS

    def running(self, now_ms: int) -> None:
        """Take in that all is well."""
        self._enter(FeedCondition.RUNNING, "", now_ms, None)

    def waiting(self, reason: str, now_ms: int, until: int) -> None:
        """Note that the source is not asked until then."""
        self._enter(FeedCondition.WAITING, reason, now_ms, until)

    def out_of_credits(self, reason: str, now_ms: int, until: int) -> None:
        """Note that the credits are used up; they are checked again then."""
        self._enter(FeedCondition.OUT_OF_CREDITS, reason, now_ms, until)

    def refused(self, reason: str, now_ms: int, until: int) -> None:
        """Take in that the key is missing or not taken; it is tried again then."""
        self._enter(FeedCondition.REFUSED, reason, now_ms, until)

    def failing(self, reason: str, now_ms: int, until: int) -> None:
        """Take in that a reading failed; it is tried again then."""
        self._enter(FeedCondition.FAILING, reason, now_ms, until)

    def answered(self, now_ms: int) -> None:
        """Take in that a good answer came."""
        self._replace(read_at=now_ms)

    def remark(self, reason: str, now_ms: int) -> None:
        """Note something that is wrong although the feed is running."""
        since = self.now.since or now_ms
        line = without_keys(" ".join(reason.split()))[:LONGEST_REASON]
        self._replace(state=FeedCondition.RUNNING, reason=line, since=since, until=None)

    def credits(self, left: int | None, used: int | None) -> None:
        """Take in what the source says of credits; what it does not say stays."""
        stated = {"credits_left": left, "credits_used": used}
        self._replace(**{name: value for name, value in stated.items() if value is not None})

    def plan(self, text: str, now_ms: int, next_at: int | None = None) -> None:
        """Note how often is read, in words, and when next; logged once an hour at most."""
        is_known = text == self.now.plan
        self._replace(plan=text, next_at=next_at)
        if is_known:
            return
        if now_ms - self._planned_at >= PLAN_MS:
            self._planned_at = now_ms
            _log.info("%s: %s", self.name, text)

    def _enter(self, state: FeedCondition, reason: str, now_ms: int, until: int | None) -> None:
        line = without_keys(" ".join(reason.split()))[:LONGEST_REASON]
        before = self.now
        since = before.since if before.state is state and before.since is not None else now_ms
        self._replace(state=state, reason=line, since=since, until=until)
        if before.state is state and (state is FeedCondition.FAILING or before.reason == line):
            return
        if state is not FeedCondition.RUNNING:
            _log.warning("%s: %s: %s", self.name, state.replace("_", " "), line)
        elif before.state is not FeedCondition.RUNNING:
            _log.info("%s: running again", self.name)

    def _replace(self, **changes: object) -> None:
        self.now = msgspec.structs.replace(self.now, **changes)
