"""`oddsdesk backfill`: it says what it costs, and requests nothing twice that was paid for."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oddsdesk.cli import backfill as command
from oddsdesk.cli.main import main
from oddsdesk.contract.times import MINUTE_MS, parse_ms
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.store import open_store
from tests.kit.odds_history import FIRST, HOUR_MS, KEY, OddsHistory, serve_history

DAY_MS = 24 * HOUR_MS
NOW_MS = FIRST + 40 * DAY_MS


@pytest.fixture(autouse=True)
def setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODDSDESK_THE_ODDS_API_KEY", KEY)
    monkeypatch.setattr(command, "system_clock", lambda: NOW_MS)


@pytest.fixture
def history() -> Iterator[OddsHistory]:
    with serve_history(OddsHistory()) as served:
        yield served


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


def run(
    history: OddsHistory, database: Path | str, *more: str, days: int = 1, yes: bool = True
) -> Result:
    until = f"2024-10-{1 + days:02}"
    words = ["--sport", "soccer_epl", "--from", "2024-10-01", "--to", until, "--every", "6h"]
    place = ["--url", history.url, "--database", str(database), *["--yes"] * yes]
    done = CliRunner().invoke(main, ["backfill", "the-odds-api", *words, *place, *more])
    assert KEY not in done.output + done.stderr
    return done


def prices(database: Path) -> Counter[int]:
    """Return how many price changes a database has at each time."""
    store = open_store(database)
    try:
        changes = store.reader().changes_after(0, 10_000)
        return Counter(each.scraped_at for each in changes)
    finally:
        store.close()


def test_snapshots_are_recorded_with_the_times_they_had(
    history: OddsHistory, database: Path
) -> None:
    done = run(history, database)
    assert done.exit_code == 0, done.output
    assert history.answered == [FIRST - 3 * MINUTE_MS + n * 6 * HOUR_MS for n in range(4)]
    assert "at most 40 credits; 10,000 are left" in done.stdout
    assert "snapshots 4, credits 40, 9,960 left" in done.stdout
    assert "prices 12, kept 12, skipped 0" in done.stdout
    assert history.queries[0]["date"] == "2024-10-01T00:00:00Z"
    assert set(prices(database)) == {snapshot - MINUTE_MS for snapshot in history.answered}


def test_what_is_here_is_not_requested_again(history: OddsHistory, database: Path) -> None:
    run(history, database)
    again = run(history, database)
    assert "all 4 snapshots are stored already; nothing was requested" in again.stdout
    longer = run(history, database, days=2)
    assert "4 snapshots of 10 credits each, 4 more are stored already" in longer.stdout
    closer = run(history, database, "--every", "1h", days=2)
    assert closer.exit_code == 0
    assert len(history.answered) == len(set(history.answered)) == 48
    assert "35 of them are older than others that are stored" in closer.stderr
    assert "are older" not in longer.stderr


def test_it_continues_in_a_database_of_each_engine(
    history: OddsHistory, new_database: Callable[[], Database]
) -> None:
    made = new_database()
    name = made.url if isinstance(made, DatabaseUrl) else str(made)
    assert "snapshots 2, credits 20" in run(history, name, "--budget", "20").stdout
    assert "2 more are stored already" in run(history, name).stdout
    assert len(history.answered) == len(set(history.answered)) == 4


def test_one_answer_does_for_all_moments_up_to_the_next_snapshot(database: Path) -> None:
    with serve_history(OddsHistory(spacing_ms=12 * HOUR_MS)) as history:
        done = run(history, database, days=2)
    assert "at most 80 credits" in done.stdout
    assert "snapshots 5, credits 50" in done.stdout
    assert len(history.answered) == len(set(history.answered)) == 5


def test_the_newest_snapshot_is_requested_once(history: OddsHistory, database: Path) -> None:
    history.last = FIRST + 7 * HOUR_MS
    done = run(history, database)
    assert (done.exit_code, len(history.queries)) == (0, 3)
    assert "the source has no later snapshot yet; run the same command again" in done.stderr
    history.last = FIRST + 30 * HOUR_MS
    assert run(history, database).exit_code == 0
    assert len(history.answered) == len(set(history.answered)) == 4


def test_other_markets_or_regions_are_other_requests(history: OddsHistory, database: Path) -> None:
    run(history, database)
    both = run(history, database, "--markets", "totals, h2h", "--regions", "uk,eu")
    assert "4 snapshots of 40 credits each: at most 160 credits" in both.stdout
    assert (history.queries[-1]["markets"], history.queries[-1]["regions"]) == (
        "h2h,totals",
        "eu,uk",
    )
    same = run(history, database, "--markets", "h2h,totals", "--regions", "eu,uk")
    assert "nothing was requested" in same.stdout


def test_it_stops_at_the_budget_and_continues_from_there(
    history: OddsHistory, database: Path
) -> None:
    done = run(history, database, "--budget", "25")
    assert done.exit_code == 0
    assert "at most 40 credits, of which the budget allows 20" in done.stdout
    assert "stopped at the budget of 25 credits; run the same command again" in done.stderr
    assert "snapshots 2, credits 20" in done.stdout
    assert "snapshots 2, credits 20" in run(history, database, "--budget", "25").stdout
    assert len(set(history.answered)) == len(history.answered) == 4


def test_it_stops_before_the_credits_end(history: OddsHistory, database: Path) -> None:
    history.left = 25
    done = run(history, database)
    assert done.exit_code == 1
    assert "25 are left, not enough for all" in done.stdout
    assert "5 credits are left, and a snapshot costs 10; run the same command" in done.stderr
    assert len(history.queries) == 2


def test_a_snapshot_without_games_is_free(history: OddsHistory, database: Path) -> None:
    history.empty = (FIRST, FIRST + 13 * HOUR_MS)
    done = run(history, database, "--budget", "30")
    assert "snapshots 4, credits 20" in done.stdout
    assert "nothing was requested" in run(history, database).stdout


def test_nothing_is_spent_without_consent(history: OddsHistory, database: Path) -> None:
    done = run(history, database, yes=False)
    assert done.exit_code == 1
    assert "at most 40 credits" in done.stdout
    assert "nothing was spent; add --yes to spend them" in done.stderr
    assert history.queries == []


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (401, b'{"error_code": "DEACTIVATED_KEY"}', "refuses the key (DEACTIVATED_KEY)"),
        (
            401,
            b'{"error_code": "HISTORICAL_UNAVAILABLE_ON_FREE_USAGE_PLAN", "message": "x"}',
            "your plan has no history: The Odds API sells it with its paid plans",
        ),
        (401, b'{"error_code": "OUT_OF_USAGE_CREDITS"}', "the credits are used up"),
        (402, b"", "your plan does not include this: The Odds API asks for a payment"),
        (422, b'{"message": "bad date"}', "The Odds API refuses the request: bad date"),
        (422, b'{"error_code": "INVALID_HISTORICAL_TIMESTAMP"}', "no snapshot of that time"),
        (404, b'{"error_code": "UNKNOWN_SPORT"}', "no such sport"),
        (200, b'{"data": 7}', "expected a snapshot of the history"),
    ],
)
def test_a_refusal_is_explained_and_not_repeated(
    history: OddsHistory, database: Path, status: int, body: bytes, message: str
) -> None:
    history.refusals = [(status, body, {})]
    done = run(history, database)
    assert done.exit_code == 1
    assert message in done.stderr
    assert len(history.queries) == 1
    assert run(history, database).exit_code == 0


@pytest.mark.parametrize(
    ("status", "waits"), [(429, [7.0]), (500, [1.0])], ids=["too fast", "error"]
)
def test_a_failure_that_costs_nothing_is_retried(
    history: OddsHistory,
    database: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    waits: list[float],
) -> None:
    waited = noted_sleeps(monkeypatch)
    history.refusals = [(status, b"", {"Retry-After": "7"})]
    assert run(history, database).exit_code == 0
    assert waited == waits
    assert len(history.answered) == 4


def test_it_gives_up_after_five_failures(
    history: OddsHistory, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = noted_sleeps(monkeypatch)
    history.refusals = [(429, b"", {})] * 9
    done = run(history, database)
    assert (done.exit_code, len(waited), len(history.queries)) == (1, 4, 5)
    assert "too many requests" in done.stderr


def noted_sleeps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waited: list[float] = []

    async def note(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(command, "SLEEP", note)
    return waited


def test_without_a_key_it_says_how_to_give_one(
    history: OddsHistory, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ODDSDESK_THE_ODDS_API_KEY")
    done = run(history, database)
    assert done.exit_code == 1
    assert "no key: set ODDSDESK_THE_ODDS_API_KEY, use --key-file" in done.stderr
    (tmp_path / "key").write_text(KEY)
    assert run(history, database, "--key-file", str(tmp_path / "key")).exit_code == 0


def test_older_prices_of_a_game_that_is_here_are_skipped_and_explained(
    history: OddsHistory, database: Path
) -> None:
    run(history, database, "--from", "2024-10-01T18:00:00Z")
    done = run(history, database)
    assert "prices older than those already stored were skipped" in done.stderr
    assert "older than the recorded price" in done.stdout


def test_shifted_odds_keep_their_database(history: OddsHistory, database: Path) -> None:
    store = open_store(database)
    store.agree_on_shift(DAY_MS, again=False).result()
    store.close()
    done = run(history, database)
    assert done.exit_code == 1
    assert "give --database with the name of a new one" in done.stderr
    assert history.queries == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--every", "1m"), "expected at least 5m"),
        (("--every", "often"), "expected at least 5m"),
        (("--markets", "btts"), "btts: the history of a whole competition has only h2h"),
        (("--markets", "h2h;"), "expected keys such as h2h,totals"),
        (("--sport", "../x"), "is not a sport key"),
        (("--url", "ftp://x"), "feed the-odds-api: url"),
        (("--to", "2024-09-30"), "--from must be earlier than --to"),
        (("--from", "some day"), "expected a date"),
    ],
)
def test_what_makes_no_sense_is_misuse(
    history: OddsHistory, database: Path, words: tuple[str, ...], message: str
) -> None:
    done = run(history, database, *words)
    assert (done.exit_code, history.queries) == (2, [])
    assert message in done.stderr


def test_the_future_has_no_snapshots(
    history: OddsHistory, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "system_clock", lambda: parse_ms("2024-10-01T12:00:01Z"))
    assert "3 snapshots of 10 credits" in run(history, database, days=9).stdout
