"""`oddsdesk backup` and `restore`: one line for what was done, one for what was not."""

from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oddsdesk.base.places import default_ledger
from oddsdesk.cli.main import main
from oddsdesk.contract.access import Plan
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.store.access import open_access
from oddsdesk.store.store import open_store

BET = PlacedBet("id", "A - B", "EPL", "Football", "moneyline", 0, "A", "Bet365", 2.1, 10.0, 1_000)


@pytest.fixture
def database(own_folders: Path, tmp_path: Path) -> Path:
    path = tmp_path / "odds.db"
    open_store(path).close()
    with closing(open_access(path)) as access:
        access.keys.create("anna", Plan.PRO, None, 0)
    with closing(Ledger(default_ledger())) as ledger:
        ledger.record_bet(BET)
    return path


def _run(*arguments: object, given: bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments], input=given)


def test_everything_comes_back_by_way_of_a_file(database: Path, tmp_path: Path) -> None:
    file = tmp_path / "all.tar"
    made = _run("backup", file, "--with-keys", "--with-bets", "--database", database)
    assert (made.exit_code, made.stderr) == (0, "")
    assert made.stdout.startswith(f"odds and keys and bets of {database}: ")
    assert made.stdout.endswith(f" MiB in {file}\n")
    with closing(Ledger(default_ledger())) as ledger:
        ledger.delete_bets(1)
    there = tmp_path / "there.db"
    done = _run("restore", file, "--database", there)
    said = f"restored {there} with its keys; bets added: 1, presets: 0\n"
    assert (done.exit_code, done.stdout, done.stderr) == (0, said, "")
    with closing(open_access(there)) as access:
        assert [key.account for key in access.keys.all_keys()] == ["anna"]


def test_everything_comes_back_by_way_of_standard_output_and_input(
    database: Path, tmp_path: Path
) -> None:
    made = _run("backup", "-", "--with-keys", "--database", database)
    assert made.exit_code == 0
    assert "odds and keys" in made.stderr
    there = tmp_path / "there.db"
    done = _run("restore", "-", "--database", there, given=made.stdout_bytes)
    assert (done.exit_code, done.stdout) == (0, f"restored {there} with its keys\n")
    assert not Path("-").exists()


def test_a_backup_without_keys_is_a_database_that_opens(database: Path, tmp_path: Path) -> None:
    assert _run("backup", tmp_path / "copy.db", "--database", database).exit_code == 0
    open_store(tmp_path / "copy.db", read_only=True).close()


def test_bets_that_there_are_none_of_are_said_to_be_lacking(database: Path, tmp_path: Path) -> None:
    default_ledger().unlink()
    made = _run("backup", tmp_path / "all.tar", "--with-bets", "--database", database)
    assert made.stdout.endswith("(no bets yet)\n")


def test_what_is_replaced_is_named(database: Path, tmp_path: Path) -> None:
    _run("backup", tmp_path / "copy.db", "--database", database)
    refused = _run("restore", tmp_path / "copy.db", "--database", database)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.endswith("keeps the old one under another name\n")
    done = _run("restore", tmp_path / "copy.db", "--database", database, "--force")
    kept = Path(done.stdout.strip().rpartition(" ")[2])
    assert done.exit_code == 0
    open_store(kept, read_only=True).close()


def test_a_ledger_that_cannot_be_written_keeps_everything_as_it_is(
    database: Path, tmp_path: Path
) -> None:
    _run("backup", tmp_path / "all.tar", "--with-bets", "--database", database)
    default_ledger().write_bytes(b"no database" * 999)
    failed = _run("restore", tmp_path / "all.tar", "--database", tmp_path / "there.db")
    assert failed.exit_code == 1
    assert len(failed.stderr.splitlines()) == 1
    assert "ledger.db: not a database, or damaged" in failed.stderr
    assert not (tmp_path / "there.db").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["backup", "copy.db", "--database", "none.db"], "none.db: no such database"),
        (["restore", "none.db", "--database", "odds.db"], "none.db: no such file"),
        (["backup", "nowhere/copy.db"], "nowhere/copy.db: cannot be written: No such file"),
    ],
)
def test_what_cannot_be_is_one_line(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if "nowhere" in arguments[1]:
        arguments = [*arguments, "--database", "odds.db"]
    failed = _run(*arguments)
    assert (failed.exit_code, failed.stdout) == (1, "")
    assert len(failed.stderr.splitlines()) == 1
    assert said in failed.stderr
