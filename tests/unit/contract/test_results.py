"""What a source says of a game: bit by bit, and as lines of NDJSON."""

import json
from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.results import (
    ENDED,
    BadResultError,
    GameResult,
    GameStatus,
    PeriodScore,
    SelectionResult,
    is_result_line,
    read_result,
    result_line,
    with_earlier_selections,
    with_source,
    without_contradictions,
)
from oddsdesk.contract.times import parse_ms

NOW = parse_ms("2026-11-20T21:00:00Z")
KICK_OFF = parse_ms("2026-11-20T18:30:00Z")


NBA = {"competition": "NBA", "sport": "Basketball", "home": 101, "away": 99}
NHL = {"competition": "NHL", "sport": "Hockey"}
ATP = {"competition": "ATP", "sport": "Tennis"}


def line(**changes: object) -> bytes:
    row = {
        "match_name": "Arsenal vs Chelsea",
        "competition": "EPL",
        "kick_off": "2026-11-20T18:30:00Z",
        "status": "final",
        "home": 2,
        "away": 1,
    }
    found = {name: value for name, value in (row | changes).items() if value is not ...}
    return json.dumps(found).encode()


def test_a_line_is_a_result_with_defaults() -> None:
    assert read_result(line(), NOW) == GameResult("EPL", "Arsenal vs Chelsea", KICK_OFF, 2, 1)


def test_a_line_may_say_all_that_a_result_has() -> None:
    read = read_result(
        line(
            match_name="  Boston   @ Toronto ",
            competition="icehockey_nhl2",
            sport="Hockey",
            periods=[[1, 0, 1], [2, 1, 0], [3, 0, 0], [4, 1, 0]],
            overtime=True,
            selections=[{"market_type": "moneyline", "selection": "Toronto", "result": "won"}],
            bookmaker="Betfair",
            source="scores",
            reported_at="2026-11-20T20:59:00Z",
            kick_off="2026-11-20",
            unknown="fields are ignored",
        ),
        NOW,
    )
    assert read == GameResult(
        "icehockey_nhl2",
        "Boston @ Toronto",
        parse_ms("2026-11-20T12:00:00Z"),
        2,
        1,
        (PeriodScore(1, 0, 1), PeriodScore(2, 1, 0), PeriodScore(3, 0, 0), PeriodScore(4, 1, 0)),
        "Hockey",
        has_time=False,
        overtime=True,
        selections=(SelectionResult("moneyline", 0, "Toronto", "won"),),
        bookmaker="Betfair",
        source="scores",
        reported_at=NOW - 60_000,
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"match_name": "Arsenal"}, "match_name: expected two teams such as Home vs Away"),
        ({"match_name": "Arsenal vs arsenal"}, "match_name: expected two teams"),
        ({"match_name": " "}, "match_name: expected a name"),
        ({"match_name": ...}, "match_name is missing"),
        ({"kick_off": "20/11/2026"}, "kick_off: expected an ISO-8601 time"),
        ({"kick_off": "2026-11-20T18:30:00"}, "kick_off: a time needs an offset"),
        ({"kick_off": "1026-11-20"}, "kick_off: expected a year from 1900"),
        ({"kick_off": "2026-11-20T21:06:00Z"}, "kick_off: .* 5 minutes ahead, but the status is"),
        ({"kick_off": "2026-11-23"}, "kick_off: .* 5 minutes ahead, but the status is final"),
        ({"status": "FT"}, "status: expected one of scheduled, in_play, final, .* got 'FT'"),
        ({"status": "retired", "kick_off": "2026-11-21T00:00:00Z"}, "the status is retired"),
        ({"home": -1}, "home: expected 0 to 10000, got -1"),
        ({"away": 10_001}, "away: expected 0 to 10000, got 10001"),
        ({"away": 1.5}, "away: expected a whole number, got 1.5"),
        ({"home": 97, "away": 94}, "home: expected 0 to 40 in Football, got 97"),
        (NBA | {"home": 3}, "home: expected 10 to 250 in Basketball, got 3"),
        (NBA | {"competition": "SERA"}, "sport: expected Football in SERA, got 'Basketball'"),
        (NHL | {"home": 84, "away": 60}, "home: expected 0 to 40 in Hockey, got 84"),
        (ATP | {"home": 12}, "home: expected 0 to 3 in Tennis, got 12"),
        (ATP | {"periods": [[1, 100, 98]]}, "periods: a set has at most 99 games for a player"),
        ({"home": "2"}, "home: expected a number"),
        ({"home": True}, "home: expected a number"),
        ({"home": None}, "home is missing: expected the score of both teams, or of none"),
        ({"home": None, "away": None}, "home is missing: a final game needs a score"),
        ({"periods": [[2, 1, 0], [1, 1, 1]]}, "periods: expected 1, 2, 3 and so on, got '2, 1'"),
        ({"periods": [[1, 1, 0], [3, 1, 1]]}, "periods: expected 1, 2, 3 and so on, got '1, 3'"),
        ({"periods": [[1, -1, 0]]}, "home in period 1: expected 0 to 10000, got -1"),
        ({"periods": [[1, 1]]}, "periods, item 1: "),
        ({"periods": [[n, 0, 0] for n in range(1, 102)]}, "periods: expected at most 100, got 101"),
        (
            {
                "selections": [{"market_type": "total", "selection": "Over 1", "result": "won"}]
                * 5001
            },
            "selections: expected at most 5,000, got 5,001",
        ),
        ({"periods": [[1, 3, 0]]}, "periods: home has 3 in them, but 2 in the whole game"),
        ({"reported_at": "2026-11-20T21:06:00Z"}, "reported_at: .* 5 minutes ahead"),
        ({"overtime": "no"}, "overtime: expected true or false"),
        (
            {"selections": [{"market_type": "moneyline", "selection": "A", "result": "lose"}]},
            "selections: expected won, lost, void, half_won, half_lost, got 'lose'",
        ),
        (
            {"selections": [{"market_type": "1X2", "selection": "A", "result": "won"}]},
            "selections: market_type: '1X2' is not one of the contract's",
        ),
        (
            {
                "selections": [
                    {"market_type": "moneyline", "selection": "A", "result": "won", "share": 0}
                ]
            },
            "selections: share: expected above 0, at most 1, got 0",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(changes: dict[str, object], words: str) -> None:
    with pytest.raises(BadResultError, match=words):
        read_result(line(**changes), NOW)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"status": "\xff"}', "expected UTF-8 text"),
        (b'{"status": "final"', "this is incomplete JSON"),
        (b'{"status": "final", "x": ' + b"[" * 5_000, "JSON is nested too deeply"),
    ],
)
def test_what_is_no_json_is_refused_in_words(data: bytes, words: str) -> None:
    with pytest.raises(BadResultError, match=words):
        read_result(data, NOW)


@pytest.mark.parametrize(
    "changes",
    [
        {"kick_off": "2026-11-20T21:04:00Z"},
        {"kick_off": "2026-11-21", "away": 1.0},
        {"kick_off": "2026-12-01T18:00:00Z", "status": "postponed", "home": ..., "away": ...},
        NBA | {"status": "in_play", "home": 3, "away": 2},
        {"status": "abandoned", "periods": [[1, 2, 0]], "home": ..., "away": ...},
        {"sport": "Tennis", "competition": "ATP", "periods": [[1, 7, 6], [2, 3, 6], [3, 6, 0]]},
        {"sport": "Hockey", "competition": "", "periods": [[n, 0, 0] for n in (1, 2, 3)]},
        {"home": ..., "away": ..., "selections": [
            {"market_type": "moneyline", "selection": "Chelsea", "result": "lost"}
        ]},
    ],
)  # fmt: skip
def test_what_makes_sense_is_read(changes: dict[str, object]) -> None:
    read_result(line(**changes), NOW)


@pytest.mark.parametrize(
    ("data", "is_result"),
    [
        (line(), True),
        (line(odds={}), False),
        (line(status=...), False),
        (line(status=..., competition='"status"'), False),
        (b'{"status": ', False),
        (b'["status"]', False),
    ],
)
def test_a_result_has_a_status_and_no_odds(data: bytes, is_result: bool) -> None:
    assert is_result_line(data) is is_result


def test_a_source_of_its_own_stays() -> None:
    assert with_source(read_result(line(), NOW), "exec").source == "exec"
    assert with_source(read_result(line(source="scores"), NOW), "exec").source == "scores"


@dataclass(frozen=True)
class _Sport:
    name: str
    competition: str


_SPORTS = (
    _Sport("Football", "EPL"),
    _Sport("Tennis", "ATP"),
    _Sport("AussieRules", "aussierules_afl"),
    _Sport("Other", "cricket_ipl"),
)
_SELECTION = st.builds(
    SelectionResult,
    st.sampled_from(["moneyline", "total"]),
    st.integers(0, 3),
    st.sampled_from(["Arsenal", "Over 2.5"]),
    st.sampled_from(["won", "lost", "void", "half_won", "half_lost"]),
    st.sampled_from([1.0, 0.5]),
)


@given(
    st.sampled_from(_SPORTS),
    st.sampled_from([each for each in GameStatus if each is not GameStatus.FINAL]),
    st.sampled_from([None, (40, 40)]),
    st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), max_size=4),
    st.lists(_SELECTION, max_size=2),
    st.sampled_from([None, True, False]),
    st.booleans(),
)
def test_what_is_written_is_read_back(
    sport: _Sport,
    status: GameStatus,
    score: tuple[int, int] | None,
    parts: list[tuple[int, int]],
    selections: list[SelectionResult],
    overtime: bool | None,
    flag: bool,
) -> None:
    result = GameResult(
        sport.competition,
        "Arsenal vs Chelsea",
        KICK_OFF if flag else parse_ms("2026-11-19T12:00:00Z"),
        *((2, 1) if score and sport.name == "Tennis" else score or (None, None)),
        tuple(PeriodScore(number, *goals) for number, goals in enumerate(parts, start=1)),
        sport.name,
        status,
        has_time=flag,
        overtime=overtime,
        selections=tuple(selections),
        bookmaker="Betfair" if flag else "",
        source="" if flag else "scores",
        reported_at=NOW if flag else 0,
        simulated=flag,
    )
    written = result_line(result)
    assert is_result_line(written)
    assert read_result(written, NOW) == result


def _result(*selections: SelectionResult, **fields: object) -> GameResult:
    known = {"status": GameStatus.UNKNOWN, "bookmaker": "Betfair Exchange", **fields}
    return GameResult("EPL", "Arsenal vs Everton", 1_000, selections=selections, **known)


OVER = SelectionResult("total", 0, "Over 2.5", "won")
HOME = SelectionResult("moneyline", 0, "Arsenal", "won")


def test_a_market_settled_later_adds_to_those_before() -> None:
    first = _result(OVER, reported_at=5)
    final = _result(HOME, status=GameStatus.FINAL, reported_at=9)
    assert with_earlier_selections(final, first) == _result(
        OVER, HOME, status=GameStatus.FINAL, reported_at=9
    )


def test_selections_alone_leave_status_and_score() -> None:
    final = _result(HOME, status=GameStatus.FINAL, home=3, away=0, reported_at=9)
    assert with_earlier_selections(_result(OVER, reported_at=12), final) == _result(
        HOME, OVER, status=GameStatus.FINAL, home=3, away=0, reported_at=12
    )


def test_a_corrected_selection_replaces_the_one_before() -> None:
    corrected = SelectionResult("total", 0, "Over 2.5", "void")
    assert with_earlier_selections(_result(corrected), _result(OVER, HOME)).selections == (
        corrected,
        HOME,
    )


def test_no_bet_settles_because_a_status_is_unknown() -> None:
    assert GameStatus.UNKNOWN not in ENDED


@pytest.mark.parametrize(
    ("changes", "is_contrary"),
    [
        ({"away": 1}, False),
        ({"away": 2}, True),
        ({"away": 2, "kick_off": KICK_OFF + 3_600_000}, True),
        ({"away": 2, "kick_off": KICK_OFF + 3_600_001}, False),
        ({"away": 2, "kick_off": KICK_OFF + 5 * 3_600_000, "has_time": False}, True),
        ({"away": 2, "reported_at": NOW}, False),
        ({"away": 2, "source": "scores"}, False),
        ({"away": 2, "competition": "FA Cup"}, False),
        ({"home": None, "away": None, "status": GameStatus.POSTPONED}, True),
        ({"home": 0, "away": 0, "status": GameStatus.IN_PLAY}, False),
    ],
)
def test_a_file_that_says_two_things_of_one_game_says_nothing(
    changes: dict[str, object], is_contrary: bool
) -> None:
    first = GameResult("EPL", "Arsenal vs Chelsea", KICK_OFF, 2, 1)
    second = msgspec.structs.replace(first, **changes)
    other = msgspec.structs.replace(first, match_name="Leeds vs Wolves")
    found, lines = without_contradictions([first, other, second])
    assert found == ([other] if is_contrary else [first, other, second])
    assert len(lines) == is_contrary
    assert without_contradictions([first, first])[1] == []
