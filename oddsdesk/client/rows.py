"""Divides a service's odds rows into slices: filters, the cheapest cover, what was read.

A service without additions to the contract has no pages: an answer holds at most 500 rows, and
further rows need filters. This module does the arithmetic, without I/O.

By the contract's formula the games of a series, such as in baseball, share one ``game_id``. Only
odds rows have a kick-off each. Prices of two such games must never be compared.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET

from oddsdesk.base.texts import N_
from oddsdesk.client.partial_answers import MatrixInPart, RowInPart
from oddsdesk.contract.flat_rows import columns_of, flat_rows
from oddsdesk.contract.identity import SAME_GAME_MS
from oddsdesk.contract.markets import MARKET_TYPES, market_title
from oddsdesk.contract.quotes import UNNAMED
from oddsdesk.contract.resources import (
    BookOddsCell,
    EventDetail,
    Game,
    GameMatrix,
    MarketMatrix,
    OddsRow,
)
from oddsdesk.contract.times import MINUTE_MS, parse_ms

SAFE_SHARE: Final = 0.9
"""Largest share of an answer that a planned slice fills, since rows arrive meanwhile."""
_SPORT, _COMPETITION, _BOOKMAKER, _MARKET_TYPE, _IS_LIVE = range(5)


class Cell(NamedTuple):
    """What rows are counted by: everything that ``/api/odds`` can be filtered by."""

    sport: str
    competition: str
    bookmaker: str
    market_type: str
    is_live: bool


class RowSlice(NamedTuple):
    """One question: the filters of ``/api/odds``, or one game of ``/api/games/{game_id}``."""

    sport: str | None = None
    competition: str | None = None
    bookmaker: str | None = None
    market_type: str | None = None
    is_live: bool | None = None
    game: str | None = None
    """The id of a game that is read as a whole, which no limit cuts."""

    def filters(self) -> dict[str, str | bool]:
        """Return the filters of ``/api/odds`` that are set."""
        asked = self._asdict()
        return {
            name: asked[name]
            for name in ("sport", "competition", "bookmaker", "market_type", "is_live")
            if asked[name] is not None
        }

    def holds(self, row: "OddsRow | Cell") -> bool:
        """Return whether a row belongs to this slice; games are not looked at."""
        return all(getattr(row, name) == value for name, value in self.filters().items())

    def __str__(self) -> str:
        """Name the slice for people."""
        kind = None if self.market_type is None else market_title(self.market_type)
        state = {None: None, True: "in play", False: "before kick-off"}[self.is_live]
        place = self.competition or self.sport
        said = [part for part in (place, self.bookmaker, kind, state, self.game) if part]
        return ", ".join(said) or "all odds"


class Domains(msgspec.Struct):
    """The values that filters can take, as the service lists them."""

    competitions: dict[str, str] = {}
    """Sport by competition code."""
    bookmakers: list[str] = []
    market_types: list[str] = msgspec.field(default_factory=lambda: list(MARKET_TYPES))
    sees_all_bookmakers: bool = True
    """Whether the plan shows more than one bookmaker."""
    games: dict[str, list[str]] = {}
    """Ids of games by competition."""
    has_games: bool = True
    """Whether games may be read, as far as it is known."""
    in_play: frozenset[str] = frozenset()
    """Competitions with games in play."""
    reference: str | None = None
    """The reference bookmaker, whose rows are not read with games: these lack its links."""
    has_live: bool | None = None
    """Whether the plan has in-play odds; None: not known yet."""

    def learn(self, rows: Sequence[OddsRow]) -> None:
        """Learn bookmakers and market types from rows, and which bookmaker is the sharp book."""
        self.bookmakers += sorted({row.bookmaker for row in rows} - set(self.bookmakers))
        self.market_types += sorted({row.market_type for row in rows} - set(self.market_types))
        limited = (row.bookmaker for row in rows if row.liquidity is not None)  # only its have one
        self.reference = next(limited, self.reference)

    def take_games(self, games: Iterable[Game], *, is_cut: bool) -> None:
        """Take in the list of all games; of one that was cut none is used."""
        self.games = {}
        for game in () if is_cut else games:
            self.games.setdefault(game.competition, []).append(game.game_id)
        self.in_play = frozenset(game.competition for game in games if game.is_live)

    def sports(self) -> list[str]:
        """Return the sports that have competitions."""
        return list(dict.fromkeys(self.competitions.values()))


def count_rows(rows: Iterable[OddsRow]) -> Counter[Cell]:
    """Count rows by what they can be asked for by."""
    return Counter(
        Cell(row.sport, row.competition, row.bookmaker, row.market_type, row.is_live)
        for row in rows
    )


def cheapest_cover(
    part: RowSlice, cells: Mapping[Cell, float], domains: Domains, room: int
) -> list[RowSlice]:
    """Return the fewest slices found that hold all of a slice, each with ``room`` rows at most.

    Every value that a filter can take is asked for, also where no row was seen: the cover is whole
    whatever has come since. What cannot be split is returned as it is.

    Args:
        part: What is to be covered.
        cells: How many rows of it there are, known or estimated.
        domains: The values of each filter.
        room: How many rows an answer is to hold at most.
    """
    return _cover(part, list(cells.items()), domains, room)


_Counted = list[tuple[Cell, float]]


def _cover(part: RowSlice, cells: _Counted, domains: Domains, room: int) -> list[RowSlice]:
    if sum(count for _, count in cells) <= room:
        return [part]
    best: list[RowSlice] | None = None
    for axis, children in _splits(part, domains):
        if best is not None and len(children) >= len(best):
            continue
        found = _cover_all(children, axis, cells, domains, room, best)
        if found is not None:
            best = found
    return [part] if best is None else best


def _cover_all(
    children: Sequence[RowSlice],
    axis: int | None,
    cells: _Counted,
    domains: Domains,
    room: int,
    best: list[RowSlice] | None,
) -> list[RowSlice] | None:
    """Cover slices that differ on an axis; None where that takes no fewer than ``best``."""
    if axis is None:
        return list(children)
    by_value: dict[object, _Counted] = defaultdict(list)
    for cell, count in cells:
        by_value[cell[axis]].append((cell, count))
    found: list[RowSlice] = []
    for number, child in enumerate(children, 1):
        found += _cover(child, by_value.get(child[axis], []), domains, room)
        if best is not None and len(found) + len(children) - number >= len(best):
            return None
    return found


def _splits(part: RowSlice, domains: Domains) -> Iterator[tuple[int | None, list[RowSlice]]]:
    """Yield the ways to split a slice, cheap ones first; the axis None: into games.

    Before kick-off comes before in play: a game that begins between two answers is in both.
    """
    if part.game is not None:
        return
    if part.is_live is None and domains.has_live is not False:
        yield _IS_LIVE, [part._replace(is_live=is_live) for is_live in (False, True)]
    codes = [code for code, sport in domains.competitions.items() if part.sport in (None, sport)]
    if part.competition is None:
        if part.sport is None and len(sports := domains.sports()) > 1:
            yield _SPORT, [part._replace(sport=sport) for sport in sports]
        if codes:
            yield _COMPETITION, [part._replace(sport=None, competition=code) for code in codes]
    if part.market_type is None:
        yield _MARKET_TYPE, [part._replace(market_type=name) for name in domains.market_types]
    games = domains.games.get(part.competition or "")
    of_reference = part.bookmaker is not None and part.bookmaker == domains.reference
    is_of_any_state = part.is_live is None or (
        part.is_live is False and part.competition not in domains.in_play
    )
    if part.competition and is_of_any_state and games is not None and not of_reference:
        yield None, _games_of(part, part.competition, games, domains)
    if part.bookmaker is None and domains.bookmakers:
        yield _BOOKMAKER, [part._replace(bookmaker=name) for name in domains.bookmakers]


def _games_of(
    part: RowSlice, competition: str, games: Iterable[str], domains: Domains
) -> list[RowSlice]:
    """Return the games of a competition, after what the answer of a game lacks.

    It does not say which rows are in play, nor what link the reference's have.
    """
    lacking = []
    has_live = competition in domains.in_play and domains.has_live is not False
    if part.is_live is None and has_live:
        lacking.append(part._replace(is_live=True))
    if part.bookmaker is None and domains.reference is not None:
        lacking.append(part._replace(bookmaker=domains.reference))
    return [*lacking, *(part._replace(game=game) for game in games)]


class Coverage:
    """Which rows were read completely: prices missing from them are no longer offered."""

    def __init__(
        self,
        whole: Iterable[RowSlice] = (),
        unread: Iterable[RowSlice] = (),
        sports: Mapping[str, str] | None = None,
    ) -> None:
        """Make one of the slices that were read whole, and those that were not.

        ``sports``: as the service has them, by competition; a price may be of another one inside.
        """
        self._sports = dict(sports or {})
        self.is_whole = not (unread := tuple(unread))
        """Whether nothing stayed unread."""
        self._wide: list[RowSlice] = []
        self._games: dict[str, list[RowSlice]] = {
            part.game: [] for part in unread if part.game is not None
        }
        self._gone: list[RowSlice] = []
        """What holds for games that are not listed: all games of a competition were asked for."""
        for part in whole:
            if part.game is None:
                self._wide.append(part)
            else:
                self._games.setdefault(part.game, []).append(part)
        for part in {each._replace(game=None) for held in self._games.values() for each in held}:
            self._gone.append(part)
        self._found: dict[tuple[str, str, str], frozenset[str] | None] = {}

    def bookmakers_read(
        self, competition: str, game: str, market_type: str
    ) -> frozenset[str] | None:
        """Return whose rows of a market were read whole; None: everybody's."""
        known = game if game in self._games else ""
        key = (competition, known, market_type)
        if key not in self._found:
            parts = [
                part
                for part in (*self._wide, *self._games.get(game, self._gone))
                if part.sport in (None, self._sports.get(competition))
                and part.competition in (None, competition)
                and part.market_type in (None, market_type)
            ]
            self._found[key] = _both(_named(parts, is_live=False), _named(parts, is_live=True))
        return self._found[key]


def _named(parts: Iterable[RowSlice], *, is_live: bool) -> frozenset[str] | None:
    names = set()
    for part in parts:
        if part.is_live in (None, is_live):
            if part.bookmaker is None:
                return None
            names.add(part.bookmaker)
    return frozenset(names)


def _both(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other


FORGOTTEN_MS: Final = 60 * MINUTE_MS
"""A kick-off that no row has named for this long is forgotten: the game was moved or is over."""

_Name = tuple[str, str]
"""Competition and match name."""


@lru_cache(maxsize=8192)
def kick_off_ms(text: str | None) -> int | None:
    """Return the time of a ``match_date`` in milliseconds; None if it is not a time."""
    try:
        return None if text is None else parse_ms(text)
    except ValueError:
        return None


def is_same_game(one: str | None, other: str | None) -> bool:
    """Return whether two kick-offs of the same teams may be one game; unknown ones may."""
    return one == other or not are_apart(kick_off_ms(one), kick_off_ms(other))


def are_apart(one: int | None, other: int | None) -> bool:
    """Return whether two kick-offs (ms) are both known and belong to different games."""
    return one is not None and other is not None and abs(one - other) > SAME_GAME_MS


class RowsByGame:
    """The latest row of each game, bookmaker and market."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str, str, str, int], list[OddsRow]] = {}

    def add_row(self, row: OddsRow) -> bool:
        """Store a row, replacing an earlier one of the same quote; return whether it is new."""
        key = row.competition, row.match_name, row.bookmaker, row.market_type, row.period
        held = self._rows.setdefault(key, [])
        for at, other in enumerate(held):
            if is_same_game(row.match_date, other.match_date):
                held[at] = row
                return False
        held.append(row)
        return True

    def all_rows(self) -> list[OddsRow]:
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

    def drop_before(self, before_ms: int) -> None:
        """Forget kick-offs that no row has named since ``before_ms``."""
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
        """Return the kick-off (ms) of the game whose prices are used, None if none is known.

        The listed game; without one, or once it is over, the earliest that is not over.
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
        """Return whether a bookmaker prices only the game of this kick-off, of all of the teams."""
        dates = self._seen.get((competition, match_name), {})
        priced = [kick_off_ms(text) for text, names in dates.items() if bookmaker in names]
        return bool(priced) and not any(at is None or are_apart(at, kick_off) for at in priced)


Row = dict[str, Any]


def to_dicts(items: Iterable[Any]) -> list[Row]:
    """Return flat rows of what the service answered or streamed.

    An odds row gives one row a selection, with the columns ``selection`` and ``odds``; so do
    events and games, each with the sharp book's price of the same selection
    (``reference_odds``), and a row whose ``bookmaker`` is None where nobody else prices it.
    Everything else gives one row an item.
    """
    return [row for item in items for row in _rows(item)]


def _rows(item: Any) -> Iterator[Row]:
    if not isinstance(item, OddsRow | EventDetail | GameMatrix):
        yield msgspec.to_builtins(item)
        return
    columns = columns_of(type(item))
    for values in flat_rows(item):
        yield {
            name: value for name, value in zip(columns, values, strict=True) if value is not UNSET
        }


def reference_of(matrix: GameMatrix) -> str | None:
    """Return the reference's name, which stands among ``all_bookmakers`` only."""
    columns = {name for market in matrix.markets for name in market.bookmakers}
    others = [name for name in matrix.all_bookmakers if name not in columns]
    return others[0] if has_reference(matrix) and len(others) == 1 else None


def has_reference(matrix: GameMatrix) -> bool:
    """Return whether the reference prices anything of a game."""
    return any(
        row.reference is not None and row.reference.odds is not None
        for market in matrix.markets
        for row in market.selections
    )


def rows_of_game(matrix: GameMatrix, *, is_live: bool = False) -> list[OddsRow]:
    """Return a game as odds rows, those of the reference left out: their links are not in it.

    ``is_live``: whether its prices are in play, which a game does not say of each.
    """
    return [row for market in matrix.markets for row in _rows_of(matrix, market, is_live=is_live)]


def _rows_of(matrix: GameMatrix, market: MarketMatrix, *, is_live: bool) -> Iterator[OddsRow]:
    priced: dict[str, dict[str, BookOddsCell]] = {}
    unread: dict[str, dict[str, str]] = {}
    for line in market.selections:
        for bookmaker, cell in line.books.items():
            if cell is None or cell.odds is None:
                continue
            if cell.scraped_at is None:
                unread.setdefault(bookmaker, {})[line.selection] = N_("scraped_at: no time")
            else:
                priced.setdefault(bookmaker, {})[line.selection] = cell
    where = market.market_type, market.period
    for each in matrix.unread if isinstance(matrix, MatrixInPart) else ():
        if each.bookmaker and each[:2] == where:
            unread.setdefault(each.bookmaker, {})[each.selection or UNNAMED] = N_("not read")
    for bookmaker in unread:
        priced.setdefault(bookmaker, {})
    for bookmaker, cells in priced.items():
        is_part = bookmaker in unread
        yield (partial(RowInPart, unread=unread[bookmaker]) if is_part else OddsRow)(
            bookmaker=bookmaker,
            match_name=matrix.match_name,
            competition=matrix.competition,
            sport=matrix.sport,
            market_type=market.market_type,
            period=market.period,
            is_live=is_live,
            odds={name: cell.odds for name, cell in cells.items() if cell.odds is not None},
            match_date=matrix.match_date,
            scraped_at=max(
                (cell.scraped_at for cell in cells.values() if cell.scraped_at), default=""
            ),
            url=next((cell.url for cell in cells.values() if cell.url), None),
            liquidity=None,
            source_sport=matrix.source_sport,
            offers={name: cell.offer for name, cell in cells.items() if cell.offer is not UNSET}
            or UNSET,
        )
