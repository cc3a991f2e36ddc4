"""A game of the log as a desk would have seen it at a moment, by the desk's own rules.

The log only holds moves, so a price counts as seen until it moves, as in a desk's past view. The
exceptions: the bookmaker's market was never seen again, or the log was recorded live and had
nothing from the bookmaker for 15 minutes. In play, where minutes matter, a price is as old as its
last move.

With the consensus as sharp book, all prices of a market are dated when one of them moves, since
each has a vote.

A game's rows are read once (``SeenGame``), whatever is asked of it. They wait until its prices are
looked at (``Replay``): most games of a season are never looked at, since the sharp book does not
price them or nobody offers more, and no game after its kick-off.
"""

from collections import defaultdict
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
    complete_group,
)
from oddsdesk.board.model.notices import Changes
from oddsdesk.board.valuation.closing_lines import pooled_sighting
from oddsdesk.board.valuation.game_book import GameBook
from oddsdesk.board.valuation.judging import AssessedPrice, Judge, assessed_at, assessed_in
from oddsdesk.board.valuation.market import WITHDRAWN_KEPT_MS
from oddsdesk.board.valuation.pool import compare_lines
from oddsdesk.contract.series import SeriesPoint
from oddsdesk.pricing.assessment import OVERTIME_SPORTS, Caution
from oddsdesk.pricing.closing import MONEYLINE, MOST_AGE_MS
from oddsdesk.pricing.closing import Sighting as LineSighting
from oddsdesk.pricing.consensus import LearnedWeights, Suppliers
from oddsdesk.pricing.derived import Bands
from oddsdesk.pricing.devig import DevigError, devig
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.value import SERVICE_RULES, DerivedChoice, ListRules
from oddsdesk.research.recorded_log import LATE_MS
from oddsdesk.store.spans import LoggedMove

_MOST_WAITING: Final = 100
"""How many quotes of a game wait at most, so that a long log needs no more memory."""
_SLACK: Final = 1 - 1e-8
"""Prices this little below the least EV are looked at, too: it is rounded."""
SightingKey = tuple[str, str, int]
"""Bookmaker, market type, period."""
Mine = Callable[[str], bool] | None
"""Whether the user bets at a bookmaker; None: at all of them."""


class Clock:
    """The time of the log, and when something of each bookmaker was last recorded live."""

    def __init__(self) -> None:
        self.now_ms = 0
        self.heard: dict[str, int] = {}


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
        self.clock = Clock()

    @property
    def now_ms(self) -> int:
        """The time that the log has reached."""
        return self.clock.now_ms


_Standing = dict[str, dict[str, float]]
"""Odds of a market that stand, by selection and bookmaker."""


class SeenGame:
    """What the log has of one game by a moment; times in milliseconds."""

    def __init__(
        self,
        entry: GameEntry,
        clock: Clock,
        last_sightings: Callable[[str], dict[SightingKey, list[int]]],
    ) -> None:
        """Start without rows; ``last_sightings`` is called once per game at most."""
        self.entry = entry
        self.clock = clock
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
        self.replays: list[Replay] = []
        self.games: list[PastGame] = []
        """The game as each visitor sees it."""
        self.passed = 0
        """How many quotes all replays have."""
        self.waiting: list[tuple[int, Sequence[LoggedMove]]] = []
        """The quotes after these, with the moments at which they were known."""
        self._standing = defaultdict[tuple[str, int], _Standing](lambda: defaultdict(dict))
        self._seen_at: dict[SightingKey, int] = {}
        self._is_in_order = True
        """Whether each bookmaker's prices of a market came in the order of scraping."""
        self._last_sightings = last_sightings
        self._sightings: dict[SightingKey, list[int]] | None = None

    def reschedule(self, kick_off: int | None) -> None:
        """Take in another kick-off; archived rows have the one known at that time."""
        self.entry = replace(self.entry, kick_off=kick_off)
        for replay in self.replays:
            replay.date(self.entry)

    def put_quote(self, rows: Sequence[LoggedMove]) -> None:
        """Take in rows of the log, of one quote; odds of None remove a price."""
        first = rows[0]
        bookmaker, market = first.bookmaker, (first.market_type, first.period)
        if first.is_live and self.in_play_at is None:
            self.in_play_at = first.scraped_at
        seen = self._seen_at.get((bookmaker, *market), 0)
        self._is_in_order &= first.scraped_at >= seen
        self._seen_at[bookmaker, *market] = first.scraped_at
        standing = self._standing[market]
        for row in rows:
            if row.odds is None:
                standing[row.selection].pop(bookmaker, None)
            else:
                standing[row.selection][bookmaker] = row.odds
                self.priced_by.add(bookmaker)
        self.waiting.append((self.moment, rows))
        if len(self.waiting) > _MOST_WAITING and self.waiting[0][0] < self.moment:
            self.separate_replays()
            for replay in self.replays:
                replay.catch_up(self.moment)
            left = [each for each in self.waiting if each[0] == self.moment]
            self.passed += len(self.waiting) - len(left)
            self.waiting = left

    def may_have_value(self, basis: Basis) -> bool:
        """Return whether a price may be value by this basis, without a board's figures.

        It is certain that none has where this is false. Only the usual markets of one line are
        looked at so closely; for all others it is true.
        """
        rules, reference = basis.rules, basis.reference
        if not self._is_in_order or reference.is_middle or rules.asks_less_of_pushes:
            return True
        name = reference.bookmaker
        for (market_type, _), standing in self._standing.items():
            own = {side: odds[name] for side, odds in standing.items() if name in odds}
            if not own and basis.derived == "none":
                continue
            if len(own) != 2 and (len(own), market_type) != (3, MONEYLINE):  # maybe several lines
                return True
            if basis.derived != "none" and not self._is_priced_whole(market_type, standing, own):
                return True
            try:
                fair_odds = devig(basis.method, list(own.values())).fair_odds
            except DevigError:
                return True
            for side, fair in zip(own, fair_odds, strict=True):
                least = _least_odds(market_type, fair, rules)
                for bookmaker, odds in standing[side].items():
                    if odds >= least and basis.net(bookmaker, odds) >= least and bookmaker != name:
                        return True
        return False

    def separate_replays(self) -> None:
        """Give each visitor figures of its own: from now on, theirs would differ."""
        for game in self.games:
            game.separate_replay()
        self.replays = list(dict.fromkeys(game.replay for game in self.games))

    def _is_priced_whole(
        self, market_type: str, standing: _Standing, own: dict[str, float]
    ) -> bool:
        """Return whether one line of the sharp book's has everything that is offered."""
        offered = [side for side, odds in standing.items() if odds]
        entry, names = self.entry, tuple(own)
        group = complete_group(market_type, entry.match_name, names, entry.sport)
        return len(offered) == len(own) and group is not None

    def sightings(self) -> dict[SightingKey, list[int]]:
        """Return when each market was last seen, before the game and in all."""
        if self._sightings is None:
            self._sightings = self._last_sightings(self.entry.game_id)
        return self._sightings

    def was_read_until(self, at_ms: int) -> bool:
        """Return whether a price was seen at most 30 minutes before a time, or later.

        A price that did not move leaves no row, but was seen.
        """
        return any(at >= at_ms - MOST_AGE_MS for times in self.sightings().values() for at in times)


class Replay:
    """The prices of a game and the figures that follow from them, on one basis.

    It serves all visitors whose rules differ in the least EV alone, if it has the lowest; until a
    price is dated for one of them, or quotes are dropped.
    """

    def __init__(self, seen: SeenGame, era: Era) -> None:
        self.era = era
        self.changes = Changes()
        """What happened at the last moment that the book has."""
        self.teaches = era.compares or seen.entry.sport in OVERTIME_SPORTS
        """Whether other games learn from this one."""
        self.had_value = False
        """Whether a price may have been value before: then each moment is looked at."""
        self._seen = seen
        self._book = GameBook(seen.entry, era.basis.reference.bookmaker)
        self._taken = seen.passed
        """How many quotes the book has."""
        self._withdrawn_at: int | None = None
        self._near: list[RowKey] | None = None

    @property
    def book(self) -> GameBook:
        """Its prices and figures by the last moment."""
        if self._taken < self._seen.passed + len(self._seen.waiting):
            self.catch_up()
        return self._book

    def date(self, entry: GameEntry) -> None:
        """Take in another kick-off."""
        self._book.date(entry)

    def near(self) -> list[RowKey]:
        """Return the prices with enough EV among selections that changed at the last moment."""
        book = self.book
        if self._near is None:
            self._near = list(self._near_in(book))
        return self._near

    def all_near(self) -> Iterator[RowKey]:
        """Yield every price with enough EV."""
        ident = self._seen.entry.game_id
        for section in self.book.matrix.sections:
            for row in section.rows:
                for bookmaker in row.near:
                    yield RowKey(ident, *section.key[:2], row.selection, bookmaker)

    def catch_up(self, before_ms: int | None = None) -> None:
        """Bring the book up to date, moment by moment; ``before_ms`` is not included."""
        waiting = self._seen.waiting[self._taken - self._seen.passed :]
        for moment, quotes in groupby(waiting, key=itemgetter(0)):
            if moment == before_ms:
                break
            self.changes, self._near = Changes(), None
            for _, rows in quotes:
                self._taken += 1
                self._put_rows(rows, moment)
            self._end_moment(moment)

    def date_votes(self, wanted: Iterable[Section], now_ms: int, changes: Changes) -> None:
        """Date the prices of lines and of their markets, and mark the stale ones.

        A desk does so all the time: old prices do not vote if there are enough fresh ones.
        """
        asked = {section.key: section for section in wanted}
        markets = {key[:2] for key in asked}
        others = (each for each in self._book.matrix.sections if each.key[:2] in markets)
        dated = set[tuple[str, int, str]]()
        for section in (*asked.values(), *others):
            for cell, price in _one_each(section):
                where = (cell.market_type, cell.period, cell.bookmaker)
                if section.key in asked or where not in dated:
                    dated.add(where)
                    self.see_again(cell, price, now_ms, changes)
        self._book.age(self.era.basis, now_ms, changes, markets)

    def see_again(self, cell: CellKey, price: Price, now_ms: int, changes: Changes) -> None:
        """Date a price by when it was last seen until a moment."""
        if self.is_seen_later(cell, price, now_ms):
            seen = Sighting(price.odds, self.seen_at(cell, now_ms), now_ms, None, price.is_live)
            self._book.put_sighting(cell, seen, changes)

    def is_seen_later(self, cell: CellKey, price: Price, now_ms: int) -> bool:
        """Return whether a price was seen again by a moment, after it moved."""
        return not price.is_live and self.seen_at(cell, now_ms) > price.scraped_at

    def seen_at(self, cell: CellKey, now_ms: int) -> int:
        """Return when a bookmaker's market was last seen by a moment."""
        bookmaker = cell.bookmaker
        times = self._seen.sightings().get((bookmaker, cell.market_type, cell.period), [])
        last = min([*times[-1:], now_ms])  # or it was never seen again
        if last < now_ms:
            return last
        heard_at = self._seen.clock.heard.get(bookmaker, now_ms)
        return heard_at if now_ms - heard_at > LATE_MS else now_ms

    def _near_in(self, book: GameBook) -> Iterator[RowKey]:
        if self.changes.overtime_learnt:
            yield from self.all_near()
            return
        touched = dict.fromkeys(_selections(self.changes))
        for section in self.changes.revalued:
            touched |= {(*section.key[:2], row.selection): None for row in section.rows}
        for cell in touched:
            row = book.selection_row(*cell)
            for bookmaker in () if row is None else row.near:
                yield RowKey(self._seen.entry.game_id, *cell, bookmaker)

    def _put_rows(self, rows: Sequence[LoggedMove], moment: int) -> None:
        first = rows[0]
        quote, is_live = (first.market_type, first.period, first.bookmaker), bool(first.is_live)
        offered = list[tuple[str, Sighting]]()
        for row in rows:
            if row.odds is not None:
                seen = Sighting(row.odds, first.scraped_at, moment, None, is_live)
                offered.append((row.selection, seen))
                continue
            self._book.put_quote(quote, offered, self.changes)
            offered = []
            cell = CellKey(first.market_type, first.period, row.selection, first.bookmaker)
            self._book.withdraw(cell, moment, self.changes)
            self._withdrawn_at = self._withdrawn_at or moment
        self._book.put_quote(quote, offered, self.changes)

    def _end_moment(self, moment: int) -> None:
        changes = self.changes
        gone_at = self._withdrawn_at
        if gone_at is not None and moment - gone_at >= WITHDRAWN_KEPT_MS:
            self._book.drop_withdrawn(moment, changes)
            self._withdrawn_at = None
        if self.era.basis.is_pooled:
            moved = [self._book.section_of(*cell) for cell in _selections(changes)]
            self.date_votes(filter(None, moved), moment, changes)
        self._book.recompute(self.era.basis, changes)


class PastGame:
    """A game as a visitor sees it while the log is read; times in milliseconds."""

    def __init__(self, seen: SeenGame, replay: Replay, era: Era) -> None:
        """``era`` has the rules that prices are judged by; ``replay`` may have a lower least EV."""
        self.seen = seen
        self.era = era
        self.refused: set[tuple[Caution, object]] = set()
        """Why prices with enough EV were not value, with outcome and bookmaker."""
        self.replay = replay

    @property
    def entry(self) -> GameEntry:
        """Its names."""
        return self.seen.entry

    @property
    def kick_off(self) -> int | None:
        """When it starts, as far as known by now."""
        return self.seen.entry.kick_off

    @property
    def moment(self) -> int:
        """When its last row was known."""
        return self.seen.moment

    @property
    def has_begun(self) -> bool:
        """Whether a row was known at kick-off or later, or was in play."""
        return self.seen.has_begun

    @property
    def in_play_at(self) -> int | None:
        """When its first row in play was scraped."""
        return self.seen.in_play_at

    @property
    def began_at(self) -> int | None:
        """When it started, as far as its rows show; None before its close is over."""
        return self.seen.began_at

    @property
    def is_closed(self) -> bool:
        """Whether its close is over: a row was known after it started."""
        return self.seen.is_closed

    @property
    def priced_by(self) -> set[str]:
        """The bookmakers whose prices it has or had."""
        return self.seen.priced_by

    @property
    def book(self) -> GameBook:
        """Its prices and figures by the last moment."""
        return self.replay.book

    @property
    def moves(self) -> Sequence[Move]:
        """Prices before and after they moved, at the last moment."""
        return self.replay.changes.moves if self.replay.book else ()

    def may_have_value(self, now_ms: int) -> bool:
        """Return whether a price may be bet on at a moment, or another game learns from this one.

        Not without a price of the sharp book, nor after kick-off if nothing is in play.
        """
        if self.replay.teaches:
            return True
        begins = self.seen.entry.kick_off
        has_begun = self.in_play_at is None and begins is not None and now_ms >= begins
        return not has_begun and self._may_be_value()

    def _may_be_value(self) -> bool:
        """Return whether a price may be value by the prices that stand, or was before."""
        replay, seen = self.replay, self.seen
        if not replay.had_value and self.era.reference in seen.priced_by:
            replay.had_value = seen.may_have_value(replay.era.basis)
        return replay.had_value

    def separate_replay(self) -> None:
        """Take figures of its own, if they are another visitor's."""
        if self.era is not self.replay.era:
            self.replay = Replay(self.seen, self.era)

    def near(self) -> list[RowKey]:
        """Return the prices with enough EV among selections that changed at the last moment."""
        keys = self.replay.near()
        if self.era is self.replay.era or not keys:
            return keys
        return [key for key in keys if self._has_least_ev(key)]

    def _has_least_ev(self, key: RowKey) -> bool:
        """Return whether a price may have the least EV, which is higher than that of the figures.

        Derived lines and those that can push are judged in full.
        """
        section, rules = self.book.section_of(*key[1:4]), self.era.basis.rules
        row = self.book.selection_row(*key[1:4])
        assert section is not None
        assert row is not None
        if row.fair is None or section.derived is not None or rules.asks_less_of_pushes:
            return True
        return row.prices[key.bookmaker].odds >= _least_odds(key.market_type, row.fair, rules)

    def all_near(self) -> Iterator[RowKey]:
        """Yield every price with enough EV."""
        return self.replay.all_near()

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
        elif not self._may_be_value():
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
                if self._date(key, now_ms):
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
        self.replay.date_votes(self.book.matrix.sections, self.moment, changes)
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

    def _sightings(self, market: SightingKey) -> list[int]:
        return self.seen.sightings().get(market, [])

    def _assessed(self, key: RowKey, now_ms: int) -> AssessedPrice | None:
        judge = Judge(self.era.basis, self.book.matrix, now_ms)
        return assessed_in(self.book, judge, key)

    def _date(self, key: RowKey, now_ms: int) -> bool:
        """Date a price and the sharp book's line by when they were last seen until now.

        Returns whether that may change what is said of the price.
        """
        section = self.book.section_of(*key[1:4])
        assert section is not None
        row = section.selection_row(key.selection)
        prices = [(CellKey(*key[1:]), row.prices[key.bookmaker])]
        return self._date_lines(section, now_ms, prices)

    def _date_lines(
        self, section: Section, now_ms: int, prices: Sequence[tuple[CellKey, Price]] = ()
    ) -> bool:
        """Date the lines that judge a section, and prices of it, by when they were last seen.

        Returns whether any was seen since it moved.
        """
        if self.era.basis.is_pooled:
            self._vote_again([section], now_ms)
            return True
        wanted = (*prices, *_standing(section))
        if not any(self.replay.is_seen_later(*each, now_ms) for each in wanted):
            return False
        self.seen.separate_replays()
        book, changes = self.book, Changes()
        for cell, price in wanted:
            self.replay.see_again(cell, price, now_ms, changes)
        book.recompute(self.replay.era.basis, changes)
        return True

    def _vote_again(self, sections: Sequence[Section], now_ms: int) -> None:
        """Give lines the consensus of a moment."""
        changes = Changes()
        voted = [each for section in sections for each in (*section.sources, section)]
        self.replay.date_votes(voted, now_ms, changes)
        self.book.recompute(self.replay.era.basis, changes)
        # prices dated with another line are dated there now
        self.book.figure_again(voted, self.replay.era.basis)

    def seen_at(self, section: Section, row: SelectionRow, bookmaker: str, now_ms: int) -> int:
        """Return when a price was last seen by a moment, before kick-off."""
        cell = CellKey(*section.key[:2], row.selection, bookmaker)
        return max(row.prices[bookmaker].scraped_at, self.replay.seen_at(cell, now_ms))


def _least_odds(market_type: str, fair: float, rules: ListRules) -> float:
    """Return the odds from which a price may have the least EV before commission."""
    service = SERVICE_RULES.least_net(market_type, fair)
    return min(service, rules.least_net(market_type, fair)) * _SLACK


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
