"""The value bets as rows: an outcome each, its best net price, its stake, what is against it."""

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Final, NamedTuple

from msgspec.structs import replace

from oddsdesk.board.assessed import AssessedPrice
from oddsdesk.board.bets import Bet
from oddsdesk.board.freshness import Freshness
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.verdict_words import (
    PER_DECIDED,
    PER_DECIDED_TEXT,
    bound_text,
    caution_text,
    for_sale_text,
    levels_in_words,
    told_cautions,
)
from oddsdesk.clock import Clock
from oddsdesk.contract.markets import MARKET_RANK
from oddsdesk.desk.ui.formatting import (
    beside_text,
    edge_text,
    exact_odds_text,
    fair_text,
    odds_sample,
    odds_text,
    percent_text,
    signed_text,
    untold_text,
)
from oddsdesk.desk.ui.table.cells import Align, Cell, Column, aged
from oddsdesk.desk.ui.table.column_spec import ColumnSpec
from oddsdesk.desk.ui.table.stable_rows import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.ui.time_format import clock_text, local_time
from oddsdesk.desk.value_bets.cells import (
    BOOKMAKER_WIDTH,
    EV_WIDTH,
    MARKET_WIDTH,
    SELECTION_WIDTH,
    ev_cell,
    market_text,
    seen_cell,
)
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.assessment import Assessment
from oddsdesk.pricing.exposure import Bound
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.rules import MIN_EV, Rule

OutcomeKey = tuple[object, ...]
"""An outcome: its row stays where it is while its price becomes value or ceases to be."""
_LOWEST: Final = float("-inf")
_MOST_NAMED: Final = 12
"""So many other bookmakers are named in a tooltip."""
_TOO_LITTLE: Final = f"below {MIN_EV:g} %"


class BetRow(NamedTuple):
    """An outcome with its best price, and what the user makes of it."""

    bet: Bet
    others: tuple[AssessedPrice, ...]
    """The other prices of the outcome, the best first."""
    service_ev_pct: float | None
    """As the service itself states it, else by its rules; None where it values nothing."""
    liquidity: float | None
    """The reference's maximum bet, in its own currency (D55)."""
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
    def price(self) -> AssessedPrice:
        """The price that is shown: the best net one."""
        return self.bet.price


class ValuesModel(StableRowsModel[OutcomeKey, BetRow]):
    """Outcomes, those of value first, highest true EV on top until the user sorts otherwise."""

    def __init__(self, clock: Clock, freshness: Callable[[RowKey], Freshness]) -> None:
        super().__init__(COLUMNS, EV_COLUMN, clock)
        self._freshness = freshness
        self._made: dict[OutcomeKey, tuple[BetRow, list[Cell | None]]] = {}
        self.why_lost = ""
        """Why no price was known to stand when rows were made; empty where they were."""

    def cell(self, row: int, column: int) -> Cell:
        """Return how a cell looks now: it is made anew for another row, and when it has aged."""
        if self.is_gone(row):
            return super().cell(row, column)
        key, shown = self.key(row), self.entry(row)
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
        return aged(cell, self._freshness(self.entry(row).price.key), self._clock())

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
            return "Gone: it is no value bet any more"
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
    found = row.price.assessment
    why = _against(found, row.reference)
    is_net = found.net_odds != found.odds and why == _TOO_LITTLE
    return f"{why} after {_keeps(row.profile)}" if is_net else why


def _against(found: Assessment, reference: str) -> str:
    if found.cautions:
        return caution_text(told_cautions(found)[0], reference)
    if found.is_value:
        return ""
    is_below = any(check.rule is Rule.MIN_EDGE for check in found.stopped_by)
    return _TOO_LITTLE if is_below else "outside the rules"


def _keeps(profile: Profile) -> str:
    if profile.taker_fee:
        return "the taker's fee"
    if profile.commission:
        return f"{profile.commission * 100:g} % commission"
    return f"{profile.tax * 100:g} % tax"


def _is_no_carrier(bet: Bet) -> tuple[bool, bool, bool, float]:
    """Value first, and of it what carries the stake."""
    is_other = bet.same_bet_as is not None
    return not bet.price.is_value, is_other, not bet.stake, -bet.price.assessment.net_odds


def _facts(row: BetRow, now_ms: int) -> Iterator[str]:
    price, found = row.price, row.price.assessment
    yield f"{price.key.selection} at {price.bookmaker}: {exact_odds_text(found.odds)}"
    yield f"{beside_text('', price.match_name)} · {_market_of(price)}"
    if found.net_odds != found.odds:
        yield f"Net {exact_odds_text(round(found.net_odds, 4))} after {_keeps(row.profile)}"
    if found.fair_odds is not None:
        yield f"Fair {fair_text(found.fair_odds)}, by {row.reference}"
    if found.per == "decided":
        yield f"EV {PER_DECIDED_TEXT}"
    if row.service_ev_pct is not None:
        by = f", by {row.service_reference}" if row.service_reference else ""
        yield f"Service EV {edge_text(row.service_ev_pct)}{by}"
    for caution in told_cautions(found):
        yield f"No value: {caution_text(caution, row.reference)}"
    if row.liquidity is not None:
        yield f"{row.reference} takes up to {row.liquidity:,.0f}, in its own currency"
    levels = levels_in_words(row.profile, price.depth)
    if for_sale := ", ".join(f"{amount} at {odds}" for odds, amount in levels):
        yield f"For sale: {for_sale}"
    if price.scraped_at is not None:
        yield f"Seen at {clock_text(price.scraped_at, now_ms)}"
    for other in row.others[:_MOST_NAMED]:
        against = _against(other.assessment, row.reference)
        why = f": no value, {against}" if against else ""
        what = other.key.selection
        written = "" if what == price.key.selection else f" as {what}"
        odds = exact_odds_text(other.assessment.odds)
        yield f"Same bet: {other.bookmaker} {odds}{written}{why}"
    if len(row.others) > _MOST_NAMED:
        yield f"and {len(row.others) - _MOST_NAMED} more"


def _about_stake(row: BetRow, why_lost: str) -> Iterator[str]:
    """How a stake came about, or why there is none; and what was placed."""
    for bet in row.placed:
        yield (
            f"Placed {bet.stake:.2f} at {bet.bookmaker}, {exact_odds_text(bet.odds)}, "
            f"{local_time(bet.placed_at):%H:%M}"
        )
    ends, why = row.price.assessment.settlement, against_text(row) or why_lost
    if why:
        yield f"No stake: {why}"
    elif ends is not None:
        net = row.price.assessment.net_odds
        yield (
            f"Edge over the fair price {signed_text(ends.gain(net) * 100)} %, "
            f"full Kelly {percent_text(ends.kelly(net) * 100)} % of the bankroll"
        )
        if row.profile.limit is not None:
            yield f"{row.price.bookmaker} takes at most {row.profile.limit:,g}, as you noted"
        for part in (row.bet, *row.parts):
            name = part.price.bookmaker
            bound = bound_text(part.bound, name, part.stake)
            where = f" at {name}" if row.parts else ""
            yield f"Stake {part.stake:g}{where}" + (f": {bound}" if bound else "")


def _market_of(price: AssessedPrice) -> str:
    return market_text(price.key.market_type, price.sport, price.key.period)


def _ink(row: BetRow) -> TextRole:
    return TextRole.STRONG if row.price.is_value else TextRole.NOTE


def _selection(row: BetRow, _now: int) -> Cell:
    price = row.price
    beside = beside_text(price.key.selection, price.match_name)
    note = f"live · {beside}" if price.is_live else beside
    return Cell(price.key.selection, _ink(row), is_strong=price.is_value, note=note)


def _odds(row: BetRow, _now: int) -> Cell:
    found = row.price.assessment
    net = odds_text(found.net_odds) if found.net_odds != found.odds else ""
    return Cell(
        odds_text(found.odds),
        _ink(row),
        is_strong=row.price.is_value,
        arrow=row.price.direction,
        note=net,
    )


def _ev(row: BetRow, _now: int) -> Cell:
    return ev_cell(row.price.assessment)


def _service(row: BetRow, _now: int) -> Cell:
    ev = row.service_ev_pct
    return Cell("–" if ev is None else edge_text(ev), TextRole.NOTE)


def _stake(row: BetRow, _now: int) -> Cell:
    placed = sum(bet.stake for bet in row.placed)
    if not row.bet.stake:
        return Cell(f"✓ {placed:g}", TextRole.ACCENT) if placed else Cell("–", TextRole.NOTE)
    note = f"✓ {placed:g}" if placed else ""
    return Cell(f"{row.bet.stake:g}", TextRole.STRONG, is_strong=True, note=note)


def _limit(row: BetRow, _now: int) -> Cell:
    return Cell("" if row.liquidity is None else f"{row.liquidity:,.0f}", TextRole.NOTE)


def _at(row: BetRow, _now: int) -> Cell:
    net = row.price.assessment.net_odds
    others = sum(each.is_value and each.assessment.net_odds == net for each in row.others)
    name = row.profile.short or row.price.bookmaker
    return Cell(name, _ink(row), note=f"+{others}" if others else "")


def _caution(row: BetRow, _now: int) -> Cell:
    found, why = row.price.assessment, against_text(row)
    if why:
        more = len(told_cautions(found)) - 1
        return Cell(why, TextRole.VALUE, note=f"+ {more}" if more > 0 else "")
    bound = ""
    if row.bet.bound is not Bound.FOR_SALE:
        bound = bound_text(row.bet.bound, row.price.bookmaker, row.bet.stake)
    used_up = [
        bound_text(part.bound, part.price.bookmaker, 0.0) for part in row.parts if not part.stake
    ]
    parts = [f"and {part.stake:g} at {part.price.bookmaker}" for part in row.parts if part.stake]
    others = sum(other.is_value for other in row.others)
    beside = f"value at {others} more" if others else ""
    told = (for_sale_text(row.price), *used_up, bound, *parts, beside)
    return Cell(" · ".join(filter(None, told)), TextRole.NOTE)


def _ev_downwards(row: BetRow) -> tuple[bool, float, bool]:
    """Value first; an EV of decided units below an equal one of staked units (D53)."""
    found = row.price.assessment
    ev = _LOWEST if found.ev_pct is None else found.ev_pct
    return found.is_value, ev, found.per == "staked"


def _ev_upwards(row: BetRow) -> tuple[bool, float, bool]:
    is_value, ev, is_staked = _ev_downwards(row)
    return not is_value, ev, is_staked


COLUMNS: Final[tuple[ColumnSpec[BetRow, int], ...]] = (
    ColumnSpec(
        "selection",
        "Selection",
        SELECTION_WIDTH,
        _selection,
        lambda row: (row.price.key.selection.casefold(), row.price.match_name),
    ),
    ColumnSpec(
        "market_type",
        "Market",
        replace(MARKET_WIDTH, drops=3),
        lambda row, _now: Cell(
            _market_of(row.price), TextRole.SOFT if row.price.is_value else TextRole.NOTE
        ),
        lambda row: (
            MARKET_RANK.get(row.price.key.market_type, len(MARKET_RANK)),
            row.price.key.period,
        ),
        in_short=lambda row: untold_text(
            row.price.key.market_type,
            row.price.sport,
            row.price.key.period,
            row.price.key.selection,
            row.price.match_name,
        ),
    ),
    ColumnSpec(
        "odds",
        "Odds",
        Column("", note_sample="8.888", has_arrow=True, hangs=True, narrow=""),
        _odds,
        lambda row: row.price.assessment.odds,
        descending_first=True,
        sample=odds_sample,
        tip="The price as it is offered; beside it what is left after commission or tax",
    ),
    ColumnSpec(
        "bookmaker",
        "At",
        BOOKMAKER_WIDTH,
        _at,
        lambda row: row.price.bookmaker.casefold(),
        tip="Who offers the best net price; +2: two more do, see the row's tip",
    ),
    ColumnSpec(
        "true_ev_pct",
        "EV net",
        replace(EV_WIDTH, drops=6, narrow=f"{EV_WIDTH.sample} {PER_DECIDED}"),
        _ev,
        _ev_downwards,
        order_up=_ev_upwards,
        descending_first=True,
        tip="The edge over the fair price by your devig method, of a unit staked, after "
        f"commission, safety floor included; {PER_DECIDED} {PER_DECIDED_TEXT}",
    ),
    ColumnSpec(
        "service_ev_pct",
        "Service",
        Column("+10.00 %", drops=2),
        _service,
        lambda row: _LOWEST if row.service_ev_pct is None else row.service_ev_pct,
        descending_first=True,
        tip="The edge as the service states it: of the gross price",
    ),
    ColumnSpec(
        "stake",
        "Stake",
        Column("1,000", note_sample="✓ 888", narrow=""),
        _stake,
        lambda row: (row.bet.stake, sum(bet.stake for bet in row.placed)),
        descending_first=True,
        tip="What to stake on this outcome, once, and what bound it; ✓ is what you placed "
        "and is open",
    ),
    ColumnSpec(
        "liquidity",
        "Limit",
        Column("100,000", drops=1),
        _limit,
        lambda row: _LOWEST if row.liquidity is None else row.liquidity,
        descending_first=True,
        tip="The reference bookmaker's maximum bet, in its own currency",
    ),
    ColumnSpec(
        "scraped_at",
        "Seen",
        Column("59 min", drops=5),
        lambda row, now: seen_cell(row.price.scraped_at, now),
        lambda row: _LOWEST if row.price.scraped_at is None else -row.price.scraped_at,
        tip="How long ago the bookmaker was last seen to offer the price",
    ),
    ColumnSpec(
        "cautions",
        "Caution",
        Column(
            "below 1 % after 5 % commission",
            Align.LEFT,
            stretches=True,
            widest="below 1 % after 5 % commission + 2",
            drops=4,
        ),
        _caution,
        lambda row: (against_text(row), -len(row.others)),
        tip="Why a price is no value and has no stake; of value who else offers the same bet",
    ),
)  # fmt: skip
EV_COLUMN, ODDS_COLUMN, STAKE_COLUMN = (
    [column.key for column in COLUMNS].index(key) for key in ("true_ev_pct", "odds", "stake")
)
