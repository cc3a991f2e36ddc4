"""What is told of the system's libraries is the same everywhere."""

import re
from pathlib import Path

import pytest
from bundling.system_parts import DEBIAN_DEPENDS

from oddsdesk.desk.shell.system_libraries import LIBRARIES, packages

ROOT = Path(__file__).parents[3]
DEBIAN, FEDORA = packages(LIBRARIES)


def test_ci_installs_what_a_window_needs():
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    listed = re.search(r"packages=\((.+?)\)", script, re.DOTALL)
    assert listed is not None
    libraries = {name for name in listed[1].split() if re.match(r"(lib|zlib)(?!.*-dev$)", name)}
    assert libraries == set(DEBIAN)


@pytest.mark.parametrize(("command", "names"), [("apt", DEBIAN), ("dnf", FEDORA)])
def test_the_page_lists_the_packages(command: str, names: list[str]):
    page = (ROOT / "docs" / "packaging.md").read_text("utf-8").replace("\\\n", "")
    listed = re.search(rf"^ +{command} install (.+)$", page, re.MULTILINE)
    assert listed is not None
    assert listed[1].split() == names


def test_the_readme_leads_to_the_page():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert "(docs/packaging.md#libraries-of-the-system)" in readme
    assert "oddsdesk doctor" in readme


def test_the_package_depends_on_libraries_that_a_window_needs():
    depends = {name.split(" ")[0] for name in DEBIAN_DEPENDS}
    assert depends <= {*DEBIAN, "libc6"}
