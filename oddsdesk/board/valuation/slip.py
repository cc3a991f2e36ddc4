"""The fair price of a multiple whose legs are selections on the board."""

from collections.abc import Sequence
from typing import NamedTuple

from oddsdesk.base.market_words import selection_text
from oddsdesk.base.text import and_joined
from oddsdesk.base.texts import _, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import Matrix, RowKey, Section, SelectionRow
from oddsdesk.board.valuation.deriving import game_of, why_not_derived
from oddsdesk.board.valuation.figures import decided_without, fair_without
from oddsdesk.pricing.derived import FairGame
from oddsdesk.pricing.multiples import LegPrice, MultiplePrice, price_multiple
from oddsdesk.pricing.value import can_push


class SlipLeg(NamedTuple):
    """A selection of a multiple."""

    key: RowKey
    """The bookmaker is where the multiple is offered; a consensus leaves that one out."""
    odds: float | None = None
    """Its odds as a single; None if only the multiple has a price."""


def leg_price(board: Board, leg: SlipLeg) -> LegPrice:
    """Return what the board knows about a leg."""
    game, market_type, period, selection, bookmaker = leg.key
    matrix = board.matrix(game)
    row, section = board.row_and_section(game, market_type, period, selection)
    if matrix is None or row is None or section is None:
        why = _("no bookmaker prices it now")
        return LegPrice(
            *(selection_text(selection), game, "", market_type, period, "", "", leg.odds),
            why_not=why,
        )
    side, fair = section.side_of(selection), fair_without(section, row, bookmaker)
    line = section.line_without(bookmaker)
    derived = None if line is None else line.derived
    return LegPrice(
        *(selection_text(selection), game, section.sport, market_type, period),
        *(section.key.group, side, leg.odds),
        fair_odds=fair,
        decided=_decided(section, row, bookmaker),
        band=0.0 if derived is None else derived.bands.get(side, 0.0),
        why_not="" if fair is not None else _why_not(board, matrix, section),
    )


def price_slip(board: Board, legs: Sequence[SlipLeg]) -> MultiplePrice:
    """Return the fair price of legs on the board, by the desk's reference and method."""
    priced = [leg_price(board, leg) for leg in legs]
    sections = {
        (leg.key.game_id, leg.key.period): board.section(*leg.key[:4]) for leg in reversed(legs)
    }

    def fair_game(leg: LegPrice) -> FairGame | str:
        matrix, section = board.matrix(leg.game), sections.get((leg.game, leg.period))
        if board.basis.is_pooled:
            return _("a consensus is not modelled")
        if board.basis.derived != "all":
            return _("modelled odds are turned off")
        found = None if matrix is None or section is None else game_of(matrix, section, board.basis)
        return found or _("the sharp book prices no line of it")

    return price_multiple(priced, fair_game, lambda names: and_joined(names, translated))


def _decided(section: Section, row: SelectionRow, bookmaker: str) -> float | None:
    if not can_push(section.key.market_type, section.line):
        return 1.0
    if section.push_without(bookmaker) is None:
        return None
    return decided_without(section, row, bookmaker)


def _why_not(board: Board, matrix: Matrix, section: Section) -> str:
    if section.has_own_line:
        return _("the devig method gives no fair odds for this line")
    return why_not_derived(matrix, section, board.basis) or _("its own price is not compared")
