"""The two lists of the value-bet panel kept up to date: value bets and nearest misses."""

import math
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Final

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from oddsdesk.board.assessed import AssessedPrice, assessed_price
from oddsdesk.board.bets import Bet, BetLister, Exposure, exposure_of, stake_at
from oddsdesk.board.board import Board
from oddsdesk.board.game_results import fair_lines
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.near_misses import NearMiss, by_selection, near_misses
from oddsdesk.board.rows import UNNAMED_REFERENCE
from oddsdesk.clock import Clock
from oddsdesk.desk.records import Records
from oddsdesk.desk.value_bets.model import BetRow, Group, OutcomeKey, ValuesModel, making_rows
from oddsdesk.desk.value_bets.near_misses import NearMissesModel
from oddsdesk.desk.value_bets.stake_settings import StakeSettings
from oddsdesk.desk.value_bets.subjects import BetSubject
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.hidden import HiddenThings
from oddsdesk.ledger.open_bets import open_by_outcome, placed_in
from oddsdesk.ledger.presets import BUILT_IN, Preset
from oddsdesk.pricing.exposure import Placed
from oddsdesk.pricing.score_grid import Line
from oddsdesk.slices import SLICE_S, exhaust, one_slice

MOST_SHOWN: Final = 100
_REST_MS: Final = 2_000


class NearMissFinder(QObject):
    """Goes through the board's games again and again while it is started."""

    found = Signal()
    """A whole pass is done: ``misses`` and ``games`` are of it."""

    def __init__(self, board: Board, clock: Clock) -> None:
        super().__init__()
        self.misses: dict[RowKey, NearMiss] = {}
        """By selection: the nearest of each, at most ``MOST_SHOWN``."""
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
                near += near_misses(matrix, self._board.judge(matrix))
                yield
        nearest = by_selection(near)
        self.misses = {miss.selection_key: miss for miss in nearest[:MOST_SHOWN]}
        self.games = games
        self.found.emit()


_AT_ONCE: Final = 100
"""Of so many prices the list is made at once, of more in slices."""
_MOVES_MS: Final = 20
"""So long moves are gathered: a burst of them is shown at once."""
_PAUSE_S: Final = 0.5
"""Between two makings of the list for prices that moved lies so long: nobody reads faster."""
_REST: Final = 25
"""And so many times what the last one took of the processor, at least."""


class ValueLists(QObject):
    """Fills both models from the board, the preset, the plan of stakes and the records."""

    def __init__(self, board: Board, records: Records, stakes: StakeSettings, clock: Clock) -> None:
        super().__init__()
        self._board = board
        self._records = records
        self._stakes = stakes
        self._clock = clock
        self.bets = ValuesModel(clock, board.freshness_of)
        self.misses = NearMissesModel(clock, board.freshness_of)
        self.finder = NearMissFinder(board, clock)
        self.preset: Preset = BUILT_IN[0]
        self.shows_cautions = True
        """Whether prices that something speaks against are listed, too."""
        self.filtered_out = 0
        """How many outcomes of value the preset does not show."""
        self.hidden = 0
        """How many more the user has hidden."""
        self.value_count = 0
        """How many outcomes of value are shown."""
        self.staked = 0.0
        """What is to be staked in all."""
        self._lister = BetLister()
        self._open: list[PlacedBet] | None = None
        """The bets that are open, whose ledger may be long; None until they are looked for."""
        records.bets_changed.connect(self._forget_open)
        self._listed: list[Bet] = []
        self._grouped: dict[OutcomeKey, Group] = {}
        """The bets that are listed, by outcome."""
        self._placed = Placed()
        self._took_s = 0.0
        self._made_at = -math.inf
        """When a list was made last."""
        self._steps: Iterator[None] | None = None
        """Of a list that is being made."""
        self._may_move = False
        """Whether rows may move once it is made."""
        self.is_lost = False
        """Whether nothing was heard of prices when the list was made: then nothing is staked."""
        self._slices = QTimer(self, singleShot=True, interval=0)
        self._slices.timeout.connect(self._go_on)
        self._moves = QTimer(self, singleShot=True)
        self._moves.timeout.connect(self._on_moves_timeout)

    def show_bets(self, *, may_move: bool) -> None:
        """Take the bets that the preset lets pass, each outcome once; many take a while."""
        self._moves.stop()
        self._slices.stop()
        self._may_move = may_move or (self._steps is not None and self._may_move)
        self._steps, self._took_s = self._listing(), 0.0
        if self._is_long():
            self._slices.start()
        else:
            self._go_on()

    def _go_on(self) -> None:
        """Make the list for one slice."""
        steps, self._steps = self._steps, None
        assert steps is not None
        began = time.thread_time()
        is_left = one_slice(steps, SLICE_S if self._is_long() else math.inf)
        self._took_s += time.thread_time() - began
        self._made_at = time.perf_counter()
        if is_left:
            self._steps = steps
            self._slices.start()

    def _is_long(self) -> bool:
        return len(self._board.value_bets) > _AT_ONCE

    def _listing(self) -> Iterator[None]:
        now, chosen, lister = self._clock(), self.preset.filter, self._lister
        looks_back = self._board.connection.as_of_ms is not None
        prices = () if looks_back else tuple(self._board.value_bets.values())
        self.is_lost = self._board.connection.is_lost
        self.bets.why_lost = self._board.connection.why_lost
        plan = self._stakes.plan
        if self.is_lost:
            plan = msgspec.structs.replace(plan, kelly_share=0.0)
        simulated = self._board.connection.simulated
        games, spelled = self._board.games, self._board.players.spelled
        held = self._open_bets()
        placed = placed_in(held, now, simulated=simulated, listed=games, spelled=spelled)
        put_away = HiddenThings(self._records.hidden, now)
        bets = yield from lister.listing(
            prices,
            self._board.basis,
            plan,
            placed,
            now_ms=now,
            chosen=chosen.passes,
            hidden=put_away.hides if put_away else None,
            everything=self.shows_cautions,
            by_age=chosen.depends_on_time,
            lines_of=self._lines_of,
        )
        on_outcome = open_by_outcome(
            self._open_bets(), simulated=simulated, listed=games, spelled=spelled
        )
        yield
        rows = yield from making_rows(bets, self._row_of(on_outcome), self._grouped)
        yield
        self._listed, self._placed = bets, placed
        self.value_count = sum([row.price.is_value for row in rows.values()])
        self.staked = sum([bet.stake for bet in bets])
        self.hidden = len(lister.hidden)
        self.filtered_out = len(lister.value) - self.hidden - self.value_count
        self.bets.show_rows(rows, may_move=self._may_move)

    def _open_bets(self) -> list[PlacedBet]:
        if self._open is None:
            self._open = [bet for bet in self._records.bets() if bet.open_stake]
        return self._open

    def _forget_open(self) -> None:
        self._open = None

    def exposure(self, key: RowKey) -> Exposure | None:
        """Return how the stake on a price came about; None where it is not listed as value."""
        price = self._board.value_bets.get(key)
        if price is None:
            return None
        return exposure_of(
            self._listed,
            price,
            self._stakes.plan,
            self._placed,
            self._board.basis.profiles,
            is_practice=bool(self._board.connection.simulated),
        )

    def stake_at(self, subject: BetSubject, bookmaker: str, net_odds: float) -> float | None:
        """Return what is staked on a price once it is taken at other odds; None if unknown."""
        price = self._assessed(subject)
        if price is None or self._board.connection.is_lost:
            return None
        if not subject.is_value_at(net_odds):
            return 0.0
        taken, profiles = (bookmaker, net_odds), self._board.basis.profiles
        plan, placed = self._stakes.plan, self._placed
        return stake_at(self._listed, price, taken, plan, placed, profiles, self._lines_of)

    def _lines_of(self, game: str) -> Sequence[Line]:
        return fair_lines(self._board.matrix(game))

    def _assessed(self, subject: BetSubject) -> AssessedPrice | None:
        """Return a price as the list takes it; None where it is not held."""
        board, key = self._board, subject.key
        if (listed := board.value_bets.get(key)) is not None:
            return msgspec.structs.replace(listed, assessment=subject.assessment)
        matrix, section = board.matrix(key.game_id), board.section(*key[:4])
        if matrix is None or section is None or key.bookmaker not in section.row_of(key[3]).prices:
            return None
        return assessed_price(board.judge(matrix), matrix, section, key.selection, key.bookmaker)

    def note_moved(self) -> None:
        """Have bets that moved shown as they are now, each where it stands."""
        if not self._moves.isActive():
            next_at = self._made_at + max(_PAUSE_S, self._took_s * _REST)
            self._moves.start(max(_MOVES_MS, round((next_at - time.perf_counter()) * 1000)))

    def _on_moves_timeout(self) -> None:
        if self._steps is None:
            self.show_bets(may_move=False)
        else:
            self.note_moved()  # those were taken in while a list was made

    def close(self) -> None:
        """Show no more moves and look for no more misses."""
        self._moves.stop()
        self._slices.stop()
        self.finder.stop()

    def show_misses(self, *, may_move: bool) -> None:
        """Take the near misses of the last pass."""
        self.misses.show_rows(self.finder.misses, may_move=may_move)

    def _row_of(
        self, placed: Mapping[Hashable, Sequence[PlacedBet]]
    ) -> Callable[[Bet, tuple[AssessedPrice, ...], tuple[Bet, ...]], BetRow]:
        """Return what makes a row of a bet and the other prices of its outcome, as of now."""
        board = self._board
        listed, profiles = board.values.listed, board.basis.profiles
        reference, whose = board.reference or UNNAMED_REFERENCE, board.whose
        service = "" if whose.is_services_own else whose.service or "its own reference"

        def row(bet: Bet, others: tuple[AssessedPrice, ...], parts: tuple[Bet, ...]) -> BetRow:
            key = bet.price.key
            by_service, held = listed.get(key), board.row(*key[:4])
            return BetRow(
                bet,
                others,
                bet.service_ev_pct if by_service is None else by_service.ev_pct,
                None if held is None else held.liquidity,
                tuple(placed.get(bet.outcome, ())),
                profiles.of(bet.price.bookmaker),
                reference,
                parts,
                service,
            )

        return row
