"""At the desk: a bet from its alert to the report, the program killed after every step."""

import csv
import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.base.clock import system_clock
from oddsdesk.base.places import default_ledger, settings_folder
from oddsdesk.board.alerts.channels import variable_of
from oddsdesk.board.alerts.rules import RULES_FILE
from oddsdesk.contract.quotes import Quote
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.store.store import open_store
from tests.kit.desk_window import DeskWindow
from tests.kit.program import Launch
from tests.kit.webhook import webhook

LIMIT_S = 20
_TRIES = 3
_FROM_LIST_TO_REPORT, _ROUND = 5, 11
"""How many views on the report by bookmakers is, and how many there are."""
RULES = """
[[channels]]
name = "phone"
kind = "webhook"

[[rules]]
kind = "value"
"""
HOME = "Manchester United"
KICK_OFF = system_clock() + 3_600_000


class Day:
    """The odds of a day, the desk that shows them, and the bets that are on the disk."""

    def __init__(self, launch: Launch, open_desk: Callable[..., DeskWindow], folder: Path) -> None:
        self._launch = launch
        self._open_desk = open_desk
        self._database = folder / "odds.db"
        self.posted: list[dict[str, Any]] = []
        """What the phone got."""
        self.address = ""
        """Where the phone is."""

    def start(self) -> DeskWindow:
        """Start the desk."""
        where = ("--local", "--database", str(self._database), "--reference", "Pinnacle")
        return self._open_desk(*where, **{variable_of("phone"): self.address})

    def quote(self, bookmaker: str, *odds: float, has_begun: bool = False) -> None:
        """Record odds of both teams and the draw, as a feed does while the desk runs."""
        now = system_clock()
        quote = Quote(
            bookmaker=bookmaker,
            match_name=f"{HOME} vs Fulham",
            competition="EPL",
            market_type="moneyline",
            period=0,
            odds=dict(zip((HOME, "Draw", "Fulham"), odds, strict=True)),
            scraped_at=now,
            match_date=now if has_begun else KICK_OFF,
            is_live=has_begun,
        )
        with closing(open_store(self._database)) as store:
            store.record([quote]).result()

    def told(self, *question: str) -> list[dict[str, Any]]:
        """Return what a command says of the ledger."""
        command = self._launch("ledger", *question, "--json")
        out, err = command.process.communicate(timeout=60)
        assert (command.process.returncode, err) == (0, "")
        found: list[dict[str, Any]] = json.loads(out)
        return found


def bet_on_disk() -> PlacedBet | None:
    with closing(Ledger(default_ledger())) as ledger:
        bets = ledger.read_bets()
    assert len(bets) <= 1
    return bets[0] if bets else None


def holds_within(holds: Callable[[], object], limit_s: float) -> bool:
    ends = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > ends:
            return False
        time.sleep(0.05)
    return True


def by_keys(desk: DeskWindow, act: Callable[[], object], holds: Callable[[], object]) -> None:
    """Act until something holds: keys that come before the desk is ready for them go nowhere."""
    for _ in range(_TRIES):
        with suppress(subprocess.TimeoutExpired, AssertionError):
            act()
            if holds_within(holds, LIMIT_S):
                return
        desk.press("Escape", "Escape")
        desk.enter("oddsdesk$")
    raise AssertionError("it never came to hold")


def the_bet() -> PlacedBet:
    bet = bet_on_disk()
    assert bet is not None
    return bet


@pytest.fixture
def day(launch: Launch, open_desk: Callable[..., DeskWindow], tmp_path: Path) -> Iterator[Day]:
    settings_folder().mkdir(parents=True, exist_ok=True)
    (settings_folder() / RULES_FILE).write_text(RULES, "utf-8")
    made = Day(launch, open_desk, tmp_path)
    with webhook() as (made.address, made.posted):
        yield made


def place(desk: DeskWindow) -> None:
    """Go to the price that the phone told of, and place at other odds than it shows."""
    desk.go_to("alerts")
    desk.press("ctrl+Home", "Return")
    desk.explanation(f"{HOME} at Harbour, 2.2\n")
    desk.go_to("alerts")
    desk.press("ctrl+Home", "Return", "p")
    desk.enter("^Record bet$")
    desk.press("alt+s", "ctrl+a")
    desk.write("12.5")
    desk.press("alt+o", "ctrl+a")
    desk.write("2.25")
    desk.press("Return")


def edit(desk: DeskWindow) -> None:
    desk.press("ctrl+l", "Return")
    desk.enter("^Edit bet$")
    desk.press("alt+s", "ctrl+a")
    desk.write("15")
    desk.press("alt+n", "ctrl+a")
    desk.write("by phone")
    desk.press("Return")


def kick_off(day: Day, desk: DeskWindow) -> None:
    """The reference moves for the last time, the desk shows it, and the game begins."""
    day.quote("Pinnacle", 2.0, 3.6, 4.0)
    desk.go_to("manchester")
    desk.press("ctrl+Home", "Down", "End")
    desk.explanation(f"Pinnacle: {HOME} 2, Draw 3.6, Fulham 4\n")
    day.quote("Pinnacle", 1.5, 4.2, 7.0, has_begun=True)


def settle(desk: DeskWindow, folder: Path) -> None:
    """Settle by a file of results: the game began just now, so no score settles the bet."""
    results = folder / "results.csv"
    results.write_text("bet,result\n1,won\n")
    desk.press("ctrl+l", "r")
    desk.enter("^Settle bets from a results file$")
    desk.write(str(results))
    desk.press("Return")


class Report:
    """The report by bookmakers, as the desk exports it."""

    def __init__(self, desk: DeskWindow, folder: Path) -> None:
        self._desk = desk
        self._files = (folder / f"report{number}.csv" for number in range(_TRIES))
        self._turns = chain([_FROM_LIST_TO_REPORT], repeat(_ROUND))
        self._file = folder
        self.rows: list[dict[str, str]] = []

    def ask(self) -> None:
        """Have it shown and exported."""
        self._file = next(self._files)
        self._desk.press("ctrl+l", *["m"] * next(self._turns), "x")
        self._desk.enter("^Export as CSV$")
        self._desk.write(str(self._file))
        self._desk.press("Return")

    def is_there(self) -> bool:
        """Whether it was exported after the desk knew that the bet is settled."""
        if self._file.is_file():
            self.rows = list(csv.DictReader(self._file.read_text("utf-8-sig").splitlines()))
        return bool(self.rows)


@pytest.mark.slow
def test_a_bet_from_its_alert_to_the_report_survives_every_kill(day: Day, tmp_path: Path) -> None:
    day.quote("Pinnacle", 2.1, 3.5, 3.7)
    day.quote("Harbour", 2.2, 3.4, 3.6)
    desk = day.start()
    assert holds_within(lambda: day.posted, LIMIT_S)
    by_keys(desk, lambda: place(desk), bet_on_disk)
    desk.program.kill()
    placed = the_bet()
    assert (placed.odds, placed.stake, placed.bookmaker) == (2.25, 12.5, "Harbour")
    assert placed.true_ev == pytest.approx((2.25 / (placed.fair_odds or 0) / 1.01 - 1) * 100)

    desk = day.start()
    by_keys(desk, lambda: edit(desk), lambda: the_bet().stake == 15)
    desk.program.kill()
    edited = the_bet()
    assert (edited.odds, edited.note) == (2.25, "by phone")

    desk = day.start()
    by_keys(desk, lambda: kick_off(day, desk), lambda: the_bet().close)
    desk.program.kill()
    closed = the_bet()
    chance = 1 / 2.0 - (1 / 2.0 + 1 / 3.6 + 1 / 4.0 - 1) / 3
    assert closed.close is not None
    assert closed.close.fair_odds == pytest.approx(1 / chance)
    clv = (2.25 * chance - 1) * 100

    desk = day.start()
    by_keys(desk, lambda: settle(desk, tmp_path), lambda: the_bet().result)
    desk.wait_until_gone("^Settle bets from a results file$")
    desk.enter("oddsdesk$")
    report = Report(desk, tmp_path)
    by_keys(desk, report.ask, report.is_there)
    desk.program.kill()
    (row,) = report.rows
    assert (row["of"], row["bets"]) == ("Harbour", "1")
    assert float(row["profit"]) == pytest.approx(15 * 1.25)
    assert float(row["clv_pct"]) == pytest.approx(clv)

    (told,) = day.told("list")
    kept = (told["odds"], told["stake"], told["note"], told["result"], told["profit"])
    assert kept == (2.25, 15.0, "by phone", "won", 18.75)
    assert told["clv_pct"] == pytest.approx(clv)
    assert len(day.posted) == 1, "what was told before the program was killed is told again"
