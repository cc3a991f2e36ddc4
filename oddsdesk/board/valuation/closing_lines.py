"""Closing lines of placed bets, noted as they happen, while a desk or ``watch`` runs.

Pass it the open bets (``follow_bets``), keep its ``wanted_games`` current, and ask every few
seconds which closing lines are final (``decided``).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.clock import Clock
from oddsdesk.base.texts import N_
from oddsdesk.board.board import Board
from oddsdesk.board.model.basis import Basis
from oddsdesk.board.model.matrix import Matrix, Price, Section
from oddsdesk.board.model.notices import GameMerged, MatrixLoaded, Notice, PricesChanged
from oddsdesk.board.valuation.pool import pool_of
from oddsdesk.contract.markets import DRAW_RETURNS
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.matching.bet_games import is_same_kick_off
from oddsdesk.matching.names import PLAYER_PROP, spelled_among
from oddsdesk.pricing.assessment import Market
from oddsdesk.pricing.closing import (
    MONEYLINE,
    MOST_AGE_MS,
    BetPart,
    ClosingLine,
    FollowedBet,
    Sighting,
    closing_line,
    other_side,
)
from oddsdesk.pricing.consensus import CONSENSUS_TITLE

WAIT_MS: Final = 10 * MINUTE_MS
"""How long after its kick-off a game may still be seen to begin; then the kick-off holds."""
_BEFORE_MS: Final = MOST_AGE_MS + 5 * MINUTE_MS
"""So long before its kick-off a game is wanted: readings take a while."""


_WITHOUT_MARGIN: Final = "multiplicative"
"""Leaves odds without a margin unchanged, but for their sum being 1 exactly."""


class _Followed(NamedTuple):
    """What is kept apart for bets: a market, by whose close they are measured."""

    game_id: str
    market_type: str
    period: int
    reference: str
    bookmaker: str
    """Left out of a consensus; empty where the reference is none."""
    kick_off: int | None
    """Of the bet: the games of a series may have one id, one after the other."""


class ClosingLines:
    """Keeps what the references last said of the markets of bets until their games begin."""

    def __init__(self, board: Board, clock: Clock) -> None:
        self._board = board
        self._clock = clock
        self._bets: dict[BetPart, FollowedBet] = {}
        self._sightings: dict[_Followed, list[Sighting]] = {}
        self._first_in_play: dict[str, int] = {}
        self._unsubscribe: Callable[[], None] = lambda: None

    def stop_following(self) -> None:
        """Stop listening to the board."""
        self._unsubscribe()

    def follow_bets(self, bets: Iterable[FollowedBet]) -> None:
        """Follow these bets and no others; those whose games had begun before are left out.

        Nobody saw their closing lines here: the log may have them.
        """
        followed = {bet.ident: bet for bet in bets}
        self._bets = {
            ident: bet
            for ident, bet in followed.items()
            if self._bets.get(ident) == bet or not self._has_begun(bet)
        }
        markets = {market for bet in self._bets.values() for market in _markets_of(bet)}
        games = {bet.game_id for bet in self._bets.values()}
        self._sightings = {key: seen for key, seen in self._sightings.items() if key in markets}
        self._first_in_play = {
            game: at for game, at in self._first_in_play.items() if game in games
        }
        self._unsubscribe()
        if games:
            self._unsubscribe = self._board.subscribe(
                self._on_board_notice, PricesChanged, MatrixLoaded, GameMerged
            )
        for game in games:
            self._see(game)

    def wanted_games(self) -> frozenset[str]:
        """Return the games that are to be kept current now: those about to begin."""
        return self._about_to_begin() & self._board.games.keys()

    def _about_to_begin(self) -> frozenset[str]:
        now = self._clock()
        return frozenset(
            bet.game_id
            for bet in self._bets.values()
            if (kick_off := self._kick_off(bet)) is not None
            and kick_off - _BEFORE_MS <= now <= kick_off + WAIT_MS
            and self._is_on_board(bet)
        )

    def decided(self) -> dict[BetPart, ClosingLine]:
        """Return the closing lines of bets whose games have begun, by number; each once."""
        if self._board.connection.as_of_ms is not None:
            return {}
        for game in self._about_to_begin():
            self._see(game)  # its kick-off may have been told after its prices
        found = {}
        for ident, bet in self._bets.items():
            if self._is_over(bet):
                found[ident] = self._closing_line(bet)
        for ident in found:
            del self._bets[ident]
        return found

    def _kick_off(self, bet: FollowedBet) -> int | None:
        """Return when a game begins, as far as is known now."""
        known = self._known_kick_off(bet.game_id)
        return bet.kick_off if known is None or not self._is_on_board(bet) else known

    def _known_kick_off(self, game_id: str) -> int | None:
        """Return when the game that the board has by an id begins; None where it does not say."""
        for known in (self._board.matrix(game_id), self._board.games.get(game_id)):
            if known is not None and known.kick_off is not None:
                return known.kick_off
        return None

    def _is_on_board(self, bet: FollowedBet) -> bool:
        """Whether the game that the board has by a bet's id is the bet's, by its kick-off.

        Another one of a series may have it, and a game that was put off is another one, too.
        """
        known = self._known_kick_off(bet.game_id)
        if known is None or bet.kick_off is None:
            return True
        return is_same_kick_off(bet.kick_off, known, bet.sport, bet.competition)

    def _has_begun(self, bet: FollowedBet) -> bool:
        kick_off = self._kick_off(bet)
        matrix = self._board.matrix(bet.game_id) if self._is_on_board(bet) else None
        is_live = matrix is not None and _live_since(matrix, self._clock()) is not None
        return is_live or (kick_off is not None and kick_off < self._clock())

    def _is_over(self, bet: FollowedBet) -> bool:
        if self._first_seen_in_play(bet) is not None:
            return True
        kick_off = self._kick_off(bet)
        return kick_off is not None and self._clock() > kick_off + WAIT_MS

    def _closing_line(self, bet: FollowedBet) -> ClosingLine:
        own, *more = (self._sightings.get(key, ()) for key in _markets_of(bet))
        if not own and not self._is_on_board(bet):
            return ClosingLine(why=N_("the service has these teams only at another time"))
        begin = self._kick_off(bet), self._first_seen_in_play(bet)
        found = close_of(bet, own, *begin, moneyline=more[0] if more else ())
        whose = bet.by.reference or self._board.desk_reference.service or ""
        return msgspec.structs.replace(found, reference=whose)

    def _first_seen_in_play(self, bet: FollowedBet) -> int | None:
        """Return when a bet's game was first seen in play; None where it was not."""
        found, kick_off = self._first_in_play.get(bet.game_id), self._kick_off(bet)
        if found is None or kick_off is None:
            return found
        return found if is_same_kick_off(kick_off, found, bet.sport, bet.competition) else None

    def _see(self, game: str) -> None:
        """Note what the reference says now of a game's markets with bets, and whether it began."""
        matrix = self._board.matrix(game)
        bets = [
            bet for bet in self._bets.values() if bet.game_id == game and self._is_on_board(bet)
        ]
        markets = {market for bet in bets for market in _markets_of(bet)}
        if matrix is None or not markets or self._board.connection.as_of_ms is not None:
            return
        live_since = _live_since(matrix, self._clock())
        if live_since is not None:
            if all(self._first_seen_in_play(bet) is None for bet in bets):
                self._first_in_play[game] = live_since  # not of the game before it
            return
        for key in markets:
            sighting = self._sighting(matrix, key)
            if sighting is not None:
                keep_sighting(self._sightings.setdefault(key, []), sighting)

    def _sighting(self, matrix: Matrix, key: "_Followed") -> Sighting | None:
        """Return what a reference offers in a market; None where it was never seen there."""
        sections = [each for each in matrix.sections if each.key[:2] == key[1:3]]
        if key.reference == CONSENSUS_TITLE:
            return pooled_sighting(sections, self._board.basis, key.bookmaker)
        whose = self._board.desk_reference
        if not key.reference and not whose.is_services_own and whose.service is None:
            return None  # whom the service judges by is not known yet
        return _sighting_of(sections, key.reference or whose.services_bookmaker)

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
            moved = key._replace(game_id=into)
            self._sightings.setdefault(moved, self._sightings.pop(key))
        self._see(into)


def close_of(
    bet: FollowedBet,
    seen: Sequence[Sighting],
    kick_off: int | None,
    first_in_play: int | None,
    *,
    moneyline: Sequence[Sighting] = (),
) -> ClosingLine:
    """Return the close of a bet from what was seen of its market; what was pooled has no margin.

    ``moneyline`` is what was seen of the moneyline, for bets whose stakes a draw may bring back.
    """
    is_pooled = bet.by.reference == CONSENSUS_TITLE
    selection = bet.selection
    if bet.market_type == PLAYER_PROP:
        selection = spelled_among(selection, {name for each in seen for name in each.odds})
    found = closing_line(
        Market(bet.market_type, bet.match_name, bet.sport, bet.period),
        selection,
        seen,
        kick_off=kick_off,
        first_in_play=first_in_play,
        method=_WITHOUT_MARGIN if is_pooled else bet.by.method,
        moneyline=moneyline,
    )
    if is_pooled and found.method:  # its line is of fair odds, which no other method devigs
        found = msgspec.structs.replace(found, method=bet.by.method, line=())
    return other_side(found) if bet.is_lay else found


def _live_since(matrix: Matrix, now_ms: int) -> int | None:
    """Return since when a game is seen in play, by its prices; None where it is not."""
    prices = [
        price
        for section in matrix.sections
        for row in section.rows
        for price in row.prices.values()
    ]
    seen = [each.scraped_at for each in prices if each.is_live]
    if seen:
        return min(seen)
    return now_ms if matrix.is_live else None


def _markets_of(bet: FollowedBet) -> list["_Followed"]:
    """Return the markets to follow for a bet: its own, and the moneyline whose draw is a push."""
    whose = bet.by.reference
    bookmaker = bet.bookmaker if whose == CONSENSUS_TITLE else ""
    own = _Followed(*bet.market, whose, bookmaker, bet.kick_off)
    if bet.market_type in DRAW_RETURNS:
        return [own, own._replace(market_type=MONEYLINE)]
    return [own]


def pooled_sighting(sections: Sequence[Section], basis: Basis, bookmaker: str) -> Sighting | None:
    """Return what the others say together: their fair odds, as old as the oldest vote."""
    odds, times = dict[str, float](), list[int]()
    for section in sections:
        pool = section.pool
        if pool is None or basis.reference.is_learned:  # a close does not change with the weights
            pool = pool_of(section, basis, by_learned=False)
        pooled = None if pool is None else pool.pooled_without(bookmaker)
        if pooled is not None:
            group, prices = pooled.line.group, pooled.line.prices
            fair = {name: prices[side].fair_odds for name, side in zip(*group[2:4], strict=True)}
            odds |= {name: price for name, price in fair.items() if price is not None}
            times.append(pooled.line.scraped_at)
    return Sighting(max(times), odds, False) if odds else None


def _sighting_of(sections: Sequence[Section], bookmaker: str) -> Sighting | None:
    prices: dict[str, Price] = {
        row.selection: price
        for section in sections
        for row in section.rows
        if (price := row.prices.get(bookmaker)) is not None
    }
    if not prices:
        return None
    at = max(price.withdrawn_at or price.scraped_at for price in prices.values())
    odds = {name: price.odds for name, price in prices.items() if price.is_offered}
    return Sighting(at, odds, False)


def keep_sighting(seen: list[Sighting], sighting: Sighting) -> None:
    """Add a sighting; one that says the same is the same, later; what is too old goes."""
    if seen and seen[-1].odds == sighting.odds:
        seen[-1] = seen[-1]._replace(at=max(seen[-1].at, sighting.at))
    else:
        seen.append(sighting)
    oldest = seen[-1].at - MOST_AGE_MS
    while len(seen) > 1 and seen[1].at < oldest:
        del seen[0]
