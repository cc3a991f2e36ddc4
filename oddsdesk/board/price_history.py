"""How prices of subscribed games moved since this desk was started, kept compactly."""

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from oddsdesk.board.connection import Link
from oddsdesk.board.history import Gap, History, Origin, Point, PricePath, Why, tidy
from oddsdesk.board.matrix import QuoteKey, SelectionRow
from oddsdesk.board.prices import Price
from oddsdesk.board.reference import Renaming, renamed

MOST_POINTS: Final = 400_000
"""At 16 bytes each; when it is reached, the older half of every price's points is dropped."""
ASLEEP_MS: Final = 60_000
"""Two ticks further apart than this mean that the computer slept."""
_MOST_GAPS: Final = 200
_HEARING: Final = (Link.LIVE, Link.POLLING)

SelectionKey = tuple[str, int, str]
"""Market type, period, selection."""
Move = tuple[QuoteKey, str, Price | None, Price]
"""Which price it is, by quote and selection; before and after it moved, was withdrawn or came
back."""


class PriceHistory:
    """The moves of subscribed games; a price that never moved takes no memory."""

    def __init__(self, most_points: int = MOST_POINTS) -> None:
        self._tracks: dict[str, dict[SelectionKey, dict[str | None, array[float]]]] = {}
        self._most = most_points
        self._points = 0
        self._since: dict[str, int] = {}
        self._down: list[Gap] = []
        self._closed: dict[str, list[Gap]] = {}
        self._ticked_at: int | None = None

    def begin(self, game: str, now_ms: int) -> None:
        """Keep the moves of a game from now on."""
        gaps = self._closed.get(game)
        if gaps and gaps[-1].until is None:
            gaps[-1] = gaps[-1]._replace(until=now_ms)
        self._since.setdefault(game, now_ms)

    def pause(self, game: str, now_ms: int) -> None:
        """Note that a game's moves are not received from now on; those recorded stay."""
        gaps = self._closed.setdefault(game, [])
        if game in self._since and not (gaps and gaps[-1].until is None):
            gaps.append(Gap(now_ms, None, Why.NOT_SUBSCRIBED))

    def take(self, game: str, moves: Iterable[Move]) -> None:
        """Keep moves of a subscribed game."""
        tracks = self._tracks.setdefault(game, {})
        before = self._points
        for (market_type, period, bookmaker), selection, held, price in moves:
            track = tracks.get((market_type, period, selection), {}).get(bookmaker)
            if track is None:
                if held is None:
                    continue
                track = array("d", _step(held))
                tracks.setdefault((market_type, period, selection), {})[bookmaker] = track
                self._points += 1
            at, odds = _step(price)
            track.extend((max(at, track[-2]), odds))
            self._points += 1
        if self._points > self._most and self._points > before:
            self._forget_older()

    def rename(self, renaming: Renaming) -> None:
        """Keep points under other keys, once others are the reference's."""
        for tracks in self._tracks.values():
            for key, by_bookmaker in tracks.items():
                tracks[key] = renamed(by_bookmaker, renaming)

    def connect(self, link: Link, now_ms: int) -> None:
        """Note that the link is something else from now on."""
        is_down = bool(self._down) and self._down[-1].until is None
        if link in _HEARING and is_down:
            self._down[-1] = self._down[-1]._replace(until=now_ms)
        elif link not in _HEARING and not is_down and self._since:
            self._down.append(Gap(now_ms, None, Why.STREAM_DOWN))
            del self._down[:-_MOST_GAPS]

    def tick(self, now_ms: int) -> None:
        """Note that the desk is awake; call it every few seconds."""
        last, self._ticked_at = self._ticked_at, now_ms
        if last is None or now_ms - last < ASLEEP_MS or not self._since:
            return
        if self._down and self._down[-1].until is None:
            return
        self._down.append(Gap(last, now_ms, Why.ASLEEP))

    def since(self, game: str) -> int | None:
        """Return when a game was first subscribed, None where it never was."""
        return self._since.get(game)

    def gaps(self, game: str) -> tuple[Gap, ...]:
        """Return the spans in which no moves were received, by time."""
        return tuple(sorted((*self._down, *self._closed.get(game, ())), key=lambda gap: gap.since))

    def path(
        self,
        game: str,
        key: SelectionKey,
        bookmaker: str | None,
        price: Price | None,
        since_ms: int = 0,
    ) -> PricePath:
        """Return how a price moved from a moment on; ``price`` is the board's present one."""
        track = self._tracks.get(game, {}).get(key, {}).get(bookmaker)
        if track is None:
            track = array("d", () if price is None else _step(price))
        places = range(len(track) // 2)
        first = bisect_left(places, since_ms, key=lambda place: int(track[2 * place]))
        return tidy(_points(track[2 * first :]))

    def history(self, game: str, key: SelectionKey, held: SelectionRow | None) -> History:
        """Return how all prices of a selection moved; ``held`` is the board's present row."""
        names = dict.fromkeys(self._tracks.get(game, {}).get(key, {}))
        names |= dict.fromkeys([] if held is None else held.priced_by())
        paths = {name: self.path(game, key, name, _held(held, name)) for name in names}
        return History(
            Origin.SEEN,
            {name: path for name, path in paths.items() if path},
            self.gaps(game),
            self.since(game),
        )

    @property
    def point_count(self) -> int:
        """How many points are kept."""
        return self._points

    def _forget_older(self) -> None:
        self._points = 0
        for by_bookmaker in chain.from_iterable(
            tracks.values() for tracks in self._tracks.values()
        ):
            for bookmaker, track in list(by_bookmaker.items()):
                del track[: max(2, len(track) // 4 * 2)]
                self._points += len(track) // 2
                if not track:
                    del by_bookmaker[bookmaker]


def _held(row: SelectionRow | None, bookmaker: str | None) -> Price | None:
    if row is None:
        return None
    return row.reference if bookmaker is None else row.prices.get(bookmaker)


def _step(price: Price) -> tuple[float, float]:
    """Return time and odds of what a price is now; odds are NaN where it is gone."""
    if price.withdrawn_at is not None:
        return float(price.withdrawn_at), math.nan
    return float(price.changed_at), price.odds


def _points(track: "array[float]") -> Iterator[Point]:
    for place in range(0, len(track), 2):
        odds = track[place + 1]
        yield Point(int(track[place]), None if math.isnan(odds) else odds)
