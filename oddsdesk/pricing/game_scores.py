"""Which score of a game a market counts, in every sport, and how a selection ends by it.

A source may leave open whether overtime is in its score, and a bookmaker whether overtime counts.
If that makes two scores possible, no bet of that market has a result, not even one that both scores
would settle alike: an Under would only ever be settled when it won. Where a period may be a half or
a quarter, or a draw a third selection, a bet has a result if all readings give the same.

A score that contradicts its own periods or its sport settles nothing.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from functools import reduce
from typing import Final, NamedTuple

from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.markets import MARKETS, Form
from oddsdesk.contract.results import MOST_GAMES, REGULAR_PERIODS, GameResult, GameStatus
from oddsdesk.pricing.selections import (
    DRAW,
    Goals,
    Outcome,
    Result,
    line_of,
    read_selection,
    result_at,
)

TENNIS: Final = "Tennis"
_BASEBALL: Final = "Baseball"
_TWO_WAY: Final = frozenset({"AmericanFootball", _BASEBALL, "Basketball", TENNIS})
"""Sports whose match result has no draw to bet on."""
_AS_GOALS: Final = {"total_games": "total", "games_handicap": "spread"}
"""Markets on the games of tennis, and the markets on goals that settle in the same way."""
_THREE_WAY: Final = frozenset({"double_chance", "3way_handicap"})
"""Markets on the regular time, whether or not overtime counts for others."""
_MOST_SETS: Final = {"total": 4.5, "team_total": 2.5, "spread": 2.5, "3way_handicap": 2.5}
"""The largest line that counts sets; one above it counts games."""
_NO_TIES: Final = frozenset({_BASEBALL, "Basketball", TENNIS})
"""Sports whose games are played until somebody has won."""
_SUPER_TIEBREAK: Final = 10
"""Points of a tie-break in place of the last set, which counts as one game."""
_EXTRA_TIME_IN: Final[Mapping[str, range]] = {
    competition: months
    for months, competitions in (
        (
            range(0),
            "EPL LIGA BRAS soccer_brazil_serie_b soccer_germany_liga3 soccer_greece_super_league "
            "soccer_poland_ekstraklasa soccer_turkey_super_league",
        ),
        (
            range(5, 9),
            "BUND EFL ERED GER2 LIG1 LIG2 LIGA2 SERA soccer_austria_bundesliga "
            "soccer_belgium_first_div soccer_denmark_superliga soccer_england_league1 "
            "soccer_england_league2 soccer_italy_serie_b soccer_portugal_primeira_liga soccer_spl "
            "soccer_switzerland_superleague",
        ),
        (
            range(10, 13),
            "soccer_finland_veikkausliiga soccer_league_of_ireland soccer_norway_eliteserien "
            "soccer_sweden_allsvenskan soccer_sweden_superettan",
        ),
        (range(2, 9), "UCL UEL soccer_uefa_europa_conference_league"),
    )
    for competition in competitions.split()
}
"""By competition, the months in which some of its games may have extra time: play-offs, knock-out
rounds. Those of other competitions always may."""
_HALVES_OR_QUARTERS: Final = {1: ((1, 1), (1, 2)), 2: ((2, 2), (3, 4)), 3: ((3, 3),), 4: ((4, 4),)}
_PARTS: Final[Mapping[str, Mapping[int, tuple[tuple[int, int], ...]]]] = {
    "AmericanFootball": _HALVES_OR_QUARTERS,
    "AussieRules": _HALVES_OR_QUARTERS,
    "Basketball": _HALVES_OR_QUARTERS,
    _BASEBALL: {1: ((1, 1), (1, 5))},
}
"""By sport and a market's period, the first and last period of a score that it may mean: feeds
count quarters or halves, an inning or the first five. Others are the period of the same number."""


class Count(Enum):
    """What is counted."""

    REGULAR = "regular"
    """The game without overtime; of tennis the sets."""
    WHOLE = "whole"
    """The game with overtime, if there was any."""
    PART = "part"
    """Some of its periods."""
    GAMES = "games"
    """All games of a tennis match."""


class Reading(NamedTuple):
    """One way to understand a bet."""

    counted: Count
    has_draw: bool = True
    """Whether a draw loses the bets on both teams; else their stakes come back."""
    part: tuple[int, int] = (0, 0)
    """First and last period."""


class Decision(NamedTuple):
    """How a bet ends by what sources say, or why that is not known."""

    result: Result | None
    why: str = ""
    """Why there is no result, in words that follow "not settled:"; empty if there is one."""
    is_conflict: bool = False
    """Whether sources contradict each other."""


class _Unknown(NamedTuple):
    why: str


class _Ending(NamedTuple):
    """How a bet ends by a score."""

    counted: object
    """What its market counts of the score: bets on any of its lines depend on nothing else."""
    result: Result | None


def result_of(
    market_type: str,
    period: int,
    match_name: str,
    selection: str,
    games: Sequence[GameResult],
    *,
    sport: str,
    overtime: bool | None = None,
    ways: int | None = None,
) -> Decision:
    """Return how a selection ends by the final scores that sources give of its game.

    Args:
        match_name: The bet's name of the game; each result has the teams in the same order.
        sport: What is played, in the contract's words.
        overtime: Whether overtime counts at the bookmaker; None if unknown.
        ways: Number of selections of the bet's line, 2 or 3; None if unknown.
    """
    outcome = read_selection(market_type, match_name, selection)
    if not market_type:
        return Decision(None, N_("choose the market of this bet (E)"))
    if outcome is None:
        return Decision(None, N_(f"{selection!r} is not a selection that a score settles"))
    if why := next(filter(None, (impossible(game, sport) for game in games)), ""):
        return Decision(None, why)
    readings = _readings(market_type, period, outcome, sport, overtime, ways)
    if isinstance(readings, _Unknown):
        return Decision(None, readings.why)
    found = dict[Reading, set[_Ending]]()
    for reading in readings:
        reported = [scores_at(game, sport, market_type, reading) for game in games]
        known = [each for each in reported if not isinstance(each, _Unknown)]
        if not known:
            why = next(
                (each.why for each in reported if isinstance(each, _Unknown)), N_("no score")
            )
            return Decision(None, why)
        scores = frozenset.intersection(*known)
        if not scores:
            return Decision(None, N_("the sources contradict each other"), is_conflict=True)
        found[reading] = {
            _Ending(
                _counted(MARKETS[market_type].form, goals),
                _ended(market_type, outcome, reading, goals),
            )
            for goals in scores
        }
    results = {ending.result for endings in found.values() for ending in endings}
    if len(results) == 1 and (sport == TENNIS or not _is_overtime_open(found)):
        result = results.pop()
        return Decision(result, "" if result else N_(f"{selection!r} has no result by a score"))
    return Decision(None, _why_open(found, sport))


def contradict(games: Sequence[GameResult], sport: str) -> bool:
    """Return whether no score can be what all of these results of one game say."""
    counted = [Count.REGULAR] if sport in (FOOTBALL, TENNIS) else [Count.REGULAR, Count.WHOLE]
    for each in counted:
        reported = [scores_at(game, sport, "moneyline", Reading(each)) for game in games]
        known = [scores for scores in reported if not isinstance(scores, _Unknown)]
        if len(known) > 1 and not frozenset.intersection(*known):
            return True
    return False


def result_as_stated(
    market_type: str, match_name: str, selection: str, game: GameResult, *, sport: str
) -> Result | None:
    """Return how a selection on the whole game ends if the stated score is the one that counts.

    None if that score cannot be the end of the game, or counts something else.
    """
    outcome = read_selection(market_type, match_name, selection)
    if outcome is None or game.home is None or game.away is None or impossible(game, sport):
        return None
    counts_games = market_type in _AS_GOALS or abs(line_of(outcome.key)) > _MOST_SETS.get(
        market_type, 0
    )
    if sport == TENNIS and counts_games:
        return None
    is_winner = MARKETS[market_type].form is Form.WINNER
    if sport == _BASEBALL and not is_winner and 0 < len(game.periods) < REGULAR_PERIODS[_BASEBALL]:
        return None
    has_draw = market_type != "moneyline" or sport not in _TWO_WAY or outcome.side == DRAW
    if game.home == game.away and (sport in _NO_TIES or (not has_draw and not game.overtime)):
        return None
    reading = Reading(Count.WHOLE, has_draw)
    return _ended(market_type, outcome, reading, Goals(game.home, game.away))


def impossible(game: GameResult, sport: str) -> str:
    """Return why no final game can have these scores; empty if one can."""
    if game.status is not GameStatus.FINAL or game.home is None or game.away is None:
        return ""
    stated = Goals(game.home, game.away)
    if sport == TENNIS:
        return _impossible_sets(game, stated)
    count, scores = REGULAR_PERIODS.get(sport), _goals(game)
    if count is None:
        return ""
    if game.overtime and sport == "Hockey" and abs(stated.home - stated.away) > 1:
        return N_(f"no game ends {score_text(stated)} after overtime")
    if not scores:
        return ""
    regular = _sum(scores[:count])
    is_whole = len(scores) >= count
    was_drawn = regular.home == regular.away
    is_above = regular.home > stated.home or regular.away > stated.away
    if is_above or (is_whole and game.overtime is False and regular != stated):
        return N_(f"its periods do not add up to {score_text(stated)}")
    has_more = game.overtime or len(scores) > count or regular != stated
    if sport != FOOTBALL and is_whole and has_more and not was_drawn:
        played = N_(f"{score_text(regular)} after {count} periods")
        return N_(f"{played} does not lead to {score_text(stated)}: overtime follows a draw")
    return ""


def scores_at(
    game: GameResult, sport: str, market_type: str, reading: Reading
) -> frozenset[Goals] | _Unknown:
    """Return every score that may count for a reading, or why none is known."""
    if reading.counted is Count.PART:
        return _part_scores(game, sport, reading.part)
    if game.home is None or game.away is None:
        return _Unknown(N_("no score is known"))
    stated = Goals(game.home, game.away)
    if sport == TENNIS:
        return _tennis_scores(game, stated, reading)
    if sport == _BASEBALL and MARKETS[market_type].form is not Form.WINNER:
        innings = len(game.periods)
        if innings < REGULAR_PERIODS[_BASEBALL]:
            ended = N_(f"ended after {innings} innings") if innings else N_("may have ended early")
            return _Unknown(N_(f"the game {ended}, which voids bets on runs"))
    regular = _regular_by_periods(game, sport)
    if reading.counted is Count.WHOLE:
        return _whole_scores(game, sport, stated)
    if regular is not None:
        return frozenset({regular})
    return _regular_scores(game, sport, stated)


def score_text(score: Iterable[int]) -> str:
    """Return a score as people write it: ``2-1``."""
    return "-".join(map(str, score))


def _readings(
    market_type: str,
    period: int,
    outcome: Outcome,
    sport: str,
    overtime: bool | None,
    ways: int | None,
) -> list[Reading] | _Unknown:
    """Return every way in which a bet may be meant, the likeliest first."""
    market = MARKETS[market_type]
    if market_type in _AS_GOALS:
        if sport != TENNIS:
            return _Unknown(N_(f"{market.title.lower()} is a market of tennis"))
        return [_part(period, (period, period))] if period else [Reading(Count.GAMES)]
    if not market.by_score:
        return _Unknown(N_("no score settles it, only the bookmaker's own result"))
    draws = _draws(market_type, outcome, sport, period, ways)
    if period:
        parts = _PARTS.get(sport, {}).get(period, ((period, period),))
        if sport not in REGULAR_PERIODS and sport != TENNIS:
            return _Unknown(N_(f"the periods of {sport or N_('this sport')} are not known"))
        return [_part(period, part, has_draw) for part in parts for has_draw in draws]
    if sport == TENNIS and abs(line_of(outcome.key)) > _MOST_SETS.get(market_type, 0.0):
        return _Unknown(N_("its line is too large to count sets"))
    if sport in (FOOTBALL, TENNIS):
        return [Reading(Count.REGULAR, has_draw) for has_draw in draws]
    if sport not in REGULAR_PERIODS and market.form is not Form.WINNER:
        return _Unknown(N_(f"what a score of {sport or N_('this sport')} counts is not known"))
    found = []
    for has_draw in draws:
        is_regular = market_type in _THREE_WAY or (has_draw and market_type == "moneyline")
        if is_regular or overtime is not True:
            found.append(Reading(Count.REGULAR, has_draw))
        if not is_regular and overtime is not False:
            found.append(Reading(Count.WHOLE, has_draw))
    return found


def _part(period: int, part: tuple[int, int], has_draw: bool = True) -> Reading:
    return Reading(Count.PART, has_draw, part)


def _draws(
    market_type: str, outcome: Outcome, sport: str, period: int, ways: int | None
) -> tuple[bool, ...]:
    """Return whether a draw may be a third selection of a bet's market: yes, no, or both."""
    if market_type != "moneyline" or sport == FOOTBALL or outcome.side == DRAW:
        return (True,)
    if ways in (2, 3):
        return (ways == 3,)
    if sport in _TWO_WAY and not period:
        return (False,)
    return (False, True)


def _ended(market_type: str, outcome: Outcome, reading: Reading, goals: Goals) -> Result | None:
    if not reading.has_draw and goals.home == goals.away:
        return Result.VOID
    return result_at(_AS_GOALS.get(market_type, market_type), outcome.key, outcome.side, goals)


def _is_overtime_open(found: Mapping[Reading, Collection[_Ending]]) -> bool:
    """Return whether the overtime decides what counts, for some bet of the market."""
    whole = {
        ending.counted
        for reading, endings in found.items()
        if reading.counted is not Count.PART
        for ending in endings
    }
    return len(whole) > 1 or any(len(endings) > 1 for endings in found.values())


def _counted(form: Form, goals: Goals) -> object:
    """Return what a form of markets counts of a score."""
    if form in (Form.WINNER, Form.DOUBLE_CHANCE):
        return (goals.home > goals.away, goals.home < goals.away)
    if form is Form.HANDICAP:
        return goals.home - goals.away
    return goals


def _why_open(found: Mapping[Reading, Collection[_Ending]], sport: str) -> str:
    """Return what has to be known to choose between results."""
    extra = N_("extra time") if sport == FOOTBALL else N_("overtime")
    counts = N_(f"it is not known whether {extra} counts at the bookmaker")
    if any(len(results) > 1 for results in found.values()):
        if sport == TENNIS:
            return N_("it is not known whether its last set, a tie-break, counts as one game")
        if all(reading.counted is Count.PART for reading in found):
            return N_(f"it is not known whether the last period includes {extra}")
        if any(each.counted is Count.WHOLE and len(found[each]) == 1 for each in found):
            return counts  # with overtime, the score is known
        return N_(f"it is not known whether the score includes {extra}")
    reasons = (
        ("part", N_("its period may be a half or a quarter")),
        ("has_draw", N_("it is not known whether a draw was a third selection")),
        ("counted", counts),
    )
    for field, why in reasons:
        by_value = defaultdict[object, set[Result | None]](set)
        for reading, endings in found.items():
            by_value[getattr(reading, field)] |= {each.result for each in endings}
        if len(by_value) > 1 and all(len(results) == 1 for results in by_value.values()):
            return why
    return counts


def _goals(game: GameResult) -> list[Goals]:
    """Return the score of each period from the first on; nothing if one is left out."""
    if [each.period for each in game.periods] != list(range(1, len(game.periods) + 1)):
        return []
    return [Goals(each.home, each.away) for each in game.periods]


def _sum(scores: Iterable[Goals]) -> Goals:
    return reduce(
        lambda one, other: Goals(one[0] + other[0], one[1] + other[1]), scores, Goals(0, 0)
    )


def _regular_by_periods(game: GameResult, sport: str) -> Goals | None:
    """Return the sum of the regular periods; None if they are not all known."""
    count, scores = REGULAR_PERIODS.get(sport), _goals(game)
    return None if count is None or len(scores) < count else _sum(scores[:count])


def _whole_scores(game: GameResult, sport: str, stated: Goals) -> frozenset[Goals] | _Unknown:
    """Return the score with overtime: the stated one, unless an overtime may follow it."""
    count = REGULAR_PERIODS.get(sport, 0)
    has_overtime = game.overtime or (count and len(game.periods) > count)
    if stated.home != stated.away or (has_overtime and game.overtime is not False):
        return frozenset({stated})
    return _Unknown(N_(f"it is not known whether an overtime followed {score_text(stated)}"))


def _regular_scores(game: GameResult, sport: str, stated: Goals) -> frozenset[Goals]:
    """Return what the score without overtime may be where the periods are not known."""
    if game.overtime is False or (
        sport == FOOTBALL and game.overtime is None and _has_no_extra_time(game)
    ):
        return frozenset({stated})
    before = frozenset(_before_overtime(sport, stated))
    return before if game.overtime else before | {stated}


def _before_overtime(sport: str, stated: Goals) -> Iterator[Goals]:
    """Yield the scores from which an overtime may have led to one.

    An overtime follows a draw. Extra time of football may follow any score in a second leg.
    """
    for home in range(stated.home + 1):
        if sport == FOOTBALL:
            yield from (Goals(home, away) for away in range(stated.away + 1))
        elif home <= stated.away:
            yield Goals(home, home)


def _has_no_extra_time(game: GameResult) -> bool:
    """Return whether no game of a competition has extra time at this time of the year."""
    months = _EXTRA_TIME_IN.get(game.competition)
    month = datetime.fromtimestamp(game.kick_off / 1000, UTC).month
    return months is not None and month not in months


def _part_scores(
    game: GameResult, sport: str, part: tuple[int, int]
) -> frozenset[Goals] | _Unknown:
    first, last = part
    scores, count = _goals(game), REGULAR_PERIODS.get(sport)
    if _PARTS.get(sport) is _HALVES_OR_QUARTERS and scores and len(scores) < 4:
        return _Unknown(N_("its score may be by halves or by quarters"))
    if last > len(scores) or (count is not None and last > count):
        return _Unknown(N_(f"the score of period {first} is not known"))
    if sport == TENNIS:
        return frozenset(_last_sets(scores) if last == len(scores) else scores[last - 1 : last])
    found = {_sum(scores[first - 1 : last])}
    if last == count and len(scores) > count and sport != FOOTBALL:
        found.add(_sum(scores[first - 1 :]))
    return frozenset(found)


def _tennis_scores(
    game: GameResult, stated: Goals, reading: Reading
) -> frozenset[Goals] | _Unknown:
    """Return the sets of a match, or its games."""
    scores = _goals(game)
    if reading.counted is not Count.GAMES:
        return frozenset({stated})
    if len(scores) != sum(stated):
        return _Unknown(N_("the games of the sets are not known"))
    return frozenset(_sum([*scores[:-1], last]) for last in _last_sets(scores))


def _impossible_sets(game: GameResult, stated: Goals) -> str:
    """Return why a tennis match cannot have ended with these sets."""
    scores, wins = _goals(game), max(stated)
    won = Goals(
        sum(each.home > each.away for each in scores), sum(each.away > each.home for each in scores)
    )
    if wins not in (2, 3) or stated.home == stated.away or (game.periods and won != stated):
        return N_(f"its sets do not add up to {score_text(stated)}")
    if scores and (scores[-1].home > scores[-1].away) != (stated.home > stated.away):
        return N_("the player who lost the match won its last set")
    for place, each in enumerate(scores, start=1):
        if not _is_complete(each, may_be_long=place == 2 * wins - 1):
            return N_(f"set {place} cannot end {score_text(each)}")
    return ""


def _is_complete(score: Goals, *, may_be_long: bool) -> bool:
    """Return whether a set can end so; the deciding one may go on, or be a tie-break."""
    lost, won = sorted(score)
    if (won == 6 and lost <= 4) or (won == 7 and lost in (5, 6)):
        return True
    is_tiebreak = (won, lost) == (1, 0) or (won == _SUPER_TIEBREAK and lost <= won - 2)
    is_long = won > 7 and (won - lost == 2 or (won, lost) == (13, 12))
    return may_be_long and (is_tiebreak or is_long)


def _last_sets(scores: Sequence[Goals]) -> Iterator[Goals]:
    """Yield what the last set of a match may count as.

    A tie-break in its place is written with its points or as 1-0, and counts as one game or by its
    points.
    """
    last = scores[-1]
    yield last
    if len(scores) not in (3, 5):
        return
    is_home, most = last.home > last.away, max(last)
    if most >= _SUPER_TIEBREAK:
        yield Goals(1, 0) if is_home else Goals(0, 1)
    if most == 1:
        for lost in range(MOST_GAMES - 1):
            won = max(_SUPER_TIEBREAK, lost + 2)
            yield Goals(won, lost) if is_home else Goals(lost, won)
