"""One market of a game: its prices in line groups, and the figures that follow from them."""

import math
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from itertools import repeat
from typing import Final

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from oddsdesk.base.market_words import period_text
from oddsdesk.board.model import matrix
from oddsdesk.board.model.basis import NEVER_STALE_MS, Basis, DeskReference
from oddsdesk.board.model.notices import Changes
from oddsdesk.board.valuation import figures
from oddsdesk.board.valuation.figures import FoundOffer, Holds
from oddsdesk.contract.quotes import MOST_LEVELS
from oddsdesk.contract.resources import OddsRow, Offer
from oddsdesk.pricing.assessment import counts_overtime
from oddsdesk.pricing.selections import DRAW, line_groups
from oddsdesk.pricing.value import Pushes

WITHDRAWN_KEPT_MS: Final = 60_000
"""How long a withdrawn price stays, struck through."""

Cell = tuple[str, str]
"""Selection and bookmaker."""
SEEN_TOGETHER_MS: Final = 5_000
"""A price seen this much earlier than another of its market and bookmaker gets a new date."""
_LOOKED_AT_EVERY_MS: Final = 10_000
"""How often all are looked at at most because bookmakers are given more time, or less."""


class Ages:
    """The ages of one market's prices, by bookmaker; keeps ``facts.stale`` true."""

    def __init__(self, facts: matrix.MarketFacts) -> None:
        self.states: dict[str, bool] = {}
        """Whether each bookmaker's prices are in play, as was told last: see ``set_state``."""
        self._facts = facts
        self._seen: dict[str, matrix.Price] = {}
        """The price of each bookmaker that was seen last."""
        self._just_seen: dict[str, None] = {}
        """Bookmakers with a new price that may change whether they are stale, to be checked."""
        self._redated: dict[str, None] = {}
        """Bookmakers of whom one price was seen, which dates the others."""
        self._stale_at: dict[str, float] = {}
        """When each bookmaker's prices may be stale that are not, in milliseconds, or later."""
        self._due_at = 0.0
        """When the first of them may be."""
        self._looked_at = self._lessons = 0
        """When all were looked at last, and by which lesson of the scrape intervals."""

    @property
    def are_due(self) -> bool:
        """Whether a price was seen that bears on ages, and that was not looked at."""
        return bool(self._just_seen or self._redated)

    def note_seen(self, bookmaker: str, price: matrix.Price) -> None:
        """Note that a price was seen."""
        last = self._seen.get(bookmaker)
        if last is None or price.scraped_at >= last.scraped_at:
            self._seen[bookmaker] = price
            age = price.heard_at - price.scraped_at
            if age > NEVER_STALE_MS or bookmaker in self._facts.stale:
                self._just_seen[bookmaker] = None
            if last is None:
                self._due_at = 0.0
            elif price.scraped_at - last.scraped_at > SEEN_TOGETHER_MS:
                self._redated[bookmaker] = None

    def set_state(self, bookmaker: str, is_live: bool) -> None:
        """Note that a bookmaker's prices are in play, where they age faster, or are not."""
        self.states[bookmaker] = is_live
        self._stale_at.pop(bookmaker, None)
        self._due_at = 0.0

    def pop_redated(self) -> list[tuple[str, int]]:
        """Return whose other prices are to be dated by the one that was seen, and when it was."""
        redated, self._redated = self._redated, {}
        return [(bookmaker, self._seen[bookmaker].scraped_at) for bookmaker in redated]

    def turned_as_seen(self, basis: Basis) -> list[str]:
        """Return which of those just seen became stale, or stopped being stale."""
        just_seen, self._just_seen = self._just_seen, {}
        return [name for name in just_seen if self._turns(name, self._seen[name].heard_at, basis)]

    def turned(self, basis: Basis, now_ms: int) -> list[str]:
        """Return which of all became stale by now, or stopped being stale."""
        lessons, due = basis.scrape_interval.lessons, self._due(now_ms)
        if lessons != self._lessons and now_ms - self._looked_at >= _LOOKED_AT_EVERY_MS:
            self._looked_at, self._lessons, due = now_ms, lessons, list(self._seen)
        turned = [name for name in due if self._turns(name, now_ms, basis)]
        if due or now_ms >= self._due_at:
            self._due_at = min(self._stale_at.values(), default=math.inf)
        return turned

    def due_at(self, lessons: int) -> float:
        """Return when ``turned`` may find something, by these lessons, in milliseconds."""
        if lessons == self._lessons:
            return self._due_at
        return min(self._due_at, self._looked_at + _LOOKED_AT_EVERY_MS)

    def _due(self, now_ms: int) -> Collection[str]:
        if now_ms < self._due_at:
            return ()
        stale_at = self._stale_at
        return [name for name in self._seen if stale_at.get(name, 0) <= now_ms]

    def _turns(self, bookmaker: str, now_ms: int, basis: Basis) -> bool:
        """Note whether a bookmaker's prices are stale; tell whether that changed."""
        price, stale, interval = self._seen[bookmaker], self._facts.stale, basis.scrape_interval
        in_play = self.states.get(bookmaker, price.is_live)
        after = interval.stale_after_ms(bookmaker, in_play)
        age = now_ms - price.scraped_at
        if age > after:
            age -= interval.patience_with(price.heard_at, now_ms, in_play)
        stale_at = now_ms + after - age + 1 if age <= after else math.inf
        self._stale_at[bookmaker] = stale_at
        self._due_at = min(self._due_at, stale_at)
        if (age > after) == (bookmaker in stale):
            return False
        stale ^= {bookmaker}
        return True


class Market:
    """The prices of one (game, market type, period), and the figures that follow from them.

    ``put_sightings`` and the like take prices in, ``recompute`` ends a round: it groups them by
    line and works out what is due.
    """

    def __init__(
        self, market_type: str, period: int, match_name: str, sport: str, facts: matrix.MarketFacts
    ) -> None:
        self.sport = sport
        self._match_name = match_name
        self.market_type = market_type
        self.period = period
        self.rows: dict[str, matrix.SelectionRow] = {}
        self.sections: tuple[matrix.Section, ...] = ()
        self.places: dict[str, matrix.Place] = {}
        """Where each selection stands, as it was laid out last."""
        self.facts = facts
        """What is known of the whole market."""
        self.count = 0
        """How many prices are held."""
        self.reoffered: set[str] = set()
        """Who began or ceased to price a selection, until that was looked at."""
        self._reformed: set[str] = set()
        """The same, until those who look at prices were told."""
        self._moved: set[Cell] = set()
        self._seen_again: set[str] = set()
        """Selections of which a price was seen that says the same, later."""
        self._withdrawn: set[Cell] = set()
        self._regroup = False
        """Whether selections came or went."""
        self._ages = Ages(facts)
        self.have_lines_moved = False
        """Whether the reference's own lines changed, or lines came or went, since the last look."""
        self.were_lines_seen = False
        """Whether its own lines were seen again, unchanged, since the last look."""
        self._draw: float | None = None
        """The chance of a draw before kick-off, where lines of this market may end in one."""

    @property
    def is_dirty(self) -> bool:
        """Whether there is something for ``recompute`` to do."""
        return bool(self._moved or self._seen_again or self._ages.are_due or self._reformed)

    def price_at(self, cell: Cell) -> matrix.Price | None:
        """Return the price held for a cell."""
        row = self.rows.get(cell[0])
        return None if row is None else row.prices.get(cell[1])

    def prices(self) -> Iterable[tuple[Cell, matrix.Price]]:
        """Yield every price held, withdrawn ones too."""
        for selection, row in self.rows.items():
            for bookmaker, price in row.prices.items():
                yield (selection, bookmaker), price

    def put_sightings(
        self,
        bookmaker: str,
        said: Iterable[tuple[str, matrix.Sighting]],
        changes: Changes,
        admit: Callable[[str], bool],
        liquidity: float | UnsetType | None = UNSET,
    ) -> tuple[int, int] | None:
        """Take in sightings of a bookmaker's selections; call ``recompute`` when all are in.

        ``admit`` tells whether there is room for a new one. Returns as ``GameBook.put_quote``.
        """
        rows, again, changed = self.rows, list[str](), list[str]()
        quote = self.market_type, self.period, bookmaker
        found: tuple[int, int] | None = None
        seen_at: int | None = None
        state = self._ages.states.get(bookmaker)
        for selection, seen in said:
            row = rows.get(selection)
            held = None if row is None else row.prices.get(bookmaker)
            if held is None and not admit(selection):
                continue
            if row is None:
                row = rows[selection] = matrix.SelectionRow(selection, self.facts)
                self._regroup = True
            self.count += held is None
            price = matrix.observe(held, seen)
            row.prices[bookmaker] = price
            scraped_at = price.scraped_at
            if scraped_at == seen.scraped_at:
                if scraped_at != seen_at:  # what was seen together is noted once
                    self._ages.note_seen(bookmaker, price)
                    seen_at = scraped_at
                if liquidity is not UNSET:
                    row.limits[bookmaker] = liquidity
                if seen.is_live is not state and seen.is_live is not None:
                    self._spread_state(bookmaker, seen.is_live, changes)
                    state = seen.is_live
            is_new = held is None or held.withdrawn_at != price.withdrawn_at
            if is_new or held is None or held.odds != price.odds:
                self._moved.add((selection, bookmaker))
                changed.append(selection)
                changes.moves.append((quote, selection, held, price))
                if price.depth is not None and price.depth.lay:
                    self.facts.laying.add(bookmaker)
                if is_new:
                    self.reoffered.add(bookmaker)
                    self._reformed.add(bookmaker)
            elif scraped_at != held.scraped_at or price.depth is not held.depth:
                changed.append(selection)
                again.append(selection)
                if price.depth is not held.depth:
                    if price.depth is not None and price.depth.lay:
                        self.facts.laying.add(bookmaker)
                    self._moved.add((selection, bookmaker))
            if found is None and held is not None and scraped_at > held.scraped_at:
                found = scraped_at - held.scraped_at, scraped_at
        changes.note_quote(quote, changed)
        if again:
            self._see_again(bookmaker, again)
        return found

    def _spread_state(self, bookmaker: str, is_live: bool, changes: Changes) -> None:
        """Apply what is stated of one price to all of the bookmaker's prices of the market."""
        self._ages.set_state(bookmaker, is_live)
        for selection, row in self.rows.items():
            price = row.prices.get(bookmaker)
            if price is None:
                continue
            if price.is_live is not is_live:
                row.prices[bookmaker] = replace(price, is_live=is_live)
            changes.note_quote(self._quote(bookmaker), [selection])
            self._moved.add((selection, bookmaker))

    def _see_again(self, bookmaker: str, selections: Iterable[str]) -> None:
        """Note that prices were seen that say the same, later."""
        self._seen_again.update(selections)
        if bookmaker == self.facts.reference:
            places = [self.places[name] for name in selections if name in self.places]
            for section in {place.section.key: place.section for place in places}.values():
                figures.redate(section)
            self.were_lines_seen = True

    def hear_again(
        self, said: OddsRow, at_ms: int, heard_at: int, reference: DeskReference, changes: Changes
    ) -> tuple[int, int] | None:
        """Note that a row, scraped ``at_ms``, says of its bookmaker what is held, all of it.

        Returns the milliseconds after which the first was scraped again that was, 0 where none
        was, and ``at_ms``; None where the row says something else. Few do while changes are
        streamed, and this takes a fifth of what ``put_sightings`` does.
        """
        bookmaker, gap, again = said.bookmaker, 0, list[str]()
        held = self._held_as_said(said, at_ms, has_limits=bookmaker == reference.service)
        if not held or self._offers_more(bookmaker, said.odds):
            return None
        if self._ages.states.get(bookmaker) is not said.is_live:
            return None
        for row, price in held:
            if price.scraped_at == at_ms:
                price.heard_at = heard_at
            else:
                row.prices[bookmaker] = replace(price, scraped_at=at_ms, heard_at=heard_at)
                again.append(row.selection)
                gap = gap or at_ms - price.scraped_at
        if (seen := held[0][0].prices.get(bookmaker)) is not None:
            self._ages.note_seen(bookmaker, seen)
        if again:
            changes.note_quote(self._quote(bookmaker), again)
            self._see_again(bookmaker, again)
        return gap, at_ms

    def _held_as_said(
        self, said: OddsRow, at_ms: int, *, has_limits: bool
    ) -> list[tuple[matrix.SelectionRow, matrix.Price]]:
        """Return the prices that a row says, seen then or before; none where one is another."""
        held, bookmaker, offers = [], said.bookmaker, said.offers or None
        for selection, odds in said.odds.items():
            row = self.rows.get(selection)
            if row is None:
                return []
            price = row.prices.get(bookmaker)
            offer = None if offers is None else offers.get(selection)
            if (
                price is None
                or price.odds != odds
                or price.scraped_at > at_ms
                or price.withdrawn_at is not None
                or price.is_live is not said.is_live
                or price.url != (matrix.link_of(offer, said.url) or price.url)
                or not _has_depth(price, offer)
                or (has_limits and row.limits.get(bookmaker, UNSET) != said.liquidity)
            ):
                return []
            held.append((row, price))
        return held

    def _offers_more(self, bookmaker: str, selections: Collection[str]) -> bool:
        """Whether a bookmaker offers another selection than these, which are all held."""
        return len(selections) < len(self.rows) and any(
            (price := row.prices.get(bookmaker)) is not None and price.is_offered
            for selection, row in self.rows.items()
            if selection not in selections
        )

    def withdraw(self, cell: Cell, now_ms: int, changes: Changes) -> None:
        """Mark a price as gone."""
        held = self.price_at(cell)
        if held is None or not held.is_offered:
            return
        gone, quote = matrix.withdraw(held, now_ms), self._quote(cell[1])
        if self.market_type == "moneyline" and self._side_of(cell[0]) == DRAW:
            self.facts.drew_at[cell[1]] = held.scraped_at
        self.rows[cell[0]].prices[cell[1]] = gone
        self._withdrawn.add(cell)
        self._moved.add(cell)
        self.reoffered.add(cell[1])
        self._reformed.add(cell[1])
        changes.note_quote(quote, cell[:1])
        changes.moves.append((quote, cell[0], held, gone))

    def keep_unread(self, selection: str | None, whose: Container[str] | None, now_ms: int) -> None:
        """Keep prices that an answer named but that could not be read; they age.

        None: all selections, all bookmakers.
        """
        for (name, bookmaker), price in self.prices():
            if selection in (None, name) and (whose is None or bookmaker in whose):
                price.heard_at = now_ms

    def withdraw_unheard(
        self, since_ms: int, now_ms: int, changes: Changes, only: Container[str] | None = None
    ) -> bool:
        """Mark as gone what was last heard of before ``since_ms``; tell whether any was.

        ``only``: the bookmakers whose prices were read; None: everybody's.
        """
        unheard = [
            cell
            for cell, price in self.prices()
            if price.heard_at < since_ms and (only is None or cell[1] in only)
        ]
        for cell in unheard:
            self.withdraw(cell, now_ms, changes)
        return bool(unheard)

    def withdraw_unheard_from(
        self, bookmaker: str, since_ms: int, now_ms: int, changes: Changes
    ) -> bool:
        """Do what ``withdraw_unheard`` does for one bookmaker's prices."""
        unheard = [
            selection
            for selection, row in self.rows.items()
            if (price := row.prices.get(bookmaker)) is not None and price.heard_at < since_ms
        ]
        for selection in unheard:
            self.withdraw((selection, bookmaker), now_ms, changes)
        return bool(unheard)

    def drop_withdrawn(self, now_ms: int, changes: Changes) -> bool:
        """Forget prices that were withdrawn a while ago, and rows left empty; tell if any."""
        dropped = False
        for cell in list(self._withdrawn):
            price = self.price_at(cell)
            if price is None or price.withdrawn_at is None:
                self._withdrawn.discard(cell)
            elif now_ms - price.withdrawn_at >= WITHDRAWN_KEPT_MS:
                self._withdrawn.discard(cell)
                self._remove(cell)
                changes.removed[self._key(cell)] = None
                dropped = True
        return dropped

    def _remove(self, cell: Cell) -> None:
        row = self.rows[cell[0]]
        self.count -= 1
        del row.prices[cell[1]]
        row.limits.pop(cell[1], None)
        if not row.prices:
            del self.rows[cell[0]]
            self._regroup = True

    def judge_by(self, reference: str) -> None:
        """Judge by another bookmaker; by nobody until ``revalue`` works the figures out."""
        self.facts.reference = reference
        for section in self.sections:
            section.push = 0.0, 0.0
            figures.forget_reference(section)
            figures.forget_best(section)

    def mark_not_in_play(self, changes: Changes) -> bool:
        """Take prices whose state nobody stated as not in play; return whether there were any."""
        untold = {cell[1] for cell, price in self.prices() if price.is_live is None}
        for bookmaker in untold:
            self._spread_state(bookmaker, self._ages.states.get(bookmaker, False), changes)
        return bool(untold)

    def _quote(self, bookmaker: str) -> matrix.QuoteKey:
        return self.market_type, self.period, bookmaker

    def _key(self, cell: Cell) -> matrix.CellKey:
        return matrix.CellKey(self.market_type, self.period, *cell)

    def _side_of(self, selection: str) -> str:
        place = self.places.get(selection)
        return "" if place is None else place.side

    def regroup_as(self, sport: str) -> None:
        """Group the prices by the rules of another sport in the next round."""
        self.sport, self._regroup = sport, True

    def recompute(self, basis: Basis, changes: Changes) -> None:
        """Bring groups and figures up to date with the prices."""
        self._redate(changes)
        self._date_seen(basis, changes)
        self._tell_what_else_is_offered(changes)
        if self._regroup:
            self._group(basis)
            changes.relaid = True
            changes.revalued.extend(self.sections)
        else:
            self._refigure(basis, changes)
        self._moved.clear()
        self._seen_again.clear()
        self._reformed.clear()

    def _date_seen(self, basis: Basis, changes: Changes) -> None:
        """Find out whose prices are stale of those just seen, which may say what they said."""
        for bookmaker in self._ages.turned_as_seen(basis):
            self.have_lines_moved |= bookmaker == self.facts.reference
            for selection, row in self.rows.items():
                if bookmaker in row.prices:
                    self._moved.add((selection, bookmaker))
                    changes.note_quote(self._quote(bookmaker), [selection])

    def _redate(self, changes: Changes) -> None:
        """What was seen of one price holds for all of the bookmaker's: a market is read whole."""
        for bookmaker, seen_at in self._ages.pop_redated():
            together = seen_at - SEEN_TOGETHER_MS
            for row in self.rows.values():
                price = row.prices.get(bookmaker)
                if price is not None and price.scraped_at < together and price.is_offered:
                    row.prices[bookmaker] = replace(price, scraped_at=seen_at)
                    if bookmaker in row.near:
                        changes.note_quote(self._quote(bookmaker), [row.selection])
            if bookmaker == self.facts.reference:
                self.were_lines_seen = True
                for section in self.sections:
                    figures.redate(section)
                    if any(row.near for row in section.rows):
                        changes.revalued.append(section)

    def _tell_what_else_is_offered(self, changes: Changes) -> None:
        """What else a bookmaker offers shows what a price is a bet on: a draw that went."""
        for bookmaker in self._reformed - {self.facts.reference}:
            named = [selection for selection, row in self.rows.items() if bookmaker in row.prices]
            changes.note_quote(self._quote(bookmaker), named)

    def _group(self, basis: Basis) -> None:
        label = period_text(self.sport, self.period)
        sections = [
            matrix.Section(
                key=matrix.SectionKey(self.market_type, self.period, group.key),
                match_name=self._match_name,
                sport=self.sport,
                line=group.line,
                period_label=label,
                complete=group.complete,
                rows=[self.rows[selection] for selection in group.selections],
                sides=group.sides,
                market=self.facts,
            )
            for group in line_groups(self.market_type, self._match_name, self.rows, self.sport)
        ]
        self.sections = tuple(sorted(sections, key=matrix.Section.section_order))
        self.places = {
            row.selection: matrix.Place(section, row, side)
            for section in self.sections
            for row, side in zip(section.rows, section.sides or repeat(""), strict=False)
        }
        self._find_unread()
        for section in self.sections:
            section.holds = Holds(section, basis)
            for row in section.rows:
                row.offer = FoundOffer(section, row, basis)
            figures.doubt_prices(section, basis)
            figures.figure(section, basis)
        self._settle(basis)
        self._regroup, self.have_lines_moved = False, True

    def _refigure(self, basis: Basis, changes: Changes) -> None:
        if basis.is_pooled:
            self._repool(basis, changes)
            return
        for section in self.sections if self._reformed else ():
            figures.reform(section, self._reformed)
        valued, has_unread = dict[matrix.SectionKey, matrix.Section](), False
        doubted = dict[matrix.SectionKey, matrix.Section]()
        places, touched = self.places, changes.touched
        for selection, bookmaker in self._moved:
            section, row, _ = places[selection]
            touched[section.key] = None
            has_unread |= not section.sides
            if bookmaker == self.facts.reference:
                valued[section.key] = section
            else:
                figures.update_price(section, row, bookmaker)
                if bookmaker in self.facts.laying:
                    self._tell_of_lay(section, row, changes)
            if figures.may_change_doubts(section, bookmaker):
                doubted[section.key] = section
        self._doubt(doubted.values(), basis, changes)
        for section in valued.values():
            figures.figure(section, basis)
            changes.revalued.append(section)
        if has_unread:
            self._find_unread()
        self.have_lines_moved |= bool(valued) or has_unread
        if valued:
            self._tell(self._settle(basis), changes)

    def _tell_of_lay(
        self, section: matrix.Section, row: matrix.SelectionRow, changes: Changes
    ) -> None:
        """Have the best price of the other selection looked for again: a lay of this one is it."""
        other = figures.other_row(section, row)
        if other is not None:
            other.offer.invalidate()
            for bookmaker in list(other.prices)[:1]:
                changes.note_quote(self._quote(bookmaker), [other.selection])

    def _repool(self, basis: Basis, changes: Changes) -> None:
        """Ask the bookmakers together again, where one of them changed."""
        if any(not self.places[selection].section.sides for selection, _ in self._moved):
            self._find_unread()
            touched = {section.key: section for section in self.sections}
        else:
            names = {selection for selection, _ in self._moved} | self._seen_again
            touched = {self.places[name].section.key: self.places[name].section for name in names}
        self._doubt(touched.values(), basis, changes)
        for section in touched.values():
            figures.figure(section, basis)
            changes.revalued.append(section)
        changes.touched |= dict.fromkeys(touched)
        self.have_lines_moved |= bool(touched)
        if touched:
            self._tell(self._settle(basis), changes)

    def _doubt(self, sections: Iterable[matrix.Section], basis: Basis, changes: Changes) -> None:
        """Look again which prices are no offers given the others of their line."""
        for section in sections:
            before = section.doubts
            if not figures.doubt_prices(section, basis):
                continue
            changes.touched[section.key] = None
            for selection, bookmaker in before.keys() | section.doubts.keys():
                self.have_lines_moved |= bookmaker == self.facts.reference
                if before.get((selection, bookmaker)) != section.doubts.get((selection, bookmaker)):
                    changes.note_quote(self._quote(bookmaker), [selection])

    def _settle(self, basis: Basis) -> list[matrix.Section]:
        """Work out how often the stake comes back, by the ladder of the reference's own lines.

        Returns the sections where that changed. A derived line has it already.
        """
        own = [
            (section, line)
            for section in self.sections
            if (line := section.reference) is not None and line.derived is None
        ]
        pushes = Pushes([line for _, line in own], self._draw)
        changed = list[matrix.Section]()
        for section, line in own:
            push = pushes.push_chance(line, in_play=False), pushes.push_chance(line, in_play=True)
            if push != section.push:
                section.push = push
                figures.form_windows(section)
                if basis.rules.asks_less_of_pushes:
                    figures.figure_prices(section)
                figures.forget_best(section)  # what is too good is left out of them
                changed.append(section)
        return changed

    def _find_unread(self) -> None:
        unread = self.facts.unread
        unread.clear()
        for section in self.sections:
            if not section.sides:
                for row in section.rows:
                    unread |= {name for name, price in row.prices.items() if price.is_offered}

    def revalue(self, basis: Basis, changes: Changes) -> None:
        """Work out every figure again, on another basis."""
        for section in self.sections:
            figures.doubt_prices(section, basis)
            figures.figure(section, basis)
        self.have_lines_moved = True
        self._settle(basis)
        self._tell_all(changes)

    def age(self, basis: Basis, now_ms: int, changes: Changes) -> None:
        """Find out whose prices are stale by now: they are never best."""
        if turned := self._ages.turned(basis, now_ms):
            self.have_lines_moved |= basis.is_pooled or self.facts.reference in turned
            for section in self.sections:
                if basis.is_pooled:
                    figures.figure(section, basis)
                else:
                    figures.forget_best(section)
            if basis.is_pooled:
                self._settle(basis)
            self._tell_all(changes)

    def due_at(self, lessons: int) -> float:
        """Return when time alone may change something, in milliseconds, or later."""
        return 0.0 if self._withdrawn else self._ages.due_at(lessons)

    def miss_draw(self, bookmaker: str, at_ms: int, changes: Changes) -> None:
        """Note that a bookmaker priced the draw at a moment."""
        self.facts.drew_at[bookmaker] = at_ms
        self.reoffered.add(bookmaker)
        self.have_lines_moved |= bookmaker == self.facts.reference
        self._tell_all(changes)

    def expect_draws(self, chance: float | None, basis: Basis, changes: Changes) -> None:
        """Take in how likely a draw is before kick-off."""
        if self._draw != chance:
            self._draw = chance
            self._settle(basis)
            self._tell_all(changes)

    def overtime(self, bookmaker: str) -> bool | None:
        """Tell by this moneyline whether a bookmaker's bets of the game count overtime."""
        priced = {
            side
            for section in self.sections
            for row, side in zip(section.rows, section.sides, strict=False)
            if matrix.offered(row.prices.get(bookmaker))
        }
        return counts_overtime(
            self.sport,
            frozenset(priced),
            texts_unread=int(bookmaker in self.facts.unread),
            had_draw=bookmaker in self.facts.drew_at,
        )

    def draw_chance(self) -> float | None:
        """Return how likely a draw is by this moneyline; None where the reference prices none."""
        for section in self.sections:
            line = section.reference
            if line is not None and line.derived is None and DRAW in line.prices:
                fair = line.prices[DRAW].fair_odds
                return None if fair is None else 1 / fair
        return None

    def section_of(self, selection: str) -> matrix.Section | None:
        """Return the line group that a selection belongs to."""
        place = self.places.get(selection)
        return None if place is None else place.section

    def _tell_all(self, changes: Changes) -> None:
        self._tell(self.sections, changes)

    def _tell(self, sections: Sequence[matrix.Section], changes: Changes) -> None:
        changes.revalued.extend(sections)
        changes.touched |= dict.fromkeys([section.key for section in sections])


def _has_depth(price: matrix.Price, offer: Offer | None) -> bool:
    """Whether a price holds what is for sale; levels that make no sense are read again."""
    lay = () if offer is None else matrix.lay_levels_of(offer, price.odds)
    if offer is None or not (offer.back or lay):
        return price.depth is None
    depth = price.depth
    return (
        depth is not None
        and depth.levels == offer.back[:MOST_LEVELS]
        and depth.lay == lay
        and depth.currency == (offer.currency or "")
    )
