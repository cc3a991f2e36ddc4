"""Competition codes, the sport that each has on the wire, and the sport that is really played.

The wire keeps the contract's table: a code without an entry is ``Other`` (``sport_of``).
Everything inside asks ``played_sport``: whether a market has a draw, whether overtime counts and
what a period is called depend on the sport.
"""

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


def sport_of(competition: str) -> str:
    """Return the sport of a competition code; ``Other`` for a code that has no entry."""
    return SPORT_BY_COMPETITION.get(competition, OTHER)


def named_sport(name: str | None) -> str | None:
    """Return the sport that a source's word means, in any case; None for an unknown one."""
    if name is None:
        return None
    return _NAMES.get("".join(letter for letter in name.lower() if letter.isalnum()))


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


def source_sport(competition: str, sport: str) -> str | UnsetType:
    """Return the sport for answers that say ``Other``; nothing where the contract's says it."""
    return UNSET if sport == sport_of(competition) else sport
