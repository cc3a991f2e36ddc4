"""Opportunities as a table: a leg a row, what is of all legs in the row of the first."""

import math
from collections.abc import Callable, Container, Iterable, Iterator
from functools import reduce
from typing import Any, Final

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import market_text, period_text, selection_text, shown_game
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, pgettext, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import CellKey
from oddsdesk.board.opportunities.finder import OpportunityKey, OpportunityLeg
from oddsdesk.board.valuation.verdict_words import (
    available_in_words,
    caution_text,
    currency_text,
    levels_in_words,
)
from oddsdesk.desk.bet_cells import at_bookmaker, stake_text
from oddsdesk.desk.export.files import Row, identified, time_value
from oddsdesk.desk.opportunities.rows import LegKey, LegRow, rules_text
from oddsdesk.desk.ui.formatting import (
    clock_text,
    exact_odds_text,
    gain_text,
    game_text,
    odds_sample,
    odds_text,
    percent_text,
    signed_hundredths_text,
    signed_text,
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
    Value,
    age_cell,
    aged,
)
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.pricing.opportunities import LEAST_WIN_PCT, OpportunityKind, Outlay

_NO_PRICE: Final = _("no reliable price")
_RECEDING: Final = (TextRole.STRONG, TextRole.VALUE, TextRole.SOFT)
"""What is written so, and may be another by now, is a note until it is looked at."""
_UNKNOWN: Final = Cell("–", TextRole.NOTE)
_APART: Final = 1e6
"""Beyond any guaranteed return in percent."""
KIND_TITLES: Final = {
    OpportunityKind.ARBITRAGE: _("Arbitrage"),
    OpportunityKind.MIDDLE: _("Middle"),
    OpportunityKind.LOW_HOLD: _("Low hold"),
}


class OpportunitiesModel(StableRowsModel[LegKey, LegRow]):
    """Opportunities, the most profitable on top until the user sorts otherwise."""

    def __init__(self, clock: Clock, board: Board) -> None:
        super().__init__(COLUMNS, PROFIT_COLUMN, clock)
        self._board = board
        self._is_behind = False
        self.half_placed: Container[OpportunityKey] = ()
        """Opportunities with an open side, always on top. Set this before the rows."""

    def recede(self, *, is_behind: bool) -> None:
        """Show rows as possibly outdated, or normally."""
        if is_behind is not self._is_behind:
            self._is_behind = is_behind
            self._touch_all()

    def _sorted(self, keys: Iterable[LegKey]) -> list[LegKey]:
        return sorted(super()._sorted(keys), key=lambda key: key[0] not in self.half_placed)

    def are_together(self, one: LegKey, other: LegKey) -> bool:
        return one[0] == other[0]

    def cell(self, row: int, column: int) -> Cell:
        cell = super().cell(row, column)
        if self._is_behind and cell.ink in _RECEDING:
            cell = cell._replace(ink=TextRole.NOTE, is_strong=False)
        if column not in (ODDS_COLUMN, PROFIT_COLUMN, SEEN_COLUMN):
            return cell
        shown = self.entry(row)
        if shown.placed and column != PROFIT_COLUMN:
            return cell  # a bet does not age
        if column == SEEN_COLUMN:
            is_there = shown.is_priced and not self.is_gone(row)
            return age_cell(self._seen_at(shown.leg), self._clock()) if is_there else cell
        legs = shown.found.legs if column == PROFIT_COLUMN else (shown.leg,)
        freshness = max(self._board.freshness_of(leg.key) for leg in legs)
        return aged(cell, freshness, self._clock(), is_figure=column == PROFIT_COLUMN)

    def _seen_at(self, leg: OpportunityLeg) -> int:
        """Return when the price of a leg was seen last: after the look that found it, too."""
        price = self._board.price(leg.key.game_id, CellKey(*leg.key[1:]))
        return leg.seen_at if price is None or price.odds != leg.odds else price.scraped_at

    def tip(self, row: int, column: int) -> str:
        if self.is_gone(row):
            return _("No longer an opportunity at these prices")
        return "\n".join(self._told(self.entry(row)))

    def _told(self, row: LegRow) -> Iterator[str]:
        return _facts(row, self._seen_at(row.leg), self._clock())


def open_text(row: LegRow) -> str:
    """Return what an opportunity is open on, and what to stake there; empty where it is not."""
    if row.rest is None:
        return ""
    if row.lacking:
        lacking = _joined(_("{one} or {other}"), row.lacking)
        return _("no reliable price now for {legs}").format(legs=lacking)
    with_stake = _("{leg}, stake {stake}")
    on = (
        row.found.leg_text(place)
        if row.is_lost
        else with_stake.format(
            leg=row.found.leg_text(place), stake=_staked_text(row.found.legs[place], stake)
        )
        for place, stake in row.rest.stakes.items()
    )
    legs = _joined(_("{one} and {other}"), on)
    if not row.loses:
        return _("still to place: {legs}").format(legs=legs)
    return _("now at a loss: {legs} would leave {percent} % at worst").format(
        legs=legs, percent=signed_hundredths_text(row.staked.worst_of_all_pct)
    )


def _joined(of_two: str, parts: Iterable[str]) -> str:
    """Join parts by a text for ``{one}`` and ``{other}``."""
    return reduce(lambda one, other: of_two.format(one=one, other=other), parts)


def middle_text(row: LegRow) -> str:
    """Return what a middle wins and its break-even, or what a push leaves if a line can push.

    The win is for the listed stakes; once legs are placed, only the chance is shown.
    """
    middle, staked = row.found.middle, row.staked
    if row.unpriced is not None:
        return ""
    if middle is None:
        return _push_text(staked)
    chance = "" if middle.chance is None else f"{percent_text(middle.chance * 100)} %"
    if row.outlay is not None:
        return chance and _("chance {chance}").format(chance=chance)
    text = (
        _("hit {win} · {chance}, needs {needed} %") if chance else _("hit {win} · needs {needed} %")
    )
    return text.format(
        win=signed_hundredths_text(middle.hit),
        chance=chance,
        needed=percent_text(middle.break_even * 100),
    )


def _push_text(staked: Outlay) -> str:
    """Return the result of a push, and the worst other result where that is higher."""
    if staked.push is None:
        return ""
    text = _("push {push}")
    if staked.push < staked.worst:
        text = _("push {push}, else {worst}")
    return text.format(
        push=signed_hundredths_text(staked.push), worst=signed_hundredths_text(staked.worst)
    )


def _facts(row: LegRow, seen_at: int, now_ms: int) -> Iterator[str]:
    found, leg = row.found, row.leg
    named = leg.named(leg.key.selection)
    if row.bet is not None:
        yield f"{named}{at_bookmaker(row.bet)}: {exact_odds_text(row.odds)}"
    elif row.is_priced:
        yield _("{selection} at {bookmaker}: {odds}").format(
            selection=named, bookmaker=leg.bookmaker, odds=exact_odds_text(leg.odds)
        )
    else:
        yield f"{named}: {_NO_PRICE}"
    game = shown_game(found.match_name)
    yield f"{KIND_TITLES[row.kind]} · {game} · {_market_text(row)}"
    if row.is_priced and row.bet is None:
        yield from _price_facts(row, seen_at, now_ms)
    staked = row.staked
    for bet in row.placed:
        yield _("Placed {stake}{at_bookmaker}, {odds}").format(
            stake=stake_text(bet), at_bookmaker=at_bookmaker(bet), odds=exact_odds_text(bet.odds)
        )
    if row.is_priced and row.bet is not None:
        yield _("Best price now: {odds} at {bookmaker}").format(
            odds=exact_odds_text(leg.odds), bookmaker=leg.bookmaker
        )
    if text := open_text(row):
        yield text[0].upper() + text[1:]
    if row.lacking:
        return
    if row.is_lost:
        yield _("No stake: these prices may be out of date")
    elif row.rest is not None:
        yield _(
            "Guaranteed return then {percent} % if every leg stands: {money} on {staked:g} staked"
        ).format(
            percent=signed_hundredths_text(staked.worst_of_all_pct),
            money=signed_hundredths_text(staked.worst_of_all),
            staked=num(staked.staked),
        )
    else:
        yield _(
            "All legs: {staked:g} staked, guaranteed return {money} after rounding, if every leg "
            "stands"
        ).format(staked=num(staked.staked), money=signed_hundredths_text(staked.worst_of_all))
    if found.eaten_pct >= LEAST_WIN_PCT and row.outlay is None:
        yield _(
            "Rounding stakes eats the profit: a smaller step or a larger total returns up to "
            "{percent} %"
        ).format(percent=signed_hundredths_text(found.eaten_pct))
    if text := middle_text(row):
        yield text[0].upper() + text[1:]
    if row.limited_by:
        yield _("All stakes are smaller, for the limit at {bookmaker}").format(
            bookmaker=row.limited_by
        )
    if row.profile.limit is not None:
        yield _("Your limit at {bookmaker}: {limit:,g}").format(
            bookmaker=row.bookmaker, limit=num(row.profile.limit)
        )
    yield from (_("Rules: {text}").format(text=translated(note.text)) for note in row.notes)


def _staked_text(leg: OpportunityLeg, stake: float) -> str:
    """Return a leg's stake; for a lay, the backer's stake and the liability."""
    backers = leg._replace(stake=stake).backers_stake
    if backers is None:
        return f"{num(stake):g}"
    return _("{stake:.2f} (liability {liability:g})").format(
        stake=num(backers), liability=num(stake)
    )


def _price_facts(row: LegRow, seen_at: int, now_ms: int) -> Iterator[str]:
    leg = row.leg
    if leg.is_lay:
        yield _("Wins if {selection} does not: {odds} net").format(
            selection=selection_text(leg.key.selection),
            odds=exact_odds_text(round(leg.net_odds, 4)),
        )
        if row.stake and (staked := _backers_stake(row)) is not None:
            yield _("Backer's stake {stake:.2f}, liability {liability:g}").format(
                stake=num(staked), liability=num(row.stake)
            )
    elif leg.net_odds != leg.odds:
        yield _("Net {odds}").format(odds=exact_odds_text(round(leg.net_odds, 4)))
    if leg.same_at:
        yield _("The same at {names}").format(names=", ".join(leg.same_at))
    levels = levels_in_words(row.profile, leg.depth)
    if leg.is_lay:
        yield from available_in_words(row.profile, leg.depth)
    elif for_sale := ", ".join(
        _("{amount} at {odds}").format(amount=amount, odds=odds) for odds, amount in levels
    ):
        yield _("Available: {amounts}").format(amounts=for_sale)
        if text := currency_text(leg.depth):
            yield text
    yield _("Seen at {time}").format(time=clock_text(seen_at, now_ms))
    for caution in leg.cautions:
        yield _("Warning vs {sharp_book}: {warning}").format(
            sharp_book=row.reference, warning=caution_text(caution, row.reference)
        )


def _of_all(cell: Callable[[LegRow], Cell]) -> Callable[[LegRow, int], Cell]:
    """Show a figure of the whole opportunity in the row of its first leg."""
    return lambda row, _now: cell(row) if row.is_first else EMPTY


def _kind(row: LegRow) -> Cell:
    is_sure = row.kind is OpportunityKind.ARBITRAGE
    return Cell(KIND_TITLES[row.kind], TextRole.STRONG if is_sure else TextRole.SOFT)


def _profit(row: LegRow) -> Cell:
    if row.lacking:
        return _UNKNOWN
    profit = row.staked.worst_of_all_pct
    is_win = profit > 0 and not row.is_too_good
    ink = TextRole.VALUE if is_win else TextRole.SOFT
    return Cell(gain_text(profit), ink, is_strong=is_win)


def _margin(row: LegRow) -> Cell:
    if row.unpriced is not None:
        return _UNKNOWN
    return Cell(f"{signed_text(row.found.hold_pct)} %", TextRole.NOTE)


def _selection(row: LegRow, _now: int) -> Cell:
    selection = row.leg.key.selection
    game = game_text(selection, row.found.match_name)
    return Cell(
        row.leg.named(selection),
        is_strong=True,
        note=_("live") + f" · {game}" if row.found.in_play else game,
    )


def _market(row: LegRow) -> Cell:
    """Show the market once, in the first row, if all legs share it, else in each row."""
    is_shown = row.is_first or row.found.market_type is None
    return Cell(_market_text(row), TextRole.SOFT) if is_shown else EMPTY


def _market_text(row: LegRow) -> str:
    key = row.leg.key
    title = market_text(key.market_type)
    return f"{title} · {period_text(row.found.sport, key.period)}" if key.period else title


def _odds(row: LegRow, _now: int) -> Cell:
    if not (row.placed or row.is_priced):
        return _UNKNOWN
    net = odds_text(row.net_odds) if row.net_odds != row.odds else ""
    return Cell(odds_text(row.odds), is_strong=True, note=net)


def _at(row: LegRow, _now: int) -> Cell:
    if not row.bookmaker or not (row.placed or row.is_priced):
        return EMPTY
    others = len(row.placed) - 1 if row.placed else len(row.leg.same_at)
    return Cell(row.profile.short or row.bookmaker, note=f"+{others}" if others else "")


def _placed_on(row: LegRow) -> float:
    return sum(bet.staked for bet in row.placed)


def _hold_pct(row: LegRow) -> float | None:
    return row.found.hold_pct if row.unpriced is None else None


def _worst_case(row: LegRow) -> float | None:
    return None if row.lacking else row.staked.worst_of_all


def _backers_stake(row: LegRow) -> float | None:
    """The backer's stake of a lay; its own stake is the liability."""
    return row.leg._replace(stake=row.stake).backers_stake


def _stake(row: LegRow, _now: int) -> Cell:
    if row.placed:
        staked = _placed_on(row)
        if all(bet.kind is BetKind.LAY for bet in row.placed):
            laid = math.fsum(bet.stake for bet in row.placed)
            return Cell(
                f"✓ {num(laid):.2f}",
                TextRole.ACCENT,
                note=_("{amount} liability").format(amount=f"{num(staked):.12g}"),
            )
        return Cell(f"✓ {num(staked):g}", TextRole.ACCENT)
    backers = _backers_stake(row) if row.stake else None
    notes = (
        "" if backers is None else _("{amount} liability").format(amount=f"{num(row.stake):g}"),
        "" if row.rest is None else pgettext("a leg", "open"),
        pgettext("a stake", "limit") if row.leg.bookmaker == row.limited_by else "",
    )
    note = " ".join(filter(None, notes))
    if not row.stake:
        return Cell("–", TextRole.NOTE, note=note)
    return Cell(
        f"{num(row.stake):g}" if backers is None else f"{num(backers):.2f}",
        is_strong=True,
        note=note,
    )


def _seen(row: LegRow, now_ms: int) -> Cell:
    return age_cell(row.leg.seen_at, now_ms) if row.is_priced and not row.placed else EMPTY


_UNCHECKED: Final = {False: _("not checked"), True: _("likely error, not checked")}
"""By whether the win is too good to be true."""


def _caution(row: LegRow, _now: int) -> Cell:
    rules = rules_text(row) if row.is_first else ""
    if not row.is_priced and not row.placed:
        return Cell(_NO_PRICE, TextRole.VALUE, note=rules)
    cautions = () if row.placed else row.leg.cautions  # a placed bet has its price
    if not cautions:
        unchecked = "" if row.placed or row.leg.is_checked else _UNCHECKED[row.is_too_good]
        ink = TextRole.VALUE if unchecked == _UNCHECKED[True] else TextRole.SOFT
        return Cell(" · ".join(filter(None, (unchecked, rules))), ink)
    more = f"+ {len(cautions) - 1}" if len(cautions) > 1 else ""
    note = " · ".join(filter(None, (more, rules)))
    return Cell(caution_text(cautions[0], row.reference), TextRole.VALUE, note=note)


def _worst_downwards(row: LegRow) -> float:
    """On top is what nobody can complete now, last what may be a mistake; so it is upwards."""
    if row.lacking:
        return _APART
    worst = row.staked.worst_of_all_pct
    return worst - _APART if row.is_too_good else worst


def _worst_upwards(row: LegRow) -> float:
    if row.lacking:
        return -_APART
    worst = row.staked.worst_of_all_pct
    return worst + _APART if row.is_too_good else worst


def _kind_rank(row: LegRow) -> Any:
    return list(OpportunityKind).index(row.kind), row.found.total


def _identity(row: LegRow) -> Row:
    found, key = row.found, row.leg.key
    return (
        key.game_id,
        found.match_name,
        found.competition,
        found.sport,
        time_value(found.kick_off),
        key.market_type,
        key.period,
        key.selection,
    )


def _seen_at(row: LegRow) -> str | None:
    return time_value(row.leg.seen_at) if row.is_priced and not row.placed else None


def _if_priced(of: Callable[[LegRow], Value]) -> Callable[[LegRow], Value]:
    return lambda row: of(row) if row.placed or row.is_priced else None


COLUMNS: Final[tuple[ColumnSpec[LegRow, int], ...]] = (
    ColumnSpec(
        "kind",
        N_("Kind"),
        Column(max(KIND_TITLES.values(), key=len), Align.LEFT),
        _of_all(_kind),
        _kind_rank,
        exports=(
            Exported("kind", "Kind", lambda row: row.kind.value),
            Exported("leg", "Leg", lambda row: row.place + 1, Kind.NUMBER),
            *identified(_identity),
            Exported("bookmaker", "Bookmaker", _if_priced(lambda row: row.bookmaker)),
        ),
        tip=_(
            "Arbitrage: wins at every result if every leg stands. Low hold: costs at "
            "most 2 %, or completes legs you placed. Middle: no leg loses if the "
            "result is between the lines"
        ),
        priority=Priority.IMPORTANT,
    ),
    ColumnSpec(
        "profit_pct",
        N_("Guaranteed"),
        Column("+10.00 %"),
        _of_all(_profit),
        _worst_downwards,
        order_up=_worst_upwards,
        exports=(),
        descending_first=True,
        tip=_(
            "Guaranteed return if every leg stands: the worst outcome, pushes "
            "included, in percent of all stakes. Half placed ones are always on top, "
            "likely errors at the bottom"
        ),
    ),
    ColumnSpec(
        "hold_pct",
        N_("Margin"),
        Column("−10.0 %"),
        _of_all(_margin),
        _hold_pct,
        exports=(),
        tip=_(
            "Market margin at odds after fees, before stakes are rounded; below 0 is "
            "an arbitrage if rounding leaves a profit"
        ),
        priority=Priority.USEFUL,
    ),
    ColumnSpec(
        "selection",
        N_("Selection"),
        Column(
            "Timberwolves −113.5 v O",
            Align.LEFT,
            stretches=True,
            likes="Timberwolves −113.5 v Oklahoma City Thunder",
            widest="Minnesota Timberwolves −113.5 live v Oklahoma City Thunder or so",
            before_others=f"{selection_text('Home Over 113.5')} Minneso",
            narrow=selection_text("Over 113.5"),
        ),
        _selection,
        lambda row: row.found.match_name,
        exports=(),
    ),
    ColumnSpec(
        "market_type",
        N_("Market"),
        Column(
            f"{translated('Match result')} · {translated('1st Quarter')[:5]}",
            Align.LEFT,
            stretches=True,
            widest=f"{translated('Both teams to score')} · {translated('1st Half')}",
        ),
        lambda row, _now: _market(row),
        lambda row: (row.found.legs[0].key.market_type, row.found.key.period),
        exports=(),
        in_short=lambda row: untold_text(
            row.leg.key.market_type,
            row.found.sport,
            row.leg.key.period,
            row.leg.key.selection,
            row.found.match_name,
        ),
        priority=Priority.USEFUL,
    ),
    ColumnSpec(
        "odds",
        N_("Odds"),
        Column("", note_sample="8.888", hangs=True, narrow=""),
        _odds,
        lambda row: row.found.legs[0].odds,
        exports=(
            Exported("odds", "Odds", _if_priced(lambda row: row.odds), Kind.NUMBER),
            Exported("net_odds", "Net odds", _if_priced(lambda row: row.net_odds), Kind.NUMBER, 4),
            Exported("side", "Side", lambda row: "lay" if row.leg.is_lay else "back"),
            Exported("backers_stake", "Backer's stake", _backers_stake, Kind.NUMBER, 2),
        ),
        descending_first=True,
        sample=odds_sample,
        tip=_(
            "The odds offered; the small figure is after commission or tax. For a "
            "lay: the backer's odds, and what 1 of liability returns"
        ),
    ),
    ColumnSpec(
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
        lambda row: row.found.legs[0].bookmaker.casefold(),
        exports=(),
        tip=_(
            "Bookmaker with the price; +2: two more have it, see the row's tooltip. "
            "For a leg you placed: where"
        ),
        short_title=N_("Book"),
    ),
    ColumnSpec(
        "stake",
        N_("Stake"),
        Column("100.00", note_sample=_("{amount} liability").format(amount="100"), narrow=""),
        _stake,
        lambda row: 0.0 if row.is_lost else row.staked.stakes[0],
        exports=(
            Exported("stake", "Stake", lambda row: row.stake, Kind.NUMBER, 2),
            Exported("placed", "Placed", _placed_on, Kind.NUMBER, 2),
            Exported("hold_pct", "Margin %", _hold_pct, Kind.NUMBER, 2),
            Exported("worst", "Guaranteed return", _worst_case, Kind.NUMBER, 2),
        ),
        descending_first=True,
        tip=_(
            "Your total per opportunity, split so that the worst outcome returns "
            "most; for a lay, the backer's stake, and in small its liability, which "
            "counts in the total. Limit: your limit or what is available there, so "
            "all stakes are smaller. ✓ is your open bet; the other legs complete it"
        ),
    ),
    ColumnSpec(
        "seen",
        N_("Seen"),
        Column("59 min"),
        _seen,
        lambda row: -min(leg.seen_at for leg in row.found.legs),
        exports=(
            Exported("is_live", "In play", lambda row: row.found.in_play, Kind.FLAG),
            Exported("scraped_at", "Seen", _seen_at, Kind.TIME),
        ),
        tip=_("Time since the price was last seen at the bookmaker"),
        priority=Priority.IMPORTANT,
    ),
    ColumnSpec(
        "middle",
        N_("Middle, push"),
        Column(
            _("hit {win} · {chance}, needs {needed} %").format(
                win="+96.50", chance="10.1 %", needed="2.5"
            ),
            Align.LEFT,
        ),
        _of_all(lambda row: Cell(middle_text(row), TextRole.SOFT)),
        lambda row: -1.0 if row.found.middle is None else row.found.middle.hit,
        exports=(),
        descending_first=True,
        tip=_(
            "Hit: the least that a middle wins, and its chance by the sharp book's "
            "odds. Needs: the chance at which it breaks even. Push: the return if a "
            "line is hit exactly"
        ),
        priority=Priority.EXTRA,
    ),
    ColumnSpec(
        "cautions",
        N_("Warning vs sharp book"),
        Column("likely error, far above fair", Align.LEFT, stretches=True),
        _caution,
        lambda row: len(row.found.legs[0].cautions),
        exports=(
            Exported(
                "cautions",
                "Warnings",
                lambda row: "" if row.placed else " ".join(c.value for c in row.leg.cautions),
            ),
            Exported("notes", "Rules", lambda row: ". ".join(note.text for note in row.notes)),
        ),
        tip=_(
            "What is wrong with the price compared with the sharp book. A price far "
            "above fair is often an error that the bookmaker voids. Not checked: no "
            "fair odds are known, so only a margin below -10 % shows an error. Rules "
            "differ, rules not known: one leg may be void while another is lost, see "
            "the row's tooltip"
        ),
        priority=Priority.IMPORTANT,
    ),
)
PROFIT_COLUMN, ODDS_COLUMN, SEEN_COLUMN = (
    [column.key for column in COLUMNS].index(key) for key in ("profit_pct", "odds", "seen")
)
