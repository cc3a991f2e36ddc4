"""Keeping how games ended."""

import sqlite3
from collections.abc import Iterable
from typing import Final

from oddsdesk.contract.game_results import GameResult
from oddsdesk.store.games import plain_name

_PUT: Final = """
INSERT INTO result (competition, plain_name, kick_off, home, away, half_home, half_away)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (competition, plain_name, kick_off) DO UPDATE SET home = excluded.home,
    away = excluded.away, half_home = excluded.half_home, half_away = excluded.half_away
"""


def put_results(connection: sqlite3.Connection, results: Iterable[GameResult]) -> None:
    """Keep results; a game that has one gets the new one."""
    rows = (
        (
            *(said.competition, plain_name(said.match_name), said.kick_off),
            *(said.home, said.away, said.half_home, said.half_away),
        )
        for said in results
    )
    connection.executemany(_PUT, rows)
