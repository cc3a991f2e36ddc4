"""Stakes of a backtest: flat, a share of the running bankroll, or Kelly with the desk's caps.

The bets of a backtest are found first, then staked in the order of placing. A bettor's bankroll at
a moment is the start plus the profit of all games that were over by then. Stakes of open bets are
still part of it, but they are not at hand: all open bets together never exceed the bankroll. Bets
placed at the same moment are staked together, in hundredths of a unit.

A game is over when a source reported its final result within a day of its start, else some hours
after kick-off (``GAME_HOURS``). A bet without a result gets its stake back then.

Kelly's stakes are those of the desk (``pricing.exposure``): sides that exclude each other, and
lines whose results are known together, are solved together, and open bets count. Limits of
bookmakers are left out, since they are amounts of money, and a bankroll here is in units.
"""

import heapq
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.base.numbers import num
from oddsdesk.base.tasks import returned
from oddsdesk.base.texts import N_
from oddsdesk.board.model.basis import Basis
from oddsdesk.board.model.matrix import Matrix
from oddsdesk.board.valuation.bets import GameResults, fair_lines, offer_of
from oddsdesk.board.valuation.judging import AssessedPrice
from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.results import GameResult
from oddsdesk.contract.times import DAY_MS, HOUR_MS
from oddsdesk.ledger.bets import UNDATED_MS, BetKey, PlacedBet
from oddsdesk.ledger.open_bets import outcome_named, placed_in
from oddsdesk.pricing.exposure import Bound, Offer, Placed, Results, StakePlan, staking
from oddsdesk.pricing.score_models import Line
from oddsdesk.pricing.selections import read_selection, settlement
from oddsdesk.research.question import Staking
from oddsdesk.research.recorded_log import RecordedLog

STEP: Final = 0.01
"""Stakes are whole multiples of it, rounded down."""
GAME_HOURS: Final[Mapping[str, float]] = MappingProxyType(
    {
        FOOTBALL: 2.0,
        "AmericanFootball": 3.5,
        "Baseball": 3.5,
        "Basketball": 2.5,
        "Hockey": 3.0,
        "Rugby": 2.0,
    }
)
"""By sport, how long after kick-off a game counts as over if no source reported its end."""
OTHER_HOURS: Final = 4.0
"""The same in other sports, tennis among them."""
_DIGITS: Final = 2
_REFUSED: Final = {
    Bound.OUTCOME: N_("cap on an outcome"),
    Bound.GAME: N_("cap on a game"),
    Bound.TOTAL: N_("too little room left by open bets"),
    Bound.SAME_GAME: N_("staked on another bet of the game"),
    Bound.PLACED: N_("open bets on the game are enough"),
    Bound.ROUNDING: N_(f"less than {STEP} units"),
    Bound.NO_EDGE: N_("no gain on top of other bets"),
    Bound.KELLY: N_("nothing by Kelly"),
}
_DUST: Final = 1e-9


class Judged(NamedTuple):
    """What Kelly's stake on a bet rests on, as known when it was placed."""

    offer: Offer
    lines: Sequence[Line] = ()
    """The fair lines of the game, by which its bets are staked together."""


def judged_price(price: AssessedPrice, matrix: Matrix, basis: Basis) -> Judged:
    """Return what Kelly's stake on a value bet rests on, at the moment of the bet."""
    offer = offer_of(price, price.outcome, basis.profiles)
    assert offer is not None
    return Judged(offer._replace(most=None, ladder=None), fair_lines(matrix))


def judged_by_fair_odds(bet: PlacedBet) -> Judged:
    """Return the same of a bet that cannot push, by its fair odds alone.

    The other sides of its line exclude it.
    """
    read = read_selection(bet.market_type, bet.match_name, bet.selection)
    assert read is not None
    assert bet.fair_odds is not None
    offer = Offer(
        outcome=outcome_named(bet.bet_key, bet.match_name, bet.sport, in_play=bet.is_in_play),
        group=(*bet.bet_key[:3], read.key),
        game=bet.game_id,
        bookmaker=bet.bookmaker,
        net_odds=bet.net,
        settlement=settlement(1 / bet.fair_odds, 0.0, None, is_above=False),
    )
    return Judged(offer)


class Bankroll(msgspec.Struct, frozen=True):
    """How a bankroll went, in units."""

    start: float
    end: float
    bets: int
    """Number of bets with a stake."""
    course: tuple[tuple[int, float], ...]
    """After each moment at which games were over: the time in milliseconds, and the bankroll."""
    drawdown: float
    """The deepest fall from an earlier peak; 0 or negative."""
    drawdown_pct: float
    """The deepest fall in percent of the earlier peak, which may be another one."""
    largest_stake: float
    refused: Mapping[Bound, int]
    """How many bets got no stake, by what limited them."""
    returned: int
    """How many stakes came back because the bet has no result."""

    @property
    def growth_pct(self) -> float:
        """Growth from start to end in percent."""
        return (self.end / self.start - 1) * 100

    @property
    def growth_per_bet_pct(self) -> float | None:
        """The growth that each bet would give if all gave the same; None without bets."""
        if not self.bets:
            return None
        return (math.pow(self.end / self.start, 1 / self.bets) - 1) * 100


def bankroll_lines(found: Bankroll) -> list[str]:
    """Return how the bankroll went, and which bets had no stake or no result; one line each."""
    per_bet = found.growth_per_bet_pct
    start, end = f"{num(found.start):,.2f}", f"{num(found.end):,.2f}"
    growth, largest = f"{num(found.growth_pct):+.2f}", f"{num(found.largest_stake):,.2f}"
    fall, fall_pct = f"{num(found.drawdown):,.2f}", f"{num(found.drawdown_pct):.2f}"
    if per_bet is None:
        lines = [
            N_(
                f"bankroll {start} to {end} units ({growth} %), deepest drawdown {fall} units and"
                f" {fall_pct} %, largest stake {largest}"
            )
        ]
    else:
        each = f"{num(per_bet):+.3f}"
        lines = [
            N_(
                f"bankroll {start} to {end} units ({growth} %, {each} % a bet), deepest drawdown"
                f" {fall} units and {fall_pct} %, largest stake {largest}"
            )
        ]
    if refused := sum(found.refused.values()):
        counts = sorted(found.refused.items(), key=lambda each: (-each[1], each[0].value))
        whys = [f"{_REFUSED[bound]} ({num(count):,})" for bound, count in counts]
        if len(counts) == 1:
            whys = [_REFUSED[counts[0][0]]]
        reasons = ", ".join(whys)
        lines.append(N_(f"{_bets(refused)} got no stake: {reasons}"))
    if found.returned:
        lines.append(N_(f"the stake of {_bets(found.returned)} without a result came back"))
    return lines


def bankroll_fields(found: Bankroll | None) -> dict[str, Any] | None:
    """Return the same in the form that ``--json`` prints; null with flat stakes."""
    if found is None:
        return None
    return {
        "start": found.start,
        "end": found.end,
        "growth_pct": found.growth_pct,
        "growth_per_bet_pct": found.growth_per_bet_pct,
        "drawdown": found.drawdown,
        "drawdown_pct": found.drawdown_pct,
        "largest_stake": found.largest_stake,
        "refused": {bound.value: count for bound, count in found.refused.items()},
        "returned": found.returned,
    }


def _bets(count: int) -> str:
    return f"{num(count):,} bet{'' if count == 1 else 's'}"


class Staked(NamedTuple):
    """Bets with their stakes."""

    bets: list[PlacedBet]
    """Without those that got no stake."""
    bankroll: Bankroll | None
    """None with flat stakes."""


def stake_bets(
    bets: Iterable[PlacedBet], by: Staking, judged: Mapping[BetKey, Judged], log: RecordedLog
) -> Staked:
    """Return bets with their stakes, in the same order.

    Args:
        bets: Bets of one unit each, with their results.
        by: How they are staked.
        judged: What Kelly's stakes rest on; a bet that is missing is judged by its fair odds.
        log: Says when games were over.
    """
    held = list(bets)
    if by.kind == "flat":
        return Staked(held, None)
    bettor = _Bettor(by, judged, log)
    ordered = sorted(held, key=_order)
    for now_ms, together in groupby(ordered, key=lambda bet: bet.placed_at):
        bettor.place_bets(list(together), now_ms)
    bettor.settle_bets(None)
    staked = (bettor.staked.get(bet.bet_key) for bet in held)
    return Staked([bet for bet in staked if bet is not None], bettor.bankroll())


def over_at(bet: PlacedBet, results: Iterable[GameResult] = ()) -> int:
    """Return when a bet's game counts as over, in milliseconds, after the bet was placed.

    ``results`` are the final ones of the game; one played later than planned says when.
    """
    start = bet.kick_off
    if start is None:
        return bet.placed_at + UNDATED_MS
    found = list(results)
    start = max([start, *(each.kick_off for each in found if each.has_time)])
    reported = [each.reported_at for each in found if 0 < each.reported_at - start <= DAY_MS]
    over = min(reported, default=start + game_ms(bet.sport))
    return max(over, bet.placed_at + 1)


def game_ms(sport: str) -> int:
    """Return how long after kick-off a game counts as over if nobody reported its end."""
    return round(GAME_HOURS.get(sport, OTHER_HOURS) * HOUR_MS)


def _order(bet: PlacedBet) -> tuple[object, ...]:
    return (bet.placed_at, bet.match_name, *bet.bet_key)


class _Bettor:
    """Stakes bets one moment after the other; amounts in units."""

    def __init__(self, by: Staking, judged: Mapping[BetKey, Judged], log: RecordedLog) -> None:
        self.staked: dict[BetKey, PlacedBet] = {}
        self._by = by
        self._judged = judged
        self._log = log
        self._now = by.bankroll
        self._open: list[tuple[int, BetKey]] = []
        """A heap of the open bets, by when their games are over."""
        self._course = list[tuple[int, float]]()
        self._refused = Counter[Bound]()
        self._returned = 0
        self._results = GameResults()
        self._by_fair_odds: dict[Hashable, Offer] = {}
        """By outcome, the offers that were judged by fair odds alone."""

    def place_bets(self, bets: Sequence[PlacedBet], now_ms: int) -> None:
        """Stake the bets of a moment."""
        self.settle_bets(now_ms)
        at_hand = self._now - math.fsum(self.staked[key].stake for _, key in self._open)
        if at_hand < STEP * (1 - _DUST):
            self._refused[Bound.ROUNDING] += len(bets)
            return
        if self._by.kind == "kelly":
            stakes = self._by_kelly(bets, now_ms, at_hand)
        else:
            stakes = [self._by_share(at_hand, len(bets))] * len(bets)
        for bet, (amount, bound) in zip(bets, stakes, strict=True):
            if amount:
                self.staked[bet.bet_key] = msgspec.structs.replace(bet, stake=amount)
                heapq.heappush(self._open, (self._over_at(bet), bet.bet_key))
            else:
                self._refused[bound] += 1

    def settle_bets(self, now_ms: int | None) -> None:
        """Take in the profit of the games that are over; None: of all."""
        while self._open and (now_ms is None or self._open[0][0] <= now_ms):
            at, key = heapq.heappop(self._open)
            profit = self.staked[key].profit
            if profit is None:
                self._returned += 1
            self._now += profit or 0.0
            if self._course and self._course[-1][0] == at:
                del self._course[-1]
            self._course.append((at, self._now))

    def bankroll(self) -> Bankroll:
        """Return how the bankroll went."""
        peak, fall, fall_pct = self._by.bankroll, 0.0, 0.0
        for _, amount in self._course:
            peak = max(peak, amount)
            fall = min(fall, amount - peak)
            fall_pct = min(fall_pct, (amount / peak - 1) * 100)
        return Bankroll(
            start=self._by.bankroll,
            end=self._now,
            bets=len(self.staked),
            course=tuple(self._course),
            drawdown=fall,
            drawdown_pct=fall_pct,
            largest_stake=max((bet.stake for bet in self.staked.values()), default=0.0),
            refused=dict(self._refused),
            returned=self._returned,
        )

    def _over_at(self, bet: PlacedBet) -> int:
        named = bet.game_id, bet.match_name, bet.competition
        return over_at(bet, self._log.final_scores(*named, bet.kick_off).results)

    def _by_share(self, at_hand: float, count: int) -> tuple[float, Bound]:
        """Return the stake of each of some bets: the share, or an equal part of what is at hand."""
        wanted = self._by.share * self._now
        room = min(wanted, at_hand / count)
        bound = Bound.TOTAL if room < wanted and wanted >= STEP else Bound.ROUNDING
        return round(math.floor(room / STEP + _DUST) * STEP, _DIGITS), bound

    def _by_kelly(
        self, bets: Sequence[PlacedBet], now_ms: int, at_hand: float
    ) -> list[tuple[float, Bound]]:
        by = self._by
        plan = StakePlan(
            bankroll=self._now,
            kelly_share=by.share,
            outcome_cap=by.outcome_cap,
            game_cap=by.game_cap,
            total_cap=by.total_cap,
            step=STEP,
        )
        placed = self._placed(now_ms)
        # What is at hand limits the stakes, too, however little the open bets can lose together.
        placed = placed._replace(total=max(placed.total, self._now * by.total_cap - at_hand))
        judged = [self._judged_at(bet) for bet in bets]
        by_lines = self._results.among({each.offer.game: each.lines for each in judged}, placed)

        def results_of(offers: Sequence[Offer]) -> Results | None:
            return by_lines(offers) or self._exclusive(offers, placed)

        found = returned(staking(plan, [each.offer for each in judged], placed, results_of))
        return [(each.amount, each.bound or Bound.SAME_GAME) for each in found]

    def _exclusive(self, offers: Sequence[Offer], placed: Placed) -> Results | None:
        """Return the results of a game with open bets on other sides of the same line.

        None for other games, and for bets that were not judged by their fair odds alone.
        """
        held = placed.positions.get(offers[0].game, ())
        outcomes = dict.fromkeys(
            [*(bet.outcome for bet in held), *(each.outcome for each in offers)]
        )
        sides = [self._by_fair_odds[each] for each in outcomes if each in self._by_fair_odds]
        chances = [side.settlement.win for side in sides]
        none = 1 - math.fsum(chances)
        is_one_line = len(sides) == len(outcomes) and len({side.group for side in sides}) == 1
        if not held or not is_one_line or none < 0:
            return None
        shares = {
            outcome: [1.0 if won == place else -1.0 for won in range(len(sides) + 1)]
            for place, outcome in enumerate(outcomes)
        }
        earned = [
            math.fsum(bet.profit(shares[bet.outcome][won]) for bet in held)
            for won in range(len(sides) + 1)
        ]
        return Results([*chances, none], shares, earned)

    def _judged_at(self, bet: PlacedBet) -> Judged:
        found = self._judged.get(bet.bet_key)
        if found is None:
            found = judged_by_fair_odds(bet)
            self._by_fair_odds[found.offer.outcome] = found.offer
        return found

    def _placed(self, now_ms: int) -> Placed:
        """Return the open bets, whose results nobody knows yet."""
        if not self._open:
            return Placed()
        held = [self.staked[key] for _, key in sorted(self._open)]
        return placed_in((msgspec.structs.replace(bet, result=None) for bet in held), now_ms)
