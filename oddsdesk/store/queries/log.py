"""The log of price changes: its tail for the stream, its past for charts."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Final

import msgspec

from oddsdesk.contract.quotes import Quote
from oddsdesk.store.queries.conditions import may_be_told, share_parameter
from oddsdesk.store.queries.older import Older
from oddsdesk.store.queries.select import Row, Select
from oddsdesk.store.values import Change, HistoryPoint, MoveFilter

_encode: Final = msgspec.json.Encoder().encode


def changes_after(
    select: Select,
    reference: str,
    shard: int,
    seq: int,
    limit: int,
    share: Collection[str] | None,
) -> list[Change]:
    """Return the rows of a shard of the log after one, in order."""
    asked = {
        "shard": shard,
        "seq": seq,
        "limit": limit,
        "reference": reference,
        **share_parameter(select, share),
    }
    query = select.sql.log.after.format(told=may_be_told(select, "c", share))
    return [change_of(row) for row in select(query, asked)]


def last_seq(select: Select, shard: int) -> int:
    """Return the number of the newest row of a shard there ever was, 0 for none."""
    rows = select(select.sql.log.last_seq, {"shard": shard})
    return int(rows[0][0]) if rows else 0


def history(
    select: Select,
    game_id: str,
    market_type: str,
    period: int,
    selection: str,
    since_ms: int,
    older: Older | None = None,
) -> list[HistoryPoint]:
    """Return how the prices of a selection moved, by time of recording.

    Starts with the price of each bookmaker that stood at ``since_ms``.
    """
    if older is not None:
        wanted = MoveFilter(market_type, period, selection)
        return _since(
            (
                (m.bookmaker, m.odds, m.is_live, m.scraped_at)
                for m in older.all_moves(game_id, wanted)
            ),
            since_ms,
        )
    parameters = {
        "game_id": game_id,
        "market_type": market_type,
        "period": period,
        "selection": selection,
    }
    return _since(select(select.sql.log.history, parameters), since_ms)


def are_in_log(select: Select, quotes: Sequence[tuple[int, Quote]]) -> list[bool]:
    """Return of each quote, told with the row of its game, whether the log has all its prices.

    A price is there if it stood at the time of the quote. A quote without prices is there if the
    log has a withdrawal of that market at that time. Moves that were archived are not looked up,
    so such a quote counts as missing.
    """
    priced, withdrawn = [], []
    for place, (game, quote) in enumerate(quotes):
        market = (place, game, quote.bookmaker, quote.market_type, quote.period, quote.scraped_at)
        if not quote.odds:
            withdrawn.append(market)
        priced += [(*market, selection) for selection in quote.odds]
    counts = Counter[int]()
    if priced:
        asked = {"asked": _encode(priced).decode()}
        stood = {(place, name, odds) for place, name, odds in select(select.sql.log.stood, asked)}
        counts.update(
            place
            for place, (_, quote) in enumerate(quotes)
            for name, odds in quote.odds.items()
            if (place, name, odds) in stood
        )
    if withdrawn:
        asked = {"asked": _encode(withdrawn).decode()}
        counts.update(place for (place,) in select(select.sql.log.withdrawn, asked))
    return [counts[place] >= max(len(quote.odds), 1) for place, (_, quote) in enumerate(quotes)]


def _since(rows: Iterable[Row], since_ms: int) -> list[HistoryPoint]:
    standing: dict[str, HistoryPoint] = {}
    later: list[HistoryPoint] = []
    for bookmaker, odds, is_live, scraped_at in rows:
        point = HistoryPoint(bookmaker, odds, bool(is_live), scraped_at)
        if scraped_at < since_ms:
            standing[bookmaker] = point
        else:
            later.append(point)
    return [point for point in standing.values() if point.odds is not None] + later


def change_of(row: Row) -> Change:
    """Return a row of the log, its columns in the order of ``Change``."""
    return Change(
        seq=row[0],
        game=row[1],
        game_id=row[2],
        match_name=row[3],
        competition=row[4],
        sport=row[5],
        bookmaker=row[6],
        market_type=row[7],
        period=row[8],
        selection=row[9],
        odds=row[10],
        is_live=bool(row[11]),
        scraped_at=row[12],
        liquidity=row[13],
        is_left_out=bool(row[14]),
        offers=row[15],
    )
