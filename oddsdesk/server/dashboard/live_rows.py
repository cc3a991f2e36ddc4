"""The rows that the pages below ``LIVE`` judge: REST's, and older ones of the sharp book."""

from collections.abc import Iterator
from typing import Final

import msgspec

from oddsdesk.contract import resources
from oddsdesk.contract.times import DAY_MS, WINDOW_MS
from oddsdesk.server.dashboard.live_prices import JudgedGame
from oddsdesk.server.dashboard.opportunities import Judge, Prices
from oddsdesk.server.endpoints.lists import filters_of
from oddsdesk.server.gate import Call, visibility_for

_AT_ONCE: Final = 500
_MOST_HELD: Final = 100
_HELD_MS: Final = 5_000
"""Time alone changes what is said of a game that seldom."""


class JudgedGames:
    """Judges games; pages of one game share an answer while no price of it changes."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._held: dict[str, tuple[Prices, JudgedGame]] = {}

    def judge_game(self, game_id: str, prices: Prices) -> JudgedGame:
        """Say what each price of a game is worth."""
        held = self._held.get(game_id)
        if held is not None:
            before, judged = held
            if 0 <= prices.now_ms - before.now_ms < _HELD_MS and before.rows == prices.rows:
                return judged
        if len(self._held) >= _MOST_HELD:
            self._held = {}
        judged = self._judge.judge_game(prices)
        self._held[game_id] = prices, judged
        return judged


def read_prices(call: Call, reference: str, game: resources.GameMatrix | None = None) -> Prices:
    """Return the current prices that the caller may see, or those of one game.

    Prices that the sharp book has not repeated for 10 minutes are among them: without them nothing
    would say that a price is an error, or compared with a stale one.
    """
    asked = {} if game is None else {"competition": game.competition}
    rows = list(_rows(call, asked, WINDOW_MS))
    if game is not None:
        rows = [row for row in rows if row.match_name == game.match_name]
    if call.caller.rights.all_bookmakers:
        games = {(row.competition, row.match_name) for row in rows}
        rows = [row for row in rows if row.bookmaker != reference]
        of_sharp = _rows(call, {**asked, "bookmaker": reference}, DAY_MS)
        rows += [row for row in of_sharp if (row.competition, row.match_name) in games]
    draws = [
        (ident, period, name)
        for ident, name, period in call.reader.priced_draws(call.now_ms - DAY_MS)
        if game is None or ident == game.game_id
    ]
    return Prices(rows, reference, draws, call.now_ms)


def _rows(call: Call, asked: dict[str, str], age_ms: int) -> Iterator[resources.OddsRow]:
    filters, visibility = filters_of(asked), visibility_for(call.caller, asked)
    cursor = None
    while True:
        found = call.reader.list_odds(
            call.now_ms, filters, visibility, _AT_ONCE, cursor, age_ms=age_ms
        )
        sent = msgspec.json.encode(found.items)
        yield from msgspec.json.decode(sent, type=list[resources.OddsRow])
        if (cursor := found.next_cursor) is None:
            return
