"""What each odds column of a football-data file is: columns differ by league and season."""

from collections.abc import Iterator, Sequence
from types import MappingProxyType

import msgspec

_BOOKMAKERS = MappingProxyType(
    {
        "1XB": "1xBet",
        "B365": "Bet365",
        "BF": "Betfair Sportsbook",
        "BFD": "Betfred",
        "BFE": "Betfair Exchange",
        "BMGM": "BetMGM",
        "BS": "Blue Square",
        "BV": "BetVictor",
        "BW": "bwin",
        "CL": "Coral",
        "GB": "Gamebookers",
        "IW": "Interwetten",
        "LB": "Ladbrokes",
        "P": "Pinnacle",
        "PS": "Pinnacle",
        "SB": "Sportingbet",
        "SJ": "Stan James",
        "SO": "Sporting Odds",
        "SY": "Stanleybet",
        "VC": "VC Bet",
        "WH": "William Hill",
    }
)
_STATISTICS = MappingProxyType(
    {
        "Avg": "market average",
        "BbAv": "market average",
        "BbMx": "market maximum",
        "Max": "market maximum",
    }
)
_SIDES = MappingProxyType(
    {
        "moneyline": ("H", "D", "A"),
        "total": (">2.5", "<2.5"),
        "spread": ("AHH", "AHA"),
    }
)
TOTAL_LINE = 2.5


class OddsColumns(msgspec.Struct, frozen=True):
    """The columns of one bookmaker's market, in the order of D7.

    ``statistic`` says what they are where they are no bookmaker's prices.
    ``line_column`` holds the home line of a handicap.
    """

    bookmaker: str
    market_type: str
    closing: bool
    columns: tuple[str, ...]
    statistic: str | None = None
    line_column: str | None = None


def odds_columns(header: Sequence[str]) -> list[OddsColumns]:
    """Return every market that a header has columns of; an unknown bookmaker keeps its code."""
    names = set(header)
    return [
        _market(prefix, market_type, names)
        for market_type, sides in _SIDES.items()
        for prefix in _prefixes(header, sides[0])
        if all(prefix + side in names for side in sides)
    ]


def _prefixes(header: Sequence[str], suffix: str) -> Iterator[str]:
    for name in header:
        if name.endswith(suffix) and name != suffix:
            yield name.removesuffix(suffix)


def _market(prefix: str, market_type: str, names: set[str]) -> OddsColumns:
    code, closing = _phase(prefix, market_type, names)
    line_column = None
    if market_type == "spread":
        line_column = "AHCh" if closing else "AHh"
    return OddsColumns(
        bookmaker=_BOOKMAKERS.get(code, code),
        market_type=market_type,
        closing=closing,
        columns=tuple(prefix + side for side in _SIDES[market_type]),
        statistic=_STATISTICS.get(code),
        line_column=line_column,
    )


def _phase(prefix: str, market_type: str, names: set[str]) -> tuple[str, bool]:
    """Bookmaker code and whether it is the closing price: a ``C`` before the suffix says so."""
    if prefix in _BOOKMAKERS or prefix in _STATISTICS or not prefix.endswith("C"):
        return prefix, False
    code = prefix.removesuffix("C")
    first = code + _SIDES[market_type][0]
    known = code in _BOOKMAKERS or code in _STATISTICS or first in names
    return (code, True) if known else (prefix, False)
