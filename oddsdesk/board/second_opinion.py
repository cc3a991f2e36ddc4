"""What the other bookmakers say of a price together, beside the reference (D60)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from oddsdesk.board.basis import Basis
from oddsdesk.board.judging import Judge
from oddsdesk.board.matrix import Section
from oddsdesk.board.prices import Price
from oddsdesk.pricing.assessment import settles_otherwise
from oddsdesk.pricing.consensus import Vote, consensus
from oddsdesk.pricing.devig import DevigError, devig
from oddsdesk.pricing.profiles import is_delayed
from oddsdesk.pricing.value import is_same_state


class SecondOpinion(NamedTuple):
    """A selection's fair odds by consensus."""

    fair_odds: float
    groups: int
    """How many operators said so."""


class SecondOpinions:
    """Asks for second opinions on prices of a game; ``judge`` is the game's."""

    def __init__(self, basis: Basis, reference: str | None, judge: Judge) -> None:
        self._basis = basis
        self._reference = reference
        self._judge = judge

    def of(self, section: Section, selection: str, bookmaker: str | None) -> SecondOpinion | None:
        """Return what the others say of a selection, None of too few.

        Left out are the price's own group and the reference's, whose opinion is the first one.
        Votes are whole and fresh lines that settle as the price does.
        """
        side, row = section.side_of(selection), section.row_of(selection)
        price = row.price_of(bookmaker)
        sides = section.sides if section.reference is None else section.reference.group.sides
        if price is None or not side or side not in sides:
            return None
        votes = list(self._votes(section, bookmaker, sides, price))
        found = consensus(votes)
        if found is None:
            return None
        return SecondOpinion(1 / found.chances[sides.index(side)], found.groups)

    def _votes(
        self, section: Section, bookmaker: str | None, sides: Sequence[str], like: Price
    ) -> Iterator[Vote]:
        profile_of = self._basis.profiles.of
        silent = {profile_of(name).group for name in (self._reference, bookmaker) if name}
        for name in section.holds:  # those that price a whole line group
            profile = profile_of(name)
            if profile.group in silent or not self._may_vote(section, name, bookmaker):
                continue
            odds = _odds(section, name, sides, like)
            if odds is None:
                continue
            try:
                chances = devig(self._basis.method, odds).probabilities
            except DevigError:
                continue
            yield Vote(profile.group, chances, profile.weight)

    def _may_vote(self, section: Section, name: str, bookmaker: str | None) -> bool:
        judge, key = self._judge, section.key
        return (
            name not in section.market.stale
            and name not in section.other_bets
            and not is_delayed(name)
            and not settles_otherwise(
                (key.market_type, key.period, section.sport),
                section.line,
                judge.counts_overtime(bookmaker),
                judge.counts_overtime(name),
            )
        )


def _odds(
    section: Section, bookmaker: str, sides: Sequence[str], like: Price
) -> Sequence[float] | None:
    """Return a bookmaker's odds of just these sides, in play as ``like`` is; None otherwise."""
    priced = {
        side: price
        for row, side in zip(section.rows, section.sides, strict=False)
        if (price := row.prices.get(bookmaker)) is not None and price.is_offered
    }
    if priced.keys() != set(sides):
        return None
    if not all(is_same_state(price.is_live, like.is_live) for price in priced.values()):
        return None
    return [priced[side].odds for side in sides]
