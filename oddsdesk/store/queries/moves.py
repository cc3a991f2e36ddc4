"""How the prices of one game moved, for who asks the service (D75)."""

from typing import Any

from oddsdesk.contract.resources import PriceChange
from oddsdesk.contract.times import format_ms
from oddsdesk.store.cursors import MovePlace, from_cursor, to_cursor
from oddsdesk.store.queries.conditions import visibility_parameters, visible
from oddsdesk.store.queries.older import Older, known_by
from oddsdesk.store.queries.quotes import GameRow
from oddsdesk.store.queries.select import Row, Select
from oddsdesk.store.spans import LoggedMove
from oddsdesk.store.values import MoveFilter, Page, Visibility


def list_moves(
    select: Select,
    reference: str,
    game: GameRow,
    wanted: MoveFilter,
    visibility: Visibility,
    limit: int,
    cursor: str | None,
    older: Older | None = None,
) -> Page[PriceChange]:
    """Return moves by ``scraped_at``; those of one time in the order they were recorded."""
    after = None if cursor is None else from_cursor(cursor, MovePlace)
    asked: dict[str, Any] = {
        "game": game.row,
        "limit": limit + 1,
        **visibility_parameters(select, visibility, reference),
    }
    conditions = ["c.game = :game", visible(select, "c", visibility), *_conditions(wanted, asked)]
    if after is not None:
        conditions.append("(c.scraped_at, c.seq) > (:after_at, :after_seq)")
        asked |= {"after_at": after.scraped_at, "after_seq": after.seq}
    query = f"""
        SELECT c.bookmaker, c.market_type, c.period, c.selection, c.odds, c.is_live,
            c.scraped_at, c.seq
        FROM price_change c WHERE {" AND ".join(conditions)}
        ORDER BY c.scraped_at, c.seq LIMIT :limit
    """
    rows = select(query, asked)
    if older is not None:
        place = None if after is None else (after.scraped_at, after.seq)
        found = older.moves(game, wanted, visibility, place, limit + 1)
        rows = _with_older(rows, found)[: limit + 1]
    changes = [_change(row) for row in rows[:limit]]
    if len(rows) <= limit:
        return Page(changes, None)
    scraped_at, seq = rows[limit - 1][-2:]
    return Page(changes, to_cursor(MovePlace(scraped_at, seq)))


def _with_older(rows: list[Row], older: list[LoggedMove]) -> list[Row]:
    """Return rows with those of the archive that are not among them, in order."""
    known = {(row[7], row[6], row[1], row[2], row[4]) for row in rows}  # as ``known_by``
    missing = [
        (*move[8:14], move.scraped_at, move.seq) for move in older if known_by(move) not in known
    ]
    return sorted([*rows, *missing], key=lambda row: row[6:8])


def _change(row: Row) -> PriceChange:
    return PriceChange(
        bookmaker=row[0],
        market_type=row[1],
        period=row[2],
        selection=row[3],
        odds=row[4],
        scraped_at=format_ms(row[6]),
        is_live=bool(row[5]),
    )


def _conditions(wanted: MoveFilter, asked: dict[str, Any]) -> list[str]:
    """Return the conditions that are asked for, with their parameters put into ``asked``."""
    compared = {
        "market_type": ("c.market_type =", wanted.market_type),
        "period": ("c.period =", wanted.period),
        "selection": ("c.selection =", wanted.selection),
        "bookmaker": ("c.bookmaker =", wanted.bookmaker),
        "since": ("c.scraped_at >=", wanted.since),
        "until": ("c.scraped_at <", wanted.until),
    }
    given = {name: each for name, each in compared.items() if each[1] is not None}
    asked |= {name: value for name, (_, value) in given.items()}
    return [f"{comparison} :{name}" for name, (comparison, _) in given.items()]
