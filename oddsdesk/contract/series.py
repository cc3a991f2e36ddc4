"""Series of statistics: the best and the mean odds of many bookmakers, as a source publishes them.

They are not prices of a bookmaker: nobody takes a bet at them. They are stored apart from prices
and appear in no list, matrix, consensus or export of prices.
"""

from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.markets import MARKET_RANK
from oddsdesk.contract.quotes import (
    MAX_PERIOD,
    MOST_ODDS,
    BadQuoteError,
    check_match_name,
    check_name,
    check_selection,
    check_years,
)
from oddsdesk.contract.results import are_same_game
from oddsdesk.contract.texts import shown
from oddsdesk.contract.times import bounded_ms

SeriesKind = Literal["best", "mean"]
"""``best``: the highest odds of each selection at any bookmaker. ``mean``: the arithmetic mean."""
KINDS: Final[tuple[SeriesKind, ...]] = ("best", "mean")


class SeriesPoint(msgspec.Struct, frozen=True, array_like=True):
    """One market of a series at one moment; the store's views rely on the order of the fields."""

    market_type: str
    period: int
    kind: SeriesKind
    closing: bool
    """Whether these are the last odds before kick-off."""
    scraped_at: int
    """In milliseconds; inferred from the kick-off as those of the same file's prices."""
    odds: dict[str, float]
    """All sides, by selection as in quotes, with the line: ``Over 2.5``, ``Arsenal -0.25``."""

    @property
    def place(self) -> tuple[str, int, SeriesKind, bool]:
        """What tells it apart from other points of its game: a game has one of each."""
        return self.market_type, self.period, self.kind, self.closing


class GameSeries(msgspec.Struct, frozen=True):
    """What a source says about one game; times in milliseconds."""

    competition: str
    match_name: str
    kick_off: int
    points: tuple[SeriesPoint, ...]
    sport: str = FOOTBALL
    has_time: bool = True
    """Whether the hour is known; else ``kick_off`` is noon UTC of its day."""
    source: str = ""
    """The name of the series: the format that it comes from (``football-data``)."""

    def with_times(self, shift_ms: int, latest_ms: int | None) -> "GameSeries":
        """Return it with all times moved, and no point later than ``latest_ms``."""

        def moved(at: int) -> int:
            moved_to = bounded_ms(at + shift_ms)
            return moved_to if latest_ms is None else min(moved_to, latest_ms)

        if all(moved(each.scraped_at) == each.scraped_at for each in self.points):
            return self
        return msgspec.structs.replace(
            self,
            kick_off=bounded_ms(self.kick_off + shift_ms),
            points=tuple(
                msgspec.structs.replace(each, scraped_at=moved(each.scraped_at))
                for each in self.points
            ),
        )

    def updated_by(self, later: "GameSeries") -> "GameSeries":
        """Return it after a later file on the same game: the points of that file replace its own.

        Points that the later file lacks stay. If only this one knows the hour, it keeps its times.
        """
        times = {}
        if self.has_time and not later.has_time:
            later = msgspec.structs.replace(later, has_time=True, kick_off=self.kick_off)
            times = {each.place: each.scraped_at for each in self.points}
        points = {each.place: each for each in self.points}
        for each in later.points:
            at = times.get(each.place, each.scraped_at)
            points[each.place] = msgspec.structs.replace(each, scraped_at=at)
        return msgspec.structs.replace(later, points=tuple(points.values()))

    def is_same_game(self, other: "GameSeries") -> bool:
        """Return whether another one of the same names is of the same game, as for results."""
        return are_same_game(self, other)


def check_series(series: GameSeries) -> GameSeries:
    """Return the series with names in stored form, or say what is wrong with it.

    Raises:
        BadQuoteError: says which field and what was expected.
    """
    check_years("kick_off", series.kick_off)
    return msgspec.structs.replace(
        series,
        match_name=check_match_name(series.match_name),
        competition=check_name("competition", series.competition),
        source=check_name("source", series.source),
        points=tuple(map(_checked_point, series.points)),
    )


def _checked_point(point: SeriesPoint) -> SeriesPoint:
    if point.market_type not in MARKET_RANK:
        raise BadQuoteError(f"market_type: {shown(point.market_type)} is not one of the contract's")
    if point.kind not in KINDS:
        raise BadQuoteError(f"kind: expected best or mean, got {shown(point.kind)}")
    if not 0 <= point.period <= MAX_PERIOD:
        raise BadQuoteError(f"period: expected 0 to {MAX_PERIOD}, got {shown(point.period)}")
    check_years("scraped_at", point.scraped_at)
    wrong = next((each for each in point.odds.values() if not 1 < each <= MOST_ODDS), None)
    if wrong is not None:
        raise BadQuoteError(
            f"odds: expected a number above 1, at most {MOST_ODDS:,.0f}, got {wrong}"
        )
    odds = {
        check_selection(point.market_type, "selection", name): odds
        for name, odds in point.odds.items()
    }
    return msgspec.structs.replace(point, odds=odds)


def count_odds(series: Iterable[GameSeries]) -> dict[SeriesKind, int]:
    """Return how many odds there are of each kind."""
    counts: dict[SeriesKind, int] = dict.fromkeys(KINDS, 0)
    for each in series:
        for point in each.points:
            counts[point.kind] += len(point.odds)
    return counts
