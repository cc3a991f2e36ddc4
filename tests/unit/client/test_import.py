"""What importing the client costs, and what the package promises to type checkers."""

import json
import subprocess
import sys
from pathlib import Path

import oddsdesk

SCRIPT = """
import json, sys
from oddsdesk.client import Client, SyncClient
Client("http://127.0.0.1:1", "key"), SyncClient("http://127.0.0.1:1", "key")
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def test_neither_httpx_nor_websockets_nor_qt_is_imported_before_it_is_needed() -> None:
    """Measured: they cost 60 to 110 ms and 15 to 30 ms."""
    root = Path(oddsdesk.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=root, capture_output=True, text=True, check=True
    )
    loaded = set(json.loads(done.stdout))
    assert "msgspec" in loaded
    assert not loaded & {"httpx", "httpcore", "websockets", "PySide6", "sqlite3", "starlette"}


def test_the_package_says_that_it_is_typed() -> None:
    assert Path(oddsdesk.__file__).with_name("py.typed").is_file()
