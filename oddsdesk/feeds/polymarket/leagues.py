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
_SPORTS = MappingProxyType(
    {"wnba": "Basketball", "cbb": "Basketball", "cwbb": "Basketball", "cfb": "AmericanFootball"}
    | {"kbo": "Baseball", "npb": "Baseball"}
    | dict.fromkeys(
        ("acn", "afc", "aus", "caf", "cdr", "chi", "cof", "col", "con", "den", "dfb", "efa"),
        "Football",
    )
    | dict.fromkeys(
        ("efl", "fif", "fifa", "itc", "jap", "kor", "lcs", "lib", "mex", "nor", "ofc", "por"),
        "Football",
    )
    | dict.fromkeys(("rus", "spl", "ssc", "sud", "tur", "uef"), "Football")
)
"""Of leagues without a code, as gamma's ``/sports`` shortens them."""
_AWAY_FIRST = frozenset({"nba", "wnba", "cbb", "cwbb", "nfl", "cfb", "nhl", "ahl", "mlb"})
"""As ``ordering`` of gamma's ``/sports`` says: those that are played in America."""


def league_of(slug: str) -> str:
    """Return the league that the address of a game begins with: ``epl-ars-che-2026-04-11``."""
    return slug.partition("-")[0]


def competition(league: str) -> str:
    """Return the competition code of a league; one without a code keeps its name."""
    return _CODES.get(league, league)


def sport(league: str) -> str | None:
    """Return the sport of a league without a code; None where it is not known here."""
    return _SPORTS.get(league)


def is_away_first(league: str) -> bool:
    """Whether titles and outcomes of the league name the away team first."""
    return league in _AWAY_FIRST
