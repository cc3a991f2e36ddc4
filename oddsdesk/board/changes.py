"""What happened to a game's prices, collected until subscribers are notified."""

from collections.abc import Iterable, Iterator

import msgspec

from oddsdesk.board.matrix import CellKey, QuoteKey, RowKey, Section, SectionKey
from oddsdesk.board.notices import MatrixLoaded, PricesChanged, RowsChanged
from oddsdesk.board.price_history import Move


class Changes(msgspec.Struct):
    """What happened to a game since subscribers were last notified of it."""

    quotes: dict[QuoteKey, dict[str, None]] = msgspec.field(default_factory=dict)
    """Prices that are new, moved, were seen again or withdrawn: their selections, in order."""
    revalued: list[Section] = msgspec.field(default_factory=list)
    """Sections whose reference moved: every row of them is judged anew."""
    touched: dict[SectionKey, None] = msgspec.field(default_factory=dict)
    removed: dict[CellKey, None] = msgspec.field(default_factory=dict)
    moves: list[Move] = msgspec.field(default_factory=list)
    """Prices before and after they moved, for the history."""
    relaid: bool = False
    """Whether sections, rows or columns differ."""
    overtime_learnt: bool = False
    """Whether a bookmaker was found to count overtime, or to count it no longer (D49)."""

    def note(self, quote: QuoteKey, selections: Iterable[str]) -> None:
        """Note that prices of a quote differ, or were seen again."""
        noted = dict.fromkeys(selections)
        if noted:
            held = self.quotes.setdefault(quote, noted)
            if held is not noted:
                held |= noted

    def by_quote(self) -> Iterator[tuple[QuoteKey, Iterable[str]]]:
        """Yield the selections of each quote that differ, were seen again or are gone."""
        yield from self.quotes.items()
        for market_type, period, selection, bookmaker in self.removed:
            yield (market_type, period, bookmaker), [selection]

    def rename(self, key: CellKey, *, is_there: bool) -> None:
        """Note that another price is under a key now, or none."""
        quote = key.market_type, key.period, key.bookmaker
        if is_there:
            self.removed.pop(key, None)
            self.note(quote, [key.selection])
        else:
            self.quotes.get(quote, {}).pop(key.selection, None)
            self.removed[key] = None

    def absorb(self, later: "Changes") -> None:
        """Take in what happened afterwards."""
        for quote, selections in later.quotes.items():
            self.note(quote, selections)
        self.revalued += later.revalued
        self.touched |= later.touched
        self.removed |= later.removed
        self.moves += later.moves
        self.relaid |= later.relaid
        self.overtime_learnt |= later.overtime_learnt

    def notices(
        self, game_id: str, *, rows_wanted: bool
    ) -> Iterator[MatrixLoaded | PricesChanged | RowsChanged]:
        """Yield the notices for subscribers."""
        if self.relaid:
            yield MatrixLoaded(game_id)
        elif self.quotes or self.touched:
            yield PricesChanged(game_id, self.quotes, tuple(self.touched))
        if rows_wanted:
            kept, gone = self._rows(game_id), tuple([RowKey(game_id, *key) for key in self.removed])
            if kept or gone:
                yield RowsChanged(kept, gone)

    def _rows(self, game_id: str) -> tuple[RowKey, ...]:
        """Return the prices that changed, and one of each selection that is judged anew."""
        changed = [
            RowKey(game_id, market_type, period, selection, bookmaker)
            for (market_type, period, bookmaker), selections in self.quotes.items()
            for selection in selections
        ]
        if self.revalued or self.removed:
            cells = [cell for section in self.revalued for cell in section.a_cell_each()]
            keys = dict.fromkeys((*changed, *(RowKey(game_id, *cell) for cell in cells)))
            changed = [key for key in keys if key[1:] not in self.removed]
        return tuple(changed)
