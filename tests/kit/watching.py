"""What `oddsdesk watch` looks at and says: quotes of now, a bet on them, and its lines."""

import threading
import time
from collections.abc import Callable
from contextlib import closing

from oddsdesk.base.clock import system_clock
from oddsdesk.base.places import default_ledger
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.pricing.closing import ClosingLine
from tests.kit.program import Program

LIMIT_S = 120
"""Of a wait: what was away is tried again after half a minute at most, and then has to start."""


def quote(bookmaker: str, odds: dict[str, float], match_name: str = "A vs B") -> Quote:
    """Return a quote of a game that begins in an hour."""
    now = system_clock()
    return Quote(
        match_name=match_name,
        competition="ATP",
        bookmaker=bookmaker,
        market_type="moneyline",
        period=0,
        odds=odds,
        scraped_at=now,
        match_date=now + 3_600_000,
    )


def lines_until(program: Program, is_last: Callable[[str], bool]) -> list[str]:
    """Read its output up to a line; the program is ended where that never comes."""
    assert program.process.stdout is not None
    impatience = threading.Timer(LIMIT_S, program.process.kill)
    impatience.start()
    seen = []
    try:
        for line in program.process.stdout:
            seen.append(line.strip())
            if is_last(line):
                return seen
    finally:
        impatience.cancel()
    raise AssertionError(seen)


def placed_on(before: Quote) -> PlacedBet:
    """Return a bet of 10 on A at 2.2."""
    return PlacedBet(
        game_id=game_id(before.competition, before.match_name),
        match_name=before.match_name,
        competition=before.competition,
        sport="Tennis",
        market_type="moneyline",
        period=0,
        selection="A",
        bookmaker="Soft",
        odds=2.2,
        stake=10.0,
        placed_at=system_clock(),
        kick_off=before.match_date,
        method="margin_proportional",
    )


def wait_for_close() -> ClosingLine | None:
    """Wait until the only bet of the ledger has a closing line, or none for a reason."""
    impatience = time.monotonic() + LIMIT_S
    while time.monotonic() < impatience:
        with closing(Ledger(default_ledger())) as ledger:
            (held,) = ledger.read_bets()
        if held.close is not None:
            return held.close
        time.sleep(0.2)
    return None
