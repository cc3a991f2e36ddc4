"""Slices of a service's odds rows: what each asks for, the cheapest cover, what was read whole.

A service that is exactly the contract has no pages: an answer holds 500 rows at most, and what is
beyond that can only be had by asking with filters. Here is the arithmetic of it, without I/O.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from oddsdesk.contract.markets import MARKET_TYPES, market_title
from oddsdesk.contract.resources import Game, OddsRow

SAFE_SHARE: Final = 0.9
"""The share of an answer's room that a planned slice fills at most: rows come while it is read."""
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
        """Take in what rows tell of bookmakers and market types, and which is the reference."""
        self.bookmakers += sorted({row.bookmaker for row in rows} - set(self.bookmakers))
        self.market_types += sorted({row.market_type for row in rows} - set(self.market_types))
        limited = (row.bookmaker for row in rows if row.liquidity is not None)  # D32
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
    """Which rows were read whole: what is not among them now is offered no more."""

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

    def bookmakers(self, competition: str, game: str, market_type: str) -> frozenset[str] | None:
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
