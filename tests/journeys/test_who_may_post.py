"""Who may write by `POST /ingest`: real servers, real proxies, and every way in that we know."""

import contextlib
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import msgspec
import pytest

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.access import Plan
from oddsdesk.store.access import open_access
from oddsdesk.store.lock import owner_of
from oddsdesk.store.owner_secret import OwnerSecret
from oddsdesk.store.store import open_store
from tests.kit.deployed import Certificate, free_port, own_environment, program
from tests.kit.ndjson import quote
from tests.kit.program import Launch, Program, as_owner
from tests.kit.workers import until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="loopback addresses and proxies of Linux"),
]

NAME: Final = "odds.example.org"
ODDS: Final = {"Over 2.5": 2.05, "Under 2.5": 1.88}
LIMIT_S: Final = 30
SERVERS: Final = {
    "plain": ("127.0.0.1", ("--allow-host", NAME)),
    "other": ("127.0.0.1", ()),
    "behind": ("127.0.0.1", ("--allow-host", NAME, "--behind-proxy")),
    "workers": ("127.0.0.1", ("--workers", "2")),
    "six": ("::1", ("--host", "::1")),
    "any": ("::ffff:127.0.0.1", ("--host", "::", "--allow-host", NAME)),
    "two": ("127.0.0.2", ("--host", "127.0.0.2")),
    "tls": ("127.0.0.1", ("--allow-host", NAME)),
}
"""By name: the server's address for the test, and its options."""
PROXIES: Final = ("nginx-host", "nginx-forwarded", "haproxy", "caddy")


class Served(msgspec.Struct):
    """A running server, and the keys and secrets of some callers."""

    program: Program
    database: Path
    address: str
    port: int
    local_port: int
    """The address without TLS for programs on this machine."""
    secret: str
    keys: dict[str, str]


class World(msgspec.Struct):
    """All servers and proxies; ``ports`` are those of the proxies, all in front of ``plain``."""

    servers: dict[str, Served]
    ports: dict[str, int]
    trusted: ssl.SSLContext
    folder: Path


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """Run them all."""
    with contextlib.ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="oddsdesk-test-")))
        folder.chmod(0o755)
        certificate = Certificate(folder)
        servers = {}
        for name, (address, options) in SERVERS.items():
            tls = ("--tls-cert", str(certificate.file), "--tls-key", str(certificate.key))
            options = (*options, *(tls if name == "tls" else ()))
            servers[name] = _serve(opened, folder / name, address, options)
        ports = {name: free_port() for name in PROXIES}
        _start_proxies(opened, folder, ports, servers["plain"].port)
        yield World(servers, ports, certificate.trusted, folder)


def _serve(
    opened: contextlib.ExitStack, folder: Path, address: str, options: tuple[str, ...]
) -> Served:
    folder.mkdir()
    database = folder / "odds.db"
    environment = own_environment(folder)
    command = ["serve", "--database", str(database), "--port", "0", *options]
    running = Program(command, environment)
    opened.callback(running.kill)
    port = int(running.first_line().rpartition(":")[2])
    owner = owner_of(database)
    assert owner is not None
    (secret,) = as_owner(database).values()
    with contextlib.closing(open_access(database)) as access:
        keys = {
            name: access.keys.create(
                name, Plan.PRO_LIVE, None, system_clock(), may_write=name != "reader"
            ).secret
            for name in ("writer", "reader", "revoked")
        }
        access.keys.revoke(keys["revoked"], system_clock())
    local = int(owner.url.rpartition(":")[2])
    return Served(running, database, address, port, local, secret, keys)


def _output(command: list[str], environment: dict[str, str]) -> str:
    done = Program(command, environment).process.communicate(timeout=LIMIT_S)
    return done[0].strip()


def _start_proxies(
    opened: contextlib.ExitStack, folder: Path, ports: dict[str, int], port: int
) -> None:
    user = "user root;" if os.geteuid() == 0 else ""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = " ".join(f"{kind}_temp_path {folder};" for kind in kinds)
    to = f"proxy_pass http://127.0.0.1:{port}; proxy_set_header Host $host;"
    forwarded = f"{to} proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;"
    sites = "".join(
        f"server {{ listen 127.0.0.1:{ports[name]}; location / {{ {how} }} }} "
        for name, how in (("nginx-host", to), ("nginx-forwarded", forwarded))
    )
    (folder / "nginx.conf").write_text(
        f"{user} daemon off; pid {folder}/nginx.pid; events {{}}"
        f" http {{ access_log off; {folders} {sites} }}"
    )
    (folder / "haproxy.cfg").write_text(
        "defaults\n    mode http\n    timeout connect 5s\n    timeout client 9s\n"
        f"    timeout server 9s\nlisten odds\n    bind 127.0.0.1:{ports['haproxy']}\n"
        f"    server one 127.0.0.1:{port}\n"
    )
    (folder / "Caddyfile").write_text(
        "{\n\tadmin off\n\tauto_https off\n}\n"
        f"http://:{ports['caddy']} {{\n\treverse_proxy 127.0.0.1:{port}\n}}\n"
    )
    nginx = [program("nginx"), "-p", str(folder), "-e", "stderr", "-c", f"{folder}/nginx.conf"]
    haproxy = [program("haproxy"), "-db", "-f", f"{folder}/haproxy.cfg"]
    caddy = [program("caddy"), "run", "--config", f"{folder}/Caddyfile", "--adapter", "caddyfile"]
    for command in (nginx, haproxy, caddy):
        log = opened.enter_context((folder / f"{Path(command[0]).name}.log").open("wb"))
        running = subprocess.Popen(
            command, stdout=log, stderr=log, env=own_environment(folder), cwd=folder
        )
        opened.callback(running.wait)
        opened.callback(running.terminate)
    for each in ports.values():
        until(lambda: _is_open(each), LIMIT_S)  # noqa: B023


def _is_open(port: int) -> bool:
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    return False


class Way(msgspec.Struct, frozen=True):
    """A request that must write nothing; texts may name ``{port}``, ``{secret}`` and keys."""

    status: int
    server: str = "plain"
    host: str | None = "127.0.0.1:{port}"
    headers: tuple[str, ...] = ()
    line: str = "POST /ingest HTTP/1.1"
    source: str = ""
    """The address that the client asks from."""
    local: bool = False
    """Use the address without TLS of a server with TLS."""
    trailer: str = ""
    """The body comes in chunks and ends with this."""


SECRET: Final = "X-Oddsdesk-Secret: {secret}"
REFUSED: Final = {
    # no key and no secret, whatever the Host
    "host with a port": Way(401),
    "host without a port": Way(401, host="127.0.0.1"),
    "localhost": Way(401, host="localhost:{port}"),
    "localhost without a port": Way(401, host="localhost"),
    "upper case": Way(401, host="LOCALHOST"),
    "trailing dot": Way(400, host="localhost."),
    "public name": Way(401, host=NAME),
    "public name with a port": Way(401, host=NAME + ":{port}"),
    "public name in upper case": Way(401, host=NAME.upper()),
    "another name": Way(400, host="evil.example"),
    "IPv6 literal": Way(401, host="[::1]"),
    "IPv6 literal with a port": Way(401, host="[::1]:{port}"),
    "bare IPv6": Way(400, host="::1"),
    "empty host": Way(400, host=""),
    "two hosts": Way(400, headers=("Host: localhost",)),
    "no host, HTTP/1.0": Way(400, host=None, line="POST /ingest HTTP/1.0"),
    "host, HTTP/1.0": Way(401, line="POST /ingest HTTP/1.0"),
    "absolute URI": Way(401, line="POST http://127.0.0.1:{port}/ingest HTTP/1.1"),
    "absolute URI, public host": Way(401, host=NAME, line="POST http://localhost/ingest HTTP/1.1"),
    "encoded path": Way(401, line="POST /%69ngest HTTP/1.1"),
    "slash at the end": Way(401, line="POST /ingest/ HTTP/1.1"),
    # other servers and addresses
    "server on ::1": Way(401, "six", host="[::1]:{port}"),
    "::ffff:127.0.0.1": Way(401, "any"),
    "server on 127.0.0.2": Way(401, "two", host="127.0.0.2:{port}"),
    "client at 127.0.0.2": Way(401, source="127.0.0.2"),
    "workers": Way(401, "workers"),
    "TLS": Way(401, "tls"),
    "second address of TLS": Way(401, "tls", local=True),
    "behind a proxy": Way(401, "behind"),
    "behind a proxy, public name": Way(401, "behind", host=NAME),
    # through proxies
    "nginx, Host": Way(401, "nginx-host", host=NAME),
    "nginx, Host localhost": Way(401, "nginx-host", host="localhost"),
    "nginx, Host and X-Forwarded-For": Way(401, "nginx-forwarded", host=NAME),
    "HAProxy": Way(401, "haproxy", host=NAME),
    "HAProxy, localhost": Way(401, "haproxy", host="localhost"),
    "Caddy": Way(401, "caddy", host=NAME),
    "secret through nginx, Host": Way(401, "nginx-host", NAME, (SECRET,)),
    "secret through nginx, X-Forwarded-For": Way(401, "nginx-forwarded", "localhost", (SECRET,)),
    "secret through HAProxy": Way(401, "haproxy", NAME, (SECRET,)),
    "secret through Caddy": Way(401, "caddy", NAME, (SECRET,)),
    "secret through Caddy, localhost": Way(401, "caddy", "localhost", (SECRET,)),
    "secret behind a proxy": Way(401, "behind", headers=(SECRET,)),
    "secret behind a proxy, for 127.0.0.1": Way(
        401, "behind", headers=(SECRET, "X-Forwarded-For: 127.0.0.1")
    ),
    # pages and proxies that identify themselves
    "page": Way(401, headers=("Origin: http://127.0.0.1:{port}",)),
    "page of no origin": Way(400, headers=("Origin: null",)),
    "page of another site": Way(400, headers=("Origin: http://evil.example",)),
    "secret of a page": Way(401, headers=(SECRET, "Origin: http://localhost")),
    "secret, X-Forwarded-For": Way(401, headers=(SECRET, "X-Forwarded-For: 127.0.0.1")),
    "secret, X-Forwarded-Proto": Way(401, headers=(SECRET, "X-Forwarded-Proto: https")),
    "secret, Forwarded": Way(401, headers=(SECRET, "Forwarded: for=127.0.0.1")),
    "secret, Via": Way(401, headers=(SECRET, "Via: 1.1 proxy")),
    "secret, X-Real-IP": Way(401, headers=(SECRET, "X-Real-IP: 127.0.0.1")),
    "secret, public name": Way(401, host=NAME, headers=(SECRET,)),
    # secrets that are wrong
    "wrong secret": Way(401, headers=("X-Oddsdesk-Secret: " + "0" * 64,)),
    "empty secret": Way(401, headers=("X-Oddsdesk-Secret:",)),
    "header name as secret": Way(401, headers=("X-Oddsdesk-Secret: X-Oddsdesk-Secret: ",)),
    "secret with a space": Way(401, headers=("X-Oddsdesk-Secret: {head} {tail}",)),
    "half of the secret": Way(401, headers=("X-Oddsdesk-Secret: {head}",)),
    "more than the secret": Way(401, headers=(SECRET + "0",)),
    "secret in quotes": Way(401, headers=('X-Oddsdesk-Secret: "{secret}"',)),
    "secret twice": Way(401, headers=(SECRET, SECRET)),
    "secret of another database": Way(401, headers=("X-Oddsdesk-Secret: {other}",)),
    "secret under another name": Way(401, headers=("X_Oddsdesk_Secret: {secret}",)),
    "secret as the older header": Way(401, headers=("X-Owner: {secret}",)),
    "secret as a key": Way(401, headers=("X-Api-Key: {secret}",)),
    "secret in the query": Way(401, line="POST /ingest?X-Oddsdesk-Secret={secret} HTTP/1.1"),
    "secret in a trailer": Way(401, trailer=SECRET),
    # keys
    "key that may only read": Way(403, headers=("X-Api-Key: {reader}",)),
    "revoked key": Way(401, headers=("X-Api-Key: {revoked}",)),
    "key sent twice": Way(401, headers=("X-Api-Key: {writer}", "X-Api-Key: {writer}")),
    "key in a trailer": Way(401, trailer="X-Api-Key: {writer}"),
    # other methods
    "PUT": Way(401, line="PUT /ingest HTTP/1.1"),
    "PATCH": Way(401, line="PATCH /ingest HTTP/1.1"),
    "GET": Way(401, line="GET /ingest HTTP/1.1"),
    "PUT with the secret": Way(405, line="PUT /ingest HTTP/1.1", headers=(SECRET,)),
    "PUT with a key that may only read": Way(
        405, line="PUT /ingest HTTP/1.1", headers=("X-Api-Key: {reader}",)
    ),
    "another method meant": Way(401, headers=("X-HTTP-Method-Override: GET",)),
    "WebSocket": Way(
        400,
        line="GET /ingest HTTP/1.1",
        headers=(
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_nobody_writes_without_a_key_or_the_secret(world: World, name: str) -> None:
    way = REFUSED[name]
    served = world.servers["plain" if way.server in PROXIES else way.server]
    assert _ask(world, way, name) == way.status
    assert name not in _games(served.database)


@pytest.mark.parametrize("server", [name for name in SERVERS if name != "behind"])
def test_the_owner_writes_on_loopback(world: World, server: str) -> None:
    """So each refusal of these servers above has only the reason that it names."""
    host = {"six": "[::1]:{port}", "two": "127.0.0.2:{port}"}.get(server, "127.0.0.1:{port}")
    for number in range(4):  # each worker gets some
        owner = Way(200, server, host, (SECRET,), local=True)
        assert _ask(world, owner, f"Owner {number}") == 200
        assert f"Owner {number}" in _games(world.servers[server].database)
    whole_line = "X-Oddsdesk-Secret: X-Oddsdesk-Secret: {secret}"
    assert _ask(world, Way(200, server, host, (whole_line,), local=True), "Line") == 200


@pytest.mark.parametrize("server", [*SERVERS, *PROXIES])
def test_a_key_that_may_write_does_so_from_everywhere(world: World, server: str) -> None:
    host = {"six": "[::1]", "two": "127.0.0.2"}.get(server, "localhost")
    assert _ask(world, Way(200, server, host, ("X-Api-Key: {writer}",)), "Key") == 200


def test_another_user_of_the_machine_can_neither_read_the_secret_nor_write(world: World) -> None:
    if os.geteuid() != 0 or shutil.which("setpriv") is None or shutil.which("curl") is None:
        pytest.skip("only root can act as two users")
    served = world.servers["plain"]
    file = served.database.with_name("odds.db.secret")
    assert file.stat().st_mode & 0o777 == 0o600
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    reading = subprocess.run([*nobody, "cat", file], capture_output=True, check=False)
    assert (reading.returncode != 0, reading.stdout) == (True, b"")
    for header in ("X: none", f"@{file}"):
        url = f"http://127.0.0.1:{served.port}/ingest"
        posting = ["curl", "-s", "-H", header, "--data-binary", "@-", url]
        done = subprocess.run(
            [*nobody, *posting], input=_body("Another user"), capture_output=True, check=False
        )
        assert b'"accepted"' not in done.stdout
    assert "Another user" not in _games(served.database)


def test_the_lines_of_the_documentation_write(world: World) -> None:
    served = world.servers["plain"]
    folder = served.database.parent
    (folder / "quotes.ndjson").write_bytes(_body("Leeds"))
    page = (Path(__file__).parents[2] / "docs" / "feeds.md").read_text()
    lines = [line.strip() for line in page.splitlines() if line.startswith("    ")]
    (curl,) = [line for line in lines if line.startswith("curl -H @odds.db.secret")]
    command = curl.replace(":8765", f":{served.port}")
    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, check=True)
    assert b'"rejected":[]' in done.stdout, done
    python = [line for line in lines if line.startswith(("secret = {", "httpx.post("))]
    head = "from pathlib import Path; import httpx; lines = Path('quotes.ndjson').read_bytes()\n"
    script = head + "\n".join(python).replace(":8765", f":{served.port}")
    script = script.replace("httpx.post", "answer = httpx.post") + "\nprint(answer.text)"
    told = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, check=True
    )
    assert b'"rejected":[]' in told.stdout, told


def test_the_commands_and_a_posting_program_of_a_feed_need_nothing(tmp_path: Path) -> None:
    database, environment = tmp_path / "odds.db", own_environment(tmp_path)
    port = free_port()
    (tmp_path / "quotes.ndjson").write_bytes(_body("Leeds"))
    (tmp_path / "post.py").write_text(
        "import os, pathlib, httpx\n"
        "line = pathlib.Path(os.environ['ODDSDESK_SECRET_FILE']).read_text().strip()\n"
        f"body = pathlib.Path({str(tmp_path / 'quotes.ndjson')!r}).read_bytes()\n"
        f"httpx.post('http://127.0.0.1:{port}/ingest', content=body,"
        " headers={'X-Oddsdesk-Secret': line}).raise_for_status()\n"
        f"print(body.decode().replace('Leeds', 'Everton'), flush=True)\n"
    )
    feed = f"exec:{sys.executable} {tmp_path / 'post.py'}"
    named = ["--database", str(database)]
    running = Program(["serve", *named, "--port", str(port), "--feed", feed], environment)
    try:
        assert running.first_line().startswith("listening on ")
        key = _output(["keys", "create", "--plan", "Pro+ Live", *named], environment)

        def matches() -> set[str]:
            asked = {"X-Api-Key": key}
            rows = httpx.get(f"http://127.0.0.1:{port}/api/odds", headers=asked).json()["data"]
            return {row["match_name"] for row in rows}

        until(lambda: len(matches()) == 2, LIMIT_S)
        told = _output(["ingest", *named, str(tmp_path / "quotes.ndjson")], environment)
        assert told.startswith("quotes 1, ")
        assert "exec" in _output(["feeds", *named], environment)
    finally:
        running.kill()


def test_the_secret_is_in_no_log_configuration_or_backup(launch: Launch, tmp_path: Path) -> None:
    database = tmp_path / "odds.db"
    named = ["--database", str(database)]
    logging = ["--access-log", "--log-level", "info"]
    running = launch("serve", *named, "--port", "0", *logging)
    url = running.first_line().removeprefix("listening on ")
    header = as_owner(database)
    (secret,) = header.values()
    with httpx.Client(base_url=url) as client:
        for path in ("/ingest", f"/ingest/{secret}", f"/ingest?secret={secret}"):
            client.post(path, content=_body("Logged"), headers=header)
        client.get("/api/odds", headers={"Host": f"{secret}.example"})
        client.get("/administration/feeds", headers=header).raise_for_status()
    told = []
    for command in (
        ["serve", *named, "--show-config"],
        ["backup", *named, "--with-keys", "--with-bets", str(tmp_path / "all.tar")],
    ):
        asked = launch(*command)
        told += asked.process.communicate(timeout=LIMIT_S)
        assert asked.process.returncode == 0, told
    status, out, err = running.finish()
    assert (status, out) == (0, "")
    assert "POST '/ingest'" in err
    assert secret not in "".join([err, *told])
    assert secret.encode() not in (tmp_path / "all.tar").read_bytes()
    restored = tmp_path / "restored"
    restored.mkdir()
    kept = OwnerSecret(restored / "odds.db")
    kept.make()
    place = ["--database", str(restored / "odds.db")]
    restoring = launch("restore", str(tmp_path / "all.tar"), *place)
    assert restoring.process.wait(LIMIT_S) == 0
    assert (restored / "odds.db").exists()
    assert not kept.path.exists()


def _ask(world: World, way: Way, game: str) -> int:
    """Send a request byte for byte, with a price of a game; return the status."""
    served = world.servers["plain" if way.server in PROXIES else way.server]
    port = served.local_port if way.local else served.port
    port = world.ports.get(way.server, port)
    half = len(served.secret) // 2
    said = {
        **served.keys,
        "port": port,
        "secret": served.secret,
        "head": served.secret[:half],
        "tail": served.secret[half:],
        "other": world.servers["other"].secret,
    }
    lines, quotes = [way.line], _body(game)
    if way.host is not None:
        lines.append(f"Host: {way.host}")
    lines += way.headers
    if way.trailer:
        lines.append("Transfer-Encoding: chunked")
        body = b"%x\r\n%b\r\n0\r\n" % (len(quotes), quotes)
        body += f"{way.trailer.format(**said)}\r\n\r\n".encode()
    else:
        lines.append(f"Content-Length: {len(quotes)}")
        body = quotes
    head = "\r\n".join(lines).format(**said) + "\r\n\r\n"
    connection = _connect(world, way, served.address, port)
    with connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(head.encode() + body)
        return int(connection.makefile("rb").readline().split()[1])


def _connect(world: World, way: Way, address: str, port: int) -> socket.socket:
    source = (way.source, 0) if way.source else None
    connection = socket.create_connection((address, port), LIMIT_S, source)
    if way.server == "tls" and not way.local:
        return world.trusted.wrap_socket(connection, server_hostname="localhost")
    return connection


def _body(game: str) -> bytes:
    return quote(ODDS, market_type="total", match_name=f"{game} - Away").encode()


def _games(database: Path) -> set[str]:
    """Return the games with prices in a database."""
    with contextlib.closing(open_store(database, read_only=True)) as store:
        changes = store.reader().changes_after(0, 10_000_000)
    return {each.match_name.partition(" - ")[0] for each in changes}
