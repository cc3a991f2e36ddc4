"""What the text of one selection means: whose side, of which line (D7, D36)."""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final, NamedTuple

from oddsdesk.contract.identity import teams

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
"""What a draw is called (D48), case folded. One not known here would pass as a two-way market."""
DRAW_TEXTS: Final = frozenset(
    write(word) for word in _DRAWS for write in (str.lower, str.capitalize, str.title, str.upper)
)
"""The same words with their usual capitals, to look for them in stored texts."""
_NAMING_TEAMS: Final = frozenset(
    {"moneyline", "spread", "draw_no_bet", "3way_handicap", "games_handicap", "team_total"}
)
"""Market types whose selections mean something only within their game."""
_WINS: Final = {HOME: -0.5, AWAY: 0.5}
"""The home team's handicap at which a side covers just where it wins."""
_NUMBER: Final = r"(?:0|[1-9]\d{0,3})(?:\.\d{1,3})?"
_HANDICAP: Final = re.compile(rf"(.+) ([+-]{_NUMBER}|0(?:\.0{{1,3}})?)", re.ASCII)
_ANSWER: Final = re.compile(r"(?:(.+) )?(Yes|No)", re.IGNORECASE)
_TOTAL: Final = re.compile(rf"(?:(.+) )?(Over|Under) ({_NUMBER})", re.ASCII | re.IGNORECASE)


class Outcome(NamedTuple):
    """One side of one line; equal ``key`` and ``side`` settle alike, however they are written."""

    side: str
    key: str
    """The line group within its market: ``""``, ``2.5``, ``-1.5`` (home line), ``Home 1.5``;
    of ``yes_no`` the question, empty where nobody tells it."""
    line: float | None
    """The line; of handicaps, the home team's."""
    rank: tuple[str, float, int]
    """What selections of a market are sorted by (D7)."""


def read_selection(market_type: str, match_name: str, text: str) -> Outcome | None:
    """Return what a selection text means, None for text that fits no form (D36)."""
    return _read(market_type, match_name if market_type in _NAMING_TEAMS else "", text)


@lru_cache(maxsize=1 << 16)
def _read(market_type: str, match_name: str, text: str) -> Outcome | None:
    reader = _READERS.get(market_type)
    return None if reader is None else reader(match_name, text)


def bet_named(
    sport: str, in_play: bool, market_type: str, key: str, side: str
) -> tuple[str, str, str]:
    """Return market type, line group and side under the one name that equal bets have.

    In football before the game the home team at -0.5 is its win, at +0.5 win or draw, level it is
    draw no bet; a three-way handicap is a handicap half a goal away, at 0 the game's result.
    Elsewhere overtime or sets may part them, in play some handicaps count from the score so far:
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
    if market_type == "draw_no_bet":
        return "spread", "0", side
    if market_type == "3way_handicap":
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
    """Return a handicap with its sign, as line groups are called."""
    return ("+" if line > 0 else "") + line_text(line)


def _total(match_name: str, text: str) -> Outcome | None:
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


def _player_prop(match_name: str, text: str) -> Outcome | None:
    match = _TOTAL.fullmatch(text)
    if match is None or match[1] is None:
        return None
    line = float(match[3])
    key = f"{match[1]} {line_text(line)}"
    return _outcome(match[2].lower(), key, line, subject=match[1])


def _question(match_name: str, text: str) -> Outcome | None:
    match = _ANSWER.fullmatch(text)
    if match is None:
        return None
    question = match[1] or ""
    return _outcome(match[2].lower(), question, subject=question)


def _yes_no(match_name: str, text: str) -> Outcome | None:
    side = text.lower()
    return _outcome(side) if side in (YES, NO) else None


def _double_chance(match_name: str, text: str) -> Outcome | None:
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
    """Both teams without case; None where nobody can tell one from the other."""
    pair = teams(match_name)
    if pair is None:
        return None
    home, away = pair[0].casefold(), pair[1].casefold()
    return None if home == away else (home, away)


def line_text(line: float) -> str:
    """Return a line as it stands in keys: ``2.5``, ``-1.25``, ``0``."""
    return f"{line:.3f}".rstrip("0").rstrip(".")


_READERS: Final[dict[str, Callable[[str, str], Outcome | None]]] = {
    "moneyline": partial(_winner, draw=True),
    "spread": partial(_handicap, draw=False),
    "total": _total,
    "btts": _yes_no,
    "double_chance": _double_chance,
    "draw_no_bet": partial(_winner, draw=False),
    "3way_handicap": partial(_handicap, draw=True),
    "total_games": _total,
    "games_handicap": partial(_handicap, draw=False),
    "team_total": _team_total,
    "player_prop": _player_prop,
    "yes_no": _question,
}
