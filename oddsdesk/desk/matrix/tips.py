"""What the tooltips of a matrix say of prices, windows and holds."""

from oddsdesk.board.freshness import Freshness
from oddsdesk.board.judging import shares_state
from oddsdesk.board.matrix import Section, SelectionRow
from oddsdesk.board.prices import Price
from oddsdesk.desk.matrix.cells import is_suspicious, is_value
from oddsdesk.desk.ui.formatting import exact_odds_text, fair_text, least_text, most_text
from oddsdesk.desk.ui.time_format import span_text

_WORDS = {
    Freshness.FRESH: "",
    Freshness.AGEING: "ageing: this bookmaker is usually read more often",
    Freshness.STALE: "stale: not read for several of its turns",
    Freshness.DEAD: "dead: not read for 10 minutes, the service shows it no more",
}

_OTHER_STATE = (
    "from before the game, the reference's price is in play: not compared",
    "in play, the reference's price is from before the game: not compared",
)


def price_tip(
    section: Section, row: SelectionRow, bookmaker: str, freshness: Freshness, now_ms: int
) -> str:
    """Return the tooltip of a bookmaker's price."""
    price = row.prices.get(bookmaker)
    if price is None:
        return f"{bookmaker}: no price for {row.selection}"
    head = f"{bookmaker}: {exact_odds_text(price.odds)} for {row.selection}"
    said = [head, *_clocks(price, freshness, now_ms)]
    if bookmaker in section.other_bets:
        said.append("bets on other outcomes than the reference: not compared")
    elif not shares_state(section, price):
        said.append(_OTHER_STATE[bool(price.is_live)])
    elif row.fair is not None and price.is_offered and is_value(row, price.odds):
        said.append(f"value: fair is {fair_text(row.fair)}, {_window(row)}")
    elif price.is_offered and is_suspicious(row, price.odds):
        said.append(
            f"above the window: suspicious, a mistake more often than value ({_window(row)})"
        )
    if bookmaker in row.best_bookmakers:
        said.append("best price")
    return "\n".join(said)


def best_tip(
    section: Section, row: SelectionRow, bookmaker: str | None, freshness: Freshness, now_ms: int
) -> str:
    """Return the tooltip of the best price: the one named, and who else offers it."""
    if bookmaker is None:
        return f"No bookmaker prices {row.selection} as the reference does."
    said = [price_tip(section, row, bookmaker, freshness, now_ms)]
    others = [name for name in row.best_bookmakers if name != bookmaker]
    if others:
        said.append(f"the same at {', '.join(others)}")
    return "\n".join(said)


def best_hold_tip(section: Section) -> str:
    """Return the tooltip of the hold of best prices."""
    if section.best_hold is None:
        return f"No best prices on every side of {section.title}."
    said = f"The best prices of {section.title} together hold {section.best_hold:.2f} %"
    return f"{said}: less than nothing, an arbitrage." if section.best_hold < 0 else f"{said}."


def reference_tip(row: SelectionRow, name: str, freshness: Freshness, now_ms: int) -> str:
    """Return the tooltip of the reference's price."""
    price = row.reference
    if price is None:
        return f"{name}: no price for {row.selection}"
    said = [f"{name}: {exact_odds_text(price.odds)} for {row.selection}"]
    said += _clocks(price, freshness, now_ms)
    if row.liquidity is not None:
        said.append(f"takes up to {row.liquidity:,.0f}")
    return "\n".join(said)


def window_tip(row: SelectionRow) -> str:
    """Return the tooltip of the price window."""
    if row.fair is None:
        return "The reference prices no complete market here: nothing to judge by."
    return _window(row).capitalize()


def hold_tip(section: Section, bookmaker: str) -> str:
    """Return the tooltip of a bookmaker's hold."""
    hold = section.holds.get(bookmaker)
    if hold is None:
        return f"{bookmaker} prices no complete {section.title}."
    return f"{bookmaker} holds {hold:.2f} % on {section.title}."


def _window(row: SelectionRow) -> str:
    if row.value_from is None or row.suspicious_above is None:
        return "no price is value by the rules"
    least, most = least_text(row.value_from), most_text(row.suspicious_above)
    return f"value from {least}, suspicious above {most}"


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
