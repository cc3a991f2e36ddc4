"""The bets of markets that may be combined, and where each of them is offered."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from oddsdesk.board.model.matrix import Price, Section, SectionKey
from oddsdesk.pricing.covers import Bet, Cover, bets_against, covers_of, family_of, line_of_bet
from oddsdesk.pricing.selections import bet_named
from oddsdesk.pricing.stakes import odds_against
from oddsdesk.pricing.value import subject


class Family:
    """Where each bet of a family of markets is offered, pre-match or in play."""

    def __init__(
        self,
        sport: str,
        sections: Iterable[Section],
        *,
        in_play: bool | None = None,
        has_lays: bool = True,
    ) -> None:
        """Use the sections of a family; ``in_play`` None takes pre-match and in-play prices.

        ``has_lays``: whether a lay of a bet counts as an offer of the opposite bet.
        """
        self.sport = sport
        self.in_play = in_play
        self.places = defaultdict[Bet, list[Stand]](list)
        self._highest: dict[Bet, float] = {}
        self.sections = [section for section in sections if section.sides]
        first = self.sections[0].key if self.sections else SectionKey("", 0, "")
        self.name, self.period = family_of(first.market_type), first.period
        for section in self.sections:
            market_type, _, group = section.key
            laid = _laid(section) if has_lays else frozenset()
            for side in dict.fromkeys(section.sides):
                bet = bet_named(sport, bool(in_play), market_type, group, side)
                self.places[bet].append(Stand(section, side))
                if side in laid:
                    for other, has_draw in bets_against(bet, sport):
                        stand = Stand(section, side, is_lay=True, has_draw=has_draw)
                        self.places[other].append(stand)

    def covers(self) -> Iterator[Cover]:
        """Yield the covers whose bets are all offered, each once."""
        found = dict[tuple[Bet, ...], Cover]()
        for section in self.sections:
            market_type, _, group = section.key
            of_section = covers_of(market_type, group, section.line, self.sport, bool(self.in_play))
            for cover in of_section:
                if all(bet in self.places for bet in cover.bets):
                    found.setdefault(cover.bets, cover)
        yield from found.values()

    def lines(self) -> Iterator[list["Line"]]:
        """Yield the lines of each subject, in order."""
        by_subject = defaultdict[str, dict[float, list[Bet | None]]](dict)
        for bet in self.places:
            line = line_of_bet(bet, self.sport, bool(self.in_play))
            if line is not None:
                number, is_above = line
                on_line = by_subject[subject(bet[1])].setdefault(number, [None, None])
                on_line[0 if is_above else 1] = bet
        for of_subject in by_subject.values():
            yield [Line(number, *of_subject[number]) for number in sorted(of_subject)]

    def highest(self, bet: Bet) -> float:
        """Return the highest gross odds on a bet; no leg on it pays more."""
        if bet not in self._highest:
            self._highest[bet] = max(map(_highest, self.places[bet]))
        return self._highest[bet]


class Stand(NamedTuple):
    """Where a bet is offered."""

    section: Section
    side: str
    """The selection that is backed or laid there."""
    is_lay: bool = False
    has_draw: bool | None = None
    """``Against.has_draw`` of a lay: it is this bet only in markets with a draw, or without."""


class Line(NamedTuple):
    """The bets that win above and below a number; None if no bookmaker offers one."""

    number: float
    above: Bet | None
    below: Bet | None


def _laid(section: Section) -> frozenset[str]:
    """Return the sides that can be laid somewhere."""
    return frozenset(
        [
            side
            for row, side in zip(section.rows, section.sides, strict=False)
            for price in row.prices.values()
            if price.depth is not None and price.depth.lay
        ]
    )


def _highest(stand: Stand) -> float:
    """The highest gross odds on a side; no leg on it pays more. Small if nothing is offered."""
    prices = [
        price
        for row, of_row in zip(stand.section.rows, stand.section.sides, strict=False)
        if of_row == stand.side
        for price in row.prices.values()
        if price.withdrawn_at is None
    ]
    if stand.is_lay:
        lays = [price.depth.lay_odds for price in prices if price.depth is not None]
        return max([odds_against(odds) for odds in lays if odds is not None], default=1e-9)
    return max([price.odds for price in prices], default=1e-9)


def odds_of_lay(price: Price) -> float | None:
    """Return a lay's odds as a back of the other side, before commission; None without a lay."""
    lay_odds = None if price.depth is None else price.depth.lay_odds
    return None if lay_odds is None else odds_against(lay_odds)
