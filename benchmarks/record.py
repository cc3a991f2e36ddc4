"""How fast quotes are recorded, compared with bare ``executemany`` of the same rows.

    python benchmarks/record.py [--quotes 100000] [--batch 2000] [--exchanges 0]

Budget: at least 50,000 quotes' selections a second, on a fresh file and on one that holds
them already while a tenth of the prices moves. "Bare" writes the very rows that recording
wrote, to the same tables and indexes in as many transactions, and compares nothing. It keeps the
write-ahead log as small, too. Rates are by the clock and, where others share the machine, by the
processor's time. With ``--exchanges N`` so many of the 40 bookmakers tell three levels of each
side of their books, whose sizes are others each time.
"""

import argparse
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.resources import Offer
from oddsdesk.store.sqlite.database import WriteAheadLog, open_writer
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.store import open_store

START_MS = 1_776_000_000_000
BOOKMAKERS = [f"Bookmaker {number:02}" for number in range(40)]
BUDGET = 50_000
QUOTE_ROWS = """
INSERT INTO quote VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    is_live = excluded.is_live, scraped_at = excluded.scraped_at,
    selections = excluded.selections, odds = excluded.odds,
    liquidity = excluded.liquidity, url = excluded.url, offers = excluded.offers
"""
LOG_ROWS = "INSERT INTO price_change VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class Seconds(NamedTuple):
    clock: float
    processor: float

    @classmethod
    def now(cls) -> "Seconds":
        return cls(time.perf_counter(), time.process_time())

    def since(self, begin: "Seconds") -> "Seconds":
        return Seconds(self.clock - begin.clock, self.processor - begin.processor)


class Timing(NamedTuple):
    selections: int
    recorded: Seconds
    bare: Seconds

    def lines(self, title: str) -> Iterator[str]:
        for by, recorded_s, bare_s in zip(Seconds._fields, self.recorded, self.bare, strict=True):
            recorded, bare = self.selections / recorded_s, self.selections / bare_s
            yield (
                f"{title:<22}{by:<10}{recorded:>10,.0f} selections/s   bare {bare:>10,.0f}"
                f"   ratio {recorded / bare:.2f}"
            )


def market_quotes(game: int, bookmaker: str, random: Random) -> list[Quote]:
    """Four markets of a game, ten selections."""
    home, away = f"Home {game}", f"Away {game}"
    markets = {
        "moneyline": (home, "Draw", away),
        "spread": (f"{home} -0.5", f"{away} +0.5"),
        "total": ("Over 2.5", "Under 2.5", "Over 3.5", "Under 3.5"),
        "btts": ("Yes", "No"),
    }
    return [
        Quote(
            bookmaker=bookmaker,
            match_name=f"{home} - {away}",
            competition=("EPL", "NBA", "NHL")[game % 3],
            market_type=market_type,
            period=0,
            odds={name: round(random.uniform(1.2, 6), 2) for name in names},
            scraped_at=START_MS,
            match_date=START_MS + game * 60_000,
            url=f"https://example.com/{game}",
        )
        for market_type, names in markets.items()
    ]


def fresh_quotes(count: int, random: Random) -> list[Quote]:
    """As scrapers bring them: one bookmaker's whole offer after another."""
    games = -(-count // (4 * len(BOOKMAKERS)))
    offer = (
        quote
        for bookmaker in BOOKMAKERS
        for game in range(games)
        for quote in market_quotes(game, bookmaker, random)
    )
    return list(islice(offer, count))


def with_levels(quotes: list[Quote], exchanges: int, random: Random) -> list[Quote]:
    """The same quotes, those of the first bookmakers with three levels of each side."""
    names = frozenset(BOOKMAKERS[:exchanges])
    return [
        msgspec.structs.replace(quote, offers=book(quote.odds, random))
        if quote.bookmaker in names
        else quote
        for quote in quotes
    ]


def book(odds: dict[str, float], random: Random) -> dict[str, Offer]:
    return {
        name: Offer(
            back=tuple((round(best - step / 100, 2), size(random)) for step in range(3)),
            lay=tuple((round(best + (step + 1) / 100, 2), size(random)) for step in range(3)),
            currency="GBP",
        )
        for name, best in odds.items()
    }


def size(random: Random) -> float:
    return round(random.uniform(2, 900), 2)


def moved(quotes: list[Quote], random: Random) -> list[Quote]:
    """The same markets ten seconds later, a tenth of the prices another."""
    return [
        msgspec.structs.replace(
            quote,
            scraped_at=quote.scraped_at + 10_000,
            odds={
                name: round(price + 0.01, 2) if random.random() < 0.1 else price
                for name, price in quote.odds.items()
            },
        )
        for quote in quotes
    ]


def record(path: Path, quotes: list[Quote], batch: int) -> Seconds:
    """Seconds to record everything, batch after batch."""
    store = open_store(path, "Bookmaker 00")
    begin = Seconds.now()
    for start in range(0, len(quotes), batch):
        store.record(quotes[start : start + batch]).result()
    seconds = Seconds.now().since(begin)
    store.close()
    return seconds


def rows_of(path: Path, after_seq: int) -> tuple[list[tuple], list[tuple]]:
    """The rows that were written, in the order in which the quotes came."""
    connection = sqlite3.connect(path)
    quotes = connection.execute("SELECT * FROM quote ORDER BY bookmaker, game").fetchall()
    log = connection.execute("SELECT * FROM price_change WHERE seq > ?", (after_seq,)).fetchall()
    connection.close()
    return quotes, log


def write_bare(path: Path, quotes: list[tuple], log: list[tuple], transactions: int) -> Seconds:
    """Seconds to write the rows, compared with nothing."""
    connection = open_writer(path, ODDS, synchronous="NORMAL")
    write_ahead = WriteAheadLog(path, connection)
    quote_step = -(-len(quotes) // transactions)
    log_step = max(1, -(-len(log) // transactions))
    begin = Seconds.now()
    for number in range(transactions):
        connection.execute("BEGIN IMMEDIATE")
        quote_start, log_start = number * quote_step, number * log_step
        connection.executemany(QUOTE_ROWS, quotes[quote_start : quote_start + quote_step])
        connection.executemany(LOG_ROWS, log[log_start : log_start + log_step])
        connection.execute("COMMIT")
        write_ahead.keep_small()
    seconds = Seconds.now().since(begin)
    write_ahead.close_wal()
    connection.close()
    return seconds


def measure(folder: Path, count: int, batch: int, exchanges: int) -> dict[str, Timing]:
    random, sizes = Random(7), Random(11)
    timings = {}
    quotes, seq = with_levels(fresh_quotes(count, random), exchanges, sizes), 0
    for title in ("fresh file", "again, 10 % changed"):
        selections = sum(len(quote.odds) for quote in quotes)
        recorded = record(folder / "recorded.db", quotes, batch)
        quote_rows, log_rows = rows_of(folder / "recorded.db", seq)
        transactions = -(-count // batch)
        bare = write_bare(folder / "bare.db", quote_rows, log_rows, transactions)
        timings[title] = Timing(selections, recorded, bare)
        quotes = with_levels(moved(quotes, random), exchanges, sizes)
        seq = log_rows[-1][0]
    return timings


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quotes", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=2_000, help="quotes a recording")
    parser.add_argument("--exchanges", type=int, default=0, help="bookmakers with levels")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        timings = measure(Path(folder), options.quotes, options.batch, options.exchanges)
    told = f", {options.exchanges} of {len(BOOKMAKERS)} bookmakers with levels"
    print(f"{options.quotes:,} quotes in recordings of {options.batch:,}{told}")
    for title, timing in timings.items():
        print(*timing.lines(title), sep="\n")
    slowest = min(timing.selections / timing.recorded.clock for timing in timings.values())
    print(f"budget {BUDGET:,}: {'kept' if slowest >= BUDGET else 'MISSED'}")
    return 0 if slowest >= BUDGET else 1


if __name__ == "__main__":
    sys.exit(main())
