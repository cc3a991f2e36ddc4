"""Commands where no home is set: nothing is kept in one that nobody named (F2.11)."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oddsdesk.cli.main import main
from tests.kit.ndjson import line

VARIABLES = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")


@pytest.fixture(params=[None, ""], ids=["unset", "empty"])
def no_home(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    if request.param is not None:
        monkeypatch.setenv("HOME", request.param)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), input="")


@pytest.mark.usefixtures("no_home")
@pytest.mark.parametrize(
    "command",
    [
        "serve --port 0",
        "ingest -",
        "import football-data missing.csv",
        "keys create",
        "keys list",
        "keys rotate 1",
        "keys revoke 1",
        "doctor",
        "backup copy.db",
        "restore copy.db",
    ],
)
def test_without_a_database_a_command_says_so_and_ends(command: str) -> None:
    result = run(*command.split())
    assert (result.exit_code, result.stdout) == (1, "")
    (said,) = result.stderr.splitlines()
    assert "HOME is not set" in said
    assert "--database" in said


@pytest.mark.usefixtures("no_home")
@pytest.mark.parametrize("command", ["desk", "desk --local --database odds.db"])
def test_the_desk_needs_a_home_for_its_settings(command: str) -> None:
    result = run(*command.split())
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines() == [
        "Error: HOME is not set, so there is no user folder; the desk needs a home folder: set HOME"
    ]


@pytest.mark.usefixtures("no_home")
def test_with_a_database_no_home_is_needed(tmp_path: Path) -> None:
    database = ("--database", str(tmp_path / "odds.db"))
    quotes = tmp_path / "quotes.ndjson"
    quotes.write_bytes(line())
    for command in (["ingest", str(quotes)], ["keys", "create"], ["keys", "list"], ["doctor"]):
        result = run(*command, *database)
        assert result.exit_code == 0, result.output
    assert {each.name for each in tmp_path.iterdir()} >= {"odds.db", "odds-access.db"}


@pytest.mark.usefixtures("no_home")
def test_bets_need_a_home(tmp_path: Path) -> None:
    database = ("--database", str(tmp_path / "odds.db"))
    assert run("keys", "create", *database).exit_code == 0
    result = run("backup", "--with-bets", str(tmp_path / "copy.tar"), *database)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "bets are kept in your home folder: set HOME" in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.usefixtures("no_home")
def test_what_is_written_to_a_file_needs_no_database(tmp_path: Path) -> None:
    result = run("import", "football-data", "missing.csv", "--to", str(tmp_path / "out.ndjson"))
    assert "HOME" not in result.output


@pytest.mark.usefixtures("no_home")
@pytest.mark.parametrize("command", ["serve", "ingest", "import", "keys create", "desk", "doctor"])
def test_help_needs_no_home(command: str) -> None:
    assert run(*command.split(), "--help").exit_code == 0
