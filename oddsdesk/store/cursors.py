"""Cursors: where an answer was cut, as an opaque text (D14)."""

import base64
import binascii
from typing import Annotated, Final, TypeVar

import msgspec

from oddsdesk.store.errors import BadCursorError

T = TypeVar("T", bound=msgspec.Struct)
MAX_LENGTH: Final = 4_096
Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class GamePlace(msgspec.Struct, array_like=True, tag="g", forbid_unknown_fields=True):
    """The last game of an answer; ``live`` = among the live ones, which come first."""

    live: bool
    kickoff: Int64
    match_name: str
    competition: str


class OddsPlace(msgspec.Struct, array_like=True, tag="o", forbid_unknown_fields=True):
    """The last odds row of an answer."""

    live: bool
    kickoff: Int64
    match_name: str
    competition: str
    bookmaker: str
    market_type: str
    period: Int64


class BetPlace(msgspec.Struct, array_like=True, tag="v", forbid_unknown_fields=True):
    """The last value bet of an answer."""

    ev_pct: float
    game: Int64
    market_type: str
    period: Int64
    bookmaker: str
    selection: str


class MovePlace(msgspec.Struct, array_like=True, tag="m", forbid_unknown_fields=True):
    """The last move of an answer."""

    scraped_at: Int64
    seq: Int64


def to_cursor(place: msgspec.Struct) -> str:
    """Return the cursor that leads back to a place."""
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).rstrip(b"=").decode()


def from_cursor(cursor: str, kind: type[T]) -> T:
    """Return the place that a cursor names.

    Raises:
        BadCursorError: no answer of this list carried it.
    """
    try:
        if len(cursor) > MAX_LENGTH:
            raise ValueError("too long")
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        return msgspec.json.decode(text, type=kind)
    except (ValueError, RecursionError, binascii.Error, msgspec.DecodeError) as error:
        raise BadCursorError(
            "cursor: expected the next_cursor of an answer of this list"
        ) from error
