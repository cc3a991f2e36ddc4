"""Offers of a bet: backs, and lays of the opposite; and which of them may be legs."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from oddsdesk.board.model.basis import Basis
from oddsdesk.board.model.matrix import Matrix, Price, RowKey, Section
from oddsdesk.board.opportunities.family import Family, Stand, odds_of_lay
from oddsdesk.board.valuation.judging import Judge
from oddsdesk.pricing.assessment import Assessment, Caution
from oddsdesk.pricing.covers import Bet
from oddsdesk.pricing.opportunities import Leg
from oddsdesk.pricing.profiles import fold_name, is_delayed
from oddsdesk.pricing.selections import DRAW, complete_forms
from oddsdesk.pricing.stakes import payout, stakeable
from oddsdesk.pricing.value import is_comparable

UNRELIABLE: Final = frozenset(
    {
        Caution.STALE,
        Caution.AGE_UNKNOWN,
        Caution.STARTED,
        Caution.WITHDRAWN,
        Caution.DELAYED,
        Caution.BOOK_BELOW_100,
        Caution.PLACEHOLDER,
    }
)
"""A price with one of these cannot be a leg; the others compare it with the reference."""


def outcome_of(game_id: str, named: Bet, period: int) -> Hashable:
    """Return the key of an outcome, as in ``Placed.by_bookmaker``."""
    return game_id, named[0], period, named[1], named[2]


def limit_left(
    limit: float | None,
    placed: Mapping[tuple[Hashable, str], float],
    outcomes: Iterable[Hashable],
    bookmaker: str,
) -> float | None:
    """Return what a bookmaker's limit leaves of a bet that may be named by several outcomes.

    ``placed``: as ``Placed.by_bookmaker``. None without a limit.
    """
    if limit is None:
        return None
    name = fold_name(bookmaker)
    return limit - max((placed.get((each, name), 0.0) for each in outcomes), default=0.0)


class Offer(NamedTuple):
    """A leg and its price."""

    leg: Leg
    section: Section
    bookmaker: str
    price: Price
    assessed: Assessment
    same_at: tuple[str, ...] = ()


class Candidate(NamedTuple):
    """An offer of a bet that has not been judged yet."""

    net_odds: float
    bookmaker: str
    selection: str
    price: Price
    stand: Stand
    in_play: bool
    bet: Bet
    """The bet that it offers; for a lay, the opposite of its selection."""

    @property
    def is_limited(self) -> bool:
        """Whether the available amount is known."""
        depth = self.price.depth
        if depth is None or not self.stand.is_lay:
            return depth is not None and bool(depth.levels)
        return depth.lay[0][1] > 0


class Ways:
    """The ways to place bets on a game at one moment; judgements are cached."""

    def __init__(
        self,
        basis: Basis,
        judge: Judge,
        matrix: Matrix,
        step: float,
        *,
        among: Mapping[tuple[RowKey, bool], float | None] | None = None,
        bookmakers: Collection[str] = (),
        placed: Mapping[tuple[Hashable, str], float] | None = None,
        also_at: str = "",
    ) -> None:
        """Use the prices at the user's bookmakers.

        Args:
            basis: The user's choices.
            judge: Decides which prices are reliable.
            matrix: The game.
            step: A bookmaker whose limit leaves less than this takes no bet.
            among: If given, only these prices, or lays at them, with the most that each takes.
            bookmakers: If given, only these.
            placed: As ``Placed.by_bookmaker``. A bookmaker's limit counts it.
            also_at: A bookmaker whose prices count even if the user did not choose it.
        """
        self._basis = basis
        self._judge = judge
        self._matrix = matrix
        self._step = step
        self._among = among
        self._bookmakers = bookmakers
        self._placed = placed or {}
        self._also_at = also_at
        self._offered: dict[tuple[object, ...], list[Candidate]] = {}
        """The offers of each bet, at all bookmakers or only at ``bookmakers``."""
        self._offers: dict[tuple[object, ...], Offer | None] = {}
        """Prices that were judged already."""

    def is_in_play(self, price: Price) -> bool:
        """Return whether a price is in play; by the game if it does not say."""
        return self._matrix.is_live if price.is_live is None else price.is_live

    def candidates(self, family: Family, bet: Bet, *, anywhere: bool) -> list[Candidate]:
        """Return the offers of a bet at the user's bookmakers, best net price first.

        ``anywhere``: also outside the given ``bookmakers``.
        """
        anywhere = anywhere or not self._bookmakers
        key = (family.name, family.period, family.in_play, bet, anywhere)
        if key not in self._offered:
            every = [
                each
                for stand in family.places.get(bet, ())
                for each in self._find_offered(family, bet, stand, anywhere)
            ]
            self._offered[key] = sorted(every, key=lambda each: (-each.net_odds, each.bookmaker))
        return self._offered[key]

    def _find_offered(
        self, family: Family, bet: Bet, stand: Stand, anywhere: bool
    ) -> Iterator[Candidate]:
        basis, section, is_lay = self._basis, stand.section, stand.is_lay
        for row, of_row in zip(section.rows, section.sides, strict=False):
            if of_row != stand.side:
                continue
            for bookmaker, price in row.prices.items():
                if price.withdrawn_at is not None:
                    continue
                if self._among is not None:
                    key = self._row_key(section, row.selection, bookmaker)
                    if (key, is_lay) not in self._among:
                        continue
                if not anywhere and bookmaker not in self._bookmakers:
                    continue
                in_play = self.is_in_play(price)
                if family.in_play is not None and family.in_play is not in_play:
                    continue
                odds = odds_of_lay(price) if is_lay else price.odds
                is_mine = basis.is_mine(bookmaker) or bookmaker == self._also_at
                if odds is not None and is_mine:
                    net = basis.net(bookmaker, odds)
                    yield Candidate(net, bookmaker, row.selection, price, stand, in_play, bet)

    def _row_key(self, section: Section, selection: str, bookmaker: str) -> RowKey:
        return RowKey(self._matrix.game_id, *section.key[:2], selection, bookmaker)

    def pays(self, candidate: Candidate, paid: float) -> bool:
        """Return whether enough is available, within the limit, to pay back an amount."""
        _, bookmaker, _, price, stand, *_ = candidate
        ladder = self._judge.ladder(price, bookmaker, is_lay=stand.is_lay)
        most = self._most_of(candidate)
        if ladder is not None:
            for_sale = stakeable(ladder)
            most = for_sale if most is None else min(most, for_sale)
        if most is None:
            return True
        return paid <= (payout(ladder, most) if ladder else most * candidate.net_odds)

    def _most_of(self, candidate: Candidate) -> float | None:
        """Return the most that the bookmaker still takes, by its limit."""
        _, bookmaker, selection, _, (section, _, is_lay, _), _, bet = candidate
        if self._among is not None:
            return self._among[self._row_key(section, selection, bookmaker), is_lay]
        limit = self._basis.profiles.profile_of(bookmaker).limit
        outcome = outcome_of(self._matrix.game_id, bet, section.key.period)
        return limit_left(limit, self._placed, [outcome], bookmaker)

    def reliable(
        self, has_draw: bool, candidates: Iterable[Candidate], operators: float = 1
    ) -> list[Offer]:
        """Return the best possible legs, from ``operators`` operators or more, with ties."""
        offers: list[Offer] = []
        for each in candidates:
            is_enough = len({offer.leg.group for offer in offers}) >= operators
            if is_enough and each.net_odds < offers[-1].leg.net_odds:
                break
            offer = self._offer(has_draw, each)
            if offer is not None:
                offers.append(offer)
        return offers

    def _offer(self, has_draw: bool, candidate: Candidate) -> Offer | None:
        """Return a price as a leg; None if it is not reliable."""
        stand = candidate.stand
        key = (
            *(*stand.section.key, stand.side, stand.is_lay, has_draw),
            *(candidate.selection, candidate.bookmaker),
        )
        if key not in self._offers:
            self._offers[key] = self._judged(has_draw, candidate)
        return self._offers[key]

    def _judged(self, has_draw: bool, candidate: Candidate) -> Offer | None:
        net, bookmaker, selection, price, stand, in_play, _ = candidate
        judge, (section, _, is_lay, needs_draw) = self._judge, stand
        if needs_draw is not None and needs_draw is not has_draw:
            return None  # in a market with a draw, a lay of one team is not a bet on the other
        own = judge.sides(section, bookmaker)
        if not _bets_on(section, own, has_draw) or judge.is_doubtful(section, bookmaker, own):
            return None
        assessed = judge.assess(section, selection, bookmaker, is_lay=is_lay)
        if UNRELIABLE.intersection(assessed.cautions) or is_delayed(bookmaker):
            return None
        profile = self._basis.profiles.profile_of(bookmaker)
        most = self._most_of(candidate)
        if most is not None and most < self._step:
            return None  # no room for another step
        lay_odds = price.depth.lay_odds if is_lay and price.depth is not None else None
        leg = Leg(
            bookmaker=bookmaker,
            group=profile.group,
            selection=selection,
            odds=price.odds if lay_odds is None else lay_odds,
            net_odds=net,
            seen_at=price.scraped_at,
            in_play=in_play,
            has_overtime=judge.counts_overtime(bookmaker),
            most=most,
            ladder=judge.ladder(price, bookmaker, is_lay=is_lay),
            is_lay=is_lay,
        )
        return Offer(leg, section, bookmaker, price, assessed)


def _bets_on(section: Section, own: frozenset[str], has_draw: bool) -> bool:
    """Return whether a bookmaker that prices ``own`` sides treats the draw as the cover does.

    Some markets exist with and without a draw. Then a few sides do not show which one it is.
    """
    forms = complete_forms(section.key.market_type, section.sport)
    if len(forms) < 2:
        return is_comparable(forms[0] if forms else (), own)
    if has_draw:
        return DRAW in own
    return DRAW not in own and all(own.issuperset(form) for form in forms if DRAW not in form)
