"""The image of the server: no engine builds it here, so it is held against the real program."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from oddsdesk.cli.server import main
from tests.kit.deployed import Backend

ROOT = Path(__file__).parents[2]
LIMIT_S = 60


def instructions() -> dict[str, str]:
    """The Containerfile's, by name: the last of each counts."""
    text = (ROOT / "packaging" / "Containerfile").read_text("utf-8").replace("\\\n", "")
    lines = (line.partition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: rest for name, _, rest in lines if name}


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[Backend]:
    """A server, on a port of its own."""
    running = Backend(tmp_path)
    yield running
    running.kill()


def is_healthy(port: int) -> bool:
    _, _, check = instructions()["HEALTHCHECK"].partition("CMD ")
    command = [word.replace("8765", str(port)) for word in json.loads(check)]
    return subprocess.run(command, capture_output=True, timeout=LIMIT_S).returncode == 0


def test_the_check_of_health_tells_a_server_that_answers_from_one_that_does_not(backend: Backend):
    assert not is_healthy(backend.port)
    backend.start()
    assert is_healthy(backend.port)


def test_what_it_starts_is_a_command_of_the_server():
    command, *arguments = json.loads(instructions()["CMD"])
    assert json.loads(instructions()["ENTRYPOINT"]) == ["oddsdesk-server"]
    main.make_context("oddsdesk-server", [command, *arguments, "--help"], resilient_parsing=True)
    assert "8765" in instructions()["EXPOSE"]


def test_what_is_put_into_it_is_let_through_to_the_engine():
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    added = instructions()["ADD"].split()[0]
    assert "*" in ignored
    assert f"!{added}" in ignored
    assert re.search(r"USER oddsdesk$", (ROOT / "packaging" / "Containerfile").read_text(), re.M)
