"""What the desk shows in another language: everything is translated, and nothing is cut."""

import json
import subprocess
import sys

import pytest

from tests.kit.pseudo_walk import untranslated

TRANSLATED = (
    "alerts",
    "bets",
    "bookmakers",
    "connections",
    "export",
    "grid",
    "history",
    "local_server",
    "matrix",
    "navigator",
    "opportunities",
    "promotions",
    "research",
    "settings",
    "shell",
    "ui",
    "value_bets",
)
"""Rooms that show no English any more; add each room whose texts have been marked."""
NOT_YET = frozenset(
    {
        *("Additive", "Goto", "Margin proportional", "Multiplicative", "Odds ratio", "Power"),
        *("Probit", "Published", "Shin"),  # devig methods
    }
)
WALK = """
from oddsdesk.base import texts
texts.use_language(texts.PSEUDO)
from tests.kit.pseudo_walk import main
main()
"""
TITLES = """
from oddsdesk.base import texts
texts.use_language(texts.PSEUDO)
from oddsdesk.desk.bets import accounts, reports
from oddsdesk.desk.grid import columns
from oddsdesk.desk.opportunities import model as opportunities
from oddsdesk.desk.promotions import model as promotions
from oddsdesk.desk.research import results_panel
from oddsdesk.desk.value_bets import model as value_bets
tables = (
    *(accounts.COLUMNS, reports.COLUMNS, columns.COLUMNS, opportunities.COLUMNS),
    *(promotions.HEDGED_COLUMNS, promotions.UNHEDGED_COLUMNS, results_panel.COLUMNS),
    value_bets.COLUMNS,
)
for column in (column for table in tables for column in table):
    print(*(each.title for each in column.exported), sep="\\n")
"""
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@pytest.fixture(scope="module")
def walked() -> dict[str, list[str]]:
    """What the walk found: untranslated texts by room, buttons that are cut, a count of texts."""
    ended = subprocess.run(
        [sys.executable, "-c", WALK], capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stderr[-2_000:]
    found: dict[str, list[str]] = json.loads(ended.stdout.splitlines()[-1])
    return found


def test_the_walk_sees_the_whole_desk(walked: dict[str, list[str]]) -> None:
    assert int(walked["count"][0]) > 1_500


def test_words_outside_brackets_are_found() -> None:
    assert untranslated("Open game")
    assert untranslated("[Ópéñ gámé··] in Chelsea")
    assert not untranslated("[Ópéñ gámé··] Everton 2.10 (P)")


@pytest.mark.parametrize("room", TRANSLATED)
def test_a_translated_room_shows_no_english(room: str, walked: dict[str, list[str]]) -> None:
    english = [
        text
        for text in walked.get(room, ())
        if text not in NOT_YET and not any(day in text for day in DAYS) and "…" not in text[:4]
    ]
    assert english == []


def test_no_button_is_too_narrow_for_longer_words(walked: dict[str, list[str]]) -> None:
    cut = [each for each in walked["cut"] if each.partition(":")[0] in TRANSLATED]
    assert cut == []


def test_titles_in_exported_files_are_english() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", TITLES], capture_output=True, text=True, timeout=60, check=True
    )
    titles = ended.stdout.split("\n")
    assert len(titles) > 100
    assert [title for title in titles if "[" in title] == []
