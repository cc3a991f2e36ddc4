"""One team, many names (D69)."""

import csv
from itertools import groupby
from pathlib import Path

import pytest

from oddsdesk.matching.team_names import SameTeam, Team, TeamNames, fold_team, shipped_names


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("1. FC Köln", "1 fc koln"),
        ("Nott'm Forest", "nottm forest"),
        ("Brighton & Hove Albion", "brighton and hove albion"),
        ("FC STRASSE", "fc strasse"),
        ("Fc Straße", "fc strasse"),
        ("İstanbul Başakşehir", "istanbul basaksehir"),
        ("A.F.C. Bournemouth", "afc bournemouth"),
        ("Łódź", "lodz"),
    ],
)
def test_names_are_compared_without_case_accents_and_punctuation(name: str, folded: str) -> None:
    assert fold_team(name) == folded


@pytest.mark.parametrize(
    ("competition", "one", "other"),
    [
        ("EPL", "Man United", "Manchester United"),
        ("UCL", "Inter", "Inter Milan"),
        ("MLB", "Oakland Athletics", "Athletics"),
        ("NBA", "LA Clippers", "Los Angeles Clippers"),
        ("FIFAWC", "Türkiye", "Turkey"),
        ("a league that nobody knows", "PSV", "PSV Eindhoven"),
        ("a league that nobody knows", "Some Team", "SOME TEAM"),
    ],
)
def test_names_of_one_team(competition: str, one: str, other: str) -> None:
    assert shipped_names().is_same_team(competition, one, other)


@pytest.mark.parametrize(
    ("competition", "one", "other"),
    [
        ("EPL", "Man United", "Man City"),
        ("EPL", "Arsenal", "Arsenal Women"),
        ("BUND", "Bayern Munich", "Bayern München II"),
        ("NHL", "New York Rangers", "New York Islanders"),
        ("EPL", "Some Team", "Another Team"),
    ],
)
def test_names_of_two_teams(competition: str, one: str, other: str) -> None:
    assert not shipped_names().is_same_team(competition, one, other)


def test_a_name_that_two_teams_of_a_scope_have_tells_nothing() -> None:
    names = TeamNames([Team("X", "Real Union", ("Union",)), Team("X", "Union FC", ("Union",))])
    assert not names.is_same_team("any", "Union", "Union FC")
    assert names.is_same_team("any", "Union", "union")


def test_competitions_have_other_names_too() -> None:
    names = shipped_names()
    assert names.competition("soccer_epl") == names.competition("Premier League") == "EPL"
    assert "E0" in names.competitions_of("EPL")
    assert names.competitions_of("a league of its own") == ["a league of its own"]


def test_what_the_user_said_counts_beside_the_table_and_only_in_its_competition() -> None:
    shipped = shipped_names()
    names = shipped.with_same([SameTeam("soccer_epl", "The Gunners", "Arsenal")])
    assert names.is_same_team("EPL", "Arsenal FC", "the gunners")
    assert not names.is_same_team("UCL", "Arsenal FC", "The Gunners")
    assert not shipped.is_same_team("EPL", "Arsenal FC", "The Gunners")


def test_what_the_user_said_twice_or_in_a_circle_is_no_trouble() -> None:
    pairs = [("A", "B"), ("B", "C"), ("C", "A"), ("A", "B")]
    names = TeamNames(same=[SameTeam("EPL", *pair) for pair in pairs])
    assert names.is_same_team("EPL", "A", "C")
    assert not names.is_same_team("EPL", "A", "D")


def test_the_table_names_the_teams_of_two_sources_and_confuses_none(shared_data: Path) -> None:
    """Against the 392 teams as three sources spell them: 665 of 676 pairs known, none wrong."""
    text = (shared_data / "aliases" / "team_aliases_observed.csv").read_text("utf-8")
    rows = sorted(csv.DictReader(text.splitlines()), key=lambda row: row["fd_div"])
    names = shipped_names()
    known = missed = 0
    for division, group in groupby(rows, key=lambda row: row["fd_div"]):
        teams = [
            (row["football_data_name"], {row["the_odds_api_name"], row["pinnacle_ps3838_name"]})
            for row in group
        ]
        for name, others in teams:
            for other in others - {""}:
                is_known = names.is_same_team(division, name, other)
                known, missed = known + is_known, missed + (not is_known)
            theirs = {other for _, spelled in teams if spelled is not others for other in spelled}
            wrong = [o for o in theirs - others - {""} if names.is_same_team(division, name, o)]
            assert wrong == [], name
    assert len(rows) == 392
    print(f"names of one team: {known} known, {missed} missed")
    assert known / (known + missed) > 0.97
