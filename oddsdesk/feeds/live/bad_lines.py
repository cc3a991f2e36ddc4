"""Lines that a program says and that are no quotes: counted, and reported with their numbers."""

import logging
from collections.abc import Sequence

from oddsdesk.clock import Clock
from oddsdesk.feeds.live.status import Status
from oddsdesk.feeds.ndjson import BadLine

_log = logging.getLogger(__name__)


class BadLines:
    """Counts the bad lines of one feed and says so in its state."""

    def __init__(self, status: Status) -> None:
        self._status = status
        self.count = 0
        self._first: BadLine | None = None

    def note(self, bad: Sequence[BadLine], clock: Clock) -> None:
        """Take in the bad lines of a batch; the log names each."""
        if not bad:
            return
        self.count += len(bad)
        first = self._first = self._first or bad[0]
        last = bad[-1]
        _log.warning(
            "%s: %s; refused so far: %s", self._status.name, _refusal(bad), f"{self.count:,}"
        )
        text = f"{self.count:,} bad lines, the first is line {first.number}: {first.reason}"
        if last is not first:
            text += f"; the last is line {last.number}: {last.reason}"
        self._status.remark(text, clock())


def _refusal(bad: Sequence[BadLine]) -> str:
    """Return which lines are refused, and why the last of them is."""
    last = bad[-1]
    if len(bad) == 1:
        return f"line {last.number} is refused: {last.reason}"
    numbers = ", ".join(str(line.number) for line in bad)
    return f"lines {numbers} are refused; line {last.number}: {last.reason}"
