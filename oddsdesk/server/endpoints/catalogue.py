"""GET /api/sports and /api/bookmakers: the same for everyone, a minute old at most (D16, D19)."""

import threading
from collections.abc import Callable, Hashable

from oddsdesk.contract.resources import Bookmaker, Sport
from oddsdesk.server.answers import Payload, encode_data
from oddsdesk.server.gate import Call, Endpoint
from oddsdesk.server.parameters import boolean

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


_HAS_LIVE = boolean("is_live", "true for those with in-play odds now, false for the others.")


class Catalogue:
    """Sports and bookmakers, from the cache while it holds them."""

    def __init__(self) -> None:
        self._cache = CatalogueCache()

    def endpoints(self) -> list[Endpoint]:
        """Return both endpoints."""
        return [
            Endpoint(
                "/api/sports",
                "Sports with odds of the last 10 minutes; up to 60 s old.",
                list[Sport],
                self._sports,
            ),
            Endpoint(
                "/api/bookmakers",
                "Bookmakers scraped within the last 10 minutes; up to 60 s old.",
                list[Bookmaker],
                self._bookmakers,
                [_HAS_LIVE],
            ),
        ]

    def _sports(self, call: Call) -> Payload:
        def find() -> tuple[Payload, bool]:
            sports = call.reader.sports(call.now_ms)
            return Payload(encode_data(sports)), bool(sports)

        return self._cache.get("sports", call.now_ms, find)

    def _bookmakers(self, call: Call) -> Payload:
        has_live = call.asked["is_live"]

        def find() -> tuple[Payload, bool]:
            found = call.reader.bookmakers(call.now_ms, has_live)
            return Payload(encode_data(found), count=len(found)), bool(found)

        return self._cache.get(("bookmakers", has_live), call.now_ms, find)
