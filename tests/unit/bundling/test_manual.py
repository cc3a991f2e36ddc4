"""Manual pages are made from the commands themselves."""

import shutil
import subprocess

import pytest
from bundling.manual import manual_pages


def test_each_command_and_option_is_in_its_page():
    pages = manual_pages()
    assert ".SS oddsdesk serve" in pages["oddsdesk.1"]
    assert ".SS oddsdesk keys create" in pages["oddsdesk.1"]
    assert r"\-\-database FILE|URL" in pages["oddsdesk-server.1"]
    assert "football\\-data   football\\-data.co.uk (CSV, XLSX)\n" in pages["oddsdesk-server.1"]
    assert ".SS oddsdesk\\-server desk" not in pages["oddsdesk-server.1"]


def test_man_can_read_them():
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    for name, page in manual_pages().items():
        heard = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, capture_output=True, text=True
        )
        assert (heard.returncode, heard.stderr) == (0, ""), name
