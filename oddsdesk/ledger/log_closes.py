"""Closing lines of placed bets, read from the log of a database (D57).

The close is of the game that the bet is on, by teams, competition and kick-off
(``matching.bet_games``), whatever id the database has for it. Earlier versions took closes from
other games of the same names: ``closed_wrongly`` finds those.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

from oddsdesk.contract.identity import teams
from oddsdesk.contract.resources import BookOddsCell, GameMatrix, MarketMatrix, ReferenceCell
from oddsdesk.contract.times import MINUTE_MS, parse_ms
from oddsdesk.ledger.bets import UNDATED_MS, PlacedBet
from oddsdesk.ledger.games import wanted_game
from oddsdesk.matching.bet_games import NEARBY_MS, Found, GamesNearby, NamedGame
from oddsdesk.matching.player_names import PLAYER_PROP, spelled_among
from oddsdesk.matching.renaming import renamed
from oddsdesk.matching.team_names import shipped_names
from oddsdesk.pricing.closing import (
    MONEYLINE,
    MOST_AGE_MS,
    CloseBy,
    ClosingLine,
    MarketKey,
    Sighting,
    began_at,
    closing_line,
    is_close,
)
from oddsdesk.pricing.consensus import CONSENSUS_TITLE
from oddsdesk.pricing.market import Market
from oddsdesk.pricing.pushes import MAY_BE_DRAWN

_LATE_MS: Final = 24 * 60 * MINUTE_MS
"""Until so long after a game's stated begin it may first be seen in play."""
_BEGINS_MS: Final = 10 * MINUTE_MS
"""So long after its kick-off a game is seen to begin, at most; as ``board.closing_lines`` waits."""


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

    def reasons(self, bets: Iterable[PlacedBet], now_ms: int) -> dict[int, ClosingLine]:
        """Return why there is no close of bets whose games have begun and are not known.

        One that another database told of stays.
        """
        unsaid = {bet.ident for bet in bets if bet.close is None and bet.order[0] <= now_ms}
        return {
            ident: ClosingLine(why=why) for ident, why in self.not_known.items() if ident in unsaid
        }


def closes_from_log(
    past: PastOdds, bets: Iterable[PlacedBet], now_ms: int, by: CloseBy
) -> LogCloses:
    """Return the closing lines of bets whose games have begun and that lack one.

    Args:
        past: The database whose log tells.
        bets: All bets.
        now_ms: The time.
        by: Whose close it is, and what devigs it, whatever judged the bets (D117).
    """
    closes, wanted = LogCloses({}, {}), list[PlacedBet]()
    for bet in bets:
        if bet.ident is None or (bet.close is not None and bet.close.is_there):
            continue
        if by.reference == CONSENSUS_TITLE:
            why = "nobody saw the consensus close, and no log has it"
            closes.found[bet.ident] = ClosingLine(why=why)
        else:
            wanted.append(bet)
    games = _GamesOfLog(past, wanted, now_ms)
    for bet in wanted:
        assert bet.ident is not None
        game = games.of(bet)
        if isinstance(game, str):
            closes.not_known[bet.ident] = game
        elif close := _close(past, _as_named(past, bet, game), game, now_ms, by):
            closes.found[bet.ident] = close
    return closes


def closes_of_own_bets(
    past: PastOdds, bets: Iterable[PlacedBet], now_ms: int, by: CloseBy
) -> dict[int, ClosingLine]:
    """Return the closing lines of bets that were made on this very log: its ids are theirs."""
    found = {}
    for bet in bets:
        game = past.game(bet.game_id, now_ms)
        if bet.ident is None or game is None:
            continue
        begins = None if game.match_date is None else parse_ms(game.match_date)
        known = _Game(game.game_id, game.match_name, game.sport, begins)
        if close := _close(past, bet, known, now_ms, by):
            found[bet.ident] = close
    return found


def closed_wrongly(past: PastOdds, bets: Iterable[PlacedBet], now_ms: int) -> list[PlacedBet]:
    """Return the bets whose closes are of other games than theirs.

    A close that was seen far from the kick-off is (``PlacedBet.has_others_close``). One that was
    seen some hours off, or nobody knows when, is compared with the log: it is another game's where
    the log has the bet's game, and did not close it then.
    """
    wrong, doubtful = list[PlacedBet](), list[PlacedBet]()
    for bet in bets:
        if bet.has_others_close:
            wrong.append(bet)
        elif bet.close is not None and bet.close.is_there and not _fits_well(bet):
            doubtful.append(bet)
    games = _GamesOfLog(past, doubtful, now_ms)
    for bet in doubtful:
        game = games.of(bet)
        if not isinstance(game, str) and _is_others(past, bet, game, now_ms):
            wrong.append(bet)
    return sorted(wrong, key=lambda bet: bet.ident or 0)


def closes_again(
    past: PastOdds, bets: Iterable[PlacedBet], now_ms: int, by: CloseBy
) -> dict[int, ClosingLine | None]:
    """Return what a log has in place of the closes of bets that are other games'.

    Why there is none where the log does not know the game, None where that is to be looked for.
    """
    unclosed = [msgspec.structs.replace(bet, close=None) for bet in bets]
    closes = closes_from_log(past, unclosed, now_ms, by)
    told = closes.found | closes.reasons(unclosed, now_ms)
    return {bet.ident: told.get(bet.ident) for bet in unclosed if bet.ident is not None}


def _fits_well(bet: PlacedBet) -> bool:
    """Whether a close was seen when one is: shortly before the kick-off, or as play began."""
    at, kick_off = None if bet.close is None else bet.close.at, bet.kick_off
    if at is None or kick_off is None:
        return False
    return kick_off - MOST_AGE_MS <= at <= kick_off + _BEGINS_MS


def _is_others(past: PastOdds, bet: PlacedBet, game: "_Game", now_ms: int) -> bool:
    """Whether a close is not that of the bet's game, which a log knows."""
    named, close = _as_named(past, bet, game), bet.close
    assert close is not None
    if close.at is not None:
        kick_off = bet.kick_off if game.begins_ms is None else game.begins_ms
        began = began_at(kick_off, _first_in_play(past, named, kick_off))
        return began is not None and not (close.at <= began and is_close(close.at, began, kick_off))
    by_id = past.game(bet.game_id, now_ms)
    if by_id is None or by_id.game_id == game.game_id or by_id.match_date is None:
        return False
    other = _Game(by_id.game_id, by_id.match_name, by_id.sport, parse_ms(by_id.match_date))
    undated = msgspec.structs.replace(bet, placed_at=0)
    by = CloseBy(close.reference or bet.reference, close.method)
    of_other = _close(past, undated, other, now_ms, by)
    return of_other is not None and of_other.odds == close.odds


class _Game(NamedTuple):
    """The game of a bet, as the log has it."""

    game_id: str
    match_name: str
    sport: str
    begins_ms: int | None


class _GamesOfLog:
    """The games of bets in a log, which is asked once for those of all."""

    def __init__(self, past: PastOdds, bets: Sequence[PlacedBet], now_ms: int) -> None:
        self._past = past
        self._now = now_ms
        times = [bet.order[0] for bet in bets if teams(bet.match_name) is not None]
        span = (min(times) - NEARBY_MS, max(times) + NEARBY_MS) if times else None
        games = () if span is None else past.games_between(*span)
        self._nearby = GamesNearby(games, shipped_names())

    def of(self, bet: PlacedBet) -> _Game | str:
        """Return the game of a bet, else why the log does not know it."""
        found = self._nearby.of(wanted_game(bet))
        if found is not None and found.is_same:
            game = found.game
            return _Game(game.game_id, game.match_name, game.sport, game.begins_ms)
        # A game without a kick-off is in no span: its id leads to it, and its prices say when.
        known = self._past.game(bet.game_id, self._now) if found is None and bet.game_id else None
        if known is not None and known.match_date is None:
            return _Game(known.game_id, known.match_name, known.sport, None)
        return _why_not_known(bet, found)


def _as_named(past: PastOdds, bet: PlacedBet, game: _Game) -> PlacedBet:
    """Return a bet in the words of the database that has its game."""
    selection = renamed(bet.market_type, bet.match_name, game.match_name, False, bet.selection)
    if bet.market_type == PLAYER_PROP:
        begins = bet.kick_off if game.begins_ms is None else game.begins_ms
        at = bet.placed_at if begins is None else begins
        there = past.market(game.game_id, bet.market_type, bet.period, at)
        markets = () if there is None else there.markets
        names = [row.selection for market in markets for row in market.selections]
        selection = spelled_among(selection, names)
    return msgspec.structs.replace(bet, game_id=game.game_id, selection=selection)


def _why_not_known(bet: PlacedBet, found: Found[LoggedGame] | None) -> str:
    if not bet.match_name:
        return "no match is told"
    if teams(bet.match_name) is None:
        return f"{bet.match_name} names no two teams"
    if found is not None:
        return f"the log has {found.game.match_name}, which {found.why_not}"
    if bet.kick_off is None:
        return "its kick-off is not told, and no game of these teams was when it was placed"
    return "the log has no game of these teams about its kick-off"


def _close(
    past: PastOdds, bet: PlacedBet, game: _Game, now_ms: int, by: CloseBy
) -> ClosingLine | None:
    """Return the close of one bet, None where its game has not begun."""
    kick_off = bet.kick_off if game.begins_ms is None else game.begins_ms
    first = _first_in_play(past, bet, kick_off)
    if kick_off is None and first is not None and abs(first - bet.placed_at) > UNDATED_MS:
        return ClosingLine(why="the log's game of these teams was at another time")
    began = began_at(kick_off, first)
    if began is not None and began > now_ms:
        return None
    if began is not None and bet.placed_at > began:
        return ClosingLine(why=_PLACED_LATE)
    other = "" if by.reference == past.reference() else by.reference
    moments = [] if began is None else _moments(past, bet, began, other)

    def seen(market_type: str) -> list[Sighting]:
        where = (bet.game_id, market_type, bet.period)
        return [each for at in moments for each in _sightings(past, where, at, first, other)]

    market = Market(bet.market_type, game.match_name, game.sport, bet.period)
    found = closing_line(
        market,
        bet.selection,
        seen(bet.market_type),
        kick_off=kick_off,
        first_in_play=first,
        method=by.method,
        moneyline=seen(MONEYLINE) if bet.market_type in MAY_BE_DRAWN else (),
    )
    return msgspec.structs.replace(found, reference=other or past.reference())


def _first_in_play(past: PastOdds, bet: PlacedBet, kick_off: int | None) -> int | None:
    """Return when a price of the bet's selection was first seen in play."""
    latest = None if kick_off is None else kick_off + _LATE_MS
    times = past.seen_in_play(bet.game_id, bet.market_type, bet.period, bet.selection)
    return min((at for at in times if latest is None or at <= latest), default=None)


def _moments(past: PastOdds, bet: PlacedBet, began: int, other: str) -> list[int]:
    """Return the moments at which the market may have stood as it closed."""
    since = began - MOST_AGE_MS
    moves = past.reference_moves(*bet.key[:4], since, other)
    times = {at for move in moves for at in (move, move - 1)}
    return sorted({began, began - 1} | {at for at in times if since <= at <= began})


def _sightings(
    past: PastOdds, where: MarketKey, at: int, first_in_play: int | None, other: str
) -> Iterator[Sighting]:
    """Yield what the reference said of a market as of a moment.

    ``other`` is the reference where that is not whom the database judges by, else empty.
    """
    game = past.market(*where, at)
    for market in () if game is None else game.markets:
        seen = _seen_at(market, other)
        if seen is not None:
            odds = {name: cell.odds for name, cell in _cells(market, other) if cell.odds}
            yield Sighting(seen, odds, first_in_play is not None and seen >= first_in_play)


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
