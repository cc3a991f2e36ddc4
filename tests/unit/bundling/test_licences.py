"""Nothing under the GPL or AGPL gets into a bundle, and nothing without a notice (issue 5, D87)."""

import re
import tomllib
from pathlib import Path

import PySide6
import pytest
from bundling.licences import licences
from bundling.parts import LicenceError, Part, check_licence, library_licence, owner_of
from bundling.qt_parts import USED, keeps_plugin

ROOT = Path(__file__).parents[3]
INSIDE = tomllib.loads((ROOT / "packaging" / "licences" / "inside.toml").read_text("utf-8"))
QT = Path(PySide6.__path__[0], "Qt")


@pytest.mark.parametrize("licence", ["MIT", "BSD-3-Clause", "Apache-2.0", "MPL-2.0", "LGPL-2.1"])
def test_permissive_and_lesser_licences_are_wanted(licence: str):
    assert check_licence("package", licence) == licence


@pytest.mark.parametrize(
    "licence",
    [
        "GPL-3.0-or-later",
        "AGPL-3.0",
        "GNU General Public License v2 (GPLv2)",
        "GNU Affero General Public License v3",
        "LGPL-3.0-only OR GPL-2.0-only",
    ],
)
def test_the_gpl_stops_the_build(licence: str):
    with pytest.raises(LicenceError, match="package is under"):
        check_licence("package", licence)


def test_qt_is_taken_under_the_lesser_one():
    offered = "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only"
    assert check_licence("PySide6_Essentials", offered) == "LGPL-3.0-only"


def test_a_library_that_nobody_looked_at_stops_the_build():
    assert library_licence("libxcb-cursor.so.0") == "MIT (X11)"
    with pytest.raises(LicenceError, match=r"libreadline\.so\.8"):
        library_licence("libreadline.so.8")


@pytest.mark.parametrize(
    ("place", "owner"),
    [
        ("PySide6/Qt/lib/libQt6Core.so.6", "Qt"),
        ("PySide6/Qt/lib/libicudata.so.73", "ICU"),
        ("PySide6/QtCore.abi3.so", "PySide6_Essentials"),
        ("python3.11/lib-dynload/_ssl.cpython-311-x86_64-linux-gnu.so", "Python"),
        ("libssl.so.3", "libssl.so.3"),
        ("numpy.libs/libgfortran.so.5", "numpy"),
        ("msgspec/_core.cpython-311-x86_64-linux-gnu.so", "msgspec"),
    ],
)
def test_each_compiled_file_is_somebodys(place: str, owner: str):
    assert owner_of(Path(place)).replace("-", "_").lower() == owner.replace("-", "_").lower()


@pytest.mark.parametrize("place", ["scipy.libs/libgfortran.so.5", "nobody/_fast.so"])
def test_a_file_that_is_nobodys_stops_the_build(place: str):
    with pytest.raises(LicenceError, match="nobody knows whose"):
        owner_of(Path(place))


def test_somebody_has_looked_into_each_library_of_qt_that_is_bundled():
    if not QT.is_dir():
        pytest.skip("PySide6 is laid out in another way here")
    plugins = [
        file
        for file in (QT / "plugins").glob("*/*.so")
        if keeps_plugin(file.relative_to(QT / "plugins").as_posix())
    ]
    bundled = {file.stem for file in plugins} | {f"libQt6{module[2:]}" for module in USED}
    assert bundled - {*INSIDE["own"], *(part["inside"] for part in INSIDE["part"])} == set()


def test_what_was_looked_into_is_the_qt_that_is_pinned():
    pins = (ROOT / "packaging" / "constraints.txt").read_text("utf-8")
    pinned = re.search(r"^PySide6_Essentials==(\d+\.\d+)", pins, re.MULTILINE)
    assert pinned is not None
    assert pinned[1] == INSIDE["qt"]


@pytest.mark.parametrize("told", INSIDE["part"], ids=lambda part: part["name"])
def test_each_has_its_copyright_and_a_text(told: dict[str, str]):
    texts = tuple(told.get("texts", (told["licence"],)))
    assert told["copyright"]
    assert texts or told["licence"] == "public domain"
    part = Part(told["name"], "", told["licence"], "Copyright", texts, inside=told["inside"])
    assert f"{told['name']} (in {told['inside']})" in licences(ROOT, [part])


def test_a_common_text_is_there_once_however_many_share_it():
    parts = [Part("oddsdesk", "1", "MIT", "ours")]
    parts += [Part(name, "", "MIT", "theirs", ("MIT",)) for name in ("one", "two")]
    assert licences(ROOT, parts).count("Permission is hereby granted, free of charge") == 1


def test_a_text_that_is_not_there_stops_the_build():
    with pytest.raises(LicenceError, match="no text of Beerware"):
        licences(ROOT, [Part("oddsdesk", "1", "MIT", "ours", ("Beerware",))])
