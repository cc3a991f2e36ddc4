"""What is told of the system's libraries is the same everywhere."""

import re
import shutil
from pathlib import Path

import PySide6
import pytest
from bundling.depends import depends_of

from oddsdesk.desk.shell.display import LIBRARIES, packages

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


@pytest.fixture
def some_of_qt(tmp_path: Path) -> Path:
    """Of what is bundled of Qt for a window, and on Wayland."""
    if shutil.which("dpkg-shlibdeps") is None:
        pytest.skip("dpkg-dev is not installed")
    bundle, qt = tmp_path / "bundle", Path(PySide6.__path__[0], "Qt")
    bundle.mkdir()
    for name in ("Core", "DBus", "Gui", "WaylandClient"):
        shutil.copy(qt / "lib" / f"libQt6{name}.so.6", bundle)
    for file in (qt / "lib").glob("libicu*"):
        shutil.copy(file, bundle)
    return bundle


def test_the_package_depends_on_libraries_that_a_window_needs(some_of_qt: Path, tmp_path: Path):
    told = depends_of(some_of_qt, tmp_path / "work")
    depends = {each.split(" ")[0] for each in told.split(", ")}
    assert {"libc6", "libegl1", "libgl1", "libx11-6", "libdbus-1-3", "libfontconfig1"} <= depends
    assert depends <= {*DEBIAN, "libc6"}
    assert re.search(r"libc6 \(>= 2\.\d+\)", told), "whose symbols are used"
