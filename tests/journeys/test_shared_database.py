"""Two programs on one database, and one that can only be read (issue 5)."""

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from oddsdesk.store.lock import lock_path
from tests.kit.ndjson import quote
from tests.kit.program import Launch

WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
"""Root, too, may then write only what its bits allow."""


def test_a_second_server_is_refused_with_the_address_of_the_first(launch: Launch, tmp_path: Path):
    database = str(tmp_path / "odds.db")
    first = launch("serve", "--database", database, "--port", "0")
    url = first.first_line().removeprefix("listening on ")
    second = launch("serve", "--database", database, "--port", "0")
    out, err = second.process.communicate(timeout=30)
    assert (second.process.returncode, out) == (1, "")
    assert f"process {first.process.pid}, {url}" in err
    assert len(err.splitlines()) == 1
    assert first.finish()[0] == 0
    assert not lock_path(Path(database)).exists()


def test_what_a_killed_server_left_is_taken_over(launch: Launch, tmp_path: Path):
    database = str(tmp_path / "odds.db")
    killed = launch("serve", "--database", database, "--port", "0")
    killed.first_line()
    killed.kill()
    second = launch("serve", "--database", database, "--port", "0")
    assert second.first_line().startswith("listening on ")
    assert second.finish()[0] == 0


def test_keys_and_quotes_can_be_added_with_a_server(launch: Launch, tmp_path: Path):
    database = str(tmp_path / "odds.db")
    server = launch("serve", "--database", database, "--port", "0")
    server.first_line()
    file = tmp_path / "quotes.ndjson"
    file.write_text(quote({"Everton": 3.1, "Draw": 3.4, "Liverpool": 2.3}))
    for command in (["keys", "create"], ["ingest", str(file)]):
        added = launch(*command, "--database", database)
        _, err = added.process.communicate(timeout=30)
        assert added.process.returncode == 0, err
    assert server.finish()[0] == 0


@pytest.fixture
def handed_over(launch: Launch, tmp_path: Path):
    """A database in a folder that cannot be written."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and there is no setpriv")
    folder = tmp_path / "stick"
    folder.mkdir()
    database = folder / "odds.db"
    file = tmp_path / "quotes.ndjson"
    file.write_text(quote({"Everton": 3.1, "Draw": 3.4, "Liverpool": 2.3}))
    launch("ingest", str(file), "--database", str(database)).process.communicate(timeout=30)
    database.chmod(0o444)
    folder.chmod(0o555)
    yield database
    folder.chmod(0o755)


def _without_rights(environment: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    prefix = WITHOUT_RIGHTS if os.geteuid() == 0 else []
    return subprocess.Popen(
        [*prefix, sys.executable, "-m", "oddsdesk", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_database_that_cannot_be_written_is_served_as_it_is(
    handed_over: Path, environment: dict[str, str], tmp_path: Path
):
    options = ["--database", str(handed_over), "--access", str(tmp_path / "keys.db")]
    made = _without_rights(environment, "keys", "create", "--plan", "Pro", *options)
    key = made.communicate(timeout=30)[0].strip()
    assert made.returncode == 0
    server = _without_rights(environment, "serve", *options, "--port", "0")
    assert server.stdout is not None
    url = server.stdout.readline().strip().removeprefix("listening on ")
    asked = urllib.request.Request(f"{url}/api/odds", headers={"X-Api-Key": key})
    with urllib.request.urlopen(asked, timeout=10) as answer:
        rows = json.load(answer)["data"]
    server.terminate()
    _, err = server.communicate(timeout=60)
    assert [row["bookmaker"] for row in rows] == ["Harbour"]
    assert server.returncode == 0
    (line,) = err.splitlines()
    assert "is read-only: nothing is recorded or removed" in line
    assert [each.name for each in handed_over.parent.iterdir()] == ["odds.db"]


@pytest.mark.parametrize("command", [("keys", "create"), ("serve", "--port", "0")])
def test_keys_of_what_cannot_be_written_are_nowhere_unless_a_file_is_named(
    handed_over: Path, environment: dict[str, str], command: tuple[str, ...]
):
    """No second store in a home (D78)."""
    asked = _without_rights(environment, *command, "--database", str(handed_over))
    out, err = asked.communicate(timeout=30)
    assert (asked.returncode, out) == (1, "")
    assert "odds-access.db: no permission to make it in this folder" in err.splitlines()[-1]
    assert "the one given with --access" in err.splitlines()[-1]
    assert [each.name for each in handed_over.parent.iterdir()] == ["odds.db"]
    assert not list(Path(environment["XDG_DATA_HOME"]).rglob("*"))


def test_what_only_reads_keys_says_that_there_are_none(
    handed_over: Path, environment: dict[str, str]
):
    asked = _without_rights(environment, "keys", "list", "--database", str(handed_over))
    out, err = asked.communicate(timeout=30)
    assert (asked.returncode, out) == (1, "")
    assert "odds-access.db: no key file" in err.splitlines()[-1]
    assert [each.name for each in handed_over.parent.iterdir()] == ["odds.db"]


def test_a_database_that_cannot_be_written_is_backed_up_and_restored_over_by_nobody(
    handed_over: Path, environment: dict[str, str], tmp_path: Path
):
    copy = str(tmp_path / "copy.db")
    backed_up = _without_rights(environment, "backup", copy, "--database", str(handed_over))
    out, err = backed_up.communicate(timeout=30)
    assert (backed_up.returncode, err) == (0, "")
    assert out.startswith(f"odds of {handed_over}: ")
    restored = _without_rights(
        environment, "restore", copy, "--force", "--database", str(handed_over)
    )
    out, err = restored.communicate(timeout=30)
    assert (restored.returncode, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert [each.name for each in handed_over.parent.iterdir()] == ["odds.db"]


def test_a_feed_cannot_record_in_what_cannot_be_written(
    handed_over: Path, environment: dict[str, str], tmp_path: Path
):
    server = _without_rights(
        environment,
        *("serve", "--database", str(handed_over), "--access", str(tmp_path / "keys.db")),
        *("--port", "0", "--feed", "simulator"),
    )
    out, err = server.communicate(timeout=30)
    assert (server.returncode, out) == (1, "")
    assert "no feed can record in it" in err.splitlines()[-1]
    assert "Traceback" not in err
