"""The rows of two games as those of one, and back (D69)."""

import json
import sqlite3
from typing import Any, Final

from oddsdesk.store.recording import encoded_odds
from oddsdesk.store.renaming import renamed
from oddsdesk.store.sqlite.game_rows import Row, drop_rows, insert_row, rows_of, this_moment
from oddsdesk.store.sqlite.tables import KEEP_QUOTE, SUM_UP

_LOG: Final = "SELECT seq, market_type, selection FROM price_change WHERE game = ? ORDER BY seq"
_MOVE_LOG: Final = "UPDATE price_change SET game = ?, selection = ? WHERE seq = ?"
_DROP_LOG_SINCE: Final = "DELETE FROM price_change WHERE game = ? AND seq > ?"
_TAKE_QUOTE: Final = f"{KEEP_QUOTE} WHERE excluded.scraped_at > quote.scraped_at"
_UNCOVER: Final = "DELETE FROM coverage WHERE game = ?"
_COVER: Final = """
INSERT INTO coverage (game, bookmaker, is_live, newest, oldest, selections)
SELECT game, bookmaker, is_live, max(scraped_at), min(scraped_at), sum(selections) FROM quote
WHERE game = ? AND selections > 0 GROUP BY bookmaker, is_live
"""
_TAKE_TIMES: Final = """
UPDATE game SET
    first_scraped_at = min(game.first_scraped_at, other.first_scraped_at),
    recent = max(game.recent, other.recent),
    match_date = coalesce(game.match_date, other.match_date),
    match_date_by = CASE WHEN game.match_date IS NULL
        THEN other.match_date_by ELSE game.match_date_by END,
    match_date_scraped_at = CASE WHEN game.match_date IS NULL
        THEN other.match_date_scraped_at ELSE game.match_date_scraped_at END
FROM game other WHERE game.id = :kept AND other.id = :other
"""
_TAKE_NAMES: Final = """
UPDATE OR REPLACE other_name SET game = :kept, crosswise = (crosswise + :crosswise) % 2
WHERE game = :other
"""
_TAKE_ORIGINS: Final = """
INSERT OR IGNORE INTO origin (game, bookmaker, source, may_share)
SELECT ?, bookmaker, source, may_share FROM origin WHERE game = ?
"""
_TAKE_EVENTS: Final = "UPDATE event SET game = ? WHERE game = ?"
_NAMES: Final = "SELECT match_name FROM game WHERE id = ?"


def merge_rows(
    connection: sqlite3.Connection, kept: int, other: int, *, is_crosswise: bool
) -> bytes:
    """Give all that is stored of a game to another; return both as they were, as JSON."""
    log = connection.execute(_LOG, (other,)).fetchall()
    others = rows_of(connection, other)
    before = {
        "kept": rows_of(connection, kept),
        "other": others,
        "log": [(seq, selection) for seq, _, selection in log],
        **this_moment(connection),
    }
    stored, said = (connection.execute(_NAMES, (game,)).fetchall()[0][0] for game in (kept, other))
    words = (said, stored, is_crosswise)
    moved = [(kept, renamed(market, *words, text), seq) for seq, market, text in log]
    connection.executemany(_MOVE_LOG, moved)
    for quote in others["quote"]:
        connection.execute(_TAKE_QUOTE, _in_other_words(quote, kept, words))
    connection.execute(_TAKE_TIMES, {"kept": kept, "other": other})
    names = {"kept": kept, "other": other, "crosswise": is_crosswise}
    connection.execute(_TAKE_NAMES, names)
    connection.execute(_TAKE_EVENTS, (kept, other))
    connection.execute(_TAKE_ORIGINS, (kept, other))
    drop_rows(connection, other)
    connection.execute(_UNCOVER, (kept,))
    connection.execute(_COVER, (kept,))
    connection.execute(SUM_UP, {"game": kept})
    return json.dumps(before).encode()


def part_rows(connection: sqlite3.Connection, kept: int, before: bytes) -> None:
    """Undo ``merge_rows``: both games are as they were, and what was logged since is gone.

    Or put back a game of which ``game_rows.as_it_is`` was kept.
    """
    were = json.loads(before)
    connection.execute(_DROP_LOG_SINCE, (kept, were["last_seq"]))
    drop_rows(connection, kept)
    for game in (were["kept"], were["other"]):
        for table, rows in game.items():
            for row in rows:
                insert_row(connection, table, row)
    games = [row["id"] for game in ("kept", "other") for row in were[game].get("game", ())]
    moved = [(games[-1], selection, seq) for seq, selection in were["log"]]
    connection.executemany(_MOVE_LOG, moved)


def _in_other_words(quote: Row, kept: int, words: tuple[str, str, bool]) -> tuple[object, ...]:
    market, odds, offers = quote["market_type"], quote["odds"], quote["offers"]
    if odds is not None:
        odds = encoded_odds(market, words[1], _renamed(market, words, odds))
    if offers is not None:
        offers = json.dumps(_renamed(market, words, offers))
    fields = ("bookmaker", "market_type", "period", "is_live", "scraped_at", "selections")
    sums = (kept, *(quote[each] for each in fields))
    return (*sums, odds, quote["liquidity"], quote["url"], offers)


def _renamed(market: str, words: tuple[str, str, bool], by_selection: str) -> dict[str, Any]:
    return {renamed(market, *words, text): each for text, each in json.loads(by_selection).items()}
