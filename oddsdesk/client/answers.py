"""Decoding answers: typed values, or the error that an answer states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, Final, Generic, TypeVar, overload

import msgspec

from oddsdesk.client.errors import (
    BadRequestError,
    ForbiddenError,
    MalformedAnswerError,
    NotFoundError,
    RateLimitedError,
    ServiceError,
    ServiceUnavailableError,
    UnauthorizedError,
)
from oddsdesk.client.flat import to_dicts
from oddsdesk.client.partial_answers import (
    Losses,
    MatrixInPart,
    RowInPart,
    row_in_part,
    without_nan,
)
from oddsdesk.contract.errors import ErrorBody
from oddsdesk.contract.names import LONGEST_NAME, showable_json
from oddsdesk.contract.resources import Answer, EventDetail, GameMatrix, Meta, OddsRow
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.network.secrets import without_keys

T = TypeVar("T")

LONGEST_WAIT_MS: Final = 25 * 60 * MINUTE_MS
"""No quota window is longer than a day (D18); a time further away is not believed (D85)."""
_LONGEST_MESSAGE: Final = 500
_LARGEST_ERROR: Final = 256 * 1024
"""In bytes; what is larger tells of no error."""
_OUT_OF_BOUNDS: Final = re.compile("Expected `(str` of length|int`) [<>]= ")
CLOCKS_AGREE_MS: Final = 10_000
"""Answers take seconds at times, and a ``Date`` has no fractions."""
_errors = msgspec.json.Decoder(ErrorBody)
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}
_BY_STATUS: dict[int, type[ServiceError]] = {
    400: BadRequestError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
}


def _has_nothing(item: object) -> bool:
    return isinstance(item, RowInPart) and item.has_nothing


class Listing(Sequence[T], Generic[T]):
    """The items of a list answer, with where to go on."""

    def __init__(
        self,
        items: Sequence[T],
        next_cursor: str | None = None,
        meta: Meta | None = None,
        losses: Losses | None = None,
    ) -> None:
        self.unread = [item for item in items if _has_nothing(item)]
        """Odds rows that say of which market they are, and nothing else that can be read."""
        self._items = [item for item in items if not _has_nothing(item)] if self.unread else items
        self.losses = Losses() if losses is None else losses
        """What of the answer made no sense."""
        self.next_cursor = next_cursor
        """Pass it as ``cursor`` to read on; None at the end, or where a service has none (D14)."""
        self.meta = meta
        """What the service said beside the items; None of a part of them."""

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return flat rows, ready for a data frame; odds give a row for each price."""
        return to_dicts(self._items)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Listing[T]: ...
    def __getitem__(self, index: int | slice) -> T | Listing[T]:
        if isinstance(index, slice):
            return Listing(self._items[index])
        return self._items[index]

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    @property
    def answered(self) -> int:
        """How many items the service answered, those that could not be read among them."""
        return len(self._items) + len(self.unread) + self.losses.rows

    def __repr__(self) -> str:
        return f"<Listing of {len(self._items)}>"


class EventAnswer(EventDetail, frozen=True):
    """An event with every market, as the service answers it."""

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a flat row a price, the reference's beside each."""
        return to_dicts([self])


class GameAnswer(GameMatrix, frozen=True):
    """A game as selections by bookmakers, as the service answers it."""

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a flat row a price, the reference's beside each."""
        return to_dicts([self])


class GameInPart(GameAnswer, MatrixInPart, frozen=True):
    """A game of which some prices could not be read."""


def decode(kind: Any, body: bytes, path: str) -> Any:
    """Read a body as ``kind``; fields that the contract does not know are ignored.

    Characters that cannot be shown come as blanks.

    Raises:
        MalformedAnswerError: the body is something else.
    """
    return read_json(kind, showable_json(body), path)


def decode_list(
    kind: Any, body: bytes, path: str, losses: Losses | None = None
) -> tuple[list[Any], Meta]:
    """Read a list answer; what makes no sense is left out and counted in ``losses``.

    Raises:
        MalformedAnswerError: the body is something else, or no item makes sense.
    """
    try:
        answer: Answer[list[Any]] = decode(Answer[list[kind]], body, path)
        return answer.data, answer.meta
    except MalformedAnswerError:
        body = without_nan(body)
    parts: Answer[list[msgspec.Raw]] = read_json(Answer[list[msgspec.Raw]], body, path)
    reading = ItemReading(kind, path, Losses() if losses is None else losses)
    items = [item for raw in parts.data if (item := reading.read(bytes(raw))) is not None]
    reading.finish(len(items))
    return items, parts.meta


_EXTENSIONS: Final[dict[str, type]] = {"offers": dict, "offer": dict, "source_sport": str}
"""Fields beyond the contract, and what they hold."""
_OF_EXTENSION: Final = re.compile(rf"\.(?:{'|'.join(_EXTENSIONS)})\b")


class ItemReading:
    """Reads the items of a list one by one."""

    def __init__(self, kind: Any, path: str, losses: Losses) -> None:
        self._kind = kind
        self._path = path
        self._losses = losses
        self._error: MalformedAnswerError | None = None

    def read(self, document: bytes) -> Any:
        """Return one item, an odds row maybe in part; None where it makes no sense."""
        try:
            return decode(self._kind, document, self._path)
        except MalformedAnswerError as error:
            row = (
                row_in_part(as_json(document, self._path), self._losses)
                if self._kind is OddsRow
                else None
            )
            if row is None:
                if not _is_about_bounds(error):
                    self._error = self._error or error
                if self._kind is not OddsRow:
                    self._losses.add_row(error.message)
            return row

    def finish(self, count: int) -> None:
        """End the list, of which so many items could be read.

        Raises:
            MalformedAnswerError: nothing could be read, so it is a list of something else.
        """
        if self._error is not None and not count:
            raise self._error


def as_json(document: bytes, path: str) -> Any:
    """Return a part of an answer as JSON has it; None where it is none."""
    try:
        return decode(Any, document, path)
    except MalformedAnswerError:
        return None


def _is_about_bounds(error: MalformedAnswerError) -> bool:
    return _OUT_OF_BOUNDS.search(error.message) is not None


def read_json(kind: Any, body: bytes, path: str) -> Any:
    """Read a body as ``kind`` without a look at its characters.

    Raises:
        MalformedAnswerError: the body is something else.
    """
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind)
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        if _OF_EXTENSION.search(str(error)) and (said := _without_foreign(body)) is not None:
            return read_json(kind, said, path)
        raise MalformedAnswerError(f"{path} answered something unexpected: {error}") from error
    except RecursionError as error:
        raise MalformedAnswerError(
            f"{path} answered something unexpected: JSON nested too deeply"
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MalformedAnswerError(
            f"{path} answered something unexpected: no whole JSON"
        ) from error


def _without_foreign(body: bytes) -> bytes | None:
    """Return an answer without extension fields of another shape; None where it has none.

    The contract does not know these fields, so another service may mean something else by them.
    """
    lost = 0

    def strip(said: Any) -> None:
        nonlocal lost
        if isinstance(said, list):
            for each in said:
                strip(each)
        elif isinstance(said, dict):
            for name, kind in _EXTENSIONS.items():
                if name in said and not isinstance(said[name], kind):
                    del said[name]
                    lost += 1
            for each in said.values():
                strip(each)

    said = msgspec.json.decode(body)
    strip(said)
    return msgspec.json.encode(said) if lost else None


def refusal(
    status: int, headers: Mapping[str, str], body: bytes, path: str, now_ms: int
) -> ServiceError:
    """Return the error that an answer tells of."""
    code, message, upgrade_url = _detail(status, headers, body, path)
    if status == 429:
        return RateLimitedError(message, _retry_at_ms(headers, now_ms))
    if status >= 500:
        return ServiceUnavailableError(code, message, status)
    return _BY_STATUS.get(status, ServiceError)(code, message, status, upgrade_url)


def whole_number(headers: Mapping[str, str], name: str) -> int | None:
    """Return a header that holds a whole number, None where it is missing or something else."""
    text = headers.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def _detail(
    status: int, headers: Mapping[str, str], body: bytes, path: str
) -> tuple[str, str, str | None]:
    try:
        said = body if len(body) <= _LARGEST_ERROR else b""
        detail = _errors.decode(showable_json(said)).error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        target = headers.get("location")
        if 300 <= status < 400 and target:
            return f"http_{status}", f"{path} has moved: the address redirects elsewhere", None
        return f"http_{status}", f"{path} answered with status {status} and no reason", None
    code, message = without_keys(detail.code), without_keys(detail.message)  # a part is not found
    return code[:LONGEST_NAME], _shortened(message), detail.upgrade_url


def _shortened(message: str) -> str:
    is_short = len(message) <= _LONGEST_MESSAGE
    return message if is_short else message[: _LONGEST_MESSAGE - 1].rstrip() + "…"


def reset_ms(headers: Mapping[str, str], now_ms: int) -> int | None:
    """Return when the quota window ends by the contract's header, 25 hours ahead at most.

    By the own clock: what the service's differs from it is known from its ``Date``.
    """
    reset = whole_number(headers, "x-ratelimit-reset")
    if reset is None:
        return None
    return min(reset * 1000 + own_clock_ahead_ms(headers, now_ms), now_ms + LONGEST_WAIT_MS)


def own_clock_ahead_ms(headers: Mapping[str, str], now_ms: int) -> int:
    """Return how far the own clock is ahead of the service's; 0 where they agree, or none says."""
    try:
        said = parsedate_to_datetime(headers.get("date", ""))
        said_ms = round(said.replace(tzinfo=said.tzinfo or UTC).timestamp() * 1000)
    except (ValueError, OverflowError):
        return 0
    ahead_ms = now_ms - said_ms
    return ahead_ms if abs(ahead_ms) > CLOCKS_AGREE_MS else 0


def _retry_at_ms(headers: Mapping[str, str], now_ms: int) -> int:
    """Return when to ask again: by ``Retry-After``, the contract's header, or in a minute."""
    after = whole_number(headers, "retry-after")
    if after is not None:
        return now_ms + min(after * 1000, LONGEST_WAIT_MS)
    reset = reset_ms(headers, now_ms)
    return reset if reset is not None and reset > now_ms else now_ms + MINUTE_MS
