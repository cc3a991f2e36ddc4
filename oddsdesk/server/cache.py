"""The 60 s cache of sports and bookmakers (D16)."""

import threading
from collections.abc import Callable, Hashable

from oddsdesk.server.answers import Payload

TTL_MS = 60_000


class CatalogueCache:
    """Keeps answers for a minute, by what was asked.

    The catalogue shows everything to everyone (D19), so the caller is not part of the key. Empty
    answers are not kept, so that a first feed shows at once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[Hashable, tuple[int, Payload]] = {}

    def get(self, key: Hashable, now_ms: int, find: Callable[[], tuple[Payload, bool]]) -> Payload:
        """Return the kept answer, else that of ``find``, which also says whether to keep it."""
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and 0 <= now_ms - kept[0] < TTL_MS:
            return kept[1]
        payload, anything = find()
        if anything:
            with self._lock:
                self._kept[key] = (now_ms, payload)
        return payload
