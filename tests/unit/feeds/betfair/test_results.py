"""Closed markets of Betfair as results of their selections."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from oddsdesk.contract.results import GameStatus
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.betfair.books import Definition, settled_runners
from oddsdesk.feeds.betfair.catalogue import Market, result_of
from oddsdesk.feeds.errors import FeedError

pytestmark = pytest.mark.unit

NOW = 1_800_000_000_000
STARTS = parse_ms("2026-04-11T11:30:00Z")
TEAMS = {1: "Leeds", 2: "Luton", 3: "Draw"}


def market(kind: str = "moneyline", period: int = 0, **fields: Any) -> Market:
    selections = fields.pop("selections", TEAMS)
    return Market("Leeds vs Luton", "EFL", kind, period, STARTS, selections, **fields)


def closed(*runners: tuple[int, str, float], **fields: Any) -> Definition:
    defaults = {
        "status": "CLOSED",
        "inPlay": True,
        "numberOfWinners": 1,
        "settledTime": "2026-04-11T13:25:00.000Z",
        "runners": [{"id": ident, "status": status, "hc": hc} for ident, status, hc in runners],
    }
    return msgspec.convert(defaults | fields, Definition)


def settled(of: Market, definition: Definition) -> dict[str, tuple[str, float]]:
    result = result_of(of, definition, NOW)
    assert result is not None
    return {each.selection: (each.result, each.share) for each in result.selections}


MATCH = closed((1, "LOSER", 0), (2, "LOSER", 0), (3, "WINNER", 0))


def test_a_match_result_makes_the_game_final() -> None:
    result = result_of(market(), MATCH, NOW)
    assert result is not None
    assert (result.competition, result.match_name) == ("EFL", "Leeds vs Luton")
    assert (result.kick_off, result.sport, result.bookmaker) == (
        STARTS,
        "Football",
        "Betfair Exchange",
    )
    assert (result.status, result.home, result.away) == (GameStatus.FINAL, None, None)
    assert result.reported_at == parse_ms("2026-04-11T13:25:00Z")
    assert settled(market(), MATCH) == {
        "Leeds": ("lost", 1),
        "Luton": ("lost", 1),
        "Draw": ("won", 1),
    }


@pytest.mark.parametrize(
    ("kind", "period"), [("moneyline", 1), ("total", 0), ("draw_no_bet", 0), ("btts", 0)]
)
def test_another_market_does_not_say_how_the_game_stands(kind: str, period: int) -> None:
    result = result_of(market(kind, period), closed((1, "WINNER", 0), (2, "LOSER", 0)), NOW)
    assert result is not None
    assert result.status is GameStatus.UNKNOWN
    assert {(each.market_type, each.period) for each in result.selections} == {(kind, period)}


def test_a_market_whose_runners_are_removed_is_void_for_an_unknown_reason() -> None:
    void = closed((1, "REMOVED", 0), (2, "REMOVED", 0), (3, "REMOVED", 0))
    result = result_of(market(), void, NOW)
    assert result is not None
    assert result.status is GameStatus.UNKNOWN
    assert {each.result for each in result.selections} == {"void"}


@pytest.mark.parametrize("status", ["OPEN", "SUSPENDED", "INACTIVE"])
def test_a_market_that_is_not_closed_has_no_result(status: str) -> None:
    assert result_of(market(), msgspec.structs.replace(MATCH, status=status), NOW) is None


def test_a_market_without_a_winner_is_left_to_people() -> None:
    losers = closed((1, "LOSER", 0), (2, "LOSER", 0), (3, "LOSER", 0))
    assert result_of(market(), losers, NOW) is None


def test_the_winners_of_a_dead_heat_share_the_stake() -> None:
    two = market(selections={1: "Leeds", 2: "Luton"})
    assert settled(two, closed((1, "WINNER", 0), (2, "WINNER", 0))) == {
        "Leeds": ("won", 0.5),
        "Luton": ("won", 0.5),
    }


def test_winners_as_many_as_places_share_nothing() -> None:
    chances = market("double_chance", selections={1: "1X", 2: "X2", 3: "12"})
    runners = ((1, "WINNER", 0), (2, "LOSER", 0), (3, "WINNER", 0))
    assert settled(chances, closed(*runners, numberOfWinners=2)) == {
        "1X": ("won", 1),
        "X2": ("lost", 1),
        "12": ("won", 1),
    }


def test_an_unknown_number_of_winners_is_no_dead_heat() -> None:
    two = closed((1, "WINNER", 0), (2, "WINNER", 0), numberOfWinners=0)
    assert set(settled_runners(two).values()) == {("won", 1.0)}


def test_nobody_knows_who_shared_the_last_of_several_places() -> None:
    runners = ((1, "WINNER", 0), (2, "WINNER", 0), (3, "WINNER", 0), (4, "LOSER", 0))
    assert settled_runners(closed(*runners, numberOfWinners=2)) == {(4, 0.0): ("lost", 1.0)}


def test_a_runner_that_is_only_placed_lost_the_win_and_is_left_out_elsewhere() -> None:
    runners = ((1, "WINNER", 0), (2, "PLACED", 0), (3, "LOSER", 0))
    each_way = settled_runners(closed(*runners, marketType="EACH_WAY"))
    assert each_way == {(1, 0.0): ("won", 1.0), (3, 0.0): ("lost", 1.0)}
    win = settled_runners(closed(*runners, marketType="WIN"))
    assert win == each_way | {(2, 0.0): ("lost", 1.0)}


def test_handicaps_of_half_goals_are_settled_by_line() -> None:
    lines = closed(
        *((1, "LOSER", -0.5), (2, "WINNER", 0.5), (1, "WINNER", 0.5), (2, "LOSER", -0.5)),
        *((1, "LOSER", 0.0), (2, "LOSER", 0.0), (1, "LOSER", -0.25), (2, "WINNER", 0.25)),
    )
    assert settled(market("spread", selections={1: "Leeds", 2: "Luton"}), lines) == {
        "Leeds -0.5": ("lost", 1),
        "Luton +0.5": ("won", 1),
        "Leeds +0.5": ("won", 1),
        "Luton -0.5": ("lost", 1),
    }


def test_a_runner_without_a_known_name_is_left_out() -> None:
    definition = closed((1, "WINNER", 0), (9, "LOSER", 0))
    assert settled(market("draw_no_bet"), definition) == {"Leeds": ("won", 1)}


def test_without_a_settled_time_it_was_reported_now() -> None:
    result = result_of(market(), closed(*((1, "WINNER", 0),), settledTime=None), NOW)
    assert result is not None
    assert result.reported_at == NOW


def test_an_invalid_settled_time_is_named() -> None:
    with pytest.raises(FeedError, match="settledTime"):
        result_of(market(), closed((1, "WINNER", 0), settledTime="soon"), NOW)


WORDS = {"WINNER": "won", "LOSER": "lost", "PLACED": "lost", "REMOVED": "void"}


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("blw/BASIC-1.132153978", 14),
        ("nautilus/market_definition_closed.json", 17),
        ("nautilus/mcm_BSP_settled.json", 4),
        ("nautilus/market_definition_open.json", 0),
        ("nautilus/market_definition_racing.json", 0),
    ],
)
def test_each_runner_of_a_real_market_is_settled_as_its_last_definition_says(
    shared_data: Path, name: str, count: int
) -> None:
    text = (shared_data / "live" / "betfair" / name).read_text()
    messages = [text] if name.endswith(".json") else text.splitlines()
    definitions = [
        each["marketDefinition"]
        for line in map(json.loads, messages)
        for each in line.get("mc", [{"marketDefinition": line}])
        if "marketDefinition" in each
    ]
    found = settled_runners(msgspec.convert(definitions[-1], Definition, strict=False))
    runners = definitions[-1]["runners"] if count else []
    assert len(runners) == count
    assert found == {(each["id"], 0.0): (WORDS[each["status"]], 1.0) for each in runners}


def test_each_runner_of_a_real_image_is_settled_as_its_definition_says(shared_data: Path) -> None:
    path = shared_data / "live" / "betfair" / "blw" / "streaming_mcm_SUB_IMAGE_no_market_def.json"
    changes = json.loads(path.read_text())["mc"]
    closed = [
        each["marketDefinition"]
        for each in changes
        if each.get("marketDefinition", {}).get("status") == "CLOSED"
    ]
    assert len(closed) == 11
    for raw in closed:
        found = settled_runners(msgspec.convert(raw, Definition, strict=False))
        expected = {(each["id"], 0.0): (WORDS[each["status"]], 1.0) for each in raw["runners"]}
        assert found == expected
