"""The examples of `packaging/deploy`, each started: proxies before two processes, and units."""

import contextlib
import json
import re
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
import yaml
from websockets.sync.client import ClientConnection, connect

from oddsdesk.cli.serve import serve
from tests.kit.deployed import (
    EXAMPLES,
    LIMIT_S,
    ROOT,
    Backend,
    Certificate,
    Proxy,
    example,
    free_port,
)
from tests.kit.ndjson import quote
from tests.kit.program import Launch
from tests.kit.workers import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the examples are for Linux")

PUBLIC = "https://odds.example.org"
TOO_MUCH = "Too many requests without a key; retry with backoff."
STRANGERS = 150
"""Connections that ask without a key as fast as answers come."""
MOST_KEYS = 50
"""Unknown keys, which are spread by ports that the system picks: both processes get some."""
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "date", "server"}
OF_LENGTH = {"content-length"}  # what is packed is of another
ODDS = {"Everton": 2.1, "Draw": 3.5, "Liverpool": 3.6}
UNAVAILABLE = {
    "error": {
        "code": "service_unavailable",
        "message": "No server answers for the moment; retry with backoff.",
    }
}
Pair = tuple[Backend, Backend]
Behind = Callable[[str], Proxy]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two processes on one database; a test may kill them."""
    folder = tmp_path_factory.mktemp("pair")
    known = ("--behind-proxy", "--base-url", PUBLIC)
    pair = Backend(folder, *known), Backend(folder, "--roles", "api,stream", *known)
    yield pair
    for backend in pair:
        backend.kill()


@pytest.fixture(scope="module")
def key(both: Pair) -> str:
    """A key that sees everything, and may write."""
    both[0].start()
    return both[0].key()


@pytest.fixture
def pair(both: Pair, key: str) -> Pair:
    """The same, running."""
    for backend in both:
        backend.start()
    write(both[0], quote(ODDS), key)
    return both


def write(backend: Backend, quotes: str, key: str) -> None:
    """Record quotes, as a program at the address of the proxy."""
    address, headers = f"{backend.url}/ingest", {"X-Api-Key": key}
    assert httpx.post(address, content=quotes).status_code == 401
    assert httpx.post(address, content=quotes, headers=headers).status_code == 200


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """A certificate that proxies show."""
    return Certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def behind(pair: Pair, certificate: Certificate, tmp_path: Path) -> Iterator[Behind]:
    """Starts a proxy before the two, and waits until it has found them."""
    with contextlib.ExitStack() as started:

        def start(name: str) -> Proxy:
            proxy = Proxy(name, tmp_path, (pair[0].port, pair[1].port), certificate)
            started.callback(proxy.close)
            proxy.wait()
            return proxy

        yield start


def opened(proxy: Proxy, key: str) -> contextlib.AbstractContextManager[ClientConnection]:
    """A stream through a proxy."""
    with proxy.client() as client:
        token = client.post("/api/stream/token", headers={"X-Api-Key": key}).json()["token"]
    address = f"{proxy.url.replace('https', 'wss')}/api/stream?token={token}"
    return connect(address, ssl=proxy.trusted)


def asked_of(pair: Pair, ask: Callable[[], object]) -> list[float]:
    """How many requests of odds each of the two answers while something is done."""
    before = [each.answers("/api/odds") for each in pair]
    ask()
    after = [each.answers("/api/odds") for each in pair]
    return [now - then for now, then in zip(after, before, strict=True)]


def names(answer: httpx.Response) -> set[str]:
    return {name.lower() for name in answer.headers} - HOP_BY_HOP - OF_LENGTH


@pytest.mark.parametrize("name", ["haproxy", "caddy", "nginx"])
def test_a_proxy_loses_nothing_and_a_killed_process_costs_no_answer(
    name: str, behind: Behind, pair: Pair, key: str
) -> None:
    proxy = behind(name)
    check_answers(proxy, pair[0], key)
    check_old_tls(proxy)
    check_stream(proxy, pair, key)
    at_home = check_where_keys_go(proxy, pair, key)
    pair[at_home].kill()
    with proxy.client() as client:
        for _ in range(10):
            assert client.get("/api/odds", headers={"X-Api-Key": key}).status_code == 200
    with opened(proxy, key) as stream:
        stream.send("ping")
        assert stream.recv(timeout=LIMIT_S) == "pong"
    pair[1 - at_home].kill()
    with proxy.client() as client:
        client.get("/api/stream?token=0123456789abcdef")
        answer = client.get("/api/odds", headers={"X-Api-Key": key})
        if name == "caddy":  # browsers get a page
            for path in ("/live", "/dashboard/keys"):
                page = client.get(path)
                assert page.status_code == 503
                assert page.headers["content-type"] == "text/html; charset=utf-8"
                assert "Try again in a minute." in page.text
    assert answer.headers["strict-transport-security"] == "max-age=31536000"
    assert (answer.status_code, answer.json()) == (503, UNAVAILABLE)
    assert answer.headers["retry-after"] == "1"
    assert answer.headers["content-type"] == "application/json"
    said = proxy.log()
    assert key not in said
    assert "token=" not in said


def check_answers(proxy: Proxy, backend: Backend, key: str) -> None:
    """What a process says comes through whole, refusals too; nobody counts as a program here."""
    direct = httpx.Client(base_url=backend.url)
    with direct, proxy.client() as client:
        for path, headers in (
            ("/docs", {}),
            ("/api/odds", {"X-Api-Key": key}),
            ("/api/odds?limit=9999", {"X-Api-Key": key}),
            ("/api/odds", {}),
            ("/nowhere", {"X-Api-Key": key}),
            ("/api/odds", {"X-Api-Key": key, "X-Long": "x" * 20_000}),
        ):
            expected, found = (each.get(path, headers=headers) for each in (direct, client))
            assert found.status_code == expected.status_code, path
            assert names(expected) <= names(found), path
            assert found.headers["strict-transport-security"] == "max-age=31536000"
            if found.headers["content-type"] == "application/json":
                assert found.json().get("data") == expected.json().get("data")
                assert found.json().get("error") == expected.json().get("error")
        assert client.get("/openapi.json").headers["content-encoding"] == "gzip"
        large = client.post("/nowhere", content=b"x" * 100_000)
        assert (large.status_code, large.json()["error"]["code"]) == (413, "payload_too_large")
        written = client.post("/ingest", content=quote(ODDS))
        assert (written.status_code, written.json()["error"]["code"]) == (401, "unauthorized")
    with proxy.client() as client:
        assert f'curl -H "X-Api-Key: $KEY" "{PUBLIC}/api/' in client.get("/docs").text
        unlisted = client.get("/api/odds", headers={"Host": "evil.example", "X-Api-Key": key})
    if proxy.name == "caddy":  # it knows its sites itself
        assert unlisted.content == b""
    else:
        assert (unlisted.status_code, unlisted.json()["error"]["code"]) == (400, "bad_request")
    plain = httpx.get(f"http://localhost:{proxy.plain_port}/api/odds?token=0123456789abcdef")
    assert plain.status_code == 308
    assert plain.headers["location"].startswith("https://localhost")


def check_old_tls(proxy: Proxy) -> None:
    """TLS before 1.2 is refused, even if the client allows it."""
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        old.minimum_version = ssl.TLSVersion.TLSv1
        old.maximum_version = ssl.TLSVersion.TLSv1_1
    plain = socket.create_connection(("localhost", proxy.port))
    with plain, pytest.raises((ssl.SSLError, ConnectionError)):
        old.wrap_socket(plain, server_hostname="localhost")


def check_stream(proxy: Proxy, pair: Pair, key: str) -> None:
    """A change comes through, and so does the answer to a ping."""
    with opened(proxy, key) as stream:
        stream.send("ping")
        assert stream.recv(timeout=LIMIT_S) == "pong"
        moved = quote({"Over 2.5": 1.9}, market_type="total", match_name=f"{proxy.name} vs All")
        write(pair[1], moved, key)
        while json.loads(stream.recv(timeout=LIMIT_S))["selection"] != "Over 2.5":
            pass  # what was recorded before may come late


def check_where_keys_go(proxy: Proxy, pair: Pair, key: str) -> int:
    """All requests of a key go to one process, and keys are spread; return the key's process."""
    with proxy.client() as client:

        def ask(who: str) -> list[float]:
            return asked_of(
                pair, lambda: [client.get("/api/odds", headers={"X-Api-Key": who}) for _ in "12345"]
            )

        share = ask(key)
        seen = [share]
        for number in range(MOST_KEYS):
            if [0, 5] in seen and [5, 0] in seen:
                break
            seen.append(ask(f"oddsdesk_live_{number:032x}"))
        assert [0, 5] in seen
        assert [5, 0] in seen
        assert all(sorted(each) == [0, 5] for each in seen), seen
    return share.index(5)


def test_a_process_is_drained_before_it_is_stopped(behind: Behind, pair: Pair, key: str) -> None:
    """Its streams go on, and what is new goes to the other."""
    proxy = behind("haproxy")
    with opened(proxy, key) as stream:
        stream.send("ping")
        assert stream.recv(timeout=LIMIT_S) == "pong"
        listened = 0 if pair[0].streams() else 1
        server = ("one", "two")[listened]
        for backend in ("ready", "streams"):
            assert proxy.tell(f"set server {backend}/{server} state drain") == ""
        with proxy.client() as client, opened(proxy, key):
            share = asked_of(
                pair, lambda: [client.get("/api/odds", headers={"X-Api-Key": key}) for _ in "1234"]
            )
            assert (share[listened], share[1 - listened]) == (0, 4)
            until(lambda: [each.streams() for each in pair] == [1, 1])
        stream.send("ping")
        assert stream.recv(timeout=LIMIT_S) == "pong"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["haproxy", "caddy", "nginx"])
def test_callers_without_a_key_stop_neither_probes_nor_keys_nor_streams(
    name: str, behind: Behind, key: str
) -> None:
    """Too many requests without a key are refused in the contract's form."""
    proxy = behind(name)
    answers: list[httpx.Response] = []
    ended = threading.Event()

    def ask() -> None:
        with proxy.client() as client:
            while not ended.is_set():
                answers.append(client.get("/docs"))

    with ThreadPoolExecutor(STRANGERS) as strangers:
        asking = [strangers.submit(ask) for _ in range(STRANGERS)]
        try:
            until(lambda: any(each.status_code == 503 for each in answers.copy()), LIMIT_S)
            check_that_others_are_answered(proxy, key)
        finally:
            ended.set()
    assert [each.exception() for each in asking] == [None] * STRANGERS
    refused = [each for each in answers if each.status_code == 503]
    assert {each.json()["error"]["code"] for each in refused} == {"service_unavailable"}
    assert {each.headers["retry-after"] for each in refused} == {"1"}
    assert (TOO_MUCH in [each.json()["error"]["message"] for each in refused]) != (name == "caddy")


def check_that_others_are_answered(proxy: Proxy, key: str) -> None:
    for _ in range(8):
        for path, headers in (
            ("/api/ready", {}),
            ("/api/health", {}),
            ("/api/odds", {"X-Api-Key": key}),
        ):
            with proxy.client() as client:
                assert client.get(path, headers=headers).status_code == 200, path
    with opened(proxy, key) as stream:
        stream.send("ping")
        assert stream.recv(timeout=LIMIT_S) == "pong"


def test_no_request_follows_another_on_a_connection_of_haproxy(
    certificate: Certificate, tmp_path: Path
) -> None:
    """It keeps one that half a body was sent on, too: the next would be the other half."""
    asked: list[tuple[str, int]] = []

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked.append((self.path, self.client_address[1]))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server, contextlib.ExitStack() as started:
        threading.Thread(target=server.serve_forever, name="answers").start()
        started.callback(server.shutdown)
        proxy = Proxy("haproxy", tmp_path, (server.server_port, server.server_port), certificate)
        started.callback(proxy.close)
        proxy.wait()
        with proxy.client() as client:
            for _ in range(5):
                assert client.get("/api/odds").status_code == 200
    ports = [port for path, port in asked if path == "/api/odds"]
    assert len(ports) == len(set(ports)) == 5


def test_reading_goes_on_where_nobody_can_record(behind: Behind, key: str) -> None:
    proxy = behind("haproxy")
    for server in ("one", "two"):
        proxy.tell(f"set server ready/{server} state maint")
    with proxy.client() as client, opened(proxy, key):
        assert client.get("/api/odds", headers={"X-Api-Key": key}).status_code == 200


def test_units_are_right_and_what_they_start_runs(launch: Launch, tmp_path: Path) -> None:
    program_here = Path(sys.executable).with_name("oddsdesk-server")
    own = {"/usr/bin/oddsdesk-server": str(program_here), "/var/lib/oddsdesk": str(tmp_path)}
    paths = {name: tmp_path / name for name in ("oddsdesk@.service", "oddsdesk-duties.service")}
    for name, path in paths.items():
        path.write_text(example(f"systemd/{name}", own))
    verifier = shutil.which("systemd-analyze")
    if verifier is not None:
        command = [verifier, "verify", "--man=no", *map(str, paths.values())]
        verified = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (verified.returncode, verified.stderr) == (0, "")
    duties = launch(*started_by(paths["oddsdesk-duties.service"]), ODDSDESK_KEEP_DAYS="30")
    assert duties.first_line() == "running valuation, upkeep, feeds"
    port, unit = free_port(), paths["oddsdesk@.service"]
    given = dict(re.findall(r"^Environment=(\w+)=(.*)$", unit.read_text(), re.MULTILINE))
    answering = launch(*started_by(unit, str(port)), **given, ODDSDESK_BASE_URL=PUBLIC)
    assert answering.first_line() == f"listening on http://127.0.0.1:{port}"
    forwarded = {"Host": "odds.example.org", "X-Forwarded-For": "203.0.113.7"}
    assert PUBLIC in httpx.get(f"http://127.0.0.1:{port}/docs", headers=forwarded).text
    for each in (answering, duties):
        assert each.finish()[0] == 0


@pytest.mark.parametrize("name", ["oddsdesk@.service", "oddsdesk-duties.service"])
def test_a_unit_is_begun_again_for_as_long_as_its_database_is_away(name: str) -> None:
    """Where systemd counted starts (five in ten seconds) it would stay failed."""
    of_unit, _, of_service = example(f"systemd/{name}", {}).partition("[Service]")
    assert "\nStartLimitIntervalSec=0\n" in of_unit
    assert "\nRestart=on-failure\n" in of_service


@pytest.mark.parametrize(
    ("unit", "threshold"),
    [
        (EXAMPLES / "systemd" / "oddsdesk@.service", 15),
        (EXAMPLES / "systemd" / "oddsdesk-duties.service", 15),
        (ROOT / "resources" / "desktop" / "oddsdesk-server.service", 70),
    ],
    ids=["answering", "duties", "user"],
)
def test_a_unit_is_ready_when_the_server_says_so_and_is_watched(unit: Path, threshold: int) -> None:
    """A migration at the start may take any time."""
    text = unit.read_text("utf-8")
    for line in ("Type=notify", "TimeoutStartSec=infinity", "WatchdogSec=30", "LimitCORE=0"):
        assert f"\n{line}\n" in text
    waited_for = re.findall(r"^After=(.*)$", text, re.MULTILINE)
    assert set(waited_for) <= {"network-online.target"}, "another may never be ready"
    if (verifier := shutil.which("systemd-analyze")) is not None:
        command = [verifier, "security", "--offline=yes", f"--threshold={threshold}"]
        checked = subprocess.run([*command, str(unit)], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stdout + checked.stderr


def started_by(unit: Path, instance: str = "") -> list[str]:
    """The arguments of the program that a unit starts."""
    (line,) = re.findall(r"^ExecStart=(.+)$", unit.read_text(), re.MULTILINE)
    return line.replace("%i", instance).split()[1:]


def test_the_compose_file_says_what_there_is_to_say() -> None:
    """Its containers cannot be run here: its options, names and ports are held."""
    compose = yaml.safe_load((EXAMPLES / "compose.yaml").read_text())
    services = compose["services"]
    for name, service in services.items():
        assert set(service.get("depends_on", ())) <= services.keys(), name
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            if source.startswith("./"):
                assert (EXAMPLES / source).exists() or source == "./odds.pem", volume
            else:
                assert source in compose["volumes"], volume
    for name in ("one", "two", "duties"):
        command, *arguments = services[name]["command"]
        assert command == "serve"
        serve.make_context(command, arguments)
        copied = re.findall(r"^COPY (.+) \S+$", services[name]["build"]["dockerfile_inline"], re.M)
        let_through = (EXAMPLES.parents[1] / ".dockerignore").read_text().splitlines()
        assert all(f"!{each}" in let_through for line in copied for each in line.split())
    published = {
        port.rpartition(":")[0] for name in ("one", "two") for port in services[name]["ports"]
    }
    assert published == set(re.findall(r"127\.0\.0\.1:\d+", example("haproxy.cfg", {})))
