"""The columns of the odds grid: how each looks, what it is sorted by, what it exports."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, NamedTuple

from oddsdesk.base.market_words import competition_text, selection_text
from oddsdesk.base.numbers import Style, number_style
from oddsdesk.base.texts import N_, _, pgettext, translated
from oddsdesk.board.model.basis import Freshness
from oddsdesk.board.model.matrix import Laid, Price
from oddsdesk.board.valuation.verdict_words import PER_DECIDED, PER_DECIDED_TEXT, caution_text
from oddsdesk.contract.competitions import sport_title
from oddsdesk.contract.markets import MARKET_RANK, market_title
from oddsdesk.contract.times import HOUR_MS
from oddsdesk.desk.grid.entries import RANK, Entry, Figures, PriceEntry, SelectionEntry, Shape
from oddsdesk.desk.ui.formatting import (
    DERIVED_MARK,
    LAID,
    MINUTE_MS,
    age_text,
    amount_text,
    band_text,
    day_sample,
    edge_text,
    kick_off_text,
    least_text,
    marked_fair_text,
    most_text,
    odds_sample,
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
    Align,
    Cell,
    Column,
    ColumnSpec,
    Kind,
    repaint_at,
)
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole


class CellContext(NamedTuple):
    """What a cell depends on, apart from its row."""

    now_ms: int
    freshness: Callable[[str, Price], Freshness]
    reference: str
    """The reference's name."""
    short: Callable[[str], str] = str
    """Gives the short name of a bookmaker."""


@lru_cache(maxsize=2048)
def _kick_off_text(ms: int | None, now_ms: int, _style: Style) -> str:
    return kick_off_text(ms, now_ms)


CellOf = Callable[[Entry, CellContext], Cell]


def selection_cell(entry: Entry, _context: CellContext) -> Cell:
    """Return what is bet on."""
    return Cell(selection_text(entry.selection.key.selection))


def game_cell(entry: Entry, _context: CellContext) -> Cell:
    """Return which game it is."""
    return Cell(entry.selection.game, TextRole.SOFT)


def kick_off(entry: Entry, context: CellContext) -> Cell:
    """Return when the game is played."""
    if entry.selection.is_live:
        return Cell(_("live"), TextRole.LIVE)
    minute = context.now_ms - context.now_ms % MINUTE_MS
    text = _kick_off_text(entry.selection.kick_off, minute, number_style())
    return Cell(text, TextRole.SOFT, repaint_at_ms=minute + MINUTE_MS)


def live(entry: Entry, _context: CellContext) -> Cell:
    """Return whether the game is in play."""
    return (
        Cell(_("yes"), TextRole.LIVE) if entry.selection.is_live else Cell(_("no"), TextRole.NOTE)
    )


def market_cell(entry: Entry, _context: CellContext) -> Cell:
    """Return the market with its period."""
    selection = entry.selection
    return Cell(
        translated(market_title(selection.key.market_type)),
        TextRole.SOFT,
        note=translated(selection.period_label),
    )


def bookmaker_cell(entry: Entry, context: CellContext) -> Cell:
    """Return whose price it is; of a selection also how many others offer the same."""
    if isinstance(entry, PriceEntry):
        ink = TextRole.ACCENT if entry.is_reference else TextRole.STRONG
        return Cell(context.short(entry.bookmaker), ink)
    if (laid := entry.figures.laid) is not None:
        return Cell(
            context.short(laid.bookmaker), TextRole.LAY, note=pgettext("what is bet", "lay")
        )
    others = len(entry.figures.best_names) - 1
    return Cell(context.short(entry.bookmaker), note=f"+ {others}" if others > 0 else "")


def odds_cell(entry: Entry, context: CellContext) -> Cell:
    """Return the price: its freshness, its last move, whether it is best or value."""
    price = entry.price
    if isinstance(entry, SelectionEntry) and (laid := entry.figures.laid) is not None:
        return _laid_cell(laid)._replace(ground=_ground(entry), is_strong=True)
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
        repaint_at(freshness, context.now_ms),
    )


def _laid_cell(laid: Laid) -> Cell:
    return Cell(LAID + odds_text(round(laid.odds, 2)), TextRole.LAY)


def best(
    pick: Callable[[Figures], float | None], pick_laid: Callable[[Figures], Laid | None]
) -> CellOf:
    """Return what shows the best price, or the back that a better lay is."""
    of_back = figure(pick)

    def cell_of(entry: Entry, context: CellContext) -> Cell:
        laid = pick_laid(entry.selection.figures)
        return of_back(entry, context) if laid is None else _laid_cell(laid)

    return cell_of


def best_at(entry: Entry) -> str:
    """Return whose price it is; of a selection also what is laid there if a lay is best."""
    laid = entry.figures.laid if isinstance(entry, SelectionEntry) else None
    return entry.bookmaker if laid is None else f"{laid.bookmaker} (lay of {laid.selection})"


def _ground(entry: Entry) -> SurfaceRole:
    if entry.is_value:
        return SurfaceRole.VALUE
    is_best = isinstance(entry, PriceEntry) and (
        entry.bookmaker in entry.selection.figures.best_names
    )
    return SurfaceRole.BEST if is_best else SurfaceRole.PANEL


def ev(entry: Entry, context: CellContext) -> Cell:
    """Return the EV: in the value colour if it is value, with a mark if there are warnings.

    It is dim if the price is not fresh, as in the matrix and the value bets.
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
    freshness = context.freshness(entry.bookmaker, price)
    ink = TextRole.VALUE if freshness is Freshness.FRESH else TextRole.SOFT
    return Cell(text, ink, note=unit, repaint_at_ms=repaint_at(freshness, context.now_ms))


def cautions(entry: Entry, context: CellContext) -> Cell:
    """Return what speaks against the price, the gravest first."""
    if not entry.cautions:
        return Cell(_("fails a rule"), TextRole.NOTE) if entry.has_no_window else EMPTY
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
    odds_, is_derived = entry.selection.figures.fair_odds, entry.selection.derived is not None
    if odds_ is None:
        return EMPTY
    ink = TextRole.DERIVED if is_derived else TextRole.SOFT
    return Cell(marked_fair_text(odds_, is_derived=is_derived), ink)


def band(entry: Entry, _context: CellContext) -> Cell:
    """Return by how much the EV of a modelled price may be off."""
    points = entry.band_pct
    return EMPTY if points is None else Cell(band_text(points), TextRole.NOTE)


def limit(entry: Entry, _context: CellContext) -> Cell:
    """Return the reference's maximum bet."""
    amount = entry.selection.figures.liquidity
    return EMPTY if amount is None else Cell(amount_text(amount), TextRole.NOTE)


def count_cell(entry: Entry, _context: CellContext) -> Cell:
    """Return how many bookmakers offer the selection."""
    return Cell(str(entry.selection.figures.count), TextRole.NOTE)


def link(entry: Entry, _context: CellContext) -> Cell:
    """Return whether there is a page to open."""
    has_link = entry.price is not None and entry.price.url is not None
    return Cell(pgettext("a link", "open"), TextRole.ACCENT) if has_link else EMPTY


def over_median(entry: Entry, _context: CellContext) -> Cell:
    """Return how far the price lies above the median."""
    share = entry.over_median
    return EMPTY if share is None else Cell(f"{signed_text(share)} %", TextRole.SOFT)


def spread(entry: Entry, _context: CellContext) -> Cell:
    """Return how far worst and best price lie apart."""
    distance = entry.selection.figures.spread
    return EMPTY if distance is None else Cell(f"{percent_text(distance)} pp", TextRole.SOFT)


def lay(entry: Entry, context: CellContext) -> Cell:
    """Return the lay odds; for a selection, also the bookmaker."""
    odds_ = entry.lay
    if odds_ is None:
        return EMPTY
    at = entry.figures.best_lay_at if isinstance(entry, SelectionEntry) else ""
    return Cell(odds_text(odds_), TextRole.LAY, note=context.short(at) if at else "")


def lay_spread(entry: Entry, _context: CellContext) -> Cell:
    """Return how far lay and back odds are apart; below zero it stands out."""
    share = entry.lay_spread
    if share is None:
        return EMPTY
    return Cell(f"{signed_text(share)} %", TextRole.STRONG if share < 0 else TextRole.SOFT)


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
        step = 1_000 if span < MINUTE_MS else MINUTE_MS if span < HOUR_MS else HOUR_MS
        repaint_at_ms = context.now_ms + step - span % step
        return Cell(age_text(span), TextRole.NOTE, repaint_at_ms=repaint_at_ms)

    return cell_of


def _kick_off_order(entry: Entry) -> tuple[bool, float]:
    kick_off = entry.selection.kick_off
    return not entry.selection.is_live, float("inf") if kick_off is None else kick_off


def _cautions(entry: Entry) -> str | None:
    said = [caution.value for caution in entry.cautions]
    return " ".join(said or ["outside_the_rules"] * entry.has_no_window) or None


def _market_order(entry: Entry) -> tuple[int, int, Any]:
    key = entry.selection.key
    return (
        MARKET_RANK.get(key.market_type, len(MARKET_RANK)),
        key.period,
        entry.selection.order[4:6],
    )


def _ev_upwards(entry: Entry) -> tuple[bool, float] | None:
    """What has cautions stands below the rest in this order, too."""
    return None if entry.ev is None else (entry.is_doubtful, entry.ev)


def _figure(name: str) -> Callable[[Entry], Any]:
    return attrgetter(f"selection.figures.{name}")


def _doubted_odds(entry: Entry) -> float | None:
    doubted = entry.selection.figures.doubted
    return None if doubted is None else doubted.odds


_DERIVED: Final = {"implied": _("implied"), "modelled": _("modelled")}


def _derived_cell(entry: Entry) -> Cell:
    """Return how the fair odds of a line are derived."""
    kind = entry.selection.derived
    return EMPTY if kind is None else Cell(_DERIVED[kind], TextRole.DERIVED)


_LONG = "Minnesota Timberwolves +13.5"
_WIDE = "Bayern Munich v Stuttgart"
_WIDEST = "Oklahoma City Thunder v Minnesota Timberwolves"
_PERIODS = map(translated, ("2nd Period", "1st Half", "Full Time"))
_MARKET = f"{translated('Match result')}  {max(_PERIODS, key=len)}"
_LONG_MARKET = f"{translated('Both teams to score')}  {translated('2nd Quarter')}"

COLUMNS: Final[tuple[ColumnSpec[Entry, CellContext], ...]] = (
    ColumnSpec(
        "selection", N_("Selection"), Column("Newcastle Utd +1.5", Align.LEFT, likes=_LONG),
        selection_cell, attrgetter("selection.key.selection"),
        order=attrgetter("selection.named_order"),
    ),
    ColumnSpec(
        "game", N_("Game"), Column(_WIDE, Align.LEFT, stretches=True, widest=_WIDEST),
        game_cell, attrgetter("selection.match_name"),
    ),
    ColumnSpec(
        "sport", N_("Sport"), Column(translated("American football"), Align.LEFT),
        soft(lambda selection: translated(sport_title(selection.sport))),
        attrgetter("selection.sport"), is_usual=False,
    ),
    ColumnSpec(
        "kick_off", "Kick-off", Column("28 May 00:00", Align.LEFT), kick_off,
        attrgetter("selection.kick_off"), Kind.TIME, order=_kick_off_order,
        sample=day_sample,
    ),
    ColumnSpec(
        "is_live", N_("In play"), Column(_("In play"), Align.LEFT), live,
        attrgetter("selection.is_live"), Kind.FLAG, is_usual=False, descending_first=True,
        tip=_("Whether the game has started, according to the service"),
    ),
    ColumnSpec(
        "market_type", N_("Market"),
        Column(_MARKET, Align.LEFT, stretches=True, widest=_LONG_MARKET),
        market_cell, attrgetter("selection.key.market_type"), order=_market_order,
    ),
    ColumnSpec(
        "period", N_("Period"), Column(translated("2nd Quarter"), Align.LEFT),
        soft(lambda selection: translated(selection.period_label)),
        attrgetter("selection.period_label"),
        order=attrgetter("selection.key.period"), is_usual=False,
        tip=_("Full game, or a half, quarter, period or set"),
    ),
    ColumnSpec(
        "bookmaker", N_("Bookmaker"), Column("Betfair Exchange", Align.LEFT), bookmaker_cell,
        best_at,
    ),
    ColumnSpec(
        "odds", N_("Odds"), Column("", has_arrow=True, hangs=True), odds_cell,
        attrgetter("shown_odds"),
        Kind.NUMBER, descending_first=True, sample=odds_sample,
        tip=_("The bookmaker's price; for a selection, the best price (of your "
        "bookmakers, if you ticked any)"),
    ),
    ColumnSpec(
        "ev_pct", N_("EV"), Column("? +100.0 %", note_sample=PER_DECIDED), ev,
        attrgetter("ev"), Kind.NUMBER, 2, order=RANK, order_up=_ev_upwards, descending_first=True,
        tip=_(
            "Net odds over fair odds, minus 1. Those with a caution (?) stand below "
            "the others; {mark} {meaning}"
        ).format(mark=PER_DECIDED, meaning=translated(PER_DECIDED_TEXT)),
    ),
    ColumnSpec(
        "cautions", N_("Warning"), Column(_("the game has started") + " + 2", Align.LEFT), cautions,
        _cautions,
        is_usual=False, tip=_("Why a price with enough EV is still no value bet"),
    ),
    ColumnSpec(
        "fair_odds", N_("Fair"), Column("", hangs=True), fair, _figure("fair_odds"),
        Kind.NUMBER, 4, descending_first=True, sample=lambda: f"{DERIVED_MARK}{odds_sample()}",
        tip=_(
            "The sharp book's odds without the margin, by your devig method. {mark}: "
            "derived from its other lines"
        ).format(mark=DERIVED_MARK),
    ),
    ColumnSpec(
        "derived", N_("Derived"), Column(max(_DERIVED.values(), key=len), Align.LEFT),
        lambda entry, _context: _derived_cell(entry),
        attrgetter("selection.derived"), is_usual=False,
        tip=_("Whether the fair odds of a line that the sharp book does not price are "
        "implied by its other lines, or modelled"),
    ),
    ColumnSpec(
        "band_pct", N_("± EV"), Column("±88.8"), band, attrgetter("band_pct"), Kind.NUMBER, 2,
        descending_first=True, is_usual=False,
        tip=_("By how many percentage points the EV of a modelled price may be off"),
    ),
    ColumnSpec(
        "liquidity", N_("Limit"), Column("888k"), limit, _figure("liquidity"), Kind.NUMBER,
        descending_first=True, is_usual=False, tip=_("The sharp book's maximum bet"),
    ),
    ColumnSpec(
        "value_from", N_("Value from"), Column("", hangs=True),
        figure(lambda f: f.value_from, least_text), _figure("value_from"), Kind.NUMBER, 4,
        descending_first=True, sample=odds_sample, is_usual=False,
        tip=_("Lowest odds worth taking"),
    ),
    ColumnSpec(
        "suspicious_above", N_("Value up to"), Column("", hangs=True),
        figure(lambda f: f.suspicious_above, most_text), _figure("suspicious_above"),
        Kind.NUMBER, 4,
        descending_first=True, sample=odds_sample, is_usual=False,
        tip=_("Odds above this are probably an error"),
    ),
    ColumnSpec(
        "best_odds", N_("Best"), Column("", hangs=True), best(lambda f: f.best, lambda f: f.laid),
        _figure("best_odds"), Kind.NUMBER, descending_first=True,
        sample=lambda: f"{LAID}{odds_sample()}",
        tip=_("The best price, without the sharp book's own; of your bookmakers, if "
        "you ticked any. L: a lay of the other side that pays more; the tooltip "
        "of a cell says which"),
    ),
    ColumnSpec(
        "best_of_all_odds", N_("Best of all"), Column("", hangs=True),
        best(lambda f: f.best_of_all, lambda f: f.laid_of_all),
        _figure("best_of_all_odds"), Kind.NUMBER, descending_first=True,
        sample=lambda: f"{LAID}{odds_sample()}",
        tip=_("The best price of all bookmakers but the sharp book, those you did not "
        "tick included"),
    ),
    ColumnSpec(
        "doubted_odds", N_("Doubtful"), Column("? 88.88", note_sample="888"), doubted,
        _doubted_odds, Kind.NUMBER, descending_first=True,
        tip=_("A higher price that you should not rely on: probably an error, stale, "
        "or in play when the sharp book is not"),
    ),
    ColumnSpec(
        "median_odds", N_("Median"), Column("", hangs=True), figure(lambda f: f.median),
        _figure("median"), Kind.NUMBER, 4, descending_first=True, sample=odds_sample,
        tip=_("The median price, without the sharp book's"),
    ),
    ColumnSpec(
        "worst_odds", N_("Worst"), Column("", hangs=True), figure(lambda f: f.worst),
        _figure("worst"), Kind.NUMBER, descending_first=True, sample=odds_sample, is_usual=False,
        tip=_("The lowest price offered"),
    ),
    ColumnSpec(
        "spread_pp", N_("Spread"), Column(_("{points} pp").format(points="10.0")),
        spread, _figure("spread"), Kind.NUMBER, 2,
        descending_first=True,
        tip=_("Gap between the worst and the best price, in percentage points of "
        "probability"),
    ),
    ColumnSpec(
        "lay_odds", N_("Lay"), Column("", note_sample="Betfair Ex", hangs=True), lay,
        attrgetter("lay"),
        Kind.NUMBER, sample=odds_sample, is_usual=False,
        tip=_("The lowest odds that can be laid; for a selection, the lay that pays "
        "most after commission, and where"),
    ),
    ColumnSpec(
        "lay_spread_pct", N_("Lay spread"), Column("+100.0 %"), lay_spread,
        attrgetter("lay_spread"),
        Kind.NUMBER, 2, is_usual=False,
        tip=_("Lay odds minus back odds, in percent of the back odds. For a selection: "
        "best lay and best price. Below 0 you back higher than you lay"),
    ),
    ColumnSpec(
        "reference_odds", N_("Sharp odds"), Column("", hangs=True),
        figure(lambda f: f.reference_odds), _figure("reference_odds"), Kind.NUMBER,
        descending_first=True, sample=odds_sample,
        tip=_("The sharp book's odds for the selection"),
    ),
    ColumnSpec(
        "over_median_pct", N_("vs median"), Column("+100.0 %"),
        over_median, attrgetter("over_median"), Kind.NUMBER, 2,
        descending_first=True, is_usual=False,
        tip=_("How far the price is above the median"),
    ),
    ColumnSpec(
        "bookmakers", N_("Books"), Column("88"), count_cell, _figure("count"), Kind.NUMBER,
        descending_first=True, tip=_("Number of bookmakers offering the selection"),
    ),
    ColumnSpec(
        "best_hold_pct", N_("Best hold"), Column("−10.0 %"), hold(_figure("best_hold")),
        _figure("best_hold"), Kind.NUMBER, 2, is_usual=False,
        tip=_("Market hold at the best prices, without the sharp book's; below 0 is an "
        "arbitrage"),
    ),
    ColumnSpec(
        "hold_pct", N_("Hold"), Column("10.0 %"), hold(attrgetter("hold")),
        attrgetter("hold"), Kind.NUMBER, 2, is_usual=False,
        tip=_("The bookmaker's hold on this line: its margin as a share of all stakes"),
    ),
    ColumnSpec(
        "reference_hold_pct", N_("Sharp hold"), Column("10.0 %"),
        hold(_figure("reference_hold")), _figure("reference_hold"), Kind.NUMBER, 2,
        is_usual=False, tip=_("The sharp book's hold on this line"),
    ),
    ColumnSpec(
        "scraped_at", N_("Seen"), Column("59 min"), age(attrgetter("scraped_at")),
        attrgetter("scraped_at"), Kind.TIME, descending_first=True,
        tip=_("Time since the price was last seen at the bookmaker"),
    ),
    ColumnSpec(
        "competition", N_("Competition"), Column("TENNIS", Align.LEFT),
        soft(lambda selection: competition_text(selection.competition)),
        attrgetter("selection.competition"),
    ),
    ColumnSpec(
        "changed_at", N_("Unchanged"), Column("59 min"), age(attrgetter("changed_at")),
        attrgetter("changed_at"), Kind.TIME, descending_first=True, is_usual=False,
        tip=_("Time since the price last moved"),
    ),
    ColumnSpec(
        "url", N_("Link"), Column(_("Link"), Align.LEFT), link,
        lambda entry: None if entry.price is None else entry.price.url, is_usual=False,
        tip=_("Open the bookmaker's page (double-click)"),
    ),
)  # fmt: skip
"""Every column, in its first order; the first one never scrolls away."""

TITLE_WIDTH: Final = Column("Pittsburgh Pirates v Washington Nationals", Align.LEFT)
"""How wide the first column is where games stand in it as titles: few names are cut."""
BY_KEY = {column.key: place for place, column in enumerate(COLUMNS)}

_TITLES_OF_SELECTIONS: Final = {"bookmaker": N_("Best at"), "odds": N_("Best")}
"""Where a row is a selection."""
_ONLY_OF: Final = {"best_odds": Shape.PRICES, "doubted_odds": Shape.SELECTIONS}
"""The shape of rows that a column makes sense for; the others make sense for both."""


def title_in(column: ColumnSpec[Entry, CellContext], shape: Shape, *, has_mine: bool) -> str:
    """Return the English title of a column; ``has_mine``: the user has bookmakers."""
    is_other = shape is Shape.SELECTIONS
    title = _TITLES_OF_SELECTIONS.get(column.key, column.title) if is_other else column.title
    return N_("Best of mine") if has_mine and title == "Best" else title


def is_for(column: ColumnSpec[Entry, CellContext], shape: Shape, *, has_mine: bool) -> bool:
    """Whether a column makes sense for a shape of rows; ``has_mine`` as for ``title_in``."""
    if column.key == "best_of_all_odds" and not has_mine:
        return False
    return _ONLY_OF.get(column.key, shape) is shape


_MOST: Final = 1_000
"""Rows whose cells are kept: more than any screen shows, as others ask for cells, too."""


class KeptCells:
    """Makes the cells of rows; what was made of a row is told until it is another."""

    def __init__(self, context: Callable[[], CellContext]) -> None:
        """``context`` returns what cells are made with now."""
        self._context_now = context
        self._context = context()
        self._made: dict[Entry, list[Cell | None]] = {}
        self._changed = set[int]()
        """The line groups of which prices are others, by identity."""

    @property
    def has_changed(self) -> bool:
        """Whether some are to be compared with what they look like now."""
        return bool(self._changed)

    def drop_cells(self) -> None:
        """Forget all cells; each is made again when it is asked for."""
        self._made.clear()
        self._changed.clear()
        self._context = self._context_now()

    def note_changes(self, selections: Iterable[SelectionEntry]) -> None:
        """Mark the prices of selections as changed.

        That includes their whole lines, as each selection shows the hold of its line.
        """
        self._changed.update([id(selection.section) for selection in selections])

    def kept_cell(self, shown: Entry, column: int, now_ms: int) -> Cell:
        """Return how a row looks in a column now."""
        if now_ms != self._context.now_ms:
            if now_ms < self._context.now_ms or len(self._made) > _MOST:
                self._made.clear()
            self._context = self._context_now()
        if self._changed and id(shown.selection.section) in self._changed:
            return self._make(shown, column)  # what is kept waits to be compared
        made = self._made.get(shown)
        if made is None:
            made = self._made[shown] = [None] * len(COLUMNS)
        cell = made[column]
        if cell is None or cell.repaint_at_ms <= now_ms:
            cell = made[column] = self._make(shown, column)
        return cell

    def renewed(self, rows: Iterable[tuple[int, Entry]]) -> Iterator[tuple[int, range]]:
        """Compare changed cells of rows, and forget all others; yield places and their columns.

        A row of which nothing was kept is told whole.
        """
        changed, self._changed = self._changed, set()
        made, self._made = self._made, {}
        self._context = self._context_now()
        for place, shown in rows:
            if (before := made.get(shown)) is not None:
                self._made[shown] = before
            if id(shown.selection.section) not in changed:
                continue
            if before is None:
                yield place, range(len(COLUMNS))
                continue
            for column, cell in enumerate(before):
                if cell is None:
                    continue
                now = before[column] = self._make(shown, column)
                if not now.looks_like(cell):
                    yield place, range(column, column + 1)

    def _make(self, shown: Entry, column: int) -> Cell:
        cell = COLUMNS[column].cell(shown, self._context)
        if shown.is_in_board:
            return cell
        return cell._replace(ink=TextRole.GHOST, is_struck=bool(cell.text), arrow=0)
