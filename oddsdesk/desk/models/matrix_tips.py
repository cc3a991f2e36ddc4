"""What the matrix says of a cell when asked: the price, both its clocks, what it is worth."""

from oddsdesk.board.freshness import Freshness
from oddsdesk.board.matrix import MatrixLine, Section
from oddsdesk.board.prices import Price
from oddsdesk.desk.models.figures import exact_odds_text
from oddsdesk.desk.models.matrix_cells import is_value
from oddsdesk.desk.moments import span_text

_WORDS = {
    Freshness.FRESH: "",
    Freshness.AGEING: "ageing: this bookmaker is usually read more often",
    Freshness.STALE: "stale: not read for several of its turns",
    Freshness.DEAD: "dead: not read for 10 minutes, the service shows it no more",
}


def price_tip(
    section: Section, line: MatrixLine, bookmaker: str, freshness: Freshness, now_ms: int
) -> str:
    """Return the tooltip of a bookmaker's price."""
    price = line.prices.get(bookmaker)
    if price is None:
        return f"{bookmaker}: no price for {line.selection}"
    head = f"{bookmaker}: {exact_odds_text(price.odds)} for {line.selection}"
    said = [head, *_clocks(price, freshness, now_ms)]
    if bookmaker in section.other_bets:
        said.append("bets on other outcomes than the reference: not compared")
    elif price.is_offered and is_value(line, price.odds):
        said.append(f"value: fair is {line.fair:.3f}, {_window(line)}")
    if bookmaker in line.best_bookmakers:
        said.append("best price")
    return "\n".join(said)


def reference_tip(line: MatrixLine, name: str, freshness: Freshness, now_ms: int) -> str:
    """Return the tooltip of the reference's price."""
    price = line.reference
    if price is None:
        return f"{name}: no price for {line.selection}"
    said = [f"{name}: {exact_odds_text(price.odds)} for {line.selection}"]
    said += _clocks(price, freshness, now_ms)
    if line.liquidity is not None:
        said.append(f"takes up to {line.liquidity:,.0f}")
    return "\n".join(said)


def window_tip(line: MatrixLine) -> str:
    """Return the tooltip of the price window."""
    if line.fair is None:
        return "The reference prices no complete market here: nothing to judge by."
    return _window(line).capitalize()


def hold_tip(section: Section, bookmaker: str) -> str:
    """Return the tooltip of a bookmaker's hold."""
    hold = section.holds.get(bookmaker)
    if hold is None:
        return f"{bookmaker} prices no complete {section.title}."
    return f"{bookmaker} holds {hold:.2f} % on {section.title}."


def _window(line: MatrixLine) -> str:
    if line.value_from is None or line.suspicious_above is None:
        return "no price is value by the rules"
    return f"value from {line.value_from:.3f}, suspicious above {line.suspicious_above:.3f}"


def _clocks(price: Price, freshness: Freshness, now_ms: int) -> list[str]:
    seen = f"seen {span_text(now_ms - price.scraped_at)} ago"
    unmoved = f"unchanged for {span_text(now_ms - price.changed_at)}"
    said = [f"{seen}, {unmoved}"]
    if price.previous is not None and price.direction:
        word = "up" if price.direction > 0 else "down"
        said.append(f"{word} from {exact_odds_text(price.previous)}")
    if price.withdrawn_at is not None:
        said.append(f"gone for {span_text(now_ms - price.withdrawn_at)} (inferred: shown no more)")
    elif _WORDS[freshness]:
        said.append(_WORDS[freshness])
    return said
