"""What the odds grid can be filtered by: what its rows have, in the order people know."""

from collections.abc import Iterable

from oddsdesk.contract.competitions import SPORTS
from oddsdesk.contract.markets import MARKET_RANK, market_title
from oddsdesk.desk.models.grid_entries import Line


def choices(lines: Iterable[Line], facet: str) -> list[tuple[str, str]]:
    """Return the (key, text) of a facet of ``GridFilter`` that some row has."""
    if facet == "bookmakers":
        names = {entry.name for line in lines for entry in line.prices.values()}
        return _named(sorted(names, key=str.casefold))
    if facet == "sports":
        sports = {line.sport for line in lines}
        return _named(sorted(sports, key=lambda name: (_sport_rank(name), name)))
    if facet == "markets":
        markets = {line.key.market_type for line in lines}
        ordered = sorted(markets, key=lambda name: (MARKET_RANK.get(name, len(MARKET_RANK)), name))
        return [(name, market_title(name)) for name in ordered]
    if facet == "periods":
        first: dict[str, int] = {}
        for line in lines:
            first[line.period_label] = min(line.key.period, first.get(line.period_label, 99))
        return _named(sorted(first, key=lambda label: (first[label], label)))
    return _named(sorted({line.competition for line in lines}))


def _named(names: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, name) for name in names]


def _sport_rank(name: str) -> int:
    return SPORTS.index(name) if name in SPORTS else len(SPORTS)
