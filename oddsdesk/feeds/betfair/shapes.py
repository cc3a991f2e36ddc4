"""The shapes of Betfair's stream and answers, read field by field."""

from typing import Any, Final, TypeVar

import msgspec

from oddsdesk.contract.json_words import json_words
from oddsdesk.contract.quoting import shown
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.parts import read_json

T = TypeVar("T")
Levels = list[list[float]]
"""Price and size, or position, price and size; a size of 0 removes the level."""
ACTIVE: Final = "ACTIVE"
OPEN: Final = "OPEN"


class Message(msgspec.Struct, frozen=True, rename="camel"):
    """A line of the stream; ``status`` 503 says that prices come late."""

    op: str
    ct: str | None = None
    initial_clk: str | None = None
    clk: str | None = None
    status: int | None = None
    conflate_ms: int | None = None
    mc: list[Any] | None = None
    status_code: str | None = None
    error_code: str | None = None


class RunnerDefinition(msgspec.Struct, frozen=True):
    """A runner, which may be removed; ``hc`` is its handicap."""

    id: int
    status: str
    hc: float = 0.0


class Definition(msgspec.Struct, frozen=True, rename="camel"):
    """How a market is now."""

    status: str
    in_play: bool
    runners: list[RunnerDefinition]
    market_time: str | None = None


class RunnerChange(msgspec.Struct, frozen=True):
    """Levels that changed: all of them, the best ones, and those with virtual prices."""

    id: int
    hc: float = 0.0
    atb: Levels = []
    atl: Levels = []
    batb: Levels = []
    batl: Levels = []
    bdatb: Levels = []
    bdatl: Levels = []


class MarketChange(msgspec.Struct, frozen=True, rename="camel"):
    """What changed in a market; ``img`` takes the place of all that was known of it."""

    id: str
    img: bool = False
    market_definition: Definition | None = None
    rc: list[RunnerChange] = []


class PriceSize(msgspec.Struct, frozen=True):
    """One level of a book that was asked for."""

    price: float
    size: float


class Exchange(msgspec.Struct, frozen=True, rename="camel"):
    """What can be backed and laid."""

    available_to_back: list[PriceSize] = []
    available_to_lay: list[PriceSize] = []


class BookRunner(msgspec.Struct, frozen=True, rename="camel"):
    """A runner of a book that was asked for."""

    selection_id: int
    status: str
    handicap: float = 0.0
    ex: Exchange = Exchange()


class MarketBook(msgspec.Struct, frozen=True, rename="camel"):
    """A book that was asked for (``listMarketBook``)."""

    market_id: str
    status: str
    inplay: bool
    runners: list[BookRunner]
    is_market_data_delayed: bool = False


class Named(msgspec.Struct, frozen=True):
    """A name with an id: of a competition, an event or a kind of event."""

    name: str
    id: str = ""


class CatalogueRunner(msgspec.Struct, frozen=True, rename="camel"):
    """A runner by its name, in the order that Betfair shows."""

    selection_id: int
    runner_name: str
    sort_priority: int = 0


class Description(msgspec.Struct, frozen=True, rename="camel"):
    """What kind of market it is."""

    market_type: str


class CatalogueMarket(msgspec.Struct, frozen=True, rename="camel"):
    """What a market is about (``listMarketCatalogue``)."""

    market_id: str
    description: Description
    event: Named
    runners: list[CatalogueRunner]
    event_type: Named
    competition: Named | None = None
    market_start_time: str | None = None


def read_message(line: bytes) -> Message:
    """Read a line of the stream.

    Raises:
        FeedError: it is no JSON, or JSON of another shape; says which.
    """
    message: Message = read_json(
        line, "expected a message of Betfair's stream", Message, strict=False
    )
    return message


def read_as(kind: type[T], raw: Any) -> T:
    """Return a part of a message or answer as a struct; numbers may come as texts.

    Raises:
        FeedError: a field is missing or of another type; says which.
    """
    try:
        return msgspec.convert(raw, kind, strict=False)
    except msgspec.ValidationError as error:
        raise FeedError(json_words(error)) from error


def read_result(data: bytes) -> list[Any]:
    """Return the parts of an answer, with or without its JSON-RPC envelope, not looked into yet.

    Raises:
        FeedError: it is no such answer, or an error; says which.
    """
    raw = read_json(data, "expected an answer of Betfair")
    if isinstance(raw, dict) and "error" in raw:
        raise FeedError(f"Betfair answers an error: {_error(raw['error'])}")
    found = raw.get("result") if isinstance(raw, dict) else raw
    if not isinstance(found, list):
        raise FeedError("expected an answer of Betfair: a list of markets as result")
    return found


def error_code(data: bytes) -> str | None:
    """Return Betfair's code where an answer is an error, None for every other answer."""
    try:
        raw = msgspec.json.decode(data, type=_Failed)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return None if raw.error is None else _error(raw.error).strip("'")


class _Failed(msgspec.Struct, frozen=True):
    error: Any = None


def _error(raw: Any) -> str:
    """The code that Betfair gives: ``INVALID_SESSION_INFORMATION``, else ``DSC-0018``."""
    if not isinstance(raw, dict):
        return shown(raw)
    data = raw.get("data")
    inner = data.get("APINGException") if isinstance(data, dict) else None
    code = inner.get("errorCode") if isinstance(inner, dict) else None
    return shown(code or raw.get("message") or raw)
