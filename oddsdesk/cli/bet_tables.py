"""Tables of bets and of reports, as commands print them."""

import itertools
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from oddsdesk.base.market_words import selection_text, shown_game
from oddsdesk.base.numbers import num, with_marks
from oddsdesk.base.texts import N_, _, ngettext, pgettext, translated
from oddsdesk.board.valuation.verdict_words import PER_DECIDED, PER_DECIDED_TEXT
from oddsdesk.cli.terminal import aligned, plain
from oddsdesk.contract.times import format_minute
from oddsdesk.ledger import reporting
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.open_bets import placed_in
from oddsdesk.pricing.formats import format_odds
from oddsdesk.pricing.reports import Report

_BETS: Final = (
    N_("BET"),
    N_("STATE"),
    N_("KICK-OFF"),
    N_("OUTCOME"),
    N_("BOOKMAKER"),
    N_("ODDS"),
    N_("STAKE"),
    N_("EV"),
    N_("CLV"),
)
_REPORT: Final = (
    N_("OF"),
    N_("BETS"),
    N_("STAKED"),
    N_("PROFIT"),
    N_("YIELD"),
    N_("EXPECTED"),
    N_("CLV"),
    N_("DRAWDOWN"),
    N_("Z"),
    N_("LUCK"),
)
_LEFT: Final = frozenset({"STATE", "KICK-OFF", "OUTCOME", "BOOKMAKER", "GAME", "OF", "LUCK"})
_RIGHT: Final = frozenset({*_BETS, *_REPORT, "PROFIT"}) - _LEFT


def bets_table(bets: Sequence[PlacedBet], now_ms: int) -> str:
    """Return bets as a table, with the number of bets below it."""
    rows = [_bet(bet, now_ms) for bet in bets]
    lines = aligned((*_BETS, N_("PROFIT"), N_("GAME")), rows, _RIGHT) if rows else []
    parts = [ngettext("{count} bet", "{count} bets", len(bets)).format(count=len(bets))]
    if any(bet.kind is BetKind.LAY for bet in bets):
        parts.append(_("stakes of lays are liabilities"))
    if practice := sum(bet.practice for bet in bets):
        parts.append(_("{count} practice").format(count=practice))
    if risks := list(_at_risk(bets, now_ms)):
        parts.append(_("at risk {amounts}").format(amounts=", ".join(risks)))
    last = ", ".join(parts)
    if units := [
        name
        for name, per in (("EV", "per"), ("CLV", "clv_per"))
        if any(getattr(bet, per) == "decided" for bet in bets)
    ]:
        last += f"; {PER_DECIDED} {_(' and ').join(units)} {PER_DECIDED_TEXT}"
    return "\n".join([*lines, last])


def _at_risk(bets: Sequence[PlacedBet], now_ms: int) -> Iterator[str]:
    """Yield the worst possible loss of the open bets in each currency."""
    for currency in dict.fromkeys(bet.currency for bet in bets):
        placed = placed_in([bet for bet in bets if bet.currency == currency], now_ms)
        if placed.by_outcome or placed.total:
            yield plain(f"{num(placed.total):.2f} {currency}".strip())


def reports_table(rows: Sequence[tuple[str, str, Report]], without: Collection[str] = ()) -> str:
    """Return reports as a table; each row has a currency, its group, and the figures.

    Columns with the headings in ``without`` are left out.
    """
    if not rows:
        return _("no settled bets yet")
    shown = [heading not in without for heading in _REPORT]
    cells = [list(itertools.compress(_report(*row), shown)) for row in rows]
    return "\n".join(aligned(list(itertools.compress(_REPORT, shown)), cells, _RIGHT))


def _bet(bet: PlacedBet, now_ms: int) -> tuple[str, ...]:
    result = bet.result
    state = translated(bet.state(now_ms).value if result is None else result.words)
    if bet.practice:
        state = _("{state}, practice").format(state=state)
    money = f"{num(bet.size):.2f}{f' {bet.currency}' if bet.currency else ''}"
    named = selection_text(bet.selection)
    return (
        str(bet.ident),
        state,
        "" if bet.kick_off is None else format_minute(bet.kick_off),
        plain(named if bet.kind is BetKind.BACK else f"{named} ({_kind(bet)})"),
        plain(bet.bookmaker),
        with_marks(format_odds(bet.odds)),
        plain(money),
        _per(bet.ev, bet.per),
        _closing(bet),
        "" if bet.profit is None else f"{num(bet.profit):+.2f}",
        plain(shown_game(bet.match_name)),
    )


def _kind(bet: PlacedBet) -> str:
    """Return the kind of a bet; for a lay, also the backer's stake, as STAKE is its liability."""
    if bet.kind is BetKind.LAY:
        return _("lay {stake:.2f}").format(stake=num(bet.stake))
    return translated(bet.kind.words)


def _closing(bet: PlacedBet) -> str:
    if bet.close is None:
        return ""
    return _per(bet.clv_pct, bet.clv_per) or _("no close")


def _per(figure: float | None, per: str) -> str:
    """Return a percentage with its mark, padded so that figures align."""
    unit = f" {PER_DECIDED}" if per == "decided" else ""
    return "" if figure is None else f"{_percent(figure)}{unit:2}"


def _report(currency: str, label: str, found: Report) -> tuple[str, ...]:
    of = translated(label) or pgettext("bets", "all")
    return (
        plain(f"{of}, {currency}" if currency else of),
        str(found.bets),
        f"{num(found.staked):.2f}",
        f"{num(found.profit):+.2f}",
        _percent(found.yield_pct),
        _of_some(f"{num(found.expected):+.2f}", found.expected_bets, found.bets),
        _of_some(_percent(found.clv_pct), found.clv_bets, found.bets),
        f"{num(found.drawdown.depth):.2f}",
        "" if found.z is None else f"{num(found.z):+.2f}",
        reporting.luck_text(found),
    )


def _of_some(figure: str, known: int, bets: int) -> str:
    """Return a figure, with the number of bets it covers unless it covers all of them."""
    if not known:
        return ""
    return figure if known == bets else _("{figure} of {count}").format(figure=figure, count=known)


def _percent(figure: float | None) -> str:
    return "" if figure is None else f"{num(figure):+.2f} %"
