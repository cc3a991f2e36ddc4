"""Competition codes and the sport each belongs to."""

from types import MappingProxyType
from typing import Final

OTHER: Final = "Other"

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


def sport_title(sport: str) -> str:
    """Return a sport as people write it; the contract's name is one word."""
    return "American football" if sport == "AmericanFootball" else sport


def sport_of(competition: str) -> str:
    """Return the sport of a competition code; ``Other`` for a code that has no entry."""
    return SPORT_BY_COMPETITION.get(competition, OTHER)
