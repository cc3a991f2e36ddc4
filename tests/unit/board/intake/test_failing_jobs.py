"""A desk job that dies is restarted and reported; nothing is LIVE without its stream (D85)."""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.base import tasks
from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
from oddsdesk.board.intake.quote_readings import WaitingMessages
from oddsdesk.board.intake.sync import Sync
from oddsdesk.board.model.notices import Link
from oddsdesk.client.client import Client
from oddsdesk.client.stream import StateListener
from oddsdesk.contract.access import Plan
from oddsdesk.contract.resources import Health, PriceMessage
from oddsdesk.server.run.runner import Server
from tests.kit.board import GAME
from tests.kit.board_service import CALM, key_of, quote, record, service
from tests.kit.promises import in_time
from tests.kit.waiting import until_told

READS = {
    "games": "/api/games",
    "value bets": "/api/value-bets",
    "rows": "/api/odds",
    "in-play odds": "/api/odds/live",
    f"matrix {GAME}": f"/api/games/{GAME}",
}


class PoisonError(Exception):
    """What kills a job."""


class PoisonedClient(Client):
    """A client whose answers kill the reading job: those of ``poisoned``, a path or a word."""

    poisoned: str | None = None
    begun = 0

    def _taste(self, name: str) -> None:
        if name == self.poisoned:
            self.begun += 1
            raise PoisonError("of the service\nand a line more")

    async def _list(self, kind: Any, path: str, **parameters: Any) -> Any:
        self._taste(path)
        return await super()._list(kind, path, **parameters)

    async def _one(self, kind: Any, path: str, **parameters: Any) -> Any:
        self._taste(path)
        return await super()._one(kind, path, **parameters)

    async def health(self) -> Health:
        self._taste("health")
        return await super().health()

    async def stream_together(
        self, gather_s: float, on_state: StateListener
    ) -> AsyncGenerator[list[PriceMessage], None]:
        async for messages in super().stream_together(gather_s, on_state):
            self._taste("stream")
            yield messages


class PoisonedBoard(Board):
    """A board that cannot take messages in, or say what time changed, while it is poisoned."""

    is_poisoned = False
    is_tick_poisoned = False

    def sweeping(self) -> Iterator[None]:
        if self.is_tick_poisoned:
            raise PoisonError("of the service\nand a line more")
        return super().sweeping()

    def applying(self, waiting: WaitingMessages) -> Generator[None, None, None]:
        if self.is_poisoned:
            waiting.next_messages()
            raise PoisonError("of the service\nand a line more")
        return super().applying(waiting)


class Kept:
    """A real service and what keeps a board current from it, all of it well."""

    def __init__(self, server: Server, client: PoisonedClient) -> None:
        self.server = server
        self.client = client
        self.board = PoisonedBoard(system_clock)
        self.sync = Sync(client, self.board, system_clock, pace=CALM, randomness=lambda: 0.0)

    async def move_a_price(self, draw: float) -> None:
        await record(self.server, quote("Betfair", {"Arsenal": 2.06, "Draw": draw, "Chelsea": 4.1}))

    @property
    def failing(self) -> list[str]:
        return [fault.job.removeprefix("sync: ") for fault in self.board.connection.faults]


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[Kept]:
    """Everything is read once, and the stream is up."""
    async with (
        service(tmp_path) as server,
        PoisonedClient(server.url, key_of(server, Plan.PRO_LIVE)) as client,
    ):
        made = Kept(server, client)
        made.sync.subscribe_game(GAME)
        made.sync.want_rows(True)
        made.sync.start_reading()
        board = made.board
        await until_told(
            board,
            lambda: (
                board.connection.link is Link.LIVE
                and board.connection.has_live is True
                and board.connection.has_value_bets is True
                and board.snapshot_progress.finished_at is not None
                and board.connection.simulated is False
            ),
        )
        yield made
        await made.sync.stop_reading()
        assert made.board.connection.faults == ()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs are restarted at once, and count as mended as soon as they wait for something."""
    monkeypatch.setattr(tasks, "RESTART_S", (0.0,))
    monkeypatch.setattr(tasks, "STEADY_S", 0.05)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("job", [*READS, "health"])
async def test_a_read_that_dies_is_told_beside_the_link_until_it_goes_well(
    kept: Kept, job: str, caplog: pytest.LogCaptureFixture
) -> None:
    kept.client.poisoned = READS.get(job, job)
    kept.sync.read_all_again()
    await until_told(kept.board, lambda: job in kept.failing)
    heard = kept.board.connection
    assert heard.link is Link.LIVE
    fault = next(fault for fault in heard.faults if fault.job == f"sync: {job}")
    assert fault.reason == "PoisonError: of the service and a line more"
    assert f"sync: {job} failed; restarting it" in caplog.text
    kept.client.poisoned = None
    kept.sync.read_all_again()
    await until_told(kept.board, lambda: kept.failing == [])


@pytest.mark.usefixtures("quick")
async def test_nothing_is_live_while_the_streams_job_is_dead(kept: Kept) -> None:
    kept.client.poisoned = "stream"
    await kept.move_a_price(3.9)
    await until_told(kept.board, lambda: kept.failing == ["stream"])
    dead = kept.board.connection
    assert dead.link is Link.WAITING
    assert "the desk could not read what the stream sent (PoisonError: of the service" in (
        dead.reason or ""
    )
    kept.client.poisoned = None
    await until_told(
        kept.board, lambda: kept.failing == [] and kept.board.connection.link is Link.LIVE
    )


@pytest.mark.usefixtures("quick")
async def test_figures_that_die_are_told_and_go_on(kept: Kept) -> None:
    kept.board.is_tick_poisoned = True
    await until_told(kept.board, lambda: "tick" in kept.failing)
    kept.board.is_tick_poisoned = False
    await until_told(kept.board, lambda: kept.failing == [])


@pytest.mark.usefixtures("quick")
async def test_messages_that_cannot_be_taken_in_are_told_and_later_ones_are(kept: Kept) -> None:
    kept.board.is_poisoned = True
    await kept.move_a_price(3.9)
    await until_told(kept.board, lambda: kept.failing == ["messages"])
    kept.board.is_poisoned = False
    await kept.move_a_price(4.4)
    await until_told(kept.board, lambda: kept.failing == [] and draws(kept) == [4.4])


def draws(kept: Kept) -> list[float]:
    return [
        line.prices["Betfair"].odds
        for section in kept.board.matrix(GAME).sections  # type: ignore[union-attr]
        for line in section.rows
        if line.selection == "Draw"
    ]


async def test_a_dead_job_is_told_within_a_second_and_begun_anew_within_two(kept: Kept) -> None:
    for number in range(3):
        kept.client.poisoned, begun = "stream", kept.client.begun
        await kept.move_a_price(4.0 + number / 10)
        await until_told(kept.board, lambda: kept.board.connection.link is Link.WAITING)
        assert kept.client.begun == begun + 1
        died = time.monotonic()
        kept.client.poisoned = None
        await until_told(kept.board, lambda: kept.board.connection.link is Link.LIVE)
        assert time.monotonic() - died < in_time(2)
