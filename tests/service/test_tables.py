"""Lists as CSV (D113): what JSON says, a row a price, safe in a spreadsheet."""

import csv
import gzip
import io
import json
import urllib.request
from pathlib import Path
from random import Random
from typing import Any, Final, get_args

import duckdb
import httpx
import msgspec
import pandas
import pytest

from oddsdesk.base.text import as_written
from oddsdesk.client import to_dicts
from oddsdesk.contract import resources
from oddsdesk.contract.access import Plan
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.results import GameResult, ResultRow
from oddsdesk.contract.times import format_ms
from oddsdesk.server.rest import prefers_table
from oddsdesk.store.values import FoundValueBet, MarketKey
from tests.kit.running_service import HOUR_MS, NOW

GAME: Final = game_id("EPL", "Arsenal - Chelsea")
PLAIN = "'"
ODD: Final = '=HYPERLINK("http://example.org";"a, b")'
"""A bookmaker that no spreadsheet may follow."""
BOUGHT: Final = {"Arsenal": {"back": [[2.1, 4.5]], "lay": [[2.2, 7.0]], "currency": "GBP"}}
ANSWERS: Final[dict[str, Any]] = {
    "/api/sports": list[resources.Sport],
    "/api/bookmakers": list[resources.Bookmaker],
    "/api/events": list[resources.Event],
    "/api/events/Arsenal%20-%20Chelsea": resources.EventDetail,
    "/api/odds": list[resources.OddsRow],
    "/api/odds/live": list[resources.OddsRow],
    "/api/odds/Betfair": list[resources.OddsRow],
    "/api/games": list[resources.Game],
    f"/api/games/{GAME}": resources.GameMatrix,
    f"/api/games/{GAME}/history": list[resources.PriceChange],
    "/api/history": list[resources.HistoryRow],
    "/api/value-bets": list[resources.ValueBet],
    "/api/results": list[ResultRow],
}


@pytest.fixture
def filled(service: Any) -> Any:
    """Odds before and in play, the sharp book's, levels, a bet, a result, and odd texts."""
    service.quote(offers=msgspec.convert(BOUGHT, dict[str, resources.Offer]))
    service.quote(bookmaker="Pinnacle", odds={"Arsenal": 2.0, "Draw": 3.3}, liquidity=500.0)
    service.quote(
        bookmaker=ODD,
        match_name="-1 Straße - @Ö",
        competition="+XYZ",
        match_date=None,
        odds={"-1 Straße": 1.5, "Draw": 4, "@Ö": 7.25},
        url='https://a.example/"x",1',
    )
    service.quote(match_name="Leeds - Everton", odds={"Leeds": 2.5, "Everton": 3.0}, is_live=True)
    service.now += 1000
    service.quote(odds={"Arsenal": 2.25, "Chelsea": 3.6})
    total = {"Over 2.5": 2.05, "Under 2.5": 1.88}
    for bookmaker in ("Pinnacle", "Betfair"):
        service.quote(bookmaker=bookmaker, market_type="total", odds=total)
    bet = FoundValueBet("Betfair", "Over 2.5", 2.05, total, 2.05, 1.99, 3.0, 1.02)
    service.store.replace_value_bets({MarketKey(1, "total", 0): [bet]}, service.now).result(10)
    result = GameResult(
        competition="EPL", match_name="Arsenal - Chelsea", kick_off=service.now - HOUR_MS,
        source="scores", home=2, away=1,
    )  # fmt: skip
    service.store.record_results([result]).result(10)
    return service


def table(answer: httpx.Response) -> tuple[list[str], list[list[str]]]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8; header=present"
    text = answer.content.decode()
    assert text.endswith("\r\n")
    header, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    assert all(len(row) == len(header) for row in rows)
    return header, rows


def dicts_of(data: Any, kind: Any) -> list[dict[str, Any]]:
    """What the client makes of the JSON."""
    items = msgspec.convert(data, kind)
    made = to_dicts(items if isinstance(items, list) else [items])
    return msgspec.to_builtins(made)


def read_cell(cell: str, value: Any) -> Any:
    """A cell as a reader that knows the type of the value takes it."""
    if isinstance(value, str):
        return as_written(cell)
    return None if cell == "" else json.loads(cell)


@pytest.mark.parametrize("path", ANSWERS)
def test_a_table_has_what_json_has(filled: Any, path: str) -> None:
    """D113: each list, and an event and a game, as ``to_dicts`` flattens them."""
    key = filled.key()
    said = filled.get(path, key).json()
    expected = dicts_of(said["data"], ANSWERS[path])
    answer = filled.get(path, key, format="csv")
    header, rows = table(answer)
    assert expected
    assert len(rows) == len(expected)
    for row, values in zip(rows, expected, strict=True):
        cells = dict(zip(header, row, strict=True))
        assert set(values) <= set(header)
        assert [name for name in header if name in values] == list(values)
        for name, cell in cells.items():
            assert read_cell(cell, values.get(name)) == values.get(name), name
    assert answer.headers.get("x-count") == (
        str(said["meta"]["count"]) if "count" in said["meta"] else None
    )


@pytest.mark.parametrize("path", [path for path, kind in ANSWERS.items() if get_args(kind)])
def test_an_empty_table_has_the_same_header(service: Any, filled: Any, path: str) -> None:
    key = filled.key()
    header, _ = table(filled.get(path, key, format="csv"))
    filters = {"/api/sports": {}, "/api/bookmakers": {}, f"/api/games/{GAME}/history": {}}
    asked = filters.get(path, {"competition": "nothing"})
    if not asked:
        service.now += 24 * HOUR_MS
        asked = {"since": format_ms(service.now)} if path.endswith("history") else {}
    empty, rows = table(filled.get(path, key, format="csv", **asked))
    assert (empty, rows) == (header, [])


def test_a_table_of_odds_has_all_that_json_has_of_an_offer(service: Any) -> None:
    """D113: the book of an exchange, and the data of a bookmaker's bet slip, by selection."""
    slip = {"sid": "s1", "bet_limit": 250.0, "link": "https://example.org/slip?a=1,2"}
    offers = {**BOUGHT, "Draw": slip}
    service.quote(offers=msgspec.convert(offers, dict[str, resources.Offer]))
    key = service.key()
    [row] = service.data("/api/odds", key)
    header, rows = table(service.get("/api/odds", key, format="csv"))
    assert row["offers"] == offers
    for cells in (dict(zip(header, row, strict=True)) for row in rows):
        given = offers.get(cells["selection"], {})
        for name in resources.Offer.__struct_fields__:
            assert read_cell(cells[name], given.get(name)) == given.get(name), name


def test_texts_are_no_formulas_and_numbers_are_numbers(filled: Any) -> None:
    """D113: pitfalls of CSV in spreadsheets."""
    header, rows = table(filled.get("/api/odds", filled.key(), format="csv", competition="+XYZ"))
    by_column = [dict(zip(header, row, strict=True)) for row in rows]
    assert [row["selection"] for row in by_column] == [f"{PLAIN}-1 Straße", "Draw", f"{PLAIN}@Ö"]
    assert {row["bookmaker"] for row in by_column} == {PLAIN + ODD}
    assert {row["competition"] for row in by_column} == {f"{PLAIN}+XYZ"}
    assert [float(row["odds"]) for row in by_column] == [1.5, 4.0, 7.25]
    for cell in (cell for row in rows for cell in row):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))


def test_a_negative_number_has_no_apostrophe(service: Any) -> None:
    """D113: only texts are escaped; a score below zero is possible in a table of results."""
    result = GameResult(
        competition="EPL", match_name="A - B", kick_off=NOW, source="x", home=-3, away=1
    )
    service.store.record_results([result]).result(10)
    header, [row] = table(service.get("/api/results", service.key(), format="csv"))
    assert row[header.index("home")] == "-3"


def test_pages_of_a_table_are_one_list(filled: Any) -> None:
    """D14: the cursor is in a header."""
    key, found, asked = filled.key(), [], {"limit": 1, "format": "csv"}
    _, whole = table(filled.get("/api/odds", key, format="csv"))
    while True:
        answer = filled.get("/api/odds", key, **asked)
        found += table(answer)[1]
        if "x-next-cursor" not in answer.headers:
            break
        asked["cursor"] = answer.headers["x-next-cursor"]
    assert found == whole


ACCEPTS: Final = {
    "text/csv": True,
    "text/csv, */*": True,
    "TEXT/CSV;Q=0.9, application/json;q=0.8": True,
    "text/*;q=0.5, application/json;q=0.4": True,
    "application/json;q=0, */*": True,
    "text/csv; header=present": True,
    "text/csv, application/json": False,
    "text/csv;q=0.5, application/json": False,
    "text/csv;q=0.5, */*": False,
    "text/csv;q=0": False,
    "text/csv;q=7": False,
    "text/csv;q=": False,
    "application/json, text/plain, */*": False,
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": False,
    "*/*": False,
    "": False,
}


@pytest.mark.parametrize(("accept", "is_table"), ACCEPTS.items())
def test_accept_chooses_by_weight(accept: str, is_table: bool) -> None:
    """D113; RFC 9110, 12.5.1."""
    assert prefers_table([(b"accept", accept.encode())]) is is_table


def test_format_wins_over_accept(filled: Any) -> None:
    key = filled.key()
    kinds = [
        filled.http.get(
            "/api/odds", params=asked, headers={"X-Api-Key": key, "Accept": accept}
        ).headers["content-type"]
        for asked, accept in (
            ({}, "text/csv"),
            ({"format": "json"}, "text/csv"),
            ({"format": "csv"}, "application/json"),
        )
    ]
    csv_type = "text/csv; charset=utf-8; header=present"
    assert kinds == [csv_type, "application/json", csv_type]


def test_any_accept_is_answered(module_service: Any) -> None:
    """D113: a header that nobody understands is as none."""
    key, chance = module_service.key(), Random(20261120)
    pieces = ["text/csv", "application/json", "*/*", "text/*", ";q=", "0.5", "q", ",", ";", " ",
              "=", '"', "1", "é", "\t", "nan", "-1", "x" * 50]  # fmt: skip
    for _ in range(300):
        text = "".join(chance.choice(pieces) for _ in range(chance.randrange(12))).strip()
        headers = {
            "X-Api-Key": key,
            "Accept": text.encode("latin-1"),
            "If-None-Match": text.encode(),
        }
        answer = module_service.http.get("/api/odds", headers=headers)
        assert answer.status_code == 200, text
        assert answer.headers["content-type"].partition(";")[0] in ("text/csv", "application/json")


def test_errors_stay_json_and_rights_hold(filled: Any) -> None:
    """D113: errors, plans and quotas as for JSON."""
    free = filled.key(Plan.FREE, "Betfair")
    for path, key, asked, status in (
        ("/api/odds", "unknown", {}, 401),
        ("/api/odds", free, {"limit": 0}, 400),
        ("/api/odds", free, {"bookmaker": "Pinnacle"}, 403),
        ("/api/value-bets", free, {}, 403),
        ("/api/games/none", free, {}, 404),
    ):
        answer = filled.get(path, key, format="csv", **asked)
        assert (answer.status_code, set(answer.json())) == (status, {"error"})
    refused = filled.get("/api/odds", free, format="xlsx").json()["error"]["message"]
    assert refused == "format: expected json or csv, got 'xlsx'"
    before = int(filled.get("/api/odds", free).headers["x-ratelimit-remaining"])
    answer = filled.get("/api/odds", free, format="csv")
    assert int(answer.headers["x-ratelimit-remaining"]) == before - 1
    header, rows = table(answer)
    assert {row[header.index("bookmaker")] for row in rows} == {"Betfair"}


def test_a_table_is_packed_where_that_is_accepted(filled: Any) -> None:
    key = filled.key()
    headers = {"X-Api-Key": key, "Accept": "text/csv"}
    bodies = []
    for coding in ("gzip", "identity", "gzip;q=0"):
        request = filled.http.build_request(
            "GET", "/api/odds", headers=headers | {"Accept-Encoding": coding}
        )
        answer = filled.http.send(request, stream=True)
        body = b"".join(answer.iter_raw())
        assert ("content-encoding" in answer.headers) == (coding == "gzip")
        bodies.append(gzip.decompress(body) if coding == "gzip" else body)
    assert bodies[0] == bodies[1] == bodies[2]


def test_a_table_says_whether_prices_are_simulated(service: Any) -> None:
    key = service.key()
    service.quote()
    assert service.get("/api/odds", key, format="csv").headers["x-simulated"] == "false"
    moves = service.get("/api/history", key, format="csv")
    assert (moves.headers["x-simulated"], moves.headers["x-silences"]) == ("false", "0")
    past = service.get("/api/games", key, format="csv", as_of=format_ms(service.now))
    assert [past.headers[name] for name in ("x-simulated", "x-mixed", "x-shifted")] == ["false"] * 3


def test_scripts_read_a_table(filled: Any, tmp_path: Path) -> None:
    """D113: pandas with the key in a header, DuckDB from a file."""
    key, url = filled.key(), f"{filled.url}/api/odds?format=csv"
    rows = filled.data("/api/odds", key)
    prices = [odds for row in rows for odds in row["odds"].values()]
    frame = pandas.read_csv(url, storage_options={"X-Api-Key": key})
    assert frame["odds"].tolist() == prices
    assert frame["is_live"].dtype == bool
    request = urllib.request.Request(url, headers={"X-Api-Key": key})
    file = tmp_path / "odds.csv"
    with urllib.request.urlopen(request) as answer:
        file.write_bytes(answer.read())
    with duckdb.connect() as connection:
        found = connection.sql(f"FROM read_csv('{file}')")
        types = dict(zip(found.columns, map(str, found.types), strict=True))
        assert [odds for (odds,) in found.project("odds").fetchall()] == prices
    assert (types["odds"], types["is_live"], types["scraped_at"]) == (
        *("DOUBLE", "BOOLEAN"),
        "TIMESTAMP WITH TIME ZONE",
    )
