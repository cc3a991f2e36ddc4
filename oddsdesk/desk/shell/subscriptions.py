"""What of the board is kept current: the games that are open, explained, or have a bet."""

from typing import Protocol


class GameReader(Protocol):
    """Keeps games current."""

    def subscribe_game(self, game_id: str) -> None:
        """Keep a game's matrix current."""

    def unsubscribe_game(self, game_id: str) -> None:
        """Keep it current no longer."""


class Subscriptions:
    """Subscribes to each game once, while it is open, explained, or about to begin with a bet."""

    def __init__(self, reader: GameReader) -> None:
        self._reader = reader
        self._open: set[str] = set()
        self._explained = ""
        self._followed: frozenset[str] = frozenset()

    def open(self, game_id: str) -> None:
        """Note that a game was opened."""
        self._take(open_=self._open | {game_id})

    def close(self, game_id: str) -> None:
        """Note that a game was closed."""
        self._take(open_=self._open - {game_id})

    def explain(self, game_id: str) -> None:
        """Note which game's price is explained; empty for none."""
        self._take(explained=game_id)

    def follow(self, games: frozenset[str]) -> None:
        """Note which games are followed for closing lines of bets."""
        self._take(followed=games)

    def _take(
        self,
        open_: set[str] | None = None,
        explained: str | None = None,
        followed: frozenset[str] | None = None,
    ) -> None:
        before = self._wanted()
        self._open = self._open if open_ is None else open_
        self._explained = self._explained if explained is None else explained
        self._followed = self._followed if followed is None else followed
        after = self._wanted()
        for game_id in sorted(before - after):
            self._reader.unsubscribe_game(game_id)
        for game_id in sorted(after - before):
            self._reader.subscribe_game(game_id)

    def _wanted(self) -> set[str]:
        explained = {self._explained} if self._explained else set()
        return self._open | explained | self._followed


class BoardReader(GameReader, Protocol):
    """Keeps current what panels show."""

    def want_rows(self, wanted: bool) -> None:
        """Keep the prices of all games current, for the odds grid."""

    def watch_competitions(self, codes: frozenset[str]) -> None:
        """Read the prices of competitions that the odds grid shows more often."""

    def pause_rows(self, paused: bool) -> None:
        """Stop reading the prices of all games, or go on."""

    def refresh(self) -> None:
        """Read everything now."""
