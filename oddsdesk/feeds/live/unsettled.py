"""What an exchange has listed and not settled, and when to ask how it ended.

An exchange stops listing what is over. It is asked about these some minutes later, seldom after a
day, and once more a day after it settled, in case of a correction.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Generic, TypeVar

import msgspec

from oddsdesk.contract.times import DAY_MS, MINUTE_MS

FIRST_MS: Final = 5 * MINUTE_MS
"""How often the exchange is asked on the first day."""
LATER_MS: Final = 60 * MINUTE_MS
GIVEN_UP_MS: Final = 14 * DAY_MS
"""After this time nothing is asked: the exchange has moved the game, or settles it elsewhere."""
MOST_KEPT: Final = 5_000

T = TypeVar("T")


class _Entry(msgspec.Struct, Generic[T]):
    part: str
    about: T
    gone_at: int = 0
    """Since when it is not listed, in milliseconds; 0 if it is."""
    due: int = 0
    is_settled: bool = False


class Unsettled(Generic[T]):
    """Follows what is listed in each part of a feed, by the exchange's ids.

    ``about`` is the type of what the feed needs to know of each, as JSON can hold it.
    """

    def __init__(self, about: type[T]) -> None:
        self._decoder = msgspec.json.Decoder(dict[str, _Entry[about]])  # type: ignore[valid-type]
        self._entries: dict[str, _Entry[T]] = {}
        self._kept = b""

    def note_listed(self, part: str, listed: Mapping[str, T], now_ms: int) -> None:
        """Note everything that a part lists now; what it no longer lists is due."""
        for ident, about in listed.items():
            entry = self._entries.setdefault(ident, _Entry(part, about))
            entry.part, entry.about, entry.gone_at = part, about, 0
        for ident, entry in list(self._entries.items()):
            if entry.part != part or ident in listed:
                continue
            if not entry.gone_at:
                entry.gone_at = now_ms
                entry.due = max(entry.due, now_ms)
            elif now_ms - entry.gone_at > GIVEN_UP_MS:
                del self._entries[ident]
        for ident in list(self._entries)[: max(len(self._entries) - MOST_KEPT, 0)]:
            del self._entries[ident]

    def take_due(self, part: str, now_ms: int, most: int) -> dict[str, T]:
        """Return what to ask about now, each with what is known of it; it is due later again."""
        found = {
            ident: entry
            for ident, entry in self._entries.items()
            if entry.part == part and entry.gone_at and entry.due <= now_ms
        }
        taken = dict(list(found.items())[:most])
        for ident, entry in taken.items():
            is_new = now_ms - entry.gone_at < DAY_MS
            entry.due = now_ms + (FIRST_MS if is_new else LATER_MS)
            if entry.is_settled:  # this was the second time
                del self._entries[ident]
        return {ident: entry.about for ident, entry in taken.items()}

    def note_settled(self, idents: Iterable[str], now_ms: int) -> None:
        """Ask once more a day after something was settled, then no longer."""
        for entry in filter(None, map(self._entries.get, idents)):
            if not entry.is_settled:
                entry.is_settled = True
                entry.due = now_ms + DAY_MS

    def is_settled(self, ident: str) -> bool:
        """Return whether it was settled when it was asked about last."""
        entry = self._entries.get(ident)
        return entry is not None and entry.is_settled

    def store_memory(self, keep: Callable[[bytes], None]) -> None:
        """Store what the next run needs, if that has changed since the last call."""
        memory = msgspec.json.encode(self._entries)
        if memory != self._kept:
            self._kept = memory
            keep(memory)

    def recall(self, memory: bytes) -> None:
        """Go on with what an earlier run returned; nothing if it cannot be read."""
        try:
            self._entries = self._decoder.decode(memory)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return
        self._kept = memory
