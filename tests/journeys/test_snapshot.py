"""A real moment of the market, from files to value bets, through the real programs."""

import os
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest

from tests.kit.program import Launch
from tests.snapshot_count import count_value_bets

PRICES = 38_278
GAMES = 202
VALUED_LIMIT_S = 120


@pytest.fixture
def files(shared_data: Path) -> list[Path]:
    return sorted((shared_data / "the-odds-api").glob("*.json.gz"))


@pytest.mark.slow
def test_every_price_is_kept_or_counted_and_the_value_bets_are_those_of_the_files(
    launch: Launch, files: list[Path], tmp_path: Path
):
    database = str(tmp_path / "odds.db")
    worked = os.times()
    arguments = ["import", "the-odds-api", *map(str, files), "--shift-to-now"]
    importing = launch(*arguments, "--database", database)
    out, err = importing.process.communicate(timeout=60)
    assert importing.process.returncode == 0, err
    done = os.times()
    took = done.children_user + done.children_system - worked.children_user
    assert took - worked.children_system < 10  # of the processor: others may be at work, too

    kept, skipped, reasons = _counts(out)
    assert kept + skipped == PRICES
    assert sum(reasons.values()) == skipped
    assert reasons == {"not offered": 1}, "lay odds are kept with the odds to back"

    counted = Counter(
        (bet.match_name, bet.market_type, bet.selection, bet.odds, round(bet.ev_pct, 2))
        for bet in count_value_bets(files)
    )
    with _client(launch, database) as client:
        assert len(client.get("/api/games", params={"limit": 500}).json()["data"]) == GAMES
        ends = time.monotonic() + VALUED_LIMIT_S
        listed = _value_bets(client)
        while listed.total() < counted.total() and time.monotonic() < ends:
            listed = _value_bets(client)  # the server values the whole database at its start
    assert counted.total() == 77  # without the three of hockey that D49 ends
    assert listed == counted


def _counts(out: str) -> tuple[int, int, Counter[str]]:
    """Read ``prices 38278, kept 38275, skipped 3: not offered 1, other reason 2``."""
    line = next(line for line in out.splitlines() if line.startswith("prices "))
    totals, _, listed = line.partition(": ")
    words = totals.replace(",", "").split()
    assert words[0::2] == ["prices", "kept", "skipped"]
    prices, kept, skipped = map(int, words[1::2])
    assert prices == kept + skipped
    reasons = Counter[str]()
    for reason in listed.split(", "):
        name, _, number = reason.rpartition(" ")
        reasons[name] += int(number)
    return kept, skipped, reasons


def _client(launch: Launch, database: str) -> httpx.Client:
    creating = launch("keys", "create", "--plan", "Pro+ Live", "--database", database)
    key = creating.process.communicate(timeout=30)[0].strip()
    serving = launch("serve", "--port", "0", "--database", database)
    url = serving.first_line().removeprefix("listening on ")
    return httpx.Client(base_url=url, headers={"X-Api-Key": key}, timeout=30)


def _value_bets(client: httpx.Client) -> Counter[tuple[str, str, str, float, float]]:
    """Count what is listed; the second game of a pair loses its date (D31), as in the files."""
    answer = client.get("/api/value-bets", params={"limit": 500})
    return Counter(
        (
            bet["match_name"].removesuffix(" (2026-04-17)"),
            bet["market_type"],
            bet["selection"],
            bet["odds"],
            bet["ev_pct"],
        )
        for bet in answer.json()["data"]
    )
