"""The selections of a market: their order, their line groups, and how each can end.

Lines are thresholds: a side wins if a number (both teams' goals, a team's margin) is above its
line, the other side if it is below. A whole line can be hit exactly, and the stake is returned; a
quarter line is half a bet on each of its neighbours, one of which can be hit.
"""

import math
import re
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.identity import teams
from oddsdesk.contract.markets import (
    DRAW_VOIDS,
    HANDICAPS,
    MARKETS,
    TOTALS,
    Draw,
    Form,
    MarketType,
    types_of,
)

HOME: Final = "home"
DRAW: Final = "draw"
AWAY: Final = "away"
OVER: Final = "over"
UNDER: Final = "under"
YES: Final = "yes"
NO: Final = "no"

_SIDE_RANK: Final = {
    side: rank
    for rank, side in enumerate((HOME, DRAW, AWAY, OVER, UNDER, YES, NO, "1X", "X2", "12"))
}
_DRAWS: Final = frozenset(
    {
        "draw",
        "tie",
        "x",
        "draw/tie",
        "unentschieden",
        "remis",
        "empate",
        "nul",
        "match nul",
        "pareggio",
        "gelijkspel",
    }
)
"""Names of a draw, case folded. An unknown one would make a market look two-way."""
DRAW_TEXTS: Final = frozenset(
    write(word) for word in _DRAWS for write in (str.lower, str.capitalize, str.title, str.upper)
)
"""The same words in their usual spelling, for searching stored texts."""
_NAMING_TEAMS: Final = types_of(Form.WINNER, Form.HANDICAP, Form.TEAM_OVER_UNDER)
"""Market types whose selections only mean something within their game."""
_WINS: Final = {HOME: -0.5, AWAY: 0.5}
"""The home team's handicap at which a side covers exactly if it wins."""
_NUMBER: Final = r"(?:0|[1-9]\d{0,3})(?:\.\d{1,3})?"
_HANDICAP: Final = re.compile(rf"(.+) ([+-]{_NUMBER}|0(?:\.0{{1,3}})?)", re.ASCII)
_ANSWER: Final = re.compile(r"(?:(.+) )?(Yes|No)", re.IGNORECASE)
_TOTAL: Final = re.compile(rf"(?:(.+) )?(Over|Under) ({_NUMBER})", re.ASCII | re.IGNORECASE)


class Outcome(NamedTuple):
    """One side of one line; equal ``key`` and ``side`` settle alike, however they are spelled."""

    side: str
    key: str
    """The line group within its market: ``""``, ``2.5``, ``-1.5`` (home line), ``Home 1.5``; for
    ``yes_no`` the question, empty if unknown."""
    line: float | None
    """The line; for handicaps, the home team's."""
    rank: tuple[str, float, int]
    """The sort key within a market."""


def read_selection(market_type: str, match_name: str, text: str) -> Outcome | None:
    """Return the meaning of a selection's text, None if it fits no form."""
    return _read(market_type, match_name if market_type in _NAMING_TEAMS else "", text)


@lru_cache(maxsize=1 << 16)
def _read(market_type: str, match_name: str, text: str) -> Outcome | None:
    market = MARKETS.get(market_type)
    if market is None:
        return None
    draw = market.draw in (Draw.MAY_BE_SIDE, Draw.SIDE)
    match market.form:
        case Form.WINNER:
            return _winner(match_name, text, draw=draw)
        case Form.HANDICAP:
            return _handicap(match_name, text, draw=draw)
        case Form.OVER_UNDER:
            return _total(text)
        case Form.TEAM_OVER_UNDER:
            return _team_total(match_name, text)
        case Form.PLAYER_OVER_UNDER:
            return _player_prop(text)
        case Form.DOUBLE_CHANCE:
            return _double_chance(text)
        case Form.YES_NO:
            return _yes_no(text)
        case Form.QUESTION:
            return _question(text)


_GUESSED: Final = ("moneyline", "double_chance", "spread", "total")
"""The markets of selections that need no market to be understood."""


def guess_market(match_name: str, text: str) -> str:
    """Return the market of a selection that says it by itself; empty if it does not.

    A team or a draw is the match result, ``1X`` a double chance, ``Leeds -0.75`` a handicap,
    ``Over 2.5`` a total.
    """
    types = (each for each in _GUESSED if read_selection(each, match_name, text) is not None)
    return next(types, "")


def bet_named(
    sport: str, in_play: bool, market_type: str, key: str, side: str
) -> tuple[str, str, str]:
    """Return market type, line group and side under the one name that equal bets share.

    In football before the game, the home team at -0.5 is its win, at +0.5 win or draw, at 0 draw no
    bet; a three-way handicap is a handicap half a goal away, at 0 the match result. In other sports
    overtime or sets may make them differ, and in play some handicaps count from the current score:
    those keep their own name.
    """
    if sport != "Football" or in_play:
        return market_type, key, side
    if side == DRAW and market_type == "3way_handicap" and key == "0":
        return "moneyline", "", DRAW
    if side not in _WINS:
        return market_type, key, side
    return _football_bet(market_type, key, side)


@lru_cache(maxsize=1 << 10)
def _football_bet(market_type: str, key: str, side: str) -> tuple[str, str, str]:
    if market_type in DRAW_VOIDS:
        return "spread", "0", side
    if market_type == "3way_handicap" and float(key).is_integer():
        line = float(key) + (-0.5 if side == HOME else 0.5)
    elif market_type == "spread":
        line = float(key)
    else:
        return market_type, key, side
    if line == _WINS[side]:
        return "moneyline", "", side
    if line == -_WINS[side]:
        return "double_chance", "", "1X" if side == HOME else "X2"
    return "spread", handicap_text(line), side


_OTHER_SIDES: Final = {HOME: AWAY, AWAY: HOME, OVER: UNDER, UNDER: OVER, YES: NO, NO: YES}
_NOT_A_WIN: Final = {HOME: "X2", DRAW: "12", AWAY: "1X"}
NEVER_LEVEL: Final = frozenset({"Tennis", "Basketball", "Baseball"})
"""Sports without draws."""


def lay_named(
    sport: str, in_play: bool, market_type: str, key: str, side: str
) -> tuple[str, str, str] | None:
    """Return what a lay of a selection bets on, in the form of ``bet_named``; None if unnamed.

    Laying the home team is a bet on away or draw, where there are draws; laying Over 2.5 is a bet
    on Under 2.5.
    """
    named, line, side = bet_named(sport, in_play, market_type, key, side)
    if named == "moneyline" and side in _NOT_A_WIN:
        if sport in NEVER_LEVEL:
            return (named, line, _OTHER_SIDES[side]) if side != DRAW else None
        return "double_chance", "", _NOT_A_WIN[side]
    if named == "double_chance":
        return "moneyline", "", {words: win for win, words in _NOT_A_WIN.items()}[side]
    if named == "3way_handicap" or side not in _OTHER_SIDES:
        return None
    return named, line, _OTHER_SIDES[side]


def _winner(match_name: str, text: str, *, draw: bool) -> Outcome | None:
    side = _team_side(match_name, text)
    if side is None and draw and text.casefold() in _DRAWS:
        side = DRAW
    return None if side is None else _outcome(side)


def _handicap(match_name: str, text: str, *, draw: bool) -> Outcome | None:
    match = _HANDICAP.fullmatch(text)
    if match is None:
        return None
    winner = _winner(match_name, match[1], draw=draw)
    if winner is None:
        return None
    line = float(match[2])
    home_line = (-line if winner.side == AWAY else line) + 0.0  # -0.0 becomes 0.0
    return _outcome(winner.side, handicap_text(home_line), home_line)


def handicap_text(line: float) -> str:
    """Return a handicap with its sign, as in line groups."""
    return ("+" if line > 0 else "") + line_text(line)


def _total(text: str) -> Outcome | None:
    match = _TOTAL.fullmatch(text)
    if match is None or match[1] is not None:
        return None
    line = float(match[3])
    return _outcome(match[2].lower(), line_text(line), line)


def _team_total(match_name: str, text: str) -> Outcome | None:
    match = _TOTAL.fullmatch(text)
    if match is None or match[1] is None:
        return None
    team = _team_side(match_name, match[1]) or match[1].lower()
    if team not in (HOME, AWAY):
        return None
    line = float(match[3])
    key = f"{team.capitalize()} {line_text(line)}"
    return _outcome(match[2].lower(), key, line, subject="1" if team == HOME else "2")


def _player_prop(text: str) -> Outcome | None:
    match = _TOTAL.fullmatch(text)
    if match is None or match[1] is None:
        return None
    line = float(match[3])
    key = f"{match[1]} {line_text(line)}"
    return _outcome(match[2].lower(), key, line, subject=match[1])


def _question(text: str) -> Outcome | None:
    match = _ANSWER.fullmatch(text)
    if match is None:
        return None
    question = match[1] or ""
    return _outcome(match[2].lower(), question, subject=question)


def _yes_no(text: str) -> Outcome | None:
    side = text.lower()
    return _outcome(side) if side in (YES, NO) else None


def _double_chance(text: str) -> Outcome | None:
    side = text.upper()
    return _outcome(side) if side in ("1X", "X2", "12") else None


def _outcome(side: str, key: str = "", line: float | None = None, *, subject: str = "") -> Outcome:
    return Outcome(side, key, line, (subject, line or 0.0, _SIDE_RANK[side]))


def _team_side(match_name: str, text: str) -> str | None:
    pair = _folded_teams(match_name)
    if pair is None:
        return None
    name = text.casefold()
    if name == pair[0]:
        return HOME
    return AWAY if name == pair[1] else None


@lru_cache(maxsize=4096)
def _folded_teams(match_name: str) -> tuple[str, str] | None:
    """Return both teams case-folded; None if they cannot be told apart."""
    pair = teams(match_name)
    if pair is None:
        return None
    home, away = pair[0].casefold(), pair[1].casefold()
    return None if home == away else (home, away)


def line_text(line: float) -> str:
    """Return a line in the form of keys: ``2.5``, ``-1.25``, ``0``."""
    return f"{line:.3f}".rstrip("0").rstrip(".")


_TWO_TEAMS: Final = (HOME, AWAY)
_THREE_WAY: Final = (HOME, DRAW, AWAY)
_OVER_UNDER: Final = (OVER, UNDER)
_YES_NO: Final = (YES, NO)
_SIDES: Final = {
    Form.WINNER: _TWO_TEAMS,
    Form.HANDICAP: _TWO_TEAMS,
    Form.OVER_UNDER: _OVER_UNDER,
    Form.TEAM_OVER_UNDER: _OVER_UNDER,
    Form.PLAYER_OVER_UNDER: _OVER_UNDER,
    Form.YES_NO: _YES_NO,
    Form.QUESTION: _YES_NO,
}


def _complete(market: MarketType) -> tuple[tuple[str, ...], ...]:
    if market.draw is Draw.SIDE:
        return (_THREE_WAY,)
    if market.draw is Draw.MAY_BE_SIDE:
        return _TWO_TEAMS, _THREE_WAY
    return (_SIDES[market.form],) if market.form in _SIDES else ()


_COMPLETE: Final = {name: _complete(market) for name, market in MARKETS.items()}
"""By market type, the sides of a complete line group. None for ``double_chance``: they overlap."""


class LineGroup(NamedTuple):
    """The selections of a market that settle against each other, in order."""

    key: str
    """Stable within the market: ``""``, ``2.5``, ``-1.5`` (home line), ``Home 1.5``,
    ``Messi shots 2.5``; text that fits no form has its own group, ``<text> ?``."""
    line: float | None
    selections: tuple[str, ...]
    sides: tuple[str, ...]
    """What each selection bets on: ``home``, ``draw``, ``away``, ``over``, ...; no sides if the
    text fits no form."""
    complete: bool
    """Whether all sides that settle against each other are there, once, without overlap; for
    ``yes_no`` also whether the question is known, since a plain yes could mean any."""


def order_selections(market_type: str, match_name: str, selections: Iterable[str]) -> list[str]:
    """Return the selections in the usual order, text that fits no form last."""
    return [text for _, text, _ in _ordered(market_type, match_name, selections)]


def line_groups(
    market_type: str, match_name: str, selections: Iterable[str], sport: str
) -> tuple[LineGroup, ...]:
    """Return the line groups of a market, in order."""
    read: dict[str, list[tuple[str, Outcome]]] = {}
    unread = []
    for _, text, outcome in _ordered(market_type, match_name, selections):
        if outcome is None:
            unread.append(text)
        else:
            read.setdefault(outcome.key, []).append((text, outcome))
    forms = complete_forms(market_type, sport, doubtful=bool(unread))
    groups = [
        _group(key, members, forms if key or market_type != "yes_no" else ())
        for key, members in read.items()
    ]
    groups += [LineGroup(f"{text} ?", None, (text,), (), False) for text in unread]
    return tuple(groups)


def outcome_counts(market_type: str, sport: str) -> tuple[int, ...]:
    """Return the possible numbers of outcomes of a complete line group.

    There are two if the sport is played with and without a draw.
    """
    forms = complete_forms(market_type, sport)
    return tuple(len(form) for form in forms)


def complete_forms(
    market_type: str, sport: str, *, doubtful: bool = False
) -> tuple[tuple[str, ...], ...]:
    """Return the sides that make a group complete; several forms if there may be a draw.

    Football's moneyline is three-way. In other sports, an unread selection next to the two teams
    may be the draw under another name, so two teams need not be all.
    """
    forms = _COMPLETE.get(market_type, ())
    if market_type == "moneyline" and (sport == "Football" or doubtful):
        return (_THREE_WAY,)
    return forms


def _group(
    key: str, members: list[tuple[str, Outcome]], forms: tuple[tuple[str, ...], ...]
) -> LineGroup:
    sides = tuple(outcome.side for _, outcome in members)
    texts = tuple(text for text, _ in members)
    return LineGroup(key, members[0][1].line, texts, sides, sides in forms)


_LAST: Final = (1, "", 0.0, 0)


def _ordered(
    market_type: str, match_name: str, selections: Iterable[str]
) -> list[tuple[tuple[int, str, float, int], str, Outcome | None]]:
    entries: list[tuple[tuple[int, str, float, int], str, Outcome | None]] = []
    for text in selections:
        outcome = read_selection(market_type, match_name, text)
        entries.append((_LAST if outcome is None else (0, *outcome.rank), text, outcome))
    entries.sort()
    return entries


_ROUNDS: Final = 80
"""Bisection steps; the stake is then exact to the last digits of a float."""


class Settlement(msgspec.Struct, frozen=True, gc=False):
    """The probabilities of all ways in which a bet can end; they add up to 1."""

    win: float
    half_win: float
    push: float
    half_loss: float
    loss: float

    @property
    def decided(self) -> float:
        """Average share of the stake that is won or lost."""
        return 1 - self.push - (self.half_win + self.half_loss) / 2

    @property
    def has_halves(self) -> bool:
        """Whether only half of the stake can be won or lost."""
        return bool(self.half_win or self.half_loss)

    @property
    def chance(self) -> float:
        """Probability of a win given that the bet is decided; for bets without halves."""
        return self.win / (self.win + self.loss)

    def gain(self, odds: float) -> float:
        """Return the expected profit of a unit staked, at odds after commission."""
        won, lost = self.win + self.half_win / 2, self.loss + self.half_loss / 2
        return won * (odds - 1) - lost

    def kelly(self, odds: float) -> float:
        """Return Kelly's share of the bankroll, which maximises expected log growth; 0 without EV.

        Kelly (1956), over all five results; on a line that cannot be hit it is
        ``(p o - 1) / (o - 1)``.
        """
        if self.gain(odds) <= 0:
            return 0.0
        if not self.has_halves:
            return (self.chance * odds - 1) / (odds - 1)
        least, most = 0.0, 1.0
        for _ in range(_ROUNDS):
            middle = (least + most) / 2
            if self._slope(middle, odds) > 0:
                least = middle
            else:
                most = middle
        return least

    def growth(self, share: float, odds: float) -> float:
        """Return the expected growth of the log bankroll for a share staked."""
        return math.fsum(
            probability * math.log1p(share * result)
            for probability, result in self._results(odds)
            if probability
        )

    def _slope(self, share: float, odds: float) -> float:
        return math.fsum(
            probability * result / (1 + share * result)
            for probability, result in self._results(odds)
            if probability and 1 + share * result > 0
        ) - (math.inf if share >= 1 and self.loss else 0.0)

    def _results(self, odds: float) -> tuple[tuple[float, float], ...]:
        """Each result, with the profit of a unit staked."""
        return (
            (self.win, odds - 1),
            (self.half_win, (odds - 1) / 2),
            (self.half_loss, -0.5),
            (self.loss, -1.0),
        )


def settlement(
    probability: float, push: float, line: float | None, *, is_above: bool
) -> Settlement:
    """Return how a bet can end.

    Args:
        probability: That a decided unit is won, by fair odds: between 0 and 1.
        push: Probability of the whole number in or next to the line; 0 for half lines.
        line: The threshold; None if there is none (the stake is always decided or, with a
            ``push``, returned as a whole: draw no bet).
        is_above: Whether the bet wins above the line (Over, or the team itself) or below it.
    """
    quarter = line is not None and not (line * 2).is_integer()
    if not quarter:
        decided = 1 - push
        return Settlement(probability * decided, 0.0, push, 0.0, (1 - probability) * decided)
    assert line is not None
    half_wins = (line % 1 > 0.5) == is_above  # half 2.5, half 3: hit at 3
    decided = 1 - push / 2
    if half_wins:
        loss = (1 - probability) * decided
        return Settlement(1 - loss - push, push, 0.0, 0.0, loss)
    win = probability * decided
    return Settlement(win, 0.0, 0.0, push, 1 - win - push)


def threshold(market_type: str, line: float | None) -> float | None:
    """Return the number that over, or the home team's margin, must exceed; None if none."""
    if line is None or market_type in TOTALS:
        return line
    return -line if market_type in HANDICAPS else None


def number_hit(line: float) -> int | None:
    """Return the whole number at which a line can be hit, None for half lines.

    A quarter line is hit at its whole neighbour: 2.25 at 2, 2.75 at 3, -0.25 at 0.
    """
    if (line * 2).is_integer():
        return int(line) if line.is_integer() else None
    return math.floor(line + 0.5)


def push_probability(above: Mapping[float, float], number: int) -> float | None:
    """Return ``P(X = k) = P(X > k - 0.5) - P(X > k + 0.5)``, None if unknown.

    ``above``: probability that the number ends above a line, by half line. Neighbours that
    contradict each other give None.
    """
    below, beyond = above.get(number - 0.5), above.get(number + 0.5)
    if below is None or beyond is None or below < beyond:
        return None
    return below - beyond


class Result(Enum):
    """How a bet ended."""

    WON = "won"
    LOST = "lost"
    VOID = "void"
    HALF_WON = "half_won"
    HALF_LOST = "half_lost"
    CASHED_OUT = "cashed_out"
    """All of it was cashed out before the end."""
    PLACED = "placed"
    """The win half of an each-way bet lost, the place half won."""

    @property
    def words(self) -> str:
        """What people read: ``half won``."""
        return _RESULT_WORDS[self]

    @property
    def shares(self) -> tuple[float, float]:
        """Shares of the stake that are won and lost."""
        return _SHARES[self]

    @property
    def reversed(self) -> "Result":
        """How the other side of the bet ended."""
        return _REVERSED.get(self, self)


_RESULT_WORDS: Final = {
    Result.WON: N_("won"),
    Result.LOST: N_("lost"),
    Result.VOID: N_("void"),
    Result.HALF_WON: N_("half won"),
    Result.HALF_LOST: N_("half lost"),
    Result.CASHED_OUT: N_("cashed out"),
    Result.PLACED: N_("placed"),
}
_SHARES: Final = {
    Result.WON: (1.0, 0.0),
    Result.HALF_WON: (0.5, 0.0),
    Result.VOID: (0.0, 0.0),
    Result.HALF_LOST: (0.0, 0.5),
    Result.LOST: (0.0, 1.0),
    Result.CASHED_OUT: (0.0, 0.0),
    Result.PLACED: (0.0, 1.0),  # of the win half
}
_REVERSED: Final = {
    Result.WON: Result.LOST,
    Result.LOST: Result.WON,
    Result.HALF_WON: Result.HALF_LOST,
    Result.HALF_LOST: Result.HALF_WON,
}


class Goals(NamedTuple):
    """Goals of both teams."""

    home: int
    away: int


def result_at(market_type: str, key: str, side: str, goals: Goals) -> Result | None:
    """Return the result of a side of a line group (``LineGroup.key``) at a football score.

    None if the score does not decide it.
    """
    line = line_of(key)
    if not (line * 4).is_integer():
        return None  # no bet has such a line, so its meaning is unknown
    margin = goals.home - goals.away
    winner = HOME if margin > 0 else AWAY if margin < 0 else DRAW
    market = MARKETS.get(market_type)
    if market is None or not market.by_score:
        return None
    match market.form:
        case Form.WINNER if winner == DRAW and market.draw is Draw.RETURNED:
            return Result.VOID
        case Form.WINNER:
            return _won(side == winner)
        case Form.DOUBLE_CHANCE:
            return _won({HOME: "1", DRAW: "X", AWAY: "2"}[winner] in side)
        case Form.YES_NO:
            return _won((side == "yes") == (min(goals) > 0))
        case Form.HANDICAP if market.draw is Draw.SIDE:
            moved = margin + line
            return _won(side == (HOME if moved > 0 else AWAY if moved < 0 else DRAW))
        case Form.HANDICAP:
            return _by_line(margin + line, is_above=side == HOME)
        case Form.OVER_UNDER:
            return _by_line(sum(goals) - line, is_above=side == OVER)
        case Form.TEAM_OVER_UNDER:
            scored = goals.home if key.startswith("Home ") else goals.away
            return _by_line(scored - line, is_above=side == OVER)
    return None


def line_of(key: str) -> float:
    """Return the line in the key of a line group; 0 if there is none."""
    try:
        return float(key.rpartition(" ")[2] or 0)
    except ValueError:
        return 0.0


def share_of(result: Result) -> float:
    """Return the share of a unit staked that is won: 1, 0.5, 0, -0.5 or -1."""
    won, lost = _SHARES[result]
    return won - lost


def profit_of(result: Result, stake: float, net_odds: float) -> float:
    """Return the profit of a settled stake at odds after commission; 0 for cashed-out parts."""
    won, lost = _SHARES[result]
    return stake * (won * (net_odds - 1) - lost)


def decided_share(result: Result) -> float:
    """Return the share of the stake that was won or lost."""
    return sum(_SHARES[result])


def clv_pct(net_odds: float, fair_close: float, decided: float = 1.0) -> float:
    """Return the closing line value: odds after commission over fair closing odds, in percent.

    ``decided`` is the average share of the stake that is won or lost. With it the value is per unit
    staked, like an EV; without it, on a line that can push, it is per decided unit.
    """
    return (net_odds / fair_close - 1) * 100 * decided


def _won(is_won: bool) -> Result:
    return Result.WON if is_won else Result.LOST


def _by_line(above: float, *, is_above: bool) -> Result:
    """Return the result of a side of a line, by how far the number ended above that line."""
    distance = above if is_above else -above
    if math.isclose(distance, 0.0, abs_tol=1e-9):
        return Result.VOID
    if abs(distance) < 0.5 - 1e-9:
        return Result.HALF_WON if distance > 0 else Result.HALF_LOST
    return _won(distance > 0)
