"""Games that sources name differently: suggested as one, decided, and taken back."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QPushButton, QTreeWidgetItem, QWidget

from oddsdesk.base.market_words import competition_text
from oddsdesk.base.texts import _, ngettext
from oddsdesk.contract.identity import GamePair, PairedGame, PairState, TeamLikeness
from oddsdesk.desk.ui.controls.form_dialog import note_label, plain_table, with_buttons
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.formatting import kick_off_text
from oddsdesk.desk.ui.spacing import HALF, MARGIN, STEP, vertical
from oddsdesk.desk.ui.theme.theme import Theme

_WIDTHS: Final = {_("Game"): 240, _("Other game"): 240, _("Kick-off"): 110, _("State"): 0}
_SAID: Final = _(
    "Games are merged only when you accept. The two names then count as one team. "
    "Undo separates the games again, each with the odds of its sources."
)
_NONE: Final = _("No games look like duplicates.")
_STATES: Final = {
    PairState.SUGGESTED: _("Suggested"),
    PairState.ACCEPTED: _("Merged"),
    PairState.REFUSED: _("Kept apart"),
}
_ORDER: Final = (PairState.SUGGESTED, PairState.ACCEPTED, PairState.REFUSED)


class GamesPage(QWidget):
    """Lists possible duplicate games and emits the user's decisions."""

    decided = Signal(list, object)
    """The numbers of pairs, and their new ``PairState``."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._now_ms = 0
        self._under_way: set[int] = set()
        """The pairs whose decision the server has not confirmed."""
        self.list = plain_table(theme, _("Possible duplicate games"), _WIDTHS)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.itemSelectionChanged.connect(self._show_selected)
        self.accept = self._button(
            _("&Accept"), "A", _("Same game: merge them"), PairState.ACCEPTED
        )
        self.refuse = self._button(
            _("&Refuse"), "R", _("Different games: keep them apart"), PairState.REFUSED
        )
        self.undo = self._button(_("&Undo"), "U", _("Undo the decision"), PairState.SUGGESTED)
        self._about = [Label(wordWrap=True) for _line in range(4)]
        self._about[0].setFont(theme.fonts.medium)
        self._lay_out(theme)
        self._show_selected()

    def show_pairs(self, pairs: Sequence[GamePair], now_ms: int) -> None:
        """Show the pairs, suggestions first, and keep the selection.

        If a selected pair has been decided, the next suggestion is selected instead.
        """
        self._now_ms = now_ms
        self._under_way.clear()
        before = [pair.ident for pair in self.pairs()]
        selected = {_pair(item).ident for item in self.list.selectedItems()}
        ordered = sorted(pairs, key=_place)
        states = {pair.ident: pair.state for pair in ordered}
        chosen = _next_selection(states, before, selected)
        self.list.clear()
        self.list.addTopLevelItems([self._item(pair) for pair in ordered])
        self._select(chosen)

    def pairs(self) -> list[GamePair]:
        """Return the listed pairs from the top."""
        return [_pair(item) for item in self._items()]

    @property
    def waiting(self) -> int:
        """The number of undecided suggestions."""
        return sum(pair.state is PairState.SUGGESTED for pair in self.pairs())

    def _button(self, text: str, key: str, tip: str, state: PairState) -> QPushButton:
        button = QPushButton(text, autoDefault=False)
        button.setToolTip(f"{tip} ({key})")
        button.clicked.connect(lambda: self._decide(state))
        shortcut = QShortcut(QKeySequence(key), self.list)
        shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        shortcut.activated.connect(lambda: self._decide(state))
        return button

    def _lay_out(self, theme: Theme) -> None:
        column = vertical(self, margins=(MARGIN, MARGIN, MARGIN, MARGIN), spacing=STEP)
        column.addLayout(with_buttons(self.list, self.accept, self.refuse, self.undo), 1)
        about = vertical(spacing=HALF)
        for label in self._about:
            about.addWidget(label)
        column.addLayout(about)
        column.addWidget(note_label(_SAID, theme))

    def _items(self) -> Iterator[QTreeWidgetItem]:
        for row in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(row)
            assert item is not None
            yield item

    def _item(self, pair: GamePair) -> QTreeWidgetItem:
        item = QTreeWidgetItem(_texts(pair, self._now_ms))
        item.setData(0, Qt.ItemDataRole.UserRole, pair)
        for column in (0, 1):
            item.setToolTip(column, item.text(column))
        return item

    def _select(self, idents: set[int]) -> None:
        items = [item for item in self._items() if _pair(item).ident in idents]
        self.list.clearSelection()
        if items:
            self.list.setCurrentItem(items[0])
        for item in items:
            item.setSelected(True)
        self._show_selected()

    def _selected(self) -> list[GamePair]:
        """Return the selected pairs that can be decided, from the top."""
        selected = [_pair(item) for item in self._items() if item.isSelected()]
        return [pair for pair in selected if pair.ident not in self._under_way]

    def _decide(self, state: PairState) -> None:
        pairs = [pair for pair in self._selected() if _may_become(pair, state)]
        if state is PairState.SUGGESTED:  # undo the last merge first
            pairs.sort(key=lambda pair: -(pair.decided_at or 0))
        if pairs:
            idents = [pair.ident for pair in pairs]
            self._go_on(idents, state)
            self.decided.emit(idents, state)

    def _go_on(self, decided: list[int], state: PairState) -> None:
        """Select the next pair at once, as keys may be faster than the server."""
        self._under_way.update(decided)
        states = {pair.ident: pair.state for pair in self.pairs()} | dict.fromkeys(decided, state)
        states |= dict.fromkeys(self._under_way - set(decided), PairState.REFUSED)
        self._select(_next_selection(states, [pair.ident for pair in self.pairs()], set(decided)))

    def _show_selected(self) -> None:
        pairs = self._selected()
        for button, state in (
            (self.accept, PairState.ACCEPTED),
            (self.refuse, PairState.REFUSED),
            (self.undo, PairState.SUGGESTED),
        ):
            button.setEnabled(any(_may_become(pair, state) for pair in pairs))
        lines = [""] * len(self._about)
        if len(pairs) == 1:
            lines = _about(pairs[0], self._now_ms)
        elif pairs:
            lines[0] = ngettext(
                "{count} pair selected.", "{count} pairs selected.", len(pairs)
            ).format(count=len(pairs))
        elif not self.list.topLevelItemCount():
            lines[0] = _NONE
        for label, line in zip(self._about, lines, strict=True):
            label.setText(line)


def _pair(item: QTreeWidgetItem) -> GamePair:
    pair: GamePair = item.data(0, Qt.ItemDataRole.UserRole)
    return pair


def _may_become(pair: GamePair, state: PairState) -> bool:
    """Return whether a decision is possible; an accepted pair can only be undone."""
    if state is PairState.SUGGESTED:
        return pair.state is not PairState.SUGGESTED
    return pair.state is not PairState.ACCEPTED and pair.state is not state


def _place(pair: GamePair) -> tuple[int, int, bool, int, int]:
    """Return the sort key: suggestions by kick-off, then decisions with the latest on top."""
    start = _kick_off(pair)
    by_start = (start is None, start or 0, pair.ident)
    return (_ORDER.index(pair.state), -(pair.decided_at or 0), *by_start)


def _next_selection(
    states: Mapping[int, PairState], before: list[int], selected: set[int]
) -> set[int]:
    """Return the numbers of the pairs to select.

    Args:
        states: The current state of all pairs, in order.
        before: All pairs in their previous order.
        selected: The pairs that were selected.
    """
    stays = {each for each in selected if states.get(each) is PairState.SUGGESTED}
    if stays or not states:
        return stays
    last = max((before.index(each) for each in selected), default=-1)
    below = [*before[last + 1 :], *before[: last + 1]]
    waiting = (each for each in below if states.get(each) is PairState.SUGGESTED)
    return {next(waiting, next(iter(states)))}


def _texts(pair: GamePair, now_ms: int) -> list[str]:
    names = [pair.kept.match_name, pair.other.match_name]
    return [*names, kick_off_text(_kick_off(pair), now_ms), _STATES[pair.state]]


def _kick_off(pair: GamePair) -> int | None:
    kept = pair.kept.match_date
    return pair.other.match_date if kept is None else kept


def _about(pair: GamePair, now_ms: int) -> list[str]:
    """Return the facts about a pair, in lines."""
    place = competition_text(pair.competition)
    if pair.state is PairState.ACCEPTED:
        why = _("Merged as {game}.").format(game=pair.kept.match_name)
        return [place, _told(pair.kept, now_ms), "", why]
    games = [_told(each, now_ms) for each in (pair.kept, pair.other)]
    return [place, *games, _("Suggested because: {why}.").format(why=_why(pair))]


def _told(game: PairedGame, now_ms: int) -> str:
    count = len(game.bookmakers)
    quoted = ngettext("{count} bookmaker", "{count} bookmakers", count).format(count=count)
    if game.bookmakers:
        more = ", …" if count > 3 else ""
        quoted += f" ({', '.join(game.bookmakers[:3])}{more})"
    parts = [game.match_name, kick_off_text(game.match_date, now_ms), quoted]
    if game.sources:
        parts.append(_("from {sources}").format(sources=", ".join(game.sources)))
    return " · ".join(parts)


def _why(pair: GamePair) -> str:
    said = [_likeness(each) for each in pair.teams]
    if pair.is_crosswise:
        said.append(_("home and away are swapped"))
    if pair.kept.match_date is None or pair.other.match_date is None:
        said.append(_("one kick-off is unknown"))
    return "; ".join(said)


def _likeness(team: TeamLikeness) -> str:
    if team.is_known:
        text = _("{team} is a known name")
    elif team.shared:
        text = _("{team} and {other} share “{words}”")
    else:
        text = _("{team} and {other} are {score} % alike")
    return text.format(
        team=team.name, other=team.other_name, words=" ".join(team.shared), score=team.score
    )
