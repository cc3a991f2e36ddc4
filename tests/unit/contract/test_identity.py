import re
import unicodedata
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.identity import fold_name, game_id, slug, teams


@pytest.mark.parametrize(
    ("competition", "match_name", "expected"),
    [
        ("LIG1", "PSG - Lyon", "8548bd40-bf55-7646-9218-2b324858f5f5"),
        ("LIG1", "Saint-Étienne - Nîmes", "ffd9b9e4-adb0-cdda-5916-edbcbfaba1a8"),
    ],
)
def test_the_worked_game_ids(competition: str, match_name: str, expected: str) -> None:
    assert game_id(competition, match_name) == expected
    assert game_id(competition, f"  {match_name.upper()} ") == expected
    assert game_id("EPL", match_name) != expected


def test_slugs_encode_everything_that_a_path_could_misread() -> None:
    assert slug("A/B & C+D 50% vs Köln") == "A%2FB%20%26%20C%2BD%2050%25%20vs%20K%C3%B6ln"


@given(st.text())
def test_a_slug_is_plain_and_leads_back_to_the_name(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_.~%-]*", slug(name))
    assert unquote(slug(name)) == name
    assert unquote(unquote(slug(slug(name)))) == name


def test_names_are_folded() -> None:
    assert fold_name("  Saint-E\u0301tienne \u00a0 \t- Nîmes\n") == "Saint-Étienne - Nîmes"


@given(st.text())
def test_folding_is_done_once(name: str) -> None:
    folded = fold_name(name)
    assert fold_name(folded) == folded
    assert unicodedata.is_normalized("NFC", folded)
    assert "  " not in folded


@pytest.mark.parametrize(
    ("match_name", "expected"),
    [
        ("PSG - Lyon", ("PSG", "Lyon")),
        ("PSG – Lyon", ("PSG", "Lyon")),
        ("Arsenal vs Chelsea", ("Arsenal", "Chelsea")),
        ("Arsenal vs. Chelsea", ("Arsenal", "Chelsea")),
        ("Arsenal VS Chelsea", ("Arsenal", "Chelsea")),
        ("Arsenal v Chelsea", ("Arsenal", "Chelsea")),
        ("Miami Heat @ Boston Celtics", ("Boston Celtics", "Miami Heat")),
        ("Saint-Étienne - Nîmes", ("Saint-Étienne", "Nîmes")),
        ("Al-Ahly - Cairo vs Zamalek", ("Al-Ahly - Cairo", "Zamalek")),
        ("Guardians vs Orioles (2026-04-18)", ("Guardians", "Orioles")),
        ("Guardians vs Orioles (2026-04-18 17:05)", ("Guardians", "Orioles")),
        ("Guardians vs Orioles (2026-04-18 17:05, 2)", ("Guardians", "Orioles")),
        ("Ohio St. @ Miami (FL)", ("Miami (FL)", "Ohio St.")),
    ],
)
def test_home_and_away_are_told_from_the_name(match_name: str, expected: tuple[str, str]) -> None:
    assert teams(match_name) == expected


@pytest.mark.parametrize("match_name", ["", "Super Bowl winner", "A vs B vs C", "vs B", "Evsden"])
def test_a_name_that_is_no_pair_has_no_teams(match_name: str) -> None:
    assert teams(match_name) is None
