"""Reading a part of a source's answer as a struct, whichever format it is of."""

from typing import Any, TypeVar

import msgspec

from oddsdesk.feeds.errors import FeedError

T = TypeVar("T")


def read_as(kind: type[T], raw: Any) -> T:
    """Return a part of an answer as a struct.

    Raises:
        FeedError: a field is missing or of another type; says which.
    """
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        raise FeedError(str(error)) from error
