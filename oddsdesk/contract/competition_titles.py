"""Titles of competitions outside the contract's table, by the source's own code.

They stay `Other` on the wire, with the code that their source has; people read a name.
"""

import re
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from oddsdesk.contract.competitions import SPORT_BY_COMPETITION

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
    parts = _CODE.fullmatch(code)
    if parts is None or parts[1] not in _SPORTS:
        return code
    words = " ".join(map(_word, parts[2].split("_")))
    return f"{words} ({_SPORTS[parts[1]]})"


def _word(word: str) -> str:
    is_abbreviation = len(word) < _SHORT and word not in _WORDS
    return word.upper() if is_abbreviation else word.capitalize()
