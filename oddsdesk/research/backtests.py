"""Backtests: bets on the log with the desk's own rules, adds closing lines, settles by results."""

import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.judging import ResultJudge
from oddsdesk.ledger.own_tables import known_rules
from oddsdesk.ledger.settling import settle_by_judge
from oddsdesk.pricing.consensus import CONSENSUS_TITLES
from oddsdesk.research.bettors import Bettor, DerivedBet, RecordedBest, bettor_of
from oddsdesk.research.closes import with_all_closes
from oddsdesk.research.coverage import Coverage, CoverageCount
from oddsdesk.research.past_game import Era
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
    recorded: dict[int | None, RecordedBest] = {}
    """By number of a bet on a series, the best price that a recorded bookmaker had then."""
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
    found: dict[int, Backtested] = {}
    for numbers in _walked_together(questions):
        asked = [questions[number] for number in numbers]
        done = _run_together(log, asked, now_ms, progress, settle)
        found |= zip(numbers, done, strict=True)
    return [found[number] for number in range(len(questions))]


def _walked_together(questions: Sequence[Question]) -> Iterable[list[int]]:
    """Return which questions one walk answers: of one span, with one close and user's tables."""
    groups = defaultdict[object, list[int]](list)
    for number, asked in enumerate(questions):
        key = asked.since_ms, asked.until_ms, asked.close, id(asked.profiles)
        groups[key].append(number)
    return groups.values()


def _figures_of(question: Question) -> tuple[object, ...]:
    """Return what questions share whose figures differ in the least EV alone."""
    changed = {"floor": 1.0, "prop_floor": 1.0, "min_edge": 0.0, "min_prop_edge": 0.0}
    rules = msgspec.structs.replace(question.rules, **changed)
    basis = (question.reference, question.method, question.derived, question.bands, rules)
    which = (question.strategy, question.at, question.series)
    return *basis, *which, question.profiles, question.mine


def _least_of(question: Question) -> tuple[float, ...]:
    rules = question.rules
    return rules.floor, rules.min_edge, rules.prop_floor, rules.min_prop_edge


def _has_figures(low: Question, question: Question) -> bool:
    """Return whether the figures of a question serve another with the same or a higher least EV."""
    if low.reference in CONSENSUS_TITLES or low.series:  # dated at each moment
        return False
    is_lower = all(map(operator.le, _least_of(low), _least_of(question)))
    return is_lower and _figures_of(low) == _figures_of(question)


def _run_together(
    log: RecordedLog,
    questions: Sequence[Question],
    now_ms: int,
    progress: Progress,
    settle: Callable[[list[PlacedBet]], list[PlacedBet]],
) -> list[Backtested]:
    """Answer questions of one span and one close in one walk."""
    bettors = [bettor_of(question, log) for question in questions]
    first = questions[0]
    walk = Walk(log, now_ms)
    counts: dict[int, CoverageCount] = {}
    lowest: list[tuple[int, Question]] = []
    """Visitors whose figures others see, by number."""
    for place in sorted(range(len(questions)), key=lambda each: _least_of(questions[each])):
        question = questions[place]
        like = next((number for number, low in lowest if _has_figures(low, question)), None)
        number = walk.add_visitor(bettors[place], _era_of(question), like)
        if like is None:
            lowest.append((number, question))
        counts[place] = walk.count_coverage(
            question.reference, question.close, question.since_ms, number
        )
    past = walk.keep_closes(
        first.close.reference, lambda ident: any(each.has_bets_on(ident) for each in bettors)
    )
    walk.walk_log(first.since_ms, first.until_ms, progress)
    for bettor in bettors:
        bettor.forget_due()
    placed = [_numbered(bettor.bets) for bettor in bettors]
    closed = with_all_closes(log, placed, first.close, first.profiles, now_ms, progress, past)
    judge = ResultJudge(log.results, known_rules(first.profiles).rules, now_ms)
    gaps, removed = log.gaps(walk.moments), log.removed()
    found = []
    for place, (question, bettor) in enumerate(zip(questions, bettors, strict=True)):
        implied = [_with_implied(bet, bettor) for bet in closed[place]]
        settled, unclear = with_results(implied, judge.for_other_bets(), now_ms)
        bets, bankroll = stake_bets(settle(settled), question.staking, bettor.judged, log)
        done = Backtested(
            bets=bets,
            rows=walk.rows,
            asked=walk.asked,
            first_ms=walk.first_ms,
            last_ms=walk.last_ms,
            bookmakers=frozenset(walk.bookmakers),
            missed=bettor.missed,
            gaps=gaps,
            removed=removed,
            has_results=any(bet.result is not None for bet in bets),
            unclear={bet.ident: unclear[bet.ident] for bet in bets if _is_open(bet, unclear)},
            coverage=bettor.covered(counts[place].coverage()),
            derived={bet.ident: mark for bet in bets if (mark := bettor.derived.get(bet.bet_key))},
            recorded={bet.ident: at for bet in bets if (at := bettor.recorded.get(bet.bet_key))},
            bankroll=bankroll,
        )
        found.append(done)
    return found


def _era_of(question: Question) -> Callable[[], Era]:
    return era_maker(
        question.reference,
        question.method,
        question.profiles,
        None if question.series else question.mine,
        question.derived,
        question.bands,
        question.rules,
    )


def _with_implied(bet: PlacedBet, bettor: Bettor) -> PlacedBet:
    """Return a bet with the implied close, if its own line had no close."""
    mark, close = bettor.derived.get(bet.bet_key), bettor.implied_closes.get(bet.bet_key)
    if mark is None or close is None or (bet.close is not None and bet.close.is_there):
        return bet
    bettor.derived[bet.bet_key] = mark._replace(has_implied_close=True)
    return msgspec.structs.replace(bet, close=close)


def with_results(
    bets: Sequence[PlacedBet], judge: ResultJudge, now_ms: int
) -> tuple[list[PlacedBet], dict[int | None, str]]:
    """Return bets with the results that recorded results of their games give.

    And by number of other bets, what is not known about those results.
    """
    said = settle_by_judge(bets, judge, now_ms)
    found = {bet.ident: msgspec.structs.replace(bet, settled_at=bet.kick_off) for bet in said.bets}
    unclear = {each.bet.ident: each.why.partition(": ")[2] for each in said.to_check}
    return [found.get(bet.ident, bet) for bet in bets], unclear


def _is_open(bet: PlacedBet, unclear: Mapping[int | None, str]) -> bool:
    return bet.result is None and bool(unclear.get(bet.ident))
