"""Bookmakers by what the log tells of their prices: margin, best prices, value, speed, sharpness.

Before the close is the last moment before a game begins; the close that moment itself (D57).
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from oddsdesk.board.matrix import Section, SectionKey
from oddsdesk.board.own_groups import offered
from oddsdesk.board.valuation import hold
from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.consensus import CONSENSUS_TITLE
from oddsdesk.pricing.devig import DevigError, devig
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.results import Result, Score, decided_share, result_of
from oddsdesk.research.backtest.betting import bet_on
from oddsdesk.research.backtest.closes import with_closes
from oddsdesk.research.past.coverage import Coverage, day_of, why_unpriced
from oddsdesk.research.past.game import PastGame
from oddsdesk.research.past.log_words import Moment, why_no_close, why_nothing
from oddsdesk.research.past.recorded_log import RecordedLog
from oddsdesk.research.past.walk import Progress, Walk, era_maker
from oddsdesk.research.scorecards.last_lines import LastLines, whole_lines
from oddsdesk.research.scorecards.moves import MovesOfGame, Seen
from oddsdesk.research.scorecards.tally import Card, CardKey, Tally

_SAME: Final = 1e-9
"""Net odds that differ by less are equal."""


class Scored(msgspec.Struct, frozen=True):
    """The cards of a log, and what they rest on; times in milliseconds."""

    cards: list[Card]
    """By sport, market and period; in each the least hold first."""
    reference: str
    close: CloseBy
    """Whose closing line CLV is by."""
    rows: int
    asked: int
    """How many of these rows were known in the span that is asked for."""
    first_ms: int | None
    """When the first row of the log was known, in that span or not; None for an empty log."""
    last_ms: int
    bookmakers: frozenset[str]
    """Whose prices the rows are."""
    games: int
    """How many games have begun in that span."""
    removed: str
    """What is said of rows that were removed and could not be read; empty for none."""
    has_results: bool
    coverage: Coverage


def notes(found: Scored, when: str, moment: Moment = format_ms, day: Moment = day_of) -> list[str]:
    """Return what has to be said of scorecards of a span, a line each.

    ``moment`` says times, ``day`` days.
    """
    lacks = why_nothing(found, found.reference, when, moment)
    lacks = lacks or why_unpriced(found.coverage, found.reference, when, day)
    told = [lacks] if lacks else []
    by = found.close
    if not lacks and (unclosed := why_no_close(found, by)):
        told.append(unclosed)
    if found.cards and found.reference == CONSENSUS_TITLE:
        told.append(
            "a consensus has no moves and no close of its own: no age, no lag, no loss beside it"
        )
    if found.removed:
        told.append(found.removed)
    if found.asked and not found.games:
        told.append(f"no game has begun {when}: holds and closing lines are of those that did")
    if found.asked and not found.has_results:
        told.append("no result is known: import football-data's seasons for log loss")
    return told


class _Scorer:
    """A ``walk.Visitor`` that counts."""

    def __init__(self, reference: str, method: str, log: RecordedLog, since_ms: int | None) -> None:
        self.tallies: defaultdict[CardKey, Tally] = defaultdict(Tally)
        self.games = 0
        self.bets: list[PlacedBet] = []
        self.has_results = False
        self._reference = reference
        self._method = method
        self._log = log
        self._since_ms = -math.inf if since_ms is None else since_ms
        self._moves: dict[str, tuple[str, MovesOfGame]] = {}
        """By game that has not begun: its sport, and its moves."""
        self._valued: dict[str, set[tuple[object, ...]]] = {}
        self._numbers: dict[str, int] = {}
        self._last_lines = LastLines(reference)

    def at_moment(self, game: PastGame, now_ms: int) -> None:
        """Count what moved, and what is value now."""
        keys = game.near()
        self._last_lines.see(game, now_ms)
        if game.has_begun or now_ms < self._since_ms:
            return
        ident, sport = game.entry.game_id, game.entry.sport
        _, moves = self._moves.setdefault(ident, (sport, MovesOfGame()))
        self._take_moves(ident, sport, moves.take(game, now_ms))
        if not keys:
            return
        valued = self._valued.setdefault(ident, set())
        for price in game.value(
            keys, now_ms, lambda each: (each.outcome, each.bookmaker) not in valued
        ):
            valued.add((price.outcome, price.bookmaker))
            self.bets.append(bet_on(price, game, now_ms, len(self.bets) + 1))

    def passing(self, game: PastGame, until_ms: int) -> None:
        """Nothing comes of time alone."""

    def before_begin(self, game: PastGame) -> None:
        """Count the last prices before the close."""
        self._end_moves(game.entry.game_id)
        self._valued.pop(game.entry.game_id, None)
        if _begins(game) < self._since_ms:
            return
        self.games += 1
        number = self.number(game.entry.game_id)
        for section in game.book.matrix.sections:
            for name, odds in whole_lines(section, self._reference):
                self._tally(game, section.key, name).holds.add(hold(list(odds.values())), number)
            self._count_best(game, section)

    def at_close(self, game: PastGame) -> None:
        """Count chances beside what came true."""
        entry, lines = game.entry, list(self._last_lines.take(game))
        game.closed_by |= {closed.bookmaker for closed in lines}
        named = (entry.match_name, entry.competition, entry.kick_off)
        score = self._log.score(entry.game_id, *named)
        if score is None or _begins(game) < self._since_ms:
            return
        number = self.number(entry.game_id)
        losses = defaultdict[SectionKey, dict[str, float]](dict)
        shares = dict[SectionKey, float]()
        for key, name, line in lines:
            decided = _decided(key, entry.match_name, line.group.selections, score)
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
        for key, closed in losses.items():
            self._compare(game, key, closed, shares[key])

    def _compare(
        self, game: PastGame, key: SectionKey, losses: dict[str, float], decided: float
    ) -> None:
        """Compare the log losses of one line with the reference's, where it closed it, too."""
        own = losses.pop(self._reference, None)
        if own is not None:
            number = self.number(game.entry.game_id)
            for name, loss in losses.items():
                tally = self._tally(game, key, name)
                tally.losses_vs_reference.add(loss - own, number, decided)

    def number(self, ident: str) -> int:
        """Return the number of a game in the samples."""
        return self._numbers.setdefault(ident, len(self._numbers))

    def end(self) -> None:
        """Count what games that have not begun tell by the end of the log."""
        for ident in list(self._moves):
            self._end_moves(ident)

    def _end_moves(self, ident: str) -> None:
        if ident in self._moves:
            sport, moves = self._moves.pop(ident)
            self._take_moves(ident, sport, moves.end())

    def _take_moves(self, ident: str, sport: str, moves: Iterable[Seen]) -> None:
        game = self.number(ident)
        for seen in moves:
            tally = self.tallies[CardKey(seen.bookmaker, sport, seen.market_type, seen.period)]
            if seen.lag is not None:
                tally.lags.add(seen.lag / 1000, game)
            if seen.age is not None:
                tally.ages.add(seen.age / 1000, game)

    def _count_best(self, game: PastGame, section: Section) -> None:
        basis, number = game.era.basis, self.number(game.entry.game_id)
        for row in section.rows:
            nets = {
                name: basis.net(name, price.odds)
                for name, price in row.prices.items()
                if price.is_offered and name not in section.other_bets
            }
            if (own := offered(row.reference)) is not None:
                nets[self._reference] = basis.net(self._reference, own)
            if len(nets) < 2:
                continue
            best = max(nets.values()) - _SAME
            for name, net in nets.items():
                self._tally(game, section.key, name).best.add(net >= best, number)

    def _tally(self, game: PastGame, key: SectionKey, bookmaker: str) -> Tally:
        return self.tallies[CardKey(bookmaker, game.entry.sport, *key[:2])]


def _begins(game: PastGame) -> int:
    """Return when a game begins that is about to; where nobody tells, when it was seen last."""
    return game.moment if game.kick_off is None else game.kick_off


def _decided(
    key: SectionKey, match_name: str, selections: Sequence[str], score: Score
) -> tuple[int, float] | None:
    """Return which side of a line won and what share of the stakes was decided; None for a void."""
    results = [
        result_of(key.market_type, key.period, match_name, selection, score)
        for selection in selections
    ]
    for won, lost in ((Result.WON, Result.LOST), (Result.HALF_WON, Result.HALF_LOST)):
        if results.count(won) == 1 and results.count(lost) == len(results) - 1:
            return results.index(won), decided_share(won)
    return None


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
    """Go through the log and return a card for each bookmaker and kind of market.

    Args:
        log: Of a database opened by ``past.judged_by``: its reference is the close's.
        reference: Who prices are judged by: a bookmaker, or ``CONSENSUS_TITLE``.
        method: How margins are taken out.
        close: Whose closing line CLV is by (D117); its reference by name.
        profiles: What bookmakers keep of a win.
        now_ms: The time: only games that began before it have a closing line.
        since_ms: What is seen from this moment on counts; what was known before is known.
        until_ms: No row that was known then or later is read.
        progress: Called with the rows done; what it raises ends the work.

    Raises:
        StoreError, ArchiveError, OSError: the log cannot be read.
    """
    scorer = _Scorer(reference, method, log, since_ms)
    walk = Walk(log, scorer, era_maker(reference, method, profiles, None), now_ms)
    count = walk.count_coverage(reference, close, since_ms)
    walk.run(since_ms, until_ms, progress)
    scorer.end()
    for bet in with_closes(log, scorer.bets, close, profiles, now_ms, progress):
        key = CardKey(bet.bookmaker, bet.sport, bet.market_type, bet.period)
        scorer.tallies[key].value_bets += 1
        if bet.clv_pct is not None:
            scorer.tallies[key].closed.add(bet.clv_pct, scorer.number(bet.game_id))
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
