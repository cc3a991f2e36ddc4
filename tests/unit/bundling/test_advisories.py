"""The nightly scan for known vulnerabilities, with and without a source that answers."""

import datetime
import importlib.util
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import advisories
import pytest

TODAY = datetime.date(2026, 11, 28)
DAY = datetime.timedelta(days=1)
STARLETTE = {
    "id": "PYSEC-2026-1",
    "aliases": ["GHSA-aaaa-bbbb-cccc"],
    "fix_versions": ["99.1"],
    "description": "-",
}
IGNORED = """
[[ignored]]
id = "GHSA-aaaa-bbbb-cccc"
reason = "Nothing here calls it."
until = 2026-11-28
"""
Scan = Callable[..., int]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The packages in pip-audit's answer; if empty, it fails as without an answer."""
    packages: list[dict[str, Any]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        if packages:
            output = Path(command[command.index("--output") + 1])
            output.write_text(json.dumps({"dependencies": packages, "fixes": []}))
            return subprocess.CompletedProcess(command, 1)
        return subprocess.CompletedProcess(command, 1, "", "Traceback\nName not known: api.osv.dev")

    monkeypatch.setattr(advisories.subprocess, "run", run)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return packages


def all_pinned(**vulnerable: dict[str, Any]) -> list[dict[str, Any]]:
    packages = []
    for pin in advisories.pins():
        name, _, version = pin.partition("==")
        vulns = [vulnerable[name]] if name in vulnerable else []
        packages.append({"name": name, "version": version, "vulns": vulns})
    return packages


@pytest.fixture
def scan(tmp_path: Path) -> Scan:
    listed = tmp_path / "ignored.toml"

    def run(ignored: str = "", today: datetime.date = TODAY) -> int:
        listed.write_text(ignored)
        status: int = advisories.main([str(tmp_path), "--ignored", str(listed)], today)
        return status

    return run


def test_all_that_is_pinned_is_scanned() -> None:
    wanted = advisories.pins()
    assert len(wanted) == len(set(wanted))
    for name in advisories.PINNED:
        text = (advisories.PACKAGING / name).read_text()
        for line in re.findall(r"^\S+==[^\s;\\]+", text, re.MULTILINE):
            package, _, version = line.partition("==")
            assert f"{re.sub('[-_.]+', '-', package).lower()}=={version}" in wanted


def test_where_nothing_is_known_the_night_goes_on(
    told: list[dict[str, Any]], scan: Scan, capsys: pytest.CaptureFixture[str]
) -> None:
    told += all_pinned()
    assert scan() == 0
    assert capsys.readouterr().out == (
        f"{len(told)} pinned packages were scanned for known vulnerabilities\n"
    )


def test_a_known_vulnerability_fails_the_night(
    told: list[dict[str, Any]], scan: Scan, capsys: pytest.CaptureFixture[str]
) -> None:
    told += all_pinned(starlette=STARLETTE)
    (version,) = (each["version"] for each in told if each["name"] == "starlette")
    assert scan() == advisories.FOUND
    line = f"error: starlette {version}: PYSEC-2026-1; fixed in 99.1\n"
    assert capsys.readouterr().err == line


def test_one_that_is_listed_is_passed_over_until_its_day(
    told: list[dict[str, Any]], scan: Scan, capsys: pytest.CaptureFixture[str]
) -> None:
    told += all_pinned(starlette=STARLETTE)
    assert scan(IGNORED) == 0
    said = capsys.readouterr()
    assert "PYSEC-2026-1; fixed in 99.1 (ignored until 2026-11-28)" in said.out
    assert said.err == ""
    assert scan(IGNORED, TODAY + DAY) == advisories.FOUND
    assert "(was ignored until 2026-11-28)" in capsys.readouterr().err


def test_a_listed_one_that_concerns_nothing_is_said(
    told: list[dict[str, Any]], scan: Scan, capsys: pytest.CaptureFixture[str]
) -> None:
    told += all_pinned()
    assert scan(IGNORED) == 0
    assert "GHSA-aaaa-bbbb-cccc concerns no pinned package" in capsys.readouterr().err


@pytest.mark.parametrize(
    "listed",
    [
        "[[ignored]",
        IGNORED.replace('reason = "Nothing here calls it."', ""),
        IGNORED.replace("Nothing here calls it.", ""),
        IGNORED.replace("until = 2026-11-28", ""),
        IGNORED.replace("2026-11-28", '"soon"'),
    ],
)
def test_an_entry_needs_an_id_a_reason_and_a_day(
    listed: str, told: list[dict[str, Any]], scan: Scan, capsys: pytest.CaptureFixture[str]
) -> None:
    told += all_pinned()
    assert scan(listed) == advisories.MISTAKEN
    assert capsys.readouterr().err.count("\n") == 1


def test_the_list_of_ignored_advisories_has_no_mistake() -> None:
    advisories.ignored(advisories.PACKAGING / "advisories.toml")


def test_where_no_source_answers_nights_may_pass_for_seven_days_after_a_scan(
    told: list[dict[str, Any]], scan: Scan, capsys: pytest.CaptureFixture[str]
) -> None:
    told += all_pinned()
    assert scan() == 0
    told.clear()
    capsys.readouterr()
    assert [scan(today=TODAY + days * DAY) for days in range(9)] == [*[0] * 8, advisories.OVERDUE]
    lines = capsys.readouterr().err.splitlines()
    start = (
        "pinned packages were NOT scanned for known vulnerabilities: Name not known: api.osv.dev; "
    )
    rule = "a night may pass unscanned for 7 days after a successful scan"
    assert lines[7] == f"warning: {start}the last successful scan was on {TODAY}; {rule}"
    assert lines[8] == f"error: {start}the last successful scan was on {TODAY}; {rule}"
    told += all_pinned()
    assert scan(today=TODAY + 9 * DAY) == 0
    told.clear()
    assert scan(today=TODAY + 16 * DAY) == 0


def test_without_any_successful_scan_the_first_night_fails(
    told: list[dict[str, Any]], scan: Scan, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Otherwise a CI that does not keep the folder would never fail."""
    assert [scan(), scan(today=TODAY + DAY)] == [advisories.OVERDUE] * 2
    for line in capsys.readouterr().err.splitlines():
        assert f"; {tmp_path} has no record of a successful scan; " in line
    assert not (tmp_path / advisories.STATE).exists()


@pytest.mark.parametrize(
    "damaged",
    [
        "",
        '{"last_scan": "2026-1',
        "[]",
        "{}",
        '{"last_scan": 1}',
        '{"last_scan": "2026-11-29"}',
        b"\xff",
    ],
)
def test_a_damaged_record_is_reported_and_counts_as_none(
    damaged: str | bytes,
    told: list[dict[str, Any]],
    scan: Scan,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    state = tmp_path / advisories.STATE
    state.write_bytes(damaged if isinstance(damaged, bytes) else damaged.encode())
    assert scan() == advisories.OVERDUE
    warning, error = capsys.readouterr().err.splitlines()
    assert warning.startswith(f"warning: {state.name} is damaged and counts as no record: ")
    assert "no record of a successful scan" in error
    told += all_pinned()
    assert scan() == 0
    assert json.loads(state.read_text()) == {"last_scan": "2026-11-28"}


def test_where_the_date_cannot_be_kept_the_scan_still_counts(
    told: list[dict[str, Any]], scan: Scan, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / advisories.STATE).mkdir()
    told += all_pinned(starlette=STARLETTE)
    assert scan() == advisories.FOUND
    assert "the date of this scan cannot be kept" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("stderr", "short"),
    [
        (
            "Traceback\nrequests.exceptions.ConnectionError: HTTPSConnectionPool(host='api.osv.dev'"
            ", port=443): Max retries exceeded with url: /v1/query (Caused by NameResolutionError("
            "\"HTTPSConnection(host='api.osv.dev', port=443): Failed to resolve 'api.osv.dev' "
            '([Errno -2] Name or service not known)"))\n',
            "Failed to resolve 'api.osv.dev' ([Errno -2] Name or service not known)",
        ),
        (
            "requests.exceptions.ConnectionError: HTTPConnectionPool(host='127.0.0.1', port=1): "
            "Max retries exceeded with url: / (Caused by NewConnectionError('<HTTPConnection "
            "object at 0x7f>: Failed to establish a new connection: "
            "[Errno 111] Connection refused'))",
            "Failed to establish a new connection: [Errno 111] Connection refused",
        ),
        (
            "SSLError: HTTPSConnectionPool(host='o', port=443): Max retries exceeded with url: / "
            "(Caused by SSLError(SSLCertVerificationError(1, 'certificate verify failed')))",
            "SSLCertVerificationError(1, 'certificate verify failed')",
        ),
        ("ERROR:pip_audit._cli:bad gateway", "ERROR:pip_audit._cli:bad gateway"),
        ("", "pip-audit gave no reason"),
        ("x" * 151, "x" * 149 + "…"),
    ],
)
def test_only_the_cause_of_a_failure_is_given(stderr: str, short: str) -> None:
    assert advisories.cause(stderr) == short


def test_packages_that_were_not_looked_up_are_not_scanned(
    told: list[dict[str, Any]], scan: Scan, capsys: pytest.CaptureFixture[str]
) -> None:
    """pip-audit passes where the index knows none of them: `No known vulnerabilities found`."""
    told += [{"name": each["name"], "skip_reason": "not found"} for each in all_pinned()]
    assert scan() == advisories.OVERDUE
    assert f"{len(told)} of {len(told)} packages were not looked up" in capsys.readouterr().err
    del told[3:]
    assert scan(today=TODAY + 8 * DAY) == advisories.OVERDUE


def test_a_fault_is_an_annotation_of_the_run(
    told: list[dict[str, Any]],
    scan: Scan,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert scan() == advisories.OVERDUE
    assert capsys.readouterr().err.startswith("::error::pinned packages were NOT scanned")


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("pip_audit") is None, reason="needs the extra nightly")
def test_pip_audit_itself_asks_the_source_and_finds_the_vulnerable_one(tmp_path: Path) -> None:
    """A source on this machine: its finding is shown, and a missing answer is reported."""

    class Osv(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            package = asked["package"]
            answer = {}
            if package["name"] == "starlette":
                events = [{"introduced": "0"}, {"fixed": "99.1"}]
                affected = {"package": package, "ranges": [{"type": "ECOSYSTEM", "events": events}]}
                known = {"id": "PYSEC-2026-1", "aliases": ["CVE-2026-1"], "affected": [affected]}
                answer = {"vulns": [known]}
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    def run(url: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, advisories.__file__, str(tmp_path), "--osv-url", url]
        return subprocess.run(command, capture_output=True, text=True)

    with ThreadingHTTPServer(("127.0.0.1", 0), Osv) as server:
        threading.Thread(target=server.serve_forever, name="osv").start()
        url = f"http://127.0.0.1:{server.server_port}/v1/query"
        found = run(url)
        server.shutdown()
    assert found.returncode == advisories.FOUND, found.stderr
    assert re.fullmatch(r"error: starlette [\d.]+: PYSEC-2026-1; fixed in 99.1\n", found.stderr), (
        found.stderr
    )
    silent = run(url)
    assert silent.returncode == 0
    assert "NOT scanned for known vulnerabilities: Failed to establish" in silent.stderr
    assert "Connection refused; the last successful scan was on " in silent.stderr
