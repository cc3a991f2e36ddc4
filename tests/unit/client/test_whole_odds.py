"""All odds rows of a service that is exactly the contract, each compared with what it offers."""

import json
import logging
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from oddsdesk.client.errors import (
    ForbiddenError,
    MalformedAnswerError,
    OfflineError,
    RateLimitedError,
    ServiceError,
    ServiceUnavailableError,
)
from oddsdesk.client.rows import RowSlice
from oddsdesk.client.whole_odds import Slice, WholeOdds
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import OddsRow
from oddsdesk.contract.times import format_ms
from tests.kit.board import REFERENCE, odds_row
from tests.kit.contract_client import ContractClient, many_rows

NOW = 1_795_000_000_000
KINDS = ("moneyline", "total", "spread")
BIG = many_rows({"MLB": 12, "EPL": 8, "NBA": 9, "MLS": 2}, 45, KINDS)
"""4,185 rows."""
FOOTBALL = many_rows({"ARG": 12, "EPL": 8, "BUND": 9, "MLS": 2}, 45, KINDS)
"""As many, in a sport that may be read game by game."""
SMALL = many_rows({"EPL": 4}, 20)


class Reading(WholeOdds):
    """Reads at a time that the test sets, without waiting."""

    def __init__(self, client: ContractClient, filters: RowSlice | None = None) -> None:
        self.now = NOW
        self.slept: list[float] = []
        super().__init__(client, filters, clock=lambda: self.now, sleep=self._wait)
        self.parts: list[Slice] = []
        self.rows: list[OddsRow] = []
        """Of the last pass, the latest of each."""

    async def _wait(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def whole(self) -> list[OddsRow]:
        """Make one pass."""
        self.parts = []
        async for part in self.read():
            self.parts.append(part)
        held = {key(row): row for part in self.parts for row in part.rows}
        return list(held.values())


def key(row: OddsRow) -> tuple[object, ...]:
    return row.competition, row.match_name, row.bookmaker, row.market_type, row.period


def same(one: Iterable[OddsRow], other: Iterable[OddsRow]) -> bool:
    """Whether two lists have the same rows, field for field; by their text, not by the reader's."""
    return sorted(map(repr, one)) == sorted(map(repr, other))


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (SMALL, {}),
        (BIG, {}),
        (BIG, {"shuffles": True}),
        (BIG, {"has_live": False}),
        (BIG, {"has_live": False, "has_games": False}),
        (BIG, {"has_games": False}),
        (BIG, {"most": 200}),
        (BIG, {"most": 200, "refuses_limits": True}),
        (BIG, {"most": 137, "shuffles": True}),
        (BIG, {"only": "Book 07", "has_live": False}),
        (many_rows({"EPL": 400, "LIGA": 300}, 2), {"only": "Book 01", "has_live": False}),
        (many_rows({"TENNIS": 520}, 3), {}),
        (many_rows({"TENNIS": 520}, 3), {"has_games": False, "shuffles": True}),
    ],
)
async def test_every_row_is_read_by_every_plan_whatever_the_limit(
    rows: list[OddsRow], options: dict[str, Any]
) -> None:
    client = ContractClient(rows, **options)
    reading = Reading(client)
    for _ in range(3):
        client.asked.clear()
        assert same(await reading.whole(), client.seen())
        assert reading.unread == ()
        assert reading.requests == client.requests
        assert reading.parts[-1].done == reading.parts[-1].total == client.requests


async def test_a_second_pass_knows_the_slices_and_asks_no_more_than_it_needs() -> None:
    client = ContractClient(FOOTBALL)
    reading = Reading(client)
    await reading.whole()
    first, _ = client.requests, client.asked.clear()
    await reading.whole()
    assert client.requests < first
    assert client.requests <= 40  # 4,185 rows are 9 answers at least
    asked = [json.dumps(each, sort_keys=True) for each in client.asked]
    assert len(set(asked)) == len(asked)
    assert not any(part.cut for part in reading.parts)


async def test_what_is_small_is_one_request_and_stays_one() -> None:
    client = ContractClient(SMALL[:40])
    reading = Reading(client)
    await reading.whole()
    assert [(part.done, part.total, part.cut) for part in reading.parts] == [(1, 1, None)]


async def test_what_grows_beyond_its_slice_is_split_again() -> None:
    client = ContractClient(list(BIG))
    reading = Reading(client)
    await reading.whole()
    client.rows += many_rows({"ARG": 30}, 45)
    client.rows += many_rows({"MLS": 20}, 45, KINDS)[270:]
    assert same(await reading.whole(), client.rows)
    client.rows = many_rows({"EPL": 1}, 45)
    assert same(await reading.whole(), client.rows)
    client.asked.clear()
    assert same(await reading.whole(), client.rows)
    assert client.requests == 1


async def test_a_row_that_goes_in_play_between_two_slices_is_not_lost() -> None:
    rows = [
        odds_row(f"Book {place}", {"A": 2.0}, match_name=f"A - B{n}", is_live=n % 2 == 1)
        for n in range(60)
        for place in range(10)
    ]
    client = ContractClient(rows, has_games=False)
    reading = Reading(client)
    await reading.whole()
    client.asked.clear()

    def begin(path: str, _asked: dict[str, Any]) -> None:
        if path == "odds":
            place = next(n for n, row in enumerate(client.rows) if not row.is_live)
            client.rows[place] = msgspec.structs.replace(client.rows[place], is_live=True)

    client.before = begin
    found = {key(row) for row in await reading.whole()}
    assert client.requests == 2
    assert found == {key(row) for row in rows}


def gone(reading: WholeOdds, rows: Iterable[OddsRow]) -> set[tuple[object, ...]]:
    """The rows of which the reading says that it would have had them."""
    found = set()
    for row in rows:
        game = game_id(row.competition, row.match_name)
        names = reading.coverage.bookmakers_read(row.competition, game, row.market_type)
        if names is None or row.bookmaker in names:
            found.add(key(row))
    return found


@pytest.mark.parametrize("options", [{}, {"has_live": False}, {"has_games": False}])
async def test_what_is_gone_is_known_to_be(options: dict[str, Any]) -> None:
    client = ContractClient(list(BIG), **options)
    reading = Reading(client)
    before = await reading.whole()
    client.rows = [
        row
        for row in BIG
        if (row.competition, row.market_type) != ("NBA", "total")
        and row.match_name != "EPL 3 - Away"
        and row.bookmaker != "Book 11"
    ]
    after = {key(row) for row in await reading.whole()}
    assert gone(reading, before) == {key(row) for row in before}
    assert {key(row) for row in before} - after == {
        key(row) for row in before if row not in client.rows
    }


async def test_a_slice_that_fails_is_tried_again_and_said_if_it_stays_unread() -> None:
    client = ContractClient(FOOTBALL)
    reading = Reading(client)
    await reading.whole()
    failing = ("game", game_id("ARG", "ARG 2 - Away"))

    def fail(path: str, asked: dict[str, Any]) -> None:
        if (path, asked.get("game")) == failing:
            raise ServiceUnavailableError("internal_error", "trouble", 500)

    client.before = fail
    rows = await reading.whole()
    lost = [
        row for row in FOOTBALL if row.match_name == "ARG 2 - Away" and row.bookmaker != REFERENCE
    ]
    assert same(rows, [row for row in FOOTBALL if row not in lost])
    assert reading.unread == ("ARG, ARG 2 - Away",)
    assert gone(reading, FOOTBALL) == {key(row) for row in FOOTBALL if row not in lost}
    client.before = lambda _path, _asked: None
    assert same(await reading.whole(), FOOTBALL)
    assert reading.is_whole


@pytest.mark.parametrize("is_first", [True, False])
async def test_a_competition_that_fails_costs_no_other(is_first: bool) -> None:
    client = ContractClient(FOOTBALL)
    reading = Reading(client)
    if not is_first:
        await reading.whole()
    games = {game_id("ARG", row.match_name) for row in FOOTBALL if row.competition == "ARG"}
    failed = list[object]()

    def fail(_path: str, asked: dict[str, Any]) -> None:
        if asked.get("competition") == "ARG" or asked.get("game") in games:
            failed.append(asked)
            raise ServiceUnavailableError("internal_error", "trouble", 500)

    client.before = fail
    rows = await reading.whole()
    others = [row for row in FOOTBALL if row.competition != "ARG"]
    assert same([row for row in rows if row.competition != "ARG"], others)
    assert reading.unread
    assert all(name.startswith("ARG") for name in reading.unread)
    if not is_first:
        assert reading.unread == ("ARG",)
    assert len(failed) <= 20
    assert {each[1] for each in gone(reading, FOOTBALL)} == {key(row)[1] for row in others}
    client.before = lambda _path, _asked: None
    assert same(await reading.whole(), FOOTBALL)
    assert reading.is_whole


async def test_unread_slices_are_those_that_the_latest_answers_lack() -> None:
    client = ContractClient(FOOTBALL)
    reading = Reading(client)
    await reading.whole()

    def failing(code: str) -> Any:
        games = {game_id(code, row.match_name) for row in FOOTBALL if row.competition == code}

        def fail(_path: str, asked: dict[str, Any]) -> None:
            if asked.get("competition") == code or asked.get("game") in games:
                raise ServiceUnavailableError("internal_error", "trouble", 500)

        return fail

    client.before = failing("ARG")
    await reading.whole()
    assert reading.lacks() == ("ARG",)
    client.before = lambda _path, _asked: None
    told = [reading.lacks() async for _ in reading.read()]
    assert ("ARG",) in told
    assert told[-1] == reading.lacks() == ()


async def test_three_competitions_that_fail_end_the_pass() -> None:
    client = ContractClient(BIG)
    reading = Reading(client)
    await reading.whole()
    client.asked.clear()

    def fail(_path: str, _asked: dict[str, Any]) -> None:
        raise ServiceUnavailableError("internal_error", "trouble", 500)

    client.before = fail
    with pytest.raises(ServiceUnavailableError):
        await reading.whole()
    assert client.requests <= 30


@pytest.mark.parametrize("error", [OfflineError("timed out"), ServiceUnavailableError("x", "y")])
async def test_errors_here_and_there_lose_nothing(error: ServiceError) -> None:
    client = ContractClient(BIG)
    reading = Reading(client)
    await reading.whole()

    def fail(_path: str, _asked: dict[str, Any]) -> None:
        if len(client.asked) % 5 == 0:
            raise error

    client.before = fail
    assert same(await reading.whole(), BIG)
    assert reading.is_whole
    assert set(reading.slept) == {0.5}


async def test_a_service_that_went_away_ends_the_pass() -> None:
    client = ContractClient(BIG)
    reading = Reading(client)
    await reading.whole()
    client.asked.clear()

    def fail(_path: str, _asked: dict[str, Any]) -> None:
        if len(client.asked) > 20:
            raise OfflineError("no answer")

    client.before = fail
    with pytest.raises(OfflineError):
        await reading.whole()
    assert client.requests <= 30
    client.before = lambda _path, _asked: None
    assert same(await reading.whole(), BIG)


async def test_used_up_requests_stop_a_pass_that_then_goes_on_where_it_was() -> None:
    client = ContractClient(BIG)
    reading = Reading(client)
    await reading.whole()
    until = NOW + 1_000_000
    client.asked.clear()

    def refuse(_path: str, _asked: dict[str, Any]) -> None:
        if len(client.asked) > 25:
            raise RateLimitedError("used up", until)

    client.before = refuse
    with pytest.raises(RateLimitedError):
        await reading.whole()
    first = list(reading.parts)
    assert reading.left_to_read()
    assert reading.began_ms == NOW
    client.before = lambda _path, _asked: None
    reading.now = until
    await reading.whole()
    rows = {key(row): row for part in (*first, *reading.parts) for row in part.rows}
    assert same(rows.values(), BIG)
    assert reading.began_ms == NOW
    assert client.requests == reading.requests  # the refused one, too
    assert reading.left_to_read() == ()


async def test_a_short_refusal_is_waited_for() -> None:
    client = ContractClient(BIG)
    reading = Reading(client)
    await reading.whole()

    def refuse(_path: str, _asked: dict[str, Any]) -> None:
        if len(client.asked) % 7 == 0:
            raise RateLimitedError("too fast", NOW + 2_000)

    client.before = refuse
    assert same(await reading.whole(), BIG)
    assert set(reading.slept) == {2.0}


async def test_an_answer_that_makes_no_sense_costs_its_slice_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    client = ContractClient(FOOTBALL)
    reading = Reading(client)
    await reading.whole()

    def spoil(_path: str, asked: dict[str, Any]) -> None:
        if asked.get("game") == game_id("BUND", "BUND 1 - Away"):
            raise MalformedAnswerError("no whole JSON")

    client.before = spoil
    await reading.whole()
    assert reading.unread == ("BUND, BUND 1 - Away",)
    assert caplog.record_tuples[-1][1] == logging.WARNING
    assert "no whole JSON" in caplog.messages[-1]


async def test_what_is_refused_for_another_reason_is_an_error() -> None:
    client = ContractClient(BIG)
    reading = Reading(client)

    def refuse(path: str, asked: dict[str, Any]) -> None:
        if path == "odds" and len(asked) > 1:
            raise ForbiddenError("forbidden", "no", 403)

    client.before = refuse
    with pytest.raises(ForbiddenError):
        await reading.whole()


async def test_more_than_can_be_asked_for_stays_unread_and_is_said() -> None:
    rows = [odds_row("Betfair", {"A": 2.0}, match_name=f"A - B{number}") for number in range(1_200)]
    client = ContractClient(rows, has_games=False, has_live=False)
    reading = Reading(client)
    found = await reading.whole()
    assert len(found) == 500
    assert len(reading.unread) == 1
    assert "EPL" in reading.unread[0]
    assert gone(reading, rows) == set()
    assert client.requests < 100
    assert [row async for row in client.all_odds(competition="EPL")] == found


async def test_the_client_yields_every_row_once_and_takes_filters() -> None:
    client = ContractClient(BIG)
    assert same([row async for row in client.all_odds()], BIG)
    baseball = [row for row in BIG if row.competition == "MLB" and not row.is_live]
    found = [row async for row in client.all_odds(competition="MLB", is_live=False)]
    assert same(found, baseball)
    in_play = [row async for row in client.all_live_odds(sport="Football")]
    assert same(in_play, [row for row in BIG if row.sport == "Football" and row.is_live])


async def test_a_snapshot_says_what_the_quota_left_unread() -> None:
    client = ContractClient(BIG)

    def refuse(_path: str, _asked: dict[str, Any]) -> None:
        if len(client.asked) > 30:
            raise RateLimitedError("used up", 2 * NOW)

    client.before = refuse
    rows, unread = await client.odds_snapshot()
    assert 500 < len(rows) < len(BIG)
    assert unread
    client.before = lambda _path, _asked: None
    rows, unread = await client.odds_snapshot()
    assert same(rows, BIG)
    assert unread == ()


def of_series(rows: Iterable[OddsRow], competition: str) -> list[OddsRow]:
    """The rows, and those of a second game of the same teams a day later, with other odds."""
    days = [format_ms(NOW + day * 86_400_000) for day in (1, 2)]
    replace = msgspec.structs.replace
    return [
        replace(row, match_date=day, odds={name: odds + number for name, odds in row.odds.items()})
        for row in rows
        for number, day in enumerate(days if row.competition == competition else days[:1])
    ]


def dated(rows: Iterable[OddsRow]) -> set[tuple[object, ...]]:
    return {(*key(row), row.match_date, *row.odds.items()) for row in rows}


@pytest.mark.parametrize("small", [True, False])
async def test_two_games_of_the_same_teams_are_both_read_and_each_row_keeps_its_day(
    small: bool,
) -> None:
    """D31: they share an id, and its answer would give prices of both under one kick-off."""
    client = ContractClient(of_series(SMALL if small else BIG, "EPL" if small else "MLB"))
    rows, unread = await client.odds_snapshot()
    assert (dated(rows), unread) == (dated(client.rows), ())
    assert len(rows) == len(client.rows)
    found = [row async for row in client.all_odds()]
    assert dated(found) == dated(client.rows)
    assert len(found) == len(client.rows)


async def test_a_series_is_not_read_by_games() -> None:
    client = ContractClient(of_series(BIG, "MLB"))
    reading = Reading(client)
    await reading.whole()
    await reading.whole()
    found = {row for part in reading.parts for row in dated(part.rows)}
    assert found == dated(client.rows)
    assert reading.is_whole


async def test_a_series_that_the_reference_does_not_price_is_not_mixed_in_the_first_pass() -> None:
    rows = [row for row in of_series(BIG, "MLB") if row.bookmaker != REFERENCE]
    others = [row for row in of_series(BIG, "") if row.bookmaker == REFERENCE]
    client = ContractClient([*rows, *others])
    reading = Reading(client)
    await reading.whole()
    assert {each for part in reading.parts for each in dated(part.rows)} == dated(client.rows)
