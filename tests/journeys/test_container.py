"""The image of the server: no engine builds it here, so it is held against the real program."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

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


def images(text: str) -> list[str]:
    """The images that a Containerfile, or one inside a compose file, is made from."""
    return re.findall(r"^\s*FROM +(?:--\S+ +)*(\S+)", text, re.MULTILINE)


def compose() -> dict[str, Any]:
    text = (ROOT / "packaging" / "deploy" / "compose.yaml").read_text("utf-8")
    services: dict[str, Any] = yaml.safe_load(text)["services"]
    return services


def test_its_images_are_pinned_by_digest():
    used = images((ROOT / "packaging" / "Containerfile").read_text("utf-8"))
    for service in compose().values():
        built = service.get("build", {}).get("dockerfile_inline")
        used += [service["image"]] if built is None else images(built)
    assert len(used) == 7, used
    for image in used:
        assert re.fullmatch(r"[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}", image), image


@pytest.mark.parametrize("line", ["FROM debian:bookworm-slim", "FROM --platform=a debian AS b"])
def test_a_base_without_a_digest_is_found(line: str):
    assert "@sha256" not in images(f"# FROM x\n{line}\nRUN true\n")[0]


def test_it_runs_as_a_numbered_user_that_owns_its_data():
    """Kubernetes cannot tell from a name that it is not root's."""
    assert instructions()["USER"] == "1000:1000"
    text = (ROOT / "packaging" / "Containerfile").read_text("utf-8")
    assert "install -d -m 0700 -o 1000 -g 1000 /data" in text


@pytest.mark.parametrize("name", list(compose()))
def test_a_container_has_no_more_rights_than_it_needs(name: str):
    service = compose()[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    built = service.get("build", {}).get("dockerfile_inline", "")
    user = service.get("user") or "".join(re.findall(r"^USER (.+)$", built, re.MULTILINE))
    assert re.fullmatch(r"\d+:\d+", user)
    if name == "haproxy":  # it binds ports below 1024, and is another user then
        assert set(service["cap_add"]) == {
            *("NET_BIND_SERVICE", "SETUID", "SETGID", "DAC_READ_SEARCH")
        }
    else:
        assert not user.startswith("0:")
        assert "cap_add" not in service
