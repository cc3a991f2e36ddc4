"""Which prices of a source are gone: those that two good answers in a row lack (D65).

Where an answer still has other lines of a market, the store withdraws what it lacks at once;
here are markets that an answer lacks altogether. What stands under a name or kick-off that the
source's own id of the game has no more is gone at once.
"""

from collections.abc import Callable, Collection, Iterable
from operator import attrgetter

import msgspec

from oddsdesk.contract.identity import SAME_GAME_MS
from oddsdesk.contract.quotes import Quote
from oddsdesk.matching.games import SAME_START_MS

MarketOf = tuple[str, str, str, str, int]
"""Competition, game, bookmaker, market type, period."""


class _Held(msgspec.Struct):
    quote: Quote
    ident: str | None
    """What the source calls the game."""
    is_missed: bool = False

    @property
    def offer(self) -> tuple[str | None, str, str, int]:
        """What it is of, whatever the game is named."""
        return self.ident, self.quote.bookmaker, self.quote.market_type, self.quote.period


class Withdrawals:
    """The last quotes of one part of a source; ``after`` each good answer returns what is gone.

    ``ident_of`` says what the source calls the game of a quote of its last answer. With ``at_once``
    one answer is enough: the source is known to have said everything.
    """

    def __init__(
        self,
        ident_of: Callable[[Quote], str | None] = attrgetter("event"),
        *,
        at_once: bool = False,
    ) -> None:
        self._ident_of = ident_of
        self._at_once = at_once
        self._held: dict[MarketOf, list[_Held]] = {}

    def after(
        self,
        quotes: Collection[Quote],
        now_ms: int,
        was_read: Callable[[Quote], bool] = lambda _quote: True,
    ) -> list[Quote]:
        """Take in a good answer; return quotes that withdraw what it and the one before lack.

        What the answer could not say anything of, by ``was_read``, stays as it is.

        They bear the time of the answer by the source's own clock: by ours, a price that comes
        back could look older than its withdrawal. They are to be recorded before the answer: a
        renamed game may be the same one there, and then has its prices anew.
        """
        said = self._by_market(quotes)
        now = [held for each in said.values() for held in each if held.ident is not None]
        offers = {held.offer: held.quote for held in now}
        games = {held.ident: held.quote for held in now}
        newest = max((held.quote.scraped_at for each in said.values() for held in each), default=0)
        at_ms = min(newest, now_ms) or now_ms
        gone: list[Quote] = []
        for market, held in self._held.items():
            present = said.setdefault(market, [])
            for each in held:
                game = games.get(each.ident)
                if game is not None and _is_moved(each.quote, game):
                    later = offers.get(each.offer)
                    gone.append(_withdrawn(each.quote, later.scraped_at if later else at_ms))
                elif any(_is_same_game(each.quote, other.quote) for other in present):
                    continue
                elif not was_read(each.quote):
                    present.append(each)
                elif each.is_missed or self._at_once:
                    gone.append(_withdrawn(each.quote, at_ms))
                else:
                    present.append(_Held(each.quote, each.ident, is_missed=True))
        self._held = {market: held for market, held in said.items() if held}
        return gone

    def _by_market(self, quotes: Iterable[Quote]) -> dict[MarketOf, list[_Held]]:
        said: dict[MarketOf, list[_Held]] = {}
        for quote in quotes:
            market = (
                quote.competition,
                quote.match_name,
                quote.bookmaker,
                quote.market_type,
                quote.period,
            )
            if quote.odds or quote.unread:
                said.setdefault(market, []).append(_Held(quote, self._ident_of(quote)))
        return said


def _is_moved(quote: Quote, now: Quote) -> bool:
    """Whether a source says another name or time of the game of one id: perhaps another game.

    A kick-off that moves by less is the same game wherever it is recorded.
    """
    if (quote.competition, quote.match_name) != (now.competition, now.match_name):
        return True
    if quote.match_date is None or now.match_date is None:
        return False
    return abs(quote.match_date - now.match_date) > SAME_START_MS


def _is_same_game(one: Quote, other: Quote) -> bool:
    """Teams may meet twice a day; and a kick-off may move."""
    if one.event is not None and other.event is not None:
        return one.event == other.event
    if one.match_date is None or other.match_date is None:
        return True
    return abs(one.match_date - other.match_date) <= SAME_GAME_MS


def _withdrawn(quote: Quote, at_ms: int) -> Quote:
    at_ms = max(at_ms, quote.scraped_at)
    return msgspec.structs.replace(
        quote, odds={}, unread=None, gone=(), dropped=(), scraped_at=at_ms, liquidity=None
    )
