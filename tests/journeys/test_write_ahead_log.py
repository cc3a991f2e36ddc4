"""The write-ahead log stays under what is promised, with a server and without (D77)."""

import contextlib
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.times import format_ms
from tests.kit.program import Launch

PROMISED = 64 * 1024 * 1024
GAMES, BOOKMAKERS, PARTS = 120, 60, 3


def quotes(bookmakers: range) -> Iterator[str]:
    """One bookmaker's whole offer after another, as scrapers bring them."""
    now = format_ms(system_clock())
    for bookmaker in bookmakers:
        for game in range(GAMES):
            for period in range(3):
                yield json.dumps(
                    {
                        "bookmaker": f"Bookmaker {bookmaker:02}",
                        "match_name": f"Home {game} - Away {game}",
                        "competition": "EPL",
                        "market_type": "moneyline",
                        "period": period,
                        "odds": {f"Home {game}": 2.1, "Draw": 3.4, f"Away {game}": 3.6},
                        "scraped_at": now,
                        "url": f"https://example.com/{'x' * 400}/{game}",
                    }
                )


@contextlib.contextmanager
def largest_size(file: Path) -> Iterator[list[int]]:
    """Watch a file that comes and goes; the one number is its largest size in bytes."""
    largest, done = [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.005):
            with contextlib.suppress(FileNotFoundError):
                largest[0] = max(largest[0], file.stat().st_size)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield largest
    finally:
        done.set()
        watcher.join()


@pytest.mark.slow
@pytest.mark.parametrize("served", [True, False], ids=["with a server", "with no server"])
def test_ingests_with_nothing_to_value_keep_the_log_small(
    launch: Launch, tmp_path: Path, served: bool
) -> None:
    database = tmp_path / "odds.db"
    step = BOOKMAKERS // PARTS
    if served:
        serving = launch("serve", "--port", "0", "--database", str(database))
        assert serving.first_line().startswith("listening on")
    else:
        step = BOOKMAKERS
    with largest_size(tmp_path / "odds.db-wal") as largest:
        for first in range(0, BOOKMAKERS, step):
            file = tmp_path / "quotes.ndjson"
            file.write_text("\n".join(quotes(range(first, first + step))))
            ingesting = launch("ingest", str(file), "--database", str(database))
            ingesting.process.communicate(timeout=60)
            assert ingesting.process.returncode == 0
    assert 0 < largest[0] < PROMISED
    if served:
        assert database.stat().st_size > 1_000_000, "what was recorded is in the file itself"
