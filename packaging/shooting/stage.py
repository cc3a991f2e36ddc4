"""One window of the program: what its user does, and pictures of it."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from shooting.processes import run

_SHOWN_S: Final = 0.7
"""What a key does is painted by then; keys have no event that could be waited for."""
_CONNECTION: Final = (170, 22)
"""Where the button of the connection's menu is; it does not depend on the window's size."""
_REST: Final = (2, 2)
_COLOURS: Final = 128


class Stage:
    """Acts by keys, as a user does; pictures go into one folder."""

    def __init__(self, environment: dict[str, str], size: str, pictures: Path) -> None:
        self._environment = environment
        self._size = size.split("x")
        self._pictures = pictures
        self._main = ""
        self._dialog = ""
        pictures.mkdir(parents=True, exist_ok=True)

    def enter(self) -> None:
        """Take the program's window and fill the screen with it."""
        self._main = self._window("oddsdesk$")
        self._do("windowmove", self._main, "0", "0")
        self._do("windowsize", self._main, *self._size)
        self._do("windowfocus", self._main)
        self._do("mousemove", *map(str, _REST))

    def wait(self, seconds: float) -> None:
        """Let prices move."""
        time.sleep(seconds)

    def press(self, *keys: str) -> None:
        """Press keys one after the other, by their X names."""
        self._do("key", "--delay", "60", *keys)
        time.sleep(_SHOWN_S)

    def write(self, text: str) -> None:
        """Type a text."""
        self._do("type", "--delay", "30", text)
        time.sleep(_SHOWN_S)

    def go_to(self, place: str) -> None:
        """Take the palette's first entry for some words."""
        self.press("ctrl+k")
        self.write(place)
        self.press("Return")

    def choose_connection(self, from_last: int) -> None:
        """Take an entry of the connection's menu, counted from its end."""
        self._do("mousemove", *map(str, _CONNECTION), "click", "1")
        time.sleep(_SHOWN_S)
        self._do("mousemove", *map(str, _REST))
        self.press(*["Up"] * from_last, "Return")

    @contextlib.contextmanager
    def dialog(self, title: str) -> Iterator[None]:
        """Give keys and pictures to a dialog while it is open, and close it."""
        self._dialog = self._window(title)
        self._do("windowfocus", self._dialog)
        time.sleep(_SHOWN_S)
        yield
        self.press("Escape")
        self._dialog = ""
        self._do("windowfocus", self._main)

    def shoot(self, name: str) -> None:
        """Save the dialog, or else the window; in few colours, as flat grounds need no others.

        The screen is read, not the window: lists that fall out of it belong to the picture.
        """
        path = self._pictures / f"{name}.png"
        grab = ["import", "-silent", "-window", "root", "-screen", str(path)]
        run(grab, self._environment)
        fewer = ["-crop", self._area(), "+repage", "+dither", "-colors", str(_COLOURS)]
        run(["convert", str(path), *fewer, f"png8:{path}"], self._environment)
        print(path, flush=True)

    def _area(self) -> str:
        words = self._do("getwindowgeometry", "--shell", self._dialog or self._main).split()
        values = dict(word.split("=") for word in words)
        return "{WIDTH}x{HEIGHT}+{X}+{Y}".format(**values)

    def _window(self, title: str) -> str:
        return self._do("search", "--sync", "--onlyvisible", "--name", title).split()[-1]

    def _do(self, *words: str) -> str:
        return run(["xdotool", *words], self._environment)
