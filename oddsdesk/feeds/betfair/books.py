"""Betfair's order books as they are now, from the stream's images and changes, and from polls."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from oddsdesk.contract.quoting import shown
from oddsdesk.contract.resources import Level
from oddsdesk.feeds.betfair.shapes import (
    ACTIVE,
    OPEN,
    Definition,
    Levels,
    MarketBook,
    MarketChange,
    PriceSize,
    RunnerChange,
    RunnerDefinition,
    read_as,
    read_message,
    read_result,
)
from oddsdesk.feeds.errors import FeedError

LATE: Final = 503
LONGEST_CONFLATION_MS: Final = 120_000
"""What a client may ask for; with a delayed key prices are conflated for longer."""
_INVALID_CLOCK: Final = "INVALID_CLOCK"

RunnerId = tuple[int, float]
"""Selection and handicap."""
_Positions = dict[int, Level]
"""Price and size by place; 0 is the best."""


class Taken(msgspec.Struct):
    """The outcome of a message or an answer.

    ``touched`` are the markets that may be others now, ``problems`` lines for people; ``refused``
    is Betfair's code where it did not do what was asked.
    """

    touched: set[str] = msgspec.field(default_factory=set)
    problems: list[str] = msgspec.field(default_factory=list)
    refused: str | None = None


class Runner:
    """What can be backed and laid of one runner: prices with sizes."""

    def __init__(self) -> None:
        self._all: tuple[dict[float, float], dict[float, float]] = ({}, {})
        self._shown: tuple[_Positions, _Positions] = ({}, {})
        self._best: tuple[_Positions, _Positions] = ({}, {})

    @property
    def best_back(self) -> float | None:
        """The highest price that can be backed."""
        return next((price for price, _ in self.back), None)

    @property
    def best_lay(self) -> float | None:
        """The lowest price that can be laid."""
        return next((price for price, _ in self.lay), None)

    @property
    def back(self) -> tuple[Level, ...]:
        """What can be backed: prices with backers' stakes, the highest first."""
        return self._levels(0, is_falling=True)

    @property
    def lay(self) -> tuple[Level, ...]:
        """What can be laid: prices with backers' stakes, the lowest first."""
        return self._levels(1, is_falling=False)

    def change(self, change: RunnerChange) -> None:
        """Take in changed levels.

        Raises:
            FeedError: a level has another form; names the field.
        """
        for side, (name, levels) in enumerate((("atb", change.atb), ("atl", change.atl))):
            _change_prices(self._all[side], name, levels)
        for side, (name, levels) in enumerate((("batb", change.batb), ("batl", change.batl))):
            _change_positions(self._best[side], name, levels)
        for side, (name, levels) in enumerate((("bdatb", change.bdatb), ("bdatl", change.bdatl))):
            _change_positions(self._shown[side], name, levels)

    def _levels(self, side: int, *, is_falling: bool) -> tuple[Level, ...]:
        """All prices; else the best, those with virtual prices among them before others."""
        if self._all[side]:
            return tuple(sorted(self._all[side].items(), reverse=is_falling))
        positions = self._shown[side] or self._best[side]
        levels: list[Level] = []
        for place in sorted(positions):
            price = positions[place][0]
            is_worse = not levels or (price < levels[-1][0]) is is_falling
            if is_worse and (not levels or price != levels[-1][0]):
                levels.append(positions[place])
        return tuple(levels)


class Book:
    """One market; ``is_spoilt``: a change could not be read, so that an image has to come."""

    def __init__(self) -> None:
        self.definition: Definition | None = None
        self.runners: dict[RunnerId, Runner] = {}
        self.is_delayed = False
        self.is_spoilt = False

    @property
    def is_known(self) -> bool:
        """Whether all of it is known: its definition came, and every change since an image."""
        return self.definition is not None and not self.is_spoilt

    @property
    def is_open(self) -> bool:
        """Whether bets are taken: not suspended, not over, and all of it known."""
        return self.is_known and self.definition is not None and self.definition.status == OPEN

    def active(self) -> dict[RunnerId, Runner]:
        """Return the runners that still run."""
        defined = [] if self.definition is None else self.definition.runners
        return {
            (each.id, each.hc): self.runners.get((each.id, each.hc)) or Runner()
            for each in defined
            if each.status == ACTIVE
        }

    def change(self, change: MarketChange) -> None:
        """Take in what changed; errors as for ``Runner.change``."""
        if change.market_definition is not None:
            self.definition = change.market_definition
        for each in change.rc:
            self.runners.setdefault((each.id, each.hc), Runner()).change(each)


class Books:
    """Every market known, and where the stream may be resumed."""

    def __init__(self) -> None:
        self._books: dict[str, Book] = {}
        self._initial_clk: str | None = None
        self._clk: str | None = None
        self.is_late = False
        """Whether the stream says that what comes now comes late."""
        self._has_delayed_key = False

    @property
    def resume(self) -> dict[str, str]:
        """What a subscription says to go on where the stream was cut; nothing: from an image."""
        if self._initial_clk is None or self._clk is None:
            return {}
        return {"initialClk": self._initial_clk, "clk": self._clk}

    def book(self, market_id: str) -> Book | None:
        """Return a market, None for an unknown one."""
        return self._books.get(market_id)

    def is_delayed(self, market_id: str) -> bool:
        """Whether the key gets prices of a market late, always."""
        book = self._books.get(market_id)
        return self._has_delayed_key or (book is not None and book.is_delayed)

    def take_line(self, line: bytes) -> Taken:
        """Take in a line of the stream."""
        taken = Taken()
        try:
            message = read_message(line)
        except FeedError as error:
            taken.problems.append(str(error))
            return taken
        if message.op == "status":
            self._take_status(message.status_code, message.error_code, taken)
        elif message.op == "mcm":
            self.is_late = message.status == LATE
            if message.conflate_ms is not None:
                self._has_delayed_key = message.conflate_ms > LONGEST_CONFLATION_MS
            for raw in message.mc or []:
                self._take_change(raw, taken)
            self._initial_clk = message.initial_clk or self._initial_clk
            self._clk = message.clk or self._clk
        elif message.op != "connection":
            taken.problems.append(
                f"op: expected mcm, status or connection, got {shown(message.op)}"
            )
        return taken

    def take_books(self, data: bytes) -> Taken:
        """Take in an answer of ``listMarketBook``: each book takes the place of what was known.

        Raises:
            FeedError: it holds no books, or an error.
        """
        taken = Taken()
        for position, raw in enumerate(read_result(data), start=1):
            try:
                answer = read_as(MarketBook, raw)
            except FeedError as error:
                taken.problems.append(f"market {position}: {error}")
                continue
            self._books[answer.market_id] = _asked(answer)
            taken.touched.add(answer.market_id)
        return taken

    def _take_status(self, code: str | None, error: str | None, taken: Taken) -> None:
        if code == "SUCCESS":
            return
        taken.refused = error or code or "FAILURE"
        if error == _INVALID_CLOCK:
            self._initial_clk = self._clk = None

    def _take_change(self, raw: Any, taken: Taken) -> None:
        ident = raw.get("id") if isinstance(raw, dict) else None
        try:
            change = read_as(MarketChange, raw)
            if change.img or change.id not in self._books:
                self._books[change.id] = Book()
            self._books[change.id].change(change)
        except FeedError as error:
            taken.problems.append(f"market {ident}: {error}")
            self._spoil(ident)
        if isinstance(ident, str):
            taken.touched.add(ident)

    def _spoil(self, ident: Any) -> None:
        """Offer no price of a book after a change was lost, until its next image."""
        if isinstance(ident, str):
            self._books.setdefault(ident, Book()).is_spoilt = True


def _asked(answer: MarketBook) -> Book:
    book = Book()
    book.is_delayed = answer.is_market_data_delayed
    runners = [
        RunnerDefinition(each.selection_id, each.status, each.handicap) for each in answer.runners
    ]
    changes = [
        RunnerChange(
            each.selection_id,
            each.handicap,
            atb=_levels(each.ex.available_to_back),
            atl=_levels(each.ex.available_to_lay),
        )
        for each in answer.runners
    ]
    definition = Definition(answer.status, answer.inplay, runners)
    book.change(MarketChange(answer.market_id, market_definition=definition, rc=changes))
    return book


def _levels(answer: Iterable[PriceSize]) -> Levels:
    return [[each.price, each.size] for each in answer]


def _change_prices(ladder: dict[float, float], name: str, levels: Levels) -> None:
    for level in levels:
        if len(level) != 2:
            raise FeedError(f"{name}: expected price and size, got {shown(level)}")
        price, size = level
        if size > 0:
            ladder[price] = size
        else:
            ladder.pop(price, None)


def _change_positions(ladder: _Positions, name: str, levels: Levels) -> None:
    for level in levels:
        if len(level) != 3:
            raise FeedError(f"{name}: expected position, price and size, got {shown(level)}")
        position, price, size = int(level[0]), level[1], level[2]
        if size > 0:
            ladder[position] = (price, size)
        else:
            ladder.pop(position, None)
