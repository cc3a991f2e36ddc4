"""`oddsdesk accounts` (D109)."""

import contextlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from oddsdesk.base.clock import system_clock
from oddsdesk.cli.accounts import accounts
from oddsdesk.cli.keys import keys
from oddsdesk.contract.access import Plan
from oddsdesk.store.access import open_access
from oddsdesk.store.databases import access_path, database_named
from oddsdesk.store.lock import lock_database
from oddsdesk.store.owners import NewSession, Owners
from oddsdesk.store.passwords import Hashing
from tests.kit.postgres import Postgres

argon2 = pytest.importorskip("argon2")


@pytest.fixture(autouse=True)
def no_server_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waits for servers."""
    monkeypatch.setattr("oddsdesk.cli.accounts.KNOWN_S", 0.0)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "odds.db")
    postgres: Postgres = request.getfixturevalue("postgres")
    return postgres.url()


def run(database: str, *arguments: str, typed: str = "") -> Result:
    named = [arguments[0], "--database", database, *arguments[1:]]
    return CliRunner().invoke(accounts, named, input=typed)


def made(database: str, *options: str) -> str:
    result = CliRunner().invoke(keys, ["create", "--database", database, *options])
    assert result.exit_code == 0, result.output
    return result.stdout.strip()


def test_the_plan_of_an_account_with_five_keys_changes(database: str) -> None:
    """The reproduction of a `key_limit_reached` that no command got around."""
    for _ in range(5):
        made(database, "--account", "anna b", "--bookmaker", "Pinnacle")
    options = ["--account", "anna b", "--plan", "Pro"]
    refused = CliRunner().invoke(keys, ["create", "--database", database, *options])
    assert refused.stderr == (
        "Error: key_limit_reached: account 'anna b' already has 5 keys, the limit; revoke one"
        " first. To change its plan without a new key, use `oddsdesk accounts plan 'anna b' Pro`\n"
    )
    result = run(database, "plan", "anna b", "pro")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "account 'anna b' was on Free (Pinnacle) and is on Pro (on Free: Pinnacle) now, with 5"
        " active keys (id 1, 2, 3, 4, 5)\n"
    )
    again = run(database, "plan", "anna b", "Pro").stdout
    assert again == "account 'anna b' is already on Pro (on Free: Pinnacle); nothing changed\n"


def test_a_bookmaker_is_chosen_with_the_warnings_of_keys_create(database: str) -> None:
    made(database, "--account", "anna")
    result = run(database, "bookmaker", "anna", "Pinacle")
    assert result.stdout == (
        "account 'anna' was on Free and is on Free (Pinacle) now, with 1 active key (id 1)\n"
    )
    assert "no bookmaker is called 'Pinacle'; did you mean Pinnacle" in (result.stderr)
    assert run(database, "bookmaker", "anna", "Pinnacle").stderr == ""
    cleared = run(database, "bookmaker", "anna", "--none")
    assert "is on Free now" in cleared.stdout
    assert "choose one with oddsdesk accounts bookmaker anna NAME" in cleared.stderr


def test_a_bookmaker_is_kept_in_its_usual_spelling(database: str) -> None:
    made(database, "--account", "anna", "--bookmaker", "pinnacle")
    assert "(Pinnacle)" in run(database, "plan", "anna", "Free").stdout
    changed = run(database, "bookmaker", "anna", "william  hill")
    assert "is on Free (William Hill) now" in changed.stdout
    assert changed.stderr == ""


def test_a_bookmaker_of_a_plan_that_sees_all_counts_on_free_only(database: str) -> None:
    made(database, "--plan", "Pro")
    result = run(database, "bookmaker", "default", "Pinnacle")
    assert result.stderr == (
        "note: account 'default' is on Pro, which shows all bookmakers; this choice only matters on"
        " Free\n"
    )


@pytest.mark.parametrize("names", [(), ("Pinnacle", "--none")])
def test_one_bookmaker_or_none_is_wanted(database: str, names: tuple[str, ...]) -> None:
    result = run(database, "bookmaker", "anna", *names)
    assert result.exit_code == 2
    assert "give one BOOKMAKER, or --none to clear the choice" in result.stderr


def test_accounts_are_listed_with_what_is_left(database: str) -> None:
    made(database, "--account", "anna", "--bookmaker", "Pinnacle")
    made(database, "--account", "bob", "--plan", "Pro")
    made(database, "--account", "team", "--plan", "Pro+ Live")
    rows = run(database, "list").stdout.splitlines()
    assert rows[0].split("  ")[0] == "ACCOUNT"
    assert "Pinnacle" in rows[1]
    assert rows[1].endswith("30 today      30 today")
    assert "5,500 this hour" in rows[2]
    assert "no stream" in rows[2]
    assert rows[3].endswith("no limit      no limit")
    first, *_ = json.loads(run(database, "list", "--json").stdout)
    assert first.pop("created_at").endswith("Z")
    assert first == {
        "account": "anna",
        "plan": "Free",
        "bookmaker": "Pinnacle",
        "active_keys": [1],
        "revoked_keys": 0,
        "requests_left": 200,
        "streams_left": 30,
        "tokens_left": 30,
        "can_sign_in": False,
        "is_operator": False,
        "invited_until": None,
        "sessions": 0,
    }


def test_a_plan_that_sees_all_is_listed_with_all_bookmakers(database: str) -> None:
    made(database, "--account", "anna", "--bookmaker", "Pinnacle", "--plan", "Pro")
    made(database, "--account", "bob", "--plan", "Pro")
    made(database, "--account", "carl")
    for rows in (
        run(database, "list").stdout.splitlines()[1:],
        CliRunner().invoke(keys, ["list", "--database", database]).stdout.splitlines()[1:],
    ):
        assert "  all (on Free: Pinnacle)  " in rows[0]
        assert "  all  " in rows[1]
        assert "  none  " in rows[2]


def test_a_script_removes_with_yes_alone(database: str) -> None:
    secret = made(database, "--account", "anna")
    refused = run(database, "remove", "anna")
    assert refused.exit_code == 1
    assert "nothing was removed" in refused.stderr
    assert "use --yes to remove it without a question" in refused.stderr
    removed = run(database, "remove", "anna", "--yes")
    assert removed.stdout == "removed account 'anna' with 1 active key (id 1)\n"
    assert secret[-4:] not in CliRunner().invoke(keys, ["list", "--database", database]).stdout
    assert run(database, "list").stdout.splitlines()[1:] == []


def test_a_person_is_asked_first(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made(database, "--account", "anna", "--plan", "Pro")
    monkeypatch.setattr("oddsdesk.cli.accounts._is_asked_at_a_terminal", lambda: True)
    refused = run(database, "remove", "anna", typed="n\n")
    assert refused.exit_code == 1
    assert "Remove account 'anna' (Pro) with 1 active key (id 1)? [y/N]" in refused.stdout
    assert "anna" in run(database, "list").stdout
    assert run(database, "remove", "anna", typed="y\n").exit_code == 0
    assert "anna" not in run(database, "list").stdout


def test_an_unknown_account_is_one_line_with_near_names(database: str) -> None:
    made(database, "--account", "anna")
    for command in (("plan", "ana", "Pro"), ("bookmaker", "ana", "Bwin"), ("remove", "ana")):
        result = run(database, *command)
        assert result.exit_code == 1
        assert result.stderr == "Error: there is no account 'ana'; did you mean 'anna'?\n"


def test_the_desks_own_account_is_protected(tmp_path: Path) -> None:
    access = open_access(tmp_path / "odds.db")
    access.keys.reissue("desk", Plan.PRO_LIVE, 0)
    access.close()
    result = run(str(tmp_path / "odds.db"), "remove", "desk", "--yes")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: account 'desk' holds the desk's own key")
    assert len(result.stderr.splitlines()) == 1


def test_without_a_file_of_keys_nothing_is_made(tmp_path: Path) -> None:
    result = run(str(tmp_path / "odds.db"), "list")
    assert result.exit_code == 1
    assert "`oddsdesk keys create` makes one" in result.stderr
    assert list(tmp_path.iterdir()) == []


def link_of(result: Result) -> str:
    assert result.exit_code == 0, result.output
    (link,) = result.stdout.splitlines()
    return link


def accept(database: str, link: str) -> NewSession:
    with contextlib.closing(open_access(database_named(database))) as access:
        owners = Owners(access._file, Hashing(argon2.PasswordHasher(1, 8, 1)))
        token = link.rpartition("=")[2]
        return owners.accept_invite(token, "a password of mine", "::1", "curl/8", system_clock())


def test_an_owner_is_invited_by_a_link(database: str) -> None:
    result = run(database, "invite", "anna b", "--base-url", "https://odds.example.org/")
    link = link_of(result)
    assert re.fullmatch(r"https://odds.example.org/dashboard/invitation\?token=[0-9a-f]{64}", link)
    said = re.sub(r"until \S+Z\.", "until TIME.", result.stderr)
    assert said.splitlines() == [
        "Keep this link secret: anyone who has it can set the password of account 'anna b'.",
        "It works once, until TIME.",
        "There was no account 'anna b', so it was created.",
    ]
    assert not accept(database, link).owner.is_operator
    again = run(database, "invite", "anna b", "--operator", "--plan", "Pro")
    assert "the current password still works" in again.stderr
    assert "makes the owner an operator" in again.stderr
    assert accept(database, link_of(again)).owner.is_operator
    first, *_ = json.loads(run(database, "list", "--json").stdout)
    assert (first["plan"], first["can_sign_in"], first["is_operator"]) == ("Pro", True, True)
    assert (first["sessions"], first["invited_until"]) == (1, None)


def test_the_list_says_who_can_sign_in_and_shows_no_secret(database: str) -> None:
    accept(database, link_of(run(database, "invite", "anna", "--operator")))
    accept(database, link_of(run(database, "invite", "bob")))
    links = [link_of(run(database, "invite", name)) for name in ("bob", "carl")]
    made(database, "--account", "dora")
    listed = run(database, "list").stdout
    states = [re.split("  +", line)[3] for line in listed.splitlines()]
    assert states == ["SIGN-IN", "operator", "yes, invited", "invited", "no"]
    for text in (listed, run(database, "list", "--json").stdout):
        assert not any(link.rpartition("=")[2] in text for link in links)
        assert "argon2" not in text


def test_owners_are_signed_out(database: str) -> None:
    for name in ("anna", "bob", "carl"):
        accept(database, link_of(run(database, "invite", name)))
    result = run(database, "sign-out", "anna")
    assert result.stdout == "ended 1 session and any open invitation of account 'anna'\n"
    result = run(database, "sign-out", "--all")
    assert result.stdout == "ended 2 sessions and any open invitation of all accounts\n"
    for names in ((), ("anna", "--all")):
        assert "give one NAME, or --all" in run(database, "sign-out", *names).stderr
    assert (
        "there is no account 'ana'; did you mean 'anna'" in run(database, "sign-out", "ana").stderr
    )


def test_a_link_without_an_address_says_what_is_missing(tmp_path: Path) -> None:
    database = str(tmp_path / "odds.db")
    result = run(database, "invite", "anna")
    assert link_of(result).startswith("/dashboard/invitation?token=")
    assert "public address is not known" in result.stderr
    assert "--base-url" in result.stderr


@pytest.mark.parametrize(
    ("link_url", "said"),
    [
        ("http://127.0.0.1:8765", "opens on this machine only"),
        ("http://10.99.0.1:8765", "others in the network can read it"),
        ("http://10.99.0.1:8765", "ssh -L 8765:127.0.0.1:8765 HOST"),
        ("https://odds.example.org", "Keep this link secret"),
        ("", "public address is not known"),
    ],
)
def test_a_link_begins_with_the_public_address_of_the_running_server(
    tmp_path: Path, link_url: str, said: str
) -> None:
    """Not with the one for programs on this machine, which friends cannot open."""
    database = str(tmp_path / "odds.db")
    lock = lock_database(Path(database))
    try:
        lock.announce_owner("http://127.0.0.1:8765", access_path(Path(database)), link_url)
        result = run(database, "invite", "anna")
        assert link_of(result).startswith(f"{link_url}/dashboard/invitation?token=")
        assert said in result.stderr.splitlines()[0]
        other = "https://other.example.org"
        result = run(database, "invite", "anna", "--base-url", other)
        assert link_of(result).startswith(f"{other}/dashboard/")
        assert result.stderr.startswith("Keep this link secret")
    finally:
        lock.release_lock()


def test_a_second_invitation_still_makes_an_operator(database: str) -> None:
    """`--operator` is unchanged by default, and the command says what the link does."""
    run(database, "invite", "zoe", "--operator")
    assert "invited as operator" in run(database, "list").stdout
    again = run(database, "invite", "zoe")
    assert "makes the owner an operator" in again.stderr
    assert accept(database, link_of(again)).owner.is_operator
    run(database, "invite", "adam", "--operator")
    no_longer = run(database, "invite", "adam", "--no-operator")
    assert "makes the owner an operator" not in no_longer.stderr
    assert not accept(database, link_of(run(database, "invite", "adam"))).owner.is_operator


def test_an_invitation_nobody_saw_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database, echo = str(tmp_path / "odds.db"), click.echo

    def full(text: str, **options: Any) -> None:
        if "/dashboard/" in text:
            raise OSError("the disk is full")
        echo(text, **options)

    monkeypatch.setattr("click.echo", full)
    assert run(database, "invite", "anna").exit_code != 0
    monkeypatch.undo()
    (anna,) = json.loads(run(database, "list", "--json").stdout)
    assert anna["invited_until"] is None


def test_an_invitation_needs_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All other commands work without it."""
    database = str(tmp_path / "odds.db")
    made(database, "--account", "anna")
    monkeypatch.setitem(sys.modules, "argon2", None)
    result = run(database, "invite", "bob")
    assert result.exit_code == 1
    assert re.match(
        r"Error: passwords need argon2-cffi: pip install .*\[dashboard\]", result.stderr
    )
    assert [each["account"] for each in json.loads(run(database, "list", "--json").stdout)] == [
        "anna"
    ]
    assert run(database, "sign-out", "anna").exit_code == 0


@pytest.mark.parametrize("name", ["desk", "a\0b", ""])
def test_a_name_that_cannot_be_invited(tmp_path: Path, name: str) -> None:
    result = run(str(tmp_path / "odds.db"), "invite", name)
    assert result.exit_code in (1, 2)
    assert result.stdout == ""
