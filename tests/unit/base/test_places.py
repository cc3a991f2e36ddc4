"""Where files live: the user's folders, the portable folder, nowhere without a home."""

import importlib.metadata
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from oddsdesk.base import places
from oddsdesk.base.places import distribution, how_to_install


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


def test_a_folder_data_next_to_the_program_keeps_all(program: Path):
    data = program / "data"
    data.mkdir()
    assert places.default_database() == data / "oddsdesk.db"
    assert places.data_folder() == data
    assert places.settings_folder() == data / "settings"
    assert places.log_folder() == data / "logs"


def test_a_link_to_the_program_finds_the_folder_next_to_the_program(
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


def test_earlier_keys_of_two_databases_of_one_name_were_two_files(tmp_path: Path):
    first = places.earlier_access(tmp_path / "a" / "odds.db")
    second = places.earlier_access(tmp_path / "b" / "odds.db")
    assert first is not None
    assert second is not None
    assert first.parent == second.parent
    assert first != second
    assert tmp_path not in first.parents


FOLDERS = (places.default_database, places.data_folder, places.settings_folder, places.log_folder)


@pytest.fixture
def no_home(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Neither HOME nor a variable that names a folder without it."""
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("home", [None, "", "home", "."])
def test_without_a_home_no_folder_is_the_users(
    no_home: pytest.MonkeyPatch, folder: Callable[[], Path], home: str | None
):
    """The password database names one all the same (F2.11)."""
    if home is not None:
        no_home.setenv("HOME", home)
    with pytest.raises(places.NoHomeError, match="HOME is not set"):
        folder()
    assert places.home_folder() is None
    assert places.earlier_access(Path("/odds.db")) is None


def test_a_folder_that_is_named_needs_no_home(no_home: pytest.MonkeyPatch, tmp_path: Path):
    no_home.setenv("XDG_DATA_HOME", str(tmp_path))
    assert places.default_database() == tmp_path / "oddsdesk" / "oddsdesk.db"
    with pytest.raises(places.NoHomeError):
        places.settings_folder()


def test_a_portable_program_needs_no_home(program: Path, no_home: pytest.MonkeyPatch):
    (program / "data").mkdir()
    for folder in FOLDERS:
        assert program / "data" in (folder(), *folder().parents)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site" / "oddsdesk"
    folder.mkdir(parents=True)
    monkeypatch.setattr(places, "_PACKAGE", folder)
    places._root.cache_clear()
    yield folder
    places._root.cache_clear()


def test_a_checkout_has_the_simulators_fixtures() -> None:
    assert places.resource_path("simulator", "bookmakers.json").is_file()


def test_an_installed_package_uses_its_own_folder(package: Path) -> None:
    (package / "resources").mkdir()
    (package.parent / "resources").mkdir()
    assert places.resource_path("icons") == package / "resources" / "icons"


def test_a_bundle_uses_its_data_folder(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bundle" / "resources").mkdir(parents=True)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path / "bundle"), raising=False)
    assert places.resource_path("icons") == tmp_path / "bundle" / "resources" / "icons"


def test_without_any_the_checkout_is_named(package: Path) -> None:
    assert places.resource_path("icons") == package.parent / "resources" / "icons"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["oddsdesk", "click"], "pip install 'oddsdesk[archive]'"),
        (["click", "oddsdesk-server"], "pip install 'oddsdesk-server[archive]'"),
        (["oddsdesk-server", "oddsdesk"], "pip install 'oddsdesk[archive]'"),
        ([], "pip install 'oddsdesk[archive]'"),
    ],
)
def test_a_server_s_installation_is_told_of_the_server_s_extras(
    monkeypatch: pytest.MonkeyPatch, names: list[str], said: str
) -> None:
    """The files of both are the same: the desk's distribution would be a second owner of them."""
    found = [SimpleNamespace(name=name, read_text=lambda _file: None) for name in names]
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: found)
    assert how_to_install("archive") == said
    assert distribution() in said


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ('{"dir_info": {"editable": true}, "url": "file:///a"}', "pip install -e '.[xlsx]'"),
        ('{"dir_info": {}, "url": "file:///a"}', "pip install '.[xlsx]'"),
        ('{"archive_info": {}, "url": "file:///a.whl"}', "pip install 'oddsdesk[xlsx]'"),
    ],
)
def test_an_installation_of_a_checkout_is_told_of_the_checkout(
    monkeypatch: pytest.MonkeyPatch, told: str, said: str
) -> None:
    """What an index has by that name would take its place."""
    files = {"direct_url.json": told}
    found = [SimpleNamespace(name="oddsdesk", read_text=files.get)]
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: found)
    assert how_to_install("xlsx") == said
