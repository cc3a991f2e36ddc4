"""A server that others reach: by its name, encrypted, and what its log says of it (D80, D81)."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from oddsdesk.server.stream.hub import text_frame
from tests.kit import prometheus
from tests.kit.deployed import Certificate, free_port, own_environment
from tests.kit.program import Program

LIMIT_S = 30
PUBLIC = "https://odds.example.org"


@pytest.fixture(scope="module", params=["1", "2"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator["Encrypted"]:
    """A server that encrypts, in one process and in two."""
    encrypted = Encrypted(tmp_path_factory.mktemp("public"), request.param)
    yield encrypted
    encrypted.program.kill()


class Encrypted:
    """A running `serve` with a certificate for `localhost`."""

    def __init__(self, folder: Path, workers: str) -> None:
        self.folder = folder
        self.certificate = Certificate(folder)
        self.database = folder / "odds.db"
        options = ["--port", "0", "--workers", workers, "--base-url", PUBLIC, "--access-log"]
        options += ["--tls-cert", str(self.certificate.file)]
        options += ["--tls-key", str(self.certificate.key), "--log-format", "json"]
        self.metrics_port = free_port()
        options += ["--metrics-port", str(self.metrics_port)]
        command = ["serve", "--database", str(self.database), *options]
        self.program = Program(command, own_environment(folder))
        said = self.program.first_line()
        assert said.startswith("listening on https://127.0.0.1:"), said
        self.url = said.removeprefix("listening on ").replace("127.0.0.1", "localhost")
        self.key = self.run("keys", "create", "--plan", "Pro+ RT").strip()

    def run(self, *command: str) -> str:
        """Run another command on its database."""
        arguments = [*command, "--database", str(self.database)]
        done = Program(arguments, own_environment(self.folder))
        out, err = done.process.communicate(timeout=LIMIT_S)
        assert done.process.returncode == 0, err
        return str(out)

    def refused(self, why: str) -> float:
        """How many requests were refused before an endpoint was asked."""
        text = httpx.get(f"http://127.0.0.1:{self.metrics_port}/metrics").text
        return prometheus.value(prometheus.parse(text), "oddsdesk_requests_refused_total", why=why)

    def client(self) -> httpx.Client:
        """A client that trusts it."""
        return httpx.Client(base_url=self.url, verify=self.certificate.trusted, timeout=LIMIT_S)


def test_requests_and_streams_are_encrypted(server: Encrypted) -> None:
    headers = {"X-Api-Key": server.key}
    with server.client() as client:
        assert client.get("/api/odds", headers=headers).status_code == 200
        large = client.post("/nowhere", content=b"x" * 100_000)
        assert (large.status_code, large.json()["error"]["code"]) == (413, "payload_too_large")
        long = client.get("/api/odds", headers=headers | {"X-Long": "x" * 20_000})
        assert long.status_code == 431
        token = client.post("/api/stream/token", headers=headers).json()["token"]
    address = f"{server.url.replace('https', 'wss')}/api/stream?token={token}"
    with connect(address, ssl=server.certificate.trusted) as stream:
        stream.send("ping")
        assert stream.recv(timeout=LIMIT_S) == "pong"
    with pytest.raises(httpx.ConnectError), httpx.Client() as untrusting:
        untrusting.get(f"{server.url}/api/health")
    told = httpx.get(f"{server.url.replace('https', 'http')}/api/health")
    assert (told.status_code, told.json()["error"]["code"]) == (400, "bad_request")
    assert told.json()["error"]["message"].startswith("This address is encrypted")


def test_only_its_names_are_answered_to_and_links_say_the_public_one(server: Encrypted) -> None:
    with server.client() as client:
        assert client.get("/api/health", headers={"Host": "odds.example.org"}).status_code == 200
        unlisted = client.get("/api/health", headers={"Host": "evil.example"})
        assert (unlisted.status_code, unlisted.json()["error"]["code"]) == (400, "bad_request")
        assert "odds.example.org" not in unlisted.text
        docs = client.get("/docs").text
        assert f'"{PUBLIC}/api/odds' in docs
        assert "wss://odds.example.org/api/stream" in docs
        assert client.get("/openapi.json").json()["servers"] == [{"url": PUBLIC}]
        forged = client.get("/docs", headers={"X-Forwarded-Host": "evil.example"})
        assert "evil.example" not in forged.text


def test_what_no_endpoint_was_asked_is_logged_and_counted(server: Encrypted) -> None:
    before = {why: server.refused(why) for why in ("unencrypted", "host")}
    httpx.get(f"{server.url.replace('https', 'http')}/api/health?key=hidden")
    plain = json.loads(server.program.wait_for_log("(unencrypted)"))
    assert (plain["client"], plain["status"], plain["key"]) == ("127.0.0.1", 400, None)
    assert plain["bytes"] > 0
    assert "hidden" not in str(plain)
    with server.client() as client:
        client.get("/by/another/name", headers={"Host": "evil.example"})
    unlisted = json.loads(server.program.wait_for_log("/by/another/name"))
    assert (unlisted["client"], unlisted["status"]) == ("127.0.0.1", 400)
    while any(server.refused(why) <= count for why, count in before.items()):
        time.sleep(0.05)  # workers tell each other twice a second


def test_programs_of_this_machine_reach_it_without_the_certificate(server: Encrypted) -> None:
    assert json.loads(server.run("feeds", "--json")) == []


def test_the_log_says_who_asked_what_and_no_secret(server: Encrypted) -> None:
    with server.client() as client:
        client.get("/api/odds?limit=7&key=hidden", headers={"X-Api-Key": server.key})
        client.get(f"/{server.key}/x%0Ay", headers={"X-Api-Key": "unknown"})

    lines = [json.loads(line) for line in server.program.log_until('"status":401')]
    asked = [each for each in lines if each.get("asked") == "GET '/api/odds'"][-1]
    assert asked["logger"] == "oddsdesk.access"
    assert (asked["client"], asked["key"], asked["status"]) == ("127.0.0.1", 1, 200)
    assert asked["bytes"] > 0
    assert asked["ms"] > 0
    assert server.key not in str(lines)
    assert "hidden" not in str(lines)


def test_the_log_says_whose_stream_was_refused_and_what_was_sent_on_another(
    server: Encrypted,
) -> None:
    with server.client() as client:
        answer = client.post("/api/stream/token", headers={"X-Api-Key": server.key})
    address = f"{server.url.replace('https', 'wss')}/api/stream?token={answer.json()['token']}"
    with connect(address, ssl=server.certificate.trusted) as stream:
        stream.send("ping")
        assert stream.recv(timeout=LIMIT_S) == "pong"
    heard = json.loads(server.program.wait_for_log('"status":1000'))
    assert (heard["key"], heard["bytes"]) == (1, len(text_frame(b"pong")))
    with (
        connect(f"{address}&game_id=1", ssl=server.certificate.trusted) as stream,
        pytest.raises(ConnectionClosed),
    ):
        stream.recv(timeout=LIMIT_S)
    refused = json.loads(server.program.wait_for_log('"status":4000'))
    assert (refused["key"], refused["bytes"]) == (1, 0)
