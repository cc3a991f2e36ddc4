"""The columns of the odds grid: how each looks, what it is sorted by, what it exports."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final

from oddsdesk.board.verdict_words import PER_DECIDED, PER_DECIDED_TEXT
from oddsdesk.contract.competition_titles import competition_title
from oddsdesk.contract.competitions import sport_title
from oddsdesk.contract.markets import MARKET_RANK
from oddsdesk.desk.grid import cells
from oddsdesk.desk.grid.cells import CellContext
from oddsdesk.desk.grid.entries import RANK, Entry, Shape
from oddsdesk.desk.ui.formatting import least_text, most_text, odds_sample
from oddsdesk.desk.ui.table.cells import Align, Column
from oddsdesk.desk.ui.table.column_spec import ColumnSpec, Kind


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


_LONG = "Minnesota Timberwolves +13.5"
_WIDE = "Bayern Munich v Stuttgart"
_WIDEST = "Oklahoma City Thunder v Minnesota Timberwolves"
_MARKET, _LONG_MARKET = "Match result  2nd Period", "Both teams to score  2nd Quarter"

COLUMNS: Final[tuple[ColumnSpec[Entry, CellContext], ...]] = (
    ColumnSpec(
        "selection", "Selection", Column("Newcastle Utd +1.5", Align.LEFT, likes=_LONG),
        cells.selection, attrgetter("selection.key.selection"),
    ),
    ColumnSpec(
        "game", "Game", Column(_WIDE, Align.LEFT, stretches=True, widest=_WIDEST),
        cells.game, attrgetter("selection.match_name"),
    ),
    ColumnSpec(
        "sport", "Sport", Column("American football", Align.LEFT),
        cells.soft(lambda selection: sport_title(selection.sport)),
        attrgetter("selection.sport"), is_usual=False,
    ),
    ColumnSpec(
        "kick_off", "Kick-off", Column("28 May 00:00", Align.LEFT), cells.kick_off,
        attrgetter("selection.kick_off"), Kind.TIME, order=_kick_off_order,
    ),
    ColumnSpec(
        "is_live", "In play", Column("In play", Align.LEFT), cells.live,
        attrgetter("selection.is_live"), Kind.FLAG, is_usual=False, descending_first=True,
        tip="Whether the game has begun, as the service says",
    ),
    ColumnSpec(
        "market_type", "Market", Column(_MARKET, Align.LEFT, stretches=True, widest=_LONG_MARKET),
        cells.market, attrgetter("selection.key.market_type"), order=_market_order,
    ),
    ColumnSpec(
        "period", "Period", Column("2nd Quarter", Align.LEFT),
        cells.soft(lambda selection: selection.period_label), attrgetter("selection.period_label"),
        order=attrgetter("selection.key.period"), is_usual=False,
        tip="Which part of the game: all of it, or a half, quarter, period or set",
    ),
    ColumnSpec(
        "bookmaker", "Bookmaker", Column("Betfair Exchange", Align.LEFT), cells.bookmaker,
        attrgetter("name"),
    ),
    ColumnSpec(
        "odds", "Odds", Column("", has_arrow=True, hangs=True), cells.odds, attrgetter("odds"),
        Kind.NUMBER, descending_first=True, sample=odds_sample,
        tip="The bookmaker's price; of a selection the best one of the bookmakers compared, or of "
        "those of them that are yours",
    ),
    ColumnSpec(
        "ev_pct", "EV", Column("? +100.0 %", note_sample=PER_DECIDED), cells.ev,
        attrgetter("ev"), Kind.NUMBER, 2, order=RANK, order_up=_ev_upwards, descending_first=True,
        tip="True EV: the net edge over the fair price, safety floor included. "
        "Those with a caution (?) stand below the others; "
        f"{PER_DECIDED} {PER_DECIDED_TEXT}",
    ),
    ColumnSpec(
        "cautions", "Caution", Column("the game has begun + 2", Align.LEFT), cells.cautions,
        _cautions,
        is_usual=False, tip="What speaks against a price that has the edge: it is no value",
    ),
    ColumnSpec(
        "fair_odds", "Fair", Column("", hangs=True), cells.fair, _figure("fair_odds"),
        Kind.NUMBER, 4, descending_first=True, sample=odds_sample,
        tip="The reference price without its margin, by your devig method",
    ),
    ColumnSpec(
        "liquidity", "Limit", Column("888k"), cells.limit, _figure("liquidity"), Kind.NUMBER,
        descending_first=True, is_usual=False, tip="The reference bookmaker's maximum bet",
    ),
    ColumnSpec(
        "value_from", "Value from", Column("", hangs=True),
        cells.figure(lambda f: f.value_from, least_text), _figure("value_from"), Kind.NUMBER, 4,
        descending_first=True, sample=odds_sample, is_usual=False,
        tip="From this price on the selection is a value bet",
    ),
    ColumnSpec(
        "suspicious_above", "Suspicious above", Column("", hangs=True),
        cells.figure(lambda f: f.suspicious_above, most_text), _figure("suspicious_above"),
        Kind.NUMBER, 4,
        descending_first=True, sample=odds_sample, is_usual=False,
        tip="Above this price the rules call it an error",
    ),
    ColumnSpec(
        "best_odds", "Best", Column("", hangs=True), cells.figure(lambda f: f.best),
        _figure("best"), Kind.NUMBER, descending_first=True, sample=odds_sample,
        tip="The best price of the bookmakers compared, or of those of them that are yours; "
        "the reference's own price is not compared",
    ),
    ColumnSpec(
        "best_of_all_odds", "Best of all", Column("", hangs=True),
        cells.figure(lambda f: f.best_of_all),
        _figure("best_of_all"), Kind.NUMBER, descending_first=True, sample=odds_sample,
        tip="The best price of all bookmakers compared other than the reference, those that are "
        "not yours among them",
    ),
    ColumnSpec(
        "doubted_odds", "Doubted", Column("? 88.88", note_sample="888"), cells.doubted,
        _doubted_odds, Kind.NUMBER, descending_first=True,
        tip="The highest price above the best that is not to be relied upon: suspicious, stale, or "
        "in play where the reference is not",
    ),
    ColumnSpec(
        "median_odds", "Median", Column("", hangs=True), cells.figure(lambda f: f.median),
        _figure("median"), Kind.NUMBER, 4, descending_first=True, sample=odds_sample,
        tip="The median price of the bookmakers compared, the reference left out",
    ),
    ColumnSpec(
        "worst_odds", "Worst", Column("", hangs=True), cells.figure(lambda f: f.worst),
        _figure("worst"), Kind.NUMBER, descending_first=True, sample=odds_sample, is_usual=False,
        tip="The worst price of the bookmakers compared",
    ),
    ColumnSpec(
        "spread_pp", "Spread", Column("10.0 pp"),
        cells.spread, _figure("spread"), Kind.NUMBER, 2,
        descending_first=True,
        tip="From worst to best price, in percentage points of probability",
    ),
    ColumnSpec(
        "reference_odds", "Reference", Column("", hangs=True),
        cells.figure(lambda f: f.reference_odds), _figure("reference_odds"), Kind.NUMBER,
        descending_first=True, sample=odds_sample,
        tip="The reference bookmaker's price of the selection",
    ),
    ColumnSpec(
        "over_median_pct", "vs median", Column("+100.0 %"),
        cells.over_median, attrgetter("over_median"), Kind.NUMBER, 2,
        descending_first=True, is_usual=False,
        tip="How far the price lies above the median, in percent",
    ),
    ColumnSpec(
        "bookmakers", "Books", Column("88"), cells.count, _figure("count"), Kind.NUMBER,
        descending_first=True, tip="How many bookmakers offer the selection now",
    ),
    ColumnSpec(
        "best_hold_pct", "Best hold", Column("−10.0 %"), cells.hold(_figure("best_hold")),
        _figure("best_hold"), Kind.NUMBER, 2, is_usual=False,
        tip="Hold of the best prices of the line without the reference's; below zero it is an "
        "arbitrage",
    ),
    ColumnSpec(
        "hold_pct", "Hold", Column("10.0 %"), cells.hold(attrgetter("hold")),
        attrgetter("hold"), Kind.NUMBER, 2, is_usual=False,
        tip="What the bookmaker of the price keeps on the line",
    ),
    ColumnSpec(
        "reference_hold_pct", "Ref. hold", Column("10.0 %"),
        cells.hold(_figure("reference_hold")), _figure("reference_hold"), Kind.NUMBER, 2,
        is_usual=False, tip="Hold of the reference bookmaker's prices of the line",
    ),
    ColumnSpec(
        "scraped_at", "Seen", Column("59 min"), cells.age(attrgetter("scraped_at")),
        attrgetter("scraped_at"), Kind.TIME, descending_first=True,
        tip="How long ago the bookmaker was last seen to say so",
    ),
    ColumnSpec(
        "competition", "Competition", Column("TENNIS", Align.LEFT),
        cells.soft(lambda selection: competition_title(selection.competition)),
        attrgetter("selection.competition"),
    ),
    ColumnSpec(
        "changed_at", "Unchanged", Column("59 min"), cells.age(attrgetter("changed_at")),
        attrgetter("changed_at"), Kind.TIME, descending_first=True, is_usual=False,
        tip="For how long no move of the price was seen",
    ),
    ColumnSpec(
        "url", "Link", Column("Link", Align.LEFT), cells.link,
        lambda entry: None if entry.price is None else entry.price.url, is_usual=False,
        tip="The bookmaker's page; double click opens it",
    ),
)  # fmt: skip
"""Every column, in its first order; the first one never scrolls away."""

TITLE_WIDTH: Final = Column("Pittsburgh Pirates v Washington Nationals", Align.LEFT)
"""How wide the first column is where games stand in it as titles: few names are cut."""
BY_KEY = {column.key: place for place, column in enumerate(COLUMNS)}

_TITLES_OF_SELECTIONS: Final = {"bookmaker": "Best at", "odds": "Best"}
"""Where a row is a selection."""
_ONLY_OF: Final = {"best_odds": Shape.PRICES, "doubted_odds": Shape.SELECTIONS}
"""The shape of rows that a column makes sense for; the others make sense for both."""


def title_in(column: ColumnSpec[Entry, CellContext], shape: Shape, *, has_mine: bool) -> str:
    """Return the title of a column in a shape of rows; ``has_mine``: the user has bookmakers."""
    is_other = shape is Shape.SELECTIONS
    title = _TITLES_OF_SELECTIONS.get(column.key, column.title) if is_other else column.title
    return "Best of mine" if has_mine and title == "Best" else title


def is_for(column: ColumnSpec[Entry, CellContext], shape: Shape, *, has_mine: bool) -> bool:
    """Whether a column makes sense for a shape of rows; ``has_mine`` as for ``title_in``."""
    if column.key == "best_of_all_odds" and not has_mine:
        return False
    return _ONLY_OF.get(column.key, shape) is shape
