"""What lists of bets say in their message bars: bets placed, trouble, a formula that is off."""

from typing import Final

from PySide6.QtCore import QObject

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, Link
from oddsdesk.desk.records import Records
from oddsdesk.desk.ui.controls.message_bar import MessageBar
from oddsdesk.desk.ui.controls.placeholder import EmptyState
from oddsdesk.desk.ui.states import NO_SERVICE, out_of_requests, refusal
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.value_bets.placing import PAST, BetPlacer, placed_text
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.audit import Audit
from oddsdesk.pricing.devig import PUBLISHED

_OVERSTATED = (
    "This service overstates EV: its formula, as published, adds the reference's margin instead "
    "of taking it out. "
)


_NOTHING_TO_UNDO: Final = (
    "Nothing to undo here: Shift+P takes back the selected bet; in Bets (Ctrl+L), Ctrl+Z undoes "
    "one change after another."
)
_TURNED: Final = (
    "This service sends the return rate 1/S where its contract says S; "
    "figures here are reckoned with S."
)


def audit_text(audit: Audit | None, method: str) -> str:
    """Return what to know of how a service reckons, empty where it reckons as it should (D26)."""
    if audit is None:
        return ""
    if not audit.is_published:
        return _TURNED if audit.sends_return_rate else ""
    if method == PUBLISHED:
        return f"{_OVERSTATED}So does your own devig method: choose another in the settings."
    return f"{_OVERSTATED}Bets are chosen and sorted by true EV."


def is_about_formula(text: str) -> bool:
    """Tell whether a message is what ``audit_text`` says."""
    return text.startswith((_OVERSTATED, _TURNED))


def state_without_bets(
    connection: Connection, filtered_out: int, hidden: int = 0, reference: str | None = None
) -> EmptyState:
    """Return why no value bet is listed.

    ``filtered_out`` is how many the preset leaves out, ``hidden`` how many more the user hid,
    ``reference`` whom the desk judges by.
    """
    if connection.has_value_bets is False:
        return EmptyState(
            "lock", "Value bets are not in your plan.", "Pro and the plans above it have them."
        )
    if connection.has_no_service:
        return NO_SERVICE
    if connection.link in (Link.CONNECTING, Link.STOPPED):
        return EmptyState("loading", "Looking for value bets…")
    if connection.link is Link.PAST:
        return EmptyState(
            "table", "Value bets are only for now.", "The past shows games and their prices."
        )
    if filtered_out:
        bets = "1 value bet is" if filtered_out == 1 else f"{filtered_out} value bets are"
        return EmptyState("filter", f"{bets} hidden by the preset.", action="Show all value bets")
    if hidden:
        bets = "1 value bet is" if hidden == 1 else f"{hidden} value bets are"
        return EmptyState("filter", f"{bets} hidden by you.", action="What is hidden…")
    if connection.link is Link.REFUSED:
        return EmptyState("lock", *refusal(connection))
    if (lack := out_of_requests(connection)) is not None:
        return EmptyState("loading", *lack)
    if connection.link is Link.WAITING:
        return EmptyState("offline", "Not connected.", "Value bets come back with the connection.")
    if reference and reference == connection.unpriced_reference:
        return EmptyState(
            "table",
            f"There is no price from {reference}: nothing can be judged.",
            "Judged by, in the top bar, offers those who have prices.",
        )
    return EmptyState(
        "check", "No value bets now.", "A bet is listed while every rule of the service holds."
    )


def state_without_misses(games: int) -> EmptyState:
    """Return why no near miss is listed; ``games`` is how many are read here."""
    if not games:
        return EmptyState(
            "table",
            "No game is read here yet.",
            "Near misses are looked for in open games, and in all games while the odds grid is up.",
        )
    return EmptyState("check", "No price is close to being value.", _in_games(games))


def misses_text(shown: int, games: int) -> str:
    """Return how many near misses there are, and where they were looked for."""
    return f"{shown} · {_in_games(games).lower().rstrip('.')}"


def bets_text(
    value: int,
    cautioned: int,
    staked: str,
    chosen: str,
    hidden: int = 0,
    *,
    has_unread: bool = False,
) -> str:
    """Return how many outcomes are value, what is staked on them, and by what they were chosen.

    ``has_unread``: whether there are prices that could not be read.
    """
    said = [f"{value}"]
    if staked:
        said.append(staked)
    if cautioned:
        said.append(f"{cautioned} with cautions below")
    if hidden:
        said.append(f"{hidden} hidden")
    if has_unread:
        said.append("not all prices are read")
    return " · ".join((*said, chosen))


def _in_games(games: int) -> str:
    return f"Looked for in {games} game{'s' if games != 1 else ''} read here."


class PlacingMessages(QObject):
    """Speaks through a bar, whose button takes back the bet that was placed last."""

    def __init__(self, bar: MessageBar, records: Records, placer: BetPlacer) -> None:
        super().__init__(bar)
        self._bar = bar
        self._placer = placer
        self._undoable: PlacedBet | None = None
        placer.said.connect(lambda text: bar.say(text, passes=True))
        placer.placed.connect(self._on_placer_placed)
        placer.gone.connect(self._on_placer_gone)
        records.failed.connect(self._on_records_failed)
        bar.action_requested.connect(self._on_bar_action_requested)

    def _on_placer_placed(self, bet: PlacedBet) -> None:
        self._undoable = bet
        self._bar.say(placed_text(bet), icon="check", action="Undo", passes=True)

    def _on_placer_gone(self, bet: PlacedBet) -> None:
        self._undoable = None
        if self._bar.text == placed_text(bet):
            self._bar.hide()

    def undo(self) -> None:
        """Take back the bet that was placed last, or say what does that of an older one."""
        if self._undoable is None:
            self._bar.say(_NOTHING_TO_UNDO, passes=True)
        else:
            self._on_bar_action_requested()

    def _on_bar_action_requested(self) -> None:
        if self._undoable is not None:
            self._placer.take_back(self._undoable)
            self._undoable = None

    def _on_records_failed(self, text: str) -> None:
        self._bar.say(text, icon="warning", ink=TextRole.DOWN)


class ValuesMessages(PlacingMessages):
    """Warns of a service that reckons wrongly, too."""

    def __init__(self, bar: MessageBar, board: Board, records: Records, placer: BetPlacer) -> None:
        super().__init__(bar, records, placer)
        self._board = board
        self._said_of_audit = ""

    def end_past(self) -> None:
        """Say no longer that a price is from the past once one is back at now."""
        if self._board.connection.as_of_ms is None and self._bar.text == PAST:
            self._bar.hide()

    def show_audit(self) -> None:
        """Warn once of a service that reckons wrongly, until it does it right (D26, D52)."""
        text = audit_text(self._board.audit, self._board.method)
        if text and text != self._said_of_audit:
            self._undoable = None
            self._bar.say(text, icon="warning", ink=TextRole.VALUE)
        elif not text and is_about_formula(self._bar.text):
            self._bar.hide()
        self._said_of_audit = text
