"""A game of the log as a desk would have held it at a moment, judged by the desk's own rules.

The log holds moves only: a price that stands in it counts as seen until it moves, as it does in a
desk that looks back (D71). Not so where the bookmaker's market was never seen again, or where the
log was kept live and nothing of the bookmaker was recorded for 15 minutes. In play, where a minute
matters, a price is as old as its last move.

Where the consensus is the reference (D60), all prices of a market are dated when one of them
moves, since each of them has a vote.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec.structs import replace

from oddsdesk.board.assessed import AssessedPrice, assessed_in
from oddsdesk.board.basis import Basis
from oddsdesk.board.changes import Changes
from oddsdesk.board.closing_lines import pooled_sighting
from oddsdesk.board.game_book import GameBook
from oddsdesk.board.games import GameEntry
from oddsdesk.board.judging import Judge
from oddsdesk.board.market_prices import WITHDRAWN_KEPT_MS
from oddsdesk.board.matrix import CellKey, RowKey, Section
from oddsdesk.board.price_history import Move, SelectionKey
from oddsdesk.board.prices import Price, Sighting
from oddsdesk.board.reference import CONSENSUS
from oddsdesk.board.valuation import figure
from oddsdesk.board.voting import compare_lines
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.closing import MOST_AGE_MS
from oddsdesk.pricing.closing import Sighting as LineSighting
from oddsdesk.pricing.consensus import CONSENSUS_TITLE
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.suppliers import Suppliers
from oddsdesk.research.past.moments import LATE_MS

SightingKey = tuple[str, str, int]
"""Bookmaker, market type, period."""
Mine = Callable[[str], bool] | None
"""Whether the user bets at a bookmaker; None is at all."""


class Era:
    """What is learned across games while time runs forward; another one where it leaps back."""

    def __init__(
        self,
        reference: str,
        method: str,
        profiles: Profiles,
        mine: Mine,
        suppliers: Suppliers | None = None,
    ) -> None:
        """``suppliers`` goes on with what was compared before, and has every game compared."""
        self.reference = reference
        self.basis = Basis(method, profiles, mine)
        if reference == CONSENSUS_TITLE:
            self.basis.reference.choose(CONSENSUS)
        elif reference:
            self.basis.reference.learn(reference)
        self.compares = self.basis.is_pooled or suppliers is not None
        """Whether it is learned which bookmakers have one supplier (D94)."""
        if suppliers is not None:
            self.basis.suppliers = suppliers
        self.now_ms = 0
        self.heard: dict[str, int] = {}
        """When something of each bookmaker was last recorded as it was scraped."""


class PastGame:
    """One game while the log is gone through; times in milliseconds."""

    def __init__(
        self,
        entry: GameEntry,
        era: Era,
        last_sightings: Callable[[str], dict[SightingKey, list[int]]],
    ) -> None:
        """Hold a game without prices; ``last_sightings`` is asked once a game, if at all."""
        self.entry = entry
        self.era = era
        self.book = GameBook(entry)
        self.moment = 0
        """When the last of its rows was known."""
        self.has_begun = False
        """Whether a row was known at its kick-off or later, or one in play."""
        self.in_play_at: int | None = None
        """When the first row of it in play was scraped."""
        self.began_at: int | None = None
        """When it began, as far as its rows tell; None before its close is over."""
        self.is_closed = False
        """Whether its close is over: a row was known after it had begun."""
        self.priced_by: set[str] = set()
        """Whose prices it has, or had."""
        self.closed_by: set[str] = set()
        """Who closed any line of it, of those that a visitor asks for."""
        self.refused: set[tuple[Caution, object]] = set()
        """What spoke against prices with the least edge, each with outcome and bookmaker."""
        self.moves: list[Move] = []
        """Prices before and after they moved, of the moment that was looked at last."""
        self._last_sightings = last_sightings
        self._seen_last: dict[SightingKey, list[int]] | None = None
        self._changes = Changes()
        self._withdrawn_at: int | None = None

    @property
    def kick_off(self) -> int | None:
        """When it begins, as far as is known by now."""
        return self.entry.kick_off

    def reschedule(self, kick_off: int | None) -> None:
        """Take in another kick-off: rows of the archive say what was known when they went there."""
        self.entry = replace(self.entry, kick_off=kick_off)
        self.book.date(self.entry)

    def put(self, key: CellKey, odds: float | None, scraped_at: int, *, is_live: bool) -> None:
        """Take in a row of the log; odds of None withdraw."""
        if is_live and self.in_play_at is None:
            self.in_play_at = scraped_at
        if odds is None:
            self.book.withdraw(key, self.moment, self._changes)
            self._withdrawn_at = self._withdrawn_at or self.moment
        else:
            seen = Sighting(odds, scraped_at, self.moment, None, is_live)
            self.book.put(key, seen, self._changes)
            self.priced_by.add(key.bookmaker or self.era.reference)

    def near(self) -> list[RowKey]:
        """Return the prices with the least edge among selections that were touched since."""
        changes, self._changes = self._changes, Changes()
        self.moves = changes.moves
        self._forget_withdrawn(changes)
        if self.era.basis.is_pooled:
            moved = [self.book.section_of(*cell) for cell in _selections(changes)]
            self._date_votes(filter(None, moved), self.moment, changes)
        self.book.recompute(self.era.basis, changes)
        if changes.overtime_learnt:
            return list(self.all_near())
        ident = self.entry.game_id
        touched = dict.fromkeys(_selections(changes))
        for section in changes.revalued:
            touched |= {(*section.key[:2], row.selection): None for row in section.rows}
        return [
            RowKey(ident, *cell, bookmaker)
            for cell in touched
            if (row := self.book.row(*cell)) is not None
            for bookmaker in row.near
        ]

    def all_near(self) -> Iterator[RowKey]:
        """Yield every price with the least edge."""
        for section in self.book.matrix.sections:
            for row in section.rows:
                for bookmaker in row.near:
                    yield RowKey(self.entry.game_id, *section.key[:2], row.selection, bookmaker)

    def value(
        self, keys: list[RowKey], now_ms: int, is_wanted: Callable[[AssessedPrice], bool]
    ) -> list[AssessedPrice]:
        """Return the prices that are value at a moment, of those that are wanted."""
        found = []
        for key in keys:
            price = self._assessed(key, now_ms)
            if price is None or not price.assessment.is_value_but_for_cautions:
                continue
            if is_wanted(price):
                self._date(key, now_ms)
                price = self._assessed(key, now_ms)
                if price is not None and price.is_value:
                    found.append(price)
                elif price is not None and price.assessment.is_value_but_for_cautions:
                    which = (price.outcome, price.bookmaker)
                    self.refused |= {(why, which) for why in price.assessment.cautions}
        return found

    def pooled_sighting(
        self, market_type: str, period: int, bookmaker: str, now_ms: int
    ) -> LineSighting | None:
        """Return what others than a bookmaker say of a market at a moment; None for nothing."""
        where = (market_type, period)
        sections = [each for each in self.book.matrix.sections if each.key[:2] == where]
        self._ask_anew(sections, now_ms)
        return pooled_sighting(sections, self.era.basis, bookmaker)

    def compare_lines(self) -> None:
        """Learn from the lines as they stand which bookmakers have one supplier (D94)."""
        basis, changes = self.era.basis, Changes()
        if not self.era.compares:
            return
        self.book.recompute(basis, self._changes)
        self._date_votes(self.book.matrix.sections, self.moment, changes)
        self.book.recompute(basis, changes)
        compare_lines(self.book.matrix, basis, self.moment)

    def last_seen(self, market: SightingKey, now_ms: int) -> int:
        """Return when a bookmaker's market was seen last by a moment: until it never was again."""
        return min([*self._sightings(market)[-1:], now_ms])

    def last_seen_ahead(self, market: SightingKey, began_ms: int) -> int:
        """Return when a bookmaker's market was seen last before the game began.

        Until then where that was not noted, as in databases of older versions.
        """
        return max([at for at in self._sightings(market) if at <= began_ms], default=began_ms)

    def was_read_until(self, at_ms: int) -> bool:
        """Return whether any price of it was seen then, at most 30 minutes before, or later.

        A price that did not move leaves no row, but it was seen.
        """
        markets = self._all_sightings().values()
        return any(at >= at_ms - MOST_AGE_MS for times in markets for at in times)

    def _sightings(self, market: SightingKey) -> list[int]:
        return self._all_sightings().get(market, [])

    def _all_sightings(self) -> dict[SightingKey, list[int]]:
        if self._seen_last is None:
            self._seen_last = self._last_sightings(self.entry.game_id)
        return self._seen_last

    def _assessed(self, key: RowKey, now_ms: int) -> AssessedPrice | None:
        judge = Judge(self.era.basis, self.era.reference, self.book.matrix, now_ms)
        return assessed_in(self.book, judge, key)

    def _forget_withdrawn(self, changes: Changes) -> None:
        gone_at = self._withdrawn_at
        if gone_at is not None and self.moment - gone_at >= WITHDRAWN_KEPT_MS:
            self.book.drop_withdrawn(self.moment, changes)
            self._withdrawn_at = None

    def _date(self, key: RowKey, now_ms: int) -> None:
        """Date a price and the reference's line by when they were last seen until now."""
        section = self.book.section_of(*key[1:4])
        assert section is not None
        if self.era.basis.is_pooled:
            self._ask_anew([section], now_ms)
            return
        changes = Changes()
        for cell, price in _standing(section, key):
            self._see_again(cell, price, now_ms, changes)
        self.book.recompute(self.era.basis, changes)

    def _ask_anew(self, sections: Sequence[Section], now_ms: int) -> None:
        """Have lines say what the bookmakers together say of them at a moment."""
        changes = Changes()
        self._date_votes(sections, now_ms, changes)
        self.book.recompute(self.era.basis, changes)
        for section in sections:
            figure(section, self.era.basis)  # who was dated with another line is dated there now

    def _date_votes(self, wanted: Iterable[Section], now_ms: int, changes: Changes) -> None:
        """Date the prices of lines and of all their markets, and find out whose are stale.

        A desk does so all the time: an old price has no vote where there are enough fresh ones.
        """
        asked = {section.key: section for section in wanted}
        markets = {key[:2] for key in asked}
        others = (each for each in self.book.matrix.sections if each.key[:2] in markets)
        dated = set[tuple[str, int, str | None]]()
        for section in (*asked.values(), *others):
            for cell, price in _one_each(section):
                where = (cell.market_type, cell.period, cell.bookmaker)
                if section.key in asked or where not in dated:
                    dated.add(where)
                    self._see_again(cell, price, now_ms, changes)
        self.book.age(self.era.basis, now_ms, changes, markets)

    def _see_again(self, cell: CellKey, price: Price, now_ms: int, changes: Changes) -> None:
        seen_at = self._seen_at(cell, price, now_ms)
        if seen_at > price.scraped_at and not price.is_live:
            seen = Sighting(price.odds, seen_at, now_ms, None, price.is_live)
            self.book.put(cell, seen, changes)

    def _seen_at(self, cell: CellKey, price: Price, now_ms: int) -> int:
        bookmaker = cell.bookmaker or self.era.reference
        last = self.last_seen((bookmaker, cell.market_type, cell.period), now_ms)
        if last < now_ms:
            return last
        heard_at = self.era.heard.get(bookmaker, now_ms)
        return heard_at if now_ms - heard_at > LATE_MS else now_ms


def _standing(section: Section, key: RowKey) -> Iterator[tuple[CellKey, Price]]:
    """Yield a price, and one of the reference's line: all of a market are dated by one."""
    row = section.row_of(key.selection)
    if key.bookmaker is not None:
        yield CellKey(*key[1:]), row.prices[key.bookmaker]
    for other in section.rows:
        if other.reference is not None and other.reference.is_offered:
            yield CellKey(*section.key[:2], other.selection, None), other.reference
            return


def _one_each(section: Section) -> Iterator[tuple[CellKey, Price]]:
    """Yield a price of each bookmaker that offers any of a line."""
    found: dict[str, tuple[CellKey, Price]] = {}
    for row in section.rows:
        for name, price in row.prices.items():
            if price.is_offered and name not in found:
                found[name] = CellKey(*section.key[:2], row.selection, name), price
    yield from found.values()


def _selections(changes: Changes) -> Iterator[SelectionKey]:
    """Yield the selections of which a price differs or was seen again."""
    for (market_type, period, _), selections in changes.quotes.items():
        for selection in selections:
            yield market_type, period, selection
