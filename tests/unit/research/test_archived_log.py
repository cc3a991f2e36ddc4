"""A log tells the same wherever it lies: in a file, in PostgreSQL, a part in the archive."""

import json
import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from oddsdesk.archive.archive import Archive
from oddsdesk.cli.main import main
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult
from oddsdesk.contract.times import DAY_MS, MINUTE_MS
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.store import open_store

BEGIN = 1_776_000_000_000
HOUR_MS = 60 * MINUTE_MS
LIMIT_S = 20
GAMES = [f"Home {number} vs Away {number}" for number in range(6)]
NAMES = ("Pinnacle", "One", "Two", "Three", "Soft")
COMMANDS = (("backtest",), ("backtest", "--reference", "consensus"), ("scorecard",))


def begin_of(number: int) -> int:
    """When a game is first priced: one every three hours, the second half of them a day later."""
    return BEGIN + number * 3 * HOUR_MS + number // 3 * DAY_MS


def moves(number: int, game: str) -> Iterator[Quote]:
    """What is offered of a game until it begins, what two offer in play, and that it ends."""
    chance, even = random.Random(number), 0.5
    begin = begin_of(number)
    kick_off = begin + 6 * HOUR_MS

    def quote(name: str, at: int, odds: dict[str, float], *, is_live: bool = False) -> Quote:
        names = {"competition": "EPL", "market_type": "total", "period": 0}
        return Quote(
            name, game, odds=odds, scraped_at=at, match_date=kick_off, is_live=is_live, **names
        )

    for turn in range(20):
        even = min(max(even + chance.uniform(-0.01, 0.01), 0.4), 0.6)
        for place, name in enumerate(NAMES):
            at = begin + turn * 18 * MINUTE_MS + place * 1_000
            margin = 1.02 if name == "Pinnacle" else chance.uniform(0.96, 1.03)
            odds = {"Over 2.5": 1 / even / margin, "Under 2.5": 1 / (1 - even) / 1.04}
            yield quote(name, at, {side: round(price, 2) for side, price in odds.items()})
    for name in NAMES[:2]:
        yield quote(name, kick_off + MINUTE_MS, {"Over 2.5": 2.5, "Under 2.5": 1.5}, is_live=True)
    for name in NAMES:
        yield quote(name, kick_off + 2 * HOUR_MS, {}, is_live=True)


def record(database: Database) -> None:
    """Record all games as they were, and how most of them ended."""
    now = [BEGIN]
    quotes = [each for number, game in enumerate(GAMES) for each in moves(number, game)]
    quotes.sort(key=lambda quote: quote.scraped_at)
    with closing(open_store(database, clock=lambda: now[0])) as store:
        for quote in quotes:
            now[0] = quote.scraped_at
            store.record([quote]).result(LIMIT_S)
        for number, game in enumerate(GAMES[:4]):
            ended = GameResult("EPL", game, begin_of(number) + 6 * HOUR_MS, number % 4, 1)
            store.record_results([ended]).result(LIMIT_S)


def seal(database: Database, folder: Path) -> list[str]:
    """Put all hours into the archive and remove the older ones; return the games that are left."""
    folder.mkdir()
    end = BEGIN + 5 * DAY_MS
    with closing(open_store(database, clock=lambda: end)) as store:
        archive = Archive(folder, store.reader)
        archive.seal(end)
        cut = BEGIN + 14 * HOUR_MS
        assert store.prune(cut + DAY_MS, 1, archived=archive.through(cut)) > 0
        store.prune(end, 0)  # forgets games of which nothing is left
        last = store.reader().last_seq()
        rows = store.reader().logged(0, 0, last, 0, 2**60)
    return sorted({row.match_name for row in rows})


def run(command: tuple[str, ...], database: Database, *more: object) -> Result:
    place = database.url if isinstance(database, DatabaseUrl) else str(database)
    arguments = [*command, "--database", place, *map(str, more), "--json"]
    return CliRunner().invoke(main, arguments)


def told(database: Database, *more: object) -> list[Any]:
    """What every command prints on stdout and stderr."""
    found = []
    for command in COMMANDS:
        done = run(command, database, *more)
        assert done.exit_code == 0, done.output
        said = [line for line in done.stderr.splitlines() if not line.endswith("rows read")]
        found.append((json.loads(done.stdout), said))
    return found


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What comes of the log in one file, nothing removed."""
    path = tmp_path_factory.mktemp("whole") / "odds.db"
    record(path)
    return told(path)


def test_the_whole_log_has_what_is_compared(expected: list[Any]) -> None:
    for (found, _), least in zip(expected, (5, 3), strict=False):
        assert found["bets"] >= least
        assert 0 < found["settled"] < found["bets"]
        assert found["clv_bets"] > 0
    assert "the log has gaps of" in expected[0][0]["notes"][-1]
    assert sum(card["log_loss_count"] for card in expected[2][0]) > 0


def test_a_log_is_the_same_in_each_engine_also_where_a_part_is_in_the_archive(
    database: Database, expected: list[Any], tmp_path: Path
) -> None:
    record(database)
    if isinstance(database, DatabaseUrl):
        assert told(database) == expected
    folder = tmp_path / "archive"
    assert 0 < len(seal(database, folder)) < len(GAMES)
    left = json.loads(run(COMMANDS[0], database).stdout)
    assert left["bets"] < expected[0][0]["bets"]
    assert "older price changes were removed, and are in no archive" in left["notes"]
    assert told(database, "--archive", folder) == expected
    with closing(open_store(database)) as store:
        store.keep_archive(folder).result(LIMIT_S)
    assert json.loads(run(COMMANDS[0], database).stdout) == expected[0][0]


def simulate(database: Database) -> None:
    """Make games up for some hours before the first that is real."""
    now = [0]
    with closing(open_store(database, clock=lambda: now[0])) as store:
        for number in range(3):
            for quote in moves(number, f"Made up {number} vs Away"):
                earlier = replace(quote, scraped_at=quote.scraped_at - 12 * HOUR_MS)
                now[0] = max(now[0], earlier.scraped_at)
                if now[0] < BEGIN:
                    store.record([earlier], simulated=True).result(LIMIT_S)


def test_what_was_simulated_before_is_no_part_of_the_log(
    database: Database, expected: list[Any], tmp_path: Path
) -> None:
    simulate(database)
    assert run(COMMANDS[2], database).exit_code == 0
    record(database)
    with closing(open_store(database)) as store:
        assert store.reader().last_made_up(0) > 200
    assert told(database) == expected
    folder = tmp_path / "archive"
    seal(database, folder)
    assert told(database, "--archive", folder) == expected


@pytest.mark.one_engine
def test_an_archive_that_cannot_be_read_is_one_line(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_one = Quote("One", GAMES[0], "EPL", "total", 0, {"Over 2.5": 2.0}, BEGIN)
    with closing(open_store(database)) as store:
        store.record([record_one]).result(LIMIT_S)
    folder = tmp_path / "archive"
    for command in COMMANDS:
        missing = run(command, database, "--archive", folder)
        assert (missing.exit_code, "does not exist" in missing.stderr) == (2, True)
    (folder / "date=2026-04-12").mkdir(parents=True)
    (folder / "date=2026-04-12" / "13h-0-1-900.parquet").write_bytes(b"PAR1")
    for command in COMMANDS:
        other = run(command, database, "--archive", folder)
        assert (other.exit_code, other.stderr.count("\n")) == (1, 1)
        assert "is it from another database?" in other.stderr
    (folder / "date=2026-04-12" / "13h-0-1-900.parquet").rename(
        folder / "date=2026-04-12" / "13h-0-1-1.parquet"
    )
    monkeypatch.setattr("oddsdesk.cli.options.find_spec", lambda _name: None)
    for command in COMMANDS:
        without = run(command, database, "--archive", folder)
        assert (without.exit_code, without.stderr.count("\n")) == (1, 1)
        assert "--archive needs pyarrow, which is not installed" in without.stderr
    monkeypatch.undo()
    for command in COMMANDS:
        damaged = run(command, database, "--archive", folder)
        assert (damaged.exit_code, damaged.stderr.count("\n")) == (1, 1)
        assert "is not an archive file, or is damaged" in damaged.stderr
