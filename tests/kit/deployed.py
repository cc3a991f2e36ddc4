"""Two processes that answer, and a proxy before them with an example of `packaging/deploy`."""

import contextlib
import os
import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import httpx

from oddsdesk.contract.access import Plan
from tests.kit import prometheus
from tests.kit.program import STOP_LIMIT_S, Program
from tests.kit.workers import until

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "packaging" / "deploy"
LIMIT_S = 60


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def own_environment(home: Path) -> dict[str, str]:
    """An environment whose folders are the test's own."""
    names = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
    folders = {name: str(home / name.lower()) for name in names}
    return {**os.environ, **folders, "HOME": str(home), "PYTHONPATH": str(ROOT)}


class Backend:
    """A process that answers; it comes back at the address where it was."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.database = folder / "odds.db"
        self.port, self._metrics_port = free_port(), free_port()
        self._folder, self._options = folder, options
        self._program: Program | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Run it, unless it runs."""
        if self._program is not None:
            return
        ports = ["--port", str(self.port), "--metrics-port", str(self._metrics_port)]
        command = ["serve", "--database", str(self.database), *ports, *self._options]
        self._program = Program(command, own_environment(self._folder))
        assert self._program.first_line() == f"listening on {self.url}"

    def kill(self) -> None:
        """End it at once."""
        if self._program is not None:
            self._program.kill()
            self._program = None

    def answers(self, endpoint: str) -> float:
        """How often it has answered at an endpoint since it began."""
        text = httpx.get(f"http://127.0.0.1:{self._metrics_port}/metrics").text
        figures = prometheus.parse(text)
        if "oddsdesk_requests_total" not in figures:
            return 0
        return prometheus.value(figures, "oddsdesk_requests_total", endpoint=endpoint)

    def streams(self) -> float:
        """How many listen to it."""
        text = httpx.get(f"http://127.0.0.1:{self._metrics_port}/metrics").text
        return prometheus.value(prometheus.parse(text), "oddsdesk_stream_subscribers")

    def key(self) -> str:
        """Make a key that may write, too; whatever process it is shown to knows it."""
        command = ["keys", "create", "--plan", Plan.PRO_LIVE.value, "--account", "proxied"]
        command.append("--write")
        made = Program([*command, "--database", str(self.database)], own_environment(self._folder))
        return made.process.communicate(timeout=LIMIT_S)[0].strip()


class Certificate:
    """A certificate of `localhost`, and who trusts it."""

    def __init__(self, folder: Path) -> None:
        self.file, self.key = folder / "odds.crt", folder / "odds.key"
        self.both = folder / "odds.pem"
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"]
        command += ["ec_paramgen_curve:prime256v1", "-nodes", "-days", "30", "-subj"]
        command += ["/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
        command += ["-keyout", str(self.key), "-out", str(self.file)]
        subprocess.run(command, check=True, capture_output=True)
        self.both.write_text(self.file.read_text() + self.key.read_text())
        self.trusted = ssl.create_default_context(cafile=str(self.file))


class Proxy:
    """A running proxy; ``configure`` makes its file of what stands where, and names its command."""

    def __init__(
        self,
        name: str,
        folder: Path,
        ports: tuple[int, int],
        certificate: Certificate,
        connections: int = 200,
    ) -> None:
        self.name, self.folder, self.connections = name, folder, connections
        self.trusted = certificate.trusted
        self.port, self.plain_port = free_port(), free_port()
        self.url = f"https://localhost:{self.port}"
        self._log = folder / "log"
        changes = {
            "127.0.0.1:8766": f"127.0.0.1:{ports[0]}",
            "127.0.0.1:8767": f"127.0.0.1:{ports[1]}",
            "odds.example.org": "localhost",
        }
        command = _CONFIGURE[name](self, certificate, changes)
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=folder, env=own_environment(folder)
            )

    def client(self) -> httpx.Client:
        """A client that trusts it."""
        return httpx.Client(base_url=self.url, verify=self.trusted, timeout=LIMIT_S)

    def wait(self) -> None:
        """Wait until it has found its servers."""

        def is_ready() -> bool:
            assert self._process.poll() is None, self.log()
            with contextlib.suppress(httpx.TransportError), self.client() as client:
                return client.get("/api/ready").status_code == 200
            return False

        until(is_ready, LIMIT_S)

    def log(self) -> str:
        """What it has written of itself and of requests."""
        return "".join(path.read_text() for path in sorted(self.folder.glob("*log")))

    def tell(self, command: str) -> str:
        """Say something to HAProxy's socket."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self.folder / "admin.sock"))
            connection.sendall(command.encode() + b"\n")
            return connection.makefile().read().strip()

    def close(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(STOP_LIMIT_S)


def program(name: str) -> str:
    """Where a program of the system is; without it the test fails: CI installs it."""
    places = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
    found = shutil.which(name, path=places)
    assert found is not None, f"{name} is not installed (apt-get install {name})"
    return found


def example(name: str, changes: Mapping[str, str]) -> str:
    """An example of `packaging/deploy`; each of the changes is needed."""
    text = (EXAMPLES / name).read_text()
    for old, new in changes.items():
        assert old in text, f"{name} does not say {old!r}"
        text = text.replace(old, new)
    return text


def _haproxy(proxy: Proxy, certificate: Certificate, changes: dict[str, str]) -> list[str]:
    own = {
        "    user haproxy\n    group haproxy\n": "",
        "maxconn 20000": f"maxconn {proxy.connections}",
        "/run/haproxy/admin.sock": str(proxy.folder / "admin.sock"),
        "bind :443": f"bind 127.0.0.1:{proxy.port}",
        "bind :80": f"bind 127.0.0.1:{proxy.plain_port}",
        "/etc/haproxy/odds.pem": str(certificate.both),
    }
    file = proxy.folder / "haproxy.cfg"
    file.write_text(example("haproxy.cfg", changes | own))
    return [program("haproxy"), "-db", "-f", str(file)]


def _caddy(proxy: Proxy, certificate: Certificate, changes: dict[str, str]) -> list[str]:
    own = {
        "\nlocalhost {": f"\n{proxy.url} {{",
        "/etc/caddy/odds.pem": str(certificate.file),
        "/etc/caddy/odds.key": str(certificate.key),
    }
    options = f"{{\n\tadmin off\n\thttp_port {proxy.plain_port}\n}}\n"
    file = proxy.folder / "Caddyfile"
    file.write_text(options + example("Caddyfile", changes | own))
    return [program("caddy"), "run", "--config", str(file), "--adapter", "caddyfile"]


def _nginx(proxy: Proxy, certificate: Certificate, changes: dict[str, str]) -> list[str]:
    own = {
        "listen 443": f"listen 127.0.0.1:{proxy.port}",
        "listen 80": f"listen 127.0.0.1:{proxy.plain_port}",
        "/etc/nginx/odds.pem": str(certificate.file),
        "/etc/nginx/odds.key": str(certificate.key),
        "/var/log/nginx/odds.log": str(proxy.folder / "access.log"),
        "/var/log/nginx/odds-error.log": str(proxy.folder / "error.log"),
    }
    (proxy.folder / "odds.conf").write_text(example("nginx.conf", changes | own))
    user = "user root;" if os.geteuid() == 0 else ""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = " ".join(f"{kind}_temp_path {proxy.folder};" for kind in kinds)
    http = f"http {{ access_log off; {folders} include {proxy.folder}/odds.conf; }}"
    pid = f"pid {proxy.folder}/nginx.pid;"
    file = proxy.folder / "nginx.conf"
    file.write_text(f"{user} daemon off; {pid} events {{}} {http}")
    return [program("nginx"), "-p", str(proxy.folder), "-e", "stderr", "-c", str(file)]


_CONFIGURE: dict[str, Callable[[Proxy, Certificate, dict[str, str]], list[str]]] = {
    "haproxy": _haproxy,
    "caddy": _caddy,
    "nginx": _nginx,
}
