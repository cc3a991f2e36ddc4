"""Large answers are read in steps, and say the same as in one piece (D85)."""

import json
from collections.abc import Generator
from typing import Any

import msgspec
import pytest

from oddsdesk.base.tasks import awake, returned
from oddsdesk.client.answers import (
    AT_ONCE,
    LARGEST_ITEM,
    MOST_ITEMS,
    MOST_VALUES,
    GameAnswer,
    GameInPart,
    decode,
    decode_list,
    list_in_steps,
    one_in_steps,
)
from oddsdesk.client.errors import MalformedAnswerError
from oddsdesk.client.partial_answers import Losses, UnreadPrice
from oddsdesk.contract.resources import Answer, OddsRow
from tests.kit.board import matrix, odds_row

META = {"rate_limit_remaining": 9}
PATH = "/api/odds"


def body_of(data: Any) -> bytes:
    body = msgspec.json.encode({"data": data, "meta": META | {"next_cursor": "more"}})
    assert len(body) > AT_ONCE
    return body


def rows(count: int, **more: Any) -> list[OddsRow]:
    return [odds_row(f"B\n{number}", {"A": 2.0}, **more) for number in range(count)]


def large_matrix() -> Any:
    said = msgspec.to_builtins(matrix())
    (market,) = said["markets"]
    first = market["selections"][0]
    market["period_label"] = "Full\u2028Time"
    market["selections"] = [first | {"selection": f"A\t{number}"} for number in range(3_000)]
    return said


def steps(reading: Generator[None, None, object]) -> int:
    return sum(1 for _ in reading)


def test_a_list_in_steps_is_the_list_in_one_piece() -> None:
    body = body_of(rows(3_000))
    assert returned(list_in_steps(OddsRow, body, PATH)) == decode_list(OddsRow, body, PATH)
    assert steps(list_in_steps(OddsRow, body, PATH)) > 3_000


async def test_a_game_in_steps_is_the_game_in_one_piece() -> None:
    body = body_of(large_matrix())
    read = await awake(one_in_steps(GameAnswer, body, PATH))
    assert read == decode(Answer[GameAnswer], body, PATH).data
    assert read.markets[0].period_label == "Full Time"
    assert steps(one_in_steps(GameAnswer, body, PATH)) > 3_000


@pytest.mark.parametrize("item", [{"bookmaker": "x" * 201}, {"period": 2**31}], ids=["name", "int"])
def test_items_out_of_bounds_are_left_out_of_a_large_list(item: dict[str, Any]) -> None:
    said = msgspec.to_builtins(rows(2_000))
    said[7] |= item
    losses = Losses()
    items, _ = returned(list_in_steps(OddsRow, body_of(said), PATH, losses))
    assert (len(items), losses.rows) == (1_999, 1)


def test_of_a_game_a_row_that_cannot_be_read_is_left_out_and_marks_its_market() -> None:
    said = large_matrix()
    said["markets"][0]["selections"][9]["selection"] = "x" * 201
    losses = Losses()
    game = returned(one_in_steps(GameAnswer, body_of(said), PATH, losses))
    market = game.markets[0]
    assert len(market.selections) == len(said["markets"][0]["selections"]) - 1
    assert isinstance(game, GameInPart)
    assert game.unread == (UnreadPrice(market.market_type, market.period),)
    assert (losses.cells, losses.rows) == (0, 1)
    cell = {"odds": 2.0, "scraped_at": "x", "url": None}
    said["markets"][0]["selections"][9]["books"] = {f"B{number}": cell for number in range(30_000)}
    assert len(json.dumps(said)) > LARGEST_ITEM
    with pytest.raises(MalformedAnswerError, match="answered a row of"):
        returned(one_in_steps(GameAnswer, body_of(said), PATH))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"1," * (MOST_VALUES + 1) + b"1", "more than 1,000,000 values"),
        (b"{}," * MOST_ITEMS + b" " * AT_ONCE + b"{}", "10,001 items at once"),
        (b"[" * AT_ONCE, "nested too deeply"),
        (b"{}," * 9 + b" " * AT_ONCE + b"{", "no whole JSON"),
    ],
    ids=["values", "items", "nested", "cut"],
)
def test_far_too_much_or_nonsense_is_refused_in_words(said: bytes, words: str) -> None:
    body = b'{"meta": {"rate_limit_remaining": 1}, "data": [' + said + b"]}"
    with pytest.raises(MalformedAnswerError, match=words):
        returned(list_in_steps(OddsRow, body, PATH))
