"""Answers with bad cells: these are counted and withdraw nothing; the rest is read."""

import json
from typing import Any

import msgspec
import pytest

from oddsdesk.base.tasks import exhaust, returned
from oddsdesk.board.model.matrix import CellKey
from oddsdesk.client import Client, MalformedAnswerError
from oddsdesk.client.answers import (
    AT_ONCE,
    EventAnswer,
    GameAnswer,
    GameInPart,
    decode,
    decode_list,
    list_in_steps,
    one_in_steps,
)
from oddsdesk.client.partial_answers import Losses, RowInPart, UnreadPrice
from oddsdesk.client.rows import RowSlice, rows_of_game
from oddsdesk.client.stream import _PassedOver
from oddsdesk.client.stream import _read_all as read_frames
from oddsdesk.client.whole_odds import WholeOdds
from oddsdesk.contract.quotes import UNNAMED
from oddsdesk.contract.resources import Answer, Event, OddsRow, ValueBet
from oddsdesk.feeds.mirror import _quote as mirrored
from tests.kit.board import GAME, MONEYLINE, NOW, Desk, matrix, message, odds_row, value_bet
from tests.kit.small_service import SmallService, listing

KEY = "key"
PATH = "/api/odds"
ROW = msgspec.to_builtins(odds_row("Unibet", {"Arsenal": 2.0, "Draw": 3.5, "Chelsea": 4.0}))
EVENT = {
    "slug": "a-vs-b",
    "match_name": "A vs B",
    "competition": "EPL",
    "sport": "Football",
    "match_date": None,
    "is_live": False,
    "bookmaker_count": 3,
}
DISABLED = (None, 0, 0.0, 1, 1.0)
NONSENSE = ("x", "2.0", True, -3, 0.5, [], {}, 1e9, "NaN")


@pytest.fixture
def desk() -> Desk:
    """An empty board at ``NOW``."""
    return Desk()


def read_list(kind: Any, *items: Any) -> tuple[list[Any], Losses]:
    losses = Losses()
    body = json.dumps(listing(*items)).encode()
    items_read, _ = returned(list_in_steps(kind, body, PATH, losses))
    padded = body.replace(b'{"data"', b" " * AT_ONCE + b'{"data"', 1)
    in_steps, _ = returned(list_in_steps(kind, padded, PATH))
    assert in_steps == items_read
    return items_read, losses


@pytest.mark.parametrize("odds", DISABLED)
def test_odds_that_are_none_are_of_a_selection_that_is_not_offered(odds: Any) -> None:
    [row], losses = read_list(OddsRow, ROW | {"odds": ROW["odds"] | {"Draw": odds}})
    assert row.odds == {"Arsenal": 2.0, "Chelsea": 4.0}
    assert row.unread == {}
    assert not losses


@pytest.mark.parametrize("odds", [*NONSENSE, float("nan"), float("inf")])
def test_other_odds_are_unread_and_cost_only_themselves(odds: Any) -> None:
    good = ROW | {"bookmaker": "Betway"}
    [row, other], losses = read_list(OddsRow, ROW | {"odds": ROW["odds"] | {"Draw": odds}}, good)
    assert row.odds == {"Arsenal": 2.0, "Chelsea": 4.0}
    assert list(row.unread) == ["Draw"]
    assert type(other) is OddsRow
    assert (losses.cells, losses.rows) == (1, 0)
    assert "Draw" in str(losses)


@pytest.mark.parametrize(
    "name", ["bookmaker", "match_name", "competition", "market_type", "period"]
)
@pytest.mark.parametrize("value", [None, [], "x" * 300])
def test_a_row_that_does_not_name_its_market_is_left_out(name: str, value: Any) -> None:
    rows, losses = read_list(OddsRow, ROW | {name: value}, ROW)
    assert [row.odds for row in rows] == [ROW["odds"]]
    assert losses.rows == 1


@pytest.mark.parametrize(
    "fields", [{"scraped_at": None}, {"scraped_at": 5}, {"odds": None}, {"is_live": "no"}]
)
async def test_a_row_that_only_names_its_market_is_kept_apart(
    small_service: tuple[SmallService, str], fields: dict[str, Any]
) -> None:
    service, url = small_service
    service.say(listing(ROW | fields, ROW | {"bookmaker": "Betway"}))
    async with Client(url, KEY) as client:
        rows = await client.odds()
    assert [row.bookmaker for row in rows] == ["Betway"]
    [unread] = rows.unread
    assert (unread.bookmaker, unread.odds, list(unread.unread)) == ("Unibet", {}, [UNNAMED])
    assert rows.answered == 2


@pytest.mark.parametrize("limit", ["much", pytest.param(10**400, id="400 digits")])
def test_a_limit_a_link_and_a_kick_off_cost_only_themselves(limit: object) -> None:
    bad = {"liquidity": limit, "url": 5, "match_date": "soon?", "offers": {"Draw": 5}}
    [row], losses = read_list(OddsRow, ROW | bad)
    assert row.odds == ROW["odds"]
    assert (row.liquidity, row.url, row.match_date) == (None, None, None)
    assert row.unread == {}
    assert losses.cells == 4


def test_other_lists_lose_the_items_that_make_no_sense() -> None:
    bet = msgspec.to_builtins(value_bet())
    bets, losses = read_list(ValueBet, bet | {"odds": None}, bet, bet | {"ev_pct": "x"})
    assert len(bets) == 1
    assert losses.rows == 2


def test_a_list_of_something_else_is_an_error() -> None:
    for items in ([{"name": 1}, {"name": 2}], [7]):
        with pytest.raises(MalformedAnswerError):
            returned(list_in_steps(OddsRow, json.dumps(listing(*items)).encode(), PATH))
    for body in (b'{"data": [NaN', b'{"odds": []}', b"<html>"):
        with pytest.raises(MalformedAnswerError):
            returned(list_in_steps(OddsRow, body, PATH))


def test_good_answers_are_read_as_before() -> None:
    [row], losses = read_list(OddsRow, ROW)
    assert type(row) is OddsRow
    assert msgspec.to_builtins(row) == ROW
    assert not losses


@pytest.mark.parametrize(("draw", "unread"), [("x", {"Arsenal", "Draw", "Chelsea"}), (None, set())])
def test_two_teams_are_not_read_without_their_draw(draw: Any, unread: set[str]) -> None:
    """They would look like a bet with overtime."""
    hockey = ROW | {"competition": "NHL", "sport": "Hockey"}
    [row], _ = read_list(OddsRow, hockey | {"odds": ROW["odds"] | {"Draw": draw}})
    assert row.odds == {}
    assert set(row.unread) == unread


# A game


def read_game(said: Any) -> tuple[GameAnswer, Losses]:
    losses = Losses()
    body = json.dumps({"data": said, "meta": {"rate_limit_remaining": 1}}).encode()
    game = returned(one_in_steps(GameAnswer, body, PATH, losses))
    padded = b" " * AT_ONCE + body
    assert returned(one_in_steps(GameAnswer, padded, PATH)) == game
    return game, losses


def game_with(odds: Any = 3.5, **cell: Any) -> dict[str, Any]:
    said: dict[str, Any] = msgspec.to_builtins(matrix())
    books = line_of(said, "Draw")["books"]
    books["Unibet"] = books["Unibet"] | {"odds": odds} | cell
    return said


def merge(desk: Desk, game: Any) -> None:
    """Take in a game that was asked for a second later."""
    desk.now += 1_000
    exhaust(desk.board.merge_matrix(game, desk.now))


def line_of(said: dict[str, Any], selection: str) -> dict[str, Any]:
    lines: list[dict[str, Any]] = said["markets"][0]["selections"]
    return next(each for each in lines if each["selection"] == selection)


@pytest.mark.parametrize("odds", DISABLED)
def test_a_cell_of_a_game_without_odds_is_not_offered(desk: Desk, odds: Any) -> None:
    game, losses = read_game(game_with(odds))
    assert not losses
    exhaust(desk.board.merge_matrix(matrix(), NOW))
    merge(desk, game)
    assert not offered(desk, "Draw")
    assert offered(desk, "Arsenal")


@pytest.mark.parametrize(
    "cell", [{"odds": each} for each in NONSENSE] + [{"scraped_at": None}, {"scraped_at": "soon"}]
)
def test_a_cell_of_a_game_that_cannot_be_read_stays_on_the_board(
    desk: Desk, cell: dict[str, Any]
) -> None:
    exhaust(desk.board.merge_matrix(matrix(), NOW))
    game, _ = read_game(game_with(**cell))
    merge(desk, game)
    assert offered(desk, "Draw")
    assert price(desk, "Draw").odds == MONEYLINE["Unibet"]["Draw"]


def test_a_row_of_a_game_without_its_name_withdraws_nothing_of_its_market(desk: Desk) -> None:
    said = game_with()
    line_of(said, "Draw")["selection"] = None
    exhaust(desk.board.merge_matrix(matrix(), NOW))
    game, losses = read_game(said)
    assert isinstance(game, GameInPart)
    assert game.unread == (UnreadPrice("moneyline", 0),)
    assert losses.rows == 1
    merge(desk, game)
    assert offered(desk, "Draw")
    del said["markets"][0]["selections"][0]
    said["markets"].append({"market_type": 5})
    merge(desk, read_game(said)[0])
    assert offered(desk, "Draw")


def test_a_game_of_which_no_market_makes_sense_is_an_error() -> None:
    said = game_with() | {"markets": [{"market_type": 5}]}
    with pytest.raises(MalformedAnswerError):
        read_game(said)


def test_a_game_as_rows_says_what_of_them_is_unread() -> None:
    game, _ = read_game(game_with("x"))
    [row] = [row for row in rows_of_game(game) if row.bookmaker == "Unibet"]
    assert isinstance(row, RowInPart)
    assert list(row.unread) == ["Draw"]
    assert set(row.odds) == {"Arsenal", "Chelsea"}


def test_of_an_event_the_good_prices_are_read() -> None:
    good = [{"selection": "Arsenal", "odds": 2.0}, {"selection": "Draw", "odds": 3.5}]
    bad = [{"selection": "Chelsea", "odds": None}, {"selection": "X", "odds": "x"}, 7]
    group = {"bookmaker": "Unibet", "market_type": "moneyline", "period": 0, "url": None}
    group |= {"scraped_at": ROW["scraped_at"]}
    said = {"match_name": "A vs B", "competition": "EPL", "sport": "Football", "slug": "a"}
    said |= {"match_date": None, "reference": [], "summary": {"bookmakers": []}}
    said["summary"] |= {"market_types": [], "total_markets": 1}
    said["markets"] = [group | {"selections": good + bad}, group | {"selections": 5}]
    losses = Losses()
    body = json.dumps({"data": said, "meta": {"rate_limit_remaining": 1}}).encode()
    event = returned(one_in_steps(EventAnswer, body, PATH, losses))
    assert [each.selection for each in event.markets[0].selections] == ["Arsenal", "Draw"]
    assert (len(event.markets), losses.cells, losses.rows) == (1, 2, 1)


# All rows, on a board and mirrored


def price(desk: Desk, selection: str) -> Any:
    return desk.board.price(GAME, CellKey("moneyline", 0, selection, "Unibet"))


def offered(desk: Desk, selection: str) -> bool:
    held = price(desk, selection)
    return held is not None and bool(held.is_offered)


async def passed(small_service: tuple[SmallService, str], desk: Desk, *items: Any) -> WholeOdds:
    """Take a pass over all rows, which a service answers as these, into a board."""
    service, url = small_service
    service.say(listing(*items))
    async with Client(url, KEY) as client:
        reading = WholeOdds(client, RowSlice(), clock=lambda: NOW + 1)
        async for part in reading.read():
            exhaust(desk.board.merge_rows(part.rows, NOW + 1))
    exhaust(desk.board.withdrawing_unheard(NOW + 1, reading.coverage))
    return reading


@pytest.mark.parametrize(
    ("fields", "stay", "said"),
    [
        ({"odds": {"Arsenal": 2.0, "Draw": None, "Chelsea": 4.0}}, "AC", ""),
        ({"odds": {"Arsenal": 2.0, "Draw": "x", "Chelsea": 4.0}}, "ADC", "1 value, the first: "),
        ({"odds": {"Arsenal": 2.0, "Draw": "x"}}, "AD", "1 value, the first: "),
        ({"scraped_at": None}, "ADC", "1 value, the first: "),
        ({"odds": 5}, "ADC", "1 value, the first: "),
        ({"bookmaker": None}, "ADC", "1 row, the first: "),
    ],
)
async def test_a_pass_withdraws_nothing_that_could_not_be_read(
    small_service: tuple[SmallService, str],
    desk: Desk,
    fields: dict[str, Any],
    stay: str,
    said: str,
) -> None:
    desk.board.keep_all_rows(True)
    exhaust(desk.board.merge_rows([msgspec.convert(ROW, OddsRow)], NOW))
    desk.now += 1
    good = ROW | {"bookmaker": "Betway"}
    reading = await passed(small_service, desk, ROW | fields, good)
    named = {"A": "Arsenal", "D": "Draw", "C": "Chelsea"}
    assert {name for name in named.values() if offered(desk, name)} == {named[x] for x in stay}
    assert "; ".join(reading.unread).startswith(said)
    assert bool(reading.unread) is bool(said)


async def test_a_time_that_is_a_text_of_something_else_withdraws_nothing(
    small_service: tuple[SmallService, str], desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    desk.board.keep_all_rows(True)
    exhaust(desk.board.merge_rows([msgspec.convert(ROW, OddsRow)], NOW))
    desk.now += 1
    await passed(small_service, desk, ROW | {"scraped_at": "yesterday"})
    assert offered(desk, "Draw")
    assert "'yesterday'" in caplog.text


async def test_a_snapshot_says_what_it_lacks(small_service: tuple[SmallService, str]) -> None:
    service, url = small_service
    service.say(listing(ROW | {"odds": None}, ROW | {"bookmaker": "Betway"}, {"bookmaker": 5}))
    async with Client(url, KEY) as client:
        rows, unread = await client.odds_snapshot()
    assert [row.bookmaker for row in rows] == ["Betway"]
    [line] = unread
    assert line.startswith("1 value and 1 row, the first: ")


def test_a_mirrored_row_keeps_what_it_could_not_read() -> None:
    [row], _ = read_list(OddsRow, ROW | {"odds": ROW["odds"] | {"Draw": "x"}})
    assert list(mirrored(row, NOW).unread or ()) == ["Draw"]
    late = mirrored(msgspec.convert(ROW | {"scraped_at": "yesterday"}, OddsRow), NOW)
    assert (late.odds, list(late.unread or ()), late.scraped_at) == ({}, [UNNAMED], NOW)
    assert late.stays("Draw")


# The stream


def test_a_message_of_no_odds_withdraws_and_nonsense_is_passed_over(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(matrix(), NOW))
    said = msgspec.to_builtins(message("Draw", 3.8, bookmaker="Unibet"))
    frames = [said | {"odds": "x"}, said | {"selection": None}, said | {"odds": -2}]
    desk.board.apply_all(read(*frames))
    assert price(desk, "Draw").odds == MONEYLINE["Unibet"]["Draw"]
    for odds in DISABLED:
        exhaust(desk.board.merge_matrix(matrix(), NOW))
        assert offered(desk, "Draw")
        desk.board.apply_all(read(said | {"odds": odds}))
        assert not offered(desk, "Draw")
        assert offered(desk, "Arsenal")


def read(*frames: dict[str, Any]) -> list[Any]:
    return read_frames([json.dumps(each).encode() for each in frames], _PassedOver(lambda: NOW))


@pytest.mark.parametrize("name", ["offers", "offer", "source_sport"])
@pytest.mark.parametrize("value", [[1, 2], 7, None, True])
@pytest.mark.parametrize(("kind", "item"), [(OddsRow, ROW), (Event, EVENT)])
def test_an_extension_of_another_shape_is_ignored(
    kind: Any, item: dict[str, Any], name: str, value: object
) -> None:
    def body(*items: object) -> bytes:
        return json.dumps(
            {"data": items, "meta": {"rate_limit_remaining": 9, "count": len(items)}}
        ).encode()

    plain = decode(Answer[list[kind]], body(item), "/api/list").data
    items, _ = decode_list(kind, body(item | {name: value}, item), "/api/list")
    assert items == [*plain, *plain]
    assert type(items[0]) is kind  # nothing of it was lost
