"""Results are read while a game is in play or a bet is due, and cost nothing else."""

import asyncio
import logging
from pathlib import Path

import msgspec
import pytest

from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
from oddsdesk.board.intake.result_reading import RESULTS, ResultReader
from oddsdesk.board.model.matrix import GameEntry
from oddsdesk.client.answers import Listing
from oddsdesk.contract.access import Plan
from oddsdesk.contract.results import GameResult, GameStatus, ResultRow, result_row
from oddsdesk.contract.times import parse_ms
from tests.kit.board import GAME, MONEYLINE, NAME
from tests.kit.board_service import key_of, quote, service
from tests.kit.syncing import syncing
from tests.kit.waiting import until

NOW = 1_800_000_000_000
HOUR = 3_600_000
DAY = 24 * HOUR


class Service:
    """Answers what a test sets, and records the requests."""

    def __init__(self, rows: list[ResultRow], *, has_results: bool = True) -> None:
        self.rows, self.has_results = rows, has_results
        self.asked: list[tuple[int, int]] = []
        self.offers_asked = 0

    async def offers(self, path: str) -> bool:
        assert path == "/api/results"
        self.offers_asked += 1
        return self.has_results

    async def results(
        self, *, since: str, until: str, limit: int, cursor: str | None
    ) -> Listing[ResultRow]:
        assert (limit, cursor) == (500, None)
        self.asked.append((parse_ms(since), parse_ms(until)))
        return Listing(self.rows)


def row(home: int = 2, **fields: object) -> ResultRow:
    result = GameResult("EPL", "Leeds vs Hull", NOW - HOUR, home, 1, source="football-data")
    return result_row("g", msgspec.structs.replace(result, **fields))


def listed(kick_off: int) -> GameEntry:
    return GameEntry("g", "Leeds vs Hull", "EPL", "Football", kick_off, False, 3, None)


def reading(service: Service, board: Board, at: list[int]) -> ResultReader:
    return ResultReader(service, board, lambda: at[0])  # type: ignore[arg-type]


async def test_scores_and_results_of_bets_are_read_from_a_service(tmp_path: Path) -> None:
    kick_off = system_clock() - HOUR
    moved = [
        msgspec.structs.replace(quote(name), match_date=kick_off, is_live=True)
        for name in MONEYLINE
    ]
    async with (
        service(tmp_path, 0, *moved) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE)) as (board, sync),
    ):
        await until(lambda: GAME in board.games)
        playing = GameResult("EPL", NAME, kick_off, 1, 0, status=GameStatus.IN_PLAY, source="feed")
        old = GameResult("EPL", "Leeds vs Hull", kick_off - 300 * DAY, 3, 1, source="football-data")
        await asyncio.wrap_future(server.store.record_results([playing, old]))
        board.result_kick_offs = {old.kick_off: True}
        sync.read_all_again()
        await until(lambda: len(board.results) == 2)
        score = board.score_of(board.games[GAME])
        assert score is not None
        assert (score.score, score.is_over) == ("1-0", False)
        assert {each.result.source for each in board.results} == {"feed", "football-data"}


async def test_nothing_is_read_while_nothing_depends_on_it(tmp_path: Path) -> None:
    async with (
        service(tmp_path) as server,
        syncing(server.url, key_of(server, Plan.PRO_LIVE)) as (board, sync),
    ):
        await until(lambda: GAME in board.games)
        assert RESULTS not in sync.budget.periods_s()
        board.result_kick_offs = {system_clock() - DAY: True}
        await until(lambda: RESULTS in sync.budget.periods_s())
        board.result_kick_offs = {}
        await until(lambda: RESULTS not in sync.budget.periods_s())


@pytest.mark.parametrize(
    ("kick_off", "is_due"),
    [(NOW + HOUR, False), (NOW, True), (NOW - 4 * HOUR, True), (NOW - 6 * HOUR, False)],
)
def test_games_are_read_from_the_kick_off_until_they_must_be_over(
    kick_off: int, is_due: bool
) -> None:
    board = Board(lambda: NOW)
    board.games = {"g": listed(kick_off)}
    assert reading(Service([]), board, [NOW]).is_due is is_due


async def test_a_bet_is_asked_for_often_while_it_is_fresh_and_hourly_after_that() -> None:
    at, board, asked = [NOW], Board(lambda: NOW), Service([row()])
    reader = reading(asked, board, at)
    board.result_kick_offs = {NOW + HOUR: True, NOW - HOUR: True, NOW - 50 * DAY: True}
    assert reader.is_due
    await reader.read_results()
    for kick_off in (NOW - HOUR, NOW - 50 * DAY):
        assert any(since < kick_off < until for since, until in asked.asked)
    assert max(until for _, until in asked.asked) == NOW + HOUR, "games to come have no result"
    asked.asked.clear()
    at[0] += 20_000
    await reader.read_results()
    [(since, until_ms)] = asked.asked
    assert (until_ms - since) < 2 * DAY, "the old one is not asked for again so soon"
    board.result_kick_offs = {NOW - 50 * DAY: True}
    assert not reader.is_due
    at[0] += HOUR
    assert reader.is_due, "a result may have been added"


async def test_a_service_without_results_is_never_asked_for_them() -> None:
    board, asked = Board(lambda: NOW), Service([], has_results=False)
    board.result_kick_offs = {NOW - HOUR: True}
    reader = reading(asked, board, [NOW])
    await reader.read_results()
    await reader.read_results()
    assert (asked.asked, asked.offers_asked, reader.is_due) == ([], 1, False)


class Seasons(Service):
    """Has one result per day, ten per answer."""

    async def results(
        self, *, since: str, until: str, limit: int, cursor: str | None
    ) -> Listing[ResultRow]:
        self.asked.append((parse_ms(since), parse_ms(until)))
        first = int(cursor or parse_ms(since))
        days = list(range(first, parse_ms(until), DAY))
        rows = [row(kick_off=day) for day in days[:10]]
        return Listing(rows, str(days[10]) if len(days) > 10 else None)


async def test_years_of_open_bets_take_many_readings_once_and_then_rest_for_an_hour() -> None:
    at, board, asked = [NOW], Board(lambda: NOW), Seasons([])
    board.result_kick_offs = dict.fromkeys(range(NOW - 900 * DAY, NOW - 3 * DAY, DAY), True)
    reader, readings = reading(asked, board, at), 0
    while reader.is_due:
        made = len(asked.asked)
        await reader.read_results()
        assert len(asked.asked) - made <= 40
        assert reader.reading().cost == len(asked.asked) - made
        readings += 1
    assert 2 <= readings <= 4
    assert len(board.results) >= 900
    board.result_kick_offs = dict.fromkeys(board.result_kick_offs, False)
    at[0] += 2 * HOUR
    assert not reader.is_due, "corrections of settled bets wait longer"
    at[0] += 5 * HOUR
    assert reader.is_due


async def test_a_row_that_makes_no_sense_is_left_out_and_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bad = msgspec.structs.replace(row(), match_name="Ajax vs PSV", status="over and out")
    board = Board(lambda: NOW)
    board.result_kick_offs = {NOW - HOUR: True}
    reader = reading(Service([bad, row()]), board, [NOW])
    with caplog.at_level(logging.WARNING):
        await reader.read_results()
        await reader.read_results()
    assert [each.result.match_name for each in board.results] == ["Leeds vs Hull"]
    assert [record.message.split(":")[0] for record in caplog.records] == [
        "result of Ajax vs PSV not read"
    ]


async def test_of_many_results_without_sense_the_first_are_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    rows = [msgspec.structs.replace(row(), match_name=f"A{n} vs B", status="?") for n in range(99)]
    board = Board(lambda: NOW)
    board.games = {"g": listed(NOW - HOUR)}
    await reading(Service(rows), board, [NOW]).read_results()
    assert [each.levelname for each in caplog.records] == ["WARNING"] * 20
