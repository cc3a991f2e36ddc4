"""Qt's Unicode tables can be made smaller and still be read."""

import shutil
import struct
import subprocess
import sys
from pathlib import Path

import PySide6
import pytest
from bundling.icu import IcuError, _items, _pack, trim_library, trim_tables

HEAD = struct.pack("<HBB", 32, 0xDA, 0x27) + bytes(8) + b"CmnD" + bytes(16)
ASKS_QT = """
from PySide6.QtCore import QCollator, QLocale, QTimeZone
german, swedish = QCollator(QLocale("de")), QCollator(QLocale("sv"))
assert german.compare("\\u00e4", "b") < 0 < swedish.compare("\\u00e4", "z")
assert QLocale("tr").toUpper("i") == "\\u0130"
assert QTimeZone(b"Europe/London").isValid()
assert QLocale("de").currencySymbol() == "\\u20ac"
assert "\\ufb01".upper() == "FI"
"""


def test_items_left_out_are_gone_and_the_others_unchanged():
    items = [
        (b"icudt73l/coll/de.res", b"collation"),
        (b"icudt73l/curr/de.res", b"names of currencies"),
        (b"icudt73l/ibm-37.cnv", b"an encoding"),
        (b"icudt73l/root.res", b"x" * 33),
    ]
    trimmed = trim_tables(HEAD + _pack(items))
    kept = {name: data.rstrip(b"\0") for name, data in _items(trimmed, len(HEAD))}
    assert trimmed.startswith(HEAD)
    assert kept == {items[0][0]: items[0][1], items[3][0]: items[3][1]}


def test_items_are_aligned():
    packed = _pack([(b"icudt73l/a.res", b"abc"), (b"icudt73l/b.res", b"d")])
    assert struct.unpack_from("<II", packed, 4)[1] % 16 == 0
    assert struct.unpack_from("<II", packed, 12)[1] % 16 == 0


def test_what_is_no_common_data_is_refused():
    with pytest.raises(IcuError):
        trim_tables(bytes(100))


def test_qt_finds_what_it_needs_in_the_smaller_library(tmp_path: Path):
    libraries = list(Path(PySide6.__path__[0], "Qt", "lib").glob("libicudata.so.*"))
    if not libraries or not all(map(shutil.which, ("ld", "objcopy"))):
        pytest.skip("needs binutils, and a PySide6 that brings ICU")
    library = tmp_path / libraries[0].name
    shutil.copyfile(libraries[0], library)
    trim_library(library, tmp_path / "work")
    assert library.stat().st_size < libraries[0].stat().st_size / 2
    environment = {"LD_PRELOAD": str(library), "PATH": "/usr/bin:/bin"}
    heard = subprocess.run(
        [sys.executable, "-c", ASKS_QT], env=environment, capture_output=True, text=True
    )
    assert (heard.returncode, heard.stderr) == (0, "")
