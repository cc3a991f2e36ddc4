"""Closing lines of placed bets, read from a database's log (D57)."""

from collections.abc import Iterable, Iterator
from typing import Final

from oddsdesk.contract.resources import GameMatrix
from oddsdesk.contract.times import MINUTE_MS, parse_ms
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.closing import MOST_AGE_MS, ClosingLine, Sighting, began_at, closing_line
from oddsdesk.pricing.market import Market
from oddsdesk.store.reader import Reader
from oddsdesk.store.values import Visibility

_ALL: Final = Visibility()
_LATE_MS: Final = 24 * 60 * MINUTE_MS
"""Until so long after a game's stated begin it may first be seen in play."""


def closes_from_log(
    reader: Reader, bets: Iterable[PlacedBet], now_ms: int, method: str
) -> dict[int, ClosingLine]:
    """Return the closing lines of bets whose games have begun and that lack one, by number.

    Args:
        reader: Of the database whose log tells.
        bets: Those of other databases are told apart by their games, and left out.
        now_ms: The time.
        method: What devigs the close of bets that were not judged by a method when placed.
    """
    found = {}
    for bet in bets:
        if bet.ident is None or (bet.close is not None and bet.close.is_there):
            continue
        close = _close(reader, bet, now_ms, bet.method or method)
        if close is not None:
            found[bet.ident] = close
    return found


def _close(reader: Reader, bet: PlacedBet, now_ms: int, method: str) -> ClosingLine | None:
    """Return the close of one bet, None where its game is not known or has not begun."""
    game = reader.matrix_as_of(bet.game_id, now_ms, _ALL)
    if game is None:
        return None
    kick_off = bet.kick_off if game.match_date is None else parse_ms(game.match_date)
    first = _first_in_play(reader, bet, kick_off)
    began = began_at(kick_off, first)
    if began is not None and began > now_ms:
        return None
    moments = [] if began is None else _moments(reader, bet, began)
    sightings = [each for at in moments for each in _sightings(reader, bet, at, first)]
    market = Market(bet.market_type, game.match_name, game.sport, bet.period)
    return closing_line(
        market, bet.selection, sightings, kick_off=kick_off, first_in_play=first, method=method
    )


def _first_in_play(reader: Reader, bet: PlacedBet, kick_off: int | None) -> int | None:
    """Return when a price of the bet's selection was first seen in play."""
    points = reader.history(bet.game_id, bet.market_type, bet.period, bet.selection, 0)
    latest = None if kick_off is None else kick_off + _LATE_MS
    times = [point.scraped_at for point in points if point.is_live]
    return min((at for at in times if latest is None or at <= latest), default=None)


def _moments(reader: Reader, bet: PlacedBet, began: int) -> list[int]:
    """Return the moments at which the market may have stood as it closed."""
    key = (bet.market_type, bet.period, bet.selection)
    since = began - MOST_AGE_MS
    moves = reader.reference_history(bet.game_id, [key], since).get(key, [])
    times = {at for move in moves for at in (move.scraped_at, move.scraped_at - 1)}
    return sorted({began, began - 1} | {at for at in times if since <= at <= began})


def _sightings(
    reader: Reader, bet: PlacedBet, at: int, first_in_play: int | None
) -> Iterator[Sighting]:
    """Yield what the reference said of the bet's market as of a moment."""
    asked = {"market_type": bet.market_type, "period": bet.period}
    game = reader.matrix_as_of(bet.game_id, at, _ALL, **asked)  # type: ignore[arg-type]
    for seen, odds in _reference(game):
        yield Sighting(seen, odds, first_in_play is not None and seen >= first_in_play)


def _reference(game: GameMatrix | None) -> Iterator[tuple[int, dict[str, float]]]:
    for market in () if game is None else game.markets:
        if market.reference_scraped_at is not None:
            odds = {
                row.selection: row.reference.odds
                for row in market.selections
                if row.reference is not None and row.reference.odds is not None
            }
            yield parse_ms(market.reference_scraped_at), odds
