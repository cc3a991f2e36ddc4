"""One game's prices: its markets, and the matrix that they make."""

import logging
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import partial
from typing import Final

from msgspec import UNSET, UnsetType

from oddsdesk.board.basis import Basis
from oddsdesk.board.changes import Changes
from oddsdesk.board.games import GameEntry
from oddsdesk.board.market import Market
from oddsdesk.board.matrix import (
    CellKey,
    MarketFacts,
    Matrix,
    Place,
    QuoteKey,
    Section,
    SelectionRow,
)
from oddsdesk.board.prices import Price, Sighting
from oddsdesk.board.reference import DeskReference, Renaming
from oddsdesk.contract.resources import OddsRow
from oddsdesk.pricing.assessment import GOAL_MARKETS, OVERTIME_SPORTS
from oddsdesk.pricing.pushes import MAY_BE_DRAWN
from oddsdesk.slices import exhaust

_log = logging.getLogger(__name__)

MarketKey = tuple[str, int]
MONEYLINE: Final = "moneyline"
MOST_BOOKMAKERS: Final = 500
MOST_MARKETS: Final = 200
MOST_SELECTIONS: Final = 1_500
"""Of one market and period."""
MOST_PRICES: Final = 50_000
"""Of one game (D85). Largest games have a tenth of it; each new selection lays its market out anew,
so that more would hold the window up."""


class GameBook:
    """Holds one game; sightings go in through ``put``, ``recompute`` ends a round."""

    def __init__(self, game: GameEntry) -> None:
        self.matrix = Matrix(
            game_id=game.game_id,
            match_name=game.match_name,
            competition=game.competition,
            sport=game.sport,
            kick_off=game.kick_off,
            is_live=game.is_live,
        )
        self._markets: dict[MarketKey, Market] = {}
        self._columns: set[str] = set()
        self._dirty: dict[MarketKey, None] = {}
        """Markets to be worked out, in the order of what was told of them: one tells of another."""
        self._draws: dict[int, float | None] = {}
        """How likely a draw is by the reference's moneyline, by period."""
        self.count = 0
        self._turned_away = 0
        """How many sightings found no room, until that is told."""

    def put(
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
            facts = MarketFacts(self.matrix.game_id, self.matrix.competition)
            market = Market(*where, self.matrix.match_name, self.matrix.sport, facts)
        admit = partial(self._admit, market, bookmaker, changes)
        found = market.put(bookmaker, said, changes, admit, liquidity)
        if market.is_dirty:
            self._dirty[where] = None
        return found

    def hear_again(
        self, said: OddsRow, at_ms: int, heard_at: int, whose: DeskReference, changes: Changes
    ) -> tuple[int, int] | None:
        """Note that a row says what is held of its quote, as ``Market.hear_again`` does."""
        where = said.market_type, said.period
        market = self._markets.get(where)
        if market is None:
            return None
        found = market.hear_again(said, at_ms, heard_at, whose, changes)
        if market.is_dirty:
            self._dirty[where] = None
        return found

    def _admit(
        self, market: Market, bookmaker: str | None, changes: Changes, selection: str
    ) -> bool:
        """Make room for a new price; tell whether there is any."""
        where = (market.market_type, market.period)
        is_known = where in self._markets
        if not self._has_room(bookmaker, selection, market if is_known else None):
            self._turned_away += 1
            return False
        self._markets[where] = market
        if bookmaker is not None and bookmaker not in self._columns:
            self._columns.add(bookmaker)
            changes.relaid = True
        self.count += 1
        return True

    def _has_room(self, bookmaker: str | None, selection: str, market: Market | None) -> bool:
        """Whether one more price may be held."""
        columns = self._columns
        if len(columns) >= MOST_BOOKMAKERS and bookmaker not in columns and bookmaker:
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
        read_of: Callable[[str], Container[str | None] | None] = lambda _market_type: None,
    ) -> None:
        """Withdraw prices that a complete answer, asked for at ``since_ms``, did not contain.

        Prices heard of since then stay. ``read_of`` returns whose prices of a market type were
        read, None for everybody's.
        """
        for where, market in self._markets.items():
            if market.withdraw_unheard(since_ms, now_ms, changes, read_of(where[0])):
                self._dirty[where] = None

    def keep(
        self,
        where: tuple[str | None, int | None],
        selection: str | None,
        whose: Container[str | None] | None,
        now_ms: int,
    ) -> None:
        """Keep prices that could not be read, as ``Market.keep`` does; None: of all markets."""
        for (market_type, period), market in self._markets.items():
            if where[0] in (None, market_type) and where[1] in (None, period):
                market.keep(selection, whose, now_ms)

    def withdraw_unheard_of(
        self, quotes: Iterable[QuoteKey], since_ms: int, now_ms: int, changes: Changes
    ) -> None:
        """Withdraw what answers of some quotes did not contain, as ``withdraw_unheard`` does."""
        for market_type, period, bookmaker in quotes:
            market = self._markets.get((market_type, period))
            if market is not None and market.withdraw_unheard_of(
                bookmaker, since_ms, now_ms, changes
            ):
                self._dirty[market_type, period] = None

    def withdraw(self, key: CellKey, now_ms: int, changes: Changes) -> None:
        """Withdraw one price; nothing where it is not held."""
        where = (key.market_type, key.period)
        if (market := self._markets.get(where)) is not None:
            market.withdraw((key.selection, key.bookmaker), now_ms, changes)
            self._dirty[where] = None

    def respell(self, key: CellKey, selection: str, now_ms: int, changes: Changes) -> None:
        """Move a price that is offered to another selection; nothing where it is not held."""
        market = self._markets.get((key.market_type, key.period))
        held = None if market is None else market.price((key.selection, key.bookmaker))
        if held is None or not held.is_offered:
            return
        seen = (held.odds, held.scraped_at, held.heard_at, held.url, held.is_live, held.depth)
        self.withdraw(key, now_ms, changes)
        self.put(key._replace(selection=selection), Sighting(*seen), changes)

    def drop_withdrawn(self, now_ms: int, changes: Changes) -> None:
        """Forget prices that were withdrawn more than 60 s ago."""
        for where, market in self._markets.items():
            if market.drop_withdrawn(now_ms, changes):
                self._dirty[where] = None
        if changes.removed:
            self._recount()
            self._find_columns(changes)

    def tell_turned_away(self) -> None:
        """Say in the log how many sightings found no room, where some did not."""
        if self._turned_away:
            said = "%s: %d prices passed over: a game has no room for more"
            _log.warning(said, self.matrix.match_name, self._turned_away)
            self._turned_away = 0

    @property
    def is_empty(self) -> bool:
        """Whether no price is held."""
        return self.count == 0

    def rename(self, renaming: Renaming, changes: Changes) -> None:
        """Keep prices under other keys, once others are the reference's."""
        for where, market in self._markets.items():
            market.rename(renaming, changes)
            self._dirty[where] = None
        self._recount()
        self._find_columns(changes)

    def miss_draw(self, period: int, bookmaker: str | None, at_ms: int, changes: Changes) -> None:
        """Note that a bookmaker priced the draw of a moneyline at a moment."""
        if (market := self._markets.get((MONEYLINE, period))) is not None:
            market.miss_draw(bookmaker, at_ms, changes)
            self._dirty[MONEYLINE, period] = None

    def mark_not_in_play(self, changes: Changes) -> None:
        """Count prices as not in play where no answer or message said which."""
        for where, market in self._markets.items():
            if market.mark_not_in_play(changes):
                self._dirty[where] = None

    def recompute(self, basis: Basis, changes: Changes) -> None:
        """Bring figures and layout up to date after a round of sightings."""
        exhaust(self.recomputing(basis, changes))

    def recomputing(self, basis: Basis, changes: Changes) -> Iterator[None]:
        """Do what ``recompute`` does in steps of one market; go through it to the end."""
        while self._dirty:
            where = next(iter(self._dirty))
            del self._dirty[where]
            self._markets[where].recompute(basis, changes)
            if where[0] == MONEYLINE:
                self._learn_from(self._markets[where], basis, changes)
            else:
                self._expect_draws(self._markets[where], basis, changes)
            self._markets[where].reoffered.clear()  # of other markets, nothing is learnt by it
            yield
        if changes.relaid:
            self._lay_out()

    def revalue(self, basis: Basis, changes: Changes) -> None:
        """Work out every figure anew, on another basis."""
        for where, market in self._markets.items():
            market.revalue(basis, changes)
            if where[0] == MONEYLINE:
                self._learn_from(market, basis, changes)

    def repool_goals(self, basis: Basis, changes: Changes) -> None:
        """Ask the bookmakers together anew, as others of them count overtime now (D49)."""
        for (market_type, period), market in self._markets.items():
            if market_type in GOAL_MARKETS and period == 0:
                market.revalue(basis, changes)

    def age(
        self,
        basis: Basis,
        now_ms: int,
        changes: Changes,
        only: Container[MarketKey] | None = None,
    ) -> None:
        """Find out whose prices are stale by now; in some markets only, None is all."""
        for where, market in self._markets.items():
            if only is None or where in only:
                market.age(basis, now_ms, changes)

    def date(self, game: GameEntry) -> bool:
        """Take in whether the game is in play and when it begins; tell whether that is news.

        So is its sport, which may be told late: the markets are then grouped by its rules.
        """
        matrix, stated = self.matrix, (game.is_live, game.kick_off)
        if matrix.sport != game.sport:
            matrix.sport = game.sport
            for where, market in self._markets.items():
                market.play(game.sport)
                self._dirty[where] = None
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

    def row(self, market_type: str, period: int, selection: str) -> SelectionRow | None:
        """Return a selection with its prices, None where none is held."""
        market = self._markets.get((market_type, period))
        return None if market is None else market.rows.get(selection)

    def rows(self, market_type: str, period: int) -> Mapping[str, SelectionRow]:
        """Return the selections of a market."""
        market = self._markets.get((market_type, period))
        return {} if market is None else market.rows

    def row_and_section(
        self, market_type: str, period: int, selection: str
    ) -> tuple[SelectionRow | None, Section | None]:
        """Return what ``row`` and ``section_of`` do."""
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
        """What a moneyline tells of the other markets: overtime (D49), and how likely a draw is."""
        matrix = self.matrix
        if moneyline.period == 0 and matrix.sport in OVERTIME_SPORTS:
            while moneyline.reoffered:
                bookmaker = moneyline.reoffered.pop()
                form = moneyline.overtime(bookmaker)
                where = matrix.game_id, matrix.competition
                changes.overtime_learnt |= basis.overtime.note(*where, bookmaker, form)
        period, chance = moneyline.period, moneyline.draw_chance()
        if self._draws.get(period) != chance:
            self._draws[period] = chance
            for market in self._markets.values():
                if market.period == period:
                    self._expect_draws(market, basis, changes)

    def _expect_draws(self, market: Market, basis: Basis, changes: Changes) -> None:
        if market.market_type in MAY_BE_DRAWN:
            market.expect_draws(self._draws.get(market.period), basis, changes)

    def _recount(self) -> None:
        self.count = sum(market.count for market in self._markets.values())

    def _find_columns(self, changes: Changes) -> None:
        columns = {key.bookmaker for key, _ in self.prices() if key.bookmaker is not None}
        changes.relaid |= columns != self._columns
        self._columns = columns

    def _lay_out(self) -> None:
        self._markets = {key: market for key, market in self._markets.items() if market.rows}
        sections = [section for market in self._markets.values() for section in market.sections]
        self.matrix.sections = tuple(sorted(sections, key=Section.order))
        self.matrix.bookmakers = tuple(sorted(self._columns))
