"""`oddsdesk suppliers`: the evidence of a log, the votes that follow, and what the user says."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from oddsdesk.cli.main import main
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.own_tables import bookmakers_file
from oddsdesk.store.store import open_store

HOUR_MS = 60 * MINUTE_MS
KICK_OFF = 1_776_340_800_000
GAMES = 40
OTHERWISE = 6
"""In so many games the second brand has a price of its own."""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Forty games that three bookmakers priced an hour before, and two once more in play."""
    path = tmp_path / "season.db"
    store = open_store(path)
    for number in range(GAMES):
        begins = KICK_OFF + number * 24 * HOUR_MS
        own = 0.05 if number < OTHERWISE else 0.0
        store.record(
            [
                quote("Brand", number, begins, 2.1),
                quote("Other brand", number, begins, 2.1 + own),
                quote("Nobody's", number, begins, 2.2),
            ]
        ).result()
        in_play = [("Brand", 2.6), ("Other brand", 2.9)]
        store.record(
            [quote(name, number, begins, odds, is_live=True) for name, odds in in_play]
        ).result()
    store.close()
    return path


def quote(bookmaker: str, number: int, begins: int, home: float, *, is_live: bool = False) -> Quote:
    return Quote(
        bookmaker=bookmaker,
        match_name=f"Home {number} vs Away {number}",
        competition="EPL",
        market_type="moneyline",
        period=0,
        is_live=is_live,
        odds={f"Home {number}": home, "Draw": 3.4, f"Away {number}": 3.6},
        match_date=begins,
        scraped_at=begins + (HOUR_MS // 2 if is_live else -HOUR_MS),
    )


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["suppliers", *(str(each) for each in arguments)])


def told(log: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("--database", log, "--json").stdout)
    return found


def test_pairs_and_the_votes_that_follow_are_told(log: Path) -> None:
    (pair,) = told(log)["pairs"]
    assert pair == {
        "bookmakers": ["Brand", "Other brand"],
        "lines": GAMES,
        "identical": GAMES - OTHERWISE,
        "identical_pct": 85.0,
        "first_identical_at": "2026-04-22T11:00:00.000Z",
        "last_identical_at": "2026-05-25T11:00:00.000Z",
        "one_supplier": True,
        "one_vote": True,
    }
    assert told(log)["shared_votes"] == [
        {"vote": "Brand / Other brand", "bookmakers": ["Brand", "Other brand"], "by": ["found"]}
    ]
    said = run("--database", log).stdout
    assert "Brand      Other brand     40     85.0 %  2026-04-22  2026-05-25  one vote" in said
    assert "one vote for Brand / Other brand: Brand, Other brand (found)" in said


def test_pairs_without_an_identical_line_are_left_out_as_the_help_says(log: Path) -> None:
    """The bookmaker "Nobody's" prices forty lines of Brand, none of them identically."""
    assert [pair["bookmakers"] for pair in told(log)["pairs"]] == [["Brand", "Other brand"]]
    assert "pairs with an identical line" in " ".join(run("--help").stdout.split())


def test_the_users_own_file_joins_and_sets_apart(log: Path) -> None:
    path = bookmakers_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("name,supplier\nBrand,Brand\nNobody's,Feed\nOther brand,Feed\n")
    found = told(log)
    assert [pair["one_vote"] for pair in found["pairs"]] == [False]
    assert found["shared_votes"] == [
        {"vote": "Feed", "bookmakers": ["Nobody's", "Other brand"], "by": ["supplier"]}
    ]


def test_an_empty_log_has_no_evidence_and_a_missing_one_is_one_line(tmp_path: Path) -> None:
    open_store(tmp_path / "empty.db").close()
    assert told(tmp_path / "empty.db") == {"pairs": [], "shared_votes": []}
    missing = run("--database", tmp_path / "missing.db")
    assert missing.exit_code == 1
    assert len(missing.stderr.strip().splitlines()) == 1
