"""Keeps the opportunities of a board up to date, in slices and with rests between them."""

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Final

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, Signal

from oddsdesk.base.clock import Clock
from oddsdesk.base.tasks import one_slice
from oddsdesk.board.board import Board
from oddsdesk.board.model.notices import ConnectionChanged, Notice
from oddsdesk.board.opportunities.finder import Opportunity, OpportunityKey
from oddsdesk.board.opportunities.offers import LOOK_RESTS, Opportunities, legs_now
from oddsdesk.desk.settings.declared import SPLIT_TOTAL, STAKE_STEP, split_of
from oddsdesk.desk.settings.saved_state import Layout, Preferences, Saved

_REST_MS: Final = 1_000
_LISTED_RESTS: Final = 10
"""The least pause between two looks at the list, in multiples of the last one's duration."""
_KEYS: Final = {SPLIT_TOTAL.key, STAKE_STEP.key}


class OpportunityList(QObject):
    """Looks again and again while it is started, and ``is_seen`` says that it is worth it."""

    changed = Signal()
    """A look is done: ``entries`` are as the prices were."""
    fell_behind = Signal()
    """Nobody looked while it was out of sight, and what is listed may be another by now."""

    def __init__(
        self, board: Board, clock: Clock, preferences: Preferences, is_seen: Callable[[], bool]
    ) -> None:
        super().__init__()
        self._board = board
        self._is_seen = is_seen
        self._preferences = preferences
        self._split = split_of(preferences.get_setting)
        self._found = Opportunities(board, clock, lambda: self._split)
        self.entries = self._found.entries
        """By key; read it only."""
        self.has_looked = False
        """Whether all prices were looked through since the board began to be filled."""
        self._is_whole = False
        """Whether the look that goes on is through all prices that there are to be."""
        self._steps: Iterator[None] | None = None
        self._took_s = 0.0
        self._looks_at_all = True
        self._rested_at = 0.0
        """When all that changed is looked at again, by ``time.perf_counter``."""
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_timer_timeout)
        preferences.changed.connect(self._on_preferences_changed)
        self._unsubscribe = board.subscribe(self._on_board_notice, ConnectionChanged)

    def keep_listed(self, keys: Iterable[OpportunityKey]) -> None:
        """List these whatever they cost."""
        self._found.keep_listed(keys)

    def count_placed(self, placed: Mapping[tuple[Hashable, str], float]) -> None:
        """Take what is placed off what bookmakers take at most."""
        self._found.count_placed(placed)

    def look_among(self, bookmakers: Iterable[str], *, has_lays: bool = True) -> None:
        """Search only these bookmakers, or all of the user's if empty, with or without lays."""
        is_other = self._found.look_among(bookmakers)
        if self._found.use_lays(has_lays) or is_other:
            self.has_looked = self._is_whole = False

    def start_looking(self) -> None:
        """Look now and from time to time; each second at those that may be others by now."""
        if not self._timer.isActive():
            self._rested_at = 0.0
            self._say_if_behind()
            self._timer.start(0)

    def stop_looking(self) -> None:
        """Stop the search; changes meanwhile are searched later."""
        self._timer.stop()

    def stop_listening(self) -> None:
        """Stop listening to the board."""
        self.stop_looking()
        self._unsubscribe()
        self._found.stop_listening()

    def _on_timer_timeout(self) -> None:
        began, found = time.perf_counter(), self._found
        if self._steps is None:
            self._looks_at_all = began >= self._rested_at or self._is_awaited()
            self._is_whole = self._looks_at_all and not self._board.connection.may_lack_prices
            if not (self._is_seen() and (self._looks_at_all or found.has_lapsed)):
                self._say_if_behind()
                self._timer.start(_REST_MS)
                return
            self._steps = found.looking() if self._looks_at_all else found.looking_at_lapsed()
            self._took_s = 0.0
        is_on = one_slice(self._steps)
        now = time.perf_counter()
        self._took_s += now - began
        if is_on:
            self._timer.start(0)
            return
        self._steps = None
        rest_ms = _REST_MS
        if self._looks_at_all:
            self._rested_at = now + self._took_s * LOOK_RESTS
        else:
            rest_ms = max(_REST_MS, round(self._took_s * _LISTED_RESTS * 1_000))
        self.has_looked |= self._is_whole
        self._timer.start(rest_ms)
        self.changed.emit()

    def _say_if_behind(self) -> None:
        if self._found.has_lapsed:
            self.fell_behind.emit()

    def _on_board_notice(self, _notice: Notice) -> None:
        if self._board.connection.may_lack_prices:
            self.has_looked = self._is_whole = False

    def _is_awaited(self) -> bool:
        """Whether it is not known what there is, though all prices are read."""
        return not (self.has_looked or self._board.connection.may_lack_prices)

    def _on_preferences_changed(self, key: str) -> None:
        if key in _KEYS:
            self._split = split_of(self._preferences.get_setting)
            self._found.look_at_all()
            self._rested_at = 0.0
            if self._timer.isActive():
                self._timer.start(0)


_KEY: Final = "opportunities/open"


class OpenSides:
    """Opportunities with a placed leg; real ones are kept between starts.

    Those with all legs placed are included, as undoing a leg leaves them open. They are only shown
    while there is an open bet, so data of a deleted bet does no harm.
    """

    def __init__(self, layout: Layout) -> None:
        self._saved = Saved(layout, _KEY, list[Opportunity], [])
        self._are_practice: bool | None = None
        self._held: dict[OpportunityKey, Opportunity] = {}

    def held(self, *, practice: bool) -> Mapping[OpportunityKey, Opportunity]:
        """Return them as last found; with simulated odds, those of ``practice``."""
        if practice is not self._are_practice:
            self._are_practice = practice
            self._held = {} if practice else {each.key: each for each in self._saved.get_value()}
        return self._held

    def hold(self, found: Mapping[OpportunityKey, Opportunity]) -> None:
        """Have these in place of the others."""
        is_other = found.keys() != self._held.keys()
        self._held = dict(found)
        if is_other and not self._are_practice:
            # when time alone may change one is for the next look to say, and may be never
            self._saved.keep_value([replace(each, due_at=0.0) for each in found.values()])


def as_it_is(board: Board, found: Opportunity) -> tuple[Opportunity, frozenset[int]]:
    """Return an earlier find at current prices, and the indexes of legs without a price."""
    now, matrix = legs_now(board, found), board.matrix(found.key.game_id)
    legs = tuple(leg or known for leg, known in zip(now, found.legs, strict=True))
    unpriced = frozenset(place for place, leg in enumerate(now) if leg is None)
    in_play = found.in_play if matrix is None else matrix.is_live
    return replace(found, legs=legs, in_play=in_play), unpriced
