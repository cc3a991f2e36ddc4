"""Judges selections that were bet on by the results of their games.

``matching.bet_games`` decides whether a result is of a bet's game, ``pricing.game_scores`` which
score counts, and the bookmaker's rules what becomes of a moved or unfinished game. What is not
certain has a reason, and the result that it would give.
"""

import copy
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.market_words import selection_text, shown_game
from oddsdesk.base.numbers import date_text, hour_text
from oddsdesk.base.text import and_joined
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.contract.competitions import FOOTBALL, OTHER, named_competition, played_sport
from oddsdesk.contract.identity import teams
from oddsdesk.contract.markets import Form, form_of
from oddsdesk.contract.results import (
    ENDED,
    GameResult,
    GameStatus,
    SelectionResult,
    with_teams_turned,
)
from oddsdesk.contract.times import DAY_MS, HOUR_MS, MINUTE_MS
from oddsdesk.ledger.bets import BetState, PlacedBet, recorded_text
from oddsdesk.ledger.games import wanted_game
from oddsdesk.matching.bet_games import (
    NO_SERIES,
    Found,
    GamesNearby,
    is_same_competition,
    is_same_kick_off,
)
from oddsdesk.matching.games import SAME_START_MS
from oddsdesk.matching.names import shipped_names
from oddsdesk.pricing.game_scores import (
    TENNIS,
    Decision,
    contradict,
    result_as_stated,
    result_of,
    score_text,
)
from oddsdesk.pricing.profiles import Kind, fold_name
from oddsdesk.pricing.selections import AWAY, DRAW, HOME, Result, bet_named, read_selection
from oddsdesk.pricing.settlement_rules import (
    SAME_ROUND,
    Retirement,
    SettlementRule,
    SettlementRules,
)

_OFF: Final = frozenset({GameStatus.POSTPONED, GameStatus.ABANDONED, GameStatus.CANCELLED})
_ENDED_SOMEHOW: Final = frozenset({GameStatus.FINAL, GameStatus.RETIRED})
NOT_BEGUN_MS: Final = 12 * HOUR_MS
"""A result of a game that begins later than this from now is a mistake."""
_LONGEST_WAIT_DAYS: Final = 3
_SHORTEST: Final = {
    "AmericanFootball": 120 * MINUTE_MS,
    "AussieRules": 90 * MINUTE_MS,
    "Baseball": 90 * MINUTE_MS,
    "Basketball": 75 * MINUTE_MS,
    FOOTBALL: 90 * MINUTE_MS,
    "Hockey": 90 * MINUTE_MS,
    "Rugby": 80 * MINUTE_MS,
    TENNIS: 30 * MINUTE_MS,
}
"""The shortest time in which a game can end, by sport; an hour for others."""


class Verdict(NamedTuple):
    """What results say about a selection that was bet on, as if the bet were a back."""

    bet: PlacedBet
    why: str
    """Why it does not settle by itself, in words; empty if it does."""
    result: GameResult | None = None
    """The result of its game, or of a game that may be its game."""
    proposed: Result | None = None
    """How the selection ends by that; None if that is not known."""
    by: str = ""
    """Source and score, for ``PlacedBet.settled_by``."""
    is_its_game: bool = True
    """Whether the result is of the bet's game for certain."""
    is_contrary: bool = False
    """Whether sources contradict each other, or say that the game was not played."""
    share: float = 1.0
    """The share of the stake that counts as won in a dead heat."""


class _SourceResult(NamedTuple):
    """A result among those of its source."""

    result: GameResult
    place: int

    @property
    def begins_ms(self) -> int:
        return self.result.kick_off

    @property
    def has_time(self) -> bool:
        return self.result.has_time

    @property
    def sport(self) -> str:
        return self.result.sport

    @property
    def competition(self) -> str:
        return named_competition(self.result.competition)

    @property
    def match_name(self) -> str:
        return self.result.match_name


class ResultJudge:
    """Judges bets by the results of all sources."""

    def __init__(self, results: Iterable[GameResult], rules: SettlementRules, now_ms: int) -> None:
        self._rules = rules
        self._now_ms = now_ms
        self._names = shipped_names()
        self._wanted = set[int]()
        by_kind = defaultdict[tuple[str, str, bool], list[_SourceResult]](list)
        usable = dict.fromkeys(each for each in results if self._is_usable(each))
        for place, result in enumerate(usable):
            kind = (result.source, result.bookmaker, result.status in _OFF)
            by_kind[kind].append(_SourceResult(result, place))
        self._places = {result: place for place, result in enumerate(usable)}
        self._count = len(usable)
        self._dated = defaultdict[int, set[int]](set)
        """The kick-offs of bets that a result without an hour may be of."""
        self._days = {each.kick_off // DAY_MS for each in usable}
        self._nearby = [GamesNearby(group, self._names) for group in by_kind.values()]

    def for_other_bets(self) -> "ResultJudge":
        """Return a judge by the same results that knows no bets yet; it shares what was found."""
        other = copy.copy(self)
        other._wanted, other._dated = set(), defaultdict(set)
        return other

    def of_no_bet(self) -> int:
        """Return how many results no bet was on."""
        return self._count - len(self._wanted)

    def has_result_near(self, bet: PlacedBet) -> bool:
        """Return whether any result may be of a bet's game; fast, for the many that are settled."""
        day = bet.time_order[0] // DAY_MS
        return any(day + each in self._days for each in range(-1, _LONGEST_WAIT_DAYS + 2))

    def is_of_two_games(self, result: GameResult | None) -> bool:
        """Return whether a result without an hour may be of two games that bets are on."""
        place = None if result is None else self._places.get(result)
        starts = set[int]() if place is None else self._dated[place]
        return bool(starts) and max(starts) - min(starts) > SAME_START_MS

    def judge(self, bet: PlacedBet) -> Verdict | None:
        """Return how a bet ends, with a reason if that is not certain; None without any result."""
        near = [found for each in self._nearby if (found := each.games_near(wanted_game(bet)))]
        near = [each for each in near if bet.practice or not each.game.result.simulated]
        self._wanted |= {each.game.place for each in near}
        for each in near:
            is_in_series = _sport(bet, each.game.result) not in NO_SERIES
            if is_in_series and each.has_teams and not each.game.has_time and bet.kick_off:
                self._dated[each.game.place].add(bet.kick_off)
        its = [each.game.result for each in near if each.is_same or self._is_waited_for(bet, each)]
        if bet.kick_off is None or not its:
            return self._other_game(bet, near)
        if not self._is_one_game(its):
            why = _("{game} is one of two games of these teams around that time").format(
                game=_game_text(bet, its[0])
            )
            return Verdict(bet, why, its[0], by=_by(bet, its[0]), is_its_game=False)
        due = [each for each in its if each.status in _OFF or self._now_ms >= _ends_ms(bet, each)]
        sure = [each for each in due if not self._why_unsure(bet, each)]
        if len(sure) < len(due) and all(each.status in _OFF for each in sure):
            return self._unsure(bet, next(each for each in due if each not in sure))
        return (self._by_own(bet, sure) or self._by_status(bet, sure, near)) if sure else None

    def _unsure(self, bet: PlacedBet, result: GameResult) -> Verdict:
        why = f"{_game_text(bet, result)} {self._why_unsure(bet, result)}"
        would_be, by = self._would_be(bet, result), _by(bet, result)
        return Verdict(bet, why, result, would_be, by, is_its_game=False)

    def _why_unsure(self, bet: PlacedBet, result: GameResult) -> str:
        """Return why a result of a bet's teams may not be the bet's; empty if it is."""
        if not self._is_sport_known(bet, result):
            return _("may be another game: it is not known which sport the bet is on")
        if result.status in _OFF or bet.kick_off is None:
            return ""
        if result.has_time and result.kick_off < bet.placed_at < bet.kick_off:
            return _("had begun when the bet was placed")
        if 0 < result.reported_at < _ends_ms(bet, result):
            reported = datetime.fromtimestamp(result.reported_at / 1000, UTC)
            return _("was reported at {time}, before it can have ended").format(
                time=f"{date_text(reported)} {hour_text(reported)} UTC"
            )
        return ""

    def _is_sport_known(self, bet: PlacedBet, result: GameResult) -> bool:
        """Return whether bet and result are of one sport, by the sport or the competition."""
        competitions = [named_competition(each.competition) for each in (bet, result)]
        is_same = is_same_competition(self._names, *competitions)
        ours, theirs = (
            played_sport(self._names.competition_named(competition), sport)
            for competition, sport in zip(competitions, (bet.sport, result.sport), strict=True)
        )
        if OTHER not in (ours, theirs):
            return ours == theirs
        return is_same and (ours == theirs or self._names.knows(competitions[0]))

    def _is_usable(self, result: GameResult) -> bool:
        is_over = result.status in ENDED or bool(result.selections)
        return is_over and result.kick_off <= self._now_ms + NOT_BEGUN_MS

    def _is_waited_for(self, bet: PlacedBet, found: Found[_SourceResult]) -> bool:
        """Return whether a game was moved, and the bookmaker's bets wait long enough."""
        result = found.game.result
        sport = _sport(bet, result)
        if not found.is_moved or sport not in NO_SERIES or result.status not in _ENDED_SOMEHOW:
            return False
        waiting = self._rules.rule_of(bet.bookmaker, sport).waiting_ms
        later = result.kick_off - (bet.kick_off or 0) + (0 if result.has_time else 12 * HOUR_MS)
        return waiting is not None and 0 < later <= waiting

    def _is_one_game(self, its: Sequence[GameResult]) -> bool:
        """Return whether the results of all sources can be of one game."""
        first = its[0]
        for other in its[1:]:
            ours, theirs = first.competition, other.competition
            if ours and theirs and not is_same_competition(self._names, ours, theirs):
                return False
            if {first.status, other.status} & _OFF or not (first.has_time and other.has_time):
                continue
            place = self._names.competition_named(ours or theirs)
            if not is_same_kick_off(first.kick_off, other.kick_off, first.sport, place):
                return False
        return True

    def _other_game(self, bet: PlacedBet, near: Sequence[Found[_SourceResult]]) -> Verdict | None:
        """Return the game that may be a bet's, and why it does not settle the bet."""
        ended = [each for each in near if each.game.result.status in ENDED]
        if not ended or bet.state(self._now_ms) is not BetState.TO_SETTLE:
            return None  # before its own game is over, others say nothing about the bet
        found = min(ended, key=lambda each: (not each.has_teams, each.game.result.status in _OFF))
        result = found.game.result
        why = translated(found.why_not) or _("may be another game: the bet has no kick-off")
        listed = Verdict(bet, f"{_game_text(bet, result)} {why}", result, is_its_game=False)
        if not found.has_teams:
            return listed
        listed = listed._replace(proposed=self._would_be(bet, result), by=_by(bet, result))
        is_put_off = found.is_moved and result.kick_off > (bet.kick_off or 0)
        is_put_off = is_put_off and _sport(bet, result) in NO_SERIES
        return self._too_late(listed, found) if is_put_off else listed

    def _too_late(self, listed: Verdict, found: Found[_SourceResult]) -> Verdict:
        """Return a moved game with what is known about the bookmaker's waiting time."""
        bet, result = listed.bet, found.game.result
        rule = self._rules.rule_of(bet.bookmaker, _sport(bet, result))
        listed = listed._replace(why=f"{listed.why}; {_waits_text(bet, rule)}")
        if rule.waiting_ms is None:
            return listed
        return listed._replace(proposed=Result.VOID, by=f"{_source(result)} moved")

    def _by_own(self, bet: PlacedBet, its: Sequence[GameResult]) -> Verdict | None:
        """Return how the bet's own bookmaker settled its selection; None if it does not say."""
        own = [each for each in its if each.bookmaker and self._is_own(bet, each.bookmaker)]
        told = [(each, found) for each in own for found in _selections(bet, each)]
        if not told:
            return None
        result, selection = told[0]
        by = _own_result(result)
        if len({(each.result, each.share) for _, each in told}) > 1:
            heat = [
                _("{result} in a dead heat").format(result=_word(each))
                if each.share < 1
                else _word(each)
                for _it, each in told
            ]
            words = and_joined(list(dict.fromkeys(heat)), translated)
            why = _("{bookmaker} itself says both {results}").format(
                bookmaker=bet.bookmaker, results=words
            )
            return Verdict(bet, why, result, by=by, is_contrary=True)
        if selection.share < 1:
            why = _(
                "{source} says {result} in a dead heat: {share:g} of the stake counts as won"
            ).format(source=_source_name(result), result=_word(selection), share=selection.share)
            return Verdict(bet, why, result, by=by, share=selection.share)
        if why := self._denied(bet, its):
            return Verdict(bet, why, result, by=by, is_contrary=True)
        return Verdict(bet, "", result, Result(selection.result), by)

    def _denied(self, bet: PlacedBet, its: Sequence[GameResult]) -> str:
        """Return which selections of the bet's market contradict each other or the scores.

        One wrong word on any line of the market makes the whole market doubtful.
        """
        scored = [each for each in its if each.status is GameStatus.FINAL and each.home is not None]
        told = [
            (result, each)
            for result in its
            for each in result.selections
            if (each.market_type, each.period) == (bet.market_type, bet.period)
            and each.result in ("won", "lost")
            and each.share == 1
        ]
        for result, each in told:
            as_bet = msgspec.structs.replace(
                bet,
                match_name=result.match_name,
                selection=each.selection,
                bookmaker=result.bookmaker,
                close=None,
            )
            says = _("{source} says {selection} {result}").format(
                source=_source_name(result),
                selection=selection_text(each.selection),
                result=translated(each.result),
            )
            ends = self._decision(as_bet, scored).result if scored else None
            if ends in (Result.WON, Result.LOST) and ends.value != each.result:
                return _("{says}, but {by}").format(
                    says=says, by=recorded_text(_by(bet, scored[0]))
                )
            other = next(
                (one for it, one in told if it is result and _exclude(it.match_name, each, one)),
                None,
            )
            if other is not None:
                return _("{says} and {selection} {result}").format(
                    says=says,
                    selection=selection_text(other.selection),
                    result=translated(other.result),
                )
        return ""

    def _is_own(self, bet: PlacedBet, bookmaker: str) -> bool:
        """Return whether two names are of one bookmaker, or of one exchange's pool."""
        one, other = map(self._rules.profiles.profile_of, (bet.bookmaker, bookmaker))
        if one.kind is Kind.EXCHANGE and one.group == other.group:
            return True
        return fold_name(one.name) == fold_name(other.name)

    def _by_status(
        self, bet: PlacedBet, its: Sequence[GameResult], near: Sequence[Found[_SourceResult]]
    ) -> Verdict | None:
        """Return how a bet ends by what became of its game."""
        played = [each for each in its if each.status in _ENDED_SOMEHOW]
        off = [each for each in its if each.status in _OFF]
        still_off = [
            each
            for each in off
            if each.status is not GameStatus.POSTPONED
            or not any(_is_later(one, each) for one in played)
        ]
        statuses = {each.status for each in (*played, *still_off)}
        if len(statuses) > 1 and played:
            return _contrary(bet, [*played, *still_off])
        if off and not played:
            first = min(off, key=lambda each: each.status is not GameStatus.ABANDONED)
            is_postponed = first.status is GameStatus.POSTPONED
            may_be = is_postponed and _sport(bet, first) in NO_SERIES
            moved = (
                each
                for each in near
                if may_be and each.is_moved and _is_later(each.game.result, first)
            )
            return self._by_waiting(bet, first, next(moved, None))
        if played and played[0].status is GameStatus.RETIRED:
            return self._by_retirement(bet, played[0], its)
        scored = [each for each in played if each.home is not None]
        if not scored:
            return self._by_others(bet, its)
        turned = self._turned(bet, near)
        if turned and contradict([*scored, *turned], _sport(bet, scored[0])):
            return _contrary(bet, [*scored, *turned])
        return self._by_score(bet, scored, its)

    def _turned(self, bet: PlacedBet, near: Sequence[Found[_SourceResult]]) -> list[GameResult]:
        """Return final scores of the bet's game from sources that name the away team first.

        The scores have the bet's home team first.
        """
        pair = teams(bet.match_name)
        if pair is None or all(each.has_teams for each in near):
            return []
        other = msgspec.structs.replace(bet, match_name=" vs ".join(reversed(pair)))
        found = (each.games_near(wanted_game(other)) for each in self._nearby)
        results = [each.game.result for each in found if each is not None and each.is_same]
        return [
            msgspec.structs.replace(with_teams_turned(each, bet.match_name), selections=())
            for each in results
            if each.status is GameStatus.FINAL
            and each.home is not None
            and (bet.practice or not each.simulated)
        ]

    def _by_score(
        self, bet: PlacedBet, games: Sequence[GameResult], its: Sequence[GameResult]
    ) -> Verdict:
        first = games[0]
        is_handicap = form_of(bet.market_type) is Form.HANDICAP
        if bet.is_in_play and is_handicap and _sport(bet, first) == FOOTBALL:
            by = _by(bet, first)
            why = _(
                "{by}: placed in play, so its handicap may count from the score at that time"
            ).format(by=recorded_text(by))
            return Verdict(bet, why, first, self._would_be(bet, first), by)
        decision = self._decision(bet, games)
        if decision.is_conflict:
            return _contrary(bet, games)
        if decision.result is None:
            why = f"{_by(bet, first)}: {decision.why}"
            return Verdict(bet, why, first, self._would_be(bet, first), _by(bet, first))
        if why := self._denied(bet, its):
            return Verdict(bet, why, first, by=_by(bet, first), is_contrary=True)
        alone = (each for each in games if self._decision(bet, [each]).result is decision.result)
        one = next(alone, None)
        by = ", ".join(_by(bet, each) for each in games) if one is None else _by(bet, one)
        return Verdict(bet, "", one or first, decision.result, by)

    def _decision(self, bet: PlacedBet, games: Sequence[GameResult]) -> Decision:
        sport = _sport(bet, games[0])
        sides = 0 if bet.close is None else len(bet.close.line)
        return result_of(
            *(bet.market_type, bet.period, bet.match_name, bet.selection, games),
            sport=sport,
            overtime=self._rules.rule_of(bet.bookmaker, sport).counts_overtime,
            ways=sides or None,
        )

    def _would_be(self, bet: PlacedBet, result: GameResult) -> Result | None:
        """Return how a bet would end if a result was of its game and its score the one to count."""
        if result.status is GameStatus.FINAL and (found := self._decision(bet, [result]).result):
            return found
        return _as_stated(bet, result)

    def _by_others(self, bet: PlacedBet, its: Sequence[GameResult]) -> Verdict | None:
        """Return how a bet ends by what another bookmaker paid, where no score is known."""
        told = [(each, found) for each in its for found in _selections(bet, each)]
        if not told:
            return None
        result, selection = told[0]
        by = _own_result(result)
        if len({each.result for _, each in told}) > 1:
            words = and_joined(
                [
                    _("{source} says {result}").format(source=_source_name(each), result=_word(one))
                    for each, one in told
                ],
                translated,
            )
            return Verdict(bet, words, result, by=by, is_contrary=True)
        if why := self._denied(bet, its):
            return Verdict(bet, why, result, by=by, is_contrary=True)
        found = Verdict(bet, "", result, Result(selection.result), by)
        is_whole = selection.result in ("won", "lost") and selection.share == 1
        if is_whole and _sport(bet, result) == FOOTBALL and _is_by_score(bet):
            return found
        says = _("{source} says {result}").format(
            source=_source_name(result), result=_word(selection)
        )
        why = _("{says}, but {bookmaker} has reported nothing itself")
        if not bet.bookmaker:
            why = _("{says}, but the bet's bookmaker has reported nothing itself")
        return found._replace(why=why.format(says=says, bookmaker=bet.bookmaker))

    def _by_waiting(
        self, bet: PlacedBet, result: GameResult, moved: Found[_SourceResult] | None
    ) -> Verdict:
        """Return what becomes of a bet on a game that was not played, or not to its end.

        ``moved`` is the same game as it was played later.
        """
        rule = self._rules.rule_of(bet.bookmaker, _sport(bet, result))
        by, waits = _by(bet, result), _waits_text(bet, rule)
        found = Verdict(bet, "", result, Result.VOID, by, is_contrary=True)
        if rule.waiting_ms is None and moved is not None:
            later = moved.game.result
            why = f"{by}; {_game_text(bet, later)} {moved.why_not}; {waits}"
            return Verdict(
                *(bet, why, later, self._would_be(bet, later), _by(bet, later)), is_contrary=True
            )
        if rule.waiting_ms is None:
            return found._replace(why=f"{by}; {waits}")
        if self._now_ms <= (bet.kick_off or 0) + rule.waiting_ms:
            return found._replace(why=f"{by}; {waits}", proposed=None)
        if result.status is GameStatus.ABANDONED and _may_be_decided(bet, result):
            why = _("{by}; the bet may have been decided before").format(by=recorded_text(by))
            return found._replace(why=why, proposed=self._would_be(bet, result))
        return found

    def _by_retirement(
        self, bet: PlacedBet, result: GameResult, its: Sequence[GameResult]
    ) -> Verdict:
        """Return what becomes of a bet on a tennis match that a player gave up."""
        rule = self._rules.rule_of(bet.bookmaker, _sport(bet, result)).retirement
        by = _by(bet, result)
        found = Verdict(bet, "", result, Result.VOID, by)
        if bet.market_type != "moneyline" or bet.period:
            why = _("{by}: what that means for this market is not known").format(
                by=recorded_text(by)
            )
            return found._replace(why=why, proposed=None)
        if rule is None:
            why = _("{by}: the rule of {bookmaker} is not known").format(
                by=recorded_text(by), bookmaker=_bookmaker(bet)
            )
            return found._replace(why=why, proposed=None)
        sets = None if result.home is None or result.away is None else result.home + result.away
        if rule is Retirement.MATCH_COMPLETED or (rule is Retirement.FIRST_SET and sets == 0):
            return found
        if rule is Retirement.FIRST_SET and sets is None:
            why = _("{by}: it is not known whether a set was completed").format(
                by=recorded_text(by)
            )
            return found._replace(why=why, proposed=None)
        winner = {side for each in its for side in _winners(each)}
        read = read_selection(bet.market_type, bet.match_name, bet.selection)
        if len(winner) != 1 or read is None or read.side == DRAW:
            why = _("{by}: it is not known which player went on to the next round").format(
                by=recorded_text(by)
            )
            return found._replace(why=why, proposed=None)
        return found._replace(proposed=Result.WON if read.side in winner else Result.LOST)


def _ends_ms(bet: PlacedBet, result: GameResult) -> int:
    """Return when a result can be known at the earliest, by the kick-offs of bet and result."""
    starts = max(bet.kick_off or 0, result.kick_off if result.has_time else 0)
    is_final = result.status is GameStatus.FINAL
    return starts + (_SHORTEST.get(_sport(bet, result), HOUR_MS) if is_final else 0)


def _is_later(game: GameResult, off: GameResult) -> bool:
    """Return whether a game was played after the time at which it was called off."""
    has_times = game.has_time and off.has_time
    return game.kick_off - off.kick_off > (MINUTE_MS if has_times else 12 * HOUR_MS)


def _sport(bet: PlacedBet, result: GameResult) -> str:
    return bet.sport if result.sport in ("", OTHER) else result.sport


def _is_by_score(bet: PlacedBet) -> bool:
    return form_of(bet.market_type) not in (None, Form.PLAYER_OVER_UNDER, Form.QUESTION)


def _selections(bet: PlacedBet, result: GameResult) -> Iterator[SelectionResult]:
    """Yield what a source says about exactly the bet's selection."""
    sport = _sport(bet, result)
    ours = _named(sport, bet.market_type, bet.match_name, bet.selection)
    for each in result.selections:
        theirs = _named(sport, each.market_type, result.match_name, each.selection)
        if ours is not None and each.period == bet.period and ours == theirs:
            yield each


def _exclude(match_name: str, one: SelectionResult, other: SelectionResult) -> bool:
    """Return whether two selections of a market cannot both have ended as a source says."""
    ours, theirs = (
        read_selection(each.market_type, match_name, each.selection) for each in (one, other)
    )
    if ours is None or theirs is None or ours.key != theirs.key or ours.side == theirs.side:
        return False
    form = form_of(one.market_type)
    if one.result != other.result or form in (Form.DOUBLE_CHANCE, Form.PLAYER_OVER_UNDER):
        return False
    two_sided = (Form.OVER_UNDER, Form.TEAM_OVER_UNDER, Form.YES_NO)
    has_two = form in two_sided or one.market_type == "spread"
    return one.result == "won" or has_two


def _named(
    sport: str, market_type: str, match_name: str, selection: str
) -> tuple[str, str, str] | None:
    """Return a selection in words that all equal bets share; None if it cannot be read."""
    read = read_selection(market_type, match_name, selection)
    if read is None:
        return None
    market_type, key, side = bet_named(sport, False, market_type, read.key, read.side)
    return market_type, key.casefold(), side


def _winners(result: GameResult) -> Iterator[str]:
    """Yield the side that a source's own result of the match names as the winner."""
    for each in result.selections:
        if each.market_type == "moneyline" and not each.period and each.result in ("won", "lost"):
            read = read_selection(each.market_type, result.match_name, each.selection)
            if read is not None and read.side in (HOME, AWAY):
                is_won = each.result == "won"
                yield read.side if is_won else AWAY if read.side == HOME else HOME


def _may_be_decided(bet: PlacedBet, result: GameResult) -> bool:
    """Return whether a bet on an abandoned game may have been decided before."""
    form = form_of(bet.market_type)
    if not bet.period and form in (Form.WINNER, Form.HANDICAP, Form.DOUBLE_CHANCE):
        return False
    read = read_selection(bet.market_type, bet.match_name, bet.selection)
    if bet.period or read is None or result.home is None or not _is_by_score(bet):
        return True
    so_far = _as_stated(bet, result)
    is_reached = so_far is Result.WON if read.side in ("over", "yes") else so_far is Result.LOST
    return is_reached or so_far in (None, Result.VOID, Result.HALF_LOST, Result.HALF_WON)


def _as_stated(bet: PlacedBet, result: GameResult) -> Result | None:
    """Return how a bet would end if the score that a source states counts for it."""
    sport = _sport(bet, result)
    is_other_score = bool(bet.period) or (sport == FOOTBALL and bool(result.overtime))
    if is_other_score or result.home is None or result.away is None:
        return None
    return result_as_stated(*(bet.market_type, bet.match_name, bet.selection, result), sport=sport)


def _contrary(bet: PlacedBet, games: Sequence[GameResult]) -> Verdict:
    told = and_joined(
        [
            _("{source} says {result}").format(
                source=_source_name(each), result=translated(_what(bet, each))
            )
            for each in games
        ],
        translated,
    )
    by = ", ".join(_by(bet, each) for each in games)
    return Verdict(bet, told, games[0], by=by, is_contrary=True)


def _bookmaker(bet: PlacedBet) -> str:
    return bet.bookmaker or _("its bookmaker")


def _waits_text(bet: PlacedBet, rule: SettlementRule) -> str:
    if rule.postponed_hours == SAME_ROUND:
        return _("bets at {bookmaker} wait for it within the same round").format(
            bookmaker=_bookmaker(bet)
        )
    if not rule.postponed_hours:
        return _("how long bets at {bookmaker} wait for it is not known").format(
            bookmaker=_bookmaker(bet)
        )
    return _("bets at {bookmaker} wait {hours} hours for it").format(
        bookmaker=_bookmaker(bet), hours=rule.postponed_hours
    )


def _source(result: GameResult) -> str:
    return result.source or result.bookmaker or N_("an unnamed source")


def _source_name(result: GameResult) -> str:
    """Return the source in the reader's language."""
    return translated(_source(result))


def _what(bet: PlacedBet, result: GameResult) -> str:
    """Return what a source says of a game, in English: ``2-1``, ``postponed``, ``retired at 1-0``.

    With the score of each period where that matters to the bet.
    """
    score = ""
    if result.home is not None and result.away is not None:
        score = score_text((result.home, result.away))
        if result.periods and (bet.period or result.overtime or _sport(bet, result) == TENNIS):
            parts = ", ".join(score_text((each.home, each.away)) for each in result.periods)
            score = f"{score} ({parts})"
        if result.overtime:
            extra = "extra time" if _sport(bet, result) == FOOTBALL else "overtime"
            score = f"{score} after {extra}"
    status = result.status.words
    if result.status in (GameStatus.FINAL, GameStatus.UNKNOWN):
        return score or status
    return f"{status} at {score}" if score else status


def _by(bet: PlacedBet, result: GameResult) -> str:
    return f"{_source(result)} {_what(bet, result)}"


def _own_result(result: GameResult) -> str:
    return f"{_source(result)}'s own result"


def _game_text(bet: PlacedBet, result: GameResult) -> str:
    return f"{shown_game(result.match_name)} ({recorded_text(_by(bet, result))})"


def _word(selection: SelectionResult) -> str:
    return translated(selection.result.replace("_", " "))
