"""At the desk: find a game's best price, open it at the bookmaker, understand a value bet."""

import csv
import os
import select
from pathlib import Path

import pytest

from tests.kit.desk_window import LIMIT_S
from tests.kit.ndjson import quote
from tests.kit.program import Launch

EVERTON = {
    "Harbour": {"Everton": 3.1, "Draw": 3.4, "Liverpool": 2.3},
    "Meridian": {"Everton": 3.2, "Draw": 3.3, "Liverpool": 2.4},
    "Northgate": {"Everton": 3.05, "Draw": 3.6, "Liverpool": 2.35},
}
HAMMARBY = {"match_name": "Hammarby vs Kalmar", "competition": "Allsvenskan"}
ALBA = {"match_name": "Alba vs Bremen", "competition": "BBL"}


def _ingest(launch: Launch, folder: Path, *quotes: str) -> str:
    file, database = folder / "quotes.ndjson", str(folder / "odds.db")
    file.write_text("".join(quotes))
    ingesting = launch("ingest", str(file), "--database", database)
    assert ingesting.process.communicate(timeout=30)[1] == ""
    return database


def _best(table: str, game: str) -> dict[str, str]:
    """Who offers the best price of each selection of a game, by what the grid copies."""
    rows = csv.DictReader(table.splitlines(), delimiter="\t")
    return {
        row["Selection"]: row["Bookmaker"]
        for row in rows
        if row.get("Game") == game and row["Odds"] == row["Best"]
    }


@pytest.fixture
def two_games(launch: Launch, tmp_path: Path) -> str:
    """A database whose other game has more bookmakers and so is the one opened first."""
    everton = [
        quote(odds, bookmaker=name, url=f"https://{name.lower()}.example/everton")
        for name, odds in EVERTON.items()
    ]
    names = [*EVERTON, "Southquay"]
    others = [quote({"Hammarby": 2.1, "Kalmar": 3.4}, bookmaker=n, **HAMMARBY) for n in names]
    return _ingest(launch, tmp_path, *everton, *others)


def test_the_best_price_of_a_game_is_found_and_opened_at_its_bookmaker(
    open_desk, two_games: str, tmp_path: Path
):
    browser, visited = tmp_path / "xdg-open", tmp_path / "visited"
    os.mkfifo(visited)
    browser.write_text(f'#!/bin/sh\necho "$1" > "{visited}"\n')
    browser.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    desk = open_desk("--local", "--database", two_games, PATH=path)
    desk.wait_for_title("^Hammarby v Kalmar – oddsdesk$")
    desk.go_to("everton")
    desk.wait_for_title("^Everton v Liverpool – oddsdesk$")

    desk.press("ctrl+g")
    # the grid fills: what is copied at first may hold the other game alone
    best = {"Everton": "Meridian", "Draw": "Northgate", "Liverpool": "Meridian"}
    desk.copied_by("ctrl+c", lambda text: _best(text, "Everton vs Liverpool") == best)

    said = desk.explained("everton", "Down", "End", "Left", part="Everton at Meridian, 3.2")
    assert said.startswith("Everton at Meridian, 3.2\n")
    reading = os.open(visited, os.O_RDONLY | os.O_NONBLOCK)
    desk.go_to("everton")
    desk.press("Return")
    assert select.select([reading], [], [], LIMIT_S)[0]
    assert os.read(reading, 1000) == b"https://meridian.example/everton\n"
    os.close(reading)


@pytest.mark.slow
def test_bookmakers_columns_are_arranged_and_a_game_taken_out_by_keys(
    open_desk, launch: Launch, tmp_path: Path
):
    quotes = [quote(odds, bookmaker=name) for name, odds in EVERTON.items()]
    desk = open_desk("--local", "--database", _ingest(launch, tmp_path, *quotes))
    desk.wait_for_title("^Everton v Liverpool – oddsdesk$")

    def last_bookmaker(name: str) -> None:
        desk.explained("everton", "Down", "End", part=f"Everton at {name},")

    last_bookmaker("Northgate")
    desk.go_to("everton")
    desk.press("c")
    desk.wait_for_title("^Columns")  # or what is typed would go to the matrix
    desk.write("north")
    desk.press("Down", "space", "Escape")
    desk.wait_until_gone("^Columns")
    last_bookmaker("Meridian")
    desk.go_to("everton")
    desk.press("f")
    last_bookmaker("Harbour")

    desk.go_to("everton")
    desk.press("ctrl+shift+d")
    main = desk.wait_for_title("^Odds grid – oddsdesk$")
    desk.enter("^Everton v Liverpool – oddsdesk$")
    desk.press("ctrl+shift+d")
    desk.focus(main)
    desk.press("Left")
    desk.explanation("Everton at Meridian,")
    desk.press("ctrl+q")
    _, err = desk.program.process.communicate(timeout=60)
    assert desk.program.process.returncode == 0
    assert "ERROR" not in err


def test_a_value_bet_is_explained_with_its_window(open_desk, launch: Launch, tmp_path: Path):
    reference = quote({"Alba": 2.05, "Bremen": 1.88}, bookmaker="Pinnacle", **ALBA)
    harbour = quote({"Alba": 2.15, "Bremen": 1.8}, bookmaker="Harbour", **ALBA)
    database = _ingest(launch, tmp_path, reference, harbour)
    desk = open_desk("--local", "--database", database, "--reference", "Pinnacle")
    said = desk.explained("alba", "Down", "End", part="Alba at Harbour, 2.15")
    assert "EV +2.76 % (Pinnacle, margin proportional)" in said
    assert "Pinnacle: Alba 2.05, Bremen 1.88" in said
    assert "Value from 2.135, suspicious above 2.183" in said
