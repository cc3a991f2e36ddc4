"""One player, many spellings: a game keeps the one that was recorded first.

What other bookmakers call the player is recorded under that name, so that answers, matrix and
valuation compare their prices without knowing of it; as with bookmakers and teams.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Protocol, TypeVar

import msgspec

from oddsdesk.contract.quotes import UNNAMED, Quote
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.matching.player_names import PlayersOfGame

_AGE_MS: Final = 10 * MINUTE_MS
"""After that a game's players are read again: other programs may write into the database, too."""
_MOST_GAMES: Final = 500

T = TypeVar("T")


class PropTable(Protocol):
    """What naming players needs of an engine."""

    def props(self, game: int) -> Iterable[Mapping[str, float]]:
        """Return the odds on players of a game that stand, by bookmaker."""
        ...


class PlayerNames:
    """What a database calls the players of each game; for the thread that writes."""

    def __init__(self) -> None:
        self._games: dict[int, tuple[int, PlayersOfGame]] = {}

    def in_own_words(self, table: PropTable, game: int, quote: Quote, now_ms: int) -> Quote:
        """Return a quote on players with their names as the game has them."""
        players = self._of(table, game, now_ms)
        unread = [name for name in quote.unread or () if name != UNNAMED]
        said = [*quote.odds, *unread, *quote.gone] if quote.unread else quote.odds
        names = players.own_words(said)
        if not names:
            return quote

        def in_own(by_selection: Mapping[str, T] | None) -> dict[str, T] | None:
            if by_selection is None:
                return None
            return {names.get(text, text): each for text, each in by_selection.items()}

        return msgspec.structs.replace(
            quote,
            odds=in_own(quote.odds),
            offers=in_own(quote.offers),
            unread=in_own(quote.unread),
            gone=tuple(names.get(text, text) for text in quote.gone),
        )

    def _of(self, table: PropTable, game: int, now_ms: int) -> PlayersOfGame:
        read_at, players = self._games.get(game, (0, None))
        if players is None or now_ms - read_at > _AGE_MS:
            if len(self._games) >= _MOST_GAMES:
                self._games.clear()
            players = PlayersOfGame(table.props(game))
            self._games[game] = now_ms, players
        return players
