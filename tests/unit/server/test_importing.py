"""Importing into the served database: one offset for all files (D72)."""

import json
from pathlib import Path

import pytest

from oddsdesk.contract.times import parse_ms
from oddsdesk.server.importing import import_files
from oddsdesk.store.store import open_store

NOW = parse_ms("2026-04-12T12:00:00Z")
COLUMNS = "Div,Date,Time,HomeTeam,AwayTeam"
HEADER = f"{COLUMNS},B365CH,B365CD,B365CA\n"


def season(path: Path, day: str) -> str:
    path.write_text(f"{HEADER}E0,{day},17:30,Leeds,Hull,2.0,3.5,3.8\n")
    return str(path)


def test_odds_that_are_read_as_american_are_noted(tmp_path: Path) -> None:
    file = tmp_path / "odds.json"
    kick_off, price = {"starts": "2026-04-13T12:00:00Z"}, {"moneyline": {"home": -110, "away": 120}}
    league = {"name": "L", "events": [{"id": 1, "home": "Leeds", "away": "Hull"} | kick_off]}
    fixtures = tmp_path / "fixtures.json"
    fixtures.write_text(json.dumps({"sportId": 29, "league": [league]}))
    events = [{"id": 1, "periods": [{"number": 0} | price]}]
    file.write_text(json.dumps({"sportId": 29, "last": NOW, "leagues": [{"events": events}]}))
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    places = [str(file), str(fixtures)]
    outcome = import_files(store, lambda: NOW, "pinnacle", places, shift_to_now=False)
    store.close()
    assert outcome.kept == 2
    [note] = outcome.notes
    assert note.startswith("odds are read as American")


def test_what_an_older_file_adds_nothing_to_is_noted(tmp_path: Path) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    opening, closing = tmp_path / "opening.csv", tmp_path / "closing.csv"
    for path, closes in ((opening, ""), (closing, "C")):
        columns = ",".join(f"B365{closes}{outcome}" for outcome in "HDA")
        path.write_text(f"{COLUMNS},{columns}\nE0,16/08/2024,17:30,Leeds,Hull,2.0,3.5,3.8\n")
    outcomes = [
        import_files(store, lambda: NOW, "football-data", [str(path)], shift_to_now=False)
        for path in (closing, opening)
    ]
    store.close()
    assert [outcome.quotes for outcome in outcomes] == [1, 0]
    assert [outcome.notes for outcome in outcomes] == [
        [],
        [
            "quotes skipped, since newer ones of their markets are recorded: 1; history is not"
            " filled in later: to have it, record these in a new database, then what"
            " `oddsdesk export quotes` writes of this one"
        ],
    ]
    assert [outcome.kept for outcome in outcomes] == [3, 0]
    assert [outcome.skipped for outcome in outcomes] == [{}, {"older than what is recorded": 3}]


@pytest.mark.parametrize("shift_to_now", [True, False])
def test_the_database_knows_whether_times_were_moved(tmp_path: Path, shift_to_now: bool) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    places = [season(tmp_path / "season.csv", "16/08/2024")]
    import_files(store, lambda: NOW, "football-data", places, shift_to_now=shift_to_now)
    assert store.reader().is_shifted(NOW) is shift_to_now
    store.close()


def test_files_that_come_later_are_moved_as_the_first_were(tmp_path: Path) -> None:
    store = open_store(tmp_path / "odds.db", clock=lambda: NOW)
    first, earlier, later = (
        season(tmp_path / f"{day[:2]}.csv", day)
        for day in ("16/08/2024", "15/08/2024", "17/08/2024")
    )
    outcomes = [
        import_files(store, lambda: NOW, "football-data", [place], shift_to_now=True)
        for place in (first, earlier, later)
    ]
    query = "SELECT match_date FROM game ORDER BY match_date"
    dates = store.write(lambda c: c.execute(query).fetchall()).result(10)
    store.close()
    assert dates == [(NOW - 86_400_000,), (NOW,)]
    assert [outcome.quotes for outcome in outcomes] == [1, 1, 0]
    assert [outcome.is_past for outcome in outcomes] == [False, True, False]
    assert "of Leeds vs Hull; all times were moved" in outcomes[2].problems[0]
