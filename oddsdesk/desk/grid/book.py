"""The prices that the odds grid knows, taken from the board key by key."""

from collections.abc import Iterable, Iterator, Set

from oddsdesk.board.board import Board
from oddsdesk.board.matrix import CellKey, RowKey
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
        self._selections: dict[tuple[str, str, int, str], SelectionEntry] = {}
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
        changed: list[PriceEntry] = []
        by_selection: dict[SelectionEntry, list[PriceEntry]] = {}
        for key in keys:
            entry = self._take(key)
            if entry is not None:
                changed.append(entry)
                by_selection.setdefault(entry.selection, []).append(entry)
        for selection, entries in by_selection.items():
            if self._refresh(selection, entries):
                changed += selection.prices.values()
            for other in self._of_line(selection):
                self.selection_rows.note(other)
        return changed, by_selection.keys()

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

    def keys(self) -> Iterator[RowKey]:
        """Yield the key of every price held."""
        for selection in self._selections.values():
            for bookmaker in selection.prices:
                yield RowKey(*selection.key, bookmaker)

    def _take(self, key: RowKey) -> PriceEntry | None:
        bookmaker = key.bookmaker
        selection = self._selections.get(key[:4])
        price = self._board.price(key.game_id, CellKey(*key[1:]))
        if price is None:
            return None if selection is None else self._drop(selection, bookmaker)
        if selection is None:
            selection = self._add(key)
            if selection is None:
                return None
        entry = selection.prices.get(bookmaker)
        if entry is None:
            entry = selection.prices[bookmaker] = PriceEntry(
                selection, bookmaker, bookmaker or "", price
            )
            self.price_rows.add(entry)
        if bookmaker is None:
            entry.name = self._board.reference or UNNAMED_REFERENCE
        entry.show(price)
        self.price_rows.note(entry)
        return entry

    def _add(self, key: RowKey) -> SelectionEntry | None:
        matrix = self._board.matrix(key.game_id)
        section = self._board.section(*key[:4])
        if matrix is None or section is None:
            return None
        selection = self._selections[key[:4]] = make_selection_entry(key, matrix, section)
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
            held = self._selections.get((*selection.key[:3], row.selection))
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


def _order(selection: SelectionEntry) -> tuple[object, ...]:
    return selection.order
