"""`oddsdesk arbitrage`: arbitrage, middles and low hold without a window."""

import json
import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import click

from oddsdesk.base.clock import system_clock
from oddsdesk.base.market_words import period_text, shown_game
from oddsdesk.base.numbers import num, with_marks
from oddsdesk.base.tasks import exhaust
from oddsdesk.base.texts import N_, _, pgettext, translated
from oddsdesk.board.board import Board
from oddsdesk.board.opportunities.finder import Opportunity, OpportunityLeg
from oddsdesk.board.opportunities.offers import Opportunities
from oddsdesk.board.valuation.verdict_words import amount_text, caution_text
from oddsdesk.cli.bet_sources import Moment, board_of, read_moment, reference_choice, source_options
from oddsdesk.cli.options import Number
from oddsdesk.cli.own_records import own_rules, own_setting, placed_bets
from oddsdesk.cli.terminal import aligned, market_words, plain
from oddsdesk.desk.opportunities.rows import LegRow, count_text, leg_rows, rules_text
from oddsdesk.desk.settings.declared import split_of
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.open_bets import by_bookmaker, open_by_outcome
from oddsdesk.pricing.formats import format_odds
from oddsdesk.pricing.opportunities import LOW_HOLD, OpportunityKind, Outlay, Split
from oddsdesk.pricing.settlement_rules import RuleNote, SettlementRules
from oddsdesk.store.databases import Database

_HEADINGS: Final = (
    *(N_("KIND"), N_("PROFIT"), N_("MARGIN"), N_("STAKE"), N_("ODDS"), N_("NET")),
    *(N_("LEG"), N_("BOOKMAKER"), N_("WARNING"), N_("GAME")),
)
_LEAST_CERTAIN: Final = ("modelled", "implied")
_RIGHT: Final = frozenset({"PROFIT", "MARGIN", "STAKE", "ODDS", "NET"})


@click.command()
@source_options
@click.option(
    "--least",
    type=Number(-100, what=_("percentage")),
    default=0.0,
    metavar="PERCENT",
    show_default=True,
    help=_(
        "Minimum profit in the worst decided outcome, after stakes are rounded. 0 lists every "
        "arbitrage, low hold up to {low_hold:.0%}, and middles within that cost or with a gain on "
        "average."
    ).format(low_hold=num(LOW_HOLD)),
)
@click.option(
    "--kind", type=click.Choice([kind.value for kind in OpportunityKind]), help=_("List one kind.")
)
@click.option("--no-lay", is_flag=True, help=_("Leave out sets that lay at an exchange."))
@reference_choice
@click.option("--json", "as_json", is_flag=True, help=_("Print a JSON array by kind, best first."))
def arbitrage(
    database: Database | None,
    url: str | None,
    key_file: Path | None,
    least: float,
    kind: str | None,
    no_lay: bool,
    reference: str | None,
    as_json: bool,
) -> None:
    """List arbitrage, middles and low hold across bookmakers.

    Profit and margin are after commission. The margin (hold_pct in JSON) is how far the prices of
    all legs add up above 100 %. The total stake comes from the desk's settings (default 100) and
    is divided among the legs, rounded to each bookmaker's step.

    A lay at an exchange can be a leg: its stake is the liability, and its row shows the backer's
    stake. --no-lay leaves lays out.

    Profit assumes that every leg stands. Notes say where bookmakers' rules differ, so that one
    leg may be void while another is lost: a tennis player who retires, a postponed game, overtime.

    The sharp book gives the chance of a middle and the warnings on each leg. A leg that is far too
    good may be an error that the bookmaker voids.

    If a leg is already placed and open in the ledger, the other legs are staked to complete it,
    and the profit is for the whole set. The desk also lists sets that cost more than 2 % to
    complete; this command does not.

    \b
    Example:
      oddsdesk arbitrage
      oddsdesk arbitrage --least 1 --kind arbitrage --json
      oddsdesk arbitrage --url https://odds.example --key-file key.txt
    """
    moment = read_moment(database, url, key_file, system_clock())
    now_ms = system_clock()
    board = board_of(moment, now_ms, reference)
    listed = listed_opportunities(
        board, moment, now_ms, least, kind, has_lays=not no_lay, in_english=as_json
    )
    if as_json:
        click.echo(json.dumps([fields(legs) | moment.marks for legs in listed], indent=2))
    else:
        click.echo(_table(listed, moment.sources, board.reference_name))


def listed_opportunities(
    board: Board,
    moment: Moment,
    now_ms: int,
    least: float,
    kind: str | None,
    *,
    has_lays: bool,
    in_english: bool = True,
) -> list[list[LegRow]]:
    """Return the opportunities of a board, the legs of each; it holds the moment's prices.

    Args:
        board: The board.
        moment: What was read into it.
        now_ms: The time by which prices are judged.
        least: Minimum profit in percent in the worst decided outcome; 0 also lists low hold.
        kind: List only this ``OpportunityKind``.
        has_lays: Whether a lay can be a leg.
        in_english: Whether notes name legs in English, whatever the language.
    """
    placed = open_by_outcome(
        placed_bets(),
        simulated=moment.simulated,
        listed=moment.games_by_id(),
        spelled=board.players.spelled,
    )
    split, rules = split_of(own_setting), own_rules()
    found = find_sets(board, now_ms, split, rules, placed, has_lays=has_lays, in_english=in_english)
    return [
        legs
        for legs in found
        if (kind is None or legs[0].kind.value == kind)
        and (not least or legs[0].outlay is not None or legs[0].found.profit_pct >= least)
    ]


def find_sets(
    board: Board,
    now_ms: int,
    split: Split,
    rules: SettlementRules,
    placed: Mapping[Hashable, Sequence[PlacedBet]],
    *,
    has_lays: bool = True,
    in_english: bool = True,
) -> list[list[LegRow]]:
    """Return the opportunities of a board by kind, best first, the legs of each.

    Args:
        board: The board.
        now_ms: The time by which prices are judged.
        split: How a stake is divided.
        rules: The bookmakers' rules of settlement.
        placed: The user's open bets, from ``open_by_outcome``.
        has_lays: Whether a lay can be a leg.
        in_english: Whether notes name legs in English, whatever the language.
    """
    found = Opportunities(board, lambda: now_ms, lambda: split, has_lays=has_lays)
    found.count_placed(by_bookmaker(placed))
    exhaust(found.looking())
    rows = leg_rows(
        sorted(found.entries.values(), key=Opportunity.sort_key),
        board.basis.profiles.profile_of,
        board.reference_name,
        is_lost=False,
        placed=placed,
        step=split.step,
        rules=rules,
        in_english=in_english,
    )
    return [list(each) for _, each in groupby(rows.values(), lambda row: row.found.key)]


def fields(legs: Sequence[LegRow]) -> dict[str, Any]:
    """Return an opportunity in the form that ``--json`` prints."""
    found, staked = legs[0].found, legs[0].staked
    fields_of_legs = [_leg_fields(row) for row in legs]
    derived = {leg["derived"] for leg in fields_of_legs}
    bands = [leg["band_pct"] for leg in fields_of_legs if leg["band_pct"] is not None]
    told: dict[str, Any] = {
        "kind": legs[0].kind.value,
        "game_id": found.key.game_id,
        "match_name": found.match_name,
        "competition": found.competition,
        "market_type": found.market_type,
        "period": found.key.period,
        "line": found.line,
        "profit_pct": round(staked.worst_pct, 2),
        "push": None if staked.push is None else round(staked.push, 2),
        "hold_pct": round(found.hold_pct, 2),
        "derived": next((kind for kind in _LEAST_CERTAIN if kind in derived), None),
        "band_pct": max(bands, default=None),
        "legs": fields_of_legs,
        "notes": [note.text for note in legs[0].notes],
    }
    if legs[0].limited_by:
        told["limited_by"] = legs[0].limited_by
    if (middle := found.middle) is not None:
        told |= {
            "loss": round(middle.loss, 2),
            "hit": round(middle.hit, 2),
            "break_even_pct": round(middle.break_even * 100, 2),
            "chance_pct": None if middle.chance is None else round(middle.chance * 100, 2),
        }
    return told


def _leg_fields(row: LegRow) -> dict[str, Any]:
    leg = row.leg._replace(stake=row.stake)
    told: dict[str, Any] = {
        "side": "lay" if leg.is_lay else "back",
        "bookmaker": leg.bookmaker,
        "market_type": leg.key.market_type,
        "line": leg.line,
        "selection": leg.key.selection,
        "odds": leg.odds,
        "net_odds": round(leg.net_odds, 4),
        "stake": row.stake,
        **_lay_fields(leg),
        **({} if leg.for_sale is None else {"for_sale": round(leg.for_sale[0], 2)}),
        "derived": leg.derived,
        "band_pct": None if leg.band_pct is None else round(leg.band_pct, 2),
        "cautions": [caution.value for caution in leg.cautions],
    }
    return told | {"placed": _placed(row)} if row.placed else told


def _lay_fields(leg: OpportunityLeg) -> dict[str, float]:
    """Return what a lay is placed with; the backer's odds are the average over the stake."""
    if leg.lay_odds is None or leg.backers_stake is None:
        return {}
    return {
        "lay_odds": round(leg.lay_odds, 4),
        "backers_stake": round(leg.backers_stake, 2),
        "liability": leg.stake,
    }


def _placed(row: LegRow) -> float:
    return math.fsum(bet.open_stake for bet in row.placed)


def _table(found: Sequence[Sequence[LegRow]], sources: Sequence[str], reference: str) -> str:
    rows = [row for each in found for row in _rows(each, reference)]
    lines = [*aligned(_HEADINGS, rows, _RIGHT), ""] if rows else []
    notes = dict.fromkeys(_note_line(each[0], note) for each in found for note in each[0].notes)
    lines += [*notes, ""] if notes else []
    counts = Counter(legs[0].kind for legs in found)
    lines.append(", ".join(count_text(kind, counts[kind]) for kind in OpportunityKind))
    if sources:
        lines.append(_("Odds from {sources}").format(sources=plain(", ".join(sources))))
    return "\n".join(lines)


def _note_line(row: LegRow, note: RuleNote) -> str:
    return plain(f"{shown_game(row.found.match_name)}: {translated(note.text)}")


def _rows(legs: Sequence[LegRow], reference: str) -> list[tuple[str, ...]]:
    """Return one row per leg; the first row also holds what all legs share."""
    found, staked = legs[0].found, legs[0].staked
    market = ""
    if found.market_type is not None:
        market = f", {market_words(found.market_type, found.sport, found.key.period)}"
    elif found.key.period:
        market = f", {period_text(found.sport, found.key.period)}"
    whole = (
        _KINDS[legs[0].kind],
        f"{num(staked.worst_pct):+.2f} %",
        f"{num(found.hold_pct):+.2f} %",
    )
    game = plain(f"{shown_game(found.match_name)}{market}{_other_words(found, staked)}")
    return [
        (
            *(whole if row.is_first else ("", "", "")),
            f"{num(row.stake):.2f}",
            with_marks(format_odds(leg.odds)),
            "" if leg.net_odds == leg.odds else f"{num(leg.net_odds):.3f}",
            plain(found.leg_text(row.place)),
            plain(leg.bookmaker),
            "; ".join(_remarks(row, reference)),
            game if row.is_first else "",
        )
        for row in legs
        for leg in [row.leg]
    ]


def _remarks(row: LegRow, reference: str) -> Iterator[str]:
    """Yield what is placed, what is still open, and the warnings on the leg."""
    if row.placed:
        yield _("{amount:g} already placed").format(amount=num(_placed(row)))
    elif row.rest is not None:
        yield _("still to place")
    if row.is_first and row.notes:
        yield rules_text(row)
    if row.limited_by == row.leg.bookmaker:
        yield _("its limit reduces all stakes")
    backers_stake = row.leg._replace(stake=row.stake).backers_stake
    if backers_stake is not None:
        yield _("liability; backer's stake {backers_stake:.2f}").format(
            backers_stake=num(backers_stake)
        )
    if row.leg.for_sale is not None:
        yield _("{amount} for sale").format(amount=amount_text(*row.leg.for_sale))
    yield from (caution_text(caution, reference) for caution in row.leg.cautions)


def _other_words(found: Opportunity, staked: Outlay) -> str:
    """Return what is won if the result lands on the line, or between two lines."""
    middle, push = found.middle, staked.push
    if middle is None:
        return "" if push is None else _(": push {push:+.2f}").format(push=num(push))
    text = _(": hit {hit:+.2f}, breaks even at {break_even:.1%}, chance {chance:.1%}")
    if middle.chance is None:
        text = _(": hit {hit:+.2f}, breaks even at {break_even:.1%}")
    return text.format(
        hit=num(middle.hit), break_even=num(middle.break_even), chance=num(middle.chance)
    )


_KINDS: Final = {
    OpportunityKind.ARBITRAGE: _("arbitrage"),
    OpportunityKind.MIDDLE: pgettext("two bets that can both win", "middle"),
    OpportunityKind.LOW_HOLD: _("low hold"),
}
