"""The download itself, where there is neither Python nor the checkout (issue 5).

`packaging/smoke` runs these on what `packaging/build` made; elsewhere they are skipped.
"""

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.sync.client import connect

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.times import format_ms
from tests.kit.bundle import Bundle, unpack
from tests.kit.promises import in_time

DIST = os.environ.get("ODDSDESK_DIST")
SURVIVES_S = float(os.environ.get("ODDSDESK_SURVIVES_S", "60"))
STOP_LIMIT_S = 3.0

pytestmark = pytest.mark.skipif(not DIST, reason="no bundle; packaging/smoke tests one")


def odds_file(away: float) -> str:
    """One game as The Odds API tells it, made up here."""
    now = format_ms(system_clock())
    outcomes = [
        {"name": "Ayton", "price": 2.1},
        {"name": "Draw", "price": 3.4},
        {"name": "Beeford", "price": away},
    ]
    market = {"key": "h2h", "last_update": now, "outcomes": outcomes}
    bookmaker = {"key": "harbour", "title": "Harbour", "last_update": now, "markets": [market]}
    event = {
        "id": "1",
        "sport_key": "soccer_epl",
        "sport_title": "EPL",
        "commence_time": format_ms(system_clock() + 3_600_000),
        "home_team": "Ayton",
        "away_team": "Beeford",
        "bookmakers": [bookmaker],
    }
    return json.dumps([event])


@pytest.fixture(scope="module")
def dist() -> Path:
    assert DIST is not None
    return Path(DIST).resolve()


@pytest.fixture(scope="module")
def unpacked(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    (archive,) = dist.glob("oddsdesk-[0-9]*-linux-*.tar.gz")
    return unpack(archive, tmp_path_factory.mktemp("download"))


@pytest.fixture
def bundle(unpacked: Path, tmp_path: Path) -> Bundle:
    return Bundle(unpacked, tmp_path / "home")


def ask(url: str, path: str, key: str, *, method: str = "GET") -> dict[str, object]:
    request = urllib.request.Request(f"{url}{path}", headers={"X-Api-Key": key}, method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def test_sums_are_those_of_the_files(dist: Path):
    heard = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=dist, capture_output=True)
    assert heard.returncode == 0, heard.stderr


def test_there_is_no_python_to_be_found(bundle: Bundle):
    assert shutil.which("python3", path=bundle.environment["PATH"]) is None
    assert not list(bundle.folder.rglob("libreadline*"))
    licences = (bundle.folder / "LICENCES.txt").read_text()
    assert "PySide6_Essentials" in licences
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in licences


def test_nothing_is_looked_for_in_folders_of_the_builder(unpacked: Path):
    """The owner of such a folder on another machine could put libraries there."""
    files = [str(file) for file in unpacked.rglob("*.so*") if not file.is_symlink()]
    told = subprocess.run(["readelf", "-dW", *files], capture_output=True, text=True, check=True)
    paths = re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", told.stdout)
    assert paths, "Qt has some"
    assert [each for each in paths if not each.startswith("$ORIGIN")] == []


def test_the_server_starts_imports_streams_and_stops(bundle: Bundle):
    database = str(bundle.home / "odds.db")
    key = bundle.run(
        "oddsdesk-server", "keys", "create", "--plan", "Pro+ Live", "--database", database
    )
    server = bundle.start("oddsdesk-server", "--database", database, "--port", "0")
    assert server.stdout is not None
    url = server.stdout.readline().strip().removeprefix("listening on ")
    assert ask(url, "/api/health", key)["status"] == "ok"
    file = bundle.home / "odds.json"
    file.write_text(odds_file(3.6))
    token = ask(url, "/api/stream/token", key, method="POST")["token"]
    with connect(f"{url.replace('http', 'ws')}/api/stream?token={token}", proxy=None) as stream:
        bundle.run("oddsdesk-server", "import", "the-odds-api", str(file), "--database", database)
        message = json.loads(stream.recv(timeout=30))
    assert message["bookmaker"] == "Harbour"
    rows = ask(url, "/api/odds", key)["data"]
    assert isinstance(rows, list)
    assert rows[0]["odds"]["Beeford"] == 3.6
    asked = time.monotonic()
    server.send_signal(signal.SIGTERM)
    _, err = server.communicate(timeout=60)
    assert time.monotonic() - asked < in_time(STOP_LIMIT_S)
    assert (server.returncode, err) == (0, "")


def test_every_command_is_in_the_bundle(bundle: Bundle):
    for program, commands in {
        "oddsdesk": ("desk", "devig", "doctor", "import", "ingest", "keys", "serve"),
        "oddsdesk-server": ("doctor", "import", "ingest", "keys", "serve"),
    }.items():
        for command in commands:
            assert "Usage: " in bundle.run(program, command, "--help")


def test_the_doctor_finds_nothing_broken(bundle: Bundle):
    report = bundle.run("oddsdesk", "doctor")
    assert "(bundle)" in report
    assert "nothing is broken" in report
    assert "nothing is broken" in bundle.run("oddsdesk-server", "doctor")


def test_a_folder_data_next_to_the_programs_keeps_all(bundle: Bundle, tmp_path: Path):
    stick = tmp_path / "stick"
    shutil.copytree(bundle.folder, stick, symlinks=True)
    (stick / "data").mkdir()
    portable = Bundle(stick, tmp_path / "guest")
    server = portable.start("oddsdesk-server", "--port", "0")
    assert server.stdout is not None
    server.stdout.readline()
    server.terminate()
    server.communicate(timeout=60)
    assert (stick / "data" / "oddsdesk.db").exists()
    assert (stick / "data" / "oddsdesk-access.db").exists()
    assert (stick / "data" / "logs" / "oddsdesk.log").exists()
    assert [path.name for path in portable.home.rglob("*")] == ["bin"]


class Screen:
    """Keys and windows of the virtual screen."""

    def __init__(self, display: str) -> None:
        self.display = display

    def close(self, process: subprocess.Popen[str]) -> None:
        """Close the window as a user does, and wait for the program's end."""
        self._xdotool("windowfocus", "--sync", self._find_window())
        self._xdotool("key", "ctrl+q")
        process.wait(10)

    def _find_window(self) -> str:
        """Search again where the search met a window that just went: X calls that an error."""
        for _ in range(5):
            with contextlib.suppress(subprocess.CalledProcessError):
                found = self._xdotool("search", "--sync", "--onlyvisible", "--name", "oddsdesk$")
                return found.split()[-1]
        raise AssertionError("no window of the desk is there")

    def _xdotool(self, *arguments: str) -> str:
        return subprocess.run(
            ["xdotool", *arguments],
            env={"DISPLAY": self.display, "PATH": os.defpath},
            check=True,
            capture_output=True,
            text=True,
            timeout=30,
        ).stdout.strip()


@pytest.fixture
def x_screen(screen: str) -> Screen:
    if shutil.which("xdotool") is None:
        pytest.skip("xdotool is not installed")
    return Screen(screen)


def wait_for(process: subprocess.Popen[str], part: str) -> None:
    assert process.stderr is not None
    seen = []
    for line in process.stderr:
        if part in line:
            return
        seen.append(line)
    pytest.fail(f"it ended without saying {part!r}: {''.join(seen)}")


def test_the_window_shows_prices_survives_and_quits_when_closed(bundle: Bundle, x_screen: Screen):
    process = bundle.start("oddsdesk", "desk", "--verbose", DISPLAY=x_screen.display)
    wait_for(process, "first prices painted")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(SURVIVES_S)
    x_screen.close(process)
    _, err = process.communicate()
    assert process.returncode == 0
    assert "ERROR" not in err
    assert "Traceback" not in err


@pytest.fixture
def installed(dist: Path) -> Iterator[Path]:
    """The Debian package, installed; it is removed afterwards whatever happens."""
    if shutil.which("dpkg") is None or os.geteuid() != 0:
        pytest.skip("needs dpkg, and root to install with it")
    (package,) = dist.glob("oddsdesk_*.deb")
    known = subprocess.run(["dpkg", "-s", "oddsdesk"], capture_output=True, check=False)
    if known.returncode == 0:
        pytest.skip("an oddsdesk is installed here already")
    done = subprocess.run(["dpkg", "-i", str(package)], capture_output=True, text=True, check=False)
    try:
        assert done.returncode == 0, done.stdout + done.stderr
        yield package
    finally:
        subprocess.run(["dpkg", "-P", "oddsdesk"], capture_output=True, check=False)


def test_the_debian_package_installs_starts_and_leaves_nothing(
    installed: Path, tmp_path: Path, x_screen: Screen
):
    heard = subprocess.run(["dpkg", "-L", "oddsdesk"], capture_output=True, text=True, check=True)
    files = [Path(line) for line in heard.stdout.splitlines()]
    assert Path("/usr/share/man/man1/oddsdesk-server.1.gz") in files
    system = Bundle(Path("/usr/bin"), tmp_path / "home")
    entry = Path("/usr/share/applications/org.oddsdesk.oddsdesk.desktop").read_text()
    (line,) = [each for each in entry.splitlines() if each.startswith("Exec=")]
    program = shlex.split(line.removeprefix("Exec="))
    process = system.start(*program, DISPLAY=x_screen.display)
    x_screen.close(process)
    _, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    assert system.run("oddsdesk-server", "--version").startswith("oddsdesk-server")
    removed = subprocess.run(["dpkg", "-r", "oddsdesk"], capture_output=True, check=False)
    assert removed.returncode == 0, removed.stderr
    left = [path for path in files if path.exists() and "oddsdesk" in str(path)]
    assert left == []
