"""A desk on a real server whose names all look like markup, and a trap that markup springs."""

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import msgspec

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.quotes import Quote, odds_row
from oddsdesk.desk.connections.profiles import EmbeddedProfile
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.whole_desk import WholeDesk

REFERENCE = "Pinnacle"


_WATCH = """
import os, sys, time
trap, noted = sys.argv[1:]
while os.path.exists(trap):
    try:
        writing = os.open(trap, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        time.sleep(0.005)
        continue
    with open(noted, "a") as file:
        file.write("x")
    os.close(writing)
    time.sleep(0.005)
"""


class Trap:
    """A file that blocks its reader until it is released, so that reading is noticed.

    Another process watches: who waits for a file in Qt holds all threads of this one.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "t"
        self._noted = folder / "noted"
        os.mkfifo(self.path)
        self._watching = subprocess.Popen([sys.executable, "-c", _WATCH, self.path, self._noted])

    @property
    def times_read(self) -> int:
        """How often somebody has read it."""
        return self._noted.stat().st_size if self._noted.exists() else 0

    @property
    def markup(self) -> str:
        """What reads the file where it is taken for HTML; and a mnemonic where it is taken for one.

        It is as short as it can be, since names of connections have 60 characters.
        """
        return f'A&B <b>x</b><img src="{self.path}">'

    def close(self) -> None:
        """Stop watching."""
        self.path.unlink()
        self._watching.wait()


class HostileDesk(WholeDesk):
    """A desk on a server fed from a file whose names are all markup."""

    def __init__(self, theme: Theme, folder: Path, trap: Trap) -> None:
        self.trap = trap
        profile = EmbeddedProfile(
            trap.markup, str(folder / "odds.db"), (f"replay:{write_quotes(folder, trap)}",),
            reference=REFERENCE,
        )  # fmt: skip
        super().__init__(theme, folder, profile)


def write_quotes(folder: Path, trap: Trap) -> Path:
    """Write quotes of now in which everything that may be a name is markup."""
    file = folder / trap.markup.replace("/", "_")
    mark, now = trap.markup, system_clock()
    books = (REFERENCE, f"1{mark}", f"2{mark}", f"3 {mark}")
    lines = []
    for game in range(3):
        home, away = f"{game} {mark}", f"Z{mark}"
        for place, bookmaker in enumerate(books):
            quote = Quote(
                bookmaker, f"{home} - {away}", ("EPL", mark, "NBA")[game], "moneyline", 0,
                {home: 2.0 + 0.1 * place, "Draw": 3.6, away: 4.0 + 0.1 * place},
                now, False, now + 3_600_000, f"https://b.example/{mark}",
            )  # fmt: skip
            lines.append(msgspec.json.encode(odds_row(quote)))
            props = msgspec.structs.replace(
                quote, market_type="player_prop", odds={f"{mark} Over 2.5": 1.8 + 0.1 * place}
            )
            lines.append(msgspec.json.encode(odds_row(props)))
    file.write_bytes(b"\n".join(lines))
    return file


Opened = Callable[[], AbstractAsyncContextManager[HostileDesk]]
