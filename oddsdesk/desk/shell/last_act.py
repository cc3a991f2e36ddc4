"""What the user did last in a game or the odds grid, so that Ctrl+Z takes it back there."""

from collections.abc import Callable
from functools import partial
from typing import Final

from oddsdesk.desk.matrix.bookmakers import BookmakerColumns, BookmakerOrder

_NOTHING: Final = (
    "Nothing to undo here. In Bets (Ctrl+L), Ctrl+Z undoes one change of bets after another."
)


class LastAct:
    """Holds one act: who did something else meanwhile has that taken back, and nothing older."""

    def __init__(self, columns: BookmakerColumns, say: Callable[[str], object]) -> None:
        self._columns = columns
        self._say = say
        self._order = columns.order
        self._undo: Callable[[], object] | None = None
        self._about: object = None
        columns.changed.connect(self._on_columns_changed)

    def note(self, undo: Callable[[], object], about: object = None) -> None:
        """Take what undoes the act that was just done, and says so; ``about``: what it made."""
        self._undo, self._about = undo, about

    def forget(self, about: object) -> None:
        """What an act had made is gone: if it was the last, there is nothing to undo."""
        if self._about == about:
            self._undo = None

    def undo(self) -> None:
        """Undo the act, or say that there is none."""
        undo, self._undo = self._undo, None
        if undo is None:
            self._say(_NOTHING)
            return
        undo()
        self._undo = None  # undoing is no act

    def _on_columns_changed(self) -> None:
        before, self._order = self._order, self._columns.order
        self.note(partial(self._take_order, before))

    def _take_order(self, order: BookmakerOrder) -> None:
        again = sorted(self._columns.order.hidden - order.hidden)
        self._columns.put(order)
        if again:
            self._say(f"Undone: shown again: {', '.join(again)}.")
        else:
            self._say("Undone: the bookmakers' columns are as before.")
