"""The ways to use an offer as tables: one row per leg if hedged, one per bet if unhedged."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import market_text, period_text, selection_text, shown_game
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, pgettext
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import CellKey
from oddsdesk.board.opportunities.finder import OpportunityLeg
from oddsdesk.board.promotions import PromoWay, WayKey
from oddsdesk.board.valuation.verdict_words import caution_text, currency_text, levels_in_words
from oddsdesk.desk.export.files import Row, identified, time_value
from oddsdesk.desk.ui.formatting import (
    clock_text,
    exact_odds_text,
    fair_text,
    game_text,
    kick_off_text,
    odds_sample,
    odds_text,
    percent_text,
    signed_hundredths_text,
    today_sample,
    untold_text,
)
from oddsdesk.desk.ui.table.cells import (
    EMPTY,
    Align,
    Cell,
    Column,
    ColumnSpec,
    Exported,
    Kind,
    Priority,
    age_cell,
    aged,
)
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.promotions import PromoKind

WayRowKey = tuple[WayKey, int]
"""A way and the place of one of its legs."""


class WayRow(NamedTuple):
    """A leg of a way; figures of the whole way are in the row of its first leg."""

    way: PromoWay
    place: int
    profile: Profile
    reference: str
    is_lost: bool = False
    """Whether prices are out of date; then no stake is shown."""

    @property
    def leg(self) -> OpportunityLeg:
        return self.way.legs[self.place]

    @property
    def is_first(self) -> bool:
        return self.place == 0

    @property
    def odds(self) -> float:
        """Odds before commission: boosted for a boost, the backer's for a lay."""
        if self.is_first:
            return self.way.boosted_odds
        return self.leg.typed_odds

    @property
    def stake(self) -> float:
        """The stake to type at the bookmaker; for a lay, the backer's."""
        typed = self.leg.typed_stake
        return round(typed, 2) if self.leg.is_lay else typed

    @property
    def is_too_good(self) -> bool:
        """Whether a price may be an error that the bookmaker voids."""
        return any(Caution.ABOVE_WINDOW in leg.cautions for leg in self.way.legs)

    @property
    def fair_odds(self) -> float | None:
        """Of the promoted bet; None if unknown."""
        return 1 / self.way.chance if self.way.chance else None


def way_rows(
    ways: Iterable[PromoWay], profile_of: Callable[[str], Profile], reference: str, *, is_lost: bool
) -> dict[WayRowKey, WayRow]:
    """Return a row for each leg of each way."""
    return {
        (way.key, place): WayRow(way, place, profile_of(leg.bookmaker), reference, is_lost)
        for way in ways
        for place, leg in enumerate(way.legs)
    }


class WaysModel(StableRowsModel[WayRowKey, WayRow]):
    """Ways to use an offer, the best on top until the user sorts otherwise."""

    def __init__(
        self, columns: tuple[ColumnSpec[WayRow, int], ...], clock: Clock, board: Board
    ) -> None:
        super().__init__(columns, 0, clock)
        self._board = board
        keys = [column.key for column in columns]
        self._odds, self._seen = keys.index("odds"), keys.index("seen")

    def are_together(self, one: WayRowKey, other: WayRowKey) -> bool:
        return one[0] == other[0]

    def cell(self, row: int, column: int) -> Cell:
        cell = super().cell(row, column)
        if column not in (0, self._odds, self._seen):
            return cell
        shown = self.entry(row)
        if column == self._seen:
            return cell if self.is_gone(row) else age_cell(self._seen_at(shown.leg), self._clock())
        legs = shown.way.legs if column == 0 else (shown.leg,)
        freshness = max(self._board.freshness_of(leg.key) for leg in legs)
        return aged(cell, freshness, self._clock(), is_figure=column == 0)

    def _seen_at(self, leg: OpportunityLeg) -> int:
        """Return when a leg's price was last seen, including since the search that found it."""
        price = self._board.price(leg.key.game_id, CellKey(*leg.key[1:]))
        return leg.seen_at if price is None or leg.is_lay else max(leg.seen_at, price.scraped_at)

    def tip(self, row: int, column: int) -> str:
        if self.is_gone(row):
            return _("No longer possible at these prices")
        shown = self.entry(row)
        return "\n".join(_facts(shown, self._seen_at(shown.leg), self._clock()))


def _facts(row: WayRow, seen_at: int, now_ms: int) -> Iterator[str]:
    way, leg = row.way, row.leg
    yield _("{bet} at {bookmaker}: {odds}").format(
        bet=leg_text(row), bookmaker=leg.bookmaker, odds=exact_odds_text(row.odds)
    )
    yield f"{shown_game(way.match_name)} · {_market_text(row)} · {_start(row, now_ms)}"
    if row.is_first and way.bet.boost:
        yield _("{odds} without the boost").format(odds=exact_odds_text(leg.odds))
    if leg.net_odds != leg.odds:
        text = _("Net {odds} per unit of liability") if leg.is_lay else _("Net {odds}")
        yield text.format(odds=exact_odds_text(round(leg.net_odds, 4)))
    if leg.is_lay:
        yield _("Lay stake {stake}, liability {liability}").format(
            stake=f"{num(row.stake):.2f}", liability=f"{num(leg.stake):.2f}"
        )
    if leg.same_at:
        yield _("The same at {bookmakers}").format(bookmakers=", ".join(leg.same_at))
    levels = levels_in_words(row.profile, leg.depth)
    at = _("{amount} at {odds}")
    for_sale = ", ".join(at.format(amount=most, odds=odds) for odds, most in levels)
    if not leg.is_lay and for_sale:
        yield _("Available: {amounts}").format(amounts=for_sale)
        if row.is_first and (text := currency_text(leg.depth)):
            yield text
    if leg.is_lay and leg.depth is not None:
        lays = (
            at.format(amount=f"{num(size):g}", odds=exact_odds_text(odds))
            if size
            else _("unknown at {odds}").format(odds=exact_odds_text(odds))
            for odds, size in leg.depth.lay[:3]
        )
        yield _("Available to lay: {amounts}").format(amounts=", ".join(lays))
    if text := way.money_text(row.place):
        yield text
    yield _("Seen at {time}").format(time=clock_text(seen_at, now_ms))
    yield from _result_facts(way)
    if row.profile.limit is not None:
        yield _("Your limit at {bookmaker}: {limit}").format(
            bookmaker=leg.bookmaker, limit=f"{num(row.profile.limit):,g}"
        )
    for caution in leg.cautions:
        yield _("Warning vs {reference}: {warning}").format(
            reference=row.reference, warning=caution_text(caution, row.reference)
        )


def _result_facts(way: PromoWay) -> Iterator[str]:
    if not way.is_hedged:
        wins, loses = map(signed_hundredths_text, way.results)
        yield _("{wins} if it wins, {loses} if it loses").format(wins=wins, loses=loses)
        yield from _free_part(way)
        if way.chance is not None:
            chance = percent_text(way.chance * 100)
            yield _("Chance {chance} % by the fair odds").format(chance=chance)
        return
    names = [leg.win_text for leg in way.legs]
    ends = zip(names, map(signed_hundredths_text, way.results), strict=True)
    told = (_("{money} if {outcome}").format(money=money, outcome=name) for name, money in ends)
    yield _("All legs: {results}").format(results=", ".join(told))
    yield _("{amount} of your money at risk").format(amount=f"{num(way.staked):,.2f}")
    if way.promotion.kind is PromoKind.REFUND and not way.promotion.refund_as_free:
        yield _("Includes the refund at {amount}").format(amount=f"{num(way.bet.refund):,.2f}")
    yield from _free_part(way)
    if way.promotion.kind is PromoKind.BONUS:
        needed = f"{num(way.bets_needed):g}"
        yield _("{count} such bets clear the bonus").format(count=needed)


def _free_part(way: PromoWay) -> Iterator[str]:
    """Yield how much of the results is a free bet that is still to be used."""
    if way.free_part:
        cash = signed_hundredths_text(way.worst_in_cash)
        yield _(
            "Includes a free bet worth {value} if {selection} loses; at worst {cash} in cash"
        ).format(
            value=f"{num(way.free_part):,.2f}",
            selection=selection_text(way.legs[0].key.selection),
            cash=cash,
        )


def leg_text(row: WayRow) -> str:
    """Return what a leg bets on: ``Lay Arsenal``."""
    return row.leg.named(row.leg.key.selection)


def _of_all(cell: Callable[[WayRow], Cell]) -> Callable[[WayRow, int], Cell]:
    """Show a figure of the whole way in the row of its first leg."""
    return lambda row, _now: cell(row) if row.is_first else EMPTY


def _money(row: WayRow, amount: float | None) -> Cell:
    if amount is None:
        return Cell("–", TextRole.NOTE)
    is_win = amount > 0 and not row.is_too_good
    ink = TextRole.VALUE if is_win else TextRole.SOFT
    return Cell(signed_hundredths_text(amount), ink, is_strong=is_win)


def _pct(row: WayRow) -> Cell:
    pct = row.way.value_pct
    return Cell("–" if pct is None else f"{percent_text(pct)} %", TextRole.SOFT)


def _selection(row: WayRow, _now: int) -> Cell:
    """Name the game in the row of the first leg; the hedge is on the same game."""
    way = row.way
    game = game_text(row.leg.key.selection, way.match_name) if row.is_first else ""
    if game and way.in_play:
        game = f"{_('live')} · {game}"
    return Cell(leg_text(row), is_strong=True, note=game)


def _market_text(row: WayRow) -> str:
    key = row.leg.key
    title = market_text(key.market_type)
    return f"{title} · {period_text(row.way.sport, key.period)}" if key.period else title


def _market(row: WayRow, _now: int) -> Cell:
    is_shown = row.is_first or row.leg.key.market_type != row.way.legs[0].key.market_type
    return Cell(_market_text(row), TextRole.SOFT) if is_shown else EMPTY


def _odds(row: WayRow, _now: int) -> Cell:
    boosted = row.is_first and row.way.bet.boost
    note = odds_text(row.leg.odds) if boosted else ""
    if not note and not row.leg.is_lay and row.leg.net_odds != row.leg.odds:
        note = odds_text(row.leg.net_odds)
    return Cell(odds_text(row.odds), is_strong=True, note=note)


def _at(row: WayRow, _now: int) -> Cell:
    others = len(row.leg.same_at)
    return Cell(row.profile.short or row.leg.bookmaker, note=f"+{others}" if others else "")


def _stake(row: WayRow, _now: int) -> Cell:
    if row.is_lost:
        return Cell("–", TextRole.NOTE)
    figure = f"{num(row.stake):,.2f}" if row.leg.is_lay else f"{num(row.stake):,g}"
    return Cell(figure, is_strong=True, note=row.way.other_money(row.place))


def _liability(row: WayRow, _now: int) -> Cell:
    if not row.leg.is_lay or row.is_lost:
        return EMPTY
    return Cell(f"{num(row.leg.stake):,.2f}", TextRole.SOFT)


def _start(row: WayRow, now_ms: int) -> str:
    return _("in play") if row.way.in_play else kick_off_text(row.way.kick_off, now_ms)


def _caution(row: WayRow, _now: int) -> Cell:
    cautions = row.leg.cautions
    if row.way.money[row.place].rate is None:
        more = f"+ {len(cautions)}" if cautions else ""
        money = row.way.other_money(row.place)
        text = _("takes {currency}, no exchange rate").format(currency=money)
        return Cell(text, TextRole.VALUE, note=more)
    if not cautions:
        is_told = row.leg.is_lay or row.leg.is_checked
        return Cell("" if is_told else _("not checked"), TextRole.SOFT)
    more = f"+ {len(cautions) - 1}" if len(cautions) > 1 else ""
    return Cell(caution_text(cautions[0], row.reference), TextRole.VALUE, note=more)


_LAST: Final = 1e9


def _best(of: Callable[[PromoWay], float | None]) -> Callable[[WayRow], float]:
    """Sort by a figure, highest first; likely errors come last."""

    def rank(row: WayRow) -> float:
        value = of(row.way)
        value = -_LAST if value is None else value
        return value - _LAST if row.is_too_good else value

    return rank


def _identity(row: WayRow) -> Row:
    way, key = row.way, row.leg.key
    return (
        key.game_id,
        way.match_name,
        way.competition,
        way.sport,
        time_value(way.kick_off),
        key.market_type,
        key.period,
        key.selection,
    )


_LAY_OVER: Final = _("Lay {selection}").format(selection=selection_text("Over 113.5"))
_SELECTION: Final = ColumnSpec[WayRow, int](
    "selection",
    N_("Selection"),
    Column(
        "Wolverhampton Wanderers v",
        Align.LEFT,
        stretches=True,
        likes="Lay Timberwolves −113.5 v Oklahoma City Thunder",
        widest="Lay Minnesota Timberwolves −113.5 live v Oklahoma City Thunder or so",
        before_others=f"{_LAY_OVER} Minneso",
        narrow=selection_text("Over 113.5"),
    ),
    _selection,
    lambda row: row.way.match_name,
    exports=(
        Exported("offer", "Offer", lambda row: row.way.promotion.name),
        Exported("leg", "Leg", lambda row: row.place + 1, Kind.NUMBER),
        Exported("kind", "Kind", lambda row: row.way.bet_kind(row.place)),
        *identified(_identity),
        Exported("bookmaker", "Bookmaker", lambda row: row.leg.bookmaker),
    ),
)
_MARKET: Final = ColumnSpec[WayRow, int](
    "market_type",
    N_("Market"),
    Column(f"{market_text('moneyline')} · 1st Q", Align.LEFT, stretches=True),
    _market,
    lambda row: (row.way.legs[0].key.market_type, row.way.legs[0].key.period),
    exports=(),
    in_short=lambda row: untold_text(
        row.leg.key.market_type,
        row.way.sport,
        row.leg.key.period,
        row.leg.key.selection,
        row.way.match_name,
    ),
    priority=Priority.USEFUL,
)
_ODDS: Final = ColumnSpec[WayRow, int](
    "odds",
    N_("Odds"),
    Column("", note_sample="8.888", hangs=True, narrow=""),
    _odds,
    lambda row: row.way.legs[0].odds,
    exports=(
        Exported("odds", "Odds", lambda row: row.odds, Kind.NUMBER),
        Exported("net_odds", "Net odds", lambda row: row.leg.net_odds, Kind.NUMBER, 4),
    ),
    descending_first=True,
    sample=odds_sample,
    tip=_(
        "The odds offered; for a lay, the backer's odds. The small figure is after commission or "
        "tax; for a boost, the odds without it"
    ),
)
_AT: Final = ColumnSpec[WayRow, int](
    "bookmaker",
    N_("Bookmaker"),
    Column(
        "William Hill UK",
        Align.LEFT,
        stretches=True,
        likes="Betfair Exchange",
        widest="Betfair Exchange Australia",
        narrow="Pinnacle",
    ),
    _at,
    lambda row: row.way.legs[-1].bookmaker.casefold(),
    exports=(),
    tip=_(
        "Bookmaker with the price; +2: two more have it, see the row's tooltip. Sorts by the hedge"
    ),
    short_title=N_("Book"),
)
_STAKE: Final = ColumnSpec[WayRow, int](
    "stake",
    N_("Stake"),
    Column("1,000.00", narrow=""),
    _stake,
    lambda row: 0.0 if row.is_lost else row.way.bet.stake,
    exports=(
        Exported("stake", "Stake", lambda row: 0.0 if row.is_lost else row.stake, Kind.NUMBER, 2),
        Exported(
            "liability",
            "Liability",
            lambda row: row.leg.stake if row.leg.is_lay else None,
            Kind.NUMBER,
            2,
        ),
    ),
    descending_first=True,
    tip=_("Stake to type at the bookmaker, in your step; for a lay, the backer's stake, to 0.01"),
)
_STARTS: Final = ColumnSpec[WayRow, int](
    "kick_off",
    N_("Starts"),
    Column(today_sample(), Align.LEFT),
    lambda row, now: Cell(_start(row, now), TextRole.SOFT) if row.is_first else EMPTY,
    lambda row: row.way.kick_off,
    exports=(),
    tip=_("When the game starts, at your local time"),
    priority=Priority.EXTRA,
    sample=today_sample,
)
_SEEN: Final = ColumnSpec[WayRow, int](
    "seen",
    N_("Seen"),
    Column("59 min"),
    lambda row, now: age_cell(row.leg.seen_at, now),
    lambda row: -min(leg.seen_at for leg in row.way.legs),
    exports=(
        Exported("is_live", "In play", lambda row: row.way.in_play, Kind.FLAG),
        Exported("scraped_at", "Seen", lambda row: time_value(row.leg.seen_at), Kind.TIME),
    ),
    tip=_("Time since the price was last seen at the bookmaker"),
    priority=Priority.IMPORTANT,
)
_CAUTIONS: Final = ColumnSpec[WayRow, int](
    "cautions",
    N_("Warning vs sharp book"),
    Column(_("likely error, far above fair"), Align.LEFT, stretches=True),
    _caution,
    lambda row: len(row.way.legs[0].cautions),
    exports=(
        Exported(
            "cautions", "Warnings", lambda row: " ".join(each.value for each in row.leg.cautions)
        ),
    ),
    tip=_(
        "What is wrong with the price compared with the sharp book. A price far above fair is "
        "often an error that the bookmaker voids. Not checked: no fair odds are known"
    ),
    priority=Priority.IMPORTANT,
)

HEDGED_COLUMNS: Final[tuple[ColumnSpec[WayRow, int], ...]] = (
    ColumnSpec(
        "locked",
        N_("Locked in"),
        Column("+1,000.00"),
        _of_all(lambda row: _money(row, row.way.value)),
        _best(lambda way: way.value),
        exports=(
            Exported("locked", "Locked in", lambda row: row.way.value, Kind.NUMBER, 2),
            Exported("at_best", "At best", lambda row: row.way.best, Kind.NUMBER, 2),
            Exported("locked_pct", "% of offer", lambda row: row.way.value_pct, Kind.NUMBER, 2),
        ),
        descending_first=True,
        tip=_(
            "Profit in the worst result, after commission, if every leg stands. A refund counts at "
            "its cash value in your offer. For a bonus: the bonus less the cost of its whole "
            "wagering. Likely errors come last"
        ),
        short_title=pgettext("short for locked in", "Locked"),
    ),
    ColumnSpec(
        "pct",
        N_("Of offer"),
        Column("100.0 %"),
        _of_all(_pct),
        _best(lambda way: way.value_pct),
        exports=(),
        descending_first=True,
        tip=_("Locked in, as a percentage of the offer's amount"),
        priority=Priority.USEFUL,
    ),
    _SELECTION,
    _MARKET,
    _ODDS,
    _AT,
    _STAKE,
    ColumnSpec(
        "liability",
        N_("Liability"),
        Column("1,000.00"),
        _liability,
        lambda row: sum(leg.stake for leg in row.way.legs if leg.is_lay),
        exports=(),
        tip=_("Held by the exchange: the loss of the lay if the selection wins"),
        priority=Priority.IMPORTANT,
    ),
    _STARTS,
    _SEEN,
    _CAUTIONS,
)
UNHEDGED_COLUMNS: Final[tuple[ColumnSpec[WayRow, int], ...]] = (
    ColumnSpec(
        "certainty",
        N_("Worth"),
        Column("+100.00"),
        lambda row, _now: _money(row, row.way.certainty),
        _best(lambda way: way.certainty),
        exports=(
            Exported("certainty", "Worth", lambda row: row.way.certainty, Kind.NUMBER, 2),
            Exported("ev", "EV", lambda row: row.way.ev, Kind.NUMBER, 2),
            Exported("chance", "Chance", lambda row: row.way.chance, Kind.NUMBER, 4),
        ),
        descending_first=True,
        tip=_(
            "Certainty equivalent: the sure amount that the bet is worth to you at your Kelly "
            "fraction and bankroll. Hedge if a hedge locks in more"
        ),
    ),
    ColumnSpec(
        "ev",
        N_("EV"),
        Column("+100.00"),
        lambda row, _now: _money(row, row.way.ev)._replace(is_strong=False),
        _best(lambda way: way.ev),
        exports=(),
        descending_first=True,
        tip=_("Expected profit by the fair odds, in money"),
        priority=Priority.USEFUL,
    ),
    _SELECTION,
    _MARKET,
    _ODDS,
    ColumnSpec(
        "fair_odds",
        N_("Fair"),
        Column("88.888"),
        lambda row, _now: Cell(
            "–" if row.fair_odds is None else fair_text(row.fair_odds), TextRole.SOFT
        ),
        lambda row: row.fair_odds,
        kind=Kind.NUMBER,
        decimals=4,
        tip=_("Fair odds of the selection"),
        priority=Priority.USEFUL,
    ),
    _AT,
    _STAKE,
    _STARTS,
    _SEEN,
    _CAUTIONS,
)
