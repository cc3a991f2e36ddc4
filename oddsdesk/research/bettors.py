"""Bettors: visitors to the log that place bets, a class for each strategy.

A bet is one unit, and never placed at or after kick-off. For value, the board's own judgement
decides at each moment of the log, from the rows known by then: the bet is on the best price after
commission of an outcome, the first time it is value. With a latency, the bet is made at the price
of that later moment, if it is still value.
"""

from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.tasks import returned
from oddsdesk.board.model.matrix import RowKey, Section
from oddsdesk.board.valuation.bets import listing_bets
from oddsdesk.board.valuation.judging import AssessedPrice
from oddsdesk.ledger.bets import BetKey, PlacedBet
from oddsdesk.pricing.assessment import settlement_of
from oddsdesk.pricing.closing import ClosingLine, is_close
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.value import DerivedKind
from oddsdesk.research.closes import IN_PLAY
from oddsdesk.research.past_game import PastGame
from oddsdesk.research.question import Question
from oddsdesk.research.staking import Judged, judged_price
from oddsdesk.research.walk import Visitor

Outcome = tuple[str, str, int, str, str]
"""Game id, market type, period, line group, side."""
_UNIT: Final = 1.0


class DerivedBet(NamedTuple):
    """How the fair odds of a bet were derived."""

    kind: DerivedKind
    band_pct: float | None
    """By how many percentage points its EV may be wrong either way; None unless modelled."""
    has_implied_close: bool = False
    """Whether its close is implied by other closing lines, as its own line had none."""


class ValueBettor(Visitor):
    """Bets on what the desk's rules call value."""

    def __init__(self, question: Question) -> None:
        self.bets: list[PlacedBet] = []
        self.missed = 0
        self._question = question
        self._taken: dict[str, set[Outcome]] = {}
        self.derived: dict[BetKey, DerivedBet] = {}
        self.judged: dict[BetKey, Judged] = {}
        """What Kelly's stakes rest on; empty for other stakes."""
        self.implied_closes: dict[BetKey, ClosingLine] = {}
        self._due: dict[str, dict[Outcome, tuple[int, RowKey]]] = {}
        """By game and outcome: when a bet is due, and the price that decided it."""

    def at_moment(self, game: PastGame, now_ms: int) -> None:
        """Decide on the current value bets."""
        self._place_due(game, now_ms + 1)
        if not game.may_have_value(now_ms):
            return
        keys = game.near()
        chosen = self._question.filter
        if chosen is not None and chosen.depends_on_time:
            keys = list(game.all_near())
        if keys and self._is_asked(now_ms):
            self._decide(game, keys, now_ms)

    def _decide(self, game: PastGame, keys: list[RowKey], now_ms: int) -> None:
        found = [price for price in self._best(game, keys, now_ms) if self._is_free(price)]
        if self._question.latency_ms:
            due = self._due.setdefault(game.entry.game_id, {})
            at = now_ms + self._question.latency_ms
            due.update({price.outcome: (at, price.key) for price in found})
        else:
            for price in found:
                self._place(game, price, now_ms)

    def passing(self, game: PastGame, until_ms: int) -> None:
        """Place the bets that are due before a time."""
        if game.entry.game_id in self._due:
            self._place_due(game, until_ms)

    def at_close(self, game: PastGame) -> None:
        """Note the implied closes of bets; other closing lines are added at the end."""
        by = self._question.close
        if self.derived and by == (game.era.reference, self._question.method):
            for bet in self.bets:
                if bet.game_id == game.entry.game_id and bet.bet_key in self.derived:
                    self._close_implied(game, bet)

    def _close_implied(self, game: PastGame, bet: PlacedBet) -> None:
        section = game.book.section_of(bet.market_type, bet.period, bet.selection)
        close = None if section is None else implied_close(game, section, bet, self._question)
        if close is not None:
            self.implied_closes[bet.bet_key] = close

    def has_bets_on(self, game_id: str) -> bool:
        """Return whether a bet on a game was placed, or is due."""
        return game_id in self._taken or game_id in self._due

    def forget_due(self) -> None:
        """Count bets that the log ends too early for."""
        self.missed += sum(map(len, self._due.values()))

    def _place_due(self, game: PastGame, until_ms: int) -> None:
        due = self._due.get(game.entry.game_id)
        if not due:
            return
        for outcome, (at, key) in sorted(due.items(), key=lambda item: item[1]):
            if at >= until_ms:
                continue
            del due[outcome]
            row = game.book.selection_row(*key[1:4])
            keys = [] if row is None else [key._replace(bookmaker=name) for name in row.near]
            found = [price for price in self._best(game, keys, at) if price.outcome == outcome]
            if found and self._is_asked(at):
                self._place(game, found[0], at)
            else:
                self.missed += 1

    def _best(self, game: PastGame, keys: list[RowKey], now_ms: int) -> list[AssessedPrice]:
        """Return the best price after commission of each value outcome."""
        question = self._question

        def is_untried(price: AssessedPrice) -> bool:
            begins = price.kick_off
            has_begun = not price.is_live and begins is not None and now_ms >= begins
            return not has_begun and self._is_unbet(price)

        value = game.value(keys, now_ms, is_untried)
        if not value:
            return []
        chosen = None if question.filter is None else question.filter.passes
        listed = returned(
            listing_bets(value, game.era.basis, StakePlan(), now_ms=now_ms, chosen=chosen)
        )
        prices = [bet.price for bet in listed if bet.price.is_value]
        best = dict[Outcome, AssessedPrice]()
        for price in sorted(prices, key=lambda each: each.bookmaker):
            known = best.setdefault(price.outcome, price)
            if price.assessment.net_odds > known.assessment.net_odds:
                best[price.outcome] = price
        return [price for price in prices if best[price.outcome] is price]

    def _is_asked(self, now_ms: int) -> bool:
        since, until = self._question.since_ms, self._question.until_ms
        return (since is None or now_ms >= since) and (until is None or now_ms < until)

    def _is_unbet(self, price: AssessedPrice) -> bool:
        return price.outcome not in self._taken.get(price.key.game_id, ())

    def _is_free(self, price: AssessedPrice) -> bool:
        return price.outcome not in self._due.get(price.key.game_id, ())

    def _place(self, game: PastGame, price: AssessedPrice, now_ms: int) -> None:
        self._taken.setdefault(price.key.game_id, set()).add(price.outcome)
        question = self._question
        bet = bet_on(price, game, now_ms, len(self.bets) + 1)
        found = price.assessment
        if found.derived is not None:
            self.derived[bet.bet_key] = DerivedBet(found.derived, found.band_pct)
        if question.staking.kind == "kelly":
            self.judged[bet.bet_key] = judged_price(price, game.book.matrix, game.era.basis)
        self.bets.append(msgspec.structs.replace(bet, preset=question.preset))


def bet_on(price: AssessedPrice, game: PastGame, now_ms: int, ident: int) -> PlacedBet:
    """Return a bet of one unit on a price of a game."""
    basis = game.era.basis
    found = price.assessment
    game_id, market_type, period, selection, _ = price.key
    return PlacedBet(
        game_id=game_id,
        match_name=price.match_name,
        competition=price.competition,
        sport=price.sport,
        market_type=market_type,
        period=period,
        selection=selection,
        bookmaker=price.bookmaker,
        odds=found.odds,
        stake=_UNIT,
        placed_at=now_ms,
        kick_off=price.kick_off,
        fair_odds=found.fair_odds,
        true_ev=found.ev_pct,
        per=found.per,
        derived=found.derived or "",
        method=basis.method,
        reference=game.era.reference,
        net_odds=found.net_odds,
        age_ms=None if price.scraped_at is None else now_ms - price.scraped_at,
        ident=ident,
        note=IN_PLAY if price.is_live else "",
    )


def implied_close(
    game: PastGame, section: Section, bet: PlacedBet, question: Question
) -> ClosingLine | None:
    """Return the close that the reference's other lines imply; None where they do not.

    Modelled closes do not count: the model that picked a bet would judge it, too.
    """
    line, began = section.reference, game.began_at
    if line is None or began is None or line.derived is None or line.derived.kind != "implied":
        return None
    names = {(question.reference, source.key[0], source.key[1]) for source in section.sources}
    seen = min([game.last_seen_ahead(name, began) for name in names], default=0)
    side = section.side_of(bet.selection)
    price = line.prices.get(side)
    if price is None or price.fair_odds is None or not is_close(seen, began, game.kick_off):
        return None
    ends = settlement_of(line, side, price.fair_odds, line.derived.push)
    return ClosingLine(
        None,
        price.fair_odds,
        question.method,
        seen,
        reference=question.reference,
        decided=ends.decided,
    )
