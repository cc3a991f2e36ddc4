"""Reports over the ledger: by currency, which are never summed, and by what the user asks."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import UTC, datetime, tzinfo
from enum import Enum
from functools import lru_cache
from typing import Final

from oddsdesk.contract.competitions import sport_title
from oddsdesk.contract.markets import market_title
from oddsdesk.ledger.bets import PlacedBet, counted
from oddsdesk.ledger.games import GamesOfBets
from oddsdesk.ledger.open_bets import outcome_named
from oddsdesk.pricing.profiles import fold_name
from oddsdesk.pricing.reports import Report, SettledBet, report, reports_by
from oddsdesk.shipped_bookmakers import shipped_profiles

_Outcome = tuple[str | int, ...]
_NAMED: Final = 5
"""Game, market type, period, line group and side, of an outcome that could be read."""


class Grouping(Enum):
    """What reports are split by."""

    BOOKMAKER = "bookmaker"
    SPORT = "sport"
    MARKET = "market"
    PRESET = "preset"
    MONTH = "month"
    """Of the kick-off; of the bet where that is not known."""


_USUAL: Final = 0.4
"""How often something is to happen by chance for nobody to ask why it did."""
_HARDLY_EVER: Final = 10_000
NONE: Final = "none"
"""The label of bets that have nothing to be split by."""
_LABELS: Final[dict[Grouping, Callable[[PlacedBet], str]]] = {
    Grouping.BOOKMAKER: lambda bet: bet.bookmaker,
    Grouping.SPORT: lambda bet: sport_title(bet.sport) if bet.sport else "",
    Grouping.MARKET: lambda bet: market_title(bet.market_type) if bet.market_type else "",
    Grouping.PRESET: lambda bet: bet.preset,
}


def in_order(bets: Iterable[PlacedBet]) -> list[tuple[PlacedBet, SettledBet]]:
    """Return the settled bets by kick-off, each with what reports count of it; no practice."""
    ordered = sorted(counted(bets), key=lambda bet: bet.order)
    games = GamesOfBets(ordered)
    return [
        (
            bet,
            each._replace(
                game=(game := games.of(bet)),
                outcome=(outcome := _outcome_of(bet, game)),
                line=_line_of(outcome),
            ),
        )
        for bet in ordered
        if (each := bet.as_settled()) is not None
    ]


def _outcome_of(bet: PlacedBet, game: str | None) -> _Outcome | None:
    """Return what bets share that win and lose together; None where nobody tells."""
    if game is None:
        return None
    in_play = bet.kick_off is not None and bet.placed_at >= bet.kick_off
    what = (bet.market_type, bet.period, bet.selection)
    return _named(game, *what, bet.match_name, bet.sport, in_play=in_play) or (game, *what)


def _line_of(outcome: _Outcome | None) -> Hashable:
    """Return what outcomes share of which at most one wins; None where they overlap, or may."""
    if outcome is None or len(outcome) < _NAMED or outcome[1] == "double_chance":
        return None
    _, market_type, _, group, _ = outcome
    is_any_question = market_type == "yes_no" and not group
    return None if is_any_question else outcome[:-1]


@lru_cache(maxsize=1 << 16)
def _named(
    game: str,
    market_type: str,
    period: int,
    selection: str,
    match_name: str,
    sport: str,
    *,
    in_play: bool,
) -> _Outcome | None:
    key = (game, market_type, period, selection, "")
    return outcome_named(key, match_name, sport, in_play=in_play)


def luck_text(found: Report) -> str:
    """Return how often chance alone does as well, or as badly, in words."""
    if found.chance is None or found.bad_chance is None:
        return ""
    share = min(found.chance, found.bad_chance)
    side = "by chance" if found.chance <= found.bad_chance else "as bad by chance"
    if share > _USUAL:
        return "what chance alone does"
    times = 1 / share if share > 0 else math.inf
    return f"one in {times:,.0f} {side}" if times < _HARDLY_EVER else f"hardly ever {side}"


def by_currency(bets: Iterable[PlacedBet]) -> dict[str, list[PlacedBet]]:
    """Return the bets by currency, the one with most bets first."""
    groups: dict[str, list[PlacedBet]] = {}
    for bet in bets:
        groups.setdefault(bet.currency, []).append(bet)
    return dict(sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])))


def whole_report(bets: Iterable[PlacedBet]) -> Report:
    """Return the report over bets of one currency; open ones are not counted."""
    return report([each for _, each in in_order(bets)])


def split_report(
    bets: Iterable[PlacedBet], by: Grouping, zone: tzinfo | None = UTC
) -> dict[str, Report]:
    """Return reports over bets of one currency by label; months in order, others by turnover."""
    ordered = in_order(bets)
    labels = [_label(bet, by, zone) for bet, _ in ordered]
    if by is Grouping.BOOKMAKER:
        labels = _one_spelling(labels)
    found = reports_by([each for _, each in ordered], labels)
    if by is Grouping.MONTH:
        return found
    return dict(sorted(found.items(), key=lambda group: (-group[1].staked, group[0])))


def _one_spelling(names: Sequence[str]) -> list[str]:
    """Return each bookmaker's name as most bets have it: files spell them as they like."""
    keys = [shipped_profiles().canonical(name) or fold_name(name) for name in names]
    spelt = defaultdict[str, Counter[str]](Counter)
    for key, name in zip(keys, names, strict=True):
        spelt[key][name] += 1
    return [spelt[key].most_common(1)[0][0] for key in keys]


def _label(bet: PlacedBet, by: Grouping, zone: tzinfo | None) -> str:
    if by is Grouping.MONTH:
        moment = datetime.fromtimestamp(bet.order[0] / 1000, UTC).astimezone(zone)
        return f"{moment:%Y-%m}"
    return _LABELS[by](bet) or NONE
