"""The rows of the odds grid in order: they keep their place until they are arranged anew."""

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any

from oddsdesk.desk.grid.columns import BY_KEY, COLUMNS
from oddsdesk.desk.grid.entries import (
    AWAY,
    FOLDED,
    Entry,
    GameGroup,
    PriceEntry,
    SelectionEntry,
    Shape,
)
from oddsdesk.desk.grid.filter import CompiledFilter
from oddsdesk.desk.ui.table.row_order import in_order, ordering, stand_well

GridRow = SelectionEntry | PriceEntry | GameGroup


class Arrangement:
    """Puts entries in order, by game if wished, and knows which would move if it did again."""

    def __init__(self) -> None:
        self.rows: Sequence[GridRow] = []
        self.shape = Shape.PRICES
        self.is_grouped = False
        self.entries: list[Entry] = []
        """What is arranged, folded rows too, whatever their game."""
        self.second: tuple[int, bool] | None = None
        """What rows that are equal are sorted by: a column, and whether descending."""
        self._second_key: Callable[[Entry], Any] = lambda _: None
        self.sort_by(BY_KEY["ev_pct"], descending=True)
        self.misplaced: dict[Entry, None] = {}
        """Entries that would move, come or go if all were arranged anew."""
        self._moving: dict[Entry, None] = {}
        """What was misplaced when an order was begun."""
        self._judged: dict[Entry, None] | None = None
        """What was judged since then; None while none is begun."""
        self._groups: dict[str, GameGroup] = {}
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

    def arrange(self, selections: Iterable[SelectionEntry], compiled: CompiledFilter) -> None:
        """Take what the filter keeps, in order; equal rows stay as they stood to each other."""
        entries, stayed = _as_before(self.entries, compiled.kept(selections))
        if self._groups or stayed < len(self.entries):
            self._leave_places()
        self._place(self._in_order(entries))

    def placing(self, compiled: CompiledFilter) -> Generator[None, None, list[Entry]]:
        """Form the order that ``place`` takes, with entries judged since where they belong.

        What ``arrange`` does in one go, but figures that age are not looked at. In steps,
        between which entries may be judged: ``place`` judges them again.
        """
        self._judged, self._moving = {}, self.misplaced.copy()
        moved = self._moving
        # What stands well stays one run, which sorting goes through once.
        stayed = [entry for entry in self.entries if entry not in moved]
        wanted = [entry for entry in moved if entry.is_held and compiled.keeps(entry)]
        yield
        entries = [*stayed, *self._in_order(wanted)]
        if self.second is not None:
            key, descending = self._second_key, self.second[1]
            entries = yield from ordering(entries, key, descending=descending)
        return (yield from ordering(entries, self._key, descending=self.descending))

    def place(self, entries: list[Entry], compiled: CompiledFilter) -> None:
        """Have entries for rows, in their order."""
        if self._groups:
            self._leave_places()
        for entry in self._moving:
            entry.place = AWAY
        judged = self._judged or {}
        self._place(entries)
        for entry in judged:
            self.judge(entry, compiled)

    def fold(self, groups: Iterable[GameGroup], *, folded: bool) -> None:
        """Hide or show the rows of games; the others keep their order."""
        for group in groups:
            group.is_folded = folded
            (self._folded.add if folded else self._folded.discard)(group.game_id)
        self._leave_places()
        self._put([])

    @property
    def groups(self) -> list[GameGroup]:
        """The games, in order; none unless grouped."""
        return list(self._groups.values())

    def judge(self, entry: Entry, compiled: CompiledFilter) -> None:
        """Note whether a changed entry stands where it would after ``arrange``.

        Among the rows it is compared with its neighbours as they are now.
        """
        if self._judged is not None:
            self._judged[entry] = None
        is_wanted = entry.is_held and compiled.keeps(entry)
        if entry.place == AWAY or not is_wanted:
            is_misplaced = is_wanted != (entry.place != AWAY)
        else:
            is_misplaced = entry.place != FOLDED and not self._stands_well(entry)
        if is_misplaced:
            self.misplaced[entry] = None
        else:
            self.misplaced.pop(entry, None)

    def _stands_well(self, entry: Entry) -> bool:
        rows, place = self.rows, entry.place
        if place:
            before = rows[place - 1]
            if not isinstance(before, GameGroup) and not self._may_stand(before, entry):
                return False
        if place + 1 == len(rows):
            return True
        after = rows[place + 1]
        return isinstance(after, GameGroup) or self._may_stand(entry, after)

    def _may_stand(self, before: Entry, after: Entry) -> bool:
        first, second = self._key(before), self._key(after)
        if not stand_well(first, second, descending=self.descending):
            return False
        if self.second is None or first != second:
            return True
        key, descending = self._second_key, self.second[1]
        return stand_well(key(before), key(after), descending=descending)

    def _in_order(self, entries: Sequence[Entry]) -> list[Entry]:
        if self.second is not None:
            entries = in_order(entries, self._second_key, descending=self.second[1])
        return in_order(entries, self._key, descending=self.descending)

    def _place(self, entries: list[Entry]) -> None:
        self.entries = entries
        self.misplaced.clear()
        self._moving, self._judged = {}, None
        self._groups = self._grouped(entries) if self.is_grouped else {}
        self._put(entries)

    def _grouped(self, entries: Iterable[Entry]) -> dict[str, GameGroup]:
        groups: dict[str, GameGroup] = {}
        for entry in entries:
            game = entry.selection.key.game_id
            group = groups.get(game)
            if group is None:
                group = groups[game] = self._groups.get(game) or GameGroup(
                    game, entry.selection, []
                )
                group.first, group.entries = entry.selection, []
                group.is_folded = game in self._folded
            group.entries.append(entry)
        return groups

    def _leave_places(self) -> None:
        for row in self.rows:
            row.place = AWAY
        for entry in self.entries if self._groups else ():
            entry.place = AWAY

    def _put(self, entries: Sequence[Entry]) -> None:
        if not self.is_grouped:
            self.rows = entries
        else:
            rows: list[GridRow] = []
            for group in self._groups.values():
                rows.append(group)
                if not group.is_folded:
                    rows += group.entries
                else:
                    for entry in group.entries:
                        entry.place = FOLDED
            self.rows = rows
        for place, row in enumerate(self.rows):
            row.place = place


def _as_before(before: Sequence[Entry], kept: list[Entry]) -> tuple[Sequence[Entry], int]:
    """What is kept as it stood before, what is new last; and how many stayed."""
    if not before:
        return kept, 0
    wanted = set(kept)
    stayed = [entry for entry in before if entry in wanted]
    if len(stayed) == len(kept):
        return stayed, len(stayed)
    wanted.difference_update(stayed)
    return stayed + [entry for entry in kept if entry in wanted], len(stayed)
