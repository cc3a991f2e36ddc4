"""Which games are kept current: those that are open, and the one that is explained."""

from typing import Protocol


class GameReader(Protocol):
    """Keeps games current."""

    def subscribe_game(self, game_id: str) -> None:
        """Keep a game's matrix current."""

    def unsubscribe_game(self, game_id: str) -> None:
        """Keep it current no longer."""


class Subscriptions:
    """Asks for each game once, whoever looks at it, and lets go when nobody does."""

    def __init__(self, reader: GameReader) -> None:
        self._reader = reader
        self._open: set[str] = set()
        self._explained = ""

    def open(self, game_id: str) -> None:
        """Note that a game was opened."""
        if game_id not in self._open and game_id != self._explained:
            self._reader.subscribe_game(game_id)
        self._open.add(game_id)

    def close(self, game_id: str) -> None:
        """Note that a game was closed."""
        self._open.discard(game_id)
        if game_id != self._explained:
            self._reader.unsubscribe_game(game_id)

    def explain(self, game_id: str) -> None:
        """Note which game's price is explained; empty for none."""
        before, self._explained = self._explained, game_id
        if game_id == before:
            return
        if before and before not in self._open:
            self._reader.unsubscribe_game(before)
        if game_id and game_id not in self._open:
            self._reader.subscribe_game(game_id)
