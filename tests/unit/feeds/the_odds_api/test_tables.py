"""Tables that pandas and R make of an answer hold the same prices as the answer."""

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import Imported, SourceFile
from oddsdesk.feeds.the_odds_api import convert

EVENTS = [
    {
        "id": str(number),
        "sport_key": "basketball_nba",
        "sport_title": "NBA",
        "commence_time": "2026-04-18T11:30:00Z",
        "home_team": "Hawks",
        "away_team": f"Suns {number}",
        "bookmakers": [
            {
                "key": key,
                "title": key.title(),
                "last_update": "2026-04-16T19:00:00Z",
                "markets": [
                    {
                        "key": "h2h",
                        "last_update": "2026-04-16T18:59:00Z",
                        "outcomes": [
                            {"name": "Hawks", "price": 1.9},
                            {"name": f"Suns {number}", "price": 2.0},
                        ],
                    },
                    {
                        "key": "player_points",
                        "last_update": "2026-04-16T18:59:30Z",
                        "outcomes": [
                            {"name": side, "price": 1.91, "point": 24.5, "description": "Jokić"}
                            for side in ("Over", "Under")
                        ],
                    },
                ],
            }
            for key in ("pinnacle", "fanduel")
        ],
    }
    for number in (1, 2)
]
OF_GAME = ("id", "sport_key", "sport_title", "commence_time", "home_team", "away_team")
PANDAS = ("bookmakers.key", "bookmakers.title", "bookmakers.last_update")
PANDAS += ("bookmakers.markets.key", "bookmakers.markets.last_update")
R = ("bookmaker_key", "bookmaker", "bookmaker_last_update", "market_key", "market_last_update")


def rows(
    events: list[Any], titles: tuple[str, ...] = PANDAS, prefix: str = ""
) -> list[dict[str, Any]]:
    """Return a row for each price, as ``json_normalize`` does with ``record_path``."""
    return [
        {f"{prefix}{name}": value for name, value in outcome.items()}
        | {name: event[name] for name in OF_GAME if name in event}
        | dict(
            zip(
                titles,
                (
                    *(bookmaker.get(name) for name in ("key", "title", "last_update")),
                    *(market.get(name) for name in ("key", "last_update")),
                ),
                strict=True,
            )
        )
        for event in events
        for bookmaker in event["bookmakers"]
        for market in bookmaker["markets"]
        for outcome in market["outcomes"]
    ]


def table(rows: list[dict[str, Any]], delimiter: str = ",") -> bytes:
    stream = io.StringIO(newline="")
    titles = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(stream, ["", *titles], delimiter=delimiter)
    writer.writeheader()
    writer.writerows({"": number} | row for number, row in enumerate(rows))
    return stream.getvalue().encode()


def read(data: bytes) -> Imported:
    return convert(SourceFile("odds", data))


EXPECTED = read(json.dumps(EVENTS).encode())
"""What the answer itself says."""


@pytest.mark.parametrize(
    "data",
    [
        table(EVENTS),
        table(rows(EVENTS)),
        table(rows(EVENTS), ";"),
        table(rows(EVENTS, tuple(title.replace(".", "_") for title in PANDAS))),
        table(rows(EVENTS, R, "outcomes_")),
    ],
    ids=["DataFrame", "json_normalize", "semicolons", "sep=_", "R"],
)
def test_a_table_says_what_the_answer_says(data: bytes) -> None:
    found = read(data)
    assert (found.kept, found.skipped, found.problems) == (16, {}, [])
    assert found == EXPECTED


def test_a_price_that_is_none_costs_only_itself() -> None:
    given = rows(EVENTS[:1])
    given[0]["price"], given[1]["price"] = "NaN", ""
    found = read(table(given))
    assert (found.kept, found.skipped, found.problems) == (6, {"not a number": 1}, [])


def test_american_and_unix_times_are_read() -> None:
    given = [row | {"price": -110, "commence_time": 1776511800} for row in rows(EVENTS)]
    found = read(table(given))
    assert found.american == ["odds"]
    assert (found.quotes[0].odds["Hawks"], found.quotes[0].match_date) == (1.9091, 1776511800000)


@pytest.mark.parametrize(
    ("lacking", "message"),
    [
        (("sport_key",), "lacks sport_key"),
        (("name", "price"), "lacks name, price"),
        (PANDAS[:2], "lacks bookmaker_key"),
        ((PANDAS[2], PANDAS[4]), "lacks bookmaker_last_update"),
    ],
)
def test_a_table_that_lacks_a_column_is_refused_by_its_name(
    lacking: tuple[str, ...], message: str
) -> None:
    left = [{name: row[name] for name in row if name not in lacking} for row in rows(EVENTS)]
    with pytest.raises(FeedError, match=message):
        read(table(left))


def test_a_damaged_list_costs_only_its_game() -> None:
    given = [EVENTS[0], EVENTS[1] | {"bookmakers": "[{'key': 'pinn"}]
    found = read(table(given))
    assert (found.kept, len(found.problems)) == (8, 1)


def test_tables_of_the_real_snapshot_say_the_same(shared_data: Path) -> None:
    for path in sorted((shared_data / "the-odds-api").glob("*.json.gz")):
        answer = gzip.decompress(path.read_bytes())
        expected, events = read(answer), json.loads(answer)
        for data in (table(events), table(rows(events))):
            found = read(data)
            assert found.kept == expected.kept > 0
            assert (found.skipped, found.problems) == (expected.skipped, expected.problems)
            assert sorted(found.quotes, key=repr) == sorted(expected.quotes, key=repr)
