"""Backtests: replays the log with the desk's own rules and bets on the value found.

The board's own judgement decides what is value, at each moment of the log, from the rows known by
then. A bet is one unit at the best price after commission of an outcome, the first time it is
value, and never at or after kick-off. With a latency, the bet is made at the price of that later
moment, if it is still value.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.tasks import returned
from oddsdesk.board.model.matrix import RowKey, Section
from oddsdesk.board.valuation.bets import listing_bets
from oddsdesk.board.valuation.judging import AssessedPrice
from oddsdesk.ledger.bets import BetKey, PlacedBet
from oddsdesk.ledger.own_tables import known_rules
from oddsdesk.ledger.settling import settle_by_results
from oddsdesk.pricing.assessment import settlement_of
from oddsdesk.pricing.closing import ClosingLine, is_close
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.settlement_rules import SettlementRules
from oddsdesk.pricing.value import DerivedKind
from oddsdesk.research.closes import IN_PLAY, LastLines, with_closes
from oddsdesk.research.coverage import Coverage
from oddsdesk.research.past_game import PastGame
from oddsdesk.research.question import Question
from oddsdesk.research.recorded_log import RecordedLog
from oddsdesk.research.walk import Progress, Visitor, Walk, era_maker

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


class Backtested(msgspec.Struct, frozen=True):
    """The result of a backtest."""

    bets: list[PlacedBet]
    """The bets in order, with closing lines and results as far as known."""
    rows: int
    """Number of rows that were read."""
    asked: int
    """Number of rows known in the requested span."""
    first_ms: int | None
    """When the log's first row was known, in that span or not; None for an empty log."""
    last_ms: int
    bookmakers: frozenset[str]
    """The bookmakers of the rows."""
    missed: int
    """How often the price was no longer value, or the game had started, after the latency."""
    gaps: list[tuple[int, int]]
    """Spans without any recording, in a log that was recorded live."""
    removed: str
    """A note if rows were removed and could not be read; else empty."""
    has_results: bool
    """Whether any result is known."""
    unclear: dict[int | None, str]
    """By number of a bet, what is not known about its game's result."""
    coverage: Coverage
    derived: dict[int | None, DerivedBet] = {}
    """By number of a bet on derived fair odds, how they were derived."""


class _Bettor(Visitor):
    """A ``walk.Visitor`` that bets."""

    def __init__(self, question: Question) -> None:
        self.bets: list[PlacedBet] = []
        self.missed = 0
        self._question = question
        self._taken: dict[str, set[Outcome]] = {}
        self.derived: dict[BetKey, DerivedBet] = {}
        self.implied_closes: dict[BetKey, ClosingLine] = {}
        self._last_lines = LastLines(question.close.reference)
        self._due: dict[str, dict[Outcome, tuple[int, RowKey]]] = {}
        """By game and outcome: when a bet is due, and the price that decided it."""

    def at_moment(self, game: PastGame, now_ms: int) -> None:
        """Decide on the current value bets."""
        keys = game.near()
        self._last_lines.see(game, now_ms)
        chosen = self._question.filter
        if chosen is not None and chosen.depends_on_time:
            keys = list(game.all_near())
        self._place_due(game, now_ms + 1)
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
        """Note whether a game closed; closing lines are added at the end."""
        by = self._question.close
        if next(self._last_lines.closed_lines(game), None) is not None:
            game.closed_by.add(by.reference)
        if by == (game.era.reference, self._question.method):
            for bet in self.bets:
                if bet.game_id == game.entry.game_id and bet.bet_key in self.derived:
                    self._close_implied(game, bet)

    def _close_implied(self, game: PastGame, bet: PlacedBet) -> None:
        section = game.book.section_of(bet.market_type, bet.period, bet.selection)
        close = None if section is None else implied_close(game, section, bet, self._question)
        if close is not None:
            self.implied_closes[bet.bet_key] = close

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


def _numbered(bets: Iterable[PlacedBet]) -> list[PlacedBet]:
    """Return bets by time, and by name within a moment, so that file order does not matter.

    Games that start together are in the order of the bets' numbers, for example in the drawdown.
    """
    ordered = sorted(bets, key=lambda bet: (bet.placed_at, bet.match_name, *bet.bet_key))
    return [msgspec.structs.replace(bet, ident=number) for number, bet in enumerate(ordered, 1)]


def run_backtest(
    log: RecordedLog,
    question: Question,
    now_ms: int,
    progress: Progress = lambda _: None,
    settle: Callable[[list[PlacedBet]], list[PlacedBet]] = lambda bets: bets,
) -> Backtested:
    """Read the log and bet.

    Args:
        log: Of a database opened by ``past.judged_by``; it has the close's sharp book.
        question: The settings.
        now_ms: The time; only games that started before it have a closing line.
        progress: Called with the rows done; an exception ends the backtest.
        settle: Adds results that the database does not have.

    Raises:
        StoreError, ArchiveError, OSError: the log cannot be read.
    """
    bettor = _Bettor(question)
    era = era_maker(
        question.reference,
        question.method,
        question.profiles,
        question.mine,
        question.derived,
        question.bands,
    )
    walk = Walk(log, bettor, era, now_ms)
    count = walk.count_coverage(question.reference, question.close, question.since_ms)
    walk.walk_log(question.since_ms, question.until_ms, progress)
    bettor.forget_due()
    placed = _numbered(bettor.bets)
    closed = [
        _with_implied(bet, bettor)
        for bet in with_closes(log, placed, question.close, question.profiles, now_ms, progress)
    ]
    settled, unclear = with_results(closed, log, known_rules(question.profiles).rules, now_ms)
    bets = settle(settled)
    return Backtested(
        bets=bets,
        rows=walk.rows,
        asked=walk.asked,
        first_ms=walk.first_ms,
        last_ms=walk.last_ms,
        bookmakers=frozenset(walk.bookmakers),
        missed=bettor.missed,
        gaps=log.gaps(walk.moments),
        removed=log.removed(),
        has_results=any(bet.result is not None for bet in bets),
        unclear={bet.ident: unclear[bet.ident] for bet in bets if _is_open(bet, unclear)},
        coverage=count.coverage(),
        derived={bet.ident: mark for bet in bets if (mark := bettor.derived.get(bet.bet_key))},
    )


def _with_implied(bet: PlacedBet, bettor: _Bettor) -> PlacedBet:
    """Return a bet with the implied close, if its own line had no close."""
    mark, close = bettor.derived.get(bet.bet_key), bettor.implied_closes.get(bet.bet_key)
    if mark is None or close is None or (bet.close is not None and bet.close.is_there):
        return bet
    bettor.derived[bet.bet_key] = mark._replace(has_implied_close=True)
    return msgspec.structs.replace(bet, close=close)


def with_results(
    bets: Sequence[PlacedBet], log: RecordedLog, rules: SettlementRules, now_ms: int
) -> tuple[list[PlacedBet], dict[int | None, str]]:
    """Return bets with the results that the recorded results of their games give.

    And by number of other bets, what is not known about those results.
    """
    said = settle_by_results(bets, log.results, rules, now_ms)
    found = {bet.ident: msgspec.structs.replace(bet, settled_at=bet.kick_off) for bet in said.bets}
    unclear = {each.bet.ident: each.why.partition(": ")[2] for each in said.to_check}
    return [found.get(bet.ident, bet) for bet in bets], unclear


def _is_open(bet: PlacedBet, unclear: Mapping[int | None, str]) -> bool:
    return bet.result is None and bool(unclear.get(bet.ident))
