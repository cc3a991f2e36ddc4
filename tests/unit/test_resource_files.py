"""Finding the program's own files."""

import sys
from pathlib import Path

import pytest

from oddsdesk import resource_files


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site" / "oddsdesk"
    folder.mkdir(parents=True)
    monkeypatch.setattr(resource_files, "_PACKAGE", folder)
    resource_files._root.cache_clear()
    yield folder
    resource_files._root.cache_clear()


def test_a_checkout_has_the_simulators_fixtures() -> None:
    assert resource_files.resource_path("simulator", "bookmakers.json").is_file()


def test_an_installed_package_uses_its_own_folder(package: Path) -> None:
    (package / "resources").mkdir()
    (package.parent / "resources").mkdir()
    assert resource_files.resource_path("icons") == package / "resources" / "icons"


def test_a_bundle_uses_its_data_folder(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bundle" / "resources").mkdir(parents=True)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path / "bundle"), raising=False)
    assert resource_files.resource_path("icons") == tmp_path / "bundle" / "resources" / "icons"


def test_without_any_the_checkout_is_named(package: Path) -> None:
    assert resource_files.resource_path("icons") == package.parent / "resources" / "icons"
