"""The files by which a desktop knows the program say the same as the program."""

import configparser
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from bundling.metainfo import ENTRY, METAINFO, SCREENSHOTS, metainfo
from bundling.versions import Build

ROOT = Path(__file__).parents[3]
ADDRESS = "https://example.org/odds/desk"
CHANGES = """
## [1.2.3] - 2023-11-14

### Desk

- **Value bets
  and stakes**: with <EV>.
- Small things.

### If you ran a development build

- **Scripts**: change them.

## [1.2.2] - 2023-10-01

- **Older**
"""
BUILD = Build("1.2.3", "c0ffee", 1_700_000_000)
DESKTOP = Path(__file__).parents[3] / "resources" / "desktop"


def test_the_desktop_entry_starts_the_desk():
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[method-assign, assignment]
    entry.read(DESKTOP / ENTRY)
    assert entry["Desktop Entry"]["Exec"] == "oddsdesk"
    assert entry["Desktop Entry"]["Icon"] == "oddsdesk"
    assert (DESKTOP / "oddsdesk.svg").exists()


def test_the_metadata_names_the_entry():
    root = ET.parse(DESKTOP / METAINFO).getroot()
    assert root.findtext("launchable") == ENTRY
    assert root.findtext("project_license") == "MIT"


def sources(folder: Path, address: str) -> Path:
    """The files that the metadata are made of."""
    shutil.copytree(DESKTOP, folder / "resources" / "desktop")
    (folder / "pyproject.toml").write_text(f'[tool.oddsdesk]\naddress = "{address}"\n')
    (folder / "CHANGELOG.md").write_text(CHANGES)
    return folder


def test_the_metadata_name_this_release_and_those_before(tmp_path: Path):
    root = ET.fromstring(metainfo(sources(tmp_path, ""), BUILD))
    releases = [release.attrib for release in root.iter("release")]
    assert releases == [
        {"version": "1.2.3", "date": "2023-11-14", "type": "stable"},
        {"version": "1.2.2", "date": "2023-10-01"},
    ]
    assert [each.text for each in root.iter("li")][-1:] == ["Value bets and stakes"]
    assert not list(root.iter("screenshot")), "there is no address that they could be at"


def test_where_the_sources_are_public_it_shows_pictures_of_this_commit(tmp_path: Path):
    root = ET.fromstring(metainfo(sources(tmp_path, f"{ADDRESS}/"), BUILD))
    images = [image.text for image in root.iter("image")]
    assert images == [f"{ADDRESS}/raw/c0ffee/docs/pictures/{file}" for file in SCREENSHOTS]
    assert all((ROOT / "docs" / "pictures" / file).is_file() for file in SCREENSHOTS)
    assert root.findtext("url") == ADDRESS


def test_what_is_on_the_way_to_a_release_is_called_so(tmp_path: Path):
    root = ET.fromstring(metainfo(sources(tmp_path, ""), Build("1.2.4.dev3+gc0ffee", "c", 1)))
    first = next(root.iter("release"))
    assert (first.get("version"), first.get("type")) == ("1.2.4.dev3", "development")


@pytest.mark.parametrize("address", ["", ADDRESS])
def test_appstream_finds_nothing_wrong(address: str, tmp_path: Path):
    if shutil.which("appstreamcli") is None:
        pytest.skip("appstreamcli is not installed")
    file = tmp_path / "org.oddsdesk.oddsdesk.metainfo.xml"
    file.write_text(metainfo(sources(tmp_path / "sources", address), BUILD))
    heard = subprocess.run(
        ["appstreamcli", "validate", "--no-net", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert heard.returncode == 0, heard.stdout
