"""Large answers, read in steps: each keeps whoever shares the thread waiting for little (D85).

An answer may hold 32 MiB, which takes seconds in one piece where somebody means ill. Smaller ones
are read at once. Nothing is read of an answer with more values than any has.
"""

from collections.abc import Generator
from typing import Any, Final, TypeVar, cast

import msgspec

from oddsdesk.client.answers import (
    GameAnswer,
    decode,
    decode_item,
    decode_list,
    left_out,
    read_json,
)
from oddsdesk.client.errors import MalformedAnswerError
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
    kind: Any, body: bytes, path: str
) -> Generator[None, None, tuple[list[Any], Meta]]:
    """Read a list answer; items that are too large, or have too long a name, are left out.

    Raises:
        MalformedAnswerError: the body is something else, or far too much.
    """
    if len(body) <= AT_ONCE:
        return decode_list(kind, body, path)
    _keep_bound(body, path)
    answer: Answer[list[msgspec.Raw]] = read_json(Answer[list[msgspec.Raw]], body, path)
    yield
    if len(answer.data) > MOST_ITEMS:
        raise MalformedAnswerError(
            f"{path} answered {len(answer.data):,} items at once, more than {MOST_ITEMS:,}"
        )
    items = yield from _items(kind, answer.data, path)
    return items, answer.meta


def one_in_steps(kind: type[T], body: bytes, path: str) -> Generator[None, None, T]:
    """Read an answer that is no list, that of a game row by row.

    Raises:
        MalformedAnswerError: the body is something else, or far too much.
    """
    if len(body) <= AT_ONCE:
        whole: T = decode(Answer[kind], body, path).data  # type: ignore[valid-type]
        return whole
    _keep_bound(body, path)
    if kind is GameAnswer:
        game: Any = yield from _game_in_steps(body, path)
        return cast(T, game)
    large: T = decode(Answer[kind], body, path).data  # type: ignore[valid-type]
    return large


def _game_in_steps(body: bytes, path: str) -> Generator[None, None, GameAnswer]:
    parts: _GameInParts = read_json(Answer[_GameInParts], body, path).data
    yield
    markets = []
    for raw in parts.markets:
        market: _MarketInParts = read_json(_MarketInParts, bytes(raw), path)
        yield
        rows = yield from _rows(market.selections, path)
        shown = _showable(MarketMatrix, market, {"selections": []}, path)
        markets.append(msgspec.structs.replace(shown, selections=rows))
        yield
    game = _showable(GameAnswer, parts, {"markets": []}, path)
    return msgspec.structs.replace(game, markets=markets)


def _items(kind: Any, raws: list[msgspec.Raw], path: str) -> Generator[None, None, list[Any]]:
    """Read items; yields after each."""
    items = []
    for raw in raws:
        item = None if len(raw) > LARGEST_ITEM else decode_item(kind, bytes(raw), path)
        if item is not None:
            items.append(item)
        yield
    left_out(path, len(raws) - len(items), len(raws))
    return items


def _rows(raws: list[msgspec.Raw], path: str) -> Generator[None, None, list[MatrixRow]]:
    """Read rows of a matrix; yields after each.

    One that cannot be read spoils all: what is left would look complete.
    """
    rows = []
    for raw in raws:
        if len(raw) > LARGEST_ITEM:
            raise MalformedAnswerError(f"{path} answered a row of {len(raw):,} bytes")
        rows.append(decode(MatrixRow, bytes(raw), path))
        yield
    return rows


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
