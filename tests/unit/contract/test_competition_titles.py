"""What competitions outside the contract's table are called (F6)."""

import pytest

from oddsdesk.contract.competition_titles import competition_title
from oddsdesk.contract.competitions import SPORT_BY_COMPETITION


@pytest.mark.parametrize(
    ("code", "title"),
    [
        ("E2", "League One, England"),
        ("FIFAWC", "FIFA World Cup"),
        ("aussierules_afl", "AFL (Australian football)"),
        ("mma_mixed_martial_arts", "MMA"),
        ("soccer_sweden_allsvenskan", "Sweden Allsvenskan (football)"),
        ("soccer_fa_cup", "FA Cup (football)"),
        ("baseball_kbo", "KBO (baseball)"),
        ("cricket_test_match", "Test Match (cricket)"),
        ("My own league", "My own league"),
        ("chess_world_cup", "chess_world_cup"),
        ("", ""),
    ],
)
def test_a_code_of_a_source_is_a_name_for_people(code: str, title: str) -> None:
    assert competition_title(code) == title


def test_codes_of_the_contract_stay() -> None:
    assert [competition_title(code) for code in SPORT_BY_COMPETITION] == list(SPORT_BY_COMPETITION)
