"""Closing lines of placed bets, read from the log of a database.

The close is taken from the bet's game, found by teams, competition and kick-off
(``matching.bet_games``), whatever id the database has for it. Earlier versions took closes from
other games of the same teams; ``closed_wrongly`` finds those.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.identity import game_title, teams
from oddsdesk.contract.markets import DRAW_RETURNS
from oddsdesk.contract.resources import BookOddsCell, GameMatrix, MarketMatrix, ReferenceCell
from oddsdesk.contract.times import MINUTE_MS, parse_ms
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import UNDATED_MS, PlacedBet
from oddsdesk.ledger.games import wanted_game
from oddsdesk.ledger.legs import NO_PLACE_CLOSE, Part, parts_to_close, without_closes
from oddsdesk.matching.bet_games import NEARBY_MS, Found, GamesNearby, NamedGame
from oddsdesk.matching.names import PLAYER_PROP, renamed, shipped_names, spelled_among
from oddsdesk.pricing.assessment import Market
from oddsdesk.pricing.closing import (
    MONEYLINE,
    MOST_AGE_MS,
    BetPart,
    CloseBy,
    ClosingLine,
    MarketKey,
    Sighting,
    began_at,
    closing_line,
    is_close,
    other_side,
)
from oddsdesk.pricing.consensus import CONSENSUS_TITLE

_LATE_MS: Final = 24 * 60 * MINUTE_MS
"""How long after a game's stated start it can first be seen in play."""
_BEGINS_MS: Final = 10 * MINUTE_MS
"""How long after its kick-off the start of a game is looked for; the desk waits as long."""


class LoggedGame(NamedGame, Protocol):
    """A game in a database."""

    @property
    def game_id(self) -> str:
        """Its id in the database."""


class PastOdds(Protocol):
    """The past of a database; times in milliseconds."""

    def game_at(self, game_id: str, at_ms: int) -> GameMatrix | None:
        """Return a game at a time, else its first state; None if unknown."""

    def games_between(self, since_ms: int, until_ms: int) -> Sequence[LoggedGame]:
        """Return the games that started in a span, without simulated ones."""

    def market_at(
        self, game_id: str, market_type: str, period: int, at_ms: int
    ) -> GameMatrix | None:
        """Return one market of a game."""

    def seen_in_play(
        self, game_id: str, market_type: str, period: int, selection: str
    ) -> Sequence[int]:
        """Return when the prices of a selection moved in play."""

    def reference_moves(
        self,
        game_id: str,
        market_type: str,
        period: int,
        selection: str,
        since_ms: int,
        bookmaker: str = "",
    ) -> Sequence[int]:
        """Return when a bookmaker's price of a selection moved since a time.

        Without a name: the database's sharp book.
        """

    def usual_reference(self) -> str:
        """Return the database's sharp book."""


_PLACED_LATE: Final = N_("it was placed after the game had started, when its line had closed")


class LogCloses(NamedTuple):
    """What a log says about the closing lines of bets, and of the legs of multiples."""

    found: dict[BetPart, ClosingLine]
    """Closes of bets and legs whose games are in the log and have started."""
    not_known: dict[BetPart, str]
    """For other bets: why the log does not know their games, in words."""

    def reasons(self, bets: Iterable[PlacedBet], now_ms: int) -> dict[BetPart, ClosingLine]:
        """Return why there is no close, for bets whose games have started but are unknown.

        A reason from another database stays.
        """
        unsaid = {
            part.key
            for part in parts_to_close(bets)
            if part.bet.close is None and part.bet.time_order[0] <= now_ms
        }
        return {key: ClosingLine(why=why) for key, why in self.not_known.items() if key in unsaid}


def closes_from_log(
    past: PastOdds, bets: Iterable[PlacedBet], now_ms: int, by: CloseBy
) -> LogCloses:
    """Return the missing closing lines of bets whose games have started.

    Args:
        past: The database with the log.
        bets: All bets.
        now_ms: The time.
        by: The sharp book and the devig method for all bets.
    """
    closes, wanted = LogCloses({}, {}), list[Part]()
    for part in parts_to_close(bets):
        if part.bet.close is not None and part.bet.close.is_there:
            continue
        if part.bet.kind is BetKind.EACH_WAY:
            closes.found[part.key] = NO_PLACE_CLOSE
        elif by.reference == CONSENSUS_TITLE:
            why = N_("the consensus close was not recorded")
            closes.found[part.key] = ClosingLine(why=why)
        else:
            wanted.append(part)
    games = _GamesOfLog(past, [part.bet for part in wanted], now_ms)
    for part in wanted:
        game = games.game_of_bet(part.bet)
        if isinstance(game, str):
            closes.not_known[part.key] = game
        elif close := _close(past, _as_named(past, part.bet, game), game, now_ms, by):
            closes.found[part.key] = close
    return closes


def closes_of_own_bets(
    past: PastOdds, bets: Iterable[PlacedBet], now_ms: int, by: CloseBy
) -> dict[BetPart, ClosingLine]:
    """Return the closing lines of bets that were made on this log and have its ids."""
    found = dict[BetPart, ClosingLine]()
    for bet in bets:
        game = past.game_at(bet.game_id, now_ms)
        if bet.ident is None or game is None:
            continue
        begins = None if game.match_date is None else parse_ms(game.match_date)
        known = _Game(game.game_id, game.match_name, game.sport, begins)
        if close := _close(past, bet, known, now_ms, by):
            found[bet.ident] = close
    return found


def closed_wrongly(past: PastOdds, bets: Iterable[PlacedBet], now_ms: int) -> list[PlacedBet]:
    """Return the bets whose closes are from other games.

    One such leg is enough. A close seen far from the kick-off is (``PlacedBet.has_others_close``).
    A close seen some hours off, or at an unknown time, is compared with the log: it is another
    game's if the log has the bet's game and that did not close at that time.
    """
    wrong, doubtful = dict[int, PlacedBet](), list[Part]()
    for part in parts_to_close(bets):
        bet = part.bet
        if bet.has_others_close:
            wrong[part.whole.ident or 0] = part.whole
        elif bet.close is not None and bet.close.is_there and not _fits_well(bet):
            doubtful.append(part)
    games = _GamesOfLog(past, [part.bet for part in doubtful], now_ms)
    for part in doubtful:
        game = games.game_of_bet(part.bet)
        if not isinstance(game, str) and _is_others(past, part.bet, game, now_ms):
            wrong[part.whole.ident or 0] = part.whole
    return [wrong[ident] for ident in sorted(wrong)]


def closes_again(
    past: PastOdds, bets: Iterable[PlacedBet], now_ms: int, by: CloseBy
) -> dict[BetPart, ClosingLine | None]:
    """Return the log's closes for bets that have another game's close, and for their legs.

    The reason if the log does not know the game; None if the close is to be looked for.
    """
    unclosed = list(map(without_closes, bets))
    closes = closes_from_log(past, unclosed, now_ms, by)
    told = closes.found | closes.reasons(unclosed, now_ms)
    return {part.key: told.get(part.key) for part in parts_to_close(unclosed)}


def _fits_well(bet: PlacedBet) -> bool:
    """Return whether a close was seen at a usual time: shortly before kick-off, or at its start."""
    at, kick_off = None if bet.close is None else bet.close.at, bet.kick_off
    if at is None or kick_off is None:
        return False
    return kick_off - MOST_AGE_MS <= at <= kick_off + _BEGINS_MS


def _is_others(past: PastOdds, bet: PlacedBet, game: "_Game", now_ms: int) -> bool:
    """Return whether a close is not that of the bet's game, which the log knows."""
    named, close = _as_named(past, bet, game), bet.close
    assert close is not None
    if close.at is not None:
        kick_off = bet.kick_off if game.begins_ms is None else game.begins_ms
        began = began_at(kick_off, _first_in_play(past, named, kick_off))
        return began is not None and not (close.at <= began and is_close(close.at, began, kick_off))
    by_id = past.game_at(bet.game_id, now_ms)
    if by_id is None or by_id.game_id == game.game_id or by_id.match_date is None:
        return False
    other = _Game(by_id.game_id, by_id.match_name, by_id.sport, parse_ms(by_id.match_date))
    undated = msgspec.structs.replace(bet, placed_at=0)
    by = CloseBy(close.reference or bet.reference, close.method)
    of_other = _close(past, undated, other, now_ms, by)
    return of_other is not None and of_other.odds == close.odds


class _Game(NamedTuple):
    """The game of a bet, in the log."""

    game_id: str
    match_name: str
    sport: str
    begins_ms: int | None


class _GamesOfLog:
    """Finds the games of bets in a log, with one query for all."""

    def __init__(self, past: PastOdds, bets: Sequence[PlacedBet], now_ms: int) -> None:
        self._past = past
        self._now = now_ms
        times = [bet.time_order[0] for bet in bets if teams(bet.match_name) is not None]
        span = (min(times) - NEARBY_MS, max(times) + NEARBY_MS) if times else None
        games = () if span is None else past.games_between(*span)
        self._nearby = GamesNearby(games, shipped_names())

    def game_of_bet(self, bet: PlacedBet) -> _Game | str:
        """Return the game of a bet, or why the log does not know it."""
        found = self._nearby.games_near(wanted_game(bet))
        if found is not None and found.is_same:
            game = found.game
            return _Game(game.game_id, game.match_name, game.sport, game.begins_ms)
        # A game without a kick-off is in no span: its id finds it, and its prices give the time.
        known = (
            self._past.game_at(bet.game_id, self._now) if found is None and bet.game_id else None
        )
        if known is not None and known.match_date is None:
            return _Game(known.game_id, known.match_name, known.sport, None)
        return _why_not_known(bet, found)


def _as_named(past: PastOdds, bet: PlacedBet, game: _Game) -> PlacedBet:
    """Return a bet with the names of the database that has its game."""
    selection = renamed(bet.market_type, bet.match_name, game.match_name, False, bet.selection)
    if bet.market_type == PLAYER_PROP:
        begins = bet.kick_off if game.begins_ms is None else game.begins_ms
        at = bet.placed_at if begins is None else begins
        there = past.market_at(game.game_id, bet.market_type, bet.period, at)
        markets = () if there is None else there.markets
        names = [row.selection for market in markets for row in market.selections]
        selection = spelled_among(selection, names)
    return msgspec.structs.replace(bet, game_id=game.game_id, selection=selection)


def _why_not_known(bet: PlacedBet, found: Found[LoggedGame] | None) -> str:
    if not bet.match_name:
        return N_("the bet has no game")
    if teams(bet.match_name) is None:
        return N_("{game} does not name two teams").format(game=game_title(bet.match_name))
    if found is not None:
        return N_("the log has {game}, which {why_not}").format(
            game=game_title(found.game.match_name), why_not=found.why_not
        )
    if bet.kick_off is None:
        return N_("the bet has no kick-off, and these teams had no game when it was placed")
    return N_("the log has no game of these teams near its kick-off")


def _close(
    past: PastOdds, bet: PlacedBet, game: _Game, now_ms: int, by: CloseBy
) -> ClosingLine | None:
    """Return the close of one bet, None if its game has not started."""
    kick_off = bet.kick_off if game.begins_ms is None else game.begins_ms
    first = _first_in_play(past, bet, kick_off)
    if kick_off is None and first is not None and abs(first - bet.placed_at) > UNDATED_MS:
        return ClosingLine(why=N_("the log has these teams only at another time"))
    began = began_at(kick_off, first)
    if began is not None and began > now_ms:
        return None
    if began is not None and bet.placed_at > began:
        return ClosingLine(why=_PLACED_LATE)
    other = "" if by.reference == past.usual_reference() else by.reference
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
        moneyline=seen(MONEYLINE) if bet.market_type in DRAW_RETURNS else (),
    )
    found = msgspec.structs.replace(found, reference=other or past.usual_reference())
    return other_side(found) if bet.kind is BetKind.LAY else found


def _first_in_play(past: PastOdds, bet: PlacedBet, kick_off: int | None) -> int | None:
    """Return when a price of the bet's selection was first seen in play."""
    latest = None if kick_off is None else kick_off + _LATE_MS
    times = past.seen_in_play(bet.game_id, bet.market_type, bet.period, bet.selection)
    return min((at for at in times if latest is None or at <= latest), default=None)


def _moments(past: PastOdds, bet: PlacedBet, began: int, other: str) -> list[int]:
    """Return the times at which the market may have closed."""
    since = began - MOST_AGE_MS
    moves = past.reference_moves(*bet.bet_key[:4], since, other)
    times = {at for move in moves for at in (move, move - 1)}
    return sorted({began, began - 1} | {at for at in times if since <= at <= began})


def _sightings(
    past: PastOdds, where: MarketKey, at: int, first_in_play: int | None, other: str
) -> Iterator[Sighting]:
    """Yield the sharp book's prices of a market at a time.

    ``other`` is the sharp book if it is not the database's own, else empty.
    """
    game = past.market_at(*where, at)
    for market in () if game is None else game.markets:
        seen = _seen_at(market, other)
        if seen is not None:
            odds = {name: cell.odds for name, cell in _cells(market, other) if cell.odds}
            yield Sighting(seen, odds, first_in_play is not None and seen >= first_in_play)


def _seen_at(market: MarketMatrix, other: str) -> int | None:
    """Return when the sharp book's market was last seen; None if never."""
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
