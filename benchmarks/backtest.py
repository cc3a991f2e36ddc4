"""How fast a backtest and scorecards go through a log, and what memory that takes.

    python benchmarks/backtest.py 1000000

A live log is made: games of six hours each, ten at a time, a reference and eleven bookmakers that
follow it on three markets, a move a second in each game. Figures are of this process's own time.
"""

import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from oddsdesk.contract.quotes import Quote
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.research.backtests import run_backtest
from oddsdesk.research.question import Question
from oddsdesk.research.recorded_log import RecordedLog
from oddsdesk.research.scorecards import scorecards
from oddsdesk.store.reader import Reader
from oddsdesk.store.store import open_store

START = 1_700_000_000_000
HOUR_MS = 3_600_000
GAMES = 10
"""At a time."""
BOOKMAKERS = ("Pinnacle", *(f"Bookmaker {number}" for number in range(11)))
TODAY = START + 10_000 * HOUR_MS


class Market:
    """A market of a game: chances that wander, and each bookmaker's prices of them."""

    def __init__(self, market_type: str, names: tuple[str, ...]) -> None:
        self.market_type = market_type
        self.names = names
        self.chances = [1 / len(names)] * len(names)

    def odds(self, chance: random.Random, bookmaker: str) -> dict[str, float]:
        """Move, and return what a bookmaker says now."""
        drift = [each * chance.uniform(0.99, 1.01) for each in self.chances]
        self.chances = [each / sum(drift) for each in drift]
        margin = 1.025 if bookmaker == "Pinnacle" else chance.uniform(1.03, 1.07)
        return {
            name: round(1 / (each * margin), 2)
            for name, each in zip(self.names, self.chances, strict=True)
        }


def quotes(rows: int) -> Iterator[tuple[int, list[Quote]]]:
    """Yield some rows of the log, by the second at which they are recorded."""
    chance, made, round_of = random.Random(1), 0, 0
    while made < rows:
        begin = START + round_of * 6 * HOUR_MS
        names = [f"Team {2 * game} vs Team {2 * game + 1}" for game in range(GAMES)]
        games = [(name, _markets(name)) for name in names]
        for second in range(6 * 3600 - 60):
            batch = []
            for name, markets in games:
                market, who = chance.choice(markets), chance.choice(BOOKMAKERS)
                odds = market.odds(chance, who)
                batch.append(_quote(name, market, who, odds, begin + second * 1000, begin))
                made += len(odds)
            yield begin + second * 1000, batch
            if made >= rows:
                return
        round_of += 1


def _markets(name: str) -> list[Market]:
    home, away = name.split(" vs ")
    return [
        Market("moneyline", (home, "Draw", away)),
        Market("total", ("Over 2.5", "Under 2.5")),
        Market("spread", (f"{home} -0.5", f"{away} +0.5")),
    ]


def _quote(
    name: str, market: Market, who: str, odds: dict[str, float], at: int, begin: int
) -> Quote:
    return Quote(
        bookmaker=who,
        match_name=name,
        competition="EPL",
        market_type=market.market_type,
        period=0,
        odds=odds,
        scraped_at=at,
        match_date=begin + 6 * HOUR_MS,
    )


def make(path: Path, rows: int) -> int:
    """Make a log; return how many rows it has."""
    now = START
    with closing(open_store(path, clock=lambda: now)) as store:
        for now, batch in quotes(rows):  # noqa: B007 - the clock reads it
            done = store.record(batch)
        done.result()
        return store.reader().last_seq()


def measured(name: str, work: Callable[[Reader], int], path: Path) -> None:
    """Say how long a piece of work takes."""
    with closing(open_store(path, read_only=True)) as store:
        began = time.process_time()
        rows = work(store.reader())
        took = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name}: {rows:,} rows in {took:.1f} s, {rows / took:,.0f} a second, peak {peak:.0f} MB")


def main(rows: int) -> None:
    """Make a log and go through it."""
    profiles, close = shipped_profiles(), CloseBy("Pinnacle")
    asked = {"reference": "Pinnacle", "method": DEFAULT_METHOD}
    question = Question(**asked, profiles=profiles, close=close)
    bets = 0

    def bet(reader: Reader) -> int:
        nonlocal bets
        done = run_backtest(RecordedLog(reader), question, TODAY)
        bets = len(done.bets)
        return done.rows

    def score(reader: Reader) -> int:
        log = RecordedLog(reader)
        return scorecards(log, **asked, profiles=profiles, close=close, now_ms=TODAY).rows

    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.db"
        print(f"made {make(path, rows):,} rows")
        measured("backtest", bet, path)
        print(f"{bets} bets")
        measured("scorecards", score, path)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
