"""An exchange's odds between back and lay as the reference."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.board import Board
from oddsdesk.board.model.basis import middle_choice
from oddsdesk.board.model.matrix import Section
from oddsdesk.board.valuation.explaining import MiddleFigure, NoFairOdds, explain
from oddsdesk.board.valuation.verdict_words import quoted_text, unvalued_text
from oddsdesk.contract.resources import OddsRow, Offer
from oddsdesk.contract.times import format_ms
from oddsdesk.pricing.devig import METHODS
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.pricing.stakes import Depth, middle_odds
from tests.kit.board import GAME, NOW, RESULT, Desk, odds_row, row_key

BACK = {"Arsenal": 2.06, "Draw": 3.6, "Chelsea": 4.0}
LAY = {"Arsenal": 2.12, "Draw": 3.75, "Chelsea": 4.15}
UNIBET = {"Arsenal": 2.1, "Draw": 3.4, "Chelsea": 3.6}


def row(lays: Mapping[str, float] = LAY, *, back: float = 100.0, lay: float = 100.0) -> OddsRow:
    offers = {
        name: Offer(back=((BACK[name], back),) if back else (), lay=((odds, lay),))
        for name, odds in lays.items()
    }
    return odds_row("Smarkets", BACK, offers=offers)


def board_of(exchange: OddsRow, chosen: str = "Smarkets, mid") -> Board:
    board = Desk().board
    board.set_profiles(shipped_profiles())
    board.choose_reference(chosen)
    exhaust(board.merge_rows([exchange, odds_row("Unibet", UNIBET)]))
    return board


def section_of(board: Board) -> Section:
    section = board.section(GAME, "moneyline", 0, "Arsenal")
    assert section is not None
    assert section.key == RESULT
    return section


@pytest.mark.parametrize(
    ("depth", "middle"),
    [
        (Depth(((2.0, 100.0),), "", ((2.0833, 96.0),)), 2 / (1 / 2.0 + 1 / 2.0833)),
        (Depth(((2.0, 300.0),), "", ((2.0833, 96.0),)), 4 / (1 / 2.0 + 3 / 2.0833)),
        (Depth((), "", ((2.0833, 96.0),)), 2 / (1 / 2.0 + 1 / 2.0833)),
        (Depth(((2.0, 100.0),), "", ((2.0833, 0.0),)), 2 / (1 / 2.0 + 1 / 2.0833)),
        (Depth(((2.0, 100.0),), "", ((2.11, 96.0),)), None),
        (Depth(((2.0, 100.0),)), None),
        (None, None),
    ],
    ids=["level", "more to back", "amount to back", "amount to lay", "wide", "no lay", "no book"],
)
def test_the_middle_is_weighted_by_what_is_on_the_other_side(
    depth: Depth | None, middle: float | None
) -> None:
    """200 payouts to back and 200 to lay meet halfway; 600 to back push the odds to the lay."""
    found = middle_odds(2.0, depth)
    assert found == (None if middle is None else pytest.approx(middle, rel=1e-4))


def test_fair_odds_are_the_middles_without_a_margin() -> None:
    board = board_of(row())
    section = section_of(board)
    middles = {
        name: (BACK[name] + LAY[name]) / (LAY[name] / BACK[name] + BACK[name] / LAY[name])
        for name in BACK
    }
    total = sum(1 / odds for odds in middles.values())
    assert section.overround == pytest.approx(1.0, abs=1e-5)
    for each in section.rows:
        assert each.fair == pytest.approx(middles[each.selection] * total, rel=1e-5)
    said = explain(board, row_key("Arsenal", "Unibet"), NOW)
    assert said is not None
    assert said.reference == "Smarkets, mid"
    first = said.middles[0]
    assert first == MiddleFigure("Arsenal", 2.06, 2.12, said.quoted[0][1])
    assert 2.06 < first.middle < 2.12
    assert quoted_text(said).startswith(f"Arsenal {first.middle} (back 2.06, lay 2.12), Draw ")


@pytest.mark.parametrize("method", METHODS)
def test_middles_below_100_percent_are_scaled_and_devigged_by_each_method(method: str) -> None:
    """Nearly all is there to back, so each middle is nearly the lay odds: 97.9 % together."""
    board = board_of(row(back=1e6, lay=1.0))
    board.set_method(method)
    section = section_of(board)
    assert section.overround == pytest.approx(1.0, abs=1e-5)
    assert sum(1 / (each.fair or 0) for each in section.rows) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("lays", [LAY | {"Draw": 3.8}, {"Arsenal": 2.12, "Draw": 3.75}])
def test_a_side_without_a_near_lay_leaves_no_line_and_the_reason(lays: dict[str, float]) -> None:
    board = board_of(row(lays))
    assert section_of(board).reference is None
    said = explain(board, row_key("Arsenal", "Unibet"), NOW)
    assert said is not None
    assert said.no_fair_odds is NoFairOdds.TOO_WIDE
    assert "Smarkets, mid needs back and lay odds of every outcome, at most 5% apart" in (
        unvalued_text(said)
    )


def test_a_lay_that_moves_alone_moves_the_middle() -> None:
    board = board_of(row())
    before = section_of(board).rows[0].fair
    moved = replace(row(LAY | {"Arsenal": 2.15}), scraped_at=format_ms(NOW + 1))
    exhaust(board.merge_rows([moved]))
    after = section_of(board).rows[0].fair
    assert before is not None
    assert after is not None
    assert after > before


def test_the_exchange_itself_stays_a_choice_of_its_own() -> None:
    board = board_of(row(), "Smarkets")
    notices: list[Any] = []
    board.subscribe(notices.append)
    assert section_of(board).rows[0].fair != pytest.approx(2.09)
    board.choose_reference("Smarkets, mid")
    assert "ReferenceChanged" in {type(each).__name__ for each in notices}
    assert (board.reference_name, board.desk_reference.reference_title) == (
        *("Smarkets", "Smarkets, mid"),
    )
    names = ("Smarkets,mid", "Smarkets, Mid", "mid", ", mid", "Smarkets")
    assert [*map(middle_choice, names)] == ["Smarkets", "Smarkets", None, None, None]
