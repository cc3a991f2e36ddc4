"""What the prices of a line group hold: worked out when somebody looks, as prices move oftener."""

from collections.abc import Iterator, Sequence

from oddsdesk.board.basis import Basis
from oddsdesk.board.best_offers import reliable
from oddsdesk.board.matrix import LineHolds, Section, SelectionRow
from oddsdesk.board.own_groups import own_group, priced_by
from oddsdesk.board.valuation import hold, sides_compared
from oddsdesk.pricing.opportunities import Leg, best_legs, go_together


class Holds(LineHolds):
    """Hold in percent by bookmaker, of those that price the whole line group now."""

    __slots__ = ("_basis", "_best", "_known", "_section")

    def __init__(self, section: Section, basis: Basis) -> None:
        self._section = section
        self._basis = basis
        self._known: dict[str, float | None] = {}
        self._best: tuple[float | None] | None = None

    def __getitem__(self, bookmaker: str) -> float:
        if bookmaker not in self._known:
            self._known[bookmaker] = self._of(bookmaker)
        found = self._known[bookmaker]
        if found is None:
            raise KeyError(bookmaker)
        return found

    def __iter__(self) -> Iterator[str]:
        bookmakers = dict.fromkeys(name for row in self._section.rows for name in row.prices)
        return iter([name for name in bookmakers if self.get(name) is not None])

    def best(self) -> float | None:
        """Return the hold of the best prices that go together as legs (D59), or of one bookmaker.

        Mostly they are the best of each row; where those are of one operator, or in play and not
        seen together, they are looked for among all.
        """
        if self._best is None:
            self._best = (self._find_best(),)
        return self._best[0]

    def forget(self) -> None:
        """Work all out anew when it is asked for."""
        self._known.clear()
        self._best = None

    def _of(self, bookmaker: str) -> float | None:
        rows = priced_by(self._section, bookmaker)
        if own_group(self._section, rows) is None:
            return None
        return hold(self._basis.net(bookmaker, row.prices[bookmaker].odds) for row in rows)

    def _find_best(self) -> float | None:
        section, sides = self._section, sides_compared(self._section)
        if len(sides) < 2 or not section.complete:
            return None
        rows = [row for row, side in zip(section.rows, section.sides, strict=True) if side in sides]
        names = [row.best_bookmakers for row in rows]
        if not all(names):
            return None
        legs = [self._leg(row, named[0]) for row, named in zip(rows, names, strict=True)]
        if go_together(legs):
            return hold(leg.net_odds for leg in legs)
        return min(self._holds_of_others(rows), default=None)

    def _holds_of_others(self, rows: Sequence[SelectionRow]) -> Iterator[float]:
        """Yield the hold of the best legs among all prices, and of each bookmaker by itself."""
        names = [reliable(self._section, row, self._basis) for row in rows]
        legs = best_legs(
            [
                [self._leg(row, name) for name in named]
                for row, named in zip(rows, names, strict=True)
            ]
        )
        if legs is not None:
            yield hold(leg.net_odds for leg in legs)
        for name in set(names[0]).intersection(*names[1:]):
            yield hold(self._basis.net(name, row.prices[name].odds) for row in rows)

    def _leg(self, row: SelectionRow, bookmaker: str) -> Leg:
        price = row.prices[bookmaker]
        return Leg(
            bookmaker,
            self._basis.profiles.of(bookmaker).group,
            row.selection,
            price.odds,
            self._basis.net(bookmaker, price.odds),
            price.scraped_at,
            bool(price.is_live),
        )
