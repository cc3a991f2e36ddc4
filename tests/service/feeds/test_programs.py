"""What other programs say: over a pipe and over a WebSocket."""

import asyncio
import json
import logging
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest
from starlette.websockets import WebSocket

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.administration import FeedCondition
from oddsdesk.contract.times import format_ms
from oddsdesk.feeds.live import quote_lines
from tests.kit.fake_source import FakeSource
from tests.service.feeds.conftest import Serve, Served

LINES = 2_000
BAD = tuple(range(100, LINES + 1, 100))


def line(number: int, bookmaker: str = "Pipe", odds: float = 2.0) -> str:
    quote = {
        "bookmaker": bookmaker,
        "match_name": f"Home {number} vs Away",
        "competition": "EPL",
        "market_type": "moneyline",
        "period": 0,
        "odds": {f"Home {number}": odds, "Draw": 3.4, "Away": 3.8},
        "scraped_at": format_ms(system_clock()),
    }
    return json.dumps(quote)


def ended_game(number: int) -> str:
    """Return a line with a price of a game, and one with its result."""
    kick_off = format_ms(system_clock())
    quote = json.loads(line(number)) | {"match_date": kick_off}
    result = {
        "match_name": quote["match_name"],
        "competition": "EPL",
        "kick_off": kick_off,
        "status": "final",
        "home": 2,
        "away": 1,
    }
    return f"{json.dumps(quote)}\n{json.dumps(result)}\n"


def some_lines() -> str:
    lines = (line(number) if number not in BAD else "{" for number in range(1, LINES + 1))
    return "\n".join(lines)


def script(folder: Path, text: str) -> str:
    path = folder / "program.py"
    path.write_text(text)
    return f"{sys.executable} {path}"


async def recorded(served: Served, changes: int) -> None:
    reader = served.server.store.reader()
    await served.until(lambda: reader.last_seq() >= changes)
    assert reader.last_seq() == changes


def refused_lines(caplog: pytest.LogCaptureFixture) -> list[int]:
    """Return the numbers of the lines that the log says were refused."""
    said = (re.search(r": lines? ([\d, ]+) refused", each) for each in caplog.messages)
    return [int(number) for found in said if found for number in found[1].split(", ")]


async def test_results_of_a_program_are_recorded(serve: Serve, tmp_path: Path) -> None:
    text = f"print({ended_game(1)!r})"
    async with serve(f"exec:{script(tmp_path, text)}") as served:
        await served.state(FeedCondition.STOPPED)
        (found,) = served.server.store.reader().results()
    assert (found.result.home, found.result.away, found.has_game) == (2, 1, True)


async def test_the_output_of_a_program_is_recorded_and_bad_lines_are_numbered(
    serve: Serve, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "quotes").write_text(some_lines())
    text = f"import sys; sys.stdout.write(open({str(tmp_path / 'quotes')!r}).read())"
    async with serve(f"exec:{script(tmp_path, text)}") as served:
        await recorded(served, (LINES - len(BAD)) * 3)
        status = await served.state(FeedCondition.STOPPED)
        (feed,) = served.server.running_feeds.states()
    assert feed.problem == "it has ended"
    assert status.state is FeedCondition.STOPPED
    assert refused_lines(caplog) == list(BAD)
    (*_, last) = [each for each in caplog.messages if "refused so far" in each]
    assert last.endswith(f"; refused so far: {len(BAD)}")


async def test_a_program_of_bad_lines_alone_is_told_as_it_ends(
    serve: Serve, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """In the log, in the state of the feed and in health; it was only stopped."""
    text = """print('{"bookmaker": "A"}'); print('nonsense')"""
    async with serve(f"exec:{script(tmp_path, text)}") as served:
        status = await served.state(FeedCondition.STOPPED)
        troubles = [each.line for each in served.server.running_feeds.troubles()]
    assert status.reason == (
        "it has ended without a quote; 2 bad lines, the first is line 1: match_name is"
        " missing; the last is line 2: this is not JSON: invalid character (byte 4)"
    )
    assert troubles == ["feed 1 has ended: all its lines were refused"]
    assert f"feed 1, exec: {status.reason}" in [each.getMessage() for each in caplog.records]


async def test_a_program_that_says_nothing_is_no_trouble(serve: Serve, tmp_path: Path) -> None:
    async with serve(f"exec:{script(tmp_path, '')}") as served:
        status = await served.state(FeedCondition.STOPPED)
        assert not list(served.server.running_feeds.troubles())
    assert status.reason == "it has ended without a quote"


async def test_a_slow_writer_loses_nothing(serve, tmp_path: Path) -> None:
    text = (
        "import sys, time\n"
        f"for part in {line(1)!r} + chr(10), {line(2)[:40]!r}, {line(2)[40:]!r} + chr(10):\n"
        "    sys.stdout.write(part); sys.stdout.flush(); time.sleep(0.1)\n"
        "time.sleep(60)\n"
    )
    async with serve(f"exec:{script(tmp_path, text)}") as served:
        await recorded(served, 6)
        assert served.status().state is FeedCondition.RUNNING


async def test_a_program_that_fails_is_begun_again_and_says_why(
    serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quote_lines, "FIRST_WAIT_S", 0.05)
    monkeypatch.setenv("ODDSDESK_THE_ODDS_API_KEY", "not-for-others")
    mark = tmp_path / "been-here"
    text = (
        "import os, pathlib, sys\n"
        f"mark = pathlib.Path({str(mark)!r})\n"
        "assert 'ODDSDESK_THE_ODDS_API_KEY' not in os.environ\n"
        "if not mark.exists():\n"
        "    mark.touch(); sys.exit('no network')\n"
        f"print({line(1)!r})\n"
    )
    async with serve(f"exec:{script(tmp_path, text)}") as served:
        status = await served.state(FeedCondition.FAILING)
        assert status.reason.endswith("ended with exit status 1: no network")
        await recorded(served, 3)
        await served.state(FeedCondition.STOPPED)


async def test_a_program_that_ends_badly_time_and_again_is_told_once_and_never_runs(
    serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="oddsdesk.feeds.live")
    monkeypatch.setattr(quote_lines, "FIRST_WAIT_S", 0.01)
    tries = tmp_path / "tries"
    text = f"import sys; open({str(tries)!r}, 'a').write('.'); sys.exit('no network')"
    seen: set[FeedCondition] = set()

    def has_tried(served: Served, times: int) -> bool:
        seen.add(served.status().state)
        return tries.exists() and tries.stat().st_size >= times

    async with serve(f"exec:{script(tmp_path, text)}") as served:
        await served.until(lambda: has_tried(served, 4))
    told = [record.getMessage().partition(": ")[2] for record in caplog.records]
    assert told[0] == "no network"
    assert told[1].endswith("ended with exit status 1: no network")
    assert len(told) == 2
    assert seen == {FeedCondition.WAITING, FeedCondition.FAILING}


async def test_the_last_words_of_a_program_are_heard_though_it_ended(
    serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_ended, finish, lines = threading.Event(), quote_lines._finish, quote_lines._lines

    def finish_first(process: subprocess.Popen[bytes]) -> None:
        finish(process)
        has_ended.set()

    def read_late(stream: BinaryIO) -> Iterator[str]:
        has_ended.wait(10)
        threading.Event().wait(0.05)  # the program is known to have ended long before
        yield from lines(stream)

    monkeypatch.setattr(quote_lines, "_finish", finish_first)
    monkeypatch.setattr(quote_lines, "_lines", read_late)
    async with serve(f"exec:{script(tmp_path, 'import sys; sys.exit(chr(33))')}") as served:
        reason = (await served.state(FeedCondition.FAILING)).reason
    assert reason.endswith("ended with exit status 1: !")


async def test_a_program_that_is_not_there_is_told(serve) -> None:
    async with serve("exec:/nowhere/program --now") as served:
        reason = (await served.state(FeedCondition.FAILING)).reason
    assert reason == "/nowhere/program cannot be run: No such file or directory"


async def test_the_end_of_the_server_ends_the_program_and_what_it_started(
    serve, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    text = (
        "import os, pathlib, subprocess, sys, signal\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        f"pathlib.Path({str(pids)!r}).write_text(f'{{os.getpid()}} {{child.pid}} .')\n"
        "child.wait()\n"
    )
    async with serve(f"exec:{script(tmp_path, text)}") as served:
        await served.until(lambda: pids.exists() and pids.read_text().endswith("."))
    for pid in pids.read_text().split()[:2]:
        state = Path(f"/proc/{pid}/stat")
        assert not state.exists() or " Z " in state.read_text()


async def test_lines_of_a_web_socket_are_recorded_and_it_is_connected_again(
    source: FakeSource, serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    opened = 0

    async def play(socket: WebSocket) -> None:
        nonlocal opened
        opened += 1
        if opened == 1:
            for text in some_lines().split("\n"):
                await socket.send_text(text)
            await socket.close()
            return
        await socket.send_text(f"{line(LINES + 1)}\n{line(LINES + 2)}")
        await socket.receive()

    source.play = play
    address = source.url.replace("http", "ws")
    caplog.set_level(logging.WARNING)
    async with serve(f"{address}/odds?token=canary4711") as served:
        await recorded(served, (LINES - len(BAD) + 2) * 3)
        assert served.status().state is FeedCondition.RUNNING
        reason = served.status().reason
    assert "canary4711" not in caplog.text
    assert refused_lines(caplog) == list(BAD)
    assert reason == ""


async def test_an_address_without_a_stream_is_told(serve) -> None:
    async with serve("ws://127.0.0.1:1/odds") as served:
        assert "does not answer" in (await served.state(FeedCondition.FAILING)).reason


async def test_a_flood_delays_no_other_feed(source, serve, tmp_path: Path) -> None:
    """More than can be recorded is offered for as long as the test lasts."""
    flood = (
        "import sys\n"
        f"lines = ''.join(line + chr(10) for line in {[line(n) for n in range(500)]!r})\n"
        "while True:\n"
        "    sys.stdout.write(lines)\n"
    )
    waits: list[float] = []

    async def play(socket: WebSocket) -> None:
        for number in range(10):
            await socket.send_text(line(900, "Calm", 2.0 + number / 10))
            await asyncio.sleep(0.2)
        await socket.receive()

    source.play = play
    async with serve(
        f"exec:{script(tmp_path, flood)}", f"{source.url.replace('http', 'ws')}/calm"
    ) as served:
        await served.until(lambda: served.status(2).read_at is not None)
        loop = asyncio.get_running_loop()
        for _ in range(8):
            before, began = served.status(2).read_at, loop.time()
            await served.until(lambda before=before: served.status(2).read_at != before)
            waits.append(loop.time() - began)
    assert max(waits) < 1.2, waits
