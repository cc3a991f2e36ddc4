"""Recording series of statistics: one row for each game and source, found as results are.

Prices and their log do not know these rows: no list, matrix or export of prices shows them. They
outlive the rows of their game. A later file of the source replaces the points that it has again.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from oddsdesk.contract.results import begins_about
from oddsdesk.contract.series import GameSeries, SeriesPoint
from oddsdesk.contract.times import DAY_MS
from oddsdesk.matching.names import renamed
from oddsdesk.store.games import plain_name
from oddsdesk.store.results import spans_of
from oddsdesk.store.values import Origin

if TYPE_CHECKING:
    from oddsdesk.store.settings import Settings

KEY: Final = ("kick_off", "competition", "plain_name", "source")
COLUMNS: Final = (*KEY, "match_name", "sport", "has_time", "points", "recorded_at")

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(tuple[SeriesPoint, ...]).decode

Row = tuple[Any, ...]


class StoredSeries(msgspec.Struct, frozen=True):
    """The series of one game as readers get it; times in milliseconds."""

    game_id: str
    """The id of the game in this database; if it has none, the one that the names always give."""
    match_name: str
    """The game's name in this database; if it has none, as the source spells it."""
    competition: str
    sport: str
    kick_off: int
    has_time: bool
    """Whether the hour is known; else ``kick_off`` is noon UTC of its day."""
    source: str
    """The name of the series: ``football-data``."""
    has_game: bool
    recorded_at: int
    stored_points: str
    """JSON, in the source's words."""
    stored_name: str
    """The game as the source spells it."""
    is_crosswise: bool = False
    """Whether the game names the source's away team first."""

    @property
    def points(self) -> tuple[SeriesPoint, ...]:
        """All points, their selections in the words of the game; read from JSON at each call."""
        found = _decode(self.stored_points)
        if self.match_name == self.stored_name:
            return found
        words = (self.stored_name, self.match_name, self.is_crosswise)
        return tuple(
            msgspec.structs.replace(
                each,
                odds={renamed(each.market_type, *words, n): odds for n, odds in each.odds.items()},
            )
            for each in found
        )

    def begins_about(self, kick_off: int) -> bool:
        """Return whether a game of the same names with this kick-off may be the same game."""
        return begins_about(self, kick_off)


def record_series(
    settings: "Settings", series: Iterable[GameSeries], origin: Origin | None, now_ms: int
) -> None:
    """Record series in their order, inside a transaction."""
    by_competition: defaultdict[str, list[GameSeries]] = defaultdict(list)
    for each in series:
        if not each.source and origin is not None:
            each = msgspec.structs.replace(each, source=origin.source)
        by_competition[each.competition].append(each)
    for competition, group in by_competition.items():
        _record_competition(settings, competition, group, now_ms)


def _record_competition(
    settings: "Settings", competition: str, series: Collection[GameSeries], now_ms: int
) -> None:
    stored: defaultdict[tuple[str, str], list[GameSeries]] = defaultdict(list)
    for first, last in spans_of(each.kick_off for each in series):
        for row in settings.series_between(competition, first - DAY_MS, last + DAY_MS):
            held = _from_row(row)
            stored[_place(held)].append(held)
    gone: set[Row] = set()
    new: dict[Row, GameSeries] = {}
    for each in series:
        there = stored[_place(each)]
        found = [held for held in there if held.is_same_game(each)]
        if found:
            before = min(found, key=lambda held: abs(held.kick_off - each.kick_off))
            now = before.updated_by(each)
            if now == before:
                continue
            there.remove(before)
            new.pop(_key(before), None)
            gone.add(_key(before))
        else:
            now = each
        there.append(now)
        new[_key(now)] = now
    settings.replace_series(sorted(gone), [(*_row(each), now_ms) for each in new.values()])


def _place(series: GameSeries) -> tuple[str, str]:
    return plain_name(series.match_name), series.source


def _key(series: GameSeries) -> Row:
    return series.kick_off, series.competition, plain_name(series.match_name), series.source


def _row(series: GameSeries) -> Row:
    said = (series.match_name, series.sport, series.has_time, _encode(series.points).decode())
    return (*_key(series), *said)


def _from_row(row: Row) -> GameSeries:
    kick_off, competition, _, source, match_name, sport, has_time, points, _ = row
    return GameSeries(
        competition, match_name, kick_off, _decode(points), sport, bool(has_time), source
    )
