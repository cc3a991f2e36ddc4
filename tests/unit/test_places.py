"""Where files live: the user's folders, the portable folder, keys of a read-only database."""

import sys
from pathlib import Path

import pytest

from oddsdesk import places


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The folder of a bundled program; what is remembered of it is forgotten afterwards."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "oddsdesk"))
    places.portable_folder.cache_clear()
    yield tmp_path
    places.portable_folder.cache_clear()


def test_everything_is_in_the_users_folders_without_a_folder_data(program: Path):
    assert places.portable_folder() is None
    assert program not in places.default_database().parents
    assert places.settings_folder() != places.data_folder()


def test_a_folder_data_beside_the_program_keeps_all(program: Path):
    data = program / "data"
    data.mkdir()
    assert places.default_database() == data / "oddsdesk.db"
    assert places.data_folder() == data
    assert places.settings_folder() == data / "settings"
    assert places.log_folder() == data / "logs"


def test_a_link_to_the_program_finds_the_folder_beside_the_program(
    program: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
):
    (program / "data").mkdir()
    (program / "oddsdesk").touch()
    link = tmp_path_factory.mktemp("bin") / "oddsdesk"
    link.symlink_to(program / "oddsdesk")
    monkeypatch.setattr(sys, "executable", str(link))
    assert places.portable_folder() == program / "data"


def test_a_python_has_no_portable_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    (tmp_path / "data").mkdir()
    places.portable_folder.cache_clear()
    assert places.portable_folder() is None
    places.portable_folder.cache_clear()


def test_a_database_to_be_made_can_be_written_where_its_folder_can(tmp_path: Path):
    assert places.can_write(tmp_path / "new" / "deep" / "odds.db")


def test_keys_of_two_databases_of_one_name_are_two_files(tmp_path: Path):
    first = places.access_beside_user(tmp_path / "a" / "odds.db")
    second = places.access_beside_user(tmp_path / "b" / "odds.db")
    assert first.parent == second.parent
    assert first != second
    assert tmp_path not in first.parents
