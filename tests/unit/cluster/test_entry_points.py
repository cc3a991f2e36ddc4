"""The cluster is found by its entry points, and loaded only by a process that needs it."""

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from oddsdesk.store.databases import ENGINES, part_of_cluster
from oddsdesk.store.errors import StoreError

SERVE = """
import asyncio, sys
from pathlib import Path
import oddsdesk.cli.serve
from oddsdesk.server.run.runner import serving
from oddsdesk.server.settings import Settings

async def serve():
    async with serving(Settings(Path(sys.argv[1]), port=0)) as server:
        assert server.url

asyncio.run(serve())
print([name for name in sys.modules if name.startswith(("oddsdesk.cluster", "psycopg", "nats"))])
"""


def test_each_part_is_there() -> None:
    names = entry_points(group=ENGINES).names
    assert names == {"store", "access", "inspection", "moving", "server", "workers", "bus"}
    for name in names:
        assert callable(part_of_cluster(name))


def test_an_installation_without_its_entry_points_is_told() -> None:
    with pytest.raises(StoreError, match=r"^oddsdesk's entry points are missing .*-e \."):
        part_of_cluster("nothing")


def test_a_process_that_serves_a_file_loads_none_of_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SERVE, str(tmp_path / "odds.db")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout == "[]\n"
