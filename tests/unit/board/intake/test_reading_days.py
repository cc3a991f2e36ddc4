"""Simulated hours and days of a desk on a service that counts: never over, and where it matters."""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import pytest

from oddsdesk.base.polling import starting_rate
from oddsdesk.board.board import Board
from oddsdesk.board.history.price_history import ASLEEP_MS
from oddsdesk.board.intake import sync as board_sync
from oddsdesk.board.intake.reading_plan import Pace
from oddsdesk.board.intake.sync import Sync
from oddsdesk.board.model.notices import Link
from oddsdesk.contract.resources import GameMatrix
from tests.kit.board import matrix
from tests.kit.quota_service import QuotaClient, QuotaService
from tests.kit.virtual_time import run_virtually

MINUTE, HOUR, DAY = 60, 3_600, 86_400
BEGIN_MS = 1_795_000_000_000 // (DAY * 1000) * (DAY * 1000) + 9 * HOUR * 1000
"""Nine o'clock, in milliseconds."""
ROWS, BETS, GAMES = "/api/odds", "/api/value-bets", "/api/games"
WEIGHTS = {ROWS: 1.0, BETS: 1.0, GAMES: 0.3}
"""How much depends on each, an open game counting 1."""


def games() -> list[GameMatrix]:
    """Games that begin in 20 minutes, in 5 hours and in 2 days."""
    leads_h = (1 / 3, 5, 48)
    return [
        matrix(name=f"Home {n} - Away {n}", kick_off=BEGIN_MS + round(h * HOUR * 1000), at=BEGIN_MS)
        for n, h in enumerate(leads_h)
    ]


class Day:
    """A service, and desks on one key of it, with the first games open."""

    def __init__(
        self, now_s: Callable[[], float], begin_ms: int = BEGIN_MS, **service: Any
    ) -> None:
        self.begin_ms = begin_ms
        self._now_s = now_s
        self.games = games()
        self.service = QuotaService(self.clock, self.games, **service)
        self.clients: list[QuotaClient] = []
        self.boards: list[Board] = []
        self.syncs: list[Sync] = []

    def clock(self) -> int:
        return self.begin_ms + round(self._now_s() * 1000)

    def open_desk(self, *, opened: int = 2, has_stream: bool = False) -> Sync:
        client = QuotaClient(self.service, self.clock, has_stream=has_stream)
        board = Board(self.clock)
        sync = Sync(client, board, self.clock, pace=Pace(health_s=HOUR))
        for each in self.games[:opened]:
            sync.subscribe_game(each.game_id)
        sync.want_rows(True)
        sync.start_reading()
        self.clients.append(client)
        self.boards.append(board)
        self.syncs.append(sync)
        return sync

    async def close(self) -> None:
        for sync in self.syncs:
            await sync.stop_reading()


def live(seconds: float, desks: int = 1, *, has_stream: bool = False, **service: Any) -> Day:
    """Let desks read a service for so long."""

    async def work(now_s: Callable[[], float]) -> Day:
        day = Day(now_s, **service)
        for _ in range(desks):
            day.open_desk(has_stream=has_stream)
        await asyncio.sleep(seconds)
        await day.close()
        return day

    return run_virtually(work)


FREE = {"limit": 200, "window_s": DAY, "row_pages": 4, "bet_pages": None}
PRO = {"limit": 5_500, "window_s": HOUR, "row_pages": 26, "bet_pages": 4}
SMALL = {"limit": 300, "window_s": HOUR, "row_pages": 8, "bet_pages": 2}


def share_used(day: Day) -> list[float]:
    """Return of each window that was whole or ended how much of it was used."""
    return [used / day.service.limit for used in day.service.used.values()]


@pytest.fixture(autouse=True)
def seldom_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bring figures up to date as seldom as can be: a day has many seconds."""
    monkeypatch.setattr(board_sync, "_TICK_S", ASLEEP_MS / 1000 - 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("quota", "has_stream", "seconds", "least"),
    [(FREE, True, 40 * HOUR, 0.95), (PRO, False, 2 * HOUR, 0.95), (SMALL, True, 3 * HOUR, 0.95)],
    ids=["Free", "Pro", "small"],
)
def test_a_desk_is_never_refused_and_uses_nearly_all_it_has(
    quota: dict[str, Any], has_stream: bool, seconds: float, least: float
) -> None:
    day = live(seconds, has_stream=has_stream, **quota)
    assert day.service.refused == []
    whole = share_used(day)[:-1]
    print(f"used of each window: {[f'{share:.3f}' for share in whole]}")
    assert min(whole) >= least


def test_the_stream_comes_within_a_minute_after_the_plan_allows_it() -> None:
    """The message about the plan disappears immediately."""

    async def work(now_s: Callable[[], float]) -> list[tuple[Link, str | None, bool | None]]:
        day = Day(now_s, **PRO)
        day.open_desk()
        shown = []
        for seconds in (150, 61):
            await asyncio.sleep(seconds)
            known = day.boards[0].connection
            shown.append((known.link, known.reason, known.has_stream))
            day.clients[0].has_stream = True
        await day.close()
        return shown

    shown = run_virtually(work)
    assert shown == [(Link.POLLING, "no stream", False), (Link.LIVE, None, True)]


@pytest.mark.slow
@pytest.mark.parametrize("quota", [FREE, PRO, SMALL], ids=["Free", "Pro", "small"])
def test_what_is_watched_is_read_where_prices_move(quota: dict[str, Any]) -> None:
    """Weighted changes that nobody saw yet: at most 80 % of equal intervals at the same cost."""
    seconds = min(2 * quota["window_s"], DAY)
    begin_ms = BEGIN_MS // (quota["window_s"] * 1000) * quota["window_s"] * 1000
    day = live(seconds, begin_ms=begin_ms, **quota)
    costs = {ROWS: quota["row_pages"], BETS: quota["bet_pages"], GAMES: 1}
    costs = {path: pages for path, pages in costs.items() if pages is not None}
    costs |= {f"{GAMES}/{each.game_id}": 1 for each in day.games[:2]}
    times = {path: read_at(day, path, pages) for path, pages in costs.items()}
    spent = len(day.service.answered)
    interval = sum(costs.values()) * seconds / spent
    equal = {path: [interval * n for n in range(round(seconds / interval))] for path in costs}
    ratio = unseen(day, times, seconds) / unseen(day, equal, seconds)
    counts = Counter({path: len(each) for path, each in times.items()})
    print(f"{spent} requests, {ratio:.3f} of equal intervals; read {sorted(counts.values())}")
    assert ratio <= 0.8


def read_at(day: Day, path: str, pages: int) -> list[float]:
    """Return when a list of so many pages was read, in seconds since the begin."""
    times = [(at - day.begin_ms) / 1000 for at, asked in day.service.answered if asked == path]
    return times[pages - 1 :: pages]


def unseen(day: Day, times: dict[str, list[float]], seconds: float) -> float:
    """Return the weighted changes that were not seen yet, summed over hours."""
    return sum(
        change_rate(day, path, (since + until) / 2)
        * WEIGHTS.get(path, 1.0)
        * ((until - since) / HOUR) ** 2
        / 2
        for path, read in times.items()
        for since, until in pairwise([0.0, *read, seconds])
    )


def change_rate(day: Day, path: str, at_s: float) -> float:
    now = day.begin_ms + round(at_s * 1000)
    rates = {f"{GAMES}/{each.game_id}": starting_rate(kick_off_of(each), now) for each in day.games}
    mean = sum(rates.values()) / len(rates)
    return {**rates, ROWS: mean, BETS: starting_rate(0, 0), GAMES: 0.03}[path]


def kick_off_of(each: GameMatrix) -> int:
    number = int(each.match_name.split()[1])
    return BEGIN_MS + round((1 / 3, 5, 48)[number] * HOUR * 1000)


@pytest.mark.slow
@pytest.mark.parametrize("quota", [FREE, SMALL], ids=["Free", "small"])
def test_two_desks_on_one_key_share_what_is_left(quota: dict[str, Any]) -> None:
    """One may take the last request just before the other asks; it waits for the reset then."""
    seconds = quota["window_s"] * 2
    day = live(seconds, desks=2, has_stream=True, **quota)
    windows = Counter(at // (quota["window_s"] * 1000) for at, _ in day.service.refused)
    print(f"refused by window: {dict(windows)}, used {share_used(day)}")
    assert max(windows.values(), default=0) <= 2
    assert min(share_used(day)[:-1]) >= 0.95


@pytest.mark.parametrize("ahead_h", [-7, -1, 1, 7])
@pytest.mark.parametrize("says_date", [True, False])
def test_a_service_whose_clock_is_wrong_is_not_asked_too_much(
    ahead_h: int, *, says_date: bool
) -> None:
    """Without the service's date its reset is believed, or a day where that is past already."""
    day = live(
        3 * HOUR,
        clock_ahead_ms=ahead_h * HOUR * 1000,
        says_date=says_date,
        has_stream=True,
        **SMALL,
    )
    print(f"used of each window: {share_used(day)}")
    assert day.service.refused == []
    assert min(share_used(day)[1:-1]) >= (0.95 if says_date else 0.02)


def used_up(day: Day) -> None:
    """Let another program take all that is left."""
    day.service.used[day.clock() // (HOUR * 1000)] = day.service.limit


def test_without_requests_nothing_is_asked_until_they_are_back_and_that_is_told() -> None:
    async def work(now_s: Callable[[], float]) -> None:
        day = Day(now_s, begin_ms=BEGIN_MS + 20 * MINUTE * 1000, **SMALL)
        sync = day.open_desk(has_stream=True)
        await asyncio.sleep(10 * MINUTE)
        used_up(day)
        await asyncio.sleep(10 * MINUTE)
        connection = day.boards[0].connection
        assert connection.requests_left == 0
        assert connection.resets_at_ms == BEGIN_MS + HOUR * 1000
        assert connection.link is Link.LIVE
        assert connection.next_try_ms == pytest.approx(BEGIN_MS + HOUR * 1000, abs=1_000)
        asked = len(day.service.answered) + len(day.service.refused)
        sync.read_all_again()
        await asyncio.sleep(15 * MINUTE)
        assert len(day.service.answered) + len(day.service.refused) == asked
        assert len(day.service.refused) == 1
        await asyncio.sleep(10 * MINUTE)
        assert len(day.service.answered) > asked
        assert day.boards[0].connection.reason is None
        await day.close()

    run_virtually(work)


def test_a_game_that_is_opened_is_read_at_once_of_what_is_kept() -> None:
    async def work(now_s: Callable[[], float]) -> None:
        day = Day(now_s, **FREE)
        sync = day.open_desk(opened=0, has_stream=True)
        await asyncio.sleep(HOUR)
        before = day.service.answered[-1]
        sync.subscribe_game(day.games[2].game_id)
        await asyncio.sleep(1)
        at, path = day.service.answered[-1]
        assert day.service.answered[-1] != before
        assert path == f"{GAMES}/{day.games[2].game_id}"
        assert at >= day.clock() - 1_000
        await day.close()

    run_virtually(work)


def test_a_refresh_is_served_at_once_open_games_first() -> None:
    async def work(now_s: Callable[[], float]) -> None:
        day = Day(now_s, **FREE)
        sync = day.open_desk(opened=2, has_stream=True)
        await asyncio.sleep(HOUR)
        before = len(day.service.answered)
        sync.read_all_again()
        await asyncio.sleep(5)
        read = [path for _, path in day.service.answered[before:]]
        assert read[:2] == [f"{GAMES}/{each.game_id}" for each in day.games[:2]]
        assert sorted(set(read)) == sorted({ROWS, BETS, GAMES, "/api/odds/live", *read[:2]})
        await day.close()

    run_virtually(work)


def test_a_competition_that_the_grid_shows_is_read_oftener_than_all_others() -> None:
    async def work(now_s: Callable[[], float]) -> None:
        day = Day(now_s, **SMALL)
        sync = day.open_desk(opened=1, has_stream=True)
        sync.watch_competitions(frozenset({"EPL"}))
        await asyncio.sleep(HOUR)
        asked = Counter(
            code for path, code in day.service.competitions if path == ROWS and code is not None
        )
        passes = (len([1 for _, path in day.service.answered if path == ROWS]) - asked["EPL"]) / 8
        assert asked["EPL"] > 2 * passes
        assert ", of those in the odds grid every " in day.boards[0].connection.reading_plan
        sync.want_rows(False)
        before = len(day.service.competitions)
        sync.watch_competitions(frozenset({"LIGA"}))
        await asyncio.sleep(HOUR / 2)
        assert {code for _, code in day.service.competitions[before:]} == {None}
        sync.want_rows(True)
        await asyncio.sleep(MINUTE)
        assert (ROWS, "LIGA") in day.service.competitions
        sync.watch_competitions(frozenset("ABCDEF"))
        assert "odds grid" not in sync.plan.in_words(sync.budget.periods_s())
        await day.close()

    run_virtually(work)


def test_what_is_read_how_often_is_told() -> None:
    async def work(now_s: Callable[[], float]) -> Iterable[str]:
        day = Day(now_s, **SMALL)
        day.open_desk(opened=1, has_stream=True)
        await asyncio.sleep(MINUTE)
        told = [day.boards[0].connection.reading_plan]
        day.syncs[0].pause_rows(True)
        await asyncio.sleep(MINUTE)
        told.append(day.boards[0].connection.reading_plan)
        await day.close()
        return told

    assert [re.sub(r"\d+ (seconds|minutes)", "…", told) for told in run_virtually(work)] == [
        "Prices of 1 competition every …, of open games every …; "
        "value bets every …, the list of games every …; changes in between are streamed",
        "Prices of open games every …; "
        "value bets every …, the list of games every …; changes in between are streamed",
    ]


def test_where_nobody_counts_nothing_is_told() -> None:
    async def work(now_s: Callable[[], float]) -> None:
        day = Day(now_s, **SMALL)
        sync = day.open_desk()
        sync._client.keeps_quota = False
        await asyncio.sleep(MINUTE)
        connection = day.boards[0].connection
        assert (connection.requests_left, connection.reading_plan) == (None, "")
        await day.close()

    run_virtually(work)
