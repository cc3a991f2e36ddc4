"""Reading what a source says, whole and part by part, whichever format it is of."""

import json
import re
from typing import Any, Final, TypeVar

import msgspec

from oddsdesk.contract.json_words import json_words
from oddsdesk.feeds.errors import FeedError

T = TypeVar("T")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_NO_NUMBER: Final = re.compile(rb"\b(?:NaN|Infinity)\b")


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
    """Return JSON with NaN and Infinity as texts; as it is where it cannot be read otherwise."""
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
