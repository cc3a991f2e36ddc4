"""Bettors: visitors to the log that place bets, a class for each strategy.

A bet is one unit, on the best price after commission of an outcome, the first time that the
strategy wants it. It is placed before kick-off, or in play; or at the close: at the last prices
before the game starts, a moment at kick-off itself included. With a latency, the bet is made at the
price of that later moment, if the strategy still wants it.

For value, the board's own judgement decides at each moment, from the rows known by then.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean
from typing import Final, NamedTuple

import msgspec

from oddsdesk.board.model.matrix import RowKey, Section, SelectionRow
from oddsdesk.board.valuation.bets import is_wanted
from oddsdesk.board.valuation.judging import AssessedPrice
from oddsdesk.contract.series import KINDS, SeriesKind, SeriesPoint
from oddsdesk.ledger.bets import BetKey, PlacedBet
from oddsdesk.pricing.assessment import Assessment, Caution, settlement_of
from oddsdesk.pricing.closing import MONEYLINE, ClosingLine, is_close
from oddsdesk.pricing.selections import AWAY, DRAW, HOME, read_selection, settlement
from oddsdesk.pricing.value import (
    MAX_AGE_MS,
    DerivedKind,
    Rule,
    expected_value,
    floored_ev,
    is_comparable,
)
from oddsdesk.research.closes import IN_PLAY
from oddsdesk.research.coverage import Coverage
from oddsdesk.research.past_game import PastGame
from oddsdesk.research.question import BEST_VS_MEAN, Question
from oddsdesk.research.recorded_log import RecordedLog
from oddsdesk.research.staking import Judged, judged_price
from oddsdesk.research.walk import Visitor

Outcome = tuple[str, str, int, str, str]
"""Game id, market type, period, line group, side."""
_UNIT: Final = 1.0
_THREE_WAY: Final = (HOME, DRAW, AWAY)


def best_of_many(series: str) -> str:
    """Return what stands in the place of the bookmaker in a bet on a series."""
    return f"Best of many ({series})"


class DerivedBet(NamedTuple):
    """How the fair odds of a bet were derived."""

    kind: DerivedKind
    band_pct: float | None
    """By how many percentage points its EV may be wrong either way; None unless modelled."""
    has_implied_close: bool = False
    """Whether its close is implied by other closing lines, as its own line had none."""


class RecordedBest(NamedTuple):
    """The best price that the log's bookmakers had when a bet on a series was placed."""

    odds: float
    """The highest before commission."""
    net_odds: float
    """The highest after commission, perhaps another bookmaker's."""


class Bettor(Visitor, ABC):
    """Places bets when the strategy of a subclass wants them."""

    def __init__(self, question: Question) -> None:
        self.bets: list[PlacedBet] = []
        self.missed = 0
        self._question = question
        self.judgeable: dict[str, int] = {}
        """Games with prices that the strategy could judge; when they start, in milliseconds."""
        self._taken: dict[str, set[Outcome]] = {}
        self.derived: dict[BetKey, DerivedBet] = {}
        self.judged: dict[BetKey, Judged] = {}
        """What Kelly's stakes rest on; empty for other stakes."""
        self.recorded: dict[BetKey, RecordedBest] = {}
        """Only of bets on a series whose selection a bookmaker priced then."""
        self.implied_closes: dict[BetKey, ClosingLine] = {}
        self._due: dict[str, dict[Outcome, tuple[int, RowKey]]] = {}
        """By game and outcome: when a bet is due, and the price that decided it."""

    @abstractmethod
    def all_prices(self, game: PastGame, now_ms: int) -> list[AssessedPrice]:
        """Return the prices of a game to bet on at a moment, the best of each outcome."""

    def moved_prices(self, game: PastGame, now_ms: int) -> list[AssessedPrice]:
        """Return the same; prices that did not move may be left out."""
        return self.all_prices(game, now_ms)

    def prices_of(self, game: PastGame, key: RowKey, now_ms: int) -> list[AssessedPrice]:
        """Return at least those of one selection."""
        return self.all_prices(game, now_ms)

    def at_moment(self, game: PastGame, now_ms: int) -> None:
        """Decide on the current prices, unless bets are placed at the close."""
        if self._question.at == "close":
            return
        self._place_due(game, now_ms + 1)
        if not self._is_asked(now_ms):
            return
        found = [price for price in self.moved_prices(game, now_ms) if self._is_free(price)]
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
        """Bet on the last prices, if that is asked for; note the implied closes of bets."""
        if self._question.at == "close" and (at := _closing_moment(game)) is not None:
            for price in self.all_prices(game, at) if self._is_asked(at) else ():
                self._place(game, price, at)
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
            prices = self.prices_of(game, key, at)
            found = [price for price in prices if price.outcome == outcome]
            if found and self._is_asked(at):
                self._place(game, found[0], at)
            else:
                self.missed += 1

    def _is_asked(self, now_ms: int) -> bool:
        since, until = self._question.since_ms, self._question.until_ms
        return (since is None or now_ms >= since) and (until is None or now_ms < until)

    def may_be_bet_on(self, price: AssessedPrice, now_ms: int) -> bool:
        """Return whether a price is in time, and its outcome not bet on yet."""
        if price.outcome in self._taken.get(price.key.game_id, ()):
            return False
        if self._question.at == "close":
            return not price.is_live
        return price.is_live or price.kick_off is None or now_ms < price.kick_off

    def wanted(
        self, prices: Iterable[AssessedPrice], game: PastGame, now_ms: int
    ) -> list[AssessedPrice]:
        """Return the best price after commission of each outcome, of those that a preset lists."""
        chosen = None if self._question.filter is None else self._question.filter.passes
        best = dict[Outcome, AssessedPrice]()
        for price in sorted(prices, key=lambda each: each.bookmaker):
            if is_wanted(price, game.era.basis, now_ms, chosen):
                known = best.setdefault(price.outcome, price)
                if price.assessment.net_odds > known.assessment.net_odds:
                    best[price.outcome] = price
        return list(best.values())

    def _is_free(self, price: AssessedPrice) -> bool:
        return price.outcome not in self._due.get(price.key.game_id, ())

    def _place(self, game: PastGame, price: AssessedPrice, now_ms: int) -> None:
        self._taken.setdefault(price.key.game_id, set()).add(price.outcome)
        bet = self.bet_on(game, price, now_ms)
        self.bets.append(msgspec.structs.replace(bet, preset=self._question.preset))
        if self._question.series and (best := _recorded_best(game, price, now_ms)) is not None:
            self.recorded[bet.bet_key] = best

    def covered(self, found: Coverage) -> Coverage:
        """Return what the log covers, as far as the strategy needs it."""
        return found

    def note_judgeable(self, game: PastGame) -> None:
        """Count a game among those that the strategy could judge."""
        begins = game.moment if game.kick_off is None else game.kick_off
        self.judgeable[game.entry.game_id] = begins

    def bet_on(self, game: PastGame, price: AssessedPrice, now_ms: int) -> PlacedBet:
        """Return a bet on a price, with the next number."""
        return bet_on(price, game, now_ms, len(self.bets) + 1)


def _closing_moment(game: PastGame) -> int | None:
    """Return when the last bets on a game can be placed: at its kick-off.

    If it was in play before, or has no kick-off, then at its last moment before play.
    """
    return game.kick_off if game.began_at == game.kick_off else game.moment


def _recorded_best(game: PastGame, price: AssessedPrice, now_ms: int) -> RecordedBest | None:
    """Return the best price of all bookmakers on a selection, of those seen lately.

    A price that was last seen days before was hardly on offer, whatever rules a backtest has.
    """
    where = price.key[1:4]
    section, row = game.book.section_of(*where), game.book.selection_row(*where)
    if section is None or row is None:
        return None
    found = [
        (each.odds, game.era.basis.net(name, each.odds))
        for name, each in row.prices.items()
        if each.is_offered
        and each.is_live == price.is_live
        and game.seen_at(section, row, name, now_ms) >= now_ms - MAX_AGE_MS
    ]
    return RecordedBest(*map(max, zip(*found, strict=True))) if found else None


class ValueBettor(Bettor):
    """Bets on what the desk's rules call value."""

    def moved_prices(self, game: PastGame, now_ms: int) -> list[AssessedPrice]:
        """Return the best value prices among those that moved."""
        if not game.may_have_value(now_ms):
            return []
        chosen = self._question.filter
        depends_on_time = chosen is not None and chosen.depends_on_time
        return self._value(game, list(game.all_near()) if depends_on_time else game.near(), now_ms)

    def prices_of(self, game: PastGame, key: RowKey, now_ms: int) -> list[AssessedPrice]:
        """Return the best value price of a selection."""
        row = game.book.selection_row(*key[1:4])
        keys = [] if row is None else [key._replace(bookmaker=name) for name in row.near]
        return self._value(game, keys, now_ms)

    def all_prices(self, game: PastGame, now_ms: int) -> list[AssessedPrice]:
        """Return the best value prices of a game."""
        return self._value(game, game.near_at(now_ms), now_ms)

    def _value(self, game: PastGame, keys: list[RowKey], now_ms: int) -> list[AssessedPrice]:
        value = game.value(keys, now_ms, lambda price: self.may_be_bet_on(price, now_ms))
        return self.wanted(value, game, now_ms)

    def bet_on(self, game: PastGame, price: AssessedPrice, now_ms: int) -> PlacedBet:
        """Return a bet, and note how its fair odds came about."""
        bet, found = super().bet_on(game, price, now_ms), price.assessment
        if found.derived is not None:
            self.derived[bet.bet_key] = DerivedBet(found.derived, found.band_pct)
        if self._question.staking.kind == "kelly":
            self.judged[bet.bet_key] = judged_price(price, game.book.matrix, game.era.basis)
        return bet


class _SeriesOdds:
    """The odds of a series, by game and as known at a moment."""

    def __init__(self, log: RecordedLog, name: str) -> None:
        self.bookmaker = best_of_many(name)
        self._log = log
        self._name = name
        self._points: dict[str, tuple[SeriesPoint, ...]] = {}

    def known(self, game: PastGame, kind: SeriesKind, now_ms: int) -> list[SeriesPoint]:
        """Return the last odds of each market that were known at a moment."""
        entry = game.entry
        points = self._points.get(entry.game_id)
        if points is None:
            named = (entry.game_id, entry.match_name, entry.competition, entry.kick_off)
            found = self._log.series_of(self._name, *named)
            points = self._points[entry.game_id] = () if found is None else found.points
        last = dict[tuple[str, int], SeriesPoint]()
        for each in sorted(points, key=lambda point: (point.scraped_at, point.closing)):
            if each.kind == kind and each.scraped_at <= now_ms:
                last[each.market_type, each.period] = each
        return list(last.values())


class SeriesValueBettor(ValueBettor):
    """Bets on the best odds of a series, where the desk's rules call them value."""

    def __init__(self, question: Question, log: RecordedLog) -> None:
        super().__init__(question)
        self._odds = _SeriesOdds(log, question.series)

    def moved_prices(self, game: PastGame, now_ms: int) -> list[AssessedPrice]:
        """Return the value odds of the series at a moment."""
        # No shortcut by the bookmakers' prices: the series may have better ones.
        return self.all_prices(game, now_ms)

    def prices_of(self, game: PastGame, key: RowKey, now_ms: int) -> list[AssessedPrice]:
        """Return the value odds of the series after the latency."""
        return self.all_prices(game, now_ms)

    def all_prices(self, game: PastGame, now_ms: int) -> list[AssessedPrice]:
        """Return the value odds of the series at the last moment."""
        value = [
            price
            for point in self._odds.known(game, "best", now_ms)
            for price in game.assess_offers(point, self._odds.bookmaker, now_ms)
            if self.may_be_bet_on(price, now_ms) and game.is_value(price)
        ]
        return self.wanted(value, game, now_ms)

    def at_close(self, game: PastGame) -> None:
        """Count a game that has odds of the series, then bet as others do."""
        at = game.moment if game.kick_off is None else game.kick_off
        if self._is_asked(at) and self._odds.known(game, "best", at):
            self.note_judgeable(game)
        super().at_close(game)

    def covered(self, found: Coverage) -> Coverage:
        """Return what the log covers, with the games of the series."""
        return msgspec.structs.replace(found, with_series=len(self.judgeable))


class BestVsMeanBettor(Bettor):
    """Bets on match results whose best odds are value against the mean of all bookmakers.

    The strategy of Kaunitz, Zhong and Kreiner (arXiv 1710.02824): from the mean of the gross odds
    of a selection, its chance is ``1 / mean - alpha``. Its best odds after commission are bet on
    where chance times odds is above 1. Of the rules of a list, only that of a price's age applies:
    a price that was not seen lately may not be there, and its bookmaker does not count.
    On a series, mean and best odds are the series' own.
    """

    def __init__(self, question: Question, log: RecordedLog) -> None:
        super().__init__(question)
        self._series = _SeriesOdds(log, question.series) if question.series else None

    def all_prices(self, game: PastGame, now_ms: int) -> list[AssessedPrice]:
        """Return the match results to bet on."""
        prices = (price for price in self._prices(game, now_ms) if self._is_value(price, now_ms))
        return self.wanted(prices, game, now_ms)

    def covered(self, found: Coverage) -> Coverage:
        """Return what the log covers, with the games that have a mean as the priced ones."""
        starts = self.judgeable.values()
        return msgspec.structs.replace(
            found,
            priced=len(starts),
            first_priced_ms=min(starts, default=None),
            last_priced_ms=max(starts, default=None),
            refused={},
        )

    def bet_on(self, game: PastGame, price: AssessedPrice, now_ms: int) -> PlacedBet:
        """Return a bet that names what judged it."""
        bet = super().bet_on(game, price, now_ms)
        return msgspec.structs.replace(bet, method=BEST_VS_MEAN, reference=self._question.judged_by)

    def _is_value(self, price: AssessedPrice, now_ms: int) -> bool:
        return (price.assessment.ev or 0.0) > 0 and self.may_be_bet_on(price, now_ms)

    def _prices(self, game: PastGame, now_ms: int) -> Iterator[AssessedPrice]:
        begins = game.kick_off
        has_begun = game.has_begun or (begins is not None and now_ms >= begins)
        if self._question.at == "any" and has_begun:
            return
        if self._series is not None:
            yield from self._of_series(self._series, game, now_ms)
            return
        if len(game.priced_by) < self._question.least_books:
            return
        for section in game.book.matrix.sections:
            if section.key[:2] != (MONEYLINE, 0) or set(section.sides) != set(_THREE_WAY):
                continue
            offering = self._offering(game, section, now_ms)
            for row, side in zip(section.rows, section.sides, strict=True):
                odds = {name: row.prices[name].odds for name in offering[row.selection]}
                if odds and len(odds) >= self._question.least_books:
                    self.note_judgeable(game)
                    yield from self._against_mean(game, section, row, side, odds)

    def _of_series(
        self, series: _SeriesOdds, game: PastGame, now_ms: int
    ) -> Iterator[AssessedPrice]:
        """Yield the best odds of a match result, if the mean was published with them."""
        best, mean = (
            [
                point
                for point in series.known(game, kind, now_ms)
                if (point.market_type, point.period) == (MONEYLINE, 0)
                and point.scraped_at >= self._oldest(now_ms)
            ]
            for kind in KINDS
        )
        if not best or not mean or best[0].closing != mean[0].closing:
            return
        self.note_judgeable(game)
        entry = game.entry
        for selection, odds in best[0].odds.items():
            read = read_selection(MONEYLINE, entry.match_name, selection)
            if read is not None and selection in mean[0].odds:
                chance = 1 / mean[0].odds[selection] - self._question.alpha
                key = RowKey(entry.game_id, MONEYLINE, 0, selection, series.bookmaker)
                line = read.key, read.side
                if chance > 0:
                    yield price_at(game, key, line, (odds, odds), chance, best[0].scraped_at)

    def _oldest(self, now_ms: int) -> int:
        """Return since when a price must have been seen."""
        rules = self._question.rules
        return 0 if Rule.BOOK_AGE in rules.off else now_ms - rules.max_age_ms

    def _offering(self, game: PastGame, section: Section, now_ms: int) -> Mapping[str, list[str]]:
        """Return the bookmakers that count, by selection."""
        sides: dict[str, set[str]] = {}
        for row, side in zip(section.rows, section.sides, strict=True):
            for name, price in row.prices.items():
                if price.is_offered:
                    sides.setdefault(name, set()).add(side)
        oldest = self._oldest(now_ms)
        found = dict[str, list[str]]()
        for row in section.rows:
            found[row.selection] = [
                name
                for name, price in row.prices.items()
                if price.is_offered
                and not price.is_live
                and is_comparable(_THREE_WAY, frozenset(sides[name]))
                and Caution.PLACEHOLDER not in section.doubts.get((row.selection, name), ())
                and game.seen_at(section, row, name, now_ms) >= oldest
            ]
        return found

    def _against_mean(
        self,
        game: PastGame,
        section: Section,
        row: SelectionRow,
        side: str,
        odds: Mapping[str, float],
    ) -> Iterator[AssessedPrice]:
        """Yield the user's prices of a selection."""
        chance = 1 / fmean(odds.values()) - self._question.alpha
        basis = game.era.basis
        for name, price in odds.items() if chance > 0 else ():
            if basis.is_mine(name):
                key = RowKey(game.entry.game_id, *section.key[:2], row.selection, name)
                line = section.key.group, side
                net = basis.net(name, price)
                yield price_at(game, key, line, (price, net), chance, row.prices[name].scraped_at)


def bettor_of(question: Question, log: RecordedLog) -> Bettor:
    """Return a bettor with the strategy that is asked for, on the prices that are asked for."""
    if question.strategy == BEST_VS_MEAN:
        return BestVsMeanBettor(question, log)
    return SeriesValueBettor(question, log) if question.series else ValueBettor(question)


def price_at(
    game: PastGame,
    key: RowKey,
    line: tuple[str, str],
    odds: tuple[float, float],
    chance: float,
    scraped_at: int,
) -> AssessedPrice:
    """Return a price before kick-off with a chance of winning that no sharp book gives.

    ``line`` is line group and side, ``odds`` those before and after commission.
    """
    entry, fair, (gross, net) = game.entry, 1 / chance, odds
    ends = settlement(chance, 0.0, None, is_above=False)
    return AssessedPrice(
        key=key,
        match_name=entry.match_name,
        competition=entry.competition,
        sport=entry.sport,
        kick_off=entry.kick_off,
        is_live=False,
        line_key=line[0],
        side=line[1],
        assessment=Assessment(
            odds=gross,
            net_odds=net,
            fair_odds=fair,
            ev=expected_value(net, fair),
            ev_pct=floored_ev(net, fair, key.market_type),
            per="staked",
            service_ev_pct=None,
            cautions=(),
            checks=(),
            settlement=ends,
            is_value=True,
            is_value_but_for_cautions=True,
            cautious_odds=fair,
            stake_settlement=ends,
        ),
        is_in_contract=False,
        scraped_at=scraped_at,
    )


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
