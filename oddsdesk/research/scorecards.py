"""Scores bookmakers by their prices in a log: margin, best prices, value, speed, sharpness.

"Before the close" is the last moment before a game starts; the close is that moment itself.

Each move of the sharp book is paired with a bookmaker's nearest move the same way, before or after
it, while the sharp book does not move the other way. A late move counts as late, however late.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_
from oddsdesk.board.model.matrix import GameEntry, Section, SectionKey
from oddsdesk.board.valuation.figures import hold
from oddsdesk.contract.competitions import OTHER
from oddsdesk.contract.results import GameResult
from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.own_tables import known_rules
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.consensus import CONSENSUS_TITLES
from oddsdesk.pricing.devig import DevigError, devig
from oddsdesk.pricing.game_scores import result_of
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.selections import Result, decided_share
from oddsdesk.pricing.settlement_rules import SettlementRules
from oddsdesk.research.bettors import bet_on
from oddsdesk.research.closes import Closed, LastLines, whole_lines, with_closes
from oddsdesk.research.coverage import (
    Coverage,
    Moment,
    day_of,
    why_no_close,
    why_nothing,
    why_unpriced,
)
from oddsdesk.research.intervals import Interval, Sample, mean_of, median_of, share_of
from oddsdesk.research.past_game import PastGame
from oddsdesk.research.recorded_log import RecordedLog
from oddsdesk.research.walk import Progress, Visitor, Walk, era_maker

BINS: Final = 5
"""Bins of chances, equally wide."""


_FIGURES: Final = (
    *("hold_pct", "best_pct", "clv_pct", "age_s", "lag_s", "tied_pct"),
    *("log_loss", "log_loss_vs_reference"),
)


class CardKey(NamedTuple):
    """What a card covers; the period is the market's (0 all, 1 and 2 the halves)."""

    bookmaker: str
    sport: str
    market_type: str
    period: int


class Calibration(msgspec.Struct, frozen=True):
    """Chances of similar size, as given and as they came true; in percent."""

    given_pct: float
    came_true: Interval


class Card(msgspec.Struct, frozen=True):
    """A bookmaker's figures in one kind of market, each with its count."""

    key: CardKey
    is_reference: bool
    hold_pct: Interval
    """Median before the close, before commission."""
    best_pct: Interval
    """Share of its prices before the close that were the best after commission."""
    value_bets: int
    """Prices that were value, each counted once; none for the sharp book."""
    clv_pct: Interval
    """Mean over those with a closing line."""
    age_s: Interval
    """Median age of its price when the sharp book moved.

    None if it is only 0 because half of these prices or more may have come in the same reading as
    the sharp book's move: then the older price is unknown.
    """
    lag_s: Interval
    """Median time from the sharp book's moves to its own nearest move; negative if it leads.

    Over the moves it followed, however late; the count of ``age_s`` covers all moves. None if it is
    only 0 because half of them or more may be tied, so that nobody knows who was first.
    """
    tied_pct: Interval
    """Share of those read at the same moment as the sharp book, so nobody knows who was first."""
    log_loss: Interval
    """Mean log loss of its fair closing line; not comparable between different games.

    A half-won or half-lost result weighs a half, here and in all figures below.
    """
    log_loss_vs_reference: Interval
    """Mean of this book's loss minus the sharp book's, over lines both closed; negative if sharper.

    None for the sharp book, and if that has no closes, such as a consensus.
    """
    calibration: tuple[Calibration, ...]
    """Calibration of its closing line: chances given, and how often they came true."""


class Tally:
    """Adds up observations of a bookmaker in one kind of market."""

    def __init__(self) -> None:
        self.holds = Sample()
        self.best = Sample()
        """1 for each best price, else 0."""
        self.ages = Sample()
        """In seconds, like lags."""
        self.lags = Sample()
        self.losses = Sample()
        self.losses_vs_reference = Sample()
        self.closed = Sample()
        """Closing line values, in percent."""
        self.value_bets = 0
        self._given = [Sample() for _ in range(BINS)]
        self._true = [Sample() for _ in range(BINS)]

    def take_chances(
        self, chances: Sequence[float], winner: int, game: int, decided: float = 1.0
    ) -> float:
        """Add the chances that a bookmaker gave all sides of a line, and the winner.

        ``decided`` is the share of the stakes that was won or lost, used as the weight.
        Returns the log loss.
        """
        loss = -math.log(chances[winner])
        self.losses.add_value(loss, game, decided)
        for place, chance in enumerate(chances):
            number = min(int(chance * BINS), BINS - 1)
            self._given[number].add_value(chance, game, decided)
            self._true[number].add_value(place == winner, game, decided)
        return loss

    def card(self, key: CardKey, *, is_reference: bool) -> Card:
        """Return the card."""
        age, _ = _unless_tied(self.ages)
        lag, tied = _unless_tied(self.lags)
        return Card(
            key=key,
            is_reference=is_reference,
            hold_pct=median_of(self.holds),
            best_pct=share_of(self.best),
            value_bets=self.value_bets,
            clv_pct=mean_of(self.closed),
            age_s=age,
            lag_s=lag,
            tied_pct=tied,
            log_loss=mean_of(self.losses),
            log_loss_vs_reference=mean_of(self.losses_vs_reference),
            calibration=tuple(
                Calibration(fmean(given.values, given.weights) * 100, share_of(true))
                for given, true in zip(self._given, self._true, strict=True)
                if true
            ),
        )


def _unless_tied(times: Sample) -> tuple[Interval, Interval]:
    """Return the median of times between two moves, and how many of them were ties."""
    zeros = Sample()
    for each, game in zip(times.values, times.games, strict=True):
        zeros.add_value(each == 0, game)
    middle, tied = median_of(times), share_of(zeros)
    if middle.figure == 0 and (tied.high is None or tied.high >= 50):
        return Interval(None, middle.count, None, None), tied
    return middle, tied


_Cell = tuple[str, int, str]
"""Market type, period, selection."""


class Seen(NamedTuple):
    """An observation of a bookmaker; times in milliseconds."""

    market_type: str
    period: int
    bookmaker: str
    lag: int | None = None
    """How long after the sharp book it moved the same way; negative if before."""
    age: int | None = None
    """How long its price had stood when the sharp book moved."""


class _Waiting(NamedTuple):
    """A move of the sharp book that a bookmaker has not followed yet."""

    at: int
    lead: int | None
    """How long before it the bookmaker moved the same way; None if it did not."""


class _Run:
    """The sharp book's moves in one direction, together with a bookmaker's moves."""

    def __init__(self) -> None:
        self.is_up: bool | None = None
        self.waiting: list[_Waiting] = []
        self.ahead: dict[bool, int] = {}
        """When the bookmaker last moved down and up, since the sharp book moved the other way.

        Without moves that followed the sharp book, since those did not lead its next move.
        """

    def reference_moved(self, at: int, *, is_up: bool) -> list[int]:
        """Take in a move; return the lags of moves that can no longer be followed."""
        settled: list[int] = []
        if self.is_up is not is_up:
            settled = self.unfollowed_lags()
            self.is_up = is_up
        self.ahead.pop(not is_up, None)
        moved_at = self.ahead.get(is_up)
        self.waiting.append(_Waiting(at, None if moved_at is None else at - moved_at))
        return settled

    def moved(self, at: int, *, is_up: bool) -> list[int]:
        """Take in a move of the bookmaker; return the lags that it settles."""
        waiting: list[_Waiting] = []
        if self.is_up is is_up:
            waiting, self.waiting = self.waiting, []
        lags = [
            at - each.at if each.lead is None or at - each.at < each.lead else -each.lead
            for each in waiting
        ]
        if all(lag < 0 for lag in lags):
            self.ahead[is_up] = at
        return lags

    def unfollowed_lags(self) -> list[int]:
        """Return the lags of moves that will not be followed: the bookmaker led them."""
        waiting, self.waiting = self.waiting, []
        return [-each.lead for each in waiting if each.lead is not None]


class MovesOfGame:
    """The moves of one game, with one selection per line, since its other sides move with it."""

    def __init__(self) -> None:
        self._runs: dict[tuple[_Cell, str], _Run] = {}

    def lags_at(self, game: PastGame, now_ms: int) -> Iterator[Seen]:
        """Yield the observations of a moment, the sharp book's moves first."""
        moves = []
        for (market_type, period, bookmaker), selection, before, after in game.moves:
            if before is None or not (before.is_offered and after.is_offered):
                continue
            if before.odds != after.odds:
                cell = market_type, period, selection
                section = game.book.section_of(*cell)
                if section is not None and section.rows[0].selection == selection:
                    moves.append((cell, bookmaker, after.odds > before.odds))
        for cell, bookmaker, is_up in moves:
            if bookmaker == game.book.matrix.reference:
                yield from self._reference_moved(game, cell, is_up, now_ms)
        for cell, bookmaker, is_up in moves:
            if bookmaker != game.book.matrix.reference:
                lags = self._run(cell, bookmaker).moved(now_ms, is_up=is_up)
                yield from _seen(cell, bookmaker, lags)

    def last_lags(self) -> Iterator[Seen]:
        """Yield the observations that only the end of the recording settles."""
        for (cell, bookmaker), run in self._runs.items():
            yield from _seen(cell, bookmaker, run.unfollowed_lags())

    def _reference_moved(
        self, game: PastGame, cell: _Cell, is_up: bool, now_ms: int
    ) -> Iterator[Seen]:
        row = game.book.selection_row(*cell)
        for bookmaker, price in () if row is None else row.others():
            if not price.is_offered:
                continue
            yield Seen(*cell[:2], bookmaker, age=max(now_ms - price.changed_at, 0))
            lags = self._run(cell, bookmaker).reference_moved(now_ms, is_up=is_up)
            yield from _seen(cell, bookmaker, lags)

    def _run(self, cell: _Cell, bookmaker: str) -> _Run:
        return self._runs.setdefault((cell, bookmaker), _Run())


def _seen(cell: _Cell, bookmaker: str, lags: list[int]) -> Iterator[Seen]:
    for lag in lags:
        yield Seen(*cell[:2], bookmaker, lag=lag)


_SAME: Final = 1e-9
"""Odds after commission that differ by less count as equal."""


class Scored(msgspec.Struct, frozen=True):
    """The cards of a log, and what they are based on; times in milliseconds."""

    cards: list[Card]
    """By sport, market and period; in each the lowest hold first."""
    reference: str
    close: CloseBy
    """The closing line behind CLV."""
    rows: int
    asked: int
    """Number of rows in the requested span."""
    first_ms: int | None
    """When the log's first row was known, in that span or not; None for an empty log."""
    last_ms: int
    bookmakers: frozenset[str]
    """The bookmakers of the rows."""
    games: int
    """Number of games that started in that span."""
    removed: str
    """A note if rows were removed and could not be read; else empty."""
    has_results: bool
    coverage: Coverage


def notes(found: Scored, when: str, moment: Moment = format_ms, day: Moment = day_of) -> list[str]:
    """Return the notes on scorecards of a span, one line each.

    ``moment`` formats times, ``day`` formats days.
    """
    lacks = why_nothing(found, found.reference, when, moment)
    lacks = lacks or why_unpriced(found.coverage, found.reference, when, day)
    lines = [lacks] if lacks else []
    by = found.close
    if not lacks and (unclosed := why_no_close(found, by)):
        lines.append(unclosed)
    if found.cards and found.reference in CONSENSUS_TITLES:
        lines.append(
            N_(
                "a consensus has no moves and no close, so there is no age, lag or log loss"
                " against it"
            )
        )
    if found.removed:
        lines.append(found.removed)
    if found.asked and not found.games:
        lines.append(
            N_(f"the log ends before the games {when}, so there are no holds and no closing lines")
            if found.coverage.begun
            else N_(f"no game started {when}, so there are no holds and no closing lines")
        )
    if found.asked and not found.coverage.with_result:
        lines.append(
            N_("no results, so no log loss: import them with the seasons of football-data.co.uk")
        )
    elif found.asked and not found.has_results:
        lines.append(N_("no line has both a close and a result, so there is no log loss"))
    compared = sum(not card.is_reference for card in found.cards)
    if compared > 1:
        lines.append(
            N_(
                f"{num(compared):,} rows are compared with the sharp book; about 1 in 20 intervals"
                f" misses the truth, so some bookmakers will look sharper by luck"
            )
        )
    return lines


def as_fields(card: Card) -> dict[str, Any]:
    """Return a card in the form that ``--json`` prints."""
    fields: dict[str, Any] = {**card.key._asdict(), "is_reference": card.is_reference}
    for name in _FIGURES:
        fields |= interval_fields(name, getattr(card, name))
    bins = [
        {"given_pct": each.given_pct} | interval_fields("came_true_pct", each.came_true)
        for each in card.calibration
    ]
    return fields | {"value_bets": card.value_bets, "calibration": bins}


def interval_fields(name: str, of: Interval) -> dict[str, Any]:
    """Return a figure with its count and ends in the form that ``--json`` prints."""
    return {
        name: of.figure,
        f"{name}_count": of.count,
        f"{name}_low": of.low,
        f"{name}_high": of.high,
    }


class _Scorer(Visitor):
    """A ``walk.Visitor`` that collects the observations."""

    def __init__(
        self,
        reference: str,
        method: str,
        log: RecordedLog,
        since_ms: int | None,
        rules: SettlementRules,
    ) -> None:
        self._rules = rules
        self.tallies: defaultdict[CardKey, Tally] = defaultdict(Tally)
        self.games = 0
        self.bets: list[PlacedBet] = []
        self.has_results = False
        self._reference = reference
        self._method = method
        self._log = log
        self._since_ms = -math.inf if since_ms is None else since_ms
        self._moves: dict[str, tuple[str, MovesOfGame]] = {}
        """For each game that has not started: its sport and its moves."""
        self._valued: dict[str, set[tuple[object, ...]]] = {}
        self._bet_on = set[str]()
        self._numbers: dict[str, int] = {}
        self._last_lines = LastLines()

    def at_moment(self, game: PastGame, now_ms: int) -> None:
        """Count what moved, and the current value."""
        keys = game.near()
        self._last_lines.see(game, now_ms)
        if game.has_begun or now_ms < self._since_ms:
            return
        ident, sport = game.entry.game_id, game.entry.sport
        _, moves = self._moves.setdefault(ident, (sport, MovesOfGame()))
        self._take_moves(ident, sport, moves.lags_at(game, now_ms))
        if not keys:
            return
        valued = self._valued.setdefault(ident, set())
        for price in game.value(
            keys, now_ms, lambda each: (each.outcome, each.bookmaker) not in valued
        ):
            valued.add((price.outcome, price.bookmaker))
            self._bet_on.add(ident)
            self.bets.append(bet_on(price, game, now_ms, len(self.bets) + 1))

    def before_begin(self, game: PastGame) -> None:
        """Count the last prices before the close."""
        self._end_moves(game.entry.game_id)
        self._valued.pop(game.entry.game_id, None)
        if game_begins(game) < self._since_ms:
            return
        self.games += 1
        number = self.number(game.entry.game_id)
        for section in game.book.matrix.sections:
            for name, odds in whole_lines(section):
                self._tally(game, section.key, name).holds.add_value(
                    hold(list(odds.values())), number
                )
            self._count_best(game, section)

    def at_close(self, game: PastGame) -> None:
        """Count chances with their outcome."""
        entry, lines = game.entry, list(self._last_lines.closed_lines(game))
        named = (entry.match_name, entry.competition, entry.kick_off)
        results = self._log.final_scores(entry.game_id, *named).results
        if not results or game_begins(game) < self._since_ms:
            return
        number = self.number(entry.game_id)
        losses = defaultdict[SectionKey, dict[str, float]](dict)
        shares = dict[SectionKey, float]()
        known: dict[Hashable, tuple[int, float] | None] = {}
        for closed in lines:
            key, name, line = closed
            decided = decided_side(self._rules, closed, entry, results, known)
            if decided is None:
                continue
            winner, shares[key] = decided
            try:
                chances = devig(self._method, line.odds).probabilities
            except DevigError:
                continue
            if all(0 < chance < 1 for chance in chances):
                self.has_results = True
                tally = self._tally(game, key, name)
                losses[key][name] = tally.take_chances(chances, winner, number, shares[key])
        for key, each in losses.items():
            self._compare(game, key, each, shares[key])

    def _compare(
        self, game: PastGame, key: SectionKey, losses: dict[str, float], decided: float
    ) -> None:
        """Compare the log losses of one line with the sharp book's, if it closed it, too."""
        own = losses.pop(self._reference, None)
        if own is not None:
            number = self.number(game.entry.game_id)
            for name, loss in losses.items():
                tally = self._tally(game, key, name)
                tally.losses_vs_reference.add_value(loss - own, number, decided)

    def number(self, ident: str) -> int:
        """Return the number of a game in the samples."""
        return self._numbers.setdefault(ident, len(self._numbers))

    def has_bets_on(self, game_id: str) -> bool:
        """Return whether a price of a game was value."""
        return game_id in self._bet_on

    def count_unbegun(self) -> None:
        """Count games that had not started at the end of the log."""
        for ident in list(self._moves):
            self._end_moves(ident)

    def _end_moves(self, ident: str) -> None:
        if ident in self._moves:
            sport, moves = self._moves.pop(ident)
            self._take_moves(ident, sport, moves.last_lags())

    def _take_moves(self, ident: str, sport: str, moves: Iterable[Seen]) -> None:
        game = self.number(ident)
        for seen in moves:
            tally = self.tallies[CardKey(seen.bookmaker, sport, seen.market_type, seen.period)]
            if seen.lag is not None:
                tally.lags.add_value(seen.lag / 1000, game)
            if seen.age is not None:
                tally.ages.add_value(seen.age / 1000, game)

    def _count_best(self, game: PastGame, section: Section) -> None:
        basis, number = game.era.basis, self.number(game.entry.game_id)
        for row in section.rows:
            nets = {
                name: basis.net(name, price.odds)
                for name, price in row.prices.items()
                if price.is_offered and name not in section.other_bets
            }
            if len(nets) < 2:
                continue
            best = max(nets.values()) - _SAME
            for name, net in nets.items():
                self._tally(game, section.key, name).best.add_value(net >= best, number)

    def _tally(self, game: PastGame, key: SectionKey, bookmaker: str) -> Tally:
        return self.tallies[CardKey(bookmaker, game.entry.sport, *key[:2])]


def decided_side(
    rules: SettlementRules,
    closed: Closed,
    entry: GameEntry,
    games: Sequence[GameResult],
    known: dict[Hashable, tuple[int, float] | None],
) -> tuple[int, float] | None:
    """Return the winning side of a bookmaker's line and the decided share of stakes; None for a
    void. ``known`` holds what was found for this game before."""
    sport = games[0].sport if entry.sport == OTHER else entry.sport
    overtime = rules.rule_of(closed.bookmaker, sport).counts_overtime
    asked = (closed.key, closed.line.group.selections, overtime)
    if asked not in known:
        known[asked] = _decided(*asked, sport, entry, games)
    return known[asked]


def _decided(
    key: SectionKey,
    selections: Sequence[str],
    overtime: bool | None,
    sport: str,
    entry: GameEntry,
    games: Sequence[GameResult],
) -> tuple[int, float] | None:
    results = [
        result_of(
            *(key.market_type, key.period, entry.match_name, selection, games),
            sport=sport,
            overtime=overtime,
            ways=len(selections),
        ).result
        for selection in selections
    ]
    for won, lost in ((Result.WON, Result.LOST), (Result.HALF_WON, Result.HALF_LOST)):
        if results.count(won) == 1 and results.count(lost) == len(results) - 1:
            return results.index(won), decided_share(won)
    return None


def game_begins(game: PastGame) -> int:
    """Return when a game is about to start; if unknown, when it was last seen."""
    return game.moment if game.kick_off is None else game.kick_off


def scorecards(
    log: RecordedLog,
    *,
    reference: str,
    method: str,
    close: CloseBy,
    profiles: Profiles,
    now_ms: int,
    since_ms: int | None = None,
    until_ms: int | None = None,
    progress: Progress = lambda _: None,
) -> Scored:
    """Read the log and return a card for each bookmaker and kind of market.

    Args:
        log: Of a database opened by ``past.judged_by``; it has the close's sharp book.
        reference: The sharp book: a bookmaker, or one of ``CONSENSUS_TITLES``.
        method: The devig method.
        close: The closing line behind CLV; its sharp book by name.
        profiles: Commissions of bookmakers.
        now_ms: The time; only games that started before it have a closing line.
        since_ms: Observations from this time on count; earlier rows are read but not counted.
        until_ms: Rows known at this time or later are not read.
        progress: Called with the rows done; an exception ends the work.

    Raises:
        StoreError, ArchiveError, OSError: the log cannot be read.
    """
    scorer = _Scorer(reference, method, log, since_ms, known_rules(profiles).rules)
    walk = Walk(log, now_ms)
    walk.add_visitor(scorer, era_maker(reference, method, profiles, None))
    count = walk.count_coverage(reference, close, since_ms)
    past = walk.keep_closes(close.reference, scorer.has_bets_on)
    walk.walk_log(since_ms, until_ms, progress)
    scorer.count_unbegun()
    for bet in with_closes(log, scorer.bets, close, profiles, now_ms, progress, past):
        key = CardKey(bet.bookmaker, bet.sport, bet.market_type, bet.period)
        scorer.tallies[key].value_bets += 1
        if bet.clv_pct is not None:
            scorer.tallies[key].closed.add_value(bet.clv_pct, scorer.number(bet.game_id))
    cards = [
        tally.card(key, is_reference=key.bookmaker == reference)
        for key, tally in scorer.tallies.items()
    ]
    return Scored(
        cards=sorted(cards, key=_place),
        reference=reference,
        close=close,
        rows=walk.rows,
        asked=walk.asked,
        first_ms=walk.first_ms,
        last_ms=walk.last_ms,
        bookmakers=frozenset(walk.bookmakers),
        games=scorer.games,
        removed=log.removed(),
        has_results=scorer.has_results,
        coverage=count.coverage(),
    )


def _place(card: Card) -> tuple[object, ...]:
    key, margin = card.key, card.hold_pct.figure
    return (*key[1:], margin is None, margin or 0.0, key.bookmaker)
