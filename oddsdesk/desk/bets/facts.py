"""What bets came to, in a line of figures: profit, yield, closing line, luck, drawdown, risk."""

from typing import Final, NamedTuple

from oddsdesk.desk.ui.controls.facts_bar import Fact
from oddsdesk.desk.ui.formatting import signed_hundredths_text, signed_text
from oddsdesk.ledger.reporting import luck_text
from oddsdesk.pricing.reports import Report

_LARGE: Final = 1_000


class AtRisk(NamedTuple):
    """What is open, of what may be."""

    amount: float
    bankroll: float | None
    """None for a currency that is not the user's own."""
    cap: float
    practice: float
    """Open, and no money: what it would be."""


def facts_of(found: Report, risk: AtRisk) -> list[Fact]:
    """Return a report as figures with what they are of; a dash where there is none."""
    drawdown = found.drawdown
    return [
        Fact(
            "Profit",
            signed_hundredths_text(found.profit) if found.bets else "–",
            _expected(found),
        ),
        Fact(
            "Yield",
            _percent(found.yield_pct),
            f"on {_amount(found.staked)} staked, {_bets(found.bets)}",
        ),
        Fact("Closing line", _percent(found.clv_pct), _beaten(found)),
        Fact("Luck or skill", _luck(found), luck_text(found)),
        Fact(
            "Drawdown",
            signed_hundredths_text(drawdown.depth) if found.bets else "–",
            f"within {_bets(drawdown.bets)}" if drawdown.depth else "",
        ),
        _risk(risk),
    ]


def _expected(found: Report) -> str:
    if not found.expected_bets:
        return ""
    some = f" of {_bets(found.expected_bets)}" if found.expected_bets < found.bets else ""
    return f"expected {signed_hundredths_text(found.expected)}{some}"


def _beaten(found: Report) -> str:
    if found.beaten_pct is None:
        return ""
    return f"{found.beaten_pct:.0f} % of {found.clv_bets} beaten"


def _risk(risk: AtRisk) -> Fact:
    apart = f"without practice {_amount(risk.practice)}" if risk.practice else ""
    if risk.bankroll is None:
        return Fact("At risk", f"{risk.amount:,.2f}", apart)
    share = risk.amount / risk.bankroll * 100
    of = f"{_amount(risk.amount)}, cap {risk.cap * 100:.0f} %"
    return Fact("At risk", f"{share:.1f} %", ", ".join(filter(None, (of, apart))))


def _amount(amount: float) -> str:
    """Return an amount; from a thousand on its hundredths say nothing."""
    return f"{amount:,.2f}" if amount < _LARGE else f"{amount:,.0f}"


def _percent(figure: float | None) -> str:
    return "–" if figure is None else f"{signed_text(figure)} %"


def _luck(found: Report) -> str:
    """Return ``z``; of few outcomes how many there are, since it would say little of them."""
    if found.z is not None:
        return f"z {found.z:.1f}".replace("-", "−")
    if not found.outcomes:
        return "–"
    return f"{found.outcomes} outcome{'' if found.outcomes == 1 else 's'}"


def _bets(count: int) -> str:
    return f"{count} bet{'' if count == 1 else 's'}"
