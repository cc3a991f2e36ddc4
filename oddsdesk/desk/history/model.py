"""The history of the price that is selected: read once, then kept up with the board."""

from collections.abc import Callable, Coroutine, Iterable, Iterator
from typing import Any, Final

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, Signal

from oddsdesk.base.clock import Clock
from oddsdesk.base.tasks import in_slices, spawn
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.board.board import Board
from oddsdesk.board.history import price_history
from oddsdesk.board.history.sources import HistoryError, HistorySource, PriceHistorySource
from oddsdesk.board.model.matrix import CellKey, RowKey, Section
from oddsdesk.board.model.notices import (
    ConnectionChanged,
    Link,
    MatrixLoaded,
    Notice,
    PricesChanged,
)
from oddsdesk.contract.times import DAY_MS
from oddsdesk.desk.ui.chart.painter import ChartData, Line, Stroke, Window, extended
from oddsdesk.desk.ui.formatting import fair_text
from oddsdesk.desk.ui.theme.tokens import TextRole

LOOKBACK_MS: Final = 30 * DAY_MS
CALM_MS: Final = 250
"""At least between two repaints."""
REREAD_MS: Final = 60_000
MOST_PINNED: Final = 3
FAIR: Final = _("Fair")
_PINNED_STYLES: Final = (
    (TextRole.STRONG, Stroke.THIN),
    (TextRole.UP, Stroke.DASHED),
    (TextRole.DOWN, Stroke.DASHED),
)

Run = Callable[[str, Coroutine[Any, Any, None]], object]


class HistoryModel(QObject):
    """Holds what a step chart shows of one selection; bookmakers are added by pinning them."""

    changed = Signal(bool)
    """What is shown changed; True: it is another price, or from another source."""

    def __init__(self, board: Board, clock: Clock, run: Run = spawn) -> None:
        super().__init__()
        self._board = board
        self._clock = clock
        self._run = run
        self._source: HistorySource = PriceHistorySource(board)
        self._round = 0
        self._method = board.method
        self._link = board.connection.link
        self._is_awake = False
        self._fair: price_history.PricePath = []
        self.key: RowKey | None = None
        """The price selected; its bookmaker's line is the strong one."""
        self.history: price_history.History | None = None
        """What is known of the selection; None before it is read."""
        self.problem = ""
        """Why it cannot be read."""
        self.pinned: list[str] = []
        """Bookmakers always shown, whatever is selected."""
        self._reference = board.reference_name
        """Whose fair odds are shown."""
        self._calm = QTimer(self, singleShot=True, interval=CALM_MS)
        self._calm.timeout.connect(lambda: self.changed.emit(False))
        self._reread = QTimer(self, interval=REREAD_MS)
        self._reread.timeout.connect(self._read)
        self._unsubscribe: Callable[[], None] = lambda: None

    def stop_listening(self) -> None:
        self._is_awake = False
        self._round += 1
        self._calm.stop()
        self._reread.stop()
        self._unsubscribe()

    def use_source(self, source: HistorySource) -> None:
        """Read from another source from now on."""
        self._source = source
        self._begin()

    def show(self, key: RowKey | None) -> None:
        """Show another price; None keeps to the one before."""
        if key is None or key == self.key:
            return
        same_line = self.key is not None and self.key[:4] == key[:4]
        self.key = key
        if same_line:
            self.changed.emit(False)
        else:
            self._begin()

    def add_price(self, key: RowKey | None) -> None:
        """Add a price to the chart of its selection, or remove it; otherwise like ``show``."""
        if key is None or self.key is None or key[:4] != self.key[:4]:
            self.show(key)
        elif key.bookmaker != self._board.desk_reference.bookmaker:
            self.pin(key.bookmaker, key.bookmaker not in self.pinned)

    def forget_price(self) -> None:
        """Show no price."""
        self.key = None
        self._round += 1
        self._begin()

    def pin(self, bookmaker: str, pinned: bool) -> None:
        """Always show a bookmaker's line, or stop that."""
        if bookmaker in self.pinned:
            self.pinned.remove(bookmaker)
        if pinned:
            self.pinned = [*self.pinned, bookmaker][-MOST_PINNED:]
        self.changed.emit(False)

    def wake(self, awake: bool) -> None:
        """Keep up while somebody looks; nothing is read or drawn otherwise."""
        if awake == self._is_awake:
            return
        self._is_awake = awake
        if awake:
            self._unsubscribe = self._board.subscribe(
                self._on_board_notice, PricesChanged, MatrixLoaded, ConnectionChanged
            )
            self._reread.start()
            self._read()
        else:
            self._round += 1
            self._unsubscribe()
            self._reread.stop()

    @property
    def priced_bookmakers(self) -> list[str]:
        """Who has, or had, a price of the selection."""
        paths = {} if self.history is None else self.history.paths
        return sorted(paths.keys() - {self._board.desk_reference.bookmaker}, key=str.casefold)

    def chart_data(self) -> ChartData | None:
        """Return what a chart shows now; None where there is nothing."""
        if self.history is None:
            return None
        lines = tuple(line for line in self._lines() if line.path)
        begins = [line.path[0].at for line in lines]
        now = self._clock()
        if not begins:
            return None
        whole = Window(max(min(begins), now - LOOKBACK_MS), now)
        if whole.span <= 0:
            whole = Window(now - 1000, now)
        gaps = tuple(gap for gap in self._gaps() if gap.until is None or gap.until > whole.since)
        return ChartData(lines, gaps, whole)

    def _gaps(self) -> tuple[price_history.Gap, ...]:
        """Return those that were told, and that of a connection that is lost now."""
        assert self.history is not None
        connection, gaps = self._board.connection, self.history.gaps
        is_told = any(gap.until is None for gap in gaps)
        if connection.is_heard or is_told or connection.since_ms is None:
            return gaps
        return *gaps, price_history.Gap(connection.since_ms, None, price_history.Why.STREAM_DOWN)

    def _lines(self) -> Iterable[Line]:
        assert self.history is not None
        assert self.key is not None
        paths = self.history.paths
        chosen, judge = self.key.bookmaker, self._board.desk_reference.bookmaker
        is_marked = chosen == judge
        if not is_marked:
            yield Line(chosen, paths.get(chosen, ()), TextRole.VALUE, Stroke.STRONG, is_marked=True)
        reference = self._board.reference_name
        stroke = Stroke.STRONG if is_marked else Stroke.THIN
        yield Line(reference, paths.get(judge, ()), TextRole.ACCENT, stroke, is_marked)
        yield Line(FAIR, self._fair, TextRole.SOFT, Stroke.DOTTED, text=fair_text)
        others = [name for name in self.pinned if name not in (chosen, judge)]
        for name, style in zip(others, _PINNED_STYLES, strict=False):
            yield Line(name, paths.get(name, ()), *style)

    def _begin(self) -> None:
        self.history, self.problem, self._fair = None, "", []
        self._reference = self._board.reference_name
        self.changed.emit(True)
        self._read()

    def _read(self) -> None:
        self._link = self._board.connection.link
        if self.key is not None and self._is_awake:
            self._round += 1
            self._run("history: read", self._load(self.key, self._round))

    async def _load(self, key: RowKey, number: int) -> None:
        selection: price_history.SelectionKey = key[1:4]
        since, method = self._clock() - LOOKBACK_MS, self._board.method
        try:
            history = await self._source.history_of(key.game_id, selection, since)
            section = self._board.section(key.game_id, *selection)
            fair = await self._load_fair(key, section, since)
        except HistoryError as error:
            if number == self._round:
                self.problem = translated(str(error))
                self.changed.emit(self.history is None)
            return
        if number != self._round:
            return
        is_first = self.history is None
        self.history, self.problem = history, ""
        self._fair, self._method = fair, method
        for bookmaker in self._held():
            self._extend(bookmaker)
        self.changed.emit(is_first)

    async def _load_fair(
        self, key: RowKey, section: Section | None, since: int
    ) -> price_history.PricePath:
        if section is None or section.reference is None:
            return []
        selections = [(key.market_type, key.period, row.selection) for row in section.rows]
        references = await self._source.references(key.game_id, selections, since)
        paths = {name[2]: path for name, path in references.paths.items()}
        points: list[price_history.Point] = []

        def steps() -> Iterator[None]:
            for point in price_history.fair_points(
                section, paths, key.selection, self._board.method
            ):
                points.append(point)
                yield

        await in_slices(steps())
        return price_history.tidy(points)

    def _held(self) -> list[str]:
        assert self.key is not None
        section = self._board.section(*self.key[:4])
        return [] if section is None else [*section.selection_row(self.key.selection).prices]

    def _extend(self, bookmaker: str) -> None:
        """Extend a line by the board's present price."""
        if self.key is None or self.history is None:
            return
        price = self._board.price(self.key.game_id, CellKey(*self.key[1:4], bookmaker))
        if price is None:
            return
        at = price.changed_at if price.withdrawn_at is None else price.withdrawn_at
        odds = price.odds if price.withdrawn_at is None else None
        paths = dict(self.history.paths)
        paths[bookmaker] = extended(paths.get(bookmaker, ()), at, odds)
        self.history = replace(self.history, paths=paths)

    def _on_board_notice(self, notice: Notice) -> None:
        if self.key is None:
            return
        if isinstance(notice, PricesChanged) and notice.game_id == self.key.game_id:
            self._take(notice)
        elif isinstance(notice, MatrixLoaded) and notice.game_id == self.key.game_id:
            is_past = self._board.connection.link is Link.PAST  # it may stand before what was read
            if self._board.reference_name != self._reference:
                self._begin()
            elif self.history is not None and (is_past or not self._fair):
                self._read()
        elif isinstance(notice, ConnectionChanged) and self._board.connection.link != self._link:
            self._read()

    def _take(self, notice: PricesChanged) -> None:
        assert self.key is not None
        moved = [cell.bookmaker for cell in notice.cells if cell[:3] == self.key[1:4]]
        for bookmaker in moved:
            self._extend(bookmaker)
        has_news = bool(moved)
        section = self._board.section(*self.key[:4])
        if section is not None and section.key in notice.sections:
            if self._board.method != self._method:
                self._read()
                return
            fair = section.selection_row(self.key.selection).fair
            if self._fair or fair is not None:
                self._fair = extended(self._fair, self._clock(), fair)
                has_news = True
        if has_news and not self._calm.isActive():
            self._calm.start()


def described(data: ChartData, odds_text: Callable[[float], str]) -> str:
    """Return in words what a chart shows, for those who do not see it."""
    parts = []
    for line in data.lines:
        priced = [point.odds for point in line.path if point.odds is not None]
        if not priced:
            continue
        last, text = line.path[-1].odds, line.text or odds_text
        now = _("not offered now") if last is None else _("now {text}").format(text=text(last))
        parts.append(
            _("{name}: {now}, opened at {first}, low {least}, high {most}, {moves}").format(
                name=line.name,
                now=now,
                first=text(priced[0]),
                least=text(min(priced)),
                most=text(max(priced)),
                moves=_moves(len(line.path) - 1),
            )
        )
    if data.gaps:
        gaps = len(data.gaps)
        parts.append(
            ngettext("{gaps} gap in the data", "{gaps} gaps in the data", gaps).format(gaps=gaps)
        )
    return ". ".join(parts)


def _moves(count: int) -> str:
    if not count:
        return _("no moves")
    return ngettext("{count} move", "{count} moves", count).format(count=count)
