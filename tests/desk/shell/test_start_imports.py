"""What a start does not load: it is needed later, or never, and the window is to stand before."""

import json
import subprocess
import sys

import pytest

START = """
import json, sys
import oddsdesk.cli.main
from oddsdesk.cli.desk import leave_out_httpx_command, restore_import
leave_out_httpx_command()
restore_import()
import oddsdesk.desk.shell.app
print(json.dumps(sorted(sys.modules)))
"""
LATER = (
    *("httpx", "keyring", "numpy", "pandas", "psycopg", "pyarrow", "pyqtgraph", "rapidfuzz"),
    *("nats", "xlsxwriter", "betfairlightweight", "apprise", "websockets"),
    *("oddsdesk.feeds.importing", "oddsdesk.feeds.simulator", "oddsdesk.feeds.the_odds_api.live"),
    *("oddsdesk.research.backtests", "oddsdesk.archive.archive", "oddsdesk.cluster"),
    *("oddsdesk.desk.alerts.panel", "oddsdesk.desk.bets", "oddsdesk.desk.explain"),
    *("oddsdesk.desk.grid", "oddsdesk.desk.history", "oddsdesk.desk.opportunities"),
    "oddsdesk.desk.promotions",
    *("oddsdesk.desk.local_server", "oddsdesk.desk.connections.dialog"),
    "oddsdesk.desk.bookmakers.dialog",
    *("oddsdesk.desk.ui.controls.form_dialog", "oddsdesk.desk.ui.table.column_chooser"),
    *("oddsdesk.desk.timeline",),
    *("oddsdesk.desk.settings.dialog", "oddsdesk.desk.shell.key_list"),
    *("oddsdesk.server.endpoints.openapi", "oddsdesk.store.sqlite.backup"),
    *("oddsdesk.store.sqlite.restore", "tarfile", "html", "xml.etree.ElementTree"),
    "oddsdesk.desk.value_bets",
)


COLLECTED = """
import gc, json
from oddsdesk.cli.main import main
before = gc.get_stats()[1]["collections"]
try:
    main(["desk", "--profile", "none of that name"], standalone_mode=False)
except Exception as error:
    print(error)
print(json.dumps([str(gc.isenabled()), str(gc.get_stats()[1]["collections"] - before)]))
"""


def loaded(program: str) -> list[str]:
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    names: list[str] = json.loads(ended.stdout.splitlines()[-1])
    return names


@pytest.fixture(scope="module")
def at_start() -> frozenset[str]:
    return frozenset(loaded(START))


@pytest.mark.parametrize("module", LATER)
def test_a_start_does_not_load(at_start: frozenset[str], module: str) -> None:
    assert module not in at_start


def test_nothing_is_collected_while_the_desk_is_loaded() -> None:
    assert loaded(COLLECTED) == ["False", "0"]


def test_asking_a_service_loads_no_command_line() -> None:
    names = loaded(START + "import oddsdesk.network.http\nprint(json.dumps(sorted(sys.modules)))")
    assert "httpx" in names
    assert not {"rich", "pygments", "certifi"} & set(names)


def test_listening_at_an_address_loads_no_tables_of_names() -> None:
    listening = (
        "from oddsdesk.server.edge.listener import check_address\ncheck_address('127.0.0.1', 0)\n"
    )
    names = loaded(f"{START}{listening}print(json.dumps(sorted(sys.modules)))")
    assert "encodings.idna" not in names


def test_a_new_database_loads_no_arrays_and_hides_them_from_nobody() -> None:
    made = """
import json, sys, tempfile
from pathlib import Path
from oddsdesk.store.store import open_store
with tempfile.TemporaryDirectory() as folder:
    open_store(Path(folder, "odds.db")).close()
names = sorted(sys.modules)
import numpy, pandas
print(json.dumps(names))
"""
    names = loaded(made)
    assert "sqlite_utils" in names
    assert not {"numpy", "pandas", "pyarrow"} & set(names)


def test_what_a_new_database_hides_others_may_load_meanwhile() -> None:
    thread = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from oddsdesk.store.sqlite.migrations import without_arrays
with without_arrays(), ThreadPoolExecutor() as pool:
    pool.submit(import_module, "numpy").result()
print(json.dumps(sorted(sys.modules)))
"""
    assert "numpy" in loaded(thread)
