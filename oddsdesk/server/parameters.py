"""Query parameters: what each may hold, and reading them from a query string (D10, D38)."""

import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from oddsdesk.contract.competitions import SPORTS
from oddsdesk.contract.markets import MARKET_RANK, MARKET_TYPES
from oddsdesk.contract.times import parse_ms

MAX_FIELDS = 200
_SHOWN = 60
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?", re.ASCII)
_UUID = re.compile(r"[0-9a-fA-F]{8}(-?)(?:[0-9a-fA-F]{4}\1){3}[0-9a-fA-F]{12}", re.ASCII)
_MOMENT = "as_of"
_NOT_OF_A_MOMENT = (
    "this path knows the present only; leave it out here. /api/odds, /api/odds/{bookmaker},"
    " /api/games and /api/games/{game_id} answer as of a moment"
)
_SPORT_BY_LOWER = {sport.lower(): sport for sport in SPORTS}


class BadParameterError(ValueError):
    """A parameter that makes no sense; the message names it, its value and what is allowed."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name}: {problem}")


class Parameter(msgspec.Struct, frozen=True):
    """A query parameter: its default, and what it may hold.

    ``parse`` turns its text into its value and raises ``ValueError`` where it makes no sense.
    ``schema`` says the same as ``allowed`` in JSON Schema, for the API's documentation.
    """

    name: str
    default: Any
    allowed: str
    parse: Callable[[str], Any]
    schema: Mapping[str, Any]
    meaning: str


def text(name: str, meaning: str = "") -> Parameter:
    """Return a parameter that is matched as it stands; an unknown name matches nothing."""
    schema = {"type": "string", "minLength": 1}
    return Parameter(name, None, "a text that is not empty", str, schema, meaning)


def sport() -> Parameter:
    """Return the sport filter, in any case; an unknown one matches nothing."""
    schema = {"type": "string", "minLength": 1}
    meaning = "Sport, in any case."
    return Parameter("sport", None, "the name of a sport", _sport, schema, meaning)


def market_type() -> Parameter:
    """Return the filter by one of the contract's market types."""
    allowed = f"one of {', '.join(MARKET_TYPES)}"
    schema = {"type": "string", "enum": list(MARKET_TYPES)}
    return Parameter("market_type", None, allowed, _market_type, schema, "One market type.")


def boolean(name: str, meaning: str = "", *, only: bool | None = None) -> Parameter:
    """Return a parameter that is ``true`` or ``false`` (D38), or ``only`` one of them."""
    values = {"true": True, "false": False}
    taken = {word: value for word, value in values.items() if only in (None, value)}
    schema = {"type": "boolean"} if only is None else {"type": "boolean", "const": only}
    return Parameter(name, None, " or ".join(taken), partial(_one_of, taken), schema, meaning)


def integer(
    name: str,
    meaning: str = "",
    default: int | None = None,
    *,
    minimum: int = 0,
    maximum: int | None = None,
) -> Parameter:
    """Return a whole number in plain ASCII digits, bounds included."""
    bounds = f", {minimum} or more" if maximum is None else f" from {minimum} to {maximum}"
    parse = partial(_number, _INTEGER, int, minimum, maximum)
    schema = {"type": "integer", "minimum": minimum}
    if maximum is not None:
        schema["maximum"] = maximum
    return Parameter(name, default, f"a whole number{bounds}", parse, schema, meaning)


def number(name: str, meaning: str, default: float, *, minimum: float, maximum: float) -> Parameter:
    """Return a decimal number in plain ASCII digits, bounds included."""
    parse = partial(_number, _DECIMAL, float, minimum, maximum)
    allowed = f"a number from {minimum:g} to {maximum:g}"
    schema = {"type": "number", "minimum": minimum, "maximum": maximum}
    return Parameter(name, default, allowed, parse, schema, meaning)


def moment(name: str, meaning: str) -> Parameter:
    """Return a moment in ISO-8601 with an offset (D2), as milliseconds."""
    schema = {"type": "string", "format": "date-time"}
    allowed = "an ISO-8601 time with an offset such as 2026-11-20T18:30:00Z"
    return Parameter(name, None, allowed, parse_ms, schema, meaning)


def game_id() -> Parameter:
    """Return the filter by one game, in either case, with or without dashes (D38)."""
    schema = {"type": "string", "format": "uuid"}
    return Parameter("game_id", None, "a UUID", read_uuid, schema, "One game.")


def read_uuid(text: str) -> str:
    """Return a UUID as ``game_id`` writes it; ValueError if the text is none (D38)."""
    if not _UUID.fullmatch(text):
        raise ValueError("no UUID")
    return str(uuid.UUID(text))


def read_query(
    query: bytes, parameters: Sequence[Parameter], *, are_all: bool = True
) -> dict[str, Any]:
    """Return the value of every parameter; what the query names besides is ignored.

    But for ``as_of`` where these ``are_all``: what is offered now would be taken for what was then.

    Raises:
        BadParameterError: a value is empty, given twice, of the wrong type or out of range; or
            ``as_of`` is asked where nothing is answered as of a moment.
    """
    values = {parameter.name: parameter.default for parameter in parameters}
    if not query:
        return values
    given = _fields(query)
    if are_all and _MOMENT in given and _MOMENT not in values:
        raise BadParameterError(_MOMENT, _NOT_OF_A_MOMENT)
    for parameter in parameters:
        texts = given.get(parameter.name)
        if texts is not None:
            values[parameter.name] = _read(parameter, texts)
    return values


def _read(parameter: Parameter, texts: Sequence[str]) -> Any:
    if len(texts) > 1:
        raise BadParameterError(
            parameter.name, f"given {len(texts)} times, expected {parameter.allowed} once"
        )
    text = texts[0]
    if not text or _is_broken(text):
        raise BadParameterError(parameter.name, f"expected {parameter.allowed}, got {_shown(text)}")
    try:
        return parameter.parse(text)
    except ValueError as error:
        problem = f"expected {parameter.allowed}, got {_shown(text)}"
        raise BadParameterError(parameter.name, problem) from error


def _fields(query: bytes) -> Mapping[str, list[str]]:
    try:
        pairs = parse_qsl(
            query.decode("utf-8", "surrogateescape"),
            keep_blank_values=True,
            errors="surrogateescape",
            max_num_fields=MAX_FIELDS,
        )
    except ValueError as error:
        raise BadParameterError("query", f"expected at most {MAX_FIELDS} parameters") from error
    fields: dict[str, list[str]] = {}
    for name, text in pairs:
        fields.setdefault(name, []).append(text)
    return fields


def _is_broken(text: str) -> bool:
    """Whether the query was not UTF-8: its bytes were decoded as lone surrogates then."""
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def _shown(text: str) -> str:
    cut = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return ascii(cut) if _is_broken(cut) else repr(cut)


def _sport(text: str) -> str:
    return _SPORT_BY_LOWER.get(text.lower(), text)


def _market_type(text: str) -> str:
    if text not in MARKET_RANK:
        raise ValueError
    return text


def _one_of(values: Mapping[str, bool], text: str) -> bool:
    if text not in values:
        raise ValueError
    return values[text]


def _number(
    pattern: re.Pattern[str],
    kind: Callable[[str], float],
    minimum: float,
    maximum: float | None,
    text: str,
) -> float:
    if not pattern.fullmatch(text):
        raise ValueError
    value = kind(text)
    if value < minimum or (maximum is not None and value > maximum):
        raise ValueError
    return value
