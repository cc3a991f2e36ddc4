"""``GET /api/results``: how games ended, as each source says; ours, beyond the contract (D96)."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from oddsdesk.client import Client, SyncClient
from oddsdesk.contract.access import Plan
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.results import GameResult, GameStatus, PeriodScore, SelectionResult, of_row
from oddsdesk.contract.times import format_ms
from oddsdesk.store.databases import Database
from tests.kit.plain_service import plain_service
from tests.kit.running_service import RunningService

PATH = "/api/results"
GAME = "Arsenal - Chelsea"
HOUR = 3_600_000


def a_result(service: Any, **fields: Any) -> GameResult:
    """Return a result of Arsenal - Chelsea with these fields."""
    usual = {"competition": "EPL", "match_name": GAME, "kick_off": service.now, "source": "scores"}
    return GameResult(**({"home": 2, "away": 1} | usual | fields))


def record(service: Any, *results: GameResult) -> None:
    for each in results:
        service.store.record_results([each]).result(10)


def everything(service: Any) -> list[GameResult]:
    """Return results that use every field, by kick-off."""
    hockey = a_result(
        service,
        home=4,
        away=3,
        competition="NHL",
        match_name="Boston Bruins - Montreal Canadiens",
        kick_off=service.now - 3 * HOUR,
        sport="Hockey",
        periods=tuple(
            PeriodScore(number, 1, score) for number, score in enumerate((1, 1, 1, 0), 1)
        ),
        overtime=True,
        reported_at=service.now - HOUR,
    )
    exchange = a_result(
        service,
        home=None,
        away=None,
        kick_off=service.now - 2 * HOUR,
        status=GameStatus.UNKNOWN,
        selections=(
            SelectionResult("moneyline", 0, "Arsenal", "won"),
            SelectionResult("total", 1, "Over 0.5", "half_won", 0.5),
        ),
        bookmaker="Betfair",
    )
    cricket = a_result(service, competition="", match_name="Kent - Essex", sport="Cricket")
    return [hockey, exchange, cricket]


async def test_results_are_read_as_they_were_recorded(service: Any) -> None:
    """D96: equal field by field, over the wire."""
    results = everything(service)
    record(service, *results)
    async with Client(service.url, service.key()) as client:
        rows = [row async for row in client.all_results(limit=1)]
    assert [of_row(row, service.now) for row in rows] == [(each, ()) for each in results]
    with SyncClient(service.url, service.key()) as blocking:
        assert list(blocking.results()) == rows


def test_a_row_has_what_its_source_reported(service: Any) -> None:
    """D96, D100."""
    service.quote(match_name="Arsenal vs Chelsea")
    day = service.now // (24 * HOUR) * 24 * HOUR + 12 * HOUR
    dated = a_result(service, home=2, kick_off=day, has_time=False)
    record(service, dated, msgspec.structs.replace(dated, home=3))
    (row,) = service.data(PATH, service.key())
    assert row == {
        "game_id": game_id("EPL", GAME),
        "match_name": GAME,
        "competition": "EPL",
        "sport": "Football",
        "kick_off": format_ms(day)[:10],
        "status": "final",
        "home": 3,
        "away": 1,
        "periods": [],
        "overtime": None,
        "selections": [],
        "bookmaker": "",
        "source": "scores",
        "reported_at": None,
        "simulated": False,
        "corrections": [
            {
                "status": "final",
                "home": 2,
                "away": 1,
                "periods": [],
                "overtime": None,
                "selections": [],
                "reported_at": None,
            }
        ],
    }


def test_results_are_narrowed_by_competition_and_kick_off(service: Any) -> None:
    """D96: from ``from`` to before ``to``."""
    days = range(-3, 0)
    record(
        service,
        *(
            a_result(service, home=9 + each, kick_off=service.now + 24 * each * HOUR)
            for each in days
        ),
    )
    record(service, a_result(service, competition="LIGA"))
    key = service.key()

    def scores(**asked: str) -> list[int]:
        return [row["home"] for row in service.data(PATH, key, **asked)]

    assert scores(competition="EPL") == [6, 7, 8]
    assert scores(to=format_ms(service.now)) == [6, 7, 8]
    between = {"from": format_ms(service.now - 48 * HOUR), "to": format_ms(service.now - 24 * HOUR)}
    assert scores(**between) == [7]
    assert scores(competition="NBA") == []
    refused = service.get(PATH, key, **{"from": between["to"], "to": between["from"]})
    assert refused.status_code == 400
    assert "to: expected a moment after from" in refused.json()["error"]["message"]
    assert service.get(PATH, key, **{"from": "2026-11-20"}).status_code == 400


@pytest.mark.parametrize(
    ("plan", "bookmaker", "sources"),
    [
        (Plan.PRO_LIVE, None, ["live", "scores", "unpriced"]),
        (Plan.PRO, None, ["scores", "unpriced"]),
        (Plan.FREE, "Betfair", ["scores"]),
        (Plan.FREE, "Bwin", []),
    ],
)
def test_a_plan_sees_the_results_of_the_games_that_it_sees(
    service: Any, plan: Plan, bookmaker: str | None, sources: list[str]
) -> None:
    """D96: the rules of the lists."""
    service.quote(bookmaker="Betfair", match_date=service.now)
    record(
        service,
        a_result(service),
        a_result(service, source="live", status=GameStatus.IN_PLAY),
        a_result(service, source="unpriced", competition="LIGA"),
    )
    found = service.data(PATH, service.key(plan, bookmaker))
    assert sorted(row["source"] for row in found) == sources


@pytest.fixture
def public(database: Database) -> Iterator[RunningService]:
    """A server that others reach, so that it must not pass everything on."""
    running = RunningService(database, share=())
    yield running
    running.close()


def test_a_result_that_may_not_be_passed_on_is_not(public: Any) -> None:
    """D96."""
    record(public, a_result(public), a_result(public, source="the-odds-api"))
    assert [row["source"] for row in public.data(PATH, public.key())] == ["scores"]


async def test_a_service_without_results_has_none(service: Any) -> None:
    """D96."""
    record(service, a_result(service))
    key = service.key()
    async with plain_service(service.url) as plain, Client(plain.url, key) as client:
        assert list(await client.results()) == []
        assert [row async for row in client.all_results()] == []
