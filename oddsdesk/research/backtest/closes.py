"""Closing lines of bets on the log (D57): a reference's is read from it, a consensus' is seen.

What the bookmakers said together stands in no log. So it is looked at while the log is gone
through, as a desk looks at it that runs (``board.closing_lines``), and by the same rules: whenever
anything of the game was recorded, so that of a log with hours between nobody knows the close.
"""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from oddsdesk.board.closing_lines import WAIT_MS, close_of, keep_sighting
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.log_closes import PastOdds, closes_of_own_bets
from oddsdesk.ledger.open_bets import to_follow
from oddsdesk.pricing.closing import MOST_AGE_MS, ClosingLine, Sighting, began_at
from oddsdesk.research.past.game import PastGame

IN_PLAY = "in play"
"""The note of a bet that was placed after its game began: no close is before it."""


class _Market(NamedTuple):
    """What a consensus is asked of: a market, without the operator of a bookmaker."""

    market_type: str
    period: int
    bookmaker: str


class _Begin(NamedTuple):
    """When a game begins by its kick-off, and when it was first seen in play; milliseconds."""

    kick_off: int | None
    first_in_play: int | None


class Closes:
    """Follows bets that a consensus judges until their games begin; all get their closes here."""

    def __init__(self, method: str) -> None:
        """``method`` devigs the closes."""
        self._method = method
        self._seen: dict[str, dict[_Market, list[Sighting]]] = {}
        self._begins: dict[str, _Begin] = {}

    def follow(self, bet: PlacedBet, game: PastGame, now_ms: int) -> None:
        """Look at the market of a bet from now on, where a consensus judges it."""
        if not game.era.basis.is_pooled or bet.note == IN_PLAY:
            return
        market = _Market(bet.market_type, bet.period, bet.bookmaker)
        followed = self._seen.setdefault(bet.game_id, {})
        if market not in followed:
            followed[market] = []
            self._look(game, market, now_ms)

    def see(self, game: PastGame, now_ms: int) -> None:
        """Look at a game that has bets, where it is about to begin at a moment."""
        ident, begins = game.entry.game_id, game.kick_off
        if ident not in self._seen:
            return
        first = game.in_play_at
        is_late = first is not None and begins is not None and first > begins + WAIT_MS
        self._begins[ident] = _Begin(begins, None if is_late else first)
        is_due = begins is None or begins - MOST_AGE_MS <= now_ms <= begins + WAIT_MS
        if first is None and is_due:
            for market in self._seen[ident]:
                self._look(game, market, now_ms)

    def put_on(self, bets: Iterable[PlacedBet], past: PastOdds, now_ms: int) -> list[PlacedBet]:
        """Return bets with their closing lines.

        Args:
            bets: All bets.
            past: What the log says of those that no consensus judged.
            now_ms: The time: only games that began before it have a closing line.
        """
        held = list(bets)
        ahead = [bet for bet in held if bet.note != IN_PLAY]
        by_game = sorted(ahead, key=lambda bet: (bet.game_id, bet.market_type, bet.period))
        logged = [bet for bet in by_game if not self._is_followed(bet)]
        closes = closes_of_own_bets(past, logged, now_ms, self._method)
        closes |= self._lines(filter(self._is_followed, ahead), now_ms)
        in_play = ClosingLine(why="placed in play")
        return [
            msgspec.structs.replace(
                bet, close=in_play if bet.note == IN_PLAY else closes.get(bet.ident or 0)
            )
            for bet in held
        ]

    def _is_followed(self, bet: PlacedBet) -> bool:
        return bet.game_id in self._seen

    def _lines(self, bets: Iterable[PlacedBet], now_ms: int) -> dict[int, ClosingLine]:
        found = {}
        for bet in to_follow(bets, self._method):
            begin = self._begins.get(bet.game_id, _Begin(bet.kick_off, None))
            began = began_at(*begin)
            if began is None or began <= now_ms:
                market = _Market(bet.market_type, bet.period, bet.bookmaker)
                found[bet.ident] = close_of(bet, self._seen[bet.game_id][market], *begin)
        return found

    def _look(self, game: PastGame, market: _Market, now_ms: int) -> None:
        sighting = game.pooled_sighting(*market, now_ms)
        if sighting is not None:
            keep_sighting(self._seen[game.entry.game_id][market], sighting)
