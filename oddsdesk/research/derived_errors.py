"""Measures how far derived prices are from the reference's own, by leaving lines out.

A game counts once, since its moments are not independent: at the last moment before kick-off, or
now if it is still to come. Each line is left out and predicted twice:

- from all other lines, for sources that show all markets. Lines that imply it exactly are left
  out with it, such as the match result with the handicap 0;
- from one line of each market (match result, handicap and total), for sources that show only
  main lines. From the predicted line's own market, the most even line at each distance is used,
  one at a time, and then none. A line that these imply exactly is not counted.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from oddsdesk.contract.times import HOUR_MS
from oddsdesk.pricing.derived import Band, BandKey, FairGame, distance_of
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.error_bands import BandRow, Given, in_order
from oddsdesk.pricing.selections import line_groups
from oddsdesk.pricing.value import LineName, ReferenceLine, reference_line
from oddsdesk.research.recorded_log import ALWAYS, RecordedLog
from oddsdesk.research.walk import Progress
from oddsdesk.store.spans import LoggedMove

SHARE: Final = 0.9
"""The share of errors that the band covers."""
_MAIN_MARKETS: Final = frozenset({"moneyline", "spread", "total", "games_handicap", "total_games"})
_BEFORE_MS: Final = HOUR_MS
"""The last hour before kick-off: the moment in it with the most prices counts, as bookmakers take
markets down one by one."""


class PricedGame(NamedTuple):
    """The reference's lines of one period of a game at one moment."""

    game_id: str
    sport: str
    period: int
    lines: Sequence[ReferenceLine]
    """Complete lines with fair odds."""


class LineError(NamedTuple):
    """How far the prediction of a line is from the reference's own fair probability."""

    game: PricedGame
    name: LineName
    key: BandKey
    given: Given
    error: float
    """The absolute error of the side that is furthest off."""
    bias: float
    """Predicted minus own probability of the first side: home, over or yes."""


class _EveryCell(Mapping[BandKey, Band]):
    """Bands that refuse nothing, since they are still to be measured."""

    def __getitem__(self, key: BandKey) -> Band:
        return Band(1.0, 1_000_000)

    def __iter__(self) -> Iterator[BandKey]:
        return iter(())

    def __len__(self) -> int:
        return 0


def priced_games(
    log: RecordedLog,
    reference: str,
    now_ms: int,
    *,
    method: str = DEFAULT_METHOD,
    sport: str | None = None,
    progress: Progress = lambda _: None,
) -> Iterator[PricedGame]:
    """Yield the games of a log at the moment at which they count.

    Args:
        log: The log, with its archive.
        reference: The bookmaker, in the database's spelling.
        now_ms: The time; games that start later count at this moment.
        method: How the margin is removed.
        sport: The only sport to look at.
        progress: Called with the rows read since the last call.

    Raises:
        ArchiveError, StoreUnavailableError, OSError: the log cannot be read.
    """
    games = dict[tuple[str, int], _Board]()
    for rows in log.rows.move_batches(*ALWAYS):
        for row in rows:
            if row.bookmaker == reference and sport in (None, row.sport):
                key = (row.game_id, row.period)
                board = games.get(key)
                if board is None:
                    board = games[key] = _Board()
                board.take(row)
        progress(len(rows))
    for (game_id, period), board in games.items():
        if lines := board.lines(method, now_ms):
            yield PricedGame(game_id, board.row.sport, period, lines)


class _Board:
    """The prices of one period of a game, until it starts."""

    row: LoggedMove
    """The last one, with the game's names."""

    def __init__(self) -> None:
        self._prices = dict[tuple[str, str], LoggedMove]()
        self._best: dict[tuple[str, str], LoggedMove] = {}
        self._moment = 0
        self._has_begun = False

    def take(self, row: LoggedMove) -> None:
        """Take in a row, unless the game has begun."""
        self.row = row
        begins = row.match_date
        self._has_begun |= bool(row.is_live) or (begins is not None and row.scraped_at > begins)
        if self._has_begun:
            return
        if row.scraped_at > self._moment:
            if begins is not None and row.scraped_at > begins - _BEFORE_MS:
                self._keep()
            self._moment = row.scraped_at
        key = (row.market_type, row.selection)
        if row.odds is None or row.odds <= 1:
            self._prices.pop(key, None)
        else:
            self._prices[key] = row

    def _keep(self) -> None:
        if len(self._prices) >= len(self._best):
            self._best = self._prices.copy()

    def lines(self, method: str, now_ms: int) -> list[ReferenceLine]:
        """Return the complete lines of the moment that counts."""
        begins = self.row.match_date
        if self._has_begun or (begins is not None and begins <= now_ms):
            self._keep()
            prices = self._best
        else:
            prices = self._prices
        by_market = defaultdict[str, dict[str, LoggedMove]](dict)
        for (market_type, selection), row in prices.items():
            by_market[market_type][selection] = row
        return [
            line
            for market_type, of_market in by_market.items()
            for line in _lines(market_type, of_market, method)
        ]


def _lines(
    market_type: str, prices: Mapping[str, LoggedMove], method: str
) -> Iterator[ReferenceLine]:
    row = next(iter(prices.values()))
    for group in line_groups(market_type, row.match_name, prices, row.sport):
        if not group.complete:
            continue
        rows = [prices[selection] for selection in group.selections]
        line = reference_line(
            market_type,
            group,
            [each.odds or 0.0 for each in rows],
            scraped_at=min(each.scraped_at for each in rows),
            is_live=False,
            method=method,
        )
        if (line.overround or 0.0) >= 1 and all(_fair_of(line, side) for side in group.sides):
            yield line


def errors_of(game: PricedGame) -> list[LineError]:
    """Leave out each line of a game and predict it from others; implied ones have no error."""
    by_name = {name_of(line): line for line in game.lines}
    known = dict[frozenset[LineName], FairGame]()

    def predict(line: ReferenceLine, given: Given, left: frozenset[LineName]) -> LineError | None:
        """Predict a line, leaving out what implies it exactly."""
        while left:
            if left not in known:
                lines = [by_name[name] for name in by_name if name in left]
                known[left] = FairGame(game.sport, lines, _EveryCell(), period=game.period)
            found = known[left].line(line.market_type, line.group)
            if found is None or found.derived is None:
                return None
            if found.derived.kind == "modelled":
                return _error(game, line, found, given, [by_name[name] for name in left])
            if given == "one":
                return None
            left -= set(found.derived.sources)
        return None

    everything, found = frozenset(by_name), list[LineError]()
    main = frozenset(map(name_of, main_lines(game.lines)))
    for name, line in by_name.items():
        elsewhere = frozenset(each for each in main if each.market_type != name.market_type)
        alone = {} if name.market_type not in _MAIN_MARKETS else nearest_even(line, game.lines)
        tries: list[tuple[Given, frozenset[LineName]]] = [("all", everything - {name})]
        tries += [("one", elsewhere)]
        tries += [("one", elsewhere | {name_of(each)}) for each in alone.values()]
        for given, names in tries:
            error = predict(line, given, names)
            if error is not None:
                found.append(error)
    return found


def nearest_even(line: ReferenceLine, others: Iterable[ReferenceLine]) -> dict[str, ReferenceLine]:
    """Return the most even other line of its market at each distance, as in ``BandKey``."""
    found: dict[str, ReferenceLine] = {}
    for other in others:
        if name_of(other) == name_of(line) or other.market_type != line.market_type:
            continue
        distance = distance_of(line.market_type, line.group, [other])
        held = found.get(distance)
        if held is None or _unevenness(other) < _unevenness(held):
            found[distance] = other
    found.pop("none", None)
    return found


def _error(
    game: PricedGame,
    line: ReferenceLine,
    found: ReferenceLine,
    given: Given,
    others: Iterable[ReferenceLine],
) -> LineError | None:
    misses = [
        1 / predicted - 1 / own
        for side in line.group.sides
        if (predicted := _fair_of(found, side)) and (own := _fair_of(line, side))
    ]
    if len(misses) < len(line.group.sides):
        return None
    key = BandKey(game.sport, line.market_type, distance_of(line.market_type, line.group, others))
    return LineError(game, name_of(line), key, given, max(map(abs, misses)), misses[0])


def name_of(line: ReferenceLine) -> LineName:
    """Return the name of a line within its game's period."""
    return LineName(line.market_type, line.group.key)


def _fair_of(line: ReferenceLine, side: str) -> float | None:
    price = line.prices.get(side)
    return None if price is None else price.fair_odds


def main_lines(lines: Iterable[ReferenceLine]) -> list[ReferenceLine]:
    """Return the most even line of each main market."""
    found: dict[str, ReferenceLine] = {}
    for line in lines:
        if line.market_type in _MAIN_MARKETS:
            held = found.get(line.market_type)
            if held is None or _unevenness(line) < _unevenness(held):
                found[line.market_type] = line
    return list(found.values())


def _unevenness(line: ReferenceLine) -> float:
    fair = [_fair_of(line, side) or math.inf for side in line.group.sides]
    return max(fair) - min(fair)


def band_rows(errors: Iterable[LineError], method: str) -> list[BandRow]:
    """Return the table of errors that were found with a devig method, in order."""
    by_kind = defaultdict[tuple[BandKey, Given], list[LineError]](list)
    for each in errors:
        by_kind[each.key, each.given].append(each)
    return in_order(
        BandRow(
            key,
            given,
            method,
            error=percentile([each.error for each in held]),
            bias=math.fsum(each.bias for each in held) / len(held),
            lines=len(held),
            games=len({each.game.game_id for each in held}),
        )
        for (key, given), held in by_kind.items()
    )


def percentile(errors: Sequence[float], share: float = SHARE) -> float:
    """Return the smallest error that a share of all errors does not exceed (nearest rank)."""
    ordered = sorted(errors)
    return ordered[max(math.ceil(share * len(ordered) - 1e-9), 1) - 1]
