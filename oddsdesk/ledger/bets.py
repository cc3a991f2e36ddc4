"""Placed bets: what the user bet, what it was judged by at that moment, and what became of it."""

import math
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final

import msgspec

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.closing import MOST_AGE_MS, ClosingLine
from oddsdesk.pricing.outcomes import read_selection
from oddsdesk.pricing.pushes import can_push
from oddsdesk.pricing.reports import SettledBet
from oddsdesk.pricing.results import Result, clv_pct, decided_share, profit_of
from oddsdesk.pricing.settlement import HANDICAPS, TOTALS

TOO_MUCH: Final = 1e12
"""Neither odds nor amounts of money are so large."""
_MOST_PERIODS: Final = 100

BetKey = tuple[str, str, int, str, str]
"""Game id, market type, period, selection, bookmaker."""


class PlacedBet(msgspec.Struct, frozen=True):
    """A bet that the user placed, and what was thought then (D56).

    Times in milliseconds, EV in percent. Odds, stake, currency and bookmaker are as typed.
    """

    game_id: str
    match_name: str
    competition: str
    sport: str
    market_type: str
    period: int
    selection: str
    bookmaker: str
    odds: float
    stake: float
    placed_at: int
    kick_off: int | None = None
    fair_odds: float | None = None
    """Before the safety floor."""
    true_ev: float | None = None
    """Of ``odds`` after commission, safety floor included; recorded before version 2 of the
    ledger, it is of the odds that were listed."""
    per: str = ""
    """Of what unit ``true_ev`` is: ``staked`` or ``decided``, as ``Assessment.per``; empty where
    that was not recorded."""
    method: str = ""
    """The devig method that made ``fair_odds``; empty where there are none."""
    reference: str = ""
    """Whom ``fair_odds`` are by, as the desk named it; empty where that was not recorded: then it
    was whom the service judged by."""
    net_odds: float | None = None
    """What ``odds`` pay after commission, tax and fees, as the bookmaker was known then."""
    currency: str = ""
    """Of the stake; empty for the user's own money."""
    age_ms: int | None = None
    """How old the price was when the bet was placed; None where that was not known."""
    cautions: tuple[str, ...] = ()
    """What spoke against the price, as ``pricing.assessment.Caution`` names it."""
    account: str = ""
    """With which of the user's accounts there, in the user's words."""
    note: str = ""
    preset: str = ""
    """Which preset listed it; empty where none did."""
    practice: bool = False
    """Whether the price was simulated: no money is on it. ``counted`` says where it counts."""
    leg: bool = False
    """Whether it was recorded as a leg of an opportunity: its other sides are to be bet on too."""
    result: Result | None = None
    """None while it is open."""
    settled_at: int | None = None
    """When its result was recorded."""
    cashed_stake: float = 0.0
    """The part of the stake that was sold back; all of it where the bet was cashed out."""
    cashed_back: float = 0.0
    """What was paid for that part."""
    close: ClosingLine | None = None
    """None while nobody has looked for it."""
    ident: int | None = None
    """Given when the bet is recorded."""

    @property
    def key(self) -> BetKey:
        """What the bet was on, and where."""
        return (self.game_id, self.market_type, self.period, self.selection, self.bookmaker)

    @property
    def outcome(self) -> tuple[str, str, int, str]:
        """What the bet was on, wherever."""
        return self.key[:4]

    @property
    def net(self) -> float:
        """What the odds pay after commission, as far as that was known."""
        return self.odds if self.net_odds is None else self.net_odds

    @property
    def open_stake(self) -> float:
        """What is still at risk; 0 once it is settled."""
        return 0.0 if self.result is not None else self.stake - self.cashed_stake

    @property
    def profit(self) -> float | None:
        """What it earned, net of commission; None while it is open."""
        if self.result is None:
            return None
        return self._decided_profit(self.result) + self.cashed_back - self.cashed_stake

    @property
    def expected(self) -> float | None:
        """What its EV promised when it was placed; None where that was not known.

        Of what was decided where its EV is of a decided unit (D53): None while it is open.
        """
        if self.true_ev is None or (self._of_decided and self.result is None):
            return None
        share = self._decided if self._of_decided else 1.0
        return self.stake * share * self.true_ev / 100

    @property
    def has_others_close(self) -> bool:
        """Whether the close that is recorded is another game's: it was seen far from the kick-off.

        Earlier versions looked for a close by competition and names alone.
        """
        at = None if self.close is None else self.close.at
        if at is None or self.kick_off is None:
            return False
        return not -FARTHEST_CLOSE_MS - MOST_AGE_MS <= at - self.kick_off <= FARTHEST_CLOSE_MS

    @property
    def clv_pct(self) -> float | None:
        """Net odds over the fair close in percent of ``clv_per`` (D57).

        None without a close of its own game.
        """
        close = self.close
        if close is None or close.fair_odds is None or self.has_others_close:
            return None
        return clv_pct(self.net, close.fair_odds, 1.0 if close.decided is None else close.decided)

    @property
    def clv_per(self) -> str:
        """Of what unit ``clv_pct`` is, as ``per`` is of the EV; empty without a close.

        ``decided`` where the line can push and nobody knows how often: so it is of all closes of
        such lines that were recorded before the share was kept.
        """
        if self.close is None or self.clv_pct is None:
            return ""
        if self.close.decided is not None:
            return "staked"
        read = read_selection(self.market_type, self.match_name, self.selection)
        may_push = read is None or can_push(self.market_type, read.line)
        return "decided" if may_push else "staked"

    @property
    def order(self) -> tuple[int, int]:
        """Where it stands in time: by its kick-off, else by when it was placed."""
        return (self.placed_at if self.kick_off is None else self.kick_off, self.ident or 0)

    def state(self, now_ms: int) -> "BetState":
        """Return how it stands."""
        if self.result is not None:
            return BetState.SETTLED
        ends = self.placed_at + UNDATED_MS
        if self.kick_off is not None:
            ends = self.kick_off + LONGEST_GAME_MS
        return BetState.TO_SETTLE if now_ms > ends else BetState.OPEN

    def as_settled(self) -> SettledBet | None:
        """Return it as reports count it; None while it is open."""
        profit, result = self.profit, self.result
        if profit is None or result is None or not self.stake:
            return None
        earned = self._decided_profit(result)
        return SettledBet(
            *(self.stake, self.net, profit, self._decided, earned, self.expected, self.clv_pct),
            is_clv_decided=self.clv_per == "decided",
        )

    @property
    def _of_decided(self) -> bool:
        return self.per == "decided"

    @property
    def _decided(self) -> float:
        """The share of the stake that was won or lost."""
        if self.result is None or not self.stake:
            return 0.0
        return decided_share(self.result) * (self.stake - self.cashed_stake) / self.stake

    def _decided_profit(self, result: Result) -> float:
        return profit_of(result, self.stake - self.cashed_stake, self.net)


def counted(bets: Iterable[PlacedBet], *, simulated: bool | None = False) -> Iterator[PlacedBet]:
    """Yield the bets that count: beside simulated odds those of practice, else those of money."""
    return (bet for bet in bets if bet.practice == bool(simulated))


FARTHEST_CLOSE_MS: Final = 12 * 60 * MINUTE_MS
"""A game that begins this long before its bet's kick-off or after it is another one (D97)."""
LONGEST_GAME_MS: Final = 150 * MINUTE_MS
"""So long after its kick-off a bet waits for its result."""
UNDATED_MS: Final = 7 * 24 * 60 * MINUTE_MS
"""So long after it was placed, where nobody knows its kick-off: most bets are of the week."""


class BetState(Enum):
    """How a bet stands."""

    OPEN = "open"
    TO_SETTLE = "to settle"
    """Its game should be over by now."""
    SETTLED = "settled"


class BadBetError(ValueError):
    """A bet that cannot be; one line that says what was expected."""


def check_bet(bet: PlacedBet) -> PlacedBet:
    """Return a bet that can be.

    Raises:
        BadBetError: odds, stake or what was cashed out make no sense.
    """
    if not 1 < bet.odds < TOO_MUCH:
        raise BadBetError(f"odds {bet.odds:g}: expected decimal odds above 1")
    if not 1 <= bet.net < TOO_MUCH:
        raise BadBetError(f"net odds {bet.net:g}: they pay back less than the stake")
    if not 0 < bet.stake < TOO_MUCH:
        raise BadBetError(f"stake {bet.stake:g}: expected an amount above 0 and below 1e12")
    if not 0 <= bet.period < _MOST_PERIODS:
        raise BadBetError(f"period {bet.period}: expected 0 for the whole game, or a part of it")
    if not (0 <= bet.cashed_stake <= bet.stake and 0 <= bet.cashed_back < TOO_MUCH):
        raise BadBetError(
            f"cashed out {bet.cashed_stake:g} for {bet.cashed_back:g}: expected a part of the "
            f"stake, {bet.stake:g}, and what was paid for it"
        )
    if bet.per not in {"", "staked", "decided"}:
        raise BadBetError(f"per {bet.per!r}: expected staked or decided")
    if (bet.result is Result.CASHED_OUT) != (bet.cashed_stake == bet.stake):
        raise BadBetError("a bet is cashed out where all of its stake is, and only there")
    return bet


class HalfResultError(BadBetError):
    """A half result of a bet that cannot be won or lost by half; one line."""


def check_half(bet: PlacedBet) -> PlacedBet:
    """Return a bet whose result its selection can have.

    Only quarter lines are won or lost by half. What cannot be read may be one.

    Raises:
        HalfResultError: it is half won or half lost, and of no quarter line.
    """
    if bet.result not in {Result.HALF_WON, Result.HALF_LOST}:
        return bet
    read = read_selection(bet.market_type, bet.match_name, bet.selection)
    if read is None:
        return bet
    has_lines = bet.market_type in HANDICAPS | TOTALS
    if has_lines and read.line is not None and not (read.line * 2).is_integer():
        return bet
    raise HalfResultError(
        f"{bet.selection} is won or lost as a whole: half results are for quarter lines such as "
        "-0.75 or 2.25"
    )


def settled(bet: PlacedBet, result: Result | None, now_ms: int) -> PlacedBet:
    """Return a bet with a result, or open again; a part that was cashed out of it stays so.

    One that was cashed out in full is open again as it was placed: which part was the last is not
    known.

    Raises:
        HalfResultError: its selection cannot be won or lost by half.
        BadBetError: all of it was cashed out, or is to be: ``cashed_out`` does that.
    """
    when = None if result is None else now_ms
    if result is None and bet.result is Result.CASHED_OUT:
        bet = msgspec.structs.replace(bet, cashed_stake=0.0, cashed_back=0.0)
    return check_half(check_bet(msgspec.structs.replace(bet, result=result, settled_at=when)))


def cashed_out(bet: PlacedBet, stake: float, back: float, now_ms: int) -> PlacedBet:
    """Return a bet of whose stake a part was sold back, or all that is left of it.

    Raises:
        BadBetError: that is more than is open, or makes no sense.
    """
    if bet.result is not None:
        raise BadBetError(f"it has a result already: {bet.result.value.replace('_', ' ')}")
    if not 0 < stake <= bet.open_stake or not 0 <= back < math.inf:
        raise BadBetError(f"expected a part of what is open, up to {bet.open_stake:g}")
    is_whole = stake == bet.open_stake
    return check_bet(
        msgspec.structs.replace(
            bet,
            cashed_stake=bet.stake if is_whole else bet.cashed_stake + stake,
            cashed_back=bet.cashed_back + back,
            result=Result.CASHED_OUT if is_whole else None,
            settled_at=now_ms if is_whole else None,
        )
    )
