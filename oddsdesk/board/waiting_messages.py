"""Stream messages that are not taken in yet, by game."""

from collections.abc import Callable, Iterable
from typing import Final

from oddsdesk.contract.resources import PriceMessage

GameName = tuple[str, str]
"""A game's competition and name, as a message tells them."""
_AT_ONCE: Final = 64
"""How many messages of a game are taken in in one step."""


class WaitingMessages:
    """Holds messages until they are taken in: of games in sight first, of a game in their order.

    Figures are computed once for what is taken together: what comes meanwhile joins what waits.
    """

    def __init__(self, is_in_sight: Callable[[str, str], bool]) -> None:
        self._is_in_sight = is_in_sight
        self._in_sight: dict[GameName, list[PriceMessage]] = {}
        self._others: dict[GameName, list[PriceMessage]] = {}
        self.count = 0

    @property
    def are_in_sight(self) -> bool:
        """Whether some are of games in sight."""
        return bool(self._in_sight)

    def add(self, messages: Iterable[PriceMessage]) -> None:
        """Have messages wait behind those of the same game."""
        came: dict[GameName, list[PriceMessage]] = {}
        for message in messages:
            game = message.competition, message.match_name
            if (of_game := came.get(game)) is None:
                of_game = came[game] = []
            of_game.append(message)
            self.count += 1
        for game, of_game in came.items():
            is_in_sight = self._is_in_sight(*game)
            others, waiting = (
                (self._others, self._in_sight) if is_in_sight else (self._in_sight, self._others)
            )
            if game in others:  # it came into sight since, or went
                waiting[game] = others.pop(game)
            waiting.setdefault(game, []).extend(of_game)

    def take(self) -> tuple[GameName, list[PriceMessage]]:
        """Return the game that is next, and its first messages, which wait no more."""
        waiting = self._in_sight or self._others
        game, of_game = next(iter(waiting.items()))
        if len(of_game) <= _AT_ONCE:
            del waiting[game]
        else:
            waiting[game], of_game = of_game[_AT_ONCE:], of_game[:_AT_ONCE]
        self.count -= len(of_game)
        return game, of_game

    def clear(self) -> None:
        """Forget all."""
        self._in_sight.clear()
        self._others.clear()
        self.count = 0
