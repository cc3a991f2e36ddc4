"""The client without await, against a service on the loop of the test."""

import asyncio
import inspect
import json
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import pytest
from starlette.websockets import WebSocket, WebSocketDisconnect

import oddsdesk
from oddsdesk.client import Client, Connected, NotFoundError, Quota, StreamState, SyncClient
from oddsdesk.client.blocking import LoopThread
from tests.kit.small_service import KEY, MESSAGE, SmallService

ROOT = Path(__file__).parents[3]
Running = tuple[SmallService, str]
SPORTS = {
    "data": [{"name": "Football", "competition_codes": ["EPL"], "event_count": 3}],
    "meta": {"rate_limit_remaining": 9},
}


def public(kind: type) -> set[str]:
    return {name for name in vars(kind) if not name.startswith("_")}


def test_it_has_every_method_of_the_client_with_its_parameters_and_words() -> None:
    assert public(SyncClient) == public(Client) - {
        *("stream_together", "signs_of_life", "answer_size")
    } | {"addresses"}
    for name in public(SyncClient) - {"addresses", "clock_ahead_ms", "close", "quota"}:
        here, there = getattr(SyncClient, name), getattr(Client, name)
        assert inspect.signature(here).parameters == inspect.signature(there).parameters
        assert here.__doc__ == there.__doc__


def test_its_types_are_those_of_the_client(tmp_path: Path) -> None:
    file = tmp_path / "typed.py"
    file.write_text(
        "from collections.abc import Generator\n"
        "from typing import assert_type\n"
        "from oddsdesk.client import GameAnswer, Listing, OddsRow, PriceMessage, SyncClient\n"
        "def use(client: SyncClient) -> None:\n"
        "    assert_type(client.odds(competition='EPL'), Listing[OddsRow])\n"
        "    assert_type(client.game('id', period=0), GameAnswer)\n"
        "    assert_type(client.all_odds(), Generator[OddsRow, None, None])\n"
        "    assert_type(client.stream(sport='Tennis'), Generator[PriceMessage, None, None])\n"
        "    client.odds(competiton='EPL')\n"
        "    client.game()\n"
        "    client.games(limit='5')\n"
    )
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", str(file)]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    errors = [line.split(":", 2)[1] for line in checked.stdout.splitlines() if ": error:" in line]
    assert errors == ["9", "10", "11"], checked.stdout + checked.stderr


async def test_it_waits_for_the_answer_and_knows_the_quota(small_service: Running) -> None:
    service, url = small_service
    service.say(SPORTS, headers={"X-RateLimit-Remaining": "9", "X-RateLimit-Reset": "1795003600"})

    def script() -> tuple[str, Quota | None]:
        with SyncClient(url, KEY, clock=lambda: 1_795_000_000_000) as client:
            assert client.quota is None
            return client.sports()[0].name, client.quota

    assert await asyncio.to_thread(script) == (
        "Football",
        Quota(9, 1_795_003_600_000, 1_795_000_000_000),
    )


async def test_errors_are_those_of_the_client(small_service: Running) -> None:
    service, url = small_service
    service.say({"error": {"code": "not_found", "message": "no such game"}}, 404)

    def script() -> None:
        with SyncClient(url, KEY) as client:
            client.game("nothing")

    with pytest.raises(NotFoundError, match="no such game"):
        await asyncio.to_thread(script)


async def test_it_works_where_a_loop_runs_already_and_for_several_threads(
    small_service: Running,
) -> None:
    service, url = small_service
    for _ in range(4):
        service.say(SPORTS)
    async with asyncio.timeout(20):
        with SyncClient(url, KEY) as client:
            answers = await asyncio.gather(*(asyncio.to_thread(client.sports) for _ in range(4)))
    assert [len(answer) for answer in answers] == [1, 1, 1, 1]


async def test_leaving_an_iteration_ends_its_connection(small_service: Running) -> None:
    service, url = small_service
    ended = asyncio.Event()

    async def talk(socket: WebSocket) -> None:
        await socket.send_text(json.dumps(MESSAGE))
        with pytest.raises(WebSocketDisconnect):
            await socket.receive_text()
        ended.set()

    service.streams = [talk]
    states: list[StreamState] = []

    def script(client: SyncClient) -> float | None:
        for change in client.stream(competition="EPL", on_state=states.append):
            return change.odds
        return None

    async with asyncio.timeout(20):
        with SyncClient(url, KEY) as client:
            assert await asyncio.to_thread(script, client) == 3.4
            await ended.wait()
    assert service.opened[0]["competition"] == "EPL"
    assert states[1] == Connected()


async def test_an_iteration_ends_by_itself_where_nothing_is_left(small_service: Running) -> None:
    service, url = small_service
    service.say({"data": [], "meta": {"rate_limit_remaining": 9, "count": 0}})
    with SyncClient(url, KEY) as client:
        assert await asyncio.to_thread(lambda: list(client.all_games())) == []


async def test_a_callback_that_would_wait_for_itself_is_told_so(small_service: Running) -> None:
    service, url = small_service

    async def talk(socket: WebSocket) -> None:
        await socket.send_text(json.dumps(MESSAGE))

    service.streams = [talk]

    def script() -> None:
        with SyncClient(url, KEY) as client:
            for _ in client.stream(on_state=lambda state: print(client.sports())):
                return

    async with asyncio.timeout(20):
        with pytest.raises(RuntimeError, match="cannot wait for the same client"):
            await asyncio.to_thread(script)


async def test_closed_it_leaves_no_thread_and_can_be_used_again(small_service: Running) -> None:
    service, url = small_service
    before = set(threading.enumerate())
    client = SyncClient(url, KEY)
    client.close()
    for _ in range(2):
        service.say(SPORTS)
        await asyncio.to_thread(client.sports)
        await asyncio.to_thread(client.close)
    names = {thread.name for thread in set(threading.enumerate()) - before}
    assert "oddsdesk client" not in names


async def test_a_script_that_forgets_to_close_still_ends(small_service: Running) -> None:
    service, url = small_service
    service.say(SPORTS)

    async def talk(socket: WebSocket) -> None:
        await socket.send_text(json.dumps(MESSAGE))
        with pytest.raises(WebSocketDisconnect):
            await socket.receive_text()

    service.streams = [talk]
    script = (
        "from oddsdesk.client import SyncClient\n"
        f"client = SyncClient({url!r}, {KEY!r})\n"
        "print(len(client.sports()))\n"
        "changes = client.stream()\n"
        "print(next(changes).odds)\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(30):
        out, _ = await process.communicate()
    assert (process.returncode, out.split()) == (0, [b"1", b"3.4"])


def test_it_shows_where_it_asks_and_not_with_what() -> None:
    assert repr(SyncClient("https://odds.example", KEY)) == "<SyncClient of https://odds.example>"


ROOT_OF_LOOP_THREAD = Path(oddsdesk.__file__).parents[1]
INTERRUPTED = """
import asyncio, signal, threading
from oddsdesk.client.blocking import LoopThread

cancelled = threading.Event()
async def wait():
    try:
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        await asyncio.Event().wait()
    finally:
        cancelled.set()
async def answer():
    return 42

loop = LoopThread("a loop")
try:
    loop.wait_for(wait())
except KeyboardInterrupt:
    print("interrupted")
print("cancelled" if cancelled.wait(10) else "never cancelled")
print(loop.wait_for(answer()))
loop.stop_thread()
"""
"""A process of its own is interrupted: the one that runs the tests may be one of several."""


@pytest.fixture
def loop() -> Iterator[LoopThread]:
    thread = LoopThread("a loop")
    yield thread
    thread.stop_thread()


async def answer() -> int:
    await asyncio.sleep(0)
    return 42


def test_it_starts_when_it_is_needed_and_again(loop: LoopThread) -> None:
    assert not loop.is_running
    assert loop.wait_for(answer()) == 42
    loop.stop_thread()
    assert not loop.is_running
    assert loop.wait_for(answer()) == 42


def test_stopping_cancels_what_is_waited_for(loop: LoopThread) -> None:
    cancelled = threading.Event()
    begun = threading.Event()

    async def wait() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    def interrupt() -> None:
        begun.wait(10)
        loop.stop_thread()

    stopping = threading.Thread(target=interrupt)
    stopping.start()
    with pytest.raises(CancelledError):
        loop.wait_for(wait())
    stopping.join(10)
    assert cancelled.is_set()


@pytest.mark.skipif(sys.platform == "win32", reason="no signal can be sent to a thread there")
def test_an_interrupt_cancels_what_is_waited_for() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        cwd=ROOT_OF_LOOP_THREAD,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\ncancelled\n42\n"), done.stderr


def test_a_generator_is_closed_on_its_loop_when_its_reader_leaves(loop: LoopThread) -> None:
    closed: list[str] = []

    async def numbers() -> AsyncGenerator[int, None]:
        try:
            for number in range(10):
                yield number
        finally:
            await asyncio.sleep(0)
            closed.append(threading.current_thread().name)

    for number in loop.iterate(numbers()):
        if number == 1:
            break
    assert closed == ["a loop"]


def test_a_reader_that_leaves_after_the_end_of_the_loop_starts_none(loop: LoopThread) -> None:
    async def numbers() -> AsyncGenerator[int, None]:
        yield 1
        yield 2

    reader = loop.iterate(numbers())
    next(reader)
    loop.stop_thread()
    reader.close()
    assert not loop.is_running


def test_a_loop_that_nobody_holds_any_more_ends() -> None:
    thread = LoopThread("a forgotten loop")
    thread.wait_for(answer())
    [running] = [each for each in threading.enumerate() if each.name == "a forgotten loop"]
    del thread
    running.join(10)
    assert not running.is_alive()
