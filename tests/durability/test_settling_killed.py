"""A process that is killed at each step of settling bets by recorded results."""

import os
import subprocess
import sys
from collections.abc import Iterator
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
# Each line settles in a forked child, which does not have to import anything.
SETTLE = """
import os, signal, sys
from oddsdesk.cli.ledger import ledger as command
from oddsdesk.ledger import ledger

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
for line in sys.stdin:
    statement, *words = line.rstrip().split("\\t")
    left = int(statement)
    child = os.fork()
    if child == 0:
        sys.stdout = open(os.devnull, "w")
        command(words)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Settling:
    """Settles in processes that are killed at a statement."""

    def __init__(self) -> None:
        command = [sys.executable, "-c", SETTLE]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def settle(self, folder: Path, statement: int) -> int:
        """Settle, be killed at a statement, and return how the process ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        words = ["settle", "--ledger", folder / LEDGER, "--database", folder / ODDS]
        print(statement, *words, sep="\t", file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())

    def end(self) -> None:
        """Settle nothing more."""
        self._process.communicate(timeout=30)


@pytest.fixture
def settling() -> Iterator[Settling]:
    made = Settling()
    yield made
    made.end()


def test_bets_are_settled_all_or_not_at_all_and_once_whenever_it_is_killed(
    settling: Settling, tmp_path: Path
) -> None:
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
        ended = settling.settle(folder, statement)
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
        assert settling.settle(folder, 0) == 0
        assert settling.settle(folder, 0) == 0
        with closing(Ledger(folder / LEDGER)) as ledger:
            assert [bet.settled_by for bet in ledger.read_bets()] == ["scores 2-1"] * COUNT
            assert ledger.undo_change() == ("settled", COUNT)
            assert [bet.result for bet in ledger.read_bets()] == [bet.result for bet in placed]
            assert ledger.undo_change() == ("placed", COUNT)
    else:
        pytest.fail("the command never came to its end")
    assert len(settled_at_kill) > 2 * COUNT
    assert sorted(settled_at_kill) == settled_at_kill, "a bet was open again after a later kill"
