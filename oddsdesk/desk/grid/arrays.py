"""What the odds grid filters, sorts and groups rows by, in arrays: one figure a row, by number."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from oddsdesk.desk.grid.book import AWAY, FOLDED, Entries, Numbers
from oddsdesk.desk.grid.entries import RANK, Entry, SelectionEntry
from oddsdesk.desk.grid.filter import CompiledFilter, Range

Vector = NDArray[np.int64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]
Figures = NDArray[np.float64]
KeyOf = Callable[[Any], Any]

_UNKNOWN: Final = -1
_ROOM: Final = 1_000
"""Texts that may be known beyond twice as many as there are rows."""


class EntryArrays:
    """Arrays of the entries of one shape; moved entries are read again on access."""

    def __init__(self, entries: Entries) -> None:
        self.entries = entries
        self._columns: dict[KeyOf, _Column] = {}

    @property
    def has_columns(self) -> bool:
        """Whether some figures or texts were read of entries."""
        return bool(self._columns)

    def present_numbers(self) -> Mask:
        """Return which numbers there is an entry for that has not left."""
        held = np.ones(len(self.entries), bool)
        held[self.entries.left] = False
        held[self.entries.free] = False
        return held

    def figures(self, key: KeyOf) -> Figures:
        """Return for each entry the figure by a key, or the rank of its text; not a number: none.

        Not to be changed.
        """
        if self._has_ranks(key):
            return np.array(self.entries.judged.ranks)
        entries, column = self.entries, self._columns.get(key)
        if column is None or len(column.known) > 2 * len(entries) + _ROOM:
            column = self._columns[key] = _Column(key)
        changed = self._changed_since(column.read_at, len(column))
        column.read_at = entries.selections.now
        entries.selections.now += 1
        return column.read_column(changed, entries.held)

    def texts(self, key: Callable[[Entry], str]) -> tuple[Codes, list[str]]:
        """Return each entry's index in the list of texts; the last one if it left."""
        self.figures(key)
        column = self._columns[key]
        return column.codes, [*column.known, ""]

    def of_selections(self, test: Callable[[SelectionEntry], bool]) -> Mask:
        """Return for each entry whether its selection passes a test."""
        held = self.entries.selections.held
        passed = [one is not None and test(one.selection) for one in held]
        return self._of_all(np.array(passed, bool))

    def sorted_numbers(
        self,
        before: Numbers,
        selections: Sequence[SelectionEntry],
        compiled: CompiledFilter,
        keys: Iterable[tuple[KeyOf, bool]],
    ) -> Numbers:
        """Return the numbers that a filter keeps, sorted by one key after the other.

        With each key stands whether it is sorted by descending; None stands last either way. Equal
        ones stand as ``before``, new ones behind, in the order of ``selections``, which are all.
        """
        shown, stood = kept(self, compiled), np.array(before, np.int64)
        stayed = stood[shown[stood]]
        shown[stayed] = False
        numbers = np.concatenate((stayed, self._by_field(np.flatnonzero(shown), selections)))
        for key, descending in keys:
            figures = self.figures(key)[numbers]
            numbers = numbers[np.argsort(-figures if descending else figures, kind="stable")]
        return _plain(numbers)

    def by_game(self, order: Numbers) -> list[tuple[str, Numbers]]:
        """Return the games of some rows, as the first row of each stands, and its rows in order."""
        numbers = np.array(order, np.int64)
        codes, games = self.texts(_game_of)
        mine = codes[numbers]
        _, firsts, of_game = np.unique(mine, return_index=True, return_inverse=True)
        below = numbers[np.argsort(firsts[of_game], kind="stable")]
        ends = np.cumsum(np.bincount(of_game)[np.argsort(firsts)])
        names = [games[code] for code in mine[np.sort(firsts)]]
        rows = map(_plain, np.split(below, ends[:-1]))
        return list(zip(names, rows, strict=True))

    def places(self, rows: Numbers, order: Numbers) -> Numbers:
        """Return where each entry stands among rows; titles are below zero there."""
        shown = np.array(rows, np.int64)
        places = np.full(len(self.entries), AWAY)
        places[np.array(order, np.int64)] = FOLDED
        of_entries = np.flatnonzero(shown >= 0)
        places[shown[of_entries]] = of_entries
        return _plain(places)

    def mark_astray(
        self,
        marks: bytearray,
        moved: Numbers,
        rows: Numbers,
        places: Numbers,
        compiled: CompiledFilter,
        keys: Sequence[tuple[KeyOf, bool]],
    ) -> None:
        """Mark entries that would move, appear or leave in a new sort with 1, others with 0.

        ``marks`` has a byte for each entry. ``places`` are those of entries among ``rows``. The
        weightiest key comes first, with each whether rows are sorted by it descending.
        """
        numbers = np.flatnonzero(np.bincount(np.array(moved, np.int64)))
        at = np.full(len(self.entries), AWAY)
        at[: len(places)] = places
        at = at[numbers]
        is_wanted = self.present_numbers()[numbers]
        if not compiled.is_open:
            is_wanted &= [compiled.keeps(self.entries[number]) for number in numbers.tolist()]
        ill = is_wanted != (at != AWAY)
        shown = np.flatnonzero(is_wanted & (at >= 0))
        ill[shown] = self._out_of_order(rows, at[shown], keys)
        np.frombuffer(marks, np.uint8)[numbers] = ill

    def _out_of_order(
        self, rows: Numbers, places: Vector, keys: Iterable[tuple[KeyOf, bool]]
    ) -> Mask:
        """Return for each place whether its row is out of order with a neighbour.

        Titles are negative among the rows and fit any neighbour. Keys are the present ones.
        """
        title = -1
        shown = np.concatenate(([title], np.array(rows, np.int64), [title]))
        here = places + 1
        numbers = np.array((shown[here - 1], shown[here], shown[here + 1]))
        themselves = np.where(numbers < 0, numbers[1], numbers)
        stand_well = (numbers[:-1] < 0) | (numbers[1:] < 0)
        is_equal = ~stand_well
        for key, descending in keys:
            figures = self._figures_of(themselves.ravel(), key).reshape(numbers.shape)
            before, after = figures[:-1], figures[1:]
            stand_well |= is_equal & (before > after if descending else before < after)
            stand_well |= is_equal & (np.isnan(after) & ~np.isnan(before))
            is_equal &= (before == after) | (np.isnan(before) & np.isnan(after))
        in_order = stand_well | is_equal
        ill: Mask = ~(in_order[0] & in_order[1])
        return ill

    def _figures_of(self, numbers: Vector, key: KeyOf) -> Figures:
        """What a key says of some entries now: figures, or ranks among each other."""
        if self._has_ranks(key):
            return np.array(self.entries.judged.ranks)[numbers]
        found = map(self.entries.held.__getitem__, numbers.tolist())
        return _ranked(list(map(key, found)))

    def _has_ranks(self, key: KeyOf) -> bool:
        """Whether a key is told by an array that is kept right as prices are judged."""
        return key is RANK and self.entries is not self.entries.selections

    def _by_field(self, numbers: Vector, selections: Sequence[SelectionEntry]) -> Vector:
        if not len(numbers):
            return numbers
        ranks = np.zeros(len(self.entries.selections), np.int64)
        ranks[[one.number for one in selections]] = np.arange(len(selections))
        return numbers[np.argsort(self._of_all(ranks)[numbers], kind="stable")]

    def _of_all(self, by_selection: NDArray[Any]) -> NDArray[Any]:
        """What an array has of the selection of each entry."""
        return by_selection[np.array(self.entries.of, np.int64)]

    def _changed_since(self, read_at: int, known: int) -> Vector:
        entries = self.entries
        moved = np.array(entries.moved_at, np.int64)
        if entries.selections is not entries:
            of_selection = np.array(entries.selections.moved_at, np.int64)
            moved = np.maximum(moved, self._of_all(of_selection))
        changed = moved > read_at
        changed[known:] = True
        return np.flatnonzero(changed)


class _Column:
    """What one key says of each entry: figures, or texts as ranks among all of them."""

    def __init__(self, key: KeyOf) -> None:
        self._key = key
        self._is_text: bool | None = None
        self._figures = np.empty(0)
        self._ranks = np.empty(0)
        self.codes: Codes = np.empty(0, np.int32)
        self.known: dict[Any, int] = {}
        self.read_at = 0

    def __len__(self) -> int:
        return max(len(self._figures), len(self.codes))

    def read_column(self, changed: Vector, entries: Sequence[Entry | None]) -> Figures:
        """Bring up to date what changed, and return all."""
        found = [
            None if (one := entries[number]) is None else self._key(one)
            for number in changed.tolist()
        ]
        if self._is_text is None:
            sample = next((each for each in found if each is not None), None)
            self._is_text = None if sample is None else not isinstance(sample, int | float)
        if self._is_text is not False:
            self.codes = _grown(self.codes, len(entries), _UNKNOWN)
        if self._is_text:
            return self._read_texts(changed, found)
        self._figures = _grown(self._figures, len(entries), np.nan)
        self._figures[changed] = np.array(found, np.float64)
        return self._figures

    def _read_texts(self, changed: Vector, found: Sequence[Any]) -> Figures:
        known, before = self.known, len(self.known)
        for text in found:
            if text is not None and text not in known:
                known[text] = len(known)
        self.codes[changed] = [_UNKNOWN if text is None else known[text] for text in found]
        if len(known) > before:
            self._ranks = np.empty(len(known) + 1)
            self._ranks[[known[text] for text in sorted(known)]] = np.arange(len(known))
            self._ranks[_UNKNOWN] = np.nan
        return self._ranks[self.codes]


def _grown(array_: NDArray[Any], count: int, filling: float) -> NDArray[Any]:
    """Return an array with room for more entries, the new ones filled."""
    return np.append(array_, np.full(count - len(array_), filling, array_.dtype))


def kept(arrays: EntryArrays, compiled: CompiledFilter) -> Mask:
    """Return which of all rows a filter keeps, by number: those that ``keeps`` is true of."""
    found = arrays.present_numbers()
    for test in compiled.selection_tests:
        found &= arrays.of_selections(test)
    if compiled.words or compiled.names:
        found &= _named(arrays, compiled)
    for figure, within in compiled.ranges:
        found &= _lies_in(within, arrays.figures(figure))
    if compiled.asks_for_freshness:
        numbers = np.flatnonzero(found).tolist()
        found[numbers] = [compiled.is_fresh(arrays.entries[number]) for number in numbers]
    return found


def _named(arrays: EntryArrays, compiled: CompiledFilter) -> Mask:
    """Tell whose texts hold the words, and who is among the bookmakers."""
    codes, names = arrays.texts(_name_of)
    chosen, folded = compiled.names, [name.casefold() for name in names]
    named = np.array([not chosen or name in chosen for name in names], bool)[codes]
    for word in compiled.words:
        by_name = np.array([word in name for name in folded], bool)[codes]
        named &= by_name | arrays.of_selections(partial(_has_word, word))
    return named


def _has_word(word: str, selection: SelectionEntry) -> bool:
    return word in selection.text


def _lies_in(within: Range, figures: Figures) -> Mask:
    """Tell which figures a closed range holds; what is no number is not known."""
    found: Mask = np.isfinite(figures)
    if within.least is not None:
        found &= figures >= within.least
    if within.most is not None:
        found &= figures <= within.most
    return found


def _ranked(found: Sequence[Any]) -> Figures:
    """Return figures unchanged and other values as ranks; NaN where there is none."""
    if isinstance(next((each for each in found if each is not None), 0), int | float):
        return np.array(found, np.float64)
    ranks: dict[Any, float] = {key: rank for rank, key in enumerate(sorted(set(found) - {None}))}
    ranks[None] = np.nan
    return np.array([ranks[each] for each in found], np.float64)


def _plain(numbers: Vector) -> Numbers:
    return array("i", numbers.astype(np.int32).tobytes())


def _game_of(entry: Entry) -> str:
    return entry.selection.key.game_id


def _name_of(entry: Entry) -> str:
    return entry.bookmaker
