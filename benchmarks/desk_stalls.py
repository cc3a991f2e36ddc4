"""How responsive the desk stays while prices move: longest stall and share of a core.

Runs the real desk with a feed on the display it is given (or a virtual one), for a minute
after a warm-up, with a heart that beats every 5 ms in the window's thread.

    python benchmarks/desk_stalls.py --feed simulator
    python benchmarks/desk_stalls.py --feed replay:FILE --speed 3600 --reference smarkets
"""

import argparse
import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer

import oddsdesk.desk.app as desk_app
from oddsdesk.desk.assembly import Desk
from oddsdesk.desk.profiles import EmbeddedProfile
from oddsdesk.store.store import open_store

BEAT_MS = 5
WARM_UP_S = 8.0
SETTLE_MS = 1000
"""After the benchmark's own reading of the database, which holds the thread."""


class Measured(Desk):
    """The desk with a heart in it."""

    seconds = 60.0
    database = Path()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._gaps: list[float] = []
        self._heart = QTimer(self.window, interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._heart.timeout.connect(self._beat)
        QTimer.singleShot(round(WARM_UP_S * 1000), self._begin)

    def _begin(self) -> None:
        self._changes = self._logged()
        QTimer.singleShot(SETTLE_MS, self._measure)

    def _measure(self) -> None:
        self._last = self._began = time.perf_counter()
        self._cpu, self._all_cpu = time.thread_time(), time.process_time()
        self._heart.start()
        QTimer.singleShot(round(self.seconds * 1000), self._end)

    def _beat(self) -> None:
        now = time.perf_counter()
        self._gaps.append(now - self._last)
        self._last = now

    def _end(self) -> None:
        took = time.perf_counter() - self._began
        cpu, all_cpu = time.thread_time() - self._cpu, time.process_time() - self._all_cpu
        self._heart.stop()
        stalls = sorted((gap * 1000 - BEAT_MS for gap in self._gaps), reverse=True)
        print(f"measured for {took:.0f} s, {self.window.windowTitle()}")
        print(f"price changes logged: {self._logged() - self._changes:,}")
        print(
            "longest stalls of the window's thread:", " ".join(f"{s:.0f}" for s in stalls[:5]), "ms"
        )
        print(f"99 % of all beats within {statistics.quantiles(stalls, n=100)[-1]:.1f} ms")
        print(f"window's thread: {cpu / took:.1%} of a core; whole process: {all_cpu / took:.1%}")
        self.window.close()

    def _logged(self) -> int:
        with closing(open_store(self.database, read_only=True)) as store:
            return store.reader().last_seq()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--feed", default="simulator")
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--reference", default="Pinnacle")
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Measured.seconds, Measured.database = given.seconds, Path(folder, "odds.db")
        desk_app.Desk = Measured  # type: ignore[misc]
        profile = EmbeddedProfile(
            database=str(Measured.database),
            reference=given.reference,
            feeds=(given.feed,),
            speed=given.speed,
        )
        desk_app.run_desk(desk_app.Start(profile))


if __name__ == "__main__":
    main()
