"""Whether bookmakers' prices are comparable, by their other markets and the log (D48, D49)."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from oddsdesk.pricing.assessment import (
    DRAW_MISSED_MS,
    GOAL_MARKETS,
    OVERTIME_SPORTS,
    counts_overtime,
    usual_form,
)
from oddsdesk.pricing.market import Market, Prices
from oddsdesk.pricing.outcomes import DRAW, read_selection
from oddsdesk.store.reader import Reader

_MONEYLINE: Final = "moneyline"
_MOST_KEPT: Final = 10_000
"""Games whose moneylines are remembered; beyond that some markets are valued once too often."""


def depends_on_others(market: Market) -> bool:
    """Whether other data than a market's own prices decides what can be compared in it."""
    return market.market_type == _MONEYLINE or counts_goals(market)


def counts_goals(market: Market) -> bool:
    """Whether it matters to a market if overtime counts."""
    return (
        market.market_type in GOAL_MARKETS
        and market.period == 0
        and market.sport in OVERTIME_SPORTS
    )


def informed(
    reader: Reader, game: int, market: Market, prices: Sequence[Prices], now_ms: int
) -> list[Prices]:
    """Return prices of a market with ``had_draw`` and ``has_overtime`` filled in."""
    since = now_ms - DRAW_MISSED_MS
    if market.market_type == _MONEYLINE:
        if all(DRAW in _sides(market.match_name, each.odds) for each in prices):
            return list(prices)
        drew = reader.bookmakers_that_drew(game, market.period, since)
        return [each._replace(had_draw=each.bookmaker in drew) for each in prices]
    if not counts_goals(market):
        return list(prices)
    forms = _forms(reader, game, market, {each.bookmaker for each in prices}, since)
    return [each._replace(has_overtime=forms.get(each.bookmaker)) for each in prices]


class MoneylineForms:
    """Remembers whose moneyline of a game counts overtime, to tell where that changes."""

    def __init__(self) -> None:
        self._of_game: dict[int, dict[str, bool | None]] = {}

    def have_changed(self, reader: Reader, game: int, market: Market) -> bool:
        """Tell whether prices of this market changed what others of the game settle by.

        Of a game that is new here it says so, too.
        """
        is_telling = market.market_type == _MONEYLINE and market.period == 0
        if not is_telling or market.sport not in OVERTIME_SPORTS:
            return False
        prices = reader.market_prices(game, _MONEYLINE, 0)
        name, sport = market.match_name, market.sport
        forms = {each.bookmaker: _form(name, sport, each.odds) for each in prices}
        if self._of_game.get(game) == forms:
            return False
        if len(self._of_game) >= _MOST_KEPT:
            self._of_game.clear()
        self._of_game[game] = forms
        return True


def _forms(
    reader: Reader, game: int, market: Market, bookmakers: set[str], since: int
) -> dict[str, bool | None]:
    """Whether bookmakers count overtime: by their moneyline of the game, else as they usually do.

    Those of which neither tells are left out.
    """
    drew = reader.bookmakers_that_drew(game, 0, since)
    own: dict[str, bool] = {}
    usual: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for match_name, bookmaker, odds in reader.moneylines_like(game, bookmakers, since):
        is_own = match_name == market.match_name
        had_draw = is_own and bookmaker in drew
        form = _form(match_name, market.sport, odds, had_draw=had_draw)
        if form is None:
            continue
        usual[bookmaker][form] += 1
        if is_own:
            own[bookmaker] = form
    return {name: usual_form(counts) for name, counts in usual.items()} | own


def _form(
    match_name: str, sport: str, moneyline: Mapping[str, float], *, had_draw: bool = False
) -> bool | None:
    sides = _sides(match_name, moneyline)
    unread = sides.count(None)
    read = frozenset(side for side in sides if side is not None)
    return counts_overtime(sport, read, texts_unread=unread, had_draw=had_draw)


def _sides(match_name: str, moneyline: Mapping[str, float]) -> list[str | None]:
    """Return the side of each price of a moneyline; None where it cannot be read."""
    read = (read_selection(_MONEYLINE, match_name, text) for text in moneyline)
    return [None if outcome is None else outcome.side for outcome in read]
