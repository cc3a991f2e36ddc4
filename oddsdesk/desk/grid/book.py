"""The prices that the odds grid knows, taken from the board key by key."""

from collections.abc import Iterable, Iterator

from oddsdesk.board.board import Board
from oddsdesk.board.matrix import CellKey, RowKey
from oddsdesk.board.rows import UNNAMED_REFERENCE
from oddsdesk.desk.grid.entries import (
    Figures,
    Line,
    LineKey,
    PriceEntry,
    make_line,
    refresh,
)


class GridBook:
    """Holds lines and their prices; what it was told of last stays when the board forgets."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._lines: dict[tuple[str, str, int, str], Line] = {}
        self._ordered: list[Line] = []
        self._is_ordered = True
        self.compared: frozenset[str] | None = None
        """The bookmakers that best, median and spread are over; None is all of them."""
        self.price_count = 0

    @property
    def line_count(self) -> int:
        """How many selections are held."""
        return len(self._lines)

    def lines(self) -> list[Line]:
        """Return every line in the field's order; not to be changed."""
        if not self._is_ordered:
            self._ordered = sorted(self._lines.values(), key=_order)
            self._is_ordered = True
        return self._ordered

    def line(self, key: LineKey) -> Line | None:
        """Return a line."""
        return self._lines.get(key)

    def take(self, keys: Iterable[RowKey]) -> tuple[list[PriceEntry], set[Line]]:
        """Take prices as the board has them now.

        Returns those that differ or are judged otherwise, and the lines whose figures were
        worked out anew: theirs, and the others of a line group whose best hold is another.
        """
        changed: list[PriceEntry] = []
        by_line: dict[Line, list[PriceEntry]] = {}
        for key in keys:
            entry = self._take(key)
            if entry is not None:
                changed.append(entry)
                by_line.setdefault(entry.line, []).append(entry)
        lines = set(by_line)
        for line, entries in by_line.items():
            before = line.figures.best_hold
            if self._refresh(line, entries):
                changed += line.prices.values()
            if line.figures.best_hold != before:
                lines.update(self._beside(line))
        for line in lines - by_line.keys():
            self._refresh(line, ())
        return changed, lines

    def compare(self, names: frozenset[str] | None) -> None:
        """Form best, median and spread over these bookmakers; None is all of them."""
        if names != self.compared:
            self.compared = names
            for line in self._lines.values():
                self._refresh(line, line.prices.values())

    def clear(self) -> None:
        """Let go of everything."""
        for line in self._lines.values():
            line.prices.clear()
            line.best_entry = None
        self._lines.clear()
        self._ordered, self.price_count = [], 0

    def show_games(self) -> list[Line]:
        """Take kick-offs, and who is in play, from the board's list; return what differs."""
        return [line for line in self._lines.values() if self._show_game(line)]

    def keys(self) -> Iterator[RowKey]:
        """Yield the key of every price held."""
        for line in self._lines.values():
            for bookmaker in line.prices:
                yield RowKey(*line.key, bookmaker)

    def _take(self, key: RowKey) -> PriceEntry | None:
        bookmaker = key.bookmaker
        line = self._lines.get(key[:4])
        price = self._board.price(key.game_id, CellKey(*key[1:]))
        if price is None:
            return None if line is None else self._drop(line, bookmaker)
        if line is None:
            line = self._add(key)
            if line is None:
                return None
        entry = line.prices.get(bookmaker)
        if entry is None:
            entry = line.prices[bookmaker] = PriceEntry(line, bookmaker, bookmaker or "", price)
            self.price_count += 1
        if bookmaker is None:
            entry.name = self._board.reference or UNNAMED_REFERENCE
        entry.show(price)
        return entry

    def _add(self, key: RowKey) -> Line | None:
        matrix = self._board.matrix(key.game_id)
        section = self._board.section(*key[:4])
        if matrix is None or section is None:
            return None
        line = self._lines[key[:4]] = make_line(key, matrix, section)
        self._is_ordered = False
        return line

    def _drop(self, line: Line, bookmaker: str | None) -> PriceEntry | None:
        entry = line.prices.pop(bookmaker, None)
        if entry is None:
            return None
        entry.is_held = False
        self.price_count -= 1
        if not line.prices:
            line.figures, line.best_entry = Figures(), None
            del self._lines[line.key]
            self._is_ordered = False
        return entry

    def _beside(self, line: Line) -> Iterator[Line]:
        """Yield the lines of a line's group that are held, itself too."""
        section = self._board.section(*line.key)
        for other in () if section is None else section.rows:
            held = self._lines.get((*line.key[:3], other.selection))
            if held is not None:
                yield held

    def _refresh(self, line: Line, moved: Iterable[PriceEntry]) -> bool:
        self._show_game(line)
        section = self._board.section(*line.key)
        return section is not None and refresh(line, section, self.compared, moved)

    def _show_game(self, line: Line) -> bool:
        """Take what the list of games says, as the navigator does; whether that is news."""
        game_id = line.key.game_id
        game = self._board.games.get(game_id) or self._board.matrix(game_id)
        if game is None or (game.kick_off, game.is_live) == (line.kick_off, line.is_live):
            return False
        line.kick_off, line.is_live = game.kick_off, game.is_live
        return True


def _order(line: Line) -> tuple[object, ...]:
    return line.order
