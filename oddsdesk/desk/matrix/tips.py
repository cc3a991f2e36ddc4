"""What the tooltips of a matrix say of prices, windows and holds."""

from collections.abc import Sequence
from typing import Protocol

from oddsdesk.board.board import Board
from oddsdesk.board.freshness import Freshness
from oddsdesk.board.matrix import RowKey, Section, SelectionRow
from oddsdesk.board.pool import PooledLine
from oddsdesk.board.prices import Price
from oddsdesk.board.rows import UNNAMED_REFERENCE
from oddsdesk.board.valuation import window_beside
from oddsdesk.board.verdict_words import caution_text
from oddsdesk.clock import Clock
from oddsdesk.desk.ui.formatting import exact_odds_text, fair_text, least_text, most_text
from oddsdesk.desk.ui.time_format import clock_text, unmoved_text
from oddsdesk.pricing.assessment import doubts_in_order
from oddsdesk.pricing.consensus import CONSENSUS_TITLE

_WORDS = {
    Freshness.FRESH: "",
    Freshness.AGEING: "ageing: this bookmaker is usually read more often",
    Freshness.STALE: "stale: not read for several of its turns",
    Freshness.DEAD: "dead: not read for 10 minutes, the service shows it no more",
}

_MOST_VOTERS = 25


class TipContext(Protocol):
    """What a tooltip asks beside the row."""

    board: Board
    game_id: str
    clock: Clock

    def freshness(self, bookmaker: str | None, price: Price | None) -> Freshness:
        """Return how old a price is."""
        ...


def price_tip(section: Section, row: SelectionRow, bookmaker: str, context: TipContext) -> str:
    """Return the tooltip of a bookmaker's price: its clocks, its worth, and what is against it."""
    price, board = row.prices.get(bookmaker), context.board
    if price is None:
        return f"{bookmaker}: no price for {row.selection}"
    freshness, now_ms = context.freshness(bookmaker, price), context.clock()
    head = f"{bookmaker}: {exact_odds_text(price.odds)} for {row.selection}"
    said = [head, *_clocks(price, freshness, now_ms)]
    key = RowKey(context.game_id, *section.key[:2], row.selection, bookmaker)
    found = board.assess(key)
    if found is not None and found.net_odds != found.odds:
        said.append(
            f"net {exact_odds_text(round(found.net_odds, 4))}, after what {bookmaker} keeps"
        )
    if found is not None and found.fair_odds is not None:
        reference = board.reference or UNNAMED_REFERENCE
        if found.is_value:
            window = _window(*window_beside(section, row, bookmaker))
            said.append(f"value: fair is {fair_text(found.fair_odds)} by {reference}, {window}")
        said += [f"no value: {caution_text(each, reference)}" for each in found.cautions]
    elif found is not None:
        doubts = doubts_in_order(found.cautions)
        said += [f"no value: {caution_text(each, '')}" for each in doubts]
    if not board.basis.is_mine(bookmaker):
        said.append("none of your bookmakers")
    said += _ranks(row, bookmaker, has_mine=board.basis.mine is not None)
    return "\n".join(said)


def best_tip(
    section: Section, row: SelectionRow, offered: Sequence[str], context: TipContext
) -> str:
    """Return the tooltip of a best price: the first bookmaker that offers it, then the others.

    It names the best price of all and a higher one that is doubted, too: a narrow table may not
    show them.
    """
    best, reference = row.offer.found(), context.board.reference or UNNAMED_REFERENCE
    if offered:
        said = [price_tip(section, row, offered[0], context)]
        if offered[1:]:
            said.append(f"the same at {', '.join(offered[1:])}")
    else:
        whose = "of yours " if context.board.basis.mine is not None else ""
        said = [f"No bookmaker {whose}prices {row.selection} as the reference does."]
    if best.of_all.bookmakers and best.of_all.net != best.mine.net:
        name = best.of_all.bookmakers[0]
        said.append(f"best of all: {exact_odds_text(row.prices[name].odds)} at {name}")
    if best.doubted is not None:
        name, odds, _, caution = best.doubted
        why = caution_text(caution, reference)
        said.append(f"doubted: {exact_odds_text(odds)} at {name}: {why}")
    return "\n".join(said)


def _ranks(row: SelectionRow, bookmaker: str, *, has_mine: bool) -> list[str]:
    """Return whether a bookmaker's price is the best, and of which bookmakers."""
    if not has_mine:
        return ["best price"] if bookmaker in row.best_bookmakers else []
    said = ["best price of your bookmakers"] if bookmaker in row.best_bookmakers else []
    return said + (["best price of all"] if bookmaker in row.best_of_all.bookmakers else [])


def best_hold_tip(section: Section) -> str:
    """Return the tooltip of the hold of best prices."""
    if section.best_hold is None:
        return f"No best prices on every side of {section.title}."
    others = ", without the reference's," if section.reference_hold is not None else ""
    held = f"{section.best_hold:.2f} %"
    said = f"The best net prices of {section.title} together{others} hold {held}"
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


def voters_tip(section: Section, row: SelectionRow, pooled: PooledLine) -> str:
    """Return the tooltip of a consensus: who says what of a selection."""
    side = section.side_of(row.selection)
    said = [f"{pooled.votes} votes; bookmakers of one operator or supplier share one"]
    for voter in pooled.voters[:_MOST_VOTERS]:
        if side in voter.group.sides:
            fair = 1 / voter.chances[voter.group.sides.index(side)]
            said.append(f"{voter.bookmaker}: fair {fair_text(fair)}")
    if len(pooled.voters) > _MOST_VOTERS:
        said.append(f"and {len(pooled.voters) - _MOST_VOTERS} more")
    return "\n".join(said)


def window_tip(row: SelectionRow, name: str) -> str:
    """Return the tooltip of the price window."""
    if row.fair is None:
        return no_reference_text(name)
    return f"{_window(row.value_from, row.suspicious_above).capitalize()}, by {name}"


def window_beside_tip(section: Section, row: SelectionRow, bookmaker: str | None) -> str:
    """Return by which window a consensus judges a price: by that of the others' votes (D60)."""
    if row.fair is None or bookmaker is None:
        return ""
    if section.line_beside(bookmaker) is None:
        return f"{bookmaker}: without its own vote too few are left to judge it"
    window = _window(*window_beside(section, row, bookmaker))
    return f"{bookmaker}, judged by the others without its own vote: {window}"


def no_reference_text(name: str) -> str:
    """Return that there is nothing to judge a line by."""
    if name == CONSENSUS_TITLE:
        return "No reference price: too few votes on this line for a consensus."
    return f"No reference price: {name} prices no complete market here, nothing to judge by."


def hold_tip(section: Section, bookmaker: str) -> str:
    """Return the tooltip of a bookmaker's hold."""
    hold = section.holds.get(bookmaker)
    if hold is None:
        return f"{bookmaker} prices no complete {section.title}."
    return f"{bookmaker} holds {hold:.2f} % on {section.title}."


def _window(value_from: float | None, suspicious_above: float | None) -> str:
    if value_from is None or suspicious_above is None:
        return "no price is value by the rules"
    least, most = least_text(value_from), most_text(suspicious_above)
    return f"value from {least}, suspicious above {most}"


def _clocks(price: Price, freshness: Freshness, now_ms: int) -> list[str]:
    seen = f"seen at {clock_text(price.scraped_at, now_ms)}"
    unmoved = unmoved_text(price.changed_at, now_ms, has_moved=price.previous is not None)
    said = [f"{seen}, {unmoved}"]
    if price.previous is not None and price.direction:
        word = "up" if price.direction > 0 else "down"
        said.append(f"{word} from {exact_odds_text(price.previous)}")
    if price.withdrawn_at is not None:
        said.append(
            f"gone since {clock_text(price.withdrawn_at, now_ms)} (inferred: shown no more)"
        )
    elif _WORDS[freshness]:
        said.append(_WORDS[freshness])
    return said
