"""Commands whose output cannot be written say so in one line, and lose nothing in silence."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the shells of others")

FULL = Path("/dev/full")


def ended(redirection: str, *arguments: str) -> tuple[int, str]:
    """Run a command in a shell; return its status and what it said on standard error."""
    command = ["sh", "-c", f'exec "$0" "$@" {redirection}', sys.executable, "-m", "oddsdesk"]
    result = subprocess.run([*command, *arguments], stderr=subprocess.PIPE, text=True)
    return result.returncode, result.stderr


@pytest.mark.skipif(not FULL.exists(), reason="only Linux plays a full disk")
@pytest.mark.parametrize("arguments", [("devig", "1.9", "1.9"), ("--help",)])
def test_a_full_disk_under_the_output_is_one_line_and_1(arguments: tuple[str, ...]):
    said = "Error: standard output cannot be written: No space left on device\n"
    assert ended(f">{FULL}", *arguments) == (1, said)


def test_a_closed_output_is_one_line_and_1():
    said = "Error: standard output cannot be written: Bad file descriptor\n"
    assert ended(">&-", "devig", "1.9", "1.9") == (1, said)


def test_a_file_that_is_opened_is_not_taken_for_a_closed_output(tmp_path: Path):
    """It would be the next number that is free."""
    database = tmp_path / "odds.db"
    status, _ = ended("<&- >&- 2>&-", "keys", "create", "--database", str(database))
    assert status == 1
    assert database.with_stem("odds-access").read_bytes().startswith(b"SQLite format 3\0")


@pytest.mark.skipif(not FULL.exists(), reason="only Linux plays a full disk")
def test_a_key_that_cannot_be_shown_is_revoked(tmp_path: Path):
    database = ("--database", str(tmp_path / "odds.db"))
    assert ended(f">{FULL}", "keys", "create", *database)[0] == 1
    listed = tmp_path / "listed.json"
    assert ended(f">{listed}", "keys", "list", "--json", *database)[0] == 0
    assert [key["revoked"] for key in json.loads(listed.read_bytes())] == [True]


def test_a_reader_who_has_enough_is_no_error():
    assert ended("| true", "devig", "1.9", "1.9")[1] == ""
