"""Competition codes, the sport that each has on the wire, and the sport that is really played.

The wire keeps the contract's table: a code without an entry is ``Other`` (``sport_of``).
Everything inside asks ``played_sport``: whether a market has a draw, whether overtime counts and
what a period is called depend on the sport.

They stay `Other` on the wire, with the code that their source has; people read a name.
"""

import re
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Protocol

from msgspec import UNSET, UnsetType

OTHER: Final = "Other"
FOOTBALL: Final = "Football"

_CODES_BY_SPORT: Final = {
    "Football": (
        "EPL", "LIG1", "BUND", "SERA", "LIGA", "UCL", "UEL", "EFL", "ERED", "MLS", "LIG2", "GER2",
        "LIGA2", "BRAS", "ARG",
    ),
    "Basketball": ("NBA", "EURO"),
    "Tennis": ("TENNIS", "ATP", "WTA"),
    "Hockey": ("NHL", "AHL", "KHL", "SHL", "DEL", "SMLIT", "LIIGA"),
    "Baseball": ("MLB",),
    "AmericanFootball": ("NFL",),
    "Rugby": ("RUGBY",),
}  # fmt: skip

SPORTS: Final = (*_CODES_BY_SPORT, OTHER)
"""Sport names in the order of the contract's table; the catch-all comes last."""

SPORT_BY_COMPETITION: Final = MappingProxyType(
    {code: sport for sport, codes in _CODES_BY_SPORT.items() for code in codes}
)


_NAMES: Final = MappingProxyType(
    {sport.lower(): sport for sport in _CODES_BY_SPORT}
    | {"soccer": "Football", "icehockey": "Hockey", "rugbyleague": "Rugby", "rugbyunion": "Rugby"}
)
"""Sports by what sources call them, in lower case and without blanks and punctuation."""
_FOOTBALL_CODES: Final = frozenset(
    {"B1", "E2", "E3", "EC", "FIFAWC", "G1", "I2", "P1", "SC0", "SC1", "SC2", "SC3", "T1"}
)
"""Codes of football-data and Pinnacle that the contract's table has not."""


class _Answer(Protocol):
    """What an answer of a service says of a game."""

    @property
    def competition(self) -> str: ...
    @property
    def sport(self) -> str: ...
    @property
    def source_sport(self) -> str | UnsetType: ...


def sport_title(sport: str) -> str:
    """Return a sport as people write it; the contract's name is one word."""
    return "American football" if sport == "AmericanFootball" else sport


@lru_cache(maxsize=1 << 12)
def sport_of(competition: str) -> str:
    """Return the sport of a competition code; ``Other`` for a code that has no entry."""
    return SPORT_BY_COMPETITION.get(competition, OTHER)


def named_sport(name: str | None) -> str | None:
    """Return the sport that a source's word means, in any case; None for an unknown one."""
    if name is None:
        return None
    return _NAMES.get("".join(letter for letter in name.lower() if letter.isalnum()))


def named_competition(name: str) -> str:
    """Return the name of a competition; empty if it only says what is played.

    Sources that have no competition do so: Betfair's files say ``Soccer``.
    """
    return name if name in SPORT_BY_COMPETITION or named_sport(name) is None else ""


@lru_cache(maxsize=1 << 14)
def played_sport(competition: str, told: str | None = None) -> str:
    """Return the sport of a game: ``Other`` where neither code nor source tells.

    The contract's table comes first: its codes are of one sport. Then comes what the source
    says, then what the code says by itself, as ``soccer_fifa_world_cup`` does.
    """
    if known := SPORT_BY_COMPETITION.get(competition) or named_sport(told):
        return known
    if competition in _FOOTBALL_CODES:
        return FOOTBALL
    prefix, mark, _ = competition.partition("_")
    return (named_sport(prefix) if mark else None) or OTHER


def sport_in(answer: _Answer) -> str:
    """Return the sport of a game as an answer of a service has it, ``Other`` where nobody tells."""
    if answer.sport != OTHER:
        return answer.sport
    told = None if answer.source_sport is UNSET else answer.source_sport
    return played_sport(answer.competition, told)


@lru_cache(maxsize=1 << 12)
def source_sport(competition: str, sport: str) -> str | UnsetType:
    """Return the sport for answers that say ``Other``; nothing where the contract's says it."""
    return UNSET if sport == sport_of(competition) else sport


_SPORTS: Final = MappingProxyType(
    {
        "soccer": "football",
        "americanfootball": "American football",
        "icehockey": "ice hockey",
        "rugbyleague": "rugby league",
        "rugbyunion": "rugby union",
        "aussierules": "Australian football",
    }
    | {
        sport: sport
        for sport in (
            *("baseball", "basketball", "boxing", "cricket", "darts", "esports", "golf"),
            *("handball", "lacrosse", "politics", "snooker", "tennis", "volleyball"),
        )
    }
    | {"mma": "MMA"}
)
"""Beginnings of The Odds API's codes, and the sport that they mean."""
_TITLES: Final = MappingProxyType(
    {
        "B1": "First Division, Belgium",
        "E2": "League One, England",
        "E3": "League Two, England",
        "EC": "National League, England",
        "G1": "Super League, Greece",
        "I2": "Serie B, Italy",
        "P1": "Primeira Liga, Portugal",
        "SC0": "Premiership, Scotland",
        "SC1": "Championship, Scotland",
        "SC2": "League One, Scotland",
        "SC3": "League Two, Scotland",
        "T1": "Süper Lig, Turkey",
        "FIFAWC": "FIFA World Cup",
        "soccer_england_league1": "League One, England",
        "soccer_england_league2": "League Two, England",
        "soccer_spl": "Premiership, Scotland",
        "soccer_italy_serie_b": "Serie B, Italy",
        "soccer_portugal_primeira_liga": "Primeira Liga, Portugal",
        "soccer_belgium_first_div": "First Division, Belgium",
        "soccer_turkey_super_league": "Süper Lig, Turkey",
        "soccer_greece_super_league": "Super League, Greece",
        "soccer_fifa_world_cup": "FIFA World Cup",
        "aussierules_afl": "AFL (Australian football)",
        "mma_mixed_martial_arts": "MMA",
        "boxing_boxing": "Boxing",
    }
)
"""Of football-data's divisions and of what its code tells badly."""
_CODE: Final = re.compile(r"([a-z]+)_([a-z0-9_]+)")
_CAPITALS: Final = re.compile(r"[A-Z0-9]+(?:_[A-Z0-9]+)+")
"""A code of a bookmaker's own, such as ``HANDBALL_BUNDESLIGA_HERREN``."""
_SHORT: Final = 4
"""Words of up to this length are mostly abbreviations, written in capitals: ``kbo``, ``fa``."""
_WORDS: Final = frozenset({"cup", "de", "del", "div", "la", "one", "the", "top", "two"})


@lru_cache(maxsize=1 << 10)
def competition_title(code: str) -> str:
    """Return what people read for a competition: codes of the contract and names stay."""
    if code in SPORT_BY_COMPETITION:
        return code
    if code in _TITLES:
        return _TITLES[code]
    if _CAPITALS.fullmatch(code):
        return " ".join(map(_word, code.lower().split("_")))
    parts = _CODE.fullmatch(code)
    if parts is None or parts[1] not in _SPORTS:
        return code
    words = " ".join(map(_word, parts[2].split("_")))
    return f"{words} ({_SPORTS[parts[1]]})"


def _word(word: str) -> str:
    is_abbreviation = len(word) < _SHORT and word not in _WORDS
    return word.upper() if is_abbreviation else word.capitalize()


_WHOLE: Final = {
    "Basketball": "Full Game",
    "Hockey": "Full Game",
    "Tennis": "Match",
    "Baseball": "Full Game",
    "AmericanFootball": "Full Game",
}
_PART: Final = {
    "Football": "Half",
    "Rugby": "Half",
    "Basketball": "Quarter",
    "Hockey": "Period",
    "Tennis": "Set",
}
_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd"}


def period_label(sport: str, period: int) -> str:
    """Return what a period is called in a sport, such as ``1st Half``."""
    if period == 0:
        return _WHOLE.get(sport, "Full Time")
    if sport == "AmericanFootball" and period == 1:
        return "1st Half"
    part = _PART.get(sport)
    if part is None or (part == "Half" and period > 2):
        return f"Period {period}"
    return f"{ordinal(period)} {part}"


def ordinal(number: int) -> str:
    """Return ``1st``, ``2nd`` and so on."""
    if 11 <= number % 100 <= 13:
        return f"{number}th"
    return f"{number}{_ENDINGS.get(number % 10, 'th')}"
