"""A value bet of the service whose price is not held, assessed by its own row alone (D26)."""

from collections.abc import Sequence
from typing import Final

from oddsdesk.board.assessed import AssessedPrice
from oddsdesk.board.basis import Basis
from oddsdesk.board.games import optional_ms
from oddsdesk.board.matrix import RowKey
from oddsdesk.contract.competitions import sport_in
from oddsdesk.contract.resources import ValueBet
from oddsdesk.pricing.assessment import Group, Setting, Sighting, assess
from oddsdesk.pricing.audit import (
    AuditedRow,
    Hypothesis,
    exact_total,
    explains,
    fair_odds,
    shown_fair,
)
from oddsdesk.pricing.devig import DEFAULT_METHOD, DevigError
from oddsdesk.pricing.pushes import Pushes
from oddsdesk.pricing.selections import LineGroup, line_groups, outcome_counts
from oddsdesk.pricing.value import ReferenceLine, ReferencePrice

_CONTRACT: Final = Hypothesis(DEFAULT_METHOD, floor_in_fair_odds=False, floor_in_ev=True)


class ServiceRow:
    """What a value bet of the service says by itself.

    Args:
        bet: The row, checked.
        method: The user's devig method; the default one is taken where it has no answer.
        served: How the service may reckon, the likeliest first.
        is_judge: Whether the desk judges by whom the service judges by; else the row tells nothing
            of what the desk's reference says.
    """

    def __init__(
        self, bet: ValueBet, method: str, served: Sequence[Hypothesis], *, is_judge: bool = True
    ) -> None:
        self.bet = bet
        self.is_judge = is_judge
        self.outcomes = outcomes_of(bet, served)
        """N, the number of outcomes that the reference prices (D27)."""
        row = audited(bet)
        total = exact_total(row, served[0], self.outcomes) if served else bet.payout_rate
        self.method = method
        """The one that ``fair`` really is by."""
        self.fair = _fair(method, bet.reference_odds, total, self.outcomes) or _as_served(
            method, row, served
        )
        if self.fair is None:
            self.method = DEFAULT_METHOD
            self.fair = _fair(DEFAULT_METHOD, bet.reference_odds, total, self.outcomes)
        self._total = total

    def line(self, now_ms: int) -> ReferenceLine:
        """Return the reference's line group as far as the row tells of it."""
        bet = self.bet
        found = line_groups(bet.market_type, bet.match_name, [bet.selection], sport_in(bet))
        group = found[0]._replace(complete=True) if found else None
        if group is None or not group.sides:
            group = LineGroup("", None, (bet.selection,), ("",), complete=True)
        if not self.is_judge:
            group = group._replace(complete=False)
            return ReferenceLine(bet.market_type, group, {}, None, now_ms, is_live=None)
        price = ReferencePrice(bet.reference_odds, self._total - 1 / bet.reference_odds, self.fair)
        prices = {group.sides[0]: price}
        return ReferenceLine(bet.market_type, group, prices, self._total, now_ms, is_live=None)

    def assess(self, key: RowKey, basis: Basis, now_ms: int, *, is_offered: bool) -> AssessedPrice:
        """Assess the bet: nobody has told when its price was last seen."""
        bet, line = self.bet, self.line(now_ms)
        side, kick_off = line.group.sides[0], optional_ms(bet.match_date)
        setting = Setting(
            line=line,
            period=bet.period,
            sport=sport_in(bet),
            kick_off=kick_off,
            now_ms=now_ms,
            push=Pushes([line], None).of(line, in_play=False),
        )
        group = Group(basis.profiles.of(bet.bookmaker), frozenset((side,)))
        sighting = Sighting(side, bet.odds, None, None, is_offered=is_offered)
        return AssessedPrice(
            key=key,
            match_name=bet.match_name,
            competition=bet.competition,
            sport=sport_in(bet),
            kick_off=kick_off,
            is_live=False,
            line_key=line.group.key,
            side=side,
            assessment=assess(setting, group, sighting),
            is_in_contract=True,
            scraped_at=None,
        )


def audited(bet: ValueBet) -> AuditedRow:
    """Return the figures of a value bet that an audit looks at."""
    return AuditedRow(
        bet.market_type,
        bet.odds,
        bet.reference_odds,
        bet.payout_rate,
        bet.fair_odds,
        bet.ev_pct,
        outcome_counts(bet.market_type, sport_in(bet)) or (2,),
    )


def outcomes_of(bet: ValueBet, served: Sequence[Hypothesis]) -> int:
    """Return N: the one that the row's fair odds fit best, where the market has more than one."""
    counts = outcome_counts(bet.market_type, sport_in(bet)) or (2,)
    if len(counts) == 1:
        return counts[0]
    method = served[0].method if served else _CONTRACT.method
    fits = {count: _fair(method, bet.reference_odds, bet.payout_rate, count) for count in counts}
    return min(counts, key=lambda count: abs((fits[count] or 0.0) - bet.fair_odds))


def _as_served(method: str, row: AuditedRow, served: Sequence[Hypothesis]) -> float | None:
    """The row's own fair odds, where they can be by the user's method only."""
    mine = next((each for each in served if each.method == method), None)
    if mine is None or any(explains(each, row) for each in served if each.method != method):
        return None
    return shown_fair(row, mine)


def _fair(method: str, reference_odds: float, total: float, outcomes: int) -> float | None:
    """The fair price of one outcome, None where the method needs the other prices."""
    try:
        return fair_odds(method, reference_odds, total, outcomes)
    except DevigError:
        return None
