"""Nothing under the GPL or AGPL gets into the bundle (issue 5)."""

import pytest
from bundling.licences import LicenceError, check_licence, library_licence


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
