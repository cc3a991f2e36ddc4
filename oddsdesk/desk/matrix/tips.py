"""What the tooltips of a matrix say of prices, windows and holds."""

from collections.abc import Sequence
from typing import Protocol

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import selection_text
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _
from oddsdesk.board.board import Board
from oddsdesk.board.model.basis import Freshness
from oddsdesk.board.model.matrix import Laid, Price, RowKey, Section, SelectionRow
from oddsdesk.board.valuation.figures import window_without
from oddsdesk.board.valuation.pool import PooledLine
from oddsdesk.board.valuation.verdict_words import (
    caution_text,
    derived_text,
    laid_text,
    sides_in_words,
)
from oddsdesk.desk.ui.controls.messages import capitalized
from oddsdesk.desk.ui.formatting import (
    clock_text,
    exact_odds_text,
    fair_text,
    least_text,
    most_text,
    odds_text,
    unmoved_text,
)
from oddsdesk.pricing.assessment import doubts_in_order
from oddsdesk.pricing.consensus import CONSENSUS_TITLES

_WORDS = {
    Freshness.FRESH: "",
    Freshness.AGEING: _("ageing: usually read more often"),
    Freshness.STALE: _("stale: several readings missed"),
    Freshness.DEAD: _("dead: not read for 10 minutes, no longer shown by the service"),
}

_MOST_VOTERS = 25


class TipContext(Protocol):
    """What a tooltip needs, apart from the row."""

    board: Board
    game_id: str
    clock: Clock

    def freshness(self, bookmaker: str, price: Price | None) -> Freshness:
        """Return how old a price is."""


def price_tip(section: Section, row: SelectionRow, bookmaker: str, context: TipContext) -> str:
    """Return the tooltip of a bookmaker's price: its clocks, its worth, and what is against it."""
    price, board = row.prices.get(bookmaker), context.board
    if price is None:
        return _("{bookmaker}: no price for {selection}").format(
            bookmaker=bookmaker, selection=selection_text(row.selection)
        )
    freshness, now_ms = context.freshness(bookmaker, price), context.clock()
    head = _("{bookmaker}: {exact_odds} for {selection}").format(
        bookmaker=bookmaker,
        exact_odds=exact_odds_text(price.odds),
        selection=selection_text(row.selection),
    )
    said = [head, *_clocks(price, freshness, now_ms)]
    key = RowKey(context.game_id, *section.key[:2], row.selection, bookmaker)
    found = board.assess(key)
    if found is not None and found.net_odds != found.odds:
        said.append(
            _("net {exact_odds} after {bookmaker}'s fees").format(
                exact_odds=exact_odds_text(round(found.net_odds, 4)), bookmaker=bookmaker
            )
        )
    said += sides_in_words(board.basis.profiles.profile_of(bookmaker), price.depth)
    if found is not None and found.fair_odds is not None:
        reference = board.reference_name
        if found.is_value:
            window = _window(*window_without(section, row, bookmaker))
            how = f", {derived}" if (derived := derived_text(found)) else ""
            said.append(
                _("value bet: fair odds {fair} ({reference}{how}), {window}").format(
                    fair=fair_text(found.fair_odds), reference=reference, how=how, window=window
                )
            )
        said += [
            _("no value: {caution}").format(caution=caution_text(each, reference))
            for each in found.cautions
        ]
    elif found is not None:
        doubts = doubts_in_order(found.cautions)
        said += [_("no value: {caution}").format(caution=caution_text(each, "")) for each in doubts]
    if not board.basis.is_mine(bookmaker):
        said.append(_("not one of your bookmakers"))
    said += _ranks(row, bookmaker, has_mine=board.basis.mine is not None)
    return "\n".join(said)


def best_tip(
    section: Section,
    row: SelectionRow,
    offered: Sequence[str],
    context: TipContext,
    laid: Laid | None = None,
) -> str:
    """Return the tooltip of a best price: the first bookmaker that offers it, then the others.

    It names the best price of all and a higher one that is doubted, too: a narrow table may not
    show them.
    """
    best, reference = row.offer.found(), context.board.reference_name
    if offered:
        said = [price_tip(section, row, offered[0], context)]
        if offered[1:]:
            said.append(_("the same at {names}").format(names=", ".join(offered[1:])))
    else:
        whose = (
            _("None of your bookmakers")
            if context.board.basis.mine is not None
            else _("No bookmaker")
        )
        said = [
            _("{whose} has a comparable price for {selection}.").format(
                whose=whose, selection=selection_text(row.selection)
            )
        ]
    if laid is not None:
        if offered:
            said[0] = _("best back: {said}").format(said=said[0])
        said.insert(0, laid_text(laid, odds_text))
    if best.of_all.bookmakers and best.of_all.net != best.mine.net:
        name = best.of_all.bookmakers[0]
        said.append(
            _("best of all: {exact_odds} at {name}").format(
                exact_odds=exact_odds_text(row.prices[name].odds), name=name
            )
        )
    if best.doubted is not None:
        name, odds, _keeper, caution = best.doubted
        why = caution_text(caution, reference)
        said.append(
            _("doubtful: {exact_odds} at {name}: {why}").format(
                exact_odds=exact_odds_text(odds), name=name, why=why
            )
        )
    return "\n".join(said)


def _ranks(row: SelectionRow, bookmaker: str, *, has_mine: bool) -> list[str]:
    """Return whether a bookmaker's price is the best, and of which bookmakers."""
    if not has_mine:
        return [_("best price")] if bookmaker in row.best_bookmakers else []
    said = [_("best price of your bookmakers")] if bookmaker in row.best_bookmakers else []
    return said + ([_("best price of all")] if bookmaker in row.best_of_all.bookmakers else [])


def best_hold_tip(section: Section) -> str:
    """Return the tooltip of the hold of best prices."""
    if section.best_hold is None:
        return _("{line_title}: not every outcome has a price.").format(
            line_title=section.line_title
        )
    others = _(", without the sharp book's") if section.reference_hold is not None else ""
    said = _("{line_title}: hold at the best prices after fees{others}: ").format(
        line_title=section.line_title, others=others
    )
    held = f"{num(section.best_hold):.2f} %"
    return (
        _("{said}{held}, an arbitrage.").format(said=said, held=held)
        if section.best_hold < 0
        else f"{said}{held}."
    )


def reference_tip(row: SelectionRow, name: str, freshness: Freshness, now_ms: int) -> str:
    """Return the tooltip of the reference's price."""
    price = row.reference
    if price is None:
        return _("{name}: no price for {selection}").format(
            name=name, selection=selection_text(row.selection)
        )
    said = [
        _("{name}: {exact_odds} for {selection}").format(
            name=name,
            exact_odds=exact_odds_text(price.odds),
            selection=selection_text(row.selection),
        )
    ]
    said += _clocks(price, freshness, now_ms)
    if row.liquidity is not None:
        said.append(_("limit {liquidity:,.0f}").format(liquidity=num(row.liquidity)))
    return "\n".join(said)


def voters_tip(section: Section, row: SelectionRow, pooled: PooledLine) -> str:
    """Return the tooltip of a consensus: who says what of a selection."""
    side = section.side_of(row.selection)
    said = [
        _("{votes} votes; bookmakers of one operator or supplier share a vote").format(
            votes=pooled.votes
        )
    ]
    for voter in pooled.voters[:_MOST_VOTERS]:
        if side in voter.group.sides:
            fair = 1 / voter.chances[voter.group.sides.index(side)]
            said.append(
                _("{bookmaker}: fair {fair}").format(
                    bookmaker=voter.bookmaker, fair=fair_text(fair)
                )
            )
    if len(pooled.voters) > _MOST_VOTERS:
        said.append(_("and {count} more").format(count=len(pooled.voters) - _MOST_VOTERS))
    return "\n".join(said)


def window_tip(row: SelectionRow, name: str) -> str:
    """Return the tooltip of the price window."""
    if row.fair is None:
        return no_reference_text(name)
    return f"{capitalized(_window(row.value_from, row.suspicious_above))} ({name})"


def window_without_tip(section: Section, row: SelectionRow, bookmaker: str) -> str:
    """Return by which window a consensus judges a price: by that of the others' votes."""
    if row.fair is None or not bookmaker:
        return ""
    if section.line_without(bookmaker) is None:
        return _("{bookmaker}: too few other votes to value its price").format(bookmaker=bookmaker)
    window = _window(*window_without(section, row, bookmaker))
    return _("{bookmaker}, by the votes of the others: {window}").format(
        bookmaker=bookmaker, window=window
    )


def no_reference_text(name: str) -> str:
    """Return that there is nothing to judge a line by."""
    if name in CONSENSUS_TITLES:
        return _("No fair odds: too few bookmakers on this line for a consensus.")
    return _("No fair odds: {name} does not price every outcome here.").format(name=name)


def hold_tip(section: Section, bookmaker: str) -> str:
    """Return the tooltip of a bookmaker's hold."""
    hold = section.holds.get(bookmaker)
    if hold is None:
        return _("{bookmaker} does not price every outcome of {line_title}.").format(
            bookmaker=bookmaker, line_title=section.line_title
        )
    return _("{bookmaker}'s hold on {line_title}: {hold:.2f} %.").format(
        bookmaker=bookmaker, line_title=section.line_title, hold=num(hold)
    )


def _window(value_from: float | None, suspicious_above: float | None) -> str:
    if value_from is None or suspicious_above is None:
        return _("no price can be value")
    least, most = least_text(value_from), most_text(suspicious_above)
    return _("value from {least}, suspicious above {most}").format(least=least, most=most)


def _clocks(price: Price, freshness: Freshness, now_ms: int) -> list[str]:
    seen = _("seen at {clock}").format(clock=clock_text(price.scraped_at, now_ms))
    unmoved = unmoved_text(price.changed_at, now_ms, has_moved=price.previous is not None)
    said = [f"{seen}, {unmoved}"]
    if price.previous is not None and price.direction:
        moved = _("up from {odds}") if price.direction > 0 else _("down from {odds}")
        said.append(moved.format(odds=exact_odds_text(price.previous)))
    if price.withdrawn_at is not None:
        said.append(
            _("no longer offered since {clock}").format(
                clock=clock_text(price.withdrawn_at, now_ms)
            )
        )
    elif _WORDS[freshness]:
        said.append(_WORDS[freshness])
    return said
