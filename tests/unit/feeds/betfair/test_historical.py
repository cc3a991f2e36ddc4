"""Betfair's historical files: each number kept or counted, each market settled."""

import bz2
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.resources import Offer
from oddsdesk.contract.results import GameStatus
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.betfair.historical import convert
from oddsdesk.feeds.imported import Imported, SourceFile
from oddsdesk.feeds.importing import read_files
from oddsdesk.feeds.replay import read_recording

pytestmark = pytest.mark.unit

START = "2026-04-11T11:30:00.000Z"
KICK_OFF = parse_ms(START)
AT = KICK_OFF - 60_000
MATCH = {1: "Leeds", 2: "Luton", 3: "The Draw"}
GOALS = {1: "Under 2.5 Goals", 2: "Over 2.5 Goals"}
Line = tuple[int, dict[str, Any]]


def definition(
    status: str = "OPEN", *, live: bool = False, names: dict[int, str] = MATCH, **fields: Any
) -> dict[str, Any]:
    statuses = fields.pop("statuses", {})
    defaults = {
        "status": status,
        "inPlay": live,
        "numberOfWinners": 1,
        "marketType": "MATCH_ODDS",
        "marketTime": START,
        "eventTypeId": "1",
        "eventId": "77",
        "eventName": "Leeds v Luton",
        "runners": [
            {"id": ident, "name": name, "status": statuses.get(ident, "ACTIVE"), "sortPriority": n}
            for n, (ident, name) in enumerate(names.items(), start=1)
        ],
    }
    return {"marketDefinition": defaults | fields}


def backs(**levels: Any) -> dict[str, Any]:
    """Levels of runners by number: ``backs(r1=[[0, 2.5, 10]])``."""
    return {"rc": [{"id": int(name[1:]), "batb": each} for name, each in levels.items()]}


def file(*lines: Line, ident: str = "1.1", name: str = "1.1.bz2") -> SourceFile:
    messages = [
        {"op": "mcm", "clk": "1", "pt": at, "mc": [{"id": ident, **change}]} for at, change in lines
    ]
    return SourceFile(name, b"".join(json.dumps(each).encode() + b"\n" for each in messages))


def imported(*lines: Line) -> Imported:
    return convert([file(*lines)])


def in_short(quotes: Sequence[Quote]) -> list[tuple[int, bool, dict[str, float]]]:
    return [(each.scraped_at, each.is_live, each.odds) for each in quotes]


OPEN = (AT, definition() | backs(r1=[[0, 2.5, 10]], r2=[[0, 3.0, 10]], r3=[[0, 3.4, 10]]))
ODDS = {"Leeds": 2.5, "Draw": 3.4, "Luton": 3.0}
CLOSED = definition(
    "CLOSED",
    live=True,
    statuses={1: "LOSER", 2: "WINNER", 3: "LOSER"},
    settledTime="2026-04-11T13:22:01.000Z",
)


def test_each_change_of_a_best_price_is_a_quote_of_the_whole_market() -> None:
    found = imported(OPEN, (AT + 5, backs(r1=[[0, 2.6, 4], [1, 2.5, 10]])))
    assert (found.problems, found.inferred_times) == ([], False)
    assert in_short(found.quotes) == [(AT, False, ODDS), (AT + 5, False, ODDS | {"Leeds": 2.6})]
    first = found.quotes[0]
    assert list(first.odds) == ["Leeds", "Draw", "Luton"]
    assert (first.bookmaker, first.match_name, first.competition, first.sport) == (
        *("Betfair Exchange", "Leeds vs Luton", "Soccer", "Football"),
    )
    assert (first.market_type, first.period, first.match_date, first.event) == (
        *("moneyline", 0, KICK_OFF, "betfair:77"),
    )
    assert found.skipped == {"no new best back price": 1}


def test_a_market_is_withdrawn_while_suspended_and_marked_in_play() -> None:
    found = imported(
        OPEN,
        (AT + 10, definition("SUSPENDED")),
        (AT + 11, backs(r1=[[0, 2.7, 3]])),
        (AT + 20, definition(live=True)),
        (AT + 30, CLOSED),
    )
    assert in_short(found.quotes) == [
        (AT, False, ODDS),
        (AT + 10, False, {}),
        (AT + 20, True, ODDS | {"Leeds": 2.7}),
        (AT + 30, True, {}),
    ]
    assert found.skipped == {"market not open": 1}


def test_going_in_play_without_a_suspension_is_a_quote() -> None:
    found = imported(OPEN, (AT + 10, definition(live=True)))
    assert in_short(found.quotes) == [(AT, False, ODDS), (AT + 10, True, ODDS)]


def test_a_removed_level_leaves_the_next_one() -> None:
    found = imported(OPEN, (AT + 1, backs(r1=[[1, 2.4, 5]])), (AT + 2, backs(r1=[[0, 0, 0]])))
    assert found.quotes[-1].odds == ODDS | {"Leeds": 2.4}


def test_all_levels_of_a_full_book_are_followed() -> None:
    book = {
        "rc": [{"id": n, "atb": [[price, 5], [1.5, 5]]} for n, price in ((1, 2), (2, 3), (3, 4))]
    }
    found = imported((AT, definition() | book), (AT + 1, {"rc": [{"id": 1, "atb": [[2, 0]]}]}))
    assert [each.odds["Leeds"] for each in found.quotes] == [2, 1.5]


def test_last_traded_prices_are_no_offers() -> None:
    traded = {"rc": [{"id": 1, "ltp": 2.5, "trd": [[2.5, 10], [2.6, 3]], "tv": 13}]}
    found = imported((AT, definition()), (AT + 1, traded), (AT + 2, CLOSED))
    assert found.quotes == []
    assert found.skipped == {"traded, not offered": 3}
    assert len(found.results) == 1


def test_starting_prices_are_counted() -> None:
    starting = {"rc": [{"id": 1, "spn": 2.4, "spf": "NaN", "spb": [[2, 1]]}]}
    assert imported(OPEN, (AT + 1, starting)).skipped == {"starting price": 2}


def test_each_change_of_the_best_lay_odds_is_a_quote_too() -> None:
    def lays(*levels: list[float]) -> dict[str, Any]:
        return {"rc": [{"id": 1, "batl": list(levels)}]}

    found = imported(
        OPEN,
        (AT + 1, lays([0, 2.6, 9], [1, 2.62, 5])),
        (AT + 2, lays([0, 2.6, 4])),
        (AT + 3, lays([0, 2.58, 2])),
        (AT + 4, definition("SUSPENDED")),
    )
    offers = [each.offers for each in found.quotes]
    assert [each.scraped_at - AT for each in found.quotes] == [0, 1, 3, 4]
    assert offers == [
        None,
        {"Leeds": Offer(lay=((2.6, 9.0),), currency="GBP")},
        {"Leeds": Offer(lay=((2.58, 2.0),), currency="GBP")},
        None,
    ]
    assert found.quotes[-1].odds == {}
    assert found.skipped == {"no new best lay price": 2}


def test_without_a_price_of_the_draw_nothing_is_kept() -> None:
    found = imported((AT, definition() | backs(r1=[[0, 2.5, 10]], r2=[[0, 3.0, 10]])))
    assert (found.quotes, found.skipped) == ([], {"draw without a possible price": 2})


def test_a_closed_market_settles_its_selections() -> None:
    (result,) = imported(OPEN, (AT + 5, CLOSED)).results
    assert (result.status, result.kick_off) == (GameStatus.FINAL, KICK_OFF)
    assert result.reported_at == parse_ms("2026-04-11T13:22:01Z")
    assert {each.selection: each.result for each in result.selections} == {
        "Leeds": "lost",
        "Draw": "lost",
        "Luton": "won",
    }


def test_a_market_opened_again_has_no_result() -> None:
    assert imported(OPEN, (AT + 5, CLOSED), (AT + 6, definition("SUSPENDED"))).results == []


def test_the_last_settlement_counts() -> None:
    other = definition("CLOSED", statuses={1: "WINNER", 2: "LOSER", 3: "LOSER"})
    (result,) = imported(OPEN, (AT + 5, CLOSED), (AT + 6, other)).results
    assert next(each.result for each in result.selections if each.selection == "Leeds") == "won"


def goals(line: str, *lines: Line, ident: str) -> SourceFile:
    names = {n: name.replace("2.5", line) for n, name in GOALS.items()}
    fields = {"marketType": f"OVER_UNDER_{line.replace('.', '')}", "names": names}
    made = [(at, definition(**fields, **change) | levels) for at, change, levels in lines]
    return file(*made, ident=ident, name=ident)


def test_goal_lines_of_several_files_are_one_market() -> None:
    files = [
        goals("2.5", (AT, {}, backs(r1=[[0, 1.9, 5]], r2=[[0, 2.0, 5]])), ident="1.2"),
        goals(
            "3.5",
            (AT + 5, {}, backs(r1=[[0, 1.4, 5]], r2=[[0, 3.0, 5]])),
            (AT + 9, {"status": "SUSPENDED"}, {}),
            ident="1.3",
        ),
    ]
    both = {"Over 2.5": 2.0, "Under 2.5": 1.9}
    found = convert(files)
    assert in_short(found.quotes) == [
        (AT, False, both),
        (AT + 5, False, both | {"Over 3.5": 3.0, "Under 3.5": 1.4}),
        (AT + 9, False, both),
    ]


def test_results_of_the_markets_of_a_game_are_put_together() -> None:
    settled = {"status": "CLOSED", "statuses": {1: "LOSER", 2: "WINNER"}}
    files = [goals("2.5", (AT, settled, {}), ident="1.2"), file(OPEN, (AT + 5, CLOSED))]
    (result,) = convert(files).results
    assert result.status is GameStatus.FINAL
    assert {each.selection: each.result for each in result.selections} == {
        "Over 2.5": "won",
        "Under 2.5": "lost",
        "Leeds": "lost",
        "Draw": "lost",
        "Luton": "won",
    }


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"marketType": "CORRECT_SCORE"}, "market type CORRECT_SCORE"),
        ({"eventName": "Ham 14th Jun"}, "not a game"),
        ({"eventName": None}, "no names of teams"),
        ({"marketType": "DRAW_NO_BET"}, "unknown outcome"),
    ],
)
def test_numbers_of_other_markets_are_counted_with_the_reason(
    fields: dict[str, Any], reason: str
) -> None:
    levels = {"rc": [{"id": 1, "batb": [[0, 2.5, 1]], "batl": [[0, 2.6, 1]], "ltp": 2.5}]}
    found = imported((AT, definition(**fields) | levels))
    assert (found.quotes, found.results, found.skipped) == ([], [], {reason: 3})


def test_after_an_unreadable_change_nothing_is_offered_until_the_next_image() -> None:
    found = imported(
        OPEN,
        (AT + 1, backs(r1=[["best", 2.6, 4]])),
        (AT + 2, backs(r1=[[0, 2.7, 4]])),
        (AT + 3, OPEN[1] | {"img": True}),
    )
    assert in_short(found.quotes) == [(AT, False, ODDS), (AT + 1, False, {}), (AT + 3, False, ODDS)]
    assert found.skipped == {"broken market": 1, "after an unreadable message": 1}
    (problem,) = found.problems
    assert problem.startswith("1.1.bz2 line 2: market 1.1: rc, item 1, batb, item 1, item 1: expec")


def test_after_a_lost_line_nothing_is_offered_until_the_next_image() -> None:
    image = file((AT + 3, OPEN[1] | {"img": True})).data
    data = file(OPEN).data + b'{"op": "mcm", "pt' + b"\n" + file((AT + 2, backs())).data + image
    found = convert([SourceFile("1.1", data)])
    assert in_short(found.quotes) == [(AT, False, ODDS), (AT, False, {}), (AT + 3, False, ODDS)]
    assert len(found.problems) == 1


def test_a_level_without_its_size_is_named() -> None:
    found = imported(OPEN, (AT + 1, backs(r1=[[0, 2.6]])))
    assert found.problems == [
        "1.1.bz2 line 2: market 1.1: batb: expected position, price and size, got [0.0, 2.6]"
    ]


def test_a_file_of_another_kind_is_one_problem(tmp_path: Path) -> None:
    good, other, season = tmp_path / "1.1", tmp_path / "notes.txt", tmp_path / "E0.csv"
    good.write_bytes(file(OPEN).data)
    other.write_bytes(b"a,b\n1,2\n" * 300)
    season.write_bytes(b"Div,Date,HomeTeam,AwayTeam,FTHG,FTAG\nE0,1/1/20,A,B,1,2\n")
    counted: list[int] = []
    places = [str(each) for each in (other, season, good)]
    found = read_files("betfair", places, counted.append)
    assert found.problems[0] == (
        f"{other}: expected Betfair's historical data (a message with op and pt in each line)"
    )
    assert found.problems[1].startswith(f"{season}: this is a file of football-data.co.uk")
    assert (len(found.problems), len(found.quotes)) == (2, 1)


def test_progress_is_reported_after_each_file(tmp_path: Path) -> None:
    traded = {"rc": [{"id": 1, "ltp": 2.5}]}
    for number in range(3):
        data = file((AT, definition()), (AT + number, traded)).data
        (tmp_path / str(number)).write_bytes(data)
    counted: list[int] = []
    read_files("betfair", [str(tmp_path)], counted.append)
    assert counted == [1, 1, 1, 0]


def test_many_bad_lines_are_counted() -> None:
    data = file(OPEN).data + b"{\n" * 10
    found = convert([SourceFile("1.1", data)])
    assert in_short(found.quotes) == [(AT, False, ODDS), (AT, False, {})]
    assert [each.partition(": ")[0] for each in found.problems] == [
        *("1.1 line 2", "1.1 line 3", "1.1 line 4", "1.1")
    ]
    assert found.problems[-1] == "1.1: 7 more lines cannot be read"


@pytest.mark.parametrize("pt", [0, 10**17])
def test_a_message_without_a_possible_time_is_left_out(pt: int) -> None:
    found = imported(OPEN, (pt, backs(r1=[[0, 9.0, 1]])))
    assert len(found.quotes) == 1
    assert "pt: expected milliseconds since 1970" in found.problems[0]


def test_a_cut_file_keeps_what_came_before(tmp_path: Path) -> None:
    changes = [(AT + n, backs(r1=[[0, 2 + n / 100, n % 89 + 1]])) for n in range(1, 20_000)]
    path = tmp_path / "1.1.bz2"
    path.write_bytes(bz2.compress(file(OPEN, *changes).data, 1)[:-20_000])
    found = read_files("betfair", [str(path)], lambda _prices: None)
    assert found.problems == [f"{path}: the bzip2 data ends early"]
    assert 1_000 < len(found.quotes) < 20_000


def test_a_packed_file_is_replayed(tmp_path: Path) -> None:
    path = tmp_path / "1.1.bz2"
    path.write_bytes(bz2.compress(file(OPEN, (AT + 5, CLOSED)).data))
    assert [each.at for each in read_recording(f"betfair:{path}").moments] == [AT, AT + 5]


def test_each_last_traded_price_of_a_real_race_is_counted(shared_data: Path) -> None:
    path = shared_data / "live" / "betfair" / "blw" / "BASIC-1.132153978"
    found = read_files("betfair", [str(path)], lambda _prices: None)
    lines = map(json.loads, path.read_text().splitlines())
    runners = [each for line in lines for change in line["mc"] for each in change.get("rc", ())]
    assert (found.quotes, found.results, found.problems) == ([], [], [])
    assert found.skipped == {"market type WIN": sum("ltp" in each for each in runners)}
