"""At the desk: a service goes away and comes back; a key of the desk's own server is used."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from oddsdesk.desk.profiles import Profiles, RemoteProfile
from oddsdesk.desk.secrets import KeyPlace, Secrets
from oddsdesk.places import settings_folder
from tests.journeys.conftest import Launch, Program
from tests.journeys.test_service import quote

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
    kept = Profiles(settings_folder()).put(profile)
    assert isinstance(kept, RemoteProfile)
    Secrets(settings_folder()).put(kept.ident, KeyPlace.FILE, service.key)
    return service


def test_a_lost_service_is_told_its_prices_stay_and_it_is_found_again(open_desk, service: Service):
    desk = open_desk("--profile", SERVICE)
    assert desk.using[-1] == service.url
    desk.go_to("everton")
    desk.press("ctrl+Home", "Down", "End")
    desk.explanation("Everton at Harbour, 3.1\n")

    service.die()
    desk.program.wait_for_log("Not connected: prices are as last seen.")
    service.quote(3.5)
    desk.go_to("everton")
    desk.press("Down")
    desk.explanation("Draw at Harbour, 3.4\n")

    service.come_back()
    desk.program.wait_for_log("connection: live")
    desk.go_to("everton")
    desk.press("Up")
    desk.explanation("Everton at Harbour, 3.5\n")
    desk.press("ctrl+q")
    _, err = desk.program.process.communicate(timeout=10)
    assert desk.program.process.returncode == 0
    assert "ERROR" not in err
    assert service.key not in err


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_a_key_made_beside_the_desk_opens_its_server_to_curl(
    open_desk, launch: Launch, tmp_path: Path
):
    database = str(tmp_path / "odds.db")
    desk = open_desk("--local", "--database", database)
    creating = launch("keys", "create", "--plan", "Pro", "--database", database)
    key = creating.process.communicate(timeout=30)[0].strip()
    url = f"{desk.using[-1]}/api/games?limit=3"
    command = ["curl", "--silent", "--fail", "--max-time", "10", url, "--header"]
    refused = subprocess.run([*command, "X-Api-Key: none"], capture_output=True, check=False)
    assert refused.returncode == 22  # the status was 400 or above
    answer = subprocess.run([*command, f"X-Api-Key: {key}"], capture_output=True, check=True)
    games = json.loads(answer.stdout)["data"]
    assert len(games) == 3
    assert desk.program.finish()[0] == 0
