"""A NATS server of the tests' own."""

import contextlib
import json
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

LIMIT_S = 20


class Nats:
    """A server on a port of this machine; it can be killed and restarted there."""

    def __init__(self, folder: Path, *options: str) -> None:
        program = shutil.which("nats-server")
        assert program is not None, "NATS is not installed: there is no nats-server"
        self._folder = folder
        self._command = [program, "-a", "127.0.0.1", "--ports_file_dir", str(folder), *options]
        self._process: subprocess.Popen[bytes] | None = None
        self.port = -1
        self.start()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"nats://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it, the first time at any free port, and wait until it answers."""
        quiet = subprocess.DEVNULL
        command = [*self._command, "-p", str(self.port)]
        self._process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)
        said = self._folder / f"nats-server_{self._process.pid}.ports"
        deadline = time.monotonic() + LIMIT_S
        while not (said.exists() and said.read_text().rstrip().endswith("}")):  # else half of it
            assert self._process.poll() is None, "nats-server ended while it started"
            assert time.monotonic() < deadline, "nats-server does not start"
            time.sleep(0.01)
        (url,) = json.loads(said.read_text())["nats"]
        self.port = int(url.rpartition(":")[2])

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def halt(self) -> None:
        """Let it hang until it is killed or goes on."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)


@contextlib.contextmanager
def running_nats(*options: str) -> Iterator[Nats]:
    """Run a server until the block ends."""
    with tempfile.TemporaryDirectory(prefix="nats-") as folder:
        server = Nats(Path(folder), *options)
        try:
            yield server
        finally:
            server.kill()
