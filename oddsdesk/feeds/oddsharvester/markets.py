"""What OddsHarvester's market names and odds labels select."""

import re
from types import MappingProxyType

import msgspec

from oddsdesk.feeds.notation import line_text, signed_text
from oddsdesk.feeds.oddsharvester.leagues import TENNIS

_WHOLE = MappingProxyType(
    {
        "1x2": "moneyline",
        "home_away": "moneyline",
        "match_winner": "moneyline",
        "btts": "btts",
        "double_chance": "double_chance",
        "dnb": "draw_no_bet",
    }
)
_LINE = r"([+-]?\d+(?:_\d+)?)"
_TOTAL = re.compile(rf"over_under_(?:(sets|games|points)_)?{_LINE}")
_HANDICAP = re.compile(rf"(?:asian_)?handicap_(?:games_)?{_LINE}(?:_(sets|games|points))?")
_THREE_WAY = re.compile(rf"european_handicap_{_LINE}")
_TEAM = re.compile(r"(?:.*(?:team|player)_?)?([12])(?:_handicap)?")
_WHOLE_GAME = (None, "FullTime", "FullIncludingOT")
_ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth")
_PARTS = MappingProxyType(
    {
        "football": "Half",
        "rugby-league": "Half",
        "rugby-union": "Half",
        "handball": "Half",
        "basketball": "Quarter",
        "hockey": "Period",
        TENNIS: "Set",
        "volleyball": "Set",
    }
)
"""Parts that the contract counts as periods 1, 2, ... of the sport (D8)."""


class MarketKind(msgspec.Struct, frozen=True):
    """A market of the contract, and the line it is offered at; of handicaps the home team's."""

    market_type: str
    line: float | None = None


def market_kind(key: str, sport: str) -> MarketKind | None:
    """Return the market of a name such as ``over_under_2_5``; None for one without a place here."""
    if whole := _WHOLE.get(key):
        return MarketKind(whole)
    if found := _THREE_WAY.fullmatch(key):
        return MarketKind("3way_handicap", _number(found[1]))
    if found := _TOTAL.fullmatch(key):
        unit, line, types = found[1], found[2], ("total", "total_games")
    elif found := _HANDICAP.fullmatch(key):
        line, unit, types = found[1], found[2], ("spread", "games_handicap")
    else:
        return None
    if sport == "volleyball" and unit == "points":
        return None
    counts_games = sport == TENNIS and unit != "sets"
    return MarketKind(types[counts_games], _number(line))


def period_of(name: str | None, sport: str) -> int | None:
    """Return the period that a name such as ``FirstHalf`` is; None for one that has no number."""
    if name in _WHOLE_GAME:
        return 0
    if (sport, name) == ("american-football", "FirstHalf"):
        return 1
    part = _PARTS.get(sport)
    numbers = {f"{ordinal}{part}": number for number, ordinal in enumerate(_ORDINALS, start=1)}
    return numbers.get(name or "")


def selection(kind: MarketKind, label: str, home: str, away: str) -> str | None:
    """Return the text of what a label selects (D7, D36), None for one that the market lacks."""
    match kind.market_type:
        case "moneyline" | "draw_no_bet":
            return _team(label, home, away)
        case "spread" | "games_handicap" | "3way_handicap":
            return _handicap(kind, label, home, away)
        case "btts":
            return {"btts_yes": "Yes", "btts_no": "No"}.get(label)
        case "double_chance":
            return label if label in ("1X", "X2", "12") else None
        case _:
            side = {"odds_over": "Over", "odds_under": "Under"}.get(label)
            return side and f"{side} {line_text(kind.line or 0.0)}"


def _team(label: str, home: str, away: str) -> str | None:
    if label in ("X", "draw_handicap"):
        return "Draw"
    found = _TEAM.fullmatch(label)
    return None if found is None else home if found[1] == "1" else away


def _handicap(kind: MarketKind, label: str, home: str, away: str) -> str | None:
    team = _team(label, home, away)
    if team is None or (team == "Draw" and kind.market_type != "3way_handicap"):
        return None
    line = kind.line or 0.0
    return f"{team} {signed_text(-line if team == away else line)}"


def _number(text: str) -> float:
    return float(text.replace("_", "."))
