"""The server for pip is oddsdesk without what only a desk needs (D86)."""

import re
import tomllib
from pathlib import Path

import pytest
from bundling import distributions
from bundling.distributions import DistributionError, as_server

ROOT = Path(__file__).parents[3]
PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
DESK = tomllib.loads(PROJECT)["project"]
SERVER = tomllib.loads(as_server(PROJECT))["project"]


def names(needs: list[str]) -> set[str]:
    return {re.split(r"[^\w.-]", need, maxsplit=1)[0] for need in needs}


def test_the_server_needs_neither_qt_nor_a_keyring():
    left_out = names(DESK["dependencies"]) - names(SERVER["dependencies"])
    assert left_out == {"PySide6-Essentials", "numpy", "qasync", "keyring"}
    assert set(SERVER["dependencies"]) < set(DESK["dependencies"])


def test_the_server_can_be_given_the_desk():
    extras = SERVER["optional-dependencies"]
    assert {*SERVER["dependencies"], *extras["desk"]} == set(DESK["dependencies"])
    assert names(extras["keyring"]) == {"keyring"}
    for name, needs in DESK["optional-dependencies"].items():
        assert extras[name] == needs


def test_both_have_the_same_programs_and_say_who_they_are():
    assert SERVER["scripts"] == DESK["scripts"]
    assert (DESK["name"], SERVER["name"]) == ("oddsdesk", "oddsdesk-server")
    assert not any("Qt" in line for line in SERVER["classifiers"])
    assert (ROOT / SERVER["readme"]).is_file()


def test_a_project_that_says_something_else_stops_the_build():
    with pytest.raises(DistributionError, match="name"):
        as_server(PROJECT.replace('name = "oddsdesk"', 'name = "oddsdesk2"'))


def test_they_are_built_into_a_folder_of_where_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """As README says it: what builds them works elsewhere."""
    built: list[Path] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        distributions, "build_distributions", lambda _root, _work, target: built.append(target)
    )
    distributions.main("dist")
    assert built == [tmp_path / "dist"]
    assert built[0].is_dir()


@pytest.mark.parametrize("page", ["README.md", "docs/packaging.md", "packaging/server/README.md"])
def test_no_page_takes_the_server_from_an_index(page: str):
    assert not re.search(r"pip install oddsdesk-server\b", (ROOT / page).read_text("utf-8"))
