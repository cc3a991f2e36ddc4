"""Made logs, and backtests on them."""

from pathlib import Path
from typing import Any

from oddsdesk.contract.quotes import Quote
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.research.backtests import Backtested, run_backtest
from oddsdesk.research.question import Question
from oddsdesk.research.recorded_log import RecordedLog
from oddsdesk.store.store import Store, open_store

MINUTE = 60_000
HOUR = 60 * MINUTE
START = 1_700_000_000_000
KICK_OFF = START + 6 * HOUR
TODAY = START + 30 * 24 * HOUR

EVEN = {"A": 1.95, "B": 1.95}
"""Fair at 2.00: value from 2.0402 to 2.0956."""
LONGER = {"A": 2.2, "B": 1.75}
"""A is fair at 2.26."""
SOFT = "Soft"


class Log:
    """A database, and the clock that its rows are recorded by."""

    def __init__(self, path: Path) -> None:
        self.now = TODAY
        self.path = path
        self.store: Store = open_store(path, clock=lambda: self.now)

    def archive(self, *quotes: Quote) -> None:
        """Record quotes long after they were scraped."""
        self.store.record(quotes).result(10)

    def live(self, *quotes: Quote) -> None:
        """Record quotes one after the other, each as it is scraped."""
        for each in quotes:
            self.now = each.scraped_at
            self.store.record([each]).result(10)
        self.now = TODAY

    def backtest(self, **asked: Any) -> Backtested:
        return run_backtest(RecordedLog(self.store.reader()), question(**asked), TODAY)


def question(**asked: Any) -> Question:
    usual = {
        "reference": "Pinnacle",
        "method": DEFAULT_METHOD,
        "close": CloseBy("Pinnacle"),
        "profiles": shipped_profiles(),
    }
    return Question(**(usual | asked))


def said(bookmaker: str, odds: dict[str, float], at: int = START, **fields: Any) -> Quote:
    game = {"match_name": "A vs B", "competition": "ATP", "market_type": "moneyline", "period": 0}
    return Quote(
        bookmaker=bookmaker, odds=odds, scraped_at=at, **({"match_date": KICK_OFF} | game | fields)
    )


def reference(odds: dict[str, float], at: int = START, **fields: Any) -> Quote:
    return said("Pinnacle", odds, at, **fields)


def placed(done: Backtested) -> list[tuple[str, str, float, int]]:
    return [(bet.bookmaker, bet.selection, bet.odds, bet.placed_at) for bet in done.bets]
