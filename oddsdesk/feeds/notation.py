"""Reads prices and lines as other programs write them."""

import ast
import json
import re
from collections.abc import Iterable
from typing import Any, Final, TypeVar

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.quotes import MOST_ODDS, is_disabled
from oddsdesk.contract.texts import json_words
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.errors import FeedError

NOT_OFFERED = N_("not offered")
"""Reason for leaving out a price that a source writes as 0, 1 or nothing."""
_LEAST_AMERICAN = 100


def is_american(prices: Iterable[float]) -> bool:
    """Return whether prices are American odds, judged on all prices of a file together.

    Decimal odds are never negative, and American ones never lie between -100 and 100.
    """
    known = list(prices)
    negative = any(price <= -_LEAST_AMERICAN for price in known)
    return negative or (bool(known) and all(price >= _LEAST_AMERICAN for price in known))


def decimal_odds(price: float, american: bool) -> float | None:
    """Return a price as decimal odds, None if it is impossible."""
    if not american:
        return price if 1 < price <= MOST_ODDS else None
    if price >= _LEAST_AMERICAN:
        return round(1 + price / 100, 4)
    if price <= -_LEAST_AMERICAN:
        return round(1 - 100 / price, 4)
    return None


def is_offered(price: float | None, american: bool) -> bool:
    """Return whether a selection is offered: its price is not 0, null or, in decimal odds, 1."""
    return not (price in (None, 0) if american else is_disabled(price))


def line_text(line: float) -> str:
    """Return a line without sign: ``2.5``, ``3``."""
    return f"{line + 0.0:.10g}"


def signed_text(line: float) -> str:
    """Return a handicap with its sign: ``-1.5``, ``+0.25``, ``+0``."""
    return f"{line + 0.0:+.10g}"


T = TypeVar("T")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_NO_NUMBER: Final = re.compile(rb"\b(?:NaN|Infinity)\b")


def is_json(data: bytes) -> bool:
    """Return whether a file begins as an array or object of JSON does."""
    return data.removeprefix(_BYTE_ORDER_MARK).lstrip()[:1] in (b"[", b"{")


def read_json(data: bytes, expected: str, kind: Any = Any, *, strict: bool = True) -> Any:
    """Return a JSON document, as ``kind`` where that is told; ``expected`` begins the message.

    NaN and Infinity, which Python writes and JSON does not have, are read as texts.

    Raises:
        FeedError: it is no JSON, of another shape, or nested too deeply.
    """
    plain = data.removeprefix(_BYTE_ORDER_MARK)
    try:
        try:
            return msgspec.json.decode(plain, type=kind, strict=strict)
        except msgspec.DecodeError:
            if not _NO_NUMBER.search(plain):
                raise
            return msgspec.json.decode(_with_texts(plain), type=kind, strict=strict)
    except msgspec.ValidationError as error:
        raise FeedError(f"{expected}: {json_words(error)}") from error
    except msgspec.DecodeError as error:
        raise FeedError(f"{expected}, but {json_words(error)}") from error
    except UnicodeDecodeError as error:
        raise FeedError(f"{expected}, but this is no JSON ({error})") from error
    except RecursionError as error:
        raise FeedError(f"{expected}, but this is nested too deeply") from error


def _with_texts(data: bytes) -> bytes:
    """Return JSON with NaN and Infinity as texts; unchanged if it is readable already."""
    try:
        return json.dumps(json.loads(data, parse_constant=str)).encode()
    except ValueError:
        return data


def read_as(kind: type[T], raw: Any) -> T:
    """Return a part of an answer as a struct.

    Raises:
        FeedError: a field is missing or of another type; says which.
    """
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        raise FeedError(json_words(error)) from error


def iso_ms(text: str) -> int:
    """Return an ISO-8601 time in milliseconds.

    Raises:
        FeedError: it is no time.
    """
    try:
        return parse_ms(text)
    except ValueError as error:
        raise FeedError(str(error)) from error


def python_value(text: str) -> Any:
    """Return the list or other value that Python wrote as a text; the text if it is none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text
