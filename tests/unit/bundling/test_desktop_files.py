"""The files by which a desktop knows the program say the same as the program."""

import configparser
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

DESKTOP = Path(__file__).parents[3] / "resources" / "desktop"


def test_the_desktop_entry_starts_the_desk():
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[method-assign, assignment]
    entry.read(DESKTOP / "oddsdesk.desktop")
    assert entry["Desktop Entry"]["Exec"] == "oddsdesk"
    assert entry["Desktop Entry"]["Icon"] == "oddsdesk"
    assert (DESKTOP / "oddsdesk.svg").exists()


def test_the_metadata_names_the_entry():
    root = ET.parse(DESKTOP / "oddsdesk.metainfo.xml").getroot()
    assert root.findtext("launchable") == "oddsdesk.desktop"
    assert root.findtext("project_license") == "MIT"


def test_appstream_finds_nothing_wrong():
    if shutil.which("appstreamcli") is None:
        pytest.skip("appstreamcli is not installed")
    heard = subprocess.run(
        ["appstreamcli", "validate", "--no-net", str(DESKTOP / "oddsdesk.metainfo.xml")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert heard.returncode == 0, heard.stdout
