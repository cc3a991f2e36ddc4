"""Options of `serve` from the command line, the environment and a file, and what holds of them."""

import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oddsdesk.cli.serve import serve
from oddsdesk.store.store import open_store


def shown(tmp_path: Path, toml: str, *arguments: str, **environment: str) -> Result:
    file = tmp_path / "server.toml"
    file.write_text(toml)
    asked = ["--database", "odds.db", "--config", str(file), "--show-config", *arguments]
    return CliRunner().invoke(serve, asked, env=environment)


def test_the_nearest_holds_and_each_says_where_it_comes_from(tmp_path: Path):
    toml = 'port = 9000\nspeed = 2\nkeep-days = 7\nfeed = ["simulator", "none"]'
    result = shown(tmp_path, toml, "--speed", "3", ODDSDESK_SPEED="4", ODDSDESK_KEEP_DAYS="all")
    lines = result.output.splitlines()
    assert "port = 9000  # file" in lines
    assert "speed = 3.0  # command line" in lines
    assert 'keep-days = "all"  # environment: ODDSDESK_KEEP_DAYS' in lines
    assert 'host = "127.0.0.1"  # default' in lines
    assert 'feed = ["simulator", "none"]  # file' in lines
    assert "# archive  # default" in lines


def test_what_is_shown_is_a_file_that_says_the_same(tmp_path: Path):
    given = [
        *("--roles", "api,upkeep", "--behind-proxy", "--allow-host", "a.example"),
        *("--allow-host", "b.example", "--keep-days", "all", "--durable", "--access-log"),
        *("--base-url", "https://odds.example.org", "--database", "C:\\odds.db"),
    ]
    first = shown(tmp_path, "", *given).output
    assert tomllib.loads(first)["behind-proxy"] == "127.0.0.1,::1"
    file = tmp_path / "again.toml"
    file.write_text(first)
    again = CliRunner().invoke(serve, ["--config", str(file), "--show-config"]).output
    assert tomllib.loads(again) == tomllib.loads(first)


def test_what_is_shown_where_nothing_was_said_is_a_file_too(tmp_path: Path):
    first = shown(tmp_path, "").output
    file = tmp_path / "again.toml"
    file.write_text(first)
    again = CliRunner().invoke(serve, ["--config", str(file), "--show-config"])
    assert again.exit_code == 0, again.output
    assert tomllib.loads(again.output) == tomllib.loads(first)


def test_feeds_of_the_environment_are_separated_by_spaces(tmp_path: Path):
    output = shown(tmp_path, "", ODDSDESK_FEED="simulator replay:a.ndjson").output
    assert 'feed = ["simulator", "replay:a.ndjson"]  # environment: ODDSDESK_FEED' in output


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("prot = 1", "no option 'prot'; options are access, access-log, allow-host"),
        ("durable = 1", "durable: expected true or false, got 1"),
        ('feed = "simulator"', "feed: expected a list"),
        ("port = [1]", "port: expected a string or a number, got [1]"),
        ("port = true", "port: expected a string or a number, got True"),
        ("port = 70000", "server.toml: port: 70000 is not in the range"),
        ('keep-days = "some"', "server.toml: keep-days: expected a number"),
        ('roles = "all"', "server.toml: roles: expected roles out of api"),
        ('archive = "a\\u0000b"', "server.toml: archive: NUL characters are not allowed"),
        ("port = ", "expected TOML"),
        (f"port = {'9' * 5_000}", "expected TOML"),
        (f"feed = {'[' * 5_000}", "expected TOML"),
        (f"speed = {'9' * 400}", "speed"),
        ('allow-host = ["a b"]', "server.toml: allow-host: 'a b' is not a host name"),
        ('base-url = "odds.example.org"', "'odds.example.org' is not an address"),
        ('base-url = "https://a.example/odds"', "leave out the path"),
        ('behind-proxy = "proxy.lan"', "'proxy.lan' is neither an address nor a network"),
        ('tls-cert = "a.pem"', "--tls-cert and --tls-key must be given together (FILE: tls-cert)"),
        ('share = ["teletext"]', "--share: no source 'teletext'"),
        ('roles = "api"\nkeep-days = 3', "needs the role feeds or upkeep or valuation (FILE: keep"),
        ("shards = 3", "a file has only one log (FILE: shards)"),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_file_and_name(tmp_path: Path, toml: str, said: str):
    """As the start does, and before it."""
    file = tmp_path / "server.toml"
    file.write_text(toml)
    started = ["--database", str(tmp_path / "odds.db"), "--config", str(file)]
    result = CliRunner().invoke(serve, started)
    assert result.exit_code == 2
    assert said.replace("FILE", str(file)) in " ".join(result.stderr.split())
    checked = CliRunner().invoke(serve, [*started, "--show-config"])
    assert (checked.exit_code, checked.stderr) == (2, result.stderr)


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('feed = ["simulator", "teletext"]', "--feed: feed 2 of 2: feed 'teletext': expected none"),
        ('feed = ["replay:nowhere.ndjson"]', "--feed: "),
        ('tls-cert = "FILE.pem"\ntls-key = "a.key"', "FILE.pem: cannot be read"),
        ('host = "203.0.113.7"', "does not have that address; use another --host (FILE: host)"),
        ('bus = "nats://a"', "--bus: works with PostgreSQL only"),
        ('database = "FOLDER"', "FOLDER: cannot be opened: it is a folder (FILE: database)"),
    ],
)
def test_what_cannot_be_used_is_told_by_who_checks_as_by_who_starts(
    tmp_path: Path, toml: str, said: str
):
    file = tmp_path / "server.toml"

    def whole(text: str) -> str:
        return text.replace("FILE", str(file)).replace("FOLDER", str(tmp_path))

    file.write_text(f"port = 0\n{whole(toml)}")
    started = ["--config", str(file)]
    if "database" not in toml:
        started += ["--database", str(tmp_path / "odds.db")]
    checked = CliRunner().invoke(serve, [*started, "--show-config"])
    assert checked.exit_code == 1
    assert whole(said) in checked.stderr
    assert f"{file}: " in checked.stderr
    assert "port = 0  # file" in checked.stdout
    assert not (tmp_path / "odds.db").exists()
    if "teletext" in toml:
        command = [sys.executable, "-m", "oddsdesk", "serve", *started]
        for _ in ("on a new database", "on one that is there"):
            start = subprocess.run(command, capture_output=True, text=True)
            assert (start.returncode, start.stderr) == (checked.exit_code, checked.stderr)
            open_store(tmp_path / "odds.db").close()


def test_what_is_wrong_in_the_environment_names_the_variable(tmp_path: Path):
    result = shown(tmp_path, "", ODDSDESK_PORT="70000")
    assert result.exit_code == 2
    assert "ODDSDESK_PORT: 70000 is not in the range" in result.stderr
    together = shown(tmp_path, "", ODDSDESK_TLS_KEY="a.key")
    assert "must be given together (ODDSDESK_TLS_KEY)" in together.stderr


def test_an_address_that_is_in_use_is_no_wrong_value(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = shown(tmp_path, f"port = {taken.getsockname()[1]}")
    assert (result.exit_code, result.stderr) == (0, "")


def test_no_password_is_shown(tmp_path: Path):
    output = shown(
        tmp_path,
        'bus = "nats://me:s3cret@bus.lan:4222"',
        *("--database", "postgresql://me:s3cret@db.lan/odds?password=s3cret"),
    ).output
    assert "s3cret" not in output
    assert "db.lan/odds" in output
    assert "bus.lan:4222" in output


def test_a_mistyped_variable_is_told(tmp_path: Path):
    others = {"ODDSDESK_THE_ODDS_API_KEY": "x", "ODDSDESK_CHANNEL_PHONE": "y", "ODDSDESK_DIST": "z"}
    result = shown(tmp_path, "", ODDSDESK_KEEP_DAYZ="3", **others)
    warned = [line for line in result.stderr.splitlines() if "warning" in line]
    assert warned == [
        "warning: ODDSDESK_KEEP_DAYZ is not an option; did you mean ODDSDESK_KEEP_DAYS?"
    ]
    assert not shown(tmp_path, "", ODDSDESK_KEEP_DAYS="3", **others).stderr
