"""From the start of the process to the first painted prices, compared with a bare Qt window.

Runs the real program on a virtual screen, warm: one start to warm up, which also compiles
(as an installation does), then five of each, in turns: the very first start of a user, a
later one on the same database, and a bare window. Prints medians and their ratio.

    python benchmarks/startup.py
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 5
LIMIT_S = 60
BARE = """
import sys
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow
class Painted(QObject):
    def eventFilter(self, watched, event):
        if event.type() is QEvent.Type.Paint:
            print("painted", file=sys.stderr, flush=True)
        return False
app = QApplication([])
window = QMainWindow()
label = QLabel("1.95")
window.setCentralWidget(label)
painted = Painted()
label.installEventFilter(painted)
window.resize(1680, 1020)
window.show()
app.exec()
"""


def seconds_until(arguments: list[str], word: str, environment: dict[str, str]) -> float:
    """Start a process and return the seconds until its log says a word."""
    began = time.perf_counter()
    process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if word in line:
                return time.perf_counter() - began
        raise SystemExit(f"{arguments} ended without saying {word!r}")
    finally:
        process.terminate()
        process.communicate(timeout=LIMIT_S)


def of_user(home: Path) -> dict[str, str]:
    """Return what makes the program take a folder for its user's."""
    return {"XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)}


def measure(folder: Path, environment: dict[str, str]) -> dict[str, list[float]]:
    """Return the seconds of every start; the first, which warms up, is left out."""
    desk = [sys.executable, "-m", "oddsdesk", "desk", "--local", "--verbose"]
    bare = [sys.executable, "-c", BARE]
    took: dict[str, list[float]] = {"first start": [], "later start": [], "bare window": []}
    for number in range(RUNS + 1):
        user = environment | of_user(folder / str(number))
        prices = "first prices painted"
        took["first start"].append(seconds_until(desk, prices, user))
        took["later start"].append(seconds_until(desk, prices, user))
        took["bare window"].append(seconds_until(bare, "painted", user))
    return {name: seconds[1:] for name, seconds in took.items()}


def main() -> None:
    read_end, write_end = os.pipe()
    screen = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1680x1020x24"],
        pass_fds=[write_end],
        stderr=subprocess.DEVNULL,
    )
    with os.fdopen(read_end) as numbers, tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "DISPLAY": f":{numbers.readline().strip()}",
            "PYTHONPYCACHEPREFIX": f"{folder}/compiled",
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        took = measure(Path(folder), environment)
    screen.terminate()
    screen.wait()
    plain = statistics.median(took["bare window"])
    for name, seconds in took.items():
        middle = statistics.median(seconds)
        each = " ".join(f"{s:.2f}" for s in seconds)
        print(f"{name}: median {middle:.2f} s, {middle / plain:.1f} bare windows ({each})")


if __name__ == "__main__":
    main()
