"""Backtests: bets on the log with the desk's own rules, adds closing lines, settles by results."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.own_tables import known_rules
from oddsdesk.ledger.settling import settle_by_results
from oddsdesk.pricing.settlement_rules import SettlementRules
from oddsdesk.research.bettors import Bettor, DerivedBet, bettor_of
from oddsdesk.research.closes import with_closes
from oddsdesk.research.coverage import Coverage
from oddsdesk.research.question import Question
from oddsdesk.research.recorded_log import RecordedLog
from oddsdesk.research.staking import Bankroll, stake_bets
from oddsdesk.research.walk import Progress, Walk, era_maker


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
    bankroll: Bankroll | None = None
    """How the bankroll went; None with flat stakes."""


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
    """Read the log and bet, as ``run_backtests`` with one question."""
    return run_backtests(log, [question], now_ms, progress, settle)[0]


def run_backtests(
    log: RecordedLog,
    questions: Sequence[Question],
    now_ms: int,
    progress: Progress = lambda _: None,
    settle: Callable[[list[PlacedBet]], list[PlacedBet]] = lambda bets: bets,
) -> list[Backtested]:
    """Read the log and bet; return what came of each question, as if it was the only one.

    Args:
        log: Of a database opened by ``past.judged_by``; it has the closes' sharp book.
        questions: The settings.
        now_ms: The time; only games that started before it have a closing line.
        progress: Called with the rows done; an exception ends the backtest.
        settle: Adds results that the database does not have.

    Raises:
        StoreError, ArchiveError, OSError: the log cannot be read.
    """
    return [_run(log, question, now_ms, progress, settle) for question in questions]


def _run(
    log: RecordedLog,
    question: Question,
    now_ms: int,
    progress: Progress,
    settle: Callable[[list[PlacedBet]], list[PlacedBet]],
) -> Backtested:
    bettor = bettor_of(question, log)
    era = era_maker(
        question.reference,
        question.method,
        question.profiles,
        None if question.series else question.mine,
        question.derived,
        question.bands,
        question.rules,
    )
    walk = Walk(log, bettor, era, now_ms)
    count = walk.count_coverage(question.reference, question.close, question.since_ms)
    past = walk.keep_closes(question.close.reference, bettor.has_bets_on)
    walk.walk_log(question.since_ms, question.until_ms, progress)
    bettor.forget_due()
    placed = _numbered(bettor.bets)
    closed = [
        _with_implied(bet, bettor)
        for bet in with_closes(
            log, placed, question.close, question.profiles, now_ms, progress, past
        )
    ]
    settled, unclear = with_results(closed, log, known_rules(question.profiles).rules, now_ms)
    bets, bankroll = stake_bets(settle(settled), question.staking, bettor.judged, log)
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
        coverage=bettor.covered(count.coverage()),
        derived={bet.ident: mark for bet in bets if (mark := bettor.derived.get(bet.bet_key))},
        bankroll=bankroll,
    )


def _with_implied(bet: PlacedBet, bettor: Bettor) -> PlacedBet:
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
