"""The prices that the odds grid knows, taken from the board key by key."""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import RowKey, Section, SelectionRow
from oddsdesk.desk.grid.columns import BY_KEY, COLUMNS
from oddsdesk.desk.grid.entries import (
    NOWHERE,
    UNREMARKABLE,
    Comparison,
    Entry,
    GameSelectionKey,
    Judgements,
    PriceEntry,
    SelectionEntry,
    Shape,
    judge_moved,
    make_selection_entry,
)
from oddsdesk.desk.grid.filter import CompiledFilter

if TYPE_CHECKING:
    from oddsdesk.desk.grid.arrays import EntryArrays

SelectionKey = tuple[str, str, int, str]
"""What ``GameSelectionKey`` says."""
Marks = dict[SelectionKey, dict[str, None]]
"""Selections, and the bookmakers whose prices of each are to be taken."""


class GridBook:
    """Holds selections and their prices as last heard of, until they are taken again."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._selections: dict[SelectionKey, SelectionEntry] = {}
        self._moved_lines: dict[int, Section] = {}
        """Line groups of which a price was taken since ``note_lines``, by identity."""
        self._ordered: list[SelectionEntry] = []
        self._is_ordered = True
        self.selection_rows = Entries()
        """Every selection by number."""
        self.price_rows = Entries(self.selection_rows)
        """Every price by number."""
        self._comparison = Comparison(board, self.price_rows.judged)

    def selections(self) -> list[SelectionEntry]:
        """Return every selection in the field's order; not to be changed."""
        if not self._is_ordered:
            self._ordered = sorted(self._selections.values(), key=_order)
            self._is_ordered = True
        return self._ordered

    def held_selection(self, key: SelectionKey) -> SelectionEntry | None:
        return self._selections.get(key)

    def take_prices(
        self, marks: Mapping[SelectionKey, Iterable[str]]
    ) -> tuple[list[PriceEntry], list[SelectionEntry]]:
        """Take prices as the board has them now.

        Returns those that differ or are judged otherwise, and the selections whose figures may be
        others.
        """
        changed, refreshed = list[PriceEntry](), list[SelectionEntry]()
        for of, bookmakers in marks.items():
            row, section = self._board.row_and_section(*of)
            entries = self._take(of, row, section, bookmakers)
            if not entries:
                continue
            selection = entries[0].selection
            refreshed.append(selection)
            changed += entries
            if row is None or not selection.prices:
                continue
            self._show_game(selection)
            if section is not None:
                self._moved_lines[id(section)] = section
                if judge_moved(selection, section, row, entries):
                    changed += selection.prices.values()
        return changed, refreshed

    def note_lines(self, *, are_read: bool = True) -> None:
        """Mark everything in the line groups of moved prices as possibly changed.

        ``are_read``: whether the figures of those groups were read, and must be read again.
        """
        for section in self._moved_lines.values() if are_read else ():
            market = section.market.game_id, *section.key[:2]
            for row in section.rows:
                held = self._selections.get((*market, row.selection))
                if held is not None:
                    self.selection_rows.note_change(held)
        self._moved_lines = {}

    def compare(self, names: frozenset[str] | None) -> None:
        """Form best, median and spread over these bookmakers; None is all of them."""
        if names != self._comparison.names:
            self._comparison.names = names
            for selection in self._selections.values():
                selection.worked_out = None
                self.selection_rows.note_change(selection)

    def drop_prices(self) -> None:
        """Drop everything."""
        for selection in self._selections.values():
            selection.prices.clear()
        self._selections.clear()
        self._moved_lines.clear()
        self.price_rows.drop_entries()
        self.selection_rows.drop_entries()
        self._ordered = []

    def show_games(self) -> list[SelectionEntry]:
        """Take kick-offs, and who is in play, from the board's list; return what differs."""
        return [selection for selection in self._selections.values() if self._show_game(selection)]

    def _take(
        self,
        of: SelectionKey,
        row: SelectionRow | None,
        section: Section | None,
        bookmakers: Iterable[str],
    ) -> list[PriceEntry]:
        """Take prices of a selection; return those that are held, or were."""
        selection = self._selections.get(of)
        if selection is None and row is not None and any(map(row.prices.get, bookmakers)):
            selection = self._add(GameSelectionKey(*of), section)
        if selection is None:
            return []
        held, taken = selection.prices, list[PriceEntry]()
        offered = {} if row is None else row.prices
        for bookmaker in bookmakers:
            price, entry = offered.get(bookmaker), held.get(bookmaker)
            if price is not None:
                if entry is None:
                    entry = held[bookmaker] = PriceEntry(selection, bookmaker, price)
                    self.price_rows.add_entry(entry)
                entry.price = price
                taken.append(entry)
            elif entry is not None:
                del held[bookmaker]
                self.price_rows.drop_entry(entry)
                taken.append(entry)
        if not held:  # not before: others may have come as the last ones went
            self._drop(selection)
        return taken

    def _add(self, key: GameSelectionKey, section: Section | None) -> SelectionEntry | None:
        matrix = self._board.matrix(key.game_id)
        if matrix is None or section is None:
            return None
        selection = self._selections[key] = make_selection_entry(
            self._comparison, key, matrix, section
        )
        self.selection_rows.add_entry(selection)
        self._is_ordered = False
        return selection

    def _drop(self, selection: SelectionEntry) -> None:
        selection.section = selection.worked_out = None
        del self._selections[selection.key]
        self.selection_rows.drop_entry(selection)
        self._is_ordered = False

    def _show_game(self, selection: SelectionEntry) -> bool:
        """Take what the list of games says, as the navigator does; whether that is news."""
        game_id = selection.key.game_id
        game = self._board.games.get(game_id) or self._board.matrix(game_id)
        if game is None or (
            game.kick_off == selection.kick_off and game.is_live == selection.is_live
        ):
            return False
        selection.kick_off, selection.is_live = game.kick_off, game.is_live
        self.selection_rows.note_change(selection)
        return True


def mark(marks: Marks, keys: Iterable[RowKey]) -> None:
    """Have prices be among those that are to be taken."""
    for key in keys:
        of = key[:4]
        if (bookmakers := marks.get(of)) is None:
            marks[of] = {key[4]: None}
        else:
            bookmakers[key[4]] = None


def _order(selection: SelectionEntry) -> tuple[object, ...]:
    return selection.order


if TYPE_CHECKING:
    Numbers = array[int]
else:  # it takes no parameter before Python 3.12
    Numbers = array

AWAY = -1
"""The place of an entry that is not among the rows."""
FOLDED = -2
"""The place of an entry whose game is folded."""


class Entries:
    """Rows of one shape; the number of one that left is given again. Notes which moved, and when.

    A reading of the arrays counts ``now`` on: what moved since another reading is known by it.
    """

    def __init__(self, selections: "Entries | None" = None) -> None:
        """Hold none; ``selections``: those that prices are of, None where these are selections."""
        self.selections = self if selections is None else selections
        self.held: list[Entry | None] = []
        """By number; None where that is to be given."""
        self.of = array("i")
        """The number of each one's selection."""
        self.moved_at = array("i")
        self.judged = Judgements()
        """Of prices: what each is worth."""
        self.now = 1
        """Of selections: counts readings, those of their prices, too."""
        self.left: list[int] = []
        """Who left, and may be shown yet."""
        self.free: list[int] = []

    def __len__(self) -> int:
        """Return the first number that was never given."""
        return len(self.held)

    def __getitem__(self, number: int) -> Entry:
        found = self.held[number]
        assert found is not None, "an entry that left, and no row shows"
        return found

    @property
    def count_present(self) -> int:
        """How many there are, those that left not counted."""
        return len(self.held) - len(self.left) - len(self.free)

    def add_entry(self, entry: Entry) -> None:
        """Give an entry a number, once its selection has one."""
        if self.free:
            entry.number = self.free.pop()
            self.held[entry.number] = entry
        else:
            entry.number = len(self.held)
            self.held.append(entry)
            self.of.append(0)
            self.moved_at.append(0)
            self.judged.make_room()
        self.judged.note_worth(entry.number, None, UNREMARKABLE)
        self.of[entry.number] = entry.selection.number
        self.note_change(entry)

    def note_change(self, entry: Entry) -> None:
        """Note that an entry is another now; of a selection, that all of its prices are."""
        self.moved_at[entry.number] = self.selections.now

    def drop_entry(self, entry: Entry) -> None:
        """Drop an entry; ``free_numbers`` gives its number on once no row shows it."""
        self.left.append(entry.number)

    def free_numbers(self, shown: Iterable[int]) -> None:
        """Let the numbers of those that left be given again, but for those that rows show."""
        kept = set(self.left).intersection(shown)
        for number in set(self.left) - kept:
            self[number].number = NOWHERE
            self.held[number] = None
            self.free.append(number)
        self.left = list(kept)

    def drop_entries(self) -> None:
        """Drop everything but the assessments, which an export may still be reading."""
        for one in (self.held, self.of, self.moved_at, self.left, self.free):
            del one[:]


class GameGroup(msgspec.Struct, eq=False):
    """A game's title row, and the rows below it."""

    game_id: str
    numbers: Numbers
    of: Entries
    is_folded: bool = False
    place: int = AWAY

    @property
    def first(self) -> SelectionEntry:
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
        number = self._rows[place]
        return self.groups[~number] if number < 0 else self._of[number]

    @property
    def arranged_count(self) -> int:
        """How many entries are arranged, folded ones too."""
        return len(self._order)

    @property
    def reads_columns(self) -> bool:
        """Whether arrays hold the entries' texts as well as their figures."""
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
            self._order = self._its_arrays().sorted_numbers(self._order, selections, compiled, keys)
        self._group()
        self._put()
        for entries in self._entries.values():
            entries.free_numbers(self._order if entries is of else ())

    def fold_games(self, groups: Iterable[GameGroup], *, folded: bool) -> None:
        """Hide or show the rows of games; the others keep their order."""
        for group in groups:
            group.is_folded = folded
            (self._folded.add if folded else self._folded.discard)(group.game_id)
        self._put()

    def drop_rows(self) -> None:
        """Drop every row and all that is known of it."""
        self._order, self._rows, self._places = array("i"), array("i"), array("i")
        self._arrays.clear()
        self.groups = []
        self._forget_moves()

    def note_moved(self, entries: Iterable[Entry]) -> None:
        """Note that entries are others now: they may have to stand elsewhere."""
        self._moved.extend([entry.number for entry in entries])

    def misplaced(self, compiled: CompiledFilter) -> int:
        """Return how many entries would move, appear or leave in a new sort.

        Entries that moved since the last call are compared with their present neighbours.
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
