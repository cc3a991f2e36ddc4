"""`oddsdesk serve` as a program (command-line.md)."""

import asyncio
import contextlib
import json
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from oddsdesk import __version__
from oddsdesk.contract.access import Plan
from oddsdesk.store.access import open_access
from oddsdesk.store.store import open_store
from tests.kit.promises import in_time

LIMIT_S = 20
Started = tuple[subprocess.Popen[str], str]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts the program on a database of the test's own."""
    programs = []

    def start(*options: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "oddsdesk", "serve", "--database"]
        program = subprocess.Popen(
            [*command, str(tmp_path / "odds.db"), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        programs.append(program)
        return program

    yield start
    for program in programs:
        if program.poll() is None:
            program.kill()
        program.communicate(timeout=LIMIT_S)


def _address(program: subprocess.Popen[str]) -> str:
    assert program.stdout is not None
    line = program.stdout.readline()
    assert line.startswith("listening on http://127.0.0.1:"), line
    return line.removeprefix("listening on ").strip()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_prints_one_line_answers_and_stops_in_time(serve, number):
    program = serve("--port", "0", "--feed", "none")
    address = _address(program)
    with urllib.request.urlopen(f"{address}/api/health") as answer:
        assert json.load(answer)["status"] == "ok"
    began = time.monotonic()
    program.send_signal(number)
    rest, trouble = program.communicate(timeout=LIMIT_S)
    assert time.monotonic() - began < in_time(3)
    assert (program.returncode, rest, trouble) == (0, "", "")


@pytest.mark.parametrize("output", [">/dev/full", ">&-"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux plays a full disk")
def test_serves_where_standard_output_cannot_be_written(tmp_path, output):
    """Closed, its number was given to a socket of the loop, which ended in an abort."""
    command = ["serve", "--port", "0", "--database", str(tmp_path / "odds.db")]
    with subprocess.Popen(
        ["sh", "-c", f'exec "$0" "$@" {output}', sys.executable, "-m", "oddsdesk", *command],
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stderr is not None
        line = program.stderr.readline()
        said = re.search(r"listening on (http://[^;]+); standard output cannot be written: ", line)
        assert said is not None, line
        with urllib.request.urlopen(f"{said[1]}/api/health") as answer:
            assert json.load(answer)["status"] == "ok"
        program.terminate()
        _, rest = program.communicate(timeout=LIMIT_S)
    assert (program.returncode, rest) == (0, "")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_terminal_that_closes_ends_it_as_the_log_says(serve, tmp_path, workers):
    program = serve("--port", "0", "--log-level", "info", "--workers", workers)
    _address(program)
    program.send_signal(signal.SIGUSR1)
    program.send_signal(signal.SIGHUP)
    _, log = program.communicate(timeout=LIMIT_S)
    assert program.returncode == 0, log
    assert "stopped: SIGHUP, after " in log
    assert not list(tmp_path.glob("*-wal")) + list(tmp_path.glob("*.lock"))


def test_who_began_it_with_nohup_keeps_it_without_a_terminal(tmp_path):
    ignoring = f"import signal, runpy; signal.signal({signal.SIGHUP:d}, signal.SIG_IGN);"
    run = "runpy.run_module('oddsdesk', run_name='__main__')"
    command = ["serve", "--port", "0", "--log-level", "info", "--database", str(tmp_path / "a.db")]
    with subprocess.Popen(
        [sys.executable, "-c", ignoring + run, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        address = _address(program)
        program.send_signal(signal.SIGHUP)
        with urllib.request.urlopen(f"{address}/api/health") as answer:
            assert json.load(answer)["status"] == "ok"
        program.terminate()
        _, log = program.communicate(timeout=LIMIT_S)
    assert "stopped: SIGTERM, after " in log


def test_the_log_says_what_it_began_with_and_why_it_ended(serve, tmp_path):
    program = serve("--port", "0", "--feed", "simulator", "--log-level", "info")
    address = _address(program)
    program.send_signal(signal.SIGINT)
    _, log = program.communicate(timeout=LIMIT_S)
    lines = [line for line in log.splitlines() if " oddsdesk.cli.serve: " in line]
    started, stopped = (line.partition(" INFO oddsdesk.cli.serve: ")[2] for line in lines)
    assert started == (
        f"started: version {__version__}, process {program.pid}, address {address}, tls none,"
        f" database {tmp_path / 'odds.db'}, engine SQLite, roles api stream valuation upkeep feeds,"
        " workers 1, feeds simulator"
    )
    assert re.fullmatch(r"stopped: SIGINT, after \d+\.\d s", stopped)


def test_the_same_as_fields_of_json_without_what_feeds_are_asked(serve):
    feed = "ws://127.0.0.1:1/?key=SECRET"
    how = ["--log-level", "info", "--log-format", "json", "--workers", "2"]
    program = serve("--port", "0", "--feed", feed, *how)
    address = _address(program)
    program.terminate()
    _, log = program.communicate(timeout=LIMIT_S)
    lines = [json.loads(line) for line in log.splitlines()]
    started, stopped = (each for each in lines if each["logger"] == "oddsdesk.cli.serve")
    assert (started["address"], started["workers"], started["feeds"]) == (address, 2, ["ws"])
    assert (started["engine"], started["tls"], stopped["why"]) == ("SQLite", None, "SIGTERM")
    assert "SECRET" not in str([started, stopped])


def test_a_start_that_fails_is_the_end_of_the_log(serve):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        how = ["--log-level", "info", "--log-format", "json"]
        program = serve("--port", str(taken.getsockname()[1]), *how)
        _, log = program.communicate(timeout=LIMIT_S)
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    (stopped,) = [each for each in lines if each["logger"] == "oddsdesk.cli.serve"]
    assert "the port is in use" in stopped["why"]


def test_stops_in_time_with_streams_open_and_a_feed_running(serve, tmp_path):
    program = serve("--port", "0", "--feed", "simulator")
    address = _address(program)
    with contextlib.closing(open_access(tmp_path / "odds.db")) as access:
        key = access.keys.create("a", Plan.PRO_LIVE, None, 0).secret
    request = urllib.request.Request(
        f"{address}/api/stream/token", method="POST", headers={"X-Api-Key": key}
    )
    tokens = []
    for _ in range(2):
        with urllib.request.urlopen(request) as answer:
            tokens.append(json.load(answer)["token"])

    async def until_closed() -> tuple[int | None, float]:
        ws = address.replace("http", "ws")
        async with connect(f"{ws}/api/stream?token={tokens[0]}") as client:
            await asyncio.wait_for(client.recv(), LIMIT_S)
            stuck = await connect(f"{ws}/api/stream?token={tokens[1]}")
            stuck.transport.pause_reading()
            began = time.monotonic()
            program.terminate()
            with contextlib.suppress(Exception):
                while True:
                    await client.recv()
            await asyncio.to_thread(program.wait, LIMIT_S)
            stuck.transport.abort()
            return client.close_code, time.monotonic() - began

    code, seconds = asyncio.run(until_closed())
    assert (program.returncode, code) == (0, 1001)
    assert seconds < in_time(3)


@pytest.mark.slow
def test_reference_and_retention_change_only_where_an_option_says_so(serve, tmp_path):
    """F2.1, F2.2: both are the database's (D76)."""

    def served(*options: str) -> tuple[str, int | None]:
        program = serve("--port", "0", *options)
        _address(program)
        program.terminate()
        program.communicate(timeout=LIMIT_S)
        with contextlib.closing(open_store(tmp_path / "odds.db", read_only=True)) as store:
            return store.reference, store.reader().keep_days()

    assert served() == ("Pinnacle", None)
    assert served("--reference", "Sharp", "--keep-days", "7") == ("Sharp", 7)
    assert served() == ("Sharp", 7)
    assert served("--keep-days", "all") == ("Sharp", 0)


@pytest.mark.parametrize("days", ["0", "-1", "1.5", "³", "100000", "everything", ""])
def test_a_retention_that_is_none_is_refused_and_changes_nothing(serve, tmp_path, days):
    program = serve("--port", "0", "--keep-days", days)
    _, trouble = program.communicate(timeout=LIMIT_S)
    assert program.returncode == 2
    assert "expected a number from 1 to 99999 or 'all'" in trouble
    assert not (tmp_path / "odds.db").exists()


def test_what_was_committed_is_there_after_the_stop(serve, tmp_path):
    program = serve("--port", "0", "--feed", "simulator")
    _address(program)
    with contextlib.closing(open_store(tmp_path / "odds.db", read_only=True)) as store:
        while (before := store.reader().last_seq()) == 0:
            time.sleep(0.02)
    program.terminate()
    assert program.wait(LIMIT_S) == 0
    with contextlib.closing(open_store(tmp_path / "odds.db")) as store:
        assert store.reader().last_seq() >= before
        assert store.run_on_writer(_integrity).result(LIMIT_S) == "ok"


def _integrity(connection: sqlite3.Connection) -> str:
    verdict: str = connection.execute("PRAGMA quick_check").fetchall()[0][0]
    return verdict


def test_port_in_use_is_one_line_and_1_and_makes_no_database(serve, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        program = serve("--port", str(port))
        said, trouble = program.communicate(timeout=LIMIT_S)
    assert (program.returncode, said) == (1, "")
    assert trouble.count("\n") == 1
    assert f"127.0.0.1:{port}" in trouble
    assert "in use" in trouble
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"not a database, not at all " * 100, None])
def test_bad_database_is_one_line_and_1(serve, tmp_path, content):
    if content is None:
        (tmp_path / "odds.db").mkdir()
    else:
        (tmp_path / "odds.db").write_bytes(content)
    program = serve("--port", "0")
    said, trouble = program.communicate(timeout=LIMIT_S)
    assert (program.returncode, said) == (1, "")
    assert trouble.count("\n") == 1
    assert "odds.db" in trouble


@pytest.mark.parametrize(
    ("options", "status", "named"),
    [
        (["--feed", "teletext"], 1, "teletext"),
        (["--feed", "replay:/nowhere/at-all.ndjson"], 1, "at-all.ndjson"),
        (["--host", "no.such.host.invalid"], 1, "no.such.host.invalid"),
        (["--metrics-port", "1", "--metrics-host", "nowhere.invalid"], 1, "another --metrics-host"),
        (["--metrics-host", "0.0.0.0"], 2, "--metrics-host needs --metrics-port"),
        (["--devig", "magic"], 2, "magic"),
        (["--port", "70000"], 2, "70000"),
        (["--speed", "0"], 2, "speed"),
        (["--access", "/nowhere/keys.db"], 1, "there is no folder /nowhere; choose another file"),
        (["--access", __file__], 1, "is not a database; choose another file"),
    ],
)
def test_bad_option_is_named_and_makes_no_database(serve, tmp_path, options, status, named):
    program = serve("--port", "0", *options)
    said, trouble = program.communicate(timeout=LIMIT_S)
    assert (program.returncode, said) == (status, "")
    assert named in trouble
    assert "Traceback" not in trouble
    assert list(tmp_path.iterdir()) == []


def test_each_line_of_a_log_in_json_is_json(serve):
    """D115: warnings before the start, too."""
    with socket.create_server(("0.0.0.0", 0)) as free:
        port = str(free.getsockname()[1])
    public = ("--host", "0.0.0.0", "--metrics-host", "0.0.0.0", "--metrics-port", port)
    program = serve("--port", "0", *public, "--log-format", "json", "--log-level", "info")
    assert program.stdout is not None
    program.stdout.readline()
    program.terminate()
    _, told = program.communicate(timeout=LIMIT_S)
    lines = [json.loads(line) for line in told.splitlines()]
    assert [line["level"] for line in lines[:2]] == ["warning", "warning"]
    assert lines[0]["message"].startswith("0.0.0.0 is reachable from other machines")
    assert lines[1]["message"].startswith("anyone who can connect to 0.0.0.0:")
    assert any(line["message"].startswith("started: ") for line in lines)


def test_address_that_others_can_reach_is_warned_of(serve):
    program = serve("--port", "0", "--host", "0.0.0.0")
    assert program.stderr is not None
    warning = program.stderr.readline()
    assert warning.startswith("warning: 0.0.0.0 is reachable from other machines")
    assert program.stdout is not None
    assert program.stdout.readline().startswith("listening on http://0.0.0.0:")
    program.terminate()
    assert program.wait(LIMIT_S) == 0


def test_log_holds_neither_token_nor_key(serve, tmp_path):
    """D23, D44."""
    options = ["--log-level", "info", "--access-log", "--behind-proxy", "127.0.0.1"]
    program = serve("--port", "0", *options)
    address = _address(program)
    with contextlib.closing(open_access(tmp_path / "odds.db")) as access:
        key = access.keys.create("a", Plan.PRO_LIVE, None, 0).secret
    token = "SECRET-TOKEN" + "9" * 52
    host, port = address.removeprefix("http://").split(":")
    for line in (
        f"GET /api/stream?token=SECRET-TOKEN HTTP/1.1\r\nHost: {host}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        f"GET /api/odds/{key}?x={key} HTTP/1.1\r\nHost: {host}\r\nX-Api-Key: {key}",
        f"GET /api/stream/{token} HTTP/1.1\r\nHost: {host}",
        f"GET /api/stream%3ftoken={token} HTTP/1.1\r\nHost: {host}",
        f"GET /api/odds HTTP/1.1\r\nHost: {key}",
        f"GET /api/odds HTTP/1.1\r\nHost: {host}\r\nX-Forwarded-For: {key}",
        f"GET /api/odds HTTP/1.1\r\nHost: {host}\r\nX-Forwarded-For: fe80::1%{key}",
        f"BAD {key}",
    ):
        with socket.create_connection((host, int(port))) as client:
            client.sendall(line.encode() + b"\r\nConnection: close\r\n\r\n")
            client.settimeout(2)
            with contextlib.suppress(TimeoutError):
                while client.recv(4096):
                    pass
    program.terminate()
    _, log = program.communicate(timeout=LIMIT_S)
    assert "SECRET" not in log
    assert key not in log
