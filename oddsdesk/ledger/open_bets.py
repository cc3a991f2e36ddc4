"""Open bets, as the stake limits count them.

Bets are evaluated together if one number decides them all: both teams' goals in football, the
margin of victory, a total. Different numbers count as independent, which never understates risk.

A lay bet is a bet of its liability on the other side. A multiple is on each of its open legs with
its whole stake, which counts as lost however each of them ends, until one leg is left: then it is a
bet on that leg.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.markets import HANDICAPS, SCORE_MARKETS, TOTALS, Form, types_of
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import UNDATED_MS, BetKey, PlacedBet, counted
from oddsdesk.ledger.games import GamesOfBets, ListedGame, Spelled, as_written, on_listed_games
from oddsdesk.ledger.legs import parts_of, parts_to_close
from oddsdesk.pricing.closing import CloseBy, FollowedBet
from oddsdesk.pricing.exposure import Placed, Position
from oddsdesk.pricing.profiles import fold_name
from oddsdesk.pricing.score_models import SCORES
from oddsdesk.pricing.selections import (
    AWAY,
    HOME,
    NO,
    YES,
    Goals,
    bet_named,
    lay_named,
    line_of,
    read_selection,
    result_at,
    share_of,
)

NOT_LISTED: Final[Mapping[str, ListedGame]] = MappingProxyType({})
"""Stands for the games of no board: bets then go by their own ids."""
_CORRECTED_WITHIN_MS: Final = 30 * 24 * 60 * MINUTE_MS
_OPEN_FROM: Final = 0.5
"""A leg is still open if other bets pay less than this share of its payout."""
_Outcome = tuple[str, str, int, str, str]
"""Game id, market type, period, line group, side."""
OPEN_AFTER_MS: Final = 6 * 60 * MINUTE_MS
"""How long after kick-off an unsettled bet counts as open."""


def placed_in(
    bets: Iterable[PlacedBet],
    now_ms: int,
    *,
    simulated: bool | None = False,
    listed: Mapping[str, ListedGame] = NOT_LISTED,
    spelled: Spelled = as_written,
) -> Placed:
    """Return stakes and risk of the open bets; a stake counts at face value in any currency.

    By outcome: all money at risk on it, without deducting other sides. By game: the worst result of
    all its bets, since sides that exclude each other cannot all lose. Unreadable bets count as
    lost. Games are added up.

    ``simulated`` chooses the bets that count (``counted``). An outcome is (game id, market type,
    period, line group, side), the key of the list of bets. A bet appears under each of its
    ``outcomes_of``, for every id that bets have for its game. ``listed`` are a board's games by
    id, which then define the ids; ``spelled`` gives the board's spelling of players
    (``on_listed_games``).
    """
    of_game = defaultdict[Hashable, list[OpenPart]](list)
    for part in open_parts(counted(bets, simulated=simulated), listed, spelled):
        if part.bet.open_size and now_ms <= _ends(part.bet):
            of_game[part.game or id(part.named)].append(part)
    by_outcome, by_game = defaultdict[Hashable, float](float), dict[Hashable, float]()
    risks, multiples = dict[Hashable, float](), dict[int, float]()
    there = defaultdict[tuple[Hashable, str], float](float)
    positions, total = dict[Hashable, list[Position]](), 0.0
    for on_game in of_game.values():
        alone = [part for part in on_game if part.is_alone]
        of_multiples = {id(part.bet): part.bet.loss for part in on_game if not part.is_alone}
        worst, outcomes = _at_risk(alone)
        total += worst
        multiples |= of_multiples
        worst += math.fsum(of_multiples.values())
        ids = frozenset[str]().union(*(part.ids for part in on_game))
        for game in ids:
            by_game[game] = by_game.get(game, 0.0) + worst
        for part in on_game:
            bet, named = part.bet, part.outcome
            at_worst = outcomes.get(named, bet.loss)
            bookmaker = fold_name(bet.bookmaker)
            for outcome in outcomes_by(ids, part.named):
                by_outcome[outcome] += bet.open_stake
                risks[outcome] = max(risks.get(outcome, 0.0), at_worst)
                there[outcome, bookmaker] += bet.open_stake
            for game in ids:
                if named is not None:
                    positions.setdefault(game, []).append(part.position((game, *named[1:])))
    total += math.fsum(multiples.values())
    return Placed(by_outcome, by_game, total, there, positions, risks)


class OpenPart(NamedTuple):
    """A bet, or one of several open legs of a bet."""

    bet: PlacedBet
    named: PlacedBet
    """The same, or a bet on the leg alone, with the board's names."""
    game: str | None
    """Equal for all bets on its game; None if unknown."""
    ids: frozenset[str]
    """All ids of that game."""
    is_alone: bool
    """Whether it decides the bet: no other leg is open."""

    @property
    def outcome(self) -> _Outcome | None:
        """What it wins with; None if unreadable."""
        return _outcome(self.named)

    def open_bet(self, outcome: _Outcome) -> "OpenBet":
        """Return the bet by what decides it."""
        return _open_bet(self.bet, outcome, self.named)

    def position(self, outcome: Hashable) -> Position:
        """Return the bet as the staking counts it; a leg among others pays its own odds."""
        if not self.is_alone:
            return Position(outcome, self.bet.loss, self.named.odds)
        is_plain = self.bet.kind is BetKind.BACK and not self.bet.legs
        return Position(outcome, self.bet.loss, self.bet.net, None if is_plain else self.bet.gain)


def open_parts(
    bets: Iterable[PlacedBet],
    listed: Mapping[str, ListedGame] = NOT_LISTED,
    spelled: Spelled = as_written,
) -> list[OpenPart]:
    """Return the bets, or their open legs, with the board's names, their game and all its ids."""
    held = [(bet, legs) for bet in bets for legs in [_open_legs(bet)]]
    parts = [(bet, leg, len(legs) == 1) for bet, legs in held for leg in legs]
    named = on_listed_games([leg for _, leg, _ in parts], listed, spelled)
    games = GamesOfBets(named)
    return [
        OpenPart(bet, each, games.game_of_bet(each), games.ids(each), is_alone)
        for (bet, _, is_alone), each in zip(parts, named, strict=True)
    ]


def _open_legs(bet: PlacedBet) -> list[PlacedBet]:
    """Return a bet on each leg whose result is open; the bet itself if there is none."""
    legs = [part.bet for part in parts_of(bet) if part.leg and part.bet.result is None]
    return legs or [bet]


def _at_risk(parts: Sequence[OpenPart]) -> tuple[float, dict[Hashable, float]]:
    """Return the worst loss on one game's bets, in total and for each outcome."""
    if not parts:
        return 0.0, {}
    if len(parts) == 1:
        return parts[0].bet.loss, {}
    unread, read = 0.0, []
    for part in parts:
        outcome = part.outcome
        if outcome is None:
            unread += part.bet.loss
        else:
            read.append(part.open_bet(outcome))
    # An outcome has the same risk under all ids of its game.
    first = read[0].outcome[0] if read else ""
    named = [each._replace(outcome=(first, *each.outcome[1:])) for each in read]
    found = at_risk(named)
    outcomes: dict[Hashable, float] = {
        each.outcome: found.by_outcome[name.outcome] for each, name in zip(read, named, strict=True)
    }
    return found.total + unread, outcomes


def _open_bet(bet: PlacedBet, outcome: _Outcome, named: PlacedBet) -> "OpenBet":
    return OpenBet(outcome, bet.loss, bet.net, named.sport, named.is_in_play, bet.gain)


def _outcome(bet: PlacedBet, *, in_play: bool | None = None) -> _Outcome | None:
    """Return a bet's outcome, for a lay the other side; None if unreadable or several."""
    if bet.legs or bet.kind is BetKind.EACH_WAY:
        return None
    named = bet.bet_key, bet.match_name, bet.sport
    is_lay, in_play = bet.kind is BetKind.LAY, bet.is_in_play if in_play is None else in_play
    return outcome_named(*named, in_play=in_play, is_lay=is_lay)


def open_by_outcome(
    bets: Iterable[PlacedBet],
    *,
    simulated: bool | None,
    listed: Mapping[str, ListedGame] = NOT_LISTED,
    spelled: Spelled = as_written,
) -> dict[Hashable, list[PlacedBet]]:
    """Return the open bets by outcome, oldest first, with keys as in ``placed_in``.

    ``simulated`` chooses the bets that count (``counted``). Multiples are left out until one leg is
    left.
    """
    found = defaultdict[Hashable, list[PlacedBet]](list)
    held = (bet for bet in counted(bets, simulated=simulated) if bet.open_size)
    for part in open_parts(held, listed, spelled):
        if part.is_alone:
            for outcome in outcomes_by(part.ids, part.named):
                found[outcome].append(part.bet)
    return found


class CoveredBet(NamedTuple):
    """How far other open bets of the game pay if a bet loses."""

    left: float
    """Share of its payout, 0 to 1, that other bets do not pay."""
    groups: tuple[frozenset[int], ...]
    """The ``id`` of each bet in the group, including this one."""

    @property
    def is_mostly_open(self) -> bool:
        """Whether less than half of it is covered."""
        return self.left > _OPEN_FROM

    def belongs_to(self, bets: Iterable[PlacedBet]) -> bool:
        """Return whether bets among these cover it alone."""
        idents = {id(bet) for bet in bets}
        return any(group <= idents for group in self.groups)


def covered_bets(
    found: Mapping[Hashable, Sequence[PlacedBet]], games: Collection[str]
) -> dict[int, CoveredBet]:
    """Return the bets on these games that other bets cover, by ``id``.

    ``found`` is the result of ``open_by_outcome``.
    """
    by_game = defaultdict[str, dict[int, tuple[PlacedBet, list[_Outcome]]]](dict)
    for outcome, bets in found.items():
        if isinstance(outcome, tuple) and outcome[0] in games:
            for bet in bets:
                by_game[outcome[0]].setdefault(id(bet), (bet, []))[1].append(outcome)
    covered = dict[int, CoveredBet]()
    for of_game in by_game.values():
        if len(of_game) > 1:
            covered |= _covered_among([(bet, _meant(bet, each)) for bet, each in of_game.values()])
    return covered


def _covered_among(bets: Sequence[tuple[PlacedBet, _Outcome]]) -> Iterator[tuple[int, CoveredBet]]:
    """Yield the bets on one game that other bets cover, with ``id``."""
    cover = cover_of(_open_bet(bet, outcome, _open_legs(bet)[0]) for bet, outcome in bets)
    idents = defaultdict[Hashable, set[int]](set)
    for bet, outcome in bets:
        idents[outcome].add(id(bet))
    groups = defaultdict[Hashable, list[frozenset[int]]](list)
    for group in cover.groups:
        together = frozenset[int]().union(*(idents[each] for each in group))
        for each in group:
            groups[each].append(together)
    for bet, outcome in bets:
        if outcome in groups:
            yield id(bet), CoveredBet(cover.left[outcome], tuple(groups[outcome]))


def _meant(bet: PlacedBet, outcomes: Sequence[_Outcome]) -> _Outcome:
    """Return the outcome that settles a bet, out of those it appears under."""
    named = _outcome(_open_legs(bet)[0])
    same = (each for each in outcomes if named is not None and each[1:] == named[1:])
    return next(same, min(outcomes))


def by_bookmaker(
    found: Mapping[Hashable, Sequence[PlacedBet]],
) -> dict[tuple[Hashable, str], float]:
    """Return the stakes on each outcome at each bookmaker, from ``open_by_outcome``."""
    staked = defaultdict[tuple[Hashable, str], float](float)
    for outcome, bets in found.items():
        for bet in bets:
            staked[outcome, fold_name(bet.bookmaker)] += bet.open_stake
    return staked


def to_follow(
    bets: Iterable[PlacedBet], by: CloseBy, listed: Mapping[str, ListedGame] = NOT_LISTED
) -> list[FollowedBet]:
    """Return the bets and legs whose closing line is wanted, without practice bets.

    Each-way bets have none. All use one sharp book and method, whatever the bet was valued with.
    ``listed`` are the games of the board that watches them close.
    """
    wanted = [
        part
        for part in parts_to_close(counted(bets))
        if part.bet.close is None and part.bet.kind is not BetKind.EACH_WAY
    ]
    on_games = on_listed_games((part.bet for part in wanted), listed)
    return [
        FollowedBet(
            part.key,
            bet.game_id,
            bet.match_name,
            bet.sport,
            bet.market_type,
            bet.period,
            bet.selection,
            bet.kick_off,
            by,
            bet.bookmaker,
            bet.competition,
            bet.kind is BetKind.LAY,
        )
        for part, bet in zip(wanted, on_games, strict=True)
        if bet.game_id and bet.market_type
    ]


def wanted_kick_offs(bets: Iterable[PlacedBet], now_ms: int) -> dict[int, bool]:
    """Return the kick-offs whose results are wanted, and whether a bet waits for each.

    Bets that settled by themselves lately are included: their results may be corrected. For a bet
    without a kick-off it is when it was placed, and its result is not urgent. For a multiple, those
    of its legs.
    """
    found: dict[int, bool] = {}
    for bet in bets:
        is_open = bet.result is None
        if not is_open and (bet.settled_at or 0) <= now_ms - _CORRECTED_WITHIN_MS:
            continue
        for part in parts_of(bet):
            if part.bet.settled_by or (is_open and part.bet.result is None):
                start, _ = part.bet.time_order
                is_urgent = is_open and part.bet.result is None and part.bet.kick_off is not None
                found[start] = found.get(start, False) or is_urgent
    return found


def outcomes_of(bet: PlacedBet) -> frozenset[Hashable]:
    """Return the outcomes of a bet: as written, and as the list of bets keys it.

    None if unreadable. In play the list keeps some as written.
    """
    named = (_outcome(bet, in_play=each) for each in {True, bet.is_in_play})
    return frozenset(each for each in named if each is not None)


def outcomes_by(ids: Iterable[str], bet: PlacedBet) -> set[Hashable]:
    """Return ``outcomes_of`` a bet for each id of its game."""
    if ids == {bet.game_id}:
        return set(outcomes_of(bet))
    spelled = (msgspec.structs.replace(bet, game_id=each) for each in ids)
    return {outcome for each in spelled for outcome in outcomes_of(each)}


def outcome_named(
    key: BetKey, match_name: str, sport: str, *, in_play: bool, is_lay: bool = False
) -> tuple[str, str, int, str, str] | None:
    """Return the outcome of a selection, or of a lay of it; None if unreadable."""
    game_id, market_type, period, selection, _ = key
    read = read_selection(market_type, match_name, selection)
    if read is None:
        return None
    name_it = lay_named if is_lay else bet_named
    named = name_it(sport, in_play, market_type, read.key, read.side)
    if named is None:
        return None
    return game_id, named[0], period, named[1], named[2]


def _ends(bet: PlacedBet) -> int:
    if bet.kick_off is None:
        return bet.placed_at + UNDATED_MS
    return bet.kick_off + OPEN_AFTER_MS


_MARGINS: Final = types_of(Form.WINNER, Form.HANDICAP, Form.DOUBLE_CHANCE)
_OF_WHOLE_GAME: Final = frozenset({"moneyline", "double_chance"})
"""Margins that count from 0-0 in play, too."""
_TWO_WAY: Final = 0.9
"""If 1/odds of both teams add up to this or more, the market has no separate draw."""
_SCORE, _MARGIN, _TOTAL, _QUESTION = "score", "margin", "total", "question"


class OpenBet(NamedTuple):
    """An open bet that can be read."""

    outcome: tuple[str, str, int, str, str]
    """Game id, market type, period, line group, side."""
    stake: float
    """Its loss if it loses: 0 for a free bet, the liability for a lay bet."""
    net_odds: float
    sport: str
    in_play: bool = False
    """Whether it was placed in play: its handicap may count from the score at that time."""
    gain: float | None = None
    """Its profit if it wins; None for that of the stake at ``net_odds``."""

    @property
    def won(self) -> float:
        """Profit if it wins."""
        return self.stake * (self.net_odds - 1) if self.gain is None else self.gain

    @property
    def pays(self) -> float:
        """The difference between its profit if it wins and if it loses."""
        return self.stake + self.won


class AtRisk(NamedTuple):
    """The worst possible loss."""

    total: float
    """Over all bets; 0 if they win something in every result."""
    by_outcome: Mapping[Hashable, float]
    """If the outcome loses: the loss on it and on bets that never win with it. At most its
    stakes."""


class Cover(NamedTuple):
    """Which open bets of one game cover each other, like the legs of an arbitrage or a middle."""

    left: Mapping[Hashable, float]
    """By outcome: share of its payout, 0 to 1, that no other bet pays if it loses."""
    groups: Sequence[frozenset[Hashable]]
    """Groups of outcomes of which, in every result, one wins or none loses."""


def at_risk(bets: Iterable[OpenBet]) -> AtRisk:
    """Return the worst loss on the open bets of one game, in the currency of the stakes."""
    subjects = defaultdict[Hashable, list[OpenBet]](list)
    for bet in bets:
        subjects[subject_of(bet)].append(bet)
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
    """Return which open bets of one game cover each other; each payout is used only once.

    Bets with the most similar payouts are grouped first.
    """
    subjects = defaultdict[Hashable, dict[Hashable, OpenBet]](dict)
    paid = defaultdict[Hashable, float](float)
    for bet in bets:
        paid[bet.outcome] += bet.pays
        known = subjects[subject_of(bet)].setdefault(bet.outcome, bet)
        if known.net_odds < bet.net_odds:
            subjects[subject_of(bet)][bet.outcome] = bet
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
    """Return pairs and triples, by position, of which in every result one wins or none loses."""
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
    """Return the worst loss, negative if a win; fill in the same for each outcome."""
    shares = _distinct(tuple(map(_named, bets)))
    gains = [
        [share * (bet.won if share > 0 else bet.stake) for share in of_bet]
        for bet, of_bet in zip(bets, shares, strict=True)
    ]
    for outcome in dict.fromkeys(bet.outcome for bet in bets):
        first = next(at for at, bet in enumerate(bets) if bet.outcome == outcome)
        on_it = shares[first]
        covering = [
            gains[at]
            for at, bet in enumerate(bets)
            if bet.outcome == outcome or not _win_together(on_it, shares[at])
        ]
        staked = math.fsum(bet.stake for bet in bets if bet.outcome == outcome)
        losses = [
            -math.fsum(column) for share, *column in zip(on_it, *covering, strict=True) if share < 0
        ]
        by_outcome[outcome] = min(staked, max(0.0, *losses)) if losses else 0.0
    return max(-math.fsum(column) for column in zip(*gains, strict=True))


def _win_together(one: Sequence[float], other: Sequence[float]) -> bool:
    return any(a > 0 and b > 0 for a, b in zip(one, other, strict=True))


def shared_results(bets: Sequence[OpenBet]) -> tuple[list[tuple[float, ...]], list[float]]:
    """Return how bets decided by one number can end together.

    By bet, the share of its stake that it wins in each distinct combined result; and how likely
    the results are beforehand, in any unit: in football by goals of two average teams, else alike.
    """
    named = [_named(bet) for bet in bets]
    is_score = subject_of(bets[0])[1] == _SCORE
    columns = list(zip(*_shares(named), strict=True))
    weights = _USUAL_SCORES if is_score else [1.0] * len(columns)
    prior = defaultdict[tuple[float, ...], float](float)
    for column, weight in zip(columns, weights, strict=True):
        prior[column] += weight
    return list(zip(*prior, strict=True)), list(prior.values())


_USUAL_GOALS: Final = (1.5, 1.2)
"""Of the home and the away team, as in most leagues."""
_USUAL_SCORES: Final = [
    math.prod(
        rate**goals / math.factorial(goals) for rate, goals in zip(_USUAL_GOALS, score, strict=True)
    )
    for score in SCORES
]


def subject_of(bet: OpenBet) -> tuple[object, ...]:
    """Return the key of the number that decides a bet; bets with equal keys go together."""
    _, market_type, period, key, _ = bet.outcome
    if bet.in_play and market_type in _MARGINS - _OF_WHOLE_GAME:
        return period, _MARGIN, market_type, key
    if bet.sport == FOOTBALL and market_type in SCORE_MARKETS:
        return period, _SCORE
    if market_type in TOTALS:
        return period, _TOTAL, market_type, key.rpartition(" ")[0]
    if market_type in HANDICAPS and market_type != "spread":
        return period, _MARGIN, market_type  # games of tennis
    if market_type in _MARGINS:
        return period, _MARGIN
    return period, _QUESTION, market_type, key


def _named(bet: OpenBet) -> OpenBet:
    """Return what decides how a bet ends; the odds of both teams show whether draws exist."""
    _, market_type, period, key, side = bet.outcome
    odds = bet.net_odds if market_type == "moneyline" else 0.0
    return OpenBet(("", market_type, period, key, side), 0.0, odds, bet.sport, bet.in_play)


@lru_cache(maxsize=1 << 10)
def _distinct(bets: tuple[OpenBet, ...]) -> tuple[tuple[float, ...], ...]:
    """Return the share of its stake that each bet wins, for each distinct combined result."""
    return tuple(zip(*set(zip(*_shares(bets), strict=True)), strict=True))


def _shares(bets: Sequence[OpenBet]) -> list[Sequence[float]]:
    """Return the share of its stake that each bet wins, for each possible result."""
    kind = subject_of(bets[0])[1]
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
    """Return the whole numbers around all lines; beyond them nothing changes."""
    lines = [line_of(bet.outcome[3]) for bet in bets]
    lines += [-line for line in lines]  # a handicap of -2.5 is passed at 3
    return {number for line in lines for number in range(math.floor(line) - 1, math.ceil(line) + 2)}


def _is_two_way(bets: Iterable[OpenBet]) -> bool:
    """Return whether the game has no draw, by the odds of both teams; not for football."""
    best = dict[str, float]()
    for bet in bets:
        if bet.outcome[1] == "moneyline":
            best[bet.outcome[4]] = max(best.get(bet.outcome[4], 0.0), bet.net_odds)
    return best.keys() == {HOME, AWAY} and sum(1 / odds for odds in best.values()) >= _TWO_WAY
