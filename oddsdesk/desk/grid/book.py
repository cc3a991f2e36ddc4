"""The prices that the odds grid knows, taken from the board key by key."""

from collections.abc import Iterable, Mapping

from oddsdesk.board.board import Board
from oddsdesk.board.matrix import RowKey, Section, SelectionRow
from oddsdesk.desk.grid.entries import (
    Comparison,
    GameSelectionKey,
    PriceEntry,
    SelectionEntry,
    make_selection_entry,
    refresh,
)
from oddsdesk.desk.grid.numbered import Entries

SelectionKey = tuple[str, str, int, str]
"""What ``GameSelectionKey`` says."""
Marks = dict[SelectionKey, dict[str | None, None]]
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

    def selection(self, key: SelectionKey) -> SelectionEntry | None:
        """Return a selection, None where it is not held."""
        return self._selections.get(key)

    def take(
        self, marks: Mapping[SelectionKey, Iterable[str | None]]
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
                if refresh(selection, section, row, entries):
                    changed += selection.prices.values()
        return changed, refreshed

    def note_lines(self, *, are_read: bool = True) -> None:
        """Note of all that shares a line group with what was taken that it may be another now.

        ``are_read``: whether anybody has read what a line group says, which is to be read anew.
        """
        for section in self._moved_lines.values() if are_read else ():
            market = section.market.game_id, *section.key[:2]
            for row in section.rows:
                held = self._selections.get((*market, row.selection))
                if held is not None:
                    self.selection_rows.note(held)
        self._moved_lines = {}

    def compare(self, names: frozenset[str] | None) -> None:
        """Form best, median and spread over these bookmakers; None is all of them."""
        if names != self._comparison.names:
            self._comparison.names = names
            for selection in self._selections.values():
                selection.worked_out = None
                self.selection_rows.note(selection)

    def clear(self) -> None:
        """Let go of everything."""
        for selection in self._selections.values():
            selection.prices.clear()
        self._selections.clear()
        self._moved_lines.clear()
        self.price_rows.clear()
        self.selection_rows.clear()
        self._ordered = []

    def show_games(self) -> list[SelectionEntry]:
        """Take kick-offs, and who is in play, from the board's list; return what differs."""
        return [selection for selection in self._selections.values() if self._show_game(selection)]

    def _take(
        self,
        of: SelectionKey,
        row: SelectionRow | None,
        section: Section | None,
        bookmakers: Iterable[str | None],
    ) -> list[PriceEntry]:
        """Take prices of a selection; return those that are held, or were."""
        selection = self._selections.get(of)
        if selection is None and row is not None and any(map(row.price_of, bookmakers)):
            selection = self._add(GameSelectionKey(*of), section)
        if selection is None:
            return []
        held, taken = selection.prices, list[PriceEntry]()
        offered = {} if row is None else row.prices
        for bookmaker in bookmakers:
            if bookmaker is None:
                price = None if row is None else row.reference
            else:
                price = offered.get(bookmaker)
            entry = held.get(bookmaker)
            if price is not None:
                if entry is None:
                    entry = held[bookmaker] = PriceEntry(selection, bookmaker, price)
                    self.price_rows.add(entry)
                entry.price = price
                taken.append(entry)
            elif entry is not None:
                del held[bookmaker]
                self.price_rows.leave(entry)
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
        self.selection_rows.add(selection)
        self._is_ordered = False
        return selection

    def _drop(self, selection: SelectionEntry) -> None:
        selection.section = selection.worked_out = None
        del self._selections[selection.key]
        self.selection_rows.leave(selection)
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
        self.selection_rows.note(selection)
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
