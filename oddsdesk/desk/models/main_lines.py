"""Which lines of a market come first and which are folded: what one acts on is seen at once."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from oddsdesk.board.matrix import Section, SectionKey

Market = tuple[str, int]
"""Market type and period."""


class MainLines:
    """Puts each market's main line first and folds lines that nobody can act on.

    What was decided holds while the market is shown: nothing jumps or folds by itself. Folded
    at first are lines without a fair price or without a bookmaker, where their market has
    better ones.
    """

    def __init__(self) -> None:
        self._mains: dict[Market, SectionKey | None] = {}
        self._is_folded: dict[SectionKey, bool] = {}
        self._chosen: dict[SectionKey, bool] = {}

    def forget(self) -> None:
        """Decide anew; what the user folded or unfolded stays so."""
        self._mains.clear()
        self._is_folded.clear()

    def fold(self, key: SectionKey, *, folded: bool) -> None:
        """Take the user's choice."""
        self._chosen[key] = folded

    def is_folded(self, key: SectionKey) -> bool:
        """Whether the lines of a section are hidden."""
        return self._chosen.get(key, self._is_folded.get(key, False))

    def arrange(self, sections: Iterable[Section]) -> list[Section]:
        """Return the sections, each market's main line before its others."""
        arranged: list[Section] = []
        for market, group in groupby(sections, key=_market):
            arranged += self._arrange_market(market, list(group))
        return arranged

    def _arrange_market(self, market: Market, sections: list[Section]) -> list[Section]:
        main = self._mains.get(market)
        if main is None:
            main = self._mains[market] = _main_of(sections)
        for section in sections:
            self._is_folded.setdefault(section.key, main is not None and not _is_of_use(section))
        return sorted(sections, key=lambda section: section.key != main)


def _market(section: Section) -> Market:
    return section.key.market_type, section.key.period


def _main_of(sections: Sequence[Section]) -> SectionKey | None:
    """The line of use whose fair prices are closest to each other; None where none is of use."""
    useful = [section for section in sections if _is_of_use(section)]
    return min(useful, key=_imbalance).key if useful else None


def _is_of_use(section: Section) -> bool:
    return any(line.fair is not None and line.best is not None for line in section.lines)


def _imbalance(section: Section) -> float:
    chances = [1 / line.fair for line in section.lines if line.fair]
    return max(chances) - min(chances)
