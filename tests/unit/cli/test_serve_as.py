"""`serve --serve-as`: only this machine may read, and each other option says why not."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oddsdesk.cli.serve import serve


def served(tmp_path: Path, *options: str) -> Result:
    database = ["--database", str(tmp_path / "odds.db"), "--port", "0"]
    command = [*database, "--serve-as", "the-odds-api", *options]
    return CliRunner().invoke(serve, [*command, "--show-config"])


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_it_is_for_this_machine(tmp_path: Path, host: str) -> None:
    result = served(tmp_path, "--host", host)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--behind-proxy"], "--behind-proxy"),
        (["--base-url", "https://odds.example.org"], "--base-url"),
        (["--allow-host", "odds.example.org"], "--allow-host"),
        (["--host", "0.0.0.0"], "--host 0.0.0.0"),
        (["--host", "192.168.1.7"], "--host 192.168.1.7"),
    ],
)
def test_options_for_others_are_refused(tmp_path: Path, options: list[str], named: str) -> None:
    result = served(tmp_path, *options)
    assert result.exit_code == 2
    assert f"--serve-as the-odds-api cannot be used with {named}: other" in result.output
    assert "may not be passed on" in result.output
    assert not (tmp_path / "odds.db").exists()


def test_it_needs_a_server_that_answers(tmp_path: Path) -> None:
    result = served(tmp_path, "--roles", "feeds")
    assert "--serve-as needs the role api" in result.output


def test_other_interfaces_are_unknown(tmp_path: Path) -> None:
    result = CliRunner().invoke(serve, ["--serve-as", "oddsjam"])
    assert result.exit_code == 2
    assert "the-odds-api" in result.output
