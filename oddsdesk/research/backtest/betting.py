"""What value bets would have earned: the log gone through with the desk's own rules (D63).

Nothing here says what is value: that is the board's one judgement (D45), asked at each moment of
the log with the rows known until then. A bet is one unit at the best net price of an outcome, the
first time that it is value; none at the moment at which its game begins. With a latency, the price
that stands then is bet, where it still is value.
"""

from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from oddsdesk.board.assessed import AssessedPrice
from oddsdesk.board.bets import listing_bets
from oddsdesk.board.matrix import RowKey
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.presets import ValueFilter
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.research.backtest.closes import IN_PLAY, with_closes
from oddsdesk.research.backtest.outcomes import with_results
from oddsdesk.research.past.coverage import Coverage
from oddsdesk.research.past.game import Mine, PastGame
from oddsdesk.research.past.recorded_log import RecordedLog
from oddsdesk.research.past.walk import Progress, Walk, era_maker
from oddsdesk.research.scorecards.last_lines import LastLines
from oddsdesk.slices import returned

Outcome = tuple[str, str, int, str, str]
"""Game id, market type, period, line group, side."""
_UNIT: Final = 1.0


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of a backtest; times in milliseconds."""

    reference: str
    """A bookmaker, or ``CONSENSUS_TITLE``: what the bookmakers say together (D60)."""
    method: str
    profiles: Profiles
    close: CloseBy
    """Whose closing line CLV is by, whatever judged the bets (D117); its reference by name."""
    mine: Mine = None
    since_ms: int | None = None
    """Bets are placed from this moment on; what was known before is known."""
    until_ms: int | None = None
    """No row that was known then or later is read."""
    latency_ms: int = 0
    """How long it takes to bet on what is seen."""
    preset: str = ""
    filter: ValueFilter | None = None


class Backtested(msgspec.Struct, frozen=True):
    """What came of it."""

    bets: list[PlacedBet]
    """In the order in which they were placed, with closing lines and results as far as known."""
    rows: int
    """How many rows of the log were read."""
    asked: int
    """How many of them were known in the span that is asked for."""
    first_ms: int | None
    """When the first row of the log was known, in that span or not; None for an empty log."""
    last_ms: int
    bookmakers: frozenset[str]
    """Whose prices the rows are."""
    missed: int
    """How often a price was value no more, or the game had begun, when the latency was over."""
    gaps: list[tuple[int, int]]
    """Spans in which nothing at all was recorded, of what was recorded live."""
    removed: str
    """What is said of rows that were removed and could not be read; empty for none."""
    has_results: bool
    """Whether any result is known at all."""
    coverage: Coverage


class _Bettor:
    """A ``walk.Visitor`` that bets."""

    def __init__(self, question: Question) -> None:
        self.bets: list[PlacedBet] = []
        self.missed = 0
        self._question = question
        self._taken: dict[str, set[Outcome]] = {}
        self._last_lines = LastLines(question.reference, question.close.reference)
        self._due: dict[str, dict[Outcome, tuple[int, RowKey]]] = {}
        """By game and outcome: when a bet is placed that was decided on, and by which price."""

    def at_moment(self, game: PastGame, now_ms: int) -> None:
        """Decide on what is value now."""
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
        """Place what is due before then."""
        if game.entry.game_id in self._due:
            self._place_due(game, until_ms)

    def before_begin(self, game: PastGame) -> None:
        """Nothing is bet on at this moment."""

    def at_close(self, game: PastGame) -> None:
        """Note whether it closed; the bets get their closing lines at the end."""
        if next(self._last_lines.take(game), None) is not None:
            game.closed_by.add(self._question.close.reference)

    def forget_due(self) -> None:
        """Count what the log ends too early for."""
        self.missed += sum(map(len, self._due.values()))

    def _place_due(self, game: PastGame, until_ms: int) -> None:
        due = self._due.get(game.entry.game_id)
        if not due:
            return
        for outcome, (at, key) in sorted(due.items(), key=lambda item: item[1]):
            if at >= until_ms:
                continue
            del due[outcome]
            row = game.book.row(*key[1:4])
            keys = [] if row is None else [key._replace(bookmaker=name) for name in row.near]
            found = [price for price in self._best(game, keys, at) if price.outcome == outcome]
            if found and self._is_asked(at):
                self._place(game, found[0], at)
            else:
                self.missed += 1

    def _best(self, game: PastGame, keys: list[RowKey], now_ms: int) -> list[AssessedPrice]:
        """Return the best net price of each outcome that is value, as ``listing_bets`` finds it."""
        question = self._question

        def is_open(price: AssessedPrice) -> bool:
            begins = price.kick_off
            has_begun = not price.is_live and begins is not None and now_ms >= begins
            return not has_begun and self._is_unbet(price)

        value = game.value(keys, now_ms, is_open)
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
        method=basis.method,
        reference=game.era.reference,
        net_odds=found.net_odds,
        age_ms=None if price.scraped_at is None else now_ms - price.scraped_at,
        ident=ident,
        note=IN_PLAY if price.is_live else "",
    )


def _numbered(bets: Iterable[PlacedBet]) -> list[PlacedBet]:
    """Return bets in the order of time, those of one moment by name: not by a file's order.

    What is told in an order, as the drawdown, goes by the number where games begin together.
    """
    ordered = sorted(bets, key=lambda bet: (bet.placed_at, bet.match_name, *bet.key))
    return [msgspec.structs.replace(bet, ident=number) for number, bet in enumerate(ordered, 1)]


def backtest(
    log: RecordedLog,
    question: Question,
    now_ms: int,
    progress: Progress = lambda _: None,
    settle: Callable[[list[PlacedBet]], list[PlacedBet]] = lambda bets: bets,
) -> Backtested:
    """Go through the log and bet.

    Args:
        log: Of a database opened by ``past.judged_by``: its reference is the close's.
        question: What is asked.
        now_ms: The time: only games that began before it have a closing line.
        progress: Called with the rows done; what it raises ends the backtest.
        settle: Gives results to bets that the database has none of.

    Raises:
        StoreError, ArchiveError, OSError: the log cannot be read.
    """
    bettor = _Bettor(question)
    era = era_maker(question.reference, question.method, question.profiles, question.mine)
    walk = Walk(log, bettor, era, now_ms)
    count = walk.count_coverage(question.reference, question.close, question.since_ms)
    walk.run(question.since_ms, question.until_ms, progress)
    bettor.forget_due()
    placed = _numbered(bettor.bets)
    closed = with_closes(log, placed, question.close, question.profiles, now_ms, progress)
    bets = settle(with_results(closed, log))
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
        coverage=count.coverage(),
    )
