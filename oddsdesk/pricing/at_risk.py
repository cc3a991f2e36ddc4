"""What open bets of one game lose at worst: sides that exclude each other cannot all lose.

Bets are looked at together where one number tells them all: both teams' goals in football, the
margin of victory, a total. Different numbers count as independent, which is never too little.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.pricing.outcomes import AWAY, HOME, NO, YES
from oddsdesk.pricing.results import Goals, line_of, result_at, share_of
from oddsdesk.pricing.score_grid import MARKETS, SCORES
from oddsdesk.pricing.settlement import HANDICAPS, TOTALS

_MARGINS: Final = frozenset(
    {"moneyline", "draw_no_bet", "double_chance", "3way_handicap", *HANDICAPS}
)
_TWO_WAY: Final = 0.9
"""From this sum of 1/odds of both teams on a draw is no result of its own."""
_SCORE, _MARGIN, _TOTAL, _QUESTION = "score", "margin", "total", "question"


class OpenBet(NamedTuple):
    """An open bet that can be read."""

    outcome: tuple[str, str, int, str, str]
    """Game id, market type, period, line group, side."""
    stake: float
    net_odds: float
    sport: str
    in_play: bool = False
    """Whether it was placed in play: its handicap may count from the score then."""


class AtRisk(NamedTuple):
    """What is lost at worst."""

    total: float
    """By all bets together; 0 where something is won whatever happens."""
    by_outcome: Mapping[Hashable, float]
    """Where the outcome does not come: of it and of bets that never win with it. At most what is
    staked on it."""


class Cover(NamedTuple):
    """Which open bets of one game complete each other, as the legs of an arbitrage or a middle."""

    left: Mapping[Hashable, float]
    """By outcome: the share of what it pays, 0 to 1, that no other bets pay where it loses."""
    groups: Sequence[frozenset[Hashable]]
    """Outcomes of which one wins, or none loses, in every result."""


def at_risk(bets: Iterable[OpenBet]) -> AtRisk:
    """Return what open bets of one game lose at worst; in the money of the stakes."""
    subjects = defaultdict[Hashable, list[OpenBet]](list)
    for bet in bets:
        subjects[_subject(bet)].append(bet)
    total, by_outcome = 0.0, dict[Hashable, float]()
    for on_subject in subjects.values():
        if len(on_subject) == 1:
            (bet,) = on_subject
            total += bet.stake
            by_outcome[bet.outcome] = bet.stake
        else:
            total += _worst_of(on_subject, by_outcome)
    return AtRisk(max(0.0, total), by_outcome)


def cover_of(bets: Iterable[OpenBet]) -> Cover:
    """Return which open bets of one game complete each other; each pays for others only once.

    Those whose payouts are nearest to each other belong together.
    """
    subjects = defaultdict[Hashable, dict[Hashable, OpenBet]](dict)
    paid = defaultdict[Hashable, float](float)
    for bet in bets:
        paid[bet.outcome] += bet.stake * bet.net_odds
        known = subjects[_subject(bet)].setdefault(bet.outcome, bet)
        if known.net_odds < bet.net_odds:
            subjects[_subject(bet)][bet.outcome] = bet
    left, groups = dict(paid), list[frozenset[Hashable]]()
    for on_subject in subjects.values():
        outcomes = tuple(on_subject)
        complete = _complete(tuple(map(_named, on_subject.values())))
        waiting = [frozenset(outcomes[at] for at in group) for group in complete]
        while waiting := [each for each in waiting if all(left[one] > 0 for one in each)]:
            best = max(waiting, key=lambda group: _evenness([left[each] for each in group]))
            groups.append(best)
            covered = min(left[each] for each in best)
            for each in best:
                left[each] -= covered
    return Cover({each: left[each] / paid[each] for each in paid if paid[each]}, groups)


def _evenness(payouts: Sequence[float]) -> float:
    return min(payouts) / max(payouts)


@lru_cache(maxsize=1 << 10)
def _complete(bets: tuple[OpenBet, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the pairs and threes, by place, of which one wins or none loses in every result."""
    if len(bets) < 2:
        return ()
    shares = _distinct(bets)
    wins = [sum(1 << at for at, share in enumerate(of_bet) if share > 0) for of_bet in shares]
    loses = [sum(1 << at for at, share in enumerate(of_bet) if share < 0) for of_bet in shares]
    found = list[tuple[int, ...]]()
    for count in (2, 3):
        for group in combinations(range(len(bets)), count):
            won = lost = 0
            for at in group:
                won, lost = won | wins[at], lost | loses[at]
            if not lost & ~won and not any(set(each) < set(group) for each in found):
                found.append(group)
    return tuple(found)


def _worst_of(bets: Sequence[OpenBet], by_outcome: dict[Hashable, float]) -> float:
    """Return what is lost at worst, below 0 if won; enter the same of each outcome."""
    shares = _distinct(tuple(map(_named, bets)))
    gains = [
        [bet.stake * (share * (bet.net_odds - 1) if share > 0 else share) for share in of_bet]
        for bet, of_bet in zip(bets, shares, strict=True)
    ]
    for outcome in dict.fromkeys(bet.outcome for bet in bets):
        first = next(at for at, bet in enumerate(bets) if bet.outcome == outcome)
        on_it = shares[first]
        beside = [
            gains[at]
            for at, bet in enumerate(bets)
            if bet.outcome == outcome or not _win_together(on_it, shares[at])
        ]
        staked = math.fsum(bet.stake for bet in bets if bet.outcome == outcome)
        losses = [
            -math.fsum(column) for share, *column in zip(on_it, *beside, strict=True) if share < 0
        ]
        by_outcome[outcome] = min(staked, max(0.0, *losses)) if losses else 0.0
    return max(-math.fsum(column) for column in zip(*gains, strict=True))


def _win_together(one: Sequence[float], other: Sequence[float]) -> bool:
    return any(a > 0 and b > 0 for a, b in zip(one, other, strict=True))


def _subject(bet: OpenBet) -> tuple[object, ...]:
    """Return what tells how a bet ends; bets with the same are looked at together."""
    _, market_type, period, key, _ = bet.outcome
    if bet.in_play and market_type in _MARGINS and market_type != "moneyline":
        return period, _MARGIN, market_type, key
    if bet.sport == FOOTBALL and market_type in MARKETS:
        return period, _SCORE
    if market_type in TOTALS:
        return period, _TOTAL, market_type, key.rpartition(" ")[0]
    if market_type in HANDICAPS and market_type != "spread":
        return period, _MARGIN, market_type  # games of tennis
    if market_type in _MARGINS:
        return period, _MARGIN
    return period, _QUESTION, market_type, key


def _named(bet: OpenBet) -> OpenBet:
    """Return what of a bet tells how it ends; the odds of teams tell whether there are draws."""
    _, market_type, period, key, side = bet.outcome
    odds = bet.net_odds if market_type == "moneyline" else 0.0
    return OpenBet(("", market_type, period, key, side), 0.0, odds, bet.sport, bet.in_play)


@lru_cache(maxsize=1 << 10)
def _distinct(bets: tuple[OpenBet, ...]) -> tuple[tuple[float, ...], ...]:
    """Return what of a unit each bet wins, in each way in which they may end together."""
    return tuple(zip(*set(zip(*_shares(bets), strict=True)), strict=True))


def _shares(bets: Sequence[OpenBet]) -> list[Sequence[float]]:
    """Return what of a unit each bet wins, in each result that there may be."""
    kind = _subject(bets[0])[1]
    if kind == _QUESTION:
        sides = {bet.outcome[4] for bet in bets}
        answers = {YES, NO} if sides <= {YES, NO} else {*sides, ""}
        return [[1.0 if bet.outcome[4] == each else -1.0 for each in answers] for bet in bets]
    if kind == _SCORE:
        results: Sequence[Goals] = SCORES
    elif kind == _TOTAL:
        results = [Goals(number, 0) for number in _around(bets) if number >= 0]
    else:
        margins = {*_around(bets), -1, 0, 1} - ({0} if _is_two_way(bets) else set())
        results = [Goals(max(0, each), max(0, -each)) for each in margins]
    return [[_share(bet, goals) for goals in results] for bet in bets]


def _share(bet: OpenBet, goals: Goals) -> float:
    _, market_type, _, key, side = bet.outcome
    if market_type in TOTALS and market_type != "team_total":
        market_type = "total"
    elif market_type in HANDICAPS:
        market_type = "spread"
    if market_type == "team_total" and bet.sport != FOOTBALL:
        market_type = "total"
    found = result_at(market_type, key, side, goals)
    return -1.0 if found is None else share_of(found)


def _around(bets: Iterable[OpenBet]) -> set[int]:
    """Return the whole numbers around all lines: beyond them nothing differs."""
    lines = [line_of(bet.outcome[3]) for bet in bets]
    lines += [-line for line in lines]  # a handicap of -2.5 is passed at 3
    return {number for line in lines for number in range(math.floor(line) - 1, math.ceil(line) + 2)}


def _is_two_way(bets: Iterable[OpenBet]) -> bool:
    """Whether no game is drawn, as far as the odds of both teams tell; of sports but football."""
    best = dict[str, float]()
    for bet in bets:
        if bet.outcome[1] == "moneyline":
            best[bet.outcome[4]] = max(best.get(bet.outcome[4], 0.0), bet.net_odds)
    return best.keys() == {HOME, AWAY} and sum(1 / odds for odds in best.values()) >= _TWO_WAY
