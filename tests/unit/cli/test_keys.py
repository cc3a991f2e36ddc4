"""`oddsdesk keys` (command-line.md)."""

import contextlib
import json
import re
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oddsdesk.base.places import default_database, earlier_access
from oddsdesk.cli.keys import keys
from oddsdesk.contract.access import Plan
from oddsdesk.store.access import open_access
from oddsdesk.store.databases import DatabaseUrl, access_path
from oddsdesk.store.keys import Caller, Keys
from oddsdesk.store.lock import lock_database
from oddsdesk.store.sqlite.writer import as_unavailable
from oddsdesk.store.store import open_store
from tests.kit.board_service import quote
from tests.kit.postgres import Postgres

KEY = re.compile(r"oddsdesk_live_[0-9a-f]{32}\n")


@pytest.fixture(autouse=True)
def no_server_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has to be waited for; `tests/unit/server/test_gate.py` has one that does."""
    monkeypatch.setattr("oddsdesk.cli.keys.KNOWN_S", 0.0)


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


def test_keys_that_change_with_their_account_are_told(database: Path) -> None:
    made(database, "--plan", "Pro")
    run(database, "revoke", made(database))
    made(database, "--account", "anna", "--plan", "Pro+ RT")
    result = run(database, "create", "--plan", "Free", "--bookmaker", "Pinnacle")
    assert KEY.fullmatch(result.stdout)
    assert result.stderr == (
        "note: account 'default' changed from Pro to Free (Pinnacle), also for its other keys"
        " (id 1); for a key on another plan, use a separate --account\n"
    )
    other = run(database, "create", "--bookmaker", "Betfair Exchange UK").stderr
    assert "changed from Free (Pinnacle) to Free (Betfair Exchange UK)" in other
    assert "(id 1, 4)" in other


def test_a_change_that_no_other_key_notices_is_not_told(database: Path) -> None:
    made(database, "--plan", "Pro")
    for same in (("--plan", "Pro"), ("--bookmaker", "Pinnacle"), ()):
        assert run(database, "create", *same).stderr == ""


@pytest.mark.parametrize("options", [("--plan", "Free"), ()])
def test_a_free_key_that_sees_no_odds_is_told_with_what_to_do(
    database: Path, options: tuple[str, ...]
) -> None:
    """No bookmaker is chosen (D43)."""
    result = run(database, "create", "--account", "anna b", *options)
    assert (result.exit_code, bool(KEY.fullmatch(result.stdout))) == (0, True)
    assert result.stderr == (
        "warning: account 'anna b' is on Free, which shows one bookmaker, but none is chosen, so"
        " its keys see no odds; choose one with oddsdesk accounts bookmaker 'anna b' NAME\n"
    )


def test_the_sixth_key_is_refused(database: Path) -> None:
    for _ in range(5):
        made(database)
    result = run(database, "create")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "key_limit_reached" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_full_disk_is_told_with_the_file_and_what_to_do(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode, full.sqlite_errorname = sqlite3.SQLITE_FULL, "SQLITE_FULL"

    def refuse(*_: object, **__: object) -> None:
        raise as_unavailable(full)

    monkeypatch.setattr(Keys, "create", refuse)
    result = run(database, "create")
    said = f"Error: {access_path(database)}: the disk is full; free some space and try again\n"
    assert (result.exit_code, result.stderr) == (1, said)


def test_list_shows_masked_keys(database: Path) -> None:
    secret = made(database, "--account", "anna", "--bookmaker", "Betfair")
    revoked = made(database)
    run(database, "revoke", revoked)
    result = run(database, "list")
    assert result.exit_code == 0
    heading, first, second = result.stdout.splitlines()
    assert heading.split()[:7] == ["ID", "KEY", "ACCOUNT", "PLAN", "BOOKMAKER", "CREATED", "STATE"]
    assert first.split()[:5] == [
        "1", f"oddsdesk_live_****{secret[-4:]}", "anna", "Free", "Betfair",
    ]  # fmt: skip
    assert second.split()[-2:] == ["revoked", "read"]
    assert secret not in result.stdout


def test_list_prints_the_same_for_programs(database: Path) -> None:
    secret = made(database, "--account", "Ánna", "--bookmaker", "Betfair", "--write")
    result = run(database, "list", "--json")
    [listed] = json.loads(result.stdout)
    assert listed.pop("created_at").endswith("Z")
    assert listed == {
        "id": 1,
        "key": f"oddsdesk_live_****{secret[-4:]}",
        "account": "Ánna",
        "plan": "Free",
        "bookmaker": "Betfair",
        "revoked": False,
        "may_write": True,
    }
    assert secret not in result.stdout


def test_a_key_may_write_where_that_was_asked_for(database: Path) -> None:
    writer, reader = made(database, "--write"), made(database)
    may = {each: found.may_write for each in (writer, reader) if (found := caller(database, each))}
    assert may == {writer: True, reader: False}
    rotated = run(database, "rotate", writer).stdout.strip()
    found = caller(database, rotated)
    assert found is not None
    assert found.may_write
    assert "read, write" in run(database, "list").stdout


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
    made(database)
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


@pytest.mark.parametrize(
    "command", [("list",), ("list", "--json"), ("rotate", "1"), ("revoke", "1")]
)
def test_only_create_makes_a_file_of_keys(database: Path, command: tuple[str, ...]) -> None:
    """The name of the database may be mistyped."""
    result = run(database, *command)
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"{access_path(database)}: no key file" in result.stderr
    assert list(database.parent.iterdir()) == []


def test_a_folder_that_is_missing_is_said_and_not_made(tmp_path: Path) -> None:
    """F2.5."""
    result = run(tmp_path / "typo" / "odds.db", "create")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "there is no folder" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_the_database_that_nobody_names_is_made() -> None:
    result = CliRunner().invoke(keys, ["create"])
    assert result.exit_code == 0, result.output
    assert access_path(default_database()).exists()


@pytest.mark.parametrize("command", [("create",), ("list",), ("rotate", "1"), ("revoke", "1")])
def test_a_file_that_is_no_database_gets_no_keys(tmp_path: Path, command: tuple[str, ...]) -> None:
    """F2.5."""
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear bookmaker, " * 100)
    result = run(letter, *command)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "is not a database" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["letter.txt"]


def test_keys_of_an_older_version_are_told_with_how_to_use_them(database: Path) -> None:
    moved = earlier_access(database)
    assert moved is not None
    moved.parent.mkdir(parents=True)
    open_access(database, moved).close()
    result = run(database, "create", "--plan", "Pro")
    assert result.exit_code == 0
    assert f"--access {moved}" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    secret = made(database, "--access", str(moved))
    assert f"****{secret[-4:]}" in run(database, "list", "--access", str(moved)).stdout
    assert f"****{secret[-4:]}" not in run(database, "list").stdout
    access_path(database).unlink()
    assert f"--access {moved}" in run(database, "list").stderr


def test_keys_that_the_running_server_does_not_know_are_not_made(
    database: Path, tmp_path: Path
) -> None:
    used = tmp_path / "used.db"
    lock = lock_database(database)
    lock.announce_owner("http://127.0.0.1:1", used)
    result = run(database, "create")
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"give --access {used}" in result.stderr
    assert not access_path(database).exists()
    assert run(database, "create", "--access", str(used)).exit_code == 0
    lock.release_lock()


def test_keys_of_a_database_behind_a_url_are_in_it(postgres: Postgres) -> None:
    """scale.md: keys and quotas in PostgreSQL, too."""
    url = postgres.url()

    def told(*arguments: str) -> str:
        result = CliRunner().invoke(keys, [arguments[0], "--database", url, *arguments[1:]])
        assert result.exit_code == 0, result.output
        return result.stdout.strip()

    secret = told("create", "--plan", "Pro+ Live", "--account", "anna")
    assert secret[-4:] in told("list")
    rotated = told("rotate", secret)
    with contextlib.closing(open_access(DatabaseUrl(url))) as access:
        found = access.keys.caller(rotated)
        assert found is not None
        assert found.plan is Plan.PRO_LIVE
        assert told("revoke", rotated).startswith("revoked oddsdesk_live_****")
        access.keys.reread_keys()
        assert access.keys.caller(rotated) is None


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (("--database", "postgresql://ann:hidden@127.0.0.1:1/odds"), "127.0.0.1:1/odds: "),
        (
            ("--database", "postgresql://127.0.0.1:1/odds", "--access", "keys.db"),
            "keeps its keys itself",
        ),
    ],
)
def test_what_is_wrong_with_a_url_is_said_in_a_line_without_its_password(
    said: tuple[str, ...], expected: str
) -> None:
    result = CliRunner().invoke(keys, ["list", *said])
    assert result.exit_code == 1
    assert expected in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert "hidden" not in result.stderr


def test_a_bookmaker_that_nobody_is_called_is_told_with_near_names(database: Path) -> None:
    """The plan would see nothing, and no answer says why."""
    result = run(database, "create", "--bookmaker", "Pinacle")
    assert result.exit_code == 0
    assert KEY.fullmatch(result.stdout)
    assert result.stderr == ("warning: no bookmaker is called 'Pinacle'; did you mean Pinnacle?\n")
    longer = run(database, "create", "--bookmaker", "betfair").stderr
    assert (
        "did you mean Betfair Exchange AU or Betfair Exchange EU or Betfair Exchange UK?" in longer
    )
    assert run(database, "create", "--bookmaker", "Zzyzx").stderr.endswith("called 'Zzyzx'\n")


@pytest.mark.parametrize("name", ["Corner Shop", "pinnacle_sports", "  Betfair  Exchange UK "])
def test_a_bookmaker_that_is_recorded_or_known_is_not(database: Path, name: str) -> None:
    with contextlib.closing(open_store(database)) as store:
        store.record([quote("Corner Shop", {"home": 2.0, "draw": 3.4, "away": 4.0})]).result(10)
    assert run(database, "create", "--bookmaker", name).stderr == ""
    assert (
        "did you mean Corner Shop?" in run(database, "create", "--bookmaker", "CornerShop").stderr
    )
