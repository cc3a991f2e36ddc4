"""Closing lines of bets on the log (D57, D117): all by one reference and one devig method.

A bookmaker's close is read from the log. What the bookmakers said together stands in no log. So the
log is gone through a second time, and a consensus is asked whenever anything of a game with bets
was recorded, by the rules of a desk that runs (``board.closing_lines``). Of a log with hours
between its rows nobody knows the close.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from oddsdesk.board.closing_lines import WAIT_MS, close_of, keep_sighting
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.log_closes import closes_of_own_bets
from oddsdesk.ledger.open_bets import to_follow
from oddsdesk.pricing.closing import (
    MONEYLINE,
    MOST_AGE_MS,
    CloseBy,
    ClosingLine,
    FollowedBet,
    Sighting,
    began_at,
)
from oddsdesk.pricing.consensus import CONSENSUS_TITLE
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.pushes import MAY_BE_DRAWN
from oddsdesk.research.past.game import PastGame
from oddsdesk.research.past.recorded_log import RecordedLog
from oddsdesk.research.past.walk import Walk, era_maker

IN_PLAY = "in play"
"""The note of a bet that was placed after its game began: no close is before it."""


def with_closes(
    log: RecordedLog,
    bets: Sequence[PlacedBet],
    by: CloseBy,
    profiles: Profiles,
    now_ms: int,
    progress: Callable[[int], None],
) -> list[PlacedBet]:
    """Return bets with their closing lines.

    Args:
        log: Of a database whose reference is the close's, unless that is a consensus.
        bets: Numbered; those with the note ``IN_PLAY`` have no close.
        by: Whose close it is, and what devigs it.
        profiles: What bookmakers are of one operator, for a consensus.
        now_ms: The time: only games that began before it have a closing line.
        progress: Called while the log is read; what it raises ends the work.
    """
    ahead = [bet for bet in bets if bet.note != IN_PLAY]
    if by.reference == CONSENSUS_TITLE:
        closes = _pooled(log, ahead, by, profiles, now_ms, progress) if ahead else {}
    else:
        by_game = sorted(ahead, key=lambda bet: (bet.game_id, bet.market_type, bet.period))
        past = log.past(by.reference, bets, progress)
        closes = closes_of_own_bets(past, by_game, now_ms, by)
    in_play = ClosingLine(why="placed in play")
    return [
        msgspec.structs.replace(
            bet, close=in_play if bet.note == IN_PLAY else closes.get(bet.ident or 0)
        )
        for bet in bets
    ]


def _pooled(
    log: RecordedLog,
    bets: Iterable[PlacedBet],
    by: CloseBy,
    profiles: Profiles,
    now_ms: int,
    progress: Callable[[int], None],
) -> dict[int, ClosingLine]:
    watcher = _ConsensusWatcher(bets)
    era = era_maker(by.reference, by.method, profiles, None)
    Walk(log, watcher, era, now_ms).run(None, None, lambda _: progress(0))
    found = watcher.closes(by, now_ms).items()
    return {ident: msgspec.structs.replace(close, reference=by.reference) for ident, close in found}


class _Market(NamedTuple):
    """What a consensus is asked of: a market, without the operator of a bookmaker."""

    market_type: str
    period: int
    bookmaker: str


class _Begin(NamedTuple):
    """When a game begins by its kick-off, and when it was first seen in play; milliseconds."""

    kick_off: int | None
    first_in_play: int | None


class _ConsensusWatcher:
    """A ``walk.Visitor`` that notes what a consensus says of games with bets before they begin."""

    def __init__(self, bets: Iterable[PlacedBet]) -> None:
        self._bets = defaultdict[str, list[PlacedBet]](list)
        for bet in bets:
            self._bets[bet.game_id].append(bet)
        self._seen = defaultdict[str, dict[_Market, list[Sighting]]](dict)
        self._begins: dict[str, _Begin] = {}

    def at_moment(self, game: PastGame, now_ms: int) -> None:
        """Ask of the markets of bets that were placed by now, where the game is about to begin."""
        ident, begins = game.entry.game_id, game.kick_off
        if ident not in self._bets:
            return
        game.near()
        first = game.in_play_at
        is_late = first is not None and begins is not None and first > begins + WAIT_MS
        self._begins[ident] = _Begin(begins, None if is_late else first)
        is_due = begins is None or begins - MOST_AGE_MS <= now_ms <= begins + WAIT_MS
        seen = self._seen[ident]
        for bet in self._bets[ident]:
            for market in _markets_of(bet):
                is_new = market not in seen and bet.placed_at <= now_ms
                if first is None and (is_new or (is_due and market in seen)):
                    self._look(game, market, now_ms)

    def passing(self, game: PastGame, until_ms: int) -> None:
        """Nothing comes of time alone."""

    def before_begin(self, game: PastGame) -> None:
        """Nothing is asked of this moment."""

    def at_close(self, game: PastGame) -> None:
        """Nothing more is asked."""

    def closes(self, by: CloseBy, now_ms: int) -> dict[int, ClosingLine]:
        """Return the closes of bets whose games have begun, by number."""
        found = {}
        for bet in to_follow((bet for bets in self._bets.values() for bet in bets), by):
            begin = self._begins.get(bet.game_id, _Begin(bet.kick_off, None))
            began = began_at(*begin)
            if began is None or began <= now_ms:
                seen = self._seen[bet.game_id]
                own, *more = (seen.get(each, []) for each in _markets_of(bet))
                found[bet.ident] = close_of(bet, own, *begin, moneyline=more[0] if more else ())
        return found

    def _look(self, game: PastGame, market: _Market, now_ms: int) -> None:
        kept = self._seen[game.entry.game_id].setdefault(market, [])
        sighting = game.pooled_sighting(*market, now_ms)
        if sighting is not None:
            keep_sighting(kept, sighting)


def _markets_of(bet: PlacedBet | FollowedBet) -> list[_Market]:
    """Return the markets to ask of for a bet: its own, and the moneyline whose draw is a push."""
    own = _Market(bet.market_type, bet.period, bet.bookmaker)
    if bet.market_type in MAY_BE_DRAWN:
        return [own, own._replace(market_type=MONEYLINE)]
    return [own]
