"""What the tests record: batches of quotes that can be recognised, keys and bets, acknowledged.

Every batch changes every price that is not withdrawn, so a batch that was kept is a known
number of rows of the log with a time of its own.
"""

import os
import random
import sqlite3
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Final

from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote
from oddsdesk.ledger.bets import PlacedBet, settled
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.pricing.selections import Result
from oddsdesk.store.access import open_access
from oddsdesk.store.sqlite.store import replace_value_bets
from oddsdesk.store.store import Store
from oddsdesk.store.values import FoundValueBet

ODDS: Final = "odds.db"
DURABLE: Final = "durable.db"
"""Recorded into with ``--durable``."""
LEDGER: Final = "ledger.db"
GAMES: Final = (
    ("Arsenal - Chelsea", "EPL", ("Arsenal", "Draw", "Chelsea")),
    ("Lyon - Monaco", "LIG1", ("Lyon", "Draw", "Monaco")),
    ("Boston Celtics - Miami Heat", "NBA", ("Boston Celtics", "Miami Heat")),
)
BOOKMAKERS: Final = ("Pinnacle", "Harbour Bet", "Ponte Lungo", "Casa 4")
TOTALS: Final = ("Over 2.5", "Under 2.5", "Over 3.5", "Under 3.5")
KEYS_OF_AN_ACCOUNT: Final = 5
_HOUR_MS: Final = 3_600_000
_WITHDRAWN_EVERY: Final = 11

Tell = Callable[[str], None]
"""Acknowledges one thing to the world."""


def batch(number: int, base_ms: int) -> list[Quote]:
    """Return the batch of a number; its quotes were scraped ``number`` milliseconds after base.

    Batch 0 prices everything, and each later one withdraws some; it has to be the first.
    """
    quotes = []
    for game, (name, competition, teams) in enumerate(GAMES):
        for bookmaker in BOOKMAKERS:
            for market_type, selections in (("moneyline", teams), ("total", TOTALS)):
                odds = {
                    each: 1.5 + ((number * 7 + len(quotes) * 5 + place) % 400) / 100
                    for place, each in enumerate(selections)
                }
                quotes.append(
                    Quote(
                        bookmaker,
                        name,
                        competition,
                        market_type,
                        0,
                        odds if _is_priced(number, len(quotes)) else {},
                        base_ms + number,
                        (number // 50 + game) % 2 == 0,
                        base_ms + 2 * _HOUR_MS,
                    )
                )
    return quotes


def _is_priced(number: int, place: int) -> bool:
    return number == 0 or (number + place) % _WITHDRAWN_EVERY != 0


def rows_of_a_batch() -> int:
    """Return how many rows of the log a batch makes after another one."""
    return sum(len(teams) + len(TOTALS) for _, _, teams in GAMES) * len(BOOKMAKERS)


def reconcile(store: Store, number: int, now_ms: int) -> None:
    """Write value bets as the valuation does: some come, some go."""
    bookmaker = BOOKMAKERS[1 + number % 3]
    line = {"Over 2.5": 2.0, "Under 2.5": 1.9}
    bet = FoundValueBet(bookmaker, "Over 2.5", 2.1, line, 2.0, 2.03, 3.4, 0.97)
    bets = [bet] if number % 4 else []
    name, _, _ = GAMES[number % len(GAMES)]

    def work(connection: sqlite3.Connection) -> None:
        query = "SELECT max(id) FROM game WHERE match_name LIKE ?"
        ((game,),) = connection.execute(query, (f"{name}%",)).fetchall()
        replace_value_bets(connection, game, "total", 0, bets, now_ms)

    store.run_on_writer(work).result()


def record(store: Store, base_ms: int, first: int, tell: Tell) -> Iterator[int]:
    """Record batch after batch from a number on, each acknowledged once it is recorded.

    A batch is told of by the name of its file.
    """
    number = first
    while True:
        store.record(batch(number, base_ms)).result()
        tell(f"{store.path.name} {number}")
        if number % 3 == 0:
            reconcile(store, number, base_ms + number)
        yield number
        number += 1


def make_keys(folder: Path, tell: Tell, seed: int) -> Generator[None, None, None]:
    """Make keys, each acknowledged once its secret could be shown."""
    access = open_access(folder / ODDS)
    chance = random.Random(seed)
    made = 0
    try:
        while True:
            account = f"account {seed} {made // KEYS_OF_AN_ACCOUNT}"
            new = access.keys.create(account, Plan.PRO, None, chance.randrange(10**12))
            tell(f"key {new.secret}")
            made += 1
            yield
    finally:
        access.close()


def place_bets(folder: Path, tell: Tell) -> Generator[None, None, None]:
    """Place bets, each acknowledged once it could be shown as placed."""
    ledger = Ledger(folder / LEDGER)
    try:
        while True:
            bet = ledger.record_bet(
                PlacedBet(
                    "x", *GAMES[0][:2], "Football", "total", 0, "Over 2.5", "Casa 4", 2.1, 5.0, 1
                )
            )
            tell(f"bet {bet.ident}")
            yield
            ledger.change_bet([settled(bet, Result.WON, 2)], "settled")
            tell(f"result {bet.ident}")
    finally:
        ledger.close()


def tell_through(descriptor: int) -> Tell:
    """Return what acknowledges with one line in a pipe or file."""

    def tell(what: str) -> None:
        os.write(descriptor, f"{what}\n".encode())

    return tell
