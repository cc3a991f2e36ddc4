"""The value bets as rows: an outcome each, its best net price, its stake, what is against it."""

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Final, NamedTuple

from msgspec.structs import replace

from oddsdesk.base import market_words
from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import selection_order, selection_text
from oddsdesk.base.numbers import hour_text, num
from oddsdesk.base.texts import N_, _, ngettext, translated
from oddsdesk.board.model.basis import Freshness
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.valuation import verdict_words
from oddsdesk.board.valuation.bets import Bet
from oddsdesk.board.valuation.judging import AssessedPrice
from oddsdesk.contract.markets import MARKET_RANK
from oddsdesk.desk.bet_cells import stake_text
from oddsdesk.desk.export.files import Row, identified, time_value
from oddsdesk.desk.ui import formatting
from oddsdesk.desk.ui.table.cells import (
    Align,
    Cell,
    Column,
    ColumnSpec,
    Exported,
    Kind,
    Priority,
    aged,
)
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.assessment import Assessment
from oddsdesk.pricing.exposure import Bound
from oddsdesk.pricing.profiles import Profile

SELECTION_WIDTH: Final = Column(
    "Timberwolves −113.5 v L",
    Align.LEFT,
    stretches=True,
    likes="Timberwolves −113.5 v Oklahoma City Thunder",
    widest="Minnesota Timberwolves −113.5 live v Oklahoma City Thunder or so",
    narrow=f"{selection_text('Over 113.5')} v O",
)
MARKET_WIDTH: Final = Column(
    f"{translated('Match result')} · {translated('1st Quarter')}",
    Align.LEFT,
    stretches=True,
    widest=f"{translated('Both teams to score')} · {translated('1st Half')}",
)
BOOKMAKER_WIDTH: Final = Column(
    "William Hill UK",
    Align.LEFT,
    stretches=True,
    likes="Betfair Exchange",
    widest="Betfair Exchange Australia",
    narrow="Betfair",
)

EV_WIDTH: Final = Column("+10.0 %", note_sample="±8.8")
EV_TIP: Final = _(
    "Expected profit per unit staked: odds after commission over fair odds, minus 1; "
    "{decided} {decided_meaning}; {derived}: fair odds implied by other lines of the sharp book; "
    "±{band}: modelled, so the EV may be off by {band} percentage points"
).format(
    decided=verdict_words.PER_DECIDED,
    decided_meaning=translated(verdict_words.PER_DECIDED_TEXT),
    derived=formatting.DERIVED_MARK,
    band="1.1",
)


def market_text(market_type: str, sport: str, period: int) -> str:
    """Return a market with its period, which the whole game does not need."""
    title = market_words.market_text(market_type)
    return f"{title} · {market_words.period_text(sport, period)}" if period else title


def age_cell(since_ms: int, now_ms: int) -> Cell:
    """Return the cell of an age, which changes by itself."""
    age = max(0, now_ms - since_ms)
    step = formatting.MINUTE_MS if age >= formatting.MINUTE_MS else 1_000
    return Cell(formatting.age_text(age), TextRole.NOTE, repaint_at_ms=now_ms + step - age % step)


def seen_cell(scraped_at: int | None, now_ms: int) -> Cell:
    """Return the cell of when a price was last seen; a question mark where nobody told."""
    return Cell("?", TextRole.NOTE) if scraped_at is None else age_cell(scraped_at, now_ms)


def ev_cell(found: Assessment) -> Cell:
    """Return the cell of an EV: in the colour of value only where it is value.

    Its note says how far off it may be, or that its fair odds are implied by other lines.
    """
    if found.ev is None:
        return Cell("–", TextRole.NOTE)
    ink = TextRole.VALUE if found.is_value else TextRole.NOTE
    unit = "" if found.per == "staked" else verdict_words.PER_DECIDED
    mark = "" if found.derived is None else formatting.DERIVED_MARK
    if found.band_pct is not None:
        mark = formatting.band_text(found.band_pct)
    note = f"{mark}{unit}"
    return Cell(formatting.edge_text(found.ev), ink, is_strong=found.is_value, note=note)


OutcomeKey = tuple[object, ...]
"""An outcome: its row stays where it is while its price becomes value or ceases to be."""
_LOWEST: Final = float("-inf")
_WARNED: Final = "? "
"""Stands before odds that have a warning, in the room of the arrow."""
_MOST_NAMED: Final = 12
"""Most other bookmakers named in a tooltip."""


class BetRow(NamedTuple):
    """An outcome with its best price, and what the user makes of it."""

    bet: Bet
    others: tuple[AssessedPrice, ...]
    """The other prices of the outcome, the best first."""
    service_ev_pct: float | None
    """As the service itself states it, else by its rules; None where it values nothing."""
    liquidity: float | None
    """The reference's maximum bet, in its own currency."""
    placed: tuple[PlacedBet, ...]
    """What the user placed on the outcome and is open, wherever, oldest first."""
    profile: Profile
    reference: str
    """Whom it is judged by."""
    parts: tuple[Bet, ...] = ()
    """Other prices of the outcome that carry a part of the stake, or whose bookmaker takes no
    more."""
    service_reference: str = ""
    """Whom the service judges by, where that is somebody else; else empty."""

    @property
    def bet_price(self) -> AssessedPrice:
        """The price that is shown: the best net one."""
        return self.bet.price


class ValuesModel(StableRowsModel[OutcomeKey, BetRow]):
    """Outcomes, those of value first, highest EV on top until the user sorts otherwise."""

    def __init__(self, clock: Clock, freshness: Callable[[RowKey], Freshness]) -> None:
        super().__init__(COLUMNS, EV_COLUMN, clock)
        self._freshness = freshness
        self._made: dict[OutcomeKey, tuple[BetRow, list[Cell | None]]] = {}
        self.why_lost = ""
        """Why no price was known to stand when rows were made; empty where they were."""

    def cell(self, row: int, column: int) -> Cell:
        """Return how a cell looks now; rebuilt for another row, and when it has aged."""
        if self.is_gone(row):
            return super().cell(row, column)
        key, shown = self.key_of_row(row), self.entry(row)
        made = self._made.get(key)
        if made is None or made[0] is not shown:
            made = self._made[key] = shown, [None] * len(COLUMNS)
        cell = made[1][column]
        if cell is None or cell.repaint_at_ms <= self._clock():
            cell = made[1][column] = self._make(row, column)
        return cell

    def _make(self, row: int, column: int) -> Cell:
        cell = super().cell(row, column)
        if column not in (ODDS_COLUMN, EV_COLUMN):
            return cell
        freshness = self._freshness(self.entry(row).bet_price.key)
        return aged(cell, freshness, self._clock(), is_figure=column == EV_COLUMN)

    def leave_out(self, columns: frozenset[int]) -> None:
        self._made.clear()
        super().leave_out(columns)

    def sort_now(self) -> None:
        super().sort_now()
        self._made = {key: made for key, made in self._made.items() if key in self._held}

    def refresh_all(self) -> None:
        self._made.clear()
        super().refresh_all()

    def tip(self, row: int, column: int) -> str:
        if self.is_gone(row):
            return _("No longer a value bet")
        shown = self.entry(row)
        if column == STAKE_COLUMN:
            return "\n".join(_about_stake(shown, self.why_lost))
        return "\n".join(_facts(shown, self._clock()))


class Group(NamedTuple):
    """The bets on an outcome: the one that is shown, and the prices of the others."""

    bets: list[Bet]
    first: Bet
    others: tuple[AssessedPrice, ...]
    parts: tuple[Bet, ...]


def making_rows(
    bets: Iterable[Bet],
    row: Callable[[Bet, tuple[AssessedPrice, ...], tuple[Bet, ...]], BetRow],
    grouped: dict[OutcomeKey, Group],
) -> Generator[None, None, dict[OutcomeKey, BetRow]]:
    """Return a row for each outcome, in the order of its best bet; in steps of a row.

    ``grouped`` are the groups of the last time, and then those of this one.
    """
    groups: dict[OutcomeKey, list[Bet]] = {}
    for bet in bets:
        groups.setdefault(bet.outcome, []).append(bet)
    before, found = grouped.copy(), {}
    grouped.clear()
    for key, bets_on_it in groups.items():
        group = before.get(key)
        if group is None or group.bets != bets_on_it:
            group = _grouped(bets_on_it)
        grouped[key] = group
        found[key] = row(group.first, group.others, group.parts)
        yield
    return found


def _grouped(bets: list[Bet]) -> Group:
    first = min(bets, key=_is_no_carrier)
    others = [bet.price for bet in bets if bet is not first]
    others.sort(key=lambda price: (not price.is_value, -price.assessment.net_odds))
    parts = tuple(
        bet for bet in bets if bet is not first and bet.bound is not None and not bet.same_bet_as
    )
    return Group(bets, first, tuple(others), parts)


def against_text(row: BetRow) -> str:
    """Return why a price is no value, in a few words; empty where it is."""
    found = row.bet_price.assessment
    why = _against(found, row.reference)
    if why and why == verdict_words.below_minimum_text(found) and found.net_odds != found.odds:
        return _after_charge(why, row.profile)
    return why


def _against(found: Assessment, reference: str) -> str:
    if found.cautions:
        return verdict_words.caution_text(verdict_words.told_cautions(found)[0], reference)
    if found.is_value:
        return ""
    return verdict_words.below_minimum_text(found) or verdict_words.FAILS


def _after_charge(why: str, profile: Profile) -> str:
    if profile.taker_fee:
        return _("{reason} after the taker fee").format(reason=why)
    text = _("{reason} after commission") if profile.commission else _("{reason} after tax")
    return text.format(reason=why)


def _net_text(net: str, profile: Profile) -> str:
    """Return net odds, and what was taken off."""
    if profile.taker_fee:
        return _("Net {odds} after the taker fee").format(odds=net)
    if profile.commission:
        text, share = _("Net {odds} after {percent:g} % commission"), profile.commission
    else:
        text, share = _("Net {odds} after {percent:g} % tax"), profile.tax
    return text.format(odds=net, percent=num(share * 100))


def _is_no_carrier(bet: Bet) -> tuple[bool, bool, bool, float]:
    """Value first, and of it what carries the stake."""
    is_other = bet.same_bet_as is not None
    return not bet.price.is_value, is_other, not bet.stake, -bet.price.assessment.net_odds


def _facts(row: BetRow, now_ms: int) -> Iterator[str]:
    price, found = row.bet_price, row.bet_price.assessment
    yield _("{selection} at {bookmaker}: {exact_odds}").format(
        selection=selection_text(price.key.selection),
        bookmaker=price.bookmaker,
        exact_odds=formatting.exact_odds_text(found.odds),
    )
    yield f"{formatting.game_text('', price.match_name)} · {_market_of(price)}"
    if found.net_odds != found.odds:
        net = formatting.exact_odds_text(round(found.net_odds, 4))
        yield _net_text(net, row.profile)
    if found.fair_odds is not None:
        how = f", {derived}" if (derived := verdict_words.derived_text(found)) else ""
        fair = formatting.fair_text(found.fair_odds)
        yield _("Fair odds {odds}, from {sharp_book}").format(
            odds=fair, sharp_book=f"{row.reference}{how}"
        )
    if found.ev is not None:
        yield _("EV {edge}").format(edge=formatting.edge_text(found.ev))
    if found.per == "decided":
        yield _("EV {meaning}").format(meaning=translated(verdict_words.PER_DECIDED_TEXT))
    if row.service_ev_pct is not None:
        text = (
            _("Service's EV {ev}, vs {sharp_book}")
            if row.service_reference
            else _("Service's EV {ev}")
        )
        ev = formatting.edge_text(row.service_ev_pct)
        yield text.format(ev=ev, sharp_book=row.service_reference)
    for caution in verdict_words.told_cautions(found):
        yield _("No value: {caution}").format(
            caution=verdict_words.caution_text(caution, row.reference)
        )
    if row.liquidity is not None:
        yield _("Limit at {sharp_book}: {amount:,.0f}, in its own currency").format(
            sharp_book=row.reference, amount=num(row.liquidity)
        )
    levels = verdict_words.levels_in_words(row.profile, price.depth)
    text = _("{amount} at {odds}")
    if for_sale := ", ".join(text.format(amount=amount, odds=odds) for odds, amount in levels):
        yield _("Available: {amounts}").format(amounts=for_sale)
    if price.scraped_at is not None:
        yield _("Seen at {clock}").format(clock=formatting.clock_text(price.scraped_at, now_ms))
    for other in row.others[:_MOST_NAMED]:
        against = _against(other.assessment, row.reference)
        what = other.key.selection
        odds = formatting.exact_odds_text(other.assessment.odds)
        text = _("Same bet: {bookmaker} {odds}")
        if what != price.key.selection:
            text = _("Same bet: {bookmaker} {odds} as {selection}")
        said = text.format(bookmaker=other.bookmaker, odds=odds, selection=selection_text(what))
        yield _("{bet}: no value, {reason}").format(bet=said, reason=against) if against else said
    if len(row.others) > _MOST_NAMED:
        yield _("and {count} more").format(count=len(row.others) - _MOST_NAMED)


def _about_stake(row: BetRow, why_lost: str) -> Iterator[str]:
    """How a stake came about, or why there is none; and what was placed."""
    for bet in row.placed:
        yield _("Placed {stake} at {bookmaker}, {odds}, {time}").format(
            stake=stake_text(bet),
            bookmaker=bet.bookmaker,
            odds=formatting.exact_odds_text(bet.odds),
            time=hour_text(formatting.local_time(bet.placed_at)),
        )
    found, why = row.bet_price.assessment, against_text(row) or why_lost
    if why:
        yield _("No stake: {reason}").format(reason=translated(why))
    elif (ends := found.stake_settlement) is not None and found.ev is not None:
        net = found.net_odds
        yield _("EV {ev} %, full Kelly {share} % of the bankroll").format(
            ev=formatting.signed_text(found.ev),
            share=formatting.percent_text(ends.kelly(net) * 100),
        )
        if low := verdict_words.low_end_text(found, net):
            yield low[0].upper() + low[1:]
        if row.profile.limit is not None:
            yield _("Your limit at {bookmaker}: {limit:,g}").format(
                bookmaker=row.bet_price.bookmaker, limit=num(row.profile.limit)
            )
        for part in (row.bet, *row.parts):
            name = part.price.bookmaker
            bound = verdict_words.bound_text(part.bound, name, part.stake)
            text = _("Stake {stake:g} at {bookmaker}") if row.parts else _("Stake {stake:g}")
            said = text.format(stake=num(part.stake), bookmaker=name)
            yield f"{said}: {bound}" if bound else said


def _market_of(price: AssessedPrice) -> str:
    return market_text(price.key.market_type, price.sport, price.key.period)


def _ink(row: BetRow) -> TextRole:
    return TextRole.STRONG if row.bet_price.is_value else TextRole.NOTE


def _selection(row: BetRow, _now: int) -> Cell:
    price = row.bet_price
    game = formatting.game_text(price.key.selection, price.match_name)
    note = _("live") + f" · {game}" if price.is_live else game
    return Cell(selection_text(price.key.selection), _ink(row), is_strong=price.is_value, note=note)


def _odds(row: BetRow, _now: int) -> Cell:
    found = row.bet_price.assessment
    net = formatting.odds_text(found.net_odds) if found.net_odds != found.odds else ""
    mark = _WARNED if found.cautions else ""
    return Cell(
        f"{mark}{formatting.odds_text(found.odds)}",
        _ink(row),
        is_strong=row.bet_price.is_value,
        arrow=0 if mark else row.bet_price.direction,
        note=net,
    )


def _ev(row: BetRow, _now: int) -> Cell:
    return ev_cell(row.bet_price.assessment)


def _service(row: BetRow, _now: int) -> Cell:
    ev = row.service_ev_pct
    return Cell("–" if ev is None else formatting.edge_text(ev), TextRole.NOTE)


def _placed_on(row: BetRow) -> float:
    return sum(bet.staked for bet in row.placed)


def _stake(row: BetRow, _now: int) -> Cell:
    placed = _placed_on(row)
    if not row.bet.stake:
        return Cell(f"✓ {num(placed):g}", TextRole.ACCENT) if placed else Cell("–", TextRole.NOTE)
    note = f"✓ {num(placed):g}" if placed else ""
    return Cell(f"{num(row.bet.stake):g}", TextRole.STRONG, is_strong=True, note=note)


def _limit(row: BetRow, _now: int) -> Cell:
    return Cell("" if row.liquidity is None else f"{num(row.liquidity):,.0f}", TextRole.NOTE)


def _at(row: BetRow, _now: int) -> Cell:
    net = row.bet_price.assessment.net_odds
    others = sum(each.is_value and each.assessment.net_odds == net for each in row.others)
    name = row.profile.short or row.bet_price.bookmaker
    return Cell(name, _ink(row), note=f"+{others}" if others else "")


def _caution(row: BetRow, _now: int) -> Cell:
    found, why = row.bet_price.assessment, against_text(row)
    if why:
        more = len(verdict_words.told_cautions(found)) - 1
        return Cell(why, TextRole.VALUE, note=f"+ {more}" if more > 0 else "")
    bound = ""
    if row.bet.bound is not Bound.FOR_SALE:
        bound = verdict_words.bound_text(row.bet.bound, row.bet_price.bookmaker, row.bet.stake)
    used_up = [
        verdict_words.bound_text(part.bound, part.price.bookmaker, 0.0)
        for part in row.parts
        if not part.stake
    ]
    parts = [
        _("and {stake:g} at {bookmaker}").format(
            stake=num(part.stake), bookmaker=part.price.bookmaker
        )
        for part in row.parts
        if part.stake
    ]
    others = sum(other.is_value for other in row.others)
    elsewhere = ""
    if others:
        elsewhere = ngettext(
            "value at {count} other book", "value at {count} other books", others
        ).format(count=others)
    for_sale = verdict_words.for_sale_text(row.bet_price)
    told = (translated(found.derived or ""), for_sale, *used_up, bound, *parts, elsewhere)
    return Cell(" · ".join(filter(None, told)), TextRole.NOTE)


def _ev_downwards(row: BetRow) -> tuple[bool, float, bool]:
    """Value first; an EV of decided units below an equal one of staked units."""
    found = row.bet_price.assessment
    ev = _LOWEST if found.ev is None else found.ev
    return found.is_value, ev, found.per == "staked"


def _ev_upwards(row: BetRow) -> tuple[bool, float, bool]:
    is_value, ev, is_staked = _ev_downwards(row)
    return not is_value, ev, is_staked


def _found(row: BetRow) -> Assessment:
    return row.bet_price.assessment


def _identity(row: BetRow) -> Row:
    price = row.bet_price
    return (
        price.key.game_id,
        price.match_name,
        price.competition,
        price.sport,
        time_value(price.kick_off),
        price.key.market_type,
        price.key.period,
        price.key.selection,
    )


COLUMNS: Final[tuple[ColumnSpec[BetRow, int], ...]] = (
    ColumnSpec(
        "selection",
        N_("Selection"),
        SELECTION_WIDTH,
        _selection,
        lambda row: (selection_order(row.bet_price.key.selection), row.bet_price.match_name),
        exports=(
            *identified(_identity),
            Exported("bookmaker", "Bookmaker", lambda row: row.bet_price.bookmaker),
        ),
    ),
    ColumnSpec(
        "market_type",
        N_("Market"),
        MARKET_WIDTH,
        lambda row, _now: Cell(
            _market_of(row.bet_price), TextRole.SOFT if row.bet_price.is_value else TextRole.NOTE
        ),
        lambda row: (
            MARKET_RANK.get(row.bet_price.key.market_type, len(MARKET_RANK)),
            row.bet_price.key.period,
        ),
        in_short=lambda row: formatting.untold_text(
            row.bet_price.key.market_type,
            row.bet_price.sport,
            row.bet_price.key.period,
            row.bet_price.key.selection,
            row.bet_price.match_name,
        ),
        priority=Priority.EXTRA,
        exports=(),
    ),
    ColumnSpec(
        "odds",
        N_("Odds"),
        Column("", note_sample="8.888", has_arrow=True, hangs=True, narrow=""),
        _odds,
        lambda row: _found(row).odds,
        descending_first=True,
        exports=(
            Exported("odds", "Odds", lambda row: _found(row).odds, Kind.NUMBER),
            Exported("net_odds", "Net odds", lambda row: _found(row).net_odds, Kind.NUMBER, 4),
        ),
        sample=formatting.odds_sample,
        tip=_("The odds offered; the small figure is after commission or tax. ?: see "
        "the warning"),
    ),
    ColumnSpec(
        "bookmaker",
        N_("Bookmaker"),
        BOOKMAKER_WIDTH,
        _at,
        lambda row: row.bet_price.bookmaker.casefold(),
        exports=(),
        tip=_("Who has the best odds after commission; +2: two more do, see the row's "
        "tooltip"),
        short_title=N_("Book"),
    ),
    ColumnSpec(
        "true_ev_pct",
        N_("EV"),
        replace(EV_WIDTH, narrow="+10.0 % ±8.8"),
        _ev,
        _ev_downwards,
        order_up=_ev_upwards,
        exports=(
            Exported("fair_odds", "Fair", lambda row: _found(row).fair_odds, Kind.NUMBER, 4),
            Exported("net_ev_pct", "EV %", lambda row: _found(row).ev, Kind.NUMBER, 2),
            Exported(
                "ev_pct", "EV after safety margin %", lambda row: _found(row).ev_pct, Kind.NUMBER, 2
            ),
            Exported("per", "EV per unit", lambda row: _found(row).per),
            Exported("derived", "Derived", lambda row: _found(row).derived),
            Exported("band_pct", "± EV", lambda row: _found(row).band_pct, Kind.NUMBER, 2),
        ),
        descending_first=True,
        tip=EV_TIP,
        priority=Priority.IMPORTANT,
    ),
    ColumnSpec(
        "service_ev_pct",
        N_("Service's EV"),
        Column("+10.0 %"),
        _service,
        lambda row: _LOWEST if row.service_ev_pct is None else row.service_ev_pct,
        exports=(
            Exported(
                "service_ev_pct", "Service's EV %", lambda row: row.service_ev_pct, Kind.NUMBER, 2
            ),
        ),
        descending_first=True,
        tip=_("EV as the service states it. It is usually lower: the service takes off "
        "a safety margin (1 %, player props 4.03 %) and no commission"),
        priority=Priority.EXTRA,
    ),
    ColumnSpec(
        "stake",
        N_("Stake"),
        Column("1,000", note_sample="✓ 888", narrow=""),
        _stake,
        lambda row: (row.bet.stake, _placed_on(row)),
        exports=(
            Exported("stake", "Stake", lambda row: row.bet.stake, Kind.NUMBER, 2),
            Exported("placed", "Placed", _placed_on, Kind.NUMBER, 2),
            Exported("for_sale", "Available", lambda row: row.bet_price.for_sale, Kind.NUMBER, 2),
        ),
        descending_first=True,
        tip=_("Stake for this outcome in all; the tooltip says what limits it. ✓ is "
        "your open bet"),
    ),
    ColumnSpec(
        "liquidity",
        N_("Sharp limit"),
        Column("100,000"),
        _limit,
        lambda row: _LOWEST if row.liquidity is None else row.liquidity,
        exports=(Exported("liquidity", "Limit", lambda row: row.liquidity, Kind.NUMBER, 0),),
        descending_first=True,
        tip=_("The sharp book's maximum bet, in its own currency"),
        priority=Priority.EXTRA,
    ),
    ColumnSpec(
        "scraped_at",
        N_("Seen"),
        Column("59 min"),
        lambda row, now: seen_cell(row.bet_price.scraped_at, now),
        lambda row: _LOWEST if row.bet_price.scraped_at is None else -row.bet_price.scraped_at,
        exports=(
            Exported("is_live", "In play", lambda row: row.bet_price.is_live, Kind.FLAG),
            Exported("scraped_at", "Seen", lambda row: time_value(row.bet_price.scraped_at),
            Kind.TIME),
        ),
        tip=_("Time since the price was last seen at the bookmaker"),
        priority=Priority.USEFUL,
    ),
    ColumnSpec(
        "cautions",
        N_("Warning"),
        Column(
            _("{reason} after commission").format(reason="below 2.01 %"),
            Align.LEFT,
            stretches=True,
            widest=_("{reason} after commission").format(reason="below 2.01 %") + " + 2",
            narrow="below 2.01 %",
        ),
        _caution,
        lambda row: (against_text(row), -len(row.others)),
        exports=(
            Exported(
                "cautions",
                "Warnings",
                lambda row: " ".join(each.value for each in _found(row).cautions),
            ),
        ),
        tip=_("Why the price is no value bet and has no stake; for value bets, who "
        "else has the bet"),
        priority=Priority.IMPORTANT,
    ),
)  # fmt: skip
EV_COLUMN, ODDS_COLUMN, STAKE_COLUMN = (
    [column.key for column in COLUMNS].index(key) for key in ("true_ev_pct", "odds", "stake")
)
