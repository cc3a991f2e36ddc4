"""The prices of one market of a game: what a sighting or a withdrawal changes in them."""

from collections.abc import Callable, Collection, Container, Iterable
from typing import Final

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from oddsdesk.board import valuation
from oddsdesk.board.ages import Ages
from oddsdesk.board.changes import Changes
from oddsdesk.board.matrix import (
    CellKey,
    MarketFacts,
    Place,
    QuoteKey,
    Section,
    SelectionRow,
)
from oddsdesk.board.prices import Price, Sighting, observe, withdraw
from oddsdesk.board.reference import DeskReference, Renaming, renamed
from oddsdesk.contract.quotes import MOST_LEVELS
from oddsdesk.contract.resources import OddsRow, Offer
from oddsdesk.pricing.outcomes import DRAW

WITHDRAWN_KEPT_MS: Final = 60_000
"""How long a withdrawn price stays, struck through."""

Cell = tuple[str, str | None]
"""Selection and bookmaker; None is the reference."""


class MarketPrices:
    """The prices of one (game, market type, period), and which are another since the last round.

    What follows from them is worked out by ``Market``, which lays out sections and places, too.
    """

    def __init__(self, market_type: str, period: int, facts: MarketFacts) -> None:
        self.market_type = market_type
        self.period = period
        self.rows: dict[str, SelectionRow] = {}
        self.sections: tuple[Section, ...] = ()
        self.places: dict[str, Place] = {}
        """Where each selection stands, as it was laid out last."""
        self.facts = facts
        """What is known of the whole market."""
        self.count = 0
        """How many prices are held."""
        self.reoffered: set[str | None] = set()
        """Who began or ceased to price a selection, until that was looked at."""
        self._reformed: set[str | None] = set()
        """The same, until those who look at prices were told."""
        self._moved: set[Cell] = set()
        self._seen_again: set[str] = set()
        """Selections of which a price was seen that says the same, later."""
        self._withdrawn: set[Cell] = set()
        self._regroup = False
        """Whether selections came or went."""
        self._ages = Ages(facts)

    @property
    def is_dirty(self) -> bool:
        """Whether there is something for ``recompute`` to do."""
        return bool(self._moved or self._seen_again or self._ages.are_due or self._reformed)

    def price(self, cell: Cell) -> Price | None:
        """Return the price held for a cell."""
        row = self.rows.get(cell[0])
        if row is None:
            return None
        return row.reference if cell[1] is None else row.prices.get(cell[1])

    def prices(self) -> Iterable[tuple[Cell, Price]]:
        """Yield every price held, withdrawn ones too."""
        for selection, row in self.rows.items():
            if row.reference is not None:
                yield (selection, None), row.reference
            for bookmaker, price in row.prices.items():
                yield (selection, bookmaker), price

    def put(
        self,
        bookmaker: str | None,
        said: Iterable[tuple[str, Sighting]],
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
            held = None
            if row is not None:
                held = row.reference if bookmaker is None else row.prices.get(bookmaker)
            if held is None and not admit(selection):
                continue
            if row is None:
                row = rows[selection] = SelectionRow(selection)
                self._regroup = True
            self.count += held is None
            price = observe(held, seen)
            if bookmaker is None:
                row.reference = price
            else:
                row.prices[bookmaker] = price
            scraped_at = price.scraped_at
            if scraped_at == seen.scraped_at:
                if scraped_at != seen_at:  # what was seen together is noted once
                    self._ages.see(bookmaker, price)
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
                if is_new:
                    self.reoffered.add(bookmaker)
                    self._reformed.add(bookmaker)
            elif scraped_at != held.scraped_at or price.depth is not held.depth:
                changed.append(selection)
                again.append(selection)
                if price.depth is not held.depth:
                    self._moved.add((selection, bookmaker))
            if found is None and held is not None and scraped_at > held.scraped_at:
                found = scraped_at - held.scraped_at, scraped_at
        changes.note(quote, changed)
        if again:
            self._see_again(bookmaker, again)
        return found

    def _spread_state(self, bookmaker: str | None, is_live: bool, changes: Changes) -> None:
        """Apply what is stated of one price to all of the bookmaker's prices of the market."""
        self._ages.state(bookmaker, is_live)
        for selection, row in self.rows.items():
            price = row.reference if bookmaker is None else row.prices.get(bookmaker)
            if price is None:
                continue
            if price.is_live is not is_live:
                self._set(row, bookmaker, replace(price, is_live=is_live))
            changes.note(self._quote(bookmaker), [selection])
            self._moved.add((selection, bookmaker))

    def _see_again(self, bookmaker: str | None, selections: Iterable[str]) -> None:
        """Note that prices were seen that say the same, later."""
        self._seen_again.update(selections)
        if bookmaker is None:
            places = [self.places[name] for name in selections if name in self.places]
            for section in {place.section.key: place.section for place in places}.values():
                valuation.redate(section)

    def hear_again(
        self, said: OddsRow, at_ms: int, heard_at: int, whose: DeskReference, changes: Changes
    ) -> tuple[int, int] | None:
        """Note that a row, scraped ``at_ms``, says of its bookmaker what is held, all of it.

        Returns the milliseconds after which the first was scraped again that was, 0 where none
        was, and ``at_ms``; None where the row says something else. Few do while changes are
        streamed, and this takes a fifth of what ``put`` does.
        """
        bookmaker, gap, again = whose.key_of(said.bookmaker), 0, list[str]()
        held = self._held_as_said(
            said, bookmaker, at_ms, has_limits=said.bookmaker == whose.service
        )
        if not held or self._offers_more(bookmaker, said.odds):
            return None
        if self._ages.states.get(bookmaker) is not said.is_live:
            return None
        for row, price in held:
            if price.scraped_at == at_ms:
                price.heard_at = heard_at
            else:
                self._set(row, bookmaker, replace(price, scraped_at=at_ms, heard_at=heard_at))
                again.append(row.selection)
                gap = gap or at_ms - price.scraped_at
        if (seen := held[0][0].price_of(bookmaker)) is not None:
            self._ages.see(bookmaker, seen)
        if again:
            changes.note(self._quote(bookmaker), again)
            self._see_again(bookmaker, again)
        return gap, at_ms

    def _held_as_said(
        self, said: OddsRow, bookmaker: str | None, at_ms: int, *, has_limits: bool
    ) -> list[tuple[SelectionRow, Price]]:
        """Return the prices that a row says, seen then or before; none where one is another."""
        held, offers = [], said.offers or None
        for selection, odds in said.odds.items():
            row = self.rows.get(selection)
            if row is None:
                return []
            price = row.reference if bookmaker is None else row.prices.get(bookmaker)
            if (
                price is None
                or price.odds != odds
                or price.scraped_at > at_ms
                or price.withdrawn_at is not None
                or price.is_live is not said.is_live
                or price.url != (said.url or price.url)
                or not _has_depth(price, None if offers is None else offers.get(selection))
                or (has_limits and row.limits.get(bookmaker, UNSET) != said.liquidity)
            ):
                return []
            held.append((row, price))
        return held

    def _offers_more(self, bookmaker: str | None, selections: Collection[str]) -> bool:
        """Whether a bookmaker offers another selection than these, which are all held."""
        return len(selections) < len(self.rows) and any(
            (price := row.price_of(bookmaker)) is not None and price.is_offered
            for selection, row in self.rows.items()
            if selection not in selections
        )

    def withdraw(self, cell: Cell, now_ms: int, changes: Changes) -> None:
        """Mark a price as gone."""
        held = self.price(cell)
        if held is None or not held.is_offered:
            return
        gone, quote = withdraw(held, now_ms), self._quote(cell[1])
        if self.market_type == "moneyline" and self._side_of(cell[0]) == DRAW:
            self.facts.drew_at[cell[1]] = held.scraped_at
        self._set(self.rows[cell[0]], cell[1], gone)
        self._withdrawn.add(cell)
        self._moved.add(cell)
        self.reoffered.add(cell[1])
        self._reformed.add(cell[1])
        changes.note(quote, cell[:1])
        changes.moves.append((quote, cell[0], held, gone))

    def keep(self, selection: str | None, whose: Container[str | None] | None, now_ms: int) -> None:
        """Note that an answer spoke of prices that could not be read: they stay, and age.

        None: of all selections, and of everybody.
        """
        for (name, bookmaker), price in self.prices():
            if selection in (None, name) and (whose is None or bookmaker in whose):
                price.heard_at = now_ms

    def withdraw_unheard(
        self,
        since_ms: int,
        now_ms: int,
        changes: Changes,
        only: Container[str | None] | None = None,
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

    def withdraw_unheard_of(
        self, bookmaker: str | None, since_ms: int, now_ms: int, changes: Changes
    ) -> bool:
        """Do what ``withdraw_unheard`` does for one bookmaker's prices."""
        unheard = [
            selection
            for selection, row in self.rows.items()
            if (price := row.price_of(bookmaker)) is not None and price.heard_at < since_ms
        ]
        for selection in unheard:
            self.withdraw((selection, bookmaker), now_ms, changes)
        return bool(unheard)

    def drop_withdrawn(self, now_ms: int, changes: Changes) -> bool:
        """Forget prices that were withdrawn a while ago, and rows left empty; tell if any."""
        dropped = False
        for cell in list(self._withdrawn):
            price = self.price(cell)
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
        if cell[1] is None:
            row.reference = None
        else:
            del row.prices[cell[1]]
        row.limits.pop(cell[1], None)
        if row.reference is None and not row.prices:
            del self.rows[cell[0]]
            self._regroup = True

    def rename(self, renaming: Renaming, changes: Changes) -> None:
        """Keep prices under other keys, once others are the reference's."""
        facts = self.facts
        self._ages.rename(renaming)
        facts.drew_at = renamed(facts.drew_at, renaming)
        self.reoffered |= {*renaming, *renaming.values()}
        for row in self.rows.values():
            held = row.all_prices()
            kept = renamed(held, renaming)
            for name in held.keys() | kept.keys():
                if held.get(name) is not kept.get(name):
                    changes.rename(self._key((row.selection, name)), is_there=name in kept)
            row.reference = kept.pop(None, None)
            row.prices = {name: price for name, price in kept.items() if name is not None}
            row.limits = renamed(row.limits, renaming)
        self._withdrawn = {cell for cell, price in self.prices() if not price.is_offered}
        self.count = sum(1 for _ in self.prices())
        self._regroup = True
        for section in self.sections:
            valuation.forget_reference(section)

    def mark_not_in_play(self, changes: Changes) -> bool:
        """Take prices whose state nobody stated as not in play; return whether there were any."""
        untold = {cell[1] for cell, price in self.prices() if price.is_live is None}
        for bookmaker in untold:
            self._spread_state(bookmaker, self._ages.states.get(bookmaker, False), changes)
        return bool(untold)

    def _quote(self, bookmaker: str | None) -> QuoteKey:
        return self.market_type, self.period, bookmaker

    def _key(self, cell: Cell) -> CellKey:
        return CellKey(self.market_type, self.period, *cell)

    def _set(self, row: SelectionRow, bookmaker: str | None, price: Price) -> None:
        if bookmaker is None:
            row.reference = price
        else:
            row.prices[bookmaker] = price

    def _side_of(self, selection: str) -> str:
        place = self.places.get(selection)
        return "" if place is None else place.side


def _has_depth(price: Price, offer: Offer | None) -> bool:
    """Whether a price holds what is for sale; levels that make no sense are read anew."""
    if offer is None or not offer.back:
        return price.depth is None
    depth = price.depth
    is_same = depth is not None and depth.levels == offer.back[:MOST_LEVELS]
    return is_same and depth is not None and depth.currency == (offer.currency or "")
