"""One game's prices: its markets, and the matrix that they make."""

import logging
import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sized
from functools import partial
from typing import Final, Protocol

from msgspec import UNSET, UnsetType

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.model.basis import Basis, DeskReference
from oddsdesk.board.model.matrix import (
    CellKey,
    GameEntry,
    MarketFacts,
    Matrix,
    Place,
    Price,
    QuoteKey,
    RowKey,
    Section,
    SelectionRow,
    Sighting,
)
from oddsdesk.board.model.notices import Changes
from oddsdesk.board.valuation.deriving import PeriodDeriver, date_lines
from oddsdesk.board.valuation.figures import figure
from oddsdesk.board.valuation.market import Market
from oddsdesk.contract.markets import DRAW_RETURNS
from oddsdesk.contract.resources import OddsRow
from oddsdesk.pricing.assessment import GOAL_MARKETS, OVERTIME_SPORTS

_log = logging.getLogger(__name__)

MarketKey = tuple[str, int]
MONEYLINE: Final = "moneyline"
MOST_BOOKMAKERS: Final = 500
MOST_MARKETS: Final = 200
MOST_SELECTIONS: Final = 1_500
"""Of one market and period."""
MOST_PRICES: Final = 50_000
"""Of one game. Largest games have a tenth of it; each new selection lays its market out again,
so that more would hold the window up."""


class GameBook:
    """Holds one game; sightings go in through ``put_sighting``, ``recompute`` ends a round."""

    def __init__(self, game: GameEntry, reference: str) -> None:
        self.matrix = Matrix(
            game_id=game.game_id,
            match_name=game.match_name,
            competition=game.competition,
            sport=game.sport,
            kick_off=game.kick_off,
            is_live=game.is_live,
            reference=reference,
        )
        self._markets: dict[MarketKey, Market] = {}
        self._columns: set[str] = set()
        self._dirty: dict[MarketKey, None] = {}
        """Markets to be worked out, in the order in which they changed: one bears on another."""
        self._derivers: dict[int, PeriodDeriver] = {}
        """By period."""
        self._draws: dict[int, float | None] = {}
        """How likely a draw is by the reference's moneyline, by period."""
        self.count = 0
        self._turned_away = 0
        """How many sightings found no room, until that is told."""
        self._due_at = 0.0
        """When time alone may change something here, in milliseconds, or later."""
        self._lessons = -1
        """The lessons of the scrape intervals that this was reckoned by."""
        self.has_compared = False
        """Whether the present lines were compared."""

    def put_sighting(
        self,
        key: CellKey,
        seen: Sighting,
        changes: Changes,
        liquidity: float | UnsetType | None = UNSET,
    ) -> None:
        """Take in a sighting of a price, as ``put_quote`` does."""
        quote = key.market_type, key.period, key.bookmaker
        self.put_quote(quote, [(key.selection, seen)], changes, liquidity)

    def put_quote(
        self,
        quote: QuoteKey,
        said: Iterable[tuple[str, Sighting]],
        changes: Changes,
        liquidity: float | UnsetType | None = UNSET,
    ) -> tuple[int, int] | None:
        """Take in sightings of a quote's selections; new ones without room are turned away.

        Returns of the first that was scraped again the milliseconds since the scrape before, and
        when it was scraped; None where none was.
        """
        market_type, period, bookmaker = quote
        where = (market_type, period)
        market = self._markets.get(where)
        if market is None:
            matrix = self.matrix
            facts = MarketFacts(matrix.game_id, matrix.competition, matrix.reference)
            market = Market(*where, self.matrix.match_name, self.matrix.sport, facts)
        admit = partial(self._admit, market, bookmaker, changes)
        found = market.put_sightings(bookmaker, said, changes, admit, liquidity)
        self._due_at = 0.0
        if market.is_dirty:
            self._mark(where)
        return found

    def hear_again(
        self, said: OddsRow, at_ms: int, heard_at: int, reference: DeskReference, changes: Changes
    ) -> tuple[int, int] | None:
        """Note that a row says what is held of its quote, as ``Market.hear_again`` does."""
        where = said.market_type, said.period
        market = self._markets.get(where)
        if market is None:
            return None
        found = market.hear_again(said, at_ms, heard_at, reference, changes)
        self._due_at = 0.0
        if market.is_dirty:
            self._mark(where)
        return found

    def _admit(self, market: Market, bookmaker: str, changes: Changes, selection: str) -> bool:
        """Make room for a new price; tell whether there is any."""
        where = (market.market_type, market.period)
        is_known = where in self._markets
        if not self._has_room(bookmaker, selection, market if is_known else None):
            self._turned_away += 1
            return False
        self._markets[where] = market
        if bookmaker not in self._columns:
            self._columns.add(bookmaker)
            changes.relaid = True
        self.count += 1
        return True

    def _has_room(self, bookmaker: str, selection: str, market: Market | None) -> bool:
        """Whether one more price may be held."""
        columns = self._columns
        is_one_more = bookmaker not in columns and bookmaker != self.matrix.reference
        if is_one_more and len(columns) >= MOST_BOOKMAKERS:
            return False
        if self.count >= MOST_PRICES:
            return False
        if market is None:
            return len(self._markets) < MOST_MARKETS
        return len(market.rows) < MOST_SELECTIONS or selection in market.rows

    def withdraw_unheard(
        self,
        since_ms: int,
        now_ms: int,
        changes: Changes,
        read_of: Callable[[str], Container[str] | None] = lambda _market_type: None,
    ) -> None:
        """Withdraw prices that a complete answer, asked for at ``since_ms``, did not contain.

        Prices heard of since then stay. ``read_of`` returns whose prices of a market type were
        read, None for everybody's.
        """
        for where, market in self._markets.items():
            if market.withdraw_unheard(since_ms, now_ms, changes, read_of(where[0])):
                self._mark(where)

    def keep_unread(
        self,
        where: tuple[str | None, int | None],
        selection: str | None,
        whose: Container[str] | None,
        now_ms: int,
    ) -> None:
        """Keep prices that could not be read, as ``Market.keep_unread``; None: of all markets."""
        for (market_type, period), market in self._markets.items():
            if where[0] in (None, market_type) and where[1] in (None, period):
                market.keep_unread(selection, whose, now_ms)

    def withdraw_unheard_from(
        self, quotes: Iterable[QuoteKey], since_ms: int, now_ms: int, changes: Changes
    ) -> None:
        """Withdraw what answers of some quotes did not contain, as ``withdraw_unheard`` does."""
        for market_type, period, bookmaker in quotes:
            market = self._markets.get((market_type, period))
            if market is not None and market.withdraw_unheard_from(
                bookmaker, since_ms, now_ms, changes
            ):
                self._mark((market_type, period))

    def withdraw(self, key: CellKey, now_ms: int, changes: Changes) -> None:
        """Withdraw one price; nothing where it is not held."""
        where = (key.market_type, key.period)
        if (market := self._markets.get(where)) is not None:
            market.withdraw((key.selection, key.bookmaker), now_ms, changes)
            self._mark(where)

    def respell(self, key: CellKey, selection: str, now_ms: int, changes: Changes) -> None:
        """Move a price that is offered to another selection; nothing where it is not held."""
        market = self._markets.get((key.market_type, key.period))
        held = None if market is None else market.price_at((key.selection, key.bookmaker))
        if held is None or not held.is_offered:
            return
        seen = (held.odds, held.scraped_at, held.heard_at, held.url, held.is_live, held.depth)
        self.withdraw(key, now_ms, changes)
        self.put_sighting(key._replace(selection=selection), Sighting(*seen), changes)

    def _mark(self, where: MarketKey) -> None:
        """Have a market worked out in the next round."""
        self._dirty[where] = None
        self._due_at, self.has_compared = 0.0, False

    def is_due(self, lessons: int, now_ms: int) -> bool:
        """Whether time, or these lessons of the scrape intervals, may have changed something."""
        return now_ms >= self._due_at or lessons != self._lessons

    def sweep(self, basis: Basis, now_ms: int, changes: Changes) -> None:
        """Note what time has changed: what is stale, what is long gone."""
        lessons = basis.scrape_interval.lessons
        if not self.is_due(lessons, now_ms):
            return
        self.drop_withdrawn(now_ms, changes)
        self.age(basis, now_ms, changes)
        if changes.removed or changes.touched:
            self.has_compared = False
        due = [market.due_at(lessons) for market in self._markets.values()]
        due += [deriver.due_at for deriver in self._derivers.values()]
        self._due_at, self._lessons = min(due, default=math.inf), lessons

    def drop_withdrawn(self, now_ms: int, changes: Changes) -> None:
        """Forget prices that were withdrawn more than 60 s ago."""
        for where, market in self._markets.items():
            if market.drop_withdrawn(now_ms, changes):
                self._mark(where)
        if changes.removed:
            self._recount()
            self._find_columns(changes)

    def log_turned_away(self) -> None:
        """Say in the log how many sightings found no room, where some did not."""
        if self._turned_away:
            said = "%s: skipped %d prices: the game has no room for more"
            _log.warning(said, self.matrix.match_name, self._turned_away)
            self._turned_away = 0

    @property
    def is_empty(self) -> bool:
        """Whether no price is held."""
        return self.count == 0

    def judge_by(self, reference: str) -> None:
        """Judge by another bookmaker; by nobody until ``revalue`` works the figures out."""
        self.matrix.reference = reference
        for market in self._markets.values():
            market.judge_by(reference)
        self._name_columns()

    def miss_draw(self, period: int, bookmaker: str, at_ms: int, changes: Changes) -> None:
        """Note that a bookmaker priced the draw of a moneyline at a moment."""
        if (market := self._markets.get((MONEYLINE, period))) is not None:
            market.miss_draw(bookmaker, at_ms, changes)
            self._mark((MONEYLINE, period))

    def mark_not_in_play(self, changes: Changes) -> None:
        """Count prices as not in play where no answer or message said which."""
        for where, market in self._markets.items():
            if market.mark_not_in_play(changes):
                self._mark(where)

    def recompute(self, basis: Basis, changes: Changes, now_ms: float = math.inf) -> None:
        """Bring figures and layout up to date after a round of sightings.

        Models that were fitted less than a second before ``now_ms`` wait for a later round.
        """
        exhaust(self.recomputing(basis, changes, now_ms))

    def recomputing(
        self, basis: Basis, changes: Changes, now_ms: float = math.inf
    ) -> Iterator[None]:
        """Do what ``recompute`` does in steps of one market; go through it to the end."""
        while self._dirty:
            where = next(iter(self._dirty))
            del self._dirty[where]
            self._due_at = 0.0
            self._markets[where].recompute(basis, changes)
            if where[0] == MONEYLINE:
                self._learn_from(self._markets[where], basis, changes)
            else:
                self._expect_draws(self._markets[where], basis, changes)
            self._markets[where].reoffered.clear()  # of other markets, nothing is learnt by it
            yield
        yield from self._deriving(basis, changes, now_ms)
        if changes.relaid:
            self._lay_out()

    def revaluing(self, basis: Basis, changes: Changes) -> Iterator[None]:
        """Work out every figure again, on another basis; first those of own lines."""
        self.has_compared = False
        for where, market in self._markets.items():
            market.revalue(basis, changes)
            if where[0] == MONEYLINE:
                self._learn_from(market, basis, changes)
        yield
        yield from self._deriving(basis, changes)

    def derive(self, basis: Basis, changes: Changes, now_ms: float = math.inf) -> None:
        """Bring derived lines up to date with the reference's own lines."""
        exhaust(self._deriving(basis, changes, now_ms))

    def figure_again(self, sections: Iterable[Section], basis: Basis) -> None:
        """Work out again the figures of some line groups whose prices were dated."""
        for section in sections:
            figure(section, basis)
            self._markets[section.key[:2]].have_lines_moved = True
        self.derive(basis, Changes())

    def _deriving(self, basis: Basis, changes: Changes, now_ms: float = math.inf) -> Iterator[None]:
        """Derive the lines of each period whose own lines moved; each step is a period."""
        moved, seen = set[int](), set[int]()
        for market in self._markets.values():
            if market.have_lines_moved:
                moved.add(market.period)
            elif market.were_lines_seen:
                seen.add(market.period)
            market.have_lines_moved = market.were_lines_seen = False
        moved |= {
            period for period, each in self._derivers.items() if each.due_at <= now_ms < math.inf
        }
        for period in sorted(moved | seen):
            sections = [
                section
                for market in self._markets.values()
                if market.period == period
                for section in market.sections
            ]
            if period in moved:
                deriver = self._derivers.setdefault(period, PeriodDeriver(period))
                differing = deriver.derive_lines(sections, basis, now_ms)
            else:
                differing = date_lines(sections)
            for section in differing:
                changes.revalued.append(section)
                changes.touched[section.key] = None
            yield

    def repool_goals(self, basis: Basis, changes: Changes) -> None:
        """Ask the bookmakers together again, as others of them count overtime now."""
        for (market_type, period), market in self._markets.items():
            if market_type in GOAL_MARKETS and period == 0:
                market.revalue(basis, changes)
        self.derive(basis, changes)

    def age(
        self, basis: Basis, now_ms: int, changes: Changes, only: Container[MarketKey] | None = None
    ) -> None:
        """Find out whose prices are stale by now; in some markets only, None is all."""
        for where, market in self._markets.items():
            if only is None or where in only:
                market.age(basis, now_ms, changes)
        self.derive(basis, changes, now_ms)

    def date(self, game: GameEntry) -> bool:
        """Take in whether the game is in play and when it begins; tell whether that is news.

        So is its sport, which may be told late: the markets are then grouped by its rules.
        """
        matrix, stated = self.matrix, (game.is_live, game.kick_off)
        if matrix.sport != game.sport:
            matrix.sport = game.sport
            for where, market in self._markets.items():
                market.regroup_as(game.sport)
                self._mark(where)
        if (matrix.is_live, matrix.kick_off) == stated:
            return False
        matrix.is_live, matrix.kick_off = stated
        return True

    def section_of(self, market_type: str, period: int, selection: str) -> Section | None:
        """Return the section that holds a selection."""
        market = self._markets.get((market_type, period))
        return None if market is None else market.section_of(selection)

    def place_of(self, market_type: str, period: int, selection: str) -> Place | None:
        """Return where a selection stands, None where no price of it is held."""
        market = self._markets.get((market_type, period))
        return None if market is None else market.places.get(selection)

    def selection_row(self, market_type: str, period: int, selection: str) -> SelectionRow | None:
        """Return a selection with its prices, None where none is held."""
        market = self._markets.get((market_type, period))
        return None if market is None else market.rows.get(selection)

    def market_rows(self, market_type: str, period: int) -> Mapping[str, SelectionRow]:
        """Return the selections of a market."""
        market = self._markets.get((market_type, period))
        return {} if market is None else market.rows

    def row_and_section(
        self, market_type: str, period: int, selection: str
    ) -> tuple[SelectionRow | None, Section | None]:
        """Return what ``selection_row`` and ``section_of`` do."""
        market = self._markets.get((market_type, period))
        if market is None:
            return None, None
        place = market.places.get(selection)
        return market.rows.get(selection), None if place is None else place.section

    def prices(self) -> Iterator[tuple[CellKey, Price]]:
        """Yield every price held, withdrawn ones too."""
        for where, market in self._markets.items():
            for cell, price in market.prices():
                yield CellKey(*where, *cell), price

    def _learn_from(self, moneyline: Market, basis: Basis, changes: Changes) -> None:
        """Learn from a moneyline what other markets need: overtime, and how likely a draw is."""
        matrix = self.matrix
        if moneyline.period == 0 and matrix.sport in OVERTIME_SPORTS:
            while moneyline.reoffered:
                bookmaker = moneyline.reoffered.pop()
                form = moneyline.overtime(bookmaker)
                where = matrix.game_id, matrix.competition
                changes.overtime_learnt |= basis.overtime.note_form(*where, bookmaker, form)
        period, chance = moneyline.period, moneyline.draw_chance()
        if self._draws.get(period) != chance:
            self._draws[period] = chance
            for market in self._markets.values():
                if market.period == period:
                    self._expect_draws(market, basis, changes)

    def _expect_draws(self, market: Market, basis: Basis, changes: Changes) -> None:
        if market.market_type in DRAW_RETURNS:
            market.expect_draws(self._draws.get(market.period), basis, changes)

    def _recount(self) -> None:
        self.count = sum(market.count for market in self._markets.values())

    def _find_columns(self, changes: Changes) -> None:
        columns = {key.bookmaker for key, _ in self.prices()}
        changes.relaid |= columns != self._columns
        self._columns = columns

    def _lay_out(self) -> None:
        self._markets = {key: market for key, market in self._markets.items() if market.rows}
        sections = [section for market in self._markets.values() for section in market.sections]
        self.matrix.sections = tuple(sorted(sections, key=Section.section_order))
        self._name_columns()

    def _name_columns(self) -> None:
        self.matrix.bookmakers = tuple(sorted(self._columns - {self.matrix.reference}))


MOST_UNLISTED: Final = 2_000
"""Games with prices that no list has: they are new, or somebody makes them up."""


class Listed(Container[str], Sized, Protocol):
    """The games that the list has, by id."""


class GameBooks:
    """One book a game, by id, in the order in which they came; judged by ``reference``."""

    def __init__(self, reference: str) -> None:
        self._books: dict[str, GameBook] = {}
        self._reference = reference

    def __contains__(self, game: str) -> bool:
        return game in self._books

    def __iter__(self) -> Iterator[GameBook]:
        """Go through the books that are held now, also where some come or go meanwhile."""
        return iter(list(self._books.values()))

    def held_book(self, game: str) -> GameBook | None:
        """Return the book of a game, None where no price of it is held."""
        return self._books.get(game)

    def book_of(self, game: GameEntry) -> GameBook:
        """Return the book of a game, an empty one where none is held yet."""
        book = self._books.get(game.game_id)
        if book is None:
            book = self._books[game.game_id] = GameBook(game, self._reference)
        return book

    def has_room(self, game: str, listed: Listed) -> bool:
        """Say whether the prices of one more game may be held."""
        return game in listed or len(self._books) < len(listed) + MOST_UNLISTED

    def drop_empty(self, listed: Listed) -> None:
        """Drop the games that no list has and of which no price is left."""
        for game in [game for game, book in self._books.items() if book.is_empty]:
            if game not in listed:
                self.drop_book(game)

    def drop_book(self, game: str) -> GameBook | None:
        """Drop a game's book and return it."""
        return self._books.pop(game, None)

    def game_ids(self) -> list[str]:
        """Return the ids of the games."""
        return list(self._books)

    def row_keys_of(self, game: str) -> Iterator[RowKey]:
        """Yield the key of every price held of a game."""
        book = self._books.get(game)
        for key, _ in () if book is None else book.prices():
            yield RowKey(game, *key)

    def judge_by(self, reference: str) -> None:
        """Judge by another bookmaker; by nobody until each book's ``revalue``."""
        books = self._books.values() if reference != self._reference else ()
        self._reference = reference
        for book in books:
            book.judge_by(reference)

    def others_of_competition(self, book: GameBook) -> Iterator[GameBook]:
        """Yield the other games of a book's competition."""
        for other in self:
            if other is not book and other.matrix.competition == book.matrix.competition:
                yield other
