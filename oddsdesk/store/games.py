"""Which stored game a quote belongs to, and when that game starts.

A game is identified by competition, teams and kick-off, whatever order it is recorded in. Its name,
and so its id, is that of its first quote if it is free, else that name with the UTC date of
its kick-off, and with the time as well if that is taken, too.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import msgspec

from oddsdesk.contract.competitions import OTHER, played_sport
from oddsdesk.contract.identity import SAME_GAME_MS, game_id, without_date
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.matching.games import is_midway
from oddsdesk.matching.names import renamed
from oddsdesk.store.names import OtherNames

if TYPE_CHECKING:
    from oddsdesk.store.sqlite.tables import Tables

OVER_AFTER_MS: Final = 6 * 60 * MINUTE_MS
"""How long after kick-off a game counts as over for quotes without a kick-off."""
UNDATED_MS: Final = 14 * 24 * 60 * MINUTE_MS
"""How far from a game's time a quote without a kick-off may be scraped to belong to it."""
NO_DATE: Final = 2**63 - 1
"""``game.kickoff`` of a game without ``match_date``: after all others."""

SPORTS_BY_CODE: Final = """
UPDATE game SET sport = CASE
    WHEN lower(competition) LIKE 'soccer!_%' ESCAPE '!' THEN 'Football'
    WHEN competition IN ('B1', 'E2', 'E3', 'EC', 'FIFAWC', 'G1', 'I2', 'P1', 'SC0', 'SC1', 'SC2',
                         'SC3', 'T1') THEN 'Football'
    WHEN lower(competition) LIKE 'basketball!_%' ESCAPE '!' THEN 'Basketball'
    WHEN lower(competition) LIKE 'tennis!_%' ESCAPE '!' THEN 'Tennis'
    WHEN lower(competition) LIKE 'icehockey!_%' ESCAPE '!' THEN 'Hockey'
    WHEN lower(competition) LIKE 'baseball!_%' ESCAPE '!' THEN 'Baseball'
    WHEN lower(competition) LIKE 'americanfootball!_%' ESCAPE '!' THEN 'AmericanFootball'
    WHEN lower(competition) LIKE 'rugbyleague!_%' ESCAPE '!' THEN 'Rugby'
    WHEN lower(competition) LIKE 'rugbyunion!_%' ESCAPE '!' THEN 'Rugby'
    ELSE sport
END WHERE sport = 'Other'
"""
"""A migration: ``game.sport`` was the contract's sport before."""

T = TypeVar("T")

Family = tuple[str, str]
"""Competition and plain name: games that differ only in their kick-offs."""
_ident = lru_cache(maxsize=1 << 14)(game_id)


@lru_cache(maxsize=1 << 14)
def plain_name(match_name: str) -> str:
    """Return the common part of all games with a name: without date, and with the case of ids."""
    return without_date(match_name.strip()).lower()


def names_of_game(match_name: str, moment: int) -> Iterator[str]:
    """Yield the possible names of a game: it gets the first free one.

    ``moment`` is its kick-off, or when it was first seen if that is unknown, in milliseconds.
    """
    yield match_name
    plain, when = without_date(match_name), format_ms(moment)
    yield f"{plain} ({when[:10]})"
    timed = f"{when[:10]} {when[11:16]}"
    yield f"{plain} ({timed})"
    number = 2
    while True:
        yield f"{plain} ({timed}, {number})"
        number += 1


class StoredGame(msgspec.Struct):
    """The columns of a game that recording needs."""

    row: int
    match_name: str
    competition: str
    match_date: int | None
    match_date_by: str | None
    match_date_scraped_at: int | None
    first_seen: int
    last_seen: int
    """Newest ``scraped_at`` of its prices, 0 without prices."""
    sport: str = OTHER
    """The sport; ``Other`` until a source reports it."""
    other_names: dict[str, bool] = {}
    """Other names, as from ``plain_name``, and whether they swap the teams."""

    def in_own_words(self, quote: Quote) -> Quote:
        """Return a quote with the teams in this game's spelling."""
        said = quote.match_name
        is_crosswise = self.other_names.get(plain_name(said))
        if is_crosswise is None:
            return quote
        words = (said, self.match_name, is_crosswise)

        def in_own(by_selection: Mapping[str, T]) -> dict[str, T]:
            named = by_selection.items()
            return {renamed(quote.market_type, *words, text): each for text, each in named}

        offers = None if quote.offers is None else in_own(quote.offers)
        unread = None if quote.unread is None else in_own(quote.unread)
        gone = tuple(in_own(dict.fromkeys(quote.gone)))
        return msgspec.structs.replace(
            quote, odds=in_own(quote.odds), offers=offers, unread=unread, gone=gone
        )

    def may_be_of(self, quote: Quote) -> bool:
        """Whether a quote's times fit this game."""
        if self.match_date is None:
            return self._is_seen_about(quote.scraped_at)
        if quote.match_date is not None:
            return abs(self.match_date - quote.match_date) <= SAME_GAME_MS
        if self.has_ended(quote.scraped_at):
            return quote.scraped_at - self.match_date <= UNDATED_MS
        is_soon = self.match_date - quote.scraped_at <= UNDATED_MS
        return is_soon or self._is_seen_about(quote.scraped_at)

    def has_ended(self, moment: int) -> bool:
        """Whether the game had ended by then, if its kick-off is known."""
        return self.match_date is not None and moment > self.match_date + OVER_AFTER_MS

    def _is_seen_about(self, moment: int) -> bool:
        return not self.last_seen or abs(self.last_seen - moment) <= UNDATED_MS


NamedGame = tuple[StoredGame, Family, bool | None]
"""A game, the name it was found by, and if that is another name, whether it swaps the teams."""


class NewGame(NamedTuple):
    """A game to be added."""

    game_id: str
    competition: str
    sport: str
    match_name: str
    plain_name: str


class GameChanges(NamedTuple):
    """A recording's changes to games."""

    moved: Collection[StoredGame]
    """With another ``match_date``."""
    dated: Collection[StoredGame]
    """With another bookmaker or time of ``match_date``."""
    begun: Collection[StoredGame]
    """With another ``first_seen``."""
    events: Mapping[str, int]
    """Games by the sources' ids."""
    played: Collection[StoredGame] = ()
    """With a sport that was unknown before."""


class Games:
    """The games of one recording: found or made once, their new dates collected at the end."""

    def __init__(
        self, tables: "Tables", reference: str, other_names: OtherNames | None, latest_ms: int
    ) -> None:
        """``other_names`` None: games with other names are other games, as for simulated ones.

        A kick-off reported later than ``latest_ms`` comes from a wrong clock.
        """
        self.made: set[int] = set()
        """The rows of new games: nothing else is stored of them."""
        self._tables = tables
        self._reference = reference
        self._other_names = other_names
        self._latest = latest_ms
        self._rows: dict[int, StoredGame] = {}
        self._families: dict[Family, list[StoredGame]] = {}
        self._found: dict[tuple[str, str, int | None, int], StoredGame] = {}
        self._moved: dict[int, StoredGame] = {}
        self._dated: dict[int, StoredGame] = {}
        self._begun: dict[int, StoredGame] = {}
        self._played: dict[int, StoredGame] = {}
        self._events = _Events(tables)

    def read_ahead(self, quotes: Iterable[Quote]) -> None:
        """Read the games that quotes may belong to, in one query."""
        self._families = {}
        low, high = NO_DATE, 0
        for quote in quotes:
            family = (quote.competition, plain_name(quote.match_name))
            self._families[family] = []
            moment = quote.match_date
            if moment is None:
                low, high = min(low, quote.scraped_at - UNDATED_MS), NO_DATE - 1
            else:
                low, high = min(low, moment - SAME_GAME_MS), max(high, moment + SAME_GAME_MS)
        named = list(self._tables.games_named(self._families, low, high))
        made_up = self._tables.last_made_up()
        for found, family, crosswise in named:
            if found.row <= made_up:
                continue
            game = self._rows.setdefault(found.row, found)
            self._families[family].append(game)
            if crosswise is not None:
                game.other_names[family[1]] = crosswise
        self._events.read_ahead(quotes, self._fitting)

    def known_game(self, quote: Quote) -> StoredGame | None:
        """Return the stored game of a quote, None if there is none; call ``read_ahead`` first."""
        if quote.event is not None:
            return self._events.known_events(quote)
        moment = quote.match_date
        key = (
            quote.competition,
            quote.match_name,
            moment,
            quote.scraped_at if moment is None else 0,
        )
        game = self._found.get(key)
        if game is None or (game.match_date != moment and not game.may_be_of(quote)):
            game = self._choose(quote)
            if game is not None:
                self._found[key] = game
        return game

    def game_of_quote(self, quote: Quote) -> StoredGame:
        """Return the game of a quote, made if it is new."""
        game = self.known_game(quote)
        if game is not None:
            return game
        if quote.event is None:
            return self._by_other_name(quote) or self._make(quote)
        game = self._events.find_game(quote, self._fitting(quote)) or self._by_other_name(quote)
        if game is None or not self._events.may_be(quote, game):
            game = self._make(quote)
        self._events.link(quote, game)
        return game

    def note_times(self, game: StoredGame, quote: Quote) -> None:
        """Note a quote's time, its kick-off if it counts, and its sport.

        The sharp book's kick-off counts, else the latest scraped. The first sport from a source
        stays, so that the rules for a game never switch between sports.
        """
        scraped_at = quote.scraped_at
        if game.sport == OTHER and quote.sport is not None:
            game.sport = quote.sport
            self._played[game.row] = game
        game.last_seen = max(game.last_seen, scraped_at)
        if scraped_at < game.first_seen:
            game.first_seen = scraped_at
            self._begun[game.row] = game
        if quote.match_date is None:
            return
        by_reference = quote.bookmaker == self._reference
        if game.match_date_by == self._reference and not by_reference:
            return
        outranks = by_reference and game.match_date_by != self._reference
        said_at = game.match_date_scraped_at or 0
        if outranks or scraped_at >= said_at or said_at > self._latest:
            self._move(game, quote)

    def changes(self) -> GameChanges:
        """Return the changes: kick-offs, their bookmakers, first sightings, ids of sources."""
        return GameChanges(
            self._moved.values(),
            self._dated.values(),
            self._begun.values(),
            self._events.new,
            self._played.values(),
        )

    def _move(self, game: StoredGame, quote: Quote) -> None:
        if game.match_date != quote.match_date:
            self._moved[game.row] = game
        self._dated[game.row] = game
        game.match_date = quote.match_date
        game.match_date_by = quote.bookmaker
        game.match_date_scraped_at = quote.scraped_at

    def _choose(self, quote: Quote) -> StoredGame | None:
        """Return the game with that name whose times fit best."""
        return _nearest(self._fitting(quote), quote)

    def _fitting(self, quote: Quote) -> list[StoredGame]:
        family = self._families[quote.competition, plain_name(quote.match_name)]
        fitting = [game for game in family if game.may_be_of(quote)]
        if not fitting or _tells_its_day(quote):
            return fitting
        name = quote.match_name.lower()
        told = [game for game in fitting if game.match_name.lower() == name]
        if told or not self._tables.is_taken(_ident(quote.competition, quote.match_name)):
            return told
        return [game for game in fitting if game.match_name.lower().startswith(f"{name[:-1]}, ")]

    def _by_other_name(self, quote: Quote) -> StoredGame | None:
        """Return the game with the quote's teams under other names, and keep these names."""
        if self._other_names is None or quote.match_date is None or not _tells_its_day(quote):
            return None
        plain = plain_name(quote.match_name)
        match = self._other_names.find_row(quote, plain)
        if match is None:
            return None
        row, is_crosswise = match
        if row not in self._rows:
            self._rows[row] = self._tables.game_of_row(row)
        game = self._rows[row]
        self._other_names.keep_name(quote, plain, row, is_crosswise)
        game.other_names[plain] = is_crosswise
        self._families[quote.competition, plain].append(game)
        return game

    def _make(self, quote: Quote) -> StoredGame:
        moment = quote.scraped_at if quote.match_date is None else quote.match_date
        plain = plain_name(quote.match_name)
        is_of_day = _tells_its_day(quote)
        names = (
            names_of_game(quote.match_name, moment) if is_of_day else _numbered(quote.match_name)
        )
        for name in names:
            ident = _ident(quote.competition, name)
            if not self._tables.is_taken(ident):
                break
        sport = played_sport(quote.competition, quote.sport)
        new = NewGame(ident, quote.competition, sport, name, plain)
        row = self._tables.add_game(new)
        self.made.add(row)
        game = StoredGame(row, name, quote.competition, None, None, None, NO_DATE, 0, sport)
        self._families[quote.competition, plain].append(game)
        self._rows[row] = game
        if self._other_names is not None:
            self._other_names.note_made(game, plain)
        return game


class _Events:
    """Maps the sources' ids to games: two ids of one source are two games.

    An id keeps its game while their times fit. A new id gets the nearest game without an id of its
    source, or a new game.
    """

    def __init__(self, tables: "Tables") -> None:
        self.new: dict[str, int] = {}
        """New ids with the rows of their games."""
        self._tables = tables
        self._said: dict[_Event, Quote] = {}
        self._games: dict[_Event, StoredGame] = {}
        self._taken: defaultdict[int, set[str]] = defaultdict(set)
        """The ids of each game, by its row."""

    def read_ahead(
        self, quotes: Iterable[Quote], fitting: Callable[[Quote], list[StoredGame]]
    ) -> None:
        """Find the games of all ids at once, so that each gets the nearest."""
        self._said = {_event(quote): quote for quote in quotes if quote.event is not None}
        if not self._said:
            return
        may_be = {event: fitting(quote) for event, quote in self._said.items()}
        self._read(may_be)
        free = [
            (_distance(game, self._said[event]), event, game)
            for event, games in may_be.items()
            for game in games
            if event not in self._games
        ]
        for _, event, game in sorted(free, key=lambda each: each[:2]):
            if event in self._games or not self._is_free(game, event):
                continue
            left = [each for each in may_be[event] if self._is_free(each, event)]
            if _nearest(left, self._said[event]) is game:
                self._link(event, game)

    def known_events(self, quote: Quote) -> StoredGame | None:
        """Return the game of the quote's id, None for a new id or another day."""
        game = self._games.get(_event(quote))
        return game if game is not None and game.may_be_of(quote) else None

    def find_game(self, quote: Quote, games: Iterable[StoredGame]) -> StoredGame | None:
        """Return the game of a new id among those with fitting times, including just made ones."""
        event = _event(quote)
        free = [game for game in games if self._is_free(game, event)]
        nearest = _nearest(free, quote)
        if nearest is None:
            return None
        rivals = [
            other
            for key, other in self._said.items()
            if key != event and key[1:] == event[1:] and key not in self._games
        ]
        own = _distance(nearest, quote)
        return nearest if all(own <= _distance(nearest, other) for other in rivals) else None

    def may_be(self, quote: Quote, game: StoredGame) -> bool:
        """Whether no other id of the quote's source belongs to a game."""
        for row, ident in self._tables.events_of([game.row]):
            self._taken[row].add(ident)
        return self._is_free(game, _event(quote))

    def link(self, quote: Quote, game: StoredGame) -> None:
        """Assign the quote's id to a game."""
        self._link(_event(quote), game)

    def _is_free(self, game: StoredGame, event: "_Event") -> bool:
        """Whether no other id of the event's source belongs to a game; its own may, by another
        name."""
        others = self._taken[game.row] - {event.ident}
        return all(_source(ident) != event.source for ident in others)

    def _link(self, event: "_Event", game: StoredGame) -> None:
        self._games[event] = game
        self._taken[game.row].add(event.ident)
        self.new[event.ident] = game.row

    def _read(self, may_be: Mapping["_Event", list[StoredGame]]) -> None:
        """Read the existing ids of these games."""
        idents = {event.ident: event for event in may_be}
        games = {game.row: game for games in may_be.values() for game in games}
        for row, ident in self._tables.events_of(games):
            self._taken[row].add(ident)
            event = idents.get(ident)
            if event is not None and games[row] in may_be[event]:
                self._games[event] = games[row]


class _Event(NamedTuple):
    """An id with its teams, so that a misused id joins no games."""

    ident: str
    source: str
    competition: str
    plain_name: str


def _event(quote: Quote) -> _Event:
    assert quote.event is not None
    return _event_of(quote.event, quote.competition, quote.match_name)


@lru_cache(maxsize=1 << 14)
def _event_of(ident: str, competition: str, match_name: str) -> _Event:
    return _Event(ident, _source(ident), competition, plain_name(match_name))


def _source(event: str) -> str:
    return event.partition(":")[0]


def _tells_its_day(quote: Quote) -> bool:
    """Whether the date in a name is the day of the kick-off, so that the kick-off is unique.

    Otherwise the date itself tells games apart: a fast replay moves the kick-offs of different
    days together.
    """
    match_name = quote.match_name
    plain = without_date(match_name)
    if plain == match_name or quote.match_date is None:
        return plain == match_name
    day = match_name[len(plain) + 2 :][:10]
    around = (quote.match_date, quote.match_date - SAME_GAME_MS, quote.match_date + SAME_GAME_MS)
    return any(day == _day(moment) for moment in around)


def _numbered(match_name: str) -> Iterator[str]:
    """Yield possible names for a game whose date in the name is not its day."""
    yield match_name
    for number in count(2):
        yield f"{match_name[:-1]}, {number})"


def _day(moment: int) -> str:
    try:
        return format_ms(moment)[:10]
    except OverflowError:  # before the year 1 or after 9999
        return ""


def _nearest(games: Sequence[StoredGame], quote: Quote) -> StoredGame | None:
    """Return the game of a quote; None if two are possible."""
    if len(games) > 1 and (start := quote.match_date) is not None:
        dates = [game.match_date for game in games if game.match_date is not None]
        if is_midway(start, dates):
            return None
    return min(games, key=lambda game: _distance(game, quote), default=None)


def _distance(game: StoredGame, quote: Quote) -> tuple[int, int, bool]:
    """Return the distance between a quote and a game that fits; the nearest game gets it."""
    is_other_name = game.match_name.lower() != quote.match_name.lower()
    if game.match_date is None:
        return (1, 0, is_other_name)
    if quote.match_date is not None:
        return (0, abs(game.match_date - quote.match_date), is_other_name)
    if game.has_ended(quote.scraped_at):
        return (2, quote.scraped_at - game.match_date, is_other_name)
    return (0, game.match_date - quote.scraped_at, is_other_name)
