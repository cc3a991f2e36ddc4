"""The rows of the odds grid in order: they keep their place until they are arranged anew."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from oddsdesk.desk.grid.columns import BY_KEY, COLUMNS
from oddsdesk.desk.grid.entries import Entry, SelectionEntry, Shape
from oddsdesk.desk.grid.filter import CompiledFilter
from oddsdesk.desk.grid.numbered import AWAY, Entries, Numbers

if TYPE_CHECKING:
    from oddsdesk.desk.grid.arrays import EntryArrays


class GameGroup(msgspec.Struct, eq=False):
    """A game's title row, and the rows below it."""

    game_id: str
    numbers: Numbers
    of: Entries
    is_folded: bool = False
    place: int = AWAY

    @property
    def first(self) -> SelectionEntry:
        """The selection of the first row."""
        return self.of[self.numbers[0]].selection

    @property
    def entries(self) -> Sequence[Entry]:
        """What stands below the title, folded or not."""
        return [self.of[number] for number in self.numbers]


GridRow = Entry | GameGroup


class Arrangement:
    """Puts entries in order, by game if wished, and knows which would move if it did again."""

    def __init__(self, selections: Entries, prices: Entries) -> None:
        self._entries = {Shape.SELECTIONS: selections, Shape.PRICES: prices}
        self._of = prices
        """What is arranged; the shape may be another already."""
        self._arrays: dict[Shape, EntryArrays] = {}
        """By shape, from when there is something to arrange."""
        self.shape = Shape.PRICES
        self.is_grouped = False
        self.second: tuple[int, bool] | None = None
        """What rows that are equal are sorted by: a column, and whether descending."""
        self._second_key: Callable[[Entry], Any] = lambda _: None
        self.sort_by(BY_KEY["ev_pct"], descending=True)
        self._misplaced = bytearray()
        """By number 1 for those that would move, come or go."""
        self._moved = array("i")
        """Those of entries of which is yet to be seen whether they are misplaced."""
        self._order = array("i")
        """What is arranged, folded rows too, whatever their game."""
        self._rows = array("i")
        """By place: the number of an entry, or below zero that of a game as ``~number``."""
        self._places = array("i")
        """The place of each entry."""
        self.groups: list[GameGroup] = []
        """The games, in order; none unless grouped."""
        self._folded: set[str] = set()

    def sort_by(
        self, column: int, *, descending: bool, second: tuple[int, bool] | None = None
    ) -> None:
        """Have the next arrangement sorted by a column; equal rows by ``second``, if given.

        That is a column, and whether descending.
        """
        self.column, self.descending = column, descending
        self.second = None if second is None or second[0] == column else second
        if self.second is not None:
            self._second_key = COLUMNS[self.second[0]].sort_key(descending=self.second[1])
        self._key: Callable[[Entry], Any] = COLUMNS[column].sort_key(descending=descending)

    # What is arranged

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self._rows)

    def __getitem__(self, place: int) -> GridRow:
        """Return what a row shows."""
        number = self._rows[place]
        return self.groups[~number] if number < 0 else self._of[number]

    @property
    def count(self) -> int:
        """How many entries are arranged, folded ones too."""
        return len(self._order)

    @property
    def reads_columns(self) -> bool:
        """Whether there is an array of what entries say, beside what they are worth."""
        return any(arrays.has_columns for arrays in self._arrays.values())

    def entries(self) -> list[Entry]:
        """Return what is arranged, in order, folded rows too."""
        orders = [group.numbers for group in self.groups] or [self._order]
        return [self._of[number] for order in orders for number in order]

    def place_of(self, row: GridRow) -> int:
        """Return where a row stands; below zero: ``AWAY`` or ``FOLDED``."""
        if isinstance(row, GameGroup):
            return row.place
        return self._places[row.number] if 0 <= row.number < len(self._places) else AWAY

    # How it is arranged

    def arrange(self, selections: Sequence[SelectionEntry], compiled: CompiledFilter) -> None:
        """Take what the filter keeps, in order; equal rows stay as they stood to each other.

        Rows that are new come last among equal ones, in the order of ``selections``, which are
        all that there are.
        """
        of = self._entries[self.shape]
        if of is not self._of:
            self._of, self._order = of, array("i")
        self._forget_moves()
        if len(of):
            keys = reversed(self._keys())
            self._order = self._its_arrays().order(self._order, selections, compiled, keys)
        self._group()
        self._put()
        for entries in self._entries.values():
            entries.forget(self._order if entries is of else ())

    def fold(self, groups: Iterable[GameGroup], *, folded: bool) -> None:
        """Hide or show the rows of games; the others keep their order."""
        for group in groups:
            group.is_folded = folded
            (self._folded.add if folded else self._folded.discard)(group.game_id)
        self._put()

    def clear(self) -> None:
        """Let go of every row, and of what is known of them."""
        self._order, self._rows, self._places = array("i"), array("i"), array("i")
        self._arrays.clear()
        self.groups = []
        self._forget_moves()

    def note_moved(self, entries: Iterable[Entry]) -> None:
        """Note that entries are others now: they may have to stand elsewhere."""
        self._moved.extend([entry.number for entry in entries])

    def misplaced(self, compiled: CompiledFilter) -> int:
        """Return how many entries would move, come or go if all were arranged anew.

        What moved since this was asked last is compared with its neighbours as they are now.
        """
        if moved := self._moved:
            self._moved = array("i")
            self._misplaced.extend(bytes(len(self._of) - len(self._misplaced)))
            if self._order:
                arrays, keys = self._its_arrays(), self._keys()
                arrays.mark_astray(self._misplaced, moved, self._rows, self._places, compiled, keys)
            else:
                left = set(self._of.left)
                for number in set(moved):
                    comes = number not in left and compiled.keeps(self._of[number])
                    self._misplaced[number] = comes
        return self._misplaced.count(1)

    def _forget_moves(self) -> None:
        self._moved = array("i")
        self._misplaced.clear()

    def _keys(self) -> list[tuple[Callable[[Entry], Any], bool]]:
        """What rows are sorted by, the weightiest first, each with whether it is descending."""
        keys = [(self._key, self.descending)]
        if self.second is not None:
            keys.append((self._second_key, self.second[1]))
        return keys

    def _its_arrays(self) -> "EntryArrays":
        """The arrays of what is arranged."""
        from oddsdesk.desk.grid.arrays import EntryArrays  # noqa: PLC0415 - 0.1 s starts save

        if self.shape not in self._arrays:
            self._arrays[self.shape] = EntryArrays(self._of)
        return self._arrays[self.shape]

    def _group(self) -> None:
        """Put rows below their games, which stand as the first of their rows do."""
        before = {group.game_id: group for group in self.groups}
        for group in self.groups:
            group.place = AWAY
        self.groups = []
        if not self.is_grouped or not self._order:
            return
        for game, numbers in self._its_arrays().by_game(self._order):
            group = before.get(game) or GameGroup(game, numbers, self._of, game in self._folded)
            group.numbers, group.of = numbers, self._of
            self.groups.append(group)

    def _put(self) -> None:
        """Lay the rows out: each knows its place."""
        self._rows = self._order
        if self.groups:
            self._rows = array("i")
            for number, group in enumerate(self.groups):
                group.place = len(self._rows)
                self._rows.append(~number)
                if not group.is_folded:
                    self._rows.extend(group.numbers)
        self._places = array("i")
        if self._order:
            self._places = self._its_arrays().places(self._rows, self._order)
