"""A list of bets as an aligned table: what to bet, where, at which price, and how much."""

from collections.abc import Sequence
from typing import Final

from oddsdesk.board.bets import Bet
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.exposure import Bound

_HEADINGS: Final = ("OUTCOME", "BOOKMAKER", "ODDS", "NET", "EV", "STAKE", "", "GAME")
_RIGHT: Final = frozenset({"ODDS", "NET", "EV", "STAKE"})
CAUTIONS: Final = {
    Caution.NOT_COMPARABLE: "settles otherwise than the reference",
    Caution.UNREAD_OUTCOME: "an outcome beside it is unread or missing",
    Caution.OTHER_RULES: "overtime counts for one only",
    Caution.STATE_DIFFERS: "only one is in play",
    Caution.APART: "seen more than a minute apart in play",
    Caution.STALE: "price is old",
    Caution.REFERENCE_STALE: "reference's price is old",
    Caution.AGE_UNKNOWN: "age unknown",
    Caution.STARTED: "has begun",
    Caution.CROSSED_REFERENCE: "reference below 100 %",
    Caution.ABOVE_WINDOW: "too good to be true",
    Caution.WITHDRAWN: "withdrawn",
    Caution.DELAYED: "source is late",
}
BOUNDS: Final = {
    Bound.KELLY: "Kelly",
    Bound.OUTCOME: "most on one outcome",
    Bound.GAME: "most on one game",
    Bound.TOTAL: "most in all",
    Bound.BOOKMAKER: "most the bookmaker takes",
    Bound.PLACED: "placed already",
    Bound.ROUNDING: "less than one step",
    Bound.NO_EDGE: "no gain beside the other sides",
}


def table(bets: Sequence[Bet]) -> str:
    """Return the table, and below it how much is staked in all."""
    rows = [_HEADINGS, *map(_row, bets)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    lines = [_line(row, widths) for row in rows] if bets else []
    return "\n".join([*lines, *([""] if bets else []), _sum(bets)])


def _row(bet: Bet) -> tuple[str, ...]:
    price, found = bet.price, bet.price.assessment
    net = "" if found.net_odds == found.odds else f"{found.net_odds:.3f}"
    unit = "" if found.per == "staked" else " *"
    return (
        _plain(price.key.selection),
        _plain(price.bookmaker),
        f"{found.odds:g}",
        net,
        "" if found.ev_pct is None else f"{found.ev_pct:+.2f} %{unit:2}",
        f"{bet.stake:g}" if bet.stake else "",
        _why(bet),
        _plain(f"{price.match_name}, {_market(bet)}"),
    )


def _why(bet: Bet) -> str:
    """Say what bound the stake, or why there is none."""
    if cautions := bet.price.assessment.cautions:
        return ", ".join(CAUTIONS[caution] for caution in cautions)
    if bet.bound is not None:
        return BOUNDS[bet.bound]
    if not bet.price.assessment.is_value:
        return "no value after commission"
    return f"same bet at {_plain(bet.same_bet_as or '')}"


def _market(bet: Bet) -> str:
    key = bet.price.key
    period = f", period {key.period}" if key.period else ""
    return key.market_type.replace("_", " ") + period


def _sum(bets: Sequence[Bet]) -> str:
    staked = [bet.stake for bet in bets if bet.stake]
    prices = f"{len(bets)} price{'' if len(bets) == 1 else 's'}"
    line = f"{prices}, {len(staked)} staked, {sum(staked):g} in all"
    if any(bet.price.assessment.per == "decided" for bet in bets):
        line += "; * EV per decided unit: how often the stake comes back is not known"
    return line


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = (
        text.rjust(width) if heading in _RIGHT else text.ljust(width)
        for text, width, heading in zip(row, widths, _HEADINGS, strict=True)
    )
    return "  ".join(cells).rstrip()


def _plain(text: str) -> str:
    """Return foreign text without control characters, which a terminal would obey."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
