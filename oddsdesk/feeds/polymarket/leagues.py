"""What Polymarket's leagues are called here, and which of them write the away team first."""

from types import MappingProxyType

_CODES = MappingProxyType(
    {
        "epl": "EPL",
        "elc": "EFL",
        "bun": "BUND",
        "bl2": "GER2",
        "lal": "LIGA",
        "sea": "SERA",
        "fl1": "LIG1",
        "ere": "ERED",
        "ucl": "UCL",
        "uel": "UEL",
        "mls": "MLS",
        "bra": "BRAS",
        "arg": "ARG",
        "nba": "NBA",
        "euroleague": "EURO",
        "nhl": "NHL",
        "ahl": "AHL",
        "khl": "KHL",
        "shl": "SHL",
        "dehl": "DEL",
        "mlb": "MLB",
        "nfl": "NFL",
        "atp": "TENNIS",
        "wta": "TENNIS",
    }
)
_AWAY_FIRST = frozenset({"nba", "wnba", "cbb", "cwbb", "nfl", "cfb", "nhl", "ahl", "mlb"})
"""As ``ordering`` of gamma's ``/sports`` says: those that are played in America."""


def league_of(slug: str) -> str:
    """Return the league that the address of a game begins with: ``epl-ars-che-2026-04-11``."""
    return slug.partition("-")[0]


def competition(league: str) -> str:
    """Return the competition code of a league; one without a code keeps its name."""
    return _CODES.get(league, league)


def is_away_first(league: str) -> bool:
    """Whether titles and outcomes of the league name the away team first."""
    return league in _AWAY_FIRST
