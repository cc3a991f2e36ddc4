"""From the start of the process to the first painted prices, beside a bare Qt window.

Runs the real program on a virtual screen, warm: one start to warm up, then five of each,
in turns. Prints medians and their ratio.

    python benchmarks/startup.py
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

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


def main() -> None:
    read_end, write_end = os.pipe()
    screen = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1680x1020x24"],
        pass_fds=[write_end],
        stderr=subprocess.DEVNULL,
    )
    with os.fdopen(read_end) as numbers, tempfile.TemporaryDirectory() as home:
        environment = os.environ | {
            "DISPLAY": f":{numbers.readline().strip()}",
            "XDG_DATA_HOME": home,
            "XDG_CONFIG_HOME": home,
        }
        desk = [sys.executable, "-m", "oddsdesk", "desk", "--local", "--verbose"]
        bare = [sys.executable, "-c", BARE]
        seconds_until(desk, "first prices painted", environment)
        seconds_until(bare, "painted", environment)
        desk_s, bare_s = [], []
        for _ in range(RUNS):
            desk_s.append(seconds_until(desk, "first prices painted", environment))
            bare_s.append(seconds_until(bare, "painted", environment))
    screen.terminate()
    screen.wait()
    first, plain = statistics.median(desk_s), statistics.median(bare_s)
    print("desk, first prices painted:", " ".join(f"{s:.2f}" for s in desk_s), "s")
    print("bare window, painted:      ", " ".join(f"{s:.2f}" for s in bare_s), "s")
    print(f"medians: {first:.2f} s and {plain:.2f} s, ratio {first / plain:.1f}")


if __name__ == "__main__":
    main()
