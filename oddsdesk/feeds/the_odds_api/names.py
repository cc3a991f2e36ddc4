"""What The Odds API's keys are called here: competitions and bookmakers."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from oddsdesk.contract.identity import fold_name

_COMPETITIONS = MappingProxyType(
    {
        "soccer_epl": "EPL",
        "soccer_efl_champ": "EFL",
        "soccer_germany_bundesliga": "BUND",
        "soccer_germany_bundesliga2": "GER2",
        "soccer_spain_la_liga": "LIGA",
        "soccer_spain_segunda_division": "LIGA2",
        "soccer_italy_serie_a": "SERA",
        "soccer_france_ligue_one": "LIG1",
        "soccer_france_ligue_two": "LIG2",
        "soccer_netherlands_eredivisie": "ERED",
        "soccer_uefa_champs_league": "UCL",
        "soccer_uefa_europa_league": "UEL",
        "soccer_usa_mls": "MLS",
        "soccer_brazil_campeonato": "BRAS",
        "soccer_argentina_primera_division": "ARG",
        "basketball_nba": "NBA",
        "basketball_euroleague": "EURO",
        "icehockey_nhl": "NHL",
        "icehockey_ahl": "AHL",
        "icehockey_sweden_hockey_league": "SHL",
        "icehockey_liiga": "LIIGA",
        "baseball_mlb": "MLB",
        "americanfootball_nfl": "NFL",
        "rugbyleague_nrl": "RUGBY",
    }
)

_SHARED_TITLES = MappingProxyType(
    {
        "betfair_ex_uk": "Betfair Exchange UK",
        "betfair_ex_eu": "Betfair Exchange EU",
        "betfair_ex_au": "Betfair Exchange AU",
        "ladbrokes_uk": "Ladbrokes UK",
        "ladbrokes_au": "Ladbrokes AU",
    }
)
"""Keys whose titles are known to be the same as another's."""


def competition(sport_key: str) -> str:
    """Return the competition code of a sport key; one without a code keeps its key."""
    if sport_key.startswith("tennis_"):
        return "TENNIS"
    return _COMPETITIONS.get(sport_key, sport_key)


def bookmaker_names(titles: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Return a name for each key of (key, title) pairs; no two keys share one.

    A bookmaker is its title, unless several have it: those carry their key as well.
    """
    keys = defaultdict(set)
    names = {}
    for key, title in titles:
        names[key] = _SHARED_TITLES.get(key) or fold_name(title) or key
        keys[names[key].casefold()].add(key)
    return {
        key: name if len(keys[name.casefold()]) == 1 else f"{name} ({key})"
        for key, name in names.items()
    }
