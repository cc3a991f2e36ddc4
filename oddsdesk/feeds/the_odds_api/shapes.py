"""The shapes of a v4 answer, and the refusal of everything else."""

from typing import Any, TypeVar

import msgspec

from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.parts import read_as, read_json

_EXPECTED = "expected a v4 odds answer of The Odds API: an array of events with bookmakers"
T = TypeVar("T")


class Outcome(msgspec.Struct, frozen=True):
    """One price, maybe none or none that makes sense; ``description`` is the player or team."""

    name: str
    price: float | str | None
    point: float | None = None
    description: str | None = None
    bet_limit: Any = None
    sid: Any = None
    link: Any = None


class Market(msgspec.Struct, frozen=True):
    """One market of a bookmaker, its outcomes not looked into yet."""

    key: str
    outcomes: list[Any]
    last_update: str | int | None = None
    link: Any = None


class Bookmaker(msgspec.Struct, frozen=True):
    """One bookmaker, its markets not looked into yet."""

    key: str
    title: str
    markets: list[Any]
    last_update: str | int | None = None
    link: Any = None


class Event(msgspec.Struct, frozen=True):
    """One game, its bookmakers not looked into yet."""

    sport_key: str
    commence_time: str | int
    home_team: str
    away_team: str
    bookmakers: list[Any]
    id: str | int | None = None


class Answer(msgspec.Struct, frozen=True):
    """A decoded answer; ``timestamp`` in milliseconds where it comes from the history."""

    events: list[Any]
    timestamp: int | None = None


def read_answer(data: bytes) -> Answer:
    """Read the bytes of an answer: events, one event, or history's ``{timestamp, data}``.

    Raises:
        FeedError: it is no JSON, or JSON of another shape; says which.
    """
    return _answer(read_json(data, _EXPECTED))


def moment(value: str | int) -> int:
    """Return a time of an answer, ISO-8601 or Unix seconds, in milliseconds.

    Raises:
        FeedError: it is no time.
    """
    if isinstance(value, int):
        return value * 1000
    try:
        return parse_ms(value)
    except ValueError as error:
        raise FeedError(str(error)) from error


def _answer(raw: Any) -> Answer:
    if isinstance(raw, dict) and "timestamp" in raw and isinstance(raw.get("data"), list | dict):
        return Answer(_answer(raw["data"]).events, moment(read_as(str, raw["timestamp"])))
    if isinstance(raw, dict) and "bookmakers" in raw:
        return Answer([raw])
    if isinstance(raw, list):
        for event in raw:
            _refuse_old_shape(event)
        if not raw or any(isinstance(event, dict) and "bookmakers" in event for event in raw):
            return Answer(raw)
    raise FeedError(_refusal(raw))


def _refuse_old_shape(event: Any) -> None:
    if isinstance(event, dict) and "sites" in event:
        raise FeedError(f"{_EXPECTED}, but these are the sites of the dead v3 answer")


def _refusal(raw: Any) -> str:
    if isinstance(raw, list):
        return f"{_EXPECTED}, but {_named(raw)}"
    if not isinstance(raw, dict):
        return f"{_EXPECTED}, but this holds none"
    for event in raw["data"] if isinstance(raw.get("data"), list) else []:
        _refuse_old_shape(event)
    if "props" in raw:
        return f"{_EXPECTED}, but this is a flat list of player props made from one"
    if isinstance(raw.get("message"), str):
        return f"{_EXPECTED}, but the service answered an error: {raw['message']}"
    fields = ", ".join(list(raw)[:5]) or "nothing"
    return f"{_EXPECTED}, but this is one object with {fields}"


def _named(raw: list[Any]) -> str:
    """Say what the objects of an array are that have no bookmakers."""
    fields = {field for item in raw if isinstance(item, dict) for field in item}
    if "scores" in fields:
        return "these are scores, which hold no odds"
    if {"scraped_date", "match_link"} <= fields:
        return "this is OddsHarvester's JSON, which `oddsdesk import oddsharvester` reads"
    if {"commence_time", "home_team"} <= fields:
        return "these are events without odds"
    return "this holds none"
