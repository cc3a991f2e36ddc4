"""What the desk shows in another language: everything is translated, and nothing is cut."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.kit.pseudo_walk import words

WALK = """
from oddsdesk.base import texts
texts.use_language(texts.PSEUDO)
from tests.kit.pseudo_walk import main
main(every_action={every_action})
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


@pytest.fixture(scope="module")
def walked(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What the walk found: untranslated texts and cut ones by room, and a count of texts.

    With ``--every-season`` it triggers every action, which takes minutes.
    """
    program = WALK.format(every_action=request.config.getoption("--every-season"))
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=500, check=False
    )
    assert ended.returncode == 0, ended.stderr[-2_000:]
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return found


def test_the_walk_sees_the_whole_desk(walked: dict[str, Any]) -> None:
    assert walked["count"] > 100_000


def test_words_outside_brackets_are_found() -> None:
    assert words("Open game") == ["Open", "game"]
    assert words("[Ópéñ gámé··] in Chelsea") == ["Chelsea"]
    assert words("[Ópéñ [twó] gámé··] 2.10 (P)") == []


def test_no_text_of_the_desk_is_untranslated(walked: dict[str, Any]) -> None:
    assert walked["untranslated"] == {}


def test_no_text_of_the_desk_is_cut(walked: dict[str, Any]) -> None:
    assert walked["cut"] == {}


def test_titles_in_exported_files_are_english() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", TITLES], capture_output=True, text=True, timeout=60, check=True
    )
    titles = ended.stdout.split("\n")
    assert len(titles) > 100
    assert [title for title in titles if "[" in title] == []
