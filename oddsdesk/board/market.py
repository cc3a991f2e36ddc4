"""One market of a game: its selections, their groups, and what a sighting changes in them."""

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from oddsdesk.board import valuation
from oddsdesk.board.changes import Changes
from oddsdesk.board.matrix import CellKey, Section, SectionKey, SelectionRow
from oddsdesk.board.prices import Price, Sighting, observe, withdraw
from oddsdesk.contract.periods import period_label
from oddsdesk.pricing.selections import line_groups

WITHDRAWN_KEPT_MS: Final = 60_000
"""How long a withdrawn price stays, struck through."""

_MANY: Final = 4
"""From this many moved prices on, all of a section's figures are worked out together."""

Cell = tuple[str, str | None]
"""Selection and bookmaker; None is the reference."""


class Market:
    """The prices of one (game, market type, period), grouped by line."""

    def __init__(self, market_type: str, period: int, match_name: str, sport: str) -> None:
        self.market_type = market_type
        self.period = period
        self.sport = sport
        self.rows: dict[str, SelectionRow] = {}
        self.sections: tuple[Section, ...] = ()
        self._match_name = match_name
        self._section_of: dict[str, Section] = {}
        self._moved: set[Cell] = set()
        self._withdrawn: set[Cell] = set()
        self._regroup = False
        self._states: dict[str | None, bool] = {}
        """Whether each bookmaker's prices are in play, as last stated."""

    def put(
        self,
        key: CellKey,
        seen: Sighting,
        changes: Changes,
        liquidity: float | UnsetType | None = UNSET,
    ) -> int:
        """Take in a sighting; call ``recompute`` when all of them are in.

        Returns the milliseconds since the scrape before, 0 where it is no later one.
        """
        _, _, selection, bookmaker = key
        row = self.rows.get(selection)
        if row is None:
            row = self.rows[selection] = SelectionRow(selection)
        held = row.reference if bookmaker is None else row.prices.get(bookmaker)
        price = observe(held, seen)
        self._set(row, bookmaker, price)
        if price.scraped_at == seen.scraped_at:
            if liquidity is not UNSET:
                row.liquidity = liquidity
            if seen.is_live is not None and self._states.get(bookmaker) is not seen.is_live:
                self._spread_state(bookmaker, seen.is_live, changes)
        if held is None or held.odds != price.odds or held.is_offered != price.is_offered:
            self._moved.add((selection, bookmaker))
            changes.cells[key] = None
            changes.moves.append((key, held, price))
            return 0 if held is None else price.scraped_at - held.scraped_at
        gap = price.scraped_at - held.scraped_at
        if gap:
            changes.cells[key] = None
            if bookmaker is None and selection in self._section_of:
                valuation.redate(self._section_of[selection])
        return gap

    def withdraw_unheard(
        self,
        since_ms: int,
        now_ms: int,
        changes: Changes,
        within: Callable[[CellKey], bool] | None = None,
    ) -> bool:
        """Mark as gone what was last heard of before ``since_ms``; tell whether any was."""
        unheard = [cell for cell, price in self.prices() if price.heard_at < since_ms]
        for cell in unheard:
            if within is None or within(self._key(cell)):
                self.withdraw(cell, now_ms, changes)
        return bool(unheard)

    def withdraw(self, cell: Cell, now_ms: int, changes: Changes) -> None:
        """Mark a price as gone."""
        held = self.price(cell)
        if held is None or not held.is_offered:
            return
        gone, key = withdraw(held, now_ms), self._key(cell)
        self._set(self.rows[cell[0]], cell[1], gone)
        self._withdrawn.add(cell)
        self._moved.add(cell)
        changes.cells[key] = None
        changes.moves.append((key, held, gone))

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

    def promote(self, bookmaker: str, changes: Changes) -> None:
        """Make a bookmaker's prices the reference's."""
        for row in self.rows.values():
            price = row.prices.pop(bookmaker, None)
            if price is None:
                continue
            changes.removed[self._key((row.selection, bookmaker))] = None
            changes.cells[self._key((row.selection, None))] = None
            row.reference = row.reference or price
            if bookmaker in self._states:
                self._states[None] = self._states.pop(bookmaker)
            self._moved.add((row.selection, None))
            if not row.reference.is_offered:
                self._withdrawn.add((row.selection, None))

    def mark_not_in_play(self, changes: Changes) -> bool:
        """Take prices whose state nobody stated as not in play; return whether there were any."""
        untold = {cell[1] for cell, price in self.prices() if price.is_live is None}
        for bookmaker in untold:
            self._spread_state(bookmaker, self._states.get(bookmaker, False), changes)
        return bool(untold)

    def recompute(self, method: str, changes: Changes) -> None:
        """Bring groups and figures up to date with the prices."""
        if self._regroup or any(cell[0] not in self._section_of for cell in self._moved):
            self._group(method)
            changes.relaid = True
            changes.revalued.extend(self.sections)
        else:
            self._refigure(method, changes)
        self._moved.clear()

    def revalue(self, method: str, changes: Changes) -> None:
        """Work out every figure anew, with another devig method."""
        for section in self.sections:
            valuation.figure(section, method)
            changes.revalued.append(section)
            changes.touched[section.key] = None

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

    def section_of(self, selection: str) -> Section | None:
        """Return the line group that a selection belongs to."""
        return self._section_of.get(selection)

    def _spread_state(self, bookmaker: str | None, is_live: bool, changes: Changes) -> None:
        """Apply what is stated of one price to all of the bookmaker's prices of the market."""
        self._states[bookmaker] = is_live
        for selection, row in self.rows.items():
            price = row.reference if bookmaker is None else row.prices.get(bookmaker)
            if price is None:
                continue
            if price.is_live is not is_live:
                self._set(row, bookmaker, replace(price, is_live=is_live))
                changes.cells[self._key((selection, bookmaker))] = None
            if bookmaker is None:
                self._moved.add((selection, None))

    def _key(self, cell: Cell) -> CellKey:
        return CellKey(self.market_type, self.period, *cell)

    def _set(self, row: SelectionRow, bookmaker: str | None, price: Price) -> None:
        if bookmaker is None:
            row.reference = price
        else:
            row.prices[bookmaker] = price

    def _remove(self, cell: Cell) -> None:
        row = self.rows[cell[0]]
        if cell[1] is None:
            row.reference = row.liquidity = None
        else:
            del row.prices[cell[1]]
        if row.reference is None and not row.prices:
            del self.rows[cell[0]]
            self._regroup = True

    def _group(self, method: str) -> None:
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
            )
            for group in line_groups(self.market_type, self._match_name, self.rows, self.sport)
        ]
        self.sections = tuple(sorted(sections, key=Section.order))
        self._section_of = {
            row.selection: section for section in self.sections for row in section.rows
        }
        for section in self.sections:
            valuation.figure(section, method)
        self._regroup = False

    def _refigure(self, method: str, changes: Changes) -> None:
        moved: dict[SectionKey, list[Cell]] = {}
        for cell in self._moved:
            moved.setdefault(self._section_of[cell[0]].key, []).append(cell)
        changes.touched |= dict.fromkeys(moved)
        for cells in moved.values():
            section = self._section_of[cells[0][0]]
            if any(bookmaker is None for _, bookmaker in cells):
                valuation.figure(section, method)
                changes.revalued.append(section)
            elif len(cells) > _MANY:
                valuation.figure_prices(section)
            else:
                for selection, bookmaker in cells:
                    valuation.refigure_price(section, self.rows[selection], bookmaker or "")
