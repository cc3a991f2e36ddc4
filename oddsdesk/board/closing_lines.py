"""Closing lines of placed bets, seen when they happen: while a desk or ``watch`` runs (D57).

Give it the bets that are open (``follow``), have the games that it wants kept current
(``wanted_games``), and ask every few seconds what has been decided (``decided``).
"""

from collections.abc import Iterable
from typing import Final

from oddsdesk.board.board import Board
from oddsdesk.board.matrix import Matrix
from oddsdesk.board.notices import GameMerged, MatrixLoaded, Notice, PricesChanged
from oddsdesk.board.prices import Price
from oddsdesk.clock import Clock
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.closing import (
    MOST_AGE_MS,
    ClosingLine,
    FollowedBet,
    MarketKey,
    Sighting,
    closing_line,
)
from oddsdesk.pricing.market import Market

WAIT_MS: Final = 10 * MINUTE_MS
"""How long after its kick-off a game may still be seen to begin; then the kick-off holds."""
_BEFORE_MS: Final = MOST_AGE_MS + 5 * MINUTE_MS
"""So long before its kick-off a game is wanted: readings take a while."""


class ClosingLines:
    """Keeps what the reference last said of the markets of bets until their games begin."""

    def __init__(self, board: Board, clock: Clock) -> None:
        self._board = board
        self._clock = clock
        self._bets: dict[int, FollowedBet] = {}
        self._sightings: dict[MarketKey, list[Sighting]] = {}
        self._first_in_play: dict[str, int] = {}
        self._unsubscribe = board.subscribe(self._on_board_notice)

    def close(self) -> None:
        """Listen to the board no more."""
        self._unsubscribe()

    def follow(self, bets: Iterable[FollowedBet]) -> None:
        """Follow these bets and no others; those whose games had begun before are left out.

        Nobody saw their closing lines here: the log may have them.
        """
        followed = {bet.ident: bet for bet in bets}
        self._bets = {
            ident: bet
            for ident, bet in followed.items()
            if self._bets.get(ident) == bet or not self._has_begun(bet)
        }
        markets = {bet.market for bet in self._bets.values()}
        games = {bet.game_id for bet in self._bets.values()}
        self._sightings = {key: seen for key, seen in self._sightings.items() if key in markets}
        self._first_in_play = {
            game: at for game, at in self._first_in_play.items() if game in games
        }
        for game in games:
            self._see(game)

    def wanted_games(self) -> frozenset[str]:
        """Return the games that are to be kept current now: those about to begin."""
        now = self._clock()
        return frozenset(
            bet.game_id
            for bet in self._bets.values()
            if (kick_off := self._kick_off(bet)) is not None
            and kick_off - _BEFORE_MS <= now <= kick_off + WAIT_MS
            and bet.game_id in self._board.games
        )

    def decided(self) -> dict[int, ClosingLine]:
        """Return the closing lines of bets whose games have begun, by number; each once."""
        if self._board.connection.as_of_ms is not None:
            return {}
        found = {}
        for ident, bet in self._bets.items():
            if self._is_over(bet):
                found[ident] = self._closing_line(bet)
        for ident in found:
            del self._bets[ident]
        return found

    def _kick_off(self, bet: FollowedBet) -> int | None:
        """Return when a game begins, as far as is known now."""
        matrix, game = self._board.matrix(bet.game_id), self._board.games.get(bet.game_id)
        for known in (matrix, game):
            if known is not None and known.kick_off is not None:
                return known.kick_off
        return bet.kick_off

    def _has_begun(self, bet: FollowedBet) -> bool:
        kick_off = self._kick_off(bet)
        matrix = self._board.matrix(bet.game_id)
        is_live = matrix is not None and _live_since(matrix, self._clock()) is not None
        return is_live or (kick_off is not None and kick_off < self._clock())

    def _is_over(self, bet: FollowedBet) -> bool:
        if bet.game_id in self._first_in_play:
            return True
        kick_off = self._kick_off(bet)
        return kick_off is not None and self._clock() > kick_off + WAIT_MS

    def _closing_line(self, bet: FollowedBet) -> ClosingLine:
        return closing_line(
            Market(bet.market_type, bet.match_name, bet.sport, bet.period),
            bet.selection,
            self._sightings.get(bet.market, ()),
            kick_off=self._kick_off(bet),
            first_in_play=self._first_in_play.get(bet.game_id),
            method=bet.method,
        )

    def _see(self, game: str) -> None:
        """Note what the reference says now of a game's markets with bets, and whether it began."""
        matrix = self._board.matrix(game)
        markets = {bet.market for bet in self._bets.values() if bet.game_id == game}
        if matrix is None or not markets or self._board.connection.as_of_ms is not None:
            return
        live_since = _live_since(matrix, self._clock())
        if live_since is not None:
            self._first_in_play.setdefault(game, live_since)
            return
        for key in markets:
            sighting = _sighting(matrix, key)
            if sighting is not None:
                _keep(self._sightings.setdefault(key, []), sighting)

    def _on_board_notice(self, notice: Notice) -> None:
        if isinstance(notice, PricesChanged | MatrixLoaded):
            self._see(notice.game_id)
        elif isinstance(notice, GameMerged):
            self._move(notice.game_id, notice.into)

    def _move(self, game: str, into: str) -> None:
        """Follow bets of a game that is part of another by now, under that one's id."""
        for ident, bet in self._bets.items():
            if bet.game_id == game:
                self._bets[ident] = bet._replace(game_id=into)
        for key in [key for key in self._sightings if key[0] == game]:
            self._sightings.setdefault((into, *key[1:]), self._sightings.pop(key))
        self._see(into)


def _live_since(matrix: Matrix, now_ms: int) -> int | None:
    """Return since when a game is seen in play, by its prices; None where it is not."""
    prices = [
        price
        for section in matrix.sections
        for row in section.rows
        for price in (row.reference, *row.prices.values())
    ]
    seen = [each.scraped_at for each in prices if each is not None and each.is_live]
    if seen:
        return min(seen)
    return now_ms if matrix.is_live else None


def _sighting(matrix: Matrix, key: MarketKey) -> Sighting | None:
    """Return what the reference offers in a market; None where it was never seen there."""
    prices: dict[str, Price] = {
        row.selection: row.reference
        for section in matrix.sections
        if section.key[:2] == key[1:]
        for row in section.rows
        if row.reference is not None
    }
    if not prices:
        return None
    at = max(price.withdrawn_at or price.scraped_at for price in prices.values())
    odds = {name: price.odds for name, price in prices.items() if price.is_offered}
    return Sighting(at, odds, False)


def _keep(seen: list[Sighting], sighting: Sighting) -> None:
    """Add a sighting; one that says the same is the same, later; what is too old goes."""
    if seen and seen[-1].odds == sighting.odds:
        seen[-1] = seen[-1]._replace(at=max(seen[-1].at, sighting.at))
    else:
        seen.append(sighting)
    oldest = seen[-1].at - MOST_AGE_MS
    while len(seen) > 1 and seen[1].at < oldest:
        del seen[0]
