"""An example: live odds of a bookmaker that oddsdesk does not know, `cornershop:football`."""

from typing import Any, ClassVar

import msgspec

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.live.errors import ShapeError
from oddsdesk.feeds.live.polling import PollingFeed
from oddsdesk.feeds.live.source import KeyUse, decode


class Game(msgspec.Struct):
    """A game as the shop answers it: prices of home, draw and away."""

    home: str
    away: str
    league: str
    starts: str
    prices: list[float]


class CornerShop(PollingFeed):
    """Reads `/games/<sport>` every half minute, with a key in a header."""

    source_name: ClassVar[str] = "cornershop"
    base_url: ClassVar[str] = "https://api.cornershop.example"
    floor_s: ClassVar[float] = 30.0
    key_use: ClassVar[KeyUse | None] = KeyUse(header="X-Shop-Key")

    async def read(self, part: str, now_ms: int) -> bytes:
        """Ask for a sport; what the shop refuses is a state of the feed, not our concern."""
        return await self.source.get(f"/games/{part}")

    def parse(self, part: str, answer: Any, now_ms: int) -> list[Quote]:
        """Return the shop's prices; what it leaves out next time is withdrawn for us."""
        return [_quote(game, now_ms) for game in decode(list[Game], answer, "the list of games")]


def _quote(game: Game, now_ms: int) -> Quote:
    sides = (game.home, "Draw", game.away)
    try:
        odds = dict(zip(sides, game.prices, strict=True))
        kick_off = parse_ms(game.starts)
    except ValueError as error:
        raise ShapeError(f"{game.home} - {game.away}: {error}") from error
    return Quote(
        bookmaker="Corner Shop",
        match_name=f"{game.home} vs {game.away}",
        competition=game.league,
        market_type="moneyline",
        period=0,
        odds=odds,
        scraped_at=now_ms,
        is_live=kick_off <= now_ms,
        match_date=kick_off,
    )
