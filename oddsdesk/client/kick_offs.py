"""Games of the same teams under one id, told apart by their kick-offs (D31).

By the contract's formula the games of a series, of baseball say, share one ``game_id``; only odds
rows bear a kick-off each. Prices of two of them must never be compared.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from oddsdesk.contract.identity import SAME_GAME_MS
from oddsdesk.contract.resources import OddsRow
from oddsdesk.contract.times import MINUTE_MS, parse_ms

FORGOTTEN_MS: Final = 60 * MINUTE_MS
"""A kick-off that no row named for so long is known no more: the game was put off, or is over."""

_Name = tuple[str, str]
"""Competition and match name."""


@lru_cache(maxsize=8192)
def kick_off_ms(text: str | None) -> int | None:
    """Return the time of a ``match_date`` in milliseconds; None where it names none."""
    try:
        return None if text is None else parse_ms(text)
    except ValueError:
        return None


def is_same_game(one: str | None, other: str | None) -> bool:
    """Return whether two kick-offs of the same teams are of one game; unknown ones may be."""
    return one == other or not are_apart(kick_off_ms(one), kick_off_ms(other))


def are_apart(one: int | None, other: int | None) -> bool:
    """Return whether two kick-offs (ms) are known and of two games."""
    return one is not None and other is not None and abs(one - other) > SAME_GAME_MS


class RowsByGame:
    """Rows, the latest of each market of each bookmaker of each game."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str, str, str, int], list[OddsRow]] = {}

    def add(self, row: OddsRow) -> bool:
        """Put a row in place of the one it follows; return whether it follows none."""
        key = row.competition, row.match_name, row.bookmaker, row.market_type, row.period
        held = self._rows.setdefault(key, [])
        for at, other in enumerate(held):
            if is_same_game(row.match_date, other.match_date):
                held[at] = row
                return False
        held.append(row)
        return True

    def all(self) -> list[OddsRow]:
        """Return all rows."""
        return [row for held in self._rows.values() for row in held]


class KickOffs:
    """The kick-offs that odds rows named lately for each pair of teams, and by which bookmaker."""

    def __init__(self) -> None:
        self._seen: dict[_Name, dict[str | None, dict[str, int]]] = {}
        """By kick-off, then bookmaker: when a row named it last (ms)."""

    def learn(self, rows: Iterable[OddsRow], now_ms: int) -> None:
        """Take in the kick-offs of rows."""
        for row in rows:
            name = row.competition, row.match_name
            dates = self._seen.get(name)
            if dates is None:
                dates = self._seen[name] = {}
            bookmakers = dates.get(row.match_date)
            if bookmakers is None:
                bookmakers = dates[row.match_date] = {}
            bookmakers[row.bookmaker] = now_ms

    def forget(self, before_ms: int) -> None:
        """Forget what no row named since a moment."""
        for name, dates in list(self._seen.items()):
            for date, bookmakers in list(dates.items()):
                kept = {each: at for each, at in bookmakers.items() if at >= before_ms}
                if kept:
                    dates[date] = kept
                else:
                    del dates[date]
            if not dates:
                del self._seen[name]

    def is_series(self, competition: str, match_name: str) -> bool:
        """Return whether rows named kick-offs of more than one game."""
        dates = self._seen.get((competition, match_name))
        if dates is None or len(dates) < 2:
            return False
        times = [at for text in dates if (at := kick_off_ms(text)) is not None]
        return bool(times) and max(times) - min(times) > SAME_GAME_MS

    def followed(
        self, competition: str, match_name: str, listed_ms: int | None, now_ms: int
    ) -> int | None:
        """Return the kick-off (ms) of the game whose prices are taken, None where none is known.

        The listed one; without it, or once that is over, the earliest that is not over.
        """
        if listed_ms is not None and listed_ms > now_ms - SAME_GAME_MS:
            return listed_ms
        dates = self._seen.get((competition, match_name), {})
        times = sorted(at for text in dates if (at := kick_off_ms(text)) is not None)
        left = [at for at in times if at > now_ms - SAME_GAME_MS]
        return left[0] if left else (times[-1] if times else listed_ms)

    def prices_only(
        self, competition: str, match_name: str, bookmaker: str, kick_off: int | None
    ) -> bool:
        """Return whether a bookmaker prices the game of a kick-off and no other of its teams."""
        dates = self._seen.get((competition, match_name), {})
        priced = [kick_off_ms(text) for text, names in dates.items() if bookmaker in names]
        return bool(priced) and not any(at is None or are_apart(at, kick_off) for at in priced)
