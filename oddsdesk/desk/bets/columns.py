"""The columns of the list of bets."""

from collections.abc import Callable, Container
from typing import Final

from msgspec.structs import replace

from oddsdesk.base.market_words import selection_text
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, pgettext, translated
from oddsdesk.board.valuation.verdict_words import PER_DECIDED, PER_DECIDED_TEXT
from oddsdesk.desk import bet_cells
from oddsdesk.desk.kind_fields import legs_text
from oddsdesk.desk.ui.controls.messages import capitalized
from oddsdesk.desk.ui.formatting import (
    day_sample,
    exact_odds_text,
    fair_text,
    kick_off_text,
    moment_text,
    odds_sample,
)
from oddsdesk.desk.ui.table.cells import Align, Cell, Column, ColumnSpec, Header, Priority
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import BetState, PlacedBet, recorded_text, undone_text
from oddsdesk.ledger.settling import ToCheck
from oddsdesk.pricing.selections import Result

_RESULT_INKS: Final = {
    Result.WON: TextRole.UP,
    Result.HALF_WON: TextRole.UP,
    Result.LOST: TextRole.DOWN,
    Result.HALF_LOST: TextRole.DOWN,
    Result.PLACED: TextRole.NOTE,
    Result.VOID: TextRole.NOTE,
    Result.CASHED_OUT: TextRole.NOTE,
}


_STATES: Final = {
    BetState.OPEN: pgettext("bet", "open"),
    BetState.TO_SETTLE: _("to settle"),
    BetState.SETTLED: _("settled"),
}
_WIDEST_STATE: Final = max((translated(each.words) for each in Result), key=len)


def close_text(bet: PlacedBet) -> str:
    """Return a bet's closing line in words, or why there is none."""
    close = bet.close
    if close is None:
        return ""
    if bet.has_others_close:
        return _("no close: the recorded one belongs to another game between these teams")
    if close.odds is None or close.fair_odds is None:
        if not close.moved_to:
            text = _("no close: {reason}")
        elif close.moved_fair_odds is None:
            text = _("no close: {reason}: {line} closed")
        else:
            text = _("no close: {reason}: {line} closed at a fair {odds}")
        fair = "" if close.moved_fair_odds is None else fair_text(close.moved_fair_odds)
        return text.format(reason=recorded_text(close.why), line=close.moved_to, odds=fair)
    by = ", ".join(filter(None, (_method_text(close.method), close.reference)))
    return _("close {odds}, fair {fair} ({source})").format(
        odds=exact_odds_text(close.odds), fair=fair_text(close.fair_odds), source=by
    )


def _method_text(method: str) -> str:
    return translated(method.replace("_", " "))


def _state(bet: PlacedBet, now: int) -> Cell:
    practice = _("practice") if bet.practice else ""
    if bet.result is not None:
        return Cell(f"● {translated(bet.result.words)}", _RESULT_INKS[bet.result], note=practice)
    state = bet.state(now)
    ink = TextRole.VALUE if state is BetState.TO_SETTLE else TextRole.ACCENT
    cashed = _("part cashed") if bet.cashed_stake else ""
    return Cell(f"● {_STATES[state]}", ink, note=" · ".join(filter(None, (practice, cashed))))


def _at(bet: PlacedBet, _now: int) -> Cell:
    return Cell(bet.bookmaker, TextRole.SOFT, note=bet.account)


def _stake(bet: PlacedBet, _now: int) -> Cell:
    liability = "" if bet.liability is None else _liability_text(bet.liability)
    note = ", ".join(filter(None, (bet.currency, liability)))
    return Cell(f"{num(bet.stake):,.2f}", TextRole.SOFT, note=note)


def _liability_text(liability: float) -> str:
    return _("{amount} liability").format(amount=f"{num(liability):,.2f}")


def kind_text(bet: PlacedBet) -> str:
    """Return the kind of a bet for a narrow column; empty for a plain one."""
    if bet.kind is BetKind.BACK:
        return ""
    return pgettext("bet", "free") if bet.kind.is_free else translated(bet.kind.words)


def _kick_off(bet: PlacedBet, now: int) -> Cell:
    if bet.kick_off is None:
        return Cell("", TextRole.NOTE)
    return Cell(kick_off_text(bet.kick_off, now), TextRole.NOTE)


def _note(bet: PlacedBet, _now: int) -> Cell:
    said = " · ".join(filter(None, (bet.note, close_text(bet))))
    return Cell(said, TextRole.NOTE)


def _fair_text(bet: PlacedBet) -> str:
    derived = translated(bet.derived)
    by = ", ".join(filter(None, (bet.reference, _method_text(bet.method), derived)))
    return _("fair {odds} ({source})").format(odds=fair_text(bet.fair_odds or 0.0), source=by)


def settled_text(bet: PlacedBet, proposal: ToCheck | None) -> str:
    """Return how a bet was settled, or why it was not and what was found."""
    if proposal is not None:
        lead = "" if proposal.proposed is None else f"→ {_proposed_words(proposal)}"
        source = recorded_text(proposal.by)
        by = f"({source})" if lead and source and source not in proposal.why else ""
        return " · ".join(filter(None, (f"{lead} {by}".strip(), translated(proposal.why))))
    if bet.result is None:
        return ""
    return _settled_by(bet)


def _settled_by(bet: PlacedBet) -> str:
    """Return what settled a bet; the results in imported lists have no time."""
    return recorded_text(bet.settled_by) or (
        _("imported") if bet.settled_at is None else _("by hand")
    )


def found_text(proposal: ToCheck) -> str:
    """Return how a bet would settle and by what: ``won (football-data 2-1)``."""
    if proposal.proposed is None:
        return recorded_text(proposal.by)
    word = _proposed_words(proposal)
    return f"{word} ({recorded_text(proposal.by)})" if proposal.by else word


def _proposed_words(proposal: ToCheck) -> str:
    word = "" if proposal.proposed is None else translated(proposal.proposed.words)
    if not proposal.leg:
        return word
    return _("leg {number} {result}").format(number=proposal.leg, result=word)


def _proposal_lines(proposal: ToCheck) -> tuple[str, str]:
    why = _("To settle: {reason}").format(reason=translated(proposal.why))
    if proposal.proposed is None:
        return why, ""
    return why, _("As found: {result}. Enter settles").format(result=found_text(proposal))


def _cashed_text(bet: PlacedBet) -> str:
    return _("{stake} cashed out for {payout}").format(
        stake=f"{num(bet.cashed_stake):,.2f}", payout=f"{num(bet.cashed_back):,.2f}"
    )


def facts_text(bet: PlacedBet, proposal: ToCheck | None = None) -> str:
    """Return the tooltip of a bet, one fact a line."""
    told = [
        ", ".join(filter(None, (selection_text(bet.selection), bet_cells.market_and_game(bet)))),
        "" if bet.kind is BetKind.BACK else capitalized(bet_cells.stake_text(bet)),
        _("Practice: simulated odds, no real money") if bet.practice else "",
        _("Placed {time}").format(time=moment_text(bet.placed_at)),
        _("kick-off {time}").format(time=moment_text(bet.kick_off)) if bet.kick_off else "",
        _fair_text(bet) if bet.fair_odds else "",
        _("EV {basis}").format(basis=PER_DECIDED_TEXT) if bet.per == "decided" else "",
        _("preset {name}").format(name=translated(bet.preset)) if bet.preset else "",
        _cashed_text(bet) if bet.cashed_stake else "",
        _("Settled: {source}").format(source=_settled_by(bet)) if bet.result is not None else "",
        *(() if proposal is None else _proposal_lines(proposal)),
        legs_text(bet),
        _("You undid: {result}").format(result=undone_text(bet.undone)) if bet.undone else "",
        close_text(bet),
        _("CLV {basis}").format(basis=PER_DECIDED_TEXT) if bet.clv_per == "decided" else "",
        bet.note,
    ]
    return "\n".join(filter(None, told))


COLUMNS: Final[tuple[ColumnSpec[PlacedBet, int], ...]] = (
    ColumnSpec(
        "state",
        N_("State"),
        Column(f"● {_WIDEST_STATE} {_('practice')}", Align.LEFT, narrow=f"● {_WIDEST_STATE}"),
        _state,
        lambda bet: "" if bet.result is None else bet.result.value,
        tip=_("Open or settled, and the result. Practice bets were placed at simulated odds"),
    ),
    bet_cells.OUTCOME,
    bet_cells.MARKET,
    ColumnSpec(
        "bookmaker",
        N_("Bookmaker"),
        Column(
            "William Hill",
            Align.LEFT,
            stretches=True,
            likes="Betfair Exchange",
            widest="Betfair Exchange second",
            narrow="Pinnacle",
        ),
        _at,
        lambda bet: (bet.bookmaker.casefold(), bet.account),
        tip=_("Bookmaker and account"),
    ),
    ColumnSpec(
        "odds",
        N_("Odds"),
        Column("", note_sample="8.888", hangs=True, narrow=""),
        bet_cells.odds_cell,
        lambda bet: bet.odds,
        descending_first=True,
        sample=odds_sample,
        tip=_("Odds taken, and after commission or tax"),
    ),
    ColumnSpec(
        "kind",
        N_("Kind"),
        Column(translated(BetKind.EACH_WAY.words), Align.LEFT),
        lambda bet, _now: Cell(kind_text(bet), TextRole.SOFT),
        kind_text,
        tip=_("Lay, free bet, boost, refund, each way or multiple; empty for a plain bet"),
        priority=Priority.IMPORTANT,
    ),
    ColumnSpec(
        "stake",
        N_("Stake"),
        Column("1,000.00", note_sample="EUR", narrow=""),
        _stake,
        lambda bet: bet.stake,
        descending_first=True,
        tip=_(
            "Stake in the currency of the bet; for a lay, the backer's stake, and in small its "
            "liability"
        ),
    ),
    ColumnSpec(
        "ev",
        N_("EV at bet"),
        Column("+100.0 %", note_sample=f"~ {PER_DECIDED}"),
        bet_cells.ev_cell,
        bet_cells.or_lowest(lambda bet: bet.ev),
        descending_first=True,
        tip=_(
            "EV of the odds taken, when the bet was placed; ~: by fair odds that were derived from "
            "other lines; {mark} {meaning}"
        ).format(mark=PER_DECIDED, meaning=PER_DECIDED_TEXT),
        priority=Priority.EXTRA,
    ),
    replace(bet_cells.CLV, priority=Priority.EXTRA),
    ColumnSpec(
        "profit",
        N_("Profit"),
        Column("+1,000.00"),
        lambda bet, _now: bet_cells.profit_cell(bet.profit),
        bet_cells.or_lowest(lambda bet: bet.profit),
        descending_first=True,
        tip=_("After commission"),
    ),
    ColumnSpec(
        "kick_off",
        N_("Kick-off"),
        Column("26 Nov 18:30", Align.LEFT),
        _kick_off,
        lambda bet: bet.time_order,
        descending_first=True,
        priority=Priority.IMPORTANT,
        sample=day_sample,
    ),
    ColumnSpec(
        "note",
        N_("Note"),
        Column(
            "close 2.71, fair 2.783",
            Align.LEFT,
            stretches=True,
            widest="close 2.71, fair 2.783 (margin proportional) and a few words more",
        ),
        _note,
        lambda bet: bet.note,
        priority=Priority.EXTRA,
    ),
)
KICK_OFF, _NOTE = ([column.key for column in COLUMNS].index(key) for key in ("kick_off", "note"))


_SETTLED: Final = Column("OddsHarvester 10-10", Align.LEFT, stretches=True)
_TO_SETTLE: Final = Column(
    "→ void · football-data 1-0 postpon",
    Align.LEFT,
    stretches=True,
    widest="→ void · football-data 1-0 postponed; bets at Pinnacle wait 12 hours for it",
)
"""The same column in the list of bets to settle, which is about it."""


class BetsModel(StableRowsModel[tuple[int], PlacedBet]):
    """The bets of a view; the latest kick-off first."""

    def __init__(
        self, clock: Callable[[], int], proposal: Callable[[PlacedBet], ToCheck | None]
    ) -> None:
        """``proposal`` returns what recorded results say about a bet; None for nothing."""
        self._proposal = proposal
        self._hidden: Container[str] = ()
        self._kept = ""
        columns = (*COLUMNS[:_NOTE], self._settled_column(), *COLUMNS[_NOTE:])
        super().__init__(columns, KICK_OFF, clock)

    def fit_view(self, hidden: Container[str], kept: str) -> None:
        """Hide columns that say nothing in a view, and keep the one that says most.

        ``LiveTable.show_columns`` then lays them out.
        """
        self._hidden, self._kept = hidden, kept

    def column(self, column: int) -> Column:
        is_kept = self.columns[column].key == self._kept
        return _TO_SETTLE if is_kept else super().column(column)

    def header(self, column: int) -> Header:
        header = super().header(column)
        if self.columns[column].key != self._kept:
            return header
        title = header.title.replace(
            self.columns[column].title, pgettext("title of a column of reasons", "Why")
        )
        return replace(header, title=title)

    def priority(self, column: int) -> Priority:
        is_kept = self.columns[column].key == self._kept
        return Priority.ESSENTIAL if is_kept else super().priority(column)

    def is_hidden(self, column: int) -> bool:
        return self.columns[column].key in self._hidden

    def tip(self, row: int, column: int) -> str:
        bet = self.entry(row)
        return facts_text(bet, self._proposal(bet))

    def _settled_column(self) -> ColumnSpec[PlacedBet, int]:
        def text(bet: PlacedBet) -> str:
            return settled_text(bet, self._proposal(bet))

        def cell(bet: PlacedBet, _now: int) -> Cell:
            is_open = self._proposal(bet) is not None
            return Cell(text(bet), TextRole.VALUE if is_open else TextRole.NOTE)

        return ColumnSpec(
            "settled",
            N_("Settled by"),
            _SETTLED,
            cell,
            text,
            priority=Priority.USEFUL,
            tip=_("Source and score, or why the bet did not settle by itself and what was found"),
        )
