"""A minute of polling with and without ETag: bytes received, and the server's processor time.

    python benchmarks/polling.py FILE...

The files are answers of The Odds API, imported with ``--shift-to-now``, served by the real program.
Each list is polled 60 times, as once a second for a minute, over one connection and without the
waits. Nothing is recorded meanwhile.
"""

import os
import re
import subprocess
import sys
import tempfile
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.access import Plan
from oddsdesk.store.access import open_access

POLLS = 60
PATHS = ("/api/odds?limit=500", "/api/odds?limit=500&format=csv", "/api/games", "/api/events")
PROGRAM = Path(sys.executable).with_name("oddsdesk")


def cpu_s(pid: int) -> float:
    """Return the processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def poll(url: str, key: str, path: str, pid: int, *, tags: bool) -> str:
    """Poll a list and return a line with the figures."""
    connection = HTTPConnection(url.removeprefix("http://"))
    received, statuses, spent, tag = 0, {200: 0, 304: 0}, 0.0, ""
    for _ in range(POLLS):
        before = cpu_s(pid)
        headers = {"X-Api-Key": key} | ({"If-None-Match": tag} if tags and tag else {})
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        head = sum(len(name) + len(value) + 4 for name, value in answer.getheaders()) + 19
        received += head + len(answer.read())
        statuses[answer.status] += 1
        tag = answer.headers["ETag"]
        spent += cpu_s(pid) - before
    connection.close()
    return f"{statuses[200]:3} {statuses[304]:3} {received / 1000:10,.1f} kB {spent:6.2f} s"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "odds.db"
        files = ["the-odds-api", *sys.argv[1:], "--database", str(database), "--shift-to-now"]
        subprocess.run([PROGRAM, "import", *files], check=True, stdout=subprocess.DEVNULL)
        with subprocess.Popen(
            [PROGRAM, "serve", "--port", "0", "--database", database],
            stdout=subprocess.PIPE,
            text=True,
        ) as server:
            try:
                assert server.stdout is not None
                found = re.search(r"http://\S+", server.stdout.readline())
                assert found is not None
                with closing(open_access(database)) as access:
                    key = access.keys.create("polls", Plan.PRO_LIVE, None, system_clock()).secret
                print("200 304    received  server CPU")
                for path in PATHS:
                    for tags in (False, True):
                        said = poll(found[0], key, path, server.pid, tags=tags)
                        print(said, path, "with ETag" if tags else "without", flush=True)
            finally:
                server.terminate()


if __name__ == "__main__":
    main()
