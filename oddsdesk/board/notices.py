"""What the board tells its subscribers: small values that say what changed."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import get_args

import msgspec

from oddsdesk.board.matrix import CellKey, QuoteKey, RowKey, SectionKey


class GamesChanged(msgspec.Struct, frozen=True):
    """The list of games was read again and differs."""


class MatrixLoaded(msgspec.Struct, frozen=True):
    """A game's matrix is new or has other sections, rows or columns: lay it out again."""

    game_id: str


class GameMerged(msgspec.Struct, frozen=True):
    """A game is part of another by now, which the service answers in its place (D69)."""

    game_id: str
    into: str


class PricesChanged(msgspec.Struct, frozen=True):
    """Prices of a game moved, were seen again or withdrawn, in a matrix laid out as before.

    ``quotes`` are these prices: their selections. ``sections`` are those whose figures (fair,
    window, holds, best) may differ.
    """

    game_id: str
    quotes: Mapping[QuoteKey, Collection[str]]
    sections: tuple[SectionKey, ...]

    @property
    def cells(self) -> Iterator[CellKey]:
        """The prices, one by one: asked of the games that somebody looks at, not of all."""
        for (market_type, period, bookmaker), selections in self.quotes.items():
            for selection in selections:
                yield CellKey(market_type, period, selection, bookmaker)


class RowsChanged(msgspec.Struct, frozen=True):
    """Rows of the odds grid; only while rows are wanted.

    ``changed`` holds new rows too, and one row of each selection whose reference or fair odds
    moved: judge all rows of that selection again.
    """

    changed: tuple[RowKey, ...]
    removed: tuple[RowKey, ...] = ()


class RowsWanted(msgspec.Struct, frozen=True):
    """The odds grid is told of all prices from now on; those of ``held_games`` it has to look at.

    They may be a hundred thousand: whoever wants them goes through them in steps.
    """


class ValueBetsChanged(msgspec.Struct, frozen=True):
    """The value bets differ, in number or in figures."""

    moved: tuple[RowKey, ...] = ()
    """Bets whose prices moved; empty where the whole list was read or judged again."""


class ConnectionChanged(msgspec.Struct, frozen=True):
    """The state of the connection differs."""


class SnapshotProgressChanged(msgspec.Struct, frozen=True):
    """Reading all rows went on."""


Notice = (
    GamesChanged
    | MatrixLoaded
    | GameMerged
    | PricesChanged
    | RowsChanged
    | RowsWanted
    | ValueBetsChanged
    | ConnectionChanged
    | SnapshotProgressChanged
)
Subscriber = Callable[[Notice], None]


class Subscribers:
    """The callbacks that get notices; they may be added and removed during a notice."""

    def __init__(self) -> None:
        self._callbacks: dict[type[Notice], tuple[Subscriber, ...]] = dict.fromkeys(
            get_args(Notice), ()
        )

    def add(self, callback: Subscriber, kinds: tuple[type[Notice], ...]) -> Callable[[], None]:
        """Call back with each notice of these kinds, until the function that is returned is called.

        Of all kinds where none is named.
        """
        wanted = kinds or tuple(self._callbacks)
        for kind in wanted:
            self._callbacks[kind] += (callback,)

        def leave() -> None:
            for kind in wanted:
                callbacks = list(self._callbacks[kind])
                if callback in callbacks:
                    callbacks.remove(callback)
                    self._callbacks[kind] = tuple(callbacks)

        return leave

    def tell(self, notice: Notice) -> None:
        """Tell everyone of a notice who wants its kind."""
        for callback in self._callbacks[type(notice)]:
            callback(notice)
