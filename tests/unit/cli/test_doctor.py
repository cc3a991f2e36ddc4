"""`oddsdesk doctor` and the checks behind it (issue 5)."""

import asyncio
import errno
import importlib.util
import json
import os
import socket
import sqlite3
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from oddsdesk import __version__
from oddsdesk.base.clock import system_clock
from oddsdesk.base.places import settings_folder
from oddsdesk.cli import doctor as doctor_module
from oddsdesk.cli.doctor import Mark, Section, doctor
from oddsdesk.cli.main import COMMANDS, SERVER_COMMANDS
from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote
from oddsdesk.server.run.runner import serving
from oddsdesk.server.settings import PublicAddress, Settings, TlsFiles
from oddsdesk.store.access import open_access
from oddsdesk.store.databases import access_path
from oddsdesk.store.lock import lock_database
from oddsdesk.store.sqlite.access_file import SCHEMA as ACCESS
from oddsdesk.store.sqlite.database import open_writer
from oddsdesk.store.sqlite.migrations import Schema
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.store import open_store
from tests.kit.deployed import Certificate
from tests.kit.disks import refuse_to_open_for_writing, refuse_writes

LINE = (
    b'{"bookmaker":"A","match_name":"H vs G","competition":"NBA","market_type":"moneyline",'
    b'"period":0,"odds":{"H":2.0,"G":1.9},"scraped_at":"2026-04-16T19:00:00Z"}'
)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "odds.db"
    open_store(path, "Sharp").close()
    return path


@pytest.fixture
def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def run(database: Path, port: int, *arguments: str) -> Result:
    command = [*arguments, "--database", str(database), "--port", str(port)]
    return CliRunner().invoke(doctor, command)


def test_a_database_that_may_not_be_looked_for_is_told(free_port: int, closed_folder: Path) -> None:
    result = run(closed_folder / "odds.db", free_port)
    assert result.exit_code == 1
    assert (
        f"BAD   odds: {closed_folder / 'odds.db'}: cannot be opened: Permission d" in result.output
    )
    assert "(cannot be checked: Permission denied, not writable)" in result.output


def test_a_whole_database_is_told_of(database: Path, free_port: int):
    result = run(database, free_port)
    assert result.exit_code == 0, result.output
    assert "sharp book: Sharp" in result.output
    assert "note  odds: 0 games, 0 quotes: no odds to show until you ingest" in result.output
    assert "no damage (quick" in result.output
    assert result.output.endswith("nothing is broken\n")


def test_programs_are_told_the_same(database: Path, free_port: int):
    plain = run(database, free_port)
    result = run(database, free_port, "--json")
    assert result.exit_code == 0
    told = json.loads(result.output)
    titles = [section["title"] for section in told]
    assert titles == [line for line in plain.output.splitlines()[:-2] if line[0] != " "]
    findings = [finding for section in told for finding in section["findings"]]
    assert {"name": "reference", "text": "Sharp", "mark": "ok"} in findings
    assert {finding["mark"] for finding in findings} <= {"ok", "note", "broken"}


def test_what_is_broken_ends_with_1_for_programs_too(database: Path, free_port: int):
    database.write_bytes(b"no database" * 500)
    result = run(database, free_port, "--json")
    assert result.exit_code == 1
    assert '"mark": "broken"' in result.output


def test_what_the_database_keeps_is_told(database: Path, free_port: int):
    assert "history: kept in full" in run(database, free_port).output
    store = open_store(database)
    store.keep_log(30).result(10)
    store.close()
    assert "history: kept for 30 days" in run(database, free_port).output


def test_that_old_odds_were_moved_to_now_is_told(database: Path, free_port: int):
    assert "times shifted: no" in run(database, free_port).output
    now = system_clock()
    moved = Quote("Bet365", "PSG - Lyon", "LIG1", "moneyline", 0, {"PSG": 1.5}, now)
    store = open_store(database)
    store.record([moved], shifted=True).result(10)
    store.close()
    assert "times shifted: yes: old odds are shown as if" in run(database, free_port).output


@pytest.mark.parametrize(
    ("reference", "mark", "status"), [("pinacle", "BAD", 1), ("Pinnacle", "note", 0)]
)
def test_a_reference_of_which_no_price_is_here_is_told(
    database: Path, free_port: int, reference: str, mark: str, status: int
):
    store = open_store(database, reference)
    now = system_clock()
    store.record([Quote("Bet365", "PSG - Lyon", "LIG1", "moneyline", 0, {"PSG": 1.5}, now)])
    store.close()
    result = run(database, free_port)
    (line,) = [each for each in result.output.splitlines() if "sharp book: " in each]
    said = f"sharp book: no odds from the sharp book '{reference}': nothing can be valued"
    assert line.split()[0] == mark
    assert said in line
    assert result.exit_code == status


def test_a_full_check_reads_all(database: Path, free_port: int):
    assert "read in full" in run(database, free_port, "--full").output


def test_no_key_is_told(database: Path, free_port: int):
    access = open_access(database)
    secret = access.keys.create("anna", Plan.PRO, None, system_clock()).secret
    access.close()
    output = run(database, free_port).output
    assert "keys: 1 active" in output
    assert secret not in output
    assert secret[-4:] not in output.replace(str(free_port), "")


def test_a_damaged_database_is_broken(database: Path, free_port: int):
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    data = bytearray(database.read_bytes())
    data[8_192:16_384] = b"\xff" * 8_192
    database.write_bytes(data)
    result = run(database, free_port)
    assert result.exit_code == 1
    assert "BAD" in result.output
    assert "is broken (BAD)" in result.output or "are broken (BAD)" in result.output


def test_a_file_that_is_no_database_is_broken_in_one_line(tmp_path: Path, free_port: int):
    path = tmp_path / "letter.db"
    path.write_text("Dear bookmaker, " * 100)
    result = run(path, free_port)
    assert result.exit_code == 1
    assert sum("BAD" in line for line in result.output.splitlines()[:-1]) == 1


def test_a_missing_database_is_not_broken_and_not_made(tmp_path: Path, free_port: int):
    result = run(tmp_path / "none.db", free_port)
    assert result.exit_code == 0, result.output
    assert list(tmp_path.iterdir()) == []


def test_a_database_before_an_update_is_not_broken_and_looked_through(
    tmp_path: Path, free_port: int
):
    path = tmp_path / "odds.db"
    for file, schema in ((path, ODDS), (access_path(path), ACCESS)):
        older = Schema(schema.name, schema.steps[:1])
        open_writer(file, older, synchronous="NORMAL").close()
    before = path.read_bytes()
    result = run(path, free_port)
    assert result.exit_code == 0, result.output
    told = [line for line in result.output.splitlines() if "older oddsdesk" in line]
    assert [line.split(": ")[0] for line in told] == ["  note  odds", "  note  keys"]
    assert all(line.endswith("start a server or desk to update it") for line in told)
    assert result.output.count("no damage (quick") == 2
    assert path.read_bytes() == before


def test_files_without_anything_in_them_are_not_broken(tmp_path: Path, free_port: int):
    path = tmp_path / "odds.db"
    for file in (path, access_path(path)):
        file.touch()
    result = run(path, free_port)
    assert result.exit_code == 0, result.output
    assert result.output.count("is empty; the next start fills it") == 2
    assert path.stat().st_size == access_path(path).stat().st_size == 0


def test_a_scrape_ahead_of_the_clock_is_broken(database: Path, free_port: int):
    with sqlite3.connect(database) as connection:
        connection.execute(
            "INSERT INTO game (game_id, competition, sport, match_name, recent, last_scraped_at)"
            " VALUES ('g', 'EPL', 'Football', 'A - B', 1, ?)",
            (system_clock() + 3_600_000,),
        )
    connection.close()
    result = run(database, free_port)
    assert result.exit_code == 1
    assert "in this machine's future" in result.output


def test_the_running_server_is_named(database: Path, free_port: int):
    lock = lock_database(database)
    lock.announce_owner("http://127.0.0.1:4")
    assert "runs on this database (http://127.0.0.1:4)" in run(database, free_port).output
    lock.release_lock()


async def test_a_database_that_is_gone_under_a_server_is_broken(tmp_path: Path, free_port: int):
    settings = Settings(tmp_path / "odds.db", port=free_port)
    async with serving(settings):
        settings.database.rename(tmp_path / "away.db")
        result = await asyncio.to_thread(run, settings.database, free_port)
        (tmp_path / "away.db").rename(settings.database)
    assert result.exit_code == 1
    assert "odds.db (has been removed)" in result.output
    assert "BAD   odds: odds.db was moved or deleted while process " in result.output
    assert "database file was moved or deleted; put it back, or stop the server" in result.output


async def test_a_disk_that_became_read_only_under_a_server_is_broken(
    tmp_path: Path, free_port: int, monkeypatch: pytest.MonkeyPatch
):
    """Its flags may still say that it is writable: only a write is proof."""
    settings = Settings(tmp_path / "odds.db", port=free_port)
    async with serving(settings), asyncio.timeout(30):
        refuse_writes(monkeypatch, errno.EROFS)
        refuse_to_open_for_writing(monkeypatch)
        result = await asyncio.to_thread(run, settings.database, free_port)
        while "ok    health" in result.output:  # the server looks twice a second
            result = await asyncio.to_thread(run, settings.database, free_port)
        monkeypatch.undo()
    reason = "the file system is read-only"
    for name, path in (("database", settings.database), ("keys", access_path(settings.database))):
        line = f"BAD   {name}: {path} (exists, not writable: {reason})"
        assert line in result.output
    assert f"ok    server: process {os.getpid()} runs on this database" in result.output
    assert f"BAD   health: degraded: odds cannot be recorded: {reason}" in result.output
    assert result.exit_code == 1


async def test_what_was_put_in_the_place_of_a_served_database_is_told_and_not_written(
    tmp_path: Path, free_port: int
):
    """The server does not see what is recorded there, and putting its file back loses it."""
    settings = Settings(tmp_path / "odds.db", port=free_port)
    (tmp_path / "one.ndjson").write_bytes(LINE)

    async def ended(command: str, file: str) -> tuple[int | None, str]:
        arguments = [command, str(tmp_path / file), "--database", str(settings.database)]
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "oddsdesk", *arguments, stderr=asyncio.subprocess.PIPE
        )
        _, said = await program.communicate()
        return program.returncode, said.decode()

    async with serving(settings):
        for name in ("away.db", "other.db"):
            settings.database.rename(tmp_path / name)
            for command, file in (("ingest", "one.ndjson"), ("backup", "copy.db")):
                status, said = await ended(command, file)
                assert "odds.db was moved or deleted while process " in said
                assert status == 1
            settings.database.touch()  # as an older version made another
        told = (await asyncio.to_thread(run, settings.database, free_port)).output
        assert "BAD   odds: odds.db was moved or deleted while process " in told
        (tmp_path / "away.db").rename(settings.database)
        for _ in range(10):  # the server may be about to leave the file that was there meanwhile
            status, said = await ended("ingest", "one.ndjson")
            if status == 0:
                break
        assert (status, said) == (0, "")


def test_a_port_in_use_by_something_else_is_a_note(database: Path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.listen()
        server.settimeout(30)
        result = run(database, server.getsockname()[1])
    assert result.exit_code == 0
    assert "the port is in use" in result.output


async def test_what_a_server_says_of_itself_is_told(tmp_path: Path, free_port: int):
    """Of an ended certificate, for one; and the port is its own, though it is encrypted."""
    certificate = Certificate(tmp_path)
    tls = TlsFiles(certificate.file, certificate.key)
    settings = Settings(tmp_path / "odds.db", port=free_port, public=PublicAddress(tls=tls))
    later = system_clock() + 400 * 24 * 3_600_000
    async with serving(settings, lambda: later):
        same_machine = await asyncio.to_thread(run, settings.database, free_port)
        elsewhere = await asyncio.to_thread(run, tmp_path / "other.db", free_port)
    for result in (same_machine, elsewhere):
        assert f"note  port: {free_port} is oddsdesk {__version__}" in result.output
        assert "BAD   health: degraded: the certificate ended at 2" in result.output
        assert result.exit_code == 1
    async with serving(settings):
        result = await asyncio.to_thread(run, settings.database, free_port)
    assert "ok    health: ok" in result.output
    assert result.exit_code == 0


def test_a_server_that_does_not_answer_is_broken(
    database: Path, free_port: int, monkeypatch: pytest.MonkeyPatch
):
    """As one worker of several that hangs."""
    monkeypatch.setattr(doctor_module, "_PROBE_S", 0.1)
    lock = lock_database(database)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        lock.announce_owner(url, access_path(database))
        result = run(database, free_port)
    lock.release_lock()
    assert f"BAD   health: {url} does not answer" in result.output
    assert result.exit_code == 1


def test_a_clock_before_this_program_is_broken():
    assert _mark(doctor_module.check_clock(0)) is Mark.BROKEN
    assert _mark(doctor_module.check_clock(system_clock())) is Mark.OK


def test_the_users_name_is_not_told(database: Path, free_port: int, monkeypatch):
    monkeypatch.setenv("HOME", str(database.parent))
    output = run(database, free_port).output
    assert str(database.parent) not in output
    assert f"~/{access_path(database).name}" in output


@pytest.mark.parametrize(
    ("installed", "is_there", "looks"),
    [
        ({"oddsdesk-server"}, False, False),
        ({"oddsdesk-server"}, True, True),
        ({"oddsdesk"}, False, True),
        ({"oddsdesk", "oddsdesk-server"}, False, True),
    ],
)
def test_a_window_is_looked_at_where_it_belongs_to_what_is_installed(
    database: Path,
    free_port: int,
    monkeypatch: pytest.MonkeyPatch,
    installed: set[str],
    is_there: bool,
    looks: bool,
):
    dists = [SimpleNamespace(name=name) for name in installed]
    monkeypatch.setattr("importlib.metadata.distributions", lambda: dists)
    found = importlib.util.find_spec
    missing = () if is_there else ("PySide6", "qasync")
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name in missing else found(name)
    )
    told = run(database, free_port)
    assert ("display: " in told.output) is looks
    assert ("qasync: " in told.output) is looks
    if not looks:
        assert told.exit_code == 0, told.output


def test_both_programs_have_the_same_doctor():
    assert COMMANDS["doctor"] == SERVER_COMMANDS["doctor"]


def test_own_files_that_are_not_read_are_broken(database: Path, free_port: int, monkeypatch):
    folder = settings_folder()
    folder.mkdir(parents=True)
    fresh = run(database, free_port)
    assert fresh.exit_code == 0
    assert fresh.output.count("no file of your own") == 7
    (folder / "bookmakers.csv").write_bytes(b"name,commission\nBetfair,\xff\n")
    (folder / "settlement_rules.csv").write_text("bookmaker,overtime\nBetfair,maybe\n")
    (folder / "derived_bands.csv").write_text("sport,market\nFootball,total\n")
    (folder / "consensus_weights.json").write_text("[", "utf-8")
    (folder / "promotions.json").write_text('[{"name": "Free 25"}]', "utf-8")
    (folder / "alerts.toml").write_text("[[rules]\n", "utf-8")
    (folder / "desk.ini").write_text("[stakes]\nbankroll=plenty\n[prices]\ndevig=?\n", "utf-8")
    result = run(database, free_port)
    assert result.exit_code == 1
    bad = [line.split(": ", 1) for line in result.output.splitlines() if "BAD " in line]
    assert [name.split()[1] for name, _ in bad] == [
        *("bookmakers", "settlement", "bands", "weights", "promotions"),
        *("alerts", "settings", "settings"),
    ]
    assert "bookmakers.csv: not UTF-8 text" in result.output
    assert "Betfair: overtime 'maybe': expected one of included, excluded" in result.output
    assert "derived_bands.csv: line 1: no column 'distance'" in result.output
    assert "promotions.json: entry 1: Object missing required field `kind`" in result.output
    assert "alerts.toml: " in result.output
    assert "desk.ini: stakes/bankroll: expected a whole number" in result.output
    (folder / "desk.ini").write_bytes(b"\xff\xfe\n")
    assert "desk.ini: not UTF-8 text" in run(database, free_port).output
    (folder / "desk.ini").unlink()
    (folder / "desk.ini").mkdir()
    assert "desk.ini: cannot be read: " in run(database, free_port).output


def _mark(section: Section) -> Mark:
    (finding,) = section.findings
    return finding.mark
