"""What happened to a game's prices, collected until subscribers are notified."""

from collections.abc import Iterator

import msgspec

from oddsdesk.board.matrix import CellKey, RowKey, Section, SectionKey
from oddsdesk.board.notices import MatrixLoaded, PricesChanged, RowsChanged
from oddsdesk.board.price_history import Move


class Changes(msgspec.Struct):
    """What happened to a game since subscribers were last notified of it."""

    cells: dict[CellKey, None] = msgspec.field(default_factory=dict)
    """Prices that are new, moved, were seen again or withdrawn, in order."""
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

    def rename(self, key: CellKey, *, is_there: bool) -> None:
        """Note that another price is under a key now, or none."""
        came, went = (self.cells, self.removed) if is_there else (self.removed, self.cells)
        went.pop(key, None)
        came[key] = None

    def absorb(self, later: "Changes") -> None:
        """Take in what happened afterwards."""
        self.cells |= later.cells
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
        elif self.cells or self.touched:
            yield PricesChanged(game_id, tuple(self.cells), tuple(self.touched))
        if rows_wanted:
            changed = dict(self.cells)
            for section in self.revalued:
                changed |= dict.fromkeys(section.a_cell_each())
            gone = tuple([RowKey(game_id, *key) for key in self.removed])
            kept = tuple([RowKey(game_id, *key) for key in changed if key not in self.removed])
            if kept or gone:
                yield RowsChanged(kept, gone)
