"""Commands speak the user's language, with click's own words."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from oddsdesk.base.texts import use_language
from oddsdesk.board.model.basis import consensus_choice
from oddsdesk.cli.own_records import UnknownPresetError, preset


def ended(*arguments: str, language: str = "xx-pseudo") -> subprocess.CompletedProcess[str]:
    """Run a command in the pseudo-locale."""
    return subprocess.run(
        [sys.executable, "-m", "oddsdesk", *arguments],
        env=os.environ | {"ODDSDESK_LANGUAGE": language, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_help_of_a_command_is_translated_with_clicks_headings() -> None:
    shown = ended("devig", "--help").stdout
    assert "[Úságé:] oddsdesk devig" in shown
    assert "[Rémóvé thé márgíñ fróm ódds." in shown
    assert "dévíg 2.05 1.88\n" in shown, "an example keeps its lines"
    assert "[Óptíóñs" in shown
    assert "[Shów thís mésságé áñd éxít." in shown


def test_the_program_lists_its_commands_in_the_language() -> None:
    shown = ended("--help").stdout
    assert "[Çómpáré bóókmákérs wíth á shárp bóók, lívé." in shown
    assert "[Shów thé vérsíóñ áñd éxít." in shown
    assert "[Rémóvé thé márgíñ fróm ódds." in shown


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("devg",), "Díd ýóú méáñ devig?"),
        (("devig",), "[Míssíñg árgúméñt"),
        (("games", "accept"), "[Míssíñg árgúméñt"),
        (("fair", "--rh0", "1"), "[Ñó súçh óptíóñ"),
    ],
)
def test_a_mistake_is_explained_in_the_language(arguments: tuple[str, ...], expected: str) -> None:
    result = ended(*arguments)
    assert result.returncode == 2
    assert expected in result.stderr
    assert "[Érrór:" in result.stderr


@pytest.mark.parametrize(
    ("language", "arguments", "expected"),
    [
        ("de", ("devig", "2,05", "1.88"), "2,0923"),
        ("es", ("devig", "2.05", "1.88"), "2,0923"),
        ("en", ("devig", "2,05", "1.88"), "2.0923"),
        ("de", ("devig", "2.05", "1.88", "--json"), "2.0923"),
        ("de", ("kelly", "2.1@55%", "--bankroll", "1.500,50"), "52,86"),
        ("de", ("kelly", "2,1@55%", "--bankroll", "1.500,50"), "52,86"),
    ],
)
def test_numbers_are_written_as_in_the_language(
    monkeypatch: pytest.MonkeyPatch, language: str, arguments: tuple[str, ...], expected: str
) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    result = ended(*arguments, language=language)
    assert (result.returncode, expected in result.stdout) == (0, True), result.stdout


@pytest.mark.parametrize(
    ("language", "typed", "said"),
    [
        ("de", "1.500", "1.500 ist mehrdeutig: Tausender ohne Punkt schreiben"),
        ("de", "1,500", "1,500 ist mehrdeutig: Tausender ohne Komma schreiben"),
        ("en", "1.500", "1.500 may mean thousands: write them without a point"),
    ],
)
def test_an_amount_that_may_be_thousands_is_refused(language: str, typed: str, said: str) -> None:
    result = ended("kelly", "2.1@55%", "--bankroll", typed, language=language)
    assert (result.returncode, said in result.stderr) == (2, True), result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("devig", "zwei", "2"), "Fehler: Dezimalquote wie 2,05 erwartet, nicht 'zwei'\n"),
        (("bets", "--bankroll", "bwin"), "bwin: Betrag muss über 0 liegen\n"),
        (("arbitrage", "--least", "x"), "x: Prozentsatz muss bei mindestens -100 liegen\n"),
    ],
)
def test_a_wrong_number_is_refused_in_german(arguments: tuple[str, ...], said: str) -> None:
    result = ended(*arguments, language="de")
    assert (result.returncode, result.stderr[-len(said) :]) == (2, said), result.stderr


def test_what_the_window_shows_is_read_next_to_english(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    use_language("de")
    try:
        assert preset("Vor Spielbeginn") == preset("before kick-off") != preset("All value bets")
        with pytest.raises(UnknownPresetError, match="Vorlagen sind 'Alle Value-Wetten', 'Haupt"):
            preset("Antes del inicio")
        assert [*map(consensus_choice, ("Konsens", "Consensus", "konsens (gelernt)"))] == [
            *("consensus", "consensus", "consensus (learned)")
        ]
        assert consensus_choice("Konsens AG") is None
    finally:
        use_language("en")


def test_english_loads_no_list_of_words() -> None:
    program = (
        "import sys\nfrom oddsdesk.cli.main import main\n"
        "main(['devig', '1.9', '1.9'], standalone_mode=False)\n"
        "assert 'oddsdesk.cli.click_words' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
