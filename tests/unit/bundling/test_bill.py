"""The bill of materials names what is bundled, file by file; builds have it judged (D87)."""

import json
from pathlib import Path

import pytest
from bundling.bill import bill_of
from bundling.parts import Part
from bundling.versions import Build

BUILD = Build("1.2.3", "c0ffee", 1_700_000_000)
LIBRARY = Path("lib/PySide6/Qt/lib/libQt6Core.so.6")
PARTS = [
    Part("oddsdesk", "1.2.3", "MIT AND OFL-1.1", "ours", purl="pkg:pypi/oddsdesk@1.2.3"),
    Part("Qt", "6.11.3", "LGPL-3.0-only", purl="pkg:generic/qt@6.11.3", files=(LIBRARY,)),
    Part("PCRE2", "", "BSD-3-Clause WITH PCRE2-exception", "theirs", inside="libQt6Core"),
    Part("libssl.so.3", "3.0", "public domain", "none", purl="pkg:deb/debian/libssl3@3.0"),
    Part("libcrypto.so.3", "3.0", "Apache-2.0", "theirs", purl="pkg:deb/debian/libssl3@3.0"),
]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    file = tmp_path / LIBRARY
    file.parent.mkdir(parents=True)
    file.write_bytes(b"\x7fELF")
    return tmp_path


def test_a_part_has_its_files_and_what_lies_inside_them(bundle: Path):
    bill = json.loads(bill_of("oddsdesk", BUILD, bundle, PARTS))
    qt, ssl, both = bill["components"]
    file, inside = qt["components"]
    assert file["name"] == LIBRARY.as_posix()
    assert len(file["hashes"][0]["content"]) == 64
    assert inside["name"] == "PCRE2"
    assert ssl["licenses"] == [{"license": {"name": "public domain"}}]
    needs = [component["bom-ref"] for component in (qt, ssl, both)]
    assert bill["dependencies"] == [{"ref": "oddsdesk", "dependsOn": needs}]
    assert len(set(needs)) == 3, "also of two libraries from one package"


def test_it_says_which_commit_and_nothing_of_when_or_where_it_was_built(bundle: Path):
    bill = bill_of("oddsdesk", BUILD, bundle, PARTS)
    assert bill == bill_of("oddsdesk", BUILD, bundle, PARTS)
    assert json.loads(bill)["metadata"]["timestamp"] == "2023-11-14T22:13:20+00:00"
    assert "c0ffee" in bill
    assert str(bundle) not in bill


def test_another_commit_is_another_bill(bundle: Path):
    numbers = {
        json.loads(bill_of("oddsdesk", build, bundle, PARTS))["serialNumber"]
        for build in (BUILD, BUILD._replace(commit="decade"))
    }
    assert len(numbers) == 2
