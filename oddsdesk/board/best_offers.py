"""Who offers the best price of a selection: looked for when somebody asks, not at each move."""

from oddsdesk.board.basis import Basis
from oddsdesk.board.matrix import BestOffer, Section, SelectionRow
from oddsdesk.board.valuation import best_of


class FoundOffer(BestOffer):
    """The best price among those of a row that can be relied upon."""

    def __init__(self, section: Section, row: SelectionRow, basis: Basis) -> None:
        super().__init__()
        self.known = None
        self._section = section
        self._row = row
        self._basis = basis

    def found(self) -> tuple[float | None, tuple[str, ...]]:
        """Return net odds, and by name who offers them; None and nobody where there are none."""
        if self.known is None:
            names = self.former = best_of(self._section, self._row, self._basis, None)
            odds = self._row.prices[names[0]].odds if names else None
            net = None if odds is None else self._basis.net(names[0], odds)
            self.known = net, names
        return self.known

    def forget(self) -> None:
        """Note that it may be another."""
        self.known = None
