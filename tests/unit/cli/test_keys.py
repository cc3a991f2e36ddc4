"""`oddsdesk keys` (command-line.md)."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oddsdesk.cli.keys import keys
from oddsdesk.contract.plans import Plan
from oddsdesk.store.access import open_access
from oddsdesk.store.keys import Caller

KEY = re.compile(r"oddsdesk_live_[0-9a-f]{32}\n")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "odds.db"


def run(database: Path, *arguments: str) -> Result:
    return CliRunner().invoke(keys, [arguments[0], "--database", str(database), *arguments[1:]])


def made(database: Path, *arguments: str) -> str:
    result = run(database, "create", *arguments)
    assert result.exit_code == 0, result.output
    return result.stdout.strip()


def caller(database: Path, secret: str) -> Caller | None:
    access = open_access(database)
    try:
        return access.keys.caller(secret)
    finally:
        access.close()


def test_create_prints_the_new_key_alone(database: Path) -> None:
    result = run(database, "create", "--plan", "Pro+ Live")
    assert result.exit_code == 0
    assert KEY.fullmatch(result.stdout)
    assert result.stderr == ""
    found = caller(database, result.stdout.strip())
    assert found is not None
    assert found.plan is Plan.PRO_LIVE


def test_an_account_without_a_plan_is_free_with_its_bookmaker(database: Path) -> None:
    """D43."""
    found = caller(database, made(database, "--account", "anna", "--bookmaker", "Betfair"))
    assert found is not None
    assert (found.plan, found.bookmaker) == (Plan.FREE, "Betfair")


def test_a_plan_changes_an_account_that_exists(database: Path) -> None:
    first = made(database, "--plan", "Pro")
    made(database, "--plan", "pro+ rt")
    found = caller(database, first)
    assert found is not None
    assert found.plan is Plan.PRO_RT


def test_the_sixth_key_is_refused(database: Path) -> None:
    for _ in range(5):
        made(database)
    result = run(database, "create")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "key_limit_reached" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_list_shows_masked_keys(database: Path) -> None:
    secret = made(database, "--account", "anna", "--bookmaker", "Betfair")
    revoked = made(database)
    run(database, "revoke", revoked)
    result = run(database, "list")
    assert result.exit_code == 0
    heading, first, second = result.stdout.splitlines()
    assert heading.split() == ["ID", "KEY", "ACCOUNT", "PLAN", "BOOKMAKER", "CREATED", "STATE"]
    assert first.split()[:5] == [
        "1", f"oddsdesk_live_****{secret[-4:]}", "anna", "Free", "Betfair",
    ]  # fmt: skip
    assert second.endswith("revoked")
    assert secret not in result.stdout


@pytest.mark.parametrize("ident", ["key", "id", "masked"])
def test_rotate_prints_the_new_key_and_ends_the_old(database: Path, ident: str) -> None:
    old = made(database)
    named = {"key": old, "id": "1", "masked": f"oddsdesk_live_****{old[-4:]}"}[ident]
    result = run(database, "rotate", named)
    assert result.exit_code == 0
    assert KEY.fullmatch(result.stdout)
    assert caller(database, old) is None
    assert caller(database, result.stdout.strip()) is not None


def test_revoke_ends_a_key(database: Path) -> None:
    secret = made(database)
    result = run(database, "revoke", secret)
    assert result.exit_code == 0
    assert secret not in result.stdout
    assert caller(database, secret) is None


@pytest.mark.parametrize("command", ["rotate", "revoke"])
def test_an_unknown_key_is_said_without_repeating_it(database: Path, command: str) -> None:
    secret = "oddsdesk_live_" + "0" * 32
    result = run(database, command, secret)
    assert result.exit_code == 1
    assert "no active key" in result.stderr
    assert secret not in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("create", "--plan", "Gold"),
        ("create", "--account", " "),
        ("create", "--bookmaker", ""),
        ("rotate",),
        ("revoke", "1", "2"),
    ],
)
def test_misuse_is_exit_2(database: Path, arguments: tuple[str, ...]) -> None:
    result = run(database, *arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr


def test_a_database_that_is_none_is_said_in_one_line(database: Path) -> None:
    (database.parent / "odds-access.db").write_bytes(b"no database at all" * 100)
    result = run(database, "list")
    assert result.exit_code == 1
    assert "is not a database" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("command", ["create", "list", "rotate", "revoke"])
def test_help_explains_itself_with_an_example(command: str) -> None:
    result = CliRunner().invoke(keys, [command, "--help"])
    assert result.exit_code == 0
    assert f"oddsdesk keys {command}" in result.stdout
