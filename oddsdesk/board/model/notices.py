"""What the board tells its subscribers: what changed, and the state of the connection."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import Enum
from typing import Final, get_args

import msgspec
from msgspec.structs import replace

from oddsdesk.base.numbers import num
from oddsdesk.base.tasks import JobFault
from oddsdesk.base.texts import _
from oddsdesk.board.model.matrix import CellKey, Move, QuoteKey, RowKey, Section, SectionKey


class GamesChanged(msgspec.Struct, frozen=True):
    """The list of games was read again and differs."""


class MatrixLoaded(msgspec.Struct, frozen=True):
    """A game's matrix is new or has other sections, rows or columns: lay it out again."""

    game_id: str


class GameMerged(msgspec.Struct, frozen=True):
    """A game is part of another by now, which the service answers in its place."""

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
    """The odds grid gets all prices from now on; those of ``held_games`` it has to look at.

    They may be a hundred thousand: go through them in steps.
    """


class ValueBetsChanged(msgspec.Struct, frozen=True):
    """The value bets differ, in number or in figures."""

    moved: tuple[RowKey, ...] = ()
    """Bets whose prices moved; empty where the whole list was read or judged again."""


class ReferenceChanged(msgspec.Struct, frozen=True):
    """Prices are judged by another, or the name became known."""


class ResultsChanged(msgspec.Struct, frozen=True):
    """Games have another score or result."""

    game_ids: frozenset[str]


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
    | ReferenceChanged
    | ResultsChanged
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

    def add_subscriber(
        self, callback: Subscriber, kinds: tuple[type[Notice], ...]
    ) -> Callable[[], None]:
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

    def notify(self, notice: Notice) -> None:
        """Send a notice to everyone who wants its kind."""
        for callback in self._callbacks[type(notice)]:
            callback(notice)


class Changes(msgspec.Struct):
    """What happened to a game since subscribers were last notified of it."""

    quotes: dict[QuoteKey, dict[str, None]] = msgspec.field(default_factory=dict)
    """Prices that are new, moved, were seen again or withdrawn: their selections, in order."""
    revalued: list[Section] = msgspec.field(default_factory=list)
    """Sections whose reference moved: every row of them is judged again."""
    touched: dict[SectionKey, None] = msgspec.field(default_factory=dict)
    removed: dict[CellKey, None] = msgspec.field(default_factory=dict)
    moves: list[Move] = msgspec.field(default_factory=list)
    """Prices before and after they moved, for the history."""
    relaid: bool = False
    """Whether sections, rows or columns differ."""
    overtime_learnt: bool = False
    """Whether a bookmaker was found to count overtime, or to count it no longer."""

    def note_quote(self, quote: QuoteKey, selections: Iterable[str]) -> None:
        """Note that prices of a quote differ, or were seen again."""
        noted = dict.fromkeys(selections)
        if noted:
            held = self.quotes.setdefault(quote, noted)
            if held is not noted:
                held |= noted

    def by_quote(self) -> Iterator[tuple[QuoteKey, Iterable[str]]]:
        """Yield the selections of each quote that differ, were seen again or are gone."""
        yield from self.quotes.items()
        for market_type, period, selection, bookmaker in self.removed:
            yield (market_type, period, bookmaker), [selection]

    def absorb(self, later: "Changes") -> None:
        """Take in what happened afterwards."""
        for quote, selections in later.quotes.items():
            self.note_quote(quote, selections)
        self.revalued += later.revalued
        self.touched |= later.touched
        self.removed |= later.removed
        self.moves += later.moves
        self.relaid |= later.relaid
        self.overtime_learnt |= later.overtime_learnt

    def notices(
        self, game_id: str, *, rows_wanted: bool
    ) -> Iterator[MatrixLoaded | PricesChanged | RowsChanged]:
        """Yield the notices for subscribers."""
        if self.relaid:
            yield MatrixLoaded(game_id)
        elif self.quotes or self.touched:
            yield PricesChanged(game_id, self.quotes, tuple(self.touched))
        if rows_wanted:
            kept, gone = self._rows(game_id), tuple([RowKey(game_id, *key) for key in self.removed])
            if kept or gone:
                yield RowsChanged(kept, gone)

    def _rows(self, game_id: str) -> tuple[RowKey, ...]:
        """Return the prices that changed, and one of each selection that is judged again."""
        changed = [
            RowKey(game_id, market_type, period, selection, bookmaker)
            for (market_type, period, bookmaker), selections in self.quotes.items()
            for selection in selections
        ]
        if self.revalued or self.removed:
            cells = [cell for section in self.revalued for cell in section.a_cell_each()]
            keys = dict.fromkeys((*changed, *(RowKey(game_id, *cell) for cell in cells)))
            changed = [key for key in keys if key[1:] not in self.removed]
        return tuple(changed)


class Link(Enum):
    """How the board is kept current now."""

    CONNECTING = "connecting"
    LIVE = "live"
    """The stream is up."""
    POLLING = "polling"
    """The plan has no stream, or all its stream connections are taken: everything is polled."""
    WAITING = "waiting"
    """Lost; tries again at ``next_try_ms``."""
    REFUSED = "refused"
    """The service refuses the key, or this use of it: the user has to change something."""
    STOPPED = "stopped"
    PAST = "past"
    """The board shows a moment of the past, ``Connection.as_of_ms``, and does not change."""


_LOST: Final = frozenset({Link.CONNECTING, Link.WAITING, Link.REFUSED})
_APART_S: Final = 30
"""What an answer may take on its way counts as apart, too; prices in play are stale after 60 s."""
_MINUTE_S: Final = 60
LOST: Final = _("not connected")
READ_AGAIN: Final = _("prices are reloading after a lost connection")


class Connection(msgspec.Struct, frozen=True):
    """What is known of the connection; times in milliseconds, None is unknown."""

    link: Link = Link.STOPPED
    reason: str | None = None
    """In plain words why it is waiting, refused or polling, or could not be had."""
    since_ms: int | None = None
    """Since when the link is what it is."""
    next_try_ms: int | None = None
    requests_left: int | None = None
    requests_limit: int | None = None
    """Requests in the whole window, as the service says, else by the plan."""
    resets_at_ms: int | None = None
    reading_plan: str = ""
    """What is read how often so that the requests last, for people; empty where none are counted.
    """
    lag_ms: int | None = None
    """From scrape to receipt: the median of the latest messages about prices that were scraped
    since the stream opened. Prices scraped before it say nothing about its delay."""
    messages_per_minute: int = 0
    has_stream: bool | None = None
    has_value_bets: bool | None = None
    has_live: bool | None = None
    upgrade_url: str | None = None
    """Where the plan can be changed, as the service said."""
    simulated: bool | None = None
    """Whether the service says that its odds are made up; of a moment, that some are."""
    is_mixed: bool = False
    """Whether, at a moment of the past, others are not."""
    shifted: bool = False
    """Whether it says that there may be old ones among them whose times were moved to now."""
    unpriced_reference: str = ""
    """Whom the service judges by, where it says that no price of it is here; else empty."""
    sources: tuple[str, ...] = ()
    """Whose odds the service shows, as far as it says."""
    code: str | None = None
    """The contract's error code for ``reason``, where the service gave one."""
    faults: tuple[JobFault, ...] = ()
    """The desk's own jobs that failed and are being restarted; what they read may be old."""
    service_troubles: tuple[str, ...] = ()
    """What the service says is wrong with itself while it answers, a line each."""
    as_of_ms: int | None = None
    """The moment of the past that the board shows; None is now."""
    nearest_ms: tuple[int, ...] = ()
    """Where no game is listed then: when prices moved before and after, as far as the log tells."""
    newest_ms: int | None = None
    """When the newest price of all that the service holds was scraped."""
    silent_since_ms: int | None = None
    """When that was, where it is longer ago than prices usually came; None: they come."""
    advice: str = ""
    """What to do about the reason, one sentence; empty where nothing needs to be done."""
    is_catching_up: bool = False
    """Whether the service was lost since prices were read: they may have moved unheard."""
    has_unread_prices: bool = False
    """Whether prices that the board is to hold were not read yet since it began to be filled: what
    it lacks may be offered."""
    has_feeds: bool | None = None
    """Whether a feed runs in the built-in server; None if unknown, as for other servers."""
    clock_ahead_ms: int = 0
    """How far this computer's clock is ahead of the service's; 0 if they agree, or none says."""

    def with_pace_of(self, other: "Connection") -> "Connection":
        """Return this with the lag of another, and as many messages a minute."""
        return replace(self, lag_ms=other.lag_ms, messages_per_minute=other.messages_per_minute)

    @property
    def lacks_feeds(self) -> bool:
        """Whether no feed runs and no other program brings prices."""
        return self.has_feeds is False and not self.messages_per_minute

    @property
    def is_heard(self) -> bool:
        """Whether the service answers, or streams moves."""
        return self.link not in _LOST

    @property
    def is_lost(self) -> bool:
        """Whether no price is known to stand still: what does not is neither staked nor told."""
        return bool(self.why_lost)

    @property
    def why_lost(self) -> str:
        """Why no price is known to stand still, for people; empty where they are."""
        if not self.is_heard:
            return LOST
        return READ_AGAIN if self.is_catching_up else self.clocks_text

    @property
    def clocks_text(self) -> str:
        """How far the two clocks are apart, for people: no age is known then; else empty."""
        apart_s = abs(self.clock_ahead_ms) // 1_000
        if apart_s < _APART_S:
            return ""
        span = (
            f"{apart_s} s"
            if apart_s < 2 * _MINUTE_S
            else f"{num(round(apart_s / _MINUTE_S)):,} min"
        )
        return _("the clocks of this computer and the service are {span} apart").format(span=span)

    @property
    def not_offered(self) -> str:
        """Why nobody offers these odds, in one line; empty if they may be real."""
        return not_offered(simulated=self.simulated, shifted=self.shifted)

    @property
    def has_no_service(self) -> bool:
        """Whether none could be had, and none is being begun: nothing is read."""
        return self.link is Link.STOPPED and self.reason is not None

    @property
    def may_lack_prices(self) -> bool:
        """Whether prices are loading, or a service may have some."""
        is_beginning = self.link is Link.STOPPED and not self.has_no_service
        return is_beginning or self.has_unread_prices


def not_offered(*, simulated: bool | None, shifted: bool, mixed: bool = False) -> str:
    """Say of odds that nobody offers them, in a line; empty where they may be the market's."""
    if simulated and mixed:
        return _("some of these odds are simulated: no bookmaker offers them")
    if simulated:
        return _("these odds are simulated: no bookmaker offers them")
    if shifted:
        return _("some odds are old (times shifted): no bookmaker offers those now")
    return ""


class SnapshotProgress(msgspec.Struct, frozen=True):
    """How far reading all rows of the odds grid is."""

    slices_done: int = 0
    slices_total: int | None = None
    """None while it is not known."""
    rows: int = 0
    cut: tuple[str, ...] = ()
    """Slices that the service cut short without saying how to go on."""
    finished_at: int | None = None
    """When the last whole pass ended."""
    is_paused: bool = False
    """Whether the user stopped the reading; what was read stays."""
