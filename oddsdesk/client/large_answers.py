"""Large answers, read in steps: each keeps whoever shares the thread waiting for little (D85).

An answer may hold 32 MiB, which takes seconds in one piece where somebody means ill. Smaller ones
are read at once. Nothing is read of an answer with more values than any has.
"""

from collections.abc import Generator
from typing import Any, Final, TypeVar, cast

import msgspec

from oddsdesk.client.answers import (
    EventAnswer,
    GameAnswer,
    GameInPart,
    ItemReading,
    as_json,
    decode,
    decode_list,
    read_json,
)
from oddsdesk.client.errors import MalformedAnswerError
from oddsdesk.client.partial_answers import (
    Losses,
    UnreadPrice,
    event_in_part,
    matrix_row_in_part,
    without_nan,
)
from oddsdesk.contract.names import showable_json
from oddsdesk.contract.resources import Answer, GameMatrix, MarketMatrix, MatrixRow, Meta

T = TypeVar("T")

AT_ONCE: Final = 256 * 1024
"""In bytes: what is no larger is read in one piece."""
LARGEST_ITEM: Final = 1024 * 1024
"""In bytes: a game, an odds row or a row of a matrix takes 100 KiB at most."""
MOST_ITEMS: Final = 10_000
"""No list of the contract has more than 5,000 an answer."""
MOST_VALUES: Final = 1_000_000
"""A matrix of 100 bookmakers and 2,000 selections has 800,000."""


class _MarketInParts(MarketMatrix, frozen=True):
    selections: list[msgspec.Raw]  # type: ignore[assignment]


class _GameInParts(GameMatrix, frozen=True):
    markets: list[msgspec.Raw]  # type: ignore[assignment]


def list_in_steps(
    kind: Any, body: bytes, path: str, losses: Losses | None = None
) -> Generator[None, None, tuple[list[Any], Meta]]:
    """Read a list answer; what makes no sense or is too large is left out, counted in ``losses``.

    Raises:
        MalformedAnswerError: the body is something else, or far too much.
    """
    losses = Losses() if losses is None else losses
    if len(body) <= AT_ONCE:
        return decode_list(kind, body, path, losses)
    _keep_bound(body, path)
    answer: Answer[list[msgspec.Raw]] = _read_parts(Answer[list[msgspec.Raw]], body, path)
    yield
    if len(answer.data) > MOST_ITEMS:
        raise MalformedAnswerError(
            f"{path} answered {len(answer.data):,} items at once, more than {MOST_ITEMS:,}"
        )
    items = yield from _items(kind, answer.data, path, losses)
    return items, answer.meta


def one_in_steps(
    kind: type[T], body: bytes, path: str, losses: Losses | None = None
) -> Generator[None, None, T]:
    """Read an answer that is no list, that of a game row by row.

    Prices that make no sense are left out and counted in ``losses``.

    Raises:
        MalformedAnswerError: the body is something else, or far too much.
    """
    losses = Losses() if losses is None else losses
    if len(body) > AT_ONCE:
        _keep_bound(body, path)
    if len(body) <= AT_ONCE or kind is not GameAnswer:
        try:
            whole: T = decode(Answer[kind], body, path).data  # type: ignore[valid-type]
            return whole
        except MalformedAnswerError:
            if kind is EventAnswer:
                return cast(T, _event_in_part(body, path, losses))
            if kind is not GameAnswer:
                raise
    game: Any = yield from _game_in_steps(body, path, losses)
    return cast(T, game)


def _event_in_part(body: bytes, path: str, losses: Losses) -> EventAnswer:
    said: Answer[Any] = _read_parts(Answer[Any], showable_json(body), path)
    try:
        event = event_in_part(EventAnswer, said.data, losses)
    except msgspec.ValidationError as error:
        raise MalformedAnswerError(f"{path} answered something unexpected: {error}") from error
    return cast(EventAnswer, event)


def _game_in_steps(body: bytes, path: str, losses: Losses) -> Generator[None, None, GameAnswer]:
    parts: _GameInParts = _read_parts(Answer[_GameInParts], body, path).data
    yield
    markets, unread = [], list[UnreadPrice]()
    for raw in parts.markets:
        try:
            market: _MarketInParts = read_json(_MarketInParts, bytes(raw), path)
            shown = _showable(MarketMatrix, market, {"selections": []}, path)
        except MalformedAnswerError as error:
            losses.add_row(error.message)
            unread.append(UnreadPrice())
            continue
        yield
        where = shown.market_type, shown.period
        rows = yield from _rows(market.selections, where, path, unread, losses)
        markets.append(msgspec.structs.replace(shown, selections=rows))
        yield
    if parts.markets and not markets:
        raise MalformedAnswerError(f"{path} answered something unexpected: {losses.first}")
    game = _showable(GameAnswer, parts, {"markets": []}, path)
    fields = msgspec.structs.asdict(game) | {"markets": markets}
    return GameInPart(**fields, unread=tuple(unread)) if unread else GameAnswer(**fields)


def _items(
    kind: Any, raws: list[msgspec.Raw], path: str, losses: Losses
) -> Generator[None, None, list[Any]]:
    """Read items; yields after each."""
    items, reading = [], ItemReading(kind, path, losses)
    for raw in raws:
        if len(raw) > LARGEST_ITEM:
            losses.add_row(f"an item of {len(raw):,} bytes")
        elif (item := reading.read(bytes(raw))) is not None:
            items.append(item)
        yield
    reading.finish(len(items))
    return items


def _rows(
    raws: list[msgspec.Raw],
    market: tuple[str, int],
    path: str,
    unread: list[UnreadPrice],
    losses: Losses,
) -> Generator[None, None, list[MatrixRow]]:
    """Read rows of a matrix; yields after each."""
    rows = []
    for raw in raws:
        if len(raw) > LARGEST_ITEM:
            raise MalformedAnswerError(f"{path} answered a row of {len(raw):,} bytes")
        document = bytes(raw)
        try:
            rows.append(decode(MatrixRow, document, path))
        except MalformedAnswerError:
            row = matrix_row_in_part(as_json(document, path), market, unread, losses)
            rows += [] if row is None else [row]
        yield
    return rows


def _read_parts(kind: Any, body: bytes, path: str) -> Any:
    """Read a body that may hold NaN, which is no JSON."""
    try:
        return read_json(kind, body, path)
    except MalformedAnswerError:
        if (plain := without_nan(body)) is body:
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
        raise MalformedAnswerError(f"{path} answered more than {MOST_VALUES:,} values at once")
