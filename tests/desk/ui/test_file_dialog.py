"""Dialogs for files, over a folder with a database that is in use."""

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QFileSystemModel
from pytestqt.qtbot import QtBot

import oddsdesk
from oddsdesk.desk.ui.controls.file_dialog import file_dialog

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc/locks is Linux's")


def _locked(folder: Path) -> set[str]:
    """Return the names of the files of a folder on which somebody holds a POSIX lock."""
    held = {
        line.split()[5].rpartition(":")[2]
        for line in Path("/proc/locks").read_text().splitlines()
        if " POSIX " in line and "->" not in line
    }
    return {path.name for path in folder.iterdir() if str(path.stat().st_ino) in held}


def _list_in(dialog: QFileDialog, folder: Path, qtbot: QtBot) -> None:
    """Show a folder in a dialog, until each of its files has its kind."""
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dialog.setDirectory(str(folder))
    dialog.open()
    [model] = dialog.findChildren(QFileSystemModel)
    names = [path.name for path in folder.iterdir()]

    def are_known() -> bool:
        return all(model.type(model.index(str(folder / name))) for name in names)

    qtbot.waitUntil(are_known, timeout=30_000)
    dialog.close()


@pytest.mark.parametrize(
    ("make", "is_kept"), [(file_dialog, True), (QFileDialog, False)], ids=["ours", "of Qt alone"]
)
def test_a_database_keeps_its_locks_while_its_folder_is_listed(
    make: Callable[..., QFileDialog], is_kept: bool, tmp_path: Path, qtbot: QtBot
):
    with closing(sqlite3.connect(tmp_path / "odds.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE quote (odds REAL)")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO quote VALUES (2.0)")
        before = _locked(tmp_path)
        assert before
        _list_in(make(None, "Export"), tmp_path, qtbot)
        assert (_locked(tmp_path) == before) == is_kept
        connection.execute("ROLLBACK")


def test_the_program_makes_no_other_file_dialog():
    package = Path(oddsdesk.__file__).parent
    makers = {
        path.name for path in package.rglob("*.py") if "QFileDialog(" in path.read_text("utf-8")
    }
    assert makers == {"file_dialog.py"}
