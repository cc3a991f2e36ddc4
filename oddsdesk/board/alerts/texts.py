"""What alerts say: plain text, the figure first; odds are numbers among it."""

from collections.abc import Sequence

from msgspec.structs import replace

from oddsdesk.board.alerts.gate import Alert, Said
from oddsdesk.board.alerts.steam import Steam
from oddsdesk.board.assessed import AssessedPrice
from oddsdesk.board.connection import Connection, not_offered
from oddsdesk.board.matrix import Section
from oddsdesk.board.opportunity import Opportunity
from oddsdesk.board.verdict_words import PER_DECIDED_TEXT, for_sale_text
from oddsdesk.contract.markets import market_title
from oddsdesk.pricing.column_formats import ev_to_tenth, to_tenth

_MOST_NAMED = 5
SILENT = "The service answers, and no price of any game comes in, for longer than usual"


_FAIR_DECIMALS = 3


def value_title(price: AssessedPrice) -> Said:
    """Return what to bet, where, and the edge."""
    found = price.assessment
    ev = 0.0 if found.ev_pct is None else found.ev_pct
    return f"{ev_to_tenth(ev):+.1f} %: {price.key.selection} ", found.odds, f" at {price.bookmaker}"


def value_text(price: AssessedPrice) -> Said:
    """Return the game, and what the price is judged by."""
    found = price.assessment
    said: list[str | float] = [f"{price.match_name} · {market_title(price.key.market_type)}"]
    if found.fair_odds is not None:
        said += " · fair ", _rounded(found.fair_odds)
    if found.net_odds != found.odds:
        said += " · net ", _rounded(found.net_odds)
    if found.per == "decided":
        said.append(f" · EV {PER_DECIDED_TEXT}")
    if price.for_sale is not None:
        said.append(f" · {for_sale_text(price)}")
    if price.is_live:
        said.append(" · in play")
    return tuple(said)


def marked(alert: Alert, connection: Connection) -> Alert:
    """Return an alert as one of prices, which says so of odds that nobody offers."""
    alert = replace(alert, is_of_prices=True)
    why = not_offered(simulated=connection.simulated, shifted=connection.shifted)
    if not why:
        return alert
    first = "Simulated: " if connection.simulated else "Maybe old odds: "
    says, also = _parts(alert.says), _parts(alert.also)
    return replace(alert, says=(first, *says), also=(*also, f" · {why}"), not_offered=why)


def _parts(said: Said) -> tuple[str | float, ...]:
    return (said,) if isinstance(said, str) else said


def _rounded(odds: float) -> float:
    """Return reckoned odds with 3 decimals, unless none would be left above 1."""
    rounded = round(odds, _FAIR_DECIMALS)
    return rounded if rounded > 1 else odds


def opportunity_title(found: Opportunity) -> str:
    """Return what the worst of all outcomes leaves, a push among them, and where."""
    return f"Arbitrage {to_tenth(found.outlay.worst_of_all_pct):+.1f} %: {found.match_name}"


def opportunity_text(found: Opportunity) -> Said:
    """Return the legs with their stakes, and what they leave where no push does less."""
    said: list[str | float] = []
    for leg in found.legs:
        before = " · " if said else ""
        said += (
            f"{before}{leg.key.selection} ",
            leg.odds,
            f" at {leg.bookmaker}, stake {leg.stake:g}",
        )
    if found.outlay.worst_of_all < found.outlay.worst:
        said.append(f" · {to_tenth(found.profit_pct):+.1f} % without a push")
    return tuple(said)


def steam_title(selection: str, steam: Steam) -> str:
    """Return what became likelier, or less likely."""
    way = "shortens" if steam.direction > 0 else "drifts"
    return f"{selection} {way} at {len(steam.groups)} bookmakers"


def steam_text(section: Section, steam: Steam) -> str:
    """Return the game, by how much, and where."""
    names = ", ".join(steam.groups[:_MOST_NAMED])
    more = len(steam.groups) - _MOST_NAMED
    also = f" and {more} more" if more > 0 else ""
    return f"{section.match_name} · {steam.points:.1f} points or more at {names}{also}"


def kick_off_texts(match_name: str, selections: Sequence[str]) -> tuple[str, str]:
    """Return that a game begins, and what was bet on it."""
    bets = "a bet" if len(selections) == 1 else f"{len(selections)} bets"
    return f"{match_name} begins", f"You have {bets} on it: {', '.join(selections[:_MOST_NAMED])}"
