"""Keys of The Odds API for sports, markets and bookmakers of the database.

Their tables are those by which its answers are imported, read the other way round.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from oddsdesk.contract.competitions import competition_title, named_sport
from oddsdesk.feeds.the_odds_api.importer import COMPETITIONS, SHARED_TITLES, competition_of_sport
from oddsdesk.feeds.the_odds_api.markets import MARKET_TYPES, PARTS_OF_SPORT, TENNIS_LINES
from oddsdesk.feeds.the_odds_api.published import REGIONS, SPORTS, regions_of_key
from oddsdesk.pricing.profiles import shipped_profiles

ALL_TENNIS: Final = "tennis_all"
"""The key of all tennis games: a database does not know their tournaments."""
_TENNIS_CODES: Final = frozenset({"TENNIS", "ATP", "WTA"})
_TOURS: Final = ("tennis_atp_", "tennis_wta_")
_GROUPS: Final = MappingProxyType(
    {
        "soccer": "Soccer",
        "americanfootball": "American Football",
        "aussierules": "Aussie Rules",
        "baseball": "Baseball",
        "basketball": "Basketball",
        "boxing": "Boxing",
        "cricket": "Cricket",
        "golf": "Golf",
        "handball": "Handball",
        "icehockey": "Ice Hockey",
        "lacrosse": "Lacrosse",
        "mma": "Mixed Martial Arts",
        "politics": "Politics",
        "rugbyleague": "Rugby League",
        "rugbyunion": "Rugby Union",
        "tennis": "Tennis",
        "volleyball": "Volleyball",
    }
)
"""Their groups by the beginning of their sport keys."""
_PREFIX: Final = MappingProxyType(
    {sport: prefix for prefix in reversed(_GROUPS) if (sport := named_sport(prefix)) is not None}
)
"""That beginning by the sport that is played; of both kinds of rugby, league."""
_SPORT_KEYS: Final = MappingProxyType({code: key for key, code in COMPETITIONS.items()})
_SPORT_KEY: Final = re.compile(r"([a-z]+)_[a-z0-9_]+")
_MARKET: Final = re.compile(
    r"(alternate|batter|btts|double_chance|draw_no_bet|h2h|outrights|pitcher|player|spreads"
    r"|team_totals|totals)(_[a-z0-9_]+)?"
)
_KEY: Final = re.compile(r"[a-z][a-z0-9_]*")
_OWN_KEYS: Final = MappingProxyType({"Pinnacle": "pinnacle"})
"""Keys of bookmakers whose profile has another source's key."""
_NO_KEY: Final = re.compile(r"[^a-z0-9]+")
_COUNTRY: Final = re.compile(r" \(([A-Z]{2})\)$")
"""A country after a name, as in ``ATG (SE)``, which is ``atg_se``."""
_REGION_OF_CURRENCY: Final = MappingProxyType({"GBP": "uk", "EUR": "eu", "USD": "us", "AUD": "au"})


@lru_cache(maxsize=1 << 12)
def sport_key(competition: str, sport: str) -> str:
    """Return the key of a competition in a sport; made from its code if theirs is unknown."""
    if competition in _TENNIS_CODES:
        return ALL_TENNIS
    if known := _SPORT_KEYS.get(competition):
        return known
    if _group(competition):
        return competition
    words = _NO_KEY.sub("_", competition.lower()).strip("_")
    return f"{_PREFIX.get(sport, 'other')}_{words or 'all'}"


def is_sport_key(key: str) -> bool:
    """Return whether a text is one of their sport keys; new tournaments and winners may be."""
    is_winner = key.endswith("_winner") and _group(key) is not None
    return key in SPORTS or key == ALL_TENNIS or key.startswith(_TOURS) or is_winner


def competitions_of(key: str) -> frozenset[str]:
    """Return the competitions that the importer makes of a key; others may have it, too."""
    is_tennis = key == ALL_TENNIS or key.startswith(_TOURS)
    return _TENNIS_CODES if is_tennis else frozenset({competition_of_sport(key)})


def sport_title(key: str, competition: str) -> str:
    """Return the title of a sport as The Odds API has it; else the competition's."""
    return SPORTS.get(key) or ("Tennis" if key == ALL_TENNIS else competition_title(competition))


def group_of(key: str) -> str:
    """Return the group of a sport key, as The Odds API names it."""
    return _group(key) or "Other"


def _group(key: str) -> str | None:
    found = _SPORT_KEY.fullmatch(key)
    return None if found is None else _GROUPS.get(found[1])


def is_market_key(key: str) -> bool:
    """Return whether a text may be one of their markets, also one that no database has."""
    return len(key) <= 60 and _MARKET.fullmatch(key) is not None


@lru_cache(maxsize=1 << 8)
def market_keys(market_type: str, period: int, sport: str) -> tuple[str, ...]:
    """Return the keys of a market: first the main line's, then that of all lines."""
    plain = _GAMES.get(market_type, market_type) if sport == "Tennis" else market_type
    parts = PARTS_OF_SPORT.get(sport, ())
    if not 0 <= period <= len(parts):
        return ()
    part = f"_{parts[period - 1]}" if period else ""
    return tuple(f"{key}{part}" for key in _KEYS_OF_TYPE.get(plain, ()))


_GAMES: Final = MappingProxyType({ours: plain for plain, ours in TENNIS_LINES.items()})


def _keys_of_type() -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for key, market_type in MARKET_TYPES.items():
        found[market_type].append(key)
    return found


_KEYS_OF_TYPE: Final = _keys_of_type()


@lru_cache(maxsize=1 << 12)
def bookmaker_key(name: str) -> str:
    """Return the key of a bookmaker; made from its name if theirs is unknown."""
    for key, title in SHARED_TITLES.items():
        if title == name:
            return key
    if known := _OWN_KEYS.get(name):
        return known
    if known := next(_known_keys(name), None):
        return known
    plain, country = _COUNTRY.sub("", name), _COUNTRY.search(name)
    words = _NO_KEY.sub("", plain.lower()) or "bookmaker"
    return f"{words}_{country[1].lower()}" if country else words


def _known_keys(name: str) -> Iterator[str]:
    for alias in shipped_profiles().profile_of(name).aliases:
        if _KEY.fullmatch(alias):
            yield alias


@lru_cache(maxsize=1 << 12)
def regions_of(name: str) -> frozenset[str]:
    """Return the regions of a bookmaker.

    One that they do not list is in that of its profile's currency, or in all.
    """
    if listed := regions_of_key(bookmaker_key(name)):
        return listed
    region = _REGION_OF_CURRENCY.get(shipped_profiles().profile_of(name).currency)
    return REGIONS if region is None else frozenset({region})
