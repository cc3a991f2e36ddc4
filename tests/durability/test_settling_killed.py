"""A process that is killed at each step of settling bets by recorded results."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from shutil import copytree

import pytest

from oddsdesk.contract.results import GameResult
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.store.store import open_store

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]

KICK_OFF = 1_776_366_000_000
NAME = "Leeds vs Wolves"
BET = PlacedBet(
    *("", NAME, "EPL", "Football", "total", 0, "Over 2.5", "Bet365", 2.1, 10.0, KICK_OFF - 1),
    kick_off=KICK_OFF,
)
COUNT = 3
LEDGER, ODDS = "ledger.db", "odds.db"
# Counts the statements that SQLite runs on the ledger, and kills its own process at one of them.
SETTLE = """
import os, signal, sqlite3, sys
from oddsdesk.ledger import ledger
left = int(sys.argv.pop(1))

def count(statement):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

prepare = ledger.prepare_ledger

def prepared(connection, path):
    prepare(connection, path)
    connection.set_trace_callback(count)

ledger.prepare_ledger = prepared
from oddsdesk.cli.ledger import ledger as command
command()
"""


def settle(folder: Path, statement: int) -> int:
    """Settle in another process that is killed at a statement, and return how it ended."""
    words = ["settle", "--ledger", str(folder / LEDGER), "--database", str(folder / ODDS)]
    command = [sys.executable, "-c", SETTLE, str(statement), *words]
    return subprocess.run(command, check=False, capture_output=True).returncode


def test_bets_are_settled_all_or_not_at_all_and_once_whenever_it_is_killed(tmp_path: Path) -> None:
    before = tmp_path / "before"
    before.mkdir()
    with closing(open_store(before / ODDS)) as store:
        result = GameResult("EPL", NAME, KICK_OFF, 2, 1, overtime=False, source="scores")
        store.record_results([result]).result()
    with closing(Ledger(before / LEDGER)) as ledger:
        placed = ledger.place_all([BET] * COUNT, "placed")
    settled_at_kill = []
    for statement in range(1, 100):
        folder = tmp_path / str(statement)
        copytree(before, folder)
        ended = settle(folder, statement)
        with closing(Ledger(folder / LEDGER)) as ledger:
            found = [bet.settled_by for bet in ledger.read_bets()]
            assert found in ([""] * COUNT, ["scores 2-1"] * COUNT)
            change = ledger.last_change()
            assert change is not None
            assert change.what == ("settled" if found[0] else "placed")
        if ended == 0:
            break
        assert ended == -9
        settled_at_kill.append(bool(found[0]))
        assert settle(folder, 0) == 0
        assert settle(folder, 0) == 0
        with closing(Ledger(folder / LEDGER)) as ledger:
            assert [bet.settled_by for bet in ledger.read_bets()] == ["scores 2-1"] * COUNT
            assert ledger.undo_change() == ("settled", COUNT)
            assert [bet.result for bet in ledger.read_bets()] == [bet.result for bet in placed]
            assert ledger.undo_change() == ("placed", COUNT)
    else:
        pytest.fail("the command never came to its end")
    assert len(settled_at_kill) > 2 * COUNT
    assert sorted(settled_at_kill) == settled_at_kill, "a bet was open again after a later kill"
