"""How bets are shown in rows, both the user's and those of a backtest."""

from collections.abc import Callable
from typing import Final

from oddsdesk.base.market_words import (
    market_text,
    period_text,
    selection_order,
    selection_text,
    shown_game,
)
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, translated
from oddsdesk.board.valuation.verdict_words import PER_DECIDED, PER_DECIDED_TEXT
from oddsdesk.contract.markets import MARKET_RANK
from oddsdesk.desk.ui import formatting
from oddsdesk.desk.ui.table.cells import Align, Cell, Column, ColumnSpec, Priority
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet

_LOWEST: Final = float("-inf")


def stake_text(bet: PlacedBet) -> str:
    """Return a bet's stake with its currency, and its kind unless it is a plain bet."""
    money = f"{num(bet.stake):,.2f}{f' {bet.currency}' if bet.currency else ''}"
    if bet.liability is not None:
        return _("lay {stake} (liability {liability})").format(
            stake=money, liability=f"{num(bet.liability):,.2f}"
        )
    return money if bet.kind is BetKind.BACK else f"{translated(bet.kind.words)} {money}"


def market_and_game(bet: PlacedBet) -> str:
    """Return the market and game of a bet, as far as known."""
    game = shown_game(bet.match_name)
    return ", ".join(filter(None, (_market_text(bet), game)))


def at_bookmaker(bet: PlacedBet) -> str:
    """Return " at " and the bookmaker of a bet; empty if that was not recorded."""
    return _(" at {bookmaker}").format(bookmaker=bet.bookmaker) if bet.bookmaker else ""


def bet_named(bet: PlacedBet) -> str:
    """Return a bet in words: stake, selection, bookmaker and odds."""
    where = f" ({what})" if (what := market_and_game(bet)) else ""
    odds = formatting.exact_odds_text(bet.odds)
    what = _("{stake} on {selection}").format(
        stake=stake_text(bet), selection=selection_text(bet.selection)
    )
    odds = _("odds {odds}").format(odds=odds)
    return ", ".join(filter(None, (f"{what}{where}", bet.bookmaker, odds)))


def odds_cell(bet: PlacedBet, _now: int) -> Cell:
    """Return the odds of a bet, and the odds after commission if lower."""
    net = "" if bet.net == bet.odds else formatting.odds_text(bet.net)
    return Cell(formatting.odds_text(bet.odds), TextRole.STRONG, note=net)


def ev_cell(bet: PlacedBet, _now: int) -> Cell:
    """Return the EV at the time of the bet; ``~`` marks derived fair odds."""
    mark, unit = "~" if bet.derived else "", PER_DECIDED if bet.per == "decided" else ""
    ev = "" if bet.ev is None else formatting.edge_text(bet.ev)
    return Cell(ev, TextRole.SOFT, note=" ".join(filter(None, (mark, unit))))


def profit_cell(profit: float | None) -> Cell:
    """Return a profit or loss; empty if unknown."""
    if profit is None:
        return Cell("", TextRole.NOTE)
    ink = TextRole.UP if profit > 0 else TextRole.DOWN if profit < 0 else TextRole.SOFT
    return Cell(formatting.signed_hundredths_text(profit), ink, is_strong=True)


def or_lowest(value: Callable[[PlacedBet], float | None]) -> Callable[[PlacedBet], float]:
    """Return a sort key for a figure that sorts unknown as lowest."""
    return lambda bet: _LOWEST if (found := value(bet)) is None else found


def _outcome(bet: PlacedBet, _now: int) -> Cell:
    game = formatting.game_text(bet.selection, bet.match_name) if bet.match_name else ""
    return Cell(selection_text(bet.selection), TextRole.STRONG, note=game, is_strong=True)


def _market_text(bet: PlacedBet) -> str:
    title = market_text(bet.market_type) if bet.market_type else ""
    part = f" · {period_text(bet.sport, bet.period)}" if bet.period else ""
    return f"{title}{part}"


def _market(bet: PlacedBet, _now: int) -> Cell:
    return Cell(_market_text(bet), TextRole.SOFT)


def _clv(bet: PlacedBet, _now: int) -> Cell:
    clv = bet.clv_pct
    if clv is not None:
        unit = PER_DECIDED if bet.clv_per == "decided" else ""
        return Cell(
            f"{formatting.signed_text(clv)} %", TextRole.UP if clv > 0 else TextRole.DOWN, note=unit
        )
    if bet.close is None:
        return Cell("", TextRole.NOTE)
    return Cell(_("line moved") if bet.close.moved_to else _("no close"), TextRole.NOTE)


OUTCOME: Final = ColumnSpec[PlacedBet, int](
    "outcome",
    _("Selection"),
    Column(
        "Wolverhampton −0.75 at L",
        Align.LEFT,
        stretches=True,
        likes="Wolverhampton −0.75 at Nottingham Forest",
        widest="Minnesota Timberwolves −113.5 at Oklahoma City Thunder or so",
        before_others=f"{selection_text('Home Over 113.5')} Minneso",
        narrow=selection_text("Over 113.5"),
    ),
    _outcome,
    lambda bet: (selection_order(bet.selection), bet.match_name),
    tip=_("Selection and game"),
)
MARKET: Final = ColumnSpec[PlacedBet, int](
    "market",
    _("Market"),
    Column(f"{market_text('moneyline')} · 1st", Align.LEFT),
    _market,
    lambda bet: (MARKET_RANK.get(bet.market_type, len(MARKET_RANK)), bet.period),
    in_short=lambda bet: formatting.untold_text(
        bet.market_type, bet.sport, bet.period, bet.selection, bet.match_name
    ),
    priority=Priority.USEFUL,
)
CLV: Final = ColumnSpec[PlacedBet, int](
    "clv",
    _("CLV"),
    Column(_("line moved"), note_sample=PER_DECIDED),
    _clv,
    or_lowest(lambda bet: bet.clv_pct),
    descending_first=True,
    tip=_(
        "Closing line value per unit staked: odds after commission against the fair closing "
        "odds; {mark} {meaning}"
    ).format(mark=PER_DECIDED, meaning=PER_DECIDED_TEXT),
)
