"""What the board tells its subscribers: small values that say what changed."""

from collections.abc import Callable
from dataclasses import dataclass

from oddsdesk.board.matrix import CellKey, RowKey, SectionKey


@dataclass(frozen=True, slots=True)
class GamesChanged:
    """The list of games was read again and differs."""


@dataclass(frozen=True, slots=True)
class MatrixLoaded:
    """A game's matrix is new or has other sections, lines or columns: lay it out again."""

    game_id: str


@dataclass(frozen=True, slots=True)
class PricesChanged:
    """Prices of a game moved, were seen again or withdrawn, in a matrix laid out as before.

    ``sections`` are those whose figures (fair, window, holds, best) may differ.
    """

    game_id: str
    cells: tuple[CellKey, ...]
    sections: tuple[SectionKey, ...]


@dataclass(frozen=True, slots=True)
class RowsChanged:
    """Rows of the odds grid; only while rows are wanted.

    ``changed`` holds new rows too, and those whose reference or fair odds moved.
    """

    changed: tuple[RowKey, ...]
    removed: tuple[RowKey, ...] = ()


@dataclass(frozen=True, slots=True)
class ValueBetsChanged:
    """The value bets differ, in number or in figures."""


@dataclass(frozen=True, slots=True)
class ConnectionChanged:
    """The state of the connection differs."""


@dataclass(frozen=True, slots=True)
class GatheringChanged:
    """Reading all rows went on."""


Notice = (
    GamesChanged
    | MatrixLoaded
    | PricesChanged
    | RowsChanged
    | ValueBetsChanged
    | ConnectionChanged
    | GatheringChanged
)
Subscriber = Callable[[Notice], None]
