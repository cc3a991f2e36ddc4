"""`oddsdesk ingest` records what it can and says what it could not."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oddsdesk.cli.ingest import ingest
from oddsdesk.store.store import Store, open_store
from tests.kit.ndjson import line

COMMAND = [sys.executable, "-c", "from oddsdesk.cli.main import main; main()", "ingest"]
LIMIT_S = 20


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "odds.db"


@pytest.fixture(autouse=True)
def no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine must not turn short work into long work."""
    monkeypatch.setattr("oddsdesk.cli.terminal.FIRST_AFTER_S", float("inf"))


def run(database: Path, *files: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(ingest, [*files, "--database", str(database)], input=stdin)


def last_line(result: Result) -> str:
    return result.stdout.splitlines()[-1]


def write(path: Path, *lines: bytes) -> str:
    path.write_bytes(b"".join(lines))
    return str(path)


def test_results_are_recorded_and_counted(database: Path, tmp_path: Path) -> None:
    result = {
        "match_name": "Home vs Away",
        "competition": "NBA",
        "kick_off": "2026-04-16T19:30:00Z",
        "status": "final",
        "home": 101,
        "away": 99,
    }
    quote = line("A", match_date="2026-04-16T19:30:00Z")
    lines = [json.dumps(result | changes).encode() + b"\n" for changes in ({}, {"home": "many"})]
    told = run(database, write(tmp_path / "lines", quote, *lines))
    assert last_line(told) == "quotes 1, changes 2, skipped 0, bad 1, results 1"
    assert "line 3: home: expected a number" in told.stderr
    assert told.exit_code == 1
    store = open_store(database)
    try:
        (found,) = store.reader().results()
    finally:
        store.close()
    assert (found.result.home, found.result.away, found.has_game) == (101, 99, True)


def test_quotes_are_recorded_and_counted(database: Path, tmp_path: Path) -> None:
    older = line("A", scraped_at="2026-04-16T18:00:00Z")
    moved = line("B", odds={"Home": 2.1, "Away": 1.9}, scraped_at="2026-04-16T19:01:00Z")
    result = run(database, write(tmp_path / "q", line("A"), older, line("B"), moved))
    assert result.exit_code == 0
    assert result.stdout == "quotes 3, changes 5, skipped 1, bad 0\n"
    assert result.stderr == (
        "quotes skipped, because newer ones of their markets are recorded: 1. History is not filled"
        " in later: record these in a new database first, then what `oddsdesk export quotes` writes"
        " from this one\n"
    )
    store = open_store(database)
    try:
        assert store.reader().last_seq() == 5
    finally:
        store.close()


def test_what_is_there_already_is_told_from_what_is_lost(database: Path, tmp_path: Path) -> None:
    """The file again, and then what stood at a moment, what did not, and what came before."""
    moved = {"odds": {"Home": 2.1, "Away": 1.9}, "scraped_at": "2026-04-16T19:01:00Z"}
    gone = {"odds": {}, "scraped_at": "2026-04-16T19:02:00Z"}
    back = {"scraped_at": "2026-04-16T19:03:00Z"}
    file = write(
        tmp_path / "q", line("A"), line("A", **moved), line("A", **gone), line("A", **back)
    )
    assert run(database, file).stderr == ""
    again = run(database, file)
    assert again.stdout == "quotes 1, changes 0, skipped 3, bad 0\n"
    assert again.stderr == "quotes skipped, whose prices were recorded before: 3\n"
    stood = line("A", scraped_at="2026-04-16T19:00:30Z")
    never = line("A", odds={"Home": 5.1, "Away": 1.1}, scraped_at="2026-04-16T19:01:30Z")
    before = line("A", scraped_at="2026-04-16T18:00:00Z")
    assert run(database, write(tmp_path / "r", stood, never, before)).stderr.startswith(
        "quotes skipped, because newer ones of their markets are recorded: 3, 1 of them already"
        " recorded. History is not filled in later: "
    )


def test_bad_lines_are_reported_with_file_and_number_and_the_good_kept(
    database: Path, tmp_path: Path
) -> None:
    name = write(tmp_path / "q.ndjson", line("A"), b"bad\n", line("B"), line(market_type="x"))
    result = run(database, name)
    assert result.exit_code == 1
    assert last_line(result) == "quotes 2, changes 4, skipped 0, bad 2"
    first, second = result.stderr.splitlines()
    assert first.startswith(f"{name} line 2: this is not JSON")
    assert second.startswith(f"{name} line 4: market_type: 'x'")


def test_bad_lines_without_end_are_counted_after_the_first(database: Path, tmp_path: Path) -> None:
    many = write(tmp_path / "season.csv", *[b"E0,Arsenal,Chelsea,1.9\n"] * 4_000, line("A"))
    few = write(tmp_path / "few", b"bad\n")
    result = run(database, many, few)
    assert last_line(result) == "quotes 1, changes 2, skipped 0, bad 4001"
    *told, count, last = result.stderr.splitlines()
    assert [each.partition(": ")[0] for each in told] == [f"{many} line {n}" for n in range(1, 21)]
    assert count == f"{many}: and 3,980 more bad lines"
    assert last.startswith(f"{few} line 1: ")


def test_a_disk_that_is_full_is_said_with_what_to_do(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `serve` says it; what was recorded until then stays."""

    def open_small(path: Path, **options: bool) -> Store:
        store = open_store(path, **options)
        pages = "PRAGMA max_page_count = 40"
        store.run_on_writer(lambda connection: connection.execute(pages).fetchall()).result(10)
        return store

    monkeypatch.setattr("oddsdesk.cli.ingest.open_store", open_small)

    def large(number: int) -> bytes:
        return line(f"Book {number}", url=f"https://x.org/{'a' * 2_000}")

    result = run(database, write(tmp_path / "q", *map(large, range(500))))
    assert result.exit_code == 1
    full = "the disk is full; free some space and try again"
    assert result.stderr == f"Error: {database}: {full}\n"
    before = [line(f"Book {number}") for number in range(3)]
    result = run(
        database, write(tmp_path / "few", *before), write(tmp_path / "q", *map(large, range(500)))
    )
    rest = "run the same command again for the rest, nothing is recorded twice"
    told = f"Error: {database}: {full}; 3 quotes before that are recorded: {rest}\n"
    assert result.stderr == told


def test_several_files_and_stdin_are_read_one_after_another(database: Path, tmp_path: Path) -> None:
    packed = tmp_path / "q.gz"
    packed.write_bytes(gzip.compress(line("A") + line("B")))
    result = run(database, str(packed), "-", stdin=line("C"))
    assert (result.exit_code, last_line(result)) == (0, "quotes 3, changes 6, skipped 0, bad 0")


def test_a_file_that_cannot_be_read_is_named_and_the_others_kept(
    database: Path, tmp_path: Path
) -> None:
    result = run(database, str(tmp_path / "none"), write(tmp_path / "q", line("A")), str(tmp_path))
    assert result.exit_code == 1
    assert last_line(result) == "quotes 1, changes 2, skipped 0, bad 0"
    first, second = result.stderr.splitlines()
    assert first == f"cannot read {tmp_path / 'none'}: No such file or directory"
    assert second.startswith(f"cannot read {tmp_path}: ")


def test_a_cut_file_is_one_bad_line(database: Path, tmp_path: Path) -> None:
    packed = gzip.compress(b"".join(line(f"B{number * 7919 % 1009}") for number in range(500)))
    result = run(database, write(tmp_path / "q.gz", packed[:-100]))
    assert result.exit_code == 1
    assert last_line(result).endswith("bad 1")
    assert result.stderr.count("\n") == 1
    assert "the gzip data ends early" in result.stderr


def test_a_database_that_is_none_is_one_clear_line(database: Path, tmp_path: Path) -> None:
    database.write_bytes(b"this is a text, and long enough not to be taken for an empty file" * 20)
    result = run(database, write(tmp_path / "q", line("A")))
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_no_file_is_misuse(database: Path) -> None:
    assert run(database).exit_code == 2


def changes(database: Path) -> int:
    if not database.exists():
        return 0
    store = open_store(database, read_only=True)
    try:
        return store.reader().last_seq()
    finally:
        store.close()


def but_progress(stderr: bytes) -> bytes:
    lines = stderr.splitlines(keepends=True)
    return b"".join(line for line in lines if not line.endswith(b" quotes read\n"))


def wait_for_changes(database: Path, count: int) -> None:
    end = time.monotonic() + LIMIT_S
    while changes(database) < count:
        assert time.monotonic() < end, f"{count} changes were not recorded in time"
        time.sleep(0.02)


@pytest.fixture
def streaming(database: Path):
    warm = run(database, "-", stdin=b"")
    assert warm.exit_code == 0
    process = subprocess.Popen(
        [*COMMAND, "-", "--database", str(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        yield process
        process.kill()


def test_lines_of_a_pipe_are_recorded_as_they_come(
    database: Path, streaming: subprocess.Popen[bytes]
) -> None:
    assert streaming.stdin is not None
    for number, name in enumerate("AB", start=1):
        streaming.stdin.write(line(name))
        streaming.stdin.flush()
        wait_for_changes(database, 2 * number)
    out, err = streaming.communicate(timeout=LIMIT_S)
    assert (out, but_progress(err)) == (b"quotes 2, changes 4, skipped 0, bad 0\n", b"")
    assert streaming.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_an_interrupt_ends_a_pipe_cleanly(
    database: Path, streaming: subprocess.Popen[bytes]
) -> None:
    assert streaming.stdin is not None
    streaming.stdin.write(line("A"))
    streaming.stdin.flush()
    wait_for_changes(database, 2)
    os.kill(streaming.pid, signal.SIGINT)
    streaming.wait(timeout=LIMIT_S)
    out, err = streaming.communicate(timeout=LIMIT_S)
    assert (out, but_progress(err)) == (b"quotes 1, changes 2, skipped 0, bad 0\n", b"")
    assert streaming.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT to the reader of a FIFO")
def test_an_interrupt_in_a_file_says_so_and_reads_no_further_file(
    database: Path, tmp_path: Path
) -> None:
    fifo, other = tmp_path / "fifo", write(tmp_path / "q", line("B"))
    os.mkfifo(fifo)
    with subprocess.Popen(
        [*COMMAND, str(fifo), other, "--database", str(database)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        with fifo.open("wb", buffering=0) as stream:
            stream.write(line("A"))
            wait_for_changes(database, 2)
            os.kill(process.pid, signal.SIGINT)
            process.wait(timeout=LIMIT_S)
        out, err = process.communicate(timeout=LIMIT_S)
    assert out == b"quotes 1, changes 2, skipped 0, bad 0\n"
    assert but_progress(err) == b"interrupted; what was read so far is recorded\n"
    assert process.returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="closes a pipe")
def test_nobody_reading_the_count_is_no_traceback(database: Path, tmp_path: Path) -> None:
    name = write(tmp_path / "q", line("A"))
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*COMMAND, name, "--database", str(database)],
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=LIMIT_S,
            check=False,
        )
    finally:
        os.close(writing)
    assert but_progress(done.stderr) == b""
    assert changes(database) == 2


def test_the_real_movement_is_recorded(database: Path, shared_data: Path) -> None:
    result = run(database, str(shared_data / "movement" / "world-cup-2026.quotes.ndjson.gz"))
    assert result.exit_code == 0
    assert last_line(result) == "quotes 14687, changes 18256, skipped 0, bad 0"
