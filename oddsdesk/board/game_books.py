"""The games whose prices a board holds, and whose prices are the reference's in all of them."""

from collections.abc import Container, Iterator, Sized
from typing import Final, Protocol

from oddsdesk.board.changes import Changes
from oddsdesk.board.game_book import GameBook
from oddsdesk.board.games import GameEntry
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.reference import Renaming

MOST_UNLISTED: Final = 2_000
"""Games with prices that no list has: they are new, or somebody makes them up (D85)."""


class Listed(Container[str], Sized, Protocol):
    """The games that the list has, by id."""


class GameBooks:
    """One book a game, by id, in the order in which they came."""

    def __init__(self) -> None:
        self._books: dict[str, GameBook] = {}
        self._renamed: dict[str, Changes] = {}
        """Games whose prices are under other keys, and whose figures are to follow."""

    def __contains__(self, game: str) -> bool:
        return game in self._books

    def __iter__(self) -> Iterator[GameBook]:
        """Yield the books that are held now, also where some come or go meanwhile."""
        yield from list(self._books.values())

    def get(self, game: str) -> GameBook | None:
        """Return the book of a game, None where no price of it is held."""
        return self._books.get(game)

    def of(self, game: GameEntry) -> GameBook:
        """Return the book of a game, an empty one where none is held yet."""
        book = self._books.get(game.game_id)
        if book is None:
            book = self._books[game.game_id] = GameBook(game)
        return book

    def has_room(self, game: str, listed: Listed) -> bool:
        """Say whether the prices of one more game may be held."""
        return game in listed or len(self._books) < len(listed) + MOST_UNLISTED

    def drop_empty(self, listed: Listed) -> None:
        """Let go of the games that no list has and of which no price is left."""
        for game in [game for game, book in self._books.items() if book.is_empty]:
            if game not in listed:
                self.drop(game)

    def drop(self, game: str) -> GameBook | None:
        """Let go of a game's book and return it."""
        self._renamed.pop(game, None)
        return self._books.pop(game, None)

    def names(self) -> list[str]:
        """Return the ids of the games."""
        return list(self._books)

    def row_keys_of(self, game: str) -> Iterator[RowKey]:
        """Yield the key of every price held of a game."""
        book = self._books.get(game)
        for key, _ in () if book is None else book.prices():
            yield RowKey(game, *key)

    def told_keys_of(self, game: str) -> Iterator[RowKey]:
        """Yield the key of every price of a game, and those from before a renaming not told of."""
        yield from self.row_keys_of(game)
        if (changes := self._renamed.get(game)) is not None:
            yield from (RowKey(game, *key) for key in changes.removed)

    def rename(self, renaming: Renaming) -> None:
        """Keep prices under other keys, once others are the reference's; figures follow later."""
        for game, book in self._books.items():
            book.rename(renaming, self._renamed.setdefault(game, Changes()))

    def take_renamed(self) -> Iterator[tuple[GameBook, Changes]]:
        """Yield the games whose figures are to follow, each once, with what became of its keys."""
        for game in list(self._renamed):
            changes, book = self._renamed.pop(game, None), self._books.get(game)
            if changes is not None and book is not None:
                yield book, changes

    def beside(self, book: GameBook) -> Iterator[GameBook]:
        """Yield the other games of a book's competition."""
        for other in self:
            if other is not book and other.matrix.competition == book.matrix.competition:
                yield other
