"""One market of a game: its prices in line groups, and the figures that follow from them."""

from collections.abc import Iterable, Sequence
from itertools import repeat

from msgspec.structs import replace

from oddsdesk.board import valuation
from oddsdesk.board.ages import SEEN_TOGETHER_MS
from oddsdesk.board.basis import Basis
from oddsdesk.board.best_offers import FoundOffer
from oddsdesk.board.changes import Changes
from oddsdesk.board.holds import Holds
from oddsdesk.board.market_prices import MarketPrices
from oddsdesk.board.matrix import (
    MarketFacts,
    Place,
    Section,
    SectionKey,
)
from oddsdesk.board.own_groups import offered
from oddsdesk.contract.periods import period_label
from oddsdesk.pricing.assessment import counts_overtime
from oddsdesk.pricing.outcomes import DRAW
from oddsdesk.pricing.pushes import Pushes
from oddsdesk.pricing.selections import line_groups


class Market(MarketPrices):
    """Groups the prices by line, and brings figures up to date: ``recompute`` ends a round."""

    def __init__(
        self, market_type: str, period: int, match_name: str, sport: str, facts: MarketFacts
    ) -> None:
        super().__init__(market_type, period, facts)
        self.sport = sport
        self._match_name = match_name
        self._draw: float | None = None
        """The chance of a draw before kick-off, where lines of this market may end in one."""

    def play(self, sport: str) -> None:
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
            for selection, row in self.rows.items():
                if bookmaker is None or bookmaker in row.prices:
                    self._moved.add((selection, bookmaker))
                    changes.note(self._quote(bookmaker), [selection])

    def _redate(self, changes: Changes) -> None:
        """What was seen of one price holds for all of the bookmaker's: a market is read whole."""
        for bookmaker, seen_at in self._ages.take_redated():
            together = seen_at - SEEN_TOGETHER_MS
            for row in self.rows.values():
                price = row.reference if bookmaker is None else row.prices.get(bookmaker)
                if price is not None and price.scraped_at < together and price.is_offered:
                    self._set(row, bookmaker, replace(price, scraped_at=seen_at))
                    if bookmaker in row.near:
                        changes.note(self._quote(bookmaker), [row.selection])
            if bookmaker is None:
                for section in self.sections:
                    valuation.redate(section)
                    if any(row.near for row in section.rows):
                        changes.revalued.append(section)

    def _tell_what_else_is_offered(self, changes: Changes) -> None:
        """What a bookmaker offers beside a price tells what the price is of: a draw that went."""
        for bookmaker in self._reformed:
            named = [selection for selection, row in self.rows.items() if bookmaker in row.prices]
            changes.note(self._quote(bookmaker), named)

    def _group(self, basis: Basis) -> None:
        label = period_label(self.sport, self.period)
        sections = [
            Section(
                key=SectionKey(self.market_type, self.period, group.key),
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
        self.sections = tuple(sorted(sections, key=Section.order))
        self.places = {
            row.selection: Place(section, row, side)
            for section in self.sections
            for row, side in zip(section.rows, section.sides or repeat(""), strict=False)
        }
        self._find_unread()
        for section in self.sections:
            section.holds = Holds(section, basis)
            for row in section.rows:
                row.offer = FoundOffer(section, row, basis)
            valuation.doubt_prices(section, basis)
            valuation.figure(section, basis)
        self._settle(basis)
        self._regroup = False

    def _refigure(self, basis: Basis, changes: Changes) -> None:
        if basis.is_pooled:
            self._repool(basis, changes)
            return
        for section in self.sections if self._reformed else ():
            valuation.reform(section, self._reformed)
        valued, has_unread = dict[SectionKey, Section](), False
        doubted = dict[SectionKey, Section]()
        places, touched = self.places, changes.touched
        for selection, bookmaker in self._moved:
            section, row, _ = places[selection]
            touched[section.key] = None
            has_unread |= not section.sides
            if bookmaker is None:
                valued[section.key] = section
            else:
                valuation.take_price(section, row, bookmaker)
            if valuation.may_change_doubts(section, bookmaker):
                doubted[section.key] = section
        self._doubt(doubted.values(), basis, changes)
        for section in valued.values():
            valuation.figure(section, basis)
            changes.revalued.append(section)
        if has_unread:
            self._find_unread()
        if valued:
            self._tell(self._settle(basis), changes)

    def _repool(self, basis: Basis, changes: Changes) -> None:
        """Ask the bookmakers together anew, where one of them said something."""
        if any(not self.places[selection].section.sides for selection, _ in self._moved):
            self._find_unread()
            touched = {section.key: section for section in self.sections}
        else:
            names = {selection for selection, _ in self._moved} | self._seen_again
            touched = {self.places[name].section.key: self.places[name].section for name in names}
        self._doubt(touched.values(), basis, changes)
        for section in touched.values():
            valuation.figure(section, basis)
            changes.revalued.append(section)
        changes.touched |= dict.fromkeys(touched)
        if touched:
            self._tell(self._settle(basis), changes)

    def _doubt(self, sections: Iterable[Section], basis: Basis, changes: Changes) -> None:
        """Look again which prices are no offers beside the others of their line."""
        for section in sections:
            before = section.doubts
            if not valuation.doubt_prices(section, basis):
                continue
            changes.touched[section.key] = None
            for selection, bookmaker in before.keys() | section.doubts.keys():
                if before.get((selection, bookmaker)) != section.doubts.get((selection, bookmaker)):
                    changes.note(self._quote(bookmaker), [selection])

    def _settle(self, basis: Basis) -> list[Section]:
        """Work out how often the stake comes back, by the ladder of the reference's lines.

        Returns the sections of which that differs.
        """
        lines = [section.reference for section in self.sections if section.reference is not None]
        pushes, changed = Pushes(lines, self._draw), list[Section]()
        for section in self.sections:
            line = section.reference
            if line is None:
                continue
            push = pushes.of(line, in_play=False), pushes.of(line, in_play=True)
            if push != section.push:
                section.push = push
                valuation.form_windows(section)
                valuation.forget_best(section)  # what is too good is left out of them
                changed.append(section)
        return changed

    def _find_unread(self) -> None:
        unread = self.facts.unread
        unread.clear()
        for section in self.sections:
            if not section.sides:
                for row in section.rows:
                    unread |= {
                        name
                        for name in row.priced_by()
                        if offered(row.reference if name is None else row.prices[name])
                    }

    def revalue(self, basis: Basis, changes: Changes) -> None:
        """Work out every figure anew, on another basis."""
        for section in self.sections:
            valuation.doubt_prices(section, basis)
            valuation.figure(section, basis)
        self._settle(basis)
        self._tell_all(changes)

    def age(self, basis: Basis, now_ms: int, changes: Changes) -> None:
        """Find out whose prices are stale by now: they are never best."""
        if self._ages.turned(basis, now_ms):
            for section in self.sections:
                if basis.is_pooled:
                    valuation.figure(section, basis)
                else:
                    valuation.forget_best(section)
            if basis.is_pooled:
                self._settle(basis)
            self._tell_all(changes)

    def miss_draw(self, bookmaker: str | None, at_ms: int, changes: Changes) -> None:
        """Note that a bookmaker priced the draw at a moment."""
        self.facts.drew_at[bookmaker] = at_ms
        self.reoffered.add(bookmaker)
        self._tell_all(changes)

    def expect_draws(self, chance: float | None, basis: Basis, changes: Changes) -> None:
        """Take in how likely a draw is before kick-off."""
        if self._draw != chance:
            self._draw = chance
            self._settle(basis)
            self._tell_all(changes)

    def overtime(self, bookmaker: str | None) -> bool | None:
        """Tell by this moneyline whether a bookmaker's bets of the game count overtime (D49)."""
        priced = {
            side
            for section in self.sections
            for row, side in zip(section.rows, section.sides, strict=False)
            if offered(row.reference if bookmaker is None else row.prices.get(bookmaker))
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
            if line is not None and DRAW in line.prices:
                fair = line.prices[DRAW].fair_odds
                return None if fair is None else 1 / fair
        return None

    def section_of(self, selection: str) -> Section | None:
        """Return the line group that a selection belongs to."""
        place = self.places.get(selection)
        return None if place is None else place.section

    def _tell_all(self, changes: Changes) -> None:
        self._tell(self.sections, changes)

    def _tell(self, sections: Sequence[Section], changes: Changes) -> None:
        changes.revalued.extend(sections)
        changes.touched |= dict.fromkeys([section.key for section in sections])
