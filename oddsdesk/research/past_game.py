"""A game of the log as a desk would have seen it at a moment, by the desk's own rules.

The log only holds moves, so a price counts as seen until it moves, as in a desk's past view. The
exceptions: the bookmaker's market was never seen again, or the log was recorded live and had
nothing from the bookmaker for 15 minutes. In play, where minutes matter, a price is as old as its
last move.

With the consensus as sharp book, all prices of a market are dated when one of them moves, since
each has a vote.

A game's rows wait until its prices are looked at. Most games of a season are never looked at, since
the sharp book does not price them, and no game after its kick-off.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from msgspec.structs import replace

from oddsdesk.board.history.price_history import SelectionKey
from oddsdesk.board.model.basis import Basis, consensus_choice
from oddsdesk.board.model.matrix import (
    CellKey,
    GameEntry,
    Move,
    Price,
    RowKey,
    Section,
    SelectionRow,
    Sighting,
)
from oddsdesk.board.model.notices import Changes
from oddsdesk.board.valuation.closing_lines import pooled_sighting
from oddsdesk.board.valuation.game_book import GameBook
from oddsdesk.board.valuation.judging import AssessedPrice, Judge, assessed_at, assessed_in
from oddsdesk.board.valuation.market import WITHDRAWN_KEPT_MS
from oddsdesk.board.valuation.pool import compare_lines
from oddsdesk.contract.series import SeriesPoint
from oddsdesk.pricing.assessment import OVERTIME_SPORTS, Caution
from oddsdesk.pricing.closing import MOST_AGE_MS
from oddsdesk.pricing.closing import Sighting as LineSighting
from oddsdesk.pricing.consensus import LearnedWeights, Suppliers
from oddsdesk.pricing.derived import Bands
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.value import SERVICE_RULES, DerivedChoice, ListRules
from oddsdesk.research.recorded_log import LATE_MS
from oddsdesk.store.spans import LoggedMove

_MOST_WAITING: Final = 100
"""How many quotes of a game wait at most, so that a long log needs no more memory."""
SightingKey = tuple[str, str, int]
"""Bookmaker, market type, period."""
Mine = Callable[[str], bool] | None
"""Whether the user bets at a bookmaker; None: at all of them."""


class Era:
    """What is learned across games while time runs forward; a new one starts when it goes back."""

    def __init__(
        self,
        reference: str,
        method: str,
        profiles: Profiles,
        mine: Mine,
        suppliers: Suppliers | None = None,
        *,
        learned: LearnedWeights | None = None,
        derived: DerivedChoice = "none",
        bands: Bands | None = None,
        rules: ListRules = SERVICE_RULES,
    ) -> None:
        """``suppliers`` continues earlier comparisons, and has every game compared.

        ``derived``, ``bands`` and ``rules`` as in ``Basis``; lines of the sharp book's own always
        count.
        """
        self.reference = reference
        own = SERVICE_RULES if rules.are_services else rules
        self.basis = Basis(method, profiles, mine, rules=own, derived=derived, bands=bands or {})
        self.basis.learned = learned or LearnedWeights()
        if choice := consensus_choice(reference):
            self.basis.reference.chosen = choice
        elif reference:
            self.basis.reference.service = reference
        self.compares = self.basis.is_pooled or suppliers is not None
        """Whether bookmakers with the same supplier are detected."""
        if suppliers is not None:
            self.basis.suppliers = suppliers
        self.now_ms = 0
        self.heard: dict[str, int] = {}
        """When something of each bookmaker was last recorded live."""


class PastGame:
    """One game while the log is read; times in milliseconds."""

    def __init__(
        self,
        entry: GameEntry,
        era: Era,
        last_sightings: Callable[[str], dict[SightingKey, list[int]]],
    ) -> None:
        """Start without prices; ``last_sightings`` is called once per game at most."""
        self.entry = entry
        self.era = era
        self._book = GameBook(entry, era.basis.reference.bookmaker)
        self.moment = 0
        """When its last row was known."""
        self.has_begun = False
        """Whether a row was known at kick-off or later, or was in play."""
        self.in_play_at: int | None = None
        """When its first row in play was scraped."""
        self.began_at: int | None = None
        """When it started, as far as its rows show; None before its close is over."""
        self.is_closed = False
        """Whether its close is over: a row was known after it started."""
        self.priced_by: set[str] = set()
        """The bookmakers whose prices it has or had."""
        self.has_close = False
        """Whether the close's sharp book closed a line of it, if the walk keeps closes."""
        self.refused: set[tuple[Caution, object]] = set()
        """Why prices with enough EV were not value, with outcome and bookmaker."""
        self._last_sightings = last_sightings
        self._seen_last: dict[SightingKey, list[int]] | None = None
        self._changes = Changes()
        """What happened at the last moment that the book has."""
        self._waiting: list[tuple[int, Sequence[LoggedMove]]] = []
        """Quotes that the book does not have yet, with the moments at which they were known."""
        self._withdrawn_at: int | None = None
        self._teaches = era.compares or entry.sport in OVERTIME_SPORTS

    @property
    def kick_off(self) -> int | None:
        """When it starts, as far as known by now."""
        return self.entry.kick_off

    @property
    def book(self) -> GameBook:
        """Its prices and figures by the last moment."""
        if self._waiting:
            self._catch_up()
        return self._book

    @property
    def moves(self) -> Sequence[Move]:
        """Prices before and after they moved, at the last moment."""
        if self._waiting:
            self._catch_up()
        return self._changes.moves

    def reschedule(self, kick_off: int | None) -> None:
        """Take in another kick-off; archived rows have the one known at that time."""
        self.entry = replace(self.entry, kick_off=kick_off)
        self._book.date(self.entry)

    def put_quote(self, rows: Sequence[LoggedMove]) -> None:
        """Take in rows of the log, of one quote; odds of None remove a price."""
        first = rows[0]
        if first.is_live and self.in_play_at is None:
            self.in_play_at = first.scraped_at
        if any(row.odds is not None for row in rows):
            self.priced_by.add(first.bookmaker)
        self._waiting.append((self.moment, rows))
        if len(self._waiting) > _MOST_WAITING and self._waiting[0][0] < self.moment:
            self._catch_up(self.moment)

    def may_have_value(self, now_ms: int) -> bool:
        """Return whether a price may be bet on at a moment, or another game learns from this one.

        Not without a price of the sharp book, nor after kick-off if nothing is in play.
        """
        if self._teaches:
            return True
        begins = self.kick_off
        has_begun = self.in_play_at is None and begins is not None and now_ms >= begins
        return self.era.reference in self.priced_by and not has_begun

    def near(self) -> list[RowKey]:
        """Return the prices with enough EV among selections that changed at the last moment."""
        book, changes = self.book, self._changes
        if changes.overtime_learnt:
            return list(self.all_near())
        ident = self.entry.game_id
        touched = dict.fromkeys(_selections(changes))
        for section in changes.revalued:
            touched |= {(*section.key[:2], row.selection): None for row in section.rows}
        return [
            RowKey(ident, *cell, bookmaker)
            for cell in touched
            if (row := book.selection_row(*cell)) is not None
            for bookmaker in row.near
        ]

    def _catch_up(self, before_ms: int | None = None) -> None:
        """Bring the book up to date, moment by moment; ``before_ms`` is not included."""
        waiting, self._waiting = self._waiting, []
        for moment, quotes in groupby(waiting, key=itemgetter(0)):
            if moment == before_ms:
                self._waiting = list(quotes)
                break
            self._changes = Changes()
            for _, rows in quotes:
                self._put_rows(rows, moment)
            self._end_moment(moment)

    def _put_rows(self, rows: Sequence[LoggedMove], moment: int) -> None:
        first = rows[0]
        quote, is_live = (first.market_type, first.period, first.bookmaker), bool(first.is_live)
        offered = list[tuple[str, Sighting]]()
        for row in rows:
            if row.odds is not None:
                seen = Sighting(row.odds, first.scraped_at, moment, None, is_live)
                offered.append((row.selection, seen))
                continue
            self._book.put_quote(quote, offered, self._changes)
            offered = []
            cell = CellKey(first.market_type, first.period, row.selection, first.bookmaker)
            self._book.withdraw(cell, moment, self._changes)
            self._withdrawn_at = self._withdrawn_at or moment
        self._book.put_quote(quote, offered, self._changes)

    def _end_moment(self, moment: int) -> None:
        changes = self._changes
        gone_at = self._withdrawn_at
        if gone_at is not None and moment - gone_at >= WITHDRAWN_KEPT_MS:
            self._book.drop_withdrawn(moment, changes)
            self._withdrawn_at = None
        if self.era.basis.is_pooled:
            moved = [self._book.section_of(*cell) for cell in _selections(changes)]
            self._date_votes(filter(None, moved), moment, changes)
        self._book.recompute(self.era.basis, changes)

    def all_near(self) -> Iterator[RowKey]:
        """Yield every price with enough EV."""
        for section in self.book.matrix.sections:
            for row in section.rows:
                for bookmaker in row.near:
                    yield RowKey(self.entry.game_id, *section.key[:2], row.selection, bookmaker)

    def assess_offers(
        self, offers: SeriesPoint, bookmaker: str, now_ms: int
    ) -> list[AssessedPrice]:
        """Assess odds that are not in the log, as prices of a bookmaker.

        They have no say in anything: neither in a consensus nor in the warnings on other prices.
        """
        where = offers.market_type, offers.period
        places = [self.book.place_of(*where, selection) for selection in offers.odds]
        priced = [
            (place, odds)
            for place, odds in zip(places, offers.odds.values(), strict=True)
            if place is not None
        ]
        for section in {id(place.section): place.section for place, _ in priced}.values():
            self._date_lines(section, now_ms)
        for place, odds in priced:
            at = offers.scraped_at
            place.row.prices[bookmaker] = Price(odds, at, at, at, is_live=False)
        judge = Judge(self.era.basis, self.book.matrix, now_ms)
        try:
            return [assessed_at(judge, self.book.matrix, place, bookmaker) for place, _ in priced]
        finally:
            for place, _ in priced:
                del place.row.prices[bookmaker]

    def near_at(self, now_ms: int) -> list[RowKey]:
        """Return every price with enough EV, by the consensus of a moment if that judges."""
        if self.era.basis.is_pooled:
            self._vote_again(self.book.matrix.sections, now_ms)
        elif self.era.reference not in self.priced_by:
            return []
        return list(self.all_near())

    def value(
        self, keys: list[RowKey], now_ms: int, is_wanted: Callable[[AssessedPrice], bool]
    ) -> list[AssessedPrice]:
        """Return the value prices at a moment, among the wanted ones."""
        found = []
        for key in keys:
            price = self._assessed(key, now_ms)
            if price is None or not price.assessment.is_value_but_for_cautions:
                continue
            if is_wanted(price):
                self._date(key, now_ms)
                price = self._assessed(key, now_ms)
                if price is not None and self.is_value(price):
                    found.append(price)
        return found

    def is_value(self, price: AssessedPrice) -> bool:
        """Return whether a price is value; note why one with enough EV is not."""
        if not price.is_value and price.assessment.is_value_but_for_cautions:
            which = (price.outcome, price.bookmaker)
            self.refused |= {(why, which) for why in price.assessment.cautions}
        return price.is_value

    def pooled_sighting(
        self, market_type: str, period: int, bookmaker: str, now_ms: int
    ) -> LineSighting | None:
        """Return the consensus on a market without one bookmaker; None if there is none."""
        where = (market_type, period)
        sections = [each for each in self.book.matrix.sections if each.key[:2] == where]
        self._vote_again(sections, now_ms)
        return pooled_sighting(sections, self.era.basis, bookmaker)

    def compare_lines(self) -> None:
        """Learn from the current lines which bookmakers share a supplier."""
        basis, changes = self.era.basis, Changes()
        if not self.era.compares:
            return
        self._date_votes(self.book.matrix.sections, self.moment, changes)
        self.book.recompute(basis, changes)
        compare_lines(self.book.matrix, basis, self.moment)

    def last_seen(self, market: SightingKey, now_ms: int) -> int:
        """Return when a bookmaker's market was last seen by a time, or that it never was again."""
        return min([*self._sightings(market)[-1:], now_ms])

    def last_seen_ahead(self, market: SightingKey, began_ms: int) -> int:
        """Return when a bookmaker's market was last seen before the game started.

        The start itself if that was not recorded, as in databases of older versions.
        """
        return max([at for at in self._sightings(market) if at <= began_ms], default=began_ms)

    def was_read_until(self, at_ms: int) -> bool:
        """Return whether a price was seen at most 30 minutes before a time, or later.

        A price that did not move leaves no row, but was seen.
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
        judge = Judge(self.era.basis, self.book.matrix, now_ms)
        return assessed_in(self.book, judge, key)

    def _date(self, key: RowKey, now_ms: int) -> None:
        """Date a price and the sharp book's line by when they were last seen until now."""
        section = self.book.section_of(*key[1:4])
        assert section is not None
        row = section.selection_row(key.selection)
        self._date_lines(section, now_ms, [(CellKey(*key[1:]), row.prices[key.bookmaker])])

    def _date_lines(
        self, section: Section, now_ms: int, prices: Sequence[tuple[CellKey, Price]] = ()
    ) -> None:
        """Date the lines that judge a section, and prices of it, by when they were last seen."""
        if self.era.basis.is_pooled:
            self._vote_again([section], now_ms)
            return
        changes = Changes()
        for cell, price in (*prices, *_standing(section)):
            self._see_again(cell, price, now_ms, changes)
        self.book.recompute(self.era.basis, changes)

    def _vote_again(self, sections: Sequence[Section], now_ms: int) -> None:
        """Give lines the consensus of a moment."""
        changes = Changes()
        voted = [each for section in sections for each in (*section.sources, section)]
        self._date_votes(voted, now_ms, changes)
        self.book.recompute(self.era.basis, changes)
        # prices dated with another line are dated there now
        self.book.figure_again(voted, self.era.basis)

    def _date_votes(self, wanted: Iterable[Section], now_ms: int, changes: Changes) -> None:
        """Date the prices of lines and of their markets, and mark the stale ones.

        A desk does so all the time: old prices do not vote if there are enough fresh ones.
        """
        asked = {section.key: section for section in wanted}
        markets = {key[:2] for key in asked}
        others = (each for each in self.book.matrix.sections if each.key[:2] in markets)
        dated = set[tuple[str, int, str]]()
        for section in (*asked.values(), *others):
            for cell, price in _one_each(section):
                where = (cell.market_type, cell.period, cell.bookmaker)
                if section.key in asked or where not in dated:
                    dated.add(where)
                    self._see_again(cell, price, now_ms, changes)
        self.book.age(self.era.basis, now_ms, changes, markets)

    def _see_again(self, cell: CellKey, price: Price, now_ms: int, changes: Changes) -> None:
        seen_at = self._seen_at(cell, now_ms)
        if seen_at > price.scraped_at and not price.is_live:
            seen = Sighting(price.odds, seen_at, now_ms, None, price.is_live)
            self.book.put_sighting(cell, seen, changes)

    def seen_at(self, section: Section, row: SelectionRow, bookmaker: str, now_ms: int) -> int:
        """Return when a price was last seen by a moment, before kick-off."""
        cell = CellKey(*section.key[:2], row.selection, bookmaker)
        return max(row.prices[bookmaker].scraped_at, self._seen_at(cell, now_ms))

    def _seen_at(self, cell: CellKey, now_ms: int) -> int:
        bookmaker = cell.bookmaker
        last = self.last_seen((bookmaker, cell.market_type, cell.period), now_ms)
        if last < now_ms:
            return last
        heard_at = self.era.heard.get(bookmaker, now_ms)
        return heard_at if now_ms - heard_at > LATE_MS else now_ms


def _standing(section: Section) -> Iterator[tuple[CellKey, Price]]:
    """Yield one price of each line that judges a section; each dates its whole market."""
    reference = section.market.reference
    for judging in (section, *section.sources):
        for other in judging.rows:
            if other.reference is not None and other.reference.is_offered:
                yield CellKey(*judging.key[:2], other.selection, reference), other.reference
                break


def _one_each(section: Section) -> Iterator[tuple[CellKey, Price]]:
    """Yield one price of each bookmaker on a line."""
    found: dict[str, tuple[CellKey, Price]] = {}
    for row in section.rows:
        for name, price in row.prices.items():
            if price.is_offered and name not in found:
                found[name] = CellKey(*section.key[:2], row.selection, name), price
    yield from found.values()


def _selections(changes: Changes) -> Iterator[SelectionKey]:
    """Yield the selections with a price that changed or was seen again."""
    for (market_type, period, _), selections in changes.quotes.items():
        for selection in selections:
            yield market_type, period, selection
