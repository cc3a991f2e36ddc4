"""Decides whether and how bets settle by the results of their games; nothing else does.

``ledger.judging`` judges each selection. What is not certain settles nothing: it is listed with the
reason and the result that it would give.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from oddsdesk.base.market_words import selection_text, shown_game
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, translated
from oddsdesk.contract.results import SOUGHT_EARLIER_MS, SOUGHT_LATER_MS, GameResult
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import (
    BadBetError,
    BetState,
    PlacedBet,
    recorded_text,
    settled,
    undone_text,
    was_undone,
)
from oddsdesk.ledger.judging import NOT_BEGUN_MS, ResultJudge, Verdict
from oddsdesk.ledger.legs import Part, leg_settled, parts_of
from oddsdesk.ledger.open_bets import wanted_kick_offs
from oddsdesk.pricing.selections import Result
from oddsdesk.pricing.settlement_rules import SettlementRules

_PLACES: Final = _("results do not give the places: settle it as won, placed or lost")


class ToCheck(NamedTuple):
    """A bet that the user has to look at, with what a source says of its game."""

    bet: PlacedBet
    why: str
    """Why it does not settle by itself, in words."""
    result: GameResult | None = None
    """The result of its game, or of a game that may be its game."""
    proposed: Result | None = None
    """How the bet, or its leg, would end by that; None if that is not known."""
    by: str = ""
    """Source and score, for ``PlacedBet.settled_by``."""
    is_its_game: bool = True
    """Whether the result is of the bet's game for certain."""
    is_contrary: bool = False
    """Whether sources contradict each other, or say that the game was not played."""
    leg: int = 0
    """Which leg it is about, from 1; 0 for the whole bet."""

    @property
    def check_text(self) -> str:
        """The bet, the reason, and how it would end."""
        bet = self.bet
        game = f", {shown_game(bet.match_name)}" if bet.match_name else ""
        named = selection_text(bet.selection)
        values = {"ident": bet.ident, "selection": named, "game": game, "why": self.why}
        if self.proposed is None:
            return _("bet {ident}, {selection}{game}: {why}").format(**values)
        text = (
            _("bet {ident}, {selection}{game}: {why}; the leg would then be {result}")
            if self.leg
            else _("bet {ident}, {selection}{game}: {why}; it would then be {result}")
        )
        return text.format(**values, result=translated(self.proposed.words))

    def accepted(self, now_ms: int) -> PlacedBet:
        """Return the bet, or its leg, settled as proposed.

        Raises:
            BadBetError: nothing is proposed, or the bet cannot end so.
        """
        if self.proposed is None:
            raise BadBetError(
                _("bet {ident}: it is not known how it ended").format(ident=self.bet.ident)
            )
        if self.leg:
            return leg_settled(self.bet, self.leg, self.proposed, now_ms, self.by)
        return settled(self.bet, self.proposed, now_ms, self.by)


class Settled(NamedTuple):
    """What results say about the bets in the ledger."""

    bets: list[PlacedBet]
    """Bets that settle, with their results."""
    problems: list[str]
    """One line per unreadable row of a file: its number, and what was expected."""
    of_no_bet: int = 0
    """Number of results without a bet."""
    to_check: Sequence[ToCheck] = ()
    """Open bets that results may settle, and why they do not."""
    corrections: Sequence[ToCheck] = ()
    """Bets that settled by themselves, and would now end differently."""
    without_result: Sequence[PlacedBet] = ()
    """Bets whose games should be over, but no source has a result. For a multiple, such legs as
    bets."""
    is_by_hand: bool = False
    """Whether the user gave the results, bet by bet."""
    by_leg: Sequence[PlacedBet] = ()
    """Bets that stay open although legs settled, with the results of these."""
    certain: Sequence[ToCheck] = ()
    """The same bets and legs as proposals, for a user who settles by hand."""

    @property
    def changed(self) -> list[PlacedBet]:
        """The bets to write: those that settle, and those with legs that do."""
        return [*self.bets, *self.by_leg]

    @property
    def to_look_at(self) -> list[str]:
        """One line for each bet to check and each correction."""
        return [each.check_text for each in (*self.to_check, *self.corrections)]

    def with_written(self, written: Iterable[PlacedBet]) -> "Settled":
        """Return the same with only those bets that were written to the ledger."""
        held = list(written)
        ended = [bet for bet in held if bet.result is not None]
        return self._replace(bets=ended, by_leg=[bet for bet in held if bet.result is None])


def settle_by_results(
    bets: Iterable[PlacedBet], results: Iterable[GameResult], rules: SettlementRules, now_ms: int
) -> Settled:
    """Return which bets settle by the results of their games, and why others do not.

    Bets and legs that the user settled are left alone. Those that settled by themselves keep their
    result; a result that has changed since is listed in ``corrections``.
    """
    return settle_by_judge(bets, ResultJudge(results, rules, now_ms), now_ms)


def settle_by_judge(bets: Iterable[PlacedBet], judge: ResultJudge, now_ms: int) -> Settled:
    """Do what ``settle_by_results`` does, by a judge that knows no bets yet."""
    found, open_bets = _Found(judge, now_ms), list[tuple[PlacedBet, list[_Judged]]]()
    for bet in bets:
        parts = parts_of(bet)
        for part in parts:
            if part.bet.result is not None and part.bet.settled_by:
                found.compare(part)
        if bet.result is None:
            unsettled = [part for part in parts if part.bet.result is None]
            open_bets.append((bet, [(part, judge.judge(part.bet)) for part in unsettled]))
    # Only now is it known which results may be of two games.
    for bet, judged in open_bets:
        found.settle(bet, judged)
    return found.settled._replace(of_no_bet=judge.of_no_bet())


_Judged = tuple[Part, Verdict | None]


class _Found:
    """Collects the outcome of each bet."""

    def __init__(self, judge: ResultJudge, now_ms: int) -> None:
        self._judge = judge
        self._now_ms = now_ms
        self._to_check, self._corrections = list[ToCheck](), list[ToCheck]()
        self._bets, self._by_leg = list[PlacedBet](), list[PlacedBet]()
        self._without, self._certain = list[PlacedBet](), list[ToCheck]()

    @property
    def settled(self) -> Settled:
        """All that was found."""
        lists = self._to_check, self._corrections, self._without
        return Settled(self._bets, [], 0, *lists, by_leg=self._by_leg, certain=self._certain)

    def compare(self, part: Part) -> None:
        """List what a source now says against an automatic settlement."""
        before, verdict = part.bet, None
        if self._judge.has_result_near(part.bet):
            verdict = self._judge.judge(part.bet)
        if verdict is None or not verdict.is_its_game or before.result is None:
            return
        check = _to_check(part, verdict)
        if check.proposed is before.result or (check.proposed is None and not check.is_contrary):
            return
        why = _("settled {result} by {source}; now {now}").format(
            result=translated(before.result.words),
            source=recorded_text(before.settled_by),
            now=verdict.why or recorded_text(verdict.by),
        )
        self._corrections.append(check._replace(why=f"{part.shown_lead}{why}"))

    def settle(self, bet: PlacedBet, judged: Sequence[_Judged]) -> None:
        """Settle a bet, or some of its legs, by certain verdicts, and list what is in doubt."""
        if bet.kind is BetKind.EACH_WAY:
            self._list_each_way(judged)
            return
        ended, doubts = bet, list[ToCheck]()
        for part, verdict in judged:
            if verdict is None:
                continue
            doubt = self._doubt(part, verdict)
            if doubt is None:
                check = _to_check(part, verdict)
                try:
                    ended = check._replace(bet=ended).accepted(self._now_ms)
                    self._certain.append(check)
                except BadBetError as error:
                    why = f"{part.shown_lead}{recorded_text(verdict.by)}: {error}"
                    doubt = check._replace(why=why, proposed=None)
            if doubt is not None:
                doubts.append(doubt)
        if ended.result is not None:
            self._bets.append(ended)
            return
        if ended is not bet:
            self._by_leg.append(ended)
        self._to_check += (each._replace(bet=ended) for each in doubts)
        self._without += (
            part.bet
            for part, verdict in judged
            if verdict is None and part.bet.state(self._now_ms) is BetState.TO_SETTLE
        )

    def _doubt(self, part: Part, verdict: Verdict) -> ToCheck | None:
        """Return why a verdict settles nothing; None if it does."""
        check = _to_check(part, verdict)
        if verdict.why:
            return check
        if self._judge.is_of_two_games(verdict.result):
            why = _("{by}: you have bets on two games that may have been on that date").format(
                by=recorded_text(verdict.by)
            )
            return check._replace(why=f"{part.shown_lead}{why}", is_its_game=False)
        if check.proposed is not None and was_undone(part.bet, check.proposed):
            undone = undone_text(part.bet.undone)
            why = _("you undid this: {result}").format(result=undone)
            return check._replace(why=f"{part.shown_lead}{why}")
        return None

    def _list_each_way(self, judged: Sequence[_Judged]) -> None:
        """List an each-way bet that is over: only a win also decides the place."""
        for part, verdict in judged:
            if verdict is not None:
                won = verdict.proposed if verdict.proposed is Result.WON else None
                why = f"{verdict.why or recorded_text(verdict.by)}; {_PLACES}"
                check = _to_check(part, verdict)._replace(why=why, proposed=won)
                self._to_check.append(check)
            elif part.bet.state(self._now_ms) is BetState.TO_SETTLE:
                self._to_check.append(ToCheck(part.whole, _PLACES))


def _to_check(part: Part, verdict: Verdict) -> ToCheck:
    """Return a verdict on a selection as one on the user's bet: a lay wins if it loses."""
    proposed, why = verdict.proposed, verdict.why
    if part.bet.kind is BetKind.LAY and proposed is not None:
        proposed = proposed.reversed
    if verdict.share < 1 and not part.leg:
        why = _("{why}, which pays {paid:.2f}").format(
            why=why, paid=num(_dead_heat_back(part.bet, verdict.share))
        )
    return ToCheck(
        *(
            part.whole,
            f"{part.shown_lead}{why}" if why else "",
            verdict.result,
            proposed,
            verdict.by,
        ),
        *(verdict.is_its_game, verdict.is_contrary, part.leg),
    )


def _dead_heat_back(bet: PlacedBet, share: float) -> float:
    """Return what comes back of a bet in a dead heat, as a cash-out of all that is open."""
    size = bet.open_size
    if bet.kind is BetKind.LAY:
        won, lost = size / (bet.odds - 1) * (1 - share), size * share
        kept = (bet.net - 1) * (bet.odds - 1)  # after commission, which is on net winnings only
        return size + (won - lost) * (kept if won > lost else 1.0)
    paid = bet.net - 1 if bet.kind is BetKind.FREE else bet.net
    return size * share * paid


def wanted_spans(bets: Iterable[PlacedBet], now_ms: int) -> list[tuple[int, int]]:
    """Return the kick-offs, from and to, whose results are needed to settle bets.

    Covers open bets, and for corrections those that settled by themselves in the last 30 days.
    """
    spans = list[tuple[int, int]]()
    for start in sorted(wanted_kick_offs(bets, now_ms)):
        since = start - SOUGHT_EARLIER_MS
        until = min(start + SOUGHT_LATER_MS, now_ms + NOT_BEGUN_MS)
        if spans and since <= spans[-1][1]:
            since = spans.pop()[0]
        if since < until:
            spans.append((since, until))
    return spans
