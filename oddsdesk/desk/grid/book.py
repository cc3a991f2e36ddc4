"""The prices that the odds grid knows, taken from the board key by key."""

from collections.abc import Iterable, Iterator, Set

from oddsdesk.board.board import Board
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.prices import Price
from oddsdesk.board.rows import UNNAMED_REFERENCE
from oddsdesk.desk.grid.entries import (
    Figures,
    GameSelectionKey,
    PriceEntry,
    SelectionEntry,
    make_selection_entry,
    refresh,
)
from oddsdesk.desk.grid.numbered import Entries


class GridBook:
    """Holds selections and their prices as last heard of; what the board forgets stays here."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._selections: dict[GameSelectionKey, SelectionEntry] = {}
        self._ordered: list[SelectionEntry] = []
        self._is_ordered = True
        self.compared: frozenset[str] | None = None
        """The bookmakers that best, median and spread are over; None is all of them."""
        self.selection_rows = Entries()
        """Every selection by number."""
        self.price_rows = Entries(self.selection_rows)
        """Every price by number."""

    def selections(self) -> list[SelectionEntry]:
        """Return every selection in the field's order; not to be changed."""
        if not self._is_ordered:
            self._ordered = sorted(self._selections.values(), key=_order)
            self._is_ordered = True
        return self._ordered

    def selection(self, key: GameSelectionKey) -> SelectionEntry | None:
        """Return a selection, None where it is not held."""
        return self._selections.get(key)

    def take(self, keys: Iterable[RowKey]) -> tuple[list[PriceEntry], Set[SelectionEntry]]:
        """Take prices as the board has them now.

        Returns those that differ or are judged otherwise, and the selections whose figures were
        worked out anew.
        """
        by_selection: dict[GameSelectionKey, list[str | None]] = {}
        for key in keys:
            by_selection.setdefault(GameSelectionKey(*key[:4]), []).append(key.bookmaker)
        changed: list[PriceEntry] = []
        refreshed: dict[SelectionEntry, None] = {}
        for of, bookmakers in by_selection.items():
            if not (entries := self._take(of, bookmakers)):
                continue
            changed += entries
            selection = entries[0].selection
            refreshed[selection] = None
            if self._refresh(selection, entries):
                changed += selection.prices.values()
            for other in self._of_line(selection):
                self.selection_rows.note(other)
        return changed, refreshed.keys()

    def compare(self, names: frozenset[str] | None) -> None:
        """Form best, median and spread over these bookmakers; None is all of them."""
        if names != self.compared:
            self.compared = names
            for selection in self._selections.values():
                self._refresh(selection, selection.prices.values())
                self.selection_rows.note(selection)

    def clear(self) -> None:
        """Let go of everything."""
        for selection in self._selections.values():
            selection.prices.clear()
            selection.best_entry = None
        self._selections.clear()
        self.price_rows.clear()
        self.selection_rows.clear()
        self._ordered = []

    def show_games(self) -> list[SelectionEntry]:
        """Take kick-offs, and who is in play, from the board's list; return what differs."""
        return [selection for selection in self._selections.values() if self._show_game(selection)]

    def _take(self, of: GameSelectionKey, bookmakers: Iterable[str | None]) -> list[PriceEntry]:
        """Take prices of a selection; return those that are held, or were."""
        row, taken = self._board.row(*of), list[PriceEntry]()
        for bookmaker in bookmakers:
            selection = self._selections.get(of)
            price = None if row is None else row.price_of(bookmaker)
            if price is not None:
                selection = selection or self._add(of)
            if selection is None:
                continue
            if price is not None:
                taken.append(self._show(selection, bookmaker, price))
            elif (gone := self._drop(selection, bookmaker)) is not None:
                taken.append(gone)
        return taken

    def _show(self, selection: SelectionEntry, bookmaker: str | None, price: Price) -> PriceEntry:
        entry = selection.prices.get(bookmaker)
        if entry is None:
            entry = PriceEntry(selection, bookmaker, bookmaker or "", price)
            selection.prices[bookmaker] = entry
            self.price_rows.add(entry)
        else:
            entry.price = price
            self.price_rows.note(entry)
        if bookmaker is None:
            entry.name = self._board.reference or UNNAMED_REFERENCE
        return entry

    def _add(self, key: GameSelectionKey) -> SelectionEntry | None:
        matrix = self._board.matrix(key.game_id)
        section = self._board.section(*key)
        if matrix is None or section is None:
            return None
        selection = self._selections[key] = make_selection_entry(key, matrix, section)
        self.selection_rows.add(selection)
        self._is_ordered = False
        return selection

    def _drop(self, selection: SelectionEntry, bookmaker: str | None) -> PriceEntry | None:
        entry = selection.prices.pop(bookmaker, None)
        if entry is None:
            return None
        entry.is_held = False
        self.price_rows.leave(entry)
        if not selection.prices:
            selection.figures, selection.best_entry = Figures(), None
            del self._selections[selection.key]
            self.selection_rows.leave(selection)
            self._is_ordered = False
        return entry

    def _of_line(self, selection: SelectionEntry) -> Iterator[SelectionEntry]:
        """Yield what shares a line group with a selection, itself too."""
        section = self._board.section(*selection.key)
        for row in () if section is None else section.rows:
            held = self._selections.get(GameSelectionKey(*selection.key[:3], row.selection))
            if held is not None:
                yield held

    def _refresh(self, selection: SelectionEntry, moved: Iterable[PriceEntry]) -> bool:
        self._show_game(selection)
        section = self._board.section(*selection.key)
        return section is not None and refresh(
            selection, section, self._board, self.compared, moved
        )

    def _show_game(self, selection: SelectionEntry) -> bool:
        """Take what the list of games says, as the navigator does; whether that is news."""
        game_id = selection.key.game_id
        game = self._board.games.get(game_id) or self._board.matrix(game_id)
        if game is None or (game.kick_off, game.is_live) == (selection.kick_off, selection.is_live):
            return False
        selection.kick_off, selection.is_live = game.kick_off, game.is_live
        self.selection_rows.note(selection)
        return True


def keys_of(selection: SelectionEntry) -> list[RowKey]:
    """Return the key of every price that is held of a selection."""
    return [RowKey(*selection.key, bookmaker) for bookmaker in selection.prices]


def _order(selection: SelectionEntry) -> tuple[object, ...]:
    return selection.order
