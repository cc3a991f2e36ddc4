"""Formats of installed packages are read like ours; a broken one is one problem line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from oddsdesk.contract.formats import GROUP, OWN_FORMATS, FileFormat, file_formats
from oddsdesk.contract.times import format_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import Imported, Importer
from oddsdesk.feeds.importing import load_importer, read_files
from oddsdesk.feeds.replay import open_replay, read_recording
from tests.kit.packages import install_package

PAGE = Path(__file__).parents[3] / "docs" / "feeds.md"
LIST = """home,away,league,starts,seen,1,X,2
Arsenal,Chelsea,EPL,2025-01-04T15:00:00Z,2025-01-04T12:00:00Z,2.1,3.4,3.8
Arsenal,,EPL,soon,2025-01-04T12:00:00Z,2.1,3.4,3.8
Everton,Leeds,EPL,2025-01-04T15:00:00Z,2025-01-04T12:00:00Z,2.1,0.1,3.8
"""


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install the page's package, and one whose formats are broken; return their folder."""
    section = PAGE.read_text("utf-8").partition("## A format of your own as a package\n")[2]
    module = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    pyproject = re.search(r"```toml\n(.*?)```", section, re.DOTALL)
    assert module
    assert pyproject
    (tmp_path / "corner_list.py").write_text(module[1])
    entry = re.search(r"^corner-list = .*", pyproject[1], re.MULTILINE)
    assert entry
    install_package(
        tmp_path, "oddsdesk-corner-list", f"[{GROUP}]\n{entry[0].replace(chr(34), '')}\n"
    )
    (tmp_path / "sloppy.py").write_text(
        "from oddsdesk.contract.results import GameResult\n"
        "from oddsdesk.feeds.imported import Imported, Importer\n"
        "fails = Importer(lambda files: 1 / 0)\n"
        "other = Importer(lambda files: 'quotes')\n"
        "goals = [GameResult('EPL', 'A - B', 0, 'two', 1)]\n"
        "results = Importer(lambda files: Imported(results=goals))\n"
        "from oddsdesk.contract.series import GameSeries, SeriesPoint\n"
        "point = SeriesPoint('moneyline', 0, 'best', True, 0, {'A': 2.0, 'B': 1.9})\n"
        "good, bad = (GameSeries('NBA', n, 0, (point,), source='x') for n in ('A - B', '?'))\n"
        "series = Importer(lambda files: Imported(series=[good, bad]))\n"
    )
    broken = ("absent = no_such_module:IMPORTER", "fails = sloppy:fails", "other = sloppy:other")
    broken += ("results = sloppy:results", "series = sloppy:series")
    wrong = ("none = sloppy:Importer", "unwritable = :", "pinnacle = sloppy:fails")
    install_package(tmp_path, "sloppy", "\n".join([f"[{GROUP}]", *broken, *wrong]))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "corner_list", raising=False)
    monkeypatch.delitem(sys.modules, "sloppy", raising=False)
    return tmp_path


@pytest.fixture
def prices(packages: Path) -> Path:
    path = packages / "prices.csv"
    path.write_text(LIST)
    return path


def read(name: str, *places: Path) -> Imported:
    return read_files(name, map(str, places), lambda _prices: None)


def test_each_of_ours_is_there() -> None:
    assert tuple(file_formats()) == OWN_FORMATS
    assert all(isinstance(load_importer(each.name), Importer) for each in OWN_FORMATS)


def test_the_format_of_a_package_is_listed_after_ours_by_its_package(packages: Path) -> None:
    ours, others = file_formats()[: len(OWN_FORMATS)], file_formats()[len(OWN_FORMATS) :]
    assert tuple(ours) == OWN_FORMATS
    assert [each.name for each in others] == [
        *("absent", "corner-list", "fails", "none", "other", "results", "series", "unwritable")
    ]
    assert others[1] == FileFormat(
        "corner-list", "corner-list (package oddsdesk-corner-list)", "corner_list:IMPORTER"
    )


def test_the_format_of_the_page_keeps_or_counts_each_price(prices: Path) -> None:
    imported = read("corner-list", prices)
    assert [quote.odds for quote in imported.quotes] == [
        {"Arsenal": 2.1, "Draw": 3.4, "Chelsea": 3.8},
        {"Everton": 2.1, "Leeds": 3.8},
    ]
    assert imported.skipped == {"broken line": 3, "draw without a possible price": 1}
    (problem,) = imported.problems
    assert problem.startswith(f"{prices} line 3: ")


def test_the_format_of_a_package_is_replayed(prices: Path) -> None:
    (moment,) = read_recording(f"corner-list:{prices}").moments
    assert format_ms(moment.at) == "2025-01-04T12:00:00.000Z"
    origin = open_replay(f"corner-list:{prices}", 1.0).origin
    assert origin is not None
    assert origin.source == "corner-list"


def test_the_series_of_a_package_are_checked(prices: Path) -> None:
    imported = read("series", prices)
    assert [each.match_name for each in imported.series] == ["A - B"]
    assert imported.skipped == {"broken market": 2}
    assert imported.problems == [f"{prices}: ?: match_name: expected a name, got '?'"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("absent", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("unwritable", "ValueError: "),
        ("none", "sloppy:Importer is not an Importer"),
    ],
)
def test_a_format_that_cannot_be_loaded_says_why_in_a_line(
    prices: Path, name: str, reason: str
) -> None:
    (problem,) = read(name, prices).problems
    assert problem.startswith(f"format {name}")
    assert reason in problem
    assert "\n" not in problem
    with pytest.raises(FeedError, match=f"^format {name}"):
        open_replay(f"{name}:{prices}", 1.0)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("fails", "format fails (sloppy:fails): ZeroDivisionError: division by zero"),
        ("other", "format other (sloppy:other): TypeError: "),
        (
            "results",
            "format results (sloppy:results): ValidationError: Expected `int | null`, got `str`",
        ),
    ],
)
def test_a_format_that_fails_on_a_file_says_so_of_the_file(
    prices: Path, name: str, reason: str
) -> None:
    imported = read(name, prices, prices)
    assert [each.startswith(f"{prices}: {reason}") for each in imported.problems] == [True, True]


def test_a_format_of_ours_keeps_its_name_and_unknown_ones_are_told(prices: Path) -> None:
    (problem, *_) = read("pinnacle", prices).problems
    assert problem.startswith(f"{prices}: expected Pinnacle's v3 odds")
    (problem,) = read("nobody's", prices).problems
    assert problem.startswith('no format "nobody\'s"; formats are football')


def test_the_command_imports_the_format_of_a_package(prices: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(prices.parent)}
    command = [sys.executable, "-m", "oddsdesk", "import"]
    read = subprocess.run(
        [*command, "corner-list", str(prices), "--to", "-"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert read.stdout.count("\n") == 2
    assert "prices 9, kept 5, skipped 4" in read.stderr
    told = subprocess.run(
        [*command, "--help"], env=environment, capture_output=True, text=True, timeout=60
    )
    assert "corner-list     corner-list (package oddsdesk-corner-list)" in told.stdout
    assert all(each.title in told.stdout for each in OWN_FORMATS)
