"""Tables that programs make of The Odds API's answers: events as the service sends them again.

pandas writes two: ``DataFrame(events)`` has a column ``bookmakers`` with lists as Python writes
them, ``json_normalize`` a row for each price. R's oddsapiR writes the second with other titles.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from oddsdesk.base.spreadsheets import SheetError, read_csv
from oddsdesk.base.texts import N_
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.notation import python_value

_EXPECTED: Final = N_("expected a table of The Odds API's prices")
_TITLES: Final = MappingProxyType(
    {
        "outcomes_name": "name",
        "outcomes_price": "price",
        "outcomes_point": "point",
        "outcomes_description": "description",
        "bookmakers_key": "bookmaker_key",
        "bookmakers_title": "bookmaker_title",
        "bookmaker": "bookmaker_title",
        "bookmakers_last_update": "bookmaker_last_update",
        "bookmakers_markets_key": "market_key",
        "markets_key": "market_key",
        "bookmakers_markets_last_update": "market_last_update",
        "markets_last_update": "market_last_update",
    }
)
"""Our titles by those of programs, with ``_`` for the dots of pandas."""
_OF_GAME: Final = ("id", "sport_key", "commence_time", "home_team", "away_team")
_NEEDED: Final = frozenset({"sport_key", "commence_time", "home_team", "away_team"})
_OF_PRICE: Final = frozenset({"name", "price", "market_key"})
_TIMES: Final = frozenset({"bookmaker_last_update", "market_last_update"})
_Cells = Mapping[str, str]


def read_events(data: bytes) -> list[Any]:
    """Return the events of a table, not looked into yet.

    Raises:
        FeedError: it is no such table; says what it lacks.
    """
    try:
        titles, rows = read_csv(data)
        known = {title: _title(title) for title in titles}
        _check(set(known.values()))
        cells = [{known[name]: text for name, text in row.cells.items() if text} for row in rows]
    except SheetError as error:
        raise FeedError(f"{_EXPECTED}, but this {error}") from error
    if "bookmakers" in known.values():
        return [
            dict(row) | {"bookmakers": python_value(row.get("bookmakers", ""))} for row in cells
        ]
    return _grouped(cells)


def _title(title: str) -> str:
    plain = title.strip().casefold().replace(".", "_")
    return _TITLES.get(plain, plain)


def _check(titles: set[str]) -> None:
    lacking = sorted(_NEEDED - titles)
    if "bookmakers" not in titles:
        lacking += sorted(_OF_PRICE - titles)
        if not titles & {"bookmaker_key", "bookmaker_title"}:
            lacking.append("bookmaker_key")
        if not titles & _TIMES:
            lacking.append("bookmaker_last_update")
    if lacking:
        raise FeedError(f"{_EXPECTED}, but this lacks {', '.join(lacking)}")


def _grouped(rows: list[dict[str, str]]) -> list[Any]:
    """Return the events of rows with a price each.

    A bookmaker's prices at one moment stay together, so that lay odds match back odds.
    """
    events: dict[tuple[str, ...], dict[str, Any]] = {}
    markets: dict[tuple[str, ...], list[Any]] = {}
    bookmakers: dict[tuple[str, ...], list[Any]] = {}
    for row in rows:
        game = tuple(row.get(name, "") for name in _OF_GAME)
        event = events.setdefault(game, {**_event(row), "bookmakers": []})
        key = row.get("bookmaker_key") or row.get("bookmaker_title", "")
        seen = tuple(row.get(name, "") for name in ("bookmaker_last_update", "market_last_update"))
        place = (*game, key, row.get("market_key", ""), *seen)
        if place not in markets:
            moment = (*game, key, *seen)
            if moment not in bookmakers:
                bookmakers[moment] = list[Any]()
                event["bookmakers"].append(_bookmaker(row, key, bookmakers[moment]))
            outcomes = markets[place] = list[Any]()
            bookmakers[moment].append(_market(row, outcomes))
        markets[place].append(
            {
                "name": row.get("name", ""),
                "price": _number(row.get("price", "")),
                "point": _number(row["point"]) if "point" in row else None,
                "description": row.get("description"),
            }
        )
    return list(events.values())


def _event(row: _Cells) -> dict[str, Any]:
    event: dict[str, Any] = {name: row[name] for name in _OF_GAME if name in row}
    if row.get("commence_time", "").isdigit():
        event["commence_time"] = int(row["commence_time"])
    return event


def _bookmaker(row: _Cells, key: str, markets: list[Any]) -> dict[str, Any]:
    return {
        "key": key,
        "title": row.get("bookmaker_title") or key,
        "last_update": row.get("bookmaker_last_update"),
        "markets": markets,
    }


def _market(row: _Cells, outcomes: list[Any]) -> dict[str, Any]:
    return {
        "key": row.get("market_key", ""),
        "last_update": row.get("market_last_update"),
        "outcomes": outcomes,
    }


def _number(text: str) -> float | str | None:
    """Return a number; any other text as it is."""
    try:
        number = float(text) if text else None
    except ValueError:
        return text
    return number if number is None or math.isfinite(number) else text
