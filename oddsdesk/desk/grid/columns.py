"""The columns of the odds grid: how each looks, what it is sorted by, what it exports."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import msgspec

from oddsdesk.contract.competitions import sport_title
from oddsdesk.contract.markets import MARKET_RANK
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.export.tables import ExportColumn, Kind, Value
from oddsdesk.desk.grid import cells as looks
from oddsdesk.desk.grid.cells import Look
from oddsdesk.desk.grid.entries import Entry, Shape
from oddsdesk.desk.ui.formatting import least_text, most_text, odds_sample
from oddsdesk.desk.ui.table.cells import Align, Cell, Column
from oddsdesk.desk.ui.table.stable_rows import sized


class GridColumn(msgspec.Struct, frozen=True):
    """One column; ``value`` is what it exports and, without ``order``, what it is sorted by."""

    key: str
    title: str
    column: Column
    cell: Callable[[Entry, Look], Cell]
    value: Callable[[Entry], Any]
    kind: Kind = Kind.TEXT
    decimals: int | None = None
    """Of exported figures that are worked out; None is as received."""
    order: Callable[[Entry], Any] | None = None
    order_up: Callable[[Entry], Any] | None = None
    """The same for ascending order, where that is not the other way round."""
    descending_first: bool = False
    """Whether the first click on the header puts the highest on top."""
    tip: str = ""
    only: Shape | None = None
    """The shape of rows that it makes sense for, None for both."""
    is_usual: bool = True
    """Whether it is shown until the user chooses."""
    title_of_selections: str = ""
    """The title where a row is a selection, if it differs."""
    sample: Callable[[], str] | None = None
    """Gives the column its width where the style of odds decides."""

    @property
    def sized(self) -> Column:
        """The column, as wide as it has to be now."""
        return self.column if self.sample is None else sized(self.column, self.sample())

    def sort_key(self, *, descending: bool) -> Callable[[Entry], Any]:
        """Return what rows are sorted by; None stands last."""
        if not descending and self.order_up is not None:
            return self.order_up
        return self.order or self.value

    def title_in(self, shape: Shape) -> str:
        """Return the title in a shape of rows."""
        is_other = shape is Shape.SELECTIONS and self.title_of_selections
        return self.title_of_selections if is_other else self.title

    def export_column(self, shape: Shape) -> ExportColumn:
        """Return how it is named on its way out."""
        return ExportColumn(self.key, self.title_in(shape), self.kind)

    def export_value(self, entry: Entry) -> Value:
        """Return what it exports of a row: times as on the wire, figures rounded."""
        value = self.value(entry)
        if value is None:
            return None
        if self.kind is Kind.TIME:
            return format_ms(value)
        exported: Value = value if self.decimals is None else round(value, self.decimals)
        return exported


def _kick_off_order(entry: Entry) -> tuple[bool, float]:
    kick_off = entry.line.kick_off
    return not entry.line.is_live, float("inf") if kick_off is None else kick_off


def _market_order(entry: Entry) -> tuple[int, int, Any]:
    key = entry.line.key
    return MARKET_RANK.get(key.market_type, len(MARKET_RANK)), key.period, entry.line.order[4:6]


def _ev_upwards(entry: Entry) -> tuple[bool, float] | None:
    """What is in doubt stands below the rest in this order, too."""
    return None if entry.ev is None else (entry.doubt is not None, entry.ev)


def _figure(name: str) -> Callable[[Entry], Any]:
    return attrgetter(f"line.figures.{name}")


_WIDE = "Everton v Liverpool"
_WIDEST = "Oklahoma City Thunder v Minnesota Timberwolves"
_MARKET, _LONG_MARKET = "Match result  2nd Period", "Both teams to score  2nd Quarter"

COLUMNS = (
    GridColumn(
        "selection", "Selection", Column("Newcastle Utd +1.5", Align.LEFT),
        looks.selection, attrgetter("line.key.selection"),
    ),
    GridColumn(
        "game", "Game", Column(_WIDE, Align.LEFT, stretches=True, widest=_WIDEST),
        looks.game, attrgetter("line.match_name"),
    ),
    GridColumn(
        "sport", "Sport", Column("AmericanFootball", Align.LEFT),
        looks.soft(lambda line: sport_title(line.sport)), attrgetter("line.sport"), is_usual=False,
    ),
    GridColumn(
        "kick_off", "Kick-off", Column("28 May 00:00", Align.LEFT), looks.kick_off,
        attrgetter("line.kick_off"), Kind.TIME, order=_kick_off_order,
    ),
    GridColumn(
        "is_live", "In play", Column("In play", Align.LEFT), looks.live,
        attrgetter("line.is_live"), Kind.FLAG, is_usual=False, descending_first=True,
    ),
    GridColumn(
        "market_type", "Market", Column(_MARKET, Align.LEFT, stretches=True, widest=_LONG_MARKET),
        looks.market, attrgetter("line.key.market_type"), order=_market_order,
    ),
    GridColumn(
        "period", "Period", Column("2nd Quarter", Align.LEFT),
        looks.soft(lambda line: line.period_label), attrgetter("line.period_label"),
        order=attrgetter("line.key.period"), is_usual=False,
    ),
    GridColumn(
        "bookmaker", "Bookmaker", Column("Betfair Exchange", Align.LEFT), looks.bookmaker,
        attrgetter("name"), title_of_selections="Best at",
    ),
    GridColumn(
        "odds", "Odds", Column("", has_arrow=True, hangs=True), looks.odds, attrgetter("odds"),
        Kind.NUMBER, descending_first=True, title_of_selections="Best", sample=odds_sample,
        tip="The bookmaker's price; of a selection the best one of the bookmakers compared",
    ),
    GridColumn(
        "ev_pct", "EV", Column("? +1000.0 %"), looks.ev, attrgetter("ev"), Kind.NUMBER, 2,
        order=attrgetter("rank"), order_up=_ev_upwards, descending_first=True,
        tip="True EV: the edge over the fair price, safety floor included. "
        "Those in doubt (?) stand below the others",
    ),
    GridColumn(
        "ev_doubt", "EV in doubt", Column("not seen together", Align.LEFT), looks.ev_doubt,
        lambda entry: None if entry.doubt is None else entry.doubt.value, is_usual=False,
        tip="What speaks against the EV: such prices are hardly value",
    ),
    GridColumn(
        "fair_odds", "Fair", Column("", hangs=True), looks.fair, _figure("fair_odds"),
        Kind.NUMBER, 4, descending_first=True, sample=odds_sample,
        tip="The reference price without its margin, by your devig method",
    ),
    GridColumn(
        "liquidity", "Limit", Column("888k"), looks.limit, _figure("liquidity"), Kind.NUMBER,
        descending_first=True, is_usual=False, tip="The reference bookmaker's maximum bet",
    ),
    GridColumn(
        "value_from", "Value from", Column("", hangs=True),
        looks.figure(lambda f: f.value_from, least_text), _figure("value_from"), Kind.NUMBER, 4,
        descending_first=True, sample=odds_sample, is_usual=False,
        tip="From this price on the selection is a value bet",
    ),
    GridColumn(
        "suspicious_above", "Suspicious above", Column("", hangs=True),
        looks.figure(lambda f: f.suspicious_above, most_text), _figure("suspicious_above"),
        Kind.NUMBER, 4,
        descending_first=True, sample=odds_sample, is_usual=False,
        tip="Above this price the rules call it an error",
    ),
    GridColumn(
        "best_odds", "Best", Column("", hangs=True), looks.figure(lambda f: f.best),
        _figure("best"), Kind.NUMBER, descending_first=True, sample=odds_sample, only=Shape.PRICES,
        tip="The best price of the bookmakers compared",
    ),
    GridColumn(
        "median_odds", "Median", Column("", hangs=True), looks.figure(lambda f: f.median),
        _figure("median"), Kind.NUMBER, 4, descending_first=True, sample=odds_sample,
        tip="The median price of the bookmakers compared, the reference left out",
    ),
    GridColumn(
        "worst_odds", "Worst", Column("", hangs=True), looks.figure(lambda f: f.worst),
        _figure("worst"), Kind.NUMBER, descending_first=True, sample=odds_sample, is_usual=False,
        tip="The worst price of the bookmakers compared",
    ),
    GridColumn(
        "spread_pp", "Spread", Column("10.0 pp"),
        looks.spread, _figure("spread"), Kind.NUMBER, 2,
        descending_first=True,
        tip="From worst to best price, in percentage points of probability",
    ),
    GridColumn(
        "reference_odds", "Reference", Column("", hangs=True),
        looks.figure(lambda f: f.reference_odds), _figure("reference_odds"), Kind.NUMBER,
        descending_first=True, sample=odds_sample,
        tip="The reference bookmaker's price of the selection",
    ),
    GridColumn(
        "over_median_pct", "vs median", Column("+100.0 %"),
        looks.over_median, attrgetter("over_median"), Kind.NUMBER, 2,
        descending_first=True, is_usual=False,
        tip="How far the price lies above the median, in percent",
    ),
    GridColumn(
        "bookmakers", "Books", Column("88"), looks.count, _figure("count"), Kind.NUMBER,
        descending_first=True, tip="How many bookmakers offer the selection now",
    ),
    GridColumn(
        "best_hold_pct", "Best hold", Column("−10.0 %"), looks.hold(lambda f: f.best_hold),
        _figure("best_hold"), Kind.NUMBER, 2, is_usual=False,
        tip="Hold of the best prices of the line; below zero it is an arbitrage",
    ),
    GridColumn(
        "reference_hold_pct", "Ref. hold", Column("10.0 %"),
        looks.hold(lambda f: f.reference_hold), _figure("reference_hold"), Kind.NUMBER, 2,
        is_usual=False, tip="Hold of the reference bookmaker's prices of the line",
    ),
    GridColumn(
        "scraped_at", "Seen", Column("59 min"), looks.age(attrgetter("scraped_at")),
        attrgetter("scraped_at"), Kind.TIME, descending_first=True,
        tip="How long ago the bookmaker was last seen to say so",
    ),
    GridColumn(
        "competition", "Competition", Column("TENNIS", Align.LEFT),
        looks.soft(lambda line: line.competition), attrgetter("line.competition"),
    ),
    GridColumn(
        "changed_at", "Unchanged", Column("59 min"), looks.age(attrgetter("changed_at")),
        attrgetter("changed_at"), Kind.TIME, descending_first=True, is_usual=False,
        tip="For how long the price has not moved",
    ),
    GridColumn(
        "url", "Link", Column("Link", Align.LEFT), looks.link,
        lambda entry: None if entry.price is None else entry.price.url, is_usual=False,
        tip="The bookmaker's page; double click opens it",
    ),
)  # fmt: skip
"""Every column, in its first order; the first one never scrolls away."""

BY_KEY = {column.key: place for place, column in enumerate(COLUMNS)}
