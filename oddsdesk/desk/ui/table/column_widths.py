"""The widths of a live table's columns: from samples and titles, never from the cells."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from oddsdesk.desk.ui.table.cell_painter import LEAST_NOTE, CellPainter
from oddsdesk.desk.ui.table.cells import Column, Header, ShrinkStep
from oddsdesk.desk.ui.table.live_model import LiveModel
from oddsdesk.desk.ui.table.live_pane import LivePane


class WidthRequest(NamedTuple):
    """What one column asks for, in pixels."""

    column: int
    least: int
    likes: int
    """The width that it gets before any column is stretched."""
    most: int | None
    """The width that it is stretched to at most; None: no limit."""
    drops: int = 0
    """The order in which columns are hidden where not all have room, 1 first; 0 never."""
    narrow: int | None = None
    """What it is narrowed to where nothing else is left to hide, before it is hidden itself; None:
    never."""
    before_others: int = 0
    """What it gets before any other column that was narrowed is widened again."""


def share_width(requests: Sequence[WidthRequest], room: int) -> dict[int, int]:
    """Return the width of each column that has room, by column.

    The least important ones are dropped until the others have what they need; then those that can
    be narrowed are, and the least important of them dropped. What is left goes to those that come
    before others, then to those who like more, then to those that stretch, and in the end to all
    alike.
    """
    kept = list(requests)
    for request in sorted(
        (request for request in requests if request.drops), key=lambda request: request.drops
    ):
        needed = _narrowest if request.narrow is not None else _least
        if sum(map(needed, kept)) > room:
            kept.remove(request)
    widths = {request.column: _narrowest(request) for request in kept}
    spare = room - sum(widths.values())
    first = {request.column: min(request.before_others, request.least) for request in kept}
    spare = _grow(widths, first, spare)
    spare = _grow(widths, {request.column: request.least for request in kept}, spare)
    spare = _grow(widths, {request.column: request.likes for request in kept}, spare)
    capped = {request.column: request.most for request in kept if request.most is not None}
    spare = _grow(widths, capped, spare)
    endless = [request.column for request in kept if request.most is None] or list(widths)
    for place, column in enumerate(endless):
        widths[column] += (spare + len(endless) - 1 - place) // len(endless) if spare > 0 else 0
    return widths


def _least(request: WidthRequest) -> int:
    return request.least


def _narrowest(request: WidthRequest) -> int:
    return request.least if request.narrow is None else request.narrow


def _grow(widths: dict[int, int], limits: dict[int, int], spare: int) -> int:
    """Widen columns up to their limits, in proportion to what they want; return what is left."""
    wanted = {column: max(0, limit - widths[column]) for column, limit in limits.items()}
    total = sum(wanted.values())
    given = min(max(0, spare), total)
    left = given
    for column, more in wanted.items():
        share = given * more // total if total else 0
        widths[column] += share
        left -= share
    for column, more in wanted.items():
        dust = min(left, limits[column] - widths[column]) if more else 0
        widths[column] += dust
        left -= dust
    return spare - given


FROZEN_SHARE: Final = 0.42
"""The share of a table that frozen columns may take before they are narrowed."""
_HIDING_SHARE: Final = 0.60
"""The share that they may take, narrowed, before some are hidden."""
_NARROW: Final = 1_060
"""In a table of fewer pixels than this, headers that have a code show that."""
_ROOMY: Final = 1_400
"""In a table of so many pixels a frozen column is as wide as it likes, where others stretch."""
_BAR: Final = 14
"""What a bar for scrolling takes."""


class ColumnWidths:
    """Distributes the columns of a model over two panes and sizes them."""

    def __init__(
        self,
        model: LiveModel,
        painter: CellPainter,
        frozen: LivePane,
        scrolling: LivePane,
        frozen_count: int,
    ) -> None:
        self._model = model
        self._painter = painter
        self._frozen = frozen
        self._scrolling = scrolling
        self._frozen_count = frozen_count
        self._left_out: set[int] = set()
        self._dropped: set[int] = set()
        """Columns hidden because there is no room for them."""
        self._is_narrow = False

    def is_shown(self, column: int) -> bool:
        """Whether a column can be seen in either pane."""
        is_out = column in self._left_out or column in self._dropped
        return not is_out and not self._model.is_hidden(column)

    def share_out(self) -> None:
        """Show each visible column in its pane only, and size them."""
        count = self._model.columnCount()
        for column in range(count):
            is_frozen, is_hidden = column < self._frozen_count, not self.is_shown(column)
            self._frozen.setColumnHidden(column, is_hidden or not is_frozen)
            self._scrolling.setColumnHidden(column, is_hidden or is_frozen)
        self.fit(0, count - 1)

    def fit(self, first: int, last: int) -> None:
        """Give columns, both ends included, the width that samples and titles ask for."""
        for column in range(max(first, self._frozen_count), last + 1):
            if self.is_shown(column):
                _give(self._scrolling, column, self._wanted(self._scrolling, column))
        self.fit_frozen()

    def fit_width(self) -> None:
        """Size columns for a table that is as wide as it is now."""
        is_narrow = self._table_width() < self._painter.scaled(_NARROW)
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self.fit(0, self._model.columnCount() - 1)
        else:
            self.fit_frozen()

    def fit_frozen(self) -> None:
        """Give the frozen columns their widths, narrowed where the others had no room."""
        shown = (c for c in range(self._frozen_count) if not self._model.is_hidden(c))
        widths = {column: self._wanted(self._frozen, column) for column in shown}
        left_out = self._narrow(widths)
        self._widen(widths)
        for column, width in widths.items():
            _give(self._frozen, column, width)
        for column in left_out ^ self._left_out:
            pane = self._frozen if column < self._frozen_count else self._scrolling
            pane.setColumnHidden(column, column in left_out or self._model.is_hidden(column))
        self._left_out = left_out
        self._frozen.setFixedWidth(self._frozen.header.length())
        self.stretch()

    def _narrow(self, widths: dict[int, int]) -> set[int]:
        """Take from widths what is too much; return the columns to leave out."""
        room, left_out = self._table_width(), set[int]()
        most = int(room * FROZEN_SHARE)
        for step in self._model.shrink_steps():
            taken, column = sum(widths.values()), step.column
            if not step.sample:
                if taken > room * _HIDING_SHARE:
                    widths.pop(column, None)
                    left_out.add(column)
            elif taken > most and column in widths:  # else it is hidden
                least = self._least(step)
                width = widths[column] - (taken - most)
                keeps_note = (
                    width >= least + LEAST_NOTE or not self._model.column(column).note_sample
                )
                widths[column] = max(least, width) if keeps_note else least
        self._give_back(widths, most)
        return left_out

    def _give_back(self, widths: dict[int, int], most: int) -> None:
        """Give the first narrowed column the room of the note that it lost."""
        steps = [step for step in self._model.shrink_steps() if step.column in widths]
        first = next((step.column for step in steps if step.sample), None)
        if first is not None:
            spare = most - sum(widths.values())
            wanted = self._wanted(self._frozen, first)
            widths[first] = min(wanted, widths[first] + max(0, spare))

    def _widen(self, widths: dict[int, int]) -> None:
        """Give frozen columns what they like of what no other column needs."""
        model, room = self._model, self._table_width()
        others = range(self._frozen_count, model.columnCount())
        if any(model.column(column).stretches for column in others):
            spare = room - sum(widths.values()) if room >= self._painter.scaled(_ROOMY) else 0
        else:
            spare = room - sum(widths.values()) - self._scrolling.header.length() - _BAR
        for column, width in widths.items():
            likes = model.column(column).likes
            if likes and spare > 0:
                more = self._painter.narrow_width(model, column, likes) - width
                widths[column] += max(0, min(more, spare))
                spare -= max(0, more)

    def stretch(self) -> None:
        """Use the whole width, where a column stretches at all, and say what has no room."""
        self._stretch()
        left_out = self._left_out | self._dropped
        without_room = frozenset(each for each in left_out if not self._model.is_hidden(each))
        if without_room != self._model.without_room:
            self._model.leave_out(without_room)
            for pane in (self._frozen, self._scrolling):
                pane.header.viewport().update()

    def _stretch(self) -> None:
        model = self._model
        columns = range(self._frozen_count, model.columnCount())
        there = [column for column in columns if not model.is_hidden(column)]
        if not any(model.column(column).stretches for column in there):
            return
        room = self._scrolling.viewport().width()
        widths = share_width([self._request(column) for column in there], room)
        dropped = set(there) - set(widths)
        for column in dropped ^ self._dropped:
            self._scrolling.setColumnHidden(column, column in dropped or model.is_hidden(column))
        self._dropped = dropped
        for column, width in widths.items():
            _give(self._scrolling, column, width)

    def _request(self, column: int) -> WidthRequest:
        spec, width_of = self._model.column(column), self._painter.narrow_width
        least = self._wanted(self._scrolling, column)
        likes = max(least, width_of(self._model, column, spec.likes)) if spec.likes else least
        most: int | None = likes
        if spec.stretches:
            widest = spec.widest
            most = max(likes, width_of(self._model, column, widest)) if widest else None
        narrow = None if spec.narrow is None else min(least, self._narrowed(column, spec))
        first = width_of(self._model, column, spec.before_others) if spec.before_others else 0
        return WidthRequest(column, least, likes, most, spec.drops, narrow, first)

    def _narrowed(self, column: int, spec: Column) -> int:
        title = self._scrolling.header.width_of(self._model.header(column))
        sample = spec.narrow or spec.sample
        return max(title, self._painter.narrow_width(self._model, column, sample))

    def _wanted(self, pane: LivePane, column: int) -> int:
        header = self._model.header(column)
        title = pane.header.width_of(header)
        most = self._painter.scaled(self._model.column(column).most)
        if header.code and (self._is_narrow or title > most):
            title = pane.header.width_of(Header(header.code, header.note))
        least = self._painter.least_width(self._model, column)
        return max(least, min(title, most))

    def _table_width(self) -> int:
        table = self._scrolling.parentWidget()
        assert table is not None
        return table.width()

    def _least(self, step: ShrinkStep) -> int:
        """Return what a column keeps: its sample, and the title without the note below."""
        title = self._frozen.header.width_of(Header(self._model.header(step.column).title))
        return max(title, self._painter.narrow_width(self._model, step.column, step.sample))


def _give(pane: LivePane, column: int, width: int) -> None:
    if pane.columnWidth(column) != width:
        pane.setColumnWidth(column, width)
