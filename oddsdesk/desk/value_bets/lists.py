"""The two lists of the value-bet panel kept up to date: value bets and nearest misses."""

import math
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Final

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import selection_order, selection_text
from oddsdesk.base.tasks import SLICE_S, exhaust, one_slice
from oddsdesk.base.texts import N_, _, ngettext, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model.basis import Freshness
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.valuation.bets import (
    Bet,
    BetLister,
    Exposure,
    exposure_of,
    fair_lines,
    stake_at,
)
from oddsdesk.board.valuation.judging import (
    AssessedPrice,
    NearMiss,
    assessed_price,
    by_selection,
    near_misses,
)
from oddsdesk.board.valuation.verdict_words import PER_DECIDED_TEXT, margin_text, rule_title
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import STAKES, stake_plan
from oddsdesk.desk.settings.saved_state import Preferences
from oddsdesk.desk.ui import formatting
from oddsdesk.desk.ui.table.cells import Align, Cell, Column, ColumnSpec, Priority, aged
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.value_bets.model import (
    EV_TIP,
    EV_WIDTH,
    MARKET_WIDTH,
    SELECTION_WIDTH,
    BetRow,
    Group,
    OutcomeKey,
    ValuesModel,
    age_cell,
    ev_cell,
    making_rows,
    market_text,
)
from oddsdesk.desk.value_bets.subjects import BetSubject
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.open_bets import placed_in
from oddsdesk.ledger.presets import BUILT_IN, HiddenThings, Preset
from oddsdesk.pricing.exposure import Placed
from oddsdesk.pricing.score_models import Line

_KEYS = {setting.key for setting in STAKES.settings}


class StakeSettings(QObject):
    """The present plan; views of stakes read it again on ``changed``."""

    changed = Signal()

    def __init__(self, preferences: Preferences) -> None:
        super().__init__()
        self._preferences = preferences
        self.plan = stake_plan(preferences.get_setting)
        preferences.changed.connect(self._on_preferences_changed)

    def _on_preferences_changed(self, key: str) -> None:
        if key in _KEYS:
            self.plan = stake_plan(self._preferences.get_setting)
            self.changed.emit()


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

    def start_search(self) -> None:
        """Look now and from time to time."""
        if not self._timer.isActive():
            self._timer.start(0)

    def stop_search(self) -> None:
        """Stop the search."""
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
                near += near_misses(matrix, self._board.judge_of(matrix))
                yield
        nearest = by_selection(near)
        self.misses = {miss.selection_key: miss for miss in nearest[:MOST_SHOWN]}
        self.games = games
        self.found.emit()


_AT_ONCE: Final = 100
"""Up to this many prices the list is built at once, above that in slices."""
_MOVES_MS: Final = 20
"""So long moves are gathered: a burst of them is shown at once."""
_PAUSE_S: Final = 0.5
"""Between two makings of the list for prices that moved lies so long: nobody reads faster."""
_REST: Final = 25
"""The least pause, in multiples of the processor time of the last pass."""


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
        held = self._records.in_main(self._records.open_bets(), now)
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
        on_outcome = self._records.open_on(self._board)
        yield
        rows = yield from making_rows(bets, self._row_of(on_outcome), self._grouped)
        yield
        self._listed, self._placed = bets, placed
        self.value_count = sum([row.bet_price.is_value for row in rows.values()])
        self.staked = sum([bet.stake for bet in bets])
        self.hidden = len(lister.hidden)
        self.filtered_out = len(lister.value) - self.hidden - self.value_count
        self.bets.show_rows(rows, may_move=self._may_move)

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
        if (
            matrix is None
            or section is None
            or key.bookmaker not in dict(section.selection_row(key[3]).others())
        ):
            return None
        return assessed_price(board.judge_of(matrix), matrix, section, key.selection, key.bookmaker)

    def note_moved(self) -> None:
        """Repaint bets that moved, each in its present row."""
        if not self._moves.isActive():
            next_at = self._made_at + max(_PAUSE_S, self._took_s * _REST)
            self._moves.start(max(_MOVES_MS, round((next_at - time.perf_counter()) * 1000)))

    def _on_moves_timeout(self) -> None:
        if self._steps is None:
            self.show_bets(may_move=False)
        else:
            self.note_moved()  # those were taken in while a list was made

    def stop_listing(self) -> None:
        """Stop showing moves and searching near misses."""
        self._moves.stop()
        self._slices.stop()
        self.finder.stop_search()

    def show_misses(self, *, may_move: bool) -> None:
        """Take the near misses of the last pass."""
        self.misses.show_rows(self.finder.misses, may_move=may_move)

    def _row_of(
        self, placed: Mapping[Hashable, Sequence[PlacedBet]]
    ) -> Callable[[Bet, tuple[AssessedPrice, ...], tuple[Bet, ...]], BetRow]:
        """Return what makes a row of a bet and the other prices of its outcome, as of now."""
        board = self._board
        listed, profiles = board.values.listed, board.basis.profiles
        reference, whose = board.reference_name, board.desk_reference
        service = "" if whose.is_services_own else whose.service or _("its own sharp book")

        def make_row(bet: Bet, others: tuple[AssessedPrice, ...], parts: tuple[Bet, ...]) -> BetRow:
            key = bet.price.key
            by_service, held = listed.get(key), board.row(*key[:4])
            return BetRow(
                bet,
                others,
                bet.service_ev_pct if by_service is None else by_service.ev_pct,
                None if held is None else held.liquidity,
                tuple(placed.get(bet.outcome, ())),
                profiles.profile_of(bet.price.bookmaker),
                reference,
                parts,
                service,
            )

        return make_row


MOST_NAMED: Final = 12
"""Most other bookmakers named in a tooltip."""


class NearMissesModel(StableRowsModel[RowKey, NearMiss]):
    """Prices that are almost value, the nearest first until the user sorts otherwise."""

    def __init__(self, clock: Clock, freshness: Callable[[RowKey], Freshness]) -> None:
        super().__init__(COLUMNS, NEARNESS_COLUMN, clock)
        self._freshness = freshness

    def cell(self, row: int, column: int) -> Cell:
        cell = super().cell(row, column)
        if column != ODDS_COLUMN:
            return cell
        return aged(cell, self._freshness(self.entry(row).key), self._clock())

    def tip(self, row: int, column: int) -> str:
        if self.is_gone(row):
            return _("No longer a near miss")
        miss = self.entry(row)
        odds = formatting.exact_odds_text(miss.price.odds)
        said = [
            _("{selection} at {bookmaker}: {odds}").format(
                selection=selection_text(miss.key.selection),
                bookmaker=miss.key.bookmaker,
                odds=odds,
            )
        ]
        said += [
            f"{rule_title(check)}: {margin_text(check)}" for check in miss.assessment.stopped_by
        ]
        if miss.assessment.per == "decided":
            said.append(_("EV {meaning}").format(meaning=translated(PER_DECIDED_TEXT)))
        said.append(
            _("Value range {window}, after commission").format(
                window=formatting.window_text(*miss.window)
            )
        )
        return "\n".join((*said, *_others(miss)))


def _selection(miss: NearMiss, _now: int) -> Cell:
    game = formatting.game_text(miss.key.selection, miss.match_name)
    note = _("live") + f" · {game}" if miss.is_live else game
    return Cell(selection_text(miss.key.selection), is_strong=True, note=note)


def _others(miss: NearMiss) -> Iterator[str]:
    for other in miss.others[:MOST_NAMED]:
        short = margin_text(other.stopped_by)
        yield f"{other.key.bookmaker} {formatting.exact_odds_text(other.price.odds)}: {short}"
    if len(miss.others) > MOST_NAMED:
        yield _("and {count} more").format(count=len(miss.others) - MOST_NAMED)


def _bookmaker(miss: NearMiss, _now: int) -> Cell:
    others = len(miss.others)
    return Cell(miss.key.bookmaker, note=_books_text(others) if others else "")


def _books_text(count: int) -> str:
    return ngettext("+ {count} book", "+ {count} books", count).format(count=count)


def _stopped_by(miss: NearMiss, _now: int) -> Cell:
    check = miss.stopped_by
    more = len(miss.assessment.stopped_by) - 1
    return Cell(rule_title(check), TextRole.DOWN, note=_more_text(more) if more else "")


def _more_text(count: int) -> str:
    return _("+ {count} more").format(count=count)


def _margin(miss: NearMiss, _now: int) -> Cell:
    return Cell(margin_text(miss.stopped_by))


def _ev(miss: NearMiss, _now: int) -> Cell:
    return ev_cell(miss.assessment)._replace(ink=TextRole.SOFT)


def _window(miss: NearMiss, _now: int) -> Cell:
    return Cell(formatting.window_text(*miss.window), TextRole.SOFT)


COLUMNS: Final[tuple[ColumnSpec[NearMiss, int], ...]] = (
    ColumnSpec(
        "selection",
        N_("Selection"),
        SELECTION_WIDTH,
        _selection,
        lambda miss: (selection_order(miss.key.selection), miss.match_name),
    ),
    ColumnSpec(
        "market_type",
        N_("Market"),
        MARKET_WIDTH,
        lambda miss, _now: Cell(
            market_text(miss.key.market_type, miss.section.sport, miss.key.period), TextRole.SOFT
        ),
        lambda miss: miss.section.section_order(),
        in_short=lambda miss: formatting.untold_text(
            miss.key.market_type,
            miss.section.sport,
            miss.key.period,
            miss.key.selection,
            miss.match_name,
        ),
        priority=Priority.USEFUL,
    ),
    ColumnSpec(
        "bookmaker",
        "Bookmaker",
        Column(
            f"Betfair Ex {_books_text(11)}",
            Align.LEFT,
            stretches=True,
            likes=f"Betfair Exchange UK {_books_text(11)}",
            widest=f"Betfair Exchange Australia {_books_text(11)}",
            narrow=f"Betfair {_books_text(11)}",
        ),
        _bookmaker,
        lambda miss: miss.key.bookmaker.casefold(),
    ),
    ColumnSpec(
        "stopped_by",
        N_("Failed rule"),
        Column("Sharp margin 0 to 5 % +", Align.LEFT, likes=f"Price age ≤ 15 min {_more_text(1)}"),
        _stopped_by,
        lambda miss: rule_title(miss.stopped_by),
        tip=_("The rule that the price misses by most"),
    ),
    ColumnSpec(
        "distance",
        N_("Gap"),
        Column(_("{distance} short").format(distance=_("{share} pp").format(share="00.00"))),
        _margin,
        lambda miss: miss.distance,
        tip=_("How far the price is from passing that rule, nearest first"),
    ),
    ColumnSpec(
        "odds",
        N_("Odds"),
        Column("", has_arrow=True, hangs=True),
        lambda miss, _now: Cell(
            formatting.odds_text(miss.price.odds), is_strong=True, arrow=miss.price.direction
        ),
        lambda miss: miss.price.odds,
        descending_first=True,
        sample=formatting.odds_sample,
        tip=_("The odds offered, before commission or tax"),
    ),
    ColumnSpec(
        "true_ev_pct",
        N_("EV"),
        EV_WIDTH,
        _ev,
        lambda miss: miss.assessment.ev or 0.0,
        descending_first=True,
        tip=EV_TIP,
        priority=Priority.USEFUL,
    ),
    ColumnSpec(
        "window",
        N_("Value range"),
        Column(""),
        _window,
        lambda miss: miss.window[0] or 0.0,
        descending_first=True,
        tip=_(
            "Odds that count as value; above them the price is probably an error. "
            "None: no odds can be value"
        ),
        sample=formatting.window_sample,
        priority=Priority.EXTRA,
    ),
    ColumnSpec(
        "scraped_at",
        N_("Seen"),
        Column("59 min"),
        lambda miss, now: age_cell(miss.price.scraped_at, now),
        lambda miss: -miss.price.scraped_at,
        tip=_("Time since the price was last seen at the bookmaker"),
        priority=Priority.USEFUL,
    ),
)
NEARNESS_COLUMN, ODDS_COLUMN = (
    [column.key for column in COLUMNS].index(key) for key in ("distance", "odds")
)
