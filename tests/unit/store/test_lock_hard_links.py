"""A database under two names, which have a write-ahead log each."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import check_in_place, check_one_name, lock_database

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

HOLDS_IT = "import sys; held = open(sys.argv[1], 'rb'); print('open', flush=True); input()"


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Path]:
    """A file that another process has open."""
    path = tmp_path / "odds.db"
    path.touch()
    command = [sys.executable, "-c", HOLDS_IT, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "open\n"
        yield path
        program.communicate("\n")


def test_a_file_that_is_open_under_another_name_is_neither_served_nor_recorded_into(
    held: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.db"
    other.hardlink_to(held)
    for use in (check_one_name, lock_database, check_in_place):
        with pytest.raises(
            StoreError, match=rf"other\.db: process \d+ has it open under another name, {held};"
        ):
            use(other)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["odds.db", "other.db"]


def test_the_name_that_it_is_open_under_is_used_by_any_number(held: Path, tmp_path: Path) -> None:
    (tmp_path / "snapshot.db").hardlink_to(held)
    link = tmp_path / "link.db"
    link.symlink_to(held)
    for path in (held, link):
        check_in_place(path)
        lock_database(path).release_lock()


def test_two_names_that_nobody_has_open_are_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    path.touch()
    (tmp_path / "snapshot.db").hardlink_to(path)
    lock_database(path).release_lock()
