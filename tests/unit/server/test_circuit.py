"""A database that is away costs nobody time: refused at once, looked for by one."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable

import pytest

from oddsdesk.server import circuit as circuit_module
from oddsdesk.server.circuit import Circuit, KnownAwayError
from oddsdesk.store.errors import Fault, StoreError, StoreUnavailableError
from oddsdesk.tasks import spawn, stop


class Looks:
    """Looks at a database, each ended by the test."""

    def __init__(self) -> None:
        self._begun: asyncio.Queue[asyncio.Future[None]] = asyncio.Queue()

    def __call__(self) -> asyncio.Future[None]:
        look = asyncio.get_running_loop().create_future()
        self._begun.put_nowait(look)
        return look

    async def begun(self) -> asyncio.Future[None]:
        async with asyncio.timeout(10):
            return await self._begun.get()

    async def end(self, error: Exception | None = None) -> None:
        """End the look under way, and wait until the next one begins."""
        look = await self.begun()
        if error is None:
            look.set_result(None)
        else:
            look.set_exception(error)
        self._begun.put_nowait(await self.begun())


def away() -> StoreUnavailableError:
    return StoreUnavailableError("nobody there", Fault.AWAY)


@pytest.fixture
def looks() -> Looks:
    return Looks()


@pytest.fixture
async def circuit(looks: Looks, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Circuit]:
    monkeypatch.setattr(circuit_module, "PROBE_S", 0.0)
    circuit = Circuit()
    watching = spawn("watch", circuit.watch(looks))
    await asyncio.sleep(0)
    yield circuit
    await stop(watching)


@pytest.fixture
def future() -> Callable[[], asyncio.Future[int]]:
    return lambda: asyncio.get_running_loop().create_future()


async def test_what_the_database_answers_is_handed_on(circuit: Circuit, future) -> None:
    answer = future()
    waiting = spawn("wait", circuit.wait(answer))
    answer.set_result(5)
    assert await waiting == 5
    circuit.check()


async def test_who_waits_is_refused_when_a_look_finds_it_away_and_who_comes_at_once(
    circuit: Circuit, looks: Looks, future
) -> None:
    waiting = [spawn("wait", circuit.wait(future())) for _ in range(3)]
    await asyncio.sleep(0)
    await looks.end(away())
    for each in waiting:
        with pytest.raises(KnownAwayError) as refused:
            await each
        assert refused.value.fault is Fault.AWAY
    with pytest.raises(KnownAwayError, match="nobody there"):
        circuit.check()


async def test_it_is_asked_for_until_it_is_back_and_the_log_has_a_line_of_each(
    circuit: Circuit, looks: Looks, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        for _ in range(3):
            await looks.end(StoreError("another schema"))
        with pytest.raises(KnownAwayError, match="another schema"):
            circuit.check()
        for _ in range(3):
            await looks.end()
        circuit.check()
    assert [record.message for record in caplog.records] == [
        "the database is away, and asked until it is back: another schema",
        "the database is back",
    ]
    caplog.clear()


async def test_a_look_that_gets_no_answer_counts_as_away(
    circuit: Circuit, looks: Looks, future, monkeypatch: pytest.MonkeyPatch
) -> None:
    await looks.end()  # the next look has the limit
    monkeypatch.setattr(circuit_module, "LIMIT_S", 0.01)
    await looks.end()
    with pytest.raises(KnownAwayError) as refused:
        await circuit.wait(future())
    assert refused.value.fault is Fault.SLOW
    await looks.end()
    circuit.check()


async def test_a_request_that_meets_nobody_refuses_the_others_at_once(
    circuit: Circuit, future
) -> None:
    other = spawn("wait", circuit.wait(future()))
    met = future()
    met.set_exception(away())
    with pytest.raises(KnownAwayError):
        await circuit.wait(met)
    with pytest.raises(KnownAwayError):
        await other


async def test_a_look_that_began_before_a_request_met_nobody_does_not_say_that_it_is_back(
    circuit: Circuit, looks: Looks, future
) -> None:
    met = future()
    met.set_exception(away())
    with pytest.raises(KnownAwayError):
        await circuit.wait(met)
    await looks.end()
    with pytest.raises(KnownAwayError):
        circuit.check()
    await looks.end()
    circuit.check()


async def test_a_query_that_is_refused_for_itself_is_that_callers_matter(
    circuit: Circuit, future
) -> None:
    slow = StoreUnavailableError("a long query", Fault.SLOW)
    met = future()
    met.set_exception(slow)
    with pytest.raises(StoreUnavailableError, match="a long query"):
        await circuit.wait(met)
    circuit.check()


async def test_who_gives_up_waiting_is_told_nothing_of_the_database(
    circuit: Circuit, looks: Looks, future
) -> None:
    waiting = spawn("wait", circuit.wait(future()))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_nothing_is_refused_where_nobody_looks(future) -> None:
    """A file: it refuses at once by itself, and who asks next finds it mended."""
    circuit = Circuit()
    met = future()
    met.set_exception(away())
    with pytest.raises(StoreUnavailableError, match="nobody there"):
        await circuit.wait(met)
    circuit.check()
