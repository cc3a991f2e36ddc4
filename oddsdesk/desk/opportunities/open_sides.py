"""Opportunities of which a leg is placed, as they were found last and as they are now."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from oddsdesk.board.board import Board
from oddsdesk.board.leg_offers import legs_now
from oddsdesk.board.opportunity import Opportunity, OpportunityKey
from oddsdesk.desk.settings.saved_state import Layout, Saved

_KEY: Final = "opportunities/open"


class OpenSides:
    """Those of which a leg is placed; those of money are there at the next start.

    One with all legs placed is among them: a leg that is taken back leaves it open. What is read
    here is shown beside an open bet only: that of a bet that is gone does no harm.
    """

    def __init__(self, layout: Layout) -> None:
        self._saved = Saved(layout, _KEY, list[Opportunity], [])
        self._are_practice: bool | None = None
        self._held: dict[OpportunityKey, Opportunity] = {}

    def held(self, *, practice: bool) -> Mapping[OpportunityKey, Opportunity]:
        """Return them, as they were found last: beside simulated odds those of ``practice``."""
        if practice is not self._are_practice:
            self._are_practice = practice
            self._held = {} if practice else {each.key: each for each in self._saved.get()}
        return self._held

    def hold(self, found: Mapping[OpportunityKey, Opportunity]) -> None:
        """Have these in place of the others."""
        is_other = found.keys() != self._held.keys()
        self._held = dict(found)
        if is_other and not self._are_practice:
            # when time alone may change one is for the next look to say, and may be never
            self._saved.put([replace(each, due_at=0.0) for each in found.values()])


def as_it_is(board: Board, found: Opportunity) -> tuple[Opportunity, frozenset[int]]:
    """Return what was found once with the prices of now, and the places of legs without one."""
    now, matrix = legs_now(board, found), board.matrix(found.key.game_id)
    legs = tuple(leg or known for leg, known in zip(now, found.legs, strict=True))
    unpriced = frozenset(place for place, leg in enumerate(now) if leg is None)
    in_play = found.in_play if matrix is None else matrix.is_live
    return replace(found, legs=legs, in_play=in_play), unpriced
