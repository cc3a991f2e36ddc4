"""The list of bets: what is value, what to stake, and what limited the stake.

The value bets of the desk and ``oddsdesk bets`` are this list.

Only football before kick-off has a model of scores. Without one, the match result shows which bets
on the winner win together. In all other cases that is unknown.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from oddsdesk.base.tasks import returned
from oddsdesk.board.model.basis import Basis
from oddsdesk.board.model.matrix import Matrix
from oddsdesk.board.valuation.judging import AssessedPrice, is_listed_at_all
from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.markets import SCORE_MARKETS
from oddsdesk.contract.times import HOUR_MS
from oddsdesk.pricing.assessment import Assessment, Caution
from oddsdesk.pricing.exposure import (
    Bound,
    Offer,
    Placed,
    Position,
    Results,
    ResultsOf,
    Solved,
    Stake,
    StakePlan,
    staking,
    ways,
)
from oddsdesk.pricing.profiles import Profiles, fold_name
from oddsdesk.pricing.score_models import SCORES, Line, shares_at
from oddsdesk.pricing.selections import AWAY, DRAW, HOME, Settlement
from oddsdesk.pricing.stakes import at_average
from oddsdesk.pricing.value import expected_value

if TYPE_CHECKING:
    from oddsdesk.pricing.score_grid import ScoreGrid

_UNVALUED: Final = frozenset(
    {Caution.NOT_COMPARABLE, Caution.UNREAD_OUTCOME, Caution.OTHER_RULES, Caution.CROSSED_REFERENCE}
)
"""Where the service has no figure either."""


Outcome = tuple[str, str, int, str, str]
"""As ``AssessedPrice.outcome``."""
LinesOf = Callable[[str], Sequence[Line]]
"""The reference's lines of a game that a score settles, as ``fair_lines`` has them."""
_rank, _by_name = attrgetter("rank"), attrgetter("by_name")


class Bet(NamedTuple):
    """A price of the list."""

    price: AssessedPrice
    stake: float
    """0 where there is none."""
    bound: Bound | None
    """What set the stake; None where the price carries none."""
    same_bet_as: AssessedPrice | None
    """The price that carries the stake of this outcome; None where it is this one."""
    service_ev_pct: float | None
    """What the contract says of the gross price; None where it values nothing, and where it is
    judged by somebody else, or by another method."""
    outcome: Outcome
    """What it is a bet on, at any bookmaker."""


class Exposure(NamedTuple):
    """How the stake of an outcome came about; amounts in the user's money."""

    plan: StakePlan
    kelly: float
    """The chosen share of Kelly by this price alone."""
    same_at: int
    """How many other prices of the outcome are value: they share the stake."""
    placed: float
    """The open stakes placed on the outcome, at all bookmakers."""
    at_risk: float
    """The most of that which can be lost if the outcome does not happen: others may cover it."""
    game: float
    """What is at risk or to be staked on the game."""
    total: float
    """What is at risk or to be staked in all."""
    bet: Bet
    """The price that carries the stake, or most of it."""
    parts: tuple[Bet, ...]
    """Other prices of the outcome that carry a part, or whose bookmaker takes nothing more."""
    most: float | None
    """What the bookmaker of the bet takes at most, as the user noted it."""
    placed_there: float
    """What is placed there on the outcome."""
    of_game: tuple[Bet, ...]
    """The other outcomes of the game that are staked."""
    at_risk_on_game: float
    at_risk_in_all: float
    is_practice: bool
    """Whether what is placed is practice: with simulated odds that alone counts."""


def exposure_of(
    bets: Iterable[Bet],
    price: AssessedPrice,
    plan: StakePlan,
    placed: Placed,
    profiles: Profiles,
    *,
    is_practice: bool,
) -> Exposure | None:
    """Return how the stake on a price's outcome came about; None where the price is no value."""
    held = [bet for bet in bets if bet.price.is_value]
    outcome = price.outcome
    same = [bet for bet in held if bet.outcome == outcome]
    ends = price.assessment.stake_settlement
    own = [bet for bet in same if bet.same_bet_as is None]
    own.sort(key=lambda bet: (not bet.stake, -bet.price.assessment.net_odds))
    carrier = own[0] if own else None
    if carrier is None or ends is None or not price.is_value:
        return None
    there = outcome, fold_name(carrier.price.bookmaker)
    game = price.key.game_id
    staked = sum(bet.stake for bet in held if bet.price.key.game_id == game)
    return Exposure(
        plan=plan,
        kelly=plan.bankroll * plan.kelly_share * ends.kelly(price.assessment.net_odds),
        same_at=len(same) - 1,
        placed=placed.by_outcome.get(outcome, 0.0),
        at_risk=placed.risks.get(outcome, 0.0),
        game=placed.by_game.get(game, 0.0) + staked,
        total=placed.total + sum(bet.stake for bet in held),
        bet=carrier,
        parts=tuple(bet for bet in own if bet is not carrier),
        placed_there=placed.by_bookmaker.get(there, 0.0),
        of_game=tuple(
            bet
            for bet in held
            if bet.stake and bet.outcome != outcome and bet.price.key.game_id == game
        ),
        most=profiles.profile_of(carrier.price.bookmaker).limit,
        at_risk_on_game=placed.by_game.get(game, 0.0),
        at_risk_in_all=placed.total,
        is_practice=is_practice,
    )


def listing_bets(
    prices: Iterable[AssessedPrice],
    basis: Basis,
    plan: StakePlan,
    placed: Placed | None = None,
    *,
    now_ms: int,
    chosen: Callable[..., bool] | None = None,
    hidden: Callable[..., bool] | None = None,
    everything: bool = False,
    lines_of: LinesOf | None = None,
) -> Generator[None, None, list[Bet]]:
    """Return the prices that are value, best EV first, each outcome staked once; in small steps.

    What the user's bookmakers do not offer is neither listed nor staked; no stake passes the
    most that a bookmaker takes, as the user noted it.

    Args:
        prices: All prices of a moment that have the least edge.
        basis: What they were judged by.
        plan: How the user stakes.
        placed: What is placed already and open.
        now_ms: What ages and hours to kick-off are counted from.
        chosen: Whether the user wants to see a price, asked as ``ValueFilter.passes`` is; nothing
            else is listed or staked.
        hidden: Whether the user does not want to see a price, asked as ``HiddenThings.hides`` is;
            such prices are neither listed nor staked.
        everything: Also what the contract lists at gross odds, or what would be listed were it
            not for its cautions.
        lines_of: The reference's lines of a game, by which its bets are staked together.
    """
    return BetLister().listing(
        prices,
        basis,
        plan,
        placed,
        now_ms=now_ms,
        chosen=chosen,
        hidden=hidden,
        everything=everything,
        lines_of=lines_of,
    )


def stake_at(
    bets: Iterable[Bet],
    price: AssessedPrice,
    taken: tuple[str, float],
    plan: StakePlan,
    placed: Placed,
    profiles: Profiles,
    lines_of: LinesOf | None = None,
) -> float:
    """Return what a list would stake on a price's outcome, were it taken at other odds.

    With the list's other bets unchanged, and nothing at the outcome's other prices.

    Args:
        bets: The list.
        price: The price.
        taken: At which bookmaker it is taken, and at which net odds.
        plan: How the user stakes.
        placed: What is placed already and open.
        profiles: What is known of bookmakers.
        lines_of: The reference's lines of a game, by which its bets are staked together.
    """
    bookmaker, net_odds = taken
    outcome = price.outcome
    held = [bet.price for bet in bets if bet.price.is_value and bet.outcome != outcome]
    offers = []
    for each in sorted([*held, price], key=_staking_order):
        offer = offer_of(each, each.outcome, profiles)
        if offer is not None and each is price:
            most = profiles.profile_of(bookmaker).limit
            ladder = None
            if offer.ladder is not None and fold_name(bookmaker) == fold_name(offer.bookmaker):
                ladder = at_average(offer.ladder, net_odds)
            offer = offer._replace(bookmaker=bookmaker, net_odds=net_odds, most=most, ladder=ladder)
        if offer is not None:
            offers.append(offer)
    lines = _lines_of(offers, placed, lines_of)
    stakes = returned(staking(plan, offers, placed, GameResults().among(lines, placed)))
    pairs = zip(offers, stakes, strict=True)
    return next((stake.amount for offer, stake in pairs if offer.outcome == outcome), 0.0)


class _Known(NamedTuple):
    """What a list has to know of a price: it stands for as long as the price is the same."""

    price: AssessedPrice
    outcome: Outcome
    is_mine: bool
    is_wanted: bool
    is_value: bool
    rank: tuple[object, ...]
    """Sorts by EV; one whose pushes are unknown below an equal one that is known."""
    by_name: tuple[object, ...]
    offer: Offer | None
    service_ev_pct: float | None


class BetLister:
    """Lists bets again and again: what it knows of a price it works out once.

    A list is what it would be were it made from nothing, as ``listing_bets`` does: ages, hidden
    things and stakes are looked at each time.
    """

    def __init__(self) -> None:
        self.value: set[Outcome] = set()
        """Every outcome of value at the user's bookmakers, when a list was made last."""
        self.hidden: set[Outcome] = set()
        """Those of them that the user does not want to see at any."""
        self._known: dict[int, tuple[AssessedPrice, _Known | None]] = {}
        """By identity of the price, as a hash of all that it holds would take long; None of one
        that only its figures keep from being value."""
        self._known_for: tuple[object, ...] = ()
        self._staked_for: tuple[object, ...] = ()
        self._stakes: list[Stake] = []
        self._results = GameResults()
        self._solved: Solved = {}

    def listing(
        self,
        prices: Iterable[AssessedPrice],
        basis: Basis,
        plan: StakePlan,
        placed: Placed | None = None,
        *,
        now_ms: int,
        chosen: Callable[..., bool] | None = None,
        hidden: Callable[..., bool] | None = None,
        everything: bool = False,
        by_age: bool = False,
        lines_of: LinesOf | None = None,
    ) -> Generator[None, None, list[Bet]]:
        """Return what ``listing_bets`` does of the same.

        ``by_age``: ``chosen`` may say something else of the same price at another moment.
        """
        known = yield from self._knowing(prices, basis, now_ms, chosen, by_age=by_age)
        self.value = _value_of(known)
        self.hidden = set()
        if hidden is not None:
            known = [one for one in known if not is_hidden(one.price, hidden, one.outcome)]
            self.hidden = self.value - _value_of(known)
        found = sorted([one for one in known if one.is_wanted], key=_rank)
        yield
        staked = [one for one in found if one.is_value]
        stakes = yield from self._staking(plan, staked, placed or Placed(), lines_of)
        carriers = dict[Outcome, AssessedPrice]()
        for one in sorted(staked, key=lambda one: _carrying(stakes[id(one)], one.price)):
            carriers.setdefault(one.outcome, one.price)
        yield
        bets = [
            _bet(one, stakes.get(id(one)), carriers) for one in found if everything or one.is_value
        ]
        if any(bet.price.ladder is not None for bet in bets):
            bets.sort(key=lambda bet: _rank_of(bet.price))  # by the EV of their stakes
        return bets

    def _knowing(
        self,
        prices: Iterable[AssessedPrice],
        basis: Basis,
        now_ms: int,
        chosen: Callable[..., bool] | None,
        *,
        by_age: bool,
    ) -> Generator[None, None, list[_Known]]:
        """Return what is known of the prices that may be listed at all."""
        known_for = basis.mine, basis.profiles, basis.is_contracts, chosen
        before = self._known if known_for == self._known_for and not by_age else {}
        held = tuple(prices)
        idents = [*map(id, held)]
        found = [*map(before.get, idents)]
        for place in [place for place, one in enumerate(found) if one is None]:
            found[place] = held[place], _known(held[place], basis, now_ms, chosen)
            yield
        known = [one for one in found if one is not None]
        self._known, self._known_for = dict(zip(idents, known, strict=True)), known_for
        return [one for _, one in known if one is not None]

    def _staking(
        self, plan: StakePlan, value: Sequence[_Known], placed: Placed, lines_of: LinesOf | None
    ) -> Generator[None, None, dict[int, Stake]]:
        """Stake value bets; of equal net prices the first bookmaker by name carries the stake."""
        ordered = sorted(value, key=_by_name)
        offers = [one.offer for one in ordered if one.offer is not None]
        yield
        lines = _lines_of(offers, placed, lines_of)
        yield
        if (staked_for := (plan, offers, placed, lines)) != self._staked_for:
            results_of = self._results.among(lines, placed)
            self._stakes = yield from staking(plan, offers, placed, results_of, self._solved)
            self._staked_for = staked_for
        return {id(one): stake for one, stake in zip(ordered, self._stakes, strict=True)}


def is_hidden(
    price: AssessedPrice, hidden: Callable[..., bool] | None, outcome: Outcome | None = None
) -> bool:
    """Tell whether the user does not want to see a price, asked as ``listing_bets`` asks."""
    return hidden is not None and hidden(
        game_id=price.key.game_id,
        market_type=price.key.market_type,
        bookmaker=price.bookmaker,
        outcome=price.outcome if outcome is None else outcome,
    )


def is_wanted(
    price: AssessedPrice, basis: Basis, now_ms: int, chosen: Callable[..., bool] | None
) -> bool:
    """Whether the user wants to see a price: at one of the user's bookmakers, and ``chosen``."""
    if not basis.is_mine(price.bookmaker):
        return False
    found = price.assessment
    ev = found.ev
    if price.is_in_contract and not price.is_value and found.fair_odds is not None:
        # listed for its EV before commission; the EV shown is after it
        ev = expected_value(found.odds, found.fair_odds)
    return chosen is None or chosen(
        sport=price.sport,
        competition=price.competition,
        market_type=price.key.market_type,
        bookmaker=price.bookmaker,
        odds=found.odds,
        true_ev=ev,
        is_live=price.is_live,
        hours_ahead=None if price.kick_off is None else (price.kick_off - now_ms) / HOUR_MS,
        age_s=None if price.scraped_at is None else (now_ms - price.scraped_at) / 1_000,
        limit=basis.profiles.profile_of(price.bookmaker).limit,
        derived=found.derived,
    )


def _known(
    price: AssessedPrice, basis: Basis, now_ms: int, chosen: Callable[..., bool] | None
) -> _Known | None:
    if not is_listed_at_all(price):
        return None
    outcome = price.outcome
    return _Known(
        price,
        outcome,
        basis.is_mine(price.bookmaker),
        is_wanted(price, basis, now_ms, chosen),
        price.is_value,
        _rank_of(price),
        _staking_order(price),
        offer_of(price, outcome, basis.profiles),
        service_ev_pct_of(price.assessment, basis),
    )


def service_ev_pct_of(found: Assessment, basis: Basis) -> float | None:
    """Return ``Bet.service_ev_pct`` of a price."""
    is_valued = basis.is_contracts and not _UNVALUED.intersection(found.cautions)
    return found.service_ev_pct if is_valued else None


def _rank_of(price: AssessedPrice) -> tuple[object, ...]:
    found = price.assessment
    return (-(found.ev_pct or 0.0), found.per != "staked", *_place(price), price.bookmaker)


def _carrying(stake: Stake, price: AssessedPrice) -> tuple[bool, bool, float]:
    """Return what prices of an outcome are sorted by: first the best one that carries a stake."""
    return not stake.amount, stake.same_bet_as is not None, -price.assessment.net_odds


def _value_of(known: Iterable[_Known]) -> set[Outcome]:
    return {one.outcome for one in known if one.is_value and one.is_mine}


def _bet(one: _Known, stake: Stake | None, carriers: Mapping[Outcome, AssessedPrice]) -> Bet:
    if stake is None or stake.same_bet_as is not None:
        carrier = carriers.get(one.outcome)
        return Bet(one.price, 0.0, None, carrier, one.service_ev_pct, one.outcome)
    price = one.price if stake.net_odds is None else one.price.at_net(stake.net_odds)
    return Bet(price, stake.amount, stake.bound, None, one.service_ev_pct, one.outcome)


def offer_of(price: AssessedPrice, outcome: Outcome, profiles: Profiles) -> Offer | None:
    """Return a price as the staking takes it; None without fair odds."""
    ends = price.assessment.stake_settlement
    if ends is None:
        return None
    return Offer(
        outcome=outcome,
        group=price.judged_line,
        game=price.key.game_id,
        bookmaker=price.bookmaker,
        net_odds=price.assessment.net_odds,
        settlement=ends,
        most=profiles.profile_of(price.bookmaker).limit,
        ladder=price.ladder,
    )


def _lines_of(
    offers: Iterable[Offer], placed: Placed, lines_of: LinesOf | None
) -> dict[Hashable, Sequence[Line]]:
    """Return the reference's lines of the games that have several bets, those placed among them."""
    if lines_of is None:
        return {}
    outcomes = defaultdict[Hashable, set[Hashable]](set)
    for offer in offers:
        outcomes[offer.game].add(offer.outcome)
    several = [game for game, bets in outcomes.items() if len(bets) > 1 or game in placed.by_game]
    return {game: lines_of(str(game)) for game in several}


def _staking_order(price: AssessedPrice) -> tuple[object, ...]:
    """Of equal net prices the first bookmaker by name carries the stake."""
    return (price.bookmaker, *_place(price))


def _place(price: AssessedPrice) -> tuple[object, ...]:
    _, market_type, period, selection, _ = price.key
    return (price.competition, price.match_name, market_type, period, selection)


_SWEEPS: Final = 40
_SETTLED: Final = 1e-6
_LARGEST_MISS: Final = 0.005
"""Of the probabilities of a line to be staked: lines that contradict each other are not solved."""
_WAYS: Final = (1.0, 0.5, 0.0, -0.5, -1.0)


def fair_lines(matrix: Matrix | None) -> tuple[Line, ...]:
    """Return the reference's fair probabilities of all lines of a game that a score settles."""
    if matrix is None or matrix.sport != FOOTBALL or matrix.is_live:
        return ()
    return tuple(
        Line(section.key.market_type, section.key.group, side, 1 / price.fair_odds)
        for section in matrix.sections
        if section.key.period == 0 and section.key.market_type in SCORE_MARKETS
        if (line := section.reference) is not None
        if line.derived is None and not line.is_live and (line.overround or 0.0) >= 1
        for side, price in line.prices.items()
        if price.fair_odds is not None
    )


class GameResults:
    """Remembers what was found of each game, for as long as nothing that it rests on changes."""

    def __init__(self) -> None:
        self._grids: dict[Hashable, tuple[Sequence[Line], ScoreGrid | None]] = {}
        self._found: dict[Hashable, tuple[object, Results | None]] = {}

    def among(self, lines: Mapping[Hashable, Sequence[Line]], placed: Placed) -> ResultsOf:
        """Return what tells a game's results, by the reference's lines of each."""

        def results_of(offers: Sequence[Offer]) -> Results | None:
            game = offers[0].game
            return self.results_of(offers, lines.get(game, ()), placed.positions.get(game, ()))

        return results_of

    def results_of(
        self, offers: Sequence[Offer], lines: Sequence[Line], held: Sequence[Position]
    ) -> Results | None:
        """Return what is known of a game's results; None where lines are not known together.

        Args:
            offers: A price of each outcome of the game that may be staked.
            lines: What the reference says of the game.
            held: The open bets on the game.
        """
        if not lines:
            return None
        game = offers[0].game
        asked = lines, [(offer.outcome, offer.settlement) for offer in offers], held
        if (known := self._found.get(game)) is None or known[0] != asked:
            known = self._found[game] = asked, self._find(offers, lines, held)
        return known[1]

    def _find(
        self, offers: Sequence[Offer], lines: Sequence[Line], held: Sequence[Position]
    ) -> Results | None:
        read = [offer for offer in offers if _shares(offer.outcome) is not None]
        positions = [bet for bet in held if _shares(bet.outcome) is not None]
        outcomes = {offer.outcome for offer in read} | {bet.outcome for bet in positions}
        if len(outcomes) < 2 or not read:
            return None
        grid = self._grid(offers[0].game, lines)
        if grid is not None:
            return _results(grid.chances, _shares, read, positions)
        chances = _winner_chances(lines)
        read = [offer for offer in read if _shares_by_winner(offer.outcome) is not None]
        is_known = all(_shares_by_winner(bet.outcome) is not None for bet in positions)
        if chances is None or not read or not is_known:
            return None
        return _results(chances, _shares_by_winner, read, positions)

    def _grid(self, game: Hashable, lines: Sequence[Line]) -> "ScoreGrid | None":
        known = self._grids.get(game)
        if known is None or known[0] != lines:
            from oddsdesk.pricing.score_grid import fitted_grid  # noqa: PLC0415 - numpy, not at start

            known = self._grids[game] = lines, fitted_grid(lines)
        return known[1]


def _results(
    chances: Sequence[float],
    shares_of: Callable[[Hashable], tuple[float, ...] | None],
    offers: Sequence[Offer],
    positions: Sequence[Position],
) -> Results | None:
    """Return the results of bets; ``shares_of`` each are known for each of ``chances``."""
    # Scores at which all bets end alike are one result.
    bets = [*(offer.outcome for offer in offers), *(bet.outcome for bet in positions)]
    ends = [shares_of(outcome) or () for outcome in bets]
    merged = defaultdict[tuple[float, ...], float](float)
    for chance, *shares in zip(chances, *ends, strict=True):
        merged[tuple(shares)] += chance
    by_bet = list(zip(*merged, strict=True))
    offered = dict(zip(bets[: len(offers)], by_bet, strict=False))
    raked = _raked(list(merged.values()), offers, offered)
    if raked is None:
        return None
    return Results(raked, offered, _gained(positions, by_bet[len(offers) :], len(merged)))


def _winner_chances(lines: Iterable[Line]) -> list[float] | None:
    """Return the probabilities of home, draw and away; None without a match result."""
    chances = {line.side: line.probability for line in lines if line.market_type == "moneyline"}
    if not {HOME, DRAW, AWAY} <= chances.keys():
        return None
    return [chances[side] for side in (HOME, DRAW, AWAY)]


_BY_WINNER: Final = tuple(
    [at for at, (home, away) in enumerate(SCORES) if (home > away) - (home < away) == sign]
    for sign in (1, 0, -1)
)
"""Positions in ``SCORES`` of home wins, draws and away wins."""


def _shares_by_winner(outcome: Hashable) -> tuple[float, ...] | None:
    """Return the share won at a home win, draw and away win; None if it needs the exact score."""
    shares = _shares(outcome)
    if shares is None:
        return None
    ends = [{shares[at] for at in places} for places in _BY_WINNER]
    return tuple(each.pop() for each in ends) if all(len(each) == 1 for each in ends) else None


def _gained(
    positions: Sequence[Position], shares: Sequence[Sequence[float]], count: int
) -> list[float]:
    """Return what open bets gain in each result, in the user's money."""
    gained = [0.0] * count
    for position, of_bet in zip(positions, shares, strict=True):
        for place, share in enumerate(of_bet):
            gained[place] += position.profit(share)
    return gained


def _shares(outcome: Hashable) -> tuple[float, ...] | None:
    """Return what an outcome wins at each score; None where no score settles it."""
    if not isinstance(outcome, tuple):
        return None
    _, market_type, period, key, side = outcome
    return None if period else shares_at(market_type, key, side)


def _is_push_unknown(ends: Settlement) -> bool:
    return not (ends.push or ends.half_win or ends.half_loss)


def _raked(
    chances: Sequence[float], offers: Iterable[Offer], shares: Mapping[Hashable, Sequence[float]]
) -> list[float] | None:
    """Return the chances nearest to a grid's with which each bet is worth what it is judged at.

    Iterative proportional fitting (Deming and Stephan 1940): each line in turn is scaled to its own
    probabilities, until all hold. None where they contradict each other. How often the stake comes
    back is the grid's where the line's own price does not tell.
    """
    found = list(chances)
    margins, decided = [], []
    for offer in offers:
        of_bet = shares[offer.outcome]
        if _is_push_unknown(offer.settlement) and any(abs(each) < 1 for each in of_bet):
            won = [(at, each) for at, each in enumerate(of_bet) if each > 0]
            lost = [(at, -each) for at, each in enumerate(of_bet) if each < 0]
            decided.append((won, lost, offer.settlement.win))
            continue
        for share, chance in zip(_WAYS, ways(offer.settlement), strict=True):
            places = [at for at, each in enumerate(of_bet) if each == share]
            if places or chance:
                margins.append((places, chance))
    for _ in range(_SWEEPS):
        largest = 0.0
        for places, chance in margins:
            now = math.fsum(found[at] for at in places)
            if abs(now - chance) > largest:
                largest = abs(now - chance)
            if now > 0:
                scale = chance / now
                for at in places:
                    found[at] *= scale
        for won, lost, chance in decided:
            gained = math.fsum(found[at] * each for at, each in won)
            whole = gained + math.fsum(found[at] * each for at, each in lost)
            if not 0 < gained < whole:
                continue
            largest = max(largest, abs(gained / whole - chance))
            for side, scale in (
                (won, chance * whole / gained),
                (lost, (1 - chance) * whole / (whole - gained)),
            ):
                for at, _ in side:
                    found[at] *= scale
        if largest < _SETTLED:
            break
    whole = math.fsum(found)
    return [each / whole for each in found] if largest <= _LARGEST_MISS else None
