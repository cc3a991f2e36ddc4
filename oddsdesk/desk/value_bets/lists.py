"""The two lists of the value-bet panel kept up to date: value bets and nearest misses."""

from collections.abc import Iterable, Iterator
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from oddsdesk.board.board import Board
from oddsdesk.board.last_seen import LastSeen, is_value_now, last_seen
from oddsdesk.board.matrix import CellKey, RowKey
from oddsdesk.board.near_misses import NearMiss, by_selection, near_misses
from oddsdesk.board.value_entry import ValueEntry
from oddsdesk.clock import Clock
from oddsdesk.desk.value_bets.model import ValueRow, ValuesModel
from oddsdesk.desk.value_bets.near_misses import NearMissesModel
from oddsdesk.desk.value_bets.records import Records
from oddsdesk.desk.value_bets.stake_settings import StakeSettings
from oddsdesk.ledger.presets import BUILT_IN, Preset
from oddsdesk.pricing.stakes import stake
from oddsdesk.slices import exhaust, one_slice

MOST_SHOWN: Final = 100
_REST_MS: Final = 2_000


class NearMissFinder(QObject):
    """Goes through the board's games again and again while it is started."""

    found = Signal()
    """A whole pass is done: ``misses`` and ``games`` are of it."""

    def __init__(self, board: Board, clock: Clock) -> None:
        super().__init__()
        self.misses: dict[RowKey, NearMiss] = {}
        """By selection: the nearest of each, at most ``MOST_SHOWN``; listed bets left out."""
        self.games = 0
        """How many games were read here."""
        self._board = board
        self._clock = clock
        self._steps: Iterator[None] | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_timer_timeout)

    def start(self) -> None:
        """Look now and from time to time."""
        if not self._timer.isActive():
            self._timer.start(0)

    def stop(self) -> None:
        """Look no more."""
        self._timer.stop()
        self._steps = None

    def search(self) -> None:
        """Go through all games at once."""
        exhaust(self._pass())

    def _on_timer_timeout(self) -> None:
        if self._steps is None:
            self._steps = self._pass()
        if one_slice(self._steps):
            self._timer.start(0)
        else:
            self._steps = None
            self._timer.start(_REST_MS)

    def _pass(self) -> Iterator[None]:
        """Look game by game; each step is one game."""
        near: list[NearMiss] = []
        games = 0
        for game in list(self._board.games):
            matrix = self._board.matrix(game)
            if matrix is not None and matrix.sections:
                games += 1
                near += near_misses(matrix, self._clock())
                yield
        listed = self._board.value_bets
        nearest = by_selection(miss for miss in near if miss.key not in listed)
        self.misses = {miss.selection_key: miss for miss in nearest[:MOST_SHOWN]}
        self.games = games
        self.found.emit()


_MOVES_MS = 20
"""So long moves are gathered: a burst of them is shown at once."""


class ValueLists(QObject):
    """Fills both models from the board, the preset, the plan of stakes and the records."""

    changed = Signal()
    """Rows or counts differ."""

    def __init__(self, board: Board, records: Records, stakes: StakeSettings, clock: Clock) -> None:
        super().__init__()
        self._board = board
        self._records = records
        self._stakes = stakes
        self._clock = clock
        self.bets = ValuesModel(clock, self._sight, lambda: board.method)
        self.misses = NearMissesModel(clock)
        self.finder = NearMissFinder(board, clock)
        self.preset: Preset = BUILT_IN[0]
        self.has_unlisted = False
        """Whether bets have moved to where the preset lets them pass: ``show_bets`` adds rows."""
        self._moved: dict[RowKey, None] = {}
        self._moves = QTimer(self, singleShot=True, interval=_MOVES_MS)
        self._moves.timeout.connect(self._show_moved)

    @property
    def hidden(self) -> int:
        """How many value bets the preset does not show."""
        return len(self._board.value_bets) - self.bets.count

    @property
    def reliable(self) -> int:
        """How many of the value bets shown hold and are not stale."""
        return sum(map(self.is_reliable, self.bets.rows()))

    def is_reliable(self, row: ValueRow) -> bool:
        """Tell whether a value bet holds and is not stale."""
        return is_value_now(self._board, row.entry, self._clock())

    def show_bets(self, *, may_move: bool) -> None:
        """Take the value bets that the preset lets pass."""
        self.has_unlisted = False
        bets = self._board.value_bets
        found = ((key, self._listed(entry)) for key, entry in bets.items())
        self.bets.show_rows({key: row for key, row in found if row is not None}, may_move=may_move)
        self.changed.emit()

    def note_moved(self, keys: Iterable[RowKey]) -> None:
        """Have value bets that moved shown as they are now, each where it stands."""
        self._moved.update(dict.fromkeys(keys))
        if not self._moves.isActive():
            self._moves.start()

    def close(self) -> None:
        """Show no more moves and look for no more misses."""
        self._moves.stop()
        self.finder.stop()

    def show_misses(self, *, may_move: bool) -> None:
        """Take the near misses of the last pass."""
        self.misses.show_rows(self.finder.misses, may_move=may_move)
        self.changed.emit()

    def _show_moved(self) -> None:
        moved, self._moved = self._moved, {}
        bets = self._board.value_bets
        rows = {key: self._listed(bets[key]) for key in moved if key in bets}
        self.has_unlisted |= self.bets.change_rows(rows)

    def _listed(self, entry: ValueEntry) -> ValueRow | None:
        """The row of a value bet, None where the preset does not let it pass."""
        ev = entry.true_ev
        is_worthy = ev is not None and ev >= self.preset.filter.min_true_ev
        return self._row(entry) if is_worthy and self._passes(entry) else None

    def _passes(self, entry: ValueEntry) -> bool:
        bet = entry.bet
        return self.preset.filter.passes(
            sport=bet.sport,
            market_type=bet.market_type,
            bookmaker=bet.bookmaker,
            odds=entry.odds,
            true_ev=entry.true_ev,
            is_live=self._is_live(entry),
        )

    def _row(self, entry: ValueEntry) -> ValueRow:
        bet, fair = entry.bet, entry.true_fair
        plan = self._stakes.plan
        price = self._board.price(entry.key.game_id, CellKey(*entry.key[1:]))
        return ValueRow(
            entry,
            None if fair is None else stake(plan, entry.odds, fair, bet.liquidity),
            self._records.placed((*entry.key[:4], bet.bookmaker)),
            self._is_live(entry),
            0 if price is None else price.direction,
            self._sight(entry.key).at,
        )

    def _sight(self, key: RowKey) -> LastSeen:
        return last_seen(self._board, key, self._clock())

    def _is_live(self, entry: ValueEntry) -> bool:
        game = self._board.games.get(entry.key.game_id)
        return entry.is_live or (game is not None and game.is_live)
