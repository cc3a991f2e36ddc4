"""Betfair's current order books, from the stream's images and changes, and from polls."""

from collections.abc import Iterable
from typing import Any, Final, TypeVar

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.resources import Level
from oddsdesk.contract.texts import json_words, shown
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.notation import read_json

T = TypeVar("T")
Levels = list[list[float]]
"""Price and size, or position, price and size; a size of 0 removes the level."""
ACTIVE: Final = "ACTIVE"
OPEN: Final = "OPEN"
CLOSED: Final = "CLOSED"


class Message(msgspec.Struct, frozen=True, rename="camel"):
    """A line of the stream; ``status`` 503 says that prices come late."""

    op: str
    ct: str | None = None
    initial_clk: str | None = None
    clk: str | None = None
    status: int | None = None
    conflate_ms: int | None = None
    mc: list[Any] | None = None
    status_code: str | None = None
    error_code: str | None = None


class RunnerDefinition(msgspec.Struct, frozen=True, rename="camel"):
    """A runner, which may be removed; ``hc`` is its handicap. Only historical files have names."""

    id: int
    status: str
    hc: float | None = 0.0
    name: str | None = None
    sort_priority: int = 0

    @property
    def ident(self) -> "RunnerId":
        """Selection and handicap."""
        return self.id, self.hc or 0.0


class Definition(msgspec.Struct, frozen=True, rename="camel"):
    """How a market is now."""

    status: str
    in_play: bool
    runners: list[RunnerDefinition]
    market_time: str | None = None
    market_type: str = ""
    number_of_winners: int = 0
    """0 if it is not known before the end."""
    settled_time: str | None = None
    event_type_id: str | int = ""
    event_id: str | int = ""
    event_name: str | None = None
    """Only in historical files."""


class RunnerChange(msgspec.Struct, frozen=True):
    """Levels that changed: all of them, the best ones, and those with virtual prices.

    Last come what was traded and starting prices, which offer nothing.
    """

    id: int
    hc: float = 0.0
    atb: Levels = []
    atl: Levels = []
    batb: Levels = []
    batl: Levels = []
    bdatb: Levels = []
    bdatl: Levels = []
    ltp: Any = None
    trd: Any = None
    spn: Any = None
    spf: Any = None
    spb: Any = None
    spl: Any = None


class MarketChange(msgspec.Struct, frozen=True, rename="camel"):
    """What changed in a market; ``img`` takes the place of all that was known of it."""

    id: str
    img: bool = False
    market_definition: Definition | None = None
    rc: list[RunnerChange] = []


class PriceSize(msgspec.Struct, frozen=True):
    """One level of a book that was asked for."""

    price: float
    size: float


class Exchange(msgspec.Struct, frozen=True, rename="camel"):
    """What can be backed and laid."""

    available_to_back: list[PriceSize] = []
    available_to_lay: list[PriceSize] = []


class BookRunner(msgspec.Struct, frozen=True, rename="camel"):
    """A runner of a book that was asked for."""

    selection_id: int
    status: str
    handicap: float = 0.0
    ex: Exchange = Exchange()


class MarketBook(msgspec.Struct, frozen=True, rename="camel"):
    """A book that was asked for (``listMarketBook``)."""

    market_id: str
    status: str
    inplay: bool
    runners: list[BookRunner]
    is_market_data_delayed: bool = False
    number_of_winners: int = 0


class Named(msgspec.Struct, frozen=True):
    """A name with an id: of a competition, an event or a kind of event."""

    name: str
    id: str = ""


class CatalogueRunner(msgspec.Struct, frozen=True, rename="camel"):
    """A runner by its name, in the order that Betfair shows."""

    selection_id: int
    runner_name: str
    sort_priority: int = 0


class Description(msgspec.Struct, frozen=True, rename="camel"):
    """What kind of market it is."""

    market_type: str


class CatalogueMarket(msgspec.Struct, frozen=True, rename="camel"):
    """What a market is about (``listMarketCatalogue``)."""

    market_id: str
    description: Description
    event: Named
    runners: list[CatalogueRunner]
    event_type: Named
    competition: Named | None = None
    market_start_time: str | None = None


def read_message(line: bytes) -> Message:
    """Read a line of the stream.

    Raises:
        FeedError: it is no JSON, or JSON of another shape; says which.
    """
    message: Message = read_json(
        line, N_("expected a message of Betfair's stream"), Message, strict=False
    )
    return message


def read_as(kind: type[T], raw: Any) -> T:
    """Return a part of a message or answer as a struct; numbers may come as texts.

    Raises:
        FeedError: a field is missing or of another type; says which.
    """
    try:
        return msgspec.convert(raw, kind, strict=False)
    except msgspec.ValidationError as error:
        raise FeedError(json_words(error)) from error


def read_result(data: bytes) -> list[Any]:
    """Return the parts of an answer, with or without its JSON-RPC envelope, not looked into yet.

    Raises:
        FeedError: it is no such answer, or an error; says which.
    """
    raw = read_json(data, N_("expected an answer of Betfair"))
    if isinstance(raw, dict) and "error" in raw:
        raise FeedError(f"Betfair returned an error: {_error(raw['error'])}")
    found = raw.get("result") if isinstance(raw, dict) else raw
    if not isinstance(found, list):
        raise FeedError("expected an answer of Betfair: a list of markets as result")
    return found


def error_code(data: bytes) -> str | None:
    """Return Betfair's code if an answer is an error, else None."""
    try:
        raw = msgspec.json.decode(data, type=_Failed)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return None if raw.error is None else _error(raw.error).strip("'")


class _Failed(msgspec.Struct, frozen=True):
    error: Any = None


def _error(raw: Any) -> str:
    """The code that Betfair gives: ``INVALID_SESSION_INFORMATION``, else ``DSC-0018``."""
    if not isinstance(raw, dict):
        return shown(raw)
    data = raw.get("data")
    said = data if isinstance(data, dict) else {}
    inner = said.get("APINGException") or said.get("AccountAPINGException")
    code = inner.get("errorCode") if isinstance(inner, dict) else None
    return shown(code or raw.get("message") or raw)


LATE: Final = 503
LONGEST_CONFLATION_MS: Final = 120_000
"""What a client may ask for; with a delayed key prices are conflated for longer."""
_INVALID_CLOCK: Final = "INVALID_CLOCK"

RunnerId = tuple[int, float]
"""Selection and handicap."""
_Positions = dict[int, Level]
"""Price and size by place; 0 is the best."""


class Taken(msgspec.Struct):
    """The result of a message or an answer.

    ``touched`` are the markets that may have changed, ``problems`` lines for people; ``refused`` is
    Betfair's code if it refused.
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
        if self._all[0]:
            return max(self._all[0])
        positions = self._shown[0] or self._best[0]
        return positions[min(positions)][0] if positions else None

    @property
    def best_lay(self) -> Level | None:
        """The lowest price that can be laid, and its backer's stake."""
        if self._all[1]:
            return min(self._all[1].items())
        positions = self._shown[1] or self._best[1]
        return positions[min(positions)] if positions else None

    @property
    def back(self) -> tuple[Level, ...]:
        """What can be backed: prices with backer's stakes, the highest first."""
        return self._levels(0, is_falling=True)

    @property
    def lay(self) -> tuple[Level, ...]:
        """What can be laid: prices with backer's stakes, the lowest first."""
        return self._levels(1, is_falling=False)

    def apply_change(self, change: RunnerChange) -> None:
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
    """One market; ``is_spoilt``: a change was unreadable, so a new image is needed."""

    def __init__(self) -> None:
        self.definition: Definition | None = None
        self.runners: dict[RunnerId, Runner] = {}
        self.is_delayed = False
        self.is_spoilt = False

    @property
    def is_known(self) -> bool:
        """Whether it is complete: it has a definition and every change since an image."""
        return self.definition is not None and not self.is_spoilt

    @property
    def is_open(self) -> bool:
        """Whether bets are taken: it is open, not over, and complete."""
        return self.is_known and self.definition is not None and self.definition.status == OPEN

    def active(self) -> dict[RunnerId, Runner]:
        """Return the runners that still run."""
        defined = [] if self.definition is None else self.definition.runners
        return {
            each.ident: self.runners.get(each.ident) or Runner()
            for each in defined
            if each.status == ACTIVE
        }

    def apply_change(self, change: MarketChange) -> None:
        """Take in what changed; errors as for ``Runner.apply_change``."""
        if change.market_definition is not None:
            self.definition = change.market_definition
        for each in change.rc:
            self.runners.setdefault((each.id, each.hc), Runner()).apply_change(each)


_RESULTS: Final = {"WINNER": "won", "LOSER": "lost", "REMOVED": "void"}


def settled_runners(definition: Definition) -> dict[RunnerId, tuple[str, float]]:
    """Return how each runner of a closed market was settled, and its share of a dead heat.

    A runner that is only ``PLACED`` has lost a market of winners; elsewhere it is left out, as an
    each-way bet has two parts. Left out are also the winners of a market of several places with
    more winners than places: Betfair does not say which of them shared the last place. Reduction
    factors of removed runners are ignored: only races have them.
    """
    if definition.status != CLOSED:
        return {}
    words = _RESULTS | ({"PLACED": "lost"} if definition.market_type == "WIN" else {})
    results = {
        each.ident: words[each.status] for each in definition.runners if each.status in words
    }
    places, winners = definition.number_of_winners, list(results.values()).count("won")
    has_lines = any(handicap for _, handicap in results)
    if has_lines or not 0 < places < winners:
        return {runner: (result, 1.0) for runner, result in results.items()}
    shares = {"won": 1 / winners} if places == 1 else {}
    return {
        runner: (result, shares.get(result, 1.0))
        for runner, result in results.items()
        if result != "won" or shares
    }


class Books:
    """Every known market, and where the stream can be resumed."""

    def __init__(self) -> None:
        self._books: dict[str, Book] = {}
        self._initial_clk: str | None = None
        self._clk: str | None = None
        self.is_late = False
        """Whether the stream says that what comes now comes late."""
        self._has_delayed_key = False

    @property
    def resume(self) -> dict[str, str]:
        """The part of a subscription that resumes the stream; empty: start with an image."""
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
            self._books[change.id].apply_change(change)
        except FeedError as error:
            taken.problems.append(f"market {ident}: {error}")
            self._spoil(ident)
        if isinstance(ident, str):
            taken.touched.add(ident)

    def _spoil(self, ident: Any) -> None:
        """Offer no prices of a book after a lost change, until its next image."""
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
    definition = Definition(
        answer.status, answer.inplay, runners, number_of_winners=answer.number_of_winners
    )
    book.apply_change(MarketChange(answer.market_id, market_definition=definition, rc=changes))
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
