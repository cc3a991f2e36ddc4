"""Bets and reports as aligned tables."""

from collections.abc import Iterator, Sequence
from typing import Final

from oddsdesk.board.verdict_words import FLOOR_TEXT, PER_DECIDED, PER_DECIDED_TEXT
from oddsdesk.cli.tables import aligned, plain
from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.open_bets import placed_in
from oddsdesk.ledger.reporting import luck_text
from oddsdesk.pricing.reports import Report

_BETS: Final = ("BET", "STATE", "KICK-OFF", "OUTCOME", "BOOKMAKER", "ODDS", "STAKE", "EV", "CLV")
_REPORT: Final = (
    "OF",
    "BETS",
    "STAKED",
    "PROFIT",
    "YIELD",
    "EXPECTED",
    "CLV",
    "DRAWDOWN",
    "Z",
    "LUCK",
)
_LEFT: Final = frozenset({"STATE", "KICK-OFF", "OUTCOME", "BOOKMAKER", "GAME", "OF", "LUCK"})
_RIGHT: Final = frozenset({*_BETS, *_REPORT, "PROFIT"}) - _LEFT


def bets_table(bets: Sequence[PlacedBet], now_ms: int) -> str:
    """Return bets as a table, below it how many there are."""
    rows = [_bet(bet, now_ms) for bet in bets]
    lines = aligned((*_BETS, "PROFIT", "GAME"), rows, _RIGHT) if rows else []
    last = f"{len(bets)} bet{'' if len(bets) == 1 else 's'}"
    if practice := sum(bet.practice for bet in bets):
        last += f", {practice} practice"
    if risks := list(_at_risk(bets, now_ms)):
        last += f", at risk {', '.join(risks)}"
    if units := [
        name
        for name, per in (("EV", "per"), ("CLV", "clv_per"))
        if any(getattr(bet, per) == "decided" for bet in bets)
    ]:
        last += f"; {PER_DECIDED} {' and '.join(units)} {PER_DECIDED_TEXT}"
    if any(bet.true_ev is not None and bet.clv_pct is not None for bet in bets):
        lines.append(FLOOR_TEXT)
    return "\n".join([*lines, last])


def _at_risk(bets: Sequence[PlacedBet], now_ms: int) -> Iterator[str]:
    """Yield the worst result of the open bets in each currency."""
    for currency in dict.fromkeys(bet.currency for bet in bets):
        placed = placed_in([bet for bet in bets if bet.currency == currency], now_ms)
        if placed.by_outcome or placed.total:
            yield plain(f"{placed.total:.2f} {currency}".strip())


def reports_table(rows: Sequence[tuple[str, str, Report]]) -> str:
    """Return reports as a table; each row has a currency, what it is of, and its figures."""
    if not rows:
        return "no bet is settled yet"
    return "\n".join(aligned(_REPORT, [_report(*row) for row in rows], _RIGHT))


def _bet(bet: PlacedBet, now_ms: int) -> tuple[str, ...]:
    result = bet.result
    state = bet.state(now_ms).value if result is None else result.value.replace("_", " ")
    state += ", practice" if bet.practice else ""
    money = f"{bet.stake:g}{f' {bet.currency}' if bet.currency else ''}"
    return (
        str(bet.ident),
        state,
        "" if bet.kick_off is None else f"{format_ms(bet.kick_off)[:16].replace('T', ' ')}",
        plain(bet.selection),
        plain(bet.bookmaker),
        f"{bet.odds:g}",
        plain(money),
        _per(bet.true_ev, bet.per),
        _closing(bet),
        "" if bet.profit is None else f"{bet.profit:+.2f}",
        plain(bet.match_name),
    )


def _closing(bet: PlacedBet) -> str:
    if bet.close is None:
        return ""
    return _per(bet.clv_pct, bet.clv_per) or "no close"


def _per(figure: float | None, per: str) -> str:
    """Return a percentage with its mark, each as wide so that figures align."""
    unit = f" {PER_DECIDED}" if per == "decided" else ""
    return "" if figure is None else f"{_percent(figure)}{unit:2}"


def _report(currency: str, label: str, found: Report) -> tuple[str, ...]:
    of = label or "all"
    return (
        plain(f"{of}, {currency}" if currency else of),
        str(found.bets),
        f"{found.staked:.2f}",
        f"{found.profit:+.2f}",
        _percent(found.yield_pct),
        _of_some(f"{found.expected:+.2f}", found.expected_bets, found.bets),
        _of_some(_percent(found.clv_pct), found.clv_bets, found.bets),
        f"{found.drawdown.depth:.2f}",
        "" if found.z is None else f"{found.z:+.2f}",
        luck_text(found),
    )


def _of_some(figure: str, known: int, bets: int) -> str:
    """Return a figure of the bets that one is known of: how many, where not all, else nothing."""
    if not known:
        return ""
    return figure if known == bets else f"{figure} of {known}"


def _percent(figure: float | None) -> str:
    return "" if figure is None else f"{figure:+.2f} %"
