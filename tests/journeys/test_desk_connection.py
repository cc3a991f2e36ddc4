"""At the desk: a service goes away and comes back; a key of the desk's own server is used."""

import json
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from oddsdesk.base.places import settings_folder
from oddsdesk.desk.connections.profiles import KeyPlace, Profiles, RemoteProfile, Secrets
from oddsdesk.network import host_of
from tests.kit.desk_window import LIMIT_S
from tests.kit.ndjson import quote
from tests.kit.program import Launch, Program
from tests.kit.workers import until

SERVICE = "Odds service"


class Service:
    """A server with a key and one bookmaker's prices of one game."""

    def __init__(self, launch: Launch, folder: Path) -> None:
        self._launch = launch
        self._file, self._database = folder / "quotes.ndjson", str(folder / "odds.db")
        self.quote(3.1)
        self._server, self.url = self._serve("0")
        self.key = self._run("keys", "create", "--plan", "Pro+ Live").strip()

    def quote(self, everton: float) -> None:
        """Take in a price, whether it serves now or not."""
        self._file.write_text(quote({"Everton": everton, "Draw": 3.4, "Liverpool": 2.3}))
        self._run("ingest", str(self._file))

    def die(self) -> None:
        """End in the middle of what it does."""
        self._server.kill()

    def hang(self) -> None:
        """Answer nothing and close nothing."""
        self._server.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Stop hanging."""
        self._server.process.send_signal(signal.SIGCONT)

    def come_back(self) -> None:
        """Serve again where it served before."""
        self._server, _ = self._serve(self.url.rpartition(":")[2])

    def _serve(self, port: str) -> tuple[Program, str]:
        server = self._launch("serve", "--port", port, "--database", self._database)
        line = server.first_line()
        assert line.startswith("listening on ")
        return server, line.removeprefix("listening on ")

    def _run(self, *arguments: str) -> str:
        command = self._launch(*arguments, "--database", self._database)
        out, err = command.process.communicate(timeout=30)
        assert (command.process.returncode, err) == (0, "")
        return out


@pytest.fixture
def service(launch: Launch, tmp_path: Path) -> Service:
    """A service that the desk has a saved connection to."""
    service = Service(launch, tmp_path)
    profile = RemoteProfile(SERVICE, service.url, key_place=KeyPlace.FILE)
    kept = Profiles(settings_folder()).save_profile(profile)
    assert isinstance(kept, RemoteProfile)
    Secrets(settings_folder()).keep_key(kept.ident, KeyPlace.FILE, service.key)
    return service


@pytest.mark.slow
def test_a_service_that_is_lost_or_hangs_is_told_its_prices_stay_and_it_is_found_again(
    open_desk, service: Service
):
    desk = open_desk("--profile", SERVICE)
    assert desk.using[-1] == service.url
    desk.explained("everton", "Down", "End", part="Everton at Harbour, 3.1\n")

    service.die()
    desk.program.wait_for_log("connection: waiting")
    service.quote(3.5)
    desk.go_to("everton")
    desk.press("Down")
    desk.explanation("Draw at Harbour, 3.4\n")

    service.come_back()
    desk.program.wait_for_log("connection: live")
    desk.go_to("everton")
    desk.press("Up")
    desk.explanation("Everton at Harbour, 3.5\n")

    service.hang()
    desk.program.wait_for_log(f"connection: waiting ({host_of(service.url)} is silent")
    service.go_on()
    desk.program.wait_for_log("connection: live")
    desk.press("ctrl+q")
    _, err = desk.program.process.communicate(timeout=60)
    assert desk.program.process.returncode == 0
    assert "ERROR" not in err
    assert service.key not in err


def curl(*arguments: str) -> tuple[int, bytes]:
    """Ask as a user's script does; return the HTTP status and the body."""
    command = ["curl", "--silent", "--max-time", "10", "--write-out", "\n%{http_code}"]
    done = subprocess.run([*command, *arguments], capture_output=True, check=True)
    body, _, status = done.stdout.rpartition(b"\n")
    return int(status), body


def is_key(text: str) -> bool:
    return re.fullmatch("oddsdesk_live_[0-9a-f]{32}", text) is not None


def wait_until_refused(url: str, key: str) -> None:
    """Ask until the key opens nothing any more."""
    ends = time.monotonic() + LIMIT_S
    while curl(url, "--header", f"X-Api-Key: {key}")[0] != 401:
        assert time.monotonic() < ends, "the key went on opening the service"


needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


@needs_curl
@pytest.mark.slow
def test_a_key_is_made_at_the_desk_used_from_curl_rotated_and_revoked(open_desk):
    desk = open_desk("--local")
    url = f"{desk.using[-1]}/api/odds"
    desk.go_to("feeds, keys")
    desk.enter("^Built-in server$")
    desk.press("ctrl+shift+Tab", "ctrl+shift+Tab", "alt+c")
    shown = desk.copied_by("ctrl+c", is_key)
    desk.press("Tab", "Tab", "Tab")
    line = desk.copied_by("space", lambda text: text.startswith("curl "))
    desk.press("shift+Tab", "shift+Tab")
    key = desk.copied_by("space", is_key)
    assert key == shown
    tried = subprocess.run(["sh", "-c", line], capture_output=True, check=True)
    assert json.loads(tried.stdout)["data"]
    status, body = curl(url, "--header", f"X-Api-Key: {key}")
    assert status == 200
    assert {"bookmaker", "odds", "scraped_at"} <= json.loads(body)["data"][0].keys()

    desk.press(*["shift+Tab"] * 10, "space", "shift+Tab", "space")
    rotated = desk.copied_by("ctrl+c", lambda text: text != key and is_key(text))
    wait_until_refused(url, key)
    assert curl(url, "--header", f"X-Api-Key: {rotated}")[0] == 200
    desk.press(*["shift+Tab"] * 8, "space", "shift+Tab", "space")
    wait_until_refused(url, rotated)
    desk.press("Escape")
    desk.wait_until_gone("^Built-in server$")
    desk.enter("oddsdesk$")
    desk.press("ctrl+q")
    _, err = desk.program.process.communicate(timeout=60)
    assert desk.program.process.returncode == 0
    assert "Not connected" not in err
    assert key not in err
    assert rotated not in err


@needs_curl
def test_a_key_made_with_the_desk_opens_its_server_to_curl(
    open_desk, launch: Launch, tmp_path: Path
):
    database = str(tmp_path / "odds.db")
    desk = open_desk("--local", "--database", database)
    creating = launch("keys", "create", "--plan", "Pro", "--database", database)
    key = creating.process.communicate(timeout=30)[0].strip()
    url = f"{desk.using[-1]}/api/games?limit=1"
    command = ["curl", "--silent", "--fail", "--max-time", "10", url, "--header"]
    refused = subprocess.run([*command, "X-Api-Key: none"], capture_output=True, check=False)
    assert refused.returncode == 22  # the status was 400 or above

    def games() -> list[object]:
        answer = subprocess.run([*command, f"X-Api-Key: {key}"], capture_output=True, check=True)
        return json.loads(answer.stdout)["data"]

    assert len(until(games)) == 1  # the simulation begins once the desk is there
    assert desk.program.finish()[0] == 0
