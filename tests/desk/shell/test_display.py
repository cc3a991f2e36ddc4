"""Libraries that a window lacks are named all at once, with the packages to install."""

import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from oddsdesk.desk.shell.display import (
    LIBRARIES,
    Library,
    install_line,
    missing_libraries,
    missing_qt_libraries,
    unloadable_plugin,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere Qt needs nothing")

NONE = (
    Library("libnone-a.so.7", "libnone-a7", "none-a"),
    Library("libnone-b.so.7", "libnone-b7", "none", x11=True),
    Library("libnone-c.so.7", "libnone-c7", "none", x11=True),
)
PYSIDE = "PySide6"
PARTS = (
    "lib/libQt6Core.so.6",
    "lib/libQt6DBus.so.6",
    "lib/libQt6Gui.so.6",
    "lib/libQt6Svg.so.6",
    "lib/libQt6Widgets.so.6",
    "lib/libQt6XcbQpa.so.6",
    "plugins/platforms/libqxcb.so",
    "plugins/platforms/libqoffscreen.so",
)
THE_C_LIBRARY = re.compile(r"(libc|libm|libdl|libpthread|librt|ld-linux-[\w-]+)\.so")
OF_QT = re.compile(r"lib(Qt6|icu)")


def test_everything_that_is_missing_is_found_at_once():
    known = (*NONE, Library("libc.so.6", "libc6", "glibc"))
    assert missing_libraries(x11=True, known=known) == list(NONE)


def test_where_there_is_no_x11_its_libraries_are_not_missed():
    assert missing_libraries(x11=False, known=NONE) == [NONE[0]]


def test_the_line_names_files_and_every_package_once():
    assert install_line(NONE) == (
        "3 system libraries are missing (libnone-a.so.7, libnone-b.so.7, libnone-c.so.7); install: "
        "apt install libnone-a7 libnone-b7 libnone-c7 (Debian, Ubuntu) "
        "or: dnf install none-a none (Fedora)"
    )
    assert install_line(NONE[:1]).startswith("a system library is missing (libnone-a.so.7)")


def test_a_library_that_nobody_knew_of_is_named_by_its_file():
    def load(name: str) -> None:
        if name.endswith("libqxcb.so"):
            raise OSError("libnew.so.1: cannot open shared object file: No such file or directory")

    assert unloadable_plugin(load) == "libnew.so.1"


def test_this_machine_lacks_nothing(monkeypatch):
    monkeypatch.delenv("QT_QPA_PLATFORM")
    assert missing_qt_libraries() is None


def test_nothing_of_qt_is_imported_to_look():
    program = (
        "import sys, oddsdesk.cli.doctor as window; window.check_display(); "
        "print([name for name in sys.modules if name.startswith(('PySide6', 'shiboken6'))])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stdout.strip() == "[]"


def test_the_table_holds_whatever_qt_is_linked_to():
    readelf = shutil.which("readelf")
    if readelf is None:
        pytest.skip("binutils is not installed")
    linked: set[str] = set()
    for part in PARTS:
        path = Path(__import__(PYSIDE).__path__[0], "Qt", part)
        heard = subprocess.run(
            [readelf, "-d", str(path)], capture_output=True, text=True, check=True
        )
        linked.update(re.findall(r"\(NEEDED\).*\[(.+)\]", heard.stdout))
    foreign = {name for name in linked if not THE_C_LIBRARY.match(name) and not OF_QT.match(name)}
    assert foreign == {library.file for library in LIBRARIES}


def test_debian_holds_each_library_in_its_package():
    """In the lists of what is installed, which `dpkg -S` takes 12 s to search."""
    lists = Path("/var/lib/dpkg/info")
    if not lists.is_dir():
        pytest.skip("no Debian")
    held: defaultdict[str, set[str]] = defaultdict(set)
    for files in lists.glob("*.list"):
        for line in files.read_text().splitlines():
            held[line.rpartition("/")[2]].add(files.stem.partition(":")[0].removesuffix("t64"))
    for library in LIBRARIES:
        assert not held[library.file] or library.debian in held[library.file], library.file
