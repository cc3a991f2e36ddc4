"""Closing lines of placed bets, read from the log of a database (D57)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

from oddsdesk.contract.identity import teams
from oddsdesk.contract.resources import BookOddsCell, GameMatrix, MarketMatrix, ReferenceCell
from oddsdesk.contract.times import MINUTE_MS, parse_ms
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.games_nearby import APART_MS, DAY_MS, Found, GamesNearby, NamedGame
from oddsdesk.matching.renaming import renamed
from oddsdesk.matching.team_names import shipped_names
from oddsdesk.pricing.closing import MOST_AGE_MS, ClosingLine, Sighting, began_at, closing_line
from oddsdesk.pricing.consensus import CONSENSUS_TITLE
from oddsdesk.pricing.market import Market

_LATE_MS: Final = 24 * 60 * MINUTE_MS
"""Until so long after a game's stated begin it may first be seen in play."""


class LoggedGame(NamedGame, Protocol):
    """A game as a database has it."""

    @property
    def game_id(self) -> str:
        """What it is known by there."""


class PastOdds(Protocol):
    """What a database knows of the past; times in milliseconds."""

    def game(self, game_id: str, at_ms: int) -> GameMatrix | None:
        """Return a game as it stood then, else as it stood first; None for an unknown one."""
        ...

    def games_between(self, since_ms: int, until_ms: int) -> Sequence[LoggedGame]:
        """Return the games that began from a time to another, but for simulated ones."""
        ...

    def market(self, game_id: str, market_type: str, period: int, at_ms: int) -> GameMatrix | None:
        """Return one market of it."""
        ...

    def seen_in_play(
        self, game_id: str, market_type: str, period: int, selection: str
    ) -> Sequence[int]:
        """Return when a selection's prices moved in play."""
        ...

    def reference_moves(
        self,
        game_id: str,
        market_type: str,
        period: int,
        selection: str,
        since_ms: int,
        bookmaker: str = "",
    ) -> Sequence[int]:
        """Return when a bookmaker's price of a selection moved since a moment.

        Without a name it is the reference of the database.
        """
        ...

    def reference(self) -> str:
        """Return whom the database judges by."""
        ...


_PLACED_LATE: Final = "it was placed after the game had begun: its line had closed before"


class LogCloses(NamedTuple):
    """What a log says of the closing lines of bets, by number of bet."""

    found: dict[int, ClosingLine]
    """Of bets whose games it knows, and that have begun."""
    not_known: dict[int, str]
    """Why it does not know the games of others, in words."""


def closes_from_log(
    past: PastOdds, bets: Iterable[PlacedBet], now_ms: int, method: str
) -> LogCloses:
    """Return the closing lines of bets whose games have begun and that lack one.

    A game that the database has by another name is found as a file of results finds it.

    Args:
        past: The database whose log tells.
        bets: All bets.
        now_ms: The time.
        method: What devigs the close of bets that were judged by no method when placed.
    """
    closes, unnamed = LogCloses({}, {}), list[PlacedBet]()
    for bet in bets:
        if bet.ident is None or (bet.close is not None and bet.close.is_there):
            continue
        if bet.reference == CONSENSUS_TITLE:
            why = "nobody saw the consensus close, and no log has it"
            closes.found[bet.ident] = ClosingLine(why=why)
            continue
        game = past.game(bet.game_id, now_ms)
        if game is None:
            unnamed.append(bet)
        elif close := _close(past, bet, game, now_ms, method):
            closes.found[bet.ident] = close
    _add_by_other_names(closes, past, unnamed, now_ms, method)
    return closes


def _add_by_other_names(
    closes: LogCloses, past: PastOdds, bets: Sequence[PlacedBet], now_ms: int, method: str
) -> None:
    """Add what is said of bets whose games the database has by other names, or has not."""
    times = [bet.order[0] for bet in bets if teams(bet.match_name) is not None]
    most = APART_MS + DAY_MS // 2
    games = past.games_between(min(times) - most, max(times) + most) if times else ()
    nearby = GamesNearby(games, shipped_names())
    for bet in bets:
        assert bet.ident is not None
        named = nearby.of(bet)
        game = past.game(named.game.game_id, now_ms) if named and named.is_same else None
        if game is None:
            closes.not_known[bet.ident] = _why_not_known(bet, named)
        elif close := _close(past, _as_named(bet, game), game, now_ms, method):
            closes.found[bet.ident] = close


def _as_named(bet: PlacedBet, game: GameMatrix) -> PlacedBet:
    """Return a bet in the words of the database that has its game."""
    words = bet.match_name, game.match_name
    selection = renamed(bet.market_type, *words, False, bet.selection)
    return msgspec.structs.replace(bet, game_id=game.game_id, selection=selection)


def _why_not_known(bet: PlacedBet, named: Found[LoggedGame] | None) -> str:
    if not bet.match_name:
        return "no match is told"
    if teams(bet.match_name) is None:
        return f"{bet.match_name} names no two teams"
    if named is None:
        if bet.kick_off is None:
            return "its kick-off is not told, and no game of these teams was when it was placed"
        return "the log has no game of these teams about its kick-off"
    if named.match.is_crosswise:
        return f"the log has {named.game.match_name}, the other way round"
    return f"the log has {named.game.match_name}, which may be another game"


def _close(
    past: PastOdds, bet: PlacedBet, game: GameMatrix, now_ms: int, method: str
) -> ClosingLine | None:
    """Return the close of one bet, None where its game has not begun."""
    kick_off = bet.kick_off if game.match_date is None else parse_ms(game.match_date)
    first = _first_in_play(past, bet, kick_off)
    began = began_at(kick_off, first)
    if began is not None and began > now_ms:
        return None
    if began is not None and bet.placed_at > began:
        return ClosingLine(why=_PLACED_LATE)
    moments = [] if began is None else _moments(past, bet, began)
    sightings = [each for at in moments for each in _sightings(past, bet, at, first)]
    market = Market(bet.market_type, game.match_name, game.sport, bet.period)
    return closing_line(
        market,
        bet.selection,
        sightings,
        kick_off=kick_off,
        first_in_play=first,
        method=bet.method or method,
    )


def _first_in_play(past: PastOdds, bet: PlacedBet, kick_off: int | None) -> int | None:
    """Return when a price of the bet's selection was first seen in play."""
    latest = None if kick_off is None else kick_off + _LATE_MS
    times = past.seen_in_play(bet.game_id, bet.market_type, bet.period, bet.selection)
    return min((at for at in times if latest is None or at <= latest), default=None)


def _moments(past: PastOdds, bet: PlacedBet, began: int) -> list[int]:
    """Return the moments at which the market may have stood as it closed."""
    since = began - MOST_AGE_MS
    moves = past.reference_moves(*bet.key[:4], since, _other_reference(past, bet))
    times = {at for move in moves for at in (move, move - 1)}
    return sorted({began, began - 1} | {at for at in times if since <= at <= began})


def _sightings(
    past: PastOdds, bet: PlacedBet, at: int, first_in_play: int | None
) -> Iterator[Sighting]:
    """Yield what the reference said of the bet's market as of a moment."""
    game = past.market(bet.game_id, bet.market_type, bet.period, at)
    other = _other_reference(past, bet)
    for market in () if game is None else game.markets:
        seen = _seen_at(market, other)
        if seen is not None:
            odds = {name: cell.odds for name, cell in _cells(market, other) if cell.odds}
            yield Sighting(seen, odds, first_in_play is not None and seen >= first_in_play)


def _other_reference(past: PastOdds, bet: PlacedBet) -> str:
    """Return whom a bet was judged by, where that is not whom the database judges by."""
    return "" if bet.reference == past.reference() else bet.reference


def _seen_at(market: MarketMatrix, other: str) -> int | None:
    """Return when the reference's market was seen last; None where it never was."""
    if not other:
        told = market.reference_scraped_at
        return None if told is None else parse_ms(told)
    times = [cell.scraped_at for _, cell in _cells(market, other) if cell.scraped_at is not None]
    return max(map(parse_ms, times), default=None)


def _cells(market: MarketMatrix, other: str) -> Iterator[tuple[str, ReferenceCell | BookOddsCell]]:
    for row in market.selections:
        cell = row.books.get(other) if other else row.reference
        if cell is not None:
            yield row.selection, cell
