"""The desk as its user has it: keys go in, titles, its log and the clipboard come out."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

from tests.kit.program import Program

LIMIT_S = 30
_READS = 10
_READ_CLIPBOARD = """
import json, sys
from PySide6.QtGui import QGuiApplication
application = QGuiApplication([])
for _ in sys.stdin:
    application.processEvents()
    print(json.dumps(application.clipboard().text()), flush=True)
"""


class Clipboard:
    """What reads the clipboard of a display, in a process of its own."""

    def __init__(self, display: str) -> None:
        environment = os.environ | {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _READ_CLIPBOARD],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def text(self) -> str:
        """Return what it holds now."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return str(json.loads(self._process.stdout.readline())).strip()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


class DeskWindow:
    """A running desk whose window shows prices; whatever is typed goes to it."""

    def __init__(self, program: Program, display: str) -> None:
        self.program = program
        self._display = display
        self._clipboard: Clipboard | None = None
        self.using = program.wait_for_log("INFO oddsdesk.desk.shell.connections: using ").split()
        """The words of its log about what it is connected to; the last is the address."""
        program.wait_for_log("first prices painted")
        self.enter("oddsdesk$")

    def enter(self, pattern: str) -> None:
        """Wait for a window of the desk with such a title and give it the keyboard."""
        self.focus(self.wait_for_title(pattern))

    def wait_until_gone(self, pattern: str) -> None:
        """Wait until no window of the desk has such a title: keys would go to it yet."""
        self._wait_for_windows(pattern, lambda found: not found)

    def focus(self, window: str) -> None:
        """Give the keyboard to a window by its number."""
        self._xdotool("windowfocus", "--sync", window)

    def press(self, *keys: str) -> None:
        """Press one key after the other."""
        self._xdotool("key", *keys)

    def go_to(self, typed: str) -> None:
        """Take what the palette finds first."""
        self.press("ctrl+k")
        self.write(typed)
        self.press("Return")

    def write(self, text: str) -> None:
        """Type a text."""
        self._xdotool("type", text)

    def wait_for_title(self, pattern: str, limit_s: float = LIMIT_S) -> str:
        """Wait for a window of the desk with such a title and return its number."""
        return self._wait_for_windows(pattern, bool, limit_s)[-1]

    def explanation(self, part: str) -> str:
        """Copy what the Explain panel says until that holds ``part``."""
        self.go_to("explain")
        return self.copied(part)

    def explained(self, game: str, *cell: str, part: str) -> str:
        """Go to a game's cell by keys and copy what Explain says of it until that holds ``part``.

        Repeated until then: keys that are faster than the game's prices go nowhere.
        """
        ends = time.monotonic() + 2 * LIMIT_S
        while True:
            self.go_to(game)
            self.press("ctrl+Home", *cell)
            self.go_to("explain")
            for _ in range(3):
                text = self._read_after("ctrl+c", lambda text: part in text)
                if part in text:
                    return text
            assert time.monotonic() < ends, f"Explain never held {part!r}, but {text!r}"

    def copied(self, part: str) -> str:
        """Copy from where the keyboard is until the clipboard holds ``part``."""
        return self.copied_by("ctrl+c", lambda text: part in text)

    def copied_by(self, key: str, is_wanted: Callable[[str], object]) -> str:
        """Press what copies until the clipboard holds what is wanted."""
        ends = time.monotonic() + LIMIT_S
        text = ""
        while not is_wanted(text):
            assert time.monotonic() < ends, f"the clipboard never held the wanted, but {text!r}"
            text = self._read_after(key, is_wanted)
        return text

    def _read_after(self, key: str, is_wanted: Callable[[str], object]) -> str:
        """Press what copies; read the clipboard until it holds what is wanted, or for a while."""
        if self._clipboard is None:
            self._clipboard = Clipboard(self._display)
            self.program.cleanup.callback(self._clipboard.close)
        self.press(key)
        for _ in range(_READS):
            text = self._clipboard.text()
            if is_wanted(text):
                break
            time.sleep(0.05)
        return text

    def _wait_for_windows(
        self, pattern: str, is_wanted: Callable[[list[str]], object], limit_s: float = LIMIT_S
    ) -> list[str]:
        """Search for windows with such a title until the answer is wanted.

        A search that meets a window which just went ends with an error of X, and knows nothing.
        """
        pid = str(self.program.process.pid)
        search = ["xdotool", "search", "--onlyvisible", "--all", "--pid", pid, "--name", pattern]
        ends = time.monotonic() + limit_s
        while True:
            environment = {"DISPLAY": self._display}
            done = subprocess.run(search, env=environment, capture_output=True, text=True)
            found = done.stdout.split()
            if not done.stderr and is_wanted(found):
                return found
            if time.monotonic() > ends:
                raise subprocess.TimeoutExpired(search, limit_s, done.stdout, done.stderr)
            time.sleep(0.05)

    def _xdotool(self, *arguments: str) -> str:
        return _output(["xdotool", *arguments], {"DISPLAY": self._display})


def _output(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True, timeout=LIMIT_S
    )
    return done.stdout.strip()
