"""How the cells of the odds grid look."""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from oddsdesk.board.freshness import Freshness
from oddsdesk.board.prices import Price
from oddsdesk.board.verdict_words import PER_DECIDED, caution_text
from oddsdesk.contract.markets import market_title
from oddsdesk.desk.grid.entries import Entry, Figures, PriceEntry, SelectionEntry
from oddsdesk.desk.ui.formatting import (
    amount_text,
    edge_text,
    fair_text,
    odds_text,
    percent_text,
    signed_text,
)
from oddsdesk.desk.ui.table.cells import (
    ARROW_MS,
    EMPTY,
    NEVER,
    PALE_ARROW_MS,
    PRICE_ROLES,
    REPAINT_MS,
    Cell,
)
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole
from oddsdesk.desk.ui.time_format import MINUTE_MS, age_text, kick_off_text

_HOUR_MS = 60 * MINUTE_MS


class CellContext(NamedTuple):
    """What a cell depends on beside the row."""

    now_ms: int
    freshness: Callable[[str | None, Price], Freshness]
    reference: str
    """The reference's name."""
    short: Callable[[str], str] = str
    """Gives the short name of a bookmaker."""


_kick_off_text = lru_cache(maxsize=2048)(kick_off_text)
CellOf = Callable[[Entry, CellContext], Cell]


def selection(entry: Entry, _context: CellContext) -> Cell:
    """Return what is bet on."""
    return Cell(entry.selection.key.selection)


def game(entry: Entry, _context: CellContext) -> Cell:
    """Return which game it is."""
    return Cell(entry.selection.game, TextRole.SOFT)


def kick_off(entry: Entry, context: CellContext) -> Cell:
    """Return when the game is played."""
    if entry.selection.is_live:
        return Cell("live", TextRole.LIVE)
    minute = context.now_ms - context.now_ms % MINUTE_MS
    text = _kick_off_text(entry.selection.kick_off, minute)
    return Cell(text, TextRole.SOFT, repaint_at_ms=minute + MINUTE_MS)


def live(entry: Entry, _context: CellContext) -> Cell:
    """Return whether the game is in play."""
    return Cell("yes", TextRole.LIVE) if entry.selection.is_live else Cell("no", TextRole.NOTE)


def market(entry: Entry, _context: CellContext) -> Cell:
    """Return the market with its period."""
    selection = entry.selection
    return Cell(market_title(selection.key.market_type), TextRole.SOFT, note=selection.period_label)


def bookmaker(entry: Entry, context: CellContext) -> Cell:
    """Return whose price it is; of a selection also how many others offer the same."""
    if isinstance(entry, PriceEntry):
        ink = TextRole.ACCENT if entry.bookmaker is None else TextRole.STRONG
        return Cell(context.short(entry.name), ink)
    others = len(entry.figures.best_names) - 1
    return Cell(context.short(entry.name), note=f"+ {others}" if others > 0 else "")


def odds(entry: Entry, context: CellContext) -> Cell:
    """Return the price: its freshness, its last move, whether it is best or value."""
    price = entry.price
    if price is None:
        return Cell("–", TextRole.NOTE)
    if price.withdrawn_at is not None:
        return Cell(odds_text(price.odds), TextRole.NOTE, is_struck=True)
    freshness = context.freshness(entry.bookmaker, price)
    is_dead = freshness is Freshness.DEAD
    ground = SurfaceRole.PANEL if is_dead else _ground(entry)
    ink = PRICE_ROLES[freshness]
    if freshness is Freshness.FRESH and ground is not SurfaceRole.PANEL:
        ink = TextRole.VALUE if ground is SurfaceRole.VALUE else TextRole.BEST
    elif ground is not SurfaceRole.PANEL:
        ink = TextRole.SOFT
    since = context.now_ms - price.changed_at
    arrow = price.direction if since < PALE_ARROW_MS else 0
    return Cell(
        odds_text(price.odds),
        ink,
        ground,
        "",
        True,
        is_dead,
        arrow,
        since >= ARROW_MS,
        price.direction,
        -NEVER if price.move_heard_at is None else price.move_heard_at,
        NEVER if is_dead else context.now_ms + REPAINT_MS,
    )


def _ground(entry: Entry) -> SurfaceRole:
    if entry.is_value:
        return SurfaceRole.VALUE
    is_best = isinstance(entry, PriceEntry) and (
        entry.bookmaker in entry.selection.figures.best_names
    )
    return SurfaceRole.BEST if is_best else SurfaceRole.PANEL


def ev(entry: Entry, context: CellContext) -> Cell:
    """Return the true EV: in the colour of value where it is, with cautions behind a mark.

    Of a price that is not fresh it recedes, as in matrix and value bets.
    """
    edge, price = entry.ev, entry.price
    if edge is None or price is None:
        return EMPTY
    unit = "" if entry.is_per_staked else PER_DECIDED
    if entry.is_doubtful:
        return Cell(f"? {edge_text(edge)}", TextRole.NOTE, note=unit)
    text = edge_text(edge)
    if not entry.is_value:
        return Cell(text, TextRole.SOFT, note=unit)
    is_fresh = context.freshness(entry.bookmaker, price) is Freshness.FRESH
    ink = TextRole.VALUE if is_fresh else TextRole.SOFT
    return Cell(text, ink, note=unit, repaint_at_ms=context.now_ms + REPAINT_MS)


def cautions(entry: Entry, context: CellContext) -> Cell:
    """Return what speaks against the price, the gravest first."""
    if not entry.cautions:
        return Cell("outside the rules", TextRole.NOTE) if entry.has_no_window else EMPTY
    first = caution_text(entry.cautions[0], context.reference)
    more = len(entry.cautions) - 1
    return Cell(first, TextRole.NOTE, note=f"+ {more}" if more else "")


def doubted(entry: Entry, context: CellContext) -> Cell:
    """Return a higher price that is not to be relied upon, and the bookmaker that offers it."""
    found = entry.selection.figures.doubted
    if found is None:
        return EMPTY
    text = f"? {odds_text(found.odds)}"
    return Cell(text, TextRole.NOTE, note=context.short(found.bookmaker))


def fair(entry: Entry, _context: CellContext) -> Cell:
    """Return the fair odds."""
    odds_ = entry.selection.figures.fair_odds
    return EMPTY if odds_ is None else Cell(fair_text(odds_), TextRole.SOFT)


def limit(entry: Entry, _context: CellContext) -> Cell:
    """Return the reference's maximum bet."""
    amount = entry.selection.figures.liquidity
    return EMPTY if amount is None else Cell(amount_text(amount), TextRole.NOTE)


def count(entry: Entry, _context: CellContext) -> Cell:
    """Return how many bookmakers offer the selection."""
    return Cell(str(entry.selection.figures.count), TextRole.NOTE)


def link(entry: Entry, _context: CellContext) -> Cell:
    """Return whether there is a page to open."""
    has_link = entry.price is not None and entry.price.url is not None
    return Cell("open", TextRole.ACCENT) if has_link else EMPTY


def over_median(entry: Entry, _context: CellContext) -> Cell:
    """Return how far the price lies above the median."""
    share = entry.over_median
    return EMPTY if share is None else Cell(f"{signed_text(share)} %", TextRole.SOFT)


def spread(entry: Entry, _context: CellContext) -> Cell:
    """Return how far worst and best price lie apart."""
    distance = entry.selection.figures.spread
    return EMPTY if distance is None else Cell(f"{percent_text(distance)} pp", TextRole.SOFT)


def soft(text: Callable[[SelectionEntry], str]) -> CellOf:
    """Return what shows a secondary fact of a selection."""
    return lambda entry, _context: Cell(text(entry.selection), TextRole.SOFT)


def figure(
    pick: Callable[[Figures], float | None], text: Callable[[float], str] = odds_text
) -> CellOf:
    """Return what shows odds that bookmakers give together."""

    def cell_of(entry: Entry, _context: CellContext) -> Cell:
        odds_ = pick(entry.selection.figures)
        return EMPTY if odds_ is None else Cell(text(odds_), TextRole.SOFT)

    return cell_of


def hold(pick: Callable[[Entry], float | None]) -> CellOf:
    """Return what shows a hold in percent; below zero it stands out."""

    def cell_of(entry: Entry, _context: CellContext) -> Cell:
        share = pick(entry)
        if share is None:
            return EMPTY
        return Cell(f"{percent_text(share)} %", TextRole.STRONG if share < 0 else TextRole.NOTE)

    return cell_of


def age(moment: Callable[[Entry], int | None]) -> CellOf:
    """Return what shows how long ago something was, and when that text will differ."""

    def cell_of(entry: Entry, context: CellContext) -> Cell:
        since = moment(entry)
        if since is None:
            return EMPTY
        span = max(0, context.now_ms - since)
        step = 1_000 if span < MINUTE_MS else MINUTE_MS if span < _HOUR_MS else _HOUR_MS
        repaint_at_ms = context.now_ms + step - span % step
        return Cell(age_text(span), TextRole.NOTE, repaint_at_ms=repaint_at_ms)

    return cell_of
