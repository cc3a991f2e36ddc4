"""What OddsPortal's leagues are called here."""

import re
from types import MappingProxyType

import msgspec

from oddsdesk.contract.identity import fold_name

TENNIS = "tennis"
EUROPE = "europe"
_SEASON = re.compile(r"\s+\d{4}(?:/\d{4})?$")
_NOT_OF_SLUGS = re.compile(r"[^\w]+")
_LINK = re.compile(r"https?://[^/]+/([^/#?]+)/([^/#?]+)/([^/#?]+)")
_NO_COUNTRY = "h2h"
_CODES = MappingProxyType(
    {
        ("football", "england", "premier-league"): "EPL",
        ("football", "england", "championship"): "EFL",
        ("football", "germany", "bundesliga"): "BUND",
        ("football", "germany", "2-bundesliga"): "GER2",
        ("football", "spain", "laliga"): "LIGA",
        ("football", "spain", "laliga2"): "LIGA2",
        ("football", "italy", "serie-a"): "SERA",
        ("football", "france", "ligue-1"): "LIG1",
        ("football", "france", "ligue-2"): "LIG2",
        ("football", "netherlands", "eredivisie"): "ERED",
        ("football", EUROPE, "champions-league"): "UCL",
        ("football", EUROPE, "europa-league"): "UEL",
        ("football", "usa", "mls"): "MLS",
        ("football", "brazil", "serie-a"): "BRAS",
        ("football", "brazil", "serie-a-betano"): "BRAS",
        ("football", "argentina", "liga-profesional"): "ARG",
        ("basketball", "usa", "nba"): "NBA",
        ("basketball", EUROPE, "euroleague"): "EURO",
        ("hockey", "usa", "nhl"): "NHL",
        ("hockey", "usa", "ahl"): "AHL",
        ("hockey", "russia", "khl"): "KHL",
        ("hockey", "sweden", "shl"): "SHL",
        ("hockey", "germany", "del"): "DEL",
        ("hockey", "finland", "liiga"): "LIIGA",
        ("baseball", "usa", "mlb"): "MLB",
        ("american-football", "usa", "nfl"): "NFL",
        ("rugby-league", "australia", "nrl"): "RUGBY",
    }
)
"""By the sport, country and league of OddsPortal's addresses."""


class League(msgspec.Struct, frozen=True):
    """Where a game is played: the sport as OddsPortal writes it, and what we call the league."""

    sport: str
    competition: str


def league_of(link: str, name: str, country: str) -> League:
    """Return the league of a game; one without a code keeps its name, its country before it.

    Args:
        link: The game's page; its address names the sport, and mostly the country.
        name: The league, maybe with its season: ``Premier League 2024/2025``.
        country: Where the game is played, for pages that name no country.
    """
    found = _LINK.match(link)
    sport, place = (found[1], found[2]) if found else ("", _NO_COUNTRY)
    if place == _NO_COUNTRY:
        place = _slug(country)
    plain = _SEASON.sub("", fold_name(name))
    if sport == TENNIS:
        return League(sport, "TENNIS")
    for where in (place, EUROPE):
        if code := _CODES.get((sport, where, _slug(plain))):
            return League(sport, code)
    return League(sport, f"{place.replace('-', ' ').title()} - {plain}" if place else plain)


def _slug(text: str) -> str:
    return _NOT_OF_SLUGS.sub("-", fold_name(text).casefold()).strip("-")
