"""Asks what was really bet, records it, and takes it back."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from oddsdesk.board.board import Board
from oddsdesk.board.rows import UNNAMED_REFERENCE
from oddsdesk.clock import Clock
from oddsdesk.desk.bet_cells import bet_named, stake_text
from oddsdesk.desk.records import Records
from oddsdesk.desk.stake_caps import above_caps
from oddsdesk.desk.ui.formatting import exact_odds_text
from oddsdesk.desk.value_bets.subjects import BetSubject, subject_now
from oddsdesk.ledger.bets import PlacedBet, counted
from oddsdesk.ledger.games import may_be_on_one_game, on_listed_games
from oddsdesk.pricing.exposure import StakePlan

if TYPE_CHECKING:
    from oddsdesk.desk.value_bets.place_dialog import PlaceDialog, TypedBet

PAST: Final = (
    "This price is from the past and cannot be placed. Ctrl+Shift+J goes back to now; a bet that "
    "was made then is recorded by hand, in Bets."
)
"""Said of a bet that is asked for while one looks back."""


class BetPlacer(QObject):
    """Places bets on what it is given, and says how that went."""

    placed = Signal(object)
    """The ``PlacedBet`` as it was recorded."""
    gone = Signal(object)
    """The bet that was ``placed`` last, where it was taken back since, here or elsewhere."""
    said = Signal(str)
    """One line for the message bar."""

    def __init__(
        self,
        board: Board,
        records: Records,
        clock: Clock,
        plan: Callable[[], StakePlan],
        stake_at: Callable[[BetSubject, str, float], float | None],
        owner: QWidget,
    ) -> None:
        """Place bets; ``stake_at`` says what is staked on one at a bookmaker's net odds."""
        super().__init__(owner)
        self._board = board
        self._records = records
        self._clock = clock
        self._plan = plan
        self._stake_at = stake_at
        self._owner = owner
        self._last: PlacedBet | None = None
        records.bets_changed.connect(self._on_records_bets_changed)

    def ask(
        self,
        subject: BetSubject,
        then: "Callable[[TypedBet], None]" = lambda _: None,
        otherwise: Callable[[], None] = lambda: None,
        look: Callable[[BetSubject], BetSubject | None] | None = None,
    ) -> None:
        """Ask what was really bet, and record it; ``then`` gets it, ``otherwise`` it was none.

        ``look`` says what is thought of the subject by now, where more is to be told than of a
        price; None where it is held no longer.
        Not while one looks back: nobody offers that price any more.
        """
        board = self._board
        if board.connection.as_of_ms is not None:
            self.said.emit(PAST)
            return
        from oddsdesk.desk.value_bets.place_dialog import PlaceDialog  # noqa: PLC0415 - late

        dialog = PlaceDialog(
            subject,
            board.basis.profiles,
            board.bookmakers(),
            self._on_outcome(subject),
            board.reference or UNNAMED_REFERENCE,
            self._owner,
            above_caps=self._above_caps,
            stake_at=self._stake_at,
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        look = look or (lambda subject: subject_now(subject, board))
        dialog.follow(lambda: look(dialog.subject), lambda: board.connection.why_lost)
        dialog.placed.connect(lambda typed: self._place(dialog, typed, then))
        dialog.rejected.connect(otherwise)
        dialog.open()

    def take_back(self, bet: PlacedBet) -> None:
        """Forget that a bet was placed, unless it was changed since."""
        self._records.take_back(bet, lambda taken: self.said.emit(self._taken_text(bet, taken)))

    def _on_outcome(self, subject: BetSubject) -> list[PlacedBet]:
        """Return what is placed on the outcome of a price, wherever."""
        found = self._records.on_outcome(
            subject.bet_key,
            subject.match_name,
            subject.sport,
            self._board.games,
            self._board.players.spelled,
            in_play=subject.is_live,
        )
        return list(counted(found, simulated=subject.is_simulated))

    def _above_caps(self, subject: BetSubject, typed: "TypedBet") -> str:
        now, spelled = self._clock(), self._board.players.spelled
        others = on_listed_games(self._records.bets(), self._board.games, spelled)
        bet, is_leg = placed_bet(subject, typed, now), subject.leg_doubt is not None
        return above_caps(bet, others, self._plan(), now, is_leg=is_leg)

    def _place(
        self, dialog: "PlaceDialog", typed: "TypedBet", then: "Callable[[TypedBet], None]"
    ) -> None:
        def tell(problem: str) -> None:
            if isValid(dialog):
                dialog.tell_kept(problem)
            elif problem:
                self._records.failed.emit(problem)

        def take(bet: PlacedBet) -> None:
            tell("")
            self._last = bet
            self.placed.emit(bet)
            then(typed)

        bet = placed_bet(dialog.subject, typed, self._clock())
        self._records.place(bet, take, tell)

    def _on_records_bets_changed(self) -> None:
        last = self._last
        if last is not None and not self._records.holds(last):
            self._last = None
            self.gone.emit(last)

    def _taken_text(self, bet: PlacedBet, is_taken: bool) -> str:
        if not is_taken:
            what = f"{bet.selection} at {bet.bookmaker}"
            if not self._records.holds(bet):
                return f"{what} was taken back already."
            return f"{what} was edited or settled since, and stays as it is in Bets."
        said = f"Taken back: {bet_named(bet)}."
        placed = [
            each for each in self._records.placed(bet.key) if may_be_on_one_game(each, bet.kick_off)
        ]
        left = list(counted(placed, simulated=bet.practice))
        return f"{said} {stake_text(left[-1])} on it stays placed." if left else said


def placed_bet(subject: BetSubject, typed: "TypedBet", now_ms: int) -> PlacedBet:
    """Return a bet as it was typed, with what was thought of it (D56).

    At another bookmaker than the one listed, neither age nor cautions of the price are known.
    """
    game_id, market_type, period, selection, _ = subject.key
    is_listed = typed.bookmaker == subject.bookmaker
    seen_at = subject.scraped_at if is_listed else None
    return PlacedBet(
        game_id=game_id,
        match_name=subject.match_name,
        competition=subject.competition,
        sport=subject.sport,
        market_type=market_type,
        period=period,
        selection=selection,
        bookmaker=typed.bookmaker,
        odds=typed.odds,
        stake=typed.stake,
        placed_at=now_ms,
        kick_off=subject.kick_off,
        fair_odds=subject.fair_odds,
        true_ev=typed.ev_pct,
        per="" if typed.ev_pct is None else subject.assessment.per,
        method="" if subject.fair_odds is None else subject.method,
        reference="" if subject.fair_odds is None else subject.reference,
        net_odds=typed.net_odds,
        currency=typed.currency,
        age_ms=None if seen_at is None else max(0, now_ms - seen_at),
        cautions=tuple(each.value for each in subject.cautions) if is_listed else (),
        account=typed.account,
        note=typed.note,
        preset=subject.preset,
        practice=subject.is_simulated,
        leg=subject.leg_doubt is not None,
    )


def placed_text(bet: PlacedBet) -> str:
    """Return what was recorded, in one line."""
    how = "Placed as practice:" if bet.practice else "Placed"
    odds = exact_odds_text(bet.odds)
    return f"{how} {stake_text(bet)} on {bet.selection} at {bet.bookmaker}, {odds}."
