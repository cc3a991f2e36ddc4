"""`oddsdesk feeds` and the keys of sources (D65); the running server is asked in tests/service."""

from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from click.testing import CliRunner, Result
from keyring.backend import KeyringBackend

from oddsdesk.cli.feeds import feeds
from oddsdesk.cli.serve import serve
from oddsdesk.feeds.live.keys import KeySource
from oddsdesk.network.secrets import without_keys
from oddsdesk.store.lock import lock_database
from oddsdesk.store.owner_secret import OwnerSecret

KEY = "canary-of-the-command"


class InMemory(KeyringBackend):
    """A keyring that keeps what it is given for as long as the test runs."""

    priority = 9

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[username] = password


class Nowhere(InMemory):
    """A machine without a keyring."""

    priority = 0


@pytest.fixture
def ring(request: pytest.FixtureRequest) -> Iterator[InMemory]:
    before = keyring.get_keyring()
    made: InMemory = getattr(request, "param", InMemory)()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


def run(*arguments: str, given: str = "") -> Result:
    return CliRunner().invoke(feeds, list(arguments), input=given)


async def test_a_key_from_standard_input_is_found_by_the_feed(ring: InMemory) -> None:
    done = run("key", "the-odds-api", given=f"{KEY}\n")
    assert (done.exit_code, KEY in done.output) == (0, False)
    assert ring.kept == {"feed the-odds-api": KEY}
    assert await KeySource("the-odds-api", None, environment={}).find() == KEY
    assert KEY not in without_keys(f"?apiKey={KEY}")


@pytest.mark.parametrize("given", ["", "\n", "two words\n", "tab\there\n"])
def test_what_is_no_key_is_not_kept(ring: InMemory, given: str) -> None:
    done = run("key", "the-odds-api", given=given)
    assert done.exit_code == 1
    assert "a key has only letters" in done.stderr
    assert ring.kept == {}


@pytest.mark.parametrize("ring", [Nowhere], indirect=True)
def test_without_a_keyring_it_says_what_to_do(ring: InMemory) -> None:
    done = run("key", "the-odds-api", given=f"{KEY}\n")
    assert (done.exit_code, ring.kept) == (1, {})
    assert "key-file=FILE" in done.stderr
    assert KEY not in done.output


def test_an_unknown_source_is_named_next_to_those_that_are_known(ring: InMemory) -> None:
    done = run("key", "the-odds-app", given=f"{KEY}\n")
    assert done.exit_code == 2
    assert "the-odds-api" in done.stderr


def test_a_source_that_is_none_has_no_choices_and_is_said_to_be_none(ring: InMemory) -> None:
    done = run("choices", "foo")
    assert done.exit_code == 1
    assert "no source 'foo'; sources are the-odds-api, " in done.stderr


def test_a_database_that_nobody_serves_is_said(tmp_path: Path) -> None:
    done = run("--database", str(tmp_path / "odds.db"), "--json")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "no oddsdesk server is running on it" in done.stderr


@pytest.mark.parametrize(
    ("has_secret", "reason"), [(False, "owner's secret"), (True, "its server did not answer")]
)
def test_a_server_that_does_not_tell_is_said(tmp_path: Path, has_secret: bool, reason: str) -> None:
    database = tmp_path / "odds.db"
    lock = lock_database(database)
    lock.announce_owner("http://127.0.0.1:1", tmp_path / "odds-access.db")
    if has_secret:
        OwnerSecret(database).make()
    try:
        done = run("--database", str(database))
    finally:
        lock.release_lock()
    assert done.exit_code == 1
    assert reason in done.stderr


def test_what_is_no_source_cannot_be_shared(tmp_path: Path) -> None:
    arguments = ["--database", str(tmp_path / "odds.db"), "--share", "the-odds-app"]
    done = CliRunner().invoke(serve, arguments)
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1].startswith("Error: --share: no source 'the-odds-app'; ")
    assert "the-odds-api" in done.stderr
    assert not list(tmp_path.iterdir())
