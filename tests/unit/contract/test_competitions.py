"""What competitions outside the contract's table are called (F6)."""

import pytest

from oddsdesk.contract.competitions import (
    SPORT_BY_COMPETITION,
    SPORTS,
    competition_title,
    period_label,
)


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
        ("HANDBALL_BUNDESLIGA_HERREN", "Handball Bundesliga Herren"),
        ("DFB_POKAL", "DFB Pokal"),
    ],
)
def test_a_code_of_a_source_is_a_name_for_people(code: str, title: str) -> None:
    assert competition_title(code) == title


def test_codes_of_the_contract_stay() -> None:
    assert [competition_title(code) for code in SPORT_BY_COMPETITION] == list(SPORT_BY_COMPETITION)


@pytest.mark.parametrize(
    ("sport", "labels"),
    [
        ("Football", ["Full Time", "1st Half", "2nd Half", "Period 3", "Period 4"]),
        ("Basketball", ["Full Game", "1st Quarter", "2nd Quarter", "3rd Quarter", "4th Quarter"]),
        ("Hockey", ["Full Game", "1st Period", "2nd Period", "3rd Period", "4th Period"]),
        ("Tennis", ["Match", "1st Set", "2nd Set", "3rd Set", "4th Set", "5th Set"]),
        ("Baseball", ["Full Game", "Period 1", "Period 2"]),
        ("AmericanFootball", ["Full Game", "1st Half", "Period 2"]),
        ("Rugby", ["Full Time", "1st Half", "2nd Half", "Period 3"]),
        ("Other", ["Full Time", "Period 1"]),
        ("Curling", ["Full Time", "Period 1"]),
    ],
)
def test_the_label_depends_on_the_sport(sport: str, labels: list[str]) -> None:
    assert [period_label(sport, period) for period in range(len(labels))] == labels


@pytest.mark.parametrize(
    ("period", "label"),
    [(11, "11th Set"), (12, "12th Set"), (13, "13th Set"), (21, "21st Set"), (111, "111th Set")],
)
def test_ordinals_are_english(period: int, label: str) -> None:
    assert period_label("Tennis", period) == label


@pytest.mark.parametrize("sport", SPORTS)
def test_labels_of_a_sport_are_distinct(sport: str) -> None:
    labels = [period_label(sport, period) for period in range(30)]
    assert len(set(labels)) == len(labels)
