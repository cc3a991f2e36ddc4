"""Decodes answers into typed values, or into the error that an answer states.

An answer can hold 32 MiB, which a malicious one makes slow to decode: large ones are read in
pieces, small ones at once. An answer with more values than any real one is refused.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, Final, Generic, TypeVar, cast, overload

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.client import errors, partial_answers
from oddsdesk.client.rows import to_dicts
from oddsdesk.contract import resources
from oddsdesk.contract.access import ErrorBody
from oddsdesk.contract.texts import LONGEST_NAME, showable_json
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.network.secrets import without_keys

T = TypeVar("T")

LONGEST_WAIT_MS: Final = 25 * 60 * MINUTE_MS
"""No quota window is longer than a day, so times further away are ignored."""
_LONGEST_MESSAGE: Final = 500
_LARGEST_ERROR: Final = 256 * 1024
"""In bytes; a larger body is not an Error object."""
_OUT_OF_BOUNDS: Final = re.compile("Expected `(str` of length|int`) [<>]= ")
CLOCKS_AGREE_MS: Final = 10_000
"""Answers can take seconds, and a ``Date`` has no fractions."""
_errors = msgspec.json.Decoder(ErrorBody)
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}
_BY_STATUS: dict[int, type[errors.ServiceError]] = {
    400: errors.BadRequestError,
    401: errors.UnauthorizedError,
    403: errors.ForbiddenError,
    404: errors.NotFoundError,
}


def _has_nothing(item: object) -> bool:
    return isinstance(item, partial_answers.RowInPart) and item.has_nothing


class Listing(Sequence[T], Generic[T]):
    """The items of a list answer, with the cursor of the next page."""

    def __init__(
        self,
        items: Sequence[T],
        next_cursor: str | None = None,
        meta: resources.Meta | None = None,
        losses: partial_answers.Losses | None = None,
    ) -> None:
        self.unread = [item for item in items if _has_nothing(item)]
        """Odds rows that say of which market they are, and nothing else that can be read."""
        self._items = [item for item in items if not _has_nothing(item)] if self.unread else items
        self.losses = partial_answers.Losses() if losses is None else losses
        """The unreadable parts of the answer."""
        self.next_cursor = next_cursor
        """Pass it as ``cursor`` to read on; None at the end, or where a service has none."""
        self.meta = meta
        """The ``meta`` of the answer; None for a part of its items."""

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


class EventAnswer(resources.EventDetail, frozen=True):
    """An event with every market, as the service returns it."""

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one flat row per price, each with the sharp book's price."""
        return to_dicts([self])


class GameAnswer(resources.GameMatrix, frozen=True):
    """A game as selections by bookmakers, as the service returns it."""

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one flat row per price, each with the sharp book's price."""
        return to_dicts([self])


class GameInPart(GameAnswer, partial_answers.MatrixInPart, frozen=True):
    """A game with some prices that could not be read."""


def decode(kind: Any, body: bytes, path: str) -> Any:
    """Read a body as ``kind``; fields that the contract does not know are ignored.

    Characters that cannot be shown come as blanks.

    Raises:
        MalformedAnswerError: the body is something else.
    """
    return read_json(kind, showable_json(body), path)


def decode_list(
    kind: Any, body: bytes, path: str, losses: partial_answers.Losses | None = None
) -> tuple[list[Any], resources.Meta]:
    """Read a list answer; what makes no sense is left out and counted in ``losses``.

    Raises:
        MalformedAnswerError: the body is something else, or no item makes sense.
    """
    try:
        answer: resources.Answer[list[Any]] = decode(resources.Answer[list[kind]], body, path)
        return answer.data, answer.meta
    except errors.MalformedAnswerError:
        body = partial_answers.without_nan(body)
    parts: resources.Answer[list[msgspec.Raw]] = read_json(
        resources.Answer[list[msgspec.Raw]], body, path
    )
    reading = ItemReading(kind, path, partial_answers.Losses() if losses is None else losses)
    items = [item for raw in parts.data if (item := reading.read_item(bytes(raw))) is not None]
    reading.finish(len(items))
    return items, parts.meta


_EXTENSIONS: Final[dict[str, type]] = {"offers": dict, "offer": dict, "source_sport": str}
"""Fields beyond the contract, and what they hold."""
_OF_EXTENSION: Final = re.compile(rf"\.(?:{'|'.join(_EXTENSIONS)})\b")


class ItemReading:
    """Reads the items of a list one by one."""

    def __init__(self, kind: Any, path: str, losses: partial_answers.Losses) -> None:
        self._kind = kind
        self._path = path
        self._losses = losses
        self._error: errors.MalformedAnswerError | None = None

    def read_item(self, document: bytes) -> Any:
        """Return one item, an odds row possibly in part; None if it makes no sense."""
        try:
            return decode(self._kind, document, self._path)
        except errors.MalformedAnswerError as error:
            row = (
                partial_answers.row_in_part(as_json(document, self._path), self._losses)
                if self._kind is resources.OddsRow
                else None
            )
            if row is None:
                if _OUT_OF_BOUNDS.search(error.message) is None:
                    self._error = self._error or error
                if self._kind is not resources.OddsRow:
                    self._losses.add_row(error.message)
            return row

    def finish(self, count: int) -> None:
        """End the list; ``count`` of its items could be read.

        Raises:
            MalformedAnswerError: no item could be read, so this is another kind of list.
        """
        if self._error is not None and not count:
            raise self._error


def as_json(document: bytes, path: str) -> Any:
    """Return a part of an answer as JSON has it; None where it is none."""
    try:
        return decode(Any, document, path)
    except errors.MalformedAnswerError:
        return None


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
        if _OF_EXTENSION.search(str(error)) and (stripped := _without_foreign(body)) is not None:
            return read_json(kind, stripped, path)
        raise errors.MalformedAnswerError(
            f"{path} answered something unexpected: {error}"
        ) from error
    except RecursionError as error:
        raise errors.MalformedAnswerError(
            f"{path} answered something unexpected: JSON nested too deeply"
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise errors.MalformedAnswerError(
            f"{path} answered something unexpected: no whole JSON"
        ) from error


def _without_foreign(body: bytes) -> bytes | None:
    """Return an answer without extension fields of the wrong type; None if it has none.

    The contract does not know these fields, so another service may mean something else by them.
    """
    lost = 0

    def strip(value: Any) -> None:
        nonlocal lost
        if isinstance(value, list):
            for each in value:
                strip(each)
        elif isinstance(value, dict):
            for name, kind in _EXTENSIONS.items():
                if name in value and not isinstance(value[name], kind):
                    del value[name]
                    lost += 1
            for each in value.values():
                strip(each)

    value = msgspec.json.decode(body)
    strip(value)
    return msgspec.json.encode(value) if lost else None


def error_of_answer(
    status: int, headers: Mapping[str, str], body: bytes, path: str, now_ms: int
) -> errors.ServiceError:
    """Return the error that an answer states."""
    code, message, upgrade_url = _detail(status, headers, body, path)
    if status == 429:
        return errors.RateLimitedError(message, _retry_at_ms(headers, now_ms))
    if status >= 500:
        return errors.ServiceUnavailableError(code, message, status)
    return _BY_STATUS.get(status, errors.ServiceError)(code, message, status, upgrade_url)


def whole_number(headers: Mapping[str, str], name: str) -> int | None:
    """Return a header that holds a whole number, None where it is missing or something else."""
    text = headers.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def _detail(
    status: int, headers: Mapping[str, str], body: bytes, path: str
) -> tuple[str, str, str | None]:
    try:
        text = body if len(body) <= _LARGEST_ERROR else b""
        detail = _errors.decode(showable_json(text)).error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        target = headers.get("location")
        if 300 <= status < 400 and target:
            return f"http_{status}", N_(f"{path} has moved: the address redirects elsewhere"), None
        return f"http_{status}", N_(f"{path} answered with status {status} and no reason"), None
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
        sent = parsedate_to_datetime(headers.get("date", ""))
        sent_ms = round(sent.replace(tzinfo=sent.tzinfo or UTC).timestamp() * 1000)
    except (ValueError, OverflowError):
        return 0
    ahead_ms = now_ms - sent_ms
    return ahead_ms if abs(ahead_ms) > CLOCKS_AGREE_MS else 0


def _retry_at_ms(headers: Mapping[str, str], now_ms: int) -> int:
    """Return when to ask again: by ``Retry-After``, the contract's header, or in a minute."""
    after = whole_number(headers, "retry-after")
    if after is not None:
        return now_ms + min(after * 1000, LONGEST_WAIT_MS)
    reset = reset_ms(headers, now_ms)
    return reset if reset is not None and reset > now_ms else now_ms + MINUTE_MS


AT_ONCE: Final = 256 * 1024
"""In bytes: what is no larger is read in one piece."""
LARGEST_ITEM: Final = 1024 * 1024
"""In bytes: a game, an odds row or a row of a matrix takes 100 KiB at most."""
MOST_ITEMS: Final = 10_000
"""No list of the contract has more than 5,000 an answer."""
MOST_VALUES: Final = 1_000_000
"""A matrix of 100 bookmakers and 2,000 selections has 800,000."""


class _MarketInParts(resources.MarketMatrix, frozen=True):
    selections: list[msgspec.Raw]  # type: ignore[assignment]


class _GameInParts(resources.GameMatrix, frozen=True):
    markets: list[msgspec.Raw]  # type: ignore[assignment]


def list_in_steps(
    kind: Any, body: bytes, path: str, losses: partial_answers.Losses | None = None
) -> Generator[None, None, tuple[list[Any], resources.Meta]]:
    """Read a list answer; what makes no sense or is too large is left out, counted in ``losses``.

    Raises:
        MalformedAnswerError: the body is something else, or far too much.
    """
    losses = partial_answers.Losses() if losses is None else losses
    if len(body) <= AT_ONCE:
        return decode_list(kind, body, path, losses)
    _keep_bound(body, path)
    answer: resources.Answer[list[msgspec.Raw]] = _read_parts(
        resources.Answer[list[msgspec.Raw]], body, path
    )
    yield
    if len(answer.data) > MOST_ITEMS:
        raise errors.MalformedAnswerError(
            f"{path} answered {len(answer.data):,} items at once, more than {MOST_ITEMS:,}"
        )
    items = yield from _items(kind, answer.data, path, losses)
    return items, answer.meta


def one_in_steps(
    kind: type[T], body: bytes, path: str, losses: partial_answers.Losses | None = None
) -> Generator[None, None, T]:
    """Read an answer that is no list, that of a game row by row.

    Prices that make no sense are left out and counted in ``losses``.

    Raises:
        MalformedAnswerError: the body is something else, or far too much.
    """
    losses = partial_answers.Losses() if losses is None else losses
    if len(body) > AT_ONCE:
        _keep_bound(body, path)
    if len(body) <= AT_ONCE or kind is not GameAnswer:
        try:
            whole: T = decode(resources.Answer[kind], body, path).data  # type: ignore[valid-type]
            return whole
        except errors.MalformedAnswerError:
            if kind is EventAnswer:
                return cast(T, _event_in_part(body, path, losses))
            if kind is not GameAnswer:
                raise
    game: Any = yield from _game_in_steps(body, path, losses)
    return cast(T, game)


def _event_in_part(body: bytes, path: str, losses: partial_answers.Losses) -> EventAnswer:
    answer: resources.Answer[Any] = _read_parts(resources.Answer[Any], showable_json(body), path)
    try:
        event = partial_answers.event_in_part(EventAnswer, answer.data, losses)
    except msgspec.ValidationError as error:
        raise errors.MalformedAnswerError(
            f"{path} answered something unexpected: {error}"
        ) from error
    return cast(EventAnswer, event)


def _game_in_steps(
    body: bytes, path: str, losses: partial_answers.Losses
) -> Generator[None, None, GameAnswer]:
    parts: _GameInParts = _read_parts(resources.Answer[_GameInParts], body, path).data
    yield
    markets, unread = [], list[partial_answers.UnreadPrice]()
    for raw in parts.markets:
        try:
            market: _MarketInParts = read_json(_MarketInParts, bytes(raw), path)
            shown = _showable(resources.MarketMatrix, market, {"selections": []}, path)
        except errors.MalformedAnswerError as error:
            losses.add_row(error.message)
            unread.append(partial_answers.UnreadPrice())
            continue
        yield
        where = shown.market_type, shown.period
        rows = yield from _rows(market.selections, where, path, unread, losses)
        markets.append(msgspec.structs.replace(shown, selections=rows))
        yield
    if parts.markets and not markets:
        raise errors.MalformedAnswerError(f"{path} answered something unexpected: {losses.first}")
    game = _showable(GameAnswer, parts, {"markets": []}, path)
    fields = msgspec.structs.asdict(game) | {"markets": markets}
    return GameInPart(**fields, unread=tuple(unread)) if unread else GameAnswer(**fields)


def _items(
    kind: Any, raws: list[msgspec.Raw], path: str, losses: partial_answers.Losses
) -> Generator[None, None, list[Any]]:
    """Read items; yields after each."""
    items, reading = [], ItemReading(kind, path, losses)
    for raw in raws:
        if len(raw) > LARGEST_ITEM:
            losses.add_row(f"an item of {len(raw):,} bytes")
        elif (item := reading.read_item(bytes(raw))) is not None:
            items.append(item)
        yield
    reading.finish(len(items))
    return items


def _rows(
    raws: list[msgspec.Raw],
    market: tuple[str, int],
    path: str,
    unread: list[partial_answers.UnreadPrice],
    losses: partial_answers.Losses,
) -> Generator[None, None, list[resources.MatrixRow]]:
    """Read rows of a matrix; yields after each."""
    rows = []
    for raw in raws:
        if len(raw) > LARGEST_ITEM:
            raise errors.MalformedAnswerError(f"{path} answered a row of {len(raw):,} bytes")
        document = bytes(raw)
        try:
            rows.append(decode(resources.MatrixRow, document, path))
        except errors.MalformedAnswerError:
            row = partial_answers.matrix_row_in_part(
                as_json(document, path), market, unread, losses
            )
            rows += [] if row is None else [row]
        yield
    return rows


def _read_parts(kind: Any, body: bytes, path: str) -> Any:
    """Read a body that may hold NaN, which is no JSON."""
    try:
        return read_json(kind, body, path)
    except errors.MalformedAnswerError:
        if (plain := partial_answers.without_nan(body)) is body:
            raise
        return read_json(kind, plain, path)


def _showable(kind: type[T], parts: msgspec.Struct, emptied: dict[str, Any], path: str) -> T:
    """Return a struct without its parts, its texts as ``decode`` gives them."""
    named = ((name, getattr(parts, name)) for name in parts.__struct_fields__)
    fields = {name: value for name, value in named if value is not msgspec.UNSET}
    read: T = decode(kind, msgspec.json.encode(fields | emptied), path)
    return read


def _keep_bound(body: bytes, path: str) -> None:
    """Refuse a body with more values than any answer has: each would take a hundred bytes.

    Before every value but the first of its array or object stands a comma.
    """
    if body.count(b",") > MOST_VALUES:
        raise errors.MalformedAnswerError(
            f"{path} answered more than {MOST_VALUES:,} values at once"
        )
