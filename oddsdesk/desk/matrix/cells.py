"""What a cell of the matrix shows of a price, a figure or a section."""

from oddsdesk.base.market_words import selection_text
from oddsdesk.base.numbers import decimal_mark
from oddsdesk.base.texts import _
from oddsdesk.board.model.basis import Freshness
from oddsdesk.board.model.matrix import Laid, Price, Section, SelectionRow
from oddsdesk.board.valuation.judging import AssessedPrice
from oddsdesk.desk.matrix.layout import can_be_laid
from oddsdesk.desk.ui.formatting import (
    LAID,
    NO_WINDOW,
    amount_text,
    least_text,
    marked_fair_text,
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
    Cell,
    Sparkline,
    repaint_at,
)
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.profiles import Profile

PAST_REPAINT_MS = 60_000
"""How often a sparkline is laid out again: a pixel is some minutes."""
_WIDE_HOLD = 10
"""From this size on, a best hold is shown without decimals."""
SUSPICIOUS = "? "
"""Mark of a price above its window, probably not value; the tooltip explains it."""


_NO_PRICE = Cell("·", TextRole.GHOST)
_NO_REFERENCE = Cell("·", TextRole.GHOST, SurfaceRole.REFERENCE)
_NO_FIGURE = Cell("–", TextRole.NOTE, SurfaceRole.REFERENCE)
NO_LAY = Cell("", TextRole.NOTE, SurfaceRole.REFERENCE)


def bookmaker_price_cell(
    section: Section,
    row: SelectionRow,
    bookmaker: str,
    judged: AssessedPrice | None,
    freshness: Freshness,
    now_ms: int,
    *,
    is_mine: bool = True,
    keeper: Profile | None = None,
) -> Cell:
    """Return a bookmaker's price, with its net price if that differs.

    ``keeper`` is the bookmaker's profile if it takes commission. ``judged`` is the board's
    assessment of a price near value, else None. Prices that cannot be compared, or of bookmakers
    that are not the user's, are dim.
    """
    price = row.prices.get(bookmaker)
    if price is None:
        return _NO_PRICE
    if price.withdrawn_at is not None:
        return Cell(odds_text(price.odds), TextRole.NOTE, is_struck=True)
    ink, ground, sign, note = PRICE_ROLES[freshness], SurfaceRole.PANEL, "", ""
    is_fresh = freshness is Freshness.FRESH
    if not is_mine or bookmaker in section.other_bets:
        ink = max(ink, TextRole.SOFT)
    elif (row.selection, bookmaker) in section.doubts or (
        judged is not None and Caution.ABOVE_WINDOW in judged.assessment.cautions
    ):
        ink, sign = TextRole.NOTE, SUSPICIOUS
    elif judged is not None and judged.is_value:
        ground, ink = SurfaceRole.VALUE, TextRole.VALUE if is_fresh else TextRole.SOFT
    elif bookmaker in row.best_bookmakers and freshness is not Freshness.DEAD:
        ground, ink = SurfaceRole.BEST, TextRole.BEST if is_fresh else TextRole.SOFT
    if keeper is not None:
        note = odds_text(round(keeper.net(price.odds), 2))
    return _moving(price, note, ink, ground, freshness, now_ms, sign)


def best_cell(
    row: SelectionRow, bookmaker: str, who: str, freshness: Freshness, now_ms: int,
    keeper: Profile | None = None, *, is_value: bool, others: int, is_second: bool = False,
) -> Cell:  # fmt: skip
    """Return the best net price, its bookmaker ``who``, and how many ``others`` match it.

    If ``keeper`` takes commission, the net price is shown before the bookmaker. ``is_second``:
    it comes after the best price of the user's own bookmakers, in a paler ink.
    """
    price = row.prices.get(bookmaker)
    if price is None:
        return _NO_PRICE
    if keeper is not None:
        who = f"{odds_text(round(keeper.net(price.odds), 2))} {who}"
    is_fresh = freshness is Freshness.FRESH
    ink = TextRole.VALUE if is_value and is_fresh else PRICE_ROLES[freshness]
    return Cell(
        odds_text(price.odds),
        max(ink, TextRole.SOFT) if is_second else ink,
        note=f"{who} +{others}" if others else who,
        is_strong=is_fresh and not is_second,
        is_struck=freshness is Freshness.DEAD,
        repaint_at_ms=repaint_at(freshness, now_ms),
    )


def laid_cell(laid: Laid, who: str, freshness: Freshness, now_ms: int, *, is_charged: bool) -> Cell:
    """Return a best price that is a lay of the other selection: the odds of the back it is."""
    return Cell(
        LAID + odds_text(round(laid.odds, 2)),
        TextRole.LAY if freshness <= Freshness.AGEING else TextRole.NOTE,
        note=f"{odds_text(round(laid.net, 2))} {who}" if is_charged else who,
        is_strong=freshness is Freshness.FRESH,
        is_struck=freshness is Freshness.DEAD,
        repaint_at_ms=repaint_at(freshness, now_ms),
    )


def doubted_cell(row: SelectionRow, who: str, freshness: Freshness, now_ms: int) -> Cell:
    """Return the higher price that is in doubt, with its mark and its bookmaker ``who``."""
    doubted = row.doubted
    if doubted is None:
        return EMPTY
    return Cell(
        SUSPICIOUS + odds_text(doubted.odds),
        TextRole.NOTE,
        note=who,
        is_struck=freshness is Freshness.DEAD,
        repaint_at_ms=repaint_at(freshness, now_ms),
    )


def reference_cell(row: SelectionRow, freshness: Freshness, now_ms: int) -> Cell:
    """Return the reference's price with its limit."""
    price = row.reference
    if price is None:
        return _NO_REFERENCE
    if price.withdrawn_at is not None:
        return Cell(odds_text(price.odds), TextRole.NOTE, SurfaceRole.REFERENCE, is_struck=True)
    limit = "" if row.liquidity is None else amount_text(row.liquidity)
    return _moving(price, limit, PRICE_ROLES[freshness], SurfaceRole.REFERENCE, freshness, now_ms)


def lay_cell(
    price: Price | None, freshness: Freshness, now_ms: int, ground: SurfaceRole = SurfaceRole.PANEL
) -> Cell:
    """Return the lowest odds that can be laid, with the backer's stakes that they take."""
    if price is None or price.depth is None or not can_be_laid(price):
        return EMPTY if ground is SurfaceRole.PANEL else NO_LAY
    odds, amount = price.depth.lay[0]
    return Cell(
        odds_text(odds),
        TextRole.LAY if freshness <= Freshness.AGEING else TextRole.NOTE,
        ground,
        amount_text(amount) if amount else "",
        is_struck=freshness is Freshness.DEAD,
        repaint_at_ms=repaint_at(freshness, now_ms),
    )


def voters_cell(votes: int | None) -> Cell:
    """Return how many votes make up the consensus that is the reference."""
    if votes is None:
        return _NO_REFERENCE
    return Cell(_("of {votes}").format(votes=votes), TextRole.NOTE, SurfaceRole.REFERENCE)


def fair_cell(
    row: SelectionRow, freshness: Freshness, now_ms: int, *, is_derived: bool = False
) -> Cell:
    """Return the fair odds; ``freshness`` is that of the price behind them."""
    if row.fair is None:
        return _NO_FIGURE
    text = marked_fair_text(row.fair, is_derived=is_derived)
    return _figure(text, freshness, now_ms, is_derived=is_derived)


def window_cell(
    row: SelectionRow, freshness: Freshness, now_ms: int, *, is_derived: bool = False
) -> Cell:
    """Return the lowest price that is value; the tooltip has the whole window."""
    if row.fair is None:
        return _NO_FIGURE
    text = NO_WINDOW if row.value_from is None else least_text(row.value_from)
    return _figure(text, freshness, now_ms, is_derived=is_derived)


def _figure(text: str, freshness: Freshness, now_ms: int, *, is_derived: bool) -> Cell:
    """Return a figure that fades as the reference's price behind it gets old."""
    is_dead = freshness is Freshness.DEAD
    ink = max(TextRole.SOFT, PRICE_ROLES[freshness])
    if is_derived and freshness <= Freshness.AGEING:
        ink = TextRole.DERIVED
    return Cell(
        text,
        ink,
        SurfaceRole.REFERENCE,
        is_struck=is_dead,
        repaint_at_ms=repaint_at(freshness, now_ms),
    )


def past_cell(sparkline: Sparkline | None, now_ms: int) -> Cell:
    """Return the sparkline of the sharp book's price; rebuilt as time passes."""
    repaint_at_ms = now_ms + PAST_REPAINT_MS
    if sparkline is None:
        return Cell("·", TextRole.GHOST, repaint_at_ms=repaint_at_ms)
    return Cell("", TextRole.NOTE, repaint_at_ms=repaint_at_ms, sparkline=sparkline)


def selection_cell(section: Section, row: SelectionRow) -> Cell:
    """Return the name of a selection, without words already in the section's title."""
    return Cell(row_text(section, row))


def section_cell(section: Section) -> Cell:
    """Return the title of a section."""
    return Cell(section.line_title, TextRole.STRONG, SurfaceRole.RAISED, is_strong=True)


def period_cell(section: Section) -> Cell:
    """Return the period of a section, in a separate column so that it is never cut."""
    return Cell(section.period_label, TextRole.NOTE, SurfaceRole.RAISED)


def hold_cell(hold: float | None, unit: str = "") -> Cell:
    """Return a hold in percent; empty if unknown."""
    if hold is None:
        return EMPTY
    return Cell(percent_text(hold) + unit, TextRole.NOTE, SurfaceRole.RAISED)


def best_hold_cell(section: Section) -> Cell:
    """Return the hold of a section's best prices; below 0 it is an arbitrage."""
    if section.best_hold is None:
        return EMPTY
    text = signed_text(section.best_hold)
    if abs(section.best_hold) >= _WIDE_HOLD:
        text = text.partition(decimal_mark())[0]  # keeps the column narrow, as this is rare
    ink = TextRole.STRONG if text.startswith("−") else TextRole.NOTE
    return Cell(f"{text} %", ink, SurfaceRole.RAISED)


def row_text(section: Section, row: SelectionRow) -> str:
    """Return a selection; for a player prop, only what differs within its section."""
    if section.key.market_type != "player_prop" or len(section.rows) < 2:
        return selection_text(row.selection)
    words = row.selection.split(" ")
    others = [other.selection.split(" ") for other in section.rows]
    shared = 0
    while all(len(other) > shared + 1 and other[shared] == words[shared] for other in others):
        shared += 1
    return selection_text(" ".join(words[shared:]))


def _moving(
    price: Price,
    note: str,
    ink: TextRole,
    ground: SurfaceRole,
    freshness: Freshness,
    now_ms: int,
    sign: str = "",
) -> Cell:
    direction = price.direction
    flash, flashes_from, arrow, is_pale = 0, -NEVER, 0, False
    if direction:
        if price.move_heard_at is not None:
            flash, flashes_from = direction, price.move_heard_at
        since = now_ms - price.changed_at
        if since < PALE_ARROW_MS:
            arrow, is_pale = direction, since >= ARROW_MS
    is_dead = freshness is Freshness.DEAD
    return Cell(
        sign + odds_text(price.odds),
        ink,
        ground,
        note,
        ground in (SurfaceRole.VALUE, SurfaceRole.BEST),
        is_dead,
        arrow,
        is_pale,
        flash,
        flashes_from,
        repaint_at(freshness, now_ms),
    )
