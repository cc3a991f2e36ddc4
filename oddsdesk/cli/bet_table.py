"""A list of bets as an aligned table: what to bet, where, at which price, and how much."""

from collections.abc import Sequence
from typing import Final

from oddsdesk.board.bets import Bet
from oddsdesk.board.verdict_words import (
    PER_DECIDED,
    PER_DECIDED_TEXT,
    bound_text,
    caution_text,
    for_sale_text,
)
from oddsdesk.cli.tables import aligned, plain
from oddsdesk.pricing.exposure import Bound

_HEADINGS: Final = ("OUTCOME", "BOOKMAKER", "ODDS", "NET", "EV", "STAKE", "", "GAME")
_RIGHT: Final = frozenset({"ODDS", "NET", "EV", "STAKE"})


def table(bets: Sequence[Bet], sources: Sequence[str] = ()) -> str:
    """Return the table, below it how much is staked in all, and whose prices these are."""
    lines = aligned(_HEADINGS, map(_row, bets), _RIGHT) if bets else []
    told = [f"prices of {plain(', '.join(sources))}"] if sources else []
    return "\n".join([*lines, *([""] if bets else []), _sum(bets), *told])


def _row(bet: Bet) -> tuple[str, ...]:
    price, found = bet.price, bet.price.assessment
    net = "" if found.net_odds == found.odds else f"{found.net_odds:.3f}"
    unit = "" if found.per == "staked" else f" {PER_DECIDED}"
    return (
        plain(price.key.selection),
        plain(price.bookmaker),
        f"{found.odds:g}",
        net,
        "" if found.ev_pct is None else f"{found.ev_pct:+.2f} %{unit:2}",
        f"{bet.stake:g}" if bet.stake else "",
        _why(bet),
        plain(f"{price.match_name}, {_market(bet)}"),
    )


def _why(bet: Bet) -> str:
    """Say what bound the stake, or why there is none."""
    if cautions := bet.price.assessment.cautions:
        return ", ".join(caution_text(caution, "the reference") for caution in cautions)
    if bet.bound is not None:
        bound = bound_text(bet.bound, bet.price.bookmaker, bet.stake) or "Kelly"
        told = ("" if bet.bound is Bound.FOR_SALE else bound, for_sale_text(bet.price))
        return plain(", ".join(filter(None, told)))
    if not bet.price.assessment.is_value:
        return "no value after commission"
    carrier = bet.same_bet_as
    return "" if carrier is None else plain(f"same bet at {carrier.bookmaker}{_as_what(bet)}")


def _as_what(bet: Bet) -> str:
    """Name what carries the stake where that is another selection."""
    carrier = bet.same_bet_as
    if carrier is None or carrier.key.selection == bet.price.key.selection:
        return ""
    return f" as {carrier.key.selection}"


def _market(bet: Bet) -> str:
    key = bet.price.key
    period = f", period {key.period}" if key.period else ""
    return key.market_type.replace("_", " ") + period


def _sum(bets: Sequence[Bet]) -> str:
    staked = [bet.stake for bet in bets if bet.stake]
    prices = f"{len(bets)} price{'' if len(bets) == 1 else 's'}"
    line = f"{prices}, {len(staked)} staked, {sum(staked):g} in all"
    if any(bet.price.assessment.per == "decided" for bet in bets):
        line += f"; {PER_DECIDED} EV {PER_DECIDED_TEXT}"
    return line
