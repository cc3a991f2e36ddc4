"""The rows that the odds grid may show, by number, so that arrays can say of each what it is."""

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING

from oddsdesk.desk.grid.entries import NOWHERE, UNREMARKABLE, Entry, Judgements

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
    def count(self) -> int:
        """How many there are, those that left not counted."""
        return len(self.held) - len(self.left) - len(self.free)

    def add(self, entry: Entry) -> None:
        """Give an entry a number, once its selection has one."""
        if self.free:
            entry.number = self.free.pop()
            self.held[entry.number] = entry
        else:
            entry.number = len(self.held)
            self.held.append(entry)
            self.of.append(0)
            self.moved_at.append(0)
            self.judged.add()
        self.judged.take(entry.number, None, UNREMARKABLE)
        self.of[entry.number] = entry.selection.number
        self.note(entry)

    def note(self, entry: Entry) -> None:
        """Note that an entry is another now; of a selection, that all of its prices are."""
        self.moved_at[entry.number] = self.selections.now

    def leave(self, entry: Entry) -> None:
        """Let go of an entry; ``forget`` gives its number on once no row shows it any more."""
        self.left.append(entry.number)

    def forget(self, shown: Iterable[int]) -> None:
        """Let the numbers of those that left be given again, but for those that rows show."""
        kept = set(self.left).intersection(shown)
        for number in set(self.left) - kept:
            self[number].number = NOWHERE
            self.held[number] = None
            self.free.append(number)
        self.left = list(kept)

    def clear(self) -> None:
        """Let go of everything but the judgements: an export may be reading them yet."""
        for one in (self.held, self.of, self.moved_at, self.left, self.free):
            del one[:]
