"""Bets that go to files: our own tables, and what other trackers take in."""

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Iterable
from typing import Any, BinaryIO, NamedTuple

from oddsdesk.contract.times import format_ms
from oddsdesk.formula_texts import safe_text
from oddsdesk.ledger.bets import PlacedBet, counted
from oddsdesk.ledger.columns import COLUMNS
from oddsdesk.ledger.trackers import BET_ANALYTIX_TITLES, BET_ANALYTIX_WORDS


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


class ForBetAnalytix(NamedTuple):
    """What came of bets that were written for Bet-Analytix."""

    written: int
    changed: list[str]
    """One line each: what its list has no place for, and what became of that."""


def write_bet_analytix(bets: Iterable[PlacedBet], file: BinaryIO) -> ForBetAnalytix:
    """Write bets as Bet-Analytix takes them in, times in UTC.

    It has no words for bets that were cashed out, whole or in part, and sums what is practice:
    they are left out. Its odds are what a bet pays net, so that each profit is the same there.
    """
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="", write_through=True)
    writer = csv.writer(text, delimiter=";", quoting=csv.QUOTE_ALL)
    writer.writerow(BET_ANALYTIX_TITLES)
    words = {result: word.upper() for word, result in BET_ANALYTIX_WORDS.items()}
    left_out, written = 0, list[PlacedBet]()
    held = list(bets)
    of_money = list(counted(held))
    for bet in of_money:
        if bet.result not in words or bet.cashed_stake:
            left_out += 1
            continue
        told = _for_bet_analytix(bet) | {"State": words[bet.result]}
        writer.writerow([safe_text(str(told.get(title, ""))) for title in BET_ANALYTIX_TITLES])
        written.append(bet)
    text.detach()
    return ForBetAnalytix(len(written), [*_changed(written, left_out, len(held) - len(of_money))])


def _changed(written: Iterable[PlacedBet], left_out: int, practice: int) -> Iterable[str]:
    if practice:
        yield f"left out, since they are practice: {practice}"
    if left_out:
        yield f"left out, since they were cashed out: {left_out}"
    if charged := sum(map(_is_charged, written)):
        yield f"with odds after commission or tax, those taken in the comment: {charged}"
    currencies = Counter(bet.currency for bet in written)
    if set(currencies) <= {""}:
        return
    named = ", ".join(f"{count} {name or 'without one'}" for name, count in currencies.items())
    if len(currencies) > 1:
        yield f"currencies are in the comment only, and Bet-Analytix sums them: {named}"
    else:
        yield f"the currency is in the comment only: {named}"


def _is_charged(bet: PlacedBet) -> bool:
    return not math.isclose(bet.net, bet.odds)


def _for_bet_analytix(bet: PlacedBet) -> dict[str, str | float]:
    close = None if bet.close is None else bet.close.odds
    is_charged = _is_charged(bet)
    taken = f"taken at {bet.odds}" if is_charged else ""
    return {
        "Date": format_ms(bet.placed_at)[:16].replace("T", " "),
        "Type": "Simple",
        "Sport": bet.sport,
        "Label": " · ".join(filter(None, (bet.selection, bet.match_name))),
        "Odds": round(bet.net, 6) if is_charged else bet.odds,
        "Stake": bet.stake,
        "Bookmaker": bet.bookmaker,
        "Competition": bet.competition,
        "BetType": bet.market_type,
        "Closing": "" if close is None else close,
        "Commission": 0 if is_charged else "",
        "Comment": "; ".join(filter(None, (bet.note, taken, bet.currency))),
    }


def as_fields(bet: PlacedBet) -> dict[str, Any]:
    """Return a bet by column."""
    return {column.key: column.written(bet) for column in COLUMNS}
