"""The newest rows of the log, for who follows it in the process that recorded them."""

import threading
from collections.abc import Sequence
from typing import Final

from oddsdesk.store.values import Change

MOST: Final = 4_096
"""So many are kept, for who follows the log some tenths of a second late."""


class RecentChanges:
    """Rows without a gap up to the last that this process recorded; any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._changes: Sequence[Change] = ()

    def add(self, changes: Sequence[Change]) -> None:
        """Take in what a commit added to the log; behind what others recorded it begins anew."""
        if not changes:
            return
        with self._lock:
            follow = self._changes and self._changes[-1].seq + 1 == changes[0].seq
            known = self._changes[-MOST:] if follow else ()
            self._changes = [*known, *changes][-MOST:]

    def after(self, seq: int, limit: int) -> Sequence[Change]:
        """Return the rows behind one, at most ``limit``; none where they are not all known."""
        with self._lock:
            changes = self._changes
        if not changes or not changes[0].seq <= seq + 1 <= changes[-1].seq:
            return ()
        start = seq + 1 - changes[0].seq
        return changes[start : start + limit]
