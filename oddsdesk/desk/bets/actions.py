"""Actions on the selected bets: settle, edit, cash out, delete, undo and redo."""

from collections.abc import Callable, Iterable
from functools import partial

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget
from shiboken6 import isValid

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import selection_text
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.board.model.matrix import GameEntry
from oddsdesk.desk.bet_cells import at_bookmaker, bet_named, stake_text
from oddsdesk.desk.bets.bet_dialog import BetDialog, CashDialog
from oddsdesk.desk.bets.columns import found_text
from oddsdesk.desk.records import Records, Taken, above_caps
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.form_dialog import FormDialog
from oddsdesk.desk.ui.controls.labels import literal
from oddsdesk.desk.ui.controls.messages import capitalized, sentence
from oddsdesk.desk.ui.formatting import until_text
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bets import BadBetError, HalfResultError, PlacedBet, settled
from oddsdesk.ledger.fair_values import FairNow, fair_value
from oddsdesk.ledger.games import on_listed_games
from oddsdesk.ledger.ledger import CHANGE_WORDS, Change, Ledger
from oddsdesk.ledger.settling import ToCheck
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.selections import Result

UNDO = _("Undo")
REDO = _("Redo")
_BY_KEY = (
    *(Result.WON, Result.LOST, Result.VOID, Result.HALF_WON, Result.HALF_LOST),
    Result.PLACED,
)


class BetsActions(QObject):
    """Acts on the bets that ``selected`` returns; ``current`` is one of them."""

    said = Signal(str, str)
    """A line for the message bar, and its button: ``UNDO``, ``REDO`` or none."""
    asked = Signal(str, str)
    """A question, and the button that confirms it by calling ``do_asked``."""
    recorded = Signal(object)
    """The ``PlacedBet`` that was just recorded by hand, or edited."""
    game_requested = Signal(object)
    """The ``PlacedBet`` whose game the user wants to see."""

    def __init__(
        self,
        records: Records,
        theme: Theme,
        clock: Clock,
        selected: Callable[[], list[PlacedBet]],
        current: Callable[[], PlacedBet | None],
        profiles: Callable[[], Profiles],
        bookmakers: Callable[[], Iterable[str]],
        games: Callable[[], Iterable[GameEntry]],
        plan: Callable[[], StakePlan],
        owner: QWidget,
        fair_now: FairNow,
    ) -> None:
        super().__init__(owner)
        self._fair_now = fair_now
        self._records = records
        self._theme = theme
        self._clock = clock
        self._selected = selected
        self._current = current
        self._profiles = profiles
        self._bookmakers = bookmakers
        self._games = games
        self._plan = plan
        self._owner = owner
        self.bet_menu, self.settle_menu = QMenu(owner), QMenu(owner)
        self._asked: Callable[[], None] | None = None
        """What to do if the user confirms the last question."""
        self._undone: list[Change] = []
        """Changes that can be redone, the latest last."""
        self._of_selected: list[QAction] = []
        self._fill_settle()
        self._fill_bet()
        for menu in (self.bet_menu, self.settle_menu):
            self.keep_up_to_date(menu)

    def keep_up_to_date(self, menu: QMenu) -> None:
        """Enable a menu's actions for the selection while it is open.

        While it is closed all are enabled, so that their keys work on any selection.
        """
        menu.aboutToShow.connect(lambda: self._enable(bool(self._selected())))
        menu.aboutToShow.connect(self._name_found)
        menu.aboutToHide.connect(lambda: self._enable(True))

    def _enable(self, enabled: bool) -> None:
        for action in self._of_selected:
            action.setEnabled(enabled)

    def ask_new(self) -> None:
        """Open the dialog for a new bet."""
        dialog = self._dialog(None)
        dialog.recorded.connect(lambda bet: self._record(bet, dialog))
        dialog.open()

    def ask_edit(self) -> None:
        """Open the dialog to edit the current bet."""
        bet = self._current()
        if bet is not None:
            dialog = self._dialog(bet)
            dialog.recorded.connect(partial(self._edit, bet, dialog))
            dialog.open()

    def settle_selected(self, result: Result | None) -> None:
        """Settle the selected bets, or reopen them for None.

        Asks first if a game has not started.
        """
        now = self._clock()
        others = [bet for bet in self._selected() if bet.result is not result]
        if result is not None:
            others += self._confirmed(result)
        early = [bet for bet in others if bet.kick_off is not None and bet.kick_off > now]
        if result is None or not early:
            self._end(others, result)
            return
        idents = {bet.ident for bet in others}

        def settle_as_they_stand() -> None:
            self._end([bet for bet in self._records.placed_bets() if bet.ident in idents], result)

        question = _question(others, early, result, now)
        self._ask(question, _("Settle"), settle_as_they_stand)

    def _confirmed(self, result: Result) -> list[PlacedBet]:
        """Return the selected bets whose result the user confirms, though sources now differ."""
        held = (bet for bet in self._selected() if bet.result is result)
        return [bet for bet in held if self._records.proposal(bet) is not None]

    def settle_as_found(self) -> bool:
        """Settle the selected bets as recorded results say; False if they say it of none."""
        now = self._clock()
        proposals = self._proposed()
        try:
            ended = [each._replace(bet=bet).accepted(now) for bet, each in proposals]
        except BadBetError as error:
            self.said.emit(sentence(translated(str(error))), "")
            return True
        if not ended:
            return False
        if len(ended) == 1:
            (bet, proposal), *_ = proposals
            said = _ended_text([bet], found_text(proposal))
        else:
            count = len(ended)
            said = ngettext(
                "{count} bet settled as found.", "{count} bets settled as found.", count
            ).format(count=count)
        self._change(ended, "settled", said)
        return True

    def _settle_as_found(self) -> None:
        if not self.settle_as_found():
            self.said.emit(_("No recorded result settles the selected bets."), "")

    def _proposed(self) -> list[tuple[PlacedBet, ToCheck]]:
        """Return the selected bets that recorded results would settle, or settle again."""
        found = ((bet, self._records.proposal(bet)) for bet in self._selected())
        return [
            (bet, proposal)
            for bet, proposal in found
            if proposal is not None and proposal.proposed is not None
        ]

    def name_found(self) -> str:
        """Return what ``settle_as_found`` does to the selected bets; empty if nothing."""
        proposals = self._proposed()
        if len(proposals) != 1:
            count = len(proposals)
            text = ngettext("Settle {count} bet as found", "Settle {count} bets as found", count)
            return text.format(count=count) if count else ""
        ((bet, proposal),) = proposals
        text = _("Settle as {result}") if bet.result is None else _("Settle again as {result}")
        return text.format(result=found_text(proposal))

    def _name_found(self) -> None:
        """Name in the menu how the selected bets would settle."""
        self._found.setText(literal(self.name_found()))
        self._found.setVisible(bool(self._found.text()))

    def do_asked(self) -> None:
        """Carry out what the last question was about."""
        if self._asked is not None:
            act, self._asked = self._asked, None
            act()

    def _ask(self, question: str, yes: str, act: Callable[[], None]) -> None:
        self._asked = act
        self.asked.emit(question, yes)

    def _end(self, bets: list[PlacedBet], result: Result | None) -> None:
        now = self._clock()
        try:
            ended = [_ended(bet, result, now) for bet in bets]
        except HalfResultError as error:
            self.said.emit(sentence(translated(str(error))), "")
            return
        except BadBetError as error:
            is_cashed = any(bet.result is Result.CASHED_OUT for bet in bets)
            cashed = _("This bet was cashed out in full. Reopen it (O) to change its result.")
            self.said.emit(cashed if is_cashed else sentence(translated(str(error))), "")
            return
        if ended:
            word = _("reopened") if result is None else translated(result.words)
            what = "settled" if result is not None else "reopened"
            is_same = all(bet.result is result for bet in bets)
            self._change(ended, what, _ended_text(bets, word, result, is_same=is_same))

    def take_back(self) -> None:
        """Delete the selected bets."""
        idents = [bet.ident for bet in self._selected() if bet.ident is not None]
        if not idents:
            return

        def take_back_bets(ledger: Ledger) -> Taken:
            ledger.delete_bets(*idents)
            count = len(idents)
            said = ngettext("{count} bet deleted.", "{count} bets deleted.", count)
            return lambda: self.said.emit(said.format(count=count), UNDO)

        self._records.act(take_back_bets)

    def undo_change(self) -> None:
        """Undo the last change; ask first if it is from an earlier session."""

        def work(ledger: Ledger) -> Taken:
            change = ledger.last_change()
            if change is None:
                return lambda: self.said.emit(_("Nothing to undo."), "")
            if change.is_earlier:
                question = _("From an earlier session: {change}. Undo it?").format(
                    change=change_text(change)
                )
                return lambda: self._ask(question, UNDO, partial(self._undo, change))
            return self._undoing(ledger, change)

        self._records.act(work)

    def _undo(self, change: Change) -> None:
        self._records.act(lambda ledger: self._undoing(ledger, change))

    def _undoing(self, ledger: Ledger, change: Change) -> Taken:
        if ledger.undo_change(change) is None:
            said = _("Nothing was undone: the bets were changed elsewhere.")
            return lambda: self.said.emit(said, "")

        def then() -> None:
            self._undone.append(change)
            self.said.emit(undone_text(change), REDO)

        return then

    def redo(self) -> None:
        """Redo what was undone last."""
        if not self._undone:
            self.said.emit(_("Nothing to redo."), "")
            return
        change = self._undone.pop()

        def redo_change(ledger: Ledger) -> Taken:
            if ledger.redo(change):
                redone = _("Redone: {change}.").format(change=change_text(change))
                return lambda: self.said.emit(redone, UNDO)
            said = _("Not redone, as the bets have changed since: {change}.").format(
                change=change_text(change)
            )
            return lambda: self.said.emit(said, "")

        def tell_refusal(why: str) -> None:
            self._undone.append(change)
            self._records.failed.emit(why)

        self._records.act(redo_change, tell_refusal)

    def _fill_settle(self) -> None:
        self._found = self._add(self.settle_menu, "bets.found", self._settle_as_found)
        self.settle_menu.addSeparator()
        for result in _BY_KEY:
            title = capitalized(translated(result.words))
            self._add(
                self.settle_menu,
                f"bets.{result.value}",
                partial(self.settle_selected, result),
                title,
            )
        self.settle_menu.addSeparator()
        self._add(self.settle_menu, "bets.cash", self._ask_cash, _("Cash out…"))
        reopen = partial(self.settle_selected, None)
        self._add(self.settle_menu, "bets.reopen", reopen, _("Reopen"))

    def _fill_bet(self) -> None:
        menu = self.bet_menu
        menu.addAction(add_action(self._owner, "bets.new", self.ask_new))
        self._add(menu, "bets.edit", self.ask_edit)
        self._add(menu, "bets.game", self._show_game)
        menu.addSeparator()
        self._add(menu, "bets.take_back", self.take_back)
        menu.addAction(add_action(self._owner, "bets.undo", self.undo_change))
        menu.addAction(add_action(self._owner, "bets.redo", self.redo))

    def _add(self, menu: QMenu, ident: str, act: Callable[[], None], title: str = "") -> QAction:
        action = add_action(self._owner, ident, act)
        if title:
            action.setIconText(title)
        menu.addAction(action)
        self._of_selected.append(action)
        return action

    def _dialog(self, bet: PlacedBet | None) -> BetDialog:
        now = self._clock()

        def doubt(typed: PlacedBet) -> str:
            held = self._records.in_main(
                (each for each in self._records.placed_bets() if bet is None or each != bet), now
            )
            (typed,) = self._records.in_main([typed], now)
            others = on_listed_games(held, {game.game_id: game for game in self._games()})
            return above_caps(typed, others, self._plan(), now, is_leg=False)

        return BetDialog(
            self._theme,
            bet,
            self._profiles(),
            self._bookmakers(),
            self._games,
            now,
            self._owner,
            doubt,
        )

    def _ask_cash(self) -> None:
        bets = (self._current(), *self._selected())
        bet = next((bet for bet in bets if bet is not None and bet.result is None), None)
        if bet is None:
            self.said.emit(_("Select an open bet."), "")
            return
        dialog = CashDialog(
            self._theme, bet, self._clock(), self._owner, partial(self._fair_value, bet)
        )
        answer = self._answer_of(dialog)

        def record_cash(cashed: PlacedBet) -> None:
            self._records.change_bets(
                [cashed], "cashed out", lambda: answer("", _("Cashed out.")), answer
            )

        dialog.recorded.connect(record_cash)
        dialog.open()

    def _fair_value(self, bet: PlacedBet, size: float) -> float | None:
        """Return what a part of an open bet is worth now; None if that is unknown."""
        games = {game.game_id: game for game in self._games()}
        return fair_value(bet, size, self._fair_now, games)

    def _show_game(self) -> None:
        bet = self._current()
        if bet is None:
            return
        if not bet.game_id:
            self.said.emit(_("This bet has no game."), "")
            return
        games = {game.game_id: game for game in self._games()}
        (on_listed,) = on_listed_games([bet], games)
        if bet.game_id in games and on_listed.game_id not in games:
            said = _("This game is not listed, only another one between these teams.")
            self.said.emit(said, "")
        else:
            self.game_requested.emit(on_listed)

    def _record(self, bet: PlacedBet, dialog: BetDialog) -> None:
        answer = self._answer_of(dialog)
        said = _("Recorded {stake} on {selection}{at_bookmaker}.").format(
            stake=stake_text(bet),
            selection=selection_text(bet.selection),
            at_bookmaker=at_bookmaker(bet),
        )

        def record_bet(ledger: Ledger) -> Taken:
            kept = ledger.record_bet(bet)
            return lambda: answer("", said, kept)

        self._records.act(record_bet, answer)

    def _edit(self, bet: PlacedBet, dialog: BetDialog, edited: PlacedBet) -> None:
        answer = self._answer_of(dialog)

        def edit_bets(ledger: Ledger) -> Taken:
            ledger.edit(bet, edited)
            kept = msgspec.structs.replace(edited, ident=bet.ident)
            return lambda: answer("", _("Saved."), kept)

        self._records.act(edit_bets, answer)

    def _answer_of(self, dialog: FormDialog) -> Callable[..., None]:
        """Return a function that reports the outcome to a dialog, or to the panel if it was
        closed."""

        def take_answer(problem: str, said: str = "", kept: PlacedBet | None = None) -> None:
            if isValid(dialog):
                dialog.close_or_report(problem)
            elif problem:
                self._records.failed.emit(problem)
            if said:
                self.said.emit(said, UNDO)
            if kept is not None:
                self.recorded.emit(kept)

        return take_answer

    def _change(self, bets: list[PlacedBet], what: str, said: str) -> None:
        self._records.change_bets(bets, what, lambda: self.said.emit(said, UNDO))


def _question(bets: list[PlacedBet], early: list[PlacedBet], result: Result, now_ms: int) -> str:
    word = translated(result.words)
    if len(bets) == 1:
        begins = until_text(bets[0].kick_off or now_ms, now_ms)
        bet_there = f"{selection_text(bets[0].selection)}{at_bookmaker(bets[0])}"
        return _("{bet}: the game starts {time}. Settle the bet as {result}?").format(
            bet=bet_there, time=begins, result=word
        )
    return _(
        "{early} of {count} bets are on games that have not started. "
        "Settle all {count} as {result}?"
    ).format(early=len(early), count=len(bets), result=word)


def change_text(change: Change) -> str:
    """Return what was done to which bets, naming the first."""
    return _("{done} {bets}").format(
        done=CHANGE_WORDS.get(change.what, change.what), bets=_first_named(change)
    )


def undone_text(change: Change) -> str:
    """Return what was undone."""
    if not any(change.before.values()):
        return _("Undone: {change}.").format(change=_first_named(change))
    return _("Undone: {change}.").format(change=change_text(change))


def _first_named(change: Change) -> str:
    """Return the bet of a change, or the number of bets and the first."""
    count = len(change.before)
    bets = (change.after[number] or before for number, before in change.before.items())
    bet = next(filter(None, bets), None)
    if bet is None:  # deleted without a recorded change
        return _bets(count)
    if count == 1:
        return bet_named(bet)
    return _("{bets}, the first {bet}").format(bets=_bets(count), bet=bet_named(bet))


def _ended(bet: PlacedBet, result: Result | None, now_ms: int) -> PlacedBet:
    """Return a bet settled by hand; one that had this result keeps its time."""
    ended = settled(bet, result, now_ms)
    is_confirmed = result is not None and bet.result is result
    return msgspec.structs.replace(ended, settled_at=bet.settled_at) if is_confirmed else ended


def _ended_text(
    bets: list[PlacedBet], word: str, result: Result | None = None, *, is_same: bool = False
) -> str:
    """Return that bets ended; a single one is named, with an earlier result that differs.

    ``is_same``: they had this result before.
    """
    bet = bets[0] if len(bets) == 1 else None
    named = (
        _bets(len(bets)) if bet is None else f"{selection_text(bet.selection)}{at_bookmaker(bet)}"
    )
    if bet is not None and bet.result not in (None, result):
        return _("{bets}, {earlier} before, {result}.").format(
            bets=named, earlier=translated(bet.result.words), result=word
        )
    text = _("{bets} {result}, as it was settled.") if is_same else _("{bets} {result}.")
    return text.format(bets=named, result=word)


def _bets(count: int) -> str:
    return ngettext("{count} bet", "{count} bets", count).format(count=count)
