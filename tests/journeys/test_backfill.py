"""A backfill that is killed goes on without requesting a snapshot that was answered."""

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from tests.kit.odds_history import FIRST, KEY, OddsHistory, serve_history
from tests.kit.program import Launch


def test_a_killed_backfill_requests_nothing_twice(launch: Launch, tmp_path: Path) -> None:
    with serve_history(OddsHistory()) as history:
        words = ("--sport", "soccer_epl", "--from", "2024-10-01", "--to", "2024-10-11")
        where = ("--every", "6h", "--url", history.url, "--database", str(tmp_path / "odds.db"))

        def start() -> subprocess.Popen[str]:
            arguments = ("backfill", "the-odds-api", *words, *where, "--yes")
            return launch(*arguments, ODDSDESK_THE_ODDS_API_KEY=KEY).process

        history.hold_at = 17
        first = start()
        assert history.held.wait(30)
        first.kill()
        first.communicate()
        history.go_on.set()
        assert len(history.answered) == 17
        again = start()
        out, err = again.communicate(timeout=60)
        assert again.returncode == 0, err
    assert "23 snapshots of 10 credits each, 17 more are stored already" in out
    assert "the last run ended before an answer came" in err
    assert KEY not in out + err
    assert len(history.answered) == len(set(history.answered)) == 40
    assert history.used == 400
    with closing(sqlite3.connect(tmp_path / "odds.db")) as database:
        (times,) = database.execute(
            "SELECT count(DISTINCT scraped_at) FROM price_change"
        ).fetchone()
    assert times == 40
    assert history.answered[0] < FIRST
