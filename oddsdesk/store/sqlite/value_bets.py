"""Writing down what the valuation found of a market, with the time of detection (D29)."""

import sqlite3
from collections.abc import Iterable
from typing import Final

import msgspec

from oddsdesk.store.settings import VALUED_BY
from oddsdesk.store.sqlite.settings import READ_SETTING, put_setting
from oddsdesk.store.values import FoundValueBet

_encode: Final = msgspec.json.Encoder().encode

_STORED: Final = """
SELECT bookmaker, selection, odds, fair_odds FROM value_bet
WHERE game = ? AND market_type = ? AND period = ?
"""
_DROP: Final = """
DELETE FROM value_bet
WHERE game = ? AND market_type = ? AND period = ? AND bookmaker = ? AND selection = ?
"""
_KEEP: Final = """
INSERT INTO value_bet (game, market_type, period, bookmaker, selection, odds, line,
                       reference_odds, fair_odds, ev_pct, payout_rate, detected_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
    odds = excluded.odds, line = excluded.line, reference_odds = excluded.reference_odds,
    fair_odds = excluded.fair_odds, ev_pct = excluded.ev_pct,
    payout_rate = excluded.payout_rate,
    detected_at = CASE
        WHEN odds = excluded.odds AND fair_odds = excluded.fair_odds
        THEN min(detected_at, excluded.detected_at)
        ELSE excluded.detected_at
    END
"""


def value_by(connection: sqlite3.Connection, how: str) -> None:
    """Say by what bets are found from now on; inside the caller's transaction."""
    rows = connection.execute(READ_SETTING, (VALUED_BY,)).fetchall()
    if rows and rows[0][0] != how:
        connection.execute("DELETE FROM value_bet")
    if not rows or rows[0][0] != how:
        put_setting(connection, VALUED_BY, how)


def replace_value_bets(
    connection: sqlite3.Connection,
    game: int,
    market_type: str,
    period: int,
    bets: Iterable[FoundValueBet],
    now_ms: int,
) -> None:
    """Make these the value bets of a market; inside the caller's transaction.

    A bet stored before with the same price and fair price keeps its time of detection, unless
    that lies in the future. Whether price and reference still stand, are fresh, and agree on in
    play is judged on each read.
    """
    market = (game, market_type, period)
    found = {(bet.bookmaker, bet.selection): bet for bet in bets}
    stored = connection.execute(_STORED, market).fetchall()
    gone = [key for *key, _, _ in stored if tuple(key) not in found]
    connection.executemany(_DROP, [(*market, *key) for key in gone])
    connection.executemany(
        _KEEP,
        [
            (
                *market,
                bet.bookmaker,
                bet.selection,
                bet.odds,
                _encode(bet.line).decode(),
                bet.reference_odds,
                bet.fair_odds,
                bet.ev_pct,
                bet.payout_rate,
                now_ms,
            )
            for bet in found.values()
        ],
    )
