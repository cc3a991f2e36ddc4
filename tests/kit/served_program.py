"""`oddsdesk serve` as a program of its own, filled with the quotes that the docs speak of."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, PeriodScore
from oddsdesk.store.access import open_access
from oddsdesk.store.store import open_store

ROOT = Path(__file__).parents[2]
LIMIT_S = 30
LINK = "https://example.org/arsenal-chelsea"
_HOUR_MS = 3_600_000


class ServedProgram:
    """The running program; ``url`` and ``key`` (Pro+ Live) lead to it."""

    def __init__(self, database: Path, port: int = 0) -> None:
        self.database = database
        self._start(port)
        with closing(open_access(database)) as access:
            self.key = access.keys.create("docs", Plan.PRO_LIVE, None, system_clock()).secret

    @property
    def environment(self) -> dict[str, str]:
        """Where a stranger's shell finds it."""
        return {
            **os.environ,
            "URL": self.url,
            "KEY": self.key,
            "ODDSDESK_KEY": self.key,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }

    def fill(self) -> None:
        """Record the quotes of the docs and wait until the value bet among them is found."""
        self.record(*_quotes())
        with closing(open_store(self.database)) as store:
            store.record_results([_result()]).result(timeout=LIMIT_S)
        deadline = time.monotonic() + LIMIT_S
        headers = {"X-Api-Key": self.key}
        while not httpx.get(f"{self.url}/api/value-bets", headers=headers).json()["data"]:
            assert time.monotonic() < deadline, "the value bet of the docs was not found"
            time.sleep(0.05)

    def record(self, *quotes: Quote) -> None:
        """Record quotes as another program does."""
        with closing(open_store(self.database)) as store:
            store.record(list(quotes)).result(timeout=LIMIT_S)

    @contextmanager
    def moving(self) -> Iterator[None]:
        """Let Ponte Lungo's price of the draw move ten times a second."""
        done = threading.Event()

        def move() -> None:
            with closing(open_store(self.database)) as store:
                prices = [3.25, 3.3]
                while not done.wait(0.1) or prices[-1] != 3.3:
                    prices.reverse()
                    store.record([_ponte_lungo(prices[-1])]).result(timeout=LIMIT_S)

        mover = threading.Thread(target=move)
        mover.start()
        yield
        done.set()
        mover.join()

    def resident_mb(self) -> float:
        """Return its resident memory, in MB; on Linux only."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        (line,) = [each for each in lines if each.startswith("VmRSS")]
        return int(line.split()[1]) / 1024

    def restart(self) -> None:
        """Restart it at the same address."""
        self.stop()
        self._start(int(self.url.rpartition(":")[2]))

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.communicate(timeout=LIMIT_S)

    def _start(self, port: int) -> None:
        command = ["serve", "--port", str(port), "--database", str(self.database)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "oddsdesk", *command],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip().removeprefix("listening on ")
        assert self.url.startswith("http://127.0.0.1:")


def _result() -> GameResult:
    now = system_clock()
    quarters = enumerate(((26, 24), (25, 25), (30, 22), (20, 28)), start=1)
    return GameResult(
        competition="NBA",
        match_name="Boston Celtics - Miami Heat",
        kick_off=now - _HOUR_MS,
        home=101,
        away=99,
        periods=tuple(PeriodScore(number, *score) for number, score in quarters),
        sport="Basketball",
        overtime=False,
        source="scores",
        reported_at=now,
    )


def _quotes() -> list[Quote]:
    now = system_clock()
    in_play = Quote(
        "Harbour Bet", "Boston Celtics - Miami Heat", "NBA", "moneyline", 0,
        {"Boston Celtics": 1.6, "Miami Heat": 2.4}, now, True, now - _HOUR_MS,
    )  # fmt: skip
    return [
        _football("Pinnacle", {"Arsenal": 2.1, "Draw": 3.5, "Chelsea": 3.6}, liquidity=5000.0),
        _football("Harbour Bet", {"Arsenal": 2.25, "Draw": 3.4, "Chelsea": 3.5}, url=LINK),
        _ponte_lungo(3.3),
        in_play,
    ]


def _ponte_lungo(draw: float) -> Quote:
    return _football("Ponte Lungo", {"Arsenal": 2.05, "Draw": draw, "Chelsea": 3.6})


def _football(
    bookmaker: str, odds: dict[str, float], url: str | None = None, liquidity: float | None = None
) -> Quote:
    now = system_clock()
    return Quote(
        bookmaker, "Arsenal - Chelsea", "EPL", "moneyline", 0, odds, now, False,
        now + 2 * _HOUR_MS, url, liquidity,
    )  # fmt: skip
