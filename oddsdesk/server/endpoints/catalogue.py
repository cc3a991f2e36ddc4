"""GET /api/sports and /api/bookmakers: the same for everyone, a minute old at most (D16, D19)."""

from oddsdesk.server.answers import Payload, encode_data
from oddsdesk.server.cache import CatalogueCache
from oddsdesk.server.endpoints.lists import IS_LIVE
from oddsdesk.server.gate import Call, Endpoint


class Catalogue:
    """Sports and bookmakers, from the cache while it holds them."""

    def __init__(self) -> None:
        self._cache = CatalogueCache()

    def endpoints(self) -> list[Endpoint]:
        """Return both endpoints."""
        return [
            Endpoint("/api/sports", self._sports),
            Endpoint("/api/bookmakers", self._bookmakers, [IS_LIVE]),
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
