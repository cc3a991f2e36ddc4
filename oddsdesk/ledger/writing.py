"""Bets that go to files: our own tables, and what other trackers take in."""

import csv
import io
import json
from collections.abc import Iterable
from typing import Any, BinaryIO

from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.columns import COLUMNS
from oddsdesk.ledger.trackers import BET_ANALYTIX_TITLES, BET_ANALYTIX_WORDS
from oddsdesk.spreadsheets import safe_text


def write_csv(bets: Iterable[PlacedBet], file: BinaryIO) -> None:
    """Write bets as CSV in UTF-8, safe in a spreadsheet."""
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow([column.key for column in COLUMNS])
    for bet in bets:
        values = (column.written(bet) for column in COLUMNS)
        writer.writerow([safe_text(each) if isinstance(each, str) else each for each in values])
    text.detach()


def write_json(bets: Iterable[PlacedBet], file: BinaryIO) -> None:
    """Write bets as a JSON array of objects by column."""
    file.write(json.dumps([as_fields(bet) for bet in bets], indent=2).encode() + b"\n")


def write_bet_analytix(bets: Iterable[PlacedBet], file: BinaryIO) -> int:
    """Write bets as Bet-Analytix takes them in, times in UTC; return how many it has no words for.

    Those are bets that were cashed out, whole or in part.
    """
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="", write_through=True)
    writer = csv.writer(text, delimiter=";", quoting=csv.QUOTE_ALL)
    writer.writerow(BET_ANALYTIX_TITLES)
    words = {result: word.upper() for word, result in BET_ANALYTIX_WORDS.items()}
    left_out = 0
    for bet in bets:
        if bet.result not in words or bet.cashed_stake:
            left_out += 1
            continue
        told = _for_bet_analytix(bet) | {"State": words[bet.result]}
        writer.writerow([safe_text(str(told.get(title, ""))) for title in BET_ANALYTIX_TITLES])
    text.detach()
    return left_out


def _for_bet_analytix(bet: PlacedBet) -> dict[str, str | float]:
    close = None if bet.close is None else bet.close.odds
    return {
        "Date": format_ms(bet.placed_at)[:16].replace("T", " "),
        "Type": "Simple",
        "Sport": bet.sport,
        "Label": " · ".join(filter(None, (bet.selection, bet.match_name))),
        "Odds": bet.odds,
        "Stake": bet.stake,
        "Bookmaker": bet.bookmaker,
        "Competition": bet.competition,
        "BetType": bet.market_type,
        "Closing": "" if close is None else close,
        "Comment": bet.note,
    }


def as_fields(bet: PlacedBet) -> dict[str, Any]:
    """Return a bet by column."""
    return {column.key: column.written(bet) for column in COLUMNS}
